/* chase: what device code and host code agree on. */
#ifndef GB_KERNELS_CHASE_H
#define GB_KERNELS_CHASE_H

#include <stdint.h>

/* Loads a round of the loop: its counting is little beside them. */
#define CHASE_UNROLL 16
/* Threads that bring the nodes into shared memory; one of them follows the links. */
#define CHASE_BLOCK 256
/* What a block may have of it without asking for more. */
#define CHASE_SHARED_BYTES 49152

/* Where a chase stands: where it goes on, and what the next one adds to. */
typedef struct chase_place {
    uint64_t at;     /* address of a node */
    uint64_t steps;  /* links followed since the start */
    uint64_t cycles; /* of the SM's clock since the start; 0 on a cpu, which has no such clock */
} chase_place;

#endif
