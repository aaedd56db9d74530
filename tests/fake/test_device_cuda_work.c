/* The cuda device on the fake runtime: memory, copies, launches, events, gate, graphs, cuBLAS. */
#include "device_cuda_fixture.h"

#include "kernels/half.h"

GB_FN_DECLARE(noop)

/* --- memory and copies ------------------------------------------------------------------------ */

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

/* --- launches --------------------------------------------------------------------------------- */

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

/* --- events ----------------------------------------------------------------------------------- */

START_TEST(events_take_the_time_of_the_work_between_them)
{
    arrays a;
    gb_event *start, *stop;
    double ns = -1;
    make_arrays(&a, 1 << 20);
    ck_assert_int_eq(dev->ops->event_create(dev, &start, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &stop, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, start, a.stream, &err), GB_OK);
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, stop, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_OK);
    ck_assert_double_gt(ns, 1000);
    ck_assert_double_lt(ns, 1e9);
    set("FAKE_CUDA_ELAPSED_MS", "0.5");
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_OK);
    ck_assert_double_eq(ns, 500000);
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    free_arrays(&a);
}
END_TEST

START_TEST(TIM_08_a_failing_event_call_gives_no_time)
{
    gb_stream *stream;
    gb_event *start, *stop;
    double ns = 42;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &start, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &stop, &err), GB_OK);
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_DEVICE_ERROR);
    says("cudaEventElapsedTime: 400 (cudaErrorInvalidResourceHandle");
    ck_assert_int_eq(dev->ops->event_record(dev, start, stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, stop, stream, &err), GB_OK);
    set("FAKE_CUDA_FAIL", "cudaEventElapsedTime=600");
    ck_assert_int_eq(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_NOT_READY);
    ck_assert_int_eq(err.device_status, 600);
    ck_assert_double_eq(ns, 42);
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->stream_destroy(dev, stream);
}
END_TEST

START_TEST(a_stream_waits_for_an_event_of_another)
{
    arrays a;
    gb_stream *other;
    gb_event *event;
    make_arrays(&a, 1000);
    ck_assert_int_eq(dev->ops->stream_create(dev, &other, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &event, &err), GB_OK);
    ck_assert_int_eq(scale(&a, 7), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, other, event, &err), GB_OK);
    float *host = a.host.host;
    ck_assert_int_eq(dev->ops->copy(dev, other, host, a.y.device, 4000, GB_COPY_D2H, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, other, &err), GB_OK);
    ck_assert_float_eq(host[999], 7 * 999.0f);
    dev->ops->event_destroy(dev, event);
    dev->ops->stream_destroy(dev, other);
    free_arrays(&a);
}
END_TEST

/* --- the gate and the flush ------------------------------------------------------------------- */

START_TEST(the_gate_holds_until_it_is_released)
{
    arrays a;
    bool expired = true;
    make_arrays(&a, 1000);
    for (int round = 0; round < 3; round++) {
        ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 5000000000u, &err), GB_OK);
        ck_assert_int_eq(scale(&a, (float)round), GB_OK);
        dev->ops->gate_release(dev);
        check_scaled(&a, (float)round);
        ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
        ck_assert(!expired);
    }
    free_arrays(&a);
}
END_TEST

START_TEST(a_gate_that_is_not_released_expires_and_says_so)
{
    arrays a;
    bool expired = false;
    make_arrays(&a, 1000);
    ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 20000000, &err), GB_OK);
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
    ck_assert(expired);
    /* the release that comes too late does not open the next one */
    dev->ops->gate_release(dev);
    ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 20000000, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
    ck_assert(expired);
    free_arrays(&a);
}
END_TEST

START_TEST(a_full_queue_behind_a_gate_ends_at_the_limit)
{
    arrays a;
    bool expired = false;
    make_arrays(&a, 16);
    ck_assert_int_eq(dev->ops->gate_hold(dev, a.stream, 20000000, &err), GB_OK);
    for (int i = 0; i < 1500; i++)
        ck_assert_int_eq(scale(&a, 2), GB_OK);
    dev->ops->gate_release(dev);
    check_scaled(&a, 2);
    ck_assert_int_eq(dev->ops->gate_finish(dev, &expired, &err), GB_OK);
    ck_assert(expired);
    free_arrays(&a);
}
END_TEST

START_TEST(closing_with_a_held_gate_does_not_wait)
{
    gb_stream *stream;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_hold(dev, stream, 100000000000u, &err), GB_OK);
    dev->ops->gate_release(dev);
    dev->ops->stream_destroy(dev, stream);
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->gate_hold(dev, NULL, 100000000000u, &err), GB_OK);
    dev->ops->close(dev);
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
    dev->ops->stream_destroy(dev, stream);
}
END_TEST

