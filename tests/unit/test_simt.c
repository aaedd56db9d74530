/* The four ways in which the cpu device runs the threads of a block. */
#include "unit/device_fixture.h"

#include "device/simt/cpu_code.h"
#include "device/simt/fiber.h"

GB_FN_DECLARE(axpy_range)
GB_FN_DECLARE(axpy_flat)
GB_FN_DECLARE(axpy_phased)
GB_FN_DECLARE(axpy_fiber)
GB_FN_DECLARE(sum_phased)
GB_FN_DECLARE(sum_fiber)
GB_FN_DECLARE(index_flat)
GB_FN_DECLARE(index_phased)
GB_FN_DECLARE(index_fiber)
GB_FN_DECLARE(take_arguments)
GB_FN_DECLARE(reverse_dynamic)
GB_FN_DECLARE(transpose)
GB_FN_DECLARE(count_up)
GB_FN_DECLARE(shuffles)
GB_FN_DECLARE(early_exit)
GB_FN_DECLARE(divergent_barrier)
GB_FN_DECLARE(partial_mask)
GB_FN_DECLARE(barrier_in_flat)
GB_FN_DECLARE_CUDA_ONLY(cuda_alone)
GB_FN_DECLARE(shift)
GB_FN_DECLARE(shift_broken)
GB_FN_DECLARE(tree_sum)
GB_FN_DECLARE(tree_sum_broken)
GB_FN_DECLARE(reuse)
GB_FN_DECLARE(reuse_broken)

#ifdef __SANITIZE_THREAD__
enum { LARGE = 100003 }; /* TSan needs minutes for a million fibers */
#else
enum { LARGE = 1000003 };
#endif
static const size_t sizes[] = {1, 31, 33, 1000, 1023, 1025, LARGE};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static uint32_t blocks_of(size_t n)
{
    return (uint32_t)((n + 255) / 256);
}

START_TEST(KRN_02_all_four_modes_give_equal_results_on_odd_sizes)
{
    const gb_fn *const modes[] = {GB_FN(axpy_range), GB_FN(axpy_flat), GB_FN(axpy_phased),
                                  GB_FN(axpy_fiber)};
    size_t n = sizes[_i];
    gb_memory x = device_memory(n * 4), y = device_memory(n * 4), out = device_memory(n * 4 + 4);
    float *px = x.device, *py = y.device, *po = out.device, a = 3.0f;
    for (size_t i = 0; i < n; i++) {
        px[i] = (float)(i % 1001);
        py[i] = (float)(i % 77) - 38.0f;
    }
    for (size_t m = 0; m < 4; m++) {
        memset(po, 0xff, n * 4);
        po[n] = -1.0f; /* nobody writes behind the end */
        void *args[] = {&out.device, &x.device, &y.device, &a, &n};
        OK(launch(modes[m], blocks_of(n), 256, args));
        OK(sync_stream());
        for (size_t i = 0; i < n; i++)
            ck_assert_msg(po[i] == a * px[i] + py[i], "%s: element %zu of %zu is %g",
                          modes[m]->name, i, n, (double)po[i]);
        ck_assert(po[n] == -1.0f);
    }
    dev->ops->free(dev, &x);
    dev->ops->free(dev, &y);
    dev->ops->free(dev, &out);
}
END_TEST

START_TEST(range_covers_everything_whatever_the_grid_is)
{
    size_t n = 100003;
    float a = 2.0f;
    gb_memory x = device_memory(n * 4), y = device_memory(n * 4), out = device_memory(n * 4);
    float *px = x.device, *py = y.device, *po = out.device;
    for (size_t i = 0; i < n; i++) {
        px[i] = (float)i;
        py[i] = 1.0f;
    }
    for (uint32_t grid = 1; grid < 5000; grid = grid * 3 + 1) {
        memset(po, 0xff, n * 4);
        void *args[] = {&out.device, &x.device, &y.device, &a, &n};
        OK(launch(GB_FN(axpy_range), grid, 128, args));
        OK(sync_stream());
        for (size_t i = 0; i < n; i++)
            ck_assert_msg(po[i] == 2.0f * px[i] + 1.0f, "grid %u, element %zu", grid, i);
    }
    dev->ops->free(dev, &x);
    dev->ops->free(dev, &y);
    dev->ops->free(dev, &out);
}
END_TEST

