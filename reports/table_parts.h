/* What table.c and table_below.c share. */
#ifndef GB_REPORTS_TABLE_PARTS_H
#define GB_REPORTS_TABLE_PARTS_H

#include "reports/report.h"

/* It has figures, but the run ended before all of its replicates. */
bool gb_row_incomplete(const gb_row *row);
/* The fits of a benchmark, a line each. */
void gb_table_fits_lines(const json_t *fits, int device, const char *benchmark, gb_buf *out);
/* The first three findings of a device; results.json has all. */
void gb_table_findings_lines(const json_t *findings, int device, bool color, gb_buf *out);
/* Flags with their meanings and how many cases have them; counts of outcomes; faults. */
void gb_table_summary(const gb_results *results, const gb_table *table, bool color, gb_buf *out);

#endif
