/* A benchmark's section: how it was measured, its plots, what stands out in it, its figures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "reports/page/parts.h"

/* A finding belongs to the benchmark that it names, as all do. */
static bool belongs(const gb_group *group, const json_t *finding)
{
    const char *benchmark =
        json_string_value(json_object_get(json_object_get(finding, "figures"), "benchmark"));
    return benchmark != NULL && strcmp(benchmark, group->benchmark) == 0;
}

/* Text with the device's name before it where there are several. */
static void item(const gb_sheet *sheet, const json_t *entry, const char *text, gb_buf *items)
{
    gb_buf whole = {0};
    if (sheet->n_devices > 1) {
        gb_buf_printf(
            &whole, "%s: ",
            gb_results_device_label(sheet->results,
                                    (int)json_integer_value(json_object_get(entry, "device"))));
    }
    gb_buf_add(&whole, text);
    gb_html_paragraph(items, NULL, whole.data != NULL ? whole.data : "");
    items->failed |= whole.failed;
    gb_buf_free(&whole);
}

static void findings(const gb_sheet *sheet, const gb_group *group, gb_buf *out)
{
    size_t i;
    const json_t *entry;
    gb_buf items = {0};
    json_array_foreach(sheet->findings, i, entry)
    {
        const char *text = json_string_value(json_object_get(entry, "text"));
        if (text != NULL && belongs(group, entry)) {
            item(sheet, entry, text, &items);
        }
    }
    gb_buf_add(out, items.data != NULL ? items.data : "");
    out->failed |= items.failed;
    gb_buf_free(&items);
}

static bool is_fit_of(const json_t *fit, const gb_group *group)
{
    const char *benchmark = json_string_value(json_object_get(fit, "benchmark"));
    return benchmark != NULL && strcmp(benchmark, group->benchmark) == 0;
}

static void fit_cell(gb_buf *out, const json_t *fit, const char *key, const char *text)
{
    const json_t *value = json_object_get(fit, key);
    bool there = json_is_number(value);
    gb_html_cell(out, there ? text : "", there ? json_number_value(value) : NAN, "num");
}

static void fit_row(const gb_sheet *sheet, const json_t *fit, bool remarks, gb_buf *out)
{
    char text[32];
    gb_buf name = {0};
    const char *why = json_string_value(json_object_get(fit, "reason"));
    double half = json_number_value(json_object_get(fit, "n_half"));
    gb_say_series(fit, &name);
    gb_html_row(out);
    gb_html_cell(out, name.data != NULL ? name.data : "", NAN, NULL);
    gb_format_ns(json_number_value(json_object_get(fit, "latency_ns")), text, sizeof text);
    fit_cell(out, fit, "latency_ns", text);
    gb_format_rate(json_number_value(json_object_get(fit, "bandwidth")), "B/s", text, sizeof text);
    fit_cell(out, fit, "bandwidth", text);
    gb_format_bytes(half >= 0 && half < 9e18 ? (uint64_t)half : 0, text, sizeof text);
    fit_cell(out, fit, "n_half", text);
    gb_format_percent(json_number_value(json_object_get(fit, "max_error")), text, sizeof text);
    fit_cell(out, fit, "max_error", text);
    gb_html_cell(out,
                 gb_results_device_label(sheet->results,
                                         (int)json_integer_value(json_object_get(fit, "device"))),
                 NAN, NULL);
    if (remarks) {
        gb_buf remark = {0};
        gb_buf_printf(&remark, "%s%s", why != NULL ? "no line fits: " : "", why != NULL ? why : "");
        gb_html_cell(out, remark.data != NULL ? remark.data : "", NAN, "text dim");
        gb_buf_free(&remark);
    }
    gb_html_row_end(out);
    gb_buf_free(&name);
}

