/* The bars of a class: a bar a machine, with its interval. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"
#include "reports/plot/picture.h"

#define LOG_RATIO 50.0 /* as of bars: beyond it the small ones of a linear axis are not seen */
#define AXIS_PIXELS 800.0

/* The machines as the devices of one results document, for the line below the title. */
static json_t *all_devices(const gb_matrix *m)
{
    json_t *devices = json_array(), *runs = json_array();
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_machine *machine = &m->machines[i];
        json_t *run = json_object_get(machine->results->document, "run");
        json_array_append_new(devices, json_pack("{s:s, s:s, s:I}", "name", machine->model, "kind",
                                                 machine->kind, "run", (json_int_t)i));
        json_array_append_new(runs, json_pack("{s:O*}", "run", run));
    }
    return json_pack("{s:o, s:o}", "devices", devices, "runs", runs);
}

typedef struct bounds {
    double low, high;
} bounds;

/* "bar value low high" of each machine with a value. */
static size_t write_data(const gb_matrix *m, const gb_matrix_class *class, bounds *range,
                         gb_buf *data)
{
    char text[3][40];
    size_t n = 0;
    gb_buf_printf(data, "# %s\n# bar value low high\n", class->unit);
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        if (!isfinite(cell->value)) {
            continue;
        }
        double low = isfinite(cell->low) ? cell->low : cell->value;
        double high = isfinite(cell->high) ? cell->high : cell->value;
        range->low = n == 0 ? cell->value : fmin(range->low, cell->value);
        range->high = n == 0 ? cell->value : fmax(range->high, fmin(high, 2 * cell->value));
        gb_buf_printf(data, "%zu %s %s %s\n", n++, gb_print_double(cell->value, text[0], 40),
                      gb_print_double(low, text[1], 40), gb_print_double(high, text[2], 40));
    }
    return n;
}

static gb_code add_ticks(const gb_matrix *m, const gb_matrix_class *class, gb_buf *script,
                         gb_error *err)
{
    gb_tick *ticks = calloc(m->n_machines + 1, sizeof ticks[0]);
    size_t n = 0;
    if (ticks == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    for (size_t i = 0; i < m->n_machines; i++) {
        if (isfinite(class->cells[i].value)) {
            char *label = gb_machine_label(&m->machines[i]);
            ticks[n].at = (double)n;
            snprintf(ticks[n].text, sizeof ticks[n].text, "%s", label != NULL ? label : "");
            ticks[n].text[gb_utf8_cut(ticks[n].text, sizeof ticks[n].text - 1)] = '\0';
            free(label);
            n++;
        }
    }
    gb_picture_all_ticks(script, ticks, n, AXIS_PIXELS);
    free(ticks);
    return GB_OK;
}

static gb_code write_script(const gb_matrix *m, const gb_matrix_class *class, const char *name,
                            size_t n, const bounds *range, gb_buf *script, gb_error *err)
{
    char unit[32], scale_text[40], number[40];
    double scale = gb_picture_scale(range->high, class->unit, unit);
    bool logarithmic = range->high / range->low >= LOG_RATIO;
    gb_buf label = {0}, lines = {0};
    gb_results all = {.document = all_devices(m)};
    gb_picture_y_label(class->name, unit, class->higher_is_better, &label);
    gb_buf_add(&label, logarithmic ? ", logarithmic" : "");
    gb_picture_head(&all, -1, class->title, "machine", label.data != NULL ? label.data : "",
                    script);
    gb_buf_printf(script,
                  "set key off\nset xrange [-0.6:%s]\nset grid noxtics\nset xtics scale 0\n",
                  gb_print_double((double)n - 0.4, number, sizeof number));
    if (logarithmic) {
        gb_picture_range(script, "y", range->low / scale / 1.5, range->high / scale * 1.3, 10);
    } else {
        gb_buf_printf(script, "set yrange [0:%s]\n",
                      gb_print_double(range->high / scale * 1.12, number, sizeof number));
    }
    gb_code code = add_ticks(m, class, script, err);
    gb_print_double(scale, scale_text, sizeof scale_text);
    gb_buf_printf(&lines,
                  "'plots/%s.dat' using 1:($2/%s):(0.6) with boxes fillstyle pattern %d border "
                  "linecolor rgb '%s' fillcolor rgb '%s' notitle, \\\n"
                  "  '' using 1:($3/%s):(0):(($4-$3)/%s) " GB_PICTURE_INTERVAL
                  " linecolor rgb '#000000' notitle, \\\n"
                  "  '' using 1:(($4 > 2*$2 ? $2 : $4)/%s):(sprintf('%%.3g', $2/%s)) with labels "
                  "offset 0,0.7 font ',10' notitle",
                  name, scale_text, gb_picture_fill(0), gb_picture_colour(0), gb_picture_colour(0),
                  scale_text, scale_text, scale_text, scale_text);
    gb_picture_outputs(name, &lines, script);
    script->failed = script->failed || lines.failed || label.failed || all.document == NULL;
    gb_buf_free(&lines);
    gb_buf_free(&label);
    json_decref(all.document);
    return code;
}

gb_code gb_matrix_picture(const gb_matrix *m, const gb_matrix_class *class, const char *name,
                          gb_buf *script, gb_buf *data, size_t *shown, gb_error *err)
{
    bounds range = {0};
    gb_code code = GB_OK;
    *shown = write_data(m, class, &range, data);
    if (*shown > 0) {
        code = write_script(m, class, name, *shown, &range, script, err);
    }
    if (code == GB_OK && (script->failed || data->failed)) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    return code;
}
