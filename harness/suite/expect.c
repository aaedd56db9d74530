#include "suite/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "suite/values.h"

/* More comparisons of one expectation than this are one UNKNOWN result. */
#define MOST_RESULTS 10000

/* A case on one device and the value of a metric over its replicates. */
typedef struct point {
    const gb_record *first;
    gb_value *args;
    double value; /* NAN: no replicate has one ... */
    bool skipped; /* ... because all of them are skipped */
} point;

typedef struct points {
    point *items;
    size_t n;
    gb_value *args; /* of all of them */
} points;

typedef struct evaluation {
    const gb_benchmark *benchmark;
    const gb_expect *expect;
    const char *metric, *unit;
    gb_expect_results *out;
    size_t capacity;
    size_t before; /* results before this expectation */
} evaluation;

void gb_expect_results_free(gb_expect_results *results)
{
    for (size_t i = 0; i < results->n; i++) {
        free(results->items[i].text);
        free(results->items[i].detail);
    }
    free(results->items);
    memset(results, 0, sizeof *results);
}

/* ---- values of cases ---- */

static int by_case(const void *a, const void *b)
{
    const gb_record *x = *(const gb_record *const *)a;
    const gb_record *y = *(const gb_record *const *)b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    int order = strcmp(x->case_id, y->case_id);
    if (order != 0)
        return order;
    return x->replicate < y->replicate ? -1 : x->replicate > y->replicate;
}

static double metric_of(const gb_record *record, const char *metric)
{
    if (record->status != GB_STATUS_OK)
        return NAN;
    if (strcmp(metric, "time") == 0)
        return record->time.median;
    for (size_t i = 0; i < record->n_metrics; i++)
        if (strcmp(record->metrics[i].name, metric) == 0)
            return record->metrics[i].value;
    return NAN;
}

/* Geometric centre of the values that exist, as of a row in reports; NAN for none above 0. */
static double centre_of(const gb_record *const records[], size_t n, const char *metric,
                        double scratch[])
{
    size_t kept = 0;
    double centre, half;
    for (size_t i = 0; i < n; i++) {
        double value = metric_of(records[i], metric);
        if (isfinite(value))
            scratch[kept++] = value;
    }
    gb_stats_between(scratch, kept, &centre, &half);
    return centre;
}

static void free_points(points *p)
{
    free(p->items);
    free(p->args);
    memset(p, 0, sizeof *p);
}

/* The benchmark's records, sorted so that a case's replicates are neighbours. The caller frees. */
static const gb_record **own_records(const gb_benchmark *benchmark, const gb_record records[],
                                     size_t n, size_t *count)
{
    const gb_record **own = calloc(n + 1, sizeof *own);
    *count = 0;
    for (size_t i = 0; own != NULL && i < n; i++)
        if (records[i].benchmark != NULL && records[i].case_id != NULL &&
            strcmp(records[i].benchmark, benchmark->name) == 0)
            own[(*count)++] = &records[i];
    if (own != NULL)
        qsort(own, *count, sizeof(const gb_record *), by_case);
    return own;
}

static gb_code collect(const gb_benchmark *benchmark, const char *metric, const gb_record records[],
                       size_t n, points *out, gb_error *err)
{
    size_t n_params = benchmark->spec->n_params;
    size_t count;
    const gb_record **own = own_records(benchmark, records, n, &count);
    double *scratch = calloc(count + 1, sizeof *scratch);
    out->items = calloc(count + 1, sizeof *out->items);
    out->args = calloc((count + 1) * (n_params + 1), sizeof *out->args);
    gb_code code = GB_OK;
    if (own == NULL || scratch == NULL || out->items == NULL || out->args == NULL)
        code = gb_fail(err, GB_NO_MEMORY, "no memory for %zu records", count);
    for (size_t i = 0; code == GB_OK && i < count;) {
        size_t end = i + 1;
        while (end < count && own[end]->device == own[i]->device &&
               strcmp(own[end]->case_id, own[i]->case_id) == 0)
            end++;
        point *p = &out->items[out->n];
        p->first = own[i];
        p->args = out->args + out->n * (n_params + 1);
        p->value = centre_of(own + i, end - i, metric, scratch);
        p->skipped = true;
        for (size_t k = i; k < end; k++)
            p->skipped = p->skipped && own[k]->status == GB_STATUS_SKIPPED;
        code = gb_args_from_json(benchmark->spec, own[i]->params, p->args, err);
        out->n++;
        i = end;
    }
    free(own);
    free(scratch);
    return code;
}

