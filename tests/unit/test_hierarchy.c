/* The levels of made-up ladders: what is known of each machine is what is found in its ladder, with
 * noise, with caches that others use too, and with levels that cannot be seen. */
#include "reports/hierarchy.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "base/rng.h"
#include "unit/check_main.h"

#define KIB 1024.0
#define MIB (1024 * KIB)
#define MOST_RUNGS 128
#define MOST_LEVELS 5

/* How a cache fills up: it forgets what was used longest ago, and a ring that is larger misses at
 * each step; it forgets any line, and as much as it has room for is found; its sets fill unevenly,
 * since pages lie anywhere; or others use it, so that nothing is certain from half its size on. */
typedef enum filling { OLDEST, ANY, UNEVEN, SHARED } filling;

typedef struct cache {
    double bytes, ns; /* ns of what lies in it; the last one is memory */
    filling filling;
} cache;

typedef struct machine {
    const char *name;
    cache levels[MOST_LEVELS];
    size_t n; /* with memory */
    double from, to;
} machine;

/* Cycles as published for GPUs (V100 to B200: Jia et al., arXiv:1804.06826, and later ones in their
 * manner), load-to-use latencies of processors as their vendors state or measure them: what matters
 * here are ratios. */
static const machine machines[] = {
    {"A100",
     {{192 * KIB, 33, ANY}, {40 * MIB, 206, OLDEST}, {0, 550, OLDEST}},
     3,
     2 * KIB,
     512 * MIB},
    {"H100",
     {{256 * KIB, 40, OLDEST}, {50 * MIB, 291, ANY}, {0, 700, OLDEST}},
     3,
     2 * KIB,
     512 * MIB},
    {"L40",
     {{128 * KIB, 34, OLDEST}, {96 * MIB, 274, OLDEST}, {0, 624, OLDEST}},
     3,
     2 * KIB,
     512 * MIB},
    {"V100",
     {{128 * KIB, 28, ANY}, {6 * MIB, 212, OLDEST}, {0, 425, OLDEST}},
     3,
     2 * KIB,
     512 * MIB},
    {"Zen 4",
     {{32 * KIB, 1.1, OLDEST}, {1 * MIB, 3.8, OLDEST}, {32 * MIB, 12, ANY}, {0, 110, OLDEST}},
     4,
     2 * KIB,
     1024 * MIB},
    {"Zen 2, uneven",
     {{32 * KIB, 1.2, OLDEST}, {512 * KIB, 3.5, UNEVEN}, {16 * MIB, 12, ANY}, {0, 95, OLDEST}},
     4,
     2 * KIB,
     1024 * MIB},
    {"Skylake server",
     {{32 * KIB, 1.3, OLDEST}, {1 * MIB, 4.5, UNEVEN}, {33 * MIB, 22, ANY}, {0, 90, OLDEST}},
     4,
     2 * KIB,
     1024 * MIB},
    {"Golden Cove",
     {{48 * KIB, 1.0, OLDEST}, {2 * MIB, 3.2, OLDEST}, {30 * MIB, 17, SHARED}, {0, 95, OLDEST}},
     4,
     2 * KIB,
     1024 * MIB},
    {"Haswell",
     {{32 * KIB, 1.2, OLDEST}, {256 * KIB, 3.6, UNEVEN}, {8 * MIB, 11, OLDEST}, {0, 70, OLDEST}},
     4,
     2 * KIB,
     1024 * MIB},
    {"Neoverse N1",
     {{64 * KIB, 1.3, ANY}, {1 * MIB, 3.7, ANY}, {32 * MIB, 28, SHARED}, {0, 120, OLDEST}},
     4,
     2 * KIB,
     1024 * MIB},
    {"two levels",
     {{32 * KIB, 1.5, ANY}, {1 * MIB, 8, ANY}, {0, 110, OLDEST}},
     3,
     2 * KIB,
     128 * MIB},
};

static double gauss(gb_rng *rng)
{
    return sqrt(-2 * log(1 - gb_rng_unit(rng))) * cos(2 * acos(-1.0) * gb_rng_unit(rng));
}

