#include "device/peaks.h"

#include <math.h>
#include <string.h>

#include "base/estimate.h"
#include "base/json.h"

/* Operations a cycle and SM by compute capability, multiply-adds where the units have them; 0:
 * unknown. Sources: FP32, FP64, INT32, the special functions in fp32 and
 * the tensor cores' dense FP16: NVIDIA, CUDA C++ Programming Guide, throughput of native arithmetic
 * instructions, and the architecture white papers. Packed FP16 and BF16: white papers of V100 (31.4
 * TFLOP/s), A100 (78 and 39), GA102 (equal to FP32) and H100 (133.8 both). BF16 tensor is FP16
 * tensor and TF32 half of it on the data-centre parts (A100, H100 and B200 data sheets). GeForce
 * and professional cards of one compute capability differ in their tensor cores: left out. */
static const struct lanes {
    int major, minor;
    unsigned short operations[GB_COMPUTES];
} table[] = {
    {7,
     0,
     {[GB_COMPUTE_FP32] = 64,
      [GB_COMPUTE_FP64] = 32,
      [GB_COMPUTE_INT32] = 64,
      [GB_COMPUTE_SPECIAL] = 16,
      [GB_COMPUTE_FP16] = 128}},
    {7, 5, {[GB_COMPUTE_FP32] = 64, [GB_COMPUTE_INT32] = 64, [GB_COMPUTE_SPECIAL] = 16}},
    {8,
     0,
     {[GB_COMPUTE_FP32] = 64,
      [GB_COMPUTE_FP64] = 32,
      [GB_COMPUTE_INT32] = 64,
      [GB_COMPUTE_SPECIAL] = 16,
      [GB_COMPUTE_FP16] = 256,
      [GB_COMPUTE_BF16] = 128,
      [GB_COMPUTE_FP64_TENSOR] = 64,
      [GB_COMPUTE_TF32_TENSOR] = 512,
      [GB_COMPUTE_FP16_TENSOR] = 1024,
      [GB_COMPUTE_BF16_TENSOR] = 1024}},
    {8,
     6,
     {[GB_COMPUTE_FP32] = 128,
      [GB_COMPUTE_FP64] = 2,
      [GB_COMPUTE_INT32] = 64,
      [GB_COMPUTE_SPECIAL] = 16,
      [GB_COMPUTE_FP16] = 128,
      [GB_COMPUTE_BF16] = 128}},
    {9,
     0,
     {[GB_COMPUTE_FP32] = 128,
      [GB_COMPUTE_FP64] = 64,
      [GB_COMPUTE_INT32] = 64,
      [GB_COMPUTE_SPECIAL] = 16,
      [GB_COMPUTE_FP16] = 256,
      [GB_COMPUTE_BF16] = 256,
      [GB_COMPUTE_FP64_TENSOR] = 128,
      [GB_COMPUTE_TF32_TENSOR] = 1024,
      [GB_COMPUTE_FP16_TENSOR] = 2048,
      [GB_COMPUTE_BF16_TENSOR] = 2048}},
    {10,
     0,
     {[GB_COMPUTE_FP32] = 128,
      [GB_COMPUTE_FP64] = 64,
      [GB_COMPUTE_INT32] = 64,
      [GB_COMPUTE_SPECIAL] = 16,
      [GB_COMPUTE_FP64_TENSOR] = 64,
      [GB_COMPUTE_TF32_TENSOR] = 2048,
      [GB_COMPUTE_FP16_TENSOR] = 4096,
      [GB_COMPUTE_BF16_TENSOR] = 4096}},
    {12, 0, {[GB_COMPUTE_FP32] = 128, [GB_COMPUTE_FP64] = 2, [GB_COMPUTE_INT32] = 64}},
};

#define SHARED_BYTES_PER_CYCLE 128

static double clock_of(const gb_device_info *info, double clock_hz)
{
    return clock_hz > 0 ? clock_hz : (double)info->clock_khz * 1e3;
}

double gb_peak_bandwidth(const gb_device_info *info)
{
    if (info->kind != GB_CUDA || info->memory_clock_khz == 0 || info->bus_bits == 0)
        return NAN;
    return gb_memory_bandwidth(GB_DOUBLE_DATA_RATE * (double)info->memory_clock_khz * 1e3,
                               info->bus_bits);
}

double gb_peak_operations(const gb_device_info *info, gb_compute compute, double clock_hz)
{
    double peak = 0;
    for (size_t i = 0; info->kind == GB_CUDA && i < sizeof table / sizeof table[0]; i++)
        if (table[i].major == info->cc_major && table[i].minor == info->cc_minor)
            peak = (double)info->units * table[i].operations[compute] * clock_of(info, clock_hz);
    return peak > 0 ? peak : NAN;
}

unsigned gb_compute_flops(gb_compute compute)
{
    return compute == GB_COMPUTE_SPECIAL ? 1 : 2;
}

double gb_peak_flops(const gb_device_info *info, gb_compute compute, double clock_hz)
{
    return gb_peak_operations(info, compute, clock_hz) * gb_compute_flops(compute);
}

double gb_peak_shared(const gb_device_info *info, double clock_hz)
{
    double peak = (double)info->units * SHARED_BYTES_PER_CYCLE * clock_of(info, clock_hz);
    return info->kind == GB_CUDA && peak > 0 ? peak : NAN;
}

gb_peaks gb_peaks_theory(const gb_device_info *info)
{
    gb_peaks peaks = {0};
    double bandwidth = gb_peak_bandwidth(info);
    peaks.bandwidth = bandwidth > 0 ? bandwidth : 0;
    for (int i = 0; i < GB_COMPUTES; i++) {
        double flops = gb_peak_flops(info, (gb_compute)i, NAN);
        peaks.flops[i] = flops > 0 ? flops : 0;
    }
    return peaks;
}

json_t *gb_peaks_json(const gb_peaks *peaks)
{
    json_t *object = json_object();
    bool failed = object == NULL;
    if (!failed && peaks->bandwidth > 0)
        failed = json_object_set_new(object, "bandwidth", gb_json_real(peaks->bandwidth)) != 0;
    for (int i = 0; i < GB_COMPUTES && !failed; i++)
        if (peaks->flops[i] > 0)
            failed = json_object_set_new(object, gb_compute_word((gb_compute)i),
                                         gb_json_real(peaks->flops[i])) != 0;
    if (failed) {
        json_decref(object);
        return NULL;
    }
    return object;
}

gb_code gb_peaks_load(const json_t *json, gb_peaks *out, gb_error *err)
{
    const char *key;
    json_t *value;
    *out = (gb_peaks){0};
    json_object_foreach((json_t *)(uintptr_t)json, key, value)
    {
        gb_compute compute = GB_COMPUTE_NONE;
        bool bandwidth = strcmp(key, "bandwidth") == 0;
        if (!bandwidth && !gb_compute_parse(key, &compute))
            continue;
        double number = json_number_value(value);
        if (!(number > 0) || !isfinite(number))
            return gb_fail(err, GB_INVALID, "peaks.%s is not a positive number", key);
        if (bandwidth)
            out->bandwidth = number;
        else
            out->flops[compute] = number;
    }
    return GB_OK;
}
