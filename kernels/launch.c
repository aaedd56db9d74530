/* launch: what starting kernels costs, by how they are started. See launch.cu. */
#include "kernels/launch.h"

GB_FN_DECLARE(launch_8)
GB_FN_DECLARE(launch_64)
GB_FN_DECLARE(launch_256)
GB_FN_DECLARE(launch_1024)
GB_FN_DECLARE(launch_4096)

static const char *const mode_words[] = {"separate", "fused", "sync-each", NULL};

static const gb_param params[] = {
    [LAUNCH_MODE] = GB_WORD_PARAM("mode", mode_words, "separate",
                                  "launches one after the other, one launch that does all their "
                                  "work, or a wait after each launch"),
    [LAUNCH_LAUNCHES] = GB_COUNT_PARAM("launches", "launches", 1, LAUNCH_MAX_LAUNCHES, 1,
                                       "steps of work in an iteration, a launch each unless fused"),
    [LAUNCH_ARGUMENT_BYTES] =
        GB_BYTES_PARAM("argument_bytes", 8, LAUNCH_MAX_ARGUMENT_BYTES, 8,
                       "arguments of each launch: 8, 64, 256, 1024 or 4096 B"),
    [LAUNCH_BLOCKS] = GB_COUNT_PARAM("blocks", "blocks", 1, 65535, 1,
                                     "size of each grid, in blocks of 256 threads"),
    [LAUNCH_STREAMS] =
        GB_COUNT_PARAM("streams", "streams", 1, LAUNCH_MAX_STREAMS, 1,
                       "streams that take turns with the launches, joined by events"),
};

static const char *const parts[] = {"submit", "back_to_back", "round_trip", NULL};

/* Three quantities that go by one name elsewhere. Each is there for its own timer alone. */
static const gb_metric_spec metrics[] = {
    GB_TIME_PER_ITEM("submit", LAUNCH_PART_SUBMIT,
                     "host time of the call that enqueues a launch, per step (timer call)"),
    GB_TIME_PER_ITEM("back_to_back", LAUNCH_PART_BACK_TO_BACK,
                     "device time between launches that wait in a queue, per step (timer device)"),
    GB_TIME_PER_ITEM("round_trip", LAUNCH_PART_ROUND_TRIP,
                     "host time from the call until the end is known, per step (timer roundtrip)"),
    GB_ITEM_RATE("rate", GB_WHOLE, "steps of work per second"),
};

/* A case is timed in one way, and that is the part which it tells. */
static bool has_part(const gb_value args[], gb_timer timer, int part)
{
    (void)args;
    return part == gb_launch_part(timer);
}

gb_launch_mode gb_launch_mode_of(const gb_value args[])
{
    return (gb_launch_mode)gb_word_index(mode_words, args[LAUNCH_MODE]);
}

const gb_fn *gb_launch_fn(uint64_t argument_bytes)
{
    switch (argument_bytes) {
    case 8:
        return GB_FN(launch_8);
    case 64:
        return GB_FN(launch_64);
    case 256:
        return GB_FN(launch_256);
    case 1024:
        return GB_FN(launch_1024);
    case 4096:
        return GB_FN(launch_4096);
    default:
        return NULL;
    }
}

static uint64_t elements(const gb_value args[])
{
    return args[LAUNCH_BLOCKS].number * GB_BLOCK;
}

static uint64_t value_bytes(const gb_value args[])
{
    return elements(args) * args[LAUNCH_STREAMS].number * sizeof(uint32_t);
}

/* Records of work: one a launch. */
static uint64_t works(const gb_value args[])
{
    return gb_launch_mode_of(args) == LAUNCH_FUSED ? 1 : args[LAUNCH_LAUNCHES].number;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    const uint64_t bytes = args[LAUNCH_ARGUMENT_BYTES].number;
    *need = (gb_need){0};
    if (gb_launch_fn(bytes) == NULL)
        return gb_fail(err, GB_INVALID,
                       "argument_bytes: there is no kernel with %llu bytes of arguments (valid: 8, "
                       "64, 256, 1024, 4096)",
                       (unsigned long long)bytes);
    if (args[LAUNCH_STREAMS].number > 1 && gb_launch_mode_of(args) != LAUNCH_SEPARATE)
        return gb_fail(err, GB_INVALID,
                       "streams: only mode separate spreads its launches over %llu streams",
                       (unsigned long long)args[LAUNCH_STREAMS].number);
    /* at most 8 streams of 65,535 blocks: no overflow */
    need->device_bytes = value_bytes(args) + works(args) * sizeof(gb_launch_work);
    return GB_OK;
}

