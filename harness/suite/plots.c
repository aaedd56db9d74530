/* One entry of `plots:`. */
#include <string.h>

#include "base/text.h"
#include "suite/parts.h"
#include "suite/values.h"

/* A kind of picture: a new one is a row here (and its drawing in the reports). */
typedef struct plot_type {
    const char *name;
    bool numeric_x; /* a line between two points says that there is something between them */
    bool axes;      /* x, y and series are the suite's choice */
} plot_type;
static const plot_type plot_types[] = {{"curve", true, true}, {"roofline", false, false}};
#define N_PLOT_TYPES (sizeof plot_types / sizeof plot_types[0])

static const plot_type *read_type(gb_reader *reader, const gb_node *node)
{
    const char *names[N_PLOT_TYPES];
    for (size_t i = 0; i < N_PLOT_TYPES; i++)
        names[i] = plot_types[i].name;
    size_t index;
    if (node == NULL ||
        !gb_read_word(reader, node, "plots.type", "plot type", names, N_PLOT_TYPES, &index))
        return NULL;
    return &plot_types[index];
}

static const gb_benchmark *read_reference(gb_reader *reader, const gb_node *node, size_t *index)
{
    const gb_suite *suite = reader->suite;
    const char **names = gb_read_alloc(reader, suite->n_benchmarks, sizeof *names);
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < suite->n_benchmarks; i++)
        names[i] = suite->benchmarks[i].name != NULL ? suite->benchmarks[i].name : "";
    const gb_benchmark *found = NULL;
    /* A name is text also when it reads like null. */
    if (node->type == GB_NODE_SCALAR && node->length == 0)
        gb_read_unexpected(reader, node, "plots.benchmark", "a benchmark's name");
    else if (gb_read_word(reader, node, "plots.benchmark", "benchmark", names, suite->n_benchmarks,
                          index))
        found = &suite->benchmarks[*index];
    free(names);
    return found;
}

static bool read_param(gb_reader *reader, const gb_node *node, const char *label,
                       const gb_kernel_spec *spec, int *out)
{
    const char **names = gb_param_names(reader, spec);
    size_t index = 0;
    bool good = names != NULL &&
                gb_read_word(reader, node, label, "parameter", names, spec->n_params, &index);
    free(names);
    *out = (int)index;
    return good;
}

static void read_series(gb_reader *reader, gb_node *const *node, const gb_kernel_spec *spec,
                        gb_plot *out)
{
    gb_node *const *items;
    size_t n;
    if (!gb_read_items(reader, node, "plots.series", "a list of parameters", &items, &n))
        return;
    out->series = gb_read_alloc(reader, spec->n_params, sizeof *out->series);
    for (size_t i = 0; out->series != NULL && i < n; i++) {
        int param;
        if (!read_param(reader, items[i], "plots.series", spec, &param))
            continue;
        bool used = param == out->x;
        for (size_t k = 0; k < out->n_series; k++)
            used = used || out->series[k] == param;
        if (used)
            gb_read_error(reader, items[i], "plots.series: '%s' is used twice in this plot",
                          spec->params[param].name);
        else
            out->series[out->n_series++] = param;
    }
}

/* A picture whose axes are always the same. */
static void refuse_axes(gb_reader *reader, const gb_node *node, const plot_type *type)
{
    static const char *const axes[] = {"x", "y", "series"};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        const gb_node *given = gb_node_get(node, axes[i]);
        if (given != NULL)
            gb_read_error(reader, given, "plots.%s: a %s has its own axes", axes[i], type->name);
    }
}

void gb_read_plot(gb_reader *reader, const gb_node *node, gb_plot *out)
{
    static const char *const keys[] = {"type", "title", "benchmark", "x", "y", "series"};
    *out = (gb_plot){.x = -1, .y = -1, .line = node->line, .column = node->column};
    if (!gb_read_map(reader, node, "plots", keys, sizeof keys / sizeof keys[0]))
        return;
    const plot_type *type = read_type(reader, gb_read_required(reader, node, "plot", "type"));
    if (type != NULL)
        out->type = gb_text_copy(type->name);
    const gb_node *title = gb_node_get(node, "title");
    if (title != NULL)
        gb_read_text(reader, title, "plots.title", GB_MAX_TEXT_CHARACTERS, &out->title);
    const gb_node *benchmark = gb_read_required(reader, node, "plot", "benchmark");
    if (type != NULL && !type->axes) {
        refuse_axes(reader, node, type);
        if (benchmark != NULL)
            read_reference(reader, benchmark, &out->benchmark);
        return;
    }
    const gb_node *x = gb_read_required(reader, node, "plot", "x");
    const gb_node *y = gb_read_required(reader, node, "plot", "y");
    const gb_benchmark *found =
        benchmark != NULL ? read_reference(reader, benchmark, &out->benchmark) : NULL;
    if (found == NULL || found->spec == NULL)
        return;
    const gb_kernel_spec *spec = found->spec;
    if (x != NULL && read_param(reader, x, "plots.x", spec, &out->x) && type != NULL &&
        type->numeric_x && spec->params[out->x].kind == GB_PARAM_WORD)
        gb_read_error(reader, x, "plots.x: a %s needs a numeric x, but '%s' takes words",
                      type->name, spec->params[out->x].name);
    if (y != NULL)
        gb_read_metric(reader, y, "plots.y", spec, &out->y);
    gb_node *const *series = gb_node_slot(node, "series");
    if (series != NULL)
        read_series(reader, series, spec, out);
}
