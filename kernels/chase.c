/* chase: how long a single load takes, from each level of memory. See chase.cu. */
#include "kernels/chase.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common.h"
#include "kernels/ring.h"

GB_FN_DECLARE(chase)
GB_FN_DECLARE_CUDA_ONLY(chase_shared)

enum { SPACE, BYTES, NODE, STEPS };
enum space { DEVICE, SHARED, HOST };
static const char *const space_words[] = {"device", "shared", "host", NULL};

#define WORD sizeof(uint64_t)
#define PLACE_WORDS (sizeof(chase_place) / WORD)
#define LINE 128 /* bytes: what a GPU's caches keep together, two lines of most CPUs */
/* Smaller memory of a CPU would lie scattered over small pages, and fill a cache that is indexed by
 * address unevenly; from this size on it gets huge pages (docs/cpu-device.md). */
#define HUGE_PAGE (UINT64_C(2) << 20)
/* Steps of a launch of the warm pass: some 0.1 s at the most, so that no watchdog ends it. */
#define WARM_STEPS (UINT64_C(1) << 17)

static const gb_param params[] = {
    [SPACE] = GB_WORD_PARAM("space", space_words, "device",
                            "where the nodes lie: the device's memory and its caches, the shared "
                            "memory of a block, or page-locked memory of the host, across the bus"),
    [BYTES] = GB_BYTES_PARAM("bytes", 2 * WORD, UINT64_C(1) << 38, 32768,
                             "room that the nodes take, a multiple of `node`"),
    [NODE] =
        GB_BYTES_PARAM("node", WORD, UINT64_C(64) << 20, LINE,
                       "from one node to the next, a multiple of 8; only its first 8 bytes are "
                       "read. 128: a line each; more: sparse nodes, each in a page of its own "
                       "from a page's size on"),
    [STEPS] = GB_COUNT_PARAM(
        "steps", "steps", 1, UINT64_C(1) << 24, 32749,
        "links followed; the next iteration goes on from there. The default is a "
        "prime: no ring of another size is a whole number of times in it. `latency` has "
        "the launch in it: with few steps it is mostly that"),
};

enum { LATENCY, CYCLES };
static const gb_metric_spec metrics[] = {
    [LATENCY] = GB_TIME_PER_ITEM("latency", GB_WHOLE, "time over the number of links followed"),
    [CYCLES] = {.name = "cycles",
                .unit = "cycles",
                .summary =
                    "of the SM's clock for a link, by the kernel itself: without the launch; "
                    "none on a cpu, which has no counter that keeps step with its cores",
                .numerator = GB_LEVEL,
                .part = GB_WHOLE},
};

typedef struct state {
    gb_memory nodes;
    gb_memory places[2]; /* an iteration reads one and writes the other */
    unsigned at;         /* the one that was written last */
    uint64_t n, node, steps;
    uint64_t iterations; /* since the start */
    bool shared, warm;
    uint32_t *next;  /* [n] the node after each */
    uint32_t *order; /* [n] the nodes as the way leads through them */
} state;

static enum space space_of(const gb_value args[])
{
    return (enum space)gb_word_index(space_words, args[SPACE]);
}

/* What is allocated for the nodes. */
static uint64_t room(const gb_value args[], gb_device_kind kind)
{
    const uint64_t bytes = args[BYTES].number;
    return kind == GB_CPU && bytes < HUGE_PAGE ? HUGE_PAGE : bytes;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const uint64_t bytes = args[BYTES].number, node = args[NODE].number;
    const enum space space = space_of(args);
    if (node % WORD != 0)
        return gb_fail(err, GB_INVALID, "node (%llu) is no multiple of 8, the size of a link",
                       (unsigned long long)node);
    if (bytes % node != 0 || bytes / node < 2 || bytes / node > UINT32_MAX)
        return gb_fail(err, GB_INVALID,
                       "bytes (%llu) has to be a multiple of node (%llu): 2 to 4294967295 nodes",
                       (unsigned long long)bytes, (unsigned long long)node);
    if (space == SHARED && bytes > CHASE_SHARED_BYTES)
        return gb_fail(err, GB_INVALID,
                       "bytes (%llu) is more than the %d of a block's shared memory",
                       (unsigned long long)bytes, CHASE_SHARED_BYTES);
    if (space != DEVICE && kind == GB_CPU)
        return gb_fail(err, GB_UNAVAILABLE,
                       space == SHARED ? "a processor has no shared memory: a block's is in its "
                                         "caches, which `space: device` shows"
                                       : "the cpu device reads the host's memory without a bus: "
                                         "`space: device` is that memory");
    *need = (gb_need){.device_bytes = 2 * sizeof(chase_place)};
    if (space == HOST)
        need->pinned_bytes = bytes;
    else
        need->device_bytes += room(args, kind);
    return GB_OK;
}

