/* The metric of a case: its direction, its unit, and how large a change must be. */
#include "unit/compare_runs_fixture.h"

START_TEST(CMP_08_the_direction_is_the_metrics_own)
{
    both_rates("rate", 1, 5, 10e9, 8e9, 0.001);
    both_times("time", 2, 5, 1000, 1200, 0.001);
    both_rates("gain", 3, 5, 8e9, 10e9, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 3);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert_str_eq(c.items[0].metric, "bandwidth");
    ck_assert(near(c.items[0].change, -0.2, 1e-9) && c.items[0].higher_is_better);
    ck_assert_int_eq(c.items[1].verdict, GB_VERDICT_SLOWER);
    ck_assert(near(c.items[1].change, 0.2, 1e-9) && !c.items[1].higher_is_better);
    ck_assert_int_eq(c.items[2].verdict, GB_VERDICT_FASTER);
    ck_assert(near(c.items[2].change, 0.25, 1e-9));
    ck_assert(gb_comparison_regressed(&c));
    char *text = text_of(&c, false);
    says(text, "-20.0 %");
    says(text, "+20.0 %");
    ck_assert_ptr_null(strstr(text, "+-"));
    free(text);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_08_a_name_says_nothing_about_the_direction)
{
    /* A "latency" of which more is better, because its definition says so. */
    for (uint32_t i = 0; i < 5; i++) {
        run_metric(run_add(&a, "x", 1, i, 10), "latency", "1/s", true, 100 + 0.01 * i);
        run_metric(run_add(&b, "x", 1, i, 10), "latency", "1/s", true, 150 + 0.01 * i);
    }
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_FASTER);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_08_two_directions_of_one_metric_are_an_error)
{
    for (uint32_t i = 0; i < 3; i++) {
        run_metric(run_add(&a, "x", 1, i, 10), "m", "1/s", true, 100);
        run_metric(run_add(&b, "x", 1, i, 10), "m", "1/s", false, 100);
    }
    refused(&a, &b, HOW(.gate = false), GB_INVALID, "higher is better in the baseline and lower");
}
END_TEST

START_TEST(CMP_08_a_gate_for_a_metric_that_no_record_has_is_an_error)
{
    both_times("x", 1, 3, 1000, 1000, 0.001);
    run_gate(&b, "x", "bandwidth", 0.02);
    refused(&a, &b, HOW(.gate = false), GB_INVALID,
            "'bandwidth', which the baseline does not have");
}
END_TEST

START_TEST(a_metric_that_a_replicate_lacks_is_not_compared)
{
    for (uint32_t i = 0; i < 3; i++) {
        run_metric(run_add(&a, "x", 1, i, 10), "m", "1/s", true, 100 + 0.01 * i);
        run_metric(run_add(&b, "x", 1, i, 10), "m", "1/s", true,
                   i < 2 ? 50 + 0.01 * i : (double)NAN);
    }
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_NOT_COMPARED);
    ck_assert(c.items[0].no_value);
    ck_assert_str_eq(c.items[0].reason, "m has no value in 1 of 3 replicates of the new run");
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_06_values_are_compared_in_base_units)
{
    for (uint32_t i = 0; i < 5; i++) {
        run_metric(run_add(&a, "x", 1, i, 10), "latency", "ns", false, 990 + 0.1 * i);
        run_metric(run_add(&b, "x", 1, i, 10), "latency", "us", false, (1100 + 0.1 * i) / 1000);
    }
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert(near(c.items[0].change, 0.1111, 0.0001));
    ck_assert_str_eq(c.items[0].unit, "ns");
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_06_a_time_is_not_compared_with_a_rate)
{
    for (uint32_t i = 0; i < 5; i++) {
        run_metric(run_add(&a, "x", 1, i, 10), "m", "ns", true, 990);
        run_metric(run_add(&b, "x", 1, i, 10), "m", "B/s", true, 990);
    }
    refused(&a, &b, HOW(.gate = false), GB_INVALID, "'ns' in the baseline and in 'B/s' in the new");
}
END_TEST

