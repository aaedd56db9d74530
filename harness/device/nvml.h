/* NVML, found at run time: what the driver's management library says about one GPU.
 *
 * Nothing here is needed to measure. A missing library, a version mismatch or a query that a board
 * does not support leaves the reading unknown (NAN, 0, "") and never fails a run. */
#ifndef GB_DEVICE_NVML_H
#define GB_DEVICE_NVML_H

#include <stddef.h>

#include "device/device.h"

typedef struct gb_nvml gb_nvml;

/* Opens the library and finds the GPU by its PCI bus id ("00000000:65:00.0") or, failing that, its
 * UUID; never by index, for NVML counts devices that CUDA_VISIBLE_DEVICES hides. NULL when it
 * cannot be had; `reason` gets one sentence then. */
gb_nvml *gb_nvml_open(const char *pci, const char *uuid, char *reason, size_t size);
void gb_nvml_close(gb_nvml *nvml); /* fine with NULL */

/* Fills what NVML knows better than CUDA: driver version, firmware, clock policy, MIG profile, PCIe
 * maximum, free memory (not under MIG), ECC; and clocks where CUDA has given 0 for them. */
void gb_nvml_info(gb_nvml *nvml, gb_device_info *info);

/* Momentary readings, those first that change as soon as the work ends: clocks, the link, why
 * clocks are lowered. Leaves ECC and processes as they are. */
void gb_nvml_read(gb_nvml *nvml, gb_telemetry *out);
/* ECC errors and processes, which take milliseconds on some boards. `own` says that this process
 * has a context on the GPU: one of the compute processes is then itself. */
void gb_nvml_read_slow(gb_nvml *nvml, bool own, gb_telemetry *out);

#endif
