/* divergence: what it costs when the lanes of a warp go different ways. See divergence.cu. */
#include "kernels/divergence.h"

#include <stdlib.h>

#include "kernels/access.h"
#include "kernels/common.h"

GB_FN_DECLARE(divergence_ways)
GB_FN_DECLARE(divergence_data)
GB_FN_DECLARE(divergence_exit)
GB_FN_DECLARE(divergence_one)

enum { PATTERN, WAYS, SPLIT, ORDER, ROUNDS, ELEMENTS };
enum pattern { WAYS_APART, DATA, EARLY_EXIT, ONE_LANE };
enum split { LANE, WARP };
enum order { SORTED, SHUFFLED };
static const char *const pattern_words[] = {"ways", "data", "early-exit", "one-lane", NULL};
static const char *const split_words[] = {"lane", "warp", NULL};
static const char *const order_words[] = {"sorted", "shuffled", NULL};

#define WARP_BITS 5
#define ROUND 32                                    /* steps of a round */
#define GROUPS (ROUND / DIVERGENCE_UNROLL)          /* of a round */
#define PERIOD (UINT64_C(32) * DIVERGENCE_MAX_WAYS) /* elements after which the paths repeat */
/* Inputs are v / (2 * VALUES), v = 0 .. VALUES-1: few, so that one table has every result. */
#define VALUES 1024

static const gb_param params[] = {
    [PATTERN] = GB_WORD_PARAM("pattern", pattern_words, "ways",
                              "what makes paths differ: a code for each of `ways`, the same chosen "
                              "by data, loops of `ways` lengths, or work for one in `ways` alone"),
    [WAYS] =
        GB_COUNT_PARAM("ways", "paths", 1, DIVERGENCE_MAX_WAYS, 2, "paths: 1, 2, 4, 8, 16 or 32"),
    [SPLIT] =
        GB_WORD_PARAM("split", split_words, "lane",
                      "neighbouring elements (lanes of a warp) take different paths, or groups "
                      "of 32 (whole warps) do: the control"),
    [ORDER] = GB_WORD_PARAM("order", order_words, "sorted",
                            "of data: elements of one path side by side, or anywhere"),
    [ROUNDS] = GB_COUNT_PARAM("rounds", "rounds", 1, 16, 8,
                              "length of a path: rounds of 32 dependent FMAs"),
    [ELEMENTS] = GB_COUNT_PARAM("elements", "elements", 1, UINT64_C(1) << 32, UINT64_C(1) << 20,
                                "numbers of 4 bytes that are read, sent down a path and written"),
};

static const gb_metric_spec metrics[] = {
    GB_FLOP_RATE("operations of all elements on their own paths (an FMA is two) over time"),
    GB_BANDWIDTH("bytes read and written over time"),
};

/* What the arguments come to. */
typedef struct task {
    enum pattern pattern;
    enum order order;
    divergence_split split;
    uint32_t groups; /* of DIVERGENCE_UNROLL steps; those of the longest path */
    uint64_t n;
} task;

typedef struct state {
    task task;
    gb_memory in, out, paths;
    gb_launch launch;
    divergence_constants constants;
    uint64_t seed;
    double (*expected)[VALUES]; /* of each path and input */
} state;

static task task_of(const gb_value args[])
{
    task t = {.pattern = (enum pattern)gb_word_index(pattern_words, args[PATTERN]),
              .order = (enum order)gb_word_index(order_words, args[ORDER]),
              .groups = (uint32_t)args[ROUNDS].number * GROUPS,
              .n = args[ELEMENTS].number};
    if (gb_word_index(split_words, args[SPLIT]) == WARP)
        t.split.shift = WARP_BITS;
    while ((1u << t.split.bits) < args[WAYS].number)
        t.split.bits++;
    return t;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    const task t = task_of(args);
    if (args[WAYS].number != 1u << t.split.bits)
        return gb_fail(err, GB_INVALID,
                       "ways (%llu) must be 1, 2, 4, 8, 16 or 32, so that all warps are alike",
                       (unsigned long long)args[WAYS].number);
    if (t.pattern == DATA && t.split.shift != 0)
        return gb_fail(err, GB_INVALID,
                       "split: warp belongs to patterns other than data; there leave it at lane");
    if (t.pattern != DATA && t.order != SORTED)
        return gb_fail(
            err, GB_INVALID,
            "order: shuffled belongs to pattern: data; for pattern %s leave it at sorted",
            args[PATTERN].word);
    *need = (gb_need){0};
    return gb_mul_u64(t.n, 2 * sizeof(float) + (t.pattern == DATA ? 1 : 0), &need->device_bytes,
                      err);
}

