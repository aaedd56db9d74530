/* residency: one step of a chain, x -> a x + b on every element. See affine.h for the arithmetic.
 */
#include "device/simt/simt.h"

static __global__ void residency_step(uint32_t *__restrict__ to, const uint32_t *__restrict__ from,
                                      size_t n, uint32_t a, uint32_t b)
{
    GB_RANGE (i, n) {
        to[i] = from[i] * a + b;
    }
}
GB_EXPORT(RANGE, residency_step)
