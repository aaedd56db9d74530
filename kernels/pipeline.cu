/* pipeline: what the device does with the elements of a batch. See pipeline.h for the arithmetic.
 *
 * Sixteen elements become one: `rounds` steps x -> a x + b on each, then their sum with weights.
 * The chains are independent of each other: 64 bytes a thread on a GPU, eight vectors on the CPU.
 */
#include "device/simt/simt.h"
#include "kernels/fma.h"
#include "kernels/pipeline.h"

#if defined(__CUDACC__)
typedef uint32_t pipeline_lane;
static constexpr unsigned pipeline_lanes = PIPELINE_FOLD;
#define PIPELINE_UNROLL _Pragma("unroll 4")
#else
typedef fma_vector<uint32_t>::type pipeline_lane;
static constexpr unsigned pipeline_lanes = 8;
#define PIPELINE_UNROLL _Pragma("GCC unroll 2")
#endif

struct __align__(16) pipeline_pack
{
    pipeline_lane at[pipeline_lanes];
};

template <typename V, unsigned n>
static __device__ __forceinline__ void pipeline_steps(V (&x)[n], uint32_t rounds, uint32_t a,
                                                      uint32_t b)
{
    PIPELINE_UNROLL
    for (uint32_t k = rounds; k > 0; --k)
        for (unsigned i = 0; i < n; ++i)
            x[i] = x[i] * a + b;
}

/* The sum of sixteen, each with a weight of its own, so that none may stand for another. */
static __device__ __forceinline__ uint32_t pipeline_fold(const uint32_t *x)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < PIPELINE_FOLD; ++i)
        sum += x[i] * PIPELINE_WEIGHT(i);
    return sum;
}

static __global__ void pipeline_work(uint32_t *to, const uint32_t *from, size_t n, uint32_t rounds,
                                     uint32_t a, uint32_t b)
{
    constexpr size_t each = sizeof(pipeline_pack) / (PIPELINE_FOLD * sizeof(uint32_t));
    const size_t packs = n / each, done = packs * each;
    GB_RANGE (p, packs) {
        pipeline_pack x = reinterpret_cast<const pipeline_pack *>(from)[p];
        uint32_t y[each * PIPELINE_FOLD];
        pipeline_steps(x.at, rounds, a, b);
        memcpy(y, x.at, sizeof y);
        for (unsigned k = 0; k < each; ++k)
            to[p * each + k] = pipeline_fold(y + k * PIPELINE_FOLD);
    }
    GB_RANGE (i, n - done) {
        uint32_t x[PIPELINE_FOLD];
        memcpy(x, from + (done + i) * PIPELINE_FOLD, sizeof x);
        pipeline_steps(x, rounds, a, b);
        to[done + i] = pipeline_fold(x);
    }
}
GB_EXPORT(RANGE, pipeline_work)
