/* results.csv: RFC 4180, one row a record, base units in the header, '.' as decimal point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "record/internal.h"

/* A row under construction. */
typedef struct row {
    gb_buf *out;
    bool begun;
} row;

static void quoted(gb_buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        gb_buf_add(out, text);
        return;
    }
    gb_buf_add(out, "\"");
    for (const char *c = text; *c; c++) {
        gb_buf_add_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    }
    gb_buf_add(out, "\"");
}

/* A spreadsheet runs a cell that begins with = + - @ (or a tab or carriage return before one) as a
 * formula: such a text gets a ' in front, and so does one that begins with ', so that a reader gets
 * every text back by taking one leading ' away. */
void gb_csv_text(gb_buf *out, const char *text)
{
    if (!text || !text[0] || !strchr("=+-@\t\r'", text[0])) {
        quoted(out, text ? text : "");
        return;
    }
    char *defused = gb_text_format("'%s", text);
    if (!defused) {
        out->failed = true;
        return;
    }
    quoted(out, defused);
    free(defused);
}

static void next_cell(row *r)
{
    gb_buf_add(r->out, r->begun ? "," : "");
    r->begun = true;
}

static void cell(row *r, const char *text)
{
    next_cell(r);
    quoted(r->out, text);
}

static void text_cell(row *r, const char *text)
{
    next_cell(r);
    gb_csv_text(r->out, text);
}

static void real_cell(row *r, double value)
{
    char buf[40];
    cell(r, isfinite(value) ? gb_print_double(value, buf, sizeof buf) : "");
}

static void count_cell(row *r, uint64_t value)
{
    char buf[40];
    cell(r, gb_format_count(value, buf, sizeof buf));
}

static void tristate_cell(row *r, int value)
{
    cell(r, value < 0 ? "" : value ? "true" : "false");
}

static void end_row(row *r)
{
    gb_buf_add(r->out, "\r\n");
    r->begun = false;
}

/* Columns that depend on the records: each name once, in the order in which they turn up. A json
 * object keeps that order. */
typedef struct columns {
    json_t *params, *metrics, *parts, *phases;
} columns;

static bool add_keys(json_t *names, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (!json_object_get(names, key) && json_object_set_new(names, key, json_true()) != 0) {
            return false;
        }
    }
    return true;
}

/* "bandwidth_bytes_per_s": the metric and its unit, in letters. */
static char *metric_column(const gb_metric *metric)
{
    static const char *const units[][2] = {
        {"B/s", "bytes_per_s"}, {"FLOP/s", "flop_per_s"}, {"1/s", "per_s"}, {"%", "percent"}};
    const char *unit = metric->unit;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i][0]) == 0) {
            unit = units[i][1];
        }
    }
    if (strcmp(unit, metric->name) == 0) { /* "cycles" */
        unit = "";
    }
    return gb_text_format("%s%s%s", metric->name, unit[0] ? "_" : "", unit);
}

static bool find_columns(const gb_record records[], size_t n, columns *out)
{
    bool fine = out->params && out->metrics && out->parts && out->phases;
    for (size_t i = 0; fine && i < n; i++) {
        const gb_record *r = &records[i];
        fine = add_keys(out->params, r->params) && add_keys(out->parts, r->parts_ns) &&
               add_keys(out->phases, r->phases_ns);
        for (size_t k = 0; fine && k < r->n_metrics; k++) {
            char *name = metric_column(&r->metrics[k]);
            fine = name && json_object_set_new(out->metrics, name, json_true()) == 0;
            free(name);
        }
    }
    return fine;
}

static void prefixed_header(row *r, const char *prefix, json_t *names)
{
    const char *key;
    json_t *value;
    json_object_foreach(names, key, value)
    {
        char *name = gb_text_format("%s%s", prefix, key);
        if (!name) {
            r->out->failed = true;
            return;
        }
        text_cell(r, name);
        free(name);
    }
}

static const char *const first_columns[] = {"run_id",      "started", "device",    "device_kind",
                                            "device_name", "case",    "benchmark", "kernel"};
static const char *const middle_columns[] = {
    "definition",    "replicate",    "index", "order", "status", "reason_code",
    "reason",        "verified",     "timer", "cache", "gated",  "iterations_per_sample",
    "resolution_ns", "first_call_ns"};
static const char *const last_columns[] = {"time_ns_ci95_low", "time_ns_ci95_high", "outliers",
                                           "converged",        "stopped_by",        "flags"};

static void plain_headers(row *r, const char *const names[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cell(r, names[i]);
    }
}
#define PLAIN_HEADERS(row, names) plain_headers(row, names, sizeof names / sizeof names[0])

