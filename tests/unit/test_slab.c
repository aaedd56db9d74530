/* The suballocator as arithmetic: which hole is taken, what is free and cannot be had, neighbours
 * that become one, and no two blocks on one byte. */
#include <stdlib.h>

#include "base/rng.h"
#include "kernels/slab.h"
#include "unit/check_main.h"

static gb_slab slab;

static void make(uint64_t bytes, gb_slab_fit fit)
{
    gb_error err = {0};
    ck_assert_int_eq(gb_slab_make(bytes, 10, fit, &slab, &err), GB_OK);
}

static uint64_t take(uint64_t bytes)
{
    uint64_t at;
    gb_error err = {0};
    ck_assert_msg(gb_slab_take(&slab, bytes, &at, &err) == GB_OK, "%s", err.message);
    return at;
}

static void give(uint64_t at)
{
    gb_error err = {0};
    ck_assert_msg(gb_slab_give(&slab, at, &err) == GB_OK, "%s", err.message);
}

START_TEST(every_other_block_gone_leaves_holes_of_one_block)
{
    uint64_t at;
    gb_error err = {0};
    make(100, _i == 0 ? GB_SLAB_FIRST_FIT : GB_SLAB_BEST_FIT);
    for (uint64_t i = 0; i < 10; i++)
        ck_assert_uint_eq(take(10), 10 * i);
    ck_assert_int_eq(gb_slab_take(&slab, 1, &at, &err), GB_NO_MEMORY);
    for (uint64_t i = 1; i < 10; i += 2)
        give(10 * i);
    ck_assert_uint_eq(gb_slab_unused(&slab), 50);
    ck_assert_uint_eq(gb_slab_largest_hole(&slab), 10);
    ck_assert_int_eq(gb_slab_take(&slab, 20, &at, &err), GB_NO_MEMORY);
    ck_assert_uint_eq(at, GB_SLAB_NONE);
    ck_assert_str_eq(err.message,
                     "20 bytes of a slab refused: 50 are free, the largest hole has 10");
    ck_assert_uint_eq(take(10), 10); /* and nothing else is broken */
    gb_slab_free(&slab);
}
END_TEST

START_TEST(neighbouring_holes_become_one)
{
    make(60, GB_SLAB_FIRST_FIT);
    for (int i = 0; i < 6; i++)
        take(10);
    give(10);
    give(30);
    ck_assert_uint_eq(gb_slab_largest_hole(&slab), 10);
    give(20); /* joins both sides */
    ck_assert_uint_eq(gb_slab_largest_hole(&slab), 30);
    ck_assert_uint_eq(take(30), 10);
    give(0);
    give(10);
    give(40);
    give(50);
    ck_assert_uint_eq(gb_slab_largest_hole(&slab), 60);
    ck_assert_uint_eq(slab.n, 1);
    gb_slab_free(&slab);
}
END_TEST

/* Holes of 30 at 0 and of 20 at 40. */
static void two_holes(gb_slab_fit fit)
{
    make(100, fit);
    take(30);
    take(10);
    take(20);
    take(40);
    give(0);
    give(40);
}

START_TEST(the_first_hole_or_the_smallest)
{
    two_holes(GB_SLAB_FIRST_FIT);
    ck_assert_uint_eq(take(20), 0);
    gb_slab_free(&slab);
    two_holes(GB_SLAB_BEST_FIT);
    ck_assert_uint_eq(take(20), 40);
    ck_assert_uint_eq(take(30), 0);
    gb_slab_free(&slab);
}
END_TEST

START_TEST(sizes_are_rounded_up_and_bad_ones_refused)
{
    uint64_t at;
    gb_error err = {0};
    make(50, GB_SLAB_FIRST_FIT);
    take(1);
    ck_assert_uint_eq(gb_slab_unused(&slab), 40);
    ck_assert_int_eq(gb_slab_take(&slab, 0, &at, &err), GB_NO_MEMORY);
    ck_assert_int_eq(gb_slab_take(&slab, UINT64_MAX, &at, &err), GB_NO_MEMORY);
    ck_assert_int_eq(gb_slab_give(&slab, 10, &err), GB_INVALID);
    ck_assert_int_eq(gb_slab_give(&slab, 5, &err), GB_INVALID);
    give(0);
    ck_assert_int_eq(gb_slab_give(&slab, 0, &err), GB_INVALID); /* twice */
    gb_slab_free(&slab);
    ck_assert_int_eq(gb_slab_make(55, 10, GB_SLAB_FIRST_FIT, &slab, &err), GB_INVALID);
    gb_slab_free(&slab);
}
END_TEST

/* Against a table of who has which unit. */
START_TEST(no_byte_belongs_to_two_blocks)
{
    enum { UNITS = 64, ROUNDS = 20000 };
    int owner[UNITS] = {0};
    uint64_t at[UNITS + 1], size[UNITS + 1] = {0};
    gb_rng rng = {11};
    make(10 * UNITS, _i == 0 ? GB_SLAB_FIRST_FIT : GB_SLAB_BEST_FIT);
    for (int r = 0; r < ROUNDS; r++) {
        const int who = 1 + (int)gb_rng_below(&rng, UNITS);
        uint64_t unused = 0, run = 0, longest = 0;
        if (size[who] > 0) {
            give(at[who]);
            for (uint64_t u = 0; u < size[who]; u++)
                owner[at[who] / 10 + u] = 0;
            size[who] = 0;
        } else {
            const uint64_t units = 1 + gb_rng_below(&rng, 7);
            const gb_code code = gb_slab_take(&slab, units * 10, &at[who], NULL);
            for (uint64_t u = 0; code == GB_OK && u < units; u++) {
                ck_assert_int_eq(owner[at[who] / 10 + u], 0);
                owner[at[who] / 10 + u] = who;
            }
            size[who] = code == GB_OK ? units : 0;
            ck_assert(code == GB_OK || gb_slab_largest_hole(&slab) < units * 10);
        }
        for (int u = 0; u < UNITS; u++) {
            unused += owner[u] == 0 ? 10 : 0;
            run = owner[u] == 0 ? run + 10 : 0;
            longest = run > longest ? run : longest;
        }
        ck_assert_uint_eq(gb_slab_unused(&slab), unused);
        ck_assert_uint_eq(gb_slab_largest_hole(&slab), longest);
    }
    gb_slab_free(&slab);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("slab");
    tcase_add_loop_test(tests, every_other_block_gone_leaves_holes_of_one_block, 0, 2);
    tcase_add_test(tests, neighbouring_holes_become_one);
    tcase_add_test(tests, the_first_hole_or_the_smallest);
    tcase_add_test(tests, sizes_are_rounded_up_and_bad_ones_refused);
    tcase_add_loop_test(tests, no_byte_belongs_to_two_blocks, 0, 2);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("slab", add_cases)
