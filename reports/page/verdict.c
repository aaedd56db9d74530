/* Sentences that report.html and report.md share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/contrast.h"
#include "reports/page/parts.h"

bool gb_row_measured(const gb_row *row)
{
    return row->n_ok > 0;
}

bool gb_row_partly(const gb_row *row)
{
    return row->n_ok > 0 && row->n_ok < row->n;
}

const gb_record *gb_row_culprit(const gb_row *row)
{
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == row->status) {
            return row->replicates[i];
        }
    }
    return row->first;
}

const char *gb_row_reason(const gb_row *row)
{
    const char *reason = gb_row_culprit(row)->reason;
    return reason != NULL ? reason : "no reason recorded";
}

const char *gb_flag_class(gb_flag flag)
{
    switch (flag) {
    case GB_FLAG_IMPLAUSIBLE:
    case GB_FLAG_EMULATED:
        return "bad";
    case GB_FLAG_CACHE_RESIDENT:
    case GB_FLAG_GATE_OFF:
    case GB_FLAG_SLOW_FIRST:
    case GB_FLAG_KERNEL_LIMITED:
        return "dim";
    default:
        return "warn";
    }
}

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* "1 failed, 2 skipped" */
static void say_unmeasured(const gb_sheet *sheet, gb_buf *text)
{
    const gb_tally *tally = &sheet->tally;
    const char *separator = "";
    for (int s = 0; s < GB_STATUSES; s++) {
        size_t n = s == GB_STATUS_OK ? 0 : tally->by_status[s];
        if (n == 0) {
            continue;
        }
        const char *word = s == GB_STATUS_WRONG     ? "gave wrong answers"
                           : s == GB_STATUS_TIMEOUT ? "ran out of time"
                           : s == GB_STATUS_NOT_RUN ? "did not run"
                                                    : gb_status_word((gb_status)s);
        gb_buf_printf(text, "%s%zu %s", separator, n, word);
        separator = ", ";
    }
}

void gb_say_counts(const gb_sheet *sheet, gb_buf *text)
{
    const gb_tally *tally = &sheet->tally;
    size_t good = tally->by_status[GB_STATUS_OK];
    if (tally->rows == 0) {
        gb_buf_add(text, "No case has a record.");
    } else if (good == tally->rows) {
        gb_buf_printf(text, "%s%zu case%s measured, and every answer that was checked was right.",
                      tally->rows > 1 ? "All " : "", tally->rows, plural(tally->rows));
    } else {
        gb_buf_printf(text, "%zu of %zu case%s measured in full; ", good, tally->rows,
                      plural(tally->rows));
        say_unmeasured(sheet, text);
        gb_buf_add(text, ".");
    }
}

bool gb_say_verdict(const gb_sheet *sheet, gb_buf *text)
{
    const gb_tally *tally = &sheet->tally;
    size_t failed = tally->by_status[GB_STATUS_FAILED] + tally->by_status[GB_STATUS_WRONG] +
                    tally->by_status[GB_STATUS_TIMEOUT];
    size_t missed = tally->unmet + tally->unknown;
    bool good = failed == 0 && missed == 0 && tally->measured > 0 &&
                tally->runs_complete == tally->runs && sheet->results->hardware_fault == NULL;
    const char *separator = "";
    gb_buf_add(text, good ? "ok" : "NOT ok: ");
    if (failed > 0) {
        gb_buf_printf(text, "%zu of %zu case%s failed", failed, tally->rows, plural(tally->rows));
        separator = ", ";
    }
    if (missed > 0) {
        gb_buf_printf(text, "%s%zu of %zu expectation%s not met", separator, missed,
                      missed + tally->met, plural(missed + tally->met));
        separator = ", ";
    }
    if (tally->runs_complete < tally->runs) {
        gb_buf_printf(text, "%s%s", separator,
                      tally->runs == 1 ? "the run is not complete" : "not all runs are complete");
        separator = ", ";
    }
    if (sheet->results->hardware_fault != NULL) {
        gb_buf_printf(text, "%shardware fault", separator);
        separator = ", ";
    }
    if (tally->measured == 0) {
        gb_buf_printf(text, "%snothing was measured", separator);
    }
    if (tally->doubtful > 0) {
        gb_buf_printf(text, "%s %zu of %zu figure%s %s doubtful", good ? ", but" : ";",
                      tally->doubtful, tally->measured, plural(tally->measured),
                      tally->doubtful == 1 ? "is" : "are");
    }
    return good;
}

