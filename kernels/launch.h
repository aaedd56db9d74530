/* launch: what its files share. launch.cu is the device code; launch.c holds the row, the memory
 * and the checks; launch_run.c puts launches on streams and takes samples. */
#ifndef GB_KERNELS_LAUNCH_H
#define GB_KERNELS_LAUNCH_H

#include <stdint.h>

/* What one launch has to do, in device memory: values[i] goes through `steps` steps, of which the
 * first is number `first + i`: no two elements come out alike. The kernels' only argument points to
 * it; whatever else they are handed is there to be carried along. */
typedef struct gb_launch_work {
    uint32_t *values;
    uint64_t n;
    uint32_t first, steps;
} gb_launch_work;

/* Step `number`, a different one each time and not linear, so that no compiler can merge two of
 * them and none can change places with another. */
#if defined(__CUDACC__)
#define LAUNCH_INLINE __host__ __device__ __forceinline__
#else
#define LAUNCH_INLINE static inline
#endif
LAUNCH_INLINE uint32_t gb_launch_step(uint32_t x, uint32_t number)
{
    return x * x + (2 * number + 1);
}

#if !defined(__cplusplus)
#include "kernels/common.h"
#include "kernels/lanes.h"

enum { LAUNCH_MODE, LAUNCH_LAUNCHES, LAUNCH_ARGUMENT_BYTES, LAUNCH_BLOCKS, LAUNCH_STREAMS };
enum { LAUNCH_MAX_STREAMS = 8, LAUNCH_MAX_LAUNCHES = 512, LAUNCH_MAX_ARGUMENT_BYTES = 4096 };

typedef enum gb_launch_mode { LAUNCH_SEPARATE, LAUNCH_FUSED, LAUNCH_SYNC_EACH } gb_launch_mode;

/* Parts of a sample, by their index in the spec: one a timer. */
enum { LAUNCH_PART_SUBMIT, LAUNCH_PART_BACK_TO_BACK, LAUNCH_PART_ROUND_TRIP };
int gb_launch_part(gb_timer timer); /* the one part of which that timer tells the time */

typedef struct gb_launch_state {
    gb_launch_mode mode;
    const gb_fn *fn;
    uint32_t launches;  /* of an iteration, whatever the mode: steps of work */
    uint32_t in_flight; /* iterations since the host last waited */
    gb_launch shape;
    uint64_t n;                                        /* elements a stream */
    gb_memory values;                                  /* [streams][n] */
    gb_memory work;                                    /* gb_launch_work, one a launch */
    uint64_t arguments[LAUNCH_MAX_ARGUMENT_BYTES / 8]; /* the first word is a pointer into `work` */
    uint32_t extra; /* what the last word of the arguments adds to the number of a step */
    gb_lanes lanes; /* a stream each */
} gb_launch_state;

gb_launch_mode gb_launch_mode_of(const gb_value args[]);
/* The device function that takes so many bytes of arguments, or NULL. */
const gb_fn *gb_launch_fn(uint64_t argument_bytes);
/* What element i of stream `stream` is after one iteration on poisoned memory. */
uint32_t gb_launch_expected(const gb_launch_state *s, uint32_t stream, uint64_t i);

/* The most launches that wait at once, in the samples of this timer. */
uint32_t gb_launch_most_in_flight(const gb_value args[], gb_timer timer);

gb_code gb_launch_enqueue(gb_run *run, gb_error *err);
gb_code gb_launch_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);
bool gb_launch_gate_allowed(const gb_value args[], gb_device_kind kind);
#endif

#endif
