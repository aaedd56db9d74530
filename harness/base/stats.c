#include "base/stats.h"

#include "base/inference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Deviations below this share of the median are nothing that a reader could act on: they are no
 * outlier, no slow first sample, no drift and no second mode. */
#define NOTABLE 0.02
/* Fewer samples than this carry no warning about their shape. */
enum { SHAPE_MIN = 5 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort(double values[], size_t n)
{
    qsort(values, n, sizeof values[0], ascending);
}

/* Middle of sorted values. */
static double median_of(const double sorted[], size_t n)
{
    double a = sorted[(n - 1) / 2], b = sorted[n / 2];
    return a + (b - a) / 2;
}

/* Nearest rank: the smallest value with at least `percent` % of the samples at or below it. */
static double percentile(const double sorted[], size_t n, unsigned percent)
{
    size_t rank = (n / 100) * percent + ((n % 100) * percent + 99) / 100;
    return sorted[(rank > 0 ? rank : 1) - 1];
}

/* Rank k (from 1) of the lower end of the CI of the median, its upper end being n + 1 - k: the
 * largest k with P(B <= k - 1) <= 2.5 % for B ~ Binomial(n, 1/2); 0 when there is none (n < 6).
 * Conover, Practical Nonparametric Statistics, 3rd ed., 3.2. */
static size_t median_ci_rank(size_t n)
{
    /* Nothing below mean - 10 standard deviations (sqrt(n) / 2 each) adds to 2.5 %. */
    double start = floor((double)n / 2 - 5 * sqrt((double)n));
    size_t i = start > 0 ? (size_t)start : 0;
    int sign;
    double m = (double)n;
    double term = exp(lgamma_r(m + 1, &sign) - lgamma_r((double)i + 1, &sign) -
                      lgamma_r(m - (double)i + 1, &sign) - m * 0.693147180559945309417);
    double sum = term; /* P(B <= i) */
    size_t k = i;
    while (sum <= 0.025 && i < n) {
        k = i + 1;
        term *= (m - (double)i) / ((double)i + 1);
        i++;
        sum += term;
    }
    return k;
}

static void median_ci(const double sorted[], size_t n, double ci[2])
{
    size_t k = median_ci_rank(n);
    ci[0] = k > 0 ? sorted[k - 1] : (double)NAN;
    ci[1] = k > 0 ? sorted[n - k] : (double)NAN;
}

double gb_stats_precision(const double ns[], size_t n, double scratch[])
{
    if (n == 0) {
        return (double)NAN;
    }
    memcpy(scratch, ns, n * sizeof scratch[0]);
    sort(scratch, n);
    double ci[2], median = median_of(scratch, n);
    median_ci(scratch, n, ci);
    return median > 0 ? (ci[1] - ci[0]) / 2 / median : (double)NAN;
}

/* Mean and standard deviation without large sums (Welford 1962). */
static void moments(const double ns[], size_t n, gb_summary *out)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double delta = ns[i] - mean;
        mean += delta / (double)(i + 1);
        squares += delta * (ns[i] - mean);
    }
    out->mean = mean;
    out->stddev = n > 1 ? sqrt(squares / (double)(n - 1)) : (double)NAN;
}

/* Median of |value - centre| over [from, to), left in scratch from there on, unsorted. */
static void deviations(const double sorted[], size_t from, size_t to, double centre,
                       double scratch[])
{
    for (size_t i = from; i < to; i++) {
        scratch[i] = fabs(sorted[i] - centre);
    }
}

/* Two groups: the largest gap between neighbours that leaves at least 10 % of the samples, and two
 * of them, on both sides is wider than 5 MAD. The deviations are taken from the median of each
 * one's own group (around a common median, half and half would hide in their own MAD), which makes
 * them small by construction when there are few samples: 5 (1 + 20 / n) keeps the rate of false
 * alarms below 3 % from n = 10 for normal, uniform and exponential samples (simulated). */
