/* Findings on arithmetic by type: what types and operations cost, how much has to be under way, and
 * what tensor cores are beside it. All are held against the multiply-adds of fp32. */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

static bool is_arith(const gb_row *row, const char *op, const char *type, const char *chains)
{
    return gb_row_usable(row, "arith") && gb_row_word_is(row, "op", op) &&
           gb_row_word_is(row, "type", type) && gb_row_word_is(row, "chains", chains) &&
           gb_row_value(row, "op_rate") > 0;
}

/* The fastest of such cases; NULL: none. */
static const gb_row *fastest(const gb_view *view, const char *op, const char *type,
                             const char *chains)
{
    const gb_row *best = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (is_arith(row, op, type, chains) &&
            (best == NULL || gb_row_value(row, "op_rate") > gb_row_value(best, "op_rate")))
            best = row;
    }
    return best;
}

/* The case that differs from `row` in `param` alone and has `word` there; NULL: none. */
static const gb_row *beside(const gb_view *view, const gb_row *row, const char *param,
                            const char *word)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (gb_row_usable(other, "arith") && gb_row_word_is(other, param, word) &&
            gb_row_value(other, "op_rate") > 0 && gb_rows_same_but(row, other, param))
            return other;
    }
    return NULL;
}

static const char *const said[] = {"op", "type", "chains", "threads", "rounds", NULL};

const gb_row *gb_finding_type_rates(const gb_view *view, gb_buf *text)
{
    static const char *const types[] = {"fp64", "fp16x2", "bf16x2", "int32", "int8"};
    const gb_row *base = fastest(view, "fma", "fp32", "many");
    bool any = false;
    char rate[96], factor[96];
    for (size_t i = 0; base != NULL && i < sizeof types / sizeof types[0]; i++) {
        const gb_row *row = beside(view, base, "type", types[i]);
        if (row == NULL || !gb_rows_differ(view->results, row, base, "op_rate"))
            continue;
        if (!any)
            gb_buf_printf(text, "Multiply-adds run at %s in fp32",
                          gb_say_figure(base, "op_rate", rate, sizeof rate));
        const bool slower = gb_row_value(row, "op_rate") < gb_row_value(base, "op_rate");
        gb_buf_printf(text, "%s in %s %s times as %s (%s)", any ? "," : ";", types[i],
                      gb_say_ratio(slower ? base : row, slower ? row : base, "op_rate", 1, 2,
                                   factor, sizeof factor),
                      slower ? "slow" : "fast", gb_say_figure(row, "op_rate", rate, sizeof rate));
        any = true;
    }
    if (any)
        gb_finding_case(view, base, said, text);
    gb_buf_add(text, any ? "." : "");
    return any ? base : NULL;
}

/* What the larger operations cost in one type: NULL where none differs from a multiply-add. */
static const gb_row *prices_in(const gb_view *view, const char *type, const char *begin,
                               gb_buf *text)
{
    static const struct {
        const char *op, *what;
    } ops[] = {{"div", "a division"},
               {"sqrt", "a square root (with a multiply-add)"},
               {"sin", "a sine"},
               {"fast-sin", "a fast sine"}};
    const gb_row *base = fastest(view, "fma", type, "many");
    bool any = false;
    char factor[96];
    for (size_t i = 0; base != NULL && i < sizeof ops / sizeof ops[0]; i++) {
        const gb_row *row = beside(view, base, "op", ops[i].op);
        if (row == NULL || !gb_rows_differ(view->results, row, base, "op_rate"))
            continue;
        if (!any)
            gb_buf_printf(text, "%s %s %s takes", begin, type, ops[i].what);
        else
            gb_buf_printf(text, ", %s", ops[i].what);
        gb_buf_printf(text, " %s times", gb_say_ratio(base, row, "op_rate", 1, 1, factor, 96));
        any = true;
    }
    return any ? base : NULL;
}

const gb_row *gb_finding_operation_prices(const gb_view *view, gb_buf *text)
{
    static const char *const types[] = {"fp32", "fp64", "int32"};
    const gb_row *first = NULL;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const gb_row *base =
            prices_in(view, types[i], first != NULL ? "; in" : "With all units at work, in", text);
        first = first != NULL ? first : base;
    }
    gb_buf_add(text, first != NULL ? " as long as a multiply-add of the same type." : "");
    return first;
}

