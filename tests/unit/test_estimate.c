/* Estimates against figures that are known from elsewhere; each says from where. */
#include <math.h>
#include <string.h>

#include "base/estimate.h"
#include "check_main.h"

#define GB 1e9

static uint64_t weights(uint64_t parameters, gb_precision precision)
{
    uint64_t bytes = 0;
    ck_assert_int_eq(gb_estimate_values(parameters, precision, &bytes, NULL), GB_OK);
    return bytes;
}

START_TEST(weights_are_parameters_times_bytes)
{
    ck_assert_uint_eq(weights(7000000000, GB_FP16), 14000000000);
    ck_assert_uint_eq(weights(7000000000, GB_BF16), 14000000000);
    ck_assert_uint_eq(weights(7000000000, GB_FP32), 28000000000);
    ck_assert_uint_eq(weights(7000000000, GB_INT8), 7000000000);
    ck_assert_uint_eq(weights(7000000000, GB_FP8), 7000000000);
    ck_assert_uint_eq(weights(7000000000, GB_INT4), 3500000000);
    ck_assert_uint_eq(weights(3, GB_INT4), 2); /* half a byte more is a byte */
    for (int p = 0; p < GB_PRECISIONS; p++)
        ck_assert_ptr_nonnull(gb_precision_words[p]);
    ck_assert_ptr_null(gb_precision_words[GB_PRECISIONS]);
}
END_TEST

static uint64_t kv_token(gb_shape shape)
{
    uint64_t bytes = 0;
    ck_assert_int_eq(gb_estimate_kv_token(&shape, GB_FP16, &bytes, NULL), GB_OK);
    return bytes;
}

START_TEST(kv_caches_of_published_models)
{
    /* Llama 2 7B (32 layers, 32 heads of 128): 524,288 bytes a token, 1.07 GB at 2048 tokens. */
    const gb_shape llama_7b = {32, 32, 32, 128, 2048};
    ck_assert_uint_eq(kv_token(llama_7b), 524288);
    ck_assert_uint_eq(kv_token(llama_7b) * llama_7b.context, 1073741824);
    /* Llama 2 70B (80 layers, 8 heads of keys and values): 1,342,177,280 bytes at 4096 tokens
     * (draft-calabria-bmwg-ai-fabric-inference-bench, its sample calculation). */
    const gb_shape llama_70b = {80, 64, 8, 128, 4096};
    ck_assert_uint_eq(kv_token(llama_70b) * llama_70b.context, 1342177280);
    uint64_t bytes = 0;
    ck_assert_int_eq(gb_estimate_kv_token(&llama_7b, GB_INT8, &bytes, NULL), GB_OK);
    ck_assert_uint_eq(bytes, 262144);
}
END_TEST

static uint64_t activations(gb_shape shape, gb_recompute recompute)
{
    uint64_t bytes = 0;
    ck_assert_int_eq(gb_estimate_activations(&shape, recompute, &bytes, NULL), GB_OK);
    return bytes;
}

START_TEST(training)
{
    /* ZeRO, section 3.1: GPT-2 of 1.5 B parameters takes 24 GB beside its activations. */
    ck_assert_uint_eq(1500000000ull * (GB_ADAM_WEIGHTS + GB_ADAM_GRADIENTS + GB_ADAM_OPTIMIZER),
                      24000000000);
    /* Korthikanti et al.: 5 a s / h is 80 for GPT-3 (96 layers, 96 heads, hidden 12288, 2048
     * tokens), so that a layer keeps s h (34 + 80). */
    const gb_shape gpt3 = {96, 96, 96, 128, 2048};
    const uint64_t sh = 2048ull * 12288;
    ck_assert_uint_eq(activations(gpt3, GB_KEEP_ALL), 96 * sh * (34 + 80));
    ck_assert_uint_eq(activations(gpt3, GB_KEEP_ATTENTION_INPUTS), 96 * sh * 34);
    ck_assert_uint_eq(activations(gpt3, GB_KEEP_LAYER_INPUTS), 96 * sh * 2);
    /* MT-NLG 530B (105 layers, 128 heads, hidden 20480, 2048 tokens): 64. */
    const gb_shape mt_nlg = {105, 128, 128, 160, 2048};
    ck_assert_uint_eq(activations(mt_nlg, GB_KEEP_ALL), 105 * 2048ull * 20480 * (34 + 64));
}
END_TEST

START_TEST(batches_that_fit)
{
    ck_assert_uint_eq(gb_estimate_batch(100, 40, 20), 3);
    ck_assert_uint_eq(gb_estimate_batch(99, 40, 20), 2);
    ck_assert_uint_eq(gb_estimate_batch(40, 40, 20), 0);
    ck_assert_uint_eq(gb_estimate_batch(10, 40, 20), 0); /* not a number below zero */
    ck_assert_uint_eq(gb_estimate_overhead(14000000000), 2800000000);
    ck_assert_uint_eq(gb_estimate_overhead(1), 1);
}
END_TEST

