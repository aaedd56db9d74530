/* Findings on cold start and memory, from records made up so that the figures are known. */
#include "base/json.h"
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

static void nth_says(const fixture *f, const char *rule, size_t which, const char *text)
{
    json_t *found = findings_of(f, rule);
    ck_assert_str_eq(sentence(found, which), text);
    json_decref(found);
}

static double spread_by(uint32_t r, double spread)
{
    return r == 0 ? 1 - spread : 1 / (1 - spread);
}

/* 100 ms: 10, 60, 5, 20, 5. The calls after the first take `steady` us. */
static void add_start(fixture *f, const char *call, double first_ms, double steady_us,
                      double spread)
{
    const uint32_t index = (uint32_t)f->results.n;
    for (uint32_t r = 0; r < 2; r++) {
        char params[100];
        const double by = spread_by(r, spread);
        snprintf(params, sizeof params, "{\"call\": \"%s\", \"bytes\": 1048576}", call);
        gb_record *record =
            fixture_add(f, "first", "startup", params, index, r, (80 + first_ms) * 1e6 * by, NAN);
        add_metric(record, "process_start", "ns", 10e6 * by);
        add_metric(record, "device_open", "ns", 60e6 * by);
        add_metric(record, "first_memory", "ns", 5e6 * by);
        add_metric(record, "first_call", "ns", first_ms * 1e6 * by);
        add_metric(record, "result_check", "ns", 5e6 * by);
        add_metric(record, "second_call", "ns", 2 * steady_us * 1e3 * by);
        add_metric(record, "steady_call", "ns", steady_us * 1e3 * by);
    }
}

START_TEST(the_first_call_against_a_steady_one)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "launch", 20, 10, 0.00001);
    says(&f, "first-call",
         "The first launch of a process takes 20.0 ms, a steady one 10.0 us: 2000 times that.");
    ck_assert_double_eq_tol(figure(&f, "first-call", "times"), 2000, 1);
    ck_assert_double_eq_tol(figure(&f, "first-call", "second_ns"), 20e3, 1);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "blas", 20, 10, 0.05);
    mentions(&f, "first-call", "The first product of the vendor's BLAS of a process");
    mentions(&f, "first-call", " to "); /* a range, where so little is known */
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "launch", 20, 10, 0.00001);
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0),
                        "selftest", json_pack("{s:f}", "noise_floor", 2000.0));
    silent(&f, "first-call"); /* 2001 times would not be told from noise */
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "launch", 0.011, 10, 0.2); /* may well be the same */
    silent(&f, "first-call");
    fixture_close(&f);
}
END_TEST

START_TEST(where_the_start_goes_is_said_of_a_firm_time)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "launch", 20, 10, 0.00001);
    says(&f, "where-the-start-goes",
         "From the start of a process to its first right result, that of a launch, it takes "
         "100 ms: the process 10 %, opening the device 60 %, memory 5 %, the call 20 %, reading "
         "and checking the result 5 %.");
    ck_assert_double_eq_tol(figure(&f, "where-the-start-goes", "device_open"), 60e6, 1e3);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "launch", 20, 10, 0.00001);
    f.results.records[0].metrics[1].value = 57e6;
    mentions(&f, "where-the-start-goes", "opening the device 57 to 60 %, memory 5 %,");
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "launch", 20, 10, 0.2);
    silent(&f, "where-the-start-goes");
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_start(&f, "launch", 20, 10, 0.00001);
    for (size_t i = 0; i < f.results.n; i++)
        f.results.records[i].metrics[1].value = NAN;
    silent(&f, "where-the-start-goes");
    fixture_close(&f);
}
END_TEST

static void add_allocation(fixture *f, const char *memory, const char *way, double bytes,
                           double pair, double spread)
{
    const uint32_t index = (uint32_t)f->results.n;
    const int rounds = strcmp(way, "plain") == 0 ? 1 : 32;
    for (uint32_t r = 0; r < 2; r++) {
        char params[160];
        const double by = spread_by(r, spread);
        snprintf(params, sizeof params,
                 "{\"memory\": \"%s\", \"way\": \"%s\", \"bytes\": %.0f, \"blocks\": 4, "
                 "\"rounds\": %d}",
                 memory, way, bytes, rounds);
        add_metric(
            fixture_add(f, "allocation", "allocate", params, index, r, 4 * rounds * pair * by, NAN),
            "pair", "ns", pair * by);
    }
}

START_TEST(what_a_pool_gains_is_said_at_both_ends)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (double bytes = 4096; bytes <= 1 << 20; bytes *= 16) {
        add_allocation(&f, "device", "plain", bytes, 20 * bytes, 0.00001);
        add_allocation(&f, "device", "stream", bytes, 2000, 0.00001);
        add_allocation(&f, "device", "cached", bytes, 20, 0.00001);
    }
    nth_says(&f, "allocation-pool", 0,
             "Having a block of device memory and giving it back: 4 KiB 81.9 us by plain calls, "
             "2.00 us from the device's pool (41.0 times as fast); 1 MiB 21.0 ms by plain calls, "
             "2.00 us from the device's pool (10486 times as fast).");
    ck_assert_double_eq_tol(figure(&f, "allocation-pool", "large_plain_ns"), 20 * 1048576.0, 1);
    json_t *found = findings_of(&f, "allocation-pool");
    ck_assert_uint_eq(json_array_size(found), 2); /* one of each way */
    json_decref(found);
    fixture_close(&f);
}
END_TEST

