/* Whether a device stays as fast as it is, and what a neighbour on it costs. docs/methodology.md,
 * "Stability". */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>

#include "base/json.h"
#include "base/units.h"

/* From here on a second is slower than the others, and a tail is long: less is everywhere. */
#define SLOW_SECOND 0.05
#define LONG_TAIL 2.0

static const char *what_of(const gb_row *row, char *buf, size_t size)
{
    char bytes[32];
    if (gb_row_word_is(row, "work", "memory")) {
        snprintf(buf, size, "a pass over %s", gb_row_param_text(row, "bytes", bytes, sizeof bytes));
    } else {
        snprintf(buf, size, "%s",
                 gb_row_word_is(row, "work", "launch") ? "a short launch" : "arithmetic");
    }
    return buf;
}

/* --- the same for a while --------------------------------------------------------------------- */

/* One replicate that lasted, by times in its own samples. */
typedef struct run {
    const gb_record *record;
    double median, p99, mean, slowest, first, second;
    double seconds;
} run;

static double value(const gb_record *record, const char *metric)
{
    const gb_metric *found = gb_record_metric(record, metric);
    return found != NULL ? found->value : NAN;
}

static bool read_run(const gb_record *record, run *out)
{
    const double ns = json_number_value(json_object_get(record->phases_ns, "measure"));
    *out = (run){record,
                 record->time.median,
                 record->time.p99,
                 record->time.mean,
                 value(record, "slowest_second"),
                 value(record, "first_half"),
                 value(record, "second_half"),
                 floor(ns / 1e9)};
    return record->status == GB_STATUS_OK &&
           (record->flags & GB_BIT(GB_FLAG_BELOW_RESOLUTION)) == 0 && out->median > 0 &&
           out->slowest > 0 && out->first > 0 && out->second > 0;
}

/* Of several replicates the one with the slowest second, measured by its own median. */
static bool worst_run(const gb_row *row, run *out)
{
    *out = (run){0};
    for (size_t i = 0; i < row->n; i++) {
        run r;
        if (read_run(row->replicates[i], &r) &&
            (out->record == NULL || r.slowest / r.median > out->slowest / out->median)) {
            *out = r;
        }
    }
    return out->record != NULL;
}

static bool has_flag(const run *r, gb_flag flag)
{
    return (r->record->flags & GB_BIT(flag)) != 0;
}

static bool slow_second(const run *r)
{
    return r->slowest > (1 + SLOW_SECOND) * r->median;
}

static bool long_tail(const run *r)
{
    return r->p99 > LONG_TAIL * r->median;
}

static bool far_mean(const run *r)
{
    return r->mean > LONG_TAIL * r->median;
}

/* Iterations so rare that the 99th percentile does not show them, and so long that a sum does. */
static bool few_very_long(const run *r)
{
    return far_mean(r) && r->p99 <= LONG_TAIL * r->median; /* no percentile: nobody knows */
}

static bool steady(const run *r)
{
    return !slow_second(r) && !long_tail(r) && !far_mean(r) && !has_flag(r, GB_FLAG_DRIFT) &&
           !has_flag(r, GB_FLAG_BIMODAL);
}

static const char *next(const char **separator)
{
    const char *now = *separator;
    *separator = "; ";
    return now;
}

/* "12 % above the median", or from twice as long on "2.3 times the median" */
static void say_slower(double factor, gb_buf *text)
{
    char digits[32];
    gb_buf_printf(
        text, factor < 2 ? "%s %% above the median" : "%s times the median",
        gb_say_two_digits(factor < 2 ? 100 * (factor - 1) : factor, digits, sizeof digits));
}

static void say_modes(const gb_summary *t, gb_buf *text)
{
    char low[32], high[32];
    const double all = (double)(t->mode_counts[0] + t->mode_counts[1]);
    gb_buf_printf(text, "two modes at %s and %s", gb_format_ns(t->modes[0], low, sizeof low),
                  gb_format_ns(t->modes[1], high, sizeof high));
    if (all > 0) {
        gb_buf_printf(text, " (%.0f %% and %.0f %% of the samples)",
                      100 * (double)t->mode_counts[0] / all, 100 * (double)t->mode_counts[1] / all);
    }
}

