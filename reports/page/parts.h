/* What the parts of report.html and report.md share; inside this folder alone. */
#ifndef GB_PAGE_PARTS_H
#define GB_PAGE_PARTS_H

#include "reports/merge.h"
#include "reports/page/html.h"
#include "reports/page/report_page.h"

/* The rows of one benchmark on all devices, in the suite's order. */
typedef struct gb_group {
    const char *benchmark, *kernel;
    const gb_row **rows; /* owned array of n */
    size_t n, capacity;
    size_t n_measured; /* rows with a figure */
} gb_group;

/* What the whole comes to. */
typedef struct gb_tally {
    size_t rows;                   /* cases on devices */
    size_t measured;               /* with a figure */
    size_t by_status[GB_STATUSES]; /* rows whose worst replicate is so */
    size_t doubtful;               /* with a figure that some doubt is about */
    size_t partly;                 /* with a figure, but without all of their replicates */
    size_t flags[GB_FLAG_COUNT];   /* measured rows that carry it */
    size_t met, unmet, unknown;    /* expectations */
    size_t runs, runs_complete;
    size_t nameless; /* metrics without a name or a unit, left out */
} gb_tally;

/* A report in the making. */
typedef struct gb_sheet {
    const gb_results *results;
    const gb_pictures *pictures; /* NULL: none */
    gb_table table;
    gb_group *groups; /* in order of their first row; owned */
    size_t n_groups;
    json_t *fits, *findings; /* owned */
    gb_buf muted;            /* what the noise floor keeps back, for people; owned */
    gb_tally tally;
    size_t n_devices; /* that have rows, counted from 0 to the last */
    bool cpu;         /* some device is a CPU */
    bool only_cpu;    /* all of them are */
} gb_sheet;
/* `sheet` refers to results and pictures. GB_NO_MEMORY. */
gb_code gb_sheet_open(const gb_results *results, const gb_pictures *pictures, gb_sheet *sheet,
                      gb_error *err);
void gb_sheet_close(gb_sheet *sheet); /* fine after a failed open */

/* Run i of a merged document, or the document itself: it has "run", "tool", "host", "suite". */
const json_t *gb_sheet_run(const gb_sheet *sheet, size_t i);
/* A string in an object of an object; "" where there is none. */
const char *gb_sheet_text(const json_t *run, const char *object, const char *key);
/* Which run a device belongs to. */
size_t gb_sheet_run_of(const gb_sheet *sheet, int device);
/* "A", "B", ... : short for a device in tables of several; gb_say_devices says which is which.
 * Writes into buf (8 bytes or more). */
const char *gb_sheet_letter(int device, char *buf, size_t size);
/* "A: NVIDIA H200, B: ..." where there are several devices, else nothing. */
void gb_say_devices(const gb_sheet *sheet, gb_buf *text);
/* The noise floor that a self-test of a device left: a fraction, NAN when there is none. *measured
 * (may be NULL) is its day, or NULL. */
double gb_sheet_noise(const gb_sheet *sheet, int device, const char **measured);

/* verdict.c: sentences for both */

/* "12 of 14 cases measured; 1 failed, 1 skipped." */
void gb_say_counts(const gb_sheet *sheet, gb_buf *text);
/* "ok", "ok: 18 of 26 figures are doubtful", "NOT ok: ...": one line. True when nothing went
 * wrong. */
bool gb_say_verdict(const gb_sheet *sheet, gb_buf *text);
/* "Partial: ..." when not everything has a figure that findings could use; else nothing. */
void gb_say_partial(const gb_sheet *sheet, gb_buf *text);
/* Why there is no finding, or why there are not more and how sure their figures are. */
void gb_say_no_finding(const gb_sheet *sheet, gb_buf *text);
void gb_say_findings_rule(const gb_sheet *sheet, gb_buf *text);
/* "NAME", or "2 runs", "2 devices": for the title. */
void gb_say_subject(const gb_sheet *sheet, gb_buf *text);
/* What was measured on what, when, by which version. */
void gb_say_what(const gb_sheet *sheet, gb_buf *text);
/* "h2d pinned": what the curve of an entry of fits is of. */
void gb_say_series(const json_t *fit, gb_buf *text);
/* The machine's noise floor, or how to get it. */
void gb_say_noise(const gb_sheet *sheet, int device, gb_buf *text);
/* Flags in words, missing replicates, the two groups of bimodal samples; "" for none. */
void gb_say_notes(const gb_row *row, gb_buf *text);
/* The record that made the row's status, and why in words. */
const gb_record *gb_row_culprit(const gb_row *row);
const char *gb_row_reason(const gb_row *row);
/* Whether there is a figure, and whether it is one of all replicates. */
bool gb_row_measured(const gb_row *row);
bool gb_row_partly(const gb_row *row);

