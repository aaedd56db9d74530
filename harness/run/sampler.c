/* One sample, for each of the three timers. */
#include "run/sampler.h"

#include <math.h>
#include <string.h>

/* The smallest step of the host clock that a caller can see. 1 ns when it does not move. */
static double host_resolution_ns(gb_device *dev)
{
    uint64_t smallest = UINT64_MAX;
    uint64_t before = dev->ops->now_ns(dev);
    for (int i = 0; i < 64; i++) {
        uint64_t now = dev->ops->now_ns(dev);
        if (now > before && now - before < smallest)
            smallest = now - before;
        before = now;
    }
    return smallest == UINT64_MAX ? 1.0 : (double)smallest;
}

gb_code gb_sampler_open(gb_sampler *sampler, gb_device *dev, const gb_kernel *kernel,
                        const gb_value args[], gb_timer timer, gb_cache cache, uint64_t seed,
                        const char *data_dir, bool gate, gb_error *err)
{
    const gb_device_info *info = &dev->info;
    memset(sampler, 0, sizeof *sampler);
    sampler->kernel = kernel;
    sampler->run = (gb_run){.dev = dev,
                            .args = args,
                            .timer = timer,
                            .cache = cache,
                            .seed = seed,
                            .data_dir = data_dir};
    for (size_t i = 0; i < GB_MAX_LEVELS; i++)
        sampler->run.levels[i] = NAN;
    bool holds = !kernel->gate_allowed || kernel->gate_allowed(args, info->kind);
    sampler->gated =
        gate && holds && timer == GB_TIMER_DEVICE && !info->synchronous_launches && !info->profiler;
    const uint64_t each = kernel->behind_gate ? kernel->behind_gate(args) : 1;
    sampler->most_gated = each < GB_MAX_BEHIND_GATE ? GB_MAX_BEHIND_GATE / each : 1;
    sampler->sync_every = holds ? GB_MAX_IN_FLIGHT : 1; /* one iteration may fill the queue */
    sampler->resolution_ns =
        timer == GB_TIMER_DEVICE ? info->event_resolution_ns : host_resolution_ns(dev);
    sampler->own =
        kernel->sample && (!kernel->samples_itself || kernel->samples_itself(args, timer));

    gb_code code = dev->ops->stream_create(dev, &sampler->run.stream, err);
    if (!code)
        code = dev->ops->event_create(dev, &sampler->start, err);
    if (!code)
        code = dev->ops->event_create(dev, &sampler->stop, err);
    if (!code) {
        sampler->prepared = true;
        code = kernel->prepare(&sampler->run, err);
    }
    return code;
}

gb_code gb_sampler_sync(gb_sampler *sampler, gb_error *err)
{
    gb_device *dev = sampler->run.dev;
    sampler->in_flight = 0;
    return dev->ops->stream_sync(dev, sampler->run.stream, err);
}

gb_code gb_sampler_enqueue(gb_sampler *sampler, uint64_t n, gb_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        gb_code code = sampler->kernel->enqueue(&sampler->run, err);
        if (code)
            return code;
        sampler->run.iteration++;
    }
    return GB_OK;
}

static gb_code nothing(void *context, gb_error *err)
{
    (void)context;
    (void)err;
    return GB_OK;
}

/* Opens and closes the gate with nothing behind it. */
static gb_code load_gate(gb_sampler *sampler, gb_error *err)
{
    bool expired;
    return gb_gate_around(sampler->run.dev, sampler->run.stream, true, nothing, NULL, &expired,
                          err);
}

gb_code gb_sampler_load_helpers(gb_sampler *sampler, gb_error *err)
{
    gb_run *run = &sampler->run;
    gb_code code = GB_OK;
    if (run->cache == GB_CACHE_COLD)
        code = run->dev->ops->flush_cache(run->dev, run->stream, err);
    if (!code && sampler->gated)
        code = load_gate(sampler, err);
    if (!code && sampler->own) {
        gb_sample ignored;
        code = sampler->kernel->sample(run, 1, &ignored, err);
        run->iteration++;
    }
    return code ? code : gb_sampler_sync(sampler, err);
}

/* Flushes the cache before a cold iteration; never timed. */
static gb_code flush(gb_sampler *sampler, gb_error *err)
{
    if (sampler->run.cache != GB_CACHE_COLD)
        return GB_OK;
    return sampler->run.dev->ops->flush_cache(sampler->run.dev, sampler->run.stream, err);
}

/* A kernel that takes its samples itself. */
static gb_code take_own(gb_sampler *sampler, uint64_t n, gb_sample *out, gb_error *err)
{
    gb_code code = flush(sampler, err);
    if (!code && sampler->run.cache == GB_CACHE_COLD)
        code = gb_sampler_sync(sampler, err);
    if (code)
        return code;
    sampler->run.gate = sampler->gated;
    code = sampler->kernel->sample(&sampler->run, n, out, err);
    sampler->run.iteration += n;
    return code;
}

