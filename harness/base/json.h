/* Helpers over jansson for values that may not exist. */
#ifndef GB_BASE_JSON_H
#define GB_BASE_JSON_H

#include <stdint.h>

#include <jansson.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A real, or null for NAN and infinities. New reference; NULL on out of memory. */
json_t *gb_json_real(double value);
/* A string, or null for NULL. Invalid UTF-8 is escaped. */
json_t *gb_json_string(const char *text);
/* Reads a number or null (-> NAN). GB_INVALID names `path` for any other type or a missing key. */
gb_code gb_json_get_real(const json_t *object, const char *key, const char *path, double *out,
                         gb_error *err);
gb_code gb_json_get_u64(const json_t *object, const char *key, const char *path, uint64_t *out,
                        gb_error *err);
/* Borrowed string, or NULL for null/missing when `optional`; GB_INVALID for other types. */
gb_code gb_json_get_string(const json_t *object, const char *key, const char *path, bool optional,
                           const char **out, gb_error *err);
/* Sets key to value and takes the reference, NULL value -> GB_NO_MEMORY. */
gb_code gb_json_set(json_t *object, const char *key, json_t *value, gb_error *err);
/* Compact one-line dump (flags JSON_COMPACT, real precision 17, ensured UTF-8); caller frees. */
char *gb_json_line(const json_t *json);
/* Strict load of a whole text: one document, no duplicate keys; errors have line and column. */
gb_code gb_json_load(const char *text, size_t n, const char *file, json_t **out, gb_error *err);

#ifdef __cplusplus
}
#endif
#endif
