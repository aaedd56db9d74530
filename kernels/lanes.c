#include "kernels/lanes.h"

#include "device/gate.h"

gb_code gb_lanes_make(gb_run *run, uint32_t n, gb_lanes *lanes, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    gb_event **const events[] = {&lanes->start, &lanes->stop, &lanes->fork};
    gb_code code = GB_OK;
    lanes->n = n;
    for (size_t i = 0; i < sizeof events / sizeof events[0] && code == GB_OK; i++)
        code = ops->event_create(run->dev, events[i], err);
    for (uint32_t i = 0; i + 1 < n && code == GB_OK; i++) {
        code = ops->stream_create(run->dev, &lanes->others[i], err);
        if (code == GB_OK)
            code = ops->event_create(run->dev, &lanes->joins[i], err);
    }
    return code;
}

void gb_lanes_free(gb_run *run, gb_lanes *lanes)
{
    const gb_device_ops *ops = run->dev->ops;
    for (uint32_t i = 0; i + 1 < lanes->n; i++) {
        if (lanes->joins[i] != NULL)
            ops->event_destroy(run->dev, lanes->joins[i]);
        if (lanes->others[i] != NULL)
            ops->stream_destroy(run->dev, lanes->others[i]);
    }
    gb_event *const events[] = {lanes->fork, lanes->stop, lanes->start};
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (events[i] != NULL)
            ops->event_destroy(run->dev, events[i]);
    *lanes = (gb_lanes){0};
}

gb_stream *gb_lane(const gb_run *run, const gb_lanes *lanes, uint32_t i)
{
    return i == 0 ? run->stream : lanes->others[i - 1];
}

gb_code gb_lanes_fork(gb_run *run, gb_lanes *lanes, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = GB_OK;
    if (lanes->n > 1)
        code = ops->event_record(run->dev, lanes->fork, run->stream, err);
    for (uint32_t i = 0; i + 1 < lanes->n && code == GB_OK; i++)
        code = ops->stream_wait(run->dev, lanes->others[i], lanes->fork, err);
    return code;
}

gb_code gb_lanes_join(gb_run *run, gb_lanes *lanes, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = GB_OK;
    for (uint32_t i = 0; i + 1 < lanes->n && code == GB_OK; i++) {
        code = ops->event_record(run->dev, lanes->joins[i], lanes->others[i], err);
        if (code == GB_OK)
            code = ops->stream_wait(run->dev, run->stream, lanes->joins[i], err);
    }
    return code;
}

uint32_t gb_lanes_operations(uint32_t n)
{
    return n > 1 ? 1 + 3 * (n - 1) : 0;
}

typedef struct sampling {
    gb_run *run;
    gb_lanes *lanes;
    uint64_t iterations;
    gb_code (*enqueue)(gb_run *run, gb_error *err);
} sampling;

static gb_code enqueue_between(void *context, gb_error *err)
{
    const sampling *s = context;
    gb_run *run = s->run;
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = ops->event_record(run->dev, s->lanes->start, run->stream, err);
    for (uint64_t i = 0; i < s->iterations && code == GB_OK; i++)
        code = s->enqueue(run, err);
    if (code == GB_OK)
        code = ops->event_record(run->dev, s->lanes->stop, run->stream, err);
    return code;
}

gb_code gb_lanes_sample(gb_run *run, gb_lanes *lanes, uint64_t iterations,
                        gb_code (*enqueue)(gb_run *run, gb_error *err), double *ns, bool *expired,
                        gb_error *err)
{
    sampling s = {run, lanes, iterations, enqueue};
    gb_code code =
        gb_gate_around(run->dev, run->stream, run->gate, enqueue_between, &s, expired, err);
    if (code == GB_OK && !*expired)
        code = run->dev->ops->elapsed_ns(run->dev, lanes->start, lanes->stop, ns, err);
    return code;
}
