/* A run into the history: whole or not at all, in one transaction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history/internal.h"

#define MOST_WORDS 160

/* The id that a query finds; 0: none. Takes the statement. */
static gb_code find_id(gb_history *history, sqlite3_stmt *statement, int64_t *id, gb_error *err)
{
    bool row = false;
    gb_code code = gb_sql_step(history, statement, &row, err);
    *id = row ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return code;
}

static gb_code insert(gb_history *history, sqlite3_stmt *statement, int64_t *id, gb_error *err)
{
    bool row = false;
    gb_code code = gb_sql_step(history, statement, &row, err);
    *id = sqlite3_last_insert_rowid(history->db);
    sqlite3_finalize(statement);
    return code;
}

/* Whether the run is there already. As the repeat of a night it must be there as just that. */
static gb_code is_there(gb_history *history, const char *run, const char *repeat_of, bool *there,
                        gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    gb_code code = gb_sql_prepare(history,
                                  "SELECT n.run FROM runs r LEFT JOIN runs n ON n.id = r.repeat_of "
                                  "WHERE r.run = ?",
                                  &statement, err);
    if (code)
        return code;
    gb_sql_bind(statement, 1, run);
    code = gb_sql_step(history, statement, there, err);
    if (!code && *there && repeat_of) {
        const char *night = gb_sql_text(statement, 0);
        if (!night[0])
            code = gb_fail(err, GB_INVALID,
                           "run %s is a night of its own in the history: it cannot repeat %s", run,
                           repeat_of);
        else if (strcmp(night, repeat_of) != 0)
            code = gb_fail(err, GB_INVALID, "run %s repeats %s in the history, and not %s", run,
                           night, repeat_of);
    }
    sqlite3_finalize(statement);
    return code;
}

/* --- what points refer to -----------------------------------------------------------------------
 */

static gb_code environment_id(gb_history *history, const gb_environment *e, int64_t *id,
                              gb_error *err)
{
    static const char *const sql[] = {
        "SELECT id FROM environments WHERE host = ? AND uuid = ? AND driver = ? AND runtime = ? "
        "AND firmware = ? AND kernel = ? AND clocks = ? AND tool = ?",
        "INSERT INTO environments (host, uuid, driver, runtime, firmware, kernel, clocks, tool) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
    const char *values[] = {e->host,     e->uuid,   e->driver, e->runtime,
                            e->firmware, e->kernel, e->clocks, e->tool};
    *id = 0;
    gb_code code = GB_OK;
    for (int i = 0; !code && *id == 0 && i < 2; i++) {
        sqlite3_stmt *statement = NULL;
        code = gb_sql_prepare(history, sql[i], &statement, err);
        for (int k = 0; !code && k < 8; k++)
            gb_sql_bind(statement, k + 1, values[k]);
        if (!code)
            code = (i == 0 ? find_id : insert)(history, statement, id, err);
    }
    return code;
}

/* --- points -------------------------------------------------------------------------------------
 */

static void flag_words(uint32_t flags, char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (int i = 0; i < GB_FLAG_COUNT; i++) {
        const char *word = gb_flag_word((gb_flag)i);
        if ((flags & GB_BIT(i)) != 0 && n + strlen(word) + 2 < size)
            n += (size_t)snprintf(out + n, size - n, "%s%s", n > 0 ? " " : "", word);
    }
}

static const char *reason_of(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == row->status && row->replicates[i]->reason)
            return row->replicates[i]->reason;
    }
    return "";
}

typedef struct adding {
    gb_history *history;
    const gb_results *results;
    sqlite3_stmt *point;
    int64_t run, night, started;
    int64_t environments[64]; /* by device; 0: not looked up */
} adding;

static gb_code add_point(adding *a, const gb_row *row, gb_history_added *out, gb_error *err)
{
    gb_series series;
    gb_environment environment;
    size_t device = (size_t)row->first->device % 64;
    bool is_new = false, done;
    double half;
    char flags[MOST_WORDS];
    gb_code code = gb_history_series_of(a->results, row, &series, err);
    if (code)
        return code;
    code =
        gb_history_series_id(a->history, a->results, row->first->benchmark, &series, &is_new, err);
    if (!code && a->environments[device] == 0) {
        code = gb_history_environment(a->results, row->first->device, &environment, err);
        if (!code) {
            code = environment_id(a->history, &environment, &a->environments[device], err);
            gb_environment_free(&environment);
        }
    }
    double value = gb_history_value(&series, row, &half);
    flag_words(row->flags, flags, sizeof flags);
    if (!code) {
        sqlite3_stmt *p = a->point;
        sqlite3_reset(p);
        sqlite3_bind_int64(p, 1, series.id);
        sqlite3_bind_int64(p, 2, a->started);
        sqlite3_bind_int64(p, 3, a->night);
        sqlite3_bind_int64(p, 4, a->run);
        sqlite3_bind_int64(p, 5, a->environments[device]);
        sqlite3_bind_double(p, 6, value); /* NAN becomes NULL */
        sqlite3_bind_double(p, 7, row->time_ns);
        sqlite3_bind_double(p, 8, half);
        sqlite3_bind_int64(p, 9, (int64_t)row->n_ok);
        gb_sql_bind(p, 10, gb_status_word(row->status));
        gb_sql_bind(p, 11, flags);
        gb_sql_bind(p, 12, reason_of(row));
        code = gb_sql_step(a->history, p, &done, err);
        if (code && sqlite3_errcode(a->history->db) == SQLITE_CONSTRAINT)
            code = gb_fail(err, GB_INVALID, "%s: the run has this case twice on %s", series.case_id,
                           series.device);
    }
    out->cases++;
    out->new_series += is_new;
    bool no_value = row->status == GB_STATUS_OK && !(value > 0);
    out->not_judged +=
        row->status != GB_STATUS_OK || no_value || gb_flags_no_result(row->flags) != NULL;
    if (no_value && out->no_value++ == 0)
        snprintf(out->without, sizeof out->without, "%.100s: %s", series.case_id, series.metric);
    gb_series_free(&series);
    return code;
}

