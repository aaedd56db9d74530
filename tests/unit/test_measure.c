/* The measuring loop in virtual time: what it says a kernel takes. */
#include "unit/measure_fixture.h"

static const fake_kernel_options plain = {.work = {.bytes_moved = 1000, .items = 1}};

START_TEST(device_timer_batches_and_leaves_the_launch_out)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.body_ns = 1000; /* shorter than the host's 2 us for a launch: the gate must hide those */
    fake.tick_ns = 500;
    gb_measure how = default_how();
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(near(r.time.median, 1000, 0.005));
    ck_assert_uint_ge(r.iterations_per_sample, 200);
    ck_assert(r.gated && r.converged);
    ck_assert_str_eq(r.stopped_by, "precision");
    ck_assert_uint_ge(r.n_samples, 10);
    ck_assert_double_eq(r.resolution_ns, 500);
    ck_assert_uint_eq(r.flags, 0);
    ck_assert_uint_eq(r.n_metrics, 4);
    ck_assert(near(r.metrics[0].value, 1000 / r.time.median * 1e9, 1e-9));
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(without_the_gate_the_queue_runs_empty_and_that_is_said)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.body_ns = 1000;
    gb_measure how = default_how();
    how.gate = false;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert(near(r.time.median, 2000, 0.02)); /* the host's pace */
    ck_assert(!r.gated && has_flag(&r, GB_FLAG_GATE_OFF));
    ck_assert_uint_eq(fake.gates, 0);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(roundtrip_is_the_call_and_the_wait)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    gb_measure how = default_how();
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_ROUNDTRIP, GB_CACHE_WARM, &how, &r);
    ck_assert(near(r.time.median, 2000 + 10000 + 5000, 0.01));
    ck_assert_uint_eq(r.iterations_per_sample, 1);
    ck_assert_uint_eq(fake.gates, 0);
    ck_assert(!has_flag(&r, GB_FLAG_GATE_OFF)); /* has no meaning here */
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(cold_cache_flushes_before_each_iteration_outside_the_time)
{
    static const double expected[GB_TIMERS] = {10000, 17000, 2000};
    for (gb_timer timer = 0; timer < GB_TIMERS; timer++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        gb_measure how = default_how();
        gb_record r;
        measure_ok(&fake, &plain, timer, GB_CACHE_COLD, &how, &r);
        ck_assert_msg(near(r.time.median, expected[timer], 0.02), "%s: %g", gb_timer_word(timer),
                      r.time.median);
        ck_assert_uint_eq(r.iterations_per_sample, 1);
        ck_assert_uint_ge(fake.flushes, r.n_samples + 1);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(parts_of_a_sample_become_medians)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake_kernel_options own = plain;
    own.own_sample = true;
    gb_measure how = default_how();
    gb_record r;
    for (own.parts_after = 0; own.parts_after < 2; own.parts_after++) {
        measure_ok(&fake, &own, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
        ck_assert(near(r.time.median, 10000, 1e-6));
        ck_assert(near(json_number(r.parts_ns, "in"), 2500, 1e-6));
        ck_assert(near(json_number(r.parts_ns, "out"), 5000, 1e-6));
        ck_assert(!gb_record_part_after(&r, "in"));
        ck_assert(gb_record_part_after(&r, "out") == (own.parts_after == 1));
        gb_record_free(&r);
    }
    fake_device_done(&fake);
}
END_TEST

/* Loading a module makes the first launch, flush and gate 1000 times as long as a body. */
START_TEST(TIM_04_TIM_05_first_calls_are_outside_of_samples_and_gates)
{
    for (int i = 0; i < GB_TIMERS * GB_CACHES; i++) {
        gb_timer timer = (gb_timer)(i % GB_TIMERS);
        gb_cache cache = (gb_cache)(i / GB_TIMERS);
        gb_measure how = default_how();
        gb_record r[2];
        for (int slow = 0; slow < 2; slow++) {
            fake_device fake;
            fake_device_init(&fake, 7);
            fake.noise = 0.01;
            fake.first_ns = slow ? 1000 * fake.body_ns : 0;
            measure_ok(&fake, &plain, timer, cache, &how, &r[slow]);
            ck_assert_uint_eq(r[slow].rejected, 0);
            if (r[slow].gated && cache == GB_CACHE_COLD) /* held once with nothing behind it */
                ck_assert_uint_eq(fake.gates, r[slow].n_samples + 1);
            fake_device_done(&fake);
        }
        ck_assert(near(r[1].time.median, r[0].time.median, 0.01));
        ck_assert(near(r[1].time.max, r[0].time.max, 0.05));
        ck_assert_double_lt(r[0].first_call_ns, 100000);
        ck_assert_double_ge(r[1].first_call_ns, 1000 * 10000);
        gb_record_free(&r[0]);
        gb_record_free(&r[1]);
    }
}
END_TEST

START_TEST(CPY_16_first_touch_is_a_field_of_its_own)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.first_ns = 700 * S / 100; /* migrating all pages takes 7 s, once */
    fake_kernel_options managed = plain;
    managed.no_gate = true;
    gb_measure how = default_how();
    gb_record r;
    measure_ok(&fake, &managed, GB_TIMER_ROUNDTRIP, GB_CACHE_WARM, &how, &r);
    ck_assert_double_ge(r.first_call_ns, 7 * S);
    ck_assert_double_lt(r.time.max, 20000);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_09_long_batches_keep_their_resolution)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.body_ns = 10.001 * MS;
    gb_measure how = default_how();
    how.min_samples = how.max_samples = 1000;
    how.budget_ns = 3600 * (uint64_t)S;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    double sum = 0;
    for (size_t i = 0; i < r.n_samples; i++)
        sum += r.samples_ns[i];
    ck_assert_uint_eq(r.n_samples, 1000);
    ck_assert_double_eq_tol(sum, 10001 * MS, 0.01 * MS);
    gb_record_free(&r);

    how.precision = 1e-9; /* asks for samples of 1000 s */
    how.max_samples = how.min_samples = 3;
    fake.body_ns = 15 * MS;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert_double_lt(r.time.median * (double)r.iterations_per_sample, 1 * S);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_14_a_time_of_zero_gives_no_rate)
{
    for (gb_timer timer = 0; timer < GB_TIMERS; timer++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.stopped_clock = true;
        gb_measure how = default_how();
        gb_record r;
        measure_ok(&fake, &plain, timer, GB_CACHE_WARM, &how, &r);
        ck_assert_double_eq(r.time.median, 0);
        ck_assert_double_nan(r.metrics[0].value);
        ck_assert_ptr_nonnull(strstr(r.metrics[0].reason, "resolution"));
        ck_assert(!r.converged && has_flag(&r, GB_FLAG_NOT_CONVERGED));
        json_t *json = gb_record_json(&r, true);
        json_t *metric = json_object_get(json_object_get(json, "metrics"), "bandwidth");
        ck_assert(json_is_null(json_object_get(metric, "value")));
        json_decref(json);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(TIM_18_one_sample_has_no_deviation)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    gb_measure how = default_how();
    how.min_samples = how.max_samples = 1;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert_uint_eq(r.time.n, 1);
    ck_assert_str_eq(r.stopped_by, "max-samples");
    json_t *json = gb_record_json(&r, false);
    json_t *time = json_object_get(json, "time_ns");
    ck_assert(json_is_null(json_object_get(time, "stddev")));
    ck_assert_double_eq(json_number(time, "n"), 1);
    json_decref(json);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *values = tcase_create("values");
    tcase_set_timeout(values, 120);
    tcase_add_test(values, device_timer_batches_and_leaves_the_launch_out);
    tcase_add_test(values, without_the_gate_the_queue_runs_empty_and_that_is_said);
    tcase_add_test(values, roundtrip_is_the_call_and_the_wait);
    tcase_add_test(values, cold_cache_flushes_before_each_iteration_outside_the_time);
    tcase_add_test(values, parts_of_a_sample_become_medians);
    tcase_add_test(values, TIM_04_TIM_05_first_calls_are_outside_of_samples_and_gates);
    tcase_add_test(values, CPY_16_first_touch_is_a_field_of_its_own);
    tcase_add_test(values, TIM_09_long_batches_keep_their_resolution);
    tcase_add_test(values, TIM_14_a_time_of_zero_gives_no_rate);
    tcase_add_test(values, TIM_18_one_sample_has_no_deviation);
    suite_add_tcase(suite, values);
}

GB_CHECK_MAIN("measure", add_cases)
