/* `gpubench history accept`, `prune` and `export`. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/history.h"

static int accept_level(gb_cli *cli)
{
    gb_history *history = NULL;
    gb_error err = {0};
    gb_buf text = {0};
    gb_series_list chosen = {0};
    char *run = NULL, from[64];
    bool all = cli->args.all;
    gb_code code = GB_OK;
    if (all == (cli->args.words.n > 0))
        code = gb_fail(&err, GB_INVALID, "history accept: name a case, or give --all");
    if (!code)
        code = gb_cli_history_run(cli->args.run, &run, &err);
    if (!code)
        code = gb_cli_history_open(cli, GB_HISTORY_WRITE, &history, &err);
    if (!code)
        code = all ? gb_history_series(history, NULL, &chosen, &err)
                   : gb_history_find(history, cli->args.words.items[0], cli->args.device, &chosen,
                                     &err);
    for (size_t i = 0; !code && i < chosen.n; i++) {
        code = gb_history_accept(history, &chosen.items[i], run, cli->args.note, from, &err);
        if (!code)
            gb_buf_printf(&text, "%s: a new segment from run %s on\n", chosen.items[i].case_id,
                          from);
    }
    gb_series_list_free(&chosen);
    free(run);
    return gb_cli_history_finish(cli, history, code, &text, NULL, &err);
}

static const gb_option accept_options[] = {
    HISTORY_OPTION,
    DEVICE_OPTION,
    {.name = "all", .kind = GB_OPT_FLAG, .help = "every case", .offset = offsetof(gb_args, all)},
    {.name = "run",
     .kind = GB_OPT_TEXT,
     .argument = "RUN",
     .help = "from that run on (where the level changed last, or the last run)",
     .offset = offsetof(gb_args, run)},
    {.name = "note",
     .kind = GB_OPT_TEXT,
     .argument = "TEXT",
     .help = "why, for those who come later",
     .offset = offsetof(gb_args, note)},
    {0}};
const gb_verb gb_verb_history_accept = {.name = "history accept",
                                        .arguments = "[CASE]",
                                        .summary = "Take a level as the new one to judge by",
                                        .options = accept_options,
                                        .max_words = 1,
                                        .function = accept_level};

static int prune(gb_cli *cli)
{
    gb_history *history = NULL;
    gb_error err = {0};
    gb_buf text = {0};
    size_t removed = 0;
    gb_code code = GB_OK;
    if (!cli->args.keep.given)
        code = gb_fail(&err, GB_INVALID, "history prune: --keep NIGHTS is missing");
    if (!code)
        code = gb_cli_history_open(cli, GB_HISTORY_WRITE, &history, &err);
    if (!code)
        code = gb_history_prune(history, (size_t)cli->args.keep.value, &removed, &err);
    gb_buf_printf(&text, "%zu results removed\n", removed);
    return gb_cli_history_finish(cli, history, code, &text, NULL, &err);
}

static const gb_option prune_options[] = {HISTORY_OPTION,
                                          {.name = "keep",
                                           .kind = GB_OPT_COUNT,
                                           .argument = "NIGHTS",
                                           .help = "how many of each case stay, at least 60",
                                           .offset = offsetof(gb_args, keep),
                                           .min = GB_DRIFT_NIGHTS,
                                           .max = 1000000},
                                          {0}};
const gb_verb gb_verb_history_prune = {.name = "history prune",
                                       .arguments = "",
                                       .summary = "Forget old nights, never those of the reference",
                                       .options = prune_options,
                                       .function = prune};

static int export_all(gb_cli *cli)
{
    gb_history *history = NULL;
    gb_error err = {0};
    gb_buf text = {0};
    gb_series_list all = {0};
    json_t *json = NULL;
    const char *pattern = cli->args.filter.n > 0 ? cli->args.filter.items[0] : NULL;
    gb_code code = gb_cli_history_read(cli, &history, &all, &err);
    gb_series_list_free(&all);
    if (!code)
        code = cli->json ? gb_history_export_json(history, pattern, &json, &err)
                         : gb_history_export_csv(history, pattern, &text, &err);
    return gb_cli_history_finish(cli, history, code, &text, json, &err);
}

static const gb_option export_options[] = {HISTORY_OPTION, FILTER_OPTION, HISTORY_JSON, {0}};
const gb_verb gb_verb_history_export = {.name = "history export",
                                        .arguments = "",
                                        .summary = "Every night as CSV, or as JSON with --json",
                                        .options = export_options,
                                        .function = export_all};
