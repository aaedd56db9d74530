/* The measuring loop in virtual time: it stops when it should, whatever the device does. */
#include "unit/measure_fixture.h"

static const fake_kernel_options plain = {.work = {.bytes_moved = 1000, .items = 1}};

START_TEST(precision_decides_how_many_samples_are_taken)
{
    /* Samples N(mu, 2 %), one iteration each. The CI of a median of n normal samples has the
     * half-width 1.96 sqrt(pi / 2) sigma / sqrt(n): 0.5 % needs n = 97. */
    double sum = 0;
    for (uint64_t seed = 0; seed < 40; seed++) {
        fake_device fake;
        fake_device_init(&fake, seed);
        fake.body_ns = 1 * MS;
        fake.noise = 0.02;
        gb_measure how = default_how();
        gb_record r;
        measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
        ck_assert(r.converged);
        ck_assert_str_eq(r.stopped_by, "precision");
        ck_assert_uint_eq(r.iterations_per_sample, 1);
        ck_assert(near(r.time.median, 1 * MS, 0.015));
        ck_assert_double_le((r.time.ci95[1] - r.time.ci95[0]) / 2, 0.005 * r.time.median);
        sum += (double)r.n_samples;
        gb_record_free(&r);
        fake_device_done(&fake);
    }
    ck_assert_msg(sum / 40 > 60 && sum / 40 < 130, "mean number of samples %g", sum / 40);
}
END_TEST

