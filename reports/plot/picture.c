#include "reports/plot/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/merge.h"
#include "reports/plot/fonts.h"
#include "reports/plot/gnuplot.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])
/* Columns of text that fit into a picture of 1000 pixels. */
#define TITLE_COLUMNS 96
#define LINE_COLUMNS 140
#define KEY_COLUMNS 40
#define Y_COLUMNS 60
#define X_COLUMNS 100
#define DEVICE_COLUMNS 30     /* of a name among others */
#define KEY_BESIDE_COLUMNS 20 /* a longer text takes too much of the plot's width */
#define ROW_COLUMNS 156       /* of a key below the plot, in its smaller letters */

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#C8709F",
                                      "#B98000", "#3795CC", "#7F7F7F"};
static const int points[] = {7, 5, 9, 11, 13, 4, 6, 8, 10, 12};
static const int dashes[] = {1, 2, 4, 5, 3};
static const int fills[] = {3, 2, 4, 5, 6, 7, 1, 0}; /* of another number than colours */

const char *gb_picture_colour(size_t series)
{
    return colours[series % COUNT(colours)];
}

int gb_picture_point(size_t series)
{
    return points[series % COUNT(points)];
}

int gb_picture_dash(size_t series)
{
    return dashes[series % COUNT(dashes)];
}

int gb_picture_fill(size_t series)
{
    return fills[series % COUNT(fills)];
}

