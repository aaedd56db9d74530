#include "base/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/c_locale.h"
#include "base/text.h"

json_t *gb_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *gb_json_string(const char *text)
{
    if (!text) {
        return json_null();
    }
    if (gb_utf8_valid(text, strlen(text), NULL)) {
        return json_string(text);
    }
    char *escaped = gb_text_escape_invalid(text);
    json_t *string = escaped ? json_string(escaped) : NULL;
    free(escaped);
    return string;
}

static const char *type_word(const json_t *json)
{
    if (!json) {
        return "nothing";
    }
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a real number";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    case JSON_NULL:
        return "null";
    }
    return "something else";
}

static gb_code wrong_type(const json_t *value, const char *path, const char *key,
                          const char *wanted, gb_error *err)
{
    return gb_fail(err, GB_INVALID, "%s.%s: expected %s, got %s", path, key, wanted,
                   type_word(value));
}

gb_code gb_json_get_real(const json_t *object, const char *key, const char *path, double *out,
                         gb_error *err)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_null(value)) {
        *out = NAN;
    } else if (json_is_number(value)) {
        *out = json_number_value(value);
    } else {
        return wrong_type(value, path, key, "a number or null", err);
    }
    return GB_OK;
}

gb_code gb_json_get_u64(const json_t *object, const char *key, const char *path, uint64_t *out,
                        gb_error *err)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_integer(value)) {
        return wrong_type(value, path, key, "a whole number", err);
    }
    json_int_t number = json_integer_value(value);
    if (number < 0) {
        return gb_fail(err, GB_INVALID, "%s.%s: expected a whole number from 0, got %lld", path,
                       key, (long long)number);
    }
    *out = (uint64_t)number;
    return GB_OK;
}

gb_code gb_json_get_string(const json_t *object, const char *key, const char *path, bool optional,
                           const char **out, gb_error *err)
{
    const json_t *value = json_object_get(object, key);
    if (json_is_string(value)) {
        *out = json_string_value(value);
    } else if (optional && (!value || json_is_null(value))) {
        *out = NULL;
    } else {
        return wrong_type(value, path, key, optional ? "a string or null" : "a string", err);
    }
    return GB_OK;
}

gb_code gb_json_set(json_t *object, const char *key, json_t *value, gb_error *err)
{
    if (json_object_set_new(object, key, value) != 0) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for JSON key '%s'", key);
    }
    return GB_OK;
}

char *gb_json_line(const json_t *json)
{
    gb_c_locale scope;
    gb_c_locale_enter(&scope);
    char *line = json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    gb_c_locale_leave(&scope);
    return line;
}

gb_code gb_json_load(const char *text, size_t n, const char *file, json_t **out, gb_error *err)
{
    gb_c_locale scope;
    json_error_t why;
    gb_c_locale_enter(&scope);
    json_t *json = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
    gb_c_locale_leave(&scope);
    if (!json && why.text[0] == '\0') { /* jansson finds no words for this */
        return gb_fail_at(err, GB_NO_MEMORY, file, 0, 0, "out of memory for JSON");
    }
    if (!json) {
        return gb_fail_at(err, GB_INVALID, file, why.line > 0 ? why.line : 0,
                          why.column > 0 ? why.column : 0, "not valid JSON: %s", why.text);
    }
    *out = json;
    return GB_OK;
}
