/* atomics on the cpu device: every way of sharing, what is counted, and that a single update that
 * is lost or made twice is noticed, also one of the timed iterations. */
#include "kernels/atomics.h"
#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

/* A launch whose last but one argument, the rounds, is one less or more. */
static int off;

static gb_code spoiled_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                              const gb_launch *launch, void *args[], gb_error *err)
{
    uint32_t *rounds = args[6];
    *rounds += (uint32_t)off;
    gb_code code = real->launch(device, stream, fn, launch, args, err);
    *rounds -= (uint32_t)off;
    return code;
}

static void open_device(void)
{
    open_kernel_device();
    ops.launch = spoiled_launch;
    off = 0;
}

/* What is allocated, so that a test can change a counter. */
static gb_memory counters;
static gb_code spy_alloc(gb_device *device, gb_memory_kind kind, size_t bytes, gb_memory *out,
                         gb_error *err)
{
    gb_code code = real->alloc(device, kind, bytes, out, err);
    counters = *out;
    return code;
}

static gb_code iterate(life *l, int iterations, gb_error *err)
{
    gb_code code = GB_OK;
    for (int i = 0; i < iterations && code == GB_OK; i++)
        code = l->kernel->enqueue(&l->run, err);
    return code != GB_OK ? code : dev->ops->stream_sync(dev, l->run.stream, err);
}

/* prepare, so many iterations, a counter that is off by `lost` then, a reset; one iteration. */
static gb_code verdict(const char *text, int iterations, int lost, gb_error *err)
{
    life l;
    ck_assert_msg(life_check("atomics", text, GB_CPU, err) == GB_OK, "%s: %s", text, err->message);
    ops.alloc = spy_alloc;
    gb_code code = life_begin(&l, dev, "atomics", text, err);
    code = code ? code : l.kernel->reset(&l.run, err);
    code = code ? code : iterate(&l, iterations, err);
    if (code == GB_OK && lost != 0)
        *(uint32_t *)counters.device -= (uint32_t)lost;
    code = code ? code : l.kernel->reset(&l.run, err);
    code = code ? code : life_iterate(&l, err);
    code = code ? code : l.kernel->verify(&l.run, err);
    life_end(&l);
    return code;
}

static const char *const ways[] = {
    "addresses=1,threads=5000",
    "addresses=1,type=fp32,threads=4000",
    "addresses=7,padding=12,threads=1000,rounds=3",
    "addresses=4099,padding=128,threads=2000,rounds=5",
    "addresses=5,type=fp32,threads=33,padding=32",
    "by=block,addresses=3,threads=2000,padding=128",
    "by=block,addresses=64,type=fp32,threads=16384,rounds=2",
    "place=shared,addresses=1,threads=999",
    "place=shared,addresses=1,type=fp32,threads=700",
    "place=shared,addresses=12288,threads=3000",
    "place=shared,addresses=300,padding=128,threads=5000,rounds=2",
    "place=shared,by=block,addresses=2,threads=513,rounds=64",
};

START_TEST(every_way_of_sharing_adds_up)
{
    gb_error err = {0};
    for (int iterations = 0; iterations < 4; iterations++)
        ck_assert_msg(verdict(ways[_i], iterations, 0, &err) == GB_OK, "%s: %s", ways[_i],
                      err.message);
}
END_TEST

START_TEST(a_round_less_or_more_is_noticed)
{
    for (off = -1; off <= 1; off += 2) {
        gb_error err = {0};
        ck_assert_msg(verdict(ways[_i], 0, 0, &err) == GB_WRONG_RESULT, "%s", ways[_i]);
        ck_assert_ptr_nonnull(strstr(err.message, "atomics: counters"));
    }
}
END_TEST

/* Of whole numbers a single 1; the iterations between two resets are those that are timed. */
START_TEST(a_lost_update_of_a_timed_iteration_is_noticed)
{
    gb_error err = {0};
    for (int iterations = 1; iterations < 4; iterations++) {
        ck_assert_int_eq(verdict("addresses=3", iterations, 1, &err), GB_WRONG_RESULT);
        ck_assert_msg(strstr(err.message, "1 of 3 elements are wrong; the first is element 0") !=
                          NULL,
                      "%s", err.message);
        ck_assert_int_eq(verdict("addresses=3", iterations, -1, &err), GB_WRONG_RESULT);
    }
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    static const char *const cases[][2] = {
        {"padding=6", "not a multiple of 4 B"},
        {"place=shared,addresses=12289", "49152 B of shared memory"},
        {"place=shared,addresses=385,padding=128", "49152 B of shared memory"},
        {"by=block,addresses=257", "more than the 256 blocks of 65536 threads"},
        {"type=fp32,addresses=1,threads=65537,rounds=64", "exact up to 16777216 only"},
        {"type=fp32,by=block,addresses=1,threads=65537,rounds=64", "exact up to 16777216 only"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        life_answers("atomics", cases[i][0], GB_CUDA, GB_INVALID, cases[i][1]);
    gb_need need;
    /* 65536 threads of 64 rounds add at most 4 each: 2^24 */
    life_work("atomics", "type=fp32,addresses=1,rounds=64", GB_CUDA, &need);
    life_work("atomics", "place=shared,addresses=384,padding=128", GB_CUDA, &need);
    ck_assert_uint_eq(need.device_bytes, 49152);
    life_work("atomics", "addresses=1,threads=1048576,rounds=64", GB_CUDA, &need);
}
END_TEST

START_TEST(updates_are_counted)
{
    gb_need need;
    gb_work w =
        life_work("atomics", "addresses=1000,padding=32,threads=777,rounds=5", GB_CUDA, &need);
    ck_assert_uint_eq(w.items, 3885);
    ck_assert_uint_eq(w.flops, 0);
    ck_assert_uint_eq(w.bytes_moved, 3885 * 8);
    ck_assert_uint_eq(w.bytes_read, 4000);
    ck_assert_uint_eq(w.bytes_written, 4000);
    ck_assert_uint_eq(w.working_set, 32000);
    w = life_work("atomics", "type=fp32,threads=777,rounds=5", GB_CUDA, &need);
    ck_assert_uint_eq(w.flops, 3885);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("atomics");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, open_device, close_kernel_device);
    tcase_add_loop_test(tests, every_way_of_sharing_adds_up, 0,
                        (int)(sizeof ways / sizeof ways[0]));
    tcase_add_loop_test(tests, a_round_less_or_more_is_noticed, 0,
                        (int)(sizeof ways / sizeof ways[0]));
    tcase_add_test(tests, a_lost_update_of_a_timed_iteration_is_noticed);
    tcase_add_test(tests, what_cannot_be_is_refused);
    tcase_add_test(tests, updates_are_counted);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("atomics", add_cases)
