#include "cli/weights.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "suite/yaml_tree.h"

#define MOST_BYTES ((size_t)1 << 16)

static const char weights_are[] =
    "; weights are a mapping of classes to numbers, such as memory-bound: 3";

/* One class and its weight. */
static gb_code take(const char *path, const gb_node *key, const gb_node *value, gb_matrix *matrix,
                    gb_error *err)
{
    gb_error why = {0};
    double weight = 0;
    if (value->type != GB_NODE_SCALAR || value->quoted ||
        gb_parse_number(value->text, &weight, &why) != GB_OK)
        return gb_fail_at(err, GB_INVALID, path, value->line, value->column,
                          "class '%.100s': a weight is a number above 0", key->text);
    if (gb_matrix_weigh(matrix, key->text, weight, &why) != GB_OK)
        return gb_fail_at(err, why.code, path, key->line, key->column, "%s", why.message);
    return GB_OK;
}

static gb_code take_all(const char *path, const gb_node *root, gb_matrix *matrix, gb_error *err)
{
    gb_code code = GB_OK;
    if (!root || root->type != GB_NODE_MAP || root->n == 0)
        return gb_fail_at(err, GB_INVALID, path, root ? root->line : 0, root ? root->column : 0,
                          "%s", weights_are + 2);
    for (size_t i = 0; !code && i < root->n; i++)
        if (root->items[2 * i]->type == GB_NODE_SCALAR)
            code = take(path, root->items[2 * i], root->items[2 * i + 1], matrix, err);
    return code;
}

gb_code gb_cli_weights(const char *path, gb_matrix *matrix, gb_error *err)
{
    gb_source source = {0};
    gb_diagnostics diagnostics = {0};
    gb_tree tree = {0};
    gb_error why = {0};
    char *bytes = calloc(MOST_BYTES + 2, 1);
    FILE *file = bytes ? fopen(path, "rb") : NULL;
    size_t n = file ? fread(bytes, 1, MOST_BYTES + 1, file) : 0;
    gb_code code = GB_OK;
    if (!bytes)
        code = gb_fail(err, GB_NO_MEMORY, "out of memory");
    else if (!file || ferror(file))
        code = gb_fail_at(err, GB_IO, path, 0, 0, "cannot be read: %s", strerror(errno));
    else if (n > MOST_BYTES)
        code = gb_fail_at(err, GB_INVALID, path, 0, 0, "more than 64 KiB are no weights");
    if (!code && (code = gb_source_open(bytes, n, &source, &why)))
        code = gb_fail_at(err, code, path, why.line, why.column, "%s", why.message);
    if (!code)
        code = gb_tree_parse(&source, &diagnostics, &tree, err);
    if (!code && diagnostics.n > 0)
        code = gb_fail_at(err, GB_INVALID, path, diagnostics.items[0].line,
                          diagnostics.items[0].column, "%s%s", diagnostics.items[0].message,
                          tree.root || diagnostics.items[0].line ? "" : weights_are);
    if (!code)
        code = take_all(path, tree.root, matrix, err);
    gb_tree_free(&tree);
    gb_diagnostics_free(&diagnostics);
    gb_source_free(&source);
    if (file)
        fclose(file);
    free(bytes);
    return code;
}
