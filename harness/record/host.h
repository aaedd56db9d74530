/* Facts of the host that stand in every results file. */
#ifndef GB_RECORD_HOST_H
#define GB_RECORD_HOST_H

#include <jansson.h>

/* {"cpu", "architecture", "logical_cpus", "affinity", "affinity_cpus", "cgroup_cpus",
 *  "memory_bytes", "cgroup_memory_bytes", "kernel", "os", "numa_nodes", "container", "hypervisor",
 *  "governor"}; what is not known is null. docs/results-format.md describes each. New reference;
 * NULL on out of memory. */
json_t *gb_host_json(void);

/* The same from files below `root` ("" for the real ones) in place of /proc, /sys, /etc and /run;
 * affinity and architecture are this process's. For tests. */
json_t *gb_host_json_at(const char *root);

#endif