void gb_say_partial(const gb_sheet *sheet, gb_buf *text)
{
    const gb_tally *tally = &sheet->tally;
    size_t excluded = tally->rows - tally->measured;
    if (tally->rows == 0) {
        return;
    }
    if (excluded == tally->rows) {
        gb_buf_printf(text, "No case has a figure (");
        say_unmeasured(sheet, text);
        gb_buf_add(text, ").");
    } else if (excluded > 0) {
        gb_buf_printf(text, "Partial: from the %zu case%s with a figure; %zu excluded (",
                      tally->measured, plural(tally->measured), excluded);
        say_unmeasured(sheet, text);
        gb_buf_add(text, ").");
    }
    if (tally->partly > 0) {
        gb_buf_printf(text, "%s%zu case%s ha%s figures from some of their replicates alone.",
                      text->length > 0 ? " " : "", tally->partly, plural(tally->partly),
                      tally->partly == 1 ? "s" : "ve");
    }
    if (tally->runs_complete < tally->runs) {
        gb_buf_printf(text,
                      "%sPartial: %s did not finish; cases that were never reached have no row.",
                      text->length > 0 ? " " : "", tally->runs == 1 ? "the run" : "a run");
    }
}

void gb_say_no_finding(const gb_sheet *sheet, gb_buf *text)
{
    size_t loose = 0;
    for (size_t i = 0; i < sheet->table.n; i++) {
        const gb_row *row = &sheet->table.rows[i];
        loose += gb_row_measured(row) && !gb_row_firm(row, "time");
    }
    if (sheet->muted.length > 0) {
        gb_buf_printf(text, "Nothing that may be said. %s", sheet->muted.data);
        return;
    }
    gb_buf_add(text, "Nothing that a rule knows of: the cases that findings are computed from are "
                     "not in this run, or have no figure");
    if (loose > 0) {
        gb_buf_printf(text,
                      ", or their differences cannot be told from noise (the times of %zu of %zu "
                      "cases are not known to 10 %%, counting what the samples of a replicate that "
                      "did not settle leave open, which the \xc2\xb1 of the tables does not)",
                      loose, sheet->tally.measured);
    }
    gb_buf_add(text, ".");
}

void gb_say_findings_rule(const gb_sheet *sheet, gb_buf *text)
{
    if (json_array_size(sheet->findings) == 0) {
        return;
    }
    if (sheet->muted.length > 0) {
        gb_buf_printf(text, "%s ", sheet->muted.data);
    }
    gb_report_findings_rule(sheet->findings, "\xc2\xb1", text);
}

void gb_say_subject(const gb_sheet *sheet, gb_buf *text)
{
    if (sheet->tally.runs > 1) {
        gb_buf_printf(text, "%zu runs", sheet->tally.runs);
    } else if (sheet->n_devices > 1) {
        gb_buf_printf(text, "%zu devices", sheet->n_devices);
    } else {
        gb_buf_add(text, gb_results_device_name(sheet->results, 0));
    }
}

/* The texts that the runs have under a key, each once: "a, b". Returns how many. */
static size_t texts_of_runs(const gb_sheet *sheet, const char *object, const char *key,
                            gb_buf *text)
{
    size_t n = 0;
    for (size_t i = 0; i < sheet->tally.runs; i++) {
        const char *own = gb_sheet_text(gb_sheet_run(sheet, i), object, key);
        bool said = own[0] == '\0';
        for (size_t j = 0; j < i && !said; j++) {
            said = strcmp(own, gb_sheet_text(gb_sheet_run(sheet, j), object, key)) == 0;
        }
        if (!said) {
            gb_buf_printf(text, "%s%s", n++ > 0 ? ", " : "", own);
        }
    }
    return n;
}

static void say_tool(const gb_sheet *sheet, gb_buf *text)
{
    gb_buf versions = {0}, git = {0};
    if (texts_of_runs(sheet, "tool", "version", &versions) > 0) {
        gb_buf_printf(text, ", by gpubench %s", versions.data);
    }
    if (texts_of_runs(sheet, "tool", "git", &git) > 0) {
        gb_buf_printf(text, " (%s)", git.data);
    }
    text->failed |= versions.failed || git.failed;
    gb_buf_free(&versions);
    gb_buf_free(&git);
}

/* "Suite quick: 2 runs side by side, the first measured ..." */
static void say_runs(const gb_sheet *sheet, gb_buf *text)
{
    gb_buf suites = {0};
    const char *started = gb_sheet_text(gb_sheet_run(sheet, 0), "run", "started");
    const size_t n = texts_of_runs(sheet, "suite", "name", &suites);
    gb_buf_printf(text, "Suite%s %s: %zu runs side by side", plural(n),
                  suites.data != NULL ? suites.data : "unknown", sheet->tally.runs);
    if (started[0] != '\0') {
        gb_buf_printf(text, ", the first measured %.10s %.5s UTC", started,
                      strlen(started) > 11 ? started + 11 : "");
    }
    text->failed |= suites.failed;
    gb_buf_free(&suites);
}

