/* `gpubench compare`: verdicts on two runs, from their directories alone. */
#include "cli/compare.h"
#include "cli/forms.h"
#include "cli/option_rows.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "record/run_dir.h"

#define MARKDOWN_LINES 50

static const gb_option options[] = {
    GB_OPTION_BASELINE("a further earlier run; from 3 on their spread decides; may be repeated"),
    GB_OPTION_THRESHOLD,
    GB_OPTION_FILTER,
    GB_OPTION_GATE("for CI: missing and failed cases and other devices fail too"),
    GB_OPTION_ALLOW_MISSING,
    {.name = "cross-device",
     .kind = GB_OPT_FLAG,
     .help = "runs of different devices: their ratios, without a verdict",
     .offset = offsetof(gb_args, cross_device)},
    {.name = "strict-environment",
     .kind = GB_OPT_FLAG,
     .help = "another driver, runtime, build or host is an error",
     .offset = offsetof(gb_args, strict_environment)},
    {.name = "both-directions",
     .kind = GB_OPT_FLAG,
     .help = "a case that became faster fails as well",
     .offset = offsetof(gb_args, both_directions)},
    GB_OPTION_REQUIRE_DECISION,
    GB_OPTION_STRICT("the same as --require-decision"),
    GB_OPTION_REQUIRE_BASELINE("exit 2 when there is no baseline to compare with"),
    {.name = "all",
     .kind = GB_OPT_FLAG,
     .help = "list the cases that are the same, too",
     .offset = offsetof(gb_args, all)},
    GB_OPTION_JSON("the comparison as one JSON document"),
    {.name = "markdown",
     .kind = GB_OPT_TEXT,
     .argument = "FILE",
     .help = "write it as Markdown as well",
     .offset = offsetof(gb_args, markdown)},
    GB_OPTION_OUT("DIR",
                  "write compare.html, .json and .md there (of machines: procurement.html, ...)"),
    {.name = "price",
     .kind = GB_OPT_LIST,
     .argument = "RUN=PRICE",
     .help = "machines: R1=2.10/h or R1=30000, :N behind it when for N cards; may be repeated",
     .offset = offsetof(gb_args, price)},
    {.name = "currency",
     .kind = GB_OPT_TEXT,
     .argument = "TEXT",
     .help = "machines: what prices are in",
     .offset = offsetof(gb_args, currency)},
    {.name = "weights",
     .kind = GB_OPT_TEXT,
     .argument = "FILE",
     .help = "machines: one score each, by these weights of the classes (YAML)",
     .offset = offsetof(gb_args, weights)},
    {0}};

gb_code gb_cli_compare_options(const gb_cli *cli, gb_compare_options *out, gb_error *err)
{
    const gb_args *args = &cli->args;
    *out = (gb_compare_options)GB_COMPARE_DEFAULTS;
    out->gate = args->gate;
    out->cross_device = args->cross_device;
    out->allow_missing = args->allow_missing;
    out->strict_environment = args->strict_environment;
    out->both_directions = args->both_directions;
    out->filters = args->filter.items;
    out->n_filters = args->filter.n;
    for (size_t i = 0; i < args->filter.n; i++) {
        if (args->filter.items[i][0] == '\0')
            return gb_fail(err, GB_INVALID,
                           "an empty filter selects nothing; leave it out to "
                           "compare everything");
    }
    gb_error why;
    if (args->threshold && gb_parse_percent(args->threshold, &out->threshold, &why))
        return gb_fail(err, GB_INVALID, "--threshold: %s", why.message);
    return GB_OK;
}

int gb_cli_comparison_status(const gb_cli *cli, const gb_comparison *comparison)
{
    bool undecided = !gb_comparison_decided(comparison);
    int status = GB_EXIT_OK;
    if (gb_comparison_regressed(comparison))
        status = GB_EXIT_REGRESSION;
    if (comparison->options.gate && gb_comparison_incomplete(comparison, &comparison->options))
        status = gb_exit_worse(status, GB_EXIT_CASE);
    if ((cli->args.require_decision || cli->args.strict) && undecided)
        status = gb_exit_worse(status, GB_EXIT_STRICT);
    return status;
}

static gb_code text_form(const gb_cli *cli, const void *what, gb_buf *out, gb_error *err)
{
    return gb_comparison_text(what, cli->args.all, cli->color_out, out, err);
}

static gb_code json_form(const void *what, json_t **out, gb_error *err)
{
    return gb_comparison_json(what, out, err);
}

static gb_code markdown_form(const void *what, gb_buf *out, gb_error *err)
{
    return gb_comparison_markdown(what, MARKDOWN_LINES, out, err);
}

static gb_code page_form(const void *what, const char *dir, gb_buf *notes, gb_error *err)
{
    return gb_comparison_page(what, dir, "gnuplot", notes, err);
}

int gb_cli_comparison_show(gb_cli *cli, const gb_comparison *comparison, const char *dir)
{
    const gb_forms forms = {comparison,    "compare", comparison->warnings, text_form, json_form,
                            markdown_form, page_form};
    int status = gb_cli_show(cli, &forms, dir);
    return status ? status : gb_cli_comparison_status(cli, comparison);
}

