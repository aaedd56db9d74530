/* What the figures of a case are worth: the memory check before it, statistics, metrics, flags and
 * the conditions it ran under. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/estimate.h"
#include "base/json.h"
#include "base/units.h"
#include "device/host_limits.h"
#include "run/measure_parts.h"

#define IMPLAUSIBLE 1.02  /* times a known ceiling */
#define KERNEL_LIMIT 0.95 /* of the arithmetic units' peak at the measured clock */
/* FLOP/byte: right of every ridge, where the memory's peak is unknown */
#define COMPUTE_BOUND 512
/* Last-level caches that a working set must have the size of before the memory's ceiling says
 * anything: of less, a part worth seeing is served from the cache, or stays in it when written. */
#define FAR_BEYOND_CACHE 4
#define FULL_QUEUE 1.5 /* second half of the calls over the first */
#define CLOCK_DROP 0.9 /* SM clock after over before, both under load */
#define MAX_RESERVE (UINT64_C(512) << 20)

/* NVML's nvmlClocksEventReason bits that mean lowered clocks (nvml.h): SwPowerCap, HwSlowdown,
 * SwThermalSlowdown, HwThermalSlowdown, HwPowerBrakeSlowdown. Idle, application clocks, sync boost
 * and the display clock are not among them. */
#define THROTTLE_MASK (0x4u | 0x8u | 0x20u | 0x40u | 0x80u)

/* --- memory ----------------------------------------------------------------------------------- */

/* Keeps 1/32 of the memory, at most 512 MiB, for the driver, the code and the others. */
static gb_code fits(const char *where, uint64_t need, uint64_t free, uint64_t total, gb_error *err)
{
    uint64_t reserve = total / 32 < MAX_RESERVE ? total / 32 : MAX_RESERVE;
    if (need <= free && free - need >= reserve)
        return GB_OK;
    char a[32], b[32], c[32];
    return gb_fail(err, GB_NO_MEMORY, "needs %s, free %s (%s memory, of which %s stay in reserve)",
                   gb_format_bytes(need, a, sizeof a), gb_format_bytes(free, b, sizeof b), where,
                   gb_format_bytes(reserve, c, sizeof c));
}

gb_code gb_measuring_check_memory(gb_device *dev, const gb_need *need, gb_cache cache,
                                  gb_error *err)
{
    const gb_device_info *info = &dev->info;
    bool shared = info->kind == GB_CPU || info->integrated == GB_YES;
    uint64_t on_host, on_device = need->device_bytes, free, total;
    if (need->pinned_bytes > info->pinned_limit_bytes && info->pinned_limit_bytes > 0) {
        char a[32], b[32];
        return gb_fail(err, GB_NO_MEMORY, "needs %s of page-locked memory, the limit is %s",
                       gb_format_bytes(need->pinned_bytes, a, sizeof a),
                       gb_format_bytes(info->pinned_limit_bytes, b, sizeof b));
    }
    gb_code code = gb_add_u64(need->host_bytes, need->pinned_bytes, &on_host, err);
    if (!code)
        code = gb_add_u64(on_device, need->beside_bytes, &on_device, err);
    if (!code && cache == GB_CACHE_COLD)
        code = gb_add_u64(on_device, 2 * info->llc_bytes, &on_device, err); /* the flush's buffer */
    if (!code && shared)
        code = gb_add_u64(on_device, on_host, &on_device, err);
    if (code || (on_device == 0 && on_host == 0))
        return code;
    code = dev->ops->memory_info(dev, &free, &total, err);
    if (!code)
        code = fits(shared ? "host" : "device", on_device, free, total, err);
    if (!code && !shared && on_host > 0) {
        gb_host_memory("", &total, &free);
        if (total > 0)
            code = fits("host", on_host, free, total, err);
    }
    return code;
}

/* --- flags ------------------------------------------------------------------------------------ */

static void flag(gb_measuring *m, gb_flag which, bool condition)
{
    if (condition)
        m->record->flags |= GB_BIT(which);
}

