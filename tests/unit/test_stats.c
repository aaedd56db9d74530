/* Golden values were computed apart, with NumPy 2 and SciPy 1 (percentiles: method inverted_cdf;
 * standard deviation: ddof=1; ranks: largest k with binom.cdf(k-1, n, 0.5) <= 0.025; intervals:
 * t.ppf(0.975, n-1)). */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/stats.h"
#include "unit/locale_case.h"

#define CLOSE(a, b) ck_assert_double_eq_tol(a, b, 1e-12 * fabs(b))
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static gb_summary summarise(const double ns[], size_t n, double floor, bool single)
{
    gb_summary out;
    gb_error err = {.message = ""};
    memset(&out, 0x5A, sizeof out);
    ck_assert_msg(gb_stats_summarise(ns, n, floor, single, &out, &err) == GB_OK, "%s", err.message);
    return out;
}

START_TEST(a_summary_agrees_with_numpy)
{
    static const double x[] = {1041, 998,  1003, 1012, 1007, 995,  1001, 1450, 1009,
                               1004, 999,  1015, 1002, 1006, 1011, 1000, 1022, 997,
                               1008, 1005, 1013, 1010, 996,  1003, 1030};
    gb_summary s = summarise(x, COUNT(x), 0, true);
    ck_assert_uint_eq(s.n, 25);
    ck_assert(s.min == 995 && s.max == 1450);
    ck_assert(s.p5 == 996 && s.p25 == 1001 && s.median == 1006 && s.p75 == 1012 && s.p95 == 1041);
    ck_assert(isnan(s.p99));
    CLOSE(s.mean, 1025.48);
    CLOSE(s.stddev, 89.07914084303538);
    ck_assert(s.mad == 6);
    ck_assert(s.ci95[0] == 1002 && s.ci95[1] == 1011);
    /* fences 1001 - 20.12 and 1012 + 20.12 (2 % of the median is more than 1.5 IQR) */
    ck_assert_uint_eq(s.outliers, 2);
    ck_assert(!s.slow_first && !s.drift && !s.bimodal);
    ck_assert(isnan(s.modes[0]) && isnan(s.modes[1]));

    double scratch[COUNT(x)];
    CLOSE(gb_stats_precision(x, COUNT(x), scratch), 4.5 / 1006);
}
END_TEST

START_TEST(ci_ranks_are_exact_binomial)
{
    static const struct {
        size_t n, k;
    } golden[] = {{1, 0},      {2, 0},      {5, 0},          {6, 1},           {7, 1},
                  {8, 1},      {9, 2},      {10, 2},         {11, 2},          {12, 3},
                  {15, 4},     {20, 6},     {25, 8},         {30, 10},         {50, 18},
                  {60, 22},    {100, 40},   {101, 41},       {500, 228},       {999, 469},
                  {1000, 469}, {2000, 956}, {100000, 49690}, {1000000, 499020}};
    static double x[1000000];
    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = (double)(i + 1); /* a value is its own rank */
    }
    for (size_t i = 0; i < COUNT(golden); i++) {
        size_t n = golden[i].n, k = golden[i].k;
        gb_summary s = summarise(x, n, 0, true);
        if (k == 0) {
            ck_assert_msg(isnan(s.ci95[0]) && isnan(s.ci95[1]), "n = %zu", n);
        } else {
            ck_assert_msg(s.ci95[0] == (double)k && s.ci95[1] == (double)(n + 1 - k),
                          "n = %zu: ranks %g and %g, not %zu", n, s.ci95[0], s.ci95[1], k);
        }
    }
}
END_TEST

START_TEST(percentiles_exist_only_where_they_mean_something)
{
    static double x[1000];
    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = 1000 + (double)((i * 7) % COUNT(x)); /* 1000 .. 1999, in another order */
    }
    gb_summary s = summarise(x, 1000, 0, true);
    ck_assert(s.p5 == 1049 && s.p25 == 1249 && s.p75 == 1749 && s.p95 == 1949 && s.p99 == 1989);
    ck_assert(s.median == 1499.5);
    s = summarise(x, 1000, 0, false);
    ck_assert(s.p5 == 1049 && isnan(s.p95) && isnan(s.p99) && s.p75 == 1749);
    s = summarise(x, 999, 0, true);
    ck_assert(!isnan(s.p95) && isnan(s.p99));
    s = summarise(x, 19, 0, true);
    ck_assert(isnan(s.p5) && isnan(s.p95) && !isnan(s.p25));
}
END_TEST

