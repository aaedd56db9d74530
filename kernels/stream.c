/* stream: the operations of STREAM and BabelStream on arrays of fp32 or fp64. See stream.cu. */
#include "kernels/stream.h"

#include <float.h>
#include <stdlib.h>

#include "kernels/common.h"

GB_FN_DECLARE(stream_write_fp32)
GB_FN_DECLARE(stream_write_fp64)
GB_FN_DECLARE(stream_copy_fp32)
GB_FN_DECLARE(stream_copy_fp64)
GB_FN_DECLARE(stream_scale_fp32)
GB_FN_DECLARE(stream_scale_fp64)
GB_FN_DECLARE(stream_add_fp32)
GB_FN_DECLARE(stream_add_fp64)
GB_FN_DECLARE(stream_triad_fp32)
GB_FN_DECLARE(stream_triad_fp64)
GB_FN_DECLARE(stream_read_fp32)
GB_FN_DECLARE(stream_read_fp64)
GB_FN_DECLARE(stream_dot_fp32)
GB_FN_DECLARE(stream_dot_fp64)

enum { OP, TYPE, BYTES };
enum op { READ, WRITE, COPY, SCALE, ADD, TRIAD, DOT };
enum type { FP32, FP64 };
static const char *const op_words[] = {"read", "write", "copy", "scale",
                                       "add",  "triad", "dot",  NULL};
static const char *const type_words[] = {"fp32", "fp64", NULL};
static const size_t type_bytes[] = {sizeof(float), sizeof(double)};

/* What an operation does: arrays read and written, floating-point operations an element. */
static const struct operation {
    unsigned reads, writes, flops;
    const gb_fn *fn[2];
} operations[] = {
    [READ] = {1, 0, 1, {GB_FN(stream_read_fp32), GB_FN(stream_read_fp64)}},
    [WRITE] = {0, 1, 0, {GB_FN(stream_write_fp32), GB_FN(stream_write_fp64)}},
    [COPY] = {1, 1, 0, {GB_FN(stream_copy_fp32), GB_FN(stream_copy_fp64)}},
    [SCALE] = {1, 1, 1, {GB_FN(stream_scale_fp32), GB_FN(stream_scale_fp64)}},
    [ADD] = {2, 1, 1, {GB_FN(stream_add_fp32), GB_FN(stream_add_fp64)}},
    [TRIAD] = {2, 1, 2, {GB_FN(stream_triad_fp32), GB_FN(stream_triad_fp64)}},
    [DOT] = {2, 0, 2, {GB_FN(stream_dot_fp32), GB_FN(stream_dot_fp64)}},
};

/* The scalar of scale, triad and write. A small whole number, so that every result is exact. */
#define SCALAR 3.0
/* Blocks of a reduction at the most, each with a partial sum. */
#define MAX_PARTIALS 8192

static const gb_param params[] = {
    [OP] =
        GB_WORD_PARAM("op", op_words, "triad",
                      "x: read; a=s: write; a=x: copy; a=s*x: scale; a=x+y: add; a=x+s*y: triad; "
                      "sum x*y: dot"),
    [TYPE] = GB_WORD_PARAM("type", type_words, "fp64", "type of the elements"),
    [BYTES] = GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 40, UINT64_C(256) << 20,
                             "size of each array; one to three are used"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes of all arrays, read and written, over time"),
};

/* How the tiles of a reduction are dealt to its blocks; see stream.cu. */
typedef struct dealing {
    uint32_t grid;
    uint64_t tile; /* elements */
    uint64_t per_block, block_stride, tile_stride;
} dealing;

typedef struct state {
    gb_memory to, x, y, partial; /* those that the operation has */
    enum op op;
    enum type type;
    bool reduces;
    uint64_t n;
    uint64_t seeds[2]; /* of x and y */
    dealing deal;      /* of read and dot */
    const gb_fn *fn;
    gb_launch launch;
} state;

static enum op op_of(const gb_value args[])
{
    return (enum op)gb_word_index(op_words, args[OP]);
}

static enum type type_of(const gb_value args[])
{
    return (enum type)gb_word_index(type_words, args[TYPE]);
}

static bool reduces(const gb_value args[])
{
    return operations[op_of(args)].writes == 0;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    const struct operation *op = &operations[op_of(args)];
    const size_t size = type_bytes[type_of(args)];
    const uint64_t bytes = args[BYTES].number;
    if (bytes % size != 0)
        return gb_fail(err, GB_INVALID, "bytes (%llu) is not a multiple of the %zu of one %s",
                       (unsigned long long)bytes, size, args[TYPE].word);
    *need = (gb_need){0};
    gb_code code = gb_mul_u64(bytes, op->reads + op->writes, &need->device_bytes, err);
    if (code == GB_OK && reduces(args))
        code = gb_add_u64(need->device_bytes, MAX_PARTIALS * size, &need->device_bytes, err);
    return code;
}

