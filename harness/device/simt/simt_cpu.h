/* simt.h for the host compiler: how the threads of a block run, and the descriptors.
 *
 * Everything is static to the translation unit: the same .cu is compiled several times (once per
 * instruction set), and thread indices that are static thread-locals cost a vectoriser nothing,
 * while extern ones break every loop. */
#ifndef GB_DEVICE_SIMT_SIMT_CPU_H
#define GB_DEVICE_SIMT_SIMT_CPU_H

#include <utility>

#include "device/simt/cpu_code.h"
#include "device/simt/cuda_words.h"
#include "device/simt/fiber.h"

#ifndef GB_CPU_VARIANT
#define GB_CPU_VARIANT generic
#endif
#define GB_CPU_LEVEL_generic 0
#define GB_CPU_LEVEL_v3 3
#define GB_CPU_LEVEL_v4 4
#define GB_CPU_LEVEL_OF(variant) GB_CPU_LEVEL_OF_(variant)
#define GB_CPU_LEVEL_OF_(variant) GB_CPU_LEVEL_##variant

/* The blocks that this thread has of the launch, for GB_RANGE. */
struct gb_simt_share {
    uint64_t first, end, blocks;
};
static __thread gb_simt_share gb_share GB_SIMT_TLS;
static __thread void *gb_shared_memory GB_SIMT_TLS; /* dynamic */
static __thread uint32_t gb_shared_bytes GB_SIMT_TLS;

/* Where block `b` begins in [0, n): whole groups of 64 elements, so that no two workers write to
 * one cache line of an aligned array. */
static inline size_t gb_share_begin(size_t n, uint64_t b)
{
    if (b >= gb_share.blocks)
        return n;
    return (size_t)((unsigned __int128)n * b / gb_share.blocks) & ~(size_t)63;
}

