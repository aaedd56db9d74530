/* Theoretical peaks of a device, from its facts. What is not known is NAN, never a default: a roof
 * from a wrong count of lanes is worse than none. */
#ifndef GB_DEVICE_PEAKS_H
#define GB_DEVICE_PEAKS_H

#include "device/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Device memory, B/s: 2 (double data rate) x memory clock x bus width / 8, as CUDA's deviceQuery
 * and nvbandwidth state it. NAN when clock or width is unknown, and on cpu. */
double gb_peak_bandwidth(const gb_device_info *info);

/* Arithmetic, operations/s: SMs x operations a cycle and SM (a table by compute capability in
 * peaks.c) x clock. A multiply-add is one operation, and a sum or a product takes its place.
 * `clock_hz`: the SM clock that counts, e.g. the one that was measured; NAN or 0: the maximum of
 * the facts. NAN on cpu, for a compute capability that is not in the table, and where clock or SMs
 * are unknown. */
double gb_peak_operations(const gb_device_info *info, gb_compute compute, double clock_hz);
/* FLOPs (or whole-number operations) of one such operation: 2 of a multiply-add, and 1 where the
 * units do nothing larger. */
unsigned gb_compute_flops(gb_compute compute);
/* FLOP/s: the product of both. */
double gb_peak_flops(const gb_device_info *info, gb_compute compute, double clock_hz);

/* Shared memory, B/s: SMs x 128 bytes a cycle x clock (32 banks of 4 bytes). NAN as above. */
double gb_peak_shared(const gb_device_info *info, double clock_hz);

/* Peaks by kind; 0: unknown. */
typedef struct gb_peaks {
    double bandwidth;          /* B/s, device memory */
    double flops[GB_COMPUTES]; /* FLOP/s */
} gb_peaks;

/* {"bandwidth": B/s, "fp32": FLOP/s, ...} of those that are known. New reference; NULL on out of
 * memory. */
json_t *gb_peaks_json(const gb_peaks *peaks);
/* The way back; unknown keys are ignored. GB_INVALID for a value that is not a positive number. */
gb_code gb_peaks_load(const json_t *json, gb_peaks *out, gb_error *err);
/* The theoretical ones at the maximum clocks. */
gb_peaks gb_peaks_theory(const gb_device_info *info);

#ifdef __cplusplus
}
#endif
#endif
