/* crossover: the jobs of a database: filter (the numbers of the rows that pass a query with a way
 * of its own for each kind of row, in order) and lookup (values of whole-number ids from a hash
 * table). */
#include <stdlib.h>
#include <string.h>

#include "kernels/affine.h"
#include "kernels/crossover_job.h"

GB_FN_DECLARE_CPU_ONLY(crossover_filter_cpu)
GB_FN_DECLARE_CPU_ONLY(crossover_gather_cpu)
GB_FN_DECLARE(crossover_mark)
GB_FN_DECLARE(crossover_offsets)
GB_FN_DECLARE(crossover_write)
GB_FN_DECLARE_CPU_ONLY(crossover_lookup_cpu)
GB_FN_DECLARE(crossover_lookup)

/* --- filter ----------------------------------------------------------------------------------- */

#define LEAST_ROWS 4096 /* of a part */

/* About three rows in ten pass: a quarter of the kinds 0, 2 and 3, some 40 % of kind 1. */
static const crossover_query query = {.price = 1u << 14, .total = 1u << 24, .reduced = 48000};

static uint32_t tiles_of(uint64_t n)
{
    return (uint32_t)((n + CROSSOVER_TILE_ROWS - 1) / CROSSOVER_TILE_ROWS);
}

/* What comes out is how many rows pass, and then their numbers. The GPU's scratch: marks, what each
 * tile has, where each tile begins. How many pass is not known before: only what is read counts. */
static void filter_shape(uint64_t n, crossover_shape *out)
{
    *out = (crossover_shape){
        .in = {{sizeof(crossover_row), n}},
        .out = {sizeof(uint32_t), 1 + n},
        .scratch = {sizeof(uint32_t), (uint64_t)tiles_of(n) * (CROSSOVER_TILE_WORDS + 2)},
        .items = n,
        .bytes = n * sizeof(crossover_row) + sizeof(uint32_t)};
}

static crossover_row row_of(const crossover_state *s, uint64_t i)
{
    const uint32_t a = gb_word32(s->seed, i), b = gb_word32(s->seed + 1, i);
    return (crossover_row){
        .kind = a % CROSSOVER_KINDS, .quantity = a >> 22, .price = b >> 16, .discount = a >> 8 & 7};
}

static void make_rows(void *user, void *elements, uint64_t first, size_t count)
{
    crossover_row *to = elements;
    for (size_t i = 0; i < count; i++)
        to[i] = row_of(user, first + i);
}

/* The query, said once more. */
static bool row_passes(const crossover_state *s, uint64_t i)
{
    const crossover_row row = row_of(s, i);
    const uint64_t price = row.price;
    const bool answers[CROSSOVER_KINDS] = {
        price<query.price, price * row.quantity> query.total,
        price - (price * row.discount + 127) / 128 > query.reduced,
        gb_affine_apply(gb_affine_steps(row.discount + 1), row.price) < UINT32_C(1) << 30};
    return answers[row.kind];
}

static gb_code filter_begin(gb_run *run, crossover_state *s, gb_error *err)
{
    (void)run;
    s->expected = malloc((size_t)s->n * sizeof *s->expected);
    if (s->expected == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the reference of %llu rows",
                       (unsigned long long)s->n);
    for (uint64_t i = 0; i < s->n; i++)
        if (row_passes(s, i))
            s->expected[s->n_expected++] = (uint32_t)i;
    return GB_OK;
}

/* Behind the rows that pass the poison still stands. */
static void compare_filtered(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                             size_t count)
{
    const crossover_state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = first + i;
        uint32_t expected = (uint32_t)s->n_expected;
        if (at > 0)
            expected = at <= s->n_expected ? s->expected[at - 1] : UINT32_MAX;
        gb_compare_u64(bad, at, expected, found[i], 8);
    }
}

