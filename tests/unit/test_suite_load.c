/* Reading a suite from a path: files, directories, pipes with and without a writer. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "unit/check_main.h"
#include "unit/suite_catalog.h"

#define GOOD "gpubench: 1\nname: x\nbenchmarks:\n  - {name: a, kernel: noop}\n"

static char folder[] = "/tmp/gb_suite_load_XXXXXX";

static void make_folder(void)
{
    strcpy(folder, "/tmp/gb_suite_load_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void remove_folder(void)
{
    char *command = gb_text_format("rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    free(command);
}

static char *in_folder(const char *name)
{
    return gb_text_format("%s/%s", folder, name);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Loads a path; returns the diagnostics as text (the caller frees) and whether it was a suite. */
static char *load(const char *path, int timeout_ms, bool *good)
{
    gb_diagnostics diagnostics = {0};
    gb_suite *suite = NULL;
    gb_error err = {0};
    gb_code code = gb_suite_load(path, timeout_ms, test_catalog(), &suite, &diagnostics, &err);
    *good = code == GB_OK;
    ck_assert(*good == (suite != NULL));
    ck_assert(*good == (diagnostics.n == 0));
    if (suite != NULL)
        ck_assert_str_eq(suite->file, path);
    else
        ck_assert_int_eq(code, GB_INVALID);
    for (size_t i = 0; i < diagnostics.n; i++)
        ck_assert_int_eq(diagnostics.items[i].line, 0);
    char *text = gb_diagnostics_text(&diagnostics);
    gb_diagnostics_free(&diagnostics);
    gb_suite_free(suite);
    return text;
}

static void expect_error(const char *path, const char *message)
{
    bool good;
    char *text = load(path, 200, &good);
    char *expected = gb_text_format("%s: error: %s\n", path, message);
    ck_assert(!good);
    ck_assert_str_eq(text, expected);
    free(expected);
    free(text);
}

static void write_file(const char *path, const char *text, size_t n)
{
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(a_file_is_read)
{
    bool good;
    char *path = in_folder("a b.yaml");
    write_file(path, GOOD, strlen(GOOD));
    char *text = load(path, 0, &good); /* a file needs no time */
    ck_assert_msg(good, "%s", text);
    free(text);
    free(path);
}
END_TEST

START_TEST(CLI_05_what_is_no_suite_file_is_named)
{
    char *missing = in_folder("missing.yaml");
    expect_error(missing, "no such file");
    expect_error(folder, "is a directory, not a suite file");
    expect_error("", "no such file");
    char *below = in_folder("file/x.yaml");
    char *file = in_folder("file");
    write_file(file, "", 0);
    expect_error(file, "the file is empty");
    bool good;
    char *text = load(below, 100, &good);
    ck_assert_ptr_nonnull(strstr(text, "cannot open it: "));
    free(text);
    char *loop = in_folder("loop");
    ck_assert_int_eq(symlink("loop", loop), 0);
    text = load(loop, 100, &good);
    ck_assert_ptr_nonnull(strstr(text, "cannot open it: "));
    free(text);
    free(loop);
    free(file);
    free(below);
    free(missing);
}
END_TEST

START_TEST(a_file_without_permission_is_named)
{
    char *path = in_folder("secret.yaml");
    write_file(path, GOOD, strlen(GOOD));
    ck_assert_int_eq(chmod(path, 0), 0);
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) { /* root may read everything: try as nobody */
        if (geteuid() == 0 && (chmod(folder, 0755) != 0 || setuid(65534) != 0))
            _exit(2);
        gb_diagnostics diagnostics = {0};
        gb_suite *suite = NULL;
        gb_code code = gb_suite_load(path, 100, test_catalog(), &suite, &diagnostics, NULL);
        bool right = code == GB_INVALID && diagnostics.n == 1 &&
                     strcmp(diagnostics.items[0].message, "permission denied") == 0;
        _exit(right ? 0 : 1);
    }
    int status;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    free(path);
}
END_TEST

START_TEST(too_large_is_refused_without_reading_it_all)
{
    char *path = in_folder("large.yaml");
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(ftruncate(fd, (off_t)1 << 40), 0); /* a hole of 1 TiB */
    close(fd);
    expect_error(path, "the file is larger than 1 MiB, the most a suite may have");
    expect_error("/dev/zero", "the file is larger than 1 MiB, the most a suite may have");
    expect_error("/dev/null", "the file is empty");
    free(path);
}
END_TEST

START_TEST(a_pipe_without_a_writer_ends_with_the_time_out)
{
    char *path = in_folder("pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    double start = now();
    expect_error(path, "nothing more to read within 0.2 s; is anything writing to this pipe?");
    double took = now() - start;
    ck_assert(took > 0.15 && took < 5);
    free(path);
}
END_TEST

/* A child that opens the pipe after a while, writes pieces with pauses, and closes it (or not). */
static pid_t write_later(const char *path, bool keep_open)
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child != 0)
        return child;
    usleep(50000);
    int fd = open(path, O_WRONLY);
    for (size_t i = 0; i < strlen(GOOD); i += 10) {
        size_t n = strlen(GOOD) - i < 10 ? strlen(GOOD) - i : 10;
        if (write(fd, &GOOD[i], n) < 0)
            _exit(1);
        usleep(2000);
    }
    if (keep_open)
        pause();
    close(fd);
    _exit(0);
}

START_TEST(a_pipe_is_read_until_its_writer_closes_it)
{
    bool good;
    char *path = in_folder("pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    pid_t child = write_later(path, false);
    char *text = load(path, 20000, &good);
    ck_assert_msg(good, "%s", text);
    free(text);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    free(path);
}
END_TEST

START_TEST(a_writer_that_never_closes_does_not_hold_the_loader)
{
    bool good;
    char *path = in_folder("pipe");
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    pid_t child = write_later(path, true);
    char *text = load(path, 1000, &good);
    ck_assert(!good);
    ck_assert_ptr_nonnull(strstr(text, "nothing more to read within 1.0 s"));
    free(text);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    free(path);
}
END_TEST

START_TEST(an_anonymous_pipe_is_read_through_dev_fd)
{
    bool good;
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq((int)write(ends[1], GOOD, strlen(GOOD)), (int)strlen(GOOD));
    close(ends[1]);
    char *path = gb_text_format("/dev/fd/%d", ends[0]);
    char *text = load(path, 5000, &good);
    ck_assert_msg(good, "%s", text);
    free(text);
    free(path);
    close(ends[0]);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("load");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, make_folder, remove_folder);
    tcase_add_test(tc, a_file_is_read);
    tcase_add_test(tc, CLI_05_what_is_no_suite_file_is_named);
    tcase_add_test(tc, a_file_without_permission_is_named);
    tcase_add_test(tc, too_large_is_refused_without_reading_it_all);
    tcase_add_test(tc, a_pipe_without_a_writer_ends_with_the_time_out);
    tcase_add_test(tc, a_pipe_is_read_until_its_writer_closes_it);
    tcase_add_test(tc, a_writer_that_never_closes_does_not_hold_the_loader);
    tcase_add_test(tc, an_anonymous_pipe_is_read_through_dev_fd);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("suite load", add_cases)