START_TEST(TIM_18_one_sample_has_no_spread)
{
    double scratch[1];
    gb_summary s = summarise((double[]){1234.5}, 1, 0, true);
    ck_assert_uint_eq(s.n, 1);
    ck_assert(s.min == 1234.5 && s.max == 1234.5 && s.median == 1234.5 && s.mean == 1234.5);
    ck_assert(s.p25 == 1234.5 && s.p75 == 1234.5 && s.mad == 0);
    ck_assert(isnan(s.stddev) && isnan(s.ci95[0]) && isnan(s.ci95[1]));
    ck_assert(isnan(s.p5) && isnan(s.p95) && isnan(s.p99));
    ck_assert(!s.slow_first && !s.drift && !s.bimodal);
    ck_assert_uint_eq(s.outliers, 0);
    ck_assert(isnan(gb_stats_precision((double[]){1}, 1, scratch)));
    ck_assert(isnan(gb_stats_precision(NULL, 0, scratch)));
}
END_TEST

START_TEST(TIM_01_nothing_to_summarise_is_an_error)
{
    gb_summary s;
    gb_error err = {.message = ""};
    ck_assert_int_eq(gb_stats_summarise(NULL, 0, 0, true, &s, &err), GB_INVALID);
    ck_assert(strstr(err.message, "no samples") != NULL);
}
END_TEST

START_TEST(bad_samples_are_refused)
{
    const double bad[] = {-1, (double)NAN, (double)INFINITY};
    for (size_t i = 0; i < COUNT(bad); i++) {
        gb_summary s;
        gb_error err = {.message = ""};
        double x[] = {1, bad[i], 3};
        ck_assert_int_eq(gb_stats_summarise(x, 3, 0, true, &s, &err), GB_INVALID);
        ck_assert(strstr(err.message, "sample 2 of 3") != NULL);
        ck_assert_int_eq(gb_stats_summarise(x, 3, 0, true, &s, NULL), GB_INVALID);
    }
    ck_assert_int_eq(gb_stats_summarise((double[]){1}, 1, -1, true, &(gb_summary){0}, NULL),
                     GB_INVALID);
    ck_assert_int_eq(
        gb_stats_summarise((double[]){1}, 1, (double)NAN, true, &(gb_summary){0}, NULL),
        GB_INVALID);
}
END_TEST

START_TEST(TIM_09_long_sums_keep_their_digits)
{
    static double x[1000];
    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = 10.001e6; /* 10.001 ms */
    }
    gb_summary s = summarise(x, COUNT(x), 0, true);
    ck_assert_double_eq_tol(s.mean * 1000 / 1e6, 10001, 0.01);
    ck_assert(s.stddev == 0 && s.median == 10.001e6);
    /* a small spread around a large value: sums of squares would lose it */
    for (size_t i = 0; i < COUNT(x); i++) {
        x[i] = 1e14 + (i % 2 ? 1 : -1);
    }
    s = summarise(x, COUNT(x), 0, true);
    ck_assert_double_eq_tol(s.stddev, 1.00050037531277, 1e-3); /* sqrt(1000 / 999) */
}
END_TEST

START_TEST(TIM_14_a_median_of_zero)
{
    double scratch[20], x[20] = {0};
    x[19] = 100;
    gb_summary s = summarise(x, 20, 100, true);
    ck_assert(s.median == 0 && s.mad == 0 && s.min == 0 && s.ci95[0] == 0 && s.ci95[1] == 0);
    ck_assert_uint_eq(s.outliers, 0); /* a tick of the timer is none */
    ck_assert(isnan(gb_stats_precision(x, 20, scratch)));
    double centre, half;
    gb_stats_between((double[]){0, 0, 0}, 3, &centre, &half);
    ck_assert(isnan(centre) && isnan(half));
}
END_TEST

START_TEST(TIM_16_no_warning_for_three_runs_or_one_percent)
{
    gb_summary s = summarise((double[]){2.502e9, 2.450e9, 2.455e9}, 3, 0, true);
    ck_assert(!s.slow_first && !s.drift && !s.bimodal);
    ck_assert_uint_eq(s.outliers, 0);
    double four[] = {9e9, 1e9, 1e9, 1e9};
    s = summarise(four, 4, 0, true);
    ck_assert(!s.slow_first);
    ck_assert_uint_eq(s.outliers, 0);
    double one_percent[20];
    for (size_t i = 0; i < 20; i++) {
        one_percent[i] = i == 0 ? 1010 : 1000 + (double)(i % 3) / 10;
    }
    s = summarise(one_percent, 20, 0, true);
    ck_assert(!s.slow_first && !s.drift && !s.bimodal);
    ck_assert_uint_eq(s.outliers, 0);
    one_percent[0] = 1500;
    s = summarise(one_percent, 20, 0, true);
    ck_assert(s.slow_first);
    ck_assert_uint_eq(s.outliers, 1);
    s = summarise(one_percent, 20, 600, true); /* within the timer's resolution */
    ck_assert(!s.slow_first);
    one_percent[7] = 1600; /* slower than the first: not a matter of warming up */
    s = summarise(one_percent, 20, 0, true);
    ck_assert(!s.slow_first);
    ck_assert_uint_eq(s.outliers, 2);
}
END_TEST

