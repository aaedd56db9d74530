/* The cuda device on the fake runtime: launches and what they are refused for. */
#include "device_cuda_fixture.h"

GB_FN_DECLARE(noop)

START_TEST(kernels_run_in_the_order_of_their_stream)
{
    arrays a;
    make_arrays(&a, 1003); /* no multiple of the block */
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    ck_assert_int_eq(fake_cuda_queued(), 1); /* asynchronous */
    ck_assert_int_eq(scale(&a, 5), GB_OK);
    check_scaled(&a, 5);
    ck_assert_int_eq(dev->ops->fill(dev, a.stream, a.y.device, 0, 4012, &err), GB_OK);
    check_scaled(&a, 0);
    free_arrays(&a);
}
END_TEST

START_TEST(KRN_01_a_failing_launch_carries_kernel_grid_and_block)
{
    gb_launch launch = {{1, 65536, 1}, {32, 2, 1}, 0};
    uint32_t *mark = NULL, value = 0;
    void *args[] = {&mark, &value};
    ck_assert_int_eq(dev->ops->launch(dev, NULL, GB_FN(noop), &launch, args, &err),
                     GB_DEVICE_ERROR);
    says("cudaLaunchKernel: 9 (cudaErrorInvalidConfiguration");
    says("kernel noop, grid 1x65536x1, block 32x2x1");
    launch.grid[1] = 0;
    ck_assert_int_eq(dev->ops->launch(dev, NULL, GB_FN(noop), &launch, args, &err), GB_INVALID);
    const gb_fn cpu_only = {"cpu_only", NULL, NULL};
    ck_assert_int_eq(dev->ops->launch(dev, NULL, &cpu_only, &launch, args, &err), GB_UNAVAILABLE);
}
END_TEST

START_TEST(KRN_04_shared_memory_counts_static_and_dynamic_together)
{
    static const struct {
        const char *fixed;
        uint32_t dynamic;
        gb_code code;
    } rows[] = {{"0", 49148, GB_OK},
                {"0", 49152, GB_OK},
                {"0", 49156, GB_OK},
                {"0", 101376, GB_OK},
                {"0", 101380, GB_UNAVAILABLE},
                {"1024", 100352, GB_OK},
                {"1024", 100356, GB_UNAVAILABLE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gb_launch launch = {{1, 1, 1}, {1, 1, 1}, rows[i].dynamic};
        uint32_t *mark = NULL, value = 0;
        void *args[] = {&mark, &value};
        set("FAKE_CUDA_STATIC_SHARED", rows[i].fixed);
        dev->ops->close(dev); /* what was allowed before is remembered by the device */
        ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
        gb_code code = dev->ops->launch(dev, NULL, GB_FN(noop), &launch, args, &err);
        ck_assert_msg(code == rows[i].code, "row %zu: %d %s", i, code, err.message);
        ck_assert_int_eq(dev->ops->sync(dev, &err), GB_OK);
    }
    says("1024 static + 100356 dynamic bytes");
    says("101376");
}
END_TEST

START_TEST(KRN_04_without_an_opt_in_the_limit_is_48_KiB)
{
    static const struct {
        uint32_t dynamic;
        gb_code code;
    } rows[] = {{49148, GB_OK}, {49152, GB_OK}, {49156, GB_UNAVAILABLE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gb_launch launch = {{1, 1, 1}, {1, 1, 1}, rows[i].dynamic};
        uint32_t *mark = NULL, value = 0;
        void *args[] = {&mark, &value};
        set("FAKE_CUDA_ATTRIBUTES", "97=0"); /* cudaDevAttrMaxSharedMemoryPerBlockOptin */
        dev->ops->close(dev);
        ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
        gb_code code = dev->ops->launch(dev, NULL, GB_FN(noop), &launch, args, &err);
        ck_assert_msg(code == rows[i].code, "row %zu: %d %s", i, code, err.message);
    }
    says("0 static + 49156 dynamic bytes");
    says("is 49152");
}
END_TEST

START_TEST(KRN_16_a_kernel_of_which_no_block_fits_is_an_error_with_its_needs)
{
    const gb_launch launch = {{1, 1, 1}, {256, 1, 1}, 512};
    uint32_t blocks = 0;
    ck_assert_int_eq(dev->ops->blocks_per_unit(dev, GB_FN(noop), &launch, &blocks, &err), GB_OK);
    ck_assert_uint_eq(blocks, 8);
    set("FAKE_CUDA_STATIC_SHARED", "1024");
    set("FAKE_CUDA_RESIDENT_BLOCKS", "0");
    blocks = 77;
    ck_assert_int_eq(dev->ops->blocks_per_unit(dev, GB_FN(noop), &launch, &blocks, &err),
                     GB_DEVICE_ERROR);
    ck_assert_uint_eq(blocks, 77);
    says("kernel does not fit");
    says("kernel noop, grid 1x1x1, block 256x1x1");
    says("32 registers a thread, 1024 static + 512 dynamic bytes of shared memory");
    set("FAKE_CUDA_FAIL", "cudaOccupancyMaxActiveBlocksPerMultiprocessor=1");
    ck_assert_int_eq(dev->ops->blocks_per_unit(dev, GB_FN(noop), &launch, &blocks, &err),
                     GB_DEVICE_ERROR);
    says("cudaOccupancyMaxActiveBlocksPerMultiprocessor: 1 (");
    says("kernel noop");
}
END_TEST

START_TEST(TIM_12_a_launch_without_machine_code_is_an_error_at_once)
{
    arrays a;
    make_arrays(&a, 100);
    setenv("FAKE_CUDA_ELAPSED_MS", "0.008192", 1);
    set("FAKE_CUDA_FAIL", "cudaLaunchKernel=209");
    ck_assert_int_eq(scale(&a, 2), GB_NO_KERNEL_IMAGE);
    ck_assert_int_eq(err.device_status, 209);
    says("209 (cudaErrorNoKernelImageForDevice");
    says("rebuild with -DGPUBENCH_CUDA_ARCHITECTURES=90");
    says("kernel stream_scale_fp32");
    free_arrays(&a);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *open = tcase_create("open");
    tcase_add_checked_fixture(open, setup, teardown);
    tcase_set_timeout(open, 60);
    tcase_add_test(open, kernels_run_in_the_order_of_their_stream);
    tcase_add_test(open, KRN_01_a_failing_launch_carries_kernel_grid_and_block);
    tcase_add_test(open, KRN_04_shared_memory_counts_static_and_dynamic_together);
    tcase_add_test(open, KRN_04_without_an_opt_in_the_limit_is_48_KiB);
    tcase_add_test(open, KRN_16_a_kernel_of_which_no_block_fits_is_an_error_with_its_needs);
    tcase_add_test(open, TIM_12_a_launch_without_machine_code_is_an_error_at_once);
    suite_add_tcase(suite, open);
}

GB_CHECK_MAIN("device_cuda_launches", add_cases)
