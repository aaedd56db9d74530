/* Rows of a roofline: a sweep over the intensity, the roofs, and a device with a cache. */
#ifndef GB_TESTS_ROOFLINE_FIXTURE_H
#define GB_TESTS_ROOFLINE_FIXTURE_H

#include "unit/check_main.h"
#include "unit/reports_fixture.h"

#define MIB (1 << 20)
#define PLOT "[{\"type\": \"roofline\", \"benchmark\": \"sweep\", \"title\": null}]"

/* A row of a kernel: time in ns, work, a bandwidth. */
static inline gb_record *row(fixture *f, const char *benchmark, const char *kernel,
                             const char *params, double time, gb_work work)
{
    double bytes = (double)(work.bytes_read + work.bytes_written);
    gb_record *r = fixture_add(f, benchmark, kernel, params, (uint32_t)f->results.n, 0, time,
                               bytes * 1e9 / time);
    r->work = work;
    return r;
}

/* The sweep: memory at 100 GB/s, arithmetic at 1 TFLOP/s, each point at `share` of its roof. */
static inline void sweep(fixture *f, double share)
{
    for (int fmas = 1; fmas <= 1024; fmas *= 4) {
        char params[64];
        const gb_work work = {.bytes_read = 64 * MIB,
                              .bytes_written = 64 * MIB,
                              .flops = (uint64_t)32 * MIB * (uint64_t)fmas,
                              .working_set = 128 * MIB,
                              .compute = GB_COMPUTE_FP32};
        double by_memory = 128.0 * MIB / 100e9, by_arithmetic = (double)work.flops / 1e12;
        snprintf(params, sizeof params, "{\"fmas\": %d, \"type\": \"fp32\"}", fmas);
        row(f, "sweep", "intensity", params, fmax(by_memory, by_arithmetic) * 1e9 / share, work);
    }
}

static inline void memory_row(fixture *f, const char *op, uint64_t bytes, double rate)
{
    char params[96];
    snprintf(params, sizeof params, "{\"bytes\": %llu, \"op\": \"%s\", \"type\": \"fp32\"}",
             (unsigned long long)bytes, op);
    row(f, "memory", "stream", params, (double)bytes / rate * 1e9,
        (gb_work){.bytes_read = bytes,
                  .flops = bytes / 4,
                  .working_set = bytes,
                  .compute = GB_COMPUTE_FP32});
}

static inline void roofs(fixture *f)
{
    memory_row(f, "read", 256 * MIB, 100e9);
    memory_row(f, "write", 256 * MIB, 300e9); /* no roof: it reads nothing */
    f->results.records[f->results.n - 1].work.flops = 0;
    memory_row(f, "dot", 64 * MIB, 200e9);  /* under 4x the cache: no roof of memory */
    memory_row(f, "triad", 4 * MIB, 400e9); /* inside 40 % of it */
    f->results.records[f->results.n - 1].flags |= GB_BIT(GB_FLAG_CACHE_RESIDENT);
    row(f, "peak", "flops", "{\"type\": \"fp32\"}", 1e6,
        (gb_work){.bytes_written = 1024, .flops = 1000000000, .compute = GB_COMPUTE_FP32});
    row(f, "peak", "flops", "{\"type\": \"fp64\"}", 1e6,
        (gb_work){.bytes_written = 1024, .flops = 5000000000, .compute = GB_COMPUTE_FP64});
}

static inline void open_fixture(fixture *f, const char *kind)
{
    fixture_open(f, kind, PLOT);
    json_t *device = json_array_get(json_object_get(f->results.document, "devices"), 0);
    json_object_set_new(device, "llc_bytes", json_integer(32 * MIB));
}

static inline void give_theory(fixture *f, const char *key, double bandwidth, double flops)
{
    json_t *device = json_array_get(json_object_get(f->results.document, "devices"), 0);
    json_t *peaks = json_pack("{s:f, s:f}", "bandwidth", bandwidth, "fp32", flops);
    json_object_set_new(device, key,
                        strcmp(key, "peaks") == 0 ? peaks : json_pack("{s:o}", "peaks", peaks));
}

static inline bool has(const gb_buf *text, const char *part)
{
    return text->data != NULL && strstr(text->data, part) != NULL;
}

#endif