START_TEST(outliers_on_both_sides_are_counted)
{
    double x[40];
    for (size_t i = 0; i < 40; i++) {
        x[i] = 1000 + (double)i;
    }
    x[20] = 972; /* quartiles 1007 and 1030, fences 972.5 and 1064.5 */
    x[21] = 1065;
    x[22] = 973;
    gb_summary s = summarise(x, 40, 0, true);
    ck_assert(s.p25 == 1007 && s.p75 == 1030);
    ck_assert_uint_eq(s.outliers, 2);
    x[20] = 500;
    x[21] = 5000;
    s = summarise(x, 40, 0, true);
    ck_assert_uint_eq(s.outliers, 2);
    ck_assert(s.min == 500 && s.max == 5000); /* counted, never dropped */
    ck_assert_uint_eq(s.n, 40);
}
END_TEST

START_TEST(TIM_17_two_clusters_are_bimodal)
{
    double x[10] = {750, 11, 750, 750, 11, 750, 750, 11, 750, 750};
    gb_summary s = summarise(x, 10, 0, true);
    ck_assert(s.bimodal);
    ck_assert(s.modes[0] == 11 && s.modes[1] == 750);
    ck_assert_uint_eq(s.mode_counts[0], 3);
    ck_assert_uint_eq(s.mode_counts[1], 7);
    ck_assert(s.median == 750 && s.min == 11);

    double halves[12]; /* half and half: neither may hide the other */
    for (size_t i = 0; i < 12; i++) {
        halves[i] = (i % 2 ? 750 : 11) * (1 + 0.01 * (double)(i / 2));
    }
    s = summarise(halves, 12, 0, true);
    ck_assert(s.bimodal);
    ck_assert_uint_eq(s.mode_counts[0], 6);
    ck_assert_uint_eq(s.mode_counts[1], 6);
    ck_assert_double_eq_tol(s.modes[0], 11.275, 1e-9);
    ck_assert_double_eq_tol(s.modes[1], 768.75, 1e-9);

    s = summarise(x, 10, 800, true); /* a gap within the timer's resolution */
    ck_assert(!s.bimodal && isnan(s.modes[0]));
}
END_TEST

START_TEST(one_cluster_is_not_bimodal)
{
    gb_rng rng = {5};
    unsigned alarms = 0;
    for (int trial = 0; trial < 1000; trial++) {
        double x[20];
        for (size_t i = 0; i < 20; i++) {
            x[i] = 100 - 10 * log(1 - gb_rng_unit(&rng)); /* skewed, as times are */
        }
        alarms += summarise(x, 20, 0, true).bimodal;
    }
    ck_assert_uint_lt(alarms, 20);
    double lone[20];
    for (size_t i = 0; i < 20; i++) {
        lone[i] = i == 5 ? 700 : 100 + (double)(i % 4);
    }
    gb_summary s = summarise(lone, 20, 0, true);
    ck_assert(!s.bimodal); /* one sample is an outlier, not a group */
    ck_assert_uint_eq(s.outliers, 1);
}
END_TEST

START_TEST(windows_share_the_samples_in_their_order)
{
    const double ns[] = {5, 1, 3, 8, 6, 7, 20, 22, 21, 4};
    double medians[10], scratch[10];
    gb_stats_windows(ns, 10, 1, medians, scratch);
    ck_assert_double_eq(medians[0], 6.5);
    gb_stats_windows(ns, 10, 3, medians, scratch); /* 3, 3 and 4 of them */
    ck_assert_double_eq(medians[0], 3);
    ck_assert_double_eq(medians[1], 7);
    ck_assert_double_eq(medians[2], 20.5);
    gb_stats_windows(ns, 10, 10, medians, scratch);
    for (int i = 0; i < 10; i++)
        ck_assert_double_eq(medians[i], ns[i]);
}
END_TEST

START_TEST(drift_needs_distance_and_certainty)
{
    double x[40];
    for (size_t i = 0; i < 40; i++) {
        x[i] = (i < 20 ? 1000 : 1050) + (double)(i % 5);
    }
    ck_assert(summarise(x, 40, 0, true).drift);
    ck_assert(!summarise(x, 40, 60, true).drift);     /* within the timer's resolution */
    ck_assert(!summarise(x + 15, 11, 0, true).drift); /* halves of five have no interval */
    for (size_t i = 0; i < 40; i++) {
        x[i] = (i < 20 ? 1000 : 1015) + (double)(i % 5); /* 1.5 % */
    }
    ck_assert(!summarise(x, 40, 0, true).drift);
    for (size_t i = 0; i < 40; i++) {
        x[i] = (i < 20 ? 1000 : 1050) + 40 * (double)(i % 20); /* intervals overlap */
    }
    ck_assert(!summarise(x, 40, 0, true).drift);
    for (size_t i = 0; i < 41; i++) { /* faster later counts too */
        x[i < 40 ? i : 39] = (i < 20 ? 1100 : 1000) + (double)(i % 5);
    }
    ck_assert(summarise(x, 40, 0, true).drift);
}
END_TEST

