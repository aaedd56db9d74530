#include "run/selftest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "kernels/kernel.h"
#include "run/measure.h"

#define DELAY_NS UINT64_C(1000000)
#define TOLERANCE 0.05 /* between two measurements of the same thing */
#define SLACK_NS 20e3  /* what starting a kernel may add to it */
#define MIB (UINT64_C(1) << 20)

typedef struct tester {
    gb_device *dev;
    void (*progress)(void *user, const char *check);
    void *user;
    gb_selftest_check *check; /* the one under way */
    gb_error lost;            /* sticky: the device is gone */
} tester;

/* A value for one parameter of a kernel; the others keep their defaults. */
typedef struct setting {
    const char *param, *word; /* word: NULL for a number */
    uint64_t number;
} setting;

static void say(tester *t, int ok, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(tester *t, int ok, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    t->check->ok = ok;
    vsnprintf(t->check->detail, sizeof t->check->detail, format, args);
    va_end(args);
}

static const char *ns_text(double ns, char *buf)
{
    return gb_format_ns(ns, buf, 32);
}

/* Arguments of a kernel. Words are replaced by the kernel's own, as gb_value demands. */
static bool fill_args(const gb_kernel_spec *spec, const setting settings[], size_t n,
                      gb_value args[])
{
    for (size_t i = 0; i < spec->n_params; i++)
        args[i] = spec->params[i].default_value;
    for (size_t i = 0; i < n; i++) {
        int which = gb_spec_param(spec, settings[i].param);
        if (which < 0)
            return false;
        args[which] = (gb_value){.number = settings[i].number};
        if (!settings[i].word)
            continue;
        const char *const *word = spec->params[which].words;
        while (word && *word && strcmp(*word, settings[i].word) != 0)
            word++;
        if (!word || !*word)
            return false;
        args[which].word = *word;
    }
    return true;
}

/* The shortest sample in ns of a kernel under one setting: other users of the machine can only make
 * it longer. NAN when it could not be measured; then the check under way already says why. */
static double measured(tester *t, const char *name, setting one, gb_timer timer, bool gate)
{
    gb_measure how = {.precision = 0.005,
                      .min_samples = 20,
                      .max_samples = 500,
                      .warmup_ns = 50000000,
                      .budget_ns = 300000000,
                      .seed = 1,
                      .gate = gate,
                      .peak_bandwidth = NAN};
    gb_value args[16];
    gb_record record;
    const gb_kernel *kernel = gb_kernel_find(name);
    if (!kernel || kernel->spec.n_params > 16 || !fill_args(&kernel->spec, &one, 1, args)) {
        say(t, 0, "this build has no kernel %s with a parameter %s", name, one.param);
        return NAN;
    }
    gb_record_init(&record);
    if (gb_measure_case(t->dev, kernel, args, timer, GB_CACHE_WARM, &how, &record, &t->lost))
        t->lost.sticky = true;
    double ns = record.status == GB_STATUS_OK ? record.time.min : NAN;
    if (record.status == GB_STATUS_SKIPPED)
        say(t, -1, "%s: %s", name, record.reason);
    else if (record.status != GB_STATUS_OK)
        say(t, 0, "%s: %s", name, record.reason);
    gb_record_free(&record);
    return ns;
}

static double measured_delay(tester *t, gb_timer timer, bool gate)
{
    return measured(t, "delay", (setting){"duration", NULL, DELAY_NS}, timer, gate);
}

/* --- the checks ------------------------------------------------------------------------------- */

/* Three events with a millisecond of work between them. */
static gb_code three_events(gb_device *dev, double gaps[3], gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    gb_stream *stream = NULL;
    gb_event *events[3] = {NULL, NULL, NULL};
    gb_memory memory = {0};
    gb_code code = ops->stream_create(dev, &stream, err);
    for (int i = 0; i < 3 && !code; i++)
        code = ops->event_create(dev, &events[i], err);
    if (!code)
        code = ops->alloc(dev, GB_MEM_DEVICE, 16 * MIB, &memory, err);
    for (int i = 0; i < 3 && !code; i++) {
        code = ops->event_record(dev, events[i], stream, err);
        if (!code && i < 2)
            code = ops->fill(dev, stream, memory.device, i, memory.bytes, err);
    }
    if (!code)
        code = ops->stream_sync(dev, stream, err);
    for (int i = 0; i < 3 && !code; i++)
        code = ops->elapsed_ns(dev, events[i / 2], events[i == 0 ? 1 : 2], &gaps[i], err);
    for (int i = 0; i < 3; i++)
        if (events[i])
            ops->event_destroy(dev, events[i]);
    if (stream)
        ops->stream_destroy(dev, stream);
    ops->free(dev, &memory);
    return code;
}

static void check_events(tester *t)
{
    double gaps[3] = {NAN, NAN, NAN}; /* 0-1, 0-2, 1-2 */
    gb_error why = {0};
    double tolerance = 2 * t->dev->info.event_resolution_ns + 2;
    char a[32], b[32], c[32];
    if (three_events(t->dev, gaps, &why)) {
        if (why.sticky)
            t->lost = why;
        say(t, 0, "%.300s", why.message);
        return;
    }
    bool ok = gaps[0] >= 0 && gaps[2] >= 0 && fabs(gaps[0] + gaps[2] - gaps[1]) <= tolerance;
    say(t, ok, "two gaps of %s and %s, %s together", ns_text(gaps[0], a), ns_text(gaps[2], b),
        ns_text(gaps[1], c));
}

static void check_delay(tester *t)
{
    char a[32], b[32];
    double ns = measured_delay(t, GB_TIMER_DEVICE, true), expected = (double)DELAY_NS;
    if (isnan(ns))
        return;
    bool ok = ns >= 0.99 * expected && ns <= (1 + TOLERANCE) * expected + SLACK_NS;
    say(t, ok, "%s measured as %s (%+.2f %%)", ns_text(expected, a), ns_text(ns, b),
        100 * (ns / expected - 1));
}

static void check_timers(tester *t)
{
    double ns[GB_TIMERS];
    char text[GB_TIMERS][32];
    for (gb_timer timer = 0; timer < GB_TIMERS; timer++) {
        ns[timer] = measured_delay(t, timer, true);
        if (isnan(ns[timer]))
            return;
        ns_text(ns[timer], text[timer]);
    }
    /* Synchronous launches wait inside the call. */
    bool waits = t->dev->info.synchronous_launches;
    double call = waits ? 0 : ns[GB_TIMER_CALL];
    bool ok = call <= (1 + TOLERANCE) * ns[GB_TIMER_DEVICE] &&
              ns[GB_TIMER_DEVICE] <= (1 + TOLERANCE) * ns[GB_TIMER_ROUNDTRIP];
    say(t, ok, "call %s <= device %s <= roundtrip %s", text[GB_TIMER_CALL], text[GB_TIMER_DEVICE],
        text[GB_TIMER_ROUNDTRIP]);
}

static void check_gate(tester *t)
{
    char a[32], b[32];
    const gb_device_info *info = &t->dev->info;
    if (info->synchronous_launches || info->profiler) {
        say(t, -1, "the gate is not used %s",
            info->profiler ? "under a profiler" : "with CUDA_LAUNCH_BLOCKING=1");
        return;
    }
    double with = measured_delay(t, GB_TIMER_DEVICE, true);
    double without = isnan(with) ? NAN : measured_delay(t, GB_TIMER_DEVICE, false);
    if (isnan(without))
        return;
    bool ok = fabs(with - without) <= TOLERANCE * fmin(with, without) + SLACK_NS;
    say(t, ok, "with the gate %s, without %s", ns_text(with, a), ns_text(without, b));
}

/* Bytes of each of triad's three arrays: together 4 times the last-level cache, so that caches
 * play no part, and four times that within half of what is free. */
static uint64_t triad_bytes(gb_device *dev)
{
    uint64_t bytes = dev->info.llc_bytes * 4 / 3, free = 0, total = 0;
    if (bytes < 16 * MIB)
        bytes = 16 * MIB;
    if (!dev->ops->memory_info(dev, &free, &total, NULL) && free / 24 < bytes)
        bytes = free / 24;
    return bytes < MIB ? MIB : bytes / MIB * MIB;
}

/* Other users of the machine only ever add time, so rounds are repeated and the least kept. */
static void check_scaling(tester *t)
{
    double ns[3] = {INFINITY, INFINITY, INFINITY}, twice = NAN, four = NAN;
    char a[32], b[32];
    uint64_t bytes = triad_bytes(t->dev);
    bool ok = false;
    for (int round = 0; round < 4 && !ok; round++) {
        for (int i = 0; i < 3; i++) {
            double now =
                measured(t, "stream", (setting){"bytes", NULL, bytes << i}, GB_TIMER_DEVICE, true);
            if (isnan(now))
                return;
            ns[i] = fmin(ns[i], now);
        }
        twice = ns[1] / ns[0];
        four = ns[2] / ns[0];
        ok = twice >= 1.6 && twice <= 2.4 && four >= 2;
    }
    say(t, ok,
        "a triad over 3 x %s takes %s, over twice that %.2f times as long, over four times %.2f",
        gb_format_bytes(bytes, a, sizeof a), ns_text(ns[0], b), twice, four);
}

static const struct {
    const char *name;
    void (*run)(tester *t);
} table[GB_SELFTEST_CHECKS] = {{"events", check_events},
                               {"known-delay", check_delay},
                               {"timers", check_timers},
                               {"gate", check_gate},
                               {"scaling", check_scaling}};

gb_code gb_selftest_run(gb_device *dev, void (*progress)(void *user, const char *check), void *user,
                        gb_selftest_check checks[GB_SELFTEST_CHECKS], gb_error *err)
{
    tester t = {.dev = dev, .progress = progress, .user = user};
    for (size_t i = 0; i < GB_SELFTEST_CHECKS; i++) {
        t.check = &checks[i];
        *t.check = (gb_selftest_check){.name = table[i].name};
        if (t.lost.sticky) {
            say(&t, 0, "not run: the device was lost");
            continue;
        }
        if (progress)
            progress(user, table[i].name);
        table[i].run(&t);
    }
    if (!t.lost.sticky)
        return GB_OK;
    if (err)
        *err = t.lost;
    return t.lost.code;
}

json_t *gb_selftest_json(const gb_selftest_check checks[], size_t n, const gb_noise *noise)
{
    bool ok = true;
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *state = checks[i].ok < 0 ? json_null() : json_boolean(checks[i].ok == 1);
        ok = ok && checks[i].ok != 0;
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", checks[i].name, "ok",
                                              state, "detail", gb_json_string(checks[i].detail)));
    }
    json_t *out = json_pack("{s:b, s:o}", "ok", ok, "checks", list);
    if (!out || !noise)
        return out;
    json_t *floor = json_pack(
        "{s:o, s:I, s:o, s:s}", "noise_floor", gb_json_real(noise->floor), "noise_replicates",
        (json_int_t)noise->replicates, "noise_worst_case",
        gb_json_string(noise->worst[0] ? noise->worst : NULL), "noise_rule",
        "99 % quantile of |ln(a/b)| over all pairs of replicate medians from fresh processes, the "
        "largest of the cases, as exp(x) - 1");
    json_object_update(out, floor);
    json_decref(floor);
    return out;
}
