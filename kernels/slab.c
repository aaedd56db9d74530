#include "kernels/slab.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static gb_code make_room(gb_slab *slab, gb_error *err)
{
    if (slab->n < slab->room)
        return GB_OK;
    const size_t room = slab->room ? 2 * slab->room : 64;
    gb_slab_piece *more = realloc(slab->pieces, room * sizeof *more);
    if (more == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the list of a slab's pieces");
    slab->pieces = more;
    slab->room = room;
    return GB_OK;
}

gb_code gb_slab_make(uint64_t bytes, uint64_t granularity, gb_slab_fit fit, gb_slab *out,
                     gb_error *err)
{
    *out = (gb_slab){.bytes = bytes, .granularity = granularity, .fit = fit};
    if (bytes == 0 || granularity == 0 || bytes % granularity != 0)
        return gb_fail(err, GB_INVALID, "a slab of %" PRIu64 " bytes in steps of %" PRIu64, bytes,
                       granularity);
    gb_code code = make_room(out, err);
    if (code == GB_OK)
        out->pieces[out->n++] = (gb_slab_piece){.offset = 0, .bytes = bytes};
    return code;
}

void gb_slab_free(gb_slab *slab)
{
    free(slab->pieces);
    *slab = (gb_slab){0};
}

/* The piece to cut a block out of; slab->n: none. */
static size_t choose(const gb_slab *slab, uint64_t bytes)
{
    size_t best = slab->n;
    for (size_t i = 0; i < slab->n; i++) {
        const gb_slab_piece *p = &slab->pieces[i];
        if (p->used || p->bytes < bytes)
            continue;
        if (slab->fit == GB_SLAB_FIRST_FIT)
            return i;
        if (best == slab->n || p->bytes < slab->pieces[best].bytes)
            best = i;
    }
    return best;
}

gb_code gb_slab_take(gb_slab *slab, uint64_t bytes, uint64_t *offset, gb_error *err)
{
    *offset = GB_SLAB_NONE;
    const uint64_t rest = bytes % slab->granularity;
    const uint64_t size = rest ? bytes + slab->granularity - rest : bytes;
    const size_t at = bytes > 0 && bytes <= slab->bytes ? choose(slab, size) : slab->n;
    if (at == slab->n)
        return gb_fail(err, GB_NO_MEMORY,
                       "%" PRIu64 " bytes of a slab refused: %" PRIu64
                       " are free, the largest hole has %" PRIu64,
                       bytes, gb_slab_unused(slab), gb_slab_largest_hole(slab));
    gb_code code = make_room(slab, err);
    if (code != GB_OK)
        return code;
    gb_slab_piece *p = &slab->pieces[at];
    if (p->bytes > size) {
        memmove(p + 2, p + 1, (slab->n - at - 1) * sizeof *p);
        p[1] = (gb_slab_piece){.offset = p->offset + size, .bytes = p->bytes - size};
        p->bytes = size;
        slab->n++;
    }
    p->used = 1;
    *offset = p->offset;
    return GB_OK;
}

/* Piece `at` and the one after it become one. */
static void join(gb_slab *slab, size_t at)
{
    gb_slab_piece *p = &slab->pieces[at];
    p->bytes += p[1].bytes;
    memmove(p + 1, p + 2, (slab->n - at - 2) * sizeof *p);
    slab->n--;
}

gb_code gb_slab_give(gb_slab *slab, uint64_t offset, gb_error *err)
{
    size_t at = 0;
    while (at < slab->n && !(slab->pieces[at].used && slab->pieces[at].offset == offset))
        at++;
    if (at == slab->n)
        return gb_fail(err, GB_INVALID, "no block of the slab begins at %" PRIu64, offset);
    slab->pieces[at].used = 0;
    if (at + 1 < slab->n && !slab->pieces[at + 1].used)
        join(slab, at);
    if (at > 0 && !slab->pieces[at - 1].used)
        join(slab, at - 1);
    return GB_OK;
}

uint64_t gb_slab_unused(const gb_slab *slab)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < slab->n; i++)
        sum += slab->pieces[i].used ? 0 : slab->pieces[i].bytes;
    return sum;
}

uint64_t gb_slab_largest_hole(const gb_slab *slab)
{
    uint64_t largest = 0;
    for (size_t i = 0; i < slab->n; i++)
        if (!slab->pieces[i].used && slab->pieces[i].bytes > largest)
            largest = slab->pieces[i].bytes;
    return largest;
}