double gb_picture_scale(double max, const char *unit, char label[32])
{
    static const struct {
        double factor;
        const char *prefix;
    } up[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    if (strcmp(unit, "ns") == 0) {
        double factor = max >= 1e9 ? 1e9 : max >= 1e6 ? 1e6 : max >= 1e3 ? 1e3 : 1;
        snprintf(label, 32, "%s", max >= 1e9 ? "s" : max >= 1e6 ? "ms" : max >= 1e3 ? "us" : "ns");
        return factor;
    }
    size_t i = 0;
    while (i + 1 < COUNT(up) && max < up[i].factor) {
        i++;
    }
    /* "k/s", not "k1/s" */
    const char *rest = up[i].prefix[0] != '\0' && strncmp(unit, "1/", 2) == 0 ? unit + 1 : unit;
    snprintf(label, 32, "%s%s", up[i].prefix, rest);
    return up[i].factor;
}

/* The longest start of text that has at most `columns`. */
static size_t fitting(const char *text, size_t columns)
{
    size_t width = 0, at = 0;
    while (text[at] != '\0') {
        char one[5] = "";
        uint32_t point;
        size_t length = gb_utf8_decode(text + at, &point);
        memcpy(one, text + at, length);
        width += gb_utf8_width(one);
        if (width > columns) {
            break;
        }
        at += length;
    }
    return at;
}

void gb_picture_cut(gb_buf *out, const char *text, size_t columns)
{
    if (!gb_utf8_valid(text, strlen(text), NULL)) {
        gb_buf_add(out, "?");
    } else if (gb_utf8_width(text) <= columns) {
        gb_buf_add(out, text);
    } else {
        gb_buf_add_bytes(out, text, fitting(text, columns - 3));
        gb_buf_add(out, "...");
    }
}

void gb_picture_text(gb_buf *script, const char *text, size_t columns)
{
    gb_buf cut = {0};
    gb_picture_cut(&cut, text, columns);
    gb_gnuplot_quote(script, cut.data != NULL ? cut.data : "");
    script->failed = script->failed || cut.failed;
    gb_buf_free(&cut);
}

void gb_picture_key(gb_buf *lines, const char *label)
{
    gb_buf_add(lines, " title ");
    gb_picture_text(lines, label, KEY_COLUMNS);
    gb_buf_add(lines, " noenhanced");
}

void gb_picture_add_series(gb_buf *lines, const char *name, size_t series, const char *scale,
                           const gb_edges *edges)
{
    const char *colour = gb_picture_colour(series);
    gb_buf_printf(lines,
                  "%s'plots/%s.dat' index %zu using 1:($3/%s):(0):(($4-$3)/%s) %s "
                  "linecolor rgb '%s' notitle",
                  lines->length > 0 ? ", \\\n  " : "", name, series, scale, scale,
                  GB_PICTURE_INTERVAL, colour);
    gb_picture_add_edges(lines, series, "1", scale, edges, colour);
    gb_buf_printf(lines,
                  ", \\\n  '' index %zu using 1:($2/%s) with linespoints linewidth 2 dashtype %d "
                  "pointtype %d pointsize 0.9 linecolor rgb '%s'",
                  series, scale, gb_picture_dash(series), gb_picture_point(series), colour);
}

void gb_picture_place_key(gb_buf *script, size_t widest, size_t n, size_t rows)
{
    widest = widest < KEY_COLUMNS ? widest : KEY_COLUMNS;
    if (rows == 0 && widest <= KEY_BESIDE_COLUMNS) {
        return; /* as gb_picture_head left it */
    }
    size_t columns = ROW_COLUMNS / (widest + 11);
    if (rows == 0) {
        columns = columns > 0 ? columns : 1;
        rows = (n + columns - 1) / columns;
    }
    gb_buf_printf(script,
                  "set key at screen 0.5, screen 0.01 center bottom vertical maxrows %zu Left "
                  "reverse noenhanced font ',10'\nset bmargin %zu\n",
                  rows, rows + 4);
}

/* --- the line that names devices -------------------------------------------------------------- */

/* When the run of a device began: runs that were brought together each have their own. */
static const char *date_of(const gb_results *results, int device)
{
    const json_t *at =
        json_array_get(json_object_get(results->document, "devices"), (size_t)device);
    const json_t *of = json_array_get(json_object_get(results->document, "runs"),
                                      (size_t)json_integer_value(json_object_get(at, "run")));
    const json_t *run = json_object_get(of, "run");
    if (run == NULL) {
        run = json_object_get(results->document, "run");
    }
    const char *started = json_string_value(json_object_get(run, "started"));
    return started != NULL ? started : "no date";
}

static bool is_cpu(const gb_results *results, int device)
{
    return strcmp(gb_results_device_kind(results, device), "cpu") == 0;
}

static void one_device(const gb_results *results, int device, size_t columns, gb_buf *text)
{
    gb_picture_cut(text, gb_results_device_label(results, device), columns);
    gb_buf_printf(text, ", device: %s, %.10s", gb_results_device_kind(results, device),
                  date_of(results, device));
}

/* At most LINE_COLUMNS: rather the names are cut than what kind of device the figures are of. */
static void device_line(const gb_results *results, int device, gb_buf *text)
{
    int n = (int)json_array_size(json_object_get(results->document, "devices"));
    bool all = true, any = false;
    gb_buf names = {0};
    if (device >= 0) {
        one_device(results, device, LINE_COLUMNS - 70, text);
        gb_buf_add(text, is_cpu(results, device) ? " - figures of this CPU, not of a GPU" : "");
        return;
    }
    for (int i = 0; i < n; i++) {
        all = all && is_cpu(results, i);
        any = any || is_cpu(results, i);
    }
    const char *kinds = all   ? " - figures of CPUs, not of GPUs"
                        : any ? " - cpu: figures of that CPU, not of a GPU"
                              : "";
    for (int i = 0; i < n && i < 2; i++) {
        gb_buf_add(&names, i > 0 ? "; " : "");
        one_device(results, i, DEVICE_COLUMNS, &names);
    }
    if (n > 2) {
        gb_buf_printf(&names, "; and %d more", n - 2);
    }
    gb_picture_cut(text, names.data != NULL ? names.data : "", LINE_COLUMNS - gb_utf8_width(kinds));
    gb_buf_add(text, kinds);
    text->failed = text->failed || names.failed;
    gb_buf_free(&names);
}

/* --- head and outputs ------------------------------------------------------------------------- */

void gb_picture_head(const gb_results *results, int device, const char *title, const char *x_label,
                     const char *y_label, gb_buf *script)
{
    gb_buf text = {0};
    device_line(results, device, &text);
    gb_buf_add(script, "reset\nset encoding utf8\nset title ");
    gb_picture_text(script, title, TITLE_COLUMNS);
    gb_buf_add(script, " noenhanced offset 0,1.2 font ',14'\nset label 1 ");
    gb_picture_text(script, text.data != NULL ? text.data : "", LINE_COLUMNS);
    gb_buf_add(script, " noenhanced at graph 0.5,1.04 center font ',10'\nset xlabel ");
    gb_picture_text(script, x_label, X_COLUMNS);
    gb_buf_add(script, " noenhanced\nset ylabel ");
    gb_picture_text(script, y_label, Y_COLUMNS);
    gb_buf_add(
        script,
        " noenhanced\n"
        "set grid xtics ytics linetype 1 linewidth 0.5 linecolor rgb '#bbbbbb'\n"
        "set border 3\nset tics nomirror\nset key outside right top Left reverse noenhanced\n"
        "set format y '%g'\nset tmargin 5\n");
    script->failed = script->failed || text.failed;
    gb_buf_free(&text);
}

/* Scales of text and points stay from one script to the next unless they are set; these make the
 * PNG look as the SVG does. */
void gb_picture_outputs(const char *name, const gb_buf *lines, gb_buf *script)
{
    gb_buf png = {0}, png_lines = {0};
    bool replaced = gb_fonts_replace(script->data != NULL ? script->data : "", name, &png);
    replaced |= gb_fonts_replace(lines->data != NULL ? lines->data : "", name, &png_lines);
    gb_buf_printf(script,
                  "set terminal svg size 1000,600 noenhanced font 'sans,12' background "
                  "'#ffffff'\nset output 'plots/%s.svg'\nplot %s\nset output\n",
                  name, lines->data);
    if (replaced) { /* all texts once more */
        gb_buf_printf(script, GB_PICTURE_REPLACED "%s", png.data != NULL ? png.data : "");
    }
    gb_buf_printf(script,
                  "set terminal pngcairo size 1000,600 noenhanced font 'sans,12' fontscale 0.8 "
                  "pointscale 1.2 background '#ffffff'\nset output 'plots/%s.png'\n%s%s\nset "
                  "output\n",
                  name, replaced ? "plot " : "replot", replaced ? png_lines.data : "");
    script->failed = script->failed || png.failed || png_lines.failed;
    gb_buf_free(&png);
    gb_buf_free(&png_lines);
}
