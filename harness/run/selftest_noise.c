/* The A/A noise floor, measured like any suite: in worker processes, planned and supervised. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "run/selftest.h"

static const char suite_text[] = "gpubench: 1\n"
                                 "name: selftest\n"
                                 "title: The same thing measured in fresh processes\n"
                                 "budget: 12s\n"
                                 "defaults:\n"
                                 "  replicates: 12\n"
                                 "  samples: {min: 10, max: 1000}\n"
                                 "  warmup: 100ms\n"
                                 "  timeout: 60s\n"
                                 "benchmarks:\n"
                                 "  - name: noop\n"
                                 "    kernel: noop\n"
                                 "    measure: {timer: roundtrip}\n"
                                 "  - name: triad\n"
                                 "    kernel: stream\n"
                                 "    axes:\n"
                                 "      op: triad\n"
                                 "      bytes: {cuda: 256MiB, cpu: 16MiB}\n";

#define MAX_CASES 4

typedef struct collector {
    const gb_supervise *how; /* the caller's */
    struct {
        char id[96];
        double medians[GB_NOISE_REPLICATES];
        size_t n;
    } cases[MAX_CASES];
    size_t n;
} collector;

/* Keeps the medians, then passes the record on to the caller's own store. */
static gb_code collect(void *user, const gb_record *record, gb_error *err)
{
    collector *all = user;
    size_t i = 0;
    while (i < all->n && strcmp(all->cases[i].id, record->case_id) != 0)
        i++;
    if (i < MAX_CASES) {
        if (i == all->n) {
            snprintf(all->cases[i].id, sizeof all->cases[i].id, "%s", record->case_id);
            all->n++;
        }
        size_t n = all->cases[i].n;
        if (record->status == GB_STATUS_OK && record->time.median > 0 && n < GB_NOISE_REPLICATES)
            all->cases[i].medians[all->cases[i].n++] = record->time.median;
    }
    return all->how->store ? all->how->store(all->how->store_user, record, err) : GB_OK;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double gb_noise_of(const double medians[], size_t n)
{
    size_t count = 0, pairs = n * (n > 0 ? n - 1 : 0) / 2;
    double *gaps = pairs > 0 ? calloc(pairs, sizeof *gaps) : NULL;
    if (!gaps)
        return NAN;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            gaps[count++] = fabs(log(medians[i] / medians[j]));
    qsort(gaps, count, sizeof gaps[0], compare_doubles);
    size_t rank = (99 * count + 99) / 100; /* ceil(0.99 count), from 1 */
    double gap = gaps[rank - 1];
    free(gaps);
    return expm1(gap);
}

static void conclude(const collector *all, gb_noise *out)
{
    *out = (gb_noise){.floor = NAN, .replicates = all->n > 0 ? SIZE_MAX : 0};
    for (size_t i = 0; i < all->n; i++) {
        double floor = gb_noise_of(all->cases[i].medians, all->cases[i].n);
        if (all->cases[i].n < out->replicates)
            out->replicates = all->cases[i].n;
        if (!isnan(floor) && !(floor <= out->floor)) {
            out->floor = floor;
            memcpy(out->worst, all->cases[i].id, sizeof out->worst);
        }
    }
}

gb_code gb_selftest_noise(const gb_supervise *how, gb_noise *out, gb_error *err)
{
    gb_suite *suite = NULL;
    gb_plan *plan = NULL;
    gb_diagnostics diagnostics = {0};
    gb_selection everything = {.replicates = GB_NOISE_REPLICATES, .seed = 1};
    collector all = {.how = how};
    gb_supervise mine = *how;
    mine.store = collect;
    mine.store_user = &all;
    mine.have = NULL;
    *out = (gb_noise){.floor = NAN};
    gb_code code = gb_suite_parse("selftest", suite_text, sizeof suite_text - 1,
                                  gb_kernel_catalog(), &suite, &diagnostics, err);
    if (!code)
        code = gb_plan_make(suite, how->kind, &everything, &plan, err);
    if (!code)
        code = gb_supervise_plan(&mine, plan, err);
    conclude(&all, out);
    if (plan)
        gb_plan_free(plan);
    if (suite)
        gb_suite_free(suite);
    gb_diagnostics_free(&diagnostics);
    return code;
}
