/* Machines side by side by price, by power, and by a score of weighed classes. */
#include "base/inference.h"
#include "unit/matrix_fixture.h"

START_TEST(prices_for_several_cards_scale_as_assumed)
{
    machines all;
    two_machines(&all);
    open_all(&all);
    price(&all, "a=30000");
    price(&all, "runs/b=200000:8");
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    CLOSE(cells[0].per_price, 71677517213.559 / 30000);
    CLOSE(cells[1].per_price, 69781859063.5429 * 8 / 200000);
    ck_assert_uint_eq(cells[1].price_rank, 1);
    char *text = text_of(&all);
    says(text, "200000 for 8 cards (scaling assumed)");
    says(text, "multiplied by 8, scaling assumed, not measured");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(prices_that_are_refused)
{
    static const char *const bad[][2] = {{"a", "say which machine"},
                                         {"a=", "a price is 2.10/h or 30000"},
                                         {"a=-1", "a price is above 0"},
                                         {"a=0", "a price is above 0"},
                                         {"a=0/h", "a price is above 0"},
                                         {"a=nan", "a price is 2.10/h"},
                                         {"a=inf/h", "a price is 2.10/h"},
                                         {"a=1e999", "a price is 2.10/h"},
                                         {"a=2.10/d", "a price is 2.10/h"},
                                         {"a=2.10/h:0", "1 to 100000 cards"},
                                         {"a=5:x", "a price is 2.10/h"},
                                         {"a=5:1.5", "a price is 2.10/h"},
                                         {"a=2,10/h", "a price is 2.10/h"},
                                         {"a=5/h:2:2", "a price is 2.10/h"},
                                         {"=5", "no machine is called ''; there are: a, b"},
                                         {"runs/aa=5", "no machine is called 'runs/aa'"},
                                         {"aa=5", "did you mean 'a'?"}};
    machines all;
    two_machines(&all);
    open_all(&all);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        gb_error err = {0};
        ck_assert_int_eq(gb_matrix_price(&all.matrix, bad[i][0], &err), GB_INVALID);
        says(err.message, bad[i][1]);
    }
    price(&all, "a=2.10/h");
    gb_error err = {0};
    ck_assert_int_eq(gb_matrix_price(&all.matrix, "a=3/h", &err), GB_INVALID);
    says(err.message, "has a price already");
    ck_assert_int_eq(gb_matrix_price(&all.matrix, "b=30000", &err), GB_INVALID);
    says(err.message, "'b=30000' is a purchase price and the price of a is hourly");
    close_all(&all);
}
END_TEST

START_TEST(power_counts_when_every_case_has_a_reading)
{
    machines all;
    two_machines(&all);
    for (size_t i = 0; i < all.runs[0].results.n; i++) {
        all.runs[0].results.records[i].telemetry =
            json_pack("{s:f}", "power_w", i < 3 ? 300.0 : 500.0);
    }
    all.runs[1].results.records[0].telemetry = json_pack("{s:f}", "power_w", 300.0);
    open_all(&all);
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    CLOSE(cells[0].watts, 400);
    CLOSE(cells[0].per_watt, 71677517213.559 / 400);
    ck_assert(isnan(cells[1].watts) && isnan(cells[1].per_watt));
    char *text = text_of(&all);
    says(text, "179 MB/s at 400 W");
    says(text, "(power not read)");
    free(text);
    close_all(&all);
}
END_TEST

static void add_second_class(machines *all, bool gap)
{
    static const double slow[] = {10e9, 10e9}, fast[] = {40e9, 40e9};
    for (size_t i = 0; i < all->n; i++) {
        add_rates_class(&all->runs[i], "second", "d", 1);
        if (!gap || i != 1) {
            rates(&all->runs[i], "d", 0, 2, i == 0 ? slow : fast);
        }
    }
}