/* Of pattern data: equal shares of the elements, in order or by a random permutation of it. */
static uint32_t path_in_data(const task *t, access_shuffle shuffle, uint64_t i)
{
    const uint64_t place = t->order == SHUFFLED ? access_walk(shuffle, i) : i;
    return (uint32_t)((place << t->split.bits) / t->n);
}

/* Groups of steps of an element on a path. */
static uint32_t groups_of(const task *t, uint32_t path)
{
    switch (t->pattern) {
    case EARLY_EXIT:
        return divergence_exit_after(t->split, path, t->groups);
    case ONE_LANE:
        return path == 0 ? t->groups : 0;
    case WAYS_APART:
    case DATA:
        break;
    }
    return t->groups;
}

static uint64_t groups_until(const task *t, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += groups_of(t, divergence_path(t->split, i));
    return sum;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const task t = task_of(args);
    const uint64_t groups =
        t.n / PERIOD * groups_until(&t, PERIOD) + groups_until(&t, t.n % PERIOD);
    const uint64_t read = t.n * (sizeof(float) + (t.pattern == DATA ? 1 : 0));
    const uint64_t written = t.n * sizeof(float);
    *out = (gb_work){.bytes_read = read,
                     .bytes_written = written,
                     .bytes_moved = read + written,
                     .flops = groups * DIVERGENCE_UNROLL * 2 + t.n, /* the last addition */
                     .items = t.n,
                     .working_set = read + written,
                     .ceiling = GB_CEILING_MEMORY,
                     .compute = GB_COMPUTE_FP32};
}

static uint32_t value_of(uint64_t seed, uint64_t i)
{
    return (uint32_t)(gb_mix(seed, i) >> 40) % VALUES;
}

static float input(uint32_t value)
{
    return (float)value / (2 * VALUES);
}

static void make_input(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    float *in = elements;
    for (size_t i = 0; i < count; i++)
        in[i] = input(value_of(s->seed, first + i));
}

static void make_paths(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    const access_shuffle shuffle = access_shuffle_of(s->task.n);
    uint8_t *paths = elements;
    for (size_t i = 0; i < count; i++)
        paths[i] = (uint8_t)path_in_data(&s->task, shuffle, first + i);
}

/* Whole numbers over 2^14 and a factor of 1: the inputs are such numbers too, and 16 rounds lead
 * from below 1/2 to at most 3/2, so that no step and no sum rounds in 24 bits. Each step adds the
 * path's own constant, whatever came before: none can be left out unseen. */
static divergence_constants make_constants(void)
{
    divergence_constants k = {.a = 1};
    for (int p = 0; p < DIVERGENCE_MAX_WAYS; p++)
        k.c[p] = (float)(p + 1) / 16384;
    return k;
}

