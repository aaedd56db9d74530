/* The golden values come from scipy 1.10, which the build does not need:
 *   python3 -c "from scipy import stats; print(repr(stats.t.cdf(-3.3, 7.3)))"       (t.ppf,
 * norm.cdf, norm.ppf likewise; Welch: stats.ttest_ind(b, a, equal_var=False)) */
#include "base/inference.h"

#include <math.h>

#include "unit/check_main.h"

/* Relative, so that far tails are held to the same digits. */
static void near(double got, double want, double tolerance, const char *what, double x, double y)
{
    double limit = tolerance * fmax(fabs(want), 1e-320);
    ck_assert_msg(fabs(got - want) <= limit, "%s(%.17g, %.17g) = %.17g, expected %.17g", what, x, y,
                  got, want);
}

START_TEST(the_distribution_of_students_t_is_right_from_the_middle_to_the_far_tail)
{
    static const double rows[][3] = {
        {-1e8, 1, 3.1830988618379066e-09},   {-3.5, 1, 0.08858553278290474},
        {0.5, 1.5, 0.65971644466503},        {-2.0, 2, 0.09175170953613696},
        {1.0, 3, 0.8044988905221148},        {-3.3, 7.3, 0.006178508121501767},
        {-40, 8, 8.392859439572887e-11},     {2.576, 30, 0.9924185031194906},
        {-12, 120.5, 1.309034649364734e-22}, {1.96, 1e4, 0.9749882398840835},
        {-6, 1e6, 9.869249061772215e-10},    {-37, 1e6, 9.149865430900403e-300},
        {0.001, 1e6, 0.5003989421141755},    {1e-9, 5, 0.5000000003796067},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        near(gb_t_cdf(rows[i][0], rows[i][1]), rows[i][2], 1e-10, "t_cdf", rows[i][0], rows[i][1]);
        near(gb_t_cdf(-rows[i][0], rows[i][1]), 1 - rows[i][2], 1e-10, "t_cdf", -rows[i][0],
             rows[i][1]);
    }
    ck_assert(gb_t_cdf(0, 3) == 0.5);
    ck_assert(gb_t_cdf((double)-INFINITY, 3) == 0);
    ck_assert(gb_t_cdf((double)INFINITY, 3) == 1);
}
END_TEST

START_TEST(the_distribution_agrees_with_its_closed_forms)
{
    /* Abramowitz & Stegun 26.7.3-4 for df 1 and 2: atan, and t / sqrt(2 + t^2). */
    for (double t = -50; t <= 50; t += 0.37) {
        near(gb_t_cdf(t, 1),
             t < 0 ? atan(-1 / t) / 3.14159265358979324 : 0.5 + atan(t) / 3.14159265358979324,
             1e-12, "t_cdf", t, 1);
        double root = sqrt(2 + t * t);
        near(gb_t_cdf(t, 2), t < 0 ? 1 / (root * (root - t)) : 0.5 + t / root / 2, 1e-12, "t_cdf",
             t, 2);
    }
}
END_TEST

START_TEST(the_quantile_of_students_t_is_right)
{
    static const double rows[][3] = {
        {1e-12, 1, -318309886183.7905},      {0.005, 1, -63.65674116287404},
        {0.005, 2, -9.924843200918074},      {0.005, 7.3, -3.4510316556221903},
        {0.2, 4, -0.9409645771975298},       {0.025, 8, -2.306004135033371},
        {0.4999, 3, -0.0002720699091105281}, {0.995, 8, 3.3553873313333957},
        {0.975, 1e6, 1.9599663568141066},    {1e-10, 1e6, -6.361406848876743},
        {0.995, 123.4, 2.6162583641455748},  {0.8, 1.5, 1.1533643782955627},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        near(gb_t_quantile(rows[i][0], rows[i][1]), rows[i][2], 1e-10, "t_quantile", rows[i][0],
             rows[i][1]);
    }
    /* So far out P(T > t) is 125/5 Gamma(3) / (sqrt(5 pi) Gamma(2.5)) t^-5; scipy is wrong there.
     */
    near(gb_t_quantile(1e-300, 5), -1.5683925590993377e+60, 1e-10, "t_quantile", 1e-300, 5);
    ck_assert(gb_t_quantile(0.5, 7) == 0);
}
END_TEST

START_TEST(distribution_and_quantile_are_inverse)
{
    static const double dfs[] = {1, 1.5, 2, 3.7, 8, 40, 39.999, 1000, 1e5, 1e6};
    for (size_t i = 0; i < sizeof dfs / sizeof dfs[0]; i++) {
        double before = (double)-INFINITY;
        for (double p = 1e-12; p < 1; p = p < 0.1 ? p * 3 : p + 0.07) {
            double t = gb_t_quantile(p, dfs[i]);
            ck_assert(t > before);
            before = t;
            near(gb_t_cdf(t, dfs[i]), p, 1e-10, "t_cdf of the quantile", p, dfs[i]);
        }
    }
}
END_TEST

