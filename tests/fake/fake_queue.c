/* Streams, events and graphs of the fake runtime.
 *
 * A stream is a queue of operations that run, on the host thread, when somebody waits for them: at
 * a synchronisation, a pageable copy, a release of memory, and the oldest one when the queue is
 * full. So a gate behaves as on a GPU: what lies behind it runs after the host has let it go. */
#include "fake_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_cuda.h"

enum { QUEUE_LIMIT = 1024 };

struct CUevent_st {
    cudaStream_t stream; /* NULL: never recorded */
    uint64_t seq;
    bool reached, dead; /* dead: destroyed, and freed once its record has run */
    int64_t ns;
    fake_capture *session; /* recorded inside this capture */
};

static struct CUstream_st default_stream;
cudaStream_t fake_streams;

cudaStream_t fake_real(cudaStream_t stream)
{
    if (stream)
        return stream;
    if (!default_stream.last)
        default_stream.last = &default_stream.first;
    return &default_stream;
}

bool fake_is_stream(cudaStream_t stream)
{
    if (!stream)
        return true;
    for (cudaStream_t s = fake_streams; s; s = s->next)
        if (s == stream)
            return true;
    return false;
}

/* --- queues ----------------------------------------------------------------------------------- */

void fake_free_op(fake_op *op)
{
    free(op->data);
    free(op);
}

static fake_op *new_op(void (*run)(const fake_op *), int kind, bool node, const void *data,
                       size_t bytes)
{
    fake_op *op = calloc(1, sizeof *op);
    void *copy = malloc(bytes > 0 ? bytes : 1);
    if (!op || !copy)
        abort();
    if (bytes > 0)
        memcpy(copy, data, bytes);
    *op = (fake_op){.run = run, .kind = kind, .node = node, .data = copy, .bytes = bytes};
    return op;
}

static void run_one(cudaStream_t s)
{
    fake_op *op = s->first;
    s->first = op->next;
    if (!s->first)
        s->last = &s->first;
    s->queued--;
    if (fake_sticky() == cudaSuccess)
        op->run(op);
    s->done = op->seq;
    fake_free_op(op);
}

static void run_until(cudaStream_t s, uint64_t seq)
{
    while (s->first && s->done < seq)
        run_one(s);
}

void fake_drain(cudaStream_t stream)
{
    cudaStream_t s = fake_real(stream);
    run_until(s, s->issued);
}

void fake_drain_all(void)
{
    fake_drain(NULL);
    for (cudaStream_t s = fake_streams; s; s = s->next)
        fake_drain(s);
}

int fake_cuda_queued(void)
{
    int n = fake_real(NULL)->queued;
    for (cudaStream_t s = fake_streams; s; s = s->next)
        n += s->queued;
    return n;
}

cudaError_t fake_enqueue(cudaStream_t stream, void (*run)(const fake_op *), int kind, bool node,
                         const void *data, size_t bytes)
{
    cudaStream_t s = fake_real(stream);
    if (!fake_is_stream(stream))
        return fake_fail(cudaErrorInvalidResourceHandle);
    fake_op *op = new_op(run, kind, node, data, bytes);
    if (s->session) {
        fake_append(s->session->ops, op);
        s->unjoined = s != s->session->origin;
        return cudaSuccess;
    }
    op->seq = ++s->issued;
    *s->last = op;
    s->last = &op->next;
    if (++s->queued > QUEUE_LIMIT)
        run_one(s); /* the real one makes the host wait here */
    return cudaSuccess;
}

typedef struct called {
    void (*run)(const void *);
    max_align_t data[];
} called;

static void run_call(const fake_op *op)
{
    const called *c = op->data;
    c->run(c->data);
}

