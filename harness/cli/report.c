/* `gpubench report`: from a run directory alone, no device needed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/session.h"

static const gb_option report_options[] = {{.name = "no-plots",
                                            .kind = GB_OPT_FLAG,
                                            .help = "the table alone, nothing is written",
                                            .offset = offsetof(gb_args, no_plots)},
                                           {.name = "json",
                                            .kind = GB_OPT_FLAG,
                                            .help = "the results as one JSON document in place of "
                                                    "the table",
                                            .offset = offsetof(gb_args, json)},
                                           {0}};

/* DIR/results.csv again, whole or not at all: a run that was killed has none. */
static gb_code write_csv(const char *dir, const gb_results *results, gb_error *err)
{
    const json_t *devices = json_object_get(results->document, "devices");
    char *text = gb_results_csv(devices, results->records, results->n);
    char *path = gb_text_format("%s/results.csv", dir);
    char *temporary = gb_text_format("%s/results.csv.tmp", dir);
    gb_code code = GB_OK;
    FILE *file = NULL;
    if (!text || !path || !temporary) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
        goto done;
    }
    file = fopen(temporary, "we");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    if (!written || rename(temporary, path) != 0) {
        code = gb_fail_at(err, GB_IO, path, 0, 0, "cannot be written: %s", strerror(errno));
        unlink(temporary);
    }
done:
    free(temporary);
    free(path);
    free(text);
    return code;
}

char *gb_cli_run_dir(const char *path)
{
    struct stat facts;
    const char *slash = strrchr(path, '/');
    if (stat(path, &facts) || S_ISDIR(facts.st_mode))
        return gb_text_copy(path);
    if (!slash)
        return gb_text_copy(".");
    return slash == path ? gb_text_copy("/") : gb_text_format("%.*s", (int)(slash - path), path);
}

/* results.json as it would be now: the head with the records that there are. New reference. */
static json_t *document(const gb_results *results)
{
    json_t *whole = json_deep_copy(results->document);
    json_t *records = json_array();
    for (size_t i = 0; records && i < results->n; i++)
        json_array_append_new(records, gb_record_json(&results->records[i], false));
    json_object_set_new(whole, "complete", json_boolean(results->complete));
    json_object_set_new(whole, "records", records);
    return whole;
}

static int report(gb_cli *cli)
{
    struct stat facts;
    const char *path = cli->args.words.items[0];
    gb_results results = {0};
    gb_error err = {0};
    gb_code code = gb_results_load(path, false, &results, &err);
    if (code)
        return gb_cli_fail(cli, gb_exit_of_code(code), &err);
    char *dir = gb_cli_run_dir(path);
    if (!dir) {
        gb_results_free(&results);
        return gb_cli_out_of_memory(cli);
    }
    if (results.torn)
        gb_cli_warn(cli, "torn-line", "%s: the last line of cases.jsonl was torn and left out",
                    dir);
    if (!results.complete)
        gb_cli_warn(cli, "incomplete", "%s: the run did not finish; go on with --resume", dir);
    if (results.n == 0)
        gb_cli_warn(cli, "no-records", "%s: no case has a record", dir);
    int status = gb_cli_report(cli, dir, &results);
    if (cli->json)
        gb_cli_print_json(cli, document(&results));
    if (!cli->args.no_plots && stat(dir, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        code = write_csv(dir, &results, &err);
        if (code)
            status = gb_exit_worse(status, gb_cli_fail(cli, gb_exit_of_code(code), &err));
    }
    gb_results_free(&results);
    free(dir);
    return status;
}

const gb_verb gb_verb_report = {
    .name = "report",
    .arguments = "DIR",
    .summary = "Make the table, the plots and the CSV of a run directory again",
    .details = "DIR may have been copied from another machine; no device is needed. A "
               "results.json stands for the directory that it is in.",
    .options = report_options,
    .min_words = 1,
    .max_words = 1,
    .function = report};
