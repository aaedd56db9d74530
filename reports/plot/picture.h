/* What the gnuplot scripts of all pictures share. */
#ifndef GB_REPORTS_PICTURE_H
#define GB_REPORTS_PICTURE_H

#include "reports/report.h"

/* Okabe & Ito's palette (https://jfly.uni-koeln.de/color/), told apart by the colour-blind; point
 * types tell the series apart in grey. Yellow is left out: too pale on white. */
const char *gb_picture_colour(size_t series);
int gb_picture_point(size_t series);

/* Title, the line below it that names the device (and says when it is a CPU), axis labels, grid,
 * key. `device`: index of the only device in the picture, -1: several. */
void gb_picture_head(const gb_results *results, int device, const char *name, const char *title,
                     const char *x_label, const char *y_label, gb_buf *script);

/* The plot command for `lines`, once as SVG and once as PNG. */
void gb_picture_outputs(const char *name, const gb_buf *lines, gb_buf *script);

/* One factor and its unit for a whole axis, from the largest value: 1e9 and "GFLOP/s". */
double gb_picture_scale(double max, const char *unit, char label[32]);

#endif
