/* A tree of nodes out of libyaml's events, one after the other. Private to yaml_tree.c, which makes
 * the events. */
#ifndef GB_SUITE_YAML_BUILD_H
#define GB_SUITE_YAML_BUILD_H

#include <yaml.h>

#include "suite/yaml_tree.h"

typedef struct gb_yaml_anchor {
    char *name;
    gb_node *node;
} gb_yaml_anchor;

typedef struct gb_yaml_builder {
    const gb_source *source;
    gb_diagnostics *diagnostics;
    gb_tree *tree;
    gb_node *stack[GB_YAML_MAX_DEPTH]; /* the collections that are open */
    int depth;
    gb_yaml_anchor *anchors;
    size_t n_anchors;
    size_t total;      /* nodes so far, expanded */
    bool expanded;     /* an alias was */
    size_t documents;  /* that are not empty */
    bool stop;         /* a limit was passed: read no further */
    bool syntax_error; /* libyaml cannot read it */
    bool no_memory;
} gb_yaml_builder;

/* Takes one event. Sets stop or no_memory where no more of them are wanted. */
void gb_yaml_build(gb_yaml_builder *b, const yaml_event_t *event);

/* Ends reading: what follows would only repeat the problem or take too long. */
void gb_yaml_give_up(gb_yaml_builder *b);

#endif
