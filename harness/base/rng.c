#include "base/rng.h"

#define GOLDEN 0x9E3779B97F4A7C15u

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

uint64_t gb_rng_next(gb_rng *rng)
{
    rng->state += GOLDEN;
    return mix(rng->state);
}

uint64_t gb_rng_below(gb_rng *rng, uint64_t bound)
{
    if (bound == 0) {
        return 0;
    }
    /* Throw away the first 2^64 mod bound numbers, so that every rest is equally likely. */
    uint64_t skip = (0 - bound) % bound;
    uint64_t x;
    do {
        x = gb_rng_next(rng);
    } while (x < skip);
    return x % bound;
}

double gb_rng_unit(gb_rng *rng)
{
    return (double)(gb_rng_next(rng) >> 11) * 0x1p-53;
}

void gb_rng_shuffle(gb_rng *rng, uint32_t items[], size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)gb_rng_below(rng, i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

uint64_t gb_rng_derive(uint64_t seed, uint64_t index)
{
    /* Streams start at mixed, hence scattered, points of the one cycle of 2^64 states. */
    return mix(mix(seed + GOLDEN) + mix(index + 2 * GOLDEN));
}
