/* A device in virtual time, for tests of the measuring loop: nothing sleeps, every cost is a number
 * set by the test, and any call can be made to fail.
 *
 * The host clock moves only by what calls cost. One queue holds the device's work; a launch lasts
 * body_ns, plus noise from a seeded generator. fake_kernel.h has a kernel for it. */
#ifndef GB_TESTS_FAKE_DEVICE_H
#define GB_TESTS_FAKE_DEVICE_H

#include "base/rng.h"
#include "device/device.h"

typedef enum fake_call {
    FAKE_ALLOC,
    FAKE_STREAM_CREATE,
    FAKE_STREAM_SYNC,
    FAKE_SYNC,
    FAKE_EVENT_CREATE,
    FAKE_EVENT_RECORD,
    FAKE_ELAPSED,
    FAKE_COPY,
    FAKE_FILL,
    FAKE_LAUNCH,
    FAKE_GATE_HOLD,
    FAKE_GATE_FINISH,
    FAKE_FLUSH,
    FAKE_MEMORY_INFO,
    FAKE_CALLS
} fake_call;

typedef struct fake_queued {
    double ns;       /* of a piece of work; of an event 0 */
    gb_event *event; /* NULL: work */
} fake_queued;

typedef struct fake_device {
    gb_device device; /* first: a gb_device * is a fake_device * */
    /* costs, set by the test */
    double clock_ns;  /* a reading of the host clock */
    double launch_ns; /* host time of a launch, copy or fill */
    double sync_ns;   /* host time of a synchronisation beyond the waiting */
    double body_ns;   /* device time of a launch */
    double copy_bytes_per_ns;
    double noise;         /* standard deviation of the body over its mean, normal */
    double drift;         /* the body grows by this fraction with every launch */
    double first_ns;      /* what the first launch takes on top, host and device: loading */
    double tick_ns;       /* event timestamps are multiples of this; 0: exact */
    bool stopped_clock;   /* events and the host clock always read 0 */
    uint32_t queue_limit; /* launches that fit; the host waits for the oldest; 0: no limit */
    bool gate_always_expires;
    uint32_t gate_expires_every; /* every n-th gate; 0: never */
    gb_telemetry telemetry;
    double telemetry_ns;          /* what a reading takes before it is one */
    uint64_t slow_launches_after; /* launches after which one costs the host 3 times as much */
    double clock_drop_at;         /* launches after which the SM clock reads half; 0: never */
    bool fibers;                  /* launches say that they were emulated */
    uint64_t wrong_after;         /* launches after which outputs are wrong; 0: never */
    uint64_t free_bytes, total_bytes;
    /* the n-th call (from 1) of a kind, or of any kind (FAKE_CALLS), fails; 0: none */
    fake_call fail_call;
    uint64_t fail_at;
    gb_code fail_code;
    int fail_status;
    bool fail_sticky; /* all later calls fail too */
    bool fail_late;   /* the call succeeds, the next synchronisation fails */
    /* state */
    gb_rng rng;
    double now;   /* host */
    double tail;  /* when the device's queue is empty */
    double *ends; /* ring of the end times of launches in flight */
    size_t first, in_flight, ring;
    bool held, lost, late;
    double held_since, gate_limit;
    bool expired;
    fake_queued *behind;
    size_t n_behind, behind_capacity;
    /* what happened */
    uint64_t calls[FAKE_CALLS + 1]; /* by kind; the last: all */
    uint64_t launches, gates, flushes, most_behind_gate, most_in_flight;
    int64_t live;  /* allocations, streams and events not given back */
    int64_t bytes; /* allocated now */
} fake_device;

/* Costs of a small GPU: launch 2 us, sync 5 us, body 10 us, no noise, 1 GiB of memory. */
void fake_device_init(fake_device *fake, uint64_t seed);
/* Frees the fake's own memory; what a test leaked stays visible in `live`. */
void fake_device_done(fake_device *fake);

/* The device time of the next launch. */
double fake_body(fake_device *fake);

#endif
