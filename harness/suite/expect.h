/* `expect:` of a suite held against records.
 *
 * A value is the geometric centre over a case's ok replicates on one device, exp(mean of ln), as in
 * tables, plots and findings (gb_row_metric): the same ratio is the same number everywhere. Without
 * `of` and `over` every case that `where` selects is compared with min and max. With them, cases
 * that differ only in the parameters which `of` and `over` name form a group; each case of a group
 * that `of` selects is divided by each that `over` selects. */
#ifndef GB_SUITE_EXPECT_H
#define GB_SUITE_EXPECT_H

#include "record/record.h"
#include "suite/suite.h"

typedef enum gb_expect_outcome {
    GB_EXPECT_MET,
    GB_EXPECT_FAILED,
    GB_EXPECT_UNKNOWN, /* not evaluable: a case has no value. As good as failed */
    GB_EXPECT_SKIPPED  /* not meant here: its cases are skipped on this device, or no part of the
                          run */
} gb_expect_outcome;

/* One comparison. */
typedef struct gb_expect_result {
    gb_expect_outcome outcome;
    const gb_benchmark *benchmark;
    const gb_expect *expect;
    char *text;   /* the expectation: "copy: bandwidth of memory=pinned over memory=pageable >= 1.2
                     at bytes=1048576, direction=h2d", with both cases where it would not tell them
                     apart; owned */
    char *detail; /* the figures, or why there are none: "1.35 = 25.1 GB/s / 18.6 GB/s"; owned */
    int device;
    double of,
        over;     /* both values in base units (of: the value itself without a ratio); NAN: none */
    double value; /* what was held against min and max; NAN: none */
} gb_expect_result;

typedef struct gb_expect_results {
    gb_expect_result *items;
    size_t n;
    size_t n_met, n_failed, n_unknown, n_skipped;
} gb_expect_results;

/* Evaluates every expectation of the suite. An expectation that meets no record at all gives one
 * SKIPPED result: the suite has cases for it (gb_suite_parse sees to that), this run has not.
 * Records of other benchmarks are ignored, those with parameters that the kernel does not know are
 * GB_INVALID; GB_NO_MEMORY. The results refer to the suite, which must outlive them; free with
 * gb_expect_results_free. */
gb_code gb_expect_evaluate(const gb_suite *suite, const gb_record records[], size_t n,
                           gb_expect_results *out, gb_error *err);
void gb_expect_results_free(gb_expect_results *results);

#endif
