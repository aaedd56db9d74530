#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/session.h"
#include "reports/report.h"
#include "suite/expect.h"

static int fail(gb_session *s, gb_code code, const gb_error *err)
{
    return gb_cli_fail(s->cli, gb_exit_of_code(code), err);
}

gb_code gb_expectations_json(const gb_suite *suite, const gb_results *results, json_t **out,
                             bool *failed, gb_error *err)
{
    static const char *const words[] = {"met", "FAILED", "unknown", "skipped"};
    gb_expect_results all = {0};
    gb_code code = gb_expect_evaluate(suite, results->records, results->n, &all, err);
    if (code)
        return code;
    *out = json_array();
    const bool no_results = gb_results_profiled(results);
    for (size_t i = 0; *out && i < all.n; i++) {
        const gb_expect_result *one = &all.items[i];
        json_array_append_new(
            *out,
            json_pack("{s:s, s:i, s:o, s:s, s:o, s:o, s:o, s:o}", "benchmark", one->benchmark->name,
                      "device", one->device, "text", gb_json_string(one->text), "outcome",
                      words[no_results ? GB_EXPECT_SKIPPED : one->outcome], "value",
                      gb_json_real(no_results ? NAN : one->value), "of",
                      gb_json_real(no_results ? NAN : one->of), "over",
                      gb_json_real(no_results ? NAN : one->over), "detail",
                      gb_json_string(no_results ? "measured for a profiler: times are no "
                                                  "results"
                                                : one->detail)));
    }
    /* What could not be held against anything has not been met. */
    if (failed)
        *failed = !no_results && all.n_failed + all.n_unknown > 0;
    gb_expect_results_free(&all);
    return *out ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
}