static void find_modes(const double sorted[], size_t n, double least, double scratch[],
                       gb_summary *out)
{
    size_t side = (n + 9) / 10 > 2 ? (n + 9) / 10 : 2, split = 0;
    double gap = 0;
    for (size_t i = side; i + side <= n; i++) {
        if (sorted[i] - sorted[i - 1] > gap) {
            gap = sorted[i] - sorted[i - 1];
            split = i;
        }
    }
    if (split == 0) {
        return;
    }
    double low = median_of(sorted, split), high = median_of(sorted + split, n - split);
    deviations(sorted, 0, split, low, scratch);
    deviations(sorted, split, n, high, scratch);
    sort(scratch, n);
    if (gap > 5 * (1 + 20 / (double)n) * median_of(scratch, n) && gap > least) {
        out->bimodal = true;
        out->modes[0] = low;
        out->modes[1] = high;
        out->mode_counts[0] = split;
        out->mode_counts[1] = n - split;
    }
}

/* Halves (the middle sample of an odd n belongs to none) whose medians differ. */
static bool find_drift(const double ns[], size_t n, double least, double scratch[])
{
    size_t half = n / 2;
    double *second = scratch + (n - half), ci[2][2];
    memcpy(scratch, ns, n * sizeof scratch[0]);
    sort(scratch, half);
    sort(second, half);
    median_ci(scratch, half, ci[0]);
    median_ci(second, half, ci[1]);
    double difference = fabs(median_of(second, half) - median_of(scratch, half));
    return difference > least && (ci[0][1] < ci[1][0] || ci[1][1] < ci[0][0]);
}

static void shape(const double ns[], const double sorted[], size_t n, double floor,
                  double scratch[], gb_summary *out)
{
    double least = fmax(floor, NOTABLE * out->median);
    double width = fmax(1.5 * (out->p75 - out->p25), least);
    for (size_t i = 0; i < n; i++) {
        out->outliers += sorted[i] < out->p25 - width || sorted[i] > out->p75 + width;
    }
    size_t slowest = 0;
    for (size_t i = 1; i < n; i++) {
        slowest = ns[i] >= ns[slowest] ? i : slowest;
    }
    out->slow_first = slowest == 0 && ns[0] > out->p75 + width;
    out->drift = n >= 12 && find_drift(ns, n, least, scratch);
    find_modes(sorted, n, least, scratch, out);
}

gb_code gb_stats_summarise(const double ns[], size_t n, double floor, bool single, gb_summary *out,
                           gb_error *err)
{
    const double none = (double)NAN;
    if (n == 0) {
        return gb_fail(err, GB_INVALID, "no samples to summarise");
    }
    if (!(floor >= 0)) {
        return gb_fail(err, GB_INVALID, "the timer's resolution is negative or not a number");
    }
    for (size_t i = 0; i < n; i++) {
        if (!(ns[i] >= 0 && isfinite(ns[i]))) {
            return gb_fail(err, GB_INVALID, "sample %zu of %zu is negative or not finite: %g",
                           i + 1, n, ns[i]);
        }
    }
    double *sorted = n <= SIZE_MAX / 2 / sizeof(double) ? malloc(2 * n * sizeof sorted[0]) : NULL;
    if (!sorted) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the statistics of %zu samples", n);
    }
    double *scratch = sorted + n;
    memcpy(sorted, ns, n * sizeof sorted[0]);
    sort(sorted, n);

    *out = (gb_summary){.n = n, .modes = {none, none}};
    out->min = sorted[0];
    out->max = sorted[n - 1];
    out->median = median_of(sorted, n);
    out->p25 = percentile(sorted, n, 25);
    out->p75 = percentile(sorted, n, 75);
    out->p5 = n >= 20 ? percentile(sorted, n, 5) : none;
    out->p95 = single && n >= 20 ? percentile(sorted, n, 95) : none;
    out->p99 = single && n >= 1000 ? percentile(sorted, n, 99) : none;
    median_ci(sorted, n, out->ci95);
    moments(ns, n, out);
    deviations(sorted, 0, n, out->median, scratch);
    sort(scratch, n);
    out->mad = median_of(scratch, n);
    if (n >= SHAPE_MIN) {
        shape(ns, sorted, n, floor, scratch, out);
    }
    free(sorted);
    return GB_OK;
}

