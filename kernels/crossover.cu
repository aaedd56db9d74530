/* crossover: the same jobs for a processor and for a GPU, each as it is done well there.
 *
 * The processor's kernels are named _cpu: plain loops, compiled once for each instruction set, a
 * part of the work a block (FLAT, blocks of one thread); none of them is an emulated GPU kernel.
 * The others are the GPU's; on a processor they run for tests alone (parameter `code`). The product
 * of matrices and the GPU's sort are libraries and not here. */
#include "device/simt/simt.h"
#include "kernels/crossover.h"

#if !defined(__CUDACC__)
/* The part of [0, n) that is part number `part` of `parts`, in whole groups of 64. */
struct crossover_part {
    size_t first, end;
};
static __device__ __forceinline__ crossover_part part_of(size_t n, uint32_t part, uint32_t parts)
{
    const size_t each = ((n + parts - 1) / parts + 63) / 64 * 64;
    const size_t first = part * each < n ? part * each : n;
    return {first, n - first < each ? n : first + each};
}
#endif

/* For each part, or tile, that this block has. */
#define CROSSOVER_PARTS(part, parts)                                                               \
    for (uint32_t part = blockIdx.x; part < (parts); part += gridDim.x)

/* --- add -------------------------------------------------------------------------------------- */

struct __align__(16) crossover_four
{
    float at[4];
};

/* For both: a plain loop on a CPU, 16 bytes an access on a GPU. */
static __global__ void crossover_add(float *__restrict__ to, const float *__restrict__ a,
                                     const float *__restrict__ b, size_t n)
{
#if defined(__CUDACC__)
    const size_t packs = n / 4;
    GB_RANGE (p, packs) {
        const crossover_four x = reinterpret_cast<const crossover_four *>(a)[p];
        const crossover_four y = reinterpret_cast<const crossover_four *>(b)[p];
        crossover_four sum;
        for (unsigned k = 0; k < 4; ++k)
            sum.at[k] = x.at[k] + y.at[k];
        reinterpret_cast<crossover_four *>(to)[p] = sum;
    }
    const size_t done = 4 * packs;
#else
    const size_t done = 0;
#endif
    GB_RANGE (i, n - done) {
        to[done + i] = a[done + i] + b[done + i];
    }
}
GB_EXPORT(RANGE, crossover_add)

/* --- reduce ----------------------------------------------------------------------------------- */

#if !defined(__CUDACC__)
/* Independent sums, so that no addition waits for the one before: a few vectors of them. */
#define CROSSOVER_SUMS 64
static __global__ void crossover_sum_cpu(double *partial, const float *__restrict__ x, size_t n,
                                         uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        double sum = 0;
        for (size_t first = my.first; first < my.end;) {
            const size_t end =
                my.end - first < CROSSOVER_MAX_PART ? my.end : first + CROSSOVER_MAX_PART;
            float sums[CROSSOVER_SUMS] = {};
            for (; end - first >= CROSSOVER_SUMS; first += CROSSOVER_SUMS)
                for (unsigned k = 0; k < CROSSOVER_SUMS; ++k)
                    sums[k] += x[first + k];
            for (unsigned k = 0; k < CROSSOVER_SUMS; ++k)
                sum += (double)sums[k];
            for (; first < end; ++first)
                sum += (double)x[first];
        }
        partial[part] = sum;
    }
}
GB_EXPORT(FLAT, crossover_sum_cpu)
#endif

/* A tree over the threads' sums; the result is sums[0]. */
#define CROSSOVER_TREE(T, sums)                                                                    \
    GB_BARRIER();                                                                                  \
    for (unsigned half = CROSSOVER_BLOCK / 2; half > 0; half /= 2) {                               \
        GB_THREADS                                                                                 \
        {                                                                                          \
            if (threadIdx.x < half)                                                                \
                sums[threadIdx.x] += sums[threadIdx.x + half];                                     \
        }                                                                                          \
        GB_BARRIER();                                                                              \
    }

