/* Which cases of a suite are wanted: `--filter` and `--tag`. Private to the suite library. */
#ifndef GB_SUITE_SELECTION_H
#define GB_SUITE_SELECTION_H

#include "suite/plan.h"

typedef struct gb_selector {
    const gb_selection *selection;
    bool *filter_matched, *tag_matched; /* whether anything did; owned */
} gb_selector;

/* Checks the selection's own form (GB_INVALID: an empty filter or tag). */
gb_code gb_selector_open(gb_selector *selector, const gb_selection *selection, gb_error *err);
/* Whether a case is wanted, by its id or by the same with units ("bytes=1KiB"): any filter (none:
 * all) and any tag (none: all) match. */
bool gb_selector_takes(gb_selector *selector, const gb_benchmark *benchmark, const char *id,
                       const char *written);
/* After all cases: GB_INVALID when a filter or a tag matched nothing, or all of them together. */
gb_code gb_selector_check(const gb_selector *selector, const gb_suite *suite, gb_device_kind kind,
                          size_t n_cases, gb_error *err);
void gb_selector_close(gb_selector *selector);

#endif
