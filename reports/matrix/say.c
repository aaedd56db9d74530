/* What a matrix comes to, in sentences: who leads, what was left out, what is to be doubted. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/matrix/internal.h"

void gb_notes_add(gb_notes *notes, gb_buf *text)
{
    if (notes->n == notes->capacity && !notes->failed) {
        size_t capacity = notes->capacity == 0 ? 8 : 2 * notes->capacity;
        char **grown = realloc(notes->items, capacity * sizeof grown[0]);
        notes->failed = grown == NULL;
        notes->items = grown != NULL ? grown : notes->items;
        notes->capacity = grown != NULL ? capacity : notes->capacity;
    }
    char *safe = text->failed || text->data == NULL ? NULL : gb_text_printable(text->data);
    gb_buf_free(text);
    if (safe == NULL || notes->failed) {
        notes->failed = true;
        free(safe);
        return;
    }
    notes->items[notes->n++] = safe;
}

void gb_notes_free(gb_notes *notes)
{
    for (size_t i = 0; i < notes->n; i++) {
        free(notes->items[i]);
    }
    free(notes->items);
    *notes = (gb_notes){0};
}

static void add_label(const gb_machine *machine, gb_buf *out)
{
    char *label = gb_machine_label(machine);
    gb_buf_add(out, label != NULL ? label : "");
    out->failed = out->failed || label == NULL;
    free(label);
}

/* ---- who leads ---- */

/* A ranking of the machines of one kind, by what a class gives or gives for its price. */
typedef struct ranking {
    const gb_matrix *m;
    const gb_matrix_class *class;
    const char *kind;
    bool price;
} ranking;

static double figure(const ranking *r, size_t machine)
{
    const gb_cell *cell = &r->class->cells[machine];
    return r->price ? cell->per_price : cell->performance;
}

static unsigned rank(const ranking *r, size_t machine)
{
    const gb_cell *cell = &r->class->cells[machine];
    return strcmp(r->m->machines[machine].kind, r->kind) != 0 ? 0
           : r->price                                         ? cell->price_rank
                                                              : cell->rank;
}

/* The best machine whose rank is above `after`; n_machines: none. */
static size_t best_after(const ranking *r, unsigned after)
{
    size_t best = r->m->n_machines;
    for (size_t i = 0; i < r->m->n_machines; i++) {
        if (rank(r, i) > after &&
            (best == r->m->n_machines || rank(r, i) < rank(r, best) ||
             (rank(r, i) == rank(r, best) && figure(r, i) > figure(r, best)))) {
            best = i;
        }
    }
    return best;
}

static void add_figure(const ranking *r, size_t machine, gb_buf *out)
{
    char text[64];
    const gb_cell *cell = &r->class->cells[machine];
    if (!r->price) {
        gb_buf_add(out, gb_matrix_value(r->class, cell->value, text, sizeof text));
        return;
    }
    gb_buf_printf(out, "%s per ",
                  gb_matrix_performance(r->class, cell->per_price, text, sizeof text));
    gb_matrix_currency(r->m, out);
    gb_buf_add(out, r->m->machines[machine].price.cards > 1 ? ", scaling assumed" : "");
}

/* "a and b", and how many they are. */
static size_t add_leaders(const ranking *r, gb_buf *out)
{
    size_t n = 0, all = 0;
    for (size_t i = 0; i < r->m->n_machines; i++) {
        all += rank(r, i) == 1;
    }
    for (size_t i = 0; i < r->m->n_machines; i++) {
        if (rank(r, i) == 1) {
            gb_buf_add(out, n == 0 ? "" : n + 1 < all ? ", " : " and ");
            add_label(&r->m->machines[i], out);
            gb_buf_add(out, " (");
            add_figure(r, i, out);
            gb_buf_add(out, ")");
            n++;
        }
    }
    return n;
}

