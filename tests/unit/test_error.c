#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "unit/locale_case.h"

START_TEST(words_are_stable_and_unique)
{
    ck_assert_str_eq(gb_code_word(GB_OK), "ok");
    ck_assert_str_eq(gb_code_word(GB_NO_MEMORY), "no-memory");
    ck_assert_str_eq(gb_code_word(GB_INTERNAL), "internal");
    ck_assert_str_eq(gb_code_word((gb_code)9999), "internal");
    ck_assert_str_eq(gb_code_word((gb_code)-1), "internal");
    for (int a = 0; a < (int)GB_INTERNAL; a++) {
        for (int b = a + 1; b <= (int)GB_INTERNAL; b++) {
            ck_assert_str_ne(gb_code_word((gb_code)a), gb_code_word((gb_code)b));
        }
    }
}
END_TEST

START_TEST(fail_fills_everything_afresh)
{
    gb_error err;
    memset(&err, 0x5A, sizeof err);
    ck_assert_int_eq(gb_fail(&err, GB_IO, "cannot write '%s': %d, %.2f", "r/x", 28, 1.5), GB_IO);
    ck_assert_int_eq(err.code, GB_IO);
    ck_assert_str_eq(err.message, "cannot write 'r/x': 28, 1.50");
    ck_assert_str_eq(err.file, "");
    ck_assert_int_eq(err.line, 0);
    ck_assert_int_eq(err.column, 0);
    ck_assert_int_eq(err.device_status, 0);
    ck_assert(!err.sticky);
}
END_TEST

START_TEST(fail_at_keeps_the_place)
{
    gb_error err = {0};
    ck_assert_int_eq(gb_fail_at(&err, GB_INVALID, "a.yaml", 12, 7, "unknown key"), GB_INVALID);
    ck_assert_str_eq(err.file, "a.yaml");
    ck_assert_int_eq(err.line, 12);
    ck_assert_int_eq(err.column, 7);
    char path[2000];
    memset(path, 'p', sizeof path);
    path[sizeof path - 1] = '\0';
    gb_fail_at(&err, GB_INVALID, path, 0, 0, "too long a path");
    ck_assert_uint_eq(strlen(err.file), sizeof err.file - 1);
}
END_TEST

START_TEST(an_error_may_quote_itself)
{
    gb_error err;
    gb_fail_at(&err, GB_IO, "f", 1, 2, "inner");
    gb_fail_at(&err, GB_INVALID, err.file, 3, 4, "outer (%s)", err.message);
    ck_assert_str_eq(err.message, "outer (inner)");
    ck_assert_str_eq(err.file, "f");
}
END_TEST

START_TEST(context_stands_in_front)
{
    gb_error err;
    gb_fail_at(&err, GB_DEVICE_ERROR, "f", 3, 4, "launch failed (209)");
    err.sticky = true;
    err.device_status = 209;
    ck_assert_int_eq(gb_fail_context(&err, "case %s", "copy[bytes=1]"), GB_DEVICE_ERROR);
    ck_assert_str_eq(err.message, "case copy[bytes=1]: launch failed (209)");
    ck_assert(err.sticky);
    ck_assert_int_eq(err.device_status, 209);
    ck_assert_int_eq(err.line, 3);
}
END_TEST

START_TEST(long_messages_are_cut_between_characters)
{
    for (size_t shift = 0; shift < 4; shift++) {
        gb_error err;
        char text[3000] = "";
        memset(text, 'x', shift);
        for (size_t i = shift; i + 4 < sizeof text; i += 4) {
            memcpy(text + i, "\xF0\x9F\x98\x80", 5); /* one character of four bytes */
        }
        gb_fail(&err, GB_INVALID, "%s", text);
        size_t n = strlen(err.message);
        ck_assert(gb_utf8_valid(err.message, n, NULL));
        ck_assert_uint_gt(n, sizeof err.message - 5);
        ck_assert_int_eq(memcmp(err.message, text, n), 0);
        gb_fail_context(&err, "%s", "context");
        ck_assert(gb_utf8_valid(err.message, strlen(err.message), NULL));
        ck_assert_int_eq(strncmp(err.message, "context: ", 9), 0);
    }
}
END_TEST

START_TEST(nobody_needs_an_error_record)
{
    ck_assert_int_eq(gb_fail(NULL, GB_TIMEOUT, "%d", 1), GB_TIMEOUT);
    ck_assert_int_eq(gb_fail_at(NULL, GB_CRASHED, "f", 1, 1, "x"), GB_CRASHED);
    ck_assert_int_ne(gb_fail_context(NULL, "x"), GB_OK);
}
END_TEST

static void add(Suite *suite)
{
    TCase *tcase = tcase_create("error");
    use_environment_locale(tcase);
    tcase_add_test(tcase, words_are_stable_and_unique);
    tcase_add_test(tcase, fail_fills_everything_afresh);
    tcase_add_test(tcase, fail_at_keeps_the_place);
    tcase_add_test(tcase, an_error_may_quote_itself);
    tcase_add_test(tcase, context_stands_in_front);
    tcase_add_test(tcase, long_messages_are_cut_between_characters);
    tcase_add_test(tcase, nobody_needs_an_error_record);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("error", add)