typedef struct batch {
    gb_sampler *sampler;
    uint64_t n;
} batch;

/* Two events around n iterations. */
static gb_code enqueue_batch(void *context, gb_error *err)
{
    const batch *b = context;
    gb_sampler *sampler = b->sampler;
    gb_device *dev = sampler->run.dev;
    gb_code code = flush(sampler, err);
    if (!code)
        code = dev->ops->event_record(dev, sampler->start, sampler->run.stream, err);
    if (!code)
        code = gb_sampler_enqueue(sampler, b->n, err);
    if (!code)
        code = dev->ops->event_record(dev, sampler->stop, sampler->run.stream, err);
    return code;
}

/* With the gate all of it waits until the last call was made, so that the device never waits for
 * the host in between. */
static gb_code take_device(gb_sampler *sampler, uint64_t n, gb_sample *out, gb_error *err)
{
    gb_device *dev = sampler->run.dev;
    batch b = {sampler, n};
    gb_code code = gb_gate_around(dev, sampler->run.stream, sampler->gated, enqueue_batch, &b,
                                  &out->gate_expired, err);
    sampler->in_flight = 0;
    if (!code && !out->gate_expired)
        code = dev->ops->elapsed_ns(dev, sampler->start, sampler->stop, &out->ns, err);
    return code;
}

/* What a caller waits for: the call and the end of its work. */
static gb_code take_roundtrip(gb_sampler *sampler, gb_sample *out, gb_error *err)
{
    gb_device *dev = sampler->run.dev;
    gb_code code = flush(sampler, err);
    if (!code && sampler->run.cache == GB_CACHE_COLD)
        code = gb_sampler_sync(sampler, err);
    if (code)
        return code;
    uint64_t start = dev->ops->now_ns(dev);
    code = gb_sampler_enqueue(sampler, 1, err);
    if (!code)
        code = gb_sampler_sync(sampler, err);
    uint64_t stop = dev->ops->now_ns(dev);
    out->ns = (double)(stop - start);
    return code;
}

/* The call alone. The stream is emptied every sync_every calls, outside the timed part. */
static gb_code take_call(gb_sampler *sampler, gb_sample *out, gb_error *err)
{
    gb_device *dev = sampler->run.dev;
    gb_code code = flush(sampler, err);
    if (!code && (sampler->run.cache == GB_CACHE_COLD || sampler->in_flight >= sampler->sync_every))
        code = gb_sampler_sync(sampler, err);
    if (code)
        return code;
    uint64_t start = dev->ops->now_ns(dev);
    code = gb_sampler_enqueue(sampler, 1, err);
    uint64_t stop = dev->ops->now_ns(dev);
    sampler->in_flight++;
    out->ns = (double)(stop - start);
    return code;
}

gb_code gb_sampler_take(gb_sampler *sampler, uint64_t n, gb_sample *out, gb_error *err)
{
    gb_code code;
    *out = (gb_sample){.ns = NAN};
    for (int i = 0; i < GB_MAX_PARTS; i++)
        out->parts[i] = NAN;
    if (sampler->own)
        code = take_own(sampler, n, out, err);
    else if (sampler->run.timer == GB_TIMER_DEVICE)
        code = take_device(sampler, n, out, err);
    else if (sampler->run.timer == GB_TIMER_ROUNDTRIP)
        code = take_roundtrip(sampler, out, err);
    else
        code = take_call(sampler, out, err);
    if (!code && !out->gate_expired && !(isfinite(out->ns) && out->ns >= 0))
        code = gb_fail(err, GB_DEVICE_ERROR, "the %s timer gave %g ns",
                       gb_timer_word(sampler->run.timer), out->ns);
    return code;
}

gb_code gb_sampler_close(gb_sampler *sampler, gb_error *err)
{
    gb_device *dev = sampler->run.dev;
    gb_code code = GB_OK;
    if (sampler->run.stream)
        code = gb_sampler_sync(sampler, err);
    if (sampler->prepared && sampler->kernel->release)
        sampler->kernel->release(&sampler->run);
    sampler->prepared = false;
    if (sampler->stop)
        dev->ops->event_destroy(dev, sampler->stop);
    if (sampler->start)
        dev->ops->event_destroy(dev, sampler->start);
    gb_code synced = dev->ops->sync(dev, code ? NULL : err);
    if (sampler->run.stream)
        dev->ops->stream_destroy(dev, sampler->run.stream);
    sampler->stop = sampler->start = NULL;
    sampler->run.stream = NULL;
    return code ? code : synced;
}
