/* search: the vectors of a database that are most like a query. See search.cu. */
#include "kernels/search.h"

#include "kernels/common.h"
#include "kernels/search_check.h"

GB_FN_DECLARE(search_score_1)
GB_FN_DECLARE(search_score_4)
GB_FN_DECLARE(search_score_16)
GB_FN_DECLARE(search_parts)
GB_FN_DECLARE(search_merge)

enum { VECTORS, DIMENSIONS, QUERIES, K };

static const gb_param params[] = {
    [VECTORS] = GB_COUNT_PARAM("vectors", "vectors", 1, UINT64_C(1) << 30, 131072,
                               "vectors of the database"),
    [DIMENSIONS] =
        GB_COUNT_PARAM("dimensions", NULL, 1, 4096, 128, "numbers of 4 bytes that a vector has"),
    [QUERIES] =
        GB_COUNT_PARAM("queries", "queries", 1, 4096, 1, "queries that are answered at once"),
    [K] = GB_COUNT_PARAM("k", "vectors", 1, SEARCH_MAX_K, 10, "vectors to find for each query"),
};

static const gb_metric_spec metrics[] = {
    [SEARCH_QUERY_RATE] = GB_ITEM_RATE("query_rate", GB_WHOLE, "queries answered over time"),
    [SEARCH_BANDWIDTH] =
        GB_BANDWIDTH("bytes of the database, read once, of queries and results, over time"),
    [SEARCH_FLOP_RATE] =
        GB_FLOP_RATE("multiplications and additions of the inner products over time"),
    [SEARCH_RECALL] =
        GB_GAIN("recall", "%", GB_LEVEL, GB_WHOLE,
                "of the vectors that an exact search in whole numbers finds, how many "
                "were found; anything below 100 % is a wrong result"),
};

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* A GPU needs many blocks that select, also for a single query; a CPU long parts, as each begins
 * with an empty list. */
static search_sizes sizes_of(const gb_value args[], gb_device_kind kind)
{
    search_sizes z = {.vectors = args[VECTORS].number,
                      .dimensions = args[DIMENSIONS].number,
                      .queries = args[QUERIES].number,
                      .k = args[K].number,
                      .part = kind == GB_CPU ? 32768 : 4096};
    z.groups = ceil_div(z.vectors, SEARCH_BLOCK);
    z.steps = ceil_div(z.dimensions, SEARCH_STEP);
    z.tile = z.queries == 1 ? 1 : z.queries <= SEARCH_FEW ? SEARCH_FEW : SEARCH_MANY;
    z.tiles = ceil_div(z.queries, z.tile);
    z.parts = ceil_div(z.vectors, z.part);
    return z;
}

/* Elements of each array, which are of 4 bytes but for the keys. */
static uint64_t database_elements(const search_sizes *z)
{
    return z->groups * SEARCH_BLOCK * z->steps * SEARCH_STEP;
}

static uint64_t line_elements(const search_sizes *z)
{
    return z->tiles * z->tile * z->steps * SEARCH_STEP;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    const search_sizes z = sizes_of(args, kind);
    if (z.k > z.vectors)
        return gb_fail(err, GB_INVALID, "k (%llu) is more than the %llu vectors",
                       (unsigned long long)z.k, (unsigned long long)z.vectors);
    *need = (gb_need){.device_bytes = sizeof(float) * (database_elements(&z) + line_elements(&z) +
                                                       z.queries * z.vectors + z.queries * z.k) +
                                      sizeof(uint64_t) * z.queries * z.parts * z.k +
                                      sizeof(uint32_t) * z.queries * z.k};
    return GB_OK;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    const search_sizes z = sizes_of(args, kind);
    const uint64_t read = sizeof(float) * z.dimensions * (z.vectors + z.queries);
    const uint64_t written = (sizeof(uint32_t) + sizeof(float)) * z.queries * z.k;
    *out = (gb_work){
        .bytes_read = read,
        .bytes_written = written,
        .bytes_moved = read + written,
        .flops = 2 * z.queries * z.vectors * z.dimensions,
        .items = z.queries,
        .working_set = read + written + sizeof(float) * z.queries * z.vectors +
                       2 * sizeof(uint64_t) * z.queries * z.parts * z.k,
        .ceiling = GB_CEILING_MEMORY,
        .compute = GB_COMPUTE_FP32,
    };
}

static void make_database(void *user, void *elements, uint64_t first, size_t count)
{
    const search_state *s = user;
    const uint64_t lines = s->z.steps * SEARCH_STEP;
    float *values = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t line = (first + i) / SEARCH_BLOCK, dimension = line % lines;
        const uint64_t vector = line / lines * SEARCH_BLOCK + (first + i) % SEARCH_BLOCK;
        values[i] = vector < s->z.vectors && dimension < s->z.dimensions
                        ? (float)search_vector_at(s->seed, vector, dimension)
                        : 0.0f;
    }
}

static void make_queries(void *user, void *elements, uint64_t first, size_t count)
{
    const search_state *s = user;
    const uint64_t width = s->z.steps * SEARCH_STEP;
    float *values = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t query = (first + i) / width, dimension = (first + i) % width;
        values[i] = query < s->z.queries && dimension < s->z.dimensions
                        ? (float)search_query_at(s->seed, query, dimension)
                        : 0.0f;
    }
}

