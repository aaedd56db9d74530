#include "kernels/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

/* Test data passes through a buffer of this size where the host cannot reach the memory. */
#define CHUNK_BYTES ((size_t)1 << 20)

unsigned gb_word_index(const char *const words[], gb_value value)
{
    unsigned i = 0;
    while (words[i] != NULL && strcmp(words[i], value.word) != 0)
        i++;
    return i;
}

gb_launch gb_launch_shape(const gb_device *dev, uint64_t threads, uint32_t block)
{
    const gb_device_info *info = &dev->info;
    if (info->max_threads_per_block > 0 && block > info->max_threads_per_block)
        block = info->max_threads_per_block;
    uint64_t grid = threads / block + (threads % block != 0);
    /* 65,535 blocks are valid on every device there is. */
    const uint64_t most = info->max_grid[0] > 0 ? info->max_grid[0] : 65535;
    if (grid > most)
        grid = most;
    if (grid == 0)
        grid = 1;
    return (gb_launch){.grid = {(uint32_t)grid, 1, 1}, .block = {block, 1, 1}};
}

enum way { WRITE, READ };

/* Walks over memory that the host can reach. */
static void walk_host(const gb_memory *memory, size_t size, uint64_t count, gb_element_fn fn,
                      void *user)
{
    const size_t step = CHUNK_BYTES / size;
    for (uint64_t first = 0; first < count; first += step) {
        const uint64_t left = count - first;
        fn(user, (char *)memory->host + first * size, first, left < step ? (size_t)left : step);
    }
}

static gb_code walk_device(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                           gb_element_fn fn, void *user, enum way where, gb_error *err)
{
    gb_device *dev = run->dev;
    const size_t step = CHUNK_BYTES / size;
    void *chunk = aligned_alloc(64, CHUNK_BYTES);
    if (chunk == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for %zu bytes of test data", CHUNK_BYTES);
    gb_code code = GB_OK;
    for (uint64_t first = 0; first < count && code == GB_OK; first += step) {
        const size_t n = count - first < step ? (size_t)(count - first) : step;
        char *place = (char *)memory->device + first * size;
        if (where == WRITE) {
            fn(user, chunk, first, n);
            code = dev->ops->copy(dev, run->stream, place, chunk, n * size, GB_COPY_H2D, err);
        } else {
            code = dev->ops->copy(dev, run->stream, chunk, place, n * size, GB_COPY_D2H, err);
        }
        /* Also after an error: nothing may still use the chunk when it is freed. */
        const gb_code synced = dev->ops->stream_sync(dev, run->stream, code == GB_OK ? err : NULL);
        if (code == GB_OK)
            code = synced;
        if (code == GB_OK && where == READ)
            fn(user, chunk, first, n);
    }
    free(chunk);
    return code;
}

static gb_code walk(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                    gb_element_fn fn, void *user, enum way where, gb_error *err)
{
    if (memory->host == NULL)
        return walk_device(run, memory, size, count, fn, user, where, err);
    gb_code code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    if (code == GB_OK)
        walk_host(memory, size, count, fn, user);
    return code;
}

gb_code gb_memory_write(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                        gb_element_fn make, void *user, gb_error *err)
{
    return walk(run, memory, size, count, make, user, WRITE, err);
}

gb_code gb_memory_read(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                       gb_element_fn look, void *user, gb_error *err)
{
    return walk(run, memory, size, count, look, user, READ, err);
}

gb_code gb_memory_poison(gb_run *run, const gb_memory *memory, gb_error *err)
{
    gb_device *dev = run->dev;
    if (memory->host == NULL)
        return dev->ops->fill(dev, run->stream, memory->device, 0xFF, memory->bytes, err);
    gb_code code = dev->ops->stream_sync(dev, run->stream, err);
    if (code == GB_OK)
        memset(memory->host, 0xFF, memory->bytes);
    return code;
}

void gb_mismatch_f64(gb_mismatch *bad, uint64_t index, double expected, double found)
{
    if (bad->count++ > 0)
        return;
    bad->first = index;
    gb_print_double(expected, bad->expected, sizeof bad->expected);
    gb_print_double(found, bad->found, sizeof bad->found);
}

void gb_mismatch_u64(gb_mismatch *bad, uint64_t index, uint64_t expected, uint64_t found,
                     int digits)
{
    if (bad->count++ > 0)
        return;
    bad->first = index;
    snprintf(bad->expected, sizeof bad->expected, "0x%0*llx", digits, (unsigned long long)expected);
    snprintf(bad->found, sizeof bad->found, "0x%0*llx", digits, (unsigned long long)found);
}

double gb_sum_tolerance(double epsilon, uint64_t additions, double sum)
{
    return epsilon * (double)additions * sum;
}

gb_code gb_mismatch_result(const gb_mismatch *bad, const char *what, uint64_t count, size_t size,
                           gb_error *err)
{
    if (bad->count == 0)
        return GB_OK;
    return gb_fail(err, GB_WRONG_RESULT,
                   "%s: %llu of %llu %s wrong; the first is element %llu (byte offset %llu): "
                   "expected %s, found %s",
                   what, (unsigned long long)bad->count, (unsigned long long)count,
                   count == 1 ? "element is" : "elements are", (unsigned long long)bad->first,
                   (unsigned long long)(bad->first * size), bad->expected, bad->found);
}
