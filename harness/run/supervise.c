/* The main loop of a run: replicate by replicate, worker by worker. */
#include "run/supervise.h"

#include <stdlib.h>
#include <string.h>

#include "run/supervise_parts.h"

#define BAD_STARTS 3
#define BAD_WORKERS 8

int gb_plan_run_interrupts(const gb_plan_run *r)
{
    return r->how->interrupted ? *r->how->interrupted : 0;
}

void gb_plan_run_note(gb_plan_run *r, const char *text)
{
    if (r->how->observer.note)
        r->how->observer.note(r->how->observer.user, text);
}

void gb_plan_run_keep(gb_plan_run *r, const gb_record *record)
{
    if (r->store_failed)
        return;
    gb_error err = {0};
    r->done++;
    if (r->how->store && r->how->store(r->how->store_user, record, &err)) {
        r->store_failed = true;
        r->ended = err.code;
        r->why = err;
        if (r->err)
            *r->err = err;
        return;
    }
    double eta = 0;
    if (r->measured > 0)
        eta = (double)r->measured_ns / 1e9 / (double)r->measured * (double)r->left;
    if (r->how->observer.record)
        r->how->observer.record(r->how->observer.user, record, r->done, r->total, eta);
    bool bad = record->status == GB_STATUS_FAILED || record->status == GB_STATUS_WRONG ||
               record->status == GB_STATUS_TIMEOUT;
    if (bad && r->how->fail_fast && !r->ended)
        r->ended =
            gb_fail(&r->why, GB_INTERRUPTED, "stopped after the first failure (--fail-fast)");
}

void gb_plan_run_keep_without_worker(gb_plan_run *r, uint32_t replicate, uint32_t c, uint32_t order,
                                     gb_status status, const gb_error *why)
{
    const gb_case *one = &r->plan->cases[c];
    const gb_benchmark *benchmark = one->benchmark;
    gb_record record;
    gb_record_init(&record);
    record.case_id = gb_text_copy(one->id);
    record.benchmark = gb_text_copy(benchmark->name);
    record.kernel = gb_text_copy(benchmark->spec->name);
    record.params = gb_args_json(benchmark->spec, one->args);
    memcpy(record.definition, one->definition, sizeof record.definition);
    record.device = r->how->device_number;
    record.replicate = replicate;
    record.index = c;
    record.order = order;
    record.timer = one->timer;
    record.cache = benchmark->cache;
    if (status != GB_STATUS_SKIPPED)
        benchmark->spec->work(one->args, r->plan->kind, &record.work);
    if (!record.case_id || !record.benchmark || !record.kernel || !record.params ||
        gb_record_fail(&record, status, why) ||
        gb_record_summarise(&record, benchmark->spec->metrics, benchmark->spec->n_metrics, NULL)) {
        r->store_failed = true;
        r->ended = gb_fail(r->err, GB_NO_MEMORY, "%s: out of memory", one->id);
    } else {
        gb_plan_run_keep(r, &record);
    }
    gb_record_free(&record);
}

/* Measures todo[0..n) of a replicate with as many workers as it takes. */
static void run_replicate(gb_plan_run *r, uint32_t replicate, const uint32_t todo[],
                          const uint32_t order[], size_t n)
{
    int bad_starts = 0, bad_workers = 0;
    gb_error given_up = {0};
    size_t at = 0;
    while (at < n && !r->ended && !given_up.code) {
        gb_worker_session s = {.run = r,
                               .replicate = replicate,
                               .todo = todo + at,
                               .order = order + at,
                               .n = n - at,
                               .process = {.events = -1, .output = -1}};
        if (gb_plan_run_interrupts(r))
            r->ended = gb_fail(&r->why, GB_INTERRUPTED, "the run was interrupted");
        else
            gb_worker_session_run(&s);
        at += s.next;
        bad_starts = s.hello ? 0 : bad_starts + 1;
        bad_workers = s.records ? 0 : bad_workers + 1;
        if (at < n && !r->ended && (bad_starts == BAD_STARTS || bad_workers == BAD_WORKERS))
            gb_fail(&given_up, GB_CRASHED,
                    "given up after %d workers in a row that ended early%s%s", bad_workers,
                    s.failed.code ? ": " : "", s.failed.message);
    }
    if (given_up.code)
        gb_plan_run_note(r, given_up.message);
    for (; at < n && !r->store_failed && gb_plan_run_interrupts(r) < 2; at++) {
        r->left--;
        gb_plan_run_keep_without_worker(r, replicate, todo[at], order[at], GB_STATUS_NOT_RUN,
                                        r->ended ? &r->why : &given_up);
    }
}

