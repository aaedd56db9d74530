/* A comparison as a page: the verdict, the plot of changes, every case in a table that sorts. */
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/compare/internal.h"
#include "reports/page/html.h"
#include "reports/plot/pictures.h"

#define PICTURE "compare"

static const char *class_of(gb_verdict verdict)
{
    switch (verdict) {
    case GB_VERDICT_SLOWER:
    case GB_VERDICT_NOT_COMPARED:
    case GB_VERDICT_ONLY_BASELINE:
        return "bad";
    case GB_VERDICT_SUSPECT_SLOWER:
    case GB_VERDICT_SUSPECT_FASTER:
    case GB_VERDICT_INCONCLUSIVE:
    case GB_VERDICT_UNSTABLE:
    case GB_VERDICT_INSUFFICIENT:
    case GB_VERDICT_DEFINITION:
        return "warn";
    case GB_VERDICT_SAME:
    case GB_VERDICT_FASTER:
        return "ok";
    default:
        return "dim";
    }
}

/* `place`: in the picture, from 1; 0: it has no change to be drawn. */
static void add_case(const gb_compared *item, size_t rank, size_t place, gb_buf *out)
{
    char buf[80];
    gb_buf text = {0};
    char *title = gb_compared_title(item);
    gb_html_row(out);
    gb_html_cell(out, gb_verdict_word(item->verdict), (double)rank, class_of(item->verdict));
    gb_html_cell(out, title != NULL ? title : "", (double)NAN, "text");
    gb_html_cell(out, gb_compared_change(item->change, buf, sizeof buf), item->change, "num");
    gb_html_cell(out, gb_compared_interval(item, buf, sizeof buf), item->ci[1] - item->ci[0],
                 "num");
    gb_html_cell(out, gb_compared_value(item, item->value_a, buf, sizeof buf), item->value_a,
                 "num");
    gb_html_cell(out, gb_compared_value(item, item->value_b, buf, sizeof buf), item->value_b,
                 "num");
    gb_compared_advice(item, "", &text);
    gb_html_cell(out, text.data != NULL ? text.data : "", (double)NAN, "text");
    gb_html_cell(out, item->metric, (double)NAN, NULL);
    snprintf(buf, sizeof buf, "%zu", place);
    gb_html_cell(out, place > 0 ? buf : "", place > 0 ? (double)place : (double)NAN, "num");
    gb_html_cell(out, gb_compared_p(item, buf, sizeof buf), item->p, "num");
    gb_html_cell(out, gb_compared_detectable(item, buf, sizeof buf), item->detectable, "num");
    gb_html_row_end(out);
    out->failed = out->failed || text.failed || title == NULL;
    gb_buf_free(&text);
    free(title);
}

static gb_code add_cases(const gb_comparison *c, gb_buf *out, gb_error *err)
{
    static const gb_html_column columns[] = {
        {"verdict", true},  {"case", false}, {"change", true},     {"95 % CI", true},
        {"baseline", true}, {"new", true},   {"what next", false}, {"metric", false},
        {"in plot", true},  {"p", true},     {"finds", true}};
    size_t *order = gb_comparison_order(c), *places = gb_comparison_places(c);
    if (order == NULL || places == NULL) {
        free(order);
        free(places);
        return gb_fail(err, GB_NO_MEMORY, "out of memory for a page");
    }
    gb_html_section(out, "Cases");
    gb_html_table(
        out,
        "Worst first. \"finds\" is the smallest change that these replicates find 4 times "
        "of 5; \"in plot\" the case's place on the picture's horizontal axis",
        columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < c->n; i++) {
        add_case(&c->items[order[i]], i, places[order[i]], out);
    }
    gb_html_table_end(out);
    gb_html_section_end(out);
    free(order);
    free(places);
    return GB_OK;
}

static void add_side(const gb_comparison *c, int which, gb_buf *out)
{
    char buf[256];
    gb_buf text = {0};
    const gb_results *r = which == 0 ? c->a : c->b;
    const char *started =
        json_string_value(json_object_get(json_object_get(r->document, "run"), "started"));
    gb_buf_printf(&text, "%s, %s - %s, started %s%s", gb_comparison_name(c, which, buf, sizeof buf),
                  gb_results_device_kind(r, 0), gb_results_device_name(r, 0),
                  started != NULL ? started : "unknown", r->complete ? "" : ", did not finish");
    gb_html_fact(out, which == 0 ? "baseline" : "new", text.data != NULL ? text.data : "");
    gb_buf_free(&text);
}

