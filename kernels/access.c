/* access: what the order of 4-byte loads costs. See access.cu. */
#include "kernels/access.h"

#include "kernels/common.h"

GB_FN_DECLARE(access_linear)
GB_FN_DECLARE(access_strided)
GB_FN_DECLARE(access_random)
GB_FN_DECLARE(access_random_walk)

enum { PATTERN, STRIDE, OFFSET, ELEMENTS };
enum pattern { COALESCED, STRIDED, SHIFTED, RANDOM };
static const char *const pattern_words[] = {"coalesced", "strided", "offset", "random", NULL};

#define ELEMENT sizeof(uint32_t)
#define SECTOR 32 /* bytes that a GPU's memory moves at least; on CPUs the same unit is used */
#define WARP 32

static const gb_param params[] = {
    [PATTERN] = GB_WORD_PARAM("pattern", pattern_words, "coalesced",
                              "where neighbouring loads go: next to each other, `stride` apart, "
                              "`offset` off the start, or anywhere"),
    [STRIDE] = GB_COUNT_PARAM("stride", "elements", 1, 32, 1,
                              "of strided: elements from one load to the next"),
    [OFFSET] = GB_COUNT_PARAM("offset", "elements", 0, 31, 0,
                              "of offset: elements by which the first load is off alignment"),
    [ELEMENTS] = GB_COUNT_PARAM("elements", "elements", 1, UINT64_C(1) << 36, UINT64_C(1) << 24,
                                "loads, each of another 4-byte element"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("useful bytes (loaded elements and stored sums) over time"),
    GB_GAIN("sector_bandwidth", "B/s", GB_PER_BYTES_SECTORS, GB_WHOLE,
            "bytes of all 32-byte sectors that the loads of each warp touch, over time"),
};

typedef struct state {
    gb_memory in, out;
    const gb_fn *fn;
    gb_launch launch;
    enum pattern pattern;
    uint64_t n, outputs;
    uint64_t step; /* stride or offset */
    access_shuffle shuffle;
    uint64_t seed;
} state;

static enum pattern pattern_of(const gb_value args[])
{
    return (enum pattern)gb_word_index(pattern_words, args[PATTERN]);
}

/* Elements of the array that the loads are spread over. */
static uint64_t footprint(const gb_value args[])
{
    const uint64_t n = args[ELEMENTS].number;
    return (n - 1) * args[STRIDE].number + 1 + args[OFFSET].number;
}

/* Threads that have at least one load: each stores a sum. */
static uint64_t outputs(uint64_t n)
{
    const uint64_t share = ACCESS_BLOCK * ACCESS_LOADS, rest = n % share;
    return n / share * ACCESS_BLOCK + (rest < ACCESS_BLOCK ? rest : ACCESS_BLOCK);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    const enum pattern pattern = pattern_of(args);
    if (pattern != STRIDED && args[STRIDE].number != 1)
        return gb_fail(err, GB_INVALID,
                       "stride (%llu) belongs to pattern: strided; for pattern %s leave it at 1",
                       (unsigned long long)args[STRIDE].number, args[PATTERN].word);
    if (pattern != SHIFTED && args[OFFSET].number != 0)
        return gb_fail(err, GB_INVALID,
                       "offset (%llu) belongs to pattern: offset; for pattern %s leave it at 0",
                       (unsigned long long)args[OFFSET].number, args[PATTERN].word);
    uint64_t in, out = outputs(args[ELEMENTS].number) * ELEMENT;
    gb_code code = gb_mul_u64(footprint(args), ELEMENT, &in, err);
    *need = (gb_need){0};
    if (code == GB_OK)
        code = gb_add_u64(in, out, &need->device_bytes, err);
    return code;
}

/* Sectors that `loads` neighbouring loads of one warp touch, the first of which is at the start of
 * a sector, or `offset` elements after one. */
static uint64_t warp_sectors(uint64_t loads, uint64_t stride, uint64_t offset)
{
    const uint64_t per_sector = SECTOR / ELEMENT;
    if (stride > per_sector)
        return loads;
    return (offset % per_sector + (loads - 1) * stride) / per_sector + 1;
}

/* The same for a random order, by going through it. */
static uint64_t random_sectors(uint64_t n)
{
    enum { LIMIT = 1 << 16 };
    /* Two loads of a warp meet in one sector so seldom in larger arrays that counting each load as
     * a sector is less than 0.2 % too much (496 pairs * 8 / n per 32 loads). */
    if (n > LIMIT)
        return n;
    const access_shuffle shuffle = access_shuffle_of(n);
    bool seen[LIMIT * ELEMENT / SECTOR] = {false};
    uint64_t sectors = 0;
    for (uint64_t first = 0; first < n; first += WARP) {
        const uint64_t end = n - first < WARP ? n : first + WARP;
        for (uint64_t i = first; i < end; i++) {
            bool *sector = &seen[access_walk(shuffle, i) * ELEMENT / SECTOR];
            sectors += !*sector;
            *sector = true;
        }
        for (uint64_t i = first; i < end; i++)
            seen[access_walk(shuffle, i) * ELEMENT / SECTOR] = false;
    }
    return sectors;
}

static uint64_t load_sectors(const gb_value args[])
{
    const uint64_t n = args[ELEMENTS].number, warps = n / WARP, rest = n % WARP;
    if (pattern_of(args) == RANDOM)
        return random_sectors(n);
    /* A warp's loads span WARP * stride elements: whole sectors, so that all warps are alike. */
    const uint64_t stride = args[STRIDE].number, offset = args[OFFSET].number;
    return warps * warp_sectors(WARP, stride, offset) +
           (rest > 0 ? warp_sectors(rest, stride, offset) : 0);
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const uint64_t n = args[ELEMENTS].number, line = kind == GB_CPU ? 64 : SECTOR;
    const uint64_t read = n * ELEMENT, written = outputs(n) * ELEMENT;
    const uint64_t spread = footprint(args) * ELEMENT, lines = n * line;
    *out = (gb_work){
        .bytes_read = read,
        .bytes_written = written,
        .bytes_moved = read + written,
        .bytes_sectors = (load_sectors(args) + (written + SECTOR - 1) / SECTOR) * SECTOR,
        .items = n,
        .working_set = (spread < lines ? spread : lines) + written,
        .ceiling = GB_CEILING_MEMORY,
    };
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "access", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->pattern = pattern_of(run->args);
    s->n = run->args[ELEMENTS].number;
    s->outputs = outputs(s->n);
    s->shuffle = access_shuffle_of(s->n);
    s->seed = gb_rng_derive(run->seed, 0);
    s->launch = gb_launch_shape(dev, (s->n + ACCESS_LOADS - 1) / ACCESS_LOADS, ACCESS_BLOCK);
    const bool power_of_two = s->shuffle.mask == s->n - 1;
    switch (s->pattern) {
    case COALESCED:
    case SHIFTED:
        s->fn = GB_FN(access_linear);
        s->step = run->args[OFFSET].number;
        break;
    case STRIDED:
        s->fn = GB_FN(access_strided);
        s->step = run->args[STRIDE].number;
        break;
    case RANDOM:
        s->fn = power_of_two ? GB_FN(access_random) : GB_FN(access_random_walk);
        break;
    }
    const uint64_t places = footprint(run->args);
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)(places * ELEMENT), &s->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)(s->outputs * ELEMENT), &s->out, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->in, ELEMENT, places, gb_make_words32, &s->seed, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    void *last = s->pattern == RANDOM ? (void *)&s->shuffle : (void *)&s->step;
    return run->dev->ops->launch(run->dev, run->stream, s->fn, &s->launch,
                                 (void *[]){&s->out.device, &s->in.device, &s->n, last}, err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->out, err);
}

