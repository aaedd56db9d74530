/* The parts of the cpu device: device_cpu.c (table, launch, close), stream.c (queues, events),
 * graph.c, cpu_gate.c, cpu_memory.c, cpu_facts.c, cpu_blas.c. */
#ifndef GB_DEVICE_CPU_INTERNAL_H
#define GB_DEVICE_CPU_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "device/device.h"
#include "device/pool.h"
#include "device/simt/cpu_code.h"

typedef struct gb_cpu {
    gb_device base; /* first: a gb_device * is a gb_cpu * */
    gb_pool *pool;
    int level; /* best instruction set of this processor: 0, 3, 4 */

    pthread_mutex_t lock;    /* of the list of streams and of everything that waits for progress */
    pthread_cond_t progress; /* an event was reached, the gate was released */
    atomic_uint waiters;     /* threads asleep on `progress` */
    gb_stream *streams;

    struct { /* under `lock` */
        bool in_use, released, expired;
    } gate;

    uint64_t captures; /* counts them: the next one's id */

    void *flush_buffer; /* NULL until the first flush */
    size_t flush_bytes;
    atomic_uint flush_count;

    struct { /* /proc/stat at the last telemetry call */
        uint64_t busy, total;
    } load;
} gb_cpu;

static inline gb_cpu *gb_cpu_of(gb_device *dev)
{
    return (gb_cpu *)dev;
}

/* --- operations on a queue --- */

typedef enum gb_op_kind {
    GB_OP_LAUNCH,
    GB_OP_COPY,
    GB_OP_FILL,
    GB_OP_FLUSH,
    GB_OP_GEMM,
    GB_OP_EVENT,
    GB_OP_WAIT,
    GB_OP_GATE,
    GB_OP_GRAPH
} gb_op_kind;

#define GB_OP_ARGS_BYTES 4096 /* arguments of a launch, as on a GPU; larger ones are refused */
#define GB_OP_MAX_ARGS 16

/* One operation, complete in itself: arguments are copied, so that the caller may go on. They stand
 * at its end, so that it is as long as they are. */
typedef struct gb_op {
    struct gb_op *next;
    gb_op_kind kind;
    uint32_t used, room; /* bytes of `values`: in use, and there */
    union {
        struct {
            const gb_cpu_code *code;
            gb_launch launch;
            void *args[GB_OP_MAX_ARGS]; /* into `values` */
        } launch;
        struct {
            void *to;
            const void *from;
            size_t bytes;
        } copy;
        struct {
            void *to;
            int byte;
            size_t bytes;
        } fill;
        struct {
            gb_gemm_type type;
            int m, n, k;
            const void *a, *b;
            void *c;
        } gemm;
        struct {
            gb_event *event;
            uint64_t generation;
        } event; /* GB_OP_EVENT, GB_OP_WAIT */
        struct {
            uint64_t limit_ns;
        } gate;
        gb_graph *graph;
    };
    _Alignas(16) char values[]; /* a launch's arguments */
} gb_op;

/* Puts a copy of the operation on the stream, or into the graph that the stream is capturing. */
gb_code gb_cpu_enqueue(gb_stream *stream, const gb_op *op, gb_error *err);
/* Runs one operation on the calling thread (stream.c calls it; graph.c for its nodes). */
gb_code gb_cpu_execute(gb_cpu *cpu, gb_op *op, gb_error *err);
/* Copies an operation into one with room for its values (to->room >= from->used); pointers into
 * itself are moved along. */
void gb_cpu_copy_op(gb_op *to, const gb_op *from);
/* An operation with room for so many bytes of values, made of `old` (NULL: none), which is freed
 * when there is no memory. NULL then; given back with free. */
gb_op *gb_cpu_op_with_room(gb_op *old, uint32_t bytes);
/* Waits until no stream has anything queued or running. */
void gb_cpu_drain_streams(gb_cpu *cpu);
/* What GB_OP_EVENT, GB_OP_WAIT and GB_OP_GATE do. */
void gb_cpu_reach_event(gb_cpu *cpu, const gb_op *op);
void gb_cpu_await_event(gb_cpu *cpu, const gb_op *op);
void gb_cpu_hold_gate(gb_cpu *cpu, const gb_op *op);
/* Runs the nodes of a launched graph. */
gb_code gb_cpu_run_graph(gb_cpu *cpu, gb_graph *graph, gb_error *err);
/* The graph that a stream is capturing into, or NULL. Streams that wait for an event of the
 * capture enter it by themselves; leaving gives the number of those whose work the origin did not
 * wait for. */
