/* Verdicts on two runs, case by case; docs/comparing.md has the rules and their reasons.
 *
 * Three kinds of evidence, told apart because identical code measured in two sessions differs by
 * more than its replicates within one session show:
 *   interleaved   replicates of A and B alternated (run.pair of both documents has the same id):
 *                 verdicts
 *   baselines     B against several earlier runs, whose spread between runs is known: verdicts
 *   sessions      two plain run directories: `suspect` at the most, and only beyond the gate's
 *                 threshold plus the machine's noise floor */
#ifndef GB_COMPARE_COMPARE_H
#define GB_COMPARE_COMPARE_H

#include "reports/report.h"

/* name, word, whether it is about a pair that was judged, what to do next (one line; "" nothing) */
#define GB_VERDICTS(X)                                                                             \
    X(SAME, "same", "")                                                                            \
    X(FASTER, "faster", "")                                                                        \
    X(SLOWER, "slower", "find what changed, or accept it as the new baseline")                     \
    X(INCONCLUSIVE, "inconclusive", "measure more replicates")                                     \
    X(SUSPECT_SLOWER, "suspect slower", "decide it with run --against, which alternates the two")  \
    X(SUSPECT_FASTER, "suspect faster", "decide it with run --against, which alternates the two")  \
    X(UNSTABLE, "unstable", "two groups of samples: look at its distribution, lock the clocks")    \
    X(INSUFFICIENT, "insufficient samples", "measure at least 3 replicates a side")                \
    X(DEFINITION, "definition changed", "measure the baseline again with this version")            \
    X(NOT_COMPARED, "not compared", "mend the case that failed or was skipped, and run it again")  \
    X(ONLY_BASELINE, "only in baseline", "run it again, or allow it with --allow-missing")         \
    X(ONLY_NEW, "only in new", "accept the new run as a baseline")                                 \
    X(RATIO, "ratio", "")

typedef enum gb_verdict {
#define X(name, word, next) GB_VERDICT_##name,
    GB_VERDICTS(X)
#undef X
        GB_VERDICT_COUNT
} gb_verdict;
const char *gb_verdict_word(gb_verdict verdict);

typedef enum gb_evidence {
    GB_EVIDENCE_INTERLEAVED,
    GB_EVIDENCE_BASELINES,
    GB_EVIDENCE_SESSIONS,
    GB_EVIDENCE_CROSS_DEVICE
} gb_evidence;
const char *gb_evidence_word(gb_evidence evidence);

typedef struct gb_compare_options {
    double threshold;  /* fraction; NAN: each benchmark's gate, or 2 % */
    bool cross_device; /* other devices: ratios, never verdicts */
    bool gate;         /* other devices, missing and failed cases are errors */
    bool allow_missing;
    bool strict_environment; /* another driver, runtime or build is an error, not a warning */
    double suspicious;       /* gains beyond this factor are marked "check this"; NAN: 2 */
    const char *const *filters;
    size_t n_filters;
} gb_compare_options;

/* One line of a comparison. Times and rates in base units, as the record has them. */
typedef struct gb_compared {
    const gb_row *a, *b; /* NULL: not on that side */
    char metric[48], unit[16];
    bool higher_is_better;
    gb_verdict verdict;
    char next[200];          /* what to do next; "" nothing */
    char reason[200];        /* why there is no verdict, or what is odd about it; "" nothing */
    double value_a, value_b; /* geometric centres over replicates; NAN: none */
    double change;           /* (b - a) / a */
    double ci[2];            /* of change: 95 % */
    double p;                /* two-sided; NAN: no test */
    double detectable;       /* smallest |change| found with 80 % power at p < 0.01; NAN */
    double threshold;        /* the one that held, fraction */
    size_t n_a, n_b;         /* replicates that count */
    uint32_t needed;         /* replicates a side that would decide; 0: unknown or decided */
    bool confirmed;          /* a repeat with fresh processes agreed */
} gb_compared;

typedef struct gb_comparison {
    const gb_results *a, *b;
    gb_table rows_a, rows_b;
    gb_evidence evidence;
    double floor;       /* the machine's noise floor, fraction; NAN: unknown */
    gb_compared *items; /* judged pairs in the suite's order, then the rest */
    size_t n;
    size_t counts[GB_VERDICT_COUNT];
    json_t *environment;     /* array of {"field", "a", "b"} that differ; owned */
    char *device_difference; /* why the devices are not the same one; NULL: they are; owned */
} gb_comparison;

/* Compares two results (not owned; they must outlive *out). `others`: further earlier runs of the
 * baseline's side. Errors: GB_INVALID: no case in common (both sides' counts), a filter that
 * matches nothing (with close names), a metric of another dimension, an unknown direction, other
 * devices without cross_device in gate mode (field by field); GB_HARDWARE_FAULT: see
 * gb_results_baseline; GB_NO_MEMORY. Free with gb_comparison_free. */
gb_code gb_compare(const gb_results *a, const gb_results *b, const gb_results others[],
                   size_t n_others, const gb_compare_options *options, gb_comparison *out,
                   gb_error *err);
void gb_comparison_free(gb_comparison *comparison);

/* Whether the comparison fails a gate: any `slower`; in gate mode also missing or not compared
 * cases. */
bool gb_comparison_regressed(const gb_comparison *comparison);
bool gb_comparison_incomplete(const gb_comparison *comparison, const gb_compare_options *options);

/* The same comparison in four forms. `pictures`: NULL, or where the plot of ratios was drawn. */
gb_code gb_comparison_text(const gb_comparison *comparison, bool color, gb_buf *out, gb_error *err);
gb_code gb_comparison_json(const gb_comparison *comparison, json_t **out, gb_error *err);
gb_code gb_comparison_markdown(const gb_comparison *comparison, size_t limit, gb_buf *out,
                               gb_error *err);
gb_code gb_comparison_page(const gb_comparison *comparison, const char *dir, const char *gnuplot,
                           gb_buf *notes, gb_error *err); /* DIR/compare.html */

#endif