static void say_unsteady(const run *r, gb_buf *text)
{
    const char *separator = ", but not steadily: ";
    char digits[32];
    if (slow_second(r)) {
        gb_buf_printf(text, "%sthe slowest of %.0f seconds is ", next(&separator), r->seconds);
        say_slower(r->slowest / r->median, text);
    }
    if (has_flag(r, GB_FLAG_DRIFT)) {
        const double drift = 100 * (r->second / r->first - 1);
        gb_buf_printf(text, "%sit drifts by %s%s %% from the first half to the second",
                      next(&separator), drift > 0 ? "+" : "",
                      gb_say_two_digits(drift, digits, sizeof digits));
    }
    if (has_flag(r, GB_FLAG_BIMODAL)) {
        gb_buf_add(text, next(&separator));
        say_modes(&r->record->time, text);
    }
    if (long_tail(r)) {
        gb_buf_printf(text, "%sthe 99th percentile is %s times the median", next(&separator),
                      gb_say_two_digits(r->p99 / r->median, digits, sizeof digits));
    }
    if (far_mean(r)) {
        gb_buf_printf(text, "%sthe mean is %s times the median%s", next(&separator),
                      gb_say_two_digits(r->mean / r->median, digits, sizeof digits),
                      few_very_long(r) ? ", by few very long iterations" : "");
    }
}

static void say_steady(const run *r, gb_buf *text)
{
    char digits[32];
    gb_buf_printf(
        text, ", steadily: the slowest of %.0f seconds is within %s %% of the median", r->seconds,
        gb_say_two_digits(fmax(100 * (r->slowest / r->median - 1), 0.1), digits, sizeof digits));
    if (r->p99 > 0) {
        gb_buf_printf(text, ", and 99 %% of the iterations take no more than %s times as long",
                      gb_say_two_digits(r->p99 / r->median, digits, sizeof digits));
    }
}

static json_t *figures_of_run(const gb_row *row, const run *r)
{
    return json_pack("{s:O, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "params",
                     row->first->params, "steady", steady(r), "seconds", gb_json_real(r->seconds),
                     "median_ns", gb_json_real(r->median), "p99_ns", gb_json_real(r->p99),
                     "mean_ns", gb_json_real(r->mean), "slowest_second_ns",
                     gb_json_real(r->slowest), "first_half_ns", gb_json_real(r->first),
                     "second_half_ns", gb_json_real(r->second), "drift", has_flag(r, GB_FLAG_DRIFT),
                     "bimodal", has_flag(r, GB_FLAG_BIMODAL));
}

static gb_code add(const gb_view *view, const gb_row *about, const char *rule, gb_buf *text,
                   json_t *figures, json_t *findings, gb_error *err)
{
    gb_code code = figures != NULL ? gb_finding_add(findings, view, about, rule, text, figures, err)
                                   : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    gb_buf_free(text);
    return code;
}

/* What was seen is said in any case; that nothing was is said of a firm time alone. */
static gb_code find_steadiness(const gb_view *view, const gb_row *row, json_t *findings,
                               gb_error *err)
{
    static const char *const said[] = {"work", "beside", "bytes", "rounds", "duration", NULL};
    char what[64], time[96];
    run r;
    if (!gb_row_word_is(row, "beside", "none") || gb_row_spoiled(row) || !worst_run(row, &r) ||
        (steady(&r) && !gb_row_firm(row, "time"))) {
        return GB_OK;
    }
    gb_buf text = {0};
    gb_buf_printf(&text, "Repeated for %.0f s, %s", r.seconds, what_of(row, what, sizeof what));
    gb_finding_case(view, row, said, &text);
    if (steady(&r)) {
        gb_buf_printf(&text, " takes %s", gb_say_figure(row, "time", time, sizeof time));
        say_steady(&r, &text);
        if (row->n_ok > 1) {
            gb_buf_printf(&text, " (the worst of %zu replicates)", row->n_ok);
        }
    } else { /* all of it is of one run, and so is the time */
        gb_buf_printf(&text, " takes %s (the median", gb_format_ns(r.median, time, sizeof time));
        if (row->n_ok > 1) {
            gb_buf_printf(&text, " of the worst of %zu replicates", row->n_ok);
        }
        gb_buf_add(&text, ")");
        say_unsteady(&r, &text);
    }
    gb_buf_add(&text, ".");
    return add(view, row, "steadiness", &text, figures_of_run(row, &r), findings, err);
}

