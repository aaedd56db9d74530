/* arith: one operation of one type, in chains of which each step waits for the one before, and
 * nothing else. See arith.h for what a chain does.
 *
 * to[t] = sum over the rounds and over thread t's chains. *ticks (GPUs): SM cycles from the first
 * operation of thread 0 to its last. */
#include <math.h>

#include "device/simt/simt.h"
#include "kernels/arith.h"
#include "kernels/fma.h"
#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define ARITH_UNROLL _Pragma("unroll at_once")
#define ARITH_EACH _Pragma("unroll")
#else
#define ARITH_UNROLL
#define ARITH_EACH _Pragma("GCC unroll 16")
#endif
#define ARITH_INLINE static __device__ __forceinline__

/* --- what the types spell differently --------------------------------------------------------- */

template <typename V, typename T, typename S> ARITH_INLINE V arith_mad(V x, T a, S b)
{
    return x * a + b;
}
ARITH_INLINE float arith_root(float x)
{
    return sqrtf(x);
}
ARITH_INLINE double arith_root(double x)
{
    return sqrt(x);
}
ARITH_INLINE float arith_sine(float x)
{
    return sinf(x);
}
ARITH_INLINE double arith_sine(double x)
{
    return sin(x);
}
template <typename T> ARITH_INLINE T arith_number(T, int i)
{
    return (T)i;
}
template <typename V> ARITH_INLINE V arith_sum(V x)
{
    return x;
}

#if defined(__CUDACC__)
/* Packed halves: two chains a register, summed as float. Their instructions exist on GPUs alone. */
template <typename V> struct arith_pairs ARITH_CONSTANTS(V);
#define ARITH_HALVES(V, number)                                                                    \
    ARITH_INLINE V arith_mad(V x, V a, V b)                                                        \
    {                                                                                              \
        return __hfma2(x, a, b);                                                                   \
    }                                                                                              \
    ARITH_INLINE V arith_number(V, int i)                                                          \
    {                                                                                              \
        return number((float)i);                                                                   \
    }                                                                                              \
    ARITH_INLINE float arith_sum(V x)                                                              \
    {                                                                                              \
        return __low2float(x) + __high2float(x);                                                   \
    }                                                                                              \
    ARITH_INLINE arith_pairs<V> arith_packed(V, const arith_floats &k)                             \
    {                                                                                              \
        return {number(k.start), number(k.step), number(k.zero), number(k.a),                      \
                number(k.b),     number(k.c),    number(k.d)};                                     \
    }
ARITH_HALVES(__half2, __float2half2_rn)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
ARITH_HALVES(__nv_bfloat162, __float2bfloat162_rn)
#endif
#else
/* A vector's values one by one: what the compiler makes vector instructions of where there are any.
 */
#define ARITH_LANES(function)                                                                      \
    template <typename V> ARITH_INLINE V function(V x)                                             \
    {                                                                                              \
        V y;                                                                                       \
        ARITH_EACH                                                                                 \
        for (unsigned l = 0; l < sizeof x / sizeof x[0]; ++l)                                      \
            y[l] = function(x[l]);                                                                 \
        return y;                                                                                  \
    }
ARITH_LANES(arith_root)
ARITH_LANES(arith_sine)
#endif

/* --- operations ------------------------------------------------------------------------------- */

/* A pair of steps. `large`: each is many instructions. `two`: y is a second value of the chain.
 * `vectors`: CPUs have vector instructions for it. */
#define ARITH_OP(name, is_large, is_two, in_vectors, ...)                                          \
    struct arith_op_##name {                                                                       \
        static constexpr bool large = is_large, two = is_two, vectors = in_vectors;                \
        template <typename V, typename K> ARITH_INLINE void pair(V &x, V &y, const K &k)           \
        {                                                                                          \
            (void)y, (void)k;                                                                      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    };
ARITH_OP(add, false, false, true, x = x + k.a; x = x + k.b;)
ARITH_OP(mul, false, false, true, x = x * k.a; x = x * k.b;)
ARITH_OP(fma, false, false, true, x = arith_mad(x, k.a, k.b); x = arith_mad(x, k.c, k.d);)
/* Two sums or products of whole numbers in a row would become one; of two values in turn they
 * cannot. */
