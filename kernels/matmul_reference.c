#include "kernels/matmul_reference.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common.h"
#include "kernels/half.h"

/* Products with at most this many multiplications are compared element by element. */
#define SMALL (UINT64_C(1) << 22)
/* Rows that are compared element by element in a larger one: two fixed, two random, four bad. */
#define RANDOM_ROWS 2
#define BAD_ROWS 4
#define MAX_ROWS (2 + RANDOM_ROWS + BAD_ROWS)
/* Standard deviation of an element of A or B, and of a product of two. */
#define DEVIATION 0.57735026918962576
#define PRODUCT_DEVIATION (1.0 / 3)

enum { OF_A, OF_B, OF_WEIGHTS, OF_ROWS }; /* series of random numbers */

/* What a type holds and how it is summed up. */
static const struct {
    size_t bytes;
    unsigned bits;                /* of an element of A or B; FP64: half a step must be exact too */
    double step;                  /* 2^(1 - bits) */
    double sum_unit, result_unit; /* half the epsilon of the sums and of C */
    bool cuts;                    /* tensor cores, see the header */
} types[MATMUL_TYPES] = {
    [MATMUL_FP32] = {sizeof(float), 24, 0x1p-23, 0x1p-24, 0x1p-24, false},
    [MATMUL_TF32] = {sizeof(float), 11, 0x1p-10, 0x1p-24, 0x1p-24, true},
    [MATMUL_FP16] = {sizeof(uint16_t), 11, 0x1p-10, 0x1p-24, 0x1p-11, true},
    [MATMUL_BF16] = {sizeof(uint16_t), 8, 0x1p-7, 0x1p-24, 0x1p-8, true},
    [MATMUL_FP64] = {sizeof(double), 52, 0x1p-51, 0x1p-53, 0x1p-53, false},
};

size_t matmul_type_bytes(matmul_type type)
{
    return types[type].bytes;
}

/* --- test data -------------------------------------------------------------------------------- */

/* Two rounds: the high bits of one are a plain lattice over the index, whose products are not those
 * of independent numbers. */
static inline uint64_t random_bits(uint64_t seed, uint64_t index)
{
    return gb_mix(~seed, gb_mix(seed, index));
}

/* An odd multiple of 2^-bits in (-1, 1): the type holds it exactly, and it is never zero. */
static inline double element(matmul_type type, uint64_t seed, uint64_t index)
{
    const uint64_t number = random_bits(seed, index) >> (64 - types[type].bits);
    return ((double)number + 0.5) * types[type].step - 1;
}

static inline void store(matmul_type type, void *elements, size_t i, double value)
{
    if (type == MATMUL_FP64)
        ((double *)elements)[i] = value;
    else if (type == MATMUL_FP16)
        ((uint16_t *)elements)[i] = gb_half_encode(value, GB_FP16_EXPONENT);
    else if (type == MATMUL_BF16)
        ((uint16_t *)elements)[i] = gb_half_encode(value, GB_BF16_EXPONENT);
    else
        ((float *)elements)[i] = (float)value;
}

static inline double load(matmul_type type, const void *elements, size_t i)
{
    if (type == MATMUL_FP64)
        return ((const double *)elements)[i];
    if (type == MATMUL_FP16)
        return gb_half_decode(((const uint16_t *)elements)[i], GB_FP16_EXPONENT);
    if (type == MATMUL_BF16)
        return gb_half_decode(((const uint16_t *)elements)[i], GB_BF16_EXPONENT);
    return (double)((const float *)elements)[i];
}

static double weight(uint64_t seed, uint64_t j)
{
    const uint64_t bits = random_bits(seed, j);
    const double size = 1 + (double)(bits >> 12) * 0x1p-52;
    return bits & 1 ? size : -size;
}

/* --- making ----------------------------------------------------------------------------------- */

/* In these three walks an element is a whole row, so that what is summed up over a row belongs to
 * one call. */
static void make_b(void *user, void *rows, uint64_t first, size_t count)
{
    const matmul_reference *r = user;
    const uint64_t seed = gb_rng_derive(r->seed, OF_B);
    for (size_t i = 0; i < count; i++) {
        double through = 0;
        for (uint64_t column = 0; column < r->n; column++) {
            const double value = element(r->type, seed, (first + i) * r->n + column);
            store(r->type, rows, i * r->n + column, value);
            through += value * r->weights[column];
        }
        r->through[first + i] = through;
    }
}

