/* Which figure of a pair is compared: the metric of the benchmark's gate, else its first metric,
 * else its time; the direction is the metric's own, never guessed from its name. */
#include <stdlib.h>
#include <string.h>

#include "reports/compare/internal.h"

/* Units of one dimension, so that files whose units are not gpubench's base units compare right. */
typedef struct unit {
    const char *name, *base;
    double scale;
} unit;
static const unit units[] = {
    {"ns", "ns", 1},
    {"us", "ns", 1e3},
    {"ms", "ns", 1e6},
    {"s", "ns", 1e9},
    {"B/s", "B/s", 1},
    {"kB/s", "B/s", 1e3},
    {"MB/s", "B/s", 1e6},
    {"GB/s", "B/s", 1e9},
    {"FLOP/s", "FLOP/s", 1},
    {"MFLOP/s", "FLOP/s", 1e6},
    {"GFLOP/s", "FLOP/s", 1e9},
    {"TFLOP/s", "FLOP/s", 1e12},
    {"1/s", "1/s", 1},
    {"%", "%", 1},
    {"cycles", "cycles", 1},
};

/* Of a unit that is not in the table: itself. */
static unit find_unit(const char *name)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, name) == 0) {
            return units[i];
        }
    }
    return (unit){name, name, 1};
}

static const gb_record *first_ok(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == GB_STATUS_OK) {
            return row->replicates[i];
        }
    }
    return row->first;
}

static const json_t *gate_of(const gb_results *results, const char *benchmark)
{
    const json_t *gates = json_object_get(json_object_get(results->document, "suite"), "gates");
    return json_object_get(gates, benchmark);
}

static void take_time(gb_compared *item)
{
    snprintf(item->metric, sizeof item->metric, "time");
    snprintf(item->unit, sizeof item->unit, "ns");
    item->higher_is_better = false;
}

static gb_code take_metric(gb_compared *item, const gb_metric *a, const gb_metric *b, gb_error *err)
{
    unit from = find_unit(a->unit), to = find_unit(b->unit);
    if (strcmp(from.base, to.base) != 0) {
        return gb_fail(err, GB_INVALID,
                       "%s: metric %s is in '%s' in the baseline and in '%s' in the new run: these "
                       "cannot be compared",
                       item->case_id, b->name, a->unit, b->unit);
    }
    if (a->higher_is_better != b->higher_is_better) {
        return gb_fail(err, GB_INVALID,
                       "%s: of metric %s, %s is better in the baseline and %s in the new run",
                       item->case_id, b->name, a->higher_is_better ? "higher" : "lower",
                       b->higher_is_better ? "higher" : "lower");
    }
    snprintf(item->metric, sizeof item->metric, "%s", b->name);
    snprintf(item->unit, sizeof item->unit, "%s", to.base);
    item->higher_is_better = b->higher_is_better;
    return GB_OK;
}

/* The metric that a gate names; GB_INVALID when no record has it. */
static gb_code take_gated(gb_compared *item, const char *name, gb_error *err)
{
    const gb_record *a = first_ok(item->a), *b = first_ok(item->b);
    if (strcmp(name, "time") == 0) {
        take_time(item);
        return GB_OK;
    }
    const gb_metric *x = gb_record_metric(a, name), *y = gb_record_metric(b, name);
    if (x == NULL || y == NULL) {
        return gb_fail(err, GB_INVALID,
                       "%s: the gate is for metric '%s', which the %s does not have: neither its "
                       "value nor which direction is better is known",
                       item->case_id, name, x == NULL ? "baseline" : "new run");
    }
    return take_metric(item, x, y, err);
}

gb_code gb_compare_metric(const gb_comparison *c, gb_compared *item, gb_error *err)
{
    const json_t *gate = gate_of(c->b, item->b->first->benchmark);
    gate = gate != NULL ? gate : gate_of(c->a, item->a->first->benchmark);
    const json_t *worse = json_object_get(gate, "worse");
    const char *name = json_string_value(json_object_get(gate, "metric"));
    item->threshold = !isnan(c->options.threshold) ? c->options.threshold
                      : json_is_number(worse)      ? json_number_value(worse)
                                                   : GB_COMPARE_THRESHOLD;
    if (name != NULL) {
        return take_gated(item, name, err);
    }
    const gb_record *a = first_ok(item->a), *b = first_ok(item->b);
    for (size_t i = 0; i < b->n_metrics; i++) {
        const gb_metric *y = &b->metrics[i], *x = gb_record_metric(a, y->name);
        if (x != NULL && isfinite(x->value) && isfinite(y->value)) {
            return take_metric(item, x, y, err);
        }
    }
    take_time(item);
    return GB_OK;
}

gb_code gb_compare_logs(const gb_compared *item, const gb_row *row, gb_logs *out, gb_error *err)
{
    bool time = strcmp(item->metric, "time") == 0;
    double floors = 0;
    out->n = out->lacking = 0;
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        if (r->status != GB_STATUS_OK) {
            continue;
        }
        const gb_metric *metric = time ? NULL : gb_record_metric(r, item->metric);
        unit u = find_unit(metric != NULL ? metric->unit : "ns");
        if (metric != NULL && (strcmp(u.base, item->unit) != 0 ||
                               metric->higher_is_better != item->higher_is_better)) {
            return gb_fail(err, GB_INVALID,
                           "%s, replicate %u: metric %s has another unit or direction than in the "
                           "other replicates",
                           r->case_id, (unsigned)r->replicate, item->metric);
        }
        double value = time             ? r->time.median
                       : metric != NULL ? metric->value * u.scale
                                        : (double)NAN;
        if (!(value > 0 && isfinite(value))) {
            out->lacking++;
            continue;
        }
        out->y[out->n++] = log(value);
        floors += gb_record_step_variance(r);
    }
    out->floor = out->n > 0 ? floors / (double)out->n : 0;
    out->n = out->lacking > 0 ? 0 : out->n;
    return GB_OK;
}