static bool throttled(const gb_measuring *m)
{
    double reasons[2] = {m->before.throttle_reasons, m->after.throttle_reasons};
    for (int i = 0; i < 2; i++)
        if (reasons[i] >= 0 && reasons[i] < 0x1p53 && ((uint64_t)reasons[i] & THROTTLE_MASK))
            return true;
    /* A CPU's momentary clock is that of some core, busy or not, and a GPU lowers its clock for
     * work that leaves the SMs idle (copies over the link, waiting): no signs of throttling. */
    const gb_work *work = &m->record->work;
    return m->dev->info.kind != GB_CPU && (work->ceiling == GB_CEILING_MEMORY || work->flops > 0) &&
           m->after.sm_clock_mhz < CLOCK_DROP * m->before.sm_clock_mhz;
}

/* Peak of one direction of the PCIe link; NAN where generation or width is unknown. */
static double link_peak(const gb_device_info *info)
{
    return gb_pcie_bandwidth(info->pcie_gen_max, info->pcie_width_max);
}

/* The SM clock under load in Hz: the higher one of both readings, since a ceiling must not be too
 * low; NAN where it cannot be read. */
static double measured_clock(const gb_measuring *m)
{
    return 1e6 * fmax(m->before.sm_clock_mhz, m->after.sm_clock_mhz);
}

/* Peak of the units that the case computes with: at the clock that was measured, else at the
 * highest; what the vendor states where there is no theory for this device. */
static double peak_flops(const gb_measuring *m)
{
    gb_compute compute = m->record->work.compute;
    double peak = gb_peak_flops(&m->dev->info, compute, measured_clock(m));
    return peak > 0 ? peak : m->how->published.flops[compute];
}

static double peak_bandwidth(const gb_measuring *m)
{
    return m->how->peak_bandwidth > 0 ? m->how->peak_bandwidth : m->how->published.bandwidth;
}

/* The known ceiling of a metric, in its unit; NAN or 0: none. Sectors have none: neighbours that
 * share one find it in a cache, so that more are asked for than the memory delivers. */
static double ceiling(const gb_measuring *m, const gb_metric_spec *spec)
{
    const gb_work *work = &m->record->work;
    switch (spec->numerator) {
    case GB_PER_FLOPS:
        return m->record->work.flops > 0 ? peak_flops(m) : NAN;
    case GB_PER_BYTES_MOVED:
    case GB_PER_BYTES_READ:
    case GB_PER_BYTES_WRITTEN:
        if (work->ceiling == GB_CEILING_MEMORY)
            return peak_bandwidth(m);
        if (work->ceiling != GB_CEILING_LINK)
            return NAN;
        /* Both directions together move what each of them does. */
        return link_peak(&m->dev->info) *
               (spec->numerator == GB_PER_BYTES_MOVED && work->bytes_read > 0 &&
                        work->bytes_moved == work->bytes_read + work->bytes_written
                    ? 2
                    : 1);
    case GB_PER_ITEMS:
        return work->items_are_operations ? peak_flops(m) / gb_compute_flops(work->compute) : NAN;
    case GB_PER_BYTES_SECTORS:
    case GB_PER_NOTHING:
    case GB_NS_PER_ITEM:
    case GB_LEVEL:
    case GB_PART_SHARE:
        return NAN;
    }
    return NAN;
}

static bool of_arithmetic(const gb_metric_spec *spec)
{
    return spec->numerator == GB_PER_FLOPS || spec->numerator == GB_PER_ITEMS;
}

/* Whether what lies beyond a ceiling must be an error of the measurement. */
static bool ceiling_holds(const gb_measuring *m, const gb_metric_spec *spec)
{
    const gb_work *work = &m->record->work;
    if (of_arithmetic(spec) || work->ceiling != GB_CEILING_MEMORY)
        return true;
    return work->working_set / FAR_BEYOND_CACHE >= m->dev->info.llc_bytes;
}

