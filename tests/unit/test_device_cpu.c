/* The cpu device behind the device contract: every operation, in order and out of luck. */
#include "unit/device_fixture.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/host_limits.h"

GB_FN_DECLARE(axpy_range)
GB_FN_DECLARE(index_flat)
GB_FN_DECLARE(append)
GB_FN_DECLARE(work_hard)
GB_FN_DECLARE(early_exit)
GB_FN_DECLARE(index_fiber)

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { MB = 1000000 };

static gb_memory host_memory(gb_memory_kind kind, size_t bytes)
{
    gb_memory memory;
    OK(dev->ops->alloc(dev, kind, bytes, &memory, &err));
    return memory;
}

static gb_code put_value(gb_stream *s, void **log, unsigned value)
{
    gb_launch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    void *args[] = {log, &value};
    return dev->ops->launch(dev, s, GB_FN(append), &one, args, &err);
}

static gb_code work_for(gb_stream *s, void **out, unsigned rounds)
{
    gb_launch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    void *args[] = {out, &rounds};
    return dev->ops->launch(dev, s, GB_FN(work_hard), &one, args, &err);
}

/* --- facts --- */

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

/* --- memory and copies --- */

START_TEST(memory_is_aligned_touched_and_copied_in_every_direction)
{
    const size_t sizes[] = {1, 255, 4096, 524287, 524289, 5 * MB + 3};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        size_t n = sizes[s];
        gb_memory a = host_memory(GB_MEM_PAGEABLE, n), b = device_memory(n), c = device_memory(n),
                  d = host_memory(GB_MEM_PAGEABLE, n);
        ck_assert(a.device == NULL && b.host == NULL && a.bytes == n);
        ck_assert_uint_eq((uintptr_t)a.host % 256, 0);
        ck_assert_uint_eq((uintptr_t)b.device % 256, 0);
        unsigned char *pa = a.host, *pd = d.host;
        for (size_t i = 0; i < n; i++)
            pa[i] = (unsigned char)(i * 31 + i / 4096);
        OK(dev->ops->copy(dev, stream, b.device, a.host, n, GB_COPY_H2D, &err));
        OK(dev->ops->copy(dev, stream, c.device, b.device, n, GB_COPY_D2D, &err));
        OK(dev->ops->fill(dev, stream, b.device, 0xab, n, &err));
        OK(dev->ops->copy(dev, stream, d.host, c.device, n, GB_COPY_D2H, &err));
        OK(sync_stream());
        ck_assert_int_eq(memcmp(pa, pd, n), 0);
        for (size_t i = 0; i < n; i++)
            ck_assert_uint_eq(((unsigned char *)b.device)[i], 0xab);
        dev->ops->free(dev, &a);
        dev->ops->free(dev, &b);
        dev->ops->free(dev, &c);
        dev->ops->free(dev, &d);
        ck_assert(a.host == NULL && b.device == NULL && a.bytes == 0);
        dev->ops->free(dev, &a); /* fine with a zeroed one */
    }
}
END_TEST

START_TEST(kinds_that_a_processor_lacks_say_why)
{
    gb_memory memory;
    for (gb_memory_kind kind = GB_MEM_WRITE_COMBINED; kind < GB_MEMORY_KINDS; kind++) {
        REFUSED(dev->ops->alloc(dev, kind, 4096, &memory, &err), GB_UNAVAILABLE,
                gb_memory_kind_word(kind));
        ck_assert(memory.host == NULL && memory.device == NULL);
    }
    REFUSED(dev->ops->alloc(dev, GB_MEM_DEVICE, 0, &memory, &err), GB_INVALID, "0 bytes");
    REFUSED(dev->ops->prefetch(dev, stream, &memory, true, &err), GB_UNAVAILABLE, "managed");
    REFUSED(dev->ops->copy(dev, stream, NULL, &memory, 8, GB_COPY_D2D, &err), GB_INVALID, "null");
    REFUSED(dev->ops->fill(dev, stream, NULL, 0, 8, &err), GB_INVALID, "null");
    OK(dev->ops->copy(dev, stream, NULL, NULL, 0, GB_COPY_D2D, &err));
}
END_TEST

