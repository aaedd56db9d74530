#include "cli/decide.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/pair.h"

static int fail(gb_cli *cli, gb_code code, const gb_error *err)
{
    return gb_cli_fail(cli, gb_cli_status(code), err);
}

/* What cannot be asked for together. */
static gb_code check_options(const gb_args *args, gb_error *err)
{
    bool turns = args->against || args->against_device;
    if (args->against && args->against_device)
        return gb_fail(err, GB_INVALID, "--against and --against-device exclude each other");
    if (turns && args->baseline.n > 0)
        return gb_fail(err, GB_INVALID,
                       "--baseline and --against exclude each other: alternating needs no record "
                       "of the past");
    if (turns && args->resume)
        return gb_fail(err, GB_INVALID, "--resume cannot go on with two sides: start a new run");
    if (args->against_device && args->gate)
        return gb_fail(err, GB_INVALID,
                       "--gate and --against-device exclude each other: two devices are compared, "
                       "and neither passes or fails");
    if (args->profile && (turns || args->baseline.n > 0 || args->gate))
        return gb_fail(err, GB_INVALID,
                       "--profile: times under a profiler are no results, and nothing can be "
                       "judged by them; leave --%s out",
                       turns        ? "against"
                       : args->gate ? "gate"
                                    : "baseline");
    if (args->confirm && args->baseline.n == 0)
        return gb_fail(err, GB_INVALID,
                       turns ? "--against confirms by itself; leave --confirm out"
                             : "--confirm needs something to differ from: --baseline DIR");
    if (args->require_baseline && args->baseline.n == 0 && !turns)
        return gb_fail(err, GB_INVALID, "there is no --baseline, and --require-baseline wants one");
    return GB_OK;
}

int gb_baselines_load(gb_cli *cli, gb_baselines *out)
{
    const gb_args *args = &cli->args;
    gb_compare_options how;
    gb_error err = {0};
    *out = (gb_baselines){0};
    gb_code code = check_options(args, &err);
    if (!code) /* a bad threshold ends it here */
        code = gb_cli_compare_options(cli, &how, &err);
    if (!code) {
        out->runs = calloc(args->baseline.n + 1, sizeof *out->runs);
        code = out->runs ? GB_OK : gb_fail(&err, GB_NO_MEMORY, "out of memory");
    }
    for (size_t i = 0; !code && i < args->baseline.n; i++) {
        code = gb_results_load(args->baseline.items[i], false, &out->runs[i], &err);
        if (!code) {
            out->n++;
            code = gb_results_baseline(&out->runs[i], &err);
        }
    }
    return code ? fail(cli, code, &err) : GB_EXIT_OK;
}

void gb_baselines_free(gb_baselines *baselines)
{
    for (size_t i = 0; i < baselines->n; i++)
        gb_results_free(&baselines->runs[i]);
    free(baselines->runs);
    *baselines = (gb_baselines){0};
}

/* Whether there are figures to judge: not after a signal, without a device or with a machine at
 * fault. */
static bool measured(int status)
{
    return status == GB_EXIT_OK || status == GB_EXIT_CASE || status == GB_EXIT_REGRESSION ||
           status == GB_EXIT_STRICT;
}

/* The cases whose verdict a repeat may overturn; ids borrowed from the comparison. */
static gb_code differing(const gb_comparison *comparison, gb_list *out, gb_error *err)
{
    out->items = calloc(comparison->n + 1, sizeof *out->items);
    if (!out->items)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < comparison->n; i++) {
        if (gb_verdict_differs(comparison->items[i].verdict))
            out->items[out->n++] = comparison->items[i].b->first->case_id;
    }
    return GB_OK;
}

static void say_differ(const gb_session *s, size_t n)
{
    gb_cli_note(s->cli, "%zu case%s: measured again, in fresh processes", n,
                n == 1 ? " differs" : "s differ");
}

static gb_code compare_with(gb_session *s, const gb_baselines *baselines, const gb_results *new,
                            const char *name, gb_comparison *out, gb_error *err)
{
    gb_compare_options how;
    gb_code code = gb_cli_compare_options(s->cli, &how, err);
    how.names[0] = s->cli->args.baseline.items[0];
    how.names[1] = name;
    return code ? code
                : gb_compare_results(&baselines->runs[0], new, baselines->runs + 1,
                                     baselines->n - 1, &how, out, err);
}

/* A place for a repeat below `dir`: a resumed run may have one already. The caller frees; NULL: no
 * memory. */
static char *confirm_place(const char *dir)
{
    char *path = gb_text_format("%s/confirm", dir);
    for (int i = 2; path && access(path, F_OK) == 0; i++) {
        free(path);
        path = gb_text_format("%s/confirm-%d", dir, i);
    }
    return path;
}

