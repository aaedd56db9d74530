/* Streams and events of the cpu device. */
#include "unit/device_work.h"

#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

GB_FN_DECLARE(early_exit)

START_TEST(a_stream_runs_in_order)
{
    gb_memory log = device_memory(4 * 2001);
    unsigned *p = log.device;
    p[0] = 0;
    for (unsigned i = 1; i <= 2000; i++)
        OK(put_value(stream, &log.device, i));
    OK(sync_stream());
    ck_assert_uint_eq(p[0], 2000);
    for (unsigned i = 1; i <= 2000; i++)
        ck_assert_uint_eq(p[i], i);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(work_begins_without_a_wait_of_the_host)
{
    gb_memory log = device_memory(64);
    atomic_uint *first = log.device;
    atomic_store(first, 0);
    gb_memory value;
    OK(dev->ops->alloc(dev, GB_MEM_PAGEABLE, 4, &value, &err));
    *(unsigned *)value.host = 5;
    OK(dev->ops->fill(dev, stream, (char *)log.device + 4, 1, 4, &err));
    OK(dev->ops->copy(dev, stream, log.device, value.host, 4, GB_COPY_H2D, &err));
    bool seen = false;
    for (int ms = 0; ms < 10000 && !seen; ms++) {
        usleep(1000);
        pid_t child = fork(); /* a child sees memory as it is now, without a race to report */
        if (child == 0)
            _exit(*(unsigned *)log.device == 5 ? 0 : 1);
        int status = 1;
        waitpid(child, &status, 0);
        seen = status == 0;
    }
    ck_assert(seen);
    OK(sync_stream());
    dev->ops->free(dev, &log);
    dev->ops->free(dev, &value);
}
END_TEST

START_TEST(a_stream_waits_for_the_event_of_another)
{
    gb_stream *other;
    gb_event *event;
    gb_memory log = device_memory(64), slow = device_memory(4);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->event_create(dev, &event, &err));
    *(unsigned *)slow.device = 1;
    for (int round = 0; round < 20; round++) {
        memset(log.device, 0, 64);
        OK(work_for(stream, &slow.device, 200000));
        OK(put_value(stream, &log.device, 1));
        OK(dev->ops->event_record(dev, event, stream, &err));
        OK(dev->ops->stream_wait(dev, other, event, &err));
        OK(put_value(other, &log.device, 2));
        OK(dev->ops->stream_sync(dev, other, &err));
        const unsigned *p = log.device;
        ck_assert(p[0] == 2 && p[1] == 1 && p[2] == 2);
    }
    dev->ops->event_destroy(dev, event);
    dev->ops->stream_destroy(dev, other);
    dev->ops->free(dev, &log);
    dev->ops->free(dev, &slow);
}
END_TEST

START_TEST(streams_are_independent_and_sync_waits_for_all)
{
    gb_stream *other;
    gb_memory log = device_memory(64), slow = device_memory(4);
    *(unsigned *)slow.device = 1;
    memset(log.device, 0, 64);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->gate_hold(dev, other, 60ull * 1000 * 1000 * 1000, &err));
    OK(work_for(other, &slow.device, 1000));
    OK(put_value(stream, &log.device, 1));
    OK(sync_stream()); /* not held up by the gate of the other */
    ck_assert_uint_eq(*(unsigned *)log.device, 1);
    dev->ops->gate_release(dev);
    OK(put_value(other, &log.device, 2));
    OK(dev->ops->sync(dev, &err));
    ck_assert_uint_eq(*(unsigned *)log.device, 2);
    bool expired = true;
    OK(dev->ops->gate_finish(dev, &expired, &err));
    ck_assert(!expired);
    dev->ops->stream_destroy(dev, other);
    dev->ops->free(dev, &log);
    dev->ops->free(dev, &slow);
}
END_TEST

