/* Figures in sentences, with no more digits than their intervals (contrast.h) leave. All write into
 * buf, 96 bytes or more, and return it. */
#ifndef GB_REPORTS_FINDINGS_SAY_H
#define GB_REPORTS_FINDINGS_SAY_H

#include "reports/contrast.h"

/* "4.73 us" where the figure is firm, else "4.73 us +- 57 %", where the interval reaches further
 * than its centre "4.73 us (1.2 us to 19 us)", and further than a factor of 10 "4.73 us (not known
 * to a factor of 10)", and where nothing is known of it "4.73 us (its spread is not known)".
 * `metric`: "time" or one that the row has. */
const char *gb_say_figure(const gb_row *row, const char *metric, char *buf, size_t size);
/* The same of a derived figure in "ns", "B" or a rate's unit. */
const char *gb_say_derived(const gb_interval *value, const char *unit, char *buf, size_t size);

/* A number without a unit: "4.58" down to the digit that the interval leaves open and `decimals` at
 * most, "130" for 129.06 that may be 12 off, "60 to 270" where that is more than half of it, and
 * "more than 2.1" where it reaches further than a factor of 10. */
const char *gb_say_number(const gb_interval *value, int decimals, char *buf, size_t size);

/* Two digits that count and never an exponent: "1.1", "43", "250". For what was seen, of which
 * there is no interval: how much longer the slowest second was. */
const char *gb_say_two_digits(double value, char *buf, size_t size);

/* The n-th value of those that replicates have of a share, a fraction: the centre is their mean,
 * the ends are what they span. Begins as {0}, n as 1. */
void gb_span_add(gb_interval *span, size_t n, double value);
/* A share in whole percent: "50 %", or "44 to 57 %" where the ends are not the same. */
const char *gb_say_share(const gb_interval *share, char *buf, size_t size);

/* over / under, times `scale`, of two intervals that are apart or not: the least and the most. */
gb_interval gb_interval_ratio(const gb_interval *over, const gb_interval *under, double scale);
/* The same of two rows' metric; false, with NANs, where an interval is not known. */
bool gb_rows_ratio(const gb_row *over, const gb_row *under, const char *metric, double scale,
                   gb_interval *out);
/* That in words, as gb_say_number does. */
const char *gb_say_ratio(const gb_row *over, const gb_row *under, const char *metric, double scale,
                         int decimals, char *buf, size_t size);

#endif
