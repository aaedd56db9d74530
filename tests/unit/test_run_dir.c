/* The run directory: checks before the first case, appending, resuming, finishing. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

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

/* Opening must fail with a message that says so, and leave nothing; whoever waits there for ever
 * runs into Check's time limit. */
static void refuses(const char *path, bool resume, gb_code want, const char *says)
{
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    gb_code code = gb_run_dir_open(path, resume, &dir, &err);
    ck_assert_msg(code == want, "%s: %d %s", path, code, err.message);
    ck_assert_contains(err.message, says);
    ck_assert_ptr_null(dir);
}

static void append(gb_run_dir *dir, const char *name, uint32_t replicate, gb_status status)
{
    gb_record r;
    gb_error err = {0}, why;
    sample_record(&r, name, 1024, replicate, 8, 1000);
    if (status != GB_STATUS_OK) {
        gb_fail(&why, GB_TIMEOUT, "took longer than 60 s");
        gb_record_fail(&r, status, &why);
    }
    ck_assert_msg(gb_run_dir_append(dir, &r, &err) == GB_OK, "%s", err.message);
    gb_record_free(&r);
}

static size_t count_lines(const char *path)
{
    char *text = read_file(path);
    size_t n = 0;
    for (const char *c = text; *c; c++) {
        n += *c == '\n';
    }
    free(text);
    return n;
}

START_TEST(RES_14_a_place_that_cannot_be_written_is_refused_at_once)
{
    char path[600];
    write_file(in(tree, "file"), "x", 1);
    refuses(in(tree, "file"), false, GB_IO, "a file is in the way");
    refuses(in(tree, "file"), true, GB_IO, "a file is in the way");
    refuses(in(tree, "file/run"), false, GB_IO, "is a file, not a directory");
    refuses(in(tree, "file/below/run"), false, GB_IO, "is a file, not a directory");
    refuses("/proc/gpubench/run", false, GB_IO, "cannot be created");
    refuses(in(tree, "none"), true, GB_IO, "no such run directory");
    refuses("", false, GB_IO, "empty");
    ck_assert_int_eq(symlink("/nowhere/at/all", in(tree, "link")), 0);
    refuses(in(tree, "link"), false, GB_IO, "link that leads nowhere");
    snprintf(path, sizeof path, "%s/%0300d", tree, 0);
    refuses(path, false, GB_IO, "cannot be created");
    /* nothing was made */
    ck_assert_int_ne(access(in(tree, "none"), F_OK), 0);
}
END_TEST

START_TEST(missing_parents_are_made)
{
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    char path[300];
    static const char *const places[] = {"a/b/run", "a/c/", "a//d/./run/"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", tree, places[i]);
        ck_assert_msg(gb_run_dir_open(path, false, &dir, &err) == GB_OK, "%s", err.message);
        ck_assert_int_eq(access(in(path, "cases.jsonl"), F_OK), 0);
        gb_run_dir_close(dir);
    }
}
END_TEST

START_TEST(RES_14_a_directory_with_something_in_it_is_refused_with_what_to_do)
{
    char path[300];
    snprintf(path, sizeof path, "%s/other", tree);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    write_file(in(path, "notes.txt"), "x", 1);
    refuses(path, false, GB_IO, "not empty: give another name or an empty directory");
    refuses(path, true, GB_IO, "nothing to resume");
    ck_assert_int_ne(access(in(path, ".lock"), F_OK), 0);

    gb_run_dir *dir = NULL;
    gb_head head = sample_head("one");
    snprintf(path, sizeof path, "%s/run", tree);
    ck_assert_int_eq(gb_run_dir_open(path, false, &dir, NULL), GB_OK);
    ck_assert_int_eq(gb_run_dir_begin(dir, &head, NULL), GB_OK);
    gb_run_dir_close(dir);
    refuses(path, false, GB_IO, "holds a run already: give another name, remove it, or go on");
    gb_head_free(&head);
}
END_TEST

