/* What check and work of each kernel say, against numbers worked out by hand. */
#include "unit/check_main.h"
#include "unit/kernel_args.h"

#define GIB (UINT64_C(1) << 30)

static gb_code check(const char *kernel, const char *text, gb_device_kind kind, gb_need *need,
                     gb_error *err)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    *need = (gb_need){0};
    return k->spec.check(args, kind, need, err);
}

static gb_work work(const char *kernel, const char *text, gb_device_kind kind)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_need need;
    gb_error err = {0};
    ck_assert_msg(k->spec.check(args, kind, &need, &err) == GB_OK, "%s: %s", text, err.message);
    gb_work out;
    k->spec.work(args, kind, &out);
    return out;
}

static void refused(const char *kernel, const char *text, const char *part)
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        gb_need need;
        gb_error err = {0};
        ck_assert_msg(check(kernel, text, (gb_device_kind)kind, &need, &err) == GB_INVALID,
                      "%s %s passes", kernel, text);
        ck_assert_msg(strstr(err.message, part) != NULL, "'%s' is not in: %s", part, err.message);
    }
}

START_TEST(CPY_01_three_arrays_of_8_GiB_need_24_GiB_exactly)
{
    gb_need need;
    gb_error err = {0};
    ck_assert_int_eq(check("stream", "op=triad,bytes=8589934592", GB_CUDA, &need, &err), GB_OK);
    ck_assert_uint_eq(need.device_bytes, UINT64_C(25769803776));
    ck_assert_uint_eq(need.host_bytes + need.pinned_bytes, 0);
    const gb_work w = work("stream", "op=triad,bytes=8589934592", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, UINT64_C(25769803776));
    ck_assert_uint_eq(w.items, GIB);
    ck_assert_uint_eq(w.flops, 2 * GIB);
}
END_TEST

START_TEST(CPY_02_sizes_around_2_to_the_31)
{
    static const uint64_t sizes[] = {2147483647, 2147483648, 2147483649, 4294967296, 4294967300};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[64];
        gb_need need;
        gb_error err = {0};
        const uint64_t n = sizes[i];
        snprintf(text, sizeof text, "direction=d2h,bytes=%llu", (unsigned long long)n);
        ck_assert_int_eq(check("copy", text, GB_CPU, &need, &err), GB_OK);
        ck_assert_uint_eq(need.device_bytes, n);
        ck_assert_uint_eq(need.pinned_bytes, n);
        const gb_work w = work("copy", text, GB_CPU);
        ck_assert_uint_eq(w.bytes_moved, n);
        ck_assert_uint_eq(w.bytes_read, n);
        ck_assert_uint_eq(w.bytes_written, n);
    }
}
END_TEST

START_TEST(the_largest_sizes_do_not_wrap)
{
    const uint64_t tib = UINT64_C(1) << 40;
    gb_need need;
    gb_error err = {0};
    ck_assert_int_eq(
        check("copy", "direction=bidirectional,bytes=1099511627776", GB_CUDA, &need, &err), GB_OK);
    ck_assert_uint_eq(need.device_bytes, 2 * tib);
    ck_assert_uint_eq(need.pinned_bytes, 2 * tib);
    ck_assert_int_eq(check("stream", "op=add,bytes=1099511627776", GB_CUDA, &need, &err), GB_OK);
    ck_assert_uint_eq(need.device_bytes, 3 * tib);
    const char *most = "pattern=strided,stride=32,elements=68719476736";
    ck_assert_int_eq(check("access", most, GB_CUDA, &need, &err), GB_OK);
    /* ((2^36 - 1) * 32 + 1) elements of 4 bytes, and a sum for every 16 loads */
    ck_assert_uint_eq(need.device_bytes, UINT64_C(8796093022084) + UINT64_C(17179869184));
    ck_assert_uint_eq(work("access", most, GB_CUDA).bytes_sectors,
                      (UINT64_C(1) << 36) * 32 + UINT64_C(17179869184));
}
END_TEST

