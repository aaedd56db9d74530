/* The script of a roofline: panels side by side, each with its texts where nothing else is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/merge.h"
#include "reports/plot/picture.h"
#include "reports/plot/roofline_panel.h"

#define GREY "#666666"
#define SIGN_ABOVE 2   /* a cross */
#define SIGN_LIMITED 6 /* a ring */
#define SIGN_RIDGE 12  /* a diamond */
#define MAX_NUMBERED 64
#define CLOSE 20.0 /* pixels from a text to a sign that it seems to name */

typedef struct drawing {
    const gb_results *results;
    const gb_roof_range *range;
    gb_canvas canvas;
    gb_frame frame; /* of the panel under way */
    gb_places places;
    double scale;
    char unit[32];
    const char *own_unit; /* of each tick */
    /* Groups without a free place: a number in the picture, their names in the legend. */
    const char *numbered[MAX_NUMBERED];
    size_t groups[MAX_NUMBERED];
    size_t n_numbered;
} drawing;

static gb_box area(const drawing *d)
{
    return (gb_box){d->frame.left + 2, d->frame.bottom + 2, d->frame.right - 2, d->frame.top - 2};
}

static double px(const drawing *d, double x)
{
    return gb_frame_x(&d->frame, x);
}

static double py(const drawing *d, double y)
{
    return gb_frame_y(&d->frame, y / d->scale);
}

/* Lines and points are taken before any text is placed. */
static void take_marks(drawing *d, const gb_roof_panel *p)
{
    d->places.n_boxes = d->places.n_lines = 0;
    for (size_t i = 0; i < p->n_lines; i++) {
        const gb_roof_line *l = &p->lines[i];
        gb_places_line(&d->places, px(d, l->x0), py(d, l->y0), px(d, l->x1), py(d, l->y1));
    }
    for (size_t i = 0; i < p->n_points; i++) {
        double x = px(d, p->points[i].x), y = py(d, p->points[i].y);
        double half = p->points[i].above || p->points[i].limited ? 11 : 5;
        gb_places_box(&d->places, (gb_box){x - half, y - half, x + half, y + half});
    }
}

/* Each roof's value on it: measured ones below their line, theory, which is higher, above. */
static void label_lines(drawing *d, const gb_roof_panel *p)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        const gb_roof_line *l = &p->lines[i];
        double x, y, angle, width = gb_text_pixels(l->text, GB_LABEL_FONT - 1);
        if (gb_places_along(&d->places, area(d), px(d, l->x0), py(d, l->y0), px(d, l->x1),
                            py(d, l->y1), !l->measured, width, GB_LABEL_HEIGHT, &x, &y, &angle)) {
            gb_canvas_text(&d->canvas, l->text, x, y, "center", angle, NULL);
            continue;
        }
        gb_spot spot; /* a short line: beside its middle, with a leader where that must be */
        x = (px(d, l->x0) + px(d, l->x1)) / 2;
        y = (py(d, l->y0) + py(d, l->y1)) / 2;
        if (gb_places_beside(&d->places, area(d), x, y, width, GB_LABEL_HEIGHT, &spot)) {
            gb_canvas_text(&d->canvas, l->text, spot.x, spot.y, spot.to_left ? "right" : "left", 0,
                           NULL);
            if (spot.leader) {
                gb_canvas_line(&d->canvas, x, y, spot.lead_x, spot.lead_y, GREY, 0.7, 1);
            }
        }
    }
}

static void label_ridge(drawing *d, const gb_roof_panel *p)
{
    char text[64];
    if (!(p->ridge_x > 0)) {
        return;
    }
    double x = px(d, p->ridge_x), y = py(d, p->ridge_y);
    snprintf(text, sizeof text, "%sridge at %.3g FLOP/byte",
             p->ridge_measured ? "measured " : "theoretical ", p->ridge_x);
    double width = gb_text_pixels(text, GB_LABEL_FONT - 1);
    gb_canvas_line(&d->canvas, x, y, x, d->frame.bottom, GREY, 1, 3);
    gb_canvas_sign(&d->canvas, x, y, SIGN_RIDGE, 1.3, "#000000");
    gb_places_line(&d->places, x, y, x, d->frame.bottom);
    for (double up = 12; up < (d->frame.top - d->frame.bottom) / 2; up += GB_LABEL_HEIGHT) {
        double middle = d->frame.bottom + up, half = GB_LABEL_HEIGHT / 2;
        gb_box right = {x + 6, middle - half, x + 6 + width, middle + half};
        gb_box left = {x - 6 - width, middle - half, x - 6, middle + half};
        bool fits = gb_places_free(&d->places, area(d), right);
        if (fits || gb_places_free(&d->places, area(d), left)) {
            gb_places_box(&d->places, fits ? right : left);
            gb_canvas_text(&d->canvas, text, fits ? right.x0 : left.x0, middle, "left", 0, NULL);
            return;
        }
    }
}

