/* The cpu device: the table of operations, launches, opening and closing. */
#include "device/device.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "device/cpu_internal.h"
#include "device/simt/fiber.h"

#define MAX_SHARED (48u * 1024)

/* --- launches --- */

static gb_code refuse_launch(const gb_fn *fn, const gb_launch *launch, const char *why,
                             gb_error *err)
{
    const uint32_t *g = launch->grid, *b = launch->block;
    return gb_fail(err, GB_INVALID,
                   "launch of '%s' with grid (%" PRIu32 ", %" PRIu32 ", %" PRIu32
                   "), block (%" PRIu32 ", %" PRIu32 ", %" PRIu32 "), %" PRIu32
                   " bytes of shared memory: %s",
                   fn->name, g[0], g[1], g[2], b[0], b[1], b[2], launch->shared_bytes, why);
}

/* The limits of a GPU, so that a launch that runs here runs there. */
static gb_code check_launch(const gb_fn *fn, const gb_launch *launch, gb_error *err)
{
    const uint32_t *g = launch->grid, *b = launch->block;
    if (g[0] == 0 || g[1] == 0 || g[2] == 0)
        return refuse_launch(fn, launch, "a grid of 0 blocks", err);
    if (b[0] == 0 || b[1] == 0 || b[2] == 0)
        return refuse_launch(fn, launch, "a block of 0 threads", err);
    if (g[0] > INT32_MAX)
        return refuse_launch(fn, launch, "grid.x is at most 2147483647", err);
    if (g[1] > 65535 || g[2] > 65535)
        return refuse_launch(fn, launch, "grid.y and grid.z are at most 65535", err);
    if ((uint64_t)b[0] * b[1] > GB_MAX_BLOCK_THREADS ||
        (uint64_t)b[0] * b[1] * b[2] > GB_MAX_BLOCK_THREADS)
        return refuse_launch(fn, launch, "a block has at most 1024 threads", err);
    if (b[2] > 64)
        return refuse_launch(fn, launch, "block.z is at most 64", err);
    if (launch->shared_bytes > MAX_SHARED)
        return refuse_launch(fn, launch, "a block has at most 49152 bytes of shared memory", err);
    return GB_OK;
}

/* The best variant that this processor can run. */
static const gb_cpu_code *choose_code(const gb_cpu *cpu, const gb_fn *fn)
{
    const gb_cpu_code *best = NULL;
    for (size_t i = 0; fn->cpu[i] != NULL; i++)
        if (fn->cpu[i]->level <= cpu->level)
            best = fn->cpu[i];
    return best;
}

static gb_code cpu_launch(gb_device *dev, gb_stream *stream, const gb_fn *fn,
                          const gb_launch *launch, void *args[], gb_error *err)
{
    if (fn->cpu == NULL)
        return gb_fail(err, GB_UNAVAILABLE,
                       "kernel '%s' uses what a processor does not have; it runs on cuda alone",
                       fn->name);
    gb_code code = check_launch(fn, launch, err);
    if (code != GB_OK)
        return code;
    const gb_cpu_code *chosen = choose_code(gb_cpu_of(dev), fn);
    if (chosen == NULL)
        return gb_fail(err, GB_NO_KERNEL_IMAGE, "kernel '%s' has no code for this processor",
                       fn->name);
    if (chosen->n_params > GB_OP_MAX_ARGS)
        return gb_fail(err, GB_INVALID, "kernel '%s' has %" PRIu32 " parameters; at most %d",
                       fn->name, chosen->n_params, GB_OP_MAX_ARGS);
    _Alignas(gb_op) char space[sizeof(gb_op) + GB_OP_ARGS_BYTES];
    gb_op *op = (gb_op *)(void *)space;
    op->kind = GB_OP_LAUNCH;
    op->launch.code = chosen;
    op->launch.launch = *launch;
    size_t used = 0;
    for (uint32_t i = 0; i < chosen->n_params; i++) {
        size_t bytes = chosen->param_bytes[i];
        used = (used + 15) / 16 * 16;
        if (bytes > GB_OP_ARGS_BYTES || used > GB_OP_ARGS_BYTES - bytes)
            return gb_fail(err, GB_INVALID, "the arguments of kernel '%s' are more than %d bytes",
                           fn->name, GB_OP_ARGS_BYTES);
        op->launch.args[i] = op->values + used;
        memcpy(op->launch.args[i], args[i], bytes);
        used += bytes;
    }
    op->used = (uint32_t)used;
    dev->emulated |= chosen->emulated;
    return gb_cpu_enqueue(stream, op, err);
}

