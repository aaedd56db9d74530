/* report.md: for a pull request or the summary of a CI step. Verdict first, cut at whole rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/page/markdown.h"
#include "reports/page/parts.h"

/* What the last line takes, and the environment when there is room for it. */
#define TAIL 200

typedef struct paper {
    gb_buf *out;
    size_t limit;    /* bytes for everything but the last line */
    bool full;       /* something did not fit: nothing follows but the last line */
    size_t left_out; /* rows of tables */
} paper;

/* Adds what fits as a whole. */
static bool put(paper *p, const gb_buf *text)
{
    p->out->failed |= text->failed;
    if (p->full || p->out->length + text->length > p->limit) {
        p->full = true;
        return false;
    }
    gb_buf_add(p->out, text->data != NULL ? text->data : "");
    return true;
}

/* "BEFORE text AFTER" as one line. */
static void put_line(paper *p, const char *before, const char *text, const char *after)
{
    gb_buf line = {0};
    gb_buf_add(&line, before);
    gb_markdown_text(&line, text);
    gb_buf_add(&line, after);
    put(p, &line);
    gb_buf_free(&line);
}

static void put_sentence(paper *p, const gb_sheet *sheet,
                         void (*say)(const gb_sheet *sheet, gb_buf *text))
{
    gb_buf text = {0};
    say(sheet, &text);
    if (text.length > 0) {
        put_line(p, "", text.data, "\n\n");
    }
    gb_buf_free(&text);
}

static void verdict(paper *p, const gb_sheet *sheet)
{
    gb_buf text = {0}, title = {0};
    const char *name = gb_sheet_text(gb_sheet_run(sheet, 0), "suite", "name");
    bool good = gb_say_verdict(sheet, &text);
    gb_buf_printf(&title, "%s on ", name[0] != '\0' ? name : "gpubench");
    gb_say_subject(sheet, &title);
    put_line(p, good ? "**" : "**:x: ", text.data != NULL ? text.data : "", "**: ");
    put_line(p, "", title.data != NULL ? title.data : "",
             sheet->only_cpu ? " (figures of a CPU, not of a GPU)\n\n" : "\n\n");
    gb_buf_free(&text);
    gb_buf_free(&title);
    put_sentence(p, sheet, gb_say_what);
    put_sentence(p, sheet, gb_say_counts);
    put_sentence(p, sheet, gb_say_partial);
    if (sheet->results->hardware_fault != NULL) {
        put_line(p, "Hardware fault: ", sheet->results->hardware_fault, "\n\n");
    }
}

static void unmet_expectations(paper *p, const gb_sheet *sheet)
{
    const json_t *list = json_object_get(sheet->results->document, "expectations");
    size_t shown = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *word = json_string_value(json_object_get(one, "outcome"));
        const char *text = json_string_value(json_object_get(one, "text"));
        const char *detail = json_string_value(json_object_get(one, "detail"));
        gb_buf line = {0};
        if (word == NULL || (strcmp(word, "FAILED") != 0 && strcmp(word, "unknown") != 0)) {
            continue;
        }
        gb_buf_printf(&line, "expected %s: %s: %s", text != NULL ? text : "", word,
                      detail != NULL ? detail : "no figure");
        put_line(p, "- ", line.data != NULL ? line.data : "", "\n");
        gb_buf_free(&line);
        shown++;
    }
    if (shown > 0) {
        put_line(p, "\n", "", "");
    }
}

static void findings(paper *p, const gb_sheet *sheet)
{
    size_t i;
    const json_t *finding;
    put_line(p, "", "", "### What stands out\n\n");
    if (json_array_size(sheet->findings) == 0) {
        put_sentence(p, sheet, gb_say_no_finding);
        return;
    }
    json_array_foreach(sheet->findings, i, finding)
    {
        gb_buf line = {0};
        const char *text = json_string_value(json_object_get(finding, "text"));
        int device = (int)json_integer_value(json_object_get(finding, "device"));
        if (sheet->n_devices > 1) {
            gb_buf_printf(&line, "%s: ", gb_results_device_label(sheet->results, device));
        }
        gb_buf_add(&line, text != NULL ? text : "");
        put_line(p, "1. ", line.data != NULL ? line.data : "", "\n");
        gb_buf_free(&line);
    }
    put_line(p, "\n", "", "");
    put_sentence(p, sheet, gb_say_findings_rule);
}

static void doubt_line(gb_buf *out, const char *what, const char *class_name, size_t n,
                       const char *meaning, const char *where)
{
    (void)class_name;
    gb_buf_printf(out, "- %s (%zu%s", what, n,
                  where[0] != '\0' ? n == 1 ? " case: " : " cases: " : "");
    gb_markdown_text(out, where);
    gb_buf_printf(out, "): %s\n", meaning);
}

