/* What the kernel pipeline reads: base64, the files of a folder, made files that go away. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "kernels/base64.h"
#include "unit/pipeline_fixture.h"

/* --- base64 ----------------------------------------------------------------------------------- */

/* RFC 4648, section 10, and forms that other programs write. */
static const struct {
    const char *text, *bytes;
} vectors[] = {
    {"", ""},
    {"Zg==", "f"},
    {"Zm8=", "fo"},
    {"Zm9v", "foo"},
    {"Zm9vYg==", "foob"},
    {"Zm9vYmE=", "fooba"},
    {"Zm9vYmFy", "foobar"},
    {"Zm9v\nYmFy\n", "foobar"},
    {" Zm\r\n9vYg\t=\n=\n", "foob"},
    {"\n\n", ""},
    {"+/+/", "\xfb\xff\xbf"},
};

START_TEST(base64_decodes_what_the_standard_says)
{
    uint8_t to[16], slow[16];
    for (size_t i = 0; i < GB_COUNT(vectors); i++) {
        const char *text = vectors[i].text;
        size_t n = strlen(text), length = 99, bad;
        ck_assert_msg(gb_base64_decode(text, n, to, &length, &bad), "'%s': %zu", text, bad);
        ck_assert_uint_eq(length, strlen(vectors[i].bytes));
        ck_assert_mem_eq(to, vectors[i].bytes, length);
        ck_assert_uint_eq(gb_pipeline_decode_slowly(text, n, slow), length);
        ck_assert_mem_eq(slow, vectors[i].bytes, length);
    }
}
END_TEST

static const struct {
    const char *text;
    size_t bad;
} broken[] = {
    {"Zg=", 3},  {"Z", 1},        {"Zm9vY", 5},    {"Zm9v*", 4},   {"=Zm9", 0},        {"Z===", 1},
    {"Zg=a", 3}, {"Zg==Zg==", 4}, {"Zm9v-_-_", 4}, {"Zg==\nx", 5}, {"Zm9v\x80xyz", 4}, {"Zg===", 4},
};

START_TEST(what_is_no_base64_is_refused_at_its_place)
{
    uint8_t to[16];
    for (size_t i = 0; i < GB_COUNT(broken); i++) {
        size_t length, bad = 99;
        ck_assert_msg(!gb_base64_decode(broken[i].text, strlen(broken[i].text), to, &length, &bad),
                      "'%s'", broken[i].text);
        ck_assert_msg(bad == broken[i].bad, "'%s': %zu", broken[i].text, bad);
        ck_assert_msg(gb_pipeline_decode_slowly(broken[i].text, strlen(broken[i].text), to) ==
                          SIZE_MAX,
                      "'%s'", broken[i].text);
    }
}
END_TEST

/* Both decoders agree on anything, and never write more than the room that is said. */
START_TEST(two_decoders_agree)
{
    static const char some[] = "AZaz09+/=\n !";
    uint64_t state = 1;
    for (int round = 0; round < 20000; round++) {
        char text[24];
        uint8_t fast[25], slow[25];
        size_t length = 0, bad, n;
        state = gb_mix(state, (uint64_t)round);
        n = state % 21;
        for (size_t i = 0; i < n; i++) /* mostly good ones, or there would be nothing to compare */
            text[i] = some[gb_mix(state, i + 1) % (round % 2 ? 8 : sizeof some - 1)];
        memset(fast, 0xee, sizeof fast);
        const bool good = gb_base64_decode(text, n, fast, &length, &bad);
        const size_t again = gb_pipeline_decode_slowly(text, n, slow);
        ck_assert_msg(good ? again == length : again == SIZE_MAX, "'%.*s'", (int)n, text);
        ck_assert_uint_eq(fast[gb_base64_room(n)], 0xee);
        if (good)
            ck_assert_mem_eq(fast, slow, length);
    }
    for (size_t n = 0; n < 100; n++) { /* there and back */
        uint8_t bytes[100], back[100];
        char text[140];
        size_t length, bad;
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t)gb_mix(n, i);
        ck_assert(gb_base64_decode(text, gb_base64_encode(bytes, n, text), back, &length, &bad));
        ck_assert_uint_eq(length, n);
        ck_assert_mem_eq(back, bytes, n);
    }
}
END_TEST

/* --- the files of a folder -------------------------------------------------------------------- */

static void fails(const char *path, gb_code expected, const char *part)
{
    gb_files files;
    gb_error err = {0};
    ck_assert_int_eq(gb_files_open(path, &files, &err), expected);
    ck_assert_msg(strstr(err.message, part) != NULL, "%s", err.message);
    gb_files_close(&files);
}

