/* Verdicts on pairs of cases: how sure they are, and what is no verdict. */
#include "unit/compare_runs_fixture.h"

START_TEST(a_run_without_values_passes_no_gate)
{
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    how.gate = true;
    for (uint32_t i = 0; i < 3; i++) {
        run_metric(run_add(&a, "x", 1, i, 10), "m", "1/s", true, 100);
        run_metric(run_add(&b, "x", 1, i, 10), "m", "1/s", true, i == 0 ? 0 : -1);
        run_metric(run_add(&a, "y", 2, i, 10), "m", "1/s", true, 0);
        run_metric(run_add(&b, "y", 2, i, 10), "m", "1/s", true, 100);
    }
    gb_comparison c = compared_with(&a, &b, NULL, 0, how);
    ck_assert_uint_eq(c.counts[GB_VERDICT_NOT_COMPARED], 2);
    ck_assert(gb_comparison_incomplete(&c, &how));
    ck_assert(!gb_comparison_decided(&c));
    ck_assert(c.items[0].no_value && !c.items[1].no_value);
    char *text = text_of(&c, false);
    says(text, "The gate fails: cases are missing or without a figure in the new run, and not "
               "every case is decided");
    free(text);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_17_fewer_than_three_replicates_are_insufficient)
{
    for (uint32_t n = 1; n <= 3; n++) {
        run_case(&a, "x", (int)n, n, 100, 0.0001);
        run_case(&b, "x", (int)n, 5, 200, 0.0001);
        run_case(&a, "y", (int)n + 10, 5, 100, 0.0001);
        run_case(&b, "y", (int)n + 10, n, 200, 0.0001);
    }
    gb_comparison c = compared(&a, &b);
    for (size_t i = 0; i < c.n; i++) {
        bool enough = c.items[i].n_a >= 3 && c.items[i].n_b >= 3;
        ck_assert_int_eq(c.items[i].verdict, enough ? GB_VERDICT_SLOWER : GB_VERDICT_INSUFFICIENT);
        ck_assert(near(c.items[i].change, 1, 1e-9)); /* the figure is shown all the same */
    }
    ck_assert_uint_eq(c.counts[GB_VERDICT_INSUFFICIENT], 4);
    ck_assert(!gb_comparison_decided(&c));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_18_every_verdict_that_is_not_fine_says_what_to_do)
{
    both_times("slower", 1, 5, 100, 200, 0.001);
    both_times("open", 2, 3, 100, 103, 0.05);
    both_times("few", 3, 2, 100, 100, 0.001);
    run_case(&a, "gone", 4, 3, 100, 0.001);
    run_case(&b, "fresh", 5, 3, 100, 0.001);
    both_times("changed", 6, 3, 100, 100, 0.001);
    redefine(&b, "changed");
    run_case(&a, "broken", 7, 3, 100, 0.001);
    run_fail(run_add(&b, "broken", 7, 0, 100), GB_STATUS_FAILED, "launch failed");
    gb_comparison c = compared(&a, &b);
    char *text = text_of(&c, false);
    ck_assert_uint_eq(c.n, 7);
    for (size_t i = 0; i < c.n; i++) {
        ck_assert_msg(c.items[i].next[0] != '\0', "%s", c.items[i].case_id);
        ck_assert_ptr_null(strchr(c.items[i].next, '\n'));
        says(text, c.items[i].next);
    }
    free(text);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(an_open_case_says_how_many_replicates_would_decide_it)
{
    both_times("x", 1, 3, 100, 105, 0.02);
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_INCONCLUSIVE);
    ck_assert_uint_gt(c.items[0].needed, 3);
    ck_assert_uint_lt(c.items[0].needed, 30);
    char part[40];
    snprintf(part, sizeof part, "measure %u replicates a side", c.items[0].needed);
    says(c.items[0].next, part);
    gb_comparison_free(&c);
}
END_TEST

/* Whatever the values are: what has not decided is no advice. */
START_TEST(CMP_18_the_advice_is_more_than_what_there_is)
{
    int open = 0;
    for (int i = 0; i < 400; i++) {
        char id[16];
        snprintf(id, sizeof id, "x%d", i);
        const uint32_t n = 3 + (uint32_t)i % 4;
        run_case(&a, id, i, n, 100, 0.001); /* spreads that differ: fewer degrees of freedom */
        run_case(&b, id, i, n, 96 + i % 50 * 0.25, 0.001 * (1 + i % 37));
    }
    both_times("spread", 500, 3, 100, 100.01, 0.4);
    gb_comparison c = compared(&a, &b);
    for (size_t i = 0; i < c.n; i++) {
        const gb_compared *item = &c.items[i];
        if (item->verdict == GB_VERDICT_INCONCLUSIVE && item->needed > 0) {
            open++;
            ck_assert_msg(item->needed > item->n_a && item->needed > item->n_b, "%s: %s",
                          item->case_id, item->next);
        }
    }
    ck_assert_int_gt(open, 20);
    says(c.items[400].next, "they differ by too much among themselves");
    gb_comparison_free(&c);
}
END_TEST

