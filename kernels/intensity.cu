/* intensity: to[i] = x[i] after `fmas` multiply-adds. See fma.h for the arithmetic.
 *
 * One code for all numbers of steps (no kernel a point), so that nothing but the work differs. The
 * chains of one iteration are independent of each other: 16 bytes a thread on a GPU, whose many
 * threads do the rest, and eight vectors on the CPU. */
#include "device/simt/simt.h"
#include "kernels/fma.h"

#if defined(__CUDACC__)
template <typename T> struct intensity_lane {
    typedef T type;
};
static constexpr unsigned pack_bytes = INTENSITY_GPU_PACK_BYTES;
#define INTENSITY_UNROLL _Pragma("unroll 16")
#else
template <typename T> struct intensity_lane {
    typedef typename fma_vector<T>::type type;
};
static constexpr unsigned pack_bytes = INTENSITY_CPU_PACK_BYTES;
#define INTENSITY_UNROLL _Pragma("GCC unroll 2")
#endif

/* A part of a pack that fits into registers: all of it on a GPU, eight vectors on the CPU. */
template <typename V> struct __align__(16) intensity_part
{
#if defined(__CUDACC__)
    static constexpr unsigned size = pack_bytes / sizeof(V);
#else
    static constexpr unsigned size = 8;
#endif
    V at[size];
};

template <typename V, typename T, unsigned n>
static __device__ __forceinline__ void intensity_steps(V (&x)[n], uint32_t fmas, T a, T b, T c, T d)
{
    INTENSITY_UNROLL
    for (uint32_t k = 0; k < fmas / 2; ++k)
        for (unsigned i = 0; i < n; ++i)
            x[i] = fma_add_one(x[i], a, b, c, d);
    if (fmas % 2 != 0)
        for (unsigned i = 0; i < n; ++i)
            x[i] = x[i] * a + b;
}

#define INTENSITY(name, T)                                                                         \
    static __global__ void intensity_##name(T *__restrict__ to, const T *__restrict__ from,        \
                                            size_t n, uint32_t fmas, T a, T b, T c, T d)           \
    {                                                                                              \
        typedef intensity_part<intensity_lane<T>::type> part;                                      \
        constexpr size_t pack = pack_bytes / sizeof(T), parts = pack_bytes / sizeof(part);         \
        const size_t packs = n / pack, done = packs * pack;                                        \
        GB_RANGE (p, packs) {                                                                      \
            for (size_t h = p * parts; h < (p + 1) * parts; ++h) {                                 \
                part x = reinterpret_cast<const part *>(from)[h];                                  \
                intensity_steps(x.at, fmas, a, b, c, d);                                           \
                reinterpret_cast<part *>(to)[h] = x;                                               \
            }                                                                                      \
        }                                                                                          \
        GB_RANGE (i, n - done) {                                                                   \
            T x[1] = {from[done + i]};                                                             \
            intensity_steps(x, fmas, a, b, c, d);                                                  \
            to[done + i] = x[0];                                                                   \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(RANGE, intensity_##name)

INTENSITY(fp32, float)
INTENSITY(fp64, double)
