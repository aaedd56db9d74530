/* The rules by which nights are judged, on nights made by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "reports/history/judge.h"
#include "unit/check_main.h"

/* A fixed noise of about 1 %: quantiles of a normal in a scattered order. */
static const double noise[20] = {0.2,  -0.9, 1.3,  -0.1, 0.6,  -1.5, 0.9, -0.4, -0.7, 1.9,
                                 -0.2, 0.4,  -1.1, 0.1,  -1.9, 0.7,  1.1, -0.6, 1.5,  -1.3};

static void fill(double nights[], size_t n, double level)
{
    for (size_t i = 0; i < n; i++)
        nights[i] = log(100) + log1p(level) + 0.01 * noise[i % 20];
}

START_TEST(median_and_robust_deviation)
{
    static const double values[] = {5, 1, 4, 2, 100};
    double median, sd;
    gb_robust(values, 5, 0, &median, &sd);
    ck_assert_double_eq_tol(median, 4, 1e-12);
    ck_assert_double_eq_tol(sd, 1.4826 * 2, 1e-12); /* deviations 1 3 0 2 96 */
    gb_robust(values, 5, 10, &median, &sd);
    ck_assert_double_eq_tol(sd, 10, 1e-12);
    gb_robust(values, 4, 0, &median, &sd);
    ck_assert_double_eq_tol(median, 3, 1e-12);
}
END_TEST

START_TEST(no_verdict_before_ten_nights)
{
    double nights[12];
    gb_spike spike;
    fill(nights, 12, 0);
    for (size_t n = 1; n <= 12; n++) {
        double kept = nights[n - 1];
        nights[n - 1] += 0.5;
        gb_spike_judge(nights, n, NAN, &spike);
        ck_assert_msg(spike.judged == (n > GB_YOUNG_NIGHTS), "%zu", n);
        ck_assert(spike.beyond == spike.judged);
        nights[n - 1] = kept;
    }
}
END_TEST

START_TEST(a_spike_needs_four_deviations_and_three_percent)
{
    double nights[40];
    gb_spike spike;
    fill(nights, 40, 0);
    nights[39] = log(100) + log1p(0.06);
    gb_spike_judge(nights, 40, NAN, &spike);
    ck_assert(spike.beyond && !spike.lasting && spike.change > 0 && spike.z > 4);
    nights[39] = log(100) + log1p(0.035); /* over 3 %, under 4 sd */
    gb_spike_judge(nights, 40, NAN, &spike);
    ck_assert(!spike.beyond);
    nights[39] = log(100) + log1p(-0.06); /* the other way */
    gb_spike_judge(nights, 40, NAN, &spike);
    ck_assert(spike.beyond && spike.change < 0);
    for (int i = 0; i < 39; i++)
        nights[i] = log(100) + 0.1 * (nights[i] - log(100)); /* sd 0.1 %, floor 0.25 % */
    nights[39] = log(100) + log1p(0.025);
    gb_spike_judge(nights, 40, NAN, &spike);
    ck_assert(!spike.beyond && spike.z > 4); /* significant, and too small to matter */
    ck_assert_double_eq_tol(spike.sd, GB_NOISE_FLOOR, 1e-12);
}
END_TEST

START_TEST(three_nights_that_agree_are_beyond_together)
{
    double nights[40];
    gb_spike spike;
    fill(nights, 40, 0);
    for (int i = 37; i < 40; i++)
        nights[i] = log(100) + log1p(0.037);
    gb_spike_judge(nights, 38, NAN, &spike);
    ck_assert(!spike.beyond);
    gb_spike_judge(nights, 40, NAN, &spike);
    ck_assert(spike.beyond && spike.lasting);
    nights[39] = log(100) - 0.01; /* back tonight: nothing to repeat */
    gb_spike_judge(nights, 40, NAN, &spike);
    ck_assert(!spike.beyond);
}
END_TEST

START_TEST(repeats_agree_or_do_not)
{
    gb_spike spike = {
        .judged = true, .beyond = true, .centre = log(100), .sd = 0.01, .change = log1p(0.2)};
    ck_assert(gb_spike_agrees(&spike, log(106)));
    ck_assert(!gb_spike_agrees(&spike, log(101.5)));
    ck_assert(!gb_spike_agrees(&spike, log(80)));
    spike.sd = GB_NOISE_FLOOR; /* beyond two deviations, and yet under 2 % */
    ck_assert(!gb_spike_agrees(&spike, log(101.5)));
}
END_TEST

/* Q of every split from its definition, with all pairs, and its best one. */
static double definition(const double x[], size_t n, size_t *at)
{
    double best = -1;
    for (size_t a = GB_SEGMENT_NIGHTS; a + GB_SEGMENT_NIGHTS <= n; a++) {
        double between = 0, left = 0, right = 0;
        size_t b = n - a;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double d = fabs(x[i] - x[j]);
                if (i < a && j >= a)
                    between += d;
                else if (i < a && j < i)
                    left += d;
                else if (i >= a && j >= a && j < i)
                    right += d;
            }
        }
        double na = (double)a, nb = (double)b;
        double q =
            na * nb / (na + nb) *
            (2 * between / (na * nb) - left / (na * (na - 1) / 2) - right / (nb * (nb - 1) / 2));
        if (q > best) {
            best = q;
            *at = a;
        }
    }
    return best;
}

START_TEST(change_points_are_where_the_definition_has_them)
{
    double nights[60];
    size_t at[GB_MAX_CHANGES], best = 0;
    for (size_t step = 12; step <= 48; step += 9) {
        fill(nights, step, 0);
        fill(nights + step, 60 - step, 0.025);
        ck_assert(definition(nights, 60, &best) > 0);
        ck_assert_uint_ge(gb_drift_find(nights, 60, NAN, 7, at), 1);
        ck_assert_uint_eq(at[0], best);
        ck_assert(best + 2 >= step && best <= step + 2);
    }
}
END_TEST

