/* What pictures need of figures that were collected (series.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/picture.h"
#include "reports/plot/series.h"

gb_wanted gb_wanted_of(const json_t *plot, const char *name, size_t most)
{
    return (gb_wanted){.name = name,
                       .benchmark = json_string_value(json_object_get(plot, "benchmark")),
                       .x = json_string_value(json_object_get(plot, "x")),
                       .y = json_string_value(json_object_get(plot, "y")),
                       .series = json_object_get(plot, "series"),
                       .most = most};
}

void gb_figures_row(gb_buf *data, const double numbers[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[40];
        gb_buf_printf(data, "%s%s", gb_print_double(numbers[i], text, sizeof text),
                      i + 1 < n ? " " : "\n");
    }
}

void gb_figures_block(const gb_figures *figures, const gb_wanted *wanted, size_t number,
                      gb_buf *data)
{
    const gb_series *series = &figures->items[number];
    gb_buf_printf(data, "%s# series %zu: %s\n# %s %s low high\n", number > 0 ? "\n\n" : "", number,
                  series->label, wanted->x, wanted->y);
    for (size_t i = 0; i < series->n; i++) {
        const gb_point *p = &series->points[i];
        const double numbers[] = {p->x, p->y, p->low, p->high};
        gb_figures_row(data, numbers, 4);
    }
}

void gb_figures_range(const gb_figures *figures, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (size_t s = 0; s < figures->n; s++) {
        for (size_t i = 0; i < figures->items[s].n; i++) {
            const gb_point *p = &figures->items[s].points[i];
            *low = fmin(*low, fmax(p->low, p->y / GB_LONGEST_INTERVAL));
            *high = fmax(*high, fmin(p->high, p->y * GB_LONGEST_INTERVAL));
        }
    }
}

gb_edges gb_figures_edges(const gb_series *series, const gb_edges *axis, double scale)
{
    gb_edges edges = {.from = axis->from, .to = axis->to};
    for (size_t i = 0; i < series->n; i++) {
        edges.below = edges.below || series->points[i].low / scale < axis->from;
        edges.above = edges.above || series->points[i].high / scale > axis->to;
    }
    return edges;
}

void gb_figures_note_edges(const gb_figures *figures, const gb_wanted *wanted, const gb_edges *axis,
                           double scale, gb_buf *notes)
{
    size_t n = 0;
    for (size_t s = 0; s < figures->n; s++) {
        for (size_t i = 0; i < figures->items[s].n; i++) {
            const gb_point *p = &figures->items[s].points[i];
            n += p->low / scale < axis->from || p->high / scale > axis->to;
        }
    }
    if (n > 0) {
        gb_buf_printf(notes,
                      "plots: %s: %zu interval%s longer than a factor of %g: a triangle stands "
                      "where %s leave%s the picture\n",
                      wanted->name, n, n == 1 ? " is" : "s are", GB_LONGEST_INTERVAL,
                      n == 1 ? "it" : "they", n == 1 ? "s" : "");
    }
}

size_t gb_figures_widest(const gb_figures *figures)
{
    size_t widest = 0;
    for (size_t s = 0; s < figures->n; s++) {
        size_t width = gb_utf8_width(gb_figures_shown(figures, s));
        widest = width > widest ? width : widest;
    }
    return widest;
}

bool gb_figures_plain(const gb_figures *figures, const gb_wanted *wanted)
{
    return figures->n == 1 && strcmp(figures->items[0].label, wanted->benchmark) == 0;
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double *gb_figures_x(const gb_figures *figures, size_t *n)
{
    double *all = calloc(figures->n_points + 1, sizeof *all);
    size_t count = 0, kept = 0;
    *n = 0;
    for (size_t s = 0; all != NULL && s < figures->n; s++) {
        for (size_t p = 0; p < figures->items[s].n; p++) {
            all[count++] = figures->items[s].points[p].x;
        }
    }
    if (all == NULL) {
        return NULL;
    }
    qsort(all, count, sizeof *all, by_number);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || all[i] > all[kept - 1]) {
            all[kept++] = all[i];
        }
    }
    *n = kept;
    return all;
}

const char *gb_figures_shown(const gb_figures *figures, size_t series)
{
    const gb_series *one = &figures->items[series];
    return one->shown != NULL ? one->shown : one->label;
}

/* Whether two legend texts are the same when they are cut. */
static bool look_alike(const gb_figures *f)
{
    json_t *seen = json_object();
    bool alike = false;
    for (size_t i = 0; i < f->n && !alike; i++) {
        gb_buf cut = {0};
        gb_picture_cut(&cut, gb_figures_shown(f, i), GB_LEGEND_COLUMNS);
        alike = cut.data != NULL && json_object_get(seen, cut.data) != NULL;
        json_object_set_new(seen, cut.data != NULL ? cut.data : "", json_true());
        gb_buf_free(&cut);
    }
    json_decref(seen);
    return alike;
}

/* The values of a series' parameters, which all of its rows have, without their names. */
static void brief(const gb_figures *f, const gb_wanted *wanted, size_t s, gb_buf *out)
{
    const gb_row *row = f->items[s].points[0].row;
    const char *param;
    json_t *value;
    json_object_foreach(row->first->params, param, value)
    {
        char text[160];
        bool varies = false;
        for (size_t i = 0; i < f->n && !varies; i++) {
            const gb_row *other = f->items[i].points[0].row;
            varies = !json_equal(value, json_object_get(other->first->params, param));
        }
        if (varies && (wanted->x == NULL || strcmp(param, wanted->x) != 0)) {
            gb_buf_printf(out, "%s%s", out->length > 0 ? ", " : "",
                          gb_row_param_text(row, param, text, sizeof text));
        }
    }
    gb_buf_printf(out, "%s", f->items[s].label + f->items[s].own); /* the device */
}

void gb_figures_name(gb_figures *f, const gb_wanted *wanted)
{
    for (int way = 0; way < 2 && look_alike(f); way++) {
        for (size_t s = 0; s < f->n; s++) {
            gb_buf text = {0};
            if (way == 0) {
                brief(f, wanted, s, &text);
            } else {
                gb_buf_printf(&text, "%zu: %s", s + 1, gb_figures_shown(f, s));
            }
            free(f->items[s].shown);
            f->items[s].shown = gb_text_copy(text.data != NULL ? text.data : "");
            gb_buf_free(&text);
        }
    }
}
