/* Test data of a search, and what has to be found.
 *
 * All numbers are odd and whole, -7 .. 7: an inner product of at most 4,096 of them is a whole
 * number below 2^18, exact in FP32 in whatever order it is added up, and scores that are alike are
 * frequent. So there is one right answer, and the tolerance is zero.
 *
 * The reference goes through all vectors for each query, in whole numbers. It keeps the best k of
 * each part, and of all scores a sum of their bits, each times an odd weight of its own modulo
 * 2^64: a single wrong score always shows in it (an odd number times what it is off by is not 0).
 */
#ifndef GB_KERNELS_SEARCH_REFERENCE_H
#define GB_KERNELS_SEARCH_REFERENCE_H

#include "kernels/kernel.h"

typedef struct search_reference {
    uint64_t vectors, dimensions, queries, k;
    uint64_t part, parts; /* vectors of a part; ceil(vectors / part) */
    uint64_t seed;
    int16_t *lines;   /* [queries][dimensions] */
    uint64_t *sums;   /* [queries] of the scores */
    uint64_t *best;   /* [queries][parts][k] keys, as search.cu has them */
    uint64_t *result; /* [queries][k] keys */
} search_reference;

/* Dimension d of a vector, and of a query. */
int search_vector_at(uint64_t seed, uint64_t vector, uint64_t dimension);
int search_query_at(uint64_t seed, uint64_t query, uint64_t dimension);

/* Sizes and seed are set. Free it also when this failed. */
gb_code search_reference_make(search_reference *r, gb_error *err);
void search_reference_free(search_reference *r);

/* A score and an index as a key, and back. */
uint64_t search_key(int32_t score, uint32_t index);
uint32_t search_key_index(uint64_t key);
float search_key_score(uint64_t key);

/* The sum of one query's scores as they were found, and each score against what it should be. */
uint64_t search_sum(const search_reference *r, const float scores[]);
int32_t search_score(const search_reference *r, uint64_t query, uint64_t vector);

#endif
