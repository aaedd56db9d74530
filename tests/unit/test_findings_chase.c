/* Findings on latencies: the levels of a ladder with their names, sizes and the system's; pages;
 * other memories. */
#include "unit/check_main.h"
#include "unit/findings_fixture.h"

#define KIB 1024.0
#define MIB (1024 * KIB)

typedef struct rung {
    double bytes, ns;
} rung;

static uint32_t cases;

/* A case in three replicates, 0.2 % apart; cycles 0: none. */
static void chase(fixture *f, const char *space, double bytes, double node, double ns,
                  double cycles, double spread)
{
    char params[160];
    snprintf(params, sizeof params,
             "{\"space\": \"%s\", \"bytes\": %.0f, \"node\": %.0f, \"steps\": 32749}", space, bytes,
             node);
    for (uint32_t r = 0; r < 3; r++) {
        const double off = exp(spread * ((double)r - 1));
        gb_record *record =
            fixture_add(f, "ladder", "chase", params, cases, r, ns * off * 32749, 1);
        record->n_metrics = 2;
        record->metrics[0] = (gb_metric){.value = ns * off, .peak = NAN};
        record->metrics[1] = (gb_metric){.value = cycles > 0 ? cycles * off : NAN, .peak = NAN};
        snprintf(record->metrics[0].name, sizeof record->metrics[0].name, "latency");
        snprintf(record->metrics[0].unit, sizeof record->metrics[0].unit, "ns");
        snprintf(record->metrics[1].name, sizeof record->metrics[1].name, "cycles");
        snprintf(record->metrics[1].unit, sizeof record->metrics[1].unit, "cycles");
    }
    cases++;
}

static void ladder(fixture *f, const rung rungs[], size_t n, double clock, double spread)
{
    for (size_t i = 0; i < n; i++)
        chase(f, "device", rungs[i].bytes, 128, rungs[i].ns, rungs[i].ns * clock, spread);
}

static void open_fixture(fixture *f, bool cpu, double l1, double l2, double llc)
{
    cases = 0;
    fixture_open(f, cpu ? "cpu" : "cuda", "[]");
    json_t *device = json_array_get(json_object_get(f->results.document, "devices"), 0);
    const struct {
        const char *key;
        double bytes;
    } facts[] = {{"l1d_bytes", l1}, {"l2_bytes", l2}, {"llc_bytes", llc}};
    for (size_t i = 0; i < 3; i++)
        json_object_set_new(device, facts[i].key,
                            facts[i].bytes > 0 ? json_integer((json_int_t)facts[i].bytes)
                                               : json_null());
}

static const rung vm[] = {{2 * KIB, 1.2},   {4 * KIB, 1.2},  {8 * KIB, 1.2},   {16 * KIB, 1.2},
                          {32 * KIB, 1.22}, {40 * KIB, 3.9}, {64 * KIB, 4},    {128 * KIB, 4},
                          {256 * KIB, 4},   {512 * KIB, 4},  {1 * MIB, 4.1},   {1.25 * MIB, 9},
                          {1.5 * MIB, 11},  {2 * MIB, 12},   {3 * MIB, 12},    {4 * MIB, 12},
                          {6 * MIB, 13},    {8 * MIB, 40},   {12 * MIB, 70},   {16 * MIB, 80},
                          {32 * MIB, 100},  {64 * MIB, 110}, {128 * MIB, 112}, {256 * MIB, 112}};
#define VM_RUNGS (sizeof vm / sizeof vm[0])

START_TEST(a_virtual_machine_has_its_caches_and_less_of_the_last)
{
    fixture f;
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    ladder(&f, vm, VM_RUNGS, 0, 0.001);
    says(&f, "memory-levels",
         "How long one load at a time takes, level by level. L1: 1.20 ns, up to about 35 KiB (the "
         "system says 32 KiB). L2: 4.00 ns, up to about 1.1 MiB (the system says 1 MiB). Last "
         "cache: 12.0 ns, up to about 7.0 MiB (the system says 32 MiB: less of it serves this one "
         "chain). Memory: 110 ns.");
    json_t *found = findings_of(&f, "memory-levels");
    json_t *levels =
        json_object_get(json_object_get(json_array_get(found, 0), "figures"), "levels");
    ck_assert_uint_eq(json_array_size(levels), 4);
    const json_t *l2 = json_array_get(levels, 1), *memory = json_array_get(levels, 3);
    ck_assert_str_eq(json_string_value(json_object_get(l2, "level")), "L2");
    ck_assert(json_is_true(json_object_get(l2, "agrees")));
    ck_assert_double_eq_tol(json_number_value(json_object_get(l2, "system_bytes")), MIB, 0.5);
    const json_t *between = json_object_get(l2, "between_bytes");
    ck_assert_double_eq_tol(json_number_value(json_array_get(between, 0)), MIB, 0.5);
    ck_assert_double_eq_tol(json_number_value(json_array_get(between, 1)), 1.25 * MIB, 0.5);
    ck_assert(json_is_false(json_object_get(json_array_get(levels, 2), "agrees")));
    ck_assert(json_is_null(json_object_get(memory, "end_bytes")) &&
              json_is_null(json_object_get(memory, "cycles")));
    json_decref(found);
    fixture_close(&f);
}
END_TEST

