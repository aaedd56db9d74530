/* The rules of comparisons held against the noise they are made for: families of made-up cases with
 * known changes, seeded. What docs/comparing.md states comes from `test_compare_sim --print`. */
#include "base/inference.h"
#include "base/rng.h"
#include "unit/compare_fixture.h"

#define CASES 400
#define FAMILIES 10 /* 4,000 cases a setting */
#define REPLICATES 5
#define WITHIN 0.006 /* sd of a replicate */
#define SESSION 0.02 /* sd of a session on top */

static double normal(gb_rng *rng)
{
    double u = gb_rng_unit(rng);
    return gb_normal_quantile(u > 0 ? u : 0x1p-54);
}

/* A run of CASES cases whose true times are `factor` of 1000 ns; in a session of its own when
 * `session` > 0: each case has its own offset. */
static void fill(made_run *run, gb_rng *rng, uint32_t replicates, double factor, double session)
{
    for (int n = 0; n < CASES; n++) {
        double centre = log(1000 * factor) + session * normal(rng);
        for (uint32_t i = 0; i < replicates; i++) {
            run_add(run, "b", n, i, exp(centre + WITHIN * normal(rng)));
        }
    }
}

typedef struct tally {
    size_t counts[GB_VERDICT_COUNT];
    size_t n;
} tally;

static double share(const tally *t, gb_verdict verdict)
{
    return (double)t->counts[verdict] / (double)t->n;
}

typedef struct setting {
    double factor, session;
    size_t baselines; /* further earlier runs */
    bool pair, floor;
    uint32_t replicates;
} setting;

static tally simulate(setting s, uint64_t seed)
{
    tally t = {0};
    gb_rng rng = {seed};
    for (int family = 0; family < FAMILIES; family++) {
        made_run a = run_open("a", GPU), b = run_open("b", GPU);
        gb_results others[8];
        fill(&a, &rng, s.replicates, 1, s.session);
        fill(&b, &rng, s.replicates, s.factor, s.session);
        for (size_t i = 0; i < s.baselines; i++) {
            char id[32];
            snprintf(id, sizeof id, "earlier %zu", i);
            made_run other = run_open(id, GPU);
            fill(&other, &rng, s.replicates, 1, s.session);
            others[i] = other.results;
        }
        if (s.pair) {
            run_pair(&a, &b);
        }
        if (s.floor) {
            json_t *device = json_array_get(json_object_get(b.results.document, "devices"), 0);
            json_object_set_new(device, "selftest", json_pack("{s:f}", "noise_floor", 0.01));
        }
        gb_comparison c = compared_with(&a, &b, others, s.baselines, HOW(.n_filters = 0));
        for (int v = 0; v < GB_VERDICT_COUNT; v++) {
            t.counts[v] += c.counts[v];
        }
        t.n += c.n;
        gb_comparison_free(&c);
        runs_close(&a, &b);
        for (size_t i = 0; i < s.baselines; i++) {
            gb_results_free(&others[i]);
        }
    }
    ck_assert_uint_eq(t.n, (size_t)CASES * FAMILIES);
    return t;
}

/* Bounds are asserted for the observed share of 4,000 cases less (or plus) three standard errors
 * of such a share: a rule that is on the bound passes, one that misses it by a little does not. */
static double allowance(double share_of)
{
    return 3 * sqrt(share_of * (1 - share_of) / (CASES * FAMILIES));
}

static const setting turns = {.factor = 1, .pair = true, .replicates = REPLICATES};

START_TEST(the_same_code_in_turns_is_flagged_in_less_than_one_case_of_a_hundred)
{
    tally t = simulate(turns, 1);
    double flagged = share(&t, GB_VERDICT_SLOWER) + share(&t, GB_VERDICT_FASTER);
    ck_assert_msg(flagged < 0.01 - allowance(0.01), "%.4f flagged", flagged);
    ck_assert_msg(share(&t, GB_VERDICT_SAME) > 0.8, "%.4f same", share(&t, GB_VERDICT_SAME));
}
END_TEST