/* One run, without a baseline: the first night of a CI job. */
static int no_baseline(gb_cli *cli)
{
    gb_error err;
    if (cli->args.require_baseline) {
        gb_fail(&err, GB_INVALID, "there is no baseline, and --require-baseline asks for one");
        return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
    }
    if (cli->json)
        gb_cli_print_json(cli,
                          json_pack("{s:s, s:s, s:b, s:n, s:[]}", "schema", "gpubench-comparison/1",
                                    "headline", "No baseline: nothing was compared or stored",
                                    "regression", 0, "baseline", "cases"));
    else
        gb_cli_print(cli, "No baseline: nothing was compared or stored. Keep this run's directory, "
                          "and compare the next one with it.\n");
    return GB_EXIT_OK;
}

/* Reading is most of the time that a comparison takes: several threads, each with runs of its own.
 */
typedef struct loading {
    const char *const *paths;
    gb_results *runs;
    gb_error *errors;
    gb_code *codes;
    size_t n;
    atomic_size_t next;
} loading;

static void *load_some(void *user)
{
    loading *l = user;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n;)
        l->codes[i] = gb_results_load(l->paths[i], false, &l->runs[i], &l->errors[i]);
    return NULL;
}

/* Loads all: runs[0] the baseline, runs[1] the new run, then the further earlier ones. */
static gb_code load_all(const char *const paths[], size_t n, gb_results runs[], gb_error *err)
{
    enum { MOST = 4 };
    pthread_t threads[MOST];
    size_t started = 0;
    loading l = {.paths = paths, .runs = runs, .n = n};
    l.errors = calloc(n, sizeof l.errors[0]);
    l.codes = calloc(n, sizeof l.codes[0]);
    gb_code code =
        l.errors && l.codes ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for %zu runs", n);
    json_object_seed(0); /* jansson's hash seed, once, before there are threads */
    while (!code && started < MOST && started + 1 < n &&
           pthread_create(&threads[started], NULL, load_some, &l) == 0)
        started++;
    if (!code)
        load_some(&l);
    for (size_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; !code && i < n; i++) {
        code = l.codes[i];
        if (code && err)
            *err = l.errors[i];
    }
    free(l.errors);
    free(l.codes);
    return code;
}

static int compare_paths(gb_cli *cli, const char *const paths[], size_t n)
{
    gb_error err = {0};
    gb_comparison comparison = {0};
    gb_compare_options how;
    int status;
    gb_results *runs = calloc(n, sizeof runs[0]);
    gb_code code = runs ? gb_cli_compare_options(cli, &how, &err)
                        : gb_fail(&err, GB_NO_MEMORY, "out of memory");
    if (!code)
        code = load_all(paths, n, runs, &err);
    if (!code) {
        how.names[0] = paths[0];
        how.names[1] = paths[1];
        code = gb_compare_results(&runs[0], &runs[1], runs + 2, n - 2, &how, &comparison, &err);
    }
    if (code)
        status = gb_cli_fail(cli, gb_exit_of_code(code), &err);
    else
        status = gb_cli_comparison_show(cli, &comparison, cli->args.out);
    gb_comparison_free(&comparison);
    for (size_t i = 0; runs && i < n; i++)
        gb_results_free(&runs[i]);
    free(runs);
    return status;
}

static int compare(gb_cli *cli)
{
    const gb_list *words = &cli->args.words, *baselines = &cli->args.baseline;
    if (words->n > 2 || cli->args.price.n > 0 || cli->args.weights || cli->args.currency)
        return gb_cli_compare_matrix(cli);
    if (words->n == 1 && baselines->n == 0)
        return no_baseline(cli);
    /* `compare NEW --baseline A --baseline B`: the first of them stands where A does */
    size_t n = 0, from = words->n == 1 ? 1 : 0;
    const char **paths = calloc(words->n + baselines->n, sizeof paths[0]);
    if (!paths)
        return gb_cli_out_of_memory(cli);
    paths[n++] = from ? baselines->items[0] : words->items[0];
    paths[n++] = words->items[words->n - 1];
    for (size_t i = from; i < baselines->n; i++)
        paths[n++] = baselines->items[i];
    int status = compare_paths(cli, paths, n);
    free(paths);
    return status;
}

const gb_verb gb_verb_compare = {
    .name = "compare",
    .arguments = "BASELINE NEW",
    .summary = "Say which cases of a run became slower or faster than in an earlier one",
    .details =
        "Two runs of separate sessions give hints (suspect) and never fail; runs measured in "
        "turn (run --against), or three earlier runs or more (--baseline), give verdicts. "
        "Exit status 1 means a regression, 0 none, 3 a missing or failed case under --gate, "
        "5 an undecided case under --require-decision. docs/comparing.md has the rules. "
        "Three runs or more, or --price or --weights, are machines side by side by the classes of "
        "work that their suite declares, without verdicts: docs/procurement.md.",
    .options = options,
    .min_words = 1,
    .max_words = 64,
    .function = compare};
