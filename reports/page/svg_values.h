/* The values of a drawing's attributes, made fit for a page (svg.h). */
#ifndef GB_PAGE_SVG_VALUES_H
#define GB_PAGE_SVG_VALUES_H

#include "base/text.h"

/* What stands in the page for the value of an attribute that is a colour of the plots: a variable
 * of its style. NULL: it is no such colour, or none at all. */
const char *gb_svg_page_colour(const char *attribute, const char *value);

/* Adds a value, every url(#id) with the prefix. False: it may reach out of the drawing. Let through
 * are the functions of colours and transformations alone, and no character references but the five
 * of XML: a browser reads "u&#114;l(" as "url(". */
bool gb_svg_add_value(gb_buf *out, const char *prefix, const char *value);

#endif
