/* The device contract: what a kernel and the measuring loop may ask of a device.
 *
 * A gb_device is a table of operations and a block of facts. Two exist: cpu (device_cpu.c, always
 * there) and cuda (device_cuda.c, in builds with the CUDA toolkit); tests add devices of their own
 * with virtual time. Work on a stream is asynchronous and in order; streams are independent of
 * each other. One host thread uses a device at a time.
 *
 * Errors: every operation returns a gb_code and fills err with the failing call, its number and
 * name ("cudaMemcpyAsync: 700 (cudaErrorIllegalAddress): ..."). err->sticky says that the context
 * is lost: the process must stop measuring. An operation that is not there on a device returns
 * GB_UNAVAILABLE with the reason; no pointer in the table is NULL. */
#ifndef GB_DEVICE_DEVICE_H
#define GB_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "base/spec.h"
#include "device/fn.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gb_memory_kind {
    GB_MEM_DEVICE,
    GB_MEM_PAGEABLE,
    GB_MEM_PINNED,
    GB_MEM_WRITE_COMBINED,
    GB_MEM_MAPPED,
    GB_MEM_MANAGED,
    GB_MEMORY_KINDS
} gb_memory_kind;
const char *gb_memory_kind_word(gb_memory_kind kind); /* "device", "pageable", ... */

/* A block of memory. `host` is NULL for device memory, `device` is NULL for pageable, pinned and
 * write-combined memory; mapped and managed memory have both. Owned by whoever allocated it and
 * given back with free. On cpu `device` points to ordinary memory, but only kernels, copies and
 * fills may go through it: that keeps one source right on both. */
typedef struct gb_memory {
    gb_memory_kind kind;
    size_t bytes;
    void *host;
    void *device;
} gb_memory;

typedef enum gb_tristate { GB_UNKNOWN = 0, GB_NO, GB_YES } gb_tristate;

/* Facts of a device. A number that is not known is 0 (JSON null), never a guess. */
typedef struct gb_device_info {
    gb_device_kind kind;
    int index;               /* among the visible devices of its kind */
    char name[256];          /* "NVIDIA H200", "AMD EPYC 9654" */
    char uuid[64];           /* "GPU-..." ; cpu: "CPU-" and a hash of machine id and affinity */
    char pci[32];            /* "00000000:65:00.0"; "" none */
    char driver[64];         /* "13.0" (CUDA version of the driver) */
    char driver_version[64]; /* "580.65.06"; "" unknown */
    char vbios[64];          /* "96.00.AF.00.01", the board's firmware; "" unknown */
    char clock_policy[64];   /* "default", or which application clocks are set; "" unknown */
    char runtime[64];        /* "13.0" ; cpu: how kernels run, e.g. "2 threads, x86-64-v4" */
    char mig[64];            /* MIG profile; "" none or unknown */
    char numa_node[16];      /* of the slot that the device sits in, a number; "" unknown */
    char numa_bound[64];     /* what a worker binds itself to, in words; "" nothing (numa.h) */
    int cc_major, cc_minor;
    uint32_t units;                       /* SMs; on cpu the worker threads */
    uint32_t warp_size;                   /* 1 on cpu */
    uint64_t clock_khz, memory_clock_khz; /* maximum, not momentary */
    uint32_t bus_bits;
    uint64_t memory_bytes, free_bytes;
    uint64_t llc_bytes;           /* last-level cache: L2 on a GPU, the share of L3 on cpu */
    uint64_t l1d_bytes, l2_bytes; /* cpu: caches of one core; 0: unknown, or not a cpu */
    uint64_t pinned_limit_bytes;  /* RLIMIT_MEMLOCK on cpu; UINT64_MAX: no known limit */
    uint32_t max_threads_per_block;
    uint32_t max_grid[3];
    uint32_t shared_per_block, shared_per_block_optin;
    uint32_t async_engines;
    uint32_t pcie_gen_max, pcie_width_max;
    gb_tristate ecc, integrated;
    bool memory_kinds[GB_MEMORY_KINDS]; /* which kinds can be allocated */
    double event_resolution_ns;         /* of gb event timestamps */
    bool synchronous_launches;          /* CUDA_LAUNCH_BLOCKING=1 */
    bool profiler;                      /* a profiler is attached: no gate */
} gb_device_info;

/* Momentary readings; NAN where it cannot be read. `reason` says why readings are missing. */
typedef struct gb_telemetry {
    double sm_clock_mhz, memory_clock_mhz, temperature_c, power_w, utilization;
    double pcie_gen, pcie_width;
    double throttle_reasons; /* NVML bit mask as a number */
    /* cuda: both as they were at the first reading after the device was opened */
    double other_processes; /* compute processes on the device besides this one */
    double ecc_uncorrected; /* uncorrectable memory errors since the driver was loaded */
    char reason[128];
} gb_telemetry;

