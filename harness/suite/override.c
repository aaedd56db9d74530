/* What the command line changes of a suite after loading: `--set benchmark.param=value,value`
 * replaces an axis by the file's own rules, `--thin` shortens axes. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suite/cases.h"
#include "suite/parts.h"
#include "suite/values.h"

/* Longest assignment that is looked at. */
#define LONGEST 65536

/* The benchmark with the longest name that "NAME." begins the text with; names may contain dots. */
static gb_benchmark *find_benchmark(gb_suite *suite, const char *text, const char **rest)
{
    gb_benchmark *found = NULL;
    size_t longest = 0;
    for (size_t i = 0; i < suite->n_benchmarks; i++) {
        const char *name = suite->benchmarks[i].name;
        size_t n = strlen(name);
        if (strncmp(text, name, n) != 0 || text[n] != '.' || (found != NULL && n <= longest))
            continue;
        found = &suite->benchmarks[i];
        longest = n;
        *rest = text + n + 1;
    }
    return found;
}

/* The first message, and how many more there are. */
static gb_code first_message(gb_diagnostics *diagnostics, const char *assignment, gb_error *err)
{
    char quoted[GB_QUOTE_SIZE];
    gb_diagnostics_finish(diagnostics, NULL);
    gb_quote(assignment, quoted);
    if (diagnostics->n == 1)
        return gb_fail(err, GB_INVALID, "'%s': %s", quoted, diagnostics->items[0].message);
    return gb_fail(err, GB_INVALID, "'%s': %s (and %zu more problem%s)", quoted,
                   diagnostics->items[0].message, diagnostics->n - 1,
                   diagnostics->n == 2 ? "" : "s");
}

/* Reads the value text as YAML: "1MiB,4MiB" as a flow list, "{from: ...}" and "[...]" as they are.
 */
static gb_code read_axis_text(gb_reader *reader, const char *text, const char *label,
                              const gb_param *param, gb_axis *axis, gb_error *err)
{
    bool flow = text[0] == '{' || text[0] == '[';
    char *yaml = gb_text_format(flow ? "%s" : "[%s]", text);
    gb_source source = {0};
    gb_tree tree = {0};
    gb_error problem = {0};
    gb_code code = GB_NO_MEMORY;
    if (yaml != NULL)
        code = gb_source_open(yaml, strlen(yaml), &source, &problem);
    if (code == GB_OK)
        code = gb_tree_parse(&source, reader->diagnostics, &tree, &problem);
    if (code == GB_OK && tree.root != NULL)
        gb_read_axis(reader, &tree.root, label, param, axis);
    gb_tree_free(&tree);
    gb_source_free(&source);
    free(yaml);
    if (code == GB_OK && reader->diagnostics->failed)
        code = GB_NO_MEMORY;
    if (code == GB_OK)
        return GB_OK;
    return gb_fail(err, code, "%s: %s", label,
                   problem.message[0] != '\0' ? problem.message : "no memory");
}

/* Gives back the axis of a parameter, a new one when the suite did not set it. */
static gb_axis *axis_slot(gb_benchmark *benchmark, int param)
{
    for (size_t i = 0; i < benchmark->n_axes; i++)
        if (benchmark->axes[i].param == param)
            return &benchmark->axes[i];
    size_t bytes = (benchmark->n_axes + 1) * sizeof *benchmark->axes;
    gb_axis *axes = realloc(benchmark->axes, bytes);
    if (axes == NULL)
        return NULL;
    benchmark->axes = axes;
    gb_axis *axis = &axes[benchmark->n_axes++];
    *axis = (gb_axis){.param = param};
    return axis;
}

/* An exclude that matches nothing any more is fine: the command line asked for less. */
static void drop_idle_excludes(gb_benchmark *benchmark)
{
    size_t kept = 0;
    for (size_t i = 0; i < benchmark->n_excludes; i++) {
        gb_exclude *exclude = &benchmark->excludes[i];
        bool reached = false;
        for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
            reached = reached || gb_cases_reached(benchmark, (gb_device_kind)kind,
                                                  exclude->conditions, exclude->n);
        if (reached) {
            benchmark->excludes[kept++] = *exclude;
            continue;
        }
        gb_conditions_free(exclude->conditions, exclude->n);
        free(exclude->reason);
    }
    benchmark->n_excludes = kept;
}

