#include "reports/contrast.h"
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

static char *table_text(const fixture *f)
{
    gb_buf out = {0};
    gb_error err = {0};
    ck_assert_msg(gb_report_table(&f->results, false, &out, &err) == GB_OK, "%s", err.message);
    return out.data;
}

START_TEST(replicates_become_one_row)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    for (uint32_t r = 0; r < 3; r++) {
        fixture_add(&f, "b", "stream", "{\"bytes\": 4096}", 0, r, 100 + r, 1e9);
    }
    gb_table table;
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert_uint_eq(table.n, 1);
    ck_assert_uint_eq(table.rows[0].n_ok, 3);
    ck_assert_double_eq_tol(table.rows[0].time_ns, cbrt(100.0 * 101.0 * 102.0), 1e-9);
    ck_assert(table.rows[0].plus_minus > 0);
    gb_table_free(&table);
    fixture_close(&f);
}
END_TEST

/* Halves of a replicate with too few samples: the other's alone are no figure beside its time. */
START_TEST(a_metric_that_a_replicate_lacks_is_none_of_the_row)
{
    fixture f;
    gb_interval interval;
    fixture_open(&f, "cpu", "[]");
    fixture_add(&f, "b", "stream", "{}", 0, 0, 8e6, 1e9);
    gb_record *second = fixture_add(&f, "b", "stream", "{}", 0, 1, 20e6, 1e9);
    second->metrics[0].value = NAN;
    gb_table table;
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert(isnan(gb_row_value(&table.rows[0], "bandwidth")));
    ck_assert(!gb_row_interval(&table.rows[0], "bandwidth", &interval));
    ck_assert(gb_row_interval(&table.rows[0], "time", &interval));
    second->n_metrics = 0;
    ck_assert(isnan(gb_row_value(&table.rows[0], "bandwidth")));
    ck_assert(!gb_row_interval(&table.rows[0], "bandwidth", &interval));
    second->status = GB_STATUS_FAILED; /* of which the row has no time either */
    ck_assert_double_eq_tol(gb_row_value(&table.rows[0], "bandwidth"), 1e9, 1);
    ck_assert(gb_row_interval(&table.rows[0], "bandwidth", &interval));
    gb_table_free(&table);
    fixture_close(&f);
}
END_TEST

START_TEST(rows_keep_the_order_of_the_suite)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    fixture_add(&f, "z", "stream", "{\"bytes\": 9}", 0, 0, 1, 1);
    fixture_add(&f, "a", "stream", "{\"bytes\": 10}", 2, 0, 1, 1);
    fixture_add(&f, "a", "stream", "{\"bytes\": 9}", 1, 0, 1, 1);
    gb_table table;
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert_str_eq(table.rows[0].first->benchmark, "z");
    double bytes = 0;
    ck_assert(gb_row_number(&table.rows[1], "bytes", &bytes));
    ck_assert(bytes == 9);
    gb_table_free(&table);
    fixture_close(&f);
}
END_TEST

START_TEST(a_fit_finds_latency_and_bandwidth_of_each_series)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pinned", 8100, 25.2e9, 0);
    fixture_copies(&f, "pageable", 9500, 8.4e9, 100);
    json_t *fits = NULL;
    ck_assert_int_eq(gb_report_fits(&f.results, &fits, NULL), GB_OK);
    ck_assert_uint_eq(json_array_size(fits), 2);
    const json_t *fit = json_array_get(fits, 0);
    ck_assert_double_eq_tol(json_number_value(json_object_get(fit, "latency_ns")), 8100, 10);
    ck_assert_double_eq_tol(json_number_value(json_object_get(fit, "bandwidth")), 25.2e9, 1e7);
    json_decref(fits);
    fixture_close(&f);
}
END_TEST

/* One point far off the line, above or below it: no line is better than that one. */
START_TEST(a_line_that_does_not_fit_is_no_fit)
{
    for (int way = 0; way < 2; way++) {
        fixture f;
        gb_buf text = {0};
        json_t *fits = NULL, *findings = NULL;
        fixture_open(&f, "cuda", COPY_PLOT);
        fixture_copies(&f, "pinned", 8100, 25.2e9, 0);
        for (size_t i = 8; i < 10; i++) { /* both replicates of one size */
            f.results.records[i].time.median *= way == 0 ? 5 : 0.2;
        }
        ck_assert_int_eq(gb_report_fits(&f.results, &fits, NULL), GB_OK);
        ck_assert_uint_eq(json_array_size(fits), 1);
        const json_t *fit = json_array_get(fits, 0);
        const char *why = json_string_value(json_object_get(fit, "reason"));
        ck_assert_ptr_nonnull(why);
        ck_assert_msg(strstr(why, "the worst point is off by") != NULL, "%s", why);
        ck_assert(json_is_null(json_object_get(fit, "latency_ns")));
        ck_assert(json_is_null(json_object_get(fit, "bandwidth")));
        ck_assert(json_is_null(json_object_get(fit, "max_error")));
        ck_assert_int_eq(gb_report_table(&f.results, false, &text, NULL), GB_OK);
        ck_assert_ptr_null(strstr(text.data, "half of that rate"));
        ck_assert_ptr_nonnull(strstr(text.data, "no fit h2d pinned"));
        ck_assert_int_eq(gb_report_findings(&f.results, &findings, NULL), GB_OK);
        for (size_t i = 0; i < json_array_size(findings); i++) {
            ck_assert_str_ne(
                json_string_value(json_object_get(json_array_get(findings, i), "rule")),
                "latency-dominates");
        }
        gb_buf_free(&text);
        json_decref(fits);
        json_decref(findings);
        fixture_close(&f);
    }
}
END_TEST