gb_graph *gb_cpu_capturing(const gb_stream *stream);
void gb_cpu_enter_capture(gb_stream *stream, gb_graph *graph, uint64_t id);
unsigned gb_cpu_leave_capture(gb_cpu *cpu, gb_stream *origin);
/* Adds a node to a graph under capture. */
gb_code gb_cpu_graph_add(gb_graph *graph, const gb_op *op, gb_error *err);

/* --- rows of the table, by file --- */

gb_code gb_cpu_alloc_async(gb_device *dev, gb_stream *stream, size_t bytes, gb_memory *out,
                           gb_error *err);
gb_code gb_cpu_free_async(gb_device *dev, gb_stream *stream, gb_memory *memory, gb_error *err);
gb_code gb_cpu_pool_trim(gb_device *dev, gb_error *err);
gb_code gb_cpu_stream_create(gb_device *dev, gb_stream **out, gb_error *err);
void gb_cpu_stream_destroy(gb_device *dev, gb_stream *stream);
gb_code gb_cpu_stream_sync(gb_device *dev, gb_stream *stream, gb_error *err);
gb_code gb_cpu_sync(gb_device *dev, gb_error *err);
gb_code gb_cpu_event_create(gb_device *dev, gb_event **out, gb_error *err);
void gb_cpu_event_destroy(gb_device *dev, gb_event *event);
gb_code gb_cpu_event_record(gb_device *dev, gb_event *event, gb_stream *stream, gb_error *err);
gb_code gb_cpu_stream_wait(gb_device *dev, gb_stream *stream, gb_event *event, gb_error *err);
gb_code gb_cpu_elapsed_ns(gb_device *dev, gb_event *start, gb_event *stop, double *ns,
                          gb_error *err);
gb_code gb_cpu_gate_hold(gb_device *dev, gb_stream *stream, uint64_t limit_ns, gb_error *err);
void gb_cpu_gate_release(gb_device *dev);
gb_code gb_cpu_gate_finish(gb_device *dev, bool *expired, gb_error *err);

gb_code gb_cpu_capture_begin(gb_device *dev, gb_stream *stream, gb_error *err);
gb_code gb_cpu_capture_end(gb_device *dev, gb_stream *stream, gb_graph **out, gb_error *err);
gb_code gb_cpu_graph_nodes(gb_device *dev, gb_graph *graph, size_t *count, gb_error *err);
gb_code gb_cpu_graph_instantiate(gb_device *dev, gb_graph *graph, gb_error *err);
gb_code gb_cpu_graph_update(gb_device *dev, gb_graph *graph, gb_graph *from, gb_error *err);
gb_code gb_cpu_graph_launch(gb_device *dev, gb_graph *graph, gb_stream *stream, gb_error *err);
void gb_cpu_graph_destroy(gb_device *dev, gb_graph *graph);

gb_code gb_cpu_memory_info(gb_device *dev, uint64_t *free_bytes, uint64_t *total, gb_error *err);
gb_code gb_cpu_alloc(gb_device *dev, gb_memory_kind kind, size_t bytes, gb_memory *out,
                     gb_error *err);
void gb_cpu_free(gb_device *dev, gb_memory *memory);
gb_code gb_cpu_copy(gb_device *dev, gb_stream *stream, void *to, const void *from, size_t bytes,
                    gb_copy direction, gb_error *err);
gb_code gb_cpu_fill(gb_device *dev, gb_stream *stream, void *to, int byte, size_t bytes,
                    gb_error *err);
gb_code gb_cpu_prefetch(gb_device *dev, gb_stream *stream, const gb_memory *memory, bool to_device,
                        gb_error *err);
gb_code gb_cpu_flush_cache(gb_device *dev, gb_stream *stream, gb_error *err);
void gb_cpu_do_copy(gb_cpu *cpu, const gb_op *op);
void gb_cpu_do_fill(gb_cpu *cpu, const gb_op *op);
void gb_cpu_do_flush(gb_cpu *cpu);

gb_code gb_cpu_gemm(gb_device *dev, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                    const void *a, const void *b, void *c, gb_error *err);
void gb_cpu_do_gemm(gb_cpu *cpu, const gb_op *op);

/* Facts of this processor for a device of `threads` workers. */
void gb_cpu_fill_info(unsigned threads, gb_device_info *out);
int gb_cpu_best_level(void);
void gb_cpu_telemetry(gb_device *dev, gb_telemetry *out);

#endif
