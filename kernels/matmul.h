/* What matmul.c and matmul.cu agree on: the shapes of blocks and tiles. */
#ifndef GB_KERNELS_MATMUL_H
#define GB_KERNELS_MATMUL_H

/* naive: a block computes 8 rows of 32 elements, so that a warp reads neighbouring elements. */
#define MATMUL_NAIVE_X 32
#define MATMUL_NAIVE_Y 8

/* tiled: a block of TILE x TILE threads computes as many elements, one a thread. */
#define MATMUL_TILE 32

/* register-tiled: a block of 16 x 16 threads computes 128 x 128 elements, 8 x 8 a thread, in steps
 * of 16 along k. */
#define MATMUL_REGISTER_THREADS 16
#define MATMUL_REGISTER_EACH 8
#define MATMUL_REGISTER_TILE (MATMUL_REGISTER_THREADS * MATMUL_REGISTER_EACH)
#define MATMUL_REGISTER_STEP 16

/* wmma: a block of 8 warps computes 128 x 128 elements, 64 x 32 a warp, in steps of 32 along k. */
#define MATMUL_WMMA_TILE 128
#define MATMUL_WMMA_STEP 32
#define MATMUL_WMMA_WARP_ROWS 64
#define MATMUL_WMMA_WARP_COLUMNS 32
#define MATMUL_WMMA_WARPS                                                                          \
    ((MATMUL_WMMA_TILE / MATMUL_WMMA_WARP_ROWS) * (MATMUL_WMMA_TILE / MATMUL_WMMA_WARP_COLUMNS))
#define MATMUL_WMMA_THREADS (32 * MATMUL_WMMA_WARPS)

#endif
