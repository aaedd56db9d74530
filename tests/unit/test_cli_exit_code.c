#include "cli/exit_code.h"
#include "unit/check_main.h"

START_TEST(precedence)
{
    static const int order[] = {130, 2, 4, 6, 3, 1, 5, 0};
    const size_t n = sizeof order / sizeof order[0];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = i; j < n; j++) {
            ck_assert_int_eq(gb_exit_worse(order[i], order[j]), order[i]);
            ck_assert_int_eq(gb_exit_worse(order[j], order[i]), order[i]);
        }
        ck_assert_int_eq(gb_exit_worse(143, order[i]), 143);
        ck_assert_int_eq(gb_exit_worse(129, order[i]), 129);
    }
}
END_TEST

START_TEST(every_error_has_a_status)
{
    ck_assert_int_eq(gb_exit_of_code(GB_OK), 0);
    ck_assert_int_eq(gb_exit_of_code(GB_INVALID), 2);
    ck_assert_int_eq(gb_exit_of_code(GB_NO_DEVICE), 4);
    ck_assert_int_eq(gb_exit_of_code(GB_IO), 6);
    ck_assert_int_eq(gb_exit_of_code(GB_DRIVER), 6);
    ck_assert_int_eq(gb_exit_of_code(GB_DEVICE_BUSY), 6);
    ck_assert_int_eq(gb_exit_of_code(GB_IN_USE), 6);
    ck_assert_int_eq(gb_exit_of_code(GB_WRONG_RESULT), 3);
    ck_assert_int_eq(gb_exit_of_code(GB_INTERRUPTED), 130);
    for (int code = GB_OK + 1; code <= (int)GB_INTERNAL; code++)
        ck_assert_int_ne(gb_exit_of_code((gb_code)code), 0);
}
END_TEST

static int of(gb_outcome outcome)
{
    return gb_exit_of_run(&outcome);
}

START_TEST(a_run_tells_what_it_came_to)
{
    ck_assert_int_eq(of((gb_outcome){.counts = {[GB_STATUS_OK] = 3}}), 0);
    ck_assert_int_eq(of((gb_outcome){.counts = {[GB_STATUS_OK] = 3, [GB_STATUS_SKIPPED] = 1}}), 0);
    static const gb_status bad[] = {GB_STATUS_FAILED, GB_STATUS_WRONG, GB_STATUS_TIMEOUT};
    for (size_t i = 0; i < 3; i++) {
        gb_outcome outcome = {.counts = {[GB_STATUS_OK] = 3, [GB_STATUS_NOT_RUN] = 2}};
        outcome.counts[bad[i]] = 1;
        ck_assert_int_eq(gb_exit_of_run(&outcome), 3);
        outcome.counts[bad[(i + 1) % 3]] = 1; /* two kinds at once */
        ck_assert_int_eq(gb_exit_of_run(&outcome), 3);
    }
    ck_assert_int_eq(of((gb_outcome){.counts = {[GB_STATUS_OK] = 1}, .expectation_failed = true}),
                     1);
    ck_assert_int_eq(of((gb_outcome){.counts = {[GB_STATUS_OK] = 1, [GB_STATUS_FAILED] = 1},
                                     .expectation_failed = true}),
                     3);
    ck_assert_int_eq(of((gb_outcome){.counts = {[GB_STATUS_OK] = 1}, .unsteady = true}), 0);
    ck_assert_int_eq(
        of((gb_outcome){.counts = {[GB_STATUS_OK] = 1}, .unsteady = true, .strict = true}), 5);
    ck_assert_int_eq(of((gb_outcome){.counts = {[GB_STATUS_OK] = 1, [GB_STATUS_FAILED] = 1},
                                     .interrupted = 130}),
                     130);
    ck_assert_int_eq(of((gb_outcome){.interrupted = 143}), 143);
    ck_assert_int_eq(of((gb_outcome){.interrupted = 129}), 129);
    ck_assert_int_eq(of((gb_outcome){.counts = {[GB_STATUS_OK] = 1}, .error = GB_IO}), 6);
}
END_TEST

START_TEST(DEV_17_nothing_ran_is_never_0)
{
    ck_assert_int_ne(of((gb_outcome){.strict = false}), 0);
    ck_assert_int_ne(of((gb_outcome){.counts = {[GB_STATUS_SKIPPED] = 4}}), 0);
    ck_assert_int_ne(of((gb_outcome){.counts = {[GB_STATUS_NOT_RUN] = 4}}), 0);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("exit codes");
    tcase_add_test(c, precedence);
    tcase_add_test(c, every_error_has_a_status);
    tcase_add_test(c, a_run_tells_what_it_came_to);
    tcase_add_test(c, DEV_17_nothing_ran_is_never_0);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("cli_exit_code", add_cases)
