/* arith: one operation of one type, in chains. See arith.cu and arith_reference.h. */
#include <string.h>

#include "kernels/arith.h"
#include "kernels/arith_reference.h"
#include "kernels/common.h"

#define DECLARE(name)                                                                              \
    GB_FN_DECLARE(arith_##name##_one)                                                              \
    GB_FN_DECLARE(arith_##name##_many)
#define DECLARE_CUDA_ONLY(name)                                                                    \
    GB_FN_DECLARE_CUDA_ONLY(arith_##name##_one)                                                    \
    GB_FN_DECLARE_CUDA_ONLY(arith_##name##_many)
DECLARE(add_fp64)
DECLARE(mul_fp64)
DECLARE(fma_fp64)
DECLARE(div_fp64)
DECLARE(sqrt_fp64)
DECLARE(sin_fp64)
DECLARE(add_fp32)
DECLARE(mul_fp32)
DECLARE(fma_fp32)
DECLARE(div_fp32)
DECLARE(sqrt_fp32)
DECLARE(sin_fp32)
DECLARE(add_int32)
DECLARE(mul_int32)
DECLARE(fma_int32)
DECLARE(div_int32)
DECLARE_CUDA_ONLY(fast_sin_fp32)
DECLARE_CUDA_ONLY(add_fp16x2)
DECLARE_CUDA_ONLY(mul_fp16x2)
DECLARE_CUDA_ONLY(fma_fp16x2)
DECLARE_CUDA_ONLY(add_bf16x2)
DECLARE_CUDA_ONLY(mul_bf16x2)
DECLARE_CUDA_ONLY(fma_bf16x2)
DECLARE_CUDA_ONLY(fma_int8)

enum { OP, TYPE, CHAINS, THREADS, ROUNDS };
enum { OP_RATE, OP_TIME, CYCLES };
enum { ONE, MANY };
static const char *const op_words[] = {"add", "mul", "fma", "div", "sqrt", "sin", "fast-sin", NULL};
static const char *const type_words[] = {"fp64", "fp32", "fp16x2", "bf16x2", "int32", "int8", NULL};
static const char *const chains_words[] = {"one", "many", NULL};

/* `compute`: the units that start such operations; NONE: it is made of several instructions, no
 * source states the rate, or (sums of whole numbers) the compiler spreads it over other units too.
 * Rows without code are no operation of a GPU. */
#define WAY(name, units)                                                                           \
    {                                                                                              \
        {GB_FN(arith_##name##_one), GB_FN(arith_##name##_many)}, units                             \
    }
static const struct way {
    const gb_fn *fn[2]; /* ONE, MANY */
    gb_compute compute;
} ways[ARITH_OPS][ARITH_TYPES] = {
    [ARITH_ADD] = {[ARITH_FP64] = WAY(add_fp64, GB_COMPUTE_FP64),
                   [ARITH_FP32] = WAY(add_fp32, GB_COMPUTE_FP32),
                   [ARITH_FP16X2] = WAY(add_fp16x2, GB_COMPUTE_FP16),
                   [ARITH_BF16X2] = WAY(add_bf16x2, GB_COMPUTE_BF16),
                   [ARITH_INT32] = WAY(add_int32, GB_COMPUTE_NONE)},
    [ARITH_MUL] = {[ARITH_FP64] = WAY(mul_fp64, GB_COMPUTE_FP64),
                   [ARITH_FP32] = WAY(mul_fp32, GB_COMPUTE_FP32),
                   [ARITH_FP16X2] = WAY(mul_fp16x2, GB_COMPUTE_FP16),
                   [ARITH_BF16X2] = WAY(mul_bf16x2, GB_COMPUTE_BF16),
                   [ARITH_INT32] = WAY(mul_int32, GB_COMPUTE_INT32)},
    [ARITH_FMA] = {[ARITH_FP64] = WAY(fma_fp64, GB_COMPUTE_FP64),
                   [ARITH_FP32] = WAY(fma_fp32, GB_COMPUTE_FP32),
                   [ARITH_FP16X2] = WAY(fma_fp16x2, GB_COMPUTE_FP16),
                   [ARITH_BF16X2] = WAY(fma_bf16x2, GB_COMPUTE_BF16),
                   [ARITH_INT32] = WAY(fma_int32, GB_COMPUTE_INT32),
                   [ARITH_INT8] = WAY(fma_int8, GB_COMPUTE_NONE)},
    [ARITH_DIV] = {[ARITH_FP64] = WAY(div_fp64, GB_COMPUTE_NONE),
                   [ARITH_FP32] = WAY(div_fp32, GB_COMPUTE_NONE),
                   [ARITH_INT32] = WAY(div_int32, GB_COMPUTE_NONE)},
    [ARITH_SQRT] = {[ARITH_FP64] = WAY(sqrt_fp64, GB_COMPUTE_NONE),
                    [ARITH_FP32] = WAY(sqrt_fp32, GB_COMPUTE_NONE)},
    [ARITH_SIN] = {[ARITH_FP64] = WAY(sin_fp64, GB_COMPUTE_NONE),
                   [ARITH_FP32] = WAY(sin_fp32, GB_COMPUTE_NONE)},
    [ARITH_FAST_SIN] = {[ARITH_FP32] = WAY(fast_sin_fp32, GB_COMPUTE_SPECIAL)},
};

static const struct type_facts {
    size_t bytes; /* of a thread's result */
    unsigned pack;
    const char *why_no_cpu; /* NULL: a CPU can */
} types[ARITH_TYPES] = {
    [ARITH_FP64] = {8, 1, NULL},
    [ARITH_FP32] = {4, 1, NULL},
    [ARITH_FP16X2] = {4, 2, "packed halves are instructions of a GPU; the cpu device has none"},
    [ARITH_BF16X2] = {4, 2, "packed halves are instructions of a GPU; the cpu device has none"},
    [ARITH_INT32] = {4, 1, NULL},
    [ARITH_INT8] = {4, 4,
                    "four products of bytes are one instruction of a GPU; portable code of the "
                    "cpu device takes them apart, which says nothing about its units"},
};

static const gb_param params[] = {
    [OP] = GB_WORD_PARAM("op", op_words, "fma",
                         "operation; fma: multiply-add; sqrt has a multiply-add with it; fast-sin "
                         "is the GPU's own, to 21 bits"),
    [TYPE] = GB_WORD_PARAM("type", type_words, "fp32",
                           "type of the operands; fp16x2 and bf16x2 are pairs in one register, "
                           "int8 four products of bytes added to a word"),
    [CHAINS] = GB_WORD_PARAM("chains", chains_words, "many",
                             "one a thread, in which each operation waits for the one before, or "
                             "many: 12, and 4 of div, sqrt and sin"),
    [THREADS] = GB_COUNT_PARAM("threads", "threads", 1, UINT64_C(1) << 32, 65536,
                               "threads with such chains"),
    [ROUNDS] =
        GB_COUNT_PARAM("rounds", NULL, 1, ARITH_MAX_ROUNDS, 1, "256 operations of each chain"),
};

static const gb_metric_spec metrics[] = {
    [OP_RATE] =
        GB_ITEM_RATE("op_rate", GB_WHOLE,
                     "operations over time; a multiply-add is one, two numbers in a register "
                     "are two, four bytes four (with one chain: one)"),
    [OP_TIME] =
        GB_TIME_PER_ITEM("op_time", GB_WHOLE,
                         "time over operations; with one chain of one thread the latency of one"),
    [CYCLES] = {.name = "cycles",
                .unit = "cycles",
                .summary = "with one chain, SM cycles from one instruction of it to the next",
                .numerator = GB_LEVEL,
                .part = GB_WHOLE},
};

typedef struct state {
    gb_memory to, ticks;
    arith_chain chain;
    uint64_t n;
} state;

static arith_op op_of(const gb_value args[])
{
    return (arith_op)gb_word_index(op_words, args[OP]);
}

static arith_type type_of(const gb_value args[])
{
    return (arith_type)gb_word_index(type_words, args[TYPE]);
}

/* More chains, each of many instructions, would not fit into the instruction cache. */
static uint32_t chains_of(const gb_value args[])
{
    const arith_op op = op_of(args);
    const bool large = op == ARITH_DIV || op == ARITH_SQRT || op == ARITH_SIN;
    if (gb_word_index(chains_words, args[CHAINS]) == ONE)
        return 1;
    return large ? ARITH_LARGE_CHAINS : ARITH_SMALL_CHAINS;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const arith_op op = op_of(args);
    const struct way *way = &ways[op][type_of(args)];
    const struct type_facts *type = &types[type_of(args)];
    *need = (gb_need){0};
    if (way->fn[ONE] == NULL)
        return gb_fail(err, GB_INVALID, "there is no %s of %s: see `gpubench describe arith`",
                       args[OP].word, args[TYPE].word);
    if (kind == GB_CPU && type->why_no_cpu != NULL)
        return gb_fail(err, GB_UNAVAILABLE, "%s: %s", args[TYPE].word, type->why_no_cpu);
    if (kind == GB_CPU && op == ARITH_FAST_SIN)
        return gb_fail(err, GB_UNAVAILABLE,
                       "fast-sin is an instruction of a GPU; the cpu device has none");
    gb_code code = gb_mul_u64(args[THREADS].number, type->bytes, &need->device_bytes, err);
    return code != GB_OK ? code : gb_add_u64(need->device_bytes, 8, &need->device_bytes, err);
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    static const unsigned flops[ARITH_OPS] = {
        [ARITH_ADD] = 1,  [ARITH_MUL] = 1, [ARITH_FMA] = 2,     [ARITH_DIV] = 1,
        [ARITH_SQRT] = 3, [ARITH_SIN] = 1, [ARITH_FAST_SIN] = 1};
    (void)kind;
    const struct type_facts *type = &types[type_of(args)];
    const bool many = gb_word_index(chains_words, args[CHAINS]) == MANY;
    const uint64_t instructions =
        args[THREADS].number * args[ROUNDS].number * ARITH_STEPS * chains_of(args);
    const uint64_t bytes = args[THREADS].number * type->bytes;
    *out = (gb_work){.bytes_written = bytes,
                     .bytes_moved = bytes,
                     .flops = instructions * type->pack * flops[op_of(args)],
                     /* Both numbers of a pair wait for the pair before. */
                     .items = instructions * (many ? type->pack : 1),
                     /* One chain is not meant to keep the units busy. */
                     .compute = many ? ways[op_of(args)][type_of(args)].compute : GB_COMPUTE_NONE,
                     .items_are_operations = true};
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    const gb_device_info *info = &run->dev->info;
    state *s = gb_state_new(run, sizeof *s, "arith", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->chain = (arith_chain){.op = op_of(run->args),
                             .type = type_of(run->args),
                             .chains = chains_of(run->args),
                             .rounds = (uint32_t)run->args[ROUNDS].number,
                             .steps = ARITH_STEPS};
    s->n = run->args[THREADS].number;
    if (s->chain.type == ARITH_BF16X2 && info->kind == GB_CUDA && info->cc_major < 8)
        return gb_fail(err, GB_UNAVAILABLE,
                       "bf16x2 has instructions from compute capability 8.0 on; this is %d.%d",
                       info->cc_major, info->cc_minor);
    gb_code code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE,
                                        (size_t)s->n * types[s->chain.type].bytes, &s->to, err);
    if (code == GB_OK)
        code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, sizeof(int64_t), &s->ticks, err);
    return code;
}

/* The constants in the type that the device code takes. */
typedef union constants {
    arith_doubles twice;
    arith_floats single;
    arith_words words;
} constants;

static constants constants_of(arith_op op, arith_type type)
{
    const arith_numbers *k = arith_numbers_of(op, type);
    if (arith_is_whole(type))
        return (constants){.words = {(uint32_t)k->start, (uint32_t)k->step, 0, (uint32_t)k->a,
                                     (uint32_t)k->b, (uint32_t)k->c, (uint32_t)k->d}};
    if (type == ARITH_FP64)
        return (constants){.twice = {k->start, k->step, 0, k->a, k->b, k->c, k->d}};
    return (constants){.single = {(float)k->start, (float)k->step, 0, (float)k->a, (float)k->b,
                                  (float)k->c, (float)k->d}};
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const arith_chain *chain = &s->chain;
    constants k = constants_of(chain->op, chain->type);
    const gb_fn *fn = ways[chain->op][chain->type].fn[chain->chains == 1 ? ONE : MANY];
    const gb_launch launch = gb_launch_shape(run->dev, s->n, GB_BLOCK);
    return run->dev->ops->launch(
        run->dev, run->stream, fn, &launch,
        (void *[]){&s->to.device, &s->ticks.device, &s->n, &s->chain.rounds, &k}, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_code code = gb_memory_poison(run, &s->to, err);
    return code != GB_OK ? code : gb_memory_poison(run, &s->ticks, err);
}

typedef struct checking {
    arith_result expected[ARITH_PLACES]; /* by thread modulo 8, which is all that decides */
    arith_type type;
} checking;

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const checking *c = user;
    const float *singles = elements;
    const double *doubles = elements;
    const uint32_t *words = elements;
    for (size_t i = 0; i < count; i++) {
        const arith_result *expected = &c->expected[(first + i) % ARITH_PLACES];
        if (arith_is_whole(c->type))
            gb_compare_u64(bad, first + i, expected->whole, words[i], 8);
        else
            gb_compare_f64(bad, first + i, expected->value,
                           c->type == ARITH_FP64 ? doubles[i] : (double)singles[i],
                           expected->tolerance);
    }
}

/* A comparison that only looks. */
static void look(void *user, gb_mismatch *bad, const void *elements, uint64_t first, size_t count)
{
    (void)bad, (void)first, (void)count;
    memcpy(user, elements, sizeof(int64_t));
}

/* The cycles of the iteration that was checked: the second time it is the last of the case. */
static gb_code take_cycles(gb_run *run, const state *s, gb_error *err)
{
    gb_mismatch none = {0};
    int64_t ticks = 0;
    if (run->dev->info.kind != GB_CUDA || s->chain.chains > 1)
        return GB_OK;
    gb_code code = gb_memory_compare(run, &s->ticks, sizeof(int64_t), 1, look, &ticks, &none, err);
    if (code == GB_OK && ticks < 0)
        return gb_fail(err, GB_WRONG_RESULT, "arith: the first thread has not told its cycles");
    if (code == GB_OK)
        run->levels[CYCLES] = (double)ticks / ((double)s->chain.rounds * ARITH_STEPS);
    return code;
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const size_t size = types[s->chain.type].bytes;
    checking c = {.type = s->chain.type};
    for (uint64_t t = 0; t < ARITH_PLACES; t++)
        c.expected[t] = arith_expect(&s->chain, t);
    gb_code code = gb_memory_verify(run, &s->to, size, s->n, compare, &c, "arith", err);
    return code != GB_OK ? code : take_cycles(run, s, err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->to, &s->ticks, NULL});
}

const gb_kernel gb_kernel_arith = {
    .spec =
        {
            .name = "arith",
            .summary = "one operation of one type: how many a second, and how long one takes",
            .lesson =
                "Each type has units of its own, and each operation a price. Two figures say it: "
                "the latency, how long an operation waits for the one before it (one chain in one "
                "thread), and the throughput, how many the whole device does when nothing waits "
                "(many chains in many threads). Their product is what has to be under way at a "
                "time to reach the throughput. On a GPU an addition, a product and a multiply-add "
                "are one instruction each and cost the same. A division, a root and a sine are "
                "built from many of them; fast-sin is what the special units give, 21 bits of it. "
                "Numbers of 16 bits go two at a time, bytes four.",
            .picture =
                "Bars of a data-centre GPU: fp64 half as high as fp32; of one made for graphics "
                "1/32 or 1/64. On any GPU additions, products and multiply-adds are level; "
                "packed halves twice as high or the same, by generation; division, root and sine a "
                "small part. Its latencies are alike, some four cycles, and longer for fp64 where "
                "it is slow. On a CPU fp64 is half of fp32 (half the lanes), and a sine is a "
                "call.",
            .source = "kernels/arith.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE_WARM,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
