/* JSON as a record. Strict about types: a file may have been edited, cut or made by another
 * program. Keys that do not identify the record may be missing (a later or earlier version wrote
 * it); keys that are not known are left alone. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/internal.h"

/* The object being read, its path in the document, and what went wrong first. */
typedef struct reader {
    const json_t *object;
    const char *path;
    gb_error *err;
    gb_code code;
} reader;

/* The value of a key when it is to be read: NULL when it is missing, null, or after an error. */
static json_t *get(reader *r, const char *key)
{
    json_t *value = r->code == GB_OK ? json_object_get(r->object, key) : NULL;
    return json_is_null(value) ? NULL : value;
}

static void expected(reader *r, const char *key, const char *what)
{
    r->code = gb_fail(r->err, GB_INVALID, "%s.%s: expected %s", r->path, key, what);
}

static void real(reader *r, const char *key, double *out)
{
    if (get(r, key)) {
        r->code = gb_json_get_real(r->object, key, r->path, out, r->err);
    }
}

static uint64_t count(reader *r, const char *key, uint64_t max)
{
    uint64_t value = 0;
    if (get(r, key)) {
        r->code = gb_json_get_u64(r->object, key, r->path, &value, r->err);
        if (r->code == GB_OK && value > max) {
            r->code = gb_fail(r->err, GB_INVALID, "%s.%s: %llu is more than %llu", r->path, key,
                              (unsigned long long)value, (unsigned long long)max);
        }
    }
    return r->code == GB_OK ? value : 0;
}

static bool boolean(reader *r, const char *key)
{
    const json_t *value = get(r, key);
    if (value && !json_is_boolean(value)) {
        expected(r, key, "true, false or null");
    }
    return json_is_true(value);
}

/* Borrowed; NULL when it is missing or null, which is an error unless `optional`. */
static const char *text(reader *r, const char *key, bool optional)
{
    const char *value = NULL;
    if (r->code == GB_OK) {
        r->code = gb_json_get_string(r->object, key, r->path, optional, &value, r->err);
    }
    return value;
}

static char *own_text(reader *r, const char *key, bool optional)
{
    const char *value = text(r, key, optional);
    char *copy = value ? gb_text_copy(value) : NULL;
    if (value && !copy) {
        r->code = gb_fail(r->err, GB_NO_MEMORY, "out of memory");
    }
    return copy;
}

static void short_text(reader *r, const char *key, char *buf, size_t size)
{
    const char *value = text(r, key, true);
    if (value && strlen(value) >= size) {
        r->code =
            gb_fail(r->err, GB_INVALID, "%s.%s: longer than %zu bytes", r->path, key, size - 1);
    } else if (value) {
        memcpy(buf, value, strlen(value) + 1);
    }
}

/* New reference to a value of one type; NULL when it is missing. */
static json_t *container(reader *r, const char *key, json_type type)
{
    json_t *value = get(r, key);
    if (value && json_typeof(value) != type) {
        expected(r, key, type == JSON_OBJECT ? "an object" : "an array");
        return NULL;
    }
    return json_incref(value);
}

/* A reader of the object under `key`; its object is NULL when there is none. */
static reader inner(reader *r, const char *key, char path[], size_t size)
{
    json_t *value = get(r, key);
    if (value && !json_is_object(value)) {
        expected(r, key, "an object");
        value = NULL;
    }
    snprintf(path, size, "%s.%s", r->path, key);
    return (reader){value, path, r->err, r->code};
}

static void pair(reader *r, const char *key, double out[2])
{
    const json_t *value = get(r, key);
    if (!value) {
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        const json_t *item = json_array_get(value, i);
        if (json_array_size(value) != 2 || !json_is_number(item)) {
            expected(r, key, "an array of two numbers, or null");
            return;
        }
        out[i] = json_number_value(item);
    }
}

/* The times of an object of parts or phases: numbers or null, none negative. */
static json_t *times(reader *r, const char *key)
{
    json_t *object = container(r, key, JSON_OBJECT);
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value)
    {
        if (!json_is_null(value) && (!json_is_number(value) || json_number_value(value) < 0)) {
            r->code = gb_fail(r->err, GB_INVALID, "%s.%s.%s: expected a number from 0, or null",
                              r->path, key, name);
        }
    }
    return object;
}

/* An array of names. */
static json_t *names(reader *r, const char *key)
{
    json_t *array = container(r, key, JSON_ARRAY);
    size_t i;
    json_t *name;
    json_array_foreach(array, i, name)
    {
        if (!json_is_string(name)) {
            r->code = gb_fail(r->err, GB_INVALID, "%s.%s.%zu: expected a string", r->path, key, i);
        }
    }
    return array;
}

