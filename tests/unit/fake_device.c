#include "unit/fake_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct gb_stream {
    int unused;
};
struct gb_event {
    double at;
    bool recorded;
};

static fake_device *fake_of(gb_device *dev)
{
    return (fake_device *)dev;
}

/* --- failures --------------------------------------------------------------------------------- */

static gb_code fail(fake_device *fake, const char *call, gb_error *err)
{
    gb_code code = gb_fail(err, fake->fail_code, "%s: %d (fake error)", call, fake->fail_status);
    if (err) {
        err->device_status = fake->fail_status;
        err->sticky = fake->fail_sticky;
    }
    return code;
}

/* Counts a call and says whether it fails. */
static gb_code enter(gb_device *dev, fake_call kind, const char *call, gb_error *err)
{
    fake_device *fake = fake_of(dev);
    fake->calls[kind]++;
    fake->calls[FAKE_CALLS]++;
    if (fake->lost)
        return fail(fake, call, err);
    bool syncs = kind == FAKE_STREAM_SYNC || kind == FAKE_SYNC;
    if (fake->late && syncs) {
        fake->late = false;
        fake->lost = fake->fail_sticky;
        return fail(fake, call, err);
    }
    bool due = fake->fail_at > 0 && (fake->fail_call == kind || fake->fail_call == FAKE_CALLS) &&
               fake->calls[fake->fail_call] == fake->fail_at;
    if (!due)
        return GB_OK;
    if (fake->fail_late) {
        fake->late = true;
        return GB_OK;
    }
    fake->lost = fake->fail_sticky;
    return fail(fake, call, err);
}

/* --- time ------------------------------------------------------------------------------------- */

static uint64_t now_ns(gb_device *dev)
{
    fake_device *fake = fake_of(dev);
    if (fake->stopped_clock)
        return 0;
    fake->now += fake->clock_ns;
    return (uint64_t)fake->now;
}

