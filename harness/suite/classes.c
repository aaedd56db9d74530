/* `classes:`: kinds of work that a reader buys a device for, each with the cases that stand for it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suite/cases.h"
#include "suite/classes.h"
#include "suite/parts.h"
#include "suite/values.h"

void gb_class_free(gb_class *class)
{
    for (size_t i = 0; i < class->n_parts; i++)
        gb_conditions_free(class->parts[i].where, class->parts[i].n_where);
    free(class->parts);
    free(class->name);
    free(class->title);
}

const gb_metric_spec *gb_class_metric(const gb_suite *suite, const gb_class_part *part)
{
    return gb_spec_metric_at(suite->benchmarks[part->benchmark].spec, part->metric);
}

bool gb_class_takes(const gb_suite *suite, const gb_class_part *part, const gb_case *c,
                    gb_device_kind kind)
{
    return c->benchmark == &suite->benchmarks[part->benchmark] &&
           gb_conditions_hold(part->where, part->n_where, c->args) &&
           (c->status != GB_OK ||
            gb_spec_has_metric(c->benchmark->spec, c->args, kind, c->timer, part->metric));
}

/* ---- reading ---- */

/* One entry of `cases:`. */
static void read_part(gb_reader *reader, const gb_node *node, gb_class_part *out)
{
    static const char *const keys[] = {"benchmark", "metric", "where"};
    *out = (gb_class_part){.metric = -1, .line = node->line, .column = node->column};
    if (!gb_read_map(reader, node, "classes.cases", keys, sizeof keys / sizeof keys[0]))
        return;
    const gb_node *name = gb_read_required(reader, node, "classes.cases", "benchmark");
    const gb_node *metric = gb_read_required(reader, node, "classes.cases", "metric");
    const gb_node *where = gb_node_get(node, "where");
    const gb_benchmark *benchmark =
        name != NULL ? gb_read_reference(reader, name, "classes.cases.benchmark", &out->benchmark)
                     : NULL;
    if (benchmark == NULL || benchmark->spec == NULL || metric == NULL)
        return;
    bool good =
        gb_read_metric(reader, metric, "classes.cases.metric", benchmark->spec, &out->metric);
    if (where != NULL)
        good = gb_read_conditions(reader, where, "classes.cases.where", benchmark->spec, NULL,
                                  &out->where, &out->n_where) &&
               good;
    out->sound = good && (reader->sound == NULL || reader->sound[out->benchmark]);
}

static void read_parts(gb_reader *reader, const gb_node *list, gb_class *out)
{
    if (list->type != GB_NODE_LIST) {
        gb_read_unexpected(reader, list, "classes.cases",
                           "a list of mappings such as {benchmark: ..., metric: ...}");
        return;
    }
    if (list->n == 0)
        gb_read_error(reader, list,
                      "classes.cases: the list is empty, so that the class would say "
                      "nothing");
    if (list->n > GB_MAX_EXCLUDES) {
        gb_read_error(reader, list, "classes.cases: more than %d entries", GB_MAX_EXCLUDES);
        return;
    }
    out->parts = gb_read_alloc(reader, list->n, sizeof *out->parts);
    for (size_t i = 0; out->parts != NULL && i < list->n; i++)
        read_part(reader, list->items[i], &out->parts[out->n_parts++]);
}

void gb_read_class(gb_reader *reader, const gb_node *node, gb_class *out)
{
    static const char *const keys[] = {"name", "title", "cases"};
    out->line = node->line;
    out->column = node->column;
    if (!gb_read_map(reader, node, "classes", keys, sizeof keys / sizeof keys[0]))
        return;
    const gb_node *name = gb_read_required(reader, node, "class", "name");
    if (name != NULL) {
        out->line = name->line;
        out->column = name->column;
        gb_read_text(reader, name, "classes.name", GB_MAX_NAME_CHARACTERS, &out->name);
    }
    const gb_node *title = gb_node_get(node, "title");
    if (title != NULL)
        gb_read_text(reader, title, "classes.title", GB_MAX_TEXT_CHARACTERS, &out->title);
    const gb_node *cases = gb_read_required(reader, node, "class", "cases");
    if (cases != NULL)
        read_parts(reader, cases, out);
}

/* ---- what only shows when all is read ---- */

typedef struct search {
    const gb_benchmark *benchmark;
    const gb_class_part *part;
    gb_device_kind kind;
    uint64_t *work;
    size_t selected, measured; /* cases that `where` selects, and of those with the metric */
} search;

