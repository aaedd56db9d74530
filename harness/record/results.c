/* Reading a run directory. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "record/internal.h"

void gb_head_free(gb_head *head)
{
    json_decref(head->tool);
    json_decref(head->run);
    json_decref(head->suite);
    json_decref(head->host);
    json_decref(head->devices);
    json_decref(head->extra);
    *head = (gb_head){0};
}

void gb_results_free(gb_results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        gb_record_free(&results->records[i]);
    }
    free(results->records);
    json_decref(results->document);
    free(results->hardware_fault);
    free(results->path);
    *results = (gb_results){0};
}

/* "gpubench-results/N" with N up to ours. */
static gb_code check_schema(const char *file, const json_t *document, gb_error *err)
{
    static const char prefix[] = "gpubench-results/";
    const char *schema = json_string_value(json_object_get(document, "schema"));
    if (!schema || strncmp(schema, prefix, sizeof prefix - 1) != 0) {
        return gb_fail_at(err, GB_INVALID, file, 0, 0,
                          "not a results file of gpubench: 'schema' is not \"%s\"",
                          GB_RESULTS_SCHEMA);
    }
    const char *digits = schema + sizeof prefix - 1;
    char *end = NULL;
    unsigned long version = isdigit((unsigned char)*digits) ? strtoul(digits, &end, 10) : 0;
    if (!end || *end != '\0' || version == 0) {
        return gb_fail_at(err, GB_INVALID, file, 0, 0, "'%.64s' is no results format; this is %s",
                          schema, GB_RESULTS_SCHEMA);
    }
    if (version > GB_RESULTS_FORMAT) {
        return gb_fail_at(
            err, GB_INVALID, file, 0, 0,
            "written in results format %lu; this gpubench reads formats up to %d: use "
            "a newer one",
            version, GB_RESULTS_FORMAT);
    }
    return GB_OK;
}

static gb_code check_head(const char *file, const json_t *document, gb_error *err)
{
    static const char *const objects[] = {"tool", "run", "suite", "host"};
    if (!json_is_object(document)) {
        return gb_fail_at(err, GB_INVALID, file, 0, 0, "expected an object");
    }
    gb_code code = check_schema(file, document, err);
    if (code != GB_OK) {
        return code;
    }
    if (!json_is_array(json_object_get(document, "records"))) {
        return gb_fail_at(err, GB_INVALID, file, 0, 0, "records: expected an array");
    }
    for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
        const json_t *value = json_object_get(document, objects[i]);
        if (value && !json_is_object(value)) {
            return gb_fail_at(err, GB_INVALID, file, 0, 0, "%s: expected an object", objects[i]);
        }
    }
    const json_t *devices = json_object_get(document, "devices");
    if (devices && !json_is_array(devices)) {
        return gb_fail_at(err, GB_INVALID, file, 0, 0, "devices: expected an array");
    }
    for (size_t i = 0; i < json_array_size(devices); i++) {
        if (!json_is_object(json_array_get(devices, i))) {
            return gb_fail_at(err, GB_INVALID, file, 0, 0, "devices[%zu]: expected an object", i);
        }
    }
    if (!json_is_boolean(json_object_get(document, "complete"))) {
        return gb_fail_at(err, GB_INVALID, file, 0, 0, "complete: expected true or false");
    }
    return GB_OK;
}

static gb_code check_unique(const char *file, const gb_results *results, gb_error *err)
{
    gb_code code = GB_OK;
    json_t *index = json_object();
    for (size_t i = 0; code == GB_OK && i < results->n; i++) {
        const gb_record *r = &results->records[i];
        size_t before;
        if (gb_index_find(index, r->device, r->case_id, r->replicate, &before)) {
            code =
                gb_fail_at(err, GB_INVALID, file, 0, 0,
                           "records[%zu] and records[%zu] are both '%s', device %d, replicate %u",
                           before, i, r->case_id, r->device, (unsigned)r->replicate);
        } else {
            code = gb_index_put(index, r, i, err);
        }
    }
    json_decref(index);
    return code;
}

/* Reads one record and puts it at the end. */
static gb_code add_record(const char *file, const json_t *json, gb_results *out, size_t *capacity,
                          gb_error *err)
{
    if (out->n == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 64;
        gb_record *records = realloc(out->records, more * sizeof records[0]);
        if (!records) {
            return gb_fail(err, GB_NO_MEMORY, "out of memory for %zu records", more);
        }
        out->records = records;
        *capacity = more;
    }
    char path[48];
    snprintf(path, sizeof path, "records[%zu]", out->n);
    gb_error why;
    gb_code code = gb_record_from_json(json, path, &out->records[out->n], &why);
    if (code != GB_OK) {
        return gb_fail_at(err, code, file, 0, 0, "%s", why.message);
    }
    out->n++;
    return GB_OK;
}

