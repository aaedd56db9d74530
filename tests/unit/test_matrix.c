/* Machines side by side: the figure of a class, its interval and its rank. Expected intervals were
 * computed apart, with mpmath (t by its incomplete beta function), not with this program's own
 * statistics. */
#include "unit/matrix_fixture.h"

START_TEST(geometric_mean_with_its_interval)
{
    machines all;
    two_machines(&all);
    open_all(&all);
    fill(&all);
    const gb_cell *a = &all.matrix.classes[0].cells[0], *b = &all.matrix.classes[0].cells[1];
    CLOSE(a->value, 71677517213.559);
    CLOSE(a->df, 4.86452141588);
    CLOSE(a->low, 70742246308.9825);
    CLOSE(a->high, 72625153171.7009);
    CLOSE(b->value, 69781859063.5429);
    CLOSE(b->low, 68872590739.661);
    CLOSE(b->high, 70703131711.292);
    ck_assert_uint_eq(a->n, 2);
    ck_assert_str_eq(all.matrix.machines[0].name, "a");
    ck_assert_str_eq(all.matrix.machines[1].name, "b");
    /* apart: 70.742 > 70.703, and 2.7 % */
    ck_assert_uint_eq(a->rank, 1);
    ck_assert_uint_eq(b->rank, 2);
    ck_assert(!a->shared && !b->shared);
    CLOSE(b->relative, 69781859063.5429 / 71677517213.559);
    close_all(&all);
}
END_TEST

START_TEST(times_are_better_when_lower)
{
    static const double fast0[] = {1000, 1010, 1030}, fast1[] = {4000, 4100, 4050};
    machines all = {0};
    made_run *a = add_machine(&all, "slow", GPU), *b = add_machine(&all, "fast", GPU);
    add_class(a, "waiting", "c", 2, "time", "ns", "lower");
    add_class(b, "waiting", "c", 2, "time", "ns", "lower");
    for (uint32_t i = 0; i < 3; i++) {
        run_add(a, "c", 0, i, 2 * fast0[i]);
        run_add(a, "c", 1, i, 2 * fast1[i]);
        run_add(b, "c", 0, i, fast0[i]);
        run_add(b, "c", 1, i, fast1[i]);
    }
    open_all(&all);
    price(&all, "slow=1/h");
    price(&all, "fast=4/h");
    fill(&all);
    const gb_cell *slow = &all.matrix.classes[0].cells[0], *fast = &all.matrix.classes[0].cells[1];
    CLOSE(fast->value, 2025.7052094378);
    CLOSE(fast->low, 1993.88645530053);
    CLOSE(fast->high, 2058.03173226578);
    ck_assert_uint_eq(fast->rank, 1);
    ck_assert_uint_eq(slow->rank, 2);
    CLOSE(slow->relative, 0.5);
    /* half the speed for a quarter of the price */
    CLOSE(slow->per_price, 1e9 / (2 * 2025.7052094378));
    CLOSE(fast->per_price, 1e9 / 2025.7052094378 / 4);
    ck_assert_uint_eq(slow->price_rank, 1);
    ck_assert_uint_eq(fast->price_rank, 2);
    close_all(&all);
}
END_TEST

START_TEST(one_replicate_has_no_interval)
{
    static const double values[] = {100e9, 200e9};
    machines all = {0};
    for (size_t i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "two" : "one", GPU);
        add_rates_class(run, "moving", "c", 1);
        rates(run, "c", 0, 1, &values[i]);
    }
    open_all(&all);
    fill(&all);
    ck_assert(isnan(all.matrix.classes[0].cells[0].low));
    for (size_t i = 0; i < 2; i++) { /* twice as fast, and nobody knows how sure that is */
        ck_assert_uint_eq(all.matrix.classes[0].cells[i].rank, 1);
        ck_assert(all.matrix.classes[0].cells[i].shared);
    }
    char *text = text_of(&all);
    says(text, "200 GB/s +-?");
    says(text, "1 of its 1 figures has no interval");
    says(text, "too noisy to be told apart");
    free(text);
    close_all(&all);
}
END_TEST

/* Replicates that a coarse timer made equal are not known exactly. */
START_TEST(a_timers_step_is_part_of_the_interval)
{
    machines all = {0};
    made_run *run = add_machine(&all, "a", GPU);
    add_class(run, "waiting", "c", 1, "time", "ns", "lower");
    for (uint32_t i = 0; i < 4; i++) {
        run_add(run, "c", 0, i, 1000)->resolution_ns = 100;
    }
    open_all(&all);
    fill(&all);
    const gb_cell *cell = &all.matrix.classes[0].cells[0];
    /* variance of the mean logarithm: (100 / 1000)^2 / 12 / 4; t of 3 degrees: 3.18244630528 */
    CLOSE(log(cell->high / cell->value), 3.18244630528371 * sqrt(0.01 / 12 / 4));
    close_all(&all);
}
END_TEST

