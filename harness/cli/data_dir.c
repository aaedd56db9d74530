#include "cli/data_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "kernels/base64.h"
#include "kernels/files.h"

typedef struct looking {
    uint8_t *decoded; /* room for the largest file */
    bool base64;
} looking;

static gb_code look(void *user, size_t index, const void *content, size_t n, gb_error *err)
{
    looking *l = user;
    size_t length, bad;
    (void)index;
    (void)err;
    l->base64 = l->base64 && gb_base64_decode(content, n, l->decoded, &length, &bad);
    return GB_OK;
}

static json_t *found(const char *dir, const gb_files *files, const gb_files_identity *identity,
                     bool base64)
{
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:s, s:b}", "dir", dir, "files",
                     (json_int_t)files->n, "bytes", (json_int_t)files->bytes, "largest_file",
                     (json_int_t)files->largest, "left_out", (json_int_t)files->left_out, "data",
                     (json_int_t)identity->number, "sha256", identity->sha256, "base64", base64);
}

gb_code gb_data_look(const char *dir, json_t **out, gb_error *err)
{
    gb_files files = {.fd = -1};
    gb_files_identity identity;
    looking l = {NULL, true};
    char *path = realpath(dir, NULL);
    *out = NULL;
    /* where there is nothing of that name, opening it says so */
    gb_code code = gb_files_open(path ? path : dir, &files, err);
    if (!code && (!path || !gb_utf8_valid(path, strlen(path), NULL)))
        code = gb_fail(err, GB_INVALID,
                       "--data-dir: the path is not UTF-8, which results could not hold");
    if (!code && !(l.decoded = malloc(files.largest + 1)))
        code = gb_fail(err, GB_NO_MEMORY, "no memory for the largest file");
    if (!code)
        code = gb_files_identify(&files, look, &l, &identity, err);
    if (!code && !(*out = found(path, &files, &identity, l.base64)))
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    free(l.decoded);
    gb_files_close(&files);
    free(path);
    return code;
}

static gb_code set(gb_suite *suite, const gb_benchmark *benchmark, const char *param,
                   const char *value, gb_error *err)
{
    if (gb_spec_param(benchmark->spec, param) < 0)
        return GB_OK;
    char *text = gb_text_format("%s.%s=%s", benchmark->name, param, value);
    gb_code code =
        text ? gb_suite_override(suite, text, err) : gb_fail(err, GB_NO_MEMORY, "out of memory");
    free(text);
    return code;
}

static gb_code set_number(gb_suite *suite, const gb_benchmark *benchmark, const char *param,
                          const json_t *data, const char *unit, gb_error *err)
{
    char number[48];
    snprintf(number, sizeof number, "%lld%s",
             (long long)json_integer_value(json_object_get(data, param)), unit);
    return set(suite, benchmark, param, number, err);
}

gb_code gb_data_apply(const json_t *data, gb_suite *suite, gb_error *err)
{
    gb_code code = GB_OK;
    size_t n = 0;
    for (size_t i = 0; !code && i < suite->n_benchmarks; i++) {
        const gb_benchmark *benchmark = &suite->benchmarks[i];
        if (gb_spec_param(benchmark->spec, "data") < 0)
            continue;
        n++;
        /* `data` first: it makes any number and size of files valid */
        code = set_number(suite, benchmark, "data", data, "", err);
        if (!code)
            code = set_number(suite, benchmark, "files", data, "", err);
        if (!code)
            code = set_number(suite, benchmark, "bytes", data, " B", err);
        if (!code)
            code = set_number(suite, benchmark, "largest_file", data, " B", err);
        if (!code && json_is_false(json_object_get(data, "base64")))
            code = set(suite, benchmark, "decode", "none", err);
    }
    if (!code && n == 0)
        code = gb_fail(err, GB_INVALID,
                       "--data-dir: no benchmark of this suite reads files; those of the kernel "
                       "pipeline do (suites/pipeline.yaml)");
    return code;
}

const char *gb_data_dir(const json_t *data)
{
    return json_string_value(json_object_get(data, "dir"));
}

char *gb_data_text(const json_t *data)
{
    char bytes[32], left_out[64] = "";
    const json_int_t n = json_integer_value(json_object_get(data, "left_out"));
    if (n > 0)
        snprintf(left_out, sizeof left_out, " (left out: %lld folders or hidden files)",
                 (long long)n);
    gb_format_bytes((uint64_t)json_integer_value(json_object_get(data, "bytes")), bytes,
                    sizeof bytes);
    char *dir = gb_text_printable(gb_data_dir(data));
    char *text =
        dir ? gb_text_format("%s: %lld files, %s%s%s", dir,
                             (long long)json_integer_value(json_object_get(data, "files")), bytes,
                             left_out,
                             json_is_true(json_object_get(data, "base64"))
                                 ? ""
                                 : "; not all of them are base64: taken as they are (decode none)")
            : NULL;
    free(dir);
    return text;
}
