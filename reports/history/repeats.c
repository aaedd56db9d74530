/* Fresh runs that decide about a doubtful night. */
#include <math.h>
#include <string.h>

#include "reports/history/check.h"

static bool same_series(const gb_series *a, const gb_series *b)
{
    return strcmp(a->case_id, b->case_id) == 0 && strcmp(a->definition, b->definition) == 0 &&
           strcmp(a->device, b->device) == 0 && strcmp(a->kind, b->kind) == 0 &&
           strcmp(a->mig, b->mig) == 0 && strcmp(a->ecc, b->ecc) == 0;
}

/* The repeat's value of a series; NAN: it has none. */
static gb_code repeat_value(const gb_results *results, const gb_table *table,
                            const gb_series *series, double *value, gb_error *err)
{
    double half;
    *value = NAN;
    for (size_t i = 0; i < table->n; i++) {
        gb_series other;
        if (strcmp(table->rows[i].first->case_id, series->case_id) != 0)
            continue;
        gb_code code = gb_history_series_of(results, &table->rows[i], &other, err);
        if (code)
            return code;
        if (same_series(series, &other))
            *value = gb_history_value(series, &table->rows[i], &half);
        gb_series_free(&other);
    }
    return GB_OK;
}

/* Takes one repeat into the item; *sum: of their badness. */
static void ask(const gb_spike *spike, double value, gb_checked *out, double *sum)
{
    const double badness = gb_history_badness(&out->series, value);
    out->repeats++;
    out->agreed += gb_spike_agrees(spike, badness);
    *sum += badness;
    out->repeated = gb_history_unbad(&out->series, *sum / out->repeats);
    out->repeated_change = out->repeated / out->usual - 1;
}

gb_code gb_repeats_ask(const gb_checking *c, const gb_night *tonight, const gb_spike *spike,
                       gb_checked *out, gb_error *err)
{
    double sum = 0;
    for (unsigned i = 0; i < tonight->repeats; i++)
        ask(spike, tonight->repeat_values[i], out, &sum);
    for (size_t i = 0; i < c->options->n_repeats; i++) {
        double value;
        gb_code code =
            repeat_value(&c->options->repeats[i], &c->repeats[i], &out->series, &value, err);
        if (code)
            return code;
        if (value > 0)
            ask(spike, value, out, &sum);
    }
    return GB_OK;
}

/* A repeat counts once, and only a process that began after the doubtful night can be one. */
static gb_code is_evidence(const gb_checking *c, size_t index, gb_error *err)
{
    gb_facts facts, other;
    sqlite3_stmt *statement = NULL;
    bool row = false;
    gb_code code = gb_history_facts(&c->options->repeats[index], &facts, err);
    if (!code && strcmp(facts.run_id, c->report->run) == 0)
        code = gb_fail(err, GB_INVALID, "run %s is the night itself, which cannot confirm itself",
                       facts.run_id);
    if (!code && facts.started < c->started)
        code = gb_fail(err, GB_INVALID, "run %s began before run %s, and so cannot repeat it",
                       facts.run_id, c->report->run);
    for (size_t i = 0; !code && i < index; i++) {
        code = gb_history_facts(&c->options->repeats[i], &other, err);
        if (!code && strcmp(facts.run_id, other.run_id) == 0)
            code = gb_fail(err, GB_INVALID, "run %s is given twice: a repeat counts once",
                           facts.run_id);
    }
    if (!code)
        code = gb_sql_prepare(c->history, "SELECT 1 FROM runs WHERE run = ? AND repeat_of = ?",
                              &statement, err);
    if (code)
        return code;
    gb_sql_bind(statement, 1, facts.run_id);
    sqlite3_bind_int64(statement, 2, c->run);
    code = gb_sql_step(c->history, statement, &row, err);
    sqlite3_finalize(statement);
    if (!code && row)
        code = gb_fail(err, GB_INVALID,
                       "run %s is in the history as a repeat of run %s: it counts already",
                       facts.run_id, c->report->run);
    return code;
}

/* A repeat that has nothing to do with the run would clear nothing and say nothing. */
gb_code gb_repeats_check(const gb_checking *c, gb_error *err)
{
    for (size_t i = 0; i < c->options->n_repeats; i++) {
        bool common = false;
        gb_code code = is_evidence(c, i, err);
        if (code)
            return code;
        for (size_t k = 0; k < c->report->n && !common; k++) {
            double value;
            code = repeat_value(&c->options->repeats[i], &c->repeats[i],
                                &c->report->items[k].series, &value, err);
            if (code)
                return code;
            common = value > 0;
        }
        if (!common)
            return gb_fail(err, GB_INVALID,
                           "the repeat has no case in common with run %s on the same kind of "
                           "device",
                           c->report->run);
    }
    return GB_OK;
}
