/* crossover on the cpu device: right answers at sizes around every boundary, by the processor's own
 * code and by the GPU's; copies and launches that go missing, each of which must be noticed; what
 * is counted, and which sizes are refused. */
#include "kernels/common.h"
#include "unit/kernel_spy.h"

static void open_device(void)
{
    open_kernel_device();
    memset(&spy, 0, sizeof spy);
}

/* One iteration and its verification. */
static gb_code verdict(const char *text, gb_error *err)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    const gb_kernel *k = kernel_args("crossover", text, args);
    gb_run run = {.dev = dev, .args = args, .timer = GB_TIMER_ROUNDTRIP, .seed = 7};
    ck_assert_msg(k->spec.check(args, GB_CPU, &need, err) == GB_OK, "%s", err->message);
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, err), GB_OK);
    gb_code code = k->prepare(&run, err);
    if (code == GB_OK)
        code = k->reset(&run, err);
    if (code == GB_OK)
        code = dev->ops->sync(dev, err);
    spy.copies = spy.launches = 0;
    ops.copy = spy_copy;
    ops.launch = spy_launch;
    if (code == GB_OK)
        code = k->enqueue(&run, err);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, run.stream, err);
    ops.copy = real->copy;
    ops.launch = real->launch;
    if (code == GB_OK)
        code = k->verify(&run, err);
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return code;
}

static bool has_blas(void)
{
    gb_error err = {0};
    return verdict("memory=pageable,job=matmul,n=1", &err) != GB_UNAVAILABLE;
}

static const struct {
    const char *job;
    uint64_t sizes[6];
} boundaries[] = {
    {"matmul", {1, 33, 100}},
    {"add", {1, 5, 16383, 70001}},
    {"reduce", {1, 65, 32769, 300001, 1100003}},
    {"blur", {1, 2, 5, 33, 515}},
    {"resize", {1, 2, 7, 200, 900}},
    {"filter", {1, 33, 1025, 8192, 30001, 600011}},
    {"lookup", {1, 17, 2049, 5001}},
    {"sort", {1, 257, 16385, 40001}},
};

static void every_size(int which, const char *code)
{
    const bool blas = has_blas();
    for (size_t i = 0; i < 6 && boundaries[which].sizes[i] > 0; i++) {
        for (int scope = 0; scope < (strcmp(code, "gpu") == 0 ? 2 : 1); scope++) {
            char text[128];
            gb_error err = {0};
            snprintf(text, sizeof text, "memory=pageable,job=%s,n=%llu,scope=%s,code=%s",
                     boundaries[which].job, (unsigned long long)boundaries[which].sizes[i],
                     scope == 0 ? "end-to-end" : "compute", code);
            if (strcmp(boundaries[which].job, "matmul") != 0 || blas)
                ck_assert_msg(verdict(text, &err) == GB_OK, "%s: %s", text, err.message);
        }
    }
}

START_TEST(KRN_02_right_at_any_size_by_the_processors_code)
{
    every_size(_i, "own");
}
END_TEST

/* All but sort, whose code on a GPU is a library. */
START_TEST(KRN_02_right_at_any_size_by_the_gpus_code)
{
    every_size(_i, "gpu");
}
END_TEST

static void wrong(const char *text, const char *mistake)
{
    gb_error err = {0};
    ck_assert_msg(verdict(text, &err) == GB_WRONG_RESULT, "%s: %s was not noticed: %s", text,
                  mistake, err.message);
}

static const char *const runs[] = {
    "memory=pageable,code=gpu,job=add,n=5003",     "memory=pageable,code=gpu,job=reduce,n=50003",
    "memory=pageable,code=gpu,job=blur,n=70",      "memory=pageable,code=gpu,job=resize,n=100",
    "memory=pageable,code=gpu,job=filter,n=20011", "memory=pageable,code=gpu,job=lookup,n=5003",
    "memory=pageable,code=own,job=sort,n=40001",   "memory=pageable,code=own,job=filter,n=30001",
    "memory=pageable,code=own,job=reduce,n=70001",
};

START_TEST(every_copy_and_every_launch_counts)
{
    gb_error err = {0};
    ck_assert_msg(verdict(runs[_i], &err) == GB_OK, "%s: %s", runs[_i], err.message);
    const unsigned long copies = spy.copies, launches = spy.launches;
    ck_assert_uint_gt(launches, 0);
    for (unsigned long i = 1; i <= copies; i++) {
        spy.drop_copy = i;
        wrong(runs[_i], "a copy that did not happen");
        spy.drop_copy = 0;
        spy.short_copy = i;
        wrong(runs[_i], "a copy that is 4 bytes short");
        spy.short_copy = 0;
    }
    /* Steps build on each other: without an early one a later one would write anywhere. */
    for (unsigned long i = strstr(runs[_i], "filter") || strstr(runs[_i], "sort") ? launches : 1;
         i <= launches; i++) {
        spy.drop_launch = i;
        wrong(runs[_i], "a launch that did not happen");
        spy.drop_launch = 0;
    }
}
END_TEST