START_TEST(a_folder_without_files_is_an_error_that_says_so)
{
    char path[64];
    open_dir();
    fails(dir, GB_INVALID, "no files in it");
    snprintf(path, sizeof path, "%s/sub", dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    write_file(".hidden", "x", 1);
    fails(dir, GB_INVALID, "no files in it");
    write_file("empty", "", 0);
    fails(dir, GB_INVALID, "empty");
    snprintf(path, sizeof path, "%s/empty", dir);
    fails(path, GB_IO, "not a folder");
    snprintf(path, sizeof path, "%s/none", dir);
    fails(path, GB_IO, "No such file");
    snprintf(path, sizeof path, "%s/empty", dir);
    ck_assert_int_eq(truncate(path, (off_t)GB_FILE_LARGEST + 1), 0); /* a hole: takes no room */
    fails(dir, GB_INVALID, "empty: larger than 1 GiB, the most that gpubench takes of one file");
    close_dir();
}
END_TEST

START_TEST(files_come_in_the_order_of_their_names_and_stay_what_they_were)
{
    gb_files files;
    gb_error err = {0};
    char to[8] = "", path[64];
    open_dir();
    write_file("b c", "second", 6);
    write_file("a", "one", 3);
    ck_assert_int_eq(gb_files_open(dir, &files, &err), GB_OK);
    ck_assert_uint_eq(files.n, 2);
    ck_assert_uint_eq(files.bytes, 9);
    ck_assert_uint_eq(files.largest, 6);
    ck_assert_str_eq(files.items[0].name, "a");
    ck_assert_int_eq(gb_files_read(&files, 1, to, &err), GB_OK);
    ck_assert_mem_eq(to, "second", 6);
    write_file("b c", "longer than that", 16);
    ck_assert_int_eq(gb_files_read(&files, 1, to, &err), GB_INVALID);
    ck_assert_msg(strstr(err.message, "b c: the file has changed") != NULL, "%s", err.message);
    snprintf(path, sizeof path, "%s/a", dir);
    const struct timespec other[2] = {{1, 0}, {1, 0}}; /* as long as before */
    ck_assert_int_eq(utimensat(AT_FDCWD, path, other, 0), 0);
    ck_assert_int_eq(gb_files_read(&files, 0, to, &err), GB_INVALID);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(gb_files_read(&files, 0, to, &err), GB_INVALID);
    ck_assert_int_eq(mkfifo(path, 0600), 0); /* nobody writes into it: nothing hangs */
    ck_assert_int_eq(gb_files_read(&files, 0, to, &err), GB_INVALID);
    gb_files_close(&files);
    close_dir();
}
END_TEST

/* Wherever a link points to, or a pipe is there: it is left out and counted, like a folder. */
START_TEST(what_is_no_regular_file_is_left_out)
{
    gb_files files;
    gb_error err = {0};
    char to[8] = "", path[64];
    open_dir();
    write_file("a", "one", 3);
    snprintf(path, sizeof path, "%s/again", dir);
    ck_assert_int_eq(symlink("a", path), 0);
    snprintf(path, sizeof path, "%s/dangling", dir);
    ck_assert_int_eq(symlink("nowhere", path), 0);
    snprintf(path, sizeof path, "%s/pipe", dir);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_msg(gb_files_open(dir, &files, &err) == GB_OK, "%s", err.message);
    ck_assert_uint_eq(files.n, 1);
    ck_assert_uint_eq(files.bytes, 3);
    ck_assert_uint_eq(files.left_out, 3);
    snprintf(path, sizeof path, "%s/a", dir);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(symlink("again", path), 0);
    ck_assert_int_eq(gb_files_read(&files, 0, to, &err), GB_INVALID);
    ck_assert_msg(strstr(err.message, "a: the file has changed") != NULL, "%s", err.message);
    gb_files_close(&files);
    close_dir();
}
END_TEST

START_TEST(the_identity_is_that_of_names_and_contents)
{
    open_dir();
    write_file("a", "one", 3);
    write_file("b", "two", 3);
    const gb_files_identity first = identity_of();
    ck_assert_str_eq(identity_of().sha256, first.sha256);
    write_file("b", "twp", 3);
    ck_assert_uint_ne(identity_of().number, first.number);
    write_file("a", "twp", 3); /* contents that changed places are others */
    write_file("b", "one", 3);
    ck_assert_uint_ne(identity_of().number, first.number);
    write_file("a", "one", 3);
    write_file("b", "two", 3);
    ck_assert_uint_eq(identity_of().number, first.number);
    write_file("c", "", 0);
    ck_assert_uint_ne(identity_of().number, first.number);
    close_dir();
}
END_TEST

START_TEST(forgotten_files_are_read_as_before_or_it_is_said_why_not)
{
    gb_files files;
    gb_error err = {0};
    char to[8];
    open_dir();
    write_file("a", "one", 3);
    ck_assert_int_eq(gb_files_open(dir, &files, &err), GB_OK);
    const gb_code code = gb_files_forget(&files, &err);
    ck_assert_msg(code == GB_OK || code == GB_UNAVAILABLE, "%s", err.message);
    ck_assert(code == GB_OK || strlen(err.message) > strlen(dir));
    ck_assert_int_eq(gb_files_read(&files, 0, to, &err), GB_OK);
    ck_assert_mem_eq(to, "one", 3);
    gb_files_close(&files);
    if (gb_files_open("/dev/shm", &files, &err) == GB_OK) /* tmpfs, where it is as usual */
        ck_assert_int_ne(gb_files_forget(&files, &err), GB_OK);
    gb_files_close(&files);
    close_dir();
}
END_TEST

/* --- made files ------------------------------------------------------------------------------- */

START_TEST(made_files_go_away_with_their_case)
{
    gb_made_files made;
    gb_error err = {0};
    struct stat facts;
    char path[256];
    ck_assert_int_eq(setenv("TMPDIR", "/tmp", 1), 0);
    ck_assert_msg(gb_made_files_open(&made, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(gb_made_files_add(&made, "x", "abc", 3, &err), GB_OK);
    ck_assert_int_ne(gb_made_files_add(&made, "x", "abc", 3, &err), GB_OK); /* never another's */
    snprintf(path, sizeof path, "%s", made.dir);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_uint_eq(facts.st_mode & 077, 0);
    gb_made_files_remove(&made);
    ck_assert_int_ne(stat(path, &facts), 0);
    gb_made_files_remove(&made);
    ck_assert_int_eq(setenv("TMPDIR", "/tmp/there is no such place", 1), 0);
    ck_assert_int_eq(gb_made_files_open(&made, &err), GB_IO);
    ck_assert_ptr_nonnull(strstr(err.message, "TMPDIR"));
    gb_made_files_remove(&made);
    unsetenv("TMPDIR");
}
END_TEST

/* A process that is killed leaves nothing behind. */
START_TEST(made_files_go_away_after_a_kill_too)
{
    int ends[2];
    char path[256] = "";
    struct stat facts;
    ck_assert_int_eq(pipe(ends), 0);
    open_dir();
    ck_assert_int_eq(setenv("TMPDIR", dir, 1), 0);
    const pid_t child = fork();
    if (child == 0) {
        gb_made_files made;
        if (gb_made_files_open(&made, NULL) != GB_OK ||
            gb_made_files_add(&made, "x", "abc", 3, NULL) != GB_OK ||
            write(ends[1], made.dir, strlen(made.dir)) < 0)
            _exit(1);
        for (;;)
            pause();
    }
    ck_assert_int_gt(read(ends[0], path, sizeof path - 1), 0);
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert_int_eq(kill(child, SIGKILL), 0);
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 1000 && stat(path, &facts) == 0; i++)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    ck_assert_int_ne(stat(path, &facts), 0);
    unsetenv("TMPDIR");
    close(ends[0]);
    close(ends[1]);
    close_dir();
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("base64");
    tcase_add_test(tc, base64_decodes_what_the_standard_says);
    tcase_add_test(tc, what_is_no_base64_is_refused_at_its_place);
    tcase_add_test(tc, two_decoders_agree);
    suite_add_tcase(suite, tc);
    tc = tcase_create("files");
    tcase_add_test(tc, a_folder_without_files_is_an_error_that_says_so);
    tcase_add_test(tc, files_come_in_the_order_of_their_names_and_stay_what_they_were);
    tcase_add_test(tc, what_is_no_regular_file_is_left_out);
    tcase_add_test(tc, the_identity_is_that_of_names_and_contents);
    tcase_add_test(tc, forgotten_files_are_read_as_before_or_it_is_said_why_not);
    tcase_add_test(tc, made_files_go_away_with_their_case);
    tcase_add_test(tc, made_files_go_away_after_a_kill_too);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("pipeline_files", add_cases)
