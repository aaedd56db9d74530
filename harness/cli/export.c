/* `gpubench export`: a run in other tools' formats. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/compare.h"
#include "cli/option_rows.h"
#include "reports/export/export.h"
#include "reports/page/html.h"

static const gb_option options[] = {
    {.name = "to",
     .kind = GB_OPT_LIST,
     .argument = "FORMAT",
     .help = "csv, junit, prometheus, github-smaller, github-bigger or google-benchmark; may be "
             "repeated",
     .offset = offsetof(gb_args, to)},
    GB_OPTION_OUT("PATH",
                  "a file, or with several formats a folder (default: stdout, for one format)"),
    GB_OPTION_BASELINE(
        "compare with it first: what is slower fails in junit, and is counted in prometheus"),
    GB_OPTION_THRESHOLD,
    {0}};

static gb_code find_format(const char *name, const gb_export_format **out, gb_error *err)
{
    const char *names[16];
    size_t n = 0;
    gb_buf list = {0};
    for (; gb_export_formats[n].name; n++) {
        if (strcmp(gb_export_formats[n].name, name) == 0) {
            *out = &gb_export_formats[n];
            gb_buf_free(&list);
            return GB_OK;
        }
        names[n] = gb_export_formats[n].name;
        gb_buf_printf(&list, "%s%s", n ? ", " : "", names[n]);
    }
    const char *near = gb_text_nearest(name, names, n);
    gb_fail(err, GB_INVALID, "--to: '%s' is none of %s%s%s%s", name, list.data ? list.data : "",
            near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    gb_buf_free(&list);
    return GB_INVALID;
}

/* All formats are known before the first is written. */
static gb_code find_formats(const gb_list *names, const gb_export_format *out[], gb_error *err)
{
    gb_code code = names->n > 0 ? GB_OK
                                : gb_fail(err, GB_INVALID,
                                          "--to FORMAT is missing: csv, junit, prometheus, "
                                          "github-smaller, github-bigger or google-benchmark");
    for (size_t i = 0; !code && i < names->n; i++)
        code = find_format(names->items[i], &out[i], err);
    return code;
}

/* Where a format's file goes: in the folder `out` under its usual name when there are several, or
 * when `out` is a folder; else `out` itself. The caller frees. */
static char *path_for(const char *out, const gb_export_format *format, bool several)
{
    struct stat facts;
    bool folder = several || (stat(out, &facts) == 0 && S_ISDIR(facts.st_mode));
    return folder ? gb_text_format("%s/%s", out, format->file) : gb_text_copy(out);
}

static gb_code write_one(gb_cli *cli, const gb_exported *what, const gb_export_format *format,
                         bool several, gb_error *err)
{
    gb_buf text = {0};
    gb_code code = format->write(what, &text, err);
    const char *out = cli->args.out;
    if (!code && out && strcmp(out, "-") != 0) {
        char *path = path_for(out, format, several);
        code = path ? gb_page_write(path, &text, err) : gb_fail(err, GB_NO_MEMORY, "out of memory");
        if (!code)
            gb_cli_note(cli, "written: %s", path);
        free(path);
    } else if (!code) {
        gb_cli_print(cli, text.data ? text.data : "");
    }
    gb_buf_free(&text);
    return code;
}

static gb_code write_all(gb_cli *cli, const gb_exported *what,
                         const gb_export_format *const formats[], size_t n, gb_error *err)
{
    const char *out = cli->args.out;
    if (n > 1 && (!out || strcmp(out, "-") == 0))
        return gb_fail(err, GB_INVALID, "several formats need a folder: --out DIR");
    gb_code code = n > 1 ? gb_cli_make_directory(out, err) : GB_OK;
    for (size_t i = 0; !code && i < n; i++)
        code = write_one(cli, what, formats[i], n > 1, err);
    return code;
}

/* What one export works on. */
typedef struct exported {
    gb_results run, *earlier;
    size_t n_earlier;
    gb_table table;
    gb_comparison comparison;
} exported;

static gb_code load(gb_cli *cli, exported *e, gb_exported *what, gb_error *err)
{
    const gb_list *baselines = &cli->args.baseline;
    gb_compare_options how;
    gb_code code = gb_results_load(cli->args.words.items[0], false, &e->run, err);
    if (!code)
        code = gb_table_make(&e->run, &e->table, err);
    *what = (gb_exported){.results = &e->run, .table = &e->table};
    if (code || baselines->n == 0)
        return code;
    e->earlier = calloc(baselines->n, sizeof *e->earlier);
    code = e->earlier ? gb_cli_compare_options(cli, &how, err)
                      : gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (size_t i = 0; !code && i < baselines->n; i++) {
        code = gb_results_load(baselines->items[i], false, &e->earlier[i], err);
        e->n_earlier += !code;
    }
    if (!code)
        code = gb_compare_results(&e->earlier[0], &e->run, e->earlier + 1, e->n_earlier - 1, &how,
                                  &e->comparison, err);
    what->comparison = &e->comparison;
    return code;
}

static void release(exported *e)
{
    gb_comparison_free(&e->comparison);
    gb_table_free(&e->table);
    for (size_t i = 0; i < e->n_earlier; i++)
        gb_results_free(&e->earlier[i]);
    free(e->earlier);
    gb_results_free(&e->run);
}

static int export(gb_cli *cli)
{
    exported e = {0};
    gb_exported what;
    gb_error err = {0};
    const gb_list *names = &cli->args.to;
    const gb_export_format **formats = calloc(names->n + 1, sizeof *formats);
    if (!formats)
        return gb_cli_out_of_memory(cli);
    gb_code code = find_formats(names, formats, &err);
    if (!code)
        code = load(cli, &e, &what, &err);
    if (!code && !e.run.complete)
        gb_cli_warn(cli, "incomplete", "%s: the run did not finish", cli->args.words.items[0]);
    if (!code)
        code = write_all(cli, &what, formats, names->n, &err);
    release(&e);
    free(formats);
    return code ? gb_cli_fail(cli, gb_exit_of_code(code), &err) : GB_EXIT_OK;
}

const gb_verb gb_verb_export = {
    .name = "export",
    .arguments = "DIR",
    .summary = "Write a run in the formats of other tools",
    .details =
        "csv is results.csv; junit makes a test of each case; prometheus is for "
        "node_exporter's textfile collector; github-smaller and github-bigger are for "
        "github-action-benchmark; google-benchmark is what its compare.py reads. Values are "
        "the centres over the replicates; cases that failed have none. docs/exports.md shows "
        "each.",
    .options = options,
    .min_words = 1,
    .max_words = 1,
    .function = export};
