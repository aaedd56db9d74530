/* One entry of `benchmarks:`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suite/parts.h"
#include "suite/values.h"

bool gb_read_metric(gb_reader *reader, const gb_node *node, const char *label,
                    const gb_kernel_spec *spec, int *out)
{
    const char **words = gb_read_alloc(reader, spec->n_metrics + 1, sizeof *words);
    if (words == NULL)
        return false;
    for (size_t i = 0; i < spec->n_metrics; i++)
        words[i] = spec->metrics[i].name;
    words[spec->n_metrics] = "time";
    size_t index = 0;
    bool good = gb_read_word(reader, node, label, "metric", words, spec->n_metrics + 1, &index);
    free(words);
    if (good)
        *out = index == spec->n_metrics ? -1 : (int)index;
    return good;
}

static const gb_kernel_spec *read_kernel(gb_reader *reader, const gb_node *node)
{
    const gb_catalog *catalog = reader->catalog;
    const char **names = gb_read_alloc(reader, catalog->n, sizeof *names);
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < catalog->n; i++)
        names[i] = catalog->specs[i]->name;
    size_t index;
    const gb_kernel_spec *spec = NULL;
    if (gb_read_word(reader, node, "kernel", "kernel", names, catalog->n, &index))
        spec = catalog->specs[index];
    free(names);
    return spec;
}

/* Tags and aliases: a list of names, none of them twice. */
static void read_names(gb_reader *reader, gb_node *const *node, const char *label, char ***out,
                       size_t *n, int (**places)[2])
{
    gb_node *const *items;
    size_t count;
    if (!gb_read_items(reader, node, label, "a list of names", &items, &count))
        return;
    if (count > GB_MAX_BENCHMARKS) {
        gb_read_error(reader, *node, "%s: more than %d names", label, GB_MAX_BENCHMARKS);
        return;
    }
    const gb_node *whole = *node;
    if (whole->type == GB_NODE_SCALAR && !whole->quoted && strstr(whole->text, ", ") != NULL) {
        char text[GB_QUOTE_SIZE];
        gb_read_error(reader, whole, "%s: '%s' would be one name; a list has brackets: [%s]", label,
                      gb_quote(whole->text, text), text);
        return;
    }
    *out = gb_read_alloc(reader, count, sizeof **out);
    if (places != NULL)
        *places = gb_read_alloc(reader, count, sizeof **places);
    if (places != NULL && *places == NULL)
        return;
    for (size_t i = 0; *out != NULL && i < count; i++) {
        char *name = NULL;
        if (places != NULL && items[i]->null && strcmp(items[i]->text, "~") == 0) {
            gb_read_unexpected(reader, items[i], label, "a name");
            continue;
        }
        if (!gb_read_text(reader, items[i], label, GB_MAX_NAME_CHARACTERS, &name))
            continue;
        size_t same = 0;
        while (same < *n && strcmp((*out)[same], name) != 0)
            same++;
        if (same < *n) {
            char quoted[GB_QUOTE_SIZE];
            gb_read_error(reader, items[i], "%s: '%s' is repeated", label, gb_quote(name, quoted));
            free(name);
            continue;
        }
        if (places != NULL) {
            (*places)[*n][0] = items[i]->line;
            (*places)[*n][1] = items[i]->column;
        }
        (*out)[(*n)++] = name;
    }
}

static void read_axes(gb_reader *reader, const gb_node *node, gb_benchmark *out)
{
    if (node->type != GB_NODE_MAP) {
        gb_read_unexpected(reader, node, "axes", "a mapping of parameters to values");
        return;
    }
    if (out->spec == NULL)
        return;
    const char **names = gb_param_names(reader, out->spec);
    out->axes = gb_read_alloc(reader, out->spec->n_params, sizeof *out->axes);
    for (size_t i = 0; names != NULL && out->axes != NULL && i < node->n; i++) {
        const gb_node *key = node->items[2 * i];
        int param = gb_spec_param(out->spec, key->text);
        if (param < 0) {
            gb_read_unknown(reader, key, "parameter", key->text, names, out->spec->n_params);
            continue;
        }
        bool twice = false; /* a duplicate key: reported */
        for (size_t k = 0; k < out->n_axes; k++)
            twice = twice || out->axes[k].param == param;
        if (twice)
            continue;
        gb_axis *axis = &out->axes[out->n_axes++];
        axis->param = param;
        axis->line = key->line;
        axis->column = key->column;
        char label[GB_QUOTE_SIZE];
        snprintf(label, sizeof label, "axes.%s", names[param]);
        gb_read_axis(reader, &node->items[2 * i + 1], label, &out->spec->params[param], axis);
    }
    free(names);
}

static void read_exclude(gb_reader *reader, const gb_node *node, const gb_kernel_spec *spec,
                         gb_exclude *out)
{
    out->line = node->line;
    out->column = node->column;
    if (node->type != GB_NODE_MAP) {
        gb_read_unexpected(reader, node, "exclude",
                           "a mapping such as {memory: pinned, reason: ...}");
        return;
    }
    const gb_node *reason = gb_read_required(reader, node, "exclude", "reason");
    if (reason != NULL)
        gb_read_text(reader, reason, "exclude.reason", GB_MAX_TEXT_CHARACTERS, &out->reason);
    if (node->n <= 1 && reason != NULL && !node->incomplete)
        gb_read_error(reader, node,
                      "exclude: no parameter is named, so that it would leave "
                      "nothing");
    if (spec != NULL)
        gb_read_conditions(reader, node, "exclude", spec, "reason", &out->conditions, &out->n);
}