static void make_a(void *user, void *rows, uint64_t first, size_t count)
{
    const matmul_reference *r = user;
    const uint64_t seed = gb_rng_derive(r->seed, OF_A);
    for (size_t i = 0; i < count; i++) {
        double expected = 0, norm = 0;
        for (uint64_t column = 0; column < r->k; column++) {
            const double value = element(r->type, seed, (first + i) * r->k + column);
            store(r->type, rows, i * r->k + column, value);
            expected += value * r->through[column];
            norm += value * value;
        }
        r->expected[first + i] = expected;
        r->norms[first + i] = norm;
    }
}

gb_code matmul_reference_make(gb_run *run, matmul_reference *r, const gb_memory *a,
                              const gb_memory *b, gb_error *err)
{
    const size_t size = types[r->type].bytes;
    r->weights = calloc(r->n, sizeof(double));
    r->through = calloc(r->k, sizeof(double));
    r->expected = calloc(r->m, sizeof(double));
    r->norms = calloc(r->m, sizeof(double));
    if (r->weights == NULL || r->through == NULL || r->expected == NULL || r->norms == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the check of a matrix product");
    const uint64_t seed = gb_rng_derive(r->seed, OF_WEIGHTS);
    r->weights_squared = 0;
    for (uint64_t j = 0; j < r->n; j++) {
        r->weights[j] = weight(seed, j);
        r->weights_squared += r->weights[j] * r->weights[j];
    }
    gb_code code = gb_memory_write(run, b, size * r->n, r->k, make_b, r, err);
    if (code == GB_OK)
        code = gb_memory_write(run, a, size * r->k, r->m, make_a, r, err);
    return code;
}

void matmul_reference_free(matmul_reference *r)
{
    free(r->weights);
    free(r->through);
    free(r->expected);
    free(r->norms);
    *r = (matmul_reference){0};
}

/* --- checking --------------------------------------------------------------------------------- */

/* How far the sum of k products may be off; the header has the reasons. */
static double sum_tolerance(const matmul_reference *r)
{
    const double k = (double)r->k, unit = types[r->type].sum_unit;
    const double rounding = 8 * (k + 8) * unit * PRODUCT_DEVIATION;
    return types[r->type].cuts ? rounding + k * unit * sqrt(k) * PRODUCT_DEVIATION : rounding;
}

static double row_tolerance(const matmul_reference *r, uint64_t row)
{
    const double m_unit = types[r->type].result_unit, k = (double)r->k, n = (double)r->n;
    const double each = sum_tolerance(r) + m_unit * sqrt(r->norms[row]) * DEVIATION;
    /* and what the reference, in double, may be off itself */
    const double own = 0x1p-50 * (k * sqrt(n) + n * sqrt(k));
    return 8 * sqrt(r->weights_squared) * each + own;
}

typedef struct checking {
    const matmul_reference *r;
    uint64_t row;     /* the one that is compared */
    double *products; /* [n] what it should be */
    double *sums;     /* [m] of the rows found */
    gb_mismatch bad;
} checking;

/* One row of the product, in double. */
static void multiply_row(checking *c, uint64_t row)
{
    const matmul_reference *r = c->r;
    const uint64_t seed_a = gb_rng_derive(r->seed, OF_A), seed_b = gb_rng_derive(r->seed, OF_B);
    memset(c->products, 0, r->n * sizeof(double));
    for (uint64_t l = 0; l < r->k; l++) {
        const double a = element(r->type, seed_a, row * r->k + l);
        for (uint64_t j = 0; j < r->n; j++)
            c->products[j] += a * element(r->type, seed_b, l * r->n + j);
    }
}

static void compare_row(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                        size_t count)
{
    const checking *c = user;
    const matmul_reference *r = c->r;
    const double unit = types[r->type].result_unit, sum = sum_tolerance(r);
    for (size_t i = 0; i < count; i++) {
        const double want = c->products[first + i];
        gb_compare_f64(bad, c->row * r->n + first + i, want, load(r->type, elements, i),
                       sum + unit * fabs(want));
    }
}

static gb_code check_row(gb_run *run, checking *c, const gb_memory *memory, uint64_t row,
                         gb_error *err)
{
    const matmul_reference *r = c->r;
    const size_t size = types[r->type].bytes, bytes = (size_t)r->n * size;
    gb_memory line = {.kind = memory->kind, .bytes = bytes};
    if (memory->host != NULL)
        line.host = (char *)memory->host + row * bytes;
    else
        line.device = (char *)memory->device + row * bytes;
    c->row = row;
    multiply_row(c, row);
    return gb_memory_compare(run, &line, size, r->n, compare_row, c, &c->bad, err);
}

static void sum_rows(void *user, gb_mismatch *bad, const void *rows, uint64_t first, size_t count)
{
    const checking *c = user;
    const matmul_reference *r = c->r;
    (void)bad; /* judged when all sums are there */
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (uint64_t column = 0; column < r->n; column++)
            sum += load(r->type, rows, i * r->n + column) * r->weights[column];
        c->sums[first + i] = sum;
    }
}

