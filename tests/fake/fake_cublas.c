/* libcublas.so.13 for the types of the device, in the order of the stream of the fake runtime. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/half.h"

/* of library_types.h */
enum { FP32 = 0, FP64 = 1, FP16 = 2, BF16 = 14 };

typedef struct product {
    int type, m, n, k, lda, ldb, ldc;
    const void *a, *b;
    void *c;
} product;

typedef struct handle {
    void *stream;
    int math;
} handle;

/* in the program: tests/fake/fake_queue.c */
extern int fake_cuda_call(void *stream, void (*run)(const void *), const void *data, size_t bytes);

int cublasCreate_v2(handle **out);
int cublasDestroy_v2(handle *h);
int cublasSetStream_v2(handle *h, void *stream);
int cublasSetMathMode(handle *h, int math);
int cublasGemmEx(handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
                 int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
                 int type_c, int ldc, int compute, int algorithm);

int cublasCreate_v2(handle **out)
{
    const char *status = getenv("FAKE_CUBLAS_CREATE");
    *out = status ? NULL : calloc(1, sizeof **out);
    return status ? atoi(status) : 0;
}

int cublasDestroy_v2(handle *h)
{
    free(h);
    return 0;
}

int cublasSetStream_v2(handle *h, void *stream)
{
    h->stream = stream;
    return 0;
}

int cublasSetMathMode(handle *h, int math)
{
    h->math = math;
    return 0;
}

static double element(const void *matrix, int type, size_t i)
{
    if (type == FP64)
        return ((const double *)matrix)[i];
    if (type == FP32)
        return (double)((const float *)matrix)[i];
    return gb_half_decode(((const uint16_t *)matrix)[i],
                          type == FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

static void store(void *matrix, int type, size_t i, double value)
{
    if (type == FP64)
        ((double *)matrix)[i] = value;
    else if (type == FP32)
        ((float *)matrix)[i] = (float)value;
    else
        ((uint16_t *)matrix)[i] =
            gb_half_encode(value, type == FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

/* column-major, as cuBLAS has it */
static void multiply(const void *data)
{
    product p;
    memcpy(&p, data, sizeof p);
    for (int j = 0; j < p.n; j++) {
        for (int i = 0; i < p.m; i++) {
            double sum = 0;
            for (int l = 0; l < p.k; l++)
                sum += element(p.a, p.type, (size_t)l * (size_t)p.lda + (size_t)i) *
                       element(p.b, p.type, (size_t)j * (size_t)p.ldb + (size_t)l);
            store(p.c, p.type, (size_t)j * (size_t)p.ldc + (size_t)i, sum);
        }
    }
}

int cublasGemmEx(handle *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a,
                 int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
                 int type_c, int ldc, int compute, int algorithm)
{
    const char *status = getenv("FAKE_CUBLAS_GEMM");
    product p = {type_a, m, n, k, lda, ldb, ldc, a, b, c};
    (void)alpha, (void)beta, (void)algorithm;
    if (status)
        return atoi(status);
    if (ta != 0 || tb != 0 || type_b != type_a || type_c != type_a || lda < m || ldb < k || ldc < m)
        return 7;
    if (type_a != FP32 && type_a != FP64 && type_a != FP16 && type_a != BF16)
        return 15;
    /* FP64; FP32 without TF32; TF32 by name and by mode; 16 bits with sums of 32, by mode too */
    const bool is_half = type_a == FP16 || type_a == BF16;
    if (!(type_a == FP64 && compute == 70) && !(type_a == FP32 && compute == 68 && h->math == 0) &&
        !(type_a == FP32 && compute == 77 && h->math == 3) &&
        !(is_half && compute == 68 && h->math == 16))
        return 7;
    return fake_cuda_call(h->stream, multiply, &p, sizeof p) == 0 ? 0 : 13;
}
