/* Which letters a PNG can show.
 *
 * gnuplot's cairo terminal draws texts at 20 times their size and scales down; the box with the
 * code that Pango (1.50) draws for a letter without a font is not scaled down again and covers the
 * picture. So such letters are replaced there, and there alone: the viewer of an SVG has fonts of
 * its own. */
#ifndef GB_REPORTS_FONTS_H
#define GB_REPORTS_FONTS_H

#include "base/text.h"

/* Adds `text` with '?' in place of each letter that no font of this machine has; a script's
 * 'plots/KEEP, the begin of a file's name, stays as it is. True: something was replaced. Asks
 * fontconfig's `fc-list` once in a process; where there is none letters up to U+024F are taken as
 * there. */
bool gb_fonts_replace(const char *text, const char *keep, gb_buf *out);

/* The same with fonts as `fc-list --format '%{fontformat} %{charset}\n'` prints them. */
bool gb_fonts_replace_of(const char *fonts, const char *text, const char *keep, gb_buf *out);

#endif