/* Rows to compare element by element, ascending, each once. Returns how many. */
static size_t choose_rows(const matmul_reference *r, const uint64_t bad[], size_t n_bad,
                          uint64_t rows[MAX_ROWS])
{
    const uint64_t seed = gb_rng_derive(r->seed, OF_ROWS);
    uint64_t wanted[MAX_ROWS] = {0, r->m - 1};
    size_t n_wanted = 2, n = 0;
    for (uint64_t i = 0; i < RANDOM_ROWS; i++)
        wanted[n_wanted++] = random_bits(seed, i) % r->m;
    for (size_t i = 0; i < n_bad; i++)
        wanted[n_wanted++] = bad[i];
    for (size_t i = 0; i < n_wanted; i++) {
        size_t at = n;
        while (at > 0 && rows[at - 1] > wanted[i])
            at--;
        if (at > 0 && rows[at - 1] == wanted[i])
            continue;
        memmove(&rows[at + 1], &rows[at], (n - at) * sizeof rows[0]);
        rows[at] = wanted[i];
        n++;
    }
    return n;
}

static gb_code check_small(gb_run *run, checking *c, const gb_memory *memory, gb_error *err)
{
    const matmul_reference *r = c->r;
    gb_code code = GB_OK;
    for (uint64_t row = 0; row < r->m && code == GB_OK; row++)
        code = check_row(run, c, memory, row, err);
    if (code != GB_OK)
        return code;
    return gb_mismatch_result(&c->bad, "matmul", r->m * r->n, types[r->type].bytes, err);
}

static gb_code check_large(gb_run *run, checking *c, const gb_memory *memory, gb_error *err)
{
    const matmul_reference *r = c->r;
    const size_t size = types[r->type].bytes;
    uint64_t bad[BAD_ROWS], rows[MAX_ROWS], n_bad = 0;
    gb_code code = gb_memory_compare(run, memory, size * r->n, r->m, sum_rows, c, &c->bad, err);
    if (code != GB_OK)
        return code;
    for (uint64_t row = 0; row < r->m; row++)
        if (!(fabs(c->sums[row] - r->expected[row]) <= row_tolerance(r, row)) && n_bad++ < BAD_ROWS)
            bad[n_bad - 1] = row;
    const size_t n_rows = choose_rows(r, bad, n_bad < BAD_ROWS ? n_bad : BAD_ROWS, rows);
    for (size_t i = 0; i < n_rows && code == GB_OK; i++)
        code = check_row(run, c, memory, rows[i], err);
    if (code != GB_OK)
        return code;
    code = gb_mismatch_result(&c->bad, "matmul", n_rows * r->n, size, err);
    if (code != GB_OK && (n_bad > BAD_ROWS || r->m > n_rows))
        (void)gb_fail_context(err,
                              "the sums of %llu of %llu rows are wrong; in the %zu rows that were "
                              "compared in full",
                              (unsigned long long)n_bad, (unsigned long long)r->m, n_rows);
    if (code == GB_OK && n_bad > 0)
        return gb_fail(err, GB_WRONG_RESULT,
                       "matmul: the weighted sums of %llu of %llu rows are wrong; the first is row "
                       "%llu: expected %.17g, found %.17g",
                       (unsigned long long)n_bad, (unsigned long long)r->m,
                       (unsigned long long)bad[0], r->expected[bad[0]], c->sums[bad[0]]);
    return code;
}

gb_code matmul_reference_check(gb_run *run, const matmul_reference *r, const gb_memory *memory,
                               gb_error *err)
{
    checking c = {
        .r = r, .products = calloc(r->n, sizeof(double)), .sums = calloc(r->m, sizeof(double))};
    gb_code code;
    if (c.products == NULL || c.sums == NULL)
        code = gb_fail(err, GB_NO_MEMORY, "no memory for the check of a matrix product");
    else if (r->m * r->n * r->k <= SMALL)
        code = check_small(run, &c, memory, err);
    else
        code = check_large(run, &c, memory, err);
    free(c.products);
    free(c.sums);
    return code;
}