static bool wanted(const gb_plan_run *r, uint32_t replicate, uint32_t c)
{
    return !r->how->have || !r->how->have(r->how->store_user, r->plan->cases[c].id, replicate);
}

/* Splits a replicate's order into what is skipped at once and what is to be measured. */
static size_t take_replicate(gb_plan_run *r, uint32_t replicate, uint32_t todo[], uint32_t order[],
                             bool keep_skips)
{
    size_t n = gb_plan_order(r->plan, replicate, todo), m = 0;
    for (size_t i = 0; i < n; i++) {
        const gb_case *c = &r->plan->cases[todo[i]];
        if (!wanted(r, replicate, todo[i]))
            continue;
        if (c->status == GB_OK) {
            order[m] = (uint32_t)i;
            todo[m++] = todo[i];
        } else if (keep_skips) {
            gb_error why = {0};
            gb_fail(&why, c->status, "%s", c->reason ? c->reason : "cannot run on this device");
            gb_plan_run_keep_without_worker(r, replicate, todo[i], (uint32_t)i, GB_STATUS_SKIPPED,
                                            &why);
        } else {
            r->total++;
        }
    }
    return m;
}

/* Room for the order of a replicate of the largest plan, twice. */
static uint32_t *scratch_for(const gb_plan_run sides[], size_t n, size_t *most)
{
    *most = 1;
    for (size_t i = 0; i < n; i++)
        *most = sides[i].plan->n_cases > *most ? sides[i].plan->n_cases : *most;
    return calloc(2 * *most, sizeof(uint32_t));
}

static void one_replicate(gb_plan_run *r, uint32_t replicate, uint32_t todo[], uint32_t order[])
{
    if (r->store_failed || gb_plan_run_interrupts(r) > 1 || replicate >= r->plan->replicates)
        return;
    size_t n = take_replicate(r, replicate, todo, order, true);
    run_replicate(r, replicate, todo, order, n);
}

/* What ends one side ends all: a half of a comparison is of no use. */
static void end_together(gb_plan_run sides[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; sides[i].ended && k < n; k++) {
            if (!sides[k].ended) {
                sides[k].ended = sides[i].ended;
                sides[k].why = sides[i].why;
                sides[k].store_failed = sides[i].store_failed;
            }
        }
    }
}

/* A and B take turns at being first, so that what drifts in the course of a run favours neither. */
static void alternate(gb_plan_run sides[], size_t n, uint32_t todo[], uint32_t order[])
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = sides[i].plan->replicates > most ? sides[i].plan->replicates : most;
    for (uint32_t replicate = 0; replicate < most; replicate++) {
        for (size_t i = 0; i < n; i++) {
            one_replicate(&sides[replicate % 2 ? n - 1 - i : i], replicate, todo, order);
            end_together(sides, n);
        }
    }
}

gb_code gb_supervise_alternate(const gb_supervise sides[], const gb_plan *const plans[], size_t n,
                               gb_error *err)
{
    gb_plan_run runs[GB_MAX_SIDES];
    size_t most;
    if (n == 0 || n > GB_MAX_SIDES)
        return gb_fail(err, GB_INTERNAL, "%zu sides", n);
    for (size_t i = 0; i < n; i++)
        runs[i] = (gb_plan_run){
            .how = &sides[i], .plan = plans[i], .err = err, .budget_left_ns = plans[i]->budget_ns};
    uint32_t *todo = scratch_for(runs, n, &most);
    if (!todo)
        return gb_fail(err, GB_NO_MEMORY, "out of memory for %zu cases", most);
    for (size_t i = 0; i < n; i++) {
        gb_plan_run *r = &runs[i];
        for (uint32_t replicate = 0; replicate < r->plan->replicates; replicate++)
            r->left += take_replicate(r, replicate, todo, todo + most, false);
        r->total += r->left;
    }
    alternate(runs, n, todo, todo + most);
    free(todo);
    for (size_t i = 0; i < n; i++) { /* the one whose store it was has the reason */
        if (runs[i].store_failed && runs[i].ended != GB_INTERRUPTED)
            return runs[i].ended;
    }
    if (gb_plan_run_interrupts(&runs[0]))
        return gb_fail(err, GB_INTERRUPTED, "the run was interrupted");
    return GB_OK;
}

gb_code gb_supervise_plan(const gb_supervise *how, const gb_plan *plan, gb_error *err)
{
    return gb_supervise_alternate(how, &plan, 1, err);
}
