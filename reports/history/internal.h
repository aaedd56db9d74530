/* What the files of this folder share. */
#ifndef GB_HISTORY_INTERNAL_H
#define GB_HISTORY_INTERNAL_H

#include <sqlite3.h>

#include "reports/history/history.h"
#include "reports/report.h"

#define GB_HISTORY_APPLICATION 0x67707562 /* "gpub": in the header of the file */

struct gb_history {
    sqlite3 *db;
    char *path;
    gb_environment *environments; /* by id; read once, on demand */
    size_t n_environments;
    bool environments_read;
};

/* What SQLite says, as an error about the file. Returns its code. */
gb_code gb_sql_fail(const gb_history *history, const char *doing, gb_error *err);
/* Statements without results. */
gb_code gb_sql_run(gb_history *history, const char *sql, gb_error *err);
gb_code gb_sql_prepare(gb_history *history, const char *sql, sqlite3_stmt **out, gb_error *err);
/* One step: *row whether there is one. */
gb_code gb_sql_step(gb_history *history, sqlite3_stmt *statement, bool *row, gb_error *err);
/* A column's text, "" for NULL; valid until the next step. */
const char *gb_sql_text(sqlite3_stmt *statement, int column);
/* Binds a copy of a text to the parameter `at` (from 1). */
void gb_sql_bind(sqlite3_stmt *statement, int at, const char *text);
/* BEGIN IMMEDIATE, and COMMIT, or ROLLBACK when `code` is not GB_OK; returns the worse. */
gb_code gb_sql_begin(gb_history *history, gb_error *err);
gb_code gb_sql_end(gb_history *history, gb_code code, gb_error *err);

/* The latest start that a clock which is right can give: a day from now, for time zones. */
int64_t gb_history_latest(void);

/* Makes the folders on the way to a file. */
gb_code gb_history_folders(const char *path, gb_error *err);

/* migrate.c: the tables of this version. */
extern const int gb_history_version;
gb_code gb_history_migrate(gb_history *history, gb_error *err);

/* facts.c: what a run's document says. */
typedef struct gb_facts {
    const char *run_id, *suite, *sha256;
    int64_t started;
} gb_facts;
gb_code gb_history_facts(const gb_results *results, gb_facts *out, gb_error *err);
/* Values of an environment and of a series' device; "" unknown. `out` fields are owned copies. */
gb_code gb_history_environment(const gb_results *results, int device, gb_environment *out,
                               gb_error *err);
void gb_environment_free(gb_environment *environment);
/* Everything but the id, as a row of a run has it; the unit is "" when no replicate tells its
 * metric. Owned copies. */
gb_code gb_history_series_of(const gb_results *results, const gb_row *row, gb_series *out,
                             gb_error *err);
void gb_series_free(gb_series *series);
/* add_series.c: finds or makes the series of a row (inside a transaction): sets its id, and its
 * metric where the row does not know it. */
gb_code gb_history_series_id(gb_history *history, const gb_results *results, const char *benchmark,
                             gb_series *series, bool *is_new, gb_error *err);
/* The row's value of the series' metric; NAN. */
double gb_history_value(const gb_series *series, const gb_row *row, double *half);

/* Fills a series from the columns that GB_SERIES_COLUMNS names. */
#define GB_SERIES_COLUMNS                                                                          \
    "s.id, s.case_id, s.definition, s.device, s.kind, s.mig, s.ecc, s.metric, s.unit, s.higher, "  \
    "s.worse"
gb_code gb_series_read(sqlite3_stmt *statement, gb_series *out, gb_error *err);

/* ln of how slow: larger is worse. */
double gb_history_badness(const gb_series *series, double value);
/* The first `most` nights that began at `from` or later, oldest first. */
gb_code gb_history_nights_from(gb_history *history, int64_t series, int64_t from, size_t most,
                               gb_nights *out, gb_error *err);
/* Start of the last segment accepted up to `until` (0: ever); INT64_MIN: none was. */
gb_code gb_history_accepted(gb_history *history, int64_t series, int64_t until, int64_t *started,
                            gb_error *err);

/* The nights of a series that a judgement is about. */
typedef struct gb_window {
    const gb_night *nights[GB_DRIFT_NIGHTS]; /* judged ones since `accept`, oldest first */
    double ln[GB_DRIFT_NIGHTS];              /* how slow; larger is worse */
    size_t n;
    gb_judgement judgement; /* all zero when n is 0 */
    gb_reference reference;
} gb_window;
/* `nights` (oldest first) must outlive the window. */
gb_code gb_history_window(gb_history *history, const gb_series *series, const gb_nights *nights,
                          gb_window *out, gb_error *err);
/* A value of the series from what the judge says; the way back from gb_history_badness. */
double gb_history_unbad(const gb_series *series, double ln);
/* "12.3 GB/s", "1.46 us". buf has room for 32. */
const char *gb_history_value_text(const gb_series *series, double value, char *buf);

/* "driver A -> B, kernel C -> D" into text. */
void gb_environment_difference(const gb_environment *a, const gb_environment *b, char *text,
                               size_t size);

#endif
