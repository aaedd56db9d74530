/* `gpubench list` and `gpubench describe`: what there is to measure. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/option_rows.h"
#include "cli/session.h"
#include "kernels/kernel.h"

static const gb_option list_options[] = {{.name = "kernels",
                                          .kind = GB_OPT_FLAG,
                                          .help = "the names of the kernels alone, one a line",
                                          .offset = offsetof(gb_args, kernels)},
                                         GB_OPTION_JSON("as JSON"),
                                         {0}};

static int print(gb_cli *cli, gb_buf *out)
{
    int status = out->failed ? gb_cli_out_of_memory(cli) : GB_EXIT_OK;
    if (!status && out->data)
        gb_cli_print(cli, out->data);
    gb_buf_free(out);
    return status;
}

/* A suite's title; "" for one that is not valid (`check` says why). The caller frees. */
static char *title_of(const char *path, bool *valid)
{
    gb_suite *suite = NULL;
    gb_diagnostics diagnostics = {0};
    *valid = !gb_suite_load(path, 100, gb_kernel_catalog(), &suite, &diagnostics, NULL);
    char *title = gb_text_printable(*valid ? suite->title ? suite->title : suite->name : "");
    gb_diagnostics_free(&diagnostics);
    if (*valid)
        gb_suite_free(suite);
    return title;
}

static int list_json(gb_cli *cli, const gb_list *suites)
{
    json_t *kernels = json_array(), *found = json_array();
    for (size_t i = 0; i < gb_kernels_count; i++)
        json_array_append_new(kernels, json_pack("{s:s, s:s}", "name", gb_kernels[i]->spec.name,
                                                 "summary", gb_kernels[i]->spec.summary));
    for (size_t i = 0; i < suites->n; i++) {
        bool valid;
        char *title = title_of(suites->items[i], &valid);
        json_array_append_new(found,
                              json_pack("{s:o, s:o, s:b}", "path", gb_json_string(suites->items[i]),
                                        "title", gb_json_string(title), "valid", valid));
        free(title);
    }
    gb_cli_print_json(cli, json_pack("{s:o, s:o}", "kernels", kernels, "suites", found));
    return GB_EXIT_OK;
}

static int list(gb_cli *cli)
{
    gb_buf out = {0};
    gb_list suites = {0};
    gb_error err = {0};
    if (cli->args.kernels) {
        for (size_t i = 0; i < gb_kernels_count; i++)
            gb_buf_printf(&out, "%s\n", gb_kernels[i]->spec.name);
        return print(cli, &out);
    }
    gb_code code = gb_find_suites(&suites, &err);
    int status = code ? gb_cli_fail(cli, gb_exit_of_code(code), &err) : GB_EXIT_OK;
    if (!code && cli->json) {
        status = list_json(cli, &suites);
    } else if (!code) {
        gb_buf_add(&out, "kernels (gpubench describe KERNEL):\n");
        for (size_t i = 0; i < gb_kernels_count; i++)
            gb_buf_printf(&out, "  %-12s %s\n", gb_kernels[i]->spec.name,
                          gb_kernels[i]->spec.summary);
        gb_buf_add(&out, "\nsuites (gpubench run SUITE):\n");
        for (size_t i = 0; i < suites.n; i++) {
            bool valid;
            char *title = title_of(suites.items[i], &valid);
            gb_buf_printf(&out, "  %s\n               %s\n", suites.items[i],
                          valid && title ? title : "not valid: see gpubench check");
            free(title);
        }
        if (suites.n == 0)
            gb_buf_add(&out, "  none found in ./suites or beside the program\n");
        status = print(cli, &out);
    }
    gb_find_free(&suites);
    return status;
}

const gb_verb gb_verb_list = {.name = "list",
                              .arguments = "",
                              .summary = "List the kernels and the suites found",
                              .options = list_options,
                              .function = list};

