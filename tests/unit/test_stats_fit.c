/* The fit of a copy curve. Golden values were computed apart, with NumPy 2: numpy.polyfit with
 * w=1/t, checked with lstsq. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/stats.h"
#include "unit/locale_case.h"

#define CLOSE(a, b) ck_assert_double_eq_tol(a, b, 1e-12 * fabs(b))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

START_TEST(a_fit_agrees_with_numpy)
{
    static const double t[] = {9222,   8889,   9752,    11505,    20070,   49924,
                               176772, 693690, 2585620, 10853882, 42529086};
    double bytes[COUNT(t)];
    for (size_t i = 0; i < COUNT(t); i++) {
        bytes[i] = ldexp(1024, 2 * (int)i); /* 1 KiB to 1 GiB */
    }
    gb_fit fit;
    ck_assert_int_eq(gb_stats_fit(bytes, t, COUNT(t), &fit, NULL), GB_OK);
    ck_assert_uint_eq(fit.n, 11);
    ck_assert_double_eq_tol(fit.latency_ns, 9005.076280453373, 1e-6);
    ck_assert_double_eq_tol(fit.bandwidth / 25123162675.61294, 1, 1e-10);
    ck_assert_double_eq_tol(fit.n_half, 226235.99630013361, 1e-4);
    ck_assert_double_eq_tol(fit.max_error, 0.036579225038442624, 1e-10);
}
END_TEST

static double unweighted_latency(const double x[], const double y[], size_t n)
{
    double mx = 0, my = 0, xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        mx += x[i] / (double)n;
        my += y[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
    }
    return my - xy / xx * mx;
}

START_TEST(the_weight_keeps_the_latency_positive)
{
    gb_rng rng = {11};
    unsigned negative = 0;
    for (int trial = 0; trial < 200; trial++) {
        double bytes[11], t[11];
        for (size_t i = 0; i < 11; i++) {
            bytes[i] = ldexp(1024, 2 * (int)i);
            t[i] = (10000 + bytes[i] / 25) * (1 + 0.02 * (2 * gb_rng_unit(&rng) - 1));
        }
        negative += unweighted_latency(bytes, t, 11) < 0;
        gb_fit fit;
        ck_assert_int_eq(gb_stats_fit(bytes, t, 11, &fit, NULL), GB_OK);
        ck_assert_double_eq_tol(fit.latency_ns, 10000, 300);
        ck_assert_double_eq_tol(fit.bandwidth, 25e9, 25e9 * 0.03);
        ck_assert_double_eq_tol(fit.n_half, 250000, 15000);
        ck_assert(fit.max_error < 0.05);
    }
    ck_assert_uint_gt(negative, 20); /* what the weight is for */
}
END_TEST

/* A point that took five times as long as the line says is off by 400 %, not by 80 %. */
START_TEST(the_worst_point_counts_alike_above_and_below_the_line)
{
    const double bytes[] = {1024, 4096, 16384, 65536, 262144};
    for (int way = 0; way < 2; way++) {
        double t[COUNT(bytes)], worst = 1;
        gb_fit fit;
        for (size_t i = 0; i < COUNT(bytes); i++) {
            t[i] = (1000 + bytes[i]) * (i != 2 ? 1 : way == 0 ? 5 : 0.5);
        }
        ck_assert_int_eq(gb_stats_fit(bytes, t, COUNT(t), &fit, NULL), GB_OK);
        for (size_t i = 0; i < COUNT(bytes); i++) {
            const double line = fit.latency_ns + bytes[i] * 1e9 / fit.bandwidth;
            worst = fmax(worst, line > t[i] ? line / t[i] : t[i] / line);
        }
        CLOSE(fit.max_error, worst - 1);
        ck_assert(way == 1 || fit.max_error > 3);
    }
}
END_TEST

START_TEST(fits_that_mean_nothing_are_refused)
{
    gb_fit fit;
    gb_error err = {.message = ""};
    ck_assert_int_eq(gb_stats_fit((double[]){1, 1024}, (double[]){1, 2}, 2, &fit, &err),
                     GB_INVALID);
    ck_assert(strstr(err.message, "at least 3 sizes") != NULL);
    ck_assert_int_eq(gb_stats_fit((double[]){1, 2, 15}, (double[]){1, 2, 3}, 3, &fit, &err),
                     GB_INVALID);
    ck_assert(strstr(err.message, "factor of 16") != NULL);
    ck_assert_int_eq(gb_stats_fit((double[]){1, 4, 16}, (double[]){5, 5, 5}, 3, &fit, &err),
                     GB_INVALID);
    ck_assert(strstr(err.message, "does not grow") != NULL);
    ck_assert_int_eq(gb_stats_fit((double[]){1, 4, 16}, (double[]){1, 8, 64}, 3, &fit, &err),
                     GB_INVALID);
    ck_assert(strstr(err.message, "latency") != NULL);
    ck_assert_int_eq(gb_stats_fit((double[]){1, 4, 16}, (double[]){0, 8, 64}, 3, &fit, &err),
                     GB_INVALID);
    ck_assert_int_eq(gb_stats_fit((double[]){0, 4, 16}, (double[]){1, 8, 64}, 3, &fit, &err),
                     GB_INVALID);
    ck_assert_int_eq(
        gb_stats_fit((double[]){1, 4, 16}, (double[]){1, (double)NAN, 64}, 3, &fit, &err),
        GB_INVALID);
    ck_assert_int_eq(gb_stats_fit((double[]){7, 7, 7}, (double[]){1, 2, 3}, 3, &fit, &err),
                     GB_INVALID);
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("stats_fit");
    tcase_set_timeout(tcase, 60);
    use_environment_locale(tcase);
    tcase_add_test(tcase, a_fit_agrees_with_numpy);
    tcase_add_test(tcase, the_weight_keeps_the_latency_positive);
    tcase_add_test(tcase, the_worst_point_counts_alike_above_and_below_the_line);
    tcase_add_test(tcase, fits_that_mean_nothing_are_refused);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("stats_fit", add)