/* Only a metric with a known peak has a column "of peak", and only rows with one have a share. */
START_TEST(KRN_05_a_metric_without_a_peak_has_no_percent)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_record *r = fixture_add(&f, "b", "access", "{\"stride\": 1}", 0, 0, 100, 1e9);
    fixture_add(&f, "b", "access", "{\"stride\": 2}", 1, 0, 100, 1e9);
    char *text = table_text(&f);
    ck_assert_msg(strstr(text, "1.00 GB/s") != NULL && strstr(text, "of peak") == NULL, "%s", text);
    free(text);
    r->metrics[0].peak = 4e9;
    text = table_text(&f);
    char *first = strstr(text, "\n       1 "), *second = strstr(text, "\n       2 ");
    ck_assert_msg(strstr(text, "of peak") != NULL && first != NULL && second != NULL, "%s", text);
    second[0] = '\0';
    second[1 + strcspn(second + 1, "\n")] = '\0';
    ck_assert_msg(strstr(first, "25") != NULL && strchr(first, '%') != NULL, "%s", first);
    ck_assert_msg(strchr(second + 1, '%') == NULL, "%s", second + 1);
    free(text);
    fixture_close(&f);
}
END_TEST

/* What is printed as more than a peak carries a note that is explained: one of the flag that it is
 * an error, or that a cache served part of it. */
START_TEST(KRN_05_a_share_above_a_peak_is_explained)
{
    for (int implausible = 0; implausible < 2; implausible++) {
        fixture f;
        fixture_open(&f, "cuda", "[]");
        for (uint32_t r = 0; r < 3; r++) {
            gb_record *record =
                fixture_add(&f, "memory", "stream", "{\"bytes\": 1024}", 0, r, 1000, 5e9);
            record->metrics[0].peak = 1e9;
            record->flags |= implausible ? GB_BIT(GB_FLAG_IMPLAUSIBLE) : 0;
        }
        char *text = table_text(&f);
        ck_assert_msg(strstr(text, "500 %") != NULL, "%s", text);
        ck_assert_msg((strstr(text, "above-peak (1 case): more than 102 %") != NULL) ==
                          !implausible,
                      "%s", text);
        ck_assert_msg((strstr(text, "implausible (1 case): above 102 %") != NULL) == implausible,
                      "%s", text);
        free(text);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(TIM_13_failed_and_skipped_cases_are_left_out_and_counted)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (uint32_t i = 0; i < 3; i++) {
        char params[40];
        snprintf(params, sizeof params, "{\"bytes\": %u}", 1024 << i);
        fixture_add(&f, "b", "copy", params, i, 0, 1000, 1e9);
    }
    gb_error why = {0};
    gb_record *bad = fixture_add(&f, "b", "copy", "{\"bytes\": 7}", 3, 0, 1, 9e18);
    gb_fail(&why, GB_DEVICE_ERROR, "cudaMemcpyAsync: 700 (cudaErrorIllegalAddress)");
    ck_assert_int_eq(gb_record_fail(bad, GB_STATUS_FAILED, &why), GB_OK);
    bad = fixture_add(&f, "b", "copy", "{\"bytes\": 8}", 4, 0, 1, 9e18);
    gb_fail(&why, GB_UNAVAILABLE, "no managed memory here");
    ck_assert_int_eq(gb_record_fail(bad, GB_STATUS_SKIPPED, &why), GB_OK);
    char *text = table_text(&f);
    ck_assert_ptr_nonnull(strstr(text, "5 cases: 3 ok, 1 failed, 1 skipped"));
    ck_assert_ptr_nonnull(strstr(text, "cudaErrorIllegalAddress"));
    ck_assert_ptr_nonnull(strstr(text, "no managed memory here"));
    ck_assert_ptr_null(strstr(text, "9.00 EB/s"));
    ck_assert_ptr_null(strstr(text, "nan"));
    free(text);
    fixture_close(&f);
}
END_TEST

/* 67.3, 96.5 and 4734.6 ns: a centre of 313 ns that no replicate is near. */
START_TEST(a_time_between_its_replicates_is_marked)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    const double apart[] = {67.3, 96.5, 4734.6}, near[] = {67.3, 96.5, 80};
    for (uint32_t r = 0; r < 3; r++) {
        fixture_add(&f, "b", "copy", "{\"bytes\": 1}", 0, r, apart[r], 1e9);
        fixture_add(&f, "b", "copy", "{\"bytes\": 2}", 1, r, near[r], 1e9);
    }
    char *text = table_text(&f);
    ck_assert_ptr_nonnull(strstr(text, "GB/s  replicates-apart\n"));
    ck_assert_ptr_nonnull(strstr(text, "\nreplicates-apart (1 case): the time stands between"));
    free(text);
    fixture_close(&f);
}
END_TEST

