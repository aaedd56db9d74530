/* When a difference between two cases may be said, and when a figure may be quoted: the one rule of
 * all findings. docs/methodology.md, "When a finding is said". */
#ifndef GB_REPORTS_CONTRAST_H
#define GB_REPORTS_CONTRAST_H

#include "reports/report.h"

/* The 95 % interval of a row's metric ("time", "p95" and "p99" of it included), in its unit.
 *   - Between replicates: Student's t on the logarithms of their values, from two replicates on.
 *   - With one replicate the interval inside that process (of the median), if it is settled; none
 *     of a percentile.
 *   - It is no narrower than one step of the timer to both sides.
 *   - A replicate that is not settled (it did not converge, drifted, has two modes, was throttled)
 *     widens it to what its own samples leave open.
 *   - Of a level, which has no time in it (unit "%" or
 *     "cycles"), it is what the replicates' values span; a
 *     single one is taken as it is, if it is settled.
 * False, with NANs: no value, or flags that say that the time means something else (emulated,
 * implausible, profiled, synchronous launches), or nothing is known about the spread. */
typedef struct gb_interval {
    double centre, low, high;
} gb_interval;
bool gb_row_interval(const gb_row *row, const char *metric, gb_interval *out);

/* Flags that say that the median is not known as well as its interval says. */
#define GB_UNSETTLED                                                                               \
    (GB_BIT(GB_FLAG_NOT_CONVERGED) | GB_BIT(GB_FLAG_DRIFT) | GB_BIT(GB_FLAG_BIMODAL) |             \
     GB_BIT(GB_FLAG_THROTTLED))

/* Whether flags that spoil it stand on a row. */
bool gb_row_spoiled(const gb_row *row);

/* A figure is quoted by itself when its interval reaches at most this far from its centre. */
#define GB_FIRM 0.10
bool gb_row_firm(const gb_row *row, const char *metric);

typedef enum gb_contrast {
    GB_CONTRAST_UNKNOWN, /* they may differ or not: nothing can be said */
    GB_CONTRAST_SAME,    /* both figures are firm, and no difference can be told from noise */
    GB_CONTRAST_DIFFERENT
} gb_contrast;
/* What the self-test found on the device, as |ln(a/b)|; 0 where it has not run. */
double gb_noise_floor(const gb_results *results, int device);
/* Two rows differ when their intervals do not touch and their ratio is beyond the noise floor of
 * the device, or the larger of two devices', where the self-test has found one. */
gb_contrast gb_rows_contrast(const gb_results *results, const gb_row *a, const gb_row *b,
                             const char *metric);
bool gb_rows_differ(const gb_results *results, const gb_row *a, const gb_row *b,
                    const char *metric);

#endif
