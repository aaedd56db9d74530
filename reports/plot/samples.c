#include "reports/plot/samples.h"

#include <stdlib.h>
#include <string.h>

/* The run that a device is of: several runs may have been brought together. */
static size_t run_of(const gb_results *results, int device)
{
    const json_t *at =
        json_array_get(json_object_get(results->document, "devices"), (size_t)device);
    return (size_t)json_integer_value(json_object_get(at, "run"));
}

/* A device's index in its own run, where counting began at 0. */
static int own_index(const gb_results *results, int device)
{
    int first = device;
    while (first > 0 && run_of(results, first - 1) == run_of(results, device)) {
        first--;
    }
    return device - first;
}

/* Where a run's files are: the runs of merged results know it by "path" or by what people call
 * them, which is their directory. */
static const char *path_of(const gb_results *results, size_t run)
{
    const json_t *runs = json_object_get(results->document, "runs");
    const json_t *one = json_array_get(runs, run);
    const char *path = json_string_value(json_object_get(one, "path"));
    if (path == NULL && json_array_size(runs) > 1) {
        path = json_string_value(json_object_get(one, "name"));
    }
    return path != NULL ? path : results->path;
}

static bool needs_file(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *record = row->replicates[i];
        if (record->status == GB_STATUS_OK && record->n_samples == 0) {
            return true;
        }
    }
    return false;
}

static gb_code load_run(gb_samples *s, size_t run, const gb_row *const rows[], size_t n,
                        const char **cases, gb_error *err)
{
    size_t wanted = 0;
    gb_error why = {0};
    const char *path = path_of(s->results, run);
    for (size_t i = 0; i < n; i++) {
        if (run_of(s->results, rows[i]->first->device) == run && needs_file(rows[i])) {
            cases[wanted++] = rows[i]->first->case_id;
        }
    }
    if (wanted == 0) {
        return GB_OK;
    }
    gb_code code = path != NULL ? gb_results_load_cases(path, cases, wanted, &s->lines[run], &why)
                                : GB_UNAVAILABLE;
    if (code == GB_NO_MEMORY) {
        return gb_fail(err, code, "%s", why.message);
    }
    if (code != GB_OK) {
        gb_buf_printf(&s->missing, "%s%s", s->missing.length > 0 ? "; " : "",
                      path == NULL    ? "the results are of no run directory"
                      : code == GB_IO ? "no cases.jsonl beside the results"
                                      : why.message);
    }
    return GB_OK;
}

gb_code gb_samples_load(const gb_results *results, const gb_row *const rows[], size_t n,
                        gb_samples *out, gb_error *err)
{
    size_t runs = json_array_size(json_object_get(results->document, "runs"));
    *out = (gb_samples){.results = results, .n = runs > 0 ? runs : 1};
    out->lines = calloc(out->n, sizeof *out->lines);
    const char **cases = calloc(n + 1, sizeof *cases);
    gb_code code = out->lines != NULL && cases != NULL
                       ? GB_OK
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for the samples");
    for (size_t run = 0; code == GB_OK && run < out->n; run++) {
        code = load_run(out, run, rows, n, cases, err);
    }
    free(cases);
    if (code != GB_OK) {
        gb_samples_free(out);
    }
    return code;
}

const double *gb_samples_of(const gb_samples *samples, const gb_record *record, size_t *n)
{
    *n = record->n_samples;
    if (record->n_samples > 0) {
        return record->samples_ns;
    }
    const size_t run = run_of(samples->results, record->device);
    const gb_results *lines = run < samples->n ? &samples->lines[run] : NULL;
    for (size_t i = 0; lines != NULL && i < lines->n; i++) {
        const gb_record *line = &lines->records[i];
        if (line->device == own_index(samples->results, record->device) &&
            line->replicate == record->replicate && strcmp(line->case_id, record->case_id) == 0) {
            *n = line->n_samples;
            return line->n_samples > 0 ? line->samples_ns : NULL;
        }
    }
    return NULL;
}

void gb_samples_free(gb_samples *samples)
{
    for (size_t i = 0; samples->lines != NULL && i < samples->n; i++) {
        gb_results_free(&samples->lines[i]);
    }
    free(samples->lines);
    gb_buf_free(&samples->missing);
    *samples = (gb_samples){0};
}
