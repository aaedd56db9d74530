/* Copies that are left out, or that a small device makes necessary: results that stay on the
 * device, an array larger than the device's buffers, memory that the kernel reaches into. */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static double number(const gb_row *row, const char *param)
{
    double value = 0;
    gb_row_number(row, param, &value);
    return value;
}

static bool same_but_for(const gb_row *a, const gb_row *b, const char *const without[])
{
    char *x = gb_row_key(a, without), *y = gb_row_key(b, without);
    const bool same = x != NULL && y != NULL && strcmp(x, y) == 0;
    free(x);
    free(y);
    return same;
}

/* A chain that stays on the device against round trips: the pair with the most steps. */
const gb_row *gb_finding_residency(const gb_view *view, gb_buf *text)
{
    static const char *const without[] = {"keep", NULL};
    static const char *const said[] = {"keep", "steps", "bytes", NULL};
    const gb_row *kept = NULL, *back = NULL;
    double most = 1;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!gb_row_usable(row, "residency") || !gb_row_word_is(row, "keep", "resident") ||
            !(number(row, "steps") > most)) {
            continue;
        }
        for (size_t k = 0; k < view->n; k++) {
            const gb_row *other = &view->rows[k];
            if (gb_row_usable(other, "residency") && gb_row_word_is(other, "keep", "round-trip") &&
                same_but_for(row, other, without)) {
                kept = row;
                back = other;
                most = number(row, "steps");
            }
        }
    }
    if (kept == NULL || !gb_rows_differ(view->results, kept, back, "time")) {
        return NULL;
    }
    char bytes[32], a[96], b[96], factor[96];
    gb_buf_printf(text, "%.0f steps over %s", most,
                  gb_format_bytes((uint64_t)number(kept, "bytes"), bytes, sizeof bytes));
    gb_finding_case(view, kept, said, text);
    gb_buf_printf(text,
                  ": %s where each result goes to the host and back, %s where results stay on the "
                  "device: a factor of %s.",
                  gb_say_figure(back, "time", a, sizeof a),
                  gb_say_figure(kept, "time", b, sizeof b),
                  gb_say_ratio(back, kept, "time", 1, 2, factor, sizeof factor));
    return kept;
}

/* The fastest case whose array is larger than what its buffers may take. */
static const gb_row *fastest_within_budget(const gb_view *view)
{
    const gb_row *best = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        const double budget = number(row, "device_budget");
        if (gb_row_usable(row, "overlap") && budget > 0 && number(row, "bytes") > budget &&
            (best == NULL || row->time_ns < best->time_ns)) {
            best = row;
        }
    }
    return best;
}

/* An array larger than the device's buffers, in chunks, against the same array whole and at once,
 * in whichever benchmark that was measured. */
const gb_row *gb_finding_budget(const gb_view *view, gb_buf *text)
{
    static const char *const without[] = {"chunks", "streams", "device_budget", NULL};
    static const char *const said[] = {"chunks", "streams", "device_budget", "bytes", NULL};
    const gb_row *cut = fastest_within_budget(view), *whole = NULL;
    for (size_t i = 0; cut != NULL && whole == NULL && i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "overlap") && gb_row_number_is(row, "chunks", 1) &&
            !(number(row, "device_budget") > 0) && same_but_for(row, cut, without)) {
            whole = row;
        }
    }
    const gb_contrast contrast =
        whole == NULL ? GB_CONTRAST_UNKNOWN : gb_rows_contrast(view->results, cut, whole, "time");
    if (contrast == GB_CONTRAST_UNKNOWN) {
        return NULL;
    }
    char bytes[32], budget[32], a[96], b[96], factor[96];
    gb_format_bytes((uint64_t)number(cut, "bytes"), bytes, sizeof bytes);
    gb_buf_add(text, bytes);
    gb_finding_case(view, cut, said, text);
    gb_buf_printf(text,
                  " pass through buffers on the device of at most %s, %.0f in %.0f chunks, in %s; "
                  "whole, with a buffer for all of it, in %s: ",
                  gb_format_bytes((uint64_t)number(cut, "device_budget"), budget, sizeof budget),
                  number(cut, "streams"), number(cut, "chunks"),
                  gb_say_figure(cut, "time", a, sizeof a),
                  gb_say_figure(whole, "time", b, sizeof b));
    if (contrast == GB_CONTRAST_SAME) {
        gb_buf_add(text, "no difference that can be told from noise.");
    } else if (cut->time_ns < whole->time_ns) {
        gb_buf_printf(text, "the chunks are faster by a factor of %s.",
                      gb_say_ratio(whole, cut, "time", 1, 2, factor, sizeof factor));
    } else {
        gb_buf_printf(text, "the chunks are slower by a factor of %s.",
                      gb_say_ratio(cut, whole, "time", 1, 2, factor, sizeof factor));
    }
    return cut;
}

