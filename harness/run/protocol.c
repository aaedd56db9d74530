#include "run/protocol.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"

static const char *const event_words[GB_EVENTS] = {"hello",  "case",   "phase",
                                                   "record", "failed", "done"};

static json_t *case_json(const gb_job_case *c)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:O, s:s, s:s, s:I, s:I, s:I, s:f, s:I, s:I, s:I}", "id",
                     c->id, "benchmark", c->benchmark, "kernel", c->kernel, "definition",
                     c->definition, "args", c->args, "timer", gb_timer_word(c->timer), "cache",
                     gb_cache_word(c->cache), "index", (json_int_t)c->index, "order",
                     (json_int_t)c->order, "seed", (json_int_t)(c->seed & INT64_MAX), "precision",
                     c->precision, "min_samples", (json_int_t)c->min_samples, "max_samples",
                     (json_int_t)c->max_samples, "warmup_ns", (json_int_t)c->warmup_ns);
}

json_t *gb_job_json(const gb_job *job)
{
    json_t *cases = json_array();
    for (size_t i = 0; cases && i < job->n; i++) {
        if (json_array_append_new(cases, case_json(&job->cases[i]))) {
            json_decref(cases);
            cases = NULL;
        }
    }
    if (!cases)
        return NULL;
    json_t *json = json_pack(
        "{s:i, s:s, s:i, s:i, s:b, s:b, s:I, s:I, s:o, s:o}", "protocol", GB_PROTOCOL, "device",
        gb_device_kind_word(job->kind), "device_index", job->device_index, "device_number",
        job->device_number, "gate", job->gate, "profile", job->profile, "replicate",
        (json_int_t)job->replicate, "budget_ns", (json_int_t)(job->budget_ns & INT64_MAX),
        "published", gb_peaks_json(&job->published), "cases", cases);
    /* Only where there is one, so that builds that know of none understand all other jobs. */
    if (json && job->data_dir &&
        json_object_set_new(json, "data_dir", json_string(job->data_dir))) {
        json_decref(json);
        json = NULL;
    }
    return json;
}

static gb_code case_load(const json_t *json, size_t at, gb_job_case *c, gb_error *err)
{
    json_error_t why;
    const char *timer, *cache;
    json_int_t index, order, seed, min, max, warmup;
    if (json_unpack_ex((json_t *)json, &why, JSON_STRICT,
                       "{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:I, s:I, s:I, s:F, s:I, s:I, s:I}",
                       "id", &c->id, "benchmark", &c->benchmark, "kernel", &c->kernel, "definition",
                       &c->definition, "args", &c->args, "timer", &timer, "cache", &cache, "index",
                       &index, "order", &order, "seed", &seed, "precision", &c->precision,
                       "min_samples", &min, "max_samples", &max, "warmup_ns", &warmup))
        return gb_fail(err, GB_INVALID, "job: case %zu: %s", at, why.text);
    if (!json_is_object(c->args) || !gb_timer_parse(timer, &c->timer) ||
        !gb_cache_parse(cache, &c->cache))
        return gb_fail(err, GB_INVALID, "job: case %zu: bad args, timer or cache", at);
    if (index < 0 || index > UINT32_MAX || order < 0 || order > UINT32_MAX || seed < 0 || min < 1 ||
        min > UINT32_MAX || max < min || max > UINT32_MAX || warmup < 0 || !(c->precision > 0))
        return gb_fail(err, GB_INVALID, "job: case %zu: a number is out of range", at);
    c->index = (uint32_t)index;
    c->order = (uint32_t)order;
    c->seed = (uint64_t)seed;
    c->min_samples = (uint32_t)min;
    c->max_samples = (uint32_t)max;
    c->warmup_ns = (uint64_t)warmup;
    return GB_OK;
}

gb_code gb_job_load(const char *text, size_t n, gb_job *out, gb_error *err)
{
    *out = (gb_job){0};
    gb_code code = gb_json_load(text, n, "job", &out->json, err);
    if (code)
        return code;
    int protocol, gate, profile;
    const char *device;
    json_t *cases, *published;
    json_int_t replicate, budget;
    json_error_t why;
    code = GB_INVALID;
    if (json_unpack_ex(out->json, &why, 0, "{s:i}", "protocol", &protocol)) {
        gb_fail(err, code, "job: %s", why.text);
        goto done;
    }
    if (protocol != GB_PROTOCOL) {
        gb_fail(err, code, "job: protocol %d, this worker speaks %d", protocol, GB_PROTOCOL);
        goto done;
    }
    if (json_unpack_ex(out->json, &why, JSON_STRICT,
                       "{s:i, s:s, s:i, s:i, s:b, s:b, s:I, s:I, s:o, s:o, s?s}", "protocol",
                       &protocol, "device", &device, "device_index", &out->device_index,
                       "device_number", &out->device_number, "gate", &gate, "profile", &profile,
                       "replicate", &replicate, "budget_ns", &budget, "published", &published,
                       "cases", &cases, "data_dir", &out->data_dir)) {
        gb_fail(err, code, "job: %s", why.text);
        goto done;
    }
    out->n = json_array_size(cases);
    if (!gb_device_kind_parse(device, &out->kind) || replicate < 0 || replicate > UINT32_MAX ||
        budget < 0 || out->device_index < 0 || out->device_number < 0 || out->n == 0) {
        gb_fail(err, code, "job: bad device, replicate or budget, or no case");
        goto done;
    }
    code = gb_peaks_load(published, &out->published, err);
    if (code)
        goto done;
    code = GB_INVALID;
    out->gate = gate != 0;
    out->profile = profile != 0;
    out->replicate = (uint32_t)replicate;
    out->budget_ns = (uint64_t)budget;
    out->cases = calloc(out->n, sizeof *out->cases);
    code = out->cases ? GB_OK : gb_fail(err, GB_NO_MEMORY, "job: out of memory");
    for (size_t i = 0; !code && i < out->n; i++)
        code = case_load(json_array_get(cases, i), i, &out->cases[i], err);
done:
    if (code)
        gb_job_free(out);
    return code;
}

