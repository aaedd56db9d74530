/* noop: a kernel that does nothing, in one block of one thread.
 *
 * `mark` is NULL in every timed launch. In the launch that is verified it points to a word, so that
 * the check can see that the kernel ran at all. */
#include "device/simt/simt.h"

static __global__ void noop(uint32_t *mark, uint32_t value)
{
    if (mark != nullptr)
        *mark = value;
}
GB_EXPORT(FLAT, noop)
