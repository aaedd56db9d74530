/* crossover: blur and resize of images. */
#include "kernels/crossover_code.h"

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
