/* What may be compared at all, and which case with which: devices, surroundings, names, earlier
 * runs. */
#include "base/json.h"
#include "reports/compare/internal.h"
#include "unit/compare_fixture.h"

static made_run a, b;

static void open_runs(void)
{
    a = run_open("a", GPU);
    b = run_open("b", GPU);
}

static void close_runs(void)
{
    runs_close(&a, &b);
}

static void both(const char *benchmark, int n)
{
    run_case(&a, benchmark, n, 3, 100, 0.001);
    run_case(&b, benchmark, n, 3, 100, 0.001);
}

static json_t *device_of(made_run *run)
{
    return json_array_get(json_object_get(run->results.document, "devices"), 0);
}

static const gb_compared *find(const gb_comparison *c, const char *case_id)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->items[i].case_id, case_id) == 0) {
            return &c->items[i];
        }
    }
    ck_abort_msg("%s is not there", case_id);
    return NULL;
}

static bool warned(const gb_comparison *c, const char *code, const char *part)
{
    size_t i;
    const json_t *warning;
    json_array_foreach(c->warnings, i, warning)
    {
        if (strcmp(json_string_value(json_object_get(warning, "code")), code) == 0) {
            says(json_string_value(json_object_get(warning, "text")), part);
            return true;
        }
    }
    return false;
}

START_TEST(CMP_01_what_both_have_is_compared_and_the_rest_listed)
{
    both("x", 1);
    run_case(&a, "x", 2, 3, 100, 0.001);
    run_case(&a, "x", 3, 3, 100, 0.001);
    run_case(&b, "x", 4, 3, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 4);
    ck_assert_int_eq(find(&c, "x[n=1]")->verdict, GB_VERDICT_SAME);
    ck_assert_int_eq(find(&c, "x[n=2]")->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert_int_eq(find(&c, "x[n=3]")->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert_int_eq(find(&c, "x[n=4]")->verdict, GB_VERDICT_ONLY_NEW);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_01_nothing_in_common_is_an_error)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    run_case(&b, "y", 1, 3, 100, 0.001);
    refused(&a, &b, HOW(.gate = false), GB_INVALID,
            "no case in common: 1 in the baseline, 1 in the");
}
END_TEST

START_TEST(CMP_02_missing_and_failed_cases_fail_a_gate)
{
    both("x", 1);
    gb_comparison c = compared(&a, &b);
    gb_compare_options how = HOW(.gate = true), allow = HOW(.gate = true, .allow_missing = true);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    gb_comparison_free(&c);
    run_case(&b, "fresh", 2, 3, 100, 0.001); /* reported, no failure */
    c = compared(&a, &b);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    gb_comparison_free(&c);
    run_case(&a, "gone", 3, 3, 100, 0.001);
    c = compared(&a, &b);
    ck_assert(gb_comparison_incomplete(&c, &how));
    ck_assert(!gb_comparison_incomplete(&c, &allow));
    ck_assert(!gb_comparison_regressed(&c));
    gb_comparison_free(&c);
    run_case(&a, "broken", 4, 3, 100, 0.001);
    run_fail(run_add(&b, "broken", 4, 0, 100), GB_STATUS_FAILED, "launch failed");
    c = compared(&a, &b);
    ck_assert_int_eq(find(&c, "broken[n=4]")->verdict, GB_VERDICT_NOT_COMPARED);
    ck_assert(gb_comparison_incomplete(&c, &allow));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_02_what_neither_side_can_do_fails_nothing)
{
    both("x", 1);
    run_fail(run_add(&a, "y", 2, 0, 100), GB_STATUS_SKIPPED, "not here");
    run_fail(run_add(&b, "y", 2, 0, 100), GB_STATUS_SKIPPED, "not here");
    run_fail(run_add(&a, "z", 3, 0, 100), GB_STATUS_FAILED, "it used to fail");
    run_case(&b, "z", 3, 3, 100, 0.001);
    gb_compare_options how = HOW(.gate = true);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.counts[GB_VERDICT_NOT_COMPARED], 2);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_05_a_filter_that_matches_nothing_names_what_is_near)
{
    both("copy", 1);
    both("launch", 2);
    static const char *const good[] = {"launch"}, *const typo[] = {"launhc"},
                             *const far[] = {"launch", "zzzzzzzz"}, *const pattern[] = {"c*1]"};
    gb_comparison c = compared_with(&a, &b, NULL, 0, HOW(.filters = good, .n_filters = 1));
    ck_assert_uint_eq(c.n, 1);
    gb_comparison_free(&c);
    c = compared_with(&a, &b, NULL, 0, HOW(.filters = pattern, .n_filters = 1));
    ck_assert_uint_eq(c.n, 1);
    ck_assert_str_eq(c.items[0].case_id, "copy[n=1]");
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.filters = typo, .n_filters = 1), GB_INVALID, "did you mean 'launch'?");
    refused(&a, &b, HOW(.filters = far, .n_filters = 2), GB_INVALID,
            "'zzzzzzzz' matches no case of either run; there are benchmarks copy, launch");
}
END_TEST

