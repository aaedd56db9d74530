/* The kernel pipeline on the cpu device: a pass with every answer checked. */
#include "unit/pipeline_fixture.h"

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
    TCase *tc = tcase_create("passes");
    tcase_add_test(tc, serial_stages_come_to_the_whole);
    tcase_add_test(tc, a_users_files_are_read_and_changes_are_noticed);
    tcase_add_test(tc, other_files_than_those_of_the_case_are_refused);
    tcase_add_test(tc, sizes_follow_from_the_arguments);
    tcase_set_timeout(tc, 120);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("pipeline", add_cases)