START_TEST(RES_14_names_that_are_taken_by_directories_are_refused)
{
    char path[300];
    static const char *const names[] = {"results.json", "results.csv", "results.json.tmp"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/run%zu", tree, i);
        ck_assert_int_eq(mkdir(path, 0700), 0);
        write_file(in(path, "cases.jsonl"), "", 0);
        ck_assert_int_eq(mkdir(in(path, names[i]), 0700), 0);
        refuses(path, true, GB_IO, "");
    }
}
END_TEST

/* A tmpfs that only this process sees, and that goes with it. */
static bool mount_own(const char *path, unsigned long flags, const char *options)
{
    if (geteuid() == 0 && unshare(CLONE_NEWNS) == 0 &&
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
        mount("none", path, "tmpfs", flags, options) == 0) {
        return true;
    }
    fprintf(stderr, "no tmpfs can be mounted: %s\n", strerror(errno));
    return false;
}

/* Root may write into a directory without the permission bits, so that only a read-only mount
 * shows it; anybody else sees the bits. */
START_TEST(RES_14_a_read_only_directory_is_refused)
{
    char path[300];
    snprintf(path, sizeof path, "%s/ro", tree);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    bool mounted = mount_own(path, MS_RDONLY, "size=64k");
    if (geteuid() == 0 && !mounted) {
        return; /* nothing here is read-only for root */
    }
    if (!mounted) {
        ck_assert_int_eq(chmod(path, 0500), 0);
    }
    refuses(path, false, GB_IO, "cannot be written to");
    refuses(in(path, "run"), false, GB_IO, "cannot be created");
    if (mounted) {
        umount(path);
    } else {
        chmod(path, 0700);
    }
}
END_TEST

START_TEST(an_empty_directory_will_do_and_one_that_nothing_came_of_stays_empty)
{
    gb_run_dir *dir = NULL;
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(gb_run_dir_open(tree, i == 1, &dir, NULL), GB_OK);
        ck_assert_str_eq(gb_run_dir_path(dir), tree);
        ck_assert_int_eq(access(in(tree, ".lock"), F_OK), 0);
        gb_run_dir_close(dir);
        ck_assert_int_eq(rmdir(tree), 0);
        ck_assert_int_eq(mkdir(tree, 0700), 0);
    }
    gb_run_dir_close(NULL);
}
END_TEST

START_TEST(a_run_is_written_early_and_whole_at_the_end)
{
    gb_run_dir *dir = NULL;
    gb_results results;
    gb_error err = {0};
    gb_head head = sample_head("run-7");
    head.extra = json_pack("{s:[i]}", "fits", 1);
    char path[300];
    snprintf(path, sizeof path, "%s/my run (1) ü", tree);
    ck_assert_int_eq(gb_run_dir_open(path, false, &dir, &err), GB_OK);
    ck_assert_int_eq(gb_run_dir_begin(dir, &head, &err), GB_OK);
    char *early = read_file(in(path, "results.json"));
    ck_assert_contains(early, "\"complete\":false");
    free(early);
    append(dir, "b", 0, GB_STATUS_OK);
    append(dir, "a", 1, GB_STATUS_TIMEOUT);
    ck_assert_uint_eq(count_lines(in(path, "cases.jsonl")), 2);
    ck_assert_int_eq(gb_results_load(path, false, &results, &err), GB_OK);
    ck_assert(results.n == 2 && !results.complete); /* readable while it runs */
    gb_results_free(&results);

    ck_assert_int_eq(gb_run_dir_finish(dir, &head, true, &err), GB_OK);
    gb_run_dir_close(dir);
    ck_assert_int_eq(gb_results_load(path, true, &results, &err), GB_OK);
    ck_assert(results.n == 2 && results.complete);
    for (size_t i = 0; i < results.n; i++) {
        ck_assert_str_eq(results.records[i].run_id, "run-7"); /* RES-13 */
        ck_assert_str_eq(results.records[i].started, "2026-01-15T10:15:00Z");
        ck_assert_uint_eq(results.records[i].n_samples, 8);
    }
    ck_assert_ptr_nonnull(json_object_get(results.document, "fits"));
    gb_results_free(&results);
    char *table = read_file(in(path, "results.csv"));
    ck_assert_contains(table, "\"Example, CPU\"");
    free(table);
    char *document = read_file(in(path, "results.json"));
    ck_assert_ptr_null(strstr(document, "samples_ns"));
    free(document);
    ck_assert_int_ne(access(in(path, ".lock"), F_OK), 0);
    gb_head_free(&head);
}
END_TEST

