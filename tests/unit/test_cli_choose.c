#include <string.h>

#include "base/json.h"
#include "cli/choose.h"
#include "unit/check_main.h"

#define CPU "\"cpu\": {\"kind\": \"cpu\", \"name\": \"a cpu\", \"uuid\": \"CPU-1\"}"
#define GPU(n) "{\"kind\": \"cuda\", \"name\": \"a gpu\", \"uuid\": \"GPU-" #n "\"}"
#define NO_DRIVER "{\"code\": \"driver\", \"status\": 35, \"message\": \"no driver found\"}"
#define MISMATCH "{\"code\": \"driver\", \"status\": 803, \"message\": \"driver mismatch\"}"
#define BUSY "{\"code\": \"device-busy\", \"status\": 46, \"message\": \"exclusive mode\"}"
#define OLD                                                                                        \
    "{\"kind\": \"cuda\", \"name\": \"old\", \"uuid\": \"GPU-0\", \"unusable\": {\"code\": "       \
    "\"no-kernel-image\", \"status\": 0, \"message\": \"no code for 3.5\"}}"

static json_t *probe;
static gb_chosen chosen[GB_MAX_DEVICES];
static size_t n;
static gb_buf note;
static gb_error err;

static void given(const char *cuda, const char *error)
{
    char text[2048];
    snprintf(text, sizeof text, "{" CPU ", \"cuda\": [%s], \"cuda_error\": %s}", cuda, error);
    ck_assert_int_eq(gb_json_load(text, strlen(text), "probe", &probe, &err), GB_OK);
}

static gb_code choose(const char *said, unsigned allowed, bool listed)
{
    gb_buf_free(&note);
    note = (gb_buf){0};
    err = (gb_error){0};
    return gb_choose_devices(said, allowed, listed, probe, chosen, &n, &note, &err);
}

static void done(void)
{
    json_decref(probe);
    probe = NULL;
    gb_buf_free(&note);
}

START_TEST(a_suite_for_cuda_alone_says_so_where_there_is_none)
{
    given("", NO_DRIVER);
    ck_assert_int_eq(choose(NULL, GB_BIT(GB_CUDA), true), GB_NO_DEVICE);
    ck_assert_ptr_nonnull(
        strstr(err.message, "this suite has cases on cuda alone: no cuda device:"));
    ck_assert_int_eq(choose("auto", GB_BIT(GB_CUDA), false), GB_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(err.message, "cuda alone"));
    ck_assert_int_eq(choose("cuda", GB_ANY_DEVICE, false), GB_NO_DEVICE);
    ck_assert_ptr_null(strstr(err.message, "alone"));
    done();
}
END_TEST

