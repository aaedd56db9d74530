/* Accepting a level, and forgetting old nights. */
#include <stdio.h>
#include <time.h>

#include "reports/history/internal.h"

/* Where a series' level changed last, or its last night: as check has it, one of a clock that is
 * right. */
static gb_code latest(gb_history *history, const gb_series *series, char from[64], int64_t *started,
                      gb_error *err)
{
    gb_nights nights;
    gb_window window;
    gb_code code = gb_history_nights(history, series->id, gb_history_latest(), 2 * GB_DRIFT_NIGHTS,
                                     &nights, err);
    if (code)
        return code;
    code = gb_history_window(history, series, &nights, &window, err);
    const gb_judgement *j = &window.judgement;
    if (!code && window.n == 0) {
        code = gb_fail(err, GB_INVALID, "%s: no night has a value to accept", series->case_id);
    } else if (!code) {
        const gb_night *night =
            window.nights[j->n_changes > 0 ? j->changes[j->n_changes - 1].at : window.n - 1];
        snprintf(from, 64, "%s", night->run_id);
        *started = night->started;
    }
    gb_nights_free(&nights);
    return code;
}

static gb_code start_of(gb_history *history, const gb_series *series, const char *run,
                        int64_t *started, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gb_code code = gb_sql_prepare(history,
                                  "SELECT p.started FROM points p JOIN runs r ON r.id = p.night "
                                  "WHERE p.series = ? AND r.run = ?",
                                  &statement, err);
    if (code)
        return code;
    sqlite3_bind_int64(statement, 1, series->id);
    sqlite3_bind_text(statement, 2, run, -1, SQLITE_TRANSIENT);
    code = gb_sql_step(history, statement, &row, err);
    if (row)
        *started = sqlite3_column_int64(statement, 0);
    else if (!code)
        code =
            gb_fail(err, GB_INVALID, "%s: run %s is not one of its nights", series->case_id, run);
    sqlite3_finalize(statement);
    return code;
}

gb_code gb_history_accept(gb_history *history, const gb_series *series, const char *run,
                          const char *note, char from[64], gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    int64_t started = 0;
    bool row;
    gb_code code;
    if (run) {
        snprintf(from, 64, "%s", run);
        code = start_of(history, series, run, &started, err);
    } else {
        code = latest(history, series, from, &started, err);
    }
    if (!code)
        code = gb_sql_begin(history, err);
    if (code)
        return code;
    code = gb_sql_prepare(
        history, "INSERT INTO accepts (series, started, run, note, made) VALUES (?, ?, ?, ?, ?)",
        &statement, err);
    if (!code) {
        sqlite3_bind_int64(statement, 1, series->id);
        sqlite3_bind_int64(statement, 2, started);
        sqlite3_bind_text(statement, 3, from, -1, SQLITE_TRANSIENT);
        sqlite3_bind_text(statement, 4, note ? note : "", -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(statement, 5, (int64_t)time(NULL));
        code = gb_sql_step(history, statement, &row, err);
    }
    sqlite3_finalize(statement);
    return gb_sql_end(history, code, err);
}

/* Old nights of one series, but for those that its reference is made of. */
static gb_code prune_series(gb_history *history, sqlite3_stmt *statement, int64_t series,
                            size_t keep, gb_error *err)
{
    bool row;
    int64_t accepted;
    gb_code code = gb_history_accepted(history, series, 0, &accepted, err);
    if (code)
        return code;
    sqlite3_reset(statement);
    sqlite3_bind_int64(statement, 1, series);
    sqlite3_bind_int64(statement, 2, accepted);
    sqlite3_bind_int64(statement, 3, (int64_t)keep);
    sqlite3_bind_int64(statement, 4, 3 * GB_REFERENCE_NIGHTS);
    return gb_sql_step(history, statement, &row, err);
}

static gb_code prune_all(gb_history *history, size_t keep, size_t *removed, gb_error *err)
{
    static const char sql[] =
        "DELETE FROM points WHERE series = ?1 AND night NOT IN"
        " (SELECT night FROM points WHERE series = ?1 AND night = run"
        "  ORDER BY started DESC, night DESC LIMIT ?3) AND night NOT IN"
        " (SELECT night FROM points WHERE series = ?1 AND night = run AND started >= ?2"
        "  ORDER BY started, night LIMIT ?4)";
    sqlite3_stmt *delete = NULL, *all = NULL;
    bool row = true;
    int before = sqlite3_total_changes(history->db);
    gb_code code = gb_sql_prepare(history, sql, &delete, err);
    if (!code)
        code = gb_sql_prepare(history, "SELECT id FROM series ORDER BY id", &all, err);
    while (!code) {
        code = gb_sql_step(history, all, &row, err);
        if (code || !row)
            break;
        code = prune_series(history, delete, sqlite3_column_int64(all, 0), keep, err);
    }
    sqlite3_finalize(delete);
    sqlite3_finalize(all);
    *removed = (size_t)(sqlite3_total_changes(history->db) - before);
    /* Repeats first: they refer to their nights. */
    for (int i = 0; !code && i < 2; i++)
        code = gb_sql_run(history,
                          i == 0 ? "DELETE FROM runs WHERE repeat_of IS NOT NULL AND id NOT IN "
                                   "(SELECT run FROM points)"
                                 : "DELETE FROM runs WHERE repeat_of IS NULL AND id NOT IN "
                                   "(SELECT night FROM points)",
                          err);
    return code;
}

gb_code gb_history_prune(gb_history *history, size_t keep, size_t *removed, gb_error *err)
{
    *removed = 0;
    gb_code code = gb_sql_begin(history, err);
    if (code)
        return code;
    code = gb_sql_end(history, prune_all(history, keep, removed, err), err);
    return code || *removed == 0 ? code : gb_sql_run(history, "VACUUM", err);
}
