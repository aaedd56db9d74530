#include "reports/plot/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/picture.h"
#include "reports/plot/series.h"

typedef struct curve {
    const gb_results *results;
    const json_t *plot;
    gb_wanted wanted;
    gb_figures figures;
    double *x; /* the different ones, growing */
    size_t n_x;
    const char *title;
    gb_buf *notes;
} curve;

/* --- points ----------------------------------------------------------------------------------- */

static double counted_work(const gb_work *work)
{
    uint64_t count = work->flops > 0         ? work->flops
                     : work->bytes_moved > 0 ? work->bytes_moved
                                             : work->items;
    return (double)count;
}

/* Time that falls by more than the noise while the work grows: drawn as measured, and said. */
static void note_dips(const curve *c, const gb_series *series)
{
    for (size_t i = 1; i < series->n; i++) {
        char from[32], to[32], x[40];
        const gb_point *at = &series->points[i];
        const gb_row *now = at->row, *before = series->points[i - 1].row;
        if (!(counted_work(&now->first->work) > counted_work(&before->first->work)) ||
            !isfinite(now->plus_minus) || !isfinite(before->plus_minus) ||
            !(now->time_ns * (1 + now->plus_minus) < before->time_ns / (1 + before->plus_minus))) {
            continue;
        }
        gb_buf_printf(c->notes,
                      "plots: %s: %s: at %s = %s the time falls from %s to %s although the work "
                      "grows; drawn as measured\n",
                      c->wanted.name, series->label, c->wanted.x,
                      gb_print_double(at->x, x, sizeof x),
                      gb_format_ns(before->time_ns, from, sizeof from),
                      gb_format_ns(now->time_ns, to, sizeof to));
    }
}

/* --- fitted lines ----------------------------------------------------------------------------- */

static bool may_be_fitted(const curve *c)
{
    return strcmp(c->wanted.x, "bytes") == 0 && strcmp(c->wanted.y, "bandwidth") == 0 &&
           strcmp(c->figures.items[0].points[0].row->first->kernel, "copy") == 0;
}

static const json_t *fit_for(const json_t *fits, const gb_row *row)
{
    size_t i;
    const json_t *fit;
    json_t *params = json_copy(row->first->params);
    const json_t *found = NULL;
    json_object_del(params, "bytes");
    json_array_foreach(fits, i, fit)
    {
        const char *benchmark = json_string_value(json_object_get(fit, "benchmark"));
        if (benchmark != NULL && strcmp(benchmark, row->first->benchmark) == 0 &&
            json_integer_value(json_object_get(fit, "device")) == row->first->device &&
            json_equal(params, json_object_get(fit, "params")) &&
            json_number_value(json_object_get(fit, "bandwidth")) > 0) {
            found = fit;
            break;
        }
    }
    json_decref(params);
    return found;
}

/* t = a + n / b as bandwidth, in the series' colour; a copy within the device moves 2n. */
static void fitted_line(const json_t *fit, const gb_point *p, double scale, size_t series,
                        gb_buf *lines)
{
    char a[40], b[40], f[40];
    double latency_s = json_number_value(json_object_get(fit, "latency_ns")) * 1e-9;
    double moved = (double)p->row->first->work.bytes_moved / p->x;
    gb_buf_printf(
        lines,
        ", \\\n  %s * x / (%s + x / %s) with lines dashtype 3 linewidth 1.5 "
        "linecolor rgb '%s' notitle",
        gb_print_double((moved > 0 ? moved : 1) / scale, f, sizeof f),
        gb_print_double(latency_s, a, sizeof a),
        gb_print_double(json_number_value(json_object_get(fit, "bandwidth")), b, sizeof b),
        gb_picture_colour(series));
}

static gb_code add_fits(const curve *c, double scale, gb_buf *lines, gb_error *err)
{
    json_t *fits = NULL;
    size_t drawn = 0;
    if (!may_be_fitted(c)) {
        return GB_OK;
    }
    gb_code code = gb_report_fits(c->results, &fits, err);
    for (size_t s = 0; code == GB_OK && s < c->figures.n; s++) {
        const gb_point *first = &c->figures.items[s].points[0];
        const json_t *fit = fit_for(fits, first->row);
        if (fit != NULL) {
            fitted_line(fit, first, scale, s, lines);
            drawn++;
        }
    }
    if (drawn > 0) { /* one entry for all of them */
        gb_buf_add(lines,
                   ", \\\n  NaN with lines dashtype 3 linewidth 1.5 linecolor rgb '#000000'");
        gb_picture_key(lines, "fitted: t = a + n / b");
    }
    json_decref(fits);
    return code;
}

/* --- the script ------------------------------------------------------------------------------- */