START_TEST(CMP_13_aliases_carry_a_case_over_its_new_name)
{
    run_case(&a, "old", 1, 3, 100, 0.001);
    run_case(&b, "fresh", 1, 3, 110, 0.001);
    json_t *aliases = json_object_get(json_object_get(b.results.document, "suite"), "aliases");
    json_object_set_new(aliases, "old", json_string("fresh"));
    run_pair(&a, &b);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 1);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    gb_buf text = {0};
    ck_assert_int_eq(gb_comparison_text(&c, true, false, &text, NULL), GB_OK);
    says(text.data, "fresh[n=1] (was old[n=1])");
    gb_buf_free(&text);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_13_without_an_alias_a_rename_is_two_cases_and_a_hint)
{
    both("x", 7);
    run_case(&a, "old", 1, 3, 100, 0.001);
    run_case(&b, "fresh", 1, 3, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_uint_eq(c.n, 3);
    const gb_compared *old = find(&c, "old[n=1]"), *fresh = find(&c, "fresh[n=1]");
    ck_assert_int_eq(old->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert_int_eq(fresh->verdict, GB_VERDICT_ONLY_NEW);
    says(old->reason, "renamed? 'fresh[n=1]'");
    says(old->next, "'aliases: [old]' to benchmark 'fresh'");
    says(fresh->reason, "renamed? 'old[n=1]'");
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_14_aliases_that_make_two_cases_one_are_an_error)
{
    run_case(&a, "old", 1, 3, 100, 0.001);
    both("fresh", 1);
    json_t *aliases = json_object_get(json_object_get(b.results.document, "suite"), "aliases");
    json_object_set_new(aliases, "old", json_string("fresh"));
    refused(&a, &b, HOW(.gate = false), GB_INVALID, "which one to compare with is not known");
}
END_TEST

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
    run_case(&a, "y", 2, 3, 100, 0.001);
    run_case(&b, "y", 2, 3, 300, 0.001);
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
    run_case(&a, "x", 1, 5, 100, 0.001);
    run_case(&b, "x", 1, 5, 120, 0.001);
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

START_TEST(unfinished_runs_are_compared_and_marked)
{
    both("x", 1);
    a.results.complete = false;
    run_fail(run_add(&a, "x", 1, 3, 100), GB_STATUS_NOT_RUN, "interrupted");
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME);
    ck_assert(warned(&c, "incomplete", "the baseline did not finish"));
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.gate = true), GB_INVALID, "the baseline did not finish");
    a.results.complete = true;
    b.results.complete = false;
    c = compared_with(&a, &b, NULL, 0, HOW(.gate = true));
    ck_assert(warned(&c, "incomplete", "the new run did not finish"));
    gb_comparison_free(&c);
}
END_TEST

/* Nights of `factor` each, compared with the last of them. */
static gb_comparison nights(const double factors[], size_t n, double last, gb_results others[])
{
    gb_results_free(&a.results);
    gb_results_free(&b.results);
    open_runs();
    run_case(&a, "x", 1, 3, 100 * factors[0], 0.001);
    run_case(&b, "x", 1, 3, 100 * last, 0.001);
    for (size_t i = 1; i < n; i++) {
        char id[32];
        snprintf(id, sizeof id, "night %zu", i);
        made_run other = run_open(id, GPU);
        run_case(&other, "x", 1, 3, 100 * factors[i], 0.001);
        others[i - 1] = other.results;
    }
    return compared_with(&a, &b, others, n - 1, HOW(.gate = false));
}

