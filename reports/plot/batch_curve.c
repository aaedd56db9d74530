#include "reports/plot/batch_curve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/units.h"
#include "reports/findings.h"
#include "reports/plot/gnuplot.h"
#include "reports/plot/picture.h"
#include "reports/plot/place.h"
#include "reports/plot/series.h"

#define MOST_SERIES 3 /* each has four lines */
#define BAND 0.44     /* of the picture's height, for the lines of an axis */
#define EDGE 0.04     /* between a band and the picture's edge */
#define N_PERCENTILES 3
#define AXIS_PIXELS 820.0
#define PLOT_PIXELS 400.0 /* its height */

typedef struct percentile {
    const char *name;
    int dash;
} percentile;
static const percentile percentiles[N_PERCENTILES] = {{"p50", 2}, {"p95", 4}, {"p99", 3}};

typedef struct batch_curve {
    const gb_results *results;
    const json_t *plot;
    gb_wanted wanted;
    gb_figures figures;
    double *x; /* batches */
    size_t n_x;
    bool has[MOST_SERIES][N_PERCENTILES];
    gb_knee_kind kind[MOST_SERIES];
    double knee[MOST_SERIES]; /* batch; not above 0: none */
    double rate_low, rate_high, latency_low, latency_high;
    gb_buf *notes;
} batch_curve;

static void grow(double value, double *low, double *high)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void add_block(batch_curve *c, size_t number, gb_buf *data)
{
    char text[40];
    const gb_series *series = &c->figures.items[number];
    gb_buf_printf(data, "%s# series %zu: %s\n# batch throughput low high p50 p95 p99\n",
                  number > 0 ? "\n\n" : "", number, series->label);
    for (size_t i = 0; i < series->n; i++) {
        const gb_point *p = &series->points[i];
        const double row[] = {
            p->x, p->y, p->low, p->high, p->row->time_ns, gb_row_p95(p->row), gb_row_p99(p->row)};
        for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
            bool known = isfinite(row[k]) && row[k] > 0;
            gb_buf_printf(data, "%s%s", k > 0 ? " " : "",
                          known ? gb_print_double(row[k], text, sizeof text) : "NaN");
            if (k >= 4 && known) {
                c->has[number][k - 4] = true;
                grow(row[k], &c->latency_low, &c->latency_high);
            }
        }
        gb_buf_add(data, "\n");
    }
}

/* Throughput has the upper half of the picture, latency the lower one: no line of the one crosses a
 * line of the other. The ticks stand in the half alone. */
static gb_edges half_edges(double low, double high, bool upper)
{
    const double span = fmax(log(high / low), log(2)), middle = (log(high) + log(low)) / 2;
    const double height = span / BAND, centre = upper ? 1 - EDGE - BAND / 2 : EDGE + BAND / 2;
    return (gb_edges){.from = exp(middle - height * centre),
                      .to = exp(middle + height * (1 - centre))};
}

static void half_range(gb_buf *script, const char *axis, double low, double high,
                       const char *own_unit, bool upper)
{
    char a[40], b[40];
    const double span = fmax(log(high / low), log(2)), middle = (log(high) + log(low)) / 2;
    const double more = span / 2 + span / BAND * 0.02;
    const gb_edges edges = half_edges(low, high, upper);
    gb_buf_printf(script, "set %srange [%s:%s]\nset logscale %s 10\n", axis,
                  gb_print_double(edges.from, a, sizeof a), gb_print_double(edges.to, b, sizeof b),
                  axis);
    gb_picture_log_ticks(script, axis, exp(middle - more), exp(middle + more), own_unit,
                         BAND * PLOT_PIXELS);
}

/* --- the knee --------------------------------------------------------------------------------- */

static bool knee_of(const batch_curve *c, const gb_series *series, gb_knee *knee, gb_error *err,
                    gb_code *code)
{
    const gb_row **rows = calloc(series->n + 1, sizeof *rows);
    if (rows == NULL) {
        *code = gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
        return false;
    }
    for (size_t i = 0; i < series->n; i++) {
        rows[i] = series->points[i].row;
    }
    bool enough = gb_batch_knee(c->results, rows, series->n, knee);
    free(rows);
    return enough;
}

/* Where the name of a series' knee stands: beside a line or an edge of the plot, the text running
 * away from it. */
typedef struct anchor {
    double pixel;
    char at[48];       /* for gnuplot */
    bool to_left, low; /* low: below the smallest throughput, which is at the left edge */
} anchor;

/* About where a batch is on the axis that gb_picture_range makes. */
static double pixel_of(const batch_curve *c, double batch)
{
    const double low = c->figures.x_min, high = c->figures.x_max;
    const double share = high > low ? log(batch / low) / log(high / low) : 0.5;
    return AXIS_PIXELS * (0.07 + 0.86 * share);
}

/* A name is not to be crossed by the line of any knee. */
static bool has_room(const batch_curve *c, const anchor *a, double width)
{
    const double from = a->pixel - (a->to_left ? width : 0), to = from + width;
    bool room = from >= 0 && to <= AXIS_PIXELS;
    for (size_t s = 0; room && s < c->figures.n; s++) {
        const double line = pixel_of(c, c->knee[s]);
        room = !(c->knee[s] > 0) || line <= from || line >= to;
    }
    return room;
}