START_TEST(no_change_point_in_noise_in_small_steps_or_in_few_nights)
{
    double nights[60];
    size_t at[GB_MAX_CHANGES];
    fill(nights, 60, 0);
    ck_assert_uint_eq(gb_drift_find(nights, 60, NAN, 7, at), 0);
    nights[30] += 0.3; /* one night is a spike */
    ck_assert_uint_eq(gb_drift_find(nights, 60, NAN, 7, at), 0);
    for (int i = 0; i < 60; i++)
        nights[i] = 0.02 * (nights[i] - log(100)) + (i < 30 ? 0 : 0.008);
    ck_assert_uint_eq(gb_drift_find(nights, 60, NAN, 7, at), 0); /* plain to see, and under 1 % */
    fill(nights, 5, 0);
    fill(nights + 5, 4, 0.5);
    ck_assert_uint_eq(gb_drift_find(nights, 9, NAN, 7, at), 0);
    for (int i = 0; i < 60; i++)
        nights[i] = 5;
    ck_assert_uint_eq(gb_drift_find(nights, 60, NAN, 7, at), 0);
}
END_TEST

START_TEST(the_same_nights_and_seed_give_the_same_answer)
{
    double nights[60];
    size_t first[GB_MAX_CHANGES], second[GB_MAX_CHANGES];
    fill(nights, 40, 0);
    fill(nights + 40, 20, 0.02);
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t n = gb_drift_find(nights, 60, NAN, seed, first);
        ck_assert_uint_eq(gb_drift_find(nights, 60, NAN, seed, second), n);
        ck_assert(memcmp(first, second, n * sizeof first[0]) == 0);
    }
}
END_TEST

START_TEST(a_change_is_open_until_it_is_undone)
{
    double nights[60];
    gb_judgement j;
    fill(nights, 20, 0);
    fill(nights + 20, 20, 0.05);
    gb_judge(nights, 40, NAN, 7, &j);
    ck_assert_uint_eq(j.n_changes, 1);
    ck_assert(j.changes[0].open);
    ck_assert_double_eq_tol(expm1(j.changes[0].after - j.changes[0].before), 0.05, 0.006);
    ck_assert_uint_eq(j.segment, 20);
    fill(nights + 20, 30, 0.05);
    fill(nights + 50, 10, 0); /* mended */
    gb_judge(nights, 60, NAN, 7, &j);
    ck_assert_uint_eq(j.n_changes, 2);
    ck_assert(!j.changes[0].open && !j.changes[1].open);
    fill(nights + 50, 10, 0.025); /* half mended */
    gb_judge(nights, 60, NAN, 7, &j);
    ck_assert_uint_eq(j.n_changes, 2);
    ck_assert(j.changes[0].open && !j.changes[1].open);
    fill(nights, 30, 0.05);
    fill(nights + 30, 30, 0); /* faster is never open */
    gb_judge(nights, 60, NAN, 7, &j);
    ck_assert_uint_eq(j.n_changes, 1);
    ck_assert(!j.changes[0].open);
}
END_TEST

START_TEST(CMP_12_the_pinned_reference_sees_what_creeps)
{
    double first[GB_REFERENCE_NIGHTS], last[60];
    gb_reference reference;
    fill(first, GB_REFERENCE_NIGHTS, 0);
    for (int i = 0; i < 60; i++)
        last[i] = log(100) + 0.01 * noise[i % 20] + 0.001 * i; /* 0.1 % a night */
    gb_reference_judge(first, last, 60, NAN, &reference);
    ck_assert(reference.judged && reference.beyond);
    ck_assert_double_eq_tol(reference.now - reference.level, 0.057, 0.012);
    fill(last, 60, 0);
    gb_reference_judge(first, last, 60, NAN, &reference);
    ck_assert(reference.judged && !reference.beyond);
    fill(last, 60, -0.2);
    gb_reference_judge(first, last, 60, NAN, &reference);
    ck_assert(!reference.beyond); /* faster */
    fill(last, 60, 0.05);
    gb_reference_judge(first, last, 60, NAN, &reference);
    ck_assert(reference.beyond && reference.before && !reference.back);
    fill(last, 60, 0); /* three of the last five are slower, and tonight is or is not */
    for (int i = 57; i < 60; i++)
        last[i] += 0.2;
    gb_reference_judge(first, last, 60, NAN, &reference);
    ck_assert(reference.beyond && !reference.before && !reference.back);
    last[56] += 0.2;
    last[59] -= 0.2;
    gb_reference_judge(first, last, 60, NAN, &reference);
    ck_assert(!reference.beyond && reference.back);
    gb_reference_judge(first, last, GB_YOUNG_NIGHTS - 1, NAN, &reference);
    ck_assert(!reference.judged);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("judge");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, median_and_robust_deviation);
    tcase_add_test(tc, no_verdict_before_ten_nights);
    tcase_add_test(tc, a_spike_needs_four_deviations_and_three_percent);
    tcase_add_test(tc, three_nights_that_agree_are_beyond_together);
    tcase_add_test(tc, repeats_agree_or_do_not);
    tcase_add_test(tc, change_points_are_where_the_definition_has_them);
    tcase_add_test(tc, no_change_point_in_noise_in_small_steps_or_in_few_nights);
    tcase_add_test(tc, the_same_nights_and_seed_give_the_same_answer);
    tcase_add_test(tc, a_change_is_open_until_it_is_undone);
    tcase_add_test(tc, CMP_12_the_pinned_reference_sees_what_creeps);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("history judge", add_cases)
