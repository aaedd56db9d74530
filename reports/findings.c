/* Findings: sentences computed from the records by stated rules. A rule looks for the rows it needs
 * and stays silent when one is missing. Each sentence carries its figures. */
#include "reports/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

/* What a rule sees: the rows of one device. */
typedef struct gb_view {
    const gb_row *rows;
    size_t n;
} gb_view;

typedef bool (*gb_rule)(const gb_view *view, gb_buf *text);

static bool usable(const gb_row *row, const char *kernel)
{
    return row->n_ok > 0 && row->time_ns > 0 && strcmp(row->first->kernel, kernel) == 0;
}

static bool word_is(const gb_row *row, const char *param, const char *word)
{
    const char *value = gb_row_word(row, param);
    return value != NULL && strcmp(value, word) == 0;
}

static bool number_is(const gb_row *row, const char *param, double number)
{
    double value = 0;
    return gb_row_number(row, param, &value) && value == number;
}

static double bandwidth(const gb_row *row)
{
    const char *unit;
    bool higher;
    return gb_row_metric(row, "bandwidth", &unit, &higher);
}

/* The row for which `better(candidate, best)` holds against all others; NULL: none passes. */
static const gb_row *largest(const gb_view *view, bool (*passes)(const gb_row *),
                             double (*key)(const gb_row *))
{
    const gb_row *best = NULL;
    for (size_t i = 0; i < view->n; i++) {
        if (passes(&view->rows[i]) && (best == NULL || key(&view->rows[i]) > key(best))) {
            best = &view->rows[i];
        }
    }
    return best;
}

static bool is_cached_read(const gb_row *row)
{
    return usable(row, "stream") && word_is(row, "op", "read") &&
           (row->flags & GB_BIT(GB_FLAG_CACHE_RESIDENT)) != 0 && bandwidth(row) > 0;
}

static bool is_launch(const gb_row *row)
{
    return usable(row, "noop") && word_is(row, "what", "kernel") &&
           row->first->timer == GB_TIMER_ROUNDTRIP;
}

static double minus_time(const gb_row *row)
{
    return -row->time_ns;
}

/* One launch (round trip of the empty kernel) against reading 8-byte values from cache. */
static bool launch_in_cached_reads(const gb_view *view, gb_buf *text)
{
    const gb_row *launch = largest(view, is_launch, minus_time);
    const gb_row *read = largest(view, is_cached_read, bandwidth);
    if (launch == NULL || read == NULL) {
        return false;
    }
    char time[32], rate[32];
    double values = launch->time_ns * 1e-9 * bandwidth(read) / 8;
    gb_buf_printf(text,
                  "Launching one empty kernel and waiting for it takes %s: in that time the device "
                  "reads %.0f cached 8-byte values (at %s).",
                  gb_format_ns(launch->time_ns, time, sizeof time), values,
                  gb_format_rate(bandwidth(read), "B/s", rate, sizeof rate));
    return true;
}

static bool is_plain_h2d(const gb_row *row, const char *memory)
{
    return usable(row, "copy") && word_is(row, "direction", "h2d") &&
           word_is(row, "memory", memory) && number_is(row, "pieces", 1) && bandwidth(row) > 0;
}

/* Pinned against pageable at the largest size that both have. */
static bool pinned_against_pageable(const gb_view *view, gb_buf *text)
{
    const gb_row *pinned = NULL, *pageable = NULL;
    double size = 0;
    for (size_t i = 0; i < view->n; i++) {
        for (size_t j = 0; is_plain_h2d(&view->rows[i], "pinned") && j < view->n; j++) {
            double a = 0, b = 0;
            if (is_plain_h2d(&view->rows[j], "pageable") &&
                gb_row_number(&view->rows[i], "bytes", &a) &&
                gb_row_number(&view->rows[j], "bytes", &b) && a == b && a > size) {
                size = a;
                pinned = &view->rows[i];
                pageable = &view->rows[j];
            }
        }
    }
    if (pinned == NULL || pageable == NULL) {
        return false;
    }
    char bytes[32], fast[32], slow[32];
    gb_buf_printf(text,
                  "Copying %s to the device runs at %s from pinned and at %s from pageable "
                  "memory: a factor of %.2f.",
                  gb_format_bytes((uint64_t)size, bytes, sizeof bytes),
                  gb_format_rate(bandwidth(pinned), "B/s", fast, sizeof fast),
                  gb_format_rate(bandwidth(pageable), "B/s", slow, sizeof slow),
                  bandwidth(pinned) / bandwidth(pageable));
    return true;
}

