/* The `ladder` plot: a time (or another metric) over the working set, with the sizes of the caches.
 *
 * `plot` is {"type": "ladder", "benchmark": name, "x": param, "y": metric, "series": [params],
 * "title": text or null}. Both axes are logarithmic. A vertical mark stands where a case's working
 * set is as large as a cache, by the facts of its device: L1d, L2 and the last cache of a CPU, L2
 * of a GPU; its L1 shares its memory with shared memory by launch, so that it has no one size.
 * Sizes that are not known are not drawn, and the picture and `notes` say so. The rest is as for
 * gb_curve_write. */
#ifndef GB_REPORTS_LADDER_H
#define GB_REPORTS_LADDER_H

#include "reports/report.h"

gb_code gb_ladder_write(const gb_results *results, const gb_table *table, const json_t *plot,
                        const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                        gb_error *err);

#endif
