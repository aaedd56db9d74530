/* A check as text and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"
#include "reports/history/internal.h"

static bool worth_a_line(gb_night_verdict verdict)
{
    static const bool lines[] = {
#define X(name, word, line, next) line,
        GB_NIGHT_VERDICTS(X)
#undef X
    };
    return lines[verdict];
}

static const char *ink(gb_night_verdict verdict)
{
    if (gb_night_regressed(verdict))
        return "\033[31m";
    if (verdict == GB_NIGHT_SUSPECT || verdict == GB_NIGHT_MISSING ||
        verdict == GB_NIGHT_NOT_JUDGED)
        return "\033[33m";
    return verdict == GB_NIGHT_CLEARED ? "\033[2m" : "\033[32m";
}

/* "+4.2 %": a change always has its one sign. */
static void change_text(gb_buf *out, double change)
{
    char text[32];
    gb_format_percent(fabs(change), text, sizeof text);
    gb_buf_printf(out, "%s%s", change < 0 ? "-" : "+", text);
}

/* A night that stands out was picked for it, and is further off than what is the matter: where
 * there are repeats, the change is theirs. */
static void stands_out(const gb_checked *c, gb_buf *out)
{
    char now[32], usual[32], repeated[32];
    const gb_series *s = &c->series;
    const bool asked = c->repeats > 0;
    change_text(out, asked ? c->repeated_change : c->change);
    gb_buf_printf(out, " %s: ", s->metric);
    if (asked)
        gb_buf_printf(out, "%s in %u repeat%s, ", gb_history_value_text(s, c->repeated, repeated),
                      c->repeats, c->repeats == 1 ? "" : "s");
    gb_buf_printf(out, "%s%s, usually %s (z %.1f)", gb_history_value_text(s, c->value, now),
                  asked ? " in the night" : "", gb_history_value_text(s, c->usual, usual),
                  fabs(c->z));
    if (asked)
        gb_buf_printf(out, "; %u of %u repeats agree", c->agreed, c->repeats);
}

static void what(const gb_checked *c, gb_buf *out)
{
    char now[32], usual[32];
    const gb_series *s = &c->series;
    switch (c->verdict) {
    case GB_NIGHT_NOT_JUDGED:
        gb_buf_printf(out, "%s", c->reason);
        break;
    case GB_NIGHT_MISSING:
        gb_buf_printf(out, "was in run %s, and is not in this one", c->before);
        break;
    case GB_NIGHT_SLOWER:
    case GB_NIGHT_FASTER:
        change_text(out, c->shift);
        gb_buf_printf(out, " %s since run %s (before: %s)", s->metric, c->since, c->before);
        break;
    case GB_NIGHT_BACK:
        gb_buf_printf(out, "%s: %s; the nights before were at ", s->metric,
                      gb_history_value_text(s, c->value, now));
        change_text(out, c->reference_change);
        gb_buf_printf(out, " against the reference, %s",
                      gb_history_value_text(s, c->reference, usual));
        break;
    case GB_NIGHT_CREEPING:
        change_text(out, c->reference_change);
        gb_buf_printf(out, " %s against the reference, %s", s->metric,
                      gb_history_value_text(s, c->reference, usual));
        break;
    default:
        stands_out(c, out);
    }
    if ((c->verdict == GB_NIGHT_SLOWER || c->verdict == GB_NIGHT_FASTER) &&
        fabs(c->reference_change - c->shift) >= GB_DRIFT_CHANGE) {
        gb_buf_add(out, "; ");
        change_text(out, c->reference_change);
        gb_buf_printf(out, " against the reference, %s",
                      gb_history_value_text(s, c->reference, usual));
    }
    if (c->environment[0])
        gb_buf_printf(out, "; there: %s", c->environment);
}

static void add_line(const gb_checked *c, bool color, gb_buf *out)
{
    gb_buf_printf(out, "%s%s%s  %s", color ? ink(c->verdict) : "", gb_night_word(c->verdict),
                  color ? "\033[0m" : "", c->series.case_id);
    if (strcmp(c->series.kind, "cpu") == 0)
        gb_buf_add(out, " (cpu)");
    gb_buf_add(out, "\n    ");
    what(c, out);
    gb_buf_add(out, "\n");
    const char *next = gb_night_next(c->verdict);
    if (next[0])
        gb_buf_printf(out, "    next: %s\n", next);
}

