/* bank: loads from shared memory, neighbouring threads `stride` words apart.
 *
 * Shared memory has 32 banks; words with numbers 32 apart are in the same one. The 32 loads of a
 * warp are served together when all of them go to different banks, and gcd(stride, 32) one after
 * the other when they do not. The loads of a thread do not depend on each other, so that a block
 * keeps its SM's shared memory busy; all of them go to one bank, since they are 32 words apart, and
 * no two can be joined into a wider load. From round to round a thread moves on by a word, so that
 * no load can be kept in a register. Sums are of integers, which wrap: exact in any order. */
#include "device/simt/simt.h"
#include "kernels/bank.h"

static __global__ void bank(uint32_t *__restrict__ out, const uint32_t *__restrict__ in,
                            uint32_t stride, uint32_t rounds)
{
    GB_SHARED(uint32_t, words, BANK_WORDS);
    GB_PRIVATE(uint32_t, sum);
    GB_THREADS
    {
        for (unsigned w = threadIdx.x; w < BANK_WORDS; w += BANK_BLOCK)
            words[w] = in[w];
        GB_MY(sum) = 0;
    }
    GB_BARRIER();
    for (uint32_t round = 0; round < rounds; ++round) {
        GB_THREADS
        {
            const unsigned lane = threadIdx.x % BANK_WARP, warp = threadIdx.x / BANK_WARP;
            const uint32_t *from = words + (lane * stride + (warp + round) % BANK_BANKS);
            uint32_t part = 0;
            for (unsigned l = 0; l < BANK_LOADS; ++l)
                part += from[l * BANK_BANKS];
            GB_MY(sum) += part;
        }
    }
    GB_THREADS
    {
        out[(size_t)blockIdx.x * BANK_BLOCK + threadIdx.x] = GB_MY(sum);
    }
}
GB_EXPORT(PHASED, bank)
