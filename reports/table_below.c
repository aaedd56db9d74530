/* What stands below the tables: fits, findings, what the flags mean, how it went. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/grid.h"
#include "reports/table_parts.h"

bool gb_row_incomplete(const gb_row *row)
{
    return row->status == GB_STATUS_NOT_RUN && row->n_ok > 0;
}

void gb_table_fits_lines(const json_t *fits, int device, const char *benchmark, gb_buf *out)
{
    size_t i;
    json_t *fit;
    json_array_foreach(fits, i, fit)
    {
        const char *name = json_string_value(json_object_get(fit, "benchmark"));
        if (name == NULL || strcmp(name, benchmark) != 0 ||
            json_integer_value(json_object_get(fit, "device")) != device) {
            continue;
        }
        char latency[32], rate[32], half[32], error[32];
        gb_buf series = {0};
        const char *param;
        json_t *value;
        json_object_foreach(json_object_get(fit, "params"), param, value)
        {
            if (json_is_string(value)) {
                gb_buf_printf(&series, "%s ", json_string_value(value));
            } else if (json_integer_value(value) != 1) {
                gb_buf_printf(&series, "%s=%lld ", param, (long long)json_integer_value(value));
            }
        }
        if (series.length > 0) {
            series.data[series.length - 1] = '\0';
        }
        const char *name_shown = series.length > 0 ? series.data : benchmark;
        const char *why = json_string_value(json_object_get(fit, "reason"));
        if (why != NULL) {
            gb_buf_printf(out, "  no fit %s: %s\n", name_shown, why);
        } else {
            gb_buf_printf(
                out, "  fit %s: t = %s + n / %s; half of that rate at %s; worst point off by %s\n",
                name_shown,
                gb_format_ns(json_number_value(json_object_get(fit, "latency_ns")), latency, 32),
                gb_format_rate(json_number_value(json_object_get(fit, "bandwidth")), "B/s", rate,
                               32),
                gb_format_bytes((uint64_t)json_number_value(json_object_get(fit, "n_half")), half,
                                32),
                gb_format_percent(json_number_value(json_object_get(fit, "max_error")), error, 32));
        }
        gb_buf_free(&series);
    }
}

/* The first findings, and all of those that are the answer to a suite's question, one a job. */
#define SHOWN 3
static bool is_shown(const json_t *finding, size_t before)
{
    const char *rule = json_string_value(json_object_get(finding, "rule"));
    return before < SHOWN || (rule != NULL && strcmp(rule, "crossover") == 0);
}

void gb_table_findings_lines(const json_t *findings, int device, bool color, gb_buf *out)
{
    size_t i, shown = 0;
    json_t *finding;
    json_array_foreach(findings, i, finding)
    {
        if (json_integer_value(json_object_get(finding, "device")) != device ||
            !is_shown(finding, shown)) {
            continue;
        }
        if (shown++ == 0) {
            gb_buf_add(out, "\n");
            gb_ink_add(out, GB_BOLD, color, "What to remember\n");
        }
        gb_buf_printf(out, "  %zu. %s\n", shown,
                      json_string_value(json_object_get(finding, "text")));
    }
}

static size_t flagged_rows(const gb_table *table, gb_flag flag)
{
    size_t n = 0;
    for (size_t i = 0; i < table->n; i++) {
        n += (table->rows[i].flags & GB_BIT(flag)) != 0;
    }
    return n;
}

/* What rows are without a flag of their records. */
static void say_rows(const gb_table *table, bool (*is)(const gb_row *), const char *word,
                     const char *meaning, bool color, gb_buf *out)
{
    size_t n = 0;
    for (size_t i = 0; i < table->n; i++) {
        n += is(&table->rows[i]);
    }
    if (n > 0) {
        gb_ink_add(out, GB_YELLOW, color, word);
        gb_buf_printf(out, " (%zu case%s): %s.\n", n, n == 1 ? "" : "s", meaning);
    }
}

/* Of several runs the sum, where all of them say it. */
static void say_elapsed(const gb_results *results, gb_buf *out)
{
    const json_t *runs = json_object_get(results->document, "runs");
    const size_t n = json_array_size(runs);
    double sum = 0;
    char text[32];
    for (size_t i = 0; i < (n > 0 ? n : 1); i++) {
        const json_t *run = n > 0 ? json_array_get(runs, i) : results->document;
        const json_t *elapsed = json_object_get(json_object_get(run, "run"), "elapsed_ns");
        if (!json_is_number(elapsed)) {
            return;
        }
        sum += json_number_value(elapsed);
    }
    gb_format_ns(sum, text, sizeof text);
    if (n > 1) {
        gb_buf_printf(out, "; the %zu runs took %s", n, text);
    } else {
        gb_buf_printf(out, "; took %s", text);
    }
}

void gb_table_summary(const gb_results *results, const gb_table *table, bool color, gb_buf *out)
{
    size_t counts[GB_STATUSES] = {0}, partly = 0, missing = 0;
    for (size_t i = 0; i < table->n; i++) {
        if (gb_row_incomplete(&table->rows[i])) {
            partly++;
            missing += table->rows[i].n - table->rows[i].n_ok;
        } else {
            counts[table->rows[i].status]++;
        }
    }
    gb_buf_add(out, "\n+- is the 95 % interval between replicates (fresh processes).\n");
    for (int f = 0; f < GB_FLAG_COUNT; f++) {
        const size_t flagged = flagged_rows(table, (gb_flag)f);
        if (flagged > 0) {
            gb_ink_add(out, GB_YELLOW, color, gb_flag_word((gb_flag)f));
            gb_buf_printf(out, " (%zu case%s): %s.\n", flagged, flagged == 1 ? "" : "s",
                          gb_flag_meaning((gb_flag)f));
        }
    }
    say_rows(table, gb_row_apart, GB_APART_WORD, GB_APART_MEANING, color, out);
    say_rows(table, gb_row_above_peak, GB_ABOVE_PEAK_WORD, GB_ABOVE_PEAK_MEANING, color, out);
    gb_buf_printf(out, table->n > 0 ? "%zu case%s:" : "%zu case%s, as there is no record", table->n,
                  table->n == 1 ? "" : "s");
    const char *separator = " ";
    for (int s = 0; s < GB_STATUSES; s++) {
        if (counts[s] > 0) {
            gb_buf_printf(out, "%s%zu %s", separator, counts[s], gb_status_word((gb_status)s));
            separator = ", ";
        }
    }
    if (partly > 0) {
        gb_buf_printf(out, "%s%zu incomplete (%zu replicate%s missing)", separator, partly, missing,
                      missing == 1 ? "" : "s");
    }
    say_elapsed(results, out);
    gb_buf_add(out, results->complete ? ".\n" : ". The run is not complete.\n");
    if (results->hardware_fault != NULL) {
        char *text = gb_text_printable(results->hardware_fault);
        gb_ink_add(out, GB_RED, color, "hardware fault");
        gb_buf_printf(out, ": %s. This run cannot serve as a baseline.\n", text ? text : "");
        free(text);
    }
}
