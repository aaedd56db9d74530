#include "reports/plot/distribution.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/distribution_parts.h"

#define MOST_POINTS 700 /* an SVG takes about 100 bytes for each */
#define FEWEST_BINS 20
#define CLIP_PERCENT 5
#define LOG_RATIO 100 /* of counts */

/* --- figures ---------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void take_replicates(gb_distribution *d, const gb_samples *samples)
{
    for (size_t i = 0; i < d->row->n; i++) {
        const gb_record *record = d->row->replicates[i];
        size_t n;
        const double *ns = gb_samples_of(samples, record, &n);
        if (record->status != GB_STATUS_OK || ns == NULL) {
            continue;
        }
        if (d->n == GB_DISTRIBUTION_REPLICATES) {
            d->left_out++;
            continue;
        }
        d->parts[d->n++] =
            (gb_run_order){.record = record, .ns = ns, .n = n, .first = d->n_samples};
        d->n_samples += n;
    }
}

static void include(gb_distribution *d, double ns)
{
    if (isfinite(ns)) {
        d->low = fmin(d->low, ns);
        d->high = fmax(d->high, ns);
    }
}

/* The axis: what lies between the 5th and the 95th percentile (nearest rank) and as much again on
 * either side, medians and modes in any case: a few long samples must not flatten all others. */
static void find_axis(gb_distribution *d, const double sorted[])
{
    const size_t n = d->n_samples, rank = (n * CLIP_PERCENT + 99) / 100; /* from 1 */
    const double first = sorted[rank - 1], last = sorted[n - rank], width = last - first;
    d->min = sorted[0];
    d->max = sorted[n - 1];
    d->low = first;
    d->high = last;
    include(d, fmax(d->min, first - width));
    include(d, fmin(d->max, last + width));
    for (size_t i = 0; i < d->n; i++) {
        const gb_summary *time = &d->parts[i].record->time;
        const double marks[] = {time->median, time->ci95[0], time->ci95[1], time->modes[0],
                                time->modes[1]};
        for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
            include(d, marks[k]);
        }
    }
    double pad = d->high > d->low ? (d->high - d->low) * 0.06 : d->high > 0 ? d->high * 0.05 : 1;
    d->low = fmax(0, d->low - pad);
    d->high += pad;
}

/* Freedman and Diaconis' width, 2 IQR / n^(1/3), but at least 20 bars (as many as samples, where
 * these are fewer) and at most 50 (https://doi.org/10.1007/BF01025868). */
static void find_bins(gb_distribution *d, const double sorted[], size_t n)
{
    const double iqr = sorted[n - 1 - (n - 1) / 4] - sorted[(n - 1) / 4];
    const double range = sorted[n - 1] - sorted[0], width = 2 * iqr / cbrt((double)n);
    const double fewest = n < FEWEST_BINS ? (double)n : FEWEST_BINS;
    double bins = width > 0 ? ceil(range / width) : fewest;
    bins = range > 0 ? fmin(fmax(bins, fewest), GB_DISTRIBUTION_BINS) : 1;
    d->bins = (size_t)bins;
    d->bin_width = range > 0 ? range / bins : (d->high - d->low) / FEWEST_BINS;
    d->bin_low = range > 0 ? sorted[0] : sorted[0] - d->bin_width / 2;
    for (size_t i = 0; i < n; i++) {
        size_t bin = (size_t)((sorted[i] - d->bin_low) / d->bin_width);
        d->counts[bin < d->bins ? bin : d->bins - 1]++;
    }
    size_t most = 0, least = SIZE_MAX;
    for (size_t i = 0; i < d->bins; i++) {
        most = d->counts[i] > most ? d->counts[i] : most;
        least = d->counts[i] > 0 && d->counts[i] < least ? d->counts[i] : least;
    }
    d->log_counts = most >= LOG_RATIO * least;
}

