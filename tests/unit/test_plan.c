/* Plans: cases in order, selections, replicates, estimates, and `--set`. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "suite/plan.h"
#include "unit/check_main.h"
#include "unit/suite_catalog.h"

static const char suite_text[] =
    "gpubench: 1\nname: x\nbudget: 10s\nbenchmarks:\n"
    "  - name: copy\n    kernel: copy\n    tags: [nightly, quick]\n"
    "    axes: {direction: [h2d, d2h], memory: [pinned, managed], bytes: [1KiB, 1MiB]}\n"
    "    exclude: [{memory: managed, bytes: 1MiB, reason: x}]\n"
    "  - name: stream\n    kernel: tile\n    tags: [nightly]\n"
    "    axes: {n: {cuda: [64, 128], cpu: 32}}\n    measure: {replicates: 5}\n"
    "  - name: host.only\n    kernel: host\n    measure: {replicates: 1}\n"
    "  - name: gpu only\n    kernel: noop\n    devices: [cuda]\n";

static gb_plan *plan_with(const gb_suite *suite, gb_device_kind kind, gb_selection selection)
{
    gb_plan *plan = NULL;
    gb_error err = {0};
    gb_code code = gb_plan_make(suite, kind, &selection, &plan, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    return plan;
}

static void expect_ids(const gb_plan *plan, const char *expected)
{
    gb_buf ids = {0};
    gb_buf_add(&ids, "");
    for (size_t i = 0; i < plan->n_cases; i++)
        gb_buf_printf(&ids, "%s%s", i > 0 ? " " : "", plan->cases[i].id);
    ck_assert_str_eq(ids.data, expected);
    gb_buf_free(&ids);
}

static void expect_failure(const gb_suite *suite, gb_selection selection, const char *message)
{
    gb_plan *plan = NULL;
    gb_error err = {0};
    ck_assert_int_eq(gb_plan_make(suite, GB_CPU, &selection, &plan, &err), GB_INVALID);
    ck_assert_ptr_null(plan);
    ck_assert_str_eq(err.message, message);
}

START_TEST(cases_come_in_the_order_of_the_file_for_one_kind)
{
    gb_suite *suite = test_suite(suite_text);
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){.seed = 7});
    expect_ids(plan, "copy[bytes=1024,direction=h2d,memory=pinned] "
                     "copy[bytes=1048576,direction=h2d,memory=pinned] "
                     "copy[bytes=1024,direction=h2d,memory=managed] "
                     "copy[bytes=1024,direction=d2h,memory=pinned] "
                     "copy[bytes=1048576,direction=d2h,memory=pinned] "
                     "copy[bytes=1024,direction=d2h,memory=managed] stream[n=32] host.only");
    ck_assert_ptr_eq(plan->suite, suite);
    ck_assert_int_eq(plan->kind, GB_CPU);
    ck_assert_uint_eq(plan->replicates, 5);
    ck_assert_uint_eq(plan->seed, 7);
    ck_assert_uint_eq(plan->budget_ns, UINT64_C(10000000000));
    /* Every parameter has its value, from the axis or by default. */
    ck_assert_str_eq(plan->cases[0].args[1].word, "pinned");
    ck_assert_uint_eq(plan->cases[6].args[2].number, 8);
    ck_assert_int_eq(plan->cases[0].status, GB_OK);
    ck_assert_ptr_null(plan->cases[0].reason);
    ck_assert_uint_eq(plan->cases[1].need.pinned_bytes, 1048576);
    ck_assert_int_eq(plan->cases[2].status, GB_UNAVAILABLE);
    ck_assert_str_eq(plan->cases[2].reason, "cpu has no managed memory");
    ck_assert_uint_eq(plan->cases[2].need.device_bytes, 0);
    gb_plan_free(plan);
    plan = plan_with(suite, GB_CUDA, (gb_selection){0});
    ck_assert_uint_eq(plan->n_cases, 6 + 2 + 1 + 1);
    ck_assert_int_eq(plan->cases[2].status, GB_OK);
    ck_assert_str_eq(plan->cases[8].id, "host.only");
    ck_assert_int_eq(plan->cases[8].status, GB_UNAVAILABLE);
    ck_assert_str_eq(plan->cases[8].reason, "kernel 'host' does not run on cuda");
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

