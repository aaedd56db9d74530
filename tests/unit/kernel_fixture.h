/* The cpu device with two threads, for tests of kernels: its operations are in `ops`, where a test
 * replaces some; `real` are those that the device came with. */
#ifndef GB_TESTS_KERNEL_FIXTURE_H
#define GB_TESTS_KERNEL_FIXTURE_H

#include "unit/check_main.h"
#include "unit/kernel_args.h"

static gb_device *dev;
static gb_device_ops ops;
static const gb_device_ops *real;

static inline void open_kernel_device(void)
{
    gb_error why = {0};
    ck_assert_msg(gb_device_cpu_open(2, &dev, &why) == GB_OK, "%s", why.message);
    real = dev->ops;
    ops = *real;
    dev->ops = &ops;
}

static inline void close_kernel_device(void)
{
    dev->ops->close(dev);
}

#endif
