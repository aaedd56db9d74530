/* configs/gpus: every file is right, and what is wrong is said. */
#include "unit/check_main.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "cli/published.h"
#include "device/peaks.h"

static json_t *load(const char *path)
{
    static char bytes[65536];
    json_t *json = NULL;
    gb_error err = {0};
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    size_t n = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[n] = '\0';
    ck_assert_msg(gb_published_parse(path, bytes, n, &json, &err) == GB_OK, "%s", err.message);
    return json;
}

START_TEST(every_file_is_right)
{
    glob_t files;
    ck_assert_int_eq(glob(GB_CONFIGS "/*.yaml", 0, NULL, &files), 0);
    ck_assert_uint_ge(files.gl_pathc, 10);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        json_t *json = load(files.gl_pathv[i]);
        const json_t *peaks = json_object_get(json, "peaks");
        gb_peaks numbers;
        ck_assert_uint_gt(json_array_size(json_object_get(json, "names")), 0);
        ck_assert_int_eq(gb_peaks_load(peaks, &numbers, NULL), GB_OK);
        ck_assert(numbers.bandwidth >= 100e9 && numbers.bandwidth < 20e12);
        ck_assert(numbers.flops[GB_COMPUTE_FP32] >= 1e12 &&
                  numbers.flops[GB_COMPUTE_FP32] < 1000e12);
        /* Each figure has its source. */
        const double power = json_number_value(json_object_get(json, "power_w"));
        ck_assert_msg(power >= 30 && power <= 2000, "%s: %g W", files.gl_pathv[i], power);
        ck_assert_uint_eq(json_object_size(peaks) + 1,
                          json_object_size(json_object_get(json, "sources")));
        json_decref(json);
    }
    globfree(&files);
}
END_TEST

/* The published figures and those from units, lanes and clock are about the same thing. */
START_TEST(published_and_theory_agree)
{
    json_t *json = load(GB_CONFIGS "/h200.yaml");
    gb_peaks published;
    gb_device_info info = {.kind = GB_CUDA, .cc_major = 9, .units = 132, .clock_khz = 1980000};
    ck_assert_int_eq(gb_peaks_load(json_object_get(json, "peaks"), &published, NULL), GB_OK);
    for (int i = GB_COMPUTE_FP64; i <= GB_COMPUTE_FP32; i++)
        ck_assert_double_eq_tol(published.flops[i] / gb_peaks_theory(&info).flops[i], 1, 0.02);
    json_decref(json);
}
END_TEST

#define HEAD "gpubench-gpu: 1\nnames: [A]\npeaks:\n"
static const struct {
    const char *text, *says;
} wrong[] = {
    {"", "x.yaml:"},
    {"- 1\n", "x.yaml:"},
    {"gpubench-gpu: 2\nnames: [A]\npeaks: []\n", "gpubench-gpu: 1"},
    {HEAD "  - {what: speed, value: 1, unit: GB/s, source: s}\n", "x.yaml:4"},
    {HEAD "  - {what: bandwidth, value: 1, unit: TB/s, source: s}\n", "x.yaml:4"},
    {HEAD "  - {what: fp32, value: 1, unit: GB/s, source: s}\n", "x.yaml:4"},
    {HEAD "  - {what: fp32, value: -1, unit: TFLOP/s, source: s}\n", "x.yaml:4"},
    {HEAD "  - {what: fp32, value: nan, unit: TFLOP/s, source: s}\n", "x.yaml:4"},
    {HEAD "  - {what: fp32, value: 1, unit: TFLOP/s}\n", "x.yaml:4"},
    {HEAD "  - {what: fp32, value: 1, unit: TFLOP/s, source: s}\n"
          "  - {what: fp32, value: 2, unit: TFLOP/s, source: s}\n",
     "x.yaml:5"},
    {HEAD "  - [\n", "x.yaml:"},
    {HEAD "  []\npower: {value: 700, unit: kW, source: s}\n", "power: {value, unit: W, source}"},
    {HEAD "  []\npower: {value: -1, unit: W, source: s}\n", "power: {value"},
    {HEAD "  []\npower: {value: 700, unit: W}\n", "power: {value"},
    {HEAD "  []\npower: 700\n", "power: {value"},
    {HEAD "  []\nwatts: 700\n", "power: {value"},
};

START_TEST(what_is_wrong_is_said)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        json_t *json = NULL;
        gb_error err = {0};
        ck_assert_int_eq(
            gb_published_parse("x.yaml", wrong[i].text, strlen(wrong[i].text), &json, &err),
            GB_INVALID);
        ck_assert_ptr_null(json);
        ck_assert_msg(strstr(err.message, wrong[i].says) != NULL, "%zu: %s", i, err.message);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("published");
    tcase_add_test(c, every_file_is_right);
    tcase_add_test(c, published_and_theory_agree);
    tcase_add_test(c, what_is_wrong_is_said);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_published", add_cases)