cudaError_t fake_cuda_call(cudaStream_t stream, void (*run)(const void *), const void *data,
                           size_t bytes)
{
    size_t size = sizeof(called) + bytes;
    called *c = malloc(size);
    if (!c)
        abort();
    c->run = run;
    memcpy(c->data, data, bytes);
    cudaError_t status = fake_enqueue(stream, run_call, OP_CALL, true, c, size);
    free(c);
    return status;
}

/* --- fake_streams
 * ---------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (flags != cudaStreamNonBlocking)
        return fake_fail(cudaErrorInvalidValue); /* ours are never of the other kind */
    cudaStream_t s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->last = &s->first;
    s->next = fake_streams;
    fake_streams = s;
    fake_count_live(1, "stream");
    *out = s;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    for (cudaStream_t *at = &fake_streams; *at; at = &(*at)->next) {
        if (*at != stream)
            continue;
        fake_drain(stream);
        if (stream->session && stream->session->origin == stream)
            fake_end_session(stream->session);
        *at = stream->next;
        free(stream);
        fake_count_live(-1, "stream");
        return status;
    }
    fake_count_live(0, "stream");
    return fake_fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (!fake_is_stream(stream))
        return fake_fail(cudaErrorInvalidResourceHandle);
    if (fake_capturing(stream))
        return fake_refuse_in_capture();
    fake_drain(stream);
    return fake_sticky() == cudaSuccess ? cudaSuccess : fake_fail(fake_sticky());
}

cudaError_t cudaDeviceSynchronize(void)
{
    cudaError_t status = fake_enter(__func__);
    if (status == cudaSuccess)
        status = fake_refuse_in_capture();
    if (status != cudaSuccess)
        return status;
    fake_drain_all();
    return fake_sticky() == cudaSuccess ? cudaSuccess : fake_fail(fake_sticky());
}

/* --- events ----------------------------------------------------------------------------------- */

cudaError_t cudaEventCreate(cudaEvent_t *out)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    *out = calloc(1, sizeof **out);
    if (!*out)
        abort();
    fake_count_live(1, "event");
    return cudaSuccess;
}

/* Whether its record still waits in a queue. */
static bool is_pending(cudaEvent_t event)
{
    cudaStream_t s = event->stream;
    bool alive = s && (s == &default_stream || fake_is_stream(s));
    return alive && !event->session && !event->reached && s->done < event->seq;
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    cudaError_t status = fake_enter(__func__);
    if (is_pending(event) && fake_sticky() == cudaSuccess)
        event->dead = true; /* the queued record holds the pointer */
    else
        free(event);
    fake_count_live(-1, "event");
    return status;
}

