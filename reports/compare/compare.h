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

#include <math.h>

#include "reports/report.h"

/* name, word, what to do next (one line; "" nothing) */
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
    X(NOT_COMPARED, "not compared", "mend what the reason says, and run it again")                 \
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
const char *gb_verdict_next(gb_verdict verdict);
/* Whether it says, for sure or not, that the two differ: what a repeat may overturn. */
bool gb_verdict_differs(gb_verdict verdict);

typedef enum gb_evidence {
    GB_EVIDENCE_INTERLEAVED,
    GB_EVIDENCE_BASELINES,
    GB_EVIDENCE_SESSIONS,
    GB_EVIDENCE_CROSS_DEVICE
} gb_evidence;
const char *gb_evidence_word(gb_evidence evidence);

#define GB_COMPARE_THRESHOLD 0.02 /* where a benchmark has no gate */
#define GB_COMPARE_ALPHA 0.01     /* two-sided */
#define GB_COMPARE_REPLICATES 3   /* the fewest a side that a verdict needs, and earlier runs */

/* Zero-initialised but for the two NANs, it asks for what `gpubench compare A B` does. */
typedef struct gb_compare_options {
    double threshold;  /* fraction; NAN: each benchmark's gate, or 2 % */
    bool cross_device; /* other devices: ratios, never verdicts */
    bool gate;         /* other devices and an unfinished baseline are errors */
    bool allow_missing;
    bool strict_environment;    /* another driver, runtime or build is an error, not a warning */
    bool both_directions;       /* `faster` fails too */
    double suspicious;          /* gains beyond this factor are marked "check this"; NAN: 2 */
    const char *const *filters; /* substrings or globs of case ids; any may match; none: all */
    size_t n_filters;
    const char *names[2]; /* what people call the two, their paths for example; NULL: run.id */
} gb_compare_options;
#define GB_COMPARE_DEFAULTS                                                                        \
    {                                                                                              \
        .threshold = (double)NAN, .suspicious = (double)NAN                                        \
    }

/* One line of a comparison. Times and rates in base units, as the record has them. */
typedef struct gb_compared {
    const gb_row *a, *b; /* NULL: not on that side; of several earlier runs the first that counts */
    const char *case_id; /* as the new run calls it; of a or b */
    char metric[48], unit[16];
    bool higher_is_better;
    gb_verdict verdict;
    char next[200];          /* what to do next; "" nothing */
    char reason[200];        /* why there is no verdict, or what is odd about it; "" nothing */
    double value_a, value_b; /* geometric centres over replicates; NAN: none */
    double change;           /* (b - a) / a; NAN: none */
    double ci[2];            /* of change: 95 % */
    double p;                /* two-sided; NAN: no test */
    double se, df;           /* of ln(b / a), and its degrees of freedom; NAN: no test */
    double detectable; /* smallest |change| that is found with 80 % power: p < 0.01 and beyond the
                          threshold; NAN */
    double threshold;  /* the one that held, fraction; without the noise floor */
    size_t n_a, n_b;   /* replicates that count; n_a of GB_EVIDENCE_BASELINES: runs */
    uint32_t needed;   /* replicates a side that would decide; 0: unknown or decided */
    bool check;        /* a gain so large that it may be a fault */
    bool confirmed;    /* a repeat with fresh processes agreed */
    bool no_value;     /* no replicate of the new run has a value above zero */
} gb_compared;

typedef struct gb_comparison {
    const gb_results *a, *b;
    gb_compare_options options; /* its lists and names stay the caller's */
    gb_table rows_a, rows_b;
    gb_evidence evidence;
    double floor;       /* the machine's noise floor, fraction; NAN: unknown */
    gb_compared *items; /* judged pairs in the suite's order, then the rest */
    size_t n;
    size_t counts[GB_VERDICT_COUNT];
    size_t n_baselines;         /* earlier runs of the same unit, `a` counted */
    bool other_unit;            /* another unit of the same model: nothing fails */
    json_t *environment;        /* array of {"field", "a", "b", "matters"} that differ; owned */
    json_t *warnings;           /* array of {"code", "text"}; owned */
    char *device_difference;    /* why the devices are not the same one; NULL: they are; owned */
    struct gb_earlier *earlier; /* tables of further runs; private */
    char **names;               /* of renamed cases; private */
    size_t n_earlier, n_names;
} gb_comparison;

/* Compares two results (not owned; they must outlive *out). `others`: further earlier runs of the
 * baseline's side; where `a` alone is of another unit than b, one of them takes its place. Errors:
 * GB_INVALID: no case in common (both sides' counts), a filter that matches nothing (with close
 * names), a run given twice (the baseline as the new run, alone and without a gate: a warning), a
 * metric of another dimension, an unknown direction, other devices without cross_device or in gate
 * mode (field by field), an unfinished baseline or the halves of a pair the wrong way round in gate
 * mode; GB_UNAVAILABLE: another environment under strict_environment (which); GB_HARDWARE_FAULT:
 * see gb_results_baseline; GB_NO_MEMORY. Free with gb_comparison_free, also after an error. */
gb_code gb_compare_results(const gb_results *a, const gb_results *b, const gb_results others[],
                           size_t n_others, const gb_compare_options *options, gb_comparison *out,
                           gb_error *err);
void gb_comparison_free(gb_comparison *comparison); /* leaves it zeroed */

/* Takes a repeat of the cases in question by fresh processes into account: a verdict that they
 * differ that the repeat gives too is confirmed, one that it does not give becomes `inconclusive`
 * with what the repeat said, or that it has no figure of the case. repeat NULL: it was asked for,
 * and came to nothing. */
void gb_comparison_confirm(gb_comparison *comparison, const gb_comparison *repeat);

/* Whether the comparison fails: any `slower` (with both_directions any `faster`), unless it is
 * about another unit. */
bool gb_comparison_regressed(const gb_comparison *comparison);
/* Whether cases are missing on the new side (unless allowed), or failed or have no value there. */
bool gb_comparison_incomplete(const gb_comparison *comparison, const gb_compare_options *options);
/* How many cases have no verdict: they are inconclusive, suspect, unstable, insufficient, of
 * another definition or not compared (but for what both sides skipped). */
size_t gb_comparison_undecided(const gb_comparison *comparison);
bool gb_comparison_decided(const gb_comparison *comparison);
/* The places in `items`, worst first; by how much within a verdict. The caller frees; NULL: no
 * memory. */
size_t *gb_comparison_order(const gb_comparison *comparison);

/* The same comparison in four forms. Text without `all` only counts the cases that are the same;
 * Markdown has at most `limit` lines of cases. */
gb_code gb_comparison_text(const gb_comparison *comparison, bool all, bool color, gb_buf *out,
                           gb_error *err);
gb_code gb_comparison_json(const gb_comparison *comparison, json_t **out, gb_error *err);
gb_code gb_comparison_markdown(const gb_comparison *comparison, size_t limit, gb_buf *out,
                               gb_error *err);
gb_code gb_comparison_page(const gb_comparison *comparison, const char *dir, const char *gnuplot,
                           gb_buf *notes, gb_error *err); /* DIR/compare.html */

#endif
