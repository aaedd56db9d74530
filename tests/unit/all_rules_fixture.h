/* Records for which every rule of findings speaks, each effect a hundredfold, so that it is there
 * still when the replicates lie far apart. */
#ifndef GB_TESTS_ALL_RULES_FIXTURE_H
#define GB_TESTS_ALL_RULES_FIXTURE_H

#include "unit/all_rules_jobs.h"
#include "unit/all_rules_model.h"

static inline void add_copies(all_rules *a)
{
    char params[160];
    for (double n = 1024; n <= 64 * MIB; n *= 4) {
        snprintf(params, sizeof params,
                 "{\"bytes\": %.0f, \"direction\": \"h2d\", \"memory\": \"pinned\", \"pieces\": 1}",
                 n);
        add_row(a, "copy", params, "bandwidth", "B/s", 5000 + n / 20, GB_TIMER_ROUNDTRIP,
                (gb_work){.bytes_moved = (uint64_t)n});
    }
    static const struct {
        const char *direction, *memory;
        int pieces;
        double times;
    } others[] = {{"h2d", "pageable", 1, 100},
                  {"h2d", "pinned", 4096, 100},
                  {"bidirectional", "pinned", 1, 0.01}};
    for (size_t i = 0; i < 3; i++) {
        snprintf(params, sizeof params,
                 "{\"bytes\": 67108864, \"direction\": \"%s\", \"memory\": \"%s\", \"pieces\": %d}",
                 others[i].direction, others[i].memory, others[i].pieces);
        add_row(a, "copy", params, "bandwidth", "B/s", (5000 + 64 * MIB / 20) * others[i].times,
                GB_TIMER_ROUNDTRIP, (gb_work){.bytes_moved = (uint64_t)(64 * MIB)});
    }
}

static inline void add_memory(all_rules *a)
{
    static const struct {
        const char *pattern;
        int stride;
        double time;
        uint64_t sectors;
    } orders[] = {{"coalesced", 1, 1e3, 4096}, {"strided", 8, 1e5, 32768}, {"random", 1, 2e5, 0}};
    char params[160];
    for (size_t i = 0; i < 3; i++) {
        snprintf(params, sizeof params, "{\"pattern\": \"%s\", \"elements\": 1024, \"stride\": %d}",
                 orders[i].pattern, orders[i].stride);
        add_row(a, "access", params, "bandwidth", "B/s", orders[i].time, GB_TIMER_DEVICE,
                (gb_work){.bytes_moved = 4096, .bytes_sectors = orders[i].sectors});
    }
    static const double sizes[] = {256 * MIB, 4 * MIB}, rates[] = {1, 100}; /* bytes a ns */
    for (size_t i = 0; i < 2; i++) {
        snprintf(params, sizeof params, "{\"bytes\": %.0f, \"op\": \"read\", \"type\": \"fp32\"}",
                 sizes[i]);
        add_row(a, "stream", params, "bandwidth", "B/s", sizes[i] / rates[i], GB_TIMER_DEVICE,
                (gb_work){.bytes_read = (uint64_t)sizes[i],
                          .bytes_moved = (uint64_t)sizes[i],
                          .flops = (uint64_t)sizes[i] / 4,
                          .working_set = (uint64_t)sizes[i],
                          .compute = GB_COMPUTE_FP32});
    }
    add_row(a, "flops", "{\"type\": \"fp32\"}", "flop_rate", "FLOP/s", 1e6, GB_TIMER_DEVICE,
            (gb_work){.bytes_written = 1024, .flops = 100000000, .compute = GB_COMPUTE_FP32});
    add_row(a, "intensity", "{\"fmas\": 1, \"type\": \"fp32\"}", "bandwidth", "B/s", 2e8,
            GB_TIMER_DEVICE,
            (gb_work){.bytes_read = (uint64_t)(128 * MIB),
                      .bytes_moved = (uint64_t)(128 * MIB),
                      .flops = (uint64_t)(32 * MIB),
                      .working_set = (uint64_t)(128 * MIB),
                      .compute = GB_COMPUTE_FP32});
    add_plain(a, "transpose", "{\"variant\": \"naive\", \"n\": 512, \"columns\": 0}", "bandwidth",
              "B/s", 1e6);
    add_plain(a, "transpose", "{\"variant\": \"padded\", \"n\": 512, \"columns\": 0}", "bandwidth",
              "B/s", 1e4);
    add_plain(a, "transpose", "{\"variant\": \"copy\", \"n\": 512, \"columns\": 0}", "bandwidth",
              "B/s", 9e3);
    add_plain(a, "bank", "{\"stride\": 1, \"blocks\": 1}", "access_time", "ns", 1e3);
    add_plain(a, "bank", "{\"stride\": 32, \"blocks\": 1}", "access_time", "ns", 1e5);
}

