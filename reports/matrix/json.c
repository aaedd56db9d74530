/* A matrix as one JSON document (docs/procurement.md has the keys). */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "reports/matrix/internal.h"

static const char *price_word(gb_price_kind kind)
{
    return kind == GB_PRICE_HOUR ? "hour" : kind == GB_PRICE_PURCHASE ? "purchase" : NULL;
}

static json_t *price_json(const gb_price *price)
{
    if (price->kind == GB_PRICE_NONE) {
        return json_null();
    }
    return json_pack("{s:f, s:s, s:I, s:b}", "amount", price->amount, "per",
                     price_word(price->kind), "cards", (json_int_t)price->cards, "scaling_assumed",
                     price->cards > 1);
}

static json_t *rank_json(unsigned rank)
{
    return rank > 0 ? json_integer((json_int_t)rank) : json_null();
}

static json_t *machine_json(const gb_matrix *m, const gb_machine *machine)
{
    const json_t *run = json_object_get(machine->results->document, "run");
    const char *id = json_string_value(json_object_get(run, "id"));
    gb_rank rank = machine->score_rank;
    json_t *verified = machine->differences < 0 ? json_null() : json_boolean(!machine->differences);
    return json_pack(
        "{s:o, s:o, s:o, s:i, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:[o, o], "
        "s:o, s:b, s:I, s:o}",
        "name", gb_json_string(machine->name), "path", gb_json_string(m->runs[machine->run].path),
        "run", gb_json_string(id), "device", machine->device, "model",
        gb_json_string(machine->model), "kind", machine->kind, "memory_bytes",
        gb_json_real(machine->memory_bytes), "tdp_w", gb_json_real(machine->tdp_w), "price",
        price_json(&machine->price), "verified", verified, "differences",
        machine->differences < 0 ? json_null() : json_integer(machine->differences), "unverified",
        gb_json_string(machine->differences < 0 ? machine->unchecked : NULL), "complete",
        !machine->incomplete, "hardware_fault", machine->fault, "score",
        gb_json_real(machine->score), "score_ci95", gb_json_real(machine->score_low),
        gb_json_real(machine->score_high), "score_rank", rank_json(rank.rank), "score_shared",
        rank.shared, "score_of", (json_int_t)rank.of, "no_score",
        gb_json_string(machine->no_score));
}

static json_t *left_out(const gb_matrix_class *class, size_t machine)
{
    json_t *array = json_array();
    for (size_t i = 0; i < class->n_cases; i++) {
        const gb_point *p = &class->cases[i].points[machine];
        if (p->declared && !p->common) {
            json_array_append_new(array, json_pack("{s:o, s:o}", "case",
                                                   gb_json_string(class->cases[i].case_id),
                                                   "reason", gb_json_string(p->why)));
        }
    }
    return array;
}

static json_t *cell_json(const gb_matrix *m, const gb_matrix_class *class, size_t machine)
{
    const gb_cell *c = &class->cells[machine];
    return json_pack(
        "{s:o, s:o, s:[o, o], s:o, s:I, s:I, s:o, s:o, s:o, s:b, s:I, s:o, s:o, s:o, s:b, s:o, "
        "s:o, s:b}",
        "machine", gb_json_string(m->machines[machine].name), "value", gb_json_real(c->value),
        "ci95", gb_json_real(c->low), gb_json_real(c->high), "df", gb_json_real(c->df), "n",
        (json_int_t)c->n, "cases", (json_int_t)c->cases, "left_out", left_out(class, machine),
        "gap", gb_json_string(c->gap), "rank", rank_json(c->rank), "shared", c->shared, "of",
        (json_int_t)c->of, "relative", gb_json_real(c->relative), "per_price",
        gb_json_real(c->per_price), "price_rank", rank_json(c->price_rank), "price_shared",
        c->price_shared, "power_w", gb_json_real(c->watts), "per_watt", gb_json_real(c->per_watt),
        "unscaled", c->unscaled);
}

static json_t *case_json(const gb_matrix *m, const gb_class_case *c)
{
    json_t *values = json_array();
    for (size_t i = 0; i < m->n_machines; i++) {
        const gb_point *p = &c->points[i];
        json_array_append_new(values,
                              json_pack("{s:o, s:o, s:I, s:b, s:o}", "machine",
                                        gb_json_string(m->machines[i].name), "value",
                                        gb_json_real(p->value), "replicates", (json_int_t)p->n,
                                        "counts", p->common, "reason", gb_json_string(p->why)));
    }
    return json_pack("{s:o, s:o, s:o}", "case", gb_json_string(c->case_id), "metric",
                     gb_json_string(c->metric), "values", values);
}

static json_t *class_json(const gb_matrix *m, const gb_matrix_class *class)
{
    json_t *cells = json_array(), *cases = json_array();
    for (size_t i = 0; i < m->n_machines; i++) {
        json_array_append_new(cells, cell_json(m, class, i));
    }
    for (size_t i = 0; i < class->n_cases; i++) {
        json_array_append_new(cases, case_json(m, &class->cases[i]));
    }
    return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "name", gb_json_string(class->name),
                     "title", gb_json_string(class->title), "unit", gb_json_string(class->unit),
                     "better", class->higher_is_better ? "higher" : "lower", "weight",
                     gb_json_real(class->weight), "cells", cells, "cases", cases);
}

gb_code gb_matrix_json(const gb_matrix *matrix, json_t **out, gb_error *err)
{
    json_t *machines = json_array(), *classes = json_array();
    for (size_t i = 0; i < matrix->n_machines; i++) {
        json_array_append_new(machines, machine_json(matrix, &matrix->machines[i]));
    }
    for (size_t i = 0; i < matrix->n_classes; i++) {
        json_array_append_new(classes, class_json(matrix, &matrix->classes[i]));
    }
    bool whole = json_array_size(machines) == matrix->n_machines &&
                 json_array_size(classes) == matrix->n_classes;
    *out = json_pack("{s:s, s:o, s:o, s:s, s:b, s:O, s:o, s:o}", "schema", "gpubench-matrix/1",
                     "prices", gb_json_string(price_word(matrix->prices)), "currency",
                     gb_json_string(matrix->currency), "rule", gb_matrix_rule, "weighted",
                     matrix->weighted, "warnings", matrix->warnings, "machines", machines,
                     "classes", classes);
    if (*out != NULL && whole) {
        return GB_OK;
    }
    json_decref(*out);
    *out = NULL;
    return gb_fail(err, GB_NO_MEMORY, "out of memory for a matrix");
}
