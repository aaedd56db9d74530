/* Findings on the kernel serving: up to which rate the slowest requests are answered about as fast
 * as by an idle server, what batches add to the rate that is carried, and what padding costs. */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/units.h"

#define P95 "latency_p95"
/* The lowest rate stands for an idle server up to this share of what is carried there. */
#define IDLE 0.25
#define TWICE 2.0

static const char *const without_rate[] = {"rate", NULL};

/* Rows of one series by growing rate. */
typedef struct sweep {
    const gb_row **rows;
    size_t n;
} sweep;

static double rate_of(const gb_row *row)
{
    return gb_row_param(row, "rate");
}

static bool has_point(const gb_row *row)
{
    return gb_row_usable(row, "serving") && rate_of(row) > 0 && gb_row_value(row, P95) > 0 &&
           gb_row_value(row, "capacity") > 0 && (row->flags & GB_BIT(GB_FLAG_EMULATED)) == 0;
}

static int by_rate(const void *a, const void *b)
{
    const double x = rate_of(*(const gb_row *const *)a), y = rate_of(*(const gb_row *const *)b);
    return (x > y) - (x < y);
}

/* The series that begins with row `first` of the view; empty when an earlier row began it. */
static void collect(const gb_view *view, size_t first, sweep *out)
{
    out->n = 0;
    for (size_t i = 0; i < view->n; i++) {
        if (!has_point(&view->rows[i]) ||
            !gb_rows_alike(&view->rows[i], &view->rows[first], without_rate)) {
            continue;
        }
        if (i < first) {
            out->n = 0;
            return;
        }
        out->rows[out->n++] = &view->rows[i];
    }
    qsort(out->rows, out->n, sizeof out->rows[0], by_rate);
}

/* "Served live, batches of up to 16, waiting up to 1000 us (shape exact)". */
static void say_server(const gb_view *view, const gb_row *row, gb_buf *text)
{
    static const char *const said[] = {"rate", "clock", "batch", "wait_us", "window", NULL};
    const double batch = gb_row_param(row, "batch"), wait = gb_row_param(row, "wait_us");
    gb_buf_add(text,
               gb_row_word_is(row, "clock", "virtual") ? "In virtual time, " : "Served live, ");
    if (batch > 1) {
        gb_buf_printf(text, "batches of up to %.0f", batch);
    } else {
        gb_buf_add(text, "one by one");
    }
    if (wait > 0) {
        gb_buf_printf(text, " that wait up to %.0f us", wait);
    }
    gb_finding_case(view, row, said, text);
}

static gb_code add(const gb_view *view, const gb_row *about, json_t *findings, const char *rule,
                   gb_buf *text, json_t *figures, gb_error *err)
{
    gb_code code = figures != NULL ? gb_finding_add(findings, view, about, rule, text, figures, err)
                                   : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    gb_buf_free(text);
    return code;
}

/* Whether a row's capacity is surely below (`below`) a rate, or surely above it. */
static bool capacity_is(const gb_row *row, bool below, double rate)
{
    gb_interval capacity;
    return gb_row_interval(row, "capacity", &capacity) &&
           (below ? capacity.high <= rate : capacity.low >= rate);
}

/* The last row up to which p95 is surely within twice that of the first, which is row 0 when not
 * even the second is, and the first at which it is surely above; 0: none is. */
static void find_wall(const sweep *s, size_t *within, size_t *above)
{
    *within = *above = 0;
    for (size_t i = 1; i < s->n && *above == 0; i++) {
        gb_interval times;
        if (!gb_rows_ratio(s->rows[i], s->rows[0], P95, 1, &times)) {
            continue;
        }
        if (times.high <= TWICE && *within == i - 1) {
            *within = i;
        }
        if (times.low > TWICE) {
            *above = i;
        }
    }
}

/* serving-limit: the last rate up to which the 95th percentile is within twice that of the lowest
 * rate, where the server is idle most of the time, and the first at which it is beyond. */
static gb_code find_limit(const gb_view *view, const sweep *s, json_t *findings, gb_error *err)
{
    const gb_row *idle = s->rows[0];
    size_t last, first;
    if (s->n < 3 || !capacity_is(idle, false, rate_of(idle) / IDLE)) {
        return GB_OK;
    }
    find_wall(s, &last, &first);
    const gb_row *within = s->rows[last], *above = s->rows[first];
    if (first == 0 || !gb_rows_differ(view->results, idle, above, P95)) {
        return GB_OK;
    }
    char times[96];
    gb_buf text = {0};
    say_server(view, idle, &text);
    gb_buf_printf(&text,
                  ": up to %.0f requests/s p95 stays under 2x that of a server that is nearly idle "
                  "(%.0f/s); at %.0f/s it is %s times that%s.",
                  rate_of(within), rate_of(idle), rate_of(above),
                  gb_say_ratio(above, idle, P95, 1, 1, times, sizeof times),
                  first > last + 1 ? ", and in between noise leaves it open" : "");
    return add(view, idle, findings, "serving-limit", &text,
               json_pack("{s:s, s:f, s:f, s:f, s:f, s:f}", "loop", "open", "idle_rate",
                         rate_of(idle), "idle_p95_ns", gb_row_value(idle, P95), "carried_rate",
                         rate_of(within), "next_rate", rate_of(above), "next_p95_ns",
                         gb_row_value(above, P95)),
               err);
}

