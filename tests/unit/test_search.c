/* Vector search on the cpu device: sizes that blocks, tiles and parts do not divide, ties, and
 * results that are nearly right. */
#include "kernels/common.h"
#include "kernels/search_reference.h"
#include "unit/spoiled_launch.h"

START_TEST(KRN_02_search_of_any_size)
{
    static const unsigned vectors[] = {1, 31, 255, 256, 257, 5000};
    static const unsigned dimensions[] = {1, 3, 4, 130};
    static const unsigned queries[] = {1, 2, 4, 5, 16, 17};
    for (size_t v = 0; v < GB_COUNT(vectors); v++)
        for (size_t d = 0; d < GB_COUNT(dimensions); d++) {
            char text[96];
            const unsigned n = vectors[v], k = n < 100 ? n : 7 + (unsigned)d * 40;
            snprintf(text, sizeof text, "vectors=%u,dimensions=%u,queries=%u,k=%u", n,
                     dimensions[d], queries[_i], k);
            right("search", text);
        }
}
END_TEST

/* Several parts, and lists that fill up again and again; few dimensions make few different scores.
 */
START_TEST(parts_are_merged_and_ties_go_to_the_smaller_index)
{
    right("search", "vectors=50000,dimensions=1,queries=1,k=128");
    right("search", "vectors=50000,dimensions=2,queries=3,k=1");
    right("search", "vectors=40000,dimensions=20,queries=9,k=100");
}
END_TEST

START_TEST(KRN_01_a_clamped_grid_still_covers_everything)
{
    dev->info.max_grid[0] = 3;
    right("search", "vectors=40000,dimensions=5,queries=33,k=11");
}
END_TEST

/* The order is of scores first, then of indices, across zero. */
START_TEST(keys_are_in_the_order_of_what_they_stand_for)
{
    static const int32_t scores[] = {200000, 255, 1, 0, -1, -2, -255, -200704};
    static const uint32_t indices[] = {0, 1, 77, UINT32_MAX};
    uint64_t last = UINT64_MAX;
    for (size_t s = 0; s < GB_COUNT(scores); s++)
        for (size_t i = 0; i < GB_COUNT(indices); i++) {
            const uint64_t key = search_key(scores[s], indices[i]);
            ck_assert_uint_lt(key, last);
            ck_assert_uint_gt(key, 0);
            ck_assert_uint_eq(search_key_index(key), indices[i]);
            ck_assert(search_key_score(key) == (float)scores[s]);
            last = key;
        }
}
END_TEST

/* For each place of a result, by definition: nobody who was not named before is better. */
START_TEST(the_reference_is_what_the_definition_says)
{
    search_reference r = {
        .vectors = 700, .dimensions = 3, .queries = 2, .k = 20, .part = 256, .seed = 11};
    ck_assert_int_eq(search_reference_make(&r, NULL), GB_OK);
    ck_assert_uint_eq(r.parts, 3);
    for (uint64_t q = 0; q < r.queries; q++) {
        bool named[700] = {false};
        for (uint64_t place = 0; place < r.k; place++) {
            const uint32_t id = search_key_index(r.result[q * r.k + place]);
            ck_assert(id < r.vectors && !named[id]);
            named[id] = true;
            const int32_t score = search_score(&r, q, id);
            ck_assert(search_key_score(r.result[q * r.k + place]) == (float)score);
            for (uint64_t v = 0; v < r.vectors; v++) {
                const int32_t other = search_score(&r, q, v);
                ck_assert(named[v] || other < score || (other == score && v > id));
            }
        }
    }
    search_reference_free(&r);
}
END_TEST

/* One wrong score always shows in the sum, whatever it is off by. */
START_TEST(the_sum_of_scores_shows_any_bit)
{
    search_reference r = {
        .vectors = 65, .dimensions = 9, .queries = 1, .k = 1, .part = 64, .seed = 3};
    float scores[65];
    ck_assert_int_eq(search_reference_make(&r, NULL), GB_OK);
    for (uint64_t v = 0; v < r.vectors; v++)
        scores[v] = (float)search_score(&r, 0, v);
    ck_assert_uint_eq(search_sum(&r, scores), r.sums[0]);
    for (uint64_t v = 0; v < r.vectors; v++)
        for (unsigned bit = 0; bit < 32; bit++) {
            uint32_t bits;
            const float good = scores[v];
            memcpy(&bits, &good, sizeof bits);
            bits ^= 1u << bit;
            memcpy(&scores[v], &bits, sizeof bits);
            ck_assert_uint_ne(search_sum(&r, scores), r.sums[0]);
            scores[v] = good;
        }
    search_reference_free(&r);
}
END_TEST

/* --- results that are nearly right -------------------------------------------------------------
 */

enum { QUERIES = 5, RESULTS = 10, SCORES_BLOCK = 2, IDS_BLOCK = 4 };

static gb_memory blocks[8];
static size_t n_blocks;

static gb_code spy_alloc(gb_device *device, gb_memory_kind kind, size_t bytes, gb_memory *out,
                         gb_error *err)
{
    gb_code code = real->alloc(device, kind, bytes, out, err);
    if (code == GB_OK && n_blocks < GB_COUNT(blocks))
        blocks[n_blocks++] = *out;
    return code;
}

