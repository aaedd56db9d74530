#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/json.h"
#include "base/units.h"
#include "cli/data_dir.h"
#include "cli/session.h"
#include "kernels/kernel.h"

#define READ_TIMEOUT_MS 10000 /* for a suite that comes through a pipe */
#define GATE_REPLICATES 5
#define SEED_MASK 0xffffffffu /* of a seed made here: short enough to be typed again */

/* What a message suggests, without the words around it: of "... (did you mean 'x'?)" and "...:
 * write 10GB/s". Null where it suggests nothing. */
static json_t *hint_of(const char *message)
{
    static const char *const signs[] = {"(did you mean ", "(valid: ", ": write ", "; expected ",
                                        "; allowed: "};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        const char *at = strstr(message, signs[i]);
        if (!at)
            continue;
        at += strspn(at, "(:; ");
        size_t n = signs[i][0] == '(' ? strcspn(at, ")") : strlen(at);
        char *copy = gb_text_format("%.*s", (int)n, at);
        json_t *hint = gb_json_string(copy);
        free(copy);
        return hint;
    }
    return json_null();
}

static json_t *place_json(int number)
{
    return number > 0 ? json_integer(number) : json_null();
}

/* Each diagnostic by itself, beside the text of all of them. */
static json_t *diagnostics_json(const gb_diagnostics *diagnostics)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < diagnostics->n; i++) {
        const gb_diagnostic *item = &diagnostics->items[i];
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o, s:s, s:o, s:o}", "file",
                             gb_json_string(diagnostics->file), "line", place_json(item->line),
                             "column", place_json(item->column), "severity", "error", "message",
                             gb_json_string(item->message), "hint", hint_of(item->message)));
    }
    return array;
}

int gb_cli_fail_diagnostics(gb_cli *cli, const gb_diagnostics *diagnostics)
{
    char *text = gb_diagnostics_text(diagnostics);
    if (!text)
        return gb_cli_out_of_memory(cli);
    gb_cli_raw_error(text);
    if (cli->json) {
        json_t *json =
            json_pack("{s:{s:s, s:s, s:o, s:i, s:o}}", "error", "kind", "usage", "code",
                      gb_code_word(GB_INVALID), "message", gb_json_string(text), "exit_code",
                      GB_EXIT_USAGE, "diagnostics", diagnostics_json(diagnostics));
        gb_cli_print_json(cli, json);
    }
    free(text);
    return GB_EXIT_USAGE;
}

int gb_cli_load_suite(gb_cli *cli, const char *typed, gb_suite **out)
{
    gb_error err = {0};
    gb_diagnostics diagnostics = {0};
    int status = GB_EXIT_OK;
    char *path = gb_find_suite(typed);
    if (!path)
        return gb_cli_out_of_memory(cli);
    if (!strpbrk(path, "/.") && access(path, F_OK)) { /* a name, not a path */
        gb_find_nothing(path, &err);
        free(path);
        return gb_cli_fail(cli, GB_EXIT_USAGE, &err);
    }
    gb_code code =
        gb_suite_load(path, READ_TIMEOUT_MS, gb_kernel_catalog(), out, &diagnostics, &err);
    if (diagnostics.n > 0)
        status = gb_cli_fail_diagnostics(cli, &diagnostics);
    else if (code)
        status = gb_cli_fail(cli, gb_exit_of_code(code), &err);
    gb_diagnostics_free(&diagnostics);
    free(path);
    return status;
}

static int fail(gb_session *s, gb_code code, const gb_error *err)
{
    return gb_cli_fail(s->cli, gb_exit_of_code(code), err);
}

/* A list as given, or else as the resumed run had it. */
static gb_code take_list(const gb_list *given, const json_t *earlier, gb_list *out, gb_error *err)
{
    size_t n = given->n ? given->n : json_array_size(earlier);
    out->items = calloc(n + 1, sizeof *out->items);
    if (!out->items)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (size_t i = 0; i < n; i++) {
        const char *item =
            given->n ? given->items[i] : json_string_value(json_array_get(earlier, i));
        if (item)
            out->items[out->n++] = item;
    }
    return GB_OK;
}