static void beside_line(const batch_curve *c, double batch, bool to_left, anchor *out)
{
    char x[40];
    *out = (anchor){.pixel = pixel_of(c, batch) + (to_left ? -5 : 5), .to_left = to_left};
    snprintf(out->at, sizeof out->at, "%s", gb_print_double(batch, x, sizeof x));
}

/* Beside its own line, on the side with more room first; at the left edge; beside another line; at
 * the right edge. The first of these where no line crosses it. */
static void find_anchor(const batch_curve *c, size_t s, double width, anchor *out)
{
    const double own = c->knee[s];
    anchor list[4 + 2 * MOST_SERIES];
    size_t n = 0;
    if (own > 0) {
        const bool left = own > sqrt(c->figures.x_min * c->figures.x_max);
        beside_line(c, own, left, &list[n++]);
        beside_line(c, own, !left, &list[n++]);
    }
    list[n++] = (anchor){.pixel = 0, .at = "graph 0.01", .low = true};
    for (size_t i = 0; i < c->figures.n; i++) {
        if (i != s && c->knee[i] > 0) {
            beside_line(c, c->knee[i], false, &list[n++]);
            beside_line(c, c->knee[i], true, &list[n++]);
        }
    }
    list[n++] = (anchor){.pixel = AXIS_PIXELS, .at = "graph 0.99", .to_left = true};
    *out = list[0];
    for (size_t i = 0; i < n; i++) {
        if (has_room(c, &list[i], width)) {
            *out = list[i];
            return;
        }
    }
}

static char *knee_text(const batch_curve *c, size_t s)
{
    static const char *const why[] = {[GB_KNEE_RISES] = "throughput still rises",
                                      [GB_KNEE_FALLS] = "throughput falls again",
                                      [GB_KNEE_UNCLEAR] = "not told from noise"};
    char x[40];
    gb_buf text = {0};
    if (c->knee[s] > 0) {
        gb_buf_printf(&text, "knee: batch %s", gb_print_double(c->knee[s], x, sizeof x));
    } else {
        gb_buf_printf(&text, "no knee: %s", why[c->kind[s]]);
    }
    if (c->figures.n > 1) {
        gb_buf_add(&text, " (");
        gb_picture_cut(&text, gb_figures_shown(&c->figures, s), GB_LEGEND_COLUMNS);
        gb_buf_add(&text, ")");
    }
    if (text.failed) {
        gb_buf_free(&text);
    }
    return text.data;
}

/* A line down the picture where there is a knee, and in words what there is, each series in a row
 * of its own between the lines of throughput and those of latency. */
static void mark_knee(const batch_curve *c, size_t s, gb_buf *script)
{
    static const char *const rows[2][MOST_SERIES] = {{"0.51", "0.48", "0.54"},
                                                     {"0.46", "0.43", "0.40"}};
    char x[40];
    anchor a;
    char *text = knee_text(c, s);
    if (c->knee[s] > 0) {
        gb_print_double(c->knee[s], x, sizeof x);
        gb_buf_printf(script,
                      "set arrow from %s, graph 0 to %s, graph 1 nohead linewidth 1.5 dashtype 2 "
                      "linecolor rgb '%s'\n",
                      x, x, c->figures.n > 1 ? gb_picture_colour(s) : GB_PICTURE_GREY);
    }
    find_anchor(c, s, gb_text_pixels(text != NULL ? text : "", 10), &a);
    gb_buf_add(script, "set label ");
    gb_gnuplot_quote(script, text != NULL ? text : "");
    gb_buf_printf(script, " noenhanced at %s, graph %s %s offset %s,0 font ',10'\n", a.at,
                  rows[a.low][s], a.to_left ? "right" : "left", a.to_left ? "-0.7" : "0.7");
    script->failed = script->failed || text == NULL;
    free(text);
}

static gb_code mark_knees(batch_curve *c, gb_buf *script, gb_error *err)
{
    gb_code code = GB_OK;
    bool known[MOST_SERIES] = {false};
    for (size_t s = 0; code == GB_OK && s < c->figures.n; s++) {
        gb_knee knee;
        const gb_series *series = &c->figures.items[s];
        known[s] = knee_of(c, series, &knee, err, &code);
        if (known[s]) {
            c->kind[s] = knee.kind;
            c->knee[s] = knee.kind == GB_KNEE_FOUND ? series->points[knee.at].x : NAN;
        }
    }
    for (size_t s = 0; code == GB_OK && s < c->figures.n; s++) {
        if (known[s]) {
            mark_knee(c, s, script);
        }
    }
    return code;
}

/* --- the script ------------------------------------------------------------------------------- */