static void close_nights(gb_comparison *c, gb_results others[], size_t n)
{
    gb_comparison_free(c);
    for (size_t i = 0; i + 1 < n; i++) {
        gb_results_free(&others[i]);
    }
}

START_TEST(earlier_runs_tell_how_far_runs_differ)
{
    static const double quiet[] = {1, 1.002, 0.998, 1.001, 0.999};
    static const double loud[] = {1, 1.06, 0.95, 1.03, 0.98};
    gb_results others[8];
    gb_comparison c = nights(quiet, 5, 1.04, others);
    ck_assert_int_eq(c.evidence, GB_EVIDENCE_BASELINES);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert(gb_comparison_regressed(&c));
    ck_assert_uint_eq(c.items[0].n_a, 5);
    close_nights(&c, others, 5);
    c = nights(loud, 5, 1.04, others);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_INCONCLUSIVE);
    close_nights(&c, others, 5);
    c = nights(quiet, 5, 1.001, others);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SAME);
    close_nights(&c, others, 5);
    c = nights(quiet, 2, 1.04, others);
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_INSUFFICIENT);
    says(c.items[0].reason, "2 earlier runs");
    close_nights(&c, others, 2);
}
END_TEST

START_TEST(one_run_counts_once)
{
    both("x", 1);
    made_run other = run_open("c", GPU);
    run_case(&other, "x", 1, 3, 100, 0.001);
    gb_results twice[] = {other.results, other.results};
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    gb_comparison c;
    gb_error err = {0};
    ck_assert_int_eq(gb_compare_results(&a.results, &b.results, twice, 2, &how, &c, &err),
                     GB_INVALID);
    says(err.message, "run c is given twice");
    gb_comparison_free(&c);
    twice[1] = b.results;
    ck_assert_int_eq(gb_compare_results(&a.results, &b.results, twice, 2, &how, &c, &err),
                     GB_INVALID);
    says(err.message, "run b is given twice");
    gb_comparison_free(&c);
    gb_results_free(&other.results);
}
END_TEST

/* Four good nights beside the first one, which a case leaves out in its own way. */
static gb_comparison after_a_bad_first(double last, gb_results others[4], gb_compare_options how)
{
    static const double factors[] = {1.002, 0.998, 1.001, 0.999};
    both("y", 9);
    run_case(&b, "x", 1, 3, 100 * last, 0.001);
    for (int i = 0; i < 4; i++) {
        char id[32];
        snprintf(id, sizeof id, "night %d", i);
        made_run other = run_open(id, GPU);
        run_case(&other, "y", 9, 3, 100, 0.001);
        run_case(&other, "x", 1, 3, 100 * factors[i], 0.001);
        others[i] = other.results;
    }
    return compared_with(&a, &b, others, 4, how);
}

static void expect_slower_by_four(void)
{
    gb_results others[4];
    gb_comparison c = after_a_bad_first(1.5, others, HOW(.gate = true));
    const gb_compared *x = find(&c, "x[n=1]");
    ck_assert_msg(x->verdict == GB_VERDICT_SLOWER, "%s: %s", gb_verdict_word(x->verdict),
                  x->reason);
    ck_assert_uint_eq(x->n_a, 4);
    ck_assert(near(x->change, 0.5, 0.001));
    ck_assert(gb_comparison_regressed(&c));
    ck_assert_uint_eq(c.counts[GB_VERDICT_ONLY_NEW], 0);
    close_nights(&c, others, 5);
}

START_TEST(CMP_02_a_case_that_failed_in_the_first_baseline_alone_is_judged)
{
    run_fail(run_add(&a, "x", 1, 0, 100), GB_STATUS_FAILED, "a bad night");
    expect_slower_by_four();
}
END_TEST

START_TEST(CMP_02_a_case_missing_in_the_first_baseline_alone_is_judged)
{
    expect_slower_by_four();
}
END_TEST

START_TEST(CMP_20_a_case_of_another_definition_in_the_first_baseline_alone_is_judged)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    for (size_t i = 0; i < a.results.n; i++) {
        a.results.records[i].definition[0] = 'f';
    }
    expect_slower_by_four();
}
END_TEST

