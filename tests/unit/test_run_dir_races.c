/* Writers that are killed at any moment, and runs that start at the same one. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "base/rng.h"
#include "record/internal.h"
#include "unit/record_sample.h"

static char tree[256];

static void set_up(void)
{
    make_tree(tree, sizeof tree);
}

static void tear_down(void)
{
    remove_tree(tree);
}

/* Child: opens or resumes the directory and goes on writing for ever. Never returns. */
static void write_for_ever(const char *path)
{
    gb_run_dir *dir = NULL;
    struct stat st;
    gb_head head = sample_head("id");
    if (gb_run_dir_open(path, stat(path, &st) == 0, &dir, NULL) != GB_OK) {
        _exit(2);
    }
    for (uint32_t round = 0;; round++) {
        gb_record r;
        if (gb_run_dir_begin(dir, &head, NULL) != GB_OK) {
            _exit(3);
        }
        for (uint32_t i = 0; i < 3; i++) {
            sample_record(&r, "copy", 1024 + i, round % 4, 100, 1000);
            if (gb_run_dir_append(dir, &r, NULL) != GB_OK) {
                _exit(4);
            }
            gb_record_free(&r);
        }
        if (gb_run_dir_finish(dir, &head, true, NULL) != GB_OK) {
            _exit(5);
        }
    }
}

/* After a kill: absent, or old, or new, but whole; and what the lines say is whole, too. */
static void check_whole(const char *path, unsigned *absent, unsigned *complete)
{
    struct stat st;
    gb_results results;
    gb_error err = {0};
    if (stat(path, &st) != 0 || stat(in(path, "cases.jsonl"), &st) != 0) {
        ++*absent;
        return;
    }
    gb_code code = gb_results_load(path, true, &results, &err);
    ck_assert_msg(code == GB_OK, "%s: %s", err.file, err.message);
    *complete += results.complete;
    for (size_t i = 0; i < results.n; i++) {
        ck_assert_msg(gb_record_check(&results.records[i], &err) == GB_OK, "%s", err.message);
        ck_assert_uint_eq(results.records[i].n_samples, 100);
    }
    gb_results_free(&results);
}

START_TEST(RES_12_a_writer_killed_at_any_time_leaves_whole_files_100_rounds)
{
    char path[300];
    gb_rng rng = {12};
    unsigned absent = 0, complete = 0;
    snprintf(path, sizeof path, "%s/run", tree);
    for (int round = 0; round < 100; round++) {
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            write_for_ever(path);
        }
        /* from before the directory exists to several whole rounds of writing */
        nanosleep(&(struct timespec){.tv_nsec = (long)gb_rng_below(&rng, 20000000)}, NULL);
        ck_assert_int_eq(kill(child, SIGKILL), 0);
        int status;
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL,
                      "round %d: the writer ended by itself: %d", round, status);
        check_whole(path, &absent, &complete);
        if (round % 10 == 9) {
            remove_tree(path); /* the first moments of a directory, too */
        }
    }
    ck_assert_uint_lt(absent, 100);
    /* nothing is left but the names that a run has */
    gb_run_dir *dir = NULL;
    ck_assert_int_eq(mkdir(path, 0700), 0);
    write_file(in(path, "cases.jsonl"), "", 0);
    write_file(in(path, "results.json.tmp"), "", 0);
    write_file(in(path, "results.csv.tmp"), "", 0);
    ck_assert_int_eq(gb_run_dir_open(path, true, &dir, NULL), GB_OK);
    ck_assert_int_ne(access(in(path, "results.json.tmp"), F_OK), 0);
    ck_assert_int_ne(access(in(path, "results.csv.tmp"), F_OK), 0);
    gb_run_dir_close(dir);
}
END_TEST

/* What a child reports: its pid, what opening gave, and the message. */
typedef struct outcome {
    pid_t pid;
    gb_code code;
    char message[256];
} outcome;

/* Child: waits until `barrier` is closed, opens, reports, holds until `hold` is closed. */
static void open_at_once(const char *path, int barrier, int report, int hold)
{
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    outcome out = {.pid = getpid()};
    char byte;
    if (read(barrier, &byte, 1) != 0) {
        _exit(2);
    }
    out.code = gb_run_dir_open(path, false, &dir, &err);
    snprintf(out.message, sizeof out.message, "%.250s", err.message);
    if (write(report, &out, sizeof out) != sizeof out || read(hold, &byte, 1) != 0) {
        _exit(3);
    }
    gb_run_dir_close(dir);
    _exit(0);
}

