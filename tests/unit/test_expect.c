/* `expect:` against records made by hand. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "suite/expect.h"
#include "unit/check_main.h"
#include "unit/locale_case.h"
#include "unit/suite_catalog.h"

#define MOST 64

typedef struct fixture {
    gb_suite *suite;
    gb_record records[MOST];
    size_t n;
    gb_expect_results results;
} fixture;

/* A suite whose one benchmark has these expectations. */
static fixture with(const char *expectations)
{
    char *text = gb_text_format(
        "gpubench: 1\nname: x\nbenchmarks:\n  - name: copy\n    kernel: copy\n"
        "    axes: {direction: [h2d, d2h], memory: [pinned, pageable], bytes: [1KiB, 1MiB]}\n"
        "    expect: [%s]\n",
        expectations);
    fixture f = {.suite = test_suite(text)};
    free(text);
    return f;
}

static void drop(fixture *f)
{
    for (size_t i = 0; i < f->n; i++)
        gb_record_free(&f->records[i]);
    gb_expect_results_free(&f->results);
    gb_suite_free(f->suite);
}

/* Adds a record; its time is 1 KiB or 1 MiB over the bandwidth. */
static gb_record *add(fixture *f, const char *direction, const char *memory, json_int_t bytes,
                      uint32_t replicate, double bandwidth)
{
    ck_assert_uint_lt(f->n, MOST);
    gb_record *r = &f->records[f->n++];
    gb_record_init(r);
    r->case_id =
        gb_text_format("copy[bytes=%d,direction=%s,memory=%s]", (int)bytes, direction, memory);
    r->benchmark = gb_text_copy("copy");
    r->kernel = gb_text_copy("copy");
    r->params =
        json_pack("{s:s, s:s, s:I}", "direction", direction, "memory", memory, "bytes", bytes);
    r->replicate = replicate;
    r->status = GB_STATUS_OK;
    r->time.median = (double)bytes / bandwidth * 1e9;
    r->n_metrics = 1;
    strcpy(r->metrics[0].name, "bandwidth");
    strcpy(r->metrics[0].unit, "B/s");
    r->metrics[0].value = bandwidth;
    return r;
}

