/* launch: one iteration on the streams, and its samples. */
#include <math.h>

#include "device/gate.h"
#include "kernels/launch.h"

/* Launches that may wait behind the gate, and between two waits of the host in `call` samples: far
 * below the queue of a driver (about 1,000), which would make the calls wait when it is full. */
#define MOST_BEHIND_GATE 512
#define MOST_IN_FLIGHT 64

uint32_t gb_launch_expected(const gb_launch_state *s, uint32_t stream)
{
    uint32_t x = UINT32_MAX; /* the poison */
    for (uint32_t k = stream; k < s->launches; k += s->streams)
        x = gb_launch_step(x, k + s->extra);
    return x;
}

static gb_code launch_one(gb_run *run, gb_stream *stream, uint32_t index, gb_error *err)
{
    gb_launch_state *s = run->state;
    s->arguments[0] = (uint64_t)(uintptr_t)((const gb_launch_work *)s->work.device + index);
    return run->dev->ops->launch(run->dev, stream, s->fn, &s->shape, (void *[]){s->arguments}, err);
}

/* The other streams wait for what stands on the run's stream. */
static gb_code fork_streams(gb_run *run, gb_error *err)
{
    gb_launch_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = GB_OK;
    if (s->streams > 1)
        code = ops->event_record(run->dev, s->fork, run->stream, err);
    for (uint32_t i = 0; i + 1 < s->streams && code == GB_OK; i++)
        code = ops->stream_wait(run->dev, s->others[i], s->fork, err);
    return code;
}

static gb_code join_streams(gb_run *run, gb_error *err)
{
    gb_launch_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = GB_OK;
    for (uint32_t i = 0; i + 1 < s->streams && code == GB_OK; i++) {
        code = ops->event_record(run->dev, s->joins[i], s->others[i], err);
        if (code == GB_OK)
            code = ops->stream_wait(run->dev, run->stream, s->joins[i], err);
    }
    return code;
}

static uint32_t launches_of(const gb_launch_state *s)
{
    return s->mode == LAUNCH_FUSED ? 1 : s->launches;
}

gb_code gb_launch_enqueue(gb_run *run, gb_error *err)
{
    gb_launch_state *s = run->state;
    const uint32_t count = launches_of(s);
    gb_code code = fork_streams(run, err);
    for (uint32_t i = 0; i < count && code == GB_OK; i++) {
        const uint32_t stream = i % s->streams;
        code = launch_one(run, stream == 0 ? run->stream : s->others[stream - 1], i, err);
        if (code == GB_OK && s->mode == LAUNCH_SYNC_EACH)
            code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    }
    return code == GB_OK ? join_streams(run, err) : code;
}

/* The host's clock around the calls; the streams are emptied outside of it. */
static gb_code sample_call(gb_run *run, double *ns, gb_error *err)
{
    gb_launch_state *s = run->state;
    gb_device *dev = run->dev;
    gb_code code = GB_OK;
    if (s->in_flight + launches_of(s) > MOST_IN_FLIGHT) {
        code = dev->ops->stream_sync(dev, run->stream, err);
        s->in_flight = 0;
    }
    if (code != GB_OK)
        return code;
    const uint64_t start = dev->ops->now_ns(dev);
    code = gb_launch_enqueue(run, err);
    *ns = (double)(dev->ops->now_ns(dev) - start);
    s->in_flight += launches_of(s);
    return code;
}

/* The host's clock around the calls and the wait for their end. */
static gb_code sample_roundtrip(gb_run *run, double *ns, gb_error *err)
{
    gb_device *dev = run->dev;
    const uint64_t start = dev->ops->now_ns(dev);
    gb_code code = gb_launch_enqueue(run, err);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, run->stream, err);
    *ns = (double)(dev->ops->now_ns(dev) - start);
    return code;
}

/* Two events around `iterations`, held back until all of it is enqueued. */
static gb_code sample_device(gb_run *run, uint64_t iterations, double *ns, bool *expired,
                             gb_error *err)
{
    gb_launch_state *s = run->state;
    gb_device *dev = run->dev;
    const gb_device_ops *ops = dev->ops;
    const bool gate = run->gate;
    gb_code code = gate ? ops->gate_hold(dev, run->stream, GB_GATE_LIMIT_NS, err) : GB_OK;
    if (code != GB_OK)
        return code;
    code = ops->event_record(dev, s->start, run->stream, err);
    for (uint64_t i = 0; i < iterations && code == GB_OK; i++)
        code = gb_launch_enqueue(run, err);
    if (code == GB_OK)
        code = ops->event_record(dev, s->stop, run->stream, err);
    if (gate)
        ops->gate_release(dev);
    const gb_code synced = ops->sync(dev, code == GB_OK ? err : NULL);
    code = code == GB_OK ? synced : code;
    if (gate) {
        const gb_code finished = ops->gate_finish(dev, expired, code == GB_OK ? err : NULL);
        code = code == GB_OK ? finished : code;
    }
    if (code == GB_OK && !*expired)
        code = ops->elapsed_ns(dev, s->start, s->stop, ns, err);
    return code;
}

gb_code gb_launch_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    static const int part_of[GB_TIMERS] = {[GB_TIMER_CALL] = LAUNCH_PART_SUBMIT,
                                           [GB_TIMER_DEVICE] = LAUNCH_PART_BACK_TO_BACK,
                                           [GB_TIMER_ROUNDTRIP] = LAUNCH_PART_ROUND_TRIP};
    const gb_launch_state *s = run->state;
    const uint64_t at_once = run->timer == GB_TIMER_DEVICE ? MOST_BEHIND_GATE / launches_of(s) : 1;
    gb_code code = GB_OK;
    *out = (gb_sample){0};
    for (int i = 0; i < GB_MAX_PARTS; i++)
        out->parts[i] = NAN;
    for (uint64_t done = 0; done < iterations && code == GB_OK && !out->gate_expired;) {
        const uint64_t n = iterations - done < at_once ? iterations - done : at_once;
        double ns = 0;
        if (run->timer == GB_TIMER_DEVICE)
            code = sample_device(run, n, &ns, &out->gate_expired, err);
        else if (run->timer == GB_TIMER_CALL)
            code = sample_call(run, &ns, err);
        else
            code = sample_roundtrip(run, &ns, err);
        out->ns += ns;
        done += n;
    }
    out->parts[part_of[run->timer]] = out->ns;
    return code;
}

uint32_t gb_launch_most_in_flight(const gb_value args[], gb_timer timer)
{
    const gb_launch_mode mode = gb_launch_mode_of(args);
    const uint32_t launches = (uint32_t)args[LAUNCH_LAUNCHES].number;
    if (mode == LAUNCH_SYNC_EACH)
        return 1;
    if (timer == GB_TIMER_DEVICE)
        return MOST_BEHIND_GATE;
    if (timer == GB_TIMER_CALL && (mode == LAUNCH_FUSED || launches < MOST_IN_FLIGHT))
        return MOST_IN_FLIGHT;
    return mode == LAUNCH_FUSED ? 1 : launches;
}

bool gb_launch_samples_itself(const gb_value args[], gb_timer timer)
{
    (void)args;
    (void)timer;
    return true;
}

/* Behind a gate the host could not wait for a single launch. */
bool gb_launch_gate_allowed(const gb_value args[], gb_device_kind kind)
{
    (void)kind;
    return gb_launch_mode_of(args) != LAUNCH_SYNC_EACH;
}
