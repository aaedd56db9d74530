/* decode: the way of a GPU (as fibers) and that of a CPU at awkward sizes; rows as they are stored,
 * read back by what kernels/decode.h says; the rounding; and mistakes that the check must notice.
 */
#include "kernels/decode.h"
#include "kernels/decode_weights.h"
#include "kernels/half.h"

#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

static gb_error err;
static const char *const words[] = {"fp32", "fp16", "int8", "int4"};

/* --- the kernel ------------------------------------------------------------------------------- */

static gb_code verdict(const char *text)
{
    return kernel_verdict(dev, "decode", text, &err);
}

static const char *const models[] = {
    "hidden=1,intermediate=1,layers=1",
    "hidden=31,kv=3,intermediate=33,layers=2",
    "hidden=257,kv=1,intermediate=100,layers=3",
    "hidden=96,intermediate=1029,layers=1",
    "hidden=128,kv=16,intermediate=512,layers=3,hold=1048576", /* fp32: two layers in memory */
};

/* _i: of the cpu device, and as a GPU would do it. */
START_TEST(models_of_any_size)
{
    dev->info.kind = _i == 0 ? GB_CPU : GB_CUDA;
    for (size_t m = 0; m < sizeof models / sizeof models[0]; m++)
        for (size_t w = 0; w < 4; w++) {
            char text[160];
            snprintf(text, sizeof text, "weights=%s,%s", words[w], models[m]);
            ck_assert_msg(verdict(text) == GB_OK, "%s: %s", text, err.message);
        }
}
END_TEST

/* Arguments: y, weights, x, rows, packs, stride. */
static enum { ONE_ROW_LESS, ONE_TILE_LESS, NEXT_ROW, LAUNCHES_MISTAKEN } mistake;
static gb_code mistaken_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                               const gb_launch *launch, void *args[], gb_error *error)
{
    const uint8_t *weights = *(const uint8_t **)args[1];
    uint64_t rows = *(uint64_t *)args[3], packs = *(uint64_t *)args[4];
    const uint64_t stride = *(uint64_t *)args[5];
    rows -= mistake == ONE_ROW_LESS;
    packs -= mistake != ONE_TILE_LESS ? 0 : device->info.kind == GB_CPU ? 8 : DECODE_CUDA_LANES;
    weights += mistake == NEXT_ROW && rows > 1 ? stride : 0;
    rows -= mistake == NEXT_ROW;
    void *wrong[] = {args[0], &weights, args[2], &rows, &packs, args[5]};
    return real->launch(device, stream, fn, launch, wrong, error);
}

START_TEST(mistaken_launches_are_noticed)
{
    dev->info.kind = _i == 0 ? GB_CPU : GB_CUDA;
    ops.launch = mistaken_launch;
    for (mistake = 0; mistake < LAUNCHES_MISTAKEN; mistake++)
        for (size_t w = 0; w < 4; w++) {
            char text[160];
            snprintf(text, sizeof text, "weights=%s,hidden=270,kv=9,intermediate=300,layers=1",
                     words[w]);
            ck_assert_msg(verdict(text) == GB_WRONG_RESULT, "%s: mistake %d", text, (int)mistake);
        }
}
END_TEST

/* --- rows as they are stored ------------------------------------------------------------------ */

#define ROWS 5
#define COLUMNS 705 /* the last tile is not full */

/* Rows of one type, in memory, with what their products with x are. */
typedef struct stored {
    decode_layout layout;
    gb_memory memory;
    float x[2048];
    decode_expected expected[ROWS];
} stored;

static void make(stored *s, decode_type type, gb_device_kind kind)
{
    gb_run run = {.dev = dev, .seed = 3};
    s->layout = decode_layout_of(type, COLUMNS, kind);
    ck_assert_uint_ge(decode_padded(&s->layout), COLUMNS);
    ck_assert_uint_le(decode_padded(&s->layout), 2048);
    decode_make_x(11, s->x, decode_padded(&s->layout));
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
    ck_assert_int_eq(
        dev->ops->alloc(dev, GB_MEM_PAGEABLE, ROWS * (size_t)s->layout.stride, &s->memory, &err),
        GB_OK);
    ck_assert_int_eq(
        decode_make_weights(&run, &s->layout, 5, s->x, &s->memory, ROWS, s->expected, &err), GB_OK);
    dev->ops->stream_destroy(dev, run.stream);
}

static uint8_t *row_of(const stored *s, size_t row)
{
    return (uint8_t *)s->memory.host + row * s->layout.stride;
}

static double scale_at(const stored *s, size_t row, uint64_t group)
{
    uint16_t half;
    memcpy(&half, row_of(s, row) + s->layout.packs * DECODE_PACK_BYTES + 2 * group, sizeof half);
    return gb_half_decode(half, GB_FP16_EXPONENT);
}

