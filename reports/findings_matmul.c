/* Findings on matrix products: what tiles gain, and how far own kernels are from the vendor's BLAS.
 */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* What the sentences name themselves; m and k are 0, which stands for n. */
static const char *const said[] = {"variant", "n", "m", "k", "type", NULL};

static double rate_of(const gb_row *row)
{
    const char *unit;
    bool higher;
    return gb_row_metric(row, "flop_rate", &unit, &higher);
}

static double size_of(const gb_row *row)
{
    double n = 0;
    gb_row_number(row, "n", &n);
    return n;
}

/* A product of square matrices with a figure that may be compared. */
static bool is_product(const gb_row *row, const char *variant)
{
    return gb_row_usable(row, "matmul") && gb_row_word_is(row, "variant", variant) &&
           gb_row_number_is(row, "m", 0) && gb_row_number_is(row, "k", 0) && rate_of(row) > 0 &&
           (row->flags & GB_BIT(GB_FLAG_EMULATED)) == 0;
}

/* The same product in the same benchmark, done in another way; NULL: none. */
static const gb_row *done_by(const gb_view *view, const gb_row *row, const char *variant)
{
    static const char *const without[] = {"variant", NULL};
    const gb_row *found = NULL;
    char *key = gb_row_key(row, without);
    for (size_t i = 0; i < view->n && key != NULL && found == NULL; i++) {
        const gb_row *other = &view->rows[i];
        if (!is_product(other, variant) || other->first->cache != row->first->cache ||
            other->first->timer != row->first->timer ||
            strcmp(other->first->benchmark, row->first->benchmark) != 0) {
            continue;
        }
        char *other_key = gb_row_key(other, without);
        if (other_key != NULL && strcmp(key, other_key) == 0) {
            found = other;
        }
        free(other_key);
    }
    free(key);
    return found;
}

/* The largest product of `variant` that was done in one of the `others` too; NULL: none. */
static const gb_row *largest_with(const gb_view *view, const char *variant,
                                  const char *const others[])
{
    const gb_row *best = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!is_product(row, variant) || (best != NULL && size_of(row) <= size_of(best))) {
            continue;
        }
        for (size_t o = 0; others[o] != NULL; o++) {
            if (done_by(view, row, others[o]) != NULL) {
                best = row;
            }
        }
    }
    return best;
}

/* Tiles against three plain loops, for the largest product that has both. */
const gb_row *gb_finding_tiled_product(const gb_view *view, gb_buf *text)
{
    static const char *const naive_word[] = {"naive", NULL};
    const gb_row *tiled = largest_with(view, "tiled", naive_word);
    const gb_row *naive = tiled != NULL ? done_by(view, tiled, "naive") : NULL;
    if (naive == NULL || !gb_rows_differ(view->results, tiled, naive, "time")) {
        return NULL;
    }
    char fast[96], slow[96], factor[96];
    gb_buf_printf(
        text,
        "Multiplying %.0f x %.0f matrices (%s) takes %s through tiles in shared memory and "
        "%s without: a factor of %s",
        size_of(tiled), size_of(tiled), gb_row_word(tiled, "type"),
        gb_say_figure(tiled, "time", fast, sizeof fast),
        gb_say_figure(naive, "time", slow, sizeof slow),
        gb_say_ratio(naive, tiled, "time", 1, 2, factor, sizeof factor));
    gb_finding_case(view, tiled, said, text);
    gb_buf_add(text, ".");
    return tiled;
}

/* Percent of the vendor's rate, for the largest product that has both. */
static const gb_row *share_of_vendor(const gb_view *view, const char *const variants[],
                                     gb_buf *text)
{
    const gb_row *vendor = largest_with(view, "vendor", variants);
    char rate[96], percent[96];
    bool any = false;
    for (size_t v = 0; vendor != NULL && variants[v] != NULL; v++) {
        const gb_row *own = done_by(view, vendor, variants[v]);
        any = any || (own != NULL && gb_rows_differ(view->results, own, vendor, "flop_rate"));
    }
    if (!any) {
        return NULL;
    }
    gb_buf_printf(text, "The vendor's BLAS multiplies %.0f x %.0f matrices (%s)", size_of(vendor),
                  size_of(vendor), gb_row_word(vendor, "type"));
    gb_finding_case(view, vendor, said, text);
    gb_buf_printf(text, " at %s", gb_say_figure(vendor, "flop_rate", rate, sizeof rate));
    const char *separator = "; of that ";
    for (size_t v = 0; variants[v] != NULL; v++) {
        const gb_row *own = done_by(view, vendor, variants[v]);
        if (own != NULL && gb_rows_differ(view->results, own, vendor, "flop_rate")) {
            const int decimals = 100 * rate_of(own) / rate_of(vendor) < 9.95;
            gb_buf_printf(
                text, "%s%s reaches %s %% (%s)", separator, variants[v],
                gb_say_ratio(own, vendor, "flop_rate", 100, decimals, percent, sizeof percent),
                gb_say_figure(own, "flop_rate", rate, sizeof rate));
            separator = ", ";
        }
    }
    gb_buf_add(text, ".");
    return vendor;
}

const gb_row *gb_finding_vendor_product(const gb_view *view, gb_buf *text)
{
    static const char *const variants[] = {"register-tiled", "tiled", "naive", NULL};
    return share_of_vendor(view, variants, text);
}

const gb_row *gb_finding_tensor_product(const gb_view *view, gb_buf *text)
{
    static const char *const variants[] = {"wmma", NULL};
    return share_of_vendor(view, variants, text);
}