/* The line t = latency + n / rate of each copy curve, or why there is none. */
static void fits(const gb_sheet *sheet, const gb_group *group, gb_buf *out)
{
    static const gb_html_column columns[] = {{"copies", false},
                                             {"latency", true},
                                             {"rate", true},
                                             {"latency dominates below", true},
                                             {"worst point is off by", true},
                                             {"device", false},
                                             {"remark", false}};
    size_t i, n = 0;
    bool remarks = false;
    const json_t *fit;
    json_array_foreach(sheet->fits, i, fit)
    {
        n += is_fit_of(fit, group);
        remarks |= is_fit_of(fit, group) && json_is_string(json_object_get(fit, "reason"));
    }
    if (n == 0) {
        return;
    }
    gb_buf caption = {0};
    gb_buf_printf(&caption, "%s: the line t = latency + n / rate", group->benchmark);
    gb_html_table(out, caption.data != NULL ? caption.data : "", columns, remarks ? 7 : 6);
    gb_buf_free(&caption);
    json_array_foreach(sheet->fits, i, fit)
    {
        if (is_fit_of(fit, group)) {
            fit_row(sheet, fit, remarks, out);
        }
    }
    gb_html_table_end(out);
}

void gb_page_pictures(const gb_sheet *sheet, const char *benchmark, gb_buf *out)
{
    const gb_pictures *pictures = sheet->pictures;
    for (size_t i = 0; pictures != NULL && i < pictures->n; i++) {
        const gb_drawn *drawn = &pictures->items[i];
        gb_error err = {0};
        if (strcmp(drawn->group, benchmark) != 0 || !drawn->whole) {
            continue;
        }
        gb_buf note = {0};
        gb_buf_printf(&note, "%s%s%s", drawn->note,
                      drawn->note[0] != '\0' && drawn->left_out != NULL ? " " : "",
                      drawn->left_out != NULL ? drawn->left_out : "");
        gb_code code = gb_html_picture(out, pictures->dir, drawn->name, drawn->title,
                                       drawn->what != NULL ? drawn->what : "",
                                       note.data != NULL ? note.data : "", &err);
        gb_buf_free(&note);
        if (code != GB_OK) {
            gb_buf text = {0};
            gb_buf_printf(&text, "The plot \"%s\" is not shown here: %s.", drawn->title,
                          err.message);
            gb_html_paragraph(out, "warn", text.data != NULL ? text.data : "");
            gb_buf_free(&text);
        }
    }
}

static bool wanted_plot(const gb_sheet *sheet, const char *benchmark)
{
    const json_t *plots =
        json_object_get(json_object_get(sheet->results->document, "suite"), "plots");
    for (size_t i = 0; i < json_array_size(plots); i++) {
        const char *name =
            json_string_value(json_object_get(json_array_get(plots, i), "benchmark"));
        if (name != NULL && strcmp(name, benchmark) == 0) {
            return true;
        }
    }
    return false;
}

/* "Kernel copy; timer device, cache warm; pieces 1." */
static void conditions(const gb_group *group, gb_buf *out)
{
    gb_buf text = {0}, common = {0};
    const gb_record *first = group->rows[0]->first;
    bool timers = false, caches = false;
    for (size_t i = 1; i < group->n; i++) {
        timers |= group->rows[i]->first->timer != first->timer;
        caches |= group->rows[i]->first->cache != first->cache;
    }
    gb_buf_printf(&text, "Kernel %s; timer %s, cache %s", first->kernel,
                  timers ? "by case" : gb_timer_word(first->timer),
                  caches ? "by case" : gb_cache_word(first->cache));
    gb_group_common(group, &common);
    if (common.length > 0) {
        gb_buf_printf(&text, "; %s", common.data);
    }
    gb_buf_add(&text, ".");
    gb_html_paragraph(out, "dim", text.data != NULL ? text.data : "");
    out->failed |= text.failed || common.failed;
    gb_buf_free(&text);
    gb_buf_free(&common);
}

