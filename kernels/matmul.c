/* matmul: the product of two matrices, from three nested loops to the vendor's library. See
 * matmul.cu. */
#include "kernels/matmul.h"

#include "kernels/common.h"
#include "kernels/matmul_reference.h"

GB_FN_DECLARE(matmul_naive_fp32)
GB_FN_DECLARE(matmul_naive_fp64)
GB_FN_DECLARE(matmul_tiled_fp32)
GB_FN_DECLARE(matmul_tiled_fp64)
GB_FN_DECLARE(matmul_register_fp32)
GB_FN_DECLARE(matmul_register_fp64)
GB_FN_DECLARE_CUDA_ONLY(matmul_wmma_fp16)
GB_FN_DECLARE_CUDA_ONLY(matmul_wmma_bf16)

enum { VARIANT, TYPE, N, M, K };
enum variant { NAIVE, TILED, REGISTER_TILED, VENDOR, WMMA };
static const char *const variant_words[] = {"naive",  "tiled", "register-tiled",
                                            "vendor", "wmma",  NULL};
static const char *const type_words[] = {"fp32", "tf32", "fp16", "bf16", "fp64", NULL};

/* Threads of a block, elements of C that it computes, the kernel for each type it has. */
static const struct shape {
    uint32_t threads_x, threads_y, rows, columns;
    const gb_fn *fn[MATMUL_TYPES];
} shapes[] = {
    [NAIVE] =
        {MATMUL_NAIVE_X,
         MATMUL_NAIVE_Y,
         MATMUL_NAIVE_Y,
         MATMUL_NAIVE_X,
         {[MATMUL_FP32] = GB_FN(matmul_naive_fp32), [MATMUL_FP64] = GB_FN(matmul_naive_fp64)}},
    [TILED] =
        {MATMUL_TILE,
         MATMUL_TILE,
         MATMUL_TILE,
         MATMUL_TILE,
         {[MATMUL_FP32] = GB_FN(matmul_tiled_fp32), [MATMUL_FP64] = GB_FN(matmul_tiled_fp64)}},
    [REGISTER_TILED] = {MATMUL_REGISTER_THREADS,
                        MATMUL_REGISTER_THREADS,
                        MATMUL_REGISTER_TILE,
                        MATMUL_REGISTER_TILE,
                        {[MATMUL_FP32] = GB_FN(matmul_register_fp32),
                         [MATMUL_FP64] = GB_FN(matmul_register_fp64)}},
    [WMMA] = {MATMUL_WMMA_THREADS,
              1,
              MATMUL_WMMA_TILE,
              MATMUL_WMMA_TILE,
              {[MATMUL_FP16] = GB_FN(matmul_wmma_fp16), [MATMUL_BF16] = GB_FN(matmul_wmma_bf16)}},
};

static const gb_gemm_type vendor_types[] = {[MATMUL_FP32] = GB_GEMM_FP32,
                                            [MATMUL_TF32] = GB_GEMM_TF32,
                                            [MATMUL_FP16] = GB_GEMM_FP16,
                                            [MATMUL_BF16] = GB_GEMM_BF16,
                                            [MATMUL_FP64] = GB_GEMM_FP64};

#define MAX_SIZE 65536

static const gb_param params[] = {
    [VARIANT] =
        GB_WORD_PARAM("variant", variant_words, "tiled",
                      "how it is done; vendor: cuBLAS or OpenBLAS; wmma: tensor cores without "
                      "a library"),
    [TYPE] = GB_WORD_PARAM("type", type_words, "fp32",
                           "type of A, B and C; sums of tf32, fp16 and bf16 are fp32"),
    [N] = GB_COUNT_PARAM("n", NULL, 1, MAX_SIZE, 1024, "columns of B and C"),
    [M] = GB_COUNT_PARAM("m", NULL, 0, MAX_SIZE, 0, "rows of A and C; 0: as many as n"),
    [K] = GB_COUNT_PARAM("k", NULL, 0, MAX_SIZE, 0, "columns of A, rows of B; 0: as many as n"),
};

static const gb_metric_spec metrics[] = {
    GB_FLOP_RATE("2 m n k operations over time"),
    GB_BANDWIDTH("bytes of the three matrices, each once, over time"),
};

typedef struct state {
    gb_memory a, b, c;
    matmul_reference reference;
    uint64_t m, n, k;
    enum variant variant;
    const gb_fn *fn;
    gb_launch launch;
} state;

static enum variant variant_of(const gb_value args[])
{
    return (enum variant)gb_word_index(variant_words, args[VARIANT]);
}

static matmul_type type_of(const gb_value args[])
{
    return (matmul_type)gb_word_index(type_words, args[TYPE]);
}

static uint64_t size_of(const gb_value args[], int which)
{
    return args[which].number > 0 ? args[which].number : args[N].number;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const enum variant variant = variant_of(args);
    const matmul_type type = type_of(args);
    *need = (gb_need){0};
    if (variant != VENDOR && shapes[variant].fn[type] == NULL)
        return gb_fail(err, GB_INVALID, "variant %s has no type %s; it has %s", args[VARIANT].word,
                       args[TYPE].word, variant == WMMA ? "fp16 and bf16" : "fp32 and fp64");
    if (kind == GB_CPU && variant == WMMA)
        return gb_fail(err, GB_UNAVAILABLE,
                       "variant wmma needs the tensor cores of a GPU; the cpu device has none");
    if (kind == GB_CPU && type != MATMUL_FP32 && type != MATMUL_FP64)
        return gb_fail(err, GB_UNAVAILABLE,
                       "the cpu device multiplies fp32 and fp64 with OpenBLAS, not %s",
                       args[TYPE].word);
    const uint64_t m = size_of(args, M), n = args[N].number, k = size_of(args, K);
    need->device_bytes = (m * k + k * n + m * n) * matmul_type_bytes(type); /* <= 3 * 2^35 */
    return GB_OK;
}