START_TEST(a_score_only_by_weights)
{
    machines all;
    two_machines(&all);
    gb_error err = {0};
    add_second_class(&all, false);
    open_all(&all);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "movin", 1, &err), GB_INVALID);
    says(err.message, "did you mean 'moving'?");
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", 0, &err), GB_INVALID);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", -1, &err), GB_INVALID);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", (double)NAN, &err), GB_INVALID);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", 3, &err), GB_OK);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", 3, &err), GB_INVALID);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "second", 1, &err), GB_OK);
    fill(&all);
    CLOSE(all.matrix.machines[0].score, pow(0.25, 0.25));
    CLOSE(all.matrix.machines[1].score, pow(69781859063.5429 / 71677517213.559, 0.75));
    char *text = text_of(&all);
    says(text, "moving 3 (75.0 %), second 1 (25.0 %)");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(scores_that_cannot_be_told_apart_share_a_rank)
{
    static const double noisy[] = {10e9, 60e9, 25e9};
    machines all;
    gb_error err = {0};
    two_machines(&all);
    for (size_t i = 0; i < all.n; i++) {
        add_rates_class(&all.runs[i], "second", "d", 1);
        rates(&all.runs[i], "d", 0, 3, noisy);
    }
    open_all(&all);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", 3, &err), GB_OK);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "second", 1, &err), GB_OK);
    fill(&all);
    const gb_machine *a = &all.matrix.machines[0];
    const gb_cell *moving = &all.matrix.classes[0].cells[0],
                  *second = &all.matrix.classes[1].cells[0];
    double v = pow(0.75, 2) * moving->variance, w = pow(0.25, 2) * second->variance;
    double df = pow(v + w, 2) / (v * v / moving->df + w * w / second->df);
    double t = gb_t_quantile(0.975, df) * sqrt(v + w);
    CLOSE(a->score_low, a->score * exp(-t));
    CLOSE(a->score_high, a->score * exp(t));
    ck_assert_uint_eq(all.matrix.machines[1].score_rank.rank, 1);
    ck_assert(a->score_rank.shared);
    char *text = text_of(&all);
    says(text, "1.000 +-");
    says(text, "By the score, a, b cannot be told apart");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(scores_far_from_each_other_are_ranked)
{
    machines all;
    gb_error err = {0};
    two_machines(&all);
    for (size_t i = 0; i < 7; i++) { /* a is twice as fast now */
        all.runs[0].results.records[i].metrics[0].value *= 2;
    }
    open_all(&all);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", 3, &err), GB_OK);
    fill(&all);
    ck_assert_uint_eq(all.matrix.machines[0].score_rank.rank, 1);
    ck_assert_uint_eq(all.matrix.machines[1].score_rank.rank, 2);
    ck_assert(!all.matrix.machines[0].score_rank.shared);
    char *text = text_of(&all);
    says(text, "By the score, a leads, 2.05 times as good as b.");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(a_score_of_one_replicate_has_no_interval_and_shares_the_rank)
{
    static const double once[] = {10e9}, other[] = {90e9};
    machines all;
    gb_error err = {0};
    two_machines(&all);
    for (size_t i = 0; i < all.n; i++) {
        add_rates_class(&all.runs[i], "second", "d", 1);
        rates(&all.runs[i], "d", 0, 1, i == 0 ? once : other);
    }
    open_all(&all);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "second", 1, &err), GB_OK);
    fill(&all);
    ck_assert(isnan(all.matrix.machines[0].score_low));
    ck_assert_uint_eq(all.matrix.machines[0].score_rank.rank, 1);
    char *text = text_of(&all);
    says(text, "+-?  #1=");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(several_cards_make_no_time_shorter)
{
    machines all;
    memset(&all, 0, sizeof all);
    for (int i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i == 0 ? "a" : "b", GPU);
        add_class(run, "latency", "c", 1, "time", "ns", "lower");
        for (uint32_t r = 0; r < 3; r++) {
            run_add(run, "c", 0, r, 1000.0 + r);
        }
    }
    open_all(&all);
    price(&all, "a=2/h");
    price(&all, "b=16/h:8");
    fill(&all);
    ck_assert(isfinite(all.matrix.classes[0].cells[0].per_price));
    ck_assert(isnan(all.matrix.classes[0].cells[1].per_price));
    ck_assert_uint_eq(all.matrix.classes[0].cells[1].price_rank, 0);
    char *text = text_of(&all);
    says(text, "8 cards make no time shorter");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(runs_of_one_unit_are_named)
{
    machines all;
    two_machines(&all);
    add_machine(&all, "runs/c", GPU);
    for (size_t i = 0; i < 2; i++) {
        json_object_set_new(
            json_array_get(json_object_get(all.runs[i].results.document, "devices"), 0), "uuid",
            json_string("GPU-same"));
    }
    open_all(&all);
    size_t i, n = 0;
    const json_t *warning;
    json_array_foreach(all.matrix.warnings, i, warning)
    {
        if (strcmp(json_string_value(json_object_get(warning, "code")), "same-unit") == 0) {
            says(json_string_value(json_object_get(warning, "text")),
                 "a, b were measured on the very same unit (GPU-same)");
            n++;
        }
    }
    ck_assert_uint_eq(n, 1);
    close_all(&all);
}
END_TEST

START_TEST(no_score_without_weights)
{
    machines all;
    two_machines(&all);
    open_all(&all);
    fill(&all);
    ck_assert(isnan(all.matrix.machines[0].score));
    char *text = text_of(&all);
    ck_assert_ptr_null(strstr(text, "score"));
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(RES_22_a_score_over_a_part_is_withheld)
{
    machines all;
    two_machines(&all);
    gb_error err = {0};
    static const double c[] = {90e9, 91e9};
    made_run *third = add_machine(&all, "c", GPU);
    add_rates_class(third, "moving", "c", 2);
    rates(third, "c", 0, 2, c);
    rates(third, "c", 1, 2, c);
    add_second_class(&all, true);
    open_all(&all);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", 1, &err), GB_OK);
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "second", 1, &err), GB_OK);
    fill(&all);
    ck_assert(isfinite(all.matrix.machines[0].score));
    ck_assert(isnan(all.matrix.machines[1].score));
    says(all.matrix.machines[1].no_score,
         "1 weighed class without a value, or without another cuda device that has one: second");
    char *text = text_of(&all);
    says(text, "score, b: withheld: 1 weighed class");
    free(text);
    close_all(&all);
}
END_TEST

static void add(Suite *suite)
{
    TCase *prices = tcase_create("prices and power");
    TCase *weights = tcase_create("weights");
    tcase_add_test(prices, prices_for_several_cards_scale_as_assumed);
    tcase_add_test(prices, prices_that_are_refused);
    tcase_add_test(prices, power_counts_when_every_case_has_a_reading);
    tcase_add_test(weights, a_score_only_by_weights);
    tcase_add_test(prices, several_cards_make_no_time_shorter);
    tcase_add_test(prices, runs_of_one_unit_are_named);
    tcase_add_test(weights, scores_that_cannot_be_told_apart_share_a_rank);
    tcase_add_test(weights, scores_far_from_each_other_are_ranked);
    tcase_add_test(weights, a_score_of_one_replicate_has_no_interval_and_shares_the_rank);
    tcase_add_test(weights, no_score_without_weights);
    tcase_add_test(weights, RES_22_a_score_over_a_part_is_withheld);
    suite_add_tcase(suite, prices);
    suite_add_tcase(suite, weights);
}

GB_CHECK_MAIN("matrix_prices", add)
