/* rows: softmax and layer norm of each row of a matrix, a block a row.
 *
 * Both go over a row three times: for what it is centred on (its largest number, its mean), for
 * what it is scaled by (a sum over all numbers, centred), and to write the result. The fused
 * kernels do so in one launch and keep the row in shared memory; the others are a launch each, and
 * all that goes from one to the next is in memory. */
#include "device/simt/simt.h"
#include "kernels/rows.h"

#if defined(__CUDACC__)
#define ROWS_EXP expf
#else
#define ROWS_EXP rows_exp
#endif

struct add {
    static __device__ __forceinline__ float join(float a, float b)
    {
        return a + b;
    }
};
struct larger {
    static __device__ __forceinline__ float join(float a, float b)
    {
        return a > b ? a : b;
    }
};

/* What an operation makes of a row: result(term(x, centre), scale). The first pass begins with
 * `least` and joins all x; the second adds up weigh(term(x, centre)). */
struct rows_softmax {
    typedef larger first;
    static constexpr float least = -3.4e38f;
    static __device__ __forceinline__ float centre(float joined, size_t)
    {
        return joined;
    }
    static __device__ __forceinline__ float term(float x, float centre)
    {
        return ROWS_EXP(x - centre);
    }
    static __device__ __forceinline__ float weigh(float term)
    {
        return term;
    }
    static __device__ __forceinline__ float scale(float sum, size_t)
    {
        return 1.0f / sum;
    }
    static __device__ __forceinline__ float result(float term, float scale, const float *,
                                                   const float *, size_t)
    {
        return term * scale;
    }
};
struct rows_layernorm {
    typedef add first;
    static constexpr float least = 0.0f;
    static __device__ __forceinline__ float centre(float joined, size_t columns)
    {
        return joined / (float)columns;
    }
    static __device__ __forceinline__ float term(float x, float centre)
    {
        return x - centre;
    }
    static __device__ __forceinline__ float weigh(float term)
    {
        return term * term;
    }
    static __device__ __forceinline__ float scale(float sum, size_t columns)
    {
        return 1.0f / sqrtf(sum / (float)columns + ROWS_EPSILON);
    }
    static __device__ __forceinline__ float result(float term, float scale, const float *gain,
                                                   const float *shift, size_t i)
    {
        return term * scale * gain[i] + shift[i];
    }
};

/* lanes[0] becomes what all lanes give. */
template <typename Join> static __device__ __forceinline__ void reduce(float *lanes)
{
    GB_BARRIER();
    for (unsigned half = ROWS_BLOCK / 2; half > 0; half /= 2) {
        GB_THREADS
        {
            if (threadIdx.x < half)
                lanes[threadIdx.x] =
                    Join::join(lanes[threadIdx.x], lanes[(size_t)threadIdx.x + half]);
        }
        GB_BARRIER();
    }
}

/* The three passes. `row` is where the numbers are; with Keep what a pass has made of them stays in
 * `kept` for the next one, a thread's numbers for the same thread. */
template <typename Op, bool Keep>
static __device__ __forceinline__ float pass_centre(const float *row, float *kept, float *lanes,
                                                    size_t columns)
{
    GB_PRIVATE(float, own);
    GB_THREADS
    {
        GB_MY(own) = Op::least;
    }
    for (size_t first = 0; first < columns; first += ROWS_BLOCK)
        GB_THREADS
        {
            if (first + threadIdx.x < columns) {
                const float x = row[first + threadIdx.x];
                if constexpr (Keep)
                    kept[first + threadIdx.x] = x;
                GB_MY(own) = Op::first::join(GB_MY(own), x);
            }
        }
    GB_THREADS
    {
        lanes[threadIdx.x] = GB_MY(own);
    }
    reduce<typename Op::first>(lanes);
    return Op::centre(lanes[0], columns);
}

template <typename Op, bool Keep>
static __device__ __forceinline__ float pass_scale(const float *row, float *kept, float *lanes,
                                                   float centre, size_t columns)
{
    GB_PRIVATE(float, own);
    GB_THREADS
    {
        GB_MY(own) = 0.0f;
    }
    for (size_t first = 0; first < columns; first += ROWS_BLOCK)
        GB_THREADS
        {
            if (first + threadIdx.x < columns) {
                const float term = Op::term(row[first + threadIdx.x], centre);
                if constexpr (Keep)
                    kept[first + threadIdx.x] = term;
                GB_MY(own) += Op::weigh(term);
            }
        }
    GB_THREADS
    {
        lanes[threadIdx.x] = GB_MY(own);
    }
    reduce<add>(lanes);
    return Op::scale(lanes[0], columns);
}

