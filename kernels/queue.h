/* A server with one queue and a micro-batcher, as arithmetic on given times: no device and no
 * clock. The kernel `serving` asks it which requests the next batch holds and when it may begin;
 * with service times it serves a whole window in virtual time.
 *
 * The loop is open: when a request arrives was decided before, whatever the server does. Times are
 * ns from the beginning of a window, as doubles (exact to 1 ns for 104 days). */
#ifndef GB_KERNELS_QUEUE_H
#define GB_KERNELS_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"

/* Items of a request of mixed size: 1 to this many, each as often. */
#define GB_QUEUE_MIXED 8

typedef struct gb_queue_request {
    double arrival; /* as scheduled */
    double begin;   /* when its batch began; end - begin is the service time of the batch */
    double end;     /* when it was answered: its latency is end - arrival */
    uint32_t items;
    uint32_t batch; /* which batch it was in */
} gb_queue_request;

/* A batch begins when the server is free and it is full (the next request would not fit, or there
 * is no room left), or when its first request has waited `wait` ns; wait 0: with whatever is there.
 * Requests are taken in their order. */
typedef struct gb_queue_policy {
    uint32_t most_items; /* of a batch; no request has more */
    double wait;
} gb_queue_policy;

typedef struct gb_queue_batch {
    size_t first, end; /* the requests [first, end), at least one */
    uint32_t items;    /* of all of them */
    double begin;
} gb_queue_batch;

/* What the device works on for a batch of some items. */
typedef enum gb_queue_shape {
    GB_SHAPE_EXACT,    /* these items */
    GB_SHAPE_BUCKETED, /* rounded up to a power of two, at most the largest batch */
    GB_SHAPE_PADDED    /* always the largest batch */
} gb_queue_shape;
uint32_t gb_queue_shape_items(gb_queue_shape shape, uint32_t items, uint32_t most_items);

/* Fills n requests: Poisson arrivals (independent exponential gaps) of `rate` requests a second,
 * of one item each or mixed. The same seed gives the same arrivals in the same proportions at every
 * rate, and the same sizes. */
void gb_queue_arrivals(uint64_t seed, double rate, int mixed, gb_queue_request requests[],
                       size_t n);

/* The next batch of a server that is free from `free` on, for requests from `first` < n on. Looks
 * only at arrivals up to the moment at which the batch begins. */
gb_queue_batch gb_queue_next(const gb_queue_request requests[], size_t n, size_t first, double free,
                             const gb_queue_policy *policy);
/* Writes what has become of a batch, the `number`-th, into its requests. */
void gb_queue_answer(gb_queue_request requests[], const gb_queue_batch *batch, uint32_t number,
                     double begin, double end);

/* The service time of a batch in ns, at least 0. */
typedef double (*gb_queue_service)(void *user, const gb_queue_batch *batch);
/* Serves all n requests, one batch after the other. Returns the number of batches. */
uint32_t gb_queue_serve(gb_queue_request requests[], size_t n, const gb_queue_policy *policy,
                        gb_queue_service service, void *user);

#endif
