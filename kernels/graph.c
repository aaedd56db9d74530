/* graph: many small launches one by one, or as one graph. See graph.cu. */
#include "kernels/graph.h"

#include "device/gate.h"

static const char *const measure_words[] = {"capture",          "instantiate", "first-launch",
                                            "update",           "launch-api",  "replay-device",
                                            "replay-roundtrip", "eager-api",   "eager-device",
                                            "eager-roundtrip",  NULL};

static const gb_param params[] = {
    [GRAPH_MEASURE] =
        GB_WORD_PARAM("measure", measure_words, "replay-roundtrip",
                      "which step of a graph's life, or the same launches one by one"),
    [GRAPH_LENGTH] = GB_COUNT_PARAM("length", "nodes", 1, 4096, 64,
                                    "kernels in a chain, each after the one before"),
    [GRAPH_WIDTH] = GB_COUNT_PARAM("width", "chains", 1, GB_MAX_LANES, 1,
                                   "chains side by side, each on a stream of its own"),
    [GRAPH_STEPS] = GB_COUNT_PARAM("steps", "steps", 0, 1000000, 0,
                                   "dependent multiplications in a node; 0: a node only counts"),
};

static const gb_metric_spec metrics[] = {
    GB_TIME_PER_ITEM("per_node", GB_WHOLE, "time over the number of nodes"),
};

gb_graph_measure gb_graph_measure_of(const gb_value args[])
{
    return (gb_graph_measure)gb_word_index(measure_words, args[GRAPH_MEASURE]);
}

bool gb_graph_is_eager(gb_graph_measure measure)
{
    return measure >= GRAPH_EAGER_API;
}

static gb_timer timer_of(const gb_value args[])
{
    switch (gb_graph_measure_of(args)) {
    case GRAPH_CAPTURE:
    case GRAPH_INSTANTIATE:
    case GRAPH_UPDATE:
    case GRAPH_LAUNCH_API:
    case GRAPH_EAGER_API:
        return GB_TIMER_CALL;
    case GRAPH_REPLAY_DEVICE:
    case GRAPH_EAGER_DEVICE:
        return GB_TIMER_DEVICE;
    case GRAPH_FIRST_LAUNCH:
    case GRAPH_REPLAY_ROUNDTRIP:
    case GRAPH_EAGER_ROUNDTRIP:
        break;
    }
    return GB_TIMER_ROUNDTRIP;
}

static uint64_t nodes(const gb_value args[])
{
    return args[GRAPH_LENGTH].number * args[GRAPH_WIDTH].number;
}

static uint64_t sets(const gb_value args[])
{
    return gb_graph_measure_of(args) == GRAPH_UPDATE ? 2 : 1;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    (void)err;
    *need = (gb_need){.device_bytes = nodes(args) * sets(args) * sizeof(uint32_t)};
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t bytes = nodes(args) * sizeof(uint32_t);
    *out = (gb_work){.bytes_read = bytes,
                     .bytes_written = bytes,
                     .bytes_moved = 2 * bytes,
                     .items = nodes(args)};
}

/* --- counters --- */

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const gb_graph_state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t replays = s->replays[(first + i) / s->nodes];
        gb_compare_u64(bad, first + i, (uint32_t)replays, found[i], 8);
    }
}

/* Every node ran as often as its set was launched since the counters were cleared. */
static gb_code check_counters(gb_run *run, gb_error *err)
{
    gb_graph_state *s = run->state;
    const uint64_t count = s->nodes * s->sets;
    return gb_memory_verify(run, &s->counters, sizeof(uint32_t), count, compare, s,
                            "graph: how often each node ran", err);
}

/* Nothing is forgotten before it was checked: all launches of the samples are among what the
 * counters say. */
static gb_code reset(gb_run *run, gb_error *err)
{
    gb_graph_state *s = run->state;
    gb_code code = run->dev->ops->sync(run->dev, err);
    if (code == GB_OK && s->replays[0] + s->replays[1] > 0)
        code = check_counters(run, err);
    s->replays[0] = s->replays[1] = 0;
    if (code == GB_OK)
        code = run->dev->ops->fill(run->dev, run->stream, s->counters.device, 0, s->counters.bytes,
                                   err);
    return code;
}

static gb_code verify(gb_run *run, gb_error *err)
{
    const gb_graph_state *s = run->state;
    if (s->replays[0] + s->replays[1] == 0)
        return gb_fail(err, GB_WRONG_RESULT, "graph: nothing was launched");
    return check_counters(run, err);
}

/* --- life --- */