START_TEST(resume_keeps_ok_and_skipped_and_the_last_record_of_a_case_wins)
{
    gb_run_dir *dir = NULL;
    gb_results results;
    gb_error err = {0};
    gb_head head = sample_head("first");
    ck_assert_int_eq(gb_run_dir_open(tree, false, &dir, &err), GB_OK);
    ck_assert_int_eq(gb_run_dir_begin(dir, &head, &err), GB_OK);
    append(dir, "good", 0, GB_STATUS_OK);
    append(dir, "skip", 0, GB_STATUS_SKIPPED);
    append(dir, "slow", 0, GB_STATUS_TIMEOUT);
    append(dir, "lost", 0, GB_STATUS_OK);
    append(dir, "lost", 0, GB_STATUS_FAILED);
    ck_assert_int_eq(gb_run_dir_finish(dir, &head, false, &err), GB_OK);
    gb_run_dir_close(dir);
    gb_head_free(&head);

    ck_assert_int_eq(gb_run_dir_open(tree, true, &dir, &err), GB_OK);
    ck_assert(!gb_run_dir_torn(dir));
    ck_assert(gb_run_dir_has(dir, 0, "good[bytes=1024]", 0));
    ck_assert(gb_run_dir_has(dir, 0, "skip[bytes=1024]", 0));
    ck_assert(!gb_run_dir_has(dir, 0, "slow[bytes=1024]", 0));
    ck_assert(!gb_run_dir_has(dir, 0, "lost[bytes=1024]", 0));
    ck_assert(!gb_run_dir_has(dir, 0, "good[bytes=1024]", 1));
    ck_assert(!gb_run_dir_has(dir, 1, "good[bytes=1024]", 0));
    /* RES-13: what the first session left does not pass for the second's */
    ck_assert_int_eq(access(in(tree, "results.csv"), F_OK), 0);
    head = sample_head("second");
    ck_assert_int_eq(gb_run_dir_begin(dir, &head, &err), GB_OK);
    ck_assert_int_ne(access(in(tree, "results.csv"), F_OK), 0);
    append(dir, "slow", 0, GB_STATUS_OK);
    append(dir, "lost", 0, GB_STATUS_OK);
    ck_assert(gb_run_dir_has(dir, 0, "slow[bytes=1024]", 0));
    ck_assert_int_eq(gb_run_dir_finish(dir, &head, true, &err), GB_OK);
    gb_run_dir_close(dir);
    gb_head_free(&head);

    ck_assert_int_eq(gb_results_load(tree, false, &results, &err), GB_OK);
    ck_assert_uint_eq(results.n, 4);
    for (size_t i = 0; i < results.n; i++) {
        const gb_record *r = &results.records[i];
        bool again = strcmp(r->benchmark, "slow") == 0 || strcmp(r->benchmark, "lost") == 0;
        ck_assert_str_eq(r->run_id, again ? "second" : "first");
        ck_assert_int_eq(r->status,
                         strcmp(r->benchmark, "skip") == 0 ? GB_STATUS_SKIPPED : GB_STATUS_OK);
    }
    gb_results_free(&results);
}
END_TEST