START_TEST(TIM_17_a_case_of_two_groups_in_the_first_baseline_alone_is_judged)
{
    run_case(&a, "x", 1, 3, 100, 0.001);
    for (size_t i = 0; i < a.results.n; i++) {
        gb_record *r = &a.results.records[i];
        r->flags = GB_BIT(GB_FLAG_BIMODAL);
        r->time.mode_counts[0] = r->time.mode_counts[1] = 5;
    }
    expect_slower_by_four();
}
END_TEST

START_TEST(a_case_without_a_value_in_the_first_baseline_alone_is_judged)
{
    for (uint32_t i = 0; i < 3; i++) {
        run_add(&a, "x", 1, i, 0);
    }
    expect_slower_by_four();
}
END_TEST

START_TEST(CMP_02_a_case_of_later_baselines_alone_is_missed)
{
    gb_results others[4];
    gb_compare_options how = HOW(.gate = true);
    both("z", 5);
    gb_comparison c = after_a_bad_first(1, others, how);
    ck_assert(!gb_comparison_incomplete(&c, &how));
    close_nights(&c, others, 5);
    runs_close(&a, &b);
    open_runs();
    made_run fourth = run_open("fourth", GPU);
    made_run third = run_open("third", GPU);
    both("y", 9);
    run_case(&third, "y", 9, 3, 100, 0.001);
    run_case(&third, "gone", 1, 3, 100, 0.001);
    run_case(&fourth, "y", 9, 3, 100, 0.001);
    run_case(&fourth, "gone", 1, 3, 100, 0.001);
    gb_results two[] = {third.results, fourth.results};
    c = compared_with(&a, &b, two, 2, how);
    ck_assert_uint_eq(c.counts[GB_VERDICT_ONLY_BASELINE], 1);
    ck_assert_int_eq(find(&c, "gone[n=1]")->verdict, GB_VERDICT_ONLY_BASELINE);
    ck_assert(gb_comparison_incomplete(&c, &how));
    says(gb_comparison_headline(&c), "The gate fails: cases are missing in the new run");
    gb_comparison_free(&c);
    runs_close(&third, &fourth);
}
END_TEST

START_TEST(a_run_is_not_compared_with_itself)
{
    gb_results others[1];
    both("x", 1);
    json_object_set_new(json_object_get(b.results.document, "run"), "id", json_string("a"));
    gb_comparison c = compared(&a, &b);
    ck_assert(warned(&c, "same-run", "run a is given twice"));
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.gate = true), GB_INVALID, "run a is given twice");
    made_run other = run_open("c", GPU);
    run_case(&other, "x", 1, 3, 100, 0.001);
    others[0] = other.results;
    gb_error err = {0};
    gb_compare_options how = GB_COMPARE_DEFAULTS;
    ck_assert_int_eq(gb_compare_results(&a.results, &b.results, others, 1, &how, &c, &err),
                     GB_INVALID);
    says(err.message, "baseline and new run are one: run a is given twice");
    gb_comparison_free(&c);
    gb_results_free(&other.results);
}
END_TEST

START_TEST(an_earlier_run_of_another_unit_does_not_count)
{
    static const double quiet[] = {1, 1.002, 0.998, 1.001, 3};
    gb_results others[8];
    gb_comparison c = nights(quiet, 5, 1.04, others);
    ck_assert_int_ne(c.items[0].verdict, GB_VERDICT_SLOWER);
    gb_comparison_free(&c);
    json_t *last = json_array_get(json_object_get(others[3].document, "devices"), 0);
    json_object_set_new(last, "uuid", json_string("GPU-2"));
    c = compared_with(&a, &b, others, 4, HOW(.gate = false));
    ck_assert(warned(&c, "other-unit", "earlier run night 4 is of another unit"));
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert_uint_eq(c.items[0].n_a, 4);
    ck_assert_uint_eq(c.n_baselines, 4);
    gb_comparison_free(&c);
    /* Nor does the first one alone, when the rest is of the new run's unit. */
    json_object_set_new(last, "uuid", json_string("GPU-1"));
    json_object_set_new(device_of(&a), "uuid", json_string("GPU-2"));
    c = compared_with(&a, &b, others, 3, HOW(.gate = false));
    ck_assert(warned(&c, "other-unit", "earlier run a is of another unit"));
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SLOWER);
    ck_assert_uint_eq(c.items[0].n_a, 3);
    ck_assert_ptr_eq(c.a, &others[0]);
    gb_comparison_free(&c);
    json_object_set_new(device_of(&a), "uuid", json_string("GPU-1"));
    /* The new run of another unit: that, and not two sessions, is why there is no verdict. */
    json_object_set_new(device_of(&b), "uuid", json_string("GPU-3"));
    c = compared_with(&a, &b, others, 3, HOW(.gate = false));
    ck_assert_uint_eq(c.counts[GB_VERDICT_SLOWER], 0);
    ck_assert_uint_eq(c.counts[GB_VERDICT_SUSPECT_SLOWER], 1);
    says(gb_comparison_headline(&c), "Slower on another unit of the same model");
    gb_buf text = {0};
    gb_comparison_rule(&c, &text);
    says(text.data, "two units of one model");
    gb_buf_free(&text);
    close_nights(&c, others, 5);
}
END_TEST

