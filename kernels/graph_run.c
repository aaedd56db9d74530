/* graph: capture, launches one by one and as a graph, and the samples of each measure. */
#include <math.h>

#include "device/gate.h"
#include "kernels/graph.h"

GB_FN_DECLARE(graph_node)

/* Launched graphs that may wait at once, and their nodes. */
#define MOST_GRAPHS 64
#define MOST_NODES 65536

/* --- all nodes, on the streams --- */

/* The nodes [first, end) of every chain, one of each chain in turn. */
static gb_code launch_nodes(gb_run *run, unsigned set, uint64_t first, uint64_t end, gb_error *err)
{
    gb_graph_state *s = run->state;
    const gb_launch one = {.grid = {1, 1, 1}, .block = {1, 1, 1}};
    uint32_t *counters = (uint32_t *)s->counters.device + set * s->nodes;
    gb_code code = GB_OK;
    for (uint64_t k = first; k < end && code == GB_OK; k++) {
        for (uint32_t lane = 0; lane < s->lanes.n && code == GB_OK; lane++) {
            uint64_t node = lane * s->length + k;
            uint32_t chained = k > 0;
            code = run->dev->ops->launch(
                run->dev, gb_lane(run, &s->lanes, lane), GB_FN(graph_node), &one,
                (void *[]){&counters, &node, &chained, &s->steps, &s->spun}, err);
        }
    }
    return code;
}

static gb_code enqueue_nodes(gb_run *run, unsigned set, gb_error *err)
{
    gb_graph_state *s = run->state;
    gb_code code = gb_lanes_fork(run, &s->lanes, err);
    if (code == GB_OK)
        code = launch_nodes(run, set, 0, s->length, err);
    return code == GB_OK ? gb_lanes_join(run, &s->lanes, err) : code;
}

/* --- graphs --- */

static gb_code check_nodes(gb_run *run, gb_graph *graph, gb_error *err)
{
    const gb_graph_state *s = run->state;
    size_t nodes = 0;
    gb_code code = run->dev->ops->graph_nodes(run->dev, graph, &nodes, err);
    if (code == GB_OK && nodes != s->nodes)
        code = gb_fail(err, GB_DEVICE_ERROR,
                       "graph: %zu nodes were captured of %llu: part of the work is not in the "
                       "graph",
                       nodes, (unsigned long long)s->nodes);
    return code;
}

/* Begin, all nodes, end: what is timed. */
static gb_code capture(gb_run *run, unsigned set, gb_graph **out, gb_error *err)
{
    const gb_device_ops *ops = run->dev->ops;
    *out = NULL;
    gb_code code = ops->capture_begin(run->dev, run->stream, err);
    if (code != GB_OK)
        return code;
    code = enqueue_nodes(run, set, err);
    /* Also after an error: a stream that goes on capturing is of no use to anybody. */
    const gb_code ended = ops->capture_end(run->dev, run->stream, out, code == GB_OK ? err : NULL);
    return code == GB_OK ? ended : code;
}

static void destroy(gb_run *run, gb_graph **graph)
{
    if (*graph != NULL)
        run->dev->ops->graph_destroy(run->dev, *graph);
    *graph = NULL;
}

gb_code gb_graph_capture(gb_run *run, unsigned set, gb_graph **out, gb_error *err)
{
    gb_code code = capture(run, set, out, err);
    if (code == GB_OK)
        code = check_nodes(run, *out, err);
    if (code != GB_OK)
        destroy(run, out);
    return code;
}

static gb_code launch_graph(gb_run *run, gb_graph *graph, gb_error *err)
{
    gb_graph_state *s = run->state;
    gb_code code = run->dev->ops->graph_launch(run->dev, graph, run->stream, err);
    if (code == GB_OK)
        s->replays[s->set]++;
    return code;
}

static gb_code launch_eager(gb_run *run, gb_error *err)
{
    gb_graph_state *s = run->state;
    gb_code code = enqueue_nodes(run, 0, err);
    if (code == GB_OK)
        s->replays[0]++;
    return code;
}