START_TEST(three_percent_in_turns_are_found_in_95_of_a_hundred_cases)
{
    setting s = turns;
    s.factor = 1.03;
    tally t = simulate(s, 2);
    ck_assert_msg(share(&t, GB_VERDICT_SLOWER) > 0.95 + allowance(0.95), "%.4f found",
                  share(&t, GB_VERDICT_SLOWER));
    ck_assert_uint_eq(t.counts[GB_VERDICT_FASTER], 0);
    ck_assert_uint_eq(t.counts[GB_VERDICT_SAME], 0);
    s.factor = 1 / 1.03;
    t = simulate(s, 3);
    ck_assert_msg(share(&t, GB_VERDICT_FASTER) > 0.95 + allowance(0.95), "%.4f found",
                  share(&t, GB_VERDICT_FASTER));
}
END_TEST

START_TEST(what_is_detectable_is_found_four_times_of_five)
{
    made_run a = run_open("a", GPU), b = run_open("b", GPU);
    gb_rng rng = {4};
    fill(&a, &rng, REPLICATES, 1, 0);
    fill(&b, &rng, REPLICATES, 1, 0);
    run_pair(&a, &b);
    gb_comparison c = compared(&a, &b);
    double sum = 0;
    for (size_t i = 0; i < c.n; i++) {
        sum += c.items[i].detectable;
    }
    double mean = sum / (double)c.n;
    gb_comparison_free(&c);
    runs_close(&a, &b);
    setting s = turns;
    s.factor = 1 + mean;
    tally t = simulate(s, 5);
    ck_assert_msg(near(share(&t, GB_VERDICT_SLOWER), 0.8, 0.05), "+%.4f is found in %.4f", mean,
                  share(&t, GB_VERDICT_SLOWER));
}
END_TEST

START_TEST(the_replicates_asked_for_do_decide)
{
    /* +1.2 % is neither the same nor a change with 3 replicates; with those asked for it is. */
    made_run a = run_open("a", GPU), b = run_open("b", GPU);
    gb_rng rng = {6};
    fill(&a, &rng, 3, 1, 0);
    fill(&b, &rng, 3, 1.012, 0);
    run_pair(&a, &b);
    gb_comparison c = compared(&a, &b);
    uint32_t needed[CASES];
    size_t n = 0;
    for (size_t i = 0; i < c.n; i++) {
        if (c.items[i].verdict == GB_VERDICT_INCONCLUSIVE && c.items[i].needed > 0) {
            needed[n++] = c.items[i].needed;
        }
    }
    ck_assert_uint_gt(n, CASES / 2);
    for (size_t i = 1; i < n; i++) { /* insertion sort: the median */
        for (size_t k = i; k > 0 && needed[k - 1] > needed[k]; k--) {
            uint32_t swap = needed[k];
            needed[k] = needed[k - 1];
            needed[k - 1] = swap;
        }
    }
    setting s = turns;
    s.factor = 1.012;
    s.replicates = needed[n * 3 / 4];
    gb_comparison_free(&c);
    runs_close(&a, &b);
    tally t = simulate(s, 7);
    double decided = 1 - share(&t, GB_VERDICT_INCONCLUSIVE);
    ck_assert_msg(decided > 0.7, "%u replicates decide %.4f", s.replicates, decided);
}
END_TEST

START_TEST(two_sessions_never_give_more_than_a_suspicion)
{
    for (int floor = 0; floor < 2; floor++) {
        for (int changed = 0; changed < 2; changed++) {
            setting s = {.factor = changed ? 1.1 : 1,
                         .session = SESSION,
                         .floor = floor == 1,
                         .replicates = REPLICATES};
            tally t = simulate(s, 8);
            ck_assert_uint_eq(t.counts[GB_VERDICT_SLOWER], 0);
            ck_assert_uint_eq(t.counts[GB_VERDICT_FASTER], 0);
            ck_assert_uint_gt(t.counts[GB_VERDICT_SUSPECT_SLOWER], 0);
            if (changed) {
                ck_assert_msg(share(&t, GB_VERDICT_SUSPECT_SLOWER) > 0.9, "%.4f suspected",
                              share(&t, GB_VERDICT_SUSPECT_SLOWER));
            }
        }
    }
}
END_TEST

