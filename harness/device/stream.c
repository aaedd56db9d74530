/* Streams and events of the cpu device.
 *
 * A stream is a FIFO queue, and whoever runs it takes one operation after another; only one thread
 * runs a queue at a time. Each stream has a thread for that. The host runs the queue too while it
 * waits for the stream: launching one kernel and waiting for it then needs no other thread (waking
 * one costs tens of microseconds), and no thread of the host spins beside the workers. For the same
 * reason a lone operation does not wake the stream's thread: a second one does, a gate does, and
 * every wait of the host wakes the threads of the other streams first. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu_internal.h"
#include "device/simt/fiber.h"

#define SPIN_NS 20000u /* before a wait sleeps */

struct gb_stream {
    gb_cpu *cpu;
    gb_stream *next; /* in the device's list */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t work; /* for the stream's thread: something to run, or stop */
    pthread_cond_t idle; /* for the host: the queue ran empty */
    gb_op *head, *tail, *spare;
    size_t queued;
    bool running; /* somebody runs the queue */
    bool awake;   /* the stream's thread was told to run it */
    bool stop;
    atomic_bool busy; /* queued or running; for waits that spin */
    gb_code code;     /* first failure of an operation; reported by the next wait */
    gb_error error;
    /* while capturing: work that this stream put into the graph, and how much of it another
     * stream of the capture waits for */
    gb_graph *capturing;
    uint64_t capture_id, captured_ops, joined_ops;
};

struct gb_event {
    gb_stream *stream;         /* where it was recorded last */
    uint64_t recorded;         /* how often; host only */
    atomic_uint_fast64_t done; /* the latest record that was reached */
    atomic_uint_fast64_t time; /* of that one */
    atomic_uint users;         /* queued operations that refer to it */
    uint64_t capture_id;       /* last recorded during this capture instead; 0: not */
    uint64_t capture_mark;     /* captured_ops of its stream then */
};

/* --- running a queue --- */

static void keep_error(gb_stream *stream, gb_code code, const gb_error *error)
{
    if (stream->code == GB_OK) {
        stream->code = code;
        stream->error = *error;
    }
}

/* After a failure what follows is skipped until it was reported, but events are still reached, so
 * that nobody waits for ever. */
static gb_code run_op(gb_stream *stream, gb_op *op, bool failed, gb_error *error)
{
    if (failed && op->kind != GB_OP_EVENT && op->kind != GB_OP_WAIT)
        return GB_OK;
    return gb_cpu_execute(stream->cpu, op, error);
}

/* Runs the queue until it is empty, unless somebody does already. Call with the lock held. */
static void run_queue(gb_stream *stream)
{
    if (stream->running)
        return;
    stream->running = true;
    while (stream->head != NULL) {
        gb_op *op = stream->head;
        gb_error error = {0};
        stream->head = op->next;
        if (stream->head == NULL)
            stream->tail = NULL;
        stream->queued--;
        bool failed = stream->code != GB_OK;
        pthread_mutex_unlock(&stream->lock);
        gb_code code = run_op(stream, op, failed, &error);
        pthread_mutex_lock(&stream->lock);
        if (code != GB_OK)
            keep_error(stream, code, &error);
        op->next = stream->spare;
        stream->spare = op;
    }
    stream->running = false;
    stream->awake = false;
    atomic_store_explicit(&stream->busy, false, memory_order_release);
    pthread_cond_broadcast(&stream->idle);
}

static void *stream_main(void *argument)
{
    gb_stream *stream = argument;
    pthread_mutex_lock(&stream->lock);
    for (;;) {
        while (!stream->stop && (!stream->awake || stream->running || stream->head == NULL))
            pthread_cond_wait(&stream->work, &stream->lock);
        if (stream->head == NULL)
            break;
        run_queue(stream);
    }
    pthread_mutex_unlock(&stream->lock);
    gb_fiber_thread_exit();
    return NULL;
}

/* Call with the lock held. */
static void wake(gb_stream *stream)
{
    if (stream->awake || stream->running || stream->head == NULL)
        return;
    stream->awake = true;
    pthread_cond_signal(&stream->work);
}

