/* allocate: an iteration that uses what it allocates, for the check, and samples that do not. */
#include "kernels/allocate.h"

#include <string.h>

static uint64_t now(gb_run *run)
{
    return run->dev->ops->now_ns(run->dev);
}

static gb_code sync(gb_run *run, gb_code code, gb_error *err)
{
    const gb_code synced =
        run->dev->ops->stream_sync(run->dev, run->stream, code == GB_OK ? err : NULL);
    return code != GB_OK ? code : synced;
}

static gb_code take_all(gb_run *run, gb_error *err)
{
    gb_allocate_state *s = run->state;
    gb_code code = GB_OK;
    for (uint32_t b = 0; b < s->n && code == GB_OK; b++)
        code = gb_allocator_take(run, &s->allocator, s->bytes, &s->blocks[b], err);
    return code;
}

/* All are given back, whatever went wrong before (`code`). */
static gb_code give_all(gb_run *run, gb_code code, gb_error *err)
{
    gb_allocate_state *s = run->state;
    for (uint32_t b = 0; b < s->n; b++) {
        const gb_code given =
            gb_allocator_give(run, &s->allocator, &s->blocks[b], code == GB_OK ? err : NULL);
        code = code != GB_OK ? code : given;
    }
    return code;
}

/* --- the iteration that is checked ------------------------------------------------------------ */

static uint32_t *kept_of(gb_allocate_state *s, uint32_t block)
{
    return (uint32_t *)s->result.host + 2 * s->kept * block;
}

/* Device memory is marked where it lies, host memory by a copy of what was marked on the device. */
static gb_code mark_one(gb_run *run, uint32_t b, gb_error *err)
{
    gb_allocate_state *s = run->state;
    const uint32_t salt = gb_mark_salt(run->seed, b);
    if (s->allocator.kind == GB_MEM_DEVICE)
        return gb_mark(run, s->blocks[b].device, s->words, salt, err);
    gb_code code = gb_mark(run, s->marked.device, s->words, salt, err);
    if (code == GB_OK)
        code = run->dev->ops->copy(run->dev, run->stream, s->blocks[b].host, s->marked.device,
                                   (size_t)s->words * sizeof(uint32_t), GB_COPY_D2H, err);
    return code;
}

static gb_code keep_one(gb_run *run, uint32_t b, gb_error *err)
{
    gb_allocate_state *s = run->state;
    const size_t bytes = (size_t)s->kept * sizeof(uint32_t);
    const uint32_t *block = s->blocks[b].host;
    uint32_t *to = kept_of(s, b);
    if (s->allocator.kind == GB_MEM_DEVICE)
        return gb_mark_keep(run, s->blocks[b].device, s->words, s->kept, to, err);
    memcpy(to, block, bytes);
    memcpy(to + s->kept, block + s->words - s->kept, bytes);
    return GB_OK;
}

/* All blocks are marked before the first is looked at. */
gb_code gb_allocate_enqueue(gb_run *run, gb_error *err)
{
    gb_allocate_state *s = run->state;
    gb_code code = take_all(run, err);
    for (uint32_t b = 0; b < s->n && code == GB_OK; b++)
        code = mark_one(run, b, err);
    code = sync(run, code, err);
    for (uint32_t b = 0; b < s->n && code == GB_OK; b++)
        code = keep_one(run, b, err);
    code = sync(run, code, err);
    code = give_all(run, code, err);
    return sync(run, code, err);
}

/* --- samples ---------------------------------------------------------------------------------- */

/* One round with both calls apart, or several with nothing between them. */
static gb_code time_rounds(gb_run *run, gb_sample *out, gb_error *err)
{
    const gb_allocate_state *s = run->state;
    const uint64_t begin = now(run);
    gb_code code = take_all(run, err);
    const uint64_t taken = s->rounds == 1 ? now(run) : begin;
    code = give_all(run, code, err);
    for (uint32_t r = 1; r < s->rounds && code == GB_OK; r++) {
        code = take_all(run, err);
        code = give_all(run, code, err);
    }
    const uint64_t end = now(run);
    out->ns += (double)(end - begin);
    out->parts[ALLOCATE_PART_ALLOCATE] += s->rounds == 1 ? (double)(taken - begin) : NAN;
    out->parts[ALLOCATE_PART_RELEASE] += s->rounds == 1 ? (double)(end - taken) : NAN;
    return sync(run, code, err);
}

/* The stream is idle before and after: the calls wait for nothing but themselves. */
gb_code gb_allocate_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    gb_code code = sync(run, GB_OK, err);
    *out = gb_sample_of(ALLOCATE_PARTS);
    return code == GB_OK ? gb_sample_each(run, iterations, time_rounds, out, err) : code;
}
