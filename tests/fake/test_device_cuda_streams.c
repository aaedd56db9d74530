/* The cuda device on the fake runtime: events, the gate, the flush of the cache. */
#include "device_cuda_fixture.h"

/* --- events ----------------------------------------------------------------------------------- */

START_TEST(events_take_the_time_of_the_work_between_them)
{
    arrays a;
    gb_event *start, *stop;
    double ns = -1;
    make_arrays(&a, 1 << 20);
    ck_assert_int_eq(dev->ops->event_create(dev, &start, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &stop, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, start, a.stream, &err), GB_OK);
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, stop, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_OK);
    ck_assert_double_gt(ns, 1000);
    ck_assert_double_lt(ns, 1e9);
    set("FAKE_CUDA_ELAPSED_MS", "0.5");
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_OK);
    ck_assert_double_eq(ns, 500000);
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    free_arrays(&a);
}
END_TEST

START_TEST(TIM_08_a_failing_event_call_gives_no_time)
{
    gb_stream *stream;
    gb_event *start, *stop;
    double ns = 42;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &start, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &stop, &err), GB_OK);
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_DEVICE_ERROR);
    says("cudaEventElapsedTime: 400 (cudaErrorInvalidResourceHandle");
    ck_assert_int_eq(dev->ops->event_record(dev, start, stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, stop, stream, &err), GB_OK);
    set("FAKE_CUDA_FAIL", "cudaEventElapsedTime=600");
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_NOT_READY);
    ck_assert_int_eq(err.device_status, 600);
    ck_assert_double_eq(ns, 42);
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->stream_destroy(dev, stream);
}
END_TEST

START_TEST(a_stream_waits_for_an_event_of_another)
{
    arrays a;
    gb_stream *other;
    gb_event *event;
    make_arrays(&a, 1000);
    ck_assert_int_eq(dev->ops->stream_create(dev, &other, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &event, &err), GB_OK);
    ck_assert_int_eq(scale(&a, 7), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, other, event, &err), GB_OK);
    float *host = a.host.host;
    ck_assert_int_eq(dev->ops->copy(dev, other, host, a.y.device, 4000, GB_COPY_D2H, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, other, &err), GB_OK);
    ck_assert_float_eq(host[999], 7 * 999.0f);
    dev->ops->event_destroy(dev, event);
    dev->ops->stream_destroy(dev, other);
    free_arrays(&a);
}
END_TEST

/* --- the gate and the flush ------------------------------------------------------------------- */

START_TEST(the_gate_holds_until_it_is_released)
{
    arrays a;
    bool expired = true;
    make_arrays(&a, 1000);
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 5000000000u, &err), GB_OK);
        ck_assert_int_eq(scale(&a, (float)round), GB_OK);
        dev->ops->gate_release(dev);
        check_scaled(&a, (float)round);
        ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
        ck_assert(!expired);
    }
    free_arrays(&a);
}
END_TEST

START_TEST(a_gate_that_is_not_released_expires_and_says_so)
{
    arrays a;
    bool expired = false;
    make_arrays(&a, 1000);
    ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 20000000, &err), GB_OK);
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
    ck_assert(expired);
    /* the release that comes too late does not open the next one */
    dev->ops->gate_release(dev);
    ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 20000000, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
    ck_assert(expired);
    free_arrays(&a);
}
END_TEST

START_TEST(a_full_queue_behind_a_gate_ends_at_the_limit)
{
    arrays a;
    bool expired = false;
    make_arrays(&a, 16);
    ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 20000000, &err), GB_OK);
    for (int i = 0; i < 1500; i++)
        ck_assert_int_eq(scale(&a, 2), GB_OK);
    dev->ops->gate_release(dev);
    check_scaled(&a, 2);
    ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
    ck_assert(expired);
    free_arrays(&a);
}
END_TEST

START_TEST(closing_with_a_held_gate_does_not_wait)
{
    gb_stream *stream;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_hold(dev, stream, 100000000000u, &err), GB_OK);
    dev->ops->gate_release(dev);
    dev->ops->stream_destroy(dev, stream);
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_hold(dev, NULL, 100000000000u, &err), GB_OK);
    dev->ops->close(dev);
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
    dev->ops->stream_destroy(dev, stream);
}
END_TEST

START_TEST(the_flush_needs_its_memory_and_says_when_it_has_none)
{
    gb_stream *stream;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->flush_cache(dev, stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, stream, &err), GB_OK);
    dev->ops->stream_destroy(dev, stream);
    dev->ops->close(dev);
    set("FAKE_CUDA_MEMORY", "100000");
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
    ck_assert_int_eq(dev->ops->flush_cache(dev, NULL, &err), GB_NO_MEMORY);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *open = tcase_create("open");
    tcase_add_checked_fixture(open, setup, teardown);
    tcase_set_timeout(open, 60);
    tcase_add_test(open, events_take_the_time_of_the_work_between_them);
    tcase_add_test(open, TIM_08_a_failing_event_call_gives_no_time);
    tcase_add_test(open, a_stream_waits_for_an_event_of_another);
    tcase_add_test(open, the_gate_holds_until_it_is_released);
    tcase_add_test(open, a_gate_that_is_not_released_expires_and_says_so);
    tcase_add_test(open, a_full_queue_behind_a_gate_ends_at_the_limit);
    tcase_add_test(open, closing_with_a_held_gate_does_not_wait);
    tcase_add_test(open, the_flush_needs_its_memory_and_says_when_it_has_none);
    suite_add_tcase(suite, open);
}

GB_CHECK_MAIN("device_cuda_streams", add_cases)
