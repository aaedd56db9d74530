/* Findings on the kernel chase: the levels of the memory hierarchy in its ladders. */
#include "reports/findings_chase.h"
#include "reports/findings_say.h"
#include "reports/hierarchy.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/units.h"

#define MOST_RUNGS 256
#define LEAST_RUNGS 6

/* A row's latency by the fastest sample of all replicates: what disturbs a chase makes it longer.
 * NAN: none went well. */
static double fastest(const gb_row *row)
{
    double least = NAN;
    for (size_t i = 0; i < row->n; i++) {
        const gb_record *record = row->replicates[i];
        const gb_metric *latency = gb_record_metric(record, "latency");
        if (record->status != GB_STATUS_OK || latency == NULL)
            continue;
        const double share = record->time.min / record->time.median;
        least = fmin(least, latency->value * (share > 0 && share < 1 ? share : 1));
    }
    return least;
}

/* "34 KiB": two digits, as sizes between two rungs are known no better. */
static const char *about(double bytes, char *buf, size_t size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    char digits[96];
    size_t u = 0;
    while (u < 3 && bytes >= 1023.5) {
        bytes /= 1024;
        u++;
    }
    gb_buf text = {0};
    gb_buf_printf(&text, "%s %s", gb_say_two_digits(bytes, digits, sizeof digits), units[u]);
    snprintf(buf, size, "%s", text.data != NULL ? text.data : "");
    gb_buf_free(&text);
    return buf;
}

/* --- the ladder ------------------------------------------------------------------------------- */

typedef struct level {
    const char *name;
    const gb_row *row; /* whose latency is said; NULL: none is known well enough */
    double end;        /* bytes; NAN: not seen */
    double between[2]; /* the rungs around its end; NAN: none */
    double named;      /* size by the system; 0: not known */
    bool slope;        /* it has no tread */
    bool last, memory;
} level;

typedef struct hierarchy {
    const gb_view *view;
    const gb_row *rows[MOST_RUNGS];
    gb_rung rungs[MOST_RUNGS];
    size_t n;
    gb_tread treads[GB_MOST_TREADS];
    size_t n_treads, memory; /* memory: the tread that is memory's; n_treads: none is */
    gb_named_level names[3];
    size_t n_names;
    level levels[GB_MOST_TREADS + 1];
    size_t n_levels;
} hierarchy;

static int by_bytes(const void *a, const void *b)
{
    const double x = gb_row_param(*(const gb_row *const *)a, "bytes");
    const double y = gb_row_param(*(const gb_row *const *)b, "bytes");
    return (x > y) - (x < y);
}

static bool alike(const gb_row *a, const gb_row *b)
{
    static const char *const without[] = {"bytes", NULL};
    return gb_rows_alike(a, b, without);
}

static void collect(hierarchy *h, const gb_row *first)
{
    for (size_t i = 0; i < h->view->n && h->n < MOST_RUNGS; i++) {
        const gb_row *row = &h->view->rows[i];
        if (gb_chase_is(row, "device") && !gb_row_spoiled(row) && alike(first, row) &&
            fastest(row) > 0)
            h->rows[h->n++] = row;
    }
    qsort(h->rows, h->n, sizeof h->rows[0], by_bytes);
    for (size_t i = 0; i < h->n; i++)
        h->rungs[i] = (gb_rung){gb_row_param(h->rows[i], "bytes"), fastest(h->rows[i])};
}

static double fact(const gb_view *view, const char *key)
{
    return json_number_value(json_object_get(gb_view_facts(view), key));
}

/* The caches that the device should have. The first cache of a GPU has no size that the driver
 * would tell. */
static void expect_levels(hierarchy *h)
{
    const double l2 = fact(h->view, "l2_bytes"), llc = fact(h->view, "llc_bytes");
    if (!h->view->cpu) {
        h->names[h->n_names++] = (gb_named_level){"L1", 0};
        h->names[h->n_names++] = (gb_named_level){"L2", llc};
        return;
    }
    h->names[h->n_names++] = (gb_named_level){"L1", fact(h->view, "l1d_bytes")};
    h->names[h->n_names++] = (gb_named_level){"L2", l2};
    if (!(l2 > 0) || llc != l2)
        h->names[h->n_names++] = (gb_named_level){"the last cache", llc};
}

/* Memory is what begins beyond twice the last cache's size; or what ends nowhere, when the ladder
 * reaches so far or has more treads than there are caches. */
