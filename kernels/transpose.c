/* transpose: a matrix transposed without and with shared memory. See transpose.cu. */
#include "kernels/transpose.h"

#include "kernels/common.h"

GB_FN_DECLARE(transpose_copy)
GB_FN_DECLARE(transpose_naive)
GB_FN_DECLARE(transpose_tiled)
GB_FN_DECLARE(transpose_padded)

enum { VARIANT, N, COLUMNS };
enum variant { COPY, NAIVE, TILED, PADDED };
static const char *const variant_words[] = {"copy", "naive", "tiled", "padded", NULL};
static const gb_fn *const functions[] = {GB_FN(transpose_copy), GB_FN(transpose_naive),
                                         GB_FN(transpose_tiled), GB_FN(transpose_padded)};

#define ELEMENT sizeof(uint32_t)

static const gb_param params[] = {
    [VARIANT] = GB_WORD_PARAM("variant", variant_words, "padded",
                              "copy: no transposition, for comparison; naive: element by element; "
                              "tiled: through 32x32 tiles of shared memory; padded: 32x33 tiles"),
    [N] = GB_COUNT_PARAM("n", "elements", 1, 65536, 4096,
                         "rows of the matrix, and its columns where `columns` is 0"),
    [COLUMNS] = GB_COUNT_PARAM("columns", "elements", 0, 65536, 0,
                               "columns of a matrix that is not square; 0: as many as rows"),
};

static const gb_metric_spec metrics[] = {
    GB_BANDWIDTH("bytes of the matrix, read once and written once, over time"),
};

typedef struct state {
    gb_memory in, out;
    const gb_fn *fn;
    gb_launch launch;
    enum variant variant;
    uint64_t rows, columns;
    uint64_t across, tiles; /* tiles in a row of them, and in all */
    uint64_t seed;
} state;

static enum variant variant_of(const gb_value args[])
{
    return (enum variant)gb_word_index(variant_words, args[VARIANT]);
}

static uint64_t columns_of(const gb_value args[])
{
    return args[COLUMNS].number > 0 ? args[COLUMNS].number : args[N].number;
}

static gb_code check(const gb_value args[], gb_device_kind kind, gb_need *need, gb_error *err)
{
    (void)kind;
    *need = (gb_need){0};
    gb_code code = gb_mul_u64(args[N].number, columns_of(args), &need->device_bytes, err);
    if (code == GB_OK)
        code = gb_mul_u64(need->device_bytes, 2 * ELEMENT, &need->device_bytes, err);
    return code;
}

static void work(const gb_value args[], gb_device_kind kind, gb_work *out)
{
    (void)kind;
    const uint64_t elements = args[N].number * columns_of(args), bytes = elements * ELEMENT;
    *out = (gb_work){
        .bytes_read = bytes,
        .bytes_written = bytes,
        .bytes_moved = 2 * bytes,
        .items = elements,
        .working_set = 2 * bytes,
        .ceiling = GB_CEILING_MEMORY,
    };
}

/* Width and height of what a block handles at a time. On a CPU without shared memory that is a
 * strip of one row, which is a plain loop over rows and columns: the tile of a GPU's block would
 * already be the remedy there. */
static void tile_shape(gb_device_kind kind, enum variant variant, uint32_t *width, uint32_t *height)
{
    const bool shared = variant == TILED || variant == PADDED;
    *width = shared || kind != GB_CPU ? TRANSPOSE_TILE : GB_BLOCK;
    *height = shared ? TRANSPOSE_TILE : kind != GB_CPU ? TRANSPOSE_ROWS : 1;
}

static void plan_launch(const gb_device *dev, state *s)
{
    uint32_t width, height;
    tile_shape(dev->info.kind, s->variant, &width, &height);
    s->across = (s->columns + width - 1) / width;
    s->tiles = s->across * ((s->rows + height - 1) / height);
    s->launch = gb_launch_shape(dev, s->tiles, 1); /* a block a tile, within the grid's limit */
    s->launch.block[0] = width;
    s->launch.block[1] = height < TRANSPOSE_ROWS ? height : TRANSPOSE_ROWS;
}

