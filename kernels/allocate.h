/* Allocated memory: how it is had (allocate_way.c), and how it is seen to be usable
 * (allocate_mark.c): a kernel marks every word of a block with what no other block is marked with,
 * and the words at both ends are kept. Of blocks of one size, any two that overlap have an end in
 * common with the other, so that the one that was marked first shows it.
 *
 * allocate.c has the row, allocate_run.c the samples. startup, fragment, exhaust and reclaim mark
 * their memory in the same way. */
#ifndef GB_KERNELS_ALLOCATE_H
#define GB_KERNELS_ALLOCATE_H

#include <stdint.h>

#if defined(__CUDACC__)
#define GB_MARK_INLINE __host__ __device__ __forceinline__
#else
#define GB_MARK_INLINE static inline
#endif

/* Word i of a block's marks: all 2^32 of them differ (an odd multiplier, the golden ratio's). */
GB_MARK_INLINE uint32_t gb_mark_word(uint32_t salt, uint64_t i)
{
    return ((uint32_t)i ^ salt) * UINT32_C(0x9e3779b1);
}

#if !defined(__cplusplus)

#include "kernels/block_cache.h"
#include "kernels/common.h"

/* --- marks (allocate_mark.c) --- */

/* What is kept of n words: so many at each end. */
static inline uint64_t gb_mark_kept(uint64_t n, uint64_t most)
{
    return n < most ? n : most;
}
static inline uint64_t gb_mark_bytes(uint64_t kept)
{
    return 2 * kept * sizeof(uint32_t);
}
/* The marks of block number `block` of a run. */
uint32_t gb_mark_salt(uint64_t seed, uint64_t block);
/* Enqueues the marking of `words` words of device memory. */
gb_code gb_mark(gb_run *run, void *device, uint64_t words, uint32_t salt, gb_error *err);
/* Enqueues copies of the first and of the last `kept` words into to[2 * kept]. */
gb_code gb_mark_keep(gb_run *run, const void *device, uint64_t words, uint64_t kept, uint32_t *to,
                     gb_error *err);
/* Compares found[2 * kept] with the marks of both ends; `at` is the index of found[0]. */
void gb_mark_compare(gb_mismatch *bad, uint64_t at, const uint32_t *found, uint64_t words,
                     uint64_t kept, uint32_t salt);

/* What the state of a kernel begins with whose iteration has one block marked, with the run's first
 * salt, and times itself: startup, exhaust, reclaim. */
typedef struct gb_marked {
    gb_once_fn once; /* an iteration, which leaves the block's ends in `ends` */
    int parts;
    uint64_t words, kept;
    gb_memory ends; /* [2 * kept] words of the host */
} gb_marked;

/* Has memory for the ends of a block of which all else is set. */
gb_code gb_marked_alloc(gb_run *run, gb_marked *block, gb_error *err);
/* GB_WRONG_RESULT, which says `what` is wrong. */
gb_code gb_marked_check(const gb_run *run, const gb_marked *block, const char *what, gb_error *err);
/* The functions of these kernels (kernel.h). */
gb_code gb_marked_enqueue(gb_run *run, gb_error *err);
gb_code gb_marked_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);
gb_code gb_marked_reset(gb_run *run, gb_error *err);
void gb_marked_release(gb_run *run);

/* --- ways to memory (allocate_way.c) --- */

typedef enum gb_way {
    GB_WAY_PLAIN,  /* the device's alloc and free */
    GB_WAY_STREAM, /* its pool, in the order of run->stream */
    GB_WAY_CACHED  /* a cache of our own in front of alloc and free */
} gb_way;
extern const char *const gb_way_words[]; /* "plain", "stream", "cached"; NULL-terminated */

typedef struct gb_allocator {
    gb_way way;
    gb_memory_kind kind;
    gb_block_cache cache;
} gb_allocator;

/* Memory of the allocator's kind; given back with gb_allocator_give. Errors as of alloc. */
gb_code gb_allocator_take(gb_run *run, gb_allocator *allocator, size_t bytes, gb_memory *out,
                          gb_error *err);
/* Zeroes *memory, also after an error; fine with a zeroed one. */
gb_code gb_allocator_give(gb_run *run, gb_allocator *allocator, gb_memory *memory, gb_error *err);
/* Gives back what pool and cache keep. */
void gb_allocator_close(gb_run *run, gb_allocator *allocator);

/* --- the kernel allocate --- */

enum { ALLOCATE_MEMORY, ALLOCATE_WAY, ALLOCATE_BYTES, ALLOCATE_BLOCKS, ALLOCATE_ROUNDS };
enum { ALLOCATE_PART_ALLOCATE, ALLOCATE_PART_RELEASE, ALLOCATE_PARTS };

#define ALLOCATE_MOST_BLOCKS 16
#define ALLOCATE_KEPT 1024 /* words at each end of a block */

typedef struct gb_allocate_state {
    gb_allocator allocator;
    uint32_t n, rounds;
    size_t bytes;
    uint64_t words, kept;
    gb_memory blocks[ALLOCATE_MOST_BLOCKS]; /* none between samples */
    gb_memory marked;                       /* device memory that host blocks are copied from */
    gb_memory result;                       /* [n][2 * kept], pageable */
} gb_allocate_state;

/* allocate_run.c */
gb_code gb_allocate_enqueue(gb_run *run, gb_error *err);
gb_code gb_allocate_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err);

#endif
#endif
