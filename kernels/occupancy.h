/* occupancy: what device code and host code agree on. */
#ifndef GB_KERNELS_OCCUPANCY_H
#define GB_KERNELS_OCCUPANCY_H

/* Threads that do exactly as much as each other: those of a warp. */
#define OCCUPANCY_GROUP 32
/* Warps of a block, or fewer where fewer are to be resident: one for each scheduler of an SM. */
#define OCCUPANCY_BLOCK_WARPS 4
/* A processor loads whole cache lines, a thread of a GPU a word of the 128 bytes of its warp. */
#define OCCUPANCY_LINE_WORDS 16
/* Room for results: more than the threads that any device has at a time. */
#define OCCUPANCY_MOST_THREADS (1u << 20)
/* X(n): the numbers of independent loads or chains that there is code for. */
#define OCCUPANCY_INDEPENDENT(X) X(1) X(2) X(4) X(8) X(16) X(32)
#define OCCUPANCY_MOST_INDEPENDENT 32
/* Position p of the lines is line p times this, modulo their number, a power of two: odd, hence
 * each line once, and another page from one to the next (2^32 / golden ratio). */
#define OCCUPANCY_SCATTER UINT64_C(2654435769)

#endif
