/* Kernels for the test of the checker (broken.txt): as they should be, and with -DBROKEN each with
 * the mistake that its rule is there to find. */
#include <stddef.h>
#include <stdint.h>

/* Too short to be worth a branch: both sides are computed and one is selected. */
static __global__ void branches(float *out, const float *in, float a, float b, unsigned steps)
{
    const unsigned i = threadIdx.x;
    float x = in[i];
#if defined(BROKEN)
    (void)steps;
    x = i % 2 == 0 ? x * a : x * b;
#else
    if (i % 2 == 0) {
        for (unsigned s = 0; s < steps; ++s)
            x = x * x + a;
    } else {
        for (unsigned s = 0; s < steps; ++s)
            x = x * x + b;
    }
#endif
    out[i] = x;
}

/* 16 bytes at a time, or 4. */
static __global__ void wide(float4 *out, const float4 *in)
{
#if defined(BROKEN)
    const float *from = (const float *)in;
    ((float *)out)[threadIdx.x] = from[threadIdx.x];
#else
    out[threadIdx.x] = in[threadIdx.x];
#endif
}

/* Loads that stay apart; neighbours that are fetched as one are no strided loads. */
static __global__ void apart(uint32_t *out, const uint32_t *in, size_t stride)
{
    const size_t i = threadIdx.x;
#if defined(BROKEN)
    (void)stride;
    const uint4 four = ((const uint4 *)in)[i];
    out[i] = four.x + four.y + four.z + four.w;
#else
    out[i] = in[i] + in[i + stride] + in[i + 2 * stride] + in[i + 3 * stride];
#endif
}

#if defined(BROKEN)
#define CHAINS 2
#else
#define CHAINS 8
#endif

/* Too few chains: each multiply-add waits for the one before. */
static __global__ void enough_chains(float *out, float a, float b, unsigned rounds)
{
    float x[CHAINS], sum = 0;
    for (int c = 0; c < CHAINS; ++c)
        x[c] = (float)(threadIdx.x + c);
#pragma unroll 16
    for (unsigned r = 0; r < rounds; ++r)
        for (int c = 0; c < CHAINS; ++c)
            x[c] = x[c] * a + b;
    for (int c = 0; c < CHAINS; ++c)
        sum += x[c];
    out[threadIdx.x] = sum;
}

/* A load among the multiply-adds. */
static __global__ void only_work(float *out, const float *in, float a, float b, unsigned rounds)
{
    float x[8], sum = 0;
    for (int c = 0; c < 8; ++c)
        x[c] = (float)(threadIdx.x + c);
#pragma unroll 16
    for (unsigned r = 0; r < rounds; ++r) {
#if defined(BROKEN)
        b = in[r];
#else
        (void)in;
#endif
        for (int c = 0; c < 8; ++c)
            x[c] = x[c] * a + b;
    }
    for (int c = 0; c < 8; ++c)
        sum += x[c];
    out[threadIdx.x] = sum;
}

/* As much counting as work. */
static __global__ void enough_work(float *out, float a, float b, unsigned rounds)
{
    float x[8], sum = 0;
    for (int c = 0; c < 8; ++c)
        x[c] = (float)(threadIdx.x + c);
#if defined(BROKEN)
#pragma unroll 1
#else
#pragma unroll 16
#endif
    for (unsigned r = 0; r < rounds; ++r)
        for (int c = 0; c < 8; ++c)
            x[c] = x[c] * a + b;
    for (int c = 0; c < 8; ++c)
        sum += x[c];
    out[threadIdx.x] = sum;
}

/* Each load waits for the one before; a second chain beside it does not. */
static __global__ void one_chain(uint64_t *out, const uint64_t *in, unsigned rounds)
{
    uint64_t x = in[0], y = in[1];
#pragma unroll 16
    for (unsigned r = 0; r < rounds; ++r) {
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(x));
#if defined(BROKEN)
        asm volatile("ld.global.u64 %0, [%0];" : "+l"(y));
#endif
    }
    out[threadIdx.x] = x + y;
}

/* An array of unknown indices that is too large for registers lies in local memory. */
static __global__ void no_stack(float *out, const float *in, unsigned n)
{
#if defined(BROKEN)
    float kept[512];
    for (unsigned i = 0; i < n; ++i)
        kept[i % 512] = in[i];
    out[threadIdx.x] = kept[(threadIdx.x + n) % 512];
#else
    out[threadIdx.x] = in[(threadIdx.x + n) % 512];
#endif
}

/* Keeps what is static. */
const void *const gb_broken_kernels[] = {
    (const void *)branches,      (const void *)wide,      (const void *)apart,
    (const void *)enough_chains, (const void *)only_work, (const void *)enough_work,
    (const void *)one_chain,     (const void *)no_stack,
};
