/* The life of a case, for tests of kernels: begun with life_begin, ended with life_end. */
#ifndef GB_TESTS_KERNEL_LIFE_H
#define GB_TESTS_KERNEL_LIFE_H

#include <math.h>

#include "unit/kernel_args.h"

typedef struct life {
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *kernel;
    gb_run run;
} life;

/* Prepares a case of the kernel, with arguments in the form of kernel_args; says what prepare said.
 * The kernel need not bear the arguments, which its check tells. */
static inline gb_code life_begin(life *l, gb_device *device, const char *kernel, const char *text,
                                 gb_error *why)
{
    l->kernel = kernel_args(kernel, text, l->args);
    l->run =
        (gb_run){.dev = device, .args = l->args, .timer = l->kernel->spec.default_timer, .seed = 7};
    for (size_t i = 0; i < GB_MAX_LEVELS; i++)
        l->run.levels[i] = NAN;
    ck_assert_int_eq(device->ops->stream_create(device, &l->run.stream, why), GB_OK);
    return l->kernel->prepare(&l->run, why);
}

/* Also after a prepare that failed. */
static inline void life_end(life *l)
{
    gb_device *device = l->run.dev;
    l->kernel->release(&l->run);
    ck_assert_ptr_null(l->run.state);
    device->ops->stream_destroy(device, l->run.stream);
}

/* Whether the case's kernel bears its arguments on a kind of device. */
static inline gb_code life_check(const char *kernel, const char *text, gb_device_kind kind,
                                 gb_error *why)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    return kernel_args(kernel, text, args)->spec.check(args, kind, &need, why);
}

/* The check of the arguments ends with this code, and where that is an error its message has this
 * part. */
static inline void life_answers(const char *kernel, const char *text, gb_device_kind kind,
                                gb_code code, const char *part)
{
    gb_error why = {0};
    ck_assert_msg(life_check(kernel, text, kind, &why) == code, "%s %s: %s", kernel, text,
                  why.message);
    ck_assert_msg(code == GB_OK || strstr(why.message, part) != NULL, "%s %s: %s", kernel, text,
                  why.message);
}

/* What a case that the kernel bears does on a kind of device, and what it needs. */
static inline gb_work life_work(const char *kernel, const char *text, gb_device_kind kind,
                                gb_need *need)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_work work;
    ck_assert_msg(k->spec.check(args, kind, need, NULL) == GB_OK, "%s %s", kernel, text);
    k->spec.work(args, kind, &work);
    return work;
}

/* An iteration, waited for. */
static inline gb_code life_iterate(life *l, gb_error *why)
{
    gb_code code = l->kernel->enqueue(&l->run, why);
    return code == GB_OK ? l->run.dev->ops->stream_sync(l->run.dev, l->run.stream, why) : code;
}

/* begin, reset, a check that must miss the iteration, the iteration, verify: what any of them but
 * the first check said. */
static inline gb_code kernel_verdict(gb_device *device, const char *kernel, const char *text,
                                     gb_error *why)
{
    life l;
    ck_assert_msg(life_check(kernel, text, device->info.kind, why) == GB_OK, "%s %s: %s", kernel,
                  text, why->message);
    gb_code code = life_begin(&l, device, kernel, text, why);
    if (code == GB_OK) {
        ck_assert_int_eq(l.kernel->reset(&l.run, why), GB_OK);
        ck_assert_int_eq(device->ops->stream_sync(device, l.run.stream, why), GB_OK);
        ck_assert_msg(l.kernel->verify(&l.run, NULL) == GB_WRONG_RESULT, "%s %s: nothing ran",
                      kernel, text);
        code = life_iterate(&l, why);
    }
    if (code == GB_OK)
        code = l.kernel->verify(&l.run, why);
    life_end(&l);
    return code;
}

#endif
