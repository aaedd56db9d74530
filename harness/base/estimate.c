#include "base/estimate.h"

#include <math.h>
#include <stddef.h>

#include "base/spec.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

const char *const gb_precision_words[] = {"fp32", "fp16", "bf16", "fp8", "int8", "int4", NULL};
const char *const gb_recompute_words[] = {"none", "selective", "full", NULL};

unsigned gb_precision_bits(gb_precision precision)
{
    static const unsigned bits[GB_PRECISIONS] = {32, 16, 16, 8, 8, 4};
    return bits[precision];
}

gb_code gb_estimate_values(uint64_t n, gb_precision precision, uint64_t *bytes, gb_error *err)
{
    const unsigned bits = gb_precision_bits(precision);
    if (bits >= 8)
        return gb_mul_u64(n, bits / 8, bytes, err);
    const unsigned each = 8 / bits;
    *bytes = n / each + (n % each != 0);
    return GB_OK;
}

/* The product of n factors. */
static gb_code product(const uint64_t factors[], size_t n, uint64_t *out, gb_error *err)
{
    uint64_t all = 1;
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < n; i++)
        code = gb_mul_u64(all, factors[i], &all, err);
    if (code == GB_OK)
        *out = all;
    return code;
}

gb_code gb_estimate_kv_token(const gb_shape *shape, gb_precision precision, uint64_t *bytes,
                             gb_error *err)
{
    const uint64_t factors[] = {2, shape->layers, shape->kv_heads, shape->head_size};
    uint64_t values = 0;
    gb_code code = product(factors, COUNT(factors), &values, err);
    return code ? code : gb_estimate_values(values, precision, bytes, err);
}

uint64_t gb_estimate_overhead(uint64_t weights_bytes)
{
    const uint64_t rest = weights_bytes % 100 * GB_INFERENCE_OVERHEAD_PERCENT;
    return weights_bytes / 100 * GB_INFERENCE_OVERHEAD_PERCENT + (rest + 99) / 100;
}

gb_code gb_estimate_activations(const gb_shape *shape, gb_recompute recompute, uint64_t *bytes,
                                gb_error *err)
{
    static const uint64_t of_hidden[] = {34, 34, 2};
    const uint64_t linear[] = {of_hidden[recompute], shape->layers, shape->context, shape->heads,
                               shape->head_size};
    const uint64_t square[] = {5, shape->layers, shape->context, shape->context, shape->heads};
    uint64_t scores = 0;
    gb_code code = product(linear, COUNT(linear), bytes, err);
    if (code || recompute != GB_KEEP_ALL)
        return code;
    code = product(square, COUNT(square), &scores, err);
    return code ? code : gb_add_u64(*bytes, scores, bytes, err);
}

uint64_t gb_estimate_batch(uint64_t memory, uint64_t fixed, uint64_t each)
{
    return memory > fixed ? (memory - fixed) / each : 0;
}

double gb_estimate_copy_ns(uint64_t bytes, double latency_ns, double bandwidth)
{
    return latency_ns + (double)bytes * 1e9 / bandwidth;
}

double gb_pcie_bandwidth(unsigned generation, unsigned lanes)
{
    static const double lane[GB_PCIE_GENERATIONS + 1] = {NAN,
                                                         2.5e9 * 8 / 10 / 8,
                                                         5e9 * 8 / 10 / 8,
                                                         8e9 * 128 / 130 / 8,
                                                         16e9 * 128 / 130 / 8,
                                                         32e9 * 128 / 130 / 8,
                                                         64e9 * 242 / 256 / 8};
    return generation <= GB_PCIE_GENERATIONS && lanes > 0 ? lane[generation] * lanes : NAN;
}

double gb_memory_bandwidth(double bits_per_s, double bus_bits)
{
    return bits_per_s * bus_bits / 8;
}

double gb_estimate_steps(double bandwidth, uint64_t weights_bytes, uint64_t kv_bytes)
{
    return bandwidth / ((double)weights_bytes + (double)kv_bytes);
}

double gb_amdahl_serial(double parallel)
{
    return round((1 - parallel) * 1e16) / 1e16;
}

double gb_amdahl(double parallel, double processors)
{
    return 1 / (gb_amdahl_serial(parallel) + parallel / processors);
}

double gb_amdahl_limit(double parallel)
{
    return parallel < 1 ? 1 / gb_amdahl_serial(parallel) : INFINITY;
}
