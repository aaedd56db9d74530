/* The two runs that a test of comparisons fills: `a` is the baseline, `b` the new one. */
#ifndef GB_TESTS_COMPARE_RUNS_FIXTURE_H
#define GB_TESTS_COMPARE_RUNS_FIXTURE_H

#include "unit/compare_fixture.h"

static made_run a, b;

static inline void open_runs(void)
{
    a = run_open("a", GPU);
    b = run_open("b", GPU);
}

/* The same as halves of one measurement in turns. */
static inline void open_pair(void)
{
    open_runs();
    run_pair(&a, &b);
}

static inline void close_runs(void)
{
    runs_close(&a, &b);
}

/* A case of both runs, with its time in each. */
static inline void both_times(const char *benchmark, int n, uint32_t replicates, double time_a,
                              double time_b, double spread)
{
    run_case(&a, benchmark, n, replicates, time_a, spread);
    run_case(&b, benchmark, n, replicates, time_b, spread);
}

static inline void both_rates(const char *benchmark, int n, uint32_t replicates, double rate_a,
                              double rate_b, double spread)
{
    run_rates(&a, benchmark, n, replicates, rate_a, spread);
    run_rates(&b, benchmark, n, replicates, rate_b, spread);
}

/* A case that is the same in both. */
static inline void both(const char *benchmark, int n)
{
    both_times(benchmark, n, 3, 100, 100, 0.001);
}

/* The benchmark (NULL: every one) is defined otherwise in that run. */
static inline void redefine(made_run *run, const char *benchmark)
{
    for (size_t i = 0; i < run->results.n; i++) {
        gb_record *r = &run->results.records[i];
        if (benchmark == NULL || strcmp(r->benchmark, benchmark) == 0) {
            r->definition[0] = 'f';
        }
    }
}

static inline char *text_of(const gb_comparison *c, bool all)
{
    gb_buf out = {0};
    char *text = NULL;
    ck_assert_int_eq(gb_comparison_text(c, all, false, &out, NULL), GB_OK);
    ck_assert_int_eq(gb_buf_take(&out, &text, NULL), GB_OK);
    return text;
}

static inline json_t *device_of(made_run *run)
{
    return json_array_get(json_object_get(run->results.document, "devices"), 0);
}

static inline const gb_compared *find(const gb_comparison *c, const char *case_id)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->items[i].case_id, case_id) == 0) {
            return &c->items[i];
        }
    }
    ck_abort_msg("%s is not there", case_id);
    return NULL;
}

static inline bool warned(const gb_comparison *c, const char *code, const char *part)
{
    size_t i;
    const json_t *warning;
    json_array_foreach(c->warnings, i, warning)
    {
        if (strcmp(json_string_value(json_object_get(warning, "code")), code) == 0) {
            says(json_string_value(json_object_get(warning, "text")), part);
            return true;
        }
    }
    return false;
}

#endif
