/* DEV-13: a run in which the hardware failed says so for good, and is no baseline. */
#include "unit/record_sample.h"

#include "record/internal.h"
#include "reports/report.h"

#define REASON "cudaStreamSynchronize: 214 (cudaErrorECCUncorrectable: uncorrectable ECC error)"

static char tree[256];
static gb_error err;

static void set_up(void)
{
    make_tree(tree, sizeof tree);
    err = (gb_error){0};
}

static void tear_down(void)
{
    remove_tree(tree);
}

static void append(gb_run_dir *dir, const char *name, gb_code failure)
{
    gb_record r;
    gb_error why;
    sample_record(&r, name, 1024, 0, 8, 1000);
    if (failure != GB_OK) {
        gb_fail(&why, failure, REASON);
        ck_assert_int_eq(gb_record_fail(&r, GB_STATUS_FAILED, &why), GB_OK);
    }
    ck_assert_msg(gb_run_dir_append(dir, &r, &err) == GB_OK, "%s", err.message);
    gb_record_free(&r);
}

/* A session of a run: one record of the case "copy", with this failure. */
static void session(const char *path, bool resume, gb_code failure, bool finish)
{
    gb_run_dir *dir = NULL;
    gb_head head = sample_head("20260115T101500Z-0001");
    ck_assert_msg(gb_run_dir_open(path, resume, &dir, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(gb_run_dir_begin(dir, &head, &err), GB_OK);
    append(dir, "copy", failure);
    if (finish) {
        append(dir, "other", GB_OK);
        ck_assert_int_eq(gb_run_dir_finish(dir, &head, true, &err), GB_OK);
    }
    gb_run_dir_close(dir);
    gb_head_free(&head);
}

static void is_marked(const char *path)
{
    gb_results results;
    ck_assert_msg(gb_results_load(path, false, &results, &err) == GB_OK, "%s", err.message);
    ck_assert_int_eq(gb_results_baseline(&results, &err), GB_HARDWARE_FAULT);
    ck_assert_str_eq(err.message, "this run cannot serve as a baseline, as the hardware failed in "
                                  "it: copy[bytes=1024], device 0, replicate 0: " REASON);
    gb_buf table = {0};
    ck_assert_int_eq(gb_report_table(&results, false, &table, &err), GB_OK);
    ck_assert_contains(table.data, "hardware fault: copy[bytes=1024], device 0");
    ck_assert_contains(table.data, "This run cannot serve as a baseline.");
    gb_buf_free(&table);
    gb_results_free(&results);
}

START_TEST(DEV_13_a_run_with_a_hardware_fault_is_no_baseline)
{
    char path[300];
    snprintf(path, sizeof path, "%s/run", tree);
    session(path, false, GB_HARDWARE_FAULT, true);
    is_marked(path);
}
END_TEST

START_TEST(DEV_13_a_resumed_run_stays_marked)
{
    char path[300];
    gb_results results;
    snprintf(path, sizeof path, "%s/run", tree);
    session(path, false, GB_HARDWARE_FAULT, false);
    is_marked(path); /* unfinished: from the lines */
    session(path, true, GB_OK, true);
    is_marked(path); /* from the document: the record itself is replaced */
    ck_assert_int_eq(gb_results_load(path, false, &results, &err), GB_OK);
    ck_assert(results.complete);
    for (size_t i = 0; i < results.n; i++) {
        ck_assert_int_eq(results.records[i].status, GB_STATUS_OK);
    }
    gb_results_free(&results);
}
END_TEST

START_TEST(DEV_13_other_failures_are_no_hardware_fault)
{
    static const gb_code others[] = {GB_OK, GB_DEVICE_ERROR, GB_WRONG_RESULT, GB_TIMEOUT};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        char path[300], *text;
        gb_results results;
        snprintf(path, sizeof path, "%s/run%zu", tree, i);
        session(path, false, others[i], true);
        ck_assert_int_eq(gb_results_load(path, false, &results, &err), GB_OK);
        ck_assert_int_eq(gb_results_baseline(&results, &err), GB_OK);
        ck_assert(json_is_null(json_object_get(results.document, "hardware_fault")));
        gb_results_free(&results);
        strcat(path, "/results.json");
        text = read_file(path);
        ck_assert_contains(text, "\"hardware_fault\":null");
        free(text);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("baseline");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, DEV_13_a_run_with_a_hardware_fault_is_no_baseline);
    tcase_add_test(tc, DEV_13_a_resumed_run_stays_marked);
    tcase_add_test(tc, DEV_13_other_failures_are_no_hardware_fault);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("baseline", add_cases)