START_TEST(definitions_tell_measured_work_apart)
{
    gb_suite *suite =
        test_suite("gpubench: 1\nname: x\nbenchmarks:\n"
                   "  - {name: a, kernel: tile, axes: {n: [8, 16]}}\n"
                   "  - {name: b, kernel: tile, axes: {n: [8], block: [1]}}\n"
                   "  - {name: c, kernel: tile, axes: {n: 8}, measure: {cache: cold}}\n"
                   "  - {name: d, kernel: tile, axes: {n: 8}, measure: {timer: "
                   "roundtrip}}\n");
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){0});
    ck_assert_uint_eq(strlen(plan->cases[0].definition), 64);
    ck_assert_str_ne(plan->cases[0].definition, plan->cases[1].definition);
    /* The same work under another name, with a default written out. */
    ck_assert_str_eq(plan->cases[0].definition, plan->cases[2].definition);
    ck_assert_str_ne(plan->cases[0].definition, plan->cases[3].definition);
    ck_assert_str_ne(plan->cases[0].definition, plan->cases[4].definition);
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

static const struct {
    const char *filters[3], *tags[3];
    const char *expected;
} selections[] = {
    {{"stream"}, {NULL}, "stream[n=32]"},
    {{"host", "stream"}, {NULL}, "stream[n=32] host.only"},
    {{"copy[bytes=1024,direction=h2d,memory=pinned]"},
     {NULL},
     "copy[bytes=1024,direction=h2d,memory=pinned]"},
    {{"copy[bytes=1048576*"},
     {NULL},
     "copy[bytes=1048576,direction=h2d,memory=pinned] "
     "copy[bytes=1048576,direction=d2h,memory=pinned]"},
    {{"*d2h*pinned]"},
     {NULL},
     "copy[bytes=1024,direction=d2h,memory=pinned] "
     "copy[bytes=1048576,direction=d2h,memory=pinned]"},
    {{"????.????"}, {NULL}, "host.only"},
    {{"direction=h2d,memory=managed"}, {NULL}, "copy[bytes=1024,direction=h2d,memory=managed]"},
    {{NULL},
     {"quick"},
     "copy[bytes=1024,direction=h2d,memory=pinned] "
     "copy[bytes=1048576,direction=h2d,memory=pinned] "
     "copy[bytes=1024,direction=h2d,memory=managed] "
     "copy[bytes=1024,direction=d2h,memory=pinned] "
     "copy[bytes=1048576,direction=d2h,memory=pinned] "
     "copy[bytes=1024,direction=d2h,memory=managed]"},
    {{"*=32*"}, {"nightly"}, "stream[n=32]"},
    {{"h2d,memory=managed", "n=32"},
     {"quick", "nightly"},
     "copy[bytes=1024,direction=h2d,memory=managed] stream[n=32]"},
};

static size_t length(const char *const words[3])
{
    size_t n = 0;
    while (n < 3 && words[n] != NULL)
        n++;
    return n;
}

