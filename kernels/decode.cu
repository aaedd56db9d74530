/* decode: y = W x, a matrix of stored weights times a vector: each weight is read once, turned into
 * a float and used once. decode.h says how a row is stored.
 *
 * decode_warps, of a GPU: a warp multiplies two rows at a time, each lane one pack of 16 bytes
 * after the other. decode_rows, of the cpu device: a thread has rows of its own, in vectors. */
#include "device/simt/simt.h"
#include "kernels/decode.h"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#define DECODE_UNROLL                                                                              \
    _Pragma("unroll") /* or what it has been reading lies in memory, not registers */
#else
#define DECODE_UNROLL
#endif

static __device__ __forceinline__ float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A value of fp16 that is neither infinite nor NaN. In a float's place its exponent and fraction
 * are those of a number 2^112 times as small, subnormals too: the exponents' biases are 15 and 127.
 */
static __device__ __forceinline__ float half_value(uint16_t half)
{
#if defined(__CUDACC__)
    return __half2float(__ushort_as_half(half));
#else
    const float size = float_of((uint32_t)(half & 0x7FFF) << 13) * 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &size, sizeof bits);
    return float_of(bits | (uint32_t)(half & 0x8000) << 16);
#endif
}

/* --- a GPU's warps ---------------------------------------------------------------------------- */

/* `fraction` - `offset`, for whole numbers below 2^23. 2^23 + n is the float whose fraction is n,
 * so a few bits become a number by an OR and an exact subtraction, at the full rate; conversions
 * run at a fraction of it (CUDA C++ Programming Guide, Throughput of Native Arithmetic
 * Instructions). */
static __device__ __forceinline__ float small_float(uint32_t fraction, float offset)
{
    return float_of(0x4B000000u | fraction) - (8388608.0f + offset);
}

/* The i-th byte of a word. */
static __device__ __forceinline__ uint32_t byte_of(uint32_t word, unsigned i)
{
#if defined(__CUDACC__)
    return __byte_perm(word, 0, 0x4440 + i);
#else
    return word >> (8 * i) & 255u;
#endif
}

/* A pack: its four words, and the scales of its segments, of which each is of another group. */
struct warp_pack {
    uint32_t words[4];
    uint16_t scales[8];
};

/* How many segments a pack has; the i-th weight of segment s but for its scale, times times(s), the
 * odd ones times `odd` besides: powers of two, so that nothing is rounded, and 1 but for int4. */
struct warp_as_it_is {
    static constexpr float odd = 1;
    static __device__ __forceinline__ float times(unsigned)
    {
        return 1;
    }
};
struct warp_fp32 : warp_as_it_is {
    static constexpr unsigned segments = 1;
    static constexpr bool scaled = false;
    static __device__ __forceinline__ float weight(const warp_pack &pack, unsigned, unsigned i)
    {
        return float_of(pack.words[i]);
    }
};
struct warp_fp16 : warp_as_it_is {
    static constexpr unsigned segments = 2;
    static constexpr bool scaled = false;
    static __device__ __forceinline__ float weight(const warp_pack &pack, unsigned s, unsigned i)
    {
        return half_value((uint16_t)(pack.words[s * 2 + i / 2] >> (i % 2 * 16)));
    }
};
struct warp_int8 : warp_as_it_is {
    static constexpr unsigned segments = 4;
    static constexpr bool scaled = true;
    static __device__ __forceinline__ float weight(const warp_pack &pack, unsigned s, unsigned i)
    {
        return small_float(byte_of(pack.words[s] ^ 0x80808080u, i), 128.0f); /* q + 128 */
    }
};
/* Four bits stay where they are in their half of the word, 0, 4, 8 or 12 bits from its end: only
 * the upper half is shifted, once for its four weights. */
