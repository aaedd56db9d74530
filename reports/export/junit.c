/* JUnit XML: a testsuite a benchmark and device, a testcase a case. */
#include "reports/export/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* Text inside XML 1.0: markup escaped, characters that XML does not know shown as U+FFFD. */
static void xml_text(gb_buf *out, const char *text)
{
    static const struct {
        char c;
        const char *escape;
    } escapes[] = {{'&', "&amp;"},  {'<', "&lt;"},   {'>', "&gt;"}, {'"', "&quot;"},
                   {'\n', "&#10;"}, {'\r', "&#13;"}, {'\t', "&#9;"}};
    for (const char *p = text; *p != '\0'; p++) {
        const char *escape = NULL;
        for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
            escape = escapes[i].c == *p ? escapes[i].escape : escape;
        }
        bool no_character =
            strncmp(p, "\xef\xbf\xbe", 3) == 0 || strncmp(p, "\xef\xbf\xbf", 3) == 0;
        if (escape != NULL) {
            gb_buf_add(out, escape);
        } else if ((unsigned char)*p < 0x20 || no_character) {
            gb_buf_add(out, "\xef\xbf\xbd");
            p += no_character ? 2 : 0;
        } else {
            gb_buf_add_bytes(out, p, 1);
        }
    }
}

static void attribute(gb_buf *out, const char *name, const char *value)
{
    gb_buf_printf(out, " %s=\"", name);
    xml_text(out, value);
    gb_buf_add(out, "\"");
}

/* Seconds that the replicates took, from their phases; 0 where nothing was recorded. */
static double seconds(const gb_row *row)
{
    double sum = 0;
    for (size_t i = 0; i < row->n; i++) {
        sum += json_number_value(json_object_get(row->replicates[i]->phases_ns, "total"));
    }
    return sum / 1e9;
}

static void time_attribute(gb_buf *out, double value)
{
    char number[40];
    gb_buf_printf(out, " time=\"%s\"", gb_print_double(round(value * 1e3) / 1e3, number, 40));
}

/* The replicate whose status is the row's: its reason is what people want to read. */
static const gb_record *speaker(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == row->status) {
            return row->replicates[i];
        }
    }
    return row->first;
}

typedef enum outcome { PASSED, FAILURE, ERROR, SKIPPED, OUTCOMES } outcome;

/* wrong, failed, timeout: failures of what was tested; not_run: an error of the run. */
static outcome outcome_of(const gb_exported *what, const gb_row *row)
{
    switch (row->status) {
    case GB_STATUS_OK:
        return gb_export_slower(what, row) != NULL ? FAILURE : PASSED;
    case GB_STATUS_SKIPPED:
        return SKIPPED;
    case GB_STATUS_NOT_RUN:
        return ERROR;
    default:
        return FAILURE;
    }
}

static void problem(gb_buf *out, outcome how, const char *type, const char *message)
{
    static const char *const elements[OUTCOMES] = {
        [FAILURE] = "failure", [ERROR] = "error", [SKIPPED] = "skipped"};
    gb_buf_printf(out, "      <%s", elements[how]);
    if (how != SKIPPED) {
        attribute(out, "type", type);
    }
    attribute(out, "message", message);
    gb_buf_add(out, "/>\n");
}

static void slower(const gb_compared *one, gb_buf *out)
{
    char text[192], change[32];
    snprintf(text, sizeof text, "%s changed by %s%s against the baseline (threshold %.3g %%)",
             one->metric, one->change > 0 ? "+" : "-",
             gb_format_percent(fabs(one->change), change, sizeof change), one->threshold * 100);
    problem(out, FAILURE, "regression", text);
}

/* The figures, for whoever opens a test that passed. */
static void figures(const gb_row *row, gb_buf *out)
{
    char text[64];
    gb_buf_add(out, "      <system-out>");
    gb_buf_printf(out, "time %s", gb_format_ns(row->time_ns, text, sizeof text));
    for (size_t i = 0; i < row->first->n_metrics; i++) {
        const char *unit;
        bool higher;
        const char *name = row->first->metrics[i].name;
        double value = gb_row_metric(row, name, &unit, &higher);
        if (isfinite(value)) {
            gb_buf_add(out, "&#10;");
            xml_text(out, name);
            gb_buf_add(out, " ");
            xml_text(out, gb_format_rate(value, unit, text, sizeof text));
        }
    }
    gb_buf_add(out, "</system-out>\n");
}

