/* Graphs on the cpu device: capture, replay, update. */
#include "unit/device_work.h"

GB_FN_DECLARE(early_exit)
GB_FN_DECLARE(index_fiber)

START_TEST(KRN_12_a_graph_replays_every_node)
{
    gb_graph *graph;
    size_t count;
    gb_memory log = device_memory(4 * 400);
    unsigned *p = log.device;
    p[0] = 0;
    OK(dev->ops->capture_begin(dev, stream, &err));
    REFUSED(dev->ops->capture_begin(dev, stream, &err), GB_INVALID, "capturing");
    for (unsigned i = 0; i < 17; i++)
        OK(put_value(stream, &log.device, i));
    REFUSED(sync_stream(), GB_INVALID, "capturing");
    REFUSED(dev->ops->gate_hold(dev, stream, 1000, &err), GB_INVALID, "capturing");
    OK(dev->ops->capture_end(dev, stream, &graph, &err));
    OK(sync_stream());
    ck_assert_uint_eq(p[0], 0); /* recorded, not run */
    OK(dev->ops->graph_nodes(dev, graph, &count, &err));
    ck_assert_uint_eq(count, 17);
    REFUSED(dev->ops->graph_launch(dev, graph, stream, &err), GB_INVALID, "not instantiated");
    OK(dev->ops->graph_instantiate(dev, graph, &err));
    for (int i = 0; i < 20; i++)
        OK(dev->ops->graph_launch(dev, graph, stream, &err));
    OK(sync_stream());
    ck_assert_uint_eq(p[0], 340);
    for (unsigned i = 0; i < 340; i++)
        ck_assert_uint_eq(p[i + 1], i % 17);
    dev->ops->graph_destroy(dev, graph);
    REFUSED(dev->ops->capture_end(dev, stream, &graph, &err), GB_INVALID, "no capture");
    dev->ops->free(dev, &log);
}
END_TEST

static gb_graph *capture_values(void **log, unsigned first, unsigned n)
{
    gb_graph *graph;
    OK(dev->ops->capture_begin(dev, stream, &err));
    for (unsigned i = 0; i < n; i++)
        OK(put_value(stream, log, first + i));
    OK(dev->ops->capture_end(dev, stream, &graph, &err));
    return graph;
}

START_TEST(a_graph_takes_new_parameters_of_the_same_topology)
{
    gb_memory log = device_memory(64);
    unsigned *p = log.device;
    p[0] = 0;
    gb_graph *graph = capture_values(&log.device, 10, 2);
    gb_graph *same = capture_values(&log.device, 20, 2);
    gb_graph *longer = capture_values(&log.device, 30, 3), *other;
    OK(dev->ops->capture_begin(dev, stream, &err));
    OK(put_value(stream, &log.device, 1));
    OK(dev->ops->fill(dev, stream, log.device, 0, 4, &err));
    OK(dev->ops->capture_end(dev, stream, &other, &err));
    REFUSED(dev->ops->graph_update(dev, graph, same, &err), GB_INVALID, "not instantiated");
    OK(dev->ops->graph_instantiate(dev, graph, &err));
    OK(dev->ops->graph_launch(dev, graph, stream, &err));
    OK(dev->ops->graph_update(dev, graph, same, &err)); /* the launch before keeps its own */
    dev->ops->graph_destroy(dev, same);
    OK(dev->ops->graph_launch(dev, graph, stream, &err));
    REFUSED(dev->ops->graph_update(dev, graph, longer, &err), GB_INVALID, "topology");
    REFUSED(dev->ops->graph_update(dev, graph, other, &err), GB_INVALID, "node 1");
    OK(sync_stream());
    const unsigned want[] = {4, 10, 11, 20, 21};
    ck_assert_mem_eq(p, want, sizeof want);
    dev->ops->graph_destroy(dev, graph);
    dev->ops->graph_destroy(dev, longer);
    dev->ops->graph_destroy(dev, other);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(KRN_10_a_capture_forks_and_must_join)
{
    gb_stream *other;
    gb_event *fork_event, *join_event;
    gb_graph *graph;
    size_t count;
    gb_memory log = device_memory(64);
    memset(log.device, 0, 64);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->event_create(dev, &fork_event, &err));
    OK(dev->ops->event_create(dev, &join_event, &err));
    for (int joined = 1; joined >= 0; joined--) {
        OK(dev->ops->capture_begin(dev, stream, &err));
        OK(put_value(stream, &log.device, 1));
        OK(dev->ops->event_record(dev, fork_event, stream, &err));
        OK(dev->ops->stream_wait(dev, other, fork_event, &err));
        OK(put_value(other, &log.device, 2));
        OK(dev->ops->event_record(dev, join_event, other, &err));
        if (joined) {
            OK(dev->ops->stream_wait(dev, stream, join_event, &err));
            OK(put_value(stream, &log.device, 3));
            OK(dev->ops->capture_end(dev, stream, &graph, &err));
        } else {
            REFUSED(dev->ops->capture_end(dev, stream, &graph, &err), GB_INVALID, "unjoined");
            ck_assert_ptr_null(graph);
        }
        if (joined) {
            OK(dev->ops->graph_nodes(dev, graph, &count, &err));
            ck_assert_uint_eq(count, 3);
            OK(dev->ops->graph_instantiate(dev, graph, &err));
            OK(dev->ops->graph_launch(dev, graph, other, &err));
            OK(dev->ops->stream_sync(dev, other, &err));
            const unsigned want[] = {3, 1, 2, 3};
            ck_assert_mem_eq(log.device, want, sizeof want);
            dev->ops->graph_destroy(dev, graph);
        }
    }
    REFUSED(dev->ops->stream_wait(dev, stream, join_event, &err), GB_INVALID, "has ended");
    OK(put_value(other, &log.device, 4)); /* no longer captured */
    OK(dev->ops->stream_sync(dev, other, &err));
    ck_assert_uint_eq(*(unsigned *)log.device, 4);
    dev->ops->event_destroy(dev, fork_event);
    dev->ops->event_destroy(dev, join_event);
    dev->ops->stream_destroy(dev, other);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(a_failing_node_is_named_and_fibers_in_graphs_count_as_emulated)
{
    gb_graph *graph;
    gb_memory log = device_memory(4096);
    memset(log.device, 0, 4096);
    OK(dev->ops->capture_begin(dev, stream, &err));
    OK(launch(GB_FN(index_fiber), 1, 64, (void *[]){&log.device}));
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    OK(dev->ops->capture_end(dev, stream, &graph, &err));
    OK(dev->ops->graph_instantiate(dev, graph, &err));
    dev->emulated = false;
    OK(dev->ops->graph_launch(dev, graph, stream, &err));
    ck_assert(dev->emulated);
    REFUSED(sync_stream(), GB_DEVICE_ERROR, "node 1 of a graph");
    dev->ops->graph_destroy(dev, graph);
    dev->ops->free(dev, &log);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("graphs");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, KRN_12_a_graph_replays_every_node);
    tcase_add_test(c, a_graph_takes_new_parameters_of_the_same_topology);
    tcase_add_test(c, KRN_10_a_capture_forks_and_must_join);
    tcase_add_test(c, a_failing_node_is_named_and_fibers_in_graphs_count_as_emulated);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("device_cpu_graphs", add_cases)
