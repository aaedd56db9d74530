#include "reports/plot/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/gnuplot.h"
#include "reports/plot/picture.h"
#include "reports/roofs.h"

#define MAX_LINES 8

typedef struct point {
    double x, y;
    bool above;
} point;

typedef struct roofline {
    const gb_results *results;
    const gb_row *rows; /* of the device */
    size_t n;
    int device;
    const char *benchmark, *title;
    gb_compute compute;
    gb_roofs roofs;
    double x_min, x_max, y_min, y_max;
    size_t n_blocks; /* of the data file */
    gb_buf lines;    /* of the plot command, without the scale of y */
    gb_buf missing;  /* roofs that are not known */
    gb_buf *data, *notes;
    const char *name;
} roofline;

static void grow(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* Finds the device and the units of the sweep: those of its first row that has both coordinates. */
static bool find_sweep(roofline *r, const gb_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        if (strcmp(row->first->benchmark, r->benchmark) != 0 || !(gb_row_flops(row) > 0) ||
            !(gb_row_intensity(row) > 0)) {
            continue;
        }
        r->device = row->first->device;
        r->compute = row->first->work.compute;
        while (r->n < table->n && table->rows[r->n].first->device != r->device) {
            r->n++;
        }
        r->rows = &table->rows[r->n];
        size_t end = r->n;
        while (end < table->n && table->rows[end].first->device == r->device) {
            end++;
        }
        r->n = end - r->n;
        return true;
    }
    return false;
}

/* Whether a row is a point of this picture. The arithmetic roof itself has no place on the x axis
 * that would mean anything, and fibers' times mean nothing. */
static bool belongs(const roofline *r, const gb_row *row)
{
    return row->first->work.compute == r->compute && gb_row_flops(row) > 0 &&
           gb_row_intensity(row) > 0 && (row->flags & GB_BIT(GB_FLAG_EMULATED)) == 0 &&
           strcmp(row->first->kernel, "flops") != 0;
}

/* The lowest known roof over a point; NAN: none is known. Measured ones count first: a probe with
 * another footprint (data in the cache) is no roof for this point. */
static double roof_over(const roofline *r, const gb_row *row)
{
    const gb_roofs *roofs = &r->roofs;
    double memory = gb_row_cached(row, roofs) ? roofs->cache
                    : roofs->memory > 0       ? roofs->memory
                                              : roofs->theory_memory;
    double arithmetic = roofs->arithmetic > 0 ? roofs->arithmetic : roofs->theory_arithmetic;
    return fmin(memory * gb_row_intensity(row), arithmetic); /* fmin: the one that is not NAN */
}

static void number(gb_buf *out, double value, const char *end)
{
    char text[40];
    gb_buf_printf(out, "%s%s", gb_print_double(value, text, sizeof text), end);
}

/* Begins a block of the data file and its part of the plot command; returns its index. */
static size_t begin_block(roofline *r, const char *label)
{
    gb_buf_printf(r->data, "%s# %s\n# FLOP/byte FLOP/s\n", r->n_blocks > 0 ? "\n\n" : "", label);
    gb_buf_printf(&r->lines, "%s'plots/%s.dat' index %zu using 1:($2/SCALE)",
                  r->n_blocks > 0 ? ", \\\n  " : "", r->name, r->n_blocks);
    return r->n_blocks++;
}

/* --- points ----------------------------------------------------------------------------------- */

static int by_x(const void *a, const void *b)
{
    double x = ((const point *)a)->x, y = ((const point *)b)->x;
    return x < y ? -1 : x > y;
}

/* The points of a benchmark; above their roof or below it as asked. */
static size_t collect(roofline *r, const char *benchmark, bool above, point out[])
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        const gb_row *row = &r->rows[i];
        point p = {.x = gb_row_intensity(row), .y = gb_row_flops(row)};
        if (strcmp(row->first->benchmark, benchmark) != 0 || !belongs(r, row)) {
            continue;
        }
        double roof = roof_over(r, row);
        p.above = roof > 0 && p.y > GB_ABOVE_ROOF * roof;
        if (p.above == above) {
            out[n++] = p;
        }
        if (above && p.above) {
            char value[32], limit[32];
            gb_buf_printf(r->notes, "plots: %s: %s is above its roof (implausible): %s, roof %s\n",
                          r->name, row->first->case_id,
                          gb_format_rate(p.y, "FLOP/s", value, sizeof value),
                          gb_format_rate(roof, "FLOP/s", limit, sizeof limit));
        }
    }
    qsort(out, n, sizeof *out, by_x);
    return n;
}

