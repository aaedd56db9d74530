/* batch: the layers of the perceptron, out = activation(in x weights + bias). All row-major.
 *
 * batch_layer does a layer by itself: a block makes a tile of the output and walks along the depth,
 * where a tile of the inputs and one of the weights lie in shared memory. The more rows there are,
 * the more often a weight that was read once is used: that is what a batch gains. A block has as
 * many rows of threads as its tile has rows: 1, 2, 4 or 8.
 * batch_bias finishes a layer whose product the vendor's BLAS has made. */
#include "device/simt/simt.h"
#include "kernels/batch.h"

#if defined(__CUDACC__)
#define UNROLL _Pragma("unroll")
#define UNROLL_FETCH _Pragma("unroll 4") /* loads in flight */
#else
#define UNROLL _Pragma("GCC unroll 32")
#define UNROLL_FETCH
#endif

/* Written so that a NaN stays one. */
static __device__ __forceinline__ float activate(float x, uint32_t relu)
{
    return relu != 0 && x < 0.0f ? 0.0f : x;
}

static __global__ void batch_layer(float *out, const float *in, const float *weights,
                                   const float *bias, uint32_t rows, uint32_t depth,
                                   uint32_t columns, uint32_t relu)
{
    GB_SHARED_2D(float, x, BATCH_ROWS, BATCH_DEPTH);
    GB_SHARED_2D(float, w, BATCH_DEPTH, BATCH_COLUMNS);
    GB_PRIVATE(float, sum);
    const size_t row = (size_t)blockIdx.y * blockDim.y;
    const size_t column = (size_t)blockIdx.x * BATCH_COLUMNS;

    GB_THREADS
    {
        GB_MY(sum) = 0.0f;
    }
    for (size_t first = 0; first < depth; first += BATCH_DEPTH) {
        /* What lies outside is 0 and adds nothing. */
        GB_THREADS
        {
            const size_t r = row + threadIdx.y, k = first + threadIdx.x;
            x[threadIdx.y][threadIdx.x] = r < rows && k < depth ? in[r * depth + k] : 0.0f;
        }
        UNROLL_FETCH
        for (uint32_t step = 0; step < BATCH_DEPTH; step += blockDim.y) {
            GB_THREADS
            {
                const size_t k = first + step + threadIdx.y, c = column + threadIdx.x;
                w[step + threadIdx.y][threadIdx.x] =
                    k < depth && c < columns ? weights[k * columns + c] : 0.0f;
            }
        }
        GB_BARRIER();
        GB_THREADS
        {
            float s = GB_MY(sum);
            UNROLL
            for (uint32_t k = 0; k < BATCH_DEPTH; ++k)
                s += x[threadIdx.y][k] * w[k][threadIdx.x];
            GB_MY(sum) = s;
        }
        GB_BARRIER();
    }
    GB_THREADS
    {
        const size_t r = row + threadIdx.y, c = column + threadIdx.x;
        if (r < rows && c < columns)
            out[r * columns + c] = activate(GB_MY(sum) + bias[c], relu);
    }
}
GB_EXPORT(PHASED, batch_layer)

/* A row of blocks a row of the batch. */
static __global__ void batch_bias(float *layer, const float *bias, uint32_t columns, uint32_t relu)
{
    const size_t column = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns)
        return;
    const size_t i = (size_t)blockIdx.y * columns + column;
    layer[i] = activate(layer[i] + bias[column], relu);
}
GB_EXPORT(FLAT, batch_bias)
