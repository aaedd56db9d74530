/* overlap and residency on the cpu device: where chunks begin and end, what is counted, and copies
 * and launches that go missing or go astray, each of which must be noticed. */
#include "kernels/affine.h"
#include "kernels/overlap.h"
#include "unit/kernel_spy.h"

static bool no_wait;          /* streams wait for no events */
static uint64_t device_bytes; /* allocated on the device */

static gb_code spy_stream_wait(gb_device *device, gb_stream *stream, gb_event *event, gb_error *err)
{
    return no_wait ? GB_OK : real->stream_wait(device, stream, event, err);
}

/* Mapped and managed memory as a processor could have it: one address for both. */
static gb_code spy_alloc(gb_device *device, gb_memory_kind kind, size_t bytes, gb_memory *out,
                         gb_error *err)
{
    const bool both = kind == GB_MEM_MAPPED || kind == GB_MEM_MANAGED;
    gb_code code = real->alloc(device, both ? GB_MEM_DEVICE : kind, bytes, out, err);
    if (code == GB_OK && both)
        out->host = out->device;
    if (code == GB_OK && kind == GB_MEM_DEVICE)
        device_bytes += bytes;
    return code;
}

static gb_code spy_prefetch(gb_device *device, gb_stream *stream, const gb_memory *memory,
                            bool to_device, gb_error *err)
{
    (void)device, (void)stream, (void)memory, (void)to_device, (void)err;
    return GB_OK;
}

static void open_device(void)
{
    open_kernel_device();
    memset(&spy, 0, sizeof spy);
    no_wait = false;
    device_bytes = 0;
    ops.launch = spy_launch;
    ops.stream_wait = spy_stream_wait;
    ops.alloc = spy_alloc;
    ops.prefetch = spy_prefetch;
}

/* One iteration (`sampled`: as a sample) and its verification. Only its own copies are counted, not
 * those of preparing and verifying. */
static gb_code verdict(const char *kernel, const char *text, bool sampled, gb_error *err)
{
    gb_value args[KERNEL_ARGS_MAX];
    const gb_kernel *k = kernel_args(kernel, text, args);
    gb_run run = {.dev = dev, .args = args, .timer = GB_TIMER_ROUNDTRIP, .seed = 7};
    gb_sample sample;
    ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, err), GB_OK);
    gb_code code = k->prepare(&run, err);
    if (code == GB_OK)
        code = k->reset(&run, err);
    if (code == GB_OK)
        code = dev->ops->sync(dev, err);
    ops.copy = spy_copy;
    if (code == GB_OK)
        code = sampled ? k->sample(&run, 1, &sample, err) : k->enqueue(&run, err);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, run.stream, err);
    ops.copy = real->copy;
    if (code == GB_OK)
        code = k->verify(&run, err);
    ck_assert_int_eq(dev->ops->sync(dev, NULL), GB_OK);
    k->release(&run);
    dev->ops->stream_destroy(dev, run.stream);
    return code;
}

static void right(const char *kernel, const char *text, bool sampled)
{
    gb_error err = {0};
    ck_assert_msg(verdict(kernel, text, sampled, &err) == GB_OK, "%s: %s", text, err.message);
}

static void wrong(const char *kernel, const char *text, const char *mistake)
{
    gb_error err = {0};
    spy.copies = spy.launches = 0;
    ck_assert_msg(verdict(kernel, text, false, &err) == GB_WRONG_RESULT,
                  "%s: %s was not noticed: %s", text, mistake, err.message);
}

START_TEST(KRN_02_chunks_cover_the_array_without_gaps)
{
    static const uint64_t sizes[] = {1, 127, 128, 129, 1000, 100001, 1 << 20};
    for (size_t s = 0; s < GB_COUNT(sizes); s++) {
        for (uint32_t chunks = 1; chunks <= 33 && (chunks == 1 || chunks <= sizes[s] / 128);
             chunks++) {
            uint64_t next = 0, longest = 0;
            for (uint32_t i = 0; i < chunks; i++) {
                uint64_t first, count;
                gb_overlap_chunk(sizes[s], chunks, i, &first, &count);
                ck_assert_uint_eq(first, next);
                ck_assert_uint_eq(first % 128, 0);
                ck_assert_uint_gt(count, 0);
                longest = i == 0 ? count : longest;
                ck_assert_uint_le(count, longest);
                next = first + count;
            }
            ck_assert_uint_eq(next, sizes[s]);
        }
    }
}
END_TEST

