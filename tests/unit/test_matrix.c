/* Machines side by side, from made-up results. Expected intervals were computed apart, with mpmath
 * (t by its incomplete beta function), not with this program's own statistics. */
#include <math.h>

#include "reports/matrix/matrix.h"
#include "unit/compare_fixture.h"

#define NAN_ ((double)NAN)
#define CLOSE(a, b) ck_assert_double_eq_tol((a), (b), 1e-9 * fabs((double)(b)))

enum { MOST = 4 };
typedef struct machines {
    made_run runs[MOST];
    gb_matrix_run given[MOST];
    size_t n;
    gb_matrix matrix;
} machines;

static made_run *add_machine(machines *all, const char *path, const char *device)
{
    made_run *run = &all->runs[all->n];
    *run = run_open(path, device);
    json_object_set_new(json_object_get(run->results.document, "suite"), "classes", json_array());
    all->given[all->n] = (gb_matrix_run){.results = &run->results, .path = path};
    all->n++;
    return run;
}

/* A class of cases "NAME[n=0]", "NAME[n=1]", ... of a metric. */
static void add_class(made_run *run, const char *name, const char *benchmark, int cases,
                      const char *metric, const char *unit, const char *better)
{
    json_t *list = json_array();
    for (int i = 0; i < cases; i++) {
        char *id = gb_text_format("%s[n=%d]", benchmark, i);
        json_array_append_new(list, json_pack("{s:s, s:s}", "case", id, "metric", metric));
        free(id);
    }
    json_array_append_new(
        json_object_get(json_object_get(run->results.document, "suite"), "classes"),
        json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", name, "title", name, "unit", unit, "better",
                  better, "cases", list));
}

static void rates(made_run *run, const char *benchmark, int n, size_t replicates,
                  const double values[])
{
    for (size_t i = 0; i < replicates; i++) {
        gb_record *r = run_add(run, benchmark, n, (uint32_t)i, 1e15 / values[i]);
        run_metric(r, "bandwidth", "B/s", true, values[i]);
    }
}

