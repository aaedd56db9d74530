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

#include "record/record.h"

/* The head of results.json: objects made by whoever knows them; owned. */
typedef struct gb_head {
    json_t *tool, *run, *suite, *host, *devices; /* devices is an array */
    json_t *extra; /* object or NULL: further keys of the document ("fits", "findings") */
} gb_head;
void gb_head_free(gb_head *head);

typedef struct gb_run_dir gb_run_dir;

/* Creates (or, with `resume`, opens) a run directory, before anything is measured. The parent must
 * exist. Errors within a second: GB_IO (read-only, a file in the way, no parent, not empty without
 * resume), GB_IN_USE ("in use by pid N"). The final name never appears half-written. */
gb_code gb_run_dir_open(const char *path, bool resume, gb_run_dir **out, gb_error *err);
/* Appends one record (line + fsync). GB_IO on a full disk: the message names the file. */
gb_code gb_run_dir_append(gb_run_dir *dir, const gb_record *record, gb_error *err);
/* Writes the head early with complete: false (so that a killed run can still be read). */
gb_code gb_run_dir_begin(gb_run_dir *dir, const gb_head *head, gb_error *err);
/* Writes results.json and results.csv from the head and all records in the directory. */
gb_code gb_run_dir_finish(gb_run_dir *dir, const gb_head *head, bool complete, gb_error *err);
void gb_run_dir_close(gb_run_dir *dir); /* releases the lock; NULL is fine */
const char *gb_run_dir_path(const gb_run_dir *dir);

/* What is in a run directory. */
typedef struct gb_results {
    json_t *document; /* results.json without "records"; owned */
    gb_record *records;
    size_t n;
    bool complete;
    bool torn; /* a torn last line of cases.jsonl was left out */
} gb_results;
/* Reads results.json of a directory (or the file itself). Without one, or when it says
 * complete: false, falls back to cases.jsonl with complete = false. `samples`: read them from
 * cases.jsonl too. Errors: GB_IO, GB_INVALID (not JSON, wrong schema: both versions named, wrong
 * type: JSON path, duplicate record). */
gb_code gb_results_load(const char *path, bool samples, gb_results *out, gb_error *err);
void gb_results_free(gb_results *results);

/* CSV of records (RFC 4180, '.' decimals, formulas defused): the text; the caller frees. */
char *gb_results_csv(const gb_record records[], size_t n);

/* `gpubench verify`: recomputes suite hash, definition hashes (through catalog), summaries and
 * metrics from samples and compares them with what is written. Each difference is a line in
 * *report (text, caller frees). GB_WRONG_RESULT when there is any. */
gb_code gb_results_verify(const char *path, const gb_catalog *catalog, char **report, gb_error *err);

#endif