/* A processor copies nothing, and has nothing emulated. */
START_TEST(a_processor_works_where_the_data_is)
{
    const bool blas = has_blas();
    for (size_t i = 0; i < GB_COUNT(boundaries); i++) {
        char text[96];
        gb_error err = {0};
        snprintf(text, sizeof text, "memory=pageable,job=%s,n=1000", boundaries[i].job);
        if (strcmp(boundaries[i].job, "matmul") == 0 && !blas)
            continue;
        dev->emulated = false;
        ck_assert_msg(verdict(text, &err) == GB_OK, "%s: %s", text, err.message);
        ck_assert_uint_eq(spy.copies, 0);
        ck_assert(!dev->emulated);
    }
}
END_TEST

static gb_work work_of(const char *text, gb_device_kind kind)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_work work;
    kernel_args("crossover", text, args)->spec.work(args, kind, &work);
    return work;
}

START_TEST(what_is_counted)
{
    gb_work w = work_of("job=matmul,n=100", GB_CUDA);
    ck_assert_uint_eq(w.flops, 2000000);
    ck_assert_uint_eq(w.bytes_moved, 120000);
    ck_assert_uint_eq(w.items, 10000);
    ck_assert_int_eq(w.ceiling, GB_CEILING_NONE);
    ck_assert_int_eq(work_of("job=matmul,n=100,scope=compute", GB_CUDA).ceiling, GB_CEILING_MEMORY);
    ck_assert_int_eq(work_of("job=matmul,n=100", GB_CPU).ceiling, GB_CEILING_MEMORY);
    w = work_of("job=add,n=1000", GB_CPU);
    ck_assert_uint_eq(w.flops, 1000);
    ck_assert_uint_eq(w.bytes_read, 8000);
    ck_assert_uint_eq(w.bytes_written, 4000);
    w = work_of("job=reduce,n=1000", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, 4008);
    w = work_of("job=blur,n=10", GB_CUDA);
    ck_assert_uint_eq(w.flops, 8000); /* 4 channels, 2 ways, 5 multiply-adds */
    ck_assert_uint_eq(w.bytes_moved, 800);
    w = work_of("job=resize,n=16", GB_CUDA);
    ck_assert_uint_eq(w.items, 100);
    ck_assert_uint_eq(w.bytes_moved, 4 * (256 + 100));
    w = work_of("job=filter,n=1000", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, 16004);
    w = work_of("job=lookup,n=1000", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, 16000);
    ck_assert_uint_eq(w.working_set, 8000 + (16 << 20));
    w = work_of("job=sort,n=1000", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, 8000);
    ck_assert_uint_eq(w.items, 1000);
}
END_TEST

START_TEST(sizes_beyond_a_jobs_limit_are_refused)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    gb_error err = {0};
    const gb_kernel *k = kernel_args("crossover", "job=blur,n=32769", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_INVALID);
    ck_assert_str_eq(err.message, "n is at most 32768 for job blur, not 32769");
    k = kernel_args("crossover", "job=sort,code=gpu", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(err.message, "a library that runs on cuda alone"));
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_OK);
    /* The program's arrays and the device's, and the library's scratch. */
    k = kernel_args("crossover", "job=add,n=1000", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_OK);
    ck_assert_uint_eq(need.device_bytes, 12000);
    ck_assert_uint_eq(need.pinned_bytes, 12000);
    k = kernel_args("crossover", "job=add,n=1000,scope=compute", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_OK);
    ck_assert_uint_eq(need.pinned_bytes + need.host_bytes, 0);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("crossover");
    tcase_add_checked_fixture(tests, open_device, close_kernel_device);
    tcase_set_timeout(tests, 250);
    tcase_add_loop_test(tests, KRN_02_right_at_any_size_by_the_processors_code, 0,
                        GB_COUNT(boundaries));
    tcase_add_loop_test(tests, KRN_02_right_at_any_size_by_the_gpus_code, 0,
                        GB_COUNT(boundaries) - 1);
    tcase_add_loop_test(tests, every_copy_and_every_launch_counts, 0, GB_COUNT(runs));
    tcase_add_test(tests, a_processor_works_where_the_data_is);
    tcase_add_test(tests, what_is_counted);
    tcase_add_test(tests, sizes_beyond_a_jobs_limit_are_refused);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("crossover", add_cases)
