/* What the estimates share: lines of a result, each with its formula, and rates of a run beside
 * nominal ones. */
#ifndef GB_CLI_ESTIMATE_H
#define GB_CLI_ESTIMATE_H

#include "cli/cli.h"
#include "reports/grid.h"
#include "reports/measured.h"

/* Everything is owned but what is said to be borrowed. */
typedef struct gb_sheet {
    const gb_args *args; /* borrowed */
    gb_results run;      /* of --run; `has_run`: there is one */
    bool has_run;
    gb_grid lines;                /* label, value, formula, where a measured rate is from */
    gb_buf notes;                 /* sentences below the lines, each on a line of its own */
    json_t *results, *formulas;   /* {key: value}, {key: text} */
    json_t *measured;             /* [{"what", "from", ..., "results", "formulas"}] */
    const char *measured_kind;    /* borrowed: what those results are: "estimate", "measurement" */
    const gb_measured_rate *rate; /* borrowed: what the lines under way are from; NULL: nominal */
    size_t rate_lines;            /* of that rate so far */
    bool failed;                  /* out of memory */
} gb_sheet;

/* One line. `key` is its name in JSON, with the unit; `value` is taken (null: there is none, and
 * the formula says why); the rest is the formula, with the numbers put in. */
void gb_sheet_line(gb_sheet *sheet, const char *key, json_t *value, const char *label,
                   const char *shown, const char *formula, ...)
    __attribute__((format(printf, 6, 7)));
/* As that, of a size: 14.0 GB (13.0 GiB). */
void gb_sheet_bytes(gb_sheet *sheet, const char *key, const char *label, uint64_t bytes,
                    const char *formula, ...) __attribute__((format(printf, 5, 6)));
/* The lines that follow rest on this rate, for `bytes` bytes (0: no matter), until another one is
 * given; NULL: on nominal figures. */
void gb_sheet_rate(gb_sheet *sheet, const gb_measured_rate *rate, uint64_t bytes);
void gb_sheet_note(gb_sheet *sheet, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "14.0 GB (13.0 GiB)"; buf has room for 64. */
const char *gb_sheet_size(uint64_t bytes, char *buf);
/* As it was typed, most often: "64 MiB", "1.00 GB"; buf has room for 32. */
const char *gb_sheet_exact_size(uint64_t bytes, char *buf);

/* Behind a nominal figure that is not of the options but of the run's first device. */
const char *gb_sheet_theory(const gb_sheet *sheet);

/* Each computes one estimate from the arguments. GB_INVALID: one is missing, or they do not go
 * together. */
typedef gb_code gb_estimate_fill(gb_sheet *sheet, gb_error *err);
gb_estimate_fill gb_estimate_memory, gb_estimate_tokens; /* estimate_model.c */
gb_estimate_fill gb_estimate_transfer, gb_estimate_bandwidth, gb_estimate_amdahl; /* ..._rates.c */

#endif
