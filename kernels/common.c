#include "kernels/common.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

unsigned gb_word_index(const char *const words[], gb_value value)
{
    unsigned i = 0;
    while (words[i] != NULL && strcmp(words[i], value.word) != 0)
        i++;
    return i;
}

void gb_work_one(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)args, (void)kind;
    *out = (gb_work){.items = 1};
}

void *gb_state_new(gb_run *run, size_t size, const char *kernel, gb_error *err)
{
    run->state = calloc(1, size);
    if (run->state == NULL)
        gb_fail(err, GB_NO_MEMORY, "no memory for the state of %s", kernel);
    return run->state;
}

void gb_state_free(gb_run *run, gb_memory *const memories[])
{
    for (size_t i = 0; memories[i] != NULL; i++)
        run->dev->ops->free(run->dev, memories[i]);
    free(run->state);
    run->state = NULL;
}

gb_code gb_state_alloc(gb_run *run, const gb_array arrays[], gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; arrays[i].memory != NULL && code == GB_OK; i++)
        if (arrays[i].bytes > 0)
            code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, (size_t)arrays[i].bytes,
                                        arrays[i].memory, err);
    return code;
}

gb_sample gb_sample_of(int parts)
{
    gb_sample none = {0};
    for (int i = parts; i < GB_MAX_PARTS; i++)
        none.parts[i] = NAN;
    return none;
}

gb_code gb_sample_each(gb_run *run, uint64_t iterations, gb_once_fn once, gb_sample *out,
                       gb_error *err)
{
    gb_code code = GB_OK;
    for (uint64_t i = 0; i < iterations && code == GB_OK; i++)
        code = once(run, out, err);
    return code;
}

void gb_make_words32(void *seed, void *elements, uint64_t first, size_t count)
{
    const uint64_t of = *(const uint64_t *)seed;
    uint32_t *values = elements;
    for (size_t i = 0; i < count; i++)
        values[i] = gb_word32(of, first + i);
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

void gb_mismatch_merge(gb_mismatch *bad, const gb_mismatch *part)
{
    if (part->count == 0)
        return;
    const uint64_t count = bad->count + part->count;
    if (bad->count == 0 || part->first < bad->first)
        *bad = *part;
    bad->count = count;
}

void gb_memory_touch(const gb_memory *memory, bool writes)
{
    enum { PAGE_BYTES = 4096 }; /* the smallest there is anywhere */
    volatile char *pages = memory->host;
    for (size_t i = 0; i < memory->bytes; i += PAGE_BYTES) {
        const char byte = pages[i];
        if (writes)
            pages[i] = byte;
    }
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
