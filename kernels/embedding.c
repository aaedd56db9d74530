/* embedding: rows of a table, looked up by ids. See embedding.cu. */
#include "kernels/embedding.h"

#include "kernels/common.h"

GB_FN_DECLARE(embedding_single)
GB_FN_DECLARE(embedding_four)

enum { ORDER, WIDTH, TABLE, BYTES };
enum order { SEQUENTIAL, RANDOM, SKEWED };
static const char *const order_words[] = {"sequential", "random", "skewed", NULL};

#define ELEMENT sizeof(uint32_t)

static const gb_param params[] = {
    [ORDER] =
        GB_WORD_PARAM("order", order_words, "random",
                      "which rows are looked up. sequential: one after the other; random: any, "
                      "all alike; skewed: few of them often, row r with a probability of about "
                      "1/r, as words of a language"),
    [WIDTH] = GB_COUNT_PARAM("width", "elements", 1, UINT64_C(1) << 16, 64,
                             "elements of 4 bytes in a row"),
    [TABLE] =
        GB_BYTES_PARAM("table", 4, UINT64_C(1) << 40, UINT64_C(128) << 20, "size of the table"),
    [BYTES] = GB_BYTES_PARAM("bytes", 4, UINT64_C(1) << 38, UINT64_C(16) << 20,
                             "size of all rows that are looked up"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes of the rows, read and written, and of the ids, over time"),
    GB_ITEM_RATE("lookup_rate", GB_WHOLE, "rows looked up over time"),
};

typedef struct state {
    gb_memory table, ids, out;
    const gb_fn *fn;
    gb_launch launch;
    enum order order;
    uint64_t rows, lookups, width;
    uint64_t unit_width; /* of what the device code moves at a time */
    uint64_t seed;
} state;

static uint64_t rows_of(const gb_value args[])
{
    return args[TABLE].number / (args[WIDTH].number * ELEMENT);
}

static uint64_t lookups_of(const gb_value args[])
{
    return args[BYTES].number / (args[WIDTH].number * ELEMENT);
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const uint64_t width = args[WIDTH].number, rows = rows_of(args), lookups = lookups_of(args);
    (void)kind;
    if (rows == 0 || lookups == 0)
        return gb_fail(err, GB_INVALID, "%s is less than one row of width %llu (%llu bytes)",
                       rows == 0 ? "table" : "bytes", (unsigned long long)width,
                       (unsigned long long)(width * ELEMENT));
    if (rows > UINT32_MAX)
        return gb_fail(err, GB_INVALID, "the table would have %llu rows; ids have 32 bits",
                       (unsigned long long)rows);
    *need = (gb_need){.device_bytes = ELEMENT * (width * (rows + lookups) + lookups)};
    return GB_OK;
}

/* Rows that are touched, for what has to be in a cache: no more than there are. */
static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const uint64_t lookups = lookups_of(args), rows = rows_of(args);
    const uint64_t gathered = ELEMENT * args[WIDTH].number * lookups;
    const uint64_t touched = ELEMENT * args[WIDTH].number * (lookups < rows ? lookups : rows);
    (void)kind;
    *out = (gb_work){
        .bytes_read = gathered + ELEMENT * lookups,
        .bytes_written = gathered,
        .bytes_moved = 2 * gathered + ELEMENT * lookups,
        .items = lookups,
        .working_set = touched + gathered + ELEMENT * lookups,
        .ceiling = GB_CEILING_MEMORY,
    };
}

/* Each row's number of place i. skewed: the inverse of the distribution function
 * ln(r + 1) / ln(rows + 1). */
static uint32_t id_of(const state *s, uint64_t i)
{
    const uint64_t bits = gb_mix_twice(s->seed, i);
    if (s->order == SEQUENTIAL)
        return (uint32_t)(i % s->rows);
    if (s->order == RANDOM)
        return (uint32_t)((bits >> 32) * s->rows >> 32);
    const double share = (double)(bits >> 11) * 0x1p-53;
    const uint64_t id = (uint64_t)(exp(share * log((double)s->rows + 1)) - 1);
    return (uint32_t)(id < s->rows ? id : s->rows - 1);
}

