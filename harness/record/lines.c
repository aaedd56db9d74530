/* cases.jsonl: one record a line, in the order in which they came to be. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "record/internal.h"

/* Puts *record (taken over) to the others: in the place of an earlier one of the same key, or at
 * the end. */
static gb_code add_record(gb_results *out, size_t *capacity, json_t *index, gb_record *record,
                          gb_error *err)
{
    size_t place;
    if (gb_index_find(index, record->device, record->case_id, record->replicate, &place)) {
        gb_record_free(&out->records[place]);
        out->records[place] = *record;
        return GB_OK;
    }
    gb_code code = GB_OK;
    if (out->n == *capacity) {
        size_t more = *capacity ? 2 * *capacity : 64;
        gb_record *records = realloc(out->records, more * sizeof records[0]);
        if (records) {
            out->records = records;
            *capacity = more;
        } else {
            code = gb_fail(err, GB_NO_MEMORY, "out of memory for %zu records", more);
        }
    }
    if (code == GB_OK) {
        code = gb_index_put(index, record, out->n, err);
    }
    if (code != GB_OK) {
        gb_record_free(record);
        return code;
    }
    out->records[out->n++] = *record;
    return GB_OK;
}

static gb_code read_line(const char *line, size_t n, const char *file, size_t number, bool samples,
                         gb_record *out, gb_error *err)
{
    json_t *json = NULL;
    gb_error why = {0};
    gb_code code = gb_json_load(line, n, file, &json, &why);
    if (code == GB_OK) {
        if (!samples && json_is_object(json)) {
            json_object_del(json, "samples_ns");
        }
        code = gb_record_from_json(json, "record", out, &why);
    }
    json_decref(json);
    if (code != GB_OK) {
        gb_fail_at(err, code, file, (int)number, why.column > 0 ? why.column : 1, "%s",
                   why.message);
    }
    return code;
}

gb_code gb_lines_read(FILE *stream, const char *file, bool samples, gb_results *out,
                      uint64_t *whole, gb_error *err)
{
    gb_code code = GB_OK;
    char *line = NULL;
    size_t room = 0, capacity = 0;
    ssize_t n;
    json_t *index = json_object();
    if (!index) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    *whole = 0;
    for (size_t number = 1; (n = getline(&line, &room, stream)) > 0; number++) {
        bool ended = line[n - 1] == '\n';
        gb_record record;
        gb_error why;
        code = read_line(line, (size_t)n, file, number, samples, &record, &why);
        if (code == GB_INVALID && !ended) {
            out->torn = true; /* the writer was killed in the middle of it */
            code = GB_OK;
            break;
        }
        if (code != GB_OK && err) {
            *err = why;
        }
        if (code == GB_OK) {
            code = gb_results_note_fault(out, &record, err);
            if (code != GB_OK) {
                gb_record_free(&record);
            }
        }
        if (code == GB_OK) {
            code = add_record(out, &capacity, index, &record, err);
        }
        if (code != GB_OK) {
            break;
        }
        *whole += ended ? (uint64_t)n : 0;
    }
    if (code == GB_OK && ferror(stream)) {
        code = gb_fail_at(err, GB_IO, file, 0, 0, "%s", strerror(errno));
    }
    json_decref(index);
    free(line);
    return code;
}

static int by_place(const void *a, const void *b)
{
    const gb_record *x = a, *y = b;
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    if (x->replicate != y->replicate) {
        return x->replicate < y->replicate ? -1 : 1;
    }
    return strcmp(x->case_id, y->case_id);
}

void gb_records_sort(gb_record records[], size_t n)
{
    if (n > 1) {
        qsort(records, n, sizeof records[0], by_place);
    }
}
