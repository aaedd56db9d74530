/* occupancy: how much has to be under way to keep a device busy. See occupancy.cu. */
#include "kernels/occupancy.h"

#include <stdlib.h>

#include "kernels/common.h"
#include "kernels/fma.h"
#include "kernels/occupancy_fit.h"

#define DECLARE(n) GB_FN_DECLARE(occupancy_loads_##n) GB_FN_DECLARE(occupancy_chains_##n)
OCCUPANCY_INDEPENDENT(DECLARE)

enum { WHAT, INDEPENDENT, WARPS, BYTES, STEPS };
enum what { LOADS, CHAINS };
static const char *const what_words[] = {"loads", "chains", NULL};

/* A chain may count so far that twice it plus one is a whole number of fp32 still (fma.h). */
#define MOST_ROUNDS (UINT64_C(1) << 23)

static const struct {
    uint64_t independent;
    const gb_fn *fn[2];
} codes[] = {
#define CODE(n) {n, {GB_FN(occupancy_loads_##n), GB_FN(occupancy_chains_##n)}},
    OCCUPANCY_INDEPENDENT(CODE)};

static const gb_param params[] = {
    [WHAT] = GB_WORD_PARAM("what", what_words, "loads",
                           "loads from memory, or chains of multiply-adds (fp32)"),
    [INDEPENDENT] =
        GB_COUNT_PARAM("independent", NULL, 1, OCCUPANCY_MOST_INDEPENDENT, 4,
                       "loads that each thread has under way, or chains: 1, 2, 4 .. 32"),
    [WARPS] = GB_COUNT_PARAM(
        "warps", "warps", 0, 64, 0,
        "resident warps an SM: up to 4, or a multiple of 4; 0: as many as fit, on a CPU all "
        "of its threads"),
    [BYTES] = GB_BYTES_PARAM("bytes", 4096, UINT64_C(1) << 36, UINT64_C(128) << 20,
                             "array that the loads read once, a power of two"),
    [STEPS] =
        GB_COUNT_PARAM("steps", NULL, 1024, UINT64_C(1) << 40, UINT64_C(1) << 26,
                       "steps of all chains together, two multiply-adds each: a multiple of 32 x "
                       "independent"),
};

enum { BANDWIDTH, FLOP_RATE, OCCUPANCY };
static const gb_metric_spec metrics[] = {
    [BANDWIDTH] =
        GB_GAIN("bandwidth", "B/s", GB_PER_BYTES_READ, GB_WHOLE, "bytes read over time; of loads"),
    [FLOP_RATE] = GB_FLOP_RATE("floating-point operations over time; of chains"),
    [OCCUPANCY] = GB_GAIN("occupancy", "%", GB_LEVEL, GB_WHOLE,
                          "resident warps, of those that would be without the spoiler (GPUs)"),
};

typedef struct state {
    gb_memory from, to;
    gb_launch launch;
    const gb_fn *fn;
    enum what what;
    bool cpu;
    uint32_t independent, threads;
    uint64_t units;  /* of loads: words, or cache lines of a CPU */
    uint64_t rounds; /* of chains, of all groups of threads together */
    uint64_t seed;
    uint32_t *sums; /* of loads, what each thread has to find */
    double level;
} state;

static enum what what_of(const gb_value args[])
{
    return (enum what)gb_word_index(what_words, args[WHAT]);
}

static const gb_fn *code_of(const gb_value args[])
{
    for (size_t i = 0; i < GB_COUNT(codes); i++)
        if (codes[i].independent == args[INDEPENDENT].number)
            return codes[i].fn[what_of(args)];
    return NULL;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const bool loads = what_of(args) == LOADS;
    const unsigned long long independent = args[INDEPENDENT].number, warps = args[WARPS].number,
                             bytes = args[BYTES].number, steps = args[STEPS].number;
    *need = (gb_need){.device_bytes = (loads ? bytes : 0) +
                                      (uint64_t)OCCUPANCY_MOST_THREADS * sizeof(uint32_t)};
    if (code_of(args) == NULL)
        return gb_fail(err, GB_INVALID, "independent (%llu) is none of 1, 2, 4, 8, 16 and 32",
                       independent);
    if (warps > OCCUPANCY_BLOCK_WARPS && warps % OCCUPANCY_BLOCK_WARPS != 0)
        return gb_fail(err, GB_INVALID, "warps (%llu) is above %d and no multiple of it", warps,
                       OCCUPANCY_BLOCK_WARPS);
    if (loads && (bytes & (bytes - 1)) != 0)
        return gb_fail(err, GB_INVALID, "bytes (%llu) is no power of two", bytes);
    if (!loads && steps % (OCCUPANCY_GROUP * independent) != 0)
        return gb_fail(err, GB_INVALID, "steps (%llu) is no multiple of %d x independent (%llu)",
                       steps, OCCUPANCY_GROUP, independent);
    if (kind == GB_CPU && warps != 0)
        return gb_fail(
            err, GB_UNAVAILABLE,
            "warps: a processor keeps no warps resident; it is measured with `warps: 0`, "
            "all of its threads, and what each of them has under way");
    return GB_OK;
}

