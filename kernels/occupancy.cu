/* occupancy: `independent` loads in flight, or chains of multiply-adds, of each thread.
 *
 * Loads: thread t has the positions t, t + threads, ... and takes `independent` of them at a time.
 * The next address depends on what all of these have brought (by `nothing`, which is 0), so that
 * neither a compiler nor a processor that runs ahead has more of them under way than the kernel
 * says.
 *
 * Chains: as in flops.cu, with so many of them; the rounds are shared out over groups of 32
 * threads, a warp, and those of a group do the same. On a CPU a group is a few vectors of the
 * widest kind, one after the other, and its first thread does all of it. */
#include "device/simt/simt.h"
#include "kernels/fma.h"
#include "kernels/occupancy.h"

#if defined(__CUDACC__)
#define OCCUPANCY_UNROLL _Pragma("unroll")
#define OCCUPANCY_NO_UNROLL _Pragma("unroll 1")
#else
#define OCCUPANCY_UNROLL _Pragma("GCC unroll 32")
#define OCCUPANCY_NO_UNROLL _Pragma("GCC unroll 1")
#endif

/* A word through the L2 alone: a spoiler in shared memory leaves little of the L1. */
struct occupancy_word {
    uint32_t sum;
    static __device__ __forceinline__ occupancy_word load(const uint32_t *from, uint64_t at,
                                                          uint64_t units)
    {
        (void)units;
        return {__ldcg(&from[at])};
    }
    __device__ __forceinline__ void add(const occupancy_word &other)
    {
        sum += other.sum;
    }
    __device__ __forceinline__ uint32_t first() const
    {
        return sum;
    }
    __device__ __forceinline__ uint32_t total() const
    {
        return sum;
    }
    /* Nothing is added before all have come, so that all are in registers at a time: otherwise the
     * compiler adds up some before it asks for the others, and fewer are under way. */
    template <unsigned n>
    static __device__ __forceinline__ void hold(occupancy_word (&all)[n], uint32_t nothing)
    {
        uint32_t common = nothing;
        OCCUPANCY_UNROLL
        for (unsigned i = 0; i < n; ++i)
            common &= all[i].sum;
        OCCUPANCY_UNROLL
        for (unsigned i = 0; i < n; ++i)
            all[i].sum ^= common;
    }
};

#if !defined(__CUDACC__)
/* A cache line, each of another page than the one before: prefetchers keep to a page. */
struct occupancy_line {
    typedef fma_vector<uint32_t>::type vector;
    static constexpr unsigned lanes = fma_vector<uint32_t>::lanes;
    static constexpr unsigned parts = OCCUPANCY_LINE_WORDS / lanes;
    vector sum[parts];
    static __forceinline__ occupancy_line load(const uint32_t *from, uint64_t at, uint64_t units)
    {
        const uint64_t line = at * OCCUPANCY_SCATTER & (units - 1);
        return *reinterpret_cast<const occupancy_line *>(from + line * OCCUPANCY_LINE_WORDS);
    }
    __forceinline__ void add(const occupancy_line &other)
    {
        for (unsigned i = 0; i < parts; ++i)
            sum[i] += other.sum[i];
    }
    __forceinline__ uint32_t first() const
    {
        return sum[0][0];
    }
    /* A processor runs ahead to the last load whatever is done with the first. */
    template <unsigned n> static __forceinline__ void hold(occupancy_line (&)[n], uint32_t)
    {
    }
    __forceinline__ uint32_t total() const
    {
        uint32_t all = 0;
        for (unsigned i = 0; i < parts; ++i)
            for (unsigned l = 0; l < lanes; ++l)
                all += sum[i][l];
        return all;
    }
};
#endif

template <unsigned independent, typename unit>
static __device__ __forceinline__ uint32_t occupancy_sum(const uint32_t *from, uint64_t units,
                                                         uint32_t thread, uint32_t threads,
                                                         uint32_t nothing)
{
    unit sum = {};
    uint64_t at = thread;
    OCCUPANCY_NO_UNROLL
    while (at + (uint64_t)(independent - 1) * threads < units) {
        unit loaded[independent];
        OCCUPANCY_UNROLL
        for (unsigned i = 0; i < independent; ++i)
            loaded[i] = unit::load(from, at + (uint64_t)i * threads, units);
        unit::hold(loaded, nothing);
        OCCUPANCY_UNROLL
        for (unsigned i = 1; i < independent; ++i)
            loaded[0].add(loaded[i]);
        sum.add(loaded[0]);
        at += (uint64_t)independent * threads + (loaded[0].first() & nothing);
    }
    OCCUPANCY_UNROLL
    for (unsigned i = 0; i + 1 < independent; ++i) { /* fewer are left */
        const uint64_t last = at + (uint64_t)i * threads;
        if (last < units)
            sum.add(unit::load(from, last, units));
    }
    return sum.total();
}

