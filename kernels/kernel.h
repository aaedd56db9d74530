/* The kernel contract. A kernel is one immutable row: its spec (base/spec.h) and the functions
 * below. `kernels/NAME.cu` (or several files NAME_*.cu) holds the device code, `kernels/NAME.c` the
 * row, `registry.def` its name.
 *
 * Life of a case, all calls from one thread of a worker:
 *   prepare -> (reset -> enqueue/sample -> verify) -> many enqueue/sample -> (reset -> enqueue ->
 *   verify) -> release
 * `state` is the kernel's own; release is called exactly once after prepare, also when it failed.
 */
#ifndef GB_KERNELS_KERNEL_H
#define GB_KERNELS_KERNEL_H

#include "base/error.h"
#include "base/rng.h"
#include "base/spec.h"
#include "device/device.h"

#define GB_MAX_PARTS 9
#define GB_MAX_LEVELS 8 /* as many metrics as a record holds */

/* A case in the worker's hands. */
typedef struct gb_run {
    gb_device *dev;
    gb_stream *stream; /* the stream on which enqueue puts its work */
    const gb_value *args;
    gb_timer timer;
    gb_cache cache;
    bool gate;            /* a kernel's own `sample` may hold its work behind the gate now */
    uint64_t seed;        /* for test data: the same on every machine */
    const char *data_dir; /* the user's files (run --data-dir); NULL: none */
    uint64_t iteration;   /* counts enqueues; a kernel may rotate among buffers with it */
    void *state;          /* set by prepare */
    /* The most launches that a kernel's own samples let wait at once: set by prepare, recorded;
     * 0: not. */
    uint32_t max_in_flight;
    /* Values of the metrics that are levels (GB_LEVEL), by their index in the spec, in the metric's
     * unit: set by enqueue, sample or verify, the last ones are recorded. */
    double levels[GB_MAX_LEVELS];
} gb_run;

/* One sample that a kernel takes itself. */
typedef struct gb_sample {
    double ns;                  /* of all iterations together */
    double parts[GB_MAX_PARTS]; /* ns per part, all iterations together; NAN: none */
    bool gate_expired;
    /* Samples that belong together with this one and are still to come, at least: a kernel that
     * serves many requests at once gets all their times at once and hands them out by the next
     * calls, one that watches for a stated time has not seen its end yet. The measuring loop looks
     * at the time and at the precision only when none is left. */
    uint64_t ready;
} gb_sample;

typedef struct gb_kernel {
    gb_kernel_spec spec;

    /* Allocates and fills inputs with non-trivial data. GB_UNAVAILABLE and GB_NO_MEMORY become
     * skipped records with the message as reason. */
    gb_code (*prepare)(gb_run *run, gb_error *err);
    /* Puts exactly one iteration on run->stream and nothing else. */
    gb_code (*enqueue)(gb_run *run, gb_error *err);
    /* Instead of enqueue, for kernels whose sample is not one enqueue per iteration: takes one
     * sample of `iterations`. NULL: the measuring loop uses enqueue. */
    gb_code (*sample)(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);
    /* Whether `sample` (when there is one) is used for these arguments and this timer; otherwise
     * the measuring loop uses enqueue. NULL: always. `sample` honours run->timer and run->gate
     * itself; for a cold cache the loop flushes before it and asks for one iteration. enqueue
     * exists in either case: warm-up and verification use it. */
    bool (*samples_itself)(const gb_value args[], gb_timer timer);
    /* Poisons the outputs (0xFF bytes) so that verify sees only what the next iteration wrote. May
     * look before at what all iterations since the last reset have left: GB_WRONG_RESULT. */
    gb_code (*reset)(gb_run *run, gb_error *err);
    /* Checks the outputs of the last iteration (the stream is synchronised). GB_WRONG_RESULT with
     * first bad offset, expected, found and the count of bad elements. */
    gb_code (*verify)(gb_run *run, gb_error *err);
    void (*release)(gb_run *run);

    /* Whether work may be held behind the gate for these arguments (false for pageable and
     * managed memory, which synchronise their stream). NULL: always. */
    bool (*gate_allowed)(const gb_value args[], gb_device_kind kind);
    /* Operations that one iteration puts behind the gate, which bears only so many (device/gate.h).
     * NULL: 1. */
    uint32_t (*behind_gate)(const gb_value args[]);
} gb_kernel;

/* The rows, one per line of registry.def: gb_kernel_noop, gb_kernel_copy, ... */
#define GB_KERNEL_ROW(name) extern const gb_kernel gb_kernel_##name;
#include "kernels/registry.def"
#undef GB_KERNEL_ROW

/* All kernels, in the order of registry.def. */
extern const gb_kernel *const gb_kernels[];
extern const size_t gb_kernels_count;
const gb_kernel *gb_kernel_find(const char *name); /* or NULL */
const gb_catalog *gb_kernel_catalog(void);

#endif