static gb_code add_run(adding *a, const gb_facts *facts, int64_t repeat_of, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    gb_code code =
        gb_sql_prepare(a->history,
                       "INSERT INTO runs (run, started, suite, suite_sha256, complete, repeat_of) "
                       "VALUES (?, ?, ?, ?, ?, ?)",
                       &statement, err);
    if (code)
        return code;
    gb_sql_bind(statement, 1, facts->run_id);
    sqlite3_bind_int64(statement, 2, facts->started);
    gb_sql_bind(statement, 3, facts->suite);
    gb_sql_bind(statement, 4, facts->sha256);
    sqlite3_bind_int(statement, 5, a->results->complete);
    if (repeat_of != 0)
        sqlite3_bind_int64(statement, 6, repeat_of);
    code = insert(a->history, statement, &a->run, err);
    a->night = repeat_of != 0 ? repeat_of : a->run;
    return code;
}

/* The night that a repeat belongs to, and when it was. */
static gb_code find_night(adding *a, const char *run, int64_t *id, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gb_code code =
        gb_sql_prepare(a->history, "SELECT id, started, repeat_of IS NULL FROM runs WHERE run = ?",
                       &statement, err);
    if (code)
        return code;
    gb_sql_bind(statement, 1, run);
    code = gb_sql_step(a->history, statement, &row, err);
    if (!code && !row)
        code = gb_fail(err, GB_INVALID, "the run to repeat, %s, is not in the history", run);
    if (!code && sqlite3_column_int(statement, 2) == 0)
        code = gb_fail(err, GB_INVALID, "the run to repeat, %s, is a repeat itself", run);
    int64_t started = sqlite3_column_int64(statement, 1);
    if (!code && a->started < started)
        code = gb_fail(err, GB_INVALID, "it began before run %s, and so cannot repeat it", run);
    if (!code) {
        *id = sqlite3_column_int64(statement, 0);
        a->started = started;
    }
    sqlite3_finalize(statement);
    return code;
}

static gb_code add_all(adding *a, const gb_table *table, const gb_facts *facts,
                       const char *repeat_of, gb_history_added *out, gb_error *err)
{
    int64_t night = 0;
    gb_code code = is_there(a->history, facts->run_id, repeat_of, &out->already, err);
    if (code || out->already)
        return code;
    if (repeat_of)
        code = find_night(a, repeat_of, &night, err);
    if (!code)
        code = add_run(a, facts, night, err);
    if (!code)
        code = gb_sql_prepare(a->history,
                              "INSERT INTO points (series, started, night, run, environment, "
                              "value, time_ns, half, replicates, status, flags, reason) VALUES "
                              "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                              &a->point, err);
    for (size_t i = 0; !code && i < table->n; i++)
        code = add_point(a, &table->rows[i], out, err);
    sqlite3_finalize(a->point);
    return code;
}

gb_code gb_history_add(gb_history *history, const gb_results *results,
                       const gb_history_add_options *options, gb_history_added *out, gb_error *err)
{
    gb_facts facts;
    gb_table table = {0};
    *out = (gb_history_added){0};
    gb_code code = gb_history_facts(results, &facts, err);
    if (code)
        return code;
    snprintf(out->run, sizeof out->run, "%s", facts.run_id);
    out->future = facts.started > gb_history_latest();
    code = gb_results_baseline(results, err);
    if (!code && !results->complete && !options->allow_incomplete)
        code = gb_fail(err, GB_INVALID,
                       "run %s did not finish: go on with it by run --resume, or take it as it is "
                       "with --allow-incomplete",
                       facts.run_id);
    if (!code && gb_results_profiled(results))
        code =
            gb_fail(err, GB_INVALID, "run %s was measured for a profiler: its times are no results",
                    facts.run_id);
    if (!code && results->n == 0)
        code = gb_fail(err, GB_INVALID, "run %s has no record", facts.run_id);
    if (!code)
        code = gb_table_make(results, &table, err);
    if (code)
        return code;
    adding a = {.history = history, .results = results, .started = facts.started};
    code = gb_sql_begin(history, err);
    if (!code)
        code = gb_sql_end(history, add_all(&a, &table, &facts, options->repeat_of, out, err), err);
    gb_table_free(&table);
    return code;
}