/* A library multiplies fp64 on tensor cores where the GPU has such ones. */
static gb_compute compute_of(enum variant variant, matmul_type type, gb_device_kind kind)
{
    switch (type) {
    case MATMUL_FP32:
        return GB_COMPUTE_FP32;
    case MATMUL_FP64:
        return variant == VENDOR && kind == GB_CUDA ? GB_COMPUTE_FP64_TENSOR : GB_COMPUTE_FP64;
    case MATMUL_TF32:
        return GB_COMPUTE_TF32_TENSOR;
    case MATMUL_FP16:
        return GB_COMPUTE_FP16_TENSOR;
    case MATMUL_BF16:
        return GB_COMPUTE_BF16_TENSOR;
    default:
        return GB_COMPUTE_NONE;
    }
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const uint64_t m = size_of(args, M), n = args[N].number, k = size_of(args, K);
    const matmul_type type = type_of(args);
    const uint64_t size = matmul_type_bytes(type), bytes = (m * k + k * n + m * n) * size;
    *out = (gb_work){.bytes_read = (m * k + k * n) * size,
                     .bytes_written = m * n * size,
                     .bytes_moved = bytes,
                     .flops = 2 * m * n * k,
                     .items = m * n,
                     .working_set = bytes,
                     .ceiling = GB_CEILING_MEMORY,
                     .compute = compute_of(variant_of(args), type, kind)};
}

/* What is known to fail is asked first, so that such a case is skipped with the reason. */
static gb_code try_variant(gb_run *run, gb_error *err)
{
    const state *s = run->state;
    gb_device *dev = run->dev;
    const matmul_type type = s->reference.type;
    if (s->variant == WMMA && type == MATMUL_BF16 && dev->info.kind == GB_CUDA &&
        dev->info.cc_major < 8)
        return gb_fail(err, GB_UNAVAILABLE,
                       "tensor cores have BF16 from compute capability 8.0 on; this GPU has %d.%d",
                       dev->info.cc_major, dev->info.cc_minor);
    if (s->variant != VENDOR)
        return GB_OK;
    gb_code code = dev->ops->gemm(dev, run->stream, vendor_types[type], 1, 1, 1, s->a.device,
                                  s->b.device, s->c.device, err);
    return code == GB_OK ? dev->ops->stream_sync(dev, run->stream, err) : code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "matmul", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->variant = variant_of(run->args);
    s->m = size_of(run->args, M);
    s->n = run->args[N].number;
    s->k = size_of(run->args, K);
    const matmul_type type = type_of(run->args);
    const size_t size = matmul_type_bytes(type);
    s->reference =
        (matmul_reference){.type = type, .m = s->m, .n = s->n, .k = s->k, .seed = run->seed};
    if (s->variant != VENDOR) {
        const struct shape *shape = &shapes[s->variant];
        s->fn = shape->fn[type];
        s->launch = (gb_launch){.grid = {(uint32_t)((s->n + shape->columns - 1) / shape->columns),
                                         (uint32_t)((s->m + shape->rows - 1) / shape->rows), 1},
                                .block = {shape->threads_x, shape->threads_y, 1}};
    }
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)(s->m * s->k) * size, &s->a, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)(s->k * s->n) * size, &s->b, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)(s->m * s->n) * size, &s->c, err);
    if (code == GB_OK)
        code = try_variant(run, err);
    return code == GB_OK ? matmul_reference_make(run, &s->reference, &s->a, &s->b, err) : code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_device *dev = run->dev;
    if (s->variant == VENDOR)
        return dev->ops->gemm(dev, run->stream, vendor_types[s->reference.type], (int)s->m,
                              (int)s->n, (int)s->k, s->a.device, s->b.device, s->c.device, err);
    void *args[] = {&s->c.device, &s->a.device, &s->b.device, &s->m, &s->n, &s->k};
    return dev->ops->launch(dev, run->stream, s->fn, &s->launch, args, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->c, err);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return matmul_reference_check(run, &s->reference, &s->c, err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    matmul_reference_free(&s->reference);
    gb_state_free(run, (gb_memory *[]){&s->c, &s->b, &s->a, NULL});
}

const gb_kernel gb_kernel_matmul = {
    .spec =
        {
            .name = "matmul",
            .source = "kernels/matmul.cu",
            .version = 1,
            .summary = "the product of two matrices: naive, tiled, on tensor cores, by a library",
            .lesson =
                "A product of n x n matrices has 2 n^3 operations on 3 n^2 numbers, so each number "
                "is needed n times: it can be limited by arithmetic, not by memory, if what was "
                "read once is kept close. `naive` relies on the caches for that. `tiled` has the "
                "threads of a block load tiles into shared memory, each number once for 32 uses. "
                "`register-tiled` gives each thread 8 x 8 results, so that a value from shared "
                "memory is used 8 times out of a register. `vendor` is what experts made of it "
                "over years, and the first thing to try; `wmma` uses the tensor cores, which only "
                "multiply small matrices of 16-bit numbers, but many times faster, in a hundred "
                "lines without a library.",
            .picture =
                "The rate over n rises until there are enough tiles to keep all units busy, each "
                "variant to a plateau of its own: naive lowest (and on a CPU it falls once a "
                "column of B no longer fits a cache), then tiled, register-tiled, and the vendor's "
                "library on top, close to the device's peak. Types that run on tensor cores lie "
                "several times above fp32. Just above a multiple of the tile a curve dips: the "
                "last tiles are mostly empty.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