START_TEST(a_last_cache_without_a_tread_has_an_effective_size)
{
    rung rungs[VM_RUNGS];
    fixture f;
    memcpy(rungs, vm, sizeof vm);
    rungs[13].ns = 14; /* 2 MiB */
    rungs[14].ns = 19;
    rungs[15].ns = 26;
    rungs[16].ns = 34;
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    ladder(&f, rungs, VM_RUNGS, 0, 0.001);
    mentions(&f, "memory-levels",
             "ns, up to about 1.2 MiB (the system says 1 MiB). Last cache: no clear level; loads "
             "take longer and longer up to about 3.3 MiB (the system says 32 MiB: less of it "
             "serves this one chain). Memory: ");
    fixture_close(&f);
}
END_TEST

START_TEST(a_gpu_has_two_caches_and_cycles)
{
    static const rung gpu[] = {
        {2 * KIB, 20},   {8 * KIB, 20},    {32 * KIB, 20},   {64 * KIB, 20},   {128 * KIB, 20},
        {192 * KIB, 21}, {224 * KIB, 80},  {256 * KIB, 110}, {512 * KIB, 146}, {1 * MIB, 146},
        {4 * MIB, 146},  {16 * MIB, 147},  {24 * MIB, 170},  {40 * MIB, 180},  {48 * MIB, 260},
        {64 * MIB, 330}, {128 * MIB, 380}, {256 * MIB, 390}, {512 * MIB, 390}};
    fixture f;
    open_fixture(&f, false, 0, 0, 40 * MIB);
    ladder(&f, gpu, sizeof gpu / sizeof gpu[0], 1.41, 0.001);
    says(&f, "memory-levels",
         "How long one load at a time takes, level by level. L1: 20.0 ns, 28.2 cycles, up to about "
         "210 KiB. L2: 146 ns, 206 cycles, up to about 43 MiB (the system says 40 MiB). Memory: "
         "380 ns, 536 cycles.");
    fixture_close(&f);
}
END_TEST

START_TEST(a_ladder_that_ends_too_early_knows_no_memory)
{
    fixture f;
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    ladder(&f, vm, 11, 0, 0.001);
    says(&f, "memory-levels",
         "How long one load at a time takes, level by level. L1: 1.20 ns, up to about 35 KiB (the "
         "system says 32 KiB). L2: 4.00 ns; its end was not reached.");
    fixture_close(&f);
}
END_TEST

/* Nothing is known of the caches: names by their order. */
START_TEST(without_facts_levels_have_their_order)
{
    fixture f;
    open_fixture(&f, true, 0, 0, 0);
    ladder(&f, vm, VM_RUNGS, 0, 0.001);
    says(&f, "memory-levels",
         "How long one load at a time takes, level by level. L1: 1.20 ns, up to about 35 KiB. L2: "
         "4.00 ns, up to about 1.1 MiB. Last cache: 12.0 ns, up to about 7.0 MiB. Memory: 110 ns.");
    fixture_close(&f);
}
END_TEST

START_TEST(a_size_that_differs_is_said_so)
{
    fixture f;
    open_fixture(&f, true, 64 * KIB, 512 * KIB, 4 * MIB);
    ladder(&f, vm, VM_RUNGS, 0, 0.001);
    mentions(&f, "memory-levels", "35 KiB (the system says 64 KiB: they do not agree)");
    mentions(&f, "memory-levels", "1.1 MiB (the system says 512 KiB: they do not agree)");
    mentions(&f, "memory-levels", "7.0 MiB (the system says 4 MiB: they do not agree)");
    fixture_close(&f);
}
END_TEST

START_TEST(levels_that_noise_could_have_made_are_not_said)
{
    fixture f;
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    ladder(&f, vm, VM_RUNGS, 0, 0.8);
    silent(&f, "memory-levels");
    fixture_close(&f);
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    ladder(&f, vm, 5, 0, 0.001); /* too few, and one level alone */
    silent(&f, "memory-levels");
    fixture_close(&f);
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    for (size_t i = 0; i < VM_RUNGS; i++) /* all as long */
        chase(&f, "device", vm[i].bytes, 128, 5, 0, 0.001);
    silent(&f, "memory-levels");
    fixture_close(&f);
}
END_TEST

