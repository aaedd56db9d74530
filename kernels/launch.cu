/* launch: a small elementwise kernel that is launched many times, with more or fewer bytes of
 * arguments. The last word of the arguments takes part in the result, so that a launch whose
 * arguments arrive cut off gives wrong answers. */
#include "device/simt/simt.h"
#include "kernels/launch.h"

template <size_t Bytes> struct launch_arguments {
    const gb_launch_work *work;
    uint64_t carried[Bytes / 8 - 1];
};

/* There is at least one step; a loop that tests at its end is one that the host's compiler can run
 * for many elements at once. */
static __device__ __forceinline__ void launch_steps(const gb_launch_work *work, uint64_t extra)
{
    uint32_t *values = work->values;
    const size_t n = work->n;
    const uint32_t first = work->first + (uint32_t)extra, steps = work->steps;
    GB_RANGE (i, n) {
        const uint32_t number = first + (uint32_t)i;
        uint32_t x = values[i], k = 0;
        do {
            x = gb_launch_step(x, number + k);
        } while (++k < steps);
        values[i] = x;
    }
}

static __global__ void launch_8(const gb_launch_work *work)
{
    launch_steps(work, 0);
}
GB_EXPORT(RANGE, launch_8)

#define LAUNCH(bytes)                                                                              \
    static __global__ void launch_##bytes(launch_arguments<bytes> arguments)                       \
    {                                                                                              \
        launch_steps(arguments.work, arguments.carried[bytes / 8 - 2]);                            \
    }                                                                                              \
    GB_EXPORT(RANGE, launch_##bytes)

LAUNCH(64)
LAUNCH(256)
LAUNCH(1024)
LAUNCH(4096)
