/* atomics: what it costs when threads add to places that they share. See atomics.cu. */
#include "kernels/atomics.h"

#include <stdlib.h>

#include "kernels/common.h"

GB_FN_DECLARE(atomics_global_int32)
GB_FN_DECLARE(atomics_global_fp32)
GB_FN_DECLARE(atomics_shared_int32)
GB_FN_DECLARE(atomics_shared_fp32)

enum { PLACE, TYPE, BY, ADDRESSES, PADDING, THREADS, ROUNDS };
enum place { GLOBAL, SHARED };
enum type { INT32, FP32 };
enum by { THREAD, BLOCK };
static const char *const place_words[] = {"global", "shared", NULL};
static const char *const type_words[] = {"int32", "fp32", NULL};
static const char *const by_words[] = {"thread", "block", NULL};

static const gb_fn *const functions[][2] = {
    [GLOBAL] = {GB_FN(atomics_global_int32), GB_FN(atomics_global_fp32)},
    [SHARED] = {GB_FN(atomics_shared_int32), GB_FN(atomics_shared_fp32)},
};

static const gb_param params[] = {
    [PLACE] = GB_WORD_PARAM("place", place_words, "global",
                            "where threads add: to counters that all share, or to those of their "
                            "block in shared memory, which are added to the others at its end"),
    [TYPE] = GB_WORD_PARAM("type", type_words, "int32", "type of the counters"),
    [BY] = GB_WORD_PARAM("by", by_words, "thread",
                         "whose counters differ: those of neighbouring threads, or all threads of "
                         "a block add to one and blocks differ"),
    [ADDRESSES] = GB_COUNT_PARAM("addresses", NULL, 1, UINT64_C(1) << 20, 1024,
                                 "counters; 1: everybody adds to the same one"),
    [PADDING] = GB_BYTES_PARAM("padding", ATOMICS_WORD, 128, ATOMICS_WORD,
                               "from one counter to the next, a multiple of 4 B"),
    [THREADS] = GB_COUNT_PARAM("threads", "threads", 1, UINT64_C(1) << 20, 65536,
                               "threads, in blocks of 256"),
    [ROUNDS] = GB_COUNT_PARAM("rounds", NULL, 1, 64, 16, "updates of each thread"),
};

static const gb_metric_spec metrics[] = {
    GB_ITEM_RATE("update_rate", GB_WHOLE, "updates of all threads over time"),
    GB_TIME_PER_ITEM("update_time", GB_WHOLE, "time over the number of updates of all threads"),
};

typedef struct state {
    gb_memory counters;
    gb_launch launch;
    const gb_fn *fn;
    enum type type;
    uint64_t gap; /* words from one counter to the next */
    uint32_t addresses, threads, step, blocks, rounds;
    uint64_t *sums;      /* what an iteration adds to each counter */
    uint64_t iterations; /* since the counters were 0 */
} state;

static enum type type_of(const gb_value args[])
{
    return (enum type)gb_word_index(type_words, args[TYPE]);
}

static bool by_block(const gb_value args[])
{
    return gb_word_index(by_words, args[BY]) == BLOCK;
}

static uint64_t blocks_of(const gb_value args[])
{
    return (args[THREADS].number + ATOMICS_BLOCK - 1) / ATOMICS_BLOCK;
}

/* The most that any counter has to hold. */
static uint64_t largest_sum(const gb_value args[])
{
    const uint64_t addresses = args[ADDRESSES].number;
    const uint64_t sharers = by_block(args)
                                 ? (blocks_of(args) + addresses - 1) / addresses * ATOMICS_BLOCK
                                 : args[THREADS].number;
    const uint64_t updates = sharers * args[ROUNDS].number;
    return ATOMICS_VALUES * (by_block(args) ? updates : (updates + addresses - 1) / addresses);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    const uint64_t bytes = args[ADDRESSES].number * args[PADDING].number;
    const uint64_t exact = type_of(args) == FP32 ? ATOMICS_EXACT_FP32 : ATOMICS_EXACT_INT32;
    *need = (gb_need){.device_bytes = bytes};
    if (args[PADDING].number % ATOMICS_WORD != 0)
        return gb_fail(err, GB_INVALID, "padding (%llu B) is not a multiple of %d B",
                       (unsigned long long)args[PADDING].number, ATOMICS_WORD);
    if (gb_word_index(place_words, args[PLACE]) == SHARED && bytes > ATOMICS_SHARED_BYTES)
        return gb_fail(err, GB_INVALID,
                       "addresses (%llu) of %llu B each are more than the %d B of shared memory "
                       "that a block has",
                       (unsigned long long)args[ADDRESSES].number,
                       (unsigned long long)args[PADDING].number, ATOMICS_SHARED_BYTES);
    if (by_block(args) && args[ADDRESSES].number > blocks_of(args))
        return gb_fail(err, GB_INVALID,
                       "addresses (%llu) is more than the %llu blocks of %llu threads, which add "
                       "to one each",
                       (unsigned long long)args[ADDRESSES].number,
                       (unsigned long long)blocks_of(args),
                       (unsigned long long)args[THREADS].number);
    if (largest_sum(args) > exact)
        return gb_fail(err, GB_INVALID,
                       "a counter may come to %llu, and %s is exact up to %llu only: fewer threads "
                       "or rounds, or more addresses",
                       (unsigned long long)largest_sum(args), args[TYPE].word,
                       (unsigned long long)exact);
    return GB_OK;
}

