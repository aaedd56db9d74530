#include "gpu/device_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool gb_expect(gb_error *err, bool condition, const char *what)
{
    if (!condition) {
        gb_fail(err, GB_INTERNAL, "expected that %s", what);
    }
    return condition;
}

/* What most tests work with: a stream, two device buffers and two host buffers of `bytes`. */
typedef struct rig {
    gb_device *dev;
    gb_stream *stream;
    gb_event *start, *stop;
    gb_memory a, b, from, to;
    size_t bytes;
} rig;

static void rig_close(rig *r)
{
    const gb_device_ops *ops = r->dev->ops;
    ops->free(r->dev, &r->a);
    ops->free(r->dev, &r->b);
    ops->free(r->dev, &r->from);
    ops->free(r->dev, &r->to);
    if (r->start != NULL) {
        ops->event_destroy(r->dev, r->start);
    }
    if (r->stop != NULL) {
        ops->event_destroy(r->dev, r->stop);
    }
    if (r->stream != NULL) {
        ops->stream_destroy(r->dev, r->stream);
    }
}

/* Host buffers: pinned where they can be had, so that copies are asynchronous on a GPU. */
static gb_code rig_open(rig *r, gb_device *dev, size_t bytes, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    *r = (rig){.dev = dev, .bytes = bytes};
    gb_code code = ops->stream_create(dev, &r->stream, err);
    code = code != GB_OK ? code : ops->event_create(dev, &r->start, err);
    code = code != GB_OK ? code : ops->event_create(dev, &r->stop, err);
    code = code != GB_OK ? code : ops->alloc(dev, GB_MEM_DEVICE, bytes, &r->a, err);
    code = code != GB_OK ? code : ops->alloc(dev, GB_MEM_DEVICE, bytes, &r->b, err);
    gb_memory *hosts[] = {&r->from, &r->to};
    for (size_t i = 0; i < 2 && code == GB_OK; i++) {
        code = ops->alloc(dev, GB_MEM_PINNED, bytes, hosts[i], err);
        if (code == GB_NO_MEMORY || code == GB_UNAVAILABLE) {
            code = ops->alloc(dev, GB_MEM_PAGEABLE, bytes, hosts[i], err);
        }
    }
    if (code != GB_OK) {
        rig_close(r);
        return code;
    }
    for (size_t i = 0; i < bytes; i++) {
        ((unsigned char *)r->from.host)[i] = (unsigned char)(i * 131 + (i >> 8) * 7 + 3);
    }
    memset(r->to.host, 0, bytes);
    return GB_OK;
}

static gb_code copies_round_trip(gb_device *dev, gb_error *err)
{
    static const size_t sizes[] = {1, 31, 33, 1023, 4096, 1000003, (1 << 24) + 5};
    const gb_device_ops *ops = dev->ops;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        rig r;
        gb_code code = rig_open(&r, dev, sizes[i], err);
        if (code != GB_OK) {
            return code;
        }
        code = ops->copy(dev, r.stream, r.a.device, r.from.host, r.bytes, GB_COPY_H2D, err);
        code = code ? code
                    : ops->copy(dev, r.stream, r.b.device, r.a.device, r.bytes, GB_COPY_D2D, err);
        code = code ? code
                    : ops->copy(dev, r.stream, r.to.host, r.b.device, r.bytes, GB_COPY_D2H, err);
        code = code ? code : ops->stream_sync(dev, r.stream, err);
        if (code == GB_OK && !gb_expect(err, memcmp(r.from.host, r.to.host, r.bytes) == 0,
                                        "bytes come back as they were sent")) {
            code = err->code;
        }
        rig_close(&r);
        if (code != GB_OK) {
            return code;
        }
    }
    return GB_OK;
}

/* Every kind of memory that the device says it has can be had, and the others are refused. */
static gb_code memory_kinds(gb_device *dev, gb_error *err)
{
    for (int kind = 0; kind < GB_MEMORY_KINDS; kind++) {
        gb_memory m = {0};
        gb_error why = {0};
        gb_code code = dev->ops->alloc(dev, (gb_memory_kind)kind, 1 << 20, &m, &why);
        bool host = m.host != NULL, device = m.device != NULL;
        dev->ops->free(dev, &m);
        if (dev->info.memory_kinds[kind] && code != GB_OK && code != GB_NO_MEMORY) {
            *err = why;
            return code;
        }
        bool expected_device =
            kind == GB_MEM_DEVICE || kind == GB_MEM_MAPPED || kind == GB_MEM_MANAGED;
        if (!gb_expect(err, dev->info.memory_kinds[kind] || code == GB_UNAVAILABLE,
                       "a kind that is not there is unavailable") ||
            (code == GB_OK &&
             !gb_expect(err, device == expected_device && host == (kind != GB_MEM_DEVICE),
                        "host and device pointers fit the kind"))) {
            return err->code;
        }
    }
    return GB_OK;
}

