/* The table that `run` and `report` print: a block a benchmark, then fits, findings and a summary.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/grid.h"
#include "reports/merge.h"
#include "reports/report.h"
#include "reports/roofs.h"
#include "reports/table_parts.h"

#define MAX_COLUMNS 32

/* A run of rows of one benchmark on one device. */
typedef struct block {
    const gb_row *rows;
    size_t n;
    const char *params[MAX_COLUMNS]; /* those that differ within the block */
    size_t n_params;
    const gb_metric *metrics[GB_MAX_METRICS]; /* those that have a value in some row */
    size_t n_metrics;
    uint32_t common; /* flags that all measured rows have, if there are several: said once */
} block;

/* Of the samples' shape, which the median does not feel: counted below the tables. */
#define COUNTED_FLAGS (GB_BIT(GB_FLAG_OUTLIERS) | GB_BIT(GB_FLAG_SLOW_FIRST))

static const char *get(const json_t *document, const char *object, const char *key)
{
    const char *text = json_string_value(json_object_get(json_object_get(document, object), key));
    return text != NULL ? text : "";
}

static void header(const gb_results *results, int device, bool color, gb_buf *out)
{
    const json_t *info =
        json_array_get(json_object_get(results->document, "devices"), (size_t)device);
    /* Of several runs in one report each device has its own. */
    const json_t *d = json_array_get(json_object_get(results->document, "runs"),
                                     (size_t)json_integer_value(json_object_get(info, "run")));
    d = d != NULL ? d : results->document;
    char *name = gb_text_printable(get(d, "suite", "name"));
    char *title = gb_text_printable(get(d, "suite", "title"));
    gb_ink_add(out, GB_BOLD, color, name != NULL ? name : "");
    if (title != NULL && title[0] != '\0' && name != NULL && strcmp(title, name) != 0) {
        gb_buf_printf(out, " - %s", title);
    }
    free(name);
    free(title);
    const char *runtime = json_string_value(json_object_get(info, "runtime"));
    const char *kind = gb_results_device_kind(results, device);
    gb_buf_printf(out, "\ndevice: %s - %s%s%s%s", kind, gb_results_device_label(results, device),
                  runtime != NULL ? " (" : "", runtime != NULL ? runtime : "",
                  runtime != NULL ? ")" : "");
    const json_t *seed = json_object_get(json_object_get(d, "run"), "seed");
    gb_buf_printf(out, "\nstarted %.19s UTC, seed %lld\n", get(d, "run", "started"),
                  (long long)json_integer_value(seed));
    const json_t *selftest = json_object_get(info, "selftest");
    const json_t *noise = json_object_get(selftest, "noise_floor");
    const char *measured = json_string_value(json_object_get(selftest, "measured"));
    if (json_is_number(noise)) {
        char floor[32];
        gb_buf_printf(out, "noise floor of this machine (self-test%s%.10s): %s\n",
                      measured != NULL ? " of " : "", measured != NULL ? measured : "",
                      gb_format_percent(json_number_value(noise), floor, sizeof floor));
    }
    if (gb_results_profiled(results)) {
        gb_ink_add(out, GB_YELLOW, color,
                   "Measured for a profiler: the times below are no results.\n");
    }
    if (strcmp(kind, "cpu") == 0) {
        gb_ink_add(out, GB_YELLOW, color,
                   "These figures describe this CPU running the kernels, not a GPU.\n");
    }
}

static bool varies(const gb_row rows[], size_t n, const char *param)
{
    for (size_t i = 1; i < n; i++) {
        if (!json_equal(json_object_get(rows[0].first->params, param),
                        json_object_get(rows[i].first->params, param))) {
            return true;
        }
    }
    return false;
}

