/* Findings on arithmetic by type: said with their figures, silent without. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

static gb_record *arith(fixture *f, const char *op, const char *type, bool many, double rate)
{
    char params[160];
    snprintf(params, sizeof params,
             "{\"op\": \"%s\", \"type\": \"%s\", \"chains\": \"%s\", \"threads\": %d, "
             "\"rounds\": 1}",
             op, type, many ? "many" : "one", many ? 65536 : 1);
    gb_record *r = fixture_add(f, many ? "throughput" : "latency", "arith", params,
                               (uint32_t)f->results.n, 0, 1e6, NAN);
    add_metric(r, "op_rate", "1/s", rate);
    add_metric(r, "op_time", "ns", 1e9 / rate);
    return r;
}

static void product(fixture *f, const char *variant, const char *type, double rate)
{
    char params[160];
    snprintf(params, sizeof params,
             "{\"variant\": \"%s\", \"type\": \"%s\", \"n\": 4096, \"m\": 0, \"k\": 0}", variant,
             type);
    gb_record *r = fixture_add(f, "tensor", "matmul", params, (uint32_t)f->results.n, 0, 1e6, NAN);
    add_metric(r, "flop_rate", "FLOP/s", rate);
}

static void open_units(fixture *f, const char *kind, int units)
{
    fixture_open(f, kind, "[]");
    json_t *device = json_array_get(json_object_get(f->results.document, "devices"), 0);
    json_object_set_new(device, "units", json_integer(units));
}

START_TEST(types_against_fp32)
{
    fixture f;
    open_units(&f, "cuda", 132);
    arith(&f, "fma", "fp64", true, 16.7e12);
    arith(&f, "fma", "fp32", true, 33.4e12);
    arith(&f, "add", "fp32", true, 33.5e12); /* no multiply-add */
    arith(&f, "fma", "fp16x2", true, 66.8e12);
    arith(&f, "fma", "int32", true, 33.42e12); /* no difference that can be told */
    arith(&f, "fma", "int8", false, 1e9);      /* one chain */
    says(&f, "type-rates",
         "Multiply-adds run at 33.4 T/s in fp32; in fp64 2.00 times as slow (16.7 "
         "T/s), in fp16x2 2.00 times as fast (66.8 T/s).");
    fixture_close(&f);
}
END_TEST

START_TEST(operations_against_a_multiply_add_of_their_type)
{
    fixture f;
    open_units(&f, "cpu", 2);
    arith(&f, "div", "fp64", true, 1e9);
    arith(&f, "sqrt", "fp32", true, 2e9);
    arith(&f, "sin", "fp32", true, 0.5e9);
    arith(&f, "fma", "fp32", true, 20e9);
    arith(&f, "div", "fp32", true, 4e9);
    arith(&f, "div", "int32", true, 4e9); /* without a multiply-add */
    says(&f, "operation-prices",
         "With all units at work, in fp32 a division takes 5.0 times, a square root "
         "(with a multiply-add) 10.0 times, a sine 40.0 times as long as a "
         "multiply-add of the same type.");
    arith(&f, "fma", "fp64", true, 10e9);
    mentions(&f, "operation-prices",
             "a sine 40.0 times; in fp64 a division takes 10.0 times as long");
    fixture_close(&f);
}
END_TEST

START_TEST(latency_times_throughput)
{
    fixture f;
    open_units(&f, "cuda", 132);
    arith(&f, "fma", "fp32", true, 33e12);
    silent(&f, "operations-in-flight");
    gb_record *warp = fixture_add(&f, "warp", "arith",
                                  "{\"op\": \"fma\", \"type\": \"fp32\", \"chains\": \"one\", "
                                  "\"threads\": 32, \"rounds\": 1}",
                                  (uint32_t)f.results.n, 0, 1e6, NAN);
    add_metric(warp, "op_rate", "1/s", 16e9); /* of 32 chains: no latency */
    add_metric(warp, "op_time", "ns", 1 / 16.0);
    silent(&f, "operations-in-flight");
    gb_record *one = arith(&f, "fma", "fp32", false, 0.5e9);
    add_metric(one, "cycles", "cycles", 4);
    says(&f, "operations-in-flight",
         "A multiply-add of fp32 waits 2.00 ns for the one before it (4.00 cycles), "
         "and the device does 33.0 T/s: 66000 operations have to be under way at a "
         "time, 500 on each of its 132 SMs.");
    fixture_close(&f);
    open_units(&f, "cpu", 2);
    arith(&f, "fma", "fp32", true, 100e9);
    arith(&f, "fma", "fp32", false, 1e9);
    says(&f, "operations-in-flight",
         "A multiply-add of fp32 waits 1.00 ns for the one before it, and the device "
         "does 100 G/s: 100 operations have to be under way at a time, 50 on each of "
         "its 2 threads, the lanes of their vectors counted.");
    fixture_close(&f);
}
END_TEST

START_TEST(tensor_cores_against_multiply_adds)
{
    fixture f;
    open_units(&f, "cuda", 132);
    arith(&f, "fma", "fp32", true, 33e12);
    product(&f, "vendor", "fp32", 900e12); /* no tensor cores */
    product(&f, "tiled", "fp16", 900e12);
    silent(&f, "tensor-units");
    product(&f, "wmma", "fp16", 330e12);
    product(&f, "vendor", "bf16", 660e12);
    says(&f, "tensor-units",
         "Tensor cores multiply matrices (bf16, vendor, n = 4096) at 660 TFLOP/s: "
         "10.0 times the 66.0 TFLOP/s that the multiply-adds of fp32 come to.");
    fixture_close(&f);
    open_units(&f, "cpu", 2);
    arith(&f, "fma", "fp32", true, 33e9);
    product(&f, "vendor", "bf16", 660e12);
    silent(&f, "tensor-units");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("findings");
    tcase_add_test(tc, types_against_fp32);
    tcase_add_test(tc, operations_against_a_multiply_add_of_their_type);
    tcase_add_test(tc, latency_times_throughput);
    tcase_add_test(tc, tensor_cores_against_multiply_adds);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("findings_arith", add_cases)