/* Lets the instantiated graph count in the other set from now on. */
static gb_code switch_set(gb_run *run, gb_error *err)
{
    gb_graph_state *s = run->state;
    const unsigned next = 1 - s->set;
    gb_code code = run->dev->ops->graph_update(run->dev, s->graph, s->variants[next], err);
    if (code == GB_OK)
        s->set = next;
    return code;
}

static double since(gb_run *run, uint64_t start)
{
    return (double)(run->dev->ops->now_ns(run->dev) - start);
}

static uint64_t now(gb_run *run)
{
    return run->dev->ops->now_ns(run->dev);
}

static gb_code wait_for_all(gb_run *run, gb_error *err)
{
    return run->dev->ops->stream_sync(run->dev, run->stream, err);
}

/* The life of one graph up to its first launch. *ns: the step that the measure asks for. */
static gb_code live_once(gb_run *run, double *ns, gb_error *err)
{
    gb_graph_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    gb_graph *graph = NULL;
    double took[3] = {0, 0, 0}; /* in the order of the measures */
    uint64_t start = now(run);
    gb_code code = capture(run, 0, &graph, err);
    took[GRAPH_CAPTURE] = since(run, start);
    if (code == GB_OK)
        code = check_nodes(run, graph, err);
    start = now(run);
    if (code == GB_OK)
        code = ops->graph_instantiate(run->dev, graph, err);
    took[GRAPH_INSTANTIATE] = since(run, start);
    start = now(run);
    if (code == GB_OK)
        code = launch_graph(run, graph, err);
    if (code == GB_OK)
        code = wait_for_all(run, err);
    took[GRAPH_FIRST_LAUNCH] = since(run, start);
    destroy(run, &graph);
    *ns = took[s->measure];
    return code;
}

gb_code gb_graph_enqueue(gb_run *run, gb_error *err)
{
    gb_graph_state *s = run->state;
    double ignored;
    gb_code code = GB_OK;
    if (gb_graph_is_eager(s->measure))
        return launch_eager(run, err);
    if (s->measure <= GRAPH_FIRST_LAUNCH)
        return live_once(run, &ignored, err);
    if (s->measure == GRAPH_UPDATE)
        code = switch_set(run, err);
    return code == GB_OK ? launch_graph(run, s->graph, err) : code;
}

/* --- samples --- */

static gb_code sample_update(gb_run *run, double *ns, gb_error *err)
{
    gb_graph_state *s = run->state;
    gb_code code = wait_for_all(run, err);
    const uint64_t start = now(run);
    if (code == GB_OK)
        code = switch_set(run, err);
    *ns = since(run, start);
    return code == GB_OK ? launch_graph(run, s->graph, err) : code;
}

/* The calling thread's time alone, of one launch of the graph. */
static gb_code sample_launch_api(gb_run *run, double *ns, gb_error *err)
{
    gb_graph_state *s = run->state;
    gb_code code = GB_OK;
    if (s->in_flight >= run->max_in_flight) {
        code = wait_for_all(run, err);
        s->in_flight = 0;
    }
    const uint64_t start = now(run);
    if (code == GB_OK)
        code = launch_graph(run, s->graph, err);
    *ns = since(run, start);
    s->in_flight++;
    return code;
}

/* The calling thread's time for all launches. Where there are more than may wait at once, the host
 * waits for them in between, which is not counted. */
static gb_code sample_eager_api(gb_run *run, double *ns, gb_error *err)
{
    gb_graph_state *s = run->state;
    const uint64_t at_once = GB_MAX_BEHIND_GATE / s->lanes.n;
    gb_code code = run->dev->ops->sync(run->dev, err);
    for (uint64_t first = 0; first < s->length && code == GB_OK; first += at_once) {
        const uint64_t end = s->length - first < at_once ? s->length : first + at_once;
        const uint64_t start = now(run);
        if (first == 0)
            code = gb_lanes_fork(run, &s->lanes, err);
        if (code == GB_OK)
            code = launch_nodes(run, 0, first, end, err);
        if (code == GB_OK && end == s->length)
            code = gb_lanes_join(run, &s->lanes, err);
        *ns += since(run, start);
        if (code == GB_OK)
            code = run->dev->ops->sync(run->dev, err);
    }
    if (code == GB_OK)
        s->replays[0]++;
    return code;
}

