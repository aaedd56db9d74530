/* The roofline of one device: what roofline.c finds in the records and roofline_draw.c draws. */
#ifndef GB_REPORTS_ROOFLINE_PANEL_H
#define GB_REPORTS_ROOFLINE_PANEL_H

#include "reports/plot/canvas.h"
#include "reports/roofs.h"

#define GB_ROOF_LINES 8
#define GB_ROOF_PANELS 6 /* devices side by side */

typedef struct gb_roof_line {
    char text[96];         /* "memory 4.10 TB/s measured" */
    double x0, y0, x1, y1; /* FLOP/byte, FLOP/s */
    bool measured;
    const char *colour;
} gb_roof_line;

typedef struct gb_roof_point {
    double x, y;
    size_t group;
    bool above, limited; /* above its roof or flagged so; the kernel sets the limit */
} gb_roof_point;

typedef struct gb_roof_panel {
    int device;
    const gb_row *rows; /* of the device */
    size_t n_rows;
    gb_compute compute;
    gb_roofs roofs;
    gb_roof_line lines[GB_ROOF_LINES];
    size_t n_lines;
    gb_roof_point *points; /* grouped; owned */
    size_t n_points;
    char *const *groups; /* names of all panels' groups, so that a sign means the same in each */
    size_t n_groups;
    double ridge_x, ridge_y; /* NAN: not known */
    bool ridge_measured;
    gb_buf missing; /* roofs that are not known */
    size_t block;   /* the panel's first in the data file: lines, then groups */
} gb_roof_panel;

/* Whether a panel has points of a group: those that it has stand in its blocks, in order. */
bool gb_roof_panel_has(const gb_roof_panel *panel, size_t group);

/* roofline_groups.c */
/* Whether a row is a point of this picture. The arithmetic roof itself has no place on the x axis
 * that would mean anything, and fibers' times mean nothing. */
bool gb_roof_panel_takes(const gb_roof_panel *panel, const gb_row *row);
/* What tells the rows of a benchmark apart: "benchmark param" -> its word, or true where it has
 * several. New reference; NULL on out of memory. */
json_t *gb_roof_words(const gb_roof_panel *panel);
/* "product: tiled": the benchmark and the words that tell its rows apart. Sizes do not: they are a
 * sweep of one group. Owned by the caller (free); NULL on out of memory. */
char *gb_roof_group(const json_t *words, const gb_row *row);

/* Ranges of the axes that all panels share. */
typedef struct gb_roof_range {
    double x_min, x_max, y_min, y_max;
} gb_roof_range;

/* roofline_draw.c: the script of all panels. */
void gb_roofline_draw(const gb_results *results, const gb_roof_panel panels[], size_t n,
                      const gb_roof_range *range, const char *title, const char *name,
                      gb_buf *script);

#endif