static uint64_t take_number(const gb_number *given, const json_t *earlier)
{
    return given->given ? given->value : (uint64_t)json_integer_value(earlier);
}

/* What chooses the cases of a run: going on with others would be another run. */
static gb_code refuse(const char *option, const char *given, const char *recorded, gb_error *err)
{
    return gb_fail(err, GB_INVALID,
                   "run: --resume goes on with the run as it began: --%s is %s, but the run %s%s; "
                   "leave it out, or start a new run",
                   option, given, recorded[0] ? "has " : "has none", recorded);
}

static gb_code same_list(const char *option, const gb_list *given, const json_t *recorded,
                         gb_error *err)
{
    gb_buf was = {0};
    size_t n = json_array_size(recorded);
    bool same = given->n == n;
    for (size_t i = 0; i < n; i++) {
        const char *item = json_string_value(json_array_get(recorded, i));
        gb_buf_printf(&was, "%s'%s'", i ? ", " : "", item ? item : "");
        bool found = false;
        for (size_t k = 0; item && k < given->n; k++)
            found = found || strcmp(given->items[k], item) == 0;
        same = same && found;
    }
    gb_code code = GB_OK;
    if (given->n > 0 && !same) {
        char *first = gb_text_format("'%s'", given->items[0]);
        code = refuse(option, first ? first : "", was.data ? was.data : "", err);
        free(first);
    }
    gb_buf_free(&was);
    return code;
}

static gb_code same_number(const char *option, const gb_number *given, const json_t *recorded,
                           gb_error *err)
{
    char now[32], was[32] = "";
    if (!given->given ||
        (json_is_integer(recorded) && (uint64_t)json_integer_value(recorded) == given->value))
        return GB_OK;
    if (json_is_integer(recorded))
        gb_format_count((uint64_t)json_integer_value(recorded), was, sizeof was);
    return refuse(option, gb_format_count(given->value, now, sizeof now), was, err);
}

static gb_code same_settings(const gb_args *args, const json_t *run, gb_error *err)
{
    const json_t *settings = json_object_get(run, "settings");
    if (!json_is_object(settings)) /* it ended before it had a head */
        return GB_OK;
    gb_code code = same_list("set", &args->set, json_object_get(settings, "set"), err);
    if (!code)
        code = same_list("filter", &args->filter, json_object_get(settings, "filter"), err);
    if (!code)
        code = same_list("tag", &args->tag, json_object_get(settings, "tag"), err);
    if (!code)
        code = same_number("thin", &args->thin, json_object_get(settings, "thin"), err);
    if (!code)
        code = same_number("replicates", &args->replicates, json_object_get(settings, "replicates"),
                           err);
    return code ? code : same_number("seed", &args->seed, json_object_get(run, "seed"), err);
}

static gb_code take_settings(gb_session *s, gb_error *err)
{
    const gb_args *args = &s->cli->args;
    const json_t *run = json_object_get(s->earlier.document, "run");
    const json_t *settings = json_object_get(run, "settings");
    gb_code code = s->resumed ? same_settings(args, run, err) : GB_OK;
    if (!code)
        code = take_list(&args->set, json_object_get(settings, "set"), &s->set, err);
    if (!code)
        code = take_list(&args->filter, json_object_get(settings, "filter"), &s->filter, err);
    if (!code)
        code = take_list(&args->tag, json_object_get(settings, "tag"), &s->tag, err);
    s->device =
        args->device ? args->device : json_string_value(json_object_get(settings, "device"));
    s->selection = (gb_selection){
        .filters = s->filter.items,
        .n_filters = s->filter.n,
        .tags = s->tag.items,
        .n_tags = s->tag.n,
        .replicates =
            (uint32_t)take_number(&args->replicates, json_object_get(settings, "replicates")),
        .budget_ns = take_number(&args->budget_ns, json_object_get(settings, "budget_ns")),
        .seed = take_number(&args->seed, json_object_get(run, "seed")),
        .profile = args->profile,
        .brief = args->dry_run};
    s->thin = take_number(&args->thin, json_object_get(settings, "thin"));
    if (!args->seed.given && !s->resumed) {
        uint32_t random = 0;
        if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
            return gb_fail(err, GB_IO, "no random number for the seed; give --seed");
        s->selection.seed = random & SEED_MASK;
    }
    return code;
}

