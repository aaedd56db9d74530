/* fragment: memory that is free and cannot be had. fragment_run.c does it. */
#include "kernels/fragment.h"

#include <stdlib.h>
#include <string.h>

static const char *const allocator_words[] = {[FRAGMENT_FIRST_FIT] = "first-fit",
                                              [FRAGMENT_BEST_FIT] = "best-fit",
                                              [FRAGMENT_DRIVER] = "driver",
                                              NULL};
static const char *const pattern_words[] = {"alternate", "churn", NULL};

#define LEAST_BLOCK 2048 /* an eighth of it is aligned as allocations are */
#define MOST_BLOCKS 512

static const gb_param params[] = {
    [FRAGMENT_ALLOCATOR] = GB_WORD_PARAM("allocator", allocator_words, "first-fit",
                                         "blocks out of one slab, from the first or the smallest "
                                         "hole that is large enough; or by the driver's calls"),
    [FRAGMENT_PATTERN] = GB_WORD_PARAM("pattern", pattern_words, "alternate",
                                       "equal blocks, or blocks of 1/8 to 8/8 of that size of "
                                       "which many have come and gone; then every other goes"),
    [FRAGMENT_BUDGET] = GB_BYTES_PARAM("budget_bytes", 16384, UINT64_C(1) << 36, UINT64_C(64) << 20,
                                       "memory that all blocks together may take"),
    [FRAGMENT_BLOCK] = GB_BYTES_PARAM("block_bytes", LEAST_BLOCK, UINT64_C(1) << 34,
                                      UINT64_C(1) << 20, "size of the largest blocks"),
};

static const char *const parts[] = {[FRAGMENT_PART_FILL] = "fill",
                                    [FRAGMENT_PART_RELEASE] = "release",
                                    [FRAGMENT_PART_ASK] = "ask",
                                    [FRAGMENT_PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    [FRAGMENT_METRIC_USABLE] = GB_GAIN("usable", "%", GB_LEVEL, GB_WHOLE,
                                       "largest block that can be had within the budget, of "
                                       "all that is free in it"),
    GB_TIME("asking", FRAGMENT_PART_ASK, "finding that block, by halving"),
};

static fragment_allocator allocator_of(const gb_value args[])
{
    return (fragment_allocator)gb_word_index(allocator_words, args[FRAGMENT_ALLOCATOR]);
}

/* Blocks of the smallest size that fit into the budget. */
static uint64_t room_of(const gb_value args[])
{
    return args[FRAGMENT_BUDGET].number / (args[FRAGMENT_BLOCK].number / FRAGMENT_EIGHTHS);
}

static uint64_t kept_of(const gb_value args[])
{
    return gb_mark_kept(args[FRAGMENT_BLOCK].number / FRAGMENT_EIGHTHS / sizeof(uint32_t),
                        FRAGMENT_KEPT);
}

static uint64_t result_bytes(const gb_value args[])
{
    return (room_of(args) + 1) * gb_mark_bytes(kept_of(args));
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const uint64_t budget = args[FRAGMENT_BUDGET].number, block = args[FRAGMENT_BLOCK].number;
    if (block % LEAST_BLOCK != 0)
        return gb_fail(err, GB_INVALID, "block_bytes must be a multiple of 2 KiB");
    if (budget % (block / FRAGMENT_EIGHTHS) != 0 || budget < 4 * block ||
        budget > MOST_BLOCKS * block)
        return gb_fail(
            err, GB_INVALID,
            "budget_bytes must be 4 to %d blocks large, and a multiple of an eighth of one",
            MOST_BLOCKS);
    *need = (gb_need){.device_bytes = budget, .host_bytes = result_bytes(args)};
    if (kind == GB_CPU && allocator_of(args) == FRAGMENT_DRIVER)
        return gb_fail(err, GB_UNAVAILABLE,
                       "a processor's memory is virtual: the system puts a block together from "
                       "pages of any place, and what other processes do moves the free memory");
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    *out = (gb_work){.items = args[FRAGMENT_BUDGET].number / args[FRAGMENT_BLOCK].number};
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_fragment_state *s = gb_state_new(run, sizeof *s, "fragment", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->allocator = allocator_of(run->args);
    s->churn = gb_word_index(pattern_words, run->args[FRAGMENT_PATTERN]) == 1;
    s->budget = run->args[FRAGMENT_BUDGET].number;
    s->block = run->args[FRAGMENT_BLOCK].number;
    s->step = s->block / FRAGMENT_EIGHTHS;
    s->room = (size_t)room_of(run->args);
    s->kept = kept_of(run->args);
    s->blocks = calloc(s->room + 1, sizeof *s->blocks);
    s->checked_bytes = calloc(s->room + 1, sizeof *s->checked_bytes);
    if (s->blocks == NULL || s->checked_bytes == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the blocks of fragment");
    gb_code code = run->dev->ops->alloc(run->dev, GB_MEM_PAGEABLE, (size_t)result_bytes(run->args),
                                        &s->result, err);
    if (code == GB_OK && s->allocator != FRAGMENT_DRIVER)
        code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, (size_t)s->budget, &s->memory, err);
    return code;
}

/* Nothing is checked until an iteration has said how many blocks there are to check. */
static gb_code reset(gb_run *run, gb_error *err)
{
    gb_fragment_state *s = run->state;
    s->checked = 0;
    return gb_memory_poison(run, &s->result, err);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const gb_fragment_state *s = run->state;
    gb_mismatch bad = {0};
    if (s->checked == 0)
        return gb_fail(err, GB_WRONG_RESULT, "fragment: no block was in use");
    for (size_t i = 0; i < s->checked; i++)
        gb_mark_compare(&bad, 2 * s->kept * i, (const uint32_t *)s->result.host + 2 * s->kept * i,
                        s->checked_bytes[i] / sizeof(uint32_t), s->kept,
                        gb_mark_salt(run->seed, i));
    return gb_mismatch_result(&bad, "fragment: words of blocks", 2 * s->kept * s->checked,
                              sizeof(uint32_t), err);
}

static void release(gb_run *run)
{
    gb_fragment_state *s = run->state;
    if (s == NULL)
        return;
    free(s->blocks);
    free(s->checked_bytes);
    gb_state_free(run, (gb_memory *[]){&s->memory, &s->result, NULL});
}

const gb_kernel gb_kernel_fragment = {
    .spec =
        {
            .name = "fragment",
            .source = "kernels/allocate.cu",
            .version = 1,
            .summary = "memory that is free and cannot be had: holes between blocks in use",
            .lesson =
                "An allocator that cuts blocks out of one large piece and never moves them can be "
                "half empty and still refuse: what is free lies in holes, and a block has to fit "
                "into one of them. Which hole is taken (the first that fits, the best that fits) "
                "decides how small they become. A system with virtual addresses can do better, "
                "since "
                "it may put a block together from pages of any place, but only whole pages: two "
                "small "
                "blocks in one page hold the page for each other. Whoever keeps blocks of one "
                "size, "
                "or allocates the largest first, has no such holes.",
            .picture =
                "Every other of equal blocks gone: one block of what is free can be had, whatever "
                "the budget, so that the share falls as 2 over the number of blocks. After much "
                "coming and going of several sizes the holes differ, and so do the two rules. The "
                "driver's calls reach 100 % where a block takes whole pages of the device (2 MiB), "
                "and "
                "less where several blocks share one.",
            GB_TABLES(params, metrics, check, work),
            .parts = parts,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_fragment_enqueue, reset, verify, release),
    .sample = gb_fragment_sample,
};
