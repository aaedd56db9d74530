/* crossover: add and reduce on arrays of numbers. */
#include "kernels/crossover_code.h"

/* --- add -------------------------------------------------------------------------------------- */

struct __align__(16) crossover_four
{
    float at[4];
};

/* For both: a plain loop on a CPU, 16 bytes an access on a GPU. */
static __global__ void crossover_add(float *__restrict__ to, const float *__restrict__ a,
                                     const float *__restrict__ b, size_t n)
{
#if defined(__CUDACC__)
    const size_t packs = n / 4;
    GB_RANGE (p, packs) {
        const crossover_four x = reinterpret_cast<const crossover_four *>(a)[p];
        const crossover_four y = reinterpret_cast<const crossover_four *>(b)[p];
        crossover_four sum;
        for (unsigned k = 0; k < 4; ++k)
            sum.at[k] = x.at[k] + y.at[k];
        reinterpret_cast<crossover_four *>(to)[p] = sum;
    }
    const size_t done = 4 * packs;
#else
    const size_t done = 0;
#endif
    GB_RANGE (i, n - done) {
        to[done + i] = a[done + i] + b[done + i];
    }
}
GB_EXPORT(RANGE, crossover_add)

/* --- reduce ----------------------------------------------------------------------------------- */

#if !defined(__CUDACC__)
/* Independent sums, so that no addition waits for the one before: a few vectors of them. */
#define CROSSOVER_SUMS 64
static __global__ void crossover_sum_cpu(double *partial, const float *__restrict__ x, size_t n,
                                         uint32_t parts)
{
    CROSSOVER_PARTS(part, parts)
    {
        const crossover_part my = part_of(n, part, parts);
        double sum = 0;
        for (size_t first = my.first; first < my.end;) {
            const size_t end =
                my.end - first < CROSSOVER_MAX_PART ? my.end : first + CROSSOVER_MAX_PART;
            float sums[CROSSOVER_SUMS] = {};
            for (; end - first >= CROSSOVER_SUMS; first += CROSSOVER_SUMS)
                for (unsigned k = 0; k < CROSSOVER_SUMS; ++k)
                    sums[k] += x[first + k];
            for (unsigned k = 0; k < CROSSOVER_SUMS; ++k)
                sum += (double)sums[k];
            for (; first < end; ++first)
                sum += (double)x[first];
        }
        partial[part] = sum;
    }
}
GB_EXPORT(FLAT, crossover_sum_cpu)
#endif

/* A tree over the threads' sums; the result is sums[0]. */
#define CROSSOVER_TREE(T, sums)                                                                    \
    GB_BARRIER();                                                                                  \
    for (unsigned half = CROSSOVER_BLOCK / 2; half > 0; half /= 2) {                               \
        GB_THREADS                                                                                 \
        {                                                                                          \
            if (threadIdx.x < half)                                                                \
                sums[threadIdx.x] += sums[threadIdx.x + half];                                     \
        }                                                                                          \
        GB_BARRIER();                                                                              \
    }

/* Sums of parts of `length` numbers, a multiple of 4 * CROSSOVER_BLOCK. */
static __global__ void crossover_sum_parts(double *partial, const float *__restrict__ x, size_t n,
                                           uint32_t length, uint32_t parts)
{
    GB_SHARED(float, sums, CROSSOVER_BLOCK);
    CROSSOVER_PARTS(part, parts)
    {
        const size_t first = (size_t)part * length;
        const size_t end = n - first < length ? n : first + length;
        GB_THREADS
        {
            float sum = 0;
            for (size_t i = first + 4 * threadIdx.x; i < end; i += 4 * CROSSOVER_BLOCK) {
                if (end - i >= 4) {
                    const crossover_four four = *reinterpret_cast<const crossover_four *>(&x[i]);
                    sum += four.at[0] + four.at[1] + (four.at[2] + four.at[3]);
                } else {
                    for (size_t k = i; k < end; ++k)
                        sum += x[k];
                }
            }
            sums[threadIdx.x] = sum;
        }
        CROSSOVER_TREE(float, sums)
        GB_THREADS
        {
            if (threadIdx.x == 0)
                partial[part] = (double)sums[0]; /* which nobody else writes for the next part */
        }
    }
}
GB_EXPORT(PHASED, crossover_sum_parts)

/* One block. */
static __global__ void crossover_sum_all(double *sum, const double *__restrict__ partial,
                                         uint32_t parts)
{
    GB_SHARED(double, sums, CROSSOVER_BLOCK);
    GB_THREADS
    {
        double mine = 0;
        for (uint32_t i = threadIdx.x; i < parts; i += CROSSOVER_BLOCK)
            mine += partial[i];
        sums[threadIdx.x] = mine;
    }
    CROSSOVER_TREE(double, sums)
    GB_THREADS
    {
        if (threadIdx.x == 0)
            *sum = sums[0];
    }
}
GB_EXPORT(PHASED, crossover_sum_all)