static void add_verdict(const gb_comparison *c, gb_buf *out)
{
    gb_buf text = {0};
    size_t i;
    const json_t *warning;
    gb_buf_printf(&text, "%s: ", gb_comparison_headline(c));
    gb_comparison_summary(c, &text);
    gb_html_paragraph(out, gb_comparison_regressed(c) ? "lead bad" : "lead",
                      text.data != NULL ? text.data : "");
    gb_buf_free(&text);
    if (gb_comparison_say_undecided(c, &text)) {
        gb_html_paragraph(out, "warn", text.data != NULL ? text.data : "");
    }
    gb_buf_free(&text);
    gb_html_facts(out);
    add_side(c, 0, out);
    add_side(c, 1, out);
    gb_comparison_rule(c, &text);
    gb_html_fact(out, "evidence", text.data);
    gb_html_fact(out, "change", "(new - baseline) / baseline, in the metric's own unit");
    gb_html_fact(out, "devices", c->device_difference);
    gb_html_facts_end(out);
    gb_buf_free(&text);
    json_array_foreach(c->warnings, i, warning)
    {
        gb_html_paragraph(out, "warn", json_string_value(json_object_get(warning, "text")));
    }
}

static void add_environment(const gb_comparison *c, gb_buf *out)
{
    static const gb_html_column columns[] = {{"what", false}, {"baseline", false}, {"new", false}};
    size_t i;
    const json_t *entry;
    if (json_array_size(c->environment) == 0) {
        return;
    }
    gb_html_section(out, "What else differs");
    gb_html_table(out, "Surroundings of the two runs", columns, 3);
    json_array_foreach(c->environment, i, entry)
    {
        static const char *const sides[] = {"a", "b"};
        gb_html_row(out);
        gb_html_cell(out, json_string_value(json_object_get(entry, "field")), (double)NAN, NULL);
        for (size_t k = 0; k < 2; k++) {
            char *text = json_dumps(json_object_get(entry, sides[k]), JSON_ENCODE_ANY);
            gb_html_cell(out, text != NULL ? text : "", (double)NAN, "text");
            free(text);
        }
        gb_html_row_end(out);
    }
    gb_html_table_end(out);
    gb_html_section_end(out);
}

/* Draws the plot and adds it; without gnuplot the page has none, and *notes says so. */
static gb_code add_picture(const gb_comparison *c, const char *dir, const char *gnuplot,
                           gb_buf *notes, gb_buf *out, gb_error *err)
{
    gb_pictures pictures = {0};
    gb_buf script = {0}, data = {0};
    size_t shown = 0;
    gb_code code = gb_compare_picture(c, PICTURE, &script, &data, &shown, err);
    if (code == GB_OK && shown > 0) {
        code = gb_pictures_open(dir, &pictures, err);
    }
    if (code == GB_OK && shown > 0) {
        code =
            gb_pictures_add(&pictures, PICTURE, "Changes by size", NULL, NULL, &script, &data, err);
    }
    if (code == GB_OK && shown > 0) {
        gb_pictures_draw(&pictures, gnuplot, notes);
        if (pictures.n > 0 && pictures.items[0].whole) {
            gb_html_section(out, "Changes by size");
            gb_buf what = {0};
            gb_compare_describe(c, &what);
            code = gb_html_picture(
                out, dir, PICTURE, "Change of every case with its 95 % interval, by growing change",
                what.data != NULL ? what.data : "",
                "Each point is a case, its bar the 95 % interval of its change. Its number below "
                "stands in the table under \"in plot\". A triangle at the edge: the interval goes "
                "on beyond it.",
                err);
            gb_buf_free(&what);
            gb_html_section_end(out);
        }
    }
    gb_pictures_free(&pictures);
    gb_buf_free(&script);
    gb_buf_free(&data);
    return code;
}

gb_code gb_comparison_page(const gb_comparison *comparison, const char *dir, const char *gnuplot,
                           gb_buf *notes, gb_error *err)
{
    const gb_comparison *c = comparison;
    gb_buf out = {0};
    char subtitle[400];
    snprintf(subtitle, sizeof subtitle, "%s: %s", gb_results_device_kind(c->b, 0),
             gb_results_device_name(c->b, 0));
    char *path = gb_text_format("%s/compare.html", dir);
    gb_html_open(&out, "Comparison of two runs", subtitle,
                 strcmp(gb_results_device_kind(c->b, 0), "cpu") == 0);
    add_verdict(c, &out);
    gb_code code = add_picture(c, dir, gnuplot, notes, &out, err);
    if (code == GB_OK) {
        code = add_cases(c, &out, err);
    }
    if (code == GB_OK) {
        add_environment(c, &out);
        gb_html_close(&out);
        code = path == NULL || out.failed ? gb_fail(err, GB_NO_MEMORY, "out of memory for a page")
                                          : gb_page_write(path, &out, err);
    }
    gb_buf_free(&out);
    free(path);
    return code;
}
