/* The samples of a few cases out of a cases.jsonl. */
#include "unit/record_sample.h"

#include "base/json.h"

static char dir[] = "/tmp/gb-samples-XXXXXX";
static const char *const odd = "a \"b\\ \xc3\xa4[bytes=1]";

static void add_line(FILE *file, const char *case_id, uint32_t replicate, double centre)
{
    gb_record r;
    sample_record(&r, "copy", 1, replicate, 20, centre);
    free(r.case_id);
    r.case_id = gb_text_copy(case_id);
    json_t *json = gb_record_json(&r, true);
    char *line = gb_json_line(json);
    fprintf(file, "%s\n", line);
    free(line);
    json_decref(json);
    gb_record_free(&r);
}

static FILE *open_lines(void)
{
    char path[64];
    strcpy(dir + strlen(dir) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(path, sizeof path, "%s/cases.jsonl", dir);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    return file;
}

START_TEST(only_the_cases_asked_for_and_the_last_of_each)
{
    gb_results got;
    gb_error err = {0};
    FILE *file = open_lines();
    fputs("this line is of no case that was asked for, and never parsed\n", file);
    add_line(file, odd, 0, 100);
    add_line(file, "copy[bytes=10]", 0, 300); /* begins like the next one */
    add_line(file, "copy[bytes=1]", 1, 400);
    add_line(file, odd, 1, 200);
    add_line(file, odd, 0, 500); /* measured again */
    fprintf(file, "{\"case\":\"copy[bytes=1]\",\"samp");
    fclose(file);
    const char *const cases[] = {odd, "copy[bytes=1]"};
    ck_assert_msg(gb_results_load_cases(dir, cases, 2, &got, &err) == GB_OK, "%s", err.message);
    ck_assert_uint_eq(got.n, 3);
    ck_assert_str_eq(got.records[0].case_id, odd);
    ck_assert_uint_eq(got.records[0].n_samples, 20);
    ck_assert_double_eq(got.records[0].samples_ns[0], 500);
    ck_assert_double_eq_tol(got.records[0].samples_ns[1], 502, 1e-9); /* in the order taken */
    ck_assert_double_eq(got.records[2].samples_ns[0], 200);
    ck_assert_str_eq(got.records[1].case_id, "copy[bytes=1]");
    gb_results_free(&got);
}
END_TEST

START_TEST(errors_name_the_file_and_the_line)
{
    gb_results got;
    gb_error err = {0};
    FILE *file = open_lines();
    const char *const cases[] = {odd, "x"};
    add_line(file, odd, 0, 100);
    fputs("{\"case\":\"x\"}\n", file);
    fclose(file);
    ck_assert_int_eq(gb_results_load_cases(dir, cases, 2, &got, &err), GB_INVALID);
    ck_assert_int_eq(err.line, 2);
    ck_assert_ptr_null(got.records);
    ck_assert_int_eq(gb_results_load_cases("/nowhere", cases, 2, &got, &err), GB_IO);
}
END_TEST

START_TEST(results_know_where_they_are_from)
{
    gb_results results;
    ck_assert_int_eq(gb_results_load(FIXTURES "mixed", false, &results, NULL), GB_OK);
    ck_assert_str_eq(results.path, FIXTURES "mixed");
    const char *const cases[] = {results.records[0].case_id};
    gb_results lines;
    ck_assert_int_eq(gb_results_load_cases(results.path, cases, 1, &lines, NULL), GB_OK);
    ck_assert_uint_gt(lines.n, 0);
    ck_assert_uint_eq(lines.records[0].n_samples, results.records[0].time.n);
    gb_results_free(&lines);
    gb_results_free(&results);
    ck_assert_int_eq(gb_results_load(FIXTURES "mixed/results.json", false, &results, NULL), GB_OK);
    ck_assert_str_eq(results.path, FIXTURES "mixed");
    gb_results_free(&results);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("samples");
    tcase_add_test(tcase, only_the_cases_asked_for_and_the_last_of_each);
    tcase_add_test(tcase, errors_name_the_file_and_the_line);
    tcase_add_test(tcase, results_know_where_they_are_from);
    suite_add_tcase(suite, tcase);
}

GB_CHECK_MAIN("record samples", add_cases)
