/* google-benchmark's JSON: a run a replicate, as if with --benchmark_repetitions. */
#include "reports/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for an export");
}

static json_t *context(const gb_results *results)
{
    const json_t *host = json_object_get(results->document, "host");
    const json_t *run = json_object_get(results->document, "run");
    const char *started = json_string_value(json_object_get(run, "started"));
    const json_t *cpus = json_object_get(host, "logical_cpus");
    return json_pack("{s:s, s:s, s:s, s:I, s:i, s:b, s:[], s:[], s:s, s:o, s:s}", "date",
                     started != NULL ? started : "", "host_name", "", "executable", "gpubench",
                     "num_cpus", json_is_integer(cpus) ? json_integer_value(cpus) : (json_int_t)0,
                     "mhz_per_cpu", 0, "cpu_scaling_enabled", 0, "caches", "load_avg",
                     "library_build_type", "release", "device",
                     gb_json_string(gb_results_device_name(results, 0)), "device_kind",
                     gb_results_device_kind(results, 0));
}

/* Rates under the counters that google-benchmark's own tools know. */
static gb_code add_counters(const gb_record *record, json_t *run, gb_error *err)
{
    for (size_t i = 0; i < record->n_metrics; i++) {
        const gb_metric *metric = &record->metrics[i];
        const char *name = strcmp(metric->unit, "B/s") == 0   ? "bytes_per_second"
                           : strcmp(metric->unit, "1/s") == 0 ? "items_per_second"
                                                              : metric->name;
        if (json_object_get(run, name) != NULL) { /* a second rate of the same unit */
            name = metric->name;
        }
        if (isfinite(metric->value) && json_object_get(run, name) == NULL &&
            json_object_set_new(run, name, json_real(metric->value)) != 0) {
            return no_memory(err);
        }
    }
    return GB_OK;
}

static gb_code add_run(const char *name, const gb_row *row, const gb_record *record, size_t family,
                       json_t *list, gb_error *err)
{
    json_t *run = json_pack(
        "{s:o, s:I, s:i, s:o, s:s, s:I, s:I, s:i, s:I, s:f, s:f, s:s}", "name",
        gb_json_string(name), "family_index", (json_int_t)family, "per_family_instance_index", 0,
        "run_name", gb_json_string(name), "run_type", "iteration", "repetitions",
        (json_int_t)row->n, "repetition_index", (json_int_t)record->replicate, "threads", 1,
        "iterations", (json_int_t)(record->iterations_per_sample * (uint64_t)record->time.n),
        "real_time", record->time.median, "cpu_time", record->time.median, "time_unit", "ns");
    gb_code code = run != NULL ? add_counters(record, run, err) : no_memory(err);
    if (code == GB_OK && json_array_append(list, run) != 0) {
        code = no_memory(err);
    }
    json_decref(run);
    return code;
}

/* A case that has no time: google-benchmark's way to say so. */
static gb_code add_error(const char *name, const gb_row *row, size_t family, json_t *list,
                         gb_error *err)
{
    const gb_record *record = row->first;
    for (size_t i = 0; i < row->n; i++) {
        record = row->replicates[i]->status == row->status ? row->replicates[i] : record;
    }
    const char *reason = record->reason != NULL ? record->reason : gb_status_word(row->status);
    json_t *run =
        json_pack("{s:o, s:I, s:i, s:o, s:s, s:i, s:i, s:i, s:b, s:o, s:i, s:f, s:f, s:s}", "name",
                  gb_json_string(name), "family_index", (json_int_t)family,
                  "per_family_instance_index", 0, "run_name", gb_json_string(name), "run_type",
                  "iteration", "repetitions", 1, "repetition_index", 0, "threads", 1,
                  "error_occurred", 1, "error_message", gb_json_string(reason), "iterations", 0,
                  "real_time", 0.0, "cpu_time", 0.0, "time_unit", "ns");
    return run != NULL && json_array_append_new(list, run) == 0 ? GB_OK : no_memory(err);
}

gb_code gb_export_google(const gb_exported *what, gb_buf *out, gb_error *err)
{
    json_t *list = json_array();
    gb_code code = list != NULL ? GB_OK : no_memory(err);
    for (size_t i = 0; code == GB_OK && i < what->table->n; i++) {
        const gb_row *row = &what->table->rows[i];
        char *name = gb_export_name(what, row->first->device, row->first->case_id);
        code = name != NULL ? GB_OK : no_memory(err);
        if (code == GB_OK && row->status != GB_STATUS_OK) {
            code = add_error(name, row, i, list, err);
        }
        for (size_t r = 0; code == GB_OK && row->status == GB_STATUS_OK && r < row->n; r++) {
            code = add_run(name, row, row->replicates[r], i, list, err);
        }
        free(name);
    }
    json_t *document = code == GB_OK ? json_pack("{s:o, s:O}", "context", context(what->results),
                                                 "benchmarks", list)
                                     : NULL;
    char *text =
        document != NULL ? json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
    if (text != NULL) {
        gb_buf_printf(out, "%s\n", text);
    } else if (code == GB_OK) {
        code = no_memory(err);
    }
    free(text);
    json_decref(document);
    json_decref(list);
    return code;
}
