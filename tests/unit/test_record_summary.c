/* One record: statistics, flags and metrics, which follow from its samples. */
#include "unit/locale_case.h"
#include "unit/record_sample.h"

#include "base/json.h"

static double metric(const gb_record *r)
{
    ck_assert_uint_eq(r->n_metrics, 1);
    return r->metrics[0].value;
}

static void set_samples(gb_record *r, const double ns[], size_t n, uint64_t iterations,
                        double resolution)
{
    free(r->samples_ns);
    r->samples_ns = malloc((n ? n : 1) * sizeof ns[0]);
    if (n > 0) {
        memcpy(r->samples_ns, ns, n * sizeof ns[0]);
    }
    r->n_samples = n;
    r->iterations_per_sample = iterations;
    r->resolution_ns = resolution;
}

START_TEST(TIM_01_no_accepted_sample_is_a_failed_record_with_the_number_rejected)
{
    gb_record r;
    gb_error err;
    sample_record(&r, "copy", 1024, 0, 8, 1000);
    set_samples(&r, NULL, 0, 4, 20);
    r.rejected = 50;
    ck_assert_int_eq(gb_record_summarise(&r, sample_metrics, 1, &err), GB_NO_SAMPLES);
    ck_assert_int_eq(r.status, GB_STATUS_FAILED);
    ck_assert_str_eq(r.reason_code, "no-samples");
    ck_assert_contains(r.reason, "50");
    ck_assert(isnan(metric(&r)));
    json_t *json = gb_record_json(&r, true);
    ck_assert_int_eq(json_integer_value(walk(json, "time_ns.n")), 0);
    ck_assert_int_eq(json_integer_value(walk(json, "time_ns.rejected")), 50);
    ck_assert(json_is_null(walk(json, "time_ns.median")));
    ck_assert(json_is_null(walk(json, "time_ns.stddev")));
    ck_assert(json_is_null(walk(json, "metrics.bandwidth.value")));
    ck_assert_str_eq(json_string_value(walk(json, "metrics.bandwidth.reason")), "no samples");
    ck_assert_int_eq(gb_record_check(&r, &err), GB_OK);
    json_decref(json);
    gb_record_free(&r);
}
END_TEST

START_TEST(without_samples_a_skipped_record_keeps_its_reason)
{
    gb_record r;
    gb_error why;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    gb_fail(&why, GB_UNAVAILABLE, "no managed memory here");
    ck_assert_int_eq(gb_record_fail(&r, GB_STATUS_SKIPPED, &why), GB_OK);
    ck_assert_int_eq(gb_record_summarise(&r, sample_metrics, 1, NULL), GB_OK);
    ck_assert_int_eq(r.status, GB_STATUS_SKIPPED);
    ck_assert_str_eq(r.reason_code, "unavailable");
    ck_assert_str_eq(r.reason, "no managed memory here");
    gb_record_free(&r);
}
END_TEST

START_TEST(TIM_14_a_time_of_zero_has_no_rate_and_says_why)
{
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 8, 0);
    ck_assert_int_eq(r.status, GB_STATUS_OK);
    ck_assert_double_eq(r.time.median, 0);
    ck_assert(isnan(metric(&r)));
    ck_assert_str_eq(r.metrics[0].reason, "below timer resolution");
    ck_assert_uint_ne(r.flags & GB_BIT(GB_FLAG_BELOW_RESOLUTION), 0);
    json_t *json = gb_record_json(&r, false);
    char *line = gb_json_line(json);
    ck_assert_contains(line, "\"value\":null");
    ck_assert_contains(line, "below timer resolution");
    free(line);
    json_decref(json);
    gb_record_free(&r);
}
END_TEST

START_TEST(TIM_18_one_sample_has_no_spread_and_every_key)
{
    gb_record r;
    sample_record(&r, "copy", 1000000, 0, 1, 2000);
    json_t *json = gb_record_json(&r, false);
    ck_assert_int_eq(json_integer_value(walk(json, "time_ns.n")), 1);
    ck_assert_double_eq(json_number_value(walk(json, "time_ns.median")), 2000);
    ck_assert(json_is_null(walk(json, "time_ns.stddev")));
    ck_assert(json_is_null(walk(json, "time_ns.ci95")));
    ck_assert(json_is_null(walk(json, "time_ns.p99")));
    ck_assert_double_eq_tol(metric(&r), 1000000e9 / 2000, 1e-3);
    json_decref(json);
    gb_record_free(&r);
}
END_TEST

