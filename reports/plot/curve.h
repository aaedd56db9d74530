/* The `curve` plot: a metric over a numeric parameter, one line a series. */
#ifndef GB_REPORTS_CURVE_H
#define GB_REPORTS_CURVE_H

#include "reports/report.h"

/* `plot` is an entry of the document's suite.plots: {"type": "curve", "benchmark": name, "x":
 * param, "y": metric, "series": [params], "title": text or null}. `name` is the file name without
 * suffix. Fills script and data (blocks of "x y low high", one a series, two blank lines between).
 * Both stay empty when there is nothing to plot; `notes` then says so, and counts points left out.
 */
gb_code gb_curve_write(const gb_results *results, const gb_table *table, const json_t *plot,
                       const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                       gb_error *err);

#endif
