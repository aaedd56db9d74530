/* What a suite comes to on a kind of device, as one JSON document on stdout: everything in a run
 * directory that follows from the suite and the kernels and not from measuring. records/made_up.py
 * fills it with figures, so that `gpubench verify` accepts what it makes.
 *
 *   golden_plan SUITE.yaml cpu|cuda SEED
 *
 * {"suite": as in results.json, "orders": [[index, ...] a replicate], "cases": [{"case",
 * "benchmark", "kernel", "params", "definition", "timer", "cache", "gated", "status", "reason",
 * "replicates", "precision", "min_samples", "max_samples", "work", "parts", "metrics": [{"name",
 * "unit", "better", "per", "part"}]}]} */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/head.h"
#include "kernels/kernel.h"
#include "record/record.h"
#include "suite/plan.h"

static const char *const per[] = {"nothing",       "bytes_moved", "bytes_read", "bytes_written",
                                  "bytes_sectors", "flops",       "items",      "ns_item"};
static const char *const ceilings[] = {"none", "memory", "link"};
static const char *const timers[] = {"device", "roundtrip", "call"};

static json_t *metrics_of(const gb_kernel_spec *spec)
{
    json_t *list = json_array();
    for (size_t i = 0; i < spec->n_metrics; i++) {
        const gb_metric_spec *m = &spec->metrics[i];
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:s, s:s, s:s?}", "name", m->name, "unit", m->unit,
                            "better", m->higher_is_better ? "higher" : "lower", "per",
                            per[m->numerator], "part", m->part < 0 ? NULL : spec->parts[m->part]));
    }
    return list;
}

static json_t *parts_of(const gb_kernel_spec *spec)
{
    json_t *list = json_array();
    for (size_t i = 0; spec->parts != NULL && spec->parts[i] != NULL; i++) {
        json_array_append_new(list, json_string(spec->parts[i]));
    }
    return list;
}

static json_t *work_of(const gb_case *c, gb_device_kind kind)
{
    gb_work w = {0};
    if (c->status == GB_OK) {
        c->benchmark->spec->work(c->args, kind, &w);
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s, s:s}", "bytes_read",
                     (json_int_t)w.bytes_read, "bytes_written", (json_int_t)w.bytes_written,
                     "bytes_moved", (json_int_t)w.bytes_moved, "bytes_sectors",
                     (json_int_t)w.bytes_sectors, "flops", (json_int_t)w.flops, "items",
                     (json_int_t)w.items, "working_set", (json_int_t)w.working_set, "ceiling",
                     ceilings[w.ceiling], "compute", gb_compute_word(w.compute));
}

static json_t *case_json(const gb_case *c, gb_device_kind kind)
{
    const gb_benchmark *b = c->benchmark;
    const gb_kernel *kernel = gb_kernel_find(b->spec->name);
    bool gate = c->timer == GB_TIMER_DEVICE && b->cache == GB_CACHE_WARM &&
                (kernel->gate_allowed == NULL || kernel->gate_allowed(c->args, kind));
    char definition[65];
    gb_definition_hash(b->spec, c->args, c->timer, b->cache, gate, definition);
    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:b, s:s, s:s?, s:i, s:f, s:i, s:i, "
                     "s:o, s:o, s:o}",
                     "case", c->id, "benchmark", b->name, "kernel", b->spec->name, "params",
                     gb_args_json(b->spec, c->args), "definition", definition, "timer",
                     timers[c->timer], "cache", b->cache == GB_CACHE_COLD ? "cold" : "warm",
                     "gated", gate, "status", c->status == GB_OK ? "ok" : gb_code_word(c->status),
                     "reason", c->reason, "replicates", (int)c->replicates, "precision",
                     b->settings.precision, "min_samples", (int)b->settings.min_samples,
                     "max_samples", (int)b->settings.max_samples, "work", work_of(c, kind), "parts",
                     parts_of(b->spec), "metrics", metrics_of(b->spec));
}

static json_t *plan_json(const gb_suite *suite, const gb_plan *plan)
{
    json_t *cases = json_array(), *orders = json_array();
    uint32_t *order = calloc(plan->n_cases + 1, sizeof *order);
    for (size_t i = 0; i < plan->n_cases; i++) {
        json_array_append_new(cases, case_json(&plan->cases[i], plan->kind));
    }
    for (uint32_t r = 0; order != NULL && r < plan->replicates; r++) {
        json_t *list = json_array();
        size_t n = gb_plan_order(plan, r, order);
        for (size_t i = 0; i < n; i++) {
            json_array_append_new(list, json_integer((json_int_t)order[i]));
        }
        json_array_append_new(orders, list);
    }
    free(order);
    return json_pack("{s:o, s:o, s:o}", "suite", gb_suite_json(suite), "orders", orders, "cases",
                     cases);
}

int main(int argc, char **argv)
{
    gb_device_kind kind = GB_CPU;
    gb_error err = {0};
    gb_diagnostics diagnostics = {0};
    gb_suite *suite = NULL;
    gb_plan *plan = NULL;
    json_t *document = NULL;
    if (argc != 4 || !gb_device_kind_parse(argv[2], &kind)) {
        fprintf(stderr, "usage: golden_plan SUITE.yaml cpu|cuda SEED\n");
        return 2;
    }
    gb_selection selection = {.seed = strtoull(argv[3], NULL, 10)};
    gb_code code = gb_suite_load(argv[1], 1000, gb_kernel_catalog(), &suite, &diagnostics, &err);
    if (code == GB_INVALID) {
        char *text = gb_diagnostics_text(&diagnostics);
        fprintf(stderr, "%s", text != NULL ? text : "");
        free(text);
    }
    if (code == GB_OK) {
        code = gb_plan_make(suite, kind, &selection, &plan, &err);
    }
    if (code == GB_OK) {
        document = plan_json(suite, plan);
        code = document != NULL && json_dumpf(document, stdout, JSON_COMPACT) == 0
                   ? GB_OK
                   : gb_fail(&err, GB_IO, "the plan cannot be written");
    }
    if (code != GB_OK) {
        fprintf(stderr, "golden_plan: %s\n", err.message);
    }
    json_decref(document);
    gb_plan_free(plan);
    gb_suite_free(suite);
    gb_diagnostics_free(&diagnostics);
    return code == GB_OK ? 0 : 1;
}
