/* What a check of the history says, and what accept and prune do to it. */
#include "unit/history_fixture.h"

/* A spike of +20 % after 30 nights, with repeats at these factors, not in the history. */
static gb_night_verdict with_repeats(gb_history *history, const double factors[], size_t n)
{
    made runs[4];
    gb_results results[4];
    for (size_t i = 0; i < n; i++) {
        open_run(&runs[i], 31 + (int)i, "repeat", "550");
        add_case(&runs[i], "t", 1000 * factors[i], false);
        results[i] = runs[i].f.results;
    }
    gb_history_check_options options = {.repeats = results, .n_repeats = n};
    gb_history_report report;
    ck_assert_msg(gb_history_check(history, &options, &report, &err) == GB_OK, "%s", err.message);
    gb_night_verdict verdict = report.items[0].verdict;
    ck_assert(gb_history_regressed(&report) == (verdict == GB_NIGHT_SPIKE_SLOWER));
    gb_history_report_free(&report);
    for (size_t i = 0; i < n; i++)
        fixture_close(&runs[i].f);
    return verdict;
}

START_TEST(a_spike_is_suspect_until_fresh_runs_decide)
{
    gb_history *history = open_new();
    for (int night = 0; night < 30; night++)
        add_night(history, night, 1, "550");
    add_night(history, 30, 1.2, "550");
    ck_assert_int_eq(with_repeats(history, NULL, 0), GB_NIGHT_SUSPECT);
    ck_assert_int_eq(with_repeats(history, (double[]){1.2}, 1), GB_NIGHT_SUSPECT);
    ck_assert_int_eq(with_repeats(history, (double[]){1.2, 1.19}, 2), GB_NIGHT_SPIKE_SLOWER);
    ck_assert_int_eq(with_repeats(history, (double[]){1.001}, 1), GB_NIGHT_CLEARED);
    ck_assert_int_eq(with_repeats(history, (double[]){1.2, 1.0}, 2), GB_NIGHT_CLEARED);
    made other; /* a repeat of something else says nothing, and that is said */
    open_run(&other, 31, "repeat", "550");
    add_case(&other, "elsewhere", 1000, false);
    gb_history_check_options options = {.repeats = &other.f.results, .n_repeats = 1};
    gb_history_report report;
    ck_assert_int_eq(gb_history_check(history, &options, &report, &err), GB_INVALID);
    fixture_close(&other.f);
    gb_history_close(history);
}
END_TEST

START_TEST(repeats_in_the_history_decide_and_correct_the_night)
{
    gb_history *history = open_new();
    gb_history_added added;
    for (int night = 0; night < 30; night++)
        add_night(history, night, 1, "550");
    add_night(history, 30, 1.2, "550");
    for (int i = 0; i < 2; i++) {
        made m;
        open_run(&m, 31 + i, "repeat", "550");
        add_case(&m, "t", 1001 + i, false);
        ck_assert_msg(add_to(history, &m.f.results, "run-030", &added) == GB_OK, "%s", err.message);
        fixture_close(&m.f);
    }
    ck_assert_uint_eq(nights_of(history, "t"), 31); /* repeats are no nights */
    ck_assert_int_eq(verdict_of(history, "run-030"), GB_NIGHT_CLEARED);
    gb_nights nights;
    ck_assert_int_eq(gb_history_nights(history, 1, 0, 0, &nights, &err), GB_OK);
    ck_assert_uint_eq(nights.n, 31);
    ck_assert_uint_eq(nights.items[30].repeats, 2);
    ck_assert_double_eq_tol(nights.items[30].level, 1002, 0.01); /* the median of three */
    ck_assert_double_gt(nights.items[30].value, 1150);
    gb_nights_free(&nights);
    gb_history_close(history);
}
END_TEST

/* Thirty nights at one level and ten at another, as a time or a rate. */
static gb_history_report step_of(gb_history *history, double factor, bool rate)
{
    for (int night = 0; night < 40; night++) {
        made m;
        gb_history_added added;
        double value = 1000 * (night < 30 ? 1 : factor) * (1 + 0.005 * noise[night % 10]);
        open_run(&m, night, "run", night < 30 ? "550.54" : "560.28");
        add_case(&m, "x", value, rate);
        ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
        fixture_close(&m.f);
    }
    return checked(history, NULL);
}

