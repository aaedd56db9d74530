/* occupancy: a launch with a stated number of resident warps, on a device that counts its blocks;
 * and the kernel on the cpu device, as a CPU runs it and as a GPU would. */
#include "kernels/common.h"
#include "kernels/occupancy.h"
#include "kernels/occupancy_fit.h"
#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

GB_FN_DECLARE(occupancy_loads_4)

/* An SM: its blocks, warps, and shared memory with 1 KiB of it a block for the system. */
static struct sm {
    uint32_t blocks, warps, shared;
} sm;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static gb_code count_blocks(gb_device *device, const gb_fn *fn, const gb_launch *launch,
                            uint32_t *blocks, gb_error *err)
{
    (void)fn, (void)err;
    const uint32_t plain = device->info.shared_per_block,
                   more = device->info.shared_per_block_optin;
    ck_assert_uint_le(launch->shared_bytes, more > plain ? more : plain);
    *blocks = least(sm.blocks, sm.warps * 32 / launch->block[0]);
    *blocks = least(*blocks, sm.shared / (launch->shared_bytes + 1024));
    return GB_OK;
}

/* A launch whose argument number `at` is off by `off`. */
static int at, off;
static uint32_t spoiler;
static gb_code spoiled_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                              const gb_launch *launch, void *args[], gb_error *err)
{
    gb_launch shape = *launch;
    spoiler = launch->shared_bytes;
    shape.shared_bytes = 0; /* more than this device has, and nobody uses it */
    *(uint64_t *)args[at] += (uint64_t)(int64_t)off;
    gb_code code = real->launch(device, stream, fn, &shape, args, err);
    *(uint64_t *)args[at] -= (uint64_t)(int64_t)off;
    return code;
}

static void open_device(void)
{
    open_kernel_device();
    ops.launch = spoiled_launch;
    ops.blocks_per_unit = count_blocks;
    sm = (struct sm){32, 64, 233472};
    at = off = 0;
}

static void as_gpu(void)
{
    dev->info.kind = GB_CUDA;
    dev->info.units = 3;
    dev->info.shared_per_block = 49152;
    dev->info.shared_per_block_optin = 232448;
}

static void close_device(void)
{
    dev->info.kind = GB_CPU;
    close_kernel_device();
}

START_TEST(as_many_warps_are_resident_as_were_asked_for)
{
    static const uint32_t asked[] = {1, 2, 3, 4, 8, 12, 16, 32, 48, 64, 0};
    as_gpu();
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++) {
        occupancy_fit fit;
        gb_error err = {0};
        uint32_t blocks = 0;
        gb_code code = occupancy_fit_warps(dev, GB_FN(occupancy_loads_4), asked[i], &fit, &err);
        ck_assert_msg(code == GB_OK, "%u: %s", asked[i], err.message);
        ck_assert_uint_eq(fit.warps, asked[i] != 0 ? asked[i] : 64);
        ck_assert_uint_eq(fit.most_warps, 64);
        ck_assert_uint_eq(fit.launch.grid[0] * fit.launch.block[0], 3 * 32 * fit.warps);
        ck_assert_uint_eq(fit.launch.block[0], fit.warps < 4 ? 32 * fit.warps : 128);
        count_blocks(dev, NULL, &fit.launch, &blocks, NULL);
        ck_assert_uint_eq(blocks * fit.launch.block[0], 32 * fit.warps);
        if (fit.warps == 64)
            ck_assert_uint_eq(fit.launch.shared_bytes, 0);
        if (fit.launch.shared_bytes > 256) { /* and no more memory than it takes */
            fit.launch.shared_bytes -= 256;
            count_blocks(dev, NULL, &fit.launch, &blocks, NULL);
            ck_assert_uint_gt(blocks * fit.launch.block[0], 32 * fit.warps);
        }
    }
}
END_TEST

START_TEST(what_a_device_cannot_hold_is_said)
{
    occupancy_fit fit;
    gb_error err = {0};
    as_gpu();
    sm.warps = 48;
    ck_assert_int_eq(occupancy_fit_warps(dev, GB_FN(occupancy_loads_4), 64, &fit, &err),
                     GB_UNAVAILABLE);
    ck_assert_msg(strstr(err.message, "holds 48 warps of this code on an SM, not 64") != NULL, "%s",
                  err.message);
    dev->info.shared_per_block_optin = 0; /* four blocks of 48 KiB: 16 warps at least */
    ck_assert_int_eq(occupancy_fit_warps(dev, GB_FN(occupancy_loads_4), 8, &fit, &err),
                     GB_UNAVAILABLE);
    ck_assert_msg(strstr(err.message, "blocks of 49152 bytes of shared memory") != NULL &&
                      strstr(err.message, "holds 16 warps on an SM, not 8") != NULL,
                  "%s", err.message);
    ck_assert_int_eq(occupancy_fit_warps(dev, GB_FN(occupancy_loads_4), 16, &fit, &err), GB_OK);
}
END_TEST

