/* Several runs as one. */
#include "check_main.h"
#include "reports/merge.h"
#include "reports_fixture.h"

static void two_runs(fixture runs[2])
{
    fixture_open(&runs[0], "cpu", COPY_PLOT);
    fixture_copies(&runs[0], "pinned", 4000, 20e9, 0);
    fixture_open(&runs[1], "cuda", COPY_PLOT);
    fixture_copies(&runs[1], "pinned", 8000, 50e9, 0);
}

static const char *device_text(const gb_results *results, size_t device, const char *key)
{
    return json_string_value(json_object_get(
        json_array_get(json_object_get(results->document, "devices"), device), key));
}

START_TEST(devices_stand_one_after_the_other)
{
    static const char *const names[] = {"first", "second"};
    fixture f[2];
    two_runs(f);
    size_t n = f[0].results.n, m = f[1].results.n;
    json_object_set_new(f[1].results.document, "expectations",
                        json_pack("[{s:s, s:i}]", "text", "x", "device", 0));
    gb_results in[2] = {f[0].results, f[1].results}, out;
    gb_error err = {0};
    ck_assert_int_eq(gb_results_merge(in, names, 2, &out, &err), GB_OK);
    ck_assert_uint_eq(out.n, n + m);
    ck_assert_uint_eq(in[0].n + in[1].n, 0);
    ck_assert_int_eq(out.records[0].device, 0);
    ck_assert_int_eq(out.records[n].device, 1);
    ck_assert_double_eq(out.records[n].time.median, (8000 + 1024 / 50e9 * 1e9) * 0.999);
    ck_assert(out.complete);
    /* The same name twice: told apart by the run's. */
    ck_assert_str_eq(device_text(&out, 0, "label"), "Example device 9000, first");
    ck_assert_str_eq(gb_results_device_label(&out, 1), "Example device 9000, second");
    ck_assert_str_eq(gb_results_device_name(&out, 1), "Example device 9000");
    ck_assert_str_eq(gb_results_device_kind(&out, 1), "cuda");
    const json_t *runs = json_object_get(out.document, "runs");
    ck_assert_uint_eq(json_array_size(runs), 2);
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(runs, 1), "name")), "second");
    ck_assert(json_is_object(json_object_get(json_array_get(runs, 1), "suite")));
    /* The same plot twice is one. */
    ck_assert_uint_eq(
        json_array_size(json_object_get(json_object_get(out.document, "suite"), "plots")), 1);
    const json_t *expectation = json_array_get(json_object_get(out.document, "expectations"), 0);
    ck_assert_int_eq((int)json_integer_value(json_object_get(expectation, "device")), 1);
    gb_results_free(&in[0]);
    gb_results_free(&in[1]);
    gb_results_free(&out);
}
END_TEST

START_TEST(what_is_wrong_with_one_run_is_wrong_with_all)
{
    static const char *const names[] = {"first", "second"};
    fixture f[2];
    two_runs(f);
    f[1].results.hardware_fault = gb_text_copy("Xid 79");
    f[1].results.complete = false;
    f[1].results.torn = true;
    gb_results in[2] = {f[0].results, f[1].results}, out;
    gb_error err = {0};
    ck_assert_int_eq(gb_results_merge(in, names, 2, &out, &err), GB_OK);
    ck_assert_ptr_nonnull(out.hardware_fault);
    ck_assert_str_eq(out.hardware_fault, "Xid 79");
    ck_assert_ptr_null(in[1].hardware_fault);
    ck_assert(!out.complete && out.torn);
    gb_results_free(&in[0]);
    gb_results_free(&in[1]);
    gb_results_free(&out);
}
END_TEST

