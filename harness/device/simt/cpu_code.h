/* A kernel compiled for the cpu device. Made by GB_EXPORT in simt/simt.h, run by device_cpu. */
#ifndef GB_DEVICE_SIMT_CPU_CODE_H
#define GB_DEVICE_SIMT_CPU_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "device/fn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the threads of a block run. FIBER is correct and slow: its figures are `emulated`. */
typedef enum gb_simt_mode {
    GB_SIMT_RANGE,
    GB_SIMT_FLAT,
    GB_SIMT_PHASED,
    GB_SIMT_FIBER
} gb_simt_mode;

struct gb_cpu_code {
    const char *name;
    gb_simt_mode mode;
    bool emulated; /* threads run as fibers: FIBER, and in a checked build PHASED too */
    int level;     /* instruction set: 0 generic, 3 x86-64-v3, 4 x86-64-v4 */
    uint32_t n_params;
    const uint32_t *param_bytes; /* [n_params], so that a launch can keep copies of its arguments */

    /* Runs the blocks [first, end) of the launch, numbered with x fastest, on the calling thread.
     * args[i] points to the i-th argument, aligned for its type. `shared` is the block's dynamic
     * shared memory (launch->shared_bytes of it, 64-byte aligned; NULL when 0). The launch was
     * checked by the caller. GB_DEVICE_ERROR: a barrier that not all threads of a block reach, a
     * partial shuffle, a barrier in a mode that has none; the message names kernel and block. */
    gb_code (*run)(const gb_launch *launch, uint64_t first, uint64_t end, void *const args[],
                   void *shared, gb_error *err);
};

#ifdef __cplusplus
}
#endif
#endif
