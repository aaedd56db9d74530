/* batch: one request on the stream, the graph of it, and the samples. */
#include "kernels/batch.h"

GB_FN_DECLARE(batch_layer)
GB_FN_DECLARE(batch_bias)

#define NO_MARKS NULL

static gb_code mark(gb_run *run, gb_event *const marks[], int which, gb_error *err)
{
    if (marks == NO_MARKS)
        return GB_OK;
    return run->dev->ops->event_record(run->dev, marks[which], run->stream, err);
}

/* Rows of a block's tile, a divisor of BATCH_DEPTH. On a GPU threads without a row of the batch
 * still fetch weights for the others; on a CPU they would be gone through for nothing. */
static uint32_t tile_rows(const gb_device *dev, uint32_t rows)
{
    uint32_t tile = BATCH_ROWS;
    while (dev->info.kind == GB_CPU && tile > rows)
        tile /= 2;
    return tile;
}

/* A layer in one kernel. */
static gb_code layer_own(gb_run *run, void *to, const void *from, int which, uint32_t depth,
                         uint32_t columns, gb_error *err)
{
    gb_batch_state *s = run->state;
    uint32_t rows = (uint32_t)s->rows, rectify = which == 0;
    const uint32_t tile = tile_rows(run->dev, rows);
    const gb_launch launch = {
        .grid = {(columns + BATCH_COLUMNS - 1) / BATCH_COLUMNS, (rows + tile - 1) / tile, 1},
        .block = {BATCH_COLUMNS, tile, 1}};
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(batch_layer), &launch,
                                 (void *[]){&to, &from, &s->weights[which].device,
                                            &s->bias[which].device, &rows, &depth, &columns,
                                            &rectify},
                                 err);
}

/* A layer as the vendor's product and a kernel for bias and activation. */
static gb_code layer_vendor(gb_run *run, void *to, const void *from, int which, uint32_t depth,
                            uint32_t columns, gb_error *err)
{
    gb_batch_state *s = run->state;
    uint32_t rows = (uint32_t)s->rows, rectify = which == 0;
    const gb_launch launch = {.grid = {(columns + GB_BLOCK - 1) / GB_BLOCK, rows, 1},
                              .block = {GB_BLOCK, 1, 1}};
    gb_code code = run->dev->ops->gemm(run->dev, run->stream, GB_GEMM_FP32, (int)rows, (int)columns,
                                       (int)depth, from, s->weights[which].device, to, err);
    if (code != GB_OK)
        return code;
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(batch_bias), &launch,
                                 (void *[]){&to, &s->bias[which].device, &columns, &rectify}, err);
}

static gb_code compute(gb_run *run, gb_error *err)
{
    gb_batch_state *s = run->state;
    const uint32_t width = (uint32_t)s->sizes.width, hidden = (uint32_t)s->sizes.hidden;
    gb_code (*const layer)(gb_run *, void *, const void *, int, uint32_t, uint32_t, gb_error *) =
        s->vendor ? layer_vendor : layer_own;
    gb_code code = layer(run, s->hidden.device, s->in.device, 0, width, hidden, err);
    if (code == GB_OK)
        code = layer(run, s->out.device, s->hidden.device, 1, hidden, width, err);
    return code;
}

/* The steps of a request, one by one. */
static gb_code steps(gb_run *run, gb_event *const marks[], gb_error *err)
{
    gb_batch_state *s = run->state;
    gb_device *dev = run->dev;
    const size_t bytes = (size_t)(s->rows * s->sizes.width) * sizeof(float);
    gb_code code = mark(run, marks, BATCH_BEGIN, err);
    if (code == GB_OK)
        code = dev->ops->copy(dev, run->stream, s->in.device, s->host_in.host, bytes, GB_COPY_H2D,
                              err);
    if (code == GB_OK)
        code = mark(run, marks, BATCH_COPIED_IN, err);
    if (code == GB_OK)
        code = compute(run, err);
    if (code == GB_OK)
        code = mark(run, marks, BATCH_COMPUTED, err);
    if (code == GB_OK)
        code = dev->ops->copy(dev, run->stream, s->host_out.host, s->out.device, bytes, GB_COPY_D2H,
                              err);
    if (code == GB_OK)
        code = mark(run, marks, BATCH_END, err);
    return code;
}