static void read_time(reader *outer, gb_record *record)
{
    char path[256];
    reader r = inner(outer, "time_ns", path, sizeof path);
    gb_summary *t = &record->time;
    t->n = count(&r, "n", SIZE_MAX);
    record->rejected = count(&r, "rejected", SIZE_MAX);
    for (size_t i = 0; i < GB_TIME_FIELDS; i++) {
        double value = NAN;
        real(&r, gb_time_fields[i].name, &value);
        if (value < 0) {
            expected(&r, gb_time_fields[i].name, "a number from 0, or null");
        }
        memcpy((char *)t + gb_time_fields[i].offset, &value, sizeof value);
    }
    pair(&r, "ci95", t->ci95);
    t->outliers = count(&r, "outliers", SIZE_MAX);
    pair(&r, "modes", t->modes);
    double counts[2] = {0, 0};
    pair(&r, "mode_counts", counts);
    if (!(counts[0] >= 0 && counts[0] < 1e9 && counts[1] >= 0 && counts[1] < 1e9)) {
        expected(&r, "mode_counts", "two counts, or null");
    } else {
        t->mode_counts[0] = (size_t)counts[0];
        t->mode_counts[1] = (size_t)counts[1];
    }
    record->converged = boolean(&r, "converged");
    short_text(&r, "stopped_by", record->stopped_by, sizeof record->stopped_by);
    outer->code = r.code;
}

static void read_work(reader *outer, gb_work *work)
{
    char path[256];
    reader r = inner(outer, "work", path, sizeof path);
    for (size_t i = 0; i < GB_WORK_FIELDS; i++) {
        uint64_t value = count(&r, gb_work_fields[i].name, INT64_MAX);
        memcpy((char *)work + gb_work_fields[i].offset, &value, sizeof value);
    }
    const char *word = text(&r, "ceiling", true);
    for (unsigned i = 0; word && gb_ceiling_words[i]; i++) {
        if (strcmp(word, gb_ceiling_words[i]) == 0) {
            work->ceiling = (gb_ceiling)i;
        }
    }
    word = text(&r, "compute", true);
    if (word) {
        gb_compute_parse(word, &work->compute);
    }
    outer->code = r.code;
}

static void read_metric(reader *r, const char *name, gb_metric *out)
{
    *out = (gb_metric){.value = NAN, .peak = NAN};
    if (strlen(name) >= sizeof out->name) {
        r->code = gb_fail(r->err, GB_INVALID, "%s: a name of more than %zu bytes", r->path,
                          sizeof out->name - 1);
        return;
    }
    memcpy(out->name, name, strlen(name) + 1);
    real(r, "value", &out->value);
    real(r, "peak", &out->peak);
    short_text(r, "unit", out->unit, sizeof out->unit);
    short_text(r, "reason", out->reason, sizeof out->reason);
    const char *better = text(r, "better", false);
    if (better && strcmp(better, "higher") != 0 && strcmp(better, "lower") != 0) {
        expected(r, "better", "\"higher\" or \"lower\"");
    }
    out->higher_is_better = better && strcmp(better, "higher") == 0;
}

static void read_metrics(reader *outer, gb_record *record)
{
    char path[256], own[512];
    reader all = inner(outer, "metrics", path, sizeof path);
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)all.object, name, value)
    {
        if (record->n_metrics == GB_MAX_METRICS) {
            all.code =
                gb_fail(all.err, GB_INVALID, "%s: more than %d metrics", path, GB_MAX_METRICS);
        }
        if (all.code != GB_OK) {
            break;
        }
        reader r = inner(&all, name, own, sizeof own);
        if (r.code == GB_OK && !r.object) {
            expected(&all, name, "an object");
            break;
        }
        read_metric(&r, name, &record->metrics[record->n_metrics++]);
        all.code = r.code;
    }
    outer->code = all.code;
}

static void read_flags(reader *r, gb_record *record)
{
    json_t *array = container(r, "flags", JSON_ARRAY);
    size_t i;
    json_t *value;
    json_array_foreach(array, i, value)
    {
        const char *word = json_string_value(value);
        if (!word) {
            expected(r, "flags", "an array of strings");
            break;
        }
        for (unsigned flag = 0; flag < GB_FLAG_COUNT; flag++) {
            if (strcmp(word, gb_flag_word((gb_flag)flag)) == 0) {
                record->flags |= GB_BIT(flag);
            }
        }
    }
    json_decref(array);
    record->time.slow_first = record->flags & GB_BIT(GB_FLAG_SLOW_FIRST);
    record->time.drift = record->flags & GB_BIT(GB_FLAG_DRIFT);
    record->time.bimodal = record->flags & GB_BIT(GB_FLAG_BIMODAL);
}

