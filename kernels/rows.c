/* rows: softmax and layer norm, in one launch or in three. See rows.cu. */
#include "kernels/rows.h"

#include "kernels/common.h"
#include "kernels/rows_check.h"

#define DECLARE(op)                                                                                \
    GB_FN_DECLARE(op##_fused)                                                                      \
    GB_FN_DECLARE(op##_centre)                                                                     \
    GB_FN_DECLARE(op##_scale)                                                                      \
    GB_FN_DECLARE(op##_write)
DECLARE(rows_softmax)
DECLARE(rows_layernorm)

enum { OP, VARIANT, ROWS, COLUMNS };
enum variant { FUSED, SEPARATE };
static const char *const op_words[] = {/* rows_op */
                                       "softmax", "layernorm", NULL};
static const char *const variant_words[] = {"fused", "separate", NULL};
enum { DO_ALL, DO_CENTRE, DO_SCALE, DO_WRITE };
static const gb_fn *const functions[][4] = {
    {GB_FN(rows_softmax_fused), GB_FN(rows_softmax_centre), GB_FN(rows_softmax_scale),
     GB_FN(rows_softmax_write)},
    {GB_FN(rows_layernorm_fused), GB_FN(rows_layernorm_centre), GB_FN(rows_layernorm_scale),
     GB_FN(rows_layernorm_write)},
};

static const gb_param params[] = {
    [OP] = GB_WORD_PARAM("op", op_words, "softmax",
                         "softmax: e to the power of each number, as a share of their sum; "
                         "layernorm: each number less the mean, over the standard deviation, with "
                         "a gain and a shift for each column"),
    [VARIANT] = GB_WORD_PARAM("variant", variant_words, "fused",
                              "fused: one launch, a row stays in shared memory; separate: a launch "
                              "for each of the three passes over the matrix"),
    [ROWS] = GB_COUNT_PARAM("rows", "rows", 1, UINT64_C(1) << 24, 2048, "rows of the matrix"),
    [COLUMNS] = GB_COUNT_PARAM("columns", "columns", 1, ROWS_MAX_COLUMNS, 2048,
                               "numbers of 4 bytes in a row"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH(
        "bytes of the matrix, read once and written once whatever the variant does, and of "
        "layer norm's gain and shift, read once, over time"),
};

static rows_op op_of(const gb_value args[])
{
    return (rows_op)gb_word_index(op_words, args[OP]);
}

static enum variant variant_of(const gb_value args[])
{
    return (enum variant)gb_word_index(variant_words, args[VARIANT]);
}

/* Numbers a column besides those of the matrix, and numbers a row. */
static uint64_t column_values(const gb_value args[])
{
    return op_of(args) == ROWS_LAYERNORM ? 2 : 0;
}

static uint64_t row_values(const gb_value args[])
{
    return variant_of(args) == SEPARATE ? 2 : 0;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const uint64_t rows = args[ROWS].number, columns = args[COLUMNS].number;
    (void)kind;
    (void)err;
    *need = (gb_need){.device_bytes =
                          sizeof(float) * (2 * rows * columns + column_values(args) * columns +
                                           row_values(args) * rows)};
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const uint64_t columns = args[COLUMNS].number, n = args[ROWS].number * columns;
    const uint64_t read = sizeof(float) * (n + column_values(args) * columns);
    (void)kind;
    *out = (gb_work){
        .bytes_read = read,
        .bytes_written = sizeof(float) * n,
        .bytes_moved = read + sizeof(float) * n,
        .items = args[ROWS].number,
        .working_set = read + sizeof(float) * (n + row_values(args) * args[ROWS].number),
        .ceiling = GB_CEILING_MEMORY,
    };
}

static gb_code allocate(gb_run *run, rows_state *s, gb_error *err)
{
    const uint64_t matrix = s->rows * s->columns * sizeof(float);
    const uint64_t row = s->op == ROWS_LAYERNORM ? s->columns * sizeof(float) : 0;
    const uint64_t column = s->separate ? s->rows * sizeof(float) : 0;
    const gb_array arrays[] = {{&s->x, matrix},  {&s->out, matrix},    {&s->gain, row},
                               {&s->shift, row}, {&s->centre, column}, {&s->scale, column},
                               {NULL, 0}};
    return gb_state_alloc(run, arrays, err);
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    rows_state *s = gb_state_new(run, sizeof *s, "rows", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->op = op_of(run->args);
    s->separate = variant_of(run->args) == SEPARATE;
    s->rows = run->args[ROWS].number;
    s->columns = run->args[COLUMNS].number;
    s->seed = gb_rng_derive(run->seed, 0);
    s->launch = gb_launch_shape(run->dev, s->rows * ROWS_BLOCK, ROWS_BLOCK);
    if (!s->separate)
        s->launch.shared_bytes = (uint32_t)(s->columns * sizeof(float));
    gb_code code = allocate(run, s, err);
    if (code == GB_OK)
        code = rows_make(run, s, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    rows_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    const gb_fn *const *fn = functions[s->op];
    if (!s->separate)
        return ops->launch(run->dev, run->stream, fn[DO_ALL], &s->launch,
                           (void *[]){&s->out.device, &s->x.device, &s->gain.device,
                                      &s->shift.device, &s->rows, &s->columns},
                           err);
    gb_code code =
        ops->launch(run->dev, run->stream, fn[DO_CENTRE], &s->launch,
                    (void *[]){&s->centre.device, &s->x.device, &s->rows, &s->columns}, err);
    if (code == GB_OK)
        code = ops->launch(
            run->dev, run->stream, fn[DO_SCALE], &s->launch,
            (void *[]){&s->scale.device, &s->x.device, &s->centre.device, &s->rows, &s->columns},
            err);
    if (code == GB_OK)
        code = ops->launch(run->dev, run->stream, fn[DO_WRITE], &s->launch,
                           (void *[]){&s->out.device, &s->x.device, &s->centre.device,
                                      &s->scale.device, &s->gain.device, &s->shift.device, &s->rows,
                                      &s->columns},
                           err);
    return code;
}

static uint32_t behind_gate(const gb_value args[])
{
    return variant_of(args) == SEPARATE ? 3 : 1;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    rows_state *s = run->state;
    gb_code code = gb_memory_poison(run, &s->out, err);
    if (code == GB_OK && s->separate)
        code = gb_memory_poison(run, &s->centre, err);
    if (code == GB_OK && s->separate)
        code = gb_memory_poison(run, &s->scale, err);
    return code;
}

static gb_code verify(gb_run *run, gb_error *err)
{
    return rows_check(run, run->state, err);
}

static void release(gb_run *run)
{
    rows_state *s = run->state;
    if (s == NULL)
        return;
    rows_forget(s);
    gb_state_free(
        run, (gb_memory *[]){&s->x, &s->out, &s->gain, &s->shift, &s->centre, &s->scale, NULL});
}

const gb_kernel gb_kernel_rows = {
    .spec =
        {
            .name = "rows",
            .summary = "softmax and layer norm of a matrix's rows, in one launch or in three",
            .lesson =
                "Between the products of a model stand operations that do little with each number "
                "and look at a whole row first: its largest number and a sum of exponentials, or "
                "its mean and its variance. They are bound by memory, so what counts is how often "
                "the matrix passes over the bus. A program that is put together from single "
                "operations reads it for each of them; a fused kernel reads it once, keeps the "
                "row close to the arithmetic and writes it once. The largest number is taken off "
                "before the exponential because e to the power of 89 is more than FP32 can hold: "
                "the test data lie beyond that.",
            .picture =
                "Bandwidth over columns, counted as one reading and one writing for both "
                "variants: fused rises to the speed of memory once rows are long enough to keep "
                "256 threads busy. separate reads three times and writes once, so it is at half "
                "of that, and lower for small matrices, where three launches cost more than one. "
                "Where the matrix fits into the last cache the second and the third reading come "
                "from there, and the distance shrinks. On a CPU softmax also has its exponentials "
                "to compute, twice when separate.",
            .source = "kernels/rows.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,

        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
    .behind_gate = behind_gate,
};