START_TEST(resume_cuts_off_a_torn_line_and_says_so)
{
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    gb_head head = sample_head("id");
    ck_assert_int_eq(gb_run_dir_open(tree, false, &dir, &err), GB_OK);
    ck_assert_int_eq(gb_run_dir_begin(dir, &head, &err), GB_OK);
    append(dir, "one", 0, GB_STATUS_OK);
    append(dir, "two", 0, GB_STATUS_OK);
    gb_run_dir_close(dir);
    struct stat whole;
    const char *lines = "cases.jsonl";
    ck_assert_int_eq(stat(in(tree, lines), &whole), 0);

    /* only the newline is missing: the record counts */
    ck_assert_int_eq(truncate(in(tree, lines), whole.st_size - 1), 0);
    ck_assert_int_eq(gb_run_dir_open(tree, true, &dir, &err), GB_OK);
    ck_assert(!gb_run_dir_torn(dir) && gb_run_dir_has(dir, 0, "two[bytes=1024]", 0));
    gb_run_dir_close(dir);
    struct stat st;
    ck_assert_int_eq(stat(in(tree, lines), &st), 0);
    ck_assert_int_eq(st.st_size, whole.st_size);

    /* more is missing: it is taken again */
    ck_assert_int_eq(truncate(in(tree, lines), whole.st_size - 2), 0);
    write_file(in(tree, "results.json.tmp"), "{", 1); /* what a killed run may leave, too */
    write_file(in(tree, ".lock"), "99999\n", 6);
    ck_assert_int_eq(gb_run_dir_open(tree, true, &dir, &err), GB_OK);
    ck_assert(gb_run_dir_torn(dir));
    ck_assert(gb_run_dir_has(dir, 0, "one[bytes=1024]", 0));
    ck_assert(!gb_run_dir_has(dir, 0, "two[bytes=1024]", 0));
    ck_assert_int_ne(access(in(tree, "results.json.tmp"), F_OK), 0); /* RES-13 */
    append(dir, "two", 0, GB_STATUS_OK);
    ck_assert_int_eq(gb_run_dir_finish(dir, &head, true, &err), GB_OK);
    gb_run_dir_close(dir);
    gb_results results;
    ck_assert_int_eq(gb_results_load(tree, true, &results, &err), GB_OK);
    ck_assert(results.n == 2 && results.complete);
    gb_results_free(&results);

    /* damage in the middle is no torn end: nothing is cut, the line is named */
    ck_assert_int_eq(truncate(in(tree, lines), 0), 0);
    write_file(in(tree, lines), "{\n{}\n", 5);
    ck_assert_int_eq(gb_run_dir_open(tree, true, &dir, &err), GB_INVALID);
    ck_assert_int_eq(err.line, 1);
    ck_assert_uint_eq(count_lines(in(tree, lines)), 2);
    gb_head_free(&head);
}
END_TEST

START_TEST(a_record_that_could_not_be_read_back_is_refused_at_once)
{
    gb_run_dir *dir = NULL;
    gb_record r;
    gb_error err = {0};
    ck_assert_int_eq(gb_run_dir_open(tree, false, &dir, NULL), GB_OK);
    sample_record(&r, "copy", 1024, 0, 8, 1000);
    r.samples_ns[3] = NAN;
    ck_assert_int_eq(gb_run_dir_append(dir, &r, &err), GB_INTERNAL);
    ck_assert_contains(err.message, "copy[bytes=1024]");
    ck_assert_contains(err.message, "samples_ns[3]");
    ck_assert_uint_eq(count_lines(in(tree, "cases.jsonl")), 0);
    gb_record_free(&r);
    gb_run_dir_close(dir);
}
END_TEST

