/* What the files of this folder share. */
#ifndef GB_COMPARE_INTERNAL_H
#define GB_COMPARE_INTERNAL_H

#include "reports/compare/compare.h"

/* The rows of one run, by device and name. */
typedef struct gb_keyed {
    const char *name; /* case id under the benchmark's present name */
    int device;       /* as the baseline counts devices; -1: it has no such one */
    const gb_row *row;
} gb_keyed;
typedef struct gb_side {
    gb_keyed *rows; /* in the suite's order; owned */
    gb_keyed **sorted;
    size_t n;
} gb_side;

/* A further earlier run of the baseline's side. */
typedef struct gb_earlier {
    const gb_results *results;
    gb_table table;
    gb_side side;
} gb_earlier;

/* Devices of the same model: what makes one, and everything in which two differ. */
typedef struct gb_devices {
    int *map; /* [n] the baseline's device for each of the other run's; -1: none; owned */
    size_t n;
    bool other_unit, other_model, unknown;
} gb_devices;
size_t gb_results_device_count(const gb_results *results);
gb_code gb_devices_pair(const gb_results *a, const gb_results *b, gb_devices *out, gb_buf *why,
                        gb_error *err);

/* environment.c: fills comparison->environment. */
gb_code gb_compare_environment(gb_comparison *c, const gb_devices *devices, gb_error *err);
/* Adds to comparison->warnings. */
gb_code gb_compare_warn(gb_comparison *c, gb_error *err, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* earlier.c: which of all n + 1 earlier runs the others are matched with: `a`, unless that is of
 * another unit than the new run and one of the others is not. all[0] gets it, the rest follow. */
gb_code gb_compare_baseline(const gb_results *a, const gb_results *b, const gb_results others[],
                            size_t n, const gb_results *all[], gb_error *err);
/* Tables and keys of the further earlier runs into c->earlier. GB_INVALID: one is given
 * twice, of another model, or did not finish in gate mode; GB_HARDWARE_FAULT. One of another unit
 * is left out with a warning. */
gb_code gb_compare_earlier(gb_comparison *c, const gb_results *const others[], size_t n,
                           gb_error *err);
/* Whether an earlier run's row can be held against the new one's: no failure, one group of samples,
 * the same definition. */
bool gb_compare_counts(const gb_row *row, const gb_row *b);
/* With several earlier runs none of them alone decides whether a case is judged: where the row in
 * item->a does not count or has no value, the first earlier run's that does takes its place. `room`
 * has room for the replicates of any row. GB_INVALID as gb_compare_metric. */
gb_code gb_compare_reference(const gb_comparison *c, gb_compared *item, const gb_keyed *key,
                             double room[], gb_error *err);

/* match.c */
gb_code gb_side_make(gb_comparison *c, const gb_table *table, const int map[], const char *file,
                     gb_side *out, gb_error *err);
void gb_side_free(gb_side *side);
const gb_keyed *gb_side_find(const gb_side *side, int device, const char *name);
/* Pairs the rows of both sides and fills c->items with what is on either. */
gb_code gb_compare_match(gb_comparison *c, const gb_side *a, const gb_side *b, gb_error *err);

/* metric.c: which metric of a pair is compared, in which unit and against which threshold. */
gb_code gb_compare_metric(const gb_comparison *c, gb_compared *item, gb_error *err);
/* Logarithms of a row's replicates in that metric. y has room for row->n; n is 0, as for rows in
 * tables, where one of those that went well has no value. *floor: the variance that the timer's
 * resolution alone makes. */
typedef struct gb_logs {
    double *y;
    size_t n, lacking; /* how many have no value */
    double floor;
} gb_logs;
gb_code gb_compare_logs(const gb_compared *item, const gb_row *row, gb_logs *out, gb_error *err);

/* judge.c: one pair that has a metric. `scratch` has room for 2 x most doubles. */
typedef struct gb_scratch {
    double *a, *b, *runs;
} gb_scratch;
gb_code gb_compare_judge(const gb_comparison *c, gb_compared *item, const gb_keyed *key,
                         const gb_scratch *scratch, gb_error *err);
/* Whether in half of a row's replicates or more the samples form two groups. */
bool gb_row_unstable(const gb_row *row);
bool gb_compared_worse(const gb_compared *item); /* whether its change is for the worse */

/* Why a row gives no figure: one of its records; NULL when it does give one. Replicates that were
 * never started do not count against those that were. */
const gb_record *gb_row_bad(const gb_row *row);
/* Counts the verdicts and gives each case without one of its own its verdict's next step. */
void gb_comparison_count(gb_comparison *c);

/* show.c: pieces that the forms share. */
const char *gb_compared_value(const gb_compared *item, double value, char *buf, size_t size);
const char *gb_compared_change(double fraction, char *buf, size_t size);           /* "+3.10 %" */
const char *gb_compared_interval(const gb_compared *item, char *buf, size_t size); /* 80 bytes */
const char *gb_compared_p(const gb_compared *item, char *buf, size_t size);
/* The reason, what to do next unless it is `common`, and whether a repeat agreed. */
void gb_compared_advice(const gb_compared *item, const char *common, gb_buf *out);
const char *gb_compared_detectable(const gb_compared *item, char *buf, size_t size);
const char *gb_comparison_name(const gb_comparison *c, int side, char *buf, size_t size);
void gb_comparison_summary(const gb_comparison *c, gb_buf *out); /* "2 slower, 380 same" */
const char *gb_comparison_headline(const gb_comparison *c);
/* "3 undecided: not counted as passed; ..."; false and nothing: every case is decided, or none can
 * be. */
bool gb_comparison_say_undecided(const gb_comparison *c, gb_buf *out);
/* What the evidence is and which verdicts it allows: a sentence without a full stop. */
void gb_comparison_rule(const gb_comparison *c, gb_buf *out);
/* What the plot shows, in a sentence. */
void gb_compare_describe(const gb_comparison *c, gb_buf *out);
/* Script and data of the plot of changes; *shown: cases in it, 0: there is nothing to draw. */
gb_code gb_compare_picture(const gb_comparison *c, const char *name, gb_buf *script, gb_buf *data,
                           size_t *shown, gb_error *err);
/* The place of each item on the plot's horizontal axis, from 1; 0: it is not in it. The caller
 * frees; NULL: no memory. */
size_t *gb_comparison_places(const gb_comparison *c);
/* A name that a page, a table or a terminal can show; the caller frees. */
char *gb_compared_title(const gb_compared *item);

#endif
