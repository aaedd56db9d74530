/* The self-test: it passes on the cpu device, and it fails on a device whose clock lies. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/selftest.h"
#include "unit/check_main.h"

static gb_device *open_cpu(void)
{
    gb_device *dev = NULL;
    gb_error err = {0};
    ck_assert_msg(gb_device_cpu_open(0, &dev, &err) == GB_OK, "%s", err.message);
    return dev;
}

static const gb_selftest_check *named(const gb_selftest_check checks[], const char *name)
{
    for (int i = 0; i < GB_SELFTEST_CHECKS; i++)
        if (strcmp(checks[i].name, name) == 0)
            return &checks[i];
    ck_abort_msg("no check %s", name);
    return NULL;
}

/* More than twice as many runnable threads as processors: then a ratio of two bandwidths says
 * nothing about the timers. */
static bool machine_is_swamped(const gb_device *dev)
{
    double load = 0;
    return getloadavg(&load, 1) == 1 && load > 2.0 * dev->info.units;
}

/* Another user of the machine may disturb one pass; four in a row mean something. */
START_TEST(KRN_06_TIM_10_the_cpu_device_passes)
{
    gb_selftest_check checks[GB_SELFTEST_CHECKS];
    char wrong[1024];
    bool swamped = false;
    for (int attempt = 0; attempt < 4; attempt++) {
        gb_device *dev = open_cpu();
        gb_error err = {0};
        ck_assert_int_eq(gb_selftest_run(dev, NULL, NULL, checks, &err), GB_OK);
        swamped = swamped || machine_is_swamped(dev);
        dev->ops->close(dev);
        wrong[0] = '\0';
        for (int i = 0; i < GB_SELFTEST_CHECKS; i++) {
            bool excused = swamped && strcmp(checks[i].name, "scaling") == 0;
            if (checks[i].ok != 1 && !excused)
                snprintf(wrong, sizeof wrong, "%s: %.900s", checks[i].name, checks[i].detail);
        }
        if (wrong[0] == '\0')
            break;
    }
    ck_assert_msg(wrong[0] == '\0', "%s", wrong);
}
END_TEST

/* --- a device that lies ----------------------------------------------------------------------- */

typedef enum lie { TWICE_AS_FAST, ALWAYS_THE_SAME, BACKWARDS, GATE_ADDS, DEVICE_TOO_LONG } lie;

static const gb_device_ops *honest;
static lie chosen;
static bool held;

static gb_code lying_elapsed(gb_device *dev, gb_event *start, gb_event *stop, double *ns,
                             gb_error *err)
{
    gb_code code = honest->elapsed_ns(dev, start, stop, ns, err);
    if (code)
        return code;
    switch (chosen) {
    case TWICE_AS_FAST:
        *ns /= 2;
        break;
    case ALWAYS_THE_SAME: /* as if nobody waited for the work: time does not grow with it */
        *ns = 1e6;
        break;
    case BACKWARDS:
        *ns = -*ns;
        break;
    case GATE_ADDS:
        *ns += held ? 2e5 : 0;
        break;
    case DEVICE_TOO_LONG:
        *ns *= 1.5;
        break;
    }
    return GB_OK;
}

static gb_code noticing_hold(gb_device *dev, gb_stream *stream, uint64_t limit_ns, gb_error *err)
{
    held = true;
    return honest->gate_hold(dev, stream, limit_ns, err);
}

static gb_code noticing_create(gb_device *dev, gb_stream **out, gb_error *err)
{
    held = false; /* a new case */
    return honest->stream_create(dev, out, err);
}

/* Runs the self-test on the cpu device with a lying clock; the checks named must fail. */
static void expect_found(lie which, const char *first, const char *second)
{
    gb_selftest_check checks[GB_SELFTEST_CHECKS];
    const char *const names[2] = {first, second};
    gb_device *dev = open_cpu();
    gb_device_ops lying = *dev->ops;
    dev->info.llc_bytes = 1 << 20; /* small triads: their size does not matter here */
    honest = dev->ops;
    chosen = which;
    lying.elapsed_ns = lying_elapsed;
    lying.gate_hold = noticing_hold;
    lying.stream_create = noticing_create;
    dev->ops = &lying;
    gb_error err = {0};
    ck_assert_int_eq(gb_selftest_run(dev, NULL, NULL, checks, &err), GB_OK);
    dev->ops = honest;
    dev->ops->close(dev);
    for (int i = 0; i < 2 && names[i]; i++) {
        const gb_selftest_check *check = named(checks, names[i]);
        ck_assert_msg(check->ok == 0, "%s: %s", check->name, check->detail);
        ck_assert_uint_gt(strlen(check->detail), 0);
    }
}

