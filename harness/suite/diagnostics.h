/* Collecting what is wrong with a file: private to the suite library. */
#ifndef GB_SUITE_DIAGNOSTICS_H
#define GB_SUITE_DIAGNOSTICS_H

#include <stdarg.h>

#include "suite/source.h"
#include "suite/suite.h"

#define GB_DIAGNOSTICS_SHOWN 100

/* Adds one. line 0: about the file as a whole. Sets diagnostics->failed on out of memory. */
void gb_diagnostics_add(gb_diagnostics *diagnostics, int line, int column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void gb_diagnostics_vadd(gb_diagnostics *diagnostics, int line, int column, const char *format,
                         va_list args);

/* Forgets all but the first n. */
void gb_diagnostics_truncate(gb_diagnostics *diagnostics, size_t n);

/* File order (those about the whole file first), no message twice at one place, and the source
 * lines of those that will be shown. `source` may be NULL: no source lines. */
void gb_diagnostics_finish(gb_diagnostics *diagnostics, const gb_source *source);

#endif
