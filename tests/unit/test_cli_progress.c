#include "cli/progress.h"
#include "unit/check_main.h"

START_TEST(CLI_01_one_line_is_redrawn_only_where_it_can_be)
{
    ck_assert_int_eq(gb_progress_choose(NULL, false, true, "xterm", false, false),
                     GB_PROGRESS_REDRAW);
    ck_assert_int_eq(gb_progress_choose("auto", false, true, "xterm", false, false),
                     GB_PROGRESS_REDRAW);
    ck_assert_int_eq(gb_progress_choose(NULL, false, false, "xterm", false, false),
                     GB_PROGRESS_LINES);
    ck_assert_int_eq(gb_progress_choose(NULL, false, true, "dumb", false, false),
                     GB_PROGRESS_LINES);
    ck_assert_int_eq(gb_progress_choose(NULL, false, true, NULL, false, false), GB_PROGRESS_LINES);
    ck_assert_int_eq(gb_progress_choose(NULL, false, true, "xterm", true, false),
                     GB_PROGRESS_LINES);
    ck_assert_int_eq(gb_progress_choose(NULL, false, true, "xterm", false, true),
                     GB_PROGRESS_LINES);
    ck_assert_int_eq(gb_progress_choose("always", false, false, NULL, true, true),
                     GB_PROGRESS_REDRAW);
    ck_assert_int_eq(gb_progress_choose("never", false, true, "xterm", false, false),
                     GB_PROGRESS_NONE);
    ck_assert_int_eq(gb_progress_choose("always", true, true, "xterm", false, false),
                     GB_PROGRESS_NONE);
}
END_TEST

START_TEST(spans)
{
    char buf[32];
    ck_assert_str_eq(gb_progress_span(0, buf, sizeof buf), "0 s");
    ck_assert_str_eq(gb_progress_span(2.1, buf, sizeof buf), "3 s");
    ck_assert_str_eq(gb_progress_span(125, buf, sizeof buf), "2 min 5 s");
    ck_assert_str_eq(gb_progress_span(3840, buf, sizeof buf), "1 h 4 min");
    ck_assert_str_eq(gb_progress_span(-1, buf, sizeof buf), "0 s");
    ck_assert_str_eq(gb_progress_span(1e300, buf, sizeof buf), "0 s");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("progress");
    tcase_add_test(c, CLI_01_one_line_is_redrawn_only_where_it_can_be);
    tcase_add_test(c, spans);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_progress", add_cases)