/* Measures some cases of a finished session once more, in fresh processes, into DIR/confirm. */
static int measure_again(gb_session *s, const gb_list *cases, gb_results *out)
{
    gb_error err = {0};
    gb_session again;
    char *dir = confirm_place(gb_run_dir_path(s->dir));
    if (!dir)
        return gb_cli_out_of_memory(s->cli);
    gb_code code = gb_session_repeat(s, cases, &again, &err);
    int status = code ? fail(s->cli, code, &err) : GB_EXIT_OK;
    again.out = dir;
    if (!status) {
        say_differ(s, cases->n);
        status = gb_session_open(&again);
    }
    if (!status)
        status = gb_session_measure(&again);
    if (!status)
        status = gb_session_conclude(&again, out);
    if (!status)
        status = gb_exit_of_run(&again.outcome);
    gb_session_free_sibling(&again, true);
    free(dir);
    return status;
}

/* What a repeat means for the whole: a case that failed in it has failed; what its few cases fall
 * short of is said of the first measurement. */
static int with_repeat(int status, int repeated)
{
    return measured(repeated) && repeated != GB_EXIT_CASE ? status
                                                          : gb_exit_worse(status, repeated);
}

int gb_decide_by_baselines(gb_session *s, const gb_baselines *baselines, int status)
{
    gb_error err = {0};
    gb_results new = {0}, again = {0};
    gb_comparison first = {0}, repeat = {0};
    gb_list cases = {0};
    const char *dir = gb_run_dir_path(s->dir);
    int compared = GB_EXIT_OK;
    if (!measured(status))
        return status;
    gb_code code = gb_results_load(dir, false, &new, &err);
    if (!code)
        code = compare_with(s, baselines, &new, dir, &first, &err);
    if (!code && s->cli->args.confirm)
        code = differing(&first, &cases, &err);
    if (!code && cases.n > 0) {
        int repeated = measure_again(s, &cases, &again);
        status = with_repeat(status, repeated);
        if (measured(repeated))
            code = compare_with(s, baselines, &again, "confirm", &repeat, &err);
        if (!code)
            gb_comparison_confirm(&first, measured(repeated) ? &repeat : NULL);
    }
    if (code)
        compared = fail(s->cli, code, &err);
    else
        compared = gb_cli_comparison_show(s->cli, &first, dir);
    gb_comparison_free(&repeat);
    gb_comparison_free(&first);
    free(cases.items);
    gb_results_free(&again);
    gb_results_free(&new);
    return gb_exit_worse(status, compared);
}

static gb_code compare_pair(gb_session *s, const gb_pair *pair, gb_comparison *out, gb_error *err)
{
    gb_compare_options how;
    gb_code code = gb_cli_compare_options(s->cli, &how, err);
    how.cross_device = s->cli->args.against_device != NULL;
    how.names[0] = s->cli->args.against ? s->cli->args.against : s->cli->args.against_device;
    how.names[1] = "this build";
    return code ? code : gb_compare_results(&pair->old, &pair->new, NULL, 0, &how, out, err);
}

/* Measures what differs once more, in turns as well; *status gets what went wrong. */
static gb_code repeat_pair(gb_session *s, const gb_pair *first, gb_comparison *comparison,
                           int *status, gb_error *err)
{
    gb_list cases = {0};
    gb_pair again = {0};
    gb_comparison repeat = {0};
    gb_code code = differing(comparison, &cases, err);
    char *dir = confirm_place(first->dir);
    if (!code && !dir)
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    if (!code && cases.n > 0) {
        say_differ(s, cases.n);
        int repeated = gb_pair_repeat(first, &cases, dir, &again);
        repeated = repeated ? repeated : again.status;
        *status = with_repeat(*status, repeated);
        if (measured(repeated))
            code = compare_pair(s, &again, &repeat, err);
        if (!code)
            gb_comparison_confirm(comparison, measured(repeated) ? &repeat : NULL);
    }
    gb_comparison_free(&repeat);
    gb_pair_free(&again);
    free(cases.items);
    free(dir);
    return code;
}

int gb_decide_by_turns(gb_session *s)
{
    gb_error err = {0};
    gb_pair pair = {0};
    gb_comparison comparison = {0};
    int status = gb_pair_prepare(s, &pair);
    if (!status)
        status = gb_pair_measure(&pair, s->cli->args.out);
    if (!status)
        status = pair.status;
    if (pair.begun && measured(status)) {
        gb_code code = compare_pair(s, &pair, &comparison, &err);
        if (!code)
            code = repeat_pair(s, &pair, &comparison, &status, &err);
        int compared =
            code ? fail(s->cli, code, &err) : gb_cli_comparison_show(s->cli, &comparison, pair.dir);
        status = gb_exit_worse(status, compared);
    } else if (pair.begun) { /* --json promises a document */
        gb_fail(&err, gb_cli_interrupts ? GB_INTERRUPTED : GB_UNAVAILABLE,
                "no verdict: the two sides were not measured to the end");
        gb_cli_fail(s->cli, status, &err);
    }
    if (pair.begun)
        gb_cli_note(s->cli, "results: %s/baseline, %s/new", pair.dir, pair.dir);
    gb_comparison_free(&comparison);
    gb_pair_free(&pair);
    return status;
}
