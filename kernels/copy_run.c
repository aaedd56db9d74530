/* copy: one iteration on the streams, and the samples that copy takes itself. */
#include <math.h>

#include "device/gate.h"
#include "kernels/copy.h"

GB_FN_DECLARE(copy_bytes)

/* Blocks of a copying kernel per SM: half of what an SM holds, so that both directions run at once
 * (the kernel strides over the rest), and 2 MiB of loads in flight on a large GPU. */
#define BLOCKS_PER_UNIT 4

void gb_copy_piece(uint64_t bytes, uint64_t pieces, uint64_t index, uint64_t *offset,
                   uint64_t *length)
{
    const uint64_t base = bytes / pieces, longer = bytes % pieces;
    *offset = index * base + (index < longer ? index : longer);
    *length = base + (index < longer ? 1 : 0);
}

static gb_code copy_by_kernel(gb_run *run, gb_stream *stream, void *to, const void *from,
                              size_t bytes, gb_error *err)
{
    const gb_device_info *info = &run->dev->info;
    gb_launch launch = gb_launch_shape(run->dev, (bytes + 15) / 16, GB_BLOCK);
    if (info->kind != GB_CPU && info->units > 0 && launch.grid[0] > info->units * BLOCKS_PER_UNIT)
        launch.grid[0] = info->units * BLOCKS_PER_UNIT;
    return run->dev->ops->launch(run->dev, stream, GB_FN(copy_bytes), &launch,
                                 (void *[]){&to, &from, &bytes}, err);
}

static void *address(const gb_memory *memory, bool of_kernel)
{
    return of_kernel || memory->host == NULL ? memory->device : memory->host;
}

/* All pieces of one lane, on a stream. */
static gb_code copy_lane(gb_run *run, const gb_copy_lane *lane, gb_stream *stream, gb_error *err)
{
    const gb_copy_state *s = run->state;
    gb_device *dev = run->dev;
    const bool kernel = s->by_kernel;
    char *to = address(&lane->to, kernel);
    const char *from = address(&lane->from, kernel);
    gb_code code = GB_OK;
    for (uint64_t i = 0; i < s->pieces && code == GB_OK; i++) {
        uint64_t offset, length;
        gb_copy_piece(s->bytes, s->pieces, i, &offset, &length);
        code = kernel ? copy_by_kernel(run, stream, to + offset, from + offset, length, err)
                      : dev->ops->copy(dev, stream, to + offset, from + offset, length,
                                       lane->direction, err);
    }
    return code;
}

/* The host writes before the device reads, or reads after the device wrote. */
static void touch(const gb_copy_lane *lane)
{
    const bool writes = lane->direction == GB_COPY_H2D;
    gb_memory_touch(writes ? &lane->from : &lane->to, writes);
}

/* h2d: the host touches, then the device reads; d2h: the device writes, then the host touches. The
 * two never run at the same time, which not every device would bear. */
static gb_code enqueue_managed(gb_run *run, const gb_copy_lane *lane, gb_error *err)
{
    gb_device *dev = run->dev;
    gb_code code = dev->ops->stream_sync(dev, run->stream, err);
    if (code != GB_OK)
        return code;
    if (lane->direction == GB_COPY_H2D) {
        touch(lane);
        return copy_lane(run, lane, run->stream, err);
    }
    code = copy_lane(run, lane, run->stream, err);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, run->stream, err);
    if (code == GB_OK)
        touch(lane);
    return code;
}

gb_code gb_copy_enqueue(gb_run *run, gb_error *err)
{
    gb_copy_state *s = run->state;
    gb_device *dev = run->dev;
    if (s->managed)
        return enqueue_managed(run, &s->lanes[0], err);
    if (s->n_lanes == 1)
        return copy_lane(run, &s->lanes[0], run->stream, err);
    /* Fork and join, so that whatever stands around this on run->stream covers both lanes. */
    gb_code code = dev->ops->event_record(dev, s->start, run->stream, err);
    if (code == GB_OK)
        code = dev->ops->stream_wait(dev, s->second, s->start, err);
    if (code == GB_OK)
        code = copy_lane(run, &s->lanes[0], run->stream, err);
    if (code == GB_OK)
        code = copy_lane(run, &s->lanes[1], s->second, err);
    if (code == GB_OK)
        code = dev->ops->event_record(dev, s->ends[1], s->second, err);
    if (code == GB_OK)
        code = dev->ops->stream_wait(dev, run->stream, s->ends[1], err);
    return code;
}

typedef struct both {
    gb_run *run;
    uint64_t iterations;
} both;

