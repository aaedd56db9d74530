/* The table of formats: a new one is a row here and a file beside. */
#include "reports/export/export.h"

#include <stdlib.h>

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
