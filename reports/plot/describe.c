#include "reports/plot/describe.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "reports/merge.h"
#include "reports/plot/distribution_parts.h"
#include "reports/plot/series.h"
#include "reports/roofs.h"

#define NAMED 6 /* series */

static const char *value_text(const gb_figures *f, double value, char *buf, size_t size)
{
    return strcmp(f->unit, "ns") == 0 ? gb_format_ns(value, buf, size)
                                      : gb_format_rate(value, f->unit, buf, size);
}

static void say_series(const gb_figures *f, const gb_wanted *wanted, gb_buf *out)
{
    if (gb_figures_plain(f, wanted)) {
        return;
    }
    gb_buf_printf(out, "; %zu series: ", f->n);
    for (size_t s = 0; s < f->n && s < NAMED; s++) {
        gb_buf_printf(out, "%s%s", s > 0 ? "; " : "", f->items[s].label);
    }
    if (f->n > NAMED) {
        gb_buf_printf(out, "; and %zu more", f->n - NAMED);
    }
}

/* "highest 54.3 GB/s (h2d, pinned; bytes 1 GiB)". */
static void say_extreme(const gb_figures *f, const gb_wanted *wanted, bool high, gb_buf *out)
{
    char value[32], at[160];
    const double wanted_y = high ? f->y_max : f->y_min;
    for (size_t s = 0; s < f->n; s++) {
        for (size_t i = 0; i < f->items[s].n; i++) {
            const gb_point *p = &f->items[s].points[i];
            if (p->y == wanted_y) {
                gb_buf_printf(out, "%s %s (%s%s%s %s)", high ? "highest" : "lowest",
                              value_text(f, p->y, value, sizeof value),
                              gb_figures_plain(f, wanted) ? "" : f->items[s].label,
                              gb_figures_plain(f, wanted) ? "" : "; ", wanted->x,
                              gb_row_param_text(p->row, wanted->x, at, sizeof at));
                return;
            }
        }
    }
}

static void say_figures(const gb_figures *f, const gb_wanted *wanted, const char *kind, gb_buf *out)
{
    char from[160], to[160];
    const gb_series *first = &f->items[0];
    gb_row_param_text(first->points[0].row, wanted->x, from, sizeof from);
    gb_row_param_text(first->points[first->n - 1].row, wanted->x, to, sizeof to);
    gb_buf_printf(out, "%s of %s over %s, %s to %s, %s is better", kind, wanted->y, wanted->x, from,
                  to, f->higher ? "higher" : "lower");
    say_series(f, wanted, out);
    gb_buf_add(out, "; ");
    say_extreme(f, wanted, true, out);
    if (f->n_points > 1) {
        gb_buf_add(out, ", ");
        say_extreme(f, wanted, false, out);
    }
    gb_buf_add(out, ". The table has every figure.");
}

/* Points of a roofline are cases with counted operations; the highest says most. */
static void say_roofline(const gb_results *results, const gb_table *table, const char *benchmark,
                         gb_buf *out)
{
    char rate[32];
    size_t n = 0;
    const gb_row *best = NULL;
    for (size_t i = 0; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        if (strcmp(row->first->benchmark, benchmark) == 0 && gb_row_flops(row) > 0 &&
            gb_row_intensity(row) > 0) {
            n++;
            best = best == NULL || gb_row_flops(row) > gb_row_flops(best) ? row : best;
        }
    }
    if (best != NULL) {
        gb_buf_printf(out,
                      "Roofline: arithmetic rate over operations a byte, below roofs of memory and "
                      "arithmetic; %zu cases of %s, the highest %s at %.3g FLOP/byte on %s. "
                      "Roofs are named on their lines.",
                      n, benchmark, gb_format_rate(gb_row_flops(best), "FLOP/s", rate, sizeof rate),
                      gb_row_intensity(best),
                      gb_results_device_label(results, best->first->device));
    }
}

void gb_samples_describe(const gb_row *row, gb_buf *out)
{
    char time[32], half[32];
    size_t n = 0;
    for (size_t i = 0; i < row->n; i++) {
        n += row->replicates[i]->status == GB_STATUS_OK ? (size_t)row->replicates[i]->time.n : 0;
    }
    gb_buf_printf(
        out,
        "Time per iteration of %zu samples of %s in the order taken, %zu replicate%s side "
        "by side, and beside them how many samples there are of each duration; centre of "
        "the replicates %s",
        n, row->first->case_id, row->n_ok, row->n_ok == 1 ? "" : "s",
        gb_format_ns(row->time_ns, time, sizeof time));
    if (isfinite(row->plus_minus)) {
        gb_buf_printf(out, " \xc2\xb1 %s", gb_format_half(row->plus_minus, half, sizeof half));
    }
    gb_buf_add(out, ".");
}

/* Kinds whose x and y are parameter and metric; "" where the plot names them itself. */
static const struct {
    const char *type, *kind, *x, *y;
} figures_of[] = {{"curve", "Curve", "", ""},
                  {"bar", "Bars", "", ""},
                  {"ladder", "Curve, both axes logarithmic,", "", ""},
                  {"batch-curve", "Throughput and latency: curve", "batch", "throughput"},
                  {"phases", "Bars of the shares of its parts: bar", "", "time"}};

static gb_code describe_figures(const gb_results *results, const gb_table *table,
                                const json_t *plot, size_t which, gb_buf *out, gb_error *err)
{
    gb_figures figures;
    gb_buf notes = {0}; /* said where the picture is drawn */
    gb_wanted wanted = gb_wanted_of(plot, "", GB_SERIES_MOST);
    wanted.zero_x = true;
    wanted.x = figures_of[which].x[0] != '\0' ? figures_of[which].x : wanted.x;
    wanted.y = figures_of[which].y[0] != '\0' ? figures_of[which].y : wanted.y;
    if (wanted.benchmark == NULL || wanted.x == NULL || wanted.y == NULL) {
        return GB_OK;
    }
    gb_code code = gb_figures_collect(results, table, &wanted, &figures, &notes, err);
    if (code == GB_OK && figures.n_points > 0) {
        say_figures(&figures, &wanted, figures_of[which].kind, out);
    }
    gb_figures_free(&figures);
    gb_buf_free(&notes);
    return code;
}

gb_code gb_plot_describe(const gb_results *results, const gb_table *table, const json_t *plot,
                         gb_buf *out, gb_error *err)
{
    const char *type = json_string_value(json_object_get(plot, "type"));
    const char *benchmark = json_string_value(json_object_get(plot, "benchmark"));
    if (type == NULL || benchmark == NULL) {
        return GB_OK;
    }
    for (size_t i = 0; i < sizeof figures_of / sizeof figures_of[0]; i++) {
        if (strcmp(type, figures_of[i].type) == 0) {
            return describe_figures(results, table, plot, i, out, err);
        }
    }
    if (strcmp(type, "roofline") == 0) {
        say_roofline(results, table, benchmark, out);
    } else if (strcmp(type, "distribution") == 0) {
        size_t others;
        const gb_row *row = gb_distribution_selected(table, plot, &others);
        if (row != NULL) {
            gb_samples_describe(row, out);
        }
    }
    return out->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot") : GB_OK;
}
