#include "unit/suite_catalog.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static const char *const directions[] = {"h2d", "d2h", "d2d", "bidirectional", NULL};
static const char *const memories[] = {"pageable", "pinned", "managed", NULL};
static const char *const types[] = {"f32", "f64", NULL};

static const gb_param copy_params[] = {
    {.name = "direction",
     .kind = GB_PARAM_WORD,
     .words = directions,
     .default_value = {.word = "h2d"}},
    {.name = "memory",
     .kind = GB_PARAM_WORD,
     .words = memories,
     .default_value = {.word = "pinned"}},
    {.name = "bytes",
     .kind = GB_PARAM_BYTES,
     .min = 1,
     .max = UINT64_C(64) << 30,
     .default_value = {.number = 1 << 20}},
};
static const gb_param tile_params[] = {
    {.name = "n", .kind = GB_PARAM_COUNT, .min = 1, .max = 65536, .default_value = {.number = 64}},
    {.name = "block",
     .kind = GB_PARAM_COUNT,
     .min = 1,
     .max = 1024,
     .default_value = {.number = 1}},
    {.name = "tile", .kind = GB_PARAM_COUNT, .min = 1, .max = 64, .default_value = {.number = 8}},
};
static const gb_param arrays_params[] = {
    {.name = "elements",
     .kind = GB_PARAM_COUNT,
     .min = 1,
     .max = INT64_MAX,
     .default_value = {.number = 1024}},
    {.name = "type", .kind = GB_PARAM_WORD, .words = types, .default_value = {.word = "f64"}},
};
static const gb_param wait_params[] = {
    {.name = "delay",
     .kind = GB_PARAM_NS,
     .min = 1000,
     .max = UINT64_C(10000000000),
     .default_value = {.number = 1000000}},
};
static const gb_param host_params[] = {
    {.name = "level", .kind = GB_PARAM_COUNT, .min = 0, .max = 8, .default_value = {.number = 0}},
};
static const gb_param request_params[] = {
    {.name = "batch", .kind = GB_PARAM_COUNT, .min = 1, .max = 512, .default_value = {.number = 1}},
    {.name = "type", .kind = GB_PARAM_WORD, .words = types, .default_value = {.word = "f32"}},
};
static const char *const request_parts[] = {"copy_in", "compute", NULL};
#define BIG(letter)                                                                                \
    {                                                                                              \
        .name = letter, .kind = GB_PARAM_COUNT, .min = 1, .max = 1000000, .default_value = {       \
            .number = 1                                                                            \
        }                                                                                          \
    }
static const gb_param big_params[] = {BIG("a"), BIG("b"), BIG("c"), BIG("d"), BIG("e"), BIG("f")};

static const gb_metric_spec bandwidth[] = {{.name = "bandwidth",
                                            .unit = "B/s",
                                            .higher_is_better = true,
                                            .numerator = GB_PER_BYTES_MOVED,
                                            .part = -1}};
static const gb_metric_spec answers[] = {{.name = "bandwidth",
                                          .unit = "B/s",
                                          .higher_is_better = true,
                                          .numerator = GB_PER_BYTES_MOVED,
                                          .part = -1},
                                         {.name = "copying", .unit = "ns", .part = 0}};
static const gb_metric_spec flops[] = {{.name = "flops",
                                        .unit = "FLOP/s",
                                        .higher_is_better = true,
                                        .numerator = GB_PER_FLOPS,
                                        .part = -1}};

static gb_code copy_check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    need->device_bytes = args[2].number;
    if (strcmp(args[1].word, "managed") == 0) {
        if (kind == GB_CPU)
            return gb_fail(err, GB_UNAVAILABLE, "cpu has no managed memory");
        if (strcmp(args[0].word, "bidirectional") == 0)
            return gb_fail(err, GB_INVALID, "memory managed cannot be copied bidirectional");
    }
    if (strcmp(args[1].word, "pinned") == 0)
        need->pinned_bytes = args[2].number;
    else
        need->host_bytes = args[2].number;
    return GB_OK;
}

static gb_code tile_check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    need->device_bytes = args[0].number * args[0].number * 4;
    if (args[0].number % args[1].number != 0)
        return gb_fail(err, GB_INVALID, "block %llu does not divide n",
                       (unsigned long long)args[1].number);
    return GB_OK;
}

static gb_code arrays_check(const gb_value args[], gb_device_kind kind, gb_need *need,
                            gb_error *err)
{
    (void)kind;
    uint64_t size = strcmp(args[1].word, "f64") == 0 ? 8 : 4;
    gb_code code = gb_mul_u64(args[0].number, size, &need->device_bytes, err);
    if (code == GB_OK)
        code = gb_mul_u64(need->device_bytes, 3, &need->device_bytes, err);
    return code == GB_OK ? code : gb_fail_context(err, "elements");
}

