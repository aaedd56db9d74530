/* Tabs in YAML: private to the suite library.
 *
 * A tab may separate ("-\tx", "key:\tx", before a comment, in a line of nothing else); it may not
 * indent. libyaml is stricter than YAML in a few of these places and says nothing about tabs. */
#ifndef GB_SUITE_YAML_TABS_H
#define GB_SUITE_YAML_TABS_H

#include <stdbool.h>

#include "suite/source.h"

#define GB_TAB_MESSAGE "tab character in indentation; use spaces"

/* A copy of the source's bytes, of the same length, in which tabs are spaces where they only
 * separate but libyaml would refuse them; NULL: there are none (or no memory: *no_memory). The
 * caller frees. */
char *gb_tabs_patch(const gb_source *source, bool *no_memory);

/* Column of the first tab in the indentation of a line that has content; 0: none. */
int gb_tabs_indentation(const gb_source *source, int line);

/* Column of the first tab in the white space just before a place; 0: none. */
int gb_tabs_before(const gb_source *source, int line, int column);

#endif