static void wake_others(gb_cpu *cpu, const gb_stream *mine)
{
    for (gb_stream *stream = cpu->streams; stream != NULL; stream = stream->next) {
        if (stream == mine || !atomic_load_explicit(&stream->busy, memory_order_acquire))
            continue;
        pthread_mutex_lock(&stream->lock);
        wake(stream);
        pthread_mutex_unlock(&stream->lock);
    }
}

/* The host waits for the stream, lending it its own thread. */
static void drain(gb_stream *stream)
{
    wake_others(stream->cpu, stream);
    pthread_mutex_lock(&stream->lock);
    run_queue(stream);
    if (stream->running) {
        pthread_mutex_unlock(&stream->lock);
        uint64_t limit = gb_monotonic_ns() + SPIN_NS;
        while (atomic_load_explicit(&stream->busy, memory_order_acquire) &&
               gb_monotonic_ns() < limit)
            gb_pause();
        pthread_mutex_lock(&stream->lock);
        while (stream->running || stream->head != NULL)
            pthread_cond_wait(&stream->idle, &stream->lock);
    }
    pthread_mutex_unlock(&stream->lock);
}

void gb_cpu_drain_streams(gb_cpu *cpu)
{
    for (gb_stream *stream = cpu->streams; stream != NULL; stream = stream->next)
        drain(stream);
}

gb_code gb_cpu_enqueue(gb_stream *stream, const gb_op *op, gb_error *err)
{
    if (stream->capturing != NULL) {
        stream->captured_ops++;
        return gb_cpu_graph_add(stream->capturing, op, err);
    }
    pthread_mutex_lock(&stream->lock);
    gb_op *copy = stream->spare;
    if (copy != NULL)
        stream->spare = copy->next;
    copy = gb_cpu_op_with_room(copy, op->used);
    if (copy == NULL) {
        pthread_mutex_unlock(&stream->lock);
        return gb_fail(err, GB_NO_MEMORY, "no memory for an operation on a stream");
    }
    gb_cpu_copy_op(copy, op);
    copy->next = NULL;
    if (stream->tail != NULL)
        stream->tail->next = copy;
    else
        stream->head = copy;
    stream->tail = copy;
    stream->queued++;
    atomic_store_explicit(&stream->busy, true, memory_order_release);
    if (stream->queued > 1 || op->kind == GB_OP_GATE)
        wake(stream);
    pthread_mutex_unlock(&stream->lock);
    return GB_OK;
}

/* --- streams --- */

gb_code gb_cpu_stream_create(gb_device *dev, gb_stream **out, gb_error *err)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    *out = NULL;
    gb_stream *stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a stream");
    stream->cpu = cpu;
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->work, NULL);
    pthread_cond_init(&stream->idle, NULL);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(&stream->thread, NULL, stream_main, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (status != 0) {
        pthread_mutex_destroy(&stream->lock);
        pthread_cond_destroy(&stream->work);
        pthread_cond_destroy(&stream->idle);
        free(stream);
        return gb_fail(err, GB_NO_MEMORY, "thread of a stream: %s", strerror(status));
    }
    stream->next = cpu->streams;
    cpu->streams = stream;
    *out = stream;
    return GB_OK;
}

void gb_cpu_stream_destroy(gb_device *dev, gb_stream *stream)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    if (stream == NULL)
        return;
    drain(stream);
    for (gb_stream **link = &cpu->streams; *link != NULL; link = &(*link)->next)
        if (*link == stream) {
            *link = stream->next;
            break;
        }
    pthread_mutex_lock(&stream->lock);
    stream->stop = true;
    pthread_cond_signal(&stream->work);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    while (stream->spare != NULL) {
        gb_op *op = stream->spare;
        stream->spare = op->next;
        free(op);
    }
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->idle);
    free(stream);
}

/* Hands out the first failure and forgets it: the next work starts clean. */
static gb_code take_error(gb_stream *stream, gb_error *err)
{
    pthread_mutex_lock(&stream->lock);
    gb_code code = stream->code;
    if (code != GB_OK && err != NULL)
        *err = stream->error;
    stream->code = GB_OK;
    pthread_mutex_unlock(&stream->lock);
    return code;
}