static gb_code prepare(gb_run *run, gb_error *err)
{
    gb_device *dev = run->dev;
    state *s = gb_state_new(run, sizeof *s, "transpose", err);
    if (s == NULL)
        return GB_NO_MEMORY;
    s->variant = variant_of(run->args);
    s->fn = functions[s->variant];
    s->rows = run->args[N].number;
    s->columns = columns_of(run->args);
    s->seed = gb_rng_derive(run->seed, 0);
    plan_launch(dev, s);
    const uint64_t elements = s->rows * s->columns;
    gb_code code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)(elements * ELEMENT), &s->in, err);
    if (code == GB_OK)
        code = dev->ops->alloc(dev, GB_MEM_DEVICE, (size_t)(elements * ELEMENT), &s->out, err);
    if (code == GB_OK)
        code = gb_memory_write(run, &s->in, ELEMENT, elements, gb_make_words32, &s->seed, err);
    return code;
}

static gb_code enqueue(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return run->dev->ops->launch(
        run->dev, run->stream, s->fn, &s->launch,
        (void *[]){&s->out.device, &s->in.device, &s->rows, &s->columns, &s->across, &s->tiles},
        err);
}

static gb_code reset(gb_run *run, gb_error *err)
{
    state *s = run->state;
    return gb_memory_poison(run, &s->out, err);
}

static void compare_copy(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                         size_t count)
{
    const state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, gb_word32(s->seed, first + i), found[i], 8);
}

/* Element i of the result is in its row x and column y: row y and column x of the matrix. */
static void compare_transposed(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                               size_t count)
{
    const state *s = user;
    const uint32_t *found = elements;
    const uint64_t rows = s->rows, columns = s->columns;
    uint64_t x = first / rows, y = first % rows;
    for (size_t i = 0; i < count; i++) {
        gb_compare_u64(bad, first + i, gb_word32(s->seed, y * columns + x), found[i], 8);
        if (++y == rows) {
            y = 0;
            x++;
        }
    }
}

static gb_code verify(gb_run *run, gb_error *err)
{
    state *s = run->state;
    const uint64_t elements = s->rows * s->columns;
    return gb_memory_verify(run, &s->out, ELEMENT, elements,
                            s->variant == COPY ? compare_copy : compare_transposed, s, "transpose",
                            err);
}

static void release(gb_run *run)
{
    state *s = run->state;
    if (s != NULL)
        gb_state_free(run, (gb_memory *[]){&s->out, &s->in, NULL});
}

const gb_kernel gb_kernel_transpose = {
    .spec =
        {
            .name = "transpose",
            .source = "kernels/transpose.cu",
            .version = 1,
            .summary = "a matrix transposed element by element, and through tiles of shared memory",
            .lesson =
                "A transposition computes nothing: it should run as fast as a copy. But what is a "
                "row on one side is a column on the other. Threads that read neighbouring elements "
                "write elements that are a whole row apart, each into a 32-byte sector (on a CPU a "
                "64-byte line) of its own, and memory moves many times the bytes that were asked "
                "for. The remedy is a tile: a block reads a square of the matrix along rows into "
                "shared memory, and writes it out along rows of the result. The turning takes "
                "place in shared memory, where order costs little. Little, not nothing: shared "
                "memory has 32 banks, and a column of a tile that is 32 elements wide lies in one "
                "bank alone, so that the 32 threads of a warp are served one after the other. One "
                "unused element at the end of each row of the tile moves the rows against each "
                "other and spreads a column over all banks.",
            .picture =
                "Bandwidth over n: copy on top, naive far below it, and padded close to the copy, "
                "with tiled between naive and padded. On a CPU naive falls off where a column of "
                "lines no longer fits into the nearer caches, most of all where n is a power of "
                "two, as then all lines of a column compete for the same few places of a cache; "
                "tiled stays up. There are no banks there, so that tiled and padded are alike.",
            GB_TABLES(params, metrics, check, work),
            GB_TIMED_ON_DEVICE,
        },
    GB_LIFE(prepare, enqueue, reset, verify, release),
};