/* Many small copies against one of the same total: the pair with the most pieces. */
static bool many_small_copies(const gb_view *view, gb_buf *text)
{
    static const char *const without[] = {"pieces", NULL};
    const gb_row *many = NULL, *one = NULL;
    double most = 1;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        double pieces = 0;
        if (!usable(row, "copy") || !gb_row_number(row, "pieces", &pieces) || pieces <= most) {
            continue;
        }
        char *key = gb_row_key(row, without);
        for (size_t j = 0; key != NULL && j < view->n; j++) {
            const gb_row *other = &view->rows[j];
            if (!usable(other, "copy") || !number_is(other, "pieces", 1) ||
                strcmp(other->first->benchmark, row->first->benchmark) != 0) {
                continue;
            }
            char *other_key = gb_row_key(other, without);
            if (other_key != NULL && strcmp(key, other_key) == 0) {
                many = row;
                one = other;
                most = pieces;
            }
            free(other_key);
        }
        free(key);
    }
    if (many == NULL || one == NULL) {
        return false;
    }
    char total[32], small[32], slow[32], fast[32];
    double bytes = 0;
    gb_row_number(many, "bytes", &bytes);
    gb_buf_printf(text,
                  "Copying %s in %.0f pieces of %s takes %s, in one piece %s: a factor of "
                  "%.2f.",
                  gb_format_bytes((uint64_t)bytes, total, sizeof total), most,
                  gb_format_bytes((uint64_t)(bytes / most), small, sizeof small),
                  gb_format_ns(many->time_ns, slow, sizeof slow),
                  gb_format_ns(one->time_ns, fast, sizeof fast), many->time_ns / one->time_ns);
    return true;
}

static bool is_coalesced(const gb_row *row)
{
    return usable(row, "access") && word_is(row, "pattern", "coalesced") && bandwidth(row) > 0;
}

static bool is_stride_8(const gb_row *row)
{
    return usable(row, "access") && word_is(row, "pattern", "strided") &&
           number_is(row, "stride", 8) && bandwidth(row) > 0;
}

static bool is_random(const gb_row *row)
{
    return usable(row, "access") && word_is(row, "pattern", "random") && bandwidth(row) > 0;
}

/* A pattern against reading in order, with the same number of elements when there is a choice. */
static bool against_coalesced(const gb_view *view, bool (*passes)(const gb_row *), const char *what,
                              gb_buf *text)
{
    const gb_row *pattern = largest(view, passes, bandwidth);
    const gb_row *straight = largest(view, is_coalesced, bandwidth);
    if (pattern == NULL || straight == NULL) {
        return false;
    }
    char fast[32], slow[32];
    gb_buf_printf(text, "Reading %s yields %s of useful data, in order %s: %.1f times less.", what,
                  gb_format_rate(bandwidth(pattern), "B/s", slow, sizeof slow),
                  gb_format_rate(bandwidth(straight), "B/s", fast, sizeof fast),
                  bandwidth(straight) / bandwidth(pattern));
    return true;
}

static bool stride_8(const gb_view *view, gb_buf *text)
{
    return against_coalesced(view, is_stride_8, "every 8th 4-byte element", text);
}

static bool random_order(const gb_view *view, gb_buf *text)
{
    return against_coalesced(view, is_random, "4-byte elements in random order", text);
}

static const struct {
    const char *name;
    gb_rule rule;
} rules[] = {
    {"launch-in-cached-reads", launch_in_cached_reads},
    {"pinned-against-pageable", pinned_against_pageable},
    {"many-small-copies", many_small_copies},
    {"stride-8", stride_8},
    {"random-order", random_order},
};

gb_code gb_report_findings(const gb_results *results, json_t **out, gb_error *err)
{
    gb_table table;
    *out = NULL;
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    json_t *findings = json_array();
    for (size_t first = 0, end; first < table.n && findings != NULL; first = end) {
        int device = table.rows[first].first->device;
        for (end = first; end < table.n && table.rows[end].first->device == device;) {
            end++;
        }
        gb_view view = {&table.rows[first], end - first};
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
            gb_buf text = {0};
            if (rules[i].rule(&view, &text) && !text.failed) {
                json_array_append_new(findings, json_pack("{s:s, s:i, s:s}", "rule", rules[i].name,
                                                          "device", device, "text", text.data));
            }
            gb_buf_free(&text);
        }
    }
    gb_table_free(&table);
    *out = findings;
    return findings != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
}
