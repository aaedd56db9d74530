/* The run directory of one `gpubench run`: cases.jsonl while it runs, results.json and results.csv
 * when it ends, a lock against a second run.
 *
 *   DIR/.lock           held (flock) by the running supervisor; holds its pid
 *   DIR/cases.jsonl     one line a record, flushed and fsynced
 *   DIR/results.json    head and summaries; written whole (temporary file + rename)
 *   DIR/results.csv     one row a record
 *   DIR/plots/          scripts, data, pictures (reports) */
#ifndef GB_RECORD_RUN_DIR_H
#define GB_RECORD_RUN_DIR_H

#include "base/text.h"
#include "record/record.h"

/* The head of results.json: objects made by whoever knows them; owned. */
typedef struct gb_head {
    json_t *tool, *run, *suite, *host, *devices; /* devices is an array */
    json_t *extra; /* object or NULL: further keys of the document ("fits", "findings") */
} gb_head;
void gb_head_free(gb_head *head); /* leaves it zeroed */

typedef struct gb_run_dir gb_run_dir;

/* Creates (or, with `resume`, opens) a run directory, before anything is measured, and the
 * folders on the way to it. Errors within a second: GB_IO (read-only, a file in the way, not empty
 * without resume, no run directory to resume), GB_IN_USE ("in use by pid N"). */
gb_code gb_run_dir_open(const char *path, bool resume, gb_run_dir **out, gb_error *err);
/* Whether the torn last line of an interrupted run was cut off when the directory was opened. */
bool gb_run_dir_torn(const gb_run_dir *dir);
/* Whether the last record of a case and replicate is ok or skipped, so that a resumed run need not
 * redo it. */
bool gb_run_dir_has(const gb_run_dir *dir, int device, const char *case_id, uint32_t replicate);
/* Writes results.json early with complete: false (so that a killed run can still be read) and the
 * records there are so far; takes run.id and the start of the last of run.legs (run.started without
 * legs) from the head for the records to come. */
gb_code gb_run_dir_begin(gb_run_dir *dir, const gb_head *head, gb_error *err);
/* Appends one record (line + fsync). GB_IO on a full disk: the message names the file, and the
 * lines before stay whole. A process that may meet a file-size limit ignores SIGXFSZ. */
gb_code gb_run_dir_append(gb_run_dir *dir, const gb_record *record, gb_error *err);
/* Writes results.json and results.csv from the head and all records in the directory: the last
 * record of each case, replicate and device, ordered by device, index and replicate. */
gb_code gb_run_dir_finish(gb_run_dir *dir, const gb_head *head, bool complete, gb_error *err);
void gb_run_dir_close(gb_run_dir *dir); /* releases the lock; NULL is fine */
const char *gb_run_dir_path(const gb_run_dir *dir);

/* What is in a run directory. */
typedef struct gb_results {
    json_t *document; /* results.json without "records"; owned */
    gb_record *records;
    size_t n;
    bool complete;
    bool damaged; /* results.json was no JSON: the records are those of cases.jsonl (rescue) */
    bool torn;    /* a torn last line of cases.jsonl was left out */
    /* The first record that met a hardware fault and what it says, also when a later record of the
     * case has replaced it; owned. NULL: there was none. */
    char *hardware_fault;
    char *path; /* the run directory that it was read from; owned. NULL: not from one */
} gb_results;
/* Reads results.json of a directory (or a JSON file itself; any other file stands for the directory
 * that it is in). Without one, or when it says
 * complete: false, falls back to cases.jsonl beside it with complete = false; `document` is then
 * the early head, or an empty object. `samples`: read them from cases.jsonl too (GB_IO without
 * one). Errors: GB_IO, GB_INVALID (not JSON, wrong schema: both versions named, wrong type: JSON
 * path, duplicate record). After an error *out is zeroed. */
gb_code gb_results_load(const char *path, bool samples, gb_results *out, gb_error *err);
/* What is left of a run directory whose results.json is no JSON any more (cut off by a full disk or
 * a broken copy): all records of cases.jsonl with their samples, `damaged`, not complete, an empty
 * document. GB_INVALID where results.json is JSON, else as gb_results_load; *out is zeroed then. */
gb_code gb_results_rescue(const char *path, gb_results *out, gb_error *err);
void gb_results_free(gb_results *results); /* leaves it zeroed */
/* The records of some cases alone, with their samples, from DIR/cases.jsonl as gpubench writes it:
 * the last of each device, case and replicate, in the order of the file. Lines that do not name one
 * of the n cases are skipped unread, so that a few cases of a large file cost little. Only
 * `records` and `n` of *out are filled; it is zeroed after an error. GB_IO without the file,
 * GB_INVALID, GB_NO_MEMORY. Free with gb_results_free. */
gb_code gb_results_load_cases(const char *dir, const char *const cases[], size_t n, gb_results *out,
                              gb_error *err);

/* Whether other runs may be compared with this one as their baseline: GB_HARDWARE_FAULT, with the
 * case and its reason, when the hardware failed in it. */
gb_code gb_results_baseline(const gb_results *results, gb_error *err);

/* CSV of records (RFC 4180, '.' decimals, formulas defused; docs/results-format.md has the
 * columns). `devices` is the document's array, which gives each row its device's kind and name;
 * NULL: those stay empty. The text; the caller frees. NULL on out of memory. */
char *gb_results_csv(const json_t *devices, const gb_record records[], size_t n);
/* One cell of free text as it stands there; NULL: an empty one. */
void gb_csv_text(gb_buf *out, const char *text);

/* `gpubench verify`: recomputes suite hash, definition hashes and work (through catalog; may be
 * NULL), summaries and metrics from samples and compares them with what is written. Each difference
 * is a line in *report (text, caller frees; set on GB_OK too), what could not be checked a line
 * that begins with "note: ". GB_WRONG_RESULT when there is any difference; GB_INVALID
 * when there is nothing to check: no results.json and no record; errors of gb_results_load. */
gb_code gb_results_verify(const char *path, const gb_catalog *catalog, char **report,
                          gb_error *err);

#endif