#define GB_RANGE(i, n)                                                                             \
    _Pragma("GCC ivdep") for (size_t i = gb_share_begin((n), gb_share.first),                      \
                              gb_end_##i = gb_share_begin((n), gb_share.end);                      \
                              i < gb_end_##i; ++i)

#if !defined(GB_CHECKED)
#define GB_THREADS                                                                                 \
    for (unsigned gb_z = 0, gb_nz = blockDim.z; gb_z < gb_nz; ++gb_z)                              \
        for (unsigned gb_y = 0, gb_ny = blockDim.y; gb_y < gb_ny; ++gb_y)                          \
    _Pragma("GCC ivdep") for (unsigned gb_x = 0, gb_nx = blockDim.x; gb_x < gb_nx;                 \
                              ++gb_x) if (gb_simt_be_thread(gb_x, gb_y, gb_z); true)
#define GB_BARRIER() ((void)0)
#define GB_SHARED(type, name, count)                                                               \
    GB_SIMT_FITS(sizeof(type) * (count));                                                          \
    alignas(64) type name[count]
#define GB_SHARED_2D(type, name, rows, columns)                                                    \
    GB_SIMT_FITS(sizeof(type) * (rows) * (columns));                                               \
    alignas(64) type name[rows][columns]
#define GB_PRIVATE(type, name) type gb_private_##name[GB_MAX_BLOCK_THREADS]
#define GB_MY(name) gb_private_##name[gb_simt_linear_thread()]
#else
#define GB_SHARED(type, name, count)                                                               \
    GB_SIMT_FITS(sizeof(type) * (count));                                                          \
    alignas(64) static __thread type name[count];                                                  \
    GB_SIMT_POISON(name)
#define GB_SHARED_2D(type, name, rows, columns)                                                    \
    GB_SIMT_FITS(sizeof(type) * (rows) * (columns));                                               \
    alignas(64) static __thread type name[rows][columns];                                          \
    GB_SIMT_POISON(name)
#define GB_SIMT_POISON(name)                                                                       \
    static __thread uint64_t gb_poisoned_##name;                                                   \
    gb_fiber_poison(name, sizeof name, &gb_poisoned_##name)
#endif
#define GB_SIMT_FITS(bytes) static_assert((bytes) <= 49152, "more than 48 KiB of shared memory")

#define GB_SHARED_DYNAMIC(type, name) type *name = static_cast<type *>(gb_shared_memory)

#define GB_SIMT_INLINE static inline __attribute__((always_inline))

GB_SIMT_INLINE bool gb_simt_be_thread(unsigned x, unsigned y, unsigned z)
{
    gb_simt_set_thread_index(uint3{x, y, z});
    return true;
}

/* In size_t: an unsigned index might wrap, and the compiler could not vectorise what it indexes. */
GB_SIMT_INLINE size_t gb_simt_linear_thread()
{
    return ((size_t)threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

static inline void gb_simt_enter(const gb_launch *launch, uint64_t first, uint64_t end,
                                 void *shared)
{
    gridDim = dim3(launch->grid[0], launch->grid[1], launch->grid[2]);
    blockDim = dim3(launch->block[0], launch->block[1], launch->block[2]);
    gb_share.first = first;
    gb_share.end = end;
    gb_share.blocks = (uint64_t)gridDim.x * gridDim.y * gridDim.z;
    gb_shared_memory = shared;
    gb_shared_bytes = launch->shared_bytes;
}

static inline void gb_simt_be_block(uint64_t b)
{
    blockIdx.x = (unsigned)(b % gridDim.x);
    blockIdx.y = (unsigned)(b / gridDim.x % gridDim.y);
    blockIdx.z = (unsigned)(b / gridDim.x / gridDim.y);
}

static inline gb_code gb_simt_leave(const char *name, gb_error *err)
{
    if (gb_fiber_take_misuse())
        return gb_fail(err, GB_DEVICE_ERROR,
                       "kernel '%s' uses a barrier or a shuffle, but is not exported as FIBER",
                       name);
    return GB_OK;
}

static constexpr bool gb_simt_as_fibers(gb_simt_mode mode)
{
#ifdef GB_CHECKED
    return mode == GB_SIMT_FIBER || mode == GB_SIMT_PHASED;
#else
    return mode == GB_SIMT_FIBER;
#endif
}

/* The entry of kernel Fn: unpacks the arguments once, then runs blocks in the mode's way. */
template <auto Fn> struct gb_simt_kernel;
template <typename... P, void (*Fn)(P...)> struct gb_simt_kernel<Fn> {
    static_assert(((alignof(P) <= 16) && ... && true), "kernel arguments align to 16 at most");
    static constexpr uint32_t n_params = sizeof...(P);
    static constexpr uint32_t param_bytes[n_params + 1] = {(uint32_t)sizeof(P)..., 0};

    static void range(uint64_t, uint64_t, P... p)
    {
        Fn(p...);
    }

    static void flat(uint64_t first, uint64_t end, P... p)
    {
        for (uint64_t b = first; b < end; ++b) {
            gb_simt_be_block(b);
            const unsigned nx = blockDim.x, ny = blockDim.y, nz = blockDim.z;
            for (unsigned z = 0; z < nz; ++z)
                for (unsigned y = 0; y < ny; ++y) {
#pragma GCC ivdep
                    for (unsigned x = 0; x < nx; ++x) {
                        gb_simt_be_thread(x, y, z);
                        Fn(p...);
                    }
                }
        }
    }

    static void phased(uint64_t first, uint64_t end, P... p)
    {
        for (uint64_t b = first; b < end; ++b) {
            gb_simt_be_block(b);
            Fn(p...);
        }
    }

    /* One fiber a thread. The indices are thread-locals, so a fiber sets its own again after each
     * switch. */
    static gb_code fibers(const char *name, uint64_t first, uint64_t end, gb_error *err, P... p)
    {
        auto thread = [&](uint32_t t) {
#ifdef GB_CHECKED
            static __thread uint64_t poisoned;
            gb_fiber_poison(gb_shared_memory, gb_shared_bytes, &poisoned);
#endif
            gb_simt_be_thread(t % blockDim.x, t / blockDim.x % blockDim.y,
                              t / blockDim.x / blockDim.y);
            Fn(p...);
        };
        using body = decltype(thread);
        const uint32_t threads = blockDim.x * blockDim.y * blockDim.z;
        for (uint64_t b = first; b < end; ++b) {
            gb_simt_be_block(b);
            const uint32_t block[3] = {blockIdx.x, blockIdx.y, blockIdx.z};
            gb_code code = gb_fiber_run(
                name, block, threads,
                [](void *context, uint32_t t) { (*static_cast<body *>(context))(t); }, &thread,
                err);
            if (code != GB_OK)
                return code;
        }
        return GB_OK;
    }

    template <gb_simt_mode Mode, size_t... I>
    static gb_code unpack(const char *name, uint64_t first, uint64_t end,
                          [[maybe_unused]] void *const args[], gb_error *err,
                          std::index_sequence<I...>)
    {
        if constexpr (gb_simt_as_fibers(Mode))
            return fibers(name, first, end, err, *static_cast<P *>(args[I])...);
        else if constexpr (Mode == GB_SIMT_RANGE)
            range(first, end, *static_cast<P *>(args[I])...);
        else if constexpr (Mode == GB_SIMT_FLAT)
            flat(first, end, *static_cast<P *>(args[I])...);
        else
            phased(first, end, *static_cast<P *>(args[I])...);
        return GB_OK;
    }
};

/* One instance per kernel and mode; the name comes with the descriptor that calls it. */
template <gb_simt_mode Mode, auto Fn, const char *Name>
static gb_code gb_simt_run(const gb_launch *launch, uint64_t first, uint64_t end,
                           void *const args[], void *shared, gb_error *err)
{
    using kernel = gb_simt_kernel<Fn>;
    gb_simt_enter(launch, first, end, shared);
    gb_code code = kernel::template unpack<Mode>(Name, first, end, args, err,
                                                 std::make_index_sequence<kernel::n_params>());
    return code != GB_OK ? code : gb_simt_leave(Name, err);
}

#define GB_EXPORT(mode, name) GB_EXPORT_AS(mode, name, GB_CPU_CODE_NAME(name, GB_CPU_VARIANT))
#define GB_EXPORT_AS(mode, name, descriptor)                                                       \
    static constexpr char gb_simt_name_##name[] = #name;                                           \
    extern "C" {                                                                                   \
    extern const gb_cpu_code descriptor;                                                           \
    const gb_cpu_code descriptor = {gb_simt_name_##name,                                           \
                                    GB_SIMT_##mode,                                                \
                                    gb_simt_as_fibers(GB_SIMT_##mode),                             \
                                    GB_CPU_LEVEL_OF(GB_CPU_VARIANT),                               \
                                    gb_simt_kernel<&name>::n_params,                               \
                                    gb_simt_kernel<&name>::param_bytes,                            \
                                    &gb_simt_run<GB_SIMT_##mode, &name, gb_simt_name_##name>};     \
    }
#define GB_EXPORT_CUDA_ONLY(name)

#endif
