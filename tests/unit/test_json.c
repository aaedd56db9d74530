#include <math.h>
#include <string.h>

#include "base/json.h"
#include "unit/locale_case.h"

START_TEST(RES_01_what_is_not_finite_is_null)
{
    const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < 3; i++) {
        json_t *json = gb_json_real(odd[i]);
        ck_assert(json_is_null(json));
        json_decref(json);
    }
    json_t *json = gb_json_real(1.5);
    ck_assert(json_real_value(json) == 1.5);
    json_decref(json);
}
END_TEST

START_TEST(RES_09_numbers_survive_the_way_there_and_back)
{
    json_t *object = json_object();
    ck_assert_int_eq(gb_json_set(object, "third", gb_json_real(1.0 / 3), NULL), GB_OK);
    ck_assert_int_eq(gb_json_set(object, "half", gb_json_real(0.5), NULL), GB_OK);
    char *line = gb_json_line(object);
    ck_assert_str_eq(line, "{\"third\":0.33333333333333331,\"half\":0.5}");
    json_t *back = NULL;
    ck_assert_int_eq(gb_json_load(line, strlen(line), "f", &back, NULL), GB_OK);
    double value = 0;
    ck_assert_int_eq(gb_json_get_real(back, "third", "$", &value, NULL), GB_OK);
    ck_assert(value == 1.0 / 3);
    free(line);
    json_decref(object);
    json_decref(back);
}
END_TEST

START_TEST(CPY_04_sizes_are_written_as_whole_numbers)
{
    json_t *object = json_object();
    gb_json_set(object, "bytes", json_integer(8589934592), NULL);
    gb_json_set(object, "most", json_integer(INT64_MAX), NULL);
    char *line = gb_json_line(object);
    ck_assert_str_eq(line, "{\"bytes\":8589934592,\"most\":9223372036854775807}");
    uint64_t value = 0;
    ck_assert_int_eq(gb_json_get_u64(object, "bytes", "$", &value, NULL), GB_OK);
    ck_assert_uint_eq(value, 8589934592);
    ck_assert_int_eq(gb_json_get_u64(object, "most", "$", &value, NULL), GB_OK);
    ck_assert_uint_eq(value, INT64_MAX);
    free(line);
    json_decref(object);
}
END_TEST

