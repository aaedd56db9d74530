/* serving: what its files share. serving.c holds the row and the memory; serving_run.c serves
 * requests, on the device or in virtual time. The device's work is that of batch (batch.h), and who
 * is served when is decided by queue.h. Host code alone: the device code is batch.cu. */
#ifndef GB_KERNELS_SERVING_H
#define GB_KERNELS_SERVING_H

#if !defined(__cplusplus)

#include "kernels/batch.h"
#include "kernels/queue.h"

enum {
    SERVING_RATE,
    SERVING_BATCH,
    SERVING_WAIT,
    SERVING_SIZES,
    SERVING_SHAPE,
    SERVING_CLOCK,
    SERVING_WINDOW,
    SERVING_WIDTH,
    SERVING_HIDDEN,
    SERVING_MATH
};

/* Parts of a sample, by their index in the spec. */
enum {
    SERVING_PART_WAITING,
    SERVING_PART_SERVICE,
    SERVING_PART_SERVER,
    SERVING_PART_ON_DEVICE,
    SERVING_PARTS
};

/* Different items that requests are made of, at most; a reference is made for each. */
#define SERVING_ITEMS 64
/* Services that are measured of each shape before a window in virtual time. Their median is the
 * service time there: a single disturbed one would come back every so many batches. What disturbs
 * a server is seen live. */
#define SERVING_ROUNDS 15
/* Requests of the first window, which is there to load code and is not measured. */
#define SERVING_FIRST 32

typedef struct gb_serving_state {
    gb_batch_state model; /* first: the functions of batch.h take run->state for it */
    gb_queue_policy policy;
    gb_queue_shape shape;
    bool mixed, in_virtual_time;
    double rate;
    gb_batch_reference expected; /* of the items that requests are made of */
    gb_memory inputs;            /* [expected.n][width] */
    uint32_t *first_items;       /* of each request of a window: which item is its first */
    /* A window: its requests, and for each batch how long the device was busy (ns). */
    size_t window; /* requests of a full one */
    gb_queue_request *requests;
    double *on_device;
    gb_memory answers;    /* [answer_rows][width] */
    uint64_t answer_rows; /* live: of a whole window, if each request is as large as can be */
    double *measured; /* virtual time: [batch + 1][2][SERVING_ROUNDS]: services, times on device */
    size_t n, at;     /* requests of the window that was served, and handed out so far */
    uint64_t windows; /* full ones so far */
    bool loaded;
    size_t rounds; /* of services that the window measures */
} gb_serving_state;

/* serving_run.c */
gb_code gb_serving_enqueue(gb_run *run, gb_error *err);
gb_code gb_serving_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);

#endif
#endif