START_TEST(filters_and_tags_select)
{
    gb_suite *suite = test_suite(suite_text);
    gb_selection selection = {
        .filters = selections[_i].filters,
        .n_filters = length(selections[_i].filters),
        .tags = selections[_i].tags,
        .n_tags = length(selections[_i].tags),
    };
    gb_plan *plan = plan_with(suite, GB_CPU, selection);
    expect_ids(plan, selections[_i].expected);
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

static const struct {
    const char *filters[3], *tags[3];
    const char *message;
} failures[] = {
    {{"strem"}, {NULL}, "filter 'strem' matches no case (did you mean 'stream'?)"},
    {{"zzzzzzzz"},
     {NULL},
     "filter 'zzzzzzzz' matches no case; benchmarks: 'copy', 'stream', "
     "'host.only', 'gpu only'"},
    {{"copy", "strem"}, {NULL}, "filter 'strem' matches no case (did you mean 'stream'?)"},
    {{"gpu only"},
     {NULL},
     "filter 'gpu only' matches no case: nothing of that runs on this kind of device"},
    {{"copy*x"}, {NULL}, "filter 'copy*x' matches no case (did you mean 'copy'?)"},
    {{""}, {NULL}, "an empty filter selects nothing; leave it out to select everything"},
    {{NULL}, {""}, "an empty tag selects nothing"},
    {{NULL}, {"nightli"}, "tag 'nightli' matches no case (did you mean 'nightly'?)"},
    {{NULL}, {"weekly"}, "tag 'weekly' matches no case; tags: 'nightly', 'quick'"},
    {{"host"}, {"quick"}, "no case has both a filter and a tag of those given"},
};

START_TEST(CMP_05_a_selection_that_matches_nothing_is_an_error)
{
    gb_suite *suite = test_suite(suite_text);
    gb_selection selection = {
        .filters = failures[_i].filters,
        .n_filters = length(failures[_i].filters),
        .tags = failures[_i].tags,
        .n_tags = length(failures[_i].tags),
    };
    expect_failure(suite, selection, failures[_i].message);
    gb_suite_free(suite);
}
END_TEST

START_TEST(CLI_05_a_suite_without_cases_for_the_device_is_an_error)
{
    gb_suite *suite = test_suite("gpubench: 1\nname: gpu\ndevices: cuda\nbenchmarks:\n"
                                 "  - {name: a, kernel: noop}\n");
    expect_failure(suite, (gb_selection){0}, "suite 'gpu' has no case for cpu");
    gb_suite_free(suite);
}
END_TEST

START_TEST(replicates_and_budget_can_be_overridden)
{
    gb_suite *suite = test_suite(suite_text);
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){.replicates = 2, .budget_ns = 5});
    ck_assert_uint_eq(plan->replicates, 2);
    ck_assert_uint_eq(plan->budget_ns, 5);
    uint32_t order[8];
    ck_assert_uint_eq(gb_plan_order(plan, 0, order), 8);
    ck_assert_uint_eq(gb_plan_order(plan, 1, order), 8);
    ck_assert_uint_eq(gb_plan_order(plan, 2, order), 0);
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

START_TEST(orders_are_permutations_that_the_seed_decides)
{
    gb_suite *suite = test_suite(suite_text);
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){.seed = 7});
    uint32_t order[8];
    uint32_t again[8];
    uint32_t seen = 0;
    ck_assert_uint_eq(gb_plan_order(plan, 0, order), 8);
    for (int i = 0; i < 8; i++)
        seen |= 1u << order[i];
    ck_assert_uint_eq(seen, 255);
    gb_plan_order(plan, 0, again);
    ck_assert_mem_eq(order, again, sizeof order);
    gb_plan_order(plan, 1, again);
    bool differs = false;
    for (int i = 0; i < 6; i++) /* without host.only, which has one replicate */
        differs = differs || order[i] != again[i];
    ck_assert(differs);
    ck_assert_uint_eq(gb_plan_order(plan, 1, order), 7);
    ck_assert_uint_eq(gb_plan_order(plan, 3, order), 1);
    ck_assert_uint_eq(order[0], 6); /* stream has five */
    ck_assert_uint_eq(gb_plan_order(plan, 5, order), 0);
    plan->seed = 8;
    gb_plan_order(plan, 1, order);
    differs = false;
    for (int i = 0; i < 7; i++)
        differs = differs || order[i] != again[i];
    ck_assert(differs);
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

START_TEST(the_estimate_grows_with_all_that_takes_time)
{
    gb_suite *suite = test_suite("gpubench: 1\nname: x\nbudget: 10s\nbenchmarks:\n"
                                 "  - {name: a, kernel: noop}\n");
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){.replicates = 1});
    uint64_t one = gb_plan_estimate_ns(plan);
    ck_assert_uint_gt(gb_plan_limit_ns(plan), (uint64_t)60 * 1000000000); /* its time-out */
    ck_assert_uint_gt(one, UINT64_C(10000000000));
    ck_assert_uint_lt(one, UINT64_C(12000000000));
    gb_plan_free(plan);
    plan = plan_with(suite, GB_CPU, (gb_selection){.replicates = 10});
    ck_assert_uint_gt(gb_plan_estimate_ns(plan), one);
    gb_plan_free(plan);
    gb_suite_free(suite);
    /* No wrap-around with needs near 2^64. */
    suite = test_suite("gpubench: 1\nname: x\nbenchmarks:\n  - {name: a, kernel: arrays, axes: "
                       "{elements: [768614336404564650, 768614336404564649]}}\n");
    plan = plan_with(suite, GB_CPU, (gb_selection){0});
    ck_assert_uint_eq(gb_plan_estimate_ns(plan), gb_plan_limit_ns(plan));
    ck_assert_uint_eq(gb_plan_largest_need(plan).device_bytes, UINT64_C(18446744073709551600));
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

