/* The supervisor with real workers (gpubench-test) on the cpu device. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "kernels/kernel.h"
#include "run/supervise.h"
#include "unit/check_main.h"

#define MOST 256

/* What the store got. */
typedef struct stored {
    char id[MOST][64], reason[MOST][512];
    char code[MOST][32];
    gb_status status[MOST];
    uint32_t replicate[MOST], order[MOST];
    size_t n;
    size_t fail_at; /* the store fails at this record; 0: never */
    size_t notes;
} stored;
static stored got;

static gb_code keep(void *user, const gb_record *record, gb_error *err)
{
    stored *s = user;
    ck_assert_uint_lt(s->n, MOST);
    if (s->fail_at && s->n + 1 == s->fail_at)
        return gb_fail(err, GB_IO, "disk full");
    size_t i = s->n++;
    snprintf(s->id[i], sizeof s->id[i], "%s", record->case_id);
    snprintf(s->reason[i], sizeof s->reason[i], "%s", record->reason ? record->reason : "");
    snprintf(s->code[i], sizeof s->code[i], "%s", record->reason_code ? record->reason_code : "");
    s->status[i] = record->status;
    s->replicate[i] = record->replicate;
    s->order[i] = record->order;
    ck_assert_uint_eq(strlen(record->definition), 64);
    ck_assert_str_eq(record->kernel, "misbehave");
    return GB_OK;
}

static void heard(void *user, const char *message)
{
    ((stored *)user)->notes++;
    ck_assert_int_ne(message[0], '\0');
}

static gb_suite *suite_of(const char *how, const char *numbers, int replicates)
{
    char text[1024];
    gb_suite *suite = NULL;
    gb_diagnostics diagnostics = {0};
    gb_error err = {0};
    snprintf(text, sizeof text,
             "gpubench: 1\nname: s\nbudget: 1s\n"
             "defaults: {replicates: %d, warmup: 1ms, timeout: 1s, samples: {min: 3, max: 5}}\n"
             "benchmarks:\n  - {name: m, kernel: misbehave, axes: {how: %s, n: %s}}\n",
             replicates, how, numbers);
    gb_code code = gb_suite_parse("s.yaml", text, strlen(text), gb_kernel_catalog(), &suite,
                                  &diagnostics, &err);
    ck_assert_msg(code == GB_OK, "%s%s", err.message,
                  diagnostics.n ? diagnostics.items[0].message : "");
    gb_diagnostics_free(&diagnostics);
    return suite;
}

/* Runs a suite; `how` may be changed by the caller beforehand. */
static gb_supervise supervise;
static gb_code run(const char *how, const char *numbers, int replicates, gb_error *err)
{
    gb_suite *suite = suite_of(how, numbers, replicates);
    gb_plan *plan = NULL;
    const gb_selection selection = {.seed = 5};
    ck_assert_int_eq(gb_plan_make(suite, supervise.kind, &selection, &plan, err), GB_OK);
    gb_code code = gb_supervise_plan(&supervise, plan, err);
    gb_plan_free(plan);
    gb_suite_free(suite);
    return code;
}

static void set_up(void)
{
    memset(&got, 0, sizeof got);
    supervise = (gb_supervise){.executable = GB_PROGRAM,
                               .kind = GB_CPU,
                               .store = keep,
                               .store_user = &got,
                               .observer = {.note = heard, .user = &got}};
}

static size_t count(gb_status status)
{
    size_t n = 0;
    for (size_t i = 0; i < got.n; i++)
        n += got.status[i] == status;
    return n;
}

static void each_once(size_t cases, size_t replicates)
{
    ck_assert_uint_eq(got.n, cases * replicates);
    for (size_t i = 0; i < got.n; i++) {
        for (size_t j = 0; j < i; j++)
            ck_assert(strcmp(got.id[i], got.id[j]) != 0 || got.replicate[i] != got.replicate[j]);
    }
}

