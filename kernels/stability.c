/* stability: one piece of work again and again, for as long as is asked, alone or beside a second
 * process that loads the device. Work and load are those of stability_load.c, whose device code is
 * that of overlap; neighbour.c starts the second process. */
#include <stdlib.h>

#include "kernels/common.h"
#include "kernels/neighbour.h"

enum { WORK, BESIDE, BYTES, ROUNDS, DURATION };

static const char *const work_words[] = {"compute", "memory", "launch", NULL};
static const char *const beside_words[] = {"none", "compute", "memory", "copies", NULL};
static const gb_load_kind work_kinds[] = {GB_LOAD_COMPUTE, GB_LOAD_MEMORY, GB_LOAD_LAUNCH};
/* by the words of `beside`, whose first is none */
static const gb_load_kind beside_kinds[] = {GB_LOADS, GB_LOAD_COMPUTE, GB_LOAD_MEMORY,
                                            GB_LOAD_COPIES};

/* A case that lasts takes about so many samples, spread evenly over all of its iterations: enough
 * for a 99th percentile within each of many windows, and few enough for a file. */
#define MOST_SAMPLES 50000
/* Iterations that are timed to know how many those are. */
#define TRIALS 15
/* Opening a device takes seconds on a machine with many of them. */
#define PATIENCE_NS UINT64_C(30000000000)

static const gb_param params[] = {
    [WORK] = GB_WORD_PARAM("work", work_words, "compute",
                           "what is repeated: arithmetic on data in the cache, a pass over a large "
                           "array, or a short launch"),
    [BESIDE] = GB_WORD_PARAM("beside", beside_words, "none",
                             "what a second process does on the device meanwhile"),
    [BYTES] =
        GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 40, UINT64_C(64) << 20,
                       "size of an array, of the work and of the neighbour's load, a multiple "
                       "of 4; of compute at most 4 MiB are used, of launch 256 KiB"),
    [ROUNDS] = GB_COUNT_PARAM("rounds", "steps", 1, 1000000, 256,
                              "multiply-adds for each element of compute"),
    [DURATION] =
        GB_NS_PARAM("duration", UINT64_C(1000000), UINT64_C(86400000000000), UINT64_C(1000000),
                    "how long samples are taken at least, whatever their precision "
                    "(samples.max ends it before)"),
};

static const gb_metric_spec metrics[] = {
    GB_TIME("mean", GB_WHOLE_MEAN,
            "mean of the samples: what a program that does many iterations sees"),
    GB_TIME("iteration_p99", GB_WHOLE_P99, "99 % of the iterations took no longer"),
    GB_TIME("slowest_second", GB_WHOLE_SLOWEST_SECOND, "the largest of the medians of all seconds"),
    GB_TIME("fastest_second", GB_WHOLE_FASTEST_SECOND,
            "the smallest of the medians of all seconds"),
    GB_TIME("first_half", GB_WHOLE_FIRST_HALF, "median of the first half of the samples"),
    GB_TIME("second_half", GB_WHOLE_SECOND_HALF, "median of the second half of the samples"),
    GB_BANDWIDTH("bytes read and written by the work memory, over time"),
};

typedef struct state {
    gb_load load;
    bool has_neighbour, loaded;
    gb_neighbour neighbour;
    uint64_t duration_ns, every; /* of so many iterations one is a sample */
    uint64_t began_ns;           /* the first sample; 0: none yet */
    uint64_t ended_ns;           /* the last one */
} state;

static gb_load_spec load_of(const gb_value args[], gb_load_kind kind)
{
    return (gb_load_spec){
        .kind = kind, .bytes = args[BYTES].number, .rounds = (uint32_t)args[ROUNDS].number};
}

static gb_load_spec work_of(const gb_value args[])
{
    return load_of(args, work_kinds[gb_word_index(work_words, args[WORK])]);
}

static gb_load_kind neighbour_of(const gb_value args[])
{
    return beside_kinds[gb_word_index(beside_words, args[BESIDE])];
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    if (args[BYTES].number % sizeof(uint32_t) != 0)
        return gb_fail(err, GB_INVALID, "bytes (%llu) is no multiple of 4",
                       (unsigned long long)args[BYTES].number);
    const gb_load_spec own = work_of(args);
    gb_load_need(&own, kind, need);
    if (neighbour_of(args) != GB_LOADS) {
        gb_need beside;
        const gb_load_spec load = load_of(args, neighbour_of(args));
        gb_load_need(&load, kind, &beside);
        need->beside_bytes = beside.device_bytes + beside.host_bytes;
    }
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const gb_load_spec own = work_of(args);
    const uint64_t n = gb_load_elements(&own), bytes = n * sizeof(uint32_t);
    (void)kind;
    *out = (gb_work){.bytes_read = bytes,
                     .bytes_written = bytes,
                     .flops = 2 * n * gb_load_rounds(&own),
                     .working_set = 2 * bytes,
                     .compute = GB_COMPUTE_INT32};
    if (own.kind == GB_LOAD_MEMORY) {
        out->bytes_moved = 2 * bytes;
        out->ceiling = GB_CEILING_MEMORY;
    }
}

/* A duration has up to twice as many samples as it is meant to have (`estimate` rounds down); fewer
 * may end it before. */
