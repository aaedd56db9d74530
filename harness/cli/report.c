/* `gpubench report`: from run directories alone, no device needed. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/option_rows.h"
#include "cli/session.h"
#include "reports/merge.h"

static const gb_option report_options[] = {
    GB_OPTION_OUT("DIR", "where the report goes (default: into the run directory; of several runs: "
                         "results/report-TIME)"),
    {.name = "table",
     .kind = GB_OPT_FLAG,
     .help = "the table alone, nothing is written",
     .offset = offsetof(gb_args, table)},
    GB_OPTION_NO_PLOTS,
    GB_OPTION_JSON("the results as one JSON document in place of the table"),
    {0}};

/* The runs that a report is on. */
typedef struct inputs {
    size_t n;
    char **dirs;         /* owned */
    const char **names;  /* what the report calls them: a directory's last name, or all of it */
    gb_results *results; /* emptied by merging */
} inputs;

static void inputs_free(inputs *in)
{
    for (size_t i = 0; in->dirs && in->results && i < in->n; i++) {
        free(in->dirs[i]);
        gb_results_free(&in->results[i]);
    }
    free(in->dirs);
    free(in->names);
    free(in->results);
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

/* DIR/results.csv again, whole or not at all: a run that was killed has none. */
static gb_code write_csv(const char *dir, const gb_results *results, gb_error *err)
{
    const json_t *devices = json_object_get(results->document, "devices");
    char *csv = gb_results_csv(devices, results->records, results->n);
    gb_buf text = {.failed = csv == NULL};
    gb_buf_add(&text, csv ? csv : "");
    gb_code code = gb_cli_write_text(dir, "results.csv", &text, err);
    gb_buf_free(&text);
    free(csv);
    return code;
}

static bool same_directory(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static const char *last_name(const char *dir)
{
    const char *slash = strrchr(dir, '/');
    return slash && slash[1] ? slash + 1 : dir;
}

/* The last name of each directory; all of them whole where two are the same or say nothing. */
static void name_inputs(inputs *in)
{
    bool whole = false;
    for (size_t i = 0; i < in->n; i++) {
        in->names[i] = last_name(in->dirs[i]);
        whole |= in->names[i][0] == '.';
        for (size_t j = 0; j < i; j++)
            whole |= strcmp(in->names[i], in->names[j]) == 0;
    }
    for (size_t i = 0; whole && i < in->n; i++)
        in->names[i] = in->dirs[i];
}

static const char *run_id(const gb_results *results)
{
    const char *id =
        json_string_value(json_object_get(json_object_get(results->document, "run"), "id"));
    return id && id[0] ? id : NULL;
}

/* The same records twice would look like two runs that agree. */
static gb_code refuse_twice(const inputs *in, size_t i, gb_error *err)
{
    const char *id = run_id(&in->results[i]);
    for (size_t j = 0; j < i; j++) {
        const char *other = run_id(&in->results[j]);
        if (same_directory(in->dirs[i], in->dirs[j]))
            return gb_fail(err, GB_INVALID, "%s is given twice (also as %s)", in->dirs[i],
                           in->dirs[j]);
        if (id && other && strcmp(id, other) == 0)
            return gb_fail(err, GB_INVALID, "%s and %s are the same run (run.id %s): give one",
                           in->dirs[j], in->dirs[i], id);
    }
    return GB_OK;
}

static void warn_about(const gb_cli *cli, const char *dir, const gb_results *results)
{
    if (results->damaged) {
        gb_cli_warn(
            cli, "damaged",
            "%s: results.json is damaged: the records are those of cases.jsonl; what it said "
            "of devices, suite and host is lost, and the run cannot be resumed",
            dir);
        return;
    }
    if (results->torn)
        gb_cli_warn(cli, "torn-line", "%s: the last line of cases.jsonl was torn and left out",
                    dir);
    if (!results->complete)
        gb_cli_warn(cli, "incomplete", "%s: the run did not finish; go on with --resume", dir);
    if (results->n == 0)
        gb_cli_warn(cli, "no-records", "%s: no case has a record", dir);
}

static gb_code load_inputs(const gb_cli *cli, inputs *in, gb_error *err)
{
    const gb_list *words = &cli->args.words;
    in->dirs = calloc(words->n, sizeof *in->dirs);
    in->names = calloc(words->n, sizeof *in->names);
    in->results = calloc(words->n, sizeof *in->results);
    if (!in->dirs || !in->names || !in->results)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < words->n; i++) {
        gb_code code = gb_cli_load_results(words->items[i], &in->results[i], err);
        if (code == GB_INVALID)
            code = gb_results_rescue(words->items[i], &in->results[i], NULL) ? code : GB_OK;
        if (code)
            return code;
        in->n = i + 1;
        in->dirs[i] = gb_cli_run_dir(words->items[i]);
        if (!in->dirs[i])
            return gb_fail(err, GB_NO_MEMORY, "out of memory");
        size_t length = strlen(in->dirs[i]);
        while (length > 1 && in->dirs[i][length - 1] == '/')
            in->dirs[i][--length] = '\0';
        code = refuse_twice(in, i, err);
        if (code)
            return code;
        warn_about(cli, in->dirs[i], &in->results[i]);
    }
    name_inputs(in);
    return GB_OK;
}

/* results/report-TIME, with a number behind it when that is taken. */
static gb_code make_default_place(char **place, gb_error *err)
{
    char now[32];
    time_t seconds = time(NULL);
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(now, sizeof now, "%Y-%m-%dT%H.%M.%SZ", &utc);
    gb_code code = gb_cli_make_directory("results", err);
    for (int i = 1; !code && i < 1000; i++) {
        *place = i > 1 ? gb_text_format("results/report-%s-%d", now, i)
                       : gb_text_format("results/report-%s", now);
        if (!*place)
            return gb_fail(err, GB_NO_MEMORY, "out of memory");
        if (mkdir(*place, 0777) == 0)
            return GB_OK;
        if (errno != EEXIST)
            return gb_fail_at(err, GB_IO, *place, 0, 0, "cannot be made: %s; give --out DIR",
                              strerror(errno));
        free(*place);
        *place = NULL;
    }
    return code ? code : gb_fail(err, GB_IO, "results: no name is free; give --out DIR");
}

static bool has_file(const char *dir, const char *name)
{
    char *path = gb_text_format("%s/%s", dir, name);
    struct stat facts;
    bool there = path && lstat(path, &facts) == 0;
    free(path);
    return there;
}

/* A run directory's report, CSV and plots are of its own records: those of another run would stand
 * there for it. A copy of the run itself is fine. */
static gb_code refuse_other_run(const char *out, const inputs *in, gb_error *err)
{
    if (!has_file(out, "results.json") && !has_file(out, "cases.jsonl"))
        return GB_OK;
    if (in->n > 1)
        return gb_fail(err, GB_INVALID,
                       "%s is a run: the report of several would replace its own; give --out an "
                       "empty or a new directory",
                       out);
    if (same_directory(out, in->dirs[0]))
        return GB_OK;
    gb_results there;
    const char *id = run_id(&in->results[0]);
    bool same = false;
    if (gb_results_load(out, false, &there, NULL) == GB_OK) {
        const char *other = run_id(&there);
        same = id && other && strcmp(id, other) == 0;
        gb_results_free(&there);
    }
    return same ? GB_OK
                : gb_fail(err, GB_INVALID,
                          "%s is another run: the report of %s would replace its own; give --out "
                          "an empty or a new directory",
                          out, in->dirs[0]);
}

/* Where the report goes; *place stays NULL when nothing is to be written. The caller frees it. */
static gb_code choose_place(const gb_cli *cli, const inputs *in, char **place, gb_error *err)
{
    const char *out = cli->args.out;
    if (cli->args.table)
        return GB_OK;
    if (!out && in->n > 1)
        return make_default_place(place, err);
    gb_code code = out ? refuse_other_run(out, in, err) : GB_OK;
    if (!code && out)
        code = gb_cli_make_directory(out, err);
    if (code)
        return code;
    *place = gb_text_copy(out ? out : in->dirs[0]);
    if (!*place)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    if (access(*place, W_OK))
        return gb_fail_at(err, GB_IO, *place, 0, 0, "cannot be written: %s%s", strerror(errno),
                          out ? "" : "; --out DIR puts the report elsewhere");
    return GB_OK;
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
    inputs in = {0};
    gb_results merged = {0};
    gb_error err = {0}, no_place = {0};
    char *place = NULL;
    gb_code code = load_inputs(cli, &in, &err);
    if (!code && in.n > 1)
        code = gb_results_merge(in.results, in.names, in.n, &merged, &err);
    if (code) {
        inputs_free(&in);
        return gb_cli_fail(cli, gb_exit_of_code(code), &err);
    }
    const gb_results *results = in.n > 1 ? &merged : &in.results[0];
    /* Where nothing can be written, the table is worth showing all the same. */
    gb_code placed = choose_place(cli, &in, &place, &no_place);
    int status = gb_cli_report(cli, placed ? NULL : place, results);
    if (placed) {
        status = gb_exit_worse(status, gb_cli_fail(cli, gb_exit_of_code(placed), &no_place));
    } else if (place) {
        /* The CSV of a whole results.json says more than what is left of a damaged one. */
        code = results->damaged && !cli->args.out ? GB_OK : write_csv(place, results, &err);
        if (code)
            status = gb_exit_worse(status, gb_cli_fail(cli, gb_exit_of_code(code), &err));
        else if (!status)
            gb_cli_note(cli, "report: %s/report.html", place);
    }
    if (cli->json)
        gb_cli_print_json(cli, document(results));
    free(place);
    gb_results_free(&merged);
    inputs_free(&in);
    return status;
}

const gb_verb gb_verb_report = {
    .name = "report",
    .arguments = "DIR...",
    .summary = "Make table, plots, pages and CSV of run directories again",
    .details = "DIR may have been copied from another machine; no device is needed. A "
               "results.json stands for the directory that it is in. Several runs come into one "
               "report, side by side on the same axes, which is written to a directory of its own.",
    .options = report_options,
    .min_words = 1,
    .max_words = 64,
    .function = report};
