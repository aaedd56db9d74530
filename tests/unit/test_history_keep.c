/* What accept and prune do to a history, and which series a name means. */
#include "unit/history_fixture.h"

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
    ck_assert_int_eq(gb_history_accept(history, &one.items[0], "run-035", NULL, from, &err), GB_OK);
    ck_assert_str_eq(from, "run-035"); /* as it was asked for */
    report = checked(history, NULL);
    ck_assert_uint_eq(report.items[0].nights, 5);
    gb_history_report_free(&report);
    ck_assert_int_eq(gb_history_accept(history, &one.items[0], "run-777", NULL, from, &err),
                     GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "run run-777 is not one of its nights"));
    gb_series_list_free(&one);
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
    /* brackets stand for themselves, as in every filter */
    ck_assert_int_eq(gb_history_find(history, "copy-b*[{*}]", NULL, &one, &err), GB_OK);
    gb_series_list_free(&one);
    ck_assert_int_eq(gb_history_find(history, "zzz", NULL, &one, &err), GB_INVALID);
    gb_history_close(history);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("history keep");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, accept_begins_a_segment_and_old_nights_stay);
    tcase_add_test(tc, prune_keeps_the_last_nights_and_the_reference);
    tcase_add_test(tc, names_that_mean_none_or_several);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("history keep", add_cases)
