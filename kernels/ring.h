/* Rings of nodes in random order: each node has a next one, and the way leads through all of them
 * before it comes back. */
#ifndef GB_KERNELS_RING_H
#define GB_KERNELS_RING_H

#include <stdbool.h>
#include <stdint.h>

/* next[i] becomes the node after node i, of n >= 1, n < 2^32. Every ring is as likely as every
 * other: S. Sattolo, An algorithm to generate a random cyclic permutation, Information Processing
 * Letters 22 (1986). (A plain shuffle falls apart into several rings.) */
void gb_ring_make(uint32_t next[], uint64_t n, uint64_t seed);

/* Walks once around from node 0 and notes the nodes in their order. False: the way leads out, or
 * comes back before it has been at every node, or does not come back. */
bool gb_ring_walk(const uint32_t next[], uint64_t n, uint32_t order[]);

#endif
