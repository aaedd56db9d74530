/* One entry of `plots:`. */
#include <string.h>

#include "base/text.h"
#include "suite/parts.h"
#include "suite/values.h"

typedef enum axis_rule {
    AXIS_NONE,    /* the picture has its own x */
    AXIS_NUMERIC, /* a line between two points says that there is something between them */
    AXIS_ANY
} axis_rule;

/* A kind of picture: a new one is a row here (and its drawing in the reports). */
typedef struct plot_type {
    const char *name;
    axis_rule x;           /* where there is one, it is required */
    bool y, series, where; /* keys that it takes; y is required then */
    const char *own_x;     /* a parameter that the kernel must have, on the picture's own x axis */
    bool parts;            /* the kernel must report parts */
} plot_type;
static const plot_type plot_types[] = {
    {.name = "curve", .x = AXIS_NUMERIC, .y = true, .series = true},
    {.name = "bar", .x = AXIS_ANY, .y = true, .series = true},
    {.name = "ladder", .x = AXIS_NUMERIC, .y = true, .series = true},
    {.name = "batch-curve", .series = true, .own_x = "batch"},
    {.name = "phases", .x = AXIS_ANY, .series = true, .parts = true},
    {.name = "roofline"},
    {.name = "distribution", .where = true},
};
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

const gb_benchmark *gb_read_reference(gb_reader *reader, const gb_node *node, const char *label,
                                      size_t *index)
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
        gb_read_unexpected(reader, node, label, "a benchmark's name");
    else if (gb_read_word(reader, node, label, "benchmark", names, suite->n_benchmarks, index))
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

/* Keys of other types of plots. */
static void refuse_keys(gb_reader *reader, const gb_node *node, const plot_type *type)
{
    const struct {
        const char *key;
        bool taken;
    } keys[] = {{"x", type->x != AXIS_NONE},
                {"y", type->y},
                {"series", type->series},
                {"where", type->where}};
    gb_buf valid = {0};
    gb_buf_add(&valid, "type, title, benchmark");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].taken)
            gb_buf_printf(&valid, ", %s", keys[i].key);
    if (valid.failed)
        reader->diagnostics->failed = true;
    for (size_t i = 0; !valid.failed && i < sizeof keys / sizeof keys[0]; i++) {
        const gb_node *given = gb_node_get(node, keys[i].key);
        if (given != NULL && !keys[i].taken)
            gb_read_error(reader, given, "plots.%s: type '%s' has no '%s' (its keys: %s)",
                          keys[i].key, type->name, keys[i].key, valid.data);
    }
    gb_buf_free(&valid);
}

/* What a type needs of the kernel; `at` is the benchmark's name in the plot. */
static bool kernel_suits(gb_reader *reader, const gb_node *at, const plot_type *type,
                         const gb_kernel_spec *spec)
{
    if (type->own_x != NULL && gb_spec_param(spec, type->own_x) < 0) {
        gb_read_error(
            reader, at,
            "plots.benchmark: type '%s' needs the parameter '%s', which kernel '%s' does not "
            "have",
            type->name, type->own_x, spec->name);
        return false;
    }
    if (type->parts && (spec->parts == NULL || spec->parts[0] == NULL)) {
        gb_read_error(
            reader, at,
            "plots.benchmark: type '%s' needs a kernel that times the parts of a sample, which "
            "kernel '%s' does not",
            type->name, spec->name);
        return false;
    }
    return true;
}

static void read_x(gb_reader *reader, const gb_node *x, const plot_type *type,
                   const gb_kernel_spec *spec, gb_plot *out)
{
    if (read_param(reader, x, "plots.x", spec, &out->x) && type->x == AXIS_NUMERIC &&
        spec->params[out->x].kind == GB_PARAM_WORD)
        gb_read_error(reader, x, "plots.x: type '%s' needs a numeric x, but '%s' takes words",
                      type->name, spec->params[out->x].name);
}

/* The keys that depend on the type and on the kernel. */
static void read_axes(gb_reader *reader, const gb_node *node, const plot_type *type,
                      const gb_kernel_spec *spec, gb_plot *out)
{
    const gb_node *x = gb_node_get(node, "x"), *y = gb_node_get(node, "y");
    const gb_node *where = gb_node_get(node, "where");
    gb_node *const *series = gb_node_slot(node, "series");
    if (type->own_x != NULL)
        out->x = gb_spec_param(spec, type->own_x);
    if (type->x != AXIS_NONE && x != NULL)
        read_x(reader, x, type, spec, out);
    if (type->y && y != NULL)
        gb_read_metric(reader, y, "plots.y", spec, &out->y);
    if (type->series && series != NULL)
        read_series(reader, series, spec, out);
    if (type->where && where != NULL &&
        !gb_read_conditions(reader, where, "plots.where", spec, NULL, &out->where, &out->n_where)) {
        gb_conditions_free(out->where, out->n_where); /* half of them would say something else */
        out->where = NULL;
        out->n_where = 0;
    }
}

void gb_read_plot(gb_reader *reader, const gb_node *node, gb_plot *out)
{
    static const char *const keys[] = {"type", "title", "benchmark", "x", "y", "series", "where"};
    *out = (gb_plot){.benchmark = SIZE_MAX, /* none as yet: not the first one either */
                     .x = -1,
                     .y = GB_PLOT_NO_METRIC,
                     .line = node->line,
                     .column = node->column};
    if (!gb_read_map(reader, node, "plots", keys, sizeof keys / sizeof keys[0]))
        return;
    const plot_type *type = read_type(reader, gb_read_required(reader, node, "plot", "type"));
    const gb_node *title = gb_node_get(node, "title");
    if (title != NULL)
        gb_read_text(reader, title, "plots.title", GB_MAX_TEXT_CHARACTERS, &out->title);
    const gb_node *benchmark = gb_read_required(reader, node, "plot", "benchmark");
    const gb_benchmark *found =
        benchmark != NULL ? gb_read_reference(reader, benchmark, "plots.benchmark", &out->benchmark)
                          : NULL;
    if (type == NULL)
        return;
    out->type = gb_text_copy(type->name);
    if (type->x != AXIS_NONE)
        gb_read_required(reader, node, "plot", "x");
    if (type->y)
        gb_read_required(reader, node, "plot", "y");
    refuse_keys(reader, node, type);
    if (found != NULL && found->spec != NULL && kernel_suits(reader, benchmark, type, found->spec))
        read_axes(reader, node, type, found->spec, out);
}
