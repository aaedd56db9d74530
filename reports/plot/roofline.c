#include "reports/plot/roofline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/plot/picture.h"
#include "reports/plot/roofline_panel.h"

typedef struct roofline {
    const gb_results *results;
    const char *benchmark, *name;
    gb_roof_panel panels[GB_ROOF_PANELS];
    size_t n, left_out;
    char **groups; /* of all panels; owned */
    size_t n_groups;
    gb_roof_range range;
    size_t n_blocks;
    gb_buf *data, *notes;
} roofline;

static void grow(double value, double *low, double *high)
{
    *low = value < *low ? value : *low;
    *high = value > *high ? value : *high;
}

/* --- points ----------------------------------------------------------------------------------- */

/* A panel for each device that has a row of the sweep with both coordinates; the units are those of
 * the first such row. */
static void find_panels(roofline *r, const gb_table *table)
{
    for (size_t i = 0; i < table->n; i++) {
        const gb_row *row = &table->rows[i];
        if (strcmp(row->first->benchmark, r->benchmark) != 0 || !(gb_row_flops(row) > 0) ||
            !(gb_row_intensity(row) > 0) ||
            (r->n > 0 && r->panels[r->n - 1].device >= row->first->device)) {
            continue; /* the rows of a device stand together, devices in order */
        }
        if (r->n == GB_ROOF_PANELS) {
            r->left_out++;
            return;
        }
        gb_roof_panel *p = &r->panels[r->n++];
        *p = (gb_roof_panel){.device = row->first->device, .compute = row->first->work.compute};
        size_t begin = 0, end;
        while (table->rows[begin].first->device != p->device) {
            begin++;
        }
        for (end = begin; end < table->n && table->rows[end].first->device == p->device;) {
            end++;
        }
        p->rows = &table->rows[begin];
        p->n_rows = end - begin;
    }
}

static bool find_group(roofline *r, const json_t *words, const gb_row *row, size_t *group)
{
    char *name = gb_roof_group(words, row);
    if (name == NULL) {
        return false;
    }
    for (*group = 0; *group < r->n_groups; ++*group) {
        if (strcmp(r->groups[*group], name) == 0) {
            free(name);
            return true;
        }
    }
    r->groups[r->n_groups++] = name; /* no more than there are rows */
    return true;
}

bool gb_roof_panel_has(const gb_roof_panel *panel, size_t group)
{
    for (size_t i = 0; i < panel->n_points; i++) {
        if (panel->points[i].group == group) {
            return true;
        }
    }
    return false;
}

static void say_above(const roofline *r, const gb_row *row, double value, double roof)
{
    char is[32], limit[32];
    gb_buf_printf(r->notes, "plots: %s: %s is above its roof (implausible): %s, roof %s\n", r->name,
                  row->first->case_id, gb_format_rate(value, "FLOP/s", is, sizeof is),
                  gb_format_rate(roof, "FLOP/s", limit, sizeof limit));
}

static int by_place(const void *a, const void *b)
{
    const gb_roof_point *x = a, *y = b;
    if (x->group != y->group) {
        return x->group < y->group ? -1 : 1;
    }
    if (x->x != y->x) {
        return x->x < y->x ? -1 : 1;
    }
    return x->y < y->y ? -1 : x->y > y->y;
}

static gb_code find_points(roofline *r, gb_roof_panel *p, gb_error *err)
{
    p->points = calloc(p->n_rows + 1, sizeof *p->points);
    json_t *words = gb_roof_words(p);
    bool failed = p->points == NULL || words == NULL;
    for (size_t i = 0; !failed && i < p->n_rows; i++) {
        const gb_row *row = &p->rows[i];
        if (!gb_roof_panel_takes(p, row)) {
            continue;
        }
        gb_roof_point *point = &p->points[p->n_points];
        *point = (gb_roof_point){.x = gb_row_intensity(row), .y = gb_row_flops(row)};
        failed = !find_group(r, words, row, &point->group);
        double roof;
        bool over = gb_row_above_roof(r->results, row, &p->roofs, &roof);
        point->above = over || (row->flags & GB_BIT(GB_FLAG_IMPLAUSIBLE)) != 0;
        point->limited = (row->flags & GB_BIT(GB_FLAG_KERNEL_LIMITED)) != 0;
        if (over) {
            say_above(r, row, point->y, roof);
        }
        grow(point->x, &r->range.x_min, &r->range.x_max);
        grow(point->y, &r->range.y_min, &r->range.y_max);
        p->n_points++;
    }
    json_decref(words);
    if (failed) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a plot");
    }
    qsort(p->points, p->n_points, sizeof *p->points, by_place);
    return GB_OK;
}

