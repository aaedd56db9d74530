/* The measuring loop in virtual time: under which conditions a kernel was measured. */
#include "unit/measure_fixture.h"

static const fake_kernel_options plain = {.work = {.bytes_moved = 1000, .items = 1}};

START_TEST(TIM_06_synchronous_launches_and_profilers_are_flagged)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.device.info.synchronous_launches = true;
    gb_measure how = default_how();
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(has_flag(&r, GB_FLAG_SYNCHRONOUS_LAUNCHES) && has_flag(&r, GB_FLAG_GATE_OFF));
    gb_record_free(&r);
    fake.device.info.synchronous_launches = false;
    fake.device.info.profiler = true;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(has_flag(&r, GB_FLAG_PROFILED) && has_flag(&r, GB_FLAG_GATE_OFF));
    ck_assert_uint_eq(fake.gates, 0);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_20_phases_add_up)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    gb_measure how = default_how();
    gb_record r;
    double before = fake.now;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    static const char *const phases[] = {"setup", "warmup", "measure", "verify", "teardown"};
    double sum = 0, total = json_number(r.phases_ns, "total");
    for (int i = 0; i < 5; i++) {
        double ns = json_number(r.phases_ns, phases[i]);
        ck_assert_msg(ns > 0, "%s", phases[i]);
        sum += ns;
    }
    ck_assert_double_le(sum, total);
    ck_assert_double_ge(sum, 0.9 * total);
    ck_assert_double_le(total, fake.now - before);
    ck_assert_double_ge(json_number(r.phases_ns, "warmup"), 1 * MS);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(KRN_05_cache_resident_and_implausible_are_told_apart)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    gb_measure how = default_how();
    how.peak_bandwidth = 90e9;
    /* 1,000,000 bytes in 10 us: 100 GB/s */
    fake_kernel_options o = {.work = {.bytes_moved = 1000000, .ceiling = GB_CEILING_MEMORY}};
    gb_record r;

    o.work.working_set = 4 << 20; /* four times the last-level cache */
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(has_flag(&r, GB_FLAG_IMPLAUSIBLE) && !has_flag(&r, GB_FLAG_CACHE_RESIDENT));
    ck_assert(near(r.metrics[0].value, 100e9, 0.01)); /* kept, not cut to the peak */
    ck_assert_double_eq(r.metrics[0].peak, 90e9);
    gb_record_free(&r);

    o.work.working_set = 1 << 20;
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(!has_flag(&r, GB_FLAG_IMPLAUSIBLE) && has_flag(&r, GB_FLAG_CACHE_RESIDENT));
    gb_record_free(&r);

    /* Between the two nothing is said: a part may come from the cache, or stay in it. */
    for (int i = 0; i < 2; i++) {
        o.work.working_set = i == 0 ? (4 << 20) - 4 : 1 << 20;
        measure_ok(&fake, &o, GB_TIMER_DEVICE, i == 0 ? GB_CACHE_WARM : GB_CACHE_COLD, &how, &r);
        ck_assert(!has_flag(&r, GB_FLAG_IMPLAUSIBLE) && !has_flag(&r, GB_FLAG_CACHE_RESIDENT));
        ck_assert_double_eq(r.metrics[0].peak, 90e9);
        gb_record_free(&r);
    }

    o.work.working_set = 4 << 20;
    how.peak_bandwidth = 99e9; /* 101 %: within the tolerance */
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(!has_flag(&r, GB_FLAG_IMPLAUSIBLE));
    gb_record_free(&r);

    how.peak_bandwidth = NAN;
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(!has_flag(&r, GB_FLAG_IMPLAUSIBLE));
    gb_record_free(&r);

    o.work.ceiling = GB_CEILING_LINK; /* PCIe 4 x16: 31.5 GB/s, whatever fits into a cache */
    o.work.working_set = 1 << 10;
    fake.device.info.pcie_gen_max = 4;
    fake.device.info.pcie_width_max = 16;
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(has_flag(&r, GB_FLAG_IMPLAUSIBLE) && !has_flag(&r, GB_FLAG_CACHE_RESIDENT));
    ck_assert(near(r.metrics[0].peak, 31.5e9, 0.01));
    gb_record_free(&r);

    o.work.bytes_read = o.work.bytes_written = 500000; /* both directions at once */
    measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(near(r.metrics[0].peak, 63e9, 0.01));
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(telemetry_is_read_under_load)
{
    for (int i = 0; i < 2 * GB_TIMERS; i++) {
        gb_timer timer = (gb_timer)(i % GB_TIMERS);
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.body_ns = 100000;
        fake.telemetry_ns = i < GB_TIMERS ? 1000 : 8 * MS; /* longer than the first load */
        gb_measure how = default_how();
        gb_record r;
        measure_ok(&fake, &plain, timer, GB_CACHE_WARM, &how, &r);
        ck_assert_double_eq(json_number(r.telemetry, "sm_clock_mhz"), 1500);
        ck_assert_double_eq(json_number(r.telemetry, "pcie_gen"), 4);
        ck_assert_double_eq(json_number(json_object_get(r.telemetry, "start"), "sm_clock_mhz"),
                            1500);
        ck_assert(!has_flag(&r, GB_FLAG_THROTTLED));
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(TIM_02_lowered_clocks_are_flagged)
{
    static const struct {
        double reasons, drop_at;
        bool throttled, idle; /* idle: work that leaves the SMs alone */
    } rows[] = {
        {0x1, 0, false, false}, /* idle */
        {0x2, 0, false, false}, /* clocks set by the user */
        {0x4, 0, true, false},  /* power cap */
        {0x40, 0, true, false}, /* too hot */
        {NAN, 0, false, false}, {0, 500, true, false},  {NAN, 500, true, false},
        {0, 500, false, true},  {0x4, 500, true, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.telemetry.throttle_reasons = rows[i].reasons;
        fake.clock_drop_at = rows[i].drop_at;
        gb_measure how = default_how();
        how.min_samples = 100;
        gb_record r;
        fake_kernel_options o = plain;
        o.work.ceiling = rows[i].idle ? GB_CEILING_LINK : GB_CEILING_MEMORY;
        measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
        ck_assert_msg(has_flag(&r, GB_FLAG_THROTTLED) == rows[i].throttled, "row %zu", i);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(unreadable_telemetry_is_null_and_never_a_flag)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    gb_telemetry *t = &fake.telemetry;
    t->sm_clock_mhz = t->memory_clock_mhz = t->temperature_c = t->power_w = NAN;
    t->utilization = t->pcie_gen = t->pcie_width = NAN;
    t->throttle_reasons = t->other_processes = t->ecc_uncorrected = NAN;
    gb_measure how = default_how();
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(json_is_null(json_object_get(r.telemetry, "sm_clock_mhz")));
    ck_assert_uint_eq(r.flags, 0);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(fibers_are_flagged_for_their_own_case_only)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    gb_measure how = default_how();
    gb_record r;
    for (int i = 0; i < 3; i++) {
        fake.fibers = i == 1;
        measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
        ck_assert(has_flag(&r, GB_FLAG_EMULATED) == (i == 1));
        gb_record_free(&r);
    }
    fake_device_done(&fake);
}
END_TEST

START_TEST(a_record_passes_its_own_check)
{
    for (int own = 0; own < 2; own++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.noise = 0.05;
        fake_kernel_options o = plain;
        o.own_sample = own;
        gb_measure how = default_how();
        gb_record r;
        gb_error err = {0};
        measure_ok(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
        ck_assert_msg(gb_record_check(&r, &err) == GB_OK, "%s", err.message);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *conditions = tcase_create("conditions");
    tcase_set_timeout(conditions, 120);
    tcase_add_test(conditions, TIM_06_synchronous_launches_and_profilers_are_flagged);
    tcase_add_test(conditions, TIM_20_phases_add_up);
    tcase_add_test(conditions, KRN_05_cache_resident_and_implausible_are_told_apart);
    tcase_add_test(conditions, telemetry_is_read_under_load);
    tcase_add_test(conditions, TIM_02_lowered_clocks_are_flagged);
    tcase_add_test(conditions, unreadable_telemetry_is_null_and_never_a_flag);
    tcase_add_test(conditions, fibers_are_flagged_for_their_own_case_only);
    tcase_add_test(conditions, a_record_passes_its_own_check);
    suite_add_tcase(suite, conditions);
}

GB_CHECK_MAIN("measure_conditions", add_cases)
