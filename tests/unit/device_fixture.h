/* A cpu device with one stream for the tests of this folder. The kernels of simt_kernels.cu and
 * simt_broken.cu are compiled once, without variants and without nvcc. */
#ifndef GB_TESTS_DEVICE_FIXTURE_H
#define GB_TESTS_DEVICE_FIXTURE_H

#undef GB_CPU_VARIANTS
#define GB_CPU_VARIANTS 1
#if GB_CUDA_CODE
#define GB_CUDA_IN_BUILD 1
#else
#define GB_CUDA_IN_BUILD 0
#endif
#undef GB_CUDA_CODE
#define GB_CUDA_CODE 0

#include "unit/check_main.h"

#include <string.h>

#include "device/device.h"

static gb_device *dev;
static gb_stream *stream;
static gb_error err;

static inline void open_device(void)
{
    ck_assert_msg(gb_device_cpu_open(3, &dev, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
}

static inline void close_device(void)
{
    if (dev == NULL)
        return;
    dev->ops->stream_destroy(dev, stream);
    dev->ops->close(dev);
    dev = NULL;
    stream = NULL;
}

#define OK(call) ck_assert_msg((call) == GB_OK, "%s", err.message)
#define REFUSED(call, expected_code, part)                                                         \
    do {                                                                                           \
        memset(&err, 0, sizeof err);                                                               \
        ck_assert_int_eq((call), (expected_code));                                                 \
        ck_assert_int_eq(err.code, (expected_code));                                               \
        ck_assert_msg(strstr(err.message, (part)) != NULL, "'%s' lacks '%s'", err.message, part);  \
    } while (0)

static inline gb_memory device_memory(size_t bytes)
{
    gb_memory memory;
    OK(dev->ops->alloc(dev, GB_MEM_DEVICE, bytes, &memory, &err));
    return memory;
}

static inline gb_code launch_3d(const gb_fn *fn, const uint32_t grid[3], const uint32_t block[3],
                                uint32_t shared, void *args[])
{
    gb_launch launch = {.grid = {grid[0], grid[1], grid[2]},
                        .block = {block[0], block[1], block[2]},
                        .shared_bytes = shared};
    return dev->ops->launch(dev, stream, fn, &launch, args, &err);
}

static inline gb_code launch(const gb_fn *fn, uint32_t grid, uint32_t block, void *args[])
{
    return launch_3d(fn, (uint32_t[3]){grid, 1, 1}, (uint32_t[3]){block, 1, 1}, 0, args);
}

static inline gb_code sync_stream(void)
{
    return dev->ops->stream_sync(dev, stream, &err);
}

#endif