/* A budget beyond what the time-outs let the cases use is not used. */
START_TEST(the_estimate_is_no_longer_than_the_time_outs)
{
    gb_suite *suite = test_suite("gpubench: 1\nname: x\nbudget: 70s\ndefaults: {timeout: 60s}\n"
                                 "benchmarks:\n  - {name: a, kernel: noop}\n");
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){.replicates = 1});
    ck_assert_uint_eq(gb_plan_limit_ns(plan), UINT64_C(60500000000));
    ck_assert_uint_eq(gb_plan_estimate_ns(plan), UINT64_C(60500000000));
    gb_plan_free(plan);
    plan = plan_with(suite, GB_CPU, (gb_selection){.replicates = 2});
    ck_assert_uint_eq(gb_plan_limit_ns(plan), UINT64_C(121000000000));
    ck_assert_uint_gt(gb_plan_estimate_ns(plan), UINT64_C(70000000000));
    ck_assert_uint_lt(gb_plan_estimate_ns(plan), UINT64_C(72000000000));
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

/* A case in three replicates of 2 s each, of which 10 s are the share, and one without. */
START_TEST(the_estimate_counts_what_cases_state)
{
    static const uint64_t second = UINT64_C(1000000000);
    gb_suite *suite = test_suite("gpubench: 1\nname: x\nbudget: 4s\nbenchmarks:\n"
                                 "  - {name: a, kernel: wait, axes: {delay: 200ms}}\n"
                                 "  - {name: b, kernel: noop, measure: {replicates: 1}}\n");
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){0});
    ck_assert_uint_eq(plan->cases[0].least_ns, 2 * second);
    ck_assert_uint_eq(plan->cases[1].least_ns, 0);
    ck_assert_uint_eq(gb_plan_stated_ns(plan), 3 * second); /* 2 s against 1 s, three times */
    const uint64_t all = gb_plan_estimate_ns(plan);
    gb_plan_free(plan);
    plan = plan_with(suite, GB_CPU, (gb_selection){.budget_ns = 8 * second});
    ck_assert_uint_eq(gb_plan_stated_ns(plan), 0);
    ck_assert_uint_eq(gb_plan_estimate_ns(plan), all + second);
    gb_plan_free(plan);
    plan = plan_with(suite, GB_CPU, (gb_selection){.profile = true});
    ck_assert_uint_eq(plan->cases[0].least_ns, second / 5);
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

START_TEST(what_lasts_longer_than_its_timeout_is_refused)
{
    gb_suite *suite = test_suite("gpubench: 1\nname: x\nbenchmarks:\n"
                                 "  - name: a\n    kernel: wait\n    axes: {delay: [1ms, 200ms]}\n"
                                 "    measure: {timeout: 2s}\n");
    gb_plan *plan = NULL;
    gb_error err = {0};
    const gb_selection all = {0};
    ck_assert_int_eq(gb_plan_make(suite, GB_CPU, &all, &plan, &err), GB_INVALID);
    ck_assert_str_eq(err.message,
                     "case a[delay=200000000]: its samples alone take 2s, and its timeout of 2s "
                     "ends it before: it needs a longer timeout, or less to do");
    ck_assert_int_eq(err.line, 4);
    plan = plan_with(suite, GB_CPU,
                     (gb_selection){.filters = (const char *[]){"=1000000]"},
                                    .n_filters = 1}); /* nobody asked for it */
    gb_plan_free(plan);
    plan = plan_with(suite, GB_CPU, (gb_selection){.profile = true});
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

static double milliseconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

/* The bound is generous: sanitizers and busy machines; scripts/selfbench measures it properly. */
START_TEST(YML_24_planning_4096_cases_is_quick)
{
    gb_suite *suite = test_suite("gpubench: 1\nname: x\nbenchmarks:\n  - name: a\n    kernel: big\n"
                                 "    axes: {a: &r {from: 1, to: 16, step: 1}, b: *r, c: *r}\n");
    double start = milliseconds();
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){0});
    double took = milliseconds() - start;
    ck_assert_uint_eq(plan->n_cases, 4096);
    ck_assert_msg(took < 1000, "%g ms", took);
    if (getenv("GB_PRINT_TIMES") != NULL)
        fprintf(stderr, "planning 4096 cases: %.2f ms\n", took);
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

