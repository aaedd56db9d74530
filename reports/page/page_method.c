/* How each figure was measured: a table of what was done, and in words what the terms mean. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/parts.h"

static const char *const timer_words[GB_TIMERS] = {
    [GB_TIMER_DEVICE] = "Timer device: two events on the device's own time line around many "
                        "iterations, the work held back until all of it is enqueued (unless a row "
                        "says gate-off): how long the device is busy.",
    [GB_TIMER_ROUNDTRIP] = "Timer roundtrip: the host's clock around enqueuing one iteration and "
                           "waiting for its end: how long a caller waits.",
    [GB_TIMER_CALL] = "Timer call: the host's clock around the call alone, one iteration: what "
                      "starting the work costs the calling thread. The work itself goes on after.",
};

static const char *const cache_words[GB_CACHES] = {
    [GB_CACHE_WARM] = "Cache warm: the iteration is repeated on the same data, so that what fits "
                      "into a cache is served from it (cache-resident says so).",
    [GB_CACHE_COLD] = "Cache cold: a buffer of at least twice the last cache is written before "
                      "each iteration, outside of what is timed; one iteration a sample.",
};

static void range_text(size_t low, size_t high, char *buf, size_t size)
{
    if (low == high) {
        snprintf(buf, size, "%zu", low);
    } else {
        snprintf(buf, size, "%zu to %zu", low, high);
    }
}

typedef struct spread {
    size_t low, high;
} spread;

static void widen(spread *s, size_t value, bool first)
{
    s->low = first || value < s->low ? value : s->low;
    s->high = first || value > s->high ? value : s->high;
}

static void method_row(const gb_group *group, gb_buf *out)
{
    spread samples = {0, 0}, iterations = {0, 0}, replicates = {0, 0};
    uint32_t timers = 0, caches = 0;
    bool any = false, gated = false, open = false;
    for (size_t i = 0; i < group->n; i++) {
        const gb_row *row = group->rows[i];
        for (size_t r = 0; r < row->n; r++) {
            const gb_record *record = row->replicates[r];
            if (record->status != GB_STATUS_OK) {
                continue;
            }
            widen(&samples, record->time.n, !any);
            widen(&iterations, (size_t)record->iterations_per_sample, !any);
            widen(&replicates, row->n_ok, !any);
            timers |= GB_BIT(record->timer);
            caches |= GB_BIT(record->cache);
            gated |= record->gated;
            open |= !record->gated;
            any = true;
        }
    }
    if (!any) {
        return;
    }
    char text[64];
    gb_buf words = {0};
    gb_html_row(out);
    gb_html_cell(out, group->benchmark, NAN, NULL);
    for (int t = 0; t < GB_TIMERS; t++) {
        if ((timers & GB_BIT(t)) != 0) {
            gb_buf_printf(&words, "%s%s", words.length > 0 ? ", " : "", gb_timer_word((gb_timer)t));
        }
    }
    gb_html_cell(out, words.data != NULL ? words.data : "", NAN, NULL);
    gb_buf_free(&words);
    gb_html_cell(out,
                 caches == GB_BIT(GB_CACHE_WARM)   ? "warm"
                 : caches == GB_BIT(GB_CACHE_COLD) ? "cold"
                                                   : "warm, cold",
                 NAN, NULL);
    gb_html_cell(out, gated && open ? "some cases" : gated ? "yes" : "no", NAN, NULL);
    range_text(replicates.low, replicates.high, text, sizeof text);
    gb_html_cell(out, text, (double)replicates.low, "num");
    range_text(samples.low, samples.high, text, sizeof text);
    gb_html_cell(out, text, (double)samples.low, "num");
    range_text(iterations.low, iterations.high, text, sizeof text);
    gb_html_cell(out, text, (double)iterations.low, "num");
    gb_html_row_end(out);
}

static void terms(const gb_sheet *sheet, gb_buf *out)
{
    uint32_t timers = 0, caches = 0;
    for (size_t i = 0; i < sheet->results->n; i++) {
        timers |= GB_BIT(sheet->results->records[i].timer);
        caches |= GB_BIT(sheet->results->records[i].cache);
    }
    for (int t = 0; t < GB_TIMERS; t++) {
        if ((timers & GB_BIT(t)) != 0) {
            gb_html_paragraph(out, NULL, timer_words[t]);
        }
    }
    for (int c = 0; c < GB_CACHES; c++) {
        if ((caches & GB_BIT(c)) != 0) {
            gb_html_paragraph(out, NULL, cache_words[c]);
        }
    }
}

void gb_page_method(const gb_sheet *sheet, gb_buf *out)
{
    static const gb_html_column columns[] = {
        {"benchmark", false},         {"timer", false},     {"cache", false},
        {"held back", false},         {"replicates", true}, {"samples a replicate", true},
        {"iterations a sample", true}};
    gb_html_section(out, "How each figure was measured");
    gb_buf rows = {0};
    for (size_t i = 0; i < sheet->n_groups; i++) {
        method_row(&sheet->groups[i], &rows);
    }
    if (rows.length > 0) {
        gb_html_table(out, "What was taken for each benchmark", columns, 7);
        gb_buf_add(out, rows.data);
        gb_html_table_end(out);
    }
    out->failed |= rows.failed;
    gb_buf_free(&rows);
    gb_html_paragraph(out, NULL,
                      "A time is nanoseconds of one iteration: the median over the samples of a "
                      "replicate, then the geometric centre of the replicates. A replicate is a "
                      "fresh process that goes through all cases in an order of its own.");
    gb_html_paragraph(
        out, NULL,
        "\xc2\xb1 is the 95 % interval between replicates (Student's t on logarithms "
        "of their medians). With one replicate there is none. Two that differ give a "
        "very wide one, since t is 12.7 for two. It is one step of the timer at least.");
    gb_html_paragraph(out, NULL,
                      "p95 and p99 are percentiles of single iterations; they are there only where "
                      "a sample is one iteration and there are at least 20 (p99: 1000) of them.");
    gb_html_paragraph(out, NULL,
                      "Rates are counted work over the median time. Of peak is the share of the "
                      "device's theoretical rate, where that is known: computed from its clocks "
                      "and widths, else as its vendor publishes it. More than 102 % is implausible "
                      "(an error in the measurement or in that rate), or above-peak: a cache "
                      "served part of it.");
    gb_html_paragraph(
        out, NULL,
        "Outputs are checked before and after the timing. A case with a wrong answer, "
        "a failed or a skipped one has no figure here and takes part in no finding, "
        "fit or plot. Nothing is subtracted, no sample is thrown away for being slow.");
    terms(sheet, out);
    gb_html_section_end(out);
}
