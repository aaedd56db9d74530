/* Findings on how steady a device is and on what neighbours cost, from records made up so that the
 * figures are known. */
#include "base/json.h"
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

typedef struct figures {
    double slowest, p99, first, second, mean; /* of a median of 1 ms; a mean of 0: 1.02 */
} figures;
static const figures flat = {1.01, 1.1, 1, 1.001, 0};

static gb_record *add_run(fixture *f, const char *work, uint32_t replicate, figures by)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"beside\": \"none\", \"bytes\": 33554432, \"duration\": 20000000000, "
             "\"rounds\": 64, \"work\": \"%s\"}",
             work);
    gb_record *r = fixture_add(f, "steady", "stability", params, 0, replicate, 1e6, NAN);
    r->phases_ns = json_pack("{s:I}", "measure", (json_int_t)20300000000);
    r->time.mean = (by.mean > 0 ? by.mean : 1.02) * 1e6;
    add_metric(r, "mean", "ns", r->time.mean);
    r->time.p99 = by.p99 * 1e6;
    add_metric(r, "slowest_second", "ns", by.slowest * 1e6);
    add_metric(r, "first_half", "ns", by.first * 1e6);
    add_metric(r, "second_half", "ns", by.second * 1e6);
    return r;
}

START_TEST(a_steady_device_is_called_so)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_run(&f, "compute", 0, flat);
    says(&f, "steadiness",
         "Repeated for 20 s, arithmetic takes 1.00 ms, steadily: the slowest of 20 seconds is "
         "within "
         "1.0 % of the median, and 99 % of the iterations take no more than 1.1 times as long.");
    ck_assert_double_eq(figure(&f, "steadiness", "steady"), 1);
    ck_assert_double_eq(figure(&f, "steadiness", "seconds"), 20);
    ck_assert_double_eq(figure(&f, "steadiness", "slowest_second_ns"), 1.01e6);
    silent(&f, "interference");
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_not_steady_is_named)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    gb_record *r = add_run(&f, "memory", 0, (figures){2.5, 7, 0.9, 1.2, 0});
    r->flags = GB_BIT(GB_FLAG_DRIFT) | GB_BIT(GB_FLAG_BIMODAL);
    r->time.modes[0] = 0.9e6;
    r->time.modes[1] = 2.4e6;
    r->time.mode_counts[0] = 750;
    r->time.mode_counts[1] = 250;
    says(&f, "steadiness",
         "Repeated for 20 s, a pass over 32 MiB takes 1.00 ms (the median), but not "
         "steadily: the slowest of 20 seconds is 2.5 times the median; it drifts by +33 % from the "
         "first half to the second; "
         "two modes at 900 us and 2.40 ms (75 % and 25 % of the samples); the 99th percentile is "
         "7.0 "
         "times the median.");
    ck_assert_double_eq(figure(&f, "steadiness", "steady"), 0);
    ck_assert_double_eq(figure(&f, "steadiness", "drift"), 1);
    fixture_close(&f);
}
END_TEST

/* Each of the five alone, on both sides of its limit. */
START_TEST(the_limits_are_those_that_are_stated)
{
    static const struct {
        figures by;
        uint32_t flags;
        const char *text; /* NULL: steady */
    } cases[] = {
        {{1.049, 1.1, 1, 1, 0}, 0, NULL},
        {{1.06, 1.1, 1, 1, 0}, 0, "the slowest of 20 seconds is 6.0 % above the median."},
        {{1.01, 1.99, 1, 1, 0}, 0, NULL},
        {{1.01, 2.01, 1, 1, 0}, 0, "the 99th percentile is 2.0 times the median."},
        {{1.01, 1.1, 1, 0.95, 0}, 0, NULL}, /* what is a drift is said by the flag */
        {{1.01, 1.1, 1, 0.95, 0}, GB_BIT(GB_FLAG_DRIFT), "it drifts by -5.0 %"},
        {{1.01, 1.1, 1, 1, 1.99}, 0, NULL},
        {{1.01, 1.1, 1, 1, 2.01},
         0,
         "the mean is 2.0 times the median, by few very long iterations."},
        /* a percentile that shows them, and none that tells how many they are */
        {{1.01, 12, 1, 1, 4.6},
         0,
         "the 99th percentile is 12 times the median; the mean is 4.6 times the median."},
        {{1.01, NAN, 1, 1, 4.6}, 0, ": the mean is 4.6 times the median."},
        {{1.01, NAN, 1, 1, 0}, 0, NULL}, /* too few samples for a percentile */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture f;
        fixture_open(&f, "cuda", "[]");
        add_run(&f, "launch", 0, cases[i].by)->flags = cases[i].flags;
        json_t *found = findings_of(&f, "steadiness");
        const char *text = sentence(found, 0);
        ck_assert_msg(strstr(text, cases[i].text ? cases[i].text : ", steadily: ") != NULL,
                      "case %zu: %s", i, text);
        ck_assert_msg((strstr(text, "99 %") == NULL) == (isnan(cases[i].by.p99) || cases[i].text),
                      "case %zu: %s", i, text);
        json_decref(found);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(of_several_replicates_the_worst_speaks)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_run(&f, "launch", 0, flat);
    add_run(&f, "launch", 1, (figures){1.5, 1.1, 1, 1, 0});
    add_run(&f, "launch", 2, flat);
    says(&f, "steadiness",
         "Repeated for 20 s, a short launch takes 1.00 ms (the median of the worst of 3 "
         "replicates), but not steadily: the slowest of 20 seconds is 50 % above the median.");
    fixture_close(&f);
}
END_TEST

/* Of two that lie apart the interval is nanoseconds to hours: the worst one's own time is said. */
START_TEST(the_time_of_what_is_not_steady_is_that_of_the_worst_replicate)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_run(&f, "compute", 0, flat);
    gb_record *r = add_run(&f, "compute", 1, (figures){1.5, 1.1, 1, 1, 0});
    r->time.median *= 9.77;
    r->time.p99 *= 9.77;
    r->time.mean *= 9.77;
    for (size_t i = 0; i < r->n_metrics; i++)
        r->metrics[i].value *= 9.77;
    says(&f, "steadiness",
         "Repeated for 20 s, arithmetic takes 9.77 ms (the median of the worst of 2 replicates), "
         "but not steadily: the slowest of 20 seconds is 50 % above the median.");
    fixture_close(&f);
}
END_TEST

