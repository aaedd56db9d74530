/* Two runs of other devices or in other surroundings: what is refused, and what a warning. */
#include "base/json.h"
#include "unit/compare_runs_fixture.h"

START_TEST(CMP_21_another_driver_is_a_warning_or_an_error)
{
    both("x", 1);
    json_object_set_new(device_of(&b), "driver", json_string("590.01"));
    json_object_set_new(json_object_get(b.results.document, "tool"), "build",
                        json_pack("{s:s}", "cuda_architectures", "90"));
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME);
    ck_assert(warned(&c, "environment", "devices[0].driver"));
    ck_assert(warned(&c, "environment", "tool.build.cuda_architectures"));
    ck_assert_uint_eq(json_array_size(c.environment), 2);
    const json_t *entry = json_array_get(c.environment, 1);
    ck_assert_str_eq(json_string_value(json_object_get(entry, "a")), "580.10");
    ck_assert_str_eq(json_string_value(json_object_get(entry, "b")), "590.01");
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.strict_environment = true), GB_UNAVAILABLE, "devices[0].driver");
}
END_TEST

START_TEST(CMP_21_another_version_of_gpubench_alone_is_listed)
{
    both("x", 1);
    json_object_set_new(json_object_get(b.results.document, "tool"), "git", json_string("def"));
    gb_comparison c = compared_with(&a, &b, NULL, 0, HOW(.strict_environment = true));
    ck_assert_uint_eq(json_array_size(c.environment), 1);
    ck_assert(!warned(&c, "environment", ""));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(DEV_14_ecc_on_off_and_unknown_are_three_states)
{
    both("x", 1);
    gb_comparison c = compared(&a, &b);
    ck_assert(!warned(&c, "ecc", ""));
    gb_comparison_free(&c);
    json_object_set_new(device_of(&b), "ecc", json_false());
    c = compared(&a, &b);
    ck_assert(warned(&c, "ecc", "ECC is on in the baseline and off in the new run"));
    gb_comparison_free(&c);
    json_object_set_new(device_of(&b), "ecc", json_null());
    c = compared(&a, &b);
    ck_assert(warned(&c, "ecc", "ECC is on in the baseline and unknown in the new run"));
    gb_comparison_free(&c);
    json_object_set_new(device_of(&a), "ecc", json_null());
    c = compared(&a, &b);
    ck_assert(warned(&c, "ecc", "ECC is unknown in the baseline and unknown in the new run"));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(DEV_13_a_run_with_a_hardware_fault_is_no_baseline)
{
    both("x", 1);
    a.results.hardware_fault = gb_text_copy("x[n=1], device 0: uncorrectable ECC error");
    refused(&a, &b, HOW(.gate = false), GB_HARDWARE_FAULT, "uncorrectable ECC error");
    free(a.results.hardware_fault);
    a.results.hardware_fault = NULL;
    b.results.hardware_fault = gb_text_copy("x[n=1], device 0: uncorrectable ECC error");
    gb_comparison c = compared(&a, &b);
    ck_assert(warned(&c, "hardware-fault", "uncorrectable ECC error"));
    gb_comparison_free(&c);
    made_run new = run_open("new", GPU);
    run_case(&new, "x", 1, 3, 100, 0.001);
    gb_comparison d;
    ck_assert_int_eq(
        gb_compare_results(&a.results, &new.results, &b.results, 1, &HOW(.gate = false), &d, NULL),
        GB_HARDWARE_FAULT);
    gb_comparison_free(&d);
    gb_results_free(&new.results);
}
END_TEST

START_TEST(another_model_is_refused_and_gives_ratios_when_asked)
{
    both("x", 1);
    run_pair(&a, &b);
    both_times("y", 2, 3, 100, 300, 0.001);
    json_object_set_new(device_of(&b), "name", json_string("Example 5000"));
    json_object_set_new(device_of(&b), "uuid", json_string("GPU-2"));
    json_object_set_new(device_of(&b), "units", json_integer(80));
    refused(&a, &b, HOW(.gate = false), GB_INVALID, "--cross-device gives their ratios");
    refused(&a, &b, HOW(.gate = true, .cross_device = true), GB_INVALID,
            "name \"Example 9000\" / \"Example 5000\", units 132 / 80");
    gb_comparison c = compared_with(&a, &b, NULL, 0, HOW(.cross_device = true));
    ck_assert_int_eq(c.evidence, GB_EVIDENCE_CROSS_DEVICE);
    ck_assert_uint_eq(c.counts[GB_VERDICT_RATIO], 2);
    ck_assert(near(c.items[1].change, 2, 1e-9) && isnan(c.items[1].p));
    ck_assert(c.items[1].ci[0] < 2 && c.items[1].ci[1] > 2);
    ck_assert(!gb_comparison_regressed(&c));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(another_unit_of_the_model_is_a_warning_and_fails_nothing)
{
    run_pair(&a, &b);
    both_times("x", 1, 5, 100, 120, 0.001);
    json_object_set_new(device_of(&b), "uuid", json_string("GPU-2"));
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert(warned(&c, "other-unit", "two units of one model"));
    ck_assert(!gb_comparison_regressed(&c));
    gb_comparison_free(&c);
    /* What is not known is no other unit. */
    json_object_set_new(device_of(&b), "uuid", json_null());
    c = compared(&a, &b);
    ck_assert(gb_comparison_regressed(&c));
    gb_comparison_free(&c);
    /* The same card cut into other parts is another device. */
    json_object_set_new(device_of(&b), "uuid", json_string("GPU-1"));
    json_object_set_new(device_of(&b), "mig", json_string("1g.10gb"));
    refused(&a, &b, HOW(.gate = false), GB_INVALID, "mig unknown / \"1g.10gb\"");
}
END_TEST

START_TEST(devices_of_one_host_are_matched_by_uuid)
{
    json_t *second = json_loads(GPU, 0, NULL);
    json_object_set_new(second, "uuid", json_string("GPU-2"));
    json_t *devices = json_object_get(b.results.document, "devices");
    json_array_insert_new(devices, 0, json_deep_copy(second)); /* b: GPU-2, GPU-1 */
    json_array_append_new(json_object_get(a.results.document, "devices"), second);
    run_case(&a, "x", 1, 3, 100, 0.001); /* device 0: GPU-1 */
    for (uint32_t i = 0; i < 3; i++) {
        run_add(&b, "x", 1, i, 500)->device = 0;
    }
    for (uint32_t i = 0; i < 3; i++) {
        run_add(&b, "x", 1, i, 100)->device = 1;
    }
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_uint_eq(c.counts[GB_VERDICT_SUSPECT_SLOWER], 0);
    ck_assert_uint_eq(c.counts[GB_VERDICT_ONLY_NEW], 1);
    ck_assert(near(c.items[0].change, 0, 1e-9));
    gb_comparison_free(&c);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *devices = tcase_create("devices");
    tcase_add_checked_fixture(devices, open_runs, close_runs);
    tcase_add_test(devices, CMP_21_another_driver_is_a_warning_or_an_error);
    tcase_add_test(devices, CMP_21_another_version_of_gpubench_alone_is_listed);
    tcase_add_test(devices, DEV_14_ecc_on_off_and_unknown_are_three_states);
    tcase_add_test(devices, DEV_13_a_run_with_a_hardware_fault_is_no_baseline);
    tcase_add_test(devices, another_model_is_refused_and_gives_ratios_when_asked);
    tcase_add_test(devices, another_unit_of_the_model_is_a_warning_and_fails_nothing);
    tcase_add_test(devices, devices_of_one_host_are_matched_by_uuid);
    suite_add_tcase(suite, devices);
}

GB_CHECK_MAIN("compare_devices", add_cases)
