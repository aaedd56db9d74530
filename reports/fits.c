/* The fit t = latency + bytes / bandwidth of every copy curve (see base/stats.h). */
#include "reports/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

/* Which rows are copy curves: the kernel `copy`, one curve for each set of its other parameters.
 * Times that a profiler has seen are no results. */
static bool is_copy(const gb_row *row)
{
    double bytes = 0;
    return strcmp(row->first->kernel, "copy") == 0 &&
           (row->flags & GB_BIT(GB_FLAG_PROFILED)) == 0 && gb_row_number(row, "bytes", &bytes);
}

/* `why`: the reason why there is no fit; NULL: there is one. */
static json_t *fit_json(const gb_row *row, const gb_fit *fit, const char *why)
{
    json_t *params = json_copy(row->first->params);
    if (params == NULL) {
        return NULL;
    }
    json_object_del(params, "bytes");
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:I, s:o}", "benchmark", row->first->benchmark,
        "device", row->first->device, "params", params, "latency_ns", gb_json_real(fit->latency_ns),
        "bandwidth", gb_json_real(fit->bandwidth), "n_half", gb_json_real(fit->n_half), "max_error",
        gb_json_real(fit->max_error), "points", (json_int_t)fit->n, "reason", gb_json_string(why));
}

/* Collects the points of the curve that row `first` opens, marks its rows as done, and fits. fit->n
 * is the number of points also when there is no fit. */
static gb_code fit_curve(const gb_table *table, size_t first, char *const keys[], bool done[],
                         double bytes[], double ns[], gb_fit *fit, gb_error *err)
{
    size_t n = 0;
    const gb_row *head = &table->rows[first];
    for (size_t i = first; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        if (keys[i] == NULL || done[i] || row->first->device != head->first->device ||
            strcmp(row->first->benchmark, head->first->benchmark) != 0 ||
            strcmp(keys[i], keys[first]) != 0) {
            continue;
        }
        done[i] = true;
        if (row->n_ok > 0 && row->time_ns > 0 && gb_row_number(row, "bytes", &bytes[n])) {
            ns[n++] = row->time_ns;
        }
    }
    const gb_fit none = {
        .latency_ns = NAN, .bandwidth = NAN, .n_half = NAN, .max_error = NAN, .n = n};
    *fit = none;
    gb_code code = gb_stats_fit(bytes, ns, n, fit, err);
    if (code == GB_OK && fit->max_error > GB_WORST_FIT) {
        code = gb_fail(err, GB_INVALID, "the worst point is off by %.0f %%", 100 * fit->max_error);
        *fit = none;
    }
    return code;
}

gb_code gb_report_fits(const gb_results *results, json_t **out, gb_error *err)
{
    static const char *const without[] = {"bytes", NULL};
    gb_table table;
    *out = NULL;
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    json_t *fits = json_array();
    char **keys = calloc(table.n + 1, sizeof *keys);
    bool *done = calloc(table.n + 1, sizeof *done);
    double *points = calloc(2 * table.n + 1, sizeof *points);
    if (fits == NULL || keys == NULL || done == NULL || points == NULL) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the fits");
        goto done;
    }
    for (size_t i = 0; i < table.n; i++) {
        keys[i] = is_copy(&table.rows[i]) ? gb_row_key(&table.rows[i], without) : NULL;
    }
    for (size_t i = 0; i < table.n; i++) {
        gb_fit fit;
        if (keys[i] == NULL || done[i]) {
            continue;
        }
        gb_error why = {0};
        bool fits_well =
            fit_curve(&table, i, keys, done, points, points + table.n, &fit, &why) == GB_OK;
        if (fit.n >= 3) { /* fewer sizes were never meant as a curve */
            json_array_append_new(fits,
                                  fit_json(&table.rows[i], &fit, fits_well ? NULL : why.message));
        }
    }
    *out = fits;
    fits = NULL;
done:
    for (size_t i = 0; keys != NULL && i < table.n; i++) {
        free(keys[i]);
    }
    free(keys);
    free(done);
    free(points);
    json_decref(fits);
    gb_table_free(&table);
    return code;
}