static bool request_has_part(const gb_value args[], gb_timer timer, int part)
{
    (void)timer;
    return part != 0 || strcmp(args[1].word, "f32") == 0;
}

/* At most ten samples, each as long as the delay. */
static uint64_t wait_least(const gb_value args[], uint64_t max_samples)
{
    return args[0].number * (max_samples < 10 ? max_samples : 10);
}

static const gb_kernel_spec specs[] = {
    {.name = "copy",
     .version = 1,
     .params = copy_params,
     .n_params = 3,
     .metrics = bandwidth,
     .n_metrics = 1,
     .devices = GB_ANY_DEVICE,
     .timers = 7,
     .caches = 3,
     .check = copy_check},
    {.name = "tile",
     .version = 1,
     .params = tile_params,
     .n_params = 3,
     .metrics = flops,
     .n_metrics = 1,
     .devices = GB_ANY_DEVICE,
     .timers = 3,
     .caches = 3,
     .check = tile_check},
    {.name = "arrays",
     .version = 1,
     .params = arrays_params,
     .n_params = 2,
     .metrics = bandwidth,
     .n_metrics = 1,
     .devices = GB_ANY_DEVICE,
     .timers = 7,
     .caches = 3,
     .check = arrays_check},
    {.name = "wait",
     .version = 1,
     .params = wait_params,
     .n_params = 1,
     .least_ns = wait_least,
     .devices = GB_ANY_DEVICE,
     .timers = GB_BIT(GB_TIMER_ROUNDTRIP),
     .caches = GB_BIT(GB_CACHE_WARM),
     .default_timer = GB_TIMER_ROUNDTRIP},
    {.name = "noop", .version = 1, .devices = GB_ANY_DEVICE, .timers = 7, .caches = 3},
    {.name = "host",
     .version = 1,
     .params = host_params,
     .n_params = 1,
     .devices = GB_BIT(GB_CPU),
     .timers = 7,
     .caches = 3},
    {.name = "request",
     .version = 1,
     .params = request_params,
     .n_params = 2,
     .metrics = answers,
     .n_metrics = 2,
     .parts = request_parts,
     .has_part = request_has_part,
     .devices = GB_ANY_DEVICE,
     .timers = 7,
     .caches = 3},
    {.name = "big",
     .version = 1,
     .params = big_params,
     .n_params = 6,
     .devices = GB_ANY_DEVICE,
     .timers = 7,
     .caches = 3},
};
#define N_SPECS (sizeof specs / sizeof specs[0])

const gb_catalog *test_catalog(void)
{
    static const gb_kernel_spec *rows[N_SPECS];
    static const gb_catalog catalog = {rows, N_SPECS};
    for (size_t i = 0; i < N_SPECS; i++)
        rows[i] = &specs[i];
    return &catalog;
}

char *test_parse_bytes(const char *bytes, size_t n, gb_suite **suite)
{
    gb_diagnostics diagnostics = {0};
    gb_suite *read = NULL;
    gb_error err = {0};
    /* An exact copy, so that a sanitizer sees reading past its end. */
    char *copy = malloc(n > 0 ? n : 1);
    if (n > 0)
        memcpy(copy, bytes, n);
    gb_code code = gb_suite_parse("t.yaml", copy, n, test_catalog(), &read, &diagnostics, &err);
    free(copy);
    char *text = gb_diagnostics_text(&diagnostics);
    ck_assert_ptr_nonnull(text);
    if (code == GB_OK) {
        ck_assert_ptr_nonnull(read);
        ck_assert_uint_eq(diagnostics.n, 0);
    } else {
        ck_assert_int_eq(code, GB_INVALID);
        ck_assert_ptr_null(read);
        ck_assert_uint_gt(diagnostics.n, 0);
        ck_assert_int_eq(err.code, GB_INVALID);
    }
    gb_diagnostics_free(&diagnostics);
    if (suite != NULL)
        *suite = read;
    else
        gb_suite_free(read);
    return text;
}

char *test_parse(const char *text, gb_suite **suite)
{
    return test_parse_bytes(text, strlen(text), suite);
}

gb_suite *test_suite(const char *text)
{
    gb_suite *suite;
    char *messages = test_parse(text, &suite);
    ck_assert_msg(suite != NULL, "not valid: %s", messages);
    free(messages);
    return suite;
}

void test_first_line(const char *text, const char *expected)
{
    char *messages = test_parse(text, NULL);
    char *end = strchr(messages, '\n');
    if (end != NULL)
        *end = '\0';
    ck_assert_msg(strcmp(messages, expected) == 0, "for\n%s\nexpected: %s\ngot:      %s", text,
                  expected, messages);
    free(messages);
}

void test_complains(const char *text, const char *part)
{
    char *messages = test_parse(text, NULL);
    ck_assert_msg(strstr(messages, part) != NULL, "for\n%s\nexpected: %s\ngot:      %s", text, part,
                  messages);
    free(messages);
}
