/* What the rules of findings share. A rule looks for the rows it needs, writes one sentence with
 * its figures and returns true, or stays silent when a row is missing. findings.c lists all rules.
 */
#ifndef GB_REPORTS_FINDINGS_H
#define GB_REPORTS_FINDINGS_H

#include "reports/report.h"

/* What a rule sees: the rows of one device. */
typedef struct gb_view {
    bool cpu; /* the cpu device: no bus between host and device, no warps */
    const gb_row *rows;
    size_t n;
} gb_view;

typedef bool (*gb_rule)(const gb_view *view, gb_buf *text);

/* Whether a row of this kernel has a time. */
bool gb_row_usable(const gb_row *row, const char *kernel);
bool gb_row_word_is(const gb_row *row, const char *param, const char *word);
bool gb_row_number_is(const gb_row *row, const char *param, double number);

/* findings_divergence.c */
bool gb_finding_divergence(const gb_view *view, gb_buf *text);
bool gb_finding_sorted_data(const gb_view *view, gb_buf *text);

#endif