/* Compulsory traffic is each counter once; an update reads and writes one, wherever it is carried
 * out. No metric is made of those bytes: updates are what is counted. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t updates = args[THREADS].number * args[ROUNDS].number;
    const uint64_t bytes = args[ADDRESSES].number * ATOMICS_WORD;
    *out = (gb_work){
        .bytes_read = bytes,
        .bytes_written = bytes,
        .bytes_moved = 2 * updates * ATOMICS_WORD,
        .flops = type_of(args) == FP32 ? updates : 0,
        .items = updates,
        .working_set = args[ADDRESSES].number * args[PADDING].number,
        .ceiling = GB_CEILING_NONE,
    };
}

/* By going through all updates as they are defined, in another order than any device does. */
static void count_sums(state *s)
{
    for (uint32_t t = 0; s->blocks != 0 && t < s->threads; t++)
        s->sums[(uint64_t)(t / ATOMICS_BLOCK) * s->addresses / s->blocks] +=
            (uint64_t)s->rounds * ATOMICS_VALUE(t);
    uint32_t counter = 0;
    for (uint32_t r = 0; s->blocks == 0 && r < s->rounds; r++)
        for (uint32_t t = 0; t < s->threads; t++) {
            s->sums[counter] += ATOMICS_VALUE(t);
            counter = counter + 1 < s->addresses ? counter + 1 : 0;
        }
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    const bool shared = gb_word_index(place_words, run->args[PLACE]) == SHARED;
    state *s = gb_state_new(run, sizeof *s, "atomics", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->sums = calloc((size_t)run->args[ADDRESSES].number, sizeof *s->sums);
    if (s->sums == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the sums of atomics");
    s->type = type_of(run->args);
    s->fn = functions[shared ? SHARED : GLOBAL][s->type];
    s->addresses = (uint32_t)run->args[ADDRESSES].number;
    s->gap = run->args[PADDING].number / ATOMICS_WORD;
    s->threads = (uint32_t)run->args[THREADS].number;
    s->rounds = (uint32_t)run->args[ROUNDS].number;
    s->blocks = by_block(run->args) ? (uint32_t)blocks_of(run->args) : 0;
    s->step = s->blocks != 0 ? 0 : s->threads % s->addresses;
    s->launch = gb_launch_shape(run->dev, s->threads, ATOMICS_BLOCK);
    s->launch.shared_bytes = shared ? (uint32_t)(s->addresses * s->gap * ATOMICS_WORD) : 0;
    count_sums(s);
    return run->dev->ops->alloc(run->dev, GB_MEM_DEVICE,
                                (size_t)s->addresses * s->gap * ATOMICS_WORD, &s->counters, err);
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const bool takes_away = s->iterations % 2 != 0;
    uint32_t whole = takes_away ? UINT32_MAX : 1;
    float floating = takes_away ? -1 : 1;
    void *unit = s->type == FP32 ? (void *)&floating : (void *)&whole;
    gb_code code =
        run->dev->ops->launch(run->dev, run->stream, s->fn, &s->launch,
                              (void *[]){&s->counters.device, &s->gap, &s->addresses, &s->threads,
                                         &s->step, &s->blocks, &s->rounds, unit},
                              err);
    s->iterations += code == GB_OK;
    return code;
}

/* Words between counters stay 0. After an even number of iterations all have been taken away again;
 * after none there should have been one. */
static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const bool full = s->iterations == 0 || s->iterations % 2 != 0;
    const uint32_t *whole = elements;
    const float *floating = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = first + i;
        const uint64_t sum = full && word % s->gap == 0 ? s->sums[word / s->gap] : 0;
        if (s->type == FP32)
            gb_compare_f64(bad, word, (double)sum, (double)floating[i], 0);
        else
            gb_compare_u64(bad, word, sum, whole[i], 8);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const uint64_t words = s->addresses * s->gap;
    return gb_memory_verify(run, &s->counters, ATOMICS_WORD, words, compare, s, "atomics: counters",
                            err);
}

/* Looks at what all iterations since the last reset have left, the timed ones among them. Counters
 * begin at 0: anything else in them would be part of the sums. */
static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_code code = s->iterations > 0 ? verify(run, err) : GB_OK;
    s->iterations = 0;
    if (code == GB_OK)
        code = run->dev->ops->fill(run->dev, run->stream, s->counters.device, 0, s->counters.bytes,
                                   err);
    return code;
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    free(s->sums);
    gb_state_free(run, (gb_memory *[]){&s->counters, NULL});
}

const gb_kernel gb_kernel_atomics = {
    .spec =
        {
            .name = "atomics",
            .summary = "atomic additions: threads that add to the same counters, or to their own",
            .lesson =
                "An atomic addition reads, adds and writes as one step, so that no update is lost "
                "when two threads meet at one counter. The step is not what costs: waiting for "
                "each other is. Updates of one address go one after the other, wherever they "
                "come from, so a single counter for everybody is a queue. Three ways out of it: "
                "more counters that are added up later; counters of a block's own in shared "
                "memory, and one update for the whole block at the end; and, on a CPU, room "
                "between the counters, since two that share a cache line are as bad as one "
                "(false sharing). A lost update would leave a sum too small: all sums are known "
                "and exact, of floating-point counters too, and are compared.",
            .picture =
                "Updates a second over the number of counters: low with one, rising while threads "
                "spread, then level, and falling where the counters no longer fit into the cache. "
                "Counters in shared memory begin higher and lose their lead when there are so "
                "many that adding them to the others is the longer part. Padding helps a CPU with "
                "few counters that different cores use (by: block). On a GPU it spreads the "
                "updates of a warp over more lines, which costs where neighbours add to "
                "neighbours (by: thread); in shared memory 128 B put all counters into one bank. "
                "Floating-point additions in shared memory are loops of compare-and-swap on a "
                "GPU, and so are all of them on a CPU.",
            .source = "kernels/atomics.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE_WARM,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
