/* The cuda device's own two kernels, as cudaLaunchKernel takes them. */
#ifndef GB_DEVICE_DEVICE_CUDA_KERNELS_H
#define GB_DEVICE_DEVICE_CUDA_KERNELS_H

#ifdef __cplusplus
extern "C" {
#endif

/* One thread. (volatile uint32_t *flags, uint32_t ticket, unsigned long long limit_ns): spins until
 * flags[0] - ticket, seen as a signed difference, is >= 0, or until the limit has passed; then
 * writes the ticket into flags[1]. */
extern const void *const gb_cuda_gate_stub;

/* (uint4 *buffer, size_t n, unsigned round): writes all n elements with values that depend on the
 * round. Any grid. */
extern const void *const gb_cuda_flush_stub;

#ifdef __cplusplus
}
#endif
#endif
