/* Statistics of comparisons: distributions and tests. Pure; nothing is owned. */
#ifndef GB_BASE_INFERENCE_H
#define GB_BASE_INFERENCE_H

#include <stddef.h>

/* Student's t: distribution function, and its inverse for p in (0, 1); df > 0, not necessarily
 * whole. By the regularised incomplete beta function (Abramowitz & Stegun 26.7, 26.5; continued
 * fraction as in NIST DLMF 8.17.22). NAN for what is out of range. */
double gb_t_cdf(double t, double df);
double gb_t_quantile(double p, double df);
/* The standard normal, likewise. */
double gb_normal_cdf(double z);
double gb_normal_quantile(double p);

/* Welch's test of two means (Welch 1947, Satterthwaite's degrees of freedom).
 *   a, b           na and nb values, >= 2 each
 *   floor_a/b      a variance that is not undercut, for values that a coarse timer makes equal
 * diff = mean(b) - mean(a); se its standard error; p two-sided. NANs when na or nb < 2; with se 0
 * p is 1 for equal means and 0 otherwise. */
typedef struct gb_welch {
    double diff, se, df, t, p;
} gb_welch;
void gb_welch_test(const double a[], size_t na, double floor_a, const double b[], size_t nb,
                   double floor_b, gb_welch *out);

#endif
