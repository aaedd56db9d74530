/* fragment: what its files share. fragment.c has the row, fragment_run.c fills a budget of memory,
 * makes holes and asks for the largest block. Host code alone: the device code is allocate.cu. */
#ifndef GB_KERNELS_FRAGMENT_H
#define GB_KERNELS_FRAGMENT_H

#if !defined(__cplusplus)

#include "kernels/allocate.h"
#include "kernels/slab.h"

enum { FRAGMENT_ALLOCATOR, FRAGMENT_PATTERN, FRAGMENT_BUDGET, FRAGMENT_BLOCK };
enum { FRAGMENT_PART_FILL, FRAGMENT_PART_RELEASE, FRAGMENT_PART_ASK, FRAGMENT_PARTS };
enum { FRAGMENT_METRIC_USABLE };

typedef enum fragment_allocator {
    FRAGMENT_FIRST_FIT,
    FRAGMENT_BEST_FIT,
    FRAGMENT_DRIVER
} fragment_allocator;

/* Sizes are whole numbers of this part of a block, and none is larger than a block. */
#define FRAGMENT_EIGHTHS 8
#define FRAGMENT_KEPT 16 /* words at each end of a block that are looked at */

typedef struct fragment_block {
    uint64_t bytes;   /* 0: not in use */
    uint64_t offset;  /* in the slab */
    gb_memory memory; /* of its own, from the driver */
} fragment_block;

typedef struct gb_fragment_state {
    fragment_allocator allocator;
    bool churn;
    uint64_t budget, block, step; /* bytes; step: sizes are a multiple of it */
    gb_memory memory;             /* the slab's; none with the driver's calls */
    gb_slab slab;
    fragment_block *blocks; /* [room] */
    size_t n, room;
    uint64_t held;              /* bytes of all blocks in use */
    uint64_t kept, free_at_top; /* free_at_top: device memory left when the budget is full */
    uint64_t largest, unused;   /* what the last iteration found */
    gb_memory result;           /* [room][2 * kept] */
    size_t checked;             /* blocks whose words are in `result` */
    uint64_t *checked_bytes;    /* [room]: their sizes */
} gb_fragment_state;

/* fragment_run.c */
gb_code gb_fragment_enqueue(gb_run *run, gb_error *err);
gb_code gb_fragment_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);

#endif
#endif