/* The partial sums of read and dot are not counted: they are no part of what has to be moved. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const struct operation *op = &operations[op_of(args)];
    const uint64_t bytes = args[BYTES].number, n = bytes / type_bytes[type_of(args)];
    *out = (gb_work){
        .bytes_read = op->reads * bytes,
        .bytes_written = op->writes * bytes,
        .bytes_moved = (op->reads + op->writes) * bytes,
        .flops = op->flops * n,
        .items = n,
        .working_set = (op->reads + op->writes) * bytes,
        .ceiling = GB_CEILING_MEMORY,
        .compute = type_of(args) == FP32 ? GB_COMPUTE_FP32 : GB_COMPUTE_FP64,
    };
}

/* Element i of an input of an elementwise operation: a multiple of 1/256 in [1, 2). Then every
 * result is exact in both types, with and without fused multiply-adds. */
static double value(uint64_t seed, uint64_t i)
{
    return 1.0 + (int)(gb_mix(seed, i) >> 56) / 256.0;
}

/* Of a reduction: an odd number from -15 to 15 over 16. Sums of them, and of their products, which
 * are odd numbers over 256, stay short (see tolerance), and none is without a single term. */
static double signed_value(uint64_t seed, uint64_t i)
{
    return (2 * (int)(gb_mix(seed, i) >> 60) - 15) / 16.0;
}

typedef struct making {
    uint64_t seed;
    enum type type;
    double (*value)(uint64_t seed, uint64_t i);
} making;

static void make(void *user, void *elements, uint64_t first, size_t count)
{
    const making *m = user;
    float *singles = elements;
    double *doubles = elements;
    if (m->type == FP32)
        for (size_t i = 0; i < count; i++)
            singles[i] = (float)m->value(m->seed, first + i);
    else
        for (size_t i = 0; i < count; i++)
            doubles[i] = m->value(m->seed, first + i);
}

static dealing deal_tiles(const gb_device *dev, enum type type, uint64_t n)
{
    const gb_device_info *info = &dev->info;
    /* Enough blocks to fill a GPU several times over, and to even out a CPU's threads. */
    const bool gpu = info->kind != GB_CPU;
    const uint64_t width = gpu ? STREAM_PACK_BYTES / type_bytes[type] : 1;
    dealing deal = {.tile = STREAM_REDUCE_BLOCK * STREAM_REDUCE_LOADS * width};
    const uint64_t tiles = n / deal.tile;
    uint64_t grid = (uint64_t)(info->units > 0 ? info->units : 1) * (gpu ? 32 : 4);
    if (grid > MAX_PARTIALS)
        grid = MAX_PARTIALS;
    if (grid > tiles)
        grid = tiles > 0 ? tiles : 1;
    grid = gb_launch_shape(dev, grid * STREAM_REDUCE_BLOCK, STREAM_REDUCE_BLOCK).grid[0];
    deal.grid = (uint32_t)grid;
    deal.per_block = tiles > 0 ? (tiles + grid - 1) / grid : 1;
    deal.block_stride = gpu ? 1 : deal.per_block;
    deal.tile_stride = gpu ? grid : 1;
    return deal;
}

static gb_code prepare_input(gb_run *run, gb_memory *memory, uint64_t seed, gb_error *err)
{
    const state *s = run->state;
    const size_t size = type_bytes[s->type];
    making m = {seed, s->type, s->reduces ? signed_value : value};
    gb_code code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, (size_t)s->n * size, memory, err);
    if (code == GB_OK)
        code = gb_memory_write(run, memory, size, s->n, make, &m, err);
    return code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "stream", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->op = op_of(run->args);
    s->type = type_of(run->args);
    s->reduces = reduces(run->args);
    const struct operation *op = &operations[s->op];
    const size_t size = type_bytes[s->type];
    s->n = run->args[BYTES].number / size;
    s->fn = op->fn[s->type];
    for (unsigned i = 0; i < GB_COUNT(s->seeds); i++)
        s->seeds[i] = gb_rng_derive(run->seed, i);
    gb_code code = GB_OK;
    if (op->reads > 0)
        code = prepare_input(run, &s->x, s->seeds[0], err);
    if (code == GB_OK && op->reads > 1)
        code = prepare_input(run, &s->y, s->seeds[1], err);
    if (code != GB_OK)
        return code;
    if (s->reduces) {
        s->deal = deal_tiles(dev, s->type, s->n);
        s->launch = (gb_launch){.grid = {s->deal.grid, 1, 1}, .block = {STREAM_REDUCE_BLOCK, 1, 1}};
        return dev->ops->alloc(dev, GB_MEM_DEVICE, MAX_PARTIALS * size, &s->partial, err);
    }
    const uint64_t pack = STREAM_PACK_BYTES / size;
    s->launch = gb_launch_shape(dev, (s->n + pack - 1) / pack, GB_BLOCK);
    return dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)s->n * size, &s->to, err);
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_device *dev = run->dev;
    float single = (float)SCALAR;
    double twice = SCALAR;
    void *scalar = s->type == FP32 ? (void *)&single : (void *)&twice;
    dealing *d = &s->deal;
    void *elementwise[] = {&s->to.device, &s->x.device, &s->y.device, scalar, &s->n};
    void *reduction[] = {&s->partial.device, &s->x.device,     &s->y.device,   &s->n,
                         &d->per_block,      &d->block_stride, &d->tile_stride};
    return dev->ops->launch(dev, run->stream, s->fn, &s->launch,
                            s->reduces ? reduction : elementwise, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, s->reduces ? &s->partial : &s->to, err);
}