/* "a (25 GB/s) leads: 1.3 times as fast as b (20 GB/s)". */
static void say_ranking(const ranking *r, bool several_kinds, gb_notes *notes)
{
    gb_buf out = {0};
    size_t first = best_after(r, 0), others = 0;
    if (first == r->m->n_machines) {
        return;
    }
    for (size_t i = 0; i < r->m->n_machines; i++) {
        others += rank(r, i) > 0;
    }
    gb_buf_printf(&out, "%s%s: ", r->class->name, r->price ? " for its price" : "");
    size_t leaders = add_leaders(r, &out), next = best_after(r, 1);
    if (others == 1) {
        gb_buf_printf(&out, " is the only %s device with a figure", r->kind);
    } else if (leaders > 1) {
        gb_buf_printf(&out, " share the first rank%s", leaders == others ? "" : ", ahead of ");
    } else {
        gb_buf_printf(&out, " %s, %.2f times as %s as ", r->price ? "gives most" : "leads",
                      figure(r, first) / figure(r, next),
                      r->price || r->class->higher_is_better ? "much" : "fast");
    }
    if (others > 1 && next < r->m->n_machines) {
        add_label(&r->m->machines[next], &out);
        gb_buf_add(&out, " (");
        add_figure(r, next, &out);
        gb_buf_add(&out, ")");
    }
    if (several_kinds && others > 1) {
        gb_buf_printf(&out, ", among %s devices", r->kind);
    }
    gb_notes_add(notes, &out);
}

void gb_matrix_leaders(const gb_matrix *m, const gb_matrix_class *class, gb_notes *out)
{
    bool several = false;
    for (size_t i = 1; i < m->n_machines; i++) {
        several = several || !gb_matrix_same_kind(m, 0, i);
    }
    size_t before = out->n;
    for (size_t i = 0; i < m->n_machines; i++) {
        ranking r = {.m = m, .class = class, .kind = m->machines[i].kind};
        if (gb_matrix_first_of_kind(m, i)) {
            say_ranking(&r, several, out);
            r.price = true;
            say_ranking(&r, several, out);
        }
    }
    if (out->n == before) {
        gb_buf text = {0};
        gb_buf_printf(&text, "%s: no machine has a figure", class->name);
        gb_notes_add(out, &text);
    }
}

/* The machine of a kind with the best score whose rank is `rank` or behind it; n_machines: none. */
static size_t best_score(const gb_matrix *m, const char *kind, unsigned rank)
{
    size_t best = m->n_machines;
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_machine *machine = &m->machines[i];
        if (strcmp(machine->kind, kind) == 0 && machine->score_rank.rank >= rank &&
            (best == m->n_machines || machine->score > m->machines[best].score)) {
            best = i;
        }
    }
    return best;
}

/* Who leads by the score, among the machines of each kind; "" where fewer than two have one. */
static void add_score_leaders(const gb_matrix *m, gb_buf *out)
{
    for (size_t k = 0; k < m->n_machines; k++) {
        const char *kind = m->machines[k].kind;
        size_t best = best_score(m, kind, 1), behind = best_score(m, kind, 2), n = 0;
        if (!gb_matrix_first_of_kind(m, k) || best == m->n_machines ||
            m->machines[best].score_rank.of < 2) {
            continue;
        }
        for (size_t i = 0; i < m->n_machines; i++) {
            if (strcmp(m->machines[i].kind, kind) == 0 && m->machines[i].score_rank.rank == 1) {
                gb_buf_add(out, n++ > 0 ? ", " : " By the score, ");
                add_label(&m->machines[i], out);
            }
        }
        if (n > 1) {
            gb_buf_add(out, " cannot be told apart: their intervals overlap, or they are within "
                            "2 %; they share the first rank");
        } else {
            gb_buf_printf(out, " leads, %.2f times as good as ",
                          m->machines[best].score / m->machines[behind].score);
        }
        if (behind < m->n_machines) {
            gb_buf_add(out, n > 1 ? ", ahead of " : "");
            add_label(&m->machines[behind], out);
        }
        gb_buf_add(out, ".");
    }
}

