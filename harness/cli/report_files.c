/* What `run` and `report` make of results: the table on stdout, plots and pages in a directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "reports/page/html.h"
#include "reports/page/report_page.h"
#include "reports/plot/plots.h"

/* The expectations that results.json holds, a line each. */
static void show_expectations(const json_t *document, gb_buf *out)
{
    const json_t *list = json_object_get(document, "expectations");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        char *text = gb_text_printable(json_string_value(json_object_get(one, "text")));
        gb_buf_printf(out, "%sexpected %s: %s: %s\n", i ? "" : "\n", text ? text : "",
                      json_string_value(json_object_get(one, "outcome")),
                      json_string_value(json_object_get(one, "detail")));
        free(text);
    }
}

static gb_code write_files(gb_cli *cli, const char *dir, const gb_results *results, gb_error *err)
{
    gb_buf notes = {0}, page = {0}, text = {0};
    gb_pictures pictures = {0};
    gb_code code = GB_OK;
    if (!cli->args.no_plots)
        code = gb_report_plots(results, dir, "gnuplot", &pictures, &notes, err);
    gb_cli_warn_lines(cli, "plots", &notes);
    if (!code)
        code = gb_report_page(results, &pictures, &page, err);
    if (!code)
        code = gb_cli_write_text(dir, "report.html", &page, err);
    if (!code)
        code = gb_report_markdown(results, &pictures, GB_MARKDOWN_LIMIT, &text, err);
    if (!code)
        code = gb_cli_write_text(dir, "report.md", &text, err);
    gb_pictures_free(&pictures);
    gb_buf_free(&notes);
    gb_buf_free(&page);
    gb_buf_free(&text);
    return code;
}

int gb_cli_report(gb_cli *cli, const char *dir, const gb_results *results)
{
    gb_error err = {0};
    gb_buf table = {0};
    gb_code code = cli->json ? GB_OK : gb_report_table(results, cli->color_out, &table, &err);
    if (!code && !cli->json)
        show_expectations(results->document, &table);
    if (table.data && !table.failed)
        gb_cli_print(cli, table.data);
    gb_buf_free(&table);
    if (!code && dir)
        code = write_files(cli, dir, results, &err);
    return code ? gb_cli_fail(cli, gb_exit_of_code(code), &err) : GB_EXIT_OK;
}

static bool shows_samples(const json_t *document)
{
    const json_t *plots = json_object_get(json_object_get(document, "suite"), "plots");
    for (size_t i = 0; i < json_array_size(plots); i++) {
        const char *type = json_string_value(json_object_get(json_array_get(plots, i), "type"));
        if (type && strcmp(type, "distribution") == 0)
            return true;
    }
    return false;
}

gb_code gb_cli_load_results(const char *path, gb_results *out, gb_error *err)
{
    gb_code code = gb_results_load(path, false, out, err);
    gb_results whole;
    if (!code && shows_samples(out->document) &&
        gb_results_load(path, true, &whole, NULL) == GB_OK) {
        gb_results_free(out);
        *out = whole;
    }
    return code;
}
