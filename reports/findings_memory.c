/* Findings on memory: what a stride wastes, and how much faster the last cache is. */
#include "reports/findings.h"

#include <math.h>

#include "base/units.h"
#include "reports/findings_say.h"
#include "reports/roofs.h"

static double bandwidth(const gb_row *row)
{
    const char *unit;
    bool higher;
    return gb_row_metric(row, "bandwidth", &unit, &higher);
}

/* A strided (or, for stride 1, also a coalesced) access with a bandwidth. */
static bool is_strided(const gb_row *row, double *stride)
{
    if (!gb_row_usable(row, "access") || !(bandwidth(row) > 0)) {
        return false;
    }
    *stride = 1;
    return gb_row_word_is(row, "pattern", "coalesced") ||
           (gb_row_word_is(row, "pattern", "strided") && gb_row_number(row, "stride", stride));
}

/* Stride 8, with which one 4-byte element of a 32-byte sector is used; else the largest below, else
 * the smallest above. */
static double rank(double stride)
{
    return stride <= 8 ? stride : 1 / stride;
}

static const gb_row *telling_stride(const gb_view *view)
{
    const gb_row *found = NULL;
    double best = 0, stride = 1;
    for (size_t i = 0; i < view->n; i++) {
        if (is_strided(&view->rows[i], &stride) && stride > 1 && rank(stride) > best) {
            found = &view->rows[i];
            best = rank(stride);
        }
    }
    return found;
}

/* Counted, from the sectors of 32 bytes that the threads of a warp touch: for GPUs. */
const gb_row *gb_finding_stride_waste(const gb_view *view, gb_buf *text)
{
    const gb_row *row = view->cpu ? NULL : telling_stride(view), *straight = NULL;
    double stride = 1, other = 0, elements = 0;
    if (row == NULL || row->first->work.bytes_sectors <= row->first->work.bytes_moved ||
        !gb_row_number(row, "elements", &elements) || !gb_row_firm(row, "bandwidth")) {
        return NULL;
    }
    is_strided(row, &stride);
    for (size_t i = 0; i < view->n; i++) {
        if (is_strided(&view->rows[i], &other) && other == 1 &&
            gb_row_number_is(&view->rows[i], "elements", elements) &&
            view->rows[i].first->cache == row->first->cache) {
            straight = &view->rows[i];
        }
    }
    char slow[32], fast[96];
    const gb_work *work = &row->first->work;
    gb_buf_printf(
        text,
        "Stride %.0f wastes %.0f %% of the bytes moved (whole sectors of 32 bytes): %s of "
        "useful data from %.0f elements",
        stride, 100 * (1 - (double)work->bytes_moved / (double)work->bytes_sectors),
        gb_format_rate(bandwidth(row), "B/s", slow, sizeof slow), elements);
    if (straight != NULL && gb_rows_differ(view->results, row, straight, "bandwidth")) {
        gb_buf_printf(text, " against %s in order",
                      gb_say_figure(straight, "bandwidth", fast, sizeof fast));
    }
    gb_buf_add(text, ".");
    return row;
}

/* Which case a roof is from: of several sizes each has a rate of its own. */
void gb_finding_roof_case(const gb_row *row, gb_buf *text)
{
    const char *op = gb_row_word(row, "op");
    char size[64];
    gb_buf_printf(text, " (%s%s%s)", op != NULL ? op : "", op != NULL ? " over " : "",
                  gb_format_bytes(row->first->work.working_set, size, sizeof size));
}

const gb_row *gb_finding_cache_against_memory(const gb_view *view, gb_buf *text)
{
    gb_roofs roofs;
    gb_roofs_find(view->results, view->rows, view->n, view->device, GB_COMPUTE_NONE, &roofs);
    if (!(roofs.cache > 0) || !(roofs.memory > 0) ||
        !gb_rows_differ(view->results, roofs.cache_row, roofs.memory_row, "bandwidth")) {
        return NULL;
    }
    char cache[96], memory[96], factor[96];
    gb_buf_add(text, "The last cache");
    gb_finding_roof_case(roofs.cache_row, text);
    gb_buf_printf(text, " delivers %s, memory",
                  gb_say_figure(roofs.cache_row, "bandwidth", cache, sizeof cache));
    gb_finding_roof_case(roofs.memory_row, text);
    gb_buf_printf(text, " %s", gb_say_figure(roofs.memory_row, "bandwidth", memory, sizeof memory));
    gb_buf_printf(
        text, ": a factor of %s.",
        gb_say_ratio(roofs.cache_row, roofs.memory_row, "bandwidth", 1, 1, factor, sizeof factor));
    return roofs.memory_row;
}
