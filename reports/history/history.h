/* Runs over time, in one SQLite file: docs/history.md has its tables, the rules and their figures.
 *
 * Functions of different gb_history handles may run in several processes at once: readers never
 * wait, writers wait for each other (up to a minute, then GB_IN_USE). Texts in results are owned
 * by them; a gb_history must outlive nothing. */
#ifndef GB_HISTORY_HISTORY_H
#define GB_HISTORY_HISTORY_H

#include "base/text.h"
#include "record/run_dir.h"
#include "reports/history/judge.h"

typedef struct gb_history gb_history;

/* $GPUBENCH_HISTORY, or "results/history.sqlite". */
const char *gb_history_default(void);

typedef enum gb_history_mode {
    GB_HISTORY_READ,  /* there must be one */
    GB_HISTORY_WRITE, /* there must be one; brought to this version's tables */
    GB_HISTORY_CREATE /* and is made, with the folders on the way, where there is none */
} gb_history_mode;

/* Opens a history. An existing file is looked at before anything is written, and its whole content
 * checked (quick_check): one that is damaged, of a newer gpubench, or no history at all is
 * GB_INVALID with what to do, and stays byte for byte as it was. GB_IO: no such file, not
 * readable; GB_IN_USE; GB_NO_MEMORY. */
gb_code gb_history_open(const char *path, gb_history_mode mode, gb_history **out, gb_error *err);
void gb_history_close(gb_history *history); /* NULL is fine */

/* --- adding ------------------------------------------------------------------------------------
 */

typedef struct gb_history_add_options {
    bool allow_incomplete; /* a run that did not finish is refused otherwise */
    const char *repeat_of; /* id of a run in the history whose doubtful cases this one repeats with
                              fresh processes; NULL: a night of its own */
} gb_history_add_options;
typedef struct gb_history_added {
    char run[64];
    bool already;      /* it was there: nothing was changed */
    size_t cases;      /* rows stored, failed and skipped ones among them */
    size_t not_judged; /* those that will never be judged, those without a value among them */
    size_t no_value;   /* those that went well, and have no value of what is judged */
    char without[160]; /* the first of these */
    bool future;       /* it claims to have begun more than a day from now */
    size_t new_series;
} gb_history_added;
/* Adds a run, whole or not at all. GB_INVALID: no run id or start, an incomplete run, no record, an
 * unknown repeat_of, one that the run is older than, a repeat that is there as something else, two
 * cases of one name; gb_results_baseline's GB_HARDWARE_FAULT; GB_IO. */
gb_code gb_history_add(gb_history *history, const gb_results *results,
                       const gb_history_add_options *options, gb_history_added *out, gb_error *err);

/* --- looking -----------------------------------------------------------------------------------
 */

/* A case on one kind of device: what makes two nights comparable. */
typedef struct gb_series {
    int64_t id;
    char *case_id, *definition, *device, *kind, *mig; /* mig "": none */
    char ecc[8];                                      /* "on", "off", "" unknown */
    char metric[48], unit[16];
    bool higher_is_better;
    double worse;                     /* from which change on, by the suite's gate; NAN: no gate */
    size_t nights;                    /* only from gb_history_series */
    char first_run[64], last_run[64]; /* likewise */
} gb_series;
typedef struct gb_series_list {
    gb_series *items; /* by device, then case */
    size_t n;
} gb_series_list;
/* Those whose case matches `pattern`: a glob, or a part of the name; NULL: all. */
gb_code gb_history_series(gb_history *history, const char *pattern, gb_series_list *out,
                          gb_error *err);
/* The one series that `pattern` means: an exact name goes before parts. GB_INVALID: none (with the
 * nearest names) or several (all listed). `device`: part of a device's name that decides between
 * devices; NULL. */
gb_code gb_history_find(gb_history *history, const char *pattern, const char *device,
                        gb_series_list *one, gb_error *err);
void gb_series_list_free(gb_series_list *list);

/* What a night was measured with; "" where it is not known. Owned by the history handle. */
typedef struct gb_environment {
    int64_t id;
    char *host, *uuid, *driver, *runtime, *firmware, *kernel, *clocks, *tool;
} gb_environment;

typedef struct gb_night {
    int64_t run; /* of the runs table */
    char run_id[64];
    int64_t started; /* seconds since 1970, UTC */
    const gb_environment *environment;
    double value; /* geometric centre of replicates, base units; NAN: none */
    double level; /* what later nights are held against: the median with its repeats */
    double half;  /* 95 % half-width between replicates, fraction; NAN */
    unsigned replicates, repeats;
    double repeat_values[8];
    char status[16];
    char flags[160]; /* words with blanks between */
    bool judged;     /* ok, a positive value, and none of the flags that make it meaningless */
} gb_night;
typedef struct gb_nights {
    gb_night *items; /* oldest first */
    size_t n;
} gb_nights;
/* All nights of a series, or the last `most` that were started at `until` or before (0: ever). */
gb_code gb_history_nights(gb_history *history, int64_t series, int64_t until, size_t most,
                          gb_nights *out, gb_error *err);
void gb_nights_free(gb_nights *nights);

/* --- judging -----------------------------------------------------------------------------------
 */

