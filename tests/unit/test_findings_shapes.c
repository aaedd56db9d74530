/* Findings on vector search, softmax and layer norm, and lookups: said with their figures, silent
 * without. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

static gb_record *search(fixture *f, int queries, int k, uint32_t index, double time)
{
    char params[128];
    snprintf(params, sizeof params,
             "{\"vectors\": 131072, \"dimensions\": 128, \"queries\": %d, \"k\": %d}", queries, k);
    gb_record *r = fixture_add(f, "search", "search", params, index, 0, time, NAN);
    add_metric(r, "query_rate", "1/s", queries * 1e9 / time);
    add_metric(r, "bandwidth", "B/s", 67108864e9 / time);
    return r;
}

static gb_record *row(fixture *f, const char *op, const char *variant, int columns, uint32_t index,
                      double time)
{
    char params[128];
    snprintf(params, sizeof params,
             "{\"op\": \"%s\", \"variant\": \"%s\", \"rows\": 2048, \"columns\": %d}", op, variant,
             columns);
    return fixture_add(f, op, "rows", params, index, 0, time, 1e9);
}

static gb_record *lookup(fixture *f, const char *order, int width, uint32_t index, double rate)
{
    char params[128];
    snprintf(params, sizeof params, "{\"order\": \"%s\", \"width\": %d, \"table\": 4096}", order,
             width);
    return fixture_add(f, "embedding", "embedding", params, index, 0, 1e15 / rate, rate);
}

START_TEST(the_most_queries_at_once_against_one)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    search(&f, 1, 10, 0, 1e6);
    search(&f, 4, 10, 1, 1.1e6);
    search(&f, 64, 10, 2, 8e6);
    search(&f, 16, 10, 3, 2e6);
    search(&f, 256, 100, 4, 1e6); /* no single query for the best 100 */
    says(
        &f, "search-batch",
        "A search for the best 10 of 131072 vectors (128 dimensions) answers 1.00 k/s one query at "
        "a time, which passes over the database at 67.1 GB/s, and 8.00 k/s with 64 queries at "
        "once: a factor of 8.00, as they share one reading.");
    fixture_close(&f);
}
END_TEST

START_TEST(queries_that_gain_nothing_together_are_no_finding)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    search(&f, 1, 10, 0, 1e6);
    gb_record *many = search(&f, 64, 10, 1, 64e6);
    silent(&f, "search-batch");
    many->metrics[0].value = 500; /* worse, clearly */
    silent(&f, "search-batch");
    many->metrics[0].value = 5000;
    many->time.median = 64e9 / 5000;
    many->time.ci95[0] = many->time.median * 0.999;
    many->time.ci95[1] = many->time.median * 1.001;
    mentions(&f, "search-batch", "5.00 k/s with 64 queries at once: a factor of 5.00");
    many->status = GB_STATUS_WRONG;
    silent(&f, "search-batch");
    fixture_close(&f);
}
END_TEST

START_TEST(one_launch_against_three_for_each_operation)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    row(&f, "softmax", "fused", 512, 0, 1e5);
    row(&f, "softmax", "separate", 512, 1, 9e5);
    row(&f, "softmax", "fused", 8192, 2, 1e6);
    row(&f, "softmax", "separate", 8192, 3, 2e6);
    row(&f, "softmax", "fused", 2048, 4, 1e5);
    row(&f, "softmax", "separate", 2048, 5, 9e5);
    row(&f, "layernorm", "fused", 8192, 6, 1e6);
    gb_record *same = row(&f, "layernorm", "separate", 8192, 7, 1.0005e6);
    says(&f, "fused-rows",
         "Softmax of a 2048 x 8192 matrix takes 1.00 ms in one launch that reads it "
         "once, and 2.00 ms in three: a factor of 2.00.");
    same->time.median = 3e6;
    same->time.ci95[0] = 2.99e6;
    same->time.ci95[1] = 3.01e6;
    json_t *both = findings_of(&f, "fused-rows");
    ck_assert_uint_eq(json_array_size(both), 2);
    ck_assert_ptr_nonnull(
        strstr(sentence(both, 1), "Layer norm of a 2048 x 8192 matrix takes 1.00 ms"));
    json_decref(both);
    fixture_close(&f);
}
END_TEST

