/* The threads of the cpu device, and those that make and compare test data. The caller of a run is
 * worker 0; the others are pinned, one a processor, and wait spinning for a moment (the next launch
 * usually follows at once), then asleep. One run at a time: callers from several streams take
 * turns. */
#ifndef GB_DEVICE_POOL_H
#define GB_DEVICE_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct gb_pool gb_pool;

/* `threads` workers, 0: as many as affinity and cgroup quota allow. Released with gb_pool_destroy
 * (NULL is fine), which waits for nothing: no run may be under way. */
gb_code gb_pool_create(unsigned threads, gb_pool **out, gb_error *err);
void gb_pool_destroy(gb_pool *pool);
unsigned gb_pool_threads(const gb_pool *pool);

/* Calls work(context, first, end) for parts that make up [0, items), and returns when all is done.
 * `even`: one contiguous part a worker; otherwise workers fetch small parts as they go. A single
 * item runs on the caller. */
void gb_pool_run(gb_pool *pool, uint64_t items, bool even,
                 void (*work)(void *context, uint64_t first, uint64_t end), void *context);

/* One turn of a spinning wait. */
static inline void gb_pause(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb" ::: "memory");
#endif
}

/* Monotonic nanoseconds. */
uint64_t gb_monotonic_ns(void);

#endif
