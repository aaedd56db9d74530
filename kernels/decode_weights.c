#include "kernels/decode_weights.h"

#include <string.h>

#include "kernels/common.h"
#include "kernels/decode.h"
#include "kernels/half.h"

#define SEGMENT 4 /* weights */

static const struct {
    uint64_t segments; /* of a pack */
    double most;       /* of |q|; 0: not quantised */
} types[] = {[DECODE_FP32] = {1, 0},
             [DECODE_FP16] = {2, 0},
             [DECODE_INT8] = {4, 127},
             [DECODE_INT4] = {8, 7}};

decode_layout decode_layout_of(decode_type type, uint64_t columns, gb_device_kind kind)
{
    decode_layout l = {.type = type,
                       .columns = columns,
                       .lanes = kind == GB_CPU ? 1 : DECODE_CUDA_LANES,
                       .segments = types[type].segments};
    uint64_t tile = l.lanes * l.segments * SEGMENT;
    tile = tile < DECODE_GROUP ? DECODE_GROUP : tile; /* both powers of two */
    const uint64_t padded = (columns + tile - 1) / tile * tile;
    l.packs = padded / (l.segments * SEGMENT);
    l.groups = types[type].most > 0 ? padded / DECODE_GROUP : 0;
    const uint64_t bytes = l.packs * DECODE_PACK_BYTES + l.groups * sizeof(uint16_t);
    l.stride = (bytes + DECODE_PACK_BYTES - 1) / DECODE_PACK_BYTES * DECODE_PACK_BYTES;
    return l;
}

uint64_t decode_padded(const decode_layout *l)
{
    return l->packs * l->segments * SEGMENT;
}

/* In [0, 1), 24 bits. */
static inline double fraction(uint64_t seed, uint64_t index)
{
    return (double)(gb_mix_twice(seed, index) >> 40) * 0x1p-24;
}

void decode_make_x(uint64_t seed, float x[], uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        x[i] = (float)(2 * fraction(seed, i) - 1);
}

/* --- one row ---------------------------------------------------------------------------------- */

typedef struct making {
    decode_layout layout;
    uint64_t seed;
    const float *x;
    decode_expected *expected;
} making;

/* Stores the four weights of a segment: as bits of fp32 or fp16, or as q. */
static void store_segment(const decode_layout *l, uint8_t *row, uint64_t segment,
                          const int32_t values[SEGMENT])
{
    /* In 32 bits, which are divided faster: a row has fewer. */
    const uint32_t lanes = (uint32_t)l->lanes, all = lanes * (uint32_t)l->segments;
    const uint32_t of_tile = (uint32_t)segment % all, tile = (uint32_t)segment / all;
    const uint32_t s = of_tile / lanes;
    const uint64_t pack = tile * l->lanes + of_tile % lanes;
    uint8_t *to = row + pack * DECODE_PACK_BYTES;
    for (unsigned i = 0; i < SEGMENT; i++) {
        const uint32_t bits = (uint32_t)values[i];
        const uint16_t half = (uint16_t)bits;
        switch (l->type) {
        case DECODE_FP32:
            memcpy(to + i * sizeof bits, &bits, sizeof bits);
            break;
        case DECODE_FP16:
            memcpy(to + (s * SEGMENT + i) * sizeof half, &half, sizeof half);
            break;
        case DECODE_INT8:
            to[s * SEGMENT + i] = (uint8_t)bits;
            break;
        case DECODE_INT4: /* the low halves come first and clear the byte */
            if (s < 4)
                to[s * SEGMENT + i] = (uint8_t)(bits + DECODE_INT4_OFFSET);
            else
                to[(s - 4) * SEGMENT + i] |= (uint8_t)((bits + DECODE_INT4_OFFSET) << 4);
            break;
        }
    }
}

static void round_to_fp32(const double weights[], int32_t stored[], double worth[])
{
    for (unsigned i = 0; i < DECODE_GROUP; i++) {
        const float value = (float)weights[i];
        memcpy(&stored[i], &value, sizeof value);
        worth[i] = (double)value;
    }
}

