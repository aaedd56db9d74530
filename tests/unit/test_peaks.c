/* Theoretical peaks: known from known facts, otherwise not there. */
#include "unit/check_main.h"

#include <math.h>
#include <string.h>

#include "device/peaks.h"

static gb_device_info h200(void)
{
    return (gb_device_info){.kind = GB_CUDA,
                            .cc_major = 9,
                            .units = 132,
                            .clock_khz = 1980000,
                            .memory_clock_khz = 3201000,
                            .bus_bits = 6144};
}

START_TEST(units_times_lanes_times_clock)
{
    gb_device_info info = h200();
    /* The data sheet of H200 SXM: 67 TFLOP/s FP32, 34 FP64, 4.8 TB/s. */
    ck_assert_double_eq_tol(gb_peak_flops(&info, GB_COMPUTE_FP32, NAN), 66.9e12, 0.05e12);
    ck_assert_double_eq_tol(gb_peak_flops(&info, GB_COMPUTE_FP64, NAN), 33.45e12, 0.05e12);
    ck_assert_double_eq_tol(gb_peak_bandwidth(&info), 4.9167e12, 1e9);
    /* The white paper states 133.8 for both packed halves, and 989 dense tensor at 1830 MHz. */
    ck_assert_double_eq_tol(gb_peak_flops(&info, GB_COMPUTE_FP16, NAN), 133.8e12, 0.1e12);
    ck_assert_double_eq_tol(gb_peak_flops(&info, GB_COMPUTE_FP16_TENSOR, 1830e6), 989.4e12, 1e12);
    ck_assert_double_eq_tol(gb_peak_shared(&info, NAN), 132 * 128 * 1.98e9, 1);
    /* Results a cycle and SM in the guide's table: a multiply-add is one, a sum takes its place. */
    ck_assert_double_eq_tol(gb_peak_operations(&info, GB_COMPUTE_FP32, NAN), 132 * 128 * 1.98e9, 1);
    ck_assert_double_eq_tol(gb_peak_operations(&info, GB_COMPUTE_INT32, 1e9), 132 * 64 * 1e9, 1);
    ck_assert_double_eq_tol(gb_peak_flops(&info, GB_COMPUTE_INT32, 1e9), 2.0 * 132 * 64 * 1e9, 1);
    ck_assert_double_eq_tol(gb_peak_operations(&info, GB_COMPUTE_SPECIAL, 1e9), 132 * 16 * 1e9, 1);
    ck_assert_double_eq_tol(gb_peak_flops(&info, GB_COMPUTE_SPECIAL, 1e9), 132 * 16 * 1e9, 1);
    info.cc_major = 12; /* in no source yet */
    ck_assert(isnan(gb_peak_operations(&info, GB_COMPUTE_SPECIAL, 1e9)));
    info.cc_major = 9;
    /* The clock that was measured counts. */
    ck_assert_double_eq_tol(gb_peak_flops(&info, GB_COMPUTE_FP32, 990e6), 33.45e12, 0.05e12);
}
END_TEST

START_TEST(PLT_13_unknown_facts_give_no_peak)
{
    gb_device_info info = h200();
    info.cc_minor = 9; /* not in the table: no lanes are assumed */
    ck_assert(isnan(gb_peak_flops(&info, GB_COMPUTE_FP32, NAN)));
    info = h200();
    ck_assert(isnan(gb_peak_flops(&info, GB_COMPUTE_NONE, NAN)));
    info.clock_khz = 0; /* the attribute may be 0 in CUDA 13 */
    ck_assert(isnan(gb_peak_flops(&info, GB_COMPUTE_FP32, NAN)));
    ck_assert(isnan(gb_peak_shared(&info, NAN)));
    ck_assert(gb_peak_flops(&info, GB_COMPUTE_FP32, 1e9) > 0);
    info.units = 0;
    ck_assert(isnan(gb_peak_flops(&info, GB_COMPUTE_FP32, 1e9)));
    info = h200();
    info.memory_clock_khz = 0;
    ck_assert(isnan(gb_peak_bandwidth(&info)));
    info = h200();
    info.cc_major = 7, info.cc_minor = 5; /* a T4: its FP64 is in no source */
    ck_assert(isnan(gb_peak_flops(&info, GB_COMPUTE_FP64, NAN)));
    ck_assert(gb_peak_flops(&info, GB_COMPUTE_FP32, NAN) > 0);
    info = h200();
    info.kind = GB_CPU; /* a CPU's units are threads */
    ck_assert(isnan(gb_peak_flops(&info, GB_COMPUTE_FP32, NAN)));
    ck_assert(isnan(gb_peak_shared(&info, NAN)));
    ck_assert(isnan(gb_peak_bandwidth(&info)));
}
END_TEST

START_TEST(peaks_go_to_JSON_and_back)
{
    gb_device_info info = h200();
    gb_peaks peaks = gb_peaks_theory(&info), back = {0};
    gb_error err = {0};
    json_t *json = gb_peaks_json(&peaks);
    ck_assert_ptr_nonnull(json);
    ck_assert_ptr_null(json_object_get(json, "none"));
    ck_assert_int_eq(gb_peaks_load(json, &back, &err), GB_OK);
    ck_assert_double_eq(back.bandwidth, peaks.bandwidth);
    for (int i = 0; i < GB_COMPUTES; i++)
        ck_assert_double_eq(back.flops[i], peaks.flops[i]);
    json_object_set_new(json, "fp32", json_integer(-1));
    ck_assert_int_eq(gb_peaks_load(json, &back, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "fp32"));
    json_decref(json);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("peaks");
    tcase_add_test(c, units_times_lanes_times_clock);
    tcase_add_test(c, PLT_13_unknown_facts_give_no_peak);
    tcase_add_test(c, peaks_go_to_JSON_and_back);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("peaks", add_cases)
