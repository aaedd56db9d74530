/* The table of formats: a new one is a row here and a file beside. */
#include "reports/export/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

const gb_export_format gb_export_formats[] = {
    {"csv", "a row a record, for spreadsheets", "results.csv", gb_export_csv},
    {"junit", "JUnit XML: cases as tests, for CI servers", "junit.xml", gb_export_junit},
    {"prometheus", "gauges for node_exporter's textfile collector", "gpubench.prom",
     gb_export_prometheus},
    {"github-smaller", "github-action-benchmark, customSmallerIsBetter: times",
     "benchmark-smaller.json", gb_export_smaller},
    {"github-bigger", "github-action-benchmark, customBiggerIsBetter: rates",
     "benchmark-bigger.json", gb_export_bigger},
    {"google-benchmark", "google-benchmark's JSON, for its compare.py", "google-benchmark.json",
     gb_export_google},
    {0}};

char *gb_export_name(const gb_exported *what, int device, const char *name)
{
    const json_t *devices = json_object_get(what->results->document, "devices");
    const json_t *index = json_object_get(json_array_get(devices, (size_t)device), "index");
    if (json_array_size(devices) < 2) {
        return gb_text_copy(name);
    }
    return gb_text_format("%s on %s:%lld", name, gb_results_device_kind(what->results, device),
                          json_is_integer(index) ? (long long)json_integer_value(index) : device);
}

const gb_compared *gb_export_slower(const gb_exported *what, const gb_row *row)
{
    const gb_comparison *comparison = what->comparison;
    if (comparison == NULL || comparison->other_unit) { /* nothing fails then */
        return NULL;
    }
    for (size_t i = 0; i < comparison->n; i++) {
        const gb_compared *one = &comparison->items[i];
        if (one->verdict == GB_VERDICT_SLOWER && one->b != NULL &&
            one->b->first->device == row->first->device &&
            strcmp(one->b->first->case_id, row->first->case_id) == 0) {
            return one;
        }
    }
    return NULL;
}

gb_code gb_export_csv(const gb_exported *what, gb_buf *out, gb_error *err)
{
    const gb_results *results = what->results;
    char *text =
        gb_results_csv(json_object_get(results->document, "devices"), results->records, results->n);
    if (text == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the CSV");
    }
    gb_buf_add(out, text);
    free(text);
    return GB_OK;
}