/* A heading and its lines, each of which may be left out; nothing where there is none. */
static void put_list(paper *p, const char *heading, gb_buf *lines)
{
    if (lines->length > 0) {
        put_line(p, "", "", heading);
        for (char *line = lines->data, *next; *line != '\0'; line = next) {
            gb_buf one = {0};
            next = strchr(line, '\n') + 1;
            gb_buf_add_bytes(&one, line, (size_t)(next - line));
            put(p, &one);
            gb_buf_free(&one);
        }
        put_line(p, "\n", "", "");
    }
    p->out->failed |= lines->failed;
}

/* Whatever failed, by reason, and what makes figures doubtful with its counts. */
static void doubts(paper *p, const gb_sheet *sheet)
{
    gb_buf lines = {0};
    for (size_t i = 0; i < sheet->table.n; i++) {
        const gb_row *row = &sheet->table.rows[i];
        if (row->status != GB_STATUS_OK && row->status != GB_STATUS_SKIPPED) {
            gb_buf_printf(&lines, "- %s: ", gb_status_word(row->status));
            gb_markdown_text(&lines, row->first->case_id);
            gb_buf_add(&lines, ": ");
            gb_markdown_text(&lines, gb_row_reason(row));
            gb_buf_add(&lines, "\n");
        }
    }
    gb_doubts_of_figures(sheet, doubt_line, &lines);
    put_list(p, "### Not trustworthy, and why\n\n", &lines);
    gb_buf_free(&lines);
    gb_remarks_on_figures(sheet, doubt_line, &lines);
    put_list(p, "### To know when reading the figures\n\n", &lines);
    gb_buf_free(&lines);
    for (size_t d = 0; d < sheet->n_devices; d++) {
        gb_buf text = {0};
        gb_say_noise(sheet, (int)d, &text);
        put_line(p, "", text.data != NULL ? text.data : "", "\n\n");
        gb_buf_free(&text);
    }
}

static void table_head(const gb_sheet *sheet, const gb_group *group, const gb_lines *lines,
                       gb_buf *text)
{
    gb_buf_add(text, "### ");
    gb_markdown_text(text, group->benchmark);
    gb_buf devices = {0};
    gb_say_devices(sheet, &devices);
    if (devices.length > 0) {
        gb_buf_add(text, "\n\n");
        gb_markdown_text(text, devices.data);
    }
    gb_buf_free(&devices);
    gb_buf_add(text, "\n\n|");
    for (size_t c = 0; c < lines->n_columns; c++) {
        gb_buf_add(text, " ");
        gb_markdown_text(text, lines->columns[c].title);
        gb_buf_add(text, " |");
    }
    gb_buf_add(text, "\n|");
    for (size_t c = 0; c < lines->n_columns; c++) {
        gb_buf_add(text, lines->columns[c].number ? " ---: |" : " --- |");
    }
    gb_buf_add(text, "\n");
}

static gb_code table(paper *p, const gb_sheet *sheet, const gb_group *group, gb_error *err)
{
    gb_lines lines;
    gb_code code = gb_lines_make(sheet, group, &lines, err);
    if (code != GB_OK) {
        return code;
    }
    for (size_t i = 0; i < lines.n; i++) {
        gb_buf row = {0};
        /* A table's head stands only where a row follows it. */
        if (i == 0) {
            table_head(sheet, group, &lines, &row);
        }
        gb_buf_add(&row, "|");
        for (size_t c = 0; c < lines.n_columns; c++) {
            gb_buf text = {0};
            double sort;
            const char *class_name;
            gb_lines_cell(sheet, &lines, &lines.lines[i], &lines.columns[c], &text, &sort,
                          &class_name);
            gb_buf_add(&row, " ");
            gb_markdown_text(&row, text.data != NULL ? text.data : "");
            gb_buf_add(&row, " |");
            gb_buf_free(&text);
        }
        gb_buf_add(&row, i + 1 == lines.n ? "\n\n" : "\n");
        p->left_out += !put(p, &row);
        gb_buf_free(&row);
    }
    gb_lines_free(&lines);
    return GB_OK;
}