static void run_record(const fake_op *op)
{
    struct timespec t;
    cudaEvent_t event;
    memcpy(&event, op->data, sizeof event);
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    event->ns = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
    if (op->seq != event->seq)
        return; /* recorded again since */
    event->reached = true;
    if (event->dead)
        free(event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (!fake_is_stream(stream))
        return fake_fail(cudaErrorInvalidResourceHandle);
    cudaStream_t s = fake_real(stream);
    event->stream = s;
    event->session = s->session;
    event->reached = false;
    if (s->session)
        return cudaSuccess;
    event->seq = s->issued + 1;
    return fake_enqueue(stream, run_record, OP_RECORD, false, &event, sizeof event);
}

typedef struct waiting {
    cudaStream_t stream;
    uint64_t seq;
} waiting;

static void run_wait(const fake_op *op)
{
    const waiting *w = op->data;
    if (w->stream == &default_stream || fake_is_stream(w->stream)) /* a destroyed one is drained */
        run_until(w->stream, w->seq);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    cudaError_t status = fake_enter(__func__);
    (void)flags;
    if (status != cudaSuccess)
        return status;
    cudaStream_t s = fake_real(stream);
    if (!event->stream)
        return cudaSuccess;
    if (event->session && event->session == fake_current) {
        if (!s->session)
            s->session = fake_current; /* the fork: this stream is captured too */
        s->unjoined = s != fake_current->origin;
        if (event->stream != s)
            event->stream->unjoined = false;
        return cudaSuccess;
    }
    if (s->session) {
        s->session->spoilt = true;
        return fake_fail(cudaErrorStreamCaptureIsolation);
    }
    waiting w = {event->stream, event->seq};
    return fake_enqueue(stream, run_wait, OP_WAIT, false, &w, sizeof w);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (is_pending(event))
        run_until(event->stream, event->seq);
    return fake_sticky() == cudaSuccess ? cudaSuccess : fake_fail(fake_sticky());
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (!start->stream || !stop->stream)
        return fake_fail(cudaErrorInvalidResourceHandle);
    if (!start->reached || !stop->reached)
        return fake_fail(cudaErrorNotReady);
    *ms = fake_get()->elapsed_ms >= 0.0 ? (float)fake_get()->elapsed_ms
                                        : (float)((double)(stop->ns - start->ns) * 1e-6);
    return cudaSuccess;
}

/* --- copies and fills ------------------------------------------------------------------------- */

typedef struct copying {
    void *to;
    const void *from;
    size_t bytes;
} copying;

static void run_copy(const fake_op *op)
{
    static long number;
    const copying *c = op->data;
    const fake_settings *s = fake_get();
    number++;
    if (s->copy_fault == FAKE_COPY_NOTHING)
        return;
    while (s->copy_fault == FAKE_COPY_HANG)
        pause();
    memmove(c->to, c->from, c->bytes);
    /* never the same bits twice: two faults must not cancel out */
    if (s->copy_fault == FAKE_COPY_CORRUPT && number >= s->copy_number && c->bytes >= 4)
        ((unsigned char *)c->to)[c->bytes / 2 / 4 * 4] ^= (unsigned char)(2 * number + 1);
}

static bool on_device(const void *p, size_t bytes)
{
    int kind = fake_memory_kind(p, bytes);
    return kind == FAKE_DEVICE_MEMORY || kind == FAKE_MANAGED || kind == FAKE_MAPPED;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if ((to_device && !on_device(to, bytes)) || (from_device && !on_device(from, bytes)))
        return fake_fail(cudaErrorInvalidValue);
    copying c = {to, from, bytes};
    status = fake_enqueue(stream, run_copy, OP_COPY, true, &c, sizeof c);
    bool pageable = fake_memory_kind(to, bytes) == FAKE_UNKNOWN_MEMORY ||
                    fake_memory_kind(from, bytes) == FAKE_UNKNOWN_MEMORY;
    if (status == cudaSuccess && pageable && !fake_capturing(stream))
        fake_drain(stream);
    return status;
}

typedef struct filling {
    void *to;
    int byte;
    size_t bytes;
} filling;

static void run_fill(const fake_op *op)
{
    const filling *f = op->data;
    memset(f->to, f->byte, f->bytes);
}

cudaError_t cudaMemsetAsync(void *to, int byte, size_t bytes, cudaStream_t stream)
{
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (fake_memory_kind(to, bytes) == FAKE_UNKNOWN_MEMORY)
        return fake_fail(cudaErrorInvalidValue);
    filling f = {to, byte, bytes};
    return fake_enqueue(stream, run_fill, OP_FILL, true, &f, sizeof f);
}

static void run_nothing(const fake_op *op)
{
    (void)op;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, struct cudaMemLocation place,
                                 unsigned flags, cudaStream_t stream)
#else
cudaError_t cudaMemPrefetchAsync(const void *p, size_t bytes, int place, cudaStream_t stream)
#endif
{
    cudaError_t status = fake_enter(__func__);
    (void)place;
#if CUDART_VERSION >= 13000
    (void)flags;
#endif
    if (status != cudaSuccess)
        return status;
    if (fake_memory_kind(p, bytes) != FAKE_MANAGED)
        return fake_fail(cudaErrorInvalidValue);
    return fake_enqueue(stream, run_nothing, OP_PREFETCH, false, NULL, 0);
}
