/* The knee of a batch curve, found by the rule that docs/methodology.md states. */
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

static const double batches[] = {1, 2, 4, 8, 16, 32, 64, 128};
enum { N = sizeof batches / sizeof batches[0] };

/* Time of a request with a fixed part and a part for each item, in ns. */
static double request_ns(double fixed, double item, double batch)
{
    return fixed + item * batch;
}

/* Records of one series in two replicates, from the largest batch to the smallest. */
static void add_curve(fixture *f, const char *math, double fixed, double item, size_t n,
                      uint32_t index)
{
    for (size_t i = n; i-- > 0;) {
        for (uint32_t r = 0; r < 2; r++) {
            char params[200];
            const double ns = request_ns(fixed, item, batches[i]) * (r == 0 ? 0.999 : 1 / 0.999);
            snprintf(params, sizeof params,
                     "{\"batch\": %.0f, \"math\": \"%s\", \"submit\": \"eager\", \"memory\": "
                     "\"pinned\"}",
                     batches[i], math);
            gb_record *record = fixture_add(f, "curve", "batch", params, index + (uint32_t)i, r, ns,
                                            batches[i] / ns * 1e9);
            strcpy(record->metrics[0].name, "throughput");
            strcpy(record->metrics[0].unit, "1/s");
            record->time.p95 = 2 * ns;
            record->time.p99 = NAN;
        }
    }
}

static json_t *findings_of(const fixture *f)
{
    json_t *findings = NULL;
    ck_assert_int_eq(gb_report_findings(&f->results, &findings, NULL), GB_OK);
    return findings;
}

static const json_t *figure(const json_t *findings, size_t i, const char *name)
{
    const json_t *figures = json_object_get(json_array_get(findings, i), "figures");
    const json_t *value = json_object_get(figures, name);
    ck_assert_msg(value != NULL, "figure %s is missing", name);
    return value;
}

static const char *text_of(const json_t *findings, size_t i)
{
    return json_string_value(json_object_get(json_array_get(findings, i), "text"));
}

/* t = 900 + 100 b: throughput is b/t; 128/13700 at most; 90 % of it at b >= 41.4, so batch 64. */
START_TEST(the_knee_is_the_smallest_batch_with_90_percent_of_the_peak)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_curve(&f, "own", 900, 100, N, 0);
    json_t *findings = findings_of(&f);
    ck_assert_uint_eq(json_array_size(findings), 1);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(findings, 0), "rule")),
                     "batch-knee");
    ck_assert_double_eq(json_number_value(figure(findings, 0, "knee_batch")), 64);
    ck_assert_double_eq(json_number_value(figure(findings, 0, "peak_batch")), 128);
    ck_assert_double_eq(json_number_value(figure(findings, 0, "smallest_batch")), 1);
    ck_assert_double_eq_tol(json_number_value(figure(findings, 0, "knee_throughput")), 64 / 7300e-9,
                            1);
    const json_t *latency = figure(findings, 0, "knee_latency_ns");
    ck_assert_double_eq_tol(json_number_value(json_object_get(latency, "p50")), 7300, 1e-6);
    ck_assert_double_eq_tol(json_number_value(json_object_get(latency, "p95")), 14600, 1e-6);
    ck_assert(json_is_null(json_object_get(latency, "p99")));
    ck_assert_str_eq(json_string_value(figure(findings, 0, "loop")), "closed");
    ck_assert_str_eq(
        text_of(findings, 0),
        "Closed loop, own product, eager, pinned memory: batch 64 is the knee: 94 % of the peak "
        "throughput (8.77 M/s of 9.34 M/s at batch 128) at 7.3 times the median and 7.3 times the "
        "p95 latency of batch 1.");
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(a_curve_that_still_rises_has_no_knee)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_curve(&f, "vendor", 100000, 10, N, 0);
    json_t *findings = findings_of(&f);
    ck_assert_uint_eq(json_array_size(findings), 1);
    ck_assert(json_is_null(figure(findings, 0, "knee_batch")));
    ck_assert_ptr_nonnull(strstr(text_of(findings, 0), "still rises at batch 128"));
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(a_flat_curve_says_that_batching_gains_nothing)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_curve(&f, "own", 1, 1000, N, 0);
    json_t *findings = findings_of(&f);
    ck_assert_double_eq(json_number_value(figure(findings, 0, "knee_batch")), 1);
    ck_assert_str_eq(text_of(findings, 0),
                     "Closed loop, own product, eager, pinned memory: batch 1 already has 100 % of "
                     "the peak throughput: a larger one gains next to nothing.");
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(each_series_has_a_knee_of_its_own)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_curve(&f, "own", 900, 100, N, 0);
    add_curve(&f, "vendor", 3900, 100, N, 100);
    json_t *findings = findings_of(&f);
    ck_assert_uint_eq(json_array_size(findings), 2);
    ck_assert_ptr_nonnull(strstr(text_of(findings, 0), "own product"));
    ck_assert_double_eq(json_number_value(figure(findings, 0, "knee_batch")), 64);
    ck_assert_ptr_nonnull(strstr(text_of(findings, 1), "vendor product"));
    ck_assert(json_is_null(figure(findings, 1, "knee_batch")));
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

