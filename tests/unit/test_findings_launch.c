/* Findings on launches and graphs, from records made up so that the figures are known. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

static void add_launch(fixture *f, const char *mode, unsigned launches, gb_timer timer, double time)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"mode\": \"%s\", \"launches\": %u, \"argument_bytes\": 8, \"blocks\": 1, "
             "\"streams\": 1}",
             mode, launches);
    gb_record *r = fixture_add(f, gb_timer_word(timer), "launch", params, (uint32_t)f->results.n, 0,
                               time, NAN);
    r->timer = timer;
}

static void add_graph(fixture *f, const char *measure, unsigned length, double time)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"measure\": \"%s\", \"length\": %u, \"width\": 1, \"steps\": 0}", measure, length);
    fixture_add(f, "chain", "graph", params, (uint32_t)f->results.n, 0, time, NAN);
}

START_TEST(KRN_14_the_three_figures_of_a_launch_are_told_apart)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_launch(&f, "separate", 1, GB_TIMER_CALL, 2000);
    add_launch(&f, "separate", 1, GB_TIMER_DEVICE, 1500);
    silent(&f, "launch");
    add_launch(&f, "separate", 1, GB_TIMER_ROUNDTRIP, 9000);
    says(
        &f, "launch",
        "Launching a small kernel costs the calling thread 2.00 us; those that wait in a queue run "
        "every 1.50 us; until the host knows of the end it takes 9.00 us.");
    fixture_close(&f);
}
END_TEST

START_TEST(the_most_steps_are_compared_with_one_kernel)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_launch(&f, "separate", 4, GB_TIMER_ROUNDTRIP, 16000);
    add_launch(&f, "fused", 4, GB_TIMER_ROUNDTRIP, 8000);
    add_launch(&f, "separate", 64, GB_TIMER_ROUNDTRIP, 200000);
    says(&f, "many-launches",
         "4 steps as a kernel each take 16.0 us, as one kernel that does all of them 8.00 us: a "
         "factor of 2.00.");
    add_launch(&f, "fused", 64, GB_TIMER_ROUNDTRIP, 10000);
    add_launch(&f, "sync-each", 64, GB_TIMER_ROUNDTRIP, 640000);
    says(&f, "many-launches",
         "64 steps as a kernel each take 200 us, as one kernel that does all of them 10.0 us: a "
         "factor of 20.00; waiting after each of them 640 us.");
    /* others with longer arguments: then it is said which are meant */
    fixture_add(&f, "roundtrip", "launch",
                "{\"mode\": \"separate\", \"launches\": 4, \"argument_bytes\": 64, \"blocks\": 1, "
                "\"streams\": 1}",
                (uint32_t)f.results.n, 0, 50000, NAN)
        ->timer = GB_TIMER_ROUNDTRIP;
    says(&f, "many-launches",
         "64 steps as a kernel each take 200 us, as one kernel that does all of them 10.0 us: a "
         "factor of 20.00; waiting after each of them 640 us (argument_bytes 8 B).");
    fixture_close(&f);
}
END_TEST

START_TEST(KRN_13_a_graph_that_gains_nothing_is_no_fault)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add_graph(&f, "eager-roundtrip", 64, 200000);
    add_graph(&f, "replay-roundtrip", 64, 100000);
    silent(&f, "graph-break-even");
    add_graph(&f, "instantiate", 64, 250000);
    says(&f, "graph-break-even",
         "64 kernels launched one by one take 200 us, as a graph 100 us: a factor of 2.00. "
         "Instantiating the graph takes 250 us, which has paid off after 3 launches.");
    /* work that keeps the device busy: both times and the ratio, and no judgement */
    add_graph(&f, "eager-roundtrip", 1024, 4000000);
    add_graph(&f, "replay-roundtrip", 1024, 4000000);
    add_graph(&f, "instantiate", 1024, 900000);
    says(&f, "graph-break-even",
         "1024 kernels launched one by one take 4.00 ms, as a graph 4.00 ms: a factor of 1.00, no "
         "difference that can be told from noise. Instantiating the graph takes 900 us, which does "
         "not pay off here.");
    fixture_close(&f);
}
END_TEST

START_TEST(a_graph_of_chains_says_so)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    static const char *const measures[] = {"eager-roundtrip", "replay-roundtrip", "instantiate"};
    for (size_t i = 0; i < 3; i++) {
        char params[160];
        snprintf(params, sizeof params,
                 "{\"measure\": \"%s\", \"length\": 64, \"width\": 4, \"steps\": 100}",
                 measures[i]);
        fixture_add(&f, "width", "graph", params, (uint32_t)i, 0, 200000 / (double)(i + 1), NAN);
    }
    says(&f, "graph-break-even",
         "256 kernels in 4 chains of 64 launched one by one take 200 us, as a graph 100 us: a "
         "factor of 2.00. Instantiating the graph takes 66.7 us, which has paid off after 1 "
         "launch.");
    add_graph(&f, "eager-roundtrip", 4, 200000); /* other steps: the sentence tells which */
    mentions(&f, "graph-break-even", "4 chains of 64 (steps 100) launched");
    fixture_close(&f);
}
END_TEST

START_TEST(one_launch_may_be_enough)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add_graph(&f, "eager-roundtrip", 16, 3000);
    add_graph(&f, "replay-roundtrip", 16, 1000);
    add_graph(&f, "instantiate", 16, 20);
    mentions(&f, "graph-break-even", "has paid off after 1 launch.");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("launch");
    tcase_add_test(tc, KRN_14_the_three_figures_of_a_launch_are_told_apart);
    tcase_add_test(tc, the_most_steps_are_compared_with_one_kernel);
    tcase_add_test(tc, KRN_13_a_graph_that_gains_nothing_is_no_fault);
    tcase_add_test(tc, a_graph_of_chains_says_so);
    tcase_add_test(tc, one_launch_may_be_enough);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("findings_launch", add_cases)
