/* The 16-bit types on the host: every value there and back, rounding, and the ends of the range. */
#include "kernels/half.h"

#include "unit/check_main.h"

static const int types[] = {GB_FP16_EXPONENT, GB_BF16_EXPONENT};

START_TEST(every_value_survives)
{
    const int exponent = types[_i];
    for (unsigned bits = 0; bits < 65536; bits++) {
        const double value = gb_half_decode((uint16_t)bits, exponent);
        if (isnan(value)) {
            ck_assert(isnan(gb_half_decode(gb_half_encode(value, exponent), exponent)));
            continue;
        }
        ck_assert_msg(gb_half_encode(value, exponent) == bits, "%04x is %g, and back %04x", bits,
                      value, gb_half_encode(value, exponent));
    }
}
END_TEST

/* Halfway between neighbours goes to the even one, a little beside it to the nearer; the largest
 * value's upper neighbour is infinity. */
START_TEST(halfway_goes_to_even)
{
    const int exponent = types[_i];
    const unsigned infinity = (unsigned)(((1 << exponent) - 1) << (15 - exponent));
    for (unsigned low = 0; low < infinity; low++) {
        const double a = gb_half_decode((uint16_t)low, exponent);
        const double b = low + 1 == infinity ? 2 * a - gb_half_decode((uint16_t)(low - 1), exponent)
                                             : gb_half_decode((uint16_t)(low + 1), exponent);
        const double half = (a + b) / 2, little = (b - a) * 1e-7;
        for (int sign = 0; sign < 2; sign++) {
            const unsigned s = sign ? 0x8000 : 0;
            const double f = sign ? -1 : 1;
            ck_assert_uint_eq(gb_half_encode(f * half, exponent), s | (low + (low & 1)));
            ck_assert_uint_eq(gb_half_encode(f * (half - little), exponent), s | low);
            ck_assert_uint_eq(gb_half_encode(f * (half + little), exponent), s | (low + 1));
        }
    }
}
END_TEST

static const struct known {
    double value;
    unsigned fp16, bf16;
} known[] = {
    {0.0, 0x0000, 0x0000},
    {-0.0, 0x8000, 0x8000},
    {1.0, 0x3C00, 0x3F80},
    {-2.0, 0xC000, 0xC000},
    {0.5, 0x3800, 0x3F00},
    {1.0 / 3, 0x3555, 0x3EAB},
    {65504.0, 0x7BFF, 0x4780},
    {65519.999, 0x7BFF, 0x4780},
    {65520.0, 0x7C00, 0x4780},
    {-1e9, 0xFC00, 0xCE6E},
    {0x1p-14, 0x0400, 0x3880},
    {0x1p-24, 0x0001, 0x3380},
    {0x1p-25, 0x0000, 0x3300},
    {0x1.8p-25, 0x0001, 0x3340},
    {0x1.8p-24, 0x0002, 0x33C0},
    {0x1p-133, 0x0000, 0x0001},
    {0x1p-134, 0x0000, 0x0000},
    {0x1p-126, 0x0000, 0x0080},
    {0x1.FEp127, 0x7C00, 0x7F7F},
    {0x1.FFp127, 0x7C00, 0x7F80},
    {0x1p-1074, 0x0000, 0x0000},
    {0x1.fffffffffffffp1023, 0x7C00, 0x7F80},
    {INFINITY, 0x7C00, 0x7F80},
    {-INFINITY, 0xFC00, 0xFF80},
    {NAN, 0x7E00, 0x7FC0},
    /* a step by way of float would round these twice and end at the even neighbour */
    {1.0 + 0x1p-11 + 0x1p-40, 0x3C01, 0x3F80},
    {1.0 + 0x1p-8 + 0x1p-40, 0x3C04, 0x3F81},
};

START_TEST(known_values)
{
    const struct known *k = &known[_i];
    const double value = isnan(k->value) ? fabs(k->value) : k->value;
    ck_assert_msg(gb_half_encode(value, GB_FP16_EXPONENT) == k->fp16, "%a as fp16: %04x", value,
                  gb_half_encode(value, GB_FP16_EXPONENT));
    ck_assert_msg(gb_half_encode(value, GB_BF16_EXPONENT) == k->bf16, "%a as bf16: %04x", value,
                  gb_half_encode(value, GB_BF16_EXPONENT));
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("half");
    tcase_add_loop_test(tc, every_value_survives, 0, 2);
    tcase_add_loop_test(tc, halfway_goes_to_even, 0, 2);
    tcase_add_loop_test(tc, known_values, 0, (int)(sizeof known / sizeof known[0]));
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("half", add_cases)
