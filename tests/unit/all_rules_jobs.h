/* Of the fixture of all rules: whole processes, whole jobs, and what takes two devices. */
#ifndef GB_TESTS_ALL_RULES_JOBS_H
#define GB_TESTS_ALL_RULES_JOBS_H

#include "unit/all_rules_rows.h"

/* Metrics of the records from `first` on, as parts of their time. */
typedef struct part {
    const char *metric;
    double of_time;
} part;

static inline void add_parts(all_rules *a, size_t first, const part parts[], size_t n)
{
    for (size_t i = first; i < a->f.results.n; i++)
        for (size_t k = 0; k < n; k++) {
            gb_record *r = &a->f.results.records[i];
            metric_set(r, k, parts[k].metric, "ns", r->time.median * parts[k].of_time);
        }
}

#define ADD_PARTS(a, first, parts) add_parts(a, first, parts, sizeof(parts) / sizeof((parts)[0]))

/* How far a replicate's own times are off, as a factor. */
static inline double off_by(const all_rules *a, const gb_record *r)
{
    return exp(a->spread * (r->replicate - (a->replicates - 1) / 2.0));
}

/* Levels, which no time leaves open, in %. */
static inline void add_level(all_rules *a, size_t first, const char *metric, double percent)
{
    for (size_t i = first; i < a->f.results.n; i++) {
        gb_record *r = &a->f.results.records[i];
        metric_set(r, 0, metric, "%", percent * off_by(a, r));
    }
}

/* Multiply-adds of two types, a larger operation, and one chain of one thread. */
static inline void add_arithmetic(all_rules *a)
{
    static const struct {
        const char *op, *type, *chains;
        int threads;
        double time;
    } cases[] = {{"fma", "fp32", "many", 1024, 1e4},
                 {"fma", "fp64", "many", 1024, 1e6},
                 {"div", "fp32", "many", 1024, 1e6},
                 {"fma", "fp32", "one", 1, 1e5}};
    char params[160];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const size_t first = a->f.results.n;
        snprintf(params, sizeof params,
                 "{\"op\": \"%s\", \"type\": \"%s\", \"chains\": \"%s\", \"threads\": %d, "
                 "\"rounds\": 1}",
                 cases[c].op, cases[c].type, cases[c].chains, cases[c].threads);
        add_plain(a, "arith", params, "op_rate", "1/s", cases[c].time);
        for (size_t i = first; i < a->f.results.n; i++) {
            gb_record *r = &a->f.results.records[i];
            metric_set(r, 1, "op_time", "ns", r->time.median / 1e3);
            metric_set(r, 2, "cycles", "cycles", 4 * off_by(a, r));
        }
    }
}

static inline void add_start(all_rules *a)
{
    static const part start[] = {
        {"process_start", 0.1}, {"device_open", 0.6},   {"first_memory", 0.05}, {"first_call", 0.2},
        {"result_check", 0.05}, {"second_call", 0.004}, {"steady_call", 0.002}};
    static const part pair[] = {{"pair", 0.25}};
    static const part refusal[] = {{"refusal", 0.3}, {"recovery", 0.6}};
    static const part killed[] = {{"process_gone", 0.8}, {"memory_back", 1}};
    size_t first = a->f.results.n;
    add_plain(a, "startup", "{\"call\": \"launch\", \"bytes\": 1048576}", "first_call", "ns", 1e8);
    ADD_PARTS(a, first, start);
    for (size_t i = first; i < a->f.results.n; i++) { /* the parts are off by as much again */
        gb_record *r = &a->f.results.records[i];
        for (size_t k = 0; k < 2; k++)
            r->metrics[k].value *= k == 0 ? off_by(a, r) : 1 / off_by(a, r);
    }
    static const char *const ways[] = {"plain", "cached"};
    char params[200];
    first = a->f.results.n;
    for (size_t i = 0; i < 2; i++) {
        snprintf(params, sizeof params,
                 "{\"memory\": \"device\", \"way\": \"%s\", \"bytes\": 4096, \"blocks\": 4, "
                 "\"rounds\": 1}",
                 ways[i]);
        add_plain(a, "allocate", params, "pair", "ns", i == 0 ? 1e6 : 1e4);
    }
    ADD_PARTS(a, first, pair);
    first = a->f.results.n;
    add_plain(a, "fragment",
              "{\"allocator\": \"first-fit\", \"pattern\": \"alternate\", \"budget_bytes\": "
              "67108864, \"block_bytes\": 1048576}",
              "usable", "%", 5e3);
    for (size_t i = first; i < a->f.results.n; i++)
        metric_set(&a->f.results.records[i], 0, "usable", "%", 3.125);
    first = a->f.results.n;
    add_plain(a, "exhaust",
              "{\"how\": \"filled\", \"way\": \"plain\", \"budget_bytes\": 134217728, \"bytes\": "
              "1048576}",
              "refusal", "ns", 3e5);
    ADD_PARTS(a, first, refusal);
    first = a->f.results.n;
    add_plain(a, "reclaim", "{\"bytes\": 268435456}", "memory_back", "ns", 9e7);
    ADD_PARTS(a, first, killed);
}