static gb_code too_much_memory(gb_device *dev, gb_error *err)
{
    uint64_t free_bytes, total;
    gb_memory m = {0}, small = {0};
    gb_error why = {0};
    gb_code code = dev->ops->memory_info(dev, &free_bytes, &total, err);
    if (code != GB_OK) {
        return code;
    }
    code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)total * 2, &m, &why);
    dev->ops->free(dev, &m);
    if (!gb_expect(err, code == GB_NO_MEMORY && !why.sticky, "twice the memory is refused")) {
        return err->code;
    }
    code = dev->ops->alloc(dev, GB_MEM_DEVICE, 4096, &small, err); /* nothing is left behind */
    dev->ops->free(dev, &small);
    return code;
}

/* Twice the bytes filled take longer, and both take some time. */
/* Two blocks at once are two, and what was given back can be had again and trimmed. */
static gb_code pool_in_stream_order(gb_device *dev, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    const size_t bytes = 1 << 20;
    rig r;
    gb_memory a = {0}, b = {0};
    gb_code code = rig_open(&r, dev, bytes, err);
    if (code != GB_OK) {
        return code;
    }
    for (int round = 0; round < 2 && code == GB_OK; round++) {
        memset(r.to.host, 0, bytes);
        code = ops->alloc_async(dev, r.stream, bytes, &a, err);
        code = code ? code : ops->alloc_async(dev, r.stream, bytes, &b, err);
        code =
            code ? code : ops->copy(dev, r.stream, a.device, r.from.host, bytes, GB_COPY_H2D, err);
        code = code ? code : ops->fill(dev, r.stream, b.device, 0xff, bytes, err);
        code = code ? code : ops->copy(dev, r.stream, r.to.host, a.device, bytes, GB_COPY_D2H, err);
        gb_code freed = ops->free_async(dev, r.stream, &b, code ? NULL : err);
        code = code ? code : freed;
        freed = ops->free_async(dev, r.stream, &a, code ? NULL : err);
        code = code ? code : freed;
        code = code ? code : ops->stream_sync(dev, r.stream, err);
        if (code == GB_OK &&
            (!gb_expect(err, memcmp(r.from.host, r.to.host, bytes) == 0,
                        "what was written to one block is there after the other was filled") ||
             !gb_expect(err, a.bytes == 0 && b.bytes == 0, "what was given back is zeroed"))) {
            code = err->code;
        }
    }
    code = code ? code : ops->pool_trim(dev, err);
    rig_close(&r);
    return code;
}

static gb_code pool_refuses_too_much(gb_device *dev, gb_error *err)
{
    rig r;
    uint64_t free_bytes, total;
    gb_memory m = {0};
    gb_error why = {0};
    gb_code code = rig_open(&r, dev, 4096, err);
    if (code != GB_OK) {
        return code;
    }
    code = dev->ops->memory_info(dev, &free_bytes, &total, err);
    gb_code refused = dev->ops->alloc_async(dev, r.stream, (size_t)total * 2, &m, &why);
    if (code == GB_OK && refused == GB_UNAVAILABLE) {
        *err = why;
        code = refused;
    } else if (code == GB_OK && !gb_expect(err, refused == GB_NO_MEMORY && !why.sticky,
                                           "twice the memory is refused by the pool")) {
        code = err->code;
    }
    code = code ? code : dev->ops->alloc_async(dev, r.stream, 4096, &m, err);
    gb_code freed = dev->ops->free_async(dev, r.stream, &m, code ? NULL : err);
    code = code ? code : freed;
    code = code ? code : dev->ops->stream_sync(dev, r.stream, err);
    code = code ? code : dev->ops->pool_trim(dev, err);
    rig_close(&r);
    return code;
}

static gb_code events_measure(gb_device *dev, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    rig r;
    double ns[2] = {0, 0};
    gb_code code = rig_open(&r, dev, 64 << 20, err);
    if (code != GB_OK) {
        return code;
    }
    for (int round = 0; round < 4 && code == GB_OK; round++) { /* the first ones warm up */
        for (int i = 0; i < 2 && code == GB_OK; i++) {
            code = ops->event_record(dev, r.start, r.stream, err);
            for (int n = 0; n < (i == 0 ? 1 : 8) && code == GB_OK; n++) {
                code = ops->fill(dev, r.stream, r.a.device, n, r.bytes, err);
            }
            code = code ? code : ops->event_record(dev, r.stop, r.stream, err);
            code = code ? code : ops->elapsed_ns(dev, r.start, r.stop, &ns[i], err);
        }
    }
    if (code == GB_OK && !gb_expect(err, ns[0] > 0 && ns[1] > 2 * ns[0],
                                    "eight fills take more than twice as long as one")) {
        code = err->code;
    }
    rig_close(&r);
    return code;
}

