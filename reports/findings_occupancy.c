/* Findings on the kernel occupancy: how much has to be under way, and whether more is ever worse.
 */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* Enough is what reaches this share of the best rate of its series. */
#define ENOUGH 0.9
/* A smaller loss against the best may be that of a last round in which not all threads have work.
 */
#define LOSS 1.05

/* Bytes that wait for one load: 4 in each of a warp's 32 threads; a CPU's cache line. */
#define WARP_BYTES 128
#define LINE_BYTES 64

typedef struct way {
    const char *word, *metric, *one, *many, *doing;
} way;
static const way ways[] = {
    {"loads", "bandwidth", "load", "loads", "Reading"},
    {"chains", "flop_rate", "chain", "chains", "Multiply-adds"},
};

static double rate(const gb_row *row, const way *w)
{
    return gb_row_value(row, w->metric);
}

static bool is_of(const gb_view *view, const gb_row *row, const way *w)
{
    return gb_row_usable(row, "occupancy") && gb_row_word_is(row, "what", w->word) &&
           rate(row, w) > 0 && gb_row_param(row, "independent") > 0 &&
           (view->cpu || gb_row_param(row, "warps") > 0);
}

/* What is under way on an SM, or on one thread of a CPU: a number of loads or chains, of warps. */
static double under_way(const gb_view *view, const gb_row *row)
{
    return (view->cpu ? 1 : gb_row_param(row, "warps")) * gb_row_param(row, "independent");
}

static bool same_series(const gb_row *a, const gb_row *b)
{
    static const char *const without[] = {"independent", "warps", NULL};
    return gb_rows_alike(a, b, without);
}

/* Rows of a series, told by what they have under way: the least, the most, the fastest one, and the
 * one with the least that is fast enough. */
typedef struct series {
    const gb_row *least, *most, *best, *enough;
    size_t n;
} series;

static bool less(const gb_view *view, const gb_row *a, const gb_row *b, const way *w)
{
    const double x = under_way(view, a), y = under_way(view, b);
    return x < y || (x == y && rate(a, w) > rate(b, w));
}

static series collect(const gb_view *view, const gb_row *first, const way *w)
{
    series s = {first, first, first, NULL, 0};
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!is_of(view, row, w) || !same_series(row, first))
            continue;
        s.n++;
        s.best = rate(row, w) > rate(s.best, w) ? row : s.best;
        s.least = less(view, row, s.least, w) ? row : s.least;
        s.most = under_way(view, row) > under_way(view, s.most) ||
                         (under_way(view, row) == under_way(view, s.most) &&
                          gb_row_param(row, "warps") > gb_row_param(s.most, "warps"))
                     ? row
                     : s.most;
    }
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (is_of(view, row, w) && same_series(row, first) &&
            rate(row, w) >= ENOUGH * rate(s.best, w) &&
            (s.enough == NULL || less(view, row, s.enough, w)))
            s.enough = row;
    }
    return s;
}

/* "8 warps with 4 loads each thread", "4 loads" on a CPU. */
static void say_case(const gb_view *view, const gb_row *row, const way *w, gb_buf *text)
{
    const double n = gb_row_param(row, "independent"), warps = gb_row_param(row, "warps");
    if (!view->cpu)
        gb_buf_printf(text, "%.0f warp%s an SM and ", warps, warps == 1 ? "" : "s");
    gb_buf_printf(text, "%.0f %s a thread", n, n == 1 ? w->one : w->many);
}

/* Little's law: what is under way grows with the rate as long as nothing waits, so that the rate of
 * the least says how much the best one needs. */
