#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/session.h"
#include "unit/check_main.h"

#define CASES 5

/* Results of `devices` devices with CASES cases of 1000 ns each, device d's times `factor[d]`. */
static gb_results results_of(size_t devices, const double factor[])
{
    gb_results results = {.document = json_object(), .complete = true};
    json_t *list = json_array();
    results.records = calloc(devices * CASES, sizeof *results.records);
    for (size_t d = 0; d < devices; d++) {
        json_array_append_new(list, json_pack("{s:s}", "kind", "cuda"));
        for (uint32_t c = 0; c < CASES; c++) {
            gb_record *r = &results.records[results.n++];
            char id[16];
            snprintf(id, sizeof id, "b[n=%u]", c);
            gb_record_init(r);
            r->case_id = gb_text_copy(id);
            r->benchmark = gb_text_copy("b");
            r->kernel = gb_text_copy("k");
            r->params = json_pack("{s:i}", "n", (int)c);
            r->device = (int)d;
            r->index = c;
            r->status = GB_STATUS_OK;
            r->time.n = 10;
            r->time.median = 1000 * (c + 1) * factor[d];
        }
    }
    json_object_set_new(results.document, "devices", list);
    return results;
}

START_TEST(the_slow_one_of_four_is_named)
{
    gb_results results = results_of(4, (const double[]){1, 1.01, 1.2, 0.99});
    int device = -1;
    double ratio = 0;
    ck_assert(gb_odd_device(&results, &device, &ratio));
    ck_assert_int_eq(device, 2);
    ck_assert_double_gt(ratio, 1.15);
    ck_assert_double_lt(ratio, 1.25);
    gb_results_free(&results);
}
END_TEST

START_TEST(equal_devices_have_no_odd_one)
{
    gb_results results = results_of(3, (const double[]){1, 1.02, 0.99});
    int device;
    double ratio;
    ck_assert(!gb_odd_device(&results, &device, &ratio));
    gb_results_free(&results);
}
END_TEST

START_TEST(two_devices_do_not_tell_which_is_odd)
{
    gb_results results = results_of(2, (const double[]){1, 2});
    int device;
    double ratio;
    ck_assert(!gb_odd_device(&results, &device, &ratio));
    gb_results_free(&results);
}
END_TEST

START_TEST(failed_cases_do_not_count)
{
    gb_results results = results_of(3, (const double[]){1, 1, 1});
    for (size_t i = 0; i < results.n; i++) {
        if (results.records[i].device == 1 && results.records[i].index > 0)
            results.records[i].status = GB_STATUS_FAILED;
        else if (results.records[i].device == 1)
            results.records[i].time.median = 500;
    }
    int device = -1;
    double ratio;
    ck_assert(gb_odd_device(&results, &device, &ratio));
    ck_assert_int_eq(device, 1);
    ck_assert_double_lt(ratio, 0.6);
    gb_results_free(&results);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("odd device");
    tcase_add_test(c, the_slow_one_of_four_is_named);
    tcase_add_test(c, equal_devices_have_no_odd_one);
    tcase_add_test(c, two_devices_do_not_tell_which_is_odd);
    tcase_add_test(c, failed_cases_do_not_count);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_odd", add_cases)
