/* A matrix in one or two sentences. */
#include <stdlib.h>
#include <string.h>

#include "reports/matrix/internal.h"

/* What became of a class: its kinds of devices may have a leader each. */
typedef struct counts {
    size_t ranked, shared; /* rankings of two machines or more; of those without a single leader */
    size_t *alone;         /* [n_machines]: rankings that a machine leads alone; owned */
} counts;

/* Whether a machine is among the first of a ranking of two machines or more; *shared: with others.
 */
static bool leads(const gb_matrix_class *class, size_t machine, bool price, bool *shared)
{
    const gb_cell *cell = &class->cells[machine];
    *shared = price ? cell->price_shared : cell->shared;
    return (price ? cell->price_rank : cell->rank) == 1 && (price ? cell->price_of : cell->of) > 1;
}

static gb_code count(const gb_matrix *m, bool price, counts *out)
{
    *out = (counts){.alone = calloc(m->n_machines + 1, sizeof out->alone[0])};
    for (size_t i = 0; out->alone != NULL && i < m->n_classes; i++) {
        const gb_matrix_class *class = &m->classes[i];
        for (size_t k = 0; k < m->n_machines; k++) {
            bool shared, other, counted = false;
            if (!leads(class, k, price, &shared)) {
                continue;
            }
            /* a shared lead is of one ranking, whichever of its machines comes first */
            for (size_t j = 0; shared && j < k; j++) {
                counted =
                    counted || (gb_matrix_same_kind(m, j, k) && leads(class, j, price, &other));
            }
            out->alone[k] += !shared;
            out->shared += shared && !counted;
            out->ranked += !shared || !counted;
        }
    }
    return out->alone != NULL ? GB_OK : GB_NO_MEMORY;
}

static void say(const gb_matrix *m, bool price, gb_buf *out)
{
    counts c;
    size_t said = 0;
    out->failed = count(m, price, &c) != GB_OK || out->failed;
    while (c.alone != NULL && c.ranked > 0) {
        size_t best = 0;
        for (size_t i = 1; i < m->n_machines; i++) {
            best = c.alone[i] > c.alone[best] ? i : best;
        }
        if (c.alone[best] == 0) {
            break;
        }
        char *label = gb_machine_label(&m->machines[best]);
        gb_buf_printf(out, "%s%s",
                      said > 0 ? ", "
                      : price  ? "For its price, "
                               : "",
                      label != NULL ? label : "");
        if (said++ > 0) {
            gb_buf_printf(out, " in %zu", c.alone[best]);
        } else {
            gb_buf_printf(out, " %s in %zu of %zu classes of work", price ? "gives most" : "leads",
                          c.alone[best], c.ranked);
        }
        out->failed = out->failed || label == NULL;
        free(label);
        c.alone[best] = 0;
    }
    if (c.shared > 0 && said > 0) {
        gb_buf_printf(out, "; in %zu the lead is shared", c.shared);
    } else if (c.shared > 0) {
        gb_buf_printf(out,
                      "%s in %zu of %zu classes of work the lead is shared, by figures within 2 %% "
                      "of each other or too noisy to be told apart",
                      price ? "For its price," : "No machine leads alone:", c.shared, c.ranked);
    }
    gb_buf_add(out, c.ranked > 0 ? "." : "");
    free(c.alone);
}

void gb_matrix_summary(const gb_matrix *m, gb_buf *out)
{
    size_t before = out->length;
    say(m, false, out);
    if (out->length == before) {
        gb_buf_add(out, "No class of work has figures of two machines of one kind: nothing leads.");
    }
    if (m->prices != GB_PRICE_NONE) {
        gb_buf_add(out, " ");
        say(m, true, out);
    }
}
