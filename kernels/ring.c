#include "kernels/ring.h"

#include "base/rng.h"

void gb_ring_make(uint32_t next[], uint64_t n, uint64_t seed)
{
    gb_rng rng = {seed};
    for (uint64_t i = 0; i < n; i++)
        next[i] = (uint32_t)i;
    for (uint64_t i = n - 1; i > 0; i--) {
        const uint64_t j = gb_rng_below(&rng, i);
        const uint32_t kept = next[i];
        next[i] = next[j];
        next[j] = kept;
    }
}

bool gb_ring_walk(const uint32_t next[], uint64_t n, uint32_t order[])
{
    uint64_t at = 0;
    for (uint64_t k = 0; k < n; k++) {
        order[k] = (uint32_t)at;
        at = next[at];
        /* A way that comes back to another node than the first never sees the first again. */
        if (at >= n || (at == 0 && k + 1 < n))
            return false;
    }
    return at == 0;
}