START_TEST(events_measure_what_lies_between_them)
{
    gb_event *start, *stop;
    double empty, work, ns;
    gb_memory slow = device_memory(4);
    *(unsigned *)slow.device = 1;
    OK(dev->ops->event_create(dev, &start, &err));
    OK(dev->ops->event_create(dev, &stop, &err));
    REFUSED(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_INVALID, "not recorded");
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(dev->ops->event_record(dev, stop, stream, &err));
    OK(dev->ops->elapsed_ns(dev, start, stop, &empty, &err));
    ck_assert(empty >= 0.0);
    uint64_t before = dev->ops->now_ns(dev);
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(work_for(stream, &slow.device, 3 * MB));
    OK(dev->ops->event_record(dev, stop, stream, &err));
    OK(dev->ops->elapsed_ns(dev, start, stop, &work, &err)); /* waits for stop */
    uint64_t after = dev->ops->now_ns(dev);
    ck_assert(work >= 3.0 * MB * 0.25); /* a multiply and an add in a chain: >= 1 cycle each */
    ck_assert(work <= (double)(after - before));
    OK(sync_stream());
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->free(dev, &slow);
}
END_TEST

START_TEST(objects_may_be_destroyed_with_work_pending)
{
    gb_stream *other;
    gb_event *event;
    gb_memory log = device_memory(64);
    memset(log.device, 0, 64);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->event_create(dev, &event, &err));
    OK(put_value(other, &log.device, 1));
    OK(dev->ops->event_record(dev, event, other, &err));
    OK(dev->ops->stream_wait(dev, stream, event, &err));
    dev->ops->event_destroy(dev, event);
    OK(put_value(other, &log.device, 2));
    dev->ops->stream_destroy(dev, other);
    ck_assert_uint_eq(*(unsigned *)log.device, 2);
    OK(sync_stream());
    dev->ops->free(dev, &log);
    gb_stream *left; /* close releases it */
    OK(dev->ops->stream_create(dev, &left, &err));
}
END_TEST

START_TEST(a_failure_is_reported_once_and_later_work_is_right)
{
    gb_event *start, *stop;
    double ns;
    gb_memory log = device_memory(4096);
    memset(log.device, 0, 4096);
    OK(dev->ops->event_create(dev, &start, &err));
    OK(dev->ops->event_create(dev, &stop, &err));
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    OK(put_value(stream, &log.device, 1)); /* skipped */
    OK(dev->ops->event_record(dev, stop, stream, &err));
    REFUSED(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_DEVICE_ERROR, "early_exit");
    ck_assert_uint_eq(*(unsigned *)log.device, 0);
    OK(sync_stream());
    /* The same when it has failed, and what follows is still in the queue. */
    for (unsigned round = 0; round < 200; round++) {
        OK(dev->ops->event_record(dev, start, stream, &err));
        OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
        for (unsigned i = 0; i < 20; i++)
            OK(put_value(stream, &log.device, 2));
        OK(dev->ops->event_record(dev, stop, stream, &err));
        for (volatile unsigned i = 0; i < 20 * round; i++)
            continue;
        REFUSED(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_DEVICE_ERROR, "early_exit");
        OK(sync_stream());
        ck_assert_uint_eq(*(unsigned *)log.device, 0);
    }
    /* The same when the stream's own thread has run everything before anybody asks. */
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    OK(dev->ops->event_record(dev, stop, stream, &err));
    usleep(200000);
    REFUSED(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_DEVICE_ERROR, "early_exit");
    OK(sync_stream());
    OK(put_value(stream, &log.device, 3));
    OK(dev->ops->sync(dev, &err));
    ck_assert_uint_eq(((unsigned *)log.device)[1], 3);
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    REFUSED(dev->ops->sync(dev, &err), GB_DEVICE_ERROR, "early_exit");
    OK(dev->ops->sync(dev, &err));
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->free(dev, &log);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("streams");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, a_stream_runs_in_order);
    tcase_add_test(c, work_begins_without_a_wait_of_the_host);
    tcase_add_test(c, a_stream_waits_for_the_event_of_another);
    tcase_add_test(c, streams_are_independent_and_sync_waits_for_all);
    tcase_add_test(c, events_measure_what_lies_between_them);
    tcase_add_test(c, objects_may_be_destroyed_with_work_pending);
    tcase_add_test(c, a_failure_is_reported_once_and_later_work_is_right);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("device_cpu_streams", add_cases)