static uint64_t place(const state *s, uint64_t i)
{
    switch (s->pattern) {
    case COALESCED:
    case SHIFTED:
        return i + s->step;
    case STRIDED:
        return i * s->step;
    case RANDOM:
        return access_walk(s->shuffle, i);
    }
    return 0;
}

/* Sum number `output` is that of one thread of a block: every ACCESS_BLOCK-th load of its share. */
static uint32_t expected(const state *s, uint64_t output)
{
    const uint64_t share = ACCESS_BLOCK * ACCESS_LOADS;
    const uint64_t first = output / ACCESS_BLOCK * share, thread = output % ACCESS_BLOCK;
    uint32_t sum = 0;
    for (uint64_t l = 0; l < ACCESS_LOADS; l++) {
        const uint64_t i = first + l * ACCESS_BLOCK + thread;
        if (i < s->n)
            sum += gb_word32(s->seed, place(s, i));
    }
    return sum;
}

static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, expected(s, first + i), found[i], 8);
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_verify(run, &s->out, ELEMENT, s->outputs, compare, s,
                            "access: sums of the threads", err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->out, &s->in, NULL});
}

const gb_kernel gb_kernel_access = {
    .spec =
        {
            .name = "access",
            .source = "kernels/access.cu",
            .version = 1,
            .summary = "the price of an order: loads side by side, strided, shifted, at random",
            .lesson =
                "Memory is not read element by element. A GPU fetches 32-byte sectors, a CPU "
                "64-byte lines, and what is fetched but not used is lost bandwidth. When the 32 "
                "threads of a warp load neighbouring elements the sectors are used whole "
                "(coalesced). With a stride of 2 half of each sector is used, with 8 and more a "
                "single element of it. An offset makes a warp touch one sector more. In random "
                "order each load pays for a sector of its own and finds no open page in memory "
                "and no entry in the tables of addresses either. Every pattern does the same "
                "number of loads a thread; only the places differ.",
            .picture =
                "Useful bandwidth over stride falls as 1/stride down to stride 8 (on a CPU 16), "
                "while sector bandwidth stays level: the memory is as busy as before, with bytes "
                "nobody asked for. Beyond that the useful part falls more slowly or not at all. "
                "Offsets cost little, since the extra sector is the neighbour's too and comes "
                "from a cache. Random order lies far below everything else once the array is "
                "larger than the last cache, and close to the rest while it fits.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