static void find_memory(hierarchy *h)
{
    const double llc = fact(h->view, "llc_bytes");
    h->memory = h->n_treads;
    for (size_t k = 1; k < h->n_treads; k++) {
        if (llc > 0 && h->rungs[h->treads[k].first].bytes > 2 * llc) {
            h->memory = k;
            return;
        }
    }
    const bool far = h->rungs[h->n - 1].bytes >= 2 * llc || h->n_treads > h->n_names;
    if (h->n_treads > 1 && far && isnan(h->treads[h->n_treads - 1].end))
        h->memory = h->n_treads - 1;
}

/* The row that stands for a tread: of those whose latency is firm the one nearest to it, otherwise
 * the one that is known best. NULL: none is near it, all were disturbed. */
static const gb_row *best_known(const hierarchy *h, const gb_tread *tread)
{
    const gb_row *best = NULL;
    double least = INFINITY, narrowest = INFINITY;
    for (size_t i = tread->first; i <= tread->last; i++) {
        gb_interval latency;
        if (!gb_row_interval(h->rows[i], "latency", &latency))
            continue;
        const double off = fabs(log(latency.centre / tread->ns));
        const double width = gb_row_firm(h->rows[i], "latency") ? 0 : latency.high / latency.low;
        if (off > log(GB_TREAD_FLAT) || width > narrowest || (width == narrowest && off >= least))
            continue;
        least = off;
        narrowest = width;
        best = h->rows[i];
    }
    return best;
}

static void add_level(hierarchy *h, const gb_tread *tread, const gb_named_level *name)
{
    level *l = &h->levels[h->n_levels++];
    *l = (level){.name = name != NULL ? name->name : "a further level",
                 .row = best_known(h, tread),
                 .end = tread->end,
                 .between = {NAN, NAN},
                 .named = name != NULL ? name->bytes : 0,
                 .last = name == &h->names[h->n_names - 1]};
    if (isfinite(tread->end)) {
        l->between[0] = h->rungs[tread->beyond - 1].bytes;
        l->between[1] = h->rungs[tread->beyond].bytes;
    }
}

/* A last cache that has no tread, since others take part of it: its end is where loads take as long
 * as the geometric mean of the levels on both sides. */
static void add_slope(hierarchy *h)
{
    const gb_tread *below = &h->treads[h->memory - 1], *memory = &h->treads[h->memory];
    const gb_named_level *name = &h->names[h->n_names - 1];
    h->levels[h->n_levels++] =
        (level){.name = name->name,
                .end = gb_hierarchy_slope(h->rungs, h->n, below->ns, memory->ns),
                .between = {NAN, NAN},
                .named = name->bytes,
                .slope = true,
                .last = true};
}

static bool find_levels(hierarchy *h)
{
    double ends[GB_MOST_TREADS];
    int names[GB_MOST_TREADS];
    h->n_treads = gb_hierarchy_find(h->rungs, h->n, h->treads);
    if (h->n_treads == 0)
        return false;
    expect_levels(h);
    find_memory(h);
    for (size_t k = 0; k < h->memory; k++)
        ends[k] = h->treads[k].end;
    gb_hierarchy_name(ends, h->memory, h->names, h->n_names, names);
    bool last = false;
    for (size_t k = 0; k < h->memory; k++) {
        add_level(h, &h->treads[k], names[k] >= 0 ? &h->names[names[k]] : NULL);
        last |= h->levels[h->n_levels - 1].last;
    }
    if (!last && h->memory < h->n_treads && h->memory > 0)
        add_slope(h);
    if (h->memory < h->n_treads) {
        add_level(h, &h->treads[h->memory], NULL);
        h->levels[h->n_levels - 1].name = "memory";
        h->levels[h->n_levels - 1].memory = true;
        h->levels[h->n_levels - 1].end = NAN;
    }
    return true;
}

/* Leaves the levels whose latency cannot be told from the one before without one; a size they have
 * all the same. False: there is no pair of levels that can be told apart. */
static bool levels_differ(hierarchy *h)
{
    const gb_row *before = NULL;
    size_t differ = 0;
    for (size_t k = 0; k < h->n_levels; k++) {
        level *l = &h->levels[k];
        if (l->row == NULL)
            continue;
        if (before != NULL && !gb_rows_differ(h->view->results, before, l->row, "latency")) {
            l->row = NULL;
            continue;
        }
        differ += before != NULL;
        before = l->row;
    }
    return differ > 0;
}