START_TEST(CMP_13_a_filter_that_fits_two_names_offers_the_rename)
{
    static const char *const filters[] = {"copy"};
    both("x", 7);
    run_case(&a, "copy_old", 1, 3, 100, 0.001);
    run_case(&b, "copy_new", 1, 3, 100, 0.001);
    refused(&a, &b, HOW(.filters = filters, .n_filters = 1), GB_INVALID,
            "renamed? 'copy_new[n=1]' of the new run is defined alike; if so, add 'aliases: "
            "[copy_old]' to benchmark 'copy_new'");
}
END_TEST

START_TEST(a_gate_with_two_sessions_says_that_it_has_no_teeth)
{
    both("x", 1);
    gb_comparison c = compared_with(&a, &b, NULL, 0, HOW(.gate = true));
    ck_assert(warned(&c, "gate-without-teeth", "two sessions tell no regression"));
    gb_comparison_free(&c);
    c = compared(&a, &b);
    ck_assert(!warned(&c, "gate-without-teeth", ""));
    gb_comparison_free(&c);
    run_pair(&a, &b);
    c = compared_with(&a, &b, NULL, 0, HOW(.gate = true));
    ck_assert(!warned(&c, "gate-without-teeth", ""));
    gb_comparison_free(&c);
}
END_TEST

START_TEST(halves_the_wrong_way_round_are_told)
{
    both("x", 1);
    run_pair(&a, &b);
    gb_comparison c = compared(&a, &b);
    ck_assert(!warned(&c, "reversed", ""));
    gb_comparison_free(&c);
    run_pair(&b, &a);
    c = compared(&a, &b);
    ck_assert(warned(&c, "reversed", "the wrong way round"));
    gb_comparison_free(&c);
    refused(&a, &b, HOW(.gate = true), GB_INVALID, "the wrong way round");
}
END_TEST

START_TEST(CMP_12_a_pinned_reference_sees_slow_decay_and_a_rolling_window_does_not)
{
    double factors[21];
    gb_results others[8];
    for (int i = 0; i <= 20; i++) {
        factors[i] = pow(1.01, i);
    }
    gb_comparison c = nights(factors, 1, factors[20], others);
    ck_assert(near(c.items[0].change, 0.22, 0.001));
    ck_assert_int_eq(c.items[0].verdict, GB_VERDICT_SUSPECT_SLOWER);
    close_nights(&c, others, 1);
    for (int night = 6; night <= 20; night++) {
        c = nights(factors + night - 6, 6, factors[night], others);
        ck_assert_int_eq(c.evidence, GB_EVIDENCE_BASELINES);
        ck_assert_int_ne(c.items[0].verdict, GB_VERDICT_SLOWER);
        ck_assert(!gb_comparison_regressed(&c));
        close_nights(&c, others, 6);
    }
}
END_TEST

static json_t *strict_json(const gb_comparison *c)
{
    json_t *json = NULL, *again = NULL;
    gb_error err = {0};
    ck_assert_int_eq(gb_comparison_json(c, &json, &err), GB_OK);
    char *text = json_dumps(json, JSON_INDENT(1));
    ck_assert_ptr_nonnull(text);
    ck_assert_ptr_null(strstr(text, ": nan"));
    ck_assert_int_eq(gb_json_load(text, strlen(text), "x", &again, &err), GB_OK);
    free(text);
    json_decref(json);
    return again;
}