START_TEST(the_flush_needs_its_memory_and_says_when_it_has_none)
{
    gb_stream *stream;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->flush_cache(dev, stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, stream, &err), GB_OK);
    dev->ops->stream_destroy(dev, stream);
    dev->ops->close(dev);
    set("FAKE_CUDA_MEMORY", "100000");
    ck_assert_int_eq(gb_device_cuda_open(0, &dev, &err), GB_OK);
    ck_assert_int_eq(dev->ops->flush_cache(dev, NULL, &err), GB_NO_MEMORY);
}
END_TEST

/* --- graphs ----------------------------------------------------------------------------------- */

static gb_graph *capture_scale(arrays *a, float by, int times)
{
    gb_graph *graph = NULL;
    ck_assert_int_eq(dev->ops->capture_begin(dev, a->stream, &err), GB_OK);
    for (int i = 0; i < times; i++)
        ck_assert_int_eq(scale(a, by), GB_OK);
    ck_assert_msg(dev->ops->capture_end(dev, a->stream, &graph, &err) == GB_OK, "%s", err.message);
    return graph;
}

START_TEST(KRN_12_a_graph_replays_all_its_nodes)
{
    arrays a;
    size_t nodes = 0;
    make_arrays(&a, 1000);
    gb_graph *graph = capture_scale(&a, 4, 3);
    ck_assert_int_eq(dev->ops->graph_nodes(dev, graph, &nodes, &err), GB_OK);
    ck_assert_uint_eq(nodes, 3);
    ck_assert_int_eq(dev->ops->graph_launch(dev, graph, a.stream, &err), GB_INVALID);
    ck_assert_int_eq(dev->ops->graph_instantiate(dev, graph, &err), GB_OK);
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(dev->ops->fill(dev, a.stream, a.y.device, 0xFF, 4000, &err), GB_OK);
        ck_assert_int_eq(dev->ops->graph_launch(dev, graph, a.stream, &err), GB_OK);
        check_scaled(&a, 4);
    }
    gb_graph *from = capture_scale(&a, 9, 3);
    ck_assert_int_eq(dev->ops->graph_update(dev, graph, from, &err), GB_OK);
    ck_assert_int_eq(dev->ops->graph_launch(dev, graph, a.stream, &err), GB_OK);
    check_scaled(&a, 9);
    ck_assert_int_eq(dev->ops->graph_instantiate(dev, graph, &err), GB_OK); /* again */
    gb_graph *longer = capture_scale(&a, 9, 4);
    ck_assert_int_eq(dev->ops->graph_update(dev, graph, longer, &err), GB_DEVICE_ERROR);
    says("910 (cudaErrorGraphExecUpdateFailure");
    dev->ops->graph_destroy(dev, graph);
    dev->ops->graph_destroy(dev, from);
    dev->ops->graph_destroy(dev, longer);
    free_arrays(&a);
}
END_TEST

