#include <unistd.h>

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

/* What `body` writes to stderr. */
static char *heard(void (*body)(gb_progress *progress), gb_progress *progress)
{
    static char text[1024];
    int pipes[2];
    int before = dup(2);
    ck_assert_int_eq(pipe(pipes), 0);
    dup2(pipes[1], 2);
    close(pipes[1]);
    body(progress);
    dup2(before, 2);
    close(before);
    ssize_t n = read(pipes[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(pipes[0]);
    return text;
}

static void wait_at_a_case(gb_progress *progress)
{
    gb_case c = {.id = (char *)(uintptr_t) "long[n=1]"};
    gb_observer observer = gb_progress_observer(progress);
    observer.waiting(observer.user, &c, 0);
    observer.waiting(observer.user, NULL, 0);
}

START_TEST(a_long_case_is_not_silence)
{
    gb_cli cli = {0};
    gb_progress progress = {.cli = &cli, .mode = GB_PROGRESS_LINES};
    ck_assert_str_eq(heard(wait_at_a_case, &progress),
                     "still at long[n=1]\nstill waiting for a worker to open the device\n");
    progress.silent_ns = UINT64_MAX;
    ck_assert_str_eq(heard(wait_at_a_case, &progress), "");
    progress = (gb_progress){.cli = &cli, .mode = GB_PROGRESS_NONE};
    ck_assert_str_eq(heard(wait_at_a_case, &progress), "");
}
END_TEST

/* Two that were measured, and between them and after them what an interruption left. */
static void be_interrupted(gb_progress *progress)
{
    gb_plan plan = {0};
    progress->plan = &plan;
    gb_observer observer = gb_progress_observer(progress);
    gb_record record = {.case_id = (char *)(uintptr_t) "c[n=1]", .status = GB_STATUS_OK};
    record.time.median = 1000;
    observer.record(observer.user, &record, 1, 40, 0);
    record.status = GB_STATUS_NOT_RUN;
    record.reason = (char *)(uintptr_t) "interrupted";
    for (size_t i = 2; i < 40; i++)
        observer.record(observer.user, &record, i, 40, 0);
    record.reason = (char *)(uintptr_t) "no time left";
    observer.record(observer.user, &record, 40, 40, 0);
    gb_progress_end(progress);
    gb_progress_end(progress);
}

START_TEST(what_was_not_run_is_counted_in_one_line)
{
    gb_cli cli = {0};
    gb_progress progress = {
        .cli = &cli, .mode = GB_PROGRESS_LINES, .label = "", .silent_ns = UINT64_MAX};
    ck_assert_str_eq(heard(be_interrupted, &progress),
                     "[1/40] ok c[n=1]: 1.00 us\n38 records not_run: interrupted\n"
                     "1 record not_run: no time left\n");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("progress");
    tcase_add_test(c, CLI_01_one_line_is_redrawn_only_where_it_can_be);
    tcase_add_test(c, spans);
    tcase_add_test(c, a_long_case_is_not_silence);
    tcase_add_test(c, what_was_not_run_is_counted_in_one_line);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_progress", add_cases)
