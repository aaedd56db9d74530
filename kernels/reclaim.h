/* reclaim: what the kernel (reclaim.c) and its process (reclaim_task.c) agree on. Host code alone:
 * the device code is allocate.cu. */
#ifndef GB_KERNELS_RECLAIM_H
#define GB_KERNELS_RECLAIM_H

#include "kernels/allocate.h"
#include "kernels/child.h"

/* Numbers that the task is given. */
enum { RECLAIM_GIVEN_BYTES, RECLAIM_GIVEN_SEED, RECLAIM_GIVEN };

extern const gb_task gb_reclaim_task;

#endif