ARITH_OP(turn_add, false, true, true, x = x + y; y = y + x;)
ARITH_OP(turn_mul, false, true, true, x = x * y; y = y * x;)
/* The chain is the divisor, so that nothing can be divided once and multiplied then. */
ARITH_OP(div, true, false, true, x = k.a / x; x = k.b / x;)
/* Roots of roots would soon be one. */
ARITH_OP(sqrt, true, false, true, x = arith_root(x * x + k.a); x = arith_root(x * x + k.b);)
ARITH_OP(sin, true, false, false, x = arith_sine(x); x = arith_sine(x);)
#if defined(__CUDACC__)
ARITH_OP(fast_sin, false, false, false, x = __sinf(x); x = __sinf(x);)
/* Four products of bytes and their sum, added to a word. */
ARITH_OP(dot, false, false, false, x = __dp4a((int)x, (int)k.a, (int)k.b);
         x = __dp4a((int)x, (int)k.c, (int)k.d);)
#endif

/* --- chains ----------------------------------------------------------------------------------- */

/* One thread, or on the CPU the threads that share a vector. `place`: ARITH_PLACE of chain 0.
 * `ticks`: NULL but for one thread. */
template <typename Op, int chains, typename V, typename K>
ARITH_INLINE auto arith_chains(V place, uint32_t rounds, const K &k, long long *ticks)
{
    V x[chains], y[chains];
    for (int i = 0; i < chains; ++i) {
        x[i] = k.start + k.step * (place + arith_number(k.start, i));
        y[i] = x[i] + k.step;
    }
    decltype(arith_sum(place)) sum = {};
#if defined(__CUDACC__)
    constexpr int at_once = (Op::large ? 4 : 96) / chains;
    const long long begin = clock64();
#endif
    for (uint32_t r = 0; r < rounds; ++r) {
        ARITH_UNROLL
        for (int s = 0; s < ARITH_STEPS / 2; ++s) {
            ARITH_EACH
            for (int i = 0; i < chains; ++i)
                Op::pair(x[i], y[i], k);
        }
        for (int i = 0; i < chains; ++i) {
            sum = sum + arith_sum(x[i]);
            x[i] = arith_mad(x[i], k.zero, k.start + k.step * (place + arith_number(k.start, i)));
        }
    }
#if defined(__CUDACC__)
    if (ticks != NULL)
        *ticks = clock64() - begin;
#else
    (void)ticks;
#endif
    for (int i = 0; Op::two && i < chains; ++i)
        sum = sum + arith_sum(y[i]);
    return sum;
}

template <typename Op>
static constexpr int arith_many = Op::large ? ARITH_LARGE_CHAINS : ARITH_SMALL_CHAINS;

#if !defined(__CUDACC__)
/* ARITH_PACK threads that follow each other, a vector at a time. */
template <typename Op, typename T, typename K>
ARITH_INLINE void arith_pack(T *to, size_t thread, uint32_t rounds, const K &k)
{
    typedef typename fma_vector<T>::type vector;
    constexpr unsigned lanes = fma_vector<T>::lanes;
    for (unsigned part = 0; part < ARITH_PACK; part += lanes) {
        vector place;
        for (unsigned l = 0; l < lanes; ++l)
            place[l] = (T)ARITH_PLACE(thread + part + l, 0);
        const vector sum = arith_chains<Op, arith_many<Op>>(place, rounds, k, NULL);
        for (unsigned l = 0; l < lanes; ++l)
            to[thread + part + l] = sum[l];
    }
}
/* Whole numbers are divided, and sines taken, one by one. */
template <typename Op, typename T>
static constexpr bool arith_in_vectors = Op::vectors && (!Op::large || (T)1 / 2 != 0);
#define ARITH_BY_PACKS(op, T)                                                                      \
    const size_t packs = arith_in_vectors<op, T> ? n / ARITH_PACK : 0, done = packs * ARITH_PACK;  \
    GB_RANGE (p, packs) {                                                                          \
        arith_pack<op>(to, p * ARITH_PACK, rounds, k);                                             \
    }
#else
#define ARITH_BY_PACKS(op, T) const size_t done = 0;
#endif

/* --- kernels ---------------------------------------------------------------------------------- */

