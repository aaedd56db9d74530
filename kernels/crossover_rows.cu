/* crossover: filter and lookup, the jobs of a database. */
#include "kernels/crossover_code.h"

/* --- filter ----------------------------------------------------------------------------------- */

/* Four kinds of rows, each with a way of its own, as a query with CASE has them; the last one takes
 * a different number of steps for each row. */
static __device__ __forceinline__ bool passes(const crossover_row &row,
                                              const crossover_query &query)
{
    switch (row.kind) {
    case 0:
        return row.price < query.price;
    case 1:
        return row.quantity * row.price > query.total;
    case 2:
        return (row.price * (128 - row.discount)) >> 7 > query.reduced;
    default: {
        uint32_t x = row.price;
        for (uint32_t step = 0; step <= (row.discount & 7); ++step) /* few, whatever a row holds */
            x = x * 1664525 + 1013904223;
        return x >> 30 == 0;
    }
    }
}

/* A row, or a slot, in one access; the compiler of a GPU needs to be told that it may. */
static __device__ __forceinline__ crossover_row load(const crossover_row *row)
{
#if defined(__CUDACC__)
    const uint4 words = __ldg(reinterpret_cast<const uint4 *>(row));
    return {words.x, words.y, words.z, words.w};
#else
    return *row;
#endif
}

static __device__ __forceinline__ crossover_slot load(const crossover_slot *slot)
{
#if defined(__CUDACC__)
    const uint2 words = __ldg(reinterpret_cast<const uint2 *>(slot));
    return {words.x, words.y};
#else
    return *slot;
#endif
}

#if !defined(__CUDACC__)
/* Each part writes the numbers of its rows that pass to its own place in `ids`, and how many. They
 * are collected without a branch: where a row does not pass the next one takes its place. */
#define CROSSOVER_COLLECTED 1024
static __global__ void crossover_filter_cpu(uint32_t *__restrict__ ids, uint32_t *counts,
                                            const crossover_row *__restrict__ rows, size_t n,
                                            crossover_query query, uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        uint32_t found[CROSSOVER_COLLECTED];
        size_t to = my.first;
        for (size_t first = my.first; first < my.end; first += CROSSOVER_COLLECTED) {
            const size_t left = my.end - first;
            const size_t rest = left < CROSSOVER_COLLECTED ? left : CROSSOVER_COLLECTED;
            size_t count = 0;
            for (size_t i = first; i < first + rest; ++i) {
                found[count] = (uint32_t)i;
                count += passes(rows[i], query);
            }
            for (size_t i = 0; i < count; ++i)
                ids[to + i] = found[i];
            to += count;
        }
        counts[part] = (uint32_t)(to - my.first);
    }
}
GB_EXPORT(FLAT, crossover_filter_cpu)

/* The parts' results one behind the other. */
static __global__ void crossover_gather_cpu(uint32_t *__restrict__ to,
                                            const uint32_t *__restrict__ ids,
                                            const uint32_t *counts, const uint32_t *offsets,
                                            size_t n, uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        for (uint32_t i = 0; i < counts[part]; ++i)
            to[offsets[part] + i] = ids[my.first + i];
    }
}
GB_EXPORT(FLAT, crossover_gather_cpu)
#endif

/* A bit for each row that passes, and how many those of a tile are. */
static __global__ void crossover_mark(uint32_t *__restrict__ marks, uint32_t *__restrict__ counts,
                                      const crossover_row *__restrict__ rows, size_t n,
                                      crossover_query query, uint32_t tiles)
{
    __shared__ uint32_t found[CROSSOVER_BLOCK / 32];
    CROSSOVER_PARTS(tile, tiles)
    {
        uint32_t mine = 0;
        for (unsigned round = 0; round < CROSSOVER_TILE_ROWS / CROSSOVER_BLOCK; ++round) {
            const size_t row =
                (size_t)tile * CROSSOVER_TILE_ROWS + round * CROSSOVER_BLOCK + threadIdx.x;
            const uint32_t word =
                __ballot_sync(0xffffffffu, row < n && passes(load(&rows[row]), query));
            if (threadIdx.x % 32 == 0)
                marks[row / 32] = word;
            mine += __popc(word);
        }
        if (threadIdx.x % 32 == 0)
            found[threadIdx.x / 32] = mine;
        __syncthreads();
        if (threadIdx.x == 0) {
            uint32_t all = 0;
            for (unsigned warp = 0; warp < CROSSOVER_BLOCK / 32; ++warp)
                all += found[warp];
            counts[tile] = all;
        }
        __syncthreads();
    }
}
GB_EXPORT(FIBER, crossover_mark)

