/* atomics: what device code and host code agree on. */
#ifndef GB_KERNELS_ATOMICS_H
#define GB_KERNELS_ATOMICS_H

#define ATOMICS_BLOCK 256
#define ATOMICS_WORD 4 /* bytes of a counter, of either type */
/* Threads add 1, 2, 3 or 4: no constant that a compiler could count instead of adding. */
#define ATOMICS_VALUES 4
#define ATOMICS_VALUE(thread) (1 + (thread) % ATOMICS_VALUES)
/* The most shared memory that a block may have without asking for more. */
#define ATOMICS_SHARED_BYTES 49152
/* Sums up to here are exact whole numbers of fp32; those of int32 are compared modulo 2^32. */
#define ATOMICS_EXACT_FP32 (UINT64_C(1) << 24)
#define ATOMICS_EXACT_INT32 UINT64_C(0xffffffff)

#endif
