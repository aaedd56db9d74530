/* stream: the STREAM operations on arrays of float or double.
 *
 * On a GPU every access is 16 bytes wide (a pack of 2 doubles or 4 floats; what is left over at the
 * end goes one by one), since that needs the fewest instructions for the bytes in flight. On the
 * CPU a pack is one element, and the compiler widens the plain loop. */
#include "device/simt/simt.h"
#include "kernels/stream.h"

template <typename T> struct __align__(STREAM_PACK_BYTES) pack
{
    static constexpr unsigned size = STREAM_PACK_BYTES / sizeof(T);
    T at[size];
};
#if defined(__CUDACC__)
static constexpr bool wide = true;
#else
static constexpr bool wide = false;
#endif

/* The elementwise operations: to = of(x, y), with the scalar s. */
struct stream_write {
    static constexpr bool reads_x = false, reads_y = false;
    template <typename T> static __device__ __forceinline__ T of(T, T, T s)
    {
        return s;
    }
};
struct stream_copy {
    static constexpr bool reads_x = true, reads_y = false;
    template <typename T> static __device__ __forceinline__ T of(T x, T, T)
    {
        return x;
    }
};
struct stream_scale {
    static constexpr bool reads_x = true, reads_y = false;
    template <typename T> static __device__ __forceinline__ T of(T x, T, T s)
    {
        return s * x;
    }
};
struct stream_add {
    static constexpr bool reads_x = true, reads_y = true;
    template <typename T> static __device__ __forceinline__ T of(T x, T y, T)
    {
        return x + y;
    }
};
struct stream_triad {
    static constexpr bool reads_x = true, reads_y = true;
    template <typename T> static __device__ __forceinline__ T of(T x, T y, T s)
    {
        return x + s * y;
    }
};

template <typename Op, typename T>
static __device__ __forceinline__ T apply(const T *x, const T *y, T s, size_t i)
{
    T a = 0, b = 0;
    if constexpr (Op::reads_x)
        a = x[i];
    if constexpr (Op::reads_y)
        b = y[i];
    return Op::of(a, b, s);
}

template <typename Op, typename T>
static __device__ __forceinline__ pack<T> apply_pack(const T *x, const T *y, T s, size_t i)
{
    pack<T> a = {}, b = {}, result;
    if constexpr (Op::reads_x)
        a = reinterpret_cast<const pack<T> *>(x)[i];
    if constexpr (Op::reads_y)
        b = reinterpret_cast<const pack<T> *>(y)[i];
    for (unsigned k = 0; k < pack<T>::size; ++k)
        result.at[k] = Op::of(a.at[k], b.at[k], s);
    return result;
}

