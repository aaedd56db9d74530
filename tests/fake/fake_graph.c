/* Captures and graphs of the fake runtime: a graph is the list of operations that a capture took
 * down, in the order of the calls. */
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

struct CUgraph_st {
    fake_list *ops;
};

struct CUgraphExec_st {
    fake_list *ops;
};

fake_capture *fake_current;

void fake_append(fake_list *list, fake_op *op)
{
    *list->last = op;
    list->last = &op->next;
    list->nodes += op->node;
}

bool fake_capturing(cudaStream_t stream)
{
    return fake_real(stream)->session != NULL;
}

cudaError_t fake_refuse_in_capture(void)
{
    if (!fake_current)
        return cudaSuccess;
    fake_current->spoilt = true;
    return fake_fail(cudaErrorStreamCaptureUnsupported);
}

static fake_list *new_list(void)
{
    fake_list *list = calloc(1, sizeof *list);
    if (!list)
        abort();
    list->references = 1;
    list->last = &list->first;
    return list;
}

static fake_list *keep(fake_list *list)
{
    list->references++;
    return list;
}

static void drop(fake_list *list)
{
    if (--list->references > 0)
        return;
    while (list->first) {
        fake_op *op = list->first;
        list->first = op->next;
        fake_free_op(op);
    }
    free(list);
}

void fake_end_session(fake_capture *session)
{
    fake_real(NULL)->session = NULL;
    for (cudaStream_t s = fake_streams; s; s = s->next)
        if (s->session == session)
            s->session = NULL;
    fake_current = NULL;
    drop(session->ops);
    free(session);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    cudaError_t status = fake_enter(__func__);
    (void)mode;
    if (status != cudaSuccess)
        return status;
    if (!stream || fake_current)
        return fake_fail(cudaErrorStreamCaptureUnsupported);
    fake_current = calloc(1, sizeof *fake_current);
    if (!fake_current)
        abort();
    fake_current->origin = stream;
    fake_current->ops = new_list();
    stream->session = fake_current;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out)
{
    cudaError_t status = fake_enter(__func__);
    *out = NULL;
    fake_capture *session = fake_real(stream)->session;
    if (!session || session->origin != stream)
        return status != cudaSuccess ? status : fake_fail(cudaErrorStreamCaptureUnmatched);
    bool unjoined = false;
    for (cudaStream_t s = fake_streams; s; s = s->next) {
        unjoined |= s->session == session && s != stream && s->unjoined;
        s->unjoined = false;
    }
    if (status == cudaSuccess && session->spoilt)
        status = fake_fail(cudaErrorStreamCaptureInvalidated);
    if (status == cudaSuccess && unjoined)
        status = fake_fail(cudaErrorStreamCaptureUnjoined);
    if (status == cudaSuccess) {
        cudaGraph_t graph = calloc(1, sizeof *graph);
        if (!graph)
            abort();
        graph->ops = keep(session->ops);
        fake_count_live(1, "graph");
        *out = graph;
    }
    fake_end_session(session);
    return status;
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
    cudaError_t status = fake_enter(__func__);
    if (status == cudaSuccess && !nodes)
        *count = graph->ops->nodes;
    return status;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, unsigned long long flags)
#else
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *flags,
                                 char *log, size_t size)
#endif
{
    cudaError_t status = fake_enter(__func__);
    (void)flags;
#if CUDART_VERSION < 12000
    (void)log, (void)size;
#endif
    if (status != cudaSuccess)
        return status;
    cudaGraphExec_t exec = calloc(1, sizeof *exec);
    if (!exec)
        abort();
    exec->ops = keep(graph->ops);
    fake_count_live(1, "executable graph");
    *out = exec;
    return cudaSuccess;
}

static bool same_topology(const fake_list *a, const fake_list *b)
{
    const fake_op *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (x->kind != y->kind)
            return false;
    return !x && !y;
}

#if CUDART_VERSION >= 12000
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo *info)
#else
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *node,
                                enum cudaGraphExecUpdateResult *info)
#endif
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (!same_topology(exec->ops, graph->ops)) {
#if CUDART_VERSION >= 12000
        info->result = cudaGraphExecUpdateErrorTopologyChanged;
#else
        *node = NULL;
        *info = cudaGraphExecUpdateErrorTopologyChanged;
#endif
        return fake_fail(cudaErrorGraphExecUpdateFailure);
    }
    fake_list *old = exec->ops;
    exec->ops = keep(graph->ops);
    drop(old);
    return cudaSuccess;
}

static void run_graph(const fake_op *op)
{
    fake_list *list;
    memcpy(&list, op->data, sizeof list);
    for (const fake_op *o = list->first; o && fake_sticky() == cudaSuccess; o = o->next)
        o->run(o);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    return fake_enqueue(stream, run_graph, OP_GRAPH, true, &exec->ops, sizeof exec->ops);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    cudaError_t status = fake_enter(__func__);
    fake_drain_all(); /* launches in the queues run to their end */
    drop(exec->ops);
    free(exec);
    fake_count_live(-1, "executable graph");
    return status;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    cudaError_t status = fake_enter(__func__);
    drop(graph->ops);
    free(graph);
    fake_count_live(-1, "graph");
    return status;
}