START_TEST(short_rows_and_long_ones)
{
    static const struct {
        double rate;
        const char *end;
    } wide[] = {{50e9, "; rows of 4 KiB at 50.0 GB/s against 100 GB/s, a factor of 2.00."},
                {100.01e9, "; with rows of 4 KiB the order makes no difference."}};
    for (size_t i = 0; i < 2; i++) {
        char text[256];
        fixture f;
        fixture_open(&f, "cuda", "[]");
        lookup(&f, "sequential", 8, 0, 100e9);
        lookup(&f, "random", 8, 1, 25e9);
        lookup(&f, "skewed", 8, 2, 60e9);
        lookup(&f, "sequential", 1024, 3, 100e9);
        lookup(&f, "random", 1024, 4, wide[i].rate);
        lookup(&f, "random", 4096, 5, 10e9); /* never in order */
        snprintf(text, sizeof text, "%s%s",
                 "Rows of 32 B looked up at random come at 25.0 GB/s, one after the other at 100 "
                 "GB/s: a factor of 4.00",
                 wide[i].end);
        says(&f, "gathered-rows", text);
        fixture_close(&f);
    }
}
END_TEST

/* Rows in order that stay in the last cache are its speed, not memory's. */
START_TEST(lookups_in_the_last_cache_are_not_held_against_memory)
{
    const uint64_t mib = 1048576;
    fixture f;
    fixture_open(&f, "cpu", "[]");
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0),
                        "llc_bytes", json_integer(32 * (json_int_t)mib));
    gb_record *straight = lookup(&f, "sequential", 8, 0, 100e9);
    gb_record *scattered = lookup(&f, "random", 8, 1, 25e9);
    lookup(&f, "sequential", 64, 2, 50e9)->work.working_set = 130 * mib;
    lookup(&f, "random", 64, 3, 40e9)->work.working_set = 130 * mib;
    scattered->work.working_set = 130 * mib;
    straight->work.working_set = 127 * mib;
    mentions(&f, "gathered-rows", "Rows of 256 B looked up at random come at 40.0 GB/s");
    straight->work.working_set = 130 * mib;
    mentions(&f, "gathered-rows", "Rows of 32 B looked up at random come at 25.0 GB/s");
    scattered->work.working_set = 127 * mib;
    mentions(&f, "gathered-rows", "Rows of 256 B looked up");
    f.results.records[2].work.working_set = 33 * mib;
    silent(&f, "gathered-rows");
    for (size_t i = 0; i < f.results.n; i++) /* emptied before each sample */
        f.results.records[i].cache = GB_CACHE_COLD;
    mentions(&f, "gathered-rows", "Rows of 32 B looked up");
    fixture_close(&f);
}
END_TEST

START_TEST(without_a_counterpart_nothing_is_said)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    search(&f, 64, 10, 0, 1e6);
    row(&f, "softmax", "fused", 512, 1, 1e5);
    row(&f, "softmax", "separate", 512, 2, 1e6)->cache = GB_CACHE_COLD;
    lookup(&f, "random", 8, 3, 25e9);
    lookup(&f, "sequential", 16, 4, 100e9);
    silent(&f, "search-batch");
    silent(&f, "fused-rows");
    silent(&f, "gathered-rows");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("shapes");
    tcase_add_test(tests, the_most_queries_at_once_against_one);
    tcase_add_test(tests, queries_that_gain_nothing_together_are_no_finding);
    tcase_add_test(tests, one_launch_against_three_for_each_operation);
    tcase_add_test(tests, short_rows_and_long_ones);
    tcase_add_test(tests, lookups_in_the_last_cache_are_not_held_against_memory);
    tcase_add_test(tests, without_a_counterpart_nothing_is_said);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_shapes", add_cases)
