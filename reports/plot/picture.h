/* What the gnuplot scripts of all pictures share: colours and signs, head, axes, output.
 *
 * Text, axes and the ground are black, white or grey: a dark page swaps those. Data have colours
 * with a contrast of at least 3:1 on white and on #16181d (https://www.w3.org/TR/WCAG21/, 1.4.11).
 */
#ifndef GB_REPORTS_PICTURE_H
#define GB_REPORTS_PICTURE_H

#include "reports/report.h"

/* The palette of Okabe & Ito (https://jfly.uni-koeln.de/color/), told apart by the colour-blind,
 * without yellow; purple, orange and sky blue are darker than theirs, for the contrast. Point,
 * dash and fill tell the series apart in grey and in print. Repeats after 7, 10, 5 and 7. */
const char *gb_picture_colour(size_t series);
int gb_picture_point(size_t series);
int gb_picture_dash(size_t series); /* 1: solid */
int gb_picture_fill(size_t series); /* gnuplot's fill pattern */
#define GB_PICTURE_GREY "#7f7f7f"   /* lines that are no data: a knee, a cache's size */

/* Title, the line below it that names device, kind and date (and says which are CPUs), axis labels,
 * grid, key. `device`: index of the only device in the picture, -1: several. Texts are cut to what
 * fits. */
void gb_picture_head(const gb_results *results, int device, const char *title, const char *x_label,
                     const char *y_label, gb_buf *script);

/* The plot command for `lines`, once as SVG and once as PNG. In the PNG '?' stands for letters that
 * no font here has (fonts.h); a script that does so has the line below. */
#define GB_PICTURE_REPLACED "# '?' in the PNG: a letter that no font of this machine has\n"
void gb_picture_outputs(const char *name, const gb_buf *lines, gb_buf *script);

/* The style of intervals, for "x : low : (0) : high - low". (gnuplot's own error bars wipe the
 * place of their point out with a white dot.) */
#define GB_PICTURE_INTERVAL "with vectors heads size screen 0.004,90 linewidth 1.5"

/* An interval that is longer than this factor on a side of its point (two replicates that differ)
 * would press all else flat: it goes to the edge of the picture, where a triangle says so. */
#define GB_LONGEST_INTERVAL 10.0
/* The edges of the y axis, in its unit, and whether an interval of a series ends beyond them. */
typedef struct gb_edges {
    double from, to;
    bool below, above;
} gb_edges;
/* Those triangles for block `index` ("x y low high") at `x`, a column or an expression. */
void gb_picture_add_edges(gb_buf *lines, size_t index, const char *x, const char *scale,
                          const gb_edges *edges, const char *colour);

/* Adds to the plot command block `series` of the picture's data ("x y low high"), y divided by
 * `scale`: intervals, and a line through points, which lacks its title (gb_picture_key). */
void gb_picture_add_series(gb_buf *lines, const char *name, size_t series, const char *scale,
                           const gb_edges *edges);

/* One factor and its unit for a whole axis, from the largest value: 1e9 and "GFLOP/s". */
double gb_picture_scale(double max, const char *unit, char label[32]);
/* The same for a logarithmic axis from low to high, with intervals. Where numbers below 0.01 of
 * that unit or above 20000 would stand at it the axis keeps its base unit: 1, label "", and
 * *own_unit is `unit`, for the ticks; else NULL. */
double gb_picture_log_scale(double low, double max, double high, const char *unit, char label[32],
                            const char **own_unit);
/* Whether bars from `least` to `max`, of which intervals reach to `high`, need a logarithmic axis.
 */
bool gb_picture_bars_logarithmic(double least, double max, double high);

/* "bandwidth (GB/s), higher is better". */
void gb_picture_y_label(const char *metric, const char *unit, bool higher, gb_buf *out);
/* "bytes", "batch (items)": the parameter of a plot's x, with the unit that the suite's kernel
 * gives it ("x_unit" of the plot, where there is one). */
void gb_picture_x_label(const json_t *plot, gb_buf *out);

/* Adds text, cut to `columns` of a terminal with "..." behind. */
void gb_picture_cut(gb_buf *out, const char *text, size_t columns);
/* Adds text as gnuplot's literal string, cut to `columns` with "..." behind. */
void gb_picture_text(gb_buf *script, const char *text, size_t columns);
/* " title '...' noenhanced", cut to what a key has room for. */
void gb_picture_key(gb_buf *lines, const char *label);

/* Where the key stands: beside the plot when its texts are short, else below it in columns, below
 * the x axis' title too. `widest`: columns of the longest text; n: entries. `rows` > 0: below, in
 * columns of so many entries. */
void gb_picture_place_key(gb_buf *script, size_t widest, size_t n, size_t rows);

/* "set xrange [...]" with room at both ends, and "set logscale" where it is logarithmic: `base` 2
 * or 10; 0: linear. An empty range is widened. A logarithmic y axis of base 10 gets its ticks, with
 * units of their own or not (gb_picture_log_scale). */
void gb_picture_range(gb_buf *script, const char *axis, double low, double high, int base,
                      const char *own_unit);
/* The range that this sets. */
void gb_picture_bounds(double *low, double *high, int base);
/* The y axis of bars, whose interval ends lie between low and high: from 0, or logarithmic. Its
 * edges. */
gb_edges gb_picture_value_axis(gb_buf *script, double low, double high, bool logarithmic,
                               const char *own_unit);

#define GB_TICK_TEXT 48
typedef struct gb_tick {
    double at;
    char text[GB_TICK_TEXT];
} gb_tick;
/* "20": a value of the axis; "20 ns", "500 MB/s": one of base units, with a unit of its own. */
void gb_picture_figure(double value, const char *own_unit, char text[GB_TICK_TEXT]);
/* "set xtics (...)": the ticks (growing) of which the texts have room beside each other on an axis
 * of `pixels` from low to high. The first and what follows it are preferred. */
void gb_picture_ticks(gb_buf *script, const char *axis, const gb_tick ticks[], size_t n, double low,
                      double high, bool logarithmic, double pixels);
/* The values x themselves as ticks of the x axis: texts as in tables (64 MiB) by the parameter's
 * name. GB_NO_MEMORY. */
gb_code gb_picture_value_ticks(gb_buf *script, const char *param, const double x[], size_t n,
                               bool logarithmic, gb_error *err);
/* All of n ticks (at 0, 1, 2, ...) of an x axis, with their texts turned where they would touch;
 * where even that has no room every k-th. */
void gb_picture_all_ticks(gb_buf *script, const gb_tick ticks[], size_t n, double pixels);
/* Ticks of a logarithmic axis from low to high, which is `pixels` long: at 1, 2 and 5 times powers
 * of ten, at powers alone where those are many, at even steps where they would be one or two.
 * own_unit: the axis is in base units, and each tick says its own ("20 ns"); NULL: numbers. */
void gb_picture_log_ticks(gb_buf *script, const char *axis, double low, double high,
                          const char *own_unit, double pixels);

#endif
