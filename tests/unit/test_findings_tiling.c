/* Findings on tiles and banks: said with their figures, silent without. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

static gb_record *transpose(fixture *f, const char *variant, unsigned n, uint32_t index,
                            double rate)
{
    char params[96];
    snprintf(params, sizeof params, "{\"variant\": \"%s\", \"n\": %u, \"columns\": 0}", variant, n);
    return fixture_add(f, "transpose", "transpose", params, index, 0, 8.0 * n * n / rate * 1e9,
                       rate);
}

static gb_record *bank(fixture *f, unsigned stride, unsigned blocks, uint32_t index,
                       double access_ns)
{
    char params[96];
    snprintf(params, sizeof params, "{\"stride\": %u, \"blocks\": %u, \"rounds\": 512}", stride,
             blocks);
    gb_record *r = fixture_add(f, "bank", "bank", params, index, 0, access_ns * 1000, 1);
    snprintf(r->metrics[0].name, sizeof r->metrics[0].name, "access_time");
    snprintf(r->metrics[0].unit, sizeof r->metrics[0].unit, "ns");
    r->metrics[0].value = access_ns;
    return r;
}

START_TEST(the_largest_matrix_with_both_is_compared)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    transpose(&f, "padded", 1024, 0, 1e12);
    transpose(&f, "naive", 1024, 1, 1e12);
    transpose(&f, "naive", 4096, 2, 0.5e12);
    transpose(&f, "padded", 4096, 3, 2e12);
    transpose(&f, "padded", 8192, 4, 9e12); /* has no counterpart */
    says(&f, "transpose-tiles",
         "Transposing a 4096 x 4096 matrix runs at 2.00 TB/s through padded tiles and "
         "at 500 GB/s element by element: a factor of 4.00.");
    transpose(&f, "copy", 4096, 5, 2.5e12);
    mentions(&f, "transpose-tiles", "a factor of 4.00 (copying it: 2.50 TB/s).");
    fixture_close(&f);
}
END_TEST

START_TEST(without_a_counterpart_nothing_is_said)
{
    fixture f;
    fixture_open(&f, "cuda", "[]");
    transpose(&f, "padded", 4096, 0, 2e12);
    transpose(&f, "naive", 4096, 1, 1e12)->status = GB_STATUS_FAILED;
    transpose(&f, "naive", 2048, 2, 1e12);
    transpose(&f, "naive", 4096, 3, 1e12)->cache = GB_CACHE_COLD;
    bank(&f, 32, 1, 4, 16);
    bank(&f, 1, 132, 5, 0.5); /* another number of blocks */
    silent(&f, "transpose-tiles");
    silent(&f, "bank-conflicts");
    fixture_close(&f);
}
END_TEST

START_TEST(bank_conflicts_are_of_a_gpu)
{
    for (int cpu = 0; cpu < 2; cpu++) {
        fixture f;
        fixture_open(&f, cpu ? "cpu" : "cuda", "[]");
        bank(&f, 1, 1, 0, 0.5);
        bank(&f, 32, 1, 1, 16);
        bank(&f, 2, 1, 2, 1);
        static const char *const parts[] = {"16.0 ns", "32 banks", "factor of 32.00"};
        if (cpu)
            silent(&f, "bank-conflicts");
        for (size_t i = 0; !cpu && i < 3; i++)
            mentions(&f, "bank-conflicts", parts[i]);
        fixture_close(&f);
    }
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("tiling");
    tcase_add_test(tests, the_largest_matrix_with_both_is_compared);
    tcase_add_test(tests, without_a_counterpart_nothing_is_said);
    tcase_add_test(tests, bank_conflicts_are_of_a_gpu);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_tiling", add_cases)
