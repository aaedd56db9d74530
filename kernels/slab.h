/* A suballocator: blocks cut out of one large piece of memory (a slab), as arithmetic on offsets.
 * It has no memory of its own and does not care where the slab lies, so that it is the same on
 * every device. Neighbouring holes become one; what is in use is never moved. */
#ifndef GB_KERNELS_SLAB_H
#define GB_KERNELS_SLAB_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Which hole a block is cut out of: the first that is large enough, or the smallest of those
 * (Knuth, The Art of Computer Programming, volume 1, section 2.5). */
typedef enum gb_slab_fit { GB_SLAB_FIRST_FIT, GB_SLAB_BEST_FIT } gb_slab_fit;

#define GB_SLAB_NONE UINT64_MAX

/* A piece of the slab; all of them follow each other without a gap. */
typedef struct gb_slab_piece {
    uint64_t offset, bytes;
    int used;
} gb_slab_piece;

typedef struct gb_slab {
    uint64_t bytes, granularity; /* sizes are rounded up to that */
    gb_slab_fit fit;
    gb_slab_piece *pieces; /* by growing offset; owned */
    size_t n, room;
} gb_slab;

/* One hole of `bytes`, a multiple of granularity. GB_NO_MEMORY. Give it back with gb_slab_free. */
gb_code gb_slab_make(uint64_t bytes, uint64_t granularity, gb_slab_fit fit, gb_slab *out,
                     gb_error *err);
void gb_slab_free(gb_slab *slab); /* fine with a zeroed one */

/* *offset of a block of `bytes` > 0; GB_NO_MEMORY: no hole is large enough (the message has the
 * largest and the sum of all), *offset is GB_SLAB_NONE then. */
gb_code gb_slab_take(gb_slab *slab, uint64_t bytes, uint64_t *offset, gb_error *err);
/* Gives back the block at `offset`. GB_INVALID: there is none. */
gb_code gb_slab_give(gb_slab *slab, uint64_t offset, gb_error *err);

uint64_t gb_slab_unused(const gb_slab *slab);       /* all holes together */
uint64_t gb_slab_largest_hole(const gb_slab *slab); /* 0: none */

#endif
