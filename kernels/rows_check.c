#include "kernels/rows_check.h"

#include <float.h>
#include <stdlib.h>

#include "kernels/common.h"
#include "kernels/rows.h"

/* --- test data: exact in FP32, and so are their sums and differences -------------------------- */

enum { OF_X, OF_GAIN, OF_SHIFT };

/* [0, 1) */
static inline double fraction(uint64_t seed, int series, uint64_t i)
{
    return (double)(gb_mix_twice(seed + (uint64_t)series, i) >> 52) / 4096;
}

/* Multiples of 2^-8: in [-8, 8), where 8,192 of them add up to at most 2^24 units; for softmax 92
 * and more away from that, to one side in even rows and to the other in odd ones, where e^x is more
 * than FP32 holds, or 0 but for a few bits. */
static inline double value(const rows_state *s, uint64_t row, uint64_t column)
{
    double offset = s->op == ROWS_SOFTMAX ? 100.0 + (double)(row % 64) : 0;
    if (row % 2 != 0)
        offset = -offset;
    return offset + 16 * fraction(s->seed, OF_X, row * s->columns + column) - 8;
}

static inline double gain(const rows_state *s, uint64_t column)
{
    return 0.5 + fraction(s->seed, OF_GAIN, column);
}

static inline double shift(const rows_state *s, uint64_t column)
{
    return 2 * fraction(s->seed, OF_SHIFT, column) - 1;
}

/* An element is a row. */
static void make_rows(void *user, void *elements, uint64_t first, size_t count)
{
    const rows_state *s = user;
    float *values = elements;
    for (size_t i = 0; i < count; i++)
        for (uint64_t c = 0; c < s->columns; c++)
            values[i * s->columns + c] = (float)value(s, first + i, c);
}

static void make_gain(void *user, void *elements, uint64_t first, size_t count)
{
    float *values = elements;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)gain(user, first + i);
}

static void make_shift(void *user, void *elements, uint64_t first, size_t count)
{
    float *values = elements;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)shift(user, first + i);
}

/* What rows should be centred on and scaled by. */
static void make_reference(void *context, uint64_t first, uint64_t end)
{
    const rows_state *s = context;
    for (uint64_t r = first; r < end; r++) {
        double joined = value(s, r, 0), sum = 0;
        for (uint64_t i = 1; i < s->columns; i++) {
            const double x = value(s, r, i);
            joined = s->op == ROWS_LAYERNORM ? joined + x : fmax(joined, x);
        }
        const double n = (double)s->columns, centre = s->op == ROWS_LAYERNORM ? joined / n : joined;
        for (uint64_t i = 0; i < s->columns; i++) {
            const double x = value(s, r, i) - centre;
            sum += s->op == ROWS_LAYERNORM ? x * x : exp(x);
        }
        s->centres[r] = centre;
        s->scales[r] = s->op == ROWS_LAYERNORM ? 1 / sqrt(sum / n + (double)ROWS_EPSILON) : 1 / sum;
    }
}