/* The share of a ring of `bytes` that such a cache does not have. */
static double missed(const cache *c, double bytes)
{
    const double over = bytes / c->bytes;
    switch (c->filling) {
    case OLDEST: /* sets that hold one line too many miss all of theirs: 16 ways */
        return fmin(1, fmax(0, (over - 1) * 8));
    case ANY:
        return over > 1 ? 1 - 1 / over : 0;
    case UNEVEN: /* a Gaussian load of sets of 8 pages */
        return 0.5 * erfc((1 - over) / (sqrt(2 * over / 8)));
    case SHARED:
        return over > 0.5 ? fmin(1, 1 - 0.5 / over) : 0;
    }
    return 0;
}

static double latency(const machine *m, double bytes)
{
    double ns = m->levels[0].ns;
    for (size_t k = 0; k + 1 < m->n; k++)
        ns += missed(&m->levels[k], bytes) * (m->levels[k + 1].ns - m->levels[k].ns);
    return ns;
}

/* The fastest of three replicates, each off by `noise` (Gaussian, as a fraction), of which one in
 * `spikes` (0: none) was disturbed and takes up to three times as long. */
static double measured(double ns, double noise, unsigned spikes, gb_rng *rng)
{
    double least = INFINITY;
    for (int r = 0; r < 3; r++) {
        double one = ns * exp(noise * gauss(rng));
        if (spikes > 0 && gb_rng_below(rng, spikes) == 0)
            one *= 1 + 2 * gb_rng_unit(rng);
        least = fmin(least, one);
    }
    return least;
}

/* `per_octave` rungs for each factor of two. */
static size_t climb(const machine *m, double per_octave, double noise, unsigned spikes,
                    uint64_t seed, gb_rung out[MOST_RUNGS])
{
    gb_rng rng = {seed};
    size_t n = 0;
    for (double bytes = m->from; bytes <= m->to * 1.01; bytes *= pow(2, 1 / per_octave)) {
        ck_assert_uint_lt(n, MOST_RUNGS);
        out[n++] = (gb_rung){bytes, measured(latency(m, bytes), noise, spikes, &rng)};
    }
    return n;
}

/* All levels are there, each about as high as it is and, but for memory, within `factor` of its
 * size. */
static void found(const machine *m, const gb_rung rungs[], size_t n, double factor, uint64_t seed)
{
    gb_tread treads[GB_MOST_TREADS];
    const size_t levels = gb_hierarchy_find(rungs, n, treads);
    ck_assert_msg(levels == m->n, "%s (%d): %zu levels, %zu are there", m->name, (int)seed, levels,
                  m->n);
    for (size_t k = 0; k < levels; k++) {
        const cache *c = &m->levels[k];
        const gb_tread *t = &treads[k];
        ck_assert_msg(t->ns > c->ns / 1.4 && t->ns < c->ns * 1.4,
                      "%s (%d): level %zu takes %g, not %g", m->name, (int)seed, k, t->ns, c->ns);
        if (k + 1 == levels) {
            ck_assert(isnan(t->end) && t->beyond == n);
            continue;
        }
        /* Of a shared cache half is sure. */
        const double least = c->filling == SHARED ? c->bytes / 2 : c->bytes;
        ck_assert_msg(t->end >= least / factor && t->end <= c->bytes * factor,
                      "%s (%d): level %zu ends at %.0f KiB, not at %.0f", m->name, (int)seed, k,
                      t->end / KIB, c->bytes / KIB);
        ck_assert(rungs[t->beyond - 1].bytes <= t->end && t->end <= rungs[t->beyond].bytes);
    }
}

START_TEST(levels_of_known_machines_are_found)
{
    const machine *m = &machines[_i];
    gb_rung rungs[MOST_RUNGS];
    found(m, rungs, climb(m, 4, 0, 0, 0, rungs), 1.5, 0);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        found(m, rungs, climb(m, 4, 0.04, 0, seed, rungs), 1.5, seed);
        found(m, rungs, climb(m, 4, 0.03, 8, seed, rungs), 1.5, seed);
    }
}
END_TEST

/* Two ladders of suites/latency.yaml (fastest sample of three replicates) from a virtual machine
 * with two processors of an AMD EPYC 9004, on which a dozen other processes ran: sysfs says 32 KiB,
 * 1 MiB and 32 MiB. Its L2 slopes, since the host gives it small pages; its last cache is used by
 * others. */