START_TEST(CMP_08_the_metric_knows_which_direction_is_worse)
{
    static const struct {
        double factor;
        bool rate, worse;
    } cases[] = {{0.8, true, true}, {1.2, false, true}, {1.2, true, false}, {0.8, false, false}};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/h%zu.sqlite", folder, i);
        gb_history *history = open_new();
        gb_history_report report = step_of(history, cases[i].factor, cases[i].rate);
        const gb_checked *c = &report.items[0];
        ck_assert_int_eq(c->verdict, cases[i].worse ? GB_NIGHT_SLOWER : GB_NIGHT_FASTER);
        ck_assert(gb_history_regressed(&report) == cases[i].worse);
        ck_assert_double_eq_tol(c->shift, cases[i].factor - 1, 0.01); /* as the value moved */
        gb_history_report_free(&report);
        gb_history_close(history);
    }
}
END_TEST

START_TEST(a_change_names_the_driver_that_changed_there)
{
    gb_history *history = open_new();
    gb_history_report report = step_of(history, 1.05, false);
    ck_assert_str_eq(report.items[0].since, "run-030");
    ck_assert_str_eq(report.items[0].before, "run-029");
    ck_assert_str_eq(report.items[0].environment, "driver 550.54 -> 560.28");
    gb_buf text = {0};
    json_t *json = NULL;
    ck_assert_int_eq(gb_history_report_text(&report, false, &text, &err), GB_OK);
    ck_assert_ptr_nonnull(strstr(text.data, "since run run-030"));
    ck_assert_ptr_nonnull(strstr(text.data, "driver 550.54 -> 560.28"));
    ck_assert_int_eq(gb_history_report_json(&report, &json, &err), GB_OK);
    ck_assert(json_is_true(json_object_get(json, "regressed")));
    json_decref(json);
    gb_buf_free(&text);
    gb_history_report_free(&report);
    gb_history_close(history);
}
END_TEST

START_TEST(accept_begins_a_segment_and_old_nights_stay)
{
    gb_history *history = open_new();
    gb_series_list one;
    char from[64];
    gb_history_report report = step_of(history, 1.05, false);
    gb_history_report_free(&report);
    ck_assert_int_eq(gb_history_find(history, "x", NULL, &one, &err), GB_OK);
    ck_assert_int_eq(gb_history_accept(history, &one.items[0], NULL, "new driver", from, &err),
                     GB_OK);
    ck_assert_str_eq(from, "run-030"); /* where the level changed */
    report = checked(history, NULL);
    ck_assert_int_eq(report.items[0].verdict, GB_NIGHT_YOUNG);
    ck_assert_uint_eq(report.items[0].nights, 10);
    gb_history_report_free(&report);
    ck_assert_int_eq(verdict_of(history, "run-025"), GB_NIGHT_OK); /* as it was seen then */
    ck_assert_uint_eq(nights_of(history, "x"), 40);
    ck_assert_int_eq(gb_history_accept(history, &one.items[0], "run-777", NULL, from, &err),
                     GB_INVALID);
    gb_series_list_free(&one);
    gb_history_close(history);
}
END_TEST

START_TEST(CMP_12_twenty_nights_of_one_percent_are_seen)
{
    gb_history *history = open_new();
    double factor = 1;
    for (int night = 0; night < 45; night++) {
        factor *= night >= 20 && night < 40 ? 1.01 : 1; /* 20 nights of +1 % */
        add_night(history, night, factor, "550");
    }
    gb_history_report report = checked(history, NULL);
    ck_assert(gb_history_regressed(&report));
    /* The pinned one sees all of it. */
    ck_assert_double_eq_tol(report.items[0].reference_change, 0.22, 0.02);
    gb_history_report_free(&report);
    /* It is found while it goes on, not only at its end. */
    ck_assert_int_eq(verdict_of(history, "run-034"), GB_NIGHT_SLOWER);
    gb_history_close(history);
}
END_TEST

