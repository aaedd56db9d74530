/* `gpubench history`: runs over time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/history.h"
#include "record/run_dir.h"

static int failed(gb_cli *cli, const gb_error *err)
{
    return gb_cli_fail(cli, gb_exit_of_code(err->code), err);
}

gb_code gb_cli_history_open(const gb_cli *cli, gb_history_mode mode, gb_history **out,
                            gb_error *err)
{
    return gb_history_open(cli->args.history ? cli->args.history : gb_history_default(), mode, out,
                           err);
}

/* Prints what was made of it and frees it; the status. */
int gb_cli_history_finish(gb_cli *cli, gb_history *history, gb_code code, gb_buf *text,
                          json_t *json, const gb_error *err)
{
    int status = GB_EXIT_OK;
    gb_history_close(history);
    if (code)
        status = failed(cli, err);
    else if (json)
        gb_cli_print_json(cli, json_incref(json));
    else if (text->failed)
        status = gb_cli_out_of_memory(cli);
    else if (text->data)
        gb_cli_print(cli, text->data);
    json_decref(json);
    gb_buf_free(text);
    return status;
}

/* The id of a run that is given as such, or as its directory. The caller frees *out. */
gb_code gb_cli_history_run(const char *given, char **out, gb_error *err)
{
    gb_results results = {0};
    *out = NULL;
    if (given && strchr(given, '/') == NULL) {
        *out = gb_text_copy(given);
    } else if (given) {
        gb_code code = gb_results_load(given, false, &results, err);
        if (code)
            return code;
        const json_t *run = json_object_get(results.document, "run");
        const char *id = json_string_value(json_object_get(run, "id"));
        if (id)
            *out = gb_text_copy(id);
        gb_results_free(&results);
        if (!id)
            return gb_fail_at(err, GB_INVALID, given, 0, 0, "the results have no run id");
    }
    return given && !*out ? gb_fail(err, GB_NO_MEMORY, "out of memory") : GB_OK;
}

gb_code gb_cli_history_read(const gb_cli *cli, gb_history **history, gb_series_list *out,
                            gb_error *err)
{
    const char *pattern = cli->args.filter.n > 0 ? cli->args.filter.items[0] : NULL;
    if (cli->args.filter.n > 1)
        return gb_fail(err, GB_INVALID, "--filter can be given once here: '%s' is one too many",
                       cli->args.filter.items[1]);
    gb_code code = gb_cli_history_open(cli, GB_HISTORY_READ, history, err);
    if (!code)
        code = gb_history_series(*history, pattern, out, err);
    gb_series_list none;
    if (!code && pattern && out->n == 0)
        return gb_history_find(*history, pattern, NULL, &none, err); /* says what is near */
    return code;
}

/* --- list and show -------------------------------------------------------------------------------
 */

static json_t *series_json(const gb_series *s)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s}", "case", s->case_id,
                     "device", s->device, "mig", s->mig, "ecc", s->ecc, "metric", s->metric, "unit",
                     s->unit, "better", s->higher_is_better ? "higher" : "lower", "nights",
                     (json_int_t)s->nights, "first_run", s->first_run, "last_run", s->last_run);
}

static int list(gb_cli *cli)
{
    gb_history *history = NULL;
    gb_error err = {0};
    gb_buf text = {0};
    gb_series_list all = {0};
    json_t *json = NULL;
    gb_code code = gb_cli_history_read(cli, &history, &all, &err);
    if (!code && cli->json)
        json = json_array();
    for (size_t i = 0; !code && i < all.n; i++) {
        const gb_series *s = &all.items[i];
        if (json)
            json_array_append_new(json, series_json(s));
        if (i == 0 || strcmp(s->device, all.items[i - 1].device) != 0)
            gb_buf_printf(&text, "%s (%s)\n", s->device, s->kind);
        gb_buf_printf(&text, "  %5zu nights  %s  %s .. %s\n", s->nights, s->case_id, s->first_run,
                      s->last_run);
    }
    gb_series_list_free(&all);
    return gb_cli_history_finish(cli, history, code, &text, json, &err);
}

static const gb_option list_options[] = {HISTORY_OPTION, FILTER_OPTION, HISTORY_JSON, {0}};
static const gb_verb verb_list = {.name = "history list",
                                  .arguments = "",
                                  .summary = "The cases, and how many nights there are of each",
                                  .options = list_options,
                                  .function = list};

static int show(gb_cli *cli)
{
    gb_history *history = NULL;
    gb_error err = {0};
    gb_buf text = {0}, notes = {0};
    gb_series_list one = {0};
    json_t *json = NULL;
    gb_code code = gb_cli_history_open(cli, GB_HISTORY_READ, &history, &err);
    if (!code)
        code = gb_history_find(history, cli->args.words.items[0], cli->args.device, &one, &err);
    if (!code && cli->json)
        code = gb_history_show_json(history, &one.items[0], &json, &err);
    else if (!code)
        code = gb_history_show_text(history, &one.items[0], cli->color_out, &text, &err);
    if (!code && cli->args.out)
        code = gb_history_show_plot(history, &one.items[0], cli->args.out, "gnuplot", &notes, &err);
    gb_cli_warn_lines(cli, "plots", &notes);
    gb_buf_free(&notes);
    gb_series_list_free(&one);
    return gb_cli_history_finish(cli, history, code, &text, json, &err);
}

