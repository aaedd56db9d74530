/* Rings: every node is visited once, whatever the size; orders differ; what is no ring is refused.
 */
#include "kernels/ring.h"

#include <stdlib.h>
#include <string.h>

#include "unit/check_main.h"

START_TEST(a_ring_visits_every_node_once)
{
    static const uint64_t sizes[] = {1, 2, 3, 16, 17, 1000, 65537};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        const uint64_t n = sizes[s];
        uint32_t *next = malloc(n * sizeof *next), *order = malloc(n * sizeof *order);
        unsigned char *seen = calloc(n, 1);
        for (uint64_t seed = 0; seed < 20; seed++) {
            memset(seen, 0, n);
            gb_ring_make(next, n, seed);
            ck_assert_msg(gb_ring_walk(next, n, order), "%d nodes", (int)n);
            ck_assert_uint_eq(order[0], 0);
            for (uint64_t k = 0; k < n; k++) {
                ck_assert_uint_lt(order[k], n);
                ck_assert_uint_eq(seen[order[k]]++, 0);
                ck_assert_uint_eq(next[order[k]], order[(k + 1) % n]);
            }
        }
        free(seen);
        free(order);
        free(next);
    }
}
END_TEST

/* Of four nodes there are six rings: each comes up about as often. (A chi-squared of 5 degrees of
 * freedom beyond 20.5 has a probability of 0.001; the seeds are fixed.) */
START_TEST(every_ring_is_as_likely_as_every_other)
{
    enum { TRIES = 6000 };
    uint32_t next[4], order[4];
    int counts[64] = {0};
    double chi = 0;
    int kinds = 0;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        gb_ring_make(next, 4, seed * 7919);
        ck_assert(gb_ring_walk(next, 4, order));
        counts[order[1] * 16 + order[2] * 4 + order[3]]++;
    }
    for (int i = 0; i < 64; i++)
        if (counts[i] > 0) {
            kinds++;
            chi += (counts[i] - TRIES / 6.0) * (counts[i] - TRIES / 6.0) / (TRIES / 6.0);
        }
    ck_assert_int_eq(kinds, 6);
    ck_assert_double_lt(chi, 20.5);
}
END_TEST

START_TEST(what_is_no_ring_is_refused)
{
    uint32_t order[4];
    static const uint32_t two_rings[] = {1, 0, 3, 2}, stays[] = {0, 2, 3, 1}, out[] = {1, 2, 4, 0};
    static const uint32_t never_back[] = {1, 2, 3, 1}, whole[] = {2, 3, 1, 0};
    ck_assert(!gb_ring_walk(two_rings, 4, order));
    ck_assert(!gb_ring_walk(stays, 4, order));
    ck_assert(!gb_ring_walk(out, 4, order));
    ck_assert(!gb_ring_walk(never_back, 4, order));
    ck_assert(gb_ring_walk(whole, 4, order));
    ck_assert(order[1] == 2 && order[2] == 1 && order[3] == 3);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("ring");
    tcase_add_test(tests, a_ring_visits_every_node_once);
    tcase_add_test(tests, every_ring_is_as_likely_as_every_other);
    tcase_add_test(tests, what_is_no_ring_is_refused);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("ring", add_cases)