START_TEST(TIM_13_a_case_that_failed_was_wrong_or_skipped_has_no_value_to_win_with)
{
    gb_results results;
    ck_assert_int_eq(gb_results_load(FIXTURES "mixed", false, &results, NULL), GB_OK);
    size_t ok = 0, left_out = 0;
    for (size_t i = 0; i < results.n; i++) {
        const gb_record *r = &results.records[i];
        if (r->status == GB_STATUS_OK) {
            ok++;
            ck_assert(metric(r) > 0);
        } else {
            left_out++;
            ck_assert_ptr_nonnull(r->reason);
            for (size_t k = 0; k < r->n_metrics; k++) {
                ck_assert(isnan(r->metrics[k].value));
            }
        }
    }
    ck_assert_uint_eq(ok, 3);
    ck_assert_uint_eq(left_out, 2);
    gb_results_free(&results);
}
END_TEST

START_TEST(flags_follow_from_the_samples)
{
    enum { N = 40 };
    double ns[N];
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    r.flags =
        GB_BIT(GB_FLAG_GATE_OFF) | GB_BIT(GB_FLAG_DRIFT); /* the first stays, the second goes */

    for (size_t i = 0; i < N; i++) {
        ns[i] = 1000 + (double)(i * 7 % 5);
    }
    set_samples(&r, ns, N, 10, 50); /* 10 x 1000 ns >= 100 x 50 ns */
    ck_assert_int_eq(gb_record_summarise(&r, NULL, 0, NULL), GB_OK);
    ck_assert_uint_eq(r.flags, GB_BIT(GB_FLAG_GATE_OFF));

    r.resolution_ns = 101;
    gb_record_summarise(&r, NULL, 0, NULL);
    ck_assert_uint_eq(r.flags, GB_BIT(GB_FLAG_GATE_OFF) | GB_BIT(GB_FLAG_BELOW_RESOLUTION));
    r.resolution_ns = 50;

    ns[0] = 3000;
    set_samples(&r, ns, N, 10, 50);
    gb_record_summarise(&r, NULL, 0, NULL);
    ck_assert_uint_eq(r.flags, GB_BIT(GB_FLAG_GATE_OFF) | GB_BIT(GB_FLAG_SLOW_FIRST));

    ns[0] = 1000;
    ns[11] = ns[20] = ns[30] = 1500; /* 3 of 40 are more than 5 % */
    set_samples(&r, ns, N, 10, 50);
    gb_record_summarise(&r, NULL, 0, NULL);
    ck_assert_uint_eq(r.flags, GB_BIT(GB_FLAG_GATE_OFF) | GB_BIT(GB_FLAG_OUTLIERS));

    ns[30] = 1000; /* 2 of 40 are not */
    set_samples(&r, ns, N, 10, 50);
    gb_record_summarise(&r, NULL, 0, NULL);
    ck_assert_uint_eq(r.flags, GB_BIT(GB_FLAG_GATE_OFF));
    gb_record_free(&r);
}
END_TEST

START_TEST(metrics_divide_what_was_counted_by_the_time_of_the_sample_or_of_a_part)
{
    static const gb_metric_spec metrics[] = {
        {"bandwidth", "B/s", "", true, GB_PER_BYTES_MOVED, -1},
        {"sectors", "B/s", "", true, GB_PER_BYTES_SECTORS, -1},
        {"flops", "FLOP/s", "", true, GB_PER_FLOPS, -1},
        {"rate", "1/s", "", true, GB_PER_ITEMS, -1},
        {"first", "B/s", "", true, GB_PER_BYTES_READ, 0},
        {"second", "B/s", "", true, GB_PER_BYTES_WRITTEN, 1},
        {"each", "ns", "", false, GB_NS_PER_ITEM, -1},
        {"third", "ns", "", false, GB_PER_NOTHING, 2},
    };
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    double ns[] = {1000, 1000, 1000};
    set_samples(&r, ns, 3, 1, 0);
    r.work = (gb_work){
        .bytes_moved = 3000, .bytes_read = 1000, .bytes_written = 2000, .flops = 500, .items = 7};
    r.parts_ns = json_pack("{s:f,s:f,s:n}", "z", 500.0, "a", 250.0, "none");
    r.n_metrics = 1;
    r.metrics[0].peak = 4e9;
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 8, NULL), GB_OK);
    const double want[] = {3e9, 3e9, 5e8, 7e6, 2e9, 8e9, 1000.0 / 7};
    for (size_t i = 0; i < 7; i++) {
        ck_assert_double_eq_tol(r.metrics[i].value, want[i], 1e-3);
        ck_assert_str_eq(r.metrics[i].reason, "");
    }
    ck_assert(isnan(r.metrics[7].value));
    ck_assert_str_ne(r.metrics[7].reason, "");
    ck_assert_double_eq(r.metrics[0].peak, 4e9);
    ck_assert(isnan(r.metrics[1].peak));
    gb_metric_spec many[GB_MAX_METRICS + 1] = {{0}};
    ck_assert_int_eq(gb_record_summarise(&r, many, GB_MAX_METRICS + 1, NULL), GB_INVALID);
    gb_record_free(&r);
}
END_TEST

