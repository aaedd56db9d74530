#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/noise.h"
#include "unit/check_main.h"

static char cache[] = "/tmp/gpubench-noise.XXXXXX";

static void remember(const char *uuid, bool ok, double floor)
{
    json_t *info = json_pack("{s:s}", "uuid", uuid);
    json_t *result = json_pack("{s:b, s:f}", "ok", ok, "noise_floor", floor);
    gb_noise_remember(info, result);
    json_decref(result);
    json_decref(info);
}

static json_t *recall(const char *uuid)
{
    json_t *info = json_pack("{s:s}", "uuid", uuid);
    json_t *found = gb_noise_recall(info);
    json_decref(info);
    return found;
}

START_TEST(a_floor_is_remembered_with_its_date_when_all_checks_were_good)
{
    ck_assert_ptr_nonnull(mkdtemp(cache));
    setenv("XDG_CACHE_HOME", cache, 1);
    ck_assert_ptr_null(recall("one"));
    remember("one", false, 0.5);
    ck_assert_ptr_null(recall("one"));
    remember("one", true, 0.03);
    remember("one", false, 0.5);
    json_t *found = recall("one");
    ck_assert_double_eq(json_number_value(json_object_get(found, "noise_floor")), 0.03);
    ck_assert_uint_eq(json_string_length(json_object_get(found, "measured")), 20);
    json_decref(found);
    ck_assert_ptr_null(recall("two"));
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", cache);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* Without XDG_CACHE_HOME, or with one that is no absolute path, it is ~/.cache; without either,
 * nowhere. */
START_TEST(the_folder_is_that_of_the_environment)
{
    char home[] = "/tmp/gpubench-noise.XXXXXX", path[100], command[64];
    ck_assert_ptr_nonnull(mkdtemp(home));
    ck_assert_int_eq(chdir(home), 0);
    setenv("HOME", home, 1);
    setenv("XDG_CACHE_HOME", "here", 1);
    remember("one", true, 0.03);
    ck_assert_int_ne(access("here", F_OK), 0);
    snprintf(path, sizeof path, "%s/.cache/gpubench/selftest-one.json", home);
    ck_assert_msg(access(path, R_OK) == 0, "%s", path);
    unsetenv("XDG_CACHE_HOME");
    json_t *found = recall("one");
    ck_assert_double_eq(json_number_value(json_object_get(found, "noise_floor")), 0.03);
    json_decref(found);
    setenv("HOME", "", 1);
    remember("two", true, 0.03);
    ck_assert_ptr_null(recall("one"));
    ck_assert_ptr_null(recall("two"));
    snprintf(command, sizeof command, "rm -r %s", home);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

static void warning_of(bool ok, double floor, gb_buf *text)
{
    json_t *result = json_pack("{s:b, s:f}", "ok", ok, "noise_floor", floor);
    gb_noise_warning("the device", result, text);
    json_decref(result);
}

START_TEST(a_floor_that_hides_differences_is_warned_of)
{
    gb_buf text = {0};
    warning_of(true, 0.03, &text);
    warning_of(false, 2.1, &text);
    ck_assert_uint_eq(text.length, 0);
    warning_of(true, 2.1, &text);
    ck_assert_ptr_nonnull(strstr(text.data, "the noise floor of the device is 210"));
    ck_assert_ptr_nonnull(strstr(text.data, "a factor of 3.10 "));
    ck_assert_ptr_nonnull(strstr(text.data, "run gpubench selftest again"));
    ck_assert_ptr_eq(strchr(text.data, '\n'), text.data + text.length - 1);
    gb_buf_free(&text);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("noise");
    tcase_add_test(c, a_floor_is_remembered_with_its_date_when_all_checks_were_good);
    tcase_add_test(c, the_folder_is_that_of_the_environment);
    tcase_add_test(c, a_floor_that_hides_differences_is_warned_of);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_noise", add_cases)