/* Whether a stream to which an event was recorded still exists. */
static bool exists(const gb_cpu *cpu, const gb_stream *stream)
{
    const gb_stream *at = cpu->streams;
    while (at != NULL && at != stream)
        at = at->next;
    return at != NULL;
}

gb_code gb_cpu_stream_sync(gb_device *dev, gb_stream *stream, gb_error *err)
{
    (void)dev;
    if (stream->capturing != NULL)
        return gb_fail(err, GB_INVALID, "waiting on a stream that is capturing a graph");
    drain(stream);
    return take_error(stream, err);
}

gb_code gb_cpu_sync(gb_device *dev, gb_error *err)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    gb_code first = GB_OK;
    for (gb_stream *stream = cpu->streams; stream != NULL; stream = stream->next) {
        gb_code code = gb_cpu_stream_sync(dev, stream, first == GB_OK ? err : NULL);
        if (first == GB_OK)
            first = code;
    }
    return first;
}

/* --- capture: which streams put their work into which graph --- */

gb_graph *gb_cpu_capturing(const gb_stream *stream)
{
    return stream->capturing;
}

void gb_cpu_enter_capture(gb_stream *stream, gb_graph *graph, uint64_t id)
{
    stream->capturing = graph;
    stream->capture_id = id;
    stream->captured_ops = stream->joined_ops = 0;
}

unsigned gb_cpu_leave_capture(gb_cpu *cpu, gb_stream *origin)
{
    unsigned unjoined = 0;
    const uint64_t id = origin->capture_id;
    for (gb_stream *stream = cpu->streams; stream != NULL; stream = stream->next) {
        if (stream->capturing == NULL || stream->capture_id != id)
            continue;
        unjoined += stream != origin && stream->joined_ops < stream->captured_ops;
        stream->capturing = NULL;
    }
    return unjoined;
}

/* A stream waits for an event that was recorded during a capture: it joins that capture, and the
 * work up to the event counts as waited for. */
static gb_code wait_in_capture(gb_stream *stream, const gb_event *event, gb_error *err)
{
    for (gb_stream *s = stream->cpu->streams; s != NULL; s = s->next) {
        if (s->capturing == NULL || s->capture_id != event->capture_id)
            continue;
        if (stream->capturing == NULL)
            gb_cpu_enter_capture(stream, s->capturing, s->capture_id);
        else if (stream->capture_id != event->capture_id)
            return gb_fail(err, GB_INVALID, "waiting for an event of another graph's capture");
        for (gb_stream *from = stream->cpu->streams; from != NULL; from = from->next)
            if (from == event->stream && from->joined_ops < event->capture_mark)
                from->joined_ops = event->capture_mark;
        stream->captured_ops++;
        return GB_OK;
    }
    return gb_fail(err, GB_INVALID,
                   "waiting for an event that was recorded in a capture that has "
                   "ended");
}

/* --- events --- */

/* Wakes those who sleep until something happens. */
static void tell_progress(gb_cpu *cpu)
{
    if (atomic_load(&cpu->waiters) == 0)
        return;
    pthread_mutex_lock(&cpu->lock);
    pthread_cond_broadcast(&cpu->progress);
    pthread_mutex_unlock(&cpu->lock);
}

gb_code gb_cpu_event_create(gb_device *dev, gb_event **out, gb_error *err)
{
    (void)dev;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? GB_OK : gb_fail(err, GB_NO_MEMORY, "no memory for an event");
}

void gb_cpu_event_destroy(gb_device *dev, gb_event *event)
{
    if (event == NULL)
        return;
    if (atomic_load_explicit(&event->users, memory_order_acquire) > 0)
        gb_cpu_drain_streams(gb_cpu_of(dev));
    free(event);
}