/* What a step reads is its link; what a memory brings with it is not counted. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t steps = args[STEPS].number, node = args[NODE].number;
    *out = (gb_work){
        .bytes_read = steps * WORD,
        .bytes_written = sizeof(chase_place),
        .bytes_moved = steps * WORD,
        .items = steps,
        .working_set = args[BYTES].number / node * (node < LINE ? node : LINE),
        .ceiling = space_of(args) == HOST ? GB_CEILING_LINK : GB_CEILING_NONE,
    };
}

/* --- nodes ------------------------------------------------------------------------------------ */

static uint64_t address_of(const state *s, uint64_t i)
{
    return (uint64_t)(uintptr_t)s->nodes.device + i * s->node;
}

/* Words [first, first + count) of all nodes: a link in the first of each, zeros in the others. */
static void make(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    const uint64_t width = s->node / WORD;
    uint64_t *words = elements;
    memset(words, 0, count * WORD);
    for (uint64_t i = (first + width - 1) / width; i * width < first + count; i++)
        words[i * width - first] = address_of(s, s->next[i]);
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const uint64_t width = s->node / WORD, *words = elements;
    for (uint64_t i = (first + width - 1) / width; i * width < first + count; i++)
        gb_compare_u64(bad, i * width, address_of(s, s->next[i]), words[i * width - first], 16);
}

/* Every link of the device's memory is the one that the ring of this process has. */
static gb_code compare_nodes(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_verify(run, &s->nodes, WORD, s->n * s->node / WORD, compare, s, "chase: links",
                            err);
}

static gb_code make_nodes(gb_run *run, gb_error *err)
{
    state *s = run->state;
    s->next = calloc(s->n, sizeof *s->next);
    s->order = calloc(s->n, sizeof *s->order);
    if (s->next == NULL || s->order == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a ring of %llu nodes",
                       (unsigned long long)s->n);
    gb_ring_make(s->next, s->n, gb_rng_derive(run->seed, 0));
    if (!gb_ring_walk(s->next, s->n, s->order))
        return gb_fail(err, GB_INTERNAL, "chase: the way through %llu nodes is no ring of them all",
                       (unsigned long long)s->n);
    return gb_memory_write(run, &s->nodes, WORD, s->n * s->node / WORD, make, s, err);
}

/* --- places ----------------------------------------------------------------------------------- */

static gb_code launch(gb_run *run, uint64_t steps, gb_error *err)
{
    state *s = run->state;
    const gb_launch one = {.grid = {1, 1, 1}, .block = {s->shared ? CHASE_BLOCK : 1, 1, 1}};
    void **out = &s->places[1 - s->at].device, **in = &s->places[s->at].device;
    s->at = 1 - s->at;
    if (!s->shared)
        return run->dev->ops->launch(run->dev, run->stream, GB_FN(chase), &one,
                                     (void *[]){out, in, &steps}, err);
    return run->dev->ops->launch(run->dev, run->stream, GB_FN(chase_shared), &one,
                                 (void *[]){out, in, &s->nodes.device, &s->node, &s->n, &steps},
                                 err);
}

static void first_place(void *user, void *elements, uint64_t first, size_t count)
{
    const state *s = user;
    const chase_place start = {.at = address_of(s, 0)};
    memcpy(elements, (const uint64_t *)&start + first, count * WORD);
}

/* Back to node 0, with nothing but poison where the next iteration writes. */
static gb_code start(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_code code = gb_memory_poison(run, &s->places[1], err);
    s->at = 0;
    s->iterations = 0;
    return code != GB_OK
               ? code
               : gb_memory_write(run, &s->places[0], WORD, PLACE_WORDS, first_place, s, err);
}

typedef struct looking {
    chase_place expected, found;
    bool cpu;
} looking;

static void look(void *user, gb_mismatch *bad, const void *elements, uint64_t first, size_t count)
{
    looking *l = user;
    const uint64_t *expected = (const uint64_t *)&l->expected, *found = elements;
    memcpy((uint64_t *)&l->found + first, elements, count * WORD);
    for (size_t i = 0; i < count; i++) {
        /* How many cycles it took is the device's to say: some for each step, but no poison. */
        const bool known = l->cpu || first + i < PLACE_WORDS - 1;
        if (known || found[i] < l->expected.steps || found[i] == UINT64_MAX)
            gb_compare_u64(bad, first + i, expected[first + i], found[i], 16);
    }
}

