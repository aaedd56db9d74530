/* One series for people: segments, a sparkline, the last nights, a plot. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "reports/history/internal.h"
#include "reports/plot/gnuplot.h"
#include "reports/plot/picture.h"
#include "reports/plot/pictures.h"

enum { SPARK = 60, LAST = 10 };

typedef struct shown {
    gb_nights nights;
    gb_window window;
    json_t *accepted; /* what 'accept' said of it, oldest first: run, since, made, note */
} shown;

static void close_shown(shown *s)
{
    gb_nights_free(&s->nights);
    json_decref(s->accepted);
}

static gb_code read_accepted(gb_history *history, const gb_series *series, json_t **out,
                             gb_error *err)
{
    sqlite3_stmt *statement = NULL;
    bool row = true;
    *out = json_array();
    gb_code code = gb_sql_prepare(
        history, "SELECT run, started, made, note FROM accepts WHERE series = ? ORDER BY id",
        &statement, err);
    sqlite3_bind_int64(statement, 1, series->id);
    while (!code && row) {
        code = gb_sql_step(history, statement, &row, err);
        if (code || !row)
            continue;
        char since[32], made[32];
        const char *note = gb_sql_text(statement, 3);
        json_t *one =
            json_pack("{s:o, s:s, s:s, s:o}", "run", gb_json_string(gb_sql_text(statement, 0)),
                      "since", gb_history_time(sqlite3_column_int64(statement, 1), since), "made",
                      gb_history_time(sqlite3_column_int64(statement, 2), made), "note",
                      gb_json_string(note[0] ? note : NULL));
        if (json_array_append_new(*out, one) != 0)
            code = gb_fail(err, GB_NO_MEMORY, "out of memory for the series");
    }
    sqlite3_finalize(statement);
    return code;
}

static gb_code open_shown(gb_history *history, const gb_series *series, shown *out, gb_error *err)
{
    *out = (shown){0};
    gb_code code = gb_history_nights(history, series->id, 0, 0, &out->nights, err);
    if (!code)
        code = gb_history_window(history, series, &out->nights, &out->window, err);
    if (!code)
        code = read_accepted(history, series, &out->accepted, err);
    if (code)
        close_shown(out);
    return code;
}

/* The night at which a new segment begins: index into the window's nights. */
static bool begins(const shown *s, size_t i)
{
    for (size_t k = 0; k < s->window.judgement.n_changes; k++) {
        if (s->window.judgement.changes[k].at == i)
            return true;
    }
    return false;
}

/* --- text ----------------------------------------------------------------------------------------
 */

/* Up is better or worse as the metric is: the line shows the value itself. '|' before a night that
 * begins a segment, '.' for one without a value. */
static void sparkline(const shown *s, gb_buf *out)
{
    static const char *const bars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    size_t first = s->nights.n > SPARK ? s->nights.n - SPARK : 0, at = 0;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = first; i < s->nights.n; i++) {
        if (s->nights.items[i].judged) {
            low = fmin(low, s->nights.items[i].value);
            high = fmax(high, s->nights.items[i].value);
        }
    }
    for (size_t i = first; i < s->nights.n; i++) {
        const gb_night *night = &s->nights.items[i];
        while (at < s->window.n && s->window.nights[at] < night)
            at++;
        if (at < s->window.n && s->window.nights[at] == night && begins(s, at))
            gb_buf_add(out, "|");
        int level = high > low ? (int)((night->value - low) / (high - low) * 7.999) : 0;
        gb_buf_add(out, night->judged ? bars[level] : ".");
    }
    gb_buf_add(out, "\n");
}

static void add_segments(const gb_series *series, const shown *s, gb_buf *out)
{
    const gb_judgement *j = &s->window.judgement;
    char text[32], change[32];
    size_t k;
    const json_t *accepted;
    json_array_foreach(s->accepted, k, accepted)
    {
        const char *said = json_string_value(json_object_get(accepted, "note"));
        char *note = said ? gb_text_printable(said) : NULL;
        gb_buf_printf(out, "accepted from %s on%s%s\n",
                      json_string_value(json_object_get(accepted, "since")), note ? ": " : "",
                      note ? note : "");
        free(note);
    }
    if (s->window.reference.judged) {
        gb_buf_printf(out, "reference  %s (first %d nights)\n",
                      gb_history_value_text(
                          series, gb_history_unbad(series, s->window.reference.level), text),
                      GB_REFERENCE_NIGHTS);
    }
    for (size_t i = 0; i < j->n_changes; i++) {
        const gb_change *c = &j->changes[i];
        double ratio = gb_history_unbad(series, c->after) / gb_history_unbad(series, c->before) - 1;
        gb_buf_printf(out, "%s%s since run %s: %s", ratio < 0 ? "-" : "+",
                      gb_format_percent(fabs(ratio), change, sizeof change),
                      s->window.nights[c->at]->run_id,
                      gb_history_value_text(series, gb_history_unbad(series, c->after), text));
        char environment[300];
        gb_environment_difference(s->window.nights[c->at - 1]->environment,
                                  s->window.nights[c->at]->environment, environment,
                                  sizeof environment);
        gb_buf_printf(out, "%s%s\n", environment[0] ? "; there: " : "", environment);
    }
}

