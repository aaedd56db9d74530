/* What this process may use of its host: processors and memory, by affinity and cgroups (v1 and
 * v2, all levels up to the root). */
#ifndef GB_DEVICE_HOST_LIMITS_H
#define GB_DEVICE_HOST_LIMITS_H

#include <stdint.h>

/* Processors that are allowed: their numbers in cpus[0..n), at most `max` of them; returns n >= 1.
 */
unsigned gb_host_cpus(int cpus[], unsigned max);

/* How many worker threads are right: affinity, cut by the cgroup quota (rounded down), at least 1.
 * `root` stands before /proc and /sys ("" outside of tests). */
unsigned gb_host_threads(const char *root);

/* Memory of this process: total (RAM or cgroup limit, the smaller one) and what is available now
 * without swapping. 0 when it cannot be read. */
void gb_host_memory(const char *root, uint64_t *total, uint64_t *available);

/* RLIMIT_MEMLOCK in bytes; UINT64_MAX when there is none or CAP_IPC_LOCK lifts it. */
uint64_t gb_host_memlock_limit(void);

/* Reads a small file: at most size - 1 bytes and a NUL; the length, or -1. */
long gb_host_read(const char *root, const char *path, char *buf, unsigned long size);

#endif
