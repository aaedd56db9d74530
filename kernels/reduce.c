/* reduce: sums of chunks, in four ways. See reduce.cu. */
#include "kernels/reduce.h"

#include "kernels/common.h"

#define DECLARE(type)                                                                              \
    GB_FN_DECLARE(reduce_serial_##type)                                                            \
    GB_FN_DECLARE(reduce_atomic_##type)                                                            \
    GB_FN_DECLARE(reduce_tree_##type)                                                              \
    GB_FN_DECLARE(reduce_shuffle_##type)
DECLARE(fp32)
DECLARE(fp64)

enum { VARIANT, TYPE, PER_THREAD, ELEMENTS };
enum variant { SERIAL, ATOMIC, TREE, SHUFFLE };
enum type { FP32, FP64 };
static const char *const variant_words[] = {"serial", "atomic", "tree", "shuffle", NULL};
static const char *const type_words[] = {"fp32", "fp64", NULL};
static const size_t type_bytes[] = {sizeof(float), sizeof(double)};
static const gb_fn *const functions[][2] = {
    {GB_FN(reduce_serial_fp32), GB_FN(reduce_serial_fp64)},
    {GB_FN(reduce_atomic_fp32), GB_FN(reduce_atomic_fp64)},
    {GB_FN(reduce_tree_fp32), GB_FN(reduce_tree_fp64)},
    {GB_FN(reduce_shuffle_fp32), GB_FN(reduce_shuffle_fp64)},
};

static const gb_param params[] = {
    [VARIANT] =
        GB_WORD_PARAM("variant", variant_words, "tree",
                      "how a chunk is summed up. serial: by one thread; atomic: the threads "
                      "of a block add to one place; tree: in shared memory; shuffle: by "
                      "handing registers from lane to lane"),
    [TYPE] = GB_WORD_PARAM("type", type_words, "fp32", "type of the elements"),
    [PER_THREAD] =
        GB_COUNT_PARAM("per_thread", "elements", 1, 1024, 4,
                       "elements that a thread adds up before the block reduces; a chunk "
                       "has 256 times that"),
    [ELEMENTS] = GB_COUNT_PARAM("elements", "elements", 1, UINT64_C(1) << 36, UINT64_C(1) << 24,
                                "numbers to add up"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes of the elements and of the sums over time"),
};

typedef struct state {
    gb_memory x, partial;
    const gb_fn *fn;
    gb_launch launch;
    enum variant variant;
    enum type type;
    uint64_t n, chunks;
    uint32_t per_thread;
    uint64_t seed;
} state;

static enum type type_of(const gb_value args[])
{
    return (enum type)gb_word_index(type_words, args[TYPE]);
}

static uint64_t chunks_of(const gb_value args[])
{
    const uint64_t length = args[PER_THREAD].number * REDUCE_BLOCK;
    return (args[ELEMENTS].number + length - 1) / length;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    (void)err;
    const size_t size = type_bytes[type_of(args)];
    *need = (gb_need){.device_bytes = (args[ELEMENTS].number + chunks_of(args)) * size};
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const size_t size = type_bytes[type_of(args)];
    const uint64_t n = args[ELEMENTS].number, chunks = chunks_of(args);
    *out = (gb_work){
        .bytes_read = n * size,
        .bytes_written = chunks * size,
        .bytes_moved = (n + chunks) * size,
        .flops = n, /* an addition an element, as in stream */
        .items = n,
        .working_set = (n + chunks) * size,
        .ceiling = GB_CEILING_MEMORY,
        .compute = type_of(args) == FP32 ? GB_COMPUTE_FP32 : GB_COMPUTE_FP64,
    };
}

/* A multiple of 1/32 in [1, 2), in 32nds. The largest chunk has 2^18 of them: every sum is less
 * than 2^24 whole 32nds and so exact in both types, in any order. */
static unsigned value(uint64_t seed, uint64_t i)
{
    return 32 + (unsigned)(gb_mix(seed, i) >> 59);
}

static void make(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    float *singles = elements;
    double *doubles = elements;
    if (s->type == FP32)
        for (size_t i = 0; i < count; i++)
            singles[i] = (float)value(s->seed, first + i) / 32.0f;
    else
        for (size_t i = 0; i < count; i++)
            doubles[i] = value(s->seed, first + i) / 32.0;
}

/* As many blocks as the device holds at a time, each of which takes chunk after chunk. A CPU's
 * workers get several each, so that they end together. */
static gb_code plan_launch(gb_device *dev, state *s, gb_error *err)
{
    s->launch = gb_launch_shape(dev, s->chunks, REDUCE_BLOCK);
    if (s->variant == SERIAL)
        return GB_OK;
    s->launch = (gb_launch){.grid = {1, 1, 1}, .block = {REDUCE_BLOCK, 1, 1}};
    uint32_t resident = 0;
    gb_code code = dev->ops->blocks_per_unit(dev, s->fn, &s->launch, &resident, err);
    if (code != GB_OK)
        return code;
    const uint64_t units = dev->info.units > 0 ? dev->info.units : 1;
    const uint64_t blocks = units * resident * (dev->info.kind == GB_CPU ? 8 : 1);
    s->launch.grid[0] = gb_launch_shape(dev, blocks < s->chunks ? blocks : s->chunks, 1).grid[0];
    return GB_OK;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "reduce", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->variant = (enum variant)gb_word_index(variant_words, run->args[VARIANT]);
    s->type = type_of(run->args);
    s->fn = functions[s->variant][s->type];
    s->n = run->args[ELEMENTS].number;
    s->chunks = chunks_of(run->args);
    s->per_thread = (uint32_t)run->args[PER_THREAD].number;
    s->seed = gb_rng_derive(run->seed, 0);
    const size_t size = type_bytes[s->type];
    gb_code code = plan_launch(dev, s, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)s->n * size, &s->x, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)s->chunks * size, &s->partial, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->x, size, s->n, make, s, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return run->dev->ops->launch(
        run->dev, run->stream, s->fn, &s->launch,
        (void *[]){&s->partial.device, &s->x.device, &s->n, &s->chunks, &s->per_thread}, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->partial, err);
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const float *singles = elements;
    const double *doubles = elements;
    const uint64_t length = (uint64_t)REDUCE_BLOCK * s->per_thread;
    for (size_t i = 0; i < count; i++) {
        const uint64_t from = (first + i) * length;
        const uint64_t terms = s->n - from < length ? s->n - from : length;
        uint64_t sum = 0;
        for (uint64_t k = 0; k < terms; k++)
            sum += value(s->seed, from + k);
        gb_compare_f64(bad, first + i, (double)sum / 32,
                       s->type == FP32 ? (double)singles[i] : doubles[i], 0);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const size_t size = type_bytes[s->type];
    return gb_memory_verify(run, &s->partial, size, s->chunks, compare, s,
                            "reduce: sums of the chunks", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->partial, &s->x, NULL});
}

const gb_kernel gb_kernel_reduce = {
    .spec =
        {
            .name = "reduce",
            .source = "kernels/reduce.cu",
            .version = 1,
            .summary = "sums by one thread, by atomics, by a tree in shared memory, by shuffles",
            .lesson =
                "Adding up an array is bound by memory, if the adding is done well. Each thread of "
                "a block sums up a few elements; then 256 sums have to become one, and the threads "
                "depend on each other. One thread that does all of it alone is waiting for memory "
                "and for its own last addition most of the time. Atomic additions to one place are "
                "right but go one after the other. A tree in shared memory needs 8 steps, with a "
                "barrier after each. Shuffles hand values from register to register inside a warp "
                "and need neither memory nor barriers until the last step. The more elements each "
                "thread adds up by itself first, the less the difference matters: that is usually "
                "the best optimisation of the four.",
            .picture =
                "Bandwidth over per_thread: shuffle and tree rise to the speed of memory, shuffle "
                "a little earlier; atomic begins far below and comes close once a thread has many "
                "elements for one atomic addition. serial lies at the bottom. On a CPU serial is a "
                "plain loop, held up by the latency of an addition, and the tree's 256 independent "
                "sums are faster; shuffles are emulated there and not a figure to compare.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