/* ---- --set ---- */

static const struct {
    const char *assignment, *expected;
} overrides[] = {
    {"stream.n=8,16", "stream[n=8] stream[n=16]"},
    {"stream.n=8, 16", "stream[n=8] stream[n=16]"},
    {"stream.n=[8, 16]", "stream[n=8] stream[n=16]"},
    {"stream.n={from: 8, to: 32, times: 2}", "stream[n=8] stream[n=16] stream[n=32]"},
    {"stream.n={cpu: 8, cuda: 16}", "stream[n=8]"},
    {"stream.tile=4", "stream[n=32,tile=4]"},
};

START_TEST(set_replaces_or_adds_an_axis)
{
    static const char *const filters[] = {"stream"};
    gb_suite *suite = test_suite(suite_text);
    gb_error err = {0};
    gb_code code = gb_suite_override(suite, overrides[_i].assignment, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){.filters = filters, .n_filters = 1});
    expect_ids(plan, overrides[_i].expected);
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

START_TEST(thin_keeps_the_ends_of_axes_of_numbers)
{
    static const char *const filters[] = {"stream"};
    static const char *const expected[] = {"stream[n=9]", "stream[n=1] stream[n=9]",
                                           "stream[n=1] stream[n=5] stream[n=9]"};
    for (size_t values = 1; values <= 3; values++) {
        gb_suite *suite = test_suite(suite_text);
        gb_error err = {0};
        ck_assert_int_eq(gb_suite_override(suite, "stream.n={from: 1, to: 9, step: 1}", &err),
                         GB_OK);
        gb_suite_thin(suite, values);
        gb_plan *plan =
            plan_with(suite, GB_CPU, (gb_selection){.filters = filters, .n_filters = 1});
        expect_ids(plan, expected[values - 1]);
        gb_plan_free(plan);
        gb_suite_free(suite);
    }
}
END_TEST

START_TEST(set_names_the_benchmark_with_dots_and_drops_idle_excludes)
{
    gb_suite *suite = test_suite(suite_text);
    gb_error err = {0};
    ck_assert_int_eq(gb_suite_override(suite, "host.only.level=1,2", &err), GB_OK);
    ck_assert_int_eq(gb_suite_override(suite, "copy.bytes=1KiB,4MiB", &err), GB_OK);
    ck_assert_int_eq(gb_suite_override(suite, "copy.memory=pinned", &err), GB_OK);
    ck_assert_int_eq(gb_suite_override(suite, "copy.direction=h2d", &err), GB_OK);
    gb_plan *plan = plan_with(suite, GB_CPU, (gb_selection){0});
    expect_ids(plan, "copy[bytes=1024,direction=h2d,memory=pinned] "
                     "copy[bytes=4194304,direction=h2d,memory=pinned] stream[n=32] "
                     "host.only[level=1] host.only[level=2]");
    gb_plan_free(plan);
    gb_suite_free(suite);
}
END_TEST

