/* crossover: the jobs on square images of n x n pixels, RGBA with 8 bits a channel: blur (a 5 x 5
 * filter with the weights of 1 4 6 4 1 across and down) and resize (to 5/8 of the width and height,
 * bilinear). Both are whole-number arithmetic with one exact result. */
#include <stdlib.h>

#include "kernels/crossover_job.h"

GB_FN_DECLARE_CPU_ONLY(crossover_blur_cpu)
GB_FN_DECLARE(crossover_blur)
GB_FN_DECLARE_CPU_ONLY(crossover_resize_cpu)
GB_FN_DECLARE(crossover_resize)

#define CHANNELS 4
#define LEAST_PIXELS 8192 /* of a part */
#define MAX_SIDE 32768

static void make_pixels(void *user, void *elements, uint64_t first, size_t count)
{
    const crossover_state *s = user;
    uint64_t seed = s->seed;
    gb_make_words32(&seed, elements, first, count);
}

static unsigned channel(uint32_t pixel, unsigned c)
{
    return pixel >> (8 * c) & 0xff;
}

/* Rows of a part of an image of `height` rows. */
static uint32_t parts_of(const crossover_state *s, uint64_t height, uint64_t width)
{
    const uint32_t parts = crossover_parts(s, height * width, LEAST_PIXELS);
    return parts < height ? parts : (uint32_t)height;
}

/* --- blur ------------------------------------------------------------------------------------- */

static void blur_shape(uint64_t n, crossover_shape *out)
{
    const crossover_array image = {sizeof(uint32_t), n * n};
    *out = (crossover_shape){.in = {image},
                             .out = image,
                             /* five multiply-adds each way */
                             .flops = n * n * CHANNELS * 2 * 10,
                             .items = n * n,
                             .bytes = 2 * n * n * sizeof(uint32_t),
                             .compute = GB_COMPUTE_INT32};
}

static const unsigned weights[] = {1, 4, 6, 4, 1};

static uint64_t clamped(uint64_t base, unsigned tap, uint64_t n)
{
    const uint64_t at = base + tap; /* CROSSOVER_RADIUS too far */
    return at < CROSSOVER_RADIUS ? 0 : at - CROSSOVER_RADIUS < n ? at - CROSSOVER_RADIUS : n - 1;
}

/* A column's sums of five rows around y, of each channel. */
static void column_sums(const crossover_state *s, uint64_t y, uint64_t x, unsigned sums[CHANNELS])
{
    for (unsigned c = 0; c < CHANNELS; c++)
        sums[c] = 0;
    for (unsigned k = 0; k < GB_COUNT(weights); k++) {
        const uint32_t pixel = gb_word32(s->seed, clamped(y, k, s->n) * s->n + x);
        for (unsigned c = 0; c < CHANNELS; c++)
            sums[c] += weights[k] * channel(pixel, c);
    }
}

/* The pixels from (x, y) on, in one row. */
static void compare_row(const crossover_state *s, gb_mismatch *bad, const uint32_t *found,
                        uint64_t y, uint64_t x, size_t count)
{
    unsigned sums[GB_COUNT(weights)][CHANNELS];
    for (unsigned k = 0; k < GB_COUNT(weights); k++)
        column_sums(s, y, clamped(x, k, s->n), sums[k]);
    for (size_t i = 0; i < count; i++) {
        uint32_t expected = 0;
        for (unsigned c = 0; c < CHANNELS; c++) {
            unsigned sum = 128;
            for (unsigned k = 0; k < GB_COUNT(weights); k++)
                sum += weights[k] * sums[k][c];
            expected |= sum / 256 << (8 * c);
        }
        gb_compare_u64(bad, y * s->n + x + i, expected, found[i], 8);
        for (unsigned k = 0; k + 1 < GB_COUNT(weights); k++)
            for (unsigned c = 0; c < CHANNELS; c++)
                sums[k][c] = sums[k + 1][c];
        column_sums(s, y, clamped(x + i + 1, GB_COUNT(weights) - 1, s->n),
                    sums[GB_COUNT(weights) - 1]);
    }
}

static void compare_blurred(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                            size_t count)
{
    const crossover_state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0, length; i < count; i += length) {
        const uint64_t y = (first + i) / s->n, x = (first + i) % s->n;
        length = s->n - x < count - i ? (size_t)(s->n - x) : count - i;
        compare_row(s, bad, found + i, y, x, length);
    }
}

static gb_code blur_cpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t parts = parts_of(s, s->n, s->n);
    void *args[] = {&s->at.out, &s->at.in[0], &s->n, &parts};
    return crossover_on_cpu(run, GB_FN(crossover_blur_cpu), parts, args, err);
}