static const gb_rung measured_ladders[2][50] = {
    {{2 * KIB, 1.085},      {3 * KIB, 1.085},          {4 * KIB, 1.085},      {6 * KIB, 1.085},
     {8 * KIB, 1.085},      {12 * KIB, 1.085},         {16 * KIB, 1.085},     {20 * KIB, 1.086},
     {24 * KIB, 1.087},     {28 * KIB, 1.091},         {32 * KIB, 1.098},     {40 * KIB, 3.747},
     {48 * KIB, 3.77},      {56 * KIB, 3.805},         {64 * KIB, 3.818},     {80 * KIB, 3.818},
     {96 * KIB, 3.818},     {112 * KIB, 3.815},        {128 * KIB, 3.816},    {160 * KIB, 3.82},
     {192 * KIB, 3.818},    {256 * KIB, 3.818},        {320 * KIB, 4.046},    {384 * KIB, 4.401},
     {512 * KIB, 4.821},    {640 * KIB, 5.001},        {768 * KIB, 5.815},    {896 * KIB, 7.394},
     {1024 * KIB, 8.721},   {1280 * KIB, 10.77},       {1536 * KIB, 12.33},   {1792 * KIB, 13.38},
     {2048 * KIB, 13.89},   {2560 * KIB, 17.04},       {3072 * KIB, 17.35},   {4096 * KIB, 17.05},
     {6144 * KIB, 143.4},   {8192 * KIB, 150.8},       {12288 * KIB, 147.7},  {16384 * KIB, 164.2},
     {24576 * KIB, 158.1},  {32768 * KIB, 158.7},      {49152 * KIB, 162.9},  {65536 * KIB, 162.5},
     {98304 * KIB, 167.8},  {131072 * KIB, 169.9},     {196608 * KIB, 176.1}, {262144 * KIB, 207.3},
     {524288 * KIB, 222.9}, {1.04858e+06 * KIB, 378.9}},
    {{2 * KIB, 1.085},      {3 * KIB, 1.085},          {4 * KIB, 1.086},      {6 * KIB, 1.085},
     {8 * KIB, 1.085},      {12 * KIB, 1.085},         {16 * KIB, 1.086},     {20 * KIB, 1.085},
     {24 * KIB, 1.087},     {28 * KIB, 1.091},         {32 * KIB, 1.1},       {40 * KIB, 3.803},
     {48 * KIB, 3.814},     {56 * KIB, 3.807},         {64 * KIB, 3.799},     {80 * KIB, 3.81},
     {96 * KIB, 3.811},     {112 * KIB, 3.82},         {128 * KIB, 3.822},    {160 * KIB, 3.816},
     {192 * KIB, 3.818},    {256 * KIB, 3.815},        {320 * KIB, 4.024},    {384 * KIB, 4.391},
     {512 * KIB, 4.773},    {640 * KIB, 5.205},        {768 * KIB, 5.185},    {896 * KIB, 6.991},
     {1024 * KIB, 8.367},   {1280 * KIB, 11.7},        {1536 * KIB, 13.29},   {1792 * KIB, 13.71},
     {2048 * KIB, 16.23},   {2560 * KIB, 109.3},       {3072 * KIB, 155.6},   {4096 * KIB, 154.5},
     {6144 * KIB, 169.5},   {8192 * KIB, 171.3},       {12288 * KIB, 171.3},  {16384 * KIB, 158.9},
     {24576 * KIB, 159.5},  {32768 * KIB, 160.8},      {49152 * KIB, 171.3},  {65536 * KIB, 167.1},
     {98304 * KIB, 168.4},  {131072 * KIB, 178.7},     {196608 * KIB, 193.4}, {262144 * KIB, 224.1},
     {524288 * KIB, 287.3}, {1.04858e+06 * KIB, 285.3}},
};

