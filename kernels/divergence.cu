/* divergence: many dependent steps x = x * a + c for each element, along a path that the lane, the
 * warp or the data decides.
 *
 * A branch that both the compiler and the GPU must take: each path is a loop of its own, too long
 * for a select and with a constant of its own, so that no two can be merged. Which elements meet in
 * a warp is an argument: the control runs the very same instructions. */
#include "device/simt/simt.h"
#include "kernels/divergence.h"

/* One FMA a step, each waiting for the one before. With the host's a = 1, of which the compiler
 * knows nothing, all values are exact: a single step more or less shows in every element. */
DIVERGENCE_INLINE float walk(float x, float a, float c, uint32_t groups)
{
#if defined(__CUDACC__)
#pragma unroll 1
#endif
    for (uint32_t g = 0; g < groups; ++g)
        for (int s = 0; s < DIVERGENCE_UNROLL; ++s)
            x = x * a + c;
    return x;
}

#define PATH(p)                                                                                    \
    case (p):                                                                                      \
        y = walk(x, k.a, k.c[p], groups);                                                          \
        break;
#define PATHS_4(p) PATH(p) PATH((p) + 1) PATH((p) + 2) PATH((p) + 3)
#define PATHS_16(p) PATHS_4(p) PATHS_4((p) + 4) PATHS_4((p) + 8) PATHS_4((p) + 12)

/* The input is added once more, which makes a path that was left out differ from one that leads
 * nowhere. */
#define WALK_ALONG(path)                                                                           \
    const float x = in[i];                                                                         \
    float y = x;                                                                                   \
    switch (path) {                                                                                \
        PATHS_16(0) PATHS_16(16)                                                                   \
    }                                                                                              \
    out[i] = y + x;

static __global__ void divergence_ways(float *__restrict__ out, const float *__restrict__ in,
                                       size_t n, divergence_split split, uint32_t groups,
                                       divergence_constants k)
{
    GB_RANGE (i, n) {
        WALK_ALONG(divergence_path(split, i))
    }
}
GB_EXPORT(RANGE, divergence_ways)

static __global__ void divergence_data(float *__restrict__ out, const float *__restrict__ in,
                                       const uint8_t *__restrict__ paths, size_t n, uint32_t groups,
                                       divergence_constants k)
{
    GB_RANGE (i, n) {
        WALK_ALONG(paths[i])
    }
}
GB_EXPORT(RANGE, divergence_data)

static __global__ void divergence_exit(float *__restrict__ out, const float *__restrict__ in,
                                       size_t n, divergence_split split, uint32_t groups,
                                       divergence_constants k)
{
    GB_RANGE (i, n) {
        const float x = in[i];
        const uint32_t path = divergence_path(split, i);
        out[i] = walk(x, k.a, k.c[0], divergence_exit_after(split, path, groups)) + x;
    }
}
GB_EXPORT(RANGE, divergence_exit)

static __global__ void divergence_one(float *__restrict__ out, const float *__restrict__ in,
                                      size_t n, divergence_split split, uint32_t groups,
                                      divergence_constants k)
{
    GB_RANGE (i, n) {
        const float x = in[i];
        float y = x;
        if (divergence_path(split, i) == 0)
            y = walk(x, k.a, k.c[0], groups);
        out[i] = y + x;
    }
}
GB_EXPORT(RANGE, divergence_one)
