/* A comparison for a terminal: the verdict first, then the cases, grouped by verdict. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/compare/internal.h"
#include "reports/grid.h"

enum { COLUMNS = 9 };

static void side(const gb_comparison *c, int which, gb_buf *out)
{
    char name[256];
    const gb_results *r = which == 0 ? c->a : c->b;
    const json_t *run = json_object_get(r->document, "run");
    const json_t *tool = json_object_get(r->document, "tool");
    const char *started = json_string_value(json_object_get(run, "started"));
    const char *git = json_string_value(json_object_get(tool, "git"));
    gb_buf_printf(out, "%s  %s\n          %s - %s, started %.19s, gpubench %.40s%s\n",
                  which == 0 ? "baseline" : "new     ",
                  gb_comparison_name(c, which, name, sizeof name), gb_results_device_kind(r, 0),
                  gb_results_device_name(r, 0), started != NULL ? started : "unknown",
                  git != NULL ? git : "unknown", r->complete ? "" : ", did not finish");
}

static gb_code add_row(gb_grid *grid, const gb_compared *item, const char *common, gb_error *err)
{
    char buf[80];
    gb_buf last = {0};
    char *title = gb_compared_title(item);
    gb_ink ink = item->verdict == GB_VERDICT_SLOWER ? GB_RED : GB_PLAIN;
    gb_grid_add(grid, ink, title != NULL ? title : "");
    gb_grid_add(grid, GB_PLAIN, item->metric);
    gb_grid_add(grid, GB_PLAIN, gb_compared_value(item, item->value_a, buf, sizeof buf));
    gb_grid_add(grid, GB_PLAIN, gb_compared_value(item, item->value_b, buf, sizeof buf));
    gb_grid_add(grid, ink, gb_compared_change(item->change, buf, sizeof buf));
    gb_grid_add(grid, GB_PLAIN, gb_compared_interval(item, buf, sizeof buf));
    gb_grid_add(grid, GB_PLAIN, gb_compared_p(item, buf, sizeof buf));
    gb_grid_add(grid, GB_PLAIN, gb_compared_detectable(item, buf, sizeof buf));
    gb_compared_advice(item, common, &last);
    char *safe = gb_text_printable(last.data != NULL ? last.data : "");
    gb_grid_add(grid, item->check ? GB_YELLOW : GB_PLAIN, safe != NULL ? safe : "");
    bool failed = title == NULL || safe == NULL || last.failed || grid->failed;
    free(title);
    free(safe);
    gb_buf_free(&last);
    return failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison") : GB_OK;
}

static gb_code group(const gb_comparison *c, const size_t order[], size_t n, bool color,
                     gb_buf *out, gb_error *err)
{
    static const bool right[COLUMNS] = {false, false, true, true, true, true, true, true, false};
    static const char *const titles[COLUMNS] = {"case",    "metric", "baseline", "new", "change",
                                                "95 % CI", "p",      "finds",    ""};
    gb_verdict verdict = c->items[order[0]].verdict;
    const char *next = gb_verdict_next(verdict);
    gb_grid grid = {.columns = COLUMNS};
    gb_code code = GB_OK;
    gb_buf_add(out, "\n");
    gb_ink_add(out, verdict == GB_VERDICT_SLOWER ? GB_RED : GB_BOLD, color,
               gb_verdict_word(verdict));
    gb_buf_printf(out, " (%zu)%s%s\n", n, next[0] != '\0' ? ": " : "", next);
    for (size_t i = 0; i < COLUMNS; i++) {
        gb_grid_add(&grid, GB_DIM, titles[i]);
    }
    for (size_t i = 0; code == GB_OK && i < n; i++) {
        code = add_row(&grid, &c->items[order[i]], next, err);
    }
    gb_grid_render(&grid, right, 2, color, out);
    gb_grid_free(&grid);
    return code;
}

static void add_json_text(gb_buf *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    char *safe = text != NULL ? gb_text_printable(text) : NULL;
    gb_buf_add(out, safe != NULL ? safe : "");
    free(safe);
    free(text);
}

static void environment(const gb_comparison *c, gb_buf *out)
{
    size_t i;
    const json_t *entry;
    if (json_array_size(c->environment) > 0) {
        gb_buf_add(out, "\nwhat else differs (baseline / new):\n");
    }
    json_array_foreach(c->environment, i, entry)
    {
        gb_buf_printf(out, "  %s: ", json_string_value(json_object_get(entry, "field")));
        add_json_text(out, json_object_get(entry, "a"));
        gb_buf_add(out, " / ");
        add_json_text(out, json_object_get(entry, "b"));
        gb_buf_add(out, "\n");
    }
}

/* A line of its own below the first: what passes a gate without a verdict is not to be missed. */
static void undecided(const gb_comparison *c, bool color, gb_buf *out)
{
    gb_buf line = {0};
    if (gb_comparison_say_undecided(c, &line)) {
        gb_ink_add(out, GB_YELLOW, color, line.data != NULL ? line.data : "");
        gb_buf_add(out, "\n");
    }
    out->failed = out->failed || line.failed;
    gb_buf_free(&line);
}

gb_code gb_comparison_text(const gb_comparison *comparison, bool all, bool color, gb_buf *out,
                           gb_error *err)
{
    const gb_comparison *c = comparison;
    size_t *order = gb_comparison_order(c);
    gb_code code = GB_OK;
    if (order == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    gb_ink_add(out, gb_comparison_regressed(c) ? GB_RED : GB_BOLD, color,
               gb_comparison_headline(c));
    gb_buf_add(out, ": ");
    gb_comparison_summary(c, out);
    gb_buf_add(out, "\n");
    undecided(c, color, out);
    side(c, 0, out);
    side(c, 1, out);
    gb_buf_add(out, "evidence  ");
    gb_comparison_rule(c, out);
    gb_buf_add(out,
               "\nchange    (new - baseline) / baseline, in the metric's own unit; \"finds\" is "
               "the smallest change found 4 times of 5\n");
    if (c->device_difference != NULL) {
        gb_buf_printf(out, "devices   %s\n", c->device_difference);
    }
    for (size_t i = 0; code == GB_OK && i < c->n;) {
        gb_verdict verdict = c->items[order[i]].verdict;
        size_t n = c->counts[verdict];
        if (verdict != GB_VERDICT_SAME || all) {
            code = group(c, order + i, n, color, out, err);
        } else {
            gb_buf_printf(out, "\nsame: %zu case%s (--all lists them)\n", n, n == 1 ? "" : "s");
        }
        i += n;
    }
    environment(c, out);
    free(order);
    if (code == GB_OK && out->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    return code;
}
