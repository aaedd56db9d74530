/* Findings: sentences computed from the records by stated rules. A rule looks for the rows it needs
 * and stays silent when one is missing. Each sentence carries its figures. Rules of a kernel of its
 * own stand in findings_NAME.c. */
#include "reports/findings.h"
#include "reports/findings_say.h"
#include "reports/roofs.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

bool gb_row_usable(const gb_row *row, const char *kernel)
{
    return row->n_ok > 0 && row->time_ns > 0 && strcmp(row->first->kernel, kernel) == 0;
}

bool gb_row_word_is(const gb_row *row, const char *param, const char *word)
{
    const char *value = gb_row_word(row, param);
    return value != NULL && strcmp(value, word) == 0;
}

bool gb_row_number_is(const gb_row *row, const char *param, double number)
{
    double value = 0;
    return gb_row_number(row, param, &value) && value == number;
}

bool gb_rows_same_but(const gb_row *a, const gb_row *b, const char *param)
{
    const char *const left_out[] = {param, NULL};
    char *key_a = gb_row_key(a, left_out), *key_b = gb_row_key(b, left_out);
    const bool same = key_a != NULL && key_b != NULL && strcmp(key_a, key_b) == 0 &&
                      a->first->timer == b->first->timer && a->first->cache == b->first->cache &&
                      strcmp(a->first->benchmark, b->first->benchmark) == 0;
    free(key_a);
    free(key_b);
    return same;
}

const json_t *gb_view_facts(const gb_view *view)
{
    return json_array_get(json_object_get(view->results->document, "devices"),
                          view->device < 0 ? 0 : (size_t)view->device);
}

gb_code gb_finding_add(json_t *findings, const gb_view *view, const gb_row *about, const char *rule,
                       const gb_buf *text, json_t *figures, gb_error *err)
{
    json_t *all = figures != NULL ? figures : json_object();
    json_t *finding = text->failed ? NULL
                                   : json_pack("{s:s, s:i, s:s}", "rule", rule, "device",
                                               view->device, "text", text->data);
    bool lost = json_object_set_new(all, "benchmark", gb_json_string(about->first->benchmark)) != 0;
    lost |= json_object_set_new(finding, "figures", all) != 0;
    lost |= json_array_append_new(findings, finding) != 0;
    return lost ? gb_fail(err, GB_NO_MEMORY, "out of memory for a finding") : GB_OK;
}

/* Whether the kernel's rows on the device have several values of a parameter. */
static bool several(const gb_view *view, const gb_row *row, const char *param)
{
    const json_t *own = json_object_get(row->first->params, param);
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (gb_row_usable(other, row->first->kernel) &&
            !json_equal((json_t *)(uintptr_t)own, json_object_get(other->first->params, param))) {
            return true;
        }
    }
    return false;
}

static bool several_timers(const gb_view *view, const gb_row *row)
{
    for (size_t i = 0; i < view->n; i++) {
        if (gb_row_usable(&view->rows[i], row->first->kernel) &&
            view->rows[i].first->timer != row->first->timer) {
            return true;
        }
    }
    return false;
}

