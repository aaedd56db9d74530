/* Another program, run to its end: no shell is involved. */
#ifndef GB_REPORTS_CHILD_H
#define GB_REPORTS_CHILD_H

#include "base/text.h"

/* Runs argv[0] (path or name; argv ends with NULL) in `dir` (NULL: here) under LC_ALL=C.UTF-8 (C
 * where there is none), for at most `timeout_s`. *output gets about the first `most` bytes of what
 * it printed (stderr and stdout; may stay empty). `what`: what messages call it. Returns GB_OK,
 * GB_UNAVAILABLE (no such program), GB_IO with the exit status or signal and the last of its
 * output, GB_TIMEOUT. */
gb_code gb_child_run(const char *what, const char *const argv[], const char *dir, int timeout_s,
                     size_t most, gb_buf *output, gb_error *err);

#endif