/* One slow replicate of three moves no level; a failed one is none. */
START_TEST(a_disturbed_replicate_moves_nothing)
{
    fixture f;
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    ladder(&f, vm, VM_RUNGS, 0, 0.001);
    for (size_t i = 3 * 3 + 1; i < f.results.n; i += 21) {
        f.results.records[i].metrics[0].value *= 5;
        f.results.records[i].time.median *= 5;
    }
    f.results.records[2].status = GB_STATUS_FAILED;
    mentions(&f, "memory-levels", ". L1: 1.20 ns, up to about 35 KiB (");
    mentions(&f, "memory-levels", ". L2: 4.00 ns, up to about 1.1 MiB (");
    fixture_close(&f);
}
END_TEST

START_TEST(pages_cost_what_as_many_dense_nodes_do_not)
{
    fixture f;
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    chase(&f, "device", 256 * 128, 128, 1.2, 0, 0.001);
    chase(&f, "device", 256 * 4224, 4224, 6, 0, 0.001);
    chase(&f, "device", 64 * 128, 128, 1.2, 0, 0.001);
    chase(&f, "device", 64 * 4224, 4224, 1.3, 0, 0.001);
    chase(&f, "device", 512 * 4224, 4224, 9, 0, 0.001); /* no dense one of as many */
    says(&f, "sparse-pages",
         "A chain through 256 nodes takes 6.00 ns a load where each lies 4.12 KiB from the next "
         "(1.03 MiB in all) and 1.20 ns where they lie side by side (32 KiB): a factor of 5.00 for "
         "the same amount of data.");
    fixture_close(&f);
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    chase(&f, "device", 256 * 128, 128, 1.2, 0, 0.001);
    chase(&f, "device", 256 * 4224, 4224, 1.2, 0, 0.001);
    mentions(&f, "sparse-pages", "(32 KiB), no difference that can be told from noise.");
    fixture_close(&f);
    open_fixture(&f, true, 32 * KIB, 1 * MIB, 32 * MIB);
    chase(&f, "device", 256 * 128, 128, 1.2, 0, 0.8);
    chase(&f, "device", 256 * 4224, 4224, 6, 0, 0.8);
    silent(&f, "sparse-pages");
    fixture_close(&f);
}
END_TEST

START_TEST(other_memories_are_held_against_the_devices_own)
{
    fixture f;
    open_fixture(&f, false, 0, 0, 40 * MIB);
    chase(&f, "device", 16 * KIB, 128, 20, 28, 0.001);
    chase(&f, "device", 64 * MIB, 128, 390, 550, 0.001);
    chase(&f, "shared", 16 * KIB, 128, 16, 23, 0.001);
    chase(&f, "shared", 48 * KIB, 128, 16, 23, 0.001); /* no other of that size */
    chase(&f, "host", 16 * KIB, 128, 1100, 1500, 0.001);
    chase(&f, "host", 64 * MIB, 128, 1200, 1600, 0.001);
    says(&f, "shared-latency",
         "One load at a time takes 16.0 ns from shared memory and 20.0 ns from the device's memory "
         "and its caches, both from 16 KiB.");
    says(&f, "bus-latency",
         "One load at a time takes 1.20 us from the host's memory across the bus and 390 ns from "
         "the device's memory and its caches, both from 64 MiB.");
    fixture_close(&f);
    open_fixture(&f, false, 0, 0, 40 * MIB);
    chase(&f, "device", 16 * KIB, 128, 20, 28, 0.001);
    chase(&f, "shared", 16 * KIB, 128, 20, 28, 0.001);
    silent(&f, "shared-latency");
    silent(&f, "bus-latency");
    fixture_close(&f);
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("chase");
    tcase_add_test(tests, a_virtual_machine_has_its_caches_and_less_of_the_last);
    tcase_add_test(tests, a_last_cache_without_a_tread_has_an_effective_size);
    tcase_add_test(tests, a_gpu_has_two_caches_and_cycles);
    tcase_add_test(tests, a_ladder_that_ends_too_early_knows_no_memory);
    tcase_add_test(tests, without_facts_levels_have_their_order);
    tcase_add_test(tests, a_size_that_differs_is_said_so);
    tcase_add_test(tests, levels_that_noise_could_have_made_are_not_said);
    tcase_add_test(tests, a_disturbed_replicate_moves_nothing);
    tcase_add_test(tests, pages_cost_what_as_many_dense_nodes_do_not);
    tcase_add_test(tests, other_memories_are_held_against_the_devices_own);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("findings_chase", add_cases)
