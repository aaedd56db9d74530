/* stability on the cpu device: what is counted, how long a case goes on, which iterations are
 * samples, and loads of which a part goes missing. The time is made up: each look at the clock
 * takes one step of it. */
#include "kernels/stability_load.h"
#include "unit/kernel_spy.h"

/* The device's clock. */
static struct {
    uint64_t now, step;
} clock_of;

static uint64_t spy_now(gb_device *device)
{
    (void)device;
    return clock_of.now += clock_of.step;
}

static void open_device(void)
{
    open_kernel_device();
    memset(&spy, 0, sizeof spy);
    memset(&clock_of, 0, sizeof clock_of);
    ops.now_ns = spy_now;
    ops.launch = spy_launch;
    ops.copy = spy_copy;
}

static gb_work work_of(const char *text, gb_need *need)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_error err = {0};
    gb_work work;
    const gb_kernel *k = kernel_args("stability", text, args);
    ck_assert_msg(k->spec.check(args, GB_CPU, need, &err) == GB_OK, "%s", err.message);
    k->spec.work(args, GB_CPU, &work);
    return work;
}

START_TEST(what_is_counted)
{
    gb_need need;
    gb_work w = work_of("work=memory,bytes=33554432,rounds=64", &need);
    ck_assert_uint_eq(w.bytes_moved, 2u * 33554432);
    ck_assert_uint_eq(w.flops, 2u * 33554432 / 4);
    ck_assert_int_eq(w.ceiling, GB_CEILING_MEMORY);
    ck_assert_uint_eq(need.device_bytes, 2u * 33554432);
    ck_assert_uint_eq(need.beside_bytes, 0);
    w = work_of("work=compute,bytes=33554432,rounds=64", &need);
    ck_assert_uint_eq(w.bytes_moved, 0); /* of the cache: no bandwidth */
    ck_assert_uint_eq(w.flops, 2u * 64 * 1048576);
    ck_assert_uint_eq(need.device_bytes, 2u * 4194304);
    w = work_of("work=launch,bytes=33554432,beside=copies", &need);
    ck_assert_uint_eq(w.working_set, 2u * 262144);
    ck_assert_uint_eq(need.beside_bytes, 3u * 33554432);
    w = work_of("work=launch,bytes=40,beside=compute", &need);
    ck_assert_uint_eq(w.flops, 2u * 10);
    ck_assert_uint_eq(need.beside_bytes, 80);
}
END_TEST

START_TEST(an_array_is_of_whole_elements)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_error err = {0};
    gb_need need;
    const gb_kernel *k = kernel_args("stability", "bytes=41", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_INVALID);
    ck_assert_str_eq(err.message, "bytes (41) is no multiple of 4");
}
END_TEST

/* Takes samples until the kernel says that the time is over. Returns their number. */
static unsigned long samples_of(const char *text, uint64_t step, double *ns,
                                unsigned long *launches)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args("stability", text, args);
    gb_run run = {.dev = dev, .args = args, .timer = GB_TIMER_ROUNDTRIP, .seed = 7};
    gb_error err = {0};
    gb_sample sample;
    unsigned long n = 0;
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
    ck_assert_msg(k->prepare(&run, &err) == GB_OK, "%s", err.message);
    clock_of.step = step;
    ck_assert_int_eq(k->sample(&run, 1, &sample, &err), GB_OK); /* loads, and is no sample */
    ck_assert_uint_eq(sample.ready, 0);
    spy.launches = 0;
    do {
        ck_assert_int_eq(k->sample(&run, 1, &sample, &err), GB_OK);
        *ns = sample.ns;
        n++;
    } while (sample.ready > 0);
    *launches = spy.launches;
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return n;
}

/* An iteration lasts from one look at the clock to the next; a sample looks once more. */
START_TEST(a_case_goes_on_for_the_time_that_is_asked_for)
{
    double ns;
    unsigned long launches;
    ck_assert_uint_eq(samples_of("bytes=4096,duration=300000000", 1000000, &ns, &launches), 100);
    ck_assert_double_eq(ns, 1e6);
    ck_assert_uint_eq(launches, 100);
    ck_assert_uint_eq(samples_of("bytes=4096,duration=1000000", 5000000, &ns, &launches), 1);
}
END_TEST

/* 20 ms in iterations of 100 ns are 200,000, of which 50,000 are wanted. */
START_TEST(of_many_short_iterations_every_so_manyth_is_a_sample)
{
    double ns;
    unsigned long launches;
    const unsigned long n =
        samples_of("work=launch,bytes=4,duration=20000000", 100, &ns, &launches);
    ck_assert_double_eq(ns, 100); /* one iteration alone */
    ck_assert_uint_eq(launches, 4 * n);
    ck_assert_uint_ge(n, 20000);
    ck_assert_uint_le(n, 50000);
}
END_TEST

/* Whether a load is right once, with one call of it left out. */
static gb_code check_load(gb_load_kind kind, unsigned long drop_launch, unsigned long drop_copy)
{
    const gb_load_spec spec = {kind, 100004, 7};
    gb_run run = {.dev = dev, .seed = 7};
    gb_load load = {0};
    gb_error err = {0};
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
    ck_assert_msg(gb_load_prepare(&run, &spec, &load, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(gb_load_poison(&run, &load, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, run.stream, &err), GB_OK);
    spy.launches = spy.copies = 0;
    spy.drop_launch = drop_launch;
    spy.drop_copy = drop_copy;
    ck_assert_int_eq(gb_load_enqueue(&run, &load, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, run.stream, &err), GB_OK);
    spy.drop_launch = spy.drop_copy = 0;
    const gb_code code = gb_load_verify(&run, &load, &err);
    gb_load_free(&run, &load);
    dev->ops->stream_destroy(dev, run.stream);
    return code;
}

START_TEST(a_load_that_is_left_out_is_noticed)
{
    for (int kind = 0; kind < GB_LOADS; kind++) {
        ck_assert_int_eq(check_load((gb_load_kind)kind, 0, 0), GB_OK);
        if (kind != GB_LOAD_COPIES)
            ck_assert_int_eq(check_load((gb_load_kind)kind, 1, 0), GB_WRONG_RESULT);
    }
    ck_assert_int_eq(check_load(GB_LOAD_COPIES, 0, 1), GB_WRONG_RESULT);
    ck_assert_int_eq(check_load(GB_LOAD_COPIES, 0, 2), GB_WRONG_RESULT);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("stability");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_device, close_kernel_device);
    tcase_add_test(tc, what_is_counted);
    tcase_add_test(tc, an_array_is_of_whole_elements);
    tcase_add_test(tc, a_case_goes_on_for_the_time_that_is_asked_for);
    tcase_add_test(tc, of_many_short_iterations_every_so_manyth_is_a_sample);
    tcase_add_test(tc, a_load_that_is_left_out_is_noticed);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("stability", add_cases)
