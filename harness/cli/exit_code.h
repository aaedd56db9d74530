/* Exit statuses: what a script learns from a run. */
#ifndef GB_CLI_EXIT_CODE_H
#define GB_CLI_EXIT_CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "record/record.h"

enum {
    GB_EXIT_OK = 0,
    GB_EXIT_REGRESSION = 1,  /* a regression or a failed expectation */
    GB_EXIT_USAGE = 2,       /* usage, suite or file invalid */
    GB_EXIT_CASE = 3,        /* a case failed or gave wrong answers */
    GB_EXIT_NO_DEVICE = 4,   /* no such device */
    GB_EXIT_STRICT = 5,      /* --strict: throttled, not converged or inconclusive */
    GB_EXIT_ENVIRONMENT = 6, /* driver mismatch, disk, device busy: no verdict */
    GB_EXIT_HUNG_UP = 129,
    GB_EXIT_INTERRUPTED = 130,
    GB_EXIT_TERMINATED = 143
};

/* The one of two that decides: 143 > 129 > 130 > 2 > 4 > 6 > 3 > 1 > 5 > 0. */
int gb_exit_worse(int a, int b);

/* The status for an error that ended a command. */
int gb_exit_of_code(gb_code code);

/* What a run came to. */
typedef struct gb_outcome {
    size_t counts[GB_STATUSES]; /* records by status */
    int interrupted;            /* status of the signal that ended it: 130, 143 or 129; 0: none */
    bool unsteady;              /* an ok record was throttled or has not converged */
    bool strict;                /* such a record matters */
    bool expectation_failed;
    gb_code error; /* of the run as a whole: a full disk, a device that did not open */
} gb_outcome;

/* A run without a single ok record is never 0: 3 when a case failed, 6 when all were skipped or
 * not run. */
int gb_exit_of_run(const gb_outcome *outcome);

/* "usage", "case", ...: the `kind` of an error object in JSON. */
const char *gb_exit_word(int status);

#endif
