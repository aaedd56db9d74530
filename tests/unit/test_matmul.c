/* matmul: every variant of the cpu device at awkward sizes, and what is refused and counted. */
#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

static gb_error err;

/* GB_UNAVAILABLE: prepare says so. */
static gb_code verdict(const char *text)
{
    return kernel_verdict(dev, "matmul", text, &err);
}

static const char *const variants[] = {"naive", "tiled", "register-tiled", "vendor"};
static const char *const sizes[] = {
    "n=1",           "n=2",       "n=31",          "n=32",           "n=33",
    "n=127",         "n=128",     "n=129",         "n=257",          "n=1,m=300",
    "n=300,m=1",     "n=300,k=1", "n=1,m=1,k=999", "n=65,m=33,k=17", "n=129,m=1,k=130",
    "n=31,m=257,k=3"};
static const char *const large[] = {"n=1000", "n=1023"};

START_TEST(KRN_02_products_of_any_size)
{
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int fp64 = 0; fp64 < 2; fp64++) {
            char text[128];
            snprintf(text, sizeof text, "variant=%s,type=%s,%s", variants[_i],
                     fp64 ? "fp64" : "fp32", sizes[s]);
            const gb_code code = verdict(text);
            ck_assert_msg(code == GB_OK || (_i == 3 && code == GB_UNAVAILABLE), "%s: %s", text,
                          err.message);
        }
    }
}
END_TEST

/* The naive variant takes many seconds for these. */
START_TEST(KRN_02_large_products_of_any_size)
{
    for (size_t s = 0; s < 2; s++) {
        char text[128];
        snprintf(text, sizeof text, "variant=%s,%s", variants[_i], large[s]);
        const gb_code code = verdict(text);
        ck_assert_msg(code == GB_OK || (_i == 3 && code == GB_UNAVAILABLE), "%s: %s", text,
                      err.message);
    }
}
END_TEST

/* A kernel that is given one step of k, one row or one column less than it should: what a wrong
 * bound in its code would do. Arguments: c, a, b, m, n, k. */
static int shortened;
static gb_code short_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                            const gb_launch *launch, void *args[], gb_error *error)
{
    size_t size[3];
    for (int i = 0; i < 3; i++)
        size[i] = *(size_t *)args[3 + i] - (i == shortened);
    void *fewer[] = {args[0], args[1], args[2], &size[0], &size[1], &size[2]};
    return real->launch(device, stream, fn, launch, fewer, error);
}

/* As one thread block too few in x, or in y, would do. */
static gb_code few_blocks(gb_device *device, gb_stream *stream, const gb_fn *fn,
                          const gb_launch *launch, void *args[], gb_error *error)
{
    gb_launch fewer = *launch;
    fewer.grid[shortened]--;
    return real->launch(device, stream, fn, &fewer, args, error);
}

START_TEST(a_kernel_that_skips_a_tail_is_noticed)
{
    static const char *const products[] = {"n=150,m=140,k=130", "n=300,m=290,k=310"};
    for (size_t p = 0; p < 2; p++) {
        for (int type = 0; type < 2; type++) {
            char text[128];
            snprintf(text, sizeof text, "variant=%s,type=%s,%s", variants[_i],
                     type ? "fp64" : "fp32", products[p]);
            ops.launch = real->launch;
            ck_assert_msg(verdict(text) == GB_OK, "%s: %s", text, err.message);
            ops.launch = short_launch;
            for (shortened = 0; shortened < 3; shortened++)
                ck_assert_msg(verdict(text) == GB_WRONG_RESULT, "%s: size %d", text, shortened);
            ops.launch = few_blocks;
            for (shortened = 0; shortened < 2; shortened++)
                ck_assert_msg(verdict(text) == GB_WRONG_RESULT, "%s: grid %d", text, shortened);
        }
    }
}
END_TEST