START_TEST(many_steps_in_one_are_the_steps_one_by_one)
{
    uint32_t x = 12345;
    for (uint64_t steps = 0; steps < 300; steps++) {
        ck_assert_uint_eq(gb_affine_apply(gb_affine_steps(steps), 12345), x);
        x = 1664525 * x + 1013904223;
    }
    /* 2^32 steps lead back to where they began, half of them do not */
    ck_assert_uint_eq(gb_affine_apply(gb_affine_steps(UINT64_C(1) << 32), 99), 99);
    ck_assert_uint_ne(gb_affine_apply(gb_affine_steps(UINT64_C(1) << 31), 99), 99);
}
END_TEST

static const char *const cuts[] = {
    "memory=pageable,bytes=4,rounds=1",
    "memory=pageable,bytes=400004,rounds=3",
    "memory=pageable,bytes=400004,chunks=2,streams=2,rounds=3",
    "memory=pageable,bytes=400004,chunks=7,streams=3,rounds=3",
    "memory=pageable,bytes=1048576,chunks=32,streams=8,rounds=2",
    "memory=pageable,bytes=400004,chunks=9,streams=1,rounds=3",
    "memory=mapped,bytes=400004,rounds=3",
    "memory=managed,bytes=400004,rounds=3",
    "memory=prefetched,bytes=400004,rounds=3",
};

START_TEST(arrays_are_right_in_any_cut_and_by_any_way)
{
    right("overlap", cuts[_i], false);
    right("overlap", cuts[_i], true);
}
END_TEST

START_TEST(every_copy_and_every_launch_of_a_cut_counts)
{
    static const char *const text = "memory=pageable,bytes=400004,chunks=7,streams=3,rounds=3";
    right("overlap", text, false);
    const unsigned long copies = spy.copies, launches = spy.launches;
    ck_assert_uint_eq(copies, 14);
    ck_assert_uint_eq(launches, 7);
    for (unsigned long i = 1; i <= copies; i++) {
        spy.drop_copy = i;
        wrong("overlap", text, "a copy that did not happen");
        spy.drop_copy = 0;
        spy.short_copy = i;
        wrong("overlap", text, "a copy that is 4 bytes short");
        spy.short_copy = 0;
        spy.shift_copy = i;
        wrong("overlap", text, "a copy from 4 bytes further on");
        spy.shift_copy = 0;
    }
    for (unsigned long i = 1; i <= launches; i++) {
        spy.drop_launch = i;
        wrong("overlap", text, "a launch that did not happen");
        spy.drop_launch = 0;
    }
}
END_TEST

START_TEST(every_copy_and_every_step_of_a_chain_counts)
{
    static const char *const chains[] = {"memory=pageable,bytes=40004,steps=5",
                                         "memory=pageable,bytes=40004,steps=5,keep=round-trip"};
    right("residency", chains[_i], false);
    const unsigned long copies = spy.copies, launches = spy.launches;
    ck_assert_uint_eq(copies, _i == 0 ? 2 : 10);
    ck_assert_uint_eq(launches, 5);
    for (unsigned long i = 1; i <= copies; i++) {
        spy.drop_copy = i;
        wrong("residency", chains[_i], "a copy that did not happen");
        spy.drop_copy = 0;
        spy.short_copy = i;
        wrong("residency", chains[_i], "a copy that is 4 bytes short");
        spy.short_copy = 0;
    }
    for (unsigned long i = 1; i <= launches; i++) {
        spy.drop_launch = i;
        wrong("residency", chains[_i], "a step that did not happen");
        spy.drop_launch = 0;
    }
}
END_TEST