static const gb_option show_options[] = {HISTORY_OPTION,
                                         DEVICE_OPTION,
                                         GB_OPTION_OUT("DIR", "also a plot, under DIR/plots"),
                                         HISTORY_JSON,
                                         {0}};
static const gb_verb verb_show = {.name = "history show",
                                  .arguments = "CASE",
                                  .summary = "One case: its level over time and its last nights",
                                  .details = "CASE is a case's name, a part of one or a glob.",
                                  .options = show_options,
                                  .min_words = 1,
                                  .max_words = 1,
                                  .function = show};

/* --- check ---------------------------------------------------------------------------------------
 */

static gb_code load_repeats(const gb_list *paths, gb_results *repeats, size_t *n, gb_error *err)
{
    for (*n = 0; *n < paths->n; (*n)++) {
        gb_code code = gb_results_load(paths->items[*n], false, &repeats[*n], err);
        if (code)
            return code;
    }
    return GB_OK;
}

/* The cases with a verdict, a line each: for scripts. GB_INVALID: no such verdict. */
static gb_code list_names(const gb_history_report *report, const char *word, gb_buf *out,
                          gb_error *err)
{
    const char *words[GB_NIGHT_VERDICT_COUNT];
    bool known = false;
    for (int i = 0; i < GB_NIGHT_VERDICT_COUNT; i++) {
        words[i] = gb_night_word((gb_night_verdict)i);
        known = known || strcmp(words[i], word) == 0;
    }
    if (!known) {
        const char *near = gb_text_nearest(word, words, GB_NIGHT_VERDICT_COUNT);
        return gb_fail(err, GB_INVALID, "--names: there is no verdict '%s'%s%s%s", word,
                       near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }
    gb_buf_add(out, "");
    for (size_t i = 0; i < report->n; i++) {
        if (strcmp(gb_night_word(report->items[i].verdict), word) == 0)
            gb_buf_printf(out, "%s\n", report->items[i].series.case_id);
    }
    return GB_OK;
}

static int check(gb_cli *cli)
{
    gb_history *history = NULL;
    gb_history_report report = {0};
    gb_error err = {0};
    gb_buf text = {0};
    char *run = NULL;
    json_t *json = NULL;
    size_t n = 0;
    gb_results *repeats = calloc(cli->args.confirmed.n + 1, sizeof *repeats);
    if (!repeats)
        return gb_cli_out_of_memory(cli);
    gb_code code = gb_cli_history_run(cli->args.run, &run, &err);
    if (!code)
        code = load_repeats(&cli->args.confirmed, repeats, &n, &err);
    if (!code)
        code = gb_cli_history_open(cli, GB_HISTORY_READ, &history, &err);
    gb_history_check_options options = {run, repeats, n};
    if (!code)
        code = gb_history_check(history, &options, &report, &err);
    if (!code && cli->args.names)
        code = list_names(&report, cli->args.names, &text, &err);
    else if (!code)
        code = cli->json ? gb_history_report_json(&report, &json, &err)
                         : gb_history_report_text(&report, cli->color_out, &text, &err);
    bool regressed = !code && gb_history_regressed(&report);
    gb_history_report_free(&report);
    for (size_t i = 0; i < n; i++)
        gb_results_free(&repeats[i]);
    free(repeats);
    free(run);
    int status = gb_cli_history_finish(cli, history, code, &text, json, &err);
    return regressed ? gb_exit_worse(status, GB_EXIT_REGRESSION) : status;
}

static const gb_option check_options[] = {
    HISTORY_OPTION,
    {.name = "run",
     .kind = GB_OPT_TEXT,
     .argument = "RUN",
     .help = "the run to judge, its id or directory (the last one)",
     .offset = offsetof(gb_args, run)},
    {.name = "confirmed",
     .kind = GB_OPT_LIST,
     .argument = "DIR",
     .help = "a fresh run of the doubtful cases; may be repeated",
     .offset = offsetof(gb_args, confirmed)},
    {.name = "names",
     .kind = GB_OPT_TEXT,
     .argument = "VERDICT",
     .help = "only the ids of the cases with that verdict, a line each: --names suspect",
     .offset = offsetof(gb_args, names)},
    HISTORY_JSON,
    {0}};
static const gb_verb verb_check = {
    .name = "history check",
    .arguments = "",
    .summary = "Judge the last run by the nights before it; 1 when it is slower",
    .details = "A night that stands out is suspect until two fresh runs of the case agree; a level "
               "that changed is found over some nights and stays until it is accepted. Exit status "
               "1 comes from a confirmed slower night, a slower level, or one that creeps away "
               "from its reference, and from nothing else.",
    .options = check_options,
    .function = check};

static const gb_verb *const parts[] = {&gb_verb_history_add,
                                       &verb_list,
                                       &verb_show,
                                       &verb_check,
                                       &gb_verb_history_accept,
                                       &gb_verb_history_prune,
                                       &gb_verb_history_export,
                                       NULL};
const gb_verb gb_verb_history = {
    .name = "history",
    .arguments = "VERB",
    .summary = "Keep runs over time, and find what became slower",
    .details = "A history is one SQLite file. Rules and figures: docs/history.md.",
    .parts = parts};
