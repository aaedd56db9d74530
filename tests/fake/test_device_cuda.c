/* The cuda device on the fake runtime: finding devices, reading them, losing them. */
#include "device_cuda_fixture.h"

/* --- finding devices -------------------------------------------------------------------------- */

START_TEST(DEV_01_no_driver_and_too_old_a_driver_are_told_apart)
{
    int count = 7;
    set("FAKE_CUDA_DRIVER", "0");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_DRIVER);
    ck_assert_int_eq(count, 0);
    ck_assert_int_eq(err.device_status, 35);
    ck_assert(!err.sticky);
    says("cudaGetDeviceCount: 35 (cudaErrorInsufficientDriver");
    says("no driver found");
    says(gb_device_cuda_minimum_driver());
    set("FAKE_CUDA_DRIVER", "10020");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_DRIVER);
    says("the driver supports CUDA 10.2");
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_DRIVER);
    ck_assert_ptr_null(dev);
}
END_TEST

START_TEST(DEV_01_no_device_is_not_a_driver_fault)
{
    int count;
    set("FAKE_CUDA_DEVICES", "0");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_NO_DEVICE);
    says("100 (cudaErrorNoDevice");
}
END_TEST

START_TEST(DEV_02_a_stub_driver_is_named_with_its_path)
{
    int count;
    set("FAKE_CUDA_FAIL", "cudaGetDeviceCount=34");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_DRIVER);
    says("34 (cudaErrorStubLibrary");
    says(FAKE_FOLDER "/stubs/libcuda.so.1");
}
END_TEST

START_TEST(DEV_04_mismatched_driver_parts_hint_at_a_reload)
{
    int count;
    set("FAKE_CUDA_FAIL", "cudaGetDeviceCount=803");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_DRIVER);
    says("reboot or reload the driver");
}
END_TEST

START_TEST(DEV_08_hidden_devices_are_explained)
{
    int count;
    set("CUDA_VISIBLE_DEVICES", "");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_NO_DEVICE);
    says("CUDA_VISIBLE_DEVICES is empty");
    set("CUDA_VISIBLE_DEVICES", "abc");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_NO_DEVICE);
    says("'abc' in CUDA_VISIBLE_DEVICES is no device");
    set("FAKE_CUDA_DEVICES", "3");
    set("CUDA_VISIBLE_DEVICES", "2,0,-1,1");
    ck_assert_int_eq(gb_device_cuda_count(&count, &err), GB_OK);
    ck_assert_int_eq(count, 2);
    gb_device_info info;
    ck_assert_int_eq(gb_device_cuda_info(0, &info, &err), GB_OK);
    ck_assert_str_eq(info.name, "Fake GPU 2");
    ck_assert_str_eq(info.pci, "00000000:12:00.0");
    ck_assert_str_eq(info.uuid, "GPU-20212223-2425-2627-2829-2a2b2c2d2e2f");
    ck_assert_int_eq(gb_device_cuda_info(2, &info, &err), GB_NO_DEVICE);
    says("device cuda:2: only 2 available");
}
END_TEST

START_TEST(DEV_09_telemetry_is_that_of_the_gpu_in_the_same_slot)
{
    gb_telemetry t;
    dev->ops->telemetry(dev, &t);
    ck_assert_double_eq(t.sm_clock_mhz, 1003);
    ck_assert_double_eq(t.memory_clock_mhz, 2003);
    ck_assert_double_eq(t.power_w, 103);
    ck_assert_double_eq(t.temperature_c, 43);
    ck_assert_double_eq(t.utilization, 53);
    ck_assert_double_eq(t.pcie_gen, 1);
    ck_assert_double_eq(t.throttle_reasons, 4);
    ck_assert_double_eq(t.other_processes, 0);
    ck_assert_double_eq(t.ecc_uncorrected, 3);
    ck_assert_str_eq(t.reason, "");
    ck_assert_str_eq(dev->info.driver_version, "580.65.06");
    ck_assert_uint_eq(dev->info.pcie_gen_max, 4);
    ck_assert_uint_eq(dev->info.clock_khz, 1500000); /* CUDA's maximum, no momentary clock */
}
END_TEST

static void reopen(void)
{
    dev->ops->close(dev);
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
}

