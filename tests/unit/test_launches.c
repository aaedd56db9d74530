/* The kernel launch: launches and arguments that go missing, what waits, what is counted. */
#include "unit/launches_fixture.h"

static const char *const launches[] = {
    "launches=1",
    "launches=7,blocks=3",
    "launches=33,streams=8",
    "launches=3,streams=8,blocks=5",
    "launches=512",
    "launches=64,mode=fused,blocks=33",
    "launches=64,mode=sync-each",
    "argument_bytes=64,launches=5",
    "argument_bytes=256,launches=5,streams=2",
    "argument_bytes=1024,launches=5,mode=fused",
    "argument_bytes=4096,launches=5,mode=sync-each",
};

START_TEST(launches_are_right_with_every_timer)
{
    for (int timer = 0; timer < GB_TIMERS; timer++)
        ends_well("launch", launches[_i], (gb_timer)timer);
}
END_TEST

START_TEST(a_missing_launch_is_noticed)
{
    spy.drop_launch = 4;
    ends_badly("launch", "launches=7", GB_STATUS_WRONG, "values after all steps: 256 of 256");
    spy.launches = 0;
    ends_badly("launch", "launches=7,streams=3", GB_STATUS_WRONG, "256 of 768");
}
END_TEST

START_TEST(arguments_that_are_cut_off_are_noticed)
{
    static const char *const cases[] = {"argument_bytes=64", "argument_bytes=256",
                                        "argument_bytes=1024", "argument_bytes=4096"};
    spy.cut = true;
    ends_well("launch", "argument_bytes=8", GB_TIMER_CALL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ends_badly("launch", cases[i], GB_STATUS_WRONG, "values after all steps");
}
END_TEST

START_TEST(KRN_14_each_timer_has_a_metric_of_its_own)
{
    static const char *const names[GB_TIMERS] = {[GB_TIMER_CALL] = "submit",
                                                 [GB_TIMER_DEVICE] = "back_to_back",
                                                 [GB_TIMER_ROUNDTRIP] = "round_trip"};
    for (int timer = 0; timer < GB_TIMERS; timer++) {
        gb_record r;
        size_t found = 0;
        measure("launch", "launches=4", (gb_timer)timer, &r);
        ck_assert_int_eq(r.status, GB_STATUS_OK);
        for (size_t i = 0; i < r.n_metrics; i++) {
            if (strcmp(r.metrics[i].unit, "ns") != 0 || !isfinite(r.metrics[i].value))
                continue;
            found++;
            ck_assert_str_eq(r.metrics[i].name, names[timer]);
            ck_assert_double_eq_tol(r.metrics[i].value, r.time.median / 4, 1e-6 * r.time.median);
        }
        ck_assert_uint_eq(found, 1);
        gb_record_free(&r);
    }
}
END_TEST

/* What the suite's checks ask of a spec, against what a measured case has. */
START_TEST(a_case_has_the_parts_and_metrics_that_its_kernel_says)
{
    static const struct {
        const char *kernel, *args;
    } cases[] = {{"launch", "launches=4"},
                 {"copy", "direction=h2d,memory=pinned,bytes=4096"},
                 {"copy", "direction=bidirectional,memory=pinned,bytes=4096"},
                 {"batch", "batch=1,width=64,hidden=64"},
                 {"batch", "batch=1,width=64,hidden=64,events=none"},
                 {"batch", "batch=1,width=64,hidden=64,submit=graph"},
                 {"flops", "type=int32,threads=64,rounds=1"},
                 {"flops", "type=fp32,threads=64,rounds=1"},
                 {"noop", "what=kernel"}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0] * GB_TIMERS; c++) {
        gb_value args[KERNEL_ARGS_MAX];
        const char *text = cases[c / GB_TIMERS].args, *name;
        const gb_kernel_spec *spec = &kernel_args(cases[c / GB_TIMERS].kernel, text, args)->spec;
        const gb_timer timer = (gb_timer)(c % GB_TIMERS);
        json_t *value;
        gb_record r;
        int part = 0;
        if ((spec->timers & GB_BIT(timer)) == 0)
            continue;
        measure(spec->name, text, timer, &r);
        ck_assert_int_eq(r.status, GB_STATUS_OK);
        for (size_t i = 0; i < r.n_metrics; i++)
            ck_assert_msg(isfinite(r.metrics[i].value) ==
                              gb_spec_has_metric(spec, args, GB_CPU, timer, (int)i),
                          "%s %s %s: %s is %g", spec->name, text, gb_timer_word(timer),
                          r.metrics[i].name, r.metrics[i].value);
        json_object_foreach(r.parts_ns, name, value)
        {
            ck_assert_msg(json_is_number(value) ==
                              (spec->has_part == NULL || spec->has_part(args, timer, part)),
                          "%s %s %s: part %s", spec->name, text, gb_timer_word(timer), name);
            part++;
        }
        gb_record_free(&r);
    }
}
END_TEST

