/* Findings on atomic additions: said with their figures, silent without. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

typedef struct counters {
    const char *place, *type, *by;
    unsigned addresses, padding;
} counters;

static gb_record *add(fixture *f, counters c, uint32_t index, double update_ns)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"place\": \"%s\", \"type\": \"%s\", \"by\": \"%s\", \"addresses\": %u, "
             "\"padding\": %u, \"threads\": 65536, \"rounds\": 16}",
             c.place, c.type, c.by, c.addresses, c.padding);
    gb_record *r = fixture_add(f, "atomics", "atomics", params, index, 0, update_ns * 1e6, 1);
    snprintf(r->metrics[0].name, sizeof r->metrics[0].name, "update_time");
    snprintf(r->metrics[0].unit, sizeof r->metrics[0].unit, "ns");
    r->metrics[0].value = update_ns;
    return r;
}

START_TEST(one_counter_is_held_against_the_fastest_number_of_them)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, (counters){"global", "int32", "thread", 64, 4}, 0, 2);
    add(&f, (counters){"global", "int32", "thread", 1, 4}, 1, 10);
    add(&f, (counters){"global", "int32", "thread", 1024, 4}, 2, 0.5);
    add(&f, (counters){"global", "int32", "thread", 65536, 4}, 3, 1);
    add(&f, (counters){"global", "fp32", "thread", 4, 4}, 4, 8);
    add(&f, (counters){"global", "fp32", "thread", 1024, 4}, 5, 2);
    says_each(&f, "atomic-contention", 2,
              (const char *const[]){
                  "An update takes 10.0 ns when all threads add to 1 counter, and 0.500 ns with "
                  "1024: a factor of 20.00 (type int32).",
                  "An update takes 8.00 ns when all threads add to 4 counters, and 2.00 ns with "
                  "1024: a factor of 4.00 (type fp32)."});
    silent(&f, "atomic-shared");
    fixture_close(&f);
}
END_TEST

START_TEST(padding_is_told_where_it_changes_most)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add(&f, (counters){"global", "int32", "block", 2, 4}, 0, 9);
    add(&f, (counters){"global", "int32", "block", 2, 32}, 1, 20);
    add(&f, (counters){"global", "int32", "block", 2, 128}, 2, 3);
    add(&f, (counters){"global", "int32", "block", 64, 4}, 3, 4);
    add(&f, (counters){"global", "int32", "block", 64, 128}, 4, 3);
    add(&f, (counters){"global", "int32", "thread", 8, 4}, 5, 3);
    add(&f, (counters){"global", "int32", "thread", 8, 128}, 6, 3); /* nothing to tell */
    says(&f, "atomic-padding",
         "With 2 counters 4 B apart an update takes 9.00 ns, with 128 B 3.00 ns: a "
         "factor of 3.00 (by block).");
    fixture_close(&f);
}
END_TEST

START_TEST(shared_memory_is_told_for_the_fewest_counters_of_both)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, (counters){"global", "int32", "thread", 1, 4}, 0, 10);
    add(&f, (counters){"global", "int32", "thread", 4, 4}, 1, 6);
    add(&f, (counters){"shared", "int32", "thread", 4, 4}, 2, 1.5);
    add(&f, (counters){"global", "int32", "thread", 16, 4}, 3, 4);
    add(&f, (counters){"shared", "int32", "thread", 16, 4}, 4, 4);
    says(&f, "atomic-shared",
         "With 4 counters an update takes 6.00 ns when all blocks share them, and 1.50 "
         "ns when each block has its own in shared memory and adds them up at its end: "
         "a factor of 4.00.");
    add(&f, (counters){"shared", "int32", "thread", 1, 4}, 5, 10);
    says(&f, "atomic-shared",
         "With 1 counter an update takes 10.0 ns when all blocks share it, and 10.0 ns "
         "when each block has its own in shared memory and adds it up at its end: no "
         "difference that can be told from noise.");
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_not_known_is_not_said)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, (counters){"global", "int32", "thread", 1, 4}, 0, 10)->converged = false;
    add(&f, (counters){"global", "int32", "thread", 8, 4}, 1, 1);
    add(&f, (counters){"shared", "int32", "thread", 1, 4}, 2, 1)->status = GB_STATUS_FAILED;
    add(&f, (counters){"global", "int32", "thread", 1, 128}, 3, 1)->converged = false;
    silent(&f, "atomic-contention");
    silent(&f, "atomic-shared");
    silent(&f, "atomic-padding");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("atomics");
    tcase_add_test(tests, one_counter_is_held_against_the_fastest_number_of_them);
    tcase_add_test(tests, padding_is_told_where_it_changes_most);
    tcase_add_test(tests, shared_memory_is_told_for_the_fewest_counters_of_both);
    tcase_add_test(tests, what_is_not_known_is_not_said);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_atomics", add_cases)