/* The same in one launch: there are no events between the nodes of a graph. */
static gb_code replay(gb_run *run, gb_event *const marks[], gb_error *err)
{
    gb_batch_state *s = run->state;
    gb_code code = mark(run, marks, BATCH_BEGIN, err);
    if (code == GB_OK)
        code = run->dev->ops->graph_launch(run->dev, s->graph, run->stream, err);
    if (code == GB_OK)
        code = mark(run, marks, BATCH_END, err);
    return code;
}

static gb_code submit(gb_run *run, gb_event *const marks[], gb_error *err)
{
    const gb_batch_state *s = run->state;
    return s->graph != NULL ? replay(run, marks, err) : steps(run, marks, err);
}

gb_code gb_batch_capture(gb_run *run, gb_error *err)
{
    gb_batch_state *s = run->state;
    gb_device *dev = run->dev;
    const gb_device_ops *ops = dev->ops;
    gb_graph *graph = NULL;
    size_t nodes = 0;
    /* Two copies and two layers; the vendor's product is one node at least and has another behind
     * it. */
    const size_t least = s->vendor ? 6 : 4;
    /* Once without: loading code and opening the BLAS have no place in a capture. */
    gb_code code = steps(run, NO_MARKS, err);
    if (code == GB_OK)
        code = ops->stream_sync(dev, run->stream, err);
    if (code == GB_OK)
        code = ops->capture_begin(dev, run->stream, err);
    if (code != GB_OK)
        return code;
    code = steps(run, NO_MARKS, err);
    const gb_code ended = ops->capture_end(dev, run->stream, &graph, code == GB_OK ? err : NULL);
    code = code != GB_OK ? code : ended;
    if (code == GB_OK)
        code = ops->graph_nodes(dev, graph, &nodes, err);
    if (code == GB_OK && nodes < least)
        code = gb_fail(err, GB_WRONG_RESULT,
                       "batch: the graph of a request has %zu nodes, at least %zu are needed",
                       nodes, least);
    if (code == GB_OK)
        code = ops->graph_instantiate(dev, graph, err);
    if (code != GB_OK) {
        ops->graph_destroy(dev, graph);
        return code;
    }
    s->graph = graph;
    return GB_OK;
}

gb_code gb_batch_submit(gb_run *run, bool events, gb_error *err)
{
    gb_batch_state *s = run->state;
    return submit(run, events ? s->marks : NO_MARKS, err);
}

gb_code gb_batch_enqueue(gb_run *run, gb_error *err)
{
    return gb_batch_submit(run, false, err);
}

/* Adds what the events of the last request say. */
static gb_code add_parts(gb_run *run, gb_sample *out, gb_error *err)
{
    const gb_batch_state *s = run->state;
    const struct {
        int part, from, to;
    } spans[] = {{BATCH_PART_ON_DEVICE, BATCH_BEGIN, BATCH_END},
                 {BATCH_PART_COPY_IN, BATCH_BEGIN, BATCH_COPIED_IN},
                 {BATCH_PART_COMPUTE, BATCH_COPIED_IN, BATCH_COMPUTED},
                 {BATCH_PART_COPY_OUT, BATCH_COMPUTED, BATCH_END}};
    const size_t n = s->graph != NULL ? 1 : GB_COUNT(spans);
    gb_code code = GB_OK;
    for (size_t i = 0; i < n && code == GB_OK; i++) {
        double ns = 0, *part = &out->parts[spans[i].part];
        code = run->dev->ops->elapsed_ns(run->dev, s->marks[spans[i].from], s->marks[spans[i].to],
                                         &ns, err);
        *part = isnan(*part) ? ns : *part + ns;
    }
    return code;
}

/* From the call that hands a request over until its outputs lie on the host. */
static gb_code request(gb_run *run, gb_sample *out, gb_error *err)
{
    gb_batch_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    const uint64_t begin = ops->now_ns(run->dev);
    gb_code code = gb_batch_submit(run, s->events, err);
    const uint64_t submitted = ops->now_ns(run->dev);
    const gb_code synced = ops->stream_sync(run->dev, run->stream, code == GB_OK ? err : NULL);
    const uint64_t end = ops->now_ns(run->dev);
    out->ns += (double)(end - begin);
    out->parts[BATCH_PART_LAUNCH] += (double)(submitted - begin);
    code = code != GB_OK ? code : synced;
    return code == GB_OK && s->events ? add_parts(run, out, err) : code;
}

gb_code gb_batch_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    *out = gb_sample_of(0);
    out->parts[BATCH_PART_LAUNCH] = 0;
    return gb_sample_each(run, iterations, request, out, err);
}