START_TEST(earlier_runs_make_a_verdict_possible_across_sessions)
{
    for (size_t more = 2; more <= 6; more += 4) {
        setting s = {.factor = 1, .session = SESSION, .baselines = more, .replicates = REPLICATES};
        tally t = simulate(s, 9);
        double flagged = share(&t, GB_VERDICT_SLOWER) + share(&t, GB_VERDICT_FASTER);
        ck_assert_msg(flagged < 0.01 + allowance(0.01), "%.4f flagged with %zu runs", flagged,
                      more + 1);
    }
    setting s = {.factor = 1.15, .session = SESSION, .baselines = 6, .replicates = REPLICATES};
    tally t = simulate(s, 10);
    ck_assert_msg(share(&t, GB_VERDICT_SLOWER) > 0.9, "%.4f found", share(&t, GB_VERDICT_SLOWER));
}
END_TEST

static void print(const char *what, setting s, uint64_t seed)
{
    tally t = simulate(s, seed);
    printf("%-58s", what);
    for (int v = 0; v < GB_VERDICT_COUNT; v++) {
        if (t.counts[v] > 0) {
            printf("  %s %.2f %%", gb_verdict_word((gb_verdict)v), 100 * share(&t, (gb_verdict)v));
        }
    }
    printf("\n");
}

/* The table of docs/comparing.md. */
START_TEST(print_all)
{
    static const double factors[] = {1, 1.02, 1.025, 1.03, 1.04, 1 / 1.03};
    char what[80];
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        setting s = turns;
        s.factor = factors[i];
        snprintf(what, sizeof what, "in turns, %+.1f %%", 100 * (factors[i] - 1));
        print(what, s, 20 + i);
    }
    setting session = {.factor = 1, .session = SESSION, .replicates = REPLICATES};
    print("two sessions, no change, floor unknown", session, 30);
    session.floor = true;
    print("two sessions, no change, floor 1 %", session, 31);
    session.factor = 1.1;
    print("two sessions, +10 %, floor 1 %", session, 32);
    session.floor = false;
    for (size_t more = 2; more <= 7; more += 5) {
        for (int k = 0; k < 3; k++) {
            session.baselines = more;
            session.factor = 1 + 0.1 * k;
            snprintf(what, sizeof what, "%zu earlier runs, %+.0f %%", more + 1, 10.0 * k);
            print(what, session, 40 + more + (uint64_t)k);
        }
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tcase = tcase_create("simulation");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_same_code_in_turns_is_flagged_in_less_than_one_case_of_a_hundred);
    tcase_add_test(tcase, three_percent_in_turns_are_found_in_95_of_a_hundred_cases);
    tcase_add_test(tcase, what_is_detectable_is_found_four_times_of_five);
    tcase_add_test(tcase, the_replicates_asked_for_do_decide);
    tcase_add_test(tcase, two_sessions_never_give_more_than_a_suspicion);
    tcase_add_test(tcase, earlier_runs_make_a_verdict_possible_across_sessions);
    suite_add_tcase(suite, tcase);
}

int main(int argc, char *argv[])
{
    bool table = argc == 2 && strcmp(argv[1], "--print") == 0;
    Suite *suite = suite_create("compare_sim");
    if (table) {
        TCase *tcase = tcase_create("table");
        tcase_add_test(tcase, print_all);
        suite_add_tcase(suite, tcase);
    } else {
        add_cases(suite);
    }
    SRunner *runner = srunner_create(suite);
    if (table) {
        srunner_set_fork_status(runner, CK_NOFORK);
    }
    srunner_run_all(runner, table ? CK_SILENT : CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