typedef struct gb_stream gb_stream;
typedef struct gb_event gb_event;
typedef struct gb_graph gb_graph; /* a captured graph, ready to launch once instantiated */

typedef enum gb_copy { GB_COPY_H2D, GB_COPY_D2H, GB_COPY_D2D, GB_COPY_H2H } gb_copy;

/* Element types of the vendor BLAS product. */
typedef enum gb_gemm_type {
    GB_GEMM_FP64,
    GB_GEMM_FP32,
    GB_GEMM_TF32,
    GB_GEMM_FP16,
    GB_GEMM_BF16
} gb_gemm_type;

typedef struct gb_device gb_device;

typedef struct gb_device_ops {
    /* Releases the device and all it holds. Never fails; dev is invalid afterwards. */
    void (*close)(gb_device *dev);

    /* Host clock, monotonic nanoseconds. In the table so that tests can run in virtual time. */
    uint64_t (*now_ns)(gb_device *dev);

    /* free and total bytes of device memory, now */
    gb_code (*memory_info)(gb_device *dev, uint64_t *free, uint64_t *total, gb_error *err);
    /* bytes > 0. GB_NO_MEMORY with "pinned host allocation of N bytes refused" style messages;
     * the failure leaves nothing behind (the runtime's last error is cleared). Host memory is
     * pre-touched, cpu pinned memory locked. Contents are undefined. Alignment >= 256. */
    gb_code (*alloc)(gb_device *dev, gb_memory_kind kind, size_t bytes, gb_memory *out,
                     gb_error *err);
    void (*free)(gb_device *dev, gb_memory *memory); /* zeroes *memory; fine with a zeroed one */
    /* Device memory in the order of a stream, from the device's own pool: valid for what is
     * enqueued on `stream` after this call (elsewhere: after a synchronisation), given back with
     * free_async. Otherwise as alloc. Not there on cpu. */
    gb_code (*alloc_async)(gb_device *dev, gb_stream *stream, size_t bytes, gb_memory *out,
                           gb_error *err);
    /* Back to the pool once all that is enqueued on `stream` so far is done. The pool keeps it.
     * Zeroes *memory, also after an error; fine with a zeroed one. */
    gb_code (*free_async)(gb_device *dev, gb_stream *stream, gb_memory *memory, gb_error *err);
    /* What the pool keeps and nobody uses goes back to the device. Synchronise before. */
    gb_code (*pool_trim)(gb_device *dev, gb_error *err);

    gb_code (*stream_create)(gb_device *dev, gb_stream **out, gb_error *err); /* non-blocking */
    void (*stream_destroy)(gb_device *dev, gb_stream *stream);
    gb_code (*stream_sync)(gb_device *dev, gb_stream *stream, gb_error *err);
    gb_code (*sync)(gb_device *dev, gb_error *err); /* all streams; reports asynchronous errors */

    gb_code (*event_create)(gb_device *dev, gb_event **out, gb_error *err);
    void (*event_destroy)(gb_device *dev, gb_event *event);
    gb_code (*event_record)(gb_device *dev, gb_event *event, gb_stream *stream, gb_error *err);
    /* makes `stream` wait for what was recorded in `event` */
    gb_code (*stream_wait)(gb_device *dev, gb_stream *stream, gb_event *event, gb_error *err);
    /* Waits for `stop`, then gives stop - start in ns. */
    gb_code (*elapsed_ns)(gb_device *dev, gb_event *start, gb_event *stop, double *ns,
                          gb_error *err);

    gb_code (*copy)(gb_device *dev, gb_stream *stream, void *to, const void *from, size_t bytes,
                    gb_copy direction, gb_error *err);
    gb_code (*fill)(gb_device *dev, gb_stream *stream, void *to, int byte, size_t bytes,
                    gb_error *err);
    /* Moves managed memory towards the device or the host. */
    gb_code (*prefetch)(gb_device *dev, gb_stream *stream, const gb_memory *memory, bool to_device,
                        gb_error *err);
    /* args[i] points to the i-th argument. Checks the launch's own error at once; its message
     * carries grid and block. A grid of 0 blocks is GB_INVALID. */
    gb_code (*launch)(gb_device *dev, gb_stream *stream, const gb_fn *fn, const gb_launch *launch,
                      void *args[], gb_error *err);
    /* How many blocks of such a launch one unit (SM, worker) holds at a time, at least 1. A kernel
     * that needs more registers or shared memory than a unit has is GB_DEVICE_ERROR "kernel does
     * not fit". On cpu always 1. */
    gb_code (*blocks_per_unit)(gb_device *dev, const gb_fn *fn, const gb_launch *launch,
                               uint32_t *blocks, gb_error *err);

    /* Work enqueued on `stream` between begin and end is recorded instead of run. */
    gb_code (*capture_begin)(gb_device *dev, gb_stream *stream, gb_error *err);
    gb_code (*capture_end)(gb_device *dev, gb_stream *stream, gb_graph **out, gb_error *err);
    gb_code (*graph_nodes)(gb_device *dev, gb_graph *graph, size_t *count, gb_error *err);
    gb_code (*graph_instantiate)(gb_device *dev, gb_graph *graph, gb_error *err);
    /* Replaces the parameters of the instantiated graph by those of `from` (same topology). */
    gb_code (*graph_update)(gb_device *dev, gb_graph *graph, gb_graph *from, gb_error *err);
    gb_code (*graph_launch)(gb_device *dev, gb_graph *graph, gb_stream *stream, gb_error *err);
    void (*graph_destroy)(gb_device *dev, gb_graph *graph);

    /* The gate: holds back what is enqueued on `stream` after it until gate_release, or until
     * limit_ns have passed. One gate per device at a time. gate_finish is called after the stream
     * was synchronised and says whether it had expired. */
    gb_code (*gate_hold)(gb_device *dev, gb_stream *stream, uint64_t limit_ns, gb_error *err);
    void (*gate_release)(gb_device *dev);
    gb_code (*gate_finish)(gb_device *dev, bool *expired, gb_error *err);

    /* Enqueues a write over >= 2x the last-level cache. */
    gb_code (*flush_cache)(gb_device *dev, gb_stream *stream, gb_error *err);

    /* C[m,n] = A[m,k] * B[k,n], row-major, device pointers, accumulation in FP32 (FP64 for
     * FP64), C of A's type. */
    gb_code (*gemm)(gb_device *dev, gb_stream *stream, gb_gemm_type type, int m, int n, int k,
                    const void *a, const void *b, void *c, gb_error *err);

    /* Sorts n whole numbers of 32 bits, the smallest first, by the vendor's library (CUB on cuda);
     * `from` is left as it is. With `scratch` NULL nothing is enqueued and *scratch_bytes becomes
     * what it has to have for n. All pointers are the device's, none may overlap another. */
    gb_code (*sort)(gb_device *dev, gb_stream *stream, const uint32_t *from, uint32_t *to, size_t n,
                    void *scratch, size_t *scratch_bytes, gb_error *err);

    /* Whether NVML (or /sys on cpu) answers; never an error: unknown readings are NAN. */
    void (*telemetry)(gb_device *dev, gb_telemetry *out);
} gb_device_ops;

