#include "reports/plot/curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/gnuplot.h"
#include "reports/plot/picture.h"

typedef struct curve {
    const char *benchmark, *x, *y, *title;
    const char *x_label, *y_label, *unit;
    bool higher;
    const json_t *series;
    double x_min, x_max, y_min, y_max;
    size_t n_points, n_series, left_out;
    const char *name;
    gb_buf *notes;
} curve;

/* "h2d, pinned": the series' name from its parameters; with the device where there are several. */
static void series_label(const gb_results *results, const curve *c, const gb_row *row, gb_buf *out)
{
    size_t i;
    const json_t *param;
    json_array_foreach(c->series, i, param)
    {
        char value[160];
        gb_buf_printf(out, "%s%s", out->length > 0 ? ", " : "",
                      gb_row_param_text(row, json_string_value(param), value, sizeof value));
    }
    if (json_array_size(json_object_get(results->document, "devices")) > 1) {
        gb_buf_printf(out, "%s%s", out->length > 0 ? ", " : "",
                      gb_results_device_name(results, row->first->device));
    }
    if (out->length == 0) {
        gb_buf_add(out, c->benchmark);
    }
}

static bool belongs(const curve *c, const gb_row *row)
{
    double x = 0;
    return strcmp(row->first->benchmark, c->benchmark) == 0 && gb_row_number(row, c->x, &x);
}

typedef struct point {
    double x, y, low, high;
    double time, half, work; /* for dips */
} point;

static int by_x(const void *a, const void *b)
{
    double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return x < y ? -1 : x > y;
}

static double counted_work(const gb_work *work)
{
    uint64_t count = work->flops > 0         ? work->flops
                     : work->bytes_moved > 0 ? work->bytes_moved
                                             : work->items;
    return (double)count;
}

/* Time that falls by more than the noise while the work grows: drawn as measured, and said. */
static void note_dips(const curve *c, const char *label, const point p[], size_t n)
{
    for (size_t i = 1; i < n; i++) {
        char from[32], to[32], x[40];
        if (!(p[i].work > p[i - 1].work) || !isfinite(p[i].half) || !isfinite(p[i - 1].half) ||
            !(p[i].time * (1 + p[i].half) < p[i - 1].time / (1 + p[i - 1].half))) {
            continue;
        }
        gb_buf_printf(c->notes,
                      "plots: %s: %s: at %s = %s the time falls from %s to %s although the work "
                      "grows; drawn as measured\n",
                      c->name, label, c->x, gb_print_double(p[i].x, x, sizeof x),
                      gb_format_ns(p[i - 1].time, from, sizeof from),
                      gb_format_ns(p[i].time, to, sizeof to));
    }
}

/* The points of the series called `label`, in order of x; returns how many. */
static size_t collect(const gb_results *results, const gb_table *table, curve *c, const char *label,
                      point out[])
{
    size_t n = 0;
    for (size_t i = 0; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        gb_buf text = {0};
        if (!belongs(c, row)) {
            continue;
        }
        series_label(results, c, row, &text);
        bool same = text.data != NULL && strcmp(text.data, label) == 0;
        gb_buf_free(&text);
        if (!same || row->n_ok == 0) {
            continue;
        }
        point p = {0};
        gb_row_number(row, c->x, &p.x);
        p.y = gb_row_metric(row, c->y, &c->unit, &c->higher);
        if (!(p.x > 0) || !(p.y > 0) || !isfinite(p.y)) {
            c->left_out++;
            continue;
        }
        double half = isfinite(row->plus_minus) ? row->plus_minus : 0;
        p.time = row->time_ns;
        p.half = row->plus_minus;
        p.work = counted_work(&row->first->work);
        p.low = p.y / (1 + half);
        p.high = p.y * (1 + half);
        out[n++] = p;
    }
    qsort(out, n, sizeof *out, by_x);
    return n;
}