START_TEST(KRN_02_sums_by_tree_and_by_shuffles_agree)
{
    const gb_fn *const ways[] = {GB_FN(sum_phased), GB_FN(sum_fiber)};
    size_t n = sizes[_i];
    uint32_t blocks = blocks_of(n);
    gb_memory x = device_memory(n * 4), partial = device_memory(blocks * 8u);
    unsigned *px = x.device;
    unsigned long long *sums = partial.device, want = 0;
    for (size_t i = 0; i < n; i++) {
        px[i] = (unsigned)(i * 2654435761u);
        want += px[i];
    }
    for (int w = 0; w < 2; w++) {
        memset(sums, 0xff, blocks * 8u);
        void *args[] = {&partial.device, &x.device, &n};
        OK(launch(ways[w], blocks, 256, args));
        OK(sync_stream());
        unsigned long long got = 0;
        for (uint32_t b = 0; b < blocks; b++)
            got += sums[b];
        ck_assert_msg(got == want, "%s: %llu instead of %llu", ways[w]->name, got, want);
    }
    dev->ops->free(dev, &x);
    dev->ops->free(dev, &partial);
}
END_TEST

START_TEST(every_thread_of_every_block_runs_once)
{
    const gb_fn *const ways[] = {GB_FN(index_flat), GB_FN(index_phased), GB_FN(index_fiber)};
    const uint32_t grids[][3] = {{1, 1, 1}, {7, 1, 1}, {3, 4, 5}, {1, 9, 2}};
    const uint32_t shapes[][3] = {{1, 1, 1}, {33, 1, 1}, {8, 4, 3}, {1, 1, 64}, {32, 32, 1}};
    for (size_t g = 0; g < 4; g++)
        for (size_t s = 0; s < 5; s++) {
            const uint32_t *grid = grids[g], *block = shapes[s];
            size_t n = (size_t)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
            gb_memory count = device_memory(n * 4);
            memset(count.device, 0, n * 4);
            for (int w = 0; w < 3; w++)
                OK(launch_3d(ways[w], grid, block, 0, (void *[]){&count.device}));
            OK(sync_stream());
            for (size_t i = 0; i < n; i++)
                ck_assert_uint_eq(((unsigned *)count.device)[i], 3);
            dev->ops->free(dev, &count);
        }
}
END_TEST

START_TEST(arguments_of_every_size_arrive_and_are_copied_at_the_launch)
{
    struct {
        double d;
        char c;
    } mixed = {0.25, 1};
    gb_memory out = device_memory(5 * sizeof(double));
    char c = -3;
    double d = 1e300;
    float v[4] __attribute__((aligned(16))) = {1, 2, 3, 4};
    short s = -12345;
    OK(launch(GB_FN(take_arguments), 1, 1, (void *[]){&out.device, &c, &d, v, &s, &mixed}));
    c = 0, d = 0, v[3] = 0, s = 0, mixed.d = 0;
    OK(sync_stream());
    const double want[] = {-3, 1e300, 4321, -12345, 1.25};
    for (int i = 0; i < 5; i++)
        ck_assert_double_eq(((double *)out.device)[i], want[i]);
    dev->ops->free(dev, &out);
}
END_TEST

START_TEST(dynamic_shared_memory)
{
    gb_memory data = device_memory(1024 * 4);
    unsigned *p = data.device;
    for (unsigned i = 0; i < 1024; i++)
        p[i] = i;
    OK(launch_3d(GB_FN(reverse_dynamic), (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1024, 1, 1}, 4096,
                 (void *[]){&data.device}));
    OK(sync_stream());
    for (unsigned i = 0; i < 1024; i++)
        ck_assert_uint_eq(p[i], 1023 - i);
    dev->ops->free(dev, &data);
}
END_TEST

START_TEST(a_padded_tile_transposes)
{
    unsigned n = 50;
    gb_memory in = device_memory(n * n * 4), out = device_memory(n * n * 4);
    float *pi = in.device, *po = out.device;
    for (unsigned i = 0; i < n * n; i++)
        pi[i] = (float)i;
    OK(launch_3d(GB_FN(transpose), (uint32_t[3]){4, 4, 1}, (uint32_t[3]){16, 16, 1}, 0,
                 (void *[]){&out.device, &in.device, &n}));
    OK(sync_stream());
    for (unsigned r = 0; r < n; r++)
        for (unsigned k = 0; k < n; k++)
            ck_assert(po[k * n + r] == pi[r * n + k]);
    dev->ops->free(dev, &in);
    dev->ops->free(dev, &out);
}
END_TEST