/* The document without its records. *torn: the text is no JSON, or not as gpubench lays it out. */
static gb_code parse_split(const char *file, const char *bytes, size_t n, gb_results *out,
                           bool *torn, gb_error *err)
{
    size_t open = gb_split_find(bytes, n), at = open, capacity = 0;
    gb_code code = GB_OK;
    gb_buf head = {0};
    json_t *json = NULL;
    *torn = open == 0;
    while (code == GB_OK && !*torn && (json = gb_split_next(bytes, n, &at, out->n == 0))) {
        code = add_record(file, json, out, &capacity, err);
        json_decref(json);
    }
    *torn = *torn || (code == GB_OK && (at >= n || bytes[at] != ']'));
    if (code != GB_OK || *torn) {
        return code;
    }
    gb_buf_add_bytes(&head, bytes, open);
    gb_buf_add_bytes(&head, bytes + at, n - at);
    if (head.failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    } else {
        *torn = gb_json_load(head.data, head.length, file, &out->document, NULL) != GB_OK;
    }
    gb_buf_free(&head);
    return code;
}

/* The document as one tree: slower, with the line and column of what is wrong. */
static gb_code parse_whole(const char *file, const char *bytes, size_t n, gb_results *out,
                           gb_error *err)
{
    size_t i, capacity = 0;
    json_t *json;
    gb_code code = gb_json_load(bytes, n, file, &out->document, err);
    const json_t *records = json_object_get(out->document, "records");
    json_array_foreach(records, i, json)
    {
        if (code == GB_OK) {
            code = add_record(file, json, out, &capacity, err);
        }
    }
    return code;
}

gb_code gb_results_parse(const char *file, const char *bytes, size_t n, gb_results *out,
                         gb_error *err)
{
    bool torn;
    *out = (gb_results){0};
    gb_code code = parse_split(file, bytes, n, out, &torn, err);
    if (torn) {
        gb_results_free(out);
        code = parse_whole(file, bytes, n, out, err);
    }
    if (code != GB_OK && !out->document) {
        /* A record that cannot be read, but perhaps in a format of tomorrow: that comes first. */
        gb_json_load(bytes, n, file, &out->document, NULL);
    }
    gb_code head = out->document ? check_head(file, out->document, err) : code;
    code = head != GB_OK ? head : code;
    if (code == GB_OK) {
        code = check_unique(file, out, err);
    }
    if (code == GB_OK) {
        json_object_del(out->document, "records");
        out->complete = json_is_true(json_object_get(out->document, "complete"));
    } else {
        gb_results_free(out);
    }
    return code;
}

/* The directory in which a results file stands; the caller frees. */
static char *parent_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *dir = gb_text_copy(slash ? path : ".");
    if (dir && slash) {
        dir[slash == path ? 1 : slash - path] = '\0';
    }
    return dir;
}

/* Reads DIR/cases.jsonl. *found is false, and the result GB_OK, when there is none. */
static gb_code load_lines(const char *dir, bool samples, gb_results *out, bool *found,
                          gb_error *err)
{
    struct stat st;
    FILE *stream = NULL;
    uint64_t whole;
    char *file = gb_path_join(dir, "cases.jsonl");
    gb_code code = file ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    *found = file && (stat(file, &st) == 0 || errno != ENOENT);
    if (code == GB_OK && *found) {
        code = gb_file_open(file, &stream, err);
    }
    if (stream) {
        code = gb_lines_read(stream, file, samples, out, &whole, err);
        fclose(stream);
    }
    free(file);
    return code;
}

/* Gives the records of `out` the samples that the lines hold. */
static gb_code take_samples(gb_results *out, gb_results *lines, gb_error *err)
{
    json_t *index = gb_index_make(lines->records, lines->n, err);
    for (size_t i = 0; index && i < out->n; i++) {
        gb_record *r = &out->records[i];
        size_t place;
        if (gb_index_find(index, r->device, r->case_id, r->replicate, &place)) {
            gb_record *from = &lines->records[place];
            free(r->samples_ns);
            r->samples_ns = from->samples_ns;
            r->n_samples = from->n_samples;
            from->samples_ns = NULL;
            from->n_samples = 0;
        }
    }
    json_decref(index);
    return index ? GB_OK : GB_NO_MEMORY;
}

