/* Brings the replicates of a case together: one row a case and device. */
#include "reports/report.h"

#include "base/units.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_records(const void *a, const void *b)
{
    const gb_record *x = *(const gb_record *const *)a;
    const gb_record *y = *(const gb_record *const *)b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    int by_name = strcmp(x->case_id, y->case_id);
    if (by_name != 0) {
        return by_name;
    }
    return x->replicate < y->replicate ? -1 : x->replicate > y->replicate;
}

/* How bad a status is; the worst of the replicates is the row's. */
static int badness(gb_status status)
{
    static const int rank[GB_STATUSES] = {
        [GB_STATUS_OK] = 0,      [GB_STATUS_SKIPPED] = 1, [GB_STATUS_NOT_RUN] = 2,
        [GB_STATUS_TIMEOUT] = 3, [GB_STATUS_FAILED] = 4,  [GB_STATUS_WRONG] = 5,
    };
    return rank[status];
}

/* One step of the timer in an iteration, as a share of the record's time. */
static double step_of(const gb_record *r)
{
    const double n = r->iterations_per_sample > 0 ? (double)r->iterations_per_sample : 1;
    const bool known = r->status == GB_STATUS_OK && r->resolution_ns > 0 && r->time.median > 0;
    return known ? r->resolution_ns / n / r->time.median : 0;
}

double gb_record_step_variance(const gb_record *record)
{
    const double step = step_of(record);
    return step * step / 12;
}

double gb_row_step(const gb_row *row)
{
    double most = 0;
    for (size_t i = 0; i < row->n; i++) {
        most = fmax(most, step_of(row->replicates[i]));
    }
    return most;
}

bool gb_row_apart(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        if (r->status == GB_STATUS_OK && r->time.median <= row->time_ns * (1 + GB_APART) &&
            r->time.median >= row->time_ns / (1 + GB_APART)) {
            return false;
        }
    }
    return row->n_ok > 1;
}

double gb_row_share_of_peak(const gb_row *row, const char *metric)
{
    const char *unit;
    bool higher;
    const gb_metric *found = gb_record_metric(row->first, metric);
    return found != NULL && found->peak > 0
               ? gb_row_metric(row, metric, &unit, &higher) / found->peak
               : NAN;
}

bool gb_row_above_peak(const gb_row *row)
{
    if (row->n_ok == 0 || (row->flags & GB_BIT(GB_FLAG_IMPLAUSIBLE)) != 0) {
        return false;
    }
    for (size_t i = 0; i < row->first->n_metrics; i++) {
        if (gb_row_share_of_peak(row, row->first->metrics[i].name) > GB_ABOVE_PEAK) {
            return true;
        }
    }
    return false;
}

static gb_code fill_row(gb_row *row, gb_error *err)
{
    double *medians = malloc((row->n + 1) * sizeof *medians);
    if (medians == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a report");
    }
    row->first = row->replicates[0];
    row->status = GB_STATUS_OK;
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        if (badness(r->status) > badness(row->status)) {
            row->status = r->status;
        }
        row->flags |= r->flags;
        if (r->status == GB_STATUS_OK && isfinite(r->time.median)) {
            medians[row->n_ok++] = r->time.median;
        }
    }
    row->time_ns = NAN;
    row->plus_minus = NAN;
    if (row->n_ok > 0) {
        gb_stats_between(medians, row->n_ok, &row->time_ns, &row->plus_minus);
    }
    if (isfinite(row->plus_minus)) {
        row->plus_minus = fmax(row->plus_minus, gb_row_step(row));
    }
    free(medians);
    return GB_OK;
}

gb_code gb_table_make(const gb_results *results, gb_table *out, gb_error *err)
{
    *out = (gb_table){0};
    gb_code code = GB_OK;
    const gb_record **sorted = calloc(results->n + 1, sizeof(gb_record *));
    out->rows = calloc(results->n + 1, sizeof *out->rows);
    if (sorted == NULL || out->rows == NULL) {
        free(sorted);
        gb_table_free(out);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a report");
    }
    for (size_t i = 0; i < results->n; i++) {
        sorted[i] = &results->records[i];
    }
    qsort(sorted, results->n, sizeof(gb_record *), compare_records);
    for (size_t i = 0; i < results->n;) {
        size_t end = i + 1;
        while (end < results->n && sorted[end]->device == sorted[i]->device &&
               strcmp(sorted[end]->case_id, sorted[i]->case_id) == 0) {
            end++;
        }
        gb_row *row = &out->rows[out->n++];
        row->replicates = &sorted[i];
        row->n = end - i;
        code = fill_row(row, err);
        if (code != GB_OK) {
            break;
        }
        i = end;
    }
    out->sorted = sorted;
    if (code != GB_OK) {
        gb_table_free(out);
    }
    return code;
}

void gb_table_free(gb_table *table)
{
    free(table->rows);
    free(table->sorted);
    *table = (gb_table){0};
}

