/* Streams side by side: the run's own, and others that start when it has come so far and that it
 * waits for in the end, so that whatever stands around this on run->stream covers all of them. */
#ifndef GB_KERNELS_LANES_H
#define GB_KERNELS_LANES_H

#include "kernels/kernel.h"

enum { GB_MAX_LANES = 16 };

/* Zero-initialised: one lane, nothing made yet. */
typedef struct gb_lanes {
    uint32_t n;                          /* with the run's own stream, which is lane 0 */
    gb_stream *others[GB_MAX_LANES - 1]; /* lanes 1 .. n-1 */
    gb_event *fork, *joins[GB_MAX_LANES - 1];
    gb_event *start, *stop; /* around what gb_lanes_sample measures */
} gb_lanes;

/* Makes n lanes, 1 .. GB_MAX_LANES. Free them also when this failed. */
gb_code gb_lanes_make(gb_run *run, uint32_t n, gb_lanes *lanes, gb_error *err);
void gb_lanes_free(gb_run *run, gb_lanes *lanes);
gb_stream *gb_lane(const gb_run *run, const gb_lanes *lanes, uint32_t i);

/* The other lanes wait for what stands on the run's stream; the run's stream waits for theirs. */
gb_code gb_lanes_fork(gb_run *run, gb_lanes *lanes, gb_error *err);
gb_code gb_lanes_join(gb_run *run, gb_lanes *lanes, gb_error *err);
/* Operations that a fork and a join of n lanes put on the streams: they need room in a driver's
 * queue as launches do. */
uint32_t gb_lanes_operations(uint32_t n);

/* Two events around `iterations` calls of enqueue(run), behind the gate where run->gate allows it;
 * enqueue joins its lanes. *ns: all of it; left alone where *expired, or on an error. */
gb_code gb_lanes_sample(gb_run *run, gb_lanes *lanes, uint64_t iterations,
                        gb_code (*enqueue)(gb_run *run, gb_error *err), double *ns, bool *expired,
                        gb_error *err);

#endif
