#include "suite/values.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

bool gb_value_equal(gb_value a, gb_value b)
{
    return a.number == b.number && a.word == b.word;
}

typedef struct unit {
    uint64_t factor;
    const char *word;
} unit;

/* The number with the largest unit that leaves it whole. */
static const char *whole_units(uint64_t number, const unit units[], size_t n, char buf[32])
{
    for (size_t i = 0; i < n; i++) {
        if (number >= units[i].factor && number % units[i].factor == 0) {
            snprintf(buf, 32, "%" PRIu64 "%s", number / units[i].factor, units[i].word);
            break;
        }
    }
    return buf;
}

const char *gb_value_written(const gb_param *param, gb_value value, char buf[32])
{
    static const unit sizes[] = {{(uint64_t)1 << 40, "TiB"},
                                 {(uint64_t)1 << 30, "GiB"},
                                 {(uint64_t)1 << 20, "MiB"},
                                 {(uint64_t)1 << 10, "KiB"},
                                 {1, "B"}};
    if (param->kind == GB_PARAM_BYTES && value.number > 0)
        return whole_units(value.number, sizes, sizeof sizes / sizeof sizes[0], buf);
    if (param->kind == GB_PARAM_NS && value.number > 0)
        return gb_write_duration(value.number, buf);
    return gb_value_text(param, value, buf, 32);
}

const char **gb_param_names(gb_reader *reader, const gb_kernel_spec *spec)
{
    const char **names = gb_read_alloc(reader, spec->n_params, sizeof *names);
    for (size_t i = 0; names != NULL && i < spec->n_params; i++)
        names[i] = spec->params[i].name;
    return names;
}

static const char *expected(const gb_param *param)
{
    switch (param->kind) {
    case GB_PARAM_BYTES:
        return "a size such as 64MiB";
    case GB_PARAM_NS:
        return "a duration such as 5ms";
    case GB_PARAM_WORD:
        return "a word";
    default:
        return "a whole number";
    }
}

static gb_code parse_number(const gb_param *param, const char *text, uint64_t *out, gb_error *err)
{
    switch (param->kind) {
    case GB_PARAM_BYTES:
        return gb_parse_bytes(text, out, err);
    case GB_PARAM_NS:
        return gb_parse_duration(text, out, err);
    default:
        return gb_parse_count(text, out, err);
    }
}

/* The parameter's limits as one would write them. */
static const char *limits(const gb_param *param, char buf[80])
{
    char low[32];
    char high[32];
    snprintf(buf, 80, "%s to %s", gb_value_written(param, (gb_value){.number = param->min}, low),
             gb_value_written(param, (gb_value){.number = param->max}, high));
    return buf;
}

bool gb_read_number(gb_reader *reader, const gb_node *node, const char *text, const char *label,
                    const gb_param *param, uint64_t *out)
{
    gb_error error;
    char quoted[GB_QUOTE_SIZE];
    char range[80];
    if (strnlen(text, GB_QUOTE_SIZE) == GB_QUOTE_SIZE) {
        gb_read_error(reader, node, "%s: '%s' is too long for %s", label, gb_quote(text, quoted),
                      expected(param));
        return false;
    }
    if (parse_number(param, text, out, &error) != GB_OK) {
        if (param->kind == GB_PARAM_COUNT)
            gb_cut_advice(error.message);
        gb_read_error(reader, node, "%s: %s; allowed: %s", label, error.message,
                      limits(param, range));
        return false;
    }
    if (*out >= param->min && *out <= param->max)
        return true;
    gb_read_error(reader, node, "%s: %s is out of range; allowed: %s", label,
                  gb_quote(text, quoted), limits(param, range));
    return false;
}

static bool read_param_word(gb_reader *reader, const gb_node *node, const char *label,
                            const gb_param *param, gb_value *out)
{
    size_t n = 0;
    while (param->words[n] != NULL)
        n++;
    size_t index;
    char what[64];
    snprintf(what, sizeof what, "%s", param->name);
    if (!gb_read_word(reader, node, label, what, param->words, n, &index))
        return false;
    out->word = param->words[index];
    return true;
}

bool gb_read_value(gb_reader *reader, const gb_node *node, const char *label, const gb_param *param,
                   gb_value *out)
{
    *out = (gb_value){0};
    if (node->type != GB_NODE_SCALAR)
        return gb_read_unexpected(reader, node, label, expected(param));
    if (param->kind == GB_PARAM_WORD)
        return read_param_word(reader, node, label, param, out);
    if (node->null)
        return gb_read_unexpected(reader, node, label, expected(param));
    if (node->quoted && param->kind == GB_PARAM_COUNT) {
        char quoted[GB_QUOTE_SIZE];
        gb_read_error(reader, node,
                      "%s: '%s' is quoted text; expected a whole number, without "
                      "quotes",
                      label, gb_quote(node->text, quoted));
        return false;
    }
    return gb_read_number(reader, node, node->text, label, param, &out->number);
}

