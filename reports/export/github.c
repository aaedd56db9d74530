/* github-action-benchmark: [{name, unit, value, range, extra}], one file a direction. */
#include "reports/export/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

/* Adds a metric of a row when it has a value and this direction. */
static gb_code add(const gb_exported *what, const gb_row *row, const char *metric, bool bigger,
                   json_t *list, gb_error *err)
{
    const char *unit;
    bool higher;
    char range[48] = "", extra[160], number[40];
    double value = gb_row_metric(row, metric, &unit, &higher);
    if (!isfinite(value) || higher != bigger) {
        return GB_OK;
    }
    char *of = gb_export_name(what, row->first->device, row->first->case_id);
    char *name = of != NULL && strcmp(metric, "time") != 0 ? gb_text_format("%s %s", of, metric)
                                                           : gb_text_copy(of != NULL ? of : "");
    if (isfinite(row->plus_minus)) {
        snprintf(range, sizeof range, "± %s",
                 gb_print_double(value * row->plus_minus, number, sizeof number));
    }
    snprintf(extra, sizeof extra, "%s (%s), %zu replicates",
             gb_results_device_name(what->results, row->first->device),
             gb_results_device_kind(what->results, row->first->device), row->n_ok);
    json_t *one =
        of != NULL && name != NULL
            ? json_pack("{s:o, s:s, s:f, s:s, s:o}", "name", gb_json_string(name), "unit", unit,
                        "value", value, "range", range, "extra", gb_json_string(extra))
            : NULL;
    free(name);
    free(of);
    return one != NULL && json_array_append_new(list, one) == 0
               ? GB_OK
               : gb_fail(err, GB_NO_MEMORY, "out of memory for an export");
}

/* The document as text, indented: people read these files in pull requests. */
static gb_code dump(json_t *list, gb_buf *out, gb_error *err)
{
    char *text = json_dumps(list, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    if (text == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for an export");
    }
    gb_buf_printf(out, "%s\n", text);
    free(text);
    return GB_OK;
}

static gb_code write_direction(const gb_exported *what, bool bigger, gb_buf *out, gb_error *err)
{
    json_t *list = json_array();
    gb_code code = list != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for an export");
    for (size_t i = 0; code == GB_OK && i < what->table->n; i++) {
        const gb_row *row = &what->table->rows[i];
        if (row->status != GB_STATUS_OK) {
            continue;
        }
        code = add(what, row, "time", bigger, list, err);
        for (size_t m = 0; code == GB_OK && m < row->first->n_metrics; m++) {
            code = add(what, row, row->first->metrics[m].name, bigger, list, err);
        }
    }
    if (code == GB_OK) {
        code = dump(list, out, err);
    }
    json_decref(list);
    return code;
}

gb_code gb_export_smaller(const gb_exported *what, gb_buf *out, gb_error *err)
{
    return write_direction(what, false, out, err);
}

gb_code gb_export_bigger(const gb_exported *what, gb_buf *out, gb_error *err)
{
    return write_direction(what, true, out, err);
}
