/* Values in suites: the field's cases about numbers, sizes, words, nothing and names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "suite/plan.h"
#include "unit/check_main.h"
#include "unit/locale_case.h"
#include "unit/suite_catalog.h"

/* A suite with one benchmark whose parameter is set to a YAML text. */
static char *with(const char *kernel, const char *param, const char *value)
{
    return gb_text_format("gpubench: 1\nname: x\nbenchmarks:\n  - name: a\n    kernel: %s\n"
                          "    axes:\n      %s: %s\n",
                          kernel, param, value);
}

static void accepts(const char *kernel, const char *param, const char *value, uint64_t expected)
{
    char *text = with(kernel, param, value);
    gb_suite *suite = test_suite(text);
    ck_assert_uint_eq(suite->benchmarks[0].axes[0].n[GB_CPU], 1);
    ck_assert_msg(suite->benchmarks[0].axes[0].values[GB_CPU][0].number == expected,
                  "%s: %" PRIu64 ", expected %" PRIu64, value,
                  suite->benchmarks[0].axes[0].values[GB_CPU][0].number, expected);
    ck_assert_uint_eq(suite->benchmarks[0].axes[0].values[GB_CUDA][0].number, expected);
    gb_suite_free(suite);
    free(text);
}

/* Refused at line 7 with a message that contains `part`. */
static void refuses(const char *kernel, const char *param, const char *value, const char *part)
{
    char *text = with(kernel, param, value);
    test_complains(text, "t.yaml:7:");
    test_complains(text, part);
    free(text);
}

START_TEST(YML_08_leading_zeros_are_never_octal)
{
    static const char *const refused[] = {"010",  "09",  "0010",  "02142", "00",   "0x10",
                                          "0o10", "0b1", "1_000", "12:30", "1,000"};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        refuses("tile", "n", refused[i], refused[i]);
    accepts("tile", "n", "10", 10);
    accepts("host", "level", "0", 0);
    refuses("copy", "bytes", "010KiB", "leading zero");
}
END_TEST

START_TEST(YML_09_text_stays_text)
{
    static const char *const names[] = {"no",   "on",    "y",          "null", "NULL", "~",
                                        "off",  "1.10",  "007",        "1e3",  "true", "0x10",
                                        ".inf", "12:30", "2024-01-01", "-x",   "<<"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = gb_text_format("gpubench: 1\nname: %s\nbenchmarks:\n  - {name: %s, kernel: "
                                    "noop, tags: [%s]}\n",
                                    names[i], names[i], names[i]);
        gb_suite *suite = test_suite(text);
        ck_assert_str_eq(suite->name, names[i]);
        ck_assert_str_eq(suite->benchmarks[0].name, names[i]);
        ck_assert_str_eq(suite->benchmarks[0].tags[0], names[i]);
        gb_suite_free(suite);
        free(text);
    }
    /* A word of a closed list is one of them, nothing else; there are no booleans. */
    refuses("copy", "memory", "no", "unknown memory 'no' (valid: pageable, pinned, managed)");
    refuses("copy", "memory", "true", "unknown memory 'true'");
}
END_TEST

static const struct {
    const char *text;
    uint64_t bytes;
} sizes[] = {
    {"64MiB", 67108864},
    {"64MB", 64000000},
    {"4GiB", 4294967296},
    {"1.5GiB", 1610612736},
    {"64 MiB", 67108864},
    {"\"64MiB\"", 67108864},
    {"1B", 1},
    {"1kB", 1000},
    {"1KiB", 1024},
    {"0.5KiB", 512},
    {"8GiB", 8589934592},
    {"0.0625TiB", 68719476736},
    {"64GiB", 68719476736},
    {"2147483647B", INT32_MAX},
    {"2147483648B", 2147483648},
    {"2147483649B", 2147483649},
    {"4294967296B", 4294967296},
    {"4294967300B", 4294967300},
};

