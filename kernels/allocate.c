/* allocate: having memory and giving it back, by size and way. allocate_run.c has the samples. */
#include "kernels/allocate.h"

#include <string.h>

static const char *const memory_words[] = {"device", "pinned", "pageable", NULL};
static const gb_memory_kind memory_kinds[] = {GB_MEM_DEVICE, GB_MEM_PINNED, GB_MEM_PAGEABLE};

static const gb_param params[] = {
    [ALLOCATE_MEMORY] = GB_WORD_PARAM("memory", memory_words, "device", "kind of memory"),
    [ALLOCATE_WAY] = GB_WORD_PARAM("way", gb_way_words, "plain",
                                   "the device's own calls, its pool in the order of a stream, or "
                                   "a cache of blocks in front of its calls"),
    [ALLOCATE_BYTES] =
        GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 36, UINT64_C(1) << 20, "size of a block"),
    [ALLOCATE_BLOCKS] =
        GB_COUNT_PARAM("blocks", "blocks", 1, ALLOCATE_MOST_BLOCKS, 4,
                       "blocks that are allocated one after the other, then released"),
    [ALLOCATE_ROUNDS] =
        GB_COUNT_PARAM("rounds", "rounds", 1, 64, 1,
                       "how often in a sample, where once is too short for a clock; "
                       "above 1 both calls are timed together alone"),
};

static const char *const parts[] = {
    [ALLOCATE_PART_ALLOCATE] = "allocate", [ALLOCATE_PART_RELEASE] = "release", NULL};

static const gb_metric_spec metrics[] = {
    GB_TIME_PER_ITEM("pair", GB_WHOLE, "allocating a block and releasing it"),
    GB_TIME_PER_ITEM("allocation", ALLOCATE_PART_ALLOCATE, "allocating a block"),
    GB_TIME_PER_ITEM("release", ALLOCATE_PART_RELEASE, "releasing a block"),
};

static gb_memory_kind kind_of(const gb_value args[])
{
    return memory_kinds[gb_word_index(memory_words, args[ALLOCATE_MEMORY])];
}

static gb_way way_of(const gb_value args[])
{
    return (gb_way)gb_word_index(gb_way_words, args[ALLOCATE_WAY]);
}

static uint64_t kept_of(const gb_value args[])
{
    return gb_mark_kept(args[ALLOCATE_BYTES].number / sizeof(uint32_t), ALLOCATE_KEPT);
}

static uint64_t result_bytes(const gb_value args[])
{
    return args[ALLOCATE_BLOCKS].number * gb_mark_bytes(kept_of(args));
}

/* What is allocated while it is measured is not among the needs: whether it can be had is what the
 * case asks, and a case that cannot have it is skipped with the reason that it was given. */
static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    *need = (gb_need){.host_bytes = result_bytes(args)};
    if (kind_of(args) != GB_MEM_DEVICE)
        need->device_bytes = args[ALLOCATE_BYTES].number;
    if (way_of(args) != GB_WAY_STREAM)
        return GB_OK;
    if (kind_of(args) != GB_MEM_DEVICE)
        return gb_fail(err, GB_INVALID,
                       "memory in the order of a stream is device memory: way: stream goes with "
                       "memory: device");
    if (kind == GB_CPU)
        return gb_fail(err, GB_UNAVAILABLE,
                       "the cpu device has no memory in the order of a stream");
    return GB_OK;
}

/* A sample touches nothing but what the device's calls themselves touch. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    *out = (gb_work){.items = args[ALLOCATE_BLOCKS].number * args[ALLOCATE_ROUNDS].number};
}

static bool has_part(const gb_value args[], gb_timer timer, int part)
{
    (void)timer, (void)part;
    return args[ALLOCATE_ROUNDS].number == 1;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_allocate_state *s = gb_state_new(run, sizeof *s, "allocate", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->allocator = (gb_allocator){.way = way_of(run->args), .kind = kind_of(run->args)};
    s->n = (uint32_t)run->args[ALLOCATE_BLOCKS].number;
    s->rounds = (uint32_t)run->args[ALLOCATE_ROUNDS].number;
    s->bytes = (size_t)run->args[ALLOCATE_BYTES].number;
    s->words = s->bytes / sizeof(uint32_t);
    s->kept = kept_of(run->args);
    gb_code code = run->dev->ops->alloc(run->dev, GB_MEM_PAGEABLE, (size_t)result_bytes(run->args),
                                        &s->result, err);
    if (code == GB_OK && s->allocator.kind != GB_MEM_DEVICE)
        code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, s->bytes, &s->marked, err);
    return code;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    gb_allocate_state *s = run->state;
    return gb_memory_poison(run, &s->result, err);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const gb_allocate_state *s = run->state;
    gb_mismatch bad = {0};
    for (uint32_t b = 0; b < s->n; b++)
        gb_mark_compare(&bad, 2 * s->kept * b, (const uint32_t *)s->result.host + 2 * s->kept * b,
                        s->words, s->kept, gb_mark_salt(run->seed, b));
    return gb_mismatch_result(&bad, "allocate: words of blocks", 2 * s->kept * s->n,
                              sizeof(uint32_t), err);
}

static void release(gb_run *run)
{
    gb_allocate_state *s = run->state;
    if (s == NULL)
        return;
    gb_allocator_close(run, &s->allocator);
    gb_state_free(run, (gb_memory *[]){&s->marked, &s->result, NULL});
}

const gb_kernel gb_kernel_allocate = {
    .spec =
        {
            .name = "allocate",
            .source = "kernels/allocate.cu",
            .version = 1,
            .summary = "allocating memory and releasing it, by kind, size and way",
            .lesson =
                "Memory is not free even when nothing is done with it. A driver or an operating "
                "system has to find pages, enter them into page tables, and take them out again, "
                "and page-locked memory has every page pinned besides. That takes from "
                "microseconds "
                "to seconds, and a release may wait for the device. Hence programs allocate once "
                "and keep: by a pool in the driver that works in the order of a stream, or by a "
                "cache of blocks of their own, as frameworks do. Both give back what somebody "
                "else has released a moment ago, at a cost that hardly depends on the size.",
            .picture =
                "Over the size, plain allocation is flat as long as the calls are the longer part, "
                "then grows with the number of pages: pinned memory steepest, where each page is "
                "locked. Pool and cache stay flat at a fraction of it: what they save is the whole "
                "height between the curves, and it grows with the size.",
            GB_TABLES(params, metrics, check, work),
            .parts = parts,
            .devices = GB_ANY_DEVICE,
            .timers = GB_BIT(GB_TIMER_CALL),
            .caches = GB_BIT(GB_CACHE_WARM),
            .default_timer = GB_TIMER_CALL,
            .has_part = has_part,
        },
    GB_LIFE(prepare, gb_allocate_enqueue, reset, verify, release),
    .sample = gb_allocate_sample,
};
