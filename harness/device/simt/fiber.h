/* Fibers: the threads of one block, switched by hand on one OS thread. For kernels with barriers
 * and shuffles that run unchanged; correctness only. The scheduler (fiber.c) is C and compiled
 * without TSan, so that TSan sees the fibers' own accesses and the barriers' ordering alone. */
#ifndef GB_DEVICE_SIMT_FIBER_H
#define GB_DEVICE_SIMT_FIBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_MAX_BLOCK_THREADS 1024u
#define GB_WARP 32u

/* In which order the fibers of a block get their turns. A kernel without missing barriers gives
 * the same result in each. RANDOM is seeded and repeatable. Process-wide; set it while nothing
 * runs. The environment variable GPUBENCH_FIBERS (forward, reverse, random or random:SEED) sets it
 * when the cpu device opens. */
typedef enum gb_fiber_order {
    GB_FIBERS_FORWARD,
    GB_FIBERS_REVERSE,
    GB_FIBERS_RANDOM
} gb_fiber_order;
void gb_fiber_set_order(gb_fiber_order order, uint64_t seed);
/* From the text of the environment variable; GB_INVALID quotes anything else. */
gb_code gb_fiber_order_parse(const char *text, gb_fiber_order *order, uint64_t *seed,
                             gb_error *err);

/* Runs body(context, t) for each t in [0, threads) as a fiber of its own, until all have ended.
 * threads <= GB_MAX_BLOCK_THREADS. Errors: GB_DEVICE_ERROR as told in cpu_code.h (the message
 * begins with the kernel's name and `block`), GB_NO_MEMORY when stacks cannot be had. */
gb_code gb_fiber_run(const char *kernel, const uint32_t block[3], uint32_t threads,
                     void (*body)(void *context, uint32_t thread), void *context, gb_error *err);

/* Called inside a fiber. Outside of one they note the misuse and return at once. */
void gb_fiber_barrier(void); /* __syncthreads */
void gb_fiber_warp_barrier(
    uint32_t mask); /* __syncwarp; a mask that is not the whole warp is an error */
/* Warp exchange: leaves `value` for the warp and gives the slot array [GB_WARP] of the thread's
 * warp, complete; *lane gets the own lane and *lanes the number of threads in this warp. Between
 * this call and gb_fiber_exchange_end the slots stay as they are. NULL outside of a fiber. */
const uint64_t *gb_fiber_exchange(uint32_t mask, uint64_t value, uint32_t *lane, uint32_t *lanes);
void gb_fiber_exchange_end(uint32_t mask);

/* Whether a barrier was called outside of a fiber on this thread since the last call of this. */
bool gb_fiber_take_misuse(void);

/* Shared memory begins undefined, block by block: the first fiber of a block that comes by fills it
 * with 0xFF, so that what an earlier block left there hides no missing barrier. `seen` remembers
 * the block. */
void gb_fiber_poison(void *shared, size_t bytes, uint64_t *seen);

/* Frees the calling thread's stacks; they come back when needed. */
void gb_fiber_thread_exit(void);

#ifdef __cplusplus
}
#endif
#endif
