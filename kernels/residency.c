/* residency: a chain of steps over an array whose results stay on the device, or go to the host and
 * back after each. See residency.cu. */
#include <stdlib.h>

#include "kernels/affine.h"
#include "kernels/common.h"

GB_FN_DECLARE(residency_step)

enum { KEEP, MEMORY, BYTES, STEPS };

static const char *const keep_words[] = {"resident", "round-trip", NULL};
static const char *const memory_words[] = {"pageable", "pinned", NULL};

static const gb_param params[] = {
    [KEEP] = GB_WORD_PARAM("keep", keep_words, "resident",
                           "results of the steps stay on the device, or go to the host and back "
                           "after each"),
    [MEMORY] = GB_WORD_PARAM("memory", memory_words, "pinned", "kind of the host's memory"),
    [BYTES] = GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 40, UINT64_C(16) << 20,
                             "size of the array, a multiple of 4"),
    [STEPS] = GB_COUNT_PARAM("steps", "steps", 1, 256, 4,
                             "kernels in the chain, each of which works on all of the array"),
};

static const gb_metric_spec metrics[] = {
    GB_TIME_PER_ITEM("per_step", GB_WHOLE,
                     "the whole time, with all copies, over the number of steps"),
    GB_BANDWIDTH("bytes copied in and out (2N, or 2N a step) over the whole time"),
};

typedef struct state {
    bool resident;
    uint32_t steps;
    uint64_t n, seed;
    gb_memory in, out;    /* of the host */
    gb_memory buffers[2]; /* of the device: a step reads one and writes the other */
} state;

static bool is_resident(const gb_value args[])
{
    return gb_word_index(keep_words, args[KEEP]) == 0;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    if (args[BYTES].number % sizeof(uint32_t) != 0)
        return gb_fail(err, GB_INVALID, "bytes (%llu) is no multiple of 4",
                       (unsigned long long)args[BYTES].number);
    const uint64_t both = 2 * args[BYTES].number;
    *need = (gb_need){.device_bytes = both};
    if (gb_word_index(memory_words, args[MEMORY]) == 0)
        need->host_bytes = both;
    else
        need->pinned_bytes = both;
    return GB_OK;
}

/* Read and written on the device by each step; moved: what is copied between host and device. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const uint64_t bytes = args[BYTES].number, steps = args[STEPS].number;
    *out = (gb_work){
        .bytes_read = steps * bytes,
        .bytes_written = steps * bytes,
        .bytes_moved = (is_resident(args) ? 1 : steps) * 2 * bytes,
        .flops = 2 * steps * (bytes / sizeof(uint32_t)),
        .items = steps,
        .working_set = (kind == GB_CPU ? 4 : 2) * bytes,
        .compute = GB_COMPUTE_INT32,
    };
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "residency", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    const size_t bytes = (size_t)run->args[BYTES].number;
    const gb_memory_kind kind =
        gb_word_index(memory_words, run->args[MEMORY]) == 0 ? GB_MEM_PAGEABLE : GB_MEM_PINNED;
    s->resident = is_resident(run->args);
    s->steps = (uint32_t)run->args[STEPS].number;
    s->n = bytes / sizeof(uint32_t);
    s->seed = run->seed;
    gb_code code = dev->ops->alloc(dev, kind, bytes, &s->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, kind, bytes, &s->out, err);
    for (int i = 0; i < 2 && code == GB_OK; i++)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, bytes, &s->buffers[i], err);
    return code == GB_OK ? gb_memory_write(run, &s->in, sizeof(uint32_t), s->n, gb_make_words32,
                                           &s->seed, err)
                         : code;
}

static gb_code step(gb_run *run, const gb_memory *to, const gb_memory *from, gb_error *err)
{
    state *s = run->state;
    gb_affine map = gb_affine_step;
    const gb_launch launch = gb_launch_shape(run->dev, s->n, GB_BLOCK);
    return run->dev->ops->launch(
        run->dev, run->stream, GB_FN(residency_step), &launch,
        (void *[]){(void *)&to->device, (void *)&from->device, &s->n, &map.a, &map.b}, err);
}

static gb_code copy_in(gb_run *run, const gb_memory *from, gb_error *err)
{
    const state *s = run->state;
    return run->dev->ops->copy(run->dev, run->stream, s->buffers[0].device, from->host, from->bytes,
                               GB_COPY_H2D, err);
}

static gb_code copy_out(gb_run *run, const gb_memory *from, gb_error *err)
{
    const state *s = run->state;
    return run->dev->ops->copy(run->dev, run->stream, s->out.host, from->device, from->bytes,
                               GB_COPY_D2H, err);
}

/* Both ways put all their work on one stream and wait for none of it: what differs is the copies. A
 * step reads one buffer and writes the other, so that a copy that is left out shows. */
static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_code code = GB_OK;
    uint32_t at = 0;
    for (uint32_t k = 0; k < s->steps && code == GB_OK; k++) {
        if (k == 0 || !s->resident)
            code = copy_in(run, k == 0 ? &s->in : &s->out, err);
        if (code == GB_OK)
            code = step(run, &s->buffers[1 - at], &s->buffers[at], err);
        if (code == GB_OK && (!s->resident || k + 1 == s->steps))
            code = copy_out(run, &s->buffers[1 - at], err);
        at = s->resident ? 1 - at : 0;
    }
    return code;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_code code = gb_memory_poison(run, &s->out, err);
    for (int i = 0; i < 2 && code == GB_OK; i++)
        code = gb_memory_poison(run, &s->buffers[i], err);
    return code;
}

/* The result, and what the last step has read and written on the device. */
static gb_code verify(gb_run *run, gb_error *err)
{
    const state *s = run->state;
    const unsigned last = s->resident ? (s->steps - 1) % 2 : 0; /* read by the last step */
    gb_code code = gb_affine_verify(run, &s->out, s->seed, s->steps,
                                    "residency: array on the host after all steps", err);
    if (code == GB_OK)
        code = gb_affine_verify(run, &s->buffers[last], s->seed, s->steps - 1,
                                "residency: array before the last step", err);
    return code == GB_OK ? gb_affine_verify(run, &s->buffers[1 - last], s->seed, s->steps,
                                            "residency: array after the last step", err)
                         : code;
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->in, &s->out, &s->buffers[0], &s->buffers[1], NULL});
}

const gb_kernel gb_kernel_residency = {
    .spec =
        {
            .name = "residency",
            .source = "kernels/residency.cu",
            .version = 1,
            .summary = "a chain of steps over an array that stays on the device, or goes back and "
                       "forth",
            .lesson =
                "The way between host and device is many times narrower than the device's own "
                "memory, and a step that does little to each element is over long before its "
                "data has been copied. A program that fetches the result of each step, only to "
                "send it again for the next one, pays for the way twice a step; one that leaves "
                "intermediate results where they are pays twice in all. What keeps programs from "
                "it is most often one step in between that still runs on the host.",
            .picture =
                "Time over the number of steps: two straight lines from about the same point. With "
                "round trips the line is as steep as two copies of the array, resident as steep as "
                "one kernel, which on a GPU behind PCIe is some tens of times flatter. On the cpu "
                "device a copy is a memcpy and as fast as a step: the lines differ by a factor of "
                "about two to three.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_BY_HOST,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
