/* embedding: out[i] = table[ids[i]], whole rows of `width` elements. */
#include "device/simt/simt.h"
#include "kernels/embedding.h"

/* The threads side by side that share a row: on a GPU a power of two that the host chooses; the CPU
 * copies a row in one plain loop. */
#if defined(__CUDACC__)
#define EMBEDDING_SHARE blockDim.x
#else
#define EMBEDDING_SHARE 1
#endif

template <typename T>
static __device__ __forceinline__ void gather(T *__restrict__ out, const T *__restrict__ table,
                                              const uint32_t *__restrict__ ids, size_t lookups,
                                              size_t width)
{
    for (size_t first = (size_t)blockIdx.x * blockDim.y; first < lookups;
         first += (size_t)gridDim.x * blockDim.y)
        GB_THREADS
        {
            const size_t i = first + threadIdx.y;
            if (i < lookups) {
                const T *from = table + ids[i] * width;
                T *to = out + i * width;
                for (size_t c = threadIdx.x; c < width; c += EMBEDDING_SHARE)
                    to[c] = from[c];
            }
        }
}

#define EMBEDDING(name, T)                                                                         \
    static __global__ void name(T *out, const T *table, const uint32_t *ids, size_t lookups,       \
                                size_t width)                                                      \
    {                                                                                              \
        gather(out, table, ids, lookups, width);                                                   \
    }                                                                                              \
    GB_EXPORT(PHASED, name)

/* Elements of 4 bytes, and four of them at a time where rows have whole 16 bytes. */
EMBEDDING(embedding_single, uint32_t)
EMBEDDING(embedding_four, uint4)