START_TEST(KRN_18_more_than_is_available_is_refused_before_it_is_tried)
{
    uint64_t free_bytes, total;
    gb_memory memory;
    char want[64];
    OK(dev->ops->memory_info(dev, &free_bytes, &total, &err));
    ck_assert(free_bytes < total);
    for (gb_memory_kind kind = GB_MEM_DEVICE; kind <= GB_MEM_PINNED; kind++) {
        size_t bytes = (size_t)total;
        snprintf(want, sizeof want, "allocation of %zu bytes refused", bytes);
        REFUSED(dev->ops->alloc(dev, kind, bytes, &memory, &err), GB_NO_MEMORY, want);
        REFUSED(dev->ops->alloc(dev, kind, SIZE_MAX, &memory, &err), GB_NO_MEMORY, "refused");
    }
}
END_TEST

/* Runs `body` in a child, because limits cannot be taken back. */
static void in_child(void (*body)(void))
{
    pid_t pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        body();
        _exit(0);
    }
    int status;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child failed: %d", status);
}

#define CHILD_NEEDS(condition)                                                                     \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s: %s\n", #condition, err.message);                                  \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void pin_too_much(void)
{
    struct rlimit limit = {64 * 1024, 64 * 1024};
    gb_memory memory;
    CHILD_NEEDS(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
    if (geteuid() == 0) /* the superuser may lock everything */
        CHILD_NEEDS(seteuid(65534) == 0);
    CHILD_NEEDS(gb_device_cpu_open(1, &dev, &err) == GB_OK);
    CHILD_NEEDS(dev->info.pinned_limit_bytes == 64 * 1024);
    CHILD_NEEDS(dev->ops->alloc(dev, GB_MEM_PINNED, 4 * MB, &memory, &err) == GB_NO_MEMORY);
    CHILD_NEEDS(strcmp(err.message, "pinned host allocation of 4000000 bytes refused "
                                    "(RLIMIT_MEMLOCK is 65536)") == 0);
    CHILD_NEEDS(memory.host == NULL);
    CHILD_NEEDS(dev->ops->alloc(dev, GB_MEM_PINNED, 16 * 1024, &memory, &err) == GB_OK);
    dev->ops->free(dev, &memory);
    dev->ops->close(dev);
}

START_TEST(pinned_memory_above_RLIMIT_MEMLOCK_is_refused_with_both_numbers)
{
    in_child(pin_too_much);
}
END_TEST

static void allocate_too_much(void)
{
    gb_memory memory;
    CHILD_NEEDS(gb_device_cpu_open(1, &dev, &err) == GB_OK);
    struct rlimit limit = {(rlim_t)400 * MB, (rlim_t)400 * MB};
    CHILD_NEEDS(setrlimit(RLIMIT_AS, &limit) == 0);
    for (gb_memory_kind kind = GB_MEM_DEVICE; kind <= GB_MEM_PINNED; kind++) {
        CHILD_NEEDS(dev->ops->alloc(dev, kind, (size_t)500 * MB, &memory, &err) == GB_NO_MEMORY);
        CHILD_NEEDS(strstr(err.message, "allocation of 500000000 bytes refused") != NULL);
        CHILD_NEEDS(dev->ops->alloc(dev, kind, 64 * 1024, &memory, &err) == GB_OK);
        dev->ops->free(dev, &memory);
    }
    dev->ops->close(dev);
}

START_TEST(KRN_18_an_address_space_limit_is_an_error_and_the_device_goes_on)
{
    if (!SANITIZED) /* a sanitizer's shadow needs terabytes of addresses */
        in_child(allocate_too_much);
}
END_TEST

/* --- launches --- */

START_TEST(KRN_01_limits_of_a_launch_are_errors_with_grid_and_block)
{
    const struct {
        uint32_t grid[3], block[3], shared;
        const char *part;
    } rows[] = {
        {{0, 1, 1}, {1, 1, 1}, 0, "a grid of 0 blocks"},
        {{1, 0, 1}, {1, 1, 1}, 0, "grid (1, 0, 1), block (1, 1, 1)"},
        {{1, 1, 1}, {0, 1, 1}, 0, "a block of 0 threads"},
        {{1, 1, 1}, {1025, 1, 1}, 0, "at most 1024 threads"},
        {{1, 1, 1}, {32, 33, 1}, 0, "block (32, 33, 1)"},
        {{1, 1, 1}, {1, 1, 65}, 0, "block.z is at most 64"},
        {{1, 1, 1}, {65536, 65536, 65536}, 0, "at most 1024 threads"},
        {{1, 65536, 1}, {1, 1, 1}, 0, "at most 65535"},
        {{1, 1, 65536}, {1, 1, 1}, 0, "grid (1, 1, 65536)"},
        {{0x80000000u, 1, 1}, {1, 1, 1}, 0, "grid.x is at most"},
        {{1, 1, 1}, {1, 1, 1}, 49153, "49153 bytes of shared memory"},
    };
    gb_memory m = device_memory(1024 * 4);
    memset(m.device, 0, 1024 * 4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        REFUSED(launch_3d(GB_FN(index_flat), rows[i].grid, rows[i].block, rows[i].shared,
                          (void *[]){&m.device}),
                GB_INVALID, rows[i].part);
    OK(launch_3d(GB_FN(index_flat), (uint32_t[3]){1, 1, 1}, (uint32_t[3]){1024, 1, 1}, 49152,
                 (void *[]){&m.device}));
    OK(sync_stream());
    for (int i = 0; i < 1024; i++)
        ck_assert_uint_eq(((unsigned *)m.device)[i], 1);
    dev->ops->free(dev, &m);
}
END_TEST

START_TEST(KRN_01_one_block_more_than_65535_runs)
{
    gb_memory m = device_memory(65537u * 4);
    memset(m.device, 0, 65537u * 4);
    OK(launch(GB_FN(index_flat), 65537, 1, (void *[]){&m.device}));
    OK(sync_stream());
    for (size_t i = 0; i < 65537; i++)
        ck_assert_uint_eq(((unsigned *)m.device)[i], 1);
    dev->ops->free(dev, &m);
}
END_TEST

/* --- streams and events --- */

START_TEST(a_stream_runs_in_order)
{
    gb_memory log = device_memory(4 * 2001);
    unsigned *p = log.device;
    p[0] = 0;
    for (unsigned i = 1; i <= 2000; i++)
        OK(put_value(stream, &log.device, i));
    OK(sync_stream());
    ck_assert_uint_eq(p[0], 2000);
    for (unsigned i = 1; i <= 2000; i++)
        ck_assert_uint_eq(p[i], i);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(work_begins_without_a_wait_of_the_host)
{
    gb_memory log = device_memory(64);
    atomic_uint *first = log.device;
    atomic_store(first, 0);
    gb_memory value = host_memory(GB_MEM_PAGEABLE, 4);
    *(unsigned *)value.host = 5;
    OK(dev->ops->fill(dev, stream, (char *)log.device + 4, 1, 4, &err));
    OK(dev->ops->copy(dev, stream, log.device, value.host, 4, GB_COPY_H2D, &err));
    bool seen = false;
    for (int ms = 0; ms < 10000 && !seen; ms++) {
        usleep(1000);
        pid_t child = fork(); /* a child sees memory as it is now, without a race to report */
        if (child == 0)
            _exit(*(unsigned *)log.device == 5 ? 0 : 1);
        int status = 1;
        waitpid(child, &status, 0);
        seen = status == 0;
    }
    ck_assert(seen);
    OK(sync_stream());
    dev->ops->free(dev, &log);
    dev->ops->free(dev, &value);
}
END_TEST

START_TEST(a_stream_waits_for_the_event_of_another)
{
    gb_stream *other;
    gb_event *event;
    gb_memory log = device_memory(64), slow = device_memory(4);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->event_create(dev, &event, &err));
    *(unsigned *)slow.device = 1;
    for (int round = 0; round < 20; round++) {
        memset(log.device, 0, 64);
        OK(work_for(stream, &slow.device, 200000));
        OK(put_value(stream, &log.device, 1));
        OK(dev->ops->event_record(dev, event, stream, &err));
        OK(dev->ops->stream_wait(dev, other, event, &err));
        OK(put_value(other, &log.device, 2));
        OK(dev->ops->stream_sync(dev, other, &err));
        const unsigned *p = log.device;
        ck_assert(p[0] == 2 && p[1] == 1 && p[2] == 2);
    }
    dev->ops->event_destroy(dev, event);
    dev->ops->stream_destroy(dev, other);
    dev->ops->free(dev, &log);
    dev->ops->free(dev, &slow);
}
END_TEST

START_TEST(streams_are_independent_and_sync_waits_for_all)
{
    gb_stream *other;
    gb_memory log = device_memory(64), slow = device_memory(4);
    *(unsigned *)slow.device = 1;
    memset(log.device, 0, 64);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->gate_hold(dev, other, 60ull * 1000 * 1000 * 1000, &err));
    OK(work_for(other, &slow.device, 1000));
    OK(put_value(stream, &log.device, 1));
    OK(sync_stream()); /* not held up by the gate of the other */
    ck_assert_uint_eq(*(unsigned *)log.device, 1);
    dev->ops->gate_release(dev);
    OK(put_value(other, &log.device, 2));
    OK(dev->ops->sync(dev, &err));
    ck_assert_uint_eq(*(unsigned *)log.device, 2);
    bool expired = true;
    OK(dev->ops->gate_finish(dev, &expired, &err));
    ck_assert(!expired);
    dev->ops->stream_destroy(dev, other);
    dev->ops->free(dev, &log);
    dev->ops->free(dev, &slow);
}
END_TEST

START_TEST(events_measure_what_lies_between_them)
{
    gb_event *start, *stop;
    double empty, work, ns;
    gb_memory slow = device_memory(4);
    *(unsigned *)slow.device = 1;
    OK(dev->ops->event_create(dev, &start, &err));
    OK(dev->ops->event_create(dev, &stop, &err));
    REFUSED(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_INVALID, "not recorded");
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(dev->ops->event_record(dev, stop, stream, &err));
    OK(dev->ops->elapsed_ns(dev, start, stop, &empty, &err));
    ck_assert(empty >= 0.0);
    uint64_t before = dev->ops->now_ns(dev);
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(work_for(stream, &slow.device, 3 * MB));
    OK(dev->ops->event_record(dev, stop, stream, &err));
    OK(dev->ops->elapsed_ns(dev, start, stop, &work, &err)); /* waits for stop */
    uint64_t after = dev->ops->now_ns(dev);
    ck_assert(work >= 3.0 * MB * 0.25); /* a multiply and an add in a chain: >= 1 cycle each */
    ck_assert(work <= (double)(after - before));
    OK(sync_stream());
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->free(dev, &slow);
}
END_TEST

START_TEST(objects_may_be_destroyed_with_work_pending)
{
    gb_stream *other;
    gb_event *event;
    gb_memory log = device_memory(64);
    memset(log.device, 0, 64);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->event_create(dev, &event, &err));
    OK(put_value(other, &log.device, 1));
    OK(dev->ops->event_record(dev, event, other, &err));
    OK(dev->ops->stream_wait(dev, stream, event, &err));
    dev->ops->event_destroy(dev, event);
    OK(put_value(other, &log.device, 2));
    dev->ops->stream_destroy(dev, other);
    ck_assert_uint_eq(*(unsigned *)log.device, 2);
    OK(sync_stream());
    dev->ops->free(dev, &log);
    gb_stream *left; /* close releases it */
    OK(dev->ops->stream_create(dev, &left, &err));
}
END_TEST

