/* Every series of a run against its own past. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/history/check.h"

/* Nights to read for a window of GB_DRIFT_NIGHTS judged ones. */
#define READ_NIGHTS (GB_DRIFT_NIGHTS + 30)

const char *gb_night_word(gb_night_verdict verdict)
{
    static const char *const words[] = {
#define X(name, word, line, next) word,
        GB_NIGHT_VERDICTS(X)
#undef X
    };
    return verdict < GB_NIGHT_VERDICT_COUNT ? words[verdict] : "?";
}

const char *gb_night_next(gb_night_verdict verdict)
{
    static const char *const next[] = {
#define X(name, word, line, text) text,
        GB_NIGHT_VERDICTS(X)
#undef X
    };
    return verdict < GB_NIGHT_VERDICT_COUNT ? next[verdict] : "";
}

/* --- which run -----------------------------------------------------------------------------------
 */

static gb_code no_such_run(gb_history *history, const char *run, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    char last[64] = "";
    if (!gb_sql_prepare(history, "SELECT run FROM runs ORDER BY started DESC LIMIT 1", &statement,
                        err) &&
        !gb_sql_step(history, statement, &row, err) && row)
        snprintf(last, sizeof last, "%s", gb_sql_text(statement, 0));
    sqlite3_finalize(statement);
    if (!last[0])
        return gb_fail(err, GB_INVALID,
                       "the history is empty: 'gpubench history add DIR' adds a "
                       "run");
    return gb_fail(err, GB_INVALID,
                   "run %s is not in the history; add it first (the last one is %s)",
                   run ? run : "?", last);
}

/* A night, and the one of the same suite before it. */
#define NIGHT_AND_BEFORE                                                                           \
    "SELECT r.id, r.run, r.started, r.suite, (SELECT b.id FROM runs b WHERE b.suite = r.suite "    \
    "AND "                                                                                         \
    "b.started < r.started AND b.repeat_of IS NULL ORDER BY b.started DESC LIMIT 1) FROM runs r "  \
    "WHERE r.repeat_of IS NULL "

static gb_code find_run(gb_checking *c, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gb_history_report *report = c->report;
    gb_code code =
        gb_sql_prepare(c->history,
                       c->options->run ? NIGHT_AND_BEFORE "AND r.run = ?"
                                       : NIGHT_AND_BEFORE "ORDER BY r.started > ?, r.started DESC, "
                                                          "r.id DESC LIMIT 1",
                       &statement, err);
    if (!code && c->options->run)
        sqlite3_bind_text(statement, 1, c->options->run, -1, SQLITE_TRANSIENT);
    else if (!code)
        sqlite3_bind_int64(statement, 1, gb_history_latest());
    if (!code)
        code = gb_sql_step(c->history, statement, &row, err);
    if (!code && row) {
        c->run = sqlite3_column_int64(statement, 0);
        c->started = report->started = sqlite3_column_int64(statement, 2);
        c->before = sqlite3_column_int64(statement, 4);
        snprintf(report->run, sizeof report->run, "%s", gb_sql_text(statement, 1));
        snprintf(report->suite, sizeof report->suite, "%s", gb_sql_text(statement, 3));
    }
    sqlite3_finalize(statement);
    return !code && !row ? no_such_run(c->history, c->options->run, err) : code;
}

/* --- one series ----------------------------------------------------------------------------------
 */

static gb_night_verdict spike_verdict(const gb_spike *spike, const gb_checked *checked)
{
    if (!spike->beyond)
        return GB_NIGHT_OK;
    if (checked->agreed < checked->repeats)
        return GB_NIGHT_CLEARED;
    if (checked->repeats < GB_REPEATS)
        return GB_NIGHT_SUSPECT;
    return spike->change > 0 ? GB_NIGHT_SPIKE_SLOWER : GB_NIGHT_SPIKE_FASTER;
}

/* The change that matters: the last slower one that was not undone, or else the last faster one. */
static const gb_change *worst_change(const gb_judgement *judgement)
{
    for (size_t i = judgement->n_changes; i > 0; i--) {
        if (judgement->changes[i - 1].open)
            return &judgement->changes[i - 1];
    }
    if (judgement->n_changes == 0)
        return NULL;
    const gb_change *last = &judgement->changes[judgement->n_changes - 1];
    return last->after < last->before ? last : NULL;
}

