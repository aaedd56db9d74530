/* chase: one thread follows a ring of links through memory. A node's first 8 bytes are the address
 * of the next one, so that nothing but the load itself lies between two loads: an index would have
 * to be multiplied and added first.
 *
 * Each chase goes on where the one before has stopped: one that began anew at each launch would see
 * the same few nodes, which a cache keeps, of however large a ring. */
#include "device/simt/simt.h"
#include "kernels/chase.h"

#if defined(__CUDACC__)
#define CHASE_UNROLLED _Pragma("unroll")
#define CHASE_ROLLED _Pragma("unroll 1") /* no longer body than the instruction cache likes */

/* In PTX, since a pointer that comes from memory might lead anywhere: a load of C++ would have to
 * find out first which memory it is. Nothing but L1 and what lies behind it: the default of loads.
 */
static __device__ __forceinline__ uint64_t chase_load(uint64_t at)
{
    uint64_t next;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(next) : "l"(at) : "memory");
    return next;
}

static __device__ __forceinline__ uint32_t chase_load_shared(uint32_t at)
{
    uint32_t next;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(at) : "memory");
    return next;
}

/* The SM's clock (PTX ISA, special register %clock64), read when `after` is known. */
static __device__ __forceinline__ uint64_t chase_clock(uint64_t after)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now) : "l"(after) : "memory");
    return now;
}
#else
#define CHASE_UNROLLED _Pragma("GCC unroll 16")
#define CHASE_ROLLED _Pragma("GCC unroll 1")

static inline uint64_t chase_load(uint64_t at)
{
    return *reinterpret_cast<const uint64_t *>(at);
}

/* A processor's counter of cycles ticks at a rate of its own, whatever the core's clock is. */
static inline uint64_t chase_clock(uint64_t)
{
    return 0;
}
#endif

#define CHASE_WALK(at, steps, LOAD)                                                                \
    do {                                                                                           \
        CHASE_ROLLED                                                                               \
        for (uint32_t round = (uint32_t)((steps) / CHASE_UNROLL); round > 0; --round) {            \
            CHASE_UNROLLED                                                                         \
            for (int i = 0; i < CHASE_UNROLL; ++i)                                                 \
                at = LOAD(at);                                                                     \
        }                                                                                          \
        CHASE_ROLLED                                                                               \
        for (uint32_t rest = (uint32_t)((steps) % CHASE_UNROLL); rest > 0; --rest)                 \
            at = LOAD(at);                                                                         \
    } while (0)

static __global__ void chase(chase_place *out, const chase_place *in, uint64_t steps)
{
    uint64_t at = in->at;
    const uint64_t start = chase_clock(at);
    CHASE_WALK(at, steps, chase_load);
    const uint64_t stop = chase_clock(at);
    out->at = at;
    out->steps = in->steps + steps;
    out->cycles = in->cycles + (stop - start);
}
GB_EXPORT(FLAT, chase)

#if defined(__CUDACC__)
/* The same in shared memory: the block brings in the links, which become addresses there, and one
 * thread follows them. */
static __global__ void chase_shared(chase_place *out, const chase_place *in,
                                    const unsigned char *nodes, uint64_t node, uint64_t n,
                                    uint64_t steps)
{
    GB_SHARED(uint32_t, words, CHASE_SHARED_BYTES / sizeof(uint32_t));
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(words);
    const uint64_t from = (uint64_t)nodes;
    for (uint64_t i = threadIdx.x; i < n; i += CHASE_BLOCK)
        words[i * node / sizeof(uint32_t)] =
            base + (uint32_t)(*(const uint64_t *)(nodes + i * node) - from);
    GB_BARRIER();
    if (threadIdx.x != 0)
        return;
    uint32_t at = base + (uint32_t)(in->at - from);
    const uint64_t start = chase_clock(at);
    CHASE_WALK(at, steps, chase_load_shared);
    const uint64_t stop = chase_clock(at);
    out->at = from + (at - base);
    out->steps = in->steps + steps;
    out->cycles = in->cycles + (stop - start);
}
#endif
GB_EXPORT_CUDA_ONLY(chase_shared)