void gb_stats_windows(const double ns[], size_t n, size_t windows, double medians[],
                      double scratch[])
{
    for (size_t i = 0, first = 0, end; i < windows; i++, first = end) {
        /* (i + 1) n / windows without a product that could overflow */
        end = n / windows * (i + 1) + n % windows * (i + 1) / windows;
        memcpy(scratch, ns + first, (end - first) * sizeof scratch[0]);
        sort(scratch, end - first);
        medians[i] = median_of(scratch, end - first);
    }
}

gb_code gb_stats_fit(const double bytes[], const double ns[], size_t n, gb_fit *out, gb_error *err)
{
    double weight = 0, x = 0, y = 0, smallest = INFINITY, largest = 0;
    if (n < 3) {
        return gb_fail(err, GB_INVALID, "a fit needs at least 3 sizes, there are %zu", n);
    }
    for (size_t i = 0; i < n; i++) {
        if (!(ns[i] > 0 && isfinite(ns[i]) && bytes[i] > 0 && isfinite(bytes[i]))) {
            return gb_fail(err, GB_INVALID, "a fit needs positive sizes and times");
        }
        double w = 1 / (ns[i] * ns[i]);
        weight += w;
        x += w * bytes[i];
        y += w * ns[i];
        smallest = fmin(smallest, bytes[i]);
        largest = fmax(largest, bytes[i]);
    }
    if (!(largest >= 16 * smallest)) {
        return gb_fail(err, GB_INVALID, "a fit needs sizes that span a factor of 16");
    }
    x /= weight;
    y /= weight;
    double xx = 0, xy = 0;
    for (size_t i = 0; i < n; i++) {
        double w = 1 / (ns[i] * ns[i]);
        xx += w * (bytes[i] - x) * (bytes[i] - x);
        xy += w * (bytes[i] - x) * (ns[i] - y);
    }
    double slope = xy / xx, latency = y - slope * x; /* ns a byte, ns */
    /* A slope within the rounding of equal times is none. */
    if (!(slope * largest > 1e-9 * fabs(latency) && isfinite(slope))) {
        return gb_fail(err, GB_INVALID,
                       "the time does not grow with the size: no bandwidth to fit");
    }
    if (!(latency > 0)) {
        return gb_fail(err, GB_INVALID, "the fitted latency is not positive (%.3g ns)", latency);
    }
    *out = (gb_fit){
        .latency_ns = latency, .bandwidth = 1e9 / slope, .n_half = latency / slope, .n = n};
    for (size_t i = 0; i < n; i++) {
        const double ratio = (latency + slope * bytes[i]) / ns[i];
        out->max_error = fmax(out->max_error, fmax(ratio, 1 / ratio) - 1);
    }
    return GB_OK;
}

void gb_stats_between(const double medians[], size_t n, double *centre, double *half)
{
    double mean = 0, squares = 0;
    *centre = *half = (double)NAN;
    for (size_t i = 0; i < n; i++) {
        if (!(medians[i] > 0 && isfinite(medians[i]))) {
            return; /* no logarithm, no relative spread */
        }
        double y = log(medians[i]), delta = y - mean;
        mean += delta / (double)(i + 1);
        squares += delta * (y - mean);
    }
    if (n > 0) {
        *centre = n == 1 ? medians[0] : exp(mean); /* one value is itself to the last digit */
    }
    if (n > 1) {
        double sd = sqrt(squares / (double)(n - 1));
        *half = expm1(gb_t_quantile(0.975, (double)(n - 1)) * sd / sqrt((double)n));
    }
}
