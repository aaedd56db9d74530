/* The samples of a few cases: from the results when they were loaded with samples, else from the
 * cases.jsonl of the runs. */
#ifndef GB_REPORTS_SAMPLES_H
#define GB_REPORTS_SAMPLES_H

#include "reports/report.h"

/* Zero-initialise; free with gb_samples_free. */
typedef struct gb_samples {
    const gb_results *results;
    gb_results *lines; /* of each run, empty where nothing was read; owned */
    size_t n;
    gb_buf missing; /* why the samples of a run could not be read, "" when all could */
} gb_samples;

/* Reads what the rows need. A run without cases.jsonl, or with one that cannot be read, is no
 * error: `missing` says so. GB_NO_MEMORY. */
gb_code gb_samples_load(const gb_results *results, const gb_row *const rows[], size_t n,
                        gb_samples *out, gb_error *err);
/* A record's samples in ns per iteration in the order taken, *n of them; NULL where there are none.
 * They belong to `samples` or to the results. */
const double *gb_samples_of(const gb_samples *samples, const gb_record *record, size_t *n);
void gb_samples_free(gb_samples *samples);

#endif
