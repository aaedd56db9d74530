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

#define MAX_COLUMNS 32

/* A run of rows of one benchmark on one device. */
typedef struct block {
    const gb_row *rows;
    size_t n;
    const char *params[MAX_COLUMNS]; /* those that differ within the block */
    size_t n_params;
    const gb_metric *metrics[GB_MAX_METRICS]; /* those that have a value in some row */
    size_t n_metrics;
} block;

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
    }
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
        if (!varies(b->rows, b->n, param)) {
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
static const char *peak_text(const gb_row *row, const char *name, double value, char *buf,
                             size_t size)
{
    const gb_metric *metric = gb_record_metric(row->first, name);
    buf[0] = '\0';
    if (metric == NULL || !(metric->peak > 0)) {
        return buf;
    }
    return gb_format_percent(value / metric->peak, buf, size);
}

static void flags_text(uint32_t flags, gb_buf *out)
{
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        if ((flags & GB_BIT(f)) != 0) {
            gb_buf_printf(out, "%s%s", out->length > 0 ? ", " : "", gb_flag_word((gb_flag)f));
        }
    }
}

/* Two replicates that differ yield intervals beyond all sense (t = 12.7): more than 100 % is not
 * told apart. */
static const char *plus_minus_text(double half, char *buf, size_t size)
{
    if (!isfinite(half)) {
        return "n/a";
    }
    return half > 1 ? "> 100 %" : gb_format_percent(half, buf, size);
}

/* It has figures, but the run ended before all of its replicates. */
static bool incomplete(const gb_row *row)
{
    return row->status == GB_STATUS_NOT_RUN && row->n_ok > 0;
}

