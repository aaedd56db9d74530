/* Findings on divergence, from records made up so that the factors are known. */
#include "unit/check_main.h"
#include "unit/reports_fixture.h"

static void add(fixture *f, const char *pattern, unsigned ways, const char *split,
                const char *order, double time)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"pattern\": \"%s\", \"ways\": %u, \"split\": \"%s\", \"order\": \"%s\", "
             "\"rounds\": 8, \"elements\": 65536}",
             pattern, ways, split, order);
    fixture_add(f, "b", "divergence", params, (uint32_t)f->results.n, 0, time, 1e9);
}

/* The texts of all findings, each with a new line. The caller frees. */
static char *findings_text(const fixture *f)
{
    json_t *findings = NULL;
    gb_buf out = {0};
    size_t i;
    json_t *finding;
    gb_error err = {0};
    ck_assert_msg(gb_report_findings(&f->results, &findings, &err) == GB_OK, "%s", err.message);
    gb_buf_add(&out, "");
    json_array_foreach(findings, i, finding)
        gb_buf_printf(&out, "%s: %s\n", json_string_value(json_object_get(finding, "rule")),
                      json_string_value(json_object_get(finding, "text")));
    json_decref(findings);
    return out.data;
}

static void has(const fixture *f, const char *part)
{
    char *text = findings_text(f);
    ck_assert_msg(strstr(text, part) != NULL, "'%s' is not in: %s", part, text);
    free(text);
}

START_TEST(the_most_ways_are_compared_with_their_control)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, "ways", 1, "lane", "sorted", 1000);
    add(&f, "ways", 1, "warp", "sorted", 1000);
    add(&f, "ways", 32, "warp", "sorted", 1100);
    add(&f, "ways", 32, "lane", "sorted", 34100);
    add(&f, "ways", 8, "lane", "sorted", 8000);
    add(&f, "ways", 8, "warp", "sorted", 1000);
    add(&f, "data", 2, "lane", "sorted", 1000);
    add(&f, "data", 2, "lane", "shuffled", 1900);
    has(&f, "divergence: 32 code paths taken by the threads of a warp cost 31.00 times the same "
            "paths taken by whole warps (34.1 us against 1.10 us).");
    has(&f, "sorted-data: 2 paths chosen by shuffled data cost 1.90 times the same data sorted "
            "(1.90 us against 1.00 us).");
    json_t *findings = NULL;
    ck_assert_int_eq(gb_report_findings(&f.results, &findings, NULL), GB_OK);
    json_t *figures = json_object_get(json_array_get(findings, 0), "figures");
    char *found = json_dumps(figures, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
    ck_assert_str_eq(found, "{\"benchmark\":\"b\",\"control_time_ns\":[1000.0,1000.0,1100.0],"
                            "\"pattern\":\"ways\","
                            "\"slowdown\":[1.0,8.0,31.0],\"time_ns\":[1000.0,8000.0,34100.0],"
                            "\"ways\":[1,8,32]}");
    free(found);
    json_decref(findings);
    fixture_close(&f);
}
END_TEST

START_TEST(a_cpu_is_not_said_to_have_warps)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add(&f, "ways", 4, "lane", "sorted", 1010);
    add(&f, "ways", 4, "warp", "sorted", 1000);
    add(&f, "early-exit", 4, "lane", "sorted", 1010);
    add(&f, "early-exit", 4, "warp", "sorted", 1000);
    add(&f, "one-lane", 4, "lane", "sorted", 1000);
    add(&f, "one-lane", 4, "warp", "sorted", 1000);
    has(&f, "neighbouring elements cost 1.01 times the same paths taken by groups of 32, as a CPU "
            "has no warps");
    has(&f, "early-exit: 4 lengths");
    has(&f,
        "one-lane: 4 neighbouring elements of which one has work cost as much as the same work in "
        "groups of 32, no difference that can be told from noise (1.00 us against 1.00 us).");
    char *text = findings_text(&f);
    ck_assert_ptr_null(strstr(text, "of a warp"));
    free(text);
    fixture_close(&f);
}
END_TEST

START_TEST(rows_that_differ_in_more_are_not_compared)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, "ways", 32, "lane", "sorted", 32000);
    add(&f, "ways", 16, "warp", "sorted", 1000);
    add(&f, "early-exit", 32, "warp", "sorted", 1000);
    add(&f, "data", 32, "lane", "shuffled", 1000);
    add(&f, "data", 1, "lane", "sorted", 1000);
    add(&f, "ways", 1, "lane", "sorted", 1000);
    add(&f, "ways", 1, "warp", "sorted", 1000);
    char *text = findings_text(&f);
    ck_assert_str_eq(text, "");
    free(text);
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("findings");
    tcase_add_test(tc, the_most_ways_are_compared_with_their_control);
    tcase_add_test(tc, a_cpu_is_not_said_to_have_warps);
    tcase_add_test(tc, rows_that_differ_in_more_are_not_compared);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("findings_divergence", add_cases)