START_TEST(a_failure_is_reported_once_and_later_work_is_right)
{
    gb_event *start, *stop;
    double ns;
    gb_memory log = device_memory(4096);
    memset(log.device, 0, 4096);
    OK(dev->ops->event_create(dev, &start, &err));
    OK(dev->ops->event_create(dev, &stop, &err));
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    OK(put_value(stream, &log.device, 1)); /* skipped */
    OK(dev->ops->event_record(dev, stop, stream, &err));
    REFUSED(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_DEVICE_ERROR, "early_exit");
    ck_assert_uint_eq(*(unsigned *)log.device, 0);
    OK(sync_stream());
    /* The same when the stream's own thread has run everything before anybody asks. */
    OK(dev->ops->event_record(dev, start, stream, &err));
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    OK(dev->ops->event_record(dev, stop, stream, &err));
    usleep(200000);
    REFUSED(dev->ops->elapsed_ns(dev, start, stop, &ns, &err), GB_DEVICE_ERROR, "early_exit");
    OK(sync_stream());
    OK(put_value(stream, &log.device, 3));
    OK(dev->ops->sync(dev, &err));
    ck_assert_uint_eq(((unsigned *)log.device)[1], 3);
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    REFUSED(dev->ops->sync(dev, &err), GB_DEVICE_ERROR, "early_exit");
    OK(dev->ops->sync(dev, &err));
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->free(dev, &log);
}
END_TEST

