/* Several earlier runs as the baseline: which of them count, and what they tell. */
#include "reports/compare/internal.h"
#include "unit/compare_runs_fixture.h"

/* Nights of `factor` each, compared with the last of them. */
static gb_comparison nights(const double factors[], size_t n, double last, gb_results others[])
{
    gb_results_free(&a.results);
    gb_results_free(&b.results);
    open_runs();
    both_times("x", 1, 3, 100 * factors[0], 100 * last, 0.001);
    for (size_t i = 1; i < n; i++) {
        char id[32];
        snprintf(id, sizeof id, "night %zu", i);
        made_run other = run_open(id, GPU);
        run_case(&other, "x", 1, 3, 100 * factors[i], 0.001);
        others[i - 1] = other.results;
    }
    return compared_with(&a, &b, others, n - 1, HOW(.gate = false));
}

static void close_nights(gb_comparison *c, gb_results others[], size_t n)
{
    gb_comparison_free(c);
    for (size_t i = 0; i + 1 < n; i++) {
        gb_results_free(&others[i]);
    }
}

START_TEST(earlier_runs_tell_how_far_runs_differ)
{
    static const double quiet[] = {1, 1.002, 0.998, 1.001, 0.999};
    static const double loud[] = {1, 1.06, 0.95, 1.03, 0.98};
    gb_results others[8];
    gb_comparison c = nights(quiet, 5, 1.04, others);
    ck_assert_int_eq(c.evidence, GB_EVIDENCE_BASELINES);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert(gb_comparison_regressed(&c));
    ck_assert_uint_eq(c.items[0].n_a, 5);
    close_nights(&c, others, 5);
    c = nights(loud, 5, 1.04, others);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_INCONCLUSIVE);
    close_nights(&c, others, 5);
    c = nights(quiet, 5, 1.001, others);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME);
    close_nights(&c, others, 5);
    c = nights(quiet, 2, 1.04, others);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_INSUFFICIENT);
    says(c.items[0].reason, "2 earlier runs");
    close_nights(&c, others, 2);
}
END_TEST

/* Five runs of one mean, whose replicates are 5 % apart: that the means agree is luck, and what the
 * replicates explain counts, of each run. */
START_TEST(runs_that_agree_by_luck_are_not_taken_for_quiet_ones)
{
    gb_results others[4];
    run_case(&a, "x", 1, 3, 100, 0.05);
    run_case(&b, "x", 1, 3, 106, 0);
    for (int i = 0; i < 4; i++) {
        made_run other = run_open((const char *[]){"1", "2", "3", "4"}[i], GPU);
        run_case(&other, "x", 1, 3, 100, 0.05);
        others[i] = other.results;
    }
    gb_comparison c = compared_with(&a, &b, others, 4, HOW(.gate = false));
    /* the variance of a mean of three is 0.05^2 / 3, of five runs and none of the new one */
    const double within = 5 * (0.05 * 0.05 / 3) / 6;
    ck_assert_msg(near(c.items[0].se, sqrt(within * (1 + 1 / 5.0)), 1e-6), "%g", c.items[0].se);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_INCONCLUSIVE);
    close_nights(&c, others, 5);
}
END_TEST

START_TEST(one_run_counts_once)
{
    both("x", 1);
    made_run other = run_open("c", GPU);
    run_case(&other, "x", 1, 3, 100, 0.001);
    gb_results twice[] = {other.results, other.results};
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    gb_comparison c;
    gb_error err = {0};
    ck_assert_int_eq(gb_compare_results(&a.results, &b.results, twice, 2, &how, &c, &err),
                     GB_INVALID);
    says(err.message, "run c is given twice");
    gb_comparison_free(&c);
    twice[1] = b.results;
    ck_assert_int_eq(gb_compare_results(&a.results, &b.results, twice, 2, &how, &c, &err),
                     GB_INVALID);
    says(err.message, "run b is given twice");
    gb_comparison_free(&c);
    gb_results_free(&other.results);
}
END_TEST

