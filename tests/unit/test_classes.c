/* `classes:` of a suite: what is read, what is refused, and which cases a class means. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "suite/classes.h"
#include "unit/check_main.h"
#include "unit/suite_catalog.h"

#define HEAD                                                                                       \
    "gpubench: 1\nname: x\nbenchmarks:\n"                                                          \
    "  - name: copies\n    kernel: copy\n"                                                         \
    "    axes: {direction: [h2d, d2h], memory: [pinned, managed], bytes: [1KiB, 1MiB]}\n"          \
    "  - name: tiles\n    kernel: tile\n    axes: {n: [64, 128]}\n"                                \
    "classes:\n"

static void complains(const char *classes, const char *part)
{
    char *text = gb_text_format("%s%s", HEAD, classes);
    test_complains(text, part);
    free(text);
}

START_TEST(a_class_is_read)
{
    gb_suite *s = test_suite(HEAD "  - name: moving\n    title: Moving data\n    cases:\n"
                                  "      - {benchmark: copies, metric: bandwidth, "
                                  "where: {bytes: '>=1MiB'}}\n"
                                  "  - {name: waiting, cases: [{benchmark: tiles, metric: time}, "
                                  "{benchmark: copies, metric: time}]}\n");
    ck_assert_uint_eq(s->n_classes, 2);
    const gb_class *c = &s->classes[0];
    ck_assert_str_eq(c->name, "moving");
    ck_assert_str_eq(c->title, "Moving data");
    ck_assert_str_eq(c->unit, "B/s");
    ck_assert(c->higher_is_better);
    ck_assert_uint_eq(c->n_parts, 1);
    ck_assert_uint_eq(c->parts[0].n_where, 1);
    c = &s->classes[1];
    ck_assert_ptr_null(c->title);
    ck_assert_str_eq(c->unit, "ns");
    ck_assert(!c->higher_is_better);
    ck_assert_uint_eq(c->n_parts, 2);
    ck_assert_str_eq(gb_class_metric(s, &c->parts[0])->name, "time");
    gb_suite_free(s);
}
END_TEST

static size_t taken(const gb_suite *s, gb_device_kind kind, size_t class, size_t *skipped)
{
    gb_plan *plan = NULL;
    gb_error err = {0};
    gb_selection all = {.brief = true};
    size_t n = 0;
    *skipped = 0;
    ck_assert_int_eq(gb_plan_make(s, kind, &all, &plan, &err), GB_OK);
    for (size_t i = 0; i < plan->n_cases; i++) {
        bool meant = false;
        for (size_t p = 0; p < s->classes[class].n_parts; p++)
            meant = meant || gb_class_takes(s, &s->classes[class].parts[p], &plan->cases[i], kind);
        n += meant;
        *skipped += meant && plan->cases[i].status != GB_OK;
    }
    gb_plan_free(plan);
    return n;
}

START_TEST(where_selects_and_skipped_cases_stay)
{
    size_t skipped;
    gb_suite *s = test_suite(
        HEAD
        "  - {name: a, cases: [{benchmark: copies, metric: bandwidth, where: {bytes: 1MiB}}]}\n"
        "  - {name: b, cases: [{benchmark: copies, metric: bandwidth, "
        "where: {memory: managed, direction: h2d}}, "
        "{benchmark: copies, metric: bandwidth, where: {memory: managed}}]}\n");
    ck_assert_uint_eq(taken(s, GB_CUDA, 0, &skipped), 4);
    ck_assert_uint_eq(skipped, 0);
    /* managed memory is not there on the cpu: a report should say so, not forget it */
    ck_assert_uint_eq(taken(s, GB_CPU, 0, &skipped), 4);
    ck_assert_uint_eq(skipped, 2);
    ck_assert_uint_eq(taken(s, GB_CUDA, 1, &skipped), 4);
    gb_suite_free(s);
}
END_TEST

START_TEST(names_that_are_not_there)
{
    complains("  - {name: a, cases: [{benchmark: copy, metric: bandwidth}]}\n",
              "unknown benchmark 'copy'");
    complains("  - {name: a, cases: [{benchmark: copies, metric: bandwith}]}\n",
              "did you mean 'bandwidth'?");
    complains("  - {name: a, cases: [{benchmark: copies, metric: bandwidth, where: {byte: 1}}]}\n",
              "'byte'");
    complains("  - {name: a, casess: []}\n", "did you mean 'cases'?");
    complains("  - {name: a, cases: [{benchmark: copies, metric: bandwidth, over: 1}]}\n",
              "unknown key 'over'");
}
END_TEST

