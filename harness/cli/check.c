/* `gpubench check`: whether suites are valid, and what they would measure. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/head.h"
#include "cli/option_rows.h"
#include "cli/progress.h"
#include "cli/session.h"

static const gb_option options[] = {GB_OPTION_JSON("as JSON"), {0}};

/* Cases of a benchmark in a plan, and how many of them are skipped. */
static void count(const gb_plan *plan, const gb_benchmark *benchmark, size_t *cases,
                  size_t *skipped)
{
    *cases = *skipped = 0;
    for (size_t i = 0; plan && i < plan->n_cases; i++) {
        if (plan->cases[i].benchmark == benchmark) {
            ++*cases;
            *skipped += plan->cases[i].status != GB_OK;
        }
    }
}

/* Cases of a class in a plan: those that one of its entries means. */
static size_t count_class(const gb_suite *suite, const gb_plan *plan, const gb_class *class)
{
    size_t n = 0;
    for (size_t i = 0; plan && i < plan->n_cases; i++) {
        bool meant = false;
        for (size_t p = 0; p < class->n_parts; p++)
            meant = meant || gb_class_takes(suite, &class->parts[p], &plan->cases[i], plan->kind);
        n += meant;
    }
    return n;
}

static json_t *describe_classes(const gb_suite *suite, gb_plan *const plans[], gb_buf *out)
{
    json_t *classes = json_array();
    for (size_t i = 0; i < suite->n_classes; i++) {
        const gb_class *class = &suite->classes[i];
        json_t *counts = json_object();
        gb_buf_printf(out, "  class %s (%s, %s is better):", class->name, class->unit,
                      class->higher_is_better ? "higher" : "lower");
        for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
            const char *word = gb_device_kind_word((gb_device_kind)kind);
            size_t cases = count_class(suite, plans[kind], class);
            gb_buf_printf(out, "%s %s %zu case%s", kind ? "," : "", word, cases,
                          cases == 1 ? "" : "s");
            json_object_set_new(counts, word, json_integer((json_int_t)cases));
        }
        gb_buf_add(out, "\n");
        json_array_append_new(classes, json_pack("{s:s, s:s, s:s, s:o}", "name", class->name,
                                                 "unit", class->unit, "better",
                                                 class->higher_is_better ? "higher" : "lower",
                                                 "cases", counts));
    }
    return classes;
}

static json_t *describe(const char *file, const gb_suite *suite, gb_plan *const plans[],
                        gb_buf *out)
{
    json_t *benchmarks = json_array();
    char *shown = gb_text_printable(file);
    gb_buf_printf(out, "%s: ok\n", shown ? shown : "");
    free(shown);
    for (size_t b = 0; b < suite->n_benchmarks; b++) {
        const gb_benchmark *benchmark = &suite->benchmarks[b];
        json_t *counts = json_object();
        gb_buf_printf(out, "  %s (%s):", benchmark->name, benchmark->spec->name);
        for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
            const char *word = gb_device_kind_word((gb_device_kind)kind);
            size_t cases, skipped;
            count(plans[kind], benchmark, &cases, &skipped);
            gb_buf_printf(out, "%s %s %zu case%s", kind ? "," : "", word, cases,
                          cases == 1 ? "" : "s");
            if (skipped)
                gb_buf_printf(out, " (%zu skipped)", skipped);
            json_object_set_new(counts, word,
                                json_pack("{s:I, s:I}", "cases", (json_int_t)cases, "skipped",
                                          (json_int_t)skipped));
        }
        gb_buf_add(out, "\n");
        json_array_append_new(benchmarks,
                              json_pack("{s:s, s:s, s:o}", "name", benchmark->name, "kernel",
                                        benchmark->spec->name, "cases", counts));
    }
    json_t *classes = describe_classes(suite, plans, out);
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++) {
        char bytes[32], time[32];
        if (plans[kind] == NULL || plans[kind]->n_cases == 0)
            continue;
        gb_need most = gb_plan_largest_need(plans[kind]);
        gb_buf_printf(
            out,
            "  on %s: the largest case needs %s, the whole run takes about %s if it uses its "
            "budget\n",
            gb_device_kind_word((gb_device_kind)kind),
            gb_format_bytes(most.device_bytes + most.beside_bytes + most.host_bytes +
                                most.pinned_bytes,
                            bytes, sizeof bytes),
            gb_progress_span((double)gb_plan_estimate_ns(plans[kind]) / 1e9, time, sizeof time));
    }
    return json_pack("{s:o, s:s, s:b, s:o, s:o}", "file", gb_json_string(file), "name", suite->name,
                     "valid", true, "benchmarks", benchmarks, "classes", classes);
}

/* Checks one file; adds its entry to `list`. */
static int check_file(gb_cli *cli, const char *file, json_t *list, gb_buf *out)
{
    gb_suite *suite = NULL;
    gb_plan *plans[GB_DEVICE_KINDS] = {0};
    gb_error err = {0};
    gb_selection all = {.brief = true};
    gb_code code = GB_OK;
    int status = gb_cli_load_suite(cli, file, &suite);
    if (status)
        return status;
    for (int kind = 0; !code && kind < GB_DEVICE_KINDS; kind++) {
        if (suite->devices & GB_BIT(kind))
            code = gb_plan_make(suite, (gb_device_kind)kind, &all, &plans[kind], &err);
    }
    if (code)
        status = gb_cli_fail(cli, gb_exit_of_code(code), &err);
    else
        json_array_append_new(list, describe(file, suite, plans, out));
    for (int kind = 0; kind < GB_DEVICE_KINDS; kind++)
        gb_plan_free(plans[kind]);
    gb_suite_free(suite);
    return status;
}

static int check(gb_cli *cli)
{
    int status = GB_EXIT_OK;
    gb_buf out = {0};
    json_t *list = json_array();
    for (size_t i = 0; i < cli->args.words.n; i++)
        status = gb_exit_worse(status, check_file(cli, cli->args.words.items[i], list, &out));
    if (out.failed || !list)
        status = gb_cli_out_of_memory(cli);
    else if (cli->json && !status)
        gb_cli_print_json(cli, json_pack("{s:O}", "suites", list));
    else if (out.data && !cli->json)
        gb_cli_print(cli, out.data);
    json_decref(list);
    gb_buf_free(&out);
    return status;
}

const gb_verb gb_verb_check = {.name = "check",
                               .arguments = "SUITE...",
                               .summary = "Check suites and count their cases",
                               .options = options,
                               .min_words = 1,
                               .max_words = 1000000,
                               .function = check};
