/* Two runs made in memory, for the tests of comparisons. */
#ifndef GB_TESTS_COMPARE_FIXTURE_H
#define GB_TESTS_COMPARE_FIXTURE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/compare/compare.h"
#include "unit/check_main.h"

typedef struct made_run {
    gb_results results;
    size_t capacity;
} made_run;

#define GPU                                                                                        \
    "{\"id\": 0, \"kind\": \"cuda\", \"name\": \"Example 9000\", \"uuid\": \"GPU-1\", \"units\": " \
    "132, \"ecc\": true, \"driver\": \"580.10\", \"runtime\": \"13.0\"}"

/* A run of the device (JSON). Free with gb_results_free. */
static inline made_run run_open(const char *id, const char *device)
{
    made_run run = {.capacity = 64};
    json_t *info = json_loads(device, 0, NULL);
    ck_assert_ptr_nonnull(info);
    run.results.records = calloc(run.capacity, sizeof run.results.records[0]);
    run.results.complete = true;
    run.results.document = json_pack(
        "{s:{s:s, s:s}, s:{s:s, s:s}, s:{s:s, s:{}, s:{}}, s:{}, s:[o]}", "tool", "version",
        "0.1.0", "git", "abc", "run", "id", id, "started", "2026-01-15T10:15:00Z", "suite", "name",
        "made up", "gates", "aliases", "host", "devices", info);
    ck_assert_ptr_nonnull(run.results.document);
    return run;
}

/* An ok record of BENCHMARK[n=N] with that median. */
static inline gb_record *run_add(made_run *run, const char *benchmark, int n, uint32_t replicate,
                                 double median)
{
    if (run->results.n == run->capacity) {
        run->capacity *= 2;
        run->results.records =
            realloc(run->results.records, run->capacity * sizeof run->results.records[0]);
        ck_assert_ptr_nonnull(run->results.records);
    }
    gb_record *r = &run->results.records[run->results.n++];
    gb_record_init(r);
    r->case_id = gb_text_format("%s[n=%d]", benchmark, n);
    r->benchmark = gb_text_copy(benchmark);
    r->kernel = gb_text_copy("copy");
    r->params = json_pack("{s:i}", "n", n);
    snprintf(r->definition, sizeof r->definition, "%064d", n);
    r->index = (uint32_t)n;
    r->replicate = replicate;
    r->status = GB_STATUS_OK;
    r->verified = 1;
    r->iterations_per_sample = 1;
    r->time.n = 20;
    r->time.median = median;
    return r;
}

static inline void run_metric(gb_record *r, const char *name, const char *unit, bool higher,
                              double value)
{
    gb_metric *m = &r->metrics[r->n_metrics++];
    *m = (gb_metric){.higher_is_better = higher, .value = value, .peak = (double)NAN};
    snprintf(m->name, sizeof m->name, "%s", name);
    snprintf(m->unit, sizeof m->unit, "%s", unit);
}

/* `replicates` of one case, their medians `spread` (a fraction) apart around `median`. */
static inline void run_case(made_run *run, const char *benchmark, int n, uint32_t replicates,
                            double median, double spread)
{
    for (uint32_t i = 0; i < replicates; i++) {
        double off = replicates > 1 ? 2.0 * i / (replicates - 1) - 1 : 0;
        run_add(run, benchmark, n, i, median * exp(spread * off));
    }
}

/* The same with a metric in place of the time. */
static inline void run_rates(made_run *run, const char *benchmark, int n, uint32_t replicates,
                             double rate, double spread)
{
    size_t from = run->results.n;
    run_case(run, benchmark, n, replicates, 1e15 / rate, spread);
    for (size_t i = from; i < run->results.n; i++) {
        gb_record *r = &run->results.records[i];
        run_metric(r, "bandwidth", "B/s", true, 1e15 / r->time.median);
    }
}

static inline void run_gate(made_run *run, const char *benchmark, const char *metric, double worse)
{
    json_t *gates = json_object_get(json_object_get(run->results.document, "suite"), "gates");
    json_object_set_new(gates, benchmark,
                        json_pack("{s:s, s:f}", "metric", metric, "worse", worse));
}

/* Marks the two as halves of one measurement in turns. */
static inline void run_pair(made_run *a, made_run *b)
{
    json_object_set_new(json_object_get(a->results.document, "run"), "pair",
                        json_pack("{s:s, s:s}", "id", "pair 1", "role", "baseline"));
    json_object_set_new(json_object_get(b->results.document, "run"), "pair",
                        json_pack("{s:s, s:s}", "id", "pair 1", "role", "new"));
}

static inline void run_fail(gb_record *r, gb_status status, const char *why)
{
    gb_error err;
    gb_fail(&err, GB_DEVICE_ERROR, "%s", why);
    gb_record_fail(r, status, &err);
}

/* Compares and expects it to work. */
static inline gb_comparison compared_with(const made_run *a, const made_run *b,
                                          const gb_results others[], size_t n,
                                          gb_compare_options how)
{
    gb_comparison c;
    gb_error err = {0};
    gb_code code = gb_compare_results(&a->results, &b->results, others, n, &how, &c, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
    return c;
}

static inline gb_comparison compared(const made_run *a, const made_run *b)
{
    return compared_with(a, b, NULL, 0, (gb_compare_options)GB_COMPARE_DEFAULTS);
}

/* Compares and expects an error of that code that says `part`. */
static inline void refused(const made_run *a, const made_run *b, gb_compare_options how,
                           gb_code code, const char *part)
{
    gb_comparison c;
    gb_error err = {0};
    ck_assert_int_eq(gb_compare_results(&a->results, &b->results, NULL, 0, &how, &c, &err), code);
    ck_assert_msg(strstr(err.message, part) != NULL, "'%s' is not in: %s", part, err.message);
    gb_comparison_free(&c);
}

static inline void runs_close(made_run *a, made_run *b)
{
    gb_results_free(&a->results);
    gb_results_free(&b->results);
}

static inline void says(const char *text, const char *part)
{
    ck_assert_msg(text != NULL && strstr(text, part) != NULL, "'%s' is not in: %s", part,
                  text != NULL ? text : "(nothing)");
}

static inline bool near(double got, double want, double tolerance)
{
    return fabs(got - want) <= tolerance;
}

#define HOW(...)                                                                                   \
    ((gb_compare_options){.threshold = (double)NAN, .suspicious = (double)NAN, __VA_ARGS__})

#endif
