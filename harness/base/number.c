#include "base/number.h"

typedef unsigned __int128 wide;

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static void append(gb_decimal *out, uint64_t value)
{
    uint64_t digits;
    if (__builtin_mul_overflow(out->digits, 10, &digits) ||
        __builtin_add_overflow(digits, value, &digits)) {
        out->too_long = true;
    } else {
        out->digits = digits;
    }
}

static void take_digit(gb_decimal *out, int value, int64_t *zeros)
{
    /* Zeros wait until another digit follows: those at the end only move the scale. */
    if (value == 0) {
        *zeros += out->digits > 0;
        return;
    }
    for (; *zeros > 0 && !out->too_long; --*zeros) {
        append(out, 0);
    }
    *zeros = 0;
    append(out, (uint64_t)value);
}

size_t gb_decimal_scan(const char *text, gb_decimal *out)
{
    const char *p = text;
    int64_t zeros = 0;
    *out = (gb_decimal){0};
    if (!digit(*p)) {
        return 0;
    }
    out->leading_zero = p[0] == '0' && digit(p[1]);
    for (; digit(*p); p++) {
        take_digit(out, *p - '0', &zeros);
    }
    if (*p == '.') {
        if (!digit(p[1])) {
            return 0;
        }
        out->has_point = true;
        for (p++; digit(*p); p++) {
            take_digit(out, *p - '0', &zeros);
            out->scale--;
        }
    }
    out->scale += zeros;
    const char *e = p;
    if (*e == 'e' || *e == 'E') {
        e++;
        bool negative = *e == '-';
        e += *e == '+' || *e == '-';
        if (digit(*e)) {
            int64_t exponent = 0;
            for (; digit(*e); e++) {
                exponent = exponent < 1000000000 ? exponent * 10 + (*e - '0') : exponent;
            }
            out->has_exponent = true;
            out->scale += negative ? -exponent : exponent;
            p = e;
        }
    }
    if (out->digits == 0) {
        out->scale = 0;
    }
    return (size_t)(p - text);
}

gb_decimal_fit gb_decimal_whole(const gb_decimal *decimal, uint64_t factor, uint64_t *out)
{
    const wide most = INT64_MAX;
    if (decimal->too_long) {
        /* More than 2^64 in significant digits: out of range, unless a fraction takes them up. */
        return decimal->scale < 0 ? GB_DECIMAL_FRACTION : GB_DECIMAL_RANGE;
    }
    wide value = (wide)decimal->digits * factor; /* below 2^64 * 2^63 */
    for (int64_t scale = decimal->scale; scale > 0 && value > 0; scale--) {
        value *= 10;
        if (value > most) {
            return GB_DECIMAL_RANGE;
        }
    }
    for (int64_t scale = decimal->scale; scale < 0 && value > 0; scale++) {
        if (value % 10 != 0) {
            return GB_DECIMAL_FRACTION;
        }
        value /= 10;
    }
    if (value > most) {
        return GB_DECIMAL_RANGE;
    }
    *out = (uint64_t)value;
    return GB_DECIMAL_OK;
}
