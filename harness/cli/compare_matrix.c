/* `gpubench compare` of machines: three run directories or more, or prices, or weights. */
#include "cli/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/forms.h"
#include "cli/session.h"
#include "cli/weights.h"
#include "kernels/kernel.h"
#include "reports/matrix/matrix.h"

/* What belongs to comparisons of two runs, where there are verdicts. */
static gb_code refuse_options(const gb_args *args, gb_error *err)
{
    const struct {
        bool given;
        const char *name;
    } options[] = {{args->baseline.n > 0, "baseline"},
                   {args->threshold != NULL, "threshold"},
                   {args->filter.n > 0, "filter"},
                   {args->gate, "gate"},
                   {args->allow_missing, "allow-missing"},
                   {args->strict_environment, "strict-environment"},
                   {args->both_directions, "both-directions"},
                   {args->require_decision, "require-decision"},
                   {args->strict, "strict"},
                   {args->require_baseline, "require-baseline"},
                   {args->all, "all"}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].given)
            return gb_fail(err, GB_INVALID,
                           "--%s is for comparing one run with another; machines side by side get "
                           "no verdict",
                           options[i].name);
    return GB_OK;
}

/* Holds a run against what it follows from; what that says goes into *run. *text is owned. */
static gb_code verify(const char *path, gb_matrix_run *run, char **text, gb_error *err)
{
    char *report = NULL;
    gb_error why = {0};
    gb_code code = gb_results_verify(path, gb_kernel_catalog(), &report, &why);
    run->differences = code ? -1 : 0;
    if (code == GB_WRONG_RESULT) {
        run->differences = 0;
        for (const char *line = report; line && *line; line += strcspn(line, "\n") + 1) {
            run->differences += strncmp(line, "note: ", 6) != 0;
            if (!strchr(line, '\n'))
                break;
        }
        if (run->differences == 0) /* it says that there are some */
            run->differences = 1;
    } else if (code == GB_NO_MEMORY) {
        free(report);
        return gb_fail(err, code, "%s", why.message);
    }
    free(report);
    if (run->differences < 0) {
        *text = gb_text_copy(why.message);
        run->unchecked = *text;
        return *text ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    }
    return GB_OK;
}

/* What the command line says about machines and classes, and what follows from all. */
static gb_code fill(const gb_cli *cli, gb_matrix *matrix, gb_error *err)
{
    const gb_args *args = &cli->args;
    gb_code code = GB_OK;
    for (size_t i = 0; !code && i < args->price.n; i++)
        code = gb_matrix_price(matrix, args->price.items[i], err);
    if (!code && args->currency) {
        matrix->currency = gb_text_printable(args->currency);
        if (!matrix->currency)
            code = gb_fail(err, GB_NO_MEMORY, "out of memory");
        else if (strlen(args->currency) > 20)
            code = gb_fail(err, GB_INVALID,
                           "--currency takes a short text such as EUR (20 bytes at the most)");
    }
    if (!code && args->weights)
        code = gb_cli_weights(args->weights, matrix, err);
    return code ? code : gb_matrix_fill(matrix, err);
}

static gb_code text_form(const gb_cli *cli, const void *what, gb_buf *out, gb_error *err)
{
    return gb_matrix_text(what, cli->color_out, out, err);
}

static gb_code json_form(const void *what, json_t **out, gb_error *err)
{
    return gb_matrix_json(what, out, err);
}

static gb_code markdown_form(const void *what, gb_buf *out, gb_error *err)
{
    return gb_matrix_markdown(what, out, err);
}

static gb_code page_form(const void *what, const char *dir, gb_buf *notes, gb_error *err)
{
    return gb_matrix_page(what, dir, "gnuplot", notes, err);
}

static int show(gb_cli *cli, const gb_matrix *matrix)
{
    const gb_forms forms = {matrix,    "procurement", matrix->warnings, text_form,
                            json_form, markdown_form, page_form};
    return gb_cli_show(cli, &forms, cli->args.out);
}

int gb_cli_compare_matrix(gb_cli *cli)
{
    const gb_list *words = &cli->args.words;
    size_t n = words->n;
    int status = GB_EXIT_OK;
    gb_error err = {0};
    gb_matrix matrix = {0};
    gb_results *results = calloc(n + 1, sizeof results[0]);
    gb_matrix_run *runs = calloc(n + 1, sizeof runs[0]);
    char **texts = calloc(n + 1, sizeof texts[0]);
    gb_code code = results && runs && texts ? refuse_options(&cli->args, &err)
                                            : gb_fail(&err, GB_NO_MEMORY, "out of memory");
    for (size_t i = 0; !code && i < n; i++) {
        runs[i] = (gb_matrix_run){.results = &results[i], .path = words->items[i]};
        code = gb_results_load(words->items[i], false, &results[i], &err);
        if (!code)
            code = verify(words->items[i], &runs[i], &texts[i], &err);
    }
    if (!code)
        code = gb_matrix_open(runs, n, &matrix, &err);
    if (!code)
        code = fill(cli, &matrix, &err);
    status = code ? gb_cli_fail(cli, gb_exit_of_code(code), &err) : show(cli, &matrix);
    gb_matrix_free(&matrix);
    for (size_t i = 0; results && texts && i < n; i++) {
        gb_results_free(&results[i]);
        free(texts[i]);
    }
    free(texts);
    free(results);
    free(runs);
    return status;
}
