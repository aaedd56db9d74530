/* results.json and results.csv of a run directory, out of its cases.jsonl. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "record/internal.h"

/* The document without its records. New reference; NULL on out of memory. */
static json_t *head_json(const gb_head *head, bool complete, const char *hardware_fault)
{
    json_t *document = json_pack("{s:s,s:b,s:s?}", "schema", GB_RESULTS_SCHEMA, "complete",
                                 complete, "hardware_fault", hardware_fault);
    const struct {
        const char *key;
        json_t *value;
    } parts[] = {{"tool", head->tool},
                 {"run", head->run},
                 {"suite", head->suite},
                 {"host", head->host},
                 {"devices", head->devices}};
    bool failed = !document;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].value && json_object_set(document, parts[i].key, parts[i].value) != 0) {
            failed = true;
        }
    }
    if (head->extra && json_object_update_missing(document, head->extra) != 0) {
        failed = true;
    }
    if (failed) {
        json_decref(document);
        return NULL;
    }
    return document;
}

/* The document with one record a line: jansson writes each part, and a file of thousands of records
 * needs no tree of its own in memory. */
static gb_code write_document(FILE *stream, const json_t *head, const gb_record records[], size_t n,
                              gb_error *err)
{
    gb_code code = GB_OK;
    char *text = gb_json_line(head);
    if (!text) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for results.json");
    }
    text[strlen(text) - 1] = '\0'; /* the closing brace comes after the records */
    fprintf(stream, "%s,\"records\":[", text);
    free(text);
    for (size_t i = 0; i < n; i++) {
        json_t *json = gb_record_json(&records[i], false);
        text = json ? gb_json_line(json) : NULL;
        json_decref(json);
        if (!text) {
            code = gb_fail(err, GB_NO_MEMORY, "out of memory for results.json");
            break;
        }
        fprintf(stream, "%s\n%s", i > 0 ? "," : "", text);
        free(text);
    }
    fputs("\n]}\n", stream);
    return code;
}

static gb_code replace_document(const char *dir, const gb_head *head, bool complete,
                                const gb_results *results, gb_error *err)
{
    gb_replace file;
    json_t *json = head_json(head, complete, results->hardware_fault);
    if (!json) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for results.json");
    }
    gb_code code = gb_replace_begin(&file, dir, GB_DOCUMENT_NAME, err);
    if (code == GB_OK) {
        code = write_document(file.stream, json, results->records, results->n, err);
        code = gb_replace_end(&file, code, err);
    }
    json_decref(json);
    return code;
}

static gb_code replace_table(const char *dir, const gb_head *head, const gb_results *results,
                             gb_error *err)
{
    gb_replace file;
    char *text = gb_results_csv(head->devices, results->records, results->n);
    if (!text) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for results.csv");
    }
    gb_code code = gb_replace_begin(&file, dir, GB_TABLE_NAME, err);
    if (code == GB_OK) {
        fputs(text, file.stream);
        code = gb_replace_end(&file, GB_OK, err);
    }
    free(text);
    return code;
}

gb_code gb_results_write(const char *dir, const char *lines_path, const gb_head *head,
                         bool complete, bool table, gb_error *err)
{
    gb_results results = {0};
    FILE *stream = NULL;
    uint64_t whole;
    gb_code code = gb_file_open(lines_path, &stream, err);
    if (code == GB_OK) {
        code = gb_lines_read(stream, lines_path, false, &results, &whole, err);
        fclose(stream);
    }
    if (code == GB_OK) {
        gb_records_sort(results.records, results.n);
        if (table) {
            code = replace_table(dir, head, &results, err);
        }
    }
    if (code == GB_OK) { /* last: when it says complete, all is there */
        code = replace_document(dir, head, complete, &results, err);
    }
    gb_results_free(&results);
    return code;
}
