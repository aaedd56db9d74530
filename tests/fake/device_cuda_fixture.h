/* What the tests of the cuda device share: a device on the fake runtime, opened and closed around
 * each test, and arrays with a kernel that scales them. */
#ifndef GB_TESTS_DEVICE_CUDA_FIXTURE_H
#define GB_TESTS_DEVICE_CUDA_FIXTURE_H

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "fake_cuda.h"
#include "unit/check_main.h"

GB_FN_DECLARE(stream_scale_fp32)

static gb_error err;
static gb_device *dev;

static inline void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    fake_cuda_reset();
}

static inline void clean_environment(void)
{
    static const char *const names[] = {"FAKE_CUDA_FAIL",
                                        "FAKE_CUDA_FAIL_CALL",
                                        "FAKE_CUDA_FAIL_WITH",
                                        "FAKE_CUDA_DEVICES",
                                        "FAKE_CUDA_DRIVER",
                                        "FAKE_CUDA_CC",
                                        "FAKE_CUDA_ATTRIBUTES",
                                        "FAKE_CUDA_MEMORY",
                                        "FAKE_CUDA_PINNED_LIMIT",
                                        "FAKE_CUDA_COPY",
                                        "FAKE_CUDA_ELAPSED_MS",
                                        "FAKE_CUDA_KERNEL_ERROR",
                                        "FAKE_CUDA_STATIC_SHARED",
                                        "FAKE_CUDA_RESIDENT_BLOCKS",
                                        "FAKE_NVML_INIT",
                                        "FAKE_NVML_UNSUPPORTED",
                                        "FAKE_NVML_APPLICATION_CLOCK",
                                        "CUDA_VISIBLE_DEVICES",
                                        "CUDA_LAUNCH_BLOCKING",
                                        "FAKE_CUBLAS_CREATE",
                                        "FAKE_CUBLAS_GEMM"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    fake_cuda_reset();
    memset(&err, 0, sizeof err);
}

static inline void setup(void)
{
    clean_environment();
    ck_assert_msg(gb_device_cuda_open(0, &dev, &err) == GB_OK, "%s", err.message);
}

static inline void teardown(void)
{
    dev->ops->close(dev);
    ck_assert_int_eq(fake_cuda_live(), 0);
}

static inline void says(const char *part)
{
    ck_assert_msg(strstr(err.message, part) != NULL, "'%s' is not in: %s", part, err.message);
}

/* A pair of device arrays of n floats, x filled with 0, 1, 2, ... */
typedef struct arrays {
    gb_stream *stream;
    gb_memory host, x, y;
    size_t n;
} arrays;

static inline void make_arrays(arrays *a, size_t n)
{
    a->n = n;
    ck_assert_int_eq(dev->ops->stream_create(dev, &a->stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_PINNED, n * 4, &a->host, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_DEVICE, n * 4, &a->x, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_DEVICE, n * 4, &a->y, &err), GB_OK);
    float *host = a->host.host;
    for (size_t i = 0; i < n; i++)
        host[i] = (float)i;
    ck_assert_int_eq(dev->ops->copy(dev, a->stream, a->x.device, host, n * 4, GB_COPY_H2D, &err),
                     GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a->stream, &err), GB_OK);
}

static inline void free_arrays(arrays *a)
{
    dev->ops->free(dev, &a->host);
    dev->ops->free(dev, &a->x);
    dev->ops->free(dev, &a->y);
    dev->ops->stream_destroy(dev, a->stream);
}

static inline gb_code scale(arrays *a, float by)
{
    const float *unused = NULL;
    const gb_launch launch = {{(uint32_t)((a->n + 255) / 256), 1, 1}, {256, 1, 1}, 0};
    void *args[] = {&a->y.device, &a->x.device, &unused, &by, &a->n};
    return dev->ops->launch(dev, a->stream, GB_FN(stream_scale_fp32), &launch, args, &err);
}

static inline void check_scaled(arrays *a, float by)
{
    float *host = a->host.host;
    memset(host, 0xFF, a->n * 4);
    ck_assert_int_eq(dev->ops->copy(dev, a->stream, host, a->y.device, a->n * 4, GB_COPY_D2H, &err),
                     GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a->stream, &err), GB_OK);
    for (size_t i = 0; i < a->n; i++)
        ck_assert_float_eq(host[i], by * (float)i);
}

#endif
