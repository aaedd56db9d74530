/* A comparison as JSON and as Markdown. */
#include "base/json.h"
#include "base/units.h"
#include "reports/compare/internal.h"
#include "unit/compare_runs_fixture.h"

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
    both_times("few", 5, 1, 100, 100, 0.001);
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
    both_times("x", 1, 5, 100, 103, 0.004);
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
        both_times("x|y", n, 5, 100, 110 + n, 0.001);
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

/* A gate passes with cases that nobody can decide: each form says so in a line of its own. */
START_TEST(what_is_undecided_is_said_in_a_line_of_its_own)
{
    static const char line[] =
        "2 undecided: not counted as passed; --require-decision makes them fail";
    run_pair(&a, &b);
    both_times("same", 1, 5, 100, 100, 0.0001);
    both_times("few", 2, 1, 100, 100, 0.001);
    both_times("wide", 3, 5, 100, 104, 0.2);
    gb_comparison c = compared(&a, &b);
    c.options.gate = true;
    gb_buf text = {0}, markdown = {0};
    ck_assert_uint_eq(gb_comparison_undecided(&c), 2);
    ck_assert_int_eq(gb_comparison_text(&c, false, false, &text, NULL), GB_OK);
    char *second = strchr(text.data, '\n') + 1;
    ck_assert_msg(strncmp(second, line, strlen(line)) == 0 && second[strlen(line)] == '\n', "%s",
                  text.data);
    ck_assert_int_eq(gb_comparison_markdown(&c, 9, &markdown, NULL), GB_OK);
    says(markdown.data, "\n\n**2 undecided: not counted as passed;");
    gb_buf_free(&text);
    gb_buf_free(&markdown);
    gb_comparison_free(&c);
}
END_TEST

START_TEST(nothing_is_said_of_it_where_all_is_decided)
{
    run_pair(&a, &b);
    both_times("same", 1, 5, 100, 100, 0.0001);
    both_times("slow", 2, 5, 100, 130, 0.0001);
    gb_comparison c = compared(&a, &b);
    gb_buf text = {0};
    ck_assert(gb_comparison_decided(&c));
    ck_assert_int_eq(gb_comparison_text(&c, false, false, &text, NULL), GB_OK);
    ck_assert_ptr_null(strstr(text.data, "undecided"));
    gb_buf_free(&text);
    gb_comparison_free(&c);
}
END_TEST

/* The picture names what it shows, keeps every interval inside, and each of its points can be found
 * in the table. */
START_TEST(the_plot_of_changes_is_the_table)
{
    gb_buf script = {0}, data = {0};
    size_t shown, low = 0, beyond = 0;
    run_pair(&a, &b);
    both_times("same", 1, 5, 100, 100, 0.0001);
    both_times("wide", 2, 5, 100, 104, 0.9);
    both_times("slow", 3, 5, 100, 130, 0.0001);
    run_case(&b, "fresh", 4, 5, 100, 0.001);
    gb_comparison c = compared(&a, &b);
    ck_assert_int_eq(gb_compare_picture(&c, "compare", &script, &data, &shown, NULL), GB_OK);
    ck_assert_uint_eq(shown, 3);
    says(script.data, "title 'not decided'");
    says(script.data, "title 'same: within the threshold'");
    says(script.data, "title 'slower, or suspected to be'");
    ck_assert_ptr_null(strstr(script.data, "neither"));
    size_t *places = gb_comparison_places(&c);
    ck_assert_ptr_nonnull(places);
    for (size_t i = 0; i < c.n; i++) {
        const gb_compared *item = &c.items[i];
        char change[32], row[80];
        ck_assert_int_eq(places[i] > 0, isfinite(item->change));
        snprintf(row, sizeof row, "\n%zu %s ", places[i],
                 gb_print_double(100 * item->change, change, sizeof change));
        low += places[i] > 0 && strstr(data.data, row) != NULL;
    }
    ck_assert_uint_eq(low, 3);
    /* Within the axis, or a triangle says that it goes on. */
    const char *range = strstr(script.data, "set yrange [");
    char *end;
    double from = gb_strtod(range + strlen("set yrange ["), &end), to = gb_strtod(end + 1, &end);
    const bool wide = strstr(script.data, "set logscale y") != NULL;
    for (size_t i = 0; i < c.n; i++) {
        for (size_t k = 0; places[i] > 0 && k < 2; k++) {
            const double at = wide ? 1 + c.items[i].ci[k] : 100 * c.items[i].ci[k];
            ck_assert_msg((at >= from && at <= to) ||
                              strstr(script.data, k == 0 ? "pointtype 11 pointsize 1.1"
                                                         : "pointtype 9 pointsize 1.1") != NULL,
                          "%g outside of [%g:%g]", at, from, to);
            beyond += !(at >= from && at <= to);
        }
    }
    ck_assert_uint_le(beyond, 2); /* those of one case */
    free(places);
    gb_buf_free(&script);
    gb_buf_free(&data);
    gb_comparison_free(&c);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *forms = tcase_create("forms");
    tcase_add_checked_fixture(forms, open_runs, close_runs);
    tcase_add_test(forms, RES_01_what_is_not_finite_is_null_in_JSON);
    tcase_add_test(forms, RES_05_keys_are_unique);
    tcase_add_test(forms, RES_02_a_case_called_NaN_keeps_its_name);
    tcase_add_test(forms, CMP_24_a_verdict_can_be_made_again_from_the_JSON);
    tcase_add_test(forms, markdown_has_the_verdict_first_and_a_limit);
    tcase_add_test(forms, what_is_undecided_is_said_in_a_line_of_its_own);
    tcase_add_test(forms, nothing_is_said_of_it_where_all_is_decided);
    tcase_add_test(forms, the_plot_of_changes_is_the_table);
    suite_add_tcase(suite, forms);
}

GB_CHECK_MAIN("compare_forms", add_cases)
