/* The plan: a suite spread out into cases for one device kind, and the order in which each
 * replicate measures them. */
#ifndef GB_SUITE_PLAN_H
#define GB_SUITE_PLAN_H

#include "suite/suite.h"

/* One case. Owned by the plan. */
typedef struct gb_case {
    const gb_benchmark *benchmark;
    char *id;       /* "copy[bytes=1048576,direction=h2d,memory=pinned]": the axes, by name */
    gb_value *args; /* one a parameter of the kernel's spec */
    gb_timer timer; /* the benchmark's, unless the arguments decide it */
    char definition[65];
    gb_code status; /* GB_OK, or GB_UNAVAILABLE: skipped before running ... */
    char *reason;   /* ... with this sentence */
    gb_need need;
    uint64_t least_ns;   /* of measuring, as its kernel states; 0: nothing */
    uint32_t replicates; /* the benchmark's, or the selection's */
} gb_case;

typedef struct gb_plan {
    const gb_suite *suite;
    gb_device_kind kind;
    gb_case *cases;
    size_t n_cases;
    uint32_t replicates; /* the largest of the benchmarks'; a case takes part in its own number */
    uint64_t seed;
    uint64_t budget_ns; /* measuring time of everything */
} gb_plan;

typedef struct gb_selection {
    const char *const *filters; /* substrings or globs of case ids; any may match; none: all */
    size_t n_filters;
    const char *const *tags;
    size_t n_tags;
    uint32_t replicates; /* 0: as the suite says */
    uint64_t budget_ns;  /* 0: as the suite says */
    uint64_t seed;
    bool profile; /* a single sample of each case is taken */
    bool brief;   /* only to count and show: definitions stay empty, which takes most of the time */
} gb_selection;

/* GB_INVALID: a selection that matches nothing (the message lists close names), a duplicate case
 * id, more than 4,096 cases a benchmark (the message names the count), a case that lasts longer
 * than its time-out by its own arguments. The plan refers to `suite`, which must outlive it; free
 * with gb_plan_free. */
gb_code gb_plan_make(const gb_suite *suite, gb_device_kind kind, const gb_selection *selection,
                     gb_plan **out, gb_error *err);
void gb_plan_free(gb_plan *plan);

/* Order of replicate r: a permutation of the indices of cases that take part in it, seeded by the
 * plan's seed and r. `order` has room for n_cases; returns how many were written. */
size_t gb_plan_order(const gb_plan *plan, uint32_t replicate, uint32_t order[]);

/* How long the plan takes in ns: about (budget + warm-up, verification and process starts, stated
 * rule in plan.c), and when every case is ended by its time-out, which is never less. And the
 * largest need of a case. */
uint64_t gb_plan_estimate_ns(const gb_plan *plan);
uint64_t gb_plan_stated_ns(const gb_plan *plan); /* of that what cases last beyond their share */
uint64_t gb_plan_limit_ns(const gb_plan *plan);
gb_need gb_plan_largest_need(const gb_plan *plan);

/* `expect:` of a suite held against records, see expect.h. */
#endif
