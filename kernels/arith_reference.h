/* What the chains of `arith` (arith.h) must come to, by arithmetic of the host.
 *
 * Exact: add, mul, div and fma of floating-point types round each result once, to the nearest (IEEE
 * 754-2019), and so does the host: in double, and from there to the type, which gives the same
 * (S. Figueroa, When is double rounding innocuous?, SIGNUM Newsletter 30, 1995: double has 53 bits,
 * the others at most 24). The steps of fma give whole numbers, fused or not. Whole numbers wrap.
 *
 * Within a bound: roots, whose argument may be fused, and sines, of which the library states an
 * error. The bound grows step by step, by the steepest slope within it (mean value theorem) and by
 * what the step itself rounds. It stays below what one step more or less would change: the square
 * grows by 1/4 or 1/2 a step, and a sine falls by about x^3 / 6. */
#ifndef GB_KERNELS_ARITH_REFERENCE_H
#define GB_KERNELS_ARITH_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum arith_op {
    ARITH_ADD,
    ARITH_MUL,
    ARITH_FMA,
    ARITH_DIV,
    ARITH_SQRT,
    ARITH_SIN,
    ARITH_FAST_SIN,
    ARITH_OPS
} arith_op;
typedef enum arith_type {
    ARITH_FP64,
    ARITH_FP32,
    ARITH_FP16X2,
    ARITH_BF16X2,
    ARITH_INT32,
    ARITH_INT8,
    ARITH_TYPES
} arith_type;

typedef struct arith_chain {
    arith_op op;
    arith_type type;
    uint32_t chains, rounds;
    uint32_t steps; /* operations of a chain in a round, even: ARITH_STEPS */
} arith_chain;

bool arith_is_whole(arith_type type);
/* The numbers that the steps take. Of whole numbers: fractions of 2^32 are none, all are exact. */
typedef struct arith_numbers {
    double start, step, a, b, c, d;
} arith_numbers;
const arith_numbers *arith_numbers_of(arith_op op, arith_type type);

typedef struct arith_result {
    double value, tolerance; /* floating-point types */
    uint32_t whole;          /* the others */
} arith_result;
/* What thread t has to write. */
arith_result arith_expect(const arith_chain *chain, uint64_t thread);

#endif