/* "vendor, GPU 2: p95": what is too long is cut before the colon. */
static void add_key(const batch_curve *c, size_t s, const char *what, gb_buf *lines)
{
    gb_buf text = {0};
    if (c->figures.n > 1) {
        gb_picture_cut(&text, gb_figures_shown(&c->figures, s), GB_LEGEND_COLUMNS);
        gb_buf_add(&text, ": ");
    }
    gb_buf_add(&text, what);
    gb_picture_key(lines, text.data != NULL ? text.data : what);
    gb_buf_free(&text);
}

static void add_lines(const batch_curve *c, double rate, double latency, gb_buf *lines)
{
    char scale[2][40];
    gb_print_double(rate, scale[0], 40);
    gb_print_double(latency, scale[1], 40);
    const gb_edges axis = half_edges(c->rate_low / rate, c->rate_high / rate, true);
    gb_figures_note_edges(&c->figures, &c->wanted, &axis, rate, c->notes);
    for (size_t s = 0; s < c->figures.n; s++) {
        const gb_edges edges = gb_figures_edges(&c->figures.items[s], &axis, rate);
        gb_picture_add_series(lines, c->wanted.name, s, scale[0], &edges);
        add_key(c, s, "throughput", lines);
        for (size_t k = 0; k < N_PERCENTILES; k++) {
            if (!c->has[s][k]) {
                continue;
            }
            gb_buf_printf(lines,
                          ", \\\n  '' index %zu using 1:($%zu/%s) axes x1y2 with linespoints "
                          "linewidth 1.5 dashtype %d pointtype %d pointsize 0.7 linecolor rgb '%s'",
                          s, k + 5, scale[1], percentiles[k].dash, gb_picture_point(s + 5),
                          gb_picture_colour(s));
            add_key(c, s, percentiles[k].name, lines);
        }
    }
}

static gb_code write_script(batch_curve *c, gb_buf *script, gb_error *err)
{
    char rate_unit[32], latency_unit[32];
    const char *title = json_string_value(json_object_get(c->plot, "title"));
    const char *own_rate, *own_latency;
    double rate = gb_picture_log_scale(c->rate_low, c->figures.y_max, c->rate_high, c->figures.unit,
                                       rate_unit, &own_rate);
    double latency = gb_picture_log_scale(c->latency_low, c->latency_high, c->latency_high, "ns",
                                          latency_unit, &own_latency);
    gb_buf x_label = {0}, y_label = {0}, y2_label = {0}, lines = {0};
    gb_picture_x_label(c->plot, &x_label);
    gb_picture_y_label("throughput", rate_unit, true, &y_label);
    gb_picture_y_label("latency of a request", latency_unit, false, &y2_label);
    add_lines(c, rate, latency, &lines);
    gb_code code = x_label.failed || y_label.failed || y2_label.failed || lines.failed
                       ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                       : GB_OK;
    if (code == GB_OK) {
        gb_picture_head(c->results, c->figures.device, title != NULL ? title : c->wanted.benchmark,
                        x_label.data, y_label.data, script);
        gb_buf_add(script, "set y2label ");
        gb_picture_text(script, y2_label.data, 60);
        gb_buf_add(script, " noenhanced\nset border 11\n");
        gb_picture_place_key(script, gb_figures_widest(&c->figures), 4 * c->figures.n,
                             1 + N_PERCENTILES);
        gb_picture_range(script, "x", c->figures.x_min, c->figures.x_max, 2, NULL);
        half_range(script, "y", c->rate_low / rate, c->rate_high / rate, own_rate, true);
        half_range(script, "y2", c->latency_low / latency, c->latency_high / latency, own_latency,
                   false);
        code = gb_picture_value_ticks(script, "batch", c->x, c->n_x, true, err);
    }
    code = code == GB_OK ? mark_knees(c, script, err) : code;
    if (code == GB_OK) {
        gb_picture_outputs(c->wanted.name, &lines, script);
    }
    gb_buf_free(&x_label);
    gb_buf_free(&y_label);
    gb_buf_free(&y2_label);
    gb_buf_free(&lines);
    return code;
}

gb_code gb_batch_curve_write(const gb_results *results, const gb_table *table, const json_t *plot,
                             const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                             gb_error *err)
{
    batch_curve c = {.results = results,
                     .plot = plot,
                     .wanted = gb_wanted_of(plot, name, MOST_SERIES),
                     .notes = notes,
                     .latency_low = INFINITY,
                     .latency_high = -INFINITY};
    c.wanted.x = "batch";
    c.wanted.y = "throughput";
    if (c.wanted.benchmark == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: a batch-curve without benchmark");
    }
    gb_code code = gb_figures_collect(results, table, &c.wanted, &c.figures, notes, err);
    if (code == GB_OK && c.figures.n_points == 0) {
        gb_buf_printf(notes, "plots: no data for %s (batch-curve)\n", c.wanted.benchmark);
    } else if (code == GB_OK) {
        c.x = gb_figures_x(&c.figures, &c.n_x);
        gb_figures_range(&c.figures, &c.rate_low, &c.rate_high);
        for (size_t s = 0; s < c.figures.n; s++) {
            add_block(&c, s, data);
        }
        code = c.x == NULL ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                           : write_script(&c, script, err);
    }
    free(c.x);
    gb_figures_free(&c.figures);
    return code;
}