/* The highest point of a group that is lower than the `skip` highest. */
static const gb_roof_point *highest(const gb_roof_panel *p, size_t group, size_t skip)
{
    const gb_roof_point *best = NULL;
    for (size_t i = 0; i <= skip; i++) {
        const gb_roof_point *next = NULL;
        for (size_t k = 0; k < p->n_points; k++) {
            const gb_roof_point *point = &p->points[k];
            if (point->group == group && (best == NULL || point->y < best->y) &&
                (next == NULL || point->y > next->y)) {
                next = point;
            }
        }
        if (next == NULL) {
            return NULL;
        }
        best = next;
    }
    return best;
}

/* Whether the text would stand as close to a sign of another group, in another place. */
static bool is_ambiguous(const drawing *d, const gb_roof_panel *p, const gb_roof_point *point,
                         const gb_spot *spot, double width)
{
    const double left = spot->to_left ? spot->x - width : spot->x, half = GB_LABEL_HEIGHT / 2;
    const gb_box box = {left, spot->y - half, left + width, spot->y + half};
    const double own_x = px(d, point->x), own_y = py(d, point->y);
    for (size_t i = 0; i < p->n_points; i++) {
        const double x = px(d, p->points[i].x), y = py(d, p->points[i].y);
        const double away = gb_distance(fmax(fmax(box.x0 - x, x - box.x1), 0),
                                        fmax(fmax(box.y0 - y, y - box.y1), 0));
        if (p->points[i].group != point->group && away < CLOSE &&
            gb_distance(x - own_x, y - own_y) > 2) {
            return true;
        }
    }
    return false;
}

static bool name_at(drawing *d, const gb_roof_panel *p, const gb_roof_point *point,
                    const char *text)
{
    gb_spot spot, far;
    double x = px(d, point->x), y = py(d, point->y);
    double width = gb_text_pixels(text, GB_LABEL_FONT - 1);
    gb_places *places = &d->places;
    const size_t before = places->n_boxes;
    const bool near = gb_places_near(places, area(d), x, y, width, GB_LABEL_HEIGHT, &spot);
    if (!near || is_ambiguous(d, p, point, &spot, width)) {
        const size_t with_near = places->n_boxes;
        places->n_boxes = before; /* its room is free again when another is found */
        if (gb_places_far(places, area(d), x, y, width, GB_LABEL_HEIGHT, &far)) {
            spot = far;
        } else if (near) {
            places->n_boxes = with_near;
        } else {
            return false;
        }
    }
    if (spot.leader) {
        gb_canvas_line(&d->canvas, x, y, spot.lead_x, spot.lead_y, GREY, 0.7, 1);
    }
    gb_canvas_text(&d->canvas, text, spot.x, spot.y, spot.to_left ? "right" : "left", 0, NULL);
    return true;
}

/* The number of a name in the legend, from 1. */
static size_t number_of(drawing *d, const char *name, size_t group)
{
    for (size_t i = 0; i < d->n_numbered; i++) {
        if (strcmp(d->numbered[i], name) == 0) {
            return i + 1;
        }
    }
    d->groups[d->n_numbered] = group;
    d->numbered[d->n_numbered++] = name;
    return d->n_numbered;
}

/* One name a group: at its highest point or the next below it that has room. */
static void label_group(drawing *d, const gb_roof_panel *p, size_t group)
{
    const gb_roof_point *best = highest(p, group, 0), *point = best;
    char number[32];
    for (size_t skip = 1; point != NULL && skip < 12; skip++) {
        if (name_at(d, p, point, p->groups[group])) {
            return;
        }
        point = highest(p, group, skip);
    }
    if (best == NULL || d->n_numbered == MAX_NUMBERED) {
        return;
    }
    snprintf(number, sizeof number, "%zu", number_of(d, p->groups[group], group));
    name_at(d, p, best, number); /* where that has no room either the legend's sign must do */
}

