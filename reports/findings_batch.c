/* The knee of a batch curve: the smallest batch that reaches 90 % of the largest throughput that
 * was measured, where the plateau behind it was seen. docs/methodology.md, "A batch curve, and its
 * knee". */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/units.h"

#define LEAST_POINTS 5 /* a knee among fewer batches would say little */

static const char *const without[] = {"batch", NULL};

/* The rows of one series that have a figure, by batch. */
typedef struct curve {
    const gb_row **rows;
    size_t n;
} curve;

static double batch_of(const gb_row *row)
{
    double batch = NAN;
    gb_row_number(row, "batch", &batch);
    return batch;
}

static double throughput_of(const gb_row *row)
{
    const char *unit;
    bool higher;
    return gb_row_metric(row, "throughput", &unit, &higher);
}

static bool has_point(const gb_row *row)
{
    return gb_row_usable(row, "batch") && batch_of(row) > 0 && throughput_of(row) > 0 &&
           (row->flags & GB_BIT(GB_FLAG_EMULATED)) == 0;
}

static int by_batch(const void *a, const void *b)
{
    const double x = batch_of(*(const gb_row *const *)a), y = batch_of(*(const gb_row *const *)b);
    return (x > y) - (x < y);
}

static bool same_series(const gb_row *a, const gb_row *b)
{
    return gb_rows_alike(a, b, without);
}

/* The series that begins with row `first` of the view; empty when an earlier row began it. */
static void collect(const gb_view *view, size_t first, curve *out)
{
    out->n = 0;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (!has_point(row) || !same_series(row, &view->rows[first])) {
            continue;
        }
        if (i < first) {
            out->n = 0;
            return;
        }
        out->rows[out->n++] = row;
    }
    qsort(out->rows, out->n, sizeof out->rows[0], by_batch);
}

static double p95_of(const gb_summary *time)
{
    return time->p95;
}

static double p99_of(const gb_summary *time)
{
    return time->p99;
}

static double percentile(const gb_row *row, double (*of)(const gb_summary *))
{
    double sum = 0;
    for (size_t i = 0; i < row->n; i++) {
        if (row->replicates[i]->status == GB_STATUS_OK) {
            sum += log(of(&row->replicates[i]->time));
        }
    }
    return row->n_ok > 0 ? exp(sum / (double)row->n_ok) : NAN;
}

double gb_row_p95(const gb_row *row)
{
    return percentile(row, p95_of);
}

double gb_row_p99(const gb_row *row)
{
    return percentile(row, p99_of);
}

static json_t *latency_json(const gb_row *row)
{
    return json_pack("{s:o, s:o, s:o}", "p50", gb_json_real(row->time_ns), "p95",
                     gb_json_real(gb_row_p95(row)), "p99", gb_json_real(gb_row_p99(row)));
}

static json_t *figures(const gb_row *first, const gb_row *knee, const gb_row *peak, bool found)
{
    json_t *params = json_copy(first->first->params);
    json_object_del(params, "batch");
    return json_pack(
        "{s:s, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "loop", "closed", "params",
        params, "share", GB_KNEE_SHARE, "knee_batch",
        found ? gb_json_real(batch_of(knee)) : json_null(), "knee_throughput",
        found ? gb_json_real(throughput_of(knee)) : json_null(), "knee_latency_ns",
        found ? latency_json(knee) : json_null(), "peak_batch", gb_json_real(batch_of(peak)),
        "peak_throughput", gb_json_real(throughput_of(peak)), "smallest_batch",
        gb_json_real(batch_of(first)), "smallest_throughput", gb_json_real(throughput_of(first)),
        "smallest_latency_ns", latency_json(first));
}

static void say_knee(const gb_row *first, const gb_row *knee, const gb_row *peak, gb_buf *text)
{
    char rate[96], best[96], share[96], times[96];
    gb_interval p95;
    gb_buf_printf(text,
                  "batch %.0f is the knee: %s %% of the peak throughput (%s of %s at batch %.0f) "
                  "at %s times the median",
                  batch_of(knee),
                  gb_say_ratio(knee, peak, "throughput", 100, 0, share, sizeof share),
                  gb_say_figure(knee, "throughput", rate, sizeof rate),
                  gb_say_figure(peak, "throughput", best, sizeof best), batch_of(peak),
                  gb_say_ratio(knee, first, "time", 1, 1, times, sizeof times));
    if (gb_rows_ratio(knee, first, "p95", 1, &p95)) {
        gb_buf_printf(text, " and %s times the p95", gb_say_number(&p95, 1, times, sizeof times));
    }
    gb_buf_printf(text, " latency of batch %.0f.", batch_of(first));
}

