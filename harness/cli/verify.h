/* What the files of `gpubench verify` share: a run that is looked at, and what was found. verify.c
 * has the verb and the conclusions; verify_suite.c the suite and its plans; verify_cases.c holds
 * the records against them, verify_records.c each record against itself. */
#ifndef GB_CLI_VERIFY_H
#define GB_CLI_VERIFY_H

#include "base/text.h"
#include "record/run_dir.h"
#include "suite/plan.h"

#define GB_VERIFY_TOLERANCE 1e-9 /* of real numbers, relative */

typedef struct gb_verification {
    const gb_results *results; /* with samples where the run is complete */
    gb_buf lines;              /* a difference or a "note: " each */
    size_t differences;
    gb_suite *suite; /* NULL: cannot be read by this build */
    gb_plan *plans[GB_DEVICE_KINDS];
} gb_verification;

void gb_verify_note(gb_verification *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void gb_verify_differs(gb_verification *v, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void gb_verify_record_differs(gb_verification *v, const gb_record *r, const char *what);

/* Equal but for the last digits of real numbers. */
bool gb_verify_same(const json_t *a, const json_t *b);

/* Fills suite and plans, and compares what the document says of them. */
gb_code gb_verify_suite(gb_verification *v, gb_error *err);
/* The records against the plans. Needs the suite. */
gb_code gb_verify_cases(gb_verification *v, gb_error *err);
/* What follows from other parts of the record; the flags about the shape of the samples are
 * recomputed by the record library. */
void gb_verify_consistency(gb_verification *v, const gb_record *r);
/* `converged` and `stopped_by` against the samples and the suite's settings. */
gb_code gb_verify_stop(gb_verification *v, const gb_record *r, gb_error *err);

#endif
