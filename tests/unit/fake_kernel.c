#include "unit/fake_kernel.h"

#include <stdlib.h>

const gb_value fake_args[1] = {{.number = 1}};
unsigned fake_prepared, fake_released, fake_verified;
static fake_kernel_options options;
static unsigned at_hand; /* samples of a bulk that were not handed out yet */

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)args, (void)kind, (void)err;
    *need = options.need;
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)args, (void)kind;
    *out = options.work;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    fake_prepared++;
    gb_memory *memory = calloc(2, sizeof *memory);
    run->state = memory;
    gb_code code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, 4096, &memory[0], err);
    if (!code)
        code = run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, 4096, &memory[1], err);
    if (!code && options.prepare_code)
        code = gb_fail(err, options.prepare_code, "fake kernel: prepare fails");
    if (!code)
        *(uint32_t *)memory[1].host = 42;
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    gb_memory *memory = run->state;
    const gb_device_ops *o = run->dev->ops;
    const gb_launch shape = {{1, 1, 1}, {1, 1, 1}, 0};
    if (options.copies)
        return o->copy(run->dev, run->stream, memory[0].host, memory[1].host, 4096, GB_COPY_H2D,
                       err);
    return o->launch(run->dev, run->stream, NULL, &shape, (void *[]){&memory[0].device}, err);
}

static gb_code sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    fake_device *fake = (fake_device *)run->dev;
    (void)err;
    out->ns = fake_body(fake) * (double)iterations;
    out->parts[0] = out->ns / 4;
    out->parts[1] = out->ns / 2;
    out->gate_expired = false;
    if (options.bulk > 0 && at_hand == 0) {
        fake->now += out->ns * options.bulk;
        at_hand = options.bulk;
    }
    if (options.bulk > 0) {
        out->ready = --at_hand;
        return GB_OK;
    }
    fake->now += out->ns;
    return GB_OK;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    gb_memory *memory = run->state;
    return run->dev->ops->fill(run->dev, run->stream, memory[0].device, 0xff, memory[0].bytes, err);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const gb_memory *memory = run->state;
    uint32_t found = *(const uint32_t *)memory[0].host;
    fake_verified++;
    if (options.verify_code)
        return gb_fail(err, options.verify_code, "fake kernel: verify fails");
    if (found != 42)
        return gb_fail(err, GB_WRONG_RESULT, "element 0: expected 42, found %u", found);
    return GB_OK;
}

static void release(gb_run *run)
{
    gb_memory *memory = run->state;
    fake_released++;
    run->dev->ops->free(run->dev, &memory[0]);
    run->dev->ops->free(run->dev, &memory[1]);
    free(memory);
    run->state = NULL;
}

static bool gate_allowed(const gb_value args[], gb_device_kind kind)
{
    (void)args, (void)kind;
    return !options.no_gate;
}

static const gb_param params[] = {{.name = "n",
                                   .kind = GB_PARAM_COUNT,
                                   .min = 1,
                                   .max = 1000000,
                                   .default_value = {.number = 1}}};
static const gb_metric_spec metrics[] = {
    {"bandwidth", "B/s", "bytes moved over time", true, GB_PER_BYTES_MOVED, -1},
    {"rate", "1/s", "items over time", true, GB_PER_ITEMS, -1},
    {"flops", "FLOP/s", "operations over time", true, GB_PER_FLOPS, -1},
    {"sectors", "B/s", "bytes of whole sectors over time", true, GB_PER_BYTES_SECTORS, -1}};
static const char *const parts[] = {"in", "out", NULL};

const gb_kernel *fake_kernel(const fake_kernel_options *chosen)
{
    static gb_kernel kernel;
    options = *chosen;
    at_hand = 0;
    fake_prepared = fake_released = fake_verified = 0;
    kernel = (gb_kernel){.spec = {.name = "fake",
                                  .summary = "a kernel of the tests",
                                  .version = 1,
                                  .params = params,
                                  .n_params = 1,
                                  .metrics = metrics,
                                  .n_metrics = sizeof metrics / sizeof metrics[0],
                                  .parts = options.own_sample ? parts : NULL,
                                  .parts_after = options.parts_after,
                                  .devices = GB_ANY_DEVICE,
                                  .timers = 7,
                                  .caches = 3,
                                  .check = check,
                                  .work = work},
                         .prepare = prepare,
                         .enqueue = enqueue,
                         .sample = options.own_sample ? sample : NULL,
                         .reset = reset,
                         .verify = verify,
                         .release = release,
                         .gate_allowed = gate_allowed};
    return &kernel;
}