START_TEST(RES_16_of_two_runs_that_start_at_once_one_gets_the_directory_50_rounds)
{
    for (int round = 0; round < 50; round++) {
        char path[300];
        int barrier[2], report[2], hold[2];
        pid_t children[2];
        outcome outs[2];
        snprintf(path, sizeof path, "%s/run%d", tree, round);
        if (round % 2) {
            ck_assert_int_eq(mkdir(path, 0700), 0);
            write_file(in(path, ".lock"), "99999999\n", 9); /* the left-over of a killed run */
        }
        ck_assert(pipe(barrier) == 0 && pipe(report) == 0 && pipe(hold) == 0);
        for (int i = 0; i < 2; i++) {
            children[i] = fork();
            ck_assert_int_ge(children[i], 0);
            if (children[i] == 0) {
                close(barrier[1]);
                close(hold[1]);
                open_at_once(path, barrier[0], report[1], hold[0]);
            }
        }
        close(barrier[1]); /* both go */
        for (int i = 0; i < 2; i++) {
            struct pollfd ready = {.fd = report[0], .events = POLLIN};
            ck_assert_int_eq(poll(&ready, 1, 10000), 1);
            ck_assert_int_eq(read(report[0], &outs[i], sizeof outs[i]), sizeof outs[i]);
        }
        close(hold[1]);
        for (int i = 0; i < 2; i++) {
            int status;
            ck_assert_int_eq(waitpid(children[i], &status, 0), children[i]);
            ck_assert_int_eq(status, 0);
        }
        close(barrier[0]);
        close(hold[0]);
        close(report[0]);
        close(report[1]);

        const outcome *winner = &outs[outs[0].code == GB_OK ? 0 : 1],
                      *loser = &outs[winner == outs];
        char want[64];
        snprintf(want, sizeof want, "in use by pid %ld", (long)winner->pid);
        ck_assert_msg(winner->code == GB_OK, "round %d: nobody: %s; %s", round, outs[0].message,
                      outs[1].message);
        ck_assert_msg(loser->code == GB_IN_USE, "round %d: %d %s", round, loser->code,
                      loser->message);
        ck_assert_str_eq(loser->message, want);
    }
}
END_TEST

START_TEST(RES_16_the_lock_ends_with_its_holder_and_is_not_inherited)
{
    char path[300];
    snprintf(path, sizeof path, "%s/run", tree);
    int ready[2], hold[2];
    ck_assert(pipe2(ready, O_CLOEXEC) == 0 && pipe2(hold, O_CLOEXEC) == 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) { /* a run with a worker that outlives it */
        gb_run_dir *dir = NULL;
        if (gb_run_dir_open(path, false, &dir, NULL) != GB_OK) {
            _exit(2);
        }
        pid_t worker = fork();
        if (worker == 0) {
            execl("/bin/sh", "sh", "-c", "sleep 60", (char *)NULL);
            _exit(127);
        }
        ck_assert_int_eq(write(ready[1], &worker, sizeof worker), sizeof worker);
        pause();
    }
    pid_t worker;
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    ck_assert_int_eq(read(ready[0], &worker, sizeof worker), sizeof worker);
    ck_assert_int_eq(gb_run_dir_open(path, true, &dir, &err), GB_IN_USE);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    gb_code code = GB_IN_USE;
    for (int i = 0; code == GB_IN_USE && i < 30; i++) { /* until the worker is past its exec */
        code = gb_run_dir_open(path, true, &dir, &err);
    }
    kill(worker, SIGKILL);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    gb_run_dir_close(dir);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("run_dir races");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, RES_12_a_writer_killed_at_any_time_leaves_whole_files_100_rounds);
    tcase_add_test(tcase, RES_16_of_two_runs_that_start_at_once_one_gets_the_directory_50_rounds);
    tcase_add_test(tcase, RES_16_the_lock_ends_with_its_holder_and_is_not_inherited);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("run_dir races", add_cases)
