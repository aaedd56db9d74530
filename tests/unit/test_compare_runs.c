/* Which case is compared with which, and what a gate makes of one that is missing. */
#include "unit/compare_runs_fixture.h"

START_TEST(CMP_01_what_both_have_is_compared_and_the_rest_listed)
{
    both("x", 1);
    run_case(&a, "x", 2, 3, 100, 0.001);
    run_case(&a, "x", 3, 3, 100, 0.001);
    run_case(&b, "x", 4, 3, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 4);
    ck_assert_int_eq(find(&c, "x[n=1]")->verdict, GB_VERDICT_SAME);
    ck_assert_int_eq(find(&c, "x[n=2]")->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert_int_eq(find(&c, "x[n=3]")->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert_int_eq(find(&c, "x[n=4]")->verdict, GB_VERDICT_ONLY_NEW);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_01_nothing_in_common_is_an_error)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    run_case(&b, "y", 1, 3, 100, 0.001);
    refused(&a, &b, HOW(.gate = false), GB_INVALID,
            "no case in common: 1 in the baseline, 1 in the");
}
END_TEST

START_TEST(CMP_02_missing_and_failed_cases_fail_a_gate)
{
    both("x", 1);
    gb_comparison c = compared(&a, &b);
    gb_compare_options how = HOW(.gate = true), allow = HOW(.gate = true, .allow_missing = true);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    gb_comparison_free(&c);
    run_case(&b, "fresh", 2, 3, 100, 0.001); /* reported, no failure */
    c = compared(&a, &b);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    gb_comparison_free(&c);
    run_case(&a, "gone", 3, 3, 100, 0.001);
    c = compared(&a, &b);
    ck_assert(gb_comparison_incomplete(&c, &how));
    ck_assert(!gb_comparison_incomplete(&c, &allow));
    ck_assert(!gb_comparison_regressed(&c));
    gb_comparison_free(&c);
    run_case(&a, "broken", 4, 3, 100, 0.001);
    run_fail(run_add(&b, "broken", 4, 0, 100), GB_STATUS_FAILED, "launch failed");
    c = compared(&a, &b);
    ck_assert_int_eq(find(&c, "broken[n=4]")->verdict, GB_VERDICT_NOT_COMPARED);
    ck_assert(gb_comparison_incomplete(&c, &allow));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_02_what_neither_side_can_do_fails_nothing)
{
    both("x", 1);
    run_fail(run_add(&a, "y", 2, 0, 100), GB_STATUS_SKIPPED, "not here");
    run_fail(run_add(&b, "y", 2, 0, 100), GB_STATUS_SKIPPED, "not here");
    run_fail(run_add(&a, "z", 3, 0, 100), GB_STATUS_FAILED, "it used to fail");
    run_case(&b, "z", 3, 3, 100, 0.001);
    gb_compare_options how = HOW(.gate = true);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.counts[GB_VERDICT_NOT_COMPARED], 2);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_05_a_filter_that_matches_nothing_names_what_is_near)
{
    both("copy", 1);
    both("launch", 2);
    static const char *const good[] = {"launch"}, *const typo[] = {"launhc"},
                             *const far[] = {"launch", "zzzzzzzz"}, *const pattern[] = {"c*1]"};
    gb_comparison c = compared_with(&a, &b, NULL, 0, HOW(.filters = good, .n_filters = 1));
    ck_assert_uint_eq(c.n, 1);
    gb_comparison_free(&c);
    c = compared_with(&a, &b, NULL, 0, HOW(.filters = pattern, .n_filters = 1));
    ck_assert_uint_eq(c.n, 1);
    ck_assert_str_eq(c.items[0].case_id, "copy[n=1]");
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.filters = typo, .n_filters = 1), GB_INVALID, "did you mean 'launch'?");
    refused(&a, &b, HOW(.filters = far, .n_filters = 2), GB_INVALID,
            "'zzzzzzzz' matches no case of either run; there are benchmarks copy, launch");
}
END_TEST

