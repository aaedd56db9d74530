/* Shared by the files of the fake runtime. */
#ifndef GB_TESTS_FAKE_INTERNAL_H
#define GB_TESTS_FAKE_INTERNAL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/fn.h"

/* --- fake_settings.c: the environment, counting and injected failures --- */
typedef enum fake_copy_fault {
    FAKE_COPY_FINE,
    FAKE_COPY_CORRUPT,
    FAKE_COPY_NOTHING,
    FAKE_COPY_HANG
} fake_copy_fault;
typedef struct fake_settings {
    int devices, driver; /* number of GPUs in the machine; CUDA version of the driver, 0: none */
    int cc_major, cc_minor;
    size_t memory, pinned_limit, static_shared;
    fake_copy_fault copy_fault;
    long copy_number;  /* the copy that is corrupted, from 1 */
    double elapsed_ms; /* < 0: measure */
    long first_call_ms;
    int resident_blocks; /* what the occupancy query answers */
    const char *fail, *attributes, *kernel_error;
} fake_settings;
const fake_settings *fake_get(void);

/* Counts the call and gives the error that it has to fail with. */
cudaError_t fake_enter(const char *call);
/* Remembers an error as the last one (and for good when it is sticky); returns it. */
cudaError_t fake_fail(cudaError_t status);
/* An error of work on the device: every later call returns it. */
void fake_async_error(cudaError_t status);
cudaError_t fake_sticky(void);

/* --- fake_cudart.c: devices and memory --- */
enum { FAKE_DEVICE_MEMORY, FAKE_PINNED, FAKE_MAPPED, FAKE_MANAGED, FAKE_UNKNOWN_MEMORY };
/* Kind of the allocation that holds [p, p + bytes). */
int fake_memory_kind(const void *p, size_t bytes);
/* Counts a live object of any kind (+1, -1). */
void fake_count_live(int change, const char *what);

/* --- fake_queue.c: streams, events, copies --- */
enum { OP_KERNEL = 1, OP_COPY, OP_FILL, OP_RECORD, OP_WAIT, OP_GRAPH, OP_CALL, OP_PREFETCH };
typedef struct fake_op fake_op;
struct fake_op {
    void (*run)(const fake_op *op);
    bool node; /* counts as a node of a graph */
    int kind;  /* for comparing topologies */
    uint64_t seq;
    fake_op *next;
    void *data; /* owned, one block, no pointers to free inside */
    size_t bytes;
};
typedef struct fake_list {
    int references;
    fake_op *first, **last;
    size_t nodes;
} fake_list;

typedef struct fake_capture {
    cudaStream_t origin;
    fake_list *ops;
    bool spoilt;
} fake_capture;

struct CUstream_st {
    fake_op *first, **last;
    int queued;
    uint64_t issued, done; /* sequence numbers */
    fake_capture *session;
    bool unjoined; /* in a capture: has work that the origin does not wait for yet */
    struct CUstream_st *next;
};

extern cudaStream_t fake_streams;            /* all but the default one */
cudaStream_t fake_real(cudaStream_t stream); /* the default one for NULL */
bool fake_is_stream(cudaStream_t stream);
void fake_free_op(fake_op *op);
/* Takes a copy of data. */
cudaError_t fake_enqueue(cudaStream_t stream, void (*run)(const fake_op *), int kind, bool node,
                         const void *data, size_t bytes);
void fake_drain(cudaStream_t stream);
void fake_drain_all(void);
/* As fake_enqueue, for the fake cuBLAS. */
cudaError_t fake_cuda_call(cudaStream_t stream, void (*run)(const void *), const void *data,
                           size_t bytes);

/* --- fake_graph.c --- */
extern fake_capture *fake_current; /* one capture at a time is enough here */
void fake_append(fake_list *list, fake_op *op);
void fake_end_session(fake_capture *session);
bool fake_capturing(cudaStream_t stream);
/* For calls that a capture forbids: 900, and the capture is spoilt. */
cudaError_t fake_refuse_in_capture(void);

/* --- fake_kernels.c --- */
typedef struct fake_kernel {
    const void *stub;
    char name[80];
    bool used; /* launched before */
} fake_kernel;
fake_kernel *fake_kernel_of(const void *stub);

#endif