START_TEST(YML_10_sizes_mean_the_same_everywhere)
{
    accepts("copy", "bytes", sizes[_i].text, sizes[_i].bytes);
}
END_TEST

static const struct {
    const char *text, *part;
} bad_sizes[] = {
    {"64K", "'64K' is ambiguous: write 64kB (1000) or 64KiB (1024)"},
    {"64M", "'64M' is ambiguous: write 64MB (1000) or 64MiB (1024)"},
    {"4Gi", "did you mean 'GiB'?"},
    {"64Mib", "did you mean 'MiB'?"},
    {"64 mb", "did you mean 'MB'?"},
    {"64KB", "did you mean 'kB'?"},
    {"0.5B", "is not a whole number of bytes"},
    {"1.0001KiB", "is not a whole number of bytes"},
    {"-1MiB", "signs are not accepted"},
    {"99999999TiB", "is out of range"},
    {"16777216TiB", "is out of range"},
    {"1e3MiB", "has an exponent"},
    {"64  MiB", "unknown unit"},
    {"\" 64MiB\"", "' 64MiB'"},
    {"\"64MiB \"", "'64MiB '"},
    {"64", "has no unit"},
    {"\"64\"", "has no unit"},
    {"65GiB", "65GiB is out of range; allowed: 1B to 64GiB"},
    {"1_000B", "'1_000B'"},
    {"0x10B", "'0x10B'"},
};

START_TEST(YML_10_other_sizes_are_refused)
{
    refuses("copy", "bytes", bad_sizes[_i].text, bad_sizes[_i].part);
}
END_TEST

START_TEST(CPY_13_size_zero_is_refused_with_its_place)
{
    static const char *const zeros[] = {"0", "0B", "0MiB", "0.0KiB", "[1KiB, 0B]"};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
        refuses("copy", "bytes", zeros[i], "error: axes.bytes: '0");
    refuses("tile", "block", "0",
            "t.yaml:7:14: error: axes.block: 0 is out of range; allowed: 1 to "
            "1024");
}
END_TEST

