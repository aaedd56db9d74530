/* crossover: the passes of the processor's radix sort. The GPU has its library's. */
#include "kernels/crossover_code.h"

#if !defined(__CUDACC__)
/* How often each digit occurs in each part. */
static __global__ void crossover_count_cpu(uint32_t *counts, const uint32_t *__restrict__ keys,
                                           size_t n, uint32_t shift, uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        uint32_t found[CROSSOVER_DIGITS] = {};
        for (size_t i = my.first; i < my.end; ++i)
            ++found[keys[i] >> shift & (CROSSOVER_DIGITS - 1)];
        for (uint32_t d = 0; d < CROSSOVER_DIGITS; ++d)
            counts[part * CROSSOVER_DIGITS + d] = found[d];
    }
}
GB_EXPORT(FLAT, crossover_count_cpu)

/* Each key to the next free place of its digit; `places` says where those of a part begin. */
static __global__ void crossover_scatter_cpu(uint32_t *__restrict__ to, const uint32_t *places,
                                             const uint32_t *__restrict__ keys, size_t n,
                                             uint32_t shift, uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        uint32_t next[CROSSOVER_DIGITS];
        for (uint32_t d = 0; d < CROSSOVER_DIGITS; ++d)
            next[d] = places[part * CROSSOVER_DIGITS + d];
        for (size_t i = my.first; i < my.end; ++i)
            to[next[keys[i] >> shift & (CROSSOVER_DIGITS - 1)]++] = keys[i];
    }
}
GB_EXPORT(FLAT, crossover_scatter_cpu)
#endif
