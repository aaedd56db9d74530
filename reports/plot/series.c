#include "reports/plot/series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/merge.h"

typedef struct search {
    const gb_results *results;
    const gb_table *table;
    const gb_wanted *wanted;
    gb_figures *out;
    json_t *places;  /* device and label of a series -> its place */
    json_t *varying; /* parameters in which the benchmark's cases differ, besides x and series */
    bool several;    /* devices */
    bool emulated;   /* nothing but emulated figures */
    size_t n_not_positive, n_emulated;
} search;

static bool is_emulated(const gb_row *row)
{
    return (row->flags & GB_BIT(GB_FLAG_EMULATED)) != 0;
}

static bool belongs(const search *s, const gb_row *row)
{
    return strcmp(row->first->benchmark, s->wanted->benchmark) == 0 &&
           json_object_get(row->first->params, s->wanted->x) != NULL;
}

static bool is_series_param(const search *s, const char *name)
{
    size_t i;
    const json_t *param;
    json_array_foreach(s->wanted->series, i, param)
    {
        if (strcmp(json_string_value(param), name) == 0) {
            return true;
        }
    }
    return strcmp(s->wanted->x, name) == 0;
}

/* One look at all rows: devices, emulated ones, parameters that vary. */
static void survey(search *s)
{
    const gb_row *first = NULL;
    s->emulated = true;
    for (size_t i = 0; i < s->table->n; i++) {
        const gb_row *row = &s->table->rows[i];
        const char *name;
        json_t *value;
        if (!belongs(s, row)) {
            continue;
        }
        first = first != NULL ? first : row;
        s->several = s->several || row->first->device != first->first->device;
        s->emulated = s->emulated && (row->n_ok == 0 || is_emulated(row));
        json_object_foreach(row->first->params, name, value)
        {
            if (!is_series_param(s, name) &&
                !json_equal(value, json_object_get(first->first->params, name))) {
                json_object_set_new(s->varying, name, json_true());
            }
        }
    }
}

static void add_part(gb_buf *out, const char *text)
{
    gb_buf_printf(out, "%s%s", out->length > 0 ? ", " : "", text);
}

/* "vendor", but "n 300": a number alone says little. */
static void add_value(const gb_row *row, const char *param, bool named, gb_buf *out)
{
    char value[160];
    named = named || json_is_number(json_object_get(row->first->params, param));
    gb_row_param_text(row, param, value, sizeof value);
    gb_buf_printf(out, "%s%s%s%s", out->length > 0 ? ", " : "", named ? param : "",
                  named ? " " : "", value);
}

/* *own: the length of what is the same for all devices. */
static void make_label(const search *s, const gb_row *row, gb_buf *out, size_t *own)
{
    size_t i;
    const json_t *param;
    const char *name;
    json_t *unused;
    json_array_foreach(s->wanted->series, i, param)
    {
        add_value(row, json_string_value(param), false, out);
    }
    json_object_foreach(s->varying, name, unused)
    {
        add_value(row, name, true, out);
    }
    *own = out->length;
    if (s->several) {
        add_part(out, gb_results_device_label(s->results, row->first->device));
    }
    if (s->emulated) {
        add_part(out, "emulated");
    }
    if (out->length == 0) {
        gb_buf_add(out, s->wanted->benchmark);
    }
}

static gb_series *new_series(search *s, const char *label, const gb_row *row)
{
    gb_figures *f = s->out;
    if (f->n == f->capacity) {
        size_t capacity = f->capacity == 0 ? 8 : 2 * f->capacity;
        gb_series *items = realloc(f->items, capacity * sizeof *items);
        if (items == NULL) {
            return NULL;
        }
        f->items = items;
        f->capacity = capacity;
    }
    gb_series *series = &f->items[f->n];
    *series = (gb_series){
        .label = gb_text_copy(label), .device = row->first->device, .index = row->first->index};
    f->n += series->label != NULL;
    return series->label != NULL ? series : NULL;
}

/* The series of a row, made when it is the first; NULL on out of memory. Two devices of the same
 * name are two series. */
static gb_series *series_of(search *s, const gb_row *row)
{
    gb_buf label = {0};
    size_t own;
    make_label(s, row, &label, &own);
    char *key = label.failed ? NULL : gb_text_format("%d %s", row->first->device, label.data);
    const json_t *place = key != NULL ? json_object_get(s->places, key) : NULL;
    gb_series *series = NULL;
    if (place != NULL) {
        series = &s->out->items[json_integer_value(place)];
    } else if (key != NULL) {
        series = new_series(s, label.data, row);
        if (series != NULL) {
            series->own = own;
            json_object_set_new(s->places, key, json_integer((json_int_t)s->out->n - 1));
        }
    }
    free(key);
    gb_buf_free(&label);
    return series;
}

static gb_point *new_point(gb_series *series)
{
    if (series->n == series->capacity) {
        size_t capacity = series->capacity == 0 ? 16 : 2 * series->capacity;
        gb_point *points = realloc(series->points, capacity * sizeof *points);
        if (points == NULL) {
            return NULL;
        }
        series->points = points;
        series->capacity = capacity;
    }
    return &series->points[series->n++];
}

