/* transpose: what device code and host code agree on. */
#ifndef GB_KERNELS_TRANSPOSE_H
#define GB_KERNELS_TRANSPOSE_H

/* Elements along the side of a tile, and rows of it that a block of TRANSPOSE_TILE x TRANSPOSE_ROWS
 * threads handles at a time. */
#define TRANSPOSE_TILE 32
#define TRANSPOSE_ROWS 8

#endif
