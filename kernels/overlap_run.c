/* overlap: one iteration on the streams, and the samples. */
#include <math.h>

#include "kernels/affine.h"
#include "kernels/copy.h"
#include "kernels/overlap.h"

GB_FN_DECLARE(overlap_work)

void gb_overlap_chunk(uint64_t n, uint32_t chunks, uint32_t index, uint64_t *first, uint64_t *count)
{
    const uint64_t units = n / OVERLAP_UNIT + (n % OVERLAP_UNIT != 0);
    gb_copy_piece(units, chunks, index, first, count);
    *first *= OVERLAP_UNIT;
    *count *= OVERLAP_UNIT;
    if (*count > n - *first)
        *count = n - *first;
}

static gb_code work_on(gb_run *run, gb_stream *stream, uint32_t *to, const uint32_t *from,
                       uint64_t n, gb_error *err)
{
    gb_overlap_state *s = run->state;
    gb_affine step = gb_affine_step;
    /* 4 elements a thread on a GPU; the kernel covers all of them whatever the grid is */
    const gb_launch launch = gb_launch_shape(run->dev, (n + 3) / 4, GB_BLOCK);
    return run->dev->ops->launch(run->dev, stream, GB_FN(overlap_work), &launch,
                                 (void *[]){&to, &from, &n, &s->rounds, &step.a, &step.b}, err);
}

static gb_code mark(gb_run *run, bool marked, int which, gb_error *err)
{
    gb_overlap_state *s = run->state;
    return marked ? run->dev->ops->event_record(run->dev, s->marks[which], run->stream, err)
                  : GB_OK;
}

/* A chunk's copy in, its work in place, its copy out. A slot belongs to its stream, whose order
 * keeps the next chunk out until this one has left. */
static gb_code chunk(gb_run *run, uint32_t index, bool marked, gb_error *err)
{
    gb_overlap_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    const uint32_t lane = index % s->lanes.n;
    gb_stream *stream = gb_lane(run, &s->lanes, lane);
    uint32_t *slot = (uint32_t *)s->slots.device + lane * s->slot;
    uint64_t first, count;
    gb_overlap_chunk(s->n, s->chunks, index, &first, &count);
    const size_t bytes = (size_t)count * sizeof(uint32_t);
    gb_code code = mark(run, marked, 0, err);
    if (code == GB_OK)
        code = ops->copy(run->dev, stream, slot, (const uint32_t *)s->in.host + first, bytes,
                         GB_COPY_H2D, err);
    if (code == GB_OK)
        code = mark(run, marked, 1, err);
    if (code == GB_OK)
        code = work_on(run, stream, slot, slot, count, err);
    if (code == GB_OK)
        code = mark(run, marked, 2, err);
    if (code == GB_OK)
        code = ops->copy(run->dev, stream, (uint32_t *)s->out.host + first, slot, bytes,
                         GB_COPY_D2H, err);
    return code == GB_OK ? mark(run, marked, 3, err) : code;
}

static gb_code staged(gb_run *run, bool marked, gb_error *err)
{
    gb_overlap_state *s = run->state;
    gb_code code = gb_lanes_fork(run, &s->lanes, err);
    for (uint32_t i = 0; i < s->chunks && code == GB_OK; i++)
        code = chunk(run, i, marked, err);
    return code == GB_OK ? gb_lanes_join(run, &s->lanes, err) : code;
}

static gb_code sent_ahead(gb_run *run, gb_error *err)
{
    gb_overlap_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = ops->prefetch(run->dev, run->stream, &s->in, true, err);
    if (code == GB_OK)
        code = ops->prefetch(run->dev, run->stream, &s->out, true, err);
    if (code == GB_OK)
        code = work_on(run, run->stream, s->out.device, s->in.device, s->n, err);
    return code == GB_OK ? ops->prefetch(run->dev, run->stream, &s->out, false, err) : code;
}

static bool moves_pages(const gb_overlap_state *s)
{
    return s->way == OVERLAP_MANAGED || s->way == OVERLAP_PREFETCHED;
}

/* Brings the input's pages back to the host, as new data from there would. */
static gb_code renew(gb_run *run, gb_error *err)
{
    const gb_overlap_state *s = run->state;
    if (!moves_pages(s))
        return GB_OK;
    gb_code code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    if (code == GB_OK)
        gb_memory_touch(&s->in, true);
    return code;
}

static gb_code submit(gb_run *run, bool marked, gb_error *err)
{
    const gb_overlap_state *s = run->state;
    if (s->way == OVERLAP_STAGED)
        return staged(run, marked, err);
    if (s->way == OVERLAP_PREFETCHED)
        return sent_ahead(run, err);
    return work_on(run, run->stream, s->out.device, s->in.device, s->n, err);
}

gb_code gb_overlap_enqueue(gb_run *run, gb_error *err)
{
    const gb_overlap_state *s = run->state;
    gb_code code = renew(run, err);
    if (code == GB_OK)
        code = submit(run, false, err);
    if (code != GB_OK || !moves_pages(s))
        return code;
    code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    if (code == GB_OK)
        gb_memory_touch(&s->out, false);
    return code;
}

/* From the call that hands the work over until all of the result lies on the host. */
static gb_code once(gb_run *run, bool marked, gb_sample *out, gb_error *err)
{
    const gb_overlap_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = renew(run, err);
    if (code != GB_OK)
        return code;
    const uint64_t begin = ops->now_ns(run->dev);
    code = submit(run, marked, err);
    const gb_code synced = ops->stream_sync(run->dev, run->stream, code == GB_OK ? err : NULL);
    code = code != GB_OK ? code : synced;
    if (code == GB_OK && moves_pages(s)) /* only then does the host have it */
        gb_memory_touch(&s->out, false);
    out->ns += (double)(ops->now_ns(run->dev) - begin);
    for (int i = 0; i < OVERLAP_PARTS && marked && code == GB_OK; i++) {
        double ns = 0;
        code = ops->elapsed_ns(run->dev, s->marks[i], s->marks[i + 1], &ns, err);
        out->parts[i] += ns;
    }
    return code;
}

gb_code gb_overlap_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    const bool marked = gb_overlap_in_parts(run->args);
    *out = (gb_sample){0};
    for (int i = 0; i < GB_MAX_PARTS; i++)
        out->parts[i] = marked && i < OVERLAP_PARTS ? 0 : NAN;
    gb_code code = GB_OK;
    for (uint64_t i = 0; i < iterations && code == GB_OK; i++)
        code = once(run, marked, out, err);
    return code;
}
