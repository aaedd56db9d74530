#include "cli/head.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text.h"
#include "build_info.h"
#include "cli/noise.h"
#include "record/host.h"

void gb_utc_now(char out[32])
{
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", &parts);
}

json_t *gb_tool_json(void)
{
    json_t *build = json_pack(
        "{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:b, s:o, s:b}", "type", GB_BUILD_TYPE, "compiler",
        GB_COMPILER, "flags", GB_COMPILE_FLAGS, "cuda", GB_HAVE_CUDA, "cuda_toolkit",
        GB_CUDA_TOOLKIT[0] ? json_string(GB_CUDA_TOOLKIT) : json_null(), "cuda_architectures",
        GB_CUDA_ARCHITECTURES[0] ? json_string(GB_CUDA_ARCHITECTURES) : json_null(),
        "minimum_driver", GB_HAVE_CUDA ? json_string(gb_device_cuda_minimum_driver()) : json_null(),
        "portable", GB_PORTABLE, "sanitizer",
        GB_SANITIZE[0] ? json_string(GB_SANITIZE) : json_null(), "checked_kernels",
        GB_CHECKED_BUILD);
    return json_pack("{s:s, s:s, s:s, s:o}", "name", "gpubench", "version", GB_VERSION, "git",
                     GB_GIT, "build", build);
}

/* Variables that change what is measured, as they were found; gpubench sets none of them. */
static json_t *environment(void)
{
    static const char *const names[] = {"CUDA_MODULE_LOADING",     "CUDA_LAUNCH_BLOCKING",
                                        "CUDA_VISIBLE_DEVICES",    "CUDA_DEVICE_ORDER",
                                        "CUDA_CACHE_DISABLE",      "CUDA_FORCE_PTX_JIT",
                                        "CUDA_MPS_PIPE_DIRECTORY", "NVIDIA_VISIBLE_DEVICES",
                                        "OMP_NUM_THREADS",         "OPENBLAS_NUM_THREADS"};
    json_t *object = json_object();
    for (size_t i = 0; object && i < sizeof names / sizeof names[0]; i++)
        json_object_set_new(object, names[i], gb_json_string(getenv(names[i])));
    return object;
}

static json_t *command(const gb_cli *cli)
{
    json_t *array = json_array();
    for (int i = 0; array && i < cli->argc; i++)
        json_array_append_new(array, gb_json_string(cli->argv[i]));
    return array;
}

static json_t *run_json(const gb_cli *cli, uint64_t seed, json_t *settings)
{
    char started[32], id[64];
    struct timespec now;
    gb_utc_now(started);
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(id, sizeof id, "%.19sZ-%06lx", started,
             ((unsigned long)now.tv_nsec ^ (unsigned long)getpid()) & 0xffffff);
    json_t *leg = json_pack("{s:s, s:n, s:n, s:o, s:s}", "started", started, "finished",
                            "elapsed_ns", "command", command(cli), "git", GB_GIT);
    return json_pack("{s:s, s:s, s:I, s:o, s:s, s:o, s:o, s:[o]}", "id", id, "started", started,
                     "seed", (json_int_t)seed, "command", command(cli), "clocks", "as-found",
                     "settings", settings, "environment", environment(), "legs", leg);
}

static void add_unless_there(json_t *values, json_t *value)
{
    size_t i;
    const json_t *other;
    bool there = false;
    json_array_foreach(values, i, other)
    {
        there = there || json_equal(other, value);
    }
    if (!there)
        json_array_append(values, value);
    json_decref(value);
}

/* The values of the benchmark's cases for which a condition holds, so that a report need not know
 * how conditions are written. */
static json_t *condition_json(const gb_benchmark *benchmark, const gb_condition *condition)
{
    const gb_param *param = &benchmark->spec->params[condition->param];
    json_t *values = json_array();
    bool axis_found = false;
    for (size_t a = 0; values && a < benchmark->n_axes; a++) {
        const gb_axis *axis = &benchmark->axes[a];
        if (axis->param != condition->param)
            continue;
        axis_found = true;
        for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
            for (size_t v = 0; v < axis->n[kind]; v++)
                if (gb_condition_holds(condition, axis->values[kind][v]))
                    add_unless_there(values, gb_value_json(param, axis->values[kind][v]));
    }
    if (values && !axis_found && gb_condition_holds(condition, param->default_value))
        json_array_append_new(values, gb_value_json(param, param->default_value));
    return values;
}

