/* Findings on generating tokens: said with their figures, silent without. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

#define MIB 1048576.0

/* A token of a model with 1e9 weights in `bytes` bytes, at `rate` tokens a second. */
static gb_record *decode(fixture *f, const char *weights, unsigned layers, double bytes,
                         double rate)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"weights\": \"%s\", \"hidden\": 2048, \"kv\": 256, \"intermediate\": 5632, "
             "\"layers\": %u, \"hold\": 201326592}",
             weights, layers);
    gb_record *r = fixture_add(f, "decode", "decode", params, (uint32_t)f->results.n, 0, 1e9 / rate,
                               bytes * rate);
    add_metric(r, "token_rate", "1/s", rate);
    add_metric(r, "flop_rate", "FLOP/s", 2e9 * rate);
    r->work = (gb_work){.bytes_read = (uint64_t)bytes,
                        .bytes_moved = (uint64_t)bytes,
                        .flops = 2000000000,
                        .items = 1,
                        .working_set = (uint64_t)(192 * MIB)};
    return r;
}

static gb_record *memory(fixture *f, double bytes, double rate)
{
    char params[120];
    snprintf(params, sizeof params, "{\"op\": \"read\", \"type\": \"fp32\", \"bytes\": %.0f}",
             bytes);
    gb_record *r = fixture_add(f, "decode-memory", "stream", params, (uint32_t)f->results.n, 0,
                               bytes / rate * 1e9, rate);
    r->work = (gb_work){.bytes_read = (uint64_t)bytes,
                        .bytes_moved = (uint64_t)bytes,
                        .working_set = (uint64_t)bytes};
    return r;
}

static gb_record *prefill(fixture *f, const char *type, unsigned tokens, double rate)
{
    char params[160];
    snprintf(params, sizeof params,
             "{\"variant\": \"vendor\", \"type\": \"%s\", \"n\": 5632, \"m\": %u, \"k\": 2048}",
             type, tokens);
    gb_record *r = fixture_add(f, "prefill", "matmul", params, (uint32_t)f->results.n, 0,
                               2e9 * 5632 * 2048 * tokens / rate, NAN);
    add_metric(r, "flop_rate", "FLOP/s", rate);
    return r;
}

static void open(fixture *f)
{
    fixture_open(f, "cpu", "[]");
    json_object_set_new(json_array_get(json_object_get(f->results.document, "devices"), 0),
                        "llc_bytes", json_integer(32 * (json_int_t)MIB));
}

START_TEST(tokens_and_their_bound)
{
    fixture f;
    open(&f);
    decode(&f, "fp16", 22, 2e9, 9);
    decode(&f, "int4", 22, 0.5625e9, 16);
    silent(&f, "decode-bound"); /* of what? */
    memory(&f, 64 * MIB, 90e9); /* of the cache, partly */
    silent(&f, "decode-bound");
    memory(&f, 256 * MIB, 20e9);
    says(&f, "decode-bound",
         "Each token reads all weights once, and memory delivers 20.0 GB/s (read over "
         "256 MiB). Tokens a second of one sequence, and their share of what that "
         "allows: fp16 weights 9.00 tokens/s (90 % of 10.0 tokens/s), int4 weights "
         "16.0 tokens/s (45 % of 35.6 tokens/s).");
    fixture_close(&f);
}
END_TEST

START_TEST(weights_in_the_cache_have_another_bound)
{
    fixture f;
    open(&f);
    memory(&f, 256 * MIB, 20e9);
    decode(&f, "fp16", 22, 2e9, 9)->work.working_set = (uint64_t)(100 * MIB);
    silent(&f, "decode-bound");
    decode(&f, "fp32", 22, 4e9, 4);
    mentions(&f, "decode-bound", " allows: fp32 weights 4.00 tokens/s (80 % of 5.00 tokens/s).");
    fixture_close(&f);
}
END_TEST

START_TEST(each_model_has_its_own)
{
    fixture f;
    open(&f);
    memory(&f, 256 * MIB, 20e9);
    decode(&f, "fp16", 22, 2e9, 9);
    decode(&f, "fp16", 11, 1e9, 18);
    json_t *found = findings_of(&f, "decode-bound");
    ck_assert_uint_eq(json_array_size(found), 2);
    ck_assert_ptr_nonnull(strstr(sentence(found, 0), "one sequence (layers 22), and"));
    ck_assert_ptr_nonnull(strstr(sentence(found, 1), "one sequence (layers 11), and"));
    json_decref(found);
    fixture_close(&f);
}
END_TEST

START_TEST(what_fewer_bytes_gain)
{
    fixture f;
    open(&f);
    decode(&f, "fp32", 22, 4e9, 5);
    decode(&f, "int8", 22, 1.0625e9, 14);
    says(&f, "decode-quantised",
         "Against fp32 weights, int8 yields 2.80 times the tokens a second (by its "
         "bytes: 3.76). That is less: reading is not their only limit any more.");
    decode(&f, "fp16", 22, 2e9, 10);
    decode(&f, "int4", 22, 0.5625e9, 35.56); /* all of it */
    says(&f, "decode-quantised",
         "Against fp16 weights, int8 yields 1.40 times the tokens a second (by its "
         "bytes: 1.88), int4 yields 3.56 times the tokens a second (by its bytes: "
         "3.56).");
    fixture_close(&f);
}
END_TEST

START_TEST(no_gain_where_none_can_be_told)
{
    fixture f;
    open(&f);
    decode(&f, "fp16", 22, 2e9, 10);
    decode(&f, "int8", 22, 1.0625e9, 10.01);
    decode(&f, "int4", 11, 0.3e9, 40); /* another model */
    decode(&f, "int4", 22, 0.5625e9, 30)->status = GB_STATUS_WRONG;
    silent(&f, "decode-quantised");
    fixture_close(&f);
}
END_TEST

START_TEST(the_prompt_is_faster)
{
    fixture f;
    open(&f);
    decode(&f, "fp32", 22, 4e9, 5);
    prefill(&f, "fp32", 1, 9e9);
    silent(&f, "prefill");
    prefill(&f, "fp32", 512, 200e9);
    prefill(&f, "fp32", 128, 150e9);
    prefill(&f, "fp64", 1024, 900e9); /* no weights of that type */
    says(&f, "prefill",
         "A prompt of 512 tokens goes through such matrices (fp32) at 100 tokens/s by "
         "the rate of their products, text that is generated token by token at 5.00 "
         "tokens/s: a factor of 20.0.");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("decode");
    tcase_add_test(tc, tokens_and_their_bound);
    tcase_add_test(tc, weights_in_the_cache_have_another_bound);
    tcase_add_test(tc, each_model_has_its_own);
    tcase_add_test(tc, what_fewer_bytes_gain);
    tcase_add_test(tc, no_gain_where_none_can_be_told);
    tcase_add_test(tc, the_prompt_is_faster);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("findings_decode", add_cases)