/* The files of --data-dir, or those that the resumed run had. */
static gb_code take_data(gb_session *s, gb_error *err)
{
    const char *given = s->cli->args.data_dir;
    const json_t *settings =
        json_object_get(json_object_get(s->earlier.document, "run"), "settings");
    const json_t *was = json_object_get(settings, "data");
    if (!json_is_object(was))
        was = NULL;
    if (!given && !was)
        return GB_OK;
    if (s->resumed && json_is_object(settings) && !was)
        return refuse("data-dir", given, "", err);
    gb_code code = gb_data_look(given ? given : gb_data_dir(was), &s->data, err);
    if (!code && was &&
        !json_equal(json_object_get(was, "sha256"), json_object_get(s->data, "sha256")))
        code = gb_fail(err, GB_INVALID,
                       "run: --resume goes on with the run as it began, but %s does not hold the "
                       "files that it began with; start a new run",
                       gb_data_dir(s->data));
    if (!code)
        code = gb_data_allows(s->suite, s->set.items, s->set.n, err);
    return code ? code : gb_data_apply(s->data, s->suite, err);
}

static void say_data(const gb_session *s)
{
    char *text = s->data ? gb_data_text(s->data) : NULL;
    if (text)
        gb_cli_note(s->cli, "%s", text);
    free(text);
}

/* The suite of a resumed run, from the text that its results hold. */
static int load_earlier_suite(gb_session *s)
{
    const json_t *suite = json_object_get(s->earlier.document, "suite");
    const char *text = json_string_value(json_object_get(suite, "text"));
    const char *file = json_string_value(json_object_get(suite, "file"));
    gb_diagnostics diagnostics = {0};
    gb_error err = {0};
    int status = GB_EXIT_OK;
    if (!text) {
        gb_fail(&err, GB_INVALID, "%s: no suite in its results.json: name it", s->cli->args.resume);
        return fail(s, GB_INVALID, &err);
    }
    gb_code code = gb_suite_parse(file ? file : "suite", text, strlen(text), gb_kernel_catalog(),
                                  &s->suite, &diagnostics, &err);
    if (diagnostics.n > 0)
        status = gb_cli_fail_diagnostics(s->cli, &diagnostics);
    else if (code)
        status = fail(s, code, &err);
    gb_diagnostics_free(&diagnostics);
    return status;
}

static int load_earlier(gb_session *s)
{
    gb_error err = {0};
    const gb_args *args = &s->cli->args;
    if (args->out) {
        gb_fail(&err, GB_INVALID, "run: --out and --resume exclude each other");
        return fail(s, GB_INVALID, &err);
    }
    gb_code code = gb_results_load(args->resume, false, &s->earlier, &err);
    gb_results left;
    if (code == GB_INVALID && gb_results_rescue(args->resume, &left, NULL) == GB_OK) {
        gb_fail(
            &err, GB_INVALID,
            "%s: results.json is damaged, and without the suite in it the run cannot go on; the "
            "%zu records of cases.jsonl are whole: gpubench report %s shows them",
            args->resume, left.n, args->resume);
        gb_results_free(&left);
    }
    if (code)
        return fail(s, code, &err);
    s->resumed = true;
    return GB_EXIT_OK;
}

