#include "reports/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/contrast.h"
#include "reports/findings.h"

/* "DRAM = best of read/dot/triad at >= 4x L2; L2 at <= 40 % of its size": below 4x the cache still
 * serves a part, and an L2 of two partitions holds some lines twice. */
#define INSIDE_CACHE 0.4

double gb_row_intensity(const gb_row *row)
{
    const gb_work *work = &row->first->work;
    double bytes = (double)work->bytes_read + (double)work->bytes_written;
    return work->flops > 0 && bytes > 0 ? (double)work->flops / bytes : NAN;
}

double gb_row_flops(const gb_row *row)
{
    double flops = (double)row->first->work.flops;
    return row->n_ok > 0 && flops > 0 && row->time_ns > 0 ? flops * 1e9 / row->time_ns : NAN;
}

bool gb_row_cached(const gb_row *row, const gb_roofs *roofs)
{
    return row->first->cache == GB_CACHE_WARM &&
           (double)row->first->work.working_set < GB_BEYOND_CACHE * roofs->llc;
}

static bool measured_well(const gb_row *row)
{
    return row->n_ok > 0 && row->time_ns > 0 &&
           (row->flags & (GB_BIT(GB_FLAG_EMULATED) | GB_BIT(GB_FLAG_IMPLAUSIBLE))) == 0;
}

static void best(double *roof, const gb_row **best_row, double value, const gb_row *row)
{
    if (value > 0 && !(*roof >= value)) {
        *roof = value;
        *best_row = row;
    }
}

static void memory_roofs(const gb_row *row, gb_roofs *out)
{
    const double set = (double)row->first->work.working_set;
    if (!gb_row_word_is(row, "op", "read") && !gb_row_word_is(row, "op", "dot") &&
        !gb_row_word_is(row, "op", "triad"))
        return;
    if (!(out->llc > 0))
        return;
    if (!gb_row_cached(row, out))
        best(&out->memory, &out->memory_row, gb_row_value(row, "bandwidth"), row);
    else if (set <= INSIDE_CACHE * out->llc)
        best(&out->cache, &out->cache_row, gb_row_value(row, "bandwidth"), row);
}

/* Bank conflicts at stride 1, on all units rather than on one. */
static bool is_whole_shared(const gb_row *row, double units)
{
    double blocks = 0;
    return strcmp(row->first->kernel, "bank") == 0 && gb_row_number_is(row, "stride", 1) &&
           gb_row_number(row, "blocks", &blocks) && blocks >= units;
}

static bool is_tensor(gb_compute compute)
{
    return compute >= GB_COMPUTE_FP64_TENSOR;
}

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    double known = json_number_value(value);
    return known > 0 ? known : NAN;
}

static double theory(const json_t *device, const char *key, bool *published)
{
    double value = number(json_object_get(device, "peaks"), key);
    *published = !(value > 0);
    if (value > 0)
        return value;
    value = number(json_object_get(json_object_get(device, "published"), "peaks"), key);
    *published = value > 0;
    return value;
}

void gb_roofs_find(const gb_results *results, const gb_row rows[], size_t n, int device,
                   gb_compute compute, gb_roofs *out)
{
    const json_t *facts = json_array_get(json_object_get(results->document, "devices"),
                                         device < 0 ? 0 : (size_t)device);
    const bool cpu = strcmp(gb_results_device_kind(results, device), "cpu") == 0;
    *out = (gb_roofs){.memory = NAN,
                      .cache = NAN,
                      .shared = NAN,
                      .arithmetic = NAN,
                      .llc = number(facts, "llc_bytes")};
    for (size_t i = 0; i < n; i++) {
        const gb_row *row = &rows[i];
        if (row->first->device != device || !measured_well(row))
            continue;
        if (strcmp(row->first->kernel, "stream") == 0)
            memory_roofs(row, out);
        else if (!cpu && is_whole_shared(row, number(facts, "units")))
            best(&out->shared, &out->shared_row, gb_row_value(row, "shared_bandwidth"), row);
        else if (strcmp(row->first->kernel, is_tensor(compute) ? "matmul" : "flops") == 0 &&
                 row->first->work.compute == compute)
            best(&out->arithmetic, &out->arithmetic_row, gb_row_flops(row), row);
    }
    out->theory_memory = theory(facts, "bandwidth", &out->published_memory);
    out->theory_arithmetic = theory(facts, gb_compute_word(compute), &out->published_arithmetic);
}

/* The upper end of a measured roof; theory is exact. */
static double upper(const gb_row *row, const char *metric, double value)
{
    gb_interval interval;
    return row != NULL && gb_row_interval(row, metric, &interval)
               ? (strcmp(metric, "time") == 0 ? value * interval.centre / interval.low
                                              : fmax(value, interval.high))
               : value;
}

/* The kernels that roofs are made from: another size of them that is faster says where the cache
 * begins, and no error. */
static bool is_roof(const gb_row *row)
{
    return strcmp(row->first->kernel, "flops") == 0 || strcmp(row->first->kernel, "stream") == 0;
}

bool gb_row_above_roof(const gb_results *results, const gb_row *row, const gb_roofs *roofs,
                       double *roof)
{
    const bool cached = gb_row_cached(row, roofs), measured = cached || roofs->memory > 0;
    const gb_row *from = cached ? roofs->cache_row : roofs->memory_row;
    const double memory = cached ? roofs->cache : measured ? roofs->memory : roofs->theory_memory;
    const double x = gb_row_intensity(row), y = gb_row_flops(row);
    const bool counted = roofs->arithmetic > 0;
    const double arithmetic = counted ? roofs->arithmetic : roofs->theory_arithmetic;
    const double limit = fmin(x * (measured ? upper(from, "bandwidth", memory) : memory),
                              upper(counted ? roofs->arithmetic_row : NULL, "time", arithmetic));
    gb_interval time;
    *roof = fmin(memory * x, arithmetic); /* fmin: the one that is not NAN */
    if (!(*roof > 0) || is_roof(row) || !gb_row_interval(row, "time", &time))
        return false;
    const double least = fmax(GB_ABOVE_ROOF, exp(gb_noise_floor(results, row->first->device)));
    return y > least * *roof && y * time.centre / time.high > limit;
}

/* The rows of one device. */
static void flag_device(const gb_results *results, gb_row rows[], size_t n)
{
    uint32_t seen = 0, *above = calloc(n, sizeof *above); /* without memory nothing is flagged */
    for (size_t i = 0; i < n; i++)
        seen |= rows[i].first->work.flops > 0 ? GB_BIT(rows[i].first->work.compute) : 0;
    for (int c = GB_COMPUTE_NONE + 1; above != NULL && c < GB_COMPUTES; c++) {
        gb_roofs roofs;
        double roof;
        if ((seen & GB_BIT(c)) == 0)
            continue;
        gb_roofs_find(results, rows, n, rows[0].first->device, (gb_compute)c, &roofs);
        for (size_t i = 0; i < n; i++)
            if ((int)rows[i].first->work.compute == c &&
                gb_row_above_roof(results, &rows[i], &roofs, &roof))
                above[i] = GB_BIT(GB_FLAG_IMPLAUSIBLE);
    }
    for (size_t i = 0; above != NULL && i < n; i++)
        rows[i].flags |= above[i];
    free(above);
}

void gb_roofs_flag(const gb_results *results, gb_table *table)
{
    for (size_t first = 0, end; first < table->n; first = end) {
        for (end = first;
             end < table->n && table->rows[end].first->device == table->rows[first].first->device;)
            end++;
        flag_device(results, &table->rows[first], end - first);
    }
}