static void add_values(const block *b, const gb_row *row, gb_grid *grid)
{
    char text[64];
    gb_grid_add(grid, GB_PLAIN, gb_format_ns(row->time_ns, text, sizeof text));
    gb_grid_add(grid, GB_DIM, plus_minus_text(row->plus_minus, text, sizeof text));
    for (size_t m = 0; m < b->n_metrics; m++) {
        const char *unit;
        bool higher;
        double value = gb_row_metric(row, b->metrics[m]->name, &unit, &higher);
        gb_grid_add(grid, GB_PLAIN, gb_format_rate(value, b->metrics[m]->unit, text, sizeof text));
        if (has_peak(b, b->metrics[m]->name)) {
            gb_grid_add(grid, GB_PLAIN,
                        peak_text(row, b->metrics[m]->name, value, text, sizeof text));
        }
    }
    gb_buf notes = {0};
    flags_text(row->flags, &notes);
    if (incomplete(row)) {
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
        if (row->status == GB_STATUS_OK || done[i] || incomplete(row)) {
            continue;
        }
        const gb_record *why = culprit(row);
        const char *reason = why->reason != NULL ? why->reason : "no reason recorded";
        size_t same = 1;
        bool together = row->status == GB_STATUS_SKIPPED || row->status == GB_STATUS_NOT_RUN;
        for (size_t j = i + 1; together && j < b->n; j++) {
            const gb_record *other = culprit(&b->rows[j]);
            if (b->rows[j].status == row->status && !incomplete(&b->rows[j]) &&
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

static void fits_lines(const json_t *fits, int device, const char *benchmark, gb_buf *out)
{
    size_t i;
    json_t *fit;
    json_array_foreach(fits, i, fit)
    {
        const char *name = json_string_value(json_object_get(fit, "benchmark"));
        if (name == NULL || strcmp(name, benchmark) != 0 ||
            json_integer_value(json_object_get(fit, "device")) != device) {
            continue;
        }
        char latency[32], rate[32], half[32], error[32];
        gb_buf series = {0};
        const char *param;
        json_t *value;
        json_object_foreach(json_object_get(fit, "params"), param, value)
        {
            if (json_is_string(value)) {
                gb_buf_printf(&series, "%s ", json_string_value(value));
            } else if (json_integer_value(value) != 1) {
                gb_buf_printf(&series, "%s=%lld ", param, (long long)json_integer_value(value));
            }
        }
        if (series.length > 0) {
            series.data[series.length - 1] = '\0';
        }
        const char *name_shown = series.length > 0 ? series.data : benchmark;
        const char *why = json_string_value(json_object_get(fit, "reason"));
        if (why != NULL) {
            gb_buf_printf(out, "  no fit %s: %s\n", name_shown, why);
        } else {
            gb_buf_printf(
                out, "  fit %s: t = %s + n / %s; half of that rate at %s; worst point off by %s\n",
                name_shown,
                gb_format_ns(json_number_value(json_object_get(fit, "latency_ns")), latency, 32),
                gb_format_rate(json_number_value(json_object_get(fit, "bandwidth")), "B/s", rate,
                               32),
                gb_format_bytes((uint64_t)json_number_value(json_object_get(fit, "n_half")), half,
                                32),
                gb_format_percent(json_number_value(json_object_get(fit, "max_error")), error, 32));
        }
        gb_buf_free(&series);
    }
}

/* The first three findings of a device; results.json has all. */
static void findings_lines(const json_t *findings, int device, bool color, gb_buf *out)
{
    size_t i, shown = 0;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        if (json_integer_value(json_object_get(finding, "device")) != device || shown == 3) {
            continue;
        }
        if (shown++ == 0) {
            gb_buf_add(out, "\n");
            gb_ink_add(out, GB_BOLD, color, "What to remember\n");
        }
        gb_buf_printf(out, "  %zu. %s\n", shown,
                      json_string_value(json_object_get(finding, "text")));
    }
}

static void summary(const gb_results *results, const gb_table *table, bool color, gb_buf *out)
{
    size_t counts[GB_STATUSES] = {0}, partly = 0, missing = 0;
    uint32_t flags = 0;
    for (size_t i = 0; i < table->n; i++) {
        if (incomplete(&table->rows[i])) {
            partly++;
            missing += table->rows[i].n - table->rows[i].n_ok;
        } else {
            counts[table->rows[i].status]++;
        }
        flags |= table->rows[i].flags;
    }
    gb_buf_add(out, "\n+- is the 95 % interval between replicates (fresh processes).\n");
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        if ((flags & GB_BIT(f)) != 0) {
            gb_ink_add(out, GB_YELLOW, color, gb_flag_word((gb_flag)f));
            gb_buf_printf(out, ": %s.\n", gb_flag_meaning((gb_flag)f));
        }
    }
    gb_buf_printf(out, "%zu case%s:", table->n, table->n == 1 ? "" : "s");
    const char *separator = " ";
    for (int s = 0; s < GB_STATUSES; s++) {
        if (counts[s] > 0) {
            gb_buf_printf(out, "%s%zu %s", separator, counts[s], gb_status_word((gb_status)s));
            separator = ", ";
        }
    }
    if (partly > 0) {
        gb_buf_printf(out, "%s%zu incomplete (%zu replicate%s missing)", separator, partly, missing,
                      missing == 1 ? "" : "s");
    }
    const json_t *elapsed =
        json_object_get(json_object_get(results->document, "run"), "elapsed_ns");
    if (json_is_number(elapsed)) {
        char text[32];
        gb_buf_printf(out, "; took %s", gb_format_ns(json_number_value(elapsed), text, 32));
    }
    gb_buf_add(out, results->complete ? ".\n" : ". The run is not complete.\n");
    if (results->hardware_fault != NULL) {
        char *text = gb_text_printable(results->hardware_fault);
        gb_ink_add(out, GB_RED, color, "hardware fault");
        gb_buf_printf(out, ": %s. This run cannot serve as a baseline.\n", text ? text : "");
        free(text);
    }
}

gb_code gb_report_table(const gb_results *results, bool color, gb_buf *out, gb_error *err)
{
    gb_table table;
    json_t *fits = NULL, *findings = NULL;
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    code = gb_report_fits(results, &fits, err);
    if (code == GB_OK) {
        code = gb_report_findings(results, &findings, err);
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
        fits_lines(fits, device, r->benchmark, out);
        if (end == table.n || table.rows[end].first->device != device) {
            findings_lines(findings, device, color, out);
        }
    }
    if (code == GB_OK) {
        summary(results, &table, color, out);
    }
    if (code == GB_OK && out->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the table");
    }
    json_decref(fits);
    json_decref(findings);
    gb_table_free(&table);
    return code;
}
