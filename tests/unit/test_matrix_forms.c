/* Machines side by side as text, Markdown, JSON and a page. */
#include "unit/matrix_fixture.h"

START_TEST(doubts_stand_beside_every_name)
{
    machines all;
    two_machines(&all);
    gb_buf out = {0};
    gb_error err = {0};
    all.given[0].differences = 3;
    all.given[1].differences = -1;
    all.given[1].unchecked = "cases.jsonl is not there";
    all.runs[1].results.complete = false;
    all.runs[1].results.hardware_fault = gb_text_copy("Xid 79");
    open_all(&all);
    fill(&all);
    char *text = text_of(&all);
    says(text, "a [3 differences] (71.7 GB/s) leads");
    says(text, "b [unverified, unfinished, hardware fault]");
    says(text, "cases.jsonl is not there");
    says(text, "Xid 79");
    free(text);
    ck_assert_int_eq(gb_matrix_markdown(&all.matrix, &out, &err), GB_OK);
    says(out.data, "a \\[3 differences\\]");
    gb_buf_free(&out);
    close_all(&all);
}
END_TEST

START_TEST(hostile_names_stay_text)
{
    static const double values[] = {1e9, 1e9};
    const char *name = "<b>|x|`y`\n\033[31m\u202e";
    machines all = {0};
    gb_buf out = {0};
    gb_error err = {0};
    json_t *json = NULL;
    for (size_t i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "b" : name, GPU);
        add_rates_class(run, name, "c", 1);
        rates(run, "c", 0, 2, values);
    }
    open_all(&all);
    price(&all, "b=5");
    fill(&all);
    char *text = text_of(&all);
    ck_assert_ptr_null(strchr(text, '\033'));
    ck_assert_ptr_null(strstr(text, "\u202e"));
    free(text);
    ck_assert_int_eq(gb_matrix_markdown(&all.matrix, &out, &err), GB_OK);
    ck_assert_ptr_null(strstr(out.data, "<b>"));
    ck_assert_ptr_null(strstr(out.data, " |x|"));
    gb_buf_free(&out);
    ck_assert_int_eq(gb_matrix_json(&all.matrix, &json, &err), GB_OK);
    ck_assert_str_eq(json_string_value(json_object_get(
                         json_array_get(json_object_get(json, "classes"), 0), "name")),
                     name);
    json_decref(json);
    close_all(&all);
}
END_TEST

/* The page, made without gnuplot; the caller frees. */
static char *page_of(const machines *all)
{
    char dir[] = "/tmp/gpubench-matrix.XXXXXX";
    gb_buf notes = {0};
    gb_error err = {0};
    ck_assert_ptr_nonnull(mkdtemp(dir));
    ck_assert_int_eq(gb_matrix_page(&all->matrix, dir, "/nowhere/gnuplot", &notes, &err), GB_OK);
    says(notes.data, "gnuplot");
    gb_buf_free(&notes);
    char *path = gb_text_format("%s/procurement.html", dir), *page = calloc(1 << 20, 1);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_gt(fread(page, 1, (1 << 20) - 1, file), 1000);
    fclose(file);
    char *remove_it = gb_text_format("rm -rf '%s'", dir);
    ck_assert_int_eq(system(remove_it), 0);
    free(remove_it);
    free(path);
    return page;
}

/* No markup of a name gets through. */
START_TEST(hostile_names_stay_text_in_the_page)
{
    static const double values[] = {1e9, 1.1e9};
    const char *name = "<script>alert(1)</script>";
    machines all = {0};
    for (size_t i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "b" : "<img src=x>", GPU);
        add_rates_class(run, name, "<i>c</i>", 1);
        rates(run, "<i>c</i>", 0, 2, values);
    }
    all.given[0].differences = 2;
    open_all(&all);
    price(&all, "b=5");
    fill(&all);
    char *page = page_of(&all);
    says(page, "&lt;img src=x&gt; [2 differences]");
    says(page, "&lt;script&gt;alert(1)");
    ck_assert_ptr_null(strstr(page, "<img src=x>"));
    ck_assert_ptr_null(strstr(page, "<script>alert"));
    ck_assert_ptr_null(strstr(page, "<i>c</i>"));
    free(page);
    close_all(&all);
}
END_TEST

START_TEST(json_has_what_the_table_has)
{
    machines all;
    two_machines(&all);
    gb_error err = {0};
    json_t *json = NULL;
    open_all(&all);
    price(&all, "b=2/h");
    fill(&all);
    ck_assert_int_eq(gb_matrix_json(&all.matrix, &json, &err), GB_OK);
    const json_t *class = json_array_get(json_object_get(json, "classes"), 0);
    const json_t *cell = json_array_get(json_object_get(class, "cells"), 0);
    CLOSE(json_number_value(json_object_get(cell, "value")), 71677517213.559);
    ck_assert(json_is_null(json_object_get(cell, "per_price")));
    ck_assert_int_eq(json_integer_value(json_object_get(cell, "rank")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(json, "prices")), "hour");
    ck_assert_uint_eq(json_array_size(json_object_get(class, "cases")), 2);
    ck_assert(json_is_true(
        json_object_get(json_array_get(json_object_get(json, "machines"), 0), "verified")));
    json_decref(json);
    close_all(&all);
}
END_TEST

START_TEST(a_lead_is_shared_or_has_a_factor)
{
    static const double values[] = {100e9, 101e9, 102e9};
    machines all = {0};
    for (size_t i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "b" : "a", GPU);
        add_rates_class(run, "moving", "c", 1);
        rates(run, "c", 0, 3, values);
    }
    open_all(&all);
    fill(&all);
    char *text = page_of(&all);
    says(text, "a, b share</td>");
    free(text);
    text = text_of(&all);
    says(text, "in 1 of 1 classes of work the lead is shared");
    free(text);
    close_all(&all);
    two_machines(&all);
    open_all(&all);
    fill(&all);
    text = page_of(&all);
    says(text, "a: 1.03x b</td>");
    free(text);
    text = text_of(&all);
    ck_assert_ptr_null(strstr(text, "shared"));
    free(text);
    close_all(&all);
}
END_TEST

static void add(Suite *suite)
{
    TCase *forms = tcase_create("forms");
    tcase_add_test(forms, doubts_stand_beside_every_name);
    tcase_add_test(forms, hostile_names_stay_text);
    tcase_add_test(forms, hostile_names_stay_text_in_the_page);
    tcase_add_test(forms, a_lead_is_shared_or_has_a_factor);
    tcase_add_test(forms, json_has_what_the_table_has);
    suite_add_tcase(suite, forms);
}

GB_CHECK_MAIN("matrix_forms", add)
