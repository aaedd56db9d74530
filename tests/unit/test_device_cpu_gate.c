/* The gate of the cpu device, and the one way in which samples use a gate. */
#include "unit/device_work.h"

#include <unistd.h>

#include "device/gate.h"

START_TEST(the_gate_holds_until_it_is_released)
{
    gb_memory log = device_memory(64);
    gb_event *start, *stop;
    double ns;
    bool expired = true;
    memset(log.device, 0, 64);
    OK(dev->ops->event_create(dev, &start, &err));
    OK(dev->ops->event_create(dev, &stop, &err));
    for (int round = 0; round < 10; round++) {
        OK(dev->ops->gate_hold(dev, stream, 60ull * 1000 * 1000 * 1000, &err));
        REFUSED(dev->ops->gate_hold(dev, stream, 1000, &err), GB_INVALID, "one at a time");
        OK(dev->ops->event_record(dev, start, stream, &err));
        for (unsigned i = 0; i < 5; i++)
            OK(put_value(stream, &log.device, i));
        OK(dev->ops->event_record(dev, stop, stream, &err));
        usleep(20000); /* the host dawdles; the events do not see it */
        dev->ops->gate_release(dev);
        OK(sync_stream());
        OK(dev->ops->gate_finish(dev, &expired, &err));
        OK(dev->ops->elapsed_ns(dev, start, stop, &ns, &err));
        ck_assert(!expired);
        ck_assert_uint_eq(*(unsigned *)log.device, 5);
        memset(log.device, 0, 64);
        if (ns < 20e6)
            break; /* a busy machine may preempt the stream's thread, not ten times */
        ck_assert_int_lt(round, 9);
    }
    REFUSED(dev->ops->gate_finish(dev, &expired, &err), GB_INVALID, "no gate");
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(a_gate_that_expires_says_so)
{
    gb_memory log = device_memory(64);
    bool expired = false;
    memset(log.device, 0, 64);
    uint64_t before = dev->ops->now_ns(dev);
    OK(dev->ops->gate_hold(dev, stream, 30 * MB, &err));
    OK(put_value(stream, &log.device, 1));
    OK(sync_stream()); /* never released */
    ck_assert(dev->ops->now_ns(dev) - before >= 30 * MB);
    OK(dev->ops->gate_finish(dev, &expired, &err));
    ck_assert(expired);
    ck_assert_uint_eq(*(unsigned *)log.device, 1);
    dev->ops->gate_release(dev); /* late, harmless */
    OK(dev->ops->gate_hold(dev, stream, 60ull * 1000 * 1000 * 1000, &err));
    dev->ops->gate_release(dev);
    OK(sync_stream());
    OK(dev->ops->gate_finish(dev, &expired, &err));
    ck_assert(!expired);
    dev->ops->free(dev, &log);
}
END_TEST

typedef struct unjoined {
    gb_stream *other;
    gb_event *joined;
    void **slow, **log;
    bool fails;
} unjoined;

/* Slow work on another stream, which is joined only when all goes well. */
static gb_code enqueue_on_another(void *context, gb_error *error)
{
    const unjoined *u = context;
    gb_code code = work_for(u->other, u->slow, 20 * MB);
    if (code == GB_OK)
        code = put_value(u->other, u->log, 7);
    if (u->fails)
        return gb_fail(error, GB_DEVICE_ERROR, "the next call fails");
    OK(dev->ops->event_record(dev, u->joined, u->other, &err));
    OK(dev->ops->stream_wait(dev, stream, u->joined, &err));
    return code;
}

START_TEST(work_around_the_gate_has_ended_also_after_an_error)
{
    gb_memory log = device_memory(64), slow = device_memory(4);
    unjoined u = {.slow = &slow.device, .log = &log.device};
    OK(dev->ops->stream_create(dev, &u.other, &err));
    OK(dev->ops->event_create(dev, &u.joined, &err));
    for (int gated = 0; gated < 2; gated++) {
        for (int fails = 0; fails < 2; fails++) {
            bool expired = true;
            *(unsigned *)slow.device = 1;
            memset(log.device, 0, 64);
            u.fails = fails != 0;
            const gb_code code =
                gb_gate_around(dev, stream, gated != 0, enqueue_on_another, &u, &expired, &err);
            ck_assert_int_eq(code, u.fails ? GB_DEVICE_ERROR : GB_OK);
            ck_assert(!expired);
            ck_assert_uint_eq(*(unsigned *)log.device, 1); /* nothing is still under way */
            if (u.fails)
                ck_assert_str_eq(err.message, "the next call fails");
        }
    }
    OK(dev->ops->gate_hold(dev, stream, 30 * MB, &err)); /* none was left closed */
    dev->ops->gate_release(dev);
    OK(sync_stream());
    bool expired;
    OK(dev->ops->gate_finish(dev, &expired, &err));
    dev->ops->stream_destroy(dev, u.other);
    dev->ops->event_destroy(dev, u.joined);
    dev->ops->free(dev, &log);
    dev->ops->free(dev, &slow);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("gate");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, the_gate_holds_until_it_is_released);
    tcase_add_test(c, a_gate_that_expires_says_so);
    tcase_add_test(c, work_around_the_gate_has_ended_also_after_an_error);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("device_cpu_gate", add_cases)