START_TEST(CMP_12_what_creeps_is_seen_although_every_night_looks_usual)
{
    gb_history *history = open_new();
    for (int night = 0; night < 160; night++)
        add_night(history, night, pow(1.0015, night < 20 ? 0 : night - 20), "550");
    gb_history_report report = checked(history, NULL);
    ck_assert(gb_history_regressed(&report));
    ck_assert_double_eq_tol(report.items[0].reference_change, 0.23, 0.02);
    gb_history_report_free(&report);
    for (int night = 15; night < 160; night += 5) { /* the rolling level moves with it */
        char run[64];
        snprintf(run, sizeof run, "run-%03d", night);
        ck_assert_int_ne(verdict_of(history, run), GB_NIGHT_SUSPECT);
    }
    gb_history_close(history);
}
END_TEST

START_TEST(a_case_that_is_gone_is_said)
{
    gb_history *history = open_new();
    gb_history_added added;
    for (int night = 0; night < 3; night++) {
        made m;
        open_run(&m, night, "run", "550");
        add_case(&m, "t", 1000, false);
        if (night < 2)
            add_case(&m, "gone", 1000, false);
        ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
        fixture_close(&m.f);
    }
    gb_history_report report = checked(history, NULL);
    ck_assert_uint_eq(report.counts[GB_NIGHT_MISSING], 1);
    ck_assert(!gb_history_regressed(&report));
    gb_history_report_free(&report);
    gb_history_close(history);
}
END_TEST

START_TEST(prune_keeps_the_last_nights_and_the_reference)
{
    gb_history *history = open_new();
    size_t removed;
    for (int night = 0; night < 200; night++)
        add_night(history, night, night < 100 ? 1 : 1.1, "550");
    gb_history_report before = checked(history, NULL);
    ck_assert_int_eq(before.items[0].verdict, GB_NIGHT_CREEPING); /* out of the window's sight */
    ck_assert_int_eq(gb_history_prune(history, 60, &removed, &err), GB_OK);
    ck_assert_uint_eq(removed, 200 - 60 - 30);
    gb_history_report after = checked(history, NULL);
    ck_assert_int_eq(after.items[0].verdict, GB_NIGHT_CREEPING);
    ck_assert_double_eq(after.items[0].reference_change, before.items[0].reference_change);
    gb_history_report_free(&before);
    gb_history_report_free(&after);
    gb_history_close(history);
}
END_TEST

START_TEST(names_that_mean_none_or_several)
{
    gb_history *history = open_new();
    gb_series_list one;
    made m;
    gb_history_added added;
    open_run(&m, 0, "run", "550");
    add_case(&m, "copy", 1000, false);
    add_case(&m, "copy-back", 1000, false);
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
    fixture_close(&m.f);
    ck_assert_int_eq(gb_history_find(history, "copy", NULL, &one, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "2 series"));
    ck_assert_ptr_nonnull(strstr(err.message, "copy-back[{"));
    ck_assert_int_eq(gb_history_find(history, "copy-b*", NULL, &one, &err), GB_OK);
    gb_series_list_free(&one);
    ck_assert_int_eq(gb_history_find(history, "zzz", NULL, &one, &err), GB_INVALID);
    gb_history_close(history);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("history check");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_spike_is_suspect_until_fresh_runs_decide);
    tcase_add_test(tc, repeats_in_the_history_decide_and_correct_the_night);
    tcase_add_test(tc, CMP_08_the_metric_knows_which_direction_is_worse);
    tcase_add_test(tc, a_change_names_the_driver_that_changed_there);
    tcase_add_test(tc, accept_begins_a_segment_and_old_nights_stay);
    tcase_add_test(tc, CMP_12_twenty_nights_of_one_percent_are_seen);
    tcase_add_test(tc, CMP_12_what_creeps_is_seen_although_every_night_looks_usual);
    tcase_add_test(tc, a_case_that_is_gone_is_said);
    tcase_add_test(tc, prune_keeps_the_last_nights_and_the_reference);
    tcase_add_test(tc, names_that_mean_none_or_several);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("history check", add_cases)
