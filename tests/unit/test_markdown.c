/* report.md: verdict first, nothing in it is markup by accident, cut at whole rows. */
#include "base/json.h"
#include "check_main.h"
#include "reports/page/report_page.h"
#include "reports_fixture.h"

static gb_buf text_of(const gb_results *results, size_t limit)
{
    gb_buf text = {0};
    gb_error err = {0};
    ck_assert_msg(gb_report_markdown(results, NULL, limit, &text, &err) == GB_OK, "%s",
                  err.message);
    return text;
}

static bool has(const gb_buf *text, const char *part)
{
    return text->data != NULL && strstr(text->data, part) != NULL;
}

START_TEST(the_verdict_comes_first)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    fixture_copies(&f, "pinned", 4000, 20e9, 0);
    gb_buf text = text_of(&f.results, GB_MARKDOWN_LIMIT);
    ck_assert(strncmp(text.data, "**ok**: made up on Example device 9000 (figures of a CPU", 50) ==
              0);
    ck_assert(has(&text, "| bytes | time | \xc2\xb1 | bandwidth | notes |\n| ---: | ---: | ---: | "
                         "---: | --- |\n| 1 KiB | "));
    ck_assert(has(&text, "<details><summary>Environment</summary>\n\n- device: "));
    ck_assert(!has(&text, "left out"));
    gb_buf_free(&text);
    f.results.records[0].status = GB_STATUS_FAILED;
    f.results.records[0].reason = gb_text_copy("it broke");
    json_object_set_new(f.results.document, "expectations",
                        json_pack("[{s:s, s:s, s:s}, {s:s, s:s}]", "text", "a >= b", "outcome",
                                  "FAILED", "detail", "1 = 1 / 1", "text", "c", "outcome", "met"));
    text = text_of(&f.results, GB_MARKDOWN_LIMIT);
    ck_assert(strncmp(text.data, "**:x: NOT ok: 1 of 9 cases failed, 1 of 2 expectations not met**",
                      60) == 0);
    ck_assert(has(&text, "- expected a &gt;= b: FAILED: 1 = 1 / 1\n"));
    ck_assert(has(&text, "it broke"));
    gb_buf_free(&text);
    fixture_close(&f);
}
END_TEST

/* What the page lists under "Not trustworthy", and how many of all in the first line. */
START_TEST(doubts_are_counted_in_the_first_line_and_listed)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    const double times[][3] = {
        {1000, 1001, 1002}, {1000, 1200, 900}, {67.3, 96.5, 4734.6}, {500, 500, 500}};
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t r = 0; r < 3; r++) {
            char params[40];
            snprintf(params, sizeof params, "{\"bytes\": %u}", 1024 << i);
            fixture_add(&f, "b", "copy", params, i, r, times[i][r], 1e9);
        }
    }
    f.results.records[10].flags |= GB_BIT(GB_FLAG_NOT_CONVERGED);
    gb_buf text = text_of(&f.results, GB_MARKDOWN_LIMIT);
    ck_assert(strncmp(text.data, "**ok, but 3 of 4 figures are doubtful**: ", 41) == 0);
    ck_assert(has(&text, "- wide \xc2\xb1 (2 cases: b 2): "));
    ck_assert(has(&text, "- replicates-apart (1 case: b 1): "));
    ck_assert(has(&text, "- not-converged (1 case: b 1): "));
    ck_assert(!has(&text, "no \xc2\xb1"));
    /* Rules that are silent because of noise are not said to have had no cases. */
    ck_assert(has(&text, "### What stands out\n\nNothing that a rule knows of: "));
    ck_assert(
        has(&text, "cannot be told from noise (the times of 2 of 4 cases are not known to 10 "));
    gb_buf_free(&text);
    fixture_close(&f);
}
END_TEST

