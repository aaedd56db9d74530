/* stencil: weighted sums of neighbours, with and without shared memory. See stencil.cu. */
#include "kernels/stencil.h"

#include "kernels/common.h"

GB_FN_DECLARE(stencil_global)
GB_FN_DECLARE(stencil_shared)

enum { VARIANT, RADIUS, ELEMENTS };
enum variant { GLOBAL, SHARED };
static const char *const variant_words[] = {"global", "shared", NULL};
static const gb_fn *const functions[] = {GB_FN(stencil_global), GB_FN(stencil_shared)};

#define ELEMENT sizeof(float)
/* A power of two, so that products are exact. */
#define WEIGHT 0.015625f

static const gb_param params[] = {
    [VARIANT] =
        GB_WORD_PARAM("variant", variant_words, "shared",
                      "global: every thread loads all its neighbours; shared: a block loads "
                      "them once, into a tile of shared memory"),
    [RADIUS] = GB_COUNT_PARAM("radius", "elements", 1, STENCIL_MAX_RADIUS, 4,
                              "neighbours on each side that an element's sum takes in"),
    [ELEMENTS] = GB_COUNT_PARAM("elements", "elements", 1, UINT64_C(1) << 34, UINT64_C(1) << 24,
                                "4-byte elements of the result"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes of both arrays, each counted once, over time"),
    GB_FLOP_RATE("a multiplication and an addition a neighbour, over time"),
};

typedef struct state {
    gb_memory in, out;
    const gb_fn *fn;
    gb_launch launch;
    uint64_t n, inputs;
    uint32_t radius;
    uint64_t seed;
} state;

static uint64_t taps(const gb_value args[])
{
    return 2 * args[RADIUS].number + 1;
}

/* Elements that are read, with the rest of the last tile. */
static uint64_t inputs(const gb_value args[])
{
    const uint64_t tiles = (args[ELEMENTS].number + STENCIL_BLOCK - 1) / STENCIL_BLOCK;
    return tiles * STENCIL_BLOCK + 2 * args[RADIUS].number;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    (void)err;
    *need = (gb_need){.device_bytes = (args[ELEMENTS].number + inputs(args)) * ELEMENT};
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t n = args[ELEMENTS].number, read = (n + taps(args) - 1) * ELEMENT;
    *out = (gb_work){
        .bytes_read = read,
        .bytes_written = n * ELEMENT,
        .bytes_moved = read + n * ELEMENT,
        .flops = 2 * taps(args) * n,
        .items = n,
        .working_set = read + n * ELEMENT,
        .ceiling = GB_CEILING_MEMORY,
        .compute = GB_COMPUTE_FP32,
    };
}

/* A multiple of 1/256 in [1, 2), in 256ths: then all sums are exact, in any order. */
static unsigned value(uint64_t seed, uint64_t i)
{
    return 256 + (unsigned)(gb_mix(seed, i) >> 56);
}

static void make(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    float *values = elements;
    for (size_t i = 0; i < count; i++)
        values[i] = (float)value(s->seed, first + i) / 256.0f;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "stencil", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->fn = functions[gb_word_index(variant_words, run->args[VARIANT])];
    s->n = run->args[ELEMENTS].number;
    s->inputs = inputs(run->args);
    s->radius = (uint32_t)run->args[RADIUS].number;
    s->seed = gb_rng_derive(run->seed, 0);
    s->launch = gb_launch_shape(dev, s->n, STENCIL_BLOCK);
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)s->inputs * ELEMENT, &s->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)s->n * ELEMENT, &s->out, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->in, ELEMENT, s->inputs, make, s, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    float weight = WEIGHT;
    return run->dev->ops->launch(
        run->dev, run->stream, s->fn, &s->launch,
        (void *[]){&s->out.device, &s->in.device, &s->n, &s->radius, &weight}, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->out, err);
}

/* The window slides along: one value enters, one leaves. */
static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const float *found = elements;
    const uint64_t seed = s->seed, width = 2 * (uint64_t)s->radius + 1;
    uint64_t sum = 0;
    for (uint64_t k = 0; k < width; k++)
        sum += value(seed, first + k);
    for (size_t i = 0; i < count; i++) {
        const double want = (double)sum / 256.0 * (double)WEIGHT;
        gb_compare_f64(bad, first + i, want, (double)found[i], 0);
        sum += value(seed, first + i + width);
        sum -= value(seed, first + i);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_verify(run, &s->out, ELEMENT, s->n, compare, s, "stencil", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->out, &s->in, NULL});
}

const gb_kernel gb_kernel_stencil = {
    .spec =
        {
            .name = "stencil",
            .source = "kernels/stencil.cu",
            .version = 1,
            .summary = "weighted sums of neighbouring elements, with and without shared memory",
            .lesson =
                "Neighbouring results of a stencil need almost the same inputs. With a radius of r "
                "each input is used 2r + 1 times, and the question is from where it comes each "
                "time. The global variant loads it again for every use and leaves it to the caches "
                "to notice. The shared variant loads it once a block into shared memory and reads "
                "it there. Both move the same bytes to and from the device's memory; the "
                "arithmetic grows with the radius while the bytes do not, so that a wide stencil "
                "is bound by its loads and its arithmetic, no longer by memory.",
            .picture =
                "Bandwidth over radius: level at the speed of memory for small radii, for both "
                "variants alike, then falling as 1/radius once the loads of the neighbours are the "
                "longer part. There shared memory is ahead of the caches of a GPU, by less than "
                "one would think: its first-level cache is made of the same memory. A CPU copies "
                "its tile from one place of a cache to another and gains nothing.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
