/* divergence on the cpu device: sizes and paths, and launches that go wrong in ways in which a
 * kernel does: each must be noticed. */
#include "kernels/divergence.h"

#include "unit/kernel_fixture.h"

static void (*spoil)(void *args[]); /* what is done to the next launches; NULL: nothing */

/* Arguments of divergence_ways and divergence_exit: out, in, n, split, groups, constants. */
static gb_code spoiling_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                               const gb_launch *launch, void *args[], gb_error *err)
{
    uint64_t n = *(uint64_t *)args[2];
    divergence_split split = *(divergence_split *)args[3];
    uint32_t groups = *(uint32_t *)args[4];
    divergence_constants k = *(divergence_constants *)args[5];
    void *copies[] = {args[0], args[1], &n, &split, &groups, &k};
    if (spoil != NULL)
        spoil(copies);
    return real->launch(device, stream, fn, launch, copies, err);
}

static void open_device(void)
{
    open_kernel_device();
    spoil = NULL;
}

static const char *const patterns[] = {
    "pattern=ways,split=lane",     "pattern=ways,split=warp",       "pattern=data,order=sorted",
    "pattern=data,order=shuffled", "pattern=early-exit,split=lane", "pattern=early-exit,split=warp",
    "pattern=one-lane,split=lane", "pattern=one-lane,split=warp"};

START_TEST(KRN_02_divergence_of_any_size)
{
    static const unsigned elements[] = {1, 31, 33, 1000, 1023, 1025, 10007};
    for (size_t e = 0; e < sizeof elements / sizeof elements[0]; e++) {
        for (unsigned ways = 1; ways <= 32; ways *= 2) {
            for (unsigned rounds = 1; rounds <= 16; rounds += 15) {
                char text[128];
                gb_error err = {0};
                snprintf(text, sizeof text, "%s,ways=%u,rounds=%u,elements=%u", patterns[_i], ways,
                         rounds, elements[e]);
                ck_assert_msg(kernel_verdict("divergence", text, NULL, &err) == GB_OK, "%s: %s",
                              text, err.message);
            }
        }
    }
}
END_TEST

START_TEST(KRN_01_a_clamped_grid_still_covers_everything)
{
    gb_error err = {0};
    dev->info.max_grid[0] = 3;
    ck_assert_msg(kernel_verdict("divergence", "ways=8,elements=10007", NULL, &err) == GB_OK, "%s",
                  err.message);
}
END_TEST

static void skip_the_last(void *args[])
{
    --*(uint64_t *)args[2];
}

static void split_the_other_way(void *args[])
{
    ((divergence_split *)args[3])->shift ^= 5;
}

static void split_fewer_ways(void *args[])
{
    ((divergence_split *)args[3])->bits--;
}

static void walk_one_group_less(void *args[])
{
    --*(uint32_t *)args[4];
}

static void walk_one_group_more(void *args[])
{
    ++*(uint32_t *)args[4];
}

static void swap_two_paths(void *args[])
{
    divergence_constants *k = args[5];
    const float c = k->c[0];
    k->c[0] = k->c[1];
    k->c[1] = c;
}

static void take_a_neighbours_input(void *args[])
{
    static void *shifted;
    shifted = *(float **)args[1] + 1;
    args[1] = &shifted;
    --*(uint64_t *)args[2]; /* the last one has no neighbour */
}

START_TEST(KRN_06_a_wrong_launch_is_noticed)
{
    static void (*const mistakes[])(void *[]) = {
        skip_the_last,       split_the_other_way, split_fewer_ways,        walk_one_group_less,
        walk_one_group_more, swap_two_paths,      take_a_neighbours_input,
    };
    ops.launch = spoiling_launch;
    dev->ops = &ops;
    for (unsigned rounds = 1; rounds <= 16; rounds += 15) {
        for (size_t m = 0; m < sizeof mistakes / sizeof mistakes[0]; m++) {
            char text[128];
            gb_error err = {0};
            snprintf(text, sizeof text, "ways=4,elements=2000,rounds=%u", rounds);
            spoil = NULL;
            ck_assert_msg(kernel_verdict("divergence", text, NULL, &err) == GB_OK, "%s",
                          err.message);
            spoil = mistakes[m];
            ck_assert_msg(kernel_verdict("divergence", text, NULL, &err) == GB_WRONG_RESULT,
                          "%u rounds: mistake %zu was not noticed", rounds, m);
        }
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("divergence");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_02_divergence_of_any_size, 0,
                        (int)(sizeof patterns / sizeof patterns[0]));
    tcase_add_test(tc, KRN_01_a_clamped_grid_still_covers_everything);
    tcase_add_test(tc, KRN_06_a_wrong_launch_is_noticed);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("divergence", add_cases)
