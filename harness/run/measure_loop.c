/* Warm-up, calibration and the loop that takes samples until it knows enough. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/measure_parts.h"

/* Bounds that hold whatever a clock or a device does. */
#define MAX_WARMUP_ITERATIONS (UINT64_C(1) << 22)
#define MAX_TOTAL_ITERATIONS (UINT64_C(1) << 53) /* exact as a double */
#define MAX_UNGATED_ITERATIONS (UINT64_C(1) << 20)
#define MAX_REJECTED 32
#define MAX_REJECTED_NS UINT64_C(10000000000)
#define LEAST_SAMPLES 3

#define MIN_SAMPLE_NS 200e3 /* shorter device samples are mostly event overhead */
/* Elapsed times are floats of milliseconds on a GPU: at 100 ms their step is 8 ns, far below the
 * 0.5 us of the events themselves. */
#define MAX_TARGET_NS 100e6
#define LOAD_NS 5e6 /* work enqueued before reading clocks and links */
#define LOAD_TRIES 3
#define MAX_LOAD_ITERATIONS 256 /* at the first try; later twice that, half of a driver's queue */
#define STILL_BUSY_NS 100000    /* a synchronisation with nothing to wait for is shorter */

static uint64_t now_ns(const gb_measuring *m)
{
    return m->dev->ops->now_ns(m->dev);
}

/* Iterations that take about `ns`, within 1..most. */
static uint64_t iterations_for(const gb_measuring *m, double ns, uint64_t most)
{
    if (!(m->iteration_ns > 0) || ns / m->iteration_ns >= (double)most)
        return most;
    return ns <= m->iteration_ns ? 1 : (uint64_t)(ns / m->iteration_ns);
}

/* Reads telemetry while work is running: an idle device lowers its clocks and its link. If there
 * was nothing left to wait for after the reading, the work may have ended before it: then again,
 * with more, unless the device is no faster than the host enqueues and more would not help. */
static gb_code read_under_load(gb_measuring *m, gb_telemetry *out, gb_error *err)
{
    if (m->how->profile) { /* nothing but the sample on the timeline */
        m->dev->ops->telemetry(m->dev, out);
        return GB_OK;
    }
    double load_ns = LOAD_NS;
    for (int i = 0; i < LOAD_TRIES; i++) {
        const uint64_t n = iterations_for(m, load_ns, MAX_LOAD_ITERATIONS << (i > 0));
        const uint64_t start = now_ns(m);
        gb_code code = gb_sampler_enqueue(&m->sampler, n, err);
        if (code)
            return code;
        const uint64_t enqueued = now_ns(m);
        m->dev->ops->telemetry(m->dev, out);
        const uint64_t read = now_ns(m);
        code = gb_sampler_sync(&m->sampler, err);
        if (code)
            return code;
        if (now_ns(m) - read > STILL_BUSY_NS ||
            (double)(enqueued - start) > 0.5 * (double)n * m->iteration_ns)
            break;
        load_ns = 2 * load_ns + 2 * (double)(read - enqueued);
    }
    return GB_OK;
}

gb_code gb_measuring_warm_up(gb_measuring *m, gb_error *err)
{
    uint64_t start = now_ns(m);
    uint64_t batch = 1, done = 0;
    if (m->how->profile)
        return read_under_load(m, &m->before, err);
    do {
        uint64_t before = now_ns(m);
        gb_code code = gb_sampler_enqueue(&m->sampler, batch, err);
        if (!code)
            code = gb_sampler_sync(&m->sampler, err);
        if (code)
            return code;
        uint64_t took = now_ns(m) - before;
        done += batch;
        m->iteration_ns = (double)took / (double)batch;
        if (took < 1000000 && batch < GB_MAX_BEHIND_GATE / 2)
            batch *= 2;
    } while (now_ns(m) - start < m->how->warmup_ns && done < MAX_WARMUP_ITERATIONS);

    m->sampler.sync_every = (uint32_t)iterations_for(m, 100e6, m->sampler.sync_every);
    return read_under_load(m, &m->before, err);
}

static void reject(gb_measuring *m, uint64_t since)
{
    m->rejected++;
    m->rejected_ns += now_ns(m) - since;
}

static bool too_many_rejected(const gb_measuring *m)
{
    return m->rejected >= MAX_REJECTED || m->rejected_ns >= MAX_REJECTED_NS;
}

/* How long a sample must be: so long that the resolution of two timestamps is within the precision
 * asked for, and never under 200 us. */
static double target_ns(const gb_measuring *m)
{
    double resolution = m->sampler.resolution_ns;
    double target = fmax(MIN_SAMPLE_NS, 100 * resolution);
    if (m->how->precision > 0)
        target = fmax(target, 2 * resolution / m->how->precision);
    return fmin(target, MAX_TARGET_NS);
}

/* Finds the iterations of one sample, by trial. Ends because every round either grows towards
 * `most` or, after an expired gate, lowers `most`. */