static void say_end(const level *l, gb_buf *text)
{
    char size[96], named[32];
    if (isnan(l->end)) {
        gb_buf_add(text, l->memory ? "" : "; its end was not reached");
        return;
    }
    gb_buf_printf(text, "%s up to about %s", l->slope ? "" : ",", about(l->end, size, sizeof size));
    if (!(l->named > 0))
        return;
    gb_buf_printf(text, " (the system says %s",
                  gb_format_bytes((uint64_t)l->named, named, sizeof named));
    if (gb_hierarchy_agrees(l->end, l->named))
        gb_buf_add(text, ")");
    else if (l->last && l->end < l->named)
        gb_buf_add(text, ": less of it serves this one chain)");
    else
        gb_buf_add(text, ": they do not agree)");
}

/* " Last cache: ": a sentence for each level begins so. */
static void say_name(const level *l, gb_buf *text)
{
    static const char article[] = "the ";
    const size_t skip = strncmp(l->name, article, sizeof article - 1) == 0 ? sizeof article - 1 : 0;
    const char *name = l->name + skip;
    gb_buf_printf(text, " %c%s: ", toupper((unsigned char)name[0]), name + 1);
}

static void say_level(const level *l, gb_buf *text)
{
    char latency[96], cycles[96];
    say_name(l, text);
    if (l->slope) {
        gb_buf_add(text, "no clear level; loads take longer and longer");
    } else if (l->row == NULL) {
        gb_buf_add(text, "too unsteady for a figure");
    } else {
        gb_buf_printf(text, "%s", gb_say_figure(l->row, "latency", latency, sizeof latency));
        if (isfinite(gb_row_value(l->row, "cycles")))
            gb_buf_printf(text, ", %s", gb_say_figure(l->row, "cycles", cycles, sizeof cycles));
    }
    say_end(l, text);
    gb_buf_add(text, ".");
}

static json_t *level_figures(const level *l)
{
    json_t *agrees = isfinite(l->end) && l->named > 0
                         ? json_boolean(gb_hierarchy_agrees(l->end, l->named))
                         : json_null();
    const double latency = l->row != NULL ? gb_row_value(l->row, "latency") : (double)NAN;
    const double cycles = l->row != NULL ? gb_row_value(l->row, "cycles") : (double)NAN;
    return json_pack("{s:s, s:o, s:o, s:o, s:[o, o], s:o, s:o}", "level", l->name, "latency_ns",
                     gb_json_real(latency), "cycles", gb_json_real(cycles), "end_bytes",
                     gb_json_real(l->end), "between_bytes", gb_json_real(l->between[0]),
                     gb_json_real(l->between[1]), "system_bytes",
                     l->named > 0 ? gb_json_real(l->named) : json_null(), "agrees", agrees);
}

static gb_code say_levels(const hierarchy *h, json_t *findings, gb_error *err)
{
    static const char *const said[] = {"bytes", "space", "node", "steps", NULL};
    gb_buf text = {0};
    gb_buf_add(&text, "How long one load at a time takes");
    gb_finding_case(h->view, h->rows[0], said, &text);
    gb_buf_add(&text, ", level by level.");
    json_t *levels = json_array();
    for (size_t k = 0; k < h->n_levels; k++) {
        say_level(&h->levels[k], &text);
        json_array_append_new(levels, level_figures(&h->levels[k]));
    }
    return gb_chase_add(h->view, h->rows[0], "memory-levels", &text,
                        json_pack("{s:o}", "levels", levels), findings, err);
}

/* Whether a row is the first of its ladder. */
static bool begins_ladder(const gb_view *view, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (gb_chase_is(&view->rows[i], "device") && alike(&view->rows[i], &view->rows[at]))
            return false;
    return true;
}

static gb_code ladders(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; i < view->n && code == GB_OK; i++) {
        const gb_row *first = &view->rows[i];
        if (!gb_chase_is(first, "device") || gb_row_param(first, "node") != GB_CHASE_DENSE ||
            !begins_ladder(view, i))
            continue;
        hierarchy *h = calloc(1, sizeof *h);
        if (h == NULL)
            return gb_fail(err, GB_NO_MEMORY, "out of memory for the findings");
        h->view = view;
        collect(h, first);
        if (h->n >= LEAST_RUNGS && find_levels(h) && levels_differ(h))
            code = say_levels(h, findings, err);
        free(h);
    }
    return code;
}

gb_code gb_findings_chase(const gb_view *view, json_t *findings, gb_error *err)
{
    gb_code code = ladders(view, findings, err);
    return code == GB_OK ? gb_findings_chase_pairs(view, findings, err) : code;
}