static inline void add_counters(all_rules *a)
{
    static const struct {
        const char *place;
        int addresses, padding;
        double time;
    } ways[] = {{"global", 1, 4, 1e6},
                {"global", 1, 128, 1e4},
                {"global", 1024, 4, 1e4},
                {"shared", 1, 4, 1e4}};
    char params[160];
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        snprintf(params, sizeof params,
                 "{\"place\": \"%s\", \"type\": \"int32\", \"by\": \"thread\", \"addresses\": %d, "
                 "\"padding\": %d}",
                 ways[i].place, ways[i].addresses, ways[i].padding);
        add_plain(a, "atomics", params, "update_time", "ns", ways[i].time);
    }
}

static inline void add_under_way(all_rules *a)
{
    static const struct {
        const char *what, *metric, *unit;
    } kinds[] = {{"loads", "bandwidth", "B/s"}, {"chains", "flop_rate", "FLOP/s"}};
    static const struct {
        int warps, independent;
        double time;
    } cases[] = {{1, 1, 1e8}, {4, 4, 1e6}, {32, 4, 1e4}, {64, 16, 1e6}};
    char params[160];
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
            snprintf(params, sizeof params,
                     "{\"what\": \"%s\", \"independent\": %d, \"warps\": %d, \"bytes\": 4096, "
                     "\"steps\": 1024}",
                     kinds[k].what, cases[i].independent, cases[i].warps);
            add_plain(a, "occupancy", params, kinds[k].metric, kinds[k].unit, cases[i].time);
        }
}

static inline void add_launches(all_rules *a)
{
    static const gb_timer timers[] = {GB_TIMER_CALL, GB_TIMER_DEVICE, GB_TIMER_ROUNDTRIP};
    static const struct {
        const char *mode;
        double time;
    } steps[] = {{"separate", 1e7}, {"fused", 1e5}, {"sync-each", 1e9}};
    static const struct {
        const char *measure;
        double time;
    } graphs[] = {{"eager-roundtrip", 1e6}, {"replay-roundtrip", 1e4}, {"instantiate", 1e8}};
    char params[160];
    add_plain(a, "noop", "{\"what\": \"kernel\"}", "rate", "1/s", 4e3);
    for (size_t i = 0; i < 3; i++) {
        snprintf(params, sizeof params,
                 "{\"mode\": \"separate\", \"launches\": 1, \"argument_bytes\": 8, \"blocks\": 1, "
                 "\"streams\": 1, \"run\": %zu}",
                 i);
        add_row(a, "launch", params, "rate", "1/s", 1e3 * (double)(i + 1), timers[i], (gb_work){0});
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(params, sizeof params,
                 "{\"mode\": \"%s\", \"launches\": 64, \"argument_bytes\": 8, \"blocks\": 1, "
                 "\"streams\": 1}",
                 steps[i].mode);
        add_plain(a, "launch", params, "rate", "1/s", steps[i].time);
    }
    for (size_t i = 0; i < 3; i++) {
        snprintf(params, sizeof params, "{\"measure\": \"%s\", \"length\": 64, \"width\": 4}",
                 graphs[i].measure);
        add_plain(a, "graph", params, "rate", "1/s", graphs[i].time);
    }
}

static inline void add_products(all_rules *a)
{
    static const struct {
        const char *variant;
        double time;
    } ways[] = {{"naive", 1e8}, {"tiled", 1e6}, {"vendor", 1e4}, {"wmma", 1e2}};
    static const struct {
        const char *pattern, *split, *order;
        double time;
    } splits[] = {{"ways", "lane", "sorted", 1e6},       {"ways", "warp", "sorted", 1e4},
                  {"data", "lane", "shuffled", 1e6},     {"data", "lane", "sorted", 1e4},
                  {"early-exit", "lane", "sorted", 1e6}, {"early-exit", "warp", "sorted", 1e4},
                  {"one-lane", "lane", "sorted", 1e6},   {"one-lane", "warp", "sorted", 1e4}};
    char params[160];
    for (size_t i = 0; i < 4; i++) {
        snprintf(params, sizeof params,
                 "{\"variant\": \"%s\", \"type\": \"fp16\", \"n\": 64, \"m\": 0, \"k\": 0}",
                 ways[i].variant);
        add_plain(a, "matmul", params, "flop_rate", "FLOP/s", ways[i].time);
    }
    for (size_t i = 0; i < sizeof splits / sizeof splits[0]; i++) {
        snprintf(params, sizeof params,
                 "{\"pattern\": \"%s\", \"ways\": 32, \"split\": \"%s\", \"order\": \"%s\"}",
                 splits[i].pattern, splits[i].split, splits[i].order);
        add_plain(a, "divergence", params, "bandwidth", "B/s", splits[i].time);
    }
}

