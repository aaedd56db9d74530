#include <string.h>

#include "base/json.h"
#include "base/spec.h"
#include "unit/locale_case.h"

static const char *const modes[] = {"a", "b", NULL};
static const gb_param params[] = {
    {.name = "bytes",
     .kind = GB_PARAM_BYTES,
     .min = 1,
     .max = INT64_MAX,
     .default_value = {4096, NULL}},
    {.name = "mode", .kind = GB_PARAM_WORD, .words = modes, .default_value = {0, "a"}},
};
static const gb_metric_spec metrics[] = {{.name = "bandwidth", .unit = "B/s", .part = -1}};
static const gb_kernel_spec toy = {.name = "toy",
                                   .version = 3,
                                   .params = params,
                                   .n_params = 2,
                                   .metrics = metrics,
                                   .n_metrics = 1};
static const gb_kernel_spec *const specs[] = {&toy};
static const gb_catalog catalog = {specs, 1};

START_TEST(words_there_and_back)
{
    for (int i = 0; i < (int)GB_TIMERS; i++) {
        gb_timer timer = GB_TIMERS;
        ck_assert(gb_timer_parse(gb_timer_word((gb_timer)i), &timer) && (int)timer == i);
    }
    for (int i = 0; i < (int)GB_CACHES; i++) {
        gb_cache cache = GB_CACHES;
        ck_assert(gb_cache_parse(gb_cache_word((gb_cache)i), &cache) && (int)cache == i);
    }
    for (int i = 0; i < (int)GB_DEVICE_KINDS; i++) {
        gb_device_kind kind = GB_DEVICE_KINDS;
        ck_assert(gb_device_kind_parse(gb_device_kind_word((gb_device_kind)i), &kind) &&
                  (int)kind == i);
    }
    gb_timer timer = GB_TIMER_CALL;
    ck_assert(!gb_timer_parse("Device", &timer) && !gb_timer_parse("", &timer) &&
              !gb_timer_parse(NULL, &timer));
    ck_assert(timer == GB_TIMER_CALL);
    ck_assert_str_eq(gb_timer_word((gb_timer)17), "unknown");
}
END_TEST

START_TEST(lookups)
{
    ck_assert_ptr_eq(gb_catalog_find(&catalog, "toy"), &toy);
    ck_assert_ptr_null(gb_catalog_find(&catalog, "Toy"));
    ck_assert_int_eq(gb_spec_param(&toy, "mode"), 1);
    ck_assert_int_eq(gb_spec_param(&toy, "none"), -1);
    ck_assert_int_eq(gb_spec_metric(&toy, "bandwidth"), 0);
    ck_assert_int_eq(gb_spec_metric(&toy, "time"), -1);
}
END_TEST

START_TEST(CPY_02_sizes_around_two_and_four_gib_survive)
{
    static const uint64_t sizes[] = {2147483647, 2147483648, 2147483649, 4294967296, 4294967300};
    for (size_t i = 0; i < 5; i++) {
        gb_value args[2] = {{sizes[i], NULL}, {0, modes[1]}}, back[2];
        char buf[32], expected[32];
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)sizes[i]);
        ck_assert_str_eq(gb_value_text(&params[0], args[0], buf, sizeof buf), expected);
        json_t *json = gb_args_json(&toy, args);
        char *line = gb_json_line(json);
        ck_assert(strstr(line, expected) != NULL);
        ck_assert_int_eq(gb_args_from_json(&toy, json, back, NULL), GB_OK);
        ck_assert_uint_eq(back[0].number, sizes[i]);
        ck_assert_ptr_eq(back[1].word, modes[1]);
        free(line);
        json_decref(json);
    }
}
END_TEST

START_TEST(CPY_01_products_of_sizes_are_exact_or_refused)
{
    uint64_t bytes = 0;
    gb_error err = {.message = ""};
    ck_assert_int_eq(gb_mul_u64(3, 1ull << 30, &bytes, &err), GB_OK);
    ck_assert_int_eq(gb_mul_u64(bytes, 8, &bytes, &err), GB_OK);
    ck_assert_uint_eq(bytes, 25769803776);
    ck_assert_int_eq(gb_mul_u64(1ull << 32, 1ull << 32, &bytes, &err), GB_INVALID);
    ck_assert(strstr(err.message, "4294967296 x 4294967296") != NULL);
    ck_assert_int_eq(gb_mul_u64(0, UINT64_MAX, &bytes, &err), GB_OK);
    ck_assert_uint_eq(bytes, 0);
    ck_assert_int_eq(gb_add_u64(UINT64_MAX - 1, 1, &bytes, &err), GB_OK);
    ck_assert_uint_eq(bytes, UINT64_MAX);
    ck_assert_int_eq(gb_add_u64(UINT64_MAX, 1, &bytes, &err), GB_INVALID);
    ck_assert(strstr(err.message, "18446744073709551615 + 1") != NULL);
}
END_TEST