static void describe_param(const gb_param *param, gb_buf *out)
{
    static const char *const kinds[] = {"count", "size", "duration", "word"};
    char value[64], low[64], high[64];
    gb_buf_printf(out, "  %-14s %s\n  %-14s %s%s%s, default %s", param->name, param->summary, "",
                  kinds[param->kind], param->unit ? " of " : "", param->unit ? param->unit : "",
                  param->kind == GB_PARAM_BYTES
                      ? gb_format_bytes(param->default_value.number, value, sizeof value)
                      : gb_value_text(param, param->default_value, value, sizeof value));
    if (param->kind == GB_PARAM_WORD) {
        gb_buf_add(out, "; one of");
        for (size_t i = 0; param->words[i]; i++)
            gb_buf_printf(out, "%s %s", i ? "," : "", param->words[i]);
    } else if (param->kind == GB_PARAM_BYTES) {
        gb_buf_printf(out, "; %s to %s", gb_format_bytes(param->min, low, sizeof low),
                      gb_format_bytes(param->max, high, sizeof high));
    } else {
        gb_buf_printf(out, "; %s to %s", gb_format_count(param->min, low, sizeof low),
                      gb_format_count(param->max, high, sizeof high));
    }
    gb_buf_add(out, "\n");
}

static void add_words(gb_buf *out, const char *label, unsigned mask, unsigned n,
                      const char *(*word)(unsigned))
{
    gb_buf_printf(out, "%s:", label);
    for (unsigned i = 0; i < n; i++) {
        if (mask & GB_BIT(i))
            gb_buf_printf(out, " %s", word(i));
    }
    gb_buf_add(out, "\n");
}

static const char *device_word(unsigned i)
{
    return gb_device_kind_word((gb_device_kind)i);
}

static const char *timer_word(unsigned i)
{
    return gb_timer_word((gb_timer)i);
}

static const char *cache_word(unsigned i)
{
    return gb_cache_word((gb_cache)i);
}

static int describe(gb_cli *cli)
{
    const char *name = cli->args.words.items[0];
    const gb_kernel *kernel = gb_kernel_find(name);
    if (!kernel) {
        gb_error err;
        const char *names[256];
        size_t n = 0;
        for (; n < gb_kernels_count && n < sizeof names / sizeof names[0]; n++)
            names[n] = gb_kernels[n]->spec.name;
        const char *near = gb_text_nearest(name, names, n);
        gb_fail(&err, GB_INVALID, "no kernel '%s'%s%s%s; 'gpubench list' shows them", name,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
        return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
    }
    const gb_kernel_spec *spec = &kernel->spec;
    gb_buf out = {0};
    gb_buf_printf(&out, "%s: %s\n\n", spec->name, spec->summary);
    gb_cli_paragraph(&out, spec->lesson);
    gb_buf_add(&out, "\nParameters:\n");
    for (size_t i = 0; i < spec->n_params; i++)
        describe_param(&spec->params[i], &out);
    gb_buf_printf(&out, "\nMetrics:\n  %-14s of one iteration (ns, lower is better)\n", "time");
    for (size_t i = 0; i < spec->n_metrics; i++)
        gb_buf_printf(&out, "  %-14s %s (%s, %s is better)\n", spec->metrics[i].name,
                      spec->metrics[i].summary, spec->metrics[i].unit,
                      spec->metrics[i].higher_is_better ? "higher" : "lower");
    gb_buf_add(&out, "\n");
    add_words(&out, "Devices", spec->devices, GB_DEVICE_KINDS, device_word);
    add_words(&out, "Timers", spec->timers, GB_TIMERS, timer_word);
    add_words(&out, "Caches", spec->caches, GB_CACHES, cache_word);
    gb_buf_printf(&out, "Default timer: %s\n\nThe picture to expect:\n",
                  spec->timer_of != NULL ? "decided by the parameters"
                                         : gb_timer_word(spec->default_timer));
    gb_cli_paragraph(&out, spec->picture);
    gb_buf_printf(&out, "\nCode: %s (version %u)\n", spec->source, spec->version);
    return print(cli, &out);
}

const gb_verb gb_verb_describe = {.name = "describe",
                                  .arguments = "KERNEL",
                                  .summary = "Show a kernel: the idea, its parameters, the picture "
                                             "to expect",
                                  .min_words = 1,
                                  .max_words = 1,
                                  .function = describe};
