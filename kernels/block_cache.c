#include "kernels/block_cache.h"

#include <stdlib.h>

gb_code gb_block_cache_take(gb_block_cache *cache, gb_device *dev, gb_memory_kind kind,
                            size_t bytes, gb_memory *out, gb_error *err)
{
    *out = (gb_memory){0};
    if (bytes == 0 || bytes > SIZE_MAX - GB_BLOCK_CACHE_STEP)
        return gb_fail(err, GB_INVALID, "an allocation of %zu bytes is not possible", bytes);
    const size_t size =
        (bytes + GB_BLOCK_CACHE_STEP - 1) / GB_BLOCK_CACHE_STEP * GB_BLOCK_CACHE_STEP;
    /* From the end: what was used last is most likely still in a cache. */
    for (size_t i = cache->n; i > 0; i--) {
        gb_memory *block = &cache->idle[i - 1];
        if (block->kind == kind && block->bytes == size) {
            *out = *block;
            *block = cache->idle[--cache->n];
            cache->hits++;
            return GB_OK;
        }
    }
    cache->misses++;
    return dev->ops->alloc(dev, kind, size, out, err);
}

void gb_block_cache_give(gb_block_cache *cache, gb_device *dev, gb_memory *memory)
{
    if (memory->bytes == 0)
        return;
    if (cache->n == cache->room) {
        const size_t room = cache->room ? 2 * cache->room : 16;
        gb_memory *more = realloc(cache->idle, room * sizeof *more);
        if (more == NULL) {
            dev->ops->free(dev, memory);
            return;
        }
        cache->idle = more;
        cache->room = room;
    }
    cache->idle[cache->n++] = *memory;
    *memory = (gb_memory){0};
}

void gb_block_cache_empty(gb_block_cache *cache, gb_device *dev)
{
    for (size_t i = 0; i < cache->n; i++)
        dev->ops->free(dev, &cache->idle[i]);
    free(cache->idle);
    *cache = (gb_block_cache){0};
}
