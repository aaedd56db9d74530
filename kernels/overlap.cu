/* overlap: `rounds` steps x -> a x + b on every element. See affine.h for the arithmetic.
 *
 * The chains of one iteration are independent of each other: 16 bytes a thread on a GPU, whose many
 * threads do the rest, and eight vectors on the CPU. `to` may be `from`. */
#include "device/simt/simt.h"
#include "kernels/fma.h"

#if defined(__CUDACC__)
typedef uint32_t overlap_lane;
static constexpr unsigned overlap_lanes = 4;
#define OVERLAP_UNROLL _Pragma("unroll 16")
#else
typedef fma_vector<uint32_t>::type overlap_lane;
static constexpr unsigned overlap_lanes = 8;
#define OVERLAP_UNROLL _Pragma("GCC unroll 2")
#endif

struct __align__(16) overlap_pack
{
    overlap_lane at[overlap_lanes];
};

template <typename V, unsigned n>
static __device__ __forceinline__ void overlap_steps(V (&x)[n], uint32_t rounds, uint32_t a,
                                                     uint32_t b)
{
    OVERLAP_UNROLL
    for (uint32_t k = rounds; k > 0; --k)
        for (unsigned i = 0; i < n; ++i)
            x[i] = x[i] * a + b;
}

static __global__ void overlap_work(uint32_t *to, const uint32_t *from, size_t n, uint32_t rounds,
                                    uint32_t a, uint32_t b)
{
    constexpr size_t pack = sizeof(overlap_pack) / sizeof(uint32_t);
    const size_t packs = n / pack, done = packs * pack;
    GB_RANGE (p, packs) {
        overlap_pack x = reinterpret_cast<const overlap_pack *>(from)[p];
        overlap_steps(x.at, rounds, a, b);
        reinterpret_cast<overlap_pack *>(to)[p] = x;
    }
    GB_RANGE (i, n - done) {
        uint32_t x[1] = {from[done + i]};
        overlap_steps(x, rounds, a, b);
        to[done + i] = x[0];
    }
}
GB_EXPORT(RANGE, overlap_work)
