/* What the files of a check share. */
#ifndef GB_HISTORY_CHECK_H
#define GB_HISTORY_CHECK_H

#include "reports/history/internal.h"

typedef struct gb_checking {
    gb_history *history;
    const gb_history_check_options *options;
    gb_history_report *report;
    gb_table *repeats; /* of options->repeats */
    int64_t run, started;
    int64_t before; /* id of the run of the same suite before; 0: none */
    size_t capacity;
} gb_checking;

/* Repeats of the night that say something, and how many of them agree with the spike. */
gb_code gb_repeats_ask(const gb_checking *c, const gb_night *tonight, const gb_spike *spike,
                       gb_checked *out, gb_error *err);
/* GB_INVALID: a repeat that has nothing to do with the run, or is no new evidence about it. */
gb_code gb_repeats_check(const gb_checking *c, gb_error *err);

#endif