static double level;
static gb_code verdict(const char *text, gb_error *err)
{
    life l;
    ck_assert_msg(life_check("occupancy", text, dev->info.kind, err) == GB_OK, "%s: %s", text,
                  err->message);
    gb_code code = life_begin(&l, dev, "occupancy", text, err);
    code = code ? code : l.kernel->reset(&l.run, err);
    code = code ? code : life_iterate(&l, err);
    code = code ? code : l.kernel->verify(&l.run, err);
    level = l.run.levels[gb_spec_metric(&l.kernel->spec, "occupancy")];
    life_end(&l);
    return code;
}

static const unsigned independents[] = {1, 2, 4, 8, 16, 32};

START_TEST(loads_and_chains_are_right_on_a_cpu_and_as_on_a_gpu)
{
    static const unsigned long sizes[] = {4096, 8192, 1048576};
    for (int gpu = 0; gpu < 2; gpu++)
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            char text[128];
            gb_error err = {0};
            if (gpu)
                as_gpu();
            snprintf(text, sizeof text, "what=loads,independent=%u,bytes=%lu,warps=%d",
                     independents[_i], sizes[s], gpu ? 8 : 0);
            ck_assert_msg(verdict(text, &err) == GB_OK, "%s: %s", text, err.message);
            ck_assert(gpu ? level == 12.5 : isnan(level));
            ck_assert(gpu == (spoiler > 0));
            snprintf(text, sizeof text, "what=chains,independent=%u,steps=%lu,warps=%d",
                     independents[_i], sizes[s] * 7, gpu ? 4 : 0);
            ck_assert_msg(verdict(text, &err) == GB_OK, "%s: %s", text, err.message);
            dev->info.kind = GB_CPU;
        }
}
END_TEST

START_TEST(a_unit_or_a_round_less_or_more_is_noticed)
{
    for (off = -1; off <= 0; off++) {
        char text[128];
        gb_error err = {0};
        const gb_code right = off == 0 ? GB_OK : GB_WRONG_RESULT;
        at = 2; /* units; of lines a number that is no power of two reads others */
        as_gpu();
        snprintf(text, sizeof text, "what=loads,independent=%u,bytes=8192,warps=4",
                 independents[_i]);
        ck_assert_msg(verdict(text, &err) == right, "%s: %s", text, err.message);
        dev->info.kind = GB_CPU;
        at = 1;
        snprintf(text, sizeof text, "what=chains,independent=%u,steps=10240", independents[_i]);
        ck_assert_msg(verdict(text, &err) == right, "%s: %s", text, err.message);
    }
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    static const struct {
        const char *text;
        gb_device_kind kind;
        gb_code code;
        const char *part;
    } cases[] = {
        {"independent=3", GB_CUDA, GB_INVALID, "none of 1, 2, 4, 8, 16 and 32"},
        {"warps=6", GB_CUDA, GB_INVALID, "above 4 and no multiple"},
        {"bytes=12288", GB_CUDA, GB_INVALID, "no power of two"},
        {"what=chains,independent=8,steps=1152", GB_CPU, GB_INVALID, "no multiple of 32 x "},
        {"warps=4", GB_CPU, GB_UNAVAILABLE, "a processor keeps no warps resident"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        life_answers("occupancy", cases[i].text, cases[i].kind, cases[i].code, cases[i].part);
    gb_error err = {0};
    gb_need need;
    life_work("occupancy", "what=chains,steps=2048,bytes=12288,warps=3", GB_CUDA, &need);
    ck_assert_uint_eq(need.device_bytes, 4194304); /* results alone */
    /* 2^40 steps on two groups of threads count too far. */
    ck_assert_int_eq(verdict("what=chains,steps=1099511627776", &err), GB_UNAVAILABLE);
    ck_assert_msg(strstr(err.message, "counts exactly") != NULL, "%s", err.message);
}
END_TEST

START_TEST(bytes_and_operations_are_counted)
{
    gb_need need;
    gb_work w = life_work("occupancy", "bytes=1048576,independent=16", GB_CUDA, &need);
    ck_assert_uint_eq(w.bytes_read, 1048576);
    ck_assert_uint_eq(w.items, 262144);
    ck_assert_uint_eq(w.flops, 0);
    w = life_work("occupancy", "what=chains,steps=2048,independent=16", GB_CPU, &need);
    ck_assert_uint_eq(w.flops, 8192);
    ck_assert_uint_eq(w.items, 4096);
    ck_assert_uint_eq(w.bytes_read, 0);
    ck_assert_int_eq(w.compute, GB_COMPUTE_FP32);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("occupancy");
    const int n = (int)(sizeof independents / sizeof independents[0]);
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, open_device, close_device);
    tcase_add_test(tests, as_many_warps_are_resident_as_were_asked_for);
    tcase_add_test(tests, what_a_device_cannot_hold_is_said);
    tcase_add_loop_test(tests, loads_and_chains_are_right_on_a_cpu_and_as_on_a_gpu, 0, n);
    tcase_add_loop_test(tests, a_unit_or_a_round_less_or_more_is_noticed, 0, n);
    tcase_add_test(tests, what_cannot_be_is_refused);
    tcase_add_test(tests, bytes_and_operations_are_counted);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("occupancy", add_cases)
