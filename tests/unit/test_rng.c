#include "base/rng.h"
#include "unit/check_main.h"

START_TEST(numbers_are_those_of_splitmix64)
{
    /* From the published algorithm, seed 1234567, computed apart in Python. */
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u,
                                        16408922859458223821u};
    gb_rng rng = {1234567};
    for (size_t i = 0; i < 5; i++) {
        ck_assert_uint_eq(gb_rng_next(&rng), expected[i]);
    }
}
END_TEST

START_TEST(below_stays_below_and_reaches_everything)
{
    gb_rng rng = {1};
    ck_assert_uint_eq(gb_rng_below(&rng, 0), 0);
    ck_assert_uint_eq(gb_rng_below(&rng, 1), 0);
    unsigned counts[6] = {0};
    for (int i = 0; i < 60000; i++) {
        uint64_t x = gb_rng_below(&rng, 6);
        ck_assert_uint_lt(x, 6);
        counts[x]++;
    }
    for (int i = 0; i < 6; i++) {
        ck_assert_uint_gt(counts[i], 9500); /* 10,000 +- 5.5 sigma */
        ck_assert_uint_lt(counts[i], 10500);
    }
    for (int i = 0; i < 100; i++) {
        ck_assert_uint_lt(gb_rng_below(&rng, UINT64_MAX), UINT64_MAX);
    }
}
END_TEST

START_TEST(unit_is_in_0_1)
{
    gb_rng rng = {2};
    double sum = 0;
    for (int i = 0; i < 100000; i++) {
        double x = gb_rng_unit(&rng);
        ck_assert(x >= 0 && x < 1);
        sum += x;
    }
    ck_assert_double_eq_tol(sum / 100000, 0.5, 0.005);
}
END_TEST

START_TEST(shuffle_is_a_permutation_and_repeatable)
{
    enum { N = 1000 };
    uint32_t a[N], b[N];
    unsigned char seen[N] = {0};
    gb_rng one = {42}, two = {42}, three = {43};
    for (uint32_t i = 0; i < N; i++) {
        a[i] = b[i] = i;
    }
    gb_rng_shuffle(&one, a, N);
    gb_rng_shuffle(&two, b, N);
    size_t moved = 0;
    for (uint32_t i = 0; i < N; i++) {
        ck_assert_uint_eq(a[i], b[i]);
        ck_assert_uint_lt(a[i], N);
        ck_assert_uint_eq(seen[a[i]]++, 0);
        moved += a[i] != i;
    }
    ck_assert_uint_gt(moved, N - 20);
    gb_rng_shuffle(&three, b, N);
    size_t same = 0;
    for (uint32_t i = 0; i < N; i++) {
        same += a[i] == b[i];
    }
    ck_assert_uint_lt(same, 20);
    gb_rng_shuffle(&one, NULL, 0);
    gb_rng_shuffle(&one, a, 1);
}
END_TEST

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

START_TEST(derived_streams_differ)
{
    enum { STREAMS = 64, EACH = 64, ALL = STREAMS * EACH };
    static uint64_t numbers[ALL];
    for (uint64_t s = 0; s < STREAMS; s++) {
        gb_rng rng = {gb_rng_derive(7, s)};
        for (size_t i = 0; i < EACH; i++) {
            numbers[s * EACH + i] = gb_rng_next(&rng);
        }
    }
    qsort(numbers, ALL, sizeof numbers[0], ascending);
    for (size_t i = 1; i < ALL; i++) {
        ck_assert_uint_ne(numbers[i], numbers[i - 1]);
    }
    ck_assert_uint_ne(gb_rng_derive(7, 0), gb_rng_derive(8, 0));
    ck_assert_uint_eq(gb_rng_derive(7, 3), gb_rng_derive(7, 3));
    /* seed and index do not trade places: neighbours of seeds are no neighbours of streams */
    ck_assert_uint_ne(gb_rng_derive(7, 1), gb_rng_derive(8, 0));
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("rng");
    tcase_add_test(tcase, numbers_are_those_of_splitmix64);
    tcase_add_test(tcase, below_stays_below_and_reaches_everything);
    tcase_add_test(tcase, unit_is_in_0_1);
    tcase_add_test(tcase, shuffle_is_a_permutation_and_repeatable);
    tcase_add_test(tcase, derived_streams_differ);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("rng", add)
