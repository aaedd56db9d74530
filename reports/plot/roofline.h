/* The `roofline` plot: operations a second over operations a byte, below the roofs of one device.
 *
 * `plot` is {"type": "roofline", "benchmark": name, "title": text or null}: the benchmark is the
 * sweep over intensity, its units (fp32, ...) are those of the picture. Solid lines are measured
 * roofs, dashed ones theory; what is not known is not drawn, and `notes` says so. All cases of the
 * run with the same units stand at their counted operations over the bytes that must move. A point
 * above its roof is drawn, marked, and named in `notes`. The rest is as for gb_curve_write. */
#ifndef GB_REPORTS_ROOFLINE_H
#define GB_REPORTS_ROOFLINE_H

#include "reports/report.h"

gb_code gb_roofline_write(const gb_results *results, const gb_table *table, const json_t *plot,
                          const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                          gb_error *err);

#endif