/* The case of one chain in one thread, whose time is a latency; NULL: none. */
static const gb_row *lone_chain(const gb_view *view, const char *op, const char *type)
{
    for (size_t i = 0; i < view->n; i++)
        if (is_arith(&view->rows[i], op, type, "one") &&
            gb_row_number_is(&view->rows[i], "threads", 1))
            return &view->rows[i];
    return NULL;
}

/* Little's law: latency times throughput. */
const gb_row *gb_finding_in_flight(const gb_view *view, gb_buf *text)
{
    const gb_row *one = lone_chain(view, "fma", "fp32");
    const gb_row *many = fastest(view, "fma", "fp32", "many");
    gb_interval latency, rate, cycles;
    char wait[96], speed[96], clocks[96], number[96];
    if (one == NULL || many == NULL || !gb_row_firm(one, "op_time") ||
        !gb_row_firm(many, "op_rate") || !gb_row_interval(one, "op_time", &latency) ||
        !gb_row_interval(many, "op_rate", &rate))
        return NULL;
    gb_interval under_way = {.centre = latency.centre * rate.centre * 1e-9,
                             .low = latency.low * rate.low * 1e-9,
                             .high = latency.high * rate.high * 1e-9};
    gb_buf_printf(text, "A multiply-add of fp32 waits %s for the one before it",
                  gb_say_figure(one, "op_time", wait, sizeof wait));
    if (gb_row_interval(one, "cycles", &cycles))
        gb_buf_printf(text, " (%s)", gb_say_figure(one, "cycles", clocks, sizeof clocks));
    gb_buf_printf(text, ", and the device does %s: %s operations have to be under way at a time",
                  gb_say_figure(many, "op_rate", speed, sizeof speed),
                  gb_say_number(&under_way, 0, number, sizeof number));
    const double units = json_number_value(json_object_get(gb_view_facts(view), "units"));
    if (units > 0) {
        const gb_interval each = {under_way.centre / units, under_way.low / units,
                                  under_way.high / units};
        gb_buf_printf(text, ", %s on each of its %.0f %s",
                      gb_say_number(&each, 0, number, sizeof number), units,
                      view->cpu ? "threads, the lanes of their vectors counted" : "SMs");
    }
    gb_buf_add(text, ".");
    return one;
}

static bool is_tensor(const gb_row *row)
{
    return gb_row_usable(row, "matmul") && gb_row_value(row, "flop_rate") > 0 &&
           (gb_row_word_is(row, "variant", "vendor") || gb_row_word_is(row, "variant", "wmma")) &&
           (gb_row_word_is(row, "type", "fp16") || gb_row_word_is(row, "type", "bf16"));
}

const gb_row *gb_finding_tensor_units(const gb_view *view, gb_buf *text)
{
    static const char *const of_product[] = {"variant", "type", "n", "m", "k", NULL};
    const gb_row *units = fastest(view, "fma", "fp32", "many"), *tensor = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (is_tensor(row) &&
            (tensor == NULL || gb_row_value(row, "flop_rate") > gb_row_value(tensor, "flop_rate")))
            tensor = row;
    }
    gb_interval fma, product;
    if (view->cpu || units == NULL || tensor == NULL || !gb_row_interval(units, "op_rate", &fma) ||
        !gb_row_interval(tensor, "flop_rate", &product))
        return NULL;
    const gb_interval flops = {2 * fma.centre, 2 * fma.low, 2 * fma.high};
    if (!(product.low > flops.high || product.high < flops.low) ||
        !(fabs(log(product.centre / flops.centre)) > gb_noise_floor(view->results, view->device)))
        return NULL;
    const gb_interval ratio = gb_interval_ratio(&product, &flops, 1);
    char fast[96], slow[96], factor[96];
    gb_buf_printf(text,
                  "Tensor cores multiply matrices (%s, %s, n = %.0f) at %s: %s times the %s that "
                  "the multiply-adds of fp32 come to",
                  gb_row_word(tensor, "type"), gb_row_word(tensor, "variant"),
                  gb_row_param(tensor, "n"), gb_say_figure(tensor, "flop_rate", fast, sizeof fast),
                  gb_say_number(&ratio, 1, factor, sizeof factor),
                  gb_say_derived(&flops, "FLOP/s", slow, sizeof slow));
    gb_finding_case(view, tensor, of_product, text);
    gb_buf_add(text, ".");
    return units;
}
