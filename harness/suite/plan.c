/* Suite and device kind -> cases, their order, their need and how long they may take. */
#include "suite/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/text.h"
#include "base/units.h"
#include "suite/cases.h"
#include "suite/reader.h"
#include "suite/selection.h"

/* The estimate's rule: measuring takes the budget, but a case of which the kernel states that it
 * lasts longer than its equal share takes as long as that; each case of each replicate adds its
 * warm-up and its preparation and two verifications, which pass a handful of times over its memory
 * at about 1 GB/s; each replicate adds the start of a process that opens a device. No plan takes
 * longer than the time-outs of its cases let it. */
#define START_NS UINT64_C(500000000)
#define CASE_NS UINT64_C(10000000)
#define PASSES 4

void gb_plan_free(gb_plan *plan)
{
    if (plan == NULL)
        return;
    for (size_t i = 0; i < plan->n_cases; i++) {
        free(plan->cases[i].id);
        free(plan->cases[i].args);
        free(plan->cases[i].reason);
    }
    free(plan->cases);
    free(plan);
}

typedef struct planner {
    gb_plan *plan;
    size_t capacity;
    const gb_benchmark *benchmark;
    gb_selector *selector;
    uint32_t replicates;
    bool profile;
} planner;

/* Whether the case can run: fills need, or status and reason. */
static gb_code judge(gb_case *c, gb_device_kind kind, gb_error *err)
{
    const gb_kernel_spec *spec = c->benchmark->spec;
    gb_error problem = {0};
    if ((spec->devices & GB_BIT(kind)) == 0)
        gb_fail(&problem, GB_UNAVAILABLE, "kernel '%s' does not run on %s", spec->name,
                gb_device_kind_word(kind));
    else if (spec->check != NULL)
        spec->check(c->args, kind, &c->need, &problem);
    if (problem.code == GB_OK)
        return GB_OK;
    if (problem.code != GB_UNAVAILABLE)
        return gb_fail(err, problem.code, "case %s: %s", c->id, problem.message);
    c->status = GB_UNAVAILABLE;
    c->need = (gb_need){0};
    c->reason = gb_text_copy(problem.message);
    return c->reason != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "no memory for a reason");
}

/* How long its samples last at least, by its arguments: never so long that it cannot end well. */
static gb_code state_least(const planner *p, gb_case *c, gb_error *err)
{
    const gb_benchmark *b = c->benchmark;
    char least[32], timeout[32];
    if (b->spec->least_ns == NULL || c->status != GB_OK)
        return GB_OK;
    c->least_ns = b->spec->least_ns(c->args, p->profile ? 1 : b->settings.max_samples);
    if (c->least_ns < b->settings.timeout_ns)
        return GB_OK;
    return gb_fail_at(
        err, GB_INVALID, p->plan->suite->file, b->line, b->column,
        "case %s: its samples alone take %s, and its timeout of %s ends it before: it "
        "needs a longer timeout, or less to do",
        c->id, gb_write_duration(c->least_ns, least),
        gb_write_duration(b->settings.timeout_ns, timeout));
}