START_TEST(arguments_that_do_not_go_together)
{
    static const struct {
        const char *text;
        gb_device_kind kind;
        gb_code code;
        const char *says;
    } cases[] = {
        {"variant=naive,type=fp16", GB_CUDA, GB_INVALID, "it has fp32 and fp64"},
        {"variant=tiled,type=tf32", GB_CUDA, GB_INVALID, "it has fp32 and fp64"},
        {"variant=wmma,type=fp32", GB_CUDA, GB_INVALID, "it has fp16 and bf16"},
        {"variant=wmma,type=fp64", GB_CPU, GB_INVALID, "it has fp16 and bf16"},
        {"variant=wmma,type=bf16", GB_CPU, GB_UNAVAILABLE, "tensor cores"},
        {"variant=vendor,type=tf32", GB_CPU, GB_UNAVAILABLE, "OpenBLAS"},
        {"variant=vendor,type=fp16", GB_CPU, GB_UNAVAILABLE, "not fp16"},
        {"variant=vendor,type=fp16", GB_CUDA, GB_OK, ""},
        {"variant=wmma,type=bf16", GB_CUDA, GB_OK, ""},
        {"variant=vendor,type=fp64,n=65536", GB_CPU, GB_OK, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        life_answers("matmul", cases[i].text, cases[i].kind, cases[i].code, cases[i].says);
}
END_TEST

START_TEST(work_is_counted_from_the_sizes)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_work work;
    gb_need need;
    const gb_kernel *k = kernel_args("matmul", "variant=vendor,type=bf16,n=5,m=3,k=7", args);
    k->spec.work(args, GB_CUDA, &work);
    ck_assert_uint_eq(work.flops, 2 * 5 * 3 * 7);
    ck_assert_uint_eq(work.bytes_read, 2 * (3 * 7 + 7 * 5));
    ck_assert_uint_eq(work.bytes_written, 2 * 3 * 5);
    ck_assert_uint_eq(work.bytes_moved, work.bytes_read + work.bytes_written);
    ck_assert_int_eq(work.compute, GB_COMPUTE_BF16_TENSOR);
    kernel_args("matmul", "variant=vendor,type=fp64,n=65536", args);
    k->spec.work(args, GB_CUDA, &work);
    ck_assert_uint_eq(work.flops, UINT64_C(1) << 49);
    ck_assert_int_eq(work.compute, GB_COMPUTE_FP64_TENSOR);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, NULL), GB_OK);
    ck_assert_uint_eq(need.device_bytes, UINT64_C(3) << 35);
    kernel_args("matmul", "variant=tiled,type=fp64,n=4", args);
    k->spec.work(args, GB_CUDA, &work);
    ck_assert_uint_eq(work.flops, 2 * 64);
    ck_assert_int_eq(work.compute, GB_COMPUTE_FP64);
}
END_TEST

static gb_code no_blas(gb_device *device, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                       const void *a, const void *b, void *c, gb_error *error)
{
    (void)device, (void)stream, (void)type, (void)m, (void)n, (void)k, (void)a, (void)b, (void)c;
    return gb_fail(error, GB_UNAVAILABLE, "no library here");
}

START_TEST(a_missing_library_is_a_reason_to_skip)
{
    ops.gemm = no_blas;
    ck_assert_int_eq(verdict("variant=vendor,n=8"), GB_UNAVAILABLE);
    ck_assert_str_eq(err.message, "no library here");
    ck_assert_int_eq(verdict("variant=tiled,n=8"), GB_OK);
}
END_TEST

START_TEST(tensor_cores_before_8_0_have_no_bf16)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args("matmul", "variant=wmma,type=bf16,n=16", args);
    gb_run run = {.dev = dev, .args = args, .seed = 7};
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
    for (int major = 7; major < 9; major++) {
        dev->info.kind = GB_CUDA;
        dev->info.cc_major = major;
        dev->info.cc_minor = 5;
        const gb_code code = k->prepare(&run, &err);
        ck_assert_int_eq(code, major < 8 ? GB_UNAVAILABLE : GB_OK);
        if (major < 8)
            ck_assert_msg(strstr(err.message, "this GPU has 7.5") != NULL, "%s", err.message);
        k->release(&run);
    }
    dev->ops->stream_destroy(dev, run.stream);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("matmul");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, open_kernel_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_02_products_of_any_size, 0, 4);
    tcase_add_loop_test(tc, KRN_02_large_products_of_any_size, 1, 4);
    tcase_add_loop_test(tc, a_kernel_that_skips_a_tail_is_noticed, 0, 3);
    tcase_add_test(tc, arguments_that_do_not_go_together);
    tcase_add_test(tc, work_is_counted_from_the_sizes);
    tcase_add_test(tc, a_missing_library_is_a_reason_to_skip);
    tcase_add_test(tc, tensor_cores_before_8_0_have_no_bf16);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("matmul", add_cases)
