/* divergence: what device code and host code agree on. */
#ifndef GB_KERNELS_DIVERGENCE_H
#define GB_KERNELS_DIVERGENCE_H

#include <stdint.h>

#if defined(__CUDACC__)
#define DIVERGENCE_INLINE __host__ __device__ __forceinline__
#else
#define DIVERGENCE_INLINE static inline
#endif

#define DIVERGENCE_MAX_WAYS 32
/* Steps between two checks of a loop's end. Few, so that the code of all paths together fits into
 * the smallest instruction cache of an SM: the control runs them side by side. */
#define DIVERGENCE_UNROLL 8

/* Each path has its own constant: that is what makes 32 copies of one loop 32 different codes. They
 * are arguments, as the compiler would fold what it knows. */
typedef struct divergence_constants {
    float c[DIVERGENCE_MAX_WAYS];
    float a; /* factor of each step */
} divergence_constants;

/* How elements are dealt to paths: element i takes path (i >> shift) % 2^bits. With shift 0 the
 * lanes of a warp take different paths, with shift 5 all lanes of a warp take the same one. */
typedef struct divergence_split {
    uint32_t shift, bits;
} divergence_split;

DIVERGENCE_INLINE uint32_t divergence_path(divergence_split s, uint64_t i)
{
    return (uint32_t)(i >> s.shift) & ((1u << s.bits) - 1);
}

/* Early exit: path p of 2^bits leaves after (p + 1) / 2^bits of all groups of steps, rounded up. */
DIVERGENCE_INLINE uint32_t divergence_exit_after(divergence_split s, uint32_t path, uint32_t groups)
{
    return (groups * (path + 1) + (1u << s.bits) - 1) >> s.bits;
}

#endif
