/* The kernel graph: nodes and replays that go missing, and the timer of each measure. */
#include "suite/plan.h"
#include "unit/launches_fixture.h"

static const char *const measures[] = {
    "capture",       "instantiate",      "first-launch", "update",       "launch-api",
    "replay-device", "replay-roundtrip", "eager-api",    "eager-device", "eager-roundtrip"};

START_TEST(KRN_12_every_measure_of_any_shape_counts_every_node)
{
    static const char *const shapes[] = {"length=1", "length=1,width=16", "length=33,width=3",
                                         "length=1000,steps=7", "length=1023,width=2"};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "measure=%s,%s", measures[_i], shapes[i]);
        ends_well("graph", text, GB_TIMER_CALL);
    }
}
END_TEST

START_TEST(KRN_12_a_node_that_is_not_in_the_graph)
{
    spy.drop_launch = 5;
    ends_badly("graph", "measure=replay-roundtrip,length=9", GB_STATUS_FAILED,
               "8 nodes were captured of 9");
    spy.drop_launch = 0;
    spy.launches = 0;
    spy.astray = 5; /* a callee with a stream of its own: it runs once, during the capture */
    ends_badly("graph", "measure=replay-device,length=9", GB_STATUS_FAILED,
               "8 nodes were captured of 9");
    spy.launches = 0;
    ends_badly("graph", "measure=capture,length=9", GB_STATUS_FAILED, "8 nodes were captured of 9");
}
END_TEST

START_TEST(KRN_12_replays_that_do_not_happen)
{
    spy.drop_graphs = 1;
    ends_badly("graph", "measure=replay-roundtrip,length=9", GB_STATUS_WRONG,
               "how often each node ran: 9 of 9");
    spy.graphs = 0;
    spy.drop_graphs = 4; /* after the verification: the samples are counted too */
    ends_badly("graph", "measure=replay-roundtrip,length=9", GB_STATUS_WRONG,
               "how often each node ran: 9 of 9");
    spy.graphs = 0;
    spy.drop_graphs = 4;
    ends_badly("graph", "measure=update,length=9", GB_STATUS_WRONG, "how often each node ran");
    spy.drop_launch = 3;
    spy.launches = 0;
    ends_badly("graph", "measure=eager-roundtrip,length=9", GB_STATUS_WRONG,
               "how often each node ran: 7 of 9");
}
END_TEST

static gb_code no_update(gb_device *device, gb_graph *graph, gb_graph *from, gb_error *err)
{
    (void)device, (void)graph, (void)from, (void)err;
    return GB_OK;
}

START_TEST(KRN_12_an_update_without_effect)
{
    ops.graph_update = no_update;
    ends_badly("graph", "measure=update,length=9", GB_STATUS_WRONG,
               "how often each node ran: 18 of 18");
}
END_TEST

START_TEST(KRN_10_unjoined_work_is_an_error)
{
    spy.unjoined = true;
    ends_badly("graph", "measure=capture,length=4,width=3", GB_STATUS_FAILED, "unjoined work on 2");
    ends_badly("graph", "measure=replay-device,length=4,width=2", GB_STATUS_FAILED,
               "unjoined work on 1");
    ends_well("graph", "measure=eager-roundtrip,length=4", GB_TIMER_CALL);
}
END_TEST

/* --- the timer is decided by the parameter `measure` --- */

#define GRAPH_SUITE                                                                                \
    "gpubench: 1\nname: s\nbenchmarks:\n- name: b\n  kernel: graph\n"                              \
    "  axes: {measure: [capture, replay-device, eager-roundtrip]}\n"

START_TEST(a_case_has_the_timer_of_its_measure)
{
    static const gb_timer timers[] = {GB_TIMER_CALL, GB_TIMER_DEVICE, GB_TIMER_ROUNDTRIP};
    gb_suite *suite = NULL;
    gb_plan *plan = NULL;
    gb_diagnostics diagnostics = {0};
    gb_error err = {0};
    const gb_selection all = {.seed = 1};
    ck_assert_int_eq(gb_suite_parse("s", GRAPH_SUITE, strlen(GRAPH_SUITE), gb_kernel_catalog(),
                                    &suite, &diagnostics, &err),
                     GB_OK);
    ck_assert_int_eq(gb_plan_make(suite, GB_CUDA, &all, &plan, &err), GB_OK);
    ck_assert_uint_eq(plan->n_cases, 3);
    for (size_t i = 0; i < 3; i++)
        ck_assert_msg(plan->cases[i].timer == timers[i], "%s", plan->cases[i].id);
    gb_plan_free(plan);
    gb_suite_free(suite);
    gb_diagnostics_free(&diagnostics);
}
END_TEST

START_TEST(a_suite_cannot_choose_another_timer)
{
    static const char text[] = GRAPH_SUITE "  measure: {timer: device}\n";
    gb_suite *suite = NULL;
    gb_diagnostics diagnostics = {0};
    ck_assert_int_eq(
        gb_suite_parse("s", text, strlen(text), gb_kernel_catalog(), &suite, &diagnostics, NULL),
        GB_INVALID);
    ck_assert_uint_eq(diagnostics.n, 1);
    ck_assert_int_eq(diagnostics.items[0].line, 7);
    ck_assert_str_eq(
        diagnostics.items[0].message,
        "timer: the parameters of kernel 'graph' decide how it is timed; leave it out");
    gb_diagnostics_free(&diagnostics);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("graph");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_device, close_kernel_device);
    tcase_add_loop_test(tc, KRN_12_every_measure_of_any_shape_counts_every_node, 0,
                        (int)(sizeof measures / sizeof measures[0]));
    tcase_add_test(tc, KRN_12_a_node_that_is_not_in_the_graph);
    tcase_add_test(tc, KRN_12_replays_that_do_not_happen);
    tcase_add_test(tc, KRN_12_an_update_without_effect);
    tcase_add_test(tc, KRN_10_unjoined_work_is_an_error);
    tcase_add_test(tc, a_case_has_the_timer_of_its_measure);
    tcase_add_test(tc, a_suite_cannot_choose_another_timer);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("graph", add_cases)