static gb_code find_target(gb_reader *reader, const char *assignment, gb_benchmark **benchmark,
                           int *param, const char **value, gb_error *err)
{
    gb_suite *suite = reader->suite;
    char quoted[GB_QUOTE_SIZE];
    const char *rest = NULL;
    gb_node here = {.type = GB_NODE_SCALAR, .line = 1, .column = 1};
    const char *equals = strchr(assignment, '=');
    if (strlen(assignment) > LONGEST || equals == NULL || strchr(assignment, '.') == NULL)
        return gb_fail(err, GB_INVALID, "'%s' is not of the form benchmark.parameter=value,value",
                       gb_quote(assignment, quoted));
    *benchmark = find_benchmark(suite, assignment, &rest);
    if (*benchmark == NULL) {
        const char **names = gb_read_alloc(reader, suite->n_benchmarks, sizeof *names);
        for (size_t i = 0; names != NULL && i < suite->n_benchmarks; i++)
            names[i] = suite->benchmarks[i].name;
        char *name = gb_text_format("%.*s", (int)strcspn(assignment, ".="), assignment);
        if (names != NULL && name != NULL)
            gb_read_unknown(reader, &here, "benchmark", name, names, suite->n_benchmarks);
        free(names);
        free(name);
        return GB_OK;
    }
    equals = strchr(rest, '=');
    if (equals == NULL)
        return gb_fail(err, GB_INVALID, "'%s' is not of the form benchmark.parameter=value,value",
                       gb_quote(assignment, quoted));
    const gb_kernel_spec *spec = (*benchmark)->spec;
    char *name = gb_text_format("%.*s", (int)(equals - rest), rest);
    const char **names = gb_param_names(reader, spec);
    if (name != NULL && names != NULL) {
        *param = gb_spec_param(spec, name);
        if (*param < 0)
            gb_read_unknown(reader, &here, "parameter", name, names, spec->n_params);
    }
    *value = equals + 1;
    free(name);
    free(names);
    return GB_OK;
}

gb_code gb_suite_override(gb_suite *suite, const char *assignment, gb_error *err)
{
    gb_diagnostics diagnostics = {0};
    gb_catalog none = {0};
    gb_reader reader = {.catalog = &none, .suite = suite, .diagnostics = &diagnostics};
    gb_benchmark *benchmark = NULL;
    int param = -1;
    const char *value = NULL;
    gb_axis fresh = {0};
    gb_code code = find_target(&reader, assignment, &benchmark, &param, &value, err);
    if (code == GB_OK && diagnostics.n == 0 && param >= 0)
        code = read_axis_text(&reader, value, benchmark->spec->params[param].name,
                              &benchmark->spec->params[param], &fresh, err);
    if (code == GB_OK && diagnostics.n == 0 && param >= 0) {
        gb_axis *axis = axis_slot(benchmark, param);
        if (axis == NULL) {
            code = gb_fail(err, GB_NO_MEMORY, "no memory for an axis");
        } else {
            gb_axis_clear(axis);
            memcpy(axis->values, fresh.values, sizeof axis->values);
            memcpy(axis->n, fresh.n, sizeof axis->n);
            memset(&fresh, 0, sizeof fresh);
            drop_idle_excludes(benchmark);
            code = gb_check_cases(&reader, err);
        }
    }
    if (code == GB_OK && diagnostics.failed)
        code = gb_fail(err, GB_NO_MEMORY, "no memory for '%.60s'", assignment);
    if (code == GB_OK && diagnostics.n > 0)
        code = first_message(&diagnostics, assignment, err);
    gb_axis_clear(&fresh);
    gb_diagnostics_free(&diagnostics);
    return code;
}

void gb_suite_thin(gb_suite *suite, size_t values)
{
    for (size_t b = 0; b < suite->n_benchmarks; b++) {
        gb_benchmark *benchmark = &suite->benchmarks[b];
        for (size_t a = 0; a < benchmark->n_axes; a++) {
            gb_axis *axis = &benchmark->axes[a];
            if (benchmark->spec->params[axis->param].kind == GB_PARAM_WORD)
                continue;
            for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
                size_t n = axis->n[kind];
                for (size_t i = 0; n > values && i < values; i++)
                    axis->values[kind][i] =
                        axis->values[kind][values > 1 ? i * (n - 1) / (values - 1) : n - 1];
                axis->n[kind] = n < values ? n : values;
            }
        }
        drop_idle_excludes(benchmark);
    }
}