static void round_to_fp16(const double weights[], int32_t stored[], double worth[])
{
    for (unsigned i = 0; i < DECODE_GROUP; i++) {
        const uint16_t bits = gb_half_encode(weights[i], GB_FP16_EXPONENT);
        stored[i] = bits;
        worth[i] = gb_half_decode(bits, GB_FP16_EXPONENT);
    }
}

/* Returns the scale's bits. */
static uint16_t quantise(double most, const double weights[], int32_t stored[], double worth[])
{
    double largest = 0;
    for (unsigned i = 0; i < DECODE_GROUP; i++)
        largest = fabs(weights[i]) > largest ? fabs(weights[i]) : largest;
    const uint16_t bits = gb_half_encode(largest / most, GB_FP16_EXPONENT);
    const double scale = gb_half_decode(bits, GB_FP16_EXPONENT);
    const double steps = scale > 0 ? 1 / scale : 0;
    for (unsigned i = 0; i < DECODE_GROUP; i++) {
        const double size = gb_nearest_whole(fabs(weights[i]) * steps);
        stored[i] = (int32_t)copysign(size < most ? size : most, weights[i]);
        worth[i] = stored[i] * scale;
    }
    return bits;
}

/* Rounds a group to the type: what is stored, and what it is worth. Returns the scale's bits. */
static uint16_t round_group(decode_type type, const double weights[], int32_t stored[],
                            double worth[])
{
    if (types[type].most > 0)
        return quantise(types[type].most, weights, stored, worth);
    if (type == DECODE_FP32)
        round_to_fp32(weights, stored, worth);
    else
        round_to_fp16(weights, stored, worth);
    return 0;
}

static void make_row(const making *m, uint8_t *row, uint64_t number)
{
    const decode_layout *l = &m->layout;
    const uint64_t padded = decode_padded(l), scales = l->packs * DECODE_PACK_BYTES;
    const uint64_t whole_groups = (l->columns + DECODE_GROUP - 1) / DECODE_GROUP;
    double sum = 0, sizes = 0;
    memset(row + scales, 0, l->stride - scales);
    for (uint64_t g = 0; g < padded / DECODE_GROUP; g++) {
        const uint64_t first = g * DECODE_GROUP;
        const double a = 0.25 + 0.75 * fraction(~m->seed, number * whole_groups + g);
        double weights[DECODE_GROUP], worth[DECODE_GROUP];
        int32_t stored[DECODE_GROUP];
        for (unsigned i = 0; i < DECODE_GROUP; i++)
            weights[i] = first + i < l->columns
                             ? a * (2 * fraction(m->seed, number * l->columns + first + i) - 1)
                             : 0;
        const uint16_t scale = round_group(l->type, weights, stored, worth);
        for (unsigned i = 0; i < DECODE_GROUP; i++) {
            const double product = worth[i] * (double)m->x[first + i];
            sum += product;
            sizes += fabs(product);
        }
        for (unsigned i = 0; i < DECODE_GROUP; i += SEGMENT)
            store_segment(l, row, (first + i) / SEGMENT, &stored[i]);
        if (l->groups > 0)
            memcpy(row + scales + g * sizeof scale, &scale, sizeof scale);
    }
    m->expected[number] = (decode_expected){
        .value = sum, .tolerance = gb_sum_tolerance(0x1p-23, padded / 16 + 24, sizes)};
}

static void make_rows(void *user, void *elements, uint64_t first, size_t count)
{
    const making *m = user;
    for (size_t i = 0; i < count; i++)
        make_row(m, (uint8_t *)elements + i * m->layout.stride, first + i);
}

gb_code decode_make_weights(gb_run *run, const decode_layout *layout, uint64_t seed,
                            const float x[], const gb_memory *memory, uint64_t rows,
                            decode_expected expected[], gb_error *err)
{
    making m = {.layout = *layout, .seed = seed, .x = x, .expected = expected};
    return gb_memory_write(run, memory, (size_t)layout->stride, rows, make_rows, &m, err);
}
