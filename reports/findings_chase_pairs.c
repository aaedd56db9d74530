/* Findings on the kernel chase that hold two cases against each other: what pages cost sparse
 * nodes, and other memories against the device's own. What both files share is here too. */
#include "reports/findings_chase.h"
#include "reports/findings_say.h"

#include "base/json.h"
#include "base/units.h"

bool gb_chase_is(const gb_row *row, const char *space)
{
    return gb_row_usable(row, "chase") && gb_row_word_is(row, "space", space) &&
           gb_row_param(row, "bytes") > 0 && gb_row_param(row, "node") > 0;
}

gb_code gb_chase_add(const gb_view *view, const gb_row *about, const char *rule, gb_buf *text,
                     json_t *figures, json_t *findings, gb_error *err)
{
    gb_code code = figures != NULL ? gb_finding_add(findings, view, about, rule, text, figures, err)
                                   : gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
    gb_buf_free(text);
    return code;
}

static double nodes(const gb_row *row)
{
    return gb_row_param(row, "bytes") / gb_row_param(row, "node");
}

/* --- sparse nodes ----------------------------------------------------------------------------- */

/* As many nodes side by side. */
static const gb_row *dense_peer(const gb_view *view, const gb_row *sparse)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *row = &view->rows[i];
        if (gb_chase_is(row, "device") && gb_row_param(row, "node") == GB_CHASE_DENSE &&
            nodes(row) == nodes(sparse) && row->first->timer == sparse->first->timer)
            return row;
    }
    return NULL;
}

/* The last of a node's sizes that has a peer. */
static bool is_largest(const gb_view *view, const gb_row *row)
{
    for (size_t i = 0; i < view->n; i++) {
        const gb_row *other = &view->rows[i];
        if (gb_chase_is(other, "device") &&
            gb_row_param(other, "node") == gb_row_param(row, "node") &&
            gb_row_param(other, "bytes") > gb_row_param(row, "bytes") &&
            dense_peer(view, other) != NULL)
            return false;
    }
    return true;
}

static gb_code say_sparse(const gb_view *view, const gb_row *sparse, const gb_row *dense,
                          json_t *findings, gb_error *err)
{
    char apart[32], room[32], little[32], slow[96], fast[96], factor[96];
    const gb_contrast contrast = gb_rows_contrast(view->results, sparse, dense, "latency");
    if (contrast == GB_CONTRAST_UNKNOWN)
        return GB_OK;
    gb_buf text = {0};
    gb_buf_printf(&text,
                  "A chain through %.0f nodes takes %s a load where each lies %s from the next (%s "
                  "in all) and %s where they lie side by side (%s)",
                  nodes(sparse), gb_say_figure(sparse, "latency", slow, sizeof slow),
                  gb_format_bytes((uint64_t)gb_row_param(sparse, "node"), apart, sizeof apart),
                  gb_format_bytes((uint64_t)gb_row_param(sparse, "bytes"), room, sizeof room),
                  gb_say_figure(dense, "latency", fast, sizeof fast),
                  gb_format_bytes((uint64_t)gb_row_param(dense, "bytes"), little, sizeof little));
    if (contrast == GB_CONTRAST_DIFFERENT)
        gb_buf_printf(&text, ": a factor of %s for the same amount of data.",
                      gb_say_ratio(sparse, dense, "latency", 1, 2, factor, sizeof factor));
    else
        gb_buf_add(&text, ", no difference that can be told from noise.");
    return gb_chase_add(view, sparse, "sparse-pages", &text,
                        json_pack("{s:f, s:f, s:o, s:o}", "nodes", nodes(sparse), "node_bytes",
                                  gb_row_param(sparse, "node"), "latency_ns",
                                  gb_json_real(gb_row_value(sparse, "latency")), "dense_latency_ns",
                                  gb_json_real(gb_row_value(dense, "latency"))),
                        findings, err);
}

static gb_code sparse(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        const gb_row *row = &view->rows[i];
        if (!gb_chase_is(row, "device") || gb_row_param(row, "node") <= GB_CHASE_DENSE)
            continue;
        const gb_row *dense = dense_peer(view, row);
        if (dense != NULL && is_largest(view, row))
            code = say_sparse(view, row, dense, findings, err);
    }
    return code;
}

/* --- other memories --------------------------------------------------------------------------- */

static gb_code say_space(const gb_view *view, const char *space, const char *rule,
                         const char *where, json_t *findings, gb_error *err)
{
    const gb_row *other = NULL, *own = NULL;
    for (size_t i = 0; i < view->n; i++)
        for (size_t j = 0; gb_chase_is(&view->rows[i], space) && j < view->n; j++) {
            const gb_row *a = &view->rows[i], *b = &view->rows[j];
            if (gb_chase_is(b, "device") && gb_row_param(a, "node") == gb_row_param(b, "node") &&
                gb_row_param(a, "bytes") == gb_row_param(b, "bytes") &&
                a->first->timer == b->first->timer &&
                (other == NULL || gb_row_param(a, "bytes") > gb_row_param(other, "bytes"))) {
                other = a;
                own = b;
            }
        }
    if (other == NULL || !gb_rows_differ(view->results, other, own, "latency"))
        return GB_OK;
    char size[32], its[96], devices[96];
    gb_buf text = {0};
    gb_buf_printf(&text,
                  "One load at a time takes %s from %s and %s from the device's memory and "
                  "its caches, both from %s.",
                  gb_say_figure(other, "latency", its, sizeof its), where,
                  gb_say_figure(own, "latency", devices, sizeof devices),
                  gb_format_bytes((uint64_t)gb_row_param(other, "bytes"), size, sizeof size));
    return gb_chase_add(view, other, rule, &text,
                        json_pack("{s:f, s:o, s:o}", "bytes", gb_row_param(other, "bytes"),
                                  "latency_ns", gb_json_real(gb_row_value(other, "latency")),
                                  "device_latency_ns", gb_json_real(gb_row_value(own, "latency"))),
                        findings, err);
}

gb_code gb_findings_chase_pairs(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = sparse(view, findings, err);
    if (code == GB_OK)
        code = say_space(view, "shared", "shared-latency", "shared memory", findings, err);
    if (code == GB_OK)
        code = say_space(view, "host", "bus-latency", "the host's memory across the bus", findings,
                         err);
    return code;
}
