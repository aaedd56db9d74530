/* Inside the cuda device only: its state, and what its files offer each other. */
#ifndef GB_DEVICE_DEVICE_CUDA_H
#define GB_DEVICE_DEVICE_CUDA_H

#include <cuda_runtime_api.h>

#include "device/device.h"
#include "device/nvml.h"

/* A graph and, once instantiated, what is launched. */
struct gb_graph {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
};

typedef struct gb_cuda_blas gb_cuda_blas; /* device_cuda_blas.c */

/* What the host and the gate kernel share: mapped host memory. Tickets only go up, so that a
 * release that comes late never opens the next gate. */
typedef struct gb_gate_flags {
    volatile uint32_t released; /* written by the host: gates with a ticket up to this are open */
    volatile uint32_t expired;  /* written by the kernel: ticket of the last gate that timed out */
} gb_gate_flags;

typedef struct gb_cuda {
    gb_device base; /* first: a gb_device * is a gb_cuda * */
    int index;
    bool concurrent_managed; /* managed memory can be prefetched */
    gb_memory gate_memory;   /* one gb_gate_flags */
    uint32_t gate_ticket;
    gb_memory flush_memory; /* >= 2x L2; bytes 0: could not be had */
    uint32_t flush_round;
    struct {
        const void *stub;
        uint32_t bytes;
    } shared_allowed[16]; /* kernels that may use more than 48 KiB of dynamic shared memory */
    size_t shared_next;
    gb_cuda_blas *blas; /* NULL until the first product */
    cudaMemPool_t pool; /* the device's own; NULL until the first alloc_async */
    gb_nvml *nvml;      /* NULL: nvml_reason says why */
    char nvml_reason[128];
    bool counted;        /* the two slow readings of `counts` were taken */
    gb_telemetry counts; /* other_processes and ecc_uncorrected alone */
} gb_cuda;

static inline gb_cuda *gb_cuda_of(gb_device *dev)
{
    return (gb_cuda *)(void *)dev;
}

/* --- device_cuda_error.c ---
 * Fills *err from a failed runtime call and clears the runtime's last error. Message:
 * "cudaMemcpyAsync: 700 (cudaErrorIllegalAddress: an illegal memory access was encountered)". */
gb_code gb_cuda_fail(const char *call, cudaError_t status, gb_error *err);
/* Adds "; text" to the message of a filled error. err may be NULL. */
void gb_cuda_explain(gb_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Path of the first mapped file of this process whose path contains `part`; false: none. */
bool gb_cuda_mapped_file(const char *part, char *path, size_t size);
/* As gb_cuda_fail, for calls that find or open a device (index < 0: none yet): adds versions, the
 * minimum driver, the stub's path, the compute mode or both lists of architectures. */
gb_code gb_cuda_fail_open(const char *call, cudaError_t status, int index, gb_error *err);

/* --- device_cuda_probe.c --- */
gb_code gb_cuda_check_index(int index, gb_error *err); /* GB_NO_DEVICE: there is no such one */
gb_code gb_cuda_read_info(int index, gb_device_info *info, gb_error *err); /* without NVML */
/* Makes the device the calling thread's current one; the only caller of cudaSetDevice. */
gb_code gb_cuda_bind(int index, gb_error *err);

/* --- device_cuda_memory.c --- */
gb_code gb_cuda_memory_info(gb_device *dev, uint64_t *free, uint64_t *total, gb_error *err);
gb_code gb_cuda_alloc(gb_device *dev, gb_memory_kind kind, size_t bytes, gb_memory *out,
                      gb_error *err);
void gb_cuda_free(gb_device *dev, gb_memory *memory);
gb_code gb_cuda_copy(gb_device *dev, gb_stream *stream, void *to, const void *from, size_t bytes,
                     gb_copy direction, gb_error *err);
gb_code gb_cuda_fill(gb_device *dev, gb_stream *stream, void *to, int byte, size_t bytes,
                     gb_error *err);
gb_code gb_cuda_prefetch(gb_device *dev, gb_stream *stream, const gb_memory *memory, bool to_device,
                         gb_error *err);

/* --- device_cuda_pool.c --- */
gb_code gb_cuda_alloc_async(gb_device *dev, gb_stream *stream, size_t bytes, gb_memory *out,
                            gb_error *err);
gb_code gb_cuda_free_async(gb_device *dev, gb_stream *stream, gb_memory *memory, gb_error *err);
gb_code gb_cuda_pool_trim(gb_device *dev, gb_error *err);

/* --- device_cuda_launch.c --- */
gb_code gb_cuda_blocks_per_unit(gb_device *dev, const gb_fn *fn, const gb_launch *launch,
                                uint32_t *blocks, gb_error *err);
gb_code gb_cuda_launch(gb_device *dev, gb_stream *stream, const gb_fn *fn, const gb_launch *launch,
                       void *args[], gb_error *err);

/* --- device_cuda_graph.c --- */
gb_code gb_cuda_capture_begin(gb_device *dev, gb_stream *stream, gb_error *err);
gb_code gb_cuda_capture_end(gb_device *dev, gb_stream *stream, gb_graph **out, gb_error *err);
gb_code gb_cuda_graph_nodes(gb_device *dev, gb_graph *graph, size_t *count, gb_error *err);
gb_code gb_cuda_graph_instantiate(gb_device *dev, gb_graph *graph, gb_error *err);
gb_code gb_cuda_graph_update(gb_device *dev, gb_graph *graph, gb_graph *from, gb_error *err);
gb_code gb_cuda_graph_launch(gb_device *dev, gb_graph *graph, gb_stream *stream, gb_error *err);
void gb_cuda_graph_destroy(gb_device *dev, gb_graph *graph);

/* --- device_cuda_gate.c: the gate and the cache flush ---
 * Allocates both and runs each once, so that no module is loaded behind a gate. */
gb_code gb_cuda_helpers_open(gb_cuda *dev, gb_error *err);
void gb_cuda_helpers_close(gb_cuda *dev);
gb_code gb_cuda_gate_hold(gb_device *dev, gb_stream *stream, uint64_t limit_ns, gb_error *err);
void gb_cuda_gate_release(gb_device *dev);
gb_code gb_cuda_gate_finish(gb_device *dev, bool *expired, gb_error *err);
gb_code gb_cuda_flush_cache(gb_device *dev, gb_stream *stream, gb_error *err);

/* --- device_cuda_blas.c --- */
gb_code gb_cuda_gemm(gb_device *dev, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                     const void *a, const void *b, void *c, gb_error *err);
void gb_cuda_blas_close(gb_cuda_blas *blas);

/* --- device_cuda_sort.c --- */
gb_code gb_cuda_sort(gb_device *dev, gb_stream *stream, const uint32_t *from, uint32_t *to,
                     size_t n, void *scratch, size_t *scratch_bytes, gb_error *err);

#endif
