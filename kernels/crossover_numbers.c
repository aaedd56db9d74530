/* crossover: the jobs that compute with arrays of numbers: matmul, add, reduce. */
#include <stdlib.h>

#include "kernels/crossover_job.h"

GB_FN_DECLARE(crossover_add)
GB_FN_DECLARE_CPU_ONLY(crossover_sum_cpu)
GB_FN_DECLARE(crossover_sum_parts)
GB_FN_DECLARE(crossover_sum_all)

/* A thread adds up a page or more; beyond that a second one pays. */
#define LEAST_NUMBERS 16384

/* --- matmul ----------------------------------------------------------------------------------- */

static void matmul_shape(uint64_t n, crossover_shape *out)
{
    const crossover_array matrix = {sizeof(float), n * n};
    *out = (crossover_shape){.in = {matrix, matrix},
                             .out = matrix,
                             .flops = 2 * n * n * n,
                             .items = n * n,
                             .bytes = 3 * n * n * sizeof(float),
                             .compute = GB_COMPUTE_FP32};
}

static gb_code matmul_fill(gb_run *run, crossover_state *s, const gb_memory *a, const gb_memory *b,
                           gb_error *err)
{
    s->product =
        (matmul_reference){.type = MATMUL_FP32, .m = s->n, .n = s->n, .k = s->n, .seed = run->seed};
    return matmul_reference_make(run, &s->product, a, b, err);
}

/* The vendor's library on both. */
static gb_code matmul_run(gb_run *run, crossover_state *s, gb_error *err)
{
    const int n = (int)s->n;
    return run->dev->ops->gemm(run->dev, run->stream, GB_GEMM_FP32, n, n, n, s->at.in[0],
                               s->at.in[1], s->at.out, err);
}

static gb_code matmul_check(gb_run *run, crossover_state *s, const gb_memory *out, gb_error *err)
{
    return matmul_reference_check(run, &s->product, out, err);
}

const crossover_job crossover_matmul = {.word = "matmul",
                                        .max_n = 32768,
                                        .shape = matmul_shape,
                                        .fill = matmul_fill,
                                        .cpu = matmul_run,
                                        .gpu = matmul_run,
                                        .check = matmul_check};

/* --- add -------------------------------------------------------------------------------------- */

static void add_shape(uint64_t n, crossover_shape *out)
{
    const crossover_array numbers = {sizeof(float), n};
    *out = (crossover_shape){.in = {numbers, numbers},
                             .out = numbers,
                             .flops = n,
                             .items = n,
                             .bytes = 3 * n * sizeof(float),
                             .compute = GB_COMPUTE_FP32};
}

/* Whole numbers below 2^23: their sums are exact. */
static uint32_t addend(const crossover_state *s, unsigned which, uint64_t i)
{
    return gb_word32(s->seed + which, i) >> 9;
}

static void make_addends(const crossover_state *s, unsigned which, float *to, uint64_t first,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (float)addend(s, which, first + i);
}

static void make_a(void *user, void *elements, uint64_t first, size_t count)
{
    make_addends(user, 0, elements, first, count);
}

static void make_b(void *user, void *elements, uint64_t first, size_t count)
{
    make_addends(user, 1, elements, first, count);
}

static void compare_added(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                          size_t count)
{
    const crossover_state *s = user;
    const float *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_f64(bad, first + i,
                       (double)addend(s, 0, first + i) + (double)addend(s, 1, first + i),
                       (double)found[i], 0);
}

static gb_code add_cpu(gb_run *run, crossover_state *s, gb_error *err)
{
    void *args[] = {&s->at.out, &s->at.in[0], &s->at.in[1], &s->n};
    return crossover_on_cpu(run, GB_FN(crossover_add), crossover_parts(s, s->n, LEAST_NUMBERS),
                            args, err);
}

static gb_code add_gpu(gb_run *run, crossover_state *s, gb_error *err)
{
    void *args[] = {&s->at.out, &s->at.in[0], &s->at.in[1], &s->n};
    return crossover_on_gpu(run, GB_FN(crossover_add), s->n / (4 * CROSSOVER_BLOCK) + 1,
                            CROSSOVER_BLOCK, 1, args, err);
}

const crossover_job crossover_add = {.word = "add",
                                     .max_n = UINT64_C(1) << 34,
                                     .shape = add_shape,
                                     .make_in = {make_a, make_b},
                                     .cpu = add_cpu,
                                     .gpu = add_gpu,
                                     .compare_out = compare_added};