/* b is filled on a second stream after a's copy; stream_wait keeps the order. */
static gb_code streams_wait(gb_device *dev, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    rig r;
    gb_stream *second = NULL;
    gb_code code = rig_open(&r, dev, 32 << 20, err);
    if (code != GB_OK) {
        return code;
    }
    code = ops->stream_create(dev, &second, err);
    code =
        code ? code : ops->copy(dev, r.stream, r.a.device, r.from.host, r.bytes, GB_COPY_H2D, err);
    code = code ? code : ops->event_record(dev, r.stop, r.stream, err);
    code = code ? code : ops->stream_wait(dev, second, r.stop, err);
    code = code ? code : ops->copy(dev, second, r.to.host, r.a.device, r.bytes, GB_COPY_D2H, err);
    code = code ? code : ops->stream_sync(dev, second, err);
    if (code == GB_OK && !gb_expect(err, memcmp(r.from.host, r.to.host, r.bytes) == 0,
                                    "the second stream sees what the first one wrote")) {
        code = err->code;
    }
    if (second != NULL) {
        ops->stream_destroy(dev, second);
    }
    rig_close(&r);
    return code;
}

/* Holds a fill behind the gate for some time; the time between the events must not contain it. */
static gb_code gate_holds(gb_device *dev, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    rig r;
    double ns = NAN;
    bool expired = true;
    gb_code code = rig_open(&r, dev, 4096, err);
    if (code != GB_OK) {
        return code;
    }
    for (int round = 0; round < 2 && code == GB_OK; round++) { /* once to load everything */
        code = ops->gate_hold(dev, r.stream, 2000000000, err);
        code = code ? code : ops->event_record(dev, r.start, r.stream, err);
        code = code ? code : ops->fill(dev, r.stream, r.a.device, 1, r.bytes, err);
        code = code ? code : ops->event_record(dev, r.stop, r.stream, err);
        uint64_t until = ops->now_ns(dev) + 50000000;
        while (ops->now_ns(dev) < until) {
        }
        ops->gate_release(dev);
        code = code ? code : ops->elapsed_ns(dev, r.start, r.stop, &ns, err);
        gb_code finish = ops->gate_finish(dev, &expired, err);
        code = code ? code : finish;
    }
    if (code == GB_OK && (!gb_expect(err, !expired, "a gate that was released has not expired") ||
                          !gb_expect(err, ns < 25e6, "the wait at the gate is not in the time"))) {
        code = err->code;
    }
    rig_close(&r);
    return code;
}

static gb_code gate_expires(gb_device *dev, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    rig r;
    bool expired = false;
    gb_code code = rig_open(&r, dev, 4096, err);
    if (code != GB_OK) {
        return code;
    }
    code = ops->gate_hold(dev, r.stream, 20000000, err);
    code = code ? code : ops->fill(dev, r.stream, r.a.device, 1, r.bytes, err);
    code = code ? code : ops->stream_sync(dev, r.stream, err); /* nobody releases it */
    gb_code finish = ops->gate_finish(dev, &expired, err);
    code = code ? code : finish;
    if (code == GB_OK && !gb_expect(err, expired, "a gate that nobody released says it expired")) {
        code = err->code;
    }
    rig_close(&r);
    return code;
}

/* Captures two fills and a copy, replays the graph, and updates it. */
static gb_code capture(gb_device *dev, rig *r, int first, gb_graph **graph, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    size_t half = r->bytes / 2;
    gb_code code = ops->capture_begin(dev, r->stream, err);
    if (code != GB_OK) {
        return code;
    }
    code = ops->fill(dev, r->stream, r->a.device, first, half, err);
    code =
        code ? code : ops->fill(dev, r->stream, (char *)r->a.device + half, first + 1, half, err);
    code = code ? code
                : ops->copy(dev, r->stream, r->b.device, r->a.device, r->bytes, GB_COPY_D2D, err);
    gb_code end = ops->capture_end(dev, r->stream, graph, code == GB_OK ? err : NULL);
    return code != GB_OK ? code : end;
}

static gb_code replay(gb_device *dev, rig *r, gb_graph *graph, int first, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    gb_code code = ops->fill(dev, r->stream, r->b.device, 0xEE, r->bytes, err);
    code = code ? code : ops->graph_launch(dev, graph, r->stream, err);
    code = code ? code
                : ops->copy(dev, r->stream, r->to.host, r->b.device, r->bytes, GB_COPY_D2H, err);
    code = code ? code : ops->stream_sync(dev, r->stream, err);
    const unsigned char *to = r->to.host;
    for (size_t i = 0; code == GB_OK && i < r->bytes; i++) {
        if (!gb_expect(err, to[i] == first + (i >= r->bytes / 2), "a replay does all its nodes")) {
            code = err->code;
        }
    }
    return code;
}