static const struct {
    const char *assignment, *message;
} wrong[] = {
    {"nonsense", "'nonsense' is not of the form benchmark.parameter=value,value"},
    {"", "'' is not of the form benchmark.parameter=value,value"},
    {"copy=1", "'copy=1' is not of the form benchmark.parameter=value,value"},
    {"copy.bytes", "'copy.bytes' is not of the form benchmark.parameter=value,value"},
    {"cpoy.bytes=1KiB", "'cpoy.bytes=1KiB': unknown benchmark 'cpoy' (did you mean 'copy'? valid: "
                        "copy, stream, host.only, gpu only)"},
    {"copy.byts=1KiB", "'copy.byts=1KiB': unknown parameter 'byts' (did you mean 'bytes'? valid: "
                       "direction, memory, bytes)"},
    {"copy.bytes=", "'copy.bytes=': bytes: the list is empty; expected a value, a list or a range"},
    {"copy.bytes=0B", "'copy.bytes=0B': bytes: '0B' is out of range: a size is 1B to "
                      "9223372036854775807B; allowed: 1B to 64GiB"},
    {"copy.bytes=4K", "'copy.bytes=4K': bytes: '4K' is ambiguous: write 4kB (1000) or 4KiB (1024); "
                      "allowed: 1B to 64GiB"},
    {"copy.memory=pined", "'copy.memory=pined': unknown memory 'pined' (did you mean 'pinned'? "
                          "valid: pageable, pinned, managed)"},
    {"stream.n=0", "'stream.n=0': n: 0 is out of range; allowed: 1 to 65536"},
    {"stream.n=-5", "'stream.n=-5': n: '-5' is not a whole number (signs are not accepted); "
                    "allowed: 1 to 65536"},
    {"stream.n=nonsense", "'stream.n=nonsense': n: 'nonsense' is not a whole number (it does not "
                          "begin with a digit); allowed: 1 to 65536"},
    {"stream.n=8,8", "'stream.n=8,8': n: the value 8 is repeated (first in line 1)"},
    {"stream.n=0,1e9", "'stream.n=0,1e9': n: 0 is out of range; allowed: 1 to 65536 (and 1 more "
                       "problem)"},
    {"stream.block=3", "'stream.block=3': block 3 does not divide n (on cpu, case "
                       "stream[block=3,n=32])"},
    {"stream.n={from: 1, to: 5000, step: 1}",
     "'stream.n={from: 1, to: 5000, step: 1}': n: the range has more than 4096 values"},
    {"stream.n=[8",
     "'stream.n=[8': not valid YAML: did not find expected ',' or ']' (while parsing "
     "a flow sequence that began in line 1)"},
};

START_TEST(YML_16_set_has_the_rules_of_the_file)
{
    gb_suite *suite = test_suite(suite_text);
    gb_error err = {0};
    ck_assert_int_eq(gb_suite_override(suite, wrong[_i].assignment, &err), GB_INVALID);
    ck_assert_str_eq(err.message, wrong[_i].message);
    gb_suite_free(suite);
}
END_TEST

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("plan");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, cases_come_in_the_order_of_the_file_for_one_kind);
    tcase_add_test(tc, definitions_tell_measured_work_apart);
    tcase_add_loop_test(tc, filters_and_tags_select, 0, COUNT(selections));
    tcase_add_loop_test(tc, CMP_05_a_selection_that_matches_nothing_is_an_error, 0,
                        COUNT(failures));
    tcase_add_test(tc, CLI_05_a_suite_without_cases_for_the_device_is_an_error);
    tcase_add_test(tc, replicates_and_budget_can_be_overridden);
    tcase_add_test(tc, orders_are_permutations_that_the_seed_decides);
    tcase_add_test(tc, the_estimate_grows_with_all_that_takes_time);
    tcase_add_test(tc, the_estimate_counts_what_cases_state);
    tcase_add_test(tc, the_estimate_is_no_longer_than_the_time_outs);
    tcase_add_test(tc, what_lasts_longer_than_its_timeout_is_refused);
    tcase_add_test(tc, YML_24_planning_4096_cases_is_quick);
    tcase_add_loop_test(tc, set_replaces_or_adds_an_axis, 0, COUNT(overrides));
    tcase_add_test(tc, thin_keeps_the_ends_of_axes_of_numbers);
    tcase_add_test(tc, set_names_the_benchmark_with_dots_and_drops_idle_excludes);
    tcase_add_loop_test(tc, YML_16_set_has_the_rules_of_the_file, 0, COUNT(wrong));
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("plan", add_cases)
