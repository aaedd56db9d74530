/* What the files of this folder share; not for others (but for the fuzz target). */
#ifndef GB_RECORD_INTERNAL_H
#define GB_RECORD_INTERNAL_H

#include <stdio.h>

#include "record/run_dir.h"

#define GB_RESULTS_FORMAT 1
#define GB_RESULTS_SCHEMA "gpubench-results/1"

/* A field of gb_summary (double) or gb_work (uint64_t): its key in JSON, and its place. One table
 * each drives writing, reading and the columns of the CSV. */
typedef struct gb_field {
    const char *name;
    size_t offset;
} gb_field;
#define GB_TIME_FIELDS 11
#define GB_WORK_FIELDS 7
extern const gb_field gb_time_fields[GB_TIME_FIELDS];
extern const gb_field gb_work_fields[GB_WORK_FIELDS];
double gb_time_field(const gb_summary *time, const gb_field *field);
uint64_t gb_work_field(const gb_work *work, const gb_field *field);

extern const char *const gb_ceiling_words[]; /* by gb_ceiling, NULL-terminated */

/* gb_record_summarise without the metrics. */
gb_code gb_record_summarise_time(gb_record *record, gb_error *err);
/* All statistics of `time` absent. */
void gb_summary_clear(gb_summary *time);

/* DIR/NAME; the caller frees, NULL on out of memory. */
char *gb_path_join(const char *dir, const char *name);
/* The whole of a regular file (anything else is GB_IO, and never waited for); the caller frees.
 * *bytes is NUL-terminated, which n does not count. */
gb_code gb_file_read(const char *path, char **bytes, size_t *n, gb_error *err);
/* Opens a regular file for reading. */
gb_code gb_file_open(const char *path, FILE **out, gb_error *err);
/* fsync that lets pass what cannot be synchronised (pipes, some network file systems). */
gb_code gb_file_sync(int fd, const char *path, gb_error *err);
/* fsync of a directory, so that a created or renamed name survives a power cut. */
gb_code gb_dir_sync(const char *path, gb_error *err);

/* The files of a run directory. */
#define GB_LINES_NAME "cases.jsonl"
#define GB_DOCUMENT_NAME "results.json"
#define GB_TABLE_NAME "results.csv"
/* Makes the directory, or sees that it is one. *made: it is new. */
gb_code gb_dir_make(const char *path, bool resume, bool *made, gb_error *err);
/* fsync of the directory that holds `path`, so that a new run directory survives a power cut. */
gb_code gb_dir_sync_parent(const char *path, gb_error *err);
/* Sees that a run can write into the directory (with its lock taken): empty, or with `resume` a
 * run's; and removes temporary files of a run that was killed. */
gb_code gb_dir_prepare(const char *path, bool resume, gb_error *err);
/* Writes results.json, and with `table` results.csv before it, from the head and the records of
 * lines_path. */
gb_code gb_results_write(const char *dir, const char *lines_path, const gb_head *head,
                         bool complete, bool table, gb_error *err);

/* A file that appears under its name only when whole: written as NAME.tmp beside it, fsynced,
 * renamed, directory fsynced. gb_replace_end with a code other than GB_OK drops it and returns that
 * code; it always releases what gb_replace_begin opened. */
#define GB_TEMPORARY ".tmp"
typedef struct gb_replace {
    char *dir, *path, *temporary;
    FILE *stream;
} gb_replace;
gb_code gb_replace_begin(gb_replace *file, const char *dir, const char *name, gb_error *err);
gb_code gb_replace_end(gb_replace *file, gb_code code, gb_error *err);

/* DIR/.lock. */
typedef struct gb_lock {
    char *path;
    int fd;
} gb_lock;
/* GB_IN_USE names the holder's pid; GB_IO. */
gb_code gb_lock_take(const char *dir, gb_lock *lock, gb_error *err);
void gb_lock_release(gb_lock *lock); /* removes the file; fine with one whose fd is -1 */

/* Records of cases.jsonl, the last of each device, case and replicate, at the place of the first.
 * `file` is for messages. *whole is how many bytes at the beginning are whole lines; a last line
 * without its newline counts as a record when it is one (out->torn stays false, *whole excludes
 * it), and is torn otherwise. */
gb_code gb_lines_read(FILE *stream, const char *file, bool samples, gb_results *out,
                      uint64_t *whole, gb_error *err);
/* Keeps what a record says of a hardware fault, unless there was one before; gb_results_find_fault
 * does so for the document and all records. GB_NO_MEMORY or GB_OK. */
gb_code gb_results_note_fault(gb_results *results, const gb_record *record, gb_error *err);
gb_code gb_results_find_fault(gb_results *results, gb_error *err);
/* The records with their samples of the cases.jsonl that belongs to a run directory or results
 * file. GB_IO without one. */
gb_code gb_results_load_lines(const char *path, gb_results *out, gb_error *err);
/* A results.json in memory. */
gb_code gb_results_parse(const char *file, const char *bytes, size_t n, gb_results *out,
                         gb_error *err);
/* The place after the "[" of the top-level key "records" in the text of a JSON object; 0 when there
 * is none. Not strict: for any text. */
size_t gb_split_find(const char *text, size_t n);
/* The next element (an object or array) of that array; *at moves behind it. New reference; NULL at
 * the end of the array, where text[*at] is ']', and for whatever is not valid. */
json_t *gb_split_next(const char *text, size_t n, size_t *at, bool first);
/* Sorted by device, index and replicate. */
void gb_records_sort(gb_record records[], size_t n);

/* An index of records by device, case and replicate: a JSON object {key: place}. */
json_t *gb_index_make(const gb_record records[], size_t n, gb_error *err); /* NULL: no memory */
gb_code gb_index_put(json_t *index, const gb_record *record, size_t place, gb_error *err);
/* Whether it is there, and its place (may be NULL). */
bool gb_index_find(const json_t *index, int device, const char *case_id, uint32_t replicate,
                   size_t *place);
void gb_index_remove(json_t *index, const gb_record *record);

/* The median of a stretch of the samples (GB_WHOLE_FIRST_HALF, ..., base/spec.h), ns per iteration.
 * Seconds are windows of equally many samples in a row, as many windows as the measuring lasted
 * whole seconds (phases_ns.measure), from 5 on. NAN: too short, or fewer than 20 samples in a
 * stretch. */
double gb_record_stretch_ns(const gb_record *record, int part);

#endif
