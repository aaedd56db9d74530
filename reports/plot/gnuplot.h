/* Running gnuplot, and text that is safe inside its scripts. */
#ifndef GB_REPORTS_GNUPLOT_H
#define GB_REPORTS_GNUPLOT_H

#include "base/text.h"

/* Adds text as a gnuplot string expression of single-quoted pieces: nothing in it is expanded (no
 * back-ticks, no escapes); quotes are pieces of their own, control characters become spaces. */
void gb_gnuplot_quote(gb_buf *script, const char *text);

/* Runs ONE gnuplot process over scripts (paths relative to `dir`, n of them) in `dir`, under
 * LC_ALL=C.UTF-8 (C where there is none), for at most `timeout_s`. No shell is involved. *output
 * gets what it printed (stderr and stdout; may stay empty). Returns GB_OK, GB_UNAVAILABLE (no such
 * program), GB_IO with the exit status or signal and the last of its output, GB_TIMEOUT. */
gb_code gb_gnuplot_run(const char *gnuplot, const char *dir, const char *const scripts[], size_t n,
                       int timeout_s, gb_buf *output, gb_error *err);

/* Whether a picture is whole: an SVG ends with its closing tag, a PNG with its IEND chunk (gnuplot
 * exits 0 when the disk is full). */
bool gb_picture_whole(const char *path);

#endif
