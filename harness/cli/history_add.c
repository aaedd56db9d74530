/* `gpubench history add`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/history.h"
#include "record/run_dir.h"

static gb_code add_one(gb_cli *cli, gb_history *history, const char *path,
                       const gb_history_add_options *options, gb_buf *text, json_t *list,
                       gb_error *err)
{
    gb_results results;
    gb_history_added added;
    gb_code code = gb_results_load(path, false, &results, err);
    if (code)
        return code;
    if (results.torn)
        gb_cli_warn(cli, "torn-line", "%s: the last line of cases.jsonl was torn and left out",
                    path);
    code = gb_history_add(history, &results, options, &added, err);
    gb_results_free(&results);
    if (code) {
        gb_fail_context(err, "%s", path);
        return code;
    }
    if (added.already)
        gb_buf_printf(text, "run %s was there already; nothing changed\n", added.run);
    else
        gb_buf_printf(text, "run %s%s%s: %zu cases, %zu of them new, %zu not to be judged\n",
                      added.run, options->repeat_of ? " repeats " : "",
                      options->repeat_of ? options->repeat_of : "", added.cases, added.new_series,
                      added.not_judged);
    if (added.no_value > 0)
        gb_cli_warn(cli, "no-value",
                    "%s: %zu case%s went well without a value, and will not be judged: %s", path,
                    added.no_value, added.no_value == 1 ? "" : "s", added.without);
    if (added.future)
        gb_cli_warn(cli, "clock",
                    "%s: run %s says that it began in the future: history check passes it over",
                    path, added.run);
    json_array_append_new(list,
                          json_pack("{s:s, s:b, s:i, s:i, s:i}", "run", added.run, "already",
                                    added.already, "cases", (int)added.cases, "new_series",
                                    (int)added.new_series, "not_judged", (int)added.not_judged));
    return GB_OK;
}

/* Whether a word can be a run at all. A shell's pattern also names the history, and folders of
 * others. */
static bool may_be_run(const char *path)
{
    static const char *const files[] = {"results.json", "cases.jsonl"};
    struct stat facts;
    bool found = false;
    if (stat(path, &facts) != 0)
        return true; /* the error about it comes from whoever opens it */
    size_t n = strlen(path);
    if (!S_ISDIR(facts.st_mode))
        return n > 5 && strcmp(path + n - 5, ".json") == 0;
    for (size_t i = 0; i < 2 && !found; i++) {
        char *file = gb_text_format("%s/%s", path, files[i]);
        found = !file || stat(file, &facts) == 0;
        free(file);
    }
    return found;
}

/* Each run is added whole or not at all. What cannot be one is left out, and so is, of several
 * words, a run that cannot be taken: the others are added, and the status is that of the first. */
static gb_code add_each(gb_cli *cli, gb_history *history, const gb_history_add_options *options,
                        gb_buf *text, json_t *list, gb_error *err)
{
    const gb_list *words = &cli->args.words;
    size_t tried = 0, wrong = 0;
    for (size_t i = 0; i < words->n; i++) {
        gb_error one = {0};
        if (words->n > 1 && !may_be_run(words->items[i])) {
            gb_cli_note(cli, "%s is no run, and left out", words->items[i]);
            continue;
        }
        tried++;
        gb_code code = add_one(cli, history, words->items[i], options, text, list, &one);
        if (code && wrong++ == 0)
            *err = one;
        else if (code)
            gb_cli_warn(cli, "not-added", "%s", one.message);
        if (code && code != GB_INVALID)
            return code;
    }
    if (tried == 0)
        return gb_fail(err, GB_INVALID, "there is no run among the %zu words", words->n);
    if (wrong > 0 && tried > 1)
        gb_fail_context(err, "%zu of %zu runs were not added", wrong, tried);
    return wrong > 0 ? GB_INVALID : GB_OK;
}

static int add(gb_cli *cli)
{
    gb_history *history = NULL;
    gb_error err = {0};
    gb_buf text = {0};
    char *repeated = NULL;
    json_t *list = json_array();
    gb_code code = gb_cli_history_run(cli->args.repeat_of, &repeated, &err);
    if (!code)
        code = gb_cli_history_open(cli, GB_HISTORY_CREATE, &history, &err);
    gb_history_add_options options = {cli->args.allow_incomplete, repeated};
    if (!code)
        code = add_each(cli, history, &options, &text, list, &err);
    if (code && text.data && !cli->json)
        gb_cli_print(cli, text.data);
    json_t *json = cli->json ? json_pack("{s:O}", "added", list) : NULL;
    json_decref(list);
    free(repeated);
    return gb_cli_history_finish(cli, history, code, &text, json, &err);
}

static const gb_option add_options[] = {
    HISTORY_OPTION,
    {.name = "allow-incomplete",
     .kind = GB_OPT_FLAG,
     .help = "take a run that did not finish as it is",
     .offset = offsetof(gb_args, allow_incomplete)},
    {.name = "repeat-of",
     .kind = GB_OPT_TEXT,
     .argument = "RUN",
     .help = "the runs repeat doubtful cases of that one (its id or directory)",
     .offset = offsetof(gb_args, repeat_of)},
    HISTORY_JSON,
    {0}};
const gb_verb gb_verb_history_add = {.name = "history add",
                                     .arguments = "DIR...",
                                     .summary =
                                         "Add runs; one that is there already changes nothing",
                                     .options = add_options,
                                     .min_words = 1,
                                     .max_words = 100000,
                                     .function = add};
