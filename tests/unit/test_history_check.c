/* What a check of the history says. */
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

/* Judges run-030 with repeats of these ids and nights. */
static gb_code with_ids(gb_history *history, const char *const prefixes[], const int nights[],
                        size_t n)
{
    made runs[4];
    gb_results results[4];
    gb_history_report report;
    for (size_t i = 0; i < n; i++) {
        open_run(&runs[i], nights[i], prefixes[i], "550");
        add_case(&runs[i], "t", 1200, false);
        results[i] = runs[i].f.results;
    }
    gb_history_check_options options = {.run = "run-030", .repeats = results, .n_repeats = n};
    err = (gb_error){0};
    gb_code code = gb_history_check(history, &options, &report, &err);
    if (!code)
        gb_history_report_free(&report);
    for (size_t i = 0; i < n; i++)
        fixture_close(&runs[i].f);
    return code;
}

START_TEST(a_repeat_is_a_later_run_and_counts_once)
{
    static const char *const fresh[] = {"fresh", "fresh"}, *const night[] = {"run", "fresh"};
    gb_history *history = open_new();
    gb_history_added added;
    made m;
    for (int i = 0; i < 30; i++)
        add_night(history, i, 1, "550");
    add_night(history, 30, 1.2, "550");
    ck_assert_int_eq(with_ids(history, fresh, (int[]){31, 32}, 2), GB_OK);
    ck_assert_int_eq(with_ids(history, fresh, (int[]){31, 31}, 2), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "given twice"));
    ck_assert_int_eq(with_ids(history, night, (int[]){30, 31}, 2), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "the night itself"));
    ck_assert_int_eq(with_ids(history, fresh, (int[]){31, 29}, 2), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "began before run run-030"));
    for (int i = 29; i <= 31; i += 2) { /* older ones are not taken into the history either */
        open_run(&m, i, "kept", "550");
        add_case(&m, "t", 1200, false);
        ck_assert_int_eq(add_to(history, &m.f.results, "run-030", &added),
                         i < 30 ? GB_INVALID : GB_OK);
        if (i > 30) /* again changes nothing; as another's repeat it is a mistake */
            ck_assert_int_eq(add_to(history, &m.f.results, "run-030", &added), GB_OK);
        if (i > 30)
            ck_assert_int_eq(add_to(history, &m.f.results, "run-029", &added), GB_INVALID);
        fixture_close(&m.f);
    }
    ck_assert_int_eq(with_ids(history, (const char *[]){"kept"}, (int[]){31}, 1), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "counts already"));
    open_run(&m, 29, "run", "550"); /* a night cannot become a repeat */
    add_case(&m, "t", 1000, false);
    ck_assert_int_eq(add_to(history, &m.f.results, "run-030", &added), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "a night of its own"));
    fixture_close(&m.f);
    gb_history_close(history);
}
END_TEST

START_TEST(CMP_12_slow_nights_that_nobody_confirmed_are_no_level)
{
    gb_history *history = open_new();
    int slow = 0, back = 0;
    for (int night = 0; night < 40; night++) {
        char run[64];
        bool is_slow = night >= 30 && night < 33;
        slow += is_slow;
        add_night(history, night, is_slow ? 1.3 : 1, "550");
        snprintf(run, sizeof run, "run-%03d", night);
        gb_history_report report = checked(history, run);
        ck_assert_msg(!gb_history_regressed(&report), "night %d: %s", night,
                      gb_night_word(report.items[0].verdict));
        if (is_slow) /* fresh processes are asked for every time */
            ck_assert_int_eq(report.items[0].verdict, GB_NIGHT_SUSPECT);
        if (report.items[0].verdict == GB_NIGHT_BACK) {
            gb_buf text = {0};
            ck_assert_int_eq(gb_history_report_text(&report, false, &text, &err), GB_OK);
            ck_assert_ptr_nonnull(strstr(text.data, "the nights before were at +"));
            gb_buf_free(&text);
            back++;
        }
        gb_history_report_free(&report);
    }
    ck_assert_int_eq(slow, 3);
    ck_assert_int_gt(back, 0); /* the normal nights after them say so */
    gb_history_close(history);
}
END_TEST

START_TEST(CMP_12_back_at_the_reference_is_said)
{
    gb_history *history = open_new();
    for (int night = 0; night < 131; night++) /* long slower, beyond what the window sees */
        add_night(history, night, night < 30 || night > 128 ? 1 : 1.1, "550");
    ck_assert_int_eq(verdict_of(history, "run-128"), GB_NIGHT_CREEPING);
    /* The first night back is doubtful, since it is usual for nobody now; it is no regression. */
    gb_history_report report = checked(history, "run-129");
    ck_assert_msg(!gb_history_regressed(&report), "%s", gb_night_word(report.items[0].verdict));
    gb_history_report_free(&report);
    gb_history_close(history);
}
END_TEST