/* How many of the rows that pass come before row `end`. */
static uint32_t passed_before(const crossover_state *s, uint64_t end)
{
    uint64_t low = 0, high = s->n_expected;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (s->expected[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low;
}

static uint32_t marks_of(const crossover_state *s, uint64_t word)
{
    uint32_t marks = 0;
    for (uint64_t bit = 0; bit < 32 && 32 * word + bit < s->n; bit++)
        marks |= (uint32_t)row_passes(s, 32 * word + bit) << bit;
    return marks;
}

static void compare_marks(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                          size_t count)
{
    const crossover_state *s = user;
    const uint32_t *found = elements;
    const uint64_t tiles = tiles_of(s->n), words = tiles * CROSSOVER_TILE_WORDS;
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = first + i, tile = (at - words) % tiles;
        uint32_t expected;
        if (at < words)
            expected = marks_of(s, at);
        else if (at < words + tiles)
            expected = passed_before(s, (tile + 1) * CROSSOVER_TILE_ROWS) -
                       passed_before(s, tile * CROSSOVER_TILE_ROWS);
        else
            expected = passed_before(s, tile * CROSSOVER_TILE_ROWS);
        gb_compare_u64(bad, at, expected, found[i], 8);
    }
}

/* Two numbers a part, and with several parts a place for the rows of each. */
static size_t filter_plain(const crossover_state *s)
{
    return (2 * (size_t)s->workers + (size_t)s->n) * sizeof(uint32_t);
}

static gb_code filter_cpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t parts = crossover_parts(s, s->n, LEAST_ROWS);
    uint32_t *all = s->at.out, *to = all + 1;
    uint32_t *counts = s->plain, *offsets = counts + s->workers, *own = offsets + s->workers;
    uint32_t *ids = parts > 1 ? own : to;
    crossover_query what = query;
    void *args[] = {&ids, &counts, &s->at.in[0], &s->n, &what, &parts};
    gb_code code = crossover_on_cpu(run, GB_FN(crossover_filter_cpu), parts, args, err);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < parts; i++) {
        offsets[i] = sum;
        sum += counts[i];
    }
    if (code == GB_OK)
        *all = sum;
    if (code == GB_OK && parts > 1)
        code = crossover_on_cpu(run, GB_FN(crossover_gather_cpu), parts,
                                (void *[]){&to, &ids, &counts, &offsets, &s->n, &parts}, err);
    return code;
}

static gb_code filter_gpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t tiles = tiles_of(s->n);
    uint32_t *marks = s->scratch.device, *counts = marks + (size_t)tiles * CROSSOVER_TILE_WORDS;
    uint32_t *offsets = counts + tiles, *all = s->at.out, *to = all + 1;
    crossover_query what = query;
    gb_code code =
        crossover_on_gpu(run, GB_FN(crossover_mark), tiles, CROSSOVER_BLOCK, 1,
                         (void *[]){&marks, &counts, &s->at.in[0], &s->n, &what, &tiles}, err);
    if (code == GB_OK)
        code = crossover_on_gpu(run, GB_FN(crossover_offsets), 1, CROSSOVER_BLOCK, 1,
                                (void *[]){&offsets, &all, &counts, &tiles}, err);
    if (code == GB_OK)
        code = crossover_on_gpu(run, GB_FN(crossover_write), tiles, CROSSOVER_BLOCK, 1,
                                (void *[]){&to, &marks, &offsets, &tiles}, err);
    return code;
}

/* How many pass has to be known before they can be fetched. */
static gb_code filter_fetch(gb_run *run, crossover_state *s, gb_error *err)
{
    gb_device *dev = run->dev;
    uint32_t *count = s->host_out.host;
    gb_code code =
        dev->ops->copy(dev, run->stream, count, s->out.device, sizeof *count, GB_COPY_D2H, err);
    if (code == GB_OK)
        code = dev->ops->stream_sync(dev, run->stream, err);
    if (code != GB_OK || *count == 0)
        return code;
    const size_t found = *count < s->n ? *count : (size_t)s->n; /* whatever went wrong there */
    return dev->ops->copy(dev, run->stream, count + 1, (uint32_t *)s->out.device + 1,
                          found * sizeof *count, GB_COPY_D2H, err);
}

const crossover_job crossover_filter = {.word = "filter",
                                        .max_n = UINT64_C(1) << 31,
                                        .shape = filter_shape,
                                        .begin = filter_begin,
                                        .make_in = {make_rows, NULL},
                                        .plain_bytes = filter_plain,
                                        .cpu = filter_cpu,
                                        .gpu = filter_gpu,
                                        .fetch = filter_fetch,
                                        .compare_out = compare_filtered,
                                        .compare_scratch = compare_marks};

/* --- lookup ----------------------------------------------------------------------------------- */

