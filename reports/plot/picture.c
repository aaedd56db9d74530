#include "reports/plot/picture.h"

#include <stdio.h>
#include <string.h>

#include "reports/plot/gnuplot.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000"};
static const int points[] = {7, 5, 9, 11, 13, 4, 6, 8, 10, 12};

const char *gb_picture_colour(size_t series)
{
    return colours[series % COUNT(colours)];
}

int gb_picture_point(size_t series)
{
    return points[series % COUNT(points)];
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

static void device_line(const gb_results *results, int device, gb_buf *text)
{
    const char *started =
        json_string_value(json_object_get(json_object_get(results->document, "run"), "started"));
    const char *kind = gb_results_device_kind(results, device);
    bool several = device < 0;
    gb_buf_printf(text, "%s%s%s, %.10s",
                  several ? "several devices" : gb_results_device_name(results, device),
                  several ? "" : ", device: ", several ? "" : kind,
                  started != NULL ? started : "no date");
    if (!several && strcmp(kind, "cpu") == 0) {
        gb_buf_add(text, " - figures of this CPU, not of a GPU");
    }
}

void gb_picture_head(const gb_results *results, int device, const char *name, const char *title,
                     const char *x_label, const char *y_label, gb_buf *script)
{
    gb_buf text = {0};
    device_line(results, device, &text);
    gb_buf_printf(script,
                  "# Run it from the run directory: gnuplot plots/%s.gp\n"
                  "set encoding utf8\n",
                  name);
    gb_buf_add(script, "set title ");
    gb_gnuplot_quote(script, title);
    gb_buf_add(script, " noenhanced offset 0,1.2 font ',14'\nset label 1 ");
    gb_gnuplot_quote(script, text.data != NULL ? text.data : "");
    gb_buf_add(script, " noenhanced at graph 0.5,1.04 center font ',10' textcolor rgb '#555555'\n"
                       "set xlabel ");
    gb_gnuplot_quote(script, x_label);
    gb_buf_add(script, " noenhanced\nset ylabel ");
    gb_gnuplot_quote(script, y_label);
    gb_buf_add(
        script,
        " noenhanced\nset grid xtics ytics linetype 1 linecolor rgb '#dddddd'\nset border 3\n"
        "set tics nomirror\nset key outside right top noenhanced\n"
        "set format y '%g'\nset tmargin 5\n");
    gb_buf_free(&text);
}

void gb_picture_outputs(const char *name, const gb_buf *lines, gb_buf *script)
{
    gb_buf_printf(script,
                  "set terminal svg size 1000,600 noenhanced font 'sans,12' background "
                  "'#ffffff'\nset output 'plots/%s.svg'\nplot %s\nset output\n",
                  name, lines->data);
    gb_buf_printf(script,
                  "set terminal pngcairo size 1000,600 noenhanced font 'sans,11' background "
                  "'#ffffff'\nset output 'plots/%s.png'\nreplot\nset output\n",
                  name);
}
