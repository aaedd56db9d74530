/* The history's file: what goes in, what is refused, and files that are none. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/wait.h>

#include <sqlite3.h>

#include "unit/history_fixture.h"

/* --- adding
 * --------------------------------------------------------------------------------------- */

START_TEST(a_run_that_is_added_twice_changes_nothing)
{
    gb_history *history = open_new();
    made m;
    gb_history_added added;
    open_run(&m, 0, "run", "550");
    add_case(&m, "t", 1000, false);
    add_case(&m, "r", 2e9, true);
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
    ck_assert(!added.already && added.cases == 2 && added.new_series == 2);
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
    ck_assert(added.already && added.cases == 0);
    ck_assert_uint_eq(nights_of(history, "t["), 1);
    fixture_close(&m.f);
    gb_history_close(history);
}
END_TEST

START_TEST(RES_16_writers_at_once_lose_nothing)
{
    enum { WRITERS = 6, RUNS = 8 };
    int barrier[2];
    pid_t pids[WRITERS];
    ck_assert_int_eq(pipe(barrier), 0);
    for (int w = 0; w < WRITERS; w++) {
        pids[w] = fork();
        if (pids[w] == 0) {
            char byte;
            close(barrier[1]);
            if (read(barrier[0], &byte, 1) != 0) /* all begin when the pipe is closed */
                _exit(1);
            gb_history *history = NULL; /* also made by all at once */
            if (gb_history_open(path, GB_HISTORY_CREATE, &history, &err) != GB_OK)
                _exit(2);
            for (int k = 0; k < RUNS; k++) {
                made m;
                gb_history_added added;
                open_run(&m, w * RUNS + k, "run", "550");
                add_case(&m, "t", 1000, false);
                if (add_to(history, &m.f.results, NULL, &added) != GB_OK)
                    _exit(3);
                fixture_close(&m.f);
            }
            gb_history_close(history);
            _exit(0);
        }
    }
    close(barrier[0]);
    close(barrier[1]);
    for (int w = 0; w < WRITERS; w++) {
        int status;
        waitpid(pids[w], &status, 0);
        ck_assert_int_eq(status, 0);
    }
    gb_history *history = open_new();
    ck_assert_uint_eq(nights_of(history, "t"), WRITERS * RUNS);
    gb_history_close(history);
}
END_TEST

START_TEST(runs_that_are_refused)
{
    gb_history *history = open_new();
    gb_history_added added;
    made m;
    open_run(&m, 0, "run", "550");
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_INVALID); /* no record */
    add_case(&m, "t", 1000, false);
    m.f.results.complete = false;
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "--allow-incomplete"));
    m.f.results.complete = true;
    ck_assert_int_eq(add_to(history, &m.f.results, "run-999", &added), GB_INVALID);
    m.f.results.hardware_fault = gb_text_copy("t: uncorrectable ECC error");
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_HARDWARE_FAULT);
    free(m.f.results.hardware_fault);
    m.f.results.hardware_fault = NULL;
    json_object_del(json_object_get(m.f.results.document, "run"), "id");
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_INVALID);
    fixture_close(&m.f);
    gb_series_list all;
    ck_assert_int_eq(gb_history_series(history, NULL, &all, &err), GB_OK);
    ck_assert_uint_eq(all.n, 0); /* nothing of them stayed */
    gb_series_list_free(&all);
    gb_history_close(history);
}
END_TEST

START_TEST(failed_cases_are_kept_and_never_judged)
{
    gb_history *history = open_new();
    made m;
    gb_history_added added;
    for (int night = 0; night < 30; night++)
        add_night(history, night, 1, "550");
    open_run(&m, 30, "run", "550");
    add_case(&m, "t", 5000, false); /* a figure that would be a spike */
    for (size_t i = 0; i < m.f.results.n; i++) {
        gb_error why;
        gb_fail(&why, GB_WRONG_RESULT, "element 3 is wrong");
        gb_record_fail(&m.f.results.records[i], GB_STATUS_WRONG, &why);
    }
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_OK);
    ck_assert_uint_eq(added.not_judged, 1);
    fixture_close(&m.f);
    gb_history_report report = checked(history, NULL);
    ck_assert_int_eq(report.items[0].verdict, GB_NIGHT_NOT_JUDGED);
    ck_assert_str_eq(report.items[0].reason, "wrong");
    ck_assert(!gb_history_regressed(&report));
    gb_history_report_free(&report);
    add_night(history, 31, 1, "550");
    ck_assert_int_eq(verdict_of(history, NULL), GB_NIGHT_OK);
    gb_history_close(history);
}
END_TEST

