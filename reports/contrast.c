#include "reports/contrast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool settled(const gb_record *record)
{
    return record->converged && (record->flags & GB_UNSETTLED) == 0;
}

static bool all_settled(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == GB_STATUS_OK && !settled(row->replicates[i]))
            return false;
    }
    return true;
}

/* A record's value of a metric; NAN for none. `per_time`: it falls when the time rises. */
static double value_of(const gb_record *record, const char *metric, bool *per_time)
{
    *per_time = false;
    if (record->status != GB_STATUS_OK)
        return NAN;
    if (strcmp(metric, "time") == 0)
        return record->time.median;
    if (strcmp(metric, "p95") == 0)
        return record->time.p95;
    if (strcmp(metric, "p99") == 0)
        return record->time.p99;
    const gb_metric *found = gb_record_metric(record, metric);
    *per_time = found != NULL && strcmp(found->unit, "ns") != 0;
    return found != NULL ? found->value : NAN;
}

/* Two modes of which the smaller holds so much that another run's median may lie in either. */
#define LEAST_MODE 4 /* a quarter of the samples */
static bool median_in_either(const gb_record *record)
{
    const gb_summary *t = &record->time;
    const size_t a = t->mode_counts[0], b = t->mode_counts[1], smaller = a < b ? a : b;
    return (record->flags & GB_BIT(GB_FLAG_BIMODAL)) != 0 && isfinite(t->modes[0]) &&
           isfinite(t->modes[1]) && smaller * LEAST_MODE >= a + b;
}

/* How far a record's samples leave its median open, as times: the interval of the median, or with
 * too few samples for one all of them; both modes where the median may lie in either. */
static bool own_range(const gb_record *record, double range[2])
{
    const gb_summary *t = &record->time;
    const bool ci = isfinite(t->ci95[0]) && isfinite(t->ci95[1]);
    range[0] = ci ? t->ci95[0] : t->min;
    range[1] = ci ? t->ci95[1] : t->max;
    if (median_in_either(record)) {
        range[0] = fmin(range[0], fmin(t->modes[0], t->modes[1]));
        range[1] = fmax(range[1], fmax(t->modes[0], t->modes[1]));
    }
    return isfinite(range[0]) && isfinite(range[1]) && range[0] > 0 && t->median > 0;
}

/* A far percentile, of which the interval of the median tells nothing: "p95", "latency_p99". */
static bool is_tail(const char *metric)
{
    const size_t n = strlen(metric);
    return n >= 3 && (strcmp(metric + n - 3, "p95") == 0 || strcmp(metric + n - 3, "p99") == 0);
}

/* Widens the interval so that it covers the metric at both ends of a record's own range. */
static void widen(gb_interval *out, const gb_record *record, double value, bool per_time,
                  const double range[2])
{
    for (int i = 0; i < 2; i++) {
        const double at = per_time ? value * record->time.median / range[i]
                                   : value * range[i] / record->time.median;
        out->low = fmin(out->low, at);
        out->high = fmax(out->high, at);
    }
}

/* The interval from the values alone: between replicates, or a single one as it is. False, as in
 * gb_row_metric, where one of those that went well has no value. */
static bool between(const gb_row *row, const char *metric, gb_interval *out, size_t *n)
{
    double half, *values = calloc(row->n + 1, sizeof *values);
    bool per_time, whole = true;
    *n = 0;
    for (size_t i = 0; values != NULL && i < row->n; i++) {
        const double value = value_of(row->replicates[i], metric, &per_time);
        if (value > 0)
            values[(*n)++] = value;
        else
            whole = whole && row->replicates[i]->status != GB_STATUS_OK;
    }
    if (values != NULL)
        gb_stats_between(values, *n, &out->centre, &half);
    free(values);
    if (*n == 0 || !whole || !(out->centre > 0))
        return false;
    half = *n > 1 ? half : 0;
    out->low = out->centre / (1 + half);
    out->high = out->centre * (1 + half);
    return isfinite(out->high);
}

/* Whether a metric is a level or a share of the whole (GB_LEVEL, GB_PART_SHARE): what leaves the
 * time open leaves it alone, and the replicates tell. */
static bool is_level(const gb_row *row, const char *metric)
{
    for (size_t i = 0; i < row->n; i++) {
        const gb_metric *found = gb_record_metric(row->replicates[i], metric);
        if (found != NULL)
            return strcmp(found->unit, "%") == 0 || strcmp(found->unit, "cycles") == 0;
    }
    return false;
}

bool gb_row_spoiled(const gb_row *row)
{
    return (row->flags & GB_FLAGS_NO_RESULT) != 0;
}

bool gb_row_interval(const gb_row *row, const char *metric, gb_interval *out)
{
    size_t n = 0;
    *out = (gb_interval){NAN, NAN, NAN};
    gb_interval found = *out;
    if (gb_row_spoiled(row) || !between(row, metric, &found, &n))
        return false;
    if (is_level(row, metric)) {
        const bool known = n > 1 || all_settled(row);
        *out = known ? found : *out;
        return known;
    }
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *record = row->replicates[i];
        bool per_time;
        double range[2];
        const double value = value_of(record, metric, &per_time);
        if (!(value > 0) || (n > 1 && settled(record)))
            continue;
        const bool known = own_range(record, range);
        if (n == 1 && (!known || !settled(record) || is_tail(metric)))
            return false;
        if (known)
            widen(&found, record, value, per_time, range);
    }
    const double step = gb_row_step(row);
    found.low = fmin(found.low, found.centre / (1 + step));
    found.high = fmax(found.high, found.centre * (1 + step));
    *out = found;
    return true;
}

static bool firm(const gb_interval *interval)
{
    return interval->high <= interval->centre * (1 + GB_FIRM) &&
           interval->low >= interval->centre / (1 + GB_FIRM);
}

bool gb_row_firm(const gb_row *row, const char *metric)
{
    gb_interval interval;
    return gb_row_interval(row, metric, &interval) && firm(&interval);
}

double gb_noise_floor(const gb_results *results, int device)
{
    const json_t *info = json_array_get(json_object_get(results->document, "devices"),
                                        device < 0 ? 0 : (size_t)device);
    const double floor =
        json_number_value(json_object_get(json_object_get(info, "selftest"), "noise_floor"));
    return floor > 0 ? log1p(floor) : 0; /* it is recorded as exp(x) - 1 */
}

gb_contrast gb_rows_contrast(const gb_results *results, const gb_row *a, const gb_row *b,
                             const char *metric)
{
    gb_interval x, y;
    if (!gb_row_interval(a, metric, &x) || !gb_row_interval(b, metric, &y))
        return GB_CONTRAST_UNKNOWN;
    const double floor =
        fmax(gb_noise_floor(results, a->first->device), gb_noise_floor(results, b->first->device));
    if ((x.high < y.low || y.high < x.low) && fabs(log(x.centre / y.centre)) > floor)
        return GB_CONTRAST_DIFFERENT;
    return firm(&x) && firm(&y) ? GB_CONTRAST_SAME : GB_CONTRAST_UNKNOWN;
}

bool gb_rows_differ(const gb_results *results, const gb_row *a, const gb_row *b, const char *metric)
{
    return gb_rows_contrast(results, a, b, metric) == GB_CONTRAST_DIFFERENT;
}
