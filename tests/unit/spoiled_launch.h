/* One life of a case on the cpu device, right or with a launch that goes wrong in a way in which a
 * kernel does. Set up by open_spoiled_device. */
#ifndef GB_TESTS_SPOILED_LAUNCH_H
#define GB_TESTS_SPOILED_LAUNCH_H

#include "unit/kernel_fixture.h"
#include "unit/kernel_life.h"

/* A launch whose argument number `index` (a number or address of 4 or 8 bytes) is off by `delta`.
 */
typedef struct mistake {
    const char *kernel, *args;
    int index, size;
    int delta;
    const char *what;
} mistake;
static const mistake *made;

static inline void shift(void *argument, int size, int delta)
{
    if (size == 4)
        *(uint32_t *)argument += (uint32_t)delta;
    else
        *(uint64_t *)argument += (uint64_t)(int64_t)delta;
}

static inline gb_code spoiled_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                                     const gb_launch *launch, void *args[], gb_error *err)
{
    if (made != NULL)
        shift(args[made->index], made->size, made->delta);
    gb_code code = real->launch(device, stream, fn, launch, args, err);
    if (made != NULL)
        shift(args[made->index], made->size, -made->delta);
    return code;
}

static inline void open_spoiled_device(void)
{
    open_kernel_device();
    ops.launch = spoiled_launch;
    made = NULL;
}

static inline void right(const char *kernel, const char *text)
{
    gb_error err = {0};
    ck_assert_msg(kernel_verdict(dev, kernel, text, &err) == GB_OK, "%s %s: %s", kernel, text,
                  err.message);
}

/* Right as it is, and found wrong with the mistake, as *err says. */
static inline void noticed_as(const mistake *m, gb_error *err)
{
    right(m->kernel, m->args);
    made = m;
    ck_assert_msg(kernel_verdict(dev, m->kernel, m->args, err) == GB_WRONG_RESULT,
                  "%s %s: %s: not noticed", m->kernel, m->args, m->what);
    made = NULL;
}
static inline void noticed(const mistake *m)
{
    gb_error err = {0};
    noticed_as(m, &err);
}

#endif
