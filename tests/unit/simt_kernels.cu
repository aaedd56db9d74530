/* Kernels of the tests of the cpu device: one sum in all four modes, and one for each word of CUDA
 * that kernels rely on. */
#include "device/simt/simt.h"

/* out[i] = a * x[i] + y[i], four times. */
static __global__ void axpy_range(float *out, const float *x, const float *y, float a, size_t n)
{
    GB_RANGE (i, n) {
        out[i] = a * x[i] + y[i];
    }
}
GB_EXPORT(RANGE, axpy_range)

static __global__ void axpy_flat(float *out, const float *x, const float *y, float a, size_t n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = a * x[i] + y[i];
}
GB_EXPORT(FLAT, axpy_flat)

/* Through shared memory, each element written by the mirror image of the thread that loaded it. */
static __global__ void axpy_phased(float *out, const float *x, const float *y, float a, size_t n)
{
    GB_SHARED(float, s, 256);
    GB_PRIVATE(float, mine);
    GB_THREADS
    {
        size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
        GB_MY(mine) = i < n ? a * x[i] : 0.0f;
    }
    GB_THREADS
    {
        s[255 - threadIdx.x] = GB_MY(mine);
    }
    GB_BARRIER();
    GB_THREADS
    {
        size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
        if (i < n)
            out[i] = s[255 - threadIdx.x] + y[i];
    }
}
GB_EXPORT(PHASED, axpy_phased)

static __global__ void axpy_fiber(float *out, const float *x, const float *y, float a, size_t n)
{
    __shared__ float s[256];
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    s[255 - threadIdx.x] = i < n ? a * x[i] : 0.0f;
    __syncthreads();
    float product = s[255 - threadIdx.x];
    if (i < n)
        out[i] = product + y[i];
}
GB_EXPORT(FIBER, axpy_fiber)

/* One sum a block of 256, by a tree in shared memory and by shuffles. */
static __global__ void sum_phased(unsigned long long *partial, const unsigned *x, size_t n)
{
    GB_SHARED(unsigned long long, s, 256);
    GB_THREADS
    {
        size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
        s[threadIdx.x] = i < n ? x[i] : 0;
    }
    GB_BARRIER();
    for (unsigned w = 128; w > 0; w /= 2) {
        GB_THREADS
        {
            if (threadIdx.x >= w)
                continue;
            s[threadIdx.x] += s[threadIdx.x + w];
        }
        GB_BARRIER();
    }
    GB_THREADS
    {
        if (threadIdx.x == 0)
            partial[blockIdx.x] = s[0];
    }
}
GB_EXPORT(PHASED, sum_phased)

static __global__ void sum_fiber(unsigned long long *partial, const unsigned *x, size_t n)
{
    __shared__ unsigned long long warps[8];
    size_t i = (size_t)blockIdx.x * 256 + threadIdx.x;
    unsigned long long v = i < n ? x[i] : 0;
    for (unsigned d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; w++)
            v += warps[w];
        partial[blockIdx.x] = v;
    }
}
GB_EXPORT(FIBER, sum_fiber)