/* Sums of parts of `length` numbers, a multiple of 4 * CROSSOVER_BLOCK. */
static __global__ void crossover_sum_parts(double *partial, const float *__restrict__ x, size_t n,
                                           uint32_t length, uint32_t parts)
{
    GB_SHARED(float, sums, CROSSOVER_BLOCK);
    CROSSOVER_PARTS(part, parts)
    {
        const size_t first = (size_t)part * length;
        const size_t end = n - first < length ? n : first + length;
        GB_THREADS
        {
            float sum = 0;
            for (size_t i = first + 4 * threadIdx.x; i < end; i += 4 * CROSSOVER_BLOCK) {
                if (end - i >= 4) {
                    const crossover_four four = *reinterpret_cast<const crossover_four *>(&x[i]);
                    sum += four.at[0] + four.at[1] + (four.at[2] + four.at[3]);
                } else {
                    for (size_t k = i; k < end; ++k)
                        sum += x[k];
                }
            }
            sums[threadIdx.x] = sum;
        }
        CROSSOVER_TREE(float, sums)
        GB_THREADS
        {
            if (threadIdx.x == 0)
                partial[part] = (double)sums[0]; /* which nobody else writes for the next part */
        }
    }
}
GB_EXPORT(PHASED, crossover_sum_parts)

/* One block. */
static __global__ void crossover_sum_all(double *sum, const double *__restrict__ partial,
                                         uint32_t parts)
{
    GB_SHARED(double, sums, CROSSOVER_BLOCK);
    GB_THREADS
    {
        double mine = 0;
        for (uint32_t i = threadIdx.x; i < parts; i += CROSSOVER_BLOCK)
            mine += partial[i];
        sums[threadIdx.x] = mine;
    }
    CROSSOVER_TREE(double, sums)
    GB_THREADS
    {
        if (threadIdx.x == 0)
            *sum = sums[0];
    }
}
GB_EXPORT(PHASED, crossover_sum_all)

/* --- blur ------------------------------------------------------------------------------------- */

/* Two channels of a pixel in a word, 16 bits each: sums of weights up to 257 times 8 bits fit. */
#define CROSSOVER_CHANNELS 0x00ff00ffu

static __device__ __forceinline__ uint32_t weigh(uint32_t a, uint32_t b, uint32_t c, uint32_t d,
                                                 uint32_t e)
{
    return a + e + 4 * (b + d) + 6 * c;
}

/* A sum of both directions (of 256 weights) as two channels, rounded. */
static __device__ __forceinline__ uint32_t rounded(uint32_t sum)
{
    return (sum + 0x00800080u) >> 8 & CROSSOVER_CHANNELS;
}

static __device__ __forceinline__ size_t within(int64_t at, size_t n)
{
    return at < 0 ? 0 : (size_t)at < n ? (size_t)at : n - 1;
}

#if !defined(__CUDACC__)
/* A row at a time, in strips: down into two lines of sums, which stay in the nearest cache, then
 * across. */
#define CROSSOVER_STRIP 512
static __global__ void crossover_blur_cpu(uint32_t *__restrict__ to,
                                          const uint32_t *__restrict__ from, size_t n,
                                          uint32_t parts)
{
    constexpr size_t radius = CROSSOVER_RADIUS;
    uint32_t even[CROSSOVER_STRIP + 2 * radius], odd[CROSSOVER_STRIP + 2 * radius];
    CROSSOVER_PARTS(part, parts)
    {
        const size_t row0 = n * part / parts, row_end = n * (part + 1) / parts;
        for (size_t x0 = 0; x0 < n; x0 += CROSSOVER_STRIP) {
            const size_t width = n - x0 < CROSSOVER_STRIP ? n - x0 : CROSSOVER_STRIP;
            const size_t left = x0 < radius ? x0 : radius;
            const size_t right = n - x0 - width < radius ? n - x0 - width : radius;
            for (size_t y = row0; y < row_end; ++y) {
                const uint32_t *row[5];
                for (int k = 0; k < 5; ++k)
                    row[k] = from + within((int64_t)y + k - (int64_t)radius, n) * n + x0 - left;
                const size_t sums = left + width + right, pad = radius - left;
                for (size_t x = 0; x < sums; ++x) {
                    const uint32_t a = row[0][x], b = row[1][x], c = row[2][x], d = row[3][x],
                                   e = row[4][x];
                    even[pad + x] = weigh(a & CROSSOVER_CHANNELS, b & CROSSOVER_CHANNELS,
                                          c & CROSSOVER_CHANNELS, d & CROSSOVER_CHANNELS,
                                          e & CROSSOVER_CHANNELS);
                    odd[pad + x] = weigh(a >> 8 & CROSSOVER_CHANNELS, b >> 8 & CROSSOVER_CHANNELS,
                                         c >> 8 & CROSSOVER_CHANNELS, d >> 8 & CROSSOVER_CHANNELS,
                                         e >> 8 & CROSSOVER_CHANNELS);
                }
                for (size_t k = 0; k < pad; ++k) { /* the image's edges go on as they end */
                    even[k] = even[pad];
                    odd[k] = odd[pad];
                }
                for (size_t k = right; k < radius; ++k) {
                    even[radius + width + k] = even[radius + width + right - 1];
                    odd[radius + width + k] = odd[radius + width + right - 1];
                }
                uint32_t *out = to + y * n + x0;
                for (size_t x = 0; x < width; ++x)
                    out[x] =
                        rounded(
                            weigh(even[x], even[x + 1], even[x + 2], even[x + 3], even[x + 4])) |
                        rounded(weigh(odd[x], odd[x + 1], odd[x + 2], odd[x + 3], odd[x + 4])) << 8;
            }
        }
    }
}
GB_EXPORT(FLAT, crossover_blur_cpu)
#endif