/* Each launch reads and writes all its elements; fused, they stay in registers in between. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t bytes = works(args) * elements(args) * sizeof(uint32_t);
    *out = (gb_work){.bytes_read = bytes,
                     .bytes_written = bytes,
                     .bytes_moved = 2 * bytes,
                     .items = args[LAUNCH_LAUNCHES].number};
}

static void make_work(void *user, void *to, uint64_t first, size_t count)
{
    const gb_launch_state *s = user;
    gb_launch_work *out = to;
    for (size_t i = 0; i < count; i++) {
        const uint32_t launch = (uint32_t)(first + i);
        uint32_t *values = s->values.device;
        out[i] = (gb_launch_work){.values = values + (launch % s->lanes.n) * s->n,
                                  .n = s->n,
                                  .first = launch,
                                  .steps = s->mode == LAUNCH_FUSED ? s->launches : 1};
    }
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    const gb_value *args = run->args;
    gb_launch_state *s = gb_state_new(run, sizeof *s, "launch", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    run->max_in_flight = gb_launch_most_in_flight(args, run->timer);
    s->mode = gb_launch_mode_of(args);
    s->fn = gb_launch_fn(args[LAUNCH_ARGUMENT_BYTES].number);
    s->launches = (uint32_t)args[LAUNCH_LAUNCHES].number;
    s->lanes.n = (uint32_t)args[LAUNCH_STREAMS].number;
    s->n = elements(args);
    s->shape = gb_launch_shape(dev, s->n, GB_BLOCK);
    const uint64_t words = args[LAUNCH_ARGUMENT_BYTES].number / 8;
    for (uint64_t i = 1; i < words; i++)
        s->arguments[i] = gb_mix(run->seed, i);
    s->extra = words > 1 ? (uint32_t)s->arguments[words - 1] : 0;
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)value_bytes(args), &s->values, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)works(args) * sizeof(gb_launch_work),
                               &s->work, err);
    if (code == GB_OK)
        code =
            gb_memory_write(run, &s->work, sizeof(gb_launch_work), works(args), make_work, s, err);
    return code == GB_OK ? gb_lanes_make(run, s->lanes.n, &s->lanes, err) : code;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    gb_launch_state *s = run->state;
    gb_code code = run->dev->ops->sync(run->dev, err);
    return code == GB_OK ? gb_memory_poison(run, &s->values, err) : code;
}

static void compare(void *user, gb_mismatch *bad, const void *to, uint64_t first, size_t count)
{
    const gb_launch_state *s = user;
    const uint32_t *found = to;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = first + i;
        gb_compare_u64(bad, at, gb_launch_expected(s, (uint32_t)(at / s->n), at % s->n), found[i],
                       8);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    gb_launch_state *s = run->state;
    const uint64_t count = s->n * s->lanes.n;
    return gb_memory_verify(run, &s->values, sizeof(uint32_t), count, compare, s,
                            "launch: values after all steps", err);
}

static void release(gb_run *run)
{
    gb_launch_state *s = run->state;
    if (s == NULL)
        return;
    gb_lanes_free(run, &s->lanes);
    gb_state_free(run, (gb_memory *[]){&s->work, &s->values, NULL});
}

const gb_kernel gb_kernel_launch = {
    .spec =
        {
            .name = "launch",
            .source = "kernels/launch.cu",
            .version = 2,
            .summary = "small kernels: what it costs to start them, and how to start fewer",
            .lesson =
                "A kernel that does little costs what its launch costs. Three figures go by that "
                "name, and each is a metric of its own here: `submit` is what the call costs the "
                "calling thread, `back_to_back` how far apart launches that wait in a queue start, "
                "`round_trip` the time from the call until the host knows that the work has ended. "
                "All are per step of work. A program pays the last one whenever it waits after "
                "each step (mode sync-each), the larger of the first two when it enqueues all "
                "steps and waits once (separate), and a single launch when one kernel does all "
                "steps and keeps its values in registers (fused). Arguments are copied with each "
                "launch; a grid costs nothing more until the device is full.",
            .picture =
                "Time over the number of steps: three straight lines, of which sync-each is the "
                "steepest and fused almost flat. Time over the size of the grid is flat as long as "
                "all blocks run at once and grows with the work beyond. Time over the bytes of "
                "arguments is almost flat up to some hundred bytes. More streams help while a "
                "grid leaves room on the device; on the cpu device, where one launch uses all "
                "processors, they only cost.",
            GB_TABLES(params, metrics, check, work),
            .parts = parts,
            .has_part = has_part,
            .devices = GB_ANY_DEVICE,
            .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP) | GB_BIT(GB_TIMER_CALL),
            .caches = GB_BIT(GB_CACHE_WARM),
            .default_timer = GB_TIMER_ROUNDTRIP,
        },
    GB_LIFE(prepare, gb_launch_enqueue, reset, verify, release),
    .sample = gb_launch_sample,
    .gate_allowed = gb_launch_gate_allowed,
};