START_TEST(what_does_not_fit_in_64_bits_is_an_error)
{
    const gb_shape huge = {1ull << 40, 1ull << 20, 1ull << 20, 128, 1ull << 20};
    gb_error err = {.message = ""};
    uint64_t bytes = 7;
    ck_assert_int_eq(gb_estimate_values(1ull << 63, GB_FP16, &bytes, &err), GB_INVALID);
    ck_assert(strstr(err.message, "64 bits") != NULL);
    ck_assert_int_eq(gb_estimate_kv_token(&huge, GB_FP16, &bytes, &err), GB_INVALID);
    ck_assert_int_eq(gb_estimate_activations(&huge, GB_KEEP_ALL, &bytes, &err), GB_INVALID);
    ck_assert_int_eq(gb_estimate_activations(&huge, GB_KEEP_LAYER_INPUTS, &bytes, &err),
                     GB_INVALID);
    /* Both parts fit, their sum does not. */
    const gb_shape sum = {1, 1, 1, 160000000, 1500000000};
    const gb_shape square = {1, 1, 1, 1, 1ull << 32};
    ck_assert_int_eq(gb_estimate_activations(&square, GB_KEEP_ALL, &bytes, &err), GB_INVALID);
    ck_assert_int_eq(gb_estimate_activations(&sum, GB_KEEP_ALL, &bytes, &err), GB_INVALID);
    ck_assert_int_eq(gb_estimate_activations(&sum, GB_KEEP_LAYER_INPUTS, &bytes, &err), GB_OK);
    ck_assert_uint_eq(bytes, 480000000000000000);
}
END_TEST

static void near(double found, double expected, double relative)
{
    ck_assert_msg(fabs(found / expected - 1) <= relative, "%.17g, not %.17g", found, expected);
}

START_TEST(copies)
{
    near(gb_estimate_copy_ns(64ull << 20, 0, 32 * GB), 2.097152e6, 1e-12); /* 2.1 ms */
    near(gb_estimate_copy_ns(1000000000, 0, 24 * GB), 41.7e6, 1e-3);
    near(gb_estimate_copy_ns(1000, 500, 1 * GB), 1500, 1e-12); /* the latency is in it */
}
END_TEST

START_TEST(links)
{
    /* PCI Express as its generations are listed: GB/s of 1 and of 16 lanes, one direction. */
    static const double listed[][2] = {{0.25, 4.0},   {0.50, 8.0},   {0.985, 15.75},
                                       {1.97, 31.51}, {3.94, 63.02}, {7.56, 121}};
    for (unsigned g = 1; g <= GB_PCIE_GENERATIONS; g++) {
        near(gb_pcie_bandwidth(g, 1) / GB, listed[g - 1][0], 1e-3);
        near(gb_pcie_bandwidth(g, 16) / GB, listed[g - 1][1], 1e-3);
    }
    ck_assert(isnan(gb_pcie_bandwidth(0, 16)));
    ck_assert(isnan(gb_pcie_bandwidth(GB_PCIE_GENERATIONS + 1, 16)));
    ck_assert(isnan(gb_pcie_bandwidth(4, 0)));
}
END_TEST

START_TEST(memories)
{
    near(gb_memory_bandwidth(14e9, 256), 448 * GB, 1e-12); /* GeForce RTX 2080 */
    near(gb_memory_bandwidth(14e9, 352), 616 * GB, 1e-12); /* GeForce RTX 2080 Ti */
    /* V100: 877 MHz, 4096 bits, 898 GB/s in the CUDA C++ Best Practices Guide. */
    near(gb_memory_bandwidth(GB_DOUBLE_DATA_RATE * 877e6, 4096), 898 * GB, 1e-3);
    /* H100 SXM: 5120 bits at 2619 MHz; its data sheet says 3.35 TB/s. */
    near(gb_memory_bandwidth(GB_DOUBLE_DATA_RATE * 2619e6, 5120), 3.35e12, 1e-3);
    /* B200: 7680 bits at 3996 MHz, 7.672 TB/s (pytorch/ao#4002). */
    near(gb_memory_bandwidth(GB_DOUBLE_DATA_RATE * 3996e6, 7680), 7.672e12, 1e-3);
}
END_TEST

START_TEST(tokens)
{
    /* GPUDojo, How We Estimate LLM Inference Speed: 8 B parameters in 4 bits on an RTX 3090 (936
     * GB/s), 234 tokens a second at most. */
    near(gb_estimate_steps(936 * GB, weights(8000000000, GB_INT4), 0), 234, 1e-12);
    near(gb_estimate_steps(3.35e12, 14000000000, 17179869184), 3.35e12 / 31179869184.0, 1e-12);
}
END_TEST

START_TEST(amdahl)
{
    near(gb_amdahl_limit(0.9), 10, 1e-12);
    /* Oracle, Fortran Programming Guide, Speedups: 60 % in parallel, 2.5 at most, 1.8 on four. */
    near(gb_amdahl_limit(0.6), 2.5, 1e-12);
    near(gb_amdahl(0.6, 4), 1 / 0.55, 1e-12);
    ck_assert(gb_amdahl(0.5, 1) == 1);
    near(gb_amdahl(1, 64), 64, 1e-12);
    ck_assert(isinf(gb_amdahl_limit(1)));
    ck_assert(gb_amdahl(0.9, 1e15) < gb_amdahl_limit(0.9));
}
END_TEST

static void add(Suite *suite)
{
    TCase *tests = tcase_create("estimate");
    tcase_add_test(tests, weights_are_parameters_times_bytes);
    tcase_add_test(tests, kv_caches_of_published_models);
    tcase_add_test(tests, training);
    tcase_add_test(tests, batches_that_fit);
    tcase_add_test(tests, what_does_not_fit_in_64_bits_is_an_error);
    tcase_add_test(tests, copies);
    tcase_add_test(tests, links);
    tcase_add_test(tests, memories);
    tcase_add_test(tests, tokens);
    tcase_add_test(tests, amdahl);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("estimate", add)
