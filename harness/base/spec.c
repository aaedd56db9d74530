#include "base/spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"

static const char *const kind_words[GB_DEVICE_KINDS] = {[GB_CPU] = "cpu", [GB_CUDA] = "cuda"};
static const char *const timer_words[GB_TIMERS] = {
    [GB_TIMER_DEVICE] = "device", [GB_TIMER_ROUNDTRIP] = "roundtrip", [GB_TIMER_CALL] = "call"};
static const char *const cache_words[GB_CACHES] = {
    [GB_CACHE_WARM] = "warm", [GB_CACHE_COLD] = "cold"};
static const char *const compute_words[GB_COMPUTES] = {[GB_COMPUTE_NONE] = "none",
                                                       [GB_COMPUTE_FP64] = "fp64",
                                                       [GB_COMPUTE_FP32] = "fp32",
                                                       [GB_COMPUTE_FP16] = "fp16",
                                                       [GB_COMPUTE_BF16] = "bf16",
                                                       [GB_COMPUTE_INT32] = "int32",
                                                       [GB_COMPUTE_SPECIAL] = "special",
                                                       [GB_COMPUTE_FP64_TENSOR] = "fp64-tensor",
                                                       [GB_COMPUTE_TF32_TENSOR] = "tf32-tensor",
                                                       [GB_COMPUTE_FP16_TENSOR] = "fp16-tensor",
                                                       [GB_COMPUTE_BF16_TENSOR] = "bf16-tensor"};

static const char *word_of(const char *const words[], size_t n, size_t i)
{
    return i < n ? words[i] : "unknown";
}

/* -1: not among them. */
static int index_of(const char *const words[], size_t n, const char *word)
{
    for (size_t i = 0; word && i < n; i++) {
        if (strcmp(words[i], word) == 0)
            return (int)i;
    }
    return -1;
}

const char *gb_device_kind_word(gb_device_kind kind)
{
    return word_of(kind_words, GB_DEVICE_KINDS, (size_t)kind);
}

bool gb_device_kind_parse(const char *word, gb_device_kind *out)
{
    const int i = index_of(kind_words, GB_DEVICE_KINDS, word);
    if (i >= 0)
        *out = (gb_device_kind)i;
    return i >= 0;
}

const char *gb_timer_word(gb_timer timer)
{
    return word_of(timer_words, GB_TIMERS, (size_t)timer);
}

bool gb_timer_parse(const char *word, gb_timer *out)
{
    const int i = index_of(timer_words, GB_TIMERS, word);
    if (i >= 0)
        *out = (gb_timer)i;
    return i >= 0;
}

const char *gb_cache_word(gb_cache cache)
{
    return word_of(cache_words, GB_CACHES, (size_t)cache);
}

bool gb_cache_parse(const char *word, gb_cache *out)
{
    const int i = index_of(cache_words, GB_CACHES, word);
    if (i >= 0)
        *out = (gb_cache)i;
    return i >= 0;
}

const char *gb_compute_word(gb_compute compute)
{
    return word_of(compute_words, GB_COMPUTES, (size_t)compute);
}

bool gb_compute_parse(const char *word, gb_compute *out)
{
    const int i = index_of(compute_words, GB_COMPUTES, word);
    if (i >= 0)
        *out = (gb_compute)i;
    return i >= 0;
}

const gb_kernel_spec *gb_catalog_find(const gb_catalog *catalog, const char *name)
{
    for (size_t i = 0; i < catalog->n; i++) {
        if (strcmp(catalog->specs[i]->name, name) == 0) {
            return catalog->specs[i];
        }
    }
    return NULL;
}

gb_timer gb_spec_timer(const gb_kernel_spec *spec, const gb_value args[], gb_timer chosen)
{
    return spec->timer_of != NULL ? spec->timer_of(args) : chosen;
}