/* Two timestamps of 500 ns, within the precision: samples of at least 1000 ns / precision. */
START_TEST(TIM_09_samples_are_long_enough_for_the_precision)
{
    static const double precisions[] = {0.001, 0.0002};
    for (size_t i = 0; i < 2; i++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.body_ns = 20000;
        fake.tick_ns = 500;
        gb_measure how = default_how();
        how.precision = precisions[i];
        gb_record r;
        measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
        const double sample = r.time.median * (double)r.iterations_per_sample;
        ck_assert_msg(sample >= 1000 / precisions[i] * 0.99, "%g ns", sample);
        ck_assert_msg(sample <= 1000 / precisions[i] * 4, "%g ns", sample);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(CLI_10_sampling_ends_at_the_largest_count)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.noise = 0.2;
    gb_measure how = default_how();
    how.precision = 1e-6;
    how.budget_ns = UINT64_MAX;
    how.max_samples = 57;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_ROUNDTRIP, GB_CACHE_WARM, &how, &r);
    ck_assert_uint_eq(r.n_samples, 57);
    ck_assert_str_eq(r.stopped_by, "max-samples");
    ck_assert(!r.converged && has_flag(&r, GB_FLAG_NOT_CONVERGED));
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(CLI_10_sampling_ends_with_the_budget)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.noise = 0.2;
    gb_measure how = default_how();
    how.precision = 1e-6;
    how.max_samples = 1000000;
    how.budget_ns = (uint64_t)(0.2 * S);
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert_str_eq(r.stopped_by, "budget");
    double measuring = json_number(r.phases_ns, "measure");
    ck_assert_double_ge(measuring, 0.2 * S);
    ck_assert_double_le(measuring, 0.25 * S);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(time_beats_the_least_number_of_samples_but_not_three)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.body_ns = 2 * S;
    gb_measure how = default_how();
    how.budget_ns = 1000;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert_uint_eq(r.n_samples, 3);
    ck_assert_str_eq(r.stopped_by, "budget");
    /* 3 samples, two verifications, one warm-up, two readings of clocks: nothing else runs */
    ck_assert_uint_eq(fake.launches, 8);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

/* Samples that a kernel took together are handed out together: neither the time nor the precision
 * ends a series in the middle of them, the largest count does. */
START_TEST(samples_taken_in_bulk_are_not_cut_by_time)
{
    static const struct {
        uint64_t budget_ns;
        double precision;
        uint32_t max;
        size_t n; /* one of 100 was taken while helpers were loaded */
        const char *why;
    } cases[] = {{1000, 1e-6, 2000, 99, "budget"},
                 {1000000000, 0.5, 2000, 99, "precision"},
                 {1000000000, 1e-6, 70, 70, "max-samples"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.noise = 0.2;
        fake_kernel_options bulk = plain;
        bulk.own_sample = true;
        bulk.bulk = 100;
        gb_measure how = default_how();
        how.budget_ns = cases[i].budget_ns;
        how.precision = cases[i].precision;
        how.max_samples = cases[i].max;
        gb_record r;
        measure_ok(&fake, &bulk, GB_TIMER_ROUNDTRIP, GB_CACHE_WARM, &how, &r);
        ck_assert_msg(r.n_samples == cases[i].n, "%s: %zu", cases[i].why, r.n_samples);
        ck_assert_str_eq(r.stopped_by, cases[i].why);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(the_gate_never_holds_more_than_the_queue_takes)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.body_ns = 20;
    gb_measure how = default_how();
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert_uint_eq(r.iterations_per_sample, 512);
    ck_assert_uint_eq(fake.most_behind_gate, 512 + 2); /* and two events */
    ck_assert(has_flag(&r, GB_FLAG_BELOW_RESOLUTION)); /* 10 us against 100 ticks of 0.5 us */
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(an_expired_gate_costs_its_sample_only)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.gate_expires_every = 7;
    gb_measure how = default_how();
    how.budget_ns = 60 * (uint64_t)S;
    how.min_samples = 20;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert_uint_ge(r.rejected, 3);
    ck_assert_uint_ge(r.n_samples, 20);
    ck_assert(has_flag(&r, GB_FLAG_GATE_EXPIRED));
    ck_assert(near(r.time.max, 10000, 0.01));
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_01_all_samples_rejected)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.gate_always_expires = true;
    gb_measure how = default_how();
    gb_record r;
    ck_assert_int_eq(measure(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL), GB_OK);
    ck_assert_int_eq(r.status, GB_STATUS_FAILED);
    ck_assert_str_eq(r.reason_code, "no-samples");
    ck_assert_uint_ge(r.rejected, 3);
    ck_assert_uint_le(r.rejected, 32);
    char number[32];
    snprintf(number, sizeof number, " %zu were rejected", r.rejected);
    ck_assert_msg(strstr(r.reason, number) != NULL, "%s", r.reason);
    ck_assert_double_le(json_number(r.phases_ns, "measure"), 12 * S);
    ck_assert_uint_eq(r.n_samples, 0);
    json_t *json = gb_record_json(&r, false);
    json_t *time = json_object_get(json, "time_ns");
    json_t *bandwidth = json_object_get(json_object_get(json, "metrics"), "bandwidth");
    ck_assert(json_is_null(json_object_get(bandwidth, "value")));
    ck_assert_str_eq(json_string_value(json_object_get(bandwidth, "unit")), "B/s");
    ck_assert_str_eq(json_string_value(json_object_get(bandwidth, "reason")), "no samples");
    ck_assert(json_is_null(time) || json_is_null(json_object_get(time, "median")));
    json_decref(json);
    gb_record_free(&r);
    ck_assert_int_eq(fake.live, 0);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_21_the_call_timer_keeps_the_queue_short)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.queue_limit = 1000; /* filled after 1250 launches that nobody waits for */
    gb_measure how = default_how();
    how.min_samples = how.max_samples = 5000;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_CALL, GB_CACHE_WARM, &how, &r);
    ck_assert_uint_le(fake.most_in_flight, 256); /* the warm-up's batches */
    ck_assert(near(r.time.max, 2000, 0.02));
    ck_assert(!has_flag(&r, GB_FLAG_QUEUE_FULL));
    ck_assert_double_eq(json_number(r.telemetry, "max_launches_in_flight"), 64);
    gb_record_free(&r);

    fake_kernel_options many = plain; /* one iteration may be hundreds of small copies */
    many.no_gate = true;
    measure_ok(&fake, &many, GB_TIMER_CALL, GB_CACHE_WARM, &how, &r);
    ck_assert_double_eq(json_number(r.telemetry, "max_launches_in_flight"), 1);
    gb_record_free(&r);

    fake.body_ns = 20 * MS; /* 64 of these would be 1.3 s of unseen work */
    how.min_samples = how.max_samples = 20;
    measure_ok(&fake, &plain, GB_TIMER_CALL, GB_CACHE_WARM, &how, &r);
    ck_assert_double_le(json_number(r.telemetry, "max_launches_in_flight"), 5);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_21_calls_that_slow_down_are_flagged)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.slow_launches_after = 700;
    gb_measure how = default_how();
    how.min_samples = how.max_samples = 1000;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_CALL, GB_CACHE_WARM, &how, &r);
    ck_assert(has_flag(&r, GB_FLAG_QUEUE_FULL));
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_22_a_body_of_1_ns_for_160_s)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.body_ns = 1;
    fake.noise = 0.1;
    fake_kernel_options own = {.own_sample = true, .no_gate = true};
    gb_measure how = default_how();
    how.precision = 1e-9;
    how.min_samples = how.max_samples = 1000000;
    how.budget_ns = 160 * (uint64_t)S;
    gb_record r;
    measure_ok(&fake, &own, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    /* more than 2^32 iterations went by */
    ck_assert_double_gt((double)r.n_samples * (double)r.iterations_per_sample, 0x1p32);
    ck_assert(near(r.time.median, 1, 0.01));
    ck_assert_double_gt(r.time.min, 0);
    ck_assert_str_eq(r.stopped_by, "budget");
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

/* --- phases ----------------------------------------------------------------------------------- */

static void saw(void *user, const char *phase)
{
    char *phases = user;
    strncat(phases, phase, 255 - strlen(phases));
    strncat(phases, ";", 255 - strlen(phases));
}

START_TEST(every_phase_is_announced_once)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    char phases[256] = "";
    gb_measure how = default_how();
    how.progress = saw;
    how.user = phases;
    gb_record r;
    measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    ck_assert_str_eq(
        phases, "prepare;check before measuring;warm-up;measure;check after measuring;teardown;");
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *limits = tcase_create("limits");
    tcase_set_timeout(limits, 240);
    tcase_add_test(limits, precision_decides_how_many_samples_are_taken);
    tcase_add_test(limits, TIM_09_samples_are_long_enough_for_the_precision);
    tcase_add_test(limits, CLI_10_sampling_ends_at_the_largest_count);
    tcase_add_test(limits, CLI_10_sampling_ends_with_the_budget);
    tcase_add_test(limits, time_beats_the_least_number_of_samples_but_not_three);
    tcase_add_test(limits, samples_taken_in_bulk_are_not_cut_by_time);
    tcase_add_test(limits, the_gate_never_holds_more_than_the_queue_takes);
    tcase_add_test(limits, an_expired_gate_costs_its_sample_only);
    tcase_add_test(limits, TIM_01_all_samples_rejected);
    tcase_add_test(limits, TIM_21_the_call_timer_keeps_the_queue_short);
    tcase_add_test(limits, TIM_21_calls_that_slow_down_are_flagged);
    tcase_add_test(limits, TIM_22_a_body_of_1_ns_for_160_s);
    tcase_add_test(limits, every_phase_is_announced_once);
    suite_add_tcase(suite, limits);
}

GB_CHECK_MAIN("measure_limits", add_cases)