START_TEST(levels_of_a_busy_virtual_machine_are_found)
{
    gb_tread treads[GB_MOST_TREADS];
    const gb_rung *rungs = measured_ladders[_i];
    const size_t n = gb_hierarchy_find(rungs, 50, treads);
    ck_assert_uint_ge(n, 3);
    ck_assert(gb_hierarchy_agrees(treads[0].end, 32 * KIB));
    ck_assert(gb_hierarchy_agrees(treads[1].end, 1 * MIB));
    ck_assert_double_eq_tol(treads[0].ns, 1.09, 0.02);
    ck_assert_double_eq_tol(treads[1].ns, 3.82, 0.05);
    ck_assert(isnan(treads[n - 1].end));
    const double last =
        n > 3 ? treads[2].end : gb_hierarchy_slope(rungs, 50, treads[1].ns, treads[n - 1].ns);
    ck_assert_msg(last > 1.5 * MIB && last < 32 * MIB, "%g MiB", last / MIB);
}
END_TEST

/* What slows a step down makes it no level; what is fast at a large size was not slowed down. */
START_TEST(what_was_disturbed_is_no_level)
{
    gb_rung rungs[] = {{2 * KIB, 1},    {4 * KIB, 1},    {8 * KIB, 2.6},   {16 * KIB, 2.7},
                       {32 * KIB, 2.5}, {64 * KIB, 1},   {128 * KIB, 4},   {256 * KIB, 4},
                       {512 * KIB, 9},  {1024 * KIB, 4}, {2048 * KIB, 4.1}};
    gb_tread treads[GB_MOST_TREADS];
    ck_assert_uint_eq(gb_hierarchy_find(rungs, sizeof rungs / sizeof rungs[0], treads), 2);
    ck_assert_double_eq_tol(treads[0].ns, 1, 1e-9);
    ck_assert_uint_eq(treads[0].beyond, 6);
    ck_assert_double_gt(treads[0].end, 64 * KIB);
    ck_assert_double_lt(treads[0].end, 128 * KIB);
    ck_assert_double_eq_tol(treads[1].ns, 4, 1e-9);
}
END_TEST

/* Far partitions of a GPU's L2 and pages that are looked up make a level slower, and no other one.
 */
START_TEST(a_slow_rise_is_no_level_of_its_own)
{
    gb_rung rungs[] = {{1 * MIB, 206},  {2 * MIB, 206},   {4 * MIB, 208},   {8 * MIB, 210},
                       {16 * MIB, 262}, {24 * MIB, 270},  {32 * MIB, 275},  {40 * MIB, 280},
                       {64 * MIB, 420}, {128 * MIB, 520}, {256 * MIB, 550}, {512 * MIB, 552}};
    gb_tread treads[GB_MOST_TREADS];
    ck_assert_uint_eq(gb_hierarchy_find(rungs, sizeof rungs / sizeof rungs[0], treads), 2);
    ck_assert_double_gt(treads[0].end, 40 * MIB);
    ck_assert_double_lt(treads[0].end, 64 * MIB);
    ck_assert_double_gt(treads[1].ns, 500);
}
END_TEST

START_TEST(too_little_is_nothing)
{
    gb_tread treads[GB_MOST_TREADS];
    const gb_rung rising[] = {{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}};
    const gb_rung two[] = {{1, 1}, {4, 1}};
    const gb_rung narrow[] = {{10, 1}, {11, 1}, {12, 1}, {13, 1}};
    const gb_rung one_level[] = {{1, 1}, {2, 1}, {4, 1}};
    ck_assert_uint_eq(gb_hierarchy_find(NULL, 0, treads), 0);
    ck_assert_uint_eq(gb_hierarchy_find(rising, 5, treads), 0);
    ck_assert_uint_eq(gb_hierarchy_find(two, 2, treads), 0);
    ck_assert_uint_eq(gb_hierarchy_find(narrow, 4, treads), 0);
    ck_assert_uint_eq(gb_hierarchy_find(one_level, 3, treads), 1);
    ck_assert(isnan(treads[0].end));
    ck_assert_uint_eq(treads[0].beyond, 3);
}
END_TEST

/* More treads than there is room for: each a factor of two higher. */
START_TEST(treads_beyond_the_room_are_left_out)
{
    gb_rung rungs[20 * 3];
    gb_tread treads[GB_MOST_TREADS];
    for (size_t i = 0; i < 60; i++)
        rungs[i] = (gb_rung){pow(2, (double)i), pow(2, (double)(i / 3))};
    ck_assert_uint_eq(gb_hierarchy_find(rungs, 60, treads), GB_MOST_TREADS);
}
END_TEST

