/* A decimal number taken apart exactly, digit by digit; inside base only. */
#ifndef GB_BASE_NUMBER_H
#define GB_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* digits * 10^scale, as written: "12.50e3" is 1250 * 10^1, "10" is 1 * 10^1. */
typedef struct gb_decimal {
    uint64_t digits;   /* significant digits without trailing zeros */
    int64_t scale;     /* of ten; 0 for zero */
    bool too_long;     /* the significant digits do not fit: `digits` is not to be used */
    bool leading_zero; /* 010, 00, 01.5 */
    bool has_point, has_exponent;
} gb_decimal;

/* Reads digits[.digits][(e|E)[+|-]digits] from the start of text, without a sign. Returns the
 * number of bytes read; 0 when text does not start with a digit or a point has no digit after it.
 */
size_t gb_decimal_scan(const char *text, gb_decimal *out);

/* decimal * factor as a whole number 1 .. 2^63-1 or 0. GB_DECIMAL_FRACTION: not whole,
 * GB_DECIMAL_RANGE: larger than 2^63-1. */
typedef enum gb_decimal_fit { GB_DECIMAL_OK, GB_DECIMAL_FRACTION, GB_DECIMAL_RANGE } gb_decimal_fit;
gb_decimal_fit gb_decimal_whole(const gb_decimal *decimal, uint64_t factor, uint64_t *out);

#endif