/* --- roofs ------------------------------------------------------------------------------------ */

static void find_ridge(roofline *r, gb_roof_panel *p)
{
    const gb_roofs *k = &p->roofs;
    p->ridge_measured = k->arithmetic > 0 && k->memory > 0;
    p->ridge_y = p->ridge_measured ? k->arithmetic : k->theory_arithmetic;
    p->ridge_x = p->ridge_y / (p->ridge_measured ? k->memory : k->theory_memory);
    if (p->ridge_x > 0) {
        grow(p->ridge_x / 1.5, &r->range.x_min, &r->range.x_max);
        grow(p->ridge_x * 1.5, &r->range.x_min, &r->range.x_max);
    }
}

static gb_roof_line *add_line(gb_roof_panel *p, const char *what, double value, const char *unit,
                              const char *source, const char *colour)
{
    char text[32];
    gb_roof_line *line = &p->lines[p->n_lines++];
    *line = (gb_roof_line){.measured = strcmp(source, "measured") == 0, .colour = colour};
    snprintf(line->text, sizeof line->text, "%s %s %s", what,
             gb_format_rate(value, unit, text, sizeof text), source);
    return line;
}

/* A slope from the left edge to where it meets `flops`, or to the right edge. */
static void add_slope(roofline *r, gb_roof_panel *p, const char *what, double bandwidth,
                      double flops, const char *source, size_t colour)
{
    if (!(bandwidth > 0)) {
        return;
    }
    gb_roof_line *line = add_line(p, what, bandwidth, "B/s", source, gb_picture_colour(colour));
    line->x0 = r->range.x_min;
    line->x1 = flops > 0 ? fmax(flops / bandwidth, line->x0) : r->range.x_max;
    line->y0 = line->x0 * bandwidth;
    line->y1 = line->x1 * bandwidth;
}

/* A plateau from where the steepest slope meets it to the right edge. */
static void add_plateau(roofline *r, gb_roof_panel *p, double flops, double bandwidth,
                        const char *source)
{
    if (!(flops > 0)) {
        return;
    }
    gb_roof_line *line =
        add_line(p, gb_compute_word(p->compute), flops, "FLOP/s", source, "#000000");
    line->x0 = bandwidth > 0 ? fmin(flops / bandwidth, r->range.x_max) : r->range.x_min;
    line->x1 = r->range.x_max;
    line->y0 = line->y1 = flops;
}

/* What is not drawn since it is not known: in the picture and in the notes. */
static void say_missing(roofline *r, gb_roof_panel *p)
{
    const gb_roofs *k = &p->roofs;
    const struct {
        double roof;
        const char *what;
    } all[] = {{k->memory, "memory, measured"},
               {k->arithmetic, "arithmetic, measured"},
               {k->theory_memory, "memory, theoretical"},
               {k->theory_arithmetic, "arithmetic, theoretical"}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!(all[i].roof > 0)) {
            gb_buf_printf(&p->missing, "%s%s",
                          p->missing.length > 0 ? "; " : "unknown roofs: ", all[i].what);
        }
    }
    if (p->missing.length > 0) {
        gb_buf_printf(r->notes, "plots: %s: %s\n", r->name, p->missing.data);
    }
}

/* All lines, now that the range of x is known. */
static void find_lines(roofline *r, gb_roof_panel *p)
{
    const gb_roofs *k = &p->roofs;
    const bool gpu = strcmp(gb_results_device_kind(r->results, p->device), "cpu") != 0;
    const char *memory_theory = k->published_memory ? "as published" : "theoretical";
    const char *flops_theory = k->published_arithmetic ? "as published" : "theoretical";
    add_slope(r, p, "memory", k->theory_memory, k->theory_arithmetic, memory_theory, 0);
    add_plateau(r, p, k->theory_arithmetic, k->theory_memory, flops_theory);
    add_slope(r, p, "memory", k->memory, k->arithmetic, "measured", 0);
    add_slope(r, p, gpu ? "L2" : "last cache", k->cache, k->arithmetic, "measured", 1);
    add_slope(r, p, "shared memory", k->shared, k->arithmetic, "measured", 2);
    add_plateau(r, p, k->arithmetic, fmax(fmax(k->memory, k->cache), k->shared), "measured");
    say_missing(r, p);
    for (size_t i = 0; i < p->n_lines; i++) {
        grow(p->lines[i].y0, &r->range.y_min, &r->range.y_max);
        grow(p->lines[i].y1, &r->range.y_min, &r->range.y_max);
    }
}