/* Whether `steps` links since the start have led to where the ring leads. */
static gb_code look_at_place(gb_run *run, uint64_t steps, chase_place *found, gb_error *err)
{
    state *s = run->state;
    looking l = {.expected = {address_of(s, s->order[steps % s->n]), steps, 0},
                 .cpu = run->dev->info.kind == GB_CPU};
    gb_code code = gb_memory_verify(run, &s->places[s->at], WORD, PLACE_WORDS, look, &l,
                                    "chase: node, links followed and cycles", err);
    *found = l.found;
    return code;
}

/* One pass over all nodes in their order, so that each level holds what it will hold (but for a
 * GPU's L1, which is empty again when a launch begins); it has to end where it began. */
static gb_code warm_pass(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_code code = GB_OK;
    for (uint64_t done = 0; done < s->n && code == GB_OK; done += WARM_STEPS) {
        code = launch(run, s->n - done < WARM_STEPS ? s->n - done : WARM_STEPS, err);
        if (code == GB_OK)
            code = run->dev->ops->stream_sync(run->dev, run->stream, err);
    }
    chase_place ignored;
    s->warm = code == GB_OK;
    return code == GB_OK ? look_at_place(run, s->n, &ignored, err) : code;
}

/* --- life ------------------------------------------------------------------------------------- */

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "chase", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->node = run->args[NODE].number;
    s->n = run->args[BYTES].number / s->node;
    s->steps = run->args[STEPS].number;
    s->shared = space_of(run->args) == SHARED;
    const bool host = space_of(run->args) == HOST;
    gb_code code = dev->ops->alloc(dev, host ? GB_MEM_MAPPED : GB_MEM_DEVICE,
                                   host ? (size_t)run->args[BYTES].number
                                        : (size_t)room(run->args, dev->info.kind),
                                   &s->nodes, err);
    for (int i = 0; i < 2 && code == GB_OK; i++)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, sizeof(chase_place), &s->places[i], err);
    return code == GB_OK ? make_nodes(run, err) : code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    s->iterations++;
    return launch(run, s->steps, err);
}

/* Looks back at what all iterations have come to, the timed ones too, and whether the links are
 * still those of the ring; their cycles are the case's. */
static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    chase_place found = {0};
    gb_code code = GB_OK;
    if (s->iterations > 0)
        code = look_at_place(run, s->iterations * s->steps, &found, err);
    if (code == GB_OK)
        code = compare_nodes(run, err);
    if (found.cycles > 0)
        run->levels[CYCLES] = (double)found.cycles / (double)found.steps;
    if (code == GB_OK && !s->warm) {
        code = start(run, err);
        code = code == GB_OK ? warm_pass(run, err) : code;
    }
    return code == GB_OK ? start(run, err) : code;
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    chase_place ignored;
    /* One iteration is the least that there is to look at. */
    const uint64_t iterations = s->iterations > 0 ? s->iterations : 1;
    return look_at_place(run, iterations * s->steps, &ignored, err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s == NULL)
        return;
    free(s->order);
    free(s->next);
    gb_state_free(run, (gb_memory *[]){&s->places[1], &s->places[0], &s->nodes, NULL});
}

const gb_kernel gb_kernel_chase = {
    .spec =
        {
            .name = "chase",
            .summary = "how long one load takes: a chain of links through caches and memory",
            .lesson =
                "Bandwidth says how much a memory delivers when many loads are under way; latency "
                "how long a single one takes. Here each load has the address of the next one, so "
                "that there is never more than one: lists, trees and hash tables work like that. "
                "The nodes form one ring in random order, which no prefetcher can guess. While "
                "all of them fit into a cache a step takes that cache's time; a ring that is "
                "larger is fetched from the next level, which takes several times as long. A GPU "
                "has longer latencies than a CPU at every level. It does not make them shorter, it "
                "hides them: other warps work meanwhile, and that is why it wants so many. `node` "
                "spreads the same number of nodes over more pages: what a step then takes longer, "
                "with no more data to fetch, is the search for the page's address (TLB).",
            .picture =
                "Latency over the size of the ring is a staircase: a level tread while a cache "
                "holds the ring, a rise where it no longer does, and the memory's own tread at the "
                "end. A tread's height is the level's latency, its end the level's size. On a CPU "
                "about 1, 4, 10 to 40 and 80 to 150 ns for L1, L2, L3 and memory; on a GPU about "
                "20, 150 and 300 to 500 ns for L1, L2 and memory, and a microsecond or more across "
                "the bus. Rises are steep where a cache forgets what was used longest ago, and "
                "slopes where it is shared with others, as the last cache of a virtual machine.",
            .source = "kernels/chase.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE_WARM,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
