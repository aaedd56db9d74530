/* The one rule of all findings: when two cases differ, and when a figure may be quoted. */
#include "reports/contrast.h"
#include "reports/findings.h"
#include "reports/findings_say.h"

#include "suite/expect.h"
#include "unit/check_main.h"
#include "unit/reports_fixture.h"
#include "unit/suite_catalog.h"

/* One case with these medians, a replicate each; the k-th record of it is returned by record_of. */
static void add_case(fixture *f, uint32_t index, const char *memory, const double times[], size_t n)
{
    char params[160];
    snprintf(params, sizeof params,
             "{\"bytes\": 1024, \"direction\": \"h2d\", \"memory\": \"%s\", \"pieces\": 1}",
             memory);
    for (uint32_t r = 0; r < n; r++)
        fixture_add(f, "copy", "copy", params, index, r, times[r], 1024 / times[r] * 1e9);
}

static gb_contrast contrast_of(const fixture *f, const char *metric)
{
    gb_table table;
    ck_assert_int_eq(gb_table_make(&f->results, &table, NULL), GB_OK);
    ck_assert_uint_eq(table.n, 2);
    gb_contrast found = gb_rows_contrast(&f->results, &table.rows[0], &table.rows[1], metric);
    ck_assert_int_eq(gb_rows_contrast(&f->results, &table.rows[1], &table.rows[0], metric), found);
    ck_assert_int_eq(gb_rows_differ(&f->results, &table.rows[0], &table.rows[1], metric),
                     found == GB_CONTRAST_DIFFERENT);
    gb_table_free(&table);
    return found;
}

static void two_cases(fixture *f, const double a[], const double b[], size_t n)
{
    fixture_open(f, "cuda", "[]");
    add_case(f, 0, "pinned", a, n);
    add_case(f, 1, "pageable", b, n);
}

START_TEST(cases_differ_where_the_intervals_between_replicates_do_not_touch)
{
    /* +-: exp(4.303 s / sqrt(3)) - 1 = 10.4 % for 1.04 and 0.96 around 1 */
    static const double centre[] = {1000, 1040, 1000 / 1.04};
    static const double far_off[] = {1300, 1352, 1300 / 1.04}, near[] = {1150, 1196, 1150 / 1.04};
    fixture f;
    two_cases(&f, centre, far_off, 3);
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    ck_assert_int_eq(contrast_of(&f, "bandwidth"), GB_CONTRAST_DIFFERENT);
    fixture_close(&f);
    two_cases(&f, centre, near, 3);
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    ck_assert_int_eq(contrast_of(&f, "bandwidth"), GB_CONTRAST_UNKNOWN);
    fixture_close(&f);
}
END_TEST

/* A level has no time in it: a time that wanders, or ticks coarsely, leaves it alone. */
START_TEST(a_level_is_as_exact_as_its_replicates)
{
    static const double times[] = {1000, 5000, 200};
    fixture f;
    gb_table table;
    gb_interval interval;
    two_cases(&f, times, times, 3);
    for (size_t i = 0; i < f.results.n; i++) {
        gb_metric *m = &f.results.records[i].metrics[0];
        snprintf(m->unit, sizeof m->unit, "%s", _i == 0 ? "%" : "cycles");
        m->value = i < 3 ? 12.5 : 25;
        f.results.records[i].converged = false;
        f.results.records[i].resolution_ns = 500;
    }
    ck_assert_int_eq(contrast_of(&f, "bandwidth"), GB_CONTRAST_DIFFERENT);
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert(gb_row_interval(&table.rows[0], "bandwidth", &interval));
    ck_assert_double_eq_tol(interval.low, 12.5, 1e-9);
    ck_assert_double_eq_tol(interval.high, 12.5, 1e-9);
    gb_table_free(&table);
    f.results.records[0].metrics[0].value = 20; /* its replicates do not agree */
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert(gb_row_interval(&table.rows[0], "bandwidth", &interval));
    ck_assert(interval.low < 12.5 && interval.high > 20);
    gb_table_free(&table);
    fixture_close(&f);
}
END_TEST