/* doubts.c: what makes figures doubtful, one list for page, Markdown and verdict. `take` gets each
 * doubt that some case has: how many, what it means, "copy 12, memory 4". */
typedef void (*gb_doubt_taker)(gb_buf *out, const char *what, const char *class_name, size_t n,
                               const char *meaning, const char *where);
void gb_doubts_of_figures(const gb_sheet *sheet, gb_doubt_taker take, gb_buf *out);
/* What changes the meaning of figures without making them worse. */
void gb_remarks_on_figures(const gb_sheet *sheet, gb_doubt_taker take, gb_buf *out);
void gb_doubt_about(const gb_sheet *sheet, const char *what, const char *class_name,
                    const char *meaning, bool (*passes)(const gb_row *, uint32_t), uint32_t flags,
                    gb_doubt_taker take, gb_buf *out);
bool gb_row_has_flag(const gb_row *row, uint32_t flags); /* and a figure */
/* Whether any doubt of the list is about this row. */
bool gb_row_doubtful(const gb_row *row);

/* How bad a flag is for the figure that carries it: "bad" (do not use it), "warn", "dim" (a fact).
 */
const char *gb_flag_class(gb_flag flag);

/* columns.c: the columns of a benchmark's table */
typedef enum gb_column_kind {
    GB_COLUMN_PARAM,
    GB_COLUMN_TIMER,
    GB_COLUMN_CACHE,
    GB_COLUMN_TIME, /* with +- where there are several devices */
    GB_COLUMN_HALF,
    GB_COLUMN_P95,
    GB_COLUMN_P99,
    GB_COLUMN_METRIC,
    GB_COLUMN_PEAK, /* share of the metric's ceiling */
    GB_COLUMN_NOTES
} gb_column_kind;
typedef struct gb_column {
    gb_column_kind kind;
    const char *name; /* parameter or metric */
    const char *unit; /* of the metric */
    int device;       /* -1: not of one device */
    bool number;
    char *title; /* owned */
} gb_column;
/* A line of the table: the same case on each device; rows[d] may be NULL. */
typedef struct gb_line {
    const gb_row **rows;
    const gb_row *any;
} gb_line;
typedef struct gb_lines {
    gb_column *columns;
    size_t n_columns, columns_capacity;
    gb_line *lines; /* those with a figure on some device */
    size_t n;
    const gb_row **places; /* what the lines' rows point into */
    size_t n_devices;
} gb_lines;
gb_code gb_lines_make(const gb_sheet *sheet, const gb_group *group, gb_lines *out, gb_error *err);
void gb_lines_free(gb_lines *lines);
/* cells.c: the text of a cell, its sort key (NAN: none) and class (may be NULL). */
void gb_lines_cell(const gb_sheet *sheet, const gb_lines *lines, const gb_line *line,
                   const gb_column *column, gb_buf *text, double *sort, const char **class_name);
/* Whether a parameter has several values in a group. */
bool gb_group_varies(const gb_group *group, const char *param);
/* "direction h2d, pieces 1": what is the same for all rows. */
void gb_group_common(const gb_group *group, gb_buf *text);

/* The page's sections, in order. */
void gb_page_answer(const gb_sheet *sheet, gb_buf *out);
void gb_page_findings(const gb_sheet *sheet, gb_buf *out);
void gb_page_trust(const gb_sheet *sheet, gb_buf *out);
void gb_page_expectations(const gb_sheet *sheet, gb_buf *out);
void gb_page_runs(const gb_sheet *sheet, gb_buf *out);
gb_code gb_page_benchmark(const gb_sheet *sheet, const gb_group *group, gb_buf *out, gb_error *err);
void gb_page_pictures(const gb_sheet *sheet, const char *benchmark, gb_buf *out);
void gb_page_terms(const gb_sheet *sheet, gb_buf *out);
void gb_page_environment(const gb_sheet *sheet, gb_buf *out);
void gb_page_method(const gb_sheet *sheet, gb_buf *out);
void gb_page_suite(const gb_sheet *sheet, gb_buf *out);

#endif