static uint64_t least_ns(const gb_value args[], uint64_t max_samples)
{
    const double share = fmin((double)max_samples / (2.0 * MOST_SAMPLES), 1);
    return (uint64_t)(share * (double)args[DURATION].number);
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    state *s = gb_state_new(run, sizeof *s, "stability", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    const gb_load_spec own = work_of(run->args);
    s->duration_ns = run->args[DURATION].number;
    s->every = 1;
    gb_code code = gb_load_prepare(run, &own, &s->load, err);
    if (code != GB_OK || neighbour_of(run->args) == GB_LOADS)
        return code;
    const gb_load_spec beside = load_of(run->args, neighbour_of(run->args));
    code = gb_neighbour_start(gb_tasks.program, &run->dev->info, &beside, run->seed, PATIENCE_NS,
                              &s->neighbour, err);
    s->has_neighbour = code == GB_OK;
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_load_enqueue(run, &s->load, err);
}

/* An iteration as a caller sees it, from the call until its end. */
static gb_code once(gb_run *run, double *ns, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    const uint64_t begin = ops->now_ns(run->dev);
    gb_code code = enqueue(run, err);
    if (code == GB_OK)
        code = ops->stream_sync(run->dev, run->stream, err);
    *ns = (double)(ops->now_ns(run->dev) - begin);
    return code;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The call before all samples, which is not measured: how many iterations fit into the time. */
static gb_code estimate(gb_run *run, gb_error *err)
{
    state *s = run->state;
    double trials[TRIALS];
    gb_code code = GB_OK;
    for (int i = 0; i < TRIALS && code == GB_OK; i++)
        code = once(run, &trials[i], err);
    if (code != GB_OK)
        return code;
    qsort(trials, TRIALS, sizeof trials[0], ascending);
    const double iterations = (double)s->duration_ns / fmax(trials[TRIALS / 2], 1);
    s->every = iterations > MOST_SAMPLES ? (uint64_t)(iterations / MOST_SAMPLES) : 1;
    return GB_OK;
}

static gb_code begin_samples(gb_run *run, gb_error *err)
{
    state *s = run->state;
    s->began_ns = run->dev->ops->now_ns(run->dev);
    return s->has_neighbour ? gb_neighbour_watch(&s->neighbour, err) : GB_OK;
}

/* All iterations run back to back, and one of `every` is the sample. */
static gb_code take(gb_run *run, gb_sample *out, gb_error *err)
{
    state *s = run->state;
    double ns = 0;
    gb_code code = s->began_ns == 0 ? begin_samples(run, err) : GB_OK;
    for (uint64_t i = 0; i < s->every && code == GB_OK; i++)
        code = once(run, &ns, err);
    out->ns += ns;
    s->ended_ns = run->dev->ops->now_ns(run->dev);
    return code == GB_OK && s->has_neighbour ? gb_neighbour_listen(&s->neighbour, err) : code;
}

static gb_code sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    state *s = run->state;
    *out = gb_sample_of(0);
    gb_code code = GB_OK;
    if (!s->loaded) {
        s->loaded = true;
        code = estimate(run, err);
        if (code == GB_OK)
            code = once(run, &out->ns, err);
        return code;
    }
    for (uint64_t i = 0; i < iterations && code == GB_OK; i++)
        code = take(run, out, err);
    out->ready = s->ended_ns - s->began_ns < s->duration_ns;
    return code;
}

/* Before the outputs are poisoned: whether the neighbour was there during all of the samples. */
static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_code code = GB_OK;
    if (s->has_neighbour && s->began_ns > 0)
        code = gb_neighbour_check(&s->neighbour, s->ended_ns, err);
    s->began_ns = 0;
    return code == GB_OK ? gb_load_poison(run, &s->load, err) : code;
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const state *s = run->state;
    return gb_load_verify(run, &s->load, err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    gb_neighbour_end(&s->neighbour);
    gb_load_free(run, &s->load);
    gb_state_free(run, (gb_memory *[]){NULL});
}

const gb_kernel gb_kernel_stability = {
    .spec =
        {
            .name = "stability",
            .source = "kernels/overlap.cu",
            .version = 1,
            .summary = "one piece of work again and again: for how long it stays as fast, and "
                       "beside a second process",
            .lesson =
                "A median over half a second says what a device can do, not what a program gets "
                "from it all day. A device that grows warm lowers its clocks after some seconds or "
                "minutes; one that is shared, as a virtual GPU or a processor in a cloud is, gives "
                "way to others whenever they work. Both show in time: as a drift, as a second "
                "mode, "
                "as seconds that are slower than the others, as a 99th percentile far from the "
                "median. What a neighbour costs is found by being one: a second process loads the "
                "device in a known way, and the same work is measured beside it.",
            .picture =
                "The samples in the order in which they were taken are a flat band and their "
                "histogram is one narrow hill where a device is steady. A staircase is a clock "
                "that "
                "changes, two bands are two clocks or a neighbour that comes and goes, single "
                "spikes are interruptions. Beside a neighbour work of the same kind takes about "
                "twice as long, since both want the same units, and of another kind less; two "
                "processes on one GPU take turns, so that even work of another kind waits. On the "
                "cpu device both share the cores.",
            GB_TABLES(params, metrics, check, work),
            .least_ns = least_ns,
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
    .sample = sample,
};