START_TEST(a_metric_that_a_replicate_lacks_is_not_judged)
{
    gb_history *history = open_new();
    gb_history_added added;
    for (int night = 0; night < 2; night++) {
        made m;
        open_run(&m, night, "run", "550");
        add_case(&m, "r", 2e9, true);
        ck_assert_uint_gt(m.f.results.n, 1);
        if (night == 1)
            m.f.results.records[m.f.results.n - 1].metrics[0].value = (double)NAN;
        ck_assert_msg(add_to(history, &m.f.results, NULL, &added) == GB_OK, "%s", err.message);
        ck_assert_uint_eq(added.not_judged, (size_t)night);
        fixture_close(&m.f);
    }
    gb_history_close(history);
}
END_TEST

START_TEST(a_case_that_failed_first_finds_its_metric_later)
{
    gb_history *history = open_new();
    gb_history_added added;
    for (int night = 0; night < 2; night++) {
        made m;
        open_run(&m, night, "run", "550");
        add_case(&m, "r", 2e9, true);
        for (size_t i = 0; night == 0 && i < m.f.results.n; i++) {
            m.f.results.records[i].status = GB_STATUS_FAILED;
            m.f.results.records[i].n_metrics = 0;
        }
        ck_assert_msg(add_to(history, &m.f.results, NULL, &added) == GB_OK, "%s", err.message);
        fixture_close(&m.f);
    }
    gb_series_list one;
    ck_assert_int_eq(gb_history_find(history, "r", NULL, &one, &err), GB_OK);
    ck_assert_str_eq(one.items[0].metric, "bandwidth");
    ck_assert_uint_eq(one.items[0].nights, 2);
    gb_series_list_free(&one);
    made m; /* the same metric the other way round cannot be compared */
    open_run(&m, 2, "run", "550");
    add_case(&m, "r", 2e9, true);
    for (size_t i = 0; i < m.f.results.n; i++)
        m.f.results.records[i].metrics[0].higher_is_better = false;
    ck_assert_int_eq(add_to(history, &m.f.results, NULL, &added), GB_INVALID);
    fixture_close(&m.f);
    gb_history_close(history);
}
END_TEST

START_TEST(the_gate_of_a_suite_names_metric_and_limit)
{
    gb_history *history = open_new();
    gb_history_added added;
    for (int night = 0; night < 40; night++) {
        made m;
        open_run(&m, night, "run", "550");
        json_object_set_new(json_object_get(m.f.results.document, "suite"), "gates",
                            json_pack("{s:{s:s, s:f}}", "r", "metric", "time", "worse", 0.1));
        add_case(&m, "r", 2e9 / (night < 30 ? 1 : 1.05), true);
        ck_assert_msg(add_to(history, &m.f.results, NULL, &added) == GB_OK, "%s", err.message);
        fixture_close(&m.f);
    }
    gb_history_report report = checked(history, NULL);
    ck_assert_str_eq(report.items[0].series.metric, "time");
    ck_assert_double_eq_tol(report.items[0].series.worse, 0.1, 1e-12);
    ck_assert_int_eq(report.items[0].verdict, GB_NIGHT_OK); /* +5 % is not worse here */
    gb_history_report_free(&report);
    gb_history_close(history);
}
END_TEST

START_TEST(CMP_13_a_renamed_benchmark_goes_on)
{
    gb_history *history = open_new();
    gb_history_added added;
    for (int night = 0; night < 2; night++) {
        made m;
        open_run(&m, night, "run", "550");
        if (night == 1)
            json_object_set_new(json_object_get(m.f.results.document, "suite"), "aliases",
                                json_pack("{s:s}", "old", "fresh"));
        add_case(&m, night == 0 ? "old" : "fresh", 1000, false);
        ck_assert_msg(add_to(history, &m.f.results, NULL, &added) == GB_OK, "%s", err.message);
        ck_assert_uint_eq(added.new_series, night == 0);
        fixture_close(&m.f);
    }
    ck_assert_uint_eq(nights_of(history, "fresh"), 2);
    gb_history_close(history);
}
END_TEST

/* --- files that are no history
 * --------------------------------------------------------------------- */