static void evaluate(fixture *f, size_t met, size_t failed, size_t unknown)
{
    gb_error err = {0};
    gb_code code = gb_expect_evaluate(f->suite, f->records, f->n, &f->results, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    ck_assert_uint_eq(f->results.n_met, met);
    ck_assert_uint_eq(f->results.n_failed, failed);
    ck_assert_uint_eq(f->results.n_unknown, unknown);
    ck_assert_uint_eq(f->results.n, met + failed + unknown + f->results.n_skipped);
}

START_TEST(a_ratio_is_one_of_geometric_centres_in_each_group)
{
    fixture f =
        with("{metric: bandwidth, of: {memory: pinned}, over: {memory: pageable}, min: 1.2}");
    /* h2d, 1 KiB: centres 3 (the median is 2) and 2 -> 1.5; h2d, 1 MiB: 10 / 10 -> 1; d2h has one
     * side only. */
    static const double pinned[] = {2e9, 1e9, 13.5e9};
    static const double pageable[] = {4e9, 1e9, 2e9};
    for (uint32_t r = 0; r < 3; r++) {
        add(&f, "h2d", "pinned", 1024, r, pinned[r]);
        add(&f, "h2d", "pageable", 1024, r, pageable[r]);
    }
    add(&f, "h2d", "pinned", 1048576, 0, 10e9);
    add(&f, "h2d", "pageable", 1048576, 0, 10e9);
    add(&f, "d2h", "pinned", 1024, 0, 1e9);
    evaluate(&f, 1, 1, 0);
    /* cases in the order of their ids */
    const gb_expect_result *met = &f.results.items[0];
    const gb_expect_result *failed = &f.results.items[1];
    if (met->outcome != GB_EXPECT_MET) {
        met = &f.results.items[1];
        failed = &f.results.items[0];
    }
    ck_assert_int_eq(met->outcome, GB_EXPECT_MET);
    ck_assert_double_eq_tol(met->of, 3e9, 1e-3);
    ck_assert_double_eq_tol(met->over, 2e9, 1e-3);
    ck_assert_double_eq_tol(met->value, 1.5, 1e-12);
    ck_assert_str_eq(met->text, "copy: bandwidth of memory=pinned over memory=pageable >= 1.2 at "
                                "direction=h2d, bytes=1KiB");
    ck_assert_str_eq(met->detail, "1.5 = 3.00 GB/s / 2.00 GB/s");
    ck_assert_int_eq(failed->outcome, GB_EXPECT_FAILED);
    ck_assert_double_eq(failed->value, 1);
    ck_assert_str_eq(failed->text,
                     "copy: bandwidth of memory=pinned over memory=pageable >= 1.2 at "
                     "direction=h2d, bytes=1MiB");
    ck_assert_ptr_eq(failed->benchmark, &f.suite->benchmarks[0]);
    ck_assert_ptr_eq(failed->expect, &f.suite->benchmarks[0].expects[0]);
    drop(&f);
}
END_TEST

START_TEST(where_applies_to_both_sides_and_devices_stay_apart)
{
    fixture f = with("{metric: bandwidth, where: {bytes: \">=1MiB\"}, of: {memory: pinned}, over: "
                     "{memory: pageable}, max: 3}");
    add(&f, "h2d", "pinned", 1024, 0, 9e9);
    add(&f, "h2d", "pageable", 1024, 0, 1e9);
    add(&f, "h2d", "pinned", 1048576, 0, 4e9);
    add(&f, "h2d", "pageable", 1048576, 0, 2e9);
    add(&f, "h2d", "pinned", 1048576, 0, 8e9)->device = 1;
    add(&f, "h2d", "pageable", 1048576, 0, 2e9)->device = 1;
    evaluate(&f, 1, 1, 0);
    ck_assert_int_eq(f.results.items[0].device, 0);
    ck_assert_double_eq(f.results.items[0].value, 2);
    ck_assert_int_eq(f.results.items[1].device, 1);
    ck_assert_double_eq(f.results.items[1].value, 4);
    drop(&f);
}
END_TEST

START_TEST(a_value_is_compared_in_base_units)
{
    fixture f = with("{metric: bandwidth, where: {direction: h2d}, min: 2GB/s}, "
                     "{metric: time, where: {memory: pinned}, max: 500ns}");
    add(&f, "h2d", "pinned", 1024, 0, 2e9); /* exactly: met; 512 ns: too long */
    add(&f, "d2h", "pinned", 1024, 0, 1e10);
    add(&f, "h2d", "pageable", 1024, 0, 1.999e9);
    evaluate(&f, 2, 2, 0);
    for (size_t i = 0; i < 4; i++)
        ck_assert(isnan(f.results.items[i].over));
    ck_assert_str_eq(f.results.items[0].text,
                     "copy: bandwidth >= 2.00 GB/s at direction=h2d, memory=pageable, bytes=1KiB");
    ck_assert_int_eq(f.results.items[0].outcome, GB_EXPECT_FAILED);
    ck_assert_str_eq(f.results.items[0].detail, "2.00 GB/s");
    ck_assert_int_eq(f.results.items[1].outcome, GB_EXPECT_MET);
    ck_assert_int_eq(f.results.items[2].outcome, GB_EXPECT_MET);
    ck_assert_double_eq_tol(f.results.items[2].value, 102.4, 1e-9);
    ck_assert_int_eq(f.results.items[3].outcome, GB_EXPECT_FAILED);
    ck_assert_str_eq(f.results.items[3].detail, "512 ns");
    drop(&f);
}
END_TEST

START_TEST(min_and_max_bound_a_value_together)
{
    fixture f = with("{metric: bandwidth, min: 1e9, max: 2e9}");
    add(&f, "h2d", "pinned", 1024, 0, 0.5e9);
    add(&f, "h2d", "pageable", 1024, 0, 1.5e9);
    add(&f, "d2h", "pinned", 1024, 0, 2.5e9);
    evaluate(&f, 1, 2, 0);
    ck_assert_str_eq(f.results.items[0].text, "copy: bandwidth >= 1.00 GB/s and <= 2.00 GB/s at "
                                              "direction=d2h, memory=pinned, bytes=1KiB");
    drop(&f);
}
END_TEST

START_TEST(what_did_not_run_is_not_evaluable)
{
    fixture f = with("{metric: bandwidth, of: {memory: pinned}, over: {memory: pageable}, min: 1}");
    add(&f, "h2d", "pinned", 1024, 0, 3e9)->status = GB_STATUS_FAILED;
    add(&f, "h2d", "pageable", 1024, 0, 2e9);
    add(&f, "d2h", "pinned", 1024, 0, 3e9);
    add(&f, "d2h", "pageable", 1024, 0, 2e9)->metrics[0].value = NAN;
    evaluate(&f, 0, 0, 2);
    ck_assert_str_eq(f.results.items[0].detail,
                     "copy[bytes=1024,direction=d2h,memory=pageable] has no value of bandwidth");
    ck_assert_str_eq(f.results.items[1].detail,
                     "copy[bytes=1024,direction=h2d,memory=pinned] has no value of bandwidth");
    ck_assert(isnan(f.results.items[1].value));
    drop(&f);
    /* A failed replicate does not spoil the others. */
    f = with("{metric: bandwidth, of: {memory: pinned}, over: {memory: pageable}, min: 1}");
    add(&f, "h2d", "pinned", 1024, 0, 3e9)->status = GB_STATUS_TIMEOUT;
    add(&f, "h2d", "pinned", 1024, 1, 4e9);
    add(&f, "h2d", "pageable", 1024, 1, 2e9);
    evaluate(&f, 1, 0, 0);
    ck_assert_double_eq(f.results.items[0].value, 2);
    drop(&f);
    /* No record at all; records of another benchmark do not count. */
    f = with("{metric: bandwidth, where: {direction: h2d}, of: {memory: pinned}, over: {memory: "
             "pageable}, min: 1}");
    gb_record *other = add(&f, "h2d", "pinned", 1024, 0, 3e9);
    free(other->benchmark);
    other->benchmark = gb_text_copy("stream");
    evaluate(&f, 0, 0, 0);
    ck_assert_int_eq(f.results.items[0].outcome, GB_EXPECT_SKIPPED);
    ck_assert_str_eq(f.results.items[0].text, "copy: bandwidth of memory=pinned over "
                                              "memory=pageable >= 1 where direction=h2d");
    ck_assert_str_eq(f.results.items[0].detail, "this run has no two cases that it compares");
    drop(&f);
}
END_TEST

START_TEST(what_is_skipped_is_said_and_no_failure)
{
    fixture f = with("{metric: bandwidth, where: {memory: pinned}, min: 1}, "
                     "{metric: bandwidth, of: {memory: pinned}, over: {memory: pageable}, min: 1}");
    gb_record *skipped = add(&f, "h2d", "pinned", 1024, 0, NAN);
    skipped->status = GB_STATUS_SKIPPED;
    skipped->reason = gb_text_copy("no pinned memory here");
    skipped->n_metrics = 0;
    add(&f, "h2d", "pageable", 1024, 0, 2e9);
    evaluate(&f, 0, 0, 0);
    ck_assert_uint_eq(f.results.n_skipped, 2);
    for (size_t i = 0; i < 2; i++)
        ck_assert_str_eq(f.results.items[i].detail,
                         "copy[bytes=1024,direction=h2d,memory=pinned] is skipped on this device: "
                         "no pinned memory here");
    drop(&f);
    f = with("{metric: time, where: {bytes: 1KiB}, max: 1s}");
    evaluate(&f, 0, 0, 0);
    ck_assert_str_eq(f.results.items[0].detail, "this run has no case that it is about");
    drop(&f);
}
END_TEST

START_TEST(pairs_that_the_conditions_do_not_tell_apart_are_named)
{
    fixture f = with("{metric: bandwidth, of: {bytes: \">=1KiB\"}, over: {bytes: 1KiB}, min: 1}");
    add(&f, "h2d", "pinned", 1024, 0, 2e9);
    add(&f, "h2d", "pinned", 1048576, 0, 4e9);
    evaluate(&f, 1, 0, 0);
    ck_assert_str_eq(f.results.items[0].text,
                     "copy: bandwidth of bytes>=1KiB over bytes=1KiB >= 1 at direction=h2d, "
                     "memory=pinned (copy[bytes=1048576,direction=h2d,memory=pinned] over "
                     "copy[bytes=1024,direction=h2d,memory=pinned])");
    drop(&f);
}
END_TEST

START_TEST(a_division_by_nothing_is_not_evaluable)
{
    fixture f = with("{metric: bandwidth, of: {memory: pinned}, over: {memory: pageable}, min: 1}");
    add(&f, "h2d", "pinned", 1024, 0, 3e9);
    add(&f, "h2d", "pageable", 1024, 0, 2e9)->metrics[0].value = 0;
    evaluate(&f, 0, 0, 1);
    drop(&f);
}
END_TEST

START_TEST(sides_may_name_different_parameters)
{
    fixture f = with("{metric: bandwidth, of: {memory: pinned, direction: h2d}, over: {direction: "
                     "d2h}, min: 1}");
    add(&f, "h2d", "pinned", 1024, 0, 4e9);
    add(&f, "d2h", "pinned", 1024, 0, 2e9);
    add(&f, "d2h", "pageable", 1024, 0, 8e9);
    evaluate(&f, 1, 1, 0);
    drop(&f);
}
END_TEST

START_TEST(records_with_foreign_parameters_are_refused)
{
    fixture f = with("{metric: bandwidth, min: 1}");
    gb_error err = {0};
    json_object_set_new(add(&f, "h2d", "pinned", 1024, 0, 4e9)->params, "zzz", json_integer(1));
    ck_assert_int_eq(gb_expect_evaluate(f.suite, f.records, f.n, &f.results, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "zzz"));
    ck_assert_uint_eq(f.results.n, 0);
    drop(&f);
}
END_TEST

START_TEST(a_suite_without_expectations_has_no_results)
{
    gb_suite *suite =
        test_suite("gpubench: 1\nname: x\nbenchmarks:\n  - {name: a, kernel: noop}\n");
    gb_expect_results results = {0};
    ck_assert_int_eq(gb_expect_evaluate(suite, NULL, 0, &results, NULL), GB_OK);
    ck_assert_uint_eq(results.n, 0);
    gb_expect_results_free(&results);
    gb_suite_free(suite);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("expect");
    use_environment_locale(tc);
    tcase_add_test(tc, a_ratio_is_one_of_geometric_centres_in_each_group);
    tcase_add_test(tc, where_applies_to_both_sides_and_devices_stay_apart);
    tcase_add_test(tc, a_value_is_compared_in_base_units);
    tcase_add_test(tc, min_and_max_bound_a_value_together);
    tcase_add_test(tc, what_did_not_run_is_not_evaluable);
    tcase_add_test(tc, what_is_skipped_is_said_and_no_failure);
    tcase_add_test(tc, pairs_that_the_conditions_do_not_tell_apart_are_named);
    tcase_add_test(tc, a_division_by_nothing_is_not_evaluable);
    tcase_add_test(tc, sides_may_name_different_parameters);
    tcase_add_test(tc, records_with_foreign_parameters_are_refused);
    tcase_add_test(tc, a_suite_without_expectations_has_no_results);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("expect", add_cases)
