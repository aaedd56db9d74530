/* Findings on vector search, on softmax and layer norm, and on lookups: what sharing one reading of
 * the database gains, what passes over memory cost, and what short rows from anywhere do. */
#include "reports/findings.h"
#include "reports/findings_say.h"
#include "reports/roofs.h"

#include "base/units.h"

/* The row of the kernel that differs from this one in `param`, where `is` says what it has there;
 * NULL: none. */
static const gb_row *partner(const gb_view *view, const gb_row *row, const char *kernel,
                             const char *param, const char *word, double number)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (gb_row_usable(other, kernel) &&
            (word != NULL ? gb_row_word_is(other, param, word)
                          : gb_row_number_is(other, param, number)) &&
            gb_rows_same_but(row, other, param)) {
            return other;
        }
    }
    return NULL;
}

/* The most queries at once against one, of the largest database that has both. */
const gb_row *gb_finding_search_batch(const gb_view *view, gb_buf *text)
{
    static const char *const said[] = {"queries", "vectors", "dimensions", "k", NULL};
    const gb_row *many = NULL, *one = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!gb_row_usable(row, "search") || !(gb_row_param(row, "queries") >= 2) ||
            (many != NULL && gb_row_param(row, "queries") <= gb_row_param(many, "queries"))) {
            continue;
        }
        const gb_row *single = partner(view, row, "search", "queries", NULL, 1);
        if (single != NULL) {
            many = row;
            one = single;
        }
    }
    if (many == NULL || !gb_rows_differ(view->results, many, one, "query_rate") ||
        gb_row_value(many, "query_rate") <= gb_row_value(one, "query_rate")) {
        return NULL;
    }
    char slow[96], fast[96], read[96], factor[96];
    gb_buf_printf(
        text,
        "A search for the best %.0f of %.0f vectors (%.0f dimensions) answers %s one query "
        "at a time, which passes over the database at %s, and %s with %.0f queries at "
        "once: a factor of %s, as they share one reading",
        gb_row_param(many, "k"), gb_row_param(many, "vectors"), gb_row_param(many, "dimensions"),
        gb_say_figure(one, "query_rate", slow, sizeof slow),
        gb_say_figure(one, "bandwidth", read, sizeof read),
        gb_say_figure(many, "query_rate", fast, sizeof fast), gb_row_param(many, "queries"),
        gb_say_ratio(many, one, "query_rate", 1, 2, factor, sizeof factor));
    gb_finding_case(view, many, said, text);
    gb_buf_add(text, ".");
    return many;
}

/* One launch against three, for the largest matrix that has both. */
static const gb_row *fused_against_separate(const gb_view *view, const char *op, const char *title,
                                            gb_buf *text)
{
    static const char *const said[] = {"op", "variant", "rows", "columns", NULL};
    const gb_row *fused = NULL, *separate = NULL;
    double most = 0;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        const double size = gb_row_param(row, "rows") * gb_row_param(row, "columns");
        if (!gb_row_usable(row, "rows") || !gb_row_word_is(row, "op", op) ||
            !gb_row_word_is(row, "variant", "fused") || !(size > most)) {
            continue;
        }
        const gb_row *other = partner(view, row, "rows", "variant", "separate", 0);
        if (other != NULL) {
            fused = row;
            separate = other;
            most = size;
        }
    }
    if (fused == NULL || !gb_rows_differ(view->results, fused, separate, "time")) {
        return NULL;
    }
    char fast[96], slow[96], factor[96];
    gb_buf_printf(text,
                  "%s of a %.0f x %.0f matrix takes %s in one launch that reads it once, and %s in "
                  "three: a factor of %s",
                  title, gb_row_param(fused, "rows"), gb_row_param(fused, "columns"),
                  gb_say_figure(fused, "time", fast, sizeof fast),
                  gb_say_figure(separate, "time", slow, sizeof slow),
                  gb_say_ratio(separate, fused, "time", 1, 2, factor, sizeof factor));
    gb_finding_case(view, fused, said, text);
    gb_buf_add(text, ".");
    return fused;
}

