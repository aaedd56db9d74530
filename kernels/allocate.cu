/* allocate: what allocated memory is written with, so that it can be seen to be there and nobody
 * else's. See allocate.h. */
#include "device/simt/simt.h"
#include "kernels/allocate.h"

static __global__ void allocate_mark(uint32_t *to, size_t n, uint32_t salt)
{
    GB_RANGE (i, n) {
        to[i] = gb_mark_word(salt, i);
    }
}
GB_EXPORT(RANGE, allocate_mark)
