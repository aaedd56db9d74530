/* The `bar` plot: a metric for each value of a parameter (a number or words), a group of bars a
 * value, a bar in it a series. */
#ifndef GB_REPORTS_BAR_H
#define GB_REPORTS_BAR_H

#include "reports/report.h"

/* As gb_curve_write (curve.h), but the parameter x may be one of words. The blocks hold "group y
 * low high value shown": group counts the values of x from 0, numbers growing, words in the suite's
 * order. */
gb_code gb_bar_write(const gb_results *results, const gb_table *table, const json_t *plot,
                     const char *name, gb_buf *script, gb_buf *data, gb_buf *notes, gb_error *err);

#endif
