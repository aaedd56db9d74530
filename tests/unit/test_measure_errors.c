/* The measuring loop when something fails: the case says what, nothing leaks, no figure is left. */
#include "unit/measure_fixture.h"

static const fake_kernel_options plain = {.work = {.bytes_moved = 1000, .items = 1}};

/* A record that did not end well names its metrics, but carries no figures. */
static void assert_no_figures(const gb_record *r)
{
    ck_assert_uint_eq(r->n_samples, 0);
    ck_assert_uint_eq(r->n_metrics, 4);
    for (size_t i = 0; i < r->n_metrics; i++) {
        ck_assert_double_nan(r->metrics[i].value);
        ck_assert_str_eq(r->metrics[i].reason, "no samples");
    }
    ck_assert_double_nan(r->time.median);
    ck_assert_ptr_nonnull(r->reason);
    ck_assert_ptr_nonnull(r->reason_code);
}

/* Short, so that every single call of it can be made to fail. */
static gb_measure short_how(void)
{
    gb_measure how = default_how();
    how.min_samples = how.max_samples = 4;
    how.warmup_ns = 50000;
    return how;
}

typedef struct failure {
    gb_code code;
    int status;
    bool sticky, late;
} failure;

/* Lets the n-th call fail, for every n of a whole case. */
static void fail_everywhere(gb_timer timer, gb_cache cache, failure how_it_fails)
{
    gb_measure how = short_how();
    for (uint64_t n = 1;; n++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.body_ns = 60000;
        fake.fail_call = FAKE_CALLS;
        fake.fail_at = n;
        fake.fail_code = how_it_fails.code;
        fake.fail_status = how_it_fails.status;
        fake.fail_sticky = how_it_fails.sticky;
        fake.fail_late = how_it_fails.late;
        gb_record r;
        gb_error err = {0};
        gb_code code = measure(&fake, &plain, timer, cache, &how, &r, &err);
        bool reached = fake.calls[FAKE_CALLS] >= n;
        ck_assert_int_eq(fake.live, 0);
        ck_assert_uint_eq(fake_prepared, fake_released);
        ck_assert(!fake.held);
        if (!reached || fake.late) { /* late: the last call of all, with no one to report to */
            ck_assert_int_eq(r.status, GB_STATUS_OK);
        } else {
            char number[24];
            snprintf(number, sizeof number, ": %d ", how_it_fails.status);
            ck_assert_msg(r.status != GB_STATUS_OK, "call %llu", (unsigned long long)n);
            ck_assert_msg(strstr(r.reason, number), "call %llu: %s", (unsigned long long)n,
                          r.reason);
            assert_no_figures(&r);
            ck_assert_int_eq(code, how_it_fails.sticky ? how_it_fails.code : GB_OK);
            ck_assert(err.sticky == how_it_fails.sticky);
        }
        gb_record_free(&r);
        fake_device_done(&fake);
        if (!reached)
            break;
        ck_assert_uint_lt(n, 5000);
    }
}

START_TEST(every_call_may_fail_once)
{
    for (gb_timer timer = 0; timer < GB_TIMERS; timer++)
        for (gb_cache cache = 0; cache < GB_CACHES; cache++)
            fail_everywhere(timer, cache, (failure){GB_DEVICE_ERROR, 719, false, false});
}
END_TEST

START_TEST(every_call_may_be_refused_memory)
{
    fail_everywhere(GB_TIMER_DEVICE, GB_CACHE_WARM, (failure){GB_NO_MEMORY, 2, false, false});
}
END_TEST

START_TEST(DEV_12_a_lost_context_ends_the_process_wherever_it_shows)
{
    for (gb_timer timer = 0; timer < GB_TIMERS; timer++) {
        fail_everywhere(timer, GB_CACHE_WARM, (failure){GB_DEVICE_ERROR, 700, true, false});
        fail_everywhere(timer, GB_CACHE_WARM, (failure){GB_DEVICE_ERROR, 700, true, true});
    }
}
END_TEST

