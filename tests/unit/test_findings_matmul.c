/* Findings on matrix products: said with their figures, silent without. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

static gb_record *product(fixture *f, const char *variant, const char *type, unsigned n,
                          double rate)
{
    char params[160];
    snprintf(params, sizeof params,
             "{\"variant\": \"%s\", \"type\": \"%s\", \"n\": %u, \"m\": 0, \"k\": 0}", variant,
             type, n);
    gb_record *r = fixture_add(f, "matmul", "matmul", params, (uint32_t)f->results.n, 0,
                               2e9 * n * n * n / rate, rate);
    snprintf(r->metrics[0].name, sizeof r->metrics[0].name, "flop_rate");
    snprintf(r->metrics[0].unit, sizeof r->metrics[0].unit, "FLOP/s");
    return r;
}

START_TEST(tiles_against_loops)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    product(&f, "naive", "fp32", 100, 1e9);
    product(&f, "tiled", "fp32", 100, 2e9);
    product(&f, "naive", "fp32", 500, 1e9);
    product(&f, "tiled", "fp32", 1000, 50e9); /* has no counterpart */
    product(&f, "tiled", "fp32", 500, 25e9);
    says(&f, "tiled-product",
         "Multiplying 500 x 500 matrices (fp32) takes 10.0 ms through tiles in shared "
         "memory and 250 ms without: a factor of 25.00.");
    fixture_close(&f);
}
END_TEST

START_TEST(percent_of_the_vendor)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    product(&f, "vendor", "fp32", 4096, 50e12);
    product(&f, "tiled", "fp32", 4096, 5e12);
    product(&f, "register-tiled", "fp32", 4096, 30e12);
    product(&f, "vendor", "fp64", 8192, 60e12); /* alone */
    product(&f, "vendor", "fp32", 1024, 10e12);
    product(&f, "naive", "fp32", 1024, 1e12);
    says(&f, "vendor-product",
         "The vendor's BLAS multiplies 4096 x 4096 matrices (fp32) at 50.0 TFLOP/s; of "
         "that register-tiled reaches 60 % (30.0 TFLOP/s), tiled reaches 10 % (5.00 "
         "TFLOP/s).");
    silent(&f, "tensor-product");
    product(&f, "wmma", "fp16", 2048, 200e12);
    silent(&f, "tensor-product");
    product(&f, "vendor", "bf16", 2048, 700e12);
    silent(&f, "tensor-product");
    product(&f, "vendor", "fp16", 2048, 800e12);
    says(&f, "tensor-product",
         "The vendor's BLAS multiplies 2048 x 2048 matrices (fp16) at 800 TFLOP/s; of "
         "that wmma reaches 25 % (200 TFLOP/s).");
    product(&f, "vendor", "fp64", 16384, 50e12);
    product(&f, "register-tiled", "fp64", 16384, 52e12);
    product(&f, "tiled", "fp64", 16384, 1.2e12);
    says(&f, "vendor-product",
         "The vendor's BLAS multiplies 16384 x 16384 matrices (fp64) at 50.0 TFLOP/s; of "
         "that register-tiled reaches 104 % (52.0 TFLOP/s), tiled reaches 2.4 % (1.20 "
         "TFLOP/s).");
    fixture_close(&f);
}
END_TEST

START_TEST(a_cold_case_says_so)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    product(&f, "vendor", "fp32", 4096, 50e12)->cache = GB_CACHE_COLD;
    product(&f, "tiled", "fp32", 4096, 5e12)->cache = GB_CACHE_COLD;
    product(&f, "naive", "fp32", 4096, 1e12)->cache = GB_CACHE_COLD;
    says(&f, "vendor-product",
         "The vendor's BLAS multiplies 4096 x 4096 matrices (fp32) (cold cache) at 50.0 "
         "TFLOP/s; of that tiled reaches 10 % (5.00 TFLOP/s), naive reaches 2.0 % (1.00 "
         "TFLOP/s).");
    mentions(&f, "tiled-product", "factor of 5.00 (cold cache).");
    fixture_close(&f);
}
END_TEST

START_TEST(what_may_not_be_compared_is_not)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    product(&f, "vendor", "fp32", 4096, 50e12);
    product(&f, "tiled", "fp32", 4096, 5e12)->cache = GB_CACHE_COLD;
    product(&f, "naive", "fp32", 4096, 1e12)->status = GB_STATUS_WRONG;
    product(&f, "register-tiled", "fp32", 4096, 1e12)->flags = GB_BIT(GB_FLAG_EMULATED);
    product(&f, "register-tiled", "fp64", 4096, 1e12);
    product(&f, "register-tiled", "fp32", 2048, 1e12);
    silent(&f, "vendor-product");
    silent(&f, "tiled-product");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("matmul");
    tcase_add_test(tc, tiles_against_loops);
    tcase_add_test(tc, percent_of_the_vendor);
    tcase_add_test(tc, a_cold_case_says_so);
    tcase_add_test(tc, what_may_not_be_compared_is_not);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("findings_matmul", add_cases)