START_TEST(copy_counts_by_the_stated_convention)
{
    gb_work w = work("copy", "direction=h2d,bytes=1000", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, 1000);
    ck_assert_uint_eq(w.items, 1);
    ck_assert_uint_eq(w.working_set, 1000);
    ck_assert_int_eq(w.ceiling, GB_CEILING_LINK);
    ck_assert_uint_eq(work("copy", "direction=h2d,bytes=1000", GB_CPU).working_set, 2000);
    w = work("copy", "direction=d2d,memory=device,bytes=1000,pieces=10", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, 2000);
    ck_assert_uint_eq(w.bytes_read, 1000);
    ck_assert_uint_eq(w.items, 10);
    ck_assert_int_eq(w.ceiling, GB_CEILING_MEMORY);
    w = work("copy", "direction=bidirectional,bytes=1000,pieces=4", GB_CUDA);
    ck_assert_uint_eq(w.bytes_moved, 2000);
    ck_assert_uint_eq(w.bytes_read, 1000);    /* leaves the device */
    ck_assert_uint_eq(w.bytes_written, 1000); /* arrives there */
    ck_assert_uint_eq(w.items, 8);
    ck_assert_int_eq(w.ceiling, GB_CEILING_LINK);
}
END_TEST

START_TEST(copy_needs_memory_of_the_right_kind)
{
    static const struct {
        const char *text;
        gb_need need;
    } rows[] = {
        {"memory=pageable,bytes=100", {100, 100, 0, 0}},
        {"memory=pinned,bytes=100", {100, 0, 100, 0}},
        {"memory=write-combined,bytes=100", {100, 0, 100, 0}},
        {"memory=mapped,bytes=100", {100, 0, 100, 0}},
        {"memory=managed,bytes=100", {200, 100, 0, 0}},
        {"direction=bidirectional,memory=pageable,bytes=100", {200, 200, 0, 0}},
        {"direction=d2d,memory=device,bytes=100", {200, 0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gb_need need;
        gb_error err = {0};
        ck_assert_int_eq(check("copy", rows[i].text, GB_CUDA, &need, &err), GB_OK);
        ck_assert_uint_eq(need.device_bytes, rows[i].need.device_bytes);
        ck_assert_uint_eq(need.host_bytes, rows[i].need.host_bytes);
        ck_assert_uint_eq(need.pinned_bytes, rows[i].need.pinned_bytes);
    }
}
END_TEST

START_TEST(copy_refuses_what_makes_no_sense)
{
    refused("copy", "direction=d2d,memory=pinned", "d2d needs memory: device, not pinned");
    refused("copy", "direction=h2d,memory=device", "h2d needs a kind of host memory");
    refused("copy", "direction=bidirectional,memory=device", "needs a kind of host memory");
    refused("copy", "direction=bidirectional,memory=managed", "one side at a time");
    refused("copy", "bytes=4,pieces=5", "pieces (5) is more than the 4 bytes");
}
END_TEST

START_TEST(write_combined_memory_is_not_read_at_large_sizes)
{
    static const struct {
        const char *args;
        gb_code code;
    } rows[] = {
        {"memory=write-combined,direction=d2h,bytes=67108864", GB_OK},
        {"memory=write-combined,direction=d2h,bytes=67108865", GB_UNAVAILABLE},
        {"memory=write-combined,direction=bidirectional,bytes=67108865", GB_UNAVAILABLE},
        {"memory=write-combined,direction=h2d,bytes=1073741824", GB_OK},
        {"memory=pinned,direction=d2h,bytes=1073741824", GB_OK},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gb_need need;
        gb_error err = {0};
        ck_assert_msg(check("copy", rows[i].args, GB_CUDA, &need, &err) == rows[i].code, "%s",
                      rows[i].args);
        if (rows[i].code != GB_OK)
            ck_assert_ptr_nonnull(strstr(err.message, "uncached"));
    }
}
END_TEST

START_TEST(memory_that_cpu_lacks_is_a_skip_with_a_reason)
{
    static const char *const kinds[] = {"write-combined", "mapped", "managed"};
    for (size_t i = 0; i < 3; i++) {
        char text[64];
        gb_need need;
        gb_error err = {0};
        snprintf(text, sizeof text, "memory=%s", kinds[i]);
        ck_assert_int_eq(check("copy", text, GB_CPU, &need, &err), GB_UNAVAILABLE);
        ck_assert_ptr_nonnull(strstr(err.message, kinds[i]));
        ck_assert_int_eq(check("copy", text, GB_CUDA, &need, &err), GB_OK);
    }
}
END_TEST

START_TEST(copy_keeps_waiting_kinds_out_of_the_gate)
{
    static const struct {
        const char *text;
        bool allowed;
    } rows[] = {{"memory=pageable", false}, {"memory=managed", false},
                {"memory=pinned", true},    {"memory=write-combined", true},
                {"memory=mapped", true},    {"direction=d2d,memory=device", true},
                {"pieces=512", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gb_value args[KERNEL_ARGS_MAX];
        const gb_kernel *k = kernel_args("copy", rows[i].text, args);
        ck_assert_msg(k->gate_allowed(args, GB_CUDA) == rows[i].allowed, "%s", rows[i].text);
    }
}
END_TEST

START_TEST(stream_counts_arrays_and_flops)
{
    static const struct {
        const char *op;
        unsigned reads, writes, flops;
    } rows[] = {{"read", 1, 0, 1}, {"write", 0, 1, 0}, {"copy", 1, 1, 0}, {"scale", 1, 1, 1},
                {"add", 2, 1, 1},  {"triad", 2, 1, 2}, {"dot", 2, 0, 2}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int fp64 = 0; fp64 < 2; fp64++) {
            char text[80];
            gb_need need;
            gb_error err = {0};
            const unsigned size = fp64 ? 8 : 4;
            snprintf(text, sizeof text, "op=%s,type=%s,bytes=8000", rows[i].op,
                     fp64 ? "fp64" : "fp32");
            const gb_work w = work("stream", text, GB_CPU);
            ck_assert_uint_eq(w.bytes_read, 8000 * rows[i].reads);
            ck_assert_uint_eq(w.bytes_written, 8000 * rows[i].writes);
            ck_assert_uint_eq(w.bytes_moved, 8000 * (rows[i].reads + rows[i].writes));
            ck_assert_uint_eq(w.working_set, w.bytes_moved);
            ck_assert_uint_eq(w.flops, 8000 / size * rows[i].flops);
            ck_assert_uint_eq(w.items, 8000 / size);
            ck_assert_int_eq(check("stream", text, GB_CPU, &need, &err), GB_OK);
            const unsigned partials = rows[i].writes == 0 ? 8192 * size : 0;
            ck_assert_uint_eq(need.device_bytes, w.bytes_moved + partials);
        }
    }
    refused("stream", "type=fp64,bytes=12", "bytes (12) is not a multiple of the 8 of one fp64");
    refused("stream", "type=fp32,bytes=6", "not a multiple of the 4 of one fp32");
}
END_TEST

/* Sectors of the loads alone: without those of the stored sums. */
static uint64_t load_sectors(const char *text, uint64_t stored)
{
    const gb_work w = work("access", text, GB_CUDA);
    ck_assert_uint_eq(w.bytes_written, 4 * stored);
    ck_assert_uint_eq(w.bytes_sectors % 32, 0);
    return w.bytes_sectors / 32 - (4 * stored + 31) / 32;
}

START_TEST(access_counts_sectors_exactly)
{
    /* 4096 loads: one block, 256 sums; 128 warps */
    ck_assert_uint_eq(load_sectors("pattern=coalesced,elements=4096", 256), 128 * 4);
    ck_assert_uint_eq(load_sectors("pattern=offset,offset=0,elements=4096", 256), 128 * 4);
    ck_assert_uint_eq(load_sectors("pattern=offset,offset=1,elements=4096", 256), 128 * 5);
    ck_assert_uint_eq(load_sectors("pattern=offset,offset=7,elements=4096", 256), 128 * 5);
    ck_assert_uint_eq(load_sectors("pattern=offset,offset=8,elements=4096", 256), 128 * 4);
    ck_assert_uint_eq(load_sectors("pattern=offset,offset=31,elements=4096", 256), 128 * 5);
    ck_assert_uint_eq(load_sectors("pattern=strided,stride=1,elements=4096", 256), 128 * 4);
    ck_assert_uint_eq(load_sectors("pattern=strided,stride=2,elements=4096", 256), 128 * 8);
    ck_assert_uint_eq(load_sectors("pattern=strided,stride=3,elements=4096", 256), 128 * 12);
    ck_assert_uint_eq(load_sectors("pattern=strided,stride=8,elements=4096", 256), 128 * 32);
    ck_assert_uint_eq(load_sectors("pattern=strided,stride=32,elements=4096", 256), 128 * 32);
    /* a last warp of one load, and of 31: 4 whole sectors */
    ck_assert_uint_eq(load_sectors("elements=33", 33), 4 + 1);
    ck_assert_uint_eq(load_sectors("elements=31", 31), 4);
    ck_assert_uint_eq(load_sectors("pattern=strided,stride=2,elements=31", 31), 8);
    ck_assert_uint_eq(load_sectors("pattern=strided,stride=9,elements=31", 31), 31);
    /* random: all of an array of 8 or 32 elements lies in 1 or 4 sectors; large: one a load */
    ck_assert_uint_eq(load_sectors("pattern=random,elements=8", 8), 1);
    ck_assert_uint_eq(load_sectors("pattern=random,elements=32", 32), 4);
    ck_assert_uint_eq(load_sectors("pattern=random,elements=1048576", 65536), 1048576);
    const uint64_t middle = load_sectors("pattern=random,elements=65536", 4096);
    ck_assert(middle > 65536 * 995 / 1000 && middle < 65536);
}
END_TEST

START_TEST(access_counts_what_is_loaded_and_spread)
{
    gb_need need;
    gb_error err = {0};
    gb_work w = work("access", "pattern=strided,stride=32,elements=1000003", GB_CUDA);
    ck_assert_uint_eq(w.bytes_read, 4000012);
    ck_assert_uint_eq(w.items, 1000003);
    /* 1000003 = 244 * 4096 + 579: 244 * 256 + 256 sums */
    ck_assert_uint_eq(w.bytes_written, 4 * 62720);
    ck_assert_uint_eq(w.bytes_moved, 4000012 + 4 * 62720);
    ck_assert_uint_eq(w.working_set, 1000003 * 32 + 4 * 62720);
    ck_assert_int_eq(
        check("access", "pattern=strided,stride=32,elements=1000003", GB_CUDA, &need, &err), GB_OK);
    ck_assert_uint_eq(need.device_bytes, (UINT64_C(1000002) * 32 + 1) * 4 + 4 * 62720);
    w = work("access", "pattern=offset,offset=3,elements=100", GB_CPU);
    ck_assert_uint_eq(w.working_set, 412 + 400);
    ck_assert_uint_eq(work("access", "pattern=strided,stride=32,elements=100", GB_CPU).working_set,
                      6400 + 400);
}
END_TEST

START_TEST(access_refuses_parameters_of_another_pattern)
{
    refused("access", "pattern=coalesced,stride=8", "stride (8) belongs to pattern: strided");
    refused("access", "pattern=random,stride=2", "stride (2) belongs to pattern: strided");
    refused("access", "pattern=strided,stride=2,offset=1", "offset (1) belongs to pattern: offset");
}
END_TEST

START_TEST(KRN_14_launch_overhead_is_three_timers)
{
    const gb_kernel_spec *spec = &gb_kernel_find("noop")->spec;
    ck_assert_uint_eq(spec->timers,
                      GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP) | GB_BIT(GB_TIMER_CALL));
    ck_assert_ptr_nonnull(strstr(spec->lesson, "`call`"));
    ck_assert_ptr_nonnull(strstr(spec->lesson, "`device`"));
    ck_assert_ptr_nonnull(strstr(spec->lesson, "`roundtrip`"));
    ck_assert_uint_eq(work("noop", "what=kernel", GB_CUDA).items, 1);
    ck_assert_uint_eq(work("noop", "what=events", GB_CUDA).bytes_moved, 0);
}
END_TEST

/* CPY-13: a size of zero is outside of every range, so that the suite loader refuses it. */
START_TEST(CPY_13_no_size_may_be_zero)
{
    static const char *const sizes[][2] = {{"copy", "bytes"},
                                           {"copy", "pieces"},
                                           {"stream", "bytes"},
                                           {"access", "elements"},
                                           {"access", "stride"}};
    json_t *zero = json_integer(0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const gb_kernel_spec *spec = &gb_kernel_find(sizes[i][0])->spec;
        const gb_param *param = &spec->params[gb_spec_param(spec, sizes[i][1])];
        gb_value value;
        ck_assert_uint_ge(param->min, 1);
        ck_assert_int_eq(gb_value_from_json(param, zero, &value, NULL), GB_INVALID);
    }
    json_decref(zero);
}
END_TEST

/* What cases state that they last, whatever budget and precision say. */
START_TEST(stated_times_are_known_before)
{
    static const struct {
        const char *kernel, *text;
        uint64_t max_samples, ns;
    } cases[] = {
        {"stability", "duration=20000000000", 1000000, UINT64_C(20000000000)},
        {"stability", "duration=20000000000", 100000, UINT64_C(20000000000)},
        {"stability", "duration=20000000000", 1000, 200000000}, /* which may end it */
        {"delay", "duration=5000", 2000, 15000},
        {"delay", "duration=5000", 1, 5000},
        {"serving", "rate=500,window=4000", 1, UINT64_C(8000000000)},
        {"serving", "rate=500,window=4000,clock=virtual", 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gb_value args[KERNEL_ARGS_MAX];
        const gb_kernel *k = kernel_args(cases[i].kernel, cases[i].text, args);
        ck_assert_ptr_nonnull(k->spec.least_ns);
        ck_assert_uint_eq(k->spec.least_ns(args, cases[i].max_samples), cases[i].ns);
    }
}
END_TEST

START_TEST(divergence_counts_each_path)
{
    gb_need need;
    gb_error err = {0};
    ck_assert_int_eq(check("divergence", "elements=1000", GB_CUDA, &need, &err), GB_OK);
    ck_assert_uint_eq(need.device_bytes, 8000);
    gb_work w = work("divergence", "ways=32,rounds=2,elements=1000", GB_CUDA);
    ck_assert_uint_eq(w.flops, 1000 * (2 * 32 * 2 + 1));
    ck_assert_uint_eq(w.bytes_moved, 8000);
    ck_assert_uint_eq(check("divergence", "pattern=data,elements=1000", GB_CPU, &need, &err),
                      GB_OK);
    ck_assert_uint_eq(need.device_bytes, 9000);
    ck_assert_uint_eq(work("divergence", "pattern=data,elements=1000", GB_CPU).bytes_read, 5000);
    /* 8, 16, 24 and 32 steps for 16 elements each; in warps 8 steps for 32 and 16 for 32 */
    w = work("divergence", "pattern=early-exit,ways=4,rounds=1,elements=64", GB_CUDA);
    ck_assert_uint_eq(w.flops, 2 * 16 * (8 + 16 + 24 + 32) + 64);
    w = work("divergence", "pattern=early-exit,ways=4,rounds=1,split=warp,elements=64", GB_CUDA);
    ck_assert_uint_eq(w.flops, 2 * 32 * (8 + 16) + 64);
    /* every 32nd of 3112 elements; the first 32 of every 1024 */
    w = work("divergence", "pattern=one-lane,ways=32,rounds=1,elements=3112", GB_CUDA);
    ck_assert_uint_eq(w.flops, 98 * 64 + 3112);
    w = work("divergence", "pattern=one-lane,ways=32,rounds=1,split=warp,elements=3112", GB_CUDA);
    ck_assert_uint_eq(w.flops, 128 * 64 + 3112);
}
END_TEST

START_TEST(divergence_refuses_parameters_of_another_pattern)
{
    refused("divergence", "ways=3", "ways (3) must be 1, 2, 4, 8, 16 or 32");
    refused("divergence", "pattern=data,split=warp", "leave it at lane");
    refused("divergence", "order=shuffled", "order: shuffled belongs to pattern: data");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("work");
    tcase_add_test(tc, write_combined_memory_is_not_read_at_large_sizes);
    tcase_add_test(tc, CPY_01_three_arrays_of_8_GiB_need_24_GiB_exactly);
    tcase_add_test(tc, CPY_02_sizes_around_2_to_the_31);
    tcase_add_test(tc, the_largest_sizes_do_not_wrap);
    tcase_add_test(tc, copy_counts_by_the_stated_convention);
    tcase_add_test(tc, copy_needs_memory_of_the_right_kind);
    tcase_add_test(tc, copy_refuses_what_makes_no_sense);
    tcase_add_test(tc, memory_that_cpu_lacks_is_a_skip_with_a_reason);
    tcase_add_test(tc, copy_keeps_waiting_kinds_out_of_the_gate);
    tcase_add_test(tc, stream_counts_arrays_and_flops);
    tcase_add_test(tc, access_counts_sectors_exactly);
    tcase_add_test(tc, access_counts_what_is_loaded_and_spread);
    tcase_add_test(tc, access_refuses_parameters_of_another_pattern);
    tcase_add_test(tc, divergence_counts_each_path);
    tcase_add_test(tc, stated_times_are_known_before);
    tcase_add_test(tc, divergence_refuses_parameters_of_another_pattern);
    tcase_add_test(tc, KRN_14_launch_overhead_is_three_timers);
    tcase_add_test(tc, CPY_13_no_size_may_be_zero);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("kernels_work", add_cases)