static void say_needed(const gb_view *view, const series *s, const way *w, gb_buf *text)
{
    char slow[96], needed[96], bytes[96];
    gb_interval ratio;
    gb_buf_add(text, "; with ");
    say_case(view, s->least, w, text);
    gb_buf_printf(text, " it is %s", gb_say_figure(s->least, w->metric, slow, sizeof slow));
    if (!gb_rows_ratio(s->best, s->least, w->metric, under_way(view, s->least), &ratio))
        return;
    if (strcmp(w->word, "loads") != 0) {
        gb_buf_printf(text, ", so that Little's law asks for %s chains of a %s",
                      gb_say_number(&ratio, 1, needed, sizeof needed),
                      view->cpu ? "thread" : "warp on an SM");
        return;
    }
    const double each = view->cpu ? LINE_BYTES : WARP_BYTES;
    const gb_interval in_flight = {ratio.centre * each, ratio.low * each, ratio.high * each};
    gb_buf_printf(
        text, ", so that Little's law asks for %s in flight, where that case has %s",
        gb_say_derived(&in_flight, "B", needed, sizeof needed),
        gb_format_bytes((uint64_t)(under_way(view, s->enough) * each), bytes, sizeof bytes));
}

/* Said where both figures are firm and all that have less under way differ from the best. */
static bool say_enough(const gb_view *view, const series *s, const way *w, gb_buf *text)
{
    if (s->enough == s->least || !gb_row_firm(s->enough, w->metric) ||
        !gb_row_firm(s->best, w->metric))
        return false;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (is_of(view, row, w) && same_series(row, s->best) &&
            under_way(view, row) < under_way(view, s->enough) &&
            !gb_rows_differ(view->results, row, s->best, w->metric))
            return false;
    }
    static const char *const said[] = {"what", "independent", "warps", NULL};
    char best[96];
    gb_buf_printf(text, "%s: nine tenths of the best rate, %s, are reached with ", w->doing,
                  gb_say_figure(s->best, w->metric, best, sizeof best));
    say_case(view, s->enough, w, text);
    say_needed(view, s, w, text);
    gb_finding_case(view, s->best, said, text);
    gb_buf_add(text, ".");
    return true;
}

/* The case with the most under way against the best one. */
static bool say_more(const gb_view *view, const series *s, const way *w, gb_buf *text)
{
    static const char *const said[] = {"what", "independent", "warps", NULL};
    char most[96], best[96], factor[96];
    const bool loses = s->best != s->most && rate(s->best, w) >= LOSS * rate(s->most, w) &&
                       gb_rows_differ(view->results, s->best, s->most, w->metric);
    if (!loses && (!gb_row_firm(s->most, w->metric) || !gb_row_firm(s->best, w->metric)))
        return false;
    gb_buf_printf(text, "%s: the case with the most under way, ", w->doing);
    say_case(view, s->most, w, text);
    gb_buf_printf(text, ", runs at %s", gb_say_figure(s->most, w->metric, most, sizeof most));
    if (loses) {
        gb_buf_add(text, "; with less of it, ");
        say_case(view, s->best, w, text);
        gb_buf_printf(text, ", it is %s, a factor of %s: more is not always better",
                      gb_say_figure(s->best, w->metric, best, sizeof best),
                      gb_say_ratio(s->best, s->most, w->metric, 1, 2, factor, sizeof factor));
    } else {
        gb_buf_add(text, "; no case with less of it is faster by a twentieth and beyond noise");
    }
    gb_finding_case(view, s->most, said, text);
    gb_buf_add(text, ".");
    return true;
}

static const struct {
    const char *name;
    bool (*say)(const gb_view *view, const series *s, const way *w, gb_buf *text);
} rules[] = {{"enough-in-flight", say_enough}, {"more-in-flight", say_more}};

static bool begins_series(const gb_view *view, size_t at, const way *w)
{
    for (size_t i = 0; i < at; i++)
        if (is_of(view, &view->rows[i], w) && same_series(&view->rows[i], &view->rows[at]))
            return false;
    return is_of(view, &view->rows[at], w);
}

gb_code gb_findings_occupancy(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n; i++)
        for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
            if (!begins_series(view, i, &ways[w]))
                continue;
            const series s = collect(view, &view->rows[i], &ways[w]);
            for (size_t r = 0; r < sizeof rules / sizeof rules[0] && code == GB_OK; r++) {
                gb_buf text = {0};
                if (s.n > 2 && rules[r].say(view, &s, &ways[w], &text))
                    code = gb_finding_add(findings, view, s.best, rules[r].name, &text, NULL, err);
                gb_buf_free(&text);
            }
        }
    return code;
}