static void say_falls(const gb_row *peak, const gb_row *falls, gb_buf *text)
{
    char rate[96], less[96], share[96];
    gb_buf_printf(text,
                  "throughput is largest at batch %.0f (%s) and falls to %s %% of that at batch "
                  "%.0f (%s): there is no plateau, and no knee.",
                  batch_of(peak), gb_say_figure(peak, "throughput", rate, sizeof rate),
                  gb_say_ratio(falls, peak, "throughput", 100, 0, share, sizeof share),
                  batch_of(falls), gb_say_figure(falls, "throughput", less, sizeof less));
}

static void say(const gb_view *view, const curve *c, const gb_knee *knee, gb_buf *text)
{
    static const char *const said[] = {"batch", "math", "submit", "memory", NULL};
    const gb_row *first = c->rows[0], *at = c->rows[knee->at], *peak = c->rows[knee->peak];
    char rate[96];
    const char *math = gb_row_word(first, "math"), *submit = gb_row_word(first, "submit"),
               *memory = gb_row_word(first, "memory");
    gb_buf_printf(text, "Closed loop, %s product, %s, %s memory", math != NULL ? math : "-",
                  submit != NULL ? submit : "-", memory != NULL ? memory : "-");
    gb_finding_case(view, first, said, text);
    gb_buf_add(text, ": ");
    if (knee->kind == GB_KNEE_RISES) {
        gb_buf_printf(text,
                      "throughput still rises at batch %.0f (%s), and the largest measured is "
                      "%.0f: the plateau was not seen, the knee may lie beyond.",
                      batch_of(at), gb_say_figure(at, "throughput", rate, sizeof rate),
                      batch_of(c->rows[c->n - 1]));
    } else if (knee->kind == GB_KNEE_FALLS) {
        say_falls(peak, c->rows[knee->falls], text);
    } else if (knee->at == 0) {
        gb_buf_printf(text,
                      "batch %.0f already has %s %% of the peak throughput: a larger one gains "
                      "next to nothing.",
                      batch_of(first),
                      gb_say_ratio(first, peak, "throughput", 100, 0, rate, sizeof rate));
    } else {
        say_knee(first, at, peak, text);
    }
}

/* Whether noise leaves the knee where it is: the largest throughput is known and that of the knee,
 * and no batch before the knee might have the largest too. */
static bool is_clear(const gb_results *results, const gb_row *const rows[], const gb_knee *knee)
{
    if (!gb_row_firm(rows[knee->peak], "throughput") ||
        !gb_row_firm(rows[knee->at], "throughput")) {
        return false;
    }
    for (size_t i = 0; i < knee->at; i++) {
        if (!gb_rows_differ(results, rows[i], rows[knee->peak], "throughput")) {
            return false;
        }
    }
    return true;
}

bool gb_batch_knee(const gb_results *results, const gb_row *const rows[], size_t n, gb_knee *out)
{
    *out = (gb_knee){.kind = GB_KNEE_FOUND};
    if (n < LEAST_POINTS) {
        return false;
    }
    for (size_t i = 1; i < n; i++) {
        out->peak = throughput_of(rows[i]) > throughput_of(rows[out->peak]) ? i : out->peak;
    }
    const double enough = GB_KNEE_SHARE * throughput_of(rows[out->peak]);
    while (throughput_of(rows[out->at]) < enough) {
        out->at++;
    }
    out->falls = out->at;
    while (out->falls < n && throughput_of(rows[out->falls]) >= enough) {
        out->falls++;
    }
    if (!is_clear(results, rows, out)) {
        out->kind = GB_KNEE_UNCLEAR;
    } else if (out->falls < n) {
        out->kind = gb_rows_differ(results, rows[out->falls], rows[out->peak], "throughput")
                        ? GB_KNEE_FALLS
                        : GB_KNEE_UNCLEAR;
    } else if (batch_of(rows[n - 1]) < 2 * batch_of(rows[out->at])) {
        out->kind = GB_KNEE_RISES;
    }
    return true;
}

static gb_code find_knee(const gb_view *view, const curve *c, json_t *findings, gb_error *err)
{
    gb_knee knee;
    if (!gb_batch_knee(view->results, c->rows, c->n, &knee) || knee.kind == GB_KNEE_UNCLEAR) {
        return GB_OK;
    }
    gb_buf text = {0};
    say(view, c, &knee, &text);
    json_t *data =
        figures(c->rows[0], c->rows[knee.at], c->rows[knee.peak], knee.kind == GB_KNEE_FOUND);
    gb_code code = data != NULL
                       ? gb_finding_add(findings, view, c->rows[0], "batch-knee", &text, data, err)
                       : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    gb_buf_free(&text);
    return code;
}

gb_code gb_findings_batch(const gb_view *view, json_t *findings, gb_error *err)
{
    curve c = {.rows = calloc(view->n, sizeof *c.rows)};
    if (c.rows == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    }
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        if (has_point(&view->rows[i])) {
            collect(view, i, &c);
            code = c.n > 0 ? find_knee(view, &c, findings, err) : GB_OK;
        }
    }
    free(c.rows);
    return code;
}
