#include "reports/export/export.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"

/* Our units in Prometheus' base units: name's suffix and factor. */
static const struct {
    const char *unit, *suffix, *what;
    double factor;
} units[] = {{"ns", "seconds", "in seconds", 1e-9},
             {"B/s", "bytes_per_second", "in bytes per second", 1},
             {"FLOP/s", "flops", "in floating-point operations per second", 1},
             {"1/s", "per_second", "per second", 1},
             {"cycles", "cycles", "in cycles of the device's clock", 1},
             {"%", "ratio", "as a share of 1", 0.01}};
#define N_UNITS (sizeof units / sizeof units[0])

/* The text format's escapes of label values: backslash, quote, line feed. */
static void label_value(gb_buf *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '\\' || *p == '"') {
            gb_buf_add(out, "\\");
            gb_buf_add_bytes(out, p, 1);
        } else if (*p == '\n') {
            gb_buf_add(out, "\\n");
        } else {
            gb_buf_add_bytes(out, p, 1);
        }
    }
}

static void label(gb_buf *out, const char *name, const char *text)
{
    gb_buf_printf(out, "%s=\"", name);
    label_value(out, text);
    gb_buf_add(out, "\"");
}

static const char *head_text(const gb_results *results, const char *object, const char *key)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(results->document, object), key));
    return text != NULL ? text : "unknown";
}

static void row_labels(const gb_results *results, const gb_row *row, gb_buf *out)
{
    const json_t *device =
        json_array_get(json_object_get(results->document, "devices"), (size_t)row->first->device);
    const char *uuid = json_string_value(json_object_get(device, "uuid"));
    gb_buf_add(out, "{");
    label(out, "suite", head_text(results, "suite", "name"));
    gb_buf_add(out, ",");
    label(out, "benchmark", row->first->benchmark);
    gb_buf_add(out, ",");
    label(out, "case", row->first->case_id);
    gb_buf_add(out, ",");
    label(out, "device", gb_results_device_name(results, row->first->device));
    gb_buf_add(out, ",");
    label(out, "kind", gb_results_device_kind(results, row->first->device));
    gb_buf_add(out, ",");
    label(out, "uuid", uuid != NULL ? uuid : "unknown");
    gb_buf_add(out, "}");
}

/* A metric's place among `units`, or N_UNITS. */
static size_t unit_of(const char *unit)
{
    size_t i = 0;
    while (i < N_UNITS && strcmp(units[i].unit, unit) != 0) {
        i++;
    }
    return i;
}

/* "bandwidth" in "B/s" -> "gpubench_bandwidth_bytes_per_second". */
static void family_name(const char *metric, size_t unit, char *name, size_t size)
{
    int n = snprintf(name, size, "gpubench_%s_%s", metric, units[unit].suffix);
    for (int i = 0; i < n && (size_t)i + 1 < size; i++) {
        char c = name[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name[i] = fine ? c : '_';
    }
}

/* All samples of one metric: the format wants a family's lines together. */
static void write_family(const gb_exported *what, const char *metric, size_t unit, gb_buf *out)
{
    char name[96], number[40];
    const gb_table *table = what->table;
    family_name(metric, unit, name, sizeof name);
    bool begun = false;
    for (size_t i = 0; i < table->n; i++) {
        const char *row_unit;
        bool higher;
        double value = gb_row_metric(&table->rows[i], metric, &row_unit, &higher);
        if (table->rows[i].status != GB_STATUS_OK || !isfinite(value) ||
            unit_of(row_unit) != unit) {
            continue;
        }
        if (!begun) {
            gb_buf_printf(out, "# HELP %s ", name);
            label_value(out, metric);
            gb_buf_printf(out, " of a case, %s; %s is better.\n# TYPE %s gauge\n", units[unit].what,
                          higher ? "higher" : "lower", name);
            begun = true;
        }
        gb_buf_add(out, name);
        row_labels(what->results, &table->rows[i], out);
        gb_buf_printf(out, " %s\n",
                      gb_print_double(value * units[unit].factor, number, sizeof number));
    }
}

/* The metrics that turn up, each once with its unit, in their order. An object keeps it. */
static json_t *families(const gb_table *table)
{
    json_t *all = json_object();
    json_object_set_new(all, "time ns", json_pack("[s, i]", "time", 0));
    for (size_t i = 0; i < table->n; i++) {
        for (size_t r = 0; r < table->rows[i].n; r++) {
            const gb_record *record = table->rows[i].replicates[r];
            for (size_t m = 0; m < record->n_metrics; m++) {
                const gb_metric *metric = &record->metrics[m];
                size_t unit = unit_of(metric->unit);
                char key[80];
                snprintf(key, sizeof key, "%s %s", metric->name, metric->unit);
                if (unit < N_UNITS && json_object_get(all, key) == NULL) {
                    json_object_set_new(all, key, json_pack("[s, i]", metric->name, (int)unit));
                }
            }
        }
    }
    return all;
}

static void write_run(const gb_exported *what, gb_buf *out)
{
    size_t counts[GB_STATUSES] = {0};
    for (size_t i = 0; i < what->table->n; i++) {
        counts[what->table->rows[i].status]++;
    }
    gb_buf_add(out, "# HELP gpubench_cases Cases of the last run by how they ended.\n"
                    "# TYPE gpubench_cases gauge\n");
    for (int status = 0; status < GB_STATUSES; status++) {
        gb_buf_add(out, "gpubench_cases{");
        label(out, "suite", head_text(what->results, "suite", "name"));
        gb_buf_add(out, ",");
        label(out, "status", gb_status_word((gb_status)status));
        gb_buf_printf(out, "} %zu\n", counts[status]);
    }
    struct tm parts = {0};
    const char *started = head_text(what->results, "run", "started");
    if (strptime(started, "%Y-%m-%dT%H:%M:%SZ", &parts) != NULL) {
        gb_buf_add(out, "# HELP gpubench_run_started_timestamp_seconds When the last run began.\n"
                        "# TYPE gpubench_run_started_timestamp_seconds gauge\n"
                        "gpubench_run_started_timestamp_seconds{");
        label(out, "suite", head_text(what->results, "suite", "name"));
        gb_buf_printf(out, "} %lld\n", (long long)timegm(&parts));
    }
    gb_buf_add(out, "# HELP gpubench_run_complete Whether the last run went to its end.\n"
                    "# TYPE gpubench_run_complete gauge\ngpubench_run_complete{");
    label(out, "suite", head_text(what->results, "suite", "name"));
    gb_buf_printf(out, "} %d\n", what->results->complete ? 1 : 0);
}

static void write_regressions(const gb_exported *what, gb_buf *out)
{
    if (what->comparison == NULL) {
        return;
    }
    gb_buf_add(out, "# HELP gpubench_regressions Cases slower than the baseline.\n"
                    "# TYPE gpubench_regressions gauge\ngpubench_regressions{");
    label(out, "suite", head_text(what->results, "suite", "name"));
    gb_buf_printf(out, "} %zu\n",
                  what->comparison->other_unit ? 0 : what->comparison->counts[GB_VERDICT_SLOWER]);
}

gb_code gb_export_prometheus(const gb_exported *what, gb_buf *out, gb_error *err)
{
    json_t *all = families(what->table);
    const char *key;
    json_t *family;
    if (all == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for an export");
    }
    json_object_foreach(all, key, family)
    {
        write_family(what, json_string_value(json_array_get(family, 0)),
                     (size_t)json_integer_value(json_array_get(family, 1)), out);
    }
    json_decref(all);
    write_run(what, out);
    write_regressions(what, out);
    return out->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for an export") : GB_OK;
}
