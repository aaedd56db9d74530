/* fragment: a budget of memory is filled, holes are made, and the largest block is asked for that
 * can be had within the budget. See fragment.h. */
#include "kernels/fragment.h"

#include <inttypes.h>

/* Blocks that come and go, for each block that fits. */
#define CHURN 4
/* The same history on every machine and in every run, so that shares compare. */
#define HISTORY UINT64_C(20260)

static uint64_t now(gb_run *run)
{
    return run->dev->ops->now_ns(run->dev);
}

/* --- one block -------------------------------------------------------------------------------- */

static gb_code give(gb_run *run, fragment_block *b, gb_error *err)
{
    gb_fragment_state *s = run->state;
    gb_code code = GB_OK;
    if (b->bytes == 0)
        return GB_OK;
    if (s->allocator == FRAGMENT_DRIVER)
        run->dev->ops->free(run->dev, &b->memory);
    else
        code = gb_slab_give(&s->slab, b->offset, err);
    s->held -= b->bytes;
    *b = (fragment_block){0};
    return code;
}

/* The budget bounds what the blocks have together, whoever gives them. GB_NO_MEMORY: refused. */
static gb_code take(gb_run *run, uint64_t bytes, fragment_block *b, gb_error *err)
{
    gb_fragment_state *s = run->state;
    *b = (fragment_block){0};
    if (bytes > s->budget - s->held)
        return gb_fail(err, GB_NO_MEMORY, "%" PRIu64 " bytes are more than the budget leaves",
                       bytes);
    gb_code code =
        s->allocator == FRAGMENT_DRIVER
            ? run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, (size_t)bytes, &b->memory, err)
            : gb_slab_take(&s->slab, bytes, &b->offset, err);
    if (code == GB_OK) {
        b->bytes = bytes;
        s->held += bytes;
    }
    return code;
}

static char *address(const gb_fragment_state *s, const fragment_block *b)
{
    return s->allocator == FRAGMENT_DRIVER ? b->memory.device
                                           : (char *)s->memory.device + b->offset;
}

/* --- filling, and holes ----------------------------------------------------------------------- */

static uint64_t next_size(const gb_fragment_state *s, gb_rng *rng)
{
    return s->churn ? (1 + gb_rng_below(rng, FRAGMENT_EIGHTHS)) * s->step : s->block;
}

/* Until a block is refused. */
static gb_code fill(gb_run *run, gb_rng *rng, gb_error *err)
{
    gb_fragment_state *s = run->state;
    gb_code code = GB_OK;
    while (s->n < s->room && code == GB_OK) {
        code = take(run, next_size(s, rng), &s->blocks[s->n], err);
        s->n += code == GB_OK;
    }
    return code == GB_NO_MEMORY ? GB_OK : code;
}

/* Some block goes, and one of another size comes, if there is room for it. */
static gb_code come_and_go(gb_run *run, gb_rng *rng, gb_error *err)
{
    gb_fragment_state *s = run->state;
    gb_code code = GB_OK;
    for (size_t i = 0; i < CHURN * s->n && code == GB_OK; i++) {
        fragment_block *b = &s->blocks[gb_rng_below(rng, s->n)];
        code = give(run, b, err);
        if (code == GB_OK)
            code = take(run, next_size(s, rng), b, err);
        code = code == GB_NO_MEMORY ? GB_OK : code;
    }
    return code;
}

/* Every other block goes. */
static gb_code make_holes(gb_run *run, gb_error *err)
{
    gb_fragment_state *s = run->state;
    gb_code code = GB_OK;
    for (size_t i = 1; i < s->n && code == GB_OK; i += 2)
        code = give(run, &s->blocks[i], err);
    s->unused = s->budget - s->held;
    return code;
}

/* --- the largest block ------------------------------------------------------------------------ */

/* Whether a block of so many bytes can be had within the budget; it is left in *b then. A driver
 * could take other memory of the device instead of the holes: then more of it is in use than when
 * the budget is full, and the block is not within the budget. */
static gb_code fits(gb_run *run, uint64_t bytes, fragment_block *b, bool *does, gb_error *err)
{
    gb_fragment_state *s = run->state;
    gb_error refused = {0};
    *does = false;
    gb_code code = take(run, bytes, b, &refused);
    if (code == GB_NO_MEMORY)
        return GB_OK;
    if (code != GB_OK) {
        if (err != NULL)
            *err = refused;
        return code;
    }
    *does = true;
    if (s->allocator == FRAGMENT_DRIVER) {
        uint64_t free = 0, total = 0;
        code = run->dev->ops->memory_info(run->dev, &free, &total, err);
        *does = free >= s->free_at_top;
    }
    if (code != GB_OK || !*does) {
        const gb_code given = give(run, b, code == GB_OK ? err : NULL);
        code = code != GB_OK ? code : given;
    }
    return code;
}

/* By halving, in steps of the sizes: all that is free, or what less there is. The block is left in
 * *b. */