/* Equal replicates of a timer whose step is 13 % of the time are not known to 0 %. */
START_TEST(plus_minus_is_one_step_of_the_timer_at_least)
{
    fixture f;
    gb_table table;
    fixture_open(&f, "cuda", "[]");
    for (uint32_t r = 0; r < 2; r++) {
        gb_record *record = fixture_add(&f, "b", "copy", "{\"bytes\": 1}", 0, r, 200, 1e9);
        record->resolution_ns = 104;
        record->iterations_per_sample = 4;
    }
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert_double_eq_tol(table.rows[0].plus_minus, 0.13, 1e-9);
    gb_table_free(&table);
    char *text = table_text(&f);
    ck_assert_ptr_nonnull(strstr(text, "13.0 %"));
    free(text);
    fixture_close(&f);
}
END_TEST

START_TEST(an_interrupted_run_counts_what_is_incomplete)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_error why = {0};
    gb_fail(&why, GB_INTERRUPTED, "the run was interrupted");
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t replicate = 0; replicate < 3; replicate++) {
            char params[40];
            snprintf(params, sizeof params, "{\"bytes\": %u}", 1024 << i);
            gb_record *r = fixture_add(&f, "b", "copy", params, i, replicate, 1000, 1e9);
            if (replicate > i)
                ck_assert_int_eq(gb_record_fail(r, GB_STATUS_NOT_RUN, &why), GB_OK);
        }
    }
    f.results.complete = false;
    char *text = table_text(&f);
    ck_assert_ptr_nonnull(
        strstr(text, "3 cases: 1 ok, 2 incomplete (3 replicates missing). The run is not"));
    ck_assert_ptr_nonnull(strstr(text, "2 of 3 replicates missing"));
    ck_assert_ptr_null(strstr(text, "not_run"));
    free(text);
    fixture_close(&f);
    fixture_open(&f, "cuda", "[]");
    fixture_add(&f, "b", "copy", "{\"bytes\": 1}", 0, 0, 1000, 1e9);
    text = table_text(&f);
    ck_assert_ptr_nonnull(strstr(text, "1 case: 1 ok."));
    free(text);
    fixture_close(&f);
}
END_TEST

START_TEST(cpu_figures_are_labelled)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    fixture_add(&f, "b", "stream", "{\"bytes\": 4096}", 0, 0, 1460, 1e9);
    char *text = table_text(&f);
    ck_assert_ptr_nonnull(strstr(text, "device: cpu - Example device 9000"));
    ck_assert_ptr_nonnull(strstr(text, "not a GPU"));
    ck_assert_ptr_nonnull(strstr(text, "1.46 us"));
    free(text);
    fixture_close(&f);
}
END_TEST

START_TEST(names_cannot_reach_the_terminal_raw)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    fixture_add(&f, "a\033[31m\xe2\x80\xae", "stream", "{\"bytes\": 4096}", 0, 0, 1460, 1e9);
    char *text = table_text(&f);
    ck_assert_ptr_null(strchr(text, '\033'));
    ck_assert_ptr_null(strstr(text, "\xe2\x80\xae"));
    free(text);
    fixture_close(&f);
}
END_TEST