/* Each of them is steady, and they are not alike. */
START_TEST(steadily_is_not_said_of_replicates_that_lie_apart)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_run(&f, "launch", 0, flat);
    gb_record *r = add_run(&f, "launch", 1, flat);
    r->time.median *= 1.3;
    for (size_t i = 0; i < r->n_metrics; i++)
        r->metrics[i].value *= 1.3;
    silent(&f, "steadiness");
    fixture_close(&f);
}
END_TEST

START_TEST(short_or_spoiled_cases_say_nothing)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_run(&f, "compute", 0, (figures){NAN, 1.1, 1, 1, 0});
    add_run(&f, "memory", 0, flat)->flags = GB_BIT(GB_FLAG_PROFILED);
    add_run(&f, "launch", 0, flat)->flags = GB_BIT(GB_FLAG_BELOW_RESOLUTION);
    silent(&f, "steadiness");
    fixture_close(&f);
}
END_TEST

/* Three replicates of a case beside a neighbour, `spread` apart, with a mean of `ms`. */
static void add_beside(fixture *f, const char *neighbour, double ms, double spread)
{
    const uint32_t index = (uint32_t)f->results.n;
    for (uint32_t i = 0; i < 3; i++) {
        char params[200];
        const double mean = ms * 1e6 * (1 + spread * ((double)i - 1));
        snprintf(params, sizeof params,
                 "{\"beside\": \"%s\", \"bytes\": 33554432, \"duration\": 500000000, "
                 "\"rounds\": 64, \"work\": \"compute\"}",
                 neighbour);
        gb_record *r = fixture_add(f, "beside", "stability", params, index, i, 0.7 * mean, NAN);
        add_metric(r, "mean", "ns", mean);
    }
}

START_TEST(interference_is_the_ratio_of_the_means)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_beside(&f, "none", 1, 0.0001);
    add_beside(&f, "compute", 2, 0.0001);
    add_beside(&f, "memory", 1, 0.0001);
    add_beside(&f, "copies", 1.5, 0.0001);
    says(&f, "interference",
         "Beside a neighbour arithmetic (1.00 ms alone, on average) takes 2.00 times as long when "
         "it "
         "computes; as long as alone when it streams through memory; 1.50 times as long when it "
         "copies between host and device.");
    ck_assert_double_eq_tol(figure(&f, "interference", "compute"), 2, 1e-6);
    ck_assert_double_eq_tol(figure(&f, "interference", "memory"), 1, 1e-6);
    ck_assert_double_eq_tol(figure(&f, "interference", "copies"), 1.5, 1e-6);
    ck_assert_double_eq_tol(figure(&f, "interference", "alone_ns"), 1e6, 1);
    silent(&f, "steadiness");
    fixture_close(&f);
}
END_TEST

/* 1 +- 60 % and 1.5 +- 60 % are the same or not: nobody knows. */
START_TEST(a_factor_within_the_noise_is_not_said)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_beside(&f, "none", 1, 0.2);
    add_beside(&f, "memory", 1.2, 0.2);
    silent(&f, "interference");
    add_beside(&f, "compute", 9, 0.01);
    json_t *found = findings_of(&f, "interference");
    const char *text = sentence(found, 0);
    ck_assert_ptr_nonnull(strstr(text, "when it computes (the cores are shared here)."));
    ck_assert_ptr_null(strstr(text, "memory"));
    json_decref(found);
    ck_assert(isnan(figure(&f, "interference", "memory")));
    fixture_close(&f);
}
END_TEST

START_TEST(a_neighbour_of_another_case_is_none)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_beside(&f, "none", 1, 0.0001);
    silent(&f, "interference");
    const size_t first = f.results.n;
    add_beside(&f, "compute", 2, 0.0001);
    for (size_t i = first; i < f.results.n; i++)
        json_object_set_new(f.results.records[i].params, "rounds", json_integer(65));
    silent(&f, "interference");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("findings_stability");
    tcase_add_test(tc, a_steady_device_is_called_so);
    tcase_add_test(tc, what_is_not_steady_is_named);
    tcase_add_test(tc, the_limits_are_those_that_are_stated);
    tcase_add_test(tc, of_several_replicates_the_worst_speaks);
    tcase_add_test(tc, the_time_of_what_is_not_steady_is_that_of_the_worst_replicate);
    tcase_add_test(tc, steadily_is_not_said_of_replicates_that_lie_apart);
    tcase_add_test(tc, short_or_spoiled_cases_say_nothing);
    tcase_add_test(tc, interference_is_the_ratio_of_the_means);
    tcase_add_test(tc, a_factor_within_the_noise_is_not_said);
    tcase_add_test(tc, a_neighbour_of_another_case_is_none);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("findings_stability", add_cases)