static char *bytes_of(const char *name, size_t *n)
{
    FILE *file = fopen(name, "rb");
    ck_assert_ptr_nonnull(file);
    char *bytes = malloc(1 << 20);
    *n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

static int files_in(const char *name)
{
    DIR *dir = opendir(name);
    int n = 0;
    ck_assert_ptr_nonnull(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

static void write_at(const char *name, long offset, const void *bytes, size_t n)
{
    int fd = open(name, O_WRONLY | O_CREAT, 0666);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, bytes, n, offset), (ssize_t)n);
    close(fd);
}

/* Every way of opening it is refused with such words, and nothing is changed or made. */
static void is_left_alone(const char *words)
{
    static const gb_history_mode modes[] = {GB_HISTORY_READ, GB_HISTORY_WRITE, GB_HISTORY_CREATE};
    size_t before, after;
    char dir[300];
    snprintf(dir, sizeof dir, "%s/sub", folder);
    char *old = bytes_of(path, &before);
    for (size_t i = 0; i < 3; i++) {
        gb_history *history = NULL;
        ck_assert_int_eq(gb_history_open(path, modes[i], &history, &err), GB_INVALID);
        ck_assert_ptr_null(history);
        ck_assert_msg(strstr(err.message, words) != NULL, "%s", err.message);
        char *new = bytes_of(path, &after);
        ck_assert_uint_eq(before, after);
        ck_assert_int_eq(memcmp(old, new, before), 0);
        ck_assert_int_eq(files_in(dir), 1);
        free(new);
    }
    free(old);
}

START_TEST(files_that_are_no_history_stay_as_they_are)
{
    char dir[300];
    snprintf(dir, sizeof dir, "%s/sub", folder);
    ck_assert_int_eq(mkdir(dir, 0777), 0);
    write_at(path, 0, "", 0);
    is_left_alone("damaged from its first bytes");
    write_at(path, 0, "hello, I am a diary of some other kind", 38);
    is_left_alone("not a history");
    unlink(path);
    sqlite3 *db = NULL;
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "PRAGMA journal_mode = WAL; CREATE TABLE t (x)", 0, 0, 0), 0);
    sqlite3_close(db);
    is_left_alone("another program");
}
END_TEST

START_TEST(a_newer_history_stays_as_it_is)
{
    static const unsigned char version[4] = {0, 0, 0, 99};
    gb_history_close(open_new());
    write_at(path, 60, version, 4); /* user_version of the header */
    is_left_alone("version 99");
}
END_TEST

START_TEST(a_damaged_history_stays_as_it_is)
{
    unsigned char rubbish[4096];
    gb_history *history = open_new();
    for (int night = 0; night < 60; night++)
        add_night(history, night, 1, "550");
    gb_history_close(history);
    memset(rubbish, 0xA5, sizeof rubbish);
    write_at(path, 5L * 4096, rubbish, sizeof rubbish);
    is_left_alone("damaged");
    ck_assert_int_eq(truncate(path, 3L * 4096 + 100), 0); /* a copy that stopped half way */
    is_left_alone("damaged");
}
END_TEST

START_TEST(RES_13_what_a_killed_process_left_is_cleared_away)
{
    char left[400], dir[300];
    snprintf(dir, sizeof dir, "%s/sub", folder);
    ck_assert_int_eq(mkdir(dir, 0777), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0); /* a process id that is free now */
    snprintf(left, sizeof left, "%s.tmp-%ld", path, (long)pid);
    write_at(left, 0, "half", 4);
    gb_history_close(open_new());
    ck_assert_int_eq(files_in(dir), 1);
}
END_TEST

START_TEST(CMP_22_no_history_yet)
{
    gb_history *history = NULL;
    gb_history_report report;
    gb_history_check_options options = {0};
    ck_assert_int_eq(gb_history_open(path, GB_HISTORY_READ, &history, &err), GB_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "history add"));
    ck_assert_int_ne(access(path, F_OK), 0); /* asking made none */
    history = open_new();
    ck_assert_int_eq(gb_history_check(history, &options, &report, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "empty"));
    add_night(history, 0, 1, "550");
    report = checked(history, NULL);
    ck_assert_int_eq(report.items[0].verdict, GB_NIGHT_YOUNG);
    ck_assert(!gb_history_regressed(&report));
    gb_history_report_free(&report);
    options.run = "run-404";
    ck_assert_int_eq(gb_history_check(history, &options, &report, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "run-000"));
    gb_history_close(history);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("history");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_run_that_is_added_twice_changes_nothing);
    tcase_add_test(tc, RES_16_writers_at_once_lose_nothing);
    tcase_add_test(tc, runs_that_are_refused);
    tcase_add_test(tc, failed_cases_are_kept_and_never_judged);
    tcase_add_test(tc, a_metric_that_a_replicate_lacks_is_not_judged);
    tcase_add_test(tc, a_case_that_failed_first_finds_its_metric_later);
    tcase_add_test(tc, the_gate_of_a_suite_names_metric_and_limit);
    tcase_add_test(tc, CMP_13_a_renamed_benchmark_goes_on);
    tcase_add_test(tc, files_that_are_no_history_stay_as_they_are);
    tcase_add_test(tc, a_newer_history_stays_as_it_is);
    tcase_add_test(tc, a_damaged_history_stays_as_it_is);
    tcase_add_test(tc, RES_13_what_a_killed_process_left_is_cleared_away);
    tcase_add_test(tc, CMP_22_no_history_yet);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("history", add_cases)
