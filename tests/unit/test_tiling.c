/* transpose, bank, stencil and reduce on the cpu device: sizes that tiles do not divide, what is
 * counted, and launches that go wrong in ways in which a kernel does: each must be noticed. */
#include <float.h>

#include "kernels/bank.h"
#include "kernels/common.h"
#include "unit/spoiled_launch.h"

GB_FN_DECLARE(bank)

static const unsigned sizes[] = {1, 31, 33, 1000, 1023, 1025};

START_TEST(KRN_02_transpose_of_any_size)
{
    static const char *const variants[] = {"copy", "naive", "tiled", "padded"};
    for (size_t r = 0; r < GB_COUNT(sizes); r++) {
        for (size_t c = 0; c < GB_COUNT(sizes); c++) {
            char text[64];
            snprintf(text, sizeof text, "variant=%s,n=%u,columns=%u", variants[_i], sizes[r],
                     sizes[c]);
            right("transpose", text);
        }
    }
}
END_TEST

START_TEST(KRN_02_stencil_of_any_size)
{
    static const unsigned radii[] = {1, 7, 64};
    for (size_t r = 0; r < GB_COUNT(radii); r++) {
        for (size_t e = 0; e < GB_COUNT(sizes); e++) {
            char text[64];
            snprintf(text, sizeof text, "variant=%s,radius=%u,elements=%u",
                     _i ? "shared" : "global", radii[r], sizes[e]);
            right("stencil", text);
        }
    }
}
END_TEST

static const char *const ways[] = {"serial", "atomic", "tree", "shuffle"};

START_TEST(KRN_02_reduce_of_any_size)
{
    static const unsigned shares[] = {1, 3, 16};
    for (size_t p = 0; p < GB_COUNT(shares); p++) {
        for (size_t e = 0; e < GB_COUNT(sizes); e++) {
            char text[96];
            snprintf(text, sizeof text, "variant=%s,type=%s,per_thread=%u,elements=%u", ways[_i],
                     e % 2 ? "fp64" : "fp32", shares[p], sizes[e] * (unsigned)(e % 3 + 1));
            right("reduce", text);
        }
    }
}
END_TEST

START_TEST(bank_at_every_stride)
{
    for (unsigned stride = 1; stride <= BANK_MAX_STRIDE; stride++) {
        char text[64];
        snprintf(text, sizeof text, "stride=%u,blocks=%u,rounds=%u", stride, 1 + stride % 3,
                 stride + 17);
        right("bank", text);
    }
}
END_TEST

START_TEST(KRN_01_a_clamped_grid_still_covers_everything)
{
    dev->info.max_grid[0] = 3;
    right("transpose", "variant=copy,n=1000,columns=333");
    right("transpose", "variant=naive,n=333,columns=1000");
    right("transpose", "variant=tiled,n=333,columns=1000");
    right("transpose", "variant=padded,n=1000,columns=333");
    right("stencil", "variant=global,radius=5,elements=100003");
    right("stencil", "variant=shared,radius=5,elements=100003");
    for (size_t w = 0; w < GB_COUNT(ways); w++) {
        char text[64];
        snprintf(text, sizeof text, "variant=%s,per_thread=2,elements=50003", ways[w]);
        right("reduce", text);
    }
}
END_TEST

/* Of floats too: the data are chosen so. */
START_TEST(KRN_17_long_sums_are_exact)
{
    for (size_t w = 0; w < GB_COUNT(ways); w++) {
        for (int fp64 = 0; fp64 < 2; fp64++) {
            char text[96];
            snprintf(text, sizeof text, "variant=%s,type=%s,per_thread=1024,elements=600001",
                     ways[w], fp64 ? "fp64" : "fp32");
            right("reduce", text);
        }
    }
}
END_TEST

START_TEST(KRN_17_the_tolerance_of_a_sum_depends_on_type_and_length)
{
    const double want = 22839525000.0, found = 22839521000.0; /* 1.8e-7 apart */
    const struct {
        double epsilon;
        uint64_t additions;
        bool passes;
    } rows[] = {{(double)FLT_EPSILON, 1, false},
                {(double)FLT_EPSILON, 2, true},
                {(double)FLT_EPSILON, 1 << 20, true},
                {DBL_EPSILON, 1 << 20, false},
                {DBL_EPSILON, 1 << 30, true}};
    for (size_t i = 0; i < GB_COUNT(rows); i++) {
        gb_mismatch bad = {0};
        const double tolerance = gb_sum_tolerance(rows[i].epsilon, rows[i].additions, want);
        gb_compare_f64(&bad, 0, want, found, tolerance);
        ck_assert_msg((bad.count == 0) == rows[i].passes, "row %zu: tolerance %g", i, tolerance);
        gb_compare_f64(&bad, 1, want, NAN, tolerance);
        ck_assert_uint_eq(bad.count, rows[i].passes ? 1 : 2);
    }
}
END_TEST

