/* The cuda device on the fake runtime: captures and graphs. */
#include "device_cuda_fixture.h"

static gb_graph *capture_scale(arrays *a, float by, int times)
{
    gb_graph *graph = NULL;
    ck_assert_int_eq(dev->ops->capture_begin(dev, a->stream, &err), GB_OK);
    for (int i = 0; i < times; i++)
        ck_assert_int_eq(scale(a, by), GB_OK);
    ck_assert_msg(dev->ops->capture_end(dev, a->stream, &graph, &err) == GB_OK, "%s", err.message);
    return graph;
}

START_TEST(KRN_12_a_graph_replays_all_its_nodes)
{
    arrays a;
    size_t nodes = 0;
    make_arrays(&a, 1000);
    gb_graph *graph = capture_scale(&a, 4, 3);
    ck_assert_int_eq(dev->ops->graph_nodes(dev, graph, &nodes, &err), GB_OK);
    ck_assert_uint_eq(nodes, 3);
    ck_assert_int_eq(dev->ops->graph_launch(dev, graph, a.stream, &err), GB_INVALID);
    ck_assert_int_eq(dev->ops->graph_instantiate(dev, graph, &err), GB_OK);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(dev->ops->fill(dev, a.stream, a.y.device, 0xFF, 4000, &err), GB_OK);
        ck_assert_int_eq(dev->ops->graph_launch(dev, graph, a.stream, &err), GB_OK);
        check_scaled(&a, 4);
    }
    gb_graph *from = capture_scale(&a, 9, 3);
    ck_assert_int_eq(dev->ops->graph_update(dev, graph, from, &err), GB_OK);
    ck_assert_int_eq(dev->ops->graph_launch(dev, graph, a.stream, &err), GB_OK);
    check_scaled(&a, 9);
    ck_assert_int_eq(dev->ops->graph_instantiate(dev, graph, &err), GB_OK); /* again */
    gb_graph *longer = capture_scale(&a, 9, 4);
    ck_assert_int_eq(dev->ops->graph_update(dev, graph, longer, &err), GB_DEVICE_ERROR);
    says("910 (cudaErrorGraphExecUpdateFailure");
    dev->ops->graph_destroy(dev, graph);
    dev->ops->graph_destroy(dev, from);
    dev->ops->graph_destroy(dev, longer);
    free_arrays(&a);
}
END_TEST

START_TEST(KRN_10_captures_that_cannot_be_are_errors_with_their_number)
{
    arrays a;
    gb_stream *other;
    gb_event *event;
    gb_graph *graph = NULL;
    make_arrays(&a, 100);
    ck_assert_int_eq(dev->ops->stream_create(dev, &other, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->capture_begin(dev, NULL, &err), GB_DEVICE_ERROR);
    says("cudaStreamBeginCapture: 900 (cudaErrorStreamCaptureUnsupported");
    ck_assert(!err.sticky);
    /* fork without join */
    ck_assert_int_eq(dev->ops->capture_begin(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, other, event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->fill(dev, other, a.y.device, 0, 400, &err), GB_OK);
    ck_assert_int_eq(dev->ops->capture_end(dev, a.stream, &graph, &err), GB_DEVICE_ERROR);
    says("904");
    ck_assert_ptr_null(graph);
    /* with join */
    ck_assert_int_eq(dev->ops->capture_begin(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, other, event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->fill(dev, other, a.y.device, 0, 400, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, other, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, a.stream, event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->capture_end(dev, a.stream, &graph, &err), GB_OK);
    dev->ops->graph_destroy(dev, graph);
    /* synchronising inside */
    ck_assert_int_eq(dev->ops->capture_begin(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_DEVICE_ERROR);
    ck_assert_int_eq(dev->ops->capture_end(dev, a.stream, &graph, &err), GB_DEVICE_ERROR);
    says("901");
    /* and the stream is of use again */
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    check_scaled(&a, 2);
    dev->ops->event_destroy(dev, event);
    dev->ops->stream_destroy(dev, other);
    free_arrays(&a);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *open = tcase_create("open");
    tcase_add_checked_fixture(open, setup, teardown);
    tcase_set_timeout(open, 60);
    tcase_add_test(open, KRN_12_a_graph_replays_all_its_nodes);
    tcase_add_test(open, KRN_10_captures_that_cannot_be_are_errors_with_their_number);
    suite_add_tcase(suite, open);
}

GB_CHECK_MAIN("device_cuda_graphs", add_cases)
