/* The plot of a comparison: every judged case's change and its interval, sorted by size. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/compare/internal.h"
#include "reports/plot/picture.h"
#include "reports/plot/series.h"

#define FEW 20 /* cases, of which each has a tick */

/* Colours and signs by what a verdict means to its reader. */
enum { WORSE, BETTER, SAME, OPEN, RATIO, CLASSES };
static const struct {
    const char *label;
    size_t series; /* of colours and signs */
} classes[CLASSES] = {[WORSE] = {"slower, or suspected to be", 1},
                      [BETTER] = {"faster, or suspected to be", 0},
                      [SAME] = {"same: within the threshold", 2},
                      [OPEN] = {"not decided", 6},
                      [RATIO] = {"ratio of devices: no verdict", 0}};

/* Two sessions cannot show that cases are the same, only not tell them apart. */
static const char *label_of(const gb_comparison *c, int class)
{
    return class == SAME && c->evidence != GB_EVIDENCE_INTERLEAVED ? "same: not told apart"
                                                                   : classes[class].label;
}

static int class_of(const gb_compared *item)
{
    switch (item->verdict) {
    case GB_VERDICT_SLOWER:
    case GB_VERDICT_SUSPECT_SLOWER:
        return WORSE;
    case GB_VERDICT_FASTER:
    case GB_VERDICT_SUSPECT_FASTER:
        return BETTER;
    case GB_VERDICT_SAME:
        return SAME;
    case GB_VERDICT_RATIO:
        return RATIO;
    default:
        return OPEN;
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
            const double ratio = 1 + item->change;
            range[0] = fmin(range[0], 100 * (fmax(1 + low, ratio / GB_LONGEST_INTERVAL) - 1));
            range[1] = fmax(range[1], 100 * (fmin(1 + high, ratio * GB_LONGEST_INTERVAL) - 1));
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

/* A class' triangles where intervals go on beyond the axis, from and to in its unit: percent, or
 * ratios when `wide`. Items are those drawn. */
static void add_edges(const gb_compared *const items[], size_t n, int class, const gb_edges *axis,
                      bool wide, unsigned index, gb_buf *lines)
{
    char at[40], percent[40];
    for (int above = 0; above < 2; above++) {
        const double edge = above ? axis->to : axis->from;
        const double limit = wide ? 100 * (edge - 1) : edge;
        bool any = false;
        for (size_t i = 0; i < n; i++) {
            const double end = 100 * items[i]->ci[above];
            any = any || (class_of(items[i]) == class && (above ? end > limit : end < limit));
        }
        if (any) {
            gb_buf_printf(
                lines,
                ", \\\n  '' index %u using 1:($%d %s %s ? %s : NaN) with points pointtype "
                "%d pointsize 1.1 linecolor rgb '%s' notitle",
                index, above ? 4 : 3, above ? ">" : "<",
                gb_print_double(limit, percent, sizeof percent),
                gb_print_double(edge, at, sizeof at), above ? 9 : 11,
                gb_picture_colour(classes[class].series));
        }
    }
}

/* Below a tenth or beyond threefold a linear axis would press all others flat: new / baseline on a
 * logarithmic one, its ticks still changes in percent. */
static bool write_axis(const double range[2], gb_edges *edges, gb_buf *script)
{
    static const double ratios[] = {1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1,
                                    2,    5,    10,   20,   50,   100, 1e3, 1e4};
    const bool wide = range[0] < -90 || range[1] > 300;
    if (!wide) {
        *edges = (gb_edges){.from = range[0], .to = range[1]};
        gb_picture_range(script, "y", range[0], range[1], 0, NULL);
        gb_picture_bounds(&edges->from, &edges->to, 0);
        return false;
    }
    const double low = fmax(1 + range[0] / 100, 1e-4), high = 1 + range[1] / 100;
    gb_tick ticks[sizeof ratios / sizeof ratios[0]];
    const bool decades = high / low > 1e3; /* the others would crowd out the 0 */
    size_t n = 0;
    *edges = (gb_edges){.from = low, .to = high};
    gb_picture_range(script, "y", low, high, 10, NULL);
    gb_picture_bounds(&edges->from, &edges->to, 10);
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0]; i++) {
        ticks[n].at = ratios[i];
        snprintf(ticks[n].text, sizeof ticks[n].text, "%+.0f", 100 * (ratios[i] - 1));
        if (ratios[i] < 0.01 || ratios[i] == 1) { /* "-99.9", which a comma must not split; "0" */
            snprintf(ticks[n].text, sizeof ticks[n].text, "%s",
                     ratios[i] == 1     ? "0"
                     : ratios[i] < 1e-3 ? "-99.99"
                                        : "-99.9");
        }
        const double power = log10(ratios[i]);
        n += ratios[i] >= low / 1.1 && ratios[i] <= high * 1.1 &&
             !(decades && fabs(power - round(power)) > 0.01);
    }
    gb_picture_ticks(script, "y", ticks, n, low, high, true, 400);
    return true;
}