START_TEST(a_share_is_a_part_over_the_whole_in_percent)
{
    static const gb_metric_spec metrics[] = {
        {"busy", "%", "", true, GB_PART_SHARE, 1},
        {"none", "%", "", true, GB_PART_SHARE, 2},
    };
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    double ns[] = {1000, 1000, 1000};
    set_samples(&r, ns, 3, 1, 0);
    r.work = (gb_work){0}; /* nothing needs to be counted for it */
    r.parts_ns = json_pack("{s:f,s:f,s:n}", "z", 500.0, "a", 250.0, "none");
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 2, NULL), GB_OK);
    ck_assert_double_eq_tol(r.metrics[0].value, 25, 1e-9);
    ck_assert_str_eq(r.metrics[0].reason, "");
    ck_assert(isnan(r.metrics[1].value));
    ck_assert_str_eq(r.metrics[1].reason, "the sample has no such part");
    gb_record_free(&r);
}
END_TEST

START_TEST(metrics_of_percentiles_exist_where_the_percentile_does)
{
    static const gb_metric_spec metrics[] = {
        {"p95", "ns", "", false, GB_PER_NOTHING, GB_WHOLE_P95},
        {"p99", "ns", "", false, GB_PER_NOTHING, GB_WHOLE_P99},
        {"rate", "1/s", "", true, GB_PER_ITEMS, GB_WHOLE_P95},
    };
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    double ns[100];
    for (int i = 0; i < 100; i++)
        ns[i] = 1000 + i;
    set_samples(&r, ns, 100, 1, 0);
    r.work = (gb_work){.items = 1};
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 3, NULL), GB_OK);
    ck_assert_double_eq(r.metrics[0].value, 1094); /* the 95th smallest */
    ck_assert(isnan(r.metrics[1].value));          /* needs 1000 samples */
    ck_assert_str_eq(r.metrics[1].reason, "too few samples of one iteration for this percentile");
    ck_assert_double_eq_tol(r.metrics[2].value, 1e9 / 1094, 1e-6);
    r.iterations_per_sample = 2;
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 3, NULL), GB_OK);
    ck_assert(isnan(r.metrics[0].value)); /* a sample is no single iteration */
    gb_record_free(&r);
}
END_TEST

/* A level is what the record has of that name, whatever the time; summarised again it stays. */
START_TEST(a_level_keeps_its_value)
{
    static const gb_metric_spec metrics[] = {
        {"bandwidth", "B/s", "", true, GB_PER_BYTES_MOVED, -1},
        {"usable", "%", "", true, GB_LEVEL, -1},
        {"unsaid", "%", "", true, GB_LEVEL, -1},
    };
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    double ns[] = {0, 0, 0};
    set_samples(&r, ns, 3, 1, 0);
    r.n_metrics = 1;
    r.metrics[0] = (gb_metric){.name = "usable", .value = 12.5, .peak = NAN};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(gb_record_summarise(&r, metrics, 3, NULL), GB_OK);
        ck_assert_double_eq(r.metrics[1].value, 12.5);
        ck_assert_str_eq(r.metrics[1].unit, "%");
        ck_assert_str_eq(r.metrics[1].reason, "");
        ck_assert(isnan(r.metrics[0].value) && isnan(r.metrics[2].value));
        ck_assert_str_eq(r.metrics[2].reason, "the case did not say it");
    }
    r.n_samples = 0;
    gb_record_summarise(&r, metrics, 3, NULL);
    ck_assert(isnan(r.metrics[1].value)); /* a case that failed says nothing */
    gb_record_free(&r);
}
END_TEST

