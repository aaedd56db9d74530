/* Findings on the kernel atomics: each compares two rows that differ in one parameter only. */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

#define METRIC "update_time"

static double update_time(const gb_row *row)
{
    return gb_row_usable(row, "atomics") ? gb_row_value(row, METRIC) : NAN;
}

typedef struct pair {
    const gb_row *a, *b;
} pair;

/* What two rows of one benchmark differ in, in one rule or the other. */
static const char *const addresses[] = {"addresses", NULL};
static const char *const padding[] = {"padding", NULL};
static const char *const place[] = {"place", NULL};
static const char *const padding_and_addresses[] = {"padding", "addresses", NULL};
static const char *const place_and_addresses[] = {"place", "addresses", NULL};

static bool alike(const gb_row *a, const gb_row *b, const char *const but_for[])
{
    return update_time(a) > 0 && update_time(b) > 0 && gb_rows_alike(a, b, but_for);
}

/* Whether nothing before row `at` of the view is of its series, so that each is told of once. */
static bool begins_series(const gb_view *view, size_t at, const char *const but_for[])
{
    for (size_t i = 0; i < at; i++)
        if (alike(&view->rows[i], &view->rows[at], but_for))
            return false;
    return update_time(&view->rows[at]) > 0;
}

/* The slower over the faster, "... a factor of 3.2 (type int32).", or that nothing can be told;
 * false where nothing is known. */
static bool compare(const gb_view *view, const pair *p, const char *const said[], gb_buf *text)
{
    const bool gains = update_time(p->a) >= update_time(p->b);
    char factor[96];
    switch (gb_rows_contrast(view->results, p->a, p->b, METRIC)) {
    case GB_CONTRAST_UNKNOWN:
        return false;
    case GB_CONTRAST_SAME:
        gb_buf_add(text, ": no difference that can be told from noise");
        break;
    case GB_CONTRAST_DIFFERENT:
        gb_buf_printf(text, ": a factor of %s",
                      gb_say_ratio(gains ? p->a : p->b, gains ? p->b : p->a, METRIC, 1, 2, factor,
                                   sizeof factor));
    }
    gb_finding_case(view, p->a, said, text);
    gb_buf_add(text, ".");
    return true;
}

/* One counter, or as few as were measured, against the number with which updates are fastest. */
static bool say_contention(const gb_view *view, const gb_row *first, gb_buf *text)
{
    pair p = {first, first};
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!alike(first, row, addresses))
            continue;
        p.a = gb_row_param(row, "addresses") < gb_row_param(p.a, "addresses") ? row : p.a;
        p.b = update_time(row) < update_time(p.b) ? row : p.b;
    }
    if (p.a == p.b)
        return false;
    char few[96], many[96];
    const double n = gb_row_param(p.a, "addresses");
    gb_buf_printf(text,
                  "An update takes %s when all threads add to %.0f counter%s, and %s with %.0f",
                  gb_say_figure(p.a, METRIC, few, sizeof few), n, n == 1 ? "" : "s",
                  gb_say_figure(p.b, METRIC, many, sizeof many), gb_row_param(p.b, "addresses"));
    return compare(view, &p, addresses, text);
}

/* How far two rows are from each other, whichever is the faster; -1 where that may be noise. */
static double distance(const gb_view *view, const gb_row *a, const gb_row *b)
{
    if (!gb_rows_differ(view->results, a, b, METRIC))
        return -1;
    return fabs(log(update_time(a) / update_time(b)));
}

/* The least padding against the most, for that number of counters with which they differ most. */
static bool say_padding(const gb_view *view, const gb_row *first, gb_buf *text)
{
    pair p = {NULL, NULL};
    double most = -1;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *close = &view->rows[i], *far = close;
        if (!alike(close, first, padding_and_addresses))
            continue;
        for (size_t j = 0; j < view->n; j++) {
            const gb_row *row = &view->rows[j];
            if (!alike(close, row, padding))
                continue;
            close = gb_row_param(row, "padding") < gb_row_param(close, "padding") ? row : close;
            far = gb_row_param(row, "padding") > gb_row_param(far, "padding") ? row : far;
        }
        if (close != far && distance(view, close, far) > most) {
            most = distance(view, close, far);
            p = (pair){close, far};
        }
    }
    if (p.a == NULL)
        return false;
    char slow[96], fast[96], from[32], to[32];
    gb_buf_printf(text, "With %.0f counters %s apart an update takes %s, with %s %s",
                  gb_row_param(p.a, "addresses"),
                  gb_format_bytes((uint64_t)gb_row_param(p.a, "padding"), from, sizeof from),
                  gb_say_figure(p.a, METRIC, slow, sizeof slow),
                  gb_format_bytes((uint64_t)gb_row_param(p.b, "padding"), to, sizeof to),
                  gb_say_figure(p.b, METRIC, fast, sizeof fast));
    return compare(view, &p, padding_and_addresses, text);
}

/* The counters that all share against those of a block, for the fewest measured of both. */
static bool say_shared(const gb_view *view, const gb_row *first, gb_buf *text)
{
    pair p = {NULL, NULL};
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *all = &view->rows[i];
        if (!gb_row_word_is(all, "place", "global") || !alike(all, first, place_and_addresses) ||
            (p.a != NULL && gb_row_param(all, "addresses") >= gb_row_param(p.a, "addresses")))
            continue;
        for (size_t j = 0; j < view->n; j++) {
            const gb_row *own = &view->rows[j];
            if (gb_row_word_is(own, "place", "shared") && alike(all, own, place))
                p = (pair){all, own};
        }
    }
    if (p.a == NULL)
        return false;
    char slow[96], fast[96];
    const double n = gb_row_param(p.a, "addresses");
    gb_buf_printf(text,
                  "With %.0f counter%s an update takes %s when all blocks share %s, and %s when "
                  "each block has its own in shared memory and adds %s up at its end",
                  n, n == 1 ? "" : "s", gb_say_figure(p.a, METRIC, slow, sizeof slow),
                  n == 1 ? "it" : "them", gb_say_figure(p.b, METRIC, fast, sizeof fast),
                  n == 1 ? "it" : "them");
    return compare(view, &p, place_and_addresses, text);
}

/* `series`: what the rows that one finding chooses from differ in. */
static const struct {
    const char *name;
    const char *const *series;
    bool (*say)(const gb_view *view, const gb_row *first, gb_buf *text);
} rules[] = {
    {"atomic-contention", addresses, say_contention},
    {"atomic-padding", padding_and_addresses, say_padding},
    {"atomic-shared", place_and_addresses, say_shared},
};

gb_code gb_findings_atomics(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t r = 0; r < sizeof rules / sizeof rules[0]; r++)
        for (size_t i = 0; i < view->n && code == GB_OK; i++) {
            gb_buf text = {0};
            if (begins_series(view, i, rules[r].series) &&
                rules[r].say(view, &view->rows[i], &text))
                code =
                    gb_finding_add(findings, view, &view->rows[i], rules[r].name, &text, NULL, err);
            gb_buf_free(&text);
        }
    return code;
}