static gb_code read_args(const char *text, gb_value args[2], gb_error *err)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    ck_assert_ptr_nonnull(json);
    gb_code code = gb_args_from_json(&toy, json, args, err);
    json_decref(json);
    return code;
}

START_TEST(arguments_from_json_are_checked)
{
    gb_value args[2];
    gb_error err = {.message = ""};
    ck_assert_int_eq(read_args("{}", args, &err), GB_OK);
    ck_assert_uint_eq(args[0].number, 4096);
    ck_assert_str_eq(args[1].word, "a");
    static const struct {
        const char *json, *hint;
    } bad[] = {{"{\"bytes\": 0}", "out of range"},    {"{\"bytes\": -1}", "out of range"},
               {"{\"bytes\": 1.0}", "whole number"},  {"{\"bytes\": \"4KiB\"}", "whole number"},
               {"{\"bytes\": null}", "whole number"}, {"{\"mode\": \"c\"}", "not one of a, b"},
               {"{\"mode\": 1}", "not one of a, b"},  {"{\"size\": 1}", "no parameter 'size'"},
               {"[]", "expected an object"}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_msg(read_args(bad[i].json, args, &err) == GB_INVALID, "%s", bad[i].json);
        ck_assert_msg(strstr(err.message, bad[i].hint) != NULL, "%s: %s", bad[i].json, err.message);
    }
}
END_TEST

START_TEST(CMP_20_the_definition_covers_all_that_defines)
{
    char first[65], other[65];
    gb_value args[2] = {{25769803776, NULL}, {0, modes[1]}};
    gb_definition_hash(&toy, args, GB_TIMER_DEVICE, GB_CACHE_COLD, true, first);
    /* sha256sum of {"args":{"bytes":25769803776,"mode":"b"},"cache":"cold","gate":true,
     * "kernel":"toy","timer":"device","version":3} on one line */
    ck_assert_str_eq(first, "27cd468e911b838319e2589f0f5b0ae0ecee6ad519bf604e52482996726ec2c4");

    gb_definition_hash(&toy, args, GB_TIMER_CALL, GB_CACHE_COLD, true, other);
    ck_assert_str_ne(first, other);
    gb_definition_hash(&toy, args, GB_TIMER_DEVICE, GB_CACHE_WARM, true, other);
    ck_assert_str_ne(first, other);
    gb_definition_hash(&toy, args, GB_TIMER_DEVICE, GB_CACHE_COLD, false, other);
    ck_assert_str_ne(first, other);
    gb_kernel_spec next = toy;
    next.version = 4;
    gb_definition_hash(&next, args, GB_TIMER_DEVICE, GB_CACHE_COLD, true, other);
    ck_assert_str_ne(first, other);
    args[0].number++;
    gb_definition_hash(&toy, args, GB_TIMER_DEVICE, GB_CACHE_COLD, true, other);
    ck_assert_str_ne(first, other);
}
END_TEST

/* jansson's allocator, failing at the n-th call. */
static long allocations_left;

static void *scarce_malloc(size_t n)
{
    return allocations_left-- > 0 ? malloc(n) : NULL;
}

START_TEST(out_of_memory_is_an_error_at_every_allocation)
{
    static const char text[] = "{\"bytes\": 8192, \"mode\": \"b\"}";
    gb_value args[2] = {{8192, NULL}, {0, modes[1]}};
    unsigned loaded = 0, made = 0, hashed = 0;
    json_set_alloc_funcs(scarce_malloc, free);
    for (long n = 0; n < 60; n++) {
        gb_error err = {.message = ""};
        json_t *json = NULL;
        allocations_left = n;
        gb_code code = gb_json_load(text, strlen(text), "f", &json, &err);
        ck_assert(code == GB_OK ? json != NULL : json == NULL);
        ck_assert(n > 0 || code == GB_NO_MEMORY); /* later on jansson blames the syntax at times */
        loaded += code == GB_OK;
        json_decref(json);

        allocations_left = n;
        json = gb_args_json(&toy, args);
        made += json != NULL;
        json_decref(json);

        char hex[65];
        allocations_left = n;
        gb_definition_hash(&toy, args, GB_TIMER_DEVICE, GB_CACHE_WARM, true, hex);
        ck_assert(hex[0] == '\0' || strlen(hex) == 64);
        hashed += hex[0] != '\0';
    }
    json_set_alloc_funcs(malloc, free);
    ck_assert(loaded > 0 && loaded < 60 && made > 0 && made < 60 && hashed > 0 && hashed < 60);
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("spec");
    use_environment_locale(tcase);
    tcase_add_test(tcase, words_there_and_back);
    tcase_add_test(tcase, lookups);
    tcase_add_test(tcase, CPY_02_sizes_around_two_and_four_gib_survive);
    tcase_add_test(tcase, CPY_01_products_of_sizes_are_exact_or_refused);
    tcase_add_test(tcase, arguments_from_json_are_checked);
    tcase_add_test(tcase, CMP_20_the_definition_covers_all_that_defines);
    tcase_add_test(tcase, out_of_memory_is_an_error_at_every_allocation);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("spec", add)