/* to[i] = of(x[i], y[i], s); arrays aligned to 16 bytes. */
#define STREAM_ELEMENTWISE(op, type, T)                                                            \
    static __global__ void op##_##type(T *__restrict__ to, const T *__restrict__ x,                \
                                       const T *__restrict__ y, T s, size_t n)                     \
    {                                                                                              \
        const size_t packs = wide ? n / pack<T>::size : 0, done = packs * pack<T>::size;           \
        GB_RANGE (i, packs) {                                                                      \
            reinterpret_cast<pack<T> *>(to)[i] = apply_pack<op>(x, y, s, i);                       \
        }                                                                                          \
        GB_RANGE (j, n - done) {                                                                   \
            to[done + j] = apply<op>(x, y, s, done + j);                                           \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(RANGE, op##_##type)

STREAM_ELEMENTWISE(stream_write, fp32, float)
STREAM_ELEMENTWISE(stream_write, fp64, double)
STREAM_ELEMENTWISE(stream_copy, fp32, float)
STREAM_ELEMENTWISE(stream_copy, fp64, double)
STREAM_ELEMENTWISE(stream_scale, fp32, float)
STREAM_ELEMENTWISE(stream_scale, fp64, double)
STREAM_ELEMENTWISE(stream_add, fp32, float)
STREAM_ELEMENTWISE(stream_add, fp64, double)
STREAM_ELEMENTWISE(stream_triad, fp32, float)
STREAM_ELEMENTWISE(stream_triad, fp64, double)

/* The reductions: a sum over of(x, y). */
struct stream_read {
    static constexpr bool reads_y = false;
    template <typename T> static __device__ __forceinline__ T of(T x, T)
    {
        return x;
    }
};
struct stream_dot {
    static constexpr bool reads_y = true;
    template <typename T> static __device__ __forceinline__ T of(T x, T y)
    {
        return x * y;
    }
};

template <typename Op, typename T>
static __device__ __forceinline__ T term(const T *x, const T *y, size_t i)
{
    if constexpr (Op::reads_y)
        return Op::of(x[i], y[i]);
    else
        return Op::of(x[i], T(0));
}

/* The sum over the i-th pack (on the CPU: element) of the arrays. */
template <typename Op, typename T>
static __device__ __forceinline__ T term_pack(const T *x, const T *y, size_t i)
{
    if constexpr (wide) {
        const pack<T> a = reinterpret_cast<const pack<T> *>(x)[i];
        const pack<T> b = Op::reads_y ? reinterpret_cast<const pack<T> *>(y)[i] : a;
        T sum = 0;
        for (unsigned k = 0; k < pack<T>::size; ++k)
            sum += Op::of(a.at[k], b.at[k]);
        return sum;
    } else {
        return term<Op>(x, y, i);
    }
}

/* partial[b] = the sum over the tiles of block b: tile number b * block_stride + k * tile_stride
 * for k < per_block, where there is such a tile; block 0 also takes what is left after the last
 * whole tile. A GPU's blocks take tiles in turn (block_stride 1), so that blocks that run together
 * read close to each other; the CPU's take runs of tiles (tile_stride 1), as its prefetchers like
 * it. Each thread has a sum of its own, which on the CPU makes a region a loop over independent
 * sums that vectorises without reordering anything. */
#define STREAM_REDUCE(op, type, T)                                                                 \
    static __global__ void op##_##type(T *partial, const T *__restrict__ x,                        \
                                       const T *__restrict__ y, size_t n, uint64_t per_block,      \
                                       uint64_t block_stride, uint64_t tile_stride)                \
    {                                                                                              \
        constexpr size_t packs = (size_t)STREAM_REDUCE_BLOCK * STREAM_REDUCE_LOADS;                \
        constexpr size_t tile = packs * (wide ? pack<T>::size : 1);                                \
        const size_t tiles = n / tile;                                                             \
        GB_SHARED(T, sums, STREAM_REDUCE_BLOCK);                                                   \
        GB_PRIVATE(T, sum);                                                                        \
        GB_THREADS                                                                                 \
        {                                                                                          \
            GB_MY(sum) = 0;                                                                        \
        }                                                                                          \
        size_t t = blockIdx.x * block_stride;                                                      \
        for (uint64_t k = 0; k < per_block && t < tiles; ++k, t += tile_stride) {                  \
            const T *tile_x = x + t * tile, *tile_y = y + t * tile;                                \
            GB_THREADS                                                                             \
            {                                                                                      \
                T part = 0;                                                                        \
                for (unsigned l = 0; l < STREAM_REDUCE_LOADS; ++l)                                 \
                    part += term_pack<op>(tile_x, tile_y, threadIdx.x + l * STREAM_REDUCE_BLOCK);  \
                GB_MY(sum) += part;                                                                \
            }                                                                                      \
        }                                                                                          \
        if (blockIdx.x == 0)                                                                       \
            GB_THREADS                                                                             \
            {                                                                                      \
                for (size_t i = tiles * tile + threadIdx.x; i < n; i += STREAM_REDUCE_BLOCK)       \
                    GB_MY(sum) += term<op>(x, y, i);                                               \
            }                                                                                      \
        GB_THREADS                                                                                 \
        {                                                                                          \
            sums[threadIdx.x] = GB_MY(sum);                                                        \
        }                                                                                          \
        GB_BARRIER();                                                                              \
        for (unsigned half = STREAM_REDUCE_BLOCK / 2; half > 0; half /= 2) {                       \
            GB_THREADS                                                                             \
            {                                                                                      \
                if (threadIdx.x < half)                                                            \
                    sums[threadIdx.x] += sums[threadIdx.x + half];                                 \
            }                                                                                      \
            GB_BARRIER();                                                                          \
        }                                                                                          \
        GB_THREADS                                                                                 \
        {                                                                                          \
            if (threadIdx.x == 0)                                                                  \
                partial[blockIdx.x] = sums[0];                                                     \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, op##_##type)

STREAM_REDUCE(stream_read, fp32, float)
STREAM_REDUCE(stream_read, fp64, double)
STREAM_REDUCE(stream_dot, fp32, float)
STREAM_REDUCE(stream_dot, fp64, double)
