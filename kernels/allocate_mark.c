/* Marks in allocated memory. See allocate.h. */
#include "kernels/allocate.h"

GB_FN_DECLARE(allocate_mark)

uint32_t gb_mark_salt(uint64_t seed, uint64_t block)
{
    return gb_word32(seed, block);
}

gb_code gb_mark(gb_run *run, void *device, uint64_t words, uint32_t salt, gb_error *err)
{
    const gb_launch launch = gb_launch_shape(run->dev, words, GB_BLOCK);
    size_t n = (size_t)words;
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(allocate_mark), &launch,
                                 (void *[]){&device, &n, &salt}, err);
}

gb_code gb_mark_keep(gb_run *run, const void *device, uint64_t words, uint64_t kept, uint32_t *to,
                     gb_error *err)
{
    const uint32_t *from = device;
    const size_t bytes = (size_t)kept * sizeof *to;
    gb_code code = run->dev->ops->copy(run->dev, run->stream, to, from, bytes, GB_COPY_D2H, err);
    if (code == GB_OK)
        code = run->dev->ops->copy(run->dev, run->stream, to + kept, from + words - kept, bytes,
                                   GB_COPY_D2H, err);
    return code;
}

void gb_mark_compare(gb_mismatch *bad, uint64_t at, const uint32_t *found, uint64_t words,
                     uint64_t kept, uint32_t salt)
{
    for (uint64_t i = 0; i < kept; i++) {
        gb_compare_u64(bad, at + i, gb_mark_word(salt, i), found[i], 8);
        gb_compare_u64(bad, at + kept + i, gb_mark_word(salt, words - kept + i), found[kept + i],
                       8);
    }
}

gb_code gb_marked_alloc(gb_run *run, gb_marked *block, gb_error *err)
{
    const size_t bytes = (size_t)gb_mark_bytes(block->kept);
    return run->dev->ops->alloc(run->dev, GB_MEM_PAGEABLE, bytes, &block->ends, err);
}

gb_code gb_marked_check(const gb_run *run, const gb_marked *block, const char *what, gb_error *err)
{
    gb_mismatch bad = {0};
    gb_mark_compare(&bad, 0, block->ends.host, block->words, block->kept,
                    gb_mark_salt(run->seed, 0));
    return gb_mismatch_result(&bad, what, 2 * block->kept, sizeof(uint32_t), err);
}

gb_code gb_marked_enqueue(gb_run *run, gb_error *err)
{
    const gb_marked *block = run->state;
    gb_sample ignored = {0};
    return block->once(run, &ignored, err);
}

gb_code gb_marked_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    const gb_marked *block = run->state;
    *out = gb_sample_of(block->parts);
    return gb_sample_each(run, iterations, block->once, out, err);
}

gb_code gb_marked_reset(gb_run *run, gb_error *err)
{
    gb_marked *block = run->state;
    return gb_memory_poison(run, &block->ends, err);
}

void gb_marked_release(gb_run *run)
{
    gb_marked *block = run->state;
    if (block != NULL)
        gb_state_free(run, (gb_memory *[]){&block->ends, NULL});
}
