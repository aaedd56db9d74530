/* Findings on copies that are hidden, left out or made necessary, from records made up so that the
 * figures are known. */
#include "base/json.h"
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

#define MIB (1024.0 * 1024)

static void open_with(fixture *f, const char *kind, int engines)
{
    fixture_open(f, kind, "[]");
    json_t *device = json_array_get(json_object_get(f->results.document, "devices"), 0);
    if (engines >= 0)
        json_object_set_new(device, "async_engines", json_integer(engines));
}

typedef struct cut {
    const char *memory;
    double bytes, rounds, budget;
    int chunks, streams;
} cut;

static const cut plain = {"pinned", 128 * MIB, 1024, 0, 1, 1};

/* Two replicates, `spread` apart to both sides. The parts (one chunk): 3, 4, 2 ms. */
static void add_cut(fixture *f, cut c, double ms, double spread)
{
    const uint32_t index = (uint32_t)f->results.n;
    for (uint32_t r = 0; r < 2; r++) {
        char params[256];
        const double by = r == 0 ? 1 - spread : 1 / (1 - spread);
        snprintf(params, sizeof params,
                 "{\"memory\": \"%s\", \"bytes\": %.0f, \"chunks\": %d, \"streams\": %d, "
                 "\"rounds\": %.0f, \"device_budget\": %.0f}",
                 c.memory, c.bytes, c.chunks, c.streams, c.rounds, c.budget);
        gb_record *record =
            fixture_add(f, "chunks", "overlap", params, index, r, ms * 1e6 * by, NAN);
        if (c.chunks > 1)
            continue;
        add_metric(record, "copy_in", "ns", 3e6 * by);
        add_metric(record, "kernel", "ns", 4e6 * by);
        add_metric(record, "copy_out", "ns", 2e6 * by);
    }
}

static void add_pair(fixture *f, double one_ms, double cut_ms, double spread)
{
    cut c = plain;
    add_cut(f, c, one_ms, spread);
    c.chunks = 16;
    c.streams = 4;
    add_cut(f, c, cut_ms, spread);
}

/* (9 - 5) / (9 - 4) = 80 %. */
START_TEST(the_efficiency_is_the_share_of_what_could_be_hidden)
{
    fixture f;
    open_with(&f, "cuda", 3);
    add_pair(&f, 9, 5, 0.00001);
    ck_assert_double_eq_tol(figure(&f, "overlap", "efficiency"), 0.8, 1e-6);
    ck_assert_double_eq_tol(figure(&f, "overlap", "at_best_ns"), 4e6, 1);
    ck_assert_double_eq_tol(figure(&f, "overlap", "sequential_ns"), 9e6, 1);
    ck_assert_double_eq_tol(figure(&f, "overlap", "overlapped_ns"), 5e6, 1);
    ck_assert_double_eq_tol(figure(&f, "overlap", "copy_in_ns"), 3e6, 1);
    ck_assert_double_eq_tol(figure(&f, "overlap", "kernel_ns"), 4e6, 1);
    ck_assert_double_eq_tol(figure(&f, "overlap", "copy_out_ns"), 2e6, 1);
    ck_assert_double_eq(figure(&f, "overlap", "chunks"), 16);
    ck_assert_double_eq(figure(&f, "overlap", "streams"), 4);
    ck_assert_double_eq(figure(&f, "overlap", "copy_engines"), 3);
    ck_assert(figure(&f, "overlap", "efficiency_low") < 0.8 &&
              figure(&f, "overlap", "efficiency_high") > 0.8);
    says(&f, "overlap",
         "128 MiB, copied in, worked on and copied out one after the other, take 9.00 ms (in "
         "3.00 ms, kernel 4.00 ms, out 2.00 ms); in 16 chunks over 4 streams 5.00 ms: an overlap "
         "efficiency of 80 % (80 to 80; 0: nothing overlaps, 100: only the longest part is left); "
         "3 copy engines.");
    fixture_close(&f);
}
END_TEST

/* Both copies have to pass one engine: at best 5 ms, so that 5 ms is all there is to gain. */
START_TEST(a_single_copy_engine_cannot_copy_both_ways_at_once)
{
    fixture f;
    open_with(&f, "cuda", 1);
    add_pair(&f, 9, 5, 0.00001);
    ck_assert_double_eq_tol(figure(&f, "overlap", "efficiency"), 1.0, 1e-6);
    ck_assert_double_eq_tol(figure(&f, "overlap", "at_best_ns"), 5e6, 1);
    fixture_close(&f);
}
END_TEST

