#include "base/inference.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

#define PI 3.14159265358979323846
#define SQRT_2 1.41421356237309504880

/* Beyond this many degrees of freedom Student's t and the normal agree to all digits of a double.
 */
#define DF_NORMAL 1e14

double gb_normal_cdf(double z)
{
    return 0.5 * erfc(-z / SQRT_2);
}

/* A first value to 1e-9 (Acklam 2003, "An algorithm for computing the inverse normal cumulative
 * distribution function"), for p in (0, 0.5]. */
static double normal_start(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                               3.754408661907416e+00};
    if (p < 0.02425) {
        double q = sqrt(-2 * log(p));
        return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
               ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    }
    double q = p - 0.5, r = q * q;
    return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
           (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

double gb_normal_quantile(double p)
{
    if (!(p > 0 && p < 1)) {
        return (double)NAN;
    }
    double tail = p < 0.5 ? p : 1 - p, z = normal_start(tail);
    for (int i = 0; i < 2; i++) { /* Halley's step triples the digits each time */
        double density = exp(-z * z / 2) / sqrt(2 * PI);
        double step = (gb_normal_cdf(z) - tail) / density;
        z -= step / (1 + z * step / 2);
    }
    return p < 0.5 ? z : -z;
}

/* ln(Gamma(a + 1/2) / Gamma(a)). The difference of two large lgammas would lose its digits: from
 * a = 20 on by the series of Tricomi & Erdelyi (1951), whose next term is below 1e-14 there. */
static double log_gamma_ratio(double a)
{
    if (a < 20) {
        int sign;
        return lgamma_r(a + 0.5, &sign) - lgamma_r(a, &sign);
    }
    double r = 1 / a, s = r * r;
    return 0.5 * log(a) + r * (-1.0 / 8 + s * (1.0 / 192 + s * (-1.0 / 640 + s * (17.0 / 14336))));
}

/* The continued fraction of the incomplete beta function I_x(a, b), DLMF 8.17.22, by Lentz's method
 * (Thompson & Barnett 1986); converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = DBL_MIN / DBL_EPSILON;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double h = d;
    for (int i = 1; i <= 100000; i++) {
        double m = i, odd;
        double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        h *= d * c;
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = fabs(c) < tiny ? tiny : c;
        double factor = d * c;
        h *= factor;
        if (fabs(factor - 1) <= DBL_EPSILON) {
            break;
        }
    }
    return h;
}

/* P(T > t) for t >= 0: I_x(df/2, 1/2) / 2 with x = df / (df + t^2) (Abramowitz & Stegun 26.7.1). */
static double upper_tail(double t, double df)
{
    double a = df / 2,
           square = t * t / df; /* x = 1 / (1 + square), 1 - x = square / (1 + square) */
    if (df > DF_NORMAL) {
        return gb_normal_cdf(-t);
    }
    if (!(t > 0)) {
        return 0.5;
    }
    /* ln of x^a (1 - x)^(1/2) / B(a, 1/2), with ln x as it is for a large t whose square overflows
     */
    double log_x = isfinite(square) ? -log1p(square) : 2 * (0.5 * log(df) - log(t));
    double y = isfinite(square) ? square / (1 + square) : 1;
    double front = exp(a * log_x + log_gamma_ratio(a)) * sqrt(y / PI);
    if (1 - y < (a + 1) / (a + 2.5) && square > 1 / df) {
        return 0.5 * front * beta_fraction(exp(log_x), a, 0.5) / a;
    }
    return 0.5 - front * beta_fraction(y, 0.5, a);
}

double gb_t_cdf(double t, double df)
{
    if (!(df > 0) || isnan(t)) {
        return (double)NAN;
    }
    return t < 0 ? upper_tail(-t, df) : 1 - upper_tail(t, df);
}

/* ln of the density of t. */
static double log_density(double t, double df)
{
    double square = t * t / df;
    double log_1 = isfinite(square) ? log1p(square) : 2 * (log(t) - 0.5 * log(df));
    return log_gamma_ratio(df / 2) - 0.5 * log(df * PI) - (df + 1) / 2 * log_1;
}

/* The t > 0 with P(T > t) = q, 0 < q < 1/2. Newton's method on ln P over ln t, which is nearly a
 * straight line in the far tail of every df, kept within a bracket that shrinks. */
static double upper_quantile(double q, double df)
{
    double low = -700, high = 700;
    double z = -gb_normal_quantile(q), s = log(z > 1e-300 ? z : 1e-300);
    for (int i = 0; i < 200 && high - low > 1e-16; i++) {
        double t = exp(s), tail = upper_tail(t, df);
        if (tail > q) {
            low = s;
        } else {
            high = s;
        }
        /* d ln P / d ln t = -t f(t) / P; what underflows has no slope: halve instead */
        double slope = -exp(s + log_density(t, df)) / tail;
        double next = s - log(tail / q) / slope;
        if (!(next > low && next < high)) {
            next = (low + high) / 2;
        }
        if (fabs(next - s) <= 4 * DBL_EPSILON) {
            s = next;
            break;
        }
        s = next;
    }
    return exp(s);
}

double gb_t_quantile(double p, double df)
{
    if (!(p > 0 && p < 1) || !(df > 0)) {
        return (double)NAN;
    }
    if (p == 0.5) {
        return 0;
    }
    if (df > DF_NORMAL) {
        return gb_normal_quantile(p);
    }
    return p < 0.5 ? -upper_quantile(p, df) : upper_quantile(1 - p, df);
}

/* Mean and variance (n - 1), the latter not below `floor`. */
static void moments(const double values[], size_t n, double floor, double *mean, double *variance)
{
    double squares = 0;
    *mean = 0;
    for (size_t i = 0; i < n; i++) {
        double delta = values[i] - *mean;
        *mean += delta / (double)(i + 1);
        squares += delta * (values[i] - *mean);
    }
    *variance = fmax(squares / (double)(n - 1), floor);
}

void gb_welch_test(const double a[], size_t na, double floor_a, const double b[], size_t nb,
                   double floor_b, gb_welch *out)
{
    const double none = (double)NAN;
    *out = (gb_welch){none, none, none, none, none};
    if (na < 2 || nb < 2) {
        return;
    }
    double mean_a, mean_b, var_a, var_b;
    moments(a, na, floor_a, &mean_a, &var_a);
    moments(b, nb, floor_b, &mean_b, &var_b);
    double part_a = var_a / (double)na, part_b = var_b / (double)nb;
    out->diff = mean_b - mean_a;
    out->se = sqrt(part_a + part_b);
    if (!(out->se > 0)) {
        bool equal = out->diff == 0;
        out->df = (double)(na + nb - 2);
        out->t = equal ? 0 : copysign((double)INFINITY, out->diff);
        out->p = equal ? 1 : 0;
        return;
    }
    /* as shares of the larger part: squares of tiny variances would underflow */
    double most = fmax(part_a, part_b), x = part_a / most, y = part_b / most;
    out->df = (x + y) * (x + y) / (x * x / (double)(na - 1) + y * y / (double)(nb - 1));
    out->t = out->diff / out->se;
    out->p = fmin(1, 2 * upper_tail(fabs(out->t), out->df));
}