static void read_samples(reader *r, gb_record *record)
{
    json_t *array = container(r, "samples_ns", JSON_ARRAY);
    size_t n = json_array_size(array);
    if (n > 0) {
        record->samples_ns = malloc(n * sizeof record->samples_ns[0]);
        if (!record->samples_ns) {
            r->code = gb_fail(r->err, GB_NO_MEMORY, "out of memory for %zu samples", n);
            n = 0;
        }
    }
    for (size_t i = 0; i < n; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_number(value) || json_number_value(value) < 0) {
            r->code = gb_fail(r->err, GB_INVALID, "%s.samples_ns[%zu]: expected a number from 0",
                              r->path, i);
            break;
        }
        record->samples_ns[i] = json_number_value(value);
        record->n_samples = i + 1;
    }
    json_decref(array);
}

/* Parameter values are whole numbers and words. */
static json_t *read_params(reader *r)
{
    json_t *params = container(r, "params", JSON_OBJECT);
    if (r->code == GB_OK && !params) {
        expected(r, "params", "an object");
    }
    const char *name;
    json_t *value;
    json_object_foreach(params, name, value)
    {
        if (!json_is_integer(value) && !json_is_string(value)) {
            r->code = gb_fail(r->err, GB_INVALID,
                              "%s.params.%s: expected a whole number or a string", r->path, name);
        }
    }
    return params;
}

/* status, timer and cache: words of closed lists. A missing timer or cache is the default. */
static void read_words(reader *r, gb_record *record)
{
    const char *status = text(r, "status", false);
    if (status && !gb_status_parse(status, &record->status)) {
        r->code =
            gb_fail(r->err, GB_INVALID,
                    "%s.status: '%.40s' is none of ok, failed, wrong, skipped, timeout, not_run",
                    r->path, status);
    }
    const char *timer = text(r, "timer", true);
    if (timer && !gb_timer_parse(timer, &record->timer)) {
        expected(r, "timer", "device, roundtrip or call");
    }
    const char *cache = text(r, "cache", true);
    if (cache && !gb_cache_parse(cache, &record->cache)) {
        expected(r, "cache", "warm or cold");
    }
}

static void read_identity(reader *r, gb_record *out)
{
    short_text(r, "run_id", out->run_id, sizeof out->run_id);
    short_text(r, "started", out->started, sizeof out->started);
    out->case_id = own_text(r, "case", false);
    out->benchmark = own_text(r, "benchmark", false);
    out->kernel = own_text(r, "kernel", false);
    out->params = read_params(r);
    short_text(r, "definition", out->definition, sizeof out->definition);
    if (r->code == GB_OK && !json_is_integer(json_object_get(r->object, "replicate"))) {
        expected(r, "replicate", "a whole number");
    }
    out->device = (int)count(r, "device", INT32_MAX);
    out->replicate = (uint32_t)count(r, "replicate", UINT32_MAX);
    out->index = (uint32_t)count(r, "index", UINT32_MAX);
    out->order = (uint32_t)count(r, "order", UINT32_MAX);
}

gb_code gb_record_from_json(const json_t *json, const char *path, gb_record *out, gb_error *err)
{
    gb_record_init(out);
    if (!json_is_object(json)) {
        return gb_fail(err, GB_INVALID, "%s: expected an object", path);
    }
    reader r = {json, path, err, GB_OK};
    read_identity(&r, out);
    read_words(&r, out);
    out->reason_code = own_text(&r, "reason_code", true);
    out->reason = own_text(&r, "reason", true);
    if (get(&r, "verified")) {
        out->verified = boolean(&r, "verified") ? 1 : 0;
    }
    out->gated = boolean(&r, "gated");
    out->iterations_per_sample = count(&r, "iterations_per_sample", INT64_MAX);
    real(&r, "resolution_ns", &out->resolution_ns);
    real(&r, "first_call_ns", &out->first_call_ns);
    read_work(&r, &out->work);
    read_time(&r, out);
    read_metrics(&r, out);
    read_flags(&r, out);
    out->parts_ns = times(&r, "parts_ns");
    out->parts_after = names(&r, "parts_after");
    out->phases_ns = times(&r, "phases_ns");
    out->telemetry = container(&r, "telemetry", JSON_OBJECT);
    read_samples(&r, out);
    if (r.code != GB_OK) {
        gb_record_free(out);
    }
    return r.code;
}
