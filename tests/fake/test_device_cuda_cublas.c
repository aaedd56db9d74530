/* The cuda device on the fake runtime: the product of matrices of cuBLAS. */
#include "device_cuda_fixture.h"

#include "kernels/half.h"

static void matrix_store(gb_gemm_type type, void *matrix, int i, double value)
{
    if (type == GB_GEMM_FP64)
        ((double *)matrix)[i] = value;
    else if (type == GB_GEMM_FP32 || type == GB_GEMM_TF32)
        ((float *)matrix)[i] = (float)value;
    else
        ((uint16_t *)matrix)[i] =
            gb_half_encode(value, type == GB_GEMM_FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

static double matrix_load(gb_gemm_type type, const void *matrix, int i)
{
    if (type == GB_GEMM_FP64)
        return ((const double *)matrix)[i];
    if (type == GB_GEMM_FP32 || type == GB_GEMM_TF32)
        return (double)((const float *)matrix)[i];
    return gb_half_decode(((const uint16_t *)matrix)[i],
                          type == GB_GEMM_FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

START_TEST(the_matrix_product_is_row_major)
{
    enum { M = 3, N = 4, K = 5 };
    const gb_gemm_type type = (gb_gemm_type)_i;
    gb_memory a, b, c;
    gb_stream *stream;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, M * K * 8, &a, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, K * N * 8, &b, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, M * N * 8, &c, &err), GB_OK);
    for (int i = 0; i < M * K; i++)
        matrix_store(type, a.host, i, i);
    for (int i = 0; i < K * N; i++)
        matrix_store(type, b.host, i, i % 3);
    ck_assert_msg(dev->ops->gemm(dev, stream, type, M, N, K, a.device, b.device, c.device, &err) ==
                      GB_OK,
                  "type %d: %s", type, err.message);
    ck_assert_int_eq(dev->ops->stream_sync(dev, stream, &err), GB_OK);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            double want = 0; /* at most 120: BF16 has 8 bits */
            for (int l = 0; l < K; l++)
                want += (double)(i * K + l) * ((l * N + j) % 3);
            ck_assert_double_eq(matrix_load(type, c.host, i * N + j), want);
        }
    }
    dev->ops->free(dev, &a);
    dev->ops->free(dev, &b);
    dev->ops->free(dev, &c);
    dev->ops->stream_destroy(dev, stream);
}
END_TEST

START_TEST(a_cublas_that_does_not_start_is_tried_again_and_named)
{
    float x = 0;
    setenv("FAKE_CUBLAS_CREATE", "3", 1);
    ck_assert_int_eq(dev->ops->gemm(dev, NULL, GB_GEMM_FP32, 1, 1, 1, &x, &x, &x, &err),
                     GB_NO_MEMORY);
    says("cublasCreate: cuBLAS status 3");
    unsetenv("FAKE_CUBLAS_CREATE");
    setenv("FAKE_CUBLAS_GEMM", "15", 1); /* as BF16 where the GPU has none */
    ck_assert_int_eq(dev->ops->gemm(dev, NULL, GB_GEMM_BF16, 1, 1, 1, &x, &x, &x, &err),
                     GB_UNAVAILABLE);
    says("cublasGemmEx: cuBLAS status 15");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *open = tcase_create("open");
    tcase_add_checked_fixture(open, setup, teardown);
    tcase_set_timeout(open, 60);
    tcase_add_loop_test(open, the_matrix_product_is_row_major, 0, GB_GEMM_BF16 + 1);
    tcase_add_test(open, a_cublas_that_does_not_start_is_tried_again_and_named);
    suite_add_tcase(suite, open);
}

GB_CHECK_MAIN("device_cuda_cublas", add_cases)
