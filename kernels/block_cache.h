/* A caching allocator, as frameworks have one in front of the driver: what is given back stays, and
 * goes to the next that asks for as much. The driver is asked only where nothing of that size is
 * there. */
#ifndef GB_KERNELS_BLOCK_CACHE_H
#define GB_KERNELS_BLOCK_CACHE_H

#include "device/device.h"

/* Sizes are rounded up to a multiple of this, as by PyTorch's allocator, so that nearly equal ones
 * share their blocks. */
#define GB_BLOCK_CACHE_STEP 512

/* Zero-initialise it. Owns the blocks that nobody has. */
typedef struct gb_block_cache {
    gb_memory *idle;
    size_t n, room;
    uint64_t hits, misses;
} gb_block_cache;

/* A block of at least so many bytes: memory->bytes says how many. Errors as of alloc. */
gb_code gb_block_cache_take(gb_block_cache *cache, gb_device *dev, gb_memory_kind kind,
                            size_t bytes, gb_memory *out, gb_error *err);
/* Keeps the block (where there is no memory for the list, it is freed); zeroes *memory. */
void gb_block_cache_give(gb_block_cache *cache, gb_device *dev, gb_memory *memory);
/* Frees all idle blocks; the cache can be used again. */
void gb_block_cache_empty(gb_block_cache *cache, gb_device *dev);

#endif
