/* Memory of the cpu device: its kinds, copies, and what is refused. */
#include "unit/device_fixture.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MB = 1000000 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

static gb_memory host_memory(gb_memory_kind kind, size_t bytes)
{
    gb_memory memory;
    OK(dev->ops->alloc(dev, kind, bytes, &memory, &err));
    return memory;
}

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

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("memory");
    tcase_add_checked_fixture(c, open_device, close_device);
    tcase_set_timeout(c, 120);
    tcase_add_test(c, memory_is_aligned_touched_and_copied_in_every_direction);
    tcase_add_test(c, kinds_that_a_processor_lacks_say_why);
    tcase_add_test(c, KRN_18_more_than_is_available_is_refused_before_it_is_tried);
    suite_add_tcase(suite, c);
    TCase *limits = tcase_create("limits");
    tcase_add_test(limits, pinned_memory_above_RLIMIT_MEMLOCK_is_refused_with_both_numbers);
    tcase_add_test(limits, KRN_18_an_address_space_limit_is_an_error_and_the_device_goes_on);
    suite_add_tcase(suite, limits);
}

GB_CHECK_MAIN("device_cpu_memory", add_cases)
