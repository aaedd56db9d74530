/* Test data of a matrix product and the check of its result.
 *
 * Elements of A and B are uniform in (-1, 1), never zero, exact in their type, made from a seed and
 * their index. An element of the product then has the standard deviation sqrt(k) / 3.
 *
 * The check. Small products (m n k up to 2^22) are compared element by element with a product in
 * double. In larger ones each row of C is multiplied by a vector w of random weights, 1 <= |w_j| <
 * 2, and compared with A (B w), which takes n^2 operations instead of n^3 (R. Freivalds,
 * Probabilistic machines can use less running time, 1977); the weights differ in size, so that
 * exchanged columns show too. The first, the last and two random rows, and up to four rows whose
 * sum is wrong, are compared element by element besides.
 *
 * Tolerances. An element may be off by
 *     8 (k + 8) u / 3                        rounding of k sums; u is half the epsilon of the sums'
 *                                            type. N. Higham and T. Mary, Sharper probabilistic
 *                                            backward error analysis, SIAM J. Sci. Comput. 42,
 *                                            2020, for data with a mean of zero
 *   + k u sqrt(k) / 3                        on tensor cores, which cut off instead of rounding and
 *                                            so err to one side (M. Fasi and others, Numerical
 *                                            behavior of NVIDIA tensor cores, PeerJ CS 7, 2021)
 *   + |expected| v                           v: half the epsilon of C's type
 * and the sum of a row by 8 |w| times as much (|w|: the weights' norm; |expected| by its root mean
 * square): by Hoeffding's inequality random weights exceed that less than once in 10^13 rows. A
 * skipped step of k or a wrong index shows in all rows; a single wrong element of a large product
 * shows in its row's sum when it is off by more than twice that. NaN fails everywhere. */
#ifndef GB_KERNELS_MATMUL_REFERENCE_H
#define GB_KERNELS_MATMUL_REFERENCE_H

#include "kernels/kernel.h"

typedef enum matmul_type {
    MATMUL_FP32,
    MATMUL_TF32,
    MATMUL_FP16,
    MATMUL_BF16,
    MATMUL_FP64,
    MATMUL_TYPES
} matmul_type;
size_t matmul_type_bytes(matmul_type type);

typedef struct matmul_reference {
    matmul_type type;
    uint64_t m, n, k;
    uint64_t seed;
    double *weights;        /* [n] w */
    double *through;        /* [k] B w */
    double *expected;       /* [m] A (B w) */
    double *norms;          /* [m] squared norms of the rows of A */
    double weights_squared; /* of w's norm */
} matmul_reference;

/* Fills A and B, of the device or of the host, and prepares the check; type, m, n, k and seed are
 * set. Free it also when this failed. */
gb_code matmul_reference_make(gb_run *run, matmul_reference *r, const gb_memory *a,
                              const gb_memory *b, gb_error *err);
/* GB_WRONG_RESULT unless C is their product. */
gb_code matmul_reference_check(gb_run *run, const matmul_reference *r, const gb_memory *c,
                               gb_error *err);
void matmul_reference_free(matmul_reference *r);

#endif