/* A normal deviate by Box and Muller. */
static double normal(gb_rng *rng)
{
    double u = 1 - gb_rng_unit(rng), v = gb_rng_unit(rng);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void run_queued(fake_device *fake, const fake_queued *item)
{
    fake->tail = fmax(fake->tail, fake->held ? fake->tail : fake->now);
    if (item->event) {
        item->event->at = fake->tail;
        item->event->recorded = true;
        return;
    }
    fake->tail += item->ns;
}

static void queue(fake_device *fake, double ns, gb_event *event)
{
    fake_queued item = {ns, event};
    if (!fake->held) {
        run_queued(fake, &item);
        return;
    }
    if (fake->n_behind == fake->behind_capacity) {
        fake->behind_capacity = fake->behind_capacity ? 2 * fake->behind_capacity : 64;
        fake->behind = realloc(fake->behind, fake->behind_capacity * sizeof *fake->behind);
    }
    fake->behind[fake->n_behind++] = item;
}

/* The host's side of putting work on the queue, which may be full. */
static void occupy_queue(fake_device *fake)
{
    bool slow = fake->slow_launches_after && fake->launches > fake->slow_launches_after;
    fake->now += slow ? 3 * fake->launch_ns : fake->launch_ns;
    while (fake->in_flight > 0 && fake->ends[fake->first] <= fake->now) {
        fake->first = (fake->first + 1) % fake->ring;
        fake->in_flight--;
    }
    if (fake->queue_limit > 0 && fake->in_flight >= fake->queue_limit) {
        fake->now = fmax(fake->now, fake->ends[fake->first]);
        fake->first = (fake->first + 1) % fake->ring;
        fake->in_flight--;
    }
}

static void note_end(fake_device *fake)
{
    if (fake->held || fake->in_flight == fake->ring)
        return;
    fake->ends[(fake->first + fake->in_flight++) % fake->ring] = fake->tail;
    if (fake->in_flight > fake->most_in_flight)
        fake->most_in_flight = fake->in_flight;
}

double fake_body(fake_device *fake)
{
    double ns = fake->body_ns * (1 + fake->drift * (double)fake->launches);
    if (fake->noise > 0)
        ns *= 1 + fake->noise * normal(&fake->rng);
    return fmax(ns, 0);
}

/* Loading code waits for the device to be idle: behind a closed gate that is until it expires. */
static void load(fake_device *fake, double ns)
{
    if (ns > 0 && fake->held)
        ns += fake->gate_limit;
    fake->now += ns;
}

static void wait_all(fake_device *fake)
{
    fake->now = fmax(fake->now, fake->tail) + fake->sync_ns;
}

/* --- operations ------------------------------------------------------------------------------- */

static void no_close(gb_device *dev)
{
    (void)dev;
}

static gb_code memory_info(gb_device *dev, uint64_t *free_bytes, uint64_t *total, gb_error *err)
{
    *free_bytes = fake_of(dev)->free_bytes;
    *total = fake_of(dev)->total_bytes;
    return enter(dev, FAKE_MEMORY_INFO, "fakeMemGetInfo", err);
}

static gb_code alloc(gb_device *dev, gb_memory_kind kind, size_t bytes, gb_memory *out,
                     gb_error *err)
{
    gb_code code = enter(dev, FAKE_ALLOC, "fakeMalloc", err);
    if (code)
        return code;
    fake_of(dev)->live++;
    fake_of(dev)->bytes += (int64_t)bytes;
    void *memory = calloc(1, bytes);
    *out = (gb_memory){kind, bytes, memory, memory};
    return GB_OK;
}

static void release_memory(gb_device *dev, gb_memory *memory)
{
    if (memory->bytes == 0)
        return;
    fake_of(dev)->live--;
    fake_of(dev)->bytes -= (int64_t)memory->bytes;
    free(memory->host);
    memset(memory, 0, sizeof *memory);
}

static gb_code stream_create(gb_device *dev, gb_stream **out, gb_error *err)
{
    gb_code code = enter(dev, FAKE_STREAM_CREATE, "fakeStreamCreate", err);
    if (code)
        return code;
    fake_of(dev)->live++;
    *out = calloc(1, sizeof **out);
    return GB_OK;
}

static void stream_destroy(gb_device *dev, gb_stream *stream)
{
    fake_of(dev)->live--;
    free(stream);
}

static gb_code stream_sync(gb_device *dev, gb_stream *stream, gb_error *err)
{
    (void)stream;
    wait_all(fake_of(dev));
    return enter(dev, FAKE_STREAM_SYNC, "fakeStreamSynchronize", err);
}

static gb_code sync_all(gb_device *dev, gb_error *err)
{
    wait_all(fake_of(dev));
    return enter(dev, FAKE_SYNC, "fakeDeviceSynchronize", err);
}

static gb_code event_create(gb_device *dev, gb_event **out, gb_error *err)
{
    gb_code code = enter(dev, FAKE_EVENT_CREATE, "fakeEventCreate", err);
    if (code)
        return code;
    fake_of(dev)->live++;
    *out = calloc(1, sizeof **out);
    return GB_OK;
}

static void event_destroy(gb_device *dev, gb_event *event)
{
    fake_of(dev)->live--;
    free(event);
}

static gb_code event_record(gb_device *dev, gb_event *event, gb_stream *stream, gb_error *err)
{
    (void)stream;
    gb_code code = enter(dev, FAKE_EVENT_RECORD, "fakeEventRecord", err);
    if (code)
        return code;
    event->recorded = false;
    queue(fake_of(dev), 0, event);
    return GB_OK;
}

static gb_code stream_wait(gb_device *dev, gb_stream *stream, gb_event *event, gb_error *err)
{
    (void)dev;
    (void)stream;
    (void)event;
    (void)err;
    return GB_OK; /* one queue: always in order */
}

static gb_code elapsed_ns(gb_device *dev, gb_event *start, gb_event *stop, double *ns,
                          gb_error *err)
{
    fake_device *fake = fake_of(dev);
    gb_code code = enter(dev, FAKE_ELAPSED, "fakeEventElapsedTime", err);
    if (code)
        return code; /* *ns stays what it was: whoever reads it is found out */
    if (!start->recorded || !stop->recorded)
        return gb_fail(err, GB_NOT_READY, "fakeEventElapsedTime: 600 (not ready)");
    fake->now = fmax(fake->now, stop->at);
    *ns = stop->at - start->at;
    if (fake->tick_ns > 0)
        *ns = (floor(stop->at / fake->tick_ns) - floor(start->at / fake->tick_ns)) * fake->tick_ns;
    if (fake->stopped_clock)
        *ns = 0;
    return GB_OK;
}

static gb_code copy(gb_device *dev, gb_stream *stream, void *to, const void *from, size_t bytes,
                    gb_copy direction, gb_error *err)
{
    (void)stream;
    (void)direction;
    fake_device *fake = fake_of(dev);
    gb_code code = enter(dev, FAKE_COPY, "fakeMemcpyAsync", err);
    if (code)
        return code;
    memmove(to, from, bytes);
    occupy_queue(fake);
    queue(fake, (double)bytes / fake->copy_bytes_per_ns, NULL);
    note_end(fake);
    return GB_OK;
}

static gb_code fill(gb_device *dev, gb_stream *stream, void *to, int byte, size_t bytes,
                    gb_error *err)
{
    (void)stream;
    fake_device *fake = fake_of(dev);
    gb_code code = enter(dev, FAKE_FILL, "fakeMemsetAsync", err);
    if (code)
        return code;
    memset(to, byte, bytes);
    occupy_queue(fake);
    queue(fake, 1, NULL);
    note_end(fake);
    return GB_OK;
}

/* Writes 42 through its one argument, or 41 once the device has gone wrong. */
static gb_code launch(gb_device *dev, gb_stream *stream, const gb_fn *fn, const gb_launch *shape,
                      void *args[], gb_error *err)
{
    (void)stream;
    (void)fn;
    (void)shape;
    fake_device *fake = fake_of(dev);
    gb_code code = enter(dev, FAKE_LAUNCH, "fakeLaunchKernel", err);
    if (code)
        return code;
    double ns = fake_body(fake);
    fake->launches++;
    dev->emulated |= fake->fibers;
    **(uint32_t **)args[0] = fake->wrong_after && fake->launches > fake->wrong_after ? 41 : 42;
    if (fake->launches == 1) {
        load(fake, fake->first_ns);
        ns += fake->first_ns;
    }
    occupy_queue(fake);
    queue(fake, ns, NULL);
    note_end(fake);
    return GB_OK;
}

static gb_code gate_hold(gb_device *dev, gb_stream *stream, uint64_t limit_ns, gb_error *err)
{
    (void)stream;
    fake_device *fake = fake_of(dev);
    gb_code code = enter(dev, FAKE_GATE_HOLD, "fakeGateHold", err);
    if (code)
        return code;
    if (fake->gates++ == 0)
        fake->now += fake->first_ns;
    fake->held = true;
    fake->n_behind = 0;
    fake->held_since = fake->now;
    fake->gate_limit = (double)limit_ns;
    return GB_OK;
}

static void gate_release(gb_device *dev)
{
    fake_device *fake = fake_of(dev);
    if (!fake->held)
        return;
    bool forced = fake->gate_always_expires ||
                  (fake->gate_expires_every && fake->gates % fake->gate_expires_every == 0);
    double limit = fake->held_since + fake->gate_limit;
    if (forced)
        fake->now = fmax(fake->now, limit + 1);
    fake->expired = fake->now > limit;
    fake->tail = fmax(fake->tail, fake->now);
    if (fake->n_behind > fake->most_behind_gate)
        fake->most_behind_gate = fake->n_behind;
    for (size_t i = 0; i < fake->n_behind; i++)
        run_queued(fake, &fake->behind[i]);
    fake->held = false;
}

static gb_code gate_finish(gb_device *dev, bool *expired, gb_error *err)
{
    *expired = fake_of(dev)->expired;
    return enter(dev, FAKE_GATE_FINISH, "fakeGateFinish", err);
}

static gb_code flush_cache(gb_device *dev, gb_stream *stream, gb_error *err)
{
    (void)stream;
    fake_device *fake = fake_of(dev);
    gb_code code = enter(dev, FAKE_FLUSH, "fakeFlush", err);
    if (code)
        return code;
    double loading = fake->flushes++ == 0 ? fake->first_ns : 0;
    load(fake, loading);
    occupy_queue(fake);
    queue(fake, 50000 + loading, NULL);
    note_end(fake);
    return GB_OK;
}

static void telemetry(gb_device *dev, gb_telemetry *out)
{
    fake_device *fake = fake_of(dev);
    fake->now += fake->telemetry_ns;
    *out = fake->telemetry;
    /* An idle device reads an idle link and clock. */
    if (fake->tail <= fake->now && !fake->held) {
        out->sm_clock_mhz *= 0.2;
        out->pcie_gen = 1;
    }
    if (fake->clock_drop_at > 0 && (double)fake->launches > fake->clock_drop_at)
        out->sm_clock_mhz *= 0.5;
}

#define MISSING(call) return gb_fail(err, GB_UNAVAILABLE, call " is not there on a fake device")
static gb_code no_alloc_async(gb_device *dev, gb_stream *stream, size_t bytes, gb_memory *out,
                              gb_error *err)
{
    (void)dev, (void)stream, (void)bytes, (void)out;
    MISSING("alloc_async");
}
static gb_code no_free_async(gb_device *dev, gb_stream *stream, gb_memory *memory, gb_error *err)
{
    (void)dev, (void)stream, (void)memory;
    MISSING("free_async");
}
static gb_code no_pool_trim(gb_device *dev, gb_error *err)
{
    (void)dev;
    MISSING("pool_trim");
}
static gb_code no_prefetch(gb_device *dev, gb_stream *stream, const gb_memory *memory,
                           bool to_device, gb_error *err)
{
    (void)dev, (void)stream, (void)memory, (void)to_device;
    MISSING("prefetch");
}
static gb_code no_capture_begin(gb_device *dev, gb_stream *stream, gb_error *err)
{
    (void)dev, (void)stream;
    MISSING("capture_begin");
}
static gb_code no_capture_end(gb_device *dev, gb_stream *stream, gb_graph **out, gb_error *err)
{
    (void)dev, (void)stream, (void)out;
    MISSING("capture_end");
}
static gb_code no_nodes(gb_device *dev, gb_graph *graph, size_t *count, gb_error *err)
{
    (void)dev, (void)graph, (void)count;
    MISSING("graph_nodes");
}
static gb_code no_instantiate(gb_device *dev, gb_graph *graph, gb_error *err)
{
    (void)dev, (void)graph;
    MISSING("graph_instantiate");
}
static gb_code no_update(gb_device *dev, gb_graph *graph, gb_graph *from, gb_error *err)
{
    (void)dev, (void)graph, (void)from;
    MISSING("graph_update");
}
static gb_code no_graph_launch(gb_device *dev, gb_graph *graph, gb_stream *stream, gb_error *err)
{
    (void)dev, (void)graph, (void)stream;
    MISSING("graph_launch");
}
static void no_graph_destroy(gb_device *dev, gb_graph *graph)
{
    (void)dev, (void)graph;
}
static gb_code no_gemm(gb_device *dev, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                       const void *a, const void *b, void *c, gb_error *err)
{
    (void)dev, (void)stream, (void)type, (void)m, (void)n, (void)k, (void)a, (void)b, (void)c;
    MISSING("gemm");
}

static gb_code no_occupancy(gb_device *dev, const gb_fn *fn, const gb_launch *shape,
                            uint32_t *blocks, gb_error *err)
{
    (void)dev, (void)fn, (void)shape, (void)blocks;
    MISSING("blocks_per_unit");
}

static gb_code no_sort(gb_device *dev, gb_stream *stream, const uint32_t *from, uint32_t *to,
                       size_t n, void *scratch, size_t *scratch_bytes, gb_error *err)
{
    (void)dev, (void)stream, (void)from, (void)to, (void)n, (void)scratch, (void)scratch_bytes;
    MISSING("sort");
}

static const gb_device_ops ops = {
    .close = no_close,
    .now_ns = now_ns,
    .memory_info = memory_info,
    .alloc = alloc,
    .free = release_memory,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_sync = stream_sync,
    .sync = sync_all,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait = stream_wait,
    .elapsed_ns = elapsed_ns,
    .copy = copy,
    .fill = fill,
    .alloc_async = no_alloc_async,
    .free_async = no_free_async,
    .pool_trim = no_pool_trim,
    .prefetch = no_prefetch,
    .launch = launch,
    .blocks_per_unit = no_occupancy,
    .capture_begin = no_capture_begin,
    .capture_end = no_capture_end,
    .graph_nodes = no_nodes,
    .graph_instantiate = no_instantiate,
    .graph_update = no_update,
    .graph_launch = no_graph_launch,
    .graph_destroy = no_graph_destroy,
    .gate_hold = gate_hold,
    .gate_release = gate_release,
    .gate_finish = gate_finish,
    .flush_cache = flush_cache,
    .gemm = no_gemm,
    .sort = no_sort,
    .telemetry = telemetry,
};

void fake_device_init(fake_device *fake, uint64_t seed)
{
    memset(fake, 0, sizeof *fake);
    fake->device.ops = &ops;
    fake->device.info = (gb_device_info){.kind = GB_CUDA,
                                         .name = "fake device",
                                         .llc_bytes = 1 << 20,
                                         .event_resolution_ns = 500,
                                         .pinned_limit_bytes = UINT64_MAX,
                                         .memory_bytes = UINT64_C(1) << 30,
                                         .free_bytes = UINT64_C(1) << 30};
    fake->rng.state = seed;
    fake->clock_ns = 20;
    fake->launch_ns = 2000;
    fake->sync_ns = 5000;
    fake->body_ns = 10000;
    fake->copy_bytes_per_ns = 10;
    fake->total_bytes = fake->free_bytes = UINT64_C(1) << 30;
    fake->telemetry = (gb_telemetry){.sm_clock_mhz = 1500,
                                     .memory_clock_mhz = 2000,
                                     .temperature_c = 50,
                                     .power_w = 200,
                                     .utilization = NAN,
                                     .pcie_gen = 4,
                                     .pcie_width = 16,
                                     .throttle_reasons = 0,
                                     .other_processes = 0};
    fake->ring = 4096;
    fake->ends = calloc(fake->ring, sizeof *fake->ends);
}

void fake_device_done(fake_device *fake)
{
    free(fake->ends);
    free(fake->behind);
}
