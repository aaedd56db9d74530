/* Further earlier runs of the baseline's side: which count, and for which case. */
#include <stdlib.h>
#include <string.h>

#include "reports/compare/internal.h"

static const char *run_id(const gb_results *results)
{
    return json_string_value(json_object_get(json_object_get(results->document, "run"), "id"));
}

/* One run counted twice would show a spread between runs that is none. */
static gb_code check_distinct(gb_comparison *c, const gb_results *const others[], size_t n,
                              gb_error *err)
{
    const char *first = run_id(c->a), *new = run_id(c->b);
    if (first != NULL && new != NULL && strcmp(first, new) == 0) {
        return n > 0 || c->options.gate
                   ? gb_fail(err, GB_INVALID,
                             "baseline and new run are one: run %s is given twice, and a run says "
                             "nothing about itself",
                             first)
                   : gb_compare_warn(c, err, "same-run",
                                     "baseline and new run are one: run %s is given twice, and a "
                                     "run says nothing about itself",
                                     first);
    }
    for (size_t i = 0; i < n; i++) {
        const char *id = run_id(others[i]);
        const gb_results *before[] = {c->a, c->b};
        for (size_t k = 0; id != NULL && k < 2 + i; k++) {
            const char *other = run_id(k < 2 ? before[k] : others[k - 2]);
            if (other != NULL && strcmp(id, other) == 0) {
                return gb_fail(err, GB_INVALID,
                               "run %s is given twice: each earlier run counts once, and the new "
                               "run is none of them",
                               id);
            }
        }
    }
    return GB_OK;
}

/* Whether the two runs are of the same unit, or nothing says otherwise. */
static gb_code same_unit(const gb_results *a, const gb_results *b, bool *same, gb_error *err)
{
    gb_devices devices = {0};
    gb_buf why = {0};
    gb_code code = gb_devices_pair(a, b, &devices, &why, err);
    *same = code == GB_OK && !devices.other_unit && !devices.other_model;
    free(devices.map);
    gb_buf_free(&why);
    return code;
}

gb_code gb_compare_baseline(const gb_results *a, const gb_results *b, const gb_results others[],
                            size_t n, const gb_results *all[], gb_error *err)
{
    size_t first = n;
    bool same;
    gb_code code = same_unit(a, b, &same, err);
    for (size_t i = 0; i < n; i++) {
        all[i + 1] = &others[i];
    }
    for (size_t i = 0; code == GB_OK && !same && i < n; i++) {
        code = same_unit(&others[i], b, &same, err);
        first = i;
    }
    all[0] = a;
    if (code == GB_OK && same && first < n) {
        all[0] = &others[first];
        all[first + 1] = a;
    }
    return code;
}

gb_code gb_compare_earlier(gb_comparison *c, const gb_results *const others[], size_t n,
                           gb_error *err)
{
    c->earlier = calloc(n + 1, sizeof c->earlier[0]);
    if (c->earlier == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    gb_code code = check_distinct(c, others, n, err);
    for (size_t i = 0; code == GB_OK && i < n; i++) {
        gb_earlier *e = &c->earlier[c->n_earlier++];
        gb_devices devices = {0};
        gb_buf why = {0};
        e->results = others[i];
        code = gb_results_baseline(e->results, err);
        if (code == GB_OK) {
            code = gb_devices_pair(c->a, e->results, &devices, &why, err);
        }
        if (code == GB_OK && devices.other_model) {
            code = gb_fail(err, GB_INVALID,
                           "earlier run %zu is of another device than the baseline: %s", i + 1,
                           why.data != NULL ? why.data : "another model");
        }
        if (code == GB_OK && c->options.gate && !e->results->complete) {
            code = gb_fail(err, GB_INVALID,
                           "earlier run %zu did not finish, and a gate needs whole ones", i + 1);
        }
        if (code == GB_OK && devices.other_unit) {
            c->n_baselines--; /* how far runs of the baseline's unit differ it cannot say */
            const char *id = run_id(e->results);
            code = gb_compare_warn(c, err, "other-unit",
                                   "earlier run %s is of another unit of the same model than the "
                                   "other runs: it does not count",
                                   id != NULL ? id : "without an id");
        } else if (code == GB_OK) {
            code = gb_table_make(e->results, &e->table, err);
        }
        if (code == GB_OK && !devices.other_unit) {
            code = gb_side_make(c, &e->table, devices.map, "an earlier run", &e->side, err);
        }
        free(devices.map);
        gb_buf_free(&why);
    }
    return code;
}

bool gb_compare_counts(const gb_row *row, const gb_row *b)
{
    return gb_row_bad(row) == NULL && !gb_row_unstable(row) &&
           strcmp(row->first->definition, b->first->definition) == 0;
}

/* Whether a row that counts has a value of the metric by which it would be compared. */
static gb_code has_value(const gb_comparison *c, const gb_compared *item, const gb_row *row,
                         double room[], bool *yes, gb_error *err)
{
    gb_compared tried = *item;
    gb_logs logs = {.y = room};
    tried.a = row;
    gb_code code = gb_compare_metric(c, &tried, err);
    if (code == GB_OK) {
        code = gb_compare_logs(&tried, row, &logs, err);
    }
    *yes = code == GB_OK && logs.n > 0;
    return code;
}

gb_code gb_compare_reference(const gb_comparison *c, gb_compared *item, const gb_keyed *key,
                             double room[], gb_error *err)
{
    bool fits = false;
    if (c->evidence != GB_EVIDENCE_BASELINES || gb_row_bad(item->b) != NULL) {
        return GB_OK;
    }
    if (gb_compare_counts(item->a, item->b)) {
        gb_code code = has_value(c, item, item->a, room, &fits, err);
        if (code != GB_OK) {
            return code;
        }
    }
    for (size_t i = 0; !fits && i < c->n_earlier; i++) {
        const gb_keyed *other = gb_side_find(&c->earlier[i].side, key->device, key->name);
        gb_error ignored;
        if (other != NULL && gb_compare_counts(other->row, item->b) &&
            has_value(c, item, other->row, room, &fits, &ignored) == GB_OK && fits) {
            item->a = other->row;
        }
    }
    return GB_OK;
}