static inline void add_servers(all_rules *a)
{
    static const struct {
        int batch;
        const char *shape;
        double capacity, device;
    } servers[] = {{1, "exact", 2e4, 1e4}, {32, "exact", 2e6, 1e3}, {32, "padded", 1e6, 1e5}};
    char params[200];
    for (int batch = 1; batch <= 16; batch *= 2) {
        snprintf(params, sizeof params, "{\"batch\": %d, \"math\": \"own\"}", batch);
        add_row(a, "batch", params, "throughput", "1/s", batch == 1 ? 1e5 : 1e4, GB_TIMER_ROUNDTRIP,
                (gb_work){.bytes_moved = batch < 8 ? 1 : 10});
    }
    for (size_t s = 0; s < 3; s++)
        for (double rate = 1e3; rate <= 1e7; rate *= 1e2) {
            const size_t first = a->f.results.n;
            snprintf(params, sizeof params,
                     "{\"rate\": %.0f, \"batch\": %d, \"wait_us\": 0, \"shape\": \"%s\", "
                     "\"clock\": \"real\"}",
                     rate, servers[s].batch, servers[s].shape);
            add_plain(a, "serving", params, "latency_p95", "ns", rate * 1e2);
            for (size_t i = first; i < a->f.results.n; i++) {
                gb_record *r = &a->f.results.records[i];
                const double off = r->time.median / (rate * 1e2);
                metric_set(r, 1, "capacity", "1/s", servers[s].capacity / off);
                metric_set(r, 2, "device_time", "ns", servers[s].device * off);
            }
        }
}

static inline void add_overlap(all_rules *a)
{
    static const struct {
        const char *memory;
        int chunks, streams;
        double budget, time;
    } jobs[] = {{"pinned", 1, 1, 0, 1e8},
                {"pinned", 16, 4, 0, 1e6},
                {"pinned", 16, 4, 64 * MIB, 1e4},
                {"mapped", 1, 1, 0, 1e10}};
    char params[240];
    for (size_t j = 0; j < sizeof jobs / sizeof jobs[0]; j++) {
        const size_t first = a->f.results.n;
        snprintf(params, sizeof params,
                 "{\"memory\": \"%s\", \"bytes\": %.0f, \"chunks\": %d, \"streams\": %d, "
                 "\"rounds\": 1, \"device_budget\": %.0f}",
                 jobs[j].memory, 128 * MIB, jobs[j].chunks, jobs[j].streams, jobs[j].budget);
        add_plain(a, "overlap", params, "copy_in", "ns", jobs[j].time);
        for (size_t i = first; i < a->f.results.n; i++) {
            gb_record *r = &a->f.results.records[i];
            metric_set(r, 0, "copy_in", "ns", r->time.median / 300);
            metric_set(r, 1, "kernel", "ns", r->time.median / 200);
            metric_set(r, 2, "copy_out", "ns", r->time.median / 300);
        }
    }
    add_plain(a, "residency",
              "{\"keep\": \"resident\", \"memory\": \"pinned\", \"bytes\": 1048576, \"steps\": 16}",
              "bandwidth", "B/s", 1e5);
    add_plain(
        a, "residency",
        "{\"keep\": \"round-trip\", \"memory\": \"pinned\", \"bytes\": 1048576, \"steps\": 16}",
        "bandwidth", "B/s", 1e7);
}

static inline void add_latencies(all_rules *a)
{
    static const struct {
        const char *space;
        double bytes, node, ns;
    } rows[] = {{"device", 2048, 128, 1},          {"device", 4096, 128, 1},
                {"device", 8192, 128, 1},          {"device", 16384, 128, 1},
                {"device", MIB, 128, 1e2},         {"device", 2 * MIB, 128, 1e2},
                {"device", 4 * MIB, 128, 1e2},     {"device", 64 * MIB, 128, 1e4},
                {"device", 128 * MIB, 128, 1e4},   {"device", 256 * MIB, 128, 1e4},
                {"device", 128 * 4224, 4224, 1e2}, {"shared", 16384, 128, 1e2},
                {"host", 16384, 128, 1e4}};
    char params[160];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(params, sizeof params,
                 "{\"space\": \"%s\", \"bytes\": %.0f, \"node\": %.0f, \"steps\": 1}",
                 rows[i].space, rows[i].bytes, rows[i].node);
        add_plain(a, "chase", params, "latency", "ns", rows[i].ns);
    }
}

/* Closed with all_rules_close. */
static inline void all_rules_open(all_rules *a, double spread, uint32_t replicates)
{
    *a = (all_rules){.spread = spread, .replicates = replicates};
    fixture_open(&a->f, "cuda", "[]");
    json_t *device = json_array_get(json_object_get(a->f.results.document, "devices"), 0);
    json_object_set_new(device, "llc_bytes", json_integer(32 * (json_int_t)MIB));
    json_object_set_new(device, "pcie_gen_max", json_integer(5));
    json_object_set_new(device, "pcie_width_max", json_integer(16));
    add_copies(a);
    add_memory(a);
    add_counters(a);
    add_under_way(a);
    add_latencies(a);
    add_launches(a);
    add_products(a);
    add_decode(a);
    add_arithmetic(a);
    add_searches(a);
    add_rows_and_lookups(a);
    add_servers(a);
    add_overlap(a);
    add_start(a);
    add_pipeline(a);
    add_stability(a);
    add_crossover(a);
}

static inline void all_rules_close(all_rules *a)
{
    fixture_close(&a->f);
    fixture_close(&a->half);
}

#endif
