/* Findings on tiles and banks: what shared memory gains, and what it costs when it is used wrongly.
 */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

static bool is_transpose(const gb_row *row, const char *variant)
{
    return gb_row_usable(row, "transpose") && gb_row_word_is(row, "variant", variant) &&
           gb_row_value(row, "bandwidth") > 0;
}

/* The same matrix in the same benchmark, transposed in another way. */
static const gb_row *same_matrix(const gb_view *view, const gb_row *row, const char *variant)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (is_transpose(other, variant) && gb_row_param(other, "n") == gb_row_param(row, "n") &&
            gb_row_param(other, "columns") == gb_row_param(row, "columns") &&
            other->first->cache == row->first->cache && other->first->timer == row->first->timer &&
            strcmp(other->first->benchmark, row->first->benchmark) == 0) {
            return other;
        }
    }
    return NULL;
}

/* Padded tiles against element by element, for the largest square matrix that has both. */
const gb_row *gb_finding_transpose(const gb_view *view, gb_buf *text)
{
    const gb_row *padded = NULL, *naive = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!is_transpose(row, "padded") || gb_row_param(row, "columns") != 0 ||
            (padded != NULL && gb_row_param(row, "n") <= gb_row_param(padded, "n"))) {
            continue;
        }
        const gb_row *other = same_matrix(view, row, "naive");
        if (other != NULL) {
            padded = row;
            naive = other;
        }
    }
    if (padded == NULL || !gb_rows_differ(view->results, padded, naive, "bandwidth")) {
        return NULL;
    }
    char fast[96], slow[96], straight[32], factor[96];
    const double n = gb_row_param(padded, "n");
    gb_buf_printf(text,
                  "Transposing a %.0f x %.0f matrix runs at %s through padded tiles and at %s "
                  "element by element: a factor of %s",
                  n, n, gb_say_figure(padded, "bandwidth", fast, sizeof fast),
                  gb_say_figure(naive, "bandwidth", slow, sizeof slow),
                  gb_say_ratio(padded, naive, "bandwidth", 1, 2, factor, sizeof factor));
    const gb_row *copy = same_matrix(view, padded, "copy");
    if (copy != NULL && gb_row_firm(copy, "bandwidth")) {
        gb_buf_printf(
            text, " (copying it: %s)",
            gb_format_rate(gb_row_value(copy, "bandwidth"), "B/s", straight, sizeof straight));
    }
    static const char *const said[] = {"variant", "n", "columns", NULL};
    gb_finding_case(view, padded, said, text);
    gb_buf_add(text, ".");
    return padded;
}

/* The row of the kernel bank with this stride and as many blocks as `like` has (NULL: any). */
static const gb_row *at_stride(const gb_view *view, double stride, const gb_row *like)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "bank") && gb_row_number_is(row, "stride", stride) &&
            gb_row_value(row, "access_time") > 0 &&
            (like == NULL || gb_row_param(row, "blocks") == gb_row_param(like, "blocks"))) {
            return row;
        }
    }
    return NULL;
}

/* A whole warp at one bank against no conflict. A CPU has no banks. */
const gb_row *gb_finding_bank(const gb_view *view, gb_buf *text)
{
    const gb_row *worst = at_stride(view, 32, NULL);
    const gb_row *best = worst != NULL ? at_stride(view, 1, worst) : NULL;
    if (best == NULL || view->cpu || !gb_rows_differ(view->results, worst, best, "access_time")) {
        return NULL;
    }
    char slow[96], fast[96], factor[96];
    gb_buf_printf(
        text,
        "When all threads of a warp load from one bank of shared memory (stride 32) a load "
        "takes %s, from 32 banks (stride 1) %s: a factor of %s; one unused column makes "
        "the one into the other.",
        gb_say_figure(worst, "access_time", slow, sizeof slow),
        gb_say_figure(best, "access_time", fast, sizeof fast),
        gb_say_ratio(worst, best, "access_time", 1, 2, factor, sizeof factor));
    return worst;
}