/* --- the gate --- */

START_TEST(the_gate_holds_until_it_is_released)
{
    gb_memory log = device_memory(64);
    gb_event *start, *stop;
    double ns;
    bool expired = true;
    memset(log.device, 0, 64);
    OK(dev->ops->event_create(dev, &start, &err));
    OK(dev->ops->event_create(dev, &stop, &err));
    for (int round = 0; round < 10; round++) {
        OK(dev->ops->gate_hold(dev, stream, 60ull * 1000 * 1000 * 1000, &err));
        REFUSED(dev->ops->gate_hold(dev, stream, 1000, &err), GB_INVALID, "one at a time");
        OK(dev->ops->event_record(dev, start, stream, &err));
        for (unsigned i = 0; i < 5; i++)
            OK(put_value(stream, &log.device, i));
        OK(dev->ops->event_record(dev, stop, stream, &err));
        usleep(20000); /* the host dawdles; the events do not see it */
        dev->ops->gate_release(dev);
        OK(sync_stream());
        OK(dev->ops->gate_finish(dev, &expired, &err));
        OK(dev->ops->elapsed_ns(dev, start, stop, &ns, &err));
        ck_assert(!expired);
        ck_assert_uint_eq(*(unsigned *)log.device, 5);
        memset(log.device, 0, 64);
        if (ns < 20e6)
            break; /* a busy machine may preempt the stream's thread, not ten times */
        ck_assert_int_lt(round, 9);
    }
    REFUSED(dev->ops->gate_finish(dev, &expired, &err), GB_INVALID, "no gate");
    dev->ops->event_destroy(dev, start);
    dev->ops->event_destroy(dev, stop);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(a_gate_that_expires_says_so)
{
    gb_memory log = device_memory(64);
    bool expired = false;
    memset(log.device, 0, 64);
    uint64_t before = dev->ops->now_ns(dev);
    OK(dev->ops->gate_hold(dev, stream, 30 * MB, &err));
    OK(put_value(stream, &log.device, 1));
    OK(sync_stream()); /* never released */
    ck_assert(dev->ops->now_ns(dev) - before >= 30 * MB);
    OK(dev->ops->gate_finish(dev, &expired, &err));
    ck_assert(expired);
    ck_assert_uint_eq(*(unsigned *)log.device, 1);
    dev->ops->gate_release(dev); /* late, harmless */
    OK(dev->ops->gate_hold(dev, stream, 60ull * 1000 * 1000 * 1000, &err));
    dev->ops->gate_release(dev);
    OK(sync_stream());
    OK(dev->ops->gate_finish(dev, &expired, &err));
    ck_assert(!expired);
    dev->ops->free(dev, &log);
}
END_TEST

/* --- graphs --- */

START_TEST(KRN_12_a_graph_replays_every_node)
{
    gb_graph *graph;
    size_t count;
    gb_memory log = device_memory(4 * 400);
    unsigned *p = log.device;
    p[0] = 0;
    OK(dev->ops->capture_begin(dev, stream, &err));
    REFUSED(dev->ops->capture_begin(dev, stream, &err), GB_INVALID, "capturing");
    for (unsigned i = 0; i < 17; i++)
        OK(put_value(stream, &log.device, i));
    REFUSED(sync_stream(), GB_INVALID, "capturing");
    REFUSED(dev->ops->gate_hold(dev, stream, 1000, &err), GB_INVALID, "capturing");
    OK(dev->ops->capture_end(dev, stream, &graph, &err));
    OK(sync_stream());
    ck_assert_uint_eq(p[0], 0); /* recorded, not run */
    OK(dev->ops->graph_nodes(dev, graph, &count, &err));
    ck_assert_uint_eq(count, 17);
    REFUSED(dev->ops->graph_launch(dev, graph, stream, &err), GB_INVALID, "not instantiated");
    OK(dev->ops->graph_instantiate(dev, graph, &err));
    for (int i = 0; i < 20; i++)
        OK(dev->ops->graph_launch(dev, graph, stream, &err));
    OK(sync_stream());
    ck_assert_uint_eq(p[0], 340);
    for (unsigned i = 0; i < 340; i++)
        ck_assert_uint_eq(p[i + 1], i % 17);
    dev->ops->graph_destroy(dev, graph);
    REFUSED(dev->ops->capture_end(dev, stream, &graph, &err), GB_INVALID, "no capture");
    dev->ops->free(dev, &log);
}
END_TEST

static gb_graph *capture_values(void **log, unsigned first, unsigned n)
{
    gb_graph *graph;
    OK(dev->ops->capture_begin(dev, stream, &err));
    for (unsigned i = 0; i < n; i++)
        OK(put_value(stream, log, first + i));
    OK(dev->ops->capture_end(dev, stream, &graph, &err));
    return graph;
}

START_TEST(a_graph_takes_new_parameters_of_the_same_topology)
{
    gb_memory log = device_memory(64);
    unsigned *p = log.device;
    p[0] = 0;
    gb_graph *graph = capture_values(&log.device, 10, 2);
    gb_graph *same = capture_values(&log.device, 20, 2);
    gb_graph *longer = capture_values(&log.device, 30, 3), *other;
    OK(dev->ops->capture_begin(dev, stream, &err));
    OK(put_value(stream, &log.device, 1));
    OK(dev->ops->fill(dev, stream, log.device, 0, 4, &err));
    OK(dev->ops->capture_end(dev, stream, &other, &err));
    REFUSED(dev->ops->graph_update(dev, graph, same, &err), GB_INVALID, "not instantiated");
    OK(dev->ops->graph_instantiate(dev, graph, &err));
    OK(dev->ops->graph_launch(dev, graph, stream, &err));
    OK(dev->ops->graph_update(dev, graph, same, &err)); /* the launch before keeps its own */
    dev->ops->graph_destroy(dev, same);
    OK(dev->ops->graph_launch(dev, graph, stream, &err));
    REFUSED(dev->ops->graph_update(dev, graph, longer, &err), GB_INVALID, "topology");
    REFUSED(dev->ops->graph_update(dev, graph, other, &err), GB_INVALID, "node 1");
    OK(sync_stream());
    const unsigned want[] = {4, 10, 11, 20, 21};
    ck_assert_mem_eq(p, want, sizeof want);
    dev->ops->graph_destroy(dev, graph);
    dev->ops->graph_destroy(dev, longer);
    dev->ops->graph_destroy(dev, other);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(KRN_10_a_capture_forks_and_must_join)
{
    gb_stream *other;
    gb_event *fork_event, *join_event;
    gb_graph *graph;
    size_t count;
    gb_memory log = device_memory(64);
    memset(log.device, 0, 64);
    OK(dev->ops->stream_create(dev, &other, &err));
    OK(dev->ops->event_create(dev, &fork_event, &err));
    OK(dev->ops->event_create(dev, &join_event, &err));
    for (int joined = 1; joined >= 0; joined--) {
        OK(dev->ops->capture_begin(dev, stream, &err));
        OK(put_value(stream, &log.device, 1));
        OK(dev->ops->event_record(dev, fork_event, stream, &err));
        OK(dev->ops->stream_wait(dev, other, fork_event, &err));
        OK(put_value(other, &log.device, 2));
        OK(dev->ops->event_record(dev, join_event, other, &err));
        if (joined) {
            OK(dev->ops->stream_wait(dev, stream, join_event, &err));
            OK(put_value(stream, &log.device, 3));
            OK(dev->ops->capture_end(dev, stream, &graph, &err));
        } else {
            REFUSED(dev->ops->capture_end(dev, stream, &graph, &err), GB_INVALID, "unjoined");
            ck_assert_ptr_null(graph);
        }
        if (joined) {
            OK(dev->ops->graph_nodes(dev, graph, &count, &err));
            ck_assert_uint_eq(count, 3);
            OK(dev->ops->graph_instantiate(dev, graph, &err));
            OK(dev->ops->graph_launch(dev, graph, other, &err));
            OK(dev->ops->stream_sync(dev, other, &err));
            const unsigned want[] = {3, 1, 2, 3};
            ck_assert_mem_eq(log.device, want, sizeof want);
            dev->ops->graph_destroy(dev, graph);
        }
    }
    REFUSED(dev->ops->stream_wait(dev, stream, join_event, &err), GB_INVALID, "has ended");
    OK(put_value(other, &log.device, 4)); /* no longer captured */
    OK(dev->ops->stream_sync(dev, other, &err));
    ck_assert_uint_eq(*(unsigned *)log.device, 4);
    dev->ops->event_destroy(dev, fork_event);
    dev->ops->event_destroy(dev, join_event);
    dev->ops->stream_destroy(dev, other);
    dev->ops->free(dev, &log);
}
END_TEST

START_TEST(a_failing_node_is_named_and_fibers_in_graphs_count_as_emulated)
{
    gb_graph *graph;
    gb_memory log = device_memory(4096);
    memset(log.device, 0, 4096);
    OK(dev->ops->capture_begin(dev, stream, &err));
    OK(launch(GB_FN(index_fiber), 1, 64, (void *[]){&log.device}));
    OK(launch(GB_FN(early_exit), 1, 64, (void *[]){&log.device}));
    OK(dev->ops->capture_end(dev, stream, &graph, &err));
    OK(dev->ops->graph_instantiate(dev, graph, &err));
    dev->emulated = false;
    OK(dev->ops->graph_launch(dev, graph, stream, &err));
    ck_assert(dev->emulated);
    REFUSED(sync_stream(), GB_DEVICE_ERROR, "node 1 of a graph");
    dev->ops->graph_destroy(dev, graph);
    dev->ops->free(dev, &log);
}
END_TEST

/* --- the rest --- */

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
    tcase_add_test(c, memory_is_aligned_touched_and_copied_in_every_direction);
    tcase_add_test(c, kinds_that_a_processor_lacks_say_why);
    tcase_add_test(c, KRN_18_more_than_is_available_is_refused_before_it_is_tried);
    tcase_add_test(c, KRN_01_limits_of_a_launch_are_errors_with_grid_and_block);
    tcase_add_test(c, KRN_01_one_block_more_than_65535_runs);
    tcase_add_test(c, a_stream_runs_in_order);
    tcase_add_test(c, work_begins_without_a_wait_of_the_host);
    tcase_add_test(c, a_stream_waits_for_the_event_of_another);
    tcase_add_test(c, streams_are_independent_and_sync_waits_for_all);
    tcase_add_test(c, events_measure_what_lies_between_them);
    tcase_add_test(c, objects_may_be_destroyed_with_work_pending);
    tcase_add_test(c, a_failure_is_reported_once_and_later_work_is_right);
    tcase_add_test(c, the_gate_holds_until_it_is_released);
    tcase_add_test(c, a_gate_that_expires_says_so);
    tcase_add_test(c, KRN_12_a_graph_replays_every_node);
    tcase_add_test(c, a_graph_takes_new_parameters_of_the_same_topology);
    tcase_add_test(c, KRN_10_a_capture_forks_and_must_join);
    tcase_add_test(c, a_failing_node_is_named_and_fibers_in_graphs_count_as_emulated);
    tcase_add_test(c, the_cache_flush_is_an_operation_like_others);
    tcase_add_test(c, matrix_product_by_openblas);
    suite_add_tcase(suite, c);
    TCase *limits = tcase_create("limits");
    tcase_add_test(limits, pinned_memory_above_RLIMIT_MEMLOCK_is_refused_with_both_numbers);
    tcase_add_test(limits, KRN_18_an_address_space_limit_is_an_error_and_the_device_goes_on);
    tcase_add_test(limits, wrong_ways_to_open_are_errors);
#if !GB_CUDA_IN_BUILD
    tcase_add_test(limits, a_build_without_cuda_says_so);
#endif
    suite_add_tcase(suite, limits);
}

GB_CHECK_MAIN("device_cpu", add_cases)