/* Throughputs of one series over these batches, in three replicates without spread. */
static json_t *findings_over(const double over[], const double rates[], size_t n, double spread)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (size_t i = 0; i < n; i++) {
        for (uint32_t r = 0; r < 3; r++) {
            char params[200];
            const double rate = rates[i] * (1 + spread * ((double)r - 1));
            snprintf(params, sizeof params,
                     "{\"batch\": %.0f, \"math\": \"own\", \"submit\": \"eager\", "
                     "\"memory\": \"pinned\"}",
                     over[i]);
            gb_record *record = fixture_add(&f, "curve", "batch", params, (uint32_t)i, r,
                                            over[i] / rate * 1e9, rate);
            strcpy(record->metrics[0].name, "throughput");
            strcpy(record->metrics[0].unit, "1/s");
        }
    }
    json_t *findings = findings_of(&f);
    fixture_close(&f);
    return findings;
}

START_TEST(two_neighbouring_batches_are_no_plateau)
{
    static const double over[] = {32, 64, 128, 256, 511, 512};
    static const double rates[] = {32e3, 64e3, 128e3, 256e3, 511e3, 512e3};
    json_t *findings = findings_over(over, rates, 6, 0.001);
    ck_assert_uint_eq(json_array_size(findings), 1);
    ck_assert(json_is_null(figure(findings, 0, "knee_batch")));
    ck_assert_ptr_nonnull(strstr(text_of(findings, 0), "still rises at batch 511"));
    json_decref(findings);
}
END_TEST

START_TEST(a_throughput_that_collapses_has_no_plateau)
{
    static const double over[] = {16, 32, 64, 128, 256};
    static const double rates[] = {16e3, 32e3, 64e3, 128e3, 40e3};
    json_t *findings = findings_over(over, rates, 5, 0.001);
    ck_assert(json_is_null(figure(findings, 0, "knee_batch")));
    ck_assert_ptr_nonnull(strstr(
        text_of(findings, 0), "throughput is largest at batch 128 (128 k/s) and falls to 31 % of "
                              "that at batch 256 (40.0 k/s): there is no plateau, and no knee."));
    json_decref(findings);
}
END_TEST

START_TEST(a_knee_that_noise_could_move_is_not_named)
{
    static const double over[] = {1, 2, 4, 8, 16};
    static const double rates[] = {10e3, 80e3, 92e3, 100e3, 99e3};
    json_t *findings = findings_over(over, rates, 5, 0.001);
    ck_assert_double_eq(json_number_value(figure(findings, 0, "knee_batch")), 4);
    json_decref(findings);
    findings = findings_over(over, rates, 5, 0.04); /* 10 %: 80e3 might be 90e3 */
    ck_assert_uint_eq(json_array_size(findings), 0);
    json_decref(findings);
}
END_TEST

START_TEST(series_that_differ_in_a_width_say_so)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_curve(&f, "own", 900, 100, N, 0);
    add_curve(&f, "own", 1900, 200, N, 100);
    for (size_t i = 0; i < f.results.n; i++) {
        gb_record *r = &f.results.records[i];
        json_object_set_new(r->params, "width", json_integer(i < 2 * N ? 256 : 1024));
        char *id = gb_text_format("%s-%d", r->case_id, i < 2 * N);
        free(r->case_id);
        r->case_id = id;
    }
    json_t *findings = findings_of(&f);
    ck_assert_uint_eq(json_array_size(findings), 2);
    ck_assert_ptr_nonnull(strstr(text_of(findings, 0), "pinned memory (width 256): "));
    ck_assert_ptr_nonnull(strstr(text_of(findings, 1), "pinned memory (width 1024): "));
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(few_points_and_failed_or_emulated_ones_make_no_knee)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_curve(&f, "own", 900, 100, 4, 0);
    add_curve(&f, "vendor", 900, 100, N, 100);
    for (size_t i = 8; i < f.results.n; i++)
        f.results.records[i].flags = GB_BIT(GB_FLAG_EMULATED);
    json_t *findings = findings_of(&f);
    ck_assert_uint_eq(json_array_size(findings), 0);
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("batch");
    tcase_add_test(tests, the_knee_is_the_smallest_batch_with_90_percent_of_the_peak);
    tcase_add_test(tests, a_curve_that_still_rises_has_no_knee);
    tcase_add_test(tests, a_flat_curve_says_that_batching_gains_nothing);
    tcase_add_test(tests, each_series_has_a_knee_of_its_own);
    tcase_add_test(tests, two_neighbouring_batches_are_no_plateau);
    tcase_add_test(tests, a_throughput_that_collapses_has_no_plateau);
    tcase_add_test(tests, a_knee_that_noise_could_move_is_not_named);
    tcase_add_test(tests, series_that_differ_in_a_width_say_so);
    tcase_add_test(tests, few_points_and_failed_or_emulated_ones_make_no_knee);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_batch", add_cases)
