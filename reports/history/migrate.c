/* The tables, as a list of steps: a file of version n needs those from n on. Steps never change
 * once they are released; what is new is a new step. */
#include "reports/history/internal.h"

/* Points are clustered by series and time, so that the last nights of a series lie together. They
 * refer to runs without a foreign key: to delete a run, SQLite would look through all of them. */
static const char *const steps[] = {
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE,"
    " started INTEGER NOT NULL, suite TEXT NOT NULL, suite_sha256 TEXT NOT NULL,"
    " complete INTEGER NOT NULL, repeat_of INTEGER REFERENCES runs(id));"
    "CREATE INDEX runs_started ON runs(started);"
    "CREATE TABLE environments (id INTEGER PRIMARY KEY, host TEXT NOT NULL, uuid TEXT NOT NULL,"
    " driver TEXT NOT NULL, runtime TEXT NOT NULL, firmware TEXT NOT NULL, kernel TEXT NOT NULL,"
    " clocks TEXT NOT NULL, tool TEXT NOT NULL,"
    " UNIQUE (host, uuid, driver, runtime, firmware, kernel, clocks, tool));"
    "CREATE TABLE series (id INTEGER PRIMARY KEY, case_id TEXT NOT NULL,"
    " definition TEXT NOT NULL, device TEXT NOT NULL, kind TEXT NOT NULL, mig TEXT NOT NULL,"
    " ecc TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, higher INTEGER NOT NULL,"
    " worse REAL,"
    " UNIQUE (definition, case_id, device, kind, mig, ecc, metric));"
    "CREATE TABLE points (series INTEGER NOT NULL REFERENCES series(id),"
    " started INTEGER NOT NULL, night INTEGER NOT NULL, run INTEGER NOT NULL,"
    " environment INTEGER NOT NULL REFERENCES environments(id), value REAL, time_ns REAL,"
    " half REAL, replicates INTEGER NOT NULL, status TEXT NOT NULL, flags TEXT NOT NULL,"
    " reason TEXT NOT NULL, PRIMARY KEY (series, started, night, run)) WITHOUT ROWID;"
    "CREATE TABLE accepts (id INTEGER PRIMARY KEY, series INTEGER NOT NULL REFERENCES series(id),"
    " started INTEGER NOT NULL, run TEXT NOT NULL, note TEXT NOT NULL, made INTEGER NOT NULL);"
    "CREATE INDEX accepts_series ON accepts(series, started);"};
const int gb_history_version = sizeof steps / sizeof steps[0];

static gb_code version_of(gb_history *history, int *version, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gb_code code = gb_sql_prepare(history, "PRAGMA user_version", &statement, err);
    if (!code)
        code = gb_sql_step(history, statement, &row, err);
    *version = row ? sqlite3_column_int(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code;
}

gb_code gb_history_migrate(gb_history *history, gb_error *err)
{
    int version = 0;
    gb_code code = version_of(history, &version, err);
    if (code || version == gb_history_version)
        return code;
    code = gb_sql_begin(history, err);
    if (code)
        return code;
    code = version_of(history, &version, err); /* another process may have done it meanwhile */
    for (; !code && version < gb_history_version; version++) {
        char done[64];
        sqlite3_snprintf(sizeof done, done, "PRAGMA user_version = %d", version + 1);
        code = gb_sql_run(history, steps[version], err);
        if (!code)
            code = gb_sql_run(history, done, err);
    }
    return gb_sql_end(history, code, err);
}
