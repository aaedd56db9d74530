/* Findings about the roofline: where its ridge is, and what lies left of it. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "reports/findings.h"
#include "reports/roofs.h"

/* The type with which the sweep over intensity was measured; fp32 before fp64. */
static gb_compute swept(const gb_view *view)
{
    static const gb_compute order[] = {GB_COMPUTE_FP32, GB_COMPUTE_FP64};
    for (size_t o = 0; o < sizeof order / sizeof order[0]; o++)
        for (size_t i = 0; i < view->n; i++)
            if (gb_row_usable(&view->rows[i], "intensity") &&
                view->rows[i].first->work.compute == order[o])
                return order[o];
    return GB_COMPUTE_NONE;
}

static bool find_roofs(const gb_view *view, gb_compute *compute, gb_roofs *roofs)
{
    *compute = swept(view);
    if (*compute == GB_COMPUTE_NONE)
        return false;
    gb_roofs_find(view->results, view->rows, view->n, view->device, *compute, roofs);
    return roofs->memory > 0 && roofs->arithmetic > 0;
}

bool gb_finding_ridge(const gb_view *view, gb_buf *text)
{
    gb_compute compute;
    gb_roofs roofs;
    char memory[32], arithmetic[32];
    if (!find_roofs(view, &compute, &roofs))
        return false;
    gb_buf_printf(text,
                  "Memory delivers %s and the %s units do %s: code that does fewer than %.1f "
                  "operations with each byte waits for memory.",
                  gb_format_rate(roofs.memory, "B/s", memory, sizeof memory),
                  gb_compute_word(compute),
                  gb_format_rate(roofs.arithmetic, "FLOP/s", arithmetic, sizeof arithmetic),
                  roofs.arithmetic / roofs.memory);
    return true;
}

static bool said_before(const gb_view *view, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(view->rows[j].first->benchmark, view->rows[i].first->benchmark) == 0)
            return true;
    return false;
}

/* The highest intensity of a benchmark's cases with these units; NAN: none has any. */
static double most_intense(const gb_view *view, const char *benchmark, gb_compute compute)
{
    double most = NAN;
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (strcmp(row->first->benchmark, benchmark) == 0 && row->n_ok > 0 &&
            row->first->work.compute == compute)
            most = fmax(most, gb_row_intensity(row));
    }
    return most;
}

/* Benchmarks of which every case lies left of the ridge. */
bool gb_finding_memory_bound(const gb_view *view, gb_buf *text)
{
    gb_compute compute;
    gb_roofs roofs;
    size_t named = 0;
    if (!find_roofs(view, &compute, &roofs))
        return false;
    for (size_t i = 0; i < view->n; i++) {
        const char *name = view->rows[i].first->benchmark;
        double most = said_before(view, i) ? NAN : most_intense(view, name, compute);
        if (!(most < roofs.arithmetic / roofs.memory))
            continue;
        gb_buf_printf(text, "%s%s (%.2g FLOP/byte)",
                      named == 0 ? "Bound by memory, whatever their arithmetic costs: " : ", ",
                      name, most);
        named++;
    }
    gb_buf_add(text, named > 0 ? "." : "");
    return named > 0;
}