static gb_plan *plan_of(const gb_suite *suite)
{
    gb_plan *plan = NULL;
    gb_error err = {0};
    gb_selection all = {0};
    gb_code code = gb_plan_make(suite, GB_CPU, &all, &plan, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    return plan;
}

START_TEST(CPY_01_need_is_exact_beyond_32_bits)
{
    char *text = with("arrays", "elements", "1073741824");
    gb_suite *suite = test_suite(text);
    gb_plan *plan = plan_of(suite);
    ck_assert_uint_eq(plan->cases[0].need.device_bytes, UINT64_C(25769803776));
    ck_assert_uint_eq(gb_plan_largest_need(plan).device_bytes, UINT64_C(25769803776));
    gb_plan_free(plan);
    gb_suite_free(suite);
    free(text);
    /* 3 x 8 x this is just above 2^64, this minus one just below it. */
    refuses("arrays", "elements", "768614336404564651", "does not fit in 64 bits");
    refuses("arrays", "elements", "9223372036854775807", "does not fit in 64 bits");
    accepts("arrays", "elements", "768614336404564650", UINT64_C(768614336404564650));
}
END_TEST

START_TEST(CPY_02_sizes_around_2_to_31_and_32_stay_whole)
{
    char *text = with("copy", "bytes", "[2147483647B, 2GiB, 2147483649B, 4GiB, 4294967300B]");
    static const uint64_t expected[] = {2147483647, 2147483648, 2147483649, 4294967296, 4294967300};
    gb_suite *suite = test_suite(text);
    gb_plan *plan = plan_of(suite);
    ck_assert_uint_eq(plan->n_cases, 5);
    for (size_t i = 0; i < 5; i++) {
        char id[64];
        snprintf(id, sizeof id, "a[bytes=%" PRIu64 "]", expected[i]);
        ck_assert_str_eq(plan->cases[i].id, id);
        ck_assert_uint_eq(plan->cases[i].args[2].number, expected[i]);
        ck_assert_uint_eq(plan->cases[i].need.device_bytes, expected[i]);
    }
    gb_plan_free(plan);
    gb_suite_free(suite);
    free(text);
}
END_TEST

START_TEST(CPY_04_large_sizes_are_kept_as_integers)
{
    char *text = with("copy", "bytes", "8GiB");
    gb_suite *suite = test_suite(text);
    gb_plan *plan = plan_of(suite);
    ck_assert_uint_eq(plan->cases[0].args[2].number, UINT64_C(8589934592));
    ck_assert_str_eq(plan->cases[0].id, "a[bytes=8589934592]");
    gb_plan_free(plan);
    gb_suite_free(suite);
    free(text);
    accepts("arrays", "elements", "1e15", UINT64_C(1000000000000000));
}
END_TEST

static const struct {
    const char *line, *expected;
} settings[] = {
    {"replicates: 0", "t.yaml:3:24: error: replicates: 0 is out of range; allowed: 1 to 1000"},
    {"replicates: -5", "t.yaml:3:24: error: replicates: '-5' is not a whole number (signs are not "
                       "accepted); allowed: 1 to 1000"},
    {"replicates: nonsense", "t.yaml:3:24: error: replicates: 'nonsense' is not a whole number (it "
                             "does not begin with a digit); allowed: 1 to 1000"},
    {"replicates: 3000000000",
     "t.yaml:3:24: error: replicates: 3000000000 is out of range; allowed: 1 to 1000"},
    {"replicates: 99999999999999999999",
     "t.yaml:3:24: error: replicates: '99999999999999999999' is out of range; allowed: 1 to 1000"},
    {"replicates: .nan", "t.yaml:3:24: error: replicates: '.nan' is not a whole number (it does "
                         "not begin with a digit); allowed: 1 to 1000"},
    {"replicates: true", "t.yaml:3:24: error: replicates: 'true' is not a whole number (it does "
                         "not begin with a digit); allowed: 1 to 1000"},
    {"replicates: 1.5", "t.yaml:3:24: error: replicates: '1.5' is not a whole number; allowed: 1 "
                        "to 1000"},
    {"replicates: 1e3", ""},
    {"replicates: \"3\"", "t.yaml:3:24: error: replicates: '3' is quoted text; expected a whole "
                          "number, without quotes"},
    {"samples: {min: 1, max: 1000000}", ""},
    {"samples: {min: 1000001}",
     "t.yaml:3:27: error: samples.min: 1000001 is out of range; allowed: "
     "1 to 1000000"},
    {"samples: {min: 3000}", "t.yaml:3:21: error: samples: min (3000) is above max (2000)"},
    {"samples: {}", "t.yaml:3:21: error: samples: expected 'min' or 'max', got an empty mapping"},
    {"samples: 5", "t.yaml:3:21: error: samples: expected a mapping, got number"},
    {"precision: 0%", "t.yaml:3:23: error: precision: '0%' is out of range: write a number above 0 "
                      "and %, such as 3%"},
    {"precision: 0.5", "t.yaml:3:23: error: precision: '0.5' is not a percentage: write a number "
                       "above 0 and %, such as 3%"},
    {"precision: 0.01 %", ""},
    {"precision: 0.001%",
     "t.yaml:3:23: error: precision: 0.001% is out of range; allowed: 0.01% to "
     "50%"},
    {"warmup: 5", "t.yaml:3:20: error: warmup: '5' has no unit: a duration is a number and one of "
                  "ns, us, ms, s, m or h, such as 100ms"},
    {"warmup: 1h", "t.yaml:3:20: error: warmup: 1h is out of range; allowed: 1ns to 10m"},
    {"warmup: 1m30s", "t.yaml:3:20: error: warmup: '1m30s' has an unknown unit 'm30s': a duration "
                      "is a number and one of ns, us, ms, s, m or h"},
    {"timeout: 25h", "t.yaml:3:21: error: timeout: 25h is out of range; allowed: 1ms to 24h"},
    {"timeout: 1us", "t.yaml:3:21: error: timeout: 1us is out of range; allowed: 1ms to 24h"},
};

START_TEST(YML_16_settings_out_of_range_are_refused_before_anything_runs)
{
    char *text = gb_text_format("gpubench: 1\nname: x\ndefaults: {%s}\nbenchmarks:\n  - name: a\n"
                                "    kernel: noop\n",
                                settings[_i].line);
    test_first_line(text, settings[_i].expected);
    free(text);
}
END_TEST

START_TEST(YML_17_values_are_never_replaced_by_others)
{
    refuses("tile", "block", "0", "axes.block: 0 is out of range; allowed: 1 to 1024");
    refuses("tile", "block", "2000", "axes.block: 2000 is out of range; allowed: 1 to 1024");
    refuses("tile", "tile", "-1",
            "axes.tile: '-1' is not a whole number (signs are not accepted); "
            "allowed: 1 to 64");
    refuses("tile", "n", "65537", "allowed: 1 to 65536");
    refuses("wait", "delay", "999ns", "axes.delay: 999ns is out of range; allowed: 1us to 10s");
    refuses("wait", "delay", "11s", "axes.delay: 11s is out of range; allowed: 1us to 10s");
    accepts("wait", "delay", "1us", 1000);
    accepts("wait", "delay", "10\xC2\xB5s", 10000);
    accepts("tile", "tile", "64", 64);
}
END_TEST

START_TEST(YML_18_nothing_where_a_value_is_needed)
{
    refuses("copy", "bytes", "", "axes.bytes: expected a value, a list or a range, got nothing");
    refuses("copy", "bytes", "~", "got nothing");
    refuses("copy", "memory", "null", "got nothing");
    refuses("copy", "bytes", "[]", "axes.bytes: the list is empty");
    refuses("copy", "bytes", "{}", "t.yaml:7:14: error: axes.bytes: the key 'from' is missing");
    accepts("copy", "bytes", "[1KiB, ]", 1024); /* a comma at the end adds nothing */
}
END_TEST

START_TEST(YML_20_the_value_is_quoted_with_its_spaces)
{
    test_complains("gpubench: 1\nname: x\ndevices: \" cuda:0\"\nbenchmarks: []\n",
                   "t.yaml:3:10: error: unknown device ' cuda:0' (valid: cpu, cuda)");
    refuses("copy", "memory", "\"pinned \"",
            "unknown memory 'pinned ' (did you mean 'pinned'? valid: pageable, pinned, managed)");
    refuses("copy", "memory", "Pinned",
            "unknown memory 'Pinned' (did you mean 'pinned'? valid: pageable, pinned, managed)");
    refuses("copy", "memory", "\"a\\u202Eb\\n\"", "unknown memory 'a\\u{202E}b\\x0A'");
}
END_TEST

START_TEST(YML_21_names_and_case_ids_are_unique)
{
    test_complains(
        "gpubench: 1\nname: x\nbenchmarks:\n  - {name: a, kernel: noop}\n  - {name: A, "
        "kernel: noop}\n",
        "t.yaml:5:12: error: duplicate benchmark name 'A' (first at line 4, again at line "
        "5)");
    test_complains("gpubench: 1\nname: x\nbenchmarks:\n  - {name: a, kernel: tile, axes: {n: [8, "
                   "16]}}\n  - {name: \"a[n=8]\", kernel: noop}\n",
                   "t.yaml:5:12: error: duplicate case id 'a[n=8]' (first at line 4, again at line "
                   "5)");
    refuses("tile", "n", "[8, 16, 8.0]", "axes.n: the value 8.0 is repeated (first in line 7)");
}
END_TEST

START_TEST(YML_22_names_are_kept_as_written)
{
    static const char *const names[] = {
        "../x", "a/b", "con", "\xF0\x9F\x9A\x80", "-rf", "a\\\\b", "  x  ", "\\\"q\\\"", "%s%n"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = gb_text_format("gpubench: 1\nname: \"%s\"\nbenchmarks:\n  - {name: \"%s\", "
                                    "kernel: noop}\n",
                                    names[i], names[i]);
        gb_suite *suite = test_suite(text);
        ck_assert_str_eq(suite->name, suite->benchmarks[0].name);
        gb_suite_free(suite);
        free(text);
    }
    test_complains("gpubench: 1\nname: \"new\\nline\"\nbenchmarks: []\n",
                   "control or direction character U+000A");
    gb_buf text = {0};
    gb_buf_add(&text, "gpubench: 1\nname: ");
    for (int i = 0; i < 300; i++)
        gb_buf_add(&text, "n");
    gb_buf_add(&text, "\nbenchmarks: []\n");
    test_complains(text.data, "t.yaml:2:7: error: name: the text is longer than 200 characters");
    gb_buf_free(&text);
}
END_TEST

START_TEST(YML_24_sweeps_that_explode_are_counted_and_refused)
{
    static const char head[] = "gpubench: 1\nname: x\nbenchmarks:\n  - name: a\n    kernel: big\n";
    char *text = gb_text_format("%s    axes: {a: {from: 1, to: 4096, step: 1}}\n", head);
    test_first_line(text, "");
    free(text);
    text = gb_text_format("%s    axes: {a: {from: 1, to: 4096, step: 1}, b: [1, 2]}\n", head);
    test_first_line(text,
                    "t.yaml:4:11: error: benchmark 'a' has 8192 cases on cpu; at most 4096 are "
                    "allowed: shorten an axis or exclude some");
    free(text);
    text = gb_text_format(
        "%s    axes: {a: {from: 1, to: 4096, step: 1}, b: {cpu: 1, cuda: [1, 2]}}\n", head);
    test_first_line(text, "t.yaml:4:11: error: benchmark 'a' has 8192 cases on cuda; at most 4096 "
                          "are allowed: shorten an axis or exclude some");
    free(text);
    /* More combinations than can be looked at, with excludes on every axis. */
    text = gb_text_format(
        "%s    axes: {a: &r {from: 1, to: 4096, step: 1}, b: *r, c: *r}\n"
        "    exclude: [{a: 1, b: 1, c: 1, reason: x}, {a: \">1\", b: 1, c: 2, reason: "
        "x}]\n",
        head);
    test_complains(text, "t.yaml:4:11: error: benchmark 'a'");
    free(text);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("values");
    use_environment_locale(tc);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, YML_08_leading_zeros_are_never_octal);
    tcase_add_test(tc, YML_09_text_stays_text);
    tcase_add_loop_test(tc, YML_10_sizes_mean_the_same_everywhere, 0, COUNT(sizes));
    tcase_add_loop_test(tc, YML_10_other_sizes_are_refused, 0, COUNT(bad_sizes));
    tcase_add_test(tc, CPY_13_size_zero_is_refused_with_its_place);
    tcase_add_test(tc, CPY_01_need_is_exact_beyond_32_bits);
    tcase_add_test(tc, CPY_02_sizes_around_2_to_31_and_32_stay_whole);
    tcase_add_test(tc, CPY_04_large_sizes_are_kept_as_integers);
    tcase_add_loop_test(tc, YML_16_settings_out_of_range_are_refused_before_anything_runs, 0,
                        COUNT(settings));
    tcase_add_test(tc, YML_17_values_are_never_replaced_by_others);
    tcase_add_test(tc, YML_18_nothing_where_a_value_is_needed);
    tcase_add_test(tc, YML_20_the_value_is_quoted_with_its_spaces);
    tcase_add_test(tc, YML_21_names_and_case_ids_are_unique);
    tcase_add_test(tc, YML_22_names_are_kept_as_written);
    tcase_add_test(tc, YML_24_sweeps_that_explode_are_counted_and_refused);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("suite values", add_cases)