#define ARITH_ONE(op, name, T, K)                                                                  \
    static __global__ void arith_##name##_one(T *__restrict__ to, long long *__restrict__ ticks,   \
                                              size_t n, uint32_t rounds, K k)                      \
    {                                                                                              \
        GB_RANGE (t, n) {                                                                          \
            to[t] = arith_chains<arith_op_##op, 1>((T)ARITH_PLACE(t, 0), rounds, k,                \
                                                   t == 0 ? ticks : NULL);                         \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(RANGE, arith_##name##_one)
#define ARITH_MANY(op, name, T, K)                                                                 \
    static __global__ void arith_##name##_many(T *__restrict__ to, long long *__restrict__ ticks,  \
                                               size_t n, uint32_t rounds, K k)                     \
    {                                                                                              \
        ARITH_BY_PACKS(arith_op_##op, T)                                                           \
        GB_RANGE (t, n - done) {                                                                   \
            to[done + t] = arith_chains<arith_op_##op, arith_many<arith_op_##op>>(                 \
                (T)ARITH_PLACE(done + t, 0), rounds, k, t == 0 ? ticks : NULL);                    \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(RANGE, arith_##name##_many)
#define ARITH(op, name, T, K)                                                                      \
    ARITH_ONE(op, name, T, K)                                                                      \
    ARITH_MANY(op, name, T, K)

ARITH(add, add_fp64, double, arith_doubles)
ARITH(mul, mul_fp64, double, arith_doubles)
ARITH(fma, fma_fp64, double, arith_doubles)
ARITH(div, div_fp64, double, arith_doubles)
ARITH(sqrt, sqrt_fp64, double, arith_doubles)
ARITH(sin, sin_fp64, double, arith_doubles)
ARITH(add, add_fp32, float, arith_floats)
ARITH(mul, mul_fp32, float, arith_floats)
ARITH(fma, fma_fp32, float, arith_floats)
ARITH(div, div_fp32, float, arith_floats)
ARITH(sqrt, sqrt_fp32, float, arith_floats)
ARITH(sin, sin_fp32, float, arith_floats)
ARITH(turn_add, add_int32, uint32_t, arith_words)
ARITH(turn_mul, mul_int32, uint32_t, arith_words)
ARITH(fma, fma_int32, uint32_t, arith_words)
ARITH(div, div_int32, uint32_t, arith_words)

/* What only GPUs have instructions for. */
#if defined(__CUDACC__)
ARITH(fast_sin, fast_sin_fp32, float, arith_floats)
ARITH(dot, fma_int8, uint32_t, arith_words)

#define ARITH_PAIRS_OF(op, name, V, make, chains, many)                                            \
    static __global__ void arith_##name##_##many(float *__restrict__ to,                           \
                                                 long long *__restrict__ ticks, size_t n,          \
                                                 uint32_t rounds, arith_floats k)                  \
    {                                                                                              \
        const arith_pairs<V> packed = arith_packed(V(), k);                                        \
        GB_RANGE (t, n) {                                                                          \
            const V place = make((float)ARITH_PLACE(t, 0), (float)(ARITH_PLACE(t, 0) + 1));        \
            to[t] =                                                                                \
                arith_chains<arith_op_##op, chains>(place, rounds, packed, t == 0 ? ticks : NULL); \
        }                                                                                          \
    }
#define ARITH_PAIRS(op, name, V, make)                                                             \
    ARITH_PAIRS_OF(op, name, V, make, 1, one)                                                      \
    ARITH_PAIRS_OF(op, name, V, make, ARITH_SMALL_CHAINS, many)                                    \
    GB_EXPORT_CUDA_ONLY(arith_##name##_one)                                                        \
    GB_EXPORT_CUDA_ONLY(arith_##name##_many)
ARITH_PAIRS(add, add_fp16x2, __half2, __floats2half2_rn)
ARITH_PAIRS(mul, mul_fp16x2, __half2, __floats2half2_rn)
ARITH_PAIRS(fma, fma_fp16x2, __half2, __floats2half2_rn)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define ARITH_BF16(op) ARITH_PAIRS(op, op##_bf16x2, __nv_bfloat162, __floats2bfloat162_rn)
#else /* no such instructions: arith.c does not start it there */
#define ARITH_BF16_STUB(name)                                                                      \
    static __global__ void name(float *, long long *, size_t, uint32_t, arith_floats)              \
    {                                                                                              \
    }                                                                                              \
    GB_EXPORT_CUDA_ONLY(name)
#define ARITH_BF16(op)                                                                             \
    ARITH_BF16_STUB(arith_##op##_bf16x2_one)                                                       \
    ARITH_BF16_STUB(arith_##op##_bf16x2_many)
#endif
ARITH_BF16(add)
ARITH_BF16(mul)
ARITH_BF16(fma)
#else
#define ARITH_CUDA_ONLY(name)                                                                      \
    GB_EXPORT_CUDA_ONLY(arith_##name##_one)                                                        \
    GB_EXPORT_CUDA_ONLY(arith_##name##_many)
ARITH_CUDA_ONLY(fast_sin_fp32)
ARITH_CUDA_ONLY(fma_int8)
ARITH_CUDA_ONLY(add_fp16x2)
ARITH_CUDA_ONLY(mul_fp16x2)
ARITH_CUDA_ONLY(fma_fp16x2)
ARITH_CUDA_ONLY(add_bf16x2)
ARITH_CUDA_ONLY(mul_bf16x2)
ARITH_CUDA_ONLY(fma_bf16x2)
#endif