START_TEST(RES_01_what_is_not_finite_is_null_in_JSON)
{
    both("x", 1);
    run_case(&a, "gone", 2, 3, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    json_t *json = strict_json(&c);
    const json_t *last = json_array_get(json_object_get(json, "cases"), 0);
    ck_assert_str_eq(json_string_value(json_object_get(last, "verdict")), "only in baseline");
    ck_assert(json_is_null(json_object_get(last, "change")));
    ck_assert(json_is_null(json_object_get(last, "new")));
    ck_assert(json_is_null(json_object_get(json, "noise_floor")));
    json_decref(json);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(RES_05_keys_are_unique)
{
    /* strict_json refuses a second one: a case of every verdict that there can be at once. */
    both("x", 1);
    both("x", 2);
    b.results.records[b.results.n - 1].definition[0] = 'f';
    b.results.records[b.results.n - 2].definition[0] = 'f';
    b.results.records[b.results.n - 3].definition[0] = 'f';
    run_case(&a, "gone", 3, 3, 100, 0.001);
    run_case(&b, "fresh", 4, 3, 100, 0.001);
    run_case(&a, "few", 5, 1, 100, 0.001);
    run_case(&b, "few", 5, 1, 100, 0.001);
    json_object_set_new(device_of(&b), "driver", json_string("590.01"));
    gb_comparison c = compared(&a, &b);
    json_t *json = strict_json(&c);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "cases")), 5);
    ck_assert_uint_eq(json_object_size(json_object_get(json, "counts")), GB_VERDICT_COUNT);
    ck_assert_uint_eq(json_array_size(json_object_get(json, "environment")), 1);
    json_decref(json);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(RES_02_a_case_called_NaN_keeps_its_name)
{
    both("NaN_Infinity_test", 1);
    both("<b>|`\xc3\xa9", 2);
    gb_comparison c = compared(&a, &b);
    json_t *json = strict_json(&c);
    gb_buf text = {0}, markdown = {0};
    const json_t *cases = json_object_get(json, "cases");
    ck_assert_str_eq(json_string_value(json_object_get(json_array_get(cases, 0), "case")),
                     "NaN_Infinity_test[n=1]");
    ck_assert_int_eq(gb_comparison_text(&c, true, false, &text, NULL), GB_OK);
    says(text.data, "NaN_Infinity_test[n=1]");
    ck_assert_int_eq(gb_comparison_markdown(&c, 10, &markdown, NULL), GB_OK);
    says(markdown.data, "2 same");
    json_decref(json);
    gb_buf_free(&text);
    gb_buf_free(&markdown);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(CMP_24_a_verdict_can_be_made_again_from_the_JSON)
{
    run_pair(&a, &b);
    run_case(&a, "x", 1, 5, 100, 0.004);
    run_case(&b, "x", 1, 5, 103, 0.004);
    gb_comparison c = compared(&a, &b);
    json_t *json = strict_json(&c);
    const json_t *one = json_array_get(json_object_get(json, "cases"), 0);
    double y[2][5], mean[2] = {0, 0}, squares = 0;
    static const char *const sides[] = {"baseline", "new"};
    for (size_t s = 0; s < 2; s++) {
        const json_t *values = json_object_get(json_object_get(one, sides[s]), "replicates");
        ck_assert_uint_eq(json_array_size(values), 5);
        for (size_t i = 0; i < 5; i++) {
            y[s][i] = log(json_number_value(json_array_get(values, i)));
            mean[s] += y[s][i] / 5;
        }
        for (size_t i = 0; i < 5; i++) {
            squares += (y[s][i] - mean[s]) * (y[s][i] - mean[s]);
        }
    }
    ck_assert(
        near(json_number_value(json_object_get(one, "change")), expm1(mean[1] - mean[0]), 1e-12));
    ck_assert(near(json_number_value(json_object_get(one, "se")), sqrt(squares / 20), 1e-12));
    ck_assert(json_number_value(json_object_get(one, "p")) < 0.01);
    ck_assert(json_number_value(json_object_get(one, "threshold")) == 0.02);
    ck_assert_str_eq(json_string_value(json_object_get(one, "verdict")), "slower");
    ck_assert_str_eq(json_string_value(json_object_get(json, "evidence")), "interleaved");
    json_decref(json);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(markdown_has_the_verdict_first_and_a_limit)
{
    run_pair(&a, &b);
    for (int n = 0; n < 9; n++) {
        run_case(&a, "x|y", n, 5, 100, 0.001);
        run_case(&b, "x|y", n, 5, 110 + n, 0.001);
    }
    gb_comparison c = compared(&a, &b);
    gb_buf text = {0};
    ck_assert_int_eq(gb_comparison_markdown(&c, 4, &text, NULL), GB_OK);
    ck_assert_ptr_eq(strstr(text.data, "## Regression"), text.data);
    says(text.data, "9 slower");
    says(text.data, "5 more cases are left out here");
    says(text.data, "x\\|y\\[n=8\\]");
    ck_assert_ptr_null(strstr(text.data, "n=0"));
    gb_buf_free(&text);
    gb_comparison_free(&c);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("runs");
    tcase_add_checked_fixture(tcase, open_runs, close_runs);
    tcase_add_test(tcase, CMP_01_what_both_have_is_compared_and_the_rest_listed);
    tcase_add_test(tcase, CMP_01_nothing_in_common_is_an_error);
    tcase_add_test(tcase, CMP_02_missing_and_failed_cases_fail_a_gate);
    tcase_add_test(tcase, CMP_02_what_neither_side_can_do_fails_nothing);
    tcase_add_test(tcase, CMP_05_a_filter_that_matches_nothing_names_what_is_near);
    tcase_add_test(tcase, CMP_13_aliases_carry_a_case_over_its_new_name);
    tcase_add_test(tcase, CMP_13_without_an_alias_a_rename_is_two_cases_and_a_hint);
    tcase_add_test(tcase, CMP_14_aliases_that_make_two_cases_one_are_an_error);
    tcase_add_test(tcase, CMP_21_another_driver_is_a_warning_or_an_error);
    tcase_add_test(tcase, CMP_21_another_version_of_gpubench_alone_is_listed);
    tcase_add_test(tcase, DEV_14_ecc_on_off_and_unknown_are_three_states);
    tcase_add_test(tcase, DEV_13_a_run_with_a_hardware_fault_is_no_baseline);
    tcase_add_test(tcase, another_model_is_refused_and_gives_ratios_when_asked);
    tcase_add_test(tcase, another_unit_of_the_model_is_a_warning_and_fails_nothing);
    tcase_add_test(tcase, devices_of_one_host_are_matched_by_uuid);
    tcase_add_test(tcase, unfinished_runs_are_compared_and_marked);
    tcase_add_test(tcase, earlier_runs_tell_how_far_runs_differ);
    tcase_add_test(tcase, one_run_counts_once);
    tcase_add_test(tcase, CMP_02_a_case_that_failed_in_the_first_baseline_alone_is_judged);
    tcase_add_test(tcase, CMP_02_a_case_missing_in_the_first_baseline_alone_is_judged);
    tcase_add_test(tcase,
                   CMP_20_a_case_of_another_definition_in_the_first_baseline_alone_is_judged);
    tcase_add_test(tcase, TIM_17_a_case_of_two_groups_in_the_first_baseline_alone_is_judged);
    tcase_add_test(tcase, a_case_without_a_value_in_the_first_baseline_alone_is_judged);
    tcase_add_test(tcase, CMP_02_a_case_of_later_baselines_alone_is_missed);
    tcase_add_test(tcase, a_run_is_not_compared_with_itself);
    tcase_add_test(tcase, an_earlier_run_of_another_unit_does_not_count);
    tcase_add_test(tcase, CMP_13_a_filter_that_fits_two_names_offers_the_rename);
    tcase_add_test(tcase, a_gate_with_two_sessions_says_that_it_has_no_teeth);
    tcase_add_test(tcase, halves_the_wrong_way_round_are_told);
    tcase_add_test(tcase, CMP_12_a_pinned_reference_sees_slow_decay_and_a_rolling_window_does_not);
    tcase_add_test(tcase, RES_01_what_is_not_finite_is_null_in_JSON);
    tcase_add_test(tcase, RES_05_keys_are_unique);
    tcase_add_test(tcase, RES_02_a_case_called_NaN_keeps_its_name);
    tcase_add_test(tcase, CMP_24_a_verdict_can_be_made_again_from_the_JSON);
    tcase_add_test(tcase, markdown_has_the_verdict_first_and_a_limit);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("compare_runs", add_cases)
