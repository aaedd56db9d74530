/* Axes of pictures: titles, ranges and ticks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/gnuplot.h"
#include "reports/plot/picture.h"

#define COLUMN_PIXELS 7.0 /* a character at the size of ticks */
#define LINE_PIXELS 18.0
#define TICK_COLUMNS 32
#define X_AXIS_PIXELS 640.0 /* what the key leaves of 1000 */
#define Y_AXIS_PIXELS 400.0
#define LEAST_VALUE 0.01   /* a smaller number on an axis reads badly: 2e-05 ms */
#define MOST_VALUE 20000.0 /* and so does a larger one: 1e+05 us */
/* Beyond these ratios the bars of a linear axis would not be seen: the smallest to the largest, and
 * that to the end of the longest interval. */
#define LOG_RATIO 50.0
#define LONG_INTERVAL 4.0

void gb_picture_y_label(const char *metric, const char *unit, bool higher, gb_buf *out)
{
    gb_buf_printf(out, "%s%s%s%s, %s is better", metric, unit[0] != '\0' ? " (" : "", unit,
                  unit[0] != '\0' ? ")" : "", higher ? "higher" : "lower");
}

void gb_picture_x_label(const json_t *plot, gb_buf *out)
{
    const char *x = json_string_value(json_object_get(plot, "x"));
    const char *unit = json_string_value(json_object_get(plot, "x_unit"));
    x = x != NULL ? x : "";
    gb_buf_add(out, x);
    if (unit != NULL && strstr(x, unit) == NULL) {
        gb_buf_printf(out, " (%s)", unit);
    }
}

void gb_picture_bounds(double *low, double *high, int base)
{
    const double from = *low, to = *high, pad = to > from ? (to - from) * 0.06 : fabs(to) * 0.5;
    const double factor = to > from ? fmin(1.3, pow(to / from, 0.08)) : 2;
    *low = base > 0 ? from / factor : from - pad;
    *high = base > 0 ? to * factor : to + pad;
    if (base == 0 && *low < 0 && from >= 0) {
        *low = 0;
    }
}

void gb_picture_range(gb_buf *script, const char *axis, double low, double high, int base,
                      const char *own_unit)
{
    char a[40], b[40];
    gb_picture_bounds(&low, &high, base);
    gb_buf_printf(script, "set %srange [%s:%s]\n", axis, gb_print_double(low, a, sizeof a),
                  gb_print_double(high, b, sizeof b));
    if (base > 0) {
        gb_buf_printf(script, "set logscale %s %d\n", axis, base);
    }
    if (base == 10 && axis[0] == 'y') {
        gb_picture_log_ticks(script, axis, low, high, own_unit, Y_AXIS_PIXELS);
    }
}

void gb_picture_add_edges(gb_buf *lines, size_t index, const char *x, const char *scale,
                          const gb_edges *edges, const char *colour)
{
    char at[40];
    for (int above = 0; above < 2; above++) {
        if (!(above ? edges->above : edges->below)) {
            continue;
        }
        gb_print_double(above ? edges->to : edges->from, at, sizeof at);
        gb_buf_printf(lines,
                      ", \\\n  '' index %zu using %s:($%d/%s %s %s ? %s : NaN) with points "
                      "pointtype %d pointsize 1.1 linecolor rgb '%s' notitle",
                      index, x, above ? 4 : 3, scale, above ? ">" : "<", at, at, above ? 9 : 11,
                      colour);
    }
}

static double place(double value, double low, double high, bool logarithmic, double pixels)
{
    if (!(high > low)) {
        return pixels / 2;
    }
    double share = logarithmic ? log(value / low) / log(high / low) : (value - low) / (high - low);
    return share * pixels;
}

void gb_picture_ticks(gb_buf *script, const char *axis, const gb_tick ticks[], size_t n, double low,
                      double high, bool logarithmic, double pixels)
{
    char number[40];
    double end = -INFINITY; /* of the text before */
    size_t written = 0;
    gb_buf_printf(script, "set %stics (", axis);
    for (size_t i = 0; i < n; i++) {
        double at = place(ticks[i].at, low, high, logarithmic, pixels);
        double room = axis[0] == 'x'
                          ? ((double)gb_utf8_width(ticks[i].text) * COLUMN_PIXELS + 10) / 2
                          : LINE_PIXELS / 2;
        if (at - room < end) {
            continue;
        }
        gb_buf_add(script, written++ > 0 ? ", " : "");
        gb_gnuplot_quote(script, ticks[i].text);
        gb_buf_printf(script, " %s", gb_print_double(ticks[i].at, number, sizeof number));
        end = at + room;
    }
    gb_buf_add(script, ") noenhanced\n");
}

gb_code gb_picture_value_ticks(gb_buf *script, const char *param, const double x[], size_t n,
                               bool logarithmic, gb_error *err)
{
    bool bytes = strcmp(param, "bytes") == 0 || strstr(param, "_bytes") != NULL;
    gb_tick *ticks = calloc(n + 1, sizeof *ticks);
    if (ticks == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t i = 0; i < n; i++) {
        ticks[i].at = x[i];
        if (bytes && x[i] >= 1 && x[i] < 0x1p63) {
            gb_format_bytes((uint64_t)x[i], ticks[i].text, sizeof ticks[i].text);
        } else {
            gb_print_double(x[i], ticks[i].text, sizeof ticks[i].text);
        }
    }
    gb_picture_ticks(script, "x", ticks, n, n > 0 ? x[0] : 1, n > 0 ? x[n - 1] : 1, logarithmic,
                     X_AXIS_PIXELS);
    free(ticks);
    return GB_OK;
}

