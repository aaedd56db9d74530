/* The history's file: what goes in, what is refused, and what a check says. */
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "reports/history/history.h"
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

static char folder[200], path[300];
static gb_error err;

static void set_up(void)
{
    snprintf(folder, sizeof folder, "/tmp/gpubench-history.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/sub/history.sqlite", folder);
    err = (gb_error){0};
}

static int remove_one(const char *name, const struct stat *facts, int kind, struct FTW *where)
{
    (void)facts, (void)kind, (void)where;
    return remove(name);
}

static void tear_down(void)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- made-up runs
 * --------------------------------------------------------------------------------- */

static const double noise[10] = {0.2, -0.9, 1.3, -0.1, 0.6, -1.5, 0.9, -0.4, -0.7, 1.1};

typedef struct made {
    fixture f;
} made;

static void open_run(made *m, int night, const char *prefix, const char *driver)
{
    char id[64];
    snprintf(id, sizeof id, "%s-%03d", prefix, night);
    fixture_open(&m->f, "cuda", "[]");
    json_t *document = m->f.results.document;
    char when[32];
    gb_history_time(1700000000 + 86400 * (int64_t)night, when);
    json_object_set_new(document, "run", json_pack("{s:s, s:s}", "id", id, "started", when));
    json_object_set_new(document, "host", json_pack("{s:s, s:s}", "cpu", "Example", "kernel", "6"));
    json_object_set_new(document, "tool", json_pack("{s:s, s:s}", "version", "0", "git", "abc"));
    json_t *device = json_array_get(json_object_get(document, "devices"), 0);
    json_object_set_new(device, "driver", json_string(driver));
    json_object_set_new(device, "uuid", json_string("GPU-1"));
    json_object_set_new(device, "ecc", json_true());
}

/* A case in three replicates: a time in ns, or a rate when `rate`. */
static void add_case(made *m, const char *name, double value, bool rate)
{
    for (uint32_t r = 0; r < 3; r++) {
        double one = value * (1 + 0.001 * ((double)r - 1));
        gb_record *record =
            fixture_add(&m->f, name, "copy", "{\"bytes\": 4096}", (uint32_t)m->f.results.n / 3, r,
                        rate ? 1e9 / one : one, rate ? one : (double)NAN);
        memset(record->definition, 'd', 64);
    }
}

static gb_code add_to(gb_history *history, const gb_results *results, const char *repeat_of,
                      gb_history_added *added)
{
    gb_history_add_options options = {.repeat_of = repeat_of};
    return gb_history_add(history, results, &options, added, &err);
}

/* A night with one case "t" (a time) at 1000 ns x factor. */
static void add_night(gb_history *history, int night, double factor, const char *driver)
{
    made m;
    gb_history_added added;
    open_run(&m, night, "run", driver);
    add_case(&m, "t", 1000 * factor * (1 + 0.01 * noise[night % 10]), false);
    ck_assert_msg(add_to(history, &m.f.results, NULL, &added) == GB_OK, "%s", err.message);
    ck_assert(!added.already);
    fixture_close(&m.f);
}

static gb_history *open_new(void)
{
    gb_history *history = NULL;
    ck_assert_msg(gb_history_open(path, GB_HISTORY_CREATE, &history, &err) == GB_OK, "%s",
                  err.message);
    return history;
}

static gb_history_report checked(gb_history *history, const char *run)
{
    gb_history_report report;
    gb_history_check_options options = {.run = run};
    ck_assert_msg(gb_history_check(history, &options, &report, &err) == GB_OK, "%s", err.message);
    return report;
}

static gb_night_verdict verdict_of(gb_history *history, const char *run)
{
    gb_history_report report = checked(history, run);
    ck_assert_uint_eq(report.n, 1);
    gb_night_verdict verdict = report.items[0].verdict;
    gb_history_report_free(&report);
    return verdict;
}

static size_t nights_of(gb_history *history, const char *name)
{
    gb_series_list one;
    ck_assert_msg(gb_history_find(history, name, NULL, &one, &err) == GB_OK, "%s", err.message);
    size_t n = one.items[0].nights;
    gb_series_list_free(&one);
    return n;
}

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

/* --- judging
 * --------------------------------------------------------------------------------------- */

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
    TCase *tc = tcase_create("history");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_run_that_is_added_twice_changes_nothing);
    tcase_add_test(tc, RES_16_writers_at_once_lose_nothing);
    tcase_add_test(tc, runs_that_are_refused);
    tcase_add_test(tc, failed_cases_are_kept_and_never_judged);
    tcase_add_test(tc, a_case_that_failed_first_finds_its_metric_later);
    tcase_add_test(tc, the_gate_of_a_suite_names_metric_and_limit);
    tcase_add_test(tc, CMP_13_a_renamed_benchmark_goes_on);
    tcase_add_test(tc, files_that_are_no_history_stay_as_they_are);
    tcase_add_test(tc, a_newer_history_stays_as_it_is);
    tcase_add_test(tc, a_damaged_history_stays_as_it_is);
    tcase_add_test(tc, RES_13_what_a_killed_process_left_is_cleared_away);
    tcase_add_test(tc, CMP_22_no_history_yet);
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

GB_CHECK_MAIN("history", add_cases)
