/* Graphs of the cpu device: a recorded list of operations that is submitted as one. The order of
 * recording respects every dependency, so one after the other is a right way to run them. */
#include <stdlib.h>

#include "device/cpu_internal.h"

struct gb_graph {
    gb_op **nodes;
    size_t count, capacity;
    gb_stream *origin;
    bool instantiated;
    bool emulated; /* some kernel of it runs as fibers */
};

gb_code gb_cpu_graph_add(gb_graph *graph, const gb_op *op, gb_error *err)
{
    if (op->kind == GB_OP_GRAPH)
        return gb_fail(err, GB_UNAVAILABLE, "the cpu device has no graphs within graphs");
    if (graph->count == graph->capacity) {
        size_t capacity = graph->capacity == 0 ? 16 : graph->capacity * 2;
        gb_op **nodes = realloc(graph->nodes, capacity * sizeof(gb_op *));
        if (nodes == NULL)
            return gb_fail(err, GB_NO_MEMORY, "no memory for a graph of %zu nodes", capacity);
        graph->nodes = nodes;
        graph->capacity = capacity;
    }
    gb_op *node = gb_cpu_op_with_room(NULL, op->used);
    if (node == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for node %zu of a graph", graph->count);
    gb_cpu_copy_op(node, op);
    graph->nodes[graph->count++] = node;
    if (op->kind == GB_OP_LAUNCH && op->launch.code->emulated)
        graph->emulated = true;
    return GB_OK;
}

gb_code gb_cpu_capture_begin(gb_device *dev, gb_stream *stream, gb_error *err)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    if (gb_cpu_capturing(stream) != NULL)
        return gb_fail(err, GB_INVALID, "the stream is capturing a graph already");
    gb_graph *graph = calloc(1, sizeof *graph);
    if (graph == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a graph");
    graph->origin = stream;
    gb_cpu_enter_capture(stream, graph, ++cpu->captures);
    return GB_OK;
}

gb_code gb_cpu_capture_end(gb_device *dev, gb_stream *stream, gb_graph **out, gb_error *err)
{
    gb_graph *graph = gb_cpu_capturing(stream);
    *out = NULL;
    if (graph == NULL || graph->origin != stream)
        return gb_fail(err, GB_INVALID, "no capture was begun on this stream");
    unsigned unjoined = gb_cpu_leave_capture(gb_cpu_of(dev), stream);
    if (unjoined > 0) {
        gb_cpu_graph_destroy(dev, graph);
        return gb_fail(err, GB_INVALID,
                       "capture ended with unjoined work on %u other stream%s: let the first "
                       "stream wait for an event recorded there",
                       unjoined, unjoined == 1 ? "" : "s");
    }
    *out = graph;
    return GB_OK;
}

gb_code gb_cpu_graph_nodes(gb_device *dev, gb_graph *graph, size_t *count, gb_error *err)
{
    (void)dev, (void)err;
    *count = graph->count;
    return GB_OK;
}

gb_code gb_cpu_graph_instantiate(gb_device *dev, gb_graph *graph, gb_error *err)
{
    (void)dev;
    if (graph->instantiated)
        return gb_fail(err, GB_INVALID, "the graph is instantiated already");
    graph->instantiated = true;
    return GB_OK;
}

gb_code gb_cpu_graph_update(gb_device *dev, gb_graph *graph, gb_graph *from, gb_error *err)
{
    if (!graph->instantiated)
        return gb_fail(err, GB_INVALID, "update of a graph that is not instantiated");
    if (graph->count != from->count)
        return gb_fail(err, GB_INVALID,
                       "update of a graph with %zu nodes from one with %zu: the topology must be "
                       "the same",
                       graph->count, from->count);
    for (size_t i = 0; i < graph->count; i++) {
        const gb_op *a = graph->nodes[i], *b = from->nodes[i];
        if (a->kind != b->kind || (a->kind == GB_OP_LAUNCH && a->launch.code != b->launch.code))
            return gb_fail(err, GB_INVALID,
                           "update of a graph: node %zu is of another kind or kernel", i);
    }
    gb_cpu_drain_streams(gb_cpu_of(dev));     /* launches before the update keep their parameters */
    for (size_t i = 0; i < graph->count; i++) /* of the same kernel, so there is room */
        gb_cpu_copy_op(graph->nodes[i], from->nodes[i]);
    return GB_OK;
}

gb_code gb_cpu_graph_launch(gb_device *dev, gb_graph *graph, gb_stream *stream, gb_error *err)
{
    if (!graph->instantiated)
        return gb_fail(err, GB_INVALID, "launch of a graph that is not instantiated");
    gb_op op = {.kind = GB_OP_GRAPH, .graph = graph};
    dev->emulated |= graph->emulated;
    return gb_cpu_enqueue(stream, &op, err);
}

gb_code gb_cpu_run_graph(gb_cpu *cpu, gb_graph *graph, gb_error *err)
{
    for (size_t i = 0; i < graph->count; i++) {
        gb_code code = gb_cpu_execute(cpu, graph->nodes[i], err);
        if (code != GB_OK)
            return gb_fail_context(err, "node %zu of a graph", i);
    }
    return GB_OK;
}

void gb_cpu_graph_destroy(gb_device *dev, gb_graph *graph)
{
    if (graph == NULL)
        return;
    if (graph->instantiated)
        gb_cpu_drain_streams(gb_cpu_of(dev));
    for (size_t i = 0; i < graph->count; i++)
        free(graph->nodes[i]);
    free(graph->nodes);
    free(graph);
}