START_TEST(flags_that_all_rows_have_are_said_once)
{
    static const uint32_t flags[] = {GB_BIT(GB_FLAG_NOT_CONVERGED) | GB_BIT(GB_FLAG_OUTLIERS),
                                     GB_BIT(GB_FLAG_NOT_CONVERGED) | GB_BIT(GB_FLAG_OUTLIERS) |
                                         GB_BIT(GB_FLAG_DRIFT)};
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (uint32_t i = 0; i < 2; i++) {
        char params[80];
        snprintf(params, sizeof params, "{\"n\": %u, \"k\": 0, \"type\": \"fp32\"}", i + 1);
        fixture_add(&f, "p", "matmul", params, i, 0, 1000, NAN)->flags = flags[i];
    }
    char *text = table_text(&f);
    ck_assert_ptr_nonnull(strstr(text, "\np  (type=fp32, timer device, cache warm)\n"
                                       "  all cases: not-converged\n"));
    ck_assert_ptr_nonnull(strstr(text, "1  1.00 us  n/a\n"));
    ck_assert_ptr_nonnull(strstr(text, "2  1.00 us  n/a  drift\n"));
    ck_assert_ptr_nonnull(strstr(text, "\noutliers (2 cases): "));
    ck_assert_ptr_nonnull(strstr(text, "\ndrift (1 case): "));
    free(text);
    fixture_close(&f);
}
END_TEST

START_TEST(findings_follow_from_the_figures)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pinned", 8000, 24e9, 0);
    fixture_copies(&f, "pageable", 8000, 8e9, 100);
    gb_record *launch =
        fixture_add(&f, "launch", "noop", "{\"what\": \"kernel\"}", 200, 0, 5000, NAN);
    launch->timer = GB_TIMER_ROUNDTRIP;
    gb_record *read = fixture_add(&f, "read", "stream", "{\"op\": \"read\", \"bytes\": 65536}", 201,
                                  0, 100, 1.6e12);
    read->flags = GB_BIT(GB_FLAG_CACHE_RESIDENT);
    json_t *findings = NULL;
    ck_assert_int_eq(gb_report_findings(&f.results, &findings, NULL), GB_OK);
    ck_assert_uint_eq(json_array_size(findings), 3); /* and from which size on latency dominates */
    const char *first = json_string_value(json_object_get(json_array_get(findings, 0), "text"));
    /* 5 us x 1.6 TB/s / 8 bytes = 1,000,000 values */
    ck_assert_msg(strstr(first, "1000000 cached 8-byte values") != NULL, "%s", first);
    const char *second = json_string_value(json_object_get(json_array_get(findings, 1), "text"));
    ck_assert_msg(strstr(second, "factor of 3.0") != NULL ||
                      strstr(second, "factor of 2.9") != NULL,
                  "%s", second);
    gb_buf text = {0};
    ck_assert_int_eq(gb_report_table(&f.results, false, &text, NULL), GB_OK);
    const char *rule = strstr(text.data, "\nA time or rate above without +- is known to 10 %. Its "
                                         "interval covers what the +- of the tables");
    ck_assert_msg(rule != NULL && strstr(text.data, "What to remember") < rule, "%s", text.data);
    ck_assert_ptr_null(strstr(rule + 2, "A time or rate above"));
    gb_buf_free(&text);
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(findings_are_silent_without_their_figures)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pinned", 8000, 24e9, 0);
    json_t *findings = NULL;
    ck_assert_int_eq(gb_report_findings(&f.results, &findings, NULL), GB_OK);
    ck_assert_uint_eq(json_array_size(findings), 1); /* of its own curve, without a counterpart */
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(columns_align_and_lines_have_no_trailing_space)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_copies(&f, "pinned", 8000, 24e9, 0);
    char *text = table_text(&f);
    ck_assert_ptr_null(strstr(text, " \n"));
    ck_assert_ptr_nonnull(strstr(text, "fit h2d pinned: t = "));
    free(text);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("reports");
    tcase_add_test(tests, replicates_become_one_row);
    tcase_add_test(tests, a_metric_that_a_replicate_lacks_is_none_of_the_row);
    tcase_add_test(tests, rows_keep_the_order_of_the_suite);
    tcase_add_test(tests, a_fit_finds_latency_and_bandwidth_of_each_series);
    tcase_add_test(tests, a_line_that_does_not_fit_is_no_fit);
    tcase_add_test(tests, KRN_05_a_metric_without_a_peak_has_no_percent);
    tcase_add_test(tests, KRN_05_a_share_above_a_peak_is_explained);
    tcase_add_test(tests, TIM_13_failed_and_skipped_cases_are_left_out_and_counted);
    tcase_add_test(tests, an_interrupted_run_counts_what_is_incomplete);
    tcase_add_test(tests, plus_minus_is_one_step_of_the_timer_at_least);
    tcase_add_test(tests, a_time_between_its_replicates_is_marked);
    tcase_add_test(tests, cpu_figures_are_labelled);
    tcase_add_test(tests, names_cannot_reach_the_terminal_raw);
    tcase_add_test(tests, flags_that_all_rows_have_are_said_once);
    tcase_add_test(tests, findings_follow_from_the_figures);
    tcase_add_test(tests, findings_are_silent_without_their_figures);
    tcase_add_test(tests, columns_align_and_lines_have_no_trailing_space);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("reports", add_cases)