/* Gives every metric its ceiling and says whether one is beyond it. */
static bool beyond_ceiling(gb_measuring *m)
{
    const gb_kernel_spec *spec = &m->kernel->spec;
    bool beyond = false;
    for (size_t i = 0; i < m->record->n_metrics; i++) {
        gb_metric *metric = &m->record->metrics[i];
        int which = gb_spec_metric(spec, metric->name);
        metric->peak = which >= 0 ? ceiling(m, &spec->metrics[which]) : NAN;
        if (metric->peak > 0 && metric->value > IMPLAUSIBLE * metric->peak &&
            ceiling_holds(m, &spec->metrics[which]))
            beyond = true;
    }
    return beyond;
}

/* Whether a case that should be bound by its arithmetic stays clearly below it: then its code sets
 * the limit. Needs the theory and the clock; bound by arithmetic is what lies right of the ridge,
 * by counted operations and the bytes that must move. */
static bool kernel_limited(const gb_measuring *m)
{
    const gb_work *work = &m->record->work;
    double peak = gb_peak_flops(&m->dev->info, work->compute, measured_clock(m));
    double ridge = peak_bandwidth(m) > 0 ? peak / peak_bandwidth(m) : COMPUTE_BOUND;
    double bytes = (double)work->bytes_read + (double)work->bytes_written;
    /* A sum takes the place of a multiply-add: it is held against the units as one. Whole numbers
     * that are counted as flops are part of other work. */
    double operations = 0;
    if (work->items_are_operations)
        operations = (double)gb_compute_flops(work->compute) * (double)work->items;
    else if (work->compute != GB_COMPUTE_INT32)
        operations = (double)work->flops;
    if (!(peak > 0) || !(measured_clock(m) > 0) || !(operations > ridge * bytes))
        return false;
    return operations * 1e9 / m->record->time.median < KERNEL_LIMIT * peak;
}

/* Whether the calls slowed down on the way: the queue had filled up. */
static bool queue_full(const gb_measuring *m)
{
    size_t half = m->n / 2;
    gb_summary first, second;
    if (m->record->timer != GB_TIMER_CALL || half < 5)
        return false;
    const double *samples = m->record->samples_ns;
    return !gb_stats_summarise(samples, half, 0, true, &first, NULL) &&
           !gb_stats_summarise(samples + half, m->n - half, 0, true, &second, NULL) &&
           second.median > FULL_QUEUE * first.median;
}

/* --- statistics ------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static gb_code name_parts_after(const gb_kernel_spec *spec, gb_record *record, gb_error *err)
{
    if (spec->parts_after == 0)
        return GB_OK;
    json_decref(record->parts_after);
    record->parts_after = json_array();
    for (int i = gb_spec_first_after(spec); spec->parts[i]; i++)
        if (json_array_append_new(record->parts_after, json_string(spec->parts[i])))
            return gb_fail(err, GB_NO_MEMORY, "out of memory for the names of parts");
    return GB_OK;
}

/* Medians of the parts of a sample, {name: ns per iteration}; a part that a sample lacks is null.
 */
static gb_code summarise_parts(gb_measuring *m, gb_error *err)
{
    if (m->n_parts == 0)
        return GB_OK;
    m->record->parts_ns = json_object();
    for (size_t part = 0; part < m->n_parts; part++) {
        size_t count = 0;
        for (size_t i = 0; i < m->n; i++) {
            double ns = m->parts[i * m->n_parts + part];
            if (isfinite(ns))
                m->scratch[count++] = ns;
        }
        qsort(m->scratch, count, sizeof m->scratch[0], compare_doubles);
        double median =
            count == 0 ? NAN : (m->scratch[(count - 1) / 2] + m->scratch[count / 2]) / 2;
        gb_code code = gb_json_set(m->record->parts_ns, m->kernel->spec.parts[part],
                                   gb_json_real(median), err);
        if (code)
            return code;
    }
    return name_parts_after(&m->kernel->spec, m->record, err);
}

