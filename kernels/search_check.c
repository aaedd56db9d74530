#include "kernels/search_check.h"

#include <stdlib.h>

#include "kernels/common.h"

typedef struct checking {
    const search_reference *r;
    uint64_t *hits; /* [queries] */
} checking;

static void compare_ids(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                        size_t count)
{
    const checking *c = user;
    const uint32_t *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, search_key_index(c->r->result[first + i]), found[i], 8);
}

static void compare_values(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                           size_t count)
{
    const checking *c = user;
    const float *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_f64(bad, first + i, (double)search_key_score(c->r->result[first + i]),
                       (double)found[i], 0);
}

static void compare_best(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                         size_t count)
{
    const checking *c = user;
    const uint64_t *found = elements;
    for (size_t i = 0; i < count; i++)
        gb_compare_u64(bad, first + i, c->r->best[first + i], found[i], 16);
}

/* An element is all scores of a query. They are gone through one by one only where their sum is not
 * what it should be. */
static void compare_scores(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                           size_t count)
{
    const checking *c = user;
    const uint64_t n = c->r->vectors;
    for (size_t i = 0; i < count; i++) {
        const float *found = (const float *)elements + i * n;
        if (search_sum(c->r, found) == c->r->sums[first + i])
            continue;
        for (uint64_t v = 0; v < n; v++)
            gb_compare_f64(bad, (first + i) * n + v, search_score(c->r, first + i, v),
                           (double)found[v], 0);
    }
}

/* An element is all ids of a query. One that was found twice counts once. */
static void count_hits(void *user, gb_mismatch *bad, const void *elements, uint64_t first,
                       size_t count)
{
    const checking *c = user;
    const uint64_t k = c->r->k;
    (void)bad;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *ids = (const uint32_t *)elements + i * k;
        for (uint64_t wanted = 0; wanted < k; wanted++) {
            const uint32_t id = search_key_index(c->r->result[(first + i) * k + wanted]);
            uint64_t at = 0;
            while (at < k && ids[at] != id)
                at++;
            c->hits[first + i] += at < k;
        }
    }
}

static gb_code take_recall(gb_run *run, const search_state *s, gb_error *err)
{
    const search_sizes *z = &s->z;
    checking c = {.r = &s->reference, .hits = calloc(z->queries, sizeof(uint64_t))};
    gb_mismatch none = {0};
    if (c.hits == NULL)
        return gb_fail(err, GB_NO_MEMORY, "no memory for the recall of search");
    gb_code code = gb_memory_compare(run, &s->ids, z->k * sizeof(uint32_t), z->queries, count_hits,
                                     &c, &none, err);
    uint64_t hits = 0;
    for (uint64_t q = 0; q < z->queries; q++)
        hits += c.hits[q];
    free(c.hits);
    run->levels[SEARCH_RECALL] = 100.0 * (double)hits / (double)(z->queries * z->k);
    return code;
}

/* Results, their scores, and both arrays on the way to them. */
gb_code search_check(gb_run *run, gb_error *err)
{
    search_state *s = run->state;
    const search_sizes *z = &s->z;
    checking c = {.r = &s->reference};
    const uint64_t results = z->queries * z->k;
    const struct {
        const gb_memory *memory;
        const char *what;
        size_t size;
        uint64_t elements, row;
        gb_compare_fn compare;
    } checks[] = {
        {&s->ids, "search: ids of the results", sizeof(uint32_t), results, 1, compare_ids},
        {&s->values, "search: scores of the results", sizeof(float), results, 1, compare_values},
        {&s->best, "search: the best of each part", sizeof(uint64_t), results * z->parts, 1,
         compare_best},
        {&s->scores, "search: scores of all vectors", sizeof(float), z->queries * z->vectors,
         z->vectors, compare_scores}};
    gb_code code = take_recall(run, s, err);
    for (size_t i = 0; i < GB_COUNT(checks) && code == GB_OK; i++) {
        gb_mismatch bad = {0};
        code =
            gb_memory_compare(run, checks[i].memory, checks[i].size * checks[i].row,
                              checks[i].elements / checks[i].row, checks[i].compare, &c, &bad, err);
        if (code == GB_OK)
            code =
                gb_mismatch_result(&bad, checks[i].what, checks[i].elements, checks[i].size, err);
        if (code == GB_WRONG_RESULT && i == 0)
            (void)gb_fail_context(err, "a recall of %.4g %%", run->levels[SEARCH_RECALL]);
    }
    return code;
}
