#include "reports/plot/ladder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/merge.h"
#include "reports/plot/canvas.h"
#include "reports/plot/picture.h"
#include "reports/plot/series.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
#define WIDTH 1000
#define PLOT_HEIGHT 560.0
#define MARKS 24
#define NAMED 2 /* devices of a mark */

/* A cache's size on the x axis. */
typedef struct mark {
    double x;
    const char *cache;
    uint64_t bytes;
    int devices;
    gb_buf text; /* "L2 60 MiB", and the devices where there are several */
} mark;

typedef struct ladder {
    const gb_results *results;
    const json_t *plot;
    gb_wanted wanted;
    gb_figures figures;
    mark marks[MARKS];
    size_t n_marks;
    gb_buf unknown; /* caches whose sizes are not known */
    gb_canvas canvas;
    gb_frame frame;
    gb_places places;
    double scale;
    char unit[32];
    const char *own_unit; /* of each tick */
    gb_buf *notes;
} ladder;

/* --- caches ----------------------------------------------------------------------------------- */

/* The x at which a device's cases have a working set of `bytes`, between the two points around it
 * in proportion on the logarithmic axes; NAN outside of what was measured. */
static double x_of_bytes(const ladder *l, int device, double bytes)
{
    for (size_t s = 0; s < l->figures.n; s++) {
        const gb_series *series = &l->figures.items[s];
        for (size_t i = 0; series->device == device && i + 1 < series->n; i++) {
            const gb_point *a = &series->points[i], *b = a + 1;
            double from = (double)a->row->first->work.working_set;
            double to = (double)b->row->first->work.working_set;
            if (from > 0 && from <= bytes && bytes <= to) {
                double share = to > from ? log(bytes / from) / log(to / from) : 0;
                return a->x * pow(b->x / a->x, share);
            }
        }
    }
    return NAN;
}

static void add_mark(ladder *l, int device, const char *cache, double bytes)
{
    char size[32];
    double x = x_of_bytes(l, device, bytes);
    const bool several = l->figures.device < 0;
    mark *m = l->marks;
    while (m < l->marks + l->n_marks &&
           !(strcmp(m->cache, cache) == 0 && m->bytes == (uint64_t)bytes &&
             fabs(m->x / x - 1) < 1e-9)) {
        m++;
    }
    if (!(x > 0) || m == l->marks + MARKS) {
        return;
    }
    if (m == l->marks + l->n_marks) {
        *m = (mark){.x = x, .cache = cache, .bytes = (uint64_t)bytes};
        l->n_marks++;
        gb_buf_printf(&m->text, "%s %s", cache, gb_format_bytes(m->bytes, size, sizeof size));
    }
    m->devices++;
    if (several && m->devices <= NAMED) {
        gb_buf_printf(&m->text, ", %s", gb_results_device_label(l->results, device));
    } else if (several && m->devices == NAMED + 1) {
        gb_buf_add(&m->text, ", ...");
    }
}

/* A last cache of the same size as L2 is L2. */
static void mark_device(ladder *l, int device)
{
    const json_t *facts =
        json_array_get(json_object_get(l->results->document, "devices"), (size_t)device);
    const bool cpu = strcmp(gb_results_device_kind(l->results, device), "cpu") == 0;
    const struct {
        const char *cache, *key;
        bool meant;
    } caches[] = {{"L1d", "l1d_bytes", cpu},
                  {"L2", "l2_bytes", cpu},
                  {cpu ? "last cache" : "L2", "llc_bytes", true}};
    double before = 0;
    gb_buf missing = {0};
    for (size_t i = 0; i < COUNT(caches); i++) {
        double bytes = json_number_value(json_object_get(facts, caches[i].key));
        if (caches[i].meant && !(bytes > 0)) {
            gb_buf_printf(&missing, "%s%s", missing.length > 0 ? ", " : "", caches[i].cache);
        } else if (caches[i].meant && bytes != before) {
            add_mark(l, device, caches[i].cache, bytes);
            before = bytes;
        }
    }
    if (missing.length > 0) {
        gb_buf_printf(&l->unknown, "%s%s of %s", l->unknown.length > 0 ? "; " : "", missing.data,
                      gb_results_device_label(l->results, device));
    }
    gb_buf_free(&missing);
}

