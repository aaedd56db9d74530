/* search: of each query the k vectors with the largest inner product, the smaller index first where
 * two are alike. Three launches: all scores; the best k of each part of the vectors; the best k of
 * those.
 *
 * A vector that has been found is one number, its key: the score in the upper half, so that larger
 * keys are better ones, and the index, inverted, in the lower half. No two are alike, and 0 is
 * none: so the result does not depend on the order in which threads find something. */
#include "device/simt/simt.h"
#include "kernels/search.h"

/* A thread's own sums, one a query of the tile: registers on a GPU, lines of a small table on the
 * CPU, where the threads of a region are the inner loop. */
#if defined(__CUDACC__) || defined(GB_CHECKED)
#define SEARCH_SUMS(name, queries) float name[queries]
#define SEARCH_SUM(name, query) name[query]
#else
#define SEARCH_SUMS(name, queries) alignas(64) float name[queries][SEARCH_BLOCK]
#define SEARCH_SUM(name, query) name[query][threadIdx.x]
#endif
#if defined(__CUDACC__)
#define SEARCH_UNROLL _Pragma("unroll")
#define SEARCH_UNROLL_STEPS _Pragma("unroll 4") /* loads in flight */
#else
#define SEARCH_UNROLL
#define SEARCH_UNROLL_STEPS
#endif

/* SEARCH_STEP dimensions of a query, the same for all threads of a block. */
struct __align__(16) search_step
{
    float at[SEARCH_STEP];
};

/* scores[query][vector]. Blocks that follow each other have the same group, which is then in a
 * cache for all tiles but the first. */
template <unsigned Tile>
static __device__ __forceinline__ void
score(float *__restrict__ scores, const float *__restrict__ database,
      const search_step *__restrict__ queries, size_t vectors, size_t n_queries, size_t steps)
{
    SEARCH_SUMS(sum, Tile);
    const size_t groups = (vectors + SEARCH_BLOCK - 1) / SEARCH_BLOCK;
    const size_t tiles = (n_queries + Tile - 1) / Tile;
    for (size_t w = blockIdx.x; w < groups * tiles; w += gridDim.x) {
        const size_t first_vector = w / tiles * SEARCH_BLOCK, first_query = w % tiles * Tile;
        const float *x = database + first_vector * steps * SEARCH_STEP;
        const search_step *y = queries + first_query * steps;
        SEARCH_UNROLL
        for (unsigned q = 0; q < Tile; ++q)
            GB_THREADS
            {
                SEARCH_SUM(sum, q) = 0.0f;
            }
        SEARCH_UNROLL_STEPS
        for (size_t s = 0; s < steps; ++s) {
            const float *line = x + s * (SEARCH_STEP * SEARCH_BLOCK);
            SEARCH_UNROLL
            for (unsigned q = 0; q < Tile; ++q) {
                const search_step of = y[q * steps + s];
                GB_THREADS
                {
                    const size_t t = threadIdx.x;
                    SEARCH_SUM(sum, q) += line[t] * of.at[0] + line[SEARCH_BLOCK + t] * of.at[1] +
                                          line[2 * SEARCH_BLOCK + t] * of.at[2] +
                                          line[3 * SEARCH_BLOCK + t] * of.at[3];
                }
            }
        }
        SEARCH_UNROLL
        for (unsigned q = 0; q < Tile; ++q) {
            if (first_query + q < n_queries) {
                float *to = scores + (first_query + q) * vectors + first_vector;
                GB_THREADS
                {
                    if (first_vector + threadIdx.x < vectors)
                        to[threadIdx.x] = SEARCH_SUM(sum, q);
                }
            }
        }
    }
}

#define SEARCH_SCORE(name, tile)                                                                   \
    static __global__ void __launch_bounds__(SEARCH_BLOCK)                                         \
        name(float *scores, const float *database, const search_step *queries, size_t vectors,     \
             size_t n_queries, size_t steps)                                                       \
    {                                                                                              \
        score<tile>(scores, database, queries, vectors, n_queries, steps);                         \
    }                                                                                              \
    GB_EXPORT(PHASED, name)

SEARCH_SCORE(search_score_1, 1)
SEARCH_SCORE(search_score_4, SEARCH_FEW)
SEARCH_SCORE(search_score_16, SEARCH_MANY)

/* Floats in their order as whole numbers: the sign bit is turned over, and all others too where it
 * was set. */
static __device__ __forceinline__ uint64_t key_of(float score, size_t index)
{
    const uint32_t bits = (uint32_t)__float_as_int(score);
    const uint32_t ordered = bits >> 31 != 0 ? ~bits : bits | 0x80000000u;
    return (uint64_t)ordered << 32 | (uint32_t) ~(uint32_t)index;
}

static __device__ __forceinline__ float score_of(uint64_t key)
{
    const uint32_t ordered = (uint32_t)(key >> 32);
    return __int_as_float((int)(ordered >> 31 != 0 ? ordered & 0x7fffffffu : ~ordered));
}