START_TEST(a_slope_ends_between_its_neighbours)
{
    const gb_rung rungs[] = {
        {1 * MIB, 4}, {2 * MIB, 8}, {4 * MIB, 16}, {8 * MIB, 32}, {16 * MIB, 64}};
    ck_assert_double_eq_tol(gb_hierarchy_slope(rungs, 5, 4, 64), 4 * MIB, 1);
    ck_assert_double_eq_tol(gb_hierarchy_slope(rungs, 5, 8, 16), pow(2, 1.5) * MIB, 1);
    ck_assert(isnan(gb_hierarchy_slope(rungs, 5, 100, 400)));
    ck_assert(isnan(gb_hierarchy_slope(rungs, 0, 1, 2)));
}
END_TEST

START_TEST(levels_get_the_names_that_fit)
{
    static const gb_named_level cpu[] = {{"L1", 32 * KIB}, {"L2", 1 * MIB}, {"last", 32 * MIB}};
    static const gb_named_level gpu[] = {{"L1", 0}, {"L2", 40 * MIB}};
    static const gb_named_level unknown[] = {{"L1", 0}, {"L2", 0}, {"last", 0}};
    static const struct {
        const gb_named_level *levels;
        size_t m, n;
        double ends[4];
        int names[4];
    } cases[] = {
        {cpu, 3, 3, {33 * KIB, 1.1 * MIB, 9 * MIB}, {0, 1, 2}},
        {cpu, 3, 2, {33 * KIB, 1.1 * MIB}, {0, 1}},
        {cpu, 3, 2, {33 * KIB, 20 * MIB}, {0, 2}},
        {cpu, 3, 2, {0.9 * MIB, 20 * MIB}, {1, 2}},
        {cpu, 3, 1, {0.9 * MIB}, {1}},
        {cpu, 3, 4, {33 * KIB, 1.1 * MIB, 4 * MIB, 30 * MIB}, {0, 1, -1, 2}},
        {gpu, 2, 2, {150 * KIB, 42 * MIB}, {0, 1}},
        {gpu, 2, 1, {42 * MIB}, {1}},
        {gpu, 2, 1, {150 * KIB}, {0}},
        {gpu, 2, 3, {150 * KIB, 2 * MIB, 42 * MIB}, {0, -1, 1}},
        {unknown, 3, 3, {33 * KIB, 1.1 * MIB, 9 * MIB}, {0, 1, 2}},
        {unknown, 3, 2, {33 * KIB, 1.1 * MIB}, {0, 1}},
        {cpu, 3, 0, {0}, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int names[4] = {-2, -2, -2, -2};
        gb_hierarchy_name(cases[i].ends, cases[i].n, cases[i].levels, cases[i].m, names);
        for (size_t k = 0; k < cases[i].n; k++)
            ck_assert_msg(names[k] == cases[i].names[k], "case %zu: tread %zu is called %d", i, k,
                          names[k]);
    }
}
END_TEST

START_TEST(sizes_agree_within_a_factor)
{
    ck_assert(gb_hierarchy_agrees(48, 32) && gb_hierarchy_agrees(32, 32) &&
              gb_hierarchy_agrees(21.4, 32));
    ck_assert(!gb_hierarchy_agrees(48.1, 32) && !gb_hierarchy_agrees(21.3, 32) &&
              !gb_hierarchy_agrees((double)NAN, 32));
}
END_TEST

static void add_cases(Suite *suite)
{
    TCase *tests = tcase_create("hierarchy");
    tcase_add_loop_test(tests, levels_of_known_machines_are_found, 0,
                        (int)(sizeof machines / sizeof machines[0]));
    tcase_add_loop_test(tests, levels_of_a_busy_virtual_machine_are_found, 0, 2);
    tcase_add_test(tests, what_was_disturbed_is_no_level);
    tcase_add_test(tests, a_slow_rise_is_no_level_of_its_own);
    tcase_add_test(tests, too_little_is_nothing);
    tcase_add_test(tests, treads_beyond_the_room_are_left_out);
    tcase_add_test(tests, a_slope_ends_between_its_neighbours);
    tcase_add_test(tests, levels_get_the_names_that_fit);
    tcase_add_test(tests, sizes_agree_within_a_factor);
    suite_add_tcase(suite, tests);
}

GB_CHECK_MAIN("hierarchy", add_cases)