/* Which thread of which block am I, three-dimensionally, in each mode that knows. */
static __device__ size_t global_index()
{
    size_t block = ((size_t)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    size_t thread = ((size_t)threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    return block * blockDim.x * blockDim.y * blockDim.z + thread;
}
static __global__ void index_flat(unsigned *count)
{
    count[global_index()]++;
}
GB_EXPORT(FLAT, index_flat)
static __global__ void index_phased(unsigned *count)
{
    GB_PRIVATE(size_t, at);
    GB_THREADS
    {
        GB_MY(at) = global_index();
    }
    GB_BARRIER();
    GB_THREADS
    {
        count[GB_MY(at)]++;
    }
}
GB_EXPORT(PHASED, index_phased)
static __global__ void index_fiber(unsigned *count)
{
    __syncthreads();
    size_t at = global_index();
    __syncthreads();
    if (at == global_index())
        count[at]++;
}
GB_EXPORT(FIBER, index_fiber)

/* Arguments of every size and alignment. */
struct mixed {
    double d;
    char c;
};
static __global__ void take_arguments(double *out, char c, double d, float4 v, short s, mixed m)
{
    out[0] = c;
    out[1] = d;
    out[2] = v.x + 10.0f * v.y + 100.0f * v.z + 1000.0f * v.w;
    out[3] = s;
    out[4] = m.d + m.c;
}
GB_EXPORT(FLAT, take_arguments)

static __global__ void reverse_dynamic(unsigned *data)
{
    GB_SHARED_DYNAMIC(unsigned, s);
    GB_THREADS
    {
        s[threadIdx.x] = data[threadIdx.x];
    }
    GB_BARRIER();
    GB_THREADS
    {
        data[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    }
}
GB_EXPORT(PHASED, reverse_dynamic)

static __global__ void transpose(float *out, const float *in, unsigned n)
{
    GB_SHARED_2D(float, tile, 16, 17);
    GB_THREADS
    {
        size_t row = (size_t)blockIdx.y * 16 + threadIdx.y;
        size_t column = (size_t)blockIdx.x * 16 + threadIdx.x;
        if (row < n && column < n)
            tile[threadIdx.y][threadIdx.x] = in[row * n + column];
    }
    GB_BARRIER();
    GB_THREADS
    {
        size_t row = (size_t)blockIdx.x * 16 + threadIdx.y;
        size_t column = (size_t)blockIdx.y * 16 + threadIdx.x;
        if (row < n && column < n)
            out[row * n + column] = tile[threadIdx.x][threadIdx.y];
    }
}
GB_EXPORT(PHASED, transpose)

static __global__ void count_up(int *i, unsigned *u, unsigned long long *l, float *f, double *d,
                                unsigned *highest)
{
    atomicAdd(i, -1);
    atomicAdd(u, 1u);
    atomicAdd(l, 1ull << 33);
    atomicAdd(f, 1.0f);
    atomicAdd(d, 0.5);
    atomicMax(highest, blockIdx.x * blockDim.x + threadIdx.x);
}
GB_EXPORT(FLAT, count_up)

/* What each lane sees through each shuffle and vote; a block may end in a part of a warp. */
static __global__ void shuffles(int *out)
{
    int t = (int)threadIdx.x;
    unsigned rest = blockDim.x - threadIdx.x / 32 * 32;
    unsigned mask = rest >= 32 ? 0xffffffffu : (1u << rest) - 1;
    int *mine = out + 6 * t;
    mine[0] = __shfl_sync(mask, t, 3);
    mine[1] = __shfl_up_sync(mask, t, 1);
    mine[2] = __shfl_down_sync(mask, t, 2);
    mine[3] = __shfl_xor_sync(mask, t, 1);
    mine[4] = __popc(__ballot_sync(mask, t % 2));
    mine[5] = __shfl_sync(mask, t, 1, 8);
}
GB_EXPORT(FIBER, shuffles)

/* Rules broken. */
static __global__ void early_exit(int *out)
{
    if (threadIdx.x == 7)
        return;
    __syncthreads();
    out[threadIdx.x] = 1;
}
GB_EXPORT(FIBER, early_exit)
static __global__ void divergent_barrier(int *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncwarp();
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
GB_EXPORT(FIBER, divergent_barrier)
static __global__ void partial_mask(int *out)
{
    out[threadIdx.x] = __shfl_sync(0x0000ffffu, (int)threadIdx.x, 0);
}
GB_EXPORT(FIBER, partial_mask)
static __global__ void barrier_in_flat(int *out)
{
    out[threadIdx.x] = 1;
    __syncthreads();
}
GB_EXPORT(FLAT, barrier_in_flat)

/* Order: appends a letter; and time: a chain that takes a while. */
static __global__ void append(unsigned *log, unsigned value)
{
    log[++log[0]] = value;
}
GB_EXPORT(FLAT, append)
static __global__ void work_hard(unsigned *out, unsigned rounds)
{
    unsigned v = *out | 1u;
    for (unsigned i = 0; i < rounds; i++)
        v = v * 1664525u + 1013904223u;
    *out = v;
}
GB_EXPORT(FLAT, work_hard)

static __global__ void cuda_alone(int *out)
{
    *out = 1;
}
GB_EXPORT_CUDA_ONLY(cuda_alone)