static void duplicate(uint32_t ids[])
{
    ids[3] = ids[2];
}

static void exchange(uint32_t ids[])
{
    const uint32_t first = ids[8];
    ids[8] = ids[9];
    ids[9] = first;
}

/* As if the best had been left out and the list had gone on with another. */
static void shifted(uint32_t ids[])
{
    memmove(&ids[0], &ids[1], (RESULTS - 1) * sizeof ids[0]);
    ids[RESULTS - 1] = 999;
}

static void missing(uint32_t ids[])
{
    ids[RESULTS - 1] = UINT32_MAX;
}

START_TEST(a_result_that_is_nearly_right_is_wrong)
{
    static const struct {
        void (*spoil)(uint32_t ids[]);
        double recall;
    } rows[] = {{duplicate, 98}, {exchange, 100}, {shifted, 98}, {missing, 98}};
    life l;
    gb_error err = {0};
    n_blocks = 0;
    ops.alloc = spy_alloc;
    ck_assert_int_eq(
        life_begin(&l, dev, "search", "vectors=3000,dimensions=16,queries=5,k=10", &err), GB_OK);
    const double *recall = &l.run.levels[gb_spec_metric(&l.kernel->spec, "recall")];
    ck_assert_int_eq(life_iterate(&l, &err), GB_OK);
    ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_OK);
    ck_assert(*recall == 100);
    /* (Memory of the cpu device is memory of this process.) */
    ck_assert_uint_eq(blocks[IDS_BLOCK].bytes, QUERIES * RESULTS * sizeof(uint32_t));
    uint32_t good[QUERIES * RESULTS], *ids = blocks[IDS_BLOCK].device;
    memcpy(good, ids, sizeof good);
    for (size_t i = 0; i < GB_COUNT(rows); i++) {
        rows[i].spoil(&ids[(QUERIES - 1) * RESULTS]);
        ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_WRONG_RESULT);
        ck_assert_msg(fabs(*recall - rows[i].recall) < 1e-9, "%zu: %g", i, *recall);
        ck_assert_msg(strstr(err.message, "ids of the results") && strstr(err.message, "recall"),
                      "%s", err.message);
        memcpy(ids, good, sizeof good);
    }
    float *scores = blocks[SCORES_BLOCK].device;
    scores[3000 * 4 + 17] += 1; /* of a vector that is in no list */
    ck_assert_int_eq(l.kernel->verify(&l.run, &err), GB_WRONG_RESULT);
    ck_assert_msg(strstr(err.message, "1 of 15000 elements is wrong; the first is element 12017") ||
                      strstr(err.message, "1 of 15000 elements are wrong; the first is element "
                                          "12017"),
                  "%s", err.message);
    life_end(&l);
}
END_TEST

/* Places of arguments: see search.cu; launches of all three kernels are off alike. */
static const mistake mistakes[] = {
    {"search", "vectors=1000,dimensions=9,queries=5", 4, 8, -1, "a query is left out"},
    {"search", "vectors=1000,dimensions=9,queries=5", 3, 8, -1, "a vector, query or part too few"},
};

START_TEST(KRN_06_a_wrong_launch_is_noticed)
{
    noticed(&mistakes[_i]);
}
END_TEST

START_TEST(what_is_counted)
{
    gb_need need;
    const gb_work w =
        life_work("search", "vectors=1000,dimensions=130,queries=17,k=10", GB_CUDA, &need);
    /* 4 groups of 256 and 33 steps of 4; 2 tiles of 16; scores; one part; ids and scores */
    ck_assert_uint_eq(need.device_bytes,
                      4 * (1024 * 132 + 32 * 132 + 17 * 1000) + 17 * 10 * 8 + 17 * 10 * 8);
    ck_assert_uint_eq(w.bytes_read, 4 * 130 * (1000 + 17));
    ck_assert_uint_eq(w.bytes_written, 17 * 10 * 8);
    ck_assert_uint_eq(w.bytes_moved, w.bytes_read + w.bytes_written);
    ck_assert_uint_eq(w.flops, UINT64_C(2) * 17 * 1000 * 130);
    ck_assert_uint_eq(w.items, 17);
    ck_assert_uint_eq(gb_kernel_find("search")->behind_gate(NULL), 3);
    life_answers("search", "vectors=9,k=10", GB_CPU, GB_INVALID,
                 "k (10) is more than the 9 vectors");
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("search");
    tcase_add_checked_fixture(tests, open_spoiled_device, close_kernel_device);
    tcase_add_loop_test(tests, KRN_02_search_of_any_size, 0, 6);
    tcase_add_test(tests, parts_are_merged_and_ties_go_to_the_smaller_index);
    tcase_add_test(tests, KRN_01_a_clamped_grid_still_covers_everything);
    tcase_add_test(tests, keys_are_in_the_order_of_what_they_stand_for);
    tcase_add_test(tests, the_reference_is_what_the_definition_says);
    tcase_add_test(tests, the_sum_of_scores_shows_any_bit);
    tcase_add_test(tests, a_result_that_is_nearly_right_is_wrong);
    tcase_add_loop_test(tests, KRN_06_a_wrong_launch_is_noticed, 0, GB_COUNT(mistakes));
    tcase_add_test(tests, what_is_counted);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("search", add_cases)