/* ---- texts ---- */

static const char *compare_word(gb_compare op)
{
    static const char *const words[] = {[GB_CMP_IN] = "=",
                                        [GB_CMP_LT] = "<",
                                        [GB_CMP_LE] = "<=",
                                        [GB_CMP_GT] = ">",
                                        [GB_CMP_GE] = ">="};
    return words[op];
}

static void add_conditions(gb_buf *text, const gb_kernel_spec *spec, const gb_condition *conditions,
                           size_t n)
{
    char value[32];
    for (size_t i = 0; i < n; i++) {
        const gb_param *param = &spec->params[conditions[i].param];
        gb_buf_printf(text, "%s%s%s", i > 0 ? ", " : "", param->name,
                      compare_word(conditions[i].op));
        for (size_t k = 0; k < conditions[i].n && k < 8; k++)
            gb_buf_printf(text, "%s%s", k > 0 ? "|" : "",
                          gb_value_written(param, conditions[i].values[k], value));
    }
}

/* A figure with its unit; a ratio has none. */
static const char *figure(double value, const char *unit, char buf[48])
{
    if (isnan(value))
        return "n/a";
    if (unit != NULL)
        return gb_format_rate(value, unit, buf, 48);
    char *text = gb_text_format("%.4g", value); /* '.' whatever the locale */
    snprintf(buf, 48, "%s", text != NULL ? text : "n/a");
    free(text);
    return buf;
}

static bool names(const gb_condition *conditions, size_t n, int param)
{
    for (size_t i = 0; i < n; i++)
        if (conditions[i].param == param)
            return true;
    return false;
}

/* Whether of or over name the parameter: then it is no part of a group. */
static bool varies(const gb_expect *e, int param)
{
    return names(e->of, e->n_of, param) || names(e->over, e->n_over, param);
}

static bool is_axis(const gb_benchmark *benchmark, int param)
{
    for (size_t i = 0; i < benchmark->n_axes; i++)
        if (benchmark->axes[i].param == param)
            return true;
    return false;
}

/* Whether the conditions say by themselves which value each axis has that `of` or `over` names. */
static bool pinned_down(const evaluation *e)
{
    const gb_expect *x = e->expect;
    const gb_condition *const sides[] = {x->of, x->over};
    const size_t counts[] = {x->n_of, x->n_over};
    for (size_t i = 0; i < e->benchmark->n_axes; i++) {
        int param = e->benchmark->axes[i].param;
        for (size_t side = 0; side < 2 && varies(x, param); side++) {
            bool single = false;
            for (size_t k = 0; k < counts[side]; k++) {
                const gb_condition *c = &sides[side][k];
                single = single || (c->param == param && c->op == GB_CMP_IN && c->n == 1);
            }
            if (!single)
                return false;
        }
    }
    return true;
}

