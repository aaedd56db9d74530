/* A neighbour: a second process that opens the same device and keeps it busy until it is ended, so
 * that a case can be measured beside it. It is a task (task.h), which says over its fd 3 what it
 * does, in lines:
 *
 *   under-way               its load is checked and running from now on
 *   ran ROUNDS BUSY END     rounds so far, the time in them, and when the last one ended (ns of
 *                           CLOCK_MONOTONIC, which all processes of a machine share). A round is
 *                           as many iterations as take about 5 ms, from the first call until the
 *                           device has done them.
 *   failed CODE REASON      and it ends
 */
#ifndef GB_KERNELS_NEIGHBOUR_H
#define GB_KERNELS_NEIGHBOUR_H

#include "device/process.h"
#include "kernels/stability_load.h"
#include "kernels/task.h"

extern const gb_task gb_task_neighbour;

/* It must have had work on the device for this share of the time in which samples were taken. */
#define GB_NEIGHBOUR_SHARE 0.9
/* Between two rounds a scheduler may keep it waiting on a busy machine, a time slice for each
 * thread that is before it: so much in all is no idleness, however short the time. */
#define GB_NEIGHBOUR_LATENCY_NS 100e6
/* A round is over long before, even where many share a processor. */
#define GB_NEIGHBOUR_SILENCE_NS UINT64_C(10000000000)

typedef struct gb_neighbour {
    gb_process process;
    char line[512]; /* what has come of a line */
    size_t n;
    bool under_way;
    uint64_t rounds, busy_ns, end_ns; /* of its last report */
    uint64_t heard_ns;                /* when that was */
    uint64_t silence_ns;              /* GB_NEIGHBOUR_SILENCE_NS */
    uint64_t from_busy_ns, from_ns;   /* the last report before gb_neighbour_watch */
} gb_neighbour;

/* Starts it from `program` and waits at most patience_ns until it is under way. It is killed by
 * gb_neighbour_end, and by the kernel when the calling thread ends. Errors say what became of it:
 * GB_UNAVAILABLE (it cannot have the device or the memory), GB_CRASHED, GB_TIMEOUT, ...; nothing is
 * left behind then. */
gb_code gb_neighbour_start(const char *program, const gb_device_info *device,
                           const gb_load_spec *load, uint64_t seed, uint64_t patience_ns,
                           gb_neighbour *out, gb_error *err);
/* Takes what it has said, without waiting. GB_CRASHED when it has ended, GB_TIMEOUT when it has not
 * ended a round for GB_NEIGHBOUR_SILENCE_NS. */
gb_code gb_neighbour_listen(gb_neighbour *neighbour, gb_error *err);
/* Its work counts from here on. */
gb_code gb_neighbour_watch(gb_neighbour *neighbour, gb_error *err);
/* Whether it was at work from gb_neighbour_watch until `until_ns` (in the past): waits for the end
 * of the round that was under way then. GB_CRASHED, GB_TIMEOUT as above; GB_DEVICE_ERROR: it was
 * idle for more than 1 - GB_NEIGHBOUR_SHARE of that time and more than GB_NEIGHBOUR_LATENCY_NS. */
gb_code gb_neighbour_check(gb_neighbour *neighbour, uint64_t until_ns, gb_error *err);
/* Kills it; fine with a zeroed one and twice. */
void gb_neighbour_end(gb_neighbour *neighbour);

#endif
