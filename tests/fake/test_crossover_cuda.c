/* crossover on the fake CUDA runtime: every job by the GPU's code, with the libraries in it faked.
 */
#include "device_cuda_fixture.h"

#include "unit/kernel_life.h"

static gb_code verdict(const char *text)
{
    return kernel_verdict(dev, "crossover", text, &err);
}

static const char *const jobs[] = {
    "job=matmul,n=65",  "job=add,n=5003",    "job=reduce,n=50003", "job=blur,n=70",
    "job=resize,n=100", "job=filter,n=5003", "job=lookup,n=5003",  "job=sort,n=5003",
};
enum { JOBS = sizeof jobs / sizeof jobs[0] };

START_TEST(every_job_is_right_in_both_scopes_and_kinds_of_memory)
{
    static const char *const ways[] = {"scope=end-to-end,memory=pinned",
                                       "scope=end-to-end,memory=pageable", "scope=compute"};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%s,%s", jobs[_i], ways[i]);
        ck_assert_msg(verdict(text) == GB_OK, "%s: %s", text, err.message);
    }
}
END_TEST

START_TEST(a_sort_that_fails_says_what_failed)
{
    set("FAKE_CUDA_FAIL", "gb_cub_sort:2=700");
    ck_assert_int_eq(verdict("job=sort,n=100"), GB_DEVICE_ERROR);
    says("cub::DeviceRadixSort::SortKeys: 700");
}
END_TEST

START_TEST(without_the_library_sort_is_skipped)
{
    set("FAKE_CUDA_FAIL", "gb_cub_sort=801"); /* cudaErrorNotSupported */
    ck_assert_int_eq(verdict("job=sort,n=100"), GB_UNAVAILABLE);
    says("this build has no CUB");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tc = tcase_create("crossover");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, every_job_is_right_in_both_scopes_and_kinds_of_memory, 0, JOBS);
    tcase_add_test(tc, a_sort_that_fails_says_what_failed);
    tcase_add_test(tc, without_the_library_sort_is_skipped);
    suite_add_tcase(suite, tc);
}

GB_CHECK_MAIN("crossover_cuda", add_cases)