void gb_picture_all_ticks(gb_buf *script, const gb_tick ticks[], size_t n, double pixels)
{
    char number[40];
    size_t longest = 0;
    for (size_t i = 0; i < n; i++) {
        size_t width = gb_utf8_width(ticks[i].text);
        longest = width > longest ? width : longest;
    }
    longest = longest < TICK_COLUMNS ? longest : TICK_COLUMNS;
    const double place = pixels / (double)(n > 0 ? n : 1);
    const bool turned = (double)longest * COLUMN_PIXELS + 10 > place;
    const size_t step = turned ? (size_t)(LINE_PIXELS / place) + 1 : 1;
    gb_buf_add(script, "set xtics (");
    for (size_t i = 0; i < n; i += step) {
        gb_buf_add(script, i > 0 ? ", " : "");
        gb_picture_text(script, ticks[i].text, TICK_COLUMNS);
        gb_buf_printf(script, " %s", gb_print_double(ticks[i].at, number, sizeof number));
    }
    gb_buf_printf(script, ") noenhanced%s\n", turned ? " rotate by -30" : "");
}

/* --- logarithmic axes of a metric ------------------------------------------------------------- */

#define FEW_DECADES 3.0
#define LEAST_TICKS 3
#define MOST_TICKS 96

void gb_picture_figure(double value, const char *own_unit, char text[GB_TICK_TEXT])
{
    char unit[32] = "";
    value /= own_unit != NULL ? gb_picture_scale(value, own_unit, unit) : 1;
    /* '.' whatever the locale; no exponent where a number is as short */
    char *all = gb_text_format(value >= 999.5 && value < 1e5 ? "%.0f%s%s" : "%.3g%s%s", value,
                               unit[0] != '\0' ? " " : "", unit);
    snprintf(text, GB_TICK_TEXT, "%s", all != NULL ? all : "");
    free(all);
}

static void set_tick(gb_tick *tick, double at, const char *own_unit)
{
    tick->at = at;
    gb_picture_figure(at, own_unit, tick->text);
}

/* 1, 2 and 5 times powers of ten. */
static size_t decade_ticks(gb_tick ticks[], double low, double high, const char *own_unit)
{
    static const double steps[] = {1, 2, 5};
    const size_t used = log10(high / low) <= FEW_DECADES ? 3 : 1;
    size_t n = 0;
    for (double e = floor(log10(low)); e <= ceil(log10(high)) && n + 3 < MOST_TICKS; e++) {
        for (size_t i = 0; i < used; i++) {
            double at = steps[i] * pow(10, e);
            if (at >= low * 0.999 && at <= high * 1.001) {
                set_tick(&ticks[n++], at, own_unit);
            }
        }
    }
    return n;
}

/* Within a decade: multiples of 1, 2 or 5 times a power of ten, about four of them. */
static size_t even_ticks(gb_tick ticks[], double low, double high, const char *own_unit)
{
    const double rough = (high - low) / 4, power = pow(10, floor(log10(rough)));
    const double step = (rough / power < 2 ? 1 : rough / power < 5 ? 2 : 5) * power;
    size_t n = 0;
    for (double k = ceil(low / step * 0.999); k * step <= high * 1.001 && n < MOST_TICKS; k++) {
        set_tick(&ticks[n++], k * step, own_unit);
    }
    return n;
}

void gb_picture_log_ticks(gb_buf *script, const char *axis, double low, double high,
                          const char *own_unit, double pixels)
{
    gb_tick ticks[MOST_TICKS];
    size_t n = decade_ticks(ticks, low, high, own_unit);
    if (n < LEAST_TICKS && high > low) {
        n = even_ticks(ticks, low, high, own_unit);
    }
    gb_picture_ticks(script, axis, ticks, n, low, high, true, pixels);
}

double gb_picture_log_scale(double low, double max, double high, const char *unit, char label[32],
                            const char **own_unit)
{
    const double factor = gb_picture_scale(max, unit, label);
    *own_unit = NULL;
    if ((low / factor >= LEAST_VALUE && high / factor < MOST_VALUE) || unit[0] == '\0') {
        return factor;
    }
    label[0] = '\0';
    *own_unit = unit;
    return 1;
}

bool gb_picture_bars_logarithmic(double least, double max, double high)
{
    return max / least >= LOG_RATIO || high / max >= LONG_INTERVAL;
}

gb_edges gb_picture_value_axis(gb_buf *script, double low, double high, bool logarithmic,
                               const char *own_unit)
{
    char text[40];
    gb_edges edges = {.from = logarithmic ? low / 1.5 : 0, .to = high * (logarithmic ? 1.3 : 1.12)};
    if (!logarithmic) {
        gb_buf_printf(script, "set yrange [0:%s]\n", gb_print_double(edges.to, text, sizeof text));
        return edges;
    }
    gb_picture_range(script, "y", edges.from, edges.to, 10, own_unit);
    gb_picture_bounds(&edges.from, &edges.to, 10);
    return edges;
}
