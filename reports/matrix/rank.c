/* Ranks, and the one score that weights ask for. */
#include <stdlib.h>
#include <string.h>

#include "base/inference.h"
#include "reports/matrix/internal.h"

const char gb_matrix_rule[] =
    "Ranks are among devices of one kind. Machines share a rank where their 95 % intervals overlap "
    "with that of the best of the rank, or where they are within 2 % of it: two sessions of the "
    "same machine can differ by as much. Without an interval (one replicate) a machine can be told "
    "from no other, and shares the rank. For a price or a watt, a time t counts as 1 / t.";

/* A machine's figure as it is ranked: higher is better. */
typedef struct entry {
    size_t machine;
    double value, low, high;
    gb_rank rank;
} entry;

static int best_first(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->value != y->value) {
        return x->value > y->value ? -1 : 1;
    }
    return x->machine < y->machine ? -1 : x->machine > y->machine;
}

/* Whether b, which is no better, cannot be told from the best of a rank. An unknown limit (NAN)
 * tells nothing apart. */
static bool tied(const entry *best, const entry *b)
{
    return !(b->high < best->low) || best->value <= b->value * (1 + GB_MATRIX_TIE);
}

/* Sorts the entries, best first, and ranks them. */
static void give_ranks(entry entries[], size_t n)
{
    qsort(entries, n, sizeof entries[0], best_first);
    for (size_t i = 0, best = 0; i < n; i++) {
        best = tied(&entries[best], &entries[i]) ? best : i;
        bool shared = best < i || (i + 1 < n && tied(&entries[best], &entries[i + 1]));
        entries[i].rank = (gb_rank){.rank = (unsigned)best + 1, .shared = shared, .of = n};
    }
}

static void rank_cells(entry entries[], size_t n, gb_cell cells[], bool price)
{
    give_ranks(entries, n);
    for (size_t i = 0; i < n; i++) {
        gb_cell *cell = &cells[entries[i].machine];
        gb_rank rank = entries[i].rank;
        if (price) {
            cell->price_rank = rank.rank;
            cell->price_shared = rank.shared;
            cell->price_of = rank.of;
        } else {
            cell->rank = rank.rank;
            cell->shared = rank.shared;
            cell->of = rank.of;
            cell->relative = n > 1 ? entries[i].value / entries[0].value : (double)NAN;
        }
    }
}

/* The interval of a performance is the value's, turned round where lower is better. */
static entry entry_of(const gb_matrix_class *class, size_t machine, bool price)
{
    const gb_cell *cell = &class->cells[machine];
    double factor = price ? cell->per_price / cell->performance : 1;
    double up = class->higher_is_better ? cell->high / cell->value : cell->value / cell->low;
    double down = class->higher_is_better ? cell->low / cell->value : cell->value / cell->high;
    return (entry){.machine = machine,
                   .value = cell->performance * factor,
                   .low = cell->performance * factor * down,
                   .high = cell->performance * factor * up};
}

static void rank_class(const gb_matrix *m, gb_matrix_class *class, entry entries[], bool price)
{
    for (size_t first = 0; first < m->n_machines; first++) {
        size_t n = 0;
        if (!gb_matrix_first_of_kind(m, first)) {
            continue;
        }
        for (size_t i = first; i < m->n_machines; i++) {
            double figure = price ? class->cells[i].per_price : class->cells[i].performance;
            if (gb_matrix_same_kind(m, first, i) && isfinite(figure)) {
                entries[n++] = entry_of(class, i, price);
            }
        }
        rank_cells(entries, n, class->cells, price);
    }
}

gb_code gb_matrix_rank(gb_matrix *m, gb_error *err)
{
    entry *entries = calloc(m->n_machines + 1, sizeof entries[0]);
    if (entries == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
    }
    for (size_t i = 0; i < m->n_classes; i++) {
        rank_class(m, &m->classes[i], entries, false);
        rank_class(m, &m->classes[i], entries, true);
    }
    free(entries);
    return GB_OK;
}

/* What a machine reaches of the best of its kind, as a weighted geometric mean: its logarithm is
 * the sum of w ln(relative) over the sum W of the weights. The best of a class is the same
 * reference for all machines, so that the variance of a score is that of the machine's own figures,
 * the sum of (w / W)^2 v, with the degrees of freedom of Welch and Satterthwaite as in cells.c. A
 * score over a part of the classes would be that of another question: with a gap there is none. */
static void score(const gb_matrix *m, size_t index, gb_buf *missing, size_t *n_missing)
{
    gb_machine *machine = &m->machines[index];
    double sum = 0, weights = 0, variance = 0, per_df = 0;
    for (size_t k = 0; k < m->n_classes; k++) {
        weights += isnan(m->classes[k].weight) ? 0 : m->classes[k].weight;
    }
    for (size_t k = 0; k < m->n_classes; k++) {
        const gb_matrix_class *class = &m->classes[k];
        const gb_cell *cell = &class->cells[index];
        if (isnan(class->weight)) {
            continue;
        }
        double share = class->weight / weights, own = share * share * cell->variance;
        sum += share * log(cell->relative);
        variance += own; /* NAN stays NAN */
        per_df += own * own / cell->df;
        if (isnan(cell->relative)) {
            gb_buf_printf(missing, "%s%s", (*n_missing)++ > 0 ? ", " : "", class->name);
        }
    }
    if (*n_missing > 0) {
        return;
    }
    machine->score = exp(sum);
    if (!isnan(variance)) {
        double df = per_df > 0 ? variance * variance / per_df : (double)INFINITY;
        double t = variance > 0 ? gb_t_quantile(0.975, df) * sqrt(variance) : 0;
        machine->score_half = expm1(t);
        machine->score_low = machine->score * exp(-t);
        machine->score_high = machine->score * exp(t);
    }
}

static gb_code rank_scores(gb_matrix *m, gb_error *err)
{
    entry *entries = calloc(m->n_machines + 1, sizeof entries[0]);
    if (entries == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
    }
    for (size_t first = 0; first < m->n_machines; first++) {
        size_t n = 0;
        for (size_t i = first; gb_matrix_first_of_kind(m, first) && i < m->n_machines; i++) {
            const gb_machine *machine = &m->machines[i];
            if (gb_matrix_same_kind(m, first, i) && isfinite(machine->score)) {
                entries[n++] = (entry){.machine = i,
                                       .value = machine->score,
                                       .low = machine->score_low,
                                       .high = machine->score_high};
            }
        }
        give_ranks(entries, n);
        for (size_t i = 0; i < n; i++) {
            m->machines[entries[i].machine].score_rank = entries[i].rank;
        }
    }
    free(entries);
    return GB_OK;
}

gb_code gb_matrix_scores(gb_matrix *m, gb_error *err)
{
    for (size_t i = 0; m->weighted && i < m->n_machines; i++) {
        gb_machine *machine = &m->machines[i];
        gb_buf missing = {0};
        size_t n = 0;
        score(m, i, &missing, &n);
        if (n > 0) {
            machine->no_score = gb_text_format("%zu weighed class%s without a value, or without "
                                               "another %s device that has one: %s",
                                               n, n == 1 ? "" : "es", machine->kind,
                                               missing.data != NULL ? missing.data : "");
        }
        gb_buf_free(&missing);
        if (n > 0 && machine->no_score == NULL) {
            return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
        }
    }
    return m->weighted ? rank_scores(m, err) : GB_OK;
}
