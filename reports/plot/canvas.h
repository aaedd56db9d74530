/* Drawing by pixels: texts, lines and signs at places of the whole picture, for what gnuplot's own
 * legend and labels cannot do. */
#ifndef GB_REPORTS_CANVAS_H
#define GB_REPORTS_CANVAS_H

#include "base/text.h"
#include "reports/plot/place.h"

#define GB_LABEL_FONT 11.0 /* pixels */
#define GB_LABEL_HEIGHT 14.0

/* A picture of width x height pixels. `body` collects its commands; `next` numbers labels and
 * arrows (1 is the line below the title, gb_picture_head). */
typedef struct gb_canvas {
    const char *name; /* plots/NAME */
    int width, height;
    gb_buf body;
    int next;
} gb_canvas;

/* `align`: "left", "center", "right"; `angle` in degrees; `colour` NULL: black. */
void gb_canvas_text(gb_canvas *canvas, const char *text, double x, double y, const char *align,
                    double angle, const char *colour);
void gb_canvas_line(gb_canvas *canvas, double x0, double y0, double x1, double y1,
                    const char *colour, double width, int dash);
void gb_canvas_sign(gb_canvas *canvas, double x, double y, int point, double size,
                    const char *colour);
/* Filled with gnuplot's pattern. */
void gb_canvas_rectangle(gb_canvas *canvas, gb_box box, int pattern, const char *colour);
/* The margins of the plot to come: `frame`'s pixels. */
void gb_canvas_frame(gb_canvas *canvas, const gb_frame *frame);
/* Ranges and logarithmic axes of it. */
void gb_canvas_axes(gb_canvas *canvas, const gb_frame *frame);
/* Forgets texts, lines and signs, for the next panel. */
void gb_canvas_clear(gb_canvas *canvas);
/* The body once as SVG and once as PNG, in multiplot mode, behind what `script` has. Frees it. */
void gb_canvas_outputs(gb_canvas *canvas, gb_buf *script);

/* A legend below the plots: entries one after the other from `left` to `right`, in lines of
 * GB_LEGEND_LINE pixels from `top` down. */
#define GB_LEGEND_LINE 18.0
typedef struct gb_legend {
    gb_canvas *canvas; /* NULL: nothing is drawn, only the room is found */
    double left, right, x, y;
} gb_legend;
/* An entry: a line of this dash type (0: none) and a sign on it (0: none) in `colour`, and a text
 * (NULL: black); without line and sign the text begins at the left. */
void gb_legend_entry(gb_legend *legend, const char *text, int dash, int point, const char *colour,
                     const char *text_colour);

/* An entry with a filled rectangle. */
void gb_legend_swatch(gb_legend *legend, const char *text, int pattern, const char *colour);

#endif
