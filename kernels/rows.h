/* rows: what device code and host code agree on; the exponential function of the cpu device. */
#ifndef GB_KERNELS_ROWS_H
#define GB_KERNELS_ROWS_H

#include <stdint.h>
#include <string.h>

/* Threads that share a row. */
#define ROWS_BLOCK 256
/* A fused kernel keeps its row in shared memory: 32 KiB. */
#define ROWS_MAX_COLUMNS 8192
/* Added to the variance, so that a row of one number has a result. */
#define ROWS_EPSILON 1e-5f

/* e to the power of x, for -87 <= x <= 0 (below, e^-87), in operations that a compiler can
 * vectorise: x = n ln 2 + r with |r| <= (ln 2) / 2; e^r by its Taylor series to r^7, whose rest is
 * below r^8 / 8! < 2^-27; times 2^n by way of the exponent's bits. n ln 2 is taken off in two steps
 * (W. J. Cody and W. Waite, Software Manual for the Elementary Functions, 1980): the first constant
 * has 15 bits, so that its product with n is exact. Together within 4 units in the last place of a
 * float's 24 bits (2^-22), which test_rows.c tries for all multiples of 2^-10. */
static inline float rows_exp(float x)
{
    const float ln2_high = 0x1.62e4p-1f, ln2_low = 0x1.7f7d1cp-20f;
    const float rounding = 0x1.8p23f; /* what is added to it is rounded to a whole number */
    x = x < -87.0f ? -87.0f : x;
    const float shifted = x * 0x1.715476p0f + rounding; /* x / ln 2 */
    const float n = shifted - rounding;
    const float r = (x - n * ln2_high) - n * ln2_low;
    float sum = 1.0f / 5040;
    sum = sum * r + 1.0f / 720;
    sum = sum * r + 1.0f / 120;
    sum = sum * r + 1.0f / 24;
    sum = sum * r + 1.0f / 6;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits = (bits << 23) + ((uint32_t)127 << 23); /* the low bits of `shifted` are n */
    float power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

#endif