static void read_excludes(gb_reader *reader, const gb_node *node, gb_benchmark *out)
{
    if (node->type != GB_NODE_LIST) {
        gb_read_unexpected(reader, node, "exclude", "a list of mappings");
        return;
    }
    if (node->n > GB_MAX_EXCLUDES) {
        gb_read_error(reader, node, "exclude: more than %d entries", GB_MAX_EXCLUDES);
        return;
    }
    out->excludes = gb_read_alloc(reader, node->n, sizeof *out->excludes);
    for (size_t i = 0; out->excludes != NULL && i < node->n; i++)
        read_exclude(reader, node->items[i], out->spec, &out->excludes[out->n_excludes++]);
}

static void read_gate(gb_reader *reader, const gb_node *node, gb_benchmark *out)
{
    static const char *const keys[] = {"metric", "worse"};
    if (!gb_read_map(reader, node, "gate", keys, 2))
        return;
    const gb_node *metric = gb_read_required(reader, node, "gate", "metric");
    if (metric != NULL && out->spec != NULL)
        gb_read_metric(reader, metric, "gate.metric", out->spec, &out->gate_metric);
    const gb_node *worse = gb_node_get(node, "worse");
    if (worse != NULL)
        gb_read_percent(reader, worse, "gate.worse", 0.0001, 10, "0.01% to 1000%",
                        &out->gate_worse);
}

static void read_expects(gb_reader *reader, const gb_node *node, gb_benchmark *out)
{
    if (node->type != GB_NODE_LIST) {
        gb_read_unexpected(reader, node, "expect", "a list of mappings");
        return;
    }
    if (node->n > GB_MAX_EXCLUDES) {
        gb_read_error(reader, node, "expect: more than %d entries", GB_MAX_EXCLUDES);
        return;
    }
    out->expects = gb_read_alloc(reader, node->n, sizeof *out->expects);
    for (size_t i = 0; out->expects != NULL && i < node->n; i++)
        gb_read_expect(reader, node->items[i], out->spec, &out->expects[out->n_expects++]);
}

/* Device kinds: those that the benchmark or the suite lists; a list of its own may only name what
 * the kernel runs on. */
static void read_benchmark_devices(gb_reader *reader, gb_node *const *node, gb_benchmark *out)
{
    gb_read_devices(reader, node, &out->devices);
    for (int kind = 0; out->spec != NULL && kind < GB_DEVICE_KINDS; kind++)
        if ((out->devices & ~out->spec->devices & GB_BIT(kind)) != 0)
            gb_read_error(reader, *node, "devices: kernel '%s' does not run on %s", out->spec->name,
                          gb_device_kind_word((gb_device_kind)kind));
}

static void read_optional_parts(gb_reader *reader, const gb_node *node, gb_benchmark *out)
{
    gb_node *const *slot = gb_node_slot(node, "tags");
    if (slot != NULL)
        read_names(reader, slot, "tags", &out->tags, &out->n_tags, NULL);
    slot = gb_node_slot(node, "aliases");
    if (slot != NULL)
        read_names(reader, slot, "aliases", &out->aliases, &out->n_aliases, &out->alias_places);
    slot = gb_node_slot(node, "devices");
    if (slot != NULL)
        read_benchmark_devices(reader, slot, out);
    slot = gb_node_slot(node, "axes");
    if (slot != NULL)
        read_axes(reader, *slot, out);
    slot = gb_node_slot(node, "exclude");
    if (slot != NULL)
        read_excludes(reader, *slot, out);
    slot = gb_node_slot(node, "measure");
    if (slot != NULL)
        gb_read_measure(reader, *slot, out);
    slot = gb_node_slot(node, "gate");
    if (slot != NULL)
        read_gate(reader, *slot, out);
    slot = gb_node_slot(node, "expect");
    if (slot != NULL)
        read_expects(reader, *slot, out);
}

void gb_read_benchmark(gb_reader *reader, const gb_node *node, const gb_settings *defaults,
                       gb_benchmark *out)
{
    static const char *const keys[] = {"name",    "kernel",  "tags", "aliases", "axes",
                                       "exclude", "measure", "gate", "expect",  "devices"};
    out->line = node->line;
    out->column = node->column;
    out->settings = *defaults;
    out->devices = reader->suite->devices;
    out->gate_metric = -2;
    out->gate_worse = 0.02;
    if (!gb_read_map(reader, node, "benchmarks", keys, sizeof keys / sizeof keys[0]))
        return;
    const gb_node *name = gb_read_required(reader, node, "benchmark", "name");
    if (name != NULL) {
        out->line = name->line;
        out->column = name->column;
        gb_read_text(reader, name, "name", GB_MAX_NAME_CHARACTERS, &out->name);
    }
    const gb_node *kernel = gb_read_required(reader, node, "benchmark", "kernel");
    if (kernel != NULL)
        out->spec = read_kernel(reader, kernel);
    if (out->spec != NULL) {
        out->timer = out->spec->default_timer;
        out->cache =
            (out->spec->caches & GB_BIT(GB_CACHE_WARM)) != 0 ? GB_CACHE_WARM : GB_CACHE_COLD;
    }
    read_optional_parts(reader, node, out);
}
