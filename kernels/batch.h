/* batch: what its files share. batch.c holds the row, the memory and the checks; batch_run.c puts
 * requests on the stream; batch_check.c has test data and reference; batch.cu the layers. */
#ifndef GB_KERNELS_BATCH_H
#define GB_KERNELS_BATCH_H

/* A block of the own product makes a tile of the layer's output, at most BATCH_ROWS high, and walks
 * along the depth in steps of BATCH_DEPTH. */
#define BATCH_ROWS 8
#define BATCH_COLUMNS 32
#define BATCH_DEPTH 32

#if !defined(__cplusplus)

#include "kernels/common.h"

enum {
    BATCH_BATCH,
    BATCH_WIDTH,
    BATCH_HIDDEN,
    BATCH_MATH,
    BATCH_SUBMIT,
    BATCH_MEMORY,
    BATCH_EVENTS
};

/* Parts of a sample, by their index in the spec. */
enum {
    BATCH_PART_COPY_IN,
    BATCH_PART_LAUNCH,
    BATCH_PART_COMPUTE,
    BATCH_PART_COPY_OUT,
    BATCH_PART_ON_DEVICE,
    BATCH_PARTS
};

/* Events of a request. */
enum { BATCH_BEGIN, BATCH_COPIED_IN, BATCH_COMPUTED, BATCH_END, BATCH_MARKS };

/* Inputs are whole numbers from -7 to 7 over 8, and so are the weights; biases are whole numbers
 * over the unit of the sums that they join. */
#define BATCH_SCALE 8
#define BATCH_UNIT_1 (BATCH_SCALE * BATCH_SCALE)
#define BATCH_UNIT_2 (BATCH_UNIT_1 * BATCH_SCALE)

/* Series of test data. */
enum { BATCH_INPUT, BATCH_WEIGHTS_1, BATCH_BIAS_1, BATCH_WEIGHTS_2, BATCH_BIAS_2 };

typedef struct gb_batch_sizes {
    uint64_t batch, width, hidden;
} gb_batch_sizes;

/* Element `index` of a series. */
float gb_batch_value(uint64_t seed, int series, uint64_t index);

/* What both layers should give for some rows of the batch: all of them where that is quick,
 * otherwise the first, the last and rows spread in between. Owned by whoever made it. */
typedef struct gb_batch_reference {
    size_t n;
    uint64_t *rows;         /* [n], ascending */
    float *hidden, *output; /* [n][hidden], [n][width]: exact */
} gb_batch_reference;

/* How many rows of a batch are checked against the reference, and which the i-th of them is. */
size_t gb_batch_rows_checked(const gb_batch_sizes *sizes);
uint64_t gb_batch_row(const gb_batch_sizes *sizes, size_t n, size_t i);

gb_code gb_batch_reference_make(const gb_batch_sizes *sizes, uint64_t seed, gb_batch_reference *out,
                                gb_error *err);
void gb_batch_reference_free(gb_batch_reference *reference);

/* Of the kernel `serving` too, whose own state begins with one. */
typedef struct gb_batch_state {
    gb_batch_sizes sizes;
    uint64_t rows; /* of the request in hand: all of the batch unless whoever submits says less */
    bool vendor, events;
    gb_memory_kind host_kind;
    gb_memory host_in, host_out;
    gb_memory in, hidden, out, weights[2], bias[2]; /* of the device */
    gb_event *marks[BATCH_MARKS];
    gb_graph *graph;              /* of a request; NULL: eager */
    gb_batch_reference reference; /* made when it is first needed */
} gb_batch_state;

/* batch_memory.c. Values of the weights and biases of both layers; memory of all buffers. */
uint64_t gb_batch_model_values(const gb_batch_sizes *sizes);
gb_need gb_batch_need(const gb_batch_sizes *sizes, gb_memory_kind host_kind);
/* Allocates and fills what a state with its sizes and words needs; close gives it back, after a
 * failed open too, but for the state itself. */
gb_code gb_batch_open(gb_run *run, gb_error *err);
void gb_batch_close(gb_run *run);
/* Writes the inputs of a whole batch again, once the stream is empty. */
gb_code gb_batch_refill(gb_run *run, gb_error *err);
/* Poisons all that a request writes. */
gb_code gb_batch_reset(gb_run *run, gb_error *err);

/* batch.c: the inputs of a whole batch have arrived, both layers are right, and the host has the
 * outputs. */
gb_code gb_batch_verify(gb_run *run, gb_error *err);

/* batch_run.c. Captures a request into s->graph and checks that all of it is there. */
gb_code gb_batch_capture(gb_run *run, gb_error *err);
/* Enqueues the request in hand, with its events or without. */
gb_code gb_batch_submit(gb_run *run, bool events, gb_error *err);
gb_code gb_batch_enqueue(gb_run *run, gb_error *err);
gb_code gb_batch_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);

#endif
#endif
