/* Plots: for every entry of the suite's `plots:` a script and its data under DIR/plots, then one
 * gnuplot process that makes all pictures. Run by hand from the run directory, `gnuplot
 * plots/NAME.gp` gives the same files. */
#include "reports/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/curve.h"
#include "reports/gnuplot.h"
#include "reports/roofline.h"

#define GNUPLOT_TIMEOUT_S 120

static gb_code write_file(const char *dir, const char *name, const char *suffix, const gb_buf *text,
                          gb_error *err)
{
    char *path = gb_text_format("%s/plots/%s%s", dir, name, suffix);
    if (path == NULL || text->failed) {
        free(path);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    FILE *file = fopen(path, "w");
    gb_code code = GB_OK;
    bool written = file != NULL && fwrite(text->data, 1, text->length, file) == text->length;
    if (file == NULL || (fclose(file) != 0) || !written) {
        code = gb_fail(err, GB_IO, "cannot write %s: %s", path, strerror(errno));
    }
    free(path);
    return code;
}

/* The kinds of pictures; a suite's words for them stand in harness/suite/plots.c. */
static const struct {
    const char *type;
    gb_code (*write)(const gb_results *results, const gb_table *table, const json_t *plot,
                     const char *name, gb_buf *script, gb_buf *data, gb_buf *notes, gb_error *err);
} types[] = {{"curve", gb_curve_write}, {"roofline", gb_roofline_write}};

static gb_code write_type(const gb_results *results, const gb_table *table, const json_t *plot,
                          const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                          gb_error *err)
{
    const char *type = json_string_value(json_object_get(plot, "type"));
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (type != NULL && strcmp(type, types[i].type) == 0) {
            return types[i].write(results, table, plot, name, script, data, notes, err);
        }
    }
    gb_buf_printf(notes, "plots: this version draws no plot of type '%s'\n",
                  type != NULL ? type : "");
    return GB_OK;
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

/* Writes script and data of one plot; *name stays empty when there is nothing to plot. */
static gb_code write_plot(const gb_results *results, const gb_table *table, const json_t *plot,
                          size_t number, const char *dir, char name[160], gb_buf *notes,
                          gb_error *err)
{
    const char *benchmark = json_string_value(json_object_get(plot, "benchmark"));
    const char *y = json_string_value(json_object_get(plot, "y"));
    const char *type = json_string_value(json_object_get(plot, "type"));
    gb_buf script = {0}, data = {0};
    char file[128], label[256];
    name[0] = '\0';
    snprintf(label, sizeof label, "%s %s", benchmark != NULL ? benchmark : "plot",
             y != NULL      ? y
             : type != NULL ? type
                            : "");
    gb_text_filename(label, file, sizeof file);
    snprintf(name, 160, "%02zu-%s", number + 1, file);
    gb_code code = write_type(results, table, plot, name, &script, &data, notes, err);
    if (code == GB_OK && data.length > 0) {
        code = write_file(dir, name, ".dat", &data, err);
        if (code == GB_OK) {
            code = write_file(dir, name, ".gp", &script, err);
        }
    } else {
        name[0] = '\0';
    }
    gb_buf_free(&script);
    gb_buf_free(&data);
    return code;
}

/* Removes pictures that are not whole, and says so. */
static size_t check_pictures(const char *dir, const char *name, gb_buf *notes)
{
    static const char *const suffixes[] = {".svg", ".png"};
    size_t whole = 0;
    for (size_t i = 0; i < 2; i++) {
        char *path = gb_text_format("%s/plots/%s%s", dir, name, suffixes[i]);
        if (path == NULL) {
            continue;
        }
        if (gb_picture_whole(path)) {
            whole++;
        } else {
            unlink(path);
            gb_buf_printf(notes, "plots: %s was not written whole; its script is %s/plots/%s.gp\n",
                          path, dir, name);
        }
        free(path);
    }
    return whole;
}

/* Runs gnuplot over all scripts; when one fails, goes on with those behind it. */
static void make_pictures(const char *dir, const char *gnuplot, char names[][160], size_t n,
                          gb_buf *notes)
{
    char **scripts = calloc(n + 1, sizeof *scripts);
    for (size_t i = 0; scripts != NULL && i < n; i++) {
        scripts[i] = gb_text_format("plots/%s.gp", names[i]);
        for (int s = 0; s < 2; s++) { /* an older picture must not be taken for the new one */
            char *old = gb_text_format("%s/plots/%s%s", dir, names[i], s == 0 ? ".svg" : ".png");
            if (old != NULL) {
                unlink(old);
            }
            free(old);
        }
    }
    for (size_t start = 0; scripts != NULL && start < n;) {
        gb_buf output = {0};
        gb_error err = {0};
        gb_code code = gb_gnuplot_run(gnuplot, dir, (const char *const *)scripts + start, n - start,
                                      GNUPLOT_TIMEOUT_S, &output, &err);
        if (code == GB_UNAVAILABLE) {
            gb_buf_printf(notes, "plots skipped: %s\n", err.message);
            gb_buf_free(&output);
            break;
        }
        size_t end = start;
        while (end < n && check_pictures(dir, names[end], code == GB_OK ? notes : &output) == 2) {
            end++;
        }
        if (code != GB_OK && end < n) {
            gb_buf_printf(notes, "plots: %s (script: %s/%s)\n", err.message, dir, scripts[end]);
        }
        start = code == GB_OK ? n : end + 1;
        for (size_t i = end + 1; code == GB_OK && i < n; i++) {
            check_pictures(dir, names[i], notes);
        }
        gb_buf_free(&output);
    }
    for (size_t i = 0; scripts != NULL && i < n; i++) {
        free(scripts[i]);
    }
    free(scripts);
}

gb_code gb_report_plots(const gb_results *results, const char *dir, const char *gnuplot,
                        gb_buf *notes, gb_error *err)
{
    const json_t *plots = json_object_get(json_object_get(results->document, "suite"), "plots");
    size_t n = json_array_size(plots), written = 0;
    if (n == 0) {
        return GB_OK;
    }
    gb_table table;
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    char *folder = gb_text_format("%s/plots", dir);
    char(*names)[160] = calloc(n, sizeof *names);
    if (folder == NULL || names == NULL) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the plots");
    } else if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        code = gb_fail(err, GB_IO, "cannot make %s: %s", folder, strerror(errno));
    }
    for (size_t i = 0; code == GB_OK && i < n; i++) {
        if (!has_records(&table, json_array_get(plots, i))) {
            continue;
        }
        code = write_plot(results, &table, json_array_get(plots, i), i, dir, names[written], notes,
                          err);
        written += names[written][0] != '\0';
    }
    if (code == GB_OK && written > 0) {
        make_pictures(dir, gnuplot, names, written, notes);
    }
    free(names);
    free(folder);
    gb_table_free(&table);
    return code;
}