gb_code gb_findings_rows(const gb_view *view, json_t *findings, gb_error *err)
{
    static const struct {
        const char *op, *title;
    } ops[] = {{"softmax", "Softmax"}, {"layernorm", "Layer norm"}};
    gb_code code = GB_OK;
    for (size_t i = 0; i < sizeof ops / sizeof ops[0] && code == GB_OK; i++) {
        gb_buf text = {0};
        const gb_row *about = fused_against_separate(view, ops[i].op, ops[i].title, &text);
        if (about != NULL) {
            code = gb_finding_add(findings, view, about, "fused-rows", &text, NULL, err);
        }
        gb_buf_free(&text);
    }
    return code;
}

/* The same rows looked up in order, from memory too: NULL where the last cache may have served
 * them, whose speed says nothing of memory's. */
static const gb_row *in_order(const gb_view *view, const gb_row *row, const gb_roofs *roofs)
{
    const gb_row *straight = partner(view, row, "embedding", "order", "sequential", 0);
    return straight != NULL && gb_row_cached(straight, roofs) ? NULL : straight;
}

/* Lookups at random of the shortest (sign 1) or the longest rows (-1) that were looked up in order
 * too. */
static const gb_row *random_lookups(const gb_view *view, const gb_roofs *roofs, double sign)
{
    const gb_row *best = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "embedding") && gb_row_word_is(row, "order", "random") &&
            gb_row_param(row, "width") > 0 && !gb_row_cached(row, roofs) &&
            (best == NULL ||
             sign * gb_row_param(row, "width") < sign * gb_row_param(best, "width")) &&
            in_order(view, row, roofs) != NULL) {
            best = row;
        }
    }
    return best;
}

/* Rows of 4-byte elements from anywhere against the same in order, short ones and long ones. */
const gb_row *gb_finding_gathered_rows(const gb_view *view, gb_buf *text)
{
    static const char *const said[] = {"order", "width", NULL};
    gb_roofs roofs;
    gb_roofs_find(view->results, view->rows, view->n, view->device, GB_COMPUTE_NONE, &roofs);
    const gb_row *scattered = random_lookups(view, &roofs, 1);
    const gb_row *wide = random_lookups(view, &roofs, -1);
    if (scattered == NULL) {
        return NULL;
    }
    const gb_row *straight = in_order(view, scattered, &roofs);
    if (!gb_rows_differ(view->results, scattered, straight, "bandwidth")) {
        return NULL;
    }
    char bytes[32], slow[96], fast[96], factor[96];
    gb_buf_printf(
        text,
        "Rows of %s looked up at random come at %s, one after the other at %s: a factor of %s",
        gb_format_bytes((uint64_t)(4 * gb_row_param(scattered, "width")), bytes, sizeof bytes),
        gb_say_figure(scattered, "bandwidth", slow, sizeof slow),
        gb_say_figure(straight, "bandwidth", fast, sizeof fast),
        gb_say_ratio(straight, scattered, "bandwidth", 1, 2, factor, sizeof factor));
    straight = in_order(view, wide, &roofs);
    const gb_contrast contrast = wide == scattered
                                     ? GB_CONTRAST_UNKNOWN
                                     : gb_rows_contrast(view->results, wide, straight, "bandwidth");
    gb_format_bytes((uint64_t)(4 * gb_row_param(wide, "width")), bytes, sizeof bytes);
    if (contrast == GB_CONTRAST_DIFFERENT) {
        gb_buf_printf(text, "; rows of %s at %s against %s, a factor of %s", bytes,
                      gb_say_figure(wide, "bandwidth", slow, sizeof slow),
                      gb_say_figure(straight, "bandwidth", fast, sizeof fast),
                      gb_say_ratio(straight, wide, "bandwidth", 1, 2, factor, sizeof factor));
    } else if (contrast == GB_CONTRAST_SAME) {
        gb_buf_printf(text, "; with rows of %s the order makes no difference", bytes);
    }
    gb_finding_case(view, scattered, said, text);
    gb_buf_add(text, ".");
    return scattered;
}
