/* Estimates of rates and times: a transfer, a memory's bandwidth, Amdahl's law. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/estimate.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/estimate.h"

/* --- transfer ------------------------------------------------------------------------------------
 */

/* "4x16": generation and lanes. */
static gb_code read_pcie(const char *text, double *bandwidth, gb_error *err)
{
    static const unsigned widths[] = {1, 2, 4, 8, 12, 16, 32};
    unsigned generation = 0, lanes = 0;
    char again[32];
    if (strlen(text) < 8 && sscanf(text, "%ux%u", &generation, &lanes) == 2) {
        snprintf(again, sizeof again, "%ux%u", generation, lanes);
        for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
            if (widths[i] == lanes && strcmp(again, text) == 0 && generation > 0 &&
                generation <= GB_PCIE_GENERATIONS) {
                *bandwidth = gb_pcie_bandwidth(generation, lanes);
                return GB_OK;
            }
        }
    }
    return gb_fail(err, GB_INVALID,
                   "--pcie: '%s' is no link: write generation (1 to %d), x and lanes (1, 2, 4, 8, "
                   "12, 16 or 32), such as 4x16",
                   text, GB_PCIE_GENERATIONS);
}

static void add_time(gb_sheet *sheet, double latency_ns, double bandwidth, const char *of)
{
    const uint64_t size = sheet->args->size.value;
    const double ns = gb_estimate_copy_ns(size, latency_ns, bandwidth);
    char time[32], latency[32], bytes[32], rate[32];
    gb_format_ns(ns, time, sizeof time);
    gb_sheet_exact_size(size, bytes);
    gb_format_rate(bandwidth, "B/s", rate, sizeof rate);
    if (latency_ns > 0)
        gb_sheet_line(sheet, "time_ns", gb_json_real(ns), "time", time,
                      "latency + size / bandwidth = %s + %s / %s",
                      gb_format_ns(latency_ns, latency, sizeof latency), bytes, rate);
    else
        gb_sheet_line(sheet, "time_ns", gb_json_real(ns), "time", time,
                      "size / bandwidth = %s / %s%s", bytes, rate, of);
}

/* The link's bandwidth, of the options or else of the run's device; NAN: not known. */
static gb_code find_link(const gb_args *args, const gb_measured *rates, double *out, gb_error *err)
{
    *out = args->link.given ? (double)args->link.value : rates->n ? rates->items[0].theory : NAN;
    if (args->link.given && args->pcie)
        return gb_fail(err, GB_INVALID, "--link and --pcie exclude each other");
    if (args->pcie)
        return read_pcie(args->pcie, out, err);
    if (*out > 0 || rates->n)
        return GB_OK;
    if (args->run)
        return gb_fail_at(err, GB_INVALID, args->run, 0, 0,
                          "has no rate of copies between host and device%s%.*s%s (suites/pcie.yaml "
                          "has): give --link or --pcie",
                          rates->why.data ? " (" : "",
                          rates->why.data ? (int)strcspn(rates->why.data, "\n") : 0,
                          rates->why.data ? rates->why.data : "", rates->why.data ? ")" : "");
    return gb_fail(err, GB_INVALID,
                   "--link is missing: a bandwidth, such as 32GB/s, or --pcie "
                   "4x16, or a run that measured copies with --run");
}

/* Leaves out rates of copies that were made in the cache, for a size that does not fit into it. */
static void leave_out_cached(gb_sheet *sheet, gb_measured *rates)
{
    const uint64_t size = sheet->args->size.value;
    char wanted[32], most[32], cache[32];
    size_t kept = 0;
    for (size_t i = 0; i < rates->n; i++) {
        gb_measured_rate *rate = &rates->items[i];
        if (rate->cache == 0 || size <= rate->most || size <= rate->cache / 2) {
            rates->items[kept++] = *rate;
            continue;
        }
        gb_buf_printf(&rates->why,
                      "%s: no rate for %s: copies of at most %s were measured, mostly in the last "
                      "cache (%s), and memory is slower; it takes copies of at least twice that\n",
                      rate->what, gb_sheet_exact_size(size, wanted),
                      gb_format_bytes(rate->most, most, sizeof most),
                      gb_format_bytes(rate->cache, cache, sizeof cache));
        free(rate->what);
        free(rate->from);
    }
    rates->n = kept;
    sheet->failed |= rates->why.failed;
}

