/* flops: the peak rate of multiply-adds. See flops.cu. */
#include <string.h>

#include "kernels/common.h"
#include "kernels/fma.h"

GB_FN_DECLARE(flops_fp64)
GB_FN_DECLARE(flops_fp32)
GB_FN_DECLARE(flops_int32)
GB_FN_DECLARE_CUDA_ONLY(flops_fp16x2)
GB_FN_DECLARE_CUDA_ONLY(flops_bf16x2)

enum { TYPE, THREADS, ROUNDS };
enum type { FP64, FP32, FP16X2, BF16X2, INT32 };
static const char *const type_words[] = {"fp64", "fp32", "fp16x2", "bf16x2", "int32", NULL};

/* `max_rounds`: where the whole numbers of a chain, or their sum, are no longer exact (fma.h). */
static const struct type_facts {
    size_t bytes; /* of a thread's result */
    unsigned pack;
    bool floating;
    uint64_t max_rounds;
    gb_compute compute;
    const gb_fn *fn;
} types[] = {
    [FP64] = {8, 1, true, UINT64_C(1) << 20, GB_COMPUTE_FP64, GB_FN(flops_fp64)},
    [FP32] = {4, 1, true, UINT64_C(1) << 20, GB_COMPUTE_FP32, GB_FN(flops_fp32)},
    [FP16X2] = {4, 2, true, 1024, GB_COMPUTE_FP16, GB_FN(flops_fp16x2)},
    [BF16X2] = {4, 2, true, 224, GB_COMPUTE_BF16, GB_FN(flops_bf16x2)},
    [INT32] = {4, 1, false, UINT64_C(1) << 20, GB_COMPUTE_INT32, GB_FN(flops_int32)},
};

/* Constants of the two steps. The whole-number ones are those of two well-known generators
 * (Numerical Recipes' and Borland C's), so that each step changes all bits. */
static const double steps[] = {2.0, 1.0, 0.5, 0.5};
static const uint32_t whole_steps[] = {1664525u, 1013904223u, 22695477u, 1u};

static const gb_param params[] = {
    [TYPE] = GB_WORD_PARAM("type", type_words, "fp32",
                           "type of the operands; fp16x2 and bf16x2 are pairs in one register"),
    [THREADS] = GB_COUNT_PARAM("threads", "threads", 1, UINT64_C(1) << 32, 65536,
                               "threads of 12 independent chains each"),
    [ROUNDS] = GB_COUNT_PARAM("rounds", NULL, 1, UINT64_C(1) << 20, 224,
                              "two multiply-adds of each chain; at most 224 with bf16x2, 1024 with "
                              "fp16x2"),
};

static const gb_metric_spec metrics[] = {
    GB_FLOP_RATE("floating-point operations over time, two a multiply-add; none with int32"),
    GB_ITEM_RATE("fma_rate", GB_WHOLE, "multiply-adds over time"),
};

typedef struct state {
    gb_memory to;
    enum type type;
    uint64_t n;
    uint32_t rounds;
} state;

static enum type type_of(const gb_value args[])
{
    return (enum type)gb_word_index(type_words, args[TYPE]);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const struct type_facts *type = &types[type_of(args)];
    *need = (gb_need){0};
    if (args[ROUNDS].number > type->max_rounds)
        return gb_fail(err, GB_INVALID,
                       "rounds (%llu) is more than the %llu that %s counts exactly",
                       (unsigned long long)args[ROUNDS].number,
                       (unsigned long long)type->max_rounds, args[TYPE].word);
    if (kind == GB_CPU && type->pack > 1)
        return gb_fail(err, GB_UNAVAILABLE,
                       "%s: packed halves are instructions of a GPU; the cpu device has none",
                       args[TYPE].word);
    return gb_mul_u64(args[THREADS].number, type->bytes, &need->device_bytes, err);
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const struct type_facts *type = &types[type_of(args)];
    const uint64_t fmas =
        args[THREADS].number * args[ROUNDS].number * 2 * FLOPS_CHAINS * type->pack;
    const uint64_t bytes = args[THREADS].number * type->bytes;
    *out = (gb_work){.bytes_written = bytes,
                     .bytes_moved = bytes,
                     .flops = type->floating ? 2 * fmas : 0,
                     .items = fmas,
                     .compute = type->compute,
                     .items_are_operations = true};
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    const gb_device_info *info = &run->dev->info;
    state *s = gb_state_new(run, sizeof *s, "flops", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->type = type_of(run->args);
    s->n = run->args[THREADS].number;
    s->rounds = (uint32_t)run->args[ROUNDS].number;
    if (s->type == BF16X2 && info->kind == GB_CUDA && info->cc_major < 8)
        return gb_fail(err, GB_UNAVAILABLE,
                       "bf16x2 has instructions from compute capability 8.0 on; this is %d.%d",
                       info->cc_major, info->cc_minor);
    return run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, (size_t)s->n * types[s->type].bytes,
                                &s->to, err);
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    double twice[4];
    float single[4];
    uint32_t whole[4];
    void *args[7] = {&s->to.device, &s->n, &s->rounds};
    for (size_t i = 0; i < 4; i++) {
        twice[i] = steps[i];
        single[i] = (float)steps[i];
        whole[i] = whole_steps[i];
        args[3 + i] = s->type == FP64    ? (void *)&twice[i]
                      : s->type == INT32 ? (void *)&whole[i]
                                         : (void *)&single[i];
    }
    const gb_launch launch = gb_launch_shape(run->dev, s->n, GB_BLOCK);
    return run->dev->ops->launch(run->dev, run->stream, types[s->type].fn, &launch, args, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->to, err);
}

