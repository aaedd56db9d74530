/* Reports: records in, bytes out. Nothing here sees a device or prints. */
#ifndef GB_REPORTS_REPORT_H
#define GB_REPORTS_REPORT_H

#include "base/text.h"
#include "record/run_dir.h"

/* The cases of a run, each with its replicates brought together. */
typedef struct gb_row {
    const gb_record *first;             /* identity and parameters */
    const gb_record *const *replicates; /* all records of the case on one device, by replicate */
    size_t n, n_ok;
    gb_status status; /* the worst of them */
    double time_ns;   /* geometric centre of the replicates' medians; NAN when none is ok */
    /* 95 % half-width between replicates, fraction, one step of the timer at least: equal
     * replicates of a coarse timer are not known better than that. NAN below 2. */
    double plus_minus;
    uint32_t flags; /* all of them */
} gb_row;
typedef struct gb_table {
    gb_row *rows; /* devices in order, then the suite's own order of cases */
    size_t n;
    const gb_record **sorted; /* what the rows' `replicates` point into */
} gb_table;
/* The table refers to `results`, which must outlive it. */
gb_code gb_table_make(const gb_results *results, gb_table *out, gb_error *err);
void gb_table_free(gb_table *table);
/* One step of the timer in an iteration, as a share of the row's time: the largest of those that
 * went well; 0 where it is not known. */
double gb_row_step(const gb_row *row);
/* The least variance of the logarithm of a record's time: a timer that ticks every d moves a time v
 * by a uniform error, whose variance is, of ln v, (d / v)^2 / 12. 0 where it is not known. */
double gb_record_step_variance(const gb_record *record);
/* Whether the row's time stands between its replicates, near none of them: from two on, when none
 * has its median within 25 % of the centre. */
#define GB_APART 0.25
#define GB_APART_WORD "replicates-apart"
#define GB_APART_MEANING "the time stands between the replicates, none of them is within 25 % of it"
bool gb_row_apart(const gb_row *row);
/* A metric's share of its ceiling; NAN: one of the two is not known. */
double gb_row_share_of_peak(const gb_row *row, const char *metric);
/* Whether a share beyond 102 % is no error of the row: one that is carries GB_FLAG_IMPLAUSIBLE. The
 * memory's ceiling alone allows it (docs/methodology.md, "Ceilings"). */
#define GB_ABOVE_PEAK 1.02
#define GB_ABOVE_PEAK_WORD "above-peak"
#define GB_ABOVE_PEAK_MEANING                                                                      \
    "more than 102 % of the memory's peak, and no error: the working set is smaller than 4 times " \
    "the last cache, which serves part of it and is faster than that peak"
bool gb_row_above_peak(const gb_row *row);
/* A record's metric by name, or NULL. */
const gb_metric *gb_record_metric(const gb_record *record, const char *name);
/* A row's value of a metric in base units ("time" included). NAN when there is none, and when one
 * of the replicates that went well has none: what is left is another set of runs than that of the
 * row's other figures, and no figure beside them. */
double gb_row_metric(const gb_row *row, const char *name, const char **unit,
                     bool *higher_is_better);
double gb_row_value(const gb_row *row, const char *metric); /* the value alone */
/* The time of a part, brought together as a metric's value is; NAN when there is none. */
double gb_row_part(const gb_row *row, const char *part);

/* A row's parameter: a number (false: not there or a word), or a word (NULL: not there). */
bool gb_row_number(const gb_row *row, const char *param, double *out);
const char *gb_row_word(const gb_row *row, const char *param);
double gb_row_param(const gb_row *row,
                    const char *param); /* the number; NAN: not there or a word */
/* A parameter's value for people: "64 MiB" for bytes, else as it is. Writes into buf. */
const char *gb_row_param_text(const gb_row *row, const char *param, char *buf, size_t size);
/* The row's parameters without those in `without` (NULL-terminated), as compact JSON with sorted
 * keys: rows with equal keys belong to one series. The caller frees; NULL on out of memory. */
char *gb_row_key(const gb_row *row, const char *const without[]);
/* Whether two rows are of one benchmark and have equal keys. False on out of memory. */
bool gb_rows_alike(const gb_row *a, const gb_row *b, const char *const without[]);
/* Whether it was measured under a profiler or for one (--profile): then times are no results. */
bool gb_results_profiled(const gb_results *results);
/* "AMD EPYC" and kind ("cpu", "cuda") of a device of the results; "unknown" where not recorded. */
const char *gb_results_device_name(const gb_results *results, int device);
const char *gb_results_device_kind(const gb_results *results, int device);

/* The terminal table: device and kind in the header, a block a benchmark, aligned, scaled units,
 * +- between replicates, percent of peak where known, failed and skipped with reasons, fits,
 * findings, how long it took. `color` with ANSI. */
gb_code gb_report_table(const gb_results *results, bool color, gb_buf *out, gb_error *err);

/* A line that is off by more than this at some point (a factor of 1.25 either way) is no fit: its
 * figures are null with the reason, and no table, finding or picture has the line. */
#define GB_WORST_FIT 0.25
/* Fits (copy curves) and findings: computed from the records by stated rules; arrays of objects for
 * results.json ("fits", "findings"). New references. */
gb_code gb_report_fits(const gb_results *results, json_t **out, gb_error *err);
gb_code gb_report_findings(const gb_results *results, json_t **out, gb_error *err);
/* Appends, of findings made from these results, how many more there were without the noise floor of
 * the self-test, and what to do; and which rules are silent as figures are not known well enough.
 * Nothing where there are none. */
gb_code gb_report_muted(const gb_results *results, const json_t *findings, gb_buf *text,
                        gb_error *err);
/* Appends what a finding without +- means, and why its interval may be wider than that of the
 * table. Nothing without findings. `plus_minus`: how the tables write it. */
void gb_report_findings_rule(const json_t *findings, const char *plus_minus, gb_buf *text);

#endif