START_TEST(firmware_and_clock_policy_are_told_or_unknown)
{
    ck_assert_str_eq(dev->info.vbios, "96.00.AF.00.03");
    ck_assert_str_eq(dev->info.clock_policy, "default");
    set("FAKE_NVML_APPLICATION_CLOCK", "1200");
    reopen();
    ck_assert_str_eq(dev->info.clock_policy, "application clock 1200 MHz, default 1410 MHz");
    set("FAKE_NVML_UNSUPPORTED", "nvmlDeviceGetVbiosVersion,nvmlDeviceGetDefaultApplicationsClock");
    reopen();
    ck_assert_str_eq(dev->info.vbios, "");
    ck_assert_str_eq(dev->info.clock_policy, "");
    json_t *facts = gb_device_info_json(&dev->info);
    ck_assert(json_is_null(json_object_get(facts, "vbios")));
    ck_assert(json_is_null(json_object_get(facts, "clock_policy")));
    json_decref(facts);
}
END_TEST

START_TEST(DEV_04_nvml_that_does_not_match_is_one_reason_and_no_failure)
{
    gb_telemetry t;
    dev->ops->close(dev);
    set("FAKE_NVML_INIT", "18");
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
    dev->ops->telemetry(dev, &t);
    ck_assert(isnan(t.sm_clock_mhz) && isnan(t.power_w) && isnan(t.other_processes));
    ck_assert(isnan(t.ecc_uncorrected) && isnan(t.throttle_reasons) && isnan(t.pcie_width));
    ck_assert_ptr_nonnull(strstr(t.reason, "18 (Driver/library version mismatch); reboot"));
    ck_assert_str_eq(dev->info.driver_version, "");
    ck_assert_uint_eq(dev->info.pcie_gen_max, 0);
}
END_TEST

START_TEST(DEV_05_each_reading_is_missing_on_its_own)
{
    static const char *const queries[] = {
        "nvmlDeviceGetClockInfo",
        "nvmlDeviceGetTemperature",
        "nvmlDeviceGetPowerUsage",
        "nvmlDeviceGetUtilizationRates",
        "nvmlDeviceGetCurrPcieLinkGeneration",
        "nvmlDeviceGetCurrPcieLinkWidth",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
        "nvmlDeviceGetComputeRunningProcesses_v3",
        "nvmlDeviceGetTotalEccErrors",
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        gb_telemetry t;
        set("FAKE_NVML_UNSUPPORTED", queries[i]);
        dev->ops->close(dev); /* some are read once for each opening */
        ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
        dev->ops->telemetry(dev, &t);
        const double fields[] = {t.sm_clock_mhz,     t.temperature_c,   t.power_w,
                                 t.utilization,      t.pcie_gen,        t.pcie_width,
                                 t.throttle_reasons, t.other_processes, t.ecc_uncorrected};
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            ck_assert_msg(isnan(fields[f]) == (f == i), "%s: field %zu is %g", queries[i], f,
                          fields[f]);
    }
}
END_TEST

START_TEST(DEV_20_other_processes_are_counted_without_this_one)
{
    gb_telemetry t;
    setenv("FAKE_NVML_PROCESSES", "2", 1);
    dev->ops->telemetry(dev, &t);
    ck_assert_double_eq(t.other_processes, 2);
    unsetenv("FAKE_NVML_PROCESSES");
}
END_TEST

START_TEST(DEV_10_a_busy_device_comes_with_its_compute_mode)
{
    set("FAKE_CUDA_ATTRIBUTES", "20=3");
    set("FAKE_CUDA_FAIL", "cudaSetDevice=46,cudaFree=46");
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_DEVICE_BUSY);
    says("46 (cudaErrorDevicesUnavailable");
    says("compute mode: exclusive process");
    ck_assert_int_eq(fake_cuda_live(), 0);
}
END_TEST

START_TEST(DEV_16_missing_machine_code_names_both_and_the_option)
{
    set("FAKE_CUDA_CC", "6.1");
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_NO_KERNEL_IMAGE);
    says("built for ");
    says(gb_device_cuda_architectures());
    says("device is 6.1");
    says("-DGPUBENCH_CUDA_ARCHITECTURES=61");
    set("FAKE_CUDA_CC", "99.0"); /* PTX runs on what comes later */
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
    dev->ops->close(dev);
}
END_TEST

START_TEST(BLD_01_attributes_that_fail_or_read_0_stay_unknown)
{
    gb_device_info info;
    setenv("FAKE_NVML_INIT", "12", 1);
    set("FAKE_CUDA_ATTRIBUTES", "13=0,36=!801,37=!1,32=!801");
    ck_assert_int_eq(gb_device_cuda_info(0, &info, &err), GB_OK);
    ck_assert_uint_eq(info.clock_khz, 0);
    ck_assert_uint_eq(info.memory_clock_khz, 0);
    ck_assert_uint_eq(info.bus_bits, 0);
    ck_assert_int_eq(info.ecc, GB_UNKNOWN);
    ck_assert_uint_eq(info.units, 4);
    ck_assert_uint_eq(info.free_bytes, 1u << 30);
    unsetenv("FAKE_NVML_INIT"); /* NVML's maximum clocks stand in */
    ck_assert_int_eq(gb_device_cuda_info(0, &info, &err), GB_OK);
    ck_assert_uint_eq(info.clock_khz, 1803000);
    ck_assert_uint_eq(info.memory_clock_khz, 2603000);
    ck_assert_int_eq(info.ecc, GB_YES);
    ck_assert_int_eq(fake_cuda_live(), 0);
}
END_TEST