/* Weight `c` of a row but for its scale, by the words of decode.h. */
static double unscaled(const stored *s, size_t row, uint64_t c)
{
    const decode_layout *l = &s->layout;
    const uint64_t tile_weights = l->lanes * l->segments * 4;
    const uint64_t tile = c / tile_weights, in_tile = c % tile_weights;
    const uint64_t segment = in_tile / (4 * l->lanes), lane = in_tile / 4 % l->lanes, i = c % 4;
    const uint8_t *pack = row_of(s, row) + (tile * l->lanes + lane) * 16;
    float single;
    uint16_t half;
    switch (l->type) {
    case DECODE_FP32:
        memcpy(&single, pack + 4 * i, sizeof single);
        return (double)single;
    case DECODE_FP16:
        memcpy(&half, pack + 2 * (4 * segment + i), sizeof half);
        return gb_half_decode(half, GB_FP16_EXPONENT);
    case DECODE_INT8:
        return (int8_t)pack[4 * segment + i];
    default:
        return (segment < 4 ? pack[4 * segment + i] & 15 : pack[4 * (segment - 4) + i] >> 4) - 8;
    }
}

static double weight_at(const stored *s, size_t row, uint64_t c)
{
    return unscaled(s, row, c) * (s->layout.groups > 0 ? scale_at(s, row, c / DECODE_GROUP) : 1);
}

static double product(const stored *s, size_t row)
{
    double sum = 0;
    for (uint64_t c = 0; c < decode_padded(&s->layout); c++)
        sum += weight_at(s, row, c) * (double)s->x[c];
    return sum;
}

START_TEST(expected_products_are_those_of_what_is_stored)
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
        for (int type = DECODE_FP32; type <= DECODE_INT4; type++) {
            stored s;
            make(&s, (decode_type)type, (gb_device_kind)kind);
            for (size_t row = 0; row < ROWS; row++) {
                ck_assert_double_eq_tol(product(&s, row), s.expected[row].value, 1e-12);
                ck_assert_double_gt(s.expected[row].tolerance, 0);
                ck_assert_double_lt(s.expected[row].tolerance, 0.01);
                for (uint64_t c = COLUMNS; c < decode_padded(&s.layout); c++)
                    ck_assert_double_eq(weight_at(&s, row, c), 0);
            }
            dev->ops->free(dev, &s.memory);
        }
}
END_TEST

/* Each value is the one of its type that is nearest to the fp32 weight, with the stated scale. */
START_TEST(weights_are_rounded_by_the_stated_formula)
{
    static const double most[] = {0, 0, 127, 7};
    stored exact;
    make(&exact, DECODE_FP32, GB_CPU);
    for (int type = DECODE_FP16; type <= DECODE_INT4; type++) {
        stored s;
        make(&s, (decode_type)type, GB_CUDA);
        for (size_t row = 0; row < ROWS; row++)
            for (uint64_t first = 0; first < COLUMNS; first += DECODE_GROUP) {
                double largest = 0, largest_q = 0;
                const double scale = type == DECODE_FP16 ? 0 : scale_at(&s, row, first / 32);
                for (uint64_t c = first; c < first + DECODE_GROUP && c < COLUMNS; c++) {
                    const double w = weight_at(&exact, row, c);
                    const double step = type == DECODE_FP16 ? fabs(w) * 0x1p-10 : scale;
                    ck_assert_double_le(fabs(weight_at(&s, row, c) - w), 0.501 * step + 0x1p-25);
                    largest = fmax(largest, fabs(w));
                    largest_q = fmax(largest_q, fabs(unscaled(&s, row, c)));
                }
                if (type == DECODE_FP16)
                    continue;
                ck_assert_double_eq(largest_q, most[type]);
                ck_assert_double_le(fabs(scale * most[type] / largest - 1), 0x1p-10);
            }
        dev->ops->free(dev, &s.memory);
    }
    dev->ops->free(dev, &exact.memory);
}
END_TEST

