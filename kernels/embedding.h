/* embedding: what device code and host code agree on. */
#ifndef GB_KERNELS_EMBEDDING_H
#define GB_KERNELS_EMBEDDING_H

#define EMBEDDING_BLOCK 256
/* Threads side by side that share a row of a GPU's table, at most: a warp. */
#define EMBEDDING_MAX_SHARE 32
/* Elements that embedding_four moves at a time. */
#define EMBEDDING_FOUR 4

#endif
