/* report.html: what stands in it, from records made in memory. Browsers look at it elsewhere. */
#include "base/json.h"
#include "check_main.h"
#include "reports/merge.h"
#include "reports/page/report_page.h"
#include "reports_fixture.h"

static bool has(const gb_buf *page, const char *text)
{
    return strstr(page->data, text) != NULL;
}

static size_t count(const char *page, const char *text)
{
    size_t n = 0;
    for (const char *at = page; (at = strstr(at, text)) != NULL; at += strlen(text)) {
        n++;
    }
    return n;
}

static gb_buf page_of(const gb_results *results)
{
    gb_buf page = {0};
    gb_error err = {0};
    ck_assert_msg(gb_report_page(results, NULL, &page, &err) == GB_OK, "%s", err.message);
    ck_assert(gb_utf8_valid(page.data, page.length, NULL));
    return page;
}

static gb_record *add(fixture *f, uint32_t index, double time, double rate)
{
    char params[64];
    snprintf(params, sizeof params, "{\"n\": %u, \"pieces\": 1}", index + 1);
    return fixture_add(f, "bench", "copy", params, index, 0, time, rate);
}

static void give(gb_record *r, gb_status status, const char *reason)
{
    r->status = status;
    r->reason_code = gb_text_copy("invalid");
    r->reason = gb_text_copy(reason);
}

/* The part of a page between two texts; the caller frees. */
static char *between(const gb_buf *page, const char *from, const char *to)
{
    const char *begin = strstr(page->data, from);
    ck_assert_msg(begin != NULL, "no '%s'", from);
    const char *end = strstr(begin, to);
    ck_assert_msg(end != NULL, "no '%s' behind '%s'", to, from);
    return gb_text_format("%.*s", (int)(end - begin), begin);
}