static void add_points(roofline *r, const char *benchmark, size_t series, const point p[], size_t n)
{
    char best[32];
    double most = 0;
    gb_buf label = {0};
    for (size_t i = 0; i < n; i++) {
        most = fmax(most, p[i].y);
    }
    gb_buf_printf(&label, "%s: up to %s%s", benchmark,
                  gb_format_rate(most, "FLOP/s", best, sizeof best),
                  p[0].above ? " - ABOVE ITS ROOF" : "");
    begin_block(r, label.data != NULL ? label.data : benchmark);
    for (size_t i = 0; i < n; i++) {
        number(r->data, p[i].x, " ");
        number(r->data, p[i].y, "\n");
        grow(p[i].x, &r->x_min, &r->x_max);
        grow(p[i].y, &r->y_min, &r->y_max);
    }
    gb_buf_printf(&r->lines, " with points pointtype %d pointsize %s linecolor rgb '%s' title ",
                  p[0].above ? 2 : gb_picture_point(series), p[0].above ? "1.8" : "0.9",
                  p[0].above ? "#FF0000" : gb_picture_colour(series));
    gb_gnuplot_quote(&r->lines, label.data != NULL ? label.data : benchmark);
    gb_buf_add(&r->lines, " noenhanced");
    gb_buf_free(&label);
}

static gb_code write_points(roofline *r, gb_error *err)
{
    size_t series = 0;
    point *found = calloc(r->n + 1, sizeof *found);
    if (found == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t i = 0; i < r->n; i++) {
        const char *benchmark = r->rows[i].first->benchmark;
        if (i > 0 && strcmp(r->rows[i - 1].first->benchmark, benchmark) == 0) {
            continue; /* rows of a benchmark stand together */
        }
        size_t n = collect(r, benchmark, false, found);
        if (n > 0) {
            add_points(r, benchmark, series, found, n);
        }
        size_t above = collect(r, benchmark, true, found);
        if (above > 0) {
            add_points(r, benchmark, series, found, above);
        }
        series += n + above > 0;
    }
    free(found);
    return GB_OK;
}

/* --- roofs ------------------------------------------------------------------------------------ */

static void add_roof(roofline *r, const char *label, double x0, double y0, double x1, double y1,
                     bool measured, const char *colour)
{
    begin_block(r, label);
    number(r->data, x0, " ");
    number(r->data, y0, "\n");
    number(r->data, x1, " ");
    number(r->data, y1, "\n");
    grow(y0, &r->y_min, &r->y_max);
    grow(y1, &r->y_min, &r->y_max);
    gb_buf_printf(&r->lines, " with lines linewidth %s dashtype %d linecolor rgb '%s' title ",
                  measured ? "2" : "1.5", measured ? 1 : 2, colour);
    gb_gnuplot_quote(&r->lines, label);
    gb_buf_add(&r->lines, " noenhanced");
}

/* A slope from the left edge to where it meets `flops`, or to the right edge. */
static void bandwidth_roof(roofline *r, const char *what, double bandwidth, double flops,
                           bool measured, const char *colour)
{
    char value[32];
    if (!(bandwidth > 0)) {
        return;
    }
    double end = flops > 0 ? fmax(flops / bandwidth, r->x_min) : r->x_max;
    char *label =
        gb_text_format("%s: %s", what, gb_format_rate(bandwidth, "B/s", value, sizeof value));
    add_roof(r, label != NULL ? label : what, r->x_min, r->x_min * bandwidth, end, end * bandwidth,
             measured, colour);
    free(label);
}

/* A plateau from where the steepest slope meets it to the right edge. */
static void flops_roof(roofline *r, const char *what, double flops, double bandwidth, bool measured)
{
    char value[32];
    if (!(flops > 0)) {
        return;
    }
    double begin = bandwidth > 0 ? fmin(flops / bandwidth, r->x_max) : r->x_min;
    char *label = gb_text_format("%s %s: %s", gb_compute_word(r->compute), what,
                                 gb_format_rate(flops, "FLOP/s", value, sizeof value));
    add_roof(r, label != NULL ? label : what, begin, flops, r->x_max, flops, measured, "#000000");
    free(label);
}

