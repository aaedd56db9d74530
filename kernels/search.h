/* search: what device code and host code agree on. */
#ifndef GB_KERNELS_SEARCH_H
#define GB_KERNELS_SEARCH_H

/* A block scores a group of so many vectors, one a thread. The database holds groups whole, and in
 * a group one dimension after the other, so that neighbouring threads read neighbouring numbers;
 * vectors and dimensions that are missing in the last ones are 0. */
#define SEARCH_BLOCK 256
/* Dimensions that are read at a time; rows of queries are padded to whole ones. */
#define SEARCH_STEP 4
/* Queries that share a reading of the group: a tile. One of 1, 4 and 16 is chosen by their number.
 */
#define SEARCH_FEW 4
#define SEARCH_MANY 16

/* A block that selects keeps so many keys in shared memory: the best so far, and what was found to
 * be better since. It is sorted when there are more than 2 k, and more than SEARCH_SHORT; a round,
 * which adds a block of them at most, then fits behind in any case. */
#define SEARCH_LIST (2 * SEARCH_BLOCK)
#define SEARCH_SHORT 64
#define SEARCH_MAX_K ((SEARCH_LIST - SEARCH_BLOCK) / 2)

#endif