static const char *metric_name(const gb_kernel_spec *spec, int metric)
{
    return metric == GB_PLOT_NO_METRIC ? NULL : gb_spec_metric_at(spec, metric)->name;
}

static const char *unit_of(const gb_param *param)
{
    switch (param->kind) {
    case GB_PARAM_BYTES:
        return "bytes";
    case GB_PARAM_NS:
        return "ns";
    case GB_PARAM_COUNT:
        return param->unit;
    case GB_PARAM_WORD:
        break;
    }
    return NULL;
}

static json_t *plot_json(const gb_suite *suite, const gb_plot *plot)
{
    const gb_benchmark *benchmark = &suite->benchmarks[plot->benchmark];
    const gb_kernel_spec *spec = benchmark->spec;
    json_t *series = json_array(), *where = json_object();
    for (size_t s = 0; series && s < plot->n_series; s++)
        json_array_append_new(series, json_string(spec->params[plot->series[s]].name));
    for (size_t c = 0; where && c < plot->n_where; c++)
        json_object_set_new(where, spec->params[plot->where[c].param].name,
                            condition_json(benchmark, &plot->where[c]));
    const gb_param *x = plot->x < 0 ? NULL : &spec->params[plot->x];
    return json_pack("{s:s, s:o, s:s, s:s?, s:s?, s:s?, s:o, s:o}", "type", plot->type, "title",
                     gb_json_string(plot->title), "benchmark", benchmark->name, "x",
                     x == NULL ? NULL : x->name, "x_unit", x == NULL ? NULL : unit_of(x), "y",
                     metric_name(spec, plot->y), "series", series, "where", where);
}

/* The suite's plots with names in place of indices, so that a report needs no suite library. */
static json_t *plots_json(const gb_suite *suite)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < suite->n_plots; i++)
        json_array_append_new(array, plot_json(suite, &suite->plots[i]));
    return array;
}

/* What comparisons go by: each gate as the suite states it, and the names that benchmarks had
 * before, {"old": "now"}. */
static json_t *gates_json(const gb_suite *suite)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < suite->n_benchmarks; i++) {
        const gb_benchmark *b = &suite->benchmarks[i];
        if (b->gate_metric != -2)
            json_object_set_new(object, b->name,
                                json_pack("{s:s, s:f}", "metric",
                                          gb_spec_metric_at(b->spec, b->gate_metric)->name, "worse",
                                          b->gate_worse));
    }
    return object;
}

static json_t *aliases_json(const gb_suite *suite)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < suite->n_benchmarks; i++) {
        const gb_benchmark *b = &suite->benchmarks[i];
        for (size_t k = 0; k < b->n_aliases; k++)
            json_object_set_new(object, b->aliases[k], json_string(b->name));
    }
    return object;
}

json_t *gb_suite_json(const gb_suite *suite)
{
    return json_pack("{s:s, s:s, s:o, s:s, s:o, s:I, s:o, s:o, s:o}", "name", suite->name, "title",
                     suite->title ? suite->title : suite->name, "file", gb_json_string(suite->file),
                     "sha256", suite->sha256, "text", gb_json_string(suite->text), "budget_ns",
                     (json_int_t)suite->budget_ns, "plots", plots_json(suite), "gates",
                     gates_json(suite), "aliases", aliases_json(suite));
}

/* The cases of a class: each that the plans of these kinds have, once a metric. NULL: no memory. */
static json_t *class_cases(const gb_suite *suite, const gb_class *class, gb_plan *const plans[],
                           unsigned kinds)
{
    json_t *cases = json_array(), *seen = json_object();
    bool good = cases && seen;
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        const gb_plan *plan = kinds & GB_BIT(kind) ? plans[kind] : NULL;
        for (size_t i = 0; good && plan && i < plan->n_cases; i++) {
            for (size_t p = 0; good && p < class->n_parts; p++) {
                const gb_case *c = &plan->cases[i];
                const char *metric = gb_class_metric(suite, &class->parts[p])->name;
                if (!gb_class_takes(suite, &class->parts[p], c, plan->kind))
                    continue;
                char *key = gb_text_format("%s %s", metric, c->id);
                if (key && !json_object_get(seen, key))
                    good = !json_array_append_new(
                        cases,
                        json_pack("{s:o, s:s}", "case", gb_json_string(c->id), "metric", metric));
                good = good && key && !json_object_set_new(seen, key, json_true());
                free(key);
            }
        }
    }
    json_decref(seen);
    if (!good) {
        json_decref(cases);
        return NULL;
    }
    return cases;
}

