/* Statistics of one case's samples, and the fit of a copy curve. Pure; nothing is owned. */
#ifndef GB_BASE_STATS_H
#define GB_BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* All in nanoseconds per iteration. NAN stands for "does not exist" and becomes JSON null. */
typedef struct gb_summary {
    size_t n;
    double min, p5, p25, median, p75, p95, p99, max;
    double mean, stddev, mad; /* stddev (n-1): NAN for n < 2; mad: median absolute deviation, raw */
    double ci95[2];           /* of the median, exact binomial ranks; NAN below n = 6 */
    size_t outliers;          /* outside Tukey's fences (1.5 IQR), counted, never dropped */
    bool slow_first;          /* first sample an outlier above all the rest */
    bool drift;               /* medians of the halves differ with disjoint CIs; n >= 12 */
    bool bimodal;             /* largest gap > 5 MAD with >= 10 % of the samples on both sides */
    double modes[2];          /* medians of the two clusters when bimodal, else NAN */
    size_t mode_counts[2];
} gb_summary;

/*   ns      samples in the order they were taken, shape [n], finite and >= 0
 *   floor   absolute width in ns under which nothing is an outlier, drift or a second mode (the
 *           timer's resolution per iteration); >= 0
 *   single  whether a sample is one iteration: percentiles above p75 exist only then
 * p5 needs n >= 20 and p95 n >= 20 (and single), p99 n >= 1000 (and single); nearest rank.
 * Outliers, slow_first, drift and bimodal need n >= 5 and a deviation above both `floor` and 2 % of
 * the median: smaller ones are nothing to act on.
 * median: mean of the two middle values for even n. CI ranks: the narrowest symmetric pair of
 * order statistics covering >= 95 % by the exact binomial distribution.
 * Returns GB_INVALID for n = 0, a negative or non-finite sample; GB_NO_MEMORY; GB_OK. */
gb_code gb_stats_summarise(const double ns[], size_t n, double floor, bool single, gb_summary *out,
                           gb_error *err);

/* Half-width of the 95 % CI of the median over the median, from samples in any order. NAN when it
 * does not exist (n < 6 or median 0). `scratch` has room for n doubles. */
double gb_stats_precision(const double ns[], size_t n, double scratch[]);

/* Medians of `windows` stretches of the samples in the order taken: window i has the samples from
 * i n / windows up to, not including, (i + 1) n / windows. 1 <= windows <= n. `scratch` has room
 * for n doubles. */
void gb_stats_windows(const double ns[], size_t n, size_t windows, double medians[],
                      double scratch[]);

/* The fit t = latency + bytes / bandwidth over points (bytes[i], ns[i]), least squares weighted
 * with 1/t^2 (an unweighted fit of a wide sweep yields negative latencies). Valid when n >= 3, the
 * sizes span a factor >= 16 and both results are positive; otherwise GB_INVALID with the reason.
 *   latency_ns, bandwidth (B/s), n_half (bytes: latency * bandwidth; half of the asymptotic
 *   bandwidth is reached there), max_error: the largest factor between
 *   fit and t, whichever is the larger, less one */
typedef struct gb_fit {
    double latency_ns, bandwidth, n_half, max_error;
    size_t n;
} gb_fit;
gb_code gb_stats_fit(const double bytes[], const double ns[], size_t n, gb_fit *out, gb_error *err);

/* Mean of ln(x) and its spread turned back: geometric centre and half-width of the 95 % interval
 * (Student t) of replicate medians, as a fraction. `half` is NAN for n < 2. */
void gb_stats_between(const double medians[], size_t n, double *centre, double *half);

#ifdef __cplusplus
}
#endif
#endif
