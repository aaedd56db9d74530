/* The cuda device on the fake runtime: memory, its pools, copies. */
#include "device_cuda_fixture.h"

START_TEST(every_kind_of_memory_can_be_had_and_given_back)
{
    for (int kind = 0; kind < GB_MEMORY_KINDS; kind++) {
        gb_memory m;
        ck_assert_int_eq(dev->ops->alloc(dev, (gb_memory_kind)kind, 12345, &m, &err), GB_OK);
        ck_assert_uint_eq(m.bytes, 12345);
        bool host = kind != GB_MEM_DEVICE;
        bool device = kind == GB_MEM_DEVICE || kind == GB_MEM_MAPPED || kind == GB_MEM_MANAGED;
        ck_assert_int_eq(m.host != NULL, host);
        ck_assert_int_eq(m.device != NULL, device);
        if (host)
            memset(m.host, 1, m.bytes);
        dev->ops->free(dev, &m);
        ck_assert_ptr_null(m.host);
        dev->ops->free(dev, &m); /* fine with a zeroed one */
    }
    gb_memory m;
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_DEVICE, 0, &m, &err), GB_INVALID);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_PAGEABLE, (size_t)1 << 46, &m, &err),
                     GB_NO_MEMORY); /* never tried, let alone touched */
    says("pageable host allocation of 70368744177664 bytes refused");
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)1 << 46, &m, &err), GB_NO_MEMORY);
    says("device allocation of 70368744177664 bytes refused");
}
END_TEST

/* Two blocks at once are two; what was given back is had again before the device is asked for more,
 * and is the device's again once the pool was trimmed. */
START_TEST(memory_in_the_order_of_a_stream)
{
    const gb_device_ops *ops = dev->ops;
    gb_stream *stream;
    gb_memory a, b;
    uint64_t before, held, kept, after, total;
    ck_assert_int_eq(ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(ops->memory_info(dev, &before, &total, &err), GB_OK);
    ck_assert_int_eq(ops->alloc_async(dev, stream, 1 << 20, &a, &err), GB_OK);
    ck_assert_int_eq(ops->alloc_async(dev, stream, 1 << 20, &b, &err), GB_OK);
    ck_assert_ptr_ne(a.device, b.device);
    ck_assert(a.kind == GB_MEM_DEVICE && a.bytes == 1 << 20 && a.host == NULL);
    ck_assert_int_eq(ops->memory_info(dev, &held, &total, &err), GB_OK);
    ck_assert_uint_eq(before - held, 2 << 20);
    void *was = a.device;
    ck_assert_int_eq(ops->free_async(dev, stream, &a, &err), GB_OK);
    ck_assert_uint_eq(a.bytes, 0);
    ck_assert_int_eq(ops->free_async(dev, stream, &a, &err), GB_OK); /* fine with a zeroed one */
    ck_assert_int_eq(ops->memory_info(dev, &kept, &total, &err), GB_OK);
    ck_assert_uint_eq(kept, held);
    ck_assert_int_eq(ops->alloc_async(dev, stream, 1 << 19, &a, &err), GB_OK);
    ck_assert_ptr_eq(a.device, was);
    ck_assert_int_eq(ops->free_async(dev, stream, &a, &err), GB_OK);
    ck_assert_int_eq(ops->free_async(dev, stream, &b, &err), GB_OK);
    ck_assert_int_eq(ops->stream_sync(dev, stream, &err), GB_OK);
    ck_assert_int_eq(ops->pool_trim(dev, &err), GB_OK);
    ck_assert_int_eq(ops->memory_info(dev, &after, &total, &err), GB_OK);
    ck_assert_uint_eq(after, before);
    ops->stream_destroy(dev, stream);
}
END_TEST

START_TEST(a_refused_allocation_of_the_pool_leaves_nothing_behind)
{
    gb_memory m;
    ck_assert_int_eq(dev->ops->alloc_async(dev, NULL, (size_t)1 << 46, &m, &err), GB_NO_MEMORY);
    says("device allocation of 70368744177664 bytes refused: cudaMallocFromPoolAsync: 2 "
         "(cudaErrorMemoryAllocation");
    ck_assert(!err.sticky && m.bytes == 0 && m.device == NULL);
    ck_assert_int_eq(dev->ops->alloc_async(dev, NULL, 0, &m, &err), GB_INVALID);
    ck_assert_int_eq(dev->ops->alloc_async(dev, NULL, 4096, &m, &err), GB_OK);
    ck_assert_int_eq(dev->ops->free_async(dev, NULL, &m, &err), GB_OK);
    ck_assert_int_eq(dev->ops->pool_trim(dev, &err), GB_OK);
}
END_TEST

START_TEST(a_device_without_pools_says_so)
{
    gb_memory m;
    set("FAKE_CUDA_ATTRIBUTES", "115=0"); /* cudaDevAttrMemoryPoolsSupported */
    ck_assert_int_eq(dev->ops->alloc_async(dev, NULL, 4096, &m, &err), GB_UNAVAILABLE);
    says("has no memory in the order of a stream");
    ck_assert_int_eq(dev->ops->pool_trim(dev, &err), GB_UNAVAILABLE);
}
END_TEST

START_TEST(failing_calls_of_the_pool_are_named)
{
    static const char *const calls[] = {"cudaDeviceGetDefaultMemPool", "cudaMemPoolSetAttribute",
                                        "cudaMallocFromPoolAsync", "cudaFreeAsync",
                                        "cudaMemPoolTrimTo"};
    char setting[64];
    gb_memory m = {0};
    snprintf(setting, sizeof setting, "%s=1", calls[_i]);
    set("FAKE_CUDA_FAIL", setting);
    gb_code code = dev->ops->alloc_async(dev, NULL, 4096, &m, &err);
    if (code == GB_OK)
        code = dev->ops->free_async(dev, NULL, &m, &err);
    if (code == GB_OK)
        code = dev->ops->pool_trim(dev, &err);
    ck_assert_int_ne(code, GB_OK);
    says(calls[_i]);
    ck_assert_uint_eq(m.bytes, 0);
    set("FAKE_CUDA_FAIL", NULL);
    ck_assert_int_eq(dev->ops->pool_trim(dev, &err), GB_OK);
}
END_TEST

START_TEST(CPY_10_a_refused_pinned_allocation_leaves_nothing_behind)
{
    gb_memory m;
    set("FAKE_CUDA_PINNED_LIMIT", "100000");
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_PINNED, 1000000, &m, &err), GB_NO_MEMORY);
    says("pinned host allocation of 1000000 bytes refused");
    says("2 (cudaErrorMemoryAllocation");
    ck_assert(!err.sticky);
    arrays a; /* the next case is clean */
    make_arrays(&a, 1000);
    ck_assert_int_eq(scale(&a, 3), GB_OK);
    check_scaled(&a, 3);
    free_arrays(&a);
}
END_TEST

