/* stream: what device code and host code agree on. */
#ifndef GB_KERNELS_STREAM_H
#define GB_KERNELS_STREAM_H

/* A reduction works in blocks of this many threads, and a thread has so many loads of each array in
 * flight at once. */
#define STREAM_REDUCE_BLOCK 256
#define STREAM_REDUCE_LOADS 4
/* Bytes of a load on a GPU; on the CPU it is one element. */
#define STREAM_PACK_BYTES 16

#endif