START_TEST(no_gain_is_said_where_none_is_known)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_allocation(&f, "pinned", "plain", 4096, 1000, 0.2);
    add_allocation(&f, "pinned", "cached", 4096, 900, 0.2);
    silent(&f, "allocation-pool"); /* may be the same */
    add_allocation(&f, "device", "cached", 4096, 10, 0.00001);
    silent(&f, "allocation-pool"); /* nothing to compare with */
    add_allocation(&f, "device", "plain", 4096, 5, 0.00001);
    nth_says(&f, "allocation-pool", 0,
             "Having a block of device memory and giving it back: 4 KiB 5.00 ns by plain calls, "
             "10.0 ns from a cache of blocks (2.0 times as slow).");
    fixture_close(&f);
}
END_TEST

/* `second`: of the second replicate. */
static void add_holes(fixture *f, const char *allocator, const char *pattern, double share,
                      double second)
{
    const uint32_t index = (uint32_t)f->results.n;
    for (uint32_t r = 0; r < 2; r++) {
        char params[160];
        snprintf(params, sizeof params,
                 "{\"allocator\": \"%s\", \"pattern\": \"%s\", \"budget_bytes\": 67108864, "
                 "\"block_bytes\": 1048576}",
                 allocator, pattern);
        add_metric(fixture_add(f, "holes", "fragment", params, index, r, 5000, NAN), "usable", "%",
                   r == 0 ? share : second);
    }
}

START_TEST(memory_in_holes_is_said_exactly)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_holes(&f, "first-fit", "alternate", 3.125, 3.125);
    add_holes(&f, "best-fit", "alternate", 3.125, 3.125);
    add_holes(&f, "driver", "alternate", 50, 100);
    add_holes(&f, "first-fit", "churn", 14.4, 14.4);
    nth_says(&f, "memory-in-holes", 0,
             "64 MiB full of blocks of 1 MiB, every other of them released, have 32 MiB free; the "
             "largest block that can be had is 3.12 % by first-fit, 3.12 % by best-fit, 50.0 % to "
             "100 % by the driver's calls of what is free.");
    nth_says(
        &f, "memory-in-holes", 1,
        "64 MiB in which blocks of 1 MiB and less have come and gone: the largest block that can "
        "be had is 14.4 % by first-fit of what is free.");
    ck_assert_double_eq(figure(&f, "memory-in-holes", "first-fit"), 3.125);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    add_holes(&f, "first-fit", "alternate", NAN, NAN);
    silent(&f, "memory-in-holes");
    fixture_close(&f);
}
END_TEST

static gb_record *add_exhaust(fixture *f, const char *how, double spread)
{
    const uint32_t index = (uint32_t)f->results.n;
    gb_record *record = NULL;
    for (uint32_t r = 0; r < 2; r++) {
        char params[160];
        const double by = spread_by(r, spread);
        snprintf(params, sizeof params,
                 "{\"how\": \"%s\", \"way\": \"plain\", \"budget_bytes\": 134217728, \"bytes\": "
                 "1048576}",
                 how);
        record = fixture_add(f, "out-of-memory", "exhaust", params, index, r, 3e5 * by, NAN);
        add_metric(record, "refusal", "ns", 1e5 * by);
        add_metric(record, "recovery", "ns", 2e5 * by);
    }
    return record;
}

START_TEST(a_refusal_and_what_follows)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_exhaust(&f, "beyond", 0.00001);
    nth_says(
        &f, "refused-cleanly", 0,
        "A request for twice the memory that there is is refused in 100 us; memory can be had, "
        "written and read right after it, in 200 us.");
    add_exhaust(&f, "filled", 0.3);
    nth_says(
        &f, "refused-cleanly", 1,
        "A process that fills its bound of 128 MiB is refused the next block; memory can be had, "
        "written and read right after it.");
    fixture_close(&f);
    fixture_open(&f, "cpu", "[]");
    gb_error why = {0};
    gb_fail(&why, GB_WRONG_RESULT, "granted");
    gb_record *record = add_exhaust(&f, "beyond", 0.00001);
    gb_record_fail(record, GB_STATUS_WRONG, &why);
    silent(&f, "refused-cleanly");
    fixture_close(&f);
}
END_TEST

START_TEST(when_the_memory_of_a_killed_process_is_back)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (uint32_t r = 0; r < 2; r++) {
        gb_record *record = fixture_add(&f, "killed", "reclaim", "{\"bytes\": 268435456}", 0, r,
                                        (r == 0 ? 0.99999 : 1.00001) * 9e7, NAN);
        add_metric(record, "process_gone", "ns", 8e7);
        add_metric(record, "memory_back", "ns", (r == 0 ? 0.99999 : 1.00001) * 9e7);
    }
    says(&f, "memory-returns",
         "256 MiB that a killed process held are free again 90.0 ms after the signal; the process "
         "itself ends after 80.0 ms.");
    ck_assert_double_eq_tol(figure(&f, "memory-returns", "back_ns"), 9e7, 1e4);
    f.results.records[0].metrics[1].value = 4e7; /* 60 ms, within a factor of 170 */
    silent(&f, "memory-returns");
    f.results.records[0].metrics[1].value = NAN;
    f.results.records[1].metrics[1].value = NAN;
    silent(&f, "memory-returns");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("findings on cold start and memory");
    tcase_add_test(tests, the_first_call_against_a_steady_one);
    tcase_add_test(tests, where_the_start_goes_is_said_of_a_firm_time);
    tcase_add_test(tests, what_a_pool_gains_is_said_at_both_ends);
    tcase_add_test(tests, no_gain_is_said_where_none_is_known);
    tcase_add_test(tests, memory_in_holes_is_said_exactly);
    tcase_add_test(tests, a_refusal_and_what_follows);
    tcase_add_test(tests, when_the_memory_of_a_killed_process_is_back);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_startup", add_cases)
