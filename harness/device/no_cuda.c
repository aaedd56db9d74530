/* In place of device_cuda.c in a build without the CUDA toolkit. */
#include "device/device.h"

static gb_code no_cuda(gb_error *err)
{
    return gb_fail(err, GB_UNAVAILABLE,
                   "this build has no CUDA device; configure it where nvcc is found");
}

gb_code gb_device_cuda_count(int *count, gb_error *err)
{
    *count = 0;
    return no_cuda(err);
}

gb_code gb_device_cuda_info(int index, gb_device_info *out, gb_error *err)
{
    (void)index, (void)out;
    return no_cuda(err);
}

gb_code gb_device_cuda_open(int index, gb_device **out, gb_error *err)
{
    (void)index;
    *out = NULL;
    return no_cuda(err);
}

int gb_device_cuda_toolkit(void)
{
    return 0;
}

const char *gb_device_cuda_minimum_driver(void)
{
    return "";
}

const char *gb_device_cuda_architectures(void)
{
    return "";
}

void gb_device_cuda_range_begin(const char *name)
{
    (void)name;
}

void gb_device_cuda_range_end(void)
{
}