static void sign_flagged(drawing *d, const gb_roof_panel *p)
{
    for (size_t i = 0; i < p->n_points; i++) {
        const gb_roof_point *point = &p->points[i];
        if (point->above) {
            gb_canvas_sign(&d->canvas, px(d, point->x), py(d, point->y), SIGN_ABOVE, 1.8,
                           "#000000");
        }
        if (point->limited) {
            gb_canvas_sign(&d->canvas, px(d, point->x), py(d, point->y), SIGN_LIMITED, 1.8,
                           "#000000");
        }
    }
}

/* Lines first, then points; each is a block of the data. */
static void plot_command(drawing *d, const gb_roof_panel *p)
{
    gb_buf *body = &d->canvas.body;
    size_t block = p->block;
    char scale[40];
    gb_print_double(d->scale, scale, sizeof scale);
    for (size_t i = 0; i < p->n_lines + p->n_groups; i++) {
        const size_t group = i - p->n_lines;
        if (i >= p->n_lines && !gb_roof_panel_has(p, group)) {
            continue;
        }
        gb_buf_printf(body, "%s'plots/%s.dat' index %zu using 1:($2/%s)",
                      block == p->block ? "plot " : ", \\\n  ", d->canvas.name, block, scale);
        block++;
        if (i < p->n_lines) {
            gb_buf_printf(body, " with lines linewidth %s dashtype %d linecolor rgb '%s' notitle",
                          p->lines[i].measured ? "2" : "1.5", p->lines[i].measured ? 1 : 2,
                          p->lines[i].colour);
        } else {
            gb_buf_printf(body,
                          " with points pointtype %d pointsize 0.9 linecolor rgb '%s' notitle",
                          gb_picture_point(group), gb_picture_colour(group));
        }
    }
    gb_buf_add(body, "\n");
}

static void draw_panel(drawing *d, const gb_roof_panel *p, const char *title)
{
    char y_label[64];
    const gb_frame *f = &d->frame;
    gb_buf text = {0};
    snprintf(y_label, sizeof y_label, "%s, higher is better",
             d->own_unit != NULL ? "arithmetic rate" : d->unit);
    gb_buf_printf(&text, "%s (%s)", title, gb_compute_word(p->compute));
    gb_canvas_clear(&d->canvas);
    gb_picture_head(d->results, p->device, text.data != NULL ? text.data : title,
                    "FLOP/byte (counted operations over bytes that must move)", y_label,
                    &d->canvas.body);
    gb_buf_free(&text);
    gb_buf_add(&d->canvas.body, "unset key\n");
    gb_canvas_frame(&d->canvas, &d->frame);
    gb_canvas_axes(&d->canvas, f);
    gb_picture_log_ticks(&d->canvas.body, "x", f->x_min, f->x_max, NULL, f->right - f->left);
    gb_picture_log_ticks(&d->canvas.body, "y", f->y_min, f->y_max, d->own_unit, f->top - f->bottom);
    take_marks(d, p);
    label_lines(d, p);
    label_ridge(d, p);
    for (size_t g = 0; g < p->n_groups; g++) {
        label_group(d, p, g);
    }
    sign_flagged(d, p);
}

/* --- the legend ------------------------------------------------------------------------------- */

/* What one of the points of any panel is, or any line. */
static bool any(const gb_roof_panel panels[], size_t n, bool measured, bool theory, bool above,
                bool limited)
{
    for (size_t i = 0; i < n; i++) {
        const gb_roof_panel *p = &panels[i];
        for (size_t k = 0; k < p->n_lines; k++) {
            if ((measured && p->lines[k].measured) || (theory && !p->lines[k].measured)) {
                return true;
            }
        }
        for (size_t k = 0; k < p->n_points; k++) {
            if ((above && p->points[k].above) || (limited && p->points[k].limited)) {
                return true;
            }
        }
    }
    return false;
}

