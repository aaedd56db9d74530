/* Test data in and out of a device's memory, made and compared by all processors that this process
 * may use: at GiB sizes one of them would keep the device waiting for seconds. Only the calling
 * thread asks anything of the device. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/host_limits.h"
#include "device/pool.h"
#include "kernels/common.h"

/* Memory out of the host's reach goes through two buffers of this size, so that one is worked on
 * while the other is copied. Larger ones gain nothing on a link of 64 GB/s and take longer to
 * lock. */
#define CHUNK_BYTES ((size_t)16 << 20)
#define SMALL_BYTES ((size_t)1 << 20) /* up to here locking a buffer costs more than it saves */
#define PART_BYTES ((size_t)16 << 10) /* what a thread fetches at once, at least */
/* Beyond this many threads memory is the limit. */
#define MAX_THREADS 32

/* NULL where one thread is all there is, or has to do. */
static gb_pool *hire(uint64_t items)
{
    unsigned threads = items > 1 ? gb_host_threads("") : 1;
    gb_pool *pool = NULL;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    if (threads > 1 && gb_pool_create(threads, &pool, NULL) != GB_OK)
        return NULL;
    return pool;
}

static void run_on(gb_pool *pool, uint64_t items, gb_host_fn work, void *context)
{
    if (pool != NULL)
        gb_pool_run(pool, items, false, work, context);
    else if (items > 0)
        work(context, 0, items);
}

void gb_host_run(uint64_t items, gb_host_fn work, void *context)
{
    gb_pool *pool = hire(items);
    run_on(pool, items, work, context);
    gb_pool_destroy(pool);
}

/* --- walking over memory ---------------------------------------------------------------------- */

/* One walk: `make` fills the elements, or `compare` looks at them. */
typedef struct walk {
    gb_pool *pool;
    size_t size;   /* of an element */
    uint64_t part; /* elements that are handed out together; a multiple of 64 */
    gb_make_fn make;
    gb_compare_fn compare;
    void *user;
    pthread_mutex_t lock; /* of *bad */
    gb_mismatch *bad;
    /* the stretch under way */
    char *elements;
    uint64_t first, count;
} walk;

static void do_parts(void *context, uint64_t first_part, uint64_t end_part)
{
    walk *w = context;
    const uint64_t from = first_part * w->part;
    const uint64_t end = end_part * w->part < w->count ? end_part * w->part : w->count;
    char *elements = w->elements + from * w->size;
    gb_mismatch bad = {0};
    if (w->make != NULL)
        w->make(w->user, elements, w->first + from, (size_t)(end - from));
    else
        w->compare(w->user, &bad, elements, w->first + from, (size_t)(end - from));
    if (bad.count == 0)
        return;
    pthread_mutex_lock(&w->lock);
    gb_mismatch_merge(w->bad, &bad);
    pthread_mutex_unlock(&w->lock);
}

static void do_stretch(walk *w, void *elements, uint64_t first, uint64_t count)
{
    w->elements = elements;
    w->first = first;
    w->count = count;
    run_on(w->pool, (count + w->part - 1) / w->part, do_parts, w);
}

/* The two buffers that device memory is copied through. */
typedef struct buffers {
    gb_memory pinned;
    char *plain;
    char *at[2];
    size_t bytes; /* of each */
} buffers;

