#include "device/cuda_facts.h"

#include <stdio.h>
#include <string.h>

#include "unit/check_main.h"

static gb_visible v;

static void indices_are(size_t n, const int *want)
{
    ck_assert(v.set);
    ck_assert_uint_eq(v.count, n);
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(v.entries[i].kind, GB_VISIBLE_INDEX);
        ck_assert_int_eq(v.entries[i].index, want[i]);
    }
}

START_TEST(DEV_08_numbers)
{
    gb_visible_parse(NULL, &v);
    ck_assert(!v.set);
    ck_assert_str_eq(v.note, "");
    gb_visible_parse("0", &v);
    indices_are(1, (int[]){0});
    gb_visible_parse(" 1 , 0 ", &v);
    indices_are(2, (int[]){1, 0});
    ck_assert_str_eq(v.note, "");
}
END_TEST

START_TEST(DEV_08_empty_and_negative_hide)
{
    gb_visible_parse("", &v);
    indices_are(0, NULL);
    ck_assert_str_eq(v.note, "CUDA_VISIBLE_DEVICES is empty, which hides every device");
    gb_visible_parse("-1", &v);
    indices_are(0, NULL);
    ck_assert_str_eq(v.note,
                     "'-1' in CUDA_VISIBLE_DEVICES ends the list, so every device is hidden");
    gb_visible_parse("0,-1,1", &v);
    indices_are(1, (int[]){0});
    ck_assert_str_eq(v.note,
                     "'-1' in CUDA_VISIBLE_DEVICES ends the list; it and what follows are hidden");
}
END_TEST

START_TEST(DEV_08_words_are_never_device_0)
{
    static const char *const words[] = {"abc",  "0x1", "1gpu",        "gpu0", "NoDevFiles", "GPU-",
                                        "MIG-", "1.5", "99999999999", ",0",   "+",          "-"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        gb_visible_parse(words[i], &v);
        ck_assert_msg(v.set && v.count == 0 && v.note[0] != '\0', "%s", words[i]);
    }
    gb_visible_parse("1,abc,0", &v);
    indices_are(1, (int[]){1});
}
END_TEST

START_TEST(DEV_08_uuids)
{
    gb_visible_parse("GPU-8932f937,GPU-1234", &v);
    ck_assert_uint_eq(v.count, 2);
    ck_assert_int_eq(v.entries[0].kind, GB_VISIBLE_GPU);
    ck_assert_int_eq(v.entries[0].index, -1);
    ck_assert_str_eq(v.entries[1].text, "GPU-1234");
    gb_visible_parse("MIG-GPU-b8ea3855-276c-c9cb-b366-c6fa655957c5/1/5", &v);
    ck_assert_uint_eq(v.count, 1);
    ck_assert_int_eq(v.entries[0].kind, GB_VISIBLE_MIG);
    gb_visible_parse("MIG-4f9c2f3e-1111-5222-8333-944455556666", &v);
    ck_assert_uint_eq(v.count, 1);
    gb_visible_parse("GPU-1,0", &v); /* the forms do not mix */
    ck_assert_uint_eq(v.count, 1);
    ck_assert_ptr_nonnull(strstr(v.note, "another form"));
}
END_TEST

START_TEST(DEV_08_a_repeated_device_empties_the_list)
{
    gb_visible_parse("1,0,1", &v);
    ck_assert_uint_eq(v.count, 0);
    ck_assert_str_eq(v.note, "CUDA_VISIBLE_DEVICES names '1' twice, which hides every device");
    gb_visible_parse("GPU-1,GPU-1", &v);
    ck_assert_uint_eq(v.count, 0);
}
END_TEST

START_TEST(DEV_08_long_lists_and_names_stay_in_bounds)
{
    static char text[100000];
    size_t at = 0;
    for (int i = 0; i < 1000; i++)
        at += (size_t)sprintf(text + at, "%d,", i);
    gb_visible_parse(text, &v);
    ck_assert_uint_eq(v.count, GB_VISIBLE_MAX);
    memset(text, 'x', sizeof text - 1);
    memcpy(text, "GPU-", 4);
    gb_visible_parse(text, &v);
    ck_assert_uint_eq(v.count, 1);
}
END_TEST