/* A word of result for each thread, of which the device has so many as it has, is not counted. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t bytes = args[BYTES].number, steps = args[STEPS].number;
    if (what_of(args) == LOADS)
        *out = (gb_work){.bytes_read = bytes,
                         .bytes_moved = bytes,
                         .items = bytes / sizeof(uint32_t),
                         .working_set = bytes,
                         .ceiling = GB_CEILING_MEMORY};
    else
        *out = (gb_work){.flops = 4 * steps, .items = 2 * steps, .compute = GB_COMPUTE_FP32};
}

typedef struct adding {
    const state *s;
    uint64_t words; /* of a unit */
} adding;

/* What the threads [first, end) have to find; by several threads at once. */
static void add_up(void *context, uint64_t first, uint64_t end)
{
    const adding *a = context;
    const state *s = a->s;
    for (uint64_t t = first; t < end; t++) {
        uint32_t sum = 0;
        for (uint64_t at = t; at < s->units; at += s->threads) {
            const uint64_t unit = s->cpu ? at * OCCUPANCY_SCATTER % s->units : at;
            for (uint64_t w = 0; w < a->words; w++)
                sum += gb_word32(s->seed, unit * a->words + w);
        }
        s->sums[t] = sum;
    }
}

static gb_code prepare_loads(gb_run *run, state *s, gb_error *err)
{
    const uint64_t bytes = run->args[BYTES].number, count = bytes / sizeof(uint32_t);
    const uint64_t words = s->cpu ? OCCUPANCY_LINE_WORDS : 1;
    s->units = count / words;
    s->sums = malloc((size_t)s->threads * sizeof *s->sums);
    if (s->sums == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the sums of occupancy");
    gb_code code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, (size_t)bytes, &s->from, err);
    if (code == GB_OK)
        code =
            gb_memory_write(run, &s->from, sizeof(uint32_t), count, gb_make_words32, &s->seed, err);
    adding a = {s, words};
    if (code == GB_OK)
        gb_host_run(s->threads, add_up, &a);
    return code;
}

/* Groups of threads share the rounds; each chain counts up by one a round. */
static gb_code prepare_chains(const gb_run *run, state *s, gb_error *err)
{
    const uint64_t groups = s->threads / OCCUPANCY_GROUP;
    s->rounds = run->args[STEPS].number / OCCUPANCY_GROUP / s->independent;
    if ((s->rounds / groups + 1) * s->independent > MOST_ROUNDS)
        return gb_fail(err, GB_UNAVAILABLE,
                       "steps: %llu of them on %u threads are more than the %llu each that fp32 "
                       "counts exactly",
                       (unsigned long long)run->args[STEPS].number, s->threads,
                       (unsigned long long)MOST_ROUNDS);
    return GB_OK;
}

