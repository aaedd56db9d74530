/* Results in the formats of other tools. docs/exports.md shows what becomes of what.
 *
 * One value a case and metric: the geometric centre over its replicates. Cases that are not ok have
 * no value anywhere; the formats that know failures (JUnit) say why. */
#ifndef GB_EXPORT_EXPORT_H
#define GB_EXPORT_EXPORT_H

#include "reports/compare/compare.h"

/* What there is to export. */
typedef struct gb_exported {
    const gb_results *results;
    const gb_table *table;
    const gb_comparison *comparison; /* with a baseline, `results` being its new side; or NULL */
} gb_exported;

typedef struct gb_export_format {
    const char *name;    /* the word of --to */
    const char *summary; /* one line for help */
    const char *file;    /* the usual file name */
    gb_code (*write)(const gb_exported *what, gb_buf *out, gb_error *err);
} gb_export_format;

/* All formats, ended by one whose name is NULL. */
extern const gb_export_format gb_export_formats[];

/* A case's name in formats that know no devices: its id, and of a run of several devices which one,
 * "copy[bytes=4096] on cuda:1". `name`: the id, or another. The caller frees; NULL: no memory. */
char *gb_export_name(const gb_exported *what, int device, const char *name);
/* Whether what the baseline says of a row is a failure: NULL when it is not. */
const gb_compared *gb_export_slower(const gb_exported *what, const gb_row *row);

/* results.csv, a row a record (RFC 4180) */
gb_code gb_export_csv(const gb_exported *what, gb_buf *out, gb_error *err);
/* JUnit XML as Jenkins' and Ant's schema has it: a suite a benchmark, a test a case; failure:
 * wrong, failed, timed out, or slower than the baseline; skipped; expectations are tests too */
gb_code gb_export_junit(const gb_exported *what, gb_buf *out, gb_error *err);
/* https://prometheus.io/docs/instrumenting/exposition_formats/ for node_exporter's textfile
 * collector: base units, gauges, labels escaped */
gb_code gb_export_prometheus(const gb_exported *what, gb_buf *out, gb_error *err);
/* https://github.com/benchmark-action/github-action-benchmark customSmallerIsBetter and
 * customBiggerIsBetter: each metric in the file of its direction */
gb_code gb_export_smaller(const gb_exported *what, gb_buf *out, gb_error *err);
gb_code gb_export_bigger(const gb_exported *what, gb_buf *out, gb_error *err);
/* google-benchmark's JSON (https://github.com/google/benchmark/blob/main/docs/user_guide.md): each
 * replicate an iteration run, rates as counters; its compare.py reads it */
gb_code gb_export_google(const gb_exported *what, gb_buf *out, gb_error *err);

#endif