/* --- beside a neighbour ----------------------------------------------------------------------- */

static const struct {
    const char *word, *when;
} neighbours[] = {
    {"compute", "computes"},
    {"memory", "streams through memory"},
    {"copies", "copies between host and device"},
};

/* The same case beside a neighbour; NULL: not measured. */
static const gb_row *beside(const gb_view *view, const gb_row *alone, const char *neighbour)
{
    static const char *const but[] = {"beside", NULL};
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "stability") && gb_row_word_is(row, "beside", neighbour) &&
            gb_rows_alike(row, alone, but)) {
            return row;
        }
    }
    return NULL;
}

static double mean_of(const gb_row *row)
{
    const char *unit;
    bool higher;
    return gb_row_metric(row, "mean", &unit, &higher);
}

static gb_code find_interference(const gb_view *view, const gb_row *alone, json_t *findings,
                                 gb_error *err)
{
    static const char *const said[] = {"work", "beside", "bytes", "rounds", "duration", NULL};
    char what[64], time[96], factor[96];
    if (!gb_row_word_is(alone, "beside", "none") || !(mean_of(alone) > 0)) {
        return GB_OK;
    }
    json_t *figures = json_pack("{s:O, s:o}", "params", alone->first->params, "alone_ns",
                                gb_json_real(mean_of(alone)));
    gb_buf text = {0};
    bool any = false;
    gb_buf_printf(&text, "Beside a neighbour %s", what_of(alone, what, sizeof what));
    gb_finding_case(view, alone, said, &text);
    gb_buf_printf(&text, " (%s alone, on average)",
                  gb_say_figure(alone, "mean", time, sizeof time));
    for (size_t i = 0; i < sizeof neighbours / sizeof neighbours[0] && figures != NULL; i++) {
        const gb_row *row = beside(view, alone, neighbours[i].word);
        const gb_contrast contrast =
            row == NULL ? GB_CONTRAST_UNKNOWN : gb_rows_contrast(view->results, row, alone, "mean");
        const bool known = contrast != GB_CONTRAST_UNKNOWN;
        json_object_set_new(figures, neighbours[i].word,
                            known ? gb_json_real(mean_of(row) / mean_of(alone)) : json_null());
        if (!known) {
            continue;
        }
        if (contrast == GB_CONTRAST_SAME) {
            gb_buf_printf(&text, "%s as long as alone when it %s", any ? ";" : " takes",
                          neighbours[i].when);
        } else {
            gb_buf_printf(&text, "%s %s times as long when it %s", any ? ";" : " takes",
                          gb_say_ratio(row, alone, "mean", 1, 2, factor, sizeof factor),
                          neighbours[i].when);
        }
        any = true;
    }
    gb_buf_add(&text, view->cpu ? " (the cores are shared here)." : ".");
    if (any) {
        return add(view, alone, "interference", &text, figures, findings, err);
    }
    json_decref(figures);
    gb_buf_free(&text);
    return GB_OK;
}

gb_code gb_findings_stability(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        const gb_row *row = &view->rows[i];
        if (!gb_row_usable(row, "stability")) {
            continue;
        }
        code = find_steadiness(view, row, findings, err);
        if (code == GB_OK) {
            code = find_interference(view, row, findings, err);
        }
    }
    return code;
}