static void say_change(const gb_window *window, size_t at, gb_checked *out)
{
    snprintf(out->since, sizeof out->since, "%s", window->nights[at]->run_id);
    snprintf(out->before, sizeof out->before, "%s", window->nights[at - 1]->run_id);
    gb_environment_difference(window->nights[at - 1]->environment, window->nights[at]->environment,
                              out->environment, sizeof out->environment);
}

static double moved(const gb_series *series, double ln)
{
    return expm1(series->higher_is_better ? -ln : ln);
}

/* Slow nights that nobody has confirmed are doubtful first: they are no level until more of them
 * than the last ones, which tonight's doubt is about, are beyond the reference. */
static bool creeps(const gb_window *window)
{
    const gb_spike *spike = &window->judgement.spike;
    bool doubtful = spike->beyond && spike->change > 0;
    return window->reference.beyond && (!doubtful || window->reference.before);
}

static void decide(const gb_window *window, gb_checked *out)
{
    const gb_judgement *j = &window->judgement;
    const gb_change *change = worst_change(j);
    out->verdict = spike_verdict(&j->spike, out);
    if (change)
        out->shift = moved(&out->series, change->after - change->before);
    if (change && change->open && out->verdict != GB_NIGHT_SPIKE_SLOWER)
        out->verdict = GB_NIGHT_SLOWER;
    else if (creeps(window) && out->verdict != GB_NIGHT_SPIKE_SLOWER)
        out->verdict = GB_NIGHT_CREEPING;
    else if (change && !change->open && out->verdict == GB_NIGHT_OK)
        out->verdict = GB_NIGHT_FASTER;
    else if (window->reference.back && out->verdict == GB_NIGHT_OK)
        out->verdict = GB_NIGHT_BACK;
    if (out->verdict == GB_NIGHT_SLOWER || out->verdict == GB_NIGHT_FASTER)
        say_change(window, change->at, out);
    else if (j->spike.beyond && window->n > 1)
        say_change(window, window->n - 1, out);
    if (out->verdict == GB_NIGHT_OK && !j->spike.judged && j->n_changes == 0)
        out->verdict = GB_NIGHT_YOUNG;
}

static gb_code judge_night(const gb_checking *c, const gb_nights *nights, gb_checked *out,
                           gb_error *err)
{
    const gb_night *tonight = &nights->items[nights->n - 1];
    gb_window window;
    out->value = tonight->value;
    if (!tonight->judged) {
        out->verdict = GB_NIGHT_NOT_JUDGED;
        bool ok = strcmp(tonight->status, "ok") == 0;
        if (ok && !(tonight->value > 0))
            snprintf(out->reason, sizeof out->reason, "ok, but %s has no value",
                     out->series.metric);
        else
            snprintf(out->reason, sizeof out->reason, "%.150s",
                     ok ? tonight->flags : tonight->status);
        return GB_OK;
    }
    gb_code code = gb_history_window(c->history, &out->series, nights, &window, err);
    if (code)
        return code;
    const gb_judgement *j = &window.judgement;
    out->nights = window.n - j->segment;
    if (j->spike.judged) {
        out->usual = gb_history_unbad(&out->series, j->spike.centre);
        out->change = moved(&out->series, j->spike.change);
        out->z = j->spike.z;
        out->sd = j->spike.sd;
    }
    if (window.reference.judged) {
        out->reference = gb_history_unbad(&out->series, window.reference.level);
        out->reference_change = moved(&out->series, window.reference.now - window.reference.level);
    }
    if (j->spike.beyond)
        code = gb_repeats_ask(c, tonight, &j->spike, out, err);
    if (!code)
        decide(&window, out);
    return code;
}

static gb_checked *new_item(gb_checking *c, gb_error *err)
{
    gb_history_report *report = c->report;
    if (report->n == c->capacity) {
        size_t capacity = c->capacity ? 2 * c->capacity : 64;
        gb_checked *more = realloc(report->items, capacity * sizeof *more);
        if (!more) {
            gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
            return NULL;
        }
        report->items = more;
        c->capacity = capacity;
    }
    gb_checked *item = &report->items[report->n];
    *item = (gb_checked){.value = NAN,
                         .usual = NAN,
                         .change = NAN,
                         .z = NAN,
                         .sd = NAN,
                         .repeated = NAN,
                         .repeated_change = NAN,
                         .shift = NAN,
                         .reference = NAN,
                         .reference_change = NAN};
    return item;
}

