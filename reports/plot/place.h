/* Where labels go in a picture: known geometry in pixels, so that texts do not cover points, lines
 * or each other. Deterministic: the first free of a fixed list of positions. */
#ifndef GB_REPORTS_PLACE_H
#define GB_REPORTS_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/* A plot's area in pixels of the picture (y upwards) and the ranges of its axes. */
typedef struct gb_frame {
    double left, right, bottom, top;
    double x_min, x_max, y_min, y_max;
    bool log_x, log_y;
} gb_frame;
double gb_frame_x(const gb_frame *frame, double x); /* data to pixels */
double gb_frame_y(const gb_frame *frame, double y);
double gb_frame_data_x(const gb_frame *frame, double px); /* pixels to data */
double gb_frame_data_y(const gb_frame *frame, double py);

/* The length of (dx, dy). Not hypot: its newest version would tie portable builds to glibc 2.35. */
double gb_distance(double dx, double dy);

/* About how wide a text is in a sans-serif font of `size` pixels; rather too wide. */
double gb_text_pixels(const char *text, double size);

typedef struct gb_box {
    double x0, y0, x1, y1;
} gb_box;

/* What is taken. Zero-initialise; full once its arrays are: later things then are not kept, and may
 * be covered. */
typedef struct gb_places {
    gb_box boxes[512], lines[256]; /* a line is from (x0, y0) to (x1, y1) */
    size_t n_boxes, n_lines;
} gb_places;
void gb_places_box(gb_places *places, gb_box box);
void gb_places_line(gb_places *places, double x0, double y0, double x1, double y1);
/* Whether a box lies inside `area` and covers nothing. */
bool gb_places_free(const gb_places *places, gb_box area, gb_box box);

/* A place for a text of width x height beside the point (x, y), and takes it: beside it, above,
 * below; then further away, with a leader. False: none is free. */
typedef struct gb_spot {
    double x, y;  /* the end of the text that is nearer to the point, and its middle */
    bool to_left; /* the text ends there instead of beginning there */
    bool leader;  /* far away: from (x, y) of the point to (lead_x, lead_y) at the text's edge */
    double lead_x, lead_y;
} gb_spot;
bool gb_places_beside(gb_places *places, gb_box area, double x, double y, double width,
                      double height, gb_spot *out);
/* The two halves of it: close to the point; away from it, with a leader. */
bool gb_places_near(gb_places *places, gb_box area, double x, double y, double width, double height,
                    gb_spot *out);
bool gb_places_far(gb_places *places, gb_box area, double x, double y, double width, double height,
                   gb_spot *out);
/* The same for a text along a line, on either side of it: the angle of the line in degrees, and the
 * middle of the text. The line itself may be among those taken. False: none is free. */
bool gb_places_along(gb_places *places, gb_box area, double x0, double y0, double x1, double y1,
                     bool above_first, double width, double height, double *x, double *y,
                     double *angle);

#endif