START_TEST(DEV_12_an_asynchronous_error_belongs_to_its_case)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.fail_call = FAKE_LAUNCH;
    fake.fail_at = 30;
    fake.fail_code = GB_DEVICE_ERROR;
    fake.fail_status = 700;
    fake.fail_sticky = fake.fail_late = true;
    gb_measure how = default_how();
    gb_record r;
    gb_error err = {0};
    ck_assert_int_eq(measure(&fake, &plain, GB_TIMER_CALL, GB_CACHE_WARM, &how, &r, &err),
                     GB_DEVICE_ERROR);
    ck_assert(err.sticky);
    ck_assert_int_eq(err.device_status, 700);
    ck_assert_int_eq(r.status, GB_STATUS_FAILED);
    ck_assert_str_eq(r.reason_code, "device-error");
    ck_assert_ptr_null(strstr(r.reason, "fake[n=1]")); /* a line with it begins with the case */
    ck_assert_msg(strncmp(err.message, "fake[n=1]: ", 11) == 0, "%s", err.message);
    assert_no_figures(&r);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_08_a_failed_elapsed_call_is_no_sample)
{
    static const int statuses[] = {600, 400};
    for (int i = 0; i < 2; i++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.body_ns = 1 * MS; /* no calibration: call number 6 belongs to sample 5 */
        fake.fail_call = FAKE_ELAPSED;
        fake.fail_at = 6;
        fake.fail_code = GB_DEVICE_ERROR;
        fake.fail_status = statuses[i];
        gb_measure how = default_how();
        gb_record r;
        ck_assert_int_eq(measure(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL),
                         GB_OK);
        ck_assert_int_eq(r.status, GB_STATUS_FAILED);
        char text[128];
        snprintf(text, sizeof text, "measure: sample 5: fakeEventElapsedTime: %d (fake error)",
                 statuses[i]);
        ck_assert_str_eq(r.reason, text);
        assert_no_figures(&r);
        gb_record_free(&r);
        /* and the next case runs */
        measure_ok(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(TIM_12_a_kernel_that_never_ran_has_no_bandwidth)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.body_ns = 8192;
    fake.fail_call = FAKE_LAUNCH;
    fake.fail_at = 1;
    fake.fail_code = GB_NO_KERNEL_IMAGE;
    fake.fail_status = 209;
    gb_measure how = default_how();
    gb_record r;
    ck_assert_int_eq(measure(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL), GB_OK);
    ck_assert_int_eq(r.status, GB_STATUS_FAILED);
    ck_assert_str_eq(r.reason_code, "no-kernel-image");
    ck_assert_ptr_nonnull(strstr(r.reason, "209"));
    assert_no_figures(&r);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

START_TEST(TIM_13_wrong_answers_have_no_bandwidth)
{
    /* wrong from the start, and wrong only after the samples were taken */
    static const uint64_t wrong_after[] = {1, 60};
    for (int i = 0; i < 2; i++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.wrong_after = wrong_after[i];
        fake.launches = i == 0 ? 1 : 0;
        gb_measure how = default_how();
        gb_record r;
        ck_assert_int_eq(measure(&fake, &plain, GB_TIMER_ROUNDTRIP, GB_CACHE_WARM, &how, &r, NULL),
                         GB_OK);
        ck_assert_int_eq(r.status, GB_STATUS_WRONG);
        ck_assert_int_eq(r.verified, 0);
        ck_assert_str_eq(r.reason_code, "wrong-result");
        ck_assert_ptr_nonnull(strstr(r.reason, "expected 42, found 41"));
        assert_no_figures(&r);
        ck_assert_uint_eq(fake_verified, (unsigned)i + 1);
        gb_record_free(&r);
        ck_assert_int_eq(fake.live, 0);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(CPY_06_the_first_failing_copy_ends_the_case)
{
    for (uint64_t n = 1; n <= 40; n++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.fail_call = FAKE_COPY;
        fake.fail_at = n;
        fake.fail_code = GB_DEVICE_ERROR;
        fake.fail_status = 1;
        fake_kernel_options copies = plain;
        copies.copies = true;
        gb_measure how = default_how();
        gb_record r;
        ck_assert_int_eq(measure(&fake, &copies, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL),
                         GB_OK);
        ck_assert_int_eq(r.status, GB_STATUS_FAILED);
        ck_assert_uint_eq(fake.calls[FAKE_COPY], n); /* not one more */
        ck_assert_ptr_nonnull(strstr(r.reason, "fakeMemcpyAsync: 1 "));
        assert_no_figures(&r);
        ck_assert_int_eq(fake.live, 0);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(CPY_01_a_need_above_what_is_free_is_a_skip)
{
    fake_device fake;
    fake_device_init(&fake, 1);
    fake_kernel_options large = plain;
    large.need.device_bytes = UINT64_C(3) << 33; /* 3 x 2^30 doubles */
    gb_measure how = default_how();
    gb_record r;
    ck_assert_int_eq(measure(&fake, &large, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL), GB_OK);
    ck_assert_int_eq(r.status, GB_STATUS_SKIPPED);
    ck_assert_str_eq(r.reason_code, "no-memory");
    ck_assert_msg(strstr(r.reason, "needs 24") && strstr(r.reason, "GiB, free 1"), "%s", r.reason);
    ck_assert_uint_eq(fake_prepared, 0);
    ck_assert_uint_eq(fake.calls[FAKE_ALLOC], 0);
    gb_record_free(&r);

    large.need.device_bytes = UINT64_C(1)
                              << 30; /* exactly what is free: nothing would be in reserve */
    measure(&fake, &large, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL);
    ck_assert_int_eq(r.status, GB_STATUS_SKIPPED);
    gb_record_free(&r);

    large.need.device_bytes = UINT64_MAX - 5; /* sums must not wrap round */
    measure(&fake, &large, GB_TIMER_DEVICE, GB_CACHE_COLD, &how, &r, NULL);
    ck_assert_int_ne(r.status, GB_STATUS_OK);
    ck_assert_uint_eq(fake_prepared, 0);
    gb_record_free(&r);

    large.need.device_bytes = UINT64_C(900) << 20;
    measure_ok(&fake, &large, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

/* Which memory a need is held against depends on where the device keeps its own. */
START_TEST(KRN_18_host_memory_and_its_locked_part_have_limits_too)
{
    static const struct {
        gb_device_kind kind;
        gb_tristate integrated;
        gb_need need;
        const char *text; /* in the reason; NULL: runs */
    } rows[] = {
        {GB_CUDA, GB_NO, {.host_bytes = UINT64_C(1) << 60}, "host memory"},
        {GB_CUDA, GB_NO, {.pinned_bytes = UINT64_C(1) << 24}, "page-locked"},
        {GB_CUDA, GB_NO, {.host_bytes = 1000, .pinned_bytes = 1000}, NULL},
        {GB_CUDA, GB_NO, {.device_bytes = UINT64_C(600) << 20, .host_bytes = 1 << 20}, NULL},
        /* one memory for all: 600 + 600 MiB do not fit into 1 GiB */
        {GB_CPU,
         GB_UNKNOWN,
         {.device_bytes = UINT64_C(600) << 20, .host_bytes = UINT64_C(600) << 20},
         "needs 1.17 GiB, free 1"},
        {GB_CUDA,
         GB_YES,
         {.device_bytes = UINT64_C(600) << 20, .host_bytes = UINT64_C(600) << 20},
         "needs 1.17 GiB, free 1"},
        {GB_CPU, GB_UNKNOWN, {.device_bytes = UINT64_MAX, .host_bytes = UINT64_MAX}, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake.device.info.kind = rows[i].kind;
        fake.device.info.integrated = rows[i].integrated;
        fake.device.info.pinned_limit_bytes = 1 << 23;
        fake_kernel_options o = plain;
        o.need = rows[i].need;
        gb_measure how = default_how();
        gb_record r;
        measure(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL);
        if (rows[i].text) {
            ck_assert_msg(r.status != GB_STATUS_OK, "row %zu", i);
            ck_assert_msg(strstr(r.reason, rows[i].text), "row %zu: %s", i, r.reason);
            ck_assert_uint_eq(fake_prepared, 0);
        } else {
            ck_assert_msg(r.status == GB_STATUS_OK, "row %zu: %s", i, r.reason);
        }
        gb_record_free(&r);
        fake_device_done(&fake);
    }
}
END_TEST

START_TEST(a_kernel_that_cannot_run_here_is_a_skip_before_samples_and_a_failure_after)
{
    static const struct {
        gb_code prepare, verify;
        gb_status status;
    } rows[] = {
        {GB_UNAVAILABLE, GB_OK, GB_STATUS_SKIPPED}, {GB_NO_MEMORY, GB_OK, GB_STATUS_SKIPPED},
        {GB_DEVICE_ERROR, GB_OK, GB_STATUS_FAILED}, {GB_INVALID, GB_OK, GB_STATUS_FAILED},
        {GB_OK, GB_WRONG_RESULT, GB_STATUS_WRONG},  {GB_OK, GB_HARDWARE_FAULT, GB_STATUS_FAILED}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fake_device fake;
        fake_device_init(&fake, 1);
        fake_kernel_options o = plain;
        o.prepare_code = rows[i].prepare;
        o.verify_code = rows[i].verify;
        gb_measure how = default_how();
        gb_record r;
        ck_assert_int_eq(measure(&fake, &o, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL), GB_OK);
        ck_assert_msg(r.status == rows[i].status, "row %zu: %s", i, gb_status_word(r.status));
        assert_no_figures(&r);
        ck_assert(!has_flag(&r, GB_FLAG_GATE_OFF)); /* nothing was timed that it could be said of */
        ck_assert_uint_eq(fake_released, 1);
        ck_assert_int_eq(fake.live, 0);
        gb_record_free(&r);
        fake_device_done(&fake);
    }
    fake_device fake;
    fake_device_init(&fake, 1);
    fake.fail_call = FAKE_LAUNCH;
    fake.fail_at = 100;
    fake.fail_code = GB_NO_MEMORY;
    gb_measure how = default_how();
    gb_record r;
    measure(&fake, &plain, GB_TIMER_DEVICE, GB_CACHE_WARM, &how, &r, NULL);
    ck_assert_int_eq(r.status, GB_STATUS_FAILED);
    gb_record_free(&r);
    fake_device_done(&fake);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *errors = tcase_create("errors");
    tcase_set_timeout(errors, 240);
    tcase_add_test(errors, every_call_may_fail_once);
    tcase_add_test(errors, every_call_may_be_refused_memory);
    tcase_add_test(errors, DEV_12_a_lost_context_ends_the_process_wherever_it_shows);
    tcase_add_test(errors, DEV_12_an_asynchronous_error_belongs_to_its_case);
    tcase_add_test(errors, TIM_08_a_failed_elapsed_call_is_no_sample);
    tcase_add_test(errors, TIM_12_a_kernel_that_never_ran_has_no_bandwidth);
    tcase_add_test(errors, TIM_13_wrong_answers_have_no_bandwidth);
    tcase_add_test(errors, CPY_06_the_first_failing_copy_ends_the_case);
    tcase_add_test(errors, CPY_01_a_need_above_what_is_free_is_a_skip);
    tcase_add_test(errors, KRN_18_host_memory_and_its_locked_part_have_limits_too);
    tcase_add_test(errors,
                   a_kernel_that_cannot_run_here_is_a_skip_before_samples_and_a_failure_after);
    suite_add_tcase(suite, errors);
}

GB_CHECK_MAIN("measure_errors", add_cases)