/* Nothing else tells how far a single replicate's level is open. */
START_TEST(a_level_of_one_replicate_counts_if_it_is_settled)
{
    static const double time = 1000;
    for (int settled = 0; settled < 2; settled++) {
        fixture f;
        two_cases(&f, &time, &time, 1);
        for (size_t i = 0; i < 2; i++) {
            gb_metric *m = &f.results.records[i].metrics[0];
            snprintf(m->unit, sizeof m->unit, "%%");
            m->value = i == 0 ? 12.5 : 25;
            f.results.records[i].converged = settled == 1;
        }
        ck_assert_int_eq(contrast_of(&f, "bandwidth"),
                         settled ? GB_CONTRAST_DIFFERENT : GB_CONTRAST_UNKNOWN);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(shares_and_what_was_seen_have_the_digits_they_may_have)
{
    static const struct {
        double value;
        const char *text;
    } seen[] = {{0.1, "0.1"}, {1.049, "1.0"},   {9.96, "10"},   {12.34, "12"}, {99.7, "100"},
                {256, "260"}, {12345, "12000"}, {-33.3, "-33"}, {-5, "-5.0"}};
    char buf[96];
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        ck_assert_str_eq(gb_say_two_digits(seen[i].value, buf, sizeof buf), seen[i].text);
    gb_interval share = {0};
    gb_span_add(&share, 1, 0.501);
    gb_span_add(&share, 2, 0.499);
    ck_assert_str_eq(gb_say_share(&share, buf, sizeof buf), "50 %");
    gb_span_add(&share, 3, 0.44);
    ck_assert_str_eq(gb_say_share(&share, buf, sizeof buf), "44 to 50 %");
    ck_assert_double_eq_tol(share.centre, 0.48, 1e-12);
}
END_TEST

/* The case: a factor of 129.06 between a figure of +- 107 % and another. */
START_TEST(figures_have_the_digits_that_their_intervals_leave)
{
    static const struct {
        double spread; /* of three replicates around a = 129.06 us; b is 1 us +- 0.5 % */
        const char *figure, *factor;
    } cases[] = {{1.001, "129 us", "129.1"},
                 {1.04, "129 us +- 10.2 %", "130"},
                 {1.3, "129 us +- 91.9 %", "67 to 250"},
                 {1.4, "129 us (55.9 us to 298 us)", "56 to 300"},
                 {2.4, "129 us (14.7 us to 1.14 ms)", "15 to 1100"},
                 {2.6, "129 us (not known to a factor of 10)", "more than 11"},
                 {40, "129 us (not known to a factor of 10)", "more than 0.01"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const double a[] = {129060, 129060 * cases[i].spread, 129060 / cases[i].spread};
        static const double b[] = {1000, 1002, 1000 / 1.002};
        fixture f;
        gb_table table;
        char text[96];
        two_cases(&f, a, b, 3);
        ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
        ck_assert_str_eq(gb_say_figure(&table.rows[0], "time", text, sizeof text), cases[i].figure);
        ck_assert_str_eq(
            gb_say_ratio(&table.rows[0], &table.rows[1], "time", 1, 2, text, sizeof text),
            cases[i].factor);
        gb_table_free(&table);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(two_firm_figures_that_touch_are_the_same)
{
    static const double a[] = {1000, 1002, 998}, b[] = {1001, 1003, 999};
    fixture f;
    two_cases(&f, a, b, 3);
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_SAME);
    ck_assert_int_eq(contrast_of(&f, "no such metric"), GB_CONTRAST_UNKNOWN);
    fixture_close(&f);
}
END_TEST

START_TEST(one_replicate_counts_by_its_own_interval_if_it_is_settled)
{
    static const double a[] = {1000}, b[] = {1010};
    static const gb_flag flags[] = {GB_FLAG_NOT_CONVERGED, GB_FLAG_DRIFT, GB_FLAG_BIMODAL,
                                    GB_FLAG_THROTTLED};
    fixture f;
    two_cases(&f, a, b, 1); /* the fixture's interval: 0.1 % to both sides */
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    ck_assert_int_eq(contrast_of(&f, "bandwidth"), GB_CONTRAST_DIFFERENT);
    f.results.records[0].time.ci95[1] = 1010;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_SAME);
    ck_assert_int_eq(contrast_of(&f, "bandwidth"), GB_CONTRAST_SAME);
    f.results.records[0].time.ci95[1] = 1001;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        f.results.records[1].flags = GB_BIT(flags[i]);
        ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    }
    f.results.records[1].flags = 0;
    f.results.records[1].converged = false;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    f.results.records[1].converged = true;
    f.results.records[1].time.ci95[0] = f.results.records[1].time.ci95[1] = NAN;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    fixture_close(&f);
}
END_TEST

START_TEST(an_unsettled_replicate_widens_the_interval_to_what_its_samples_leave_open)
{
    static const double a[] = {1000, 1001, 999}, b[] = {1100, 1101, 1099};
    fixture f;
    two_cases(&f, a, b, 3);
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    gb_record *r = &f.results.records[1];
    r->converged = false;
    r->time.ci95[1] = 1200;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    ck_assert_int_eq(contrast_of(&f, "bandwidth"), GB_CONTRAST_UNKNOWN);
    r->time.ci95[1] = 1050; /* open, but not as far as that */
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    r->time.ci95[0] = r->time.ci95[1] = NAN; /* too few samples for one: all of them */
    r->time.min = 990;
    r->time.max = 1300;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    r->time.max = 1010;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    fixture_close(&f);
}
END_TEST

/* A replicate with two modes, of which the smaller holds so many of its samples. */
static const struct {
    size_t counts[2];
    gb_contrast found;
} shares[] = {{{13, 2}, GB_CONTRAST_DIFFERENT},  {{2, 13}, GB_CONTRAST_DIFFERENT},
              {{31, 10}, GB_CONTRAST_DIFFERENT}, {{30, 10}, GB_CONTRAST_UNKNOWN},
              {{10, 30}, GB_CONTRAST_UNKNOWN},   {{8, 7}, GB_CONTRAST_UNKNOWN}};

START_TEST(a_second_mode_widens_the_interval_where_it_holds_a_quarter_of_the_samples)
{
    static const double a[] = {1000, 1001, 999}, b[] = {1100, 1101, 1099};
    fixture f;
    two_cases(&f, a, b, 3);
    gb_record *r = &f.results.records[1];
    r->flags = GB_BIT(GB_FLAG_BIMODAL);
    r->time.ci95[0] = 995;
    r->time.ci95[1] = 1010;
    r->time.modes[0] = 1000;
    r->time.modes[1] = 1150;
    memcpy(r->time.mode_counts, shares[_i].counts, sizeof shares[_i].counts);
    ck_assert_int_eq(contrast_of(&f, "time"), shares[_i].found);
    r->time.ci95[1] = 1120; /* what the median leaves open counts either way */
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    fixture_close(&f);
}
END_TEST

START_TEST(times_that_mean_something_else_and_the_timers_step_say_nothing)
{
    static const double a[] = {1000, 1001, 999}, b[] = {1100, 1101, 1099};
    static const gb_flag flags[] = {GB_FLAG_EMULATED, GB_FLAG_IMPLAUSIBLE, GB_FLAG_PROFILED,
                                    GB_FLAG_SYNCHRONOUS_LAUNCHES};
    fixture f;
    two_cases(&f, a, b, 3);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        f.results.records[2].flags = GB_BIT(flags[i]);
        ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    }
    f.results.records[2].flags = 0;
    f.results.records[2].resolution_ns = 3000; /* of a sample of 10 iterations: 300 ns each */
    f.results.records[2].iterations_per_sample = 10;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_UNKNOWN);
    f.results.records[2].iterations_per_sample = 1000;
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_below_the_noise_floor_is_no_difference)
{
    static const double a[] = {1000, 1001, 999}, b[] = {1030, 1031, 1029};
    fixture f;
    two_cases(&f, a, b, 3);
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0),
                        "selftest", json_pack("{s:f}", "noise_floor", 0.05));
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_SAME);
    fixture_close(&f);
    /* 210 % is a factor of 3.1, no logarithm of 2.1 */
    static const double far_off[] = {3200, 3201, 3199};
    two_cases(&f, a, far_off, 3);
    json_object_set_new(json_array_get(json_object_get(f.results.document, "devices"), 0),
                        "selftest", json_pack("{s:f}", "noise_floor", 2.1));
    ck_assert_int_eq(contrast_of(&f, "time"), GB_CONTRAST_DIFFERENT);
    fixture_close(&f);
}
END_TEST