/* The axis of y. */
typedef struct y_axis {
    double low, high, scale;
    bool logarithmic;
    char unit[32];
    const char *own_unit; /* of each tick */
} y_axis;

static y_axis find_axis(const gb_figures *f)
{
    y_axis y = {0};
    gb_figures_range(f, &y.low, &y.high);
    y.logarithmic = y.high / y.low >= 8;
    y.scale = y.logarithmic
                  ? gb_picture_log_scale(y.low, f->y_max, y.high, f->unit, y.unit, &y.own_unit)
                  : gb_picture_scale(f->y_max, f->unit, y.unit);
    y.low = y.logarithmic ? y.low / y.scale : 0; /* a change of 3 % should look like one */
    y.high /= y.scale;
    return y;
}

static gb_code write_head(const curve *c, const y_axis *y, gb_buf *script, gb_error *err)
{
    const gb_figures *f = &c->figures;
    bool log_x = f->x_min > 0 && f->x_max / f->x_min >= 8;
    gb_buf x_label = {0}, y_label = {0};
    gb_picture_x_label(c->plot, &x_label);
    gb_picture_y_label(c->wanted.y, y->unit, f->higher, &y_label);
    gb_code code = x_label.failed || y_label.failed
                       ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                       : GB_OK;
    if (code == GB_OK) {
        gb_picture_head(c->results, f->device, c->title != NULL ? c->title : c->wanted.benchmark,
                        x_label.data, y_label.data, script);
        /* one entry more for the fitted lines */
        gb_picture_place_key(script, gb_figures_plain(f, &c->wanted) ? 0 : gb_figures_widest(f),
                             f->n + 1, 0);
        gb_picture_range(script, "x", f->x_min, f->x_max, log_x ? 10 : 0, NULL);
        gb_picture_range(script, "y", y->low, y->high, y->logarithmic ? 10 : 0, y->own_unit);
        code = gb_picture_value_ticks(script, c->wanted.x, c->x, c->n_x, log_x, err);
    }
    gb_buf_free(&x_label);
    gb_buf_free(&y_label);
    return code;
}

static gb_code write_script(const curve *c, gb_buf *script, gb_error *err)
{
    char number[40];
    const y_axis y = find_axis(&c->figures);
    gb_code code = write_head(c, &y, script, err);
    gb_buf lines = {0};
    gb_edges axis = {.from = y.low, .to = y.high};
    gb_picture_bounds(&axis.from, &axis.to, y.logarithmic ? 10 : 0);
    gb_figures_note_edges(&c->figures, &c->wanted, &axis, y.scale, c->notes);
    gb_print_double(y.scale, number, sizeof number);
    for (size_t s = 0; s < c->figures.n; s++) {
        const gb_edges edges = gb_figures_edges(&c->figures.items[s], &axis, y.scale);
        gb_picture_add_series(&lines, c->wanted.name, s, number, &edges);
        if (gb_figures_plain(&c->figures, &c->wanted) && !may_be_fitted(c)) {
            gb_buf_add(&lines, " notitle");
        } else {
            gb_picture_key(&lines, gb_figures_shown(&c->figures, s));
        }
    }
    if (code == GB_OK) {
        code = add_fits(c, y.scale, &lines, err);
    }
    if (code == GB_OK && lines.failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    if (code == GB_OK) {
        gb_picture_outputs(c->wanted.name, &lines, script);
    }
    gb_buf_free(&lines);
    return code;
}

gb_code gb_curve_write(const gb_results *results, const gb_table *table, const json_t *plot,
                       const char *name, gb_buf *script, gb_buf *data, gb_buf *notes, gb_error *err)
{
    curve c = {.results = results,
               .plot = plot,
               .wanted = gb_wanted_of(plot, name, GB_SERIES_MOST),
               .title = json_string_value(json_object_get(plot, "title")),
               .notes = notes};
    c.wanted.zero_x = true;
    if (c.wanted.benchmark == NULL || c.wanted.x == NULL || c.wanted.y == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: an entry without benchmark, x or y");
    }
    gb_code code = gb_figures_collect(results, table, &c.wanted, &c.figures, notes, err);
    if (code == GB_OK && c.figures.n_points == 0) {
        gb_buf_printf(notes, "plots: no data for %s (%s over %s)\n", c.wanted.benchmark, c.wanted.y,
                      c.wanted.x);
    } else if (code == GB_OK) {
        c.x = gb_figures_x(&c.figures, &c.n_x);
        code = c.x == NULL ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                           : write_script(&c, script, err);
    }
    for (size_t s = 0; code == GB_OK && s < c.figures.n; s++) {
        note_dips(&c, &c.figures.items[s]);
        gb_figures_block(&c.figures, &c.wanted, s, data);
    }
    free(c.x);
    gb_figures_free(&c.figures);
    return code;
}
