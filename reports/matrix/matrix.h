/* Machines side by side, as somebody compares them who has to buy or rent one: a figure per class
 * of work, what it costs, and what has to be doubted; docs/procurement.md has the rules.
 *
 *   gb_matrix_open, gb_matrix_price and gb_matrix_weigh for each option, gb_matrix_fill, a form
 *
 * A class is declared in the suite (`classes:`). Its figure on a machine is the geometric mean of
 * its cases' values over the common cases: those that are ok, and defined alike, on every machine
 * of the same kind of device that has an ok case of the class at all. */
#ifndef GB_MATRIX_MATRIX_H
#define GB_MATRIX_MATRIX_H

#include <math.h>

#include "reports/report.h"

typedef enum gb_price_kind { GB_PRICE_NONE, GB_PRICE_HOUR, GB_PRICE_PURCHASE } gb_price_kind;
typedef struct gb_price {
    gb_price_kind kind;
    double amount;  /* > 0, in whatever currency */
    uint32_t cards; /* that it is for: 1, or more, to which performance is scaled as assumed */
} gb_price;

/* A run directory that takes part. Borrowed, must outlive the matrix. */
typedef struct gb_matrix_run {
    const gb_results *results;
    const char *path;      /* as typed */
    int differences;       /* what gb_results_verify found; -1: it could not be checked ... */
    const char *unchecked; /* ... for this reason; NULL */
} gb_matrix_run;

/* A place among the machines of a kind. */
typedef struct gb_rank {
    unsigned rank; /* 0: none */
    bool shared;   /* with another machine */
    size_t of;     /* machines that were ranked together */
} gb_rank;

/* One device of one run. */
typedef struct gb_machine {
    char *name; /* the path's last part (the path where that is not unique), "#1" behind it where
                   the run has several devices; owned */
    size_t run;
    int device;
    const gb_results *results;
    const char *model, *kind; /* of the device */
    bool cpu;
    double memory_bytes, tdp_w; /* NAN: unknown */
    gb_price price;
    int differences; /* as of its run */
    const char *unchecked;
    bool incomplete, fault;
    const gb_row **rows; /* of this device, by case id; private */
    size_t n_rows;
    double score; /* of the weights: 1 is the best machine of its kind in each class; NAN: none */
    double score_low, score_high, score_half; /* as of a cell; NAN: a weighed class has none */
    gb_rank score_rank;
    char *no_score; /* why; NULL; owned */
} gb_machine;

/* One case of a class on one machine. */
typedef struct gb_point {
    bool declared; /* it is among the class's cases there */
    const gb_row *row;
    double value;                 /* geometric centre over replicates, base units; NAN */
    double ln_mean, variance, df; /* of the mean logarithm; variance and df NAN: one replicate */
    size_t n;                     /* replicates */
    double watts;                 /* mean of what was read; NAN */
    bool ok, common;              /* common: counts in the cell */
    char *why;                    /* why it does not count; NULL; owned */
} gb_point;
typedef struct gb_class_case {
    char *case_id, *metric;
    gb_point *points; /* [n_machines] */
} gb_class_case;

/* A class on a machine. */
typedef struct gb_cell {
    double value;        /* base units; NAN: a gap */
    double low, high;    /* 95 % interval from the replicates; NAN: some case has one replicate */
    double half;         /* the same as a fraction: exp(t se) - 1 */
    double variance, df; /* of the value's logarithm, and its degrees of freedom */
    size_t n, cases;     /* that count; of the class on this machine */
    char *gap;           /* why there is no value; NULL; owned */
    unsigned rank;       /* among machines of the same kind of device; 0: none */
    bool shared;         /* the rank, with another machine */
    size_t of;           /* machines that were ranked together */
    double performance;  /* value, or 1e9 / value where that is a time in ns: higher is better */
    double relative;     /* performance over that of the best of its kind; NAN, also where it
                            is the only one */
    double per_price;    /* performance x cards / amount; NAN */
    bool unscaled;       /* no per_price: a time, which more cards do not shorten, for several */
    unsigned price_rank;
    bool price_shared;
    size_t price_of;
    double watts, per_watt; /* mean over the cases that count, if each has a reading; NAN */
} gb_cell;

typedef struct gb_matrix_class {
    char *name, *title, *unit;
    bool higher_is_better;
    double weight; /* NAN: none */
    gb_class_case *cases;
    size_t n_cases;
    gb_cell *cells; /* [n_machines] */
} gb_matrix_class;

typedef struct gb_matrix {
    gb_machine *machines;
    size_t n_machines;
    gb_matrix_class *classes;
    size_t n_classes;
    gb_price_kind prices;
    char *currency; /* NULL: not named; owned */
    bool weighted;
    json_t *warnings; /* array of {"code", "text"}; owned */
    gb_table *tables; /* [n_runs]; private */
    const gb_matrix_run *runs;
    size_t n_runs;
} gb_matrix;

/* The machines and classes of the runs. GB_INVALID: a run given twice, no run with classes, a class
 * that is no class; GB_NO_MEMORY. Free with gb_matrix_free, also after an error. */
gb_code gb_matrix_open(const gb_matrix_run runs[], size_t n, gb_matrix *out, gb_error *err);
void gb_matrix_free(gb_matrix *matrix); /* leaves it zeroed */

/* "R1=2.10/h", "R2=30000", "R3=240000:8". GB_INVALID: not of that form, not above 0, unknown or
 * ambiguous machine (with those that there are), a second price, hourly and purchase mixed. */
gb_code gb_matrix_price(gb_matrix *matrix, const char *text, gb_error *err);
/* The machine that a word means: its name, its path as typed, or that path's last part. */
gb_code gb_matrix_find(const gb_matrix *matrix, const char *word, size_t *index, gb_error *err);
/* GB_INVALID: an unknown class (with the nearest), one weighed twice, a weight that is not above 0.
 */
gb_code gb_matrix_weigh(gb_matrix *matrix, const char *class_name, double weight, gb_error *err);

/* Cells, ranks and scores. GB_NO_MEMORY. */
gb_code gb_matrix_fill(gb_matrix *matrix, gb_error *err);

/* How ranks are given: sentences for people. */
extern const char gb_matrix_rule[];
#define GB_MATRIX_TIE 0.02 /* as close as this is no difference between two sessions */

gb_code gb_matrix_text(const gb_matrix *matrix, bool color, gb_buf *out, gb_error *err);
gb_code gb_matrix_json(const gb_matrix *matrix, json_t **out, gb_error *err);
gb_code gb_matrix_markdown(const gb_matrix *matrix, gb_buf *out, gb_error *err);
gb_code gb_matrix_page(const gb_matrix *matrix, const char *dir, const char *gnuplot, gb_buf *notes,
                       gb_error *err); /* DIR/procurement.html */

#endif