static gb_code add_row(search *s, const gb_row *row, gb_error *err)
{
    gb_point p = {.row = row, .x = NAN};
    bool number = gb_row_number(row, s->wanted->x, &p.x);
    p.y = gb_row_metric(row, s->wanted->y, &s->out->unit, &s->out->higher);
    if ((number && !(p.x > 0) && !s->wanted->zero_x) || !(p.y > 0) || !isfinite(p.y)) {
        s->n_not_positive++;
        return GB_OK;
    }
    if (is_emulated(row) && !s->emulated) {
        s->n_emulated++;
        return GB_OK;
    }
    double half = isfinite(row->plus_minus) ? row->plus_minus : 0;
    p.low = p.y / (1 + half);
    p.high = p.y * (1 + half);
    gb_series *series = series_of(s, row);
    gb_point *place = series != NULL ? new_point(series) : NULL;
    if (place == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    *place = p;
    return GB_OK;
}

static int by_place(const void *a, const void *b)
{
    const gb_series *x = a, *y = b;
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return (x->device > y->device) - (x->device < y->device);
}

static int by_x(const void *a, const void *b)
{
    const gb_point *p = a, *q = b;
    uint32_t i = p->row->first->index, k = q->row->first->index;
    if (p->x < q->x || p->x > q->x) {
        return p->x < q->x ? -1 : 1;
    }
    return (i > k) - (i < k);
}

static void grow(double value, double *low, double *high)
{
    *low = value < *low || isnan(*low) ? value : *low;
    *high = value > *high || isnan(*high) ? value : *high;
}

/* A series has the place of its first case on any device: a device on which that case failed has it
 * too. Out of memory leaves some as they are. */
static void give_places(gb_figures *f)
{
    json_t *places = json_object();
    for (size_t i = 0; i < 2 * f->n; i++) { /* once to find them, once to give them */
        gb_series *series = &f->items[i % f->n];
        char *key = gb_text_format("%.*s", (int)series->own, series->label);
        const json_t *first = key != NULL ? json_object_get(places, key) : NULL;
        if (key != NULL && (first == NULL || json_integer_value(first) > series->index)) {
            json_object_set_new(places, key, json_integer(series->index));
        } else if (first != NULL) {
            series->index = (uint32_t)json_integer_value(first);
        }
        free(key);
    }
    json_decref(places);
}

/* No more than wanted, and of each of them all devices, where these are not too many. */
static void keep_first(gb_figures *f, const gb_wanted *wanted, gb_buf *notes)
{
    size_t keep = wanted->most;
    if (f->n <= keep) {
        return;
    }
    while (keep > 0 && f->items[keep - 1].index == f->items[keep].index) {
        keep--;
    }
    const bool all_devices = keep > 0 && keep < wanted->most;
    keep = keep > 0 ? keep : wanted->most;
    gb_buf_printf(
        notes,
        "plots: %s: %zu series; the suite's first %zu are drawn%s, the rest is in the table "
        "and in results.csv\n",
        wanted->name, f->n, keep, all_devices ? " (the same of each device)" : "");
    while (f->n > keep) {
        f->n--;
        free(f->items[f->n].label);
        free(f->items[f->n].points);
    }
}

static void finish(search *s, gb_buf *notes)
{
    gb_figures *f = s->out;
    if (s->n_not_positive > 0) {
        gb_buf_printf(notes, "plots: %s: %zu point%s without a positive value left out\n",
                      s->wanted->name, s->n_not_positive, s->n_not_positive == 1 ? "" : "s");
    }
    if (s->n_emulated > 0) {
        gb_buf_printf(notes, "plots: %s: %zu emulated point%s left out: no figures to compare\n",
                      s->wanted->name, s->n_emulated, s->n_emulated == 1 ? "" : "s");
    }
    if (f->n == 0) {
        return;
    }
    give_places(f);
    qsort(f->items, f->n, sizeof *f->items, by_place);
    keep_first(f, s->wanted, notes);
    f->device = f->items[0].device;
    for (size_t i = 0; i < f->n; i++) {
        gb_series *series = &f->items[i];
        qsort(series->points, series->n, sizeof *series->points, by_x);
        f->device = series->device == f->device ? f->device : -1;
        f->n_points += series->n;
        for (size_t p = 0; p < series->n; p++) {
            grow(series->points[p].x, &f->x_min, &f->x_max);
            grow(series->points[p].y, &f->y_min, &f->y_max);
        }
    }
    gb_figures_name(f, s->wanted);
}

gb_code gb_figures_collect(const gb_results *results, const gb_table *table,
                           const gb_wanted *wanted, gb_figures *out, gb_buf *notes, gb_error *err)
{
    search s = {.results = results,
                .table = table,
                .wanted = wanted,
                .out = out,
                .places = json_object(),
                .varying = json_object()};
    *out = (gb_figures){.unit = "", .x_min = NAN, .x_max = NAN, .y_min = NAN, .y_max = NAN};
    gb_code code = s.places != NULL && s.varying != NULL
                       ? GB_OK
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    if (code == GB_OK) {
        survey(&s);
    }
    for (size_t i = 0; code == GB_OK && i < table->n; i++) {
        if (belongs(&s, &table->rows[i]) && table->rows[i].n_ok > 0) {
            code = add_row(&s, &table->rows[i], err);
        }
    }
    if (code == GB_OK) {
        finish(&s, notes);
    } else {
        gb_figures_free(out);
    }
    json_decref(s.places);
    json_decref(s.varying);
    return code;
}

void gb_figures_free(gb_figures *figures)
{
    for (size_t i = 0; i < figures->n; i++) {
        free(figures->items[i].label);
        free(figures->items[i].shown);
        free(figures->items[i].points);
    }
    free(figures->items);
    *figures = (gb_figures){0};
}