/* ---- ranges ---- */

/* A smaller one would take more steps than a loader should. */
#define SMALLEST_FACTOR 1.001

typedef struct range {
    uint64_t from, to;
    uint64_t step;      /* > 0: added each time */
    long double factor; /* otherwise multiplied with each time, > 1 */
} range;

/* The value after `value`; false: there is none up to `to`. Fractions are rounded to the nearest
 * whole value, and *exact keeps the unrounded one. */
static bool next_value(const range *r, uint64_t value, long double *exact, uint64_t *next)
{
    if (r->step > 0) {
        *next = value + r->step; /* cannot wrap: both are below 2^63 */
        return *next <= r->to;
    }
    do { /* a small factor needs several steps to reach the next whole value */
        *exact *= r->factor;
        if (*exact > (long double)r->to + 0.25L) /* 1.1 as a double is above 1.1 */
            return false;
        *next = (uint64_t)llroundl(*exact);
    } while (*next <= value);
    return *next <= r->to;
}

static size_t count_range(const range *r)
{
    long double exact = (long double)r->from;
    size_t n = 1;
    for (uint64_t v = r->from; n <= GB_MAX_VALUES && next_value(r, v, &exact, &v); n++) {
    }
    return n;
}

/* The step or factor. */
static bool read_stride(gb_reader *reader, const gb_node *node, const char *label,
                        const gb_param *param, range *r)
{
    char name[GB_QUOTE_SIZE + 16];
    const gb_node *step = gb_node_get(node, "step");
    const gb_node *times = gb_node_get(node, "times");
    if ((step == NULL) == (times == NULL)) {
        if (!node->incomplete)
            gb_read_error(reader, node, "%s: a range needs either 'step' or 'times'%s", label,
                          step != NULL ? ", not both" : "");
        return false;
    }
    if (step != NULL) {
        gb_param any = *param; /* a step has the parameter's unit but not its limits */
        any.min = 1;
        any.max = INT64_MAX;
        gb_value value;
        snprintf(name, sizeof name, "%s.step", label);
        if (!gb_read_value(reader, step, name, &any, &value))
            return false;
        r->step = value.number;
        return true;
    }
    double factor;
    snprintf(name, sizeof name, "%s.times", label);
    if (!gb_read_real(reader, times, name, &factor))
        return false;
    if (!(factor >= SMALLEST_FACTOR)) {
        gb_read_error(reader, times, "%s: must be above 1 (1.001 at least), got %s", name,
                      times->text);
        return false;
    }
    r->factor = factor;
    return true;
}

static bool read_bounds(gb_reader *reader, const gb_node *node, const char *label,
                        const gb_param *param, range *r)
{
    static const char *const keys[] = {"from", "to", "step", "times"};
    char name[GB_QUOTE_SIZE + 16];
    gb_read_map(reader, node, label, keys, 4);
    const gb_node *from = gb_read_required(reader, node, label, "from");
    const gb_node *to = gb_read_required(reader, node, label, "to");
    gb_value low = {0};
    gb_value high = {0};
    snprintf(name, sizeof name, "%s.from", label);
    bool good = from != NULL && gb_read_value(reader, from, name, param, &low);
    snprintf(name, sizeof name, "%s.to", label);
    good = to != NULL && gb_read_value(reader, to, name, param, &high) && good;
    good = read_stride(reader, node, label, param, r) && good;
    if (!good)
        return false;
    if (low.number > high.number) {
        gb_read_error(reader, node, "%s: ranges go up, but 'from' (%s) is above 'to' (%s)", label,
                      from->text, to->text);
        return false;
    }
    if (low.number == 0 && r->step == 0) {
        gb_read_error(reader, from, "%s: a range with 'times' cannot start at 0", label);
        return false;
    }
    r->from = low.number;
    r->to = high.number;
    return true;
}

static bool read_range(gb_reader *reader, const gb_node *node, const char *label,
                       const gb_param *param, gb_value **values, size_t *n)
{
    if (param->kind == GB_PARAM_WORD) {
        gb_read_error(reader, node,
                      "%s: a range needs numbers, but this parameter takes words; "
                      "write a list",
                      label);
        return false;
    }
    range r = {0};
    if (!read_bounds(reader, node, label, param, &r))
        return false;
    size_t count = count_range(&r);
    if (count > GB_MAX_VALUES) {
        gb_read_error(reader, node, "%s: the range has more than %d values", label, GB_MAX_VALUES);
        return false;
    }
    *values = gb_read_alloc(reader, count, sizeof **values);
    if (*values == NULL)
        return false;
    long double exact = (long double)r.from;
    uint64_t value = r.from;
    do {
        (*values)[(*n)++].number = value;
    } while (*n < count && next_value(&r, value, &exact, &value));
    return true;
}

/* ---- lists ---- */