/* What one element should become (elementwise), or what it adds to a sum. */
static double expected(const state *s, uint64_t i)
{
    switch (s->op) {
    case WRITE:
        return SCALAR;
    case READ:
        return signed_value(s->seeds[0], i);
    case COPY:
        return value(s->seeds[0], i);
    case SCALE:
        return SCALAR * value(s->seeds[0], i);
    case ADD:
        return value(s->seeds[0], i) + value(s->seeds[1], i);
    case TRIAD:
        return value(s->seeds[0], i) + SCALAR * value(s->seeds[1], i);
    case DOT:
        return signed_value(s->seeds[0], i) * signed_value(s->seeds[1], i);
    }
    return 0;
}

typedef struct checking {
    const state *s;
    double *sums; /* of the blocks; NULL: elementwise */
} checking;

static double add_up(const state *s, double sum, uint64_t first, uint64_t end)
{
    for (uint64_t i = first; i < end; i++)
        sum += expected(s, i);
    return sum;
}

/* What blocks [first, end) have to sum up: their tiles, in order, and block 0 also what is left
 * after the last whole tile. */
static void expected_sums(void *context, uint64_t first, uint64_t end)
{
    const checking *c = context;
    const state *s = c->s;
    const dealing *d = &s->deal;
    const uint64_t tiles = s->n / d->tile;
    for (uint64_t block = first; block < end; block++) {
        double sum = 0;
        for (uint64_t i = 0; i < d->per_block; i++) {
            const uint64_t tile = block * d->block_stride + i * d->tile_stride;
            if (tile < tiles)
                sum = add_up(s, sum, tile * d->tile, (tile + 1) * d->tile);
        }
        c->sums[block] = block > 0 ? sum : add_up(s, sum, tiles * d->tile, s->n);
    }
}

/* Zero where all is exact by the choice of the inputs. A sum of n terms, whole 256ths with a
 * standard deviation of a third, is within 2 sqrt(n) all the way but for less than one in 10^8: in
 * 256ths that is below 2^24, which fp32 holds, for up to 2^29 terms. In longer ones a term goes
 * through one rounded addition a tile, and under 32 within a thread's loads, the rest and the tree
 * of the block.
 */
static double tolerance(const checking *c)
{
    const dealing *d = &c->s->deal;
    const uint64_t terms = (d->per_block + 1) * d->tile;
    if (c->sums == NULL || c->s->type == FP64 || terms <= UINT64_C(1) << 29)
        return 0;
    return gb_sum_tolerance((double)FLT_EPSILON, d->per_block + 32, (double)terms);
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const checking *c = user;
    const float *singles = elements;
    const double *doubles = elements;
    const double allowed = tolerance(c);
    for (size_t i = 0; i < count; i++) {
        const double want = c->sums ? c->sums[first + i] : expected(c->s, first + i);
        const double found = c->s->type == FP32 ? (double)singles[i] : doubles[i];
        gb_compare_f64(bad, first + i, want, found, allowed);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    checking c = {.s = s};
    const size_t size = type_bytes[s->type];
    if (!s->reduces)
        return gb_memory_verify(run, &s->to, size, s->n, compare, &c, "stream", err);
    double *sums = calloc(s->deal.grid, sizeof *sums);
    if (sums == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the sums of %u blocks", s->deal.grid);
    c.sums = sums;
    gb_host_run(s->deal.grid, expected_sums, &c);
    gb_code code = gb_memory_verify(run, &s->partial, size, s->deal.grid, compare, &c,
                                    "stream: partial sums of the blocks", err);
    free(sums);
    return code;
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->partial, &s->to, &s->y, &s->x, NULL});
}

const gb_kernel gb_kernel_stream = {
    .spec =
        {
            .name = "stream",
            .source = "kernels/stream.cu",
            .version = 1,
            .summary = "reading and writing long arrays: the bandwidth of caches and memory",
            .lesson =
                "Most code that runs on a GPU is limited by how fast it can fetch its data, not by "
                "how fast it can compute. These seven operations do next to nothing with what they "
                "read, so their speed is that of the memory that holds the arrays: the caches "
                "while all of them fit, the device's memory beyond. Dividing the bytes that a "
                "kernel must move by this bandwidth gives a time that no rewriting of its "
                "arithmetic can beat. Bytes are counted as in STREAM: each array once for each "
                "time it is read or written, extra traffic of caches not included.",
            .picture =
                "Bandwidth over size climbs as long as starting the kernel is the longer part, "
                "has its peak where the arrays fill a cache, and falls to a plateau once they are "
                "several times larger than the last cache: that plateau is the memory. Operations "
                "that only read (read, dot) lie a little above those that also write, since "
                "memory has to turn around between the two. On a CPU write, copy and triad read "
                "each line before they overwrite it, which is traffic that is not counted, so "
                "that they lie clearly below read.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