static bool among(const char *word, const char *const words[])
{
    for (size_t i = 0; words[i] != NULL; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

void gb_finding_case(const gb_view *view, const gb_row *row, const char *const said[], gb_buf *text)
{
    const char *separator = " (", *param;
    json_t *value;
    json_object_foreach(row->first->params, param, value)
    {
        char shown[64];
        if (among(param, said) || !several(view, row, param)) {
            continue;
        }
        gb_buf_printf(text, "%s%s %s", separator, param,
                      gb_row_param_text(row, param, shown, sizeof shown));
        separator = ", ";
    }
    if (!among("timer", said) && several_timers(view, row)) {
        gb_buf_printf(text, "%stimer %s", separator, gb_timer_word(row->first->timer));
        separator = ", ";
    }
    if (row->first->cache == GB_CACHE_COLD) {
        gb_buf_printf(text, "%scold cache", separator);
        separator = ", ";
    }
    gb_buf_add(text, separator[0] == ',' ? ")" : "");
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
    return gb_row_usable(row, "stream") && gb_row_word_is(row, "op", "read") &&
           (row->flags & GB_BIT(GB_FLAG_CACHE_RESIDENT)) != 0 && bandwidth(row) > 0;
}

static bool is_launch(const gb_row *row)
{
    return gb_row_usable(row, "noop") && gb_row_word_is(row, "what", "kernel") &&
           row->first->timer == GB_TIMER_ROUNDTRIP;
}

static double minus_time(const gb_row *row)
{
    return -row->time_ns;
}

/* One launch (round trip of the empty kernel) against reading 8-byte values from cache. */
static const gb_row *launch_in_cached_reads(const gb_view *view, gb_buf *text)
{
    const gb_row *launch = largest(view, is_launch, minus_time);
    const gb_row *read = largest(view, is_cached_read, bandwidth);
    gb_interval t, b;
    if (launch == NULL || read == NULL || !gb_row_firm(launch, "time") ||
        !gb_row_firm(read, "bandwidth") || !gb_row_interval(launch, "time", &t) ||
        !gb_row_interval(read, "bandwidth", &b)) {
        return NULL;
    }
    char time[96], rate[96], count[96];
    const gb_interval values = {.centre = t.centre * b.centre / 8e9,
                                .low = t.low * b.low / 8e9,
                                .high = t.high * b.high / 8e9};
    gb_buf_printf(text,
                  "Launching one empty kernel and waiting for it takes %s: in that time the device "
                  "reads %s cached 8-byte values (at %s).",
                  gb_say_figure(launch, "time", time, sizeof time),
                  gb_say_number(&values, 0, count, sizeof count),
                  gb_say_figure(read, "bandwidth", rate, sizeof rate));
    return launch;
}

static bool is_plain_h2d(const gb_row *row, const char *memory)
{
    return gb_row_usable(row, "copy") && gb_row_word_is(row, "direction", "h2d") &&
           gb_row_word_is(row, "memory", memory) && gb_row_number_is(row, "pieces", 1) &&
           bandwidth(row) > 0;
}

/* Pinned against pageable at the largest size that both have. */
static const gb_row *pinned_against_pageable(const gb_view *view, gb_buf *text)
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
    if (pinned == NULL || pageable == NULL || view->cpu ||
        !gb_rows_differ(view->results, pinned, pageable, "bandwidth")) {
        return NULL;
    }
    char bytes[32], fast[96], slow[96], factor[96];
    gb_buf_printf(text,
                  "Copying %s to the device runs at %s from pinned and at %s from pageable "
                  "memory: a factor of %s.",
                  gb_format_bytes((uint64_t)size, bytes, sizeof bytes),
                  gb_say_figure(pinned, "bandwidth", fast, sizeof fast),
                  gb_say_figure(pageable, "bandwidth", slow, sizeof slow),
                  gb_say_ratio(pinned, pageable, "bandwidth", 1, 2, factor, sizeof factor));
    return pinned;
}

/* Many small copies against one of the same total: the pair with the most pieces. */
static const gb_row *many_small_copies(const gb_view *view, gb_buf *text)
{
    static const char *const without[] = {"pieces", NULL};
    const gb_row *many = NULL, *one = NULL;
    double most = 1;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        double pieces = 0;
        if (!gb_row_usable(row, "copy") || !gb_row_number(row, "pieces", &pieces) ||
            pieces <= most) {
            continue;
        }
        char *key = gb_row_key(row, without);
        for (size_t j = 0; key != NULL && j < view->n; j++) {
            const gb_row *other = &view->rows[j];
            if (!gb_row_usable(other, "copy") || !gb_row_number_is(other, "pieces", 1) ||
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
    if (many == NULL || one == NULL || !gb_rows_differ(view->results, many, one, "time")) {
        return NULL;
    }
    static const char *const said[] = {"pieces", "bytes", NULL};
    char total[32], small[32], slow[96], fast[96], factor[96];
    double bytes = 0;
    gb_row_number(many, "bytes", &bytes);
    gb_buf_printf(text,
                  "Copying %s in %.0f pieces of %s takes %s, in one piece %s: a factor of "
                  "%s",
                  gb_format_bytes((uint64_t)bytes, total, sizeof total), most,
                  gb_format_bytes((uint64_t)(bytes / most), small, sizeof small),
                  gb_say_figure(many, "time", slow, sizeof slow),
                  gb_say_figure(one, "time", fast, sizeof fast),
                  gb_say_ratio(many, one, "time", 1, 2, factor, sizeof factor));
    gb_finding_case(view, many, said, text);
    gb_buf_add(text, ".");
    return many;
}

static bool is_coalesced(const gb_row *row)
{
    return gb_row_usable(row, "access") && gb_row_word_is(row, "pattern", "coalesced") &&
           bandwidth(row) > 0;
}

static bool is_stride_8(const gb_row *row)
{
    return gb_row_usable(row, "access") && gb_row_word_is(row, "pattern", "strided") &&
           gb_row_number_is(row, "stride", 8) && bandwidth(row) > 0;
}

static bool is_random(const gb_row *row)
{
    return gb_row_usable(row, "access") && gb_row_word_is(row, "pattern", "random") &&
           bandwidth(row) > 0;
}

static double elements(const gb_row *row)
{
    double n = 0;
    gb_row_number(row, "elements", &n);
    return n;
}

/* Orders of access against reading in order, where all read the same number of elements: the
 * largest for which reading in order was measured. */
static const gb_row *order_of_access(const gb_view *view, gb_buf *text)
{
    static const struct {
        bool (*passes)(const gb_row *row);
        const char *what;
    } orders[] = {{is_stride_8, "every 8th one"}, {is_random, "in random order"}};
    const gb_row *straight = largest(view, is_coalesced, elements);
    bool any = false;
    for (size_t i = 0; straight != NULL && i < sizeof orders / sizeof orders[0]; i++) {
        const gb_row *row = largest(view, orders[i].passes, elements);
        char rate[96], factor[96];
        if (row == NULL || elements(row) != elements(straight) ||
            row->first->cache != straight->first->cache ||
            !gb_rows_differ(view->results, row, straight, "bandwidth")) {
            continue;
        }
        if (!any) {
            gb_buf_printf(text, "Reading %.0f 4-byte elements in order yields %s of useful data",
                          elements(straight),
                          gb_say_figure(straight, "bandwidth", rate, sizeof rate));
        }
        any = true;
        gb_buf_printf(text, "; %s %s, a factor of %s", orders[i].what,
                      gb_say_figure(row, "bandwidth", rate, sizeof rate),
                      gb_say_ratio(straight, row, "bandwidth", 1, 2, factor, sizeof factor));
    }
    gb_buf_add(text, any ? "." : "");
    return any ? straight : NULL;
}

/* The most telling first: a table shows the first three that have their figures. */
static const struct {
    const char *name;
    gb_rule rule;
} rules[] = {
    {"launch-in-cached-reads", launch_in_cached_reads},
    {"order-of-access", order_of_access},
    {"pinned-against-pageable", pinned_against_pageable},
    {"many-small-copies", many_small_copies},
    {"latency-dominates", gb_finding_latency_dominates},
    {"both-ways", gb_finding_both_ways},
    {"link-below-maximum", gb_finding_link},
    {"stride-waste", gb_finding_stride_waste},
    {"cache-against-memory", gb_finding_cache_against_memory},
    {"transpose-tiles", gb_finding_transpose},
    {"bank-conflicts", gb_finding_bank},
    {"launch", gb_finding_launch},
    {"many-launches", gb_finding_steps},
    {"graph-break-even", gb_finding_break_even},
    {"residency", gb_finding_residency},
    {"larger-than-the-device", gb_finding_budget},
    {"ridge", gb_finding_ridge},
    {"memory-bound", gb_finding_memory_bound},
    {"type-rates", gb_finding_type_rates},
    {"operation-prices", gb_finding_operation_prices},
    {"operations-in-flight", gb_finding_in_flight},
    {"tensor-units", gb_finding_tensor_units},
    {"tiled-product", gb_finding_tiled_product},
    {"vendor-product", gb_finding_vendor_product},
    {"tensor-product", gb_finding_tensor_product},
    {"search-batch", gb_finding_search_batch},
    {"gathered-rows", gb_finding_gathered_rows},
};

/* Rules that append their findings themselves. */
static gb_code (*const series_rules[])(const gb_view *view, json_t *findings, gb_error *err) = {
    gb_findings_batch,   gb_findings_divergence, gb_findings_serving,   gb_findings_overlap,
    gb_findings_staging, gb_findings_startup,    gb_findings_stability, gb_findings_pipeline,
    gb_findings_atomics, gb_findings_occupancy,  gb_findings_decode,    gb_findings_chase,
    gb_findings_rows,
};

static gb_code apply(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0] && code == GB_OK; i++) {
        gb_buf text = {0};
        const gb_row *about = rules[i].rule(view, &text);
        if (about != NULL) {
            code = gb_finding_add(findings, view, about, rules[i].name, &text, NULL, err);
        }
        gb_buf_free(&text);
    }
    for (size_t i = 0; i < sizeof series_rules / sizeof series_rules[0] && code == GB_OK; i++) {
        code = series_rules[i](view, findings, err);
    }
    return code;
}

gb_code gb_report_findings(const gb_results *results, json_t **out, gb_error *err)
{
    gb_table table;
    *out = NULL;
    gb_code code = gb_table_make(results, &table, err);
    if (code != GB_OK) {
        return code;
    }
    gb_roofs_flag(results, &table);
    json_t *findings = json_array();
    if (findings == NULL) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    }
    gb_view *views = calloc(table.n + 1, sizeof *views); /* of each device */
    size_t n_views = 0;
    if (views == NULL && code == GB_OK) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    }
    for (size_t first = 0, end; first < table.n && code == GB_OK; first = end) {
        int device = table.rows[first].first->device;
        for (end = first; end < table.n && table.rows[end].first->device == device;) {
            end++;
        }
        gb_view view = {
            .results = results, .device = device, .rows = &table.rows[first], .n = end - first};
        view.cpu = strcmp(gb_results_device_kind(results, device), "cpu") == 0;
        code = apply(&view, findings, err);
        views[n_views++] = view;
    }
    if (code == GB_OK) {
        code = gb_findings_crossover(views, n_views, findings, err);
    }
    free(views);
    gb_table_free(&table);
    if (code != GB_OK) {
        json_decref(findings);
        return code;
    }
    *out = findings;
    return GB_OK;
}
