/* access: what device code and host code agree on. */
#ifndef GB_KERNELS_ACCESS_H
#define GB_KERNELS_ACCESS_H

#include <stdint.h>

#if defined(__CUDACC__)
#define ACCESS_INLINE __host__ __device__ __forceinline__
#else
#define ACCESS_INLINE static inline
#endif

#define ACCESS_BLOCK 256
/* Loads of a thread, whatever the pattern. */
#define ACCESS_LOADS 16

/* A bijective map of [0, n) that looks random, without a table. One round (an odd multiplication, a
 * fold of the upper half of the bits into the lower, twice) is invertible on the bits of `mask`.
 * For a power of two that is all; otherwise a result outside of [0, n) goes through again until it
 * is inside (cycle walking: Black and Rogaway, Ciphers with arbitrary finite domains, 2002). At
 * most every second one does, as mask = 2^k - 1 is the smallest that is >= n - 1. */
typedef struct access_shuffle {
    uint64_t n, mask;
    uint32_t shift; /* half the bits of mask, at least 1 */
} access_shuffle;

ACCESS_INLINE uint64_t access_round(access_shuffle s, uint64_t i)
{
    i = (i * UINT64_C(0x9e3779b97f4a7c15)) & s.mask;
    i ^= i >> s.shift;
    i = (i * UINT64_C(0xd6e8feb86659fd93) + UINT64_C(0x632be59bd9b4e019)) & s.mask;
    return i ^ (i >> s.shift);
}

ACCESS_INLINE uint64_t access_walk(access_shuffle s, uint64_t i)
{
    do
        i = access_round(s, i);
    while (i >= s.n);
    return i;
}

ACCESS_INLINE access_shuffle access_shuffle_of(uint64_t n)
{
    access_shuffle s = {n, 0, 1};
    uint32_t bits = 0;
    while (s.mask < n - 1) {
        s.mask = 2 * s.mask + 1;
        bits++;
    }
    if (bits > 3)
        s.shift = bits / 2;
    return s;
}

#endif
