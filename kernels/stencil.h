/* stencil: what device code and host code agree on. */
#ifndef GB_KERNELS_STENCIL_H
#define GB_KERNELS_STENCIL_H

#define STENCIL_BLOCK 256
/* Neighbours on each side. Twice that is at most a block, so that each thread loads one element of
 * the tile's margin at the most. */
#define STENCIL_MAX_RADIUS 64

#endif
