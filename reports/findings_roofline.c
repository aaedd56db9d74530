/* Findings about the roofline: where its ridge is, and what lies left of it. */
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "reports/findings.h"
#include "reports/findings_say.h"
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

/* The roofs, and the ridge between them with what their two intervals leave open of it. */
static bool find_roofs(const gb_view *view, gb_compute *compute, gb_roofs *roofs,
                       gb_interval *ridge)
{
    gb_interval time, memory;
    *compute = swept(view);
    if (*compute == GB_COMPUTE_NONE)
        return false;
    gb_roofs_find(view->results, view->rows, view->n, view->device, *compute, roofs);
    if (roofs->memory_row == NULL || roofs->arithmetic_row == NULL ||
        !gb_row_firm(roofs->memory_row, "bandwidth") ||
        !gb_row_firm(roofs->arithmetic_row, "time") ||
        !gb_row_interval(roofs->memory_row, "bandwidth", &memory) ||
        !gb_row_interval(roofs->arithmetic_row, "time", &time))
        return false;
    const gb_interval rate = {.centre = roofs->arithmetic,
                              .low = roofs->arithmetic * time.centre / time.high,
                              .high = roofs->arithmetic * time.centre / time.low};
    *ridge = gb_interval_ratio(&rate, &memory, 1);
    return true;
}

/* Both rules are about the sweep over intensities where one was measured. */
static const gb_row *sweep_of(const gb_view *view, const gb_roofs *roofs)
{
    for (size_t i = 0; i < view->n; i++)
        if (gb_row_usable(&view->rows[i], "intensity"))
            return &view->rows[i];
    return roofs->arithmetic_row;
}

const gb_row *gb_finding_ridge(const gb_view *view, gb_buf *text)
{
    gb_compute compute;
    gb_roofs roofs;
    gb_interval at;
    char memory[32], arithmetic[32], ridge[96];
    if (!find_roofs(view, &compute, &roofs, &at))
        return NULL;
    gb_buf_printf(text, "Memory delivers %s",
                  gb_format_rate(roofs.memory, "B/s", memory, sizeof memory));
    gb_finding_roof_case(roofs.memory_row, text);
    gb_buf_printf(text,
                  " and the %s units do %s: code that does fewer than %s operations with each "
                  "byte waits for memory.",
                  gb_compute_word(compute),
                  gb_format_rate(roofs.arithmetic, "FLOP/s", arithmetic, sizeof arithmetic),
                  gb_say_number(&at, 1, ridge, sizeof ridge));
    return sweep_of(view, &roofs);
}

static bool said_before(const gb_view *view, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(view->rows[j].first->benchmark, view->rows[i].first->benchmark) == 0)
            return true;
    return false;
}

/* A benchmark's cases with these units whose data memory must serve: those of the cache have a
 * roof of their own. */
typedef struct part_left {
    double most;     /* highest intensity surely left of the ridge; NAN: none is */
    bool all, apart; /* all of them are left of it; their intensities differ */
} part_left;

static part_left left_of(const gb_view *view, const char *benchmark, gb_compute compute,
                         const gb_roofs *roofs, double ridge)
{
    part_left out = {.most = NAN, .all = true};
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        const double x = gb_row_intensity(row);
        if (strcmp(row->first->benchmark, benchmark) != 0 || row->n_ok == 0 ||
            row->first->work.compute != compute || !(x > 0) || gb_row_cached(row, roofs))
            continue;
        out.all = out.all && x < ridge;
        if (x < ridge) {
            out.apart = out.apart || (out.most > 0 && out.most != x);
            out.most = fmax(out.most, x);
        }
    }
    return out;
}

/* Benchmarks with cases left of the ridge, beyond the caches: "memory (0.25 FLOP/byte), sweep up to
 * 4 FLOP/byte". */
const gb_row *gb_finding_memory_bound(const gb_view *view, gb_buf *text)
{
    gb_compute compute;
    gb_roofs roofs;
    gb_interval at;
    char ridge[96];
    size_t named = 0;
    if (!find_roofs(view, &compute, &roofs, &at) || !(roofs.llc > 0))
        return NULL;
    for (size_t i = 0; i < view->n; i++) {
        const char *name = view->rows[i].first->benchmark;
        if (said_before(view, i))
            continue;
        const part_left left = left_of(view, name, compute, &roofs, at.low);
        if (!(left.most > 0))
            continue;
        if (named == 0)
            gb_buf_printf(text,
                          "Left of the ridge at %s FLOP/byte memory sets the limit, whatever "
                          "the arithmetic costs: ",
                          gb_say_number(&at, 1, ridge, sizeof ridge));
        gb_buf_printf(text, "%s%s (%s%.2g FLOP/byte)", named == 0 ? "" : ", ", name,
                      left.apart || !left.all ? "up to " : "", left.most);
        named++;
    }
    gb_buf_add(text, named > 0 ? "." : "");
    return named > 0 ? sweep_of(view, &roofs) : NULL;
}