/* A job of which the parts are off by as much as the whole, to the other side of it or not. */
static inline void add_job(all_rules *a, const char *schedule, int batch, int host_work,
                           double time, double busy)
{
    static const part stages[] = {{"read", 0.1},    {"decode", 0.5}, {"prepare", 0.05},
                                  {"copy_in", 0.1}, {"launch", 0},   {"compute", 0.2},
                                  {"copy_out", 0},  {"finish", 0.05}};
    char params[256];
    const size_t first = a->f.results.n;
    snprintf(
        params, sizeof params,
        "{\"schedule\": \"%s\", \"source\": \"cached\", \"decode\": \"base64\", \"batch\": %d, "
        "\"host_work\": %d, \"files\": 500}",
        schedule, batch, host_work);
    add_plain(a, "pipeline", params, "device_busy", "%", time);
    add_level(a, first, "device_busy", busy);
    for (size_t i = first; i < a->f.results.n; i++) {
        gb_record *r = &a->f.results.records[i];
        r->parts_ns = json_object();
        for (size_t k = 0; k < sizeof stages / sizeof stages[0]; k++)
            json_object_set_new(r->parts_ns, stages[k].metric,
                                json_real(r->time.median * stages[k].of_time *
                                          (k % 2 == 1 ? 1 / off_by(a, r) : off_by(a, r))));
    }
}

static inline void add_pipeline(all_rules *a)
{
    add_job(a, "serial", 1, 1, 1e10, 30);
    add_job(a, "serial", 64, 1, 1e8, 30);
    add_job(a, "double-buffered", 64, 1, 1e6, 80);
    add_job(a, "double-buffered", 64, 16, 1e9, 8);
}

/* Work that is steady, work that is not, and work beside a neighbour. */
static inline void add_stability(all_rules *a)
{
    static const struct {
        const char *work, *beside;
        double time, slowest; /* that second, of the median */
    } cases[] = {{"compute", "none", 1e6, 100},
                 {"memory", "none", 1e6, 1.01},
                 {"compute", "memory", 1e8, 100}};
    char params[200];
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        const part parts[] = {{"mean", 1.2},
                              {"slowest_second", cases[c].slowest},
                              {"first_half", 1},
                              {"second_half", 1}};
        const size_t first = a->f.results.n;
        snprintf(params, sizeof params,
                 "{\"beside\": \"%s\", \"bytes\": 33554432, \"duration\": 20000000000, "
                 "\"rounds\": 64, \"work\": \"%s\"}",
                 cases[c].beside, cases[c].work);
        add_plain(a, "stability", params, "mean", "ns", cases[c].time);
        ADD_PARTS(a, first, parts);
        for (size_t i = first; i < a->f.results.n; i++) {
            gb_record *r = &a->f.results.records[i];
            r->phases_ns = json_pack("{s:I}", "measure", (json_int_t)20300000000);
            r->time.mean = 1.2 * r->time.median;
            r->time.p99 = 1.5 * r->time.median;
        }
    }
}

/* A job on the cuda device, which is the first one, and on a cpu; of `half` on the former alone. */
static inline void add_crossover(all_rules *a)
{
    static const struct {
        double n, gpu, cpu;
    } sizes[] = {{16, 1e6, 1e4}, {1024, 1e6, 1e8}};
    char params[200];
    json_array_append_new(
        json_object_get(a->f.results.document, "devices"),
        json_pack("{s:s, s:s, s:s}", "kind", "cpu", "name", "Example CPU", "runtime", "8 threads"));
    fixture_open(&a->half, "cuda", "[]");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        snprintf(params, sizeof params,
                 "{\"job\": \"matmul\", \"n\": %.0f, \"scope\": \"end-to-end\", \"memory\": "
                 "\"pinned\", \"code\": \"own\"}",
                 sizes[i].n);
        fixture_add(&a->half, "crossover", "crossover", params, (uint32_t)i, 0, sizes[i].gpu, NAN);
        add_plain(a, "crossover", params, "rate", "1/s", sizes[i].gpu);
        a->device = 1;
        add_plain(a, "crossover", params, "rate", "1/s", sizes[i].cpu);
        a->device = 0;
    }
}

/* A model of which a token reads 4, 2, 1 MB of weights, and a prompt through its matrix. */
static inline void add_decode(all_rules *a)
{
    static const struct {
        const char *weights;
        uint64_t bytes;
        double time;
    } formats[] = {{"fp32", 4000000, 4e9}, {"fp16", 2000000, 2e9}, {"int4", 500000, 2e7}};
    char params[200];
    for (size_t i = 0; i < 3; i++) {
        const size_t first = a->f.results.n;
        snprintf(params, sizeof params,
                 "{\"weights\": \"%s\", \"hidden\": 64, \"kv\": 0, \"intermediate\": 128, "
                 "\"layers\": 2, \"hold\": 1}",
                 formats[i].weights);
        add_row(a, "decode", params, "bandwidth", "B/s", formats[i].time, GB_TIMER_DEVICE,
                (gb_work){.bytes_moved = formats[i].bytes,
                          .bytes_read = formats[i].bytes,
                          .flops = 2000000,
                          .working_set = (uint64_t)(256 * MIB)});
        for (size_t j = first; j < a->f.results.n; j++) {
            gb_record *r = &a->f.results.records[j];
            metric_set(r, 1, "token_rate", "1/s", 1e9 / r->time.median);
            metric_set(r, 2, "flop_rate", "FLOP/s", 2e15 / r->time.median);
        }
    }
    add_plain(a, "matmul",
              "{\"variant\": \"vendor\", \"type\": \"fp16\", \"n\": 128, \"m\": 512, \"k\": 64}",
              "flop_rate", "FLOP/s", 1e4);
}

#endif
