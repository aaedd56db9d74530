/* Pictures of cases whose samples are flagged. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/plot/describe.h"
#include "reports/plot/distribution.h"
#include "reports/plot/distribution_parts.h"

static const uint32_t shown_flags = GB_BIT(GB_FLAG_BIMODAL) | GB_BIT(GB_FLAG_DRIFT);

typedef struct suspect {
    const gb_row *row;
    bool bimodal;
    double score;
} suspect;

static bool is_flagged(const gb_record *record)
{
    return record->status == GB_STATUS_OK && (record->flags & shown_flags) != 0 &&
           (record->flags & GB_BIT(GB_FLAG_EMULATED)) == 0;
}

bool gb_distribution_has_flagged(const gb_results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        if (is_flagged(&results->records[i])) {
            return true;
        }
    }
    return false;
}

/* The row that each plot of the suite draws, NULL where none: as many as plots, owned by the caller
 * (free). NULL: out of memory. */
static const gb_row **find_drawn(const gb_table *table, const json_t *plots)
{
    const gb_row **drawn = calloc(json_array_size(plots) + 1, sizeof *drawn);
    size_t i, others;
    const json_t *plot;
    json_array_foreach(plots, i, plot)
    {
        const char *type = json_string_value(json_object_get(plot, "type"));
        if (drawn != NULL && type != NULL && strcmp(type, "distribution") == 0) {
            drawn[i] = gb_distribution_selected(table, plot, &others);
        }
    }
    return drawn;
}

static bool is_one_of(const gb_row *const rows[], size_t n, const gb_row *row)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i] == row) {
            return true;
        }
    }
    return false;
}

static suspect judge(const gb_row *row)
{
    suspect s = {.row = row, .score = -1};
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        if (!is_flagged(r) || !(r->time.median > 0)) {
            continue;
        }
        const bool bimodal = (r->flags & GB_BIT(GB_FLAG_BIMODAL)) != 0;
        const double width =
            bimodal ? r->time.modes[1] - r->time.modes[0] : r->time.p75 - r->time.p25;
        const double score = isfinite(width) ? width / r->time.median : 0;
        if (bimodal != s.bimodal ? bimodal : score > s.score) {
            s.score = score;
            s.bimodal = bimodal;
        }
    }
    return s;
}

/* Keeps the worst, the worst first. */
static void insert(suspect worst[], size_t *n, suspect s)
{
    size_t at = *n;
    while (at > 0 &&
           (s.bimodal != worst[at - 1].bimodal ? s.bimodal : s.score > worst[at - 1].score)) {
        at--;
    }
    if (at == GB_FLAGGED_MOST) {
        return;
    }
    size_t last = *n < GB_FLAGGED_MOST ? (*n)++ : GB_FLAGGED_MOST - 1;
    memmove(&worst[at + 1], &worst[at], (last - at) * sizeof worst[0]);
    worst[at] = s;
}

/* What the flags mean, and both modes: the sentence below the picture. */
static void explain(const gb_row *row, const gb_samples *samples, gb_buf *out)
{
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        if ((row->flags & shown_flags & GB_BIT(f)) != 0) {
            gb_buf_printf(out, "%s%s: %s.", out->length > 0 ? " " : "", gb_flag_word((gb_flag)f),
                          gb_flag_meaning((gb_flag)f));
        }
    }
    for (size_t i = 0; i < row->n; i++) {
        gb_run_order part = {.record = row->replicates[i]};
        gb_buf modes = {0};
        part.ns = gb_samples_of(samples, part.record, &part.n);
        if (gb_distribution_modes(&part, &modes)) {
            gb_buf_printf(out, " In %s.", modes.data);
        }
        gb_buf_free(&modes);
    }
}

static gb_code add_flagged(const gb_results *results, const gb_row *row, const gb_samples *samples,
                           size_t number, gb_pictures *pictures, gb_buf *notes, gb_error *err)
{
    char file[128], name[160];
    bool drawn = false;
    gb_buf script = {0}, data = {0}, note = {0};
    gb_text_filename(row->first->case_id, file, sizeof file);
    snprintf(name, sizeof name, "flagged-%zu-%s", number, file);
    gb_code code = gb_distribution_draw_row(results, row, samples, NULL, name, &script, &data,
                                            notes, &drawn, err);
    if (code == GB_OK && drawn) {
        char *title = gb_text_format("Flagged samples: %s", row->first->case_id);
        explain(row, samples, &note);
        code = gb_pictures_add(pictures, name, title != NULL ? title : row->first->case_id,
                               row->first->benchmark, note.data, &script, &data, err);
        free(title);
        if (code == GB_OK) {
            gb_buf what = {0};
            gb_samples_describe(row, &what);
            pictures->items[pictures->n - 1].what = what.data;
        }
    }
    gb_buf_free(&script);
    gb_buf_free(&data);
    gb_buf_free(&note);
    return code;
}

/* The worst flagged rows that no plot of the suite draws, the worst first. */
static gb_code worst_rows(const gb_results *results, const gb_table *table,
                          const gb_row *rows[GB_FLAGGED_MOST], size_t *n, gb_error *err)
{
    const json_t *plots = json_object_get(json_object_get(results->document, "suite"), "plots");
    suspect worst[GB_FLAGGED_MOST];
    const gb_row **drawn = find_drawn(table, plots);
    if (drawn == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the plots");
    }
    *n = 0;
    for (size_t i = 0; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        suspect s = judge(row);
        if (s.score >= 0 && row->n_ok > 0 && !is_one_of(drawn, json_array_size(plots), row)) {
            insert(worst, n, s);
        }
    }
    free(drawn);
    for (size_t i = 0; i < *n; i++) {
        rows[i] = worst[i].row;
    }
    return GB_OK;
}

gb_code gb_distribution_flagged(const gb_results *results, const gb_table *table,
                                gb_pictures *pictures, gb_buf *notes, gb_error *err)
{
    const gb_row *rows[GB_FLAGGED_MOST];
    size_t n = 0;
    gb_samples samples;
    gb_code code = worst_rows(results, table, rows, &n, err);
    if (code != GB_OK || n == 0) {
        return code;
    }
    code = gb_samples_load(results, rows, n, &samples, err);
    if (code != GB_OK) {
        return code;
    }
    if (samples.missing.length > 0) {
        gb_buf_printf(notes, "plots: samples of flagged cases are not drawn: %s\n",
                      samples.missing.data);
    }
    for (size_t i = 0; code == GB_OK && i < n; i++) {
        gb_buf unsaid = {0}; /* once is enough */
        code = add_flagged(results, rows[i], &samples, i + 1, pictures,
                           samples.missing.length > 0 ? &unsaid : notes, err);
        gb_buf_free(&unsaid);
    }
    gb_samples_free(&samples);
    return code;
}
