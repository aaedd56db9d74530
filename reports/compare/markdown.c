/* A comparison as Markdown, for a job's summary: the verdict first, then at most so many cases. */
#include <stdlib.h>
#include <string.h>

#include "reports/compare/internal.h"
#include "reports/page/markdown.h"

/* A text with control characters made visible, as Markdown. */
static void cell(gb_buf *out, const char *text)
{
    char *safe = gb_text_printable(text);
    gb_markdown_text(out, safe != NULL ? safe : "");
    out->failed = out->failed || safe == NULL;
    free(safe);
}

static gb_code row(const gb_compared *item, gb_buf *out, gb_error *err)
{
    char buf[80], other[80];
    char *title = gb_compared_title(item);
    if (title == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    gb_buf_printf(out, "| %s%s%s | ", item->verdict == GB_VERDICT_SLOWER ? "**" : "",
                  gb_verdict_word(item->verdict), item->verdict == GB_VERDICT_SLOWER ? "**" : "");
    cell(out, title);
    free(title);
    gb_buf_printf(out, " | %s | %s | %s | ", item->metric,
                  gb_compared_value(item, item->value_a, buf, sizeof buf),
                  gb_compared_value(item, item->value_b, other, sizeof other));
    gb_buf_add(out, gb_compared_change(item->change, buf, sizeof buf));
    if (!isnan(item->ci[0])) {
        gb_buf_printf(out, " (%s)", gb_compared_interval(item, buf, sizeof buf));
    }
    gb_buf_add(out, " | ");
    gb_buf advice = {0};
    gb_compared_advice(item, "", &advice);
    cell(out, advice.data != NULL ? advice.data : "");
    gb_buf_add(out, " |\n");
    out->failed = out->failed || advice.failed;
    gb_buf_free(&advice);
    return GB_OK;
}

static void name(const gb_comparison *c, int which, gb_buf *out)
{
    char buf[256];
    cell(out, gb_comparison_name(c, which, buf, sizeof buf));
}

gb_code gb_comparison_markdown(const gb_comparison *comparison, size_t limit, gb_buf *out,
                               gb_error *err)
{
    const gb_comparison *c = comparison;
    size_t *order = gb_comparison_order(c), shown = 0, left = 0, i;
    const json_t *warning;
    gb_code code = GB_OK;
    if (order == NULL) {
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    gb_buf_printf(out, "## %s\n\n", gb_comparison_headline(c));
    gb_comparison_summary(c, out);
    gb_buf_add(out, ".\n\n");
    gb_buf undecided = {0};
    if (gb_comparison_say_undecided(c, &undecided)) {
        gb_buf_printf(out, "**%s.**\n\n", undecided.data != NULL ? undecided.data : "");
    }
    out->failed = out->failed || undecided.failed;
    gb_buf_free(&undecided);
    gb_buf_add(out, "Baseline ");
    name(c, 0, out);
    gb_buf_add(out, ", new ");
    name(c, 1, out);
    gb_buf_add(out, "; ");
    gb_comparison_rule(c, out);
    gb_buf_add(out, ". Change = (new - baseline) / baseline, with its 95 % interval.\n\n");
    if (c->counts[GB_VERDICT_SAME] < c->n) {
        gb_buf_add(out, "| verdict | case | metric | baseline | new | change | what next |\n"
                        "|---|---|---|--:|--:|--:|---|\n");
    }
    for (size_t k = 0; code == GB_OK && k < c->n; k++) {
        const gb_compared *item = &c->items[order[k]];
        if (item->verdict == GB_VERDICT_SAME) {
            continue;
        }
        if (shown < limit) {
            code = row(item, out, err);
            shown++;
        } else {
            left++;
        }
    }
    if (left > 0) {
        gb_buf_printf(out, "\n%zu more cases are left out here.\n", left);
    }
    json_array_foreach(c->warnings, i, warning)
    {
        gb_buf_add(out, i == 0 ? "\n- " : "- ");
        cell(out, json_string_value(json_object_get(warning, "text")));
        gb_buf_add(out, "\n");
    }
    free(order);
    if (code == GB_OK && out->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a comparison");
    }
    return code;
}
