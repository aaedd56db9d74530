/* The findings about roofs, and the shares of them in the table. */
#include "unit/roofline_fixture.h"

static const char *finding(const json_t *findings, const char *rule)
{
    size_t i;
    const json_t *one;
    json_array_foreach(findings, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "rule")), rule) == 0)
            return json_string_value(json_object_get(one, "text"));
    }
    return "";
}

START_TEST(findings_name_the_ridge_and_what_is_left_of_it)
{
    fixture f;
    json_t *findings = NULL;
    gb_error err = {0};
    open_fixture(&f, "cuda");
    roofs(&f);
    sweep(&f, 0.9);
    ck_assert_int_eq(gb_report_findings(&f.results, &findings, &err), GB_OK);
    ck_assert_str_eq(finding(findings, "ridge"),
                     "Memory delivers 100 GB/s (read over 256 MiB) and the fp32 units do 1.00 "
                     "TFLOP/s: code that does "
                     "fewer than 10.0 operations with each byte waits for memory.");
    /* The sweep crosses the ridge; the cache's cases, far above the memory's roof, are not named.
     */
    ck_assert_str_eq(finding(findings, "memory-bound"),
                     "Left of the ridge at 10.0 FLOP/byte memory sets the limit, whatever the "
                     "arithmetic costs: memory (0.25 FLOP/byte), sweep (up to 4 FLOP/byte).");
    json_decref(findings);
    fixture_close(&f);

    open_fixture(&f, "cuda");
    sweep(&f, 0.9); /* without roofs there is nothing to say */
    ck_assert_int_eq(gb_report_findings(&f.results, &findings, &err), GB_OK);
    ck_assert_str_eq(finding(findings, "ridge"), "");
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(the_table_shows_the_share_of_each_ceiling)
{
    fixture f;
    gb_buf out = {0};
    gb_error err = {0};
    open_fixture(&f, "cuda");
    sweep(&f, 0.5);
    for (size_t i = 0; i < f.results.n; i++) {
        gb_record *r = &f.results.records[i];
        r->metrics[0].peak = r->metrics[0].value * 4; /* bandwidth: 25 % */
        r->metrics[1] = (gb_metric){.name = "flop_rate", .unit = "FLOP/s", .value = 8e11};
        r->metrics[1].peak = 1e12;
        r->n_metrics = 2;
    }
    ck_assert_int_eq(gb_report_table(&f.results, false, &out, &err), GB_OK);
    ck_assert(has(&out, "bandwidth  of peak    flop_rate  of peak"));
    ck_assert(has(&out, "25.0 %") && has(&out, "80.0 %"));
    /* Where one of them is unknown its column is not there. */
    for (size_t i = 0; i < f.results.n; i++)
        f.results.records[i].metrics[0].peak = NAN;
    out.length = 0;
    ck_assert_int_eq(gb_report_table(&f.results, false, &out, &err), GB_OK);
    ck_assert(has(&out, "bandwidth    flop_rate  of peak") && !has(&out, "25.0 %"));
    gb_buf_free(&out);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("roofline");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, the_table_shows_the_share_of_each_ceiling);
    tcase_add_test(c, findings_name_the_ridge_and_what_is_left_of_it);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("findings_roofline", add_cases)
