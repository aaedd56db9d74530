/* Taking one sample: what stands between the two readings of a timer, and nothing else. */
#ifndef GB_RUN_SAMPLER_H
#define GB_RUN_SAMPLER_H

#include "device/gate.h"
#include "kernels/kernel.h"

/* The `call` timer enqueues without waiting and synchronises after this many launches, outside the
 * timed calls. */
#define GB_MAX_IN_FLIGHT 64

/* One case's timer. Owns its stream and events; `run` is handed to the kernel. */
typedef struct gb_sampler {
    const gb_kernel *kernel;
    gb_run run;
    gb_event *start, *stop;
    bool gated;           /* device timer: the work is held back until all of it is enqueued */
    bool own;             /* the kernel takes its samples itself */
    bool prepared;        /* kernel->prepare was called, so release must be */
    uint64_t most_gated;  /* iterations that may wait behind the gate */
    double resolution_ns; /* of the timer that is used */
    uint32_t in_flight;   /* `call`: launches since the last synchronisation */
    uint32_t sync_every;  /* `call`: the bound on in_flight */
} gb_sampler;

/* Creates the stream and events, then prepares the kernel. `gate` says whether the gate may be used
 * at all. Call gb_sampler_close afterwards, whatever this returned. */
gb_code gb_sampler_open(gb_sampler *sampler, gb_device *dev, const gb_kernel *kernel,
                        const gb_value args[], gb_timer timer, gb_cache cache, uint64_t seed,
                        const char *data_dir, bool gate, gb_error *err);

/* Runs once, untimed, what samples use besides the kernel's iteration (flush, gate, the kernel's
 * own way of sampling), so that none of it is loaded inside a sample: loading behind a closed gate
 * would wait for ever. */
gb_code gb_sampler_load_helpers(gb_sampler *sampler, gb_error *err);

/* Runs n iterations without timing or gate, and does not wait for them. */
gb_code gb_sampler_enqueue(gb_sampler *sampler, uint64_t n, gb_error *err);
/* Waits for what was enqueued; asynchronous errors come out here. */
gb_code gb_sampler_sync(gb_sampler *sampler, gb_error *err);

/* Takes one sample of n iterations (1 unless the timer is `device` and the cache warm). out->ns is
 * the time of all n together, to be used only when out->gate_expired is false. An error means that
 * there is no sample; the gate is open again and nothing is left waiting. */
gb_code gb_sampler_take(gb_sampler *sampler, uint64_t n, gb_sample *out, gb_error *err);

/* Releases the kernel, events and stream, in that order, then waits for the whole device, so that
 * an asynchronous error is reported by the case that caused it. */
gb_code gb_sampler_close(gb_sampler *sampler, gb_error *err);

#endif
