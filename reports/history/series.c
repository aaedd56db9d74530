/* Reading series, nights and environments. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history/internal.h"

static double real_of(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(statement, column);
}

gb_code gb_series_read(sqlite3_stmt *statement, gb_series *out, gb_error *err)
{
    *out = (gb_series){.id = sqlite3_column_int64(statement, 0),
                       .case_id = gb_text_copy(gb_sql_text(statement, 1)),
                       .definition = gb_text_copy(gb_sql_text(statement, 2)),
                       .device = gb_text_copy(gb_sql_text(statement, 3)),
                       .kind = gb_text_copy(gb_sql_text(statement, 4)),
                       .mig = gb_text_copy(gb_sql_text(statement, 5)),
                       .higher_is_better = sqlite3_column_int(statement, 9) != 0,
                       .worse = real_of(statement, 10)};
    snprintf(out->ecc, sizeof out->ecc, "%s", gb_sql_text(statement, 6));
    snprintf(out->metric, sizeof out->metric, "%s", gb_sql_text(statement, 7));
    snprintf(out->unit, sizeof out->unit, "%s", gb_sql_text(statement, 8));
    if (out->case_id && out->definition && out->device && out->kind && out->mig)
        return GB_OK;
    gb_series_free(out);
    return gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
}

void gb_series_list_free(gb_series_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        gb_series_free(&list->items[i]);
    free(list->items);
    *list = (gb_series_list){0};
}

gb_code gb_history_series(gb_history *history, const char *pattern, gb_series_list *out,
                          gb_error *err)
{
    static const char sql[] =
        "SELECT " GB_SERIES_COLUMNS
        ", (SELECT count(DISTINCT night) FROM points p WHERE p.series = s.id),"
        " (SELECT run FROM runs WHERE id = (SELECT night FROM points p WHERE p.series = s.id"
        "  ORDER BY started, night LIMIT 1)),"
        " (SELECT run FROM runs WHERE id = (SELECT night FROM points p WHERE p.series = s.id"
        "  ORDER BY started DESC, night DESC LIMIT 1))"
        " FROM series s ORDER BY s.device, s.mig, s.ecc, s.id";
    sqlite3_stmt *statement = NULL;
    size_t capacity = 0;
    bool row = true;
    *out = (gb_series_list){0};
    gb_code code = gb_sql_prepare(history, sql, &statement, err);
    while (!code) {
        code = gb_sql_step(history, statement, &row, err);
        if (code || !row)
            break;
        if (pattern && !gb_text_matches(pattern, gb_sql_text(statement, 1)))
            continue;
        if (out->n == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            gb_series *more = realloc(out->items, capacity * sizeof *more);
            if (!more) {
                code = gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
                break;
            }
            out->items = more;
        }
        gb_series *series = &out->items[out->n];
        code = gb_series_read(statement, series, err);
        if (code)
            break;
        out->n++;
        series->nights = (size_t)sqlite3_column_int64(statement, 11);
        snprintf(series->first_run, sizeof series->first_run, "%s", gb_sql_text(statement, 12));
        snprintf(series->last_run, sizeof series->last_run, "%s", gb_sql_text(statement, 13));
    }
    sqlite3_finalize(statement);
    if (code)
        gb_series_list_free(out);
    return code;
}

/* --- the one that a user means ------------------------------------------------------------------
 */

static gb_code found_none(gb_history *history, const char *pattern, gb_error *err)
{
    gb_series_list all;
    gb_code code = gb_history_series(history, NULL, &all, err);
    if (code)
        return code;
    const char **names = calloc(all.n + 1, sizeof *names);
    for (size_t i = 0; names && i < all.n; i++)
        names[i] = all.items[i].case_id;
    const char *near = names ? gb_text_nearest(pattern, names, all.n) : NULL;
    if (all.n == 0)
        gb_fail(err, GB_INVALID, "the history is empty");
    else
        gb_fail(err, GB_INVALID,
                "no case in the history matches '%s'%s%s%s; 'history list' shows them", pattern,
                near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    free(names);
    gb_series_list_free(&all);
    return GB_INVALID;
}

static gb_code found_several(const gb_series_list *list, const char *pattern, gb_error *err)
{
    gb_buf text = {0};
    for (size_t i = 0; i < list->n && i < 8; i++)
        gb_buf_printf(&text, "%s%s on %s", i ? ", " : "", list->items[i].case_id,
                      list->items[i].device);
    if (list->n > 8)
        gb_buf_printf(&text, " and %zu more", list->n - 8);
    gb_fail(err, GB_INVALID, "'%s' means %zu series: %s; give more of the name, or --device",
            pattern, list->n, text.data ? text.data : "");
    gb_buf_free(&text);
    return GB_INVALID;
}

/* Keeps the series for which `keep` holds. */
static void narrow(gb_series_list *list, const char *exact, const char *device)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->n; i++) {
        gb_series *series = &list->items[i];
        if ((!exact || strcmp(series->case_id, exact) == 0) &&
            (!device || strstr(series->device, device)))
            list->items[kept++] = *series;
        else
            gb_series_free(series);
    }
    list->n = kept;
}