START_TEST(TIM_13_RES_22_what_failed_is_shown_and_excluded_and_counted)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, 0, 100, 1e9);
    add(&f, 1, 200, 2e9);
    add(&f, 2, 300, 3e9);
    give(add(&f, 3, 1, 9e12), GB_STATUS_FAILED, "the launch failed <first>");
    give(add(&f, 4, NAN, NAN), GB_STATUS_SKIPPED, "needs 4 GiB");
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "3 of 5 cases measured in full; 1 failed, 1 skipped."));
    ck_assert(has(&page, "Partial: from the 3 cases with a figure; 2 excluded (1 failed, 1 "
                         "skipped)."));
    char *good = between(&page, "bench: 3 cases with figures</caption>", "</table>");
    ck_assert_uint_eq(count(good, "<tr>"), 4);
    ck_assert_ptr_null(strstr(good, "9.00 TB/s"));
    free(good);
    char *bad = between(&page, "bench: 2 cases not measured in full</caption>", "</table>");
    ck_assert_ptr_nonnull(strstr(bad, "<td class=\"bad\">failed</td>"));
    ck_assert_ptr_nonnull(strstr(bad, "the launch failed &lt;first&gt;"));
    ck_assert_ptr_nonnull(strstr(bad, "<td class=\"dim\">skipped</td>"));
    free(bad);
    ck_assert_ptr_null(strstr(page.data, "9.00 TB/s"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(RES_22_an_incomplete_run_is_named_partial)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, 0, 100, 1e9);
    gb_record *late = add(&f, 0, NAN, NAN);
    late->replicate = 1;
    give(late, GB_STATUS_NOT_RUN, "the run ended before");
    f.results.complete = false;
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "banner bad\">NOT ok: the run is not complete"));
    ck_assert(has(&page, "Partial: the run did not finish"));
    ck_assert(has(&page, "1 case has figures from some of their replicates alone"));
    ck_assert(has(&page, "1 of 2 replicates missing"));
    gb_buf_free(&page);
    fixture_close(&f);
    /* Nothing at all: no sentence that sounds like a result. */
    fixture_open(&f, "cuda", "[]");
    page = page_of(&f.results);
    ck_assert(has(&page, "No case has a record."));
    ck_assert(has(&page, "nothing was measured"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(RES_10_a_metric_without_a_name_or_unit_is_left_out_and_counted)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_record *r = add(&f, 0, 100, 1e9);
    r->metrics[1] = r->metrics[0];
    r->metrics[1].name[0] = '\0';
    r->metrics[1].value = 7.77e9;
    r->metrics[2] = r->metrics[0];
    snprintf(r->metrics[2].name, sizeof r->metrics[2].name, "rate");
    r->metrics[2].unit[0] = '\0';
    r->n_metrics = 3;
    add(&f, 1, 200, 2e9);
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "<th scope=\"col\" class=\"num\">bandwidth</th>"));
    ck_assert(!has(&page, "7.77"));
    ck_assert(!has(&page, "class=\"num\"></th>"));
    ck_assert(!has(&page, ">rate</th>"));
    ck_assert(!has(&page, "(null)"));
    ck_assert(has(&page, "values of metrics without a name or a unit"));
    ck_assert(has(&page, "<td class=\"num\" data-v=\"2\">2</td>"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(RES_21_value_and_unit_scale_together_and_sort_by_base_units)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, 0, 1460, 1.2345e9);
    add(&f, 1, 2.5e9, 999.5e6);
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "<td class=\"num\" data-v=\"1460\">1.46 us</td>"));
    ck_assert(has(&page, "<td class=\"num\" data-v=\"2.5e+09\">2.50 s</td>"));
    ck_assert(has(&page, "<td class=\"num\" data-v=\"1.2345e+09\">1.23 GB/s</td>"));
    ck_assert(!has(&page, "0.00 ms"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(TIM_17_two_groups_of_samples_are_said_with_centres_and_counts)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_record *r = add(&f, 0, 750e6, 1e9);
    r->flags = GB_BIT(GB_FLAG_BIMODAL);
    r->time.modes[0] = 11e6;
    r->time.modes[1] = 750e6;
    r->time.mode_counts[0] = 3;
    r->time.mode_counts[1] = 7;
    add(&f, 1, 100, 1e9);
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "<td class=\"text warn\">bimodal (3 samples at 11.0 ms, 7 at 750 ms)"));
    ck_assert(has(&page, "the samples form two separate groups"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(a_cpu_is_named_in_the_title_and_the_noise_floor_is_said)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add(&f, 0, 100, 1e9);
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "<title>made up on Example device 9000 (figures of a CPU, not of a GPU)"));
    ck_assert(has(&page, "device: cpu"));
    ck_assert(has(&page, "&quot;gpubench selftest&quot; finds it"));
    gb_buf_free(&page);
    json_t *device = json_array_get(json_object_get(f.results.document, "devices"), 0);
    json_object_set_new(
        device, "selftest",
        json_pack("{s:f, s:s}", "noise_floor", 0.031, "measured", "2026-02-03T00:00:00Z"));
    page = page_of(&f.results);
    ck_assert(has(&page, "is 3.10 % (self-test of 2026-02-03)"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

/* A hundredfold, which a floor of a factor of 200 hides. */
START_TEST(what_the_noise_floor_keeps_back_is_said_with_the_way_out)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (uint32_t i = 0; i < 2; i++) {
        fixture_add(&f, "chain", "residency",
                    i == 0 ? "{\"keep\": \"resident\", \"bytes\": 1024, \"steps\": 16}"
                           : "{\"keep\": \"round-trip\", \"bytes\": 1024, \"steps\": 16}",
                    i, 0, i == 0 ? 1000 : 100000, NAN);
    }
    gb_buf page = page_of(&f.results);
    char *part = between(&page, "What stands out</h2>", "</section>");
    ck_assert_ptr_nonnull(strstr(part, "a factor of 100."));
    ck_assert_ptr_nonnull(strstr(part, "without +- is known to 10 %"));
    ck_assert_ptr_null(strstr(part, "noise floor"));
    free(part);
    gb_buf_free(&page);
    json_object_set_new(
        json_array_get(json_object_get(f.results.document, "devices"), 0), "selftest",
        json_pack("{s:f, s:s}", "noise_floor", 199.0, "measured", "2026-02-03T00:00:00Z"));
    page = page_of(&f.results);
    part = between(&page, "What stands out</h2>", "</section>");
    ck_assert_ptr_nonnull(strstr(part, "Nothing that may be said. 1 finding is left out because of "
                                       "the noise floor: &quot;gpubench selftest&quot; of "
                                       "2026-02-03 found "));
    ck_assert_ptr_nonnull(strstr(part, "(a factor of 200.00)"));
    ck_assert_ptr_nonnull(strstr(part, "On a quiet machine run it again"));
    free(part);
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(the_words_of_a_kernel_are_explained_where_it_was_measured)
{
    static const char meaning[] = "One batch after the other;", other[] = "second process has work";
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, 0, 1000, 1e9);
    gb_buf page = page_of(&f.results);
    ck_assert(!has(&page, meaning) && !has(&page, other));
    gb_buf_free(&page);
    fixture_add(&f, "job", "pipeline", "{\"batch\": 1}", 1, 0, 1000, NAN);
    page = page_of(&f.results);
    ck_assert(has(&page, meaning) && !has(&page, other));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(a_percentile_that_is_a_metric_too_stands_there_once)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_record *r = add(&f, 0, 100, 150);
    r->timer = GB_TIMER_ROUNDTRIP;
    r->time.p95 = 150;
    strcpy(r->metrics[0].name, "latency_p95");
    strcpy(r->metrics[0].unit, "ns");
    gb_buf page = page_of(&f.results);
    ck_assert_uint_eq(count(page.data, ">150 ns<"), 1);
    gb_buf_free(&page);
    r->time.p95 = 160; /* another figure */
    page = page_of(&f.results);
    ck_assert_uint_eq(count(page.data, ">150 ns<"), 1);
    ck_assert_uint_eq(count(page.data, ">160 ns<"), 1);
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(hostile_names_stay_text)
{
    static const char bad[] = "</td><script>x()</script>\"'`&\x1b[31m|\n\xe2\x80\xae";
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_record *r = fixture_add(&f, bad, "copy", "{\"n\": 1}", 0, 0, 100, 1e9);
    give(r, GB_STATUS_FAILED, bad);
    json_object_set_new(json_object_get(f.results.document, "suite"), "name", gb_json_string(bad));
    json_object_set_new(json_object_get(f.results.document, "suite"), "text", gb_json_string(bad));
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0), "name",
                        gb_json_string(bad));
    json_object_set_new(f.results.document, "expectations",
                        json_pack("[{s:o, s:s, s:o}]", "text", gb_json_string(bad), "outcome",
                                  "FAILED", "detail", gb_json_string(bad)));
    gb_buf page = page_of(&f.results);
    ck_assert(!has(&page, "<script>x"));
    ck_assert(!has(&page, "\x1b"));
    ck_assert(!has(&page, "\xe2\x80\xae"));
    ck_assert_uint_eq(count(page.data, "<script>"), 1);
    ck_assert(has(&page, "&lt;/td&gt;&lt;script&gt;x()"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(several_runs_have_a_column_each_and_a_legend)
{
    static const char *const names[] = {"old", "new"};
    fixture f[2];
    gb_error err = {0};
    for (int i = 0; i < 2; i++) {
        fixture_open(&f[i], "cuda", "[]");
        add(&f[i], 0, 100 + i, 1e9 * (i + 1));
        add(&f[i], 1, 200 + i, 3e9 * (i + 1));
    }
    f[1].results.records[1].flags = GB_BIT(GB_FLAG_THROTTLED);
    f[1].results.complete = false;
    gb_results in[2] = {f[0].results, f[1].results}, out;
    ck_assert_int_eq(gb_results_merge(in, names, 2, &out, &err), GB_OK);
    gb_buf page = page_of(&out);
    ck_assert(has(&page, "<th scope=\"col\" class=\"num\">bandwidth A</th>"));
    ck_assert(has(&page, "<th scope=\"col\" class=\"num\">bandwidth B</th>"));
    ck_assert(has(&page, "<td class=\"num\" data-v=\"3e+09\">3.00 GB/s</td><td class=\"num\" "
                         "data-v=\"6e+09\">6.00 GB/s</td>"));
    ck_assert(has(&page, "B: throttled"));
    ck_assert(has(&page, "A: Example device 9000, old, B: Example device 9000, new"));
    ck_assert(has(&page, "<section id=\"the-runs\">"));
    ck_assert(has(&page, "<td class=\"bad\">NO</td>"));
    ck_assert(has(&page, "not all runs are complete"));
    gb_buf_free(&page);
    gb_results_free(&in[0]);
    gb_results_free(&in[1]);
    gb_results_free(&out);
}
END_TEST

/* Two runs on one machine are no two devices, and of one suite no others. */
START_TEST(the_head_of_several_runs_is_of_all_of_them)
{
    static const char *const names[] = {"old", "new"};
    for (int other = 0; other < 2; other++) {
        fixture f[2];
        gb_error err = {0};
        gb_buf table = {0};
        for (int i = 0; i < 2; i++) {
            fixture_open(&f[i], "cpu", "[]");
            add(&f[i], 0, 100 + i, 1e9);
            json_object_set_new(json_object_get(f[i].results.document, "run"), "elapsed_ns",
                                json_real(i == 0 ? 20e9 : 3e9));
        }
        if (other)
            json_object_set_new(json_object_get(f[1].results.document, "suite"), "name",
                                json_string("second"));
        gb_results in[2] = {f[0].results, f[1].results}, out;
        ck_assert_int_eq(gb_results_merge(in, names, 2, &out, &err), GB_OK);
        gb_buf page = page_of(&out);
        ck_assert(has(&page, " on 2 runs</title>") || has(&page, " on 2 runs "));
        ck_assert(!has(&page, "2 devices"));
        ck_assert(has(&page, other ? "Suites made up, second: 2 runs side by side"
                                   : "Suite made up: 2 runs side by side"));
        ck_assert_int_eq(gb_report_table(&out, false, &table, &err), GB_OK);
        ck_assert(has(&table, "; the 2 runs took 23.0 s."));
        gb_buf_free(&page);
        gb_buf_free(&table);
        gb_results_free(&in[0]);
        gb_results_free(&in[1]);
        gb_results_free(&out);
    }
}
END_TEST

START_TEST(PLT_08_a_benchmark_without_figures_says_no_data)
{
    fixture f;
    fixture_open(&f, "cuda", "[{\"type\": \"curve\", \"benchmark\": \"bench\"}]");
    give(add(&f, 0, NAN, NAN), GB_STATUS_FAILED, "no");
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "No data: no case of this benchmark has a figure, so that there is "
                         "nothing to plot."));
    ck_assert(!has(&page, "<figure"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

START_TEST(five_hundred_cases_stay_below_two_megabytes)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    f.results.records = realloc(f.results.records, 1000 * sizeof(gb_record));
    f.capacity = 1000;
    for (uint32_t i = 0; i < 500; i++) {
        for (uint32_t r = 0; r < 2; r++) {
            gb_record *record = add(&f, i, 1000.123456 + i, 1.23456789e9 * (i + 1));
            record->replicate = r;
            record->flags = GB_BIT(GB_FLAG_OUTLIERS) | GB_BIT(GB_FLAG_DRIFT);
        }
    }
    gb_buf page = page_of(&f.results);
    ck_assert(has(&page, "500 cases with figures"));
    ck_assert_uint_lt(page.length, 1 << 19); /* pictures need the rest */
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

/* Each with its outcome and what was found; without any there is no such section. */
START_TEST(expectations_stand_with_their_outcomes)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, 0, 100, 1e9);
    gb_buf page = page_of(&f.results);
    ck_assert(!has(&page, "What the suite expected"));
    gb_buf_free(&page);
    json_object_set_new(
        f.results.document, "expectations",
        json_pack("[{s:s, s:s, s:s, s:i}, {s:s, s:s, s:i}, {s:s, s:s, s:i}, {s:s, s:s, s:i}]",
                  "text", "a >= b", "outcome", "FAILED", "detail", "1 = 1 / 1", "device", 0, "text",
                  "c", "outcome", "met", "device", 0, "text", "d", "outcome", "skipped", "device",
                  0, "text", "e", "outcome", "unknown", "device", 0));
    page = page_of(&f.results);
    char *rows = between(&page, "<h2>What the suite expected</h2>", "</section>");
    ck_assert_uint_eq(count(rows, "<tr>"), 1 + 4);
    ck_assert_ptr_nonnull(strstr(rows, "<td class=\"bad\">FAILED</td><td class=\"text\">a &gt;= "
                                       "b</td><td class=\"text\">1 = 1 / 1</td>"));
    ck_assert_ptr_nonnull(strstr(rows, "<td class=\"ok\">met</td><td class=\"text\">c</td>"));
    ck_assert_ptr_nonnull(strstr(rows, "<td class=\"dim\">skipped</td>"));
    ck_assert_ptr_nonnull(strstr(rows, "<td class=\"bad\">unknown</td>"));
    free(rows);
    ck_assert_uint_eq(count(page.data, "<section"), count(page.data, "</section>"));
    gb_buf_free(&page);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("report page");
    tcase_add_test(tests, TIM_13_RES_22_what_failed_is_shown_and_excluded_and_counted);
    tcase_add_test(tests, RES_22_an_incomplete_run_is_named_partial);
    tcase_add_test(tests, RES_10_a_metric_without_a_name_or_unit_is_left_out_and_counted);
    tcase_add_test(tests, RES_21_value_and_unit_scale_together_and_sort_by_base_units);
    tcase_add_test(tests, TIM_17_two_groups_of_samples_are_said_with_centres_and_counts);
    tcase_add_test(tests, a_cpu_is_named_in_the_title_and_the_noise_floor_is_said);
    tcase_add_test(tests, expectations_stand_with_their_outcomes);
    tcase_add_test(tests, what_the_noise_floor_keeps_back_is_said_with_the_way_out);
    tcase_add_test(tests, the_words_of_a_kernel_are_explained_where_it_was_measured);
    tcase_add_test(tests, a_percentile_that_is_a_metric_too_stands_there_once);
    tcase_add_test(tests, hostile_names_stay_text);
    tcase_add_test(tests, several_runs_have_a_column_each_and_a_legend);
    tcase_add_test(tests, the_head_of_several_runs_is_of_all_of_them);
    tcase_add_test(tests, PLT_08_a_benchmark_without_figures_says_no_data);
    tcase_add_test(tests, five_hundred_cases_stay_below_two_megabytes);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("report page", add_cases)