static int load_suite(gb_session *s)
{
    const gb_args *args = &s->cli->args;
    gb_error err = {0};
    if (args->words.n == 0)
        return load_earlier_suite(s);
    int status = gb_cli_load_suite(s->cli, args->words.items[0], &s->suite);
    const char *sha =
        json_string_value(json_object_get(json_object_get(s->earlier.document, "suite"), "sha256"));
    if (status || !s->resumed || (sha && strcmp(sha, s->suite->sha256) == 0))
        return status;
    gb_fail(&err, GB_INVALID,
            "%s: this run was of another suite or another version of it; "
            "leave the suite's name out to go on with that",
            args->resume);
    return fail(s, GB_INVALID, &err);
}

/* Plans for every kind of device that the run may come to use; a wrong selection is found here,
 * before any device is looked for. */
static int make_plans(gb_session *s)
{
    gb_device_choice choice = {.kind = GB_CHOICE_AUTO};
    gb_error err = {0};
    gb_code code = s->device ? gb_device_choice_parse(s->device, &choice, &err) : GB_OK;
    unsigned kinds = choice.kind == GB_CHOICE_AUTO  ? GB_ANY_DEVICE
                     : choice.kind == GB_CHOICE_CPU ? GB_BIT(GB_CPU)
                                                    : GB_BIT(GB_CUDA);
    bool any = false;
    for (int kind = 0; !code && kind < GB_DEVICE_KINDS; kind++) {
        gb_code made = GB_OK;
        gb_error why = {0};
        if (!(kinds & s->suite->devices & GB_BIT(kind)))
            continue;
        made = gb_plan_make(s->suite, (gb_device_kind)kind, &s->selection, &s->plans[kind], &why);
        any = any || !made;
        if (made && !err.code)
            err = why;
    }
    /* What selects nothing on one kind of device may select something on another. */
    if (!code && !any)
        code = err.code ? err.code
                        : gb_fail(&err, GB_INVALID, "this suite is not for --device %s", s->device);
    return code ? fail(s, code, &err) : GB_EXIT_OK;
}

void gb_suite_least_replicates(gb_suite *suite, uint32_t least)
{
    for (size_t i = 0; i < suite->n_benchmarks; i++) {
        gb_settings *settings = &suite->benchmarks[i].settings;
        if (settings->replicates < least)
            settings->replicates = least;
    }
}

/* A verdict needs more replicates than a look does; a resumed run keeps what it began with. */
static uint32_t least_replicates(const gb_session *s)
{
    const gb_args *args = &s->cli->args;
    const json_t *run = json_object_get(s->earlier.document, "run");
    const json_t *settings = json_object_get(run, "settings");
    uint32_t least = (uint32_t)json_integer_value(json_object_get(settings, "least_replicates"));
    bool verdict = args->gate || args->against || args->against_device;
    if (verdict && s->selection.replicates == 0 && least < GATE_REPLICATES)
        least = GATE_REPLICATES;
    return least;
}

int gb_session_prepare(gb_session *s)
{
    gb_error err = {0};
    const gb_args *args = &s->cli->args;
    if (!args->resume && args->words.n == 0) {
        gb_fail(&err, GB_INVALID, "run: SUITE is missing");
        return fail(s, GB_INVALID, &err);
    }
    int status = args->resume ? load_earlier(s) : GB_EXIT_OK;
    if (!status)
        status = load_suite(s);
    if (status)
        return status;
    gb_code code = take_settings(s, &err);
    if (!code)
        code = take_data(s, &err);
    for (size_t i = 0; !code && i < s->set.n; i++)
        code = gb_suite_override(s->suite, s->set.items[i], &err);
    if (!code && s->thin)
        gb_suite_thin(s->suite, s->thin);
    s->least = code ? 0 : least_replicates(s);
    gb_suite_least_replicates(s->suite, s->least);
    if (!code)
        say_data(s);
    return code ? fail(s, code, &err) : make_plans(s);
}
