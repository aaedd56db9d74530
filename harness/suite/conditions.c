#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/values.h"

bool gb_condition_holds(const gb_condition *condition, gb_value value)
{
    if (condition->op == GB_CMP_IN) {
        for (size_t i = 0; i < condition->n; i++)
            if (gb_value_equal(condition->values[i], value))
                return true;
        return false;
    }
    uint64_t limit = condition->values[0].number;
    switch (condition->op) {
    case GB_CMP_LT:
        return value.number < limit;
    case GB_CMP_LE:
        return value.number <= limit;
    case GB_CMP_GT:
        return value.number > limit;
    default:
        return value.number >= limit;
    }
}

bool gb_conditions_hold(const gb_condition conditions[], size_t n, const gb_value args[])
{
    for (size_t i = 0; i < n; i++)
        if (!gb_condition_holds(&conditions[i], args[conditions[i].param]))
            return false;
    return true;
}

/* Whether text begins with a comparison; *rest is what follows it and its spaces. */
static bool comparison(const char *text, gb_compare *op, const char **rest)
{
    if (text[0] != '<' && text[0] != '>')
        return false;
    bool equal = text[1] == '=';
    if (text[0] == '<')
        *op = equal ? GB_CMP_LE : GB_CMP_LT;
    else
        *op = equal ? GB_CMP_GE : GB_CMP_GT;
    text += equal ? 2 : 1;
    *rest = text + strspn(text, " ");
    return true;
}

bool gb_read_condition(gb_reader *reader, gb_node *const *node, const char *label,
                       const gb_param *param, gb_condition *out)
{
    const gb_node *scalar = *node;
    const char *rest;
    char quoted[GB_QUOTE_SIZE];
    if (scalar->type == GB_NODE_MAP)
        return gb_read_unexpected(reader, scalar, label, "a value, a list or a comparison");
    bool text = scalar->type == GB_NODE_SCALAR;
    if (text && param->kind != GB_PARAM_WORD && strchr("=!", scalar->text[0]) != NULL &&
        scalar->length > 0) {
        gb_read_error(reader, scalar,
                      "%s: '%s' is no comparison; write a value, a list, or one of <, <=, >, >= "
                      "and a value",
                      label, gb_quote(scalar->text, quoted));
        return false;
    }
    out->op = GB_CMP_IN;
    if (!text || !comparison(scalar->text, &out->op, &rest))
        return gb_read_list(reader, node, label, param, &out->values, &out->n);
    if (param->kind == GB_PARAM_WORD) {
        gb_read_error(reader, scalar, "%s: words have no order; write a word or a list", label);
        return false;
    }
    out->values = gb_read_alloc(reader, 1, sizeof *out->values);
    out->n = 1;
    return out->values != NULL &&
           gb_read_number(reader, scalar, rest, label, param, &out->values[0].number);
}

bool gb_read_conditions(gb_reader *reader, const gb_node *map, const char *label,
                        const gb_kernel_spec *spec, const char *skip, gb_condition **out, size_t *n)
{
    if (map->type != GB_NODE_MAP)
        return gb_read_unexpected(reader, map, label, "a mapping of parameters to values");
    const char **names = gb_param_names(reader, spec);
    *out = gb_read_alloc(reader, map->n, sizeof **out);
    bool good = names != NULL && *out != NULL;
    for (size_t i = 0; names != NULL && *out != NULL && i < map->n; i++) {
        const gb_node *key = map->items[2 * i];
        char name[GB_QUOTE_SIZE + 16];
        if (skip != NULL && strcmp(key->text, skip) == 0)
            continue;
        int param = gb_spec_param(spec, key->text);
        if (param < 0) {
            gb_read_unknown(reader, key, "parameter", key->text, names, spec->n_params);
            good = false;
            continue;
        }
        gb_condition *condition = &(*out)[(*n)++];
        condition->param = param;
        snprintf(name, sizeof name, "%s.%s", label, spec->params[param].name);
        good = gb_read_condition(reader, &map->items[2 * i + 1], name, &spec->params[param],
                                 condition) &&
               good;
    }
    free(names);
    return good;
}

void gb_conditions_free(gb_condition *conditions, size_t n)
{
    for (size_t i = 0; conditions != NULL && i < n; i++)
        free(conditions[i].values);
    free(conditions);
}