START_TEST(TIM_06_synchronous_launches_are_known_and_have_no_gate)
{
    gb_stream *stream;
    setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
    ck_assert(dev->info.synchronous_launches);
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_hold(dev, stream, 1000000, &err), GB_UNAVAILABLE);
    dev->ops->stream_destroy(dev, stream);
    dev->ops->close(dev);
    ck_assert_int_eq(fake_cuda_live(), 0);
}
END_TEST

/* --- lost contexts ---------------------------------------------------------------------------- */

START_TEST(DEV_12_a_lost_context_is_reported_by_the_next_wait_and_for_good)
{
    arrays a;
    make_arrays(&a, 1000);
    set("FAKE_CUDA_KERNEL_ERROR", "stream_scale_fp32=700");
    ck_assert_int_eq(scale(&a, 2), GB_OK); /* fails while it runs */
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_DEVICE_ERROR);
    ck_assert_int_eq(err.device_status, 700);
    ck_assert(err.sticky);
    says("cudaStreamSynchronize: 700 (cudaErrorIllegalAddress: an illegal memory access was "
         "encountered)");
    memset(&err, 0, sizeof err);
    ck_assert_int_eq(scale(&a, 2), GB_DEVICE_ERROR);
    ck_assert(err.sticky);
    free_arrays(&a); /* what is on the host is given back all the same */
}
END_TEST

START_TEST(DEV_13_an_ecc_error_is_a_hardware_fault)
{
    arrays a;
    make_arrays(&a, 1000);
    set("FAKE_CUDA_KERNEL_ERROR", "stream_scale_fp32=214");
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    ck_assert_int_eq(dev->ops->sync(dev, &err), GB_HARDWARE_FAULT);
    ck_assert(err.sticky);
    says("cudaDeviceSynchronize: 214 (cudaErrorECCUncorrectable");
    free_arrays(&a);
}
END_TEST

/* Everything once; stops at the first error, as a caller would. */
static gb_code session(void)
{
    const float *unused = NULL;
    size_t n = 500;
    float by = 2;
    uint64_t memory_free, total;
    double ns = 0;
    size_t nodes;
    bool expired;
    gb_stream *stream = NULL;
    gb_event *start = NULL, *stop = NULL;
    gb_graph *graph = NULL;
    gb_memory m[GB_MEMORY_KINDS] = {0};
    const gb_launch launch = {{2, 1, 1}, {256, 1, 1}, 0};
    gb_code code = gb_device_cuda_open(0, &dev, &err);
    if (code != GB_OK)
        return code;
    const gb_device_ops *ops = dev->ops;
    code = ops->memory_info(dev, &memory_free, &total, &err);
    for (int k = 0; k < GB_MEMORY_KINDS && code == GB_OK; k++)
        code = ops->alloc(dev, (gb_memory_kind)k, n * 4, &m[k], &err);
    void *args[] = {&m[GB_MEM_DEVICE].device, &m[GB_MEM_MAPPED].device, &unused, &by, &n};
    code = code ? code : ops->stream_create(dev, &stream, &err);
    code = code ? code : ops->event_create(dev, &start, &err);
    code = code ? code : ops->event_create(dev, &stop, &err);
    code = code ? code
                : ops->copy(dev, stream, m[GB_MEM_DEVICE].device, m[GB_MEM_PAGEABLE].host, n * 4,
                            GB_COPY_H2D, &err);
    code = code ? code : ops->fill(dev, stream, m[GB_MEM_DEVICE].device, 255, n * 4, &err);
    code = code ? code : ops->prefetch(dev, stream, &m[GB_MEM_MANAGED], true, &err);
    code = code ? code : ops->flush_cache(dev, stream, &err);
    code = code ? code : ops->gate_hold(dev, stream, 1000000000, &err);
    code = code ? code : ops->event_record(dev, start, stream, &err);
    code = code ? code : ops->launch(dev, stream, GB_FN(stream_scale_fp32), &launch, args, &err);
    code = code ? code : ops->event_record(dev, stop, stream, &err);
    ops->gate_release(dev);
    code = code ? code : ops->elapsed_ns(dev, start, stop, &ns, &err);
    code = code ? code : ops->gate_finish(dev, &expired, &err);
    code = code ? code : ops->stream_wait(dev, stream, stop, &err);
    if (code == GB_OK)
        code = ops->capture_begin(dev, stream, &err);
    if (code == GB_OK) {
        code = ops->launch(dev, stream, GB_FN(stream_scale_fp32), &launch, args, &err);
        gb_error second = {0};
        gb_code ended = ops->capture_end(dev, stream, &graph, &second);
        if (code == GB_OK && ended != GB_OK)
            err = second;
        code = code ? code : ended;
    }
    code = code ? code : ops->graph_nodes(dev, graph, &nodes, &err);
    code = code ? code : ops->graph_instantiate(dev, graph, &err);
    code = code ? code : ops->graph_update(dev, graph, graph, &err);
    code = code ? code : ops->graph_launch(dev, graph, stream, &err);
    code = code ? code : ops->stream_sync(dev, stream, &err);
    code = code ? code : ops->sync(dev, &err);
    ops->graph_destroy(dev, graph);
    ops->event_destroy(dev, start);
    ops->event_destroy(dev, stop);
    ops->stream_destroy(dev, stream);
    for (int k = 0; k < GB_MEMORY_KINDS; k++)
        ops->free(dev, &m[k]);
    ops->close(dev);
    return code;
}

