/* The arithmetic of overlap and residency: x -> a x + b on whole numbers of 32 bits, that wrap.
 *
 * a - 1 is a multiple of 4 and b is odd, so that the map goes through all 2^32 numbers before it
 * comes back to one (Hull and Dobell, SIAM Review 4, 1962): no value stays as it is, and each step
 * that is left out, or done twice, changes every element. So many steps are one such map again, so
 * that the answer is checked exactly and at the speed of memory. */
#ifndef GB_KERNELS_AFFINE_H
#define GB_KERNELS_AFFINE_H

#include "kernels/common.h"

typedef struct gb_affine {
    uint32_t a, b;
} gb_affine;

/* The multiplier and the summand of Numerical Recipes (3rd edition, section 7.1). */
static const gb_affine gb_affine_step = {1664525, 1013904223};

static inline uint32_t gb_affine_apply(gb_affine map, uint32_t x)
{
    return map.a * x + map.b;
}

/* First `first`, then `then`. */
gb_affine gb_affine_then(gb_affine first, gb_affine then);
/* `times` steps in one, by repeated doubling. */
gb_affine gb_affine_steps(uint64_t times);

/* Compares `count` values with words `first`, first + 1, ... of gb_make_words32 under a map; `at`
 * is the index of the first value in what is checked. */
void gb_affine_compare(gb_mismatch *bad, uint64_t at, const uint32_t *found, uint64_t count,
                       gb_affine map, uint64_t seed, uint64_t first);

/* Whether `memory` holds the words of gb_make_words32 with `seed`, each after so many steps:
 * GB_WRONG_RESULT otherwise, which names `what`. */
gb_code gb_affine_verify(gb_run *run, const gb_memory *memory, uint64_t seed, uint64_t steps,
                         const char *what, gb_error *err);

#endif