struct gb_device {
    const gb_device_ops *ops;
    gb_device_info info;
    bool emulated; /* set by launch when threads ran as fibers; the measuring loop clears it */
};

/* Facts as JSON (unknown -> null). New reference; NULL on out of memory. */
json_t *gb_device_info_json(const gb_device_info *info);
json_t *gb_telemetry_json(const gb_telemetry *telemetry);

/* The cpu device: `threads` workers, 0: affinity and cgroup quota decide. */
gb_code gb_device_cpu_open(unsigned threads, gb_device **out, gb_error *err);
gb_code gb_device_cpu_info(gb_device_info *out, gb_error *err);

/* The cuda devices that are visible; in a build without CUDA every one of these returns
 * GB_UNAVAILABLE ("this build has no CUDA; configure with nvcc"). Errors of gb_device_cuda_count:
 * GB_DRIVER (no driver, too old: both versions; a stub library: its path; mismatch), GB_NO_DEVICE,
 * GB_DEVICE_BUSY. Opening checks the compiled architectures (GB_NO_KERNEL_IMAGE names both). */
gb_code gb_device_cuda_count(int *count, gb_error *err);
gb_code gb_device_cuda_info(int index, gb_device_info *out, gb_error *err);
gb_code gb_device_cuda_open(int index, gb_device **out, gb_error *err);

/* Puts the work between both calls into a named range on a profiler's timeline (NVTX); nothing
 * happens where no profiler is attached, and in a build without CUDA. Ranges nest. */
void gb_device_cuda_range_begin(const char *name);
void gb_device_cuda_range_end(void);

/* What this build has: toolkit version (0: none), minimum driver's CUDA version, "75,80,..." */
int gb_device_cuda_toolkit(void);                /* 13000 for 13.0 */
const char *gb_device_cuda_minimum_driver(void); /* "580"; "" in a build without CUDA */
const char *gb_device_cuda_architectures(void);

/* A device choice: auto | cpu | cuda | cuda:N | cuda:UUID-prefix | all (docs: README). */
typedef struct gb_device_choice {
    enum {
        GB_CHOICE_AUTO,
        GB_CHOICE_CPU,
        GB_CHOICE_CUDA,
        GB_CHOICE_CUDA_INDEX,
        GB_CHOICE_CUDA_UUID,
        GB_CHOICE_ALL
    } kind;
    int index;
    char uuid[64];
} gb_device_choice;
gb_code gb_device_choice_parse(const char *text, gb_device_choice *out, gb_error *err);

#ifdef __cplusplus
}
#endif
#endif