/* Graphs that are launched more than once are made here; the steps of a graph's life make one each
 * time, and eager launches none. */
static gb_code make_graphs(gb_run *run, gb_error *err)
{
    gb_graph_state *s = run->state;
    gb_code code = GB_OK;
    if (gb_graph_is_eager(s->measure) || s->measure <= GRAPH_FIRST_LAUNCH)
        return GB_OK;
    for (unsigned set = 0; set < 2 && s->measure == GRAPH_UPDATE && code == GB_OK; set++)
        code = gb_graph_capture(run, set, &s->variants[set], err);
    if (code == GB_OK)
        code = gb_graph_capture(run, 0, &s->graph, err);
    if (code == GB_OK)
        code = run->dev->ops->graph_instantiate(run->dev, s->graph, err);
    return code;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    const gb_value *args = run->args;
    gb_graph_state *s = gb_state_new(run, sizeof *s, "graph", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    run->max_in_flight = gb_graph_most_in_flight(args);
    s->measure = gb_graph_measure_of(args);
    s->length = args[GRAPH_LENGTH].number;
    s->nodes = nodes(args);
    s->sets = sets(args);
    s->steps = (uint32_t)args[GRAPH_STEPS].number;
    s->spun = gb_graph_spin(s->steps);
    gb_code code =
        run->dev->ops->alloc(run->dev, GB_MEM_DEVICE,
                             (size_t)(s->nodes * s->sets) * sizeof(uint32_t), &s->counters, err);
    if (code == GB_OK)
        code = gb_lanes_make(run, (uint32_t)args[GRAPH_WIDTH].number, &s->lanes, err);
    return code == GB_OK ? make_graphs(run, err) : code;
}

static void release(gb_run *run)
{
    gb_graph_state *s = run->state;
    if (s == NULL)
        return;
    gb_device *dev = run->dev;
    const gb_device_ops *ops = dev->ops;
    gb_graph *const graphs[] = {s->graph, s->variants[0], s->variants[1]};
    for (size_t i = 0; i < GB_COUNT(graphs); i++)
        if (graphs[i] != NULL)
            ops->graph_destroy(dev, graphs[i]);
    gb_lanes_free(run, &s->lanes);
    gb_state_free(run, (gb_memory *[]){&s->counters, NULL});
}

/* Where the launches of one iteration alone would fill the queue, the gate would never open. */
static bool gate_allowed(const gb_value args[], gb_device_kind kind)
{
    (void)kind;
    return gb_graph_measure_of(args) != GRAPH_EAGER_DEVICE ||
           gb_graph_operations(args) <= GB_MAX_BEHIND_GATE;
}

const gb_kernel gb_kernel_graph = {
    .spec =
        {
            .name = "graph",
            .source = "kernels/graph.cu",
            .version = 1,
            .summary = "chains of small kernels: launched one by one, or recorded once as a graph",
            .lesson =
                "Whoever launches the same hundred kernels again and again can record them once "
                "and then launch all of them with one call. That moves work: recording (capture) "
                "and making the graph ready (instantiate) cost time once, the first launch brings "
                "it to the device, and from then on a launch costs about the same however many "
                "nodes there are, while launches one by one (eager) cost the calling thread a "
                "call each. It pays off after instantiate / (eager - graph) launches, where both "
                "are the time until the end is known. If kernels are so long that the device is "
                "busy all the time, a graph gains nothing, and that is no fault. New parameters "
                "for the same nodes (update) are cheaper than a new graph.",
            .picture =
                "Time over the length of a chain, logarithmic: eager-api rises with each node, "
                "launch-api is far below and rises little, capture and instantiate are the "
                "highest. The two round trips run apart as the chain grows, until the device's "
                "own time for a node (replay-device over the number of nodes) is what is left. "
                "With wider graphs the device time a node falls while chains fit side by side. "
                "On the cpu device all nodes run one after the other; what the graph saves there "
                "is the queue.",
            GB_TABLES(params, metrics, check, work),
            .devices = GB_ANY_DEVICE,
            .timers = GB_BIT(GB_TIMER_DEVICE) | GB_BIT(GB_TIMER_ROUNDTRIP) | GB_BIT(GB_TIMER_CALL),
            .caches = GB_BIT(GB_CACHE_WARM),
            .default_timer = GB_TIMER_ROUNDTRIP,
            .timer_of = timer_of,
        },
    GB_LIFE(prepare, gb_graph_enqueue, reset, verify, release),
    .sample = gb_graph_sample,
    .gate_allowed = gate_allowed,
};
