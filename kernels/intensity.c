/* intensity: so many multiply-adds for each element that is read and written. See intensity.cu. */

#include "kernels/common.h"
#include "kernels/fma.h"

GB_FN_DECLARE(intensity_fp32)
GB_FN_DECLARE(intensity_fp64)

enum { TYPE, FMAS, BYTES };
enum type { FP32, FP64 };
static const char *const type_words[] = {"fp32", "fp64", NULL};
static const size_t type_bytes[] = {sizeof(float), sizeof(double)};
static const gb_compute computes[] = {GB_COMPUTE_FP32, GB_COMPUTE_FP64};

/* Two steps of a chain add one (fma.h). */
static const double steps[] = {2.0, 1.0, 0.5, 0.5};

static const gb_param params[] = {
    [TYPE] = GB_WORD_PARAM("type", type_words, "fp32", "type of the elements"),
    [FMAS] = GB_COUNT_PARAM("fmas", NULL, 1, UINT64_C(1) << 20, 8,
                            "multiply-adds an element: FLOP/byte is a quarter of it with fp32, an "
                            "eighth with fp64"),
    [BYTES] =
        GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 40, UINT64_C(16) << 20,
                       "size of each of the two arrays; on a CPU what is left of the last 512 "
                       "bytes goes element by element, which shows in small arrays"),
};

static const gb_metric_spec metrics[] = {
    GB_FLOP_RATE("floating-point operations over time, two a multiply-add"),
    GB_BANDWIDTH("bytes read and written over time"),
};

typedef struct state {
    gb_memory to, from;
    enum type type;
    uint64_t n, seed;
    uint32_t fmas;
} state;

static enum type type_of(const gb_value args[])
{
    return (enum type)gb_word_index(type_words, args[TYPE]);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    const size_t size = type_bytes[type_of(args)];
    *need = (gb_need){0};
    if (args[BYTES].number % size != 0)
        return gb_fail(err, GB_INVALID, "bytes (%llu) is not a multiple of the %zu of one %s",
                       (unsigned long long)args[BYTES].number, size, args[TYPE].word);
    return gb_mul_u64(args[BYTES].number, 2, &need->device_bytes, err);
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t bytes = args[BYTES].number, n = bytes / type_bytes[type_of(args)];
    *out = (gb_work){.bytes_read = bytes,
                     .bytes_written = bytes,
                     .bytes_moved = 2 * bytes,
                     .flops = 2 * args[FMAS].number * n,
                     .items = n,
                     .working_set = 2 * bytes,
                     .ceiling = GB_CEILING_MEMORY,
                     .compute = computes[type_of(args)]};
}

/* Element i of the input: a whole number below 256, so that all steps are exact. */
static double value(uint64_t seed, uint64_t i)
{
    return (double)(gb_mix(seed, i) >> 56);
}

static void make(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    float *singles = elements;
    double *doubles = elements;
    for (size_t i = 0; i < count; i++)
        if (s->type == FP32)
            singles[i] = (float)value(s->seed, first + i);
        else
            doubles[i] = value(s->seed, first + i);
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "intensity", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->type = type_of(run->args);
    s->fmas = (uint32_t)run->args[FMAS].number;
    s->seed = run->seed;
    const size_t size = type_bytes[s->type], bytes = (size_t)run->args[BYTES].number;
    s->n = bytes / size;
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, bytes, &s->to, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, bytes, &s->from, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->from, size, s->n, make, s, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    double twice[4];
    float single[4];
    void *args[8] = {&s->to.device, &s->from.device, &s->n, &s->fmas};
    for (size_t i = 0; i < 4; i++) {
        twice[i] = steps[i];
        single[i] = (float)steps[i];
        args[4 + i] = s->type == FP64 ? (void *)&twice[i] : (void *)&single[i];
    }
    const bool gpu = run->dev->info.kind != GB_CPU;
    const uint64_t pack =
        (gpu ? INTENSITY_GPU_PACK_BYTES : INTENSITY_CPU_PACK_BYTES) / type_bytes[s->type];
    const gb_launch launch = gb_launch_shape(run->dev, (s->n + pack - 1) / pack, GB_BLOCK);
    const gb_fn *fn = s->type == FP64 ? GB_FN(intensity_fp64) : GB_FN(intensity_fp32);
    return run->dev->ops->launch(run->dev, run->stream, fn, &launch, args, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->to, err);
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const float *singles = elements;
    const double *doubles = elements;
    for (size_t i = 0; i < count; i++) {
        double want = value(s->seed, first + i) + s->fmas / 2;
        if (s->fmas % 2 != 0)
            want = steps[0] * want + steps[1];
        gb_compare_f64(bad, first + i, want, s->type == FP64 ? doubles[i] : (double)singles[i], 0);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const size_t size = type_bytes[s->type];
    return gb_memory_verify(run, &s->to, size, s->n, compare, s, "intensity", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->from, &s->to, NULL});
}

const gb_kernel gb_kernel_intensity = {
    .spec =
        {
            .name = "intensity",
            .source = "kernels/intensity.cu",
            .version = 1,
            .summary = "more and more arithmetic on the same data: the two sides of the roofline",
            .lesson =
                "Code waits either for its data or for its arithmetic; which one is decided by "
                "how many operations it does with each byte. This kernel reads an array, does a "
                "number of multiply-adds with each element, and writes the result. As long as "
                "they are few, more of them cost nothing: they happen while the memory works. "
                "From some number on the time grows with them: that is the ridge of the roofline, "
                "peak operations divided by peak bandwidth. A kernel left of the ridge gets "
                "faster only by moving less data.",
            .picture =
                "Over FLOP/byte, both axes logarithmic: a slope along the memory's ceiling, then a "
                "plateau along that of the arithmetic units, with a rounded edge where both are "
                "nearly full. On a GPU the edge of fp32 lies at 10 to 20 FLOP/byte or more, on a "
                "CPU near 5 to 10.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
