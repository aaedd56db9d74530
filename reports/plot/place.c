#include "reports/plot/place.h"

#include <math.h>

#include "base/text.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define PI 3.14159265358979323846
#define DIRECTIONS 24 /* of leaders */

static double to_pixels(double v, double min, double max, bool logarithmic, double from, double to)
{
    double share = logarithmic ? log(v / min) / log(max / min) : (v - min) / (max - min);
    return from + share * (to - from);
}

static double to_data(double p, double min, double max, bool logarithmic, double from, double to)
{
    double share = (p - from) / (to - from);
    return logarithmic ? min * pow(max / min, share) : min + share * (max - min);
}

double gb_frame_x(const gb_frame *f, double x)
{
    return to_pixels(x, f->x_min, f->x_max, f->log_x, f->left, f->right);
}

double gb_frame_y(const gb_frame *f, double y)
{
    return to_pixels(y, f->y_min, f->y_max, f->log_y, f->bottom, f->top);
}

double gb_frame_data_x(const gb_frame *f, double px)
{
    return to_data(px, f->x_min, f->x_max, f->log_x, f->left, f->right);
}

double gb_frame_data_y(const gb_frame *f, double py)
{
    return to_data(py, f->y_min, f->y_max, f->log_y, f->bottom, f->top);
}

double gb_distance(double dx, double dy)
{
    return sqrt(dx * dx + dy * dy);
}

double gb_text_pixels(const char *text, double size)
{
    return 0.58 * size * (double)gb_utf8_width(text);
}

void gb_places_box(gb_places *places, gb_box box)
{
    if (places->n_boxes < COUNT(places->boxes)) {
        places->boxes[places->n_boxes++] = box;
    }
}

void gb_places_line(gb_places *places, double x0, double y0, double x1, double y1)
{
    if (places->n_lines < COUNT(places->lines)) {
        places->lines[places->n_lines++] = (gb_box){x0, y0, x1, y1};
    }
}