/* What cases.jsonl adds to the document: all records when that is not complete, or the samples. */
static gb_code add_lines(const char *dir, bool had_document, bool samples, gb_results *out,
                         gb_error *err)
{
    gb_results lines = {0};
    bool found;
    gb_code code = load_lines(dir, samples, &lines, &found, err);
    if (code != GB_OK) {
        goto done;
    }
    if (!found && (samples || !had_document)) {
        code =
            gb_fail_at(err, GB_IO, dir, 0, 0,
                       had_document ? "no cases.jsonl beside the results: the samples are missing"
                                    : "no run directory: neither results.json nor cases.jsonl");
    } else if (found && out->complete) {
        code = take_samples(out, &lines, err);
    } else if (found) {
        json_t *document = out->document;
        out->document = NULL;
        gb_results_free(out);
        *out = lines;
        out->document = document;
        lines = (gb_results){0};
        gb_records_sort(out->records, out->n);
    }
done:
    gb_results_free(&lines);
    return code;
}

static gb_code load_document(const char *file, gb_results *out, gb_error *err)
{
    char *bytes = NULL;
    size_t n = 0;
    gb_code code = gb_file_read(file, &bytes, &n, err);
    if (code == GB_OK) {
        code = gb_results_parse(file, bytes, n, out, err);
    }
    free(bytes);
    return code;
}

/* The run directory that a path means, and the document to read: a directory and its results.json;
 * a JSON file and where it lies; any other file (report.html, cases.jsonl) stands for the directory
 * that it is in. The caller frees both, also after an error. */
static gb_code locate(const char *path, char **dir, char **file, gb_error *err)
{
    struct stat st;
    *dir = *file = NULL;
    if (stat(path, &st) != 0) {
        return gb_fail_at(err, GB_IO, path, 0, 0, "%s", strerror(errno));
    }
    const size_t n = strlen(path);
    const bool document =
        !S_ISDIR(st.st_mode) && !(S_ISREG(st.st_mode) && (n < 5 || strcmp(path + n - 5, ".json")));
    *dir = S_ISDIR(st.st_mode) ? gb_text_copy(path) : parent_of(path);
    *file = document ? gb_text_copy(path) : *dir ? gb_path_join(*dir, "results.json") : NULL;
    char *lines = *dir ? gb_path_join(*dir, "cases.jsonl") : NULL;
    gb_code code = lines && *file ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    if (code == GB_OK && S_ISREG(st.st_mode) && !document && access(*file, F_OK) != 0 &&
        access(lines, F_OK) != 0) {
        code = gb_fail_at(err, GB_INVALID, path, 0, 0,
                          "neither a results.json nor a file of a run directory");
    }
    free(lines);
    return code;
}

gb_code gb_results_load(const char *path, bool samples, gb_results *out, gb_error *err)
{
    *out = (gb_results){0};
    struct stat st;
    char *dir, *file;
    gb_code code = locate(path, &dir, &file, err);
    if (code != GB_OK) {
        goto done;
    }
    bool had_document = stat(file, &st) == 0 || errno != ENOENT;
    if (had_document) {
        code = load_document(file, out, err);
    } else if (!(out->document = json_object())) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    if (code == GB_OK && (samples || !out->complete)) {
        code = add_lines(dir, had_document, samples, out, err);
    }
    if (code == GB_OK) {
        code = gb_results_find_fault(out, err);
    }
    out->path = dir;
    dir = NULL;
done:
    free(dir);
    free(file);
    if (code != GB_OK) {
        gb_results_free(out);
    }
    return code;
}

gb_code gb_results_load_lines(const char *path, gb_results *out, gb_error *err)
{
    bool found = false;
    char *dir, *file;
    gb_code code = locate(path, &dir, &file, err);
    if (code == GB_OK) {
        code = load_lines(dir, true, out, &found, err);
    }
    if (code == GB_OK && !found) {
        code = gb_fail_at(err, GB_IO, dir, 0, 0,
                          "no cases.jsonl beside the results: the samples are missing");
    }
    free(dir);
    free(file);
    return code;
}

gb_code gb_results_rescue(const char *path, gb_results *out, gb_error *err)
{
    char *bytes = NULL, *dir, *file;
    size_t n = 0;
    json_t *whole = NULL;
    *out = (gb_results){0};
    gb_code code = locate(path, &dir, &file, err);
    if (code == GB_OK) {
        code = gb_file_read(file, &bytes, &n, err);
    }
    if (code == GB_OK && gb_json_load(bytes, n, file, &whole, NULL) == GB_OK) {
        code = gb_fail_at(err, GB_INVALID, file, 0, 0, "is whole");
    }
    if (code == GB_OK) {
        code = gb_results_load_lines(path, out, err);
    }
    if (code == GB_OK) {
        out->damaged = true;
        out->document = json_object();
        out->path = dir;
        dir = NULL;
        gb_records_sort(out->records, out->n);
        code = out->document ? gb_results_find_fault(out, err) : GB_NO_MEMORY;
    }
    json_decref(whole);
    free(bytes);
    free(dir);
    free(file);
    if (code != GB_OK) {
        gb_results_free(out);
    }
    return code;
}