START_TEST(the_fastest_of_several_cuts_is_shown_and_one_stream_does_not_count)
{
    fixture f;
    open_with(&f, "cpu", -1);
    cut c = plain;
    add_pair(&f, 9, 6, 0.00001);
    c.chunks = 8;
    c.streams = 2;
    add_cut(&f, c, 5, 0.00001);
    c.streams = 1;
    add_cut(&f, c, 4.5, 0.00001);
    ck_assert_double_eq(figure(&f, "overlap", "chunks"), 8);
    ck_assert_double_eq(figure(&f, "overlap", "streams"), 2);
    ck_assert(isnan(figure(&f, "overlap", "copy_engines")));
    json_t *found = findings_of(&f, "overlap");
    const char *text = sentence(found, 0);
    ck_assert_ptr_nonnull(strstr(text, "over 2 streams, the fastest cut that was measured, 5.00"));
    ck_assert_ptr_nonnull(strstr(text, "copies and kernels share the processors here."));
    json_decref(found);
    fixture_close(&f);
}
END_TEST

START_TEST(a_cut_that_failed_is_not_the_fastest)
{
    fixture f;
    open_with(&f, "cuda", 3);
    cut c = plain;
    c.chunks = 8;
    c.streams = 2;
    add_cut(&f, c, 4, 0.00001);
    for (size_t i = 0; i < f.results.n; i++)
        f.results.records[i].status = GB_STATUS_FAILED;
    add_cut(&f, plain, 9, 0.00001);
    silent(&f, "overlap");
    c.chunks = 16;
    add_cut(&f, c, 5, 0.00001);
    ck_assert_double_eq(figure(&f, "overlap", "chunks"), 16);
    ck_assert_double_eq_tol(figure(&f, "overlap", "efficiency"), 0.8, 1e-6);
    fixture_close(&f);
}
END_TEST

/* What the finding says for a pair. */
static void pair_says(double one_ms, double cut_ms, double spread, const char *part)
{
    fixture f;
    open_with(&f, "cuda", 2);
    add_pair(&f, one_ms, cut_ms, spread);
    mentions(&f, "overlap", part);
    fixture_close(&f);
}

START_TEST(noise_decides_what_may_be_said)
{
    fixture f;
    pair_says(9, 9.01, 0.002, ": no difference that can be told from noise");
    pair_says(9, 12, 0.001, "12.0 ms: longer by a factor of 1.33");
    pair_says(9, 5, 0.008, "5.00 ms +- 10.7 %: a factor of 1.8"); /* efficiency: +- 20 points */
    pair_says(9, 2, 0.0001, "efficiency of 140 % (");
    pair_says(9, 2, 0.0001, "above: chunks also made the parts shorter)");
    pair_says(5, 400, 0.08, ", take 5.00 ms (1.73 ms to 14.4 ms) (in 3.00 ms (");
    pair_says(5, 400, 0.08, "streams 400 ms (139 ms to 1.15 s): longer by a factor of 9.6 to 670");
    open_with(&f, "cuda", 2);
    add_pair(&f, 9, 8, 0.05); /* the intervals touch, and neither is firm */
    silent(&f, "overlap");
    fixture_close(&f);
}
END_TEST

/* A kernel as long as all of it leaves nothing to hide: then there is no efficiency. */
START_TEST(no_efficiency_where_nothing_could_be_hidden)
{
    fixture f;
    open_with(&f, "cuda", 2);
    add_pair(&f, 4.001, 3.5, 0.001);
    ck_assert(isnan(figure(&f, "overlap", "efficiency")));
    ck_assert(isnan(figure(&f, "overlap", "efficiency_low")));
    fixture_close(&f);
}
END_TEST

/* 4 of 9 ms are left at best, or 4 of 12: there is more to hide in the latter. */
START_TEST(of_several_jobs_the_one_with_most_to_hide_is_shown)
{
    fixture f;
    open_with(&f, "cuda", 2);
    add_pair(&f, 9, 5, 0.00001);
    cut c = plain;
    c.rounds = 64;
    add_cut(&f, c, 12, 0.00001);
    c.chunks = 8;
    c.streams = 4;
    add_cut(&f, c, 6, 0.00001);
    ck_assert_double_eq_tol(figure(&f, "overlap", "sequential_ns"), 12e6, 1);
    ck_assert_double_eq_tol(figure(&f, "overlap", "efficiency"), 0.75, 1e-6);
    json_t *found = findings_of(&f, "overlap");
    const char *text = sentence(found, 0);
    ck_assert_ptr_nonnull(strstr(text, "128 MiB (rounds 64), copied in"));
    json_decref(found);
    fixture_close(&f);
}
END_TEST

static void add_chain_in(fixture *f, const char *memory, const char *keep, int steps, double ms)
{
    char params[200];
    snprintf(params, sizeof params,
             "{\"keep\": \"%s\", \"memory\": \"%s\", \"bytes\": 67108864, \"steps\": %d}", keep,
             memory, steps);
    fixture_add(f, "chain", "residency", params, (uint32_t)f->results.n, 0, ms * 1e6, NAN);
}

static void add_chain(fixture *f, const char *keep, int steps, double ms)
{
    add_chain_in(f, "pinned", keep, steps, ms);
}

