#include "kernels/arith_reference.h"

#include <float.h>
#include <math.h>

#include "kernels/arith.h"
#include "kernels/common.h"
#include "kernels/half.h"

/* Of __sinf for arguments in [-pi, pi]: CUDA C++ Programming Guide, intrinsic functions. */
#define FAST_SIN_ERROR 3.6e-7 /* 2^-21.41 */
/* Of sin and sinf on a GPU 2 units in the last place (there, standard functions), on the host less
 * than one, and one for the reference itself. */
#define SIN_ERROR 3

/* Numbers that are exact in all types, bf16 with its 8 bits included. mul and div: two steps are a
 * factor of 1.016 and 1.02, so that rounding cannot stop the chain. */
static const arith_numbers floating[ARITH_OPS] = {
    [ARITH_ADD] = {.start = -120, .step = 1, .a = 3, .b = -2},
    [ARITH_MUL] = {.start = 1, .step = 1.0 / 32, .a = 1.25, .b = 0.8125},
    [ARITH_FMA] = {.start = -120, .step = 1, .a = 2, .b = 1, .c = 0.5, .d = 0.5},
    [ARITH_DIV] = {.start = 1, .step = 1.0 / 32, .a = 1.5, .b = 1.53125},
    [ARITH_SQRT] = {.start = 1, .step = 1.0 / 32, .a = 0.5, .b = 0.25},
    [ARITH_SIN] = {.start = 0.25, .step = 1.0 / 64}, /* larger ones would soon be alike */
    [ARITH_FAST_SIN] = {.start = 0.25, .step = 1.0 / 64},
};
/* add and mul: two odd numbers. fma: as in flops, those of two well-known generators (Numerical
 * Recipes' and Borland C's). div: two steps are a factor of 1.016 and stay far from 0. */
static const arith_numbers whole[ARITH_OPS] = {
    [ARITH_ADD] = {.start = 1, .step = 2},
    [ARITH_MUL] = {.start = 3, .step = 2},
    [ARITH_FMA] = {.start = 1, .step = 1, .a = 1664525, .b = 1013904223, .c = 22695477, .d = 1},
    [ARITH_DIV] = {.start = 65536, .step = 4096, .a = 4000000000, .b = 4062500000},
};
/* Four odd bytes, and a word whose bytes differ. */
static const arith_numbers bytes = {.start = 16909060, /* 0x01020304 */
                                    .step = 16843009,
                                    .a = 2137763781, /* 0x7f6bafc5 */
                                    .b = 1374496523,
                                    .c = 1562205113,
                                    .d = 668265263};

bool arith_is_whole(arith_type type)
{
    return type == ARITH_INT32 || type == ARITH_INT8;
}

const arith_numbers *arith_numbers_of(arith_op op, arith_type type)
{
    return type == ARITH_INT8 ? &bytes : type == ARITH_INT32 ? &whole[op] : &floating[op];
}

/* --- floating point --------------------------------------------------------------------------- */

static double rounded(arith_type type, double value)
{
    switch (type) {
    case ARITH_FP32:
        return (double)(float)value;
    case ARITH_FP16X2:
        return gb_half_decode(gb_half_encode(value, GB_FP16_EXPONENT), GB_FP16_EXPONENT);
    case ARITH_BF16X2:
        return gb_half_decode(gb_half_encode(value, GB_BF16_EXPONENT), GB_BF16_EXPONENT);
    default:
        return value;
    }
}

static double epsilon_of(arith_type type)
{
    return type == ARITH_FP64 ? DBL_EPSILON : (double)FLT_EPSILON; /* of sums; halves': fp32 */
}

/* One step: x, and how far it may be off. */
typedef struct uncertain {
    double x, off;
} uncertain;

static uncertain step(const arith_chain *chain, const arith_numbers *k, unsigned s, uncertain from)
{
    const double x = from.x, epsilon = epsilon_of(chain->type);
    const double a = s % 2 == 0 ? k->a : k->b;
    uncertain to = {0, 0};
    switch (chain->op) {
    case ARITH_ADD:
        to.x = rounded(chain->type, x + a);
        break;
    case ARITH_MUL:
        to.x = rounded(chain->type, x * a);
        break;
    case ARITH_FMA:
        to.x = s % 2 == 0 ? x * k->a + k->b : x * k->c + k->d;
        break;
    case ARITH_DIV:
        to.x = rounded(chain->type, a / x);
        break;
    case ARITH_SQRT: /* two roundings of the argument, half of which is left, and one of the root */
        to.x = sqrt(x * x + a);
        to.off = from.off * ((x + from.off) / to.x) + 2 * epsilon * to.x;
        break;
    case ARITH_SIN:
        to.x = sin(x);
        to.off = from.off * cos(x - from.off) + SIN_ERROR * epsilon * to.x;
        break;
    case ARITH_FAST_SIN:
        to.x = sin(x);
        to.off = from.off * cos(x - from.off) + FAST_SIN_ERROR;
        break;
    case ARITH_OPS:
        break;
    }
    return to;
}