/* Dynamic shared memory at the limit of 48 KiB. */
START_TEST(KRN_04_the_edge_of_48_KiB)
{
    static const struct {
        uint32_t bytes;
        gb_code code;
    } rows[] = {{49148, GB_OK}, {49152, GB_OK}, {49156, GB_INVALID}};
    for (size_t i = 0; i < GB_COUNT(rows); i++) {
        gb_error err = {0};
        const gb_launch launch = {{1, 1, 1}, {256, 1, 1}, rows[i].bytes};
        uint32_t blocks = 0;
        ck_assert_msg(real->blocks_per_unit(dev, GB_FN(bank), &launch, &blocks, &err) ==
                          rows[i].code,
                      "%u bytes: %s", rows[i].bytes, err.message);
        ck_assert_uint_eq(blocks, rows[i].code == GB_OK);
        ck_assert(rows[i].code == GB_OK || strstr(err.message, "49152 bytes of shared memory"));
    }
}
END_TEST

static gb_code nothing_fits(gb_device *device, const gb_fn *fn, const gb_launch *launch,
                            uint32_t *blocks, gb_error *err)
{
    (void)device, (void)launch, (void)blocks;
    return gb_fail(err, GB_DEVICE_ERROR, "kernel does not fit: %s", fn->name);
}

START_TEST(KRN_16_a_reduction_that_does_not_fit_ends_before_it_is_launched)
{
    gb_error err = {0};
    ops.blocks_per_unit = nothing_fits;
    ck_assert_int_eq(kernel_verdict(dev, "reduce", "variant=shuffle,elements=1000", &err),
                     GB_DEVICE_ERROR);
    ck_assert_str_eq(err.message, "kernel does not fit: reduce_shuffle_fp32");
}
END_TEST

/* Places of arguments: see the .cu files. */
static const mistake mistakes[] = {
    {"transpose", "variant=copy", 5, 8, -1, "the last tile is skipped"},
    {"transpose", "variant=naive", 5, 8, -1, "the last tile is skipped"},
    {"transpose", "variant=tiled", 5, 8, -1, "the last tile is skipped"},
    {"transpose", "variant=padded", 5, 8, -1, "the last tile is skipped"},
    {"transpose", "variant=naive", 2, 8, -1, "rows of the result are too short"},
    {"transpose", "variant=tiled", 2, 8, -1, "rows of the result are too short"},
    {"transpose", "variant=tiled", 3, 8, -1, "rows of the matrix are too short"},
    {"bank", "stride=4", 2, 4, -1, "another stride"},
    {"bank", "stride=4", 3, 4, -1, "a round too few"},
    {"bank", "stride=4", 3, 4, 1, "a round too many"},
    {"stencil", "variant=global", 2, 8, -1, "the last element is skipped"},
    {"stencil", "variant=shared", 2, 8, -1, "the last element is skipped"},
    {"stencil", "variant=global", 3, 4, -1, "a narrower stencil"},
    {"stencil", "variant=shared", 3, 4, -1, "a narrower stencil"},
    {"stencil", "variant=shared", 4, 4, 64, "another weight"},
    {"reduce", "variant=serial", 2, 8, -1, "the last element is skipped"},
    {"reduce", "variant=atomic", 2, 8, -1, "the last element is skipped"},
    {"reduce", "variant=tree", 2, 8, -1, "the last element is skipped"},
    {"reduce", "variant=shuffle", 2, 8, -1, "the last element is skipped"},
    {"reduce", "variant=serial", 3, 8, -1, "the last chunk is skipped"},
    {"reduce", "variant=tree", 3, 8, -1, "the last chunk is skipped"},
    {"reduce", "variant=shuffle", 4, 4, -1, "shorter chunks"},
};

START_TEST(KRN_06_a_wrong_launch_is_noticed)
{
    static const struct {
        const char *kernel, *size;
    } rows[] = {{"transpose", "n=100,columns=70"},
                {"bank", "rounds=5"},
                {"stencil", "radius=3,elements=1000"},
                {"reduce", "per_thread=4,elements=5000"}};
    const mistake *m = &mistakes[_i];
    for (size_t r = 0; r < GB_COUNT(rows); r++) {
        char text[128];
        if (strcmp(rows[r].kernel, m->kernel) != 0)
            continue;
        snprintf(text, sizeof text, "%s,%s", m->args, rows[r].size);
        mistake sized = *m;
        sized.args = text;
        noticed(&sized);
        return;
    }
    ck_abort_msg("no arguments for %s", m->kernel);
}
END_TEST

