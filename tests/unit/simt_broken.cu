/* Three kernels, right as they stand; compiled once more with GB_TEST_REMOVE_BARRIER each lacks
 * one barrier. Always compiled as a checked build has it. */
#include "device/simt/simt.h"

#ifdef GB_TEST_REMOVE_BARRIER
#define THE_BARRIER() ((void)0)
#define shift shift_broken
#define tree_sum tree_sum_broken
#define reuse reuse_broken
#else
#define THE_BARRIER() GB_BARRIER()
#endif
#define EXPORT(mode, name) GB_EXPORT(mode, name)

/* out[t] = in[t - 1] within the block. */
static __global__ void shift(unsigned *out, const unsigned *in)
{
    GB_SHARED(unsigned, s, 128);
    GB_THREADS
    {
        s[threadIdx.x] = in[threadIdx.x];
    }
    THE_BARRIER();
    GB_THREADS
    {
        out[threadIdx.x] = threadIdx.x > 0 ? s[threadIdx.x - 1] : 0;
    }
}
EXPORT(PHASED, shift)

static __global__ void tree_sum(unsigned *out, const unsigned *in)
{
    GB_SHARED(unsigned, s, 128);
    GB_THREADS
    {
        s[threadIdx.x] = in[threadIdx.x];
    }
    GB_BARRIER();
    for (unsigned w = 64; w > 0; w /= 2) {
        GB_THREADS
        {
            if (threadIdx.x < w)
                s[threadIdx.x] += s[threadIdx.x + w];
        }
        THE_BARRIER();
    }
    GB_THREADS
    {
        if (threadIdx.x == 0)
            out[0] = s[0];
    }
}
EXPORT(PHASED, tree_sum)

/* The second use of a tile must wait until all have read the first. */
static __global__ void reuse(unsigned *out, const unsigned *in)
{
    GB_SHARED(unsigned, s, 128);
    GB_PRIVATE(unsigned, first);
    GB_THREADS
    {
        s[threadIdx.x] = in[threadIdx.x];
    }
    GB_BARRIER();
    GB_THREADS
    {
        GB_MY(first) = s[127 - threadIdx.x];
    }
    THE_BARRIER();
    GB_THREADS
    {
        s[threadIdx.x] = 2 * in[threadIdx.x];
    }
    GB_BARRIER();
    GB_THREADS
    {
        out[threadIdx.x] = GB_MY(first) + s[127 - threadIdx.x];
    }
}
EXPORT(PHASED, reuse)