START_TEST(KRN_10_captures_that_cannot_be_are_errors_with_their_number)
{
    arrays a;
    gb_stream *other;
    gb_event *event;
    gb_graph *graph = NULL;
    make_arrays(&a, 100);
    ck_assert_int_eq(dev->ops->stream_create(dev, &other, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_create(dev, &event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->capture_begin(dev, NULL, &err), GB_DEVICE_ERROR);
    says("cudaStreamBeginCapture: 900 (cudaErrorStreamCaptureUnsupported");
    ck_assert(!err.sticky);
    /* fork without join */
    ck_assert_int_eq(dev->ops->capture_begin(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, other, event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->fill(dev, other, a.y.device, 0, 400, &err), GB_OK);
    ck_assert_int_eq(dev->ops->capture_end(dev, a.stream, &graph, &err), GB_DEVICE_ERROR);
    says("904");
    ck_assert_ptr_null(graph);
    /* with join */
    ck_assert_int_eq(dev->ops->capture_begin(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, other, event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->fill(dev, other, a.y.device, 0, 400, &err), GB_OK);
    ck_assert_int_eq(dev->ops->event_record(dev, event, other, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_wait(dev, a.stream, event, &err), GB_OK);
    ck_assert_int_eq(dev->ops->capture_end(dev, a.stream, &graph, &err), GB_OK);
    dev->ops->graph_destroy(dev, graph);
    /* synchronising inside */
    ck_assert_int_eq(dev->ops->capture_begin(dev, a.stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->stream_sync(dev, a.stream, &err), GB_DEVICE_ERROR);
    ck_assert_int_eq(dev->ops->capture_end(dev, a.stream, &graph, &err), GB_DEVICE_ERROR);
    says("901");
    /* and the stream is of use again */
    ck_assert_int_eq(scale(&a, 2), GB_OK);
    check_scaled(&a, 2);
    dev->ops->event_destroy(dev, event);
    dev->ops->stream_destroy(dev, other);
    free_arrays(&a);
}
END_TEST

/* --- cuBLAS ----------------------------------------------------------------------------------- */

static void matrix_store(gb_gemm_type type, void *matrix, int i, double value)
{
    if (type == GB_GEMM_FP64)
        ((double *)matrix)[i] = value;
    else if (type == GB_GEMM_FP32 || type == GB_GEMM_TF32)
        ((float *)matrix)[i] = (float)value;
    else
        ((uint16_t *)matrix)[i] =
            gb_half_encode(value, type == GB_GEMM_FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

static double matrix_load(gb_gemm_type type, const void *matrix, int i)
{
    if (type == GB_GEMM_FP64)
        return ((const double *)matrix)[i];
    if (type == GB_GEMM_FP32 || type == GB_GEMM_TF32)
        return (double)((const float *)matrix)[i];
    return gb_half_decode(((const uint16_t *)matrix)[i],
                          type == GB_GEMM_FP16 ? GB_FP16_EXPONENT : GB_BF16_EXPONENT);
}

START_TEST(the_matrix_product_is_row_major)
{
    enum { M = 3, N = 4, K = 5 };
    const gb_gemm_type type = (gb_gemm_type)_i;
    gb_memory a, b, c;
    gb_stream *stream;
    ck_assert_int_eq(dev->ops->stream_create(dev, &stream, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, M * K * 8, &a, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, K * N * 8, &b, &err), GB_OK);
    ck_assert_int_eq(dev->ops->alloc(dev, GB_MEM_MANAGED, M * N * 8, &c, &err), GB_OK);
    for (int i = 0; i < M * K; i++)
        matrix_store(type, a.host, i, i);
    for (int i = 0; i < K * N; i++)
        matrix_store(type, b.host, i, i % 3);
    ck_assert_msg(dev->ops->gemm(dev, stream, type, M, N, K, a.device, b.device, c.device, &err) ==
                      GB_OK,
                  "type %d: %s", type, err.message);
    ck_assert_int_eq(dev->ops->stream_sync(dev, stream, &err), GB_OK);
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            double want = 0; /* at most 120: BF16 has 8 bits */
            for (int l = 0; l < K; l++)
                want += (double)(i * K + l) * ((l * N + j) % 3);
            ck_assert_double_eq(matrix_load(type, c.host, i * N + j), want);
        }
    }
    dev->ops->free(dev, &a);
    dev->ops->free(dev, &b);
    dev->ops->free(dev, &c);
    dev->ops->stream_destroy(dev, stream);
}
END_TEST

START_TEST(a_cublas_that_does_not_start_is_tried_again_and_named)
{
    float x = 0;
    setenv("FAKE_CUBLAS_CREATE", "3", 1);
    ck_assert_int_eq(dev->ops->gemm(dev, NULL, GB_GEMM_FP32, 1, 1, 1, &x, &x, &x, &err),
                     GB_NO_MEMORY);
    says("cublasCreate: cuBLAS status 3");
    unsetenv("FAKE_CUBLAS_CREATE");
    setenv("FAKE_CUBLAS_GEMM", "15", 1); /* as BF16 where the GPU has none */
    ck_assert_int_eq(dev->ops->gemm(dev, NULL, GB_GEMM_BF16, 1, 1, 1, &x, &x, &x, &err),
                     GB_UNAVAILABLE);
    says("cublasGemmEx: cuBLAS status 15");
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
    tcase_add_test(open, kernels_run_in_the_order_of_their_stream);
    tcase_add_test(open, KRN_01_a_failing_launch_carries_kernel_grid_and_block);
    tcase_add_test(open, KRN_04_shared_memory_counts_static_and_dynamic_together);
    tcase_add_test(open, KRN_04_without_an_opt_in_the_limit_is_48_KiB);
    tcase_add_test(open, KRN_16_a_kernel_of_which_no_block_fits_is_an_error_with_its_needs);
    tcase_add_test(open, TIM_12_a_launch_without_machine_code_is_an_error_at_once);
    tcase_add_test(open, events_take_the_time_of_the_work_between_them);
    tcase_add_test(open, TIM_08_a_failing_event_call_gives_no_time);
    tcase_add_test(open, a_stream_waits_for_an_event_of_another);
    tcase_add_test(open, the_gate_holds_until_it_is_released);
    tcase_add_test(open, a_gate_that_is_not_released_expires_and_says_so);
    tcase_add_test(open, a_full_queue_behind_a_gate_ends_at_the_limit);
    tcase_add_test(open, closing_with_a_held_gate_does_not_wait);
    tcase_add_test(open, the_flush_needs_its_memory_and_says_when_it_has_none);
    tcase_add_test(open, KRN_12_a_graph_replays_all_its_nodes);
    tcase_add_test(open, KRN_10_captures_that_cannot_be_are_errors_with_their_number);
    tcase_add_loop_test(open, the_matrix_product_is_row_major, 0, GB_GEMM_BF16 + 1);
    tcase_add_test(open, a_cublas_that_does_not_start_is_tried_again_and_named);
    suite_add_tcase(suite, open);
}

GB_CHECK_MAIN("device_cuda_work", add_cases)