START_TEST(CMP_13_aliases_carry_a_case_over_its_new_name)
{
    run_case(&a, "old", 1, 3, 100, 0.001);
    run_case(&b, "fresh", 1, 3, 110, 0.001);
    json_t *aliases = json_object_get(json_object_get(b.results.document, "suite"), "aliases");
    json_object_set_new(aliases, "old", json_string("fresh"));
    run_pair(&a, &b);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 1);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    char *text = text_of(&c, true);
    says(text, "fresh[n=1] (was old[n=1])");
    free(text);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_13_without_an_alias_a_rename_is_two_cases_and_a_hint)
{
    both("x", 7);
    run_case(&a, "old", 1, 3, 100, 0.001);
    run_case(&b, "fresh", 1, 3, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 3);
    const gb_compared *old = find(&c, "old[n=1]"), *fresh = find(&c, "fresh[n=1]");
    ck_assert_int_eq(old->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert_int_eq(fresh->verdict, GB_VERDICT_ONLY_NEW);
    says(old->reason, "renamed? 'fresh[n=1]'");
    says(old->next, "'aliases: [old]' to benchmark 'fresh'");
    says(fresh->reason, "renamed? 'old[n=1]'");
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_14_aliases_that_make_two_cases_one_are_an_error)
{
    run_case(&a, "old", 1, 3, 100, 0.001);
    both("fresh", 1);
    json_t *aliases = json_object_get(json_object_get(b.results.document, "suite"), "aliases");
    json_object_set_new(aliases, "old", json_string("fresh"));
    refused(&a, &b, HOW(.gate = false), GB_INVALID, "which one to compare with is not known");
}
END_TEST

START_TEST(unfinished_runs_are_compared_and_marked)
{
    both("x", 1);
    a.results.complete = false;
    run_fail(run_add(&a, "x", 1, 3, 100), GB_STATUS_NOT_RUN, "interrupted");
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME);
    ck_assert(warned(&c, "incomplete", "the baseline did not finish"));
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.gate = true), GB_INVALID, "the baseline did not finish");
    a.results.complete = true;
    b.results.complete = false;
    c = compared_with(&a, &b, NULL, 0, HOW(.gate = true));
    ck_assert(warned(&c, "incomplete", "the new run did not finish"));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(a_run_is_not_compared_with_itself)
{
    gb_results others[1];
    both("x", 1);
    json_object_set_new(json_object_get(b.results.document, "run"), "id", json_string("a"));
    gb_comparison c = compared(&a, &b);
    ck_assert(warned(&c, "same-run", "run a is given twice"));
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.gate = true), GB_INVALID, "run a is given twice");
    made_run other = run_open("c", GPU);
    run_case(&other, "x", 1, 3, 100, 0.001);
    others[0] = other.results;
    gb_error err = {0};
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    ck_assert_int_eq(gb_compare_results(&a.results, &b.results, others, 1, &how, &c, &err),
                     GB_INVALID);
    says(err.message, "baseline and new run are one: run a is given twice");
    gb_comparison_free(&c);
    gb_results_free(&other.results);
}
END_TEST

START_TEST(CMP_13_a_filter_that_fits_two_names_offers_the_rename)
{
    static const char *const filters[] = {"copy"};
    both("x", 7);
    run_case(&a, "copy_old", 1, 3, 100, 0.001);
    run_case(&b, "copy_new", 1, 3, 100, 0.001);
    refused(&a, &b, HOW(.filters = filters, .n_filters = 1), GB_INVALID,
            "renamed? 'copy_new[n=1]' of the new run is defined alike; if so, add 'aliases: "
            "[copy_old]' to benchmark 'copy_new'");
}
END_TEST

START_TEST(a_gate_with_two_sessions_says_that_it_has_no_teeth)
{
    both("x", 1);
    gb_comparison c = compared_with(&a, &b, NULL, 0, HOW(.gate = true));
    ck_assert(warned(&c, "gate-without-teeth", "two sessions tell no regression"));
    gb_comparison_free(&c);
    c = compared(&a, &b);
    ck_assert(!warned(&c, "gate-without-teeth", ""));
    gb_comparison_free(&c);
    run_pair(&a, &b);
    c = compared_with(&a, &b, NULL, 0, HOW(.gate = true));
    ck_assert(!warned(&c, "gate-without-teeth", ""));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(halves_the_wrong_way_round_are_told)
{
    both("x", 1);
    run_pair(&a, &b);
    gb_comparison c = compared(&a, &b);
    ck_assert(!warned(&c, "reversed", ""));
    gb_comparison_free(&c);
    run_pair(&b, &a);
    c = compared(&a, &b);
    ck_assert(warned(&c, "reversed", "the wrong way round"));
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.gate = true), GB_INVALID, "the wrong way round");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *cases = tcase_create("cases");
    tcase_add_checked_fixture(cases, open_runs, close_runs);
    tcase_add_test(cases, CMP_01_what_both_have_is_compared_and_the_rest_listed);
    tcase_add_test(cases, CMP_01_nothing_in_common_is_an_error);
    tcase_add_test(cases, CMP_02_missing_and_failed_cases_fail_a_gate);
    tcase_add_test(cases, CMP_02_what_neither_side_can_do_fails_nothing);
    tcase_add_test(cases, CMP_05_a_filter_that_matches_nothing_names_what_is_near);
    tcase_add_test(cases, CMP_13_aliases_carry_a_case_over_its_new_name);
    tcase_add_test(cases, CMP_13_without_an_alias_a_rename_is_two_cases_and_a_hint);
    tcase_add_test(cases, CMP_14_aliases_that_make_two_cases_one_are_an_error);
    tcase_add_test(cases, unfinished_runs_are_compared_and_marked);
    tcase_add_test(cases, a_run_is_not_compared_with_itself);
    tcase_add_test(cases, CMP_13_a_filter_that_fits_two_names_offers_the_rename);
    tcase_add_test(cases, a_gate_with_two_sessions_says_that_it_has_no_teeth);
    tcase_add_test(cases, halves_the_wrong_way_round_are_told);
    suite_add_tcase(suite, cases);
}

GB_CHECK_MAIN("compare_runs", add_cases)
