/* A suite: what a YAML file of format version 1 says (docs/suite-format.md). */
#ifndef GB_SUITE_SUITE_H
#define GB_SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/spec.h"

/* One message about a file. */
typedef struct gb_diagnostic {
    int line, column; /* 1-based; 0: about the file as a whole */
    char *message;    /* without file and place */
    char *source;     /* (part of) the line of the file, printable, for the caret; NULL: none */
    int caret;        /* terminal columns of `source` before the caret */
} gb_diagnostic;

/* Everything wrong with a suite, in file order. Zero-initialise; free with gb_diagnostics_free. */
typedef struct gb_diagnostics {
    char *file; /* as given by the user */
    gb_diagnostic *items;
    size_t n, capacity;
    bool failed; /* out of memory: some are missing */
} gb_diagnostics;
void gb_diagnostics_free(gb_diagnostics *diagnostics);
/* Compiler style, at most 100 and then the number left out:
 * "suites/pcie.yaml:12:7: error: unknown key 'axis' (did you mean 'axes'?)\n   12 | ...\n      |
 * ^\n" The caller frees; NULL on out of memory. */
char *gb_diagnostics_text(const gb_diagnostics *diagnostics);

/* An axis: the values of one parameter, per device kind. */
typedef struct gb_axis {
    int param; /* index into the kernel spec's params */
    int line, column;
    gb_value *values[GB_DEVICE_KINDS];
    size_t n[GB_DEVICE_KINDS]; /* 0: this kind was not given (only in a per-kind mapping) */
} gb_axis;

typedef enum gb_compare { GB_CMP_IN, GB_CMP_LT, GB_CMP_LE, GB_CMP_GT, GB_CMP_GE } gb_compare;
typedef struct gb_condition {
    int param;
    gb_compare op;
    gb_value *values; /* n of them for IN, one otherwise */
    size_t n;
} gb_condition;
bool gb_condition_holds(const gb_condition *condition, gb_value value);
/* Whether all of them hold for a case: one argument a parameter of the kernel's spec. */
bool gb_conditions_hold(const gb_condition conditions[], size_t n, const gb_value args[]);

typedef struct gb_exclude {
    gb_condition *conditions; /* all must hold */
    size_t n;
    char *reason;
    int line, column;
} gb_exclude;

typedef struct gb_expect {
    int metric;                      /* index into the spec's metrics; -1: time */
    gb_condition *where, *of, *over; /* `of` and `over` pick one side each of the ratio */
    size_t n_where, n_of, n_over;
    double min, max; /* NAN: none */
    int line, column;
} gb_expect;

typedef struct gb_settings {
    uint32_t replicates;               /* 1..1000, default 3 */
    uint32_t min_samples, max_samples; /* 1..1,000,000, default 10 and 2000 */
    double precision;                  /* default 0.005 */
    uint64_t warmup_ns, timeout_ns;    /* default 100 ms, 60 s */
} gb_settings;

typedef struct gb_benchmark {
    char *name;
    const gb_kernel_spec *spec;
    char **tags;
    size_t n_tags;
    char **aliases; /* earlier names of this benchmark, for comparisons */
    size_t n_aliases;
    int (*alias_places)[2]; /* line and column of each */
    gb_axis *axes;          /* every parameter of the kernel that the suite sets */
    size_t n_axes;
    gb_exclude *excludes;
    size_t n_excludes;
    gb_timer timer;
    gb_cache cache;
    gb_settings settings; /* defaults merged with `measure:` */
    int gate_metric;      /* index; -1: time; -2: no gate */
    double gate_worse;    /* fraction */
    gb_expect *expects;
    size_t n_expects;
    unsigned devices; /* mask */
    int line, column;
} gb_benchmark;

#define GB_PLOT_NO_METRIC (-2)
typedef struct gb_plot {
    char *type;  /* "curve", "bar", ...: the table in plots.c */
    char *title; /* NULL: made from the benchmark */
    size_t benchmark;
    int x;       /* param; -1: the picture has its own axes (roofline, distribution) */
    int y;       /* metric; -1: time; GB_PLOT_NO_METRIC: none */
    int *series; /* params */
    size_t n_series;
    gb_condition *where; /* of a distribution: all must hold */
    size_t n_where;
    int line, column;
} gb_plot;

/* One entry of a class: cases of a benchmark, and the metric that is taken of them. */
typedef struct gb_class_part {
    size_t benchmark; /* index */
    int metric;       /* index into the spec's metrics; -1: time */
    gb_condition *where;
    size_t n_where;
    bool sound; /* it was read without errors */
    int line, column;
} gb_class_part;

/* A kind of work, for comparing devices as a buyer does: one figure over all its cases. */
typedef struct gb_class {
    char *name, *title; /* title: NULL -> name */
    const char *unit;   /* of all parts; the spec's */
    bool higher_is_better;
    gb_class_part *parts;
    size_t n_parts;
    int line, column;
} gb_class;

typedef struct gb_suite {
    char *file; /* as given */
    char *text; /* the whole file as written */
    char sha256[65];
    char *name, *title; /* title: NULL -> name */
    uint64_t budget_ns; /* default 3 min */
    unsigned devices;   /* mask: those allowed on which there is a case */
    bool
        devices_listed; /* the file has `devices:`: without --device each kind that is there runs */
    gb_benchmark *benchmarks;
    size_t n_benchmarks;
    gb_plot *plots;
    size_t n_plots;
    gb_class *classes;
    size_t n_classes;
} gb_suite;

/* Loads a suite from bytes. All errors at once go to *diagnostics (always valid afterwards).
 * Returns GB_OK and a suite to free with gb_suite_free; GB_INVALID when there was any diagnostic;
 * GB_NO_MEMORY. Never crashes, whatever the bytes; bounded in time and memory (limits in
 * docs/suite-format.md). */
gb_code gb_suite_parse(const char *file, const char *bytes, size_t n, const gb_catalog *catalog,
                       gb_suite **out, gb_diagnostics *diagnostics, gb_error *err);
/* As above from a path; reads a pipe for at most `timeout_ms`. Errors about the file as a whole
 * (missing, a directory, too large) are a diagnostic without a line. */
gb_code gb_suite_load(const char *path, int timeout_ms, const gb_catalog *catalog, gb_suite **out,
                      gb_diagnostics *diagnostics, gb_error *err);
void gb_suite_free(gb_suite *suite);

/* Applies "benchmark.param=value,value" (a `--set`) with the same value rules as the file. */
gb_code gb_suite_override(gb_suite *suite, const char *assignment, gb_error *err);

/* Keeps at most `values` (>= 1) values of every axis of numbers: the ends and what lies evenly
 * between (a `--thin`; for 1 the last). Axes of words stay whole. */
void gb_suite_thin(gb_suite *suite, size_t values);

#endif
