/* delay: one thread watches a clock until a known time has passed, and notes how long that was. */
#include "device/simt/simt.h"

#if defined(__CUDACC__)
/* The GPU's own clock in ns (PTX ISA, special register %globaltimer). */
static __device__ uint64_t delay_now()
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#else
#include <time.h>
static uint64_t delay_now()
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

static __global__ void delay(uint64_t *waited, uint64_t ns)
{
    const uint64_t start = delay_now();
    uint64_t passed = 0;
    while (passed < ns)
        passed = delay_now() - start;
    *waited = passed;
}
GB_EXPORT(FLAT, delay)