static gb_code look_at(void *user, const gb_value args[], gb_error *err)
{
    search *s = user;
    const gb_class_part *part = s->part;
    if (!gb_cases_charge(s->work, gb_conditions_cost(part->where, part->n_where)))
        return gb_fail(err, GB_INVALID,
                       "benchmark '%s': too many cases times classes; name fewer values",
                       s->benchmark->name);
    if (!gb_conditions_hold(part->where, part->n_where, args))
        return GB_OK;
    s->selected++;
    s->measured += gb_case_runs(s->benchmark, args, s->kind) &&
                   gb_case_has_metric(s->benchmark, args, s->kind, part->metric);
    return GB_OK;
}

static gb_code check_part(gb_reader *reader, const gb_class_part *part, uint64_t *work,
                          gb_error *err)
{
    const gb_benchmark *benchmark = &reader->suite->benchmarks[part->benchmark];
    search s = {.benchmark = benchmark, .part = part, .work = work};
    gb_code code = GB_OK;
    for (int kind = 0; code == GB_OK && kind < GB_DEVICE_KINDS; kind++) {
        s.kind = (gb_device_kind)kind;
        if (gb_cases_any(benchmark, s.kind))
            code = gb_cases_each(benchmark, s.kind, work, look_at, &s, err);
    }
    if (code != GB_OK)
        return code;
    if (s.selected == 0)
        gb_diagnostics_add(reader->diagnostics, part->line, part->column,
                           "classes.cases: 'where' matches no case of benchmark '%s'",
                           benchmark->name);
    else if (s.measured == 0)
        gb_diagnostics_add(reader->diagnostics, part->line, part->column,
                           "classes.cases: no case of benchmark '%s' that is meant has the metric "
                           "'%s' (with this timer)",
                           benchmark->name, gb_class_metric(reader->suite, part)->name);
    return GB_OK;
}

static const char *direction(const gb_metric_spec *metric)
{
    return metric->higher_is_better ? "higher" : "lower";
}

/* One figure stands for a class: its cases are in one unit, and one direction is better. */
static void check_units(gb_reader *reader, gb_class *class)
{
    const gb_suite *suite = reader->suite;
    const gb_class_part *first = NULL;
    for (size_t i = 0; i < class->n_parts; i++) {
        const gb_class_part *part = &class->parts[i];
        if (!part->sound)
            continue;
        const gb_metric_spec *metric = gb_class_metric(suite, part);
        if (first == NULL) {
            first = part;
            class->unit = metric->unit;
            class->higher_is_better = metric->higher_is_better;
        }
        if (strcmp(metric->unit, class->unit) == 0 &&
            metric->higher_is_better == class->higher_is_better)
            continue;
        const gb_metric_spec *before = gb_class_metric(suite, first);
        gb_diagnostics_add(
            reader->diagnostics, part->line, part->column,
            "classes: '%s' mixes %s of benchmark '%s' (%s, %s is better) and %s of benchmark '%s' "
            "(%s, %s is better): one figure cannot stand for both",
            class->name != NULL ? class->name : "", before->name,
            suite->benchmarks[first->benchmark].name, before->unit, direction(before), metric->name,
            suite->benchmarks[part->benchmark].name, metric->unit, direction(metric));
    }
}

static void check_class_names(gb_reader *reader)
{
    const gb_suite *suite = reader->suite;
    for (size_t i = 0; i < suite->n_classes; i++) {
        const gb_class *class = &suite->classes[i];
        size_t k = 0;
        while (k < i && (class->name == NULL || suite->classes[k].name == NULL ||
                         !gb_text_equal_nocase(suite->classes[k].name, class->name)))
            k++;
        char quoted[GB_QUOTE_SIZE];
        if (k < i)
            gb_diagnostics_add(reader->diagnostics, class->line, class->column,
                               "duplicate class name '%s' (first at line %d, again at line %d)",
                               gb_quote(class->name, quoted), suite->classes[k].line, class->line);
    }
}

gb_code gb_check_classes(gb_reader *reader, uint64_t *work, gb_error *err)
{
    gb_suite *suite = reader->suite;
    gb_error error = {0};
    gb_code code = GB_OK;
    check_class_names(reader);
    for (size_t i = 0; code == GB_OK && i < suite->n_classes; i++) {
        gb_class *class = &suite->classes[i];
        check_units(reader, class);
        for (size_t k = 0; work != NULL && code == GB_OK && k < class->n_parts; k++)
            if (class->parts[k].sound)
                code = check_part(reader, &class->parts[k], work, &error);
        if (code == GB_INVALID)
            gb_diagnostics_add(reader->diagnostics, class->line, class->column, "%s",
                               error.message);
    }
    return code == GB_OK || code == GB_INVALID ? GB_OK : gb_fail(err, code, "%s", error.message);
}