START_TEST(DEV_01_auto_takes_the_cpu_and_says_why)
{
    given("", NO_DRIVER);
    ck_assert_int_eq(choose(NULL, GB_ANY_DEVICE, false), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(chosen[0].kind, GB_CPU);
    ck_assert_ptr_nonnull(strstr(note.data, "no driver found"));
    ck_assert_int_eq(choose("auto", GB_ANY_DEVICE, true), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(choose("cpu", GB_ANY_DEVICE, false), GB_OK);
    ck_assert_ptr_null(note.data);
    ck_assert_int_eq(choose(NULL, GB_BIT(GB_CPU), false), GB_OK); /* nothing to explain */
    ck_assert_ptr_null(note.data);
    done();
}
END_TEST

START_TEST(DEV_01_cuda_without_one_is_no_fallback)
{
    static const char *const words[] = {"cuda", "cuda:0", "cuda:7", "cuda:GPU-1", "all"};
    given("", NO_DRIVER);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        ck_assert_int_eq(choose(words[i], GB_ANY_DEVICE, false), GB_NO_DEVICE);
        ck_assert_ptr_nonnull(strstr(err.message, "no driver found"));
        ck_assert_uint_eq(n, 0);
    }
    ck_assert_int_eq(choose(NULL, GB_BIT(GB_CUDA), false), GB_NO_DEVICE);
    done();
}
END_TEST

START_TEST(a_faulty_environment_is_told_from_a_missing_device)
{
    given("", MISMATCH);
    ck_assert_int_eq(choose("cuda", GB_ANY_DEVICE, false), GB_DRIVER);
    done();
    given("", BUSY);
    ck_assert_int_eq(choose("cuda", GB_ANY_DEVICE, false), GB_DEVICE_BUSY);
    done();
}
END_TEST

START_TEST(devices_by_number_and_name)
{
    given(GPU(1) "," GPU(2) "," GPU(22), "null");
    ck_assert_int_eq(choose(NULL, GB_ANY_DEVICE, false), GB_OK);
    ck_assert_int_eq(chosen[0].kind, GB_CUDA);
    ck_assert_int_eq(chosen[0].index, 0);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(choose("cuda:2", GB_ANY_DEVICE, false), GB_OK);
    ck_assert_int_eq(chosen[0].index, 2);
    ck_assert_int_eq(choose("cuda:GPU-22", GB_ANY_DEVICE, false), GB_OK);
    ck_assert_int_eq(chosen[0].index, 2);
    ck_assert_int_eq(choose("cuda:GPU-2", GB_ANY_DEVICE, false), GB_INVALID); /* two of them */
    ck_assert_int_eq(choose("cuda:GPU-9", GB_ANY_DEVICE, false), GB_NO_DEVICE);
    ck_assert_int_eq(choose("cuda:7", GB_ANY_DEVICE, false), GB_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(err.message, "cuda:0 to cuda:2"));
    ck_assert_int_eq(choose("all", GB_ANY_DEVICE, false), GB_OK);
    ck_assert_uint_eq(n, 3);
    done();
}
END_TEST

START_TEST(an_unusable_device_is_passed_over)
{
    given(OLD "," GPU(2), "null");
    ck_assert_int_eq(choose(NULL, GB_ANY_DEVICE, false), GB_OK);
    ck_assert_int_eq(chosen[0].index, 1);
    ck_assert_int_eq(choose("all", GB_ANY_DEVICE, false), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_int_eq(choose("cuda:0", GB_ANY_DEVICE, false), GB_NO_DEVICE);
    ck_assert_ptr_nonnull(strstr(err.message, "no code for 3.5"));
    done();
    given(OLD, "null");
    ck_assert_int_eq(choose(NULL, GB_ANY_DEVICE, false), GB_OK);
    ck_assert_int_eq(chosen[0].kind, GB_CPU);
    ck_assert_ptr_nonnull(strstr(note.data, "no code for 3.5"));
    done();
}
END_TEST

START_TEST(a_suite_that_lists_both_kinds_gets_both)
{
    given(GPU(1), "null");
    ck_assert_int_eq(choose(NULL, GB_ANY_DEVICE, true), GB_OK);
    ck_assert_uint_eq(n, 2);
    ck_assert_int_eq(chosen[0].kind, GB_CUDA);
    ck_assert_int_eq(chosen[1].kind, GB_CPU);
    ck_assert_int_eq(choose("cuda", GB_ANY_DEVICE, true), GB_OK);
    ck_assert_uint_eq(n, 1);
    done();
    given("", NO_DRIVER);
    ck_assert_int_eq(choose(NULL, GB_ANY_DEVICE, true), GB_OK);
    ck_assert_uint_eq(n, 1);
    ck_assert_ptr_nonnull(strstr(note.data, "cpu alone"));
    done();
}
END_TEST

START_TEST(a_suite_for_one_kind_refuses_the_other)
{
    given(GPU(1), "null");
    ck_assert_int_eq(choose("cpu", GB_BIT(GB_CUDA), true), GB_INVALID);
    ck_assert_int_eq(choose("cuda", GB_BIT(GB_CPU), true), GB_INVALID);
    ck_assert_int_eq(choose(NULL, GB_BIT(GB_CPU), true), GB_OK);
    ck_assert_int_eq(chosen[0].kind, GB_CPU);
    done();
}
END_TEST

START_TEST(YML_20_a_stray_space_is_quoted)
{
    given("", NO_DRIVER);
    ck_assert_int_eq(choose(" cuda:0", GB_ANY_DEVICE, false), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "' cuda:0'"));
    done();
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("choose");
    tcase_add_test(c, a_suite_for_cuda_alone_says_so_where_there_is_none);
    tcase_add_test(c, DEV_01_auto_takes_the_cpu_and_says_why);
    tcase_add_test(c, DEV_01_cuda_without_one_is_no_fallback);
    tcase_add_test(c, a_faulty_environment_is_told_from_a_missing_device);
    tcase_add_test(c, devices_by_number_and_name);
    tcase_add_test(c, an_unusable_device_is_passed_over);
    tcase_add_test(c, a_suite_that_lists_both_kinds_gets_both);
    tcase_add_test(c, a_suite_for_one_kind_refuses_the_other);
    tcase_add_test(c, YML_20_a_stray_space_is_quoted);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_choose", add_cases)