static void grow(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

static void add_block(curve *c, const char *label, const point p[], size_t n, gb_buf *data)
{
    char number[4][40];
    gb_buf_printf(data, "%s# series %zu: %s\n# %s %s low high\n", c->n_series > 0 ? "\n\n" : "",
                  c->n_series, label, c->x, c->y);
    for (size_t i = 0; i < n; i++) {
        gb_buf_printf(data, "%s %s %s %s\n", gb_print_double(p[i].x, number[0], 40),
                      gb_print_double(p[i].y, number[1], 40),
                      gb_print_double(p[i].low, number[2], 40),
                      gb_print_double(p[i].high, number[3], 40));
        grow(p[i].x, &c->x_min, &c->x_max);
        /* A bar that is longer than a factor of two (two replicates that differ) leaves the picture
         * instead of flattening all else. */
        grow(fmax(p[i].low, p[i].y / 2), &c->y_min, &c->y_max);
        grow(fmin(p[i].high, p[i].y * 2), &c->y_min, &c->y_max);
    }
    c->n_points += n;
    c->n_series++;
}

/* Ticks at powers of two (bytes) with their labels: at most about a dozen. */
static void byte_ticks(const curve *c, gb_buf *script)
{
    int from = (int)floor(log2(c->x_min)), to = (int)ceil(log2(c->x_max));
    int step = (to - from) / 11 + 1;
    gb_buf_add(script, "set xtics (");
    for (int e = from; e <= to; e += step) {
        char text[32];
        gb_format_bytes((uint64_t)1 << e, text, sizeof text);
        gb_buf_printf(script, "%s'%s' %.0f", e > from ? ", " : "", text, ldexp(1, e));
    }
    gb_buf_add(script, ") rotate by -30\n");
}

static void axis_range(const char *axis, double low, double high, bool logarithmic, gb_buf *script)
{
    char a[40], b[40];
    double pad = high > low ? (high - low) * 0.06 : fabs(high) * 0.5;
    double from = logarithmic ? low / 1.3 : low - pad, to = logarithmic ? high * 1.3 : high + pad;
    if (!logarithmic && from < 0) {
        from = 0;
    }
    gb_buf_printf(script, "set %srange [%s:%s]\n", axis, gb_print_double(from, a, sizeof a),
                  gb_print_double(to, b, sizeof b));
    if (logarithmic) {
        gb_buf_printf(script, "set logscale %s 10\n", axis);
    }
}

/* Fitted lines t = a + n/b, dashed in the series' colour, for copies drawn as bandwidth. */
static json_t *fit_for(const json_t *fits, const gb_row *row, const char *x)
{
    size_t i;
    json_t *fit;
    json_array_foreach(fits, i, fit)
    {
        const char *benchmark = json_string_value(json_object_get(fit, "benchmark"));
        json_t *params = json_copy(row->first->params);
        json_object_del(params, x);
        bool same = benchmark != NULL && strcmp(benchmark, row->first->benchmark) == 0 &&
                    json_integer_value(json_object_get(fit, "device")) == row->first->device &&
                    json_equal(params, json_object_get(fit, "params"));
        json_decref(params);
        if (same) {
            return fit;
        }
    }
    return NULL;
}

static const gb_row *first_row(const gb_results *results, const gb_table *table, const curve *c,
                               const char *label)
{
    for (size_t i = 0; i < table->n; i++) {
        gb_buf text = {0};
        if (!belongs(c, &table->rows[i])) {
            continue;
        }
        series_label(results, c, &table->rows[i], &text);
        bool same = text.data != NULL && strcmp(text.data, label) == 0;
        gb_buf_free(&text);
        if (same) {
            return &table->rows[i];
        }
    }
    return NULL;
}

static void fitted_line(const json_t *fit, const curve *c, double scale, size_t series,
                        gb_buf *lines)
{
    const gb_fit f = {.latency_ns = json_number_value(json_object_get(fit, "latency_ns")),
                      .bandwidth = json_number_value(json_object_get(fit, "bandwidth"))};
    char a[40], b[40], s[40];
    if (strcmp(c->y, "bandwidth") != 0 || !(f.bandwidth > 0)) {
        return;
    }
    gb_buf_printf(lines,
                  ", \\\n  x / (%s + x / %s) / %s with lines dashtype 2 linewidth 1 "
                  "linecolor rgb '%s' notitle",
                  gb_print_double(f.latency_ns * 1e-9, a, sizeof a),
                  gb_print_double(f.bandwidth, b, sizeof b), gb_print_double(scale, s, sizeof s),
                  gb_picture_colour(series));
}

static void write_head(const gb_results *results, const curve *c, const char *name, double scale,
                       gb_buf *script)
{
    bool bytes = strcmp(c->x, "bytes") == 0 && c->x_max >= 2;
    bool log_x = c->x_max / c->x_min >= 8, log_y = c->y_max / c->y_min >= 8;
    bool several = json_array_size(json_object_get(results->document, "devices")) > 1;
    gb_picture_head(results, several ? -1 : 0, name, c->title != NULL ? c->title : c->benchmark,
                    c->x_label, c->y_label, script);
    axis_range("x", c->x_min, c->x_max, log_x, script);
    axis_range("y", c->y_min / scale, c->y_max / scale, log_y, script);
    if (bytes && log_x) {
        byte_ticks(c, script);
    }
}

/* Walks the series in the order of their first rows: data blocks first, then the plot command. */
static gb_code write_series(const gb_results *results, const gb_table *table, curve *c,
                            gb_buf labels[], gb_buf *data, gb_error *err)
{
    point *found = calloc(table->n + 1, sizeof *found);
    if (found == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t i = 0; i < table->n; i++) {
        gb_buf label = {0};
        bool known = false;
        if (!belongs(c, &table->rows[i])) {
            continue;
        }
        series_label(results, c, &table->rows[i], &label);
        for (size_t s = 0; s < c->n_series && label.data != NULL; s++) {
            known = known || strcmp(labels[s].data, label.data) == 0;
        }
        size_t n = known || label.data == NULL ? 0 : collect(results, table, c, label.data, found);
        if (n > 0) {
            size_t s = c->n_series;
            add_block(c, label.data, found, n, data);
            note_dips(c, label.data, found, n);
            labels[s] = label;
        } else {
            gb_buf_free(&label);
        }
    }
    free(found);
    return GB_OK;
}

static void write_script(const gb_results *results, const gb_table *table, curve *c,
                         const gb_buf labels[], const json_t *fits, const char *name,
                         gb_buf *script)
{
    char unit[32], x_label[256], y_label[256], number[40];
    double scale = gb_picture_scale(c->y_max, c->unit, unit);
    snprintf(x_label, sizeof x_label, "%s", c->x);
    snprintf(y_label, sizeof y_label, "%s (%s), %s is better", c->y, unit,
             c->higher ? "higher" : "lower");
    c->x_label = x_label;
    c->y_label = y_label;
    write_head(results, c, name, scale, script);
    gb_buf lines = {0};
    for (size_t s = 0; s < c->n_series; s++) {
        gb_print_double(scale, number, sizeof number);
        gb_buf_printf(&lines,
                      "%s'plots/%s.dat' index %zu using 1:($2/%s):($3/%s):($4/%s) with yerrorlines "
                      "linewidth 2 pointtype %d pointsize 0.8 linecolor rgb '%s' title ",
                      s > 0 ? ", \\\n  " : "", name, s, number, number, number, gb_picture_point(s),
                      gb_picture_colour(s));
        gb_gnuplot_quote(&lines, labels[s].data);
        gb_buf_add(&lines, " noenhanced");
        const gb_row *row = first_row(results, table, c, labels[s].data);
        const json_t *fit = row != NULL ? fit_for(fits, row, c->x) : NULL;
        if (fit != NULL) {
            fitted_line(fit, c, scale, s, &lines);
        }
    }
    gb_picture_outputs(name, &lines, script);
    script->failed = script->failed || lines.failed;
    gb_buf_free(&lines);
}

gb_code gb_curve_write(const gb_results *results, const gb_table *table, const json_t *plot,
                       const char *name, gb_buf *script, gb_buf *data, gb_buf *notes, gb_error *err)
{
    curve c = {.benchmark = json_string_value(json_object_get(plot, "benchmark")),
               .x = json_string_value(json_object_get(plot, "x")),
               .y = json_string_value(json_object_get(plot, "y")),
               .title = json_string_value(json_object_get(plot, "title")),
               .series = json_object_get(plot, "series"),
               .unit = "",
               .name = name,
               .notes = notes,
               .x_min = INFINITY,
               .x_max = -INFINITY,
               .y_min = INFINITY,
               .y_max = -INFINITY};
    if (c.benchmark == NULL || c.x == NULL || c.y == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: an entry without benchmark, x or y");
    }
    gb_buf *labels = calloc(table->n + 1, sizeof *labels);
    json_t *fits = NULL;
    gb_code code = labels == NULL ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                                  : gb_report_fits(results, &fits, err);
    if (code == GB_OK) {
        code = write_series(results, table, &c, labels, data, err);
    }
    if (code == GB_OK && c.left_out > 0) {
        gb_buf_printf(notes, "plots: %s: %zu point%s without a positive value left out\n", name,
                      c.left_out, c.left_out == 1 ? "" : "s");
    }
    if (code == GB_OK && c.n_points == 0) {
        gb_buf_printf(notes, "plots: no data for %s (%s over %s)\n", c.benchmark, c.y, c.x);
    } else if (code == GB_OK) {
        write_script(results, table, &c, labels, fits, name, script);
    }
    for (size_t s = 0; labels != NULL && s < c.n_series; s++) {
        gb_buf_free(&labels[s]);
    }
    free(labels);
    json_decref(fits);
    return code;
}