const gb_metric *gb_record_metric(const gb_record *record, const char *name)
{
    for (size_t i = 0; i < record->n_metrics; i++) {
        if (strcmp(record->metrics[i].name, name) == 0) {
            return &record->metrics[i];
        }
    }
    return NULL;
}

double gb_row_metric(const gb_row *row, const char *name, const char **unit, bool *higher_is_better)
{
    if (strcmp(name, "time") == 0) {
        *unit = "ns";
        *higher_is_better = false;
        return row->time_ns;
    }
    /* Geometric centre over the replicates, as for the time. */
    double sum = 0;
    size_t n = 0;
    bool whole = true;
    *unit = "";
    *higher_is_better = false;
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *record = row->replicates[i];
        const gb_metric *metric = gb_record_metric(record, name);
        if (metric != NULL) {
            *unit = metric->unit;
            *higher_is_better = metric->higher_is_better;
        }
        if (record->status == GB_STATUS_OK) {
            const bool has = metric != NULL && metric->value > 0;
            whole = whole && has;
            sum += has ? log(metric->value) : 0;
            n++;
        }
    }
    return n > 0 && whole ? exp(sum / (double)n) : NAN;
}

double gb_row_part(const gb_row *row, const char *part)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        const double ns = json_number_value(json_object_get(r->parts_ns, part));
        if (r->status == GB_STATUS_OK && ns > 0) {
            sum += log(ns);
            n++;
        }
    }
    return n > 0 ? exp(sum / (double)n) : NAN;
}

double gb_row_value(const gb_row *row, const char *metric)
{
    const char *unit;
    bool higher;
    return gb_row_metric(row, metric, &unit, &higher);
}

bool gb_row_number(const gb_row *row, const char *param, double *out)
{
    const json_t *value = json_object_get(row->first->params, param);
    if (!json_is_number(value)) {
        return false;
    }
    *out = json_number_value(value);
    return true;
}

double gb_row_param(const gb_row *row, const char *param)
{
    double value = NAN;
    gb_row_number(row, param, &value);
    return value;
}

const char *gb_row_word(const gb_row *row, const char *param)
{
    return json_string_value(json_object_get(row->first->params, param));
}

/* The parameters that are sizes: a record holds numbers and no kinds, and the kernel that made it
 * may be in no registry of this build. No kernel has another kind of parameter of these names. */
static bool is_size(const char *param)
{
    static const char *const names[] = {"bytes",   "device_budget", "hold", "largest_file",
                                        "padding", "node",          "table"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(param, names[i]) == 0) {
            return true;
        }
    }
    return strstr(param, "_bytes") != NULL;
}

/* The size as it is: in the unit that leaves nothing off, or in bytes. */
static const char *exact_bytes(uint64_t bytes, char *buf, size_t size)
{
    uint64_t shown;
    gb_format_bytes(bytes, buf, size);
    if (gb_parse_bytes(buf, &shown, NULL) != GB_OK || shown != bytes) {
        snprintf(buf, size, "%" PRIu64 " B", bytes);
    }
    return buf;
}

const char *gb_row_param_text(const gb_row *row, const char *param, char *buf, size_t size)
{
    const json_t *value = json_object_get(row->first->params, param);
    if (json_is_integer(value)) {
        uint64_t number = (uint64_t)json_integer_value(value);
        if (is_size(param)) {
            return exact_bytes(number, buf, size);
        }
        if (strcmp(param, "duration") == 0) {
            return gb_format_ns((double)number, buf, size);
        }
        return gb_format_count(number, buf, size);
    }
    snprintf(buf, size, "%s", json_is_string(value) ? json_string_value(value) : "-");
    return buf;
}

char *gb_row_key(const gb_row *row, const char *const without[])
{
    json_t *params = json_copy(row->first->params);
    if (params == NULL) {
        return NULL;
    }
    for (size_t i = 0; without[i] != NULL; i++) {
        json_object_del(params, without[i]);
    }
    char *key = json_dumps(params, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(params);
    return key;
}

bool gb_rows_alike(const gb_row *a, const gb_row *b, const char *const without[])
{
    if (strcmp(a->first->benchmark, b->first->benchmark) != 0) {
        return false;
    }
    char *x = gb_row_key(a, without), *y = gb_row_key(b, without);
    const bool same = x != NULL && y != NULL && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

bool gb_results_profiled(const gb_results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        if ((results->records[i].flags & GB_BIT(GB_FLAG_PROFILED)) != 0) {
            return true;
        }
    }
    return false;
}

static const char *device_string(const gb_results *results, int device, const char *key)
{
    const json_t *devices = json_object_get(results->document, "devices");
    const char *text = json_string_value(
        json_object_get(json_array_get(devices, device < 0 ? 0 : (size_t)device), key));
    return text != NULL ? text : "unknown";
}

const char *gb_results_device_name(const gb_results *results, int device)
{
    return device_string(results, device, "name");
}

const char *gb_results_device_kind(const gb_results *results, int device)
{
    return device_string(results, device, "kind");
}
