/* access: the same number of 4-byte loads, at neighbouring, strided, shifted or random places.
 *
 * Load number i of all n goes to a place that the pattern decides. A block takes ACCESS_LOADS runs
 * of ACCESS_BLOCK neighbouring numbers, so that the loads of a warp have neighbouring numbers and a
 * CPU goes through its memory from front to back. Each thread adds up what it loads and stores the
 * sum (integers, which wrap: exact in any order). Past the grid's end a block goes on with the next
 * share. */
#include "device/simt/simt.h"
#include "kernels/access.h"

/* PLACE is an expression of the load's number i. Only the last share is guarded. */
#define ACCESS_BODY(PLACE)                                                                         \
    constexpr size_t share = (size_t)ACCESS_BLOCK * ACCESS_LOADS;                                  \
    GB_PRIVATE(uint32_t, sum);                                                                     \
    for (size_t first = blockIdx.x * share; first < n; first += gridDim.x * share) {               \
        GB_THREADS                                                                                 \
        {                                                                                          \
            GB_MY(sum) = 0;                                                                        \
        }                                                                                          \
        if (n - first >= share) {                                                                  \
            for (unsigned l = 0; l < ACCESS_LOADS; ++l)                                            \
                GB_THREADS                                                                         \
                {                                                                                  \
                    const size_t i = first + l * ACCESS_BLOCK + threadIdx.x;                       \
                    GB_MY(sum) += in[PLACE];                                                       \
                }                                                                                  \
        } else {                                                                                   \
            for (unsigned l = 0; l < ACCESS_LOADS; ++l)                                            \
                GB_THREADS                                                                         \
                {                                                                                  \
                    const size_t i = first + l * ACCESS_BLOCK + threadIdx.x;                       \
                    if (i < n)                                                                     \
                        GB_MY(sum) += in[PLACE];                                                   \
                }                                                                                  \
        }                                                                                          \
        GB_THREADS                                                                                 \
        {                                                                                          \
            if (first + threadIdx.x < n)                                                           \
                out[first / ACCESS_LOADS + threadIdx.x] = GB_MY(sum);                              \
        }                                                                                          \
    }

static __global__ void access_linear(uint32_t *__restrict__ out, const uint32_t *__restrict__ in,
                                     size_t n, size_t offset){
    ACCESS_BODY(i + offset)} GB_EXPORT(PHASED, access_linear)

static __global__ void access_strided(uint32_t *__restrict__ out, const uint32_t *__restrict__ in,
                                      size_t n, size_t stride){
    ACCESS_BODY(i * stride)} GB_EXPORT(PHASED, access_strided)

/* n is a power of two: no branch between the loads. */
static __global__ void access_random(uint32_t *__restrict__ out, const uint32_t *__restrict__ in,
                                     size_t n, access_shuffle shuffle){
    ACCESS_BODY(access_round(shuffle, i))} GB_EXPORT(PHASED, access_random)

static __global__ void access_random_walk(uint32_t *__restrict__ out,
                                          const uint32_t *__restrict__ in, size_t n,
                                          access_shuffle shuffle){
    ACCESS_BODY(access_walk(shuffle, i))} GB_EXPORT(PHASED, access_random_walk)
