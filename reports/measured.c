#include "reports/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/estimate.h"
#include "reports/contrast.h"
#include "reports/roofs.h"

void gb_measured_free(gb_measured *measured)
{
    for (size_t i = 0; i < measured->n; i++) {
        free(measured->items[i].what);
        free(measured->items[i].from);
    }
    free(measured->items);
    gb_buf_free(&measured->why);
    *measured = (gb_measured){0};
}

/* Takes `what` and `from`. */
static gb_code add(gb_measured *out, const gb_measured_rate *rate, gb_error *err)
{
    gb_measured_rate *more = realloc(out->items, (out->n + 1) * sizeof *more);
    if (more != NULL) {
        out->items = more;
        out->items[out->n] = *rate;
    }
    if (more == NULL || rate->what == NULL || rate->from == NULL) {
        free(rate->what);
        free(rate->from);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for the measured rates");
    }
    out->n++;
    return GB_OK;
}

static const char *word(const json_t *params, const char *key)
{
    const char *value = json_string_value(json_object_get(params, key));
    return value != NULL ? value : "";
}

/* Over the link, and no piecewise copy, whose latency is that of many. */
static bool over_link(const json_t *params)
{
    const json_t *pieces = json_object_get(params, "pieces");
    const char *direction = word(params, "direction");
    return (strcmp(direction, "h2d") == 0 || strcmp(direction, "d2h") == 0) &&
           (pieces == NULL || json_integer_value(pieces) == 1);
}

static double fact(const gb_results *results, int device, const char *key)
{
    const json_t *devices = json_object_get(results->document, "devices");
    return json_number_value(json_object_get(json_array_get(devices, (size_t)device), key));
}

/* What the device and its slot can do at most. */
static double link_theory(const gb_results *results, int device)
{
    return gb_pcie_bandwidth((unsigned)fact(results, device, "pcie_gen_max"),
                             (unsigned)fact(results, device, "pcie_width_max"));
}

/* The last cache of a cpu, where the largest copy, which reads `most` bytes and writes them, is not
 * far beyond it; 0 otherwise. */
static uint64_t cache_of(const gb_results *results, const gb_measured_rate *rate)
{
    const double llc = fact(results, rate->device, "llc_bytes");
    const bool cpu = strcmp(gb_results_device_kind(results, rate->device), "cpu") == 0;
    return cpu && 2 * (double)rate->most < GB_BEYOND_CACHE * llc ? (uint64_t)llc : 0;
}

/* The sizes of the curve that a fit is of. */
static void find_range(const gb_table *table, const json_t *fit, gb_measured_rate *rate)
{
    static const char *const without[] = {"bytes", NULL};
    const char *benchmark = json_string_value(json_object_get(fit, "benchmark"));
    char *wanted = json_dumps(json_object_get(fit, "params"), JSON_COMPACT | JSON_SORT_KEYS);
    rate->least = UINT64_MAX;
    for (size_t i = 0; wanted != NULL && i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        double bytes = 0;
        char *key = gb_row_key(row, without);
        if (key != NULL && row->n_ok > 0 && row->first->device == rate->device &&
            strcmp(row->first->benchmark, benchmark) == 0 && strcmp(key, wanted) == 0 &&
            gb_row_number(row, "bytes", &bytes)) {
            rate->least = (uint64_t)fmin((double)rate->least, bytes);
            rate->most = (uint64_t)fmax((double)rate->most, bytes);
        }
        free(key);
    }
    free(wanted);
}

static gb_code add_fit(const gb_results *results, const gb_table *table, const json_t *fit,
                       gb_measured *out, gb_error *err)
{
    const json_t *params = json_object_get(fit, "params");
    const char *why = json_string_value(json_object_get(fit, "reason"));
    const char *benchmark = json_string_value(json_object_get(fit, "benchmark"));
    const char *direction = word(params, "direction"), *memory = word(params, "memory");
    if (!over_link(params)) {
        return GB_OK;
    }
    if (why != NULL) {
        char *name = gb_text_printable(benchmark); /* a line stays a line */
        gb_buf_printf(&out->why, "no fit of %s, %s %s: %s\n", name != NULL ? name : "?", direction,
                      memory, why);
        free(name);
        return GB_OK;
    }
    gb_measured_rate rate = {
        .what = gb_text_format("%s %s", direction, memory),
        .from = gb_text_format("fit of benchmark %s", benchmark),
        .device = (int)json_integer_value(json_object_get(fit, "device")),
        .latency_ns = json_number_value(json_object_get(fit, "latency_ns")),
        .bandwidth = json_number_value(json_object_get(fit, "bandwidth")),
        .off = json_number_value(json_object_get(fit, "max_error")),
    };
    rate.theory = link_theory(results, rate.device);
    find_range(table, fit, &rate);
    rate.cache = cache_of(results, &rate);
    return add(out, &rate, err);
}

gb_code gb_measured_copies(const gb_results *results, gb_measured *out, gb_error *err)
{
    gb_table table = {0};
    json_t *fits = NULL;
    *out = (gb_measured){0};
    gb_code code = gb_table_make(results, &table, err);
    if (code == GB_OK) {
        code = gb_report_fits(results, &fits, err);
    }
    for (size_t i = 0; code == GB_OK && i < json_array_size(fits); i++) {
        code = add_fit(results, &table, json_array_get(fits, i), out, err);
    }
    json_decref(fits);
    gb_table_free(&table);
    if (code != GB_OK) {
        gb_measured_free(out);
    }
    return code;
}

static gb_code add_memory(const gb_results *results, const gb_table *table, int device,
                          gb_measured *out, gb_error *err)
{
    gb_roofs roofs;
    gb_interval interval;
    gb_roofs_find(results, table->rows, table->n, device, GB_COMPUTE_NONE, &roofs);
    if (!(roofs.memory > 0)) {
        return GB_OK;
    }
    const gb_row *row = roofs.memory_row;
    const bool known = gb_row_interval(row, "bandwidth", &interval);
    const char *op = gb_row_word(row, "op");
    gb_measured_rate rate = {
        .what = gb_text_copy(op != NULL ? op : ""),
        .from = gb_text_copy(row->first->case_id),
        .device = device,
        .bandwidth = roofs.memory,
        .theory = roofs.theory_memory,
        .off = known ? (interval.high - interval.low) / (2 * interval.centre) : NAN,
        .least = row->first->work.working_set,
        .most = row->first->work.working_set,
    };
    return add(out, &rate, err);
}

gb_code gb_measured_memory(const gb_results *results, gb_measured *out, gb_error *err)
{
    gb_table table = {0};
    *out = (gb_measured){0};
    gb_code code = gb_table_make(results, &table, err);
    if (code == GB_OK) {
        gb_roofs_flag(results, &table); /* what lies above another roof is an error */
    }
    const size_t devices = json_array_size(json_object_get(results->document, "devices"));
    for (size_t i = 0; code == GB_OK && i < devices && !gb_results_profiled(results); i++) {
        code = add_memory(results, &table, (int)i, out, err);
    }
    gb_table_free(&table);
    if (code != GB_OK) {
        gb_measured_free(out);
    }
    return code;
}
