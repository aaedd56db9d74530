/* reduce: sums of chunks of REDUCE_BLOCK * per_thread elements, one block a chunk, in three ways of
 * bringing the sums of the threads together; and by one thread a chunk. partial[c] is the sum of
 * chunk c; the last one may be shorter. A block takes chunk after chunk. */
#include "device/simt/simt.h"
#include "kernels/reduce.h"

/* Sums up what one thread loads: every REDUCE_BLOCK-th element of the chunk. */
#define REDUCE_LOAD(T)                                                                             \
    const size_t length = (size_t)REDUCE_BLOCK * per_thread;                                       \
    const T *from = x + chunk * length;                                                            \
    const size_t left = n - chunk * length;                                                        \
    GB_THREADS                                                                                     \
    {                                                                                              \
        GB_MY(sum) = 0;                                                                            \
    }                                                                                              \
    if (left >= length) {                                                                          \
        for (uint32_t l = 0; l < per_thread; ++l)                                                  \
            GB_THREADS                                                                             \
            {                                                                                      \
                GB_MY(sum) += from[(size_t)l * REDUCE_BLOCK + threadIdx.x];                        \
            }                                                                                      \
    } else {                                                                                       \
        for (uint32_t l = 0; l < per_thread; ++l)                                                  \
            GB_THREADS                                                                             \
            {                                                                                      \
                const size_t i = (size_t)l * REDUCE_BLOCK + threadIdx.x;                           \
                if (i < left)                                                                      \
                    GB_MY(sum) += from[i];                                                         \
            }                                                                                      \
    }

#define REDUCE_KERNELS(type, T)                                                                    \
    /* One thread goes through its chunk from front to back. */                                    \
    static __global__ void reduce_serial_##type(T *__restrict__ partial, const T *__restrict__ x,  \
                                                size_t n, size_t chunks, uint32_t per_thread)      \
    {                                                                                              \
        const size_t length = (size_t)REDUCE_BLOCK * per_thread;                                   \
        GB_RANGE (chunk, chunks) {                                                                 \
            const size_t first = chunk * length;                                                   \
            const size_t end = n - first < length ? n : first + length;                            \
            T sum = 0;                                                                             \
            for (size_t i = first; i < end; ++i)                                                   \
                sum += x[i];                                                                       \
            partial[chunk] = sum;                                                                  \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(RANGE, reduce_serial_##type)                                                         \
                                                                                                   \
    /* All threads of the block add to one place. */                                               \
    static __global__ void reduce_atomic_##type(T *partial, const T *__restrict__ x, size_t n,     \
                                                size_t chunks, uint32_t per_thread)                \
    {                                                                                              \
        GB_PRIVATE(T, sum);                                                                        \
        for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {                      \
            REDUCE_LOAD(T)                                                                         \
            GB_THREADS                                                                             \
            {                                                                                      \
                if (threadIdx.x == 0)                                                              \
                    partial[chunk] = 0;                                                            \
            }                                                                                      \
            GB_BARRIER();                                                                          \
            GB_THREADS                                                                             \
            {                                                                                      \
                atomicAdd(&partial[chunk], GB_MY(sum));                                            \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, reduce_atomic_##type)                                                        \
                                                                                                   \
    /* A tree in shared memory: half of the threads add what the other half has. */                \
    static __global__ void reduce_tree_##type(T *__restrict__ partial, const T *__restrict__ x,    \
                                              size_t n, size_t chunks, uint32_t per_thread)        \
    {                                                                                              \
        GB_SHARED(T, sums, REDUCE_BLOCK);                                                          \
        GB_PRIVATE(T, sum);                                                                        \
        for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {                      \
            REDUCE_LOAD(T)                                                                         \
            GB_THREADS                                                                             \
            {                                                                                      \
                sums[threadIdx.x] = GB_MY(sum);                                                    \
            }                                                                                      \
            GB_BARRIER();                                                                          \
            for (unsigned half = REDUCE_BLOCK / 2; half > 0; half /= 2) {                          \
                GB_THREADS                                                                         \
                {                                                                                  \
                    if (threadIdx.x < half)                                                        \
                        sums[threadIdx.x] += sums[(size_t)threadIdx.x + half];                     \
                }                                                                                  \
                GB_BARRIER();                                                                      \
            }                                                                                      \
            GB_THREADS                                                                             \
            {                                                                                      \
                if (threadIdx.x == 0)                                                              \
                    partial[chunk] = sums[0];                                                      \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, reduce_tree_##type)                                                          \
                                                                                                   \
    /* Registers handed from lane to lane; shared memory only between the warps. */                \
    static __global__ void reduce_shuffle_##type(T *__restrict__ partial, const T *__restrict__ x, \
                                                 size_t n, size_t chunks, uint32_t per_thread)     \
    {                                                                                              \
        __shared__ T of_warp[REDUCE_BLOCK / REDUCE_WARP];                                          \
        const unsigned lane = threadIdx.x % REDUCE_WARP, warp = threadIdx.x / REDUCE_WARP;         \
        const size_t length = (size_t)REDUCE_BLOCK * per_thread;                                   \
        for (size_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {                      \
            const size_t first = chunk * length, end = n - first < length ? n : first + length;    \
            T sum = 0;                                                                             \
            for (size_t i = first + threadIdx.x; i < end; i += REDUCE_BLOCK)                       \
                sum += x[i];                                                                       \
            for (unsigned step = REDUCE_WARP / 2; step > 0; step /= 2)                             \
                sum += __shfl_down_sync(0xffffffffu, sum, step);                                   \
            if (lane == 0)                                                                         \
                of_warp[warp] = sum;                                                               \
            __syncthreads();                                                                       \
            if (warp == 0) {                                                                       \
                sum = lane < REDUCE_BLOCK / REDUCE_WARP ? of_warp[lane] : T(0);                    \
                for (unsigned step = REDUCE_BLOCK / REDUCE_WARP / 2; step > 0; step /= 2)          \
                    sum += __shfl_down_sync(0xffffffffu, sum, step);                               \
                if (lane == 0)                                                                     \
                    partial[chunk] = sum;                                                          \
            }                                                                                      \
            __syncthreads(); /* of_warp is used again */                                           \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(FIBER, reduce_shuffle_##type)

REDUCE_KERNELS(fp32, float)
REDUCE_KERNELS(fp64, double)