START_TEST(every_call_of_a_session_can_fail_with_every_error)
{
    static const char *const numbers[] = {"1",   "2",   "35",  "46",  "100", "209",
                                          "214", "600", "700", "702", "719", "999"};
    ck_assert_int_eq(session(), GB_OK);
    long calls = fake_cuda_calls();
    ck_assert_int_gt(calls, 60);
    for (size_t e = 0; e < sizeof numbers / sizeof *numbers; e++) {
        setenv("FAKE_CUDA_FAIL_WITH", numbers[e], 1);
        for (long n = 1; n <= calls; n++) {
            char text[32];
            snprintf(text, sizeof text, "%ld", n);
            set("FAKE_CUDA_FAIL_CALL", text);
            memset(&err, 0, sizeof err);
            gb_code code = session();
            ck_assert_msg(fake_cuda_live() == 0, "call %ld fails with %s: %d objects left", n,
                          numbers[e], fake_cuda_live());
            if (code != GB_OK)
                ck_assert_msg(err.code == code && err.message[0] != '\0',
                              "call %ld fails with %s: %d without a message", n, numbers[e], code);
        }
    }
    set("FAKE_CUDA_FAIL_CALL", NULL);
    ck_assert_int_eq(session(), GB_OK);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *closed = tcase_create("closed");
    tcase_add_checked_fixture(closed, clean_environment, clean_environment);
    tcase_set_timeout(closed, 120);
    tcase_add_test(closed, DEV_01_no_driver_and_too_old_a_driver_are_told_apart);
    tcase_add_test(closed, DEV_01_no_device_is_not_a_driver_fault);
    tcase_add_test(closed, DEV_02_a_stub_driver_is_named_with_its_path);
    tcase_add_test(closed, DEV_04_mismatched_driver_parts_hint_at_a_reload);
    tcase_add_test(closed, DEV_08_hidden_devices_are_explained);
    tcase_add_test(closed, DEV_10_a_busy_device_comes_with_its_compute_mode);
    tcase_add_test(closed, DEV_16_missing_machine_code_names_both_and_the_option);
    tcase_add_test(closed, BLD_01_attributes_that_fail_or_read_0_stay_unknown);
    tcase_add_test(closed, TIM_06_synchronous_launches_are_known_and_have_no_gate);
    tcase_add_test(closed, every_call_of_a_session_can_fail_with_every_error);
    suite_add_tcase(suite, closed);
    TCase *open = tcase_create("open");
    tcase_add_checked_fixture(open, setup, teardown);
    tcase_set_timeout(open, 60);
    tcase_add_test(open, DEV_09_telemetry_is_that_of_the_gpu_in_the_same_slot);
    tcase_add_test(open, DEV_04_nvml_that_does_not_match_is_one_reason_and_no_failure);
    tcase_add_test(open, firmware_and_clock_policy_are_told_or_unknown);
    tcase_add_test(open, DEV_05_each_reading_is_missing_on_its_own);
    tcase_add_test(open, DEV_20_other_processes_are_counted_without_this_one);
    tcase_add_test(open, DEV_12_a_lost_context_is_reported_by_the_next_wait_and_for_good);
    tcase_add_test(open, DEV_13_an_ecc_error_is_a_hardware_fault);
    suite_add_tcase(suite, open);
}

GB_CHECK_MAIN("device_cuda", add_cases)