/* Puts all iterations of both lanes between start and stop; ends[i] is where lane i ended. */
static gb_code enqueue_both(void *context, gb_error *err)
{
    const both *b = context;
    gb_run *run = b->run;
    gb_copy_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = ops->event_record(run->dev, s->start, run->stream, err);
    if (code == GB_OK)
        code = ops->stream_wait(run->dev, s->second, s->start, err);
    for (uint64_t i = 0; i < b->iterations && code == GB_OK; i++) {
        code = copy_lane(run, &s->lanes[0], run->stream, err);
        if (code == GB_OK)
            code = copy_lane(run, &s->lanes[1], s->second, err);
    }
    if (code == GB_OK)
        code = ops->event_record(run->dev, s->ends[0], run->stream, err);
    if (code == GB_OK)
        code = ops->event_record(run->dev, s->ends[1], s->second, err);
    if (code == GB_OK)
        code = ops->stream_wait(run->dev, run->stream, s->ends[1], err);
    if (code == GB_OK)
        code = ops->event_record(run->dev, s->stop, run->stream, err);
    return code;
}

/* Both directions, started together: the whole lasts until both have ended, each part until its
 * own has. What is left of the slower one then runs alone. */
static gb_code sample_both(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    gb_copy_state *s = run->state;
    gb_device *dev = run->dev;
    both b = {run, iterations};
    double whole = 0, ends[2] = {0, 0};
    gb_code code =
        gb_gate_around(dev, run->stream, run->gate, enqueue_both, &b, &out->gate_expired, err);
    if (code == GB_OK)
        code = dev->ops->elapsed_ns(dev, s->start, s->stop, &whole, err);
    for (unsigned i = 0; i < 2 && code == GB_OK; i++)
        code = dev->ops->elapsed_ns(dev, s->start, s->ends[i], &ends[i], err);
    out->ns = whole;
    out->parts[COPY_PART_H2D] = ends[0];
    out->parts[COPY_PART_D2H] = ends[1];
    return code;
}

/* One step of a managed iteration: the host's touch or the device's kernel (until it has ended). */
static gb_code managed_step(gb_run *run, const gb_copy_lane *lane, bool on_host, gb_error *err)
{
    if (on_host) {
        touch(lane);
        return GB_OK;
    }
    gb_code code = copy_lane(run, lane, run->stream, err);
    if (code == GB_OK && run->timer != GB_TIMER_CALL)
        code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    return code;
}

/* One iteration on managed memory. By the device's clock the host's share lies between two events
 * on an idle stream; for the `call` timer only the launch counts. */
static gb_code sample_managed(gb_run *run, gb_sample *out, gb_error *err)
{
    gb_copy_state *s = run->state;
    gb_device *dev = run->dev;
    const gb_device_ops *ops = dev->ops;
    const gb_copy_lane *lane = &s->lanes[0];
    gb_event *const marks[] = {s->start, s->ends[0], s->stop};
    const bool host_first = lane->direction == GB_COPY_H2D, events = run->timer == GB_TIMER_DEVICE;
    double ns[2] = {0, 0};
    gb_code code = ops->stream_sync(dev, run->stream, err);
    if (code == GB_OK && events)
        code = ops->event_record(dev, marks[0], run->stream, err);
    for (int i = 0; i < 2 && code == GB_OK; i++) {
        const uint64_t begin = ops->now_ns(dev);
        code = managed_step(run, lane, host_first == (i == 0), err);
        ns[i] = (double)(ops->now_ns(dev) - begin);
        if (code == GB_OK && events)
            code = ops->event_record(dev, marks[i + 1], run->stream, err);
        if (code == GB_OK && run->timer == GB_TIMER_CALL)
            code = ops->stream_sync(dev, run->stream, err);
    }
    for (int i = 0; i < 2 && code == GB_OK && events; i++)
        code = ops->elapsed_ns(dev, marks[i], marks[i + 1], &ns[i], err);
    if (run->timer == GB_TIMER_CALL) {
        out->ns += ns[host_first ? 1 : 0];
        return code;
    }
    out->ns += ns[0] + ns[1];
    out->parts[COPY_PART_TOUCH] += ns[0];
    out->parts[COPY_PART_MIGRATE] += ns[1];
    return code;
}

gb_code gb_copy_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    const gb_copy_state *s = run->state;
    *out = gb_sample_of(0);
    if (!s->managed)
        return sample_both(run, iterations, out, err);
    if (run->timer != GB_TIMER_CALL)
        out->parts[COPY_PART_TOUCH] = out->parts[COPY_PART_MIGRATE] = 0;
    return gb_sample_each(run, iterations, sample_managed, out, err);
}

bool gb_copy_samples_itself(const gb_value args[], gb_timer timer)
{
    if (gb_copy_memory_of(args) == GB_MEM_MANAGED)
        return true;
    return gb_copy_direction_of(args) == COPY_BIDIRECTIONAL && timer == GB_TIMER_DEVICE;
}

/* Pageable and managed memory make the calling thread wait. Many pieces would fill the queue behind
 * the gate, and what they cost is above all their issue, which a gate would hide. */
bool gb_copy_gate_allowed(const gb_value args[], gb_device_kind kind)
{
    (void)kind;
    const gb_memory_kind memory = gb_copy_memory_of(args);
    return memory != GB_MEM_PAGEABLE && memory != GB_MEM_MANAGED && args[COPY_PIECES].number == 1;
}

uint32_t gb_copy_behind_gate(const gb_value args[])
{
    return gb_copy_direction_of(args) == COPY_BIDIRECTIONAL ? 2 : 1;
}
