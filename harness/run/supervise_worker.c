/* One worker of a run: its job, its events one by one, and its end. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/rng.h"
#include "run/protocol.h"
#include "run/supervise_parts.h"

#define START_LIMIT_NS (120 * 1000000000ull) /* until a worker has its device open */
#define INTERRUPT_GRACE_NS (3 * 1000000000ull)
#define END_GRACE_MS 10000      /* for a worker that is done to close its device */
#define LINE_LIMIT (256u << 20) /* bytes; a record of 1,000,000 samples has about 20 MiB */

/* The case under way ends without the worker's record. */
static void end_case(gb_worker_session *s, gb_status status, const gb_error *why)
{
    gb_plan_run *r = s->run;
    r->left--;
    if (status != GB_STATUS_NOT_RUN) {
        r->measured++;
        r->measured_ns += gb_now_ns() - s->began_ns;
    }
    size_t at = s->next++;
    s->under_way = false;
    gb_plan_run_keep_without_worker(r, s->replicate, s->todo[at], s->order[at], status, why);
}

static gb_code on_record(gb_worker_session *s, gb_event_line *event)
{
    gb_plan_run *r = s->run;
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
    gb_plan_run_keep(r, record);
    return GB_OK;
}

static gb_code on_case(gb_worker_session *s, const gb_event_line *event)
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

static gb_code on_event(gb_worker_session *s, gb_event_line *event)
{
    switch (event->kind) {
    case GB_EVENT_HELLO:
        s->hello = true;
        if (event->text[0] && !s->run->how->continues && strcmp(event->text, s->run->noted) != 0) {
            memcpy(s->run->noted, event->text, sizeof s->run->noted);
            gb_plan_run_note(s->run, event->text);
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
static bool hear(gb_worker_session *s)
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
            if (code || s->finished || s->run->ended ||
                (gb_plan_run_interrupts(s->run) && !s->under_way))
                return false;
            at = newline + 1;
        }
    }
}

/* Waits for events until the worker is through, ends or must be ended. */
static void attend(gb_worker_session *s)
{
    gb_plan_run *r = s->run;
    sigset_t all, before;
    sigfillset(&all);
    /* Signals are let in only while waiting, so that none is missed before the wait. */
    sigprocmask(SIG_BLOCK, &all, &before);
    for (;;) {
        uint64_t now = gb_now_ns();
        int stop = gb_plan_run_interrupts(r);
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
static void settle(gb_worker_session *s, int status)
{
    gb_plan_run *r = s->run;
    char how[GB_TAIL_BYTES];
    gb_error why = {0};
    if (gb_plan_run_interrupts(r) && !r->ended)
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
        gb_plan_run_note(r, text);
    } else if (s->leaving && s->hello && !r->ended) {
        char text[sizeof s->failed.message + 64];
        snprintf(text, sizeof text, "a worker lost its device, another goes on: %s",
                 s->failed.message);
        gb_plan_run_note(r, text);
    } else if (s->finished && status != 0) {
        char text[GB_TAIL_BYTES + 64];
        snprintf(text, sizeof text, "after its last case a worker %s", how);
        gb_plan_run_note(r, text);
    }
}

static gb_code make_job(const gb_worker_session *s, char **text)
{
    const gb_plan_run *r = s->run;
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

void gb_worker_session_run(gb_worker_session *s)
{
    gb_plan_run *r = s->run;
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
    code = gb_process_end(&s->process, through && gb_plan_run_interrupts(r) < 2 ? END_GRACE_MS : 0,
                          &status, &err);
    settle(s, status);
    if (code && !r->ended) {
        r->ended = code;
        r->why = err;
        gb_plan_run_note(r, err.message);
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