static gb_code graphs_replay(gb_device *dev, gb_error *err)
{
    const gb_device_ops *ops = dev->ops;
    rig r;
    gb_graph *graph = NULL, *other = NULL;
    size_t nodes = 0;
    gb_code code = rig_open(&r, dev, 8192, err);
    if (code != GB_OK) {
        return code;
    }
    code = capture(dev, &r, 10, &graph, err);
    code = code ? code : ops->graph_nodes(dev, graph, &nodes, err);
    if (code == GB_OK && !gb_expect(err, nodes == 3, "three operations are three nodes")) {
        code = err->code;
    }
    code = code ? code : ops->graph_instantiate(dev, graph, err);
    code = code ? code : replay(dev, &r, graph, 10, err);
    code = code ? code : replay(dev, &r, graph, 10, err);
    code = code ? code : capture(dev, &r, 20, &other, err);
    code = code ? code : ops->graph_update(dev, graph, other, err);
    code = code ? code : replay(dev, &r, graph, 20, err);
    if (graph != NULL) {
        ops->graph_destroy(dev, graph);
    }
    if (other != NULL) {
        ops->graph_destroy(dev, other);
    }
    rig_close(&r);
    return code;
}

static gb_code cache_flush(gb_device *dev, gb_error *err)
{
    rig r;
    gb_code code = rig_open(&r, dev, 4096, err);
    if (code != GB_OK) {
        return code;
    }
    code = dev->ops->flush_cache(dev, r.stream, err);
    code = code ? code : dev->ops->stream_sync(dev, r.stream, err);
    rig_close(&r);
    return code;
}

/* A product with three different sides, so that a swapped or transposed operand shows. */
static gb_code blas_product(gb_device *dev, gb_error *err)
{
    enum { M = 5, N = 7, K = 3 };
    const gb_device_ops *ops = dev->ops;
    rig r;
    gb_memory c = {0};
    gb_code code = rig_open(&r, dev, 4096, err);
    if (code != GB_OK) {
        return code;
    }
    float *host = r.from.host;
    for (int i = 0; i < M * K + K * N; i++) {
        host[i] = (float)((i * 7) % 11) - 5;
    }
    const float *a = host, *b = host + M * K;
    code = ops->alloc(dev, GB_MEM_DEVICE, 4096, &c, err);
    code = code ? code
                : ops->copy(dev, r.stream, r.a.device, a, sizeof(float[M * K]), GB_COPY_H2D, err);
    code = code ? code
                : ops->copy(dev, r.stream, r.b.device, b, sizeof(float[K * N]), GB_COPY_H2D, err);
    code = code ? code
                : ops->gemm(dev, r.stream, GB_GEMM_FP32, M, N, K, r.a.device, r.b.device, c.device,
                            err);
    code = code ? code
                : ops->copy(dev, r.stream, r.to.host, c.device, sizeof(float[M * N]), GB_COPY_D2H,
                            err);
    code = code ? code : ops->stream_sync(dev, r.stream, err);
    for (int i = 0; code == GB_OK && i < M * N; i++) {
        float want = 0;
        for (int k = 0; k < K; k++) {
            want += a[i / N * K + k] * b[k * N + i % N];
        }
        if (!gb_expect(err, fabsf(((float *)r.to.host)[i] - want) <= 1e-4F,
                       "C = A * B, row-major")) {
            code = err->code;
        }
    }
    ops->free(dev, &c);
    rig_close(&r);
    return code;
}

static gb_code telemetry_is_sane(gb_device *dev, gb_error *err)
{
    gb_telemetry t;
    dev->ops->telemetry(dev, &t);
    /* unknown is NAN, never 0 degrees or 0 MHz */
    if (!gb_expect(err, !(t.temperature_c == 0) && !(t.sm_clock_mhz == 0) && !(t.power_w == 0),
                   "an unknown reading is not 0")) {
        return err->code;
    }
    return GB_OK;
}

const gb_named_test gb_device_tests[] = {
    {"copies come back as they were sent", copies_round_trip},
    {"kinds of memory", memory_kinds},
    {"too much memory is refused and leaves nothing behind", too_much_memory},
    {"memory in the order of a stream", pool_in_stream_order},
    {"too much of that memory is refused", pool_refuses_too_much},
    {"events measure", events_measure},
    {"a stream waits for another", streams_wait},
    {"the gate holds and is not in the time", gate_holds},
    {"the gate expires by itself and says so", gate_expires},
    {"graphs replay and update", graphs_replay},
    {"the cache can be flushed", cache_flush},
    {"the product of the vendor's BLAS", blas_product},
    {"telemetry", telemetry_is_sane},
    {NULL, NULL},
};