/* A tile a block: read with its border, across into shared memory, then down. */
static __global__ void crossover_blur(uint32_t *__restrict__ to, const uint32_t *__restrict__ from,
                                      size_t n, uint32_t tiles_across, uint32_t tiles)
{
    constexpr unsigned side = CROSSOVER_TILE + 2 * CROSSOVER_RADIUS;
    GB_SHARED_2D(uint32_t, pixels, side, side + 1);
    GB_SHARED_2D(uint32_t, even, side, CROSSOVER_TILE);
    GB_SHARED_2D(uint32_t, odd, side, CROSSOVER_TILE);
    CROSSOVER_PARTS(tile, tiles)
    {
        const size_t y0 = (size_t)(tile / tiles_across) * CROSSOVER_TILE;
        const size_t x0 = (size_t)(tile % tiles_across) * CROSSOVER_TILE;
        GB_THREADS
        {
            for (unsigned y = threadIdx.y; y < side; y += CROSSOVER_TILE_THREADS_Y)
                for (unsigned x = threadIdx.x; x < side; x += CROSSOVER_TILE)
                    pixels[y][x] = from[within((int64_t)(y0 + y) - CROSSOVER_RADIUS, n) * n +
                                        within((int64_t)(x0 + x) - CROSSOVER_RADIUS, n)];
        }
        GB_BARRIER();
        GB_THREADS
        {
            for (unsigned y = threadIdx.y; y < side; y += CROSSOVER_TILE_THREADS_Y) {
                const uint32_t *p = &pixels[y][threadIdx.x];
                even[y][threadIdx.x] = weigh(p[0] & CROSSOVER_CHANNELS, p[1] & CROSSOVER_CHANNELS,
                                             p[2] & CROSSOVER_CHANNELS, p[3] & CROSSOVER_CHANNELS,
                                             p[4] & CROSSOVER_CHANNELS);
                odd[y][threadIdx.x] =
                    weigh(p[0] >> 8 & CROSSOVER_CHANNELS, p[1] >> 8 & CROSSOVER_CHANNELS,
                          p[2] >> 8 & CROSSOVER_CHANNELS, p[3] >> 8 & CROSSOVER_CHANNELS,
                          p[4] >> 8 & CROSSOVER_CHANNELS);
            }
        }
        GB_BARRIER();
        GB_THREADS
        {
            const unsigned x = threadIdx.x;
            for (unsigned y = threadIdx.y; y < CROSSOVER_TILE; y += CROSSOVER_TILE_THREADS_Y) {
                if (y0 + y >= n || x0 + x >= n)
                    continue;
                const uint32_t low = rounded(weigh(even[y][x], even[y + 1][x], even[y + 2][x],
                                                   even[y + 3][x], even[y + 4][x]));
                const uint32_t high = rounded(
                    weigh(odd[y][x], odd[y + 1][x], odd[y + 2][x], odd[y + 3][x], odd[y + 4][x]));
                to[(y0 + y) * n + x0 + x] = low | high << 8;
            }
        }
        /* The next tile's pixels are written where none are read any more; its sums only after the
         * barrier that follows. */
    }
}
GB_EXPORT(PHASED, crossover_blur)