json_t *gb_classes_json(const gb_suite *suite, gb_plan *const plans[], unsigned kinds)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < suite->n_classes; i++) {
        const gb_class *class = &suite->classes[i];
        json_t *cases = class_cases(suite, class, plans, kinds);
        json_t *entry =
            cases
                ? json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", class->name, "title",
                            class->title ? class->title : class->name, "unit", class->unit,
                            "better", class->higher_is_better ? "higher" : "lower", "cases", cases)
                : NULL;
        if (!entry || json_array_append_new(array, entry)) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

static json_t *devices_json(const gb_chosen devices[], size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < n; i++) {
        json_t *info = json_deep_copy(devices[i].info);
        json_t *device = json_pack("{s:I}", "id", (json_int_t)i);
        if (info && device)
            json_object_update(device, info);
        json_t *noise = gb_noise_recall(devices[i].info);
        json_object_set_new(device, "selftest", noise ? noise : json_null());
        json_decref(info);
        json_array_append_new(array, device);
    }
    return array;
}

gb_code gb_head_make(const gb_cli *cli, const gb_suite *suite, const gb_chosen devices[], size_t n,
                     uint64_t seed, json_t *settings, gb_head *out, gb_error *err)
{
    *out = (gb_head){.tool = gb_tool_json(),
                     .run = run_json(cli, seed, settings),
                     .suite = gb_suite_json(suite),
                     .host = gb_host_json(),
                     .devices = devices_json(devices, n)};
    if (out->tool && out->run && out->suite && out->host && json_array_size(out->devices) == n)
        return GB_OK;
    gb_head_free(out);
    *out = (gb_head){0};
    return gb_fail(err, GB_NO_MEMORY, "out of memory for the results");
}

/* The legs of a run so far; of one that has no list of them: the one that it was. New reference. */
static json_t *earlier_legs(const json_t *document)
{
    static const char *const keys[] = {"started", "finished", "elapsed_ns", "command"};
    const json_t *run = json_object_get(document, "run");
    json_t *legs = json_object_get(run, "legs");
    if (json_is_array(legs))
        return json_deep_copy(legs);
    json_t *leg = json_object();
    for (size_t i = 0; leg && i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(run, keys[i]);
        json_object_set_new(leg, keys[i], value ? json_deep_copy(value) : json_null());
    }
    json_t *git = json_object_get(json_object_get(document, "tool"), "git");
    json_object_set_new(leg, "git", git ? json_incref(git) : json_null());
    return json_pack("[o]", leg);
}

gb_code gb_head_continue(gb_head *head, const json_t *earlier, gb_error *err)
{
    static const char *const keys[] = {"id", "started", "command"};
    const json_t *run = json_object_get(earlier, "run");
    if (!json_is_string(json_object_get(run, "id"))) /* it ended before it had a head */
        return GB_OK;
    json_t *legs = earlier_legs(earlier);
    if (!legs || json_array_extend(legs, json_object_get(head->run, "legs"))) {
        json_decref(legs);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the results");
    }
    gb_code code = gb_json_set(head->run, "legs", legs, err);
    for (size_t i = 0; !code && i < sizeof keys / sizeof keys[0]; i++) {
        json_t *value = json_object_get(run, keys[i]);
        if (value)
            code = gb_json_set(head->run, keys[i], json_deep_copy(value), err);
    }
    return code;
}

gb_code gb_head_end(gb_head *head, uint64_t elapsed_ns, gb_error *err)
{
    char finished[32];
    gb_utc_now(finished);
    const json_t *legs = json_object_get(head->run, "legs");
    size_t n = json_array_size(legs);
    json_t *last = json_array_get(legs, n - 1);
    json_int_t sum = 0;
    gb_code code = gb_json_set(last, "elapsed_ns", json_integer((json_int_t)elapsed_ns), err);
    if (!code)
        code = gb_json_set(last, "finished", json_string(finished), err);
    for (size_t i = 0; i < n; i++)
        sum +=
            (json_int_t)json_number_value(json_object_get(json_array_get(legs, i), "elapsed_ns"));
    if (!code)
        code = gb_json_set(head->run, "finished", json_string(finished), err);
    return code ? code : gb_json_set(head->run, "elapsed_ns", json_integer(sum), err);
}
