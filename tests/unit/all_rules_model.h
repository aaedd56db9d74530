/* Of the fixture of all rules: vector search, softmax and layer norm, lookups. */
#ifndef GB_TESTS_ALL_RULES_MODEL_H
#define GB_TESTS_ALL_RULES_MODEL_H

#include "unit/all_rules_rows.h"

static inline void add_searches(all_rules *a)
{
    static const struct {
        int queries;
        double time;
    } searches[] = {{1, 1e6}, {64, 64e4}};
    char params[160];
    for (size_t i = 0; i < 2; i++) {
        const size_t first = a->f.results.n;
        snprintf(params, sizeof params,
                 "{\"vectors\": 131072, \"dimensions\": 128, \"queries\": %d, \"k\": 10}",
                 searches[i].queries);
        add_plain(a, "search", params, "query_rate", "1/s", searches[i].time);
        for (size_t r = first; r < a->f.results.n; r++) {
            gb_record *record = &a->f.results.records[r];
            record->metrics[0].value = searches[i].queries * 1e9 / record->time.median;
            metric_set(record, 1, "bandwidth", "B/s", 67e15 / record->time.median);
        }
    }
}

static inline void add_rows_and_lookups(all_rules *a)
{
    static const char *const ops[] = {"softmax", "layernorm"}, *const variants[] = {"fused",
                                                                                    "separate"};
    static const char *const orders[] = {"sequential", "random"};
    static const int widths[] = {8, 1024};
    char params[160];
    for (size_t i = 0; i < 4; i++) {
        snprintf(params, sizeof params,
                 "{\"op\": \"%s\", \"variant\": \"%s\", \"rows\": 2048, \"columns\": 8192}",
                 ops[i / 2], variants[i % 2]);
        add_plain(a, "rows", params, "bandwidth", "B/s", i % 2 == 0 ? 1e5 : 1e7);
    }
    for (size_t i = 0; i < 4; i++) {
        snprintf(params, sizeof params,
                 "{\"order\": \"%s\", \"width\": %d, \"table\": 268435456, \"bytes\": 33554432}",
                 orders[i % 2], widths[i / 2]);
        add_row(a, "embedding", params, "bandwidth", "B/s",
                i % 2 == 0 ? 1e5
                : i == 1   ? 1e7
                           : 1e6,
                GB_TIMER_ROUNDTRIP, (gb_work){.working_set = (uint64_t)(256 * MIB)});
    }
}

#endif