/* name, word, whether it is worth a line, what to do next */
#define GB_NIGHT_VERDICTS(X)                                                                       \
    X(OK, "ok", false, "")                                                                         \
    X(YOUNG, "too few nights", false, "")                                                          \
    X(NOT_JUDGED, "not judged", true,                                                              \
      "look at its reason: it failed, was skipped, or its figure is none")                         \
    X(MISSING, "missing", true, "find out why the case is gone")                                   \
    X(BACK, "back", true, "")                                                                      \
    X(CLEARED, "cleared", true, "")                                                                \
    X(SUSPECT, "suspect", true,                                                                    \
      "repeat the case with fresh processes: history add --repeat-of, or check --confirmed")       \
    X(SPIKE_FASTER, "faster", true, "check that it still does its work, then accept it")           \
    X(FASTER, "faster since", true, "check that it still does its work, then accept it")           \
    X(SPIKE_SLOWER, "slower", true, "find what changed tonight, or accept it")                     \
    X(SLOWER, "slower since", true, "find what changed there, or accept it")                       \
    X(CREEPING, "slower than the reference", true,                                                 \
      "look at its plot (history show), then mend it or accept it")

typedef enum gb_night_verdict {
#define X(name, word, line, next) GB_NIGHT_##name,
    GB_NIGHT_VERDICTS(X)
#undef X
        GB_NIGHT_VERDICT_COUNT
} gb_night_verdict;
const char *gb_night_word(gb_night_verdict verdict);
const char *gb_night_next(gb_night_verdict verdict);

/* One series in a check. Changes are fractions of the value in its own unit, signed as the value
 * moved; `slower` says what that means. */
typedef struct gb_checked {
    gb_series series;
    gb_night_verdict verdict;
    double value;  /* tonight; NAN: none */
    double usual;  /* the level before; NAN: too few nights */
    double change; /* value / usual - 1 */
    double z;      /* of the spike rule; > 0 is slower */
    double sd;     /* of a night, fraction */
    size_t nights; /* of the segment */
    unsigned repeats, agreed;
    double repeated;         /* geometric mean of the repeats, which nobody picked; NAN: none */
    double repeated_change;  /* repeated / usual - 1 */
    char since[64];          /* first run of the new level; "" none */
    char before[64];         /* the last run of the old one */
    double shift;            /* new level / old level - 1 */
    char environment[300];   /* "driver 550.54.14 -> 560.28.03": what changed there; "" nothing */
    double reference;        /* level of the pinned reference's nights; NAN: none yet */
    double reference_change; /* level of the last nights / reference - 1 */
    char reason[160];        /* not judged: why */
} gb_checked;

typedef struct gb_history_check_options {
    const char *run;           /* id; NULL: the run that began last, leaving out those that claim
                                  to have begun more than a day from now, if there are others */
    const gb_results *repeats; /* fresh runs of the doubtful cases, not (yet) in the history */
    size_t n_repeats;
} gb_history_check_options;
typedef struct gb_history_report {
    char run[64];
    int64_t started;
    char suite[64];
    gb_checked *items;
    size_t n;
    size_t counts[GB_NIGHT_VERDICT_COUNT];
} gb_history_report;
/* Judges every series of a run. GB_INVALID: an empty history, an unknown run (with the nearest), a
 * repeat of another device or without any case in common, one that is the night itself, began
 * before it or counts already. */
gb_code gb_history_check(gb_history *history, const gb_history_check_options *options,
                         gb_history_report *out, gb_error *err);
/* Whether it fails a gate: a confirmed spike, or a level that is slower. */
bool gb_night_regressed(gb_night_verdict verdict);
bool gb_history_regressed(const gb_history_report *report);
gb_code gb_history_report_text(const gb_history_report *report, bool color, gb_buf *out,
                               gb_error *err);
gb_code gb_history_report_json(const gb_history_report *report, json_t **out, gb_error *err);
void gb_history_report_free(gb_history_report *report);

/* A series for people: its segments, a sparkline and its last nights. */
gb_code gb_history_show_text(gb_history *history, const gb_series *series, bool color, gb_buf *out,
                             gb_error *err);
gb_code gb_history_show_json(gb_history *history, const gb_series *series, json_t **out,
                             gb_error *err);
/* DIR/plots/NAME.svg and .png; lines in *notes when they could not be drawn. */
gb_code gb_history_show_plot(gb_history *history, const gb_series *series, const char *dir,
                             const char *gnuplot, gb_buf *notes, gb_error *err);

/* --- keeping -----------------------------------------------------------------------------------
 */

/* Begins a new segment of a series at a run (NULL: where its level changed last, or its last run).
 * *from gets that run's id. */
gb_code gb_history_accept(gb_history *history, const gb_series *series, const char *run,
                          const char *note, char from[64], gb_error *err);
/* Forgets all but the last `keep` nights of each series, never those of its pinned reference. */
gb_code gb_history_prune(gb_history *history, size_t keep, size_t *removed, gb_error *err);
/* Every point, as CSV (RFC 4180) or as JSON lines in one array. */
gb_code gb_history_export_csv(gb_history *history, const char *pattern, gb_buf *out, gb_error *err);
gb_code gb_history_export_json(gb_history *history, const char *pattern, json_t **out,
                               gb_error *err);

/* "2026-11-30T19:20:01Z" of seconds since 1970. */
const char *gb_history_time(int64_t started, char text[32]);

#endif
