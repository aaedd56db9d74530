/* What the files of this folder share. */
#ifndef GB_MATRIX_INTERNAL_H
#define GB_MATRIX_INTERNAL_H

#include "reports/matrix/matrix.h"

/* collect.c: the classes of all runs, and each of their cases on each machine. */
gb_code gb_matrix_collect(gb_matrix *m, gb_error *err);
gb_code gb_matrix_warn(gb_matrix *m, gb_error *err, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Whether two machines are ranked with each other. */
bool gb_matrix_same_kind(const gb_matrix *m, size_t a, size_t b);
/* Whether no machine before this one is of its kind: where each kind is looked at once. */
bool gb_matrix_first_of_kind(const gb_matrix *m, size_t machine);
/* A path's length without the slashes at its end; whether two are the same but for those; its last
 * part, and how long that is. */
size_t gb_matrix_path_length(const char *path);
bool gb_matrix_same_path(const char *a, const char *b);
const char *gb_matrix_last_part(const char *path, size_t *n);
/* cells.c: which cases are common, and what they come to. */
gb_code gb_matrix_cells(gb_matrix *m, gb_error *err);
/* rank.c */
gb_code gb_matrix_rank(gb_matrix *m, gb_error *err);
gb_code gb_matrix_scores(gb_matrix *m, gb_error *err);

/* show.c: pieces that the forms share. Texts are fit for a terminal; forms escape them further. */

/* A machine's name and what is to be doubted about all its figures: "b [3 differences]". The caller
 * frees; NULL on out of memory. */
char *gb_machine_label(const gb_machine *machine);
/* The same doubts in sentences; "" none. */
void gb_machine_doubts(const gb_machine *machine, gb_buf *out);
/* "higher is better, GB/s" needs no more than this. */
const char *gb_matrix_better(const gb_matrix_class *class);
/* "25.2 GB/s", "12.0 GB/s per EUR/h": figures of a class in base units. */
const char *gb_matrix_value(const gb_matrix_class *class, double value, char *buf, size_t size);
const char *gb_matrix_performance(const gb_matrix_class *class, double value, char *buf,
                                  size_t size);
void gb_matrix_currency(const gb_matrix *m, gb_buf *out); /* "EUR/h", "unit of price" */
void gb_matrix_price_text(const gb_matrix *m, const gb_machine *machine, gb_buf *out);

/* What stands in the matrix: a row for each class, price, power, memory, a cell for each machine.
 * Built once for all forms. */
typedef enum gb_matrix_line_kind {
    GB_LINE_VALUE,
    GB_LINE_PRICE,
    GB_LINE_PER_PRICE,
    GB_LINE_PER_WATT,
    GB_LINE_FACT,
    GB_LINE_SCORE
} gb_matrix_line_kind;
typedef struct gb_matrix_line {
    gb_matrix_line_kind kind;
    char *title;
    char *lead;    /* who leads, and by how much; NULL where nobody can */
    char **cells;  /* [n_machines] */
    bool *best;    /* [n_machines]: rank 1, not alone */
    double *sorts; /* [n_machines] */
} gb_matrix_line;
typedef struct gb_matrix_lines {
    gb_matrix_line *lines;
    size_t n, capacity, width;
    bool failed; /* out of memory */
} gb_matrix_lines;
gb_code gb_matrix_lines_make(const gb_matrix *m, gb_matrix_lines *out, gb_error *err);
void gb_matrix_lines_free(gb_matrix_lines *sheet);

/* Sentences, owned by the caller (gb_notes_free). */
typedef struct gb_notes {
    char **items;
    size_t n, capacity;
    bool failed;
} gb_notes;
void gb_notes_add(gb_notes *notes, gb_buf *text); /* takes and empties the text */
void gb_notes_free(gb_notes *notes);
/* Who leads in which class and by how much, and who gives most for its price: a sentence each. */
void gb_matrix_leaders(const gb_matrix *m, const gb_matrix_class *class, gb_notes *out);
/* The same in a table's cell, of figures or of what is given for a price: "a: 1.25x b". */
void gb_matrix_lead(const gb_matrix *m, const gb_matrix_class *class, bool price, gb_buf *out);
/* How many classes each machine leads, and is best in for its price: one or two sentences. */
void gb_matrix_summary(const gb_matrix *m, gb_buf *out);
/* What a class left out on each machine, and why; then what has to be doubted. */
void gb_matrix_left_out(const gb_matrix *m, gb_notes *out);
void gb_matrix_doubts(const gb_matrix *m, gb_notes *out);
/* The weights and what they mean; "" without. */
void gb_matrix_weights(const gb_matrix *m, gb_buf *out);

/* facts.c: how each machine was measured. */
typedef struct gb_fact {
    const char *title;
    const char *path[3]; /* keys in the document; "device" begins at the machine's device */
    bool own;            /* never the same on two machines */
} gb_fact;
extern const gb_fact gb_matrix_facts[]; /* ended by a NULL title */
/* The fact as text; "" unknown. The caller frees; NULL on out of memory. */
char *gb_machine_fact(const gb_machine *machine, const gb_fact *fact);

/* picture.c: a bar a machine for one class. *shown: bars; 0: nothing to draw. */
/* What that picture shows, in a sentence: every machine with its value. */
void gb_matrix_picture_describe(const gb_matrix *m, const gb_matrix_class *class, gb_buf *out);
gb_code gb_matrix_picture(const gb_matrix *m, const gb_matrix_class *class, const char *name,
                          gb_buf *script, gb_buf *data, size_t *shown, gb_error *err);

#endif
