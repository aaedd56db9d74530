/* Named ranges for profilers. NVTX 3 is a header: its functions look for a tool's library at the
 * first call (NVTX_INJECTION64_PATH, set by Nsight) and cost a test of a pointer without one. A
 * toolkit may come without that header; then there are no ranges. */
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define RANGE_BEGIN(name) nvtxRangePushA(name)
#define RANGE_END() nvtxRangePop()
#else
#define RANGE_BEGIN(name) (void)(name)
#define RANGE_END() (void)0
#endif

#include "device/device.h"

void gb_device_cuda_range_begin(const char *name)
{
    RANGE_BEGIN(name);
}

void gb_device_cuda_range_end(void)
{
    RANGE_END();
}
