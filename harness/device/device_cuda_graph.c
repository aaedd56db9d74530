/* Graphs: capture a stream's work, instantiate, launch, update. */
#include "device/device_cuda.h"

#include <stdlib.h>

gb_code gb_cuda_capture_begin(gb_device *dev, gb_stream *stream, gb_error *err)
{
    (void)dev;
    /* thread-local: another thread's calls can neither break nor enter the capture */
    cudaError_t status =
        cudaStreamBeginCapture((cudaStream_t)stream, cudaStreamCaptureModeThreadLocal);
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaStreamBeginCapture", status, err);
}

gb_code gb_cuda_capture_end(gb_device *dev, gb_stream *stream, gb_graph **out, gb_error *err)
{
    (void)dev;
    *out = NULL;
    gb_graph *graph = calloc(1, sizeof *graph);
    /* ends the capture also when there is no memory for its result */
    cudaGraph_t captured = NULL;
    cudaError_t status = cudaStreamEndCapture((cudaStream_t)stream, &captured);
    if (status == cudaSuccess && graph && captured) {
        graph->graph = captured;
        *out = graph;
        return GB_OK;
    }
    if (captured)
        (void)cudaGraphDestroy(captured);
    free(graph);
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaStreamEndCapture", status, err);
    return gb_fail(err, graph ? GB_DEVICE_ERROR : GB_NO_MEMORY,
                   graph ? "cudaStreamEndCapture gave no graph" : "out of memory for a graph");
}

gb_code gb_cuda_graph_nodes(gb_device *dev, gb_graph *graph, size_t *count, gb_error *err)
{
    (void)dev;
    cudaError_t status = cudaGraphGetNodes(graph->graph, NULL, count);
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaGraphGetNodes", status, err);
}

gb_code gb_cuda_graph_instantiate(gb_device *dev, gb_graph *graph, gb_error *err)
{
    (void)dev;
    cudaGraphExec_t exec = NULL;
#if CUDART_VERSION >= 12000
    cudaError_t status = cudaGraphInstantiate(&exec, graph->graph, 0);
#else
    cudaError_t status = cudaGraphInstantiate(&exec, graph->graph, NULL, NULL, 0);
#endif
    if (status != cudaSuccess)
        return gb_cuda_fail("cudaGraphInstantiate", status, err);
    if (graph->exec)
        (void)cudaGraphExecDestroy(graph->exec);
    graph->exec = exec;
    return GB_OK;
}

static gb_code not_instantiated(gb_error *err)
{
    return gb_fail(err, GB_INVALID, "the graph is not instantiated");
}

gb_code gb_cuda_graph_update(gb_device *dev, gb_graph *graph, gb_graph *from, gb_error *err)
{
    (void)dev;
    if (!graph->exec)
        return not_instantiated(err);
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo info = {.result = cudaGraphExecUpdateSuccess};
    cudaError_t status = cudaGraphExecUpdate(graph->exec, from->graph, &info);
    int result = (int)info.result;
#else
    cudaGraphNode_t node = NULL;
    enum cudaGraphExecUpdateResult outcome = cudaGraphExecUpdateSuccess;
    cudaError_t status = cudaGraphExecUpdate(graph->exec, from->graph, &node, &outcome);
    int result = (int)outcome;
#endif
    if (status == cudaSuccess)
        return GB_OK;
    gb_code code = gb_cuda_fail("cudaGraphExecUpdate", status, err);
    gb_cuda_explain(err, "cudaGraphExecUpdateResult %d", result);
    return code;
}

gb_code gb_cuda_graph_launch(gb_device *dev, gb_graph *graph, gb_stream *stream, gb_error *err)
{
    (void)dev;
    if (!graph->exec)
        return not_instantiated(err);
    cudaError_t status = cudaGraphLaunch(graph->exec, (cudaStream_t)stream);
    return status == cudaSuccess ? GB_OK : gb_cuda_fail("cudaGraphLaunch", status, err);
}

void gb_cuda_graph_destroy(gb_device *dev, gb_graph *graph)
{
    (void)dev;
    if (!graph)
        return;
    if (graph->exec)
        (void)cudaGraphExecDestroy(graph->exec);
    (void)cudaGraphDestroy(graph->graph);
    (void)cudaGetLastError();
    free(graph);
}