static gb_code calibrate(gb_measuring *m, gb_error *err)
{
    double target = target_ns(m);
    uint64_t most = m->sampler.gated ? m->sampler.most_gated : MAX_UNGATED_ITERATIONS;
    uint64_t n = 1;
    m->iterations = 1;
    if (m->record->timer != GB_TIMER_DEVICE || m->record->cache == GB_CACHE_COLD ||
        m->iteration_ns >= target || m->how->profile)
        return GB_OK;
    for (;;) {
        gb_sample sample;
        uint64_t start = now_ns(m);
        gb_code code = gb_sampler_take(&m->sampler, n, &sample, err);
        double wall_ns = (double)(now_ns(m) - start);
        if (code)
            return gb_fail_context(err, "calibration with %llu iterations", (unsigned long long)n);
        if (sample.gate_expired) {
            reject(m, start);
            if (n == 1 || too_many_rejected(m))
                break;
            most = n / 2;
            n = most;
        } else if (sample.ns >= target || wall_ns >= MAX_TARGET_NS || n >= most) {
            break;
        } else {
            double growth = sample.ns > 0 ? fmin(fmax(1.2 * target / sample.ns, 2), 10) : 10;
            n = (double)n * growth < (double)most ? (uint64_t)((double)n * growth) : most;
        }
    }
    m->iterations = n;
    return GB_OK;
}

static gb_code make_room(gb_measuring *m, gb_error *err)
{
    if (m->n < m->capacity)
        return GB_OK;
    size_t capacity = m->capacity ? 2 * m->capacity : 256;
    double *samples = realloc(m->samples, capacity * sizeof *samples);
    if (samples)
        m->samples = samples;
    double *scratch = realloc(m->scratch, capacity * sizeof *scratch);
    if (scratch)
        m->scratch = scratch;
    double *parts = NULL;
    if (m->n_parts) {
        parts = realloc(m->parts, capacity * m->n_parts * sizeof *parts);
        if (parts)
            m->parts = parts;
    }
    if (!samples || !scratch || (m->n_parts && !parts))
        return gb_fail(err, GB_NO_MEMORY, "no memory for %zu samples", capacity);
    m->capacity = capacity;
    return GB_OK;
}

static gb_code take_one(gb_measuring *m, gb_error *err)
{
    gb_sample sample;
    uint64_t start = now_ns(m);
    gb_code code = make_room(m, err);
    if (!code)
        code = gb_sampler_take(&m->sampler, m->iterations, &sample, err);
    if (code)
        return gb_fail_context(err, "sample %zu", m->n);
    m->total_iterations += m->iterations;
    m->ready = sample.ready;
    if (sample.gate_expired) {
        reject(m, start);
        return GB_OK;
    }
    double per = (double)m->iterations;
    for (size_t i = 0; i < m->n_parts; i++)
        m->parts[m->n * m->n_parts + i] = sample.parts[i] / per;
    m->samples[m->n++] = sample.ns / per;
    return GB_OK;
}

/* Looks at the precision each time the samples have grown by 1/16: often enough to stop in time,
 * seldom enough that sorting costs nothing. */
static bool precise(gb_measuring *m)
{
    if (m->n < m->how->min_samples || m->n < m->next_check)
        return false;
    m->next_check = m->n + 1 + m->n / 16;
    return gb_stats_precision(m->samples, m->n, m->scratch) <= m->how->precision;
}

/* Why sampling ends now, or NULL. Time beats the least number of samples, but not 3 of them, nor
 * those that are there already. */
static const char *reason_to_stop(gb_measuring *m, uint64_t start)
{
    size_t most = m->how->max_samples > 0 && !m->how->profile ? m->how->max_samples : 1;
    if (m->ready == 0 && precise(m)) {
        m->record->converged = true;
        return "precision";
    }
    if (m->n >= most)
        return "max-samples";
    if (m->total_iterations >= MAX_TOTAL_ITERATIONS - m->iterations)
        return "iteration-cap";
    if (too_many_rejected(m))
        return "rejections";
    if (m->ready == 0 && m->n >= LEAST_SAMPLES && now_ns(m) - start >= m->how->budget_ns)
        return "budget";
    return NULL;
}

gb_code gb_measuring_sample(gb_measuring *m, gb_error *err)
{
    const char *reason = "";
    uint64_t start = now_ns(m);
    gb_code code = calibrate(m, err);
    while (!code && !(reason = reason_to_stop(m, start)))
        code = take_one(m, err);
    m->record->iterations_per_sample = m->iterations;
    m->record->rejected = m->rejected;
    if (code)
        return code;
    if (m->n == 0)
        return gb_fail(err, GB_NO_SAMPLES,
                       "no sample was accepted; %zu were rejected because the gate expired "
                       "(limit %.0f ms)",
                       m->rejected, (double)GB_GATE_LIMIT_NS / 1e6);
    memcpy(m->record->stopped_by, reason, strlen(reason) + 1);
    if (!m->record->converged)
        m->record->converged =
            gb_stats_precision(m->samples, m->n, m->scratch) <= m->how->precision;
    return read_under_load(m, &m->after, err);
}