gb_code rows_make(gb_run *run, rows_state *s, gb_error *err)
{
    s->centres = calloc(s->rows, sizeof(double));
    s->scales = calloc(s->rows, sizeof(double));
    if (s->centres == NULL || s->scales == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the reference of rows");
    gb_host_run(s->rows, make_reference, s);
    gb_code code =
        gb_memory_write(run, &s->x, s->columns * sizeof(float), s->rows, make_rows, s, err);
    if (code == GB_OK && s->op == ROWS_LAYERNORM)
        code = gb_memory_write(run, &s->gain, sizeof(float), s->columns, make_gain, s, err);
    if (code == GB_OK && s->op == ROWS_LAYERNORM)
        code = gb_memory_write(run, &s->shift, sizeof(float), s->columns, make_shift, s, err);
    return code;
}

void rows_forget(rows_state *s)
{
    free(s->centres);
    free(s->scales);
    s->centres = s->scales = NULL;
}

/* --- verification ----------------------------------------------------------------------------- */

/* How far results may be off, as multiples of the unit roundoff u: twice a bound to the first
 * order, by N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, chapters 3
 * and 4. A term of a sum goes through so many additions: those of its thread and 8 of the tree.
 *
 * softmax: x less the largest is exact; e^x is within 4 u (rows.h; CUDA's expf within 2 u: CUDA C++
 * Programming Guide, mathematical functions); the sum of positive terms is within 4 + additions;
 * the quotient and the product add one each.
 *
 * layernorm: the sum is exact, so that the mean is off by u |mean|, and each difference by that and
 * by u of itself. What the mean is off by cancels in the variance but for the second order; the
 * relative error of the variance, additions + 5, counts half under the root. Root, quotient, the
 * products with scale and gain and the sum with the shift add one each. */
static double additions(const rows_state *s)
{
    return (double)((s->columns + ROWS_BLOCK - 1) / ROWS_BLOCK + 8);
}

static double scale_tolerance(const rows_state *s, double scale)
{
    return (double)FLT_EPSILON * (additions(s) + 8) * scale;
}

static double result_tolerance(const rows_state *s, uint64_t row, double scaled, double result,
                               double gain_of_column)
{
    const double relative = (double)FLT_EPSILON * (additions(s) + 12) * fabs(scaled);
    if (s->op == ROWS_SOFTMAX)
        return relative;
    return relative + (double)FLT_EPSILON *
                          (fabs(s->centres[row]) * s->scales[row] * gain_of_column + fabs(result));
}

/* An element is a row. */
static void compare_rows(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                         size_t count)
{
    const rows_state *s = user;
    const float *found = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t r = first + i;
        for (uint64_t k = 0; k < s->columns; k++) {
            const double x = value(s, r, k) - s->centres[r];
            double want = s->scales[r] * (s->op == ROWS_SOFTMAX ? exp(x) : x), scaled = want, g = 1;
            if (s->op == ROWS_LAYERNORM) {
                g = gain(s, k);
                scaled = want * g;
                want = scaled + shift(s, k);
            }
            gb_compare_f64(bad, r * s->columns + k, want, (double)found[i * s->columns + k],
                           result_tolerance(s, r, scaled, want, g));
        }
    }
}

static void compare_centres(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                            size_t count)
{
    const rows_state *s = user;
    const float *found = elements;
    for (size_t i = 0; i < count; i++) {
        const double want = s->centres[first + i];
        gb_compare_f64(bad, first + i, want, (double)found[i],
                       s->op == ROWS_SOFTMAX ? 0 : (double)FLT_EPSILON * fabs(want));
    }
}

static void compare_scales(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                           size_t count)
{
    const rows_state *s = user;
    const float *found = elements;
    for (size_t i = 0; i < count; i++) {
        const double want = s->scales[first + i];
        gb_compare_f64(bad, first + i, want, (double)found[i], scale_tolerance(s, want));
    }
}

/* `columns` numbers a row of what a launch has written. */
static gb_code compare(gb_run *run, rows_state *s, const gb_memory *memory, const char *what,
                       uint64_t columns, gb_compare_fn how, gb_error *err)
{
    gb_mismatch bad = {0};
    const uint64_t rows = s->rows;
    gb_code code = gb_memory_compare(run, memory, columns * sizeof(float), rows, how, s, &bad, err);
    if (code != GB_OK)
        return code;
    return gb_mismatch_result(&bad, what, rows * columns, sizeof(float), err);
}

gb_code rows_check(gb_run *run, rows_state *s, gb_error *err)
{
    const bool softmax = s->op == ROWS_SOFTMAX;
    gb_code code = GB_OK;
    if (s->separate)
        code =
            compare(run, s, &s->centre, softmax ? "softmax: largest numbers" : "layernorm: means",
                    1, compare_centres, err);
    if (code == GB_OK && s->separate)
        code = compare(run, s, &s->scale,
                       softmax ? "softmax: inverse sums" : "layernorm: inverse deviations", 1,
                       compare_scales, err);
    if (code == GB_OK)
        code = compare(run, s, &s->out, softmax ? "softmax" : "layernorm", s->columns, compare_rows,
                       err);
    return code;
}
