/* The product of a benchmark's axes minus its excludes, without ever making more of it than is
 * needed. Private to the suite library. */
#ifndef GB_SUITE_CASES_H
#define GB_SUITE_CASES_H

#include "suite/suite.h"

/* Combinations (and comparisons with excludes) that one call chain may look at. A pool shared by
 * all calls for a suite keeps a hostile file from taking minutes. */
#define GB_CASES_WORK UINT64_C(30000000)

/* Takes n from *work; false when there is less. */
bool gb_cases_charge(uint64_t *work, uint64_t n);
/* What holding conditions against one case costs. */
uint64_t gb_conditions_cost(const gb_condition conditions[], size_t n);

/* Whether the benchmark runs on a kind at all: it is among its devices and every axis has values
 * for it. */
bool gb_cases_any(const gb_benchmark *benchmark, gb_device_kind kind);

/* How many cases are left after exclude; *overflow: more than 2^64-1. Takes from *work; GB_INVALID
 * when that runs out, GB_NO_MEMORY. */
gb_code gb_cases_count(const gb_benchmark *benchmark, gb_device_kind kind, uint64_t *work,
                       uint64_t *count, bool *overflow, gb_error *err);

/* Calls visit for each case, the last axis fastest, with one argument a parameter of the spec.
 * Stops at the first code other than GB_OK and returns it. */
typedef gb_code (*gb_case_visit)(void *user, const gb_value args[], gb_error *err);
gb_code gb_cases_each(const gb_benchmark *benchmark, gb_device_kind kind, uint64_t *work,
                      gb_case_visit visit, void *user, gb_error *err);

/* Whether all conditions can hold together in the full product, before any exclude. */
bool gb_cases_reached(const gb_benchmark *benchmark, gb_device_kind kind,
                      const gb_condition conditions[], size_t n);

/* "copy[bytes=1024,memory=pinned]": the axes by name. The caller frees; NULL on out of memory. */
char *gb_case_id(const gb_benchmark *benchmark, const gb_value args[]);
/* The same with values as one writes them: "copy[bytes=1KiB,memory=pinned]". */
char *gb_case_id_written(const gb_benchmark *benchmark, const gb_value args[]);

#endif
