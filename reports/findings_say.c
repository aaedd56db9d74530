#include "reports/findings_say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Beyond this a single number says less than its two ends. */
#define RANGE 0.5
/* Beyond this, a factor of 10 to a side, the ends say nothing either: those of two replicates that
 * differ may be nanoseconds and hours. */
#define SENSE 9.0

static const char *figure_text(double value, const char *unit, char *buf, size_t size)
{
    if (strcmp(unit, "B") == 0) {
        return gb_format_bytes((uint64_t)value, buf, size);
    }
    return strcmp(unit, "ns") == 0 ? gb_format_ns(value, buf, size)
                                   : gb_format_rate(value, unit, buf, size);
}

/* How far an interval reaches from its centre, as a fraction. */
static double reach(const gb_interval *interval)
{
    return fmax(interval->high / interval->centre, interval->centre / interval->low) - 1;
}

const char *gb_say_derived(const gb_interval *value, const char *unit, char *buf, size_t size)
{
    char centre[32], low[32], high[32];
    figure_text(value->centre, unit, centre, sizeof centre);
    const double half = reach(value);
    if (!(half <= SENSE)) {
        snprintf(buf, size, "%s (not known to a factor of 10)", centre);
    } else if (half > 1) {
        snprintf(buf, size, "%s (%s to %s)", centre, figure_text(value->low, unit, low, sizeof low),
                 figure_text(value->high, unit, high, sizeof high));
    } else if (half > GB_FIRM) {
        snprintf(buf, size, "%s +- %s", centre, gb_format_percent(half, low, sizeof low));
    } else {
        snprintf(buf, size, "%s", centre);
    }
    return buf;
}

const char *gb_say_figure(const gb_row *row, const char *metric, char *buf, size_t size)
{
    const char *unit;
    bool higher;
    char centre[32];
    gb_interval interval;
    const double value = gb_row_metric(row, metric, &unit, &higher); /* sets the unit */
    if (gb_row_interval(row, metric, &interval)) {
        return gb_say_derived(&interval, unit, buf, size);
    }
    snprintf(buf, size, "%s (its spread is not known)",
             figure_text(value, unit, centre, sizeof centre));
    return buf;
}

/* Down to the digit of `open`, what is not known of the value. */
static const char *digits(double value, double open, int most, char *buf, size_t size)
{
    const int place = open > 0 ? (int)floor(log10(open)) : -most;
    const double step = pow(10, place);
    if (place > 0) {
        snprintf(buf, size, "%.0f", round(value / step) * step);
    } else {
        snprintf(buf, size, "%.*f", -place < most ? -place : most, value);
    }
    return buf;
}

/* Two digits, rounded down. */
static const char *at_least(double low, int decimals, char *buf, size_t size)
{
    const double step = fmax(low > 0 ? pow(10, floor(log10(low)) - 1) : 0, pow(10, -decimals));
    return digits(floor(low / step) * step, low / 10, decimals, buf, size);
}

const char *gb_say_number(const gb_interval *value, int decimals, char *buf, size_t size)
{
    const double half = reach(value);
    if (!(half <= SENSE)) {
        char from[32];
        snprintf(buf, size, "more than %s", at_least(value->low, decimals, from, sizeof from));
        return buf;
    }
    if (half > RANGE) { /* two digits each */
        char from[32], to[32];
        snprintf(buf, size, "%s to %s",
                 digits(value->low, value->low / 10, decimals, from, sizeof from),
                 digits(value->high, value->high / 10, decimals, to, sizeof to));
        return buf;
    }
    return digits(value->centre, value->centre * half, decimals, buf, size);
}

const char *gb_say_two_digits(double value, char *buf, size_t size)
{
    const bool whole = fabs(value) >= 9.95;
    const double place = whole ? pow(10, floor(log10(fabs(value))) - 1) : 1;
    snprintf(buf, size, whole ? "%.0f" : "%.1f",
             fabs(value) >= 100 ? round(value / place) * place : value);
    return buf;
}

void gb_span_add(gb_interval *span, size_t n, double value)
{
    span->low = n == 1 ? value : fmin(span->low, value);
    span->high = n == 1 ? value : fmax(span->high, value);
    span->centre += (value - span->centre) / (double)n;
}

const char *gb_say_share(const gb_interval *share, char *buf, size_t size)
{
    const double low = round(100 * share->low), high = round(100 * share->high);
    if (low < high) {
        snprintf(buf, size, "%.0f to %.0f %%", low, high);
    } else {
        snprintf(buf, size, "%.0f %%", high);
    }
    return buf;
}

gb_interval gb_interval_ratio(const gb_interval *over, const gb_interval *under, double scale)
{
    return (gb_interval){.centre = scale * over->centre / under->centre,
                         .low = scale * over->low / under->high,
                         .high = scale * over->high / under->low};
}

bool gb_rows_ratio(const gb_row *over, const gb_row *under, const char *metric, double scale,
                   gb_interval *out)
{
    gb_interval a, b;
    *out = (gb_interval){NAN, NAN, NAN};
    if (!gb_row_interval(over, metric, &a) || !gb_row_interval(under, metric, &b)) {
        return false;
    }
    *out = gb_interval_ratio(&a, &b, scale);
    return true;
}

const char *gb_say_ratio(const gb_row *over, const gb_row *under, const char *metric, double scale,
                         int decimals, char *buf, size_t size)
{
    const char *unit;
    bool higher;
    gb_interval ratio;
    if (gb_rows_ratio(over, under, metric, scale, &ratio)) {
        return gb_say_number(&ratio, decimals, buf, size);
    }
    snprintf(buf, size, "%.*f (its spread is not known)", decimals,
             scale * gb_row_metric(over, metric, &unit, &higher) /
                 gb_row_metric(under, metric, &unit, &higher));
    return buf;
}
