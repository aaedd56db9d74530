#include "cli/published.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/spec.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/cli.h"
#include "suite/yaml_tree.h"

#define SUFFIX ".yaml"

/* One entry of `peaks:`. The unit is spelled out in the file and has to be the one that is meant.
 */
static bool add_peak(const gb_node *entry, json_t *peaks, json_t *sources)
{
    static const char *const keys[] = {"what", "value", "unit", "source"};
    const char *text[4];
    double value = 0;
    gb_compute compute;
    if (entry->type != GB_NODE_MAP || entry->n != 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        const gb_node *node = gb_node_get(entry, keys[i]);
        if (!node || node->type != GB_NODE_SCALAR || node->length == 0)
            return false;
        text[i] = node->text;
    }
    const bool bandwidth = strcmp(text[0], "bandwidth") == 0;
    if ((!bandwidth && !gb_compute_parse(text[0], &compute)) ||
        strcmp(text[2], bandwidth ? "GB/s" : "TFLOP/s") != 0 ||
        gb_parse_number(text[1], &value, NULL) != GB_OK || !(value > 0) ||
        json_object_get(peaks, text[0]))
        return false;
    return json_object_set_new(peaks, text[0], gb_json_real(value * (bandwidth ? 1e9 : 1e12))) ==
               0 &&
           json_object_set_new(sources, text[0], gb_json_string(text[3])) == 0;
}

/* `power:`, the most that the board takes; *power is NAN without one. */
static bool read_power(const gb_node *root, double *power, const char **source)
{
    const gb_node *entry = gb_node_get(root, "power");
    *power = NAN;
    *source = NULL;
    if (!entry)
        return root->n == 3;
    const gb_node *value = gb_node_get(entry, "value"), *unit = gb_node_get(entry, "unit"),
                  *from = gb_node_get(entry, "source");
    bool good = entry->type == GB_NODE_MAP && entry->n == 3 && root->n == 4 && value && unit &&
                from && value->type == GB_NODE_SCALAR && unit->type == GB_NODE_SCALAR &&
                from->type == GB_NODE_SCALAR && from->length > 0 && strcmp(unit->text, "W") == 0 &&
                gb_parse_number(value->text, power, NULL) == GB_OK && *power > 0;
    *source = good ? from->text : NULL;
    return good;
}

/* The document as JSON, or NULL with the line of what is wrong. */
static json_t *read_document(const char *file, const gb_node *root, int *line)
{
    const gb_node *version = root ? gb_node_get(root, "gpubench-gpu") : NULL;
    const gb_node *names = root ? gb_node_get(root, "names") : NULL;
    const gb_node *entries = root ? gb_node_get(root, "peaks") : NULL;
    json_t *list = json_array(), *peaks = json_object(), *sources = json_object();
    double power = NAN;
    const char *power_source = NULL;
    bool good = list && peaks && sources && version && version->type == GB_NODE_SCALAR &&
                strcmp(version->text, "1") == 0 && names && names->type == GB_NODE_LIST &&
                entries && entries->type == GB_NODE_LIST && read_power(root, &power, &power_source);
    *line = root ? root->line : 0;
    for (size_t i = 0; good && i < names->n; i++) {
        *line = names->items[i]->line;
        good = names->items[i]->type == GB_NODE_SCALAR &&
               json_array_append_new(list, gb_json_string(names->items[i]->text)) == 0;
    }
    for (size_t i = 0; good && i < entries->n; i++) {
        *line = entries->items[i]->line;
        good = add_peak(entries->items[i], peaks, sources);
    }
    if (good) {
        if (power_source)
            json_object_set_new(sources, "power", gb_json_string(power_source));
        return json_pack("{s:s, s:o, s:o, s:o, s:o}", "file", file, "names", list, "peaks", peaks,
                         "power_w", gb_json_real(power), "sources", sources);
    }
    json_decref(list);
    json_decref(peaks);
    json_decref(sources);
    return NULL;
}

gb_code gb_published_parse(const char *file, const char *bytes, size_t n, json_t **out,
                           gb_error *err)
{
    gb_source source = {0};
    gb_diagnostics diagnostics = {0};
    gb_tree tree = {0};
    int line = 0;
    *out = NULL;
    gb_code code = gb_source_open(bytes, n, &source, err);
    if (!code)
        code = gb_tree_parse(&source, &diagnostics, &tree, err);
    if (!code && diagnostics.n > 0)
        code = gb_fail(err, GB_INVALID, "%s:%d: %s", file, diagnostics.items[0].line,
                       diagnostics.items[0].message);
    if (!code && (!tree.root || tree.root->type != GB_NODE_MAP ||
                  !(*out = read_document(file, tree.root, &line))))
        code = gb_fail(
            err, GB_INVALID,
            "%s:%d: not peaks of a GPU: gpubench-gpu: 1, names: [...], peaks: a list of "
            "{what, value, unit, source}, bandwidth in GB/s and the rest in TFLOP/s; power: "
            "{value, unit: W, source} may stand beside them",
            file, line);
    gb_tree_free(&tree);
    gb_diagnostics_free(&diagnostics);
    gb_source_free(&source);
    return code;
}

static bool lists(const json_t *document, const char *device)
{
    size_t i;
    const json_t *name;
    json_array_foreach(json_object_get(document, "names"), i, name)
    {
        if (strcmp(json_string_value(name), device) == 0)
            return true;
    }
    return false;
}

static gb_code read_file(const char *path, const char *name, json_t **out, gb_error *err)
{
    static const size_t most = 1 << 16;
    char *bytes = calloc(most + 1, 1);
    FILE *file = bytes ? fopen(path, "r") : NULL;
    size_t n = file ? fread(bytes, 1, most, file) : 0;
    gb_code code = file ? gb_published_parse(name, bytes, n, out, err)
                        : gb_fail(err, GB_IO, "cannot read %s", path);
    if (file)
        fclose(file);
    free(bytes);
    return code;
}

static gb_code find_in(const char *folder, const char *device, json_t **out, gb_error *err)
{
    DIR *dir = opendir(folder);
    gb_code worst = GB_OK;
    for (struct dirent *entry; dir && !*out && (entry = readdir(dir));) {
        size_t n = strlen(entry->d_name);
        if (n <= strlen(SUFFIX) || strcmp(entry->d_name + n - strlen(SUFFIX), SUFFIX) != 0)
            continue;
        char *path = gb_text_format("%s/%s", folder, entry->d_name);
        gb_code code = path ? read_file(path, entry->d_name, out, err) : GB_NO_MEMORY;
        worst = code ? code : worst;
        if (*out && !lists(*out, device)) {
            json_decref(*out);
            *out = NULL;
        }
        free(path);
    }
    if (dir)
        closedir(dir);
    return *out ? GB_OK : worst;
}

gb_code gb_published_find(const char *device, json_t **out, gb_error *err)
{
    static const char *const beside[] = {"configs/gpus", "../configs/gpus",
                                         "../share/gpubench/configs/gpus"};
    char self[PATH_MAX] = "";
    ssize_t n = readlink(GB_EXECUTABLE, self, sizeof self - 1);
    char *slash = n > 0 ? strrchr(self, '/') : NULL;
    gb_code worst = GB_OK;
    *out = NULL;
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && !*out && i < sizeof beside / sizeof beside[0]; i++) {
        char *folder = gb_text_format("%s/%s", self, beside[i]);
        gb_code code = folder ? find_in(folder, device, out, err) : GB_NO_MEMORY;
        worst = code ? code : worst;
        free(folder);
    }
    return *out ? GB_OK : worst;
}
