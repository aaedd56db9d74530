/* What ceilings the figures of a case are held against, and --profile. */
#include "unit/measure_fixture.h"

/* 132 SMs of compute capability 9.0 at 1500 MHz: 50.7 TFLOP/s of FP32. One iteration takes 10 us,
 * in which such a device does 506.9 million operations. */
#define PEAK (132 * 128 * 2 * 1500e6)
#define PEAK_OPERATIONS (PEAK * 10e-6)

static fake_device fake;
static gb_record r;

static void open_fake(void)
{
    fake_device_init(&fake, 1);
    fake.device.info.cc_major = 9;
    fake.device.info.units = 132;
    fake.device.info.clock_khz = 1980000;
}

static void run_flops(const gb_measure *how, gb_compute compute, double of_peak, uint64_t bytes)
{
    fake_kernel_options o = {
        .work = {.flops = compute == GB_COMPUTE_INT32 ? 0 : (uint64_t)(of_peak * PEAK_OPERATIONS),
                 .items = (uint64_t)(of_peak * PEAK_OPERATIONS / 2),
                 .bytes_read = bytes,
                 .bytes_moved = bytes,
                 .working_set = 2 << 20,
                 .compute = compute,
                 .items_are_operations = true}};
    gb_record_free(&r);
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, how, &r);
}

static void close_fake(void)
{
    gb_record_free(&r);
    fake_device_done(&fake);
}

START_TEST(KRN_05_arithmetic_above_its_units_is_implausible)
{
    gb_measure how = default_how();
    open_fake();
    run_flops(&how, GB_COMPUTE_FP32, 1.05, 8);
    ck_assert(has_flag(&r, GB_FLAG_IMPLAUSIBLE));
    ck_assert(near(r.metrics[2].value, 1.05 * PEAK, 0.02)); /* kept */
    ck_assert(near(r.metrics[2].peak, PEAK, 0.001));        /* at the measured clock */
    run_flops(&how, GB_COMPUTE_FP32, 0.99, 8);
    ck_assert(!has_flag(&r, GB_FLAG_IMPLAUSIBLE) && !has_flag(&r, GB_FLAG_KERNEL_LIMITED));
    close_fake();
}
END_TEST

START_TEST(KRN_08_a_kernel_below_its_units_says_so)
{
    gb_measure how = default_how();
    open_fake();
    run_flops(&how, GB_COMPUTE_FP32, 0.90, 8);
    ck_assert(has_flag(&r, GB_FLAG_KERNEL_LIMITED));
    /* Left of the ridge memory is the limit: at 10 FLOP/byte with 1 TB/s, 50 is the ridge. */
    how.peak_bandwidth = 1e12;
    run_flops(&how, GB_COMPUTE_FP32, 0.20, (uint64_t)(0.2 * PEAK_OPERATIONS / 10));
    ck_assert(!has_flag(&r, GB_FLAG_KERNEL_LIMITED));
    run_flops(&how, GB_COMPUTE_FP32, 0.20, (uint64_t)(0.2 * PEAK_OPERATIONS / 100));
    ck_assert(has_flag(&r, GB_FLAG_KERNEL_LIMITED));
    /* Without a measured clock there is a peak, but no judgement. */
    fake.telemetry.sm_clock_mhz = NAN;
    run_flops(&how, GB_COMPUTE_FP32, 0.20, 8);
    ck_assert(!has_flag(&r, GB_FLAG_KERNEL_LIMITED));
    ck_assert(near(r.metrics[2].peak, PEAK * 1980 / 1500, 0.001));
    close_fake();
}
END_TEST

