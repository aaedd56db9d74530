/* Ways to memory. See allocate.h. */
#include "kernels/allocate.h"

const char *const gb_way_words[] = {
    [GB_WAY_PLAIN] = "plain", [GB_WAY_STREAM] = "stream", [GB_WAY_CACHED] = "cached", NULL};

gb_code gb_allocator_take(gb_run *run, gb_allocator *allocator, size_t bytes, gb_memory *out,
                          gb_error *err)
{
    gb_device *dev = run->dev;
    switch (allocator->way) {
    case GB_WAY_STREAM:
        return dev->ops->alloc_async(dev, run->stream, bytes, out, err);
    case GB_WAY_CACHED:
        return gb_block_cache_take(&allocator->cache, dev, allocator->kind, bytes, out, err);
    case GB_WAY_PLAIN:
        break;
    }
    return dev->ops->alloc(dev, allocator->kind, bytes, out, err);
}

gb_code gb_allocator_give(gb_run *run, gb_allocator *allocator, gb_memory *memory, gb_error *err)
{
    gb_device *dev = run->dev;
    switch (allocator->way) {
    case GB_WAY_STREAM:
        return dev->ops->free_async(dev, run->stream, memory, err);
    case GB_WAY_CACHED:
        gb_block_cache_give(&allocator->cache, dev, memory);
        return GB_OK;
    case GB_WAY_PLAIN:
        break;
    }
    dev->ops->free(dev, memory);
    return GB_OK;
}

/* The pool is trimmed once its last user is done. */
void gb_allocator_close(gb_run *run, gb_allocator *allocator)
{
    gb_device *dev = run->dev;
    if (allocator->way == GB_WAY_STREAM && dev->ops->stream_sync(dev, run->stream, NULL) == GB_OK)
        (void)dev->ops->pool_trim(dev, NULL);
    gb_block_cache_empty(&allocator->cache, dev);
}
