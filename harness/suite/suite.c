/* From the bytes of a file to a suite: source, tree, parts, checks. */
#include "suite/suite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "suite/parts.h"
#include "suite/values.h"

#define FORMAT_VERSION 1
#define MS UINT64_C(1000000)
#define S (1000 * MS)

static const gb_settings default_settings = {.replicates = 3,
                                             .min_samples = 10,
                                             .max_samples = 2000,
                                             .precision = 0.005,
                                             .warmup_ns = 100 * MS,
                                             .timeout_ns = 60 * S};

/* ---- freeing ---- */

static void free_strings(char **strings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(strings[i]);
    free(strings);
}

static void free_benchmark(gb_benchmark *b)
{
    free(b->name);
    free_strings(b->tags, b->n_tags);
    free_strings(b->aliases, b->n_aliases);
    free(b->alias_places);
    for (size_t i = 0; i < b->n_axes; i++)
        gb_axis_clear(&b->axes[i]);
    free(b->axes);
    for (size_t i = 0; i < b->n_excludes; i++) {
        gb_conditions_free(b->excludes[i].conditions, b->excludes[i].n);
        free(b->excludes[i].reason);
    }
    free(b->excludes);
    for (size_t i = 0; i < b->n_expects; i++) {
        gb_conditions_free(b->expects[i].where, b->expects[i].n_where);
        gb_conditions_free(b->expects[i].of, b->expects[i].n_of);
        gb_conditions_free(b->expects[i].over, b->expects[i].n_over);
    }
    free(b->expects);
}

void gb_suite_free(gb_suite *suite)
{
    if (suite == NULL)
        return;
    for (size_t i = 0; i < suite->n_benchmarks; i++)
        free_benchmark(&suite->benchmarks[i]);
    free(suite->benchmarks);
    for (size_t i = 0; i < suite->n_plots; i++) {
        free(suite->plots[i].type);
        free(suite->plots[i].title);
        free(suite->plots[i].series);
        gb_conditions_free(suite->plots[i].where, suite->plots[i].n_where);
    }
    free(suite->plots);
    for (size_t i = 0; i < suite->n_classes; i++)
        gb_class_free(&suite->classes[i]);
    free(suite->classes);
    free(suite->file);
    free(suite->text);
    free(suite->name);
    free(suite->title);
    free(suite);
}

/* ---- reading the parts ---- */

static void read_version(gb_reader *reader, const gb_node *root)
{
    const gb_node *node = gb_read_required(reader, root, "suite", "gpubench");
    uint32_t version;
    if (node == NULL || !gb_read_count(reader, node, "gpubench", 1, UINT32_MAX, &version))
        return;
    if (version != FORMAT_VERSION)
        gb_read_error(reader, node,
                      "gpubench: format version %" PRIu32 " is not known; this program reads "
                      "version %d",
                      version, FORMAT_VERSION);
}

static void read_head(gb_reader *reader, const gb_node *root)
{
    gb_suite *suite = reader->suite;
    read_version(reader, root);
    const gb_node *node = gb_read_required(reader, root, "suite", "name");
    if (node != NULL)
        gb_read_text(reader, node, "name", GB_MAX_NAME_CHARACTERS, &suite->name);
    node = gb_node_get(root, "title");
    if (node != NULL)
        gb_read_text(reader, node, "title", GB_MAX_TEXT_CHARACTERS, &suite->title);
    node = gb_node_get(root, "budget");
    if (node != NULL)
        gb_read_duration(reader, node, "budget", GB_MIN_BUDGET_NS, GB_MAX_BUDGET_NS,
                         &suite->budget_ns);
    gb_node *const *slot = gb_node_slot(root, "devices");
    suite->devices_listed = slot != NULL;
    if (slot != NULL)
        gb_read_devices(reader, slot, &suite->devices);
}

/* A list with at least one and at most GB_MAX_BENCHMARKS entries. */
static bool read_entries(gb_reader *reader, const gb_node *node, const char *label)
{
    if (node->type != GB_NODE_LIST)
        return gb_read_unexpected(reader, node, label, "a list");
    if (node->n == 0)
        gb_read_error(reader, node, "%s: the list is empty", label);
    if (node->n > GB_MAX_BENCHMARKS)
        gb_read_error(reader, node, "%s: %zu entries; at most %d are allowed", label, node->n,
                      GB_MAX_BENCHMARKS);
    return node->n > 0 && node->n <= GB_MAX_BENCHMARKS;
}

/* Whether something was taken out below a node already when the YAML was read (a merge key): what
 * is left is not what was meant. */
static bool broken(const gb_node *node)
{
    size_t n = node->type == GB_NODE_MAP ? 2 * node->n : node->n;
    if (node->type == GB_NODE_BAD || node->incomplete)
        return true;
    for (size_t i = 0; node->type != GB_NODE_SCALAR && i < n; i++)
        if (broken(node->items[i]))
            return true;
    return false;
}

static void read_benchmarks(gb_reader *reader, const gb_node *root, const gb_settings *defaults)
{
    gb_suite *suite = reader->suite;
    const gb_node *list = gb_read_required(reader, root, "suite", "benchmarks");
    if (list == NULL || !read_entries(reader, list, "benchmarks"))
        return;
    suite->benchmarks = gb_read_alloc(reader, list->n, sizeof *suite->benchmarks);
    reader->sound = gb_read_alloc(reader, list->n, sizeof *reader->sound);
    for (size_t i = 0; suite->benchmarks != NULL && reader->sound != NULL && i < list->n; i++) {
        size_t before = reader->problems;
        gb_read_benchmark(reader, list->items[i], defaults,
                          &suite->benchmarks[suite->n_benchmarks++]);
        const gb_benchmark *read = &suite->benchmarks[i];
        reader->sound[i] = reader->problems == before && read->name != NULL && read->spec != NULL &&
                           !broken(list->items[i]);
    }
}

