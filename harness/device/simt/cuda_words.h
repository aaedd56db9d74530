/* The words of CUDA C that kernels use, for the host compiler. Included by simt_cpu.h alone. */
#ifndef GB_DEVICE_SIMT_CUDA_WORDS_H
#define GB_DEVICE_SIMT_CUDA_WORDS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "device/simt/fiber.h"

#define __global__ inline __attribute__((always_inline, unused))
#define __device__ __attribute__((unused))
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __shared__ static __thread
#define __align__(n) __attribute__((aligned(n)))

/* Of the program, never of a shared object: one instruction to reach. */
#define GB_SIMT_TLS __attribute__((tls_model("initial-exec"), unused))

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_)
    {
    }
};
struct uint3 {
    unsigned x, y, z;
};
#ifdef __SANITIZE_THREAD__
/* The fibers of a worker share this one; TSan must not see how they pass it on. */
static __thread uint3 gb_thread_index GB_SIMT_TLS;
static __attribute__((noinline, no_sanitize_thread, unused)) uint3 gb_simt_thread_index()
{
    return gb_thread_index;
}
static __attribute__((noinline, no_sanitize_thread, unused)) void
gb_simt_set_thread_index(uint3 index)
{
    gb_thread_index = index;
}
#define threadIdx gb_simt_thread_index()
#else
static __thread uint3 threadIdx GB_SIMT_TLS;
static inline __attribute__((always_inline)) void gb_simt_set_thread_index(uint3 index)
{
    threadIdx = index;
}
#endif
static __thread uint3 blockIdx GB_SIMT_TLS;
static __thread dim3 blockDim GB_SIMT_TLS;
static __thread dim3 gridDim GB_SIMT_TLS;
static constexpr int warpSize __attribute__((unused)) = 32;

/* Vector types, with CUDA's sizes and alignments. */
#define GB_VECTOR2(type, name, align)                                                              \
    struct __attribute__((aligned(align))) name {                                                  \
        type x, y;                                                                                 \
    };                                                                                             \
    static inline name make_##name(type x, type y)                                                 \
    {                                                                                              \
        return name{x, y};                                                                         \
    }
#define GB_VECTOR4(type, name, align)                                                              \
    struct __attribute__((aligned(align))) name {                                                  \
        type x, y, z, w;                                                                           \
    };                                                                                             \
    static inline name make_##name(type x, type y, type z, type w)                                 \
    {                                                                                              \
        return name{x, y, z, w};                                                                   \
    }
GB_VECTOR2(float, float2, 8)
GB_VECTOR2(double, double2, 16)
GB_VECTOR2(int, int2, 8)
GB_VECTOR2(unsigned, uint2, 8)
GB_VECTOR2(long long, longlong2, 16)
GB_VECTOR2(unsigned long long, ulonglong2, 16)
GB_VECTOR4(float, float4, 16)
GB_VECTOR4(int, int4, 16)
GB_VECTOR4(unsigned, uint4, 16)

/* Barriers. The fiber that goes on sets its own thread indices again. */
static inline void __syncthreads()
{
    const uint3 own = threadIdx;
    gb_fiber_barrier();
    gb_simt_set_thread_index(own);
}
static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    const uint3 own = threadIdx;
    gb_fiber_warp_barrier(mask);
    gb_simt_set_thread_index(own);
}
static inline void __threadfence_block()
{
#ifndef __SANITIZE_THREAD__ /* which knows no fences; atomics below carry the ordering */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
static inline void __threadfence()
{
    __threadfence_block();
}

/* Shuffles and votes, between the 32 consecutive threads of a warp. `pick` gets the warp's values,
 * the own lane and the number of lanes. */
template <typename R, typename T, typename Pick>
static inline R gb_simt_exchange(unsigned mask, T value, Pick pick)
{
    static_assert(sizeof(T) <= 8, "shuffles take values up to 8 bytes");
    const uint3 own = threadIdx;
    uint64_t bits = 0;
    uint32_t lane = 0, lanes = 0;
    memcpy(&bits, &value, sizeof value);
    const uint64_t *slots = gb_fiber_exchange(mask, bits, &lane, &lanes);
    R result = slots != nullptr ? pick(slots, lane, lanes) : R();
    gb_fiber_exchange_end(mask);
    gb_simt_set_thread_index(own);
    return result;
}
template <typename T> static inline T gb_simt_slot(const uint64_t *slots, uint32_t lane)
{
    T value;
    memcpy(&value, &slots[lane], sizeof value);
    return value;
}
template <typename T>
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32)
{
    return gb_simt_exchange<T>(mask, value, [=](const uint64_t *s, uint32_t lane, uint32_t lanes) {
        uint32_t from =
            (lane & ~(uint32_t)(width - 1)) | ((uint32_t)source & (uint32_t)(width - 1));
        return gb_simt_slot<T>(s, from < lanes ? from : lane);
    });
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return gb_simt_exchange<T>(mask, value, [=](const uint64_t *s, uint32_t lane, uint32_t lanes) {
        uint32_t from = lane + delta;
        bool inside = (lane & (uint32_t)(width - 1)) + delta < (uint32_t)width && from < lanes;
        return gb_simt_slot<T>(s, inside ? from : lane);
    });
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
    return gb_simt_exchange<T>(mask, value, [=](const uint64_t *s, uint32_t lane, uint32_t) {
        return gb_simt_slot<T>(s, (lane & (uint32_t)(width - 1)) >= delta ? lane - delta : lane);
    });
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32)
{
    return gb_simt_exchange<T>(mask, value, [=](const uint64_t *s, uint32_t lane, uint32_t lanes) {
        uint32_t from = lane ^ (uint32_t)bits;
        bool inside = from < lanes && (from & ~(uint32_t)(width - 1)) <= lane;
        return gb_simt_slot<T>(s, inside ? from : lane);
    });
}
static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    return gb_simt_exchange<unsigned>(mask, predicate,
                                      [](const uint64_t *s, uint32_t, uint32_t lanes) {
                                          unsigned votes = 0;
                                          for (uint32_t i = 0; i < lanes; ++i)
                                              votes |= (unsigned)(s[i] != 0) << i;
                                          return votes;
                                      });
}
static inline int __any_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, predicate) != 0;
}
static inline int __all_sync(unsigned mask, int predicate)
{
    return __ballot_sync(mask, !predicate) == 0;
}

