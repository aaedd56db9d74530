/* One entry of `expect:`. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "suite/parts.h"
#include "suite/values.h"

/* A bound of a value (not of a ratio), in the metric's base unit: a duration for times, a size a
 * second for rates in B/s ("10GB/s"), a plain number for other rates. */
static bool read_bound(gb_reader *reader, const gb_node *node, const char *label, const char *unit,
                       double *out)
{
    gb_error error;
    uint64_t whole;
    char text[GB_QUOTE_SIZE];
    if (node->type != GB_NODE_SCALAR || node->null)
        return gb_read_unexpected(reader, node, label, "a number");
    bool rate = strcmp(unit, "B/s") == 0;
    if (strcmp(unit, "ns") == 0) {
        if (!gb_read_duration(reader, node, label, 1, GB_MAX_BUDGET_NS, &whole))
            return false;
        *out = (double)whole;
        return true;
    }
    if (!rate || node->length < 3 || node->length >= sizeof text ||
        strcmp(node->text + node->length - 2, "/s") != 0)
        return gb_read_real(reader, node, label, out);
    memcpy(text, node->text, node->length - 2);
    text[node->length - 2] = '\0';
    if (gb_parse_bytes(text, &whole, &error) != GB_OK) {
        gb_read_error(reader, node, "%s: %s", label, error.message);
        return false;
    }
    *out = (double)whole;
    return true;
}

static void read_bounds(gb_reader *reader, const gb_node *node, const char *unit, gb_expect *out)
{
    const gb_node *min = gb_node_get(node, "min");
    const gb_node *max = gb_node_get(node, "max");
    bool good = true;
    if (min == NULL && max == NULL && !node->incomplete)
        gb_read_error(reader, node, "expect: needs 'min' or 'max'");
    if (min != NULL)
        good = unit != NULL ? read_bound(reader, min, "expect.min", unit, &out->min)
                            : gb_read_real(reader, min, "expect.min", &out->min);
    if (max != NULL)
        good = (unit != NULL ? read_bound(reader, max, "expect.max", unit, &out->max)
                             : gb_read_real(reader, max, "expect.max", &out->max)) &&
               good;
    if (good && out->min > out->max) /* false when one is NAN */
        gb_read_error(reader, min, "expect: min is above max");
}

void gb_read_expect(gb_reader *reader, const gb_node *node, const gb_kernel_spec *spec,
                    gb_expect *out)
{
    static const char *const keys[] = {"metric", "where", "of", "over", "min", "max"};
    *out = (gb_expect){
        .metric = -1, .min = NAN, .max = NAN, .line = node->line, .column = node->column};
    if (!gb_read_map(reader, node, "expect", keys, sizeof keys / sizeof keys[0]))
        return;
    const gb_node *metric = gb_read_required(reader, node, "expect", "metric");
    const gb_node *where = gb_node_get(node, "where");
    const gb_node *of = gb_node_get(node, "of");
    const gb_node *over = gb_node_get(node, "over");
    if ((of == NULL) != (over == NULL) && !node->incomplete)
        gb_read_error(reader, of != NULL ? of : over,
                      "expect: 'of' and 'over' come together: a ratio has two sides");
    if (spec == NULL)
        return;
    bool known =
        metric != NULL && gb_read_metric(reader, metric, "expect.metric", spec, &out->metric);
    if (where != NULL)
        gb_read_conditions(reader, where, "expect.where", spec, NULL, &out->where, &out->n_where);
    if (of != NULL)
        gb_read_conditions(reader, of, "expect.of", spec, NULL, &out->of, &out->n_of);
    if (over != NULL)
        gb_read_conditions(reader, over, "expect.over", spec, NULL, &out->over, &out->n_over);
    if ((of != NULL && of->type == GB_NODE_MAP && of->n == 0) ||
        (over != NULL && over->type == GB_NODE_MAP && over->n == 0))
        gb_read_error(reader, node, "expect: 'of' and 'over' must name a parameter each");
    const char *unit = NULL; /* of a ratio */
    if (of == NULL && over == NULL)
        unit = gb_spec_metric_at(spec, out->metric)->unit;
    if (known)
        read_bounds(reader, node, unit, out);
}