/* "copy: bandwidth of memory=pinned over memory=pageable >= 1.2", and at which point. */
static char *describe(const evaluation *e, const point *at, const point *over)
{
    const gb_expect *x = e->expect;
    const gb_kernel_spec *spec = e->benchmark->spec;
    const char *unit = x->n_of > 0 ? NULL : e->unit;
    gb_buf text = {0};
    char number[48];
    gb_buf_printf(&text, "%s: %s", e->benchmark->name, e->metric);
    if (x->n_of > 0) {
        gb_buf_add(&text, " of ");
        add_conditions(&text, spec, x->of, x->n_of);
        gb_buf_add(&text, " over ");
        add_conditions(&text, spec, x->over, x->n_over);
    }
    if (!isnan(x->min))
        gb_buf_printf(&text, " >= %s", figure(x->min, unit, number));
    if (!isnan(x->max))
        gb_buf_printf(&text, "%s <= %s", isnan(x->min) ? "" : " and", figure(x->max, unit, number));
    if (at == NULL && x->n_where > 0) {
        gb_buf_add(&text, " where ");
        add_conditions(&text, spec, x->where, x->n_where);
    }
    bool any = false;
    for (size_t i = 0; at != NULL && i < spec->n_params; i++) {
        char value[32];
        if (varies(x, (int)i) || !is_axis(e->benchmark, (int)i))
            continue;
        gb_buf_printf(&text, "%s%s=%s", any ? ", " : " at ", spec->params[i].name,
                      gb_value_written(&spec->params[i], at->args[i], value));
        any = true;
    }
    if (at != NULL && over != NULL && !pinned_down(e))
        gb_buf_printf(&text, " (%s over %s)", at->first->case_id, over->first->case_id);
    if (text.failed)
        gb_buf_free(&text);
    return text.data;
}

/* ---- comparing ---- */

/* Adds a result; text and detail pass to it. */
static gb_code add(evaluation *e, gb_expect_result result, gb_error *err)
{
    gb_expect_results *out = e->out;
    if (out->n == e->capacity) {
        size_t capacity = e->capacity == 0 ? 16 : 2 * e->capacity;
        gb_expect_result *items = realloc(out->items, capacity * sizeof *items);
        if (items == NULL)
            goto failed;
        out->items = items;
        e->capacity = capacity;
    }
    if (result.text == NULL || result.detail == NULL)
        goto failed;
    result.benchmark = e->benchmark;
    result.expect = e->expect;
    out->items[out->n++] = result;
    out->n_met += result.outcome == GB_EXPECT_MET;
    out->n_failed += result.outcome == GB_EXPECT_FAILED;
    out->n_unknown += result.outcome == GB_EXPECT_UNKNOWN;
    out->n_skipped += result.outcome == GB_EXPECT_SKIPPED;
    return GB_OK;
failed:
    free(result.text);
    free(result.detail);
    return gb_fail(err, GB_NO_MEMORY, "no memory for the expectations");
}

/* A result about the expectation as a whole. */
static gb_code add_whole(evaluation *e, gb_expect_outcome outcome, const char *why, gb_error *err)
{
    gb_expect_result result = {.outcome = outcome, .of = NAN, .over = NAN, .value = NAN};
    result.text = describe(e, NULL, NULL);
    result.detail = gb_text_copy(why);
    return add(e, result, err);
}

/* `skipped`: why there may be no value. */
static gb_expect_outcome judge(const gb_expect *expect, double value, bool skipped)
{
    if (!isfinite(value))
        return skipped ? GB_EXPECT_SKIPPED : GB_EXPECT_UNKNOWN;
    bool low = !isnan(expect->min) && !(value >= expect->min);
    bool high = !isnan(expect->max) && !(value <= expect->max);
    return low || high ? GB_EXPECT_FAILED : GB_EXPECT_MET;
}

static char *no_value(const evaluation *e, const point *p)
{
    const char *reason = p->first->reason;
    if (p->skipped)
        return gb_text_format("%s is skipped on this device%s%s", p->first->case_id,
                              reason != NULL ? ": " : "", reason != NULL ? reason : "");
    for (size_t i = 0; i < p->first->n_metrics; i++) /* why it was not made */
        if (strcmp(p->first->metrics[i].name, e->metric) == 0 &&
            p->first->metrics[i].reason[0] != '\0')
            return gb_text_format("%s has no value of %s: %s", p->first->case_id, e->metric,
                                  p->first->metrics[i].reason);
    return gb_text_format("%s has no value of %s", p->first->case_id, e->metric);
}