/* A chain after one round, of which all are alike. */
static uncertain after_round(const arith_chain *chain, uint32_t place)
{
    const arith_numbers *k = arith_numbers_of(chain->op, chain->type);
    uncertain at = {k->start + k->step * place, 0};
    for (unsigned s = 0; s < chain->steps; s++)
        at = step(chain, k, s, at);
    return at;
}

static arith_result expect_floating(const arith_chain *chain, uint64_t thread)
{
    const bool pairs = chain->type == ARITH_FP16X2 || chain->type == ARITH_BF16X2;
    double term[ARITH_SMALL_CHAINS], off = 0;
    for (uint32_t c = 0; c < chain->chains; c++) {
        const uint32_t place = ARITH_PLACE(thread, c);
        const uncertain at = after_round(chain, place);
        term[c] = at.x;
        if (pairs) /* two chains a register, summed as fp32 */
            term[c] = (double)(float)(at.x + after_round(chain, place + 1).x);
        off += at.off;
    }
    const arith_type of_sum = chain->type == ARITH_FP64 ? ARITH_FP64 : ARITH_FP32;
    arith_result out = {0};
    for (uint32_t r = 0; r < chain->rounds; r++)
        for (uint32_t c = 0; c < chain->chains; c++)
            out.value = rounded(of_sum, out.value + term[c]);
    if (off > 0)
        out.tolerance = off * chain->rounds +
                        gb_sum_tolerance(epsilon_of(chain->type),
                                         (uint64_t)chain->rounds * chain->chains, out.value);
    return out;
}

/* --- whole numbers ---------------------------------------------------------------------------- */

/* __dp4a for signed bytes. */
static uint32_t dot(uint32_t x, uint32_t y, uint32_t sum)
{
    for (unsigned i = 0; i < 32; i += 8)
        sum += (uint32_t)((int32_t)(int8_t)(x >> i & 0xFF) * (int32_t)(int8_t)(y >> i & 0xFF));
    return sum;
}

typedef struct two {
    uint32_t x, y; /* y: the second value of a chain that has one */
} two;

static two whole_step(const arith_chain *chain, const arith_numbers *k, unsigned s, two from)
{
    const uint32_t x = from.x, y = from.y;
    const uint32_t a = (uint32_t)(s % 2 == 0 ? k->a : chain->op == ARITH_DIV ? k->b : k->c);
    const uint32_t b = (uint32_t)(s % 2 == 0 ? k->b : k->d);
    if (chain->type == ARITH_INT8)
        return (two){dot(x, a, b), y};
    if (chain->op == ARITH_FMA)
        return (two){x * a + b, y};
    if (chain->op == ARITH_DIV)
        return (two){a / x, y};
    const uint32_t made = chain->op == ARITH_ADD ? x + y : x * y;
    return s % 2 == 0 ? (two){made, y} : (two){x, made};
}

static uint32_t expect_whole(const arith_chain *chain, uint64_t thread)
{
    const arith_numbers *k = arith_numbers_of(chain->op, chain->type);
    const bool turns = chain->op == ARITH_ADD || chain->op == ARITH_MUL;
    uint32_t sum = 0;
    for (uint32_t c = 0; c < chain->chains; c++) {
        const uint32_t first = (uint32_t)k->start + (uint32_t)k->step * ARITH_PLACE(thread, c);
        two at = {0, first + (uint32_t)k->step};
        for (uint32_t r = 0; r < chain->rounds; r++) {
            at.x = first;
            for (unsigned s = 0; s < chain->steps; s++)
                at = whole_step(chain, k, s, at);
            sum += at.x;
        }
        sum += turns ? at.y : 0;
    }
    return sum;
}

arith_result arith_expect(const arith_chain *chain, uint64_t thread)
{
    if (arith_is_whole(chain->type))
        return (arith_result){.whole = expect_whole(chain, thread)};
    return expect_floating(chain, thread);
}
