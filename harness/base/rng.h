/* A small seeded generator (splitmix64, public domain, https://prng.di.unimi.it/splitmix64.c) for
 * orders and test data; the same seed gives the same numbers on every machine. */
#ifndef GB_BASE_RNG_H
#define GB_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gb_rng {
    uint64_t state;
} gb_rng;

uint64_t gb_rng_next(gb_rng *rng);
uint64_t gb_rng_below(gb_rng *rng, uint64_t bound); /* uniform in [0, bound); 0 for bound 0 */
double gb_rng_unit(gb_rng *rng);                    /* uniform in [0, 1) */
/* Fisher-Yates over n indices. */
void gb_rng_shuffle(gb_rng *rng, uint32_t items[], size_t n);
/* A seed for stream `index` that does not overlap with its neighbours. */
uint64_t gb_rng_derive(uint64_t seed, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
