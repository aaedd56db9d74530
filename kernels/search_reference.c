#include "kernels/search_reference.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/common.h"

enum { OF_VECTORS, OF_QUERIES, OF_WEIGHTS }; /* series of random numbers */

/* -7 to 7 */
static int odd(uint64_t seed, int series, uint64_t index)
{
    return 2 * (int)(gb_mix_twice(seed + (uint64_t)series, index) >> 61) - 7;
}

int search_vector_at(uint64_t seed, uint64_t vector, uint64_t dimension)
{
    return odd(seed, OF_VECTORS, vector << 12 | dimension);
}

int search_query_at(uint64_t seed, uint64_t query, uint64_t dimension)
{
    return odd(seed, OF_QUERIES, query << 12 | dimension);
}

static uint64_t weight(uint64_t seed, uint64_t vector)
{
    return gb_mix(seed + OF_WEIGHTS, vector) | 1;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t search_key(int32_t score, uint32_t index)
{
    const uint32_t bits = bits_of((float)score);
    const uint64_t place = score < 0 ? UINT32_MAX - bits : bits + (UINT64_C(1) << 31);
    return place * (UINT64_C(1) << 32) + (UINT32_MAX - index);
}

uint32_t search_key_index(uint64_t key)
{
    return UINT32_MAX - (uint32_t)key;
}

float search_key_score(uint64_t key)
{
    const uint64_t place = key >> 32;
    const uint32_t bits =
        (uint32_t)(place >= UINT64_C(1) << 31 ? place - (UINT64_C(1) << 31) : UINT32_MAX - place);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int32_t product(const int16_t a[], const int16_t b[], uint64_t n)
{
    int32_t sum = 0;
    for (uint64_t d = 0; d < n; d++)
        sum += a[d] * b[d];
    return sum;
}

/* Puts a key into its place in a list of the best, the largest first. */
static void insert(uint64_t list[], uint64_t k, uint64_t key)
{
    if (key <= list[k - 1])
        return;
    uint64_t at = k - 1;
    for (; at > 0 && list[at - 1] < key; at--)
        list[at] = list[at - 1];
    list[at] = key;
}

uint64_t search_sum(const search_reference *r, const float scores[])
{
    uint64_t sum = 0;
    for (uint64_t v = 0; v < r->vectors; v++)
        sum += weight(r->seed, v) * bits_of(scores[v]);
    return sum;
}

int32_t search_score(const search_reference *r, uint64_t query, uint64_t vector)
{
    int32_t sum = 0;
    for (uint64_t d = 0; d < r->dimensions; d++)
        sum += search_vector_at(r->seed, vector, d) * r->lines[query * r->dimensions + d];
    return sum;
}

typedef struct going {
    search_reference *r;
    uint64_t *sums; /* [parts][queries] */
} going;

/* One part after the other, each vector made once for all queries. */
static void go_through(void *context, uint64_t first_part, uint64_t end_part)
{
    const going *g = context;
    search_reference *r = g->r;
    int16_t line[1 << 12];
    for (uint64_t p = first_part; p < end_part; p++) {
        const uint64_t first = p * r->part;
        const uint64_t end = r->vectors - first < r->part ? r->vectors : first + r->part;
        uint64_t *sums = &g->sums[p * r->queries];
        for (uint64_t v = first; v < end; v++) {
            const uint64_t w = weight(r->seed, v);
            for (uint64_t d = 0; d < r->dimensions; d++)
                line[d] = (int16_t)search_vector_at(r->seed, v, d);
            for (uint64_t q = 0; q < r->queries; q++) {
                const int32_t score = product(line, &r->lines[q * r->dimensions], r->dimensions);
                sums[q] += w * bits_of((float)score);
                insert(&r->best[(q * r->parts + p) * r->k], r->k, search_key(score, (uint32_t)v));
            }
        }
    }
}

gb_code search_reference_make(search_reference *r, gb_error *err)
{
    r->parts = (r->vectors + r->part - 1) / r->part;
    r->lines = calloc(r->queries * r->dimensions, sizeof *r->lines);
    r->sums = calloc(r->queries, sizeof *r->sums);
    r->best = calloc(r->queries * r->parts * r->k, sizeof *r->best);
    r->result = calloc(r->queries * r->k, sizeof *r->result);
    uint64_t *sums = calloc(r->parts * r->queries, sizeof *sums);
    if (!r->lines || !r->sums || !r->best || !r->result || !sums) {
        free(sums);
        return gb_fail(err, GB_NO_MEMORY, "no memory for the reference of search");
    }
    for (uint64_t q = 0; q < r->queries; q++)
        for (uint64_t d = 0; d < r->dimensions; d++)
            r->lines[q * r->dimensions + d] = (int16_t)search_query_at(r->seed, q, d);
    going g = {r, sums};
    gb_host_run(r->parts, go_through, &g);
    for (uint64_t q = 0; q < r->queries; q++) {
        for (uint64_t p = 0; p < r->parts; p++)
            r->sums[q] += sums[p * r->queries + q];
        for (uint64_t i = 0; i < r->parts * r->k; i++)
            insert(&r->result[q * r->k], r->k, r->best[q * r->parts * r->k + i]);
    }
    free(sums);
    return GB_OK;
}

void search_reference_free(search_reference *r)
{
    free(r->lines);
    free(r->sums);
    free(r->best);
    free(r->result);
    *r = (search_reference){0};
}