/* The reference, in double: patterns with one code use the first constant. */
static void make_table(state *s)
{
    const task *t = &s->task;
    const bool own_code = t->pattern == WAYS_APART || t->pattern == DATA;
    for (uint32_t path = 0; path < 1u << t->split.bits; path++) {
        const double c = s->constants.c[own_code ? path : 0];
        const uint32_t steps = groups_of(t, path) * DIVERGENCE_UNROLL;
        for (uint32_t v = 0; v < VALUES; v++) {
            double x = input(v);
            for (uint32_t step = 0; step < steps; step++)
                x = x * s->constants.a + c;
            s->expected[path][v] = x + input(v);
        }
    }
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "divergence", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->task = task_of(run->args);
    s->constants = make_constants();
    s->seed = gb_rng_derive(run->seed, 0);
    s->launch = gb_launch_shape(dev, s->task.n, GB_BLOCK);
    s->expected = calloc(DIVERGENCE_MAX_WAYS, sizeof *s->expected);
    if (s->expected == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the expected results of divergence");
    make_table(s);
    const uint64_t n = s->task.n;
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)n * sizeof(float), &s->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)n * sizeof(float), &s->out, err);
    if (code == GB_OK && s->task.pattern == DATA)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)n, &s->paths, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->in, sizeof(float), n, make_input, s, err);
    if (code == GB_OK && s->task.pattern == DATA)
        code = gb_memory_write(run, &s->paths, 1, n, make_paths, s, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    task *t = &s->task;
    gb_device *dev = run->dev;
    void *out = &s->out.device, *in = &s->in.device;
    switch (t->pattern) {
    case WAYS_APART:
        return dev->ops->launch(dev, run->stream, GB_FN(divergence_ways), &s->launch,
                                (void *[]){out, in, &t->n, &t->split, &t->groups, &s->constants},
                                err);
    case DATA:
        return dev->ops->launch(
            dev, run->stream, GB_FN(divergence_data), &s->launch,
            (void *[]){out, in, &s->paths.device, &t->n, &t->groups, &s->constants}, err);
    case EARLY_EXIT:
    case ONE_LANE:
        break;
    }
    return dev->ops->launch(
        dev, run->stream, t->pattern == ONE_LANE ? GB_FN(divergence_one) : GB_FN(divergence_exit),
        &s->launch, (void *[]){out, in, &t->n, &t->split, &t->groups, &s->constants}, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->out, err);
}

typedef struct checking {
    const state *s;
    access_shuffle shuffle;
} checking;

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const checking *c = user;
    const state *s = c->s;
    const task *t = &s->task;
    const float *found = elements;
    for (size_t k = 0; k < count; k++) {
        const uint64_t i = first + k;
        const uint32_t path =
            t->pattern == DATA ? path_in_data(t, c->shuffle, i) : divergence_path(t->split, i);
        gb_compare_f64(bad, i, s->expected[path][value_of(s->seed, i)], (double)found[k], 0);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    checking c = {.s = s, .shuffle = access_shuffle_of(s->task.n)};
    return gb_memory_verify(run, &s->out, sizeof(float), s->task.n, compare, &c, "divergence", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    free(s->expected);
    gb_state_free(run, (gb_memory *[]){&s->paths, &s->out, &s->in, NULL});
}

const gb_kernel gb_kernel_divergence = {
    .spec =
        {
            .name = "divergence",
            .source = "kernels/divergence.cu",
            .version = 2,
            .summary = "threads of a warp on different paths, against whole warps on them",
            .lesson =
                "A GPU runs threads in groups of 32, the warps, which have one instruction at a "
                "time. Where the lanes of a warp take different paths, the warp takes all of them, "
                "one after the other, and each time the other lanes wait. What counts is who "
                "shares a warp: the same code on the same number of elements costs nothing extra "
                "when whole warps agree (split: warp, the control). A loop that some lanes leave "
                "early lasts as long as its last lane; one lane at work keeps 31 waiting. Where "
                "data decides (pattern: data), sorting it first makes warps agree.",
            .picture =
                "On a GPU time over ways rises in proportion for split: lane, 32 times for 32 "
                "ways, and stays flat for split: warp. Early exit costs up to 2 W / (W + 1) times "
                "the control for W lengths. One lane at work costs many times the control, though "
                "less than 32: where few warps have work, each waits for its own last step. "
                "Shuffled data costs about as much as lanes, sorted data as warps. A CPU has no "
                "warps: its two "
                "splits differ by little, as each element is run by itself. What it does show is "
                "the branch predictor, which guesses sorted data and not shuffled data: each wrong "
                "guess costs some 10 to 20 cycles, seen best with few rounds.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
