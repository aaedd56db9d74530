/* Reports: records in, bytes out. Nothing here sees a device or prints. */
#ifndef GB_REPORTS_REPORT_H
#define GB_REPORTS_REPORT_H

#include "base/text.h"
#include "record/run_dir.h"

/* The cases of a run, each with its replicates brought together. */
typedef struct gb_row {
    const gb_record *first; /* identity and parameters */
    const gb_record **replicates; /* all records of the case on one device, by replicate */
    size_t n, n_ok;
    gb_status status; /* the worst of them */
    double time_ns;   /* geometric centre of the replicates' medians; NAN when none is ok */
    double plus_minus; /* 95 % half-width between replicates, fraction; NAN below 2 */
    uint32_t flags;   /* all of them */
} gb_row;
typedef struct gb_table {
    gb_row *rows;
    size_t n;
} gb_table;
gb_code gb_table_make(const gb_results *results, gb_table *out, gb_error *err);
void gb_table_free(gb_table *table);
/* A row's value of a metric in base units ("time" included); NAN when there is none. */
double gb_row_metric(const gb_row *row, const char *name, const char **unit, bool *higher_is_better);

/* The terminal table: device and kind in the header, a block a benchmark, aligned, scaled units,
 * +- between replicates, percent of peak where known, failed and skipped with reasons, fits,
 * findings, how long it took. `width` columns (0: unlimited), `color` with ANSI. */
gb_code gb_report_table(const gb_results *results, int width, bool color, gb_buf *out, gb_error *err);

/* Fits (copy curves) and findings: computed from the records by stated rules; arrays of objects for
 * results.json ("fits", "findings"). New references. */
gb_code gb_report_fits(const gb_results *results, json_t **out, gb_error *err);
gb_code gb_report_findings(const gb_results *results, json_t **out, gb_error *err);

/* The plots that the suite in results asks for: scripts and data under DIR/plots, pictures made by
 * ONE gnuplot process (SVG and PNG). *notes gets a line for each thing a user should know ("plots
 * skipped: gnuplot not found", "no data for ..."). `gnuplot` is the program's path or name. */
gb_code gb_report_plots(const gb_results *results, const char *dir, const char *gnuplot,
                        gb_buf *notes, gb_error *err);

#endif
