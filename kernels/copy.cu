/* copy: the kernel behind `memory: mapped` and `memory: managed`, where the device itself reaches
 * into the memory instead of a copy engine. 16 bytes at a time where both ends allow it. */
#include "device/simt/simt.h"

static __global__ void copy_bytes(uint8_t *to, const uint8_t *from, size_t bytes)
{
    const bool wide = (((uintptr_t)to | (uintptr_t)from) & 15) == 0;
    const size_t words = wide ? bytes / 16 : 0, rest = bytes - 16 * words;
    GB_RANGE (i, words) {
        reinterpret_cast<uint4 *>(to)[i] = reinterpret_cast<const uint4 *>(from)[i];
    }
    GB_RANGE (j, rest) {
        to[16 * words + j] = from[16 * words + j];
    }
}
GB_EXPORT(RANGE, copy_bytes)