/* One element of millions is not lost in a tolerance. */
START_TEST(KRN_17_a_single_missing_term_of_a_long_sum_is_noticed)
{
    static const mistake cases[] = {
        {"reduce", "variant=serial,per_thread=1024,elements=600001", 2, 8, -1, ""},
        {"reduce", "variant=atomic,per_thread=1024,elements=600001", 2, 8, -1, ""},
        {"reduce", "variant=tree,per_thread=1024,elements=600001", 2, 8, -1, ""},
        {"stream", "op=read,type=fp32,bytes=67108868", 3, 8, -1, ""},
        {"stream", "op=dot,type=fp32,bytes=67108868", 3, 8, -1, ""},
    };
    gb_error err = {0};
    noticed_as(&cases[_i], &err);
    ck_assert_msg(strstr(err.message, ": 1 of ") != NULL, "%s", err.message);
}
END_TEST

START_TEST(KRN_05_work_is_counted_once_and_says_what_it_touches)
{
    gb_need need;
    gb_work w = life_work("transpose", "n=4096", GB_CUDA, &need);
    ck_assert_uint_eq(w.bytes_moved, UINT64_C(2) * 4096 * 4096 * 4);
    ck_assert_uint_eq(w.working_set, w.bytes_moved);
    ck_assert_uint_eq(need.device_bytes, w.bytes_moved);
    ck_assert_uint_eq(life_work("transpose", "n=65536", GB_CUDA, &need).bytes_read, UINT64_C(1)
                                                                                        << 34);
    ck_assert_uint_eq(life_work("transpose", "n=1000,columns=10", GB_CUDA, &need).bytes_written,
                      40000);

    w = life_work("bank", "stride=32,blocks=2,rounds=3", GB_CUDA, &need);
    ck_assert_uint_eq(w.items, 2 * 8 * 3 * 32); /* blocks, warps, rounds, loads */
    ck_assert_uint_eq(w.bytes_moved, w.items * 128);
    ck_assert_int_eq(w.ceiling, GB_CEILING_NONE); /* not bytes of the device's memory */

    w = life_work("stencil", "radius=4,elements=1000", GB_CUDA, &need);
    ck_assert_uint_eq(w.bytes_read, 1008 * 4);
    ck_assert_uint_eq(w.bytes_written, 4000);
    ck_assert_uint_eq(w.flops, 1000 * 18);
    ck_assert_uint_eq(need.device_bytes, (1000 + 1024 + 8) * 4);

    w = life_work("reduce", "type=fp64,per_thread=4,elements=2049", GB_CUDA, &need);
    ck_assert_uint_eq(w.bytes_read, 2049 * 8);
    ck_assert_uint_eq(w.bytes_written, 3 * 8);
    ck_assert_uint_eq(w.flops, 2049);
    ck_assert_uint_eq(need.device_bytes, 2052 * 8);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("tiling");
    tcase_set_timeout(tc, 240);
    tcase_add_checked_fixture(tc, open_spoiled_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_02_transpose_of_any_size, 0, 4);
    tcase_add_loop_test(tc, KRN_02_stencil_of_any_size, 0, 2);
    tcase_add_loop_test(tc, KRN_02_reduce_of_any_size, 0, (int)GB_COUNT(ways));
    tcase_add_test(tc, bank_at_every_stride);
    tcase_add_test(tc, KRN_01_a_clamped_grid_still_covers_everything);
    tcase_add_test(tc, KRN_17_long_sums_are_exact);
    tcase_add_loop_test(tc, KRN_17_a_single_missing_term_of_a_long_sum_is_noticed, 0, 5);
    tcase_add_test(tc, KRN_17_the_tolerance_of_a_sum_depends_on_type_and_length);
    tcase_add_test(tc, KRN_04_the_edge_of_48_KiB);
    tcase_add_test(tc, KRN_16_a_reduction_that_does_not_fit_ends_before_it_is_launched);
    tcase_add_loop_test(tc, KRN_06_a_wrong_launch_is_noticed, 0, (int)GB_COUNT(mistakes));
    tcase_add_test(tc, KRN_05_work_is_counted_once_and_says_what_it_touches);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("tiling", add_cases)