/* The levels that the kernel has said last. */
static void take_levels(gb_measuring *m)
{
    const gb_kernel_spec *spec = &m->kernel->spec;
    gb_record *record = m->record;
    for (size_t i = 0; i < spec->n_metrics; i++) {
        if (spec->metrics[i].numerator != GB_LEVEL || record->n_metrics == GB_MAX_METRICS)
            continue;
        gb_metric *metric = &record->metrics[record->n_metrics++];
        *metric = (gb_metric){.value = m->sampler.run.levels[i], .peak = NAN};
        snprintf(metric->name, sizeof metric->name, "%s", spec->metrics[i].name);
    }
}

gb_code gb_measuring_summarise(gb_measuring *m, gb_error *err)
{
    gb_record *record = m->record;
    const gb_kernel_spec *spec = &m->kernel->spec;
    gb_code code = summarise_parts(m, err);
    if (code)
        return code;
    record->samples_ns = m->samples;
    record->n_samples = m->n;
    m->samples = NULL;
    take_levels(m);
    code = gb_record_summarise(record, spec->metrics, spec->n_metrics, err);
    if (code)
        return code;
    /* What passes over the link is bound by the link, whatever cache lies at either end. */
    bool resident = record->cache == GB_CACHE_WARM && record->work.working_set > 0 &&
                    record->work.working_set <= m->dev->info.llc_bytes &&
                    record->work.ceiling != GB_CEILING_LINK;
    flag(m, GB_FLAG_CACHE_RESIDENT, resident);
    flag(m, GB_FLAG_IMPLAUSIBLE, beyond_ceiling(m));
    flag(m, GB_FLAG_KERNEL_LIMITED, kernel_limited(m));
    flag(m, GB_FLAG_NOT_CONVERGED, !record->converged);
    flag(m, GB_FLAG_QUEUE_FULL, queue_full(m));
    flag(m, GB_FLAG_THROTTLED, throttled(m));
    return GB_OK;
}

/* --- conditions ------------------------------------------------------------------------------- */

/* {reading: value under load at the end, ..., "start": {the same at the start}}. For the `call`
 * timer, and for kernels that keep one themselves, also the bound on launches in flight. */
static gb_code describe_telemetry(gb_measuring *m, gb_error *err)
{
    json_t *object = gb_telemetry_json(&m->after);
    m->record->telemetry = object;
    if (!object)
        return gb_fail(err, GB_NO_MEMORY, "no memory for telemetry");
    gb_code code = gb_json_set(object, "start", gb_telemetry_json(&m->before), err);
    uint32_t bound = m->sampler.run.max_in_flight;
    if (bound == 0 && m->record->timer == GB_TIMER_CALL)
        bound = m->sampler.sync_every;
    if (!code && bound > 0)
        code = gb_json_set(object, "max_launches_in_flight", json_integer((json_int_t)bound), err);
    return code;
}

gb_code gb_measuring_describe(gb_measuring *m, uint64_t total_ns, gb_error *err)
{
    static const char *const names[GB_PHASES] = {"setup", "warmup", "measure", "verify",
                                                 "teardown"};
    const gb_device_info *info = &m->dev->info;
    flag(m, GB_FLAG_GATE_OFF, m->n > 0 && m->record->timer == GB_TIMER_DEVICE && !m->record->gated);
    flag(m, GB_FLAG_GATE_EXPIRED, m->rejected > 0);
    flag(m, GB_FLAG_SYNCHRONOUS_LAUNCHES, info->synchronous_launches);
    flag(m, GB_FLAG_PROFILED, info->profiler || m->how->profile);
    flag(m, GB_FLAG_EMULATED, m->dev->emulated);

    gb_code code = GB_OK;
    m->record->phases_ns = json_object();
    for (int i = 0; i < GB_PHASES && !code; i++)
        code = gb_json_set(m->record->phases_ns, names[i], json_integer((json_int_t)m->phase_ns[i]),
                           err);
    if (!code)
        code = gb_json_set(m->record->phases_ns, "total", json_integer((json_int_t)total_ns), err);
    if (!code && m->n > 0)
        code = describe_telemetry(m, err);
    return code;
}
