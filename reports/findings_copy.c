/* Findings on copies: from which size on the bandwidth counts, both directions at once, and a link
 * that is not what it could be. */
#include "reports/findings.h"
#include "reports/findings_say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

static bool is_plain(const gb_row *row, const char *direction, const char *memory)
{
    double bytes = 0;
    return gb_row_usable(row, "copy") && gb_row_word_is(row, "direction", direction) &&
           gb_row_word_is(row, "memory", memory) && gb_row_number_is(row, "pieces", 1) &&
           gb_row_number(row, "bytes", &bytes) && bytes > 0;
}

/* A value that may be off by `half` of it to both sides, and more: `error` of the line. */
static gb_interval around(double centre, double half, double error)
{
    const double off = (1 + half) * (1 + error);
    return (gb_interval){.centre = centre, .low = centre / off, .high = centre * off};
}

/* How far a row's time reaches from its centre, as a share of `part` of it. */
static double share_open(const gb_row *row, double part)
{
    gb_interval t;
    return gb_row_interval(row, "time", &t) ? (t.high - t.centre) / part : INFINITY;
}

/* What a line is known to: its latency from the smallest copy, whose time is nearly that, its rate
 * from the largest, and neither better than the line meets its points. */
typedef struct known_fit {
    gb_interval latency, bandwidth, half;
    const gb_row *row; /* one of its points */
} known_fit;

static known_fit know(const gb_fit *fit, const gb_row *least, const gb_row *most)
{
    known_fit out = {.row = most};
    out.latency = around(fit->latency_ns, share_open(least, fit->latency_ns), fit->max_error);
    out.bandwidth =
        around(fit->bandwidth, share_open(most, most->time_ns - fit->latency_ns), fit->max_error);
    out.half = (gb_interval){
        .centre = fit->n_half,
        .low = fit->n_half * out.latency.low / fit->latency_ns * out.bandwidth.low / fit->bandwidth,
        .high =
            fit->n_half * out.latency.high / fit->latency_ns * out.bandwidth.high / fit->bandwidth};
    return out;
}

/* Of one benchmark, so that no curve is made of two: the first that has such copies. */
static bool fit_plain(const gb_view *view, const char *direction, const char *memory,
                      known_fit *out)
{
    gb_fit fit;
    double *bytes = calloc(2 * view->n + 1, sizeof *bytes);
    double *ns = bytes + view->n;
    const gb_row *first = NULL, *least = NULL, *most = NULL;
    double low = INFINITY, high = 0;
    size_t n = 0;
    for (size_t i = 0; bytes != NULL && i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (is_plain(row, direction, memory) &&
            (first == NULL || (strcmp(first->first->benchmark, row->first->benchmark) == 0 &&
                               first->first->timer == row->first->timer &&
                               first->first->cache == row->first->cache))) {
            first = first == NULL ? row : first;
            gb_row_number(row, "bytes", &bytes[n]);
            least = bytes[n] < low ? row : least;
            most = bytes[n] > high ? row : most;
            low = fmin(low, bytes[n]);
            high = fmax(high, bytes[n]);
            ns[n++] = row->time_ns;
        }
    }
    /* The smallest tells the latency, the largest the bandwidth. */
    bool fits = n > 0 && gb_row_firm(least, "time") && gb_row_firm(most, "time") &&
                gb_stats_fit(bytes, ns, n, &fit, NULL) == GB_OK && fit.max_error <= GB_WORST_FIT &&
                fit.latency_ns > 0 && fit.latency_ns < most->time_ns;
    if (fits) {
        *out = know(&fit, least, most);
        fits = isfinite(out->half.low) && out->half.high < 9e18;
    }
    free(bytes);
    return fits;
}

