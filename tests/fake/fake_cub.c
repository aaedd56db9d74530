/* CUB's sort in the fake runtime: what the real one asks the runtime for, and a plain sort in the
 * order of the stream. */
#include "device/cub_sort.h"
#include "fake_internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct sorting {
    const uint32_t *from;
    uint32_t *to;
    size_t n;
} sorting;

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void run_sort(const fake_op *op)
{
    const sorting *s = op->data;
    memmove(s->to, s->from, s->n * sizeof *s->to);
    qsort(s->to, s->n, sizeof *s->to, by_size);
}

cudaError_t gb_cub_sort(void *scratch, size_t *scratch_bytes, const uint32_t *from, uint32_t *to,
                        size_t n, cudaStream_t stream)
{
    const sorting s = {from, to, n};
    const size_t least = n * sizeof *from + 1;
    cudaError_t status = fake_enter(__func__);
    if (status != cudaSuccess)
        return status;
    if (scratch == NULL) {
        *scratch_bytes = least;
        return cudaSuccess;
    }
    if (*scratch_bytes < least || fake_memory_kind(scratch, least) != FAKE_DEVICE_MEMORY ||
        fake_memory_kind(from, n * sizeof *from) != FAKE_DEVICE_MEMORY ||
        fake_memory_kind(to, n * sizeof *to) != FAKE_DEVICE_MEMORY)
        return fake_fail(cudaErrorInvalidValue);
    return fake_enqueue(stream, run_sort, OP_CALL, true, &s, sizeof s);
}