static void write_case(const gb_exported *what, const gb_row *row, gb_buf *out)
{
    const gb_record *record = speaker(row);
    outcome how = outcome_of(what, row);
    char *name = gb_export_name(what, row->first->device, row->first->benchmark);
    gb_buf_add(out, "    <testcase");
    attribute(out, "name", row->first->case_id);
    attribute(out, "classname", name != NULL ? name : row->first->benchmark);
    free(name);
    time_attribute(out, seconds(row));
    gb_buf_add(out, ">\n");
    if (row->status != GB_STATUS_OK) {
        problem(out, how, record->reason_code != NULL ? record->reason_code : "unknown",
                record->reason != NULL ? record->reason : gb_status_word(row->status));
    } else {
        if (how == FAILURE) {
            slower(gb_export_slower(what, row), out);
        }
        figures(row, out);
    }
    gb_buf_add(out, "    </testcase>\n");
}

static bool same_suite(const gb_row *a, const gb_row *b)
{
    return a->first->device == b->first->device &&
           strcmp(a->first->benchmark, b->first->benchmark) == 0;
}

static void write_suite(const gb_exported *what, size_t from, size_t to, gb_buf *out)
{
    const gb_row *rows = what->table->rows;
    const json_t *run = json_object_get(what->results->document, "run");
    const char *started = json_string_value(json_object_get(run, "started"));
    size_t counts[OUTCOMES] = {0};
    double total = 0;
    for (size_t i = from; i < to; i++) {
        counts[outcome_of(what, &rows[i])]++;
        total += seconds(&rows[i]);
    }
    char *which = gb_export_name(what, rows[from].first->device, rows[from].first->benchmark);
    char *name = gb_text_format("%s on %s", which != NULL ? which : "",
                                gb_results_device_name(what->results, rows[from].first->device));
    free(which);
    gb_buf_add(out, "  <testsuite");
    attribute(out, "name", name != NULL ? name : "");
    gb_buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", to - from,
                  counts[FAILURE], counts[ERROR], counts[SKIPPED]);
    time_attribute(out, total);
    if (started != NULL) {
        char when[20]; /* the schema knows no zone */
        snprintf(when, sizeof when, "%.*s", (int)gb_utf8_cut(started, sizeof when - 1), started);
        attribute(out, "timestamp", when);
    }
    gb_buf_add(out, ">\n    <properties>\n      <property name=\"device.kind\"");
    attribute(out, "value", gb_results_device_kind(what->results, rows[from].first->device));
    gb_buf_add(out, "/>\n    </properties>\n");
    for (size_t i = from; i < to; i++) {
        write_case(what, &rows[i], out);
    }
    gb_buf_add(out, "  </testsuite>\n");
    free(name);
}

/* What the suite expects of the figures: met or not, a test each. */
static void write_expectations(const gb_results *results, gb_buf *out)
{
    const json_t *all = json_object_get(results->document, "expectations");
    size_t n = json_array_size(all), bad = 0, skipped = 0;
    for (size_t i = 0; i < n; i++) {
        const char *word = json_string_value(json_object_get(json_array_get(all, i), "outcome"));
        bad += word != NULL && (strcmp(word, "FAILED") == 0 || strcmp(word, "unknown") == 0);
        skipped += word != NULL && strcmp(word, "skipped") == 0;
    }
    if (n == 0) {
        return;
    }
    gb_buf_printf(out,
                  "  <testsuite name=\"expectations\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
                  "skipped=\"%zu\" time=\"0\">\n",
                  n, bad, skipped);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(all, i);
        const char *text = json_string_value(json_object_get(one, "text"));
        const char *word = json_string_value(json_object_get(one, "outcome"));
        const char *detail = json_string_value(json_object_get(one, "detail"));
        const char *of = json_string_value(json_object_get(one, "benchmark"));
        bool is_skipped = word != NULL && strcmp(word, "skipped") == 0;
        gb_buf_add(out, "    <testcase");
        attribute(out, "name", text != NULL ? text : "");
        attribute(out, "classname", of != NULL ? of : "");
        gb_buf_add(out, " time=\"0\">\n");
        if (word == NULL || strcmp(word, "met") != 0) {
            problem(out, is_skipped ? SKIPPED : FAILURE, "expectation",
                    detail != NULL ? detail : "");
        }
        gb_buf_add(out, "    </testcase>\n");
    }
    gb_buf_add(out, "  </testsuite>\n");
}

gb_code gb_export_junit(const gb_exported *what, gb_buf *out, gb_error *err)
{
    const gb_table *table = what->table;
    gb_buf_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    for (size_t from = 0; from < table->n;) {
        size_t to = from + 1;
        while (to < table->n && same_suite(&table->rows[from], &table->rows[to])) {
            to++;
        }
        write_suite(what, from, to, out);
        from = to;
    }
    write_expectations(what->results, out);
    gb_buf_add(out, "</testsuites>\n");
    return out->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for an export") : GB_OK;
}
