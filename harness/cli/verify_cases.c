/* `gpubench verify`: records against the plan: which there must be, with which arguments, in which
 * order. */
#include <stdlib.h>
#include <string.h>

#include "cli/verify.h"

/* A plan's cases by id and, for each replicate, their places in its order. */
typedef struct expected {
    const gb_plan *plan;
    json_t *index;    /* id -> place */
    uint32_t *places; /* [replicate * n_cases + case]: in the order; UINT32_MAX: not part of it */
    bool *seen;       /* the same, for one device */
} expected;

static bool expect_plan(const gb_plan *plan, expected *out)
{
    size_t n = plan->n_cases, all = n * plan->replicates;
    uint32_t *order = calloc(n + 1, sizeof *order);
    *out = (expected){.plan = plan,
                      .index = json_object(),
                      .places = calloc(all + 1, sizeof *out->places),
                      .seen = calloc(all + 1, sizeof *out->seen)};
    bool good = order && out->index && out->places && out->seen;
    for (size_t i = 0; good && i < n; i++)
        good = !json_object_set_new(out->index, plan->cases[i].id, json_integer((json_int_t)i));
    for (size_t i = 0; good && i < all; i++)
        out->places[i] = UINT32_MAX;
    for (uint32_t r = 0; good && r < plan->replicates; r++) {
        size_t count = gb_plan_order(plan, r, order);
        for (size_t i = 0; i < count; i++)
            out->places[r * n + order[i]] = (uint32_t)i;
    }
    free(order);
    return good;
}

static void expected_free(expected *e)
{
    json_decref(e->index);
    free(e->places);
    free(e->seen);
}

/* Everything that the suite says about a record of its. */
static void check_against_case(gb_verification *v, const gb_record *r, const gb_case *c,
                               size_t index, uint32_t order)
{
    const gb_benchmark *b = c->benchmark;
    json_t *params = gb_args_json(b->spec, c->args);
    if (!params || !gb_verify_same(params, r->params))
        gb_verify_record_differs(v, r, "params are not those of the case in the suite");
    json_decref(params);
    if (strcmp(r->benchmark, b->name) != 0)
        gb_verify_record_differs(v, r, "the suite has this case under another benchmark");
    if (strcmp(r->kernel, b->spec->name) != 0)
        gb_verify_record_differs(v, r, "the suite has this case with another kernel");
    if (r->timer != c->timer || r->cache != b->cache)
        gb_verify_record_differs(v, r, "timer or cache are not those of the suite");
    if (r->index != index)
        gb_verify_record_differs(v, r, "index is not the place of the case in the suite");
    if (r->order != order)
        gb_verify_record_differs(v, r, "order is not the place that the seed gives");
    if (r->status == GB_STATUS_SKIPPED && c->status == GB_OK && r->reason_code &&
        strcmp(r->reason_code, gb_code_word(GB_UNAVAILABLE)) == 0 && r->time.n > 0)
        gb_verify_record_differs(v, r, "skipped, but it has samples");
    if (r->status == GB_STATUS_OK && c->status != GB_OK)
        gb_verify_record_differs(v, r, "ok, but this kind of device cannot run it");
    if (r->time.n > b->settings.max_samples)
        gb_verify_record_differs(v, r, "more samples than the suite allows");
}

static void check_record(gb_verification *v, const gb_record *r, expected *e)
{
    const json_t *place = json_object_get(e->index, r->case_id);
    if (!place) {
        gb_verify_record_differs(v, r, "the suite and the settings of the run have no such case");
        return;
    }
    size_t index = (size_t)json_integer_value(place);
    const gb_case *c = &e->plan->cases[index];
    if (r->replicate >= c->replicates) {
        gb_verify_record_differs(v, r, "the run has no such replicate");
        return;
    }
    size_t at = (size_t)r->replicate * e->plan->n_cases + index;
    e->seen[at] = true;
    check_against_case(v, r, c, index, e->places[at]);
}

static void check_device(gb_verification *v, int device, expected *e)
{
    const gb_results *results = v->results;
    for (size_t i = 0; i < results->n; i++)
        if (results->records[i].device == device)
            check_record(v, &results->records[i], e);
    size_t missing = 0, n = e->plan->n_cases;
    const char *first = "";
    for (size_t i = n * e->plan->replicates; i-- > 0;) {
        if (e->places[i] != UINT32_MAX && !e->seen[i]) {
            first = e->plan->cases[i % n].id;
            missing++;
        }
    }
    if (missing > 0 && results->complete)
        gb_verify_differs(v, "results.json", "device %d: %zu record%s missing, the first of %s",
                          device, missing, missing == 1 ? "" : "s", first);
}

gb_code gb_verify_cases(gb_verification *v, gb_error *err)
{
    const json_t *devices = json_object_get(v->results->document, "devices");
    for (size_t i = 0; i < v->results->n; i++)
        if (v->results->records[i].device < 0 ||
            (size_t)v->results->records[i].device >= json_array_size(devices))
            gb_verify_record_differs(v, &v->results->records[i], "there is no such device");
    for (size_t i = 0; i < json_array_size(devices); i++) {
        gb_device_kind kind;
        expected e;
        const char *word = json_string_value(json_object_get(json_array_get(devices, i), "kind"));
        if (!word || !gb_device_kind_parse(word, &kind) || !v->plans[kind]) {
            gb_verify_differs(v, "results.json",
                              "device %zu is of a kind that the run has no case for", i);
            continue;
        }
        bool good = expect_plan(v->plans[kind], &e);
        if (good)
            check_device(v, (int)i, &e);
        expected_free(&e);
        if (!good)
            return gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    return GB_OK;
}
