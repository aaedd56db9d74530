/* A suite's `plots:`, entry by entry. */
#include "reports/plot/plots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/findings.h"
#include "reports/plot/bar.h"
#include "reports/plot/batch_curve.h"
#include "reports/plot/curve.h"
#include "reports/plot/describe.h"
#include "reports/plot/distribution.h"
#include "reports/plot/ladder.h"
#include "reports/plot/phases.h"
#include "reports/plot/roofline.h"

/* A kind of picture; a suite's words for them stand in harness/suite/plots.c. */
typedef struct plot_type {
    const char *name;
    gb_code (*write)(const gb_results *results, const gb_table *table, const json_t *plot,
                     const char *name, gb_buf *script, gb_buf *data, gb_buf *notes, gb_error *err);
    const char *note; /* how to read it, below the picture in a page; NULL: nothing to add */
} plot_type;
static const plot_type types[] = {
    {"curve", gb_curve_write,
     "Bars: 95 % confidence interval between replicates. Dotted, where drawn: the fit t = a + n / "
     "b."},
    {"bar", gb_bar_write, "Thin bars: 95 % confidence interval between replicates."},
    {"batch-curve", gb_batch_curve_write,
     "Closed loop: the next request is sent when the last one was answered. " GB_KNEE_RULE
     " p99 is drawn where a case has at least 1000 requests."},
    {"ladder", gb_ladder_write,
     "Both axes are logarithmic. Grey lines: where the working set is as large as a cache. Bars: "
     "95 % confidence interval between replicates."},
    {"phases", gb_phases_write,
     "The time of a part and that of the whole are the table's: medians, brought together over the "
     "replicates by their geometric mean. A share is the quotient of the two. Other: what the "
     "parts leave of the whole: time in none of them, and that medians need not add up."},
    {"distribution", gb_distribution_write,
     "Left: the samples in the order taken, a sign a replicate. Right: how many there are of each "
     "duration, all replicates together. Triangles: samples outside of what is drawn."},
    {"roofline", gb_roofline_write, NULL},
};

static const plot_type *type_of(const json_t *plot)
{
    const char *name = json_string_value(json_object_get(plot, "type"));
    for (size_t i = 0; name != NULL && i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(name, types[i].name) == 0) {
            return &types[i];
        }
    }
    return NULL;
}

/* A benchmark that the run left out (--filter) is nothing to speak of. */
static bool has_records(const gb_table *table, const json_t *plot)
{
    const char *benchmark = json_string_value(json_object_get(plot, "benchmark"));
    for (size_t i = 0; benchmark != NULL && i < table->n; i++) {
        if (strcmp(table->rows[i].first->benchmark, benchmark) == 0) {
            return true;
        }
    }
    return benchmark == NULL;
}

/* The heading of a plot in a page: the suite's, or what it shows. */
static void plot_title(const json_t *plot, gb_buf *title)
{
    const char *given = json_string_value(json_object_get(plot, "title"));
    const char *benchmark = json_string_value(json_object_get(plot, "benchmark"));
    const char *y = json_string_value(json_object_get(plot, "y"));
    const char *type = json_string_value(json_object_get(plot, "type"));
    if (given != NULL) {
        gb_buf_add(title, given);
    } else {
        gb_buf_printf(title, "%s: %s", benchmark != NULL ? benchmark : "plot",
                      y != NULL      ? y
                      : type != NULL ? type
                                     : "");
    }
}

/* "03-copy_bandwidth": unique by its number, told apart by its words. */
static void plot_name(const json_t *plot, size_t number, char *name, size_t size)
{
    const char *benchmark = json_string_value(json_object_get(plot, "benchmark"));
    const char *y = json_string_value(json_object_get(plot, "y"));
    const char *type = json_string_value(json_object_get(plot, "type"));
    char file[128], label[256];
    snprintf(label, sizeof label, "%s %s", benchmark != NULL ? benchmark : "plot",
             y != NULL      ? y
             : type != NULL ? type
                            : "");
    gb_text_filename(label, file, sizeof file);
    snprintf(name, size, "%02zu-%s", number + 1, file);
}