template <typename Op, bool Kept>
static __device__ __forceinline__ void pass_write(float *__restrict__ to, const float *row,
                                                  const float *gain, const float *shift,
                                                  float centre, float scale, size_t columns)
{
    for (size_t first = 0; first < columns; first += ROWS_BLOCK)
        GB_THREADS
        {
            const size_t i = first + threadIdx.x;
            if (i < columns) {
                const float term = Kept ? row[i] : Op::term(row[i], centre);
                to[i] = Op::result(term, scale, gain, shift, i);
            }
        }
}

#define ROWS_KERNELS(op)                                                                           \
    static __global__ void __launch_bounds__(ROWS_BLOCK) op##_fused(                               \
        float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ gain,      \
        const float *__restrict__ shift, size_t rows, size_t columns)                              \
    {                                                                                              \
        GB_SHARED(float, centres, ROWS_BLOCK);                                                     \
        GB_SHARED(float, scales, ROWS_BLOCK);                                                      \
        GB_SHARED_DYNAMIC(float, kept);                                                            \
        for (size_t r = blockIdx.x; r < rows; r += gridDim.x) {                                    \
            const float centre = pass_centre<op, true>(x + r * columns, kept, centres, columns);   \
            const float scale = pass_scale<op, true>(kept, kept, scales, centre, columns);         \
            pass_write<op, true>(out + r * columns, kept, gain, shift, centre, scale, columns);    \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, op##_fused)                                                                  \
                                                                                                   \
    static __global__ void __launch_bounds__(ROWS_BLOCK) op##_centre(                              \
        float *__restrict__ centre, const float *__restrict__ x, size_t rows, size_t columns)      \
    {                                                                                              \
        GB_SHARED_2D(float, lanes, 2, ROWS_BLOCK);                                                 \
        for (size_t r = blockIdx.x, turn = 0; r < rows; r += gridDim.x, turn ^= 1) {               \
            const float found =                                                                    \
                pass_centre<op, false>(x + r * columns, nullptr, lanes[turn], columns);            \
            GB_THREADS                                                                             \
            {                                                                                      \
                if (threadIdx.x == 0)                                                              \
                    centre[r] = found;                                                             \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, op##_centre)                                                                 \
                                                                                                   \
    static __global__ void __launch_bounds__(ROWS_BLOCK)                                           \
        op##_scale(float *__restrict__ scale, const float *__restrict__ x,                         \
                   const float *__restrict__ centre, size_t rows, size_t columns)                  \
    {                                                                                              \
        GB_SHARED_2D(float, lanes, 2, ROWS_BLOCK);                                                 \
        for (size_t r = blockIdx.x, turn = 0; r < rows; r += gridDim.x, turn ^= 1) {               \
            const float found =                                                                    \
                pass_scale<op, false>(x + r * columns, nullptr, lanes[turn], centre[r], columns);  \
            GB_THREADS                                                                             \
            {                                                                                      \
                if (threadIdx.x == 0)                                                              \
                    scale[r] = found;                                                              \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, op##_scale)                                                                  \
                                                                                                   \
    static __global__ void __launch_bounds__(ROWS_BLOCK) op##_write(                               \
        float *__restrict__ out, const float *__restrict__ x, const float *__restrict__ centre,    \
        const float *__restrict__ scale, const float *__restrict__ gain,                           \
        const float *__restrict__ shift, size_t rows, size_t columns)                              \
    {                                                                                              \
        for (size_t r = blockIdx.x; r < rows; r += gridDim.x)                                      \
            pass_write<op, false>(out + r * columns, x + r * columns, gain, shift, centre[r],      \
                                  scale[r], columns);                                              \
    }                                                                                              \
    GB_EXPORT(PHASED, op##_write)

ROWS_KERNELS(rows_softmax)
ROWS_KERNELS(rows_layernorm)
