/* What a run's document says that a history keeps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "reports/history/internal.h"

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

const char *gb_history_time(int64_t started, char text[32])
{
    time_t seconds = (time_t)started;
    struct tm parts;
    if (!gmtime_r(&seconds, &parts) || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        strcpy(text, "?");
    return text;
}

static bool parse_time(const char *text, int64_t *out)
{
    struct tm parts = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!end)
        return false;
    *out = (int64_t)timegm(&parts);
    return true;
}

int64_t gb_history_latest(void)
{
    return (int64_t)time(NULL) + 86400;
}

gb_code gb_history_facts(const gb_results *results, gb_facts *out, gb_error *err)
{
    const json_t *run = json_object_get(results->document, "run");
    const json_t *suite = json_object_get(results->document, "suite");
    *out = (gb_facts){.run_id = text_of(run, "id"),
                      .suite = text_of(suite, "name"),
                      .sha256 = text_of(suite, "sha256")};
    if (!out->run_id[0] || strlen(out->run_id) > 63)
        return gb_fail(err, GB_INVALID,
                       "the results have no run id, so that a history could not "
                       "tell this run from others");
    if (!parse_time(text_of(run, "started"), &out->started))
        return gb_fail(err, GB_INVALID, "run %s: the results do not say when it started",
                       out->run_id);
    return GB_OK;
}

void gb_environment_free(gb_environment *e)
{
    char *texts[] = {e->host,     e->uuid,   e->driver, e->runtime,
                     e->firmware, e->kernel, e->clocks, e->tool};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        free(texts[i]);
    *e = (gb_environment){0};
}

gb_code gb_history_environment(const gb_results *results, int device, gb_environment *out,
                               gb_error *err)
{
    const json_t *d = json_array_get(json_object_get(results->document, "devices"), (size_t)device);
    const json_t *host = json_object_get(results->document, "host");
    const json_t *tool = json_object_get(results->document, "tool");
    const char *policy = text_of(d, "clock_policy"), *governor = text_of(host, "governor");
    *out = (gb_environment){
        .host = gb_text_copy(text_of(host, "cpu")),
        .uuid = gb_text_copy(text_of(d, "uuid")),
        .driver = gb_text_copy(text_of(d, "driver")),
        .runtime = gb_text_copy(text_of(d, "runtime")),
        .firmware = gb_text_copy(text_of(d, "vbios")),
        .kernel = gb_text_copy(text_of(host, "kernel")),
        .clocks = gb_text_format("%s%s%s%s", policy, policy[0] && governor[0] ? ", " : "",
                                 governor[0] ? "governor " : "", governor),
        .tool = gb_text_format("%s (%s)", text_of(tool, "version"), text_of(tool, "git"))};
    if (out->host && out->uuid && out->driver && out->runtime && out->firmware && out->kernel &&
        out->clocks && out->tool)
        return GB_OK;
    gb_environment_free(out);
    return gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
}

void gb_environment_difference(const gb_environment *a, const gb_environment *b, char *text,
                               size_t size)
{
    const struct {
        const char *name, *from, *to;
    } fields[] = {{"driver", a->driver, b->driver},    {"firmware", a->firmware, b->firmware},
                  {"runtime", a->runtime, b->runtime}, {"kernel", a->kernel, b->kernel},
                  {"clocks", a->clocks, b->clocks},    {"device", a->uuid, b->uuid},
                  {"host", a->host, b->host},          {"gpubench", a->tool, b->tool}};
    gb_buf out = {0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (strcmp(fields[i].from, fields[i].to) != 0)
            gb_buf_printf(&out, "%s%s %s -> %s", out.length > 0 ? ", " : "", fields[i].name,
                          fields[i].from[0] ? fields[i].from : "unknown",
                          fields[i].to[0] ? fields[i].to : "unknown");
    }
    const char *whole = out.data ? out.data : "";
    snprintf(text, size, "%.*s", (int)gb_utf8_cut(whole, size - 1), whole);
    gb_buf_free(&out);
}

void gb_series_free(gb_series *series)
{
    free(series->case_id);
    free(series->definition);
    free(series->device);
    free(series->kind);
    free(series->mig);
    *series = (gb_series){0};
}

/* The first metric, in the order declared, that a replicate which went well has a value of; NULL.
 */