static bool known_metric(const block *b, const char *name)
{
    for (size_t i = 0; i < b->n_metrics; i++) {
        if (strcmp(b->metrics[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void add_metrics(block *b, const gb_record *record)
{
    for (size_t m = 0; m < record->n_metrics; m++) {
        const gb_metric *metric = &record->metrics[m];
        if (b->n_metrics < GB_MAX_METRICS && isfinite(metric->value) &&
            !known_metric(b, metric->name)) {
            b->metrics[b->n_metrics++] = metric;
        }
    }
}

static block make_block(const gb_row rows[], size_t n)
{
    block b = {.rows = rows, .n = n};
    size_t measured = 0;
    const char *param;
    json_t *value;
    json_object_foreach(rows[0].first->params, param, value)
    {
        if (b.n_params < MAX_COLUMNS && varies(rows, n, param)) {
            b.params[b.n_params++] = param;
        }
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t r = 0; r < rows[i].n; r++) {
            add_metrics(&b, rows[i].replicates[r]);
        }
        if (rows[i].n_ok > 0) {
            b.common = measured++ == 0 ? rows[i].flags : b.common & rows[i].flags;
        }
    }
    b.common = measured > 1 ? b.common & ~COUNTED_FLAGS : 0;
    return b;
}

/* Whether all rows have the same timer. */
static bool one_timer(const block *b)
{
    for (size_t i = 1; i < b->n; i++) {
        if (b->rows[i].first->timer != b->rows[0].first->timer) {
            return false;
        }
    }
    return true;
}

static void flags_text(uint32_t flags, gb_buf *out)
{
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        if ((flags & GB_BIT(f)) != 0) {
            gb_buf_printf(out, "%s%s", out->length > 0 ? ", " : "", gb_flag_word((gb_flag)f));
        }
    }
}

/* "copy: direction=h2d, timer device, cache warm" - what is the same for all rows. */
static void block_title(const block *b, bool color, gb_buf *out)
{
    const gb_record *r = b->rows[0].first;
    gb_buf text = {0};
    const char *param;
    json_t *value;
    json_object_foreach(r->params, param, value)
    {
        char shown[160];
        /* A number of 0 that all have says that the parameter is not used. */
        const bool unused = json_is_integer(value) && json_integer_value(value) == 0;
        if (!unused && !varies(b->rows, b->n, param)) {
            gb_buf_printf(&text, "%s=%s, ", param,
                          gb_row_param_text(&b->rows[0], param, shown, sizeof shown));
        }
    }
    char *name = gb_text_printable(r->benchmark);
    gb_buf_add(out, "\n");
    gb_ink_add(out, GB_BOLD, color, name != NULL ? name : "");
    gb_buf_printf(out, "  (%stimer %s, cache %s)\n", text.data != NULL ? text.data : "",
                  one_timer(b) ? gb_timer_word(r->timer) : "by case", gb_cache_word(r->cache));
    free(name);
    gb_buf_free(&text);
    flags_text(b->common, &text);
    if (text.length > 0) {
        gb_buf_add(out, "  all cases: ");
        gb_ink_add(out, GB_YELLOW, color, text.data);
        gb_buf_add(out, "\n");
    }
    gb_buf_free(&text);
}

/* Whether some row knows the ceiling of a metric: the metric then has a column of shares. */
static bool has_peak(const block *b, const char *name)
{
    for (size_t i = 0; i < b->n; i++) {
        const gb_metric *metric = gb_record_metric(b->rows[i].first, name);
        if (metric != NULL && metric->peak > 0) {
            return true;
        }
    }
    return false;
}

/* The share of a metric's ceiling, "" where none is known. */
static const char *peak_text(const gb_row *row, const char *name, char *buf, size_t size)
{
    const double share = gb_row_share_of_peak(row, name);
    buf[0] = '\0';
    return isnan(share) ? buf : gb_format_percent(share, buf, size);
}

static void add_values(const block *b, const gb_row *row, gb_grid *grid)
{
    char text[64];
    gb_grid_add(grid, GB_PLAIN, gb_format_ns(row->time_ns, text, sizeof text));
    gb_grid_add(grid, GB_DIM, gb_format_half(row->plus_minus, text, sizeof text));
    for (size_t m = 0; m < b->n_metrics; m++) {
        const char *unit;
        bool higher;
        double value = gb_row_metric(row, b->metrics[m]->name, &unit, &higher);
        gb_grid_add(grid, GB_PLAIN, gb_format_rate(value, b->metrics[m]->unit, text, sizeof text));
        if (has_peak(b, b->metrics[m]->name)) {
            gb_grid_add(grid, GB_PLAIN, peak_text(row, b->metrics[m]->name, text, sizeof text));
        }
    }
    gb_buf notes = {0};
    gb_buf_add(&notes, gb_row_apart(row) ? GB_APART_WORD : "");
    if (gb_row_above_peak(row)) {
        gb_buf_printf(&notes, "%s%s", notes.length > 0 ? ", " : "", GB_ABOVE_PEAK_WORD);
    }
    flags_text(row->flags & ~b->common & ~COUNTED_FLAGS, &notes);
    if (gb_row_incomplete(row)) {
        gb_buf_printf(&notes, "%s%zu of %zu replicates missing", notes.length > 0 ? ", " : "",
                      row->n - row->n_ok, row->n);
    } else if (row->n_ok < row->n) {
        gb_buf_printf(&notes, "%s%zu of %zu replicates %s", notes.length > 0 ? ", " : "",
                      row->n - row->n_ok, row->n, gb_status_word(row->status));
    }
    gb_grid_add(grid, GB_YELLOW, notes.data != NULL ? notes.data : "");
    gb_buf_free(&notes);
}

static void add_headings(const block *b, gb_grid *grid, bool right[])
{
    size_t column = 0;
    for (size_t p = 0; p < b->n_params; p++) {
        double number;
        right[column++] = gb_row_number(&b->rows[0], b->params[p], &number);
        gb_grid_add(grid, GB_DIM, b->params[p]);
    }
    gb_grid_add(grid, GB_DIM, "time");
    gb_grid_add(grid, GB_DIM, "+-");
    right[column++] = true;
    right[column++] = true;
    for (size_t m = 0; m < b->n_metrics; m++) {
        gb_grid_add(grid, GB_DIM, b->metrics[m]->name);
        right[column++] = true;
        if (has_peak(b, b->metrics[m]->name)) {
            gb_grid_add(grid, GB_DIM, "of peak");
            right[column++] = true;
        }
    }
    gb_grid_add(grid, GB_DIM, "notes");
    right[column] = false;
}

static void measured_rows(const block *b, bool color, gb_buf *out)
{
    bool right[MAX_COLUMNS + 2 * GB_MAX_METRICS + 4] = {false};
    bool any = false;
    gb_grid grid = {.columns = b->n_params + b->n_metrics + 3};
    for (size_t m = 0; m < b->n_metrics; m++) {
        grid.columns += has_peak(b, b->metrics[m]->name);
    }
    add_headings(b, &grid, right);
    for (size_t i = 0; i < b->n; i++) {
        const gb_row *row = &b->rows[i];
        if (row->n_ok == 0) {
            continue;
        }
        for (size_t p = 0; p < b->n_params; p++) {
            char text[160];
            gb_grid_add(&grid, GB_PLAIN, gb_row_param_text(row, b->params[p], text, sizeof text));
        }
        add_values(b, row, &grid);
        any = true;
    }
    if (any) {
        gb_grid_render(&grid, right, 2, color, out);
    }
    gb_grid_free(&grid);
}

/* Why a row has no figure: the first reason among its replicates. */
static const gb_record *culprit(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == row->status) {
            return row->replicates[i];
        }
    }
    return row->first;
}

/* Rows without figures: failures one by one, skips with the same reason together. */
static void unmeasured_rows(const block *b, bool color, gb_buf *out)
{
    bool *done = calloc(b->n + 1, sizeof *done);
    for (size_t i = 0; done != NULL && i < b->n; i++) {
        const gb_row *row = &b->rows[i];
        if (row->status == GB_STATUS_OK || done[i] || gb_row_incomplete(row)) {
            continue;
        }
        const gb_record *why = culprit(row);
        const char *reason = why->reason != NULL ? why->reason : "no reason recorded";
        size_t same = 1;
        bool together = row->status == GB_STATUS_SKIPPED || row->status == GB_STATUS_NOT_RUN;
        for (size_t j = i + 1; together && j < b->n; j++) {
            const gb_record *other = culprit(&b->rows[j]);
            if (b->rows[j].status == row->status && !gb_row_incomplete(&b->rows[j]) &&
                other->reason != NULL && strcmp(other->reason, reason) == 0) {
                done[j] = true;
                same++;
            }
        }
        char *id = gb_text_printable(row->first->case_id), *text = gb_text_printable(reason);
        gb_buf_add(out, "  ");
        gb_ink_add(out, together ? GB_DIM : GB_RED, color, gb_status_word(row->status));
        if (same > 1) {
            gb_buf_printf(out, ": %zu cases like %s: %s\n", same, id ? id : "", text ? text : "");
        } else {
            gb_buf_printf(out, ": %s: %s\n", id ? id : "", text ? text : "");
        }
        free(id);
        free(text);
    }
    free(done);
}

gb_code gb_report_table(const gb_results *results, bool color, gb_buf *out, gb_error *err)
{
    gb_table table;
    json_t *fits = NULL, *findings = NULL;
    gb_buf muted = {0};
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    gb_roofs_flag(results, &table);
    code = gb_report_fits(results, &fits, err);
    if (code == GB_OK) {
        code = gb_report_findings(results, &findings, err);
    }
    if (code == GB_OK) {
        code = gb_report_muted(results, findings, &muted, err);
    }
    int device = -1;
    for (size_t i = 0, end; code == GB_OK && i < table.n; i = end) {
        const gb_record *r = table.rows[i].first;
        for (end = i; end < table.n && table.rows[end].first->device == r->device &&
                      strcmp(table.rows[end].first->benchmark, r->benchmark) == 0;) {
            end++;
        }
        if (r->device != device) {
            device = r->device;
            gb_buf_add(out, i > 0 ? "\n" : "");
            header(results, device, color, out);
        }
        block b = make_block(&table.rows[i], end - i);
        block_title(&b, color, out);
        measured_rows(&b, color, out);
        unmeasured_rows(&b, color, out);
        gb_table_fits_lines(fits, device, r->benchmark, out);
        if (end == table.n || table.rows[end].first->device != device) {
            gb_table_findings_lines(findings, device, color, out);
        }
    }
    if (json_array_size(findings) > 0) {
        gb_buf_add(out, "\n");
        gb_report_findings_rule(findings, "+-", out);
        gb_buf_add(out, "\n");
    }
    if (muted.length > 0) {
        gb_buf_printf(out, "\n%s\n", muted.data);
    }
    gb_buf_free(&muted);
    if (code == GB_OK) {
        gb_table_summary(results, &table, color, out);
    }
    if (code == GB_OK && out->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the table");
    }
    json_decref(fits);
    json_decref(findings);
    gb_table_free(&table);
    return code;
}
