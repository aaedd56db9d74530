/* What phases.c finds in the records and phases_draw.c draws. */
#ifndef GB_REPORTS_PHASES_PARTS_H
#define GB_REPORTS_PHASES_PARTS_H

#include "reports/plot/canvas.h"
#include "reports/plot/series.h"

#define GB_PHASES_PARTS 8           /* as many as a kernel reports */
#define GB_PHASES_LEAST_OTHER 0.002 /* of the whole; less is rounding */

typedef struct gb_phases_bar {
    const gb_row *row;
    size_t series;
    double x;                      /* NAN: a word */
    uint32_t place;                /* of that word in the suite */
    double share[GB_PHASES_PARTS]; /* of the whole; 0: none */
    double sum;
} gb_phases_bar;

typedef struct gb_phases {
    const gb_results *results;
    const json_t *plot;
    gb_wanted wanted;
    gb_figures figures;
    gb_phases_bar *bars;
    size_t n, without_parts, left_out;
    const char *parts[GB_PHASES_PARTS];
    size_t n_parts;
    const json_t *after; /* borrowed: names of parts after the whole, not drawn; NULL: none */
    bool overlap, other;
    bool percent; /* the axis; false: ns */
    double scale; /* of the axis: ns or percent */
    char unit[32];
    gb_canvas canvas;
    gb_frame frame;
} gb_phases;

/* phases_draw.c */
void gb_phases_draw(gb_phases *phases, gb_buf *script, gb_buf *data);

#endif
