/* gnuplot's SVG made fit for a page. */
#ifndef GB_PAGE_SVG_H
#define GB_PAGE_SVG_H

#include "base/text.h"

/* Appends the drawing `text` (n bytes) without prologue, comments and namespaces. Every id and
 * reference gets `prefix`; black, white, greys and the plots' palette become variables of the
 * page's style; the size is left to the style, the viewBox stays. `title` is its name and
 * `what` ("": nothing) what it shows, for those who do not see it. Only elements that draw are let
 * through: GB_INVALID names what is not, and what is not well-formed; *out then has a part of it,
 * for the caller to throw away. */
gb_code gb_svg_inline(const char *text, size_t n, const char *prefix, const char *title,
                      const char *what, gb_buf *out, gb_error *err);

#endif