START_TEST(TIM_06_times_that_are_no_results_get_no_verdict)
{
    static const gb_flag flags[] = {GB_FLAG_EMULATED, GB_FLAG_IMPLAUSIBLE, GB_FLAG_PROFILED,
                                    GB_FLAG_SYNCHRONOUS_LAUNCHES};
    enum { FLAGS = sizeof flags / sizeof flags[0] };
    both_times("good", 1, 3, 100, 100, 0.001);
    for (int i = 0; i < 2 * FLAGS; i++) {
        char id[16];
        snprintf(id, sizeof id, "x%d", i);
        const size_t n_a = a.results.n, n_b = b.results.n;
        both_times(id, 2 + i, 3, 100, 200, 0.001);
        b.results.records[n_b].flags = GB_BIT(flags[i / 2]);
        a.results.records[n_a].flags = i % 2 == 1 ? GB_BIT(flags[i / 2]) : 0;
    }
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    how.gate = true;
    gb_comparison c = compared_with(&a, &b, NULL, 0, how);
    ck_assert_uint_eq(c.counts[GB_VERDICT_NOT_COMPARED], 2 * FLAGS);
    ck_assert(!gb_comparison_regressed(&c));
    ck_assert(gb_comparison_incomplete(&c, &how)); /* figures became none */
    says(c.items[5].reason, "no figure in the new run: profiled: its times are no results");
    gb_comparison_free(&c);
    for (size_t i = 0; i < a.results.n; i++) { /* none before either: nothing is lost */
        if (b.results.records[i].flags != 0)
            a.results.records[i].flags = b.results.records[i].flags;
    }
    c = compared_with(&a, &b, NULL, 0, how);
    ck_assert_uint_eq(c.counts[GB_VERDICT_NOT_COMPARED], 2 * FLAGS);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_10_a_gain_never_fails_but_a_huge_one_is_to_be_checked)
{
    both_times("some", 1, 5, 150, 100, 0.001);
    both_times("huge", 2, 5, 500, 100, 0.001);
    both_rates("unchecked", 3, 5, 1e9, 3e9, 0.001);
    b.results.records[b.results.n - 1].verified = -1;
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.counts[GB_VERDICT_FASTER], 3);
    ck_assert(!gb_comparison_regressed(&c));
    ck_assert(!c.items[0].check && c.items[1].check && c.items[2].check);
    says(c.items[1].reason, "check this: 5 times better; answers verified on both sides");
    says(c.items[2].reason, "NOT verified in the new run");
    gb_comparison_free(&c);
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    how.both_directions = true;
    how.suspicious = 10;
    c = compared_with(&a, &b, NULL, 0, how);
    ck_assert(gb_comparison_regressed(&c));
    ck_assert(!c.items[1].check);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(TIM_17_two_groups_of_samples_are_unstable)
{
    both_times("x", 1, 3, 11, 750, 0.001);
    for (size_t i = 0; i < b.results.n; i++) {
        gb_record *r = &b.results.records[i];
        r->flags = GB_BIT(GB_FLAG_BIMODAL);
        r->time.modes[0] = 11;
        r->time.modes[1] = 750;
        r->time.mode_counts[0] = 3;
        r->time.mode_counts[1] = 7;
    }
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_UNSTABLE);
    says(c.items[0].reason, "in the new run: groups of 3 samples at 11.0 ns and 7 at 750 ns");
    ck_assert(!gb_comparison_regressed(&c));
    gb_comparison_free(&c);
    /* One of three may be a false alarm; the spread between replicates tells. */
    b.results.records[0].flags = b.results.records[1].flags = 0;
    c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(TIM_13_failed_and_skipped_cases_never_win)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    run_case(&b, "x", 1, 2, 1, 0.001);
    run_fail(run_add(&b, "x", 1, 2, 0.001), GB_STATUS_WRONG, "3 of 4 are wrong");
    run_case(&a, "y", 2, 3, 100, 0.001);
    gb_record *skipped = run_add(&b, "y", 2, 0, 1);
    run_fail(skipped, GB_STATUS_SKIPPED, "no such memory here");
    both_times("z", 3, 3, 100, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.counts[GB_VERDICT_NOT_COMPARED], 2);
    ck_assert_uint_eq(c.counts[GB_VERDICT_SAME], 1);
    ck_assert(isnan(c.items[0].change) && isnan(c.items[1].change));
    says(c.items[0].reason, "wrong in the new run: 3 of 4 are wrong");
    says(c.items[1].reason, "skipped in the new run: no such memory here");
    gb_comparison_free(&c);
}
END_TEST