/* What the notes from `begin` on say of this picture, as sentences: the same stand below it. */
static void keep_notes(gb_drawn *drawn, const gb_buf *notes, size_t begin)
{
    gb_buf text = {0};
    char *head = gb_text_format("plots: %s: ", drawn->name);
    const char *at = notes->data != NULL && head != NULL ? notes->data + begin : "";
    for (const char *end; *at != '\0'; at = end) {
        const size_t skip = strncmp(at, head, strlen(head)) == 0 ? strlen(head) : 0;
        end = strchr(at, '\n');
        end = end != NULL ? end + 1 : at + strlen(at);
        if (skip > 0 && (size_t)(end - at) > skip + 1) {
            gb_buf_printf(&text, "%s%.*s.", text.length > 0 ? " " : "",
                          (int)((size_t)(end - at) - skip - 1), at + skip);
        }
    }
    free(head);
    drawn->left_out = text.data;
}

static gb_code add_plot(const gb_results *results, const gb_table *table, const json_t *plot,
                        size_t number, gb_pictures *pictures, gb_buf *notes, gb_error *err)
{
    char name[160];
    const plot_type *type = type_of(plot);
    if (type == NULL) {
        const char *word = json_string_value(json_object_get(plot, "type"));
        gb_buf_printf(notes, "plots: this version draws no plot of type '%s'\n",
                      word != NULL ? word : "");
        return GB_OK;
    }
    gb_buf script = {0}, data = {0}, title = {0}, what = {0};
    const size_t begin = notes->length;
    plot_name(plot, number, name, sizeof name);
    plot_title(plot, &title);
    gb_code code = type->write(results, table, plot, name, &script, &data, notes, err);
    if (code == GB_OK && (script.failed || data.failed || title.failed)) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    if (code == GB_OK && data.length > 0) {
        code = gb_pictures_add(pictures, name, title.data,
                               json_string_value(json_object_get(plot, "benchmark")), type->note,
                               &script, &data, err);
        if (code == GB_OK) {
            keep_notes(&pictures->items[pictures->n - 1], notes, begin);
            code = gb_plot_describe(results, table, plot, &what, err);
            pictures->items[pictures->n - 1].what = what.data;
        }
    }
    gb_buf_free(&script);
    gb_buf_free(&data);
    gb_buf_free(&title);
    return code;
}

gb_code gb_report_pictures(const gb_results *results, gb_pictures *pictures, gb_buf *notes,
                           gb_error *err)
{
    const json_t *plots = json_object_get(json_object_get(results->document, "suite"), "plots");
    gb_table table;
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    for (size_t i = 0; code == GB_OK && i < json_array_size(plots); i++) {
        const json_t *plot = json_array_get(plots, i);
        if (has_records(&table, plot)) {
            code = add_plot(results, &table, plot, i, pictures, notes, err);
        }
    }
    if (code == GB_OK) {
        code = gb_distribution_flagged(results, &table, pictures, notes, err);
    }
    gb_table_free(&table);
    return code;
}

gb_code gb_report_plots(const gb_results *results, const char *dir, const char *gnuplot,
                        gb_pictures *out, gb_buf *notes, gb_error *err)
{
    const json_t *plots = json_object_get(json_object_get(results->document, "suite"), "plots");
    gb_pictures pictures = {0};
    if (out != NULL) {
        *out = (gb_pictures){0};
    }
    if (json_array_size(plots) == 0 && !gb_distribution_has_flagged(results)) {
        gb_pictures_remove_stale(dir, &pictures);
        return GB_OK;
    }
    gb_code code = gb_pictures_open(dir, &pictures, err);
    if (code == GB_OK) {
        code = gb_report_pictures(results, &pictures, notes, err);
    }
    if (code == GB_OK) {
        gb_pictures_remove_stale(dir, &pictures);
        gb_pictures_draw(&pictures, gnuplot, notes);
    }
    if (code == GB_OK && out != NULL) {
        *out = pictures;
    } else {
        gb_pictures_free(&pictures);
    }
    return code;
}
