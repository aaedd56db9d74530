/* Out of memory at every single allocation: loading, planning, overriding and evaluating end with
 * GB_NO_MEMORY (or did not need the memory), never with a crash or a leak, which a sanitizer would
 * show. The allocator is wrapped at link time (see suite.cmake). */
#include <string.h>

#include "suite/expect.h"
#include "suite/plan.h"
#include "unit/check_main.h"
#include "unit/suite_catalog.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static long left = -1; /* allocations until one fails; negative: none does */
static bool struck;

static bool fails(void)
{
    if (left < 0)
        return false;
    if (left-- > 0)
        return false;
    struck = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

static const char good[] =
    "gpubench: 1\nname: x\ntitle: t\ndefaults: {replicates: &r 2}\nbenchmarks:\n  - name: a\n"
    "    kernel: copy\n    tags: [p, q]\n    aliases: old\n    axes:\n      memory: [pinned, "
    "pageable]\n"
    "      bytes: {from: 1KiB, to: 4KiB, times: 2}\n    exclude:\n      - {bytes: \">2KiB\", "
    "memory: "
    "pageable, reason: x}\n    measure: {replicates: *r}\n    expect: [{metric: bandwidth, of: "
    "{memory: "
    "pinned}, over: {memory: pageable}, min: 1}]\n  - {name: \"a[x]\", kernel: tile, axes: {n: "
    "{cpu: "
    "[8, 16], cuda: 8}}}\nplots: [{type: curve, title: t, benchmark: a, x: bytes, y: time, series: "
    "[memory]}]\n";
static const char bad[] =
    "gpubench: 1\nname: x\nnme: y\nbenchmarks:\n  - name: a\n    kernel: copi\n  - name: b\n"
    "    kernel: copy\n    tags:\n      -\tx\n    axes: {bytes: [4K, 1KiB, 1KiB], mem: 1, memory: "
    "pind}\n"
    "    measure: {timer: dev}\n    name: c\n";

static const char *broken; /* Check allocates too: nothing is asserted while allocations fail */

static void must(bool truth, const char *what)
{
    if (!truth)
        broken = what;
}

/* Loads, and when that works plans, overrides and evaluates. */
static gb_code use(const char *text)
{
    gb_suite *suite = NULL;
    gb_diagnostics diagnostics = {0};
    gb_error err = {0};
    gb_code code =
        gb_suite_parse("t.yaml", text, strlen(text), test_catalog(), &suite, &diagnostics, &err);
    must((code == GB_OK) == (suite != NULL), "a suite exactly when the code is GB_OK");
    must(err.code == code, "the error has the code");
    gb_plan *plan = NULL;
    gb_selection selection = {0};
    if (code == GB_OK)
        code = gb_plan_make(suite, GB_CPU, &selection, &plan, &err);
    must((plan != NULL) == (code == GB_OK), "a plan exactly when the code is GB_OK");
    gb_plan_free(plan);
    if (code == GB_OK)
        code = gb_suite_override(suite, "a.bytes=1KiB,2KiB", &err);
    if (code == GB_OK)
        code = gb_suite_override(suite, "a.direction=d2h", &err);
    gb_expect_results results = {0};
    if (code == GB_OK)
        code = gb_expect_evaluate(suite, NULL, 0, &results, &err);
    gb_expect_results_free(&results);
    gb_diagnostics_free(&diagnostics);
    gb_suite_free(suite);
    return code;
}

static void fail_each(const char *text, gb_code without)
{
    long n = 0;
    left = -1;
    ck_assert_int_eq(use(text), without);
    do {
        struck = false;
        left = n++;
        gb_code code = use(text);
        left = -1;
        ck_assert_msg(broken == NULL, "allocation %ld: %s", n, broken);
        /* Memory for the polish of a message may be missing without harm. */
        ck_assert_msg(code == GB_NO_MEMORY || code == without, "allocation %ld: code %d", n,
                      (int)code);
    } while (struck);
    ck_assert_int_gt(n, 100);
}

START_TEST(any_allocation_may_fail_for_a_good_suite)
{
    fail_each(good, GB_OK);
}
END_TEST

START_TEST(any_allocation_may_fail_for_a_bad_suite)
{
    fail_each(bad, GB_INVALID);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("memory");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, any_allocation_may_fail_for_a_good_suite);
    tcase_add_test(tc, any_allocation_may_fail_for_a_bad_suite);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("suite memory", add_cases)