/* Scales of neighbours differ enough for an exchange to show. */
START_TEST(mistakes_in_a_row_are_beyond_the_tolerance)
{
    static const char *const mistakes[] = {"halves exchanged", "a sign lost", "a neighbour's scale",
                                           "a tail without scale"};
    stored s;
    for (size_t m = 0; m < 4; m++) {
        make(&s, m == 1 ? DECODE_INT8 : DECODE_INT4, GB_CPU);
        const uint64_t scales = s.layout.packs * DECODE_PACK_BYTES, last = (COLUMNS - 1) / 32;
        for (size_t row = 0; row < ROWS; row++) {
            uint8_t *bytes = row_of(&s, row);
            for (size_t i = 0; m == 0 && i < 16; i++) /* of one group */
                bytes[i] = (uint8_t)(bytes[i] << 4 | bytes[i] >> 4);
            for (size_t i = 0; m == 1 && i < 32; i++)
                bytes[i] &= 0x7F;
            if (m == 2)
                memcpy(bytes + scales, bytes + scales + 2, 2);
            if (m == 3)
                memset(bytes + scales + 2 * last, 0, 2);
            const double off = fabs(product(&s, row) - s.expected[row].value);
            ck_assert_msg(off > s.expected[row].tolerance, "%s: row %zu is %g off", mistakes[m],
                          row, off);
        }
        dev->ops->free(dev, &s.memory);
    }
}
END_TEST

/* --- what is counted -------------------------------------------------------------------------- */

START_TEST(work_is_counted_from_the_shape)
{
    static const double bits[] = {32, 16, 8.5, 4.5};
    const uint64_t layer = 4 * UINT64_C(4096) * 4096 + 3 * UINT64_C(4096) * 11008;
    const uint64_t results = 3 * 4096 + 4096 + 2 * 11008 + 4096, vectors = 3 * 4096 + 11008;
    gb_need need;
    for (size_t w = 0; w < 4; w++) { /* of Llama 2 7B, whose rows are whole tiles */
        char text[160];
        snprintf(text, sizeof text,
                 "weights=%s,hidden=4096,intermediate=11008,layers=32,hold=1099511627776",
                 words[w]);
        const gb_work out = life_work("decode", text, GB_CUDA, &need);
        const uint64_t bytes = (uint64_t)((double)layer * bits[w] / 8);
        ck_assert_uint_eq(out.bytes_read, 32 * (bytes + 4 * vectors));
        ck_assert_uint_eq(out.bytes_written, 32 * 4 * results);
        ck_assert_uint_eq(out.bytes_moved, out.bytes_read + out.bytes_written);
        ck_assert_uint_eq(out.flops, 2 * 32 * layer);
        ck_assert_uint_eq(out.items, 1);
        ck_assert_uint_eq(out.working_set, 32 * bytes + 4 * 11008);
        ck_assert_uint_eq(need.device_bytes, 32 * bytes + 4 * (32 * results + 11008));
    }
    /* one MiB is more than one of these layers, and less than two: 64 x (256 + 192) weights, down
     */
    gb_work out =
        life_work("decode", "weights=fp32,hidden=256,kv=64,intermediate=300,layers=9,hold=1441792",
                  GB_CPU, &need);
    const uint64_t wide = 256 + 2 * 64 + 256 + 600;
    ck_assert_uint_eq(out.flops, 2 * 9 * (wide * 256 + 256 * 300));
    /* a row of 300 is stored as one of 320 */
    ck_assert_uint_eq(out.working_set, 4 * (wide * 256 + 256 * 320) + 4 * 320);
    out =
        life_work("decode", "weights=fp32,hidden=256,kv=64,intermediate=300,layers=9,hold=1700000",
                  GB_CPU, &need);
    ck_assert_uint_eq(out.working_set, 2 * 4 * (wide * 256 + 256 * 320) + 4 * 320);
    ck_assert_uint_eq(out.bytes_read, 9 * (4 * (wide * 256 + 256 * 320) + 4 * (3 * 256 + 300)));
}
END_TEST

START_TEST(the_largest_shape_does_not_wrap)
{
    gb_need need;
    const gb_work out =
        life_work("decode",
                  "weights=fp32,hidden=65536,kv=65536,intermediate=262144,layers=128,"
                  "hold=1099511627776",
                  GB_CUDA, &need);
    const uint64_t layer = UINT64_C(65536) * (4 * UINT64_C(65536) + 3 * UINT64_C(262144));
    ck_assert_uint_eq(out.flops, 256 * layer);
    ck_assert_uint_ge(out.bytes_read, 128 * 4 * layer);
    ck_assert_uint_ge(need.device_bytes, UINT64_C(1) << 40);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("kernel");
    tcase_add_checked_fixture(tc, open_kernel_device, close_kernel_device);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, models_of_any_size, 0, 2);
    tcase_add_loop_test(tc, mistaken_launches_are_noticed, 0, 2);
    tcase_add_test(tc, expected_products_are_those_of_what_is_stored);
    tcase_add_test(tc, weights_are_rounded_by_the_stated_formula);
    tcase_add_test(tc, mistakes_in_a_row_are_beyond_the_tolerance);
    suite_add_tcase(suite, tc);
    tc = tcase_create("work");
    tcase_add_test(tc, work_is_counted_from_the_shape);
    tcase_add_test(tc, the_largest_shape_does_not_wrap);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("decode", add_cases)