gb_code gb_cpu_event_record(gb_device *dev, gb_event *event, gb_stream *stream, gb_error *err)
{
    (void)dev;
    if (stream->capturing != NULL) { /* a mark of order within the graph, without a time */
        event->capture_id = stream->capture_id;
        event->capture_mark = stream->captured_ops;
        event->stream = stream;
        return GB_OK;
    }
    gb_op op = {.kind = GB_OP_EVENT, .event = {event, event->recorded + 1}};
    atomic_fetch_add_explicit(&event->users, 1, memory_order_relaxed);
    gb_code code = gb_cpu_enqueue(stream, &op, err);
    if (code != GB_OK) {
        atomic_fetch_sub_explicit(&event->users, 1, memory_order_relaxed);
        return code;
    }
    event->recorded++;
    event->stream = stream;
    event->capture_id = 0;
    return GB_OK;
}

void gb_cpu_reach_event(gb_cpu *cpu, const gb_op *op)
{
    gb_event *event = op->event.event;
    atomic_store_explicit(&event->time, gb_monotonic_ns(), memory_order_relaxed);
    atomic_store(&event->done, op->event.generation);
    tell_progress(cpu);
    atomic_fetch_sub_explicit(&event->users, 1, memory_order_release);
}

static bool reached(gb_event *event, uint64_t generation)
{
    return atomic_load(&event->done) >= generation;
}

static void await(gb_cpu *cpu, gb_event *event, uint64_t generation)
{
    uint64_t limit = gb_monotonic_ns() + SPIN_NS;
    while (!reached(event, generation) && gb_monotonic_ns() < limit)
        gb_pause();
    if (reached(event, generation))
        return;
    pthread_mutex_lock(&cpu->lock);
    atomic_fetch_add(&cpu->waiters, 1);
    while (!reached(event, generation))
        pthread_cond_wait(&cpu->progress, &cpu->lock);
    atomic_fetch_sub(&cpu->waiters, 1);
    pthread_mutex_unlock(&cpu->lock);
}

void gb_cpu_await_event(gb_cpu *cpu, const gb_op *op)
{
    await(cpu, op->event.event, op->event.generation);
    atomic_fetch_sub_explicit(&op->event.event->users, 1, memory_order_release);
}

gb_code gb_cpu_stream_wait(gb_device *dev, gb_stream *stream, gb_event *event, gb_error *err)
{
    (void)dev;
    if (event->capture_id != 0)
        return wait_in_capture(stream, event, err);
    if (event->recorded == 0)
        return GB_OK; /* nothing to wait for */
    if (stream->capturing != NULL)
        return gb_fail(err, GB_INVALID,
                       "a capturing stream cannot wait for an event outside of "
                       "the capture");
    gb_op op = {.kind = GB_OP_WAIT, .event = {event, event->recorded}};
    atomic_fetch_add_explicit(&event->users, 1, memory_order_relaxed);
    gb_code code = gb_cpu_enqueue(stream, &op, err);
    if (code != GB_OK)
        atomic_fetch_sub_explicit(&event->users, 1, memory_order_relaxed);
    return code;
}

gb_code gb_cpu_elapsed_ns(gb_device *dev, gb_event *start, gb_event *stop, double *ns,
                          gb_error *err)
{
    if (start->recorded == 0 || stop->recorded == 0 || start->capture_id != 0 ||
        stop->capture_id != 0)
        return gb_fail(err, GB_INVALID, "the time between events of which one was not recorded");
    gb_event *both[2] = {start, stop};
    for (int i = 0; i < 2; i++)
        if (!reached(both[i], both[i]->recorded))
            drain(both[i]->stream);
    /* Also when the stream's own thread was here first: a time between events with a failure before
     * them is none. Not before both were reached: what lies between them and was to be skipped
     * would run. */
    for (int i = 0; i < 2; i++) {
        gb_stream *stream = both[i]->stream;
        gb_code code = exists(gb_cpu_of(dev), stream) ? take_error(stream, err) : GB_OK;
        if (code != GB_OK)
            return code;
    }
    *ns = (double)(int64_t)(atomic_load_explicit(&stop->time, memory_order_relaxed) -
                            atomic_load_explicit(&start->time, memory_order_relaxed));
    return GB_OK;
}