gb_code gb_history_report_text(const gb_history_report *report, bool color, gb_buf *out,
                               gb_error *err)
{
    char when[32];
    gb_buf_printf(out, "%s, run %s of %s: %zu series\n", report->suite, report->run,
                  gb_history_time(report->started, when), report->n);
    /* What matters most comes last, where a terminal stops. */
    for (int v = 0; v < GB_NIGHT_VERDICT_COUNT; v++) {
        for (size_t i = 0; worth_a_line((gb_night_verdict)v) && i < report->n; i++) {
            if (report->items[i].verdict == (gb_night_verdict)v)
                add_line(&report->items[i], color, out);
        }
    }
    bool first = true;
    for (int v = 0; v < GB_NIGHT_VERDICT_COUNT; v++) {
        if (report->counts[v] == 0)
            continue;
        gb_buf_printf(out, "%s%zu %s", first ? "" : ", ", report->counts[v],
                      gb_night_word((gb_night_verdict)v));
        first = false;
    }
    gb_buf_add(out, first ? "nothing to judge\n" : "\n");
    if (report->n > 0 && report->counts[GB_NIGHT_YOUNG] == report->n)
        gb_buf_printf(out, "no verdict before %d nights\n", GB_YOUNG_NIGHTS);
    return out->failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for the report") : GB_OK;
}

/* --- JSON ----------------------------------------------------------------------------------------
 */

static json_t *text_or_null(const char *text)
{
    return gb_json_string(text[0] ? text : NULL);
}

static json_t *item_json(const gb_checked *c)
{
    const gb_series *s = &c->series;
    json_t *item = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "case", gb_json_string(s->case_id),
                             "definition", gb_json_string(s->definition), "device",
                             gb_json_string(s->device), "device_kind", gb_json_string(s->kind),
                             "mig", text_or_null(s->mig), "ecc", text_or_null(s->ecc));
    json_t *figures = json_pack(
        "{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:I, s:i, s:i}", "metric", s->metric,
        "unit", s->unit, "better", s->higher_is_better ? "higher" : "lower", "verdict",
        gb_night_word(c->verdict), "regression", gb_night_regressed(c->verdict), "value",
        gb_json_real(c->value), "usual", gb_json_real(c->usual), "change", gb_json_real(c->change),
        "z", gb_json_real(c->z), "night_sd", gb_json_real(c->sd), "nights", (json_int_t)c->nights,
        "repeats", (int)c->repeats, "repeats_agreed", (int)c->agreed);
    json_t *rest = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "repeated", gb_json_real(c->repeated),
        "repeated_change", gb_json_real(c->repeated_change), "since", text_or_null(c->since),
        "before", text_or_null(c->before), "shift", gb_json_real(c->shift), "environment_change",
        text_or_null(c->environment), "reference", gb_json_real(c->reference), "reference_change",
        gb_json_real(c->reference_change), "reason", text_or_null(c->reason), "next",
        text_or_null(gb_night_next(c->verdict)));
    if (!item || !figures || !rest || json_object_update(item, figures) ||
        json_object_update(item, rest)) {
        json_decref(item);
        item = NULL;
    }
    json_decref(figures);
    json_decref(rest);
    return item;
}

gb_code gb_history_report_json(const gb_history_report *report, json_t **out, gb_error *err)
{
    char when[32];
    json_t *counts = json_object(), *items = json_array();
    bool failed = !counts || !items;
    for (int v = 0; !failed && v < GB_NIGHT_VERDICT_COUNT; v++)
        failed = json_object_set_new(counts, gb_night_word((gb_night_verdict)v),
                                     json_integer((json_int_t)report->counts[v])) != 0;
    for (size_t i = 0; !failed && i < report->n; i++)
        failed = json_array_append_new(items, item_json(&report->items[i])) != 0;
    *out = failed ? NULL
                  : json_pack("{s:o, s:s, s:o, s:b, s:O, s:O}", "run", gb_json_string(report->run),
                              "started", gb_history_time(report->started, when), "suite",
                              gb_json_string(report->suite), "regressed",
                              gb_history_regressed(report), "counts", counts, "series", items);
    json_decref(counts);
    json_decref(items);
    return *out ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for the report");
}