static gb_code sample_roundtrip(gb_run *run, double *ns, gb_error *err)
{
    const uint64_t start = now(run);
    gb_code code = gb_graph_enqueue(run, err);
    if (code == GB_OK)
        code = wait_for_all(run, err);
    *ns = since(run, start);
    return code;
}

static gb_code sample_once(gb_run *run, uint64_t iterations, double *ns, bool *expired,
                           gb_error *err)
{
    gb_graph_state *s = run->state;
    switch (s->measure) {
    case GRAPH_CAPTURE:
    case GRAPH_INSTANTIATE:
    case GRAPH_FIRST_LAUNCH:
        return live_once(run, ns, err);
    case GRAPH_UPDATE:
        return sample_update(run, ns, err);
    case GRAPH_LAUNCH_API:
        return sample_launch_api(run, ns, err);
    case GRAPH_EAGER_API:
        return sample_eager_api(run, ns, err);
    case GRAPH_REPLAY_ROUNDTRIP:
    case GRAPH_EAGER_ROUNDTRIP:
        return sample_roundtrip(run, ns, err);
    case GRAPH_REPLAY_DEVICE:
    case GRAPH_EAGER_DEVICE:
        break;
    }
    return gb_lanes_sample(run, &s->lanes, iterations, gb_graph_enqueue, ns, expired, err);
}

uint64_t gb_graph_operations(const gb_value args[])
{
    return args[GRAPH_LENGTH].number * args[GRAPH_WIDTH].number +
           gb_lanes_operations((uint32_t)args[GRAPH_WIDTH].number);
}

/* Iterations that may wait at once. */
static uint64_t at_once(const gb_value args[])
{
    const gb_graph_measure measure = gb_graph_measure_of(args);
    const uint64_t nodes = args[GRAPH_LENGTH].number * args[GRAPH_WIDTH].number;
    uint64_t most = 1;
    if (measure == GRAPH_EAGER_DEVICE)
        most = GB_MAX_BEHIND_GATE / gb_graph_operations(args);
    else if (measure == GRAPH_REPLAY_DEVICE || measure == GRAPH_LAUNCH_API)
        most = MOST_NODES / nodes < MOST_GRAPHS ? MOST_NODES / nodes : MOST_GRAPHS;
    return most > 0 ? most : 1;
}

uint32_t gb_graph_most_in_flight(const gb_value args[])
{
    const gb_graph_measure measure = gb_graph_measure_of(args);
    const uint64_t nodes = args[GRAPH_LENGTH].number * args[GRAPH_WIDTH].number;
    uint64_t launches = at_once(args);
    if (gb_graph_is_eager(measure))
        launches *= nodes;
    if (measure == GRAPH_EAGER_API && launches > GB_MAX_BEHIND_GATE)
        launches = GB_MAX_BEHIND_GATE;
    return (uint32_t)launches;
}

gb_code gb_graph_sample(gb_run *run, uint64_t iterations, gb_sample *out, gb_error *err)
{
    const uint64_t most = run->timer == GB_TIMER_DEVICE ? at_once(run->args) : 1;
    gb_code code = GB_OK;
    *out = gb_sample_of(0);
    for (uint64_t done = 0; done < iterations && code == GB_OK && !out->gate_expired;) {
        const uint64_t n = iterations - done < most ? iterations - done : most;
        double ns = 0;
        code = sample_once(run, n, &ns, &out->gate_expired, err);
        out->ns += ns;
        done += n;
    }
    return code;
}