static void make_ids(void *user, void *elements, uint64_t first, size_t count)
{
    uint32_t *ids = elements;
    for (size_t i = 0; i < count; i++)
        ids[i] = id_of(user, first + i);
}

/* A GPU's row is shared by as many threads as it has pieces, a warp at most; on a CPU it is a loop.
 */
static gb_launch shape(const gb_device *dev, const state *s)
{
    uint32_t share = 1;
    while (dev->info.kind != GB_CPU && share < EMBEDDING_MAX_SHARE && share < s->unit_width)
        share *= 2;
    const uint32_t rows = EMBEDDING_BLOCK / share;
    gb_launch launch = gb_launch_shape(dev, (s->lookups + rows - 1) / rows, 1);
    launch.block[0] = share;
    launch.block[1] = rows;
    return launch;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "embedding", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->order = (enum order)gb_word_index(order_words, run->args[ORDER]);
    s->width = run->args[WIDTH].number;
    s->rows = rows_of(run->args);
    s->lookups = lookups_of(run->args);
    s->seed = gb_rng_derive(run->seed, 0);
    const bool four = s->width % EMBEDDING_FOUR == 0;
    s->fn = four ? GB_FN(embedding_four) : GB_FN(embedding_single);
    s->unit_width = four ? s->width / EMBEDDING_FOUR : s->width;
    s->launch = shape(dev, s);
    const uint64_t row = s->width * ELEMENT;
    gb_code code = gb_state_alloc(run,
                                  (const gb_array[]){{&s->table, s->rows * row},
                                                     {&s->ids, s->lookups * ELEMENT},
                                                     {&s->out, s->lookups * row},
                                                     {NULL, 0}},
                                  err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->table, ELEMENT, s->rows * s->width, gb_make_words32,
                               &s->seed, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->ids, ELEMENT, s->lookups, make_ids, s, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return run->dev->ops->launch(
        run->dev, run->stream, s->fn, &s->launch,
        (void *[]){&s->out.device, &s->table.device, &s->ids.device, &s->lookups, &s->unit_width},
        err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->out, err);
}

/* An element is a row. */
static void compare(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                    size_t count)
{
    const state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = first + i, from = id_of(s, row) * s->width;
        for (uint64_t c = 0; c < s->width; c++)
            gb_compare_u64(bad, row * s->width + c, gb_word32(s->seed, from + c),
                           found[i * s->width + c], 8);
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    gb_mismatch bad = {0};
    gb_code code =
        gb_memory_compare(run, &s->out, s->width * ELEMENT, s->lookups, compare, s, &bad, err);
    if (code != GB_OK)
        return code;
    return gb_mismatch_result(&bad, "embedding", s->lookups * s->width, ELEMENT, err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->table, &s->ids, &s->out, NULL});
}

const gb_kernel gb_kernel_embedding = {
    .spec =
        {
            .name = "embedding",
            .summary = "rows of a table, looked up by ids: an embedding layer",
            .lesson =
                "A lookup does no arithmetic at all: it reads an id and copies the row of that "
                "number. What it costs depends on how long the rows are and how often the same "
                "ones are asked for. Memory is read in pieces (32 bytes on a GPU, 64 on a CPU) "
                "and finds neighbouring pieces faster than distant ones, so that short rows from "
                "anywhere waste what a long row uses. Real ids are not spread evenly: a few words "
                "make up most of a text, and their rows stay in a cache.",
            .picture =
                "Bandwidth over width, a line an order. sequential is a copy and close to level. "
                "random begins far below it and comes closer with each doubling of the rows, "
                "until the rows are so long that it hardly matters where they lie. skewed is "
                "above random, and above sequential too where the rows that are asked for most "
                "fit into a cache. A table that fits into the last cache as a whole shows hardly "
                "any difference.",
            .source = "kernels/embedding.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,

        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
