/* What the verbs of `gpubench history` share. */
#ifndef GB_CLI_HISTORY_H
#define GB_CLI_HISTORY_H

#include "cli/cli.h"
#include "cli/option_rows.h"
#include "reports/history/history.h"

#define HISTORY_OPTION                                                                             \
    {                                                                                              \
        .name = "history", .kind = GB_OPT_TEXT, .argument = "FILE",                                \
        .help = "the history ($GPUBENCH_HISTORY, else results/history.sqlite)",                    \
        .offset = offsetof(gb_args, history)                                                       \
    }
#define HISTORY_JSON GB_OPTION_JSON("one JSON document in place of text")
#define FILTER_OPTION                                                                              \
    {                                                                                              \
        .name = "filter", .letter = 'f', .kind = GB_OPT_LIST, .argument = "GLOB",                  \
        .help = "only cases that match; a part of the name is enough",                             \
        .offset = offsetof(gb_args, filter)                                                        \
    }
#define DEVICE_OPTION                                                                              \
    {                                                                                              \
        .name = "device", .kind = GB_OPT_TEXT, .argument = "NAME",                                 \
        .help = "of several devices, the one with this in its name",                               \
        .offset = offsetof(gb_args, device)                                                        \
    }

/* The history that --history names, or the default one. */
gb_code gb_cli_history_open(const gb_cli *cli, gb_history_mode mode, gb_history **out,
                            gb_error *err);
/* Closes the history, prints what was made of it (or the error) and frees it; the status. */
int gb_cli_history_finish(gb_cli *cli, gb_history *history, gb_code code, gb_buf *text,
                          json_t *json, const gb_error *err);
/* The id of a run that is given as such, or as its directory; NULL for NULL. The caller frees. */
gb_code gb_cli_history_run(const char *given, char **out, gb_error *err);
/* Opens it to be read, and finds the series that --filter is about; GB_INVALID when there are none.
 */
gb_code gb_cli_history_read(const gb_cli *cli, gb_history **history, gb_series_list *out,
                            gb_error *err);

extern const gb_verb gb_verb_history_add, gb_verb_history_accept, gb_verb_history_prune,
    gb_verb_history_export;

#endif