static void say_run(const gb_sheet *sheet, gb_buf *text)
{
    const json_t *run = gb_sheet_run(sheet, 0);
    const json_t *elapsed = json_object_get(json_object_get(run, "run"), "elapsed_ns");
    const char *started = gb_sheet_text(run, "run", "started");
    char took[32];
    gb_buf_printf(text, "Suite %s on %s, device kind %s", gb_sheet_text(run, "suite", "name"),
                  gb_results_device_name(sheet->results, 0),
                  gb_results_device_kind(sheet->results, 0));
    if (sheet->n_devices > 1) {
        gb_buf_printf(text, ", and %zu further device%s", sheet->n_devices - 1,
                      plural(sheet->n_devices - 1));
    }
    if (started[0] != '\0') {
        gb_buf_printf(text, ", measured %.10s %.5s UTC", started,
                      strlen(started) > 11 ? started + 11 : "");
    }
    if (json_is_number(elapsed)) {
        gb_buf_printf(text, " in %s", gb_format_ns(json_number_value(elapsed), took, sizeof took));
    }
}

void gb_say_what(const gb_sheet *sheet, gb_buf *text)
{
    (sheet->tally.runs > 1 ? say_runs : say_run)(sheet, text);
    say_tool(sheet, text);
    gb_buf_add(text, ".");
}

void gb_say_series(const json_t *fit, gb_buf *text)
{
    const char *param;
    json_t *value;
    json_object_foreach(json_object_get(fit, "params"), param, value)
    {
        if (json_is_string(value)) {
            gb_buf_printf(text, "%s%s", text->length > 0 ? " " : "", json_string_value(value));
        } else if (json_integer_value(value) != 1) {
            gb_buf_printf(text, "%s%s %lld", text->length > 0 ? " " : "", param,
                          (long long)json_integer_value(value));
        }
    }
    gb_buf_add(text, text->length > 0 ? "" : "all");
}

void gb_say_noise(const gb_sheet *sheet, int device, gb_buf *text)
{
    const char *measured;
    char floor[32];
    double noise = gb_sheet_noise(sheet, device, &measured);
    const char *name = gb_results_device_label(sheet->results, device);
    if (isnan(noise)) {
        gb_buf_printf(text,
                      "The noise floor of %s is not known: the command \"gpubench selftest\" finds "
                      "it, and runs "
                      "after that record it. Without it, take no small difference between two runs "
                      "for real.",
                      name);
        return;
    }
    gb_buf_printf(
        text,
        "The noise floor of %s is %s (self-test%s%.10s): two measurements of the same "
        "thing differ by up to that, so a smaller difference cannot be told from nothing.",
        name, gb_format_percent(noise, floor, sizeof floor), measured != NULL ? " of " : "",
        measured != NULL ? measured : "");
}

/* The two groups of the first replicate whose samples are bimodal. */
static void say_modes(const gb_row *row, gb_buf *text)
{
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *r = row->replicates[i];
        char low[32], high[32];
        if ((r->flags & GB_BIT(GB_FLAG_BIMODAL)) != 0 && isfinite(r->time.modes[0]) &&
            isfinite(r->time.modes[1])) {
            gb_buf_printf(text, " (%zu samples at %s, %zu at %s)", r->time.mode_counts[0],
                          gb_format_ns(r->time.modes[0], low, sizeof low), r->time.mode_counts[1],
                          gb_format_ns(r->time.modes[1], high, sizeof high));
            return;
        }
    }
}

void gb_say_notes(const gb_row *row, gb_buf *text)
{
    size_t begin = text->length;
    if (gb_row_partly(row)) {
        gb_buf_printf(text, "%zu of %zu replicates %s", row->n - row->n_ok, row->n,
                      row->status == GB_STATUS_NOT_RUN ? "missing" : gb_status_word(row->status));
    }
    if (gb_row_apart(row)) {
        gb_buf_printf(text, "%s%s", text->length > begin ? ", " : "", GB_APART_WORD);
    }
    if (gb_row_above_peak(row)) {
        gb_buf_printf(text, "%s%s", text->length > begin ? ", " : "", GB_ABOVE_PEAK_WORD);
    }
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        if ((row->flags & GB_BIT(f)) != 0) {
            gb_buf_printf(text, "%s%s", text->length > begin ? ", " : "", gb_flag_word((gb_flag)f));
            if (f == GB_FLAG_BIMODAL) {
                say_modes(row, text);
            }
        }
    }
}
