/* exhaust: more memory than there is, and what works afterwards. */
#include "kernels/exhaust.h"

#include <string.h>

enum { HOW, WAY, BUDGET, BYTES };
enum { FILL, REFUSAL, RECOVERY, PARTS };
typedef enum how { BEYOND, FILLED } how;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static const char *const how_words[] = {[BEYOND] = "beyond", [FILLED] = "filled", NULL};
static const char *const way_words[] = {"plain", "stream", NULL}; /* gb_way, without the cache */

static const gb_param params[] = {
    [HOW] = GB_WORD_PARAM("how", how_words, "beyond",
                          "one request for twice the memory that there is, or blocks until one is "
                          "refused, in a process whose address space is bounded"),
    [WAY] = GB_WORD_PARAM("way", way_words, "plain",
                          "the device's own calls, or its pool in the order of a stream"),
    [BUDGET] = GB_BYTES_PARAM("budget_bytes", UINT64_C(64) << 20, UINT64_C(1) << 34,
                              UINT64_C(128) << 20, "what that process may have in all"),
    [BYTES] = GB_BYTES_PARAM("bytes", 4, UINT64_C(2) << 20, UINT64_C(1) << 20,
                             "what is allocated after the refusal"),
};

static const char *const parts[] = {
    [FILL] = "fill", [REFUSAL] = "refusal", [RECOVERY] = "recovery", [PARTS] = NULL};

static const gb_metric_spec metrics[] = {
    GB_TIME("refusal", REFUSAL, "the call that is refused"),
    GB_TIME("recovery", RECOVERY,
            "after it: memory allocated, written by a kernel, read and released"),
};

typedef struct state {
    gb_marked block;
    how how;
    gb_allocator allocator;
    size_t bytes;
} state;

static how how_of(const gb_value args[])
{
    return (how)gb_word_index(how_words, args[HOW]);
}

static uint64_t kept_of(const gb_value args[])
{
    return gb_mark_kept(args[BYTES].number / sizeof(uint32_t), GB_CHILD_WORDS / 2);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const bool stream = gb_word_index(way_words, args[WAY]) == GB_WAY_STREAM;
    *need = (gb_need){.host_bytes = gb_mark_bytes(kept_of(args))};
    if (kind == GB_CPU && stream)
        return gb_fail(err, GB_UNAVAILABLE,
                       "the cpu device has no memory in the order of a stream");
    if (how_of(args) == BEYOND)
        return GB_OK;
    if (kind != GB_CPU)
        return gb_fail(err, GB_UNAVAILABLE,
                       "filling a device to its end would take the memory of all others who use "
                       "it; the bound on a process's address space does not hold there");
    if (SANITIZED)
        return gb_fail(err, GB_UNAVAILABLE, "a sanitizer needs all of the address space");
    return GB_OK;
}

/* Here: the check that stands before the system refuses on cpu, the driver on a GPU. */
static gb_code ask_beyond(gb_run *run, double took[PARTS], gb_error *err)
{
    state *s = run->state;
    uint64_t free = 0, total = 0;
    gb_code code = run->dev->ops->memory_info(run->dev, &free, &total, err);
    const uint64_t begin = gb_now_ns();
    if (code == GB_OK)
        code = gb_exhaust_refused(run, &s->allocator, 2 * (size_t)total, err);
    const uint64_t refused = gb_now_ns();
    if (code == GB_OK)
        code = gb_exhaust_use(run, &s->allocator, s->bytes, s->block.kept, s->block.ends.host, err);
    took[FILL] = 0;
    took[REFUSAL] = (double)(refused - begin);
    took[RECOVERY] = (double)(gb_now_ns() - refused);
    return code;
}

/* In a process of its own, by the system. */
static gb_code fill_up(gb_run *run, double took[PARTS], gb_error *err)
{
    state *s = run->state;
    gb_child child;
    gb_child_answer answer;
    const uint64_t given[EXHAUST_GIVEN] = {
        [EXHAUST_GIVEN_BUDGET] = run->args[BUDGET].number,
        [EXHAUST_GIVEN_BYTES] = s->bytes,
        [EXHAUST_GIVEN_SEED] = run->seed,
    };
    gb_code code = gb_child_ask(run, gb_exhaust_task.name, given, EXHAUST_GIVEN, &s->block.ends,
                                &child, &answer, err);
    if (code != GB_OK)
        return code;
    const uint64_t *at = answer.at_ns;
    took[FILL] = (double)(at[EXHAUST_AT_FULL] - at[EXHAUST_AT_BEGIN]);
    took[REFUSAL] = (double)(at[EXHAUST_AT_REFUSED] - at[EXHAUST_AT_FULL]);
    took[RECOVERY] = (double)(at[EXHAUST_AT_USED] - at[EXHAUST_AT_FREED]);
    return GB_OK;
}

static gb_code once(gb_run *run, gb_sample *out, gb_error *err)
{
    const state *s = run->state;
    double took[PARTS] = {0};
    gb_code code = s->how == BEYOND ? ask_beyond(run, took, err) : fill_up(run, took, err);
    for (int p = 0; p < PARTS; p++) {
        out->parts[p] += took[p];
        out->ns += took[p];
    }
    return code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    state *s = gb_state_new(run, sizeof *s, "exhaust", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->how = how_of(run->args);
    s->allocator = (gb_allocator){.way = (gb_way)gb_word_index(way_words, run->args[WAY]),
                                  .kind = GB_MEM_DEVICE};
    s->bytes = (size_t)run->args[BYTES].number;
    s->block = (gb_marked){.once = once,
                           .parts = PARTS,
                           .words = s->bytes / sizeof(uint32_t),
                           .kept = kept_of(run->args)};
    return gb_marked_alloc(run, &s->block, err);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const state *s = run->state;
    return gb_marked_check(run, &s->block, "exhaust: words written after a refusal", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    gb_allocator_close(run, &s->allocator);
    gb_state_free(run, (gb_memory *[]){&s->block.ends, NULL});
}

const gb_kernel gb_kernel_exhaust = {
    .spec =
        {
            .name = "exhaust",
            .source = "kernels/allocate.cu",
            .version = 1,
            .summary = "more memory than there is: refused cleanly, and all works afterwards",
            .lesson =
                "Running out of memory need not be the end. An allocation that is refused leaves "
                "nothing behind on a GPU: the context is whole, and the next call works, so that a "
                "server can free what it caches and try again, or turn one request away. What must "
                "not happen is that the refusal takes everything with it, that it takes seconds, "
                "or "
                "that it comes as another error. A system that overcommits grants first and kills "
                "later; a bound on the process has it refuse.",
            .picture =
                "Both bars are short: the refusal takes no longer than an allocation that is "
                "granted, often less, since nothing has to be found; the recovery is an ordinary "
                "allocation, a kernel and a copy. A case whose request is granted, fails in "
                "another way, or leaves a device that no longer works is wrong, not slow.",
            GB_TABLES(params, metrics, check, gb_work_one),
            .parts = parts,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, gb_marked_enqueue, gb_marked_reset, verify, release),
    .sample = gb_marked_sample,
};