gb_code gb_history_find(gb_history *history, const char *pattern, const char *device,
                        gb_series_list *one, gb_error *err)
{
    gb_code code = gb_history_series(history, pattern, one, err);
    if (code)
        return code;
    narrow(one, NULL, device);
    bool exact = false;
    for (size_t i = 0; i < one->n; i++)
        exact |= strcmp(one->items[i].case_id, pattern) == 0;
    if (exact)
        narrow(one, pattern, NULL);
    if (one->n == 0)
        code = found_none(history, pattern, err);
    else if (one->n > 1)
        code = found_several(one, pattern, err);
    if (code)
        gb_series_list_free(one);
    return code;
}

/* --- environments --------------------------------------------------------------------------------
 */

static gb_code read_environments(gb_history *history, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = true;
    for (size_t i = 0; i < history->n_environments; i++)
        gb_environment_free(&history->environments[i]);
    history->n_environments = 0;
    gb_code code = gb_sql_prepare(history,
                                  "SELECT id, host, uuid, driver, runtime, firmware, kernel, "
                                  "clocks, tool FROM environments ORDER BY id",
                                  &statement, err);
    while (!code) {
        code = gb_sql_step(history, statement, &row, err);
        if (code || !row)
            break;
        gb_environment *more =
            realloc(history->environments, (history->n_environments + 1) * sizeof *more);
        if (!more) {
            code = gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
            break;
        }
        history->environments = more;
        gb_environment *e = &more[history->n_environments++];
        e->id = sqlite3_column_int64(statement, 0);
        char **texts[] = {&e->host,     &e->uuid,   &e->driver, &e->runtime,
                          &e->firmware, &e->kernel, &e->clocks, &e->tool};
        for (int i = 0; i < 8; i++) {
            *texts[i] = gb_text_copy(gb_sql_text(statement, i + 1));
            if (!*texts[i])
                code = gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
        }
    }
    sqlite3_finalize(statement);
    history->environments_read = !code;
    return code;
}