/* Atomics: each returns the old value. */
#define GB_ATOMIC_INTEGER(type)                                                                    \
    static inline type atomicAdd(type *p, type v)                                                  \
    {                                                                                              \
        return __atomic_fetch_add(p, v, __ATOMIC_ACQ_REL);                                         \
    }                                                                                              \
    static inline type atomicExch(type *p, type v)                                                 \
    {                                                                                              \
        return __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL);                                        \
    }                                                                                              \
    static inline type atomicOr(type *p, type v)                                                   \
    {                                                                                              \
        return __atomic_fetch_or(p, v, __ATOMIC_ACQ_REL);                                          \
    }                                                                                              \
    static inline type atomicAnd(type *p, type v)                                                  \
    {                                                                                              \
        return __atomic_fetch_and(p, v, __ATOMIC_ACQ_REL);                                         \
    }                                                                                              \
    static inline type atomicXor(type *p, type v)                                                  \
    {                                                                                              \
        return __atomic_fetch_xor(p, v, __ATOMIC_ACQ_REL);                                         \
    }                                                                                              \
    static inline type atomicCAS(type *p, type expected, type v)                                   \
    {                                                                                              \
        __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);   \
        return expected;                                                                           \
    }                                                                                              \
    static inline type atomicMax(type *p, type v)                                                  \
    {                                                                                              \
        type old = __atomic_load_n(p, __ATOMIC_ACQUIRE);                                           \
        while (old < v && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_ACQ_REL,        \
                                                       __ATOMIC_ACQUIRE))                          \
            ;                                                                                      \
        return old;                                                                                \
    }                                                                                              \
    static inline type atomicMin(type *p, type v)                                                  \
    {                                                                                              \
        type old = __atomic_load_n(p, __ATOMIC_ACQUIRE);                                           \
        while (v < old && !__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_ACQ_REL,        \
                                                       __ATOMIC_ACQUIRE))                          \
            ;                                                                                      \
        return old;                                                                                \
    }
GB_ATOMIC_INTEGER(int)
GB_ATOMIC_INTEGER(unsigned)
GB_ATOMIC_INTEGER(unsigned long long)
static inline int atomicSub(int *p, int v)
{
    return __atomic_fetch_sub(p, v, __ATOMIC_ACQ_REL);
}
static inline unsigned atomicSub(unsigned *p, unsigned v)
{
    return __atomic_fetch_sub(p, v, __ATOMIC_ACQ_REL);
}
#define GB_ATOMIC_FLOAT(type)                                                                      \
    static inline type atomicAdd(type *p, type v)                                                  \
    {                                                                                              \
        type old, sum;                                                                             \
        __atomic_load(p, &old, __ATOMIC_ACQUIRE);                                                  \
        do                                                                                         \
            sum = old + v;                                                                         \
        while (                                                                                    \
            !__atomic_compare_exchange(p, &old, &sum, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)); \
        return old;                                                                                \
    }
GB_ATOMIC_FLOAT(float)
GB_ATOMIC_FLOAT(double)

/* Loads and stores with cache hints: plain ones here. */
template <typename T> static inline T __ldg(const T *p)
{
    return *p;
}
template <typename T> static inline T __ldcs(const T *p)
{
    return *p;
}
template <typename T> static inline T __ldcg(const T *p)
{
    return *p;
}
template <typename T> static inline void __stcs(T *p, T value)
{
    *p = value;
}
template <typename T> static inline void __stcg(T *p, T value)
{
    *p = value;
}

/* Arithmetic that CUDA has and C++ spells otherwise. */
static inline int __popc(unsigned v)
{
    return __builtin_popcount(v);
}
static inline int __clz(int v)
{
    return v == 0 ? 32 : __builtin_clz((unsigned)v);
}
static inline int __ffs(int v)
{
    return __builtin_ffs(v);
}
static inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}
static inline float rsqrtf(float v)
{
    return 1.0f / sqrtf(v);
}
static inline float __int_as_float(int v)
{
    float f;
    memcpy(&f, &v, sizeof f);
    return f;
}
static inline int __float_as_int(float v)
{
    int i;
    memcpy(&i, &v, sizeof i);
    return i;
}
#define GB_MIN_MAX(type)                                                                           \
    static inline type min(type a, type b)                                                         \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    static inline type max(type a, type b)                                                         \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
GB_MIN_MAX(int)
GB_MIN_MAX(unsigned)
GB_MIN_MAX(long)
GB_MIN_MAX(unsigned long)
GB_MIN_MAX(long long)
GB_MIN_MAX(unsigned long long)
GB_MIN_MAX(float)
GB_MIN_MAX(double)

#endif