int gb_spec_param(const gb_kernel_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_params; i++) {
        if (strcmp(spec->params[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int gb_spec_metric(const gb_kernel_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_metrics; i++) {
        if (strcmp(spec->metrics[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int gb_spec_first_after(const gb_kernel_spec *spec)
{
    int n = 0;
    while (spec->parts != NULL && spec->parts[n] != NULL)
        n++;
    return n - (int)spec->parts_after;
}

const gb_metric_spec *gb_spec_metric_at(const gb_kernel_spec *spec, int metric)
{
    static const gb_metric_spec time = {.name = "time",
                                        .unit = "ns",
                                        .summary = "time of one iteration",
                                        .numerator = GB_PER_NOTHING,
                                        .part = GB_WHOLE};
    return metric < 0 ? &time : &spec->metrics[metric];
}

double gb_work_count(const gb_work *work, gb_numerator which)
{
    switch (which) {
    case GB_PER_BYTES_MOVED:
        return (double)work->bytes_moved;
    case GB_PER_BYTES_READ:
        return (double)work->bytes_read;
    case GB_PER_BYTES_WRITTEN:
        return (double)work->bytes_written;
    case GB_PER_BYTES_SECTORS:
        return (double)(work->bytes_sectors ? work->bytes_sectors : work->bytes_moved);
    case GB_PER_FLOPS:
        return (double)work->flops;
    case GB_PER_ITEMS:
    case GB_NS_PER_ITEM:
        return (double)work->items;
    case GB_PER_NOTHING:
    case GB_LEVEL:
    case GB_PART_SHARE:
        break;
    }
    return (double)NAN;
}

bool gb_spec_has_metric(const gb_kernel_spec *spec, const gb_value args[], gb_device_kind kind,
                        gb_timer timer, int metric)
{
    const gb_metric_spec *m = gb_spec_metric_at(spec, metric);
    if (m->part >= 0 && spec->has_part != NULL && !spec->has_part(args, timer, m->part))
        return false;
    if (m->numerator == GB_PER_NOTHING || m->numerator == GB_LEVEL || m->numerator == GB_PART_SHARE)
        return true;
    gb_work work = {0};
    if (spec->work == NULL)
        return true;
    spec->work(args, kind, &work);
    return gb_work_count(&work, m->numerator) > 0;
}

const char *gb_value_text(const gb_param *param, gb_value value, char *buf, size_t size)
{
    if (param->kind == GB_PARAM_WORD) {
        snprintf(buf, size, "%s", value.word ? value.word : "");
    } else {
        snprintf(buf, size, "%" PRIu64, value.number);
    }
    return buf;
}

json_t *gb_value_json(const gb_param *param, gb_value value)
{
    return param->kind == GB_PARAM_WORD ? gb_json_string(value.word)
                                        : json_integer((json_int_t)value.number);
}

static gb_code word_from_json(const gb_param *param, const json_t *json, gb_value *out,
                              gb_error *err)
{
    const char *word = json_string_value(json);
    gb_buf list = {0};
    for (const char *const *w = param->words; *w; w++) {
        if (word && strcmp(*w, word) == 0) {
            *out = (gb_value){.word = *w};
            gb_buf_free(&list);
            return GB_OK;
        }
        gb_buf_printf(&list, "%s%s", w == param->words ? "" : ", ", *w);
    }
    gb_code code = gb_fail(err, GB_INVALID, "%s: '%s' is not one of %s", param->name,
                           word ? word : "(not a string)",
                           list.data && !list.failed ? list.data : "its words");
    gb_buf_free(&list);
    return code;
}

gb_code gb_value_from_json(const gb_param *param, const json_t *json, gb_value *out, gb_error *err)
{
    if (param->kind == GB_PARAM_WORD) {
        return word_from_json(param, json, out, err);
    }
    if (!json_is_integer(json)) {
        return gb_fail(err, GB_INVALID, "%s: expected a whole number", param->name);
    }
    json_int_t number = json_integer_value(json);
    if (number < 0 || (uint64_t)number < param->min || (uint64_t)number > param->max) {
        return gb_fail(err, GB_INVALID, "%s: %lld is out of range: %" PRIu64 " to %" PRIu64,
                       param->name, (long long)number, param->min, param->max);
    }
    *out = (gb_value){.number = (uint64_t)number};
    return GB_OK;
}

json_t *gb_args_json(const gb_kernel_spec *spec, const gb_value args[])
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < spec->n_params; i++) {
        json_t *value = gb_value_json(&spec->params[i], args[i]);
        if (gb_json_set(object, spec->params[i].name, value, NULL) != GB_OK) {
            json_decref(object);
            object = NULL;
        }
    }
    return object;
}

gb_code gb_args_from_json(const gb_kernel_spec *spec, const json_t *object, gb_value args[],
                          gb_error *err)
{
    if (!json_is_object(object)) {
        return gb_fail(err, GB_INVALID, "arguments of kernel '%s': expected an object", spec->name);
    }
    for (size_t i = 0; i < spec->n_params; i++) {
        const json_t *value = json_object_get(object, spec->params[i].name);
        args[i] = spec->params[i].default_value;
        if (value) {
            gb_code code = gb_value_from_json(&spec->params[i], value, &args[i], err);
            if (code != GB_OK) {
                return code;
            }
        }
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        if (gb_spec_param(spec, key) < 0) {
            return gb_fail(err, GB_INVALID, "kernel '%s' has no parameter '%s'", spec->name, key);
        }
    }
    return GB_OK;
}

gb_code gb_mul_u64(uint64_t a, uint64_t b, uint64_t *out, gb_error *err)
{
    if (__builtin_mul_overflow(a, b, out)) {
        return gb_fail(err, GB_INVALID,
                       "%" PRIu64 " x %" PRIu64 " does not fit in 64 bits (at most "
                       "18446744073709551615)",
                       a, b);
    }
    return GB_OK;
}

gb_code gb_add_u64(uint64_t a, uint64_t b, uint64_t *out, gb_error *err)
{
    if (__builtin_add_overflow(a, b, out)) {
        return gb_fail(err, GB_INVALID,
                       "%" PRIu64 " + %" PRIu64 " does not fit in 64 bits (at most "
                       "18446744073709551615)",
                       a, b);
    }
    return GB_OK;
}

void gb_definition_hash(const gb_kernel_spec *spec, const gb_value args[], gb_timer timer,
                        gb_cache cache, bool gate, char hex[65])
{
    json_t *args_json = gb_args_json(spec, args);
    json_t *definition =
        json_pack("{s:s, s:I, s:o, s:s, s:s, s:b}", "kernel", spec->name, "version",
                  (json_int_t)spec->version, "args", args_json, "timer", gb_timer_word(timer),
                  "cache", gb_cache_word(cache), "gate", (int)gate);
    char *text = definition ? json_dumps(definition, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    hex[0] = '\0';
    if (text) {
        gb_sha256_hex(text, strlen(text), hex);
    }
    free(text);
    json_decref(definition);
}
