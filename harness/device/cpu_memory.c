/* Memory of the cpu device, copies and fills.
 *
 * Device memory is ordinary memory, aligned and advised for huge pages. Every page is touched by
 * the allocation, in the even split in which kernels and copies use it later, so that first touches
 * are in no measurement and pages lie near the worker that uses them. Copies and fills of SPLIT
 * bytes and more are split over the workers in every direction: one thread cannot draw what the
 * memory gives, and a host has no copy engine that would do it beside the processors. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "device/cpu_internal.h"
#include "device/host_limits.h"

#define HUGE_PAGE (2u * 1024 * 1024)
#define PAGE 4096u
#define SPLIT (512u * 1024)
#define PART 4096u /* what a worker's share of a copy is a multiple of */

static uint64_t reserve_of(uint64_t total)
{
    uint64_t share = total / 32, least = 64u * 1024 * 1024;
    return share > least ? share : least;
}

gb_code gb_cpu_memory_info(gb_device *dev, uint64_t *free_bytes, uint64_t *total, gb_error *err)
{
    (void)dev;
    uint64_t available = 0;
    gb_host_memory("", total, &available);
    if (*total == 0)
        return gb_fail(err, GB_IO, "/proc/meminfo cannot be read");
    uint64_t reserve = reserve_of(*total);
    *free_bytes = available > reserve ? available - reserve : 0;
    return GB_OK;
}

static const char *why_not(gb_memory_kind kind)
{
    switch (kind) {
    case GB_MEM_WRITE_COMBINED:
        return "the cpu device has no write-combined memory: nothing reads it across a bus";
    case GB_MEM_MAPPED:
        return "the cpu device has no mapped memory: host and device are one";
    case GB_MEM_MANAGED:
        return "the cpu device has no managed memory: host and device are one";
    default:
        return "this kind of memory is not known";
    }
}

static void touch_pages(void *context, uint64_t first, uint64_t end)
{
    for (uint64_t page = first; page < end; page++)
        *((volatile char *)context + page * PAGE) = 0;
}

static void touch(gb_cpu *cpu, void *memory, size_t bytes)
{
    gb_pool_run(cpu->pool, (bytes + PAGE - 1) / PAGE, true, touch_pages, memory);
}

static const char *kind_text(gb_memory_kind kind)
{
    return kind == GB_MEM_PINNED ? "pinned host" : gb_memory_kind_word(kind);
}

static gb_code refused(gb_memory_kind kind, size_t bytes, int number, gb_error *err)
{
    gb_fail(err, GB_NO_MEMORY, "%s allocation of %zu bytes refused: %s", kind_text(kind), bytes,
            strerror(number));
    if (err != NULL)
        err->device_status = number;
    return GB_NO_MEMORY;
}

static gb_code alloc_ordinary(gb_cpu *cpu, gb_memory_kind kind, size_t bytes, void **out,
                              gb_error *err)
{
    size_t alignment = kind == GB_MEM_DEVICE && bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    int number = posix_memalign(out, alignment, bytes);
    if (number != 0) {
        *out = NULL;
        return refused(kind, bytes, number, err);
    }
    if (alignment == HUGE_PAGE)
        madvise(*out, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); /* a wish, not a need */
    touch(cpu, *out, bytes);
    return GB_OK;
}

static gb_code above_memlock(size_t bytes, uint64_t limit, gb_error *err)
{
    return gb_fail(err, GB_NO_MEMORY,
                   "pinned host allocation of %zu bytes refused (RLIMIT_MEMLOCK is %" PRIu64 ")",
                   bytes, limit);
}