static void read_plots(gb_reader *reader, const gb_node *root)
{
    gb_suite *suite = reader->suite;
    const gb_node *list = gb_node_get(root, "plots");
    if (list == NULL || !read_entries(reader, list, "plots"))
        return;
    suite->plots = gb_read_alloc(reader, list->n, sizeof *suite->plots);
    for (size_t i = 0; suite->plots != NULL && i < list->n; i++)
        gb_read_plot(reader, list->items[i], &suite->plots[suite->n_plots++]);
}

static void read_classes(gb_reader *reader, const gb_node *root)
{
    gb_suite *suite = reader->suite;
    const gb_node *list = gb_node_get(root, "classes");
    if (list == NULL || !read_entries(reader, list, "classes"))
        return;
    suite->classes = gb_read_alloc(reader, list->n, sizeof *suite->classes);
    for (size_t i = 0; suite->classes != NULL && i < list->n; i++)
        gb_read_class(reader, list->items[i], &suite->classes[suite->n_classes++]);
}

static const char *root_word(const gb_node *root)
{
    double number;
    if (root->type == GB_NODE_LIST)
        return "list";
    if (root->null)
        return "nothing";
    bool numeric =
        !root->quoted && root->length < 100 && gb_parse_number(root->text, &number, NULL) == GB_OK;
    return numeric ? "number" : "text";
}

static gb_code read_suite(gb_reader *reader, const gb_node *root, gb_error *err)
{
    static const char *const keys[] = {"gpubench", "name",       "title", "budget", "devices",
                                       "defaults", "benchmarks", "plots", "classes"};
    if (root->type != GB_NODE_MAP) {
        gb_read_error(reader, root, "top level must be a mapping, got %s", root_word(root));
        return GB_OK;
    }
    gb_read_map(reader, root, "suite", keys, sizeof keys / sizeof keys[0]);
    read_head(reader, root);
    gb_settings defaults = default_settings;
    const gb_node *node = gb_node_get(root, "defaults");
    if (node != NULL)
        gb_read_defaults(reader, node, &defaults);
    read_benchmarks(reader, root, &defaults);
    read_plots(reader, root);
    read_classes(reader, root);
    gb_check_names(reader);
    return reader->diagnostics->failed ? GB_OK : gb_check_cases(reader, err);
}

/* ---- the whole ---- */

static gb_suite *new_suite(const char *file, const char *bytes, size_t n)
{
    gb_suite *suite = calloc(1, sizeof *suite);
    if (suite == NULL)
        return NULL;
    suite->file = gb_text_copy(file);
    suite->text = malloc(n + 1);
    if (suite->file == NULL || suite->text == NULL) {
        gb_suite_free(suite);
        return NULL;
    }
    if (n > 0)
        memcpy(suite->text, bytes, n);
    suite->text[n] = '\0';
    gb_sha256_hex(bytes, n, suite->sha256);
    suite->budget_ns = 180 * S;
    suite->devices = GB_ANY_DEVICE;
    return suite;
}

/* Reads a source that could be opened. */
static gb_code parse_source(const gb_source *source, gb_reader *reader, gb_error *err)
{
    gb_tree tree = {0};
    gb_code code = gb_tree_parse(source, reader->diagnostics, &tree, err);
    if (code == GB_OK && tree.root != NULL && tree.root->type != GB_NODE_BAD)
        code = read_suite(reader, tree.root, err);
    gb_tree_free(&tree);
    return code;
}

gb_code gb_suite_parse(const char *file, const char *bytes, size_t n, const gb_catalog *catalog,
                       gb_suite **out, gb_diagnostics *diagnostics, gb_error *err)
{
    *out = NULL;
    gb_source source = {0};
    gb_error problem = {0};
    gb_reader reader = {.catalog = catalog, .diagnostics = diagnostics};
    if (diagnostics->file == NULL)
        diagnostics->file = gb_text_copy(file);
    if (n > GB_SUITE_MAX_BYTES) /* enough to see that it is too much */
        n = GB_SUITE_MAX_BYTES + 1;
    gb_code code = GB_NO_MEMORY;
    reader.suite = new_suite(file, bytes, n);
    if (reader.suite != NULL)
        code = gb_source_open(reader.suite->text, n, &source, &problem);
    if (code == GB_OK)
        code = parse_source(&source, &reader, &problem);
    else if (code == GB_INVALID) {
        gb_diagnostics_add(diagnostics, problem.line, problem.column, "%s", problem.message);
        code = GB_OK;
    }
    gb_diagnostics_finish(diagnostics, source.lines != NULL ? &source : NULL);
    if (diagnostics->file == NULL || diagnostics->failed || code == GB_NO_MEMORY)
        code = gb_fail(err, GB_NO_MEMORY, "no memory to read the suite");
    else if (code != GB_OK)
        code = gb_fail(err, code, "%s", problem.message);
    else if (diagnostics->n > 0)
        code = gb_fail(err, GB_INVALID, "%s: %zu error%s", file, diagnostics->n,
                       diagnostics->n == 1 ? "" : "s");
    if (code == GB_OK)
        *out = reader.suite;
    else
        gb_suite_free(reader.suite);
    free(reader.sound);
    gb_source_free(&source);
    return code;
}