#ifndef __SANITIZE_THREAD__ /* which ends the test at the race itself */
/* The run's stream is waited for; without the join the others may still be copying. */
START_TEST(streams_that_nobody_waits_for_are_noticed)
{
    gb_error err = {0};
    bool noticed = false;
    no_wait = true;
    for (int i = 0; i < 20 && !noticed; i++)
        noticed =
            verdict("overlap", "memory=pageable,bytes=1048576,chunks=32,streams=8,rounds=3000",
                    false, &err) == GB_WRONG_RESULT;
    ck_assert(noticed);
}
END_TEST
#endif

/* 1 MiB through two buffers of a sixteenth each, with at most half of it on the device. */
START_TEST(buffers_keep_within_the_budget_and_the_result_is_whole)
{
    right("overlap",
          "memory=pageable,bytes=1048576,chunks=16,streams=2,rounds=2,device_budget=524288", false);
    ck_assert_uint_eq(device_bytes, 131072);
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    gb_error err = {0};
    const gb_kernel *k = kernel_args(
        "overlap", "memory=pageable,bytes=1048576,chunks=4,streams=2,device_budget=524287", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_INVALID);
    ck_assert_ptr_nonnull(strstr(err.message, "device_budget is 524287 bytes, but the buffers on "
                                              "the device take 524288"));
    k = kernel_args("overlap",
                    "memory=pageable,bytes=1048576,chunks=4,streams=2,device_budget=524288", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_OK);
    ck_assert_uint_eq(need.device_bytes, 524288);
    ck_assert_uint_eq(need.host_bytes, 2097152);
}
END_TEST

START_TEST(combinations_without_sense_are_refused)
{
    static const struct {
        const char *text, *part;
    } cases[] = {{"bytes=5", "no multiple of 4"},
                 {"bytes=4096,streams=2", "streams (2) is more than the 1 chunks"},
                 {"bytes=1024,chunks=3", "would be shorter than 512 B"},
                 {"memory=mapped,chunks=2", "nothing to overlap"}};
    for (size_t i = 0; i < GB_COUNT(cases); i++) {
        gb_value args[KERNEL_ARGS_MAX];
        gb_need need;
        gb_error err = {0};
        const gb_kernel *k = kernel_args("overlap", cases[i].text, args);
        ck_assert_int_eq(k->spec.check(args, GB_CUDA, &need, &err), GB_INVALID);
        ck_assert_msg(strstr(err.message, cases[i].part) != NULL, "%s", err.message);
    }
    gb_value args[KERNEL_ARGS_MAX];
    gb_need need;
    gb_error err = {0};
    const gb_kernel *k = kernel_args("overlap", "memory=managed", args);
    ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_UNAVAILABLE);
    ck_assert_ptr_nonnull(strstr(err.message, "no managed memory"));
}
END_TEST

/* The parts of one chunk come to no more than the whole; in several chunks there are none. */
START_TEST(one_chunk_tells_its_parts)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_error err = {0};
    for (int chunks = 1; chunks <= 2; chunks++) {
        char text[96];
        snprintf(text, sizeof text, "memory=pageable,bytes=4194304,chunks=%d,rounds=50", chunks);
        const gb_kernel *k = kernel_args("overlap", text, args);
        gb_run run = {.dev = dev, .args = args, .timer = GB_TIMER_ROUNDTRIP, .seed = 7};
        gb_sample sample;
        ck_assert_int_eq(dev->ops->stream_create(dev, &run.stream, &err), GB_OK);
        ck_assert_int_eq(k->prepare(&run, &err), GB_OK);
        ck_assert_int_eq(k->sample(&run, 3, &sample, &err), GB_OK);
        double sum = 0;
        for (int i = 0; i < OVERLAP_PARTS; i++) {
            ck_assert(chunks == 1 ? sample.parts[i] > 0 : isnan(sample.parts[i]));
            ck_assert(gb_spec_has_metric(&k->spec, args, GB_CPU, GB_TIMER_ROUNDTRIP, 1 + i) ==
                      (chunks == 1));
            sum += chunks == 1 ? sample.parts[i] : 0;
        }
        ck_assert_double_le(sum, sample.ns);
        k->release(&run);
        dev->ops->stream_destroy(dev, run.stream);
    }
}
END_TEST

