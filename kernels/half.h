/* The 16-bit floating-point types on the host, in portable C: rounding from double to the
 * nearest, ties to even, in one step, with subnormals, infinities and NaN. IEEE 754-2019, section
 * 3.6 (binary16); bfloat16 is the upper half of binary32. */
#ifndef GB_KERNELS_HALF_H
#define GB_KERNELS_HALF_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Bits of the exponent of the two types; a sign bit and the fraction are the rest of the 16. */
#define GB_FP16_EXPONENT 5
#define GB_BF16_EXPONENT 8

static inline uint64_t gb_double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* 2 to the power of `exponent`, -1022 .. 1023. */
static inline double gb_power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The whole number next to `value`, ties to even, for 0 <= value < 2^51: the sum has no bits left
 * for a fraction. */
static inline double gb_nearest_whole(double value)
{
    const double sum = value + 0x1p52;
    return sum - 0x1p52;
}

/* Exponent of the leading bit; -1023 for zero and what is subnormal as a double. */
static inline int gb_exponent_of(double value)
{
    return (int)(gb_double_bits(value) >> 52 & 0x7FF) - 1023;
}

static inline uint16_t gb_half_encode(double value, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const uint64_t infinity = (UINT64_C(1) << 15) - (UINT64_C(1) << fraction_bits);
    const uint64_t sign = gb_double_bits(value) >> 63 << 15;
    if (isnan(value))
        return (uint16_t)(sign | infinity | UINT64_C(1) << (fraction_bits - 1));
    int exponent = gb_exponent_of(value);
    if (exponent > bias)
        return (uint16_t)(sign | infinity);
    if (exponent < 1 - bias)
        exponent = 1 - bias; /* subnormals have the smallest exponent and no leading bit */
    const double units = gb_nearest_whole(fabs(value) * gb_power_of_two(fraction_bits - exponent));
    /* The leading bit adds one to the exponent's field, and so does a fraction rounded up. */
    const uint64_t field = (uint64_t)(exponent + bias - 1) << fraction_bits;
    return (uint16_t)(sign | (field + (uint64_t)units));
}

static inline double gb_half_decode(uint16_t bits, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, bias = (1 << (exponent_bits - 1)) - 1;
    const int top = (1 << exponent_bits) - 1, field = bits >> fraction_bits & top;
    const int fraction = bits & ((1 << fraction_bits) - 1);
    double value;
    if (field == top)
        value = fraction != 0 ? (double)NAN : (double)INFINITY;
    else if (field == 0)
        value = fraction * gb_power_of_two(1 - bias - fraction_bits);
    else
        value = (fraction + (1 << fraction_bits)) * gb_power_of_two(field - bias - fraction_bits);
    return bits >> 15 ? -value : value;
}

#endif
