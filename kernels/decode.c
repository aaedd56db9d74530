/* decode: a token through the weight matrices of a transformer's layers. See decode.cu. */
#include "kernels/decode.h"

#include <stdlib.h>

#include "kernels/common.h"
#include "kernels/decode_weights.h"

#define DECLARE(type)                                                                              \
    GB_FN_DECLARE(decode_warps_##type)                                                             \
    GB_FN_DECLARE_CPU_ONLY(decode_rows_##type)
DECLARE(fp32)
DECLARE(fp16)
DECLARE(int8)
DECLARE(int4)

enum { WEIGHTS, HIDDEN, KV, INTERMEDIATE, LAYERS, HOLD };
static const char *const weight_words[] = {"fp32", "fp16", "int8", "int4", NULL};
static const gb_fn *const functions[][GB_DEVICE_KINDS] = {
    [DECODE_FP32] = {[GB_CPU] = GB_FN(decode_rows_fp32), [GB_CUDA] = GB_FN(decode_warps_fp32)},
    [DECODE_FP16] = {[GB_CPU] = GB_FN(decode_rows_fp16), [GB_CUDA] = GB_FN(decode_warps_fp16)},
    [DECODE_INT8] = {[GB_CPU] = GB_FN(decode_rows_int8), [GB_CUDA] = GB_FN(decode_warps_int8)},
    [DECODE_INT4] = {[GB_CPU] = GB_FN(decode_rows_int4), [GB_CUDA] = GB_FN(decode_warps_int4)},
};

/* Products of a layer; all are launches, and the gate bears 512 (device/gate.h). */
#define PRODUCTS 4
#define MAX_LAYERS 128

static const gb_param params[] = {
    [WEIGHTS] = GB_WORD_PARAM("weights", weight_words, "fp16",
                              "how a weight is stored; int8 and int4 with a scale (fp16) for each "
                              "32 of a row. Vectors and sums are fp32"),
    [HIDDEN] = GB_COUNT_PARAM("hidden", NULL, 1, 65536, 2048, "values of a token between layers"),
    [KV] =
        GB_COUNT_PARAM("kv", NULL, 0, 65536, 0,
                       "rows of the matrix of keys, and of that of values; 0: as many as hidden"),
    [INTERMEDIATE] = GB_COUNT_PARAM("intermediate", NULL, 1, 262144, 5632,
                                    "values inside the feed-forward part of a layer"),
    [LAYERS] = GB_COUNT_PARAM("layers", NULL, 1, MAX_LAYERS, 22, "that a token goes through"),
    [HOLD] =
        GB_BYTES_PARAM("hold", UINT64_C(1) << 20, UINT64_C(1) << 40, UINT64_C(256) << 20,
                       "bytes of weights that are in memory, in whole layers, at most all: the "
                       "token's layers take turns with them"),
};

static const gb_metric_spec metrics[] = {
    GB_ITEM_RATE("token_rate", GB_WHOLE,
                 "tokens a second, of one sequence: the weights of the layers alone"),
    GB_BANDWIDTH("bytes of the weights as they are stored, with their scales, and of the vectors, "
                 "over time"),
    GB_FLOP_RATE("2 operations a weight over time"),
};

/* Where a layer's products stand among those rows that have the same number of columns. */
typedef struct shape {
    uint64_t hidden, kv, intermediate, layers, held;
    decode_layout wide, down; /* rows of `hidden` and of `intermediate` weights */
    uint64_t wide_rows;       /* of a layer; down has `hidden` */
} shape;

static uint64_t layer_bytes(const shape *s)
{
    return s->wide_rows * s->wide.stride + s->hidden * s->down.stride;
}

static shape shape_of(const gb_value args[], gb_device_kind kind)
{
    const decode_type type = (decode_type)gb_word_index(weight_words, args[WEIGHTS]);
    shape s = {.hidden = args[HIDDEN].number,
               .kv = args[KV].number > 0 ? args[KV].number : args[HIDDEN].number,
               .intermediate = args[INTERMEDIATE].number,
               .layers = args[LAYERS].number};
    s.wide = decode_layout_of(type, s.hidden, kind);
    s.down = decode_layout_of(type, s.intermediate, kind);
    /* query, key and value; output; gate and up */
    s.wide_rows = (s.hidden + 2 * s.kv) + s.hidden + 2 * s.intermediate;
    const uint64_t bytes = layer_bytes(&s), wanted = (args[HOLD].number + bytes - 1) / bytes;
    s.held = wanted < s.layers ? wanted : s.layers;
    return s;
}

/* Results of a layer. */
static uint64_t layer_rows(const shape *s)
{
    return s->wide_rows + s->hidden;
}

static uint64_t longest_row(const shape *s)
{
    const uint64_t wide = decode_padded(&s->wide), down = decode_padded(&s->down);
    return wide > down ? wide : down;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)err;
    const shape s = shape_of(args, kind);
    const uint64_t values = s.layers * layer_rows(&s) + longest_row(&s);
    *need = (gb_need){.device_bytes = s.held * layer_bytes(&s) + values * sizeof(float)};
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const shape s = shape_of(args, kind);
    const uint64_t vectors = (PRODUCTS - 1) * s.hidden + s.intermediate; /* read by a layer */
    const uint64_t weights = s.wide_rows * s.hidden + s.hidden * s.intermediate;
    const uint64_t read = s.layers * (layer_bytes(&s) + vectors * sizeof(float));
    const uint64_t written = s.layers * layer_rows(&s) * sizeof(float);
    *out = (gb_work){.bytes_read = read,
                     .bytes_written = written,
                     .bytes_moved = read + written,
                     .flops = 2 * s.layers * weights,
                     .items = 1,
                     .working_set = s.held * layer_bytes(&s) + longest_row(&s) * sizeof(float),
                     .ceiling = GB_CEILING_MEMORY,
                     .compute = GB_COMPUTE_FP32};
}

typedef struct state {
    shape shape;
    const gb_fn *fn;
    gb_memory wide, down, x, y;
    float *host_x;
    decode_expected *expected; /* held x layer_rows: of the wide rows of all layers, then down's */
} state;

static void copy_x(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    float *to = elements;
    for (size_t i = 0; i < count; i++)
        to[i] = s->host_x[first + i];
}

enum { OF_X, OF_WIDE, OF_DOWN }; /* series of random numbers */

static gb_code make_data(gb_run *run, state *s, gb_error *err)
{
    const shape *h = &s->shape;
    const uint64_t wide_rows = h->held * h->wide_rows, n = longest_row(h);
    decode_make_x(gb_rng_derive(run->seed, OF_X), s->host_x, n);
    gb_code code = gb_memory_write(run, &s->x, sizeof(float), n, copy_x, s, err);
    if (code == GB_OK)
        code = decode_make_weights(run, &h->wide, gb_rng_derive(run->seed, OF_WIDE), s->host_x,
                                   &s->wide, wide_rows, s->expected, err);
    if (code == GB_OK)
        code = decode_make_weights(run, &h->down, gb_rng_derive(run->seed, OF_DOWN), s->host_x,
                                   &s->down, h->held * h->hidden, s->expected + wide_rows, err);
    return code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "decode", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->shape = shape_of(run->args, dev->info.kind);
    s->fn = functions[s->shape.wide.type][dev->info.kind];
    const shape *h = &s->shape;
    const gb_array arrays[] = {{&s->wide, h->held * h->wide_rows * h->wide.stride},
                               {&s->down, h->held * h->hidden * h->down.stride},
                               {&s->x, longest_row(h) * sizeof(float)},
                               {&s->y, h->layers * layer_rows(h) * sizeof(float)},
                               {NULL, 0}};
    gb_code code = gb_state_alloc(run, arrays, err);
    s->host_x = calloc(longest_row(h), sizeof(float));
    s->expected = calloc(h->held * layer_rows(h), sizeof *s->expected);
    if (code == GB_OK && (s->host_x == NULL || s->expected == NULL))
        code = gb_fail(err, GB_NO_MEMORY, "no memory for the check of decode");
    return code == GB_OK ? make_data(run, s, err) : code;
}

/* `rows` rows from `row` of the layers' rows of one layout, to result number `to`. */
static gb_code multiply(gb_run *run, const gb_memory *weights, const decode_layout *layout,
                        uint64_t row, uint64_t rows, uint64_t to, gb_error *err)
{
    state *s = run->state;
    gb_device *dev = run->dev;
    const uint64_t threads = dev->info.kind == GB_CPU
                                 ? rows
                                 : (rows + DECODE_WARP_ROWS - 1) / DECODE_WARP_ROWS * DECODE_WARP;
    const gb_launch launch = gb_launch_shape(dev, threads, DECODE_BLOCK);
    float *y = (float *)s->y.device + to;
    const uint8_t *from = (const uint8_t *)weights->device + row * layout->stride;
    uint64_t packs = layout->packs, stride = layout->stride;
    void *args[] = {&y, &from, &s->x.device, &rows, &packs, &stride};
    return dev->ops->launch(dev, run->stream, s->fn, &launch, args, err);
}

/* As engines do it: what has the same input is one product. */
static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const shape *h = &s->shape;
    const uint64_t parts[PRODUCTS - 1] = {h->hidden + 2 * h->kv, h->hidden, 2 * h->intermediate};
    uint64_t to = 0;
    gb_code code = GB_OK;
    for (uint64_t layer = 0; layer < h->layers; layer++) {
        const uint64_t held = layer % h->held;
        uint64_t row = held * h->wide_rows;
        for (size_t p = 0; p < GB_COUNT(parts) && code == GB_OK; p++) {
            code = multiply(run, &s->wide, &h->wide, row, parts[p], to, err);
            row += parts[p];
            to += parts[p];
        }
        if (code == GB_OK)
            code = multiply(run, &s->down, &h->down, held * h->hidden, h->hidden, to, err);
        to += h->hidden;
        if (code != GB_OK)
            return code;
    }
    return GB_OK;
}