/* Adds nothing when the value is there already; `items` are the nodes that the values came from. */
static bool repeated(gb_reader *reader, gb_node *const items[], const gb_value values[], size_t n,
                     const gb_node *node, const char *label, gb_value value)
{
    for (size_t i = 0; i < n; i++) {
        if (!gb_value_equal(values[i], value))
            continue;
        char quoted[GB_QUOTE_SIZE];
        gb_read_error(reader, node, "%s: the value %s is repeated (first in line %d)", label,
                      gb_quote(node->text, quoted), items[i]->line);
        return true;
    }
    return false;
}

bool gb_read_list(gb_reader *reader, gb_node *const *node, const char *label, const gb_param *param,
                  gb_value **values, size_t *n)
{
    gb_node *const *items;
    size_t count;
    if (!gb_read_items(reader, node, label, "a value, a list or a range", &items, &count))
        return false;
    if (count > GB_MAX_VALUES) {
        gb_read_error(reader, *node, "%s: %zu values; at most %d are allowed", label, count,
                      GB_MAX_VALUES);
        return false;
    }
    gb_node **kept = gb_read_alloc(reader, count, sizeof *kept);
    *values = gb_read_alloc(reader, count, sizeof **values);
    bool good = kept != NULL && *values != NULL;
    for (size_t i = 0; kept != NULL && *values != NULL && i < count; i++) {
        gb_value value;
        if (!gb_read_value(reader, items[i], label, param, &value) ||
            repeated(reader, kept, *values, *n, items[i], label, value)) {
            good = false;
            continue;
        }
        kept[*n] = items[i];
        (*values)[(*n)++] = value;
    }
    free(kept);
    return good;
}

static bool read_values(gb_reader *reader, gb_node *const *node, const char *label,
                        const gb_param *param, gb_value **values, size_t *n)
{
    if ((*node)->type == GB_NODE_MAP)
        return read_range(reader, *node, label, param, values, n);
    return gb_read_list(reader, node, label, param, values, n);
}

/* ---- axes ---- */

static bool per_kind(const gb_node *node)
{
    gb_device_kind kind;
    for (size_t i = 0; node->type == GB_NODE_MAP && i < node->n; i++)
        if (gb_device_kind_parse(node->items[2 * i]->text, &kind))
            return true;
    return false;
}

/* A mapping without any key of a range. */
static bool strange_map(const gb_node *node)
{
    static const char *const keys[] = {"from", "to", "step", "times"};
    if (node->type != GB_NODE_MAP || node->n == 0 || node->incomplete)
        return false;
    for (size_t i = 0; i < node->n; i++)
        if (gb_text_nearest(node->items[2 * i]->text, keys, 4) != NULL)
            return false;
    return true;
}

static bool read_per_kind(gb_reader *reader, const gb_node *node, const char *label,
                          const gb_param *param, gb_axis *axis)
{
    static const char *const keys[] = {"cuda", "cpu"};
    bool good = gb_read_map(reader, node, label, keys, 2);
    for (size_t i = 0; i < node->n; i++) {
        gb_device_kind kind;
        char name[GB_QUOTE_SIZE + 16];
        gb_node *const *value = &node->items[2 * i + 1];
        if (!gb_device_kind_parse(node->items[2 * i]->text, &kind)) {
            good = false;
            continue;
        }
        if (axis->values[kind] != NULL) /* the same key twice: reported */
            continue;
        snprintf(name, sizeof name, "%s.%s", label, gb_device_kind_word(kind));
        good = read_values(reader, value, name, param, &axis->values[kind], &axis->n[kind]) && good;
    }
    return good;
}

bool gb_read_axis(gb_reader *reader, gb_node *const *node, const char *label, const gb_param *param,
                  gb_axis *axis)
{
    if (per_kind(*node))
        return read_per_kind(reader, *node, label, param, axis);
    if (strange_map(*node)) {
        char quoted[GB_QUOTE_SIZE];
        gb_read_error(reader, (*node)->items[0],
                      "%s: a mapping is a range (from, to, step or times) or has values for each "
                      "kind of device (cuda, cpu); '%s' is neither",
                      label, gb_quote((*node)->items[0]->text, quoted));
        return false;
    }
    bool good = read_values(reader, node, label, param, &axis->values[0], &axis->n[0]);
    for (int kind = 1; good && kind < GB_DEVICE_KINDS; kind++) {
        size_t bytes = axis->n[0] * sizeof(gb_value);
        axis->values[kind] = gb_read_alloc(reader, axis->n[0], sizeof(gb_value));
        if (axis->values[kind] == NULL)
            return false;
        memcpy(axis->values[kind], axis->values[0], bytes);
        axis->n[kind] = axis->n[0];
    }
    return good;
}

void gb_axis_clear(gb_axis *axis)
{
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        free(axis->values[kind]);
        axis->values[kind] = NULL;
        axis->n[kind] = 0;
    }
}