static gb_code ask(gb_run *run, fragment_block *b, gb_error *err)
{
    gb_fragment_state *s = run->state;
    uint64_t can = 0, cannot = s->unused / s->step + 1, next = cannot - 1;
    gb_code code = GB_OK;
    *b = (fragment_block){0};
    while (can + 1 < cannot && code == GB_OK) {
        bool does;
        fragment_block trial;
        code = fits(run, next * s->step, &trial, &does, err);
        if (code == GB_OK && does)
            code = give(run, &trial, err);
        can = does ? next : can;
        cannot = does ? cannot : next;
        next = can + (cannot - can) / 2;
    }
    s->largest = can * s->step;
    if (code == GB_OK && can > 0)
        code = take(run, s->largest, b, err);
    return code;
}

/* --- an iteration ----------------------------------------------------------------------------- */

typedef struct moments {
    uint64_t begin, full, holes, asked;
} moments;

/* What the device has free; 0 where the driver is not asked for blocks. */
static gb_code note_free(gb_run *run, uint64_t *free, gb_error *err)
{
    const gb_fragment_state *s = run->state;
    uint64_t total;
    *free = 0;
    return s->allocator == FRAGMENT_DRIVER ? run->dev->ops->memory_info(run->dev, free, &total, err)
                                           : GB_OK;
}

/* free_at_top: what is free when all of the budget is in use, or what filling it has left where
 * blocks are rounded up. */
static gb_code fill_budget(gb_run *run, gb_rng *rng, gb_error *err)
{
    gb_fragment_state *s = run->state;
    uint64_t before, full;
    gb_code code = note_free(run, &before, err);
    if (code == GB_OK)
        code = fill(run, rng, err);
    if (code == GB_OK)
        code = note_free(run, &full, err);
    if (code != GB_OK)
        return code;
    const uint64_t left = before > s->budget ? before - s->budget : 0;
    s->free_at_top = full < left ? full : left;
    return s->churn ? come_and_go(run, rng, err) : GB_OK;
}

/* The largest block comes after all places for those that fill. */
static gb_code run_through(gb_run *run, moments *at, gb_error *err)
{
    gb_fragment_state *s = run->state;
    gb_rng rng = {HISTORY};
    at->begin = now(run);
    gb_code code = gb_slab_make(
        s->budget, s->step,
        s->allocator == FRAGMENT_BEST_FIT ? GB_SLAB_BEST_FIT : GB_SLAB_FIRST_FIT, &s->slab, err);
    if (code == GB_OK)
        code = fill_budget(run, &rng, err);
    at->full = now(run);
    if (code == GB_OK)
        code = make_holes(run, err);
    at->holes = now(run);
    if (code == GB_OK)
        code = ask(run, &s->blocks[s->room], err);
    at->asked = now(run);
    run->levels[FRAGMENT_METRIC_USABLE] =
        code == GB_OK ? 100 * (double)s->largest / (double)s->unused : NAN;
    return code;
}

static void give_all(gb_run *run)
{
    gb_fragment_state *s = run->state;
    for (size_t i = 0; i <= s->room; i++)
        give(run, &s->blocks[i], NULL);
    gb_slab_free(&s->slab);
    s->n = 0;
}

/* Marks all blocks in use, the largest too, and keeps their ends once all are marked. */
static gb_code use(gb_run *run, gb_error *err)
{
    gb_fragment_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_code code = GB_OK;
    for (int keep = 0; keep < 2 && code == GB_OK; keep++) {
        s->checked = 0;
        for (size_t i = 0; i <= s->room && code == GB_OK; i++) {
            const fragment_block *b = &s->blocks[i];
            const uint64_t words = b->bytes / sizeof(uint32_t);
            if (words == 0)
                continue;
            const uint32_t salt = gb_mark_salt(run->seed, s->checked);
            code = keep ? gb_mark_keep(run, address(s, b), words, s->kept,
                                       (uint32_t *)s->result.host + 2 * s->kept * s->checked, err)
                        : gb_mark(run, address(s, b), words, salt, err);
            s->checked_bytes[s->checked++] = b->bytes;
        }
        const gb_code synced = ops->stream_sync(run->dev, run->stream, code == GB_OK ? err : NULL);
        code = code != GB_OK ? code : synced;
    }
    return code;
}

gb_code gb_fragment_enqueue(gb_run *run, gb_error *err)
{
    moments at;
    gb_code code = run_through(run, &at, err);
    if (code == GB_OK)
        code = use(run, err);
    give_all(run);
    return code;
}

static gb_code time_once(gb_run *run, gb_sample *out, gb_error *err)
{
    moments at;
    gb_code code = run_through(run, &at, err);
    give_all(run);
    out->parts[FRAGMENT_PART_FILL] += (double)(at.full - at.begin);
    out->parts[FRAGMENT_PART_RELEASE] += (double)(at.holes - at.full);
    out->parts[FRAGMENT_PART_ASK] += (double)(at.asked - at.holes);
    out->ns += (double)(at.asked - at.begin);
    return code;
}

gb_code gb_fragment_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    *out = gb_sample_of(FRAGMENT_PARTS);
    return gb_sample_each(run, iterations, time_once, out, err);
}