/* One thread, or on the CPU the threads that share a vector. V: the values of a chain. */
template <unsigned independent, typename V>
static __device__ __forceinline__ V occupancy_chain_sum(V first, uint32_t rounds, float a, float b,
                                                        float c, float d)
{
    V x[independent];
    OCCUPANCY_UNROLL
    for (unsigned i = 0; i < independent; ++i)
        x[i] = first + (float)i;
    for (uint32_t k = 0; k < rounds; ++k) {
        OCCUPANCY_UNROLL
        for (unsigned i = 0; i < independent; ++i)
            x[i] = fma_add_one(x[i], a, b, c, d);
    }
    OCCUPANCY_UNROLL
    for (unsigned i = 1; i < independent; ++i)
        x[0] += x[i];
    return x[0];
}

/* The chains of a group of threads. */
template <unsigned independent>
static __device__ __forceinline__ void occupancy_group(float *to, uint32_t lane, uint32_t rounds,
                                                       float a, float b, float c, float d)
{
#if defined(__CUDACC__)
    to[lane] = occupancy_chain_sum<independent>((float)FLOPS_FIRST(lane, 0), rounds, a, b, c, d);
#else
    typedef fma_vector<float>::type vector;
    constexpr unsigned lanes = fma_vector<float>::lanes;
    for (unsigned part = 0; lane == 0 && part < OCCUPANCY_GROUP; part += lanes) {
        vector first;
        for (unsigned l = 0; l < lanes; ++l)
            first[l] = (float)FLOPS_FIRST(part + l, 0);
        const vector sum = occupancy_chain_sum<independent>(first, rounds, a, b, c, d);
        for (unsigned l = 0; l < lanes; ++l)
            to[part + l] = sum[l];
    }
#endif
}

#if defined(__CUDACC__)
#define OCCUPANCY_LOAD(n)                                                                          \
    to[thread] = occupancy_sum<n, occupancy_word>(from, units, thread, threads, nothing);
#else
#define OCCUPANCY_LOAD(n)                                                                          \
    to[thread] = lines != 0                                                                        \
                     ? occupancy_sum<n, occupancy_line>(from, units, thread, threads, nothing)     \
                     : occupancy_sum<n, occupancy_word>(from, units, thread, threads, nothing);
#endif

/* `lines`: a unit is a cache line, not a word; on a CPU alone. */
#define OCCUPANCY(n)                                                                               \
    static __global__ void occupancy_loads_##n(uint32_t *__restrict__ to,                          \
                                               const uint32_t *__restrict__ from, uint64_t units,  \
                                               uint32_t lines, uint32_t nothing)                   \
    {                                                                                              \
        const uint32_t threads = gridDim.x * blockDim.x;                                           \
        const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;                             \
        (void)lines;                                                                               \
        OCCUPANCY_LOAD(n)                                                                          \
    }                                                                                              \
    GB_EXPORT(FLAT, occupancy_loads_##n)                                                           \
                                                                                                   \
    static __global__ void occupancy_chains_##n(float *to, uint64_t rounds, float a, float b,      \
                                                float c, float d)                                  \
    {                                                                                              \
        const uint32_t groups = gridDim.x * blockDim.x / OCCUPANCY_GROUP;                          \
        const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;                             \
        const uint32_t group = thread / OCCUPANCY_GROUP;                                           \
        const uint32_t mine = (uint32_t)(rounds / groups) + (group < rounds % groups);             \
        occupancy_group<n>(to + (size_t)group * OCCUPANCY_GROUP, thread % OCCUPANCY_GROUP, mine,   \
                           a, b, c, d);                                                            \
    }                                                                                              \
    GB_EXPORT(FLAT, occupancy_chains_##n)

OCCUPANCY_INDEPENDENT(OCCUPANCY)
