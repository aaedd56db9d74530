#include "suite/yaml_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/yaml_build.h"
#include "suite/yaml_tabs.h"

void gb_tree_free(gb_tree *tree)
{
    for (size_t i = 0; i < tree->n; i++) {
        free(tree->nodes[i]->text);
        free(tree->nodes[i]->items);
        free(tree->nodes[i]);
    }
    free(tree->nodes);
    memset(tree, 0, sizeof *tree);
}

gb_node *const *gb_node_slot(const gb_node *map, const char *key)
{
    for (size_t i = 0; i < map->n; i++)
        if (map->items[2 * i]->type == GB_NODE_SCALAR && strcmp(map->items[2 * i]->text, key) == 0)
            return &map->items[2 * i + 1];
    return NULL;
}

gb_node *gb_node_get(const gb_node *map, const char *key)
{
    gb_node *const *slot = gb_node_slot(map, key);
    return slot != NULL ? *slot : NULL;
}

/* Advice for the most frequent mistake in suites: ">=16MiB" without its quotes is the beginning of
 * a block scalar. */
static const char *advice(const gb_yaml_builder *b, const yaml_mark_t *mark)
{
    size_t at = gb_source_offset(b->source, (int)mark->line + 1, (int)mark->column + 1);
    bool comparison = at < b->source->n && b->source->bytes[at] == '>';
    return comparison ? "; a comparison needs quotes: \">=16MiB\"" : "";
}

/* "name:a" is one word to YAML: the line among those near an error that begins with a key whose ':'
 * has no blank behind it; 0: none. */
static int glued_key(const gb_yaml_builder *b, int first, int last)
{
    for (int line = first > 1 ? first - 1 : 1; line <= last; line++) {
        const char *at = b->source->bytes + gb_source_offset(b->source, line, 1);
        at += strspn(at, " -");
        size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyz_");
        if (word > 0 && at[word] == ':' && strchr(" \t\r\n/", at[word + 1]) == NULL &&
            at[word + 1] != '\0')
            return line;
    }
    return 0;
}

/* Says what libyaml found; the place is the problem's, the context names where it began. */
static void syntax_error(gb_yaml_builder *b, const yaml_parser_t *parser)
{
    const char *problem = parser->problem != NULL ? parser->problem : "cannot be read";
    const char *context = parser->context;
    int line = (int)parser->problem_mark.line + 1;
    int column = (int)parser->problem_mark.column + 1;
    int tab = gb_tabs_indentation(b->source, line);
    const char *hint = advice(b, &parser->problem_mark);
    if (context != NULL && hint[0] == '\0')
        hint = advice(b, &parser->context_mark);
    char blank[64] = "";
    int begin = context != NULL ? (int)parser->context_mark.line + 1 : line;
    int glued = glued_key(b, line - begin < 20 ? begin : line, line);
    if (hint[0] == '\0' && glued > 0) {
        snprintf(blank, sizeof blank, "; a blank is needed after ':' (line %d)", glued);
        hint = blank;
    }
    b->syntax_error = true;
    gb_yaml_give_up(b);
    if (tab > 0)
        gb_diagnostics_add(b->diagnostics, line, tab, "%s", GB_TAB_MESSAGE);
    else if (context != NULL && parser->context_mark.line != parser->problem_mark.line)
        gb_diagnostics_add(b->diagnostics, line, column,
                           "not valid YAML: %s (%s that began in line %d)%s", problem, context,
                           (int)parser->context_mark.line + 1, hint);
    else if (context != NULL)
        gb_diagnostics_add(b->diagnostics, line, column, "not valid YAML: %s (%s)%s", problem,
                           context, hint);
    else
        gb_diagnostics_add(b->diagnostics, line, column, "not valid YAML: %s%s", problem, hint);
}

/* Runs libyaml over `bytes`, which are the source's or a copy of them with some tabs replaced. */
static void read_events(gb_yaml_builder *b, const char *bytes)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        b->no_memory = true;
        return;
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, b->source->n);
    bool end = false;
    while (!end && !b->stop) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            if (parser.error == YAML_MEMORY_ERROR)
                b->no_memory = true;
            else
                syntax_error(b, &parser);
            break;
        }
        gb_yaml_build(b, &event);
        end = event.type == YAML_STREAM_END_EVENT || event.type == YAML_NO_EVENT;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

/* One pass over the bytes into an empty tree; whether libyaml could read them. */
static gb_code build(const gb_source *source, const char *bytes, gb_diagnostics *diagnostics,
                     gb_tree *tree, bool *readable, gb_error *err)
{
    gb_yaml_builder b = {.source = source, .diagnostics = diagnostics, .tree = tree};
    b.anchors = calloc(GB_YAML_MAX_ANCHORS, sizeof *b.anchors);
    if (b.anchors == NULL)
        b.no_memory = true;
    else
        read_events(&b, bytes);
    for (size_t i = 0; i < b.n_anchors; i++)
        free(b.anchors[i].name);
    free(b.anchors);
    if (b.no_memory || diagnostics->failed)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the suite's text");
    if (!b.stop && b.documents == 0)
        gb_diagnostics_add(diagnostics, 0, 0, "the file is empty");
    *readable = !b.syntax_error;
    return GB_OK;
}

gb_code gb_tree_parse(const gb_source *source, gb_diagnostics *diagnostics, gb_tree *out,
                      gb_error *err)
{
    memset(out, 0, sizeof *out);
    size_t before = diagnostics->n;
    bool readable = true;
    gb_code code = build(source, source->bytes, diagnostics, out, &readable, err);
    if (code != GB_OK || readable)
        return code;
    /* Perhaps for tabs that YAML allows: once more without them. Not at once, since they might be
     * text of a block scalar. */
    bool no_memory = false;
    char *patched = gb_tabs_patch(source, &no_memory);
    if (no_memory)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the suite's text");
    if (patched == NULL)
        return GB_OK;
    gb_diagnostics_truncate(diagnostics, before);
    gb_tree_free(out);
    code = build(source, patched, diagnostics, out, &readable, err);
    free(patched);
    return code;
}
