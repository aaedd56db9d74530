/* Findings on what must be under way: said with their figures, silent without. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

static gb_record *add(fixture *f, const char *what, int warps, int independent, double rate)
{
    char params[200];
    const uint32_t index = (uint32_t)f->results.n;
    snprintf(params, sizeof params,
             "{\"what\": \"%s\", \"independent\": %d, \"warps\": %d, \"bytes\": 4096, "
             "\"steps\": 1024}",
             what, independent, warps);
    gb_record *r = fixture_add(f, what, "occupancy", params, index, 0, 1e15 / rate, rate);
    if (strcmp(what, "chains") == 0) {
        snprintf(r->metrics[0].name, sizeof r->metrics[0].name, "flop_rate");
        snprintf(r->metrics[0].unit, sizeof r->metrics[0].unit, "FLOP/s");
    }
    return r;
}

START_TEST(the_least_that_is_enough_and_what_the_law_asks_for)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, "loads", 1, 1, 25e9);
    add(&f, "loads", 4, 16, 1.5e12);
    add(&f, "loads", 64, 1, 1.4e12);
    add(&f, "loads", 32, 4, 3.7e12);
    add(&f, "loads", 16, 8, 3.8e12); /* as much under way as the one before: the faster one */
    add(&f, "loads", 64, 4, 4e12);
    says(&f, "enough-in-flight",
         "Reading: nine tenths of the best rate, 4.00 TB/s, are reached with 16 warps an SM and 8 "
         "loads a thread; with 1 warp an SM and 1 load a thread it is 25.0 GB/s, so that Little's "
         "law asks for 20 KiB in flight, where that case has 16 KiB.");
    says(&f, "more-in-flight",
         "Reading: the case with the most under way, 64 warps an SM and 4 loads a "
         "thread, runs at 4.00 TB/s; no case with less of it is faster by a twentieth "
         "and beyond noise.");
    add(&f, "loads", 64, 8, 3.2e12);
    says(&f, "more-in-flight",
         "Reading: the case with the most under way, 64 warps an SM and 8 loads a "
         "thread, runs at 3.20 TB/s; with less of it, 64 warps an SM and 4 loads a "
         "thread, it is 4.00 TB/s, a factor of 1.25: more is not always better.");
    fixture_close(&f);
}
END_TEST

START_TEST(a_cpu_has_threads_instead_of_warps)
{
    fixture f;
    fixture_open(&f, "cpu", "[]");
    add(&f, "chains", 0, 1, 10e9);
    add(&f, "chains", 0, 4, 40e9);
    add(&f, "chains", 0, 8, 78e9);
    add(&f, "chains", 0, 16, 80e9);
    add(&f, "chains", 0, 32, 40e9);
    says(&f, "enough-in-flight",
         "Multiply-adds: nine tenths of the best rate, 80.0 GFLOP/s, are reached with "
         "8 chains a thread; with 1 chain a thread it is 10.0 GFLOP/s, so that "
         "Little's law asks for 8.0 chains of a thread.");
    says(&f, "more-in-flight",
         "Multiply-adds: the case with the most under way, 32 chains a thread, runs at "
         "40.0 GFLOP/s; with less of it, 16 chains a thread, it is 80.0 GFLOP/s, a "
         "factor of 2.00: more is not always better.");
    fixture_close(&f);
}
END_TEST

START_TEST(what_is_not_known_is_not_said)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    add(&f, "loads", 1, 1, 25e9);
    add(&f, "loads", 64, 4, 4e12);
    silent(&f, "enough-in-flight");                  /* two are none */
    add(&f, "loads", 8, 4, 3e12)->converged = false; /* might be as fast as the best */
    silent(&f, "enough-in-flight");
    add(&f, "loads", 64, 16, 3e12)->converged = false;
    silent(&f, "more-in-flight");
    add(&f, "loads", 0, 16, 9e12); /* as many as fit is no number */
    silent(&f, "more-in-flight");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("occupancy");
    tcase_add_test(tests, the_least_that_is_enough_and_what_the_law_asks_for);
    tcase_add_test(tests, a_cpu_has_threads_instead_of_warps);
    tcase_add_test(tests, what_is_not_known_is_not_said);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_occupancy", add_cases)
