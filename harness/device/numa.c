#include "device/numa.h"

#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device/host_limits.h"

enum { MAX_CPUS = 8192, MAX_NODES = 1024, PREFERRED = 1 /* MPOL_PREFERRED of numaif.h */ };

/* A decimal number below `limit`, moving *at behind it; -1: there is none. */
static int number(const char **at, int limit)
{
    int value = 0;
    const char *start = *at;
    while (**at >= '0' && **at <= '9') {
        value = 10 * value + (*(*at)++ - '0');
        if (value >= limit)
            return -1;
    }
    return *at == start ? -1 : value;
}

unsigned gb_cpulist_parse(const char *text, int cpus[], unsigned max)
{
    unsigned n = 0;
    const char *at = text;
    while (*at != '\0' && *at != '\n') {
        const int first = number(&at, 1 << 20);
        int last = first;
        if (*at == '-') {
            at++;
            last = number(&at, 1 << 20);
        }
        if (first < 0 || last < first)
            return 0;
        for (int cpu = first; cpu <= last && n < max; cpu++)
            cpus[n++] = cpu;
        if (*at == ',')
            at++;
        else if (*at != '\0' && *at != '\n')
            return 0;
    }
    return n;
}

static bool contains(const int list[], unsigned n, int wanted)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i] == wanted)
            return true;
    return false;
}

/* The node's processors that this process may use; returns how many. */
static unsigned near(const char *root, const char *node, int cpus[], int *number_of_node)
{
    static const char off[] = "off";
    char path[128], text[4096];
    int allowed[MAX_CPUS], of_node[MAX_CPUS];
    const char *switched = getenv("GPUBENCH_NUMA"), *at = node;
    *number_of_node = number(&at, MAX_NODES);
    if (*number_of_node < 0 || *at != '\0' || (switched && strcmp(switched, off) == 0))
        return 0;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/cpulist", *number_of_node);
    if (gb_host_read(root, path, text, sizeof text) <= 0)
        return 0;
    const unsigned n_node = gb_cpulist_parse(text, of_node, MAX_CPUS);
    const unsigned n_allowed = gb_host_cpus(allowed, MAX_CPUS);
    unsigned n = 0;
    for (unsigned i = 0; i < n_node; i++)
        if (contains(allowed, n_allowed, of_node[i]))
            cpus[n++] = of_node[i];
    return n;
}

void gb_numa_describe(const char *root, const char *node, char *text, size_t size)
{
    int cpus[MAX_CPUS], which;
    const unsigned n = near(root, node, cpus, &which);
    if (n > 0)
        snprintf(text, size, "node %d, %u processor%s", which, n, n == 1 ? "" : "s");
    else
        text[0] = '\0';
}

void gb_numa_bind(const char *root, const char *node)
{
    int cpus[MAX_CPUS], which;
    const unsigned n = near(root, node, cpus, &which);
    if (n == 0)
        return;
    cpu_set_t *set = CPU_ALLOC(1 << 20);
    if (set != NULL) {
        const size_t bytes = CPU_ALLOC_SIZE(1 << 20);
        CPU_ZERO_S(bytes, set);
        for (unsigned i = 0; i < n; i++)
            CPU_SET_S((size_t)cpus[i], bytes, set);
        (void)sched_setaffinity(0, bytes, set);
        CPU_FREE(set);
    }
    enum { BITS = 8 * sizeof(unsigned long) };
    unsigned long nodes[MAX_NODES / BITS] = {0};
    nodes[which / BITS] = 1ul << which % BITS;
    /* One more than the bits that count: the kernel subtracts one. */
    (void)syscall(SYS_set_mempolicy, PREFERRED, nodes, (unsigned long)MAX_NODES + 1);
}