struct warp_int4 {
    static constexpr unsigned segments = 8;
    static constexpr bool scaled = true;
    static constexpr float odd = 256;
    static __device__ __forceinline__ float times(unsigned s)
    {
        return s < 4 ? 1.0f : 16.0f;
    }
    static __device__ __forceinline__ float weight(const warp_pack &pack, unsigned s, unsigned i)
    {
        const uint32_t half = i < 2 ? pack.words[s % 4] : pack.words[s % 4] >> 16;
        const unsigned place = i % 2 * 8 + s / 4 * 4;
        return small_float(half & 15u << place, (float)(DECODE_INT4_OFFSET << place));
    }
};

template <unsigned Bytes> struct __align__(Bytes) warp_scales
{
    uint16_t at[Bytes / sizeof(uint16_t)];
};

template <typename W>
static __device__ __forceinline__ void read_pack(warp_pack &to, const uint8_t *row, size_t packs,
                                                 size_t p)
{
    const uint4 words = reinterpret_cast<const uint4 *>(row)[p];
    to.words[0] = words.x;
    to.words[1] = words.y;
    to.words[2] = words.z;
    to.words[3] = words.w;
    if constexpr (W::scaled) {
        using scales_of_tile = warp_scales<W::segments * sizeof(uint16_t)>;
        const scales_of_tile scales = reinterpret_cast<const scales_of_tile *>(
            row + packs * DECODE_PACK_BYTES)[p / DECODE_CUDA_LANES];
        for (unsigned s = 0; s < W::segments; ++s)
            to.scales[s] = scales.at[s];
    }
}

/* sum + the products of a pack with its segments of x. */
template <typename W>
static __device__ __forceinline__ float multiply_pack(const warp_pack &pack, const float4 *x,
                                                      float sum)
{
    DECODE_UNROLL
    for (unsigned s = 0; s < W::segments; ++s) {
        float even = W::weight(pack, s, 0) * x[s].x, odd = W::weight(pack, s, 1) * x[s].y;
        even += W::weight(pack, s, 2) * x[s].z;
        odd += W::weight(pack, s, 3) * x[s].w;
        float part = even + odd * (1 / W::odd);
        if constexpr (W::scaled)
            part *= half_value(pack.scales[s]) * (1 / W::times(s));
        sum += part;
    }
    return sum;
}

/* Adds to sum[] what a lane has of the products of rows, from row[0] on, in `Steps` steps from pack
 * p on: all weights are asked for before the first is used. */
template <typename W, unsigned Steps>
static __device__ __forceinline__ void multiply_steps(float sum[DECODE_WARP_ROWS],
                                                      const uint8_t *const row[DECODE_WARP_ROWS],
                                                      const float *x, size_t packs, size_t p)
{
    warp_pack pack[Steps][DECODE_WARP_ROWS];
    DECODE_UNROLL
    for (unsigned t = 0; t < Steps; ++t) {
        DECODE_UNROLL
        for (unsigned r = 0; r < DECODE_WARP_ROWS; ++r)
            read_pack<W>(pack[t][r], row[r], packs, p + t * DECODE_WARP);
    }
    DECODE_UNROLL
    for (unsigned t = 0; t < Steps; ++t) {
        const size_t at = p + t * DECODE_WARP;
        const size_t tile = at / DECODE_CUDA_LANES, l = at % DECODE_CUDA_LANES;
        const float4 *from =
            reinterpret_cast<const float4 *>(x) + tile * W::segments * DECODE_CUDA_LANES + l;
        float4 values[W::segments];
        DECODE_UNROLL
        for (unsigned s = 0; s < W::segments; ++s)
            values[s] = from[s * DECODE_CUDA_LANES];
        DECODE_UNROLL
        for (unsigned r = 0; r < DECODE_WARP_ROWS; ++r)
            sum[r] = multiply_pack<W>(pack[t][r], values, sum[r]);
    }
}