static gb_code grow(planner *p, gb_error *err)
{
    if (p->plan->n_cases < p->capacity)
        return GB_OK;
    size_t capacity = p->capacity == 0 ? 64 : 2 * p->capacity;
    gb_case *cases = realloc(p->plan->cases, capacity * sizeof *cases);
    if (cases == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for %zu cases", capacity);
    p->plan->cases = cases;
    p->capacity = capacity;
    return GB_OK;
}

static gb_code add_case(void *user, const gb_value args[], gb_error *err)
{
    planner *p = user;
    const gb_benchmark *b = p->benchmark;
    size_t n = b->spec->n_params;
    char *id = gb_case_id(b, args);
    char *written = p->selector->selection->n_filters > 0 ? gb_case_id_written(b, args) : NULL;
    if (id == NULL || (written == NULL && p->selector->selection->n_filters > 0)) {
        free(id);
        return gb_fail(err, GB_NO_MEMORY, "no memory for a case id");
    }
    bool wanted = gb_selector_takes(p->selector, b, id, written);
    free(written);
    if (!wanted) {
        free(id);
        return GB_OK;
    }
    gb_code code = grow(p, err);
    gb_value *copy = calloc(n + 1, sizeof *copy);
    if (code != GB_OK || copy == NULL) {
        free(id);
        free(copy);
        return code != GB_OK ? code : gb_fail(err, GB_NO_MEMORY, "no memory for a case");
    }
    memcpy(copy, args, n * sizeof *copy);
    gb_case *c = &p->plan->cases[p->plan->n_cases++];
    *c = (gb_case){.benchmark = b, .id = id, .args = copy};
    c->replicates = p->replicates > 0 ? p->replicates : b->settings.replicates;
    if (c->replicates > p->plan->replicates)
        p->plan->replicates = c->replicates;
    c->timer = gb_spec_timer(b->spec, args, b->timer);
    if (!p->selector->selection->brief)
        gb_definition_hash(b->spec, args, c->timer, b->cache, c->timer == GB_TIMER_DEVICE,
                           c->definition);
    code = judge(c, p->plan->kind, err);
    return code == GB_OK ? state_least(p, c, err) : code;
}

static gb_code add_benchmark(planner *p, uint64_t *work, gb_error *err)
{
    const gb_benchmark *b = p->benchmark;
    gb_device_kind kind = p->plan->kind;
    uint64_t count;
    bool overflow;
    if (!gb_cases_any(b, kind))
        return GB_OK;
    gb_code code = gb_cases_count(b, kind, work, &count, &overflow, err);
    if (code != GB_OK)
        return code;
    if (overflow || count > GB_MAX_CASES)
        return gb_fail(err, GB_INVALID,
                       "benchmark '%s' has %s%" PRIu64 " cases on %s; at most %d "
                       "are allowed",
                       b->name, overflow ? "more than " : "", overflow ? UINT64_MAX : count,
                       gb_device_kind_word(kind), GB_MAX_CASES);
    return gb_cases_each(b, kind, work, add_case, p, err);
}

static int by_id(const void *a, const void *b)
{
    return strcmp((*(const gb_case *const *)a)->id, (*(const gb_case *const *)b)->id);
}

static gb_code check_unique(const gb_plan *plan, gb_error *err)
{
    const gb_case **sorted = calloc(plan->n_cases + 1, sizeof *sorted);
    if (sorted == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for %zu cases", plan->n_cases);
    for (size_t i = 0; i < plan->n_cases; i++)
        sorted[i] = &plan->cases[i];
    qsort(sorted, plan->n_cases, sizeof(const gb_case *), by_id);
    gb_code code = GB_OK;
    for (size_t i = 1; i < plan->n_cases && code == GB_OK; i++)
        if (strcmp(sorted[i - 1]->id, sorted[i]->id) == 0)
            code =
                gb_fail_at(err, GB_INVALID, plan->suite->file, sorted[i]->benchmark->line,
                           sorted[i]->benchmark->column,
                           "duplicate case id '%s' (benchmarks in lines %d and %d)", sorted[i]->id,
                           sorted[i - 1]->benchmark->line, sorted[i]->benchmark->line);
    free(sorted);
    return code;
}

gb_code gb_plan_make(const gb_suite *suite, gb_device_kind kind, const gb_selection *selection,
                     gb_plan **out, gb_error *err)
{
    *out = NULL;
    gb_selector selector = {0};
    gb_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a plan");
    plan->suite = suite;
    plan->kind = kind;
    plan->seed = selection->seed;
    plan->budget_ns = selection->budget_ns > 0 ? selection->budget_ns : suite->budget_ns;
    planner p = {.plan = plan,
                 .selector = &selector,
                 .replicates = selection->replicates,
                 .profile = selection->profile};
    uint64_t work = GB_CASES_WORK;
    gb_code code = gb_selector_open(&selector, selection, err);
    for (size_t i = 0; code == GB_OK && i < suite->n_benchmarks; i++) {
        p.benchmark = &suite->benchmarks[i];
        code = add_benchmark(&p, &work, err);
    }
    if (code == GB_OK)
        code = gb_selector_check(&selector, suite, kind, plan->n_cases, err);
    if (code == GB_OK)
        code = check_unique(plan, err);
    gb_selector_close(&selector);
    if (code != GB_OK)
        gb_plan_free(plan);
    else
        *out = plan;
    return code;
}

size_t gb_plan_order(const gb_plan *plan, uint32_t replicate, uint32_t order[])
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n_cases; i++)
        if (replicate < plan->cases[i].replicates)
            order[n++] = (uint32_t)i;
    gb_rng rng = {gb_rng_derive(plan->seed, replicate)};
    gb_rng_shuffle(&rng, order, n);
    return n;
}

static uint64_t add_saturating(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t total_need(const gb_need *need)
{
    return add_saturating(add_saturating(need->device_bytes, need->beside_bytes),
                          add_saturating(need->host_bytes, need->pinned_bytes));
}

uint64_t gb_plan_stated_ns(const gb_plan *plan)
{
    uint64_t n = 0, ns = 0;
    for (size_t i = 0; i < plan->n_cases; i++)
        n += plan->cases[i].status == GB_OK ? plan->cases[i].replicates : 0;
    const uint64_t share = n > 0 ? plan->budget_ns / n : 0;
    for (size_t i = 0; i < plan->n_cases; i++) {
        const gb_case *c = &plan->cases[i];
        for (uint32_t r = 0; c->status == GB_OK && c->least_ns > share && r < c->replicates; r++)
            ns = add_saturating(ns, c->least_ns - share);
    }
    return ns;
}

uint64_t gb_plan_estimate_ns(const gb_plan *plan)
{
    uint64_t ns = add_saturating(plan->budget_ns, plan->replicates * START_NS);
    ns = add_saturating(ns, gb_plan_stated_ns(plan));
    for (size_t i = 0; i < plan->n_cases; i++) {
        const gb_case *c = &plan->cases[i];
        if (c->status != GB_OK)
            continue;
        uint64_t bytes = total_need(&c->need);
        uint64_t passes = bytes > UINT64_MAX / PASSES ? UINT64_MAX : bytes * PASSES;
        uint64_t each = add_saturating(c->benchmark->settings.warmup_ns + CASE_NS, passes);
        for (uint32_t r = 0; r < c->replicates; r++)
            ns = add_saturating(ns, each);
    }
    const uint64_t limit = gb_plan_limit_ns(plan);
    return ns < limit ? ns : limit;
}

uint64_t gb_plan_limit_ns(const gb_plan *plan)
{
    uint64_t ns = 0;
    for (size_t i = 0; i < plan->n_cases; i++) {
        const gb_case *c = &plan->cases[i];
        for (uint32_t r = 0; c->status == GB_OK && r < c->replicates; r++)
            ns = add_saturating(ns, c->benchmark->settings.timeout_ns + START_NS);
    }
    return ns;
}

gb_need gb_plan_largest_need(const gb_plan *plan)
{
    gb_need largest = {0};
    for (size_t i = 0; i < plan->n_cases; i++)
        if (total_need(&plan->cases[i].need) > total_need(&largest))
            largest = plan->cases[i].need;
    return largest;
}
