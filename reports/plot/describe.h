/* What a picture shows, in words, for those who do not see it. */
#ifndef GB_REPORTS_DESCRIBE_H
#define GB_REPORTS_DESCRIBE_H

#include "reports/report.h"

/* Adds sentences on a plot of the suite: the quantity, over what, the series, the highest and the
 * lowest figure with its unit. A plot without figures adds nothing. GB_NO_MEMORY. */
gb_code gb_plot_describe(const gb_results *results, const gb_table *table, const json_t *plot,
                         gb_buf *out, gb_error *err);
/* The same of the samples of one row. */
void gb_samples_describe(const gb_row *row, gb_buf *out);

#endif
