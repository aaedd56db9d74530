/* delay: a kernel that lasts a known time. See delay.cu. */

#include "kernels/common.h"

GB_FN_DECLARE(delay)

enum { DURATION };

static const gb_param params[] = {
    [DURATION] = GB_NS_PARAM("duration", 1, UINT64_C(1000000000), 100000,
                             "how long the kernel waits, by the device's own clock"),
};

typedef struct state {
    gb_memory waited; /* one uint64_t */
} state;

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)args;
    (void)kind;
    (void)err;
    *need = (gb_need){.device_bytes = sizeof(uint64_t)};
    return GB_OK;
}

/* Three samples are taken whatever budget and precision say. */
static uint64_t least_ns(const gb_value args[], uint64_t max_samples)
{
    return args[DURATION].number * (max_samples < 3 ? max_samples : 3);
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    state *s = gb_state_new(run, sizeof *s, "delay", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    return run->dev->ops->alloc(run->dev, GB_MEM_DEVICE, sizeof(uint64_t), &s->waited, err);
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    uint64_t *waited = s->waited.device;
    uint64_t ns = run->args[DURATION].number;
    const gb_launch launch = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(delay), &launch,
                                 (void *[]){&waited, &ns}, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->waited, err);
}

static void look(void *user, gb_mismatch *bad, const void *elements, uint64_t first, size_t count)
{
    const uint64_t *found = elements;
    (void)bad;
    if (first == 0 && count > 0)
        *(uint64_t *)user = found[0];
}

/* It waited at least as long as it should; how much longer depends on whom it shares the device
 * with. The poison would be 585 years. */
static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    uint64_t waited = 0;
    gb_mismatch none = {0};
    gb_code code =
        gb_memory_compare(run, &s->waited, sizeof(uint64_t), 1, look, &waited, &none, err);
    if (code != GB_OK)
        return code;
    if (waited == UINT64_MAX)
        return gb_fail(err, GB_WRONG_RESULT, "delay: the kernel did not run");
    if (waited < run->args[DURATION].number)
        return gb_fail(err, GB_WRONG_RESULT, "delay: waited %llu ns instead of %llu",
                       (unsigned long long)waited, (unsigned long long)run->args[DURATION].number);
    return GB_OK;
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->waited, NULL});
}

const gb_kernel gb_kernel_delay = {
    .spec =
        {
            .name = "delay",
            .source = "kernels/delay.cu",
            .version = 1,
            .summary = "one thread that waits a known time: a reference for every timer",
            .lesson =
                "A timer is trusted once it has measured something that is known. This kernel "
                "watches the device's own clock until the time asked for has passed; what a timer "
                "reports beyond that time is the timer's and the launch's own share. The `device` "
                "timer should add next to nothing, `roundtrip` adds the way there and back, and "
                "`call` does not depend on the duration at all, since the caller does not wait.",
            .picture =
                "Time over duration is a straight line of slope one for `device` and `roundtrip`, "
                "flat at the cost of a launch for `call`. At the short end the first two leave the "
                "line where launching takes longer than waiting.",
            .params = params,
            .n_params = GB_COUNT(params),
            .devices = GB_ANY_DEVICE,
            .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP) | GB_BIT(GB_TIMER_CALL),
            .caches = GB_BIT(GB_CACHE_WARM),
            .default_timer = GB_TIMER_DEVICE,
            .check = check,
            .work = gb_work_one,
            .least_ns = least_ns,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