/* Appends until it fails, then checks that all records before are there and the end is whole. */
static void fill_up(const char *path, void (*limit)(void))
{
    gb_run_dir *dir = NULL;
    gb_error err = {0};
    gb_head head = sample_head("id");
    gb_record r;
    gb_code code = GB_OK;
    uint32_t n = 0;
    ck_assert_msg(gb_run_dir_open(path, false, &dir, &err) == GB_OK, "%s", err.message);
    ck_assert_msg(gb_run_dir_begin(dir, &head, &err) == GB_OK, "%s", err.message);
    limit();
    while (code == GB_OK && n < 10000) {
        sample_record(&r, "copy", 1024, n, 200, 1000);
        code = gb_run_dir_append(dir, &r, &err);
        n += code == GB_OK;
        gb_record_free(&r);
    }
    ck_assert_int_eq(code, GB_IO);
    ck_assert_contains(err.file, "cases.jsonl");
    ck_assert_contains(err.message, "those before are whole");
    ck_assert_uint_gt(n, 3);
    ck_assert_uint_eq(count_lines(in(path, "cases.jsonl")), n);
    gb_results results;
    ck_assert_int_eq(gb_results_load(path, true, &results, NULL), GB_OK);
    ck_assert(results.n == n && !results.torn && !results.complete);
    gb_results_free(&results);

    code = gb_run_dir_finish(dir, &head, true, &err); /* no room either, or just enough */
    if (code != GB_OK) {
        ck_assert_int_eq(code, GB_IO);
        ck_assert_contains(err.file, "results.");
        char *document = read_file(in(path, "results.json"));
        ck_assert_contains(document, "\"complete\":false");
        free(document);
    }
    ck_assert_int_ne(access(in(path, "results.json.tmp"), F_OK), 0);
    ck_assert_int_ne(access(in(path, "results.csv.tmp"), F_OK), 0);
    gb_run_dir_close(dir);
    gb_head_free(&head);
}

static void limit_file_size(void)
{
    signal(SIGXFSZ, SIG_IGN); /* as the command line does */
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){50000, 50000}), 0);
}

static void no_limit(void)
{
}

/* Each in a process of its own: the limit cannot be taken back. */
START_TEST(RES_14_a_file_size_limit_costs_the_record_under_way)
{
    fill_up(in(tree, "run"), limit_file_size);
}
END_TEST

START_TEST(RES_14_a_full_disk_costs_the_record_under_way)
{
    char path[300];
    snprintf(path, sizeof path, "%s/small", tree);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    if (!mount_own(path, 0, "size=128k")) {
        return; /* the file-size limit above takes the same way */
    }
    char run[400];
    snprintf(run, sizeof run, "%s/run", path);
    fill_up(run, no_limit);
    umount(path);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("run_dir");
    tcase_add_checked_fixture(tcase, set_up, tear_down);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, RES_14_a_place_that_cannot_be_written_is_refused_at_once);
    tcase_add_test(tcase, missing_parents_are_made);
    tcase_add_test(tcase, RES_14_a_directory_with_something_in_it_is_refused_with_what_to_do);
    tcase_add_test(tcase, RES_14_names_that_are_taken_by_directories_are_refused);
    tcase_add_test(tcase, RES_14_a_read_only_directory_is_refused);
    tcase_add_test(tcase, an_empty_directory_will_do_and_one_that_nothing_came_of_stays_empty);
    tcase_add_test(tcase, a_run_is_written_early_and_whole_at_the_end);
    tcase_add_test(tcase, resume_keeps_ok_and_skipped_and_the_last_record_of_a_case_wins);
    tcase_add_test(tcase, resume_cuts_off_a_torn_line_and_says_so);
    tcase_add_test(tcase, a_record_that_could_not_be_read_back_is_refused_at_once);
    tcase_add_test(tcase, RES_14_a_full_disk_costs_the_record_under_way);
    if (getenv("CK_FORK") == NULL || strcmp(getenv("CK_FORK"), "no") != 0) {
        tcase_add_test(tcase, RES_14_a_file_size_limit_costs_the_record_under_way);
    }
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("run_dir", add_cases)
