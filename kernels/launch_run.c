/* launch: one iteration on the streams, and its samples. */
#include <math.h>

#include "device/gate.h"
#include "kernels/launch.h"

/* Operations between two waits of the host in `call` samples: far below the queue of a driver
 * (about 1,000), which would make the calls wait when it is full. */
#define MOST_IN_FLIGHT 64

uint32_t gb_launch_expected(const gb_launch_state *s, uint32_t stream, uint64_t i)
{
    uint32_t x = UINT32_MAX; /* the poison */
    for (uint32_t k = stream; k < s->launches; k += s->lanes.n)
        x = gb_launch_step(x, k + s->extra + (uint32_t)i);
    return x;
}

static gb_code launch_one(gb_run *run, gb_stream *stream, uint32_t index, gb_error *err)
{
    gb_launch_state *s = run->state;
    s->arguments[0] = (uint64_t)(uintptr_t)((const gb_launch_work *)s->work.device + index);
    return run->dev->ops->launch(run->dev, stream, s->fn, &s->shape, (void *[]){s->arguments}, err);
}

static uint32_t launches_of(const gb_launch_state *s)
{
    return s->mode == LAUNCH_FUSED ? 1 : s->launches;
}

gb_code gb_launch_enqueue(gb_run *run, gb_error *err)
{
    gb_launch_state *s = run->state;
    const uint32_t count = launches_of(s);
    gb_code code = gb_lanes_fork(run, &s->lanes, err);
    for (uint32_t i = 0; i < count && code == GB_OK; i++) {
        code = launch_one(run, gb_lane(run, &s->lanes, i % s->lanes.n), i, err);
        if (code == GB_OK && s->mode == LAUNCH_SYNC_EACH)
            code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    }
    return code == GB_OK ? gb_lanes_join(run, &s->lanes, err) : code;
}

/* Iterations that may wait at once: behind the gate, or between two waits of the host. */
static uint32_t at_once(const gb_value args[], gb_timer timer)
{
    const uint32_t launches =
        gb_launch_mode_of(args) == LAUNCH_FUSED ? 1 : (uint32_t)args[LAUNCH_LAUNCHES].number;
    const uint32_t each = launches + gb_lanes_operations((uint32_t)args[LAUNCH_STREAMS].number);
    const uint32_t most = timer == GB_TIMER_DEVICE ? GB_MAX_BEHIND_GATE
                          : timer == GB_TIMER_CALL ? MOST_IN_FLIGHT
                                                   : 1;
    return each < most ? most / each : 1;
}

/* The host's clock around the calls; the streams are emptied outside of it. */
static gb_code sample_call(gb_run *run, double *ns, gb_error *err)
{
    gb_launch_state *s = run->state;
    gb_device *dev = run->dev;
    gb_code code = GB_OK;
    if (s->in_flight >= at_once(run->args, run->timer)) {
        code = dev->ops->stream_sync(dev, run->stream, err);
        s->in_flight = 0;
    }
    if (code != GB_OK)
        return code;
    const uint64_t start = dev->ops->now_ns(dev);
    code = gb_launch_enqueue(run, err);
    *ns = (double)(dev->ops->now_ns(dev) - start);
    s->in_flight++;
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

int gb_launch_part(gb_timer timer)
{
    static const int part_of[GB_TIMERS] = {[GB_TIMER_CALL] = LAUNCH_PART_SUBMIT,
                                           [GB_TIMER_DEVICE] = LAUNCH_PART_BACK_TO_BACK,
                                           [GB_TIMER_ROUNDTRIP] = LAUNCH_PART_ROUND_TRIP};
    return part_of[timer];
}

gb_code gb_launch_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    gb_launch_state *s = run->state;
    const uint64_t most = run->timer == GB_TIMER_DEVICE ? at_once(run->args, run->timer) : 1;
    gb_code code = GB_OK;
    *out = gb_sample_of(0);
    for (uint64_t done = 0; done < iterations && code == GB_OK && !out->gate_expired;) {
        const uint64_t n = iterations - done < most ? iterations - done : most;
        double ns = 0;
        if (run->timer == GB_TIMER_DEVICE)
            code =
                gb_lanes_sample(run, &s->lanes, n, gb_launch_enqueue, &ns, &out->gate_expired, err);
        else if (run->timer == GB_TIMER_CALL)
            code = sample_call(run, &ns, err);
        else
            code = sample_roundtrip(run, &ns, err);
        out->ns += ns;
        done += n;
    }
    out->parts[gb_launch_part(run->timer)] = out->ns;
    return code;
}

uint32_t gb_launch_most_in_flight(const gb_value args[], gb_timer timer)
{
    const gb_launch_mode mode = gb_launch_mode_of(args);
    const uint32_t launches = mode == LAUNCH_FUSED ? 1 : (uint32_t)args[LAUNCH_LAUNCHES].number;
    if (mode == LAUNCH_SYNC_EACH)
        return 1;
    return launches * at_once(args, timer);
}

/* Behind a gate the host could not wait for a single launch. */
bool gb_launch_gate_allowed(const gb_value args[], gb_device_kind kind)
{
    (void)kind;
    return gb_launch_mode_of(args) != LAUNCH_SYNC_EACH;
}
