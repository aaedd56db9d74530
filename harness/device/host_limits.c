#include "device/host_limits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

long gb_host_read(const char *root, const char *path, char *buf, unsigned long size)
{
    char name[4096];
    int length = snprintf(name, sizeof name, "%s%s", root, path);
    if (length < 0 || (size_t)length >= sizeof name)
        return -1;
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t n = 0;
    while (n + 1 < size) {
        ssize_t got = read(fd, buf + n, size - 1 - n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    close(fd);
    buf[n] = '\0';
    return (long)n;
}

unsigned gb_host_cpus(int cpus[], unsigned max)
{
    /* The kernel refuses masks that are too small for the machine: grow until it agrees. */
    for (int size = 1024; size <= 1 << 20; size *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)size);
        if (set == NULL)
            break;
        size_t bytes = CPU_ALLOC_SIZE((size_t)size);
        CPU_ZERO_S(bytes, set);
        if (sched_getaffinity(0, bytes, set) != 0) {
            CPU_FREE(set);
            if (errno == EINVAL)
                continue;
            break;
        }
        unsigned n = 0;
        for (int cpu = 0; cpu < size && n < max; cpu++)
            if (CPU_ISSET_S((size_t)cpu, bytes, set))
                cpus[n++] = cpu;
        CPU_FREE(set);
        if (n > 0)
            return n;
        break;
    }
    cpus[0] = 0;
    return 1;
}

/* The path of this process in a controller's hierarchy: "" controller is version 2. */
static bool cgroup_path(const char *root, const char *controller, char *out, size_t size)
{
    char text[8192];
    if (gb_host_read(root, "/proc/self/cgroup", text, sizeof text) <= 0)
        return false;
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line != NULL;
         line = strtok_r(NULL, "\n", &save)) {
        char *names = strchr(line, ':');
        char *path = names != NULL ? strchr(names + 1, ':') : NULL;
        if (path == NULL)
            continue;
        *path++ = '\0';
        names++;
        bool found = controller[0] == '\0' && names[0] == '\0';
        char *inner = NULL;
        for (char *name = strtok_r(names, ",", &inner); name != NULL && !found;
             name = strtok_r(NULL, ",", &inner))
            found = strcmp(name, controller) == 0;
        if (found && strlen(path) < size) {
            strcpy(out, path);
            return true;
        }
    }
    return false;
}

/* Calls visit with each directory from the process's own group up to the hierarchy's root. In a
 * container the path may be the host's and not exist here; its parents end at the mount. */
static void walk_cgroup(const char *root, const char *mount, const char *controller,
                        void (*visit)(const char *root, const char *directory, void *context),
                        void *context)
{
    char path[2048], directory[4096];
    if (!cgroup_path(root, controller, path, sizeof path))
        return;
    for (;;) {
        size_t length = strlen(path);
        while (length > 0 && path[length - 1] == '/')
            path[--length] = '\0';
        snprintf(directory, sizeof directory, "%s%s", mount, path);
        visit(root, directory, context);
        char *slash = strrchr(path, '/');
        if (slash == NULL)
            return;
        *slash = '\0';
    }
}

static bool read_u64(const char *root, const char *directory, const char *file, uint64_t *out)
{
    char path[4608], text[64];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    if (gb_host_read(root, path, text, sizeof text) <= 0 || text[0] < '0' || text[0] > '9')
        return false;
    *out = strtoull(text, NULL, 10);
    return true;
}

/* --- processors --- */

static void lower_quota(double *quota, uint64_t microseconds, uint64_t period)
{
    if (period > 0 && (double)microseconds / (double)period < *quota)
        *quota = (double)microseconds / (double)period;
}

static void visit_cpu_v2(const char *root, const char *directory, void *context)
{
    char path[4608], text[128];
    uint64_t limit = 0, period = 0;
    snprintf(path, sizeof path, "%s/cpu.max", directory);
    if (gb_host_read(root, path, text, sizeof text) > 0 &&
        sscanf(text, "%" SCNu64 " %" SCNu64, &limit, &period) == 2)
        lower_quota(context, limit, period);
}