/* One block: where each tile's rows begin in the result, and how many there are in all. */
static __global__ void crossover_offsets(uint32_t *__restrict__ offsets, uint32_t *all,
                                         const uint32_t *__restrict__ counts, uint32_t tiles)
{
    GB_SHARED_2D(uint32_t, sums, 2, CROSSOVER_BLOCK);
    const uint32_t each = (tiles + CROSSOVER_BLOCK - 1) / CROSSOVER_BLOCK;
    GB_THREADS
    {
        uint32_t sum = 0;
        for (uint32_t t = threadIdx.x * each; t < (threadIdx.x + 1) * each && t < tiles; ++t)
            sum += counts[t];
        sums[0][threadIdx.x] = sum;
    }
    GB_BARRIER();
    unsigned now = 0;
    for (unsigned step = 1; step < CROSSOVER_BLOCK; step *= 2) { /* Hillis and Steele's scan */
        GB_THREADS
        {
            const uint32_t before = threadIdx.x >= step ? sums[now][threadIdx.x - step] : 0;
            sums[1 - now][threadIdx.x] = sums[now][threadIdx.x] + before;
        }
        GB_BARRIER();
        now = 1 - now;
    }
    GB_THREADS
    {
        uint32_t at = threadIdx.x > 0 ? sums[now][threadIdx.x - 1] : 0;
        for (uint32_t t = threadIdx.x * each; t < (threadIdx.x + 1) * each && t < tiles; ++t) {
            offsets[t] = at;
            at += counts[t];
        }
        if (threadIdx.x == CROSSOVER_BLOCK - 1)
            *all = at;
    }
}
GB_EXPORT(PHASED, crossover_offsets)

/* The numbers of the marked rows, in order. */
static __global__ void crossover_write(uint32_t *__restrict__ to,
                                       const uint32_t *__restrict__ marks,
                                       const uint32_t *__restrict__ offsets, uint32_t tiles)
{
    GB_SHARED(uint32_t, words, CROSSOVER_TILE_WORDS);
    GB_SHARED(uint32_t, before, CROSSOVER_TILE_WORDS);
    CROSSOVER_PARTS(tile, tiles)
    {
        GB_THREADS
        {
            if (threadIdx.x < CROSSOVER_TILE_WORDS)
                words[threadIdx.x] = marks[(size_t)tile * CROSSOVER_TILE_WORDS + threadIdx.x];
        }
        GB_BARRIER();
        GB_THREADS
        {
            if (threadIdx.x < CROSSOVER_TILE_WORDS) {
                uint32_t sum = 0;
                for (unsigned w = 0; w < threadIdx.x; ++w)
                    sum += (uint32_t)__popc(words[w]);
                before[threadIdx.x] = sum;
            }
        }
        GB_BARRIER();
        GB_THREADS
        {
            const unsigned lane = threadIdx.x % 32;
            for (unsigned w = threadIdx.x / 32; w < CROSSOVER_TILE_WORDS;
                 w += CROSSOVER_BLOCK / 32) {
                const uint32_t word = words[w];
                if ((word >> lane & 1) != 0)
                    to[offsets[tile] + before[w] + (uint32_t)__popc(word & ((1u << lane) - 1))] =
                        tile * CROSSOVER_TILE_ROWS + 32 * w + lane;
            }
        }
        GB_BARRIER();
    }
}
GB_EXPORT(PHASED, crossover_write)

/* --- lookup ----------------------------------------------------------------------------------- */

struct crossover_table {
    const crossover_slot *slots;
    uint32_t shift, mask, empty;
};

static __device__ __forceinline__ uint32_t find(const crossover_table &table, uint32_t id,
                                                uint32_t slot)
{
    for (;; slot = (slot + 1) & table.mask) {
        const crossover_slot s = load(&table.slots[slot]);
        if (s.id == id)
            return s.value;
        if (s.id == table.empty)
            return CROSSOVER_MISSING;
    }
}

#if !defined(__CUDACC__)
/* Some lookups at a time: all their slots are on the way from memory before the first is needed. */
#define CROSSOVER_AHEAD 16
static __global__ void crossover_lookup_cpu(uint32_t *__restrict__ values,
                                            const uint32_t *__restrict__ ids,
                                            const crossover_slot *slots, uint32_t shift,
                                            uint32_t empty, size_t n, uint32_t parts)
{
    const crossover_table table = {slots, shift, ~0u >> shift, empty};
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        uint32_t slot[CROSSOVER_AHEAD];
        for (size_t i = my.first; i < my.end; i += CROSSOVER_AHEAD) {
            const size_t count = my.end - i < CROSSOVER_AHEAD ? my.end - i : CROSSOVER_AHEAD;
            for (size_t k = 0; k < count; ++k) {
                slot[k] = ids[i + k] * CROSSOVER_HASH >> shift;
                __builtin_prefetch(&slots[slot[k]]);
            }
            for (size_t k = 0; k < count; ++k)
                values[i + k] = find(table, ids[i + k], slot[k]);
        }
    }
}
GB_EXPORT(FLAT, crossover_lookup_cpu)
#endif

static __global__ void crossover_lookup(uint32_t *__restrict__ values,
                                        const uint32_t *__restrict__ ids,
                                        const crossover_slot *__restrict__ slots, uint32_t shift,
                                        uint32_t empty, size_t n)
{
    const crossover_table table = {slots, shift, ~0u >> shift, empty};
    GB_RANGE (i, n) {
        values[i] = find(table, ids[i], ids[i] * CROSSOVER_HASH >> shift);
    }
}
GB_EXPORT(RANGE, crossover_lookup)
