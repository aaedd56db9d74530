/* E-divisive on a short window, with a permutation test that mostly ends after its first steps. */
#include "reports/history/judge.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"

#define CLAMP_SD 3.0

/* The best split of x[0..n): Q of it and where. `rows` has the sum of |x_i - x_j| over all j.
 *
 * Moving one value from right to left changes the sums within both sides by that value's distances
 * to what is on the left, so that all splits together cost n^2 / 2 distances. */
static double best_split(const double x[], const double rows[], size_t n, size_t *at)
{
    double left = 0, right = 0, total = 0, best = -1;
    for (size_t i = 0; i < n; i++) {
        right += rows[i] / 2;
    }
    total = right;
    for (size_t k = 0; k < n; k++) { /* x[k] moves to the left: k + 1 are there then */
        double near = 0;
        for (size_t j = 0; j < k; j++) {
            near += fabs(x[k] - x[j]);
        }
        left += near;
        right -= rows[k] - near;
        size_t a = k + 1, b = n - a;
        if (a < GB_SEGMENT_NIGHTS || b < GB_SEGMENT_NIGHTS) {
            continue;
        }
        double na = (double)a, nb = (double)b;
        double between = 2 / (na * nb) * (total - left - right);
        double within = 2 * left / (na * (na - 1)) + 2 * right / (nb * (nb - 1));
        double q = na * nb / (na + nb) * (between - within);
        if (q > best) {
            best = q;
            *at = a;
        }
    }
    return best;
}

/* Whether none of the permutations reaches q: p <= 1 / (GB_PERMUTATIONS + 1). */
static bool significant(const double x[], const double rows[], size_t n, double q, uint64_t seed)
{
    double y[GB_DRIFT_NIGHTS], r[GB_DRIFT_NIGHTS];
    gb_rng rng = {seed};
    memcpy(y, x, n * sizeof y[0]);
    memcpy(r, rows, n * sizeof r[0]);
    for (int p = 0; p < GB_PERMUTATIONS; p++) {
        for (size_t i = n; i > 1; i--) {
            size_t j = (size_t)gb_rng_below(&rng, i);
            double value = y[i - 1], row = r[i - 1];
            y[i - 1] = y[j];
            r[i - 1] = r[j];
            y[j] = value;
            r[j] = row;
        }
        size_t at;
        if (best_split(y, r, n, &at) >= q) {
            return false;
        }
    }
    return true;
}

static double median_of(const double values[], size_t n)
{
    double median, sd;
    gb_robust(values, n, 0, &median, &sd);
    return median;
}

/* Splits nights [first, first + n) and then both sides; marks the change points. */
static void split(const double nights[], const double clamped[], size_t first, size_t n,
                  double least, uint64_t seed, bool marks[])
{
    if (n < 2 * GB_SEGMENT_NIGHTS) {
        return;
    }
    const double *x = clamped + first;
    double rows[GB_DRIFT_NIGHTS] = {0};
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            rows[i] += fabs(x[i] - x[j]);
        }
    }
    size_t at = 0;
    double q = best_split(x, rows, n, &at);
    if (!(q > 0)) {
        return;
    }
    double difference = median_of(nights + first + at, n - at) - median_of(nights + first, at);
    if (!(fabs(expm1(difference)) >= least) ||
        !significant(x, rows, n, q, gb_rng_derive(seed, first * GB_DRIFT_NIGHTS + n))) {
        return;
    }
    marks[first + at] = true;
    split(nights, clamped, first, at, least, seed, marks);
    split(nights, clamped, first + at, n - at, least, seed, marks);
}

size_t gb_drift_find(const double nights[], size_t n, double worse, uint64_t seed,
                     size_t at[GB_MAX_CHANGES])
{
    double clamped[GB_DRIFT_NIGHTS], median, sd;
    bool marks[GB_DRIFT_NIGHTS] = {false};
    size_t found = 0;
    if (n < GB_YOUNG_NIGHTS) {
        return 0;
    }
    gb_robust(nights, n, GB_NOISE_FLOOR, &median, &sd);
    for (size_t i = 0; i < n; i++) {
        clamped[i] = fmax(median - CLAMP_SD * sd, fmin(median + CLAMP_SD * sd, nights[i]));
    }
    split(nights, clamped, 0, n, isnan(worse) ? GB_DRIFT_CHANGE : worse, seed, marks);
    for (size_t i = 1; i < n; i++) {
        if (marks[i]) {
            at[found++] = i;
        }
    }
    return found;
}
