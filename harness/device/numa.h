/* Keeping a process near its GPU: on a machine with several NUMA nodes, host memory and threads on
 * another node than the GPU's slot cost a copy a good part of its bandwidth, by chance. */
#ifndef GB_DEVICE_NUMA_H
#define GB_DEVICE_NUMA_H

#include <stddef.h>

/* The processors of a list like "0-3,8,10-11\n" (as in /sys/devices/system/node/node0/cpulist), in
 * cpus[0..n), at most `max`; returns n, and 0 for an empty list or one that is malformed. */
unsigned gb_cpulist_parse(const char *text, int cpus[], unsigned max);

/* What gb_numa_bind would do for the node `node` ("" unknown), in words: "node 1, 32 processors";
 * "" when it would do nothing: the node is not known, has none of the processors that this process
 * may use, or GPUBENCH_NUMA=off is set. `root` stands before /sys ("" outside of tests). */
void gb_numa_describe(const char *root, const char *node, char *text, size_t size);
/* Lets the calling thread, and those that it starts from now on, run only on the node's processors
 * that it may use already, and prefer the node's memory. Best effort: what the kernel refuses
 * stays as it is. */
void gb_numa_bind(const char *root, const char *node);

#endif
