/* All points, for other tools: docs/history.md names the columns. */

#include "base/json.h"
#include "base/units.h"
#include "reports/history/internal.h"

#define COLUMNS 22
static const char *const names[COLUMNS] = {
    "run",    "started",     "repeat_of", "suite",      "case",       "definition",
    "device", "device_kind", "mig",       "ecc",        "metric",     "unit",
    "better", "value",       "time_ns",   "plus_minus", "replicates", "status",
    "flags",  "driver",      "firmware",  "gpubench"};
static const char sql[] =
    "SELECT r.run, r.started, (SELECT n.run FROM runs n WHERE n.id = r.repeat_of), r.suite,"
    " s.case_id, s.definition, s.device, s.kind, s.mig, s.ecc, s.metric, s.unit,"
    " CASE s.higher WHEN 0 THEN 'lower' ELSE 'higher' END, p.value, p.time_ns, p.half,"
    " p.replicates, p.status, p.flags, e.driver, e.firmware, e.tool"
    " FROM series s JOIN points p ON p.series = s.id JOIN runs r ON r.id = p.run"
    " JOIN environments e ON e.id = p.environment ORDER BY s.device, s.id, p.started, p.night, "
    "p.run";
enum { STARTED = 1, CASE = 4 };

typedef void row_function(sqlite3_stmt *statement, void *user);

static gb_code each(gb_history *history, const char *pattern, row_function *function, void *user,
                    gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = true;
    gb_code code = gb_sql_prepare(history, sql, &statement, err);
    while (!code) {
        code = gb_sql_step(history, statement, &row, err);
        if (code || !row)
            break;
        if (!pattern || gb_text_matches(pattern, gb_sql_text(statement, CASE)))
            function(statement, user);
    }
    sqlite3_finalize(statement);
    return code;
}

static void csv_row(sqlite3_stmt *statement, void *user)
{
    gb_buf *out = user;
    char text[40];
    for (int i = 0; i < COLUMNS; i++) {
        gb_buf_add(out, i > 0 ? "," : "");
        if (i == STARTED)
            gb_buf_add(out, gb_history_time(sqlite3_column_int64(statement, i), text));
        else if (sqlite3_column_type(statement, i) == SQLITE_FLOAT)
            gb_buf_add(out,
                       gb_print_double(sqlite3_column_double(statement, i), text, sizeof text));
        else if (sqlite3_column_type(statement, i) != SQLITE_NULL)
            gb_csv_text(out, gb_sql_text(statement, i));
    }
    gb_buf_add(out, "\r\n");
}

gb_code gb_history_export_csv(gb_history *history, const char *pattern, gb_buf *out, gb_error *err)
{
    for (int i = 0; i < COLUMNS; i++)
        gb_buf_printf(out, "%s%s", i > 0 ? "," : "", names[i]);
    gb_buf_add(out, "\r\n");
    gb_code code = each(history, pattern, csv_row, out, err);
    if (!code && out->failed)
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the export");
    return code;
}

static void json_row(sqlite3_stmt *statement, void *user)
{
    char text[40];
    json_t *point = json_object();
    for (int i = 0; i < COLUMNS; i++) {
        json_t *value;
        int type = sqlite3_column_type(statement, i);
        if (i == STARTED)
            value = json_string(gb_history_time(sqlite3_column_int64(statement, i), text));
        else if (type == SQLITE_FLOAT)
            value = gb_json_real(sqlite3_column_double(statement, i));
        else if (type == SQLITE_INTEGER)
            value = json_integer(sqlite3_column_int64(statement, i));
        else
            value = gb_json_string(type == SQLITE_NULL ? NULL : gb_sql_text(statement, i));
        json_object_set_new(point, names[i], value);
    }
    json_array_append_new(user, point);
}

gb_code gb_history_export_json(gb_history *history, const char *pattern, json_t **out,
                               gb_error *err)
{
    json_t *points = json_array();
    *out = NULL;
    if (!points)
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the export");
    gb_code code = each(history, pattern, json_row, points, err);
    if (code)
        json_decref(points);
    else
        *out = points;
    return code;
}