START_TEST(atomics_count_exactly)
{
    gb_memory m = device_memory(64);
    char *p = m.device;
    memset(p, 0, 64);
    void *i = p, *u = p + 4, *l = p + 8, *f = p + 16, *d = p + 24, *highest = p + 32;
    OK(launch(GB_FN(count_up), 100, 64, (void *[]){&i, &u, &l, &f, &d, &highest}));
    OK(sync_stream());
    ck_assert_int_eq(*(int *)i, -6400);
    ck_assert_uint_eq(*(unsigned *)u, 6400);
    ck_assert(*(unsigned long long *)l == 6400ull << 33);
    ck_assert(*(float *)f == 6400.0f);
    ck_assert(*(double *)d == 3200.0);
    ck_assert_uint_eq(*(unsigned *)highest, 6399);
    dev->ops->free(dev, &m);
}
END_TEST

START_TEST(shuffles_and_votes_as_cuda_defines_them)
{
    enum { N = 72 }; /* two warps and a quarter */
    gb_memory m = device_memory(N * 6 * sizeof(int));
    int *out = m.device;
    OK(launch(GB_FN(shuffles), 1, N, (void *[]){&m.device}));
    OK(sync_stream());
    for (int t = 0; t < N; t++, out += 6) {
        int warp = t / 32 * 32, lane = t % 32, lanes = N - warp < 32 ? N - warp : 32;
        ck_assert_int_eq(out[0], warp + 3);
        ck_assert_int_eq(out[1], lane >= 1 ? t - 1 : t);
        ck_assert_int_eq(out[2], lane + 2 < lanes ? t + 2 : t);
        ck_assert_int_eq(out[3], t ^ 1);
        ck_assert_int_eq(out[4], lanes / 2);
        ck_assert_int_eq(out[5], warp + lane / 8 * 8 + 1);
    }
    dev->ops->free(dev, &m);
}
END_TEST

START_TEST(a_broken_rule_is_an_error_with_kernel_and_block_and_no_hang)
{
    gb_memory m = device_memory(4096);
    void *args[] = {&m.device};
    OK(launch(GB_FN(early_exit), 1, 64, args));
    REFUSED(sync_stream(), GB_DEVICE_ERROR, "kernel 'early_exit', block (0, 0, 0)");
    ck_assert_ptr_nonnull(strstr(err.message, "63 wait at __syncthreads"));
    ck_assert_ptr_nonnull(strstr(err.message, "1 have ended"));
    OK(launch(GB_FN(divergent_barrier), 3, 64, args));
    REFUSED(sync_stream(), GB_DEVICE_ERROR, "kernel 'divergent_barrier', block (");
    OK(launch(GB_FN(partial_mask), 1, 32, args));
    REFUSED(sync_stream(), GB_DEVICE_ERROR, "leaves out threads of the warp");
    OK(launch(GB_FN(barrier_in_flat), 1, 32, args));
    REFUSED(sync_stream(), GB_DEVICE_ERROR, "not exported as FIBER");
    ck_assert(!err.sticky);
    /* and the device goes on */
    OK(sync_stream());
    OK(launch_3d(GB_FN(reverse_dynamic), (uint32_t[3]){1, 1, 1}, (uint32_t[3]){64, 1, 1}, 256,
                 args));
    unsigned zero = 0;
    memset(m.device, 0, 4096);
    OK(launch(GB_FN(index_fiber), 1, 64, args));
    OK(sync_stream());
    for (int i = 0; i < 64; i++)
        zero |= ((unsigned *)m.device)[i] ^ 1u;
    ck_assert_uint_eq(zero, 0);
    dev->ops->free(dev, &m);
}
END_TEST

START_TEST(DEV_17_a_kernel_for_cuda_alone_is_unavailable)
{
    REFUSED(launch(GB_FN(cuda_alone), 1, 1, (void *[]){NULL}), GB_UNAVAILABLE, "cuda_alone");
}
END_TEST

START_TEST(fibers_mark_the_device_as_emulating)
{
    gb_memory m = device_memory(4096);
    memset(m.device, 0, 4096);
    dev->emulated = false;
    OK(launch(GB_FN(index_flat), 1, 32, (void *[]){&m.device}));
    ck_assert(!dev->emulated);
    OK(launch(GB_FN(index_fiber), 1, 32, (void *[]){&m.device}));
    ck_assert(dev->emulated);
    OK(sync_stream());
    dev->ops->free(dev, &m);
}
END_TEST

/* --- missing barriers --- */

typedef struct order_case {
    const gb_fn *right, *broken;
    size_t n_out;
    void (*expect)(unsigned *want, const unsigned *in);
} order_case;

