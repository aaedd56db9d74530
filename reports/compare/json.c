/* A comparison as one JSON document (docs/comparing.md has the keys): all that a verdict was made
 * of, so that it can be made again. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "reports/compare/internal.h"

static json_t *copy_or_null(const json_t *value)
{
    return value != NULL ? json_incref((json_t *)(uintptr_t)value) : json_null();
}

static json_t *side(const gb_comparison *c, int which)
{
    char name[256];
    const gb_results *r = which == 0 ? c->a : c->b;
    const json_t *run = json_object_get(r->document, "run");
    const json_t *tool = json_object_get(r->document, "tool");
    const json_t *suite = json_object_get(r->document, "suite");
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "name",
                     gb_comparison_name(c, which, name, sizeof name), "run",
                     copy_or_null(json_object_get(run, "id")), "started",
                     copy_or_null(json_object_get(run, "started")), "pair",
                     copy_or_null(json_object_get(run, "pair")), "suite",
                     copy_or_null(json_object_get(suite, "name")), "version",
                     copy_or_null(json_object_get(tool, "version")), "git",
                     copy_or_null(json_object_get(tool, "git")), "complete", r->complete);
}

/* A row's value, its replicates in the metric's base unit, and the variance of their logarithms
 * that the timer's resolution alone makes. */
static json_t *values(const gb_compared *item, const gb_row *row, double value, double *scratch)
{
    gb_logs logs = {.y = scratch};
    json_t *array = json_array();
    if (row == NULL) {
        json_decref(array);
        return json_null();
    }
    if (item->metric[0] != '\0' && gb_compare_logs(item, row, &logs, NULL) != GB_OK) {
        logs.n = 0;
    }
    for (size_t i = 0; i < logs.n; i++) {
        json_array_append_new(array, gb_json_real(exp(logs.y[i])));
    }
    return json_pack("{s:o, s:s, s:o, s:o, s:o}", "case", gb_json_string(row->first->case_id),
                     "status", gb_status_word(row->status), "value", gb_json_real(value),
                     "replicates", array, "timer_variance", gb_json_real(logs.floor));
}

static json_t *one(const gb_compared *item, double *scratch)
{
    const gb_row *row = item->b != NULL ? item->b : item->a;
    bool metric = item->metric[0] != '\0';
    return json_pack(
        "{s:o, s:o, s:i, s:O, s:s, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:[o,o], s:o, s:o, s:o, s:o, "
        "s:o, s:I, s:I, s:I, s:b, s:b, s:o, s:o}",
        "case", gb_json_string(item->case_id), "benchmark", gb_json_string(row->first->benchmark),
        "device", row->first->device, "params", row->first->params, "verdict",
        gb_verdict_word(item->verdict), "metric", metric ? item->metric : NULL, "unit",
        metric ? item->unit : NULL, "better",
        !metric                  ? NULL
        : item->higher_is_better ? "higher"
                                 : "lower",
        "baseline", values(item, item->a, item->value_a, scratch), "new",
        values(item, item->b, item->value_b, scratch), "change", gb_json_real(item->change), "ci95",
        gb_json_real(item->ci[0]), gb_json_real(item->ci[1]), "p", gb_json_real(item->p), "se",
        gb_json_real(item->se), "df", gb_json_real(item->df), "detectable",
        gb_json_real(item->detectable), "threshold", gb_json_real(item->threshold), "n_baseline",
        (json_int_t)item->n_a, "n_new", (json_int_t)item->n_b, "needed", (json_int_t)item->needed,
        "check", item->check, "confirmed", item->confirmed, "reason",
        gb_json_string(item->reason[0] != '\0' ? item->reason : NULL), "next",
        gb_json_string(item->next[0] != '\0' ? item->next : NULL));
}

static json_t *counts(const gb_comparison *c)
{
    json_t *object = json_object();
    for (unsigned v = 0; v < GB_VERDICT_COUNT; v++) {
        json_object_set_new(object, gb_verdict_word((gb_verdict)v),
                            json_integer((json_int_t)c->counts[v]));
    }
    return object;
}

gb_code gb_comparison_json(const gb_comparison *comparison, json_t **out, gb_error *err)
{
    const gb_comparison *c = comparison;
    size_t most = c->a->n > c->b->n ? c->a->n : c->b->n;
    size_t *order = gb_comparison_order(c);
    double *scratch = calloc(most + 1, sizeof scratch[0]);
    json_t *cases = json_array();
    gb_code code = order != NULL && scratch != NULL && cases != NULL ? GB_OK : GB_NO_MEMORY;
    for (size_t i = 0; code == GB_OK && i < c->n; i++) {
        json_t *entry = one(&c->items[order[i]], scratch);
        if (entry == NULL || json_array_append_new(cases, entry) != 0) {
            code = GB_NO_MEMORY;
        }
    }
    *out = NULL;
    if (code == GB_OK) {
        *out = json_pack(
            "{s:s, s:s, s:b, s:b, s:b, s:s, s:o, s:f, s:I, s:b, s:s, s:o, s:o, s:o, s:O, s:O, s:o, "
            "s:O}",
            "schema", "gpubench-comparison/1", "headline", gb_comparison_headline(c), "regression",
            gb_comparison_regressed(c), "incomplete", gb_comparison_incomplete(c, &c->options),
            "decided", gb_comparison_decided(c), "evidence", gb_evidence_word(c->evidence),
            "noise_floor", gb_json_real(c->floor), "alpha", GB_COMPARE_ALPHA, "baselines",
            (json_int_t)c->n_baselines, "other_unit", c->other_unit, "change",
            "(new - baseline) / baseline, in the metric's own unit", "baseline", side(c, 0), "new",
            side(c, 1), "device_difference", gb_json_string(c->device_difference), "environment",
            c->environment, "warnings", c->warnings, "counts", counts(c), "cases", cases);
    }
    json_decref(cases);
    free(order);
    free(scratch);
    return *out != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
}
