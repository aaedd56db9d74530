/* Which cases of a class are common, and what they come to on each machine. */
#include <stdlib.h>
#include <string.h>

#include "base/inference.h"
#include "reports/matrix/internal.h"

static gb_code no_memory(gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
}

/* Whether a machine has an ok case of the class: only such machines decide what is common. */
static bool takes_part(const gb_matrix_class *class, size_t machine)
{
    for (size_t i = 0; i < class->n_cases; i++) {
        if (class->cases[i].points[machine].ok) {
            return true;
        }
    }
    return false;
}

/* Why a case that is ok on a machine does not count there; NULL: it does. */
static char *uncommon(const gb_matrix *m, const gb_class_case *c, size_t machine, const bool part[],
                      bool *common)
{
    const gb_point *own = &c->points[machine];
    *common = true;
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_point *other = &c->points[i];
        if (i == machine || !part[i] || !gb_matrix_same_kind(m, machine, i)) {
            continue;
        }
        if (!other->ok) {
            *common = false;
            return gb_text_format("on %s: %s", m->machines[i].name,
                                  other->why != NULL ? other->why : "not ok");
        }
        if (strcmp(own->row->first->definition, other->row->first->definition) != 0) {
            *common = false;
            return gb_text_format("defined otherwise on %s", m->machines[i].name);
        }
    }
    return NULL;
}

static gb_code find_common(const gb_matrix *m, gb_matrix_class *class, const bool part[],
                           gb_error *err)
{
    for (size_t i = 0; i < class->n_cases; i++) {
        gb_class_case *c = &class->cases[i];
        for (size_t k = 0; k < m->n_machines; k++) {
            gb_point *p = &c->points[k];
            if (!p->ok) {
                continue;
            }
            p->why = uncommon(m, c, k, part, &p->common);
            if (!p->common && p->why == NULL) {
                return no_memory(err);
            }
        }
    }
    return GB_OK;
}

/* The geometric mean over k cases: exp of the mean of their mean logarithms, whose variance is the
 * sum of theirs over k^2, with the degrees of freedom of Welch and Satterthwaite
 * (https://doi.org/10.2307/3002019): (sum v)^2 / sum(v^2 / df). */
static void summarise(const gb_matrix_class *class, size_t machine, gb_cell *cell)
{
    double sum = 0, variance = 0, weighted = 0, watts = 0, k;
    for (size_t i = 0; i < class->n_cases; i++) {
        const gb_point *p = &class->cases[i].points[machine];
        if (!p->common) {
            continue;
        }
        cell->n++;
        sum += p->ln_mean;
        variance += p->variance; /* NAN stays NAN */
        weighted += p->variance * p->variance / p->df;
        watts += p->watts;
    }
    if (cell->n == 0) {
        return;
    }
    k = (double)cell->n;
    cell->value = exp(sum / k);
    cell->watts = watts / k;
    if (isnan(variance)) {
        return;
    }
    cell->variance = variance / (k * k);
    cell->df = weighted > 0 ? variance * variance / weighted : (double)INFINITY;
    double t = variance > 0 ? gb_t_quantile(0.975, cell->df) * sqrt(cell->variance) : 0;
    cell->half = expm1(t);
    cell->low = cell->value * exp(-t);
    cell->high = cell->value * exp(t);
}

/* What a reader is told where a class has no value. */
static char *gap_of(const gb_matrix *m, const gb_matrix_class *class, size_t machine, bool part)
{
    size_t declared = 0;
    const char *why = NULL;
    for (size_t i = 0; i < class->n_cases; i++) {
        const gb_point *p = &class->cases[i].points[machine];
        declared += p->declared;
        if (p->declared && why == NULL) {
            why = p->why;
        }
    }
    if (declared == 0) {
        return gb_text_format("its suite has no case of this class for a %s device in %s",
                              m->machines[machine].kind, class->unit);
    }
    return part ? gb_text_format("no case is ok and defined alike on all machines: %s",
                                 why != NULL ? why : "unknown")
                : gb_text_format("none of its %zu cases is ok: %s", declared,
                                 why != NULL ? why : "unknown");
}

static double performance_of(const gb_matrix_class *class, double value)
{
    if (class->higher_is_better) {
        return value;
    }
    return strcmp(class->unit, "ns") == 0 ? 1e9 / value : 1 / value;
}

static gb_code fill_cell(const gb_matrix *m, gb_matrix_class *class, size_t machine, bool part,
                         gb_error *err)
{
    gb_cell *cell = &class->cells[machine];
    const double none = (double)NAN;
    *cell = (gb_cell){.value = none,
                      .low = none,
                      .high = none,
                      .half = none,
                      .variance = none,
                      .df = none,
                      .performance = none,
                      .relative = none,
                      .per_price = none,
                      .watts = none,
                      .per_watt = none};
    for (size_t i = 0; i < class->n_cases; i++) {
        cell->cases += class->cases[i].points[machine].declared;
    }
    summarise(class, machine, cell);
    if (cell->n == 0) {
        cell->gap = gap_of(m, class, machine, part);
        return cell->gap != NULL ? GB_OK : no_memory(err);
    }
    const gb_price *price = &m->machines[machine].price;
    cell->performance = performance_of(class, cell->value);
    /* Eight cards answer eight times as many requests, none of them sooner. */
    cell->unscaled = price->kind != GB_PRICE_NONE && price->cards > 1 && !class->higher_is_better;
    if (price->kind != GB_PRICE_NONE && !cell->unscaled) {
        cell->per_price = cell->performance * price->cards / price->amount;
    }
    cell->per_watt = cell->performance / cell->watts;
    return GB_OK;
}

gb_code gb_matrix_cells(gb_matrix *m, gb_error *err)
{
    bool *part = calloc(m->n_machines + 1, sizeof part[0]);
    gb_code code = part != NULL ? GB_OK : no_memory(err);
    for (size_t i = 0; code == GB_OK && i < m->n_classes; i++) {
        gb_matrix_class *class = &m->classes[i];
        for (size_t k = 0; k < m->n_machines; k++) {
            part[k] = takes_part(class, k);
        }
        code = find_common(m, class, part, err);
        for (size_t k = 0; code == GB_OK && k < m->n_machines; k++) {
            code = fill_cell(m, class, k, part[k], err);
        }
    }
    free(part);
    return code;
}