START_TEST(a_ratio_of_a_finding_is_that_of_an_expectation)
{
    static const double a[] = {1000, 1002, 1100}, b[] = {4000, 4300, 4310};
    gb_expect_results expected;
    gb_table table;
    const char *unit;
    bool higher;
    fixture f;
    two_cases(&f, a, b, 3);
    for (size_t i = 0; i < f.results.n; i++)
        json_object_del(f.results.records[i].params, "pieces"); /* not of the tests' catalog */
    gb_suite *suite = test_suite(
        "gpubench: 1\nname: x\nbenchmarks:\n  - name: copy\n    kernel: copy\n"
        "    axes: {memory: [pinned, pageable], bytes: 1KiB}\n"
        "    expect: [{metric: bandwidth, of: {memory: pinned}, over: {memory: pageable}, min: 1}, "
        "{metric: time, max: 1s}]\n");
    ck_assert_int_eq(gb_expect_evaluate(suite, f.results.records, f.results.n, &expected, NULL),
                     GB_OK);
    ck_assert_int_eq(gb_table_make(&f.results, &table, NULL), GB_OK);
    ck_assert_uint_eq(expected.n_met, 3);
    ck_assert_double_eq_tol(expected.items[0].value,
                            gb_row_metric(&table.rows[0], "bandwidth", &unit, &higher) /
                                gb_row_metric(&table.rows[1], "bandwidth", &unit, &higher),
                            1e-12);
    ck_assert_double_eq_tol(expected.items[1].value + expected.items[2].value,
                            table.rows[0].time_ns + table.rows[1].time_ns, 1e-9);
    gb_table_free(&table);
    gb_expect_results_free(&expected);
    gb_suite_free(suite);
    fixture_close(&f);
}
END_TEST