/* --- reduce ----------------------------------------------------------------------------------- */

/* Numbers in a block's part: some thousand parts, each exact in float. */
static uint32_t part_length(uint64_t n)
{
    const uint64_t step = 4 * CROSSOVER_BLOCK;
    const uint64_t length = (n / 1024 + step - 1) / step * step;
    if (length < 4 * step)
        return (uint32_t)(4 * step);
    return (uint32_t)(length < CROSSOVER_MAX_PART ? length : CROSSOVER_MAX_PART);
}

static uint32_t part_count(uint64_t n)
{
    return (uint32_t)((n + part_length(n) - 1) / part_length(n));
}

static void reduce_shape(uint64_t n, crossover_shape *out)
{
    *out = (crossover_shape){.in = {{sizeof(float), n}},
                             .out = {sizeof(double), 1},
                             .scratch = {sizeof(double), part_count(n)},
                             .flops = n,
                             .items = n,
                             .bytes = n * sizeof(float) + sizeof(double),
                             .compute = GB_COMPUTE_FP32};
}

/* A multiple of 1/32 in [1, 2), in 32nds: 2^18 of them are less than 2^24, and exact in float. */
static unsigned term(const crossover_state *s, uint64_t i)
{
    return 32 + (unsigned)(gb_mix(s->seed, i) >> 59);
}

static uint64_t sum_of(const crossover_state *s, uint64_t first, uint64_t end)
{
    uint64_t sum = 0;
    for (uint64_t i = first; i < end; i++)
        sum += term(s, i);
    return sum;
}

static gb_code reduce_begin(gb_run *run, crossover_state *s, gb_error *err)
{
    (void)run, (void)err;
    s->sum = sum_of(s, 0, s->n);
    return GB_OK;
}

static void make_terms(void *user, void *elements, uint64_t first, size_t count)
{
    float *to = elements;
    for (size_t i = 0; i < count; i++)
        to[i] = (float)term(user, first + i) / 32.0f;
}

static void compare_sum(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                        size_t count)
{
    const crossover_state *s = user;
    (void)count;
    gb_compare_f64(bad, first, (double)s->sum / 32, *(const double *)elements, 0);
}

static void compare_partial(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                            size_t count)
{
    const crossover_state *s = user;
    const double *found = elements;
    const uint64_t length = part_length(s->n);
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = (first + i) * length, left = s->n - from;
        const uint64_t sum = sum_of(s, from, from + (left < length ? left : length));
        gb_compare_f64(bad, first + i, (double)sum / 32, found[i], 0);
    }
}

static size_t reduce_plain(const crossover_state *s)
{
    return s->workers * sizeof(double);
}

static gb_code reduce_cpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t parts = crossover_parts(s, s->n, LEAST_NUMBERS);
    double *partial = s->plain, sum = 0;
    void *args[] = {&s->plain, &s->at.in[0], &s->n, &parts};
    gb_code code = crossover_on_cpu(run, GB_FN(crossover_sum_cpu), parts, args, err);
    for (uint32_t i = 0; i < parts; i++)
        sum += partial[i];
    if (code == GB_OK)
        *(double *)s->at.out = sum;
    return code;
}

static gb_code reduce_gpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t length = part_length(s->n), parts = part_count(s->n);
    void *args[] = {&s->scratch.device, &s->at.in[0], &s->n, &length, &parts};
    gb_code code =
        crossover_on_gpu(run, GB_FN(crossover_sum_parts), parts, CROSSOVER_BLOCK, 1, args, err);
    return code == GB_OK ? crossover_on_gpu(run, GB_FN(crossover_sum_all), 1, CROSSOVER_BLOCK, 1,
                                            (void *[]){&s->at.out, &s->scratch.device, &parts}, err)
                         : code;
}

const crossover_job crossover_reduce = {.word = "reduce",
                                        .max_n = UINT64_C(1) << 34,
                                        .shape = reduce_shape,
                                        .begin = reduce_begin,
                                        .make_in = {make_terms, NULL},
                                        .plain_bytes = reduce_plain,
                                        .cpu = reduce_cpu,
                                        .gpu = reduce_gpu,
                                        .compare_out = compare_sum,
                                        .compare_scratch = compare_partial};