START_TEST(a_lying_clock_is_found)
{
    expect_found(TWICE_AS_FAST, "known-delay", NULL);
    expect_found(ALWAYS_THE_SAME, "scaling", NULL);
    expect_found(BACKWARDS, "events", "known-delay");
    expect_found(GATE_ADDS, "gate", NULL);
    expect_found(DEVICE_TOO_LONG, "known-delay", "timers");
}
END_TEST

START_TEST(a_check_that_does_not_apply_says_so)
{
    gb_selftest_check checks[GB_SELFTEST_CHECKS];
    gb_device *dev = open_cpu();
    gb_error err = {0};
    dev->info.profiler = true;
    ck_assert_int_eq(gb_selftest_run(dev, NULL, NULL, checks, &err), GB_OK);
    dev->ops->close(dev);
    ck_assert_int_eq(named(checks, "gate")->ok, -1);
    ck_assert_ptr_nonnull(strstr(named(checks, "gate")->detail, "profiler"));
}
END_TEST

/* --- noise ------------------------------------------------------------------------------------ */

START_TEST(noise_is_the_quantile_of_the_ratios)
{
    const double two[] = {100, 103};
    ck_assert_double_eq_tol(gb_noise_of(two, 2), 0.03, 1e-12);
    const double swapped[] = {103, 100};
    ck_assert_double_eq_tol(gb_noise_of(swapped, 2), 0.03, 1e-12);
    const double same[] = {5, 5, 5};
    ck_assert_double_eq(gb_noise_of(same, 3), 0);
    ck_assert_double_nan(gb_noise_of(two, 1));
    ck_assert_double_nan(gb_noise_of(two, 0));
    /* 15 medians, 105 pairs: the 99 % quantile leaves the largest pair out. The largest are
     * ln(1.10 / 1) once, then ln(1.10 / 1.01). */
    double many[15];
    for (int i = 0; i < 15; i++)
        many[i] = 1.01;
    many[3] = 1;
    many[7] = 1.10;
    ck_assert_double_eq_tol(gb_noise_of(many, 15), 1.10 / 1.01 - 1, 1e-12);
}
END_TEST

static gb_code count_records(void *user, const gb_record *record, gb_error *err)
{
    (void)err;
    ck_assert_int_ne(record->status, GB_STATUS_OK);
    ++*(unsigned *)user;
    return GB_OK;
}

START_TEST(without_workers_there_is_no_noise_floor)
{
    unsigned records = 0;
    gb_supervise how = {
        .executable = "/bin/false", .kind = GB_CPU, .store = count_records, .store_user = &records};
    gb_noise noise;
    gb_error err = {0};
    ck_assert_msg(gb_selftest_noise(&how, &noise, &err) == GB_OK, "%s", err.message);
    ck_assert_double_nan(noise.floor);
    ck_assert_uint_eq(noise.replicates, 0);
    ck_assert_uint_eq(records, 2 * GB_NOISE_REPLICATES); /* the planned cases, all handed on */
}
END_TEST

START_TEST(json_has_the_verdicts_and_the_rule)
{
    gb_selftest_check checks[3] = {{"a", 1, "fine"}, {"b", -1, "not here"}, {"c", 1, "fine"}};
    gb_noise noise = {.floor = NAN, .replicates = 0};
    json_t *json = gb_selftest_json(checks, 3, &noise);
    ck_assert(json_is_true(json_object_get(json, "ok")));
    ck_assert(json_is_null(json_object_get(json, "noise_floor")));
    ck_assert(json_is_string(json_object_get(json, "noise_rule")));
    json_t *b = json_array_get(json_object_get(json, "checks"), 1);
    ck_assert(json_is_null(json_object_get(b, "ok")));
    ck_assert_str_eq(json_string_value(json_object_get(b, "detail")), "not here");
    json_decref(json);
    checks[2].ok = 0;
    json = gb_selftest_json(checks, 3, NULL);
    ck_assert(json_is_false(json_object_get(json, "ok")));
    ck_assert_ptr_null(json_object_get(json, "noise_floor"));
    json_decref(json);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *cpu = tcase_create("cpu");
    tcase_set_timeout(cpu, 280);
    tcase_add_test(cpu, KRN_06_TIM_10_the_cpu_device_passes);
    tcase_add_test(cpu, a_lying_clock_is_found);
    tcase_add_test(cpu, a_check_that_does_not_apply_says_so);
    suite_add_tcase(suite, cpu);
    TCase *noise = tcase_create("noise");
    tcase_add_test(noise, noise_is_the_quantile_of_the_ratios);
    tcase_add_test(noise, without_workers_there_is_no_noise_floor);
    tcase_set_timeout(noise, 120);
    tcase_add_test(noise, json_has_the_verdicts_and_the_rule);
    suite_add_tcase(suite, noise);
}

GB_CHECK_MAIN("selftest", add_cases)
