/* What flops and intensity share: a chain of multiply-adds that counts.
 *
 *   x = 2 * x + 1, then x = 1/2 * x + 1/2: two multiply-adds add exactly one.
 *
 * Every result is a small whole number, hence exact in every type, fused or not, so that the answer
 * can be checked without a tolerance and depends on every single step. The four constants are
 * arguments of the kernel: the compiler cannot fold the steps. */
#ifndef GB_KERNELS_FMA_H
#define GB_KERNELS_FMA_H

#include <stdint.h>

/* Independent chains of a thread of `flops`. An FMA unit has a result after 4 cycles (both GPUs and
 * CPUs); 12 chains also cover a CPU that starts two a cycle and answers after 5. */
#define FLOPS_CHAINS 12
/* Where chain c of thread t begins: low enough for 224 steps of bf16, whose whole numbers are exact
 * up to 256 (and 2 x + 1 is one of them). */
#define FLOPS_FIRST(thread, chain) ((int32_t)((thread) % 8u) + (int32_t)(chain)-120)
/* On the CPU so many threads of `flops` are one iteration of its loop: 64 bytes of fp32. */
#define FLOPS_PACK 16

/* Bytes that one iteration of `intensity` takes: a GPU's widest access, and on the CPU eight
 * vectors of 64 bytes, whose chains are independent. */
#define INTENSITY_GPU_PACK_BYTES 16
#define INTENSITY_CPU_PACK_BYTES 512

#ifdef __cplusplus
#if !defined(__CUDACC__)
/* The CPU's widest vector of T, which holds the values of so many GPU threads. */
#if defined(__AVX512F__)
#define GB_VECTOR_BYTES 64
#elif defined(__AVX__)
#define GB_VECTOR_BYTES 32
#else
#define GB_VECTOR_BYTES 16
#endif
template <typename T> struct fma_vector {
    typedef T type __attribute__((vector_size(GB_VECTOR_BYTES)));
    static constexpr unsigned lanes = GB_VECTOR_BYTES / sizeof(T);
};
#endif

/* Two steps of a chain. */
template <typename V, typename T>
static __device__ __forceinline__ V fma_add_one(V x, T double_, T one, T half, T other_half)
{
    x = x * double_ + one;
    return x * half + other_half;
}
#endif
#endif
