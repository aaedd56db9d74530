/* Limits of a suite's numbers, for the file and for the command line alike. docs/suite-format.md
 * has them for people. */
#ifndef GB_SUITE_LIMITS_H
#define GB_SUITE_LIMITS_H

#include <stdint.h>

#define GB_MAX_REPLICATES 1000
#define GB_MAX_VALUES 4096 /* of an axis */
#define GB_MAX_CASES 4096  /* of a benchmark, on each kind of device */

#define GB_MIN_BUDGET_NS UINT64_C(1000000)                /* 1ms */
#define GB_MAX_BUDGET_NS (UINT64_C(2592000) * 1000000000) /* 720h */

#endif