/* Four good nights beside the first one, which a case leaves out in its own way. */
static gb_comparison after_a_bad_first(double last, gb_results others[4], gb_compare_options how)
{
    static const double factors[] = {1.002, 0.998, 1.001, 0.999};
    both("y", 9);
    run_case(&b, "x", 1, 3, 100 * last, 0.001);
    for (int i = 0; i < 4; i++) {
        char id[32];
        snprintf(id, sizeof id, "night %d", i);
        made_run other = run_open(id, GPU);
        run_case(&other, "y", 9, 3, 100, 0.001);
        run_case(&other, "x", 1, 3, 100 * factors[i], 0.001);
        others[i] = other.results;
    }
    return compared_with(&a, &b, others, 4, how);
}

static void expect_slower_by_four(void)
{
    gb_results others[4];
    gb_comparison c = after_a_bad_first(1.5, others, HOW(.gate = true));
    const gb_compared *x = find(&c, "x[n=1]");
    ck_assert_msg(x->verdict == GB_VERDICT_SLOWER, "%s: %s", gb_verdict_word(x->verdict),
                  x->reason);
    ck_assert_uint_eq(x->n_a, 4);
    ck_assert(near(x->change, 0.5, 0.001));
    ck_assert(gb_comparison_regressed(&c));
    ck_assert_uint_eq(c.counts[GB_VERDICT_ONLY_NEW], 0);
    close_nights(&c, others, 5);
}

START_TEST(CMP_02_a_case_that_failed_in_the_first_baseline_alone_is_judged)
{
    run_fail(run_add(&a, "x", 1, 0, 100), GB_STATUS_FAILED, "a bad night");
    expect_slower_by_four();
}
END_TEST

START_TEST(CMP_02_a_case_missing_in_the_first_baseline_alone_is_judged)
{
    expect_slower_by_four();
}
END_TEST

START_TEST(CMP_20_a_case_of_another_definition_in_the_first_baseline_alone_is_judged)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    redefine(&a, NULL);
    expect_slower_by_four();
}
END_TEST

START_TEST(TIM_17_a_case_of_two_groups_in_the_first_baseline_alone_is_judged)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    for (size_t i = 0; i < a.results.n; i++) {
        gb_record *r = &a.results.records[i];
        r->flags = GB_BIT(GB_FLAG_BIMODAL);
        r->time.mode_counts[0] = r->time.mode_counts[1] = 5;
    }
    expect_slower_by_four();
}
END_TEST

START_TEST(a_case_without_a_value_in_the_first_baseline_alone_is_judged)
{
    for (uint32_t i = 0; i < 3; i++) {
        run_add(&a, "x", 1, i, 0);
    }
    expect_slower_by_four();
}
END_TEST