START_TEST(a_coarse_timer_makes_no_difference_certain)
{
    for (uint32_t i = 0; i < 5; i++) {
        run_add(&a, "x", 1, i, 100)->resolution_ns = 20;
        run_add(&b, "x", 1, i, 103)->resolution_ns = 20;
    }
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_INCONCLUSIVE);
    gb_comparison_free(&c);
    for (size_t i = 0; i < 5; i++) { /* many iterations a sample make it fine */
        a.results.records[i].iterations_per_sample = 1000;
        b.results.records[i].iterations_per_sample = 1000;
    }
    c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(a_time_of_zero_is_not_compared)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    for (uint32_t i = 0; i < 3; i++) {
        run_add(&b, "x", 1, i, 0);
    }
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_NOT_COMPARED);
    says(c.items[0].reason, "no value in the new run");
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_20_another_definition_gets_no_verdict)
{
    both_times("x", 1, 3, 100, 200, 0.001);
    both_times("y", 2, 3, 100, 200, 0.001);
    redefine(&b, NULL);
    json_object_set_new(b.results.records[3].params, "extra", json_integer(7));
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.counts[GB_VERDICT_DEFINITION], 2);
    says(c.items[0].reason, "another version of the kernel");
    says(c.items[1].reason, "other parameters");
    ck_assert(isnan(c.items[0].change));
    ck_assert(!gb_comparison_regressed(&c));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(sessions_are_suspected_at_most_and_only_beyond_the_floor)
{
    both_times("x", 1, 5, 100, 105, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.evidence, GB_EVIDENCE_SESSIONS);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SUSPECT_SLOWER);
    says(c.items[0].next, "gpubench selftest");
    ck_assert(!gb_comparison_regressed(&c) && isnan(c.floor));
    gb_comparison_free(&c);
    json_t *device = json_array_get(json_object_get(a.results.document, "devices"), 0);
    json_object_set_new(device, "selftest", json_pack("{s:f}", "noise_floor", 0.04));
    c = compared(&a, &b);
    ck_assert(c.floor == 0.04);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME); /* 5 % < 2 % + 4 % */
    gb_comparison_free(&c);
    json_object_set_new(device, "selftest", json_pack("{s:f}", "noise_floor", 0.01));
    c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SUSPECT_SLOWER);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(one_half_of_a_pair_twice_is_no_pair)
{
    both_times("x", 1, 5, 100, 105, 0.001);
    run_pair(&b, &a); /* the baseline of this comparison is the half called new: still a pair */
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.evidence, GB_EVIDENCE_INTERLEAVED);
    gb_comparison_free(&c);
    json_t *pair = json_object_get(json_object_get(a.results.document, "run"), "pair");
    json_object_set_new(pair, "role", json_string("baseline"));
    c = compared(&a, &b);
    ck_assert_int_eq(c.evidence, GB_EVIDENCE_SESSIONS);
    gb_comparison_free(&c);
    json_object_set_new(pair, "role", json_string("new"));
    json_object_set_new(pair, "id", json_string("another pair"));
    c = compared(&a, &b);
    ck_assert_int_eq(c.evidence, GB_EVIDENCE_SESSIONS);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(a_repeat_confirms_or_withdraws_a_verdict)
{
    both_times("x", 1, 5, 100, 105, 0.001);
    both_times("y", 2, 5, 100, 105, 0.001);
    made_run again_a = run_open("c", GPU), again_b = run_open("d", GPU);
    run_pair(&again_a, &again_b);
    run_case(&again_a, "x", 1, 5, 100, 0.001);
    run_case(&again_b, "x", 1, 5, 105, 0.001);
    run_case(&again_a, "y", 2, 5, 100, 0.001);
    run_case(&again_b, "y", 2, 5, 100, 0.001);
    gb_comparison first = compared(&a, &b), second = compared(&again_a, &again_b);
    ck_assert_uint_eq(first.counts[GB_VERDICT_SLOWER], 2);
    gb_comparison_confirm(&first, &second);
    ck_assert_uint_eq(first.counts[GB_VERDICT_SLOWER], 1);
    ck_assert(first.items[0].confirmed && !first.items[1].confirmed);
    ck_assert_int_eq(first.items[1].verdict, GB_VERDICT_INCONCLUSIVE);
    says(first.items[1].reason, "it was slower, but a repeat says same");
    /* what is to be done is that of the new verdict */
    ck_assert_str_eq(first.items[1].next, gb_verdict_next(GB_VERDICT_INCONCLUSIVE));
    ck_assert_str_eq(first.items[0].next, gb_verdict_next(GB_VERDICT_SLOWER));
    gb_comparison_free(&first);
    gb_comparison_free(&second);
    runs_close(&again_a, &again_b);
}
END_TEST