void gb_job_free(gb_job *job)
{
    free(job->cases);
    json_decref(job->json);
    *job = (gb_job){0};
}

gb_code gb_event_write(int fd, const gb_event_line *event, gb_error *err)
{
    json_t *json = json_pack("{s:s}", "event", event_words[event->kind]);
    gb_code code = json ? GB_OK : gb_fail(err, GB_NO_MEMORY, "event: out of memory");
    char *line = NULL;
    if (!code && event->kind == GB_EVENT_HELLO)
        code = gb_json_set(json, "protocol", json_integer(GB_PROTOCOL), err);
    if (!code && (event->kind == GB_EVENT_CASE || event->kind == GB_EVENT_RECORD))
        code = gb_json_set(json, "index", json_integer((json_int_t)event->index), err);
    if (!code && event->kind == GB_EVENT_RECORD)
        code = gb_json_set(json, "record", gb_record_json(&event->record, true), err);
    if (!code && event->kind == GB_EVENT_FAILED)
        code = gb_json_set(json, "code", json_string(gb_code_word(event->code)), err);
    if (!code && (event->kind == GB_EVENT_FAILED || event->kind == GB_EVENT_PHASE ||
                  event->kind == GB_EVENT_HELLO))
        code = gb_json_set(json, "text", gb_json_string(event->text), err);
    if (!code) {
        line = gb_json_line(json);
        size_t n = line ? strlen(line) : 0;
        char *whole = line ? realloc(line, n + 2) : NULL;
        if (!whole) {
            code = gb_fail(err, GB_NO_MEMORY, "event: out of memory");
        } else {
            line = whole;
            memcpy(line + n, "\n", 2);
            code = gb_write_all(fd, line, n + 1, err);
        }
    }
    free(line);
    json_decref(json);
    return code;
}

static bool code_parse(const char *word, gb_code *out)
{
    for (int i = GB_OK; i <= (int)GB_INTERNAL; i++) {
        if (strcmp(word, gb_code_word((gb_code)i)) == 0) {
            *out = (gb_code)i;
            return true;
        }
    }
    return false;
}

/* The members that each kind has besides "event". */
static gb_code members_parse(json_t *json, gb_event_line *out, gb_error *err)
{
    const char *word, *text = "", *code = "ok";
    json_int_t index = 0;
    int protocol = GB_PROTOCOL, bad = 0;
    json_t *record = NULL;
    json_error_t why = {0};
    switch (out->kind) {
    case GB_EVENT_HELLO:
        bad = json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s:i, s:s}", "event", &word, "protocol",
                             &protocol, "text", &text);
        break;
    case GB_EVENT_CASE:
        bad =
            json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s:I}", "event", &word, "index", &index);
        break;
    case GB_EVENT_PHASE:
        bad = json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s:s}", "event", &word, "text", &text);
        break;
    case GB_EVENT_RECORD:
        bad = json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s:I, s:o}", "event", &word, "index",
                             &index, "record", &record);
        break;
    case GB_EVENT_FAILED:
        bad = json_unpack_ex(json, &why, JSON_STRICT, "{s:s, s:s, s:s}", "event", &word, "code",
                             &code, "text", &text);
        break;
    default:
        bad = json_unpack_ex(json, &why, JSON_STRICT, "{s:s}", "event", &word);
    }
    if (bad)
        return gb_fail(err, GB_INVALID, "event '%s': %s", event_words[out->kind], why.text);
    if (protocol != GB_PROTOCOL || index < 0 || !code_parse(code, &out->code))
        return gb_fail(err, GB_INVALID, "event '%s': a value is out of range",
                       event_words[out->kind]);
    out->index = (size_t)index;
    strncpy(out->text, text, sizeof out->text - 1);
    return record ? gb_record_from_json(record, "record", &out->record, err) : GB_OK;
}

gb_code gb_event_parse(const char *line, size_t n, gb_event_line *out, gb_error *err)
{
    json_t *json = NULL;
    memset(out, 0, sizeof *out);
    gb_code code = gb_json_load(line, n, "event", &json, err);
    if (code)
        return code;
    const char *word = json_string_value(json_object_get(json, "event"));
    int kind = 0;
    while (word && kind < GB_EVENTS && strcmp(word, event_words[kind]) != 0)
        kind++;
    if (!word || kind == GB_EVENTS) {
        code = gb_fail(err, GB_INVALID, "not an event");
    } else {
        out->kind = (gb_event_kind)kind;
        code = members_parse(json, out, err);
    }
    json_decref(json);
    return code;
}

uint64_t gb_record_measured_ns(const gb_record *record)
{
    double ns = json_number_value(json_object_get(record->phases_ns, "measure"));
    return ns > 0 && ns < 1e18 ? (uint64_t)ns : 0;
}
