/* A record as JSON and back. docs/results-format.md describes every key. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/internal.h"

const gb_field gb_time_fields[GB_TIME_FIELDS] = {
#define X(field) {#field, offsetof(gb_summary, field)},
    X(min) X(p5) X(p25) X(median) X(p75) X(p95) X(p99) X(max) X(mean) X(stddev) X(mad)
#undef X
};

const gb_field gb_work_fields[GB_WORK_FIELDS] = {
#define X(field) {#field, offsetof(gb_work, field)},
    X(bytes_read) X(bytes_written) X(bytes_moved) X(bytes_sectors) X(flops) X(items) X(working_set)
#undef X
};

const char *const gb_ceiling_words[] = {"none", "memory", "link", NULL};

double gb_time_field(const gb_summary *time, const gb_field *field)
{
    double value;
    memcpy(&value, (const char *)time + field->offset, sizeof value);
    return value;
}

uint64_t gb_work_field(const gb_work *work, const gb_field *field)
{
    uint64_t value;
    memcpy(&value, (const char *)work + field->offset, sizeof value);
    return value;
}

/* ---- to JSON -------------------------------------------------------------------------------- */

/* An object under construction: after the first failure nothing more is added. */
typedef struct builder {
    json_t *object;
    bool failed;
} builder;

static builder build(void)
{
    json_t *object = json_object();
    return (builder){object, object == NULL};
}

static void put(builder *b, const char *key, json_t *value)
{
    if (b->failed) {
        json_decref(value);
    } else if (gb_json_set(b->object, key, value, NULL) != GB_OK) {
        b->failed = true;
    }
}

/* The object, or NULL after a failure. */
static json_t *built(builder *b)
{
    if (b->failed) {
        json_decref(b->object);
        return NULL;
    }
    return b->object;
}

static json_t *whole_number(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

/* An object that the record holds, shared; `absent` in place of NULL. */
static json_t *shared(json_t *value, json_t *(*absent)(void))
{
    return value ? json_incref(value) : absent();
}

static json_t *text_or_null(const char *text)
{
    return text[0] ? gb_json_string(text) : json_null();
}

static json_t *reals(const double values[], size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < n; i++) {
        if (json_array_append_new(array, gb_json_real(values[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *pair_or_null(const double pair[2])
{
    return isfinite(pair[0]) && isfinite(pair[1]) ? reals(pair, 2) : json_null();
}

static json_t *time_json(const gb_record *record)
{
    const gb_summary *t = &record->time;
    builder b = build();
    put(&b, "n", whole_number(t->n));
    put(&b, "rejected", whole_number(record->rejected));
    for (size_t i = 0; i < GB_TIME_FIELDS; i++) {
        put(&b, gb_time_fields[i].name, gb_json_real(gb_time_field(t, &gb_time_fields[i])));
    }
    put(&b, "ci95", pair_or_null(t->ci95));
    put(&b, "outliers", whole_number(t->outliers));
    put(&b, "modes", pair_or_null(t->modes));
    put(&b, "mode_counts",
        t->bimodal
            ? json_pack("[I,I]", (json_int_t)t->mode_counts[0], (json_int_t)t->mode_counts[1])
            : json_null());
    put(&b, "converged", json_boolean(record->converged));
    put(&b, "stopped_by", text_or_null(record->stopped_by));
    return built(&b);
}

static json_t *work_json(const gb_work *work)
{
    builder b = build();
    for (size_t i = 0; i < GB_WORK_FIELDS; i++) {
        put(&b, gb_work_fields[i].name, whole_number(gb_work_field(work, &gb_work_fields[i])));
    }
    put(&b, "ceiling", gb_json_string(gb_ceiling_words[work->ceiling]));
    put(&b, "compute", gb_json_string(gb_compute_word(work->compute)));
    return built(&b);
}

static json_t *metrics_json(const gb_record *record)
{
    builder all = build();
    for (size_t i = 0; i < record->n_metrics; i++) {
        const gb_metric *m = &record->metrics[i];
        builder b = build();
        put(&b, "value", gb_json_real(m->value));
        put(&b, "unit", gb_json_string(m->unit));
        put(&b, "better", gb_json_string(m->higher_is_better ? "higher" : "lower"));
        put(&b, "peak", gb_json_real(m->peak > 0 ? m->peak : NAN));
        if (!isfinite(m->value)) {
            put(&b, "reason", gb_json_string(m->reason[0] ? m->reason : "not measured"));
        }
        put(&all, m->name, built(&b));
    }
    return built(&all);
}

static json_t *flags_json(uint32_t flags)
{
    json_t *array = json_array();
    for (unsigned i = 0; array && i < GB_FLAG_COUNT; i++) {
        if ((flags & GB_BIT(i)) &&
            json_array_append_new(array, json_string(gb_flag_word((gb_flag)i))) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *tristate(int value)
{
    return value < 0 ? json_null() : json_boolean(value);
}

json_t *gb_record_json(const gb_record *r, bool samples)
{
    builder b = build();
    put(&b, "run_id", text_or_null(r->run_id));
    put(&b, "started", text_or_null(r->started));
    put(&b, "case", gb_json_string(r->case_id ? r->case_id : ""));
    put(&b, "benchmark", gb_json_string(r->benchmark ? r->benchmark : ""));
    put(&b, "kernel", gb_json_string(r->kernel ? r->kernel : ""));
    put(&b, "params", shared(r->params, json_object));
    put(&b, "definition", text_or_null(r->definition));
    put(&b, "device", json_integer(r->device));
    put(&b, "replicate", json_integer(r->replicate));
    put(&b, "index", json_integer(r->index));
    put(&b, "order", json_integer(r->order));
    put(&b, "status", gb_json_string(gb_status_word(r->status)));
    put(&b, "reason_code", gb_json_string(r->reason_code));
    put(&b, "reason", gb_json_string(r->reason));
    put(&b, "verified", tristate(r->verified));
    put(&b, "timer", gb_json_string(gb_timer_word(r->timer)));
    put(&b, "cache", gb_json_string(gb_cache_word(r->cache)));
    put(&b, "gated", json_boolean(r->gated));
    put(&b, "iterations_per_sample", whole_number(r->iterations_per_sample));
    put(&b, "resolution_ns", gb_json_real(r->resolution_ns));
    put(&b, "first_call_ns", gb_json_real(r->first_call_ns));
    put(&b, "work", work_json(&r->work));
    put(&b, "time_ns", time_json(r));
    put(&b, "metrics", metrics_json(r));
    put(&b, "flags", flags_json(r->flags));
    put(&b, "parts_ns", shared(r->parts_ns, json_null));
    if (json_array_size(r->parts_after) > 0) {
        put(&b, "parts_after", shared(r->parts_after, json_null));
    }
    put(&b, "phases_ns", shared(r->phases_ns, json_null));
    put(&b, "telemetry", shared(r->telemetry, json_null));
    if (samples) {
        put(&b, "samples_ns", reals(r->samples_ns, r->n_samples));
    }
    return built(&b);
}
