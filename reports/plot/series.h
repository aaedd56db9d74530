/* The figures of a picture: the rows of one benchmark, grouped into series of points. */
#ifndef GB_REPORTS_SERIES_H
#define GB_REPORTS_SERIES_H

#include "reports/plot/picture.h"
#include "reports/report.h"

/* More series than this are not told apart in one picture. */
#define GB_SERIES_MOST 10

typedef struct gb_point {
    const gb_row *row;
    double x;            /* NAN where the parameter is a word */
    double y, low, high; /* base units; low and high: 95 % interval between replicates, y both when
                            there is only one */
} gb_point;

typedef struct gb_series {
    char *label; /* "h2d, pinned", "n 300": of the benchmark's name where nothing differs; owned */
    char *shown; /* the label in legends: told apart from the others when it is cut; owned */
    size_t own;  /* length of the label before the device's name */
    int device;
    uint32_t index;   /* of its first case in the suite, on any device */
    gb_point *points; /* by x, words in the suite's order; owned */
    size_t n, capacity;
} gb_series;

/* Zero-initialise; free with gb_figures_free. */
typedef struct gb_figures {
    gb_series *items; /* those with points, in the suite's order, devices side by side; owned */
    size_t n, capacity;
    const char *unit; /* of y; lives as long as the results */
    bool higher;      /* is better */
    int device;       /* of all points; -1: several */
    size_t n_points;
    double x_min, x_max, y_min, y_max; /* x: NAN for words; y without intervals */
} gb_figures;

/* What a picture shows. Strings and array belong to the results. */
typedef struct gb_wanted {
    const char *name; /* of the picture, for notes */
    const char *benchmark, *x, *y;
    const json_t *series; /* array of parameters */
    size_t most;          /* series: the suite's first ones are kept, each of all devices where
                             that is possible; a note counts the others */
    bool zero_x;          /* x may be 0: it stands on no logarithmic axis */
} gb_wanted;

/* What a plot of the suite asks for, at most `most` series; benchmark, x, y and series are NULL
 * where it does not name them. */
gb_wanted gb_wanted_of(const json_t *plot, const char *name, size_t most);

/* Collects. A series' label holds the values of its parameters (numbers behind their names), then
 * those of further parameters in which cases differ ("width 256"), then the device where there are
 * several. Points whose x or y is not above 0 are left out, emulated ones beside others too; each
 * with one note. The result refers to table and results. GB_NO_MEMORY. */
gb_code gb_figures_collect(const gb_results *results, const gb_table *table,
                           const gb_wanted *wanted, gb_figures *out, gb_buf *notes, gb_error *err);
void gb_figures_free(gb_figures *figures);
/* A row of a data file: numbers with '.', blanks between. */
void gb_figures_row(gb_buf *data, const double numbers[], size_t n);
/* A series as a block of a data file: two blank lines before all but the first, "x y low high". */
void gb_figures_block(const gb_figures *figures, const gb_wanted *wanted, size_t number,
                      gb_buf *data);
/* The range of y with its intervals, each up to GB_LONGEST_INTERVAL (picture.h). */
void gb_figures_range(const gb_figures *figures, double *low, double *high);
/* The axis' edges, and on which of them an interval of the series ends; a note on all that do. */
gb_edges gb_figures_edges(const gb_series *series, const gb_edges *axis, double scale);
void gb_figures_note_edges(const gb_figures *figures, const gb_wanted *wanted, const gb_edges *axis,
                           double scale, gb_buf *notes);
/* What legends show, `columns` of it at least: the label where that tells all series apart, else
 * without the parameters' names ("1 KiB, pinned, h2d"), else with a number before it. Set by
 * gb_figures_collect. Out of memory leaves NULL, and gb_figures_shown the label. */
#define GB_LEGEND_COLUMNS 28
void gb_figures_name(gb_figures *figures, const gb_wanted *wanted);
const char *gb_figures_shown(const gb_figures *figures, size_t series);
/* Columns of the longest text in the legend. */
size_t gb_figures_widest(const gb_figures *figures);
/* Whether there is one series whose label says nothing that title and axes do not. */
bool gb_figures_plain(const gb_figures *figures, const gb_wanted *wanted);

/* The different numbers x of all points, growing; owned by the caller (free), *n of them. NULL on
 * out of memory. */
double *gb_figures_x(const gb_figures *figures, size_t *n);

#endif