static const char *const ways[] = {"memory", "chunks", "streams", NULL};

/* The fastest row of the job `row` belongs to that has a kind of memory. */
static const gb_row *fastest_by(const gb_view *view, const gb_row *row, const char *memory)
{
    const gb_row *best = NULL;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (gb_row_usable(other, "overlap") && gb_row_word_is(other, "memory", memory) &&
            strcmp(other->first->benchmark, row->first->benchmark) == 0 &&
            same_but_for(other, row, ways) && (best == NULL || other->time_ns < best->time_ns)) {
            best = other;
        }
    }
    return best;
}

/* Whether an earlier row belongs to the same job. */
static bool is_known(const gb_view *view, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_row_usable(row, "overlap") &&
            strcmp(row->first->benchmark, view->rows[at].first->benchmark) == 0 &&
            same_but_for(row, &view->rows[at], ways)) {
            return true;
        }
    }
    return false;
}

static bool say_ways(const gb_view *view, const gb_row *row, gb_buf *text)
{
    static const char *const others[] = {"pageable", "mapped", "managed", "prefetched"};
    static const char *const names[] = {"pageable memory", "memory that the kernel reaches into",
                                        "managed memory", "managed memory sent ahead"};
    static const char *const said[] = {"memory", "chunks",        "streams",
                                       "bytes",  "device_budget", NULL};
    const gb_row *pinned = fastest_by(view, row, "pinned");
    char bytes[32], time[96], factor[96];
    bool any = false;
    for (size_t i = 0; pinned != NULL && i < sizeof others / sizeof others[0]; i++) {
        const gb_row *other = fastest_by(view, row, others[i]);
        if (other == NULL || !gb_rows_differ(view->results, pinned, other, "time")) {
            continue;
        }
        if (!any) {
            gb_buf_add(text,
                       gb_format_bytes((uint64_t)number(pinned, "bytes"), bytes, sizeof bytes));
            gb_finding_case(view, pinned, said, text);
            gb_buf_printf(text,
                          " in, worked on and out take %s through pinned memory (%.0f chunk%s)",
                          gb_say_figure(pinned, "time", time, sizeof time),
                          number(pinned, "chunks"), number(pinned, "chunks") > 1 ? "s" : "");
        }
        any = true;
        gb_buf_printf(text, "; %s by %s, %s times that",
                      gb_say_figure(other, "time", time, sizeof time), names[i],
                      gb_say_ratio(other, pinned, "time", 1, 2, factor, sizeof factor));
    }
    gb_buf_add(text, any ? "." : "");
    return any;
}

gb_code gb_findings_staging(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        const gb_row *row = &view->rows[i];
        gb_buf text = {0};
        if (!view->cpu && gb_row_usable(row, "overlap") && !is_known(view, i) &&
            say_ways(view, row, &text)) {
            code = gb_finding_add(findings, view, row, "copies-or-none", &text, NULL, err);
        }
        gb_buf_free(&text);
    }
    return code;
}
