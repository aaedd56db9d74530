/* One life of a case, for tests: is its result right, and noticed where it is not there? */
#ifndef GB_TESTS_KERNEL_VERDICT_H
#define GB_TESTS_KERNEL_VERDICT_H

#include "unit/kernel_args.h"

/* prepare, reset, a check that must miss the iteration, enqueue, verify: what prepare, enqueue or
 * verify said. The arguments are in the form of kernel_args. */
static inline gb_code kernel_verdict(gb_device *device, const char *kernel, const char *text,
                                     gb_error *err)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_need need;
    gb_run run = {.dev = device, .args = args, .timer = k->spec.default_timer, .seed = 7};
    ck_assert_msg(k->spec.check(args, device->info.kind, &need, err) == GB_OK, "%s %s: %s", kernel,
                  text, err->message);
    ck_assert_int_eq(device->ops->stream_create(device, &run.stream, err), GB_OK);
    gb_code code = k->prepare(&run, err);
    if (code == GB_OK) {
        ck_assert_int_eq(k->reset(&run, err), GB_OK);
        ck_assert_int_eq(device->ops->stream_sync(device, run.stream, err), GB_OK);
        ck_assert_msg(k->verify(&run, NULL) == GB_WRONG_RESULT, "%s %s: nothing ran", kernel, text);
        code = k->enqueue(&run, err);
    }
    if (code == GB_OK)
        code = device->ops->stream_sync(device, run.stream, err);
    if (code == GB_OK)
        code = k->verify(&run, err);
    k->release(&run);
    ck_assert_ptr_null(run.state);
    device->ops->stream_destroy(device, run.stream);
    return code;
}

#endif
