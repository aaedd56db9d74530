/* One `gpubench run`, from the suite to the reports. run.c has the flow. */
#ifndef GB_CLI_SESSION_H
#define GB_CLI_SESSION_H

#include "cli/choose.h"
#include "cli/cli.h"
#include "cli/lock.h"
#include "cli/progress.h"
#include "record/run_dir.h"
#include "suite/plan.h"

typedef struct gb_session {
    gb_cli *cli;
    gb_suite *suite;
    gb_results earlier; /* --resume: what is there already */
    bool resumed;
    bool idle;              /* ... and that is all: it is complete, and every case has its record */
    const char *device;     /* what --device says, or said when the run began; NULL */
    const char *out;        /* the run directory; NULL: a new one under results/ */
    const char *executable; /* whose workers measure: this binary, or the build run against */
    const char *label;      /* "new" or "baseline" of two that alternate; "" alone */
    json_t *tool;           /* what that other build is, for the head; NULL: this one */
    json_t *pair;           /* {"id", "role"} of two that alternate, for the head; NULL */
    json_t *data;           /* --data-dir: what gb_data_look found there; NULL */
    uint64_t thin;          /* --thin; 0: all values */
    uint32_t least; /* replicates that each case has at least, for a verdict; 0: no matter */
    gb_selection selection;          /* lists point into args or `earlier` */
    gb_list set, filter, tag;        /* the arrays are owned */
    gb_plan *plans[GB_DEVICE_KINDS]; /* NULL: not asked for */
    json_t *probe;
    gb_chosen devices[GB_MAX_DEVICES];
    size_t n_devices;
    gb_device_lock locks[GB_MAX_DEVICES]; /* the first n_locks are held */
    size_t n_locks;
    bool locked; /* somebody else holds the locks already */
    gb_run_dir *dir;
    bool made;  /* the directory is new ... */
    bool begun; /* ... and something stands in it */
    gb_head head;
    gb_progress progress;
    size_t stored; /* records of this session */
    bool failed;   /* one of them failed, was wrong or timed out */
    gb_outcome outcome;
} gb_session;

/* Each returns GB_EXIT_OK, or the status after having printed why. */
int gb_session_prepare(gb_session *session); /* suite, resumed run, overrides, plans */
int gb_session_devices(gb_session *session); /* probe and choose */
/* Makes the default place of a suite's results, results/SUITE-TIME with a number behind it when
 * that is taken. The caller frees *out. */
gb_code gb_session_place(const gb_session *session, char **out, gb_error *err);
int gb_session_open(gb_session *session);    /* run directory, device locks, head */
int gb_session_measure(gb_session *session); /* all devices in turn; fills outcome */
int gb_session_finish(gb_session *session);  /* results, reports, table; the run's status */
/* The first half of that: writes results.json with what follows from the records, and loads it.
 * `results` is to be freed in any case. */
int gb_session_conclude(gb_session *session, gb_results *results);
int gb_session_show(gb_session *session); /* of an idle one: the table and status; writes nothing */
int gb_session_dry_run(gb_session *session); /* prints the plans */
/* One device of a session as a side for the supervisor; `place` is its store_user and must last as
 * long as the run. The progress begins. */
typedef struct gb_place {
    gb_session *session;
    int device;
} gb_place;
gb_supervise gb_session_side(gb_session *session, size_t device, gb_place *place);
/* What measuring came to, into outcome and head; `began` as from gb_now_ns. */
int gb_session_measured(gb_session *session, gb_code code, gb_error *err, uint64_t began);
void gb_session_free(gb_session *session);

/* session_repeat.c: sessions that share suite and lists with a first one, which must outlive them,
 * and are freed by gb_session_free_sibling (`plans`: theirs are their own). */

/* One with the same selection, without devices. */
gb_session gb_session_sibling(const gb_session *first);
/* One of some cases (ids) on the same devices, whose locks the first holds. */
gb_code gb_session_repeat(const gb_session *first, const gb_list *cases, gb_session *out,
                          gb_error *err);
void gb_session_free_sibling(gb_session *sibling, bool plans);

/* session_prepare.c: no benchmark of the suite has fewer replicates than that. */
void gb_suite_least_replicates(gb_suite *suite, uint32_t least);

/* Loads a suite; diagnostics go to stderr (and into the JSON error). */
int gb_cli_load_suite(gb_cli *cli, const char *path, gb_suite **out);
/* Prints diagnostics as the error of a file. Returns GB_EXIT_USAGE. */
int gb_cli_fail_diagnostics(gb_cli *cli, const gb_diagnostics *diagnostics);

/* report_files.c */

/* The table (unless the results go to stdout as JSON), then plots, report.html and report.md in
 * `dir`; NULL: nothing is written. Returns the exit status, after having printed why. */
int gb_cli_report(gb_cli *cli, const char *dir, const gb_results *results);
/* gb_results_load, with samples where a plot of the suite shows them and cases.jsonl is there. */
gb_code gb_cli_load_results(const char *path, gb_results *out, gb_error *err);

/* The run directory that a path means: itself, or that of a results.json in it. The caller frees;
 * NULL on out of memory. */
char *gb_cli_run_dir(const char *path);

/* session_finish.c: the suite's expectations held against the records, for results.json; *failed
 * (may be NULL): one was not met, or could not be held against anything. New reference. */
gb_code gb_expectations_json(const gb_suite *suite, const gb_results *results, json_t **out,
                             bool *failed, gb_error *err);

/* odd.c: among 3 devices or more, the one whose times differ most from the median device's, by
 * the median over cases; false when none differs by more than 3 %. *ratio: its time over the
 * others'. */
bool gb_odd_device(const gb_results *results, int *device, double *ratio);

#endif