/* A worker runs one block at a time. */
static gb_code cpu_blocks_per_unit(gb_device *dev, const gb_fn *fn, const gb_launch *launch,
                                   uint32_t *blocks, gb_error *err)
{
    (void)dev;
    gb_code code = check_launch(fn, launch, err);
    if (code == GB_OK)
        *blocks = 1;
    return code;
}

/* --- operations --- */

void gb_cpu_copy_op(gb_op *to, const gb_op *from)
{
    const uint32_t room = to->room;
    memcpy(to, from, sizeof *to + from->used);
    to->room = room;
    if (from->kind == GB_OP_LAUNCH)
        for (uint32_t i = 0; i < from->launch.code->n_params; i++)
            to->launch.args[i] = to->values + ((const char *)from->launch.args[i] - from->values);
}

gb_op *gb_cpu_op_with_room(gb_op *old, uint32_t bytes)
{
    if (old != NULL && old->room >= bytes)
        return old;
    free(old);
    gb_op *op = malloc(sizeof *op + bytes);
    if (op != NULL)
        op->room = bytes;
    return op;
}

typedef struct launch_job {
    gb_op *op;
    atomic_bool failed;
    pthread_mutex_t lock; /* of error */
    gb_error error;
} launch_job;

static void run_blocks(void *context, uint64_t first, uint64_t end)
{
    static __thread char shared[MAX_SHARED] __attribute__((aligned(64)));
    launch_job *job = context;
    gb_op *op = job->op;
    gb_error error = {0};
    if (first >= end || atomic_load_explicit(&job->failed, memory_order_relaxed))
        return;
    if (op->launch.code->run(&op->launch.launch, first, end, op->launch.args, shared, &error) ==
        GB_OK)
        return;
    pthread_mutex_lock(&job->lock);
    if (!atomic_load_explicit(&job->failed, memory_order_relaxed))
        job->error = error;
    atomic_store_explicit(&job->failed, true, memory_order_relaxed);
    pthread_mutex_unlock(&job->lock);
}

static gb_code do_launch(gb_cpu *cpu, gb_op *op, gb_error *err)
{
    launch_job job = {.op = op, .lock = PTHREAD_MUTEX_INITIALIZER};
    const uint32_t *grid = op->launch.launch.grid;
    gb_simt_mode mode = op->launch.code->mode;
    bool even = mode == GB_SIMT_RANGE || mode == GB_SIMT_FLAT;
    gb_pool_run(cpu->pool, (uint64_t)grid[0] * grid[1] * grid[2], even, run_blocks, &job);
    if (!atomic_load_explicit(&job.failed, memory_order_relaxed))
        return GB_OK;
    *err = job.error;
    return err->code;
}

gb_code gb_cpu_execute(gb_cpu *cpu, gb_op *op, gb_error *err)
{
    switch (op->kind) {
    case GB_OP_LAUNCH:
        return do_launch(cpu, op, err);
    case GB_OP_COPY:
        gb_cpu_do_copy(cpu, op);
        break;
    case GB_OP_FILL:
        gb_cpu_do_fill(cpu, op);
        break;
    case GB_OP_FLUSH:
        gb_cpu_do_flush(cpu);
        break;
    case GB_OP_GEMM:
        gb_cpu_do_gemm(cpu, op);
        break;
    case GB_OP_EVENT:
        gb_cpu_reach_event(cpu, op);
        break;
    case GB_OP_WAIT:
        gb_cpu_await_event(cpu, op);
        break;
    case GB_OP_GATE:
        gb_cpu_hold_gate(cpu, op);
        break;
    case GB_OP_GRAPH:
        return gb_cpu_run_graph(cpu, op->graph, err);
    }
    return GB_OK;
}