START_TEST(every_case_of_every_replicate_ends_as_one_record)
{
    gb_error err = {0};
    ck_assert_int_eq(
        run("[good, crash, exit, hang, wrong, fail, lost, stray, huge]", "[1, 2]", 2, &err), GB_OK);
    each_once(18, 2);
    ck_assert_uint_eq(count(GB_STATUS_OK), 4);
    ck_assert_uint_eq(count(GB_STATUS_TIMEOUT), 4);
    ck_assert_uint_eq(count(GB_STATUS_WRONG), 4);
    ck_assert_uint_eq(count(GB_STATUS_SKIPPED), 4);
    ck_assert_uint_eq(count(GB_STATUS_FAILED), 20);
    for (size_t i = 0; i < got.n; i++) {
        ck_assert(got.status[i] == GB_STATUS_OK || got.reason[i][0]);
        if (strstr(got.id[i], "how=crash"))
            ck_assert_str_eq(got.code[i], "crashed");
    }
}
END_TEST

START_TEST(a_replicate_has_an_order_of_its_own_and_the_seed_makes_it)
{
    gb_error err = {0};
    ck_assert_int_eq(run("[good]", "{from: 1, to: 12, step: 1}", 2, &err), GB_OK);
    each_once(12, 2);
    stored first = got;
    size_t same = 0;
    for (size_t i = 0; i < 12; i++) {
        same += strcmp(got.id[i], got.id[i + 12]) == 0;
        ck_assert_uint_eq(got.order[i], i);
        ck_assert_uint_eq(got.replicate[i], 0);
        ck_assert_uint_eq(got.replicate[i + 12], 1);
    }
    ck_assert_uint_lt(same, 12);
    set_up();
    ck_assert_int_eq(run("[good]", "{from: 1, to: 12, step: 1}", 2, &err), GB_OK);
    for (size_t i = 0; i < 24; i++)
        ck_assert_str_eq(got.id[i], first.id[i]);
}
END_TEST

START_TEST(a_store_that_fails_ends_the_run)
{
    gb_error err = {0};
    got.fail_at = 4;
    ck_assert_int_eq(run("[good, fail]", "{from: 1, to: 8, step: 1}", 2, &err), GB_IO);
    ck_assert_str_eq(err.message, "disk full");
    ck_assert_uint_eq(got.n, 3);
}
END_TEST

START_TEST(CLI_08_fail_fast_leaves_the_rest_out)
{
    gb_error err = {0};
    supervise.fail_fast = true;
    ck_assert_int_eq(run("[good, fail]", "{from: 1, to: 8, step: 1}", 2, &err), GB_OK);
    each_once(16, 2);
    ck_assert_uint_eq(count(GB_STATUS_FAILED), 1);
    ck_assert_uint_ge(count(GB_STATUS_NOT_RUN), 16);
}
END_TEST

START_TEST(an_interrupted_run_accounts_for_every_case)
{
    volatile sig_atomic_t interrupted = 1;
    gb_error err = {0};
    supervise.interrupted = &interrupted;
    ck_assert_int_eq(run("[good]", "[1, 2, 3]", 2, &err), GB_INTERRUPTED);
    each_once(3, 2);
    ck_assert_uint_eq(count(GB_STATUS_NOT_RUN), 6);
    ck_assert_str_eq(got.code[0], "interrupted");
    set_up();
    interrupted = 2; /* at once */
    supervise.interrupted = &interrupted;
    ck_assert_int_eq(run("[good]", "[1, 2, 3]", 2, &err), GB_INTERRUPTED);
    ck_assert_uint_eq(got.n, 0);
}
END_TEST

static bool even(void *user, const char *case_id, uint32_t replicate)
{
    (void)user;
    return (case_id[strlen(case_id) - 2] - '0' + (int)replicate) % 2 == 0;
}