gb_code gb_estimate_transfer(gb_sheet *sheet, gb_error *err)
{
    const gb_args *args = sheet->args;
    gb_measured rates = {0};
    double link = NAN;
    if (!args->size.given)
        return gb_fail(err, GB_INVALID, "--size is missing: the bytes to move, such as 64MiB");
    gb_code code = sheet->has_run ? gb_measured_copies(&sheet->run, &rates, err) : GB_OK;
    if (!code) {
        leave_out_cached(sheet, &rates);
        code = find_link(args, &rates, &link, err);
    }
    if (!code && link > 0)
        add_time(sheet, 0, link, args->pcie || args->link.given ? "" : gb_sheet_theory(sheet));
    for (size_t i = 0; !code && i < rates.n; i++) {
        gb_sheet_rate(sheet, &rates.items[i], args->size.value);
        add_time(sheet, rates.items[i].latency_ns, rates.items[i].bandwidth, "");
    }
    gb_sheet_rate(sheet, NULL, 0);
    const char *why = code ? NULL : rates.why.data;
    for (; why && *why; why += strcspn(why, "\n") + 1)
        gb_sheet_note(sheet, "%.*s", (int)strcspn(why, "\n"), why);
    gb_measured_free(&rates);
    return code;
}

/* --- bandwidth -----------------------------------------------------------------------------------
 */

/* The theoretical bandwidth by the options; NAN: none of them was given. */
static gb_code add_theory(gb_sheet *sheet, double *out, gb_error *err)
{
    const gb_args *args = sheet->args;
    const bool any = args->data_rate.given || args->clock.given;
    char shown[32];
    *out = NAN;
    if (args->data_rate.given && args->clock.given)
        return gb_fail(err, GB_INVALID, "--data-rate and --memory-clock exclude each other");
    if (!any && !args->bus_width.given && sheet->has_run)
        return GB_OK;
    if (!any)
        return gb_fail(err, GB_INVALID,
                       "--data-rate is missing: of a pin, such as 14Gbps; or "
                       "--memory-clock, such as 1593MHz");
    if (!args->bus_width.given)
        return gb_fail(err, GB_INVALID, "--bus-width is missing: in bits, such as 256");
    const double bits = args->data_rate.given ? (double)args->data_rate.value
                                              : GB_DOUBLE_DATA_RATE * (double)args->clock.value;
    *out = gb_memory_bandwidth(bits, (double)args->bus_width.value);
    gb_format_rate(*out, "B/s", shown, sizeof shown);
    if (args->data_rate.given)
        gb_sheet_line(sheet, "bandwidth_bytes_per_s", gb_json_real(*out), "bandwidth", shown,
                      "data rate x bus width / 8 = %.10g Gbps x %" PRIu64 " / 8", bits / 1e9,
                      args->bus_width.value);
    else
        gb_sheet_line(sheet, "bandwidth_bytes_per_s", gb_json_real(*out), "bandwidth", shown,
                      "%d x memory clock x bus width / 8 = %d x %.10g MHz x %" PRIu64 " / 8",
                      GB_DOUBLE_DATA_RATE, GB_DOUBLE_DATA_RATE, (double)args->clock.value / 1e6,
                      args->bus_width.value);
    return GB_OK;
}

