/* The plots that a suite asks for, of one run or of several that were merged. */
#ifndef GB_REPORTS_PLOTS_H
#define GB_REPORTS_PLOTS_H

#include "reports/plot/pictures.h"
#include "reports/report.h"

/* Writes script and data of every plot in the document's suite.plots into `pictures` (opened). A
 * plot whose benchmark has no record is left out silently, one without anything to draw with a line
 * in *notes. */
gb_code gb_report_pictures(const gb_results *results, gb_pictures *pictures, gb_buf *notes,
                           gb_error *err);

/* All of it: opens DIR/plots, writes, removes what an older report left there, and draws. *out may
 * be NULL; otherwise free it with gb_pictures_free. `gnuplot` is the program's path or name. */
gb_code gb_report_plots(const gb_results *results, const char *dir, const char *gnuplot,
                        gb_pictures *out, gb_buf *notes, gb_error *err);

#endif