static void find_marks(ladder *l, gb_buf *notes)
{
    const size_t n = json_array_size(json_object_get(l->results->document, "devices"));
    for (int device = 0; device < (int)n; device++) {
        bool there = false;
        for (size_t s = 0; s < l->figures.n; s++) {
            there = there || l->figures.items[s].device == device;
        }
        if (there) {
            mark_device(l, device);
        }
    }
    if (l->unknown.length > 0) {
        gb_buf_printf(notes, "plots: %s: sizes of caches that are not known are not drawn: %s\n",
                      l->wanted.name, l->unknown.data);
    }
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void find_ranges(ladder *l)
{
    const gb_figures *f = &l->figures;
    double low, high;
    gb_figures_range(f, &low, &high);
    l->scale = gb_picture_log_scale(low, f->y_max, high, f->unit, l->unit, &l->own_unit);
    const double x_room = f->x_max > f->x_min ? 1.2 : 2, y_room = high > low ? 1.25 : 2;
    l->frame.x_min = f->x_min / x_room;
    l->frame.x_max = f->x_max * x_room;
    l->frame.y_min = low / l->scale / y_room;
    l->frame.y_max = high / l->scale * y_room;
    l->frame.log_x = l->frame.log_y = true;
}

static gb_box area(const ladder *l)
{
    return (gb_box){l->frame.left, l->frame.bottom + 2, l->frame.right, l->frame.top};
}

static void take_points(ladder *l)
{
    for (size_t s = 0; s < l->figures.n; s++) {
        const gb_series *series = &l->figures.items[s];
        double before_x = 0, before_y = 0;
        for (size_t i = 0; i < series->n; i++) {
            double x = gb_frame_x(&l->frame, series->points[i].x);
            double y = gb_frame_y(&l->frame, series->points[i].y / l->scale);
            gb_places_box(&l->places, (gb_box){x - 5, y - 5, x + 5, y + 5});
            if (i > 0) {
                gb_places_line(&l->places, before_x, before_y, x, y);
            }
            before_x = x;
            before_y = y;
        }
    }
}

/* A vertical line and its text along it: at the top or, where the curve is, at the bottom. */
static void draw_mark(ladder *l, const mark *m)
{
    const double x = gb_frame_x(&l->frame, m->x), half = GB_LABEL_HEIGHT / 2;
    const double length = gb_text_pixels(m->text.data, GB_LABEL_FONT - 1);
    const double tops[] = {l->frame.top - 2, l->frame.bottom + length + 8,
                           (l->frame.top + l->frame.bottom + length) / 2};
    gb_canvas_line(&l->canvas, x, l->frame.bottom, x, l->frame.top, GB_PICTURE_GREY, 1.5, 2);
    for (size_t i = 0; i < 2 * COUNT(tops); i++) {
        double middle = i % 2 == 0 ? x - half - 1 : x + half + 2, top = tops[i / 2];
        gb_box box = {middle - half, top - length, middle + half, top};
        if (gb_places_free(&l->places, area(l), box)) {
            gb_places_box(&l->places, box);
            gb_canvas_text(&l->canvas, m->text.data, middle, top, "right", 90, NULL);
            return;
        }
    }
    gb_canvas_text(&l->canvas, m->text.data, x - half - 1, tops[0], "right", 90, NULL);
}

static void write_legend(const ladder *l, gb_legend *legend)
{
    for (size_t s = 0; s < l->figures.n && l->figures.n > 1; s++) { /* one needs no name */
        gb_legend_entry(legend, gb_figures_shown(&l->figures, s), gb_picture_dash(s),
                        gb_picture_point(s), gb_picture_colour(s), NULL);
    }
    if (l->unknown.length > 0) {
        char *text = gb_text_format("sizes not known, not drawn: %s", l->unknown.data);
        gb_legend_entry(legend, text != NULL ? text : "", 0, 0, NULL, "#666666");
        free(text);
    }
}

static gb_code write_head(ladder *l, double height, gb_error *err)
{
    const char *title = json_string_value(json_object_get(l->plot, "title"));
    gb_buf x_label = {0}, y_label = {0}, *body = &l->canvas.body;
    size_t n = 0;
    double *x = gb_figures_x(&l->figures, &n);
    gb_picture_x_label(l->plot, &x_label);
    gb_picture_y_label(l->wanted.y, l->unit, l->figures.higher, &y_label);
    gb_code code = x == NULL || x_label.failed || y_label.failed
                       ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                       : GB_OK;
    if (code == GB_OK) {
        gb_picture_head(l->results, l->figures.device, title != NULL ? title : l->wanted.benchmark,
                        x_label.data, y_label.data, body);
        gb_buf_add(body, "unset key\n");
        l->frame.bottom = height + 65;
        l->frame.top = height + PLOT_HEIGHT - 62;
        gb_canvas_frame(&l->canvas, &l->frame);
        gb_canvas_axes(&l->canvas, &l->frame);
        gb_picture_log_ticks(body, "y", l->frame.y_min, l->frame.y_max, l->own_unit,
                             l->frame.top - l->frame.bottom);
        code = gb_picture_value_ticks(body, l->wanted.x, x, n, true, err);
    }
    gb_buf_free(&x_label);
    gb_buf_free(&y_label);
    free(x);
    return code;
}

static void plot_command(ladder *l)
{
    char scale[40];
    const gb_edges axis = {.from = l->frame.y_min, .to = l->frame.y_max};
    gb_figures_note_edges(&l->figures, &l->wanted, &axis, l->scale, l->notes);
    gb_print_double(l->scale, scale, sizeof scale);
    for (size_t s = 0; s < l->figures.n; s++) {
        gb_buf_printf(&l->canvas.body,
                      "%s'plots/%s.dat' index %zu using 1:($2/%s):($3/%s):($4/%s) with yerrorlines "
                      "linewidth 2 dashtype %d pointtype %d pointsize 0.8 linecolor rgb '%s' "
                      "notitle",
                      s == 0 ? "plot " : ", \\\n  ", l->wanted.name, s, scale, scale, scale,
                      gb_picture_dash(s), gb_picture_point(s), gb_picture_colour(s));
        const gb_edges edges = gb_figures_edges(&l->figures.items[s], &axis, l->scale);
        gb_picture_add_edges(&l->canvas.body, s, "1", scale, &edges, gb_picture_colour(s));
    }
    gb_buf_add(&l->canvas.body, "\n");
}

static gb_code draw(ladder *l, gb_buf *script, gb_error *err)
{
    gb_legend legend = {.left = 20, .right = WIDTH - 20, .x = 20, .y = 0};
    write_legend(l, &legend);
    const double height = GB_LEGEND_LINE - legend.y;
    l->canvas =
        (gb_canvas){.name = l->wanted.name, .width = WIDTH, .height = (int)(PLOT_HEIGHT + height)};
    find_ranges(l);
    l->frame.left = l->own_unit != NULL ? 100 : 80;
    l->frame.right = WIDTH - 25;
    gb_code code = write_head(l, height, err);
    if (code == GB_OK) {
        take_points(l);
        for (size_t i = 0; i < l->n_marks; i++) {
            draw_mark(l, &l->marks[i]);
        }
        legend = (gb_legend){
            .canvas = &l->canvas, .left = 20, .right = WIDTH - 20, .x = 20, .y = height + 2};
        write_legend(l, &legend);
        plot_command(l);
        gb_canvas_outputs(&l->canvas, script);
    }
    gb_buf_free(&l->canvas.body);
    return code;
}

gb_code gb_ladder_write(const gb_results *results, const gb_table *table, const json_t *plot,
                        const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                        gb_error *err)
{
    ladder *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    l->results = results;
    l->plot = plot;
    l->wanted = gb_wanted_of(plot, name, GB_SERIES_MOST);
    l->notes = notes;
    gb_code code = GB_OK;
    if (l->wanted.benchmark == NULL || l->wanted.x == NULL || l->wanted.y == NULL) {
        code = gb_fail(err, GB_INVALID, "suite.plots: a ladder without benchmark, x or y");
    }
    if (code == GB_OK) {
        code = gb_figures_collect(results, table, &l->wanted, &l->figures, notes, err);
    }
    if (code == GB_OK && l->figures.n_points == 0) {
        gb_buf_printf(notes, "plots: no data for %s (%s over %s)\n", l->wanted.benchmark,
                      l->wanted.y, l->wanted.x);
    } else if (code == GB_OK) {
        find_marks(l, notes);
        code = draw(l, script, err);
    }
    for (size_t s = 0; code == GB_OK && s < l->figures.n; s++) {
        gb_figures_block(&l->figures, &l->wanted, s, data);
    }
    for (size_t i = 0; i < l->n_marks; i++) {
        gb_buf_free(&l->marks[i].text);
    }
    gb_buf_free(&l->unknown);
    gb_figures_free(&l->figures);
    free(l);
    return code;
}
