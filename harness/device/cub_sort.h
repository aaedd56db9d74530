/* CUB's sort for C. A library of its own (gb_device_cub), which programs link with the CUDA runtime
 * and tests replace together with it. */
#ifndef GB_DEVICE_CUB_SORT_H
#define GB_DEVICE_CUB_SORT_H

#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As the operation `sort` of a device (device.h), on the current one. cudaErrorNotSupported: the
 * toolkit of the build had no CUB. */
cudaError_t gb_cub_sort(void *scratch, size_t *scratch_bytes, const uint32_t *from, uint32_t *to,
                        size_t n, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