START_TEST(what_no_repeat_confirms_is_not_slower)
{
    both_times("x", 1, 5, 100, 105, 0.001);
    made_run again_a = run_open("c", GPU), again_b = run_open("d", GPU);
    run_pair(&again_a, &again_b);
    run_case(&again_a, "y", 2, 5, 100, 0.001);
    run_case(&again_b, "y", 2, 5, 105, 0.001);
    gb_comparison first = compared(&a, &b), second = compared(&again_a, &again_b);
    ck_assert(gb_comparison_regressed(&first));
    gb_comparison_confirm(&first, &second);
    ck_assert(!gb_comparison_regressed(&first) && !first.items[0].confirmed);
    ck_assert_int_eq(first.items[0].verdict, GB_VERDICT_INCONCLUSIVE);
    says(first.items[0].reason, "it was slower, but the repeat has no figure of it");
    gb_comparison_free(&first);
    first = compared(&a, &b);
    gb_comparison_confirm(&first, NULL);
    ck_assert_uint_eq(first.counts[GB_VERDICT_SLOWER], 0);
    says(first.items[0].reason, "the repeat came to nothing");
    gb_comparison_free(&first);
    gb_comparison_free(&second);
    runs_close(&again_a, &again_b);
}
END_TEST

START_TEST(the_worst_come_first)
{
    static const double times[] = {100, 103, 130, 110, 90, 100};
    for (int n = 0; n < 6; n++) {
        both_times("x", n, 5, 100, times[n], 0.0001);
    }
    run_case(&a, "gone", 7, 5, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    size_t *order = gb_comparison_order(&c);
    static const size_t wanted[] = {2, 3, 1, 6, 4, 0, 5};
    for (size_t i = 0; i < 7; i++) {
        ck_assert_uint_eq(order[i], wanted[i]);
    }
    free(order);
    gb_comparison_free(&c);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *pair = tcase_create("in turns");
    tcase_add_checked_fixture(pair, open_pair, close_runs);
    TCase *sessions = tcase_create("sessions");
    tcase_add_checked_fixture(sessions, open_runs, close_runs);
    tcase_add_test(pair, a_run_without_values_passes_no_gate);
    tcase_add_test(pair, CMP_17_fewer_than_three_replicates_are_insufficient);
    tcase_add_test(pair, CMP_18_every_verdict_that_is_not_fine_says_what_to_do);
    tcase_add_test(pair, an_open_case_says_how_many_replicates_would_decide_it);
    tcase_add_test(pair, TIM_06_times_that_are_no_results_get_no_verdict);
    tcase_add_test(pair, CMP_18_the_advice_is_more_than_what_there_is);
    tcase_add_test(pair, CMP_10_a_gain_never_fails_but_a_huge_one_is_to_be_checked);
    tcase_add_test(pair, TIM_17_two_groups_of_samples_are_unstable);
    tcase_add_test(pair, TIM_13_failed_and_skipped_cases_never_win);
    tcase_add_test(pair, a_coarse_timer_makes_no_difference_certain);
    tcase_add_test(pair, a_time_of_zero_is_not_compared);
    tcase_add_test(pair, CMP_20_another_definition_gets_no_verdict);
    tcase_add_test(pair, one_half_of_a_pair_twice_is_no_pair);
    tcase_add_test(pair, a_repeat_confirms_or_withdraws_a_verdict);
    tcase_add_test(pair, what_no_repeat_confirms_is_not_slower);
    tcase_add_test(pair, the_worst_come_first);
    tcase_add_test(sessions, sessions_are_suspected_at_most_and_only_beyond_the_floor);
    suite_add_tcase(suite, pair);
    suite_add_tcase(suite, sessions);
}

GB_CHECK_MAIN("compare", add_cases)
