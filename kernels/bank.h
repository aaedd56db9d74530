/* bank: what device code and host code agree on. */
#ifndef GB_KERNELS_BANK_H
#define GB_KERNELS_BANK_H

#define BANK_BLOCK 256
#define BANK_WARP 32
#define BANK_BANKS 32
/* Loads of a thread in a round, BANK_BANKS words from each other. */
#define BANK_LOADS 32
#define BANK_MAX_STRIDE 32
/* The last word that a thread reads is that of lane 31 at the largest stride, 31 words on, in its
 * last load of a round. */
#define BANK_WORDS                                                                                 \
    ((BANK_WARP - 1) * BANK_MAX_STRIDE + (BANK_BANKS - 1) + (BANK_LOADS - 1) * BANK_BANKS + 1)

#endif
