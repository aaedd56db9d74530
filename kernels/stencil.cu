/* stencil: each element of the result is a weighted sum of 2 * radius + 1 neighbouring elements of
 * the input, which begins `radius` elements before the result's first.
 *
 * The input reaches to the end of the last block's tile, so that only stores are guarded. */
#include "device/simt/simt.h"
#include "kernels/stencil.h"

/* Every thread loads all its elements from global memory: 2 * radius + 1 loads an element, most of
 * which a cache can serve. */
static __global__ void stencil_global(float *__restrict__ out, const float *__restrict__ in,
                                      size_t n, uint32_t radius, float weight)
{
    GB_PRIVATE(float, sum);
    for (size_t first = (size_t)blockIdx.x * STENCIL_BLOCK; first < n;
         first += (size_t)gridDim.x * STENCIL_BLOCK) {
        GB_THREADS
        {
            GB_MY(sum) = 0;
        }
        for (uint32_t k = 0; k <= 2 * radius; ++k)
            GB_THREADS
            {
                GB_MY(sum) += weight * in[first + threadIdx.x + k];
            }
        GB_THREADS
        {
            if (first + threadIdx.x < n)
                out[first + threadIdx.x] = GB_MY(sum);
        }
    }
}
GB_EXPORT(PHASED, stencil_global)

/* The block loads what it needs once, into shared memory. The second barrier is for the next tile.
 */
static __global__ void stencil_shared(float *__restrict__ out, const float *__restrict__ in,
                                      size_t n, uint32_t radius, float weight)
{
    GB_SHARED(float, tile, STENCIL_BLOCK + 2 * STENCIL_MAX_RADIUS);
    GB_PRIVATE(float, sum);
    for (size_t first = (size_t)blockIdx.x * STENCIL_BLOCK; first < n;
         first += (size_t)gridDim.x * STENCIL_BLOCK) {
        GB_THREADS
        {
            tile[threadIdx.x] = in[first + threadIdx.x];
            if (threadIdx.x < 2 * radius)
                tile[STENCIL_BLOCK + threadIdx.x] = in[first + STENCIL_BLOCK + threadIdx.x];
            GB_MY(sum) = 0;
        }
        GB_BARRIER();
        for (uint32_t k = 0; k <= 2 * radius; ++k)
            GB_THREADS
            {
                GB_MY(sum) += weight * tile[(size_t)threadIdx.x + k];
            }
        GB_THREADS
        {
            if (first + threadIdx.x < n)
                out[first + threadIdx.x] = GB_MY(sum);
        }
        GB_BARRIER();
    }
}
GB_EXPORT(PHASED, stencil_shared)