START_TEST(DEV_16_which_code_runs_where)
{
    static const struct {
        const char *built;
        int major, minor;
        bool runs;
    } rows[] = {
        {"75,80,86,89,90,100,120", 7, 5, true},
        {"75,80,86,89,90,100,120", 8, 7, true},
        {"75,80,86,89,90,100,120", 6, 1, false},
        {"75,80,86,89,90,100,120", 7, 0, false},
        {"75,80,86,89,90,100,120", 11, 0, false},
        {"75,80,86,89,90,100,120", 12, 1, true},
        {"75,80,86,89,90,100,120", 13, 0, true}, /* PTX */
        {"80", 8, 6, true},
        {"86", 8, 0, false},
        {"90a", 9, 0, true},
        {"90a", 10, 0, false},
        {"80,90a", 8, 9, true},
        {"", 8, 0, false},
        {"x", 8, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(gb_cuda_covers(rows[i].built, rows[i].major, rows[i].minor) == rows[i].runs,
                      "%s on %d.%d", rows[i].built, rows[i].major, rows[i].minor);
}
END_TEST

START_TEST(error_numbers_have_their_class)
{
    static const struct {
        int number;
        gb_code code;
        bool sticky;
    } rows[] = {
        {0, GB_OK, false},
        {1, GB_DEVICE_ERROR, false},
        {2, GB_NO_MEMORY, false},
        {34, GB_DRIVER, false},
        {35, GB_DRIVER, false},
        {46, GB_DEVICE_BUSY, false},
        {100, GB_NO_DEVICE, false},
        {209, GB_NO_KERNEL_IMAGE, false},
        {214, GB_HARDWARE_FAULT, true},
        {222, GB_NO_KERNEL_IMAGE, false},
        {400, GB_DEVICE_ERROR, false},
        {600, GB_NOT_READY, false},
        {700, GB_DEVICE_ERROR, true},
        {701, GB_DEVICE_ERROR, false},
        {702, GB_DEVICE_ERROR, true},
        {719, GB_DEVICE_ERROR, true},
        {720, GB_DEVICE_ERROR, false},
        {801, GB_UNAVAILABLE, false},
        {803, GB_DRIVER, false},
        {804, GB_DRIVER, false},
        {900, GB_DEVICE_ERROR, false},
        {999, GB_DEVICE_ERROR, true},
        {12345, GB_DEVICE_ERROR, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool sticky = !rows[i].sticky;
        ck_assert_int_eq(gb_cuda_classify(rows[i].number, &sticky), rows[i].code);
        ck_assert_msg(sticky == rows[i].sticky, "%d", rows[i].number);
        ck_assert_ptr_nonnull(gb_cuda_advice(rows[i].number));
    }
    ck_assert_ptr_nonnull(strstr(gb_cuda_advice(803), "reboot or reload the driver"));
}
END_TEST

START_TEST(DEV_01_each_toolkit_has_its_minimum_driver)
{
    ck_assert_str_eq(gb_cuda_minimum_driver(13000), "580");
    ck_assert_str_eq(gb_cuda_minimum_driver(12080), "525.60.13");
    ck_assert_str_eq(gb_cuda_minimum_driver(11080), "450.80.02");
    ck_assert_str_eq(gb_cuda_minimum_driver(10020), "");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("cuda_facts");
    tcase_add_test(tc, DEV_01_each_toolkit_has_its_minimum_driver);
    tcase_add_test(tc, DEV_08_numbers);
    tcase_add_test(tc, DEV_08_empty_and_negative_hide);
    tcase_add_test(tc, DEV_08_words_are_never_device_0);
    tcase_add_test(tc, DEV_08_uuids);
    tcase_add_test(tc, DEV_08_a_repeated_device_empties_the_list);
    tcase_add_test(tc, DEV_08_long_lists_and_names_stay_in_bounds);
    tcase_add_test(tc, DEV_16_which_code_runs_where);
    tcase_add_test(tc, error_numbers_have_their_class);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("cuda_facts", add_cases)
