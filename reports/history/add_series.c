/* Which series a row of a run belongs to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history/internal.h"

/* The series with this key. One whose metric is not known yet (all its nights failed) is any
 * metric's; a row that does not know its metric belongs to the newest. */
static gb_code find(gb_history *history, const gb_series *s, const char *case_id, gb_series *known,
                    bool *found, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    gb_code code = gb_sql_prepare(
        history,
        "SELECT id, metric, unit, higher FROM series WHERE definition = ?1 AND case_id = ?2 AND "
        "device = ?3 AND kind = ?4 AND mig = ?5 AND ecc = ?6 AND "
        "(metric = ?7 OR unit = '' OR ?8 = '') "
        "ORDER BY metric = ?7 AND unit <> '' DESC, id DESC LIMIT 1",
        &statement, err);
    if (code)
        return code;
    const char *texts[] = {s->definition, case_id, s->device, s->kind,
                           s->mig,        s->ecc,  s->metric, s->unit};
    for (int i = 0; i < 8; i++)
        gb_sql_bind(statement, i + 1, texts[i]);
    code = gb_sql_step(history, statement, found, err);
    if (*found) {
        known->id = sqlite3_column_int64(statement, 0);
        snprintf(known->metric, sizeof known->metric, "%s", gb_sql_text(statement, 1));
        snprintf(known->unit, sizeof known->unit, "%s", gb_sql_text(statement, 2));
        known->higher_is_better = sqlite3_column_int(statement, 3) != 0;
    }
    sqlite3_finalize(statement);
    return code;
}

static gb_code insert(gb_history *history, gb_series *s, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row;
    gb_code code = gb_sql_prepare(
        history,
        "INSERT INTO series (case_id, definition, device, kind, mig, ecc, metric, unit, higher, "
        "worse) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        &statement, err);
    if (code)
        return code;
    const char *texts[] = {s->case_id, s->definition, s->device, s->kind,
                           s->mig,     s->ecc,        s->metric, s->unit};
    for (int i = 0; i < 8; i++)
        gb_sql_bind(statement, i + 1, texts[i]);
    sqlite3_bind_int(statement, 9, s->higher_is_better);
    sqlite3_bind_double(statement, 10, s->worse); /* NAN becomes NULL */
    code = gb_sql_step(history, statement, &row, err);
    s->id = sqlite3_last_insert_rowid(history->db);
    sqlite3_finalize(statement);
    return code;
}

/* The suite may have renamed the benchmark, given it another gate, or now know the metric. */
static gb_code update(gb_history *history, const gb_series *s, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row;
    gb_code code = gb_sql_prepare(
        history,
        "UPDATE series SET case_id = ?1, metric = ?2, unit = ?3, higher = ?4, worse = ?5 WHERE id "
        "= ?6 AND (case_id, metric, unit, higher, worse) IS NOT (?1, ?2, ?3, ?4, ?5)",
        &statement, err);
    if (code)
        return code;
    gb_sql_bind(statement, 1, s->case_id);
    gb_sql_bind(statement, 2, s->metric);
    gb_sql_bind(statement, 3, s->unit);
    sqlite3_bind_int(statement, 4, s->higher_is_better);
    sqlite3_bind_double(statement, 5, s->worse);
    sqlite3_bind_int64(statement, 6, s->id);
    code = gb_sql_step(history, statement, &row, err);
    sqlite3_finalize(statement);
    return code;
}

/* The series under an earlier name of the benchmark, which results list as {"old": "new"}. */
static gb_code find_renamed(gb_history *history, const gb_results *results, const char *benchmark,
                            const gb_series *s, gb_series *known, bool *found, gb_error *err)
{
    const char *old;
    json_t *now;
    json_t *aliases = json_object_get(json_object_get(results->document, "suite"), "aliases");
    size_t n = strlen(benchmark);
    gb_code code = GB_OK;
    if (strncmp(s->case_id, benchmark, n) != 0)
        return GB_OK;
    json_object_foreach(aliases, old, now)
    {
        const char *name = json_string_value(now);
        if (code || *found || !name || strcmp(name, benchmark) != 0)
            continue;
        char *case_id = gb_text_format("%s%s", old, s->case_id + n);
        code = case_id ? find(history, s, case_id, known, found, err)
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
        free(case_id);
    }
    return code;
}

gb_code gb_history_series_id(gb_history *history, const gb_results *results, const char *benchmark,
                             gb_series *series, bool *is_new, gb_error *err)
{
    gb_series known = {0};
    bool found = false;
    gb_code code = find(history, series, series->case_id, &known, &found, err);
    if (!code && !found)
        code = find_renamed(history, results, benchmark, series, &known, &found, err);
    *is_new = !found;
    if (code)
        return code;
    if (!found)
        return insert(history, series, err);
    series->id = known.id;
    if (!series->unit[0]) {
        memcpy(series->metric, known.metric, sizeof series->metric);
        memcpy(series->unit, known.unit, sizeof series->unit);
        series->higher_is_better = known.higher_is_better;
    } else if (known.unit[0] && (strcmp(known.unit, series->unit) != 0 ||
                                 known.higher_is_better != series->higher_is_better)) {
        return gb_fail(err, GB_INVALID,
                       "%s: %s is in %s (%s is better) here and in %s (%s) in the history: these "
                       "cannot be compared",
                       series->case_id, series->metric, series->unit,
                       series->higher_is_better ? "higher" : "lower", known.unit,
                       known.higher_is_better ? "higher" : "lower");
    }
    return update(history, series, err);
}
