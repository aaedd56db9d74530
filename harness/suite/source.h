/* The bytes of a suite file and its lines: private to the suite library.
 *
 * Lines and columns are 1-based, as libyaml counts them: a line ends at LF, CR or CRLF, a column is
 * a character (code point), a tab too. */
#ifndef GB_SUITE_SOURCE_H
#define GB_SUITE_SOURCE_H

#include <stddef.h>

#include "base/error.h"

#define GB_SUITE_MAX_BYTES ((size_t)1 << 20)

typedef struct gb_source {
    const char *bytes; /* borrowed; without a byte-order mark; a NUL follows them */
    size_t n;
    size_t *lines; /* offsets at which lines begin; owned */
    size_t n_lines;
} gb_source;

/* Indexes the bytes, which must outlive *out and be followed by a NUL. GB_INVALID when they cannot
 * be a suite whatever they say: over 1 MiB, not UTF-8 (UTF-16, bad bytes), NUL and other control
 * characters, line separators other than LF and CR, too many directives. Then err->line and
 * err->column hold the place, or 0 where the file as a whole is meant. GB_NO_MEMORY. Free with
 * gb_source_free either way. */
gb_code gb_source_open(const char *bytes, size_t n, gb_source *out, gb_error *err);
void gb_source_free(gb_source *source);

/* Offset of a place; of the line's end when the line is shorter, of the text's end when there are
 * fewer lines. */
size_t gb_source_offset(const gb_source *source, int line, int column);
/* Length in bytes of a line without its line break; 0 for a line that does not exist. */
size_t gb_source_line_length(const gb_source *source, int line);
/* Line and column of an offset. */
void gb_source_place(const gb_source *source, size_t offset, int *line, int *column);

/* A line as it can be printed on a terminal, at most about 150 columns around `column`, and how
 * many terminal columns stand before the place. The caller frees; NULL: no such line, or out of
 * memory. */
char *gb_source_excerpt(const gb_source *source, int line, int column, int *caret);

#endif
