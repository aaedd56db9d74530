/* What the verdicts on single cases come to. */
#include <stdlib.h>
#include <string.h>

#include "reports/compare/internal.h"

/* Why a row gives no figure: NULL when it does. Replicates that were never started do not count
 * against those that were. */
const gb_record *gb_row_bad(const gb_row *row)
{
    const gb_record *bad = NULL;
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        if (r->status == GB_STATUS_OK && r->verified != 0 && gb_flags_no_result(r->flags) == NULL) {
            continue;
        }
        if (r->status == GB_STATUS_NOT_RUN && row->n_ok > 0) {
            continue;
        }
        if (bad == NULL || r->status == GB_STATUS_WRONG) {
            bad = r;
        }
    }
    return bad;
}

void gb_comparison_confirm(gb_comparison *comparison, const gb_comparison *repeat)
{
    for (size_t i = 0; i < comparison->n; i++) {
        gb_compared *item = &comparison->items[i];
        const gb_compared *again = NULL;
        if (!gb_verdict_differs(item->verdict)) {
            continue;
        }
        for (size_t k = 0; repeat != NULL && k < repeat->n && again == NULL; k++) {
            bool same = repeat->items[k].a != NULL && repeat->items[k].b != NULL &&
                        strcmp(repeat->items[k].case_id, item->case_id) == 0 &&
                        repeat->items[k].b->first->device == item->b->first->device;
            again = same ? &repeat->items[k] : NULL;
        }
        item->confirmed = again != NULL && again->verdict == item->verdict;
        if (!item->confirmed) {
            const char *was = gb_verdict_word(item->verdict);
            char change[32] = "";
            if (again != NULL && isfinite(again->change)) {
                snprintf(change, sizeof change, " (%+.2f %%)", 100 * again->change);
            }
            if (again != NULL) {
                snprintf(item->reason, sizeof item->reason, "it was %s, but a repeat says %s%s",
                         was, gb_verdict_word(again->verdict), change);
            } else {
                snprintf(item->reason, sizeof item->reason,
                         "it was %s, but %s: nothing confirms it", was,
                         repeat != NULL ? "the repeat has no figure of it"
                                        : "the repeat came to nothing");
            }
            item->verdict = GB_VERDICT_INCONCLUSIVE;
            item->next[0] = '\0';
        }
    }
    gb_comparison_count(comparison);
}

bool gb_comparison_regressed(const gb_comparison *comparison)
{
    size_t n = comparison->counts[GB_VERDICT_SLOWER];
    if (comparison->options.both_directions) {
        n += comparison->counts[GB_VERDICT_FASTER];
    }
    return n > 0 && !comparison->other_unit;
}

/* What neither side can do is no loss and no open question. */
static bool both_skipped(const gb_compared *item)
{
    return item->a->status == GB_STATUS_SKIPPED && item->b->status == GB_STATUS_SKIPPED;
}

/* What was no figure before cannot get worse by being none: measured, but no result. */
static bool both_no_result(const gb_compared *item)
{
    const gb_record *a = gb_row_bad(item->a), *b = gb_row_bad(item->b);
    return a != NULL && b != NULL && a->status == GB_STATUS_OK && b->status == GB_STATUS_OK &&
           a->verified != 0 && b->verified != 0;
}

bool gb_comparison_incomplete(const gb_comparison *comparison, const gb_compare_options *options)
{
    for (size_t i = 0; i < comparison->n; i++) {
        const gb_compared *item = &comparison->items[i];
        if (item->verdict == GB_VERDICT_ONLY_BASELINE && !options->allow_missing) {
            return true;
        }
        /* No figure in the new run: it failed, or its values are none. What was never a figure
         * cannot get worse by being one. */
        if (item->verdict == GB_VERDICT_NOT_COMPARED && !both_skipped(item) &&
            !both_no_result(item) && (gb_row_bad(item->b) != NULL || item->no_value)) {
            return true;
        }
    }
    return false;
}

size_t gb_comparison_undecided(const gb_comparison *comparison)
{
    static const gb_verdict open[] = {GB_VERDICT_INCONCLUSIVE,   GB_VERDICT_SUSPECT_SLOWER,
                                      GB_VERDICT_SUSPECT_FASTER, GB_VERDICT_UNSTABLE,
                                      GB_VERDICT_INSUFFICIENT,   GB_VERDICT_DEFINITION};
    size_t n = 0;
    for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
        n += comparison->counts[open[i]];
    }
    for (size_t i = 0; i < comparison->n; i++) {
        const gb_compared *item = &comparison->items[i];
        n += item->verdict == GB_VERDICT_NOT_COMPARED && !both_skipped(item);
    }
    return n;
}

bool gb_comparison_decided(const gb_comparison *comparison)
{
    return gb_comparison_undecided(comparison) == 0;
}

/* Worst first. */
static unsigned rank_of(gb_verdict verdict)
{
    static const gb_verdict order[] = {
        GB_VERDICT_SLOWER,        GB_VERDICT_SUSPECT_SLOWER, GB_VERDICT_NOT_COMPARED,
        GB_VERDICT_ONLY_BASELINE, GB_VERDICT_DEFINITION,     GB_VERDICT_UNSTABLE,
        GB_VERDICT_INCONCLUSIVE,  GB_VERDICT_INSUFFICIENT,   GB_VERDICT_SUSPECT_FASTER,
        GB_VERDICT_FASTER,        GB_VERDICT_ONLY_NEW,       GB_VERDICT_RATIO,
        GB_VERDICT_SAME};
    unsigned i = 0;
    while (i + 1 < sizeof order / sizeof order[0] && order[i] != verdict) {
        i++;
    }
    return i;
}

typedef struct place {
    size_t at;
    unsigned rank;
    double gain; /* of the change towards the better; NAN last */
} place;

static int worst_first(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->rank != y->rank) {
        return x->rank < y->rank ? -1 : 1;
    }
    if (x->gain != y->gain && !(isnan(x->gain) && isnan(y->gain))) {
        return isnan(y->gain) || x->gain < y->gain ? -1 : 1;
    }
    return x->at < y->at ? -1 : x->at > y->at;
}

size_t *gb_comparison_order(const gb_comparison *comparison)
{
    place *places = calloc(comparison->n + 1, sizeof places[0]);
    size_t *order = calloc(comparison->n + 1, sizeof order[0]);
    for (size_t i = 0; places != NULL && i < comparison->n; i++) {
        const gb_compared *item = &comparison->items[i];
        double log_ratio = log1p(item->change);
        places[i] =
            (place){i, rank_of(item->verdict), item->higher_is_better ? log_ratio : -log_ratio};
    }
    if (places != NULL && order != NULL) {
        qsort(places, comparison->n, sizeof places[0], worst_first);
        for (size_t i = 0; i < comparison->n; i++) {
            order[i] = places[i].at;
        }
        free(places);
        return order;
    }
    free(places);
    free(order);
    return NULL;
}
