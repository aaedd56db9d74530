/* A CUDA runtime of our own, linked in place of cudart under the real cuda device and the real
 * objects of nvcc. Kernels run their cpu code, on the host, when a stream is waited for.
 *
 * It is steered by environment variables (docs/cuda-device.md lists them), read at the first call.
 * This header is for tests in the same process. */
#ifndef GB_TESTS_FAKE_CUDA_H
#define GB_TESTS_FAKE_CUDA_H

#include <stdbool.h>

/* Forgets errors and counters and reads the environment again. */
void fake_cuda_reset(void);
/* Runtime calls so far (those that can be made to fail). */
long fake_cuda_calls(void);
/* Live objects: allocations, streams, events, graphs, executable graphs; and releases of things
 * that were not alive. */
int fake_cuda_live(void);
/* Operations that wait in queues. */
int fake_cuda_queued(void);

#endif
