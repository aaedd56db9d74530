/* The main loop of a run: replicate by replicate, worker by worker, event by event. */
#include "run/supervise.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/rng.h"
#include "base/text.h"
#include "device/process.h"
#include "run/protocol.h"

#define START_LIMIT_NS (120 * 1000000000ull) /* until a worker has its device open */
#define INTERRUPT_GRACE_NS (3 * 1000000000ull)
#define END_GRACE_MS 10000      /* for a worker that is done to close its device */
#define LINE_LIMIT (256u << 20) /* bytes; a record of 1,000,000 samples has about 20 MiB */
#define BAD_STARTS 3
#define BAD_WORKERS 8

/* The run of one plan. */
typedef struct run {
    const gb_supervise *how;
    const gb_plan *plan;
    gb_error *err;
    size_t done, total;
    size_t left; /* cases still to be measured, all replicates */
    uint64_t budget_left_ns;
    size_t measured;
    uint64_t measured_ns; /* wall time of those, for the ETA */
    gb_code ended;        /* not GB_OK: nothing more is measured in this run ... */
    gb_error why;         /* ... for this reason, which not_run records carry */
    bool store_failed;
    char noted[1024]; /* the last hello note, said once */
} run;

/* One worker at work on the cases todo[0..n) of a replicate. */
typedef struct session {
    run *run;
    uint32_t replicate;
    const uint32_t *todo; /* plan indices */
    const uint32_t *order;
    size_t n;
    size_t next;          /* todo[0..next) have their record */
    bool under_way;       /* todo[next] has begun */
    bool hello, finished; /* opened its device; went through all of todo */
    bool leaving;         /* said that it cannot go on */
    bool asked_to_end, overdue;
    size_t records; /* that came from this worker */
    uint64_t began_ns, deadline_ns;
    char phase[64];
    gb_process process;
    gb_buf line;
    gb_error failed; /* FAILED event, or what was wrong with the worker's words */
} session;

static int interrupts(const run *r)
{
    return r->how->interrupted ? *r->how->interrupted : 0;
}

static void note(run *r, const char *text)
{
    if (r->how->observer.note)
        r->how->observer.note(r->how->observer.user, text);
}

static bool wanted(const run *r, uint32_t replicate, uint32_t c)
{
    return !r->how->have || !r->how->have(r->how->store_user, r->plan->cases[c].id, replicate);
}

/* Hands a record to the store and tells the observer. */
static void keep(run *r, const gb_record *record)
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

/* Makes and keeps the record of a case that no worker wrote one for. */
static void keep_without_worker(run *r, uint32_t replicate, uint32_t c, uint32_t order,
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
        keep(r, &record);
    }
    gb_record_free(&record);
}

/* The case under way ends without the worker's record. */
static void end_case(session *s, gb_status status, const gb_error *why)
{
    run *r = s->run;
    r->left--;
    if (status != GB_STATUS_NOT_RUN) {
        r->measured++;
        r->measured_ns += gb_now_ns() - s->began_ns;
    }
    size_t at = s->next++;
    s->under_way = false;
    keep_without_worker(r, s->replicate, s->todo[at], s->order[at], status, why);
}

static gb_code on_record(session *s, gb_event_line *event)
{
    run *r = s->run;
    const gb_case *c = &r->plan->cases[s->todo[s->next]];
    gb_record *record = &event->record;
    if (!s->under_way || event->index != s->next || strcmp(record->case_id, c->id) != 0 ||
        record->replicate != s->replicate || record->device != r->how->device_number)
        return gb_fail(&s->failed, GB_INTERNAL, "the worker sent a record out of turn");
    s->under_way = false;
    s->next++;
    s->records++;
    r->left--;
    r->measured++;
    r->measured_ns += gb_now_ns() - s->began_ns;
    uint64_t spent = gb_record_measured_ns(record);
    r->budget_left_ns -= spent < r->budget_left_ns ? spent : r->budget_left_ns;
    s->deadline_ns = gb_now_ns() + START_LIMIT_NS;
    keep(r, record);
    return GB_OK;
}

static gb_code on_case(session *s, const gb_event_line *event)
{
    if (!s->hello || s->under_way || event->index != s->next || s->next >= s->n)
        return gb_fail(&s->failed, GB_INTERNAL, "the worker began a case out of turn");
    const gb_case *c = &s->run->plan->cases[s->todo[s->next]];
    s->under_way = true;
    s->phase[0] = '\0';
    s->began_ns = gb_now_ns();
    uint64_t limit_ns = c->benchmark->settings.timeout_ns;
    if (s->asked_to_end && limit_ns > INTERRUPT_GRACE_NS)
        limit_ns = INTERRUPT_GRACE_NS;
    s->deadline_ns = s->began_ns + limit_ns;
    if (s->run->how->observer.started)
        s->run->how->observer.started(s->run->how->observer.user, c, s->replicate);
    return GB_OK;
}