/* --- resize ----------------------------------------------------------------------------------- */

/* `weight` 256ths of the way from a to b, in all four channels, rounded. */
static __device__ __forceinline__ uint32_t between(uint32_t a, uint32_t b, uint32_t weight)
{
    const uint32_t rest = 256 - weight;
    const uint32_t even = rest * (a & CROSSOVER_CHANNELS) + weight * (b & CROSSOVER_CHANNELS);
    const uint32_t odd =
        rest * (a >> 8 & CROSSOVER_CHANNELS) + weight * (b >> 8 & CROSSOVER_CHANNELS);
    return rounded(even) | rounded(odd) << 8;
}

#if !defined(__CUDACC__)
/* Down into a line of as many pixels as a strip of the result needs, then across. */
static __global__ void crossover_resize_cpu(uint32_t *__restrict__ to,
                                            const uint32_t *__restrict__ from,
                                            const crossover_between *__restrict__ places, size_t n,
                                            size_t m, uint32_t parts)
{
    uint32_t line[2 * CROSSOVER_STRIP];
    CROSSOVER_PARTS(part, parts)
    {
        const size_t row_end = m * (part + 1) / parts;
        for (size_t y = m * part / parts; y < row_end; ++y) {
            const crossover_between at = places[y];
            const uint32_t *upper = from + at.first * n, *lower = from + at.second * n;
            for (size_t x0 = 0; x0 < m; x0 += CROSSOVER_STRIP) {
                const size_t width = m - x0 < CROSSOVER_STRIP ? m - x0 : CROSSOVER_STRIP;
                const size_t left = places[x0].first;
                const size_t sources = places[x0 + width - 1].second + 1 - left;
                for (size_t x = 0; x < sources; ++x)
                    line[x] = between(upper[left + x], lower[left + x], at.weight);
                for (size_t x = 0; x < width; ++x) {
                    const crossover_between p = places[x0 + x];
                    to[y * m + x0 + x] =
                        between(line[p.first - left], line[p.second - left], p.weight);
                }
            }
        }
    }
}
GB_EXPORT(FLAT, crossover_resize_cpu)
#endif

static __global__ void crossover_resize(uint32_t *__restrict__ to,
                                        const uint32_t *__restrict__ from,
                                        const crossover_between *__restrict__ places, size_t n,
                                        uint32_t m)
{
    GB_RANGE (i, (size_t)m * m) {
        const crossover_between row = places[(uint32_t)i / m], column = places[(uint32_t)i % m];
        const uint32_t *upper = from + row.first * n, *lower = from + row.second * n;
        to[i] =
            between(between(upper[column.first], lower[column.first], row.weight),
                    between(upper[column.second], lower[column.second], row.weight), column.weight);
    }
}
GB_EXPORT(RANGE, crossover_resize)

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

/* --- sort (CPU) ------------------------------------------------------------------------------- */

#if !defined(__CUDACC__)
/* How often each digit occurs in each part. */
static __global__ void crossover_count_cpu(uint32_t *counts, const uint32_t *__restrict__ keys,
                                           size_t n, uint32_t shift, uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        uint32_t found[CROSSOVER_DIGITS] = {};
        for (size_t i = my.first; i < my.end; ++i)
            ++found[keys[i] >> shift & (CROSSOVER_DIGITS - 1)];
        for (uint32_t d = 0; d < CROSSOVER_DIGITS; ++d)
            counts[part * CROSSOVER_DIGITS + d] = found[d];
    }
}
GB_EXPORT(FLAT, crossover_count_cpu)

/* Each key to the next free place of its digit; `places` says where those of a part begin. */
static __global__ void crossover_scatter_cpu(uint32_t *__restrict__ to, const uint32_t *places,
                                             const uint32_t *__restrict__ keys, size_t n,
                                             uint32_t shift, uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        uint32_t next[CROSSOVER_DIGITS];
        for (uint32_t d = 0; d < CROSSOVER_DIGITS; ++d)
            next[d] = places[part * CROSSOVER_DIGITS + d];
        for (size_t i = my.first; i < my.end; ++i)
            to[next[keys[i] >> shift & (CROSSOVER_DIGITS - 1)]++] = keys[i];
    }
}
GB_EXPORT(FLAT, crossover_scatter_cpu)
#endif
