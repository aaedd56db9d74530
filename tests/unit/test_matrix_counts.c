/* Which machines there are, and which of their cases count. */
#include "unit/matrix_fixture.h"

START_TEST(TIM_13_failed_and_skipped_are_excluded_and_counted)
{
    static const double values[] = {10e9, 20e9, 40e9};
    machines all = {0};
    made_run *run = add_machine(&all, "a", GPU);
    add_rates_class(run, "moving", "c", 5);
    for (int i = 0; i < 3; i++) {
        const double same[] = {values[i], values[i]};
        rates(run, "c", i, 2, same);
    }
    /* a failed launch is fast: it would be the best of all */
    gb_record *failed = run_add(run, "c", 3, 0, 1);
    run_metric(failed, "bandwidth", "B/s", true, 1e15);
    run_fail(failed, GB_STATUS_FAILED, "cudaLaunchKernel: 209");
    run_fail(run_add(run, "c", 4, 0, 0), GB_STATUS_SKIPPED, "no managed memory");
    open_all(&all);
    fill(&all);
    const gb_cell *cell = &all.matrix.classes[0].cells[0];
    CLOSE(cell->value, 20e9); /* (10 x 20 x 40)^(1/3) */
    ck_assert_uint_eq(cell->n, 3);
    ck_assert_uint_eq(cell->cases, 5);
    char *text = text_of(&all);
    says(text, "over 3 of 5 cases, 2 excluded");
    says(text, "c[n=3]: failed: cudaLaunchKernel: 209");
    says(text, "c[n=4]: skipped: no managed memory");
    says(text, "(3/5)");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(TIM_13_unverified_and_wrong_never_count)
{
    static const double values[] = {10e9, 20e9};
    machines all = {0};
    made_run *run = add_machine(&all, "a", GPU);
    add_rates_class(run, "moving", "c", 4);
    for (int i = 0; i < 4; i++) {
        rates(run, "c", i, 2, values);
    }
    run->results.records[2].verified = -1; /* one replicate of n=1 */
    run->results.records[5].flags = GB_BIT(GB_FLAG_EMULATED);
    run_fail(&run->results.records[6], GB_STATUS_WRONG, "3 of 9 elements");
    open_all(&all);
    fill(&all);
    ck_assert_uint_eq(all.matrix.classes[0].cells[0].n, 1);
    CLOSE(all.matrix.classes[0].cells[0].value, sqrt(200) * 1e9);
    char *text = text_of(&all);
    says(text, "c[n=1]: answers not verified");
    says(text, "c[n=2]: emulated");
    says(text, "c[n=3]: wrong: 3 of 9 elements");
    free(text);
    close_all(&all);
}
END_TEST

/* A case that failed on one machine counts on none, or the sets would differ. */
START_TEST(only_common_cases_count)
{
    machines all;
    two_machines(&all);
    run_fail(&all.runs[1].results.records[0], GB_STATUS_TIMEOUT, "60 s are over");
    open_all(&all);
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    ck_assert_uint_eq(cells[0].n, 1);
    ck_assert_uint_eq(cells[1].n, 1);
    CLOSE(cells[0].value, exp((log(50) + log(52) + log(51) + log(50.5)) / 4) * 1e9);
    ck_assert(!all.matrix.classes[0].cases[0].points[0].common);
    says(all.matrix.classes[0].cases[0].points[0].why, "on b: timeout: 60 s are over");
    close_all(&all);
}
END_TEST

START_TEST(other_definitions_are_not_common)
{
    machines all;
    two_machines(&all);
    for (size_t i = 0; i < 3; i++) {
        strcpy(all.runs[1].results.records[i].definition, "other");
    }
    json_object_set_new(json_object_get(all.runs[0].results.document, "suite"), "sha256",
                        json_string("aaaa"));
    json_object_set_new(json_object_get(all.runs[1].results.document, "suite"), "sha256",
                        json_string("bbbb"));
    open_all(&all);
    fill(&all);
    ck_assert_uint_eq(all.matrix.classes[0].cells[0].n, 1);
    says(all.matrix.classes[0].cases[0].points[0].why, "defined otherwise on b");
    ck_assert_uint_eq(json_array_size(all.matrix.warnings), 1);
    says(json_string_value(json_object_get(json_array_get(all.matrix.warnings, 0), "text")),
         "not measured by the same suite file");
    close_all(&all);
}
END_TEST

START_TEST(a_machine_without_the_class_is_a_gap_and_shrinks_nothing)
{
    machines all;
    two_machines(&all);
    made_run *none = add_machine(&all, "none", GPU);
    add_rates_class(none, "moving", "c", 2);
    for (int i = 0; i < 2; i++) {
        run_fail(run_add(none, "c", i, 0, 0), GB_STATUS_FAILED, "no memory left");
    }
    add_machine(&all, "other", GPU); /* its suite has no classes */
    open_all(&all);
    price(&all, "none=5/h");
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    ck_assert_uint_eq(cells[0].n, 2);
    ck_assert(isnan(cells[2].value) && isnan(cells[2].per_price) && isnan(cells[3].value));
    ck_assert_uint_eq(cells[2].rank, 0);
    ck_assert_uint_eq(cells[0].of, 2);
    says(cells[2].gap, "none of its 2 cases is ok: failed: no memory left");
    says(cells[3].gap, "no case of this class");
    char *text = text_of(&all);
    says(text, "moving, none: no figure: none of its 2 cases is ok");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(nothing_in_common_is_a_gap_on_all)
{
    static const double values[] = {1e9, 1e9};
    machines all = {0};
    for (int i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "b" : "a", GPU);
        add_rates_class(run, "moving", "c", 2);
        rates(run, "c", i, 2, values);
    }
    open_all(&all);
    fill(&all);
    for (size_t i = 0; i < 2; i++) {
        says(all.matrix.classes[0].cells[i].gap, "no case is ok and defined alike on all machines");
    }
    close_all(&all);
}
END_TEST

START_TEST(machines_of_one_name_are_told_apart)
{
    static const double values[] = {1e9, 1e9};
    machines all = {0};
    size_t index = 9;
    gb_error err = {0};
    for (size_t i = 0; i < 3; i++) {
        made_run *run = add_machine(&all, i == 0 ? "x/run" : i == 1 ? "y/run" : "z=1/w", GPU);
        add_rates_class(run, "moving", "c", 1);
        rates(run, "c", 0, 2, values);
    }
    json_array_append_new(json_object_get(all.runs[2].results.document, "devices"),
                          json_pack("{s:i, s:s, s:s}", "id", 1, "kind", "cuda", "name", "Second"));
    open_all(&all);
    ck_assert_uint_eq(all.matrix.n_machines, 4);
    ck_assert_str_eq(all.matrix.machines[0].name, "x/run");
    ck_assert_str_eq(all.matrix.machines[3].name, "w#1");
    ck_assert_int_eq(gb_matrix_find(&all.matrix, "run", &index, &err), GB_INVALID);
    ck_assert_str_eq(err.message, "'run' may be any of: x/run, y/run"); /* and nobody else */
    ck_assert_int_eq(gb_matrix_find(&all.matrix, "y/run/", &index, &err), GB_OK);
    ck_assert_uint_eq(index, 1);
    ck_assert_int_eq(gb_matrix_find(&all.matrix, "w", &index, &err), GB_INVALID);
    says(err.message, "w#0, w#1");
    price(&all, "w#1=7");
    CLOSE(all.matrix.machines[3].price.amount, 7);
    close_all(&all);
}
END_TEST

START_TEST(a_run_given_twice_is_refused)
{
    machines all;
    two_machines(&all);
    gb_error err = {0};
    all.given[1].path = "runs/a/";
    ck_assert_int_eq(gb_matrix_open(all.given, 2, &all.matrix, &err), GB_INVALID);
    says(err.message, "is given twice");
    close_all(&all);
}
END_TEST

START_TEST(no_classes_anywhere_is_an_error)
{
    machines all = {0};
    gb_error err = {0};
    add_machine(&all, "a", GPU);
    ck_assert_int_eq(gb_matrix_open(all.given, 1, &all.matrix, &err), GB_INVALID);
    says(err.message, "suites/procurement.yaml");
    close_all(&all);
}
END_TEST

static void add(Suite *suite)
{
    TCase *named = tcase_create("machines");
    TCase *cases = tcase_create("cases");
    tcase_add_test(named, machines_of_one_name_are_told_apart);
    tcase_add_test(named, a_run_given_twice_is_refused);
    tcase_add_test(named, no_classes_anywhere_is_an_error);
    tcase_add_test(cases, TIM_13_failed_and_skipped_are_excluded_and_counted);
    tcase_add_test(cases, TIM_13_unverified_and_wrong_never_count);
    tcase_add_test(cases, only_common_cases_count);
    tcase_add_test(cases, other_definitions_are_not_common);
    tcase_add_test(cases, a_machine_without_the_class_is_a_gap_and_shrinks_nothing);
    tcase_add_test(cases, nothing_in_common_is_a_gap_on_all);
    suite_add_tcase(suite, named);
    suite_add_tcase(suite, cases);
}

GB_CHECK_MAIN("matrix_counts", add)
