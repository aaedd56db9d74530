/* YAML as a tree: libyaml's events turned into nodes with places, within fixed limits. Private to
 * the suite library.
 *
 * What a suite may not contain is an error here, whatever it stands for: nesting over 32 levels,
 * more than 100,000 nodes (an alias counts as all that it stands for), a second document,
 * duplicate keys, merge keys, undefined and cyclic aliases, tags other than
 * !!str/int/float/bool/null, tabs in indentation. */
#ifndef GB_SUITE_YAML_TREE_H
#define GB_SUITE_YAML_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "suite/diagnostics.h"

#define GB_YAML_MAX_DEPTH 32
#define GB_YAML_MAX_NODES 100000
#define GB_YAML_MAX_ANCHORS 1000

/* BAD: something wrong that was reported already; whoever meets one says nothing more. */
typedef enum gb_node_type { GB_NODE_BAD, GB_NODE_SCALAR, GB_NODE_LIST, GB_NODE_MAP } gb_node_type;

/* One node. An alias is the node that it stands for, so that a node can be met several times; the
 * tree has no cycles. Owned by the tree. */
typedef struct gb_node gb_node;
struct gb_node {
    gb_node_type type;
    int line, column; /* 1-based */
    /* scalars */
    char *text; /* UTF-8 without NUL; never NULL for a scalar */
    size_t length;
    bool quoted; /* text by its style or tag: never a number or null */
    bool null;   /* nothing, ~, null, Null or NULL, not quoted; or tagged !!null */
    /* lists: n items; mappings: n pairs, key at 2 i, value at 2 i + 1, keys are scalars or BAD */
    gb_node **items;
    size_t n;
    bool incomplete; /* a mapping from which a wrong key was taken out */
    /* the expanded subtree */
    size_t nodes;
    int height; /* 1 for a scalar */
    bool open;  /* while it is being read: an alias to it would be a cycle */
};

typedef struct gb_tree {
    gb_node *root; /* NULL: not YAML, or nothing in it; a diagnostic says which */
    gb_node **nodes;
    size_t n, capacity;
} gb_tree;

/* Reads the source. Everything wrong goes to diagnostics; returns GB_OK also then, GB_NO_MEMORY
 * otherwise. Free with gb_tree_free in any case. */
gb_code gb_tree_parse(const gb_source *source, gb_diagnostics *diagnostics, gb_tree *out,
                      gb_error *err);
void gb_tree_free(gb_tree *tree);

/* Value of a key, or NULL. The slot is the place in map->items that holds it, which can stand for a
 * list of one. */
gb_node *gb_node_get(const gb_node *map, const char *key);
gb_node *const *gb_node_slot(const gb_node *map, const char *key);

#endif
