/* exhaust: what the kernel (exhaust.c) and its process (exhaust_task.c) agree on. Host code alone:
 * the device code is allocate.cu. */
#ifndef GB_KERNELS_EXHAUST_H
#define GB_KERNELS_EXHAUST_H

#if !defined(__cplusplus)

#include "kernels/allocate.h"
#include "kernels/child.h"

/* Blocks that fill the budget; at least one of them is refused. */
#define EXHAUST_BLOCKS 16

/* Numbers that the task is given, and moments that it reports. */
enum { EXHAUST_GIVEN_BUDGET, EXHAUST_GIVEN_BYTES, EXHAUST_GIVEN_SEED, EXHAUST_GIVEN };
enum {
    EXHAUST_AT_BEGIN,   /* before the first block */
    EXHAUST_AT_FULL,    /* before the call that is refused */
    EXHAUST_AT_REFUSED, /* it has returned */
    EXHAUST_AT_FREED,   /* one block was given back */
    EXHAUST_AT_USED     /* memory was had again, written by a kernel and read */
};

/* Allocates `bytes`, marks them, keeps both ends in `to` [2 * kept] and gives them back. */
gb_code gb_exhaust_use(gb_run *run, gb_allocator *allocator, size_t bytes, uint64_t kept,
                       uint32_t *to, gb_error *err);
/* Asks for what is not there: GB_OK when that was refused cleanly, GB_WRONG_RESULT when it was
 * granted or failed in another way. */
gb_code gb_exhaust_refused(gb_run *run, gb_allocator *allocator, size_t bytes, gb_error *err);

extern const gb_task gb_exhaust_task;

#endif
#endif
