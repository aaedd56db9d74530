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

/* prepare, reset, enqueue, verify, as the device in `dev` does it. `levels` (GB_MAX_LEVELS, or
 * NULL): what the kernel has said of its own. */
static inline gb_code kernel_verdict(const char *kernel, const char *text, double levels[],
                                     gb_error *err)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_need need;
    ck_assert_msg(k->spec.check(args, GB_CPU, &need, err) == GB_OK, "%s: %s", text, err->message);
    gb_run run = {.dev = dev, .args = args, .timer = k->spec.default_timer, .seed = 7};
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, err), GB_OK);
    gb_code code = k->prepare(&run, err);
    if (code == GB_OK)
        code = k->reset(&run, err);
    if (code == GB_OK)
        code = k->enqueue(&run, err);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, run.stream, err);
    if (code == GB_OK)
        code = k->verify(&run, err);
    if (levels != NULL)
        memcpy(levels, run.levels, sizeof run.levels);
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return code;
}

#endif
