/* Copies and launches that are counted, and of which one goes wrong, for tests of what a kernel's
 * verification notices. A test puts spy_copy and spy_launch into `ops`. */
#ifndef GB_TESTS_KERNEL_SPY_H
#define GB_TESTS_KERNEL_SPY_H

#include "unit/kernel_fixture.h"

/* What they do, and what they have seen. Numbers count from 1; 0: none. */
static struct {
    unsigned long copies, launches;
    unsigned long drop_copy, drop_launch; /* this one does not happen */
    unsigned long short_copy;             /* this one leaves its last 4 bytes out */
    unsigned long shift_copy;             /* this one takes what lies 4 bytes further on */
} spy;

static inline gb_code spy_copy(gb_device *device, gb_stream *stream, void *to, const void *from,
                               size_t bytes, gb_copy direction, gb_error *err)
{
    spy.copies++;
    if (spy.copies == spy.drop_copy)
        return GB_OK;
    if (spy.copies == spy.shift_copy)
        from = (const char *)from + 4;
    if (spy.copies == spy.short_copy || spy.copies == spy.shift_copy)
        bytes -= 4;
    return bytes > 0 ? real->copy(device, stream, to, from, bytes, direction, err) : GB_OK;
}

static inline gb_code spy_launch(gb_device *device, gb_stream *stream, const gb_fn *fn,
                                 const gb_launch *launch, void *args[], gb_error *err)
{
    spy.launches++;
    return spy.launches == spy.drop_launch ? GB_OK
                                           : real->launch(device, stream, fn, launch, args, err);
}

#endif