static const gb_metric *first_with_value(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        for (size_t k = 0; r->status == GB_STATUS_OK && k < r->n_metrics; k++) {
            if (r->metrics[k].value > 0 && isfinite(r->metrics[k].value))
                return &r->metrics[k];
        }
    }
    return NULL;
}

/* The metric of the benchmark's gate, else the first one with a value (a kernel may declare one
 * that some of its cases do not have), else the time. A row of which no replicate went well may not
 * have it: the unit is "" then. */
static void choose_metric(const gb_results *results, const gb_row *row, gb_series *out)
{
    const json_t *gates = json_object_get(json_object_get(results->document, "suite"), "gates");
    const json_t *gate = json_object_get(gates, row->first->benchmark);
    const json_t *worse = json_object_get(gate, "worse");
    const char *wanted = json_string_value(json_object_get(gate, "metric"));
    const gb_metric *metric = wanted ? NULL : first_with_value(row);
    out->worse = json_is_number(worse) ? json_number_value(worse) : (double)NAN;
    for (size_t i = 0; wanted && i < row->n && !metric; i++)
        metric = gb_record_metric(row->replicates[i], wanted);
    bool is_time = !metric && (row->n_ok > 0 || (wanted && strcmp(wanted, "time") == 0));
    snprintf(out->metric, sizeof out->metric, "%s", metric ? metric->name : "time");
    snprintf(out->unit, sizeof out->unit, "%s", metric ? metric->unit : is_time ? "ns" : "");
    out->higher_is_better = metric && metric->higher_is_better;
}

gb_code gb_history_series_of(const gb_results *results, const gb_row *row, gb_series *out,
                             gb_error *err)
{
    const gb_record *first = row->first;
    const json_t *d =
        json_array_get(json_object_get(results->document, "devices"), (size_t)first->device);
    const json_t *ecc = json_object_get(d, "ecc");
    *out = (gb_series){.case_id = gb_text_copy(first->case_id),
                       .definition = gb_text_copy(first->definition),
                       .device = gb_text_copy(gb_results_device_name(results, first->device)),
                       .kind = gb_text_copy(gb_results_device_kind(results, first->device)),
                       .mig = gb_text_copy(text_of(d, "mig"))};
    snprintf(out->ecc, sizeof out->ecc, "%s",
             json_is_true(ecc)    ? "on"
             : json_is_false(ecc) ? "off"
                                  : "");
    choose_metric(results, row, out);
    if (out->case_id && out->definition && out->device && out->kind && out->mig)
        return GB_OK;
    gb_series_free(out);
    return gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
}

double gb_history_value(const gb_series *series, const gb_row *row, double *half)
{
    double *values = malloc((row->n + 1) * sizeof *values), centre = NAN;
    size_t n = 0;
    bool whole = true;
    *half = NAN;
    for (size_t i = 0; values && i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        const gb_metric *metric = gb_record_metric(r, series->metric);
        double value = strcmp(series->metric, "time") == 0 ? r->time.median
                       : metric                            ? metric->value
                                                           : (double)NAN;
        if (r->status == GB_STATUS_OK && value > 0 && isfinite(value))
            values[n++] = value;
        else
            whole = whole && r->status != GB_STATUS_OK;
    }
    if (n > 0 && whole)
        gb_stats_between(values, n, &centre, half);
    free(values);
    return centre;
}

double gb_history_badness(const gb_series *series, double value)
{
    return series->higher_is_better ? -log(value) : log(value);
}

double gb_history_unbad(const gb_series *series, double ln)
{
    return exp(series->higher_is_better ? -ln : ln);
}

const char *gb_history_value_text(const gb_series *series, double value, char *buf)
{
    if (strcmp(series->unit, "ns") == 0)
        return gb_format_ns(value, buf, 32);
    return gb_format_rate(value, series->unit, buf, 32);
}
