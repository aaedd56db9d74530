/* The `phases` plot: what parts a sample's time consists of, a bar a case.
 *
 * `plot` is {"type": "phases", "benchmark": name, "x": param, "series": [params], "title": text or
 * null}; x may take words. A part's time is the geometric mean over the replicates of its medians
 * (parts_ns), as that of the whole is and the table's metrics are; its share is that over the
 * whole. What the parts leave is drawn as "other". Parts after the whole (parts_after) are left
 * out. A part "on_device" is left out where finer parts of the device's work are there.
 * Where in some case the parts come to more than 102 % of the whole they overlap: then all bars are
 * times laid end to end (over the whole, where the wholes differ more than tenfold), with a mark at
 * the whole, and picture and `notes` say so. Cases without parts are left out and counted.
 *
 * Data: a block a part, of lines "y from to bottom top part_ns whole_ns" (from and to: percent or
 * ns; the others of y: pixels), then one of the wholes. The rest is as for
 * gb_curve_write. */
#ifndef GB_REPORTS_PHASES_H
#define GB_REPORTS_PHASES_H

#include "reports/report.h"

gb_code gb_phases_write(const gb_results *results, const gb_table *table, const json_t *plot,
                        const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                        gb_error *err);

#endif