/* Page-locked where that pays and can be had: a copy from pageable memory makes its caller wait. */
static gb_code take_buffers(gb_device *dev, size_t size, uint64_t total, buffers *b, gb_error *err)
{
    const size_t most = size > CHUNK_BYTES ? size : CHUNK_BYTES; /* one element at least */
    b->bytes = ((size_t)(total < most ? total : most) + 63) / 64 * 64;
    const size_t all = total > b->bytes ? 2 * b->bytes : b->bytes;
    if (total > SMALL_BYTES && dev->info.kind != GB_CPU &&
        dev->ops->alloc(dev, GB_MEM_PINNED, all, &b->pinned, NULL) == GB_OK)
        b->at[0] = b->pinned.host;
    else
        b->at[0] = b->plain = aligned_alloc(64, all);
    if (b->at[0] == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for %zu bytes of test data", all);
    b->at[1] = b->at[0] + (all - b->bytes);
    return GB_OK;
}

static void give_buffers_back(gb_device *dev, buffers *b)
{
    dev->ops->free(dev, &b->pinned);
    free(b->plain);
}

/* Copies chunk number `index` in its buffer's direction; returns before it has ended. */
static gb_code copy_chunk(gb_run *run, const walk *w, const gb_memory *memory, const buffers *b,
                          uint64_t index, uint64_t step, uint64_t count, gb_error *err)
{
    const uint64_t first = index * step;
    const size_t bytes = (size_t)(count - first < step ? count - first : step) * w->size;
    char *place = (char *)memory->device + first * w->size, *buffer = b->at[index % 2];
    if (w->make != NULL)
        return run->dev->ops->copy(run->dev, run->stream, place, buffer, bytes, GB_COPY_H2D, err);
    return run->dev->ops->copy(run->dev, run->stream, buffer, place, bytes, GB_COPY_D2H, err);
}

/* While chunk i is copied to the device chunk i + 1 is made; while chunk i is compared chunk i + 1
 * is copied from it. */
static gb_code walk_device(gb_run *run, walk *w, const gb_memory *memory, uint64_t count,
                           gb_error *err)
{
    gb_device *dev = run->dev;
    buffers b = {0};
    gb_code code = take_buffers(dev, w->size, count * w->size, &b, err);
    const uint64_t step = b.bytes / w->size;
    const uint64_t chunks = (count + step - 1) / step;
    if (code == GB_OK && w->compare != NULL)
        code = copy_chunk(run, w, memory, &b, 0, step, count, err);
    for (uint64_t i = 0; i < chunks && code == GB_OK; i++) {
        const uint64_t first = i * step, n = count - first < step ? count - first : step;
        if (w->make != NULL)
            do_stretch(w, b.at[i % 2], first, n);
        code = dev->ops->stream_sync(dev, run->stream, err);
        if (code == GB_OK && w->make != NULL)
            code = copy_chunk(run, w, memory, &b, i, step, count, err);
        if (code == GB_OK && w->compare != NULL && i + 1 < chunks)
            code = copy_chunk(run, w, memory, &b, i + 1, step, count, err);
        if (code == GB_OK && w->compare != NULL)
            do_stretch(w, b.at[i % 2], first, n);
    }
    /* Also after an error: nothing may still use a buffer when it is freed. */
    const gb_code synced = dev->ops->stream_sync(dev, run->stream, code == GB_OK ? err : NULL);
    give_buffers_back(dev, &b);
    return code == GB_OK ? synced : code;
}

static gb_code walk_over(gb_run *run, walk *w, const gb_memory *memory, uint64_t count,
                         gb_error *err)
{
    w->part = (PART_BYTES / w->size / 64 + 1) * 64; /* also for elements larger than a part */
    w->pool = hire((count + w->part - 1) / w->part);
    pthread_mutex_init(&w->lock, NULL);
    gb_code code = GB_OK;
    if (memory->host == NULL) {
        code = walk_device(run, w, memory, count, err);
    } else {
        code = run->dev->ops->stream_sync(run->dev, run->stream, err);
        if (code == GB_OK)
            do_stretch(w, memory->host, 0, count);
    }
    pthread_mutex_destroy(&w->lock);
    gb_pool_destroy(w->pool);
    return code;
}

gb_code gb_memory_write(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                        gb_make_fn make, void *user, gb_error *err)
{
    walk w = {.size = size, .make = make, .user = user};
    return walk_over(run, &w, memory, count, err);
}

gb_code gb_memory_compare(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                          gb_compare_fn compare, void *user, gb_mismatch *bad, gb_error *err)
{
    walk w = {.size = size, .compare = compare, .user = user, .bad = bad};
    return walk_over(run, &w, memory, count, err);
}

gb_code gb_memory_verify(gb_run *run, const gb_memory *memory, size_t size, uint64_t count,
                         gb_compare_fn compare, void *user, const char *what, gb_error *err)
{
    gb_mismatch bad = {0};
    gb_code code = gb_memory_compare(run, memory, size, count, compare, user, &bad, err);
    return code == GB_OK ? gb_mismatch_result(&bad, what, count, size, err) : code;
}

static void poison_parts(void *context, uint64_t first, uint64_t end)
{
    const gb_memory *memory = context;
    const size_t from = (size_t)first * PART_BYTES, to = (size_t)end * PART_BYTES;
    memset((char *)memory->host + from, 0xFF, (to < memory->bytes ? to : memory->bytes) - from);
}

gb_code gb_memory_poison(gb_run *run, const gb_memory *memory, gb_error *err)
{
    gb_device *dev = run->dev;
    if (memory->host == NULL)
        return dev->ops->fill(dev, run->stream, memory->device, 0xFF, memory->bytes, err);
    gb_code code = dev->ops->stream_sync(dev, run->stream, err);
    if (code == GB_OK)
        gb_host_run((memory->bytes + PART_BYTES - 1) / PART_BYTES, poison_parts, (void *)memory);
    return code;
}
