/* crossover: what device code and host code agree on. */
#ifndef GB_KERNELS_CROSSOVER_H
#define GB_KERNELS_CROSSOVER_H

#include <stdint.h>

/* Threads of a block of the GPU's kernels. */
#define CROSSOVER_BLOCK 256

/* reduce: numbers that a block sums up in float, at most; the host's numbers keep that exact. */
#define CROSSOVER_MAX_PART (1u << 18)

/* blur: the weights 1 4 6 4 1 down and across, of 256 in all; the GPU's tile of the result. */
#define CROSSOVER_RADIUS 2
#define CROSSOVER_TILE 32
#define CROSSOVER_TILE_THREADS_Y 8 /* by CROSSOVER_TILE across */

/* resize: where a row or column of the result lies between two of the source: at `first`, and
 * `weight` 256ths of the way to `second`. */
typedef struct crossover_between {
    uint32_t first, second, weight;
} crossover_between;

/* filter: a row of the table; the bounds of the query. Rows are marked in words of 32, tile by
 * tile. */
typedef struct crossover_row {
    uint32_t kind, quantity, price, discount;
} crossover_row;
typedef struct crossover_query {
    uint32_t price, total, reduced;
} crossover_query;
#define CROSSOVER_KINDS 4
#define CROSSOVER_TILE_WORDS 64
#define CROSSOVER_TILE_ROWS (32 * CROSSOVER_TILE_WORDS)

/* lookup: a slot of the hash table, open addressing with linear probing. */
typedef struct crossover_slot {
    uint32_t id, value;
} crossover_slot;
#define CROSSOVER_HASH 0x9e3779b1u /* an odd number near 2^32 / golden ratio (Knuth, 6.4) */
#define CROSSOVER_MISSING 0x80000000u

/* sort: bits of a key that a pass on the CPU looks at. */
#define CROSSOVER_DIGIT_BITS 8
#define CROSSOVER_DIGITS (1u << CROSSOVER_DIGIT_BITS)

#endif