void gb_matrix_lead(const gb_matrix *m, const gb_matrix_class *class, bool price, gb_buf *out)
{
    for (size_t i = 0; i < m->n_machines; i++) {
        ranking r = {.m = m, .class = class, .kind = m->machines[i].kind, .price = price};
        size_t others = 0, n = 0;
        for (size_t k = 0; k < m->n_machines; k++) {
            others += rank(&r, k) > 0;
        }
        if (!gb_matrix_first_of_kind(m, i) || others < 2) {
            continue;
        }
        gb_buf_add(out, out->length > 0 ? "; " : "");
        for (size_t k = 0; k < m->n_machines; k++) {
            if (rank(&r, k) == 1) {
                gb_buf_add(out, n++ > 0 ? ", " : "");
                add_label(&m->machines[k], out);
            }
        }
        size_t first = best_after(&r, 0), next = best_after(&r, 1);
        if (n > 1) {
            gb_buf_add(out, " share");
        } else {
            gb_buf_printf(out, ": %.2fx ", figure(&r, first) / figure(&r, next));
            add_label(&m->machines[next], out);
        }
    }
}

/* ---- what was left out ---- */

/* Reasons of a cell, each once with how many cases it is of and the first of them. */
static void add_reasons(const gb_matrix_class *class, size_t machine, gb_buf *out)
{
    size_t shown = 0;
    for (size_t i = 0; i < class->n_cases; i++) {
        const gb_point *p = &class->cases[i].points[machine];
        size_t same = 0, earlier = 0;
        if (!p->declared || p->common || p->why == NULL) {
            continue;
        }
        for (size_t k = 0; k < class->n_cases; k++) {
            const gb_point *q = &class->cases[k].points[machine];
            bool equal = q->declared && !q->common && q->why != NULL && strcmp(q->why, p->why) == 0;
            same += equal;
            earlier += equal && k < i;
        }
        if (earlier > 0) {
            continue;
        }
        gb_buf_printf(out, "%s%s", shown++ > 0 ? "; " : "", class->cases[i].case_id);
        if (same > 1) {
            gb_buf_printf(out, " and %zu more", same - 1);
        }
        gb_buf_printf(out, ": %s", p->why);
    }
}

void gb_matrix_left_out(const gb_matrix *m, gb_notes *out)
{
    for (size_t i = 0; i < m->n_classes; i++) {
        const gb_matrix_class *class = &m->classes[i];
        for (size_t k = 0; k < m->n_machines; k++) {
            const gb_cell *cell = &class->cells[k];
            gb_buf text = {0};
            if (cell->gap == NULL && cell->n == cell->cases) {
                continue;
            }
            gb_buf_printf(&text, "%s, ", class->name);
            add_label(&m->machines[k], &text);
            if (cell->gap != NULL) {
                gb_buf_printf(&text, ": no figure: %s", cell->gap);
            } else {
                gb_buf_printf(&text,
                              ": the figure is over %zu of %zu cases, %zu excluded: ", cell->n,
                              cell->cases, cell->cases - cell->n);
                add_reasons(class, k, &text);
            }
            gb_notes_add(out, &text);
        }
    }
    for (size_t k = 0; k < m->n_machines; k++) {
        if (m->machines[k].no_score != NULL) {
            gb_buf text = {0};
            gb_buf_add(&text, "score, ");
            add_label(&m->machines[k], &text);
            gb_buf_printf(&text, ": withheld: %s", m->machines[k].no_score);
            gb_notes_add(out, &text);
        }
    }
}

/* ---- doubts ---- */

