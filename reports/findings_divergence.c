/* Findings on the kernel divergence: each compares rows that differ in one word only. */
#include "reports/findings.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

typedef struct pair {
    const gb_row *with, *without; /* the effect, and its control */
    double ways;
} pair;

static bool same_but(const gb_row *a, const gb_row *b, const char *param)
{
    const char *const left_out[] = {param, NULL};
    char *key_a = gb_row_key(a, left_out), *key_b = gb_row_key(b, left_out);
    const bool same = key_a != NULL && key_b != NULL && strcmp(key_a, key_b) == 0 &&
                      a->first->timer == b->first->timer && a->first->cache == b->first->cache &&
                      strcmp(a->first->benchmark, b->first->benchmark) == 0;
    free(key_a);
    free(key_b);
    return same;
}

/* The pair with the most ways among rows of a pattern whose `param` is `effect` in one and
 * `control` in the other. */
static pair most_ways(const gb_view *view, const char *pattern, const char *param,
                      const char *effect, const char *control)
{
    pair best = {.ways = 1}; /* one way is no choice */
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *with = &view->rows[i];
        double ways = 0;
        if (!gb_row_usable(with, "divergence") || !gb_row_word_is(with, "pattern", pattern) ||
            !gb_row_word_is(with, param, effect) || !gb_row_number(with, "ways", &ways) ||
            ways <= best.ways)
            continue;
        for (size_t j = 0; j < view->n; j++) {
            const gb_row *without = &view->rows[j];
            if (gb_row_usable(without, "divergence") && gb_row_word_is(without, param, control) &&
                same_but(with, without, param))
                best = (pair){with, without, ways};
        }
    }
    return best;
}

bool gb_finding_divergence(const gb_view *view, gb_buf *text)
{
    const pair p = most_ways(view, "ways", "split", "lane", "warp");
    char slow[32], fast[32];
    if (p.with == NULL)
        return false;
    gb_buf_printf(text,
                  "%.0f code paths taken by %s cost %.2f times the same paths taken by %s "
                  "(%s against %s)%s.",
                  p.ways, view->cpu ? "neighbouring elements" : "the threads of a warp",
                  p.with->time_ns / p.without->time_ns,
                  view->cpu ? "groups of 32" : "whole warps, the control",
                  gb_format_ns(p.with->time_ns, slow, sizeof slow),
                  gb_format_ns(p.without->time_ns, fast, sizeof fast),
                  view->cpu ? ": a CPU has no warps" : "");
    return true;
}

bool gb_finding_sorted_data(const gb_view *view, gb_buf *text)
{
    const pair p = most_ways(view, "data", "order", "shuffled", "sorted");
    char slow[32], fast[32];
    if (p.with == NULL)
        return false;
    gb_buf_printf(text,
                  "Where the data chooses among %.0f paths, shuffled data takes %s and the "
                  "same data sorted %s: a factor of %.2f.",
                  p.ways, gb_format_ns(p.with->time_ns, slow, sizeof slow),
                  gb_format_ns(p.without->time_ns, fast, sizeof fast),
                  p.with->time_ns / p.without->time_ns);
    return true;
}