/* --- the table --- */

static uint64_t cpu_now_ns(gb_device *dev)
{
    (void)dev;
    return gb_monotonic_ns();
}

/* No processor's vendor has one that is found everywhere; kernels bring their own. */
static gb_code cpu_sort(gb_device *dev, gb_stream *stream, const uint32_t *from, uint32_t *to,
                        size_t n, void *scratch, size_t *scratch_bytes, gb_error *err)
{
    (void)dev, (void)stream, (void)from, (void)to, (void)n, (void)scratch, (void)scratch_bytes;
    return gb_fail(err, GB_UNAVAILABLE, "the cpu device has no library that sorts");
}

static void cpu_close(gb_device *dev)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    while (cpu->streams != NULL)
        gb_cpu_stream_destroy(dev, cpu->streams);
    gb_pool_destroy(cpu->pool);
    free(cpu->flush_buffer);
    pthread_mutex_destroy(&cpu->lock);
    pthread_cond_destroy(&cpu->progress);
    gb_fiber_thread_exit(); /* the caller ran kernels too */
    free(cpu);
}

static const gb_device_ops cpu_ops = {
    .close = cpu_close,
    .now_ns = cpu_now_ns,
    .memory_info = gb_cpu_memory_info,
    .alloc = gb_cpu_alloc,
    .free = gb_cpu_free,
    .stream_create = gb_cpu_stream_create,
    .stream_destroy = gb_cpu_stream_destroy,
    .stream_sync = gb_cpu_stream_sync,
    .sync = gb_cpu_sync,
    .event_create = gb_cpu_event_create,
    .event_destroy = gb_cpu_event_destroy,
    .event_record = gb_cpu_event_record,
    .stream_wait = gb_cpu_stream_wait,
    .elapsed_ns = gb_cpu_elapsed_ns,
    .copy = gb_cpu_copy,
    .fill = gb_cpu_fill,
    .alloc_async = gb_cpu_alloc_async,
    .free_async = gb_cpu_free_async,
    .pool_trim = gb_cpu_pool_trim,
    .prefetch = gb_cpu_prefetch,
    .launch = cpu_launch,
    .blocks_per_unit = cpu_blocks_per_unit,
    .capture_begin = gb_cpu_capture_begin,
    .capture_end = gb_cpu_capture_end,
    .graph_nodes = gb_cpu_graph_nodes,
    .graph_instantiate = gb_cpu_graph_instantiate,
    .graph_update = gb_cpu_graph_update,
    .graph_launch = gb_cpu_graph_launch,
    .graph_destroy = gb_cpu_graph_destroy,
    .gate_hold = gb_cpu_gate_hold,
    .gate_release = gb_cpu_gate_release,
    .gate_finish = gb_cpu_gate_finish,
    .flush_cache = gb_cpu_flush_cache,
    .gemm = gb_cpu_gemm,
    .sort = cpu_sort,
    .telemetry = gb_cpu_telemetry,
};

static gb_code apply_fiber_order(gb_error *err)
{
    const char *text = getenv("GPUBENCH_FIBERS");
    gb_fiber_order order;
    uint64_t seed;
    if (text == NULL || text[0] == '\0')
        return GB_OK;
    gb_code code = gb_fiber_order_parse(text, &order, &seed, err);
    if (code == GB_OK)
        gb_fiber_set_order(order, seed);
    return code;
}

gb_code gb_device_cpu_open(unsigned threads, gb_device **out, gb_error *err)
{
    *out = NULL;
    gb_code code = apply_fiber_order(err);
    if (code != GB_OK)
        return code;
    gb_cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the cpu device");
    code = gb_pool_create(threads, &cpu->pool, err);
    if (code != GB_OK) {
        free(cpu);
        return code;
    }
    pthread_condattr_t monotonic; /* the gate's limit must not follow the wall clock */
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&cpu->progress, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&cpu->lock, NULL);
    cpu->level = gb_cpu_best_level();
    cpu->base.ops = &cpu_ops;
    gb_cpu_fill_info(gb_pool_threads(cpu->pool), &cpu->base.info);
    *out = &cpu->base;
    return GB_OK;
}