START_TEST(KRN_08_each_type_has_a_peak_of_its_own)
{
    gb_measure how = default_how();
    open_fake();
    run_flops(&how, GB_COMPUTE_FP64, 0.4, 8);
    ck_assert(near(r.metrics[2].peak, PEAK / 2, 0.001));
    run_flops(&how, GB_COMPUTE_INT32, 0.4, 8);
    ck_assert(near(r.metrics[1].peak, PEAK / 4, 0.001)); /* multiply-adds, not operations */
    ck_assert(has_flag(&r, GB_FLAG_KERNEL_LIMITED));     /* 80 % of half of PEAK */
    ck_assert(!(r.metrics[2].peak > 0));
    /* Special functions: one of 16 lanes a cycle is one operation, not two. */
    run_flops(&how, GB_COMPUTE_SPECIAL, 0.1, 8);
    ck_assert(near(r.metrics[1].peak, PEAK / 16, 0.001));
    ck_assert(has_flag(&r, GB_FLAG_KERNEL_LIMITED)); /* 80 % of it */
    /* A rate of operations is held against the same units as the FLOPs. */
    run_flops(&how, GB_COMPUTE_FP32, 0.99, 8);
    ck_assert(near(r.metrics[1].peak, PEAK / 2, 0.001));
    ck_assert(!has_flag(&r, GB_FLAG_KERNEL_LIMITED));
    run_flops(&how, GB_COMPUTE_NONE, 0.4, 8);
    ck_assert(!(r.metrics[2].peak > 0) && !(r.metrics[1].peak > 0));
    close_fake();
}
END_TEST

START_TEST(PLT_13_what_the_vendor_states_is_used_where_theory_is_unknown)
{
    gb_measure how = default_how();
    open_fake();
    fake.device.info.cc_minor = 9;
    run_flops(&how, GB_COMPUTE_FP32, 3, 8);
    ck_assert(!(r.metrics[2].peak > 0) && !has_flag(&r, GB_FLAG_IMPLAUSIBLE));
    how.published.flops[GB_COMPUTE_FP32] = PEAK;
    run_flops(&how, GB_COMPUTE_FP32, 3, 8);
    ck_assert(near(r.metrics[2].peak, PEAK, 0.001) && has_flag(&r, GB_FLAG_IMPLAUSIBLE));
    fake.device.info.cc_minor = 0;
    how.published.flops[GB_COMPUTE_FP32] = 1;
    run_flops(&how, GB_COMPUTE_FP32, 1, 8);
    ck_assert(near(r.metrics[2].peak, PEAK, 0.001));
    close_fake();
}
END_TEST

/* Neighbours share sectors through a cache: more of them may be asked for than memory delivers. */
START_TEST(KRN_05_sectors_and_unknown_peaks_have_no_ceiling)
{
    fake_kernel_options o = {.work = {.bytes_read = 5000,
                                      .bytes_moved = 5000,
                                      .bytes_sectors = 40000,
                                      .working_set = UINT64_C(1) << 40,
                                      .ceiling = GB_CEILING_MEMORY}};
    gb_measure how = default_how();
    open_fake();
    how.peak_bandwidth = 1e9; /* a tenth of what the sectors come to */
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(near(r.metrics[0].peak, 1e9, 0.001) && near(r.metrics[0].value, 0.5e9, 0.01));
    ck_assert(near(r.metrics[3].value, 4e9, 0.01) && !(r.metrics[3].peak > 0));
    ck_assert(!has_flag(&r, GB_FLAG_IMPLAUSIBLE));
    gb_record_free(&r);
    how.peak_bandwidth = NAN;
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    for (size_t i = 0; i < r.n_metrics; i++)
        ck_assert(!(r.metrics[i].peak > 0));
    json_t *json = gb_record_json(&r, false);
    const json_t *metrics = json_object_get(json, "metrics");
    ck_assert(json_is_null(json_object_get(json_object_get(metrics, "bandwidth"), "peak")));
    json_decref(json);
    close_fake();
}
END_TEST

START_TEST(a_profiled_case_is_one_sample_of_one_iteration)
{
    gb_measure how = default_how();
    open_fake();
    how.profile = true;
    how.gate = false;
    run_flops(&how, GB_COMPUTE_NONE, 0.01, 8);
    ck_assert_uint_eq(r.n_samples, 1);
    ck_assert_uint_eq(r.iterations_per_sample, 1);
    ck_assert_uint_eq(fake_verified, 1);
    ck_assert(!r.gated && !r.converged);
    close_fake();
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("peaks");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, KRN_05_arithmetic_above_its_units_is_implausible);
    tcase_add_test(c, KRN_08_a_kernel_below_its_units_says_so);
    tcase_add_test(c, KRN_08_each_type_has_a_peak_of_its_own);
    tcase_add_test(c, PLT_13_what_the_vendor_states_is_used_where_theory_is_unknown);
    tcase_add_test(c, KRN_05_sectors_and_unknown_peaks_have_no_ceiling);
    tcase_add_test(c, a_profiled_case_is_one_sample_of_one_iteration);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("measure_peaks", add_cases)