/* On a CPU a thread for each of its own, which loads, or computes for a group of threads. */
static gb_code choose_launch(gb_run *run, state *s, gb_error *err)
{
    const gb_device_info *info = &run->dev->info;
    occupancy_fit fit = {0};
    s->level = NAN;
    if (s->cpu) {
        const uint32_t block = s->what == LOADS ? 1 : OCCUPANCY_GROUP;
        s->launch = gb_launch_shape(run->dev, (uint64_t)info->units * block, block);
    } else {
        gb_code code =
            occupancy_fit_warps(run->dev, s->fn, (uint32_t)run->args[WARPS].number, &fit, err);
        if (code != GB_OK)
            return code;
        s->launch = fit.launch;
        s->level = 100.0 * fit.warps / fit.most_warps;
    }
    const uint64_t threads = (uint64_t)s->launch.grid[0] * s->launch.block[0];
    if (threads > OCCUPANCY_MOST_THREADS)
        return gb_fail(err, GB_UNAVAILABLE, "%llu resident threads; there is room for %u",
                       (unsigned long long)threads, OCCUPANCY_MOST_THREADS);
    s->threads = (uint32_t)threads;
    return GB_OK;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    state *s = gb_state_new(run, sizeof *s, "occupancy", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->what = what_of(run->args);
    s->fn = code_of(run->args);
    s->cpu = run->dev->info.kind == GB_CPU;
    s->independent = (uint32_t)run->args[INDEPENDENT].number;
    s->seed = gb_rng_derive(run->seed, 0);
    gb_code code = choose_launch(run, s, err);
    if (code == GB_OK)
        code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE,
                                    OCCUPANCY_MOST_THREADS * sizeof(uint32_t), &s->to, err);
    if (code != GB_OK)
        return code;
    return s->what == LOADS ? prepare_loads(run, s, err) : prepare_chains(run, s, err);
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    static const float steps[] = {2, 1, 0.5f, 0.5f};
    state *s = run->state;
    uint32_t lines = s->cpu, nothing = 0;
    float a = steps[0], b = steps[1], c = steps[2], d = steps[3];
    void *loads[] = {&s->to.device, &s->from.device, &s->units, &lines, &nothing};
    void *chains[] = {&s->to.device, &s->rounds, &a, &b, &c, &d};
    if (!s->cpu)
        run->levels[OCCUPANCY] = s->level;
    return run->dev->ops->launch(run->dev, run->stream, s->fn, &s->launch,
                                 s->what == LOADS ? loads : chains, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->to, err);
}

/* What thread t's chains add up to. */
static double chain_sum(const state *s, uint64_t t)
{
    const uint64_t groups = s->threads / OCCUPANCY_GROUP, group = t / OCCUPANCY_GROUP;
    const uint64_t rounds = s->rounds / groups + (group < s->rounds % groups);
    double sum = 0;
    for (uint32_t i = 0; i < s->independent; i++)
        sum += (double)FLOPS_FIRST(t % OCCUPANCY_GROUP, i) + (double)rounds;
    return sum;
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const uint32_t *words = elements;
    const float *floats = elements;
    for (size_t i = 0; i < count; i++) {
        if (s->what == LOADS)
            gb_compare_u64(bad, first + i, s->sums[first + i], words[i], 8);
        else
            gb_compare_f64(bad, first + i, chain_sum(s, first + i), (double)floats[i], 0);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_verify(run, &s->to, sizeof(uint32_t), s->threads, compare, s,
                            "occupancy: sums of the threads", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    free(s->sums);
    gb_state_free(run, (gb_memory *[]){&s->to, &s->from, NULL});
}

const gb_kernel gb_kernel_occupancy = {
    .spec =
        {
            .name = "occupancy",
            .summary = "how much must be under way: resident warps, loads in flight, chains",
            .lesson =
                "Memory answers late, and an arithmetic unit after a few cycles; what keeps both "
                "busy meanwhile is other work that is under way. Little's law says how much: "
                "latency x rate. It can come from many warps (occupancy), or from one thread "
                "that does several independent things at a time, and one replaces the other: few "
                "warps with many loads each are as fast as many with one. Beyond what the law "
                "asks for nothing is gained, and more can be slower, since what is under way "
                "needs registers and room in queues and caches. So the question is never how to "
                "get 100 % occupancy, but whether enough is in flight.",
            .picture =
                "Bandwidth over resident warps, a line for each number of loads in flight: all "
                "rise in proportion, bend, and end on the same plateau, and the more loads a "
                "thread has under way the fewer warps it takes to get there. The same for "
                "multiply-adds over chains: with four warps for each scheduler one chain is "
                "enough, with one warp it takes four. The right end may fall again. On a CPU, "
                "which has no warps, the loads in flight of each of its threads and the chains "
                "of each show the same rise and the same end: as many lines as a core can wait "
                "for, as many chains as cover its multiply-adds, and with more chains than it "
                "has registers the line falls.",
            .source = "kernels/occupancy.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE_WARM,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