START_TEST(TIM_22_many_short_iterations_stay_positive)
{
    /* 160 s of a 1 ns body: more iterations than 32 bits hold */
    double total_ns = 160e9, iterations = 160e9;
    ck_assert(iterations > 4294967296.0);
    gb_summary s = summarise((double[]){total_ns / iterations}, 1, 0, false);
    ck_assert(s.median == 1 && s.mean == 1);
}
END_TEST

START_TEST(order_does_not_change_the_order_statistics)
{
    double up[101], down[101], scratch[101];
    for (size_t i = 0; i < 101; i++) {
        up[i] = down[100 - i] = 1 + (double)i;
    }
    gb_summary a = summarise(up, 101, 0, true), b = summarise(down, 101, 0, true);
    ck_assert(a.median == 51 && b.median == 51 && a.mad == b.mad);
    ck_assert(a.ci95[0] == 41 && a.ci95[1] == 61 && b.ci95[0] == 41 && b.ci95[1] == 61);
    CLOSE(gb_stats_precision(up, 101, scratch), 10.0 / 51);
    CLOSE(gb_stats_precision(down, 101, scratch), 10.0 / 51);
    ck_assert(up[0] == 1 && down[0] == 101); /* inputs are left alone */
}
END_TEST

START_TEST(the_interval_between_replicates_is_students)
{
    static const double two[] = {100, 102}, three[] = {1.0, 1.02, .99},
                        five[] = {5.0, 5.1, 4.9, 5.05, 5.2};
    double thirty[30], centre, half;
    gb_stats_between(two, 2, &centre, &half);
    CLOSE(centre, 100.99504938362082);
    ck_assert_double_eq_tol(half, 0.134064541251343, 1e-12);
    gb_stats_between(three, 3, &centre, &half);
    CLOSE(centre, 1.003256053276959);
    ck_assert_double_eq_tol(half, 0.0384541167191163, 1e-12);
    gb_stats_between(five, 5, &centre, &half);
    CLOSE(centre, 5.049009599947207);
    ck_assert_double_eq_tol(half, 0.027879909728112526, 1e-12);
    for (size_t i = 0; i < 30; i++) {
        thirty[i] = 1000 + 7.0 * (double)i;
    }
    gb_stats_between(thirty, 30, &centre, &half);
    CLOSE(centre, 1099.830390113492);
    ck_assert_double_eq_tol(half, 0.02115538127472721, 1e-12);

    gb_stats_between(two, 1, &centre, &half);
    CLOSE(centre, 100.0);
    ck_assert(isnan(half));
    gb_stats_between(NULL, 0, &centre, &half);
    ck_assert(isnan(centre) && isnan(half));
    gb_stats_between((double[]){7, 7, 7}, 3, &centre, &half);
    CLOSE(centre, 7.0);
    ck_assert(half == 0);
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("stats");
    tcase_set_timeout(tcase, 60);
    use_environment_locale(tcase);
    tcase_add_test(tcase, a_summary_agrees_with_numpy);
    tcase_add_test(tcase, ci_ranks_are_exact_binomial);
    tcase_add_test(tcase, percentiles_exist_only_where_they_mean_something);
    tcase_add_test(tcase, TIM_18_one_sample_has_no_spread);
    tcase_add_test(tcase, TIM_01_nothing_to_summarise_is_an_error);
    tcase_add_test(tcase, bad_samples_are_refused);
    tcase_add_test(tcase, TIM_09_long_sums_keep_their_digits);
    tcase_add_test(tcase, TIM_14_a_median_of_zero);
    tcase_add_test(tcase, TIM_16_no_warning_for_three_runs_or_one_percent);
    tcase_add_test(tcase, outliers_on_both_sides_are_counted);
    tcase_add_test(tcase, TIM_17_two_clusters_are_bimodal);
    tcase_add_test(tcase, one_cluster_is_not_bimodal);
    tcase_add_test(tcase, windows_share_the_samples_in_their_order);
    tcase_add_test(tcase, drift_needs_distance_and_certainty);
    tcase_add_test(tcase, TIM_22_many_short_iterations_stay_positive);
    tcase_add_test(tcase, order_does_not_change_the_order_statistics);
    tcase_add_test(tcase, the_interval_between_replicates_is_students);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("stats", add)