static gb_code on_event(session *s, gb_event_line *event)
{
    switch (event->kind) {
    case GB_EVENT_HELLO:
        s->hello = true;
        if (event->text[0] && !s->run->how->continues && strcmp(event->text, s->run->noted) != 0) {
            memcpy(s->run->noted, event->text, sizeof s->run->noted);
            note(s->run, event->text);
        }
        return GB_OK;
    case GB_EVENT_CASE:
        return on_case(s, event);
    case GB_EVENT_PHASE:
        snprintf(s->phase, sizeof s->phase, "%.60s", event->text);
        return GB_OK;
    case GB_EVENT_RECORD:
        return s->next < s->n
                   ? on_record(s, event)
                   : gb_fail(&s->failed, GB_INTERNAL, "the worker sent too many records");
    case GB_EVENT_FAILED:
        s->leaving = true;
        return gb_fail(&s->failed, event->code ? event->code : GB_INTERNAL, "%s", event->text);
    default:
        s->finished = s->next == s->n;
        return s->finished ? GB_OK
                           : gb_fail(&s->failed, GB_INTERNAL, "the worker stopped too early");
    }
}

/* Reads what there is on the event pipe; false when nothing more will come or must be heard. */
static bool hear(session *s)
{
    char block[65536];
    for (;;) {
        ssize_t n = read(s->process.events, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 && errno == EAGAIN;
        for (char *at = block, *end = block + n; at < end;) {
            char *newline = memchr(at, '\n', (size_t)(end - at));
            gb_buf_add_bytes(&s->line, at, (size_t)((newline ? newline : end) - at));
            if (s->line.failed || s->line.length > LINE_LIMIT) {
                gb_fail(&s->failed, GB_INTERNAL, "the worker sent a line without end");
                return false;
            }
            if (!newline)
                break;
            gb_event_line event;
            gb_code code = gb_event_parse(s->line.data ? s->line.data : "", s->line.length, &event,
                                          &s->failed);
            s->line.length = 0;
            if (!code) {
                code = on_event(s, &event);
                gb_record_free(&event.record);
            }
            if (code || s->finished || s->run->ended || (interrupts(s->run) && !s->under_way))
                return false;
            at = newline + 1;
        }
    }
}

/* Waits for events until the worker is through, ends or must be ended. */
static void attend(session *s)
{
    run *r = s->run;
    sigset_t all, before;
    sigfillset(&all);
    /* Signals are let in only while waiting, so that none is missed before the wait. */
    sigprocmask(SIG_BLOCK, &all, &before);
    for (;;) {
        uint64_t now = gb_now_ns();
        int stop = interrupts(r);
        if (stop && !s->asked_to_end) {
            s->asked_to_end = true;
            if (s->deadline_ns > now + INTERRUPT_GRACE_NS)
                s->deadline_ns = now + INTERRUPT_GRACE_NS;
        }
        bool ended = gb_process_ended(&s->process);
        if (!gb_process_drain(&s->process) && s->process.output >= 0) {
            close(s->process.output);
            s->process.output = -1;
        }
        if (!hear(s) || ended)
            break;
        s->overdue = now >= s->deadline_ns && !s->asked_to_end;
        if (stop > 1 || (stop && !s->under_way) || now >= s->deadline_ns)
            break;
        uint64_t wait = s->deadline_ns - now;
        if (wait > 1000000000u)
            wait = 1000000000u;
        struct timespec limit = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
        struct pollfd fds[3] = {{.fd = s->process.events, .events = POLLIN},
                                {.fd = s->process.output, .events = POLLIN},
                                {.fd = s->process.ended, .events = POLLIN}};
        if (ppoll(fds, 3, &limit, &before) == 0 && r->how->observer.waiting)
            r->how->observer.waiting(r->how->observer.user,
                                     s->under_way ? &r->plan->cases[s->todo[s->next]] : NULL,
                                     s->replicate);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* What became of the case that was under way when the worker ended. */
static void settle(session *s, int status)
{
    run *r = s->run;
    char how[GB_TAIL_BYTES];
    gb_error why = {0};
    if (interrupts(r) && !r->ended)
        r->ended = gb_fail(&r->why, GB_INTERRUPTED, "the run was interrupted");
    const char *phase = s->phase[0] ? s->phase : "start";
    gb_process_obituary(&s->process, status, how, sizeof how);
    if (s->under_way && r->ended && !r->store_failed) {
        end_case(s, GB_STATUS_NOT_RUN, &r->why);
    } else if (s->under_way && s->overdue) {
        const gb_benchmark *b = r->plan->cases[s->todo[s->next]].benchmark;
        const char *words = strstr(how, "; its last words");
        gb_fail(&why, GB_TIMEOUT, "still running after %.3g s, in phase '%s'; killed%s",
                (double)b->settings.timeout_ns / 1e9, phase, words ? words : "");
        end_case(s, GB_STATUS_TIMEOUT, &why);
    } else if (s->under_way && s->failed.code && !s->leaving && !r->store_failed) {
        gb_fail(&why, GB_CRASHED, "in phase '%s' the worker sent nonsense (%s); killed", phase,
                s->failed.message);
        end_case(s, GB_STATUS_FAILED, &why);
    } else if (s->under_way && !r->store_failed) {
        gb_fail(&why, GB_CRASHED, "in phase '%s' the worker %s%s%s", phase, how,
                s->failed.code ? "; " : "", s->failed.code ? s->failed.message : "");
        end_case(s, GB_STATUS_FAILED, &why);
    } else if (!s->finished && s->hello && !s->failed.code && !r->ended) {
        char text[GB_TAIL_BYTES + 64];
        snprintf(text, sizeof text, "a worker %s between two cases; another goes on", how);
        note(r, text);
    } else if (s->leaving && s->hello && !r->ended) {
        char text[sizeof s->failed.message + 64];
        snprintf(text, sizeof text, "a worker lost its device, another goes on: %s",
                 s->failed.message);
        note(r, text);
    } else if (s->finished && status != 0) {
        char text[GB_TAIL_BYTES + 64];
        snprintf(text, sizeof text, "after its last case a worker %s", how);
        note(r, text);
    }
}

static gb_code make_job(const session *s, char **text)
{
    const run *r = s->run;
    gb_job job = {
        .kind = r->how->kind,
        .device_index = r->how->device_index,
        .device_number = r->how->device_number,
        .gate = !r->how->profile,
        .profile = r->how->profile,
        .published = r->how->published,
        .data_dir = r->how->data_dir,
        .replicate = s->replicate,
        .n = s->n,
        .budget_ns =
            r->left ? (uint64_t)((double)r->budget_left_ns * (double)s->n / (double)r->left) : 0};
    job.cases = calloc(s->n, sizeof *job.cases);
    bool good = job.cases != NULL;
    for (size_t i = 0; good && i < s->n; i++) {
        const gb_case *c = &r->plan->cases[s->todo[i]];
        const gb_settings *settings = &c->benchmark->settings;
        json_t *args = gb_args_json(c->benchmark->spec, c->args);
        job.cases[i] = (gb_job_case){.id = c->id,
                                     .benchmark = c->benchmark->name,
                                     .kernel = c->benchmark->spec->name,
                                     .definition = c->definition,
                                     .args = args,
                                     .timer = c->timer,
                                     .cache = c->benchmark->cache,
                                     .index = s->todo[i],
                                     .order = s->order[i],
                                     .seed = gb_rng_derive(r->plan->seed, s->todo[i]),
                                     .precision = settings->precision,
                                     .min_samples = settings->min_samples,
                                     .max_samples = settings->max_samples,
                                     .warmup_ns = settings->warmup_ns};
        good = args != NULL;
    }
    json_t *json = good ? gb_job_json(&job) : NULL;
    *text = json ? gb_json_line(json) : NULL;
    json_decref(json);
    for (size_t i = 0; job.cases && i < s->n; i++)
        json_decref(job.cases[i].args);
    free(job.cases);
    return *text ? GB_OK : GB_NO_MEMORY;
}

/* Runs one worker on what is left; says how many cases it settled and whether it ever began one. */
static void run_worker(session *s)
{
    run *r = s->run;
    char name[] = "gpubench", verb[] = "worker";
    char *argv[] = {name, verb, NULL};
    char *job = NULL;
    int status = 0;
    gb_error err = {0};
    gb_code code = make_job(s, &job);
    if (code)
        gb_fail(&err, code, "out of memory");
    else
        code = gb_process_start(r->how->executable, argv, job, strlen(job), &s->process, &err);
    free(job);
    if (code) {
        r->ended = code;
        r->why = err;
        return;
    }
    s->deadline_ns = gb_now_ns() + START_LIMIT_NS;
    attend(s);
    bool through = s->finished || s->leaving;
    code =
        gb_process_end(&s->process, through && interrupts(r) < 2 ? END_GRACE_MS : 0, &status, &err);
    settle(s, status);
    if (code && !r->ended) {
        r->ended = code;
        r->why = err;
        note(r, err.message);
    } else if (!s->hello && s->failed.code && !r->ended) {
        r->ended = s->failed.code;
        r->why = s->failed;
    } else if (!s->hello && !r->ended) {
        char how[GB_TAIL_BYTES];
        gb_fail(&s->failed, s->overdue ? GB_TIMEOUT : GB_CRASHED, "a worker %s",
                s->overdue ? "did not open its device in time"
                           : gb_process_obituary(&s->process, status, how, sizeof how));
    }
    gb_buf_free(&s->line);
}

/* Measures todo[0..n) of a replicate with as many workers as it takes. */
static void run_replicate(run *r, uint32_t replicate, const uint32_t todo[], const uint32_t order[],
                          size_t n)
{
    int bad_starts = 0, bad_workers = 0;
    gb_error given_up = {0};
    size_t at = 0;
    while (at < n && !r->ended && !given_up.code) {
        session s = {.run = r,
                     .replicate = replicate,
                     .todo = todo + at,
                     .order = order + at,
                     .n = n - at,
                     .process = {.events = -1, .output = -1}};
        if (interrupts(r))
            r->ended = gb_fail(&r->why, GB_INTERRUPTED, "the run was interrupted");
        else
            run_worker(&s);
        at += s.next;
        bad_starts = s.hello ? 0 : bad_starts + 1;
        bad_workers = s.records ? 0 : bad_workers + 1;
        if (at < n && !r->ended && (bad_starts == BAD_STARTS || bad_workers == BAD_WORKERS))
            gb_fail(&given_up, GB_CRASHED,
                    "given up after %d workers in a row that ended early%s%s", bad_workers,
                    s.failed.code ? ": " : "", s.failed.message);
    }
    if (given_up.code)
        note(r, given_up.message);
    for (; at < n && !r->store_failed && interrupts(r) < 2; at++) {
        r->left--;
        keep_without_worker(r, replicate, todo[at], order[at], GB_STATUS_NOT_RUN,
                            r->ended ? &r->why : &given_up);
    }
}

/* Splits a replicate's order into what is skipped at once and what is to be measured. */
static size_t take_replicate(run *r, uint32_t replicate, uint32_t todo[], uint32_t order[],
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
            keep_without_worker(r, replicate, todo[i], (uint32_t)i, GB_STATUS_SKIPPED, &why);
        } else {
            r->total++;
        }
    }
    return m;
}

/* Room for the order of a replicate of the largest plan, twice. */
static uint32_t *scratch_for(const run sides[], size_t n, size_t *most)
{
    *most = 1;
    for (size_t i = 0; i < n; i++)
        *most = sides[i].plan->n_cases > *most ? sides[i].plan->n_cases : *most;
    return calloc(2 * *most, sizeof(uint32_t));
}

static void one_replicate(run *r, uint32_t replicate, uint32_t todo[], uint32_t order[])
{
    if (r->store_failed || interrupts(r) > 1 || replicate >= r->plan->replicates)
        return;
    size_t n = take_replicate(r, replicate, todo, order, true);
    run_replicate(r, replicate, todo, order, n);
}

/* What ends one side ends all: a half of a comparison is of no use. */
static void end_together(run sides[], size_t n)
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
static void alternate(run sides[], size_t n, uint32_t todo[], uint32_t order[])
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
    run runs[GB_MAX_SIDES];
    size_t most;
    if (n == 0 || n > GB_MAX_SIDES)
        return gb_fail(err, GB_INTERNAL, "%zu sides", n);
    for (size_t i = 0; i < n; i++)
        runs[i] = (run){
            .how = &sides[i], .plan = plans[i], .err = err, .budget_left_ns = plans[i]->budget_ns};
    uint32_t *todo = scratch_for(runs, n, &most);
    if (!todo)
        return gb_fail(err, GB_NO_MEMORY, "out of memory for %zu cases", most);
    for (size_t i = 0; i < n; i++) {
        run *r = &runs[i];
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
    if (interrupts(&runs[0]))
        return gb_fail(err, GB_INTERRUPTED, "the run was interrupted");
    return GB_OK;
}

gb_code gb_supervise_plan(const gb_supervise *how, const gb_plan *plan, gb_error *err)
{
    return gb_supervise_alternate(how, &plan, 1, err);
}