static gb_code blur_gpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t across = (uint32_t)((s->n + CROSSOVER_TILE - 1) / CROSSOVER_TILE);
    uint32_t tiles = across * across;
    void *args[] = {&s->at.out, &s->at.in[0], &s->n, &across, &tiles};
    return crossover_on_gpu(run, GB_FN(crossover_blur), tiles, CROSSOVER_TILE,
                            CROSSOVER_TILE_THREADS_Y, args, err);
}

const crossover_job crossover_blur = {.word = "blur",
                                      .max_n = MAX_SIDE,
                                      .shape = blur_shape,
                                      .make_in = {make_pixels, NULL},
                                      .cpu = blur_cpu,
                                      .gpu = blur_gpu,
                                      .compare_out = compare_blurred};

/* --- resize ----------------------------------------------------------------------------------- */

static uint64_t side_after(uint64_t n)
{
    return n * 5 / 8 > 0 ? n * 5 / 8 : 1;
}

static void resize_shape(uint64_t n, crossover_shape *out)
{
    const uint64_t m = side_after(n);
    *out = (crossover_shape){.in = {{sizeof(uint32_t), n * n}},
                             .out = {sizeof(uint32_t), m * m},
                             .table = {sizeof(crossover_between), m},
                             /* three interpolations of three operations */
                             .flops = m * m * CHANNELS * 9,
                             .items = m * m,
                             .bytes = (n * n + m * m) * sizeof(uint32_t),
                             .compute = GB_COMPUTE_INT32};
}

/* The middle of pixel x of m, among the middles of n: ((2x + 1) n / m - 1) / 2, in 256ths. */
static crossover_between place_of(uint64_t x, uint64_t n, uint64_t m)
{
    const uint64_t twice = (2 * x + 1) * n * 128 / m;
    const uint64_t at = twice > 128 ? twice - 128 : 0, first = at / 256;
    return (crossover_between){.first = (uint32_t)first,
                               .second = (uint32_t)(first + 1 < n ? first + 1 : n - 1),
                               .weight = (uint32_t)(at % 256)};
}

static void make_places(void *user, void *elements, uint64_t first, size_t count)
{
    const crossover_state *s = user;
    crossover_between *to = elements;
    for (size_t i = 0; i < count; i++)
        to[i] = place_of(first + i, s->n, side_after(s->n));
}

static unsigned blend(unsigned a, unsigned b, unsigned weight)
{
    return (a * (256 - weight) + b * weight + 128) / 256;
}

static void compare_resized(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                            size_t count)
{
    const crossover_state *s = user;
    const uint32_t *found = elements;
    const uint64_t n = s->n, m = side_after(n);
    for (size_t i = 0; i < count; i++) {
        const crossover_between row = place_of((first + i) / m, n, m);
        const crossover_between column = place_of((first + i) % m, n, m);
        const uint32_t a = gb_word32(s->seed, row.first * n + column.first),
                       b = gb_word32(s->seed, row.first * n + column.second),
                       c = gb_word32(s->seed, row.second * n + column.first),
                       d = gb_word32(s->seed, row.second * n + column.second);
        uint32_t expected = 0;
        for (unsigned k = 0; k < CHANNELS; k++) {
            const unsigned left = blend(channel(a, k), channel(c, k), row.weight);
            const unsigned right = blend(channel(b, k), channel(d, k), row.weight);
            expected |= blend(left, right, column.weight) << (8 * k);
        }
        gb_compare_u64(bad, first + i, expected, found[i], 8);
    }
}

static gb_code resize_cpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint64_t m = side_after(s->n);
    uint32_t parts = parts_of(s, m, m);
    void *args[] = {&s->at.out, &s->at.in[0], &s->table.device, &s->n, &m, &parts};
    return crossover_on_cpu(run, GB_FN(crossover_resize_cpu), parts, args, err);
}

static gb_code resize_gpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t m = (uint32_t)side_after(s->n);
    void *args[] = {&s->at.out, &s->at.in[0], &s->table.device, &s->n, &m};
    return crossover_on_gpu(run, GB_FN(crossover_resize), (uint64_t)m * m / CROSSOVER_BLOCK + 1,
                            CROSSOVER_BLOCK, 1, args, err);
}

const crossover_job crossover_resize = {.word = "resize",
                                        .max_n = MAX_SIDE,
                                        .shape = resize_shape,
                                        .make_in = {make_pixels, NULL},
                                        .make_table = make_places,
                                        .cpu = resize_cpu,
                                        .gpu = resize_gpu,
                                        .compare_out = compare_resized};
