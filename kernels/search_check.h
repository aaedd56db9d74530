/* search: a case's arrays, and the check of what the device has written. */
#ifndef GB_KERNELS_SEARCH_CHECK_H
#define GB_KERNELS_SEARCH_CHECK_H

#include "kernels/search_reference.h"

/* Metrics, in their order. */
enum { SEARCH_QUERY_RATE, SEARCH_BANDWIDTH, SEARCH_FLOP_RATE, SEARCH_RECALL };

/* What follows from the arguments. */
typedef struct search_sizes {
    uint64_t vectors, dimensions, queries, k;
    uint64_t groups, steps, tile, tiles, part, parts;
} search_sizes;

typedef struct search_state {
    gb_memory database, lines;           /* vectors and queries */
    gb_memory scores, best, ids, values; /* what the three launches write */
    search_sizes z;
    const gb_fn *score;
    gb_launch scoring, selecting, merging;
    search_reference reference;
    uint64_t seed;
} search_state;

/* Ids and scores of the results, all scores and the best of each part against the reference:
 * GB_WRONG_RESULT unless they are what they should be. Says the recall. */
gb_code search_check(gb_run *run, gb_error *err);

#endif
