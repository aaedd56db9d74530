/* Machines made in memory, for the tests of what stands side by side. */
#ifndef GB_TESTS_MATRIX_FIXTURE_H
#define GB_TESTS_MATRIX_FIXTURE_H

#include <math.h>

#include "reports/matrix/matrix.h"
#include "unit/compare_fixture.h"

#define CLOSE(a, b) ck_assert_double_eq_tol((a), (b), 1e-9 * fabs((double)(b)))

enum { MOST = 4 };
typedef struct machines {
    made_run runs[MOST];
    gb_matrix_run given[MOST];
    size_t n;
    gb_matrix matrix;
} machines;

static inline made_run *add_machine(machines *all, const char *path, const char *device)
{
    made_run *run = &all->runs[all->n];
    *run = run_open(path, device);
    json_object_set_new(json_object_get(run->results.document, "suite"), "classes", json_array());
    json_object_set_new(json_array_get(json_object_get(run->results.document, "devices"), 0),
                        "uuid", json_string(path)); /* a unit each */
    all->given[all->n] = (gb_matrix_run){.results = &run->results, .path = path};
    all->n++;
    return run;
}

/* A class of cases "NAME[n=0]", "NAME[n=1]", ... of a metric. */
static inline void add_class(made_run *run, const char *name, const char *benchmark, int cases,
                             const char *metric, const char *unit, const char *better)
{
    json_t *list = json_array();
    for (int i = 0; i < cases; i++) {
        char *id = gb_text_format("%s[n=%d]", benchmark, i);
        json_array_append_new(list, json_pack("{s:s, s:s}", "case", id, "metric", metric));
        free(id);
    }
    json_array_append_new(
        json_object_get(json_object_get(run->results.document, "suite"), "classes"),
        json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", name, "title", name, "unit", unit, "better",
                  better, "cases", list));
}

static inline void add_rates_class(made_run *run, const char *name, const char *benchmark,
                                   int cases)
{
    add_class(run, name, benchmark, cases, "bandwidth", "B/s", "higher");
}

static inline void rates(made_run *run, const char *benchmark, int n, size_t replicates,
                         const double values[])
{
    for (size_t i = 0; i < replicates; i++) {
        gb_record *r = run_add(run, benchmark, n, (uint32_t)i, 1e15 / values[i]);
        run_metric(r, "bandwidth", "B/s", true, values[i]);
    }
}

static inline void open_all(machines *all)
{
    gb_error err = {0};
    gb_code code = gb_matrix_open(all->given, all->n, &all->matrix, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
}

static inline void price(machines *all, const char *text)
{
    gb_error err = {0};
    gb_code code = gb_matrix_price(&all->matrix, text, &err);
    ck_assert_msg(code == GB_OK, "%s", err.message);
}

static inline void fill(machines *all)
{
    gb_error err = {0};
    ck_assert_int_eq(gb_matrix_fill(&all->matrix, &err), GB_OK);
}

static inline void close_all(machines *all)
{
    gb_matrix_free(&all->matrix);
    for (size_t i = 0; i < all->n; i++) {
        gb_results_free(&all->runs[i].results);
    }
}

static inline char *text_of(const machines *all)
{
    gb_buf out = {0};
    gb_error err = {0};
    char *text = NULL;
    ck_assert_int_eq(gb_matrix_text(&all->matrix, false, &out, &err), GB_OK);
    ck_assert_int_eq(gb_buf_take(&out, &text, &err), GB_OK);
    return text;
}

/* Two cases, 3 and 4 replicates each; b is slower. */
static inline void two_machines(machines *all)
{
    static const double a0[] = {100e9, 101e9, 102e9}, a1[] = {50e9, 52e9, 51e9, 50.5e9};
    static const double b0[] = {80e9, 81e9, 82e9}, b1[] = {60e9, 61e9, 59e9, 60.5e9};
    memset(all, 0, sizeof *all);
    made_run *a = add_machine(all, "runs/a", GPU), *b = add_machine(all, "runs/b/", GPU);
    add_rates_class(a, "moving", "c", 2);
    add_rates_class(b, "moving", "c", 2);
    rates(a, "c", 0, 3, a0);
    rates(a, "c", 1, 4, a1);
    rates(b, "c", 0, 3, b0);
    rates(b, "c", 1, 4, b1);
}

#endif