#define DECODE_WARPS(type)                                                                         \
    static __global__ void __launch_bounds__(DECODE_BLOCK)                                         \
        decode_warps_##type(float *__restrict__ y, const uint8_t *__restrict__ weights,            \
                            const float *__restrict__ x, size_t rows, size_t packs, size_t stride) \
    {                                                                                              \
        const unsigned lane = threadIdx.x % DECODE_WARP;                                           \
        const size_t warps = (size_t)gridDim.x * (DECODE_BLOCK / DECODE_WARP);                     \
        size_t first = (size_t)blockIdx.x * (DECODE_BLOCK / DECODE_WARP);                          \
        first = (first + threadIdx.x / DECODE_WARP) * DECODE_WARP_ROWS;                            \
        for (; first < rows; first += warps * DECODE_WARP_ROWS) {                                  \
            const uint8_t *row[DECODE_WARP_ROWS];                                                  \
            float sum[DECODE_WARP_ROWS] = {};                                                      \
            for (unsigned r = 0; r < DECODE_WARP_ROWS; ++r) /* or the last one again */            \
                row[r] = weights + (first + r < rows ? first + r : rows - 1) * stride;             \
            size_t p = lane;                                                                       \
            for (; p + DECODE_WARP < packs; p += 2 * DECODE_WARP)                                  \
                multiply_steps<warp_##type, 2>(sum, row, x, packs, p);                             \
            if (p < packs)                                                                         \
                multiply_steps<warp_##type, 1>(sum, row, x, packs, p);                             \
            for (unsigned r = 0; r < DECODE_WARP_ROWS; ++r) {                                      \
                for (unsigned step = DECODE_WARP / 2; step > 0; step /= 2)                         \
                    sum[r] += __shfl_down_sync(0xffffffffu, sum[r], step);                         \
                if (lane == 0 && first + r < rows)                                                 \
                    y[first + r] = sum[r];                                                         \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(FIBER, decode_warps_##type)

DECODE_WARPS(fp32)
DECODE_WARPS(fp16)
DECODE_WARPS(int8)
DECODE_WARPS(int4)

/* --- a CPU's rows ----------------------------------------------------------------------------- */

#if !defined(__CUDACC__)
/* GCC's vectors, of the processor's width: wider ones it would take apart, and short loops, which
 * it unrolls before it looks for vectors, do not become any. Numbers are widened in steps that are
 * one or two instructions each. */
#if defined(__AVX512F__)
#define DECODE_VECTOR_BYTES 64
#elif defined(__AVX__)
#define DECODE_VECTOR_BYTES 32
#else
#define DECODE_VECTOR_BYTES 16
#endif
#define DECODE_VECTOR(type, bytes) type __attribute__((vector_size(bytes)))
typedef DECODE_VECTOR(float, DECODE_VECTOR_BYTES) floats;
typedef DECODE_VECTOR(int32_t, DECODE_VECTOR_BYTES) ints;
typedef DECODE_VECTOR(int16_t, DECODE_VECTOR_BYTES / 2) shorts;
typedef DECODE_VECTOR(uint16_t, DECODE_VECTOR_BYTES / 2) halves;
typedef DECODE_VECTOR(int8_t, DECODE_VECTOR_BYTES / 4) bytes;
typedef DECODE_VECTOR(uint8_t, DECODE_PACK_BYTES) pack;
static constexpr unsigned WIDTH = 16, EACH = DECODE_VECTOR_BYTES / sizeof(float);

template <typename V, typename T> static inline void load(V &to, const T *from)
{
    memcpy(&to, from, sizeof to);
}

/* Sixteen sums side by side. */
struct sums {
    floats at[WIDTH / EACH];
};

/* The next vector of weights as floats: from fp32, fp16 (half_value of each) and whole numbers. */
static inline void read_weights(floats &to, const float *from)
{
    load(to, from);
}
static inline void read_weights(floats &to, const uint16_t *from)
{
    halves bits;
    load(bits, from);
    const ints wide = __builtin_convertvector(bits, ints);
    const floats size = (floats)((wide & 0x7FFF) << 13) * 0x1p112f;
    to = (floats)((ints)size | (wide & 0x8000) << 16);
}
static inline void read_weights(floats &to, const int8_t *from)
{
    bytes whole;
    load(whole, from);
    to = __builtin_convertvector(
        __builtin_convertvector(__builtin_convertvector(whole, shorts), ints), floats);
}

/* Adds the products of a group of weights with its part of x. */
template <typename T> static inline void add_group(sums &sum, const T *weights, const float *x)
{
#pragma GCC unroll 8
    for (unsigned i = 0; i < DECODE_GROUP; i += EACH) {
        floats left, right;
        read_weights(left, weights + i);
        load(right, x + i);
        sum.at[i / EACH % (WIDTH / EACH)] += left * right;
    }
}

static inline void add_scaled(sums &sum, float scale, const sums &part)
{
#pragma GCC unroll 4
    for (unsigned v = 0; v < WIDTH / EACH; ++v)
        sum.at[v] += scale * part.at[v];
}

/* Each adds the products of one group as it is stored. */
struct row_fp32 {
    static constexpr unsigned group_bytes = 4 * DECODE_GROUP;
    static inline void add(sums &sum, const uint8_t *from, float, const float *x)
    {
        add_group(sum, reinterpret_cast<const float *>(from), x);
    }
};
struct row_fp16 {
    static constexpr unsigned group_bytes = 2 * DECODE_GROUP;
    static inline void add(sums &sum, const uint8_t *from, float, const float *x)
    {
        add_group(sum, reinterpret_cast<const uint16_t *>(from), x);
    }
};
struct row_int8 {
    static constexpr unsigned group_bytes = DECODE_GROUP;
    static inline void add(sums &sum, const uint8_t *from, float scale, const float *x)
    {
        sums part = {};
        add_group(part, reinterpret_cast<const int8_t *>(from), x);
        add_scaled(sum, scale, part);
    }
};
struct row_int4 {
    static constexpr unsigned group_bytes = DECODE_GROUP / 2;
    static inline void add(sums &sum, const uint8_t *from, float scale, const float *x)
    {
        sums part = {};
        int8_t whole[DECODE_GROUP];
        pack both;
        load(both, from);
        const pack low = (both & 15) - DECODE_INT4_OFFSET, high = (both >> 4) - DECODE_INT4_OFFSET;
        memcpy(whole, &low, sizeof low);
        memcpy(whole + sizeof low, &high, sizeof high);
        add_group(part, whole, x);
        add_scaled(sum, scale, part);
    }
};

template <typename W>
static inline float multiply_row(const uint8_t *row, const float *x, size_t packs)
{
    constexpr bool scaled = W::group_bytes <= DECODE_GROUP;
    const size_t groups = packs * DECODE_PACK_BYTES / W::group_bytes;
    const uint16_t *scales = reinterpret_cast<const uint16_t *>(row + packs * DECODE_PACK_BYTES);
    sums sum = {};
    for (size_t g = 0; g < groups; ++g) {
        float scale = 1;
        if constexpr (scaled)
            scale = half_value(scales[g]);
        W::add(sum, row + g * W::group_bytes, scale, x + g * DECODE_GROUP);
    }
    float total = 0;
    for (unsigned k = 0; k < WIDTH; ++k)
        total += sum.at[k / EACH][k % EACH];
    return total;
}

#define DECODE_ROWS(type)                                                                          \
    static __global__ void decode_rows_##type(                                                     \
        float *__restrict__ y, const uint8_t *__restrict__ weights, const float *__restrict__ x,   \
        size_t rows, size_t packs, size_t stride)                                                  \
    {                                                                                              \
        GB_RANGE (row, rows) {                                                                     \
            y[row] = multiply_row<row_##type>(weights + row * stride, x, packs);                   \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(RANGE, decode_rows_##type)

DECODE_ROWS(fp32)
DECODE_ROWS(fp16)
DECODE_ROWS(int8)
DECODE_ROWS(int4)
#endif
