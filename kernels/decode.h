/* What decode.cu, decode_weights.c and decode.c agree on: how a row of weights is stored.
 *
 * A row is a run of packs of 16 bytes, then of quantised types the scales, one of 16 bits (fp16)
 * for each DECODE_GROUP weights; its end is filled up to 16 bytes. A pack has 1, 2, 4 or 8 segments
 * of four neighbouring weights (fp32, fp16, int8, int4). `lanes` packs make up a tile: segment s of
 * lane l is where the tile's weight (s * lanes + l) * 4 is. So the lanes of a warp read
 * neighbouring packs of weights and, segment by segment, neighbouring values of x; on the cpu
 * device a tile is one pack, whose weights stand in order. A row is stored in whole tiles and whole
 * groups; what these have beyond it is zero.
 *
 * int8: q, two's complement. int4: q + 8, four bits; byte i of word w holds segment w in its low
 * half and segment w + 4 in its high half. (One pack a tile: the order of GGML's Q8_0 and Q4_0.) */
#ifndef GB_KERNELS_DECODE_H
#define GB_KERNELS_DECODE_H

#define DECODE_GROUP 32 /* weights that share a scale */
#define DECODE_BLOCK 256
#define DECODE_PACK_BYTES 16
#define DECODE_WARP 32
#define DECODE_WARP_ROWS 2   /* that a GPU's warp multiplies at once: both use the x it has read */
#define DECODE_CUDA_LANES 8  /* 4 x 8 weights a segment: one group */
#define DECODE_INT4_OFFSET 8 /* added to q, so that it is stored without a sign */

#endif