static void add_measured_bandwidth(gb_sheet *sheet, const gb_measured_rate *rate, double theory)
{
    char shown[32], size[32], of[32];
    gb_sheet_rate(sheet, rate, 0);
    gb_sheet_line(sheet, "bandwidth_bytes_per_s", gb_json_real(rate->bandwidth), "bandwidth",
                  gb_format_rate(rate->bandwidth, "B/s", shown, sizeof shown),
                  "bytes moved / time, over %s", gb_format_bytes(rate->least, size, sizeof size));
    if (!(theory > 0))
        theory = rate->theory;
    if (theory > 0)
        gb_sheet_line(sheet, "of_theory", gb_json_real(rate->bandwidth / theory), "of theory",
                      gb_format_percent(rate->bandwidth / theory, of, sizeof of),
                      "measured / theoretical = %s / %s", shown,
                      gb_format_rate(theory, "B/s", size, sizeof size));
}

gb_code gb_estimate_bandwidth(gb_sheet *sheet, gb_error *err)
{
    gb_measured rates = {0};
    double theory = NAN;
    char shown[32];
    gb_code code = add_theory(sheet, &theory, err);
    if (!code && sheet->has_run)
        code = gb_measured_memory(&sheet->run, &rates, err);
    if (!code && sheet->has_run && !rates.n && !(theory > 0))
        code = gb_fail_at(err, GB_INVALID, sheet->args->run, 0, 0,
                          "has no stream over 4 times the last cache, from which the memory's "
                          "bandwidth is known (suites/memory.yaml has)");
    if (!code && rates.n && !(theory > 0) && rates.items[0].theory > 0)
        gb_sheet_line(sheet, "bandwidth_bytes_per_s", gb_json_real(rates.items[0].theory),
                      "bandwidth",
                      gb_format_rate(rates.items[0].theory, "B/s", shown, sizeof shown),
                      "by its clock and bus width, or its vendor%s", gb_sheet_theory(sheet));
    for (size_t i = 0; !code && i < rates.n; i++)
        add_measured_bandwidth(sheet, &rates.items[i], theory);
    gb_sheet_rate(sheet, NULL, 0);
    if (!code && sheet->has_run && !rates.n)
        gb_sheet_note(sheet, "No measured rate: %s has no stream over 4 times the last cache.",
                      sheet->args->run);
    gb_measured_free(&rates);
    return code;
}

/* --- Amdahl --------------------------------------------------------------------------------------
 */

/* "4.71 x", "10000000000000 x": a factor takes no prefix. */
static const char *factor(double value, char *buf, size_t size)
{
    if (value < 999.5)
        return gb_format_rate(value, "x", buf, size);
    snprintf(buf, size, "%.0f x", value);
    return buf;
}

gb_code gb_estimate_amdahl(gb_sheet *sheet, gb_error *err)
{
    const gb_args *args = sheet->args;
    const double p = args->parallel.value, serial = gb_amdahl_serial(p);
    const double limit = gb_amdahl_limit(p);
    char shown[32], label[64];
    if (!args->parallel.given)
        return gb_fail(err, GB_INVALID,
                       "--parallel is missing: the share of the time that can be spread over "
                       "processors, such as 90%%");
    if (args->processors.given) {
        const double n = (double)args->processors.value, speedup = gb_amdahl(p, n);
        snprintf(label, sizeof label, "speedup on %" PRIu64, args->processors.value);
        gb_sheet_line(sheet, "speedup", gb_json_real(speedup), label,
                      factor(speedup, shown, sizeof shown),
                      "1 / ((1 - P) + P / N) = 1 / (%.15g + %.15g / %.10g)", serial, p, n);
        gb_sheet_line(sheet, "efficiency", gb_json_real(speedup / n), "efficiency",
                      gb_format_percent(speedup / n, shown, sizeof shown),
                      "speedup / N: the share of the processors' time that is used");
    }
    if (isfinite(limit))
        gb_sheet_line(sheet, "limit", gb_json_real(limit), "limit",
                      factor(limit, shown, sizeof shown),
                      "1 / (1 - P) = 1 / %.15g, with any number of processors", serial);
    else
        gb_sheet_line(sheet, "limit", json_null(), "limit", "none",
                      "1 / (1 - P) = 1 / 0: it grows with the processors");
    return GB_OK;
}