/* The text of the only finding of a rule; NULL: none. The caller frees. */
static char *finding(const fixture *f, const char *rule)
{
    json_t *findings = NULL, *one;
    char *text = NULL;
    size_t i;
    ck_assert_int_eq(gb_report_findings(&f->results, &findings, NULL), GB_OK);
    json_array_foreach(findings, i, one)
    {
        if (strcmp(json_string_value(json_object_get(one, "rule")), rule) == 0)
            text = gb_text_copy(json_string_value(json_object_get(one, "text")));
    }
    json_decref(findings);
    return text;
}

/* One row of every kernel and metric that a comparing rule looks for, each 2 x another one, with
 * `spread` between the replicates. */
static void add_all(fixture *f, double spread)
{
    static const struct {
        const char *kernel, *params, *metric, *unit;
        double time;
    } rows[] = {
        {"copy",
         "{\"bytes\": 65536, \"direction\": \"h2d\", \"memory\": \"pinned\", \"pieces\": 1}",
         "bandwidth", "B/s", 1000},
        {"copy",
         "{\"bytes\": 65536, \"direction\": \"h2d\", \"memory\": \"pageable\", \"pieces\": 1}",
         "bandwidth", "B/s", 2000},
        {"copy",
         "{\"bytes\": 65536, \"direction\": \"h2d\", \"memory\": \"pinned\", \"pieces\": 64}",
         "bandwidth", "B/s", 4000},
        {"copy",
         "{\"bytes\": 65536, \"direction\": \"bidirectional\", \"memory\": \"pinned\", "
         "\"pieces\": 1}",
         "bandwidth", "B/s", 500},
        {"access", "{\"pattern\": \"coalesced\", \"elements\": 1024, \"stride\": 1}", "bandwidth",
         "B/s", 1000},
        {"access", "{\"pattern\": \"random\", \"elements\": 1024, \"stride\": 1}", "bandwidth",
         "B/s", 2000},
        {"transpose", "{\"variant\": \"naive\", \"n\": 512, \"columns\": 0}", "bandwidth", "B/s",
         2000},
        {"transpose", "{\"variant\": \"padded\", \"n\": 512, \"columns\": 0}", "bandwidth", "B/s",
         1000},
        {"bank", "{\"stride\": 1, \"blocks\": 1}", "access_time", "ns", 1000},
        {"bank", "{\"stride\": 32, \"blocks\": 1}", "access_time", "ns", 2000},
        {"launch",
         "{\"mode\": \"separate\", \"launches\": 64, \"argument_bytes\": 8, \"blocks\": 1, "
         "\"streams\": 1}",
         "rate", "1/s", 2000},
        {"launch",
         "{\"mode\": \"fused\", \"launches\": 64, \"argument_bytes\": 8, \"blocks\": 1, "
         "\"streams\": 1}",
         "rate", "1/s", 1000},
        {"graph", "{\"measure\": \"eager-roundtrip\", \"length\": 64, \"width\": 4}", "per_node",
         "ns", 2000},
        {"graph", "{\"measure\": \"replay-roundtrip\", \"length\": 64, \"width\": 4}", "per_node",
         "ns", 1000},
        {"graph", "{\"measure\": \"instantiate\", \"length\": 64, \"width\": 4}", "per_node", "ns",
         500},
        {"matmul", "{\"variant\": \"naive\", \"type\": \"fp32\", \"n\": 64, \"m\": 0, \"k\": 0}",
         "flop_rate", "FLOP/s", 2000},
        {"matmul", "{\"variant\": \"tiled\", \"type\": \"fp32\", \"n\": 64, \"m\": 0, \"k\": 0}",
         "flop_rate", "FLOP/s", 1000},
        {"matmul", "{\"variant\": \"vendor\", \"type\": \"fp32\", \"n\": 64, \"m\": 0, \"k\": 0}",
         "flop_rate", "FLOP/s", 250},
        {"divergence",
         "{\"pattern\": \"ways\", \"ways\": 32, \"split\": \"lane\", \"order\": \"sorted\"}",
         "bandwidth", "B/s", 2000},
        {"divergence",
         "{\"pattern\": \"ways\", \"ways\": 32, \"split\": \"warp\", \"order\": \"sorted\"}",
         "bandwidth", "B/s", 1000},
        {"batch", "{\"batch\": 1, \"math\": \"own\"}", "throughput", "1/s", 1000},
        {"batch", "{\"batch\": 2, \"math\": \"own\"}", "throughput", "1/s", 1000},
        {"batch", "{\"batch\": 4, \"math\": \"own\"}", "throughput", "1/s", 1000},
        {"batch", "{\"batch\": 8, \"math\": \"own\"}", "throughput", "1/s", 2000},
        {"batch", "{\"batch\": 16, \"math\": \"own\"}", "throughput", "1/s", 4000},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (uint32_t r = 0; r < 3; r++) {
            const double time = rows[i].time * (1 + spread * ((double)r - 1));
            gb_record *record = fixture_add(f, rows[i].kernel, rows[i].kernel, rows[i].params, i, r,
                                            time, 1 / time);
            double batch = 1;
            if (strcmp(rows[i].kernel, "batch") == 0)
                batch = json_number_value(json_object_get(record->params, "batch"));
            snprintf(record->metrics[0].name, sizeof record->metrics[0].name, "%s", rows[i].metric);
            snprintf(record->metrics[0].unit, sizeof record->metrics[0].unit, "%s", rows[i].unit);
            record->metrics[0].value =
                strcmp(rows[i].unit, "ns") == 0 ? time / 100 : batch * 1e12 / time;
            if (strcmp(rows[i].kernel, "launch") == 0)
                record->timer = GB_TIMER_ROUNDTRIP;
            record->time.p95 = time;
        }
    }
}

