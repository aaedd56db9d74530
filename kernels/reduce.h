/* reduce: what device code and host code agree on. */
#ifndef GB_KERNELS_REDUCE_H
#define GB_KERNELS_REDUCE_H

#define REDUCE_BLOCK 256
#define REDUCE_WARP 32

#endif
