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

/* What the folder decides. `data` first: it makes any number and size of files valid. */
static const struct {
    const char *param, *unit;
} decided[] = {{"data", ""}, {"files", ""}, {"bytes", " B"}, {"largest_file", " B"}};
#define DECIDED (sizeof decided / sizeof decided[0])

static gb_code allows(const gb_benchmark *benchmark, const char *set, gb_error *err)
{
    const size_t n = strlen(benchmark->name);
    if (gb_spec_param(benchmark->spec, "data") < 0 || strncmp(set, benchmark->name, n) != 0 ||
        set[n] != '.')
        return GB_OK;
    const char *param = set + n + 1;
    for (size_t i = 0; i < DECIDED; i++) {
        const size_t length = strlen(decided[i].param);
        if (strncmp(param, decided[i].param, length) == 0 && param[length] == '=')
            return gb_fail(err, GB_INVALID,
                           "--set %s.%s: with --data-dir the files in the folder decide that; "
                           "leave one of the two out",
                           benchmark->name, decided[i].param);
    }
    return GB_OK;
}

gb_code gb_data_allows(const gb_suite *suite, const char *const set[], size_t n, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; !code && i < n; i++)
        for (size_t k = 0; !code && k < suite->n_benchmarks; k++)
            code = allows(&suite->benchmarks[k], set[i], err);
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
        for (size_t k = 0; !code && k < DECIDED; k++)
            code = set_number(suite, benchmark, decided[k].param, data, decided[k].unit, err);
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
    char bytes[32], left_out[96] = "";
    const json_int_t n = json_integer_value(json_object_get(data, "left_out"));
    const json_int_t files = json_integer_value(json_object_get(data, "files"));
    if (n > 0)
        snprintf(left_out, sizeof left_out, " (left out: %lld that %s hidden or no regular file%s)",
                 (long long)n, n == 1 ? "is" : "are", n == 1 ? "" : "s");
    gb_format_bytes((uint64_t)json_integer_value(json_object_get(data, "bytes")), bytes,
                    sizeof bytes);
    char *dir = gb_text_printable(gb_data_dir(data));
    char *text =
        dir ? gb_text_format("%s: %lld file%s, %s%s%s", dir, (long long)files,
                             files == 1 ? "" : "s", bytes, left_out,
                             json_is_true(json_object_get(data, "base64"))
                                 ? ""
                                 : "; not all of them are base64: taken as they are (decode none)")
            : NULL;
    free(dir);
    return text;
}