/* x after `rounds` times both steps: x -> a x + b composed with itself by repeated squaring. */
static uint32_t whole_result(uint32_t x, uint32_t rounds)
{
    uint32_t a = whole_steps[2] * whole_steps[0];
    uint32_t b = whole_steps[2] * whole_steps[1] + whole_steps[3];
    for (; rounds > 0; rounds /= 2) {
        if (rounds % 2 != 0)
            x = a * x + b;
        b = a * b + b;
        a = a * a;
    }
    return x;
}

/* What thread t has to write. */
static uint32_t expected_whole(const state *s, uint64_t t)
{
    uint32_t sum = 0;
    for (int c = 0; c < FLOPS_CHAINS; c++)
        sum += whole_result((uint32_t)FLOPS_FIRST(t, 0) + (uint32_t)c, s->rounds);
    return sum;
}

static double expected(const state *s, uint64_t t)
{
    double sum = 0;
    for (int c = 0; c < FLOPS_CHAINS; c++)
        for (unsigned p = 0; p < types[s->type].pack; p++)
            sum += (double)FLOPS_FIRST(t, c) + p + s->rounds;
    return sum;
}

typedef struct checking {
    double floating[8]; /* by thread modulo 8, which is all that a result depends on */
    uint32_t whole[8];
    enum type type;
} checking;

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const checking *c = user;
    const float *singles = elements;
    const double *doubles = elements;
    const uint32_t *whole = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t t = first + i;
        if (c->type == INT32)
            gb_compare_u64(bad, t, c->whole[t % 8], whole[i], 8);
        else
            gb_compare_f64(bad, t, c->floating[t % 8],
                           c->type == FP64 ? doubles[i] : (double)singles[i], 0);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const size_t size = types[s->type].bytes;
    checking c = {.type = s->type};
    for (uint64_t t = 0; t < 8; t++) {
        c.floating[t] = expected(s, t);
        c.whole[t] = expected_whole(s, t);
    }
    return gb_memory_verify(run, &s->to, size, s->n, compare, &c, "flops", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->to, NULL});
}

const gb_kernel gb_kernel_flops = {
    .spec =
        {
            .name = "flops",
            .source = "kernels/flops.cu",
            .version = 1,
            .summary = "multiply-adds in registers: the peak of the arithmetic units",
            .lesson =
                "A multiply-add unit starts one operation a cycle and answers a few cycles later, "
                "so a single chain of operations that wait for each other leaves it idle most of "
                "the time. Twelve chains a thread that do not depend on each other keep it busy. "
                "Memory is touched once, at the end. What comes out is the ceiling of all code "
                "that computes with this type: the rate that a data sheet multiplies out of "
                "units, lanes and clock. Packed pairs of 16-bit numbers are one instruction for "
                "two operations; matrix units (see matmul) are far beyond all of these.",
            .picture =
                "One bar a type. On a GPU made for computing, fp64 reaches half of fp32; on one "
                "made for graphics 1/32 or 1/64. fp16x2 and bf16x2 reach twice fp32 or the same, "
                "by generation; int32 half of fp32 or the same. On a CPU the widest vector "
                "instructions decide, and fp64 is half of fp32 since it has half the lanes.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE_WARM,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