static void add_night(const gb_series *series, const gb_night *night, gb_buf *out)
{
    char when[32], value[32], half[32];
    gb_buf_printf(out, "  %s  %-24s %12s", gb_history_time(night->started, when), night->run_id,
                  night->value > 0 ? gb_history_value_text(series, night->value, value)
                                   : night->status);
    if (night->half > 0)
        gb_buf_printf(out, " +- %s", gb_format_half(night->half, half, sizeof half));
    if (night->repeats > 0)
        gb_buf_printf(out, "  repeated: %s", gb_history_value_text(series, night->level, value));
    gb_buf_printf(out, "%s%s%s\n", night->flags[0] ? "  [" : "", night->flags,
                  night->flags[0] ? "]" : "");
}

gb_code gb_history_show_text(gb_history *history, const gb_series *series, bool color, gb_buf *out,
                             gb_error *err)
{
    shown s;
    gb_code code = open_shown(history, series, &s, err);
    if (code)
        return code;
    gb_buf_printf(out, "%s%s%s\n%s on %s (%s)%s%s%s%s, %s, %s is better; %zu nights\n",
                  color ? "\033[1m" : "", series->case_id, color ? "\033[0m" : "", series->metric,
                  series->device, series->kind, series->mig[0] ? ", MIG " : "", series->mig,
                  series->ecc[0] ? ", ECC " : "", series->ecc, series->unit,
                  series->higher_is_better ? "higher" : "lower", s.nights.n);
    sparkline(&s, out);
    add_segments(series, &s, out);
    for (size_t i = s.nights.n > LAST ? s.nights.n - LAST : 0; i < s.nights.n; i++)
        add_night(series, &s.nights.items[i], out);
    close_shown(&s);
    return out->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for the series") : GB_OK;
}

/* --- JSON ----------------------------------------------------------------------------------------
 */

static json_t *night_json(const gb_night *night)
{
    char when[32];
    const gb_environment *e = night->environment;
    return json_pack(
        "{s:o, s:s, s:o, s:o, s:o, s:i, s:i, s:s, s:o, s:b, s:o, s:o, s:o, s:o}", "run",
        gb_json_string(night->run_id), "started", gb_history_time(night->started, when), "value",
        gb_json_real(night->value), "level", gb_json_real(night->level), "plus_minus",
        gb_json_real(night->half), "replicates", (int)night->replicates, "repeats",
        (int)night->repeats, "status", night->status, "flags", gb_json_string(night->flags),
        "judged", night->judged, "driver", gb_json_string(e ? e->driver : NULL), "firmware",
        gb_json_string(e ? e->firmware : NULL), "kernel", gb_json_string(e ? e->kernel : NULL),
        "gpubench", gb_json_string(e ? e->tool : NULL));
}

gb_code gb_history_show_json(gb_history *history, const gb_series *series, json_t **out,
                             gb_error *err)
{
    shown s;
    gb_code code = open_shown(history, series, &s, err);
    if (code)
        return code;
    const gb_judgement *j = &s.window.judgement;
    json_t *nights = json_array(), *changes = json_array();
    bool failed = !nights || !changes;
    for (size_t i = 0; !failed && i < s.nights.n; i++)
        failed = json_array_append_new(nights, night_json(&s.nights.items[i])) != 0;
    for (size_t i = 0; !failed && i < j->n_changes; i++) {
        const gb_change *c = &j->changes[i];
        json_t *change = json_pack(
            "{s:o, s:o, s:o, s:b}", "since", gb_json_string(s.window.nights[c->at]->run_id),
            "before", gb_json_real(gb_history_unbad(series, c->before)), "after",
            gb_json_real(gb_history_unbad(series, c->after)), "open", c->open);
        failed = json_array_append_new(changes, change) != 0;
    }
    *out = failed ? NULL
                  : json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:O, s:O, s:O}", "case",
                              gb_json_string(series->case_id), "definition",
                              gb_json_string(series->definition), "device",
                              gb_json_string(series->device), "metric", series->metric, "unit",
                              series->unit, "better", series->higher_is_better ? "higher" : "lower",
                              "nights", nights, "changes", changes, "accepted", s.accepted);
    json_decref(nights);
    json_decref(changes);
    close_shown(&s);
    return *out ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for the series");
}

/* --- plot ----------------------------------------------------------------------------------------
 */

