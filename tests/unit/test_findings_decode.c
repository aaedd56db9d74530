/* Findings on generating tokens: said with their figures, silent without. */
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

#define MIB 1048576.0

static void set_metric(gb_record *r, const char *name, const char *unit, double value)
{
    gb_metric *m = &r->metrics[r->n_metrics++];
    *m = (gb_metric){.value = value, .peak = NAN, .higher_is_better = true};
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->unit, sizeof m->unit, "%s", unit);
}

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
    set_metric(r, "token_rate", "1/s", rate);
    set_metric(r, "flop_rate", "FLOP/s", 2e9 * rate);
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
    set_metric(r, "flop_rate", "FLOP/s", rate);
    return r;
}

static void open(fixture *f)
{
    fixture_open(f, "cpu", "[]");
    json_object_set_new(json_array_get(json_object_get(f->results.document, "devices"), 0),
                        "llc_bytes", json_integer(32 * (json_int_t)MIB));
}

/* The findings of a rule, one a line. */
static const char *found(const fixture *f, const char *rule, char *out, size_t size)
{
    json_t *findings = NULL, *each;
    size_t i, used = 0;
    out[0] = '\0';
    ck_assert_int_eq(gb_report_findings(&f->results, &findings, NULL), GB_OK);
    json_array_foreach(findings, i, each)
    {
        if (strcmp(json_string_value(json_object_get(each, "rule")), rule) == 0)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? "\n" : "",
                                     json_string_value(json_object_get(each, "text")));
    }
    json_decref(findings);
    return out;
}

START_TEST(tokens_and_their_bound)
{
    char text[1024];
    fixture f;
    open(&f);
    decode(&f, "fp16", 22, 2e9, 9);
    decode(&f, "int4", 22, 0.5625e9, 16);
    ck_assert_str_eq(found(&f, "decode-bound", text, sizeof text), ""); /* of what? */
    memory(&f, 64 * MIB, 90e9);                                         /* of the cache, partly */
    ck_assert_str_eq(found(&f, "decode-bound", text, sizeof text), "");
    memory(&f, 256 * MIB, 20e9);
    ck_assert_str_eq(found(&f, "decode-bound", text, sizeof text),
                     "Each token reads all weights once, and memory delivers 20.0 GB/s (read over "
                     "256 MiB). Tokens a second of one sequence, and their share of what that "
                     "allows: fp16 weights 9.00 /s (90 % of 10.0 /s), int4 weights 16.0 /s (45 % "
                     "of 35.6 /s).");
    fixture_close(&f);
}
END_TEST

START_TEST(weights_in_the_cache_have_another_bound)
{
    char text[1024];
    fixture f;
    open(&f);
    memory(&f, 256 * MIB, 20e9);
    decode(&f, "fp16", 22, 2e9, 9)->work.working_set = (uint64_t)(100 * MIB);
    ck_assert_str_eq(found(&f, "decode-bound", text, sizeof text), "");
    decode(&f, "fp32", 22, 4e9, 4);
    found(&f, "decode-bound", text, sizeof text);
    ck_assert_msg(strstr(text, "fp32") != NULL && strstr(text, "fp16") == NULL, "%s", text);
    fixture_close(&f);
}
END_TEST

START_TEST(each_model_has_its_own)
{
    char text[1024];
    fixture f;
    open(&f);
    memory(&f, 256 * MIB, 20e9);
    decode(&f, "fp16", 22, 2e9, 9);
    decode(&f, "fp16", 11, 1e9, 18);
    found(&f, "decode-bound", text, sizeof text);
    ck_assert_msg(strstr(text, "one sequence (layers 22), and") != NULL &&
                      strstr(text, "one sequence (layers 11), and") != NULL,
                  "%s", text);
    ck_assert_ptr_nonnull(strchr(text, '\n'));
    fixture_close(&f);
}
END_TEST

START_TEST(what_fewer_bytes_gain)
{
    char text[1024];
    fixture f;
    open(&f);
    decode(&f, "fp32", 22, 4e9, 5);
    decode(&f, "int8", 22, 1.0625e9, 14);
    ck_assert_str_eq(found(&f, "decode-quantised", text, sizeof text),
                     "Against fp32 weights, int8 yields 2.80 times the tokens a second (by its "
                     "bytes: 3.76). That is less: reading is not their only limit any more.");
    decode(&f, "fp16", 22, 2e9, 10);
    decode(&f, "int4", 22, 0.5625e9, 35.56); /* all of it */
    ck_assert_str_eq(found(&f, "decode-quantised", text, sizeof text),
                     "Against fp16 weights, int8 yields 1.40 times the tokens a second (by its "
                     "bytes: 1.88), int4 yields 3.56 times the tokens a second (by its bytes: "
                     "3.56).");
    fixture_close(&f);
}
END_TEST

START_TEST(no_gain_where_none_can_be_told)
{
    char text[1024];
    fixture f;
    open(&f);
    decode(&f, "fp16", 22, 2e9, 10);
    decode(&f, "int8", 22, 1.0625e9, 10.01);
    decode(&f, "int4", 11, 0.3e9, 40); /* another model */
    decode(&f, "int4", 22, 0.5625e9, 30)->status = GB_STATUS_WRONG;
    ck_assert_str_eq(found(&f, "decode-quantised", text, sizeof text), "");
    fixture_close(&f);
}
END_TEST

START_TEST(the_prompt_is_faster)
{
    char text[1024];
    fixture f;
    open(&f);
    decode(&f, "fp32", 22, 4e9, 5);
    prefill(&f, "fp32", 1, 9e9);
    ck_assert_str_eq(found(&f, "prefill", text, sizeof text), "");
    prefill(&f, "fp32", 512, 200e9);
    prefill(&f, "fp32", 128, 150e9);
    prefill(&f, "fp64", 1024, 900e9); /* no weights of that type */
    ck_assert_str_eq(found(&f, "prefill", text, sizeof text),
                     "A prompt of 512 tokens goes through such matrices (fp32) at 100 /s by the "
                     "rate of their products, text that is generated token by token at 5.00 /s: a "
                     "factor of 20.0.");
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