/* --- data ------------------------------------------------------------------------------------- */

static void begin_block(roofline *r, const char *label, const char *more)
{
    gb_buf_printf(r->data, "%s# %s%s\n# FLOP/byte FLOP/s\n", r->n_blocks > 0 ? "\n\n" : "", label,
                  more);
    r->n_blocks++;
}

static void add_xy(roofline *r, double x, double y, const char *end)
{
    char a[40], b[40];
    gb_buf_printf(r->data, "%s %s%s\n", gb_print_double(x, a, sizeof a),
                  gb_print_double(y, b, sizeof b), end);
}

static void write_data(roofline *r, gb_roof_panel *p)
{
    p->block = r->n_blocks;
    for (size_t i = 0; i < p->n_lines; i++) {
        begin_block(r, p->lines[i].text, "");
        add_xy(r, p->lines[i].x0, p->lines[i].y0, "");
        add_xy(r, p->lines[i].x1, p->lines[i].y1, "");
    }
    for (size_t g = 0; g < p->n_groups; g++) {
        if (!gb_roof_panel_has(p, g)) {
            continue;
        }
        char *name = gb_text_printable(p->groups[g]);
        begin_block(r, name != NULL ? name : "", "");
        free(name);
        for (size_t i = 0; i < p->n_points; i++) {
            const gb_roof_point *point = &p->points[i];
            if (point->group == g) {
                add_xy(r, point->x, point->y,
                       point->above     ? " # implausible"
                       : point->limited ? " # kernel-limited"
                                        : "");
            }
        }
    }
}

static gb_code write_panels(roofline *r, const char *title, gb_buf *script, gb_error *err)
{
    gb_code code = GB_OK;
    for (size_t i = 0; code == GB_OK && i < r->n; i++) {
        gb_roof_panel *p = &r->panels[i];
        gb_roofs_find(r->results, p->rows, p->n_rows, p->device, p->compute, &p->roofs);
        code = find_points(r, p, err);
        find_ridge(r, p);
    }
    r->range.x_min /= 1.6;
    r->range.x_max *= 1.6;
    for (size_t i = 0; code == GB_OK && i < r->n; i++) {
        r->panels[i].groups = r->groups;
        r->panels[i].n_groups = r->n_groups;
        find_lines(r, &r->panels[i]);
        write_data(r, &r->panels[i]);
    }
    r->range.y_min /= 1.6;
    r->range.y_max *= 2;
    if (code == GB_OK) {
        gb_roofline_draw(r->results, r->panels, r->n, &r->range, title, r->name, script);
    }
    return code;
}

static void free_all(roofline *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->panels[i].points);
        gb_buf_free(&r->panels[i].missing);
    }
    for (size_t g = 0; g < r->n_groups; g++) {
        free(r->groups[g]);
    }
    free(r->groups);
}

gb_code gb_roofline_write(const gb_results *results, const gb_table *table, const json_t *plot,
                          const char *name, gb_buf *script, gb_buf *data, gb_buf *notes,
                          gb_error *err)
{
    const char *title = json_string_value(json_object_get(plot, "title"));
    roofline r = {.results = results,
                  .benchmark = json_string_value(json_object_get(plot, "benchmark")),
                  .range = {INFINITY, -INFINITY, INFINITY, -INFINITY},
                  .data = data,
                  .notes = notes,
                  .name = name};
    if (r.benchmark == NULL) {
        return gb_fail(err, GB_INVALID, "suite.plots: a roofline without benchmark");
    }
    find_panels(&r, table);
    if (r.n == 0) {
        gb_buf_printf(notes, "plots: no data for %s (roofline)\n", r.benchmark);
        return GB_OK;
    }
    if (r.left_out > 0) {
        gb_buf_printf(notes, "plots: %s: the first %d devices alone\n", name, GB_ROOF_PANELS);
    }
    r.groups = calloc(table->n + 1, sizeof *r.groups);
    gb_code code = r.groups == NULL
                       ? gb_fail(err, GB_NO_MEMORY, "out of memory for a plot")
                       : write_panels(&r, title != NULL ? title : r.benchmark, script, err);
    free_all(&r);
    return code;
}
