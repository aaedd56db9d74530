/* libFuzzer target: any bytes as a suite. Whatever they are, the loader ends with a suite or with
 * messages; a suite can be planned, selected from, overridden and printed.
 *
 * Built with clang -fsanitize=fuzzer (target fuzz_suite, see suite.cmake) it explores; with
 * replay.c it runs the files and folders it is given (ctest). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "suite/plan.h"
#include "unit/suite_catalog.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
    if (!truth)
        abort();
}

static void plan(const gb_suite *suite, gb_device_kind kind)
{
    static const char *const filters[] = {"*a*", "a"};
    gb_selection selection = {.seed = 1};
    gb_plan *made = NULL;
    gb_error err = {0};
    if (gb_plan_make(suite, kind, &selection, &made, &err) == GB_OK) {
        uint32_t *order = calloc(made->n_cases, sizeof *order);
        require(made->n_cases > 0 && order != NULL);
        require(gb_plan_order(made, 0, order) == made->n_cases);
        require(gb_plan_estimate_ns(made) <= gb_plan_limit_ns(made));
        gb_plan_largest_need(made);
        free(order);
        gb_plan_free(made);
    } else {
        require(made == NULL && err.message[0] != '\0');
    }
    selection.filters = filters;
    selection.n_filters = 2;
    if (gb_plan_make(suite, kind, &selection, &made, NULL) == GB_OK)
        gb_plan_free(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gb_diagnostics diagnostics = {0};
    gb_suite *suite = NULL;
    gb_error err = {0};
    gb_code code = gb_suite_parse("fuzz.yaml", (const char *)data, size, test_catalog(), &suite,
                                  &diagnostics, &err);
    char *text = gb_diagnostics_text(&diagnostics);
    require(text != NULL);
    if (code == GB_OK) {
        require(suite != NULL && diagnostics.n == 0 && suite->n_benchmarks > 0);
        plan(suite, GB_CPU);
        plan(suite, GB_CUDA);
        gb_suite_override(suite, "a.bytes=1KiB,{,", NULL);
        gb_suite_override(suite, "a.n=8,16", NULL);
    } else {
        require(code == GB_INVALID && suite == NULL && diagnostics.n > 0 && text[0] != '\0');
    }
    free(text);
    gb_suite_free(suite);
    gb_diagnostics_free(&diagnostics);
    return 0;
}