static gb_code find_figures(gb_distribution *d, gb_error *err)
{
    double *sorted = calloc(d->n_samples + 1, sizeof *sorted);
    if (sorted == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t i = 0; i < d->n; i++) {
        memcpy(sorted + d->parts[i].first, d->parts[i].ns, d->parts[i].n * sizeof *sorted);
    }
    qsort(sorted, d->n_samples, sizeof *sorted, by_value);
    find_axis(d, sorted);
    for (size_t i = 0; i < d->n_samples; i++) {
        d->below += sorted[i] < d->low;
        d->above += sorted[i] > d->high;
    }
    find_bins(d, sorted + d->below, d->n_samples - d->below - d->above);
    d->step = (d->n_samples + MOST_POINTS - 1) / MOST_POINTS;
    free(sorted);
    return GB_OK;
}

gb_code gb_distribution_draw_row(const gb_results *results, const gb_row *row,
                                 const gb_samples *samples, const char *title, const char *name,
                                 gb_buf *script, gb_buf *data, gb_buf *notes, bool *drawn,
                                 gb_error *err)
{
    gb_distribution d = {.results = results, .row = row, .title = title};
    take_replicates(&d, samples);
    *drawn = d.n_samples > 0;
    if (!*drawn) {
        gb_buf_printf(notes, "plots: %s: no samples of %s%s%s\n", name, row->first->case_id,
                      samples->missing.length > 0 ? ": " : "",
                      samples->missing.length > 0 ? samples->missing.data : "");
        return GB_OK;
    }
    gb_code code = find_figures(&d, err);
    if (code == GB_OK) {
        gb_distribution_draw(&d, name, script, data);
    }
    if (code == GB_OK && d.left_out > 0) {
        gb_buf_printf(notes, "plots: %s: the first %d replicates are drawn, %zu left out\n", name,
                      GB_DISTRIBUTION_REPLICATES, d.left_out);
    }
    return code;
}

/* --- a plot of the suite ---------------------------------------------------------------------- */

static bool one_of(const json_t *values, const json_t *value)
{
    size_t i;
    const json_t *one;
    if (!json_is_array(values)) {
        return json_equal(values, value);
    }
    json_array_foreach(values, i, one)
    {
        if (json_equal(one, value)) {
            return true;
        }
    }
    return false;
}

static bool selects(const json_t *plot, const gb_row *row)
{
    const char *benchmark = json_string_value(json_object_get(plot, "benchmark"));
    json_t *where = json_object_get(plot, "where"), *values;
    const char *param;
    if (benchmark == NULL || strcmp(row->first->benchmark, benchmark) != 0 || row->n_ok == 0) {
        return false;
    }
    json_object_foreach(where, param, values)
    {
        if (!one_of(values, json_object_get(row->first->params, param))) {
            return false;
        }
    }
    return true;
}

const gb_row *gb_distribution_selected(const gb_table *table, const json_t *plot, size_t *others)
{
    const gb_row *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        if (selects(plot, row)) {
            found = found == NULL || row->first->index < found->first->index ? row : found;
            n++;
        }
    }
    *others = n > 0 ? n - 1 : 0;
    return found;
}

gb_code gb_distribution_write(const gb_results *results, const gb_table *table, const json_t *plot,
                              const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                              gb_error *err)
{
    const char *benchmark = json_string_value(json_object_get(plot, "benchmark"));
    gb_samples samples;
    size_t others;
    bool drawn;
    if (benchmark == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: a distribution without benchmark");
    }
    const gb_row *row = gb_distribution_selected(table, plot, &others);
    if (row == NULL) {
        gb_buf_printf(notes, "plots: no data for %s (distribution)\n", benchmark);
        return GB_OK;
    }
    gb_code code = gb_samples_load(results, &row, 1, &samples, err);
    if (code != GB_OK) {
        return code;
    }
    code = gb_distribution_draw_row(results, row, &samples,
                                    json_string_value(json_object_get(plot, "title")), name, script,
                                    data, notes, &drawn, err);
    if (code == GB_OK && drawn && others > 0) {
        gb_buf_printf(notes, "plots: %s: %s is drawn; the plot selects %zu other case%s\n", name,
                      row->first->case_id, others, others == 1 ? "" : "s");
    }
    gb_samples_free(&samples);
    return code;
}