START_TEST(the_normal_distribution_is_right)
{
    static const double cdf[][2] = {{-37, 5.7255712225239266e-300}, {-8, 6.22096057427174e-16},
                                    {-1.5, 0.06680720126885807},    {0, 0.5},
                                    {0.3, 0.6179114221889526},      {2.5758293035489, 0.995}};
    static const double ppf[][2] = {{1e-300, -37.0470962993612},
                                    {1e-20, -9.262340089798409},
                                    {0.005, -2.575829303548901},
                                    {0.2, -0.8416212335729142},
                                    {0.5, 0.0},
                                    {0.8, 0.8416212335729143},
                                    {0.975, 1.959963984540054},
                                    {0.9999999, 5.199337582290661}};
    for (size_t i = 0; i < sizeof cdf / sizeof cdf[0]; i++) {
        near(gb_normal_cdf(cdf[i][0]), cdf[i][1], 1e-10, "normal_cdf", cdf[i][0], 0);
    }
    for (size_t i = 0; i < sizeof ppf / sizeof ppf[0]; i++) {
        near(gb_normal_quantile(ppf[i][0]), ppf[i][1], 1e-10, "normal_quantile", ppf[i][0], 0);
    }
}
END_TEST

START_TEST(what_is_out_of_range_is_not_a_number)
{
    const double none = (double)NAN;
    ck_assert(isnan(gb_t_cdf(1, 0)) && isnan(gb_t_cdf(1, -2)) && isnan(gb_t_cdf(none, 3)));
    ck_assert(isnan(gb_t_cdf(1, none)));
    ck_assert(isnan(gb_t_quantile(0, 3)) && isnan(gb_t_quantile(1, 3)));
    ck_assert(isnan(gb_t_quantile(0.3, 0)) && isnan(gb_t_quantile(none, 3)));
    ck_assert(isnan(gb_normal_quantile(0)) && isnan(gb_normal_quantile(1.5)));
}
END_TEST

START_TEST(welchs_test_is_right)
{
    static const double a[] = {0.012, 0.004, -0.003, 0.0071, 0.001};
    static const double b[] = {0.031, 0.0275, 0.0342, 0.0261};
    gb_welch w;
    gb_welch_test(a, 5, 0, b, 4, 0, &w);
    near(w.t, 8.106240531367899, 1e-12, "welch t", 5, 4);
    near(w.p, 0.00010123711286040232, 1e-10, "welch p", 5, 4);
    near(w.df, 6.759304042339573, 1e-12, "welch df", 5, 4);
    near(w.se, 0.0031432573338285026, 1e-12, "welch se", 5, 4);
    near(w.diff, 0.025480000000000003, 1e-12, "welch diff", 5, 4);
}
END_TEST

START_TEST(a_variance_floor_widens_what_a_coarse_timer_made_equal)
{
    static const double same[] = {1, 1, 1}, other[] = {1.01, 1.01, 1.01};
    gb_welch w;
    gb_welch_test(same, 3, 0, other, 3, 0, &w);
    ck_assert(w.p == 0 && w.t > 0 && isinf(w.t) && w.df == 4);
    gb_welch_test(same, 3, 0, same, 3, 0, &w);
    ck_assert(w.p == 1 && w.se == 0 && w.t == 0);
    gb_welch_test(same, 3, 1e-4, other, 3, 1e-4, &w);
    near(w.se, 0.00816496580927726, 1e-12, "se", 3, 3);
    near(w.df, 4, 1e-12, "df", 3, 3);
    ck_assert(w.p > 0.2 && w.p < 0.3);
}
END_TEST

START_TEST(CMP_17_one_value_a_side_has_no_test)
{
    static const double one[] = {1}, two[] = {2, 3};
    gb_welch w;
    gb_welch_test(one, 1, 0, two, 2, 0, &w);
    ck_assert(isnan(w.p) && isnan(w.diff) && isnan(w.se) && isnan(w.df) && isnan(w.t));
    gb_welch_test(two, 2, 0, one, 1, 0, &w);
    ck_assert(isnan(w.p));
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("inference");
    tcase_add_test(tcase, the_distribution_of_students_t_is_right_from_the_middle_to_the_far_tail);
    tcase_add_test(tcase, the_distribution_agrees_with_its_closed_forms);
    tcase_add_test(tcase, the_quantile_of_students_t_is_right);
    tcase_add_test(tcase, distribution_and_quantile_are_inverse);
    tcase_add_test(tcase, the_normal_distribution_is_right);
    tcase_add_test(tcase, what_is_out_of_range_is_not_a_number);
    tcase_add_test(tcase, welchs_test_is_right);
    tcase_add_test(tcase, a_variance_floor_widens_what_a_coarse_timer_made_equal);
    tcase_add_test(tcase, CMP_17_one_value_a_side_has_no_test);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("inference", add_cases)