/* Counted cases with a flag that a buyer should know of. */
static void add_flags(const gb_matrix *m, size_t machine, gb_buf *out)
{
    static const gb_flag flags[] = {GB_FLAG_THROTTLED, GB_FLAG_NOT_CONVERGED, GB_FLAG_DRIFT,
                                    GB_FLAG_BIMODAL, GB_FLAG_BELOW_RESOLUTION};
    for (size_t f = 0; f < sizeof flags / sizeof flags[0]; f++) {
        size_t with = 0, all = 0;
        for (size_t i = 0; i < m->n_classes; i++) {
            for (size_t k = 0; k < m->classes[i].n_cases; k++) {
                const gb_point *p = &m->classes[i].cases[k].points[machine];
                all += p->common;
                with += p->common && (p->row->flags & GB_BIT(flags[f]));
            }
        }
        if (with > 0) {
            gb_buf_printf(out, "%zu of its %zu cases that count %s flagged %s (%s). ", with, all,
                          with == 1 ? "is" : "are", gb_flag_word(flags[f]),
                          gb_flag_meaning(flags[f]));
        }
    }
}

/* Classes whose figure has no interval. */
static void add_unknown(const gb_matrix *m, size_t machine, gb_buf *out)
{
    size_t without = 0, all = 0;
    for (size_t i = 0; i < m->n_classes; i++) {
        const gb_cell *cell = &m->classes[i].cells[machine];
        all += isfinite(cell->value);
        without += isfinite(cell->value) && !isfinite(cell->half);
    }
    if (without > 0) {
        gb_buf_printf(out,
                      "%zu of its %zu figures %s no interval, for want of replicates: there it "
                      "shares the rank of those that it cannot be told from. ",
                      without, all, without == 1 ? "has" : "have");
    }
}

void gb_matrix_doubts(const gb_matrix *m, gb_notes *out)
{
    for (size_t i = 0; i < m->n_machines; i++) {
        gb_buf text = {0}, what = {0};
        gb_machine_doubts(&m->machines[i], &what);
        add_flags(m, i, &what);
        add_unknown(m, i, &what);
        if (m->machines[i].price.cards > 1) {
            gb_buf_printf(&what,
                          "Its price is for %u cards: what one card did was multiplied by %u, "
                          "scaling assumed, not measured; times were not, which more cards do not "
                          "shorten: those classes have no figure for its price. ",
                          (unsigned)m->machines[i].price.cards,
                          (unsigned)m->machines[i].price.cards);
        }
        if (what.length > 0) {
            what.data[--what.length] = '\0'; /* the blank behind the last sentence */
            add_label(&m->machines[i], &text);
            gb_buf_printf(&text, ": %s", what.data);
            text.failed = text.failed || what.failed;
            gb_notes_add(out, &text);
        }
        gb_buf_free(&what);
    }
}

void gb_matrix_weights(const gb_matrix *m, gb_buf *out)
{
    double sum = 0;
    const char *separator = "";
    char text[40];
    for (size_t i = 0; i < m->n_classes; i++) {
        sum += isnan(m->classes[i].weight) ? 0 : m->classes[i].weight;
    }
    if (!m->weighted) {
        return;
    }
    gb_buf_add(out, "The score is the geometric mean, by these weights, of what a machine reaches "
                    "of the best of its kind: ");
    for (size_t i = 0; i < m->n_classes; i++) {
        const gb_matrix_class *class = &m->classes[i];
        if (!isnan(class->weight)) {
            gb_buf_printf(out, "%s%s %s (%.1f %%)", separator, class->name,
                          gb_print_double(class->weight, text, sizeof text),
                          100 * class->weight / sum);
            separator = ", ";
        }
    }
    for (size_t i = 0; i < m->n_classes; i++) {
        if (isnan(m->classes[i].weight)) {
            gb_buf_printf(out, "%s%s", separator, m->classes[i].name);
            gb_buf_add(out, " 0");
        }
    }
    gb_buf_add(out, ". +- is the 95 % interval that those of its classes make.");
    add_score_leaders(m, out);
}