static gb_code allocate(gb_run *run, search_state *s, gb_error *err)
{
    const search_sizes *z = &s->z;
    const gb_array arrays[] = {{&s->database, database_elements(z) * sizeof(float)},
                               {&s->lines, line_elements(z) * sizeof(float)},
                               {&s->scores, z->queries * z->vectors * sizeof(float)},
                               {&s->best, z->queries * z->parts * z->k * sizeof(uint64_t)},
                               {&s->ids, z->queries * z->k * sizeof(uint32_t)},
                               {&s->values, z->queries * z->k * sizeof(float)},
                               {NULL, 0}};
    return gb_state_alloc(run, arrays, err);
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    search_state *s = gb_state_new(run, sizeof *s, "search", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    const search_sizes z = s->z = sizes_of(run->args, run->dev->info.kind);
    s->seed = gb_rng_derive(run->seed, 0);
    s->score = z.tile == 1            ? GB_FN(search_score_1)
               : z.tile == SEARCH_FEW ? GB_FN(search_score_4)
                                      : GB_FN(search_score_16);
    s->scoring = gb_launch_shape(run->dev, z.groups * z.tiles * SEARCH_BLOCK, SEARCH_BLOCK);
    s->selecting = gb_launch_shape(run->dev, z.parts * z.queries * SEARCH_BLOCK, SEARCH_BLOCK);
    s->merging = gb_launch_shape(run->dev, z.queries * SEARCH_BLOCK, SEARCH_BLOCK);
    s->reference = (search_reference){.vectors = z.vectors,
                                      .dimensions = z.dimensions,
                                      .queries = z.queries,
                                      .k = z.k,
                                      .part = z.part,
                                      .seed = s->seed};
    gb_code code = allocate(run, s, err);
    if (code == GB_OK)
        code = search_reference_make(&s->reference, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->database, sizeof(float), database_elements(&z),
                               make_database, s, err);
    if (code == GB_OK)
        code =
            gb_memory_write(run, &s->lines, sizeof(float), line_elements(&z), make_queries, s, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    search_state *s = run->state;
    const gb_device_ops *ops = run->dev->ops;
    search_sizes *z = &s->z;
    uint32_t k = (uint32_t)z->k;
    gb_code code = ops->launch(run->dev, run->stream, s->score, &s->scoring,
                               (void *[]){&s->scores.device, &s->database.device, &s->lines.device,
                                          &z->vectors, &z->queries, &z->steps},
                               err);
    if (code == GB_OK)
        code = ops->launch(
            run->dev, run->stream, GB_FN(search_parts), &s->selecting,
            (void *[]){&s->best.device, &s->scores.device, &z->vectors, &z->queries, &z->part, &k},
            err);
    if (code == GB_OK)
        code = ops->launch(run->dev, run->stream, GB_FN(search_merge), &s->merging,
                           (void *[]){&s->ids.device, &s->values.device, &s->best.device,
                                      &z->queries, &z->parts, &k},
                           err);
    return code;
}

static uint32_t behind_gate(const gb_value args[])
{
    (void)args;
    return 3;
}

static gb_code reset(gb_run *run, gb_error *err)
{
    search_state *s = run->state;
    const gb_memory *const outputs[] = {&s->scores, &s->best, &s->ids, &s->values};
    gb_code code = GB_OK;
    for (size_t i = 0; i < GB_COUNT(outputs) && code == GB_OK; i++)
        code = gb_memory_poison(run, outputs[i], err);
    return code;
}

static void release(gb_run *run)
{
    search_state *s = run->state;
    if (s == NULL)
        return;
    search_reference_free(&s->reference);
    gb_state_free(run, (gb_memory *[]){&s->database, &s->lines, &s->scores, &s->best, &s->ids,
                                       &s->values, NULL});
}

const gb_kernel gb_kernel_search = {
    .spec =
        {
            .name = "search",
            .summary = "the k vectors of a database with the largest inner products with a query",
            .lesson =
                "An exact search compares a query with every vector there is. That is one "
                "multiplication and one addition for each number of the database, so that a "
                "single query is as fast as the database can be read, and no arithmetic unit "
                "makes it faster. Queries that are answered together share one reading: the "
                "second costs next to nothing, until the arithmetic, or the choice of the best "
                "among all scores, becomes the longer part. Ties are broken by the index, so that "
                "there is one right answer; it is held against a search in whole numbers, and a "
                "recall below 100 % is a wrong result here, not a setting.",
            .picture =
                "Queries a second over the queries at once: rising in proportion while memory is "
                "the limit, then bending towards a plateau, which is that of the arithmetic. On a "
                "GPU the straight part is longer, as it has more operations for each byte of "
                "memory bandwidth. Bandwidth of a single query is close to that of the operation "
                "read of stream. k costs little: most vectors are worse than the k-th best so far "
                "and never enter a list.",
            .source = "kernels/search.cu",
            .version = 1,
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,

        },
    GB_LIFE(prepare, enqueue, reset, search_check, release),
    .behind_gate = behind_gate,
};
