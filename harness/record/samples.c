/* The samples of a few cases, out of a cases.jsonl that may have thousands of lines. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "record/internal.h"

/* The cases' names as they stand in a line, quotes included; NULL on out of memory. */
static char **quoted_names(const char *const cases[], size_t n)
{
    char **names = calloc(n + 1, sizeof *names);
    for (size_t i = 0; names && i < n; i++) {
        json_t *text = json_string(cases[i]);
        names[i] = json_dumps(text, JSON_ENCODE_ANY);
        json_decref(text);
        if (!names[i]) {
            while (i-- > 0) {
                free(names[i]);
            }
            free(names);
            return NULL;
        }
    }
    return names;
}

/* The samples, most of a line, stand at its end: there is no name among them. */
static bool names_one(const char *line, size_t length, char *const names[], size_t n)
{
    static const char samples[] = "\"samples_ns\":";
    const char *end = memmem(line, length, samples, sizeof samples - 1);
    length = end ? (size_t)(end - line) : length;
    for (size_t i = 0; i < n; i++) {
        if (memmem(line, length, names[i], strlen(names[i]))) {
            return true;
        }
    }
    return false;
}

static bool wanted(const gb_record *record, const char *const cases[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(record->case_id, cases[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Takes *record over. */
static gb_code keep(gb_results *out, size_t *room, gb_record *record, gb_error *err)
{
    for (size_t i = 0; i < out->n; i++) {
        const gb_record *r = &out->records[i];
        if (r->device == record->device && r->replicate == record->replicate &&
            strcmp(r->case_id, record->case_id) == 0) {
            gb_record_free(&out->records[i]);
            out->records[i] = *record;
            return GB_OK;
        }
    }
    if (out->n == *room) {
        size_t more = *room ? 2 * *room : 16;
        gb_record *records = realloc(out->records, more * sizeof records[0]);
        if (!records) {
            gb_record_free(record);
            return gb_fail(err, GB_NO_MEMORY, "out of memory for %zu records", more);
        }
        out->records = records;
        *room = more;
    }
    out->records[out->n++] = *record;
    return GB_OK;
}

static gb_code parse_line(const char *line, size_t n, const char *file, int number, gb_record *out,
                          gb_error *err)
{
    json_t *json = NULL;
    gb_error why = {0};
    gb_code code = gb_json_load(line, n, file, &json, &why);
    if (code == GB_OK) {
        code = gb_record_from_json(json, "record", out, &why);
    }
    json_decref(json);
    if (code != GB_OK) {
        gb_fail_at(err, code, file, number, 1, "%s", why.message);
    }
    return code;
}

static gb_code read_cases(FILE *stream, const char *file, const char *const cases[],
                          char *const names[], size_t n, gb_results *out, gb_error *err)
{
    gb_code code = GB_OK;
    char *line = NULL;
    size_t capacity = 0, room = 0;
    ssize_t length;
    for (int number = 1; code == GB_OK && (length = getline(&line, &capacity, stream)) > 0;
         number++) {
        gb_record record;
        if (!names_one(line, (size_t)length, names, n)) {
            continue;
        }
        code = parse_line(line, (size_t)length, file, number, &record, err);
        if (code == GB_INVALID && line[length - 1] != '\n') {
            code = GB_OK; /* torn: the writer was killed in the middle of it */
            break;
        }
        if (code == GB_OK && wanted(&record, cases, n)) {
            code = keep(out, &room, &record, err);
        } else if (code == GB_OK) {
            gb_record_free(&record);
        }
    }
    if (code == GB_OK && ferror(stream)) {
        code = gb_fail_at(err, GB_IO, file, 0, 0, "%s", strerror(errno));
    }
    free(line);
    return code;
}

gb_code gb_results_load_cases(const char *dir, const char *const cases[], size_t n, gb_results *out,
                              gb_error *err)
{
    FILE *stream = NULL;
    *out = (gb_results){0};
    char *file = gb_path_join(dir, "cases.jsonl");
    char **names = quoted_names(cases, n);
    gb_code code =
        file && names ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for the samples");
    if (code == GB_OK) {
        code = gb_file_open(file, &stream, err);
    }
    if (code == GB_OK) {
        code = read_cases(stream, file, cases, names, n, out, err);
        fclose(stream);
    }
    for (size_t i = 0; names && i < n; i++) {
        free(names[i]);
    }
    free(names);
    free(file);
    if (code != GB_OK) {
        gb_results_free(out);
    }
    return code;
}
