/* `gpubench verify`: the suite as its text says it, and the plans that follow from it. */
#include <stdlib.h>
#include <string.h>

#include "cli/data_dir.h"
#include "cli/head.h"
#include "cli/session.h"
#include "cli/verify.h"
#include "kernels/kernel.h"

/* The suite as parsed from its text, with what the command line changed. */
static gb_code read_suite(gb_verification *v, gb_error *err)
{
    const json_t *document = v->results->document;
    const json_t *written = json_object_get(document, "suite");
    const json_t *settings = json_object_get(json_object_get(document, "run"), "settings");
    const char *text = json_string_value(json_object_get(written, "text"));
    const char *file = json_string_value(json_object_get(written, "file"));
    gb_diagnostics diagnostics = {0};
    gb_error why = {0};
    if (!text) {
        gb_verify_note(v, "the suite's text is not there: cases and conclusions were not checked");
        return GB_OK;
    }
    gb_code code = gb_suite_parse(file ? file : "suite", text, strlen(text), gb_kernel_catalog(),
                                  &v->suite, &diagnostics, &why);
    json_t *made = code ? NULL : gb_suite_json(v->suite);
    const char *key;
    json_t *value;
    json_object_foreach(made, key, value)
    {
        const json_t *found = json_object_get(written, key);
        if (strcmp(key, "file") != 0 && found && !gb_verify_same(found, value))
            gb_verify_differs(v, "results.json", "suite.%s is not what the suite's text says", key);
    }
    json_decref(made);
    const json_t *set = json_object_get(settings, "set");
    const json_t *data = json_object_get(settings, "data");
    if (!code && json_is_object(data))
        code = gb_data_apply(data, v->suite, &why);
    for (size_t i = 0; !code && i < json_array_size(set); i++) {
        const char *word = json_string_value(json_array_get(set, i));
        code = word ? gb_suite_override(v->suite, word, &why) : GB_INVALID;
    }
    uint64_t thin = (uint64_t)json_integer_value(json_object_get(settings, "thin"));
    if (!code && thin > 0)
        gb_suite_thin(v->suite, thin);
    if (!code)
        gb_suite_least_replicates(
            v->suite, (uint32_t)json_integer_value(json_object_get(settings, "least_replicates")));
    if (code) {
        gb_suite_free(v->suite);
        v->suite = NULL;
    }
    gb_diagnostics_free(&diagnostics);
    if (code == GB_INVALID) {
        gb_verify_note(
            v, "this build cannot read the suite (%s): cases and conclusions were not checked",
            why.message);
        return GB_OK;
    }
    return code ? gb_fail(err, code, "%s", why.message) : GB_OK;
}

static const char **strings(const json_t *list, size_t *n)
{
    const char **items = calloc(json_array_size(list) + 1, sizeof *items);
    *n = 0;
    for (size_t i = 0; items && i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (word)
            items[(*n)++] = word;
    }
    return items;
}

static gb_code make_plans(gb_verification *v, gb_error *err)
{
    const json_t *run = json_object_get(v->results->document, "run");
    const json_t *settings = json_object_get(run, "settings");
    gb_selection selection = {
        .replicates = (uint32_t)json_integer_value(json_object_get(settings, "replicates")),
        .budget_ns = (uint64_t)json_integer_value(json_object_get(settings, "budget_ns")),
        .seed = (uint64_t)json_integer_value(json_object_get(run, "seed"))};
    const char **filters = strings(json_object_get(settings, "filter"), &selection.n_filters);
    const char **tags = strings(json_object_get(settings, "tag"), &selection.n_tags);
    selection.filters = filters;
    selection.tags = tags;
    gb_code code = filters && tags ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory");
    for (int kind = 0; !code && kind < GB_DEVICE_KINDS; kind++) {
        gb_error why = {0};
        if (v->suite->devices & GB_BIT(kind))
            code = gb_plan_make(v->suite, (gb_device_kind)kind, &selection, &v->plans[kind], &why);
        code = code == GB_INVALID ? GB_OK : code; /* no case on this kind */
    }
    free(filters);
    free(tags);
    return code;
}

/* The classes as the plans give them for the devices of the run. */
static gb_code check_classes(gb_verification *v, gb_error *err)
{
    const json_t *document = v->results->document;
    const json_t *written = json_object_get(json_object_get(document, "suite"), "classes");
    const json_t *devices = json_object_get(document, "devices");
    unsigned kinds = 0;
    if (!written)
        return GB_OK;
    for (size_t i = 0; i < json_array_size(devices); i++) {
        gb_device_kind kind;
        const char *word = json_string_value(json_object_get(json_array_get(devices, i), "kind"));
        if (word && gb_device_kind_parse(word, &kind))
            kinds |= GB_BIT(kind);
    }
    json_t *made = gb_classes_json(v->suite, v->plans, kinds);
    if (!made)
        return gb_fail(err, GB_NO_MEMORY, "out of memory");
    if (!gb_verify_same(written, made))
        gb_verify_differs(v, "results.json", "suite.classes is not what the suite's text says");
    json_decref(made);
    return GB_OK;
}

gb_code gb_verify_suite(gb_verification *v, gb_error *err)
{
    gb_code code = read_suite(v, err);
    if (!code && v->suite)
        code = make_plans(v, err);
    if (!code && v->suite)
        code = check_classes(v, err);
    return code;
}
