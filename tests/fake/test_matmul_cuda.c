/* matmul on the fake CUDA runtime: launches, the vendor's product in every type, and the tensor
 * core variant with a kernel of ours in the place of the real one, which no processor can run. */
#include "device_cuda_fixture.h"

#include "device/simt/cpu_code.h"
#include "kernels/half.h"
#include "kernels/matmul.h"
#include "unit/kernel_life.h"

/* --- the tensor core kernel ------------------------------------------------------------------- */

static bool forgets_a_step; /* as a wrong bound would */

static double half_dot(const uint16_t *a, const uint16_t *b, size_t n, size_t k, int exponent)
{
    double sum = 0;
    for (size_t l = 0; l < k; l++)
        sum += gb_half_decode(a[l], exponent) * gb_half_decode(b[l * n], exponent);
    return sum;
}

/* Blocks as the real kernel has them: MATMUL_WMMA_TILE rows and columns of C each. */
static void multiply_blocks(const gb_launch *launch, uint64_t first, uint64_t end,
                            void *const args[], int exponent)
{
    uint16_t *c = *(uint16_t **)args[0];
    const uint16_t *a = *(const uint16_t **)args[1], *b = *(const uint16_t **)args[2];
    const size_t m = *(size_t *)args[3], n = *(size_t *)args[4], k = *(size_t *)args[5];
    for (uint64_t block = first; block < end; block++) {
        const size_t row0 = block / launch->grid[0] * MATMUL_WMMA_TILE;
        const size_t column0 = block % launch->grid[0] * MATMUL_WMMA_TILE;
        for (size_t i = row0; i < m && i < row0 + MATMUL_WMMA_TILE; i++)
            for (size_t j = column0; j < n && j < column0 + MATMUL_WMMA_TILE; j++)
                c[i * n + j] = gb_half_encode(
                    half_dot(&a[i * k], &b[j], n, k - forgets_a_step, exponent), exponent);
    }
}

static gb_code run_fp16(const gb_launch *launch, uint64_t first, uint64_t end, void *const args[],
                        void *shared, gb_error *error)
{
    (void)shared, (void)error;
    multiply_blocks(launch, first, end, args, GB_FP16_EXPONENT);
    return GB_OK;
}

static gb_code run_bf16(const gb_launch *launch, uint64_t first, uint64_t end, void *const args[],
                        void *shared, gb_error *error)
{
    (void)shared, (void)error;
    multiply_blocks(launch, first, end, args, GB_BF16_EXPONENT);
    return GB_OK;
}

/* Under the names by which the fake runtime looks for a kernel's code. */
static const uint32_t bytes[] = {8, 8, 8, 8, 8, 8};
extern const gb_cpu_code gb_cpu_code_matmul_wmma_fp16_generic;
extern const gb_cpu_code gb_cpu_code_matmul_wmma_bf16_generic;
const gb_cpu_code gb_cpu_code_matmul_wmma_fp16_generic = {
    .name = "matmul_wmma_fp16", .n_params = 6, .param_bytes = bytes, .run = run_fp16};
const gb_cpu_code gb_cpu_code_matmul_wmma_bf16_generic = {
    .name = "matmul_wmma_bf16", .n_params = 6, .param_bytes = bytes, .run = run_bf16};

/* --- tests ------------------------------------------------------------------------------------ */

static gb_code verdict(const char *text)
{
    return kernel_verdict(dev, "matmul", text, &err);
}

static const char *const ways[] = {
    "variant=vendor,type=fp32",         "variant=vendor,type=tf32", "variant=vendor,type=fp16",
    "variant=vendor,type=bf16",         "variant=vendor,type=fp64", "variant=wmma,type=fp16",
    "variant=wmma,type=bf16",           "variant=naive,type=fp32",  "variant=tiled,type=fp64",
    "variant=register-tiled,type=fp32",
};
enum { WAYS = sizeof ways / sizeof ways[0] };

START_TEST(KRN_02_products_of_any_size)
{
    static const char *const sizes[] = {"n=1",   "n=31",          "n=33",           "n=128",
                                        "n=129", "n=33,m=1,k=65", "n=1,m=140,k=31", "n=200,m=150"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s,%s", ways[_i], sizes[i]);
        ck_assert_msg(verdict(text) == GB_OK, "%s: %s", text, err.message);
    }
}
END_TEST

START_TEST(a_tensor_core_kernel_that_forgets_a_step_is_noticed)
{
    for (int way = 5; way <= 6; way++) {
        char text[128];
        snprintf(text, sizeof text, "%s,n=200,m=150", ways[way]);
        forgets_a_step = false;
        ck_assert_int_eq(verdict(text), GB_OK);
        forgets_a_step = true;
        ck_assert_int_eq(verdict(text), GB_WRONG_RESULT);
    }
}
END_TEST

START_TEST(without_bf16_the_case_is_skipped)
{
    set("FAKE_CUBLAS_GEMM", "15");
    ck_assert_int_eq(verdict("variant=vendor,type=bf16,n=8"), GB_UNAVAILABLE);
    says("cublasGemmEx: cuBLAS status 15");
    set("FAKE_CUBLAS_GEMM", NULL);
    dev->info.cc_major = 7;
    dev->info.cc_minor = 5;
    ck_assert_int_eq(verdict("variant=wmma,type=bf16,n=8"), GB_UNAVAILABLE);
    says("compute capability 8.0");
    ck_assert_int_eq(verdict("variant=wmma,type=fp16,n=8"), GB_OK);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("matmul");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, KRN_02_products_of_any_size, 0, WAYS);
    tcase_add_test(tc, a_tensor_core_kernel_that_forgets_a_step_is_noticed);
    tcase_add_test(tc, without_bf16_the_case_is_skipped);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("matmul_cuda", add_cases)
