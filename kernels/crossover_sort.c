/* crossover: sorting whole numbers of 32 bits: the library's sort on a GPU; on a processor a radix
 * sort from the lowest digit up, all threads together in each pass. */
#include "kernels/access.h"
#include "kernels/crossover_job.h"

GB_FN_DECLARE_CPU_ONLY(crossover_count_cpu)
GB_FN_DECLARE_CPU_ONLY(crossover_scatter_cpu)

#define LEAST_KEYS 8192 /* of a part */
#define PASSES (32 / CROSSOVER_DIGIT_BITS)

/* The library's scratch: the keys once more, and counters (gpu_scratch has the exact number, which
 * only the device can tell; the sum is for the check of memory). */
static void sort_shape(uint64_t n, crossover_shape *out)
{
    const crossover_array keys = {sizeof(uint32_t), n};
    *out = (crossover_shape){.in = {keys},
                             .out = keys,
                             .scratch = {1, 5 * n + (UINT64_C(4) << 20)},
                             .items = n,
                             .bytes = 2 * n * sizeof(uint32_t)};
}

/* The number that is to stand at place `at`: one of each of n stretches of the 32-bit numbers. */
static uint32_t sorted(const crossover_state *s, uint64_t at)
{
    const uint64_t stretch = (UINT64_C(1) << 32) / s->n;
    return (uint32_t)(at * stretch + gb_mix(s->seed, at) % stretch);
}

static void make_keys(void *user, void *elements, uint64_t first, size_t count)
{
    const crossover_state *s = user;
    const access_shuffle shuffle = access_shuffle_of(s->n);
    uint32_t *to = elements;
    for (size_t i = 0; i < count; i++)
        to[i] = sorted(s, access_walk(shuffle, first + i));
}

static void compare_sorted(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                           size_t count)
{
    const crossover_state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, sorted(s, first + i), found[i], 8);
}

static size_t counters(const crossover_state *s)
{
    return (size_t)s->workers * CROSSOVER_DIGITS;
}

/* A counter for each digit of each part, and the keys of every other pass. */
static size_t sort_plain(const crossover_state *s)
{
    return (counters(s) + (size_t)s->n) * sizeof(uint32_t);
}

/* Counts become places: all parts' keys of a digit stand before those of the next, part by part. */
static void place(uint32_t *counts, uint32_t parts)
{
    uint32_t at = 0;
    for (uint32_t d = 0; d < CROSSOVER_DIGITS; d++)
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t *here = &counts[part * CROSSOVER_DIGITS + d];
            const uint32_t count = *here;
            *here = at;
            at += count;
        }
}

static gb_code sort_cpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t parts = crossover_parts(s, s->n, LEAST_KEYS);
    uint32_t *counts = s->plain, *other = counts + counters(s);
    const void *from = s->at.in[0];
    gb_code code = GB_OK;
    for (uint32_t pass = 0; pass < PASSES && code == GB_OK; pass++) {
        uint32_t shift = pass * CROSSOVER_DIGIT_BITS;
        void *to = pass % 2 == 0 ? other : s->at.out; /* the last pass ends in `out` */
        code = crossover_on_cpu(run, GB_FN(crossover_count_cpu), parts,
                                (void *[]){&counts, &from, &s->n, &shift, &parts}, err);
        if (code != GB_OK)
            break;
        place(counts, parts);
        code = crossover_on_cpu(run, GB_FN(crossover_scatter_cpu), parts,
                                (void *[]){&to, &counts, &from, &s->n, &shift, &parts}, err);
        from = to;
    }
    return code;
}

static gb_code sort_gpu(gb_run *run, crossover_state *s, gb_error *err)
{
    return run->dev->ops->sort(run->dev, run->stream, s->at.in[0], s->at.out, (size_t)s->n,
                               s->scratch.device, &s->gpu_scratch, err);
}

/* Asks the library how much it needs instead of the estimate. */
static gb_code sort_begin(gb_run *run, crossover_state *s, gb_error *err)
{
    if (!s->gpu)
        return GB_OK;
    gb_code code = run->dev->ops->sort(run->dev, run->stream, NULL, NULL, (size_t)s->n, NULL,
                                       &s->gpu_scratch, err);
    s->shape.scratch.count = s->gpu_scratch;
    return code;
}

const crossover_job crossover_sort = {.word = "sort",
                                      .max_n = UINT64_C(1) << 31,
                                      .shape = sort_shape,
                                      .begin = sort_begin,
                                      .make_in = {make_keys, NULL},
                                      .plain_bytes = sort_plain,
                                      .cpu = sort_cpu,
                                      .gpu = sort_gpu,
                                      .compare_out = compare_sorted};