START_TEST(what_is_counted)
{
    gb_value args[KERNEL_ARGS_MAX];
    gb_work w;
    const gb_kernel *k = kernel_args("overlap", "bytes=4000000,rounds=10", args);
    k->spec.work(args, GB_CUDA, &w);
    ck_assert_uint_eq(w.bytes_moved, 8000000);
    ck_assert_uint_eq(w.flops, 20000000);
    ck_assert_uint_eq(w.items, 1000000);
    k = kernel_args("residency", "bytes=4000000,steps=8", args);
    k->spec.work(args, GB_CUDA, &w);
    ck_assert_uint_eq(w.bytes_moved, 8000000);
    ck_assert_uint_eq(w.bytes_read + w.bytes_written, 64000000);
    ck_assert_uint_eq(w.flops, 16000000);
    k = kernel_args("residency", "bytes=4000000,steps=8,keep=round-trip", args);
    k->spec.work(args, GB_CUDA, &w);
    ck_assert_uint_eq(w.bytes_moved, 64000000);
    ck_assert_uint_eq(w.items, 8);
}
END_TEST

/* 1 MiB in and 1 MiB out in 8 chunks, with two of them on the device at a time, where there are
 * buffers; the working set on a GPU is what lies there, on a CPU all of it. */
START_TEST(what_lies_where)
{
    static const struct {
        const char *memory;
        uint64_t device, host, pinned, working_set;
    } cases[] = {{"pageable", 262144, 2097152, 0, 262144},
                 {"pinned", 262144, 0, 2097152, 262144},
                 {"mapped", 0, 0, 2097152, 2097152},
                 {"managed", 2097152, 2097152, 0, 2097152},
                 {"prefetched", 2097152, 2097152, 0, 2097152}};
    for (size_t i = 0; i < GB_COUNT(cases); i++) {
        gb_value args[KERNEL_ARGS_MAX];
        gb_need need;
        gb_work w;
        gb_error err = {0};
        const bool staged = i < 2;
        char text[128];
        snprintf(text, sizeof text, "memory=%s,bytes=1048576%s", cases[i].memory,
                 staged ? ",chunks=8,streams=2" : "");
        const gb_kernel *k = kernel_args("overlap", text, args);
        ck_assert_msg(k->spec.check(args, GB_CUDA, &need, &err) == GB_OK, "%s", err.message);
        ck_assert_uint_eq(need.device_bytes, cases[i].device);
        ck_assert_uint_eq(need.host_bytes, cases[i].host);
        ck_assert_uint_eq(need.pinned_bytes, cases[i].pinned);
        k->spec.work(args, GB_CUDA, &w);
        ck_assert_uint_eq(w.working_set, cases[i].working_set);
        k->spec.work(args, GB_CPU, &w);
        ck_assert_uint_eq(w.working_set, 2097152 + cases[i].working_set);
        if (!staged) {
            ck_assert_int_eq(k->spec.check(args, GB_CPU, &need, &err), GB_UNAVAILABLE);
            ck_assert_ptr_nonnull(strstr(err.message, i == 2 ? "mapped" : "managed"));
        }
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("overlap");
    tcase_add_checked_fixture(tests, open_device, close_kernel_device);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, KRN_02_chunks_cover_the_array_without_gaps);
    tcase_add_test(tests, many_steps_in_one_are_the_steps_one_by_one);
    tcase_add_loop_test(tests, arrays_are_right_in_any_cut_and_by_any_way, 0, GB_COUNT(cuts));
    tcase_add_test(tests, every_copy_and_every_launch_of_a_cut_counts);
    tcase_add_loop_test(tests, every_copy_and_every_step_of_a_chain_counts, 0, 2);
#ifndef __SANITIZE_THREAD__
    tcase_add_test(tests, streams_that_nobody_waits_for_are_noticed);
#endif
    tcase_add_test(tests, buffers_keep_within_the_budget_and_the_result_is_whole);
    tcase_add_test(tests, combinations_without_sense_are_refused);
    tcase_add_test(tests, one_chunk_tells_its_parts);
    tcase_add_test(tests, what_is_counted);
    tcase_add_test(tests, what_lies_where);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("overlap", add_cases)