START_TEST(a_resumed_run_measures_what_is_not_there)
{
    gb_error err = {0};
    supervise.have = even;
    ck_assert_int_eq(run("[good, huge]", "{from: 1, to: 4, step: 1}", 2, &err), GB_OK);
    ck_assert_uint_eq(got.n, 8);
    for (size_t i = 0; i < got.n; i++)
        ck_assert(!even(NULL, got.id[i], got.replicate[i]));
}
END_TEST

START_TEST(a_device_that_does_not_open_is_the_reason_of_all_that_is_left)
{
    gb_error err = {0};
    supervise.kind = GB_CUDA;
    supervise.device_index = 60;
    ck_assert_int_eq(run("[good]", "[1, 2, 3]", 2, &err), GB_OK);
    each_once(3, 2);
    ck_assert_uint_eq(count(GB_STATUS_NOT_RUN), 6);
    for (size_t i = 0; i < got.n; i++) {
        ck_assert_int_ne(got.reason[i][0], '\0');
        ck_assert_str_ne(got.code[i], "crashed");
    }
}
END_TEST

START_TEST(a_program_that_does_not_start_is_given_up)
{
    gb_error err = {0};
    supervise.executable = "/no/such/program";
    ck_assert_int_eq(run("[good]", "[1, 2]", 1, &err), GB_OK);
    ck_assert_uint_eq(count(GB_STATUS_NOT_RUN), 2);
    ck_assert_ptr_nonnull(strstr(got.reason[0], "No such file"));
    ck_assert_uint_ge(got.notes, 1);
}
END_TEST

START_TEST(workers_that_die_over_and_over_are_given_up)
{
    gb_error err = {0};
    ck_assert_int_eq(run("[crash]", "{from: 1, to: 20, step: 1}", 1, &err), GB_OK);
    each_once(20, 1);
    ck_assert_uint_eq(count(GB_STATUS_FAILED), 8);
    ck_assert_uint_eq(count(GB_STATUS_NOT_RUN), 12);
}
END_TEST

START_TEST(the_probe_knows_the_cpu_and_survives_a_program_that_is_none)
{
    json_t *probe = NULL;
    gb_error err = {0};
    ck_assert_int_eq(gb_supervise_probe(GB_PROGRAM, NULL, &probe, &err), GB_OK);
    const json_t *cpu = json_object_get(probe, "cpu");
    ck_assert_str_eq(json_string_value(json_object_get(cpu, "kind")), "cpu");
    ck_assert(json_is_array(json_object_get(probe, "cuda")));
    json_decref(probe);
    ck_assert_int_ne(gb_supervise_probe("/bin/false", NULL, &probe, &err), GB_OK);
    ck_assert_int_ne(gb_supervise_probe("/no/such/program", NULL, &probe, &err), GB_OK);
    ck_assert_int_ne(gb_supervise_probe("/bin/echo", NULL, &probe, &err), GB_OK);
    volatile sig_atomic_t interrupted = 1;
    ck_assert_int_eq(gb_supervise_probe(GB_PROGRAM, &interrupted, &probe, &err), GB_INTERRUPTED);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("supervise");
    tcase_add_checked_fixture(c, set_up, NULL);
    tcase_set_timeout(c, 60);
    tcase_add_test(c, every_case_of_every_replicate_ends_as_one_record);
    tcase_add_test(c, a_replicate_has_an_order_of_its_own_and_the_seed_makes_it);
    tcase_add_test(c, a_store_that_fails_ends_the_run);
    tcase_add_test(c, CLI_08_fail_fast_leaves_the_rest_out);
    tcase_add_test(c, an_interrupted_run_accounts_for_every_case);
    tcase_add_test(c, a_resumed_run_measures_what_is_not_there);
    tcase_add_test(c, a_device_that_does_not_open_is_the_reason_of_all_that_is_left);
    tcase_add_test(c, a_program_that_does_not_start_is_given_up);
    tcase_add_test(c, workers_that_die_over_and_over_are_given_up);
    tcase_add_test(c, the_probe_knows_the_cpu_and_survives_a_program_that_is_none);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("supervise", add_cases)