START_TEST(CMP_02_a_case_of_later_baselines_alone_is_missed)
{
    gb_results others[4];
    gb_compare_options how = HOW(.gate = true);
    both("z", 5);
    gb_comparison c = after_a_bad_first(1, others, how);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    close_nights(&c, others, 5);
    runs_close(&a, &b);
    open_runs();
    made_run fourth = run_open("fourth", GPU);
    made_run third = run_open("third", GPU);
    both("y", 9);
    run_case(&third, "y", 9, 3, 100, 0.001);
    run_case(&third, "gone", 1, 3, 100, 0.001);
    run_case(&fourth, "y", 9, 3, 100, 0.001);
    run_case(&fourth, "gone", 1, 3, 100, 0.001);
    gb_results two[] = {third.results, fourth.results};
    c = compared_with(&a, &b, two, 2, how);
    ck_assert_uint_eq(c.counts[GB_VERDICT_ONLY_BASELINE], 1);
    ck_assert_int_eq(find(&c, "gone[n=1]")->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert(gb_comparison_incomplete(&c, &how));
    says(gb_comparison_headline(&c), "The gate fails: cases are missing in the new run");
    gb_comparison_free(&c);
    runs_close(&third, &fourth);
}
END_TEST

START_TEST(an_earlier_run_of_another_unit_does_not_count)
{
    static const double quiet[] = {1, 1.002, 0.998, 1.001, 3};
    gb_results others[8];
    gb_comparison c = nights(quiet, 5, 1.04, others);
    ck_assert_int_ne(c.items[0].verdict, GB_VERDICT_SLOWER);
    gb_comparison_free(&c);
    json_t *last = json_array_get(json_object_get(others[3].document, "devices"), 0);
    json_object_set_new(last, "uuid", json_string("GPU-2"));
    c = compared_with(&a, &b, others, 4, HOW(.gate = false));
    ck_assert(warned(&c, "other-unit", "earlier run night 4 is of another unit"));
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert_uint_eq(c.items[0].n_a, 4);
    ck_assert_uint_eq(c.n_baselines, 4);
    gb_comparison_free(&c);
    /* Nor does the first one alone, when the rest is of the new run's unit. */
    json_object_set_new(last, "uuid", json_string("GPU-1"));
    json_object_set_new(device_of(&a), "uuid", json_string("GPU-2"));
    c = compared_with(&a, &b, others, 3, HOW(.gate = false));
    ck_assert(warned(&c, "other-unit", "earlier run a is of another unit"));
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert_uint_eq(c.items[0].n_a, 3);
    ck_assert_ptr_eq(c.a, &others[0]);
    gb_comparison_free(&c);
    json_object_set_new(device_of(&a), "uuid", json_string("GPU-1"));
    /* The new run of another unit: that, and not two sessions, is why there is no verdict. */
    json_object_set_new(device_of(&b), "uuid", json_string("GPU-3"));
    c = compared_with(&a, &b, others, 3, HOW(.gate = false));
    ck_assert_uint_eq(c.counts[GB_VERDICT_SLOWER], 0);
    ck_assert_uint_eq(c.counts[GB_VERDICT_SUSPECT_SLOWER], 1);
    says(gb_comparison_headline(&c), "Slower on another unit of the same model");
    gb_buf text = {0};
    gb_comparison_rule(&c, &text);
    says(text.data, "two units of one model");
    gb_buf_free(&text);
    close_nights(&c, others, 5);
}
END_TEST

START_TEST(CMP_12_a_pinned_reference_sees_slow_decay_and_a_rolling_window_does_not)
{
    double factors[21];
    gb_results others[8];
    for (int i = 0; i <= 20; i++) {
        factors[i] = pow(1.01, i);
    }
    gb_comparison c = nights(factors, 1, factors[20], others);
    ck_assert(near(c.items[0].change, 0.22, 0.001));
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SUSPECT_SLOWER);
    close_nights(&c, others, 1);
    for (int night = 6; night <= 20; night++) {
        c = nights(factors + night - 6, 6, factors[night], others);
        ck_assert_int_eq(c.evidence, GB_EVIDENCE_BASELINES);
        ck_assert_int_ne(c.items[0].verdict, GB_VERDICT_SLOWER);
        ck_assert(!gb_comparison_regressed(&c));
        close_nights(&c, others, 6);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *earlier = tcase_create("earlier runs");
    tcase_add_checked_fixture(earlier, open_runs, close_runs);
    tcase_add_test(earlier, earlier_runs_tell_how_far_runs_differ);
    tcase_add_test(earlier, runs_that_agree_by_luck_are_not_taken_for_quiet_ones);
    tcase_add_test(earlier, one_run_counts_once);
    tcase_add_test(earlier, CMP_02_a_case_that_failed_in_the_first_baseline_alone_is_judged);
    tcase_add_test(earlier, CMP_02_a_case_missing_in_the_first_baseline_alone_is_judged);
    tcase_add_test(earlier,
                   CMP_20_a_case_of_another_definition_in_the_first_baseline_alone_is_judged);
    tcase_add_test(earlier, TIM_17_a_case_of_two_groups_in_the_first_baseline_alone_is_judged);
    tcase_add_test(earlier, a_case_without_a_value_in_the_first_baseline_alone_is_judged);
    tcase_add_test(earlier, CMP_02_a_case_of_later_baselines_alone_is_missed);
    tcase_add_test(earlier, an_earlier_run_of_another_unit_does_not_count);
    tcase_add_test(earlier,
                   CMP_12_a_pinned_reference_sees_slow_decay_and_a_rolling_window_does_not);
    suite_add_tcase(suite, earlier);
}

GB_CHECK_MAIN("compare_earlier", add_cases)
