/* The cpu device behind the device contract: facts, opening, and what has no file of its own. */
#include "unit/device_fixture.h"

#include <math.h>

#include "device/host_limits.h"

START_TEST(facts_are_known_or_zero)
{
    const gb_device_info *info = &dev->info;
    gb_device_info alone;
    ck_assert_int_eq(info->kind, GB_CPU);
    ck_assert_uint_gt(strlen(info->name), 0);
    ck_assert_int_eq(strncmp(info->uuid, "CPU-", 4), 0);
    ck_assert_uint_eq(strlen(info->uuid), 36);
    ck_assert_uint_eq(info->units, 3);
    ck_assert_int_eq(strncmp(info->runtime, "3 threads, ", 11), 0);
    ck_assert(info->memory_bytes > 0 && info->free_bytes <= info->memory_bytes);
    ck_assert(info->event_resolution_ns > 0.0 && info->event_resolution_ns < 1e6);
    ck_assert_uint_eq(info->max_threads_per_block, 1024);
    ck_assert(info->memory_kinds[GB_MEM_DEVICE] && info->memory_kinds[GB_MEM_PINNED]);
    ck_assert(!info->memory_kinds[GB_MEM_MANAGED] && !info->memory_kinds[GB_MEM_MAPPED]);
    OK(gb_device_cpu_info(&alone, &err));
    ck_assert_str_eq(alone.uuid, info->uuid);
    ck_assert_uint_eq(alone.units, gb_host_threads(""));
}
END_TEST

START_TEST(facts_as_json_have_null_for_unknown)
{
    gb_device_info info = dev->info;
    info.llc_bytes = 0;
    info.pinned_limit_bytes = UINT64_MAX;
    json_t *json = gb_device_info_json(&info);
    ck_assert_str_eq(json_string_value(json_object_get(json, "kind")), "cpu");
    ck_assert(json_is_null(json_object_get(json, "llc_bytes")));
    ck_assert(json_is_null(json_object_get(json, "pinned_limit_bytes")));
    ck_assert(json_is_null(json_object_get(json, "compute_capability")));
    ck_assert(json_is_null(json_object_get(json, "ecc")));
    ck_assert_uint_eq(json_array_size(json_object_get(json, "memory_kinds")), 3);
    json_decref(json);
    info.cc_major = 9;
    info.ecc = GB_YES;
    json = gb_device_info_json(&info);
    ck_assert_str_eq(json_string_value(json_object_get(json, "compute_capability")), "9.0");
    ck_assert(json_is_true(json_object_get(json, "ecc")));
    json_decref(json);
}
END_TEST

START_TEST(telemetry_is_a_number_or_null)
{
    gb_telemetry reading;
    for (int i = 0; i < 2; i++) {
        dev->ops->telemetry(dev, &reading);
        ck_assert(isnan(reading.utilization) ||
                  (reading.utilization >= 0.0 && reading.utilization <= 100.0));
        ck_assert(isnan(reading.power_w));
        ck_assert_uint_gt(strlen(reading.reason), 0);
    }
    json_t *json = gb_telemetry_json(&reading);
    ck_assert(json_is_null(json_object_get(json, "power_w")));
    ck_assert(json_is_string(json_object_get(json, "reason")));
    json_decref(json);
}
END_TEST

START_TEST(device_choices)
{
    gb_device_choice choice;
    OK(gb_device_choice_parse("auto", &choice, &err));
    ck_assert_int_eq(choice.kind, GB_CHOICE_AUTO);
    OK(gb_device_choice_parse("cpu", &choice, &err));
    ck_assert_int_eq(choice.kind, GB_CHOICE_CPU);
    OK(gb_device_choice_parse("cuda", &choice, &err));
    ck_assert_int_eq(choice.kind, GB_CHOICE_CUDA);
    OK(gb_device_choice_parse("all", &choice, &err));
    ck_assert_int_eq(choice.kind, GB_CHOICE_ALL);
    OK(gb_device_choice_parse("cuda:12", &choice, &err));
    ck_assert(choice.kind == GB_CHOICE_CUDA_INDEX && choice.index == 12);
    OK(gb_device_choice_parse("cuda:GPU-8f6a", &choice, &err));
    ck_assert_int_eq(choice.kind, GB_CHOICE_CUDA_UUID);
    ck_assert_str_eq(choice.uuid, "GPU-8f6a");
    const char *const wrong[] = {"",        "gpu",     " cuda:0",          "cuda:0 ",
                                 "cuda:",   "cuda:-1", "cuda:01",          "CUDA",
                                 "cuda:1x", "cpu:0",   "cuda:99999999999", "cuda:GPU-8f6a;rm"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char want[200];
        snprintf(want, sizeof want,
                 "unknown device '%s'; valid: auto, cpu, cuda, cuda:N, cuda:UUID, all", wrong[i]);
        REFUSED(gb_device_choice_parse(wrong[i], &choice, &err), GB_INVALID, want);
    }
    char uuid[200] = "cuda:GPU-";
    memset(uuid + 9, '0', 100);
    REFUSED(gb_device_choice_parse(uuid, &choice, &err), GB_INVALID, "unknown device");
    REFUSED(gb_device_choice_parse("cuda:\x1b[31m", &choice, &err), GB_INVALID, "\\x1B");
}
END_TEST

