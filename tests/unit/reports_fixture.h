/* Results made in memory for the tests of reports. */
#ifndef GB_TESTS_REPORTS_FIXTURE_H
#define GB_TESTS_REPORTS_FIXTURE_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report.h"

typedef struct fixture {
    gb_results results;
    size_t capacity;
} fixture;

static inline void fixture_open(fixture *f, const char *kind, const char *plots_json)
{
    *f = (fixture){.capacity = 512};
    f->results.records = calloc(f->capacity, sizeof(gb_record));
    f->results.complete = true;
    json_t *plots = json_loads(plots_json, 0, NULL);
    ck_assert_ptr_nonnull(plots);
    f->results.document = json_pack(
        "{s:{s:s, s:s, s:o}, s:{s:s, s:i}, s:[{s:s, s:s, s:s}]}", "suite", "name", "made up",
        "title", "Made up for a test", "plots", plots, "run", "started", "2026-01-15T10:15:00Z",
        "seed", 7, "devices", "kind", kind, "name", "Example device 9000", "runtime", "8 threads");
    ck_assert_ptr_nonnull(f->results.document);
}

/* A record that went well and converged to 0.1 %: `time` ns, `rate` of its metric bandwidth (NAN:
 * none). */
static inline gb_record *fixture_add(fixture *f, const char *benchmark, const char *kernel,
                                     const char *params, uint32_t index, uint32_t replicate,
                                     double time, double rate)
{
    ck_assert_uint_lt(f->results.n, f->capacity);
    gb_record *r = &f->results.records[f->results.n++];
    gb_record_init(r);
    r->params = json_loads(params, 0, NULL);
    ck_assert_ptr_nonnull(r->params);
    char *compact = json_dumps(r->params, JSON_COMPACT | JSON_SORT_KEYS);
    r->case_id = gb_text_format("%s[%s]", benchmark, compact);
    free(compact);
    r->benchmark = gb_text_copy(benchmark);
    r->kernel = gb_text_copy(kernel);
    r->index = index;
    r->replicate = replicate;
    r->status = GB_STATUS_OK;
    r->verified = 1;
    r->time.n = 20;
    r->time.median = time;
    r->time.ci95[0] = time * 0.999;
    r->time.ci95[1] = time * 1.001;
    r->converged = true;
    if (!isnan(rate)) {
        r->n_metrics = 1;
        snprintf(r->metrics[0].name, sizeof r->metrics[0].name, "bandwidth");
        snprintf(r->metrics[0].unit, sizeof r->metrics[0].unit, "B/s");
        r->metrics[0].higher_is_better = true;
        r->metrics[0].value = rate;
        r->metrics[0].peak = NAN;
    }
    return r;
}

static inline void fixture_close(fixture *f)
{
    gb_results_free(&f->results);
}

/* The copy curve t = latency + n / bandwidth exactly, in two replicates. */
static inline void fixture_copies(fixture *f, const char *memory, double latency, double rate,
                                  uint32_t first_index)
{
    uint32_t index = first_index;
    for (double n = 1024; n <= 64.0 * 1024 * 1024; n *= 4, index++) {
        for (uint32_t r = 0; r < 2; r++) {
            char params[200];
            double t = (latency + n / rate * 1e9) * (r == 0 ? 0.999 : 1.001);
            snprintf(params, sizeof params,
                     "{\"bytes\": %.0f, \"direction\": \"h2d\", \"memory\": \"%s\", \"pieces\": 1}",
                     n, memory);
            fixture_add(f, "copy", "copy", params, index, r, t, n / t * 1e9);
        }
    }
}

#define COPY_PLOT                                                                                  \
    "[{\"type\": \"curve\", \"benchmark\": \"copy\", \"x\": \"bytes\", \"y\": \"bandwidth\", "     \
    "\"series\": [\"memory\"], \"title\": null}]"

#endif
