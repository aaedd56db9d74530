/* atomics: threads that add to counters which they share with each other.
 *
 * Update number e of all, that of thread e % threads in its round e / threads, belongs to counter
 * e % addresses, so that neighbours add to neighbouring counters; or all of a block's updates
 * belong to one counter, which blocks in a row share. Counters are `gap` words apart. No return
 * value is used. Which counter it is the compiler cannot know, nor that several threads of a warp
 * have the same: otherwise nvcc adds up what a warp has before it goes to memory, which would be
 * measured instead. What the memory system joins by itself is part of what is measured.
 *
 * `unit` is 1 or -1: iterations add and take away in turn, so that sums stay exact for ever. */
#include "device/simt/simt.h"
#include "kernels/atomics.h"

template <typename T>
static __device__ __forceinline__ void atomics_add(T *counters, size_t gap, uint32_t at,
                                                   uint32_t step, uint32_t addresses,
                                                   uint32_t rounds, T value)
{
    for (uint32_t r = 0; r < rounds; ++r) {
        atomicAdd(&counters[at * gap], value);
        at += step;
        at -= at >= addresses ? addresses : 0;
    }
}

/* The counter of a thread's first update; `blocks` 0: of a thread by itself. */
static __device__ __forceinline__ uint32_t atomics_first(uint32_t thread, uint32_t addresses,
                                                         uint32_t blocks)
{
    if (blocks == 0)
        return thread % addresses;
    return (uint32_t)((uint64_t)(thread / ATOMICS_BLOCK) * addresses / blocks);
}

#define ATOMICS(type, T)                                                                           \
    static __global__ void atomics_global_##type(T *counters, size_t gap, uint32_t addresses,      \
                                                 uint32_t threads, uint32_t step, uint32_t blocks, \
                                                 uint32_t rounds, T unit)                          \
    {                                                                                              \
        const uint32_t all = gridDim.x * ATOMICS_BLOCK;                                            \
        for (uint32_t t = blockIdx.x * ATOMICS_BLOCK + threadIdx.x; t < threads; t += all)         \
            atomics_add<T>(counters, gap, atomics_first(t, addresses, blocks), step, addresses,    \
                           rounds, unit * (T)ATOMICS_VALUE(t));                                    \
    }                                                                                              \
    GB_EXPORT(FLAT, atomics_global_##type)                                                         \
                                                                                                   \
    /* Counters of the block's own, which are added to the others at its end. */                   \
    static __global__ void atomics_shared_##type(T *counters, size_t gap, uint32_t addresses,      \
                                                 uint32_t threads, uint32_t step, uint32_t blocks, \
                                                 uint32_t rounds, T unit)                          \
    {                                                                                              \
        GB_SHARED_DYNAMIC(T, own);                                                                 \
        const uint32_t all = gridDim.x * ATOMICS_BLOCK;                                            \
        for (uint32_t first = blockIdx.x * ATOMICS_BLOCK; first < threads; first += all) {         \
            GB_THREADS                                                                             \
            {                                                                                      \
                for (size_t i = threadIdx.x; i < addresses * gap; i += ATOMICS_BLOCK)              \
                    own[i] = 0;                                                                    \
            }                                                                                      \
            GB_BARRIER();                                                                          \
            GB_THREADS                                                                             \
            {                                                                                      \
                const uint32_t t = first + threadIdx.x;                                            \
                if (t < threads)                                                                   \
                    atomics_add<T>(own, gap, atomics_first(t, addresses, blocks), step, addresses, \
                                   rounds, unit * (T)ATOMICS_VALUE(t));                            \
            }                                                                                      \
            GB_BARRIER();                                                                          \
            GB_THREADS                                                                             \
            {                                                                                      \
                for (size_t i = threadIdx.x; i < addresses; i += ATOMICS_BLOCK)                    \
                    atomicAdd(&counters[i * gap], own[i * gap]);                                   \
            }                                                                                      \
            GB_BARRIER(); /* own is used again */                                                  \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, atomics_shared_##type)

ATOMICS(int32, uint32_t)
ATOMICS(fp32, float)