/* Fits, findings and expectations of the records, into the head for results.json. */
static gb_code draw_conclusions(gb_session *s, const gb_results *results, gb_error *err)
{
    json_t *fits = NULL, *findings = NULL, *expectations = NULL;
    gb_code code = gb_report_fits(results, &fits, err);
    if (!code)
        code = gb_report_findings(results, &findings, err);
    if (!code)
        code = gb_expectations_json(s->suite, results, &expectations,
                                    &s->outcome.expectation_failed, err);
    if (!code) {
        s->head.extra = json_pack("{s:O, s:O, s:O}", "fits", fits, "findings", findings,
                                  "expectations", expectations);
        code = s->head.extra ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    json_decref(fits);
    json_decref(findings);
    json_decref(expectations);
    return code;
}

static void name_odd_device(const gb_session *s, const gb_results *results)
{
    int device;
    double ratio;
    if (!gb_odd_device(results, &device, &ratio))
        return;
    const json_t *info =
        json_array_get(json_object_get(results->document, "devices"), (size_t)device);
    char percent[32];
    gb_cli_warn(s->cli, "odd-device", "cuda:%d (%s) is the odd one out: %s %s than the others",
                s->devices[device].index, json_string_value(json_object_get(info, "uuid")),
                gb_format_percent(ratio > 1 ? ratio - 1 : 1 - ratio, percent, sizeof percent),
                ratio > 1 ? "slower" : "faster");
}

static void print_document(gb_session *s, const char *dir)
{
    json_error_t why;
    char *path = gb_text_format("%s/results.json", dir);
    json_t *document = path ? json_load_file(path, 0, &why) : NULL;
    free(path);
    gb_cli_print_json(s->cli, document);
}

/* What the whole run came to, earlier sessions of a resumed one included. */
static void judge(gb_session *s, const gb_results *results)
{
    const uint32_t unsteady = GB_BIT(GB_FLAG_NOT_CONVERGED) | GB_BIT(GB_FLAG_THROTTLED);
    for (size_t i = 0; i < results->n; i++) {
        const gb_record *record = &results->records[i];
        s->outcome.counts[record->status]++;
        if (record->status == GB_STATUS_OK && record->flags & unsteady)
            s->outcome.unsteady = true;
    }
}

int gb_session_conclude(gb_session *s, gb_results *results)
{
    gb_error err = {0};
    const char *dir = gb_run_dir_path(s->dir);
    bool complete = !s->outcome.interrupted && !s->outcome.error;
    gb_code code = gb_run_dir_finish(s->dir, &s->head, false, &err);
    if (!code)
        code = gb_results_load(dir, false, results, &err);
    judge(s, results);
    if (!code)
        code = draw_conclusions(s, results, &err);
    if (!code)
        code = gb_run_dir_finish(s->dir, &s->head, complete, &err);
    gb_results_free(results);
    if (!code)
        code = gb_cli_load_results(dir, results, &err);
    return code ? fail(s, code, &err) : GB_EXIT_OK;
}

/* A run that nothing came of, though nothing failed in it: what its exit status is about. */
static void say_nothing_measured(const gb_session *s, const gb_results *results)
{
    const size_t *counts = s->outcome.counts;
    const char *first = NULL;
    size_t n = counts[GB_STATUS_SKIPPED];
    gb_error err;
    for (size_t i = 0; i < results->n && !first; i++)
        if (results->records[i].status == GB_STATUS_SKIPPED)
            first = results->records[i].reason;
    if (s->outcome.interrupted || s->outcome.error || n == 0 || n < results->n)
        return;
    gb_fail(&err, GB_UNAVAILABLE, "nothing was measured: %s skipped on this device, %s: %.300s",
            n == 1 ? "the only record is" : "all records are", n == 1 ? "since" : "the first since",
            first ? first : "no reason is given");
    gb_cli_fail(s->cli, GB_EXIT_ENVIRONMENT, &err);
}

int gb_session_finish(gb_session *s)
{
    gb_results results = {0};
    const char *dir = gb_run_dir_path(s->dir);
    int status = gb_session_conclude(s, &results);
    if (status)
        return gb_exit_worse(status, gb_exit_of_run(&s->outcome));
    if (gb_cli_interrupts < 2) /* twice means at once */
        status = gb_cli_report(s->cli, dir, &results);
    name_odd_device(s, &results);
    if (s->cli->json)
        print_document(s, dir);
    else
        gb_cli_note(s->cli, "results: %s", dir);
    say_nothing_measured(s, &results);
    gb_results_free(&results);
    return gb_exit_worse(status, gb_exit_of_run(&s->outcome));
}

int gb_session_show(gb_session *s)
{
    gb_error err = {0};
    gb_results results = {0};
    const char *dir = gb_run_dir_path(s->dir);
    gb_code code = gb_results_load(dir, false, &results, &err);
    if (code)
        return fail(s, code, &err);
    gb_cli_note(s->cli, "nothing to do: every case has its record already");
    judge(s, &results);
    s->outcome.strict = s->cli->args.strict;
    const json_t *expectations = json_object_get(results.document, "expectations");
    for (size_t i = 0; i < json_array_size(expectations); i++) {
        const char *word =
            json_string_value(json_object_get(json_array_get(expectations, i), "outcome"));
        if (word && (strcmp(word, "FAILED") == 0 || strcmp(word, "unknown") == 0))
            s->outcome.expectation_failed = true;
    }
    int status = gb_cli_report(s->cli, NULL, &results);
    if (s->cli->json)
        print_document(s, dir);
    say_nothing_measured(s, &results);
    gb_results_free(&results);
    return gb_exit_worse(status, gb_exit_of_run(&s->outcome));
}

void gb_session_free(gb_session *s)
{
    char *unused = s->dir && s->made && !s->begun ? gb_text_copy(gb_run_dir_path(s->dir)) : NULL;
    gb_run_dir_close(s->dir);
    if (unused)
        rmdir(unused);
    free(unused);
    for (size_t i = 0; i < s->n_locks; i++)
        gb_device_lock_release(&s->locks[i]);
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
        gb_plan_free(s->plans[kind]);
    gb_suite_free(s->suite);
    gb_head_free(&s->head);
    gb_results_free(&s->earlier);
    json_decref(s->probe);
    json_decref(s->tool);
    json_decref(s->pair);
    json_decref(s->data);
    free(s->set.items);
    free(s->filter.items);
    free(s->tag.items);
}
