/* The weights of decode: how many bytes they take, their values, and what their products are.
 *
 * Values. Weight w of a row is uniform in (-a, a), where a is uniform in [1/4, 1) for each group of
 * DECODE_GROUP, both from a seed and the index, so that scales differ. fp32 and fp16: rounded to
 * the nearest. int8 and int4: quantised symmetrically by the largest of the group (absmax, T.
 * Dettmers and others, LLM.int8(), NeurIPS 2022, section 2.1; groups of a row as in GGML's Q8_0 and
 * Q4_0):
 *
 *     scale = fp16(max |w| / most)               most: 127, or 7
 *     q = whole(w x (1 / scale)), at most most   to the nearest, ties to even
 *
 * and from then on the weight is q x scale, exactly.
 *
 * The check. While a row is made, the sum of its weights times x is computed in double, and that of
 * the products' sizes. On its way a product is rounded at most n times in the kernel: once itself,
 * once by the scale, and by each addition that it goes through. That is at most columns / 16 + 24
 * on both devices (16 sums side by side on the CPU; 32 lanes with four in a row on a GPU), so y may
 * be off by twice n u sum |w x|, u = 2^-24 (gb_sum_tolerance). NaN fails. */
#ifndef GB_KERNELS_DECODE_WEIGHTS_H
#define GB_KERNELS_DECODE_WEIGHTS_H

#include "kernels/kernel.h"

typedef enum decode_type { DECODE_FP32, DECODE_FP16, DECODE_INT8, DECODE_INT4 } decode_type;

/* A row as it is stored (decode.h). */
typedef struct decode_layout {
    decode_type type;
    uint64_t columns;  /* weights of a row */
    uint64_t lanes;    /* packs of a tile */
    uint64_t segments; /* of a pack */
    uint64_t packs;    /* of a row, in whole tiles */
    uint64_t groups;   /* scales of a row; 0: the type has none */
    uint64_t stride;   /* bytes of a row with what fills up its end */
} decode_layout;
/* columns at most 2^32. */
decode_layout decode_layout_of(decode_type type, uint64_t columns, gb_device_kind kind);
/* Values of x that a row reads, those behind its end included. */
uint64_t decode_padded(const decode_layout *layout);

/* What the product of a row is. */
typedef struct decode_expected {
    double value, tolerance;
} decode_expected;

/* x has decode_padded values. */
void decode_make_x(uint64_t seed, float x[], uint64_t n);
/* Fills `rows` rows of `memory` and of expected[]. */
gb_code decode_make_weights(gb_run *run, const decode_layout *layout, uint64_t seed,
                            const float x[], const gb_memory *memory, uint64_t rows,
                            decode_expected expected[], gb_error *err);

#endif