/* Takes the series into the report when it belongs there: in this run, or in the one before. */
static gb_code take(gb_checking *c, sqlite3_stmt *statement, gb_error *err)
{
    gb_nights nights;
    gb_code code = gb_history_nights(c->history, sqlite3_column_int64(statement, 0), c->started,
                                     READ_NIGHTS, &nights, err);
    if (code)
        return code;
    /* Runs of other suites may have begun in the same second. */
    while (nights.n > 0 && nights.items[nights.n - 1].started == c->started &&
           nights.items[nights.n - 1].run != c->run)
        nights.n--;
    int64_t last = nights.n > 0 ? nights.items[nights.n - 1].run : 0;
    if (last == c->run || (last != 0 && last == c->before)) {
        gb_checked *item = new_item(c, err);
        code = item ? gb_series_read(statement, &item->series, err) : GB_NO_MEMORY;
        if (!code) {
            c->report->n++;
            if (last == c->run) {
                code = judge_night(c, &nights, item, err);
            } else {
                item->verdict = GB_NIGHT_MISSING;
                snprintf(item->before, sizeof item->before, "%s",
                         nights.items[nights.n - 1].run_id);
            }
        }
    }
    gb_nights_free(&nights);
    return code;
}

/* A case is missing only where its device was measured. */
static void drop_other_devices(gb_history_report *report)
{
    size_t kept = 0;
    for (size_t i = 0; i < report->n; i++) {
        bool here = report->items[i].verdict != GB_NIGHT_MISSING;
        for (size_t k = 0; k < report->n && !here; k++)
            here = report->items[k].verdict != GB_NIGHT_MISSING &&
                   strcmp(report->items[k].series.device, report->items[i].series.device) == 0;
        if (!here)
            report->items[i].verdict = GB_NIGHT_VERDICT_COUNT;
    }
    for (size_t i = 0; i < report->n; i++) {
        if (report->items[i].verdict == GB_NIGHT_VERDICT_COUNT) {
            gb_series_free(&report->items[i].series);
            continue;
        }
        report->counts[report->items[i].verdict]++;
        report->items[kept++] = report->items[i];
    }
    report->n = kept;
}

static gb_code check_all(gb_checking *c, gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = true;
    gb_code code = find_run(c, err);
    if (!code)
        code = gb_sql_prepare(
            c->history, "SELECT " GB_SERIES_COLUMNS " FROM series s ORDER BY s.device, s.mig, s.id",
            &statement, err);
    while (!code) {
        code = gb_sql_step(c->history, statement, &row, err);
        if (code || !row)
            break;
        code = take(c, statement, err);
    }
    sqlite3_finalize(statement);
    if (!code)
        drop_other_devices(c->report);
    return code ? code : gb_repeats_check(c, err);
}

gb_code gb_history_check(gb_history *history, const gb_history_check_options *options,
                         gb_history_report *out, gb_error *err)
{
    *out = (gb_history_report){0};
    gb_checking c = {.history = history, .options = options, .report = out};
    gb_code code = GB_OK;
    c.repeats = calloc(options->n_repeats + 1, sizeof *c.repeats);
    if (!c.repeats)
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the history");
    for (size_t i = 0; !code && i < options->n_repeats; i++)
        code = gb_table_make(&options->repeats[i], &c.repeats[i], err);
    if (!code)
        code = check_all(&c, err);
    for (size_t i = 0; i < options->n_repeats; i++)
        gb_table_free(&c.repeats[i]);
    free(c.repeats);
    if (code)
        gb_history_report_free(out);
    return code;
}

bool gb_night_regressed(gb_night_verdict verdict)
{
    return verdict == GB_NIGHT_SPIKE_SLOWER || verdict == GB_NIGHT_SLOWER ||
           verdict == GB_NIGHT_CREEPING;
}

bool gb_history_regressed(const gb_history_report *report)
{
    for (int v = 0; v < GB_NIGHT_VERDICT_COUNT; v++) {
        if (gb_night_regressed((gb_night_verdict)v) && report->counts[v] > 0)
            return true;
    }
    return false;
}

void gb_history_report_free(gb_history_report *report)
{
    for (size_t i = 0; i < report->n; i++)
        gb_series_free(&report->items[i].series);
    free(report->items);
    *report = (gb_history_report){0};
}