static void header(row *r, const columns *c)
{
    PLAIN_HEADERS(r, first_columns);
    prefixed_header(r, "param_", c->params);
    PLAIN_HEADERS(r, middle_columns);
    for (size_t i = 0; i < GB_WORK_FIELDS; i++) {
        cell(r, gb_work_fields[i].name);
    }
    cell(r, "samples");
    cell(r, "rejected");
    for (size_t i = 0; i < GB_TIME_FIELDS; i++) {
        char name[64];
        snprintf(name, sizeof name, "time_ns_%s", gb_time_fields[i].name);
        cell(r, name);
    }
    PLAIN_HEADERS(r, last_columns);
    prefixed_header(r, "", c->metrics);
    prefixed_header(r, "part_ns_", c->parts);
    prefixed_header(r, "phase_ns_", c->phases);
    end_row(r);
}

static void json_cell(row *r, const json_t *value)
{
    if (json_is_integer(value)) {
        char buf[32];
        snprintf(buf, sizeof buf, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        cell(r, buf);
    } else if (json_is_number(value)) {
        real_cell(r, json_number_value(value));
    } else {
        text_cell(r, json_string_value(value));
    }
}

static void object_cells(row *r, json_t *names, const json_t *object)
{
    const char *key;
    json_t *value;
    json_object_foreach(names, key, value)
    {
        json_cell(r, json_object_get(object, key));
    }
}

static void metric_cells(row *r, json_t *names, const gb_record *record)
{
    const char *key;
    json_t *value;
    json_object_foreach(names, key, value)
    {
        double found = NAN;
        for (size_t i = 0; i < record->n_metrics; i++) {
            char *name = metric_column(&record->metrics[i]);
            if (name && strcmp(name, key) == 0) {
                found = record->metrics[i].value;
            }
            free(name);
        }
        real_cell(r, found);
    }
}

static void flags_cell(row *r, uint32_t flags)
{
    gb_buf words = {0};
    gb_buf_add(&words, "");
    for (unsigned i = 0; i < GB_FLAG_COUNT; i++) {
        if (flags & GB_BIT(i)) {
            gb_buf_add(&words, words.length ? " " : "");
            gb_buf_add(&words, gb_flag_word((gb_flag)i));
        }
    }
    if (words.failed) {
        r->out->failed = true;
    } else {
        cell(r, words.data);
    }
    gb_buf_free(&words);
}

static void identity_cells(row *r, const json_t *devices, const gb_record *record)
{
    const json_t *device =
        record->device >= 0 ? json_array_get(devices, (size_t)record->device) : NULL;
    text_cell(r, record->run_id);
    text_cell(r, record->started);
    count_cell(r, (uint64_t)(record->device >= 0 ? record->device : 0));
    text_cell(r, json_string_value(json_object_get(device, "kind")));
    text_cell(r, json_string_value(json_object_get(device, "name")));
    text_cell(r, record->case_id);
    text_cell(r, record->benchmark);
    text_cell(r, record->kernel);
}

static void measured_cells(row *r, const gb_record *record)
{
    text_cell(r, record->definition);
    count_cell(r, record->replicate);
    count_cell(r, record->index);
    count_cell(r, record->order);
    cell(r, gb_status_word(record->status));
    text_cell(r, record->reason_code);
    text_cell(r, record->reason);
    tristate_cell(r, record->verified);
    cell(r, gb_timer_word(record->timer));
    cell(r, gb_cache_word(record->cache));
    tristate_cell(r, record->gated);
    count_cell(r, record->iterations_per_sample);
    real_cell(r, record->resolution_ns);
    real_cell(r, record->first_call_ns);
    for (size_t i = 0; i < GB_WORK_FIELDS; i++) {
        count_cell(r, gb_work_field(&record->work, &gb_work_fields[i]));
    }
    count_cell(r, record->time.n);
    count_cell(r, record->rejected);
    for (size_t i = 0; i < GB_TIME_FIELDS; i++) {
        real_cell(r, gb_time_field(&record->time, &gb_time_fields[i]));
    }
    real_cell(r, record->time.ci95[0]);
    real_cell(r, record->time.ci95[1]);
    count_cell(r, record->time.outliers);
    tristate_cell(r, record->converged);
    text_cell(r, record->stopped_by);
    flags_cell(r, record->flags);
}

char *gb_results_csv(const json_t *devices, const gb_record records[], size_t n)
{
    gb_buf out = {0};
    row r = {&out, false};
    char *text = NULL;
    columns c = {json_object(), json_object(), json_object(), json_object()};
    if (!find_columns(records, n, &c)) {
        goto done;
    }
    header(&r, &c);
    for (size_t i = 0; i < n; i++) {
        identity_cells(&r, devices, &records[i]);
        object_cells(&r, c.params, records[i].params);
        measured_cells(&r, &records[i]);
        metric_cells(&r, c.metrics, &records[i]);
        object_cells(&r, c.parts, records[i].parts_ns);
        object_cells(&r, c.phases, records[i].phases_ns);
        end_row(&r);
    }
    gb_buf_take(&out, &text, NULL);
done:
    gb_buf_free(&out);
    json_decref(c.params);
    json_decref(c.metrics);
    json_decref(c.parts);
    json_decref(c.phases);
    return text;
}