START_TEST(no_rule_says_what_noise_could_have_made)
{
    static const char *const rules[] = {
        "pinned-against-pageable", "many-small-copies", "both-ways",     "order-of-access",
        "transpose-tiles",         "bank-conflicts",    "many-launches", "graph-break-even",
        "tiled-product",           "vendor-product",    "divergence",    "batch-knee"};
    for (int noisy = 0; noisy < 2; noisy++) {
        fixture f;
        json_t *findings = NULL;
        fixture_open(&f, "cuda", "[]");
        add_all(&f, noisy ? 0.5 : 0.001);
        for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
            char *text = finding(&f, rules[i]);
            ck_assert_msg((text == NULL) == (noisy == 1), "%s: %s", rules[i],
                          text != NULL ? text : "silent");
            ck_assert_msg(gb_finding_kernel(rules[i]) != NULL, "%s", rules[i]);
            free(text);
        }
        /* nor any other rule */
        ck_assert_int_eq(gb_report_findings(&f.results, &findings, NULL), GB_OK);
        char *all = json_dumps(findings, 0);
        ck_assert_msg(!noisy || json_array_size(findings) == 0, "%s", all);
        free(all);
        json_decref(findings);
        fixture_close(&f);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("contrast");
    tcase_add_test(tc, cases_differ_where_the_intervals_between_replicates_do_not_touch);
    tcase_add_loop_test(tc, a_level_is_as_exact_as_its_replicates, 0, 2);
    tcase_add_test(tc, a_level_of_one_replicate_counts_if_it_is_settled);
    tcase_add_test(tc, shares_and_what_was_seen_have_the_digits_they_may_have);
    tcase_add_test(tc, figures_have_the_digits_that_their_intervals_leave);
    tcase_add_test(tc, two_firm_figures_that_touch_are_the_same);
    tcase_add_test(tc, one_replicate_counts_by_its_own_interval_if_it_is_settled);
    tcase_add_test(tc, an_unsettled_replicate_widens_the_interval_to_what_its_samples_leave_open);
    tcase_add_loop_test(tc,
                        a_second_mode_widens_the_interval_where_it_holds_a_quarter_of_the_samples,
                        0, (int)(sizeof shares / sizeof shares[0]));
    tcase_add_test(tc, times_that_mean_something_else_and_the_timers_step_say_nothing);
    tcase_add_test(tc, what_is_below_the_noise_floor_is_no_difference);
    tcase_add_test(tc, a_ratio_of_a_finding_is_that_of_an_expectation);
    tcase_add_test(tc, no_rule_says_what_noise_could_have_made);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("contrast", add_cases)
