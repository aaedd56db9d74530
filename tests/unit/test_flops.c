/* flops and intensity on the cpu device: sizes, counted work, limits, and launches that go wrong in
 * ways in which a kernel does: each must be noticed. */
#include "unit/kernel_fixture.h"

static void (*spoil)(void *args[], int n_at); /* NULL: nothing */
static int n_at;                              /* which argument is n; the count follows it */

/* Arguments: to, [from,] n, count, four constants. */
static gb_code spoiling_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                               const gb_launch *launch, void *args[], gb_error *err)
{
    uint64_t n = *(uint64_t *)args[n_at];
    uint32_t count = *(uint32_t *)args[n_at + 1];
    void *copies[8] = {0};
    memcpy(copies, args, (size_t)(n_at + 6) * sizeof args[0]);
    copies[n_at] = &n;
    copies[n_at + 1] = &count;
    if (spoil != NULL)
        spoil(copies, n_at);
    return real->launch(device, stream, fn, launch, copies, err);
}

static void open_device(void)
{
    open_kernel_device();
    spoil = NULL;
}

static const char *const flops_types[] = {"fp64", "fp32", "int32"};

START_TEST(KRN_02_flops_of_any_number_of_threads_and_rounds)
{
    static const unsigned threads[] = {1, 15, 16, 31, 33, 1000, 1023, 4097};
    static const unsigned rounds[] = {1, 2, 3, 224, 5000};
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        for (size_t r = 0; r < sizeof rounds / sizeof rounds[0]; r++) {
            char text[96];
            gb_error err = {0};
            snprintf(text, sizeof text, "type=%s,threads=%u,rounds=%u", flops_types[_i], threads[t],
                     rounds[r]);
            ck_assert_msg(kernel_verdict("flops", text, NULL, &err) == GB_OK, "%s: %s", text,
                          err.message);
        }
    }
}
END_TEST

START_TEST(KRN_02_intensity_of_any_size_and_number_of_steps)
{
    static const unsigned elements[] = {1, 31, 33, 127, 128, 129, 1000, 1023, 10007};
    static const unsigned fmas[] = {1, 2, 3, 8, 17, 1024};
    for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++) {
        for (size_t f = 0; f < sizeof fmas / sizeof fmas[0]; f++) {
            char text[96];
            gb_error err = {0};
            snprintf(text, sizeof text, "type=%s,fmas=%u,bytes=%u", _i == 0 ? "fp32" : "fp64",
                     fmas[f], elements[e] * (_i == 0 ? 4 : 8));
            ck_assert_msg(kernel_verdict("intensity", text, NULL, &err) == GB_OK, "%s: %s", text,
                          err.message);
        }
    }
}
END_TEST

static void skip_the_last(void *args[], int at)
{
    --*(uint64_t *)args[at];
}

static void one_step_less(void *args[], int at)
{
    --*(uint32_t *)args[at + 1];
}

static void one_step_more(void *args[], int at)
{
    ++*(uint32_t *)args[at + 1];
}

static void no_step(void *args[], int at)
{
    *(uint32_t *)args[at + 1] = 0;
}

static void swapped_constants(void *args[], int at)
{
    void *one = args[at + 2];
    args[at + 2] = args[at + 4];
    args[at + 4] = one;
}

START_TEST(KRN_06_a_wrong_launch_is_noticed)
{
    static void (*const mistakes[])(void *[], int) = {skip_the_last, one_step_less, one_step_more,
                                                      no_step, swapped_constants};
    static const struct {
        const char *kernel, *text;
        int n_at;
    } cases[] = {
        {"flops", "type=fp64,threads=1000,rounds=1001", 1},
        {"flops", "type=fp32,threads=1000,rounds=1001", 1},
        {"flops", "type=int32,threads=1000,rounds=1001", 1},
        {"intensity", "type=fp32,fmas=7,bytes=4004", 2},
        {"intensity", "type=fp64,fmas=1000,bytes=8008", 2},
    };
    ops.launch = spoiling_launch;
    dev->ops = &ops;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
            gb_error err = {0};
            n_at = cases[c].n_at;
            spoil = NULL;
            ck_assert_msg(kernel_verdict(cases[c].kernel, cases[c].text, NULL, &err) == GB_OK, "%s",
                          err.message);
            spoil = mistakes[m];
            ck_assert_msg(kernel_verdict(cases[c].kernel, cases[c].text, NULL, &err) ==
                              GB_WRONG_RESULT,
                          "%s[%s]: mistake %zu was not noticed", cases[c].kernel, cases[c].text, m);
        }
    }
}
END_TEST

static gb_work counted(const char *kernel, const char *text)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_work work;
    k->spec.work(args, GB_CUDA, &work);
    return work;
}

START_TEST(KRN_08_a_multiply_add_is_two_operations)
{
    gb_work w = counted("flops", "type=fp32,threads=1000,rounds=100");
    ck_assert_uint_eq(w.items, UINT64_C(1000) * 100 * 2 * 12);
    ck_assert_uint_eq(w.flops, 2 * w.items);
    ck_assert_int_eq(w.compute, GB_COMPUTE_FP32);
    w = counted("flops", "type=fp16x2,threads=1000,rounds=100"); /* two numbers a register */
    ck_assert_uint_eq(w.flops, UINT64_C(1000) * 100 * 2 * 12 * 2 * 2);
    ck_assert_int_eq(w.compute, GB_COMPUTE_FP16);
    w = counted("flops", "type=int32,threads=1000,rounds=100"); /* no floating point */
    ck_assert_uint_eq(w.flops, 0);
    ck_assert_uint_eq(w.items, UINT64_C(1000) * 100 * 2 * 12);
    w = counted("intensity", "type=fp64,fmas=1,bytes=1048576"); /* 1/8 FLOP/byte */
    ck_assert_uint_eq(8 * w.flops, w.bytes_read + w.bytes_written);
    w = counted("intensity", "type=fp32,fmas=1024,bytes=1048576"); /* 256 */
    ck_assert_uint_eq(w.flops, 256 * (w.bytes_read + w.bytes_written));
}
END_TEST

START_TEST(limits_are_said)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    gb_error err = {0};
    const gb_kernel *k = kernel_args("flops", "type=bf16x2,rounds=225", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "224"));
    kernel_args("flops", "type=fp16x2", args);
    ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_OK);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(err.message, "packed halves"));
    k = kernel_args("intensity", "type=fp64,bytes=1028", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_INVALID);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("flops");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, open_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_02_flops_of_any_number_of_threads_and_rounds, 0, 3);
    tcase_add_loop_test(tc, KRN_02_intensity_of_any_size_and_number_of_steps, 0, 2);
    tcase_add_test(tc, KRN_06_a_wrong_launch_is_noticed);
    tcase_add_test(tc, KRN_08_a_multiply_add_is_two_operations);
    tcase_add_test(tc, limits_are_said);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("flops", add_cases)