static const gb_environment *environment_of(const gb_history *history, int64_t id)
{
    size_t low = 0, high = history->n_environments;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (history->environments[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    static char unknown[] = "";
    static const gb_environment none = {0,       unknown, unknown, unknown, unknown,
                                        unknown, unknown, unknown, unknown};
    return low < history->n_environments && history->environments[low].id == id
               ? &history->environments[low]
               : &none;
}

/* --- nights --------------------------------------------------------------------------------------
 */

void gb_nights_free(gb_nights *nights)
{
    free(nights->items);
    *nights = (gb_nights){0};
}

/* Nights with one of these flags did not measure what the others did. */
static bool meaningless(const char *flags)
{
    for (int i = 0; i < GB_FLAG_COUNT; i++) {
        if ((GB_FLAGS_NO_RESULT & GB_BIT(i)) != 0 && strstr(flags, gb_flag_word((gb_flag)i)))
            return true;
    }
    return false;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* What later nights are held against: a night that was doubtful, and was repeated, is what its
 * repeats say. With one of them that is the repeat, with more the median of all. */
static void settle(gb_night *night)
{
    double values[9];
    size_t n = 0;
    night->level = night->value;
    for (unsigned i = 0; i < night->repeats; i++)
        values[n++] = night->repeat_values[i];
    if (n == 0)
        return;
    if (n > 1 && night->value > 0)
        values[n++] = night->value;
    qsort(values, n, sizeof values[0], ascending);
    night->level = sqrt(values[(n - 1) / 2] * values[n / 2]);
}

/* One row: a night, or a repeat of the night whose other rows are beside it. */
static void read_row(gb_history *history, sqlite3_stmt *statement, gb_night *night, bool fresh)
{
    if (fresh)
        *night = (gb_night){.value = NAN, .half = NAN};
    int64_t of = sqlite3_column_int64(statement, 1), run = sqlite3_column_int64(statement, 2);
    double value = real_of(statement, 4);
    const char *status = gb_sql_text(statement, 7), *flags = gb_sql_text(statement, 8);
    bool good = strcmp(status, "ok") == 0 && value > 0 && isfinite(value) && !meaningless(flags);
    night->run = of;
    night->started = sqlite3_column_int64(statement, 0);
    if (run != of) {
        if (good && night->repeats < sizeof night->repeat_values / sizeof(double))
            night->repeat_values[night->repeats++] = value;
        return;
    }
    night->environment = environment_of(history, sqlite3_column_int64(statement, 3));
    night->value = value;
    night->half = real_of(statement, 5);
    night->replicates = (unsigned)sqlite3_column_int(statement, 6);
    night->judged = good;
    snprintf(night->status, sizeof night->status, "%s", status);
    snprintf(night->flags, sizeof night->flags, "%s", flags);
    snprintf(night->run_id, sizeof night->run_id, "%s", gb_sql_text(statement, 9));
}

static void turn_round(gb_nights *nights)
{
    for (size_t i = 0; i < nights->n / 2; i++) {
        gb_night swap = nights->items[i];
        nights->items[i] = nights->items[nights->n - 1 - i];
        nights->items[nights->n - 1 - i] = swap;
    }
}

/* Nights that began in [from, until], `most` of them (0: all) from one end, in that order. */
static gb_code read_nights(gb_history *history, const char *sql, int64_t series, int64_t from,
                           int64_t until, size_t most, gb_nights *out, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    size_t capacity = 0;
    bool row = true;
    *out = (gb_nights){0};
    gb_code code = history->environments_read ? GB_OK : read_environments(history, err);
    if (!code)
        code = gb_sql_prepare(history, sql, &statement, err);
    if (code)
        return code;
    sqlite3_bind_int64(statement, 1, series);
    sqlite3_bind_int64(statement, 2, from);
    sqlite3_bind_int64(statement, 3, until);
    for (;;) {
        code = gb_sql_step(history, statement, &row, err);
        if (code || !row)
            break;
        bool fresh =
            out->n == 0 || out->items[out->n - 1].run != sqlite3_column_int64(statement, 1);
        if (fresh && most > 0 && out->n == most)
            break;
        if (fresh && out->n == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            gb_night *more = realloc(out->items, capacity * sizeof *more);
            if (!more) {
                code = gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
                break;
            }
            out->items = more;
        }
        out->n += fresh;
        read_row(history, statement, &out->items[out->n - 1], fresh);
    }
    sqlite3_finalize(statement);
    for (size_t i = 0; i < out->n; i++)
        settle(&out->items[i]);
    if (code)
        gb_nights_free(out);
    return code;
}

#define NIGHTS                                                                                     \
    "SELECT p.started, p.night, p.run, p.environment, p.value, p.half, p.replicates, p.status,"    \
    " p.flags, r.run FROM points p JOIN runs r ON r.id = p.run WHERE p.series = ?1"                \
    " AND p.started BETWEEN ?2 AND ?3 ORDER BY "

gb_code gb_history_nights(gb_history *history, int64_t series, int64_t until, size_t most,
                          gb_nights *out, gb_error *err)
{
    gb_code code = read_nights(history, NIGHTS "p.started DESC, p.night DESC, p.run DESC", series,
                               INT64_MIN, until != 0 ? until : INT64_MAX, most, out, err);
    turn_round(out);
    return code;
}

gb_code gb_history_nights_from(gb_history *history, int64_t series, int64_t from, size_t most,
                               gb_nights *out, gb_error *err)
{
    return read_nights(history, NIGHTS "p.started, p.night, p.run", series, from, INT64_MAX, most,
                       out, err);
}

gb_code gb_history_accepted(gb_history *history, int64_t series, int64_t until, int64_t *started,
                            gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gb_code code = gb_sql_prepare(
        history, "SELECT max(started) FROM accepts WHERE series = ? AND started <= ?", &statement,
        err);
    if (code)
        return code;
    sqlite3_bind_int64(statement, 1, series);
    sqlite3_bind_int64(statement, 2, until != 0 ? until : INT64_MAX);
    code = gb_sql_step(history, statement, &row, err);
    *started = row && sqlite3_column_type(statement, 0) != SQLITE_NULL
                   ? sqlite3_column_int64(statement, 0)
                   : INT64_MIN;
    sqlite3_finalize(statement);
    return code;
}