/* The environment as a part that GitHub folds; the whole of it or nothing. */
static void environment(const gb_sheet *sheet, gb_buf *text)
{
    gb_buf_add(text, "<details><summary>Environment</summary>\n\n");
    const json_t *devices = json_object_get(sheet->results->document, "devices");
    for (size_t d = 0; d < json_array_size(devices); d++) {
        const json_t *info = json_array_get(devices, d);
        const char *driver = json_string_value(json_object_get(info, "driver"));
        const char *runtime = json_string_value(json_object_get(info, "runtime"));
        gb_buf line = {0};
        gb_buf_printf(&line, "%s, kind %s%s%s%s%s", gb_results_device_label(sheet->results, (int)d),
                      gb_results_device_kind(sheet->results, (int)d), runtime != NULL ? ", " : "",
                      runtime != NULL ? runtime : "", driver != NULL ? ", driver " : "",
                      driver != NULL ? driver : "");
        gb_buf_add(text, "- device: ");
        gb_markdown_text(text, line.data != NULL ? line.data : "");
        gb_buf_add(text, "\n");
        gb_buf_free(&line);
    }
    for (size_t r = 0; r < sheet->tally.runs; r++) {
        const json_t *run = gb_sheet_run(sheet, r);
        gb_buf line = {0};
        gb_buf_printf(&line, "%s, %s, kernel %s; gpubench %s (%s); suite %s, SHA-256 %.12s",
                      gb_sheet_text(run, "host", "cpu"), gb_sheet_text(run, "host", "os"),
                      gb_sheet_text(run, "host", "kernel"), gb_sheet_text(run, "tool", "version"),
                      gb_sheet_text(run, "tool", "git"), gb_sheet_text(run, "suite", "file"),
                      gb_sheet_text(run, "suite", "sha256"));
        gb_buf_add(text, "- host: ");
        gb_markdown_text(text, line.data != NULL ? line.data : "");
        gb_buf_add(text, "\n");
        gb_buf_free(&line);
    }
    gb_buf_add(text, "\n</details>\n");
}

/* What was left out, and where it is. Fits into TAIL; a smaller limit cuts it. */
static void last_line(const paper *p, size_t limit)
{
    gb_buf line = {0};
    if (!p->full) {
        return;
    }
    gb_buf_printf(&line,
                  "%s%zu row%s of tables left out to stay below %zu bytes; report.html has "
                  "all of them.\n",
                  p->out->length > 0 ? "\n" : "", p->left_out, p->left_out == 1 ? " is" : "s are",
                  limit);
    if (!line.failed && p->out->length + line.length <= limit) {
        gb_buf_add(p->out, line.data);
    } else if (!line.failed && p->out->length < limit) {
        gb_buf_add_bytes(p->out, line.data, gb_utf8_cut(line.data, limit - p->out->length));
    }
    p->out->failed |= line.failed;
    gb_buf_free(&line);
}

/* What the pictures do not show; they themselves stand on the page. */
static void not_drawn(paper *p, const gb_sheet *sheet)
{
    const gb_pictures *pictures = sheet->pictures;
    size_t n = 0;
    for (size_t i = 0; pictures != NULL && i < pictures->n; i++) {
        const gb_drawn *drawn = &pictures->items[i];
        if (drawn->left_out == NULL || !drawn->whole) {
            continue;
        }
        gb_buf line = {0};
        gb_buf_printf(&line, "%s: %s", drawn->title, drawn->left_out);
        if (n++ == 0) {
            put_line(p, "", "", "### Not in the plots\n\n");
        }
        put_line(p, "- ", line.data != NULL ? line.data : "", "\n");
        p->out->failed |= line.failed;
        gb_buf_free(&line);
    }
    if (n > 0) {
        put_line(p, "\n", "", "");
    }
}

gb_code gb_report_markdown(const gb_results *results, const gb_pictures *pictures, size_t limit,
                           gb_buf *out, gb_error *err)
{
    gb_sheet sheet;
    gb_code code = gb_sheet_open(results, pictures, &sheet, err);
    if (code != GB_OK) {
        return code;
    }
    gb_buf folded = {0}, text = {0};
    paper p = {.out = &text};
    environment(&sheet, &folded);
    bool room = limit > 4 * (folded.length + TAIL);
    size_t reserved = TAIL + (room ? folded.length : 0);
    p.limit = limit > reserved ? limit - reserved : 0;
    verdict(&p, &sheet);
    unmet_expectations(&p, &sheet);
    findings(&p, &sheet);
    doubts(&p, &sheet);
    not_drawn(&p, &sheet);
    for (size_t i = 0; code == GB_OK && i < sheet.n_groups; i++) {
        code = table(&p, &sheet, &sheet.groups[i], err);
    }
    if (room && folded.data != NULL) {
        gb_buf_add(&text, folded.data);
    }
    last_line(&p, limit);
    if (text.data != NULL) {
        gb_buf_add(out, text.data);
    }
    out->failed |= text.failed || folded.failed;
    gb_buf_free(&folded);
    gb_buf_free(&text);
    gb_sheet_close(&sheet);
    if (code == GB_OK && out->failed) {
        code = gb_fail(err, GB_NO_MEMORY, "out of memory for report.md");
    }
    return code;
}