/* The row of the same server at the same rate but for `without`, which passes; NULL: none. */
static const gb_row *other(const gb_view *view, const gb_row *row, const char *const without[],
                           bool (*passes)(const gb_row *))
{
    for (size_t i = 0; i < view->n; i++) {
        if (has_point(&view->rows[i]) && passes(&view->rows[i]) &&
            gb_rows_alike(&view->rows[i], row, without)) {
            return &view->rows[i];
        }
    }
    return NULL;
}

static bool is_single(const gb_row *row)
{
    return gb_row_param(row, "batch") == 1 && gb_row_param(row, "wait_us") == 0;
}

static bool is_exact(const gb_row *row)
{
    return gb_row_word_is(row, "shape", "exact");
}

/* serving-batch: what batches carry against batch 1, at the highest rate, where both servers have
 * more to do than they can. */
static gb_code find_batch(const gb_view *view, const sweep *s, json_t *findings, gb_error *err)
{
    static const char *const without[] = {"batch", "wait_us", NULL};
    const gb_row *full = s->rows[s->n - 1];
    const gb_row *single = is_single(full) ? NULL : other(view, full, without, is_single);
    if (single == NULL || gb_row_param(full, "batch") == 1 ||
        !capacity_is(full, true, rate_of(full)) || !capacity_is(single, true, rate_of(single)) ||
        !gb_rows_differ(view->results, full, single, "capacity")) {
        return GB_OK;
    }
    char many[96], one[96], times[96];
    gb_buf text = {0};
    say_server(view, full, &text);
    gb_buf_printf(&text, ": they carry %s times the requests of batch 1 (%s against %s).",
                  gb_say_ratio(full, single, "capacity", 1, 1, times, sizeof times),
                  gb_say_figure(full, "capacity", many, sizeof many),
                  gb_say_figure(single, "capacity", one, sizeof one));
    return add(view, full, findings, "serving-batch", &text,
               json_pack("{s:s, s:f, s:f, s:f, s:f}", "loop", "open", "rate", rate_of(full),
                         "batch", gb_row_param(full, "batch"), "throughput",
                         gb_row_value(full, "capacity"), "single_throughput",
                         gb_row_value(single, "capacity")),
               err);
}

/* serving-padding: the device's time for a request with padding against without, at the lowest
 * rate, where batches are small. */
static gb_code find_padding(const gb_view *view, const sweep *s, json_t *findings, gb_error *err)
{
    static const char *const without[] = {"shape", NULL};
    const gb_row *padded = s->rows[0];
    const gb_row *exact = is_exact(padded) ? NULL : other(view, padded, without, is_exact);
    if (exact == NULL || !gb_rows_differ(view->results, padded, exact, "device_time")) {
        return GB_OK;
    }
    char times[96], with[96], without_it[96];
    const bool bucketed = gb_row_word_is(padded, "shape", "bucketed");
    gb_buf text = {0};
    if (bucketed) {
        gb_buf_add(&text, "Padding each batch to a power of two");
    } else {
        gb_buf_printf(&text, "Padding each batch to %.0f items", gb_row_param(padded, "batch"));
    }
    gb_buf_printf(
        &text,
        " takes %s times the device's time of batches that are computed as they are (%s against "
        "%s a request), at %.0f requests/s.",
        gb_say_ratio(padded, exact, "device_time", 1, 2, times, sizeof times),
        gb_say_figure(padded, "device_time", with, sizeof with),
        gb_say_figure(exact, "device_time", without_it, sizeof without_it), rate_of(padded));
    return add(view, padded, findings, "serving-padding", &text,
               json_pack("{s:s, s:f, s:f, s:f}", "shape", bucketed ? "bucketed" : "padded", "rate",
                         rate_of(padded), "device_ns", gb_row_value(padded, "device_time"),
                         "exact_device_ns", gb_row_value(exact, "device_time")),
               err);
}

gb_code gb_findings_serving(const gb_view *view, json_t *findings, gb_error *err)
{
    static gb_code (*const rules[])(const gb_view *, const sweep *, json_t *,
                                    gb_error *) = {find_limit, find_batch, find_padding};
    sweep s = {.rows = calloc(view->n, sizeof *s.rows)};
    if (s.rows == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    }
    gb_code code = GB_OK;
    for (size_t rule = 0; rule < sizeof rules / sizeof rules[0]; rule++) {
        for (size_t i = 0; i < view->n && code == GB_OK; i++) {
            if (has_point(&view->rows[i])) {
                collect(view, i, &s);
                code = s.n > 0 ? rules[rule](view, &s, findings, err) : GB_OK;
            }
        }
    }
    free(s.rows);
    return code;
}