static void open_all(machines *all)
{
    gb_error err = {0};
    gb_code code = gb_matrix_open(all->given, all->n, &all->matrix, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
}

static void price(machines *all, const char *text)
{
    gb_error err = {0};
    gb_code code = gb_matrix_price(&all->matrix, text, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
}

static void fill(machines *all)
{
    gb_error err = {0};
    ck_assert_int_eq(gb_matrix_fill(&all->matrix, &err), GB_OK);
}

static void close_all(machines *all)
{
    gb_matrix_free(&all->matrix);
    for (size_t i = 0; i < all->n; i++) {
        gb_results_free(&all->runs[i].results);
    }
}

static char *text_of(const machines *all)
{
    gb_buf out = {0};
    gb_error err = {0};
    char *text = NULL;
    ck_assert_int_eq(gb_matrix_text(&all->matrix, false, &out, &err), GB_OK);
    ck_assert_int_eq(gb_buf_take(&out, &text, &err), GB_OK);
    return text;
}

/* Two cases, 3 and 4 replicates each; b is slower. */
static void two_machines(machines *all)
{
    static const double a0[] = {100e9, 101e9, 102e9}, a1[] = {50e9, 52e9, 51e9, 50.5e9};
    static const double b0[] = {80e9, 81e9, 82e9}, b1[] = {60e9, 61e9, 59e9, 60.5e9};
    memset(all, 0, sizeof *all);
    made_run *a = add_machine(all, "runs/a", GPU), *b = add_machine(all, "runs/b/", GPU);
    add_class(a, "moving", "c", 2, "bandwidth", "B/s", "higher");
    add_class(b, "moving", "c", 2, "bandwidth", "B/s", "higher");
    rates(a, "c", 0, 3, a0);
    rates(a, "c", 1, 4, a1);
    rates(b, "c", 0, 3, b0);
    rates(b, "c", 1, 4, b1);
}

/* ---- values ---- */

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
        add_class(run, "moving", "c", 1, "bandwidth", "B/s", "higher");
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

/* ---- ranks ---- */

START_TEST(ranks_are_shared_where_nothing_is_known)
{
    /* +-0.1 % at 1.00 and 1.015: within 2 %; 1.10 leads; 0.9 +- 20 % reaches 1.00 */
    static const double middle[MOST] = {1.00e9, 1.015e9, 1.10e9, 0.9e9};
    static const double spread[MOST] = {0.0004, 0.0004, 0.0004, 0.08};
    static const char *const names[MOST] = {"p", "q", "r", "s"};
    machines all = {0};
    for (size_t i = 0; i < MOST; i++) {
        made_run *run = add_machine(&all, names[i], GPU);
        add_class(run, "moving", "c", 1, "bandwidth", "B/s", "higher");
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
    add_class(cpu, "moving", "c", 1, "bandwidth", "B/s", "higher");
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

/* ---- what counts ---- */

START_TEST(TIM_13_failed_and_skipped_are_excluded_and_counted)
{
    static const double values[] = {10e9, 20e9, 40e9};
    machines all = {0};
    made_run *run = add_machine(&all, "a", GPU);
    add_class(run, "moving", "c", 5, "bandwidth", "B/s", "higher");
    for (int i = 0; i < 3; i++) {
        const double same[] = {values[i], values[i]};
        rates(run, "c", i, 2, same);
    }
    /* a failed launch is fast: it would be the best of all */
    gb_record *failed = run_add(run, "c", 3, 0, 1);
    run_metric(failed, "bandwidth", "B/s", true, 1e15);
    run_fail(failed, GB_STATUS_FAILED, "cudaLaunchKernel: 209");
    run_fail(run_add(run, "c", 4, 0, 0), GB_STATUS_SKIPPED, "no managed memory");
    open_all(&all);
    fill(&all);
    const gb_cell *cell = &all.matrix.classes[0].cells[0];
    CLOSE(cell->value, 20e9); /* (10 x 20 x 40)^(1/3) */
    ck_assert_uint_eq(cell->n, 3);
    ck_assert_uint_eq(cell->cases, 5);
    char *text = text_of(&all);
    says(text, "over 3 of 5 cases, 2 excluded");
    says(text, "c[n=3]: failed: cudaLaunchKernel: 209");
    says(text, "c[n=4]: skipped: no managed memory");
    says(text, "(3/5)");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(TIM_13_unverified_and_wrong_never_count)
{
    static const double values[] = {10e9, 20e9};
    machines all = {0};
    made_run *run = add_machine(&all, "a", GPU);
    add_class(run, "moving", "c", 4, "bandwidth", "B/s", "higher");
    for (int i = 0; i < 4; i++) {
        rates(run, "c", i, 2, values);
    }
    run->results.records[2].verified = -1; /* one replicate of n=1 */
    run->results.records[5].flags = GB_BIT(GB_FLAG_EMULATED);
    run_fail(&run->results.records[6], GB_STATUS_WRONG, "3 of 9 elements");
    open_all(&all);
    fill(&all);
    ck_assert_uint_eq(all.matrix.classes[0].cells[0].n, 1);
    CLOSE(all.matrix.classes[0].cells[0].value, sqrt(200) * 1e9);
    char *text = text_of(&all);
    says(text, "c[n=1]: answers not verified");
    says(text, "c[n=2]: emulated");
    says(text, "c[n=3]: wrong: 3 of 9 elements");
    free(text);
    close_all(&all);
}
END_TEST

/* A case that failed on one machine counts on none, or the sets would differ. */
START_TEST(only_common_cases_count)
{
    machines all;
    two_machines(&all);
    run_fail(&all.runs[1].results.records[0], GB_STATUS_TIMEOUT, "60 s are over");
    open_all(&all);
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    ck_assert_uint_eq(cells[0].n, 1);
    ck_assert_uint_eq(cells[1].n, 1);
    CLOSE(cells[0].value, exp((log(50) + log(52) + log(51) + log(50.5)) / 4) * 1e9);
    ck_assert(!all.matrix.classes[0].cases[0].points[0].common);
    says(all.matrix.classes[0].cases[0].points[0].why, "on b: timeout: 60 s are over");
    close_all(&all);
}
END_TEST

START_TEST(other_definitions_are_not_common)
{
    machines all;
    two_machines(&all);
    for (size_t i = 0; i < 3; i++) {
        strcpy(all.runs[1].results.records[i].definition, "other");
    }
    json_object_set_new(json_object_get(all.runs[0].results.document, "suite"), "sha256",
                        json_string("aaaa"));
    json_object_set_new(json_object_get(all.runs[1].results.document, "suite"), "sha256",
                        json_string("bbbb"));
    open_all(&all);
    fill(&all);
    ck_assert_uint_eq(all.matrix.classes[0].cells[0].n, 1);
    says(all.matrix.classes[0].cases[0].points[0].why, "defined otherwise on b");
    ck_assert_uint_eq(json_array_size(all.matrix.warnings), 1);
    says(json_string_value(json_object_get(json_array_get(all.matrix.warnings, 0), "text")),
         "not measured by the same suite file");
    close_all(&all);
}
END_TEST

START_TEST(a_machine_without_the_class_is_a_gap_and_shrinks_nothing)
{
    machines all;
    two_machines(&all);
    made_run *none = add_machine(&all, "none", GPU);
    add_class(none, "moving", "c", 2, "bandwidth", "B/s", "higher");
    for (int i = 0; i < 2; i++) {
        run_fail(run_add(none, "c", i, 0, 0), GB_STATUS_FAILED, "no memory left");
    }
    add_machine(&all, "other", GPU); /* its suite has no classes */
    open_all(&all);
    price(&all, "none=5/h");
    fill(&all);
    const gb_cell *cells = all.matrix.classes[0].cells;
    ck_assert_uint_eq(cells[0].n, 2);
    ck_assert(isnan(cells[2].value) && isnan(cells[2].per_price) && isnan(cells[3].value));
    ck_assert_uint_eq(cells[2].rank, 0);
    ck_assert_uint_eq(cells[0].of, 2);
    says(cells[2].gap, "none of its 2 cases is ok: failed: no memory left");
    says(cells[3].gap, "no case of this class");
    char *text = text_of(&all);
    says(text, "moving, none: no figure: none of its 2 cases is ok");
    free(text);
    close_all(&all);
}
END_TEST

START_TEST(nothing_in_common_is_a_gap_on_all)
{
    static const double values[] = {1e9, 1e9};
    machines all = {0};
    for (int i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "b" : "a", GPU);
        add_class(run, "moving", "c", 2, "bandwidth", "B/s", "higher");
        rates(run, "c", i, 2, values);
    }
    open_all(&all);
    fill(&all);
    for (size_t i = 0; i < 2; i++) {
        says(all.matrix.classes[0].cells[i].gap, "no case is ok and defined alike on all machines");
    }
    close_all(&all);
}
END_TEST

/* ---- prices and power ---- */

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

START_TEST(machines_of_one_name_are_told_apart)
{
    static const double values[] = {1e9, 1e9};
    machines all = {0};
    size_t index = 9;
    gb_error err = {0};
    for (size_t i = 0; i < 3; i++) {
        made_run *run = add_machine(&all, i == 0 ? "x/run" : i == 1 ? "y/run" : "z=1/w", GPU);
        add_class(run, "moving", "c", 1, "bandwidth", "B/s", "higher");
        rates(run, "c", 0, 2, values);
    }
    json_array_append_new(json_object_get(all.runs[2].results.document, "devices"),
                          json_pack("{s:i, s:s, s:s}", "id", 1, "kind", "cuda", "name", "Second"));
    open_all(&all);
    ck_assert_uint_eq(all.matrix.n_machines, 4);
    ck_assert_str_eq(all.matrix.machines[0].name, "x/run");
    ck_assert_str_eq(all.matrix.machines[3].name, "w#1");
    ck_assert_int_eq(gb_matrix_find(&all.matrix, "run", &index, &err), GB_INVALID);
    says(err.message, "'run' may be any of: x/run, y/run");
    ck_assert_int_eq(gb_matrix_find(&all.matrix, "y/run/", &index, &err), GB_OK);
    ck_assert_uint_eq(index, 1);
    ck_assert_int_eq(gb_matrix_find(&all.matrix, "w", &index, &err), GB_INVALID);
    says(err.message, "w#0, w#1");
    price(&all, "w#1=7");
    CLOSE(all.matrix.machines[3].price.amount, 7);
    close_all(&all);
}
END_TEST

START_TEST(a_run_given_twice_is_refused)
{
    machines all;
    two_machines(&all);
    gb_error err = {0};
    all.given[1].path = "runs/a/";
    ck_assert_int_eq(gb_matrix_open(all.given, 2, &all.matrix, &err), GB_INVALID);
    says(err.message, "is given twice");
    close_all(&all);
}
END_TEST

START_TEST(no_classes_anywhere_is_an_error)
{
    machines all = {0};
    gb_error err = {0};
    add_machine(&all, "a", GPU);
    ck_assert_int_eq(gb_matrix_open(all.given, 1, &all.matrix, &err), GB_INVALID);
    says(err.message, "suites/procurement.yaml");
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

/* ---- weights ---- */

static void add_second_class(machines *all, bool gap)
{
    static const double slow[] = {10e9, 10e9}, fast[] = {40e9, 40e9};
    for (size_t i = 0; i < all->n; i++) {
        add_class(&all->runs[i], "second", "d", 1, "bandwidth", "B/s", "higher");
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
    ck_assert_int_eq(gb_matrix_weigh(&all.matrix, "moving", NAN_, &err), GB_INVALID);
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
    add_class(third, "moving", "c", 2, "bandwidth", "B/s", "higher");
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

/* ---- forms ---- */

START_TEST(doubts_stand_beside_every_name)
{
    machines all;
    two_machines(&all);
    gb_buf out = {0};
    gb_error err = {0};
    all.given[0].differences = 3;
    all.given[1].differences = -1;
    all.given[1].unchecked = "cases.jsonl is not there";
    all.runs[1].results.complete = false;
    all.runs[1].results.hardware_fault = gb_text_copy("Xid 79");
    open_all(&all);
    fill(&all);
    char *text = text_of(&all);
    says(text, "a [3 differences] (71.7 GB/s) leads");
    says(text, "b [unverified, unfinished, hardware fault]");
    says(text, "cases.jsonl is not there");
    says(text, "Xid 79");
    free(text);
    ck_assert_int_eq(gb_matrix_markdown(&all.matrix, &out, &err), GB_OK);
    says(out.data, "a \\[3 differences\\]");
    gb_buf_free(&out);
    close_all(&all);
}
END_TEST

START_TEST(hostile_names_stay_text)
{
    static const double values[] = {1e9, 1e9};
    const char *name = "<b>|x|`y`\n\033[31m\u202e";
    machines all = {0};
    gb_buf out = {0};
    gb_error err = {0};
    json_t *json = NULL;
    for (size_t i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "b" : name, GPU);
        add_class(run, name, "c", 1, "bandwidth", "B/s", "higher");
        rates(run, "c", 0, 2, values);
    }
    open_all(&all);
    price(&all, "b=5");
    fill(&all);
    char *text = text_of(&all);
    ck_assert_ptr_null(strchr(text, '\033'));
    ck_assert_ptr_null(strstr(text, "\u202e"));
    free(text);
    ck_assert_int_eq(gb_matrix_markdown(&all.matrix, &out, &err), GB_OK);
    ck_assert_ptr_null(strstr(out.data, "<b>"));
    ck_assert_ptr_null(strstr(out.data, " |x|"));
    gb_buf_free(&out);
    ck_assert_int_eq(gb_matrix_json(&all.matrix, &json, &err), GB_OK);
    ck_assert_str_eq(json_string_value(json_object_get(
                         json_array_get(json_object_get(json, "classes"), 0), "name")),
                     name);
    json_decref(json);
    close_all(&all);
}
END_TEST

/* The page without gnuplot: no markup of a name gets through. */
START_TEST(hostile_names_stay_text_in_the_page)
{
    static const double values[] = {1e9, 1.1e9};
    const char *name = "<script>alert(1)</script>";
    char dir[] = "/tmp/gpubench-matrix.XXXXXX", *path, *page;
    machines all = {0};
    gb_buf notes = {0};
    gb_error err = {0};
    size_t n;
    ck_assert_ptr_nonnull(mkdtemp(dir));
    for (size_t i = 0; i < 2; i++) {
        made_run *run = add_machine(&all, i ? "b" : "<img src=x>", GPU);
        add_class(run, name, "<i>c</i>", 1, "bandwidth", "B/s", "higher");
        rates(run, "<i>c</i>", 0, 2, values);
    }
    all.given[0].differences = 2;
    open_all(&all);
    price(&all, "b=5");
    fill(&all);
    ck_assert_int_eq(gb_matrix_page(&all.matrix, dir, "/nowhere/gnuplot", &notes, &err), GB_OK);
    says(notes.data, "gnuplot");
    path = gb_text_format("%s/procurement.html", dir);
    page = calloc(1 << 20, 1);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    n = fread(page, 1, (1 << 20) - 1, file);
    fclose(file);
    ck_assert_uint_gt(n, 1000);
    says(page, "&lt;img src=x&gt; [2 differences]");
    says(page, "&lt;script&gt;alert(1)");
    ck_assert_ptr_null(strstr(page, "<img src=x>"));
    ck_assert_ptr_null(strstr(page, "<script>alert"));
    ck_assert_ptr_null(strstr(page, "<i>c</i>"));
    char *remove_it = gb_text_format("rm -rf '%s'", dir);
    ck_assert_int_eq(system(remove_it), 0);
    free(remove_it);
    free(page);
    free(path);
    gb_buf_free(&notes);
    close_all(&all);
}
END_TEST

START_TEST(json_has_what_the_table_has)
{
    machines all;
    two_machines(&all);
    gb_error err = {0};
    json_t *json = NULL;
    open_all(&all);
    price(&all, "b=2/h");
    fill(&all);
    ck_assert_int_eq(gb_matrix_json(&all.matrix, &json, &err), GB_OK);
    const json_t *class = json_array_get(json_object_get(json, "classes"), 0);
    const json_t *cell = json_array_get(json_object_get(class, "cells"), 0);
    CLOSE(json_number_value(json_object_get(cell, "value")), 71677517213.559);
    ck_assert(json_is_null(json_object_get(cell, "per_price")));
    ck_assert_int_eq(json_integer_value(json_object_get(cell, "rank")), 1);
    ck_assert_str_eq(json_string_value(json_object_get(json, "prices")), "hour");
    ck_assert_uint_eq(json_array_size(json_object_get(class, "cases")), 2);
    ck_assert(json_is_true(
        json_object_get(json_array_get(json_object_get(json, "machines"), 0), "verified")));
    json_decref(json);
    close_all(&all);
}
END_TEST

static void add(Suite *suite)
{
    TCase *values = tcase_create("values"), *counts = tcase_create("what counts");
    TCase *prices = tcase_create("prices"), *forms = tcase_create("forms");
    tcase_add_test(values, geometric_mean_with_its_interval);
    tcase_add_test(values, times_are_better_when_lower);
    tcase_add_test(values, one_replicate_has_no_interval);
    tcase_add_test(values, a_timers_step_is_part_of_the_interval);
    tcase_add_test(values, ranks_are_shared_where_nothing_is_known);
    tcase_add_test(values, a_cpu_is_never_ranked_with_a_gpu);
    tcase_add_test(counts, TIM_13_failed_and_skipped_are_excluded_and_counted);
    tcase_add_test(counts, TIM_13_unverified_and_wrong_never_count);
    tcase_add_test(counts, only_common_cases_count);
    tcase_add_test(counts, other_definitions_are_not_common);
    tcase_add_test(counts, a_machine_without_the_class_is_a_gap_and_shrinks_nothing);
    tcase_add_test(counts, nothing_in_common_is_a_gap_on_all);
    tcase_add_test(prices, prices_for_several_cards_scale_as_assumed);
    tcase_add_test(prices, prices_that_are_refused);
    tcase_add_test(prices, machines_of_one_name_are_told_apart);
    tcase_add_test(prices, a_run_given_twice_is_refused);
    tcase_add_test(prices, no_classes_anywhere_is_an_error);
    tcase_add_test(prices, power_counts_when_every_case_has_a_reading);
    tcase_add_test(forms, a_score_only_by_weights);
    tcase_add_test(forms, no_score_without_weights);
    tcase_add_test(forms, RES_22_a_score_over_a_part_is_withheld);
    tcase_add_test(forms, doubts_stand_beside_every_name);
    tcase_add_test(forms, hostile_names_stay_text);
    tcase_add_test(forms, json_has_what_the_table_has);
    tcase_add_test(forms, hostile_names_stay_text_in_the_page);
    suite_add_tcase(suite, values);
    suite_add_tcase(suite, counts);
    suite_add_tcase(suite, prices);
    suite_add_tcase(suite, forms);
}

GB_CHECK_MAIN("matrix", add)
