/* The bars of a class: a bar a machine, with its interval. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"
#include "reports/plot/picture.h"

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

/* The axis of values. */
typedef struct axis {
    double least, most; /* of the values */
    double low, high;   /* with their intervals */
    bool logarithmic;
    double scale;
    char unit[32];
    const char *own_unit; /* of each tick */
} axis;

static double low_of(const gb_cell *cell)
{
    return cell->low > 0 && cell->low < cell->value ? cell->low : cell->value;
}

static double high_of(const gb_cell *cell)
{
    return isfinite(cell->high) && cell->high > cell->value ? cell->high : cell->value;
}

static axis find_axis(const gb_matrix *m, const gb_matrix_class *class)
{
    axis a = {.least = INFINITY, .low = INFINITY, .scale = 1};
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        if (isfinite(cell->value)) {
            a.least = fmin(a.least, cell->value);
            a.most = fmax(a.most, cell->value);
            a.low = fmin(a.low, fmax(low_of(cell), cell->value / GB_LONGEST_INTERVAL));
            a.high = fmax(a.high, fmin(high_of(cell), cell->value * GB_LONGEST_INTERVAL));
        }
    }
    a.logarithmic = gb_picture_bars_logarithmic(a.least, a.most, a.high);
    a.scale = a.logarithmic
                  ? gb_picture_log_scale(a.low, a.most, a.high, class->unit, a.unit, &a.own_unit)
                  : gb_picture_scale(a.most, class->unit, a.unit);
    return a;
}

/* "bar value low high shown" of each machine with a value. */
static size_t write_data(const gb_matrix *m, const gb_matrix_class *class, const axis *a,
                         gb_buf *data)
{
    char text[3][40], figure[GB_TICK_TEXT];
    size_t n = 0;
    gb_buf_printf(data, "# %s\n# bar value low high shown\n", class->unit);
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        if (!isfinite(cell->value)) {
            continue;
        }
        gb_picture_figure(cell->value / a->scale, a->own_unit, figure);
        gb_buf_printf(data, "%zu %s %s %s \"%s\"\n", n++, gb_print_double(cell->value, text[0], 40),
                      gb_print_double(low_of(cell), text[1], 40),
                      gb_print_double(high_of(cell), text[2], 40), figure);
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

static gb_edges find_edges(const gb_matrix *m, const gb_matrix_class *class, const axis *a,
                           gb_edges edges)
{
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        edges.below = edges.below || low_of(cell) / a->scale < edges.from;
        edges.above = edges.above || high_of(cell) / a->scale > edges.to;
    }
    return edges;
}

static gb_code write_script(const gb_matrix *m, const gb_matrix_class *class, const char *name,
                            size_t n, const axis *a, gb_buf *script, gb_error *err)
{
    char scale[40], number[40], top[40];
    gb_buf label = {0}, lines = {0};
    gb_results all = {.document = all_devices(m)};
    gb_picture_y_label(class->name, a->unit, class->higher_is_better, &label);
    gb_buf_add(&label, a->logarithmic ? ", logarithmic" : "");
    gb_picture_head(&all, -1, class->title, "machine", label.data != NULL ? label.data : "",
                    script);
    gb_buf_printf(script,
                  "set key off\nset xrange [-0.6:%s]\nset grid noxtics\nset xtics scale 0\n",
                  gb_print_double((double)n - 0.4, number, sizeof number));
    const gb_edges edges =
        find_edges(m, class, a,
                   gb_picture_value_axis(script, a->low / a->scale, a->high / a->scale,
                                         a->logarithmic, a->own_unit));
    gb_code code = add_ticks(m, class, script, err);
    gb_print_double(a->scale, scale, sizeof scale);
    gb_print_double(edges.to, top, sizeof top);
    gb_buf_printf(
        &lines,
        "'plots/%s.dat' index 0 using 1:($2/%s):(0.6) with boxes fillstyle pattern %d border "
        "linecolor rgb '%s' fillcolor rgb '%s' notitle, \\\n"
        "  '' using 1:($3/%s):(0):(($4-$3)/%s) " GB_PICTURE_INTERVAL
        " linecolor rgb '#000000' notitle, \\\n"
        "  '' using 1:(($4/%s > %s ? $2 : $4)/%s):(strcol(5)) with labels offset 0,0.7 "
        "font ',10' notitle",
        name, scale, gb_picture_fill(0), gb_picture_colour(0), gb_picture_colour(0), scale, scale,
        scale, top, scale);
    gb_picture_add_edges(&lines, 0, "1", scale, &edges, "#000000");
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
    const axis a = find_axis(m, class);
    gb_code code = GB_OK;
    *shown = write_data(m, class, &a, data);
    if (*shown > 0) {
        code = write_script(m, class, name, *shown, &a, script, err);
    }
    if (code == GB_OK && (script->failed || data->failed)) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    return code;
}

void gb_matrix_picture_describe(const gb_matrix *m, const gb_matrix_class *class, gb_buf *out)
{
    char text[3][32];
    size_t n = 0;
    gb_buf_printf(out, "A bar for each machine with its 95 %% interval, %s is better: ",
                  class->higher_is_better ? "higher" : "lower");
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_cell *cell = &class->cells[i];
        if (!isfinite(cell->value)) {
            continue;
        }
        char *label = gb_machine_label(&m->machines[i]);
        const double values[] = {cell->value, low_of(cell), high_of(cell)};
        for (size_t k = 0; k < 3; k++) {
            gb_format_rate(values[k], class->unit, text[k], sizeof text[k]);
        }
        gb_buf_printf(out, "%s%s %s (%s to %s)", n++ > 0 ? "; " : "", label != NULL ? label : "",
                      text[0], text[1], text[2]);
        out->failed = out->failed || label == NULL;
        free(label);
    }
    gb_buf_add(out, ".");
}
