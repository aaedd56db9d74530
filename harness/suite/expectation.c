/* One entry of `expect:`. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/units.h"
#include "suite/parts.h"
#include "suite/values.h"

/* "10GB", "10GiBs", "10GBps" -> "10GB/s", "10GiB/s"; false: no size is in it. */
static bool as_rate(const char *text, char out[GB_QUOTE_SIZE])
{
    static const char *const ends[] = {"", "s", "ps", "/sec"};
    uint64_t bytes;
    size_t n = strlen(text);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t k = strlen(ends[i]);
        if (n <= k || n - k >= GB_QUOTE_SIZE - 2 || strcmp(text + n - k, ends[i]) != 0)
            continue;
        memcpy(out, text, n - k);
        out[n - k] = '\0';
        if (gb_parse_bytes(out, &bytes, NULL) == GB_OK) {
            memcpy(out + n - k, "/s", 3);
            return true;
        }
    }
    return false;
}

/* "10GFLOP/s", "10 kFLOPS" -> 10e9, 10e3: a number with a prefix of the SI before whatever unit. */
static bool as_number(const char *text, char out[GB_QUOTE_SIZE])
{
    static const char prefixes[] = "kMGTP";
    gb_decimal number;
    char digits[GB_QUOTE_SIZE];
    size_t n = gb_decimal_scan(text, &number);
    if (n >= sizeof digits)
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    double value = gb_strtod(digits, NULL);
    const char *unit = text + n + strspn(text + n, " ");
    const char *prefix = unit[0] != '\0' ? strchr(prefixes, unit[0]) : NULL;
    for (ptrdiff_t i = 0; prefix != NULL && i <= prefix - prefixes; i++)
        value *= 1000;
    gb_print_double(value, out, GB_QUOTE_SIZE);
    return true;
}

/* A bound that is no plain number although it begins like one: with the wrong unit, or with one
 * where there is none. Says what to write instead; unit NULL: of a ratio. True: it was said. */
static bool wrong_unit(gb_reader *reader, const gb_node *node, const char *label, const char *unit)
{
    char text[GB_QUOTE_SIZE], hint[GB_QUOTE_SIZE];
    gb_decimal number;
    size_t n = gb_decimal_scan(node->text, &number);
    if (node->quoted || node->length >= GB_QUOTE_SIZE || n == 0 || node->text[n] == '\0')
        return false;
    gb_quote(node->text, text);
    if (unit == NULL)
        gb_read_error(reader, node,
                      "%s: '%s' has a unit, and a ratio has none: write a number, "
                      "such as 1.25",
                      label, text);
    else if (strcmp(unit, "B/s") == 0 && as_rate(node->text, hint))
        gb_read_error(reader, node, "%s: '%s' is no rate in %s: write %s", label, text, unit, hint);
    else if (strcmp(unit, "B/s") == 0)
        gb_read_error(reader, node,
                      "%s: '%s' is no rate in %s: write a size a second, such as "
                      "10GB/s",
                      label, text, unit);
    else if (as_number(node->text, hint))
        gb_read_error(reader, node,
                      "%s: '%s' has a unit; this bound is a plain number of %s: write "
                      "%s",
                      label, text, unit, hint);
    else
        return false;
    return true;
}

static bool read_plain(gb_reader *reader, const gb_node *node, const char *label, const char *unit,
                       double *out)
{
    if (node->type == GB_NODE_SCALAR && !node->null && wrong_unit(reader, node, label, unit))
        return false;
    return gb_read_real(reader, node, label, out);
}

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
        return read_plain(reader, node, label, unit, out);
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
                            : read_plain(reader, min, "expect.min", NULL, &out->min);
    if (max != NULL)
        good = (unit != NULL ? read_bound(reader, max, "expect.max", unit, &out->max)
                             : read_plain(reader, max, "expect.max", NULL, &out->max)) &&
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