START_TEST(strings_are_kept_or_escaped)
{
    static const struct {
        const char *in, *out;
    } cases[] = {{"plain", "\"plain\""},
                 {"line\nbreak \"quoted\" \\", "\"line\\nbreak \\\"quoted\\\" \\\\\""},
                 {"\xC3\xA9\xF0\x9F\x98\x80", "\"\xC3\xA9\xF0\x9F\x98\x80\""},
                 {"bad \xFF\xC3 end", "\"bad \\\\xFF\\\\xC3 end\""},
                 {NULL, "null"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        json_t *json = gb_json_string(cases[i].in);
        char *line = gb_json_line(json);
        ck_assert_str_eq(line, cases[i].out);
        free(line);
        json_decref(json);
    }
}
END_TEST

START_TEST(getters_are_strict_and_name_the_path)
{
    json_t *o = json_pack("{s:s, s:n, s:i, s:f, s:i, s:b, s:[]}", "text", "t", "nothing", "int", 3,
                          "real", 1.5, "minus", -1, "yes", 1, "list");
    gb_error err = {.message = ""};
    double real = 0;
    uint64_t whole = 0;
    const char *text = "";
    ck_assert_int_eq(gb_json_get_real(o, "nothing", "$", &real, &err), GB_OK);
    ck_assert(isnan(real));
    ck_assert_int_eq(gb_json_get_real(o, "int", "$", &real, &err), GB_OK);
    ck_assert(real == 3);
    ck_assert_int_eq(gb_json_get_real(o, "text", "records[4].time_ns", &real, &err), GB_INVALID);
    ck_assert_str_eq(err.message,
                     "records[4].time_ns.text: expected a number or null, got a string");
    ck_assert_int_eq(gb_json_get_real(o, "gone", "$", &real, &err), GB_INVALID);
    ck_assert_str_eq(err.message, "$.gone: expected a number or null, got nothing");

    ck_assert_int_eq(gb_json_get_u64(o, "int", "$", &whole, &err), GB_OK);
    ck_assert_uint_eq(whole, 3);
    static const char *const not_whole[] = {"text", "nothing", "real", "minus", "yes", "gone"};
    for (size_t i = 0; i < 6; i++) {
        ck_assert_int_eq(gb_json_get_u64(o, not_whole[i], "$", &whole, &err), GB_INVALID);
        ck_assert(strstr(err.message, not_whole[i]) != NULL);
    }
    ck_assert_uint_eq(whole, 3);

    ck_assert_int_eq(gb_json_get_string(o, "text", "$", false, &text, &err), GB_OK);
    ck_assert_str_eq(text, "t");
    ck_assert_int_eq(gb_json_get_string(o, "nothing", "$", true, &text, &err), GB_OK);
    ck_assert_ptr_null(text);
    ck_assert_int_eq(gb_json_get_string(o, "gone", "$", true, &text, &err), GB_OK);
    ck_assert_ptr_null(text);
    ck_assert_int_eq(gb_json_get_string(o, "nothing", "$", false, &text, &err), GB_INVALID);
    ck_assert_int_eq(gb_json_get_string(o, "list", "$", true, &text, &err), GB_INVALID);
    ck_assert_str_eq(err.message, "$.list: expected a string or null, got an array");
    json_decref(o);
}
END_TEST

START_TEST(set_reports_a_value_that_is_not_there)
{
    json_t *object = json_object();
    gb_error err;
    ck_assert_int_eq(gb_json_set(object, "k", NULL, &err), GB_NO_MEMORY);
    ck_assert(strstr(err.message, "'k'") != NULL);
    ck_assert_uint_eq(json_object_size(object), 0);
    json_decref(object);
}
END_TEST

START_TEST(loading_is_strict_and_names_the_place)
{
    static const char *const bad[] = {"",
                                      "{",
                                      "[1,]",
                                      "{\"a\":1,\"a\":2}",
                                      "{} {}",
                                      "{\"a\" 1}",
                                      "[NaN]",
                                      "[1.5e999]",
                                      "\"scalar\"",
                                      "[\"\xFF\"]",
                                      "[99999999999999999999]"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *json = NULL;
        gb_error err = {.message = ""};
        ck_assert_msg(gb_json_load(bad[i], strlen(bad[i]), "r.json", &json, &err) == GB_INVALID,
                      "accepted: %s", bad[i]);
        ck_assert_ptr_null(json);
        ck_assert_str_eq(err.file, "r.json");
        ck_assert(strncmp(err.message, "not valid JSON: ", 16) == 0);
    }
    json_t *json = NULL;
    gb_error err;
    const char *text = "{\n  \"a\": 1,\n  \"b\" 2\n}";
    ck_assert_int_eq(gb_json_load(text, strlen(text), "r.json", &json, &err), GB_INVALID);
    ck_assert_int_eq(err.line, 3);
    ck_assert_int_gt(err.column, 0);
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("json");
    use_environment_locale(tcase);
    tcase_add_test(tcase, RES_01_what_is_not_finite_is_null);
    tcase_add_test(tcase, RES_09_numbers_survive_the_way_there_and_back);
    tcase_add_test(tcase, CPY_04_sizes_are_written_as_whole_numbers);
    tcase_add_test(tcase, strings_are_kept_or_escaped);
    tcase_add_test(tcase, getters_are_strict_and_name_the_path);
    tcase_add_test(tcase, set_reports_a_value_that_is_not_there);
    tcase_add_test(tcase, loading_is_strict_and_names_the_place);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("json", add)
