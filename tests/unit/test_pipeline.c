/* The kernel pipeline on the cpu device: base64, the files of a folder, made files that go away,
 * and a pass with every answer checked. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base64.h"
#include "kernels/pipeline.h"
#include "unit/check_main.h"
#include "unit/kernel_args.h"

static char dir[] = "/tmp/gpubench-test-XXXXXX";

static void open_dir(void)
{
    memcpy(dir + sizeof dir - 7, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(dir));
}

/* Removes a folder of files and folders without contents; false: there is none. */
static bool remove_all(const char *path)
{
    char name[512];
    DIR *stream = opendir(path);
    if (stream == NULL)
        return false;
    for (struct dirent *e; (e = readdir(stream)) != NULL;) {
        snprintf(name, sizeof name, "%s/%s", path, e->d_name);
        if (unlink(name) != 0)
            rmdir(name);
    }
    closedir(stream);
    return rmdir(path) == 0;
}

static void close_dir(void)
{
    ck_assert(remove_all(dir));
}

static void write_file(const char *name, const void *bytes, size_t n)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

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
    fails(path, GB_INVALID, "not a folder");
    snprintf(path, sizeof path, "%s/none", dir);
    fails(path, GB_INVALID, "No such file");
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

static gb_files_identity identity_of(void)
{
    gb_files files;
    gb_files_identity found;
    gb_error err = {0};
    ck_assert_int_eq(gb_files_open(dir, &files, &err), GB_OK);
    ck_assert_int_eq(gb_files_identify(&files, NULL, NULL, &found, &err), GB_OK);
    ck_assert(found.number > 0 && found.number < GB_FILES_IDENTITY);
    gb_files_close(&files);
    return found;
}

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

/* --- passes ----------------------------------------------------------------------------------- */

static gb_device *dev;
static gb_run run;
static const gb_kernel *kernel;
static gb_value args[KERNEL_ARGS_MAX];

static gb_code begin(const char *text, const char *data_dir, gb_error *err)
{
    ck_assert_int_eq(gb_device_cpu_open(2, &dev, err), GB_OK);
    kernel = kernel_args("pipeline", text, args);
    run = (gb_run){.dev = dev, .args = args, .seed = 7, .data_dir = data_dir};
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, err), GB_OK);
    return kernel->prepare(&run, err);
}

static void end(void)
{
    kernel->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    dev->ops->close(dev);
}

/* Serially the stages are the whole, apart from the loop around them. */
START_TEST(serial_stages_come_to_the_whole)
{
    gb_error err = {0};
    gb_sample sample;
    double sum = 0;
    ck_assert_msg(begin("files=100,bytes=1000003,batch=16", NULL, &err) == GB_OK, "%s",
                  err.message);
    ck_assert_msg(kernel->sample(&run, 2, &sample, &err) == GB_OK, "%s", err.message);
    for (int i = 0; i < PIPELINE_ON_DEVICE; i++)
        sum += sample.parts[i];
    ck_assert_msg(sum > 0.5 * sample.ns && sum < 1.05 * sample.ns, "%g of %g", sum, sample.ns);
    ck_assert_double_eq_tol(sample.parts[PIPELINE_ON_DEVICE],
                            sample.parts[PIPELINE_COPY_IN] + sample.parts[PIPELINE_COMPUTE] +
                                sample.parts[PIPELINE_COPY_OUT],
                            1);
    ck_assert(sample.parts[PIPELINE_ON_DEVICE] <= sample.ns);
    end();
}
END_TEST

/* The user's files, of any lengths, as base64 and as they are; then one of them changes. */
START_TEST(a_users_files_are_read_and_changes_are_noticed)
{
    static const char *const ways[] = {"serial", "double-buffered"};
    gb_error err = {0};
    char text[256];
    open_dir();
    write_file("a", "Zm9vYmFy\n", 9);
    write_file("b", "", 0);
    write_file("c", "Zm9v\nYmE=\n", 10);
    const gb_files_identity identity = identity_of();
    for (int none = 0; none < 2; none++)
        for (int way = 0; way < 2; way++) {
            snprintf(text, sizeof text,
                     "schedule=%s,decode=%s,batch=2,files=3,bytes=19,largest_file=10,data=%llu",
                     ways[way], none ? "none" : "base64", (unsigned long long)identity.number);
            write_file("c", "Zm9v\nYmE=\n", 10);
            gb_sample sample;
            ck_assert_msg(begin(text, dir, &err) == GB_OK, "%s", err.message);
            ck_assert_int_eq(kernel->reset(&run, &err), GB_OK);
            ck_assert_int_eq(kernel->verify(&run, &err), GB_WRONG_RESULT);
            ck_assert_msg(kernel->sample(&run, 2, &sample, &err) == GB_OK, "%s", err.message);
            ck_assert_msg(kernel->verify(&run, &err) == GB_OK, "%s", err.message);
            write_file("c", "Zm9v", 4);
            ck_assert_int_eq(kernel->enqueue(&run, &err), GB_INVALID);
            ck_assert_msg(strstr(err.message, "c: the file has changed"), "%s", err.message);
            end();
        }
    close_dir();
}
END_TEST

