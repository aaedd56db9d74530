/* Several runs as one, so that every report shows them side by side on the same axes. */
#ifndef GB_REPORTS_MERGE_H
#define GB_REPORTS_MERGE_H

#include "reports/report.h"

/* Moves the records of n runs into *out (the inputs keep their documents, without records): devices
 * of all runs one after the other, records' device numbers shifted accordingly, each device with
 * "run" (index into the document's "runs") and "label", its name made unique with the run's name
 * where two are the same. The document is the first run's with "devices", "runs" ([{"name", "path",
 * "run", "tool", "host", "suite", "complete"}]; "path" is missing for a run that was not loaded)
 * and the union of the suites' plots. names[i]: what people call run i (its directory). n = 1 gives
 * that run unchanged but for "runs" and "label". GB_INVALID: runs of emulated or other schema;
 * GB_NO_MEMORY. Free with gb_results_free. */
gb_code gb_results_merge(gb_results runs[], const char *const names[], size_t n, gb_results *out,
                         gb_error *err);
/* What people call a device in pictures and tables: its label, or its name. */
const char *gb_results_device_label(const gb_results *results, int device);

#endif
