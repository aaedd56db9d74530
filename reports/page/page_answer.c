/* The first sections of the page: the answer, what stands out, the runs, what was expected. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/parts.h"

/* A sentence made by `say`, as a paragraph; nothing when it says nothing. */
static void say(const gb_sheet *sheet, void (*sentence)(const gb_sheet *, gb_buf *),
                const char *class_name, gb_buf *out)
{
    gb_buf text = {0};
    sentence(sheet, &text);
    if (text.length > 0) {
        gb_html_paragraph(out, class_name, text.data);
    }
    out->failed |= text.failed;
    gb_buf_free(&text);
}

static void say_verdict(const gb_sheet *sheet, gb_buf *text)
{
    gb_say_verdict(sheet, text);
}

void gb_page_answer(const gb_sheet *sheet, gb_buf *out)
{
    gb_html_section(out, "In short");
    if (sheet->results->hardware_fault != NULL) {
        gb_buf text = {0};
        gb_buf_printf(&text, "Hardware fault: %s. This run cannot serve as a baseline.",
                      sheet->results->hardware_fault);
        gb_html_paragraph(out, "banner bad", text.data != NULL ? text.data : "");
        gb_buf_free(&text);
    }
    gb_buf verdict = {0};
    const bool good = gb_say_verdict(sheet, &verdict);
    if (!good || sheet->tally.doubtful > 0) {
        say(sheet, say_verdict, good ? "banner" : "banner bad", out);
    }
    gb_buf_free(&verdict);
    say(sheet, gb_say_counts, "lead", out);
    say(sheet, gb_say_what, NULL, out);
    if (sheet->results->torn) {
        gb_html_paragraph(out, "warn",
                          "The last line of cases.jsonl was torn and is left out here.");
    }
    gb_html_section_end(out);
}

static bool has_findings(const gb_sheet *sheet, int device)
{
    size_t i;
    const json_t *finding;
    json_array_foreach(sheet->findings, i, finding)
    {
        if (json_integer_value(json_object_get(finding, "device")) == device) {
            return true;
        }
    }
    return false;
}

void gb_page_findings(const gb_sheet *sheet, gb_buf *out)
{
    gb_html_section(out, "What stands out");
    if (json_array_size(sheet->findings) == 0) {
        say(sheet, gb_say_no_finding, NULL, out);
    }
    for (size_t d = 0; d < sheet->n_devices; d++) {
        size_t i;
        const json_t *finding;
        if (!has_findings(sheet, (int)d)) {
            continue;
        }
        if (sheet->n_devices > 1) {
            gb_html_heading(out, gb_results_device_label(sheet->results, (int)d));
        }
        gb_html_list(out);
        json_array_foreach(sheet->findings, i, finding)
        {
            const char *text = json_string_value(json_object_get(finding, "text"));
            if (json_integer_value(json_object_get(finding, "device")) == (json_int_t)d) {
                gb_html_item(out, text != NULL ? text : "");
            }
        }
        gb_html_list_end(out);
    }
    say(sheet, gb_say_findings_rule, "dim", out);
    say(sheet, gb_say_partial, "warn", out);
    gb_html_section_end(out);
}

void gb_page_expectations(const gb_sheet *sheet, gb_buf *out)
{
    static const gb_html_column columns[] = {
        {"outcome", false}, {"expected", false}, {"found", false}, {"device", false}};
    const json_t *list = json_object_get(sheet->results->document, "expectations");
    if (json_array_size(list) == 0) {
        return;
    }
    gb_html_section(out, "What the suite expected");
    gb_html_table(out, "Expectations", columns, 4);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *text = json_string_value(json_object_get(one, "text"));
        const char *outcome = json_string_value(json_object_get(one, "outcome"));
        const char *detail = json_string_value(json_object_get(one, "detail"));
        int device = (int)json_integer_value(json_object_get(one, "device"));
        outcome = outcome != NULL ? outcome : "unknown";
        bool bad = strcmp(outcome, "FAILED") == 0 || strcmp(outcome, "unknown") == 0;
        gb_html_row(out);
        gb_html_cell(out, outcome, NAN, bad ? "bad" : strcmp(outcome, "met") == 0 ? "ok" : "dim");
        gb_html_cell(out, text != NULL ? text : "", NAN, "text");
        gb_html_cell(out, detail != NULL ? detail : "", NAN, "text");
        gb_html_cell(out, gb_results_device_label(sheet->results, device), NAN, NULL);
        gb_html_row_end(out);
    }
    gb_html_table_end(out);
    gb_html_section_end(out);
}

void gb_page_runs(const gb_sheet *sheet, gb_buf *out)
{
    static const gb_html_column columns[] = {
        {"letter", false}, {"device", false},  {"kind", false},    {"run", false},
        {"suite", false},  {"started", false}, {"version", false}, {"complete", false}};
    const json_t *devices = json_object_get(sheet->results->document, "devices");
    if (sheet->tally.runs < 2) {
        return;
    }
    gb_html_section(out, "The runs");
    gb_html_table(out, "Devices and the runs that their figures are from", columns, 8);
    for (size_t d = 0; d < json_array_size(devices); d++) {
        const json_t *run = gb_sheet_run(sheet, gb_sheet_run_of(sheet, (int)d));
        const char *name = json_string_value(json_object_get(run, "name"));
        bool complete = json_is_true(json_object_get(run, "complete"));
        char letter[16];
        gb_html_row(out);
        gb_html_cell(out, gb_sheet_letter((int)d, letter, sizeof letter), NAN, NULL);
        gb_html_cell(out, gb_results_device_label(sheet->results, (int)d), NAN, NULL);
        gb_html_cell(out, gb_results_device_kind(sheet->results, (int)d), NAN, NULL);
        gb_html_cell(out, name != NULL ? name : "", NAN, NULL);
        gb_html_cell(out, gb_sheet_text(run, "suite", "name"), NAN, NULL);
        gb_html_cell(out, gb_sheet_text(run, "run", "started"), NAN, NULL);
        gb_html_cell(out, gb_sheet_text(run, "tool", "git"), NAN, NULL);
        gb_html_cell(out, complete ? "yes" : "NO", NAN, complete ? NULL : "bad");
        gb_html_row_end(out);
    }
    gb_html_table_end(out);
    gb_html_section_end(out);
}