/* A case of which the first metric has no value, as a night has it. */
static void add_half_known(gb_history *history, int night, double factor, bool rate)
{
    made m;
    gb_history_added added;
    open_run(&m, night, "run", "550");
    add_case(&m, "t", (rate ? 1e9 : 1000) / factor * (1 + 0.01 * noise[night % 10]), true);
    for (size_t i = 0; i < m.f.results.n; i++) {
        gb_record *r = &m.f.results.records[i];
        r->metrics[1] = r->metrics[0];
        snprintf(r->metrics[0].name, sizeof r->metrics[0].name, "submit");
        r->metrics[0].value = NAN;
        r->n_metrics = rate ? 2 : 1;
        if (!rate)
            r->time.median = 1000 * factor * (1 + 0.01 * noise[night % 10]);
    }
    ck_assert_msg(add_to(history, &m.f.results, NULL, &added) == GB_OK, "%s", err.message);
    ck_assert_uint_eq(added.not_judged, 0);
    fixture_close(&m.f);
}

START_TEST(CMP_08_the_first_metric_with_a_value_is_judged)
{
    for (int rate = 0; rate < 2; rate++) {
        snprintf(path, sizeof path, "%s/value%d.sqlite", folder, rate);
        gb_history *history = open_new();
        for (int night = 0; night < 40; night++)
            add_half_known(history, night, night < 30 ? 1 : 1.1, rate);
        gb_history_report report = checked(history, NULL);
        ck_assert_uint_eq(report.n, 1);
        ck_assert_str_eq(report.items[0].series.metric, rate ? "bandwidth" : "time");
        ck_assert_int_eq(report.items[0].verdict, GB_NIGHT_SLOWER);
        gb_history_report_free(&report);
        gb_history_close(history);
    }
}
END_TEST

START_TEST(a_case_that_is_ok_without_a_value_is_said)
{
    gb_history *history = open_new();
    gb_history_added added;
    gb_buf text = {0};
    made m;
    open_run(&m, 0, "run", "550");
    add_case(&m, "t", (double)NAN, false);
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
    ck_assert_uint_eq(added.not_judged, 1);
    ck_assert_uint_eq(added.no_value, 1);
    ck_assert_ptr_nonnull(strstr(added.without, "time"));
    fixture_close(&m.f);
    gb_history_report report = checked(history, NULL);
    ck_assert_int_eq(report.items[0].verdict, GB_NIGHT_NOT_JUDGED);
    ck_assert_str_eq(report.items[0].reason, "ok, but time has no value");
    ck_assert_int_eq(gb_history_report_text(&report, false, &text, &err), GB_OK);
    ck_assert_ptr_nonnull(strstr(text.data, "has no value"));
    gb_buf_free(&text);
    gb_history_report_free(&report);
    gb_history_close(history);
}
END_TEST

START_TEST(a_night_of_a_wrong_clock_is_not_the_last)
{
    gb_history *history = open_new();
    for (int night = 0; night < 3; night++)
        add_night(history, night, 1, "550");
    add_night(history, 50000, 1, "550"); /* in the year 2160 */
    gb_history_report report = checked(history, NULL);
    ck_assert_str_eq(report.run, "run-002");
    gb_history_report_free(&report);
    report = checked(history, "run-50000"); /* who names it gets it */
    ck_assert_str_eq(report.run, "run-50000");
    gb_history_report_free(&report);
    gb_series_list one; /* nor is its level what is accepted */
    char from[64];
    ck_assert_int_eq(gb_history_find(history, "t", NULL, &one, &err), GB_OK);
    ck_assert_int_eq(gb_history_accept(history, &one.items[0], NULL, NULL, from, &err), GB_OK);
    ck_assert_str_eq(from, "run-002");
    gb_series_list_free(&one);
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

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("history check");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_spike_is_suspect_until_fresh_runs_decide);
    tcase_add_test(tc, a_repeat_is_a_later_run_and_counts_once);
    tcase_add_test(tc, CMP_12_slow_nights_that_nobody_confirmed_are_no_level);
    tcase_add_test(tc, CMP_12_back_at_the_reference_is_said);
    tcase_add_test(tc, CMP_08_the_first_metric_with_a_value_is_judged);
    tcase_add_test(tc, a_case_that_is_ok_without_a_value_is_said);
    tcase_add_test(tc, a_night_of_a_wrong_clock_is_not_the_last);
    tcase_add_test(tc, repeats_in_the_history_decide_and_correct_the_night);
    tcase_add_test(tc, CMP_08_the_metric_knows_which_direction_is_worse);
    tcase_add_test(tc, a_change_names_the_driver_that_changed_there);
    tcase_add_test(tc, CMP_12_twenty_nights_of_one_percent_are_seen);
    tcase_add_test(tc, CMP_12_what_creeps_is_seen_although_every_night_looks_usual);
    tcase_add_test(tc, a_case_that_is_gone_is_said);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("history check", add_cases)