/* --- operations --- */

START_TEST(the_cache_flush_is_an_operation_like_others)
{
    gb_event *start, *stop;
    double ns;
    if (dev->info.llc_bytes == 0) {
        REFUSED(dev->ops->flush_cache(dev, stream, &err), GB_UNAVAILABLE, "cache");
        return;
    }
    OK(dev->ops->event_create(dev, &start, &err));
    OK(dev->ops->event_create(dev, &stop, &err));
    OK(dev->ops->flush_cache(dev, stream, &err));
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(dev->ops->flush_cache(dev, stream, &err));
    OK(dev->ops->event_record(dev, stop, stream, &err));
    OK(dev->ops->elapsed_ns(dev, start, stop, &ns, &err));
    /* twice the cache cannot be written faster than at 2 TB/s */
    ck_assert(ns > 2.0 * (double)dev->info.llc_bytes / 2000.0);
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
}
END_TEST

START_TEST(matrix_product_by_openblas)
{
    enum { M = 17, N = 23, K = 31 };
    gb_memory a = device_memory(M * K * 8), b = device_memory(K * N * 8),
              c = device_memory(M * N * 8);
    const gb_gemm_type types[] = {GB_GEMM_FP32, GB_GEMM_FP64};
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < M * K; i++)
            if (t == 0)
                ((float *)a.device)[i] = (float)(i % 7 - 3);
            else
                ((double *)a.device)[i] = i % 7 - 3;
        for (int i = 0; i < K * N; i++)
            if (t == 0)
                ((float *)b.device)[i] = (float)(i % 5 - 2);
            else
                ((double *)b.device)[i] = i % 5 - 2;
        gb_code code =
            dev->ops->gemm(dev, stream, types[t], M, N, K, a.device, b.device, c.device, &err);
        if (code == GB_UNAVAILABLE) {
            ck_assert_ptr_nonnull(strstr(err.message, "OpenBLAS"));
            break;
        }
        ck_assert_int_eq(code, GB_OK);
        OK(sync_stream());
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double want = 0.0;
                for (int k = 0; k < K; k++)
                    want += ((i * K + k) % 7 - 3) * ((k * N + j) % 5 - 2);
                double got = t == 0 ? (double)((float *)c.device)[i * N + j]
                                    : ((double *)c.device)[i * N + j];
                ck_assert_double_eq(got, want); /* small whole numbers: exact */
            }
    }
    for (gb_gemm_type type = GB_GEMM_TF32; type <= GB_GEMM_BF16; type++)
        REFUSED(dev->ops->gemm(dev, stream, type, M, N, K, a.device, b.device, c.device, &err),
                GB_UNAVAILABLE, "FP32 and FP64");
    dev->ops->free(dev, &a);
    dev->ops->free(dev, &b);
    dev->ops->free(dev, &c);
}
END_TEST

START_TEST(wrong_ways_to_open_are_errors)
{
    gb_device *none;
    REFUSED(gb_device_cpu_open(5000, &none, &err), GB_INVALID, "5000");
    ck_assert_ptr_null(none);
    setenv("GPUBENCH_FIBERS", "sideways", 1);
    REFUSED(gb_device_cpu_open(0, &none, &err), GB_INVALID, "sideways");
    setenv("GPUBENCH_FIBERS", "reverse", 1);
    OK(gb_device_cpu_open(0, &none, &err));
    none->ops->close(none);
    unsetenv("GPUBENCH_FIBERS");
    for (unsigned threads = 1; threads <= 9; threads++) { /* more than there are processors */
        OK(gb_device_cpu_open(threads, &none, &err));
        ck_assert_uint_eq(none->info.units, threads);
        none->ops->close(none);
    }
}
END_TEST

#if !GB_CUDA_IN_BUILD
START_TEST(a_build_without_cuda_says_so)
{
    int count = 7;
    gb_device_info info;
    gb_device *none;
    REFUSED(gb_device_cuda_count(&count, &err), GB_UNAVAILABLE, "this build has no CUDA device");
    ck_assert_int_eq(count, 0);
    REFUSED(gb_device_cuda_info(0, &info, &err), GB_UNAVAILABLE, "no CUDA");
    REFUSED(gb_device_cuda_open(0, &none, &err), GB_UNAVAILABLE, "no CUDA");
    ck_assert_int_eq(gb_device_cuda_toolkit(), 0);
    ck_assert_str_eq(gb_device_cuda_architectures(), "");
}
END_TEST
#endif

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("cpu");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, facts_are_known_or_zero);
    tcase_add_test(c, facts_as_json_have_null_for_unknown);
    tcase_add_test(c, telemetry_is_a_number_or_null);
    tcase_add_test(c, device_choices);
    tcase_add_test(c, the_cache_flush_is_an_operation_like_others);
    tcase_add_test(c, matrix_product_by_openblas);
    suite_add_tcase(suite, c);
    TCase *limits = tcase_create("limits");
    tcase_add_test(limits, wrong_ways_to_open_are_errors);
#if !GB_CUDA_IN_BUILD
    tcase_add_test(limits, a_build_without_cuda_says_so);
#endif
    suite_add_tcase(suite, limits);
}

GB_CHECK_MAIN("device_cpu", add_cases)