/* Nights, then the level of each segment in the window as a line over its nights. */
static void plot_data(const gb_series *series, const shown *s, double scale, gb_buf *data)
{
    char text[40];
    gb_buf_add(data, "# seconds since 1970, value\n");
    for (size_t i = 0; i < s->nights.n; i++) {
        const gb_night *night = &s->nights.items[i];
        if (night->judged)
            gb_buf_printf(data, "%lld %s\n", (long long)night->started,
                          gb_print_double(night->value / scale, text, sizeof text));
    }
    gb_buf_add(data, "\n\n# the level of each segment\n");
    for (size_t from = 0; from < s->window.n;) {
        size_t to = from + 1;
        double level, sd;
        while (to < s->window.n && !begins(s, to))
            to++;
        gb_robust(s->window.ln + from, to - from, 0, &level, &sd);
        gb_print_double(gb_history_unbad(series, level) / scale, text, sizeof text);
        gb_buf_printf(data, "%lld %s\n%lld %s\n\n", (long long)s->window.nights[from]->started,
                      text, (long long)s->window.nights[to - 1]->started, text);
        from = to;
    }
}

/* All nights inside of the frame; hours as well where the days would be the same. */
static void plot_axes(const shown *s, double scale, gb_buf *script)
{
    enum { FEW_DAYS = 8 * 24 * 3600 };
    double low = INFINITY, high = -INFINITY, first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < s->nights.n; i++) {
        const gb_night *night = &s->nights.items[i];
        if (night->judged) {
            low = fmin(low, night->value / scale);
            high = fmax(high, night->value / scale);
            first = fmin(first, (double)night->started);
            last = fmax(last, (double)night->started);
        }
    }
    gb_buf_printf(script,
                  "set xdata time\nset timefmt '%%s'\nset format x '%s'\nset xtics rotate by -30\n",
                  last - first < FEW_DAYS ? "%m-%d %H:%M" : "%Y-%m-%d");
    gb_picture_range(script, "y", low, high, 0, NULL);
}

gb_code gb_history_show_plot(gb_history *history, const gb_series *series, const char *dir,
                             const char *gnuplot, gb_buf *notes, gb_error *err)
{
    shown s;
    gb_pictures pictures = {0};
    gb_buf script = {0}, data = {0}, lines = {0}, axis = {0};
    char name[128], unit[32], when[32];
    double most = 0;
    gb_code code = open_shown(history, series, &s, err);
    if (code)
        return code;
    for (size_t i = 0; i < s.nights.n; i++)
        most = s.nights.items[i].judged ? fmax(most, s.nights.items[i].value) : most;
    const gb_night *last = s.nights.n > 0 ? &s.nights.items[s.nights.n - 1] : NULL;
    gb_results results = {.document =
                              json_pack("{s:[{s:s, s:s}], s:{s:s}}", "devices", "name",
                                        series->device, "kind", series->kind, "run", "started",
                                        gb_history_time(last ? last->started : 0, when))};
    if (!(most > 0))
        code = gb_fail(err, GB_INVALID, "%s: no night has a value to plot", series->case_id);
    else if (!results.document)
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the plot");
    if (code)
        goto done;
    double scale = gb_picture_scale(most, series->unit, unit);
    gb_text_filename(series->case_id, name, sizeof name);
    gb_picture_y_label(series->metric, unit, series->higher_is_better, &axis);
    gb_picture_head(&results, 0, series->case_id, "night",
                    axis.data != NULL ? axis.data : series->metric, &script);
    script.failed = script.failed || axis.failed;
    gb_buf_free(&axis);
    plot_axes(&s, scale, &script);
    gb_buf_printf(&lines,
                  "'plots/%s.dat' index 0 using 1:2 with points pointtype 7 pointsize 0.6 "
                  "linecolor rgb '%s' title 'nights', '' index 1 using 1:2 with lines linewidth 3 "
                  "linecolor rgb '%s' title 'level'",
                  name, gb_picture_colour(0), gb_picture_colour(1));
    gb_picture_outputs(name, &lines, &script);
    plot_data(series, &s, scale, &data);
    char *plots = gb_text_format("%s/plots", dir);
    code = plots ? gb_history_folders(plots, err) : gb_fail(err, GB_NO_MEMORY, "out of memory");
    free(plots);
    if (!code)
        code = gb_pictures_open(dir, &pictures, err);
    if (!code)
        code = gb_pictures_add(&pictures, name, series->case_id, NULL, NULL, &script, &data, err);
    if (!code)
        gb_pictures_draw(&pictures, gnuplot, notes);
done:
    gb_pictures_free(&pictures);
    gb_buf_free(&script);
    gb_buf_free(&data);
    gb_buf_free(&lines);
    json_decref(results.document);
    close_shown(&s);
    return code;
}
