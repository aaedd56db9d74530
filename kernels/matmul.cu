/* matmul: C = A B, row-major, A of m x k, B of k x n elements. Sizes need not be multiples of
 * anything: what a tile has beyond a matrix is read as zero and never written. */
#include "device/simt/simt.h"
#include "kernels/matmul.h"

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#endif

/* One element of C a thread, straight from memory: each element of A is read n times, each of B m
 * times, and only the caches help. */
#define MATMUL_NAIVE(type, T)                                                                      \
    static __global__ void matmul_naive_##type(T *__restrict__ c, const T *__restrict__ a,         \
                                               const T *__restrict__ b, size_t m, size_t n,        \
                                               size_t k)                                           \
    {                                                                                              \
        const size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;                          \
        const size_t column = (size_t)blockIdx.x * blockDim.x + threadIdx.x;                       \
        if (row >= m || column >= n)                                                               \
            return;                                                                                \
        T sum = 0;                                                                                 \
        for (size_t l = 0; l < k; ++l)                                                             \
            sum += a[row * k + l] * b[l * n + column];                                             \
        c[row * n + column] = sum;                                                                 \
    }                                                                                              \
    GB_EXPORT(FLAT, matmul_naive_##type)

MATMUL_NAIVE(fp32, float)
MATMUL_NAIVE(fp64, double)

/* Element (row, column) of a rows x columns matrix, zero beyond it. */
template <typename T>
static __device__ __forceinline__ T element(const T *matrix, size_t row, size_t column, size_t rows,
                                            size_t columns)
{
    return row < rows && column < columns ? matrix[row * columns + column] : T(0);
}

/* One element a thread again, from tiles in shared memory that the block reads together: each
 * element of A and B comes from memory once a tile, TILE times less often. */
#define MATMUL_TILED(type, T)                                                                      \
    static __global__ void __launch_bounds__(MATMUL_TILE *MATMUL_TILE)                             \
        matmul_tiled_##type(T *__restrict__ c, const T *__restrict__ a, const T *__restrict__ b,   \
                            size_t m, size_t n, size_t k)                                          \
    {                                                                                              \
        GB_SHARED_2D(T, a_tile, MATMUL_TILE, MATMUL_TILE);                                         \
        GB_SHARED_2D(T, b_tile, MATMUL_TILE, MATMUL_TILE);                                         \
        GB_PRIVATE(T, sum);                                                                        \
        const size_t row0 = (size_t)blockIdx.y * MATMUL_TILE;                                      \
        const size_t column0 = (size_t)blockIdx.x * MATMUL_TILE;                                   \
        GB_THREADS                                                                                 \
        {                                                                                          \
            GB_MY(sum) = 0;                                                                        \
        }                                                                                          \
        for (size_t step = 0; step < k; step += MATMUL_TILE) {                                     \
            GB_THREADS                                                                             \
            {                                                                                      \
                const unsigned x = threadIdx.x, y = threadIdx.y;                                   \
                a_tile[y][x] = element(a, row0 + y, step + x, m, k);                               \
                b_tile[y][x] = element(b, step + y, column0 + x, k, n);                            \
            }                                                                                      \
            GB_BARRIER();                                                                          \
            GB_THREADS                                                                             \
            {                                                                                      \
                T part = GB_MY(sum);                                                               \
                for (unsigned l = 0; l < MATMUL_TILE; ++l)                                         \
                    part += a_tile[threadIdx.y][l] * b_tile[l][threadIdx.x];                       \
                GB_MY(sum) = part;                                                                 \
            }                                                                                      \
            GB_BARRIER();                                                                          \
        }                                                                                          \
        GB_THREADS                                                                                 \
        {                                                                                          \
            const size_t row = row0 + threadIdx.y, column = column0 + threadIdx.x;                 \
            if (row < m && column < n)                                                             \
                c[row * n + column] = GB_MY(sum);                                                  \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, matmul_tiled_##type)

MATMUL_TILED(fp32, float)
MATMUL_TILED(fp64, double)

/* A thread's 8 x 8 elements of C. */
template <typename T> struct matmul_registers {
    T at[MATMUL_REGISTER_EACH][MATMUL_REGISTER_EACH];
};

/* matmul_step adds the products of one step along k to a thread's elements, from a line of A's and
 * of B's tile; matmul_spread says which pack of B's line is the p-th of thread t. A pack is what is
 * read at once. */
#if defined(__CUDACC__)
template <typename T> struct __align__(16) matmul_pack
{
    static constexpr unsigned size = 16 / sizeof(T);
    T at[size];
};

/* The threads of a warp read packs that lie side by side, so that they use all banks. */
template <typename T> static __device__ unsigned matmul_spread(unsigned t, unsigned p)
{
    return p * MATMUL_REGISTER_THREADS + t;
}

template <typename T>
static __device__ __forceinline__ void matmul_step(matmul_registers<T> &sum,
                                                   const matmul_pack<T> *a, const matmul_pack<T> *b,
                                                   unsigned x, unsigned y)
{
    constexpr unsigned width = matmul_pack<T>::size, packs = MATMUL_REGISTER_EACH / width;
    matmul_pack<T> left[packs], right[packs];
    for (unsigned p = 0; p < packs; ++p) {
        left[p] = a[y * packs + p];
        right[p] = b[matmul_spread<T>(x, p)];
    }
    for (unsigned i = 0; i < MATMUL_REGISTER_EACH; ++i)
        for (unsigned j = 0; j < MATMUL_REGISTER_EACH; ++j)
            sum.at[i][j] += left[i / width].at[i % width] * right[j / width].at[j % width];
}
#else
template <typename T> struct matmul_pack {
    static constexpr unsigned size = 1;
    T at[size];
};

/* A thread's values are one piece, which fills a vector. */
template <typename T> static inline unsigned matmul_spread(unsigned t, unsigned p)
{
    return t * MATMUL_REGISTER_EACH + p;
}

template <typename T>
static inline void matmul_step(matmul_registers<T> &sum, const matmul_pack<T> *a,
                               const matmul_pack<T> *b, unsigned x, unsigned y)
{
    /* Eight vectors of sums that stay in registers: gcc needs to be told which loop is which. */
#pragma GCC unroll 8
    for (unsigned i = 0; i < MATMUL_REGISTER_EACH; ++i)
#pragma GCC unroll 1
        for (unsigned j = 0; j < MATMUL_REGISTER_EACH; ++j)
            sum.at[i][j] += a[y * MATMUL_REGISTER_EACH + i].at[0] * b[matmul_spread<T>(x, j)].at[0];
}
#endif

/* 8 x 8 elements a thread, kept in registers: each value that is read from shared memory serves
 * eight multiplications instead of one. A's tile is stored transposed, in lines that are
 * a pack longer than it, so that the threads of a warp that write one column do not all wait for
 * one bank. */
#define MATMUL_REGISTER(type, T)                                                                   \
    static __global__ void __launch_bounds__(MATMUL_REGISTER_THREADS *MATMUL_REGISTER_THREADS)     \
        matmul_register_##type(T *__restrict__ c, const T *__restrict__ a,                         \
                               const T *__restrict__ b, size_t m, size_t n, size_t k)              \
    {                                                                                              \
        constexpr unsigned width = matmul_pack<T>::size;                                           \
        constexpr unsigned threads = MATMUL_REGISTER_THREADS * MATMUL_REGISTER_THREADS;            \
        constexpr unsigned loads = MATMUL_REGISTER_TILE * MATMUL_REGISTER_STEP / threads;          \
        GB_SHARED_2D(matmul_pack<T>, a_tile, MATMUL_REGISTER_STEP,                                 \
                     MATMUL_REGISTER_TILE / matmul_pack<T>::size + 1);                             \
        GB_SHARED_2D(matmul_pack<T>, b_tile, MATMUL_REGISTER_STEP,                                 \
                     MATMUL_REGISTER_TILE / matmul_pack<T>::size);                                 \
        GB_PRIVATE(matmul_registers<T>, sum);                                                      \
        const size_t row0 = (size_t)blockIdx.y * MATMUL_REGISTER_TILE;                             \
        const size_t column0 = (size_t)blockIdx.x * MATMUL_REGISTER_TILE;                          \
        GB_THREADS                                                                                 \
        {                                                                                          \
            GB_MY(sum) = {};                                                                       \
        }                                                                                          \
        for (size_t step = 0; step < k; step += MATMUL_REGISTER_STEP) {                            \
            GB_THREADS                                                                             \
            {                                                                                      \
                const unsigned t = threadIdx.y * MATMUL_REGISTER_THREADS + threadIdx.x;            \
                for (unsigned i = 0; i < loads; ++i) {                                             \
                    const unsigned e = t + i * threads;                                            \
                    const unsigned l = e % MATMUL_REGISTER_STEP, row = e / MATMUL_REGISTER_STEP;   \
                    a_tile[l][row / width].at[row % width] =                                       \
                        element(a, row0 + row, step + l, m, k);                                    \
                }                                                                                  \
                for (unsigned i = 0; i < loads; ++i) {                                             \
                    const unsigned e = t + i * threads;                                            \
                    const unsigned column = e % MATMUL_REGISTER_TILE;                              \
                    const unsigned l = e / MATMUL_REGISTER_TILE;                                   \
                    b_tile[l][column / width].at[column % width] =                                 \
                        element(b, step + l, column0 + column, k, n);                              \
                }                                                                                  \
            }                                                                                      \
            GB_BARRIER();                                                                          \
            GB_THREADS                                                                             \
            {                                                                                      \
                matmul_registers<T> own = GB_MY(sum);                                              \
                for (unsigned l = 0; l < MATMUL_REGISTER_STEP; ++l)                                \
                    matmul_step(own, a_tile[l], b_tile[l], threadIdx.x, threadIdx.y);              \
                GB_MY(sum) = own;                                                                  \
            }                                                                                      \
            GB_BARRIER();                                                                          \
        }                                                                                          \
        GB_THREADS                                                                                 \
        {                                                                                          \
            for (unsigned i = 0; i < MATMUL_REGISTER_EACH; ++i) {                                  \
                const size_t row = row0 + threadIdx.y * MATMUL_REGISTER_EACH + i;                  \
                for (unsigned j = 0; j < MATMUL_REGISTER_EACH; ++j) {                              \
                    const size_t column =                                                          \
                        column0 + matmul_spread<T>(threadIdx.x, j / width) * width + j % width;    \
                    if (row < m && column < n)                                                     \
                        c[row * n + column] = GB_MY(sum).at[i][j];                                 \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    GB_EXPORT(PHASED, matmul_register_##type)

MATMUL_REGISTER(fp32, float)
MATMUL_REGISTER(fp64, double)

/* Tensor cores, through the warp-wide matrix fragments of CUDA C++ (nvcuda::wmma): elements of 16
 * bits, sums of 32. A warp keeps 4 x 2 fragments of 16 x 16 sums in its registers. */
#if defined(__CUDACC__)
enum {
    FRAGMENT = 16,
    WARP_DOWN = MATMUL_WMMA_WARP_ROWS / FRAGMENT,
    WARP_ACROSS = MATMUL_WMMA_WARP_COLUMNS / FRAGMENT,
    PAD = 8, /* elements: rows of a tile start in different banks, and still at 16 bytes */
};

/* Reads a tile of Rows x Columns elements from (row0, column0) of a matrix, zero beyond it; 16
 * bytes at a time where the matrix has rows of whole 16 bytes. */
template <unsigned Rows, unsigned Columns, typename T>
static __device__ __forceinline__ void read_tile(T (*tile)[Columns + PAD], const T *matrix,
                                                 size_t row0, size_t column0, size_t rows,
                                                 size_t columns)
{
    constexpr unsigned width = sizeof(uint4) / sizeof(T);
    if (columns % width == 0) {
        for (unsigned e = threadIdx.x; e < Rows * Columns / width; e += MATMUL_WMMA_THREADS) {
            const unsigned y = e / (Columns / width), x = e % (Columns / width) * width;
            uint4 pack = make_uint4(0, 0, 0, 0);
            if (row0 + y < rows && column0 + x < columns)
                pack =
                    *reinterpret_cast<const uint4 *>(&matrix[(row0 + y) * columns + column0 + x]);
            *reinterpret_cast<uint4 *>(&tile[y][x]) = pack;
        }
    } else {
        for (unsigned e = threadIdx.x; e < Rows * Columns; e += MATMUL_WMMA_THREADS) {
            const unsigned y = e / Columns, x = e % Columns;
            tile[y][x] = element(matrix, row0 + y, column0 + x, rows, columns);
        }
    }
}

/* Writes a fragment of sums to (row0, column0) of C by way of shared memory: which thread holds
 * which element of a fragment is not specified. */
template <typename T, typename Sums>
static __device__ __forceinline__ void write_fragment(T *c, float *staging, const Sums &sums,
                                                      size_t row0, size_t column0, size_t m,
                                                      size_t n)
{
    nvcuda::wmma::store_matrix_sync(staging, sums, FRAGMENT, nvcuda::wmma::mem_row_major);
    __syncwarp();
    for (unsigned e = threadIdx.x % 32; e < FRAGMENT * FRAGMENT; e += 32) {
        const size_t row = row0 + e / FRAGMENT, column = column0 + e % FRAGMENT;
        if (row < m && column < n)
            c[row * n + column] = T(staging[e]);
    }
    __syncwarp();
}

template <typename T>
static __device__ __forceinline__ void multiply_wmma(T *c, const T *a, const T *b, size_t m,
                                                     size_t n, size_t k)
{
    using namespace nvcuda::wmma;
    __shared__ __align__(32) T a_tile[MATMUL_WMMA_TILE][MATMUL_WMMA_STEP + PAD];
    __shared__ __align__(32) T b_tile[MATMUL_WMMA_STEP][MATMUL_WMMA_TILE + PAD];
    __shared__ __align__(32) float staging[MATMUL_WMMA_WARPS][FRAGMENT * FRAGMENT];
    const unsigned warp = threadIdx.x / 32;
    constexpr unsigned across = MATMUL_WMMA_TILE / MATMUL_WMMA_WARP_COLUMNS;
    const unsigned y0 = warp / across * MATMUL_WMMA_WARP_ROWS;
    const unsigned x0 = warp % across * MATMUL_WMMA_WARP_COLUMNS;
    const size_t row0 = (size_t)blockIdx.y * MATMUL_WMMA_TILE;
    const size_t column0 = (size_t)blockIdx.x * MATMUL_WMMA_TILE;

    fragment<accumulator, FRAGMENT, FRAGMENT, FRAGMENT, float> sums[WARP_DOWN][WARP_ACROSS];
    for (auto &line : sums)
        for (auto &sum : line)
            fill_fragment(sum, 0.0f);
    for (size_t step = 0; step < k; step += MATMUL_WMMA_STEP) {
        read_tile<MATMUL_WMMA_TILE, MATMUL_WMMA_STEP>(a_tile, a, row0, step, m, k);
        read_tile<MATMUL_WMMA_STEP, MATMUL_WMMA_TILE>(b_tile, b, step, column0, k, n);
        __syncthreads();
        for (unsigned l = 0; l < MATMUL_WMMA_STEP; l += FRAGMENT) {
            fragment<matrix_a, FRAGMENT, FRAGMENT, FRAGMENT, T, row_major> left[WARP_DOWN];
            fragment<matrix_b, FRAGMENT, FRAGMENT, FRAGMENT, T, row_major> right[WARP_ACROSS];
            for (unsigned i = 0; i < WARP_DOWN; ++i)
                load_matrix_sync(left[i], &a_tile[y0 + i * FRAGMENT][l], MATMUL_WMMA_STEP + PAD);
            for (unsigned j = 0; j < WARP_ACROSS; ++j)
                load_matrix_sync(right[j], &b_tile[l][x0 + j * FRAGMENT], MATMUL_WMMA_TILE + PAD);
            for (unsigned i = 0; i < WARP_DOWN; ++i)
                for (unsigned j = 0; j < WARP_ACROSS; ++j)
                    mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < WARP_DOWN; ++i)
        for (unsigned j = 0; j < WARP_ACROSS; ++j)
            write_fragment(c, staging[warp], sums[i][j], row0 + y0 + i * FRAGMENT,
                           column0 + x0 + j * FRAGMENT, m, n);
}

static __global__ void __launch_bounds__(MATMUL_WMMA_THREADS)
    matmul_wmma_fp16(__half *__restrict__ c, const __half *__restrict__ a,
                     const __half *__restrict__ b, size_t m, size_t n, size_t k)
{
    multiply_wmma(c, a, b, m, n, k);
}

/* Compute capability 8.0 is the first with BF16; matmul.c skips it below, where this is empty. */
static __global__ void __launch_bounds__(MATMUL_WMMA_THREADS)
    matmul_wmma_bf16(__nv_bfloat16 *__restrict__ c, const __nv_bfloat16 *__restrict__ a,
                     const __nv_bfloat16 *__restrict__ b, size_t m, size_t n, size_t k)
{
#if __CUDA_ARCH__ >= 800
    multiply_wmma(c, a, b, m, n, k);
#endif
}
#endif
GB_EXPORT_CUDA_ONLY(matmul_wmma_fp16)
GB_EXPORT_CUDA_ONLY(matmul_wmma_bf16)