static void visit_cpu_v1(const char *root, const char *directory, void *context)
{
    uint64_t limit = 0, period = 0;
    if (read_u64(root, directory, "cpu.cfs_quota_us", &limit) && /* -1: none */
        read_u64(root, directory, "cpu.cfs_period_us", &period))
        lower_quota(context, limit, period);
}

unsigned gb_host_threads(const char *root)
{
    enum { MAX = 4096 };
    int cpus[MAX];
    unsigned n = gb_host_cpus(cpus, MAX);
    double quota = (double)n;
    walk_cgroup(root, "/sys/fs/cgroup", "", visit_cpu_v2, &quota);
    walk_cgroup(root, "/sys/fs/cgroup/cpu", "cpu", visit_cpu_v1, &quota);
    return quota < 1.0 ? 1 : (unsigned)quota;
}

/* --- memory --- */

typedef struct memory_limit {
    uint64_t limit, available;
} memory_limit;

/* The number behind a key at the start of a line ("inactive_file 123"). */
static uint64_t stat_value(const char *text, const char *key)
{
    size_t length = strlen(key);
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += line[0] == '\n';
        if (strncmp(line, key, length) == 0 && (line[length] == ' ' || line[length] == ':'))
            return strtoull(line + length + 1, NULL, 10);
    }
    return 0;
}

/* Page cache that was not used lately counts as available: the kernel gives it back at need. */
static void lower_memory(const char *root, const char *directory, const char *cache_key,
                         uint64_t limit, uint64_t used, memory_limit *out)
{
    char path[4608], text[16384];
    snprintf(path, sizeof path, "%s/memory.stat", directory);
    if (gb_host_read(root, path, text, sizeof text) > 0) {
        uint64_t cache = stat_value(text, cache_key);
        used -= cache < used ? cache : used;
    }
    uint64_t available = limit > used ? limit - used : 0;
    if (limit < out->limit)
        out->limit = limit;
    if (available < out->available)
        out->available = available;
}

static void visit_memory_v2(const char *root, const char *directory, void *context)
{
    uint64_t limit = 0, used = 0;
    if (read_u64(root, directory, "memory.max", &limit) && /* "max": none */
        read_u64(root, directory, "memory.current", &used))
        lower_memory(root, directory, "inactive_file", limit, used, context);
}

static void visit_memory_v1(const char *root, const char *directory, void *context)
{
    uint64_t limit = 0, used = 0;
    if (read_u64(root, directory, "memory.limit_in_bytes", &limit) &&
        read_u64(root, directory, "memory.usage_in_bytes", &used))
        lower_memory(root, directory, "total_inactive_file", limit, used, context);
}

void gb_host_memory(const char *root, uint64_t *total, uint64_t *available)
{
    char text[8192];
    memory_limit memory = {0, 0};
    if (gb_host_read(root, "/proc/meminfo", text, sizeof text) > 0) {
        memory.limit = stat_value(text, "MemTotal") * 1024;
        memory.available = stat_value(text, "MemAvailable") * 1024;
    }
    walk_cgroup(root, "/sys/fs/cgroup", "", visit_memory_v2, &memory);
    walk_cgroup(root, "/sys/fs/cgroup/memory", "memory", visit_memory_v1, &memory);
    *total = memory.limit;
    *available = memory.available;
}

uint64_t gb_host_memlock_limit(void)
{
    enum { CAP_IPC_LOCK_BIT = 14 };
    char text[8192];
    struct rlimit limit;
    if (gb_host_read("", "/proc/self/status", text, sizeof text) > 0) {
        const char *line = strstr(text, "\nCapEff:");
        if (line != NULL && (strtoull(line + 8, NULL, 16) >> CAP_IPC_LOCK_BIT & 1) != 0)
            return UINT64_MAX;
    }
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}
