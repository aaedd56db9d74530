/* A case of which each replicate is off by its own part of a spread, for the fixture of all rules.
 */
#ifndef GB_TESTS_ALL_RULES_ROWS_H
#define GB_TESTS_ALL_RULES_ROWS_H

#include "unit/reports_fixture.h"

#define MIB 1048576.0

typedef struct all_rules {
    fixture f;
    double spread;       /* of the replicates, as a logarithm */
    uint32_t replicates; /* of each case */
    uint32_t cases;
    int device;   /* of the rows that follow */
    fixture half; /* a suite of two kinds of devices, of which one has run */
} all_rules;

static inline void metric_set(gb_record *r, size_t i, const char *name, const char *unit,
                              double value)
{
    r->metrics[i] = (gb_metric){.value = value, .peak = NAN};
    snprintf(r->metrics[i].name, sizeof r->metrics[i].name, "%s", name);
    snprintf(r->metrics[i].unit, sizeof r->metrics[i].unit, "%s", unit);
    r->metrics[i].higher_is_better = strcmp(unit, "ns") != 0;
    r->n_metrics = r->n_metrics > i + 1 ? r->n_metrics : i + 1;
}

/* A case: `time` in ns, of whose replicates each is off by its own part of the spread; a metric in
 * ns is the time, another one `work` a second. */
static inline void add_row(all_rules *a, const char *kernel, const char *params, const char *metric,
                           const char *unit, double time, gb_timer timer, gb_work work)
{
    const double amount = work.bytes_moved > 0 ? (double)work.bytes_moved : 1e6;
    for (uint32_t r = 0; r < a->replicates; r++) {
        const double off = a->spread * ((double)r - (a->replicates - 1) / 2.0);
        const double t = time * exp(off);
        gb_record *record = fixture_add(&a->f, kernel, kernel, params, a->cases, r, t, NAN);
        metric_set(record, 0, metric, unit, strcmp(unit, "ns") == 0 ? t : amount / t * 1e9);
        record->device = a->device;
        record->timer = timer;
        record->work = work;
        record->time.p95 = 2 * t * exp(10 * off); /* a tail spreads wider */
        if (strcmp(kernel, "stream") == 0 && work.working_set < 16 * MIB)
            record->flags = GB_BIT(GB_FLAG_CACHE_RESIDENT);
        if (strcmp(kernel, "copy") == 0)
            record->telemetry = json_pack("{s:i, s:i}", "pcie_gen", 3, "pcie_width", 8);
    }
    a->cases++;
}

static inline void add_plain(all_rules *a, const char *kernel, const char *params,
                             const char *metric, const char *unit, double time)
{
    add_row(a, kernel, params, metric, unit, time, GB_TIMER_ROUNDTRIP, (gb_work){0});
}

#endif