START_TEST(ranks_are_shared_where_nothing_is_known)
{
    /* +-0.1 % at 1.00 and 1.015: within 2 %; 1.10 leads; 0.9 +- 20 % reaches 1.00 */
    static const double middle[MOST] = {1.00e9, 1.015e9, 1.10e9, 0.9e9};
    static const double spread[MOST] = {0.0004, 0.0004, 0.0004, 0.08};
    static const char *const names[MOST] = {"p", "q", "r", "s"};
    machines all = {0};
    for (size_t i = 0; i < MOST; i++) {
        made_run *run = add_machine(&all, names[i], GPU);
        add_rates_class(run, "moving", "c", 1);
        run_rates(run, "c", 0, 3, middle[i], spread[i]);
    }
    open_all(&all);
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    ck_assert_uint_eq(cells[2].rank, 1);
    ck_assert(!cells[2].shared || cells[3].rank == 1);
    ck_assert_uint_eq(cells[1].rank, 2);
    ck_assert_uint_eq(cells[0].rank, 2);
    ck_assert(cells[0].shared && cells[1].shared);
    ck_assert_uint_eq(cells[3].rank, 2);
    ck_assert(cells[3].shared);
    ck_assert_uint_eq(cells[0].of, 4);
    close_all(&all);
}
END_TEST

START_TEST(a_cpu_is_never_ranked_with_a_gpu)
{
    static const double values[] = {100e9, 101e9, 102e9};
    machines all;
    two_machines(&all);
    made_run *cpu =
        add_machine(&all, "c", "{\"id\": 0, \"kind\": \"cpu\", \"name\": \"Example CPU\"}");
    add_rates_class(cpu, "moving", "c", 1);
    rates(cpu, "c", 0, 3, values);
    open_all(&all);
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    ck_assert_uint_eq(cells[0].n, 2); /* the cpu's one case does not shrink the GPUs' */
    ck_assert_uint_eq(cells[0].of, 2);
    ck_assert_uint_eq(cells[2].of, 1);
    char *text = text_of(&all);
    says(text, "c [CPU]");
    says(text, "among cuda devices");
    free(text);
    close_all(&all);
}
END_TEST

/* A class of that name, but in another unit or direction, is another class: a gap. */
START_TEST(a_class_that_means_something_else_is_a_gap)
{
    static const double values[] = {100e9, 101e9, 102e9};
    static const char *const others[][2] = {{"ns", "higher"}, {"B/s", "lower"}};
    for (size_t i = 0; i < 2; i++) {
        machines all = {0};
        made_run *a = add_machine(&all, "a", GPU), *b = add_machine(&all, "b", GPU);
        add_rates_class(a, "moving", "c", 1);
        add_class(b, "moving", "c", 1, "bandwidth", others[i][0], others[i][1]);
        rates(a, "c", 0, 3, values);
        rates(b, "c", 0, 3, values);
        open_all(&all);
        fill(&all);
        const gb_cell *cells = all.matrix.classes[0].cells;
        ck_assert_uint_eq(all.matrix.n_classes, 1);
        ck_assert_uint_eq(cells[0].of, 1);
        ck_assert_uint_eq(cells[1].n, 0);
        says(cells[1].gap, "no case of this class for a cuda device in B/s");
        close_all(&all);
    }
}
END_TEST

START_TEST(a_reason_that_several_cases_have_is_said_once)
{
    static const double values[] = {100e9, 101e9, 102e9};
    machines all = {0};
    made_run *a = add_machine(&all, "a", GPU), *b = add_machine(&all, "b", GPU);
    add_rates_class(a, "moving", "c", 4);
    add_rates_class(b, "moving", "c", 4);
    for (int n = 0; n < 4; n++) {
        rates(a, "c", n, 3, values);
        if (n == 0)
            rates(b, "c", n, 3, values);
        else
            run_fail(run_add(b, "c", n, 0, 1), GB_STATUS_FAILED, "no such engine");
    }
    open_all(&all);
    fill(&all);
    char *text = text_of(&all);
    says(text, "moving, b: the figure is over 1 of 4 cases, 3 excluded: c[n=1] and 2 more: ");
    ck_assert_ptr_null(strstr(text, "c[n=2]"));
    free(text);
    close_all(&all);
}
END_TEST

static void add(Suite *suite)
{
    TCase *values = tcase_create("values");
    tcase_add_test(values, geometric_mean_with_its_interval);
    tcase_add_test(values, times_are_better_when_lower);
    tcase_add_test(values, one_replicate_has_no_interval);
    tcase_add_test(values, a_timers_step_is_part_of_the_interval);
    tcase_add_test(values, ranks_are_shared_where_nothing_is_known);
    tcase_add_test(values, a_class_that_means_something_else_is_a_gap);
    tcase_add_test(values, a_reason_that_several_cases_have_is_said_once);
    tcase_add_test(values, a_cpu_is_never_ranked_with_a_gpu);
    suite_add_tcase(suite, values);
}

GB_CHECK_MAIN("matrix", add)