/* Where the keys come from: scores of the vectors from `first` on, or keys that are there. */
struct from_scores {
    const float *scores;
    __device__ __forceinline__ uint64_t key(size_t i) const
    {
        return key_of(scores[i], i);
    }
};
struct from_keys {
    const uint64_t *keys;
    __device__ __forceinline__ uint64_t key(size_t i) const
    {
        return keys[i];
    }
};

/* Largest first; `size` is a power of two, at most SEARCH_LIST. K. E. Batcher, Sorting networks and
 * their applications, 1968: the bitonic sorter. */
static __device__ __forceinline__ void sort(uint64_t *list, unsigned size)
{
    for (unsigned run = 2; run <= size; run *= 2)
        for (unsigned step = run / 2; step > 0; step /= 2) {
            GB_THREADS
            {
                const unsigned t = threadIdx.x, low = 2 * t - (t & (step - 1)), high = low + step;
                if (t < size / 2) {
                    const uint64_t a = list[low], b = list[high];
                    if ((a < b) == ((low & run) == 0)) {
                        list[low] = b;
                        list[high] = a;
                    }
                }
            }
            GB_BARRIER();
        }
}

/* Brings the best k of the first `filled` keys to the front, in order. */
static __device__ __forceinline__ void keep_best(uint64_t *list, unsigned *count, unsigned filled,
                                                 unsigned k)
{
    unsigned size = 2;
    while (size < filled)
        size *= 2;
    GB_THREADS
    {
        for (unsigned i = filled + threadIdx.x; i < size; i += SEARCH_BLOCK)
            list[i] = 0;
    }
    GB_BARRIER();
    sort(list, size);
    GB_THREADS
    {
        if (threadIdx.x == 0)
            *count = k;
    }
    GB_BARRIER();
}

/* list[0 .. k): the best of the keys first .. end-1. What is better than the k-th so far is put
 * behind; when there are twice as many, the list is sorted and cut, which happens less and less
 * often: the n-th of keys in any order is among the best k so far once in n / k times. */
template <typename From>
static __device__ __forceinline__ void pick(uint64_t *list, unsigned *count, From from,
                                            size_t first, size_t end, unsigned k)
{
    GB_THREADS
    {
        if (threadIdx.x < k)
            list[threadIdx.x] = 0;
        if (threadIdx.x == 0)
            *count = k;
    }
    GB_BARRIER();
    const unsigned most = 2 * k < SEARCH_SHORT ? SEARCH_SHORT : 2 * k;
    unsigned filled = k;
    for (size_t round = first; round < end; round += SEARCH_BLOCK) {
        GB_THREADS
        {
            if (round + threadIdx.x < end) {
                const uint64_t key = from.key(round + threadIdx.x);
                if (key > list[k - 1])
                    list[atomicAdd(count, 1u)] = key;
            }
        }
        GB_BARRIER();
        filled = *count;
        GB_BARRIER(); /* all have seen it before it grows */
        if (filled > most) {
            keep_best(list, count, filled, k);
            filled = k;
        }
    }
    if (filled > k)
        keep_best(list, count, filled, k);
}

/* best[query][part][k]: keys of the best vectors of each part, 0 where it has fewer. */
static __global__ void __launch_bounds__(SEARCH_BLOCK)
    search_parts(uint64_t *__restrict__ best, const float *__restrict__ scores, size_t vectors,
                 size_t n_queries, size_t part, unsigned k)
{
    GB_SHARED(uint64_t, list, SEARCH_LIST);
    GB_SHARED(unsigned, count, 1);
    const size_t parts = (vectors + part - 1) / part;
    for (size_t w = blockIdx.x; w < parts * n_queries; w += gridDim.x) {
        const size_t first = w % parts * part;
        const size_t end = vectors - first < part ? vectors : first + part;
        const from_scores from = {scores + w / parts * vectors};
        pick(list, count, from, first, end, k);
        GB_THREADS
        {
            if (threadIdx.x < k)
                best[w * k + threadIdx.x] = list[threadIdx.x];
        }
    }
}
GB_EXPORT(PHASED, search_parts)

/* ids[query][k] and values[query][k]: the best of all parts, and their scores. */
static __global__ void __launch_bounds__(SEARCH_BLOCK)
    search_merge(uint32_t *__restrict__ ids, float *__restrict__ values,
                 const uint64_t *__restrict__ best, size_t n_queries, size_t parts, unsigned k)
{
    GB_SHARED(uint64_t, list, SEARCH_LIST);
    GB_SHARED(unsigned, count, 1);
    for (size_t query = blockIdx.x; query < n_queries; query += gridDim.x) {
        const from_keys from = {best + query * parts * k};
        pick(list, count, from, 0, parts * k, k);
        GB_THREADS
        {
            if (threadIdx.x < k) {
                ids[query * k + threadIdx.x] = ~(uint32_t)list[threadIdx.x];
                values[query * k + threadIdx.x] = score_of(list[threadIdx.x]);
            }
        }
    }
}
GB_EXPORT(PHASED, search_merge)