static gb_code figures(const gb_sheet *sheet, const gb_group *group, gb_buf *out, gb_error *err)
{
    gb_lines lines;
    gb_code code = gb_lines_make(sheet, group, &lines, err);
    if (code != GB_OK) {
        return code;
    }
    gb_html_column *columns = calloc(lines.n_columns, sizeof *columns);
    gb_buf caption = {0};
    for (size_t c = 0; columns != NULL && c < lines.n_columns; c++) {
        columns[c] = (gb_html_column){lines.columns[c].title, lines.columns[c].number};
    }
    gb_buf_printf(&caption, "%s: %zu case%s with figures%s", group->benchmark, lines.n,
                  lines.n == 1 ? "" : "s", sheet->n_devices > 1 ? "; " : "");
    gb_say_devices(sheet, &caption);
    if (columns == NULL || caption.failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for a table");
        goto done;
    }
    gb_html_table(out, caption.data, columns, lines.n_columns);
    for (size_t i = 0; i < lines.n; i++) {
        gb_html_row(out);
        for (size_t c = 0; c < lines.n_columns; c++) {
            gb_buf text = {0};
            double sort;
            const char *class_name;
            gb_lines_cell(sheet, &lines, &lines.lines[i], &lines.columns[c], &text, &sort,
                          &class_name);
            gb_html_cell(out, text.data != NULL ? text.data : "", sort, class_name);
            gb_buf_free(&text);
        }
        gb_html_row_end(out);
    }
    gb_html_table_end(out);
done:
    free(columns);
    gb_buf_free(&caption);
    gb_lines_free(&lines);
    return code;
}

static bool is_unmeasured(const gb_row *row)
{
    return row->status != GB_STATUS_OK;
}

/* Whatever has no figure, or not all of them, with the reason: never among the good ones. */
static void unmeasured(const gb_sheet *sheet, const gb_group *group, gb_buf *out)
{
    static const gb_html_column columns[] = {
        {"status", false}, {"case", false}, {"reason", false}, {"device", false}};
    bool several = sheet->n_devices > 1;
    size_t n = 0;
    for (size_t i = 0; i < group->n; i++) {
        n += is_unmeasured(group->rows[i]);
    }
    if (n == 0) {
        return;
    }
    gb_buf caption = {0};
    gb_buf_printf(&caption, "%s: %zu case%s not measured in full", group->benchmark, n,
                  n == 1 ? "" : "s");
    gb_html_table(out, caption.data != NULL ? caption.data : "", columns, several ? 4 : 3);
    gb_buf_free(&caption);
    for (size_t i = 0; i < group->n; i++) {
        const gb_row *row = group->rows[i];
        if (!is_unmeasured(row)) {
            continue;
        }
        gb_html_row(out);
        gb_html_cell(out, gb_status_word(row->status), NAN,
                     row->status == GB_STATUS_SKIPPED ? "dim" : "bad");
        gb_html_cell(out, row->first->case_id, NAN, "text");
        gb_html_cell(out, gb_row_reason(row), NAN, "text");
        if (several) {
            gb_html_cell(out, gb_results_device_label(sheet->results, row->first->device), NAN,
                         NULL);
        }
        gb_html_row_end(out);
    }
    gb_html_table_end(out);
}

gb_code gb_page_benchmark(const gb_sheet *sheet, const gb_group *group, gb_buf *out, gb_error *err)
{
    gb_code code = GB_OK;
    gb_html_section(out, group->benchmark);
    conditions(group, out);
    findings(sheet, group, out);
    gb_page_pictures(sheet, group->benchmark, out);
    if (group->n_measured > 0) {
        code = figures(sheet, group, out, err);
        fits(sheet, group, out);
    } else {
        gb_html_paragraph(out, "warn",
                          wanted_plot(sheet, group->benchmark)
                              ? "No data: no case of this benchmark has a figure, so that there is "
                                "nothing to plot."
                              : "No data: no case of this benchmark has a figure.");
    }
    unmeasured(sheet, group, out);
    gb_html_section_end(out);
    return code;
}