#define LEAST_LOOKUPS 1024 /* of a part */
/* A million ids in twice as many slots: 16 MiB, more than the nearer caches. */
#define SLOT_BITS 21
#define SLOTS (UINT32_C(1) << SLOT_BITS)
#define IDS (SLOTS / 2)
#define ASKED (IDS + IDS / 8) /* every ninth is not there */

static void lookup_shape(uint64_t n, crossover_shape *out)
{
    *out = (crossover_shape){.in = {{sizeof(uint32_t), n}},
                             .out = {sizeof(uint32_t), n},
                             .table = {sizeof(crossover_slot), SLOTS},
                             .items = n,
                             .bytes = n * (2 * sizeof(uint32_t) + sizeof(crossover_slot))};
}

/* Id number i: all different, without an order. The steps are those of MurmurHash3's finaliser,
 * each of which can be undone. */
static uint32_t id_of(const crossover_state *s, uint32_t i)
{
    uint32_t x = i ^ (uint32_t)s->seed;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

static uint32_t value_of(const crossover_state *s, uint32_t i)
{
    return gb_word32(s->seed + 1, i) >> 1; /* never CROSSOVER_MISSING, nor poison */
}

static uint32_t asked(const crossover_state *s, uint64_t k)
{
    return gb_word32(s->seed + 2, k) % ASKED;
}

static uint32_t empty_of(const crossover_state *s)
{
    return id_of(s, UINT32_MAX);
}

static gb_code lookup_begin(gb_run *run, crossover_state *s, gb_error *err)
{
    (void)run;
    s->slots = malloc(SLOTS * sizeof *s->slots);
    if (s->slots == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for a table of %u ids", IDS);
    for (uint32_t i = 0; i < SLOTS; i++)
        s->slots[i] = (crossover_slot){empty_of(s), 0};
    for (uint32_t i = 0; i < IDS; i++) {
        const uint32_t id = id_of(s, i);
        uint32_t slot = id * CROSSOVER_HASH >> (32 - SLOT_BITS);
        while (s->slots[slot].id != empty_of(s))
            slot = (slot + 1) % SLOTS;
        s->slots[slot] = (crossover_slot){id, value_of(s, i)};
    }
    return GB_OK;
}

static void make_slots(void *user, void *elements, uint64_t first, size_t count)
{
    const crossover_state *s = user;
    memcpy(elements, s->slots + first, count * sizeof *s->slots);
}

static void make_ids(void *user, void *elements, uint64_t first, size_t count)
{
    const crossover_state *s = user;
    uint32_t *to = elements;
    for (size_t i = 0; i < count; i++)
        to[i] = id_of(s, asked(s, first + i));
}

/* What was put in for an id, without a look at the table. */
static void compare_values(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                           size_t count)
{
    const crossover_state *s = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++) {
        const uint32_t which = asked(s, first + i);
        gb_compare_u64(bad, first + i, which < IDS ? value_of(s, which) : CROSSOVER_MISSING,
                       found[i], 8);
    }
}

static gb_code lookup_cpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t parts = crossover_parts(s, s->n, LEAST_LOOKUPS);
    uint32_t shift = 32 - SLOT_BITS, empty = empty_of(s);
    void *args[] = {&s->at.out, &s->at.in[0], &s->table.device, &shift, &empty, &s->n, &parts};
    return crossover_on_cpu(run, GB_FN(crossover_lookup_cpu), parts, args, err);
}

static gb_code lookup_gpu(gb_run *run, crossover_state *s, gb_error *err)
{
    uint32_t shift = 32 - SLOT_BITS, empty = empty_of(s);
    void *args[] = {&s->at.out, &s->at.in[0], &s->table.device, &shift, &empty, &s->n};
    return crossover_on_gpu(run, GB_FN(crossover_lookup), s->n / CROSSOVER_BLOCK + 1,
                            CROSSOVER_BLOCK, 1, args, err);
}

const crossover_job crossover_lookup = {.word = "lookup",
                                        .max_n = UINT64_C(1) << 32,
                                        .shape = lookup_shape,
                                        .begin = lookup_begin,
                                        .make_in = {make_ids, NULL},
                                        .make_table = make_slots,
                                        .cpu = lookup_cpu,
                                        .gpu = lookup_gpu,
                                        .compare_out = compare_values};