START_TEST(the_longest_chain_is_compared_with_round_trips)
{
    fixture f;
    open_with(&f, "cuda", 3);
    add_chain(&f, "resident", 4, 3);
    add_chain(&f, "resident", 16, 4);
    add_chain(&f, "resident", 32, 5); /* has no partner */
    silent(&f, "residency");
    add_chain(&f, "round-trip", 4, 10);
    add_chain(&f, "round-trip", 16, 40);
    says(&f, "residency",
         "16 steps over 64 MiB: 40.0 ms where each result goes to the host and back, 4.00 ms where "
         "results stay on the device: a factor of 10.00.");
    fixture_close(&f);
    open_with(&f, "cuda", 3);
    add_chain(&f, "resident", 4, 3);
    add_chain(&f, "round-trip", 4, 3.001);
    silent(&f, "residency");
    fixture_close(&f);
}
END_TEST

/* Never those of one memory with those of another; and then the memory is named. */
START_TEST(chains_are_compared_within_a_memory)
{
    fixture f;
    open_with(&f, "cuda", 3);
    add_chain_in(&f, "pinned", "resident", 16, 4);
    add_chain_in(&f, "pageable", "round-trip", 16, 80);
    silent(&f, "residency");
    add_chain_in(&f, "pinned", "round-trip", 16, 40);
    says(&f, "residency",
         "16 steps over 64 MiB (memory pinned): 40.0 ms where each result goes to the host and "
         "back, 4.00 ms where results stay on the device: a factor of 10.00.");
    fixture_close(&f);
}
END_TEST

START_TEST(an_array_larger_than_the_budget_is_compared_with_the_whole)
{
    fixture f;
    open_with(&f, "cuda", 3);
    cut c = plain;
    c.budget = 64 * MIB;
    c.chunks = 8;
    c.streams = 2;
    add_cut(&f, c, 6, 0.0001);
    c.chunks = 16;
    add_cut(&f, c, 5, 0.0001);
    silent(&f, "larger-than-the-device");
    add_cut(&f, plain, 9, 0.0001);
    says(&f, "larger-than-the-device",
         "128 MiB pass through buffers on the device of at most 64 MiB, 2 in 16 chunks, in 5.00 "
         "ms; whole, with a buffer for all of it, in 9.00 ms: the chunks are faster by a factor of "
         "1.80.");
    fixture_close(&f);
    open_with(&f, "cuda", 3);
    c.budget = 256 * MIB; /* the array would fit */
    add_cut(&f, c, 5, 0.0001);
    add_cut(&f, plain, 9, 0.0001);
    silent(&f, "larger-than-the-device");
    fixture_close(&f);
}
END_TEST

static void add_ways(fixture *f)
{
    cut c = plain;
    add_cut(f, c, 9, 0.0001);
    c.chunks = 16;
    c.streams = 4;
    add_cut(f, c, 5, 0.0001);
    c.chunks = c.streams = 1;
    c.memory = "mapped";
    add_cut(f, c, 4, 0.0001);
    c.memory = "managed";
    add_cut(f, c, 20, 0.0001);
    c.memory = "prefetched";
    add_cut(f, c, 5.0001, 0.0001);
}

START_TEST(ways_without_copies_are_compared_with_the_best_copies)
{
    fixture f;
    open_with(&f, "cuda", 3);
    add_ways(&f);
    says(&f, "copies-or-none",
         "128 MiB in, worked on and out take 5.00 ms through pinned memory (16 chunks); 4.00 ms by "
         "memory that the kernel reaches into, 0.80 times that; 20.0 ms by managed memory, 4.00 "
         "times that.");
    cut c = plain;
    c.rounds = 64; /* another job: then it is said which one is meant */
    add_cut(&f, c, 7, 0.0001);
    says(&f, "copies-or-none",
         "128 MiB (rounds 1024) in, worked on and out take 5.00 ms through pinned memory (16 "
         "chunks); 4.00 ms by memory that the kernel reaches into, 0.80 times that; 20.0 ms by "
         "managed memory, 4.00 times that.");
    fixture_close(&f);
    open_with(&f, "cpu", -1);
    add_ways(&f);
    silent(&f, "copies-or-none");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("overlap");
    tcase_add_test(tests, the_efficiency_is_the_share_of_what_could_be_hidden);
    tcase_add_test(tests, a_single_copy_engine_cannot_copy_both_ways_at_once);
    tcase_add_test(tests, the_fastest_of_several_cuts_is_shown_and_one_stream_does_not_count);
    tcase_add_test(tests, a_cut_that_failed_is_not_the_fastest);
    tcase_add_test(tests, noise_decides_what_may_be_said);
    tcase_add_test(tests, no_efficiency_where_nothing_could_be_hidden);
    tcase_add_test(tests, of_several_jobs_the_one_with_most_to_hide_is_shown);
    tcase_add_test(tests, the_longest_chain_is_compared_with_round_trips);
    tcase_add_test(tests, chains_are_compared_within_a_memory);
    tcase_add_test(tests, an_array_larger_than_the_budget_is_compared_with_the_whole);
    tcase_add_test(tests, ways_without_copies_are_compared_with_the_best_copies);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_overlap", add_cases)