START_TEST(nothing_becomes_markup_by_accident)
{
    static const char bad[] = "a|b`c<i>*d*_e_[f](g)\\#1 @who\nnext \x1b~ $x$ \xe6\x97\xa5";
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_record *r = fixture_add(&f, bad, "copy", "{\"n\": 1}", 0, 0, 100, 1e9);
    r->status = GB_STATUS_FAILED;
    r->reason = gb_text_copy(bad);
    json_t *params = json_pack("{s:s}", "what", "x|y");
    char *key = json_dumps(params, 0);
    fixture_add(&f, bad, "copy", key, 1, 0, 100, 1e9);
    fixture_add(&f, bad, "copy", "{\"what\": \"z\"}", 2, 0, 100, 1e9);
    free(key);
    json_decref(params);
    gb_buf text = text_of(&f.results, GB_MARKDOWN_LIMIT);
    ck_assert(has(&text, "### a\\|b\\`c&lt;i&gt;\\*d\\*\\_e\\_\\[f\\](g)\\\\&#35;1 &#64;who next "
                         "\\~ &#36;x&#36; \xe6\x97\xa5\n"));
    ck_assert(has(&text, "| x\\|y |"));
    ck_assert(!has(&text, "<i>"));
    ck_assert(!has(&text, "\x1b"));
    gb_buf_free(&text);
    fixture_close(&f);
}
END_TEST

/* At every limit: below it, whole characters, whole rows, and how many rows are missing. */
START_TEST(it_is_cut_at_whole_rows_below_any_limit)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    for (uint32_t i = 0; i < 40; i++) {
        char params[80];
        snprintf(params, sizeof params, "{\"n\": %u, \"w\": \"\xe6\x97\xa5\xe6\x9c\xac\"}", i);
        fixture_add(&f, "\xe6\x97\xa5", "copy", params, i, 0, 1000 + i, 1e9);
    }
    json_object_set_new(json_object_get(f.results.document, "suite"), "name",
                        json_string("\xf0\x9f\x98\x80"));
    gb_buf whole = text_of(&f.results, GB_MARKDOWN_LIMIT);
    for (size_t limit = 0; limit <= whole.length + 400; limit += limit < 400 ? 1 : 7) {
        gb_buf text = text_of(&f.results, limit);
        size_t rows = 0, left = 0;
        ck_assert_uint_le(text.length, limit);
        if (text.data != NULL) {
            ck_assert(gb_utf8_valid(text.data, text.length, NULL));
            for (const char *at = text.data; (at = strstr(at, " GB/s |")) != NULL; at++) {
                ck_assert_ptr_nonnull(strchr(at, '\n'));
                rows++;
            }
            const char *line = strstr(text.data, " left out to stay below");
            if (line != NULL) {
                while (line > text.data && line[-1] != '\n') {
                    line--;
                }
                left = strtoul(line, NULL, 10);
            }
        }
        if (limit >= 400) {
            ck_assert_msg(rows + left == 40, "limit %zu: %zu and %zu", limit, rows, left);
        }
        gb_buf_free(&text);
    }
    gb_buf_free(&whole);
    fixture_close(&f);
}
END_TEST

START_TEST(RES_10_a_metric_without_a_name_is_left_out_and_counted)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    fixture_add(&f, "bench", "copy", "{\"n\": 1}", 0, 0, 100, 7.77e9)->metrics[0].name[0] = '\0';
    gb_buf text = text_of(&f.results, GB_MARKDOWN_LIMIT);
    ck_assert(!has(&text, "7.77"));
    ck_assert(has(&text, "- left out (1): values of metrics without a name or a unit\n"));
    gb_buf_free(&text);
    fixture_close(&f);
}
END_TEST

START_TEST(no_records_are_no_success)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_buf text = text_of(&f.results, GB_MARKDOWN_LIMIT);
    ck_assert(strncmp(text.data, "**:x: NOT ok: nothing was measured**", 30) == 0);
    gb_buf_free(&text);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("markdown");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, the_verdict_comes_first);
    tcase_add_test(tests, doubts_are_counted_in_the_first_line_and_listed);
    tcase_add_test(tests, nothing_becomes_markup_by_accident);
    tcase_add_test(tests, it_is_cut_at_whole_rows_below_any_limit);
    tcase_add_test(tests, RES_10_a_metric_without_a_name_is_left_out_and_counted);
    tcase_add_test(tests, no_records_are_no_success);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("markdown", add_cases)
