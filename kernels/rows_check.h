/* rows: test data of a matrix, and what softmax and layer norm should make of it. */
#ifndef GB_KERNELS_ROWS_CHECK_H
#define GB_KERNELS_ROWS_CHECK_H

#include "kernels/kernel.h"

typedef enum rows_op { ROWS_SOFTMAX, ROWS_LAYERNORM } rows_op;

typedef struct rows_state {
    gb_memory x, out;        /* [rows][columns] */
    gb_memory gain, shift;   /* [columns] of layernorm */
    gb_memory centre, scale; /* [rows] where launches are separate */
    gb_launch launch;
    rows_op op;
    bool separate;
    uint64_t rows, columns;
    uint64_t seed;
    double *centres, *scales; /* [rows] the reference */
} rows_state;

/* Fills x, and gain and shift where they are, and prepares the reference, in double. */
gb_code rows_make(gb_run *run, rows_state *s, gb_error *err);
/* GB_WRONG_RESULT unless out, and centre and scale where they are, hold what they should. */
gb_code rows_check(gb_run *run, rows_state *s, gb_error *err);
void rows_forget(rows_state *s);

#endif
