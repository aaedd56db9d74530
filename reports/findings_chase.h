/* What the two files of findings on the kernel chase share. */
#ifndef GB_REPORTS_FINDINGS_CHASE_H
#define GB_REPORTS_FINDINGS_CHASE_H

#include "reports/findings.h"

#define GB_CHASE_DENSE 128 /* bytes of a node that has a line for itself (kernels/chase.c) */

/* Whether a row is of chase, has a time, and its nodes, of a known size, lie in `space`. */
bool gb_chase_is(const gb_row *row, const char *space);
/* Appends a finding about a row; frees `text` and takes over `figures`, NULL of which is no memory.
 */
gb_code gb_chase_add(const gb_view *view, const gb_row *about, const char *rule, gb_buf *text,
                     json_t *figures, json_t *findings, gb_error *err);

/* findings_chase_pairs.c: sparse nodes against dense ones, other memories against the device's. */
gb_code gb_findings_chase_pairs(const gb_view *view, json_t *findings, gb_error *err);

#endif
