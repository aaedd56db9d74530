/* The plot of a comparison: every judged case's change and its interval, sorted by size. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/compare/internal.h"
#include "reports/plot/picture.h"

/* Colours and signs by what a verdict means to its reader. */
enum { WORSE, BETTER, OTHER, CLASSES };
static const char *const labels[CLASSES] = {"slower, or suspected to be",
                                            "faster, or suspected to be", "neither"};

static int class_of(const gb_compared *item)
{
    switch (item->verdict) {
    case GB_VERDICT_SLOWER:
    case GB_VERDICT_SUSPECT_SLOWER:
        return WORSE;
    case GB_VERDICT_FASTER:
    case GB_VERDICT_SUSPECT_FASTER:
        return BETTER;
    default:
        return OTHER;
    }
}

static int by_change(const void *a, const void *b)
{
    const gb_compared *x = *(const gb_compared *const *)a, *y = *(const gb_compared *const *)b;
    if (x->change != y->change) {
        return x->change < y->change ? -1 : 1;
    }
    return strcmp(x->case_id, y->case_id);
}

/* Widens the range for a point and, up to about the point's own size, for its interval: one case of
 * which nothing is known must not press all others flat. */
static void include(double range[2], double change, double low, double high)
{
    double most = 1.5 * fabs(change) + 5;
    range[0] = fmin(range[0], fmax(low, -most));
    range[1] = fmax(range[1], fmin(high, fmax(most, change)));
}

/* Blocks of "rank change low high" in percent, one a class. */
static void write_data(const gb_compared *const items[], size_t n, size_t counts[CLASSES],
                       double range[2], gb_buf *data)
{
    char text[4][32];
    gb_buf_add(data, "# rank  change  low  high  (percent; the 95 % interval)\n");
    for (int class = 0; class < CLASSES; class ++) {
        for (size_t i = 0; i < n; i++) {
            const gb_compared *item = items[i];
            if (class_of(item) != class) {
                continue;
            }
            double low = isnan(item->ci[0]) ? item->change : item->ci[0];
            double high = isnan(item->ci[1]) ? item->change : item->ci[1];
            include(range, 100 * item->change, 100 * low, 100 * high);
            counts[class]++;
            gb_buf_printf(data, "%zu %s %s %s\n", i + 1,
                          gb_print_double(100 * item->change, text[0], sizeof text[0]),
                          gb_print_double(100 * low, text[1], sizeof text[1]),
                          gb_print_double(100 * high, text[2], sizeof text[2]));
        }
        if (counts[class] > 0) {
            gb_buf_add(data, "\n\n");
        }
    }
}

static void write_script(const gb_comparison *c, const char *name, size_t n,
                         const size_t counts[CLASSES], const double range[2], gb_buf *script)
{
    static const size_t colours[CLASSES] = {1, 0, 2};
    gb_buf lines = {0};
    char title[128];
    snprintf(title, sizeof title, "Change of %zu cases: %s", n, gb_comparison_headline(c));
    gb_picture_head(c->b, -1, title, "cases, sorted by change",
                    "change (%): (new - baseline) / baseline", script);
    gb_buf_printf(script, "set xrange [0:%zu]\nset xtics autofreq\n", n + 1);
    gb_picture_range(script, "y", range[0], range[1], 0);
    gb_buf_add(script, "set arrow 10 from graph 0,first 0 to graph 1,first 0 nohead linewidth 1 "
                       "linecolor rgb '" GB_PICTURE_GREY "'\n");
    unsigned index = 0;
    for (int class = 0; class < CLASSES; class ++) {
        if (counts[class] == 0) {
            continue;
        }
        gb_buf_printf(&lines,
                      "%s'plots/%s.dat' index %u using 1:2:3:4 with yerrorbars pointtype %d "
                      "pointsize 0.7 linecolor rgb '%s'",
                      index > 0 ? ", \\\n  " : "", name, index, gb_picture_point(colours[class]),
                      class == OTHER ? GB_PICTURE_GREY : gb_picture_colour(colours[class]));
        gb_picture_key(&lines, labels[class]);
        index++;
    }
    gb_picture_outputs(name, &lines, script);
    script->failed = script->failed || lines.failed;
    gb_buf_free(&lines);
}

gb_code gb_compare_picture(const gb_comparison *c, const char *name, gb_buf *script, gb_buf *data,
                           size_t *shown, gb_error *err)
{
    const gb_compared **items = calloc(c->n + 1, sizeof(gb_compared *));
    size_t counts[CLASSES] = {0};
    double range[2] = {0, 0};
    *shown = 0;
    if (items == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t i = 0; i < c->n; i++) {
        if (isfinite(c->items[i].change)) {
            items[(*shown)++] = &c->items[i];
        }
    }
    if (*shown > 0) {
        qsort(items, *shown, sizeof(gb_compared *), by_change);
        write_data(items, *shown, counts, range, data);
        write_script(c, name, *shown, counts, range, script);
    }
    free(items);
    return script->failed || data->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                                          : GB_OK;
}
