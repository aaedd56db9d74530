/* Softmax, layer norm and lookups on the cpu device: sizes that blocks do not divide, what is
 * counted, launches that go wrong. */
#include "kernels/rows.h"

#include "kernels/common.h"
#include "unit/spoiled_launch.h"

/* Of every multiple of 2^-10 that the function is for, and of what lies below. */
START_TEST(the_exponential_function_is_within_its_bound)
{
    for (int i = 0; i <= 87 * 1024; i++) {
        const float x = (float)-i / 1024.0f;
        const double want = exp((double)x), found = (double)rows_exp(x);
        ck_assert_msg(fabs(found - want) <= 0x1p-22 * want, "e^%g: %.9g, not %.9g", (double)x,
                      found, want);
    }
    ck_assert(rows_exp(0.0f) == 1.0f);
    ck_assert(rows_exp(-1e30f) == rows_exp(-87.0f) && rows_exp(-1e30f) > 0);
}
END_TEST

START_TEST(KRN_02_rows_of_any_size)
{
    static const unsigned rows[] = {1, 3, 65}, columns[] = {1, 2, 31, 255, 256, 257, 1000, 8192};
    for (size_t r = 0; r < GB_COUNT(rows); r++)
        for (size_t c = 0; c < GB_COUNT(columns); c++) {
            char text[96];
            snprintf(text, sizeof text, "op=%s,variant=%s,rows=%u,columns=%u",
                     _i % 2 ? "layernorm" : "softmax", _i / 2 ? "separate" : "fused", rows[r],
                     columns[c]);
            right("rows", text);
        }
}
END_TEST

START_TEST(KRN_02_lookups_of_any_width)
{
    static const char *const orders[] = {"sequential", "random", "skewed"};
    static const unsigned widths[] = {1, 3, 4, 8, 33, 128, 1000};
    for (size_t w = 0; w < GB_COUNT(widths); w++) {
        char text[96];
        snprintf(text, sizeof text, "order=%s,width=%u,table=400000,bytes=%u", orders[_i],
                 widths[w], 4000 + 4 * widths[w]);
        right("embedding", text);
    }
    right("embedding", "width=4,table=16,bytes=100000"); /* one row, over and over */
}
END_TEST

START_TEST(KRN_01_a_clamped_grid_still_covers_everything)
{
    dev->info.max_grid[0] = 3;
    right("rows", "op=softmax,variant=fused,rows=100,columns=300");
    right("rows", "op=layernorm,variant=separate,rows=100,columns=300");
    right("embedding", "width=12,table=100000,bytes=200000");
}
END_TEST

static const mistake mistakes[] = {
    {"rows", "op=softmax,rows=9,columns=300", 4, 8, -1, "the last row is left out"},
    {"rows", "op=softmax,rows=9,columns=300", 5, 8, -1, "a column too few"},
    {"rows", "op=layernorm,rows=9,columns=300", 5, 8, -1, "a column too few"},
    {"embedding", "width=8,bytes=32000", 3, 8, -1, "the last lookup is left out"},
    {"embedding", "width=8,bytes=32000", 4, 8, -1, "a row too short"},
};

START_TEST(KRN_06_a_wrong_launch_is_noticed)
{
    noticed(&mistakes[_i]);
}
END_TEST

START_TEST(rows_are_counted_once_each_way_whatever_the_variant)
{
    gb_need need;
    gb_work w = life_work("rows", "op=softmax,variant=fused,rows=100,columns=30", GB_CUDA, &need);
    ck_assert_uint_eq(need.device_bytes, 2 * 4 * 3000);
    ck_assert_uint_eq(w.bytes_read, 4 * 3000);
    ck_assert_uint_eq(w.bytes_written, 4 * 3000);
    ck_assert_uint_eq(w.bytes_moved, 8 * 3000);
    ck_assert_uint_eq(w.items, 100);
    ck_assert_uint_eq(w.flops, 0);
    w = life_work("rows", "op=layernorm,variant=separate,rows=100,columns=30", GB_CUDA, &need);
    ck_assert_uint_eq(need.device_bytes, 4 * (2 * 3000 + 2 * 30 + 2 * 100));
    ck_assert_uint_eq(w.bytes_moved, 4 * (2 * 3000 + 2 * 30));
    ck_assert_uint_eq(w.working_set, 4 * (2 * 3000 + 2 * 30 + 2 * 100));
}
END_TEST

START_TEST(lookups_are_counted)
{
    gb_need need;
    /* 1,000 rows of 40 bytes; 250 lookups */
    gb_work w = life_work("embedding", "width=10,table=40000,bytes=10000", GB_CUDA, &need);
    ck_assert_uint_eq(need.device_bytes, 40000 + 10000 + 250 * 4);
    ck_assert_uint_eq(w.bytes_read, 10000 + 250 * 4);
    ck_assert_uint_eq(w.bytes_written, 10000);
    ck_assert_uint_eq(w.items, 250);
    ck_assert_uint_eq(w.working_set, 2 * 10000 + 250 * 4);
    w = life_work("embedding", "width=10,table=4000,bytes=10000", GB_CUDA, &need);
    ck_assert_uint_eq(w.working_set, 4000 + 10000 + 250 * 4);
}
END_TEST

START_TEST(tables_that_make_no_sense_are_refused)
{
    static const struct {
        const char *text, *says;
    } rows[] = {{"width=100,table=399", "table is less than one row of width 100 (400 bytes)"},
                {"width=100,bytes=399", "bytes is less than one row"},
                {"width=1,table=1099511627776", "ids have 32 bits"}};
    for (size_t i = 0; i < GB_COUNT(rows); i++)
        life_answers("embedding", rows[i].text, GB_CPU, GB_INVALID, rows[i].says);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("rows");
    tcase_add_checked_fixture(tests, open_spoiled_device, close_kernel_device);
    tcase_add_test(tests, the_exponential_function_is_within_its_bound);
    tcase_add_loop_test(tests, KRN_02_rows_of_any_size, 0, 4);
    tcase_add_loop_test(tests, KRN_02_lookups_of_any_width, 0, 3);
    tcase_add_test(tests, KRN_01_a_clamped_grid_still_covers_everything);
    tcase_add_loop_test(tests, KRN_06_a_wrong_launch_is_noticed, 0, GB_COUNT(mistakes));
    tcase_add_test(tests, rows_are_counted_once_each_way_whatever_the_variant);
    tcase_add_test(tests, lookups_are_counted);
    tcase_add_test(tests, tables_that_make_no_sense_are_refused);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("rows", add_cases)