START_TEST(CPY_16_managed_memory_stays_below_what_is_free)
{
    gb_memory m;
    set("FAKE_CUDA_MEMORY", "8000000");
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, 8000000, &m, &err), GB_NO_MEMORY);
    says("managed allocation of 8000000 bytes refused: only ");
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, 1000, &m, &err), GB_OK);
    ck_assert_int_eq(dev->ops->prefetch(dev, NULL, &m, true, &err), GB_OK);
    ck_assert_int_eq(dev->ops->prefetch(dev, NULL, &m, false, &err), GB_OK);
    dev->ops->free(dev, &m);
}
END_TEST

START_TEST(CPY_06_a_failing_copy_says_which_call_and_how_many_bytes)
{
    arrays a;
    make_arrays(&a, 1000);
    set("FAKE_CUDA_FAIL", "cudaMemcpyAsync=1");
    ck_assert_int_eq(
        dev->ops->copy(dev, a.stream, a.x.device, a.host.host, 4000, GB_COPY_H2D, &err),
        GB_DEVICE_ERROR);
    ck_assert_int_eq(err.device_status, 1);
    says("cudaMemcpyAsync: 1 (cudaErrorInvalidValue: invalid argument)");
    says("4000 bytes");
    set("FAKE_CUDA_FAIL", NULL);
    ck_assert_int_eq(scale(&a, 2), GB_OK); /* the last error was cleared */
    free_arrays(&a);
}
END_TEST

START_TEST(CPY_05_a_corrupted_word_arrives_as_such)
{
    arrays a;
    make_arrays(&a, 1000);
    set("FAKE_CUDA_COPY", "corrupt:1");
    ck_assert_int_eq(scale(&a, 1), GB_OK);
    float *host = a.host.host;
    ck_assert_int_eq(dev->ops->copy(dev, a.stream, host, a.y.device, 4000, GB_COPY_D2H, &err),
                     GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_OK);
    int wrong = 0;
    for (size_t i = 0; i < a.n; i++)
        wrong += host[i] != (float)i;
    ck_assert_int_eq(wrong, 1);
    free_arrays(&a);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *open = tcase_create("open");
    tcase_add_checked_fixture(open, setup, teardown);
    tcase_set_timeout(open, 60);
    tcase_add_test(open, every_kind_of_memory_can_be_had_and_given_back);
    tcase_add_test(open, memory_in_the_order_of_a_stream);
    tcase_add_test(open, a_refused_allocation_of_the_pool_leaves_nothing_behind);
    tcase_add_test(open, a_device_without_pools_says_so);
    tcase_add_loop_test(open, failing_calls_of_the_pool_are_named, 0, 5);
    tcase_add_test(open, CPY_10_a_refused_pinned_allocation_leaves_nothing_behind);
    tcase_add_test(open, CPY_16_managed_memory_stays_below_what_is_free);
    tcase_add_test(open, CPY_06_a_failing_copy_says_which_call_and_how_many_bytes);
    tcase_add_test(open, CPY_05_a_corrupted_word_arrives_as_such);
    suite_add_tcase(suite, open);
}

GB_CHECK_MAIN("device_cuda_memory", add_cases)