static void expect_shift(unsigned *want, const unsigned *in)
{
    for (unsigned t = 0; t < 128; t++)
        want[t] = t > 0 ? in[t - 1] : 0;
}
static void expect_sum(unsigned *want, const unsigned *in)
{
    want[0] = 0;
    for (unsigned t = 0; t < 128; t++)
        want[0] += in[t];
}
static void expect_reuse(unsigned *want, const unsigned *in)
{
    for (unsigned t = 0; t < 128; t++)
        want[t] = 3 * in[127 - t];
}

static bool right_in_order(const order_case *c, const gb_fn *fn, gb_fiber_order order)
{
    unsigned want[128], *in, *out;
    gb_memory mi = device_memory(512), mo = device_memory(512);
    in = mi.device;
    out = mo.device;
    for (unsigned t = 0; t < 128; t++)
        in[t] = 1000 + t * t;
    c->expect(want, in);
    gb_fiber_set_order(order, 7);
    memset(out, 0xff, 512);
    OK(launch(fn, 1, 128, (void *[]){&mo.device, &mi.device}));
    OK(sync_stream());
    bool right = memcmp(out, want, c->n_out * sizeof *want) == 0;
    dev->ops->free(dev, &mi);
    dev->ops->free(dev, &mo);
    return right;
}

START_TEST(a_removed_barrier_shows_in_some_order_and_a_right_kernel_in_none)
{
    const order_case cases[] = {
        {GB_FN(shift), GB_FN(shift_broken), 128, expect_shift},
        {GB_FN(tree_sum), GB_FN(tree_sum_broken), 1, expect_sum},
        {GB_FN(reuse), GB_FN(reuse_broken), 128, expect_reuse},
    };
    const order_case *c = &cases[_i];
    int wrong = 0;
    for (gb_fiber_order order = GB_FIBERS_FORWARD; order <= GB_FIBERS_RANDOM; order++) {
        ck_assert_msg(right_in_order(c, c->right, order), "%s in order %d", c->right->name,
                      (int)order);
#ifndef __SANITIZE_THREAD__ /* which ends the test at the race itself: see simt_race */
        wrong += !right_in_order(c, c->broken, order);
#else
        wrong++;
#endif
    }
    ck_assert_msg(wrong > 0, "%s was right in every order", c->broken->name);
    ck_assert((*c->right->cpu)->emulated);
}
END_TEST

START_TEST(the_order_of_fibers_can_be_set_from_outside)
{
    gb_fiber_order order;
    uint64_t seed;
    OK(gb_fiber_order_parse("forward", &order, &seed, &err));
    ck_assert_int_eq(order, GB_FIBERS_FORWARD);
    OK(gb_fiber_order_parse("reverse", &order, &seed, &err));
    ck_assert_int_eq(order, GB_FIBERS_REVERSE);
    OK(gb_fiber_order_parse("random:18446744073709551615", &order, &seed, &err));
    ck_assert_int_eq(order, GB_FIBERS_RANDOM);
    ck_assert(seed == UINT64_MAX);
    const char *const wrong[] = {"", "Reverse", "random:", "random:-1", "random:7x"};
    for (size_t i = 0; i < 5; i++)
        REFUSED(gb_fiber_order_parse(wrong[i], &order, &seed, &err), GB_INVALID, wrong[i]);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("simt");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, KRN_02_all_four_modes_give_equal_results_on_odd_sizes, 0, N_SIZES);
    tcase_add_loop_test(c, KRN_02_sums_by_tree_and_by_shuffles_agree, 0, N_SIZES);
    tcase_add_test(c, range_covers_everything_whatever_the_grid_is);
    tcase_add_test(c, every_thread_of_every_block_runs_once);
    tcase_add_test(c, arguments_of_every_size_arrive_and_are_copied_at_the_launch);
    tcase_add_test(c, dynamic_shared_memory);
    tcase_add_test(c, a_padded_tile_transposes);
    tcase_add_test(c, atomics_count_exactly);
    tcase_add_test(c, shuffles_and_votes_as_cuda_defines_them);
    tcase_add_test(c, a_broken_rule_is_an_error_with_kernel_and_block_and_no_hang);
    tcase_add_test(c, DEV_17_a_kernel_for_cuda_alone_is_unavailable);
    tcase_add_test(c, fibers_mark_the_device_as_emulating);
    tcase_add_loop_test(c, a_removed_barrier_shows_in_some_order_and_a_right_kernel_in_none, 0, 3);
    tcase_add_test(c, the_order_of_fibers_can_be_set_from_outside);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("simt", add_cases)