/* 7.9 s of 1000 samples: 7 windows of about 143 samples, of which the third is slower. */
START_TEST(metrics_of_stretches_exist_where_there_are_seconds)
{
    static const gb_metric_spec metrics[] = {
        {"mean", "ns", "", false, GB_PER_NOTHING, GB_WHOLE_MEAN},
        {"first", "ns", "", false, GB_PER_NOTHING, GB_WHOLE_FIRST_HALF},
        {"second", "ns", "", false, GB_PER_NOTHING, GB_WHOLE_SECOND_HALF},
        {"slowest", "ns", "", false, GB_PER_NOTHING, GB_WHOLE_SLOWEST_SECOND},
        {"fastest", "ns", "", false, GB_PER_NOTHING, GB_WHOLE_FASTEST_SECOND},
    };
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    double ns[1000];
    for (int i = 0; i < 1000; i++)
        ns[i] = i >= 285 && i < 428 ? 3000 : i < 500 ? 1000 : 2000;
    set_samples(&r, ns, 1000, 1, 0);
    json_decref(r.phases_ns);
    r.phases_ns = json_pack("{s:I}", "measure", (json_int_t)7900000000);
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 5, NULL), GB_OK);
    ck_assert_double_eq_tol(r.metrics[0].value, 1.429e3 + 0.357e3, 1e-6);
    ck_assert_double_eq(r.metrics[1].value, 1000);
    ck_assert_double_eq(r.metrics[2].value, 2000);
    ck_assert_double_eq(r.metrics[3].value, 3000);
    ck_assert_double_eq(r.metrics[4].value, 1000);
    json_object_set_new(r.phases_ns, "measure", json_integer(4900000000));
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 5, NULL), GB_OK);
    ck_assert_double_eq(r.metrics[2].value, 2000);
    ck_assert(isnan(r.metrics[3].value) && isnan(r.metrics[4].value));
    ck_assert_str_eq(r.metrics[3].reason, "too short, or too few samples a second");
    json_object_set_new(r.phases_ns, "measure", json_integer(51000000000)); /* 19 a second */
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 5, NULL), GB_OK);
    ck_assert(isnan(r.metrics[3].value));
    set_samples(&r, ns, 39, 1, 0);
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 5, NULL), GB_OK);
    ck_assert(isnan(r.metrics[1].value));
    ck_assert_str_eq(r.metrics[1].reason, "too few samples for halves");
    gb_record_free(&r);
}
END_TEST

START_TEST(what_is_not_counted_has_no_rate_and_says_why)
{
    static const gb_metric_spec metrics[] = {
        {"bandwidth", "B/s", "", true, GB_PER_BYTES_MOVED, -1},
        {"sectors", "B/s", "", true, GB_PER_BYTES_SECTORS, -1},
        {"read", "B/s", "", true, GB_PER_BYTES_READ, -1},
        {"written", "B/s", "", true, GB_PER_BYTES_WRITTEN, -1},
        {"flops", "FLOP/s", "", true, GB_PER_FLOPS, -1},
        {"rate", "1/s", "", true, GB_PER_ITEMS, -1},
        {"each", "ns", "", false, GB_NS_PER_ITEM, -1},
    };
    gb_record r;
    sample_record(&r, "copy", 1024, 0, 0, 0);
    double ns[] = {1000, 1000, 1000};
    set_samples(&r, ns, 3, 1, 0);
    r.work = (gb_work){0};
    ck_assert_int_eq(gb_record_summarise(&r, metrics, 7, NULL), GB_OK);
    for (size_t i = 0; i < 7; i++) {
        ck_assert_msg(isnan(r.metrics[i].value), "%s is %g", metrics[i].name, r.metrics[i].value);
        ck_assert_str_ne(r.metrics[i].reason, "");
    }
    ck_assert_str_eq(r.metrics[4].reason, "the case does no floating-point operations");
    gb_record_free(&r);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("record_summary");
    use_environment_locale(tcase);
    tcase_add_test(tcase, TIM_01_no_accepted_sample_is_a_failed_record_with_the_number_rejected);
    tcase_add_test(tcase, without_samples_a_skipped_record_keeps_its_reason);
    tcase_add_test(tcase, TIM_14_a_time_of_zero_has_no_rate_and_says_why);
    tcase_add_test(tcase, TIM_18_one_sample_has_no_spread_and_every_key);
    tcase_add_test(tcase, TIM_13_a_case_that_failed_was_wrong_or_skipped_has_no_value_to_win_with);
    tcase_add_test(tcase, flags_follow_from_the_samples);
    tcase_add_test(tcase, metrics_divide_what_was_counted_by_the_time_of_the_sample_or_of_a_part);
    tcase_add_test(tcase, a_share_is_a_part_over_the_whole_in_percent);
    tcase_add_test(tcase, metrics_of_percentiles_exist_where_the_percentile_does);
    tcase_add_test(tcase, a_level_keeps_its_value);
    tcase_add_test(tcase, metrics_of_stretches_exist_where_there_are_seconds);
    tcase_add_test(tcase, what_is_not_counted_has_no_rate_and_says_why);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("record_summary", add_cases)