/* Takes a sample of so many iterations and returns how many launches waited at once. */
static unsigned long most_waiting(const char *kernel, const char *text, gb_timer timer,
                                  uint64_t iterations, uint32_t *bound)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_error err = {0};
    gb_sample sample;
    gb_run run = {.dev = dev, .args = args, .timer = gb_spec_timer(&k->spec, args, timer)};
    run.gate = run.timer == GB_TIMER_DEVICE && k->gate_allowed(args, GB_CPU);
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
    ck_assert_msg(k->prepare(&run, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(k->reset(&run, &err), GB_OK);
    ck_assert_int_eq(dev->ops->sync(dev, &err), GB_OK);
    spy.most_waiting = spy.waiting = spy.most_queued = spy.queued = 0;
    for (int i = 0; i < (run.timer == GB_TIMER_DEVICE ? 1 : 200); i++)
        ck_assert_msg(k->sample(&run, iterations, &sample, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(dev->ops->sync(dev, &err), GB_OK);
    *bound = run.max_in_flight;
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return spy.most_waiting;
}

START_TEST(TIM_21_launches_in_flight_stay_under_the_recorded_bound)
{
    static const struct {
        const char *kernel, *text;
        gb_timer timer;
        uint64_t iterations;
        unsigned long bound;
    } cases[] = {
        {"launch", "launches=1", GB_TIMER_CALL, 1, 64},
        {"launch", "launches=100", GB_TIMER_CALL, 1, 100},
        {"launch", "launches=3", GB_TIMER_CALL, 1, 64},
        {"launch", "launches=1", GB_TIMER_DEVICE, 2000, 512},
        {"launch", "launches=100", GB_TIMER_DEVICE, 20, 512},
        {"launch", "launches=512", GB_TIMER_ROUNDTRIP, 1, 512},
        {"launch", "launches=64,mode=sync-each", GB_TIMER_ROUNDTRIP, 1, 1},
        {"launch", "launches=64,mode=fused", GB_TIMER_ROUNDTRIP, 1, 1},
        {"graph", "measure=launch-api,length=8", GB_TIMER_CALL, 1, 64},
        {"graph", "measure=launch-api,length=4096", GB_TIMER_CALL, 1, 16},
        {"graph", "measure=replay-device,length=8", GB_TIMER_CALL, 512, 64},
        {"graph", "measure=eager-device,length=20,width=2", GB_TIMER_CALL, 512, 512},
        {"graph", "measure=eager-api,length=1000,width=3", GB_TIMER_CALL, 1, 512},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t recorded;
        unsigned long most = most_waiting(cases[i].kernel, cases[i].text, cases[i].timer,
                                          cases[i].iterations, &recorded);
        ck_assert_msg(most <= recorded && most > recorded / 2, "%s: %lu of %u", cases[i].text, most,
                      recorded);
        ck_assert_msg(recorded <= cases[i].bound, "%s: %u", cases[i].text, recorded);
    }
    gb_record r;
    measure("launch", "launches=5", GB_TIMER_DEVICE, &r);
    ck_assert_int_eq(json_integer_value(json_object_get(r.telemetry, "max_launches_in_flight")),
                     510);
    gb_record_free(&r);
}
END_TEST

/* Events of a fork and a join need room in a driver's queue as launches do. */
START_TEST(TIM_21_events_between_streams_count_among_what_waits)
{
    static const struct {
        const char *kernel, *text;
        gb_timer timer;
        unsigned long least, most;
    } cases[] = {
        {"launch", "launches=1,streams=8", GB_TIMER_DEVICE, 500, 520},
        {"launch", "launches=16,streams=8", GB_TIMER_DEVICE, 480, 520},
        {"launch", "launches=512,streams=8", GB_TIMER_DEVICE, 512, 540},
        {"launch", "launches=1,streams=8", GB_TIMER_CALL, 40, 64},
        {"graph", "measure=eager-device,length=1,width=16", GB_TIMER_DEVICE, 480, 520},
        {"graph", "measure=eager-device,length=30,width=16", GB_TIMER_DEVICE, 480, 540},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t recorded;
        most_waiting(cases[i].kernel, cases[i].text, cases[i].timer,
                     cases[i].timer == GB_TIMER_CALL ? 1 : 512, &recorded);
        ck_assert_msg(spy.most_queued >= cases[i].least && spy.most_queued <= cases[i].most,
                      "%s: %lu operations wait", cases[i].text, spy.most_queued);
    }
}
END_TEST

/* --- what is counted --- */

static gb_need need_of(const char *kernel, const char *text, gb_work *work)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_need need = {0};
    gb_error err = {0};
    ck_assert_msg(k->spec.check(args, GB_CUDA, &need, &err) == GB_OK, "%s", err.message);
    k->spec.work(args, GB_CUDA, work);
    return need;
}

START_TEST(work_and_memory_are_counted)
{
    gb_work work;
    gb_need need = need_of("launch", "launches=100,blocks=3,streams=4", &work);
    ck_assert_uint_eq(work.items, 100);
    ck_assert_uint_eq(work.bytes_read, 100 * 3 * 256 * 4);
    ck_assert_uint_eq(need.device_bytes, 4 * 3 * 256 * 4 + 100 * 24);
    need = need_of("launch", "launches=100,blocks=3,mode=fused", &work);
    ck_assert_uint_eq(work.items, 100);
    ck_assert_uint_eq(work.bytes_moved, 2 * 3 * 256 * 4);
    need = need_of("launch", "launches=512,blocks=65535,streams=8", &work);
    ck_assert_uint_eq(need.device_bytes, UINT64_C(8) * 65535 * 256 * 4 + 512 * 24);
    need = need_of("graph", "measure=capture,length=4096,width=16", &work);
    ck_assert_uint_eq(work.items, 65536);
    ck_assert_uint_eq(need.device_bytes, 65536 * 4);
    need = need_of("graph", "measure=update,length=10", &work);
    ck_assert_uint_eq(need.device_bytes, 2 * 10 * 4);
}
END_TEST

START_TEST(what_cannot_run_is_refused)
{
    static const char *const cases[][2] = {{"argument_bytes=33", "8, 64, 256, 1024, 4096"},
                                           {"mode=fused,streams=2", "separate"},
                                           {"mode=sync-each,streams=2", "separate"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gb_value args[KERNEL_ARGS_MAX];
        const gb_kernel *k = kernel_args("launch", cases[i][0], args);
        gb_need need;
        gb_error err = {0};
        ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_INVALID);
        ck_assert_msg(strstr(err.message, cases[i][1]) != NULL, "%s", err.message);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("launches");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_device, close_kernel_device);
    tcase_add_loop_test(tc, launches_are_right_with_every_timer, 0,
                        (int)(sizeof launches / sizeof launches[0]));
    tcase_add_test(tc, a_missing_launch_is_noticed);
    tcase_add_test(tc, arguments_that_are_cut_off_are_noticed);
    tcase_add_test(tc, KRN_14_each_timer_has_a_metric_of_its_own);
    tcase_add_test(tc, a_case_has_the_parts_and_metrics_that_its_kernel_says);
    tcase_add_test(tc, TIM_21_launches_in_flight_stay_under_the_recorded_bound);
    tcase_add_test(tc, TIM_21_events_between_streams_count_among_what_waits);
    tcase_add_test(tc, work_and_memory_are_counted);
    tcase_add_test(tc, what_cannot_run_is_refused);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("launches", add_cases)
