/* The peer of scripts/selfbench on a GPU: the shortest honest loops over the CUDA runtime.
 *
 *   cuda_peer h2d|d2h|triad BYTES ROUNDS   prints the median ns of an iteration
 *
 * Each round is timed by a pair of events around enough iterations for 10 ms. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) {                                                                    \
            fprintf(stderr, "cuda_peer: %s: %s\n", #call, cudaGetErrorString(e));                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static __global__ void triad(double2 *a, const double2 *b, const double2 *c, double s, size_t n)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (size_t)gridDim.x * blockDim.x) {
        double2 x = b[i], y = c[i];
        a[i] = make_double2(x.x + s * y.x, x.y + s * y.y);
    }
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

struct buffers {
    void *host, *a, *b, *c;
    size_t bytes;
    int blocks;
};

static void once(const char *what, const buffers &m, cudaStream_t stream)
{
    if (strcmp(what, "h2d") == 0) {
        CHECK(cudaMemcpyAsync(m.a, m.host, m.bytes, cudaMemcpyHostToDevice, stream));
    } else if (strcmp(what, "d2h") == 0) {
        CHECK(cudaMemcpyAsync(m.host, m.a, m.bytes, cudaMemcpyDeviceToHost, stream));
    } else {
        triad<<<m.blocks, 256, 0, stream>>>((double2 *)m.a, (const double2 *)m.b,
                                            (const double2 *)m.c, 3.0, m.bytes / sizeof(double2));
        CHECK(cudaGetLastError());
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: cuda_peer h2d|d2h|triad BYTES ROUNDS\n");
        return 2;
    }
    buffers m = {};
    m.bytes = strtoull(argv[2], NULL, 10);
    int rounds = atoi(argv[3]);
    if (m.bytes == 0 || rounds < 1) {
        fprintf(stderr, "cuda_peer: BYTES and ROUNDS are at least 1\n");
        return 2;
    }
    int sms = 0;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    /* one thread a pair of values, as the best of the usual launch shapes */
    size_t blocks = (m.bytes / sizeof(double2) + 255) / 256;
    m.blocks = blocks < 2147483647 ? (int)blocks : 2147483647;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaHostAlloc(&m.host, m.bytes, cudaHostAllocDefault));
    CHECK(cudaMalloc(&m.a, m.bytes));
    CHECK(cudaMalloc(&m.b, m.bytes));
    CHECK(cudaMalloc(&m.c, m.bytes));
    memset(m.host, 0x5a, m.bytes);
    CHECK(cudaMemset(m.b, 1, m.bytes));
    CHECK(cudaMemset(m.c, 2, m.bytes));
    float *ms = (float *)calloc((size_t)rounds + 1, sizeof *ms);
    int iterations = 1;
    for (int r = 0; r < rounds + 5; r++) { /* the first five warm up and find the count */
        float t = 0;
        CHECK(cudaEventRecord(start, stream));
        for (int i = 0; i < iterations; i++) {
            once(argv[1], m, stream);
        }
        CHECK(cudaEventRecord(stop, stream));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&t, start, stop));
        if (r >= 5) {
            ms[r - 5] = t / (float)iterations;
        } else if (r >= 1 && t < 10.0F) {
            int wanted = (int)(10.0F * (float)iterations / t);
            iterations = wanted < 1 ? 1 : wanted < 400 ? wanted : 400;
        }
    }
    qsort(ms, (size_t)rounds, sizeof *ms, by_value);
    printf("%.1f\n", (double)ms[rounds / 2] * 1e6);
    free(ms);
    return 0;
}
