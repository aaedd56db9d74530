#include "device/host_memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static uint64_t mem_available(void)
{
    char line[256];
    uint64_t kib = 0;
    uint64_t found = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "re");
    if (!file)
        return UINT64_MAX;
    while (found == UINT64_MAX && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
            found = kib * 1024;
    fclose(file);
    return found;
}

/* A file with one number; UINT64_MAX for "max", and when it is not there. */
static uint64_t number_of(const char *folder, const char *name)
{
    char path[640];
    uint64_t value = UINT64_MAX;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &value) != 1)
        value = UINT64_MAX;
    fclose(file);
    return value;
}

static uint64_t left_in(const char *folder, const char *limit, const char *used)
{
    uint64_t most = number_of(folder, limit);
    uint64_t now = number_of(folder, used);
    if (most == UINT64_MAX || now == UINT64_MAX)
        return UINT64_MAX;
    return most > now ? most - now : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What the cgroups of this process leave: version 2, each from its own up to the root; in a
 * container, where the paths of /proc/self/cgroup may not exist, the mount point itself. */
static uint64_t cgroup_left(void)
{
    char line[512];
    uint64_t left =
        least(left_in("/sys/fs/cgroup", "memory.max", "memory.current"),
              left_in("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes"));
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return left;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        char *path = line + 3;
        path[strcspn(path, "\n")] = '\0';
        while (path[0] == '/' && path[1] != '\0') {
            char folder[560];
            snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", path);
            left = least(left, left_in(folder, "memory.max", "memory.current"));
            *strrchr(path, '/') = '\0';
        }
    }
    fclose(file);
    return left;
}

uint64_t gb_host_available(void)
{
    return least(mem_available(), cgroup_left());
}

gb_code gb_host_alloc(const char *what, size_t bytes, void **out, gb_error *err)
{
    const uint64_t reserve = UINT64_C(64) << 20;
    *out = NULL;
    uint64_t available = gb_host_available();
    if (available != UINT64_MAX && (available < reserve || bytes > available - reserve))
        return gb_fail(err, GB_NO_MEMORY,
                       "%s of %zu bytes refused: %" PRIu64 " bytes of host memory are available",
                       what, bytes, available);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return gb_fail(err, GB_NO_MEMORY, "%s of %zu bytes refused: %s", what, bytes,
                       strerror(errno));
    long page = sysconf(_SC_PAGESIZE);
    for (size_t at = 0; at < bytes; at += (size_t)page)
        ((volatile char *)memory)[at] = 0;
    *out = memory;
    return GB_OK;
}

void gb_host_free(void *memory, size_t bytes)
{
    if (memory)
        munmap(memory, bytes);
}