START_TEST(CMP_09_a_change_is_new_minus_old_over_old)
{
    both_times("x", 1, 5, 100, 230, 0);
    gb_comparison c = compared(&a, &b);
    ck_assert(near(c.items[0].change, 1.3, 1e-12));
    char *text = text_of(&c, false);
    says(text, "+130.0 %");
    says(text, "(new - baseline) / baseline");
    free(text);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_09_a_threshold_is_strict)
{
    both_times("at", 1, 5, 100, 110, 0);
    both_times("above", 2, 5, 100, 110.01, 0);
    both_rates("rate at", 3, 5, 100, 90, 0);
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    how.threshold = 0.1;
    gb_comparison c = compared_with(&a, &b, NULL, 0, how);
    ck_assert_int_ne(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert_int_eq(c.items[1].verdict, GB_VERDICT_SLOWER);
    ck_assert_int_ne(c.items[2].verdict, GB_VERDICT_SLOWER);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_09_a_large_threshold_is_a_factor_either_way)
{
    static const double rates[] = {10, 49, 51, 199, 201};
    static const gb_verdict at_100[] = {GB_VERDICT_SLOWER, GB_VERDICT_SLOWER, GB_VERDICT_SAME,
                                        GB_VERDICT_SAME, GB_VERDICT_FASTER};
    run_pair(&a, &b);
    for (int n = 0; n < 5; n++) {
        both_rates("rate", n, 5, 100, rates[n], 0);
    }
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    how.threshold = 1;
    gb_comparison c = compared_with(&a, &b, NULL, 0, how);
    for (size_t n = 0; n < 5; n++) {
        ck_assert_int_eq(c.items[n].verdict, at_100[n]);
    }
    gb_comparison_free(&c);
    how.threshold = 4; /* a fifth of it: -80 % */
    c = compared_with(&a, &b, NULL, 0, how);
    ck_assert_uint_eq(c.counts[GB_VERDICT_SLOWER], 1);
    gb_comparison_free(&c);
    how.threshold = 0.7; /* no stricter than 50 %, which takes a fall as it is */
    c = compared_with(&a, &b, NULL, 0, how);
    ck_assert_uint_eq(c.counts[GB_VERDICT_SLOWER], 2);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(a_gate_of_the_suite_gives_metric_and_threshold)
{
    for (uint32_t i = 0; i < 5; i++) {
        gb_record *x = run_add(&a, "x", 1, i, 100 + 0.01 * i);
        gb_record *y = run_add(&b, "x", 1, i, 104 + 0.01 * i);
        run_metric(x, "other", "1/s", true, 7);
        run_metric(x, "bandwidth", "B/s", true, 100 - 0.01 * i);
        run_metric(y, "other", "1/s", true, 7);
        run_metric(y, "bandwidth", "B/s", true, 96 - 0.01 * i);
    }
    gb_comparison c = compared(&a, &b); /* without a gate: the first metric, at 2 % */
    ck_assert_str_eq(c.items[0].metric, "other");
    ck_assert(c.items[0].threshold == 0.02);
    gb_comparison_free(&c);
    run_gate(&b, "x", "bandwidth", 0.05);
    c = compared(&a, &b);
    ck_assert_str_eq(c.items[0].metric, "bandwidth");
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME);
    gb_comparison_free(&c);
    run_gate(&b, "x", "time", 0.03);
    c = compared(&a, &b);
    ck_assert_str_eq(c.items[0].metric, "time");
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    gb_comparison_free(&c);
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    how.threshold = 0.06;
    c = compared_with(&a, &b, NULL, 0, how);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME);
    gb_comparison_free(&c);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *metrics = tcase_create("metrics");
    tcase_add_checked_fixture(metrics, open_pair, close_runs);
    tcase_add_test(metrics, CMP_08_the_direction_is_the_metrics_own);
    tcase_add_test(metrics, CMP_08_a_name_says_nothing_about_the_direction);
    tcase_add_test(metrics, CMP_08_two_directions_of_one_metric_are_an_error);
    tcase_add_test(metrics, CMP_08_a_gate_for_a_metric_that_no_record_has_is_an_error);
    tcase_add_test(metrics, a_metric_that_a_replicate_lacks_is_not_compared);
    tcase_add_test(metrics, CMP_06_values_are_compared_in_base_units);
    tcase_add_test(metrics, CMP_06_a_time_is_not_compared_with_a_rate);
    tcase_add_test(metrics, CMP_09_a_change_is_new_minus_old_over_old);
    tcase_add_test(metrics, CMP_09_a_threshold_is_strict);
    tcase_add_test(metrics, CMP_09_a_large_threshold_is_a_factor_either_way);
    tcase_add_test(metrics, a_gate_of_the_suite_gives_metric_and_threshold);
    suite_add_tcase(suite, metrics);
}

GB_CHECK_MAIN("compare_metrics", add_cases)