START_TEST(what_is_missing)
{
    complains("  - {cases: [{benchmark: copies, metric: bandwidth}]}\n", "'name' is missing");
    complains("  - {name: a}\n", "'cases' is missing");
    complains("  - {name: a, cases: []}\n", "the list is empty");
    complains("  - {name: a, cases: {benchmark: copies, metric: bandwidth}}\n",
              "a list of mappings");
    complains("  - {name: a, cases: [{benchmark: copies}]}\n", "'metric' is missing");
    complains("  - {name: a, cases: [{metric: time}]}\n", "'benchmark' is missing");
    complains("  []\n", "classes: the list is empty");
    complains("  - 7\n", "a mapping");
}
END_TEST

START_TEST(where_that_matches_nothing)
{
    complains("  - {name: a, cases: [{benchmark: copies, metric: bandwidth, "
              "where: {bytes: '>1MiB'}}]}\n",
              "'where' matches no case of benchmark 'copies'");
}
END_TEST

START_TEST(metrics_that_no_case_has)
{
    static const char *const head = "gpubench: 1\nname: x\nbenchmarks:\n"
                                    "  - name: answers\n    kernel: request\n"
                                    "    axes: {batch: [1, 2], type: [f32, f64]}\nclasses:\n"
                                    "  - {name: a, cases: [{benchmark: answers, metric: copying";
    size_t skipped;
    char *text = gb_text_format("%s, where: {type: f64}}]}\n", head);
    test_complains(text, "no case of benchmark 'answers' that is meant has the metric 'copying'");
    free(text);
    text = gb_text_format("%s}]}\n", head);
    gb_suite *s = test_suite(text);
    ck_assert_uint_eq(taken(s, GB_CPU, 0, &skipped), 2); /* those that have it */
    ck_assert_uint_eq(skipped, 0);
    gb_suite_free(s);
    free(text);
}
END_TEST

START_TEST(a_name_twice)
{
    complains("  - {name: Moving, cases: [{benchmark: copies, metric: bandwidth}]}\n"
              "  - {name: moving, cases: [{benchmark: copies, metric: bandwidth}]}\n",
              "duplicate class name 'moving' (first at line");
}
END_TEST

START_TEST(units_and_directions_that_differ_are_both_named)
{
    const char *mixed = "  - {name: a, cases: [{benchmark: copies, metric: bandwidth}, "
                        "{benchmark: copies, metric: time}]}\n";
    complains(mixed, "bandwidth of benchmark 'copies' (B/s, higher is better)");
    complains(mixed, "time of benchmark 'copies' (ns, lower is better)");
    complains("  - {name: a, cases: [{benchmark: copies, metric: bandwidth}, "
              "{benchmark: tiles, metric: flops}]}\n",
              "flops of benchmark 'tiles'");
}
END_TEST

/* Errors of a benchmark are not told again by the classes that refer to it. */
START_TEST(a_benchmark_with_errors_is_told_once)
{
    char *text = test_parse("gpubench: 1\nname: x\nbenchmarks:\n  - {name: c, kernel: kopy}\n"
                            "classes:\n  - {name: a, cases: [{benchmark: c, metric: time}]}\n",
                            NULL);
    size_t errors = 0;
    for (const char *at = text; (at = strstr(at, "error: ")) != NULL; at++)
        errors++;
    ck_assert_msg(errors == 1, "%s", text);
    free(text);
}
END_TEST

static void add(Suite *suite)
{
    TCase *t = tcase_create("classes");
    tcase_add_test(t, a_class_is_read);
    tcase_add_test(t, where_selects_and_skipped_cases_stay);
    tcase_add_test(t, names_that_are_not_there);
    tcase_add_test(t, what_is_missing);
    tcase_add_test(t, where_that_matches_nothing);
    tcase_add_test(t, metrics_that_no_case_has);
    tcase_add_test(t, a_name_twice);
    tcase_add_test(t, units_and_directions_that_differ_are_both_named);
    tcase_add_test(t, a_benchmark_with_errors_is_told_once);
    suite_add_tcase(suite, t);
}

GB_CHECK_MAIN("classes", add)