START_TEST(labels_are_unique_whatever_the_names)
{
    static const char *const names[] = {"r", "r"};
    fixture f[2];
    two_runs(f);
    gb_results in[2] = {f[0].results, f[1].results}, out;
    gb_error err = {0};
    ck_assert_int_eq(gb_results_merge(in, names, 2, &out, &err), GB_OK);
    ck_assert_str_ne(device_text(&out, 0, "label"), device_text(&out, 1, "label"));
    gb_results_free(&in[0]);
    gb_results_free(&in[1]);
    gb_results_free(&out);
}
END_TEST

START_TEST(one_run_stays_what_it_was)
{
    static const char *const names[] = {"only"};
    fixture f;
    fixture_open(&f, "cpu", COPY_PLOT);
    fixture_copies(&f, "pinned", 4000, 20e9, 0);
    f.results.complete = false;
    json_object_set_new(f.results.document, "fits", json_array());
    size_t n = f.results.n;
    gb_results out;
    gb_error err = {0};
    ck_assert_int_eq(gb_results_merge(&f.results, names, 1, &out, &err), GB_OK);
    ck_assert_uint_eq(out.n, n);
    ck_assert(!out.complete);
    ck_assert_str_eq(gb_results_device_label(&out, 0), "Example device 9000");
    ck_assert_ptr_nonnull(json_object_get(out.document, "fits"));
    ck_assert_ptr_nonnull(json_object_get(out.document, "run"));
    fixture_close(&f);
    gb_results_free(&out);
}
END_TEST

START_TEST(runs_that_do_not_go_together_are_refused)
{
    static const char *const names[] = {"a", "b"};
    for (int how = 0; how < 2; how++) {
        fixture f[2];
        two_runs(f);
        if (how == 0) {
            json_object_set_new(f[0].results.document, "schema", json_string("gpubench-results/1"));
            json_object_set_new(f[1].results.document, "schema", json_string("gpubench-results/2"));
        }
        for (size_t i = 0; how == 1 && i < f[1].results.n; i++) {
            f[1].results.records[i].flags = GB_BIT(GB_FLAG_EMULATED);
        }
        gb_results in[2] = {f[0].results, f[1].results}, out;
        gb_error err = {0};
        ck_assert_int_eq(gb_results_merge(in, names, 2, &out, &err), GB_INVALID);
        ck_assert(err.message[0] == 'b');
        ck_assert_uint_gt(in[0].n, 0);
        gb_results_free(&in[0]);
        gb_results_free(&in[1]);
    }
}
END_TEST

START_TEST(a_run_without_a_head_has_its_devices_all_the_same)
{
    static const char *const names[] = {"whole", "killed"};
    fixture f[2];
    two_runs(f);
    json_object_clear(f[1].results.document);
    f[1].results.complete = false;
    f[1].results.records[0].device = 1;
    gb_results in[2] = {f[0].results, f[1].results}, out;
    gb_error err = {0};
    ck_assert_int_eq(gb_results_merge(in, names, 2, &out, &err), GB_OK);
    ck_assert_uint_eq(json_array_size(json_object_get(out.document, "devices")), 3);
    ck_assert(!out.complete);
    ck_assert_str_eq(gb_results_device_kind(&out, 2), "unknown");
    gb_buf table = {0};
    ck_assert_int_eq(gb_report_table(&out, false, &table, &err), GB_OK);
    ck_assert_ptr_nonnull(strstr(table.data, "Example device 9000"));
    ck_assert_ptr_nonnull(strstr(table.data, "unknown, killed"));
    gb_buf_free(&table);
    gb_results_free(&in[0]);
    gb_results_free(&in[1]);
    gb_results_free(&out);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("merge");
    tcase_add_test(tests, devices_stand_one_after_the_other);
    tcase_add_test(tests, what_is_wrong_with_one_run_is_wrong_with_all);
    tcase_add_test(tests, labels_are_unique_whatever_the_names);
    tcase_add_test(tests, one_run_stays_what_it_was);
    tcase_add_test(tests, runs_that_do_not_go_together_are_refused);
    tcase_add_test(tests, a_run_without_a_head_has_its_devices_all_the_same);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("merge", add_cases)
