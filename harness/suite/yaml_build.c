#include "suite/yaml_build.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suite/yaml_tabs.h"

/* Longest piece of a file's text that a message quotes, in bytes. */
#define QUOTED_BYTES 60

static void complain(gb_yaml_builder *b, const gb_node *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void complain(gb_yaml_builder *b, const gb_node *at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gb_diagnostics_vadd(b->diagnostics, at->line, at->column, format, args);
    va_end(args);
}

void gb_yaml_give_up(gb_yaml_builder *b)
{
    b->stop = true;
    b->tree->root = NULL;
}

static gb_node *new_node(gb_yaml_builder *b, gb_node_type type, const yaml_mark_t *mark)
{
    gb_tree *tree = b->tree;
    if (tree->n == tree->capacity) {
        size_t capacity = tree->capacity == 0 ? 256 : tree->capacity * 2;
        gb_node **nodes = realloc(tree->nodes, capacity * sizeof *nodes);
        if (nodes == NULL)
            goto failed;
        tree->nodes = nodes;
        tree->capacity = capacity;
    }
    gb_node *node = calloc(1, sizeof *node);
    if (node == NULL)
        goto failed;
    node->type = type;
    node->line = (int)mark->line + 1;
    node->column = (int)mark->column + 1;
    node->nodes = 1;
    node->height = 1;
    tree->nodes[tree->n++] = node;
    return node;
failed:
    b->no_memory = true;
    b->stop = true;
    return NULL;
}

/* Counts n nodes more; false when there are too many. */
static bool count_nodes(gb_yaml_builder *b, const gb_node *at, size_t n)
{
    b->total += n;
    if (b->total <= GB_YAML_MAX_NODES)
        return true;
    if (b->expanded)
        complain(b, at, "alias expansion exceeds %d nodes", GB_YAML_MAX_NODES);
    else
        complain(b, at, "more than %d values in one file", GB_YAML_MAX_NODES);
    gb_yaml_give_up(b);
    return false;
}

/* While a collection is open its n counts items (keys and values alike); close_map halves it. */
static bool append(gb_yaml_builder *b, gb_node *parent, gb_node *child)
{
    size_t n = parent->n;
    bool full = n == 0 || (n >= 4 && (n & (n - 1)) == 0);
    if (full) {
        size_t capacity = n == 0 ? 4 : 2 * n;
        gb_node **items = realloc(parent->items, capacity * sizeof(gb_node *));
        if (items == NULL) {
            b->no_memory = true;
            b->stop = true;
            return false;
        }
        parent->items = items;
    }
    parent->items[parent->n++] = child;
    return true;
}

static void document_root(gb_yaml_builder *b, gb_node *node)
{
    bool empty = node->type == GB_NODE_SCALAR && node->length == 0 && !node->quoted;
    if (empty)
        return;
    if (++b->documents == 1) {
        b->tree->root = node;
        return;
    }
    complain(b, node, "a second document begins here; a suite is one document");
    b->stop = true;
}

/* Puts a node where it belongs: into the innermost open collection, or at the top. */
static void attach(gb_yaml_builder *b, gb_node *node)
{
    if (b->depth == 0)
        document_root(b, node);
    else
        append(b, b->stack[b->depth - 1], node);
}

static void set_anchor(gb_yaml_builder *b, const yaml_char_t *name, gb_node *node)
{
    if (name == NULL)
        return;
    size_t i = 0;
    while (i < b->n_anchors && strcmp(b->anchors[i].name, (const char *)name) != 0)
        i++;
    if (i == GB_YAML_MAX_ANCHORS) {
        complain(b, node, "more than %d anchors", GB_YAML_MAX_ANCHORS);
        gb_yaml_give_up(b);
        return;
    }
    if (i == b->n_anchors) {
        char *copy = gb_text_copy((const char *)name);
        if (copy == NULL) {
            b->no_memory = true;
            b->stop = true;
            return;
        }
        b->anchors[b->n_anchors++].name = copy;
    }
    b->anchors[i].node = node;
}

/* Whether the text is what the tag promises. */
static bool fits_tag(const char *tag, const char *text)
{
    if (strcmp(tag, YAML_BOOL_TAG) == 0)
        return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
    if (strcmp(tag, YAML_NULL_TAG) == 0)
        return text[0] == '\0' || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
    bool whole = strcmp(tag, YAML_INT_TAG) == 0;
    if (!whole && strcmp(tag, YAML_FLOAT_TAG) != 0)
        return true;
    size_t length = strlen(text);
    size_t digits = strspn(text, whole ? "+-0123456789" : "+-.0123456789eE");
    return length > 0 && digits == length && strcspn(text, "0123456789") < length;
}

/* Checks the tag of a node ("" or NULL: none); false when it was refused. */
static bool check_tag(gb_yaml_builder *b, gb_node *node, const yaml_char_t *name)
{
    static const char *const known[] = {YAML_STR_TAG, YAML_INT_TAG, YAML_FLOAT_TAG, YAML_BOOL_TAG,
                                        YAML_NULL_TAG};
    const char *tag = (const char *)name;
    if (tag == NULL || strcmp(tag, "!") == 0)
        return true;
    size_t i = 0;
    while (i < sizeof known / sizeof known[0] && strcmp(tag, known[i]) != 0)
        i++;
    if (i < sizeof known / sizeof known[0] && node->type == GB_NODE_SCALAR) {
        if (fits_tag(tag, node->text))
            return true;
        complain(b, node, "the value is not what its tag !!%s says", strrchr(tag, ':') + 1);
    } else {
        complain(b, node,
                 "this tag is not supported; only !!str, !!int, !!float, !!bool and "
                 "!!null are, and only before a scalar");
    }
    node->type = GB_NODE_BAD;
    return false;
}

static void set_style(gb_node *node, const yaml_event_t *event)
{
    const char *tag = (const char *)event->data.scalar.tag;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (tag != NULL)
        plain = strcmp(tag, "!") != 0 && strcmp(tag, YAML_STR_TAG) != 0;
    static const char *const nothing[] = {"", "~", "null", "Null", "NULL"};
    node->quoted = !plain;
    for (size_t i = 0; plain && i < sizeof nothing / sizeof nothing[0]; i++)
        node->null = node->null || strcmp(node->text, nothing[i]) == 0;
}

static void read_scalar(gb_yaml_builder *b, const yaml_event_t *event)
{
    gb_node *node = new_node(b, GB_NODE_SCALAR, &event->start_mark);
    if (node == NULL || !count_nodes(b, node, 1))
        return;
    node->length = event->data.scalar.length;
    node->text = malloc(node->length + 1);
    if (node->text == NULL) {
        b->no_memory = true;
        b->stop = true;
        return;
    }
    memcpy(node->text, event->data.scalar.value, node->length);
    node->text[node->length] = '\0';
    if (strlen(node->text) != node->length) { /* "\0" in a double-quoted scalar */
        complain(b, node, "the text contains a NUL character");
        node->type = GB_NODE_BAD;
    } else if (check_tag(b, node, event->data.scalar.tag)) {
        set_style(node, event);
    }
    set_anchor(b, event->data.scalar.anchor, node);
    attach(b, node);
}

static void read_alias(gb_yaml_builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    gb_node *here = new_node(b, GB_NODE_BAD, &event->start_mark);
    if (here == NULL)
        return;
    gb_node *target = NULL;
    for (size_t i = 0; i < b->n_anchors && target == NULL; i++)
        if (strcmp(b->anchors[i].name, name) == 0)
            target = b->anchors[i].node;
    if (target == NULL) {
        complain(b, here, "alias '*%.*s' has no anchor before it", QUOTED_BYTES, name);
    } else if (target->open) {
        complain(b, here, "alias '*%.*s' refers to itself (its anchor stands in line %d)",
                 QUOTED_BYTES, name, target->line);
        target = NULL;
    } else if (b->depth + target->height > GB_YAML_MAX_DEPTH) {
        complain(b, here, "nested more than %d levels deep", GB_YAML_MAX_DEPTH);
        gb_yaml_give_up(b);
        return;
    } else {
        b->expanded = true;
    }
    if (target == NULL)
        target = here;
    if (count_nodes(b, here, target->nodes))
        attach(b, target);
}

static void open_collection(gb_yaml_builder *b, gb_node_type type, const yaml_event_t *event,
                            bool block, const yaml_char_t *anchor_name, const yaml_char_t *tag)
{
    gb_node *node = new_node(b, type, &event->start_mark);
    if (node == NULL || !count_nodes(b, node, 1))
        return;
    /* Where the first key decides the indentation of a block, a tab before it is indentation. */
    bool indents = block && anchor_name == NULL && tag == NULL;
    int tab = indents ? gb_tabs_before(b->source, node->line, node->column) : 0;
    if (tab > 0) {
        gb_diagnostics_add(b->diagnostics, node->line, tab, "%s", GB_TAB_MESSAGE);
        gb_yaml_give_up(b);
        return;
    }
    if (b->depth == GB_YAML_MAX_DEPTH) {
        complain(b, node, "nested more than %d levels deep", GB_YAML_MAX_DEPTH);
        gb_yaml_give_up(b);
        return;
    }
    set_anchor(b, anchor_name, node);
    check_tag(b, node, tag);
    node->open = true;
    attach(b, node);
    b->stack[b->depth++] = node;
}

/* A key and its position, for finding the same key twice. */
typedef struct key {
    const gb_node *node;
    size_t index;
} key;

static int by_text(const void *a, const void *b)
{
    const key *x = a;
    const key *y = b;
    int order = strcmp(x->node->text, y->node->text);
    if (order != 0)
        return order;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Two keys are the same when their texts are, quoted or not: 1 and "1" too. */
static void find_duplicates(gb_yaml_builder *b, const gb_node *map)
{
    key *keys = malloc((map->n + 1) * sizeof *keys);
    if (keys == NULL) {
        b->no_memory = true;
        b->stop = true;
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < map->n; i++)
        if (map->items[2 * i]->type == GB_NODE_SCALAR)
            keys[n++] = (key){map->items[2 * i], i};
    qsort(keys, n, sizeof *keys, by_text);
    size_t first = 0;
    for (size_t i = 1; i < n; i++) {
        if (strcmp(keys[first].node->text, keys[i].node->text) != 0) {
            first = i;
            continue;
        }
        char *name = gb_text_printable(keys[i].node->text);
        complain(b, keys[i].node, "duplicate key \"%.*s\" (first at line %d, again at line %d)",
                 QUOTED_BYTES, name != NULL ? name : "", keys[first].node->line,
                 keys[i].node->line);
        free(name);
    }
    free(keys);
}

/* Pairs up the items of a mapping and takes out keys that cannot be. */
static void close_map(gb_yaml_builder *b, gb_node *map)
{
    size_t kept = 0;
    for (size_t i = 0; i + 1 < map->n; i += 2) {
        gb_node *name = map->items[i];
        bool merge = name->type == GB_NODE_SCALAR && !name->quoted && strcmp(name->text, "<<") == 0;
        if (merge)
            complain(b, name,
                     "merge keys ('<<') are not supported; write the keys out, or use an "
                     "alias as a whole value");
        else if (name->type == GB_NODE_LIST || name->type == GB_NODE_MAP)
            complain(b, name, "a key must be text, got %s",
                     name->type == GB_NODE_LIST ? "list" : "mapping");
        if (merge || name->type != GB_NODE_SCALAR) {
            map->incomplete = true;
            continue;
        }
        map->items[2 * kept] = name;
        map->items[2 * kept + 1] = map->items[i + 1];
        kept++;
    }
    map->n = kept;
    find_duplicates(b, map);
}

static void close_collection(gb_yaml_builder *b)
{
    gb_node *node = b->stack[--b->depth];
    for (size_t i = 0; i < node->n; i++) {
        node->nodes += node->items[i]->nodes;
        if (node->items[i]->height >= node->height)
            node->height = node->items[i]->height + 1;
    }
    node->open = false;
    if (node->type == GB_NODE_MAP)
        close_map(b, node);
}

void gb_yaml_build(gb_yaml_builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        read_scalar(b, event);
        break;
    case YAML_ALIAS_EVENT:
        read_alias(b, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        open_collection(b, GB_NODE_LIST, event,
                        event->data.sequence_start.style == YAML_BLOCK_SEQUENCE_STYLE,
                        event->data.sequence_start.anchor, event->data.sequence_start.tag);
        break;
    case YAML_MAPPING_START_EVENT:
        open_collection(b, GB_NODE_MAP, event,
                        event->data.mapping_start.style == YAML_BLOCK_MAPPING_STYLE,
                        event->data.mapping_start.anchor, event->data.mapping_start.tag);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        close_collection(b);
        break;
    default:
        break;
    }
}