static gb_code alloc_pinned(gb_cpu *cpu, size_t bytes, void **out, gb_error *err)
{
    uint64_t limit = gb_host_memlock_limit();
    if (bytes > limit)
        return above_memlock(bytes, limit, err);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return refused(GB_MEM_PINNED, bytes, errno, err);
    if (mlock(memory, bytes) != 0) { /* what is locked already counts too */
        int number = errno;
        munmap(memory, bytes);
        return limit == UINT64_MAX ? refused(GB_MEM_PINNED, bytes, number, err)
                                   : above_memlock(bytes, limit, err);
    }
    touch(cpu, memory, bytes);
    *out = memory;
    return GB_OK;
}

gb_code gb_cpu_alloc(gb_device *dev, gb_memory_kind kind, size_t bytes, gb_memory *out,
                     gb_error *err)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    *out = (gb_memory){0};
    if (bytes == 0)
        return gb_fail(err, GB_INVALID, "allocation of 0 bytes");
    if (kind != GB_MEM_DEVICE && kind != GB_MEM_PAGEABLE && kind != GB_MEM_PINNED)
        return gb_fail(err, GB_UNAVAILABLE, "%s", why_not(kind));
    uint64_t available = 0, total = 0;
    gb_code code = gb_cpu_memory_info(dev, &available, &total, err);
    if (code != GB_OK)
        return code;
    if (bytes > available)
        return gb_fail(err, GB_NO_MEMORY,
                       "%s allocation of %zu bytes refused: %" PRIu64 " bytes are available (of "
                       "%" PRIu64 ", with a reserve of %" PRIu64 " left alone)",
                       kind_text(kind), bytes, available, total, reserve_of(total));
    void *memory = NULL;
    code = kind == GB_MEM_PINNED ? alloc_pinned(cpu, bytes, &memory, err)
                                 : alloc_ordinary(cpu, kind, bytes, &memory, err);
    if (code != GB_OK)
        return code;
    *out = (gb_memory){.kind = kind, .bytes = bytes};
    if (kind == GB_MEM_DEVICE)
        out->device = memory;
    else
        out->host = memory;
    return GB_OK;
}

void gb_cpu_free(gb_device *dev, gb_memory *memory)
{
    (void)dev;
    if (memory->kind == GB_MEM_PINNED && memory->host != NULL)
        munmap(memory->host, memory->bytes);
    else
        free(memory->kind == GB_MEM_DEVICE ? memory->device : memory->host);
    *memory = (gb_memory){0};
}

/* --- memory in the order of a stream --- */

static const char no_pool[] =
    "the cpu device has no memory in the order of a stream: its memory is the system's";

gb_code gb_cpu_alloc_async(gb_device *dev, gb_stream *stream, size_t bytes, gb_memory *out,
                           gb_error *err)
{
    (void)dev, (void)stream, (void)bytes;
    *out = (gb_memory){0};
    return gb_fail(err, GB_UNAVAILABLE, "%s", no_pool);
}

gb_code gb_cpu_free_async(gb_device *dev, gb_stream *stream, gb_memory *memory, gb_error *err)
{
    (void)dev, (void)stream;
    if (memory->bytes == 0)
        return GB_OK;
    return gb_fail(err, GB_UNAVAILABLE, "%s", no_pool);
}

gb_code gb_cpu_pool_trim(gb_device *dev, gb_error *err)
{
    (void)dev;
    return gb_fail(err, GB_UNAVAILABLE, "%s", no_pool);
}

/* --- copies and fills --- */

gb_code gb_cpu_copy(gb_device *dev, gb_stream *stream, void *to, const void *from, size_t bytes,
                    gb_copy direction, gb_error *err)
{
    (void)dev, (void)direction;
    if (bytes == 0)
        return GB_OK;
    if (to == NULL || from == NULL)
        return gb_fail(err, GB_INVALID, "copy of %zu bytes with a null pointer", bytes);
    gb_op op = {.kind = GB_OP_COPY, .copy = {to, from, bytes}};
    return gb_cpu_enqueue(stream, &op, err);
}

