#include "reports/plot/bar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/picture.h"
#include "reports/plot/series.h"

#define MOST_FIGURES 12 /* bars with their figure above */
#define GROUP_WIDTH 0.8 /* of a group's place; the rest is the gap */
#define AXIS_PIXELS 640.0
#define FIGURE_PIXELS 5.5 /* a character of a figure */
#define BESIDE_PIXELS 4.0 /* from an interval's line to the figure beside it */
#define TALL 0.05         /* of the axis: a figure stands below the end of such an interval */

typedef struct bars {
    const gb_results *results;
    const json_t *plot;
    gb_wanted wanted;
    gb_figures figures;
    const gb_point **groups; /* a point of each value of x, in order */
    size_t n_groups;
    double low, high; /* of y with its intervals */
    /* The axis of y. */
    bool logarithmic;
    double scale;
    char unit[32];
    const char *own_unit; /* of each tick */
    gb_edges edges;
} bars;

/* Numbers growing; words in the order of the suite. */
static int by_value(const void *a, const void *b)
{
    const gb_point *p = *(const gb_point *const *)a, *q = *(const gb_point *const *)b;
    uint32_t i = p->row->first->index, k = q->row->first->index;
    if (p->x < q->x || p->x > q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return (i > k) - (i < k);
}

/* The group of a point, looked for from `from` on: points by growing x need no more. */
static size_t group_of(const bars *b, const gb_point *p, size_t from)
{
    size_t g = isnan(p->x) ? 0 : from;
    const json_t *value = json_object_get(p->row->first->params, b->wanted.x);
    while (g < b->n_groups &&
           !json_equal(json_object_get(b->groups[g]->row->first->params, b->wanted.x), value)) {
        g++;
    }
    return g;
}

static gb_code find_groups(bars *b, gb_error *err)
{
    size_t n = 0;
    const gb_point **all = calloc(b->figures.n_points + 1, sizeof *all);
    b->groups = calloc(b->figures.n_points + 1, sizeof *b->groups);
    if (all == NULL || b->groups == NULL) {
        free(all);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t s = 0; s < b->figures.n; s++) {
        for (size_t i = 0; i < b->figures.items[s].n; i++) {
            all[n++] = &b->figures.items[s].points[i];
        }
    }
    qsort(all, n, sizeof *all, by_value);
    for (size_t i = 0; i < n; i++) {
        size_t last = b->n_groups > 0 ? b->n_groups - 1 : 0;
        if (group_of(b, all[i], last) == b->n_groups) {
            b->groups[b->n_groups++] = all[i];
        }
    }
    free(all);
    return GB_OK;
}

static void add_block(const bars *b, size_t number, gb_buf *data)
{
    char text[3][40], value[160], figure[GB_TICK_TEXT];
    const gb_series *series = &b->figures.items[number];
    size_t group = 0;
    gb_buf_printf(data, "%s# series %zu: %s\n# group %s low high %s shown\n",
                  number > 0 ? "\n\n" : "", number, series->label, b->wanted.y, b->wanted.x);
    for (size_t i = 0; i < series->n; i++) {
        const gb_point *p = &series->points[i];
        group = group_of(b, p, group);
        gb_picture_figure(p->y / b->scale, b->own_unit, figure);
        gb_buf_printf(data, "%zu %s %s %s \"%s\" \"%s\"\n", group,
                      gb_print_double(p->y, text[0], 40), gb_print_double(p->low, text[1], 40),
                      gb_print_double(p->high, text[2], 40),
                      gb_row_param_text(p->row, b->wanted.x, value, sizeof value), figure);
    }
}

static gb_code group_ticks(const bars *b, gb_buf *script, gb_error *err)
{
    gb_tick *ticks = calloc(b->n_groups + 1, sizeof *ticks);
    if (ticks == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t g = 0; g < b->n_groups; g++) {
        ticks[g].at = (double)g;
        gb_row_param_text(b->groups[g]->row, b->wanted.x, ticks[g].text, sizeof ticks[g].text);
    }
    gb_picture_all_ticks(script, ticks, b->n_groups, AXIS_PIXELS);
    free(ticks);
    return GB_OK;
}

static void find_axis(bars *b)
{
    const gb_figures *f = &b->figures;
    gb_figures_range(f, &b->low, &b->high);
    b->logarithmic = gb_picture_bars_logarithmic(f->y_min, f->y_max, b->high);
    b->scale = b->logarithmic
                   ? gb_picture_log_scale(b->low, f->y_max, b->high, f->unit, b->unit, &b->own_unit)
                   : gb_picture_scale(f->y_max, f->unit, b->unit);
}

static gb_code write_head(bars *b, gb_buf *script, gb_error *err)
{
    const char *title = json_string_value(json_object_get(b->plot, "title"));
    gb_buf x_label = {0}, y_label = {0};
    char text[40];
    gb_picture_x_label(b->plot, &x_label);
    gb_picture_y_label(b->wanted.y, b->unit, b->figures.higher, &y_label);
    gb_buf_add(&y_label, b->logarithmic ? ", logarithmic" : "");
    if (x_label.failed || y_label.failed) {
        gb_buf_free(&x_label);
        gb_buf_free(&y_label);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    gb_picture_head(b->results, b->figures.device, title != NULL ? title : b->wanted.benchmark,
                    x_label.data, y_label.data, script);
    gb_picture_place_key(
        script, gb_figures_plain(&b->figures, &b->wanted) ? 0 : gb_figures_widest(&b->figures),
        b->figures.n, 0);
    gb_buf_free(&x_label);
    gb_buf_free(&y_label);
    gb_buf_printf(script, "set xrange [-0.6:%s]\nset grid noxtics\nset xtics scale 0\n",
                  gb_print_double((double)b->n_groups - 0.4, text, sizeof text));
    b->edges = gb_picture_value_axis(script, b->low / b->scale, b->high / b->scale, b->logarithmic,
                                     b->own_unit);
    return group_ticks(b, script, err);
}

/* Whether the longest figure has room at its bar's top beside the interval's line. */
static bool has_room_beside(const bars *b)
{
    size_t longest = 0;
    char figure[GB_TICK_TEXT];
    for (size_t s = 0; s < b->figures.n; s++) {
        for (size_t i = 0; i < b->figures.items[s].n; i++) {
            gb_picture_figure(b->figures.items[s].points[i].y / b->scale, b->own_unit, figure);
            longest = strlen(figure) > longest ? strlen(figure) : longest;
        }
    }
    const double each = b->figures.n > 1 ? GROUP_WIDTH / (double)b->figures.n : 1;
    return (BESIDE_PIXELS + FIGURE_PIXELS * (double)longest) * ((double)b->n_groups + 0.2) /
               AXIS_PIXELS <=
           each / 2;
}

/* The figures of a series. Above the interval, where that is near the bar's top or there is no room
 * for anything else; of a tall interval, and of one that leaves the picture, at the bar's top and
 * beside the line: what stands at another height is read as another value. */
static void add_figures(const bars *b, size_t s, const char *offset, const char *scale,
                        gb_buf *lines)
{
    char tall[192], shift[128], text[3][40];
    const double pixel = ((double)b->n_groups + 0.2) / AXIS_PIXELS;
    const double bar = GROUP_WIDTH / (double)b->figures.n;
    gb_print_double(b->edges.to, text[0], sizeof text[0]);
    if (!has_room_beside(b)) {
        snprintf(tall, sizeof tall, "$4/%s > %s", scale, text[0]);
        gb_print_double(bar * 0.25, shift, sizeof shift);
    } else {
        const double least = b->logarithmic ? pow(b->edges.to / b->edges.from, TALL)
                                            : TALL * (b->edges.to - b->edges.from);
        gb_print_double(least, text[1], sizeof text[1]);
        snprintf(tall, sizeof tall, "$4/%s > %s || %s%s > %s", scale, text[0],
                 b->logarithmic ? "$4/" : "($4-$2)/", b->logarithmic ? "$2" : scale, text[1]);
        gb_print_double(pixel * BESIDE_PIXELS, text[1], sizeof text[1]);
        gb_print_double(pixel * FIGURE_PIXELS / 2, text[2], sizeof text[2]);
        snprintf(shift, sizeof shift, "%s+%s*strlen(strcol(6))", text[1], text[2]);
    }
    gb_buf_printf(
        lines,
        ", \\\n  '' index %zu using ($1+%s+(%s ? %s : 0)):((%s ? $2 : $4)/%s):(strcol(6)) "
        "with labels offset 0,0.6 font ',9' notitle",
        s, offset, tall, shift, tall, scale);
}

/* The bars of a series, their intervals and, where there is room, their figures. */
static void add_series(const bars *b, size_t s, const char *scale, gb_buf *lines)
{
    char offset[40], width[40], place[64];
    const double bar = GROUP_WIDTH / (double)b->figures.n;
    const size_t all = b->n_groups * b->figures.n;
    gb_print_double(((double)s + 0.5) * bar - GROUP_WIDTH / 2, offset, sizeof offset);
    gb_print_double(bar * 0.92, width, sizeof width);
    gb_buf_printf(lines,
                  "%s'plots/%s.dat' index %zu using ($1+%s):($2/%s):(%s) with boxes fillstyle "
                  "pattern %d border linecolor rgb '%s' fillcolor rgb '%s'",
                  s > 0 ? ", \\\n  " : "", b->wanted.name, s, offset, scale, width,
                  gb_picture_fill(s), gb_picture_colour(s), gb_picture_colour(s));
    if (gb_figures_plain(&b->figures, &b->wanted)) {
        gb_buf_add(lines, " notitle");
    } else {
        gb_picture_key(lines, gb_figures_shown(&b->figures, s));
    }
    gb_buf_printf(lines,
                  ", \\\n  '' index %zu using ($1+%s):($3/%s):(0):(($4-$3)/%s) " GB_PICTURE_INTERVAL
                  " linecolor rgb '#000000' notitle",
                  s, offset, scale, scale);
    const gb_edges edges = gb_figures_edges(&b->figures.items[s], &b->edges, b->scale);
    snprintf(place, sizeof place, "($1+%s)", offset);
    gb_picture_add_edges(lines, s, place, scale, &edges, "#000000");
    if (all <= MOST_FIGURES) {
        add_figures(b, s, offset, scale, lines);
    }
}

static gb_code write_script(bars *b, gb_buf *script, gb_error *err)
{
    char number[40];
    gb_code code = write_head(b, script, err);
    gb_buf lines = {0};
    gb_print_double(b->scale, number, sizeof number);
    for (size_t s = 0; s < b->figures.n; s++) {
        add_series(b, s, number, &lines);
    }
    if (code == GB_OK && lines.failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    if (code == GB_OK) {
        gb_picture_outputs(b->wanted.name, &lines, script);
    }
    gb_buf_free(&lines);
    return code;
}

gb_code gb_bar_write(const gb_results *results, const gb_table *table, const json_t *plot,
                     const char *name, gb_buf *script, gb_buf *data, gb_buf *notes, gb_error *err)
{
    bars b = {.results = results, .plot = plot, .wanted = gb_wanted_of(plot, name, GB_SERIES_MOST)};
    b.wanted.zero_x = true;
    if (b.wanted.benchmark == NULL || b.wanted.x == NULL || b.wanted.y == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: an entry without benchmark, x or y");
    }
    gb_code code = gb_figures_collect(results, table, &b.wanted, &b.figures, notes, err);
    if (code == GB_OK && b.figures.n_points == 0) {
        gb_buf_printf(notes, "plots: no data for %s (%s over %s)\n", b.wanted.benchmark, b.wanted.y,
                      b.wanted.x);
    } else if (code == GB_OK) {
        find_axis(&b);
        code = find_groups(&b, err);
        for (size_t s = 0; code == GB_OK && s < b.figures.n; s++) {
            add_block(&b, s, data);
        }
        code = code == GB_OK ? write_script(&b, script, err) : code;
        gb_figures_note_edges(&b.figures, &b.wanted, &b.edges, b.scale, notes);
    }
    free(b.groups);
    gb_figures_free(&b.figures);
    return code;
}
