/* The `batch-curve` plot: throughput, and the latency of a request (p50, p95, p99), over the batch:
 * each on a logarithmic axis of its own, one above the other, with the knee between. */
#ifndef GB_REPORTS_BATCH_CURVE_H
#define GB_REPORTS_BATCH_CURVE_H

#include "reports/report.h"

/* As gb_curve_write (curve.h) for a plot without x and y. The blocks hold "batch throughput low
 * high p50 p95 p99"; a percentile that is not known is NaN and not drawn. The knee is
 * gb_batch_knee's (findings.h). At most 3 series. */
gb_code gb_batch_curve_write(const gb_results *results, const gb_table *table, const json_t *plot,
                             const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                             gb_error *err);

#endif
