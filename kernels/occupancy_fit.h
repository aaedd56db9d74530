/* How many blocks are resident: a kernel's launch that keeps a stated number of warps on each unit
 * (SM) of a GPU. */
#ifndef GB_KERNELS_OCCUPANCY_FIT_H
#define GB_KERNELS_OCCUPANCY_FIT_H

#include "device/device.h"

typedef struct occupancy_fit {
    gb_launch launch;    /* as many blocks as are resident on all units together, one wave */
    uint32_t warps;      /* resident a unit */
    uint32_t most_warps; /* that would be, in blocks of four warps without a spoiler */
} occupancy_fit;

/* A launch of `fn` with exactly `warps` resident warps a unit; 0: as many as fit. Where more would
 * fit, the blocks get shared memory that they do not use, as little as keeps the others out: the
 * spoiler. GB_UNAVAILABLE, with the number that there can be: the device cannot hold so many, or
 * not so few. */
gb_code occupancy_fit_warps(gb_device *dev, const gb_fn *fn, uint32_t warps, occupancy_fit *out,
                            gb_error *err);

#endif