static uint32_t behind_gate(const gb_value args[])
{
    return PRODUCTS * (uint32_t)args[LAYERS].number;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->y, err);
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const shape *h = &s->shape;
    const float *y = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t layer = (first + i) / layer_rows(h), row = (first + i) % layer_rows(h);
        const uint64_t held = layer % h->held;
        const decode_expected *want =
            &s->expected[row < h->wide_rows
                             ? held * h->wide_rows + row
                             : h->held * h->wide_rows + held * h->hidden + row - h->wide_rows];
        gb_compare_f64(bad, first + i, want->value, (double)y[i], want->tolerance);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const uint64_t n = s->shape.layers * layer_rows(&s->shape);
    return gb_memory_verify(run, &s->y, sizeof(float), n, compare, s,
                            "decode: products of the layers", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    free(s->host_x);
    free(s->expected);
    gb_state_free(run, (gb_memory *[]){&s->y, &s->x, &s->down, &s->wide, NULL});
}

const gb_kernel gb_kernel_decode = {
    .spec =
        {
            .name = "decode",
            .summary = "generating a token: every weight of a model's layers read once, from fp32 "
                       "to int4",
            .lesson =
                "To generate the next token of a text a model multiplies each of its weight "
                "matrices with one vector. Each weight is read from memory, used for one "
                "multiplication and one addition, and not needed again before the next token: two "
                "operations for 4, 2, 1 or half a byte, far left of the ridge of any processor. So "
                "the speed is the bandwidth of memory over the bytes of the model, and what makes "
                "it faster is fewer bytes: fp16 instead of fp32, whole numbers of 8 or 4 bits with "
                "a scale for every 32 of them. Those must be turned back into floats on the way, "
                "which costs several instructions a weight; the kernel does it in registers. "
                "This is one sequence, and the matrices alone: no attention over what was said "
                "before, no normalisation, no vocabulary.",
            .picture =
                "Tokens a second over the format of the weights. While memory is the limit each "
                "halving of the bytes doubles them (int8 has 8.5 bits a weight with its scale, "
                "int4 4.5), and the bandwidth stays what the device reads at best. Where it falls "
                "the arithmetic of turning bits into floats has become the limit, or the launches: "
                "four a layer, each of which is over in microseconds.",
            .source = "kernels/decode.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,

        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
    .behind_gate = behind_gate,
};