const gb_row *gb_finding_latency_dominates(const gb_view *view, gb_buf *text)
{
    static const struct {
        const char *direction, *memory, *what;
    } curves[] = {{"h2d", "pinned", "Copies to the device from pinned memory"},
                  {"h2d", "pageable", "Copies to the device from pageable memory"},
                  {"d2d", "device", "Copies within the device"}};
    known_fit fit;
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        char latency[96], rate[96], half[96];
        if (!fit_plain(view, curves[i].direction, curves[i].memory, &fit)) {
            continue;
        }
        gb_buf_printf(text, "%s: t = %s + n / %s; below %s latency dominates.", curves[i].what,
                      gb_say_derived(&fit.latency, "ns", latency, sizeof latency),
                      gb_say_derived(&fit.bandwidth, "B/s", rate, sizeof rate),
                      gb_say_derived(&fit.half, "B", half, sizeof half));
        return fit.row;
    }
    return NULL;
}

/* Both directions at once against one, pinned, at the largest size that both have. On a CPU there
 * is no link whose directions could be told apart. */
const gb_row *gb_finding_both_ways(const gb_view *view, gb_buf *text)
{
    const gb_row *both = NULL, *one = NULL;
    double size = 0;
    for (size_t i = 0; !view->cpu && i < view->n; i++) {
        double bytes = 0;
        if (!is_plain(&view->rows[i], "bidirectional", "pinned") ||
            !gb_row_number(&view->rows[i], "bytes", &bytes) || bytes <= size) {
            continue;
        }
        for (size_t j = 0; j < view->n; j++) {
            if (is_plain(&view->rows[j], "h2d", "pinned") &&
                gb_row_number_is(&view->rows[j], "bytes", bytes)) {
                both = &view->rows[i];
                one = &view->rows[j];
                size = bytes;
            }
        }
    }
    if (both == NULL || one == NULL || !gb_rows_differ(view->results, both, one, "bandwidth")) {
        return NULL;
    }
    char bytes[32], together[96], alone[96], factor[96];
    gb_buf_printf(text,
                  "Copying %s both ways at once moves %s, to the device alone %s: both together "
                  "are a factor of %s.",
                  gb_format_bytes((uint64_t)size, bytes, sizeof bytes),
                  gb_say_figure(both, "bandwidth", together, sizeof together),
                  gb_say_figure(one, "bandwidth", alone, sizeof alone),
                  gb_say_ratio(both, one, "bandwidth", 1, 2, factor, sizeof factor));
    return both;
}

/* The most that a reading showed while copies ran; 0: never read. */
static double most_read(const gb_view *view, const char *reading)
{
    double most = 0;
    for (size_t i = 0; i < view->results->n; i++) {
        const gb_record *record = &view->results->records[i];
        if (record->device == view->device && record->status == GB_STATUS_OK &&
            strcmp(record->kernel, "copy") == 0) {
            most = fmax(most, json_number_value(json_object_get(record->telemetry, reading)));
        }
    }
    return most;
}

/* The link under load against the most that device and slot can; an idle link lowers its
 * generation, so that only what was read while copies ran counts, and of that the best. */
const gb_row *gb_finding_link(const gb_view *view, gb_buf *text)
{
    const json_t *facts = gb_view_facts(view);
    const gb_row *copy = NULL;
    const double gen = most_read(view, "pcie_gen"), lanes = most_read(view, "pcie_width");
    const double gen_max = json_number_value(json_object_get(facts, "pcie_gen_max"));
    const double lanes_max = json_number_value(json_object_get(facts, "pcie_width_max"));
    if (view->cpu || !(gen > 0 && lanes > 0) || !(gen < gen_max || lanes < lanes_max)) {
        return NULL;
    }
    for (size_t i = 0; i < view->n && copy == NULL; i++) {
        copy = gb_row_usable(&view->rows[i], "copy") ? &view->rows[i] : NULL;
    }
    if (copy == NULL) {
        return NULL;
    }
    gb_buf_printf(text,
                  "While copies ran, the link was PCIe generation %.0f with %.0f lanes; device and "
                  "slot can do generation %.0f with %.0f: look at the slot, risers and the "
                  "firmware's settings before blaming the device for its copies.",
                  gen, lanes, gen_max, lanes_max);
    return copy;
}