static void write_script(const gb_comparison *c, const char *name, const gb_compared *const items[],
                         size_t n, const size_t counts[CLASSES], const double range[2],
                         gb_buf *script)
{
    gb_edges edges;
    gb_buf lines = {0}, axis = {0};
    char title[160];
    const bool wide = write_axis(range, &edges, &axis);
    snprintf(title, sizeof title, "Change of %zu case%s: %s", n, n == 1 ? "" : "s",
             gb_comparison_headline(c));
    gb_picture_head(c->b, -1, title, "cases, by growing change: their place in the table",
                    wide ? "change (%), axis of ratios: (new - baseline) / baseline"
                         : "change (%): (new - baseline) / baseline",
                    script);
    gb_picture_place_key(script, GB_LEGEND_COLUMNS, CLASSES, 0);
    gb_buf_printf(script, "set xrange [0:%zu]\nset xtics %s\n%s", n + 1,
                  n <= FEW ? "1" : "autofreq", axis.data != NULL ? axis.data : "");
    gb_buf_printf(script,
                  "set arrow 10 from graph 0,first %d to graph 1,first %d nohead linewidth 1 "
                  "linecolor rgb '" GB_PICTURE_GREY "'\n",
                  wide, wide);
    const char *y = wide ? "(1+$2/100):(1+$3/100):(1+$4/100)" : "2:3:4";
    unsigned index = 0;
    for (int class = 0; class < CLASSES; class ++) {
        if (counts[class] == 0) {
            continue;
        }
        gb_buf_printf(&lines,
                      "%s'plots/%s.dat' index %u using 1:%s with yerrorbars pointtype %d "
                      "pointsize 0.9 linecolor rgb '%s'",
                      index > 0 ? ", \\\n  " : "", name, index, y,
                      gb_picture_point(classes[class].series),
                      gb_picture_colour(classes[class].series));
        gb_picture_key(&lines, label_of(c, class));
        add_edges(items, n, class, &edges, wide, index, &lines);
        index++;
    }
    gb_picture_outputs(name, &lines, script);
    script->failed = script->failed || lines.failed || axis.failed;
    gb_buf_free(&lines);
    gb_buf_free(&axis);
}

/* Those with a change, by growing change; *n of them. The caller frees; NULL: no memory. */
static const gb_compared **drawn(const gb_comparison *c, size_t *n)
{
    const gb_compared **items = calloc(c->n + 1, sizeof(gb_compared *));
    *n = 0;
    for (size_t i = 0; items != NULL && i < c->n; i++) {
        if (isfinite(c->items[i].change)) {
            items[(*n)++] = &c->items[i];
        }
    }
    if (items != NULL) {
        qsort(items, *n, sizeof(gb_compared *), by_change);
    }
    return items;
}

size_t *gb_comparison_places(const gb_comparison *c)
{
    size_t n;
    const gb_compared **items = drawn(c, &n);
    size_t *places = calloc(c->n + 1, sizeof places[0]);
    for (size_t i = 0; items != NULL && places != NULL && i < n; i++) {
        places[items[i] - c->items] = i + 1;
    }
    if (items == NULL) {
        free(places);
        places = NULL;
    }
    free(items);
    return places;
}

gb_code gb_compare_picture(const gb_comparison *c, const char *name, gb_buf *script, gb_buf *data,
                           size_t *shown, gb_error *err)
{
    const gb_compared **items = drawn(c, shown);
    size_t counts[CLASSES] = {0};
    double range[2] = {0, 0};
    if (items == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    if (*shown > 0) {
        write_data(items, *shown, counts, range, data);
        write_script(c, name, items, *shown, counts, range, script);
    }
    free(items);
    return script->failed || data->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                                          : GB_OK;
}

void gb_compare_describe(const gb_comparison *c, gb_buf *out)
{
    char low[32], high[32];
    size_t n, counts[CLASSES] = {0};
    const char *separator = "";
    const gb_compared **items = drawn(c, &n);
    for (size_t i = 0; items != NULL && i < n; i++) {
        counts[class_of(items[i])]++;
    }
    if (items != NULL && n > 0) {
        gb_buf_printf(out, "Changes of %zu case%s in percent, from %s to %s: ", n,
                      n == 1 ? "" : "s", gb_compared_change(items[0]->change, low, sizeof low),
                      gb_compared_change(items[n - 1]->change, high, sizeof high));
        for (int class = 0; class < CLASSES; class ++) {
            if (counts[class] > 0) {
                gb_buf_printf(out, "%s%zu %s", separator, counts[class], label_of(c, class));
                separator = "; ";
            }
        }
        gb_buf_add(out, ". The table has every figure.");
    }
    free(items);
}
