/* flops: chains of multiply-adds in registers, nothing else. See fma.h for the arithmetic.
 *
 * to[t] = sum of thread t's chains after `rounds` times two steps. int32 has no halves: there both
 * steps are those of a linear congruential generator modulo 2^32. */
#include "device/simt/simt.h"
#include "kernels/fma.h"
#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

/* One thread, or on the CPU the threads that share a vector. V: the values of a chain. */
template <typename V, typename T>
static __device__ __forceinline__ V flops_chains(V first, uint32_t rounds, T a, T b, T c, T d)
{
    V x[FLOPS_CHAINS];
    for (int i = 0; i < FLOPS_CHAINS; ++i)
        x[i] = first + (T)i;
    for (uint32_t k = 0; k < rounds; ++k) {
#if defined(__CUDACC__)
#pragma unroll
#else
#pragma GCC unroll 16
#endif
        for (int i = 0; i < FLOPS_CHAINS; ++i)
            x[i] = fma_add_one(x[i], a, b, c, d);
    }
    V sum = x[0];
    for (int i = 1; i < FLOPS_CHAINS; ++i)
        sum += x[i];
    return sum;
}

#if !defined(__CUDACC__)
/* FLOPS_PACK threads that follow each other, a vector at a time. */
template <typename T>
static inline __attribute__((always_inline)) void flops_pack(T *to, size_t thread, uint32_t rounds,
                                                             T a, T b, T c, T d)
{
    typedef typename fma_vector<T>::type vector;
    constexpr unsigned lanes = fma_vector<T>::lanes;
    for (unsigned part = 0; part < FLOPS_PACK; part += lanes) {
        vector first;
        for (unsigned l = 0; l < lanes; ++l)
            first[l] = (T)FLOPS_FIRST(thread + part + l, 0);
        const vector sum = flops_chains(first, rounds, a, b, c, d);
        for (unsigned l = 0; l < lanes; ++l)
            to[thread + part + l] = sum[l];
    }
}
#define FLOPS_BY_PACKS()                                                                           \
    const size_t done = n / FLOPS_PACK * FLOPS_PACK;                                               \
    GB_RANGE (p, n / FLOPS_PACK) {                                                                 \
        flops_pack(to, p *FLOPS_PACK, rounds, a, b, c, d);                                         \
    }
#else
#define FLOPS_BY_PACKS() const size_t done = 0;
#endif

#define FLOPS(name, T)                                                                             \
    static __global__ void flops_##name(T *__restrict__ to, size_t n, uint32_t rounds, T a, T b,   \
                                        T c, T d)                                                  \
    {                                                                                              \
        FLOPS_BY_PACKS()                                                                           \
        GB_RANGE (t, n - done) {                                                                   \
            to[done + t] = flops_chains((T)FLOPS_FIRST(done + t, 0), rounds, a, b, c, d);          \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(RANGE, flops_##name)

FLOPS(fp64, double)
FLOPS(fp32, float)
FLOPS(int32, uint32_t)

/* Packed halves: two chains a register, summed as float. Their instructions exist on GPUs alone. */
#if defined(__CUDACC__)
#define FLOPS_PACKED(name, T, make, low, high)                                                     \
    static __global__ void flops_##name(float *__restrict__ to, size_t n, uint32_t rounds,         \
                                        float a, float b, float c, float d)                        \
    {                                                                                              \
        const T a2 = make(a, a), b2 = make(b, b), c2 = make(c, c), d2 = make(d, d);                \
        GB_RANGE (t, n) {                                                                          \
            T x[FLOPS_CHAINS];                                                                     \
            for (int i = 0; i < FLOPS_CHAINS; ++i)                                                 \
                x[i] = make((float)FLOPS_FIRST(t, i), (float)(FLOPS_FIRST(t, i) + 1));             \
            for (uint32_t k = 0; k < rounds; ++k) {                                                \
                _Pragma("unroll") for (int i = 0; i < FLOPS_CHAINS; ++i) x[i] =                    \
                    __hfma2(__hfma2(x[i], a2, b2), c2, d2);                                        \
            }                                                                                      \
            float sum = 0;                                                                         \
            for (int i = 0; i < FLOPS_CHAINS; ++i)                                                 \
                sum += low(x[i]) + high(x[i]);                                                     \
            to[t] = sum;                                                                           \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT_CUDA_ONLY(flops_##name)
FLOPS_PACKED(fp16x2, __half2, __floats2half2_rn, __low2float, __high2float)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
FLOPS_PACKED(bf16x2, __nv_bfloat162, __floats2bfloat162_rn, __low2float, __high2float)
#else /* no such instructions: flops.c does not start it there */
static __global__ void flops_bf16x2(float *, size_t, uint32_t, float, float, float, float)
{
}
GB_EXPORT_CUDA_ONLY(flops_bf16x2)
#endif
#else
GB_EXPORT_CUDA_ONLY(flops_fp16x2)
GB_EXPORT_CUDA_ONLY(flops_bf16x2)
#endif
