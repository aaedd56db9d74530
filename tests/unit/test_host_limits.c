/* What the process may use, read from made-up /proc and /sys trees. */
#include "unit/check_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/host_limits.h"
#include "device/numa.h"

static char root[64];

static void put(const char *path, const char *text)
{
    char name[512];
    snprintf(name, sizeof name, "%s%s", root, path);
    for (char *slash = strchr(name + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(name, 0777);
        *slash = '/';
    }
    FILE *file = fopen(name, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_root(void)
{
    strcpy(root, "/tmp/gb_limits_XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    put("/proc/meminfo",
        "MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:   8388608 kB\n");
}

static void remove_root(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    ck_assert_int_eq(system(command), 0);
}

static const uint64_t GIB = 1024u * 1024 * 1024;

START_TEST(without_cgroups_affinity_and_meminfo_decide)
{
    int cpus[4096];
    uint64_t total, available;
    ck_assert_uint_eq(gb_host_threads(root), gb_host_cpus(cpus, 4096));
    gb_host_memory(root, &total, &available);
    ck_assert(total == 16 * GIB && available == 8 * GIB);
}
END_TEST

START_TEST(a_version_2_quota_of_a_parent_counts)
{
    uint64_t total, available;
    put("/proc/self/cgroup", "0::/pod/container\n");
    put("/sys/fs/cgroup/pod/container/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/pod/cpu.max", "150000 100000\n"); /* 1.5: one thread */
    put("/sys/fs/cgroup/pod/container/memory.max", "4294967296\n");
    put("/sys/fs/cgroup/pod/container/memory.current", "3221225472\n");
    put("/sys/fs/cgroup/pod/container/memory.stat", "anon 1\ninactive_file 1073741824\n");
    put("/sys/fs/cgroup/pod/memory.max", "max\n");
    put("/sys/fs/cgroup/pod/memory.current", "3221225472\n");
    ck_assert_uint_eq(gb_host_threads(root), 1);
    gb_host_memory(root, &total, &available);
    ck_assert(total == 4 * GIB);
    ck_assert(available == 2 * GIB); /* what is left, and page cache that can go */
}
END_TEST

START_TEST(a_version_1_quota_counts_even_when_the_path_is_the_hosts)
{
    uint64_t total, available;
    put("/proc/self/cgroup", "4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n0::/\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "2147483648\n"); /* over its limit */
    ck_assert_uint_eq(gb_host_threads(root), 1);
    gb_host_memory(root, &total, &available);
    ck_assert(total == GIB && available == 0);
}
END_TEST

START_TEST(no_quota_and_no_limit_change_nothing)
{
    int cpus[4096];
    uint64_t total, available;
    put("/proc/self/cgroup", "4:memory:/\n1:cpu:/\n0::/\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1000\n");
    put("/sys/fs/cgroup/cpu.max", "garbage");
    ck_assert_uint_eq(gb_host_threads(root), gb_host_cpus(cpus, 4096));
    gb_host_memory(root, &total, &available);
    ck_assert(total == 16 * GIB && available == 8 * GIB);
}
END_TEST

START_TEST(nothing_readable_is_zero_and_one_thread_at_least)
{
    uint64_t total, available;
    gb_host_memory("/nowhere", &total, &available);
    ck_assert(total == 0 && available == 0);
    ck_assert_uint_ge(gb_host_threads("/nowhere"), 1);
    char buf[8];
    ck_assert_int_eq(gb_host_read(root, "/no/such/file", buf, sizeof buf), -1);
    put("/long", "0123456789");
    ck_assert_int_eq(gb_host_read(root, "/long", buf, sizeof buf), 7);
    ck_assert_str_eq(buf, "0123456");
}
END_TEST

START_TEST(lists_of_processors)
{
    int cpus[16];
    ck_assert_uint_eq(gb_cpulist_parse("0-3,8,10-11\n", cpus, 16), 7);
    static const int wanted[] = {0, 1, 2, 3, 8, 10, 11};
    ck_assert_mem_eq(cpus, wanted, sizeof wanted);
    ck_assert_uint_eq(gb_cpulist_parse("5", cpus, 16), 1);
    ck_assert_int_eq(cpus[0], 5);
    ck_assert_uint_eq(gb_cpulist_parse("0-1000", cpus, 16), 16); /* as many as fit */
    static const char *const bad[] = {"",  "\n",  "-1",   "3-1",        "1-",
                                      "a", "1 2", "1,,2", "99999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(gb_cpulist_parse(bad[i], cpus, 16) == 0, "'%s'", bad[i]);
}
END_TEST

START_TEST(a_process_is_bound_to_those_of_a_node_that_it_may_use)
{
    int cpus[4096], after[4096];
    char text[64], list[64];
    const unsigned n = gb_host_cpus(cpus, 4096);
    snprintf(list, sizeof list, "%d,1000000\n", cpus[n - 1]);
    put("/sys/devices/system/node/node3/cpulist", list);
    put("/sys/devices/system/node/node4/cpulist", "1000000\n");
    static const char *const nothing[] = {"", "-1", "2", "4", "3x", "99999"};
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        gb_numa_describe(root, nothing[i], text, sizeof text);
        ck_assert_str_eq(text, "");
        gb_numa_bind(root, nothing[i]);
        ck_assert_uint_eq(gb_host_cpus(after, 4096), n);
    }
    setenv("GPUBENCH_NUMA", "off", 1);
    gb_numa_bind(root, "3");
    ck_assert_uint_eq(gb_host_cpus(after, 4096), n);
    unsetenv("GPUBENCH_NUMA");
    gb_numa_describe(root, "3", text, sizeof text);
    ck_assert_str_eq(text, "node 3, 1 processor");
    gb_numa_bind(root, "3");
    ck_assert_uint_eq(gb_host_cpus(after, 4096), 1);
    ck_assert_int_eq(after[0], cpus[n - 1]);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *c = tcase_create("limits");
    tcase_add_checked_fixture(c, make_root, remove_root);
    tcase_add_test(c, without_cgroups_affinity_and_meminfo_decide);
    tcase_add_test(c, a_version_2_quota_of_a_parent_counts);
    tcase_add_test(c, a_version_1_quota_counts_even_when_the_path_is_the_hosts);
    tcase_add_test(c, no_quota_and_no_limit_change_nothing);
    tcase_add_test(c, nothing_readable_is_zero_and_one_thread_at_least);
    tcase_add_test(c, lists_of_processors);
    tcase_add_test(c, a_process_is_bound_to_those_of_a_node_that_it_may_use);
    suite_add_tcase(suite, c);
}

GB_CHECK_MAIN("host_limits", add_cases)
