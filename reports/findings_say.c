#include "reports/findings_say.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Beyond this a single number says less than its two ends. */
#define RANGE 0.5

static const char *figure_text(double value, const char *unit, char *buf, size_t size)
{
    return strcmp(unit, "ns") == 0 ? gb_format_ns(value, buf, size)
                                   : gb_format_rate(value, unit, buf, size);
}

/* How far an interval reaches from its centre, as a fraction. */
static double reach(double low, double centre, double high)
{
    return fmax(high / centre, centre / low) - 1;
}

const char *gb_say_figure(const gb_row *row, const char *metric, char *buf, size_t size)
{
    const char *unit;
    bool higher;
    char centre[32], low[32], high[32];
    gb_interval interval;
    const double value = gb_row_metric(row, metric, &unit, &higher); /* sets the unit */
    figure_text(value, unit, centre, sizeof centre);
    const double half = gb_row_interval(row, metric, &interval)
                            ? reach(interval.low, interval.centre, interval.high)
                            : 0;
    if (half > 1) {
        snprintf(buf, size, "%s (%s to %s)", centre,
                 figure_text(interval.low, unit, low, sizeof low),
                 figure_text(interval.high, unit, high, sizeof high));
    } else if (half > GB_FIRM) {
        snprintf(buf, size, "%s +- %s", centre, gb_format_percent(half, low, sizeof low));
    } else {
        snprintf(buf, size, "%s", centre);
    }
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

const char *gb_say_ratio(const gb_row *over, const gb_row *under, const char *metric, double scale,
                         int decimals, char *buf, size_t size)
{
    const char *unit;
    bool higher;
    gb_interval a, b;
    const double ratio = scale * gb_row_metric(over, metric, &unit, &higher) /
                         gb_row_metric(under, metric, &unit, &higher);
    if (!gb_row_interval(over, metric, &a) || !gb_row_interval(under, metric, &b)) {
        snprintf(buf, size, "%.*f", decimals, ratio);
        return buf;
    }
    const double low = scale * a.low / b.high, high = scale * a.high / b.low;
    const double half = reach(low, ratio, high);
    if (half > RANGE) { /* two digits each */
        char from[32], to[32];
        snprintf(buf, size, "%s to %s", digits(low, low / 10, decimals, from, sizeof from),
                 digits(high, high / 10, decimals, to, sizeof to));
        return buf;
    }
    return digits(ratio, ratio * half, decimals, buf, size);
}