static void write_legend(gb_legend *l, const drawing *d, const gb_roof_panel panels[], size_t n)
{
    if (any(panels, n, true, false, false, false)) {
        gb_legend_entry(l, "roof, measured", 1, 0, "#000000", NULL);
    }
    if (any(panels, n, false, true, false, false)) {
        gb_legend_entry(l, "roof, theoretical or as published", 2, 0, "#000000", NULL);
    }
    if (any(panels, n, false, false, true, false)) {
        gb_legend_entry(l, "implausible: above its roof, an error in the measurement", 0,
                        SIGN_ABOVE, "#000000", NULL);
    }
    if (any(panels, n, false, false, false, true)) {
        gb_legend_entry(l, "kernel-limited: the kernel, not the device, sets the limit", 0,
                        SIGN_LIMITED, "#000000", NULL);
    }
    for (size_t i = 0; i < d->n_numbered; i++) {
        char *text = gb_text_format("%zu = %s", i + 1, d->numbered[i]);
        gb_legend_entry(l, text != NULL ? text : "", 0, gb_picture_point(d->groups[i]),
                        gb_picture_colour(d->groups[i]), NULL);
        free(text);
    }
    for (size_t i = 0; i < n; i++) {
        if (panels[i].missing.length > 0) {
            char *text = n == 1
                             ? gb_text_copy(panels[i].missing.data)
                             : gb_text_format("%s: %s",
                                              gb_results_device_label(d->results, panels[i].device),
                                              panels[i].missing.data);
            gb_legend_entry(l, text != NULL ? text : "", 0, 0, NULL, GREY);
            free(text);
        }
    }
}

/* The legend's height depends on which names found no place, these on the picture's height only
 * through the frame: two lines are there in any case, more make the picture higher. */
static double legend_height(const drawing *d, const gb_roof_panel panels[], size_t n, double width)
{
    gb_legend l = {.left = 20, .right = width - 20, .x = 20, .y = 0};
    write_legend(&l, d, panels, n);
    return -l.y + GB_LEGEND_LINE;
}

/* Draws everything for a legend of `height` pixels. */
static void draw_all(drawing *d, const gb_roof_panel panels[], size_t n, const char *title,
                     double height)
{
    const size_t columns = n == 1 ? 1 : 2, lines = (n + columns - 1) / columns;
    const double wide = n == 1 ? 1000 : 680, high = 575;
    d->canvas.width = (int)(wide * (double)columns);
    d->canvas.height = (int)(high * (double)lines + height + 8);
    d->n_numbered = 0;
    gb_buf_add(&d->canvas.body, "reset\n");
    for (size_t i = 0; i < n; i++) {
        double left = wide * (double)(i % columns);
        double bottom = height + 8 + high * (double)(lines - 1 - i / columns);
        d->frame = (gb_frame){.left = left + (d->own_unit != NULL ? 110 : 80),
                              .right = left + wide - 25,
                              .bottom = bottom + 65,
                              .top = bottom + high - 64,
                              .x_min = d->range->x_min,
                              .x_max = d->range->x_max,
                              .y_min = d->range->y_min / d->scale,
                              .y_max = d->range->y_max / d->scale,
                              .log_x = true,
                              .log_y = true};
        draw_panel(d, &panels[i], title);
        if (i + 1 == n) {
            gb_legend l = {.canvas = &d->canvas,
                           .left = 20,
                           .right = d->canvas.width - 20,
                           .x = 20,
                           .y = height + 4};
            write_legend(&l, d, panels, n);
        }
        plot_command(d, &panels[i]);
    }
}

void gb_roofline_draw(const gb_results *results, const gb_roof_panel panels[], size_t n,
                      const gb_roof_range *range, const char *title, const char *name,
                      gb_buf *script)
{
    drawing *d = calloc(1, sizeof *d);
    if (d == NULL) {
        script->failed = true;
        return;
    }
    d->results = results;
    d->range = range;
    d->canvas.name = name;
    d->scale = gb_picture_log_scale(range->y_min, range->y_max / 2, range->y_max, "FLOP/s", d->unit,
                                    &d->own_unit);
    draw_all(d, panels, n, title, GB_LEGEND_LINE);
    double height = legend_height(d, panels, n, d->canvas.width);
    if (height > GB_LEGEND_LINE) { /* the frame keeps its size, so that the same names are placed */
        gb_buf_free(&d->canvas.body);
        draw_all(d, panels, n, title, height);
    }
    gb_canvas_outputs(&d->canvas, script);
    free(d);
}