static void refuses(const char *text, const char *data_dir, gb_code expected, const char *part)
{
    gb_error err = {0};
    ck_assert_msg(begin(text, data_dir, &err) == expected, "%s: %s", text, err.message);
    ck_assert_msg(strstr(err.message, part) != NULL, "%s", err.message);
    end();
}

START_TEST(other_files_than_those_of_the_case_are_refused)
{
    char text[256];
    open_dir();
    write_file("a", "no base6", 8);
    const unsigned long long data = identity_of().number;
    snprintf(text, sizeof text, "files=1,bytes=8,largest_file=8,data=%llu", data);
    refuses(text, dir, GB_INVALID, "base64 that ends in the middle of a group");
    refuses(text, NULL, GB_UNAVAILABLE, "--data-dir");
    snprintf(text, sizeof text, "decode=none,files=1,bytes=8,largest_file=8,data=%llu", data + 1);
    refuses(text, dir, GB_INVALID, "not the files that this case is for");
    snprintf(text, sizeof text, "decode=none,files=2,bytes=8,largest_file=8,data=%llu", data);
    refuses(text, dir, GB_INVALID, "not the files that this case is for");
    write_file("a", "Zm9v*A==", 8);
    snprintf(text, sizeof text, "files=1,bytes=8,largest_file=8,data=%llu",
             (unsigned long long)identity_of().number);
    refuses(text, dir, GB_INVALID, "a: byte 4 (0x2a) does not belong into base64");
    close_dir();
}
END_TEST

/* What made files decode to, and how many elements that makes, is known without making them. */
START_TEST(sizes_follow_from_the_arguments)
{
    gb_need need;
    gb_work work;
    gb_error err = {0};
    const gb_kernel *k = kernel_args("pipeline", "files=10,bytes=1005,batch=4,rounds=3", args);
    const gb_pipeline_sizes z = gb_pipeline_sizes_of(args);
    ck_assert_uint_eq(z.raw, 4 * 101);     /* 5 files of 101 bytes, 5 of 100 */
    ck_assert_uint_eq(z.decoded, 4 * 75);  /* 25 groups of 4 characters */
    ck_assert_uint_eq(z.elements, 4 * 80); /* 75 numbers, filled up to a multiple of 16 */
    ck_assert_uint_eq(z.all, 10 * 80);
    k->spec.work(args, GB_CPU, &work);
    ck_assert_uint_eq(work.items, 10);
    ck_assert_uint_eq(work.bytes_read, 1005);
    ck_assert_uint_eq(work.flops, 2 * 800 * (3 + 1));
    kernel_args("pipeline", "files=10,bytes=639", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "64 bytes to 1 GiB"));
    kernel_args("pipeline", "files=10,bytes=640,largest_file=64", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_INVALID);
    kernel_args("pipeline", "schedule=double-buffered,files=10,bytes=640,batch=10", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(err.message, "single batch"));
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
    tcase_add_test(tc, the_identity_is_that_of_names_and_contents);
    tcase_add_test(tc, forgotten_files_are_read_as_before_or_it_is_said_why_not);
    tcase_add_test(tc, made_files_go_away_with_their_case);
    tcase_add_test(tc, made_files_go_away_after_a_kill_too);
    tcase_set_timeout(tc, 60);
    suite_add_tcase(suite, tc);
    tc = tcase_create("passes");
    tcase_add_test(tc, serial_stages_come_to_the_whole);
    tcase_add_test(tc, a_users_files_are_read_and_changes_are_noticed);
    tcase_add_test(tc, other_files_than_those_of_the_case_are_refused);
    tcase_add_test(tc, sizes_follow_from_the_arguments);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("pipeline", add_cases)