/* What is not drawn since it is not known: in the picture and in the notes. */
static void say_missing(roofline *r)
{
    const gb_roofs *k = &r->roofs;
    const struct {
        double roof;
        const char *what;
    } all[] = {{k->memory, "memory, measured"},
               {k->arithmetic, "arithmetic, measured"},
               {k->theory_memory, "memory, theoretical"},
               {k->theory_arithmetic, "arithmetic, theoretical"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!(all[i].roof > 0)) {
            gb_buf_printf(&r->missing, "%s%s",
                          r->missing.length > 0 ? "; " : "unknown roofs: ", all[i].what);
        }
    }
    if (r->missing.length > 0) {
        gb_buf_printf(r->notes, "plots: %s: %s\n", r->name, r->missing.data);
    }
}

static void write_roofs(roofline *r)
{
    const gb_roofs *k = &r->roofs;
    double steepest = fmax(fmax(k->memory, k->cache), k->shared);
    bandwidth_roof(r, "memory, measured", k->memory, k->arithmetic, true, "#0072B2");
    bandwidth_roof(r, "last cache, measured", k->cache, k->arithmetic, true, "#56B4E9");
    bandwidth_roof(r, "shared memory, measured", k->shared, k->arithmetic, true, "#009E73");
    flops_roof(r, "measured", k->arithmetic, steepest, true);
    bandwidth_roof(r, k->published_memory ? "memory, as published" : "memory, theoretical",
                   k->theory_memory, k->theory_arithmetic, false, "#0072B2");
    flops_roof(r, k->published_arithmetic ? "as published" : "theoretical", k->theory_arithmetic,
               k->theory_memory, false);
    say_missing(r);
}

/* --- the script ------------------------------------------------------------------------------- */

static void axis(gb_buf *script, const char *which, double low, double high)
{
    char a[40], b[40];
    gb_buf_printf(script, "set %srange [%s:%s]\nset logscale %s 10\n", which,
                  gb_print_double(low / 1.5, a, sizeof a), gb_print_double(high * 1.5, b, sizeof b),
                  which);
}

static void write_script(roofline *r, gb_buf *script)
{
    char unit[32], y_label[64], ridge[160] = "", number_text[40];
    double scale = gb_picture_scale(r->y_max, "FLOP/s", unit);
    gb_buf text = {0};
    snprintf(y_label, sizeof y_label, "%s, higher is better", unit);
    if (r->roofs.arithmetic > 0 && r->roofs.memory > 0) {
        snprintf(ridge, sizeof ridge, "; measured ridge at %.3g FLOP/byte",
                 r->roofs.arithmetic / r->roofs.memory);
    }
    gb_buf_printf(&text, "%s (%s%s)", r->title != NULL ? r->title : r->benchmark,
                  gb_compute_word(r->compute), ridge);
    gb_picture_head(r->results, r->device, r->name, text.data != NULL ? text.data : r->benchmark,
                    "FLOP/byte (counted operations over bytes that must move)", y_label, script);
    axis(script, "x", r->x_min, r->x_max);
    axis(script, "y", r->y_min / scale, r->y_max / scale);
    gb_buf_add(script, "set key outside bottom center vertical Left reverse maxrows 6 samplen 2\n"
                       "set xlabel offset 0,0.7\n");
    if (r->missing.length > 0) {
        gb_buf_add(script, "set label 2 ");
        gb_gnuplot_quote(script, r->missing.data);
        gb_buf_add(script,
                   " noenhanced at graph 0.99,0.04 right font ',9' textcolor rgb '#555555'\n");
    }
    gb_buf_printf(script, "SCALE = %s\n", gb_print_double(scale, number_text, sizeof number_text));
    gb_picture_outputs(r->name, &r->lines, script);
    script->failed = script->failed || r->lines.failed || text.failed;
    gb_buf_free(&text);
}

gb_code gb_roofline_write(const gb_results *results, const gb_table *table, const json_t *plot,
                          const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                          gb_error *err)
{
    roofline r = {.results = results,
                  .benchmark = json_string_value(json_object_get(plot, "benchmark")),
                  .title = json_string_value(json_object_get(plot, "title")),
                  .x_min = INFINITY,
                  .x_max = -INFINITY,
                  .y_min = INFINITY,
                  .y_max = -INFINITY,
                  .data = data,
                  .notes = notes,
                  .name = name};
    if (r.benchmark == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: a roofline without benchmark");
    }
    if (!find_sweep(&r, table)) {
        gb_buf_printf(notes, "plots: no data for %s (roofline)\n", r.benchmark);
        return GB_OK;
    }
    gb_roofs_find(results, r.rows, r.n, r.device, r.compute, &r.roofs);
    gb_code code = write_points(&r, err);
    if (code == GB_OK) {
        write_roofs(&r);
        write_script(&r, script);
    }
    gb_buf_free(&r.lines);
    gb_buf_free(&r.missing);
    return code;
}
