/* The gate and the cache flush of the cuda device; see device_cuda_gate.c. */
#include <stddef.h>
#include <stdint.h>

#include "device/device_cuda_kernels.h"

static __device__ unsigned long long now_ns()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

static __global__ void gb_gate(volatile uint32_t *flags, uint32_t ticket,
                               unsigned long long limit_ns)
{
    const unsigned long long start = now_ns();
    while ((int32_t)(flags[0] - ticket) < 0) {
        if (now_ns() - start > limit_ns) {
            flags[1] = ticket;
            __threadfence_system(); /* the host reads it after the stream has ended */
            return;
        }
    }
}

static __global__ void gb_flush(uint4 *buffer, size_t n, unsigned round)
{
    const size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const unsigned value = (unsigned)i ^ round;
        buffer[i] = make_uint4(value, value, value, value);
    }
}

const void *const gb_cuda_gate_stub = (const void *)gb_gate;
const void *const gb_cuda_flush_stub = (const void *)gb_flush;
