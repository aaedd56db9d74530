/* batch: test data, and what both layers should make of it.
 *
 * All values are small whole numbers over a power of two, chosen so that every partial sum, in
 * whatever order, is one below 2^24 units and therefore exact in FP32: the largest depth of 4,096
 * gives at most 4,096 x 7 x 7 in the first layer; its outputs have a standard deviation of about
 * sqrt(4,096) x 18.7 there, half of them are cut to 0, and 4,096 of them times at most 7 stay below
 * 14 million. So the result is the same for any order of summation, and the tolerance is zero. */
#include "kernels/batch.h"

#include <stdlib.h>

/* Multiply-adds of the reference that nobody notices waiting for. */
#define CHECK_WORK (UINT64_C(1) << 26)
#define CHECK_ROWS 4 /* at least */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* A whole number from -most to most. */
static int whole(uint64_t seed, int series, uint64_t index, int most)
{
    const uint64_t mixed = gb_mix(seed + (uint64_t)series, gb_mix((uint64_t)series, index));
    return (int)((mixed >> 20) % (uint64_t)(2 * most + 1)) - most;
}

float gb_batch_value(uint64_t seed, int series, uint64_t index)
{
    switch (series) {
    case BATCH_BIAS_1:
        return (float)whole(seed, series, index, 255) / BATCH_UNIT_1;
    case BATCH_BIAS_2:
        return (float)whole(seed, series, index, 2047) / BATCH_UNIT_2;
    default:
        return (float)whole(seed, series, index, 7) / BATCH_SCALE;
    }
}

size_t gb_batch_rows_checked(const gb_batch_sizes *sizes)
{
    uint64_t rows = CHECK_WORK / (2 * sizes->width * sizes->hidden);
    if (rows < CHECK_ROWS)
        rows = CHECK_ROWS;
    return (size_t)smaller(rows, sizes->batch);
}

uint64_t gb_batch_row(const gb_batch_sizes *sizes, size_t n, size_t i)
{
    return n == 1 ? 0 : i * (sizes->batch - 1) / (n - 1);
}

/* out[n][columns] = in[n][depth] x weights + bias, the weights made row by row. */
static void layer(const double *in, size_t n, uint64_t seed, int weights, int bias, size_t depth,
                  size_t columns, double *row, double *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < columns; c++)
            out[i * columns + c] = (double)gb_batch_value(seed, bias, c);
    for (size_t k = 0; k < depth; k++) {
        for (size_t c = 0; c < columns; c++)
            row[c] = (double)gb_batch_value(seed, weights, k * columns + c);
        for (size_t i = 0; i < n; i++) {
            const double x = in[i * depth + k];
            for (size_t c = 0; c < columns; c++)
                out[i * columns + c] += x * row[c];
        }
    }
}

static void rectify(double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = values[i] < 0 ? 0 : values[i];
}

static void narrow(const double *from, size_t n, float *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = (float)from[i];
}

gb_code gb_batch_reference_make(const gb_batch_sizes *sizes, uint64_t seed, gb_batch_reference *out,
                                gb_error *err)
{
    const size_t width = (size_t)sizes->width, hidden = (size_t)sizes->hidden;
    const size_t n = gb_batch_rows_checked(sizes), wider = width > hidden ? width : hidden;
    *out = (gb_batch_reference){.n = n};
    out->rows = calloc(n, sizeof *out->rows);
    out->hidden = calloc(n * hidden, sizeof *out->hidden);
    out->output = calloc(n * width, sizeof *out->output);
    double *outer = calloc(n * width, sizeof *outer);
    double *inner = calloc(n * hidden, sizeof *inner), *row = calloc(wider, sizeof *row);
    gb_code code = GB_OK;
    if (!out->rows || !out->hidden || !out->output || !outer || !inner || !row) {
        gb_batch_reference_free(out);
        code = gb_fail(err, GB_NO_MEMORY, "no memory for the reference of batch");
        goto done;
    }
    for (size_t i = 0; i < n; i++) {
        out->rows[i] = gb_batch_row(sizes, n, i);
        for (size_t k = 0; k < width; k++)
            outer[i * width + k] =
                (double)gb_batch_value(seed, BATCH_INPUT, out->rows[i] * width + k);
    }
    layer(outer, n, seed, BATCH_WEIGHTS_1, BATCH_BIAS_1, width, hidden, row, inner);
    rectify(inner, n * hidden);
    layer(inner, n, seed, BATCH_WEIGHTS_2, BATCH_BIAS_2, hidden, width, row, outer);
    narrow(inner, n * hidden, out->hidden);
    narrow(outer, n * width, out->output);
done:
    free(outer);
    free(inner);
    free(row);
    return code;
}

void gb_batch_reference_free(gb_batch_reference *reference)
{
    free(reference->rows);
    free(reference->hidden);
    free(reference->output);
    *reference = (gb_batch_reference){0};
}