gb_code gb_cpu_fill(gb_device *dev, gb_stream *stream, void *to, int byte, size_t bytes,
                    gb_error *err)
{
    (void)dev;
    if (bytes == 0)
        return GB_OK;
    if (to == NULL)
        return gb_fail(err, GB_INVALID, "fill of %zu bytes at a null pointer", bytes);
    gb_op op = {.kind = GB_OP_FILL, .fill = {to, byte, bytes}};
    return gb_cpu_enqueue(stream, &op, err);
}

gb_code gb_cpu_prefetch(gb_device *dev, gb_stream *stream, const gb_memory *memory, bool to_device,
                        gb_error *err)
{
    (void)dev, (void)stream, (void)memory, (void)to_device;
    return gb_fail(err, GB_UNAVAILABLE, "%s", why_not(GB_MEM_MANAGED));
}

/* The bytes [first, end) parts; the last part may be short. */
static size_t part_bytes(uint64_t first, uint64_t end, size_t bytes)
{
    size_t limit = end * PART < bytes ? (size_t)end * PART : bytes;
    return limit - (size_t)first * PART;
}

static void copy_parts(void *context, uint64_t first, uint64_t end)
{
    const gb_op *op = context;
    size_t offset = (size_t)first * PART;
    memcpy((char *)op->copy.to + offset, (const char *)op->copy.from + offset,
           part_bytes(first, end, op->copy.bytes));
}

void gb_cpu_do_copy(gb_cpu *cpu, const gb_op *op)
{
    if (op->copy.bytes < SPLIT)
        memcpy(op->copy.to, op->copy.from, op->copy.bytes);
    else
        gb_pool_run(cpu->pool, (op->copy.bytes + PART - 1) / PART, true, copy_parts, (void *)op);
}

static void fill_parts(void *context, uint64_t first, uint64_t end)
{
    const gb_op *op = context;
    memset((char *)op->fill.to + (size_t)first * PART, op->fill.byte,
           part_bytes(first, end, op->fill.bytes));
}

void gb_cpu_do_fill(gb_cpu *cpu, const gb_op *op)
{
    if (op->fill.bytes < SPLIT)
        memset(op->fill.to, op->fill.byte, op->fill.bytes);
    else
        gb_pool_run(cpu->pool, (op->fill.bytes + PART - 1) / PART, true, fill_parts, (void *)op);
}

/* --- the cache flush --- */

/* Ordinary stores, a word a line: memset might go past the caches. */
static void write_lines(void *context, uint64_t first, uint64_t end)
{
    gb_cpu *cpu = context;
    unsigned value = atomic_load_explicit(&cpu->flush_count, memory_order_relaxed);
    char *buffer = cpu->flush_buffer;
    for (uint64_t line = first; line < end; line++)
        *(volatile unsigned *)(void *)(buffer + line * 64) = value;
}

void gb_cpu_do_flush(gb_cpu *cpu)
{
    atomic_fetch_add_explicit(&cpu->flush_count, 1, memory_order_relaxed);
    gb_pool_run(cpu->pool, cpu->flush_bytes / 64, true, write_lines, cpu);
}

gb_code gb_cpu_flush_cache(gb_device *dev, gb_stream *stream, gb_error *err)
{
    gb_cpu *cpu = gb_cpu_of(dev);
    if (cpu->flush_buffer == NULL) {
        uint64_t llc = dev->info.llc_bytes;
        if (llc == 0)
            return gb_fail(err, GB_UNAVAILABLE, "the size of the last-level cache is not known");
        gb_memory memory;
        gb_code code =
            gb_cpu_alloc(dev, GB_MEM_DEVICE, (size_t)(2 * llc + 63) / 64 * 64, &memory, err);
        if (code != GB_OK)
            return gb_fail_context(err, "buffer of the cache flush");
        cpu->flush_bytes = memory.bytes;
        cpu->flush_buffer = memory.device;
    }
    gb_op op = {.kind = GB_OP_FLUSH};
    return gb_cpu_enqueue(stream, &op, err);
}
