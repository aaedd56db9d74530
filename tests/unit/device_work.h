/* Work for the streams of the cpu device: slow, and in an order that can be told afterwards. */
#ifndef GB_TESTS_DEVICE_WORK_H
#define GB_TESTS_DEVICE_WORK_H

#include "unit/device_fixture.h"

GB_FN_DECLARE(append)
GB_FN_DECLARE(work_hard)

enum { MB = 1000000 };

/* Appends `value` to a log: its first word counts the values behind it. */
static inline gb_code put_value(gb_stream *s, void **log, unsigned value)
{
    gb_launch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    void *args[] = {log, &value};
    return dev->ops->launch(dev, s, GB_FN(append), &one, args, &err);
}

/* A chain of so many multiplications and additions. */
static inline gb_code work_for(gb_stream *s, void **out, unsigned rounds)
{
    gb_launch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    void *args[] = {out, &rounds};
    return dev->ops->launch(dev, s, GB_FN(work_hard), &one, args, &err);
}

#endif