static bool boxes_meet(gb_box a, gb_box b)
{
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

/* Liang and Barsky: the part of the line inside each of the four half planes must not be empty. */
static bool line_meets(gb_box line, gb_box box)
{
    double dx = line.x1 - line.x0, dy = line.y1 - line.y0, from = 0, to = 1;
    const double p[] = {-dx, dx, -dy, dy};
    const double q[] = {line.x0 - box.x0, box.x1 - line.x0, line.y0 - box.y0, box.y1 - line.y0};
    for (size_t i = 0; i < COUNT(p); i++) {
        if (p[i] == 0) {
            if (q[i] < 0) {
                return false;
            }
        } else if (p[i] < 0) {
            from = fmax(from, q[i] / p[i]);
        } else {
            to = fmin(to, q[i] / p[i]);
        }
    }
    return from <= to;
}

bool gb_places_free(const gb_places *places, gb_box area, gb_box box)
{
    if (box.x0 < area.x0 || box.x1 > area.x1 || box.y0 < area.y0 || box.y1 > area.y1) {
        return false;
    }
    for (size_t i = 0; i < places->n_boxes; i++) {
        if (boxes_meet(places->boxes[i], box)) {
            return false;
        }
    }
    for (size_t i = 0; i < places->n_lines; i++) {
        if (line_meets(places->lines[i], box)) {
            return false;
        }
    }
    return true;
}

/* A leader may cross lines, but no text and no point other than its own. */
static bool leader_free(const gb_places *places, gb_box leader, double x, double y)
{
    for (size_t i = 0; i < places->n_boxes; i++) {
        gb_box b = places->boxes[i];
        bool own = x >= b.x0 && x <= b.x1 && y >= b.y0 && y <= b.y1;
        if (!own && line_meets(leader, b)) {
            return false;
        }
    }
    return true;
}

/* The box of a text whose middle lies in the direction (dx, dy) of a point, `gap` away from it. */
static gb_box beside(double x, double y, double dx, double dy, double gap, double width,
                     double height)
{
    double cx = x + dx * (gap + width / 2), cy = y + dy * (gap + height / 2);
    return (gb_box){cx - width / 2, cy - height / 2, cx + width / 2, cy + height / 2};
}

static void take(gb_places *places, gb_box box, double x, gb_spot *out)
{
    bool to_left = box.x1 <= x;
    gb_places_box(places, box);
    *out =
        (gb_spot){.x = to_left ? box.x1 : box.x0, .y = (box.y0 + box.y1) / 2, .to_left = to_left};
}

bool gb_places_near(gb_places *places, gb_box area, double x, double y, double width, double height,
                    gb_spot *out)
{
    static const double ways[][2] = {{1, 0}, {1, -1}, {1, 1},  {-1, 0},
                                     {0, 1}, {0, -1}, {-1, 1}, {-1, -1}};
    for (size_t i = 0; i < 2 * COUNT(ways); i++) {
        const double *way = ways[i % COUNT(ways)];
        double gap = i < COUNT(ways) ? 8 : 13; /* beside a small sign, or a large one */
        gb_box box =
            beside(x, y, way[0], way[1], way[0] * way[1] != 0 ? gap / 2 : gap, width, height);
        if (gb_places_free(places, area, box)) {
            take(places, box, x, out);
            return true;
        }
    }
    return false;
}

bool gb_places_far(gb_places *places, gb_box area, double x, double y, double width, double height,
                   gb_spot *out)
{
    static const double gaps[] = {20, 36, 56, 80, 110, 150, 200};
    for (size_t g = 0; g < COUNT(gaps); g++) {
        for (size_t i = 0; i < DIRECTIONS; i++) {
            double dx = cos(2 * PI * (double)i / DIRECTIONS);
            double dy = -sin(2 * PI * (double)i / DIRECTIONS);
            gb_box box = beside(x, y, dx, dy, gaps[g], width, height);
            gb_box leader = {x, y, fmin(fmax(x, box.x0), box.x1), fmin(fmax(y, box.y0), box.y1)};
            if (gb_places_free(places, area, box) && leader_free(places, leader, x, y)) {
                take(places, box, x, out);
                gb_places_line(places, leader.x0, leader.y0, leader.x1, leader.y1);
                out->leader = true;
                out->lead_x = leader.x1;
                out->lead_y = leader.y1;
                return true;
            }
        }
    }
    return false;
}

bool gb_places_beside(gb_places *places, gb_box area, double x, double y, double width,
                      double height, gb_spot *out)
{
    return gb_places_near(places, area, x, y, width, height, out) ||
           gb_places_far(places, area, x, y, width, height, out);
}

/* A slanted text as a row of small boxes; takes them when `places` is to be changed. */
static bool slanted(gb_places *places, gb_box area, double x, double y, double dx, double dy,
                    double width, double height, bool keep)
{
    double step = height / 2;
    for (double at = -width / 2; at <= width / 2; at += step) {
        double cx = x + at * dx, cy = y + at * dy;
        gb_box box = {cx - height / 2, cy - height / 2, cx + height / 2, cy + height / 2};
        if (keep) {
            gb_places_box(places, box);
        } else if (!gb_places_free(places, area, box)) {
            return false;
        }
    }
    return true;
}

bool gb_places_along(gb_places *places, gb_box area, double x0, double y0, double x1, double y1,
                     bool above_first, double width, double height, double *x, double *y,
                     double *angle)
{
    static const double along[] = {0.06, 0.3, 0.5, 0.7, 0.94, 0.15, 0.85};
    double length = gb_distance(x1 - x0, y1 - y0);
    if (!(length >= width)) {
        return false;
    }
    double dx = (x1 - x0) / length, dy = (y1 - y0) / length;
    /* Far enough that no small box touches the line (half a diagonal and a little), or points on
     * it. */
    for (int side = 0; side < 4; side++) {
        double way = (side % 2 == 0) == above_first ? 1 : -1;
        double away = height * 0.72 + (side < 2 ? 2 : 7);
        for (size_t i = 0; i < COUNT(along); i++) {
            double at = width / 2 + along[i] * (length - width);
            *x = x0 + at * dx - way * away * dy;
            *y = y0 + at * dy + way * away * dx;
            if (slanted(places, area, *x, *y, dx, dy, width, height, false)) {
                slanted(places, area, *x, *y, dx, dy, width, height, true);
                *angle = atan2(dy, dx) * 180 / PI;
                return true;
            }
        }
    }
    return false;
}
