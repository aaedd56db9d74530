/* Ordinary host memory for buffers of any size, the same for both device kinds: asked for only when
 * the machine has it free, so that a benchmark never invites the out-of-memory killer. */
#ifndef GB_DEVICE_HOST_MEMORY_H
#define GB_DEVICE_HOST_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that can be had now: MemAvailable of /proc/meminfo and what the cgroup's limit leaves;
 * UINT64_MAX: not known. */
uint64_t gb_host_available(void);

/* Page-aligned memory whose pages are already there (each was written once). GB_NO_MEMORY with
 * "`what` of N bytes refused: ..." when less than bytes + 64 MiB are available, or when the system
 * refuses. Given back with gb_host_free and the same size. */
gb_code gb_host_alloc(const char *what, size_t bytes, void **out, gb_error *err);
void gb_host_free(void *memory, size_t bytes); /* fine with NULL */

#ifdef __cplusplus
}
#endif
#endif