static gb_code compare_value(evaluation *e, const point *p, gb_error *err)
{
    char buf[48];
    gb_expect_result result = {
        .device = p->first->device, .of = p->value, .over = NAN, .value = p->value};
    result.outcome = judge(e->expect, p->value, p->skipped);
    result.text = describe(e, p, NULL);
    if (!isfinite(p->value))
        result.detail = no_value(e, p);
    else
        result.detail = gb_text_copy(figure(p->value, e->unit, buf));
    return add(e, result, err);
}

static gb_code compare_ratio(evaluation *e, const point *of, const point *over, gb_error *err)
{
    char ratio[48];
    char above[48];
    char below[48];
    double value = over->value > 0 ? of->value / over->value : NAN;
    gb_expect_result result = {
        .device = of->first->device, .of = of->value, .over = over->value, .value = value};
    result.outcome = judge(e->expect, value, of->skipped || over->skipped);
    result.text = describe(e, of, over);
    if (!isfinite(value))
        result.detail = no_value(e, !isfinite(of->value) && !over->skipped ? of : over);
    else
        result.detail =
            gb_text_format("%s = %s / %s", figure(value, NULL, ratio),
                           figure(of->value, e->unit, above), figure(over->value, e->unit, below));
    return add(e, result, err);
}

static bool same_group(const evaluation *e, const point *a, const point *b)
{
    if (a->first->device != b->first->device)
        return false;
    for (size_t i = 0; i < e->benchmark->spec->n_params; i++)
        if (!varies(e->expect, (int)i) && !gb_value_equal(a->args[i], b->args[i]))
            return false;
    return true;
}

static gb_code compare_points(evaluation *e, const points *p, gb_error *err)
{
    const gb_expect *x = e->expect;
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < p->n; i++) {
        const point *a = &p->items[i];
        if (!gb_conditions_hold(x->where, x->n_where, a->args) ||
            !gb_conditions_hold(x->of, x->n_of, a->args))
            continue;
        if (x->n_of == 0) {
            code = compare_value(e, a, err);
            continue;
        }
        for (size_t k = 0; code == GB_OK && k < p->n; k++) {
            const point *b = &p->items[k];
            if (k == i || !gb_conditions_hold(x->where, x->n_where, b->args) ||
                !gb_conditions_hold(x->over, x->n_over, b->args) || !same_group(e, a, b))
                continue;
            if (e->out->n - e->before == MOST_RESULTS)
                return add_whole(e, GB_EXPECT_UNKNOWN,
                                 "too many pairs to compare: name fewer cases on each side", err);
            code = compare_ratio(e, a, b, err);
        }
    }
    return code;
}

gb_code gb_expect_evaluate(const gb_suite *suite, const gb_record records[], size_t n,
                           gb_expect_results *out, gb_error *err)
{
    memset(out, 0, sizeof *out);
    evaluation e = {.out = out};
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < suite->n_benchmarks; i++) {
        e.benchmark = &suite->benchmarks[i];
        for (size_t k = 0; code == GB_OK && k < e.benchmark->n_expects; k++) {
            points p = {0};
            e.expect = &e.benchmark->expects[k];
            e.before = out->n;
            const gb_metric_spec *metric = gb_spec_metric_at(e.benchmark->spec, e.expect->metric);
            e.metric = metric->name;
            e.unit = metric->unit;
            code = collect(e.benchmark, e.metric, records, n, &p, err);
            if (code == GB_OK)
                code = compare_points(&e, &p, err);
            if (code == GB_OK && out->n == e.before)
                code = add_whole(&e, GB_EXPECT_SKIPPED,
                                 e.expect->n_of > 0 ? "this run has no two cases that it compares"
                                                    : "this run has no case that it is about",
                                 err);
            free_points(&p);
        }
    }
    if (code != GB_OK)
        gb_expect_results_free(out);
    return code;
}
